"""The decision about an event that goes on from a report: its rounds are held to the pairing rules first."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from gettext import gettext as _

from rules.pairing.dutch_engine import pair_without_reasons
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import NoPairing, PairingAnswer, PairingState
from rules.tournament.asking import Ask, Events
from rules.tournament.book import Round, TournamentState, last_of_a
from rules.tournament.book_events import Expelled, FideExited, Flagged, GroupFixed, LotDrawn, PairsForbidden
from rules.tournament.book_intents import TakenRound, TakeOver
from rules.tournament.decide_rounds import checksum
from rules.tournament.events import (
    ByeGranted,
    Paired,
    Published,
    Resulted,
    RoundSealed,
    Source,
    Started,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.events import Pair as BoardPair
from rules.tournament.folding import fold
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned
from rules.tournament.list_events import RoundRated
from rules.tournament.manual import differences, split
from rules.tournament.rank_events import OutsideValued, TiedOrdered
from rules.tournament.results import CODES


def take_over(ask: Ask, intent: TakeOver) -> Events | Refusal:
    """Rounds that were played elsewhere become public here, with their results; no table has a part in them."""
    state, regulations = ask.state, ask.state.regulations
    if regulations is None or not state.entries:
        return Refusal(_("There are no entries yet. Enter the players first."))
    if state.rounds or state.draft is not None or state.manual:
        return Refusal(_("A round is paired here already: no report can be taken over any more."))
    if len(intent.rounds) > regulations.rounds:
        return Refusal(_("The report has more rounds than are planned."))
    named = [tpn for each in intent.rounds for board in each.boards for tpn in (board.white, board.black)]
    unknown = ask.unknown_player(*named, *(tpn for tpn, _round, _kind in intent.byes))
    if unknown is not None:
        return unknown
    first: list[TournamentEvent] = [
        PairsForbidden(ask.at, tuple(sorted(set(players))), begin, end, ask.by, intent.source)
        for players, begin, end in intent.forbidden
    ]
    events, warnings = list(first), []
    state = reduce(fold, first, state)
    told_of = {note.round for note in intent.notes if note.kind in ("MPA", "Import")}
    for number, taken in enumerate(intent.rounds, 1):
        gone = _left(ask, intent, number)
        events += gone
        state = reduce(fold, gone, state)
        strange = _not_one_place_each(state, number, taken)
        if strange is not None:
            return strange
        before = _before(state, taken)
        engine = _engine(regulations.system, before)
        found = tuple((board.white, board.black) for board in taken.boards)
        lines = ("+ -",) if engine is None else differences(engine, found, _left_over(state, taken))
        new = _events(ask, state, number, taken, _in_order(before, found, engine), number < len(intent.rounds))
        if lines and number not in told_of:
            theirs, ours = split(lines)
            words = _("Round {round} of the report is not as the engine pairs it: {engine} there, {found} here.")
            warnings.append(
                Warned("import-differs", words.format(round=number, engine=theirs or "-", found=ours or "-"))
            )
            new.append(ask.note("Import", number, theirs, ours, intent.source))
        events += new
        state = reduce(fold, new, state)
    events += [
        ByeGranted(ask.at, tpn, number, kind, ask.by, intent.source)
        for tpn, number, kind in intent.byes
        if len(intent.rounds) < number <= regulations.rounds
    ]
    events += _left(ask, intent, len(intent.rounds) + 1)
    events += _remarks(ask, intent)
    return ask.stops(warnings) or tuple(events)


def _left(ask: Ask, intent: TakeOver, number: int) -> list[TournamentEvent]:
    """Who is not paired any more from this round on."""
    gone = [(tpn, expelled) for tpn, first, expelled in intent.left if first == number]
    why = intent.source
    return [Expelled(ask.at, t, ask.by, why) if out else Withdrawn(ask.at, t, ask.by, why) for t, out in gone]


def _remarks(ask: Ask, intent: TakeOver) -> list[TournamentEvent]:
    """What the report's remarks carry on: the integrity log, flags, ratings, what was said by hand, and the exit."""
    why = intent.source
    events: list[TournamentEvent] = [ask.note(n.kind, n.round, n.before, n.after, why) for n in intent.notes]
    events += [Flagged(ask.at, tpn, "no-half-bye", True, ask.by) for tpn in intent.no_half_bye]
    events += [RoundRated(ask.at, tpn, number, rating, ask.by, why) for tpn, number, rating in intent.ratings]
    events += [OutsideValued(ask.at, tpn, value, ask.by, why) for tpn, value in intent.outside]
    events += [TiedOrdered(ask.at, order, ask.by, why) for order in intent.orders]
    known = ask.state.lots.keys()
    events += [LotDrawn(ask.at, w, seed, out, ask.by) for w, seed, out in intent.lots if w not in known]
    if intent.fide_exit is not None and ask.state.fide_mode:
        # There is no way back into FIDE handling, a new event from its report is none either.
        events.append(FideExited(ask.at, intent.fide_exit, ask.by, why))
    return events


def _not_one_place_each(state: TournamentState, number: int, taken: TakenRound) -> Refusal | None:
    placed = [tpn for board in taken.boards for tpn in (board.white, board.black)]
    placed += [tpn for tpn, _kind in taken.byes] + ([taken.bye] if taken.bye is not None else [])
    if sorted(placed) == sorted(state.entries):
        return None
    return Refusal(_("Round {round} of the report does not give every player one place.").format(round=number))


def _left_over(state: TournamentState, taken: TakenRound) -> int | None:
    """Who has the bye; in a round robin the one without a board is free."""
    if state.is_round_robin and taken.bye is None and len(taken.byes) == 1:
        return taken.byes[0][0]
    return taken.bye


def _before(state: TournamentState, taken: TakenRound) -> PairingState:
    away = frozenset() if state.is_round_robin else frozenset(tpn for tpn, _kind in taken.byes)
    before = replace(state.pairing_state(), absent=away)
    regulations = state.regulations
    if regulations is None or regulations.acceleration != "baku" or before.round > 1:
        return before
    # The group is fixed with this round, by who is paired in it (C.04.7 1.2).
    last = last_of_a(tpn for tpn in state.entries if tpn not in away)
    return replace(before, virtual=replace(state, group_a=last).pairing_state().virtual)


def _engine(system: str, before: PairingState) -> PairingAnswer | None:
    pair = pair_without_reasons if system == "dutch" else SYSTEMS[system]
    try:
        return pair(before)
    except NoPairing:
        return None


def _in_order(
    before: PairingState, found: tuple[tuple[int, int], ...], engine: PairingAnswer | None
) -> tuple[tuple[int, int], ...]:
    """The pairs in board order: the engine's, or else by score, sum of scores and number (C.04.2 3.6)."""
    if engine is not None and set(engine.pairs) == set(found):
        return engine.pairs
    scores = before.scores

    def place(pair: tuple[int, int]) -> tuple[int, int, int]:
        higher, lower = sorted(pair, key=lambda tpn: (-scores[tpn], tpn))
        return -scores[higher], -scores[higher] - scores[lower], higher

    return tuple(sorted(found, key=place))


def _events(
    ask: Ask,
    state: TournamentState,
    number: int,
    taken: TakenRound,
    order: tuple[tuple[int, int], ...],
    seal: bool,
) -> list[TournamentEvent]:
    """One round as if it had been played here, but at no table."""
    pairs = tuple(BoardPair(board, white, black) for board, (white, black) in enumerate(order, 1))
    bye = _left_over(state, taken)
    byes = {} if state.is_round_robin else {str(tpn): kind for tpn, kind in taken.byes}
    draft = Round(number, pairs, bye, dict(taken.byes) if byes else {})
    name = state.regulations.name if state.regulations is not None else ""
    events: list[TournamentEvent] = [
        Paired(ask.at, number, pairs, bye, byes, (), ask.by),
        Published(ask.at, number, 1, checksum(name, draft, 1), {}, ask.by),
    ]
    if number == 1 and state.regulations is not None and state.regulations.acceleration == "baku":
        paired = [tpn for pair in order for tpn in pair] + ([bye] if bye is not None else [])
        events.append(GroupFixed(ask.at, last_of_a(paired)))
    events.append(Started(ask.at, number, ask.by))
    codes = {(board.white, board.black): CODES[board.code] for board in taken.boards}
    for pair in pairs:
        code = codes[pair.white, pair.black]
        source: Source = "confirmed" if code.played else "forfeit"
        rated = code.rated or not code.played
        events.append(Resulted(ask.at, number, pair.board, code.score, source, ask.by, rated=rated))
    return [*events, RoundSealed(ask.at, number)] if seal else events
