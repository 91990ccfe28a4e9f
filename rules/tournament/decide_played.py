"""Decisions by which the book follows the hall: others than those on the sheet sat at a board, or nobody came."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from gettext import gettext as _

from rules.tournament.asking import Ask, Events, no_reason
from rules.tournament.book import Round
from rules.tournament.book_events import Excused, GameMoved, PairsReplaced
from rules.tournament.book_intents import Excuse, MoveGame, ReplacePairs
from rules.tournament.corrections import result_text
from rules.tournament.events import DeviceEnrolled, Pair
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned
from rules.tournament.manual import robin_faults


def replace_pairs(ask: Ask, intent: ReplacePairs) -> Events | Refusal:
    """The pairs of some boards become those that sat there, with the moves, the clock and the result of the board.

    Only the latest round, only among the players of these boards, and only if nobody meets twice (S-06).
    """
    state = ask.state
    found = state.round(intent.round)
    players = tuple(tpn for _board, white, black in intent.boards for tpn in (white, black))
    refused = ask.over() or ask.unknown_player(*players)
    if refused is not None:
        return refused
    if found is None:
        return Refusal(_("Round {round} is not public.").format(round=intent.round))
    if intent.round < len(state.rounds):
        words = _("Round {round} was paired since: what was played in round {old} is corrected board by board.")
        return Refusal(words.format(round=len(state.rounds), old=intent.round))
    if not found.started:
        words = _("No clock of round {round} was started: take the sheet back and pair again, by hand if need be.")
        return Refusal(words.format(round=intent.round))
    missing = next((board for board, _white, _black in intent.boards if found.pair(board) is None), None)
    if missing is not None:
        return Refusal(_("Round {round} has no board {board}.").format(round=intent.round, board=missing))
    new = _changed(ask, found, intent)
    if isinstance(new, Refusal) or not new:
        return new if isinstance(new, Refusal) else ()
    refused = no_reason(intent.why) or _not_allowed(ask, found, new)
    if refused is not None:
        return refused
    warnings = [Warned("pairs-replaced", _told(found, pair)) for pair in new]
    if state.is_round_robin:
        before = replace(state.pairing_state(found.number), absent=frozenset())
        everybody = tuple((p.white, p.black) for p in _with(found, new))
        warnings += [fault for fault in robin_faults(before, everybody) if fault.key == "robin-incomplete"]
    stopped = ask.stops(warnings)
    if stopped is not None:
        return stopped
    was = " ".join(_numbers(pair) for pair in found.pairs if pair.board in {p.board for p in new})
    note = ask.note("MPA", found.number, was, " ".join(_numbers(pair) for pair in new), intent.why)
    return (*ask.stale_draft(), PairsReplaced(ask.at, found.number, new, ask.by, intent.why), note)


def _changed(ask: Ask, found: Round, intent: ReplacePairs) -> tuple[Pair, ...] | Refusal:
    """The boards that really differ, in order; the boards that are named hold the same players before and after."""
    boards = [board for board, _white, _black in intent.boards]
    if len(set(boards)) < len(boards):
        return Refusal(_("A board is named twice."))
    before = Counter(tpn for p in found.pairs if p.board in boards for tpn in (p.white, p.black))
    after = Counter(tpn for _board, white, black in intent.boards for tpn in (white, black))
    if before != after:
        strange = sorted((before - after) | (after - before))
        words = _("Name every board that differs: {players} must be at one of them before and after.")
        return Refusal(words.format(players="; ".join(map(ask.named, strange))))
    wanted = (Pair(board, white, black) for board, white, black in sorted(intent.boards))
    return tuple(pair for pair in wanted if found.pair(pair.board) != pair)


def _not_allowed(ask: Ask, found: Round, new: tuple[Pair, ...]) -> Refusal | None:
    before = ask.state.pairing_state(found.number).by_tpn
    meets = {frozenset((p.white, p.black)) for p in found.pairs}
    for pair in new:
        old = found.pair(pair.board)
        if old is not None and (old.white, old.black) == (pair.black, pair.white):
            words = _("Board {board}: only the colours differ. Put that right with its result.")
            return Refusal(words.format(board=pair.board))
        if frozenset((pair.white, pair.black)) not in meets and pair.black in before[pair.white].met:
            words = _("{white} and {black} have already met: their game cannot count. Annul it, or rule on it.")
            return Refusal(words.format(white=ask.named(pair.white), black=ask.named(pair.black)))
    return None


def _with(found: Round, new: tuple[Pair, ...]) -> tuple[Pair, ...]:
    changed = {pair.board: pair for pair in new}
    return tuple(changed.get(pair.board, pair) for pair in found.pairs)


def _numbers(pair: Pair) -> str:
    return f"{pair.white}-{pair.black}"


def _told(found: Round, pair: Pair) -> str:
    """What becomes of one board, with the result that stays there."""
    old = found.pair(pair.board)
    result = result_text(found, pair.board)
    words = _("Board {board}: {new} instead of {old}.").format(
        board=pair.board, new=_numbers(pair), old=_numbers(old) if old is not None else ""
    )
    if not result:
        return words
    return _("{words} Its result {result} stays.").format(words=words, result=result)


def move_game(ask: Ask, intent: MoveGame) -> Events | Refusal:
    """A game of the latest round goes on at another table. Where a game is open there, it comes in exchange.

    Both tables begin a new epoch, empty: the hub gives each the game it has now, with all that is known of it, and what
    comes later from the epoch before is evidence.
    """
    state, found = ask.state, ask.state.round(intent.round)
    refused = ask.over()
    if refused is not None:
        return refused
    if found is None or intent.round < len(state.rounds):
        return Refusal(_("Games are moved in the latest public round only."))
    if found.pair(intent.board) is None:
        return Refusal(_("Round {round} has no board {board}.").format(round=intent.round, board=intent.board))
    if intent.table not in state.devices:
        return Refusal(_("There is no table {table}.").format(table=intent.table or "?"))
    there, here = found.board_of_table(intent.table), found.tables.get(intent.board, "")
    if here == intent.table:
        return ()
    for board in (intent.board, there):
        if board is not None and board in found.adjourned:
            return Refusal(_("Board {board} is adjourned: it goes on where its pieces stand.").format(board=board))
    if intent.board not in found.open_boards:
        return Refusal(_("Board {board} has its result: there is no game to move.").format(board=intent.board))
    refused = no_reason(intent.why)
    if refused is not None:
        return refused
    tables = {str(intent.board): intent.table}
    if there is not None:
        tables[str(there)] = here if there in found.open_boards else ""
    devices = (state.devices[table] for table in (here, intent.table) if table in state.devices)
    begun = (DeviceEnrolled(ask.at, each.table, each.epoch + 1, each.instance, "moved") for each in devices)
    return (GameMoved(ask.at, found.number, intent.board, tables, ask.by, intent.why), *begun)


def excuse(ask: Ask, intent: Excuse) -> Events | Refusal:
    """A game lost by not coming counts towards being expelled unless there was a reason for it (C.05)."""
    refused = ask.unknown_player(intent.tpn) or ask.over()
    if refused is not None:
        return refused
    if ask.state.round(intent.round) is None:
        return Refusal(_("Round {round} is not public.").format(round=intent.round))
    if ((intent.tpn, intent.round) in ask.state.excused) == intent.on:
        return ()
    return (Excused(ask.at, intent.tpn, intent.round, ask.by, intent.why, intent.on),)
