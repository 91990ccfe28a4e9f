"""What happens to rounds: drafts, sheets, boards, results. One small function for each kind of event.

`rules.tournament.folding` has the table of all kinds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.tournament.book import Round, TournamentState
from rules.tournament.book_events import (
    Adjourned,
    BoardAdded,
    ColoursSwapped,
    GameMoved,
    GroupFixed,
    ManualClosed,
    ManualOpened,
    PairsReplaced,
    ReportCorrected,
    ResultCleared,
    SheetWithdrawn,
    UnpairedSet,
)
from rules.tournament.events import DraftDropped, Pair, Paired, Published, Resulted, RoundSealed, Started
from rules.tournament.renaming import with_value, without


def _changed(state: TournamentState, number: int, **changes: Any) -> TournamentState:
    """The state with one public round changed; unchanged when there is no such round."""
    if state.round(number) is None:
        return state
    rounds = tuple(replace(r, **changes) if r.number == number else r for r in state.rounds)
    return replace(state, rounds=rounds)


# -- rounds -----------------------------------------------------------------------------------------------------------


def paired(state: TournamentState, event: Paired) -> TournamentState:
    byes = {int(tpn): kind for tpn, kind in event.byes.items()}
    return replace(state, draft=Round(event.round, event.pairs, event.bye, byes, event.reasons))


def draft_dropped(state: TournamentState, event: DraftDropped) -> TournamentState:
    return replace(state, draft=None, manual=0)


def manual_opened(state: TournamentState, event: ManualOpened) -> TournamentState:
    draft = state.draft and replace(state.draft, manual=False, differences=())
    return replace(state, manual=event.round, draft=draft)


def manual_closed(state: TournamentState, event: ManualClosed) -> TournamentState:
    draft = state.draft and replace(state.draft, manual=True, differences=event.differences)
    return replace(state, manual=0, draft=draft)


def published(state: TournamentState, event: Published) -> TournamentState:
    sheet: dict[str, Any] = {
        "rev": event.rev,
        "checksum": event.checksum,
        "tables": {int(board): table for board, table in event.tables.items()},
    }
    if state.draft is None or state.draft.number != event.round:
        return _changed(state, event.round, **sheet)
    public = replace(state.draft, **sheet)
    return replace(state, rounds=(*state.rounds, public), draft=None, orders_done={})


def sheet_withdrawn(state: TournamentState, event: SheetWithdrawn) -> TournamentState:
    found = state.round(event.round)
    if found is None or event.round != len(state.rounds):
        return state
    draft = Round(
        found.number, found.pairs, found.bye, found.byes, found.reasons, manual=found.manual,
        differences=found.differences, printed=found.printed,
    )  # fmt: skip
    return replace(
        state,
        rounds=state.rounds[:-1],
        draft=draft,
        old_sheets=with_value(state.old_sheets, event.round, (*state.old_sheets.get(event.round, ()), found)),
        # What was noted about a sheet that nobody plays is not part of the report (the log keeps it).
        notes=tuple(n for n in state.notes if (n.kind, n.round) != ("MPA", event.round)),
        group_a=0 if event.round == 1 else state.group_a,
    )


def group_fixed(state: TournamentState, event: GroupFixed) -> TournamentState:
    return replace(state, group_a=event.last)


def started(state: TournamentState, event: Started) -> TournamentState:
    return _changed(state, event.round, started=True, started_at=event.at)


def board_added(state: TournamentState, event: BoardAdded) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    placed = (event.pair.white, event.pair.black)
    return _changed(
        state,
        event.round,
        pairs=(*found.pairs, event.pair),
        bye=None if found.bye in placed else found.bye,
        byes={tpn: kind for tpn, kind in found.byes.items() if tpn not in placed},
        tables=with_value(found.tables, event.pair.board, event.table) if event.table else found.tables,
    )


def unpaired_set(state: TournamentState, event: UnpairedSet) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    if event.kind == "U":
        return _changed(state, event.round, bye=event.tpn, byes=without(found.byes, event.tpn))
    bye = None if found.bye == event.tpn else found.bye
    return _changed(state, event.round, bye=bye, byes=with_value(found.byes, event.tpn, event.kind))


def colours_swapped(state: TournamentState, event: ColoursSwapped) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    pairs = tuple(Pair(p.board, p.black, p.white) if p.board == event.board else p for p in found.pairs)
    printed = {board: (b, w) if board == event.board else (w, b) for board, (w, b) in found.printed.items()}
    return _changed(state, event.round, pairs=pairs, printed=printed)


def pairs_replaced(state: TournamentState, event: PairsReplaced) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    new = {pair.board: pair for pair in event.pairs}
    pairs = tuple(new.get(p.board, p) for p in found.pairs)
    sheet = {p.board: found.on_sheet(p.board) for p in found.pairs}
    printed = {p.board: sheet[p.board] for p in pairs if sheet[p.board] != (p.white, p.black)}
    return _changed(state, event.round, pairs=pairs, printed=printed)


def game_moved(state: TournamentState, event: GameMoved) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    moved = {int(board): table for board, table in event.tables.items()}
    tables = {board: table for board, table in (dict(found.tables) | moved).items() if table}
    home = found.home or {table: board for board, table in found.tables.items()}
    return _changed(state, event.round, tables=tables, home=home)


def round_sealed(state: TournamentState, event: RoundSealed) -> TournamentState:
    return _changed(state, event.round, sealed=True)


# -- results ----------------------------------------------------------------------------------------------------------


def resulted(state: TournamentState, event: Resulted) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    adjourned = without(found.adjourned, event.board) if event.board in found.adjourned else found.adjourned
    return _changed(state, event.round, results=with_value(found.results, event.board, event), adjourned=adjourned)


def result_cleared(state: TournamentState, event: ResultCleared) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    return _changed(
        state,
        event.round,
        results=without(found.results, event.board),
        adjourned=without(found.adjourned, event.board),
    )


def adjourned(state: TournamentState, event: Adjourned) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    return _changed(
        state,
        event.round,
        results=without(found.results, event.board),
        adjourned=with_value(found.adjourned, event.board, event),
    )


def report_corrected(state: TournamentState, event: ReportCorrected) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    official = found.results.get(event.board)
    told = (event.score, event.forfeit, event.rated, event.swapped)
    # What the report says anyway need not be said: so a correction is taken back.
    if official is not None and told == (official.score, official.source == "forfeit", official.rated, False):
        return _changed(state, event.round, report=without(found.report, event.board))
    return _changed(state, event.round, report=with_value(found.report, event.board, event))
