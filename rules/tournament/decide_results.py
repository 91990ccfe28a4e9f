"""Decisions about results: those of the tables, the arbiter's, corrections, adjourned games, leaving FIDE handling."""

from __future__ import annotations

from gettext import gettext as _

from rules.tournament.asking import Ask, Events, no_reason
from rules.tournament.book import Round
from rules.tournament.book_events import Adjourned, FideExited, ReportCorrected
from rules.tournament.book_intents import Adjourn, CorrectResult, ExitFide
from rules.tournament.corrections import events_of, reach, result_text, sentence, wanted_text
from rules.tournament.events import CallClosed, CallOpened, Resulted, Source
from rules.tournament.intents import RecordResult, Refusal, Rule
from rules.tournament.levels import Warned
from rules.tournament.results import code_of


def _board_problem(ask: Ask, number: int, board: int) -> str:
    found = ask.state.round(number)
    if found is None:
        return _("Round {round} is not public.").format(round=number)
    if found.pair(board) is None:
        return _("Round {round} has no board {board}.").format(round=number, board=board)
    return _("The tournament is over; its results are final.") if ask.state.finished else ""


def _numbers(found: Round, board: int) -> str:
    """A pair in a note: White's number first."""
    pair = found.pair(board)
    return f"{pair.white}-{pair.black}" if pair is not None else ""


# -- from a table -----------------------------------------------------------------------------------------------------


def record_result(ask: Ask, intent: RecordResult) -> Events | Refusal:
    state = ask.state
    found = state.round(intent.round)
    recorded = found.results.get(intent.board) if found is not None else None
    if recorded is not None and _is_recorded(recorded, intent):
        return ()
    problem = _board_problem(ask, intent.round, intent.board)
    if problem or found is None:
        return Refusal(problem)
    pair = found.pair(intent.board)
    # The table knows the numbers that were on the sheet when it got its board.
    if pair is not None and intent.pair not in (None, (pair.white, pair.black), found.on_sheet(intent.board)):
        return Refusal(
            _("Board {board} of round {round} is {white}-{black}, and the table speaks of another pair.").format(
                board=intent.board, round=intent.round, white=pair.white, black=pair.black
            )
        )
    if recorded is None:
        result = Resulted(ask.at, intent.round, intent.board, intent.score, intent.source, ask.by, intent.why)
        return (result, *_resumed(ask, found, intent.board, result), *ask.stale_draft())
    if intent.round != len(state.rounds) or found.sealed:
        return Refusal(
            _("Round {round} is closed: board {board} stays {score}.").format(
                round=intent.round, board=intent.board, score=result_text(found, intent.board)
            )
        )
    # Nothing official is overwritten: the arbiter hears of it, once for each version.
    call = f"d{intent.round}.{intent.board}.{intent.score}"
    if call in state.calls or call in state.calls_closed:
        return ()
    words = _("The table now says {new}; recorded is {old}.")
    why = words.format(new=intent.score, old=result_text(found, intent.board))
    return (CallOpened(ask.at, call, intent.round, intent.board, "dispute", "", why),)


def _is_recorded(recorded: Resulted, intent: RecordResult) -> bool:
    """Is that the official result? Who won by forfeit has not played: a game that was played is another result."""
    return recorded.score == intent.score and (recorded.source == "forfeit") == (intent.source == "forfeit")


def _resumed(ask: Ask, found: Round, board: int, result: Resulted) -> Events:
    """The note about an adjourned game that did not end as it was paired (C.04.2 3.1)."""
    if board not in found.adjourned or found.number == len(ask.state.rounds) or result.score == "1/2-1/2":
        return ()
    code = code_of(result.score, result.source == "forfeit", result.rated)
    numbers = _numbers(found, board)
    after = f"{numbers}: {code.code if code is not None else result.score}"
    return (ask.note("Adjournment", found.number, f"{numbers}: ?", after, result.why),)


# -- from the arbiter -------------------------------------------------------------------------------------------------


def rule(ask: Ask, intent: Rule) -> Events | Refusal:
    """The result of a board, or another one for it; an error in an earlier round is a correction."""
    state = ask.state
    problem = _board_problem(ask, intent.round, intent.board)
    if problem:
        return Refusal(problem)
    found = state.rounds[intent.round - 1]
    code = code_of(intent.score, intent.forfeit, intent.rated)
    if code is None:
        return _no_such_result(intent.score, intent.forfeit)
    now = result_text(found, intent.board)
    stale = _stale(ask, found, intent.board, intent.saw)
    if stale is not None:
        return stale
    closed = _answered(ask, intent)
    if now == code.code:
        return closed
    if now and not intent.why.strip():
        return Refusal(
            _("Board {board} has the result {score}. Say why it is corrected.").format(
                board=intent.board, score=found.results[intent.board].score
            )
        )
    if now and intent.round < len(state.rounds):
        wanted = CorrectResult(
            intent.round, intent.board, intent.score, intent.forfeit, intent.rated, False, intent.why, intent.saw
        )
        corrected = correct_result(ask, wanted)
        return corrected if isinstance(corrected, Refusal) else (*corrected, *closed)
    source: Source = "forfeit" if intent.forfeit else "ruling"
    ruled = Resulted(ask.at, intent.round, intent.board, intent.score, source, ask.by, intent.why, intent.rated)
    stopped = _adjourned_result(ask, found, intent.board, code.code)
    return stopped or (ruled, *_resumed(ask, found, intent.board, ruled), *closed, *ask.stale_draft())


def _no_such_result(score: str, forfeit: bool) -> Refusal:
    if forfeit and "1/2" in score:
        return Refusal(_("A forfeited game cannot be a draw."))
    return Refusal(_("There is no such result as {score}.").format(score=score))


def _stale(ask: Ask, found: Round, board: int, saw: str | None) -> Refusal | None:
    """The refusal when another desk, or the table, has set a result since (S-27, S-20)."""
    now = result_text(found, board)
    if saw is None or saw == now:
        return None
    recorded = found.results.get(board)
    what = _("The result of board {board} in round {round}").format(board=board, round=found.number)
    return ask.changed(what, saw, now, recorded.by if recorded is not None else "")


def _answered(ask: Ask, intent: Rule) -> Events:
    """One ruling closes the call it answers and every dispute about the board (S-19, S-20)."""
    answered = {call.id for call in ask.state.open_disputes(intent.round, intent.board)}
    if intent.call in ask.state.calls:
        answered.add(intent.call)
    return tuple(CallClosed(ask.at, call, intent.score, ask.by) for call in sorted(answered))


def _adjourned_result(ask: Ask, found: Round, board: int, code: str) -> Refusal | None:
    """An adjourned game was paired as a draw; another result is worth a look (C.04.2 3.1)."""
    if board not in found.adjourned or found.number == len(ask.state.rounds) or code == "1/2-1/2":
        return None
    words = _("Round {next} was paired with a draw at board {board} of round {round}; the result is now {code}.")
    words = words.format(next=found.number + 1, board=board, round=found.number, code=code)
    return ask.stops([Warned("adjourned-result", words)])


#: Case of a correction → its warning; the plain case needs none.
_REACH_WARNINGS = {"kept": "correction-kept", "report": "correction-report", "all": "correction-late"}


def correct_result(ask: Ask, intent: CorrectResult) -> Events | Refusal:
    """A recorded result put right, as far as it still reaches (S-07, C.04.2 4.3); the case is told before."""
    state = ask.state
    problem = "" if state.finished else _board_problem(ask, intent.round, intent.board)
    found = state.round(intent.round)
    if problem or found is None or found.pair(intent.board) is None:
        return Refusal(problem or _("Round {round} has no board {board}.").format(
            round=intent.round, board=intent.board))  # fmt: skip
    if not wanted_text(intent):
        return _no_such_result(intent.score, intent.forfeit)
    now = result_text(found, intent.board)
    if not now:
        return Refusal(_("Board {board} of round {round} has no result to correct: set it.").format(
            board=intent.board, round=intent.round))  # fmt: skip
    refused = _stale(ask, found, intent.board, intent.saw)
    if refused is not None:
        return refused
    reported = found.report.get(intent.board)
    if wanted_text(intent) == now and reported is None:
        return ()
    refused = no_reason(intent.why) or _confirm(ask, intent, now)
    return refused or _corrected(ask, intent, found, now)


def _confirm(ask: Ask, intent: CorrectResult, now: str) -> Refusal | None:
    case = reach(ask.state, intent.round)
    if case == "free":
        return None
    words = _("Round {round}, board {board}: {old} becomes {new}. {what}").format(
        round=intent.round,
        board=intent.board,
        old=now,
        new=wanted_text(intent),
        what=sentence(case, intent.round, len(ask.state.rounds), ask.state.next_round_to_pair),
    )
    return ask.stops([Warned(_REACH_WARNINGS[case], words)])


def _corrected(ask: Ask, intent: CorrectResult, found: Round, now: str) -> Events:
    case = reach(ask.state, intent.round)
    numbers = _numbers(found, intent.board)
    code = code_of(intent.score, intent.forfeit, intent.rated)
    after = f"{'-'.join(reversed(numbers.split('-'))) if intent.swapped else numbers}: {code.code if code else ''}"
    before = f"{numbers}: {now}"
    if case == "report":
        report = ReportCorrected(
            ask.at, intent.round, intent.board, intent.score, intent.forfeit, intent.rated, intent.swapped, ask.by,
            intent.why,
        )  # fmt: skip
        return (report, ask.note("Report", intent.round, before, after, intent.why))
    events = (*events_of(intent, ask.at, ask.by), *ask.stale_draft())
    return events if case == "free" else (*events, ask.note("Correction", intent.round, before, after, intent.why))


def adjourn(ask: Ask, intent: Adjourn) -> Events | Refusal:
    problem = _board_problem(ask, intent.round, intent.board)
    if problem:
        return Refusal(problem)
    found = ask.state.rounds[intent.round - 1]
    if intent.board in found.results:
        return Refusal(
            _("Board {board} has the result {score}: it cannot be adjourned.").format(
                board=intent.board, score=found.results[intent.board].score
            )
        )
    before = found.adjourned.get(intent.board)
    if before is not None and dict(before.sealed) == dict(intent.sealed):
        return ()
    return (Adjourned(ask.at, intent.round, intent.board, ask.by, intent.why, dict(intent.sealed)),)


# -- FIDE handling ----------------------------------------------------------------------------------------------------


def exit_fide(ask: Ask, intent: ExitFide) -> Events | Refusal:
    """Two steps out, none back: whatever is undone, restored or entered again, the event stays outside."""
    if not ask.state.fide_mode:
        return ()
    refused = no_reason(intent.why)
    if refused is not None:
        return refused
    number = len(ask.state.rounds)
    words = _(
        "The event leaves FIDE handling with round {round}. There is no way back; every screen and the report say so, "
        "and it may not be rated."
    ).format(round=number)
    return ask.stops([Warned("fide-exit", words)]) or (FideExited(ask.at, number, ask.by, intent.why),)
