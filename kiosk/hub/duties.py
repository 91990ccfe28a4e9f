"""What a table is to do, read off the tournament's state: its assignment and its open orders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from hallnet.wire import AssignmentMsg, OrderMsg, assignment_message
from rules.laws.edition import DEFAULT
from rules.laws.events import Assignment, Player
from rules.tournament.entries import Entry
from rules.tournament.events import Ordered, Pair, Regulations
from rules.tournament.state import Round, TournamentState

_GAME = re.compile(r"r(\d{1,3})b(\d{1,5})\Z")


def game_id(round_number: int, board: int) -> str:
    """The name of a game for ever: round and board of the sheet."""
    return f"r{round_number}b{board}"


def place_of(game: str) -> tuple[int, int] | None:
    """(round, board) of a game's name, None if it is no such name."""
    match = _GAME.match(game)
    return (int(match[1]), int(match[2])) if match else None


def player_of(entry: Entry) -> Player:
    """An entry as tables and desks show him."""
    return Player(entry.tpn, entry.name, entry.rating, entry.title, entry.federation)


def player(state: TournamentState, tpn: int) -> Player:
    """A player by pairing number."""
    entry = state.entries.get(tpn)
    return player_of(entry) if entry is not None else Player(tpn, str(tpn))


def playing_at(state: TournamentState, table: str) -> tuple[Round, int] | None:
    """The latest public round in which a table has a board, and the board."""
    for sheet in reversed(state.rounds):
        board = sheet.board_of_table(table)
        if board is not None:
            return sheet, board
    return None


def owns(state: TournamentState, table: str, game: str) -> bool:
    """Is this game played at this table by the public sheet?"""
    place = place_of(game)
    sheet = state.round(place[0]) if place else None
    return place is not None and sheet is not None and sheet.tables.get(place[1]) == table


def edition_text(regulations: Regulations) -> str:
    """The edition of the Laws for tables, with the event's default time (6.7.1) unless it sets one itself."""
    text = regulations.edition or DEFAULT
    if any(setting.startswith("default_ms=") for setting in text.split()):
        return text
    return f"{text} default_ms={regulations.default_minutes * 60_000}"


def names_that_count(state: TournamentState, sheet: Round, pair: Pair, told: Assignment) -> tuple[Player, Player, int]:
    """White, Black and the place of a game, as the sheet has them now; `told` is what its table knows.

    Who sits at the other's colours, as an arbiter has let him (7.3), stays there.
    """
    white, black = player(state, pair.white), player(state, pair.black)
    if (told.white.tpn, told.black.tpn) == (pair.black, pair.white):
        white, black = black, white
    return white, black, sheet.place(pair.board)


class Duties:
    """What each table is to do. What is looked up is kept as long as the state's part it comes from is the same."""

    def __init__(self) -> None:
        self._rounds: tuple[Round, ...] | None = None
        self._places: dict[str, tuple[Round, Pair]] = {}
        self._open: Mapping[str, Ordered] | None = None
        self._orders: dict[str, list[OrderMsg]] = {}

    def place(self, state: TournamentState, table: str) -> tuple[Round, Pair] | None:
        """The latest public round in which a table has a board, and the pair on it."""
        if state.rounds is not self._rounds:
            self._rounds = state.rounds
            self._places = {}
            for sheet in state.rounds[-2:]:  # a table that sits out one round still has its last game
                for pair in sheet.pairs:
                    if pair.board in sheet.tables:
                        self._places[sheet.tables[pair.board]] = sheet, pair
        return self._places.get(table)

    def assignment(self, state: TournamentState, table: str) -> AssignmentMsg | None:
        """What a table is to play; drafts are nobody's business."""
        found = self.place(state, table)
        regulations = state.regulations
        if found is None or regulations is None:
            return None
        sheet, pair = found
        assignment = Assignment(
            event=regulations.name,
            round=sheet.number,
            rev=sheet.rev,
            game=game_id(sheet.number, pair.board),
            board=sheet.place(pair.board),
            white=player(state, pair.white),
            black=player(state, pair.black),
            control=regulations.control,
            rounds=regulations.rounds,
            edition=edition_text(regulations),
        )
        return assignment_message(assignment, _phase(sheet))

    def orders(self, state: TournamentState, table: str) -> list[OrderMsg]:
        """The orders a table has not confirmed, oldest first."""
        if state.orders is not self._open:
            self._open = state.orders
            self._orders = {}
            for order in state.orders.values():
                message = OrderMsg(id=order.id, game=order.game, kind=order.kind, d=order.data)
                self._orders.setdefault(order.table, []).append(message)
        return self._orders.get(table, [])

    def result(self, state: TournamentState, table: str) -> str:
        """The official result of a table's game, "" while there is none."""
        found = self.place(state, table)
        result = found[0].results.get(found[1].board) if found else None
        return result.score if result is not None else ""


def _phase(sheet: Round) -> Literal["prepared", "go", "sealed"]:
    if sheet.sealed:
        return "sealed"
    return "go" if sheet.started else "prepared"
