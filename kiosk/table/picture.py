"""From the table's state to what faces see."""

from __future__ import annotations

from dataclasses import dataclass

from hallnet.clock import boot_ms
from hallnet.views import ClockView, LinkView, MoveView, QuestionView, TableView
from kiosk.table.timeline import Timeline
from rules.laws.events import Side
from rules.laws.game import GameState, Refusal, ResumePlay, decide
from rules.laws.game_positions import move_number
from rules.laws.sides import SIDES

DRAW_CLAIMS = ("repetition", "fifty-moves")
#: What the board has to ask comes before a draw offer, which stands as long as nobody answers it; which move an earlier
#: one was can wait for the rest of the game, and would hide an offer from the other player.
_LATER = {"draw": 1, "move": 2}
OTHER_CLAIMS = ("flag", "illegal-move", "touch-move")
FINISH_CLAIMS = ("increment", "normal-means")


@dataclass(frozen=True, slots=True)
class Picture:
    """What the core knows and faces may see: the game, the board as it stands, the candidate move, a problem."""

    state: GameState
    placement: str = ""
    candidate: str = ""
    problem: str = ""


def clock_view(state: GameState) -> ClockView | None:
    """Both clocks as of the last thing that happened to them."""
    if state.clock is None:
        return None
    reading = state.clock.reading(state.clock.since_ms)
    return ClockView(
        white_ms=reading.white_ms,
        black_ms=reading.black_ms,
        t=state.clock.since_ms,
        running=reading.running,
        flagged=state.clock.first_flag,
        paused=state.clock.paused,
        delay_ms=reading.delay_left_ms or 0,
    )


def moves_view(state: GameState) -> tuple[MoveView, ...]:
    """The moves of the record, each with the mover's clock after it."""
    first_black = _black_began(state)
    return tuple(
        MoveView(san=ply.san, uci=ply.uci, clock_ms=ply.black_ms if (n % 2 == 1) != first_black else ply.white_ms)
        for n, ply in enumerate(state.plies)
    )


def _black_began(state: GameState) -> bool:
    fen = state.assignment.start_fen if state.assignment else ""
    return bool(fen) and fen.split()[1] == "b"


def may_resume(state: GameState) -> Side | None:
    """The side that has stopped the clocks and may take that back."""
    return next((side for side in SIDES if not isinstance(decide(state, ResumePlay(side), state.t), Refusal)), None)


def _claims(state: GameState) -> tuple[str, ...]:
    """What the edition lets players claim at all; whether they may now is decided when they do (12.6)."""
    draws = DRAW_CLAIMS if state.edition.draw_claims else ()
    return draws + OTHER_CLAIMS + (FINISH_CLAIMS if state.edition.finish else ())


def table_view(
    picture: Picture,
    *,
    table: str,
    revision: int,
    timeline: Timeline,
    link: LinkView,
    board_kind: str,
    clock_kind: str,
    simulated: bool,
    taken: tuple[Side, ...],
) -> TableView:
    """The whole view of a table."""
    state = picture.state
    question = min(state.questions, key=lambda asked: _LATER.get(asked.about, 0), default=None)
    return TableView(
        table=table,
        revision=revision,
        t=timeline(),
        boot_ms=boot_ms(),
        speed=timeline.speed,
        link=link,
        phase=state.phase,
        assignment=state.assignment,
        fen=state.fen,
        placement=picture.placement,
        candidate=picture.candidate,
        turn=state.turn,
        moves=moves_view(state),
        clock=clock_view(state),
        seated=tuple(sorted(state.seated)),
        ready=tuple(sorted(state.ready)),
        offer=state.offer,
        question=None
        if question is None
        else QuestionView(
            id=question.id,
            side=question.side,
            about=question.about,
            options=question.options,
            move=move_number(state, question.ply) if question.ply >= 0 else 0,
        ),
        proposed=state.proposed or "",
        ended_by=state.ended_by or "",
        evidence=state.evidence,
        confirmed=tuple(sorted({c.side for c in state.confirmations})),
        call=state.calls[-1].why or "call" if state.calls else "",
        board_problem=picture.problem,
        board_kind=board_kind,
        clock_kind=clock_kind,
        simulated=simulated,
        taken=taken,
        claims=_claims(state),
        may_resume=may_resume(state),
    )
