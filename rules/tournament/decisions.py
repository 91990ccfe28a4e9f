"""An intent and the state make events, or a refusal that says why. Nothing else in the house decides.

`decide` is pure: the service stores the events it returns and then acts. No events (`()`) means that the intent is
already done, so everything may be sent twice. Times are wall ms since 1970, for the record only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from rules.laws.events import Score
from rules.pairing.berger import rounds_available
from rules.pairing.legality import LEGALITY
from rules.pairing.state import IllegalPairing
from rules.tiebreaks.registry import CODES, is_known
from rules.tournament.entries import Entry, numbered
from rules.tournament.events import (
    ByeGranted,
    CallClosed,
    CallOpened,
    Created,
    DeviceEnrolled,
    DraftDropped,
    Entered,
    Finished,
    HubOpened,
    OrderConfirmed,
    Ordered,
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
from rules.tournament.intents import (
    CloseCall,
    ConfirmOrder,
    DropDraft,
    Enrol,
    Enter,
    Finish,
    GrantBye,
    Intent,
    OpenCall,
    OpenHub,
    Order,
    Pair,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Seal,
    Start,
    Withdraw,
)
from rules.tournament.state import Round, TournamentState

Events = tuple[TournamentEvent, ...]


def boards_in_words(boards: Iterable[int]) -> str:
    """ "3, 7 and 12", for sentences."""
    numbers = [str(board) for board in boards]
    if len(numbers) < 2:
        return "".join(numbers)
    return _("{first} and {last}").format(first=", ".join(numbers[:-1]), last=numbers[-1])


def checksum(event: str, sheet: Round, rev: int) -> str:
    """Twelve hex digits of the SHA-256 of the sheet's canonical text (one line per board; S-04, S-23)."""
    lines = [event, f"{sheet.number}.{rev}"]
    lines += [f"{p.board} {p.white}-{p.black}" for p in sheet.pairs]
    lines += [f"bye {sheet.bye}"] if sheet.bye is not None else []
    lines += [f"{kind} {tpn}" for tpn, kind in sorted(sheet.byes.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _open_boards_sentence(number: int, boards: tuple[int, ...]) -> str:
    return ngettext(
        "Round {round}: board {boards} has no result yet.", "Round {round}: boards {boards} have no result yet.",
        len(boards),
    ).format(round=number, boards=boards_in_words(boards))  # fmt: skip


def _unfinished(state: TournamentState) -> str:
    """Why the latest public round is not complete; "" when it is, or when there is none."""
    current = state.current_round
    if current is None:
        return ""
    if current.open_boards:
        return _open_boards_sentence(current.number, current.open_boards)
    disputes = state.open_disputes(current.number)
    if disputes:
        return _("Round {round}: the result of board {boards} is disputed. Rule on it first.").format(
            round=current.number, boards=boards_in_words(sorted({call.board for call in disputes}))
        )
    return ""


def _stale_draft(state: TournamentState, at: int, by: str) -> Events:
    """The event that throws a draft away because what it rests on has changed (S-02, S-25)."""
    return () if state.draft is None else (DraftDropped(at, state.draft.number, by),)


def _enter(state: TournamentState, intent: Enter, at: int, by: str) -> Events | Refusal:
    if state.rounds:
        return Refusal(_("Round 1 is public: the list of entries and the regulations cannot be replaced any more."))
    why = _bad_entries(intent.entries) or _bad_regulations(intent)
    if why:
        return Refusal(why)
    entries = intent.entries if all(e.tpn for e in intent.entries) else numbered(intent.entries)
    entries = tuple(sorted(entries, key=lambda e: e.tpn))
    events: list[TournamentEvent] = []
    if state.regulations != intent.regulations:
        events.append(Created(at, intent.regulations))
    if tuple(state.entries.values()) != entries:
        events.append(Entered(at, entries))
    return (*_stale_draft(state, at, by), *events) if events else ()


def _bad_entries(entries: tuple[Entry, ...]) -> str:
    if len(entries) < 2:
        return _("A tournament needs at least two players; the list has {count}.").format(count=len(entries))
    given = sorted(e.tpn for e in entries if e.tpn)
    if given and given != list(range(1, len(entries) + 1)):
        return _("Pairing numbers must be 1 to {count}, each once, or all be left out.").format(count=len(entries))
    return ""


def _bad_regulations(intent: Enter) -> str:
    regulations = intent.regulations
    if regulations.system not in LEGALITY:
        return _("{system!r} is no pairing system here. Known are: {known}.").format(
            system=regulations.system, known=", ".join(LEGALITY)
        )
    most = rounds_available(len(intent.entries))
    if not 1 <= regulations.rounds <= most:
        return _("{rounds} rounds cannot be played by {players} players: choose 1 to {most}.").format(
            rounds=regulations.rounds, players=len(intent.entries), most=most
        )
    unknown = [code for code in regulations.tie_breaks if not is_known(code)]
    if unknown:
        return _("{code!r} is no tie-break known here. Known are: {known}.").format(
            code=unknown[0], known=", ".join(CODES)
        )
    return ""


def _pair(state: TournamentState, intent: Pair, at: int, by: str) -> Events | Refusal:
    if state.regulations is None or not state.entries:
        return Refusal(_("There are no entries yet. Enter the players first."))
    if state.finished:
        return Refusal(_("The tournament is over."))
    number = state.next_round_to_pair
    if number is None:
        return Refusal(_("All {rounds} rounds are paired.").format(rounds=state.regulations.rounds))
    unfinished = _unfinished(state)
    if unfinished:
        return Refusal(unfinished)
    if state.draft is not None:
        return Refusal(
            _("Round {round} is paired already. Publish the draft, or drop it to pair again.").format(round=number)
        )
    before = state.pairing_state()
    if intent.basis and intent.basis != before.digest:
        return Refusal(
            _("Results or entries changed while round {round} was being paired. Pair again.").format(round=number)
        )
    try:
        LEGALITY[state.regulations.system](before, intent.answer)
    except IllegalPairing as illegal:
        return Refusal(_("This pairing is not legal. {why}").format(why=illegal))
    pairs = tuple(BoardPair(board, white, black) for board, (white, black) in enumerate(intent.answer.pairs, 1))
    byes = {} if state.is_round_robin else {str(tpn): kind for tpn, kind in sorted(state.absent(number).items())}
    return (Paired(at, number, pairs, intent.answer.bye, byes, intent.answer.reasons, by),)


def _drop_draft(state: TournamentState, intent: DropDraft, at: int, by: str) -> Events | Refusal:
    return _stale_draft(state, at, by)


def _publish(state: TournamentState, intent: Publish, at: int, by: str) -> Events | Refusal:
    draft = state.draft
    if draft is None:
        current = state.current_round
        if current is not None:
            return Refusal(_("Round {round} is already public; nothing is changed.").format(round=current.number))
        return Refusal(_("There is no draft to publish. Pair the round first."))
    tables = tuple(dict.fromkeys(intent.tables))
    missing = len(draft.pairs) - len(tables)
    if missing > 0:
        return Refusal(
            ngettext(
                "Round {round} has {boards} boards, and {missing} table is missing. Enrol it, then publish again.",
                "Round {round} has {boards} boards, and {missing} tables are missing. Enrol them, then publish again.",
                missing,
            ).format(round=draft.number, boards=len(draft.pairs), missing=missing)
        )
    seats = {str(pair.board): table for pair, table in zip(draft.pairs, tables, strict=False)}
    name = state.regulations.name if state.regulations is not None else ""
    published = Published(at, draft.number, 1, checksum(name, draft, 1), seats, by)
    return (published, *_withdrawn_games(state, draft, at, by))


def _withdrawn_games(state: TournamentState, draft: Round, at: int, by: str) -> Events:
    """In a round robin the games of a withdrawn player are forfeited: - for him, + for the opponent (C.05)."""
    if not state.is_round_robin:
        return ()
    gone = state.absent(draft.number)
    events: list[TournamentEvent] = []
    for pair in draft.pairs:
        score = _FORFEITED[pair.white in gone, pair.black in gone]
        if score is not None:
            events.append(Resulted(at, draft.number, pair.board, score, "forfeit", by, _("withdrawn")))
    return tuple(events)


#: (is White absent, is Black absent) → the score by forfeit.
_FORFEITED: Mapping[tuple[bool, bool], Score | None] = {
    (False, False): None, (False, True): "1-0", (True, False): "0-1", (True, True): "0-0",
}  # fmt: skip


def _start(state: TournamentState, intent: Start, at: int, by: str) -> Events | Refusal:
    current = state.current_round
    if current is None or state.draft is not None:
        return Refusal(_("The round is not public yet. Publish it, then start."))
    return () if current.started else (Started(at, current.number, by),)


def _board_problem(state: TournamentState, number: int, board: int) -> str:
    found = state.round(number)
    if found is None:
        return _("Round {round} is not public.").format(round=number)
    if found.pair(board) is None:
        return _("Round {round} has no board {board}.").format(round=number, board=board)
    return _("The tournament is over; its results are final.") if state.finished else ""


def _record_result(state: TournamentState, intent: RecordResult, at: int, by: str) -> Events | Refusal:
    found = state.round(intent.round)
    recorded = found.results.get(intent.board) if found is not None else None
    if recorded is not None and recorded.score == intent.score:
        return ()
    problem = _board_problem(state, intent.round, intent.board)
    if problem or found is None:
        return Refusal(problem)
    pair = found.pair(intent.board)
    if pair is not None and intent.pair not in (None, (pair.white, pair.black)):
        return Refusal(
            _("Board {board} of round {round} is {white}-{black}, and the table speaks of another pair.").format(
                board=intent.board, round=intent.round, white=pair.white, black=pair.black
            )
        )
    if recorded is None:
        return (
            Resulted(at, intent.round, intent.board, intent.score, intent.source, by, intent.why),
            *_stale_draft(state, at, by),
        )
    if intent.round != len(state.rounds) or found.sealed:
        return Refusal(
            _("Round {round} is closed: board {board} stays {score}.").format(
                round=intent.round, board=intent.board, score=recorded.score
            )
        )
    # Nothing official is overwritten: the arbiter hears of it, once for each version.
    call = f"d{intent.round}.{intent.board}.{intent.score}"
    if call in state.calls or call in state.calls_closed:
        return ()
    why = _("The table now says {new}; recorded is {old}.").format(new=intent.score, old=recorded.score)
    return (CallOpened(at, call, intent.round, intent.board, "dispute", "", why),)


def _rule(state: TournamentState, intent: Rule, at: int, by: str) -> Events | Refusal:
    problem = _board_problem(state, intent.round, intent.board)
    if problem:
        return Refusal(problem)
    found = state.rounds[intent.round - 1]
    recorded = found.results.get(intent.board)
    same = recorded is not None and (recorded.score, recorded.source == "forfeit") == (intent.score, intent.forfeit)
    if recorded is not None and not same and not intent.why.strip():
        return Refusal(
            _("Board {board} has the result {score}. Say why it is corrected.").format(
                board=intent.board, score=recorded.score
            )
        )
    if intent.forfeit and intent.score == "1/2-1/2":
        return Refusal(_("A forfeited game cannot be a draw."))
    # One ruling closes the call it answers and every dispute about the board (S-19, S-20).
    answered = {call.id for call in state.open_disputes(intent.round, intent.board)}
    if intent.call in state.calls:
        answered.add(intent.call)
    closed = tuple(CallClosed(at, call, intent.score, by) for call in sorted(answered))
    if same:
        return closed
    source: Source = "forfeit" if intent.forfeit else "ruling"
    ruled = Resulted(at, intent.round, intent.board, intent.score, source, by, intent.why)
    return (ruled, *closed, *_stale_draft(state, at, by))


def _open_call(state: TournamentState, intent: OpenCall, at: int, by: str) -> Events | Refusal:
    if intent.id in state.calls or intent.id in state.calls_closed:
        return ()
    return (CallOpened(at, intent.id, intent.round, intent.board, intent.kind, intent.side, intent.why),)


def _close_call(state: TournamentState, intent: CloseCall, at: int, by: str) -> Events | Refusal:
    if intent.id in state.calls_closed and intent.id not in state.calls:
        return ()
    if intent.id not in state.calls:
        return Refusal(_("There is no open call {id}.").format(id=intent.id))
    return (CallClosed(at, intent.id, intent.ruling, by),)


def _withdraw(state: TournamentState, intent: Withdraw, at: int, by: str) -> Events | Refusal:
    if intent.tpn not in state.entries:
        return Refusal(_("There is no player {tpn}.").format(tpn=intent.tpn))
    if state.finished:
        return Refusal(_("The tournament is over."))
    if intent.tpn in state.withdrawn:
        return ()
    return (*_stale_draft(state, at, by), Withdrawn(at, intent.tpn, by, intent.why))


def _grant_bye(state: TournamentState, intent: GrantBye, at: int, by: str) -> Events | Refusal:
    rounds = state.regulations.rounds if state.regulations is not None else 0
    if intent.tpn not in state.entries:
        return Refusal(_("There is no player {tpn}.").format(tpn=intent.tpn))
    if state.is_round_robin:
        return Refusal(_("There are no byes in a round robin: every game is in the table."))
    if intent.kind == "U":
        return Refusal(_("The pairing-allocated bye is given by the pairing, not on request."))
    if not len(state.rounds) < intent.round <= rounds:
        return Refusal(
            _("A bye can be given for rounds {first} to {last} only.").format(first=len(state.rounds) + 1, last=rounds)
        )
    if state.withdrawn.get(intent.tpn, intent.round + 1) <= intent.round:
        return Refusal(_("Player {tpn} has withdrawn.").format(tpn=intent.tpn))
    if state.byes.get(intent.round, {}).get(intent.tpn) == intent.kind:
        return ()
    drop = _stale_draft(state, at, by) if state.draft is not None and state.draft.number == intent.round else ()
    return (*drop, ByeGranted(at, intent.tpn, intent.round, intent.kind, by))


def _seal(state: TournamentState, intent: Seal, at: int, by: str) -> Events | Refusal:
    found = state.round(intent.round)
    if found is None:
        return Refusal(_("Round {round} is not public.").format(round=intent.round))
    if found.open_boards:
        return Refusal(_open_boards_sentence(found.number, found.open_boards))
    return () if found.sealed else (RoundSealed(at, found.number),)


def _finish(state: TournamentState, intent: Finish, at: int, by: str) -> Events | Refusal:
    if state.finished:
        return ()
    if state.regulations is None:
        return Refusal(_("There is no tournament to finish."))
    unfinished = _unfinished(state)
    if unfinished:
        return Refusal(unfinished)
    left = state.regulations.rounds - len(state.rounds)
    if left:
        return Refusal(
            ngettext("{left} round is still to be played.", "{left} rounds are still to be played.", left).format(
                left=left
            )
        )
    return (Finished(at, by),)


def _enrol(state: TournamentState, intent: Enrol, at: int, by: str) -> Events | Refusal:
    device = state.devices.get(intent.table)
    if device is None:
        return (DeviceEnrolled(at, intent.table, 1, intent.instance, intent.why),)
    if device.instance == intent.instance:
        return ()
    if not intent.replace:
        return Refusal(
            _("Table {table} is held by another device. The arbiter must say that this one replaces it.").format(
                table=intent.table
            )
        )
    return (DeviceEnrolled(at, intent.table, device.epoch + 1, intent.instance, intent.why),)


def _open_hub(state: TournamentState, intent: OpenHub, at: int, by: str) -> Events | Refusal:
    return (HubOpened(at, state.incarnation + 1, intent.boot),)


def _order(state: TournamentState, intent: Order, at: int, by: str) -> Events | Refusal:
    if intent.id in state.orders or intent.id in state.orders_done:
        return ()
    return (Ordered(at, intent.id, intent.table, intent.game, intent.kind, intent.data, by),)


def _confirm_order(state: TournamentState, intent: ConfirmOrder, at: int, by: str) -> Events | Refusal:
    # An order that is not open was confirmed before, perhaps rounds ago: a table may well say so twice.
    return (OrderConfirmed(at, intent.id, intent.ok, intent.why),) if intent.id in state.orders else ()


_DECISIONS: Mapping[type[Any], Callable[[TournamentState, Any, int, str], Events | Refusal]] = {
    Enter: _enter,
    Pair: _pair,
    DropDraft: _drop_draft,
    Publish: _publish,
    Start: _start,
    RecordResult: _record_result,
    Rule: _rule,
    OpenCall: _open_call,
    CloseCall: _close_call,
    Withdraw: _withdraw,
    GrantBye: _grant_bye,
    Seal: _seal,
    Finish: _finish,
    Enrol: _enrol,
    OpenHub: _open_hub,
    Order: _order,
    ConfirmOrder: _confirm_order,
}


def decide(state: TournamentState, intent: Intent, at: int, by: str) -> Events | Refusal:
    """The events that an intent causes now, at wall time `at` (ms), by a person or table; or a refusal in words.

    An empty tuple means that nothing is to be done because it has been done before.
    """
    return _DECISIONS[type(intent)](state, intent, at, by)
