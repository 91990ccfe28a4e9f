"""Who plays where: a game that goes on at another table, and the names that a table has to show now.

A game's name is that of its pairing for ever; its table may change. What a table was told of names and place is its
record; where the sheet says something else, the table gets an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from gettext import gettext as _

from kiosk.hub.act import Act, Refused
from kiosk.hub.desk_intent import Data, DeskIntent, text
from kiosk.hub.duties import names_that_count, place_of
from kiosk.hub.hall import Hall
from rules.laws.game_order_data import order_of_player
from rules.tournament.book_events import (
    EntryCorrected,
    EntryTakenOut,
    GameMoved,
    LateEntered,
    PairsReplaced,
    Renumbered,
)
from rules.tournament.book_intents import MoveGame
from rules.tournament.events import Ordered, TournamentEvent
from rules.tournament.intents import ConfirmOrder
from rules.tournament.state import Round

#: After these a table may show names that do not count any more.
_RENAMES = (PairsReplaced, EntryCorrected, EntryTakenOut, LateEntered, Renumbered)


# -- a game moves -----------------------------------------------------------------------------------------------------


def move_game(desk: DeskIntent, d: Data) -> None:
    """The game of a board goes on at another table, in exchange with the one that is open there."""
    sheet, board = desk.place(d)
    table = _target(desk, sheet, d)
    there = sheet.board_of_table(table)
    for each in (board, there):
        if each is not None:
            _must_stand(desk, sheet, each)
    target = desk.hall.table(table)
    if there is None and target.game.under_way and target.game_epoch == target.epoch:
        words = _("Table {table} holds game {game}, which is not over: it goes on there.")
        raise Refused(words.format(table=table, game=target.game.game))
    for event in desk.act.decide(MoveGame(sheet.number, board, table, text(d, "why"))):
        if isinstance(event, GameMoved):
            _orders_follow(desk, sheet, event)


def _target(desk: DeskIntent, sheet: Round, d: Data) -> str:
    """The table that is meant: "to" is the number where it stands, or its name. Raises `Refused`."""
    to = d.get("to")
    if isinstance(to, int) and not isinstance(to, bool):
        return sheet.table_at(to) or str(to)
    if isinstance(to, str) and to.strip():
        return to.strip()
    raise Refused(_("Say where to: the number of a board, or the name of a table."))


def _must_stand(desk: DeskIntent, sheet: Round, board: int) -> None:
    """Clocks stand while a game moves; those of a table that is out of reach are as it told them last."""
    table = sheet.tables.get(board, "")
    if desk.in_phase(sheet, [board], "playing") and desk.hall.table(table).was_online:
        raise Refused(_("Board {board} is playing: stop its clocks, then move the game.").format(board=board))


def _orders_follow(desk: DeskIntent, before: Round, moved: GameMoved) -> None:
    """Orders that a table has not answered go to where their game is now; what was for the table alone is void."""
    act = desk.act
    sheet = act.state.rounds[moved.round - 1]
    tables = {before.tables.get(int(board), "") for board in moved.tables} | set(moved.tables.values())
    for order in tuple(act.state.orders.values()):
        if order.table not in tables:
            continue
        act.decide(ConfirmOrder(order.id, ok=False, why=_("the game was moved to another table")))
        number, board = place_of(order.game) or (0, 0)
        if number == sheet.number and board in sheet.tables:
            act.order(sheet.tables[board], order.game, order.kind, order.data)


# -- the names that count ---------------------------------------------------------------------------------------------


def names_told(desk: DeskIntent) -> None:
    """What an act has changed in names and pairs is told to the tables that show them."""
    events, current = desk.act.events, desk.act.state.current_round
    if current is not None and any(isinstance(event, _RENAMES) for event in events):
        tell_names(desk.act, desk.hall, current, _boards(current, events))


def _boards(sheet: Round, events: Iterable[TournamentEvent]) -> set[int]:
    """Open boards, and those whose players were others."""
    replaced = {pair.board for event in events if isinstance(event, PairsReplaced) for pair in event.pairs}
    return replaced | set(sheet.open_boards)


def tell_names(act: Act, hall: Hall, sheet: Round, boards: Iterable[int]) -> None:
    """Orders for the tables of these boards whose record has other names, or another place, than the sheet has now."""
    for board in sorted(boards):
        pair, game, table = sheet.pair(board), hall.game(sheet.number, board), sheet.tables.get(board, "")
        if pair is None or game is None or game.assignment is None or not table:
            continue
        told, under_way = game.assignment, open_names(act.state.orders, game.game)
        white, black, place = names_that_count(act.state, sheet, pair, told)
        data = order_of_player(white, "white") | order_of_player(black, "black") | {"board": place}
        if any(order.data == data for order in under_way):
            continue
        for order in under_way:
            act.decide(ConfirmOrder(order.id, ok=False, why=_("other names count now")))
        # An order that counts no more may have been carried out: then the right names must be said again.
        if under_way or (told.white, told.black, told.board) != (white, black, place):
            act.order(table, game.game, "players", data)


def open_names(orders: Mapping[str, Ordered], game: str) -> list[Ordered]:
    """The orders about a game's names that its table has not confirmed."""
    return [order for order in orders.values() if (order.game, order.kind) == (game, "players")]
