"""What a table is to do, read off the tournament's state: its assignment and its open orders. Pure."""

from __future__ import annotations

import re
from typing import Literal

from hallnet.wire import AssignmentMsg, OrderMsg, assignment_message
from rules.laws.events import Assignment, Player
from rules.tournament.entries import Entry
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


def assignment_for(state: TournamentState, table: str) -> AssignmentMsg | None:
    """What a table is to play; drafts are nobody's business."""
    found = playing_at(state, table)
    regulations = state.regulations
    if found is None or regulations is None:
        return None
    sheet, board = found
    pair = sheet.pair(board)
    if pair is None:
        return None
    assignment = Assignment(
        event=regulations.name,
        round=sheet.number,
        rev=sheet.rev,
        game=game_id(sheet.number, board),
        board=board,
        white=player(state, pair.white),
        black=player(state, pair.black),
        control=regulations.control,
        rounds=regulations.rounds,
    )
    return assignment_message(assignment, _phase(sheet))


def _phase(sheet: Round) -> Literal["prepared", "go", "sealed"]:
    if sheet.sealed:
        return "sealed"
    return "go" if sheet.started else "prepared"


def orders_for(state: TournamentState, table: str) -> tuple[OrderMsg, ...]:
    """The orders a table has not confirmed, oldest first."""
    return tuple(
        OrderMsg(id=o.id, game=o.game, kind=o.kind, d=o.data) for o in state.orders.values() if o.table == table
    )


def result_for(state: TournamentState, table: str) -> str:
    """The official result of a table's game, "" while there is none."""
    found = playing_at(state, table)
    result = found[0].results.get(found[1]) if found else None
    return result.score if result is not None else ""
