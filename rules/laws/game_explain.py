"""Every state explains itself: what each side and the arbiter may do now, and what the record holds for the arbiter.

`permitted` asks the decisions themselves, so it cannot say anything else than they do. `facts` is for arbiters alone:
players are told neither that a claim is there to be made nor that a clock was not pressed (12.6, 12.7).
"""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext as _
from typing import Literal, get_args

from rules.laws import ending
from rules.laws.edition import Remedy, SetupError, setup_remedy
from rules.laws.events import OrderDone, Side
from rules.laws.game_answers import Refusal
from rules.laws.game_claims import evidence_of
from rules.laws.game_decisions import decide
from rules.laws.game_endings import move_name
from rules.laws.game_intents import (
    AnswerQuestion,
    CallArbiter,
    ClaimDraw,
    ClaimFinish,
    ClaimFlag,
    ClaimIllegal,
    ClaimTouch,
    Confirm,
    Dispute,
    Intent,
    MakeReady,
    OfferDraw,
    ProposeResult,
    ResumePlay,
    Sit,
    StartByPress,
)
from rules.laws.game_irregular import position_words
from rules.laws.game_order_data import Data
from rules.laws.game_orders import decide_order
from rules.laws.game_positions import positions
from rules.laws.game_state import GameState, Phase
from rules.laws.game_touch import broken, replacing, touches_of
from rules.laws.illegal import illegal_position
from rules.laws.sides import SIDES, other, side_words

Who = Literal["white", "black", "arbiter"]


def permitted(state: GameState, who: Who) -> tuple[str, ...]:
    """The names of what `who` may do in `state`, as at its last event: intents of a side, orders of the arbiter.

    A move and its press count as possible for the side whose clock runs; which move is legal is another question.
    """
    if who == "arbiter":
        return tuple(kind for kind, data in _orders(state).items() if _carried_out(state, kind, data))
    names = [name for name, intent in _intents(state, who).items() if _accepted(state, intent)]
    if state.phase == "playing":
        names += ["move"] * (state.turn == who) + ["press"] * (state.running == who)
    if state.under_way and state.phase in ("playing", "paused", "disputed"):
        names.append("resign")
    return tuple(names)


def explain(state: GameState) -> tuple[str, ...]:
    """Sentences for the arbiter: how the game stands, what White, Black and he may do, and the `facts`."""
    lines = [phase_words(state)]
    names: tuple[tuple[Who, str], ...] = (("white", _("White")), ("black", _("Black")), ("arbiter", _("The arbiter")))
    for who, name in names:
        may = permitted(state, who)
        if may:
            lines.append(_("{who} may: {what}.").format(who=name, what=", ".join(map(action_words, may))))
        else:
            lines.append(_("{who} may do nothing now.").format(who=name))
    return (*lines, *facts(state))


def _intents(state: GameState, side: Side) -> Mapping[str, Intent]:
    asked = next((question for question in state.questions if question.side == side), None)
    proposed = state.proposed or "1-0"
    return {
        "sit": Sit(side),
        "ready": MakeReady(side),
        "start": StartByPress(side),
        "offer": OfferDraw(side),
        "answer": AnswerQuestion(side, asked.id if asked else "", "no"),
        "claim-draw": ClaimDraw(side, "repetition"),
        "claim-flag": ClaimFlag(side),
        "claim-illegal": ClaimIllegal(side),
        "claim-touch": ClaimTouch(side),
        "claim-finish": ClaimFinish(side, "normal-means"),
        "propose": ProposeResult(side, "1-0"),
        "confirm": Confirm(side, proposed),
        "dispute": Dispute(side),
        "call": CallArbiter(side),
        "resume": ResumePlay(side),
    }


def _accepted(state: GameState, intent: Intent) -> bool:
    return not isinstance(decide(state, intent, state.t), Refusal)


def _orders(state: GameState) -> Mapping[str, Data]:
    white_ms, black_ms = (max(1, ms) for ms in state.clocks(state.t))
    return {
        "start": {},
        "pause": {},
        "resume": {"unsealed": 1},
        "times": {"white_ms": white_ms, "black_ms": black_ms},
        "continue": {},
        "correct": {"ply": len(state.plies), "white_ms": white_ms, "black_ms": black_ms},
        "penalty": {"side": "white", "action": "warning"},
        "adjourn": {},
        "rule": {"score": "1/2-1/2"},
        "clear": {},
        "seal": {},
    }


def _carried_out(state: GameState, kind: str, data: Data) -> bool:
    name = "?"  # an order that this table cannot have seen
    answer = decide_order(state, name, kind, "", data, state.t)
    return any(isinstance(event, OrderDone) and event.ok for event in answer)


# -- what the record holds ----------------------------------------------------------------------------------------


def facts(state: GameState) -> tuple[str, ...]:
    """What the record holds for an arbiter who comes to the board, as sentences; players are not told (12.6)."""
    if state.started_at is None:
        return ()
    lines = [*_irregular(state), *_claimable(state), *_counted(state), *_set_up(state)]
    lines += [_("{name} held first after {move}.").format(name=by, move=after) for by, after in first_held(state)]
    return tuple(lines)


def first_held(state: GameState) -> tuple[tuple[str, str], ...]:
    """For each end that needs nobody's word and play went on after, or goes on now: its name, and after which ply.

    Plays the game again: some tenths of a second for a long one. Plies count from 1.
    """
    found: dict[str, str] = {}
    for plies, board in enumerate(positions(state), start=1):
        if plies == len(state.plies) and state.score is not None:
            break  # that is the end itself
        end = ending.automatic(board, state.keys[: plies + 1])
        if end is not None and end.by not in found:
            found[end.by] = _("half-move {count}, {san}").format(count=plies, san=state.plies[plies - 1].san)
    return tuple(found.items())


def _irregular(state: GameState) -> list[str]:
    lines = []
    open_ply = state.illegal_ply
    if open_ply is not None:
        lines.append(_("{evidence}. It can be claimed.").format(evidence=evidence_of(state, open_ply)))
    for n, ply in enumerate(state.plies):
        if ply.illegal and n != open_ply:
            lines.append(_("{evidence}. It stands.").format(evidence=evidence_of(state, n)))
    found = illegal_position(state.position)
    if found:
        lines.append(
            _("On the board {what}: wait for the next move; still so then, it is a draw (A.5.4).").format(
                what=position_words(found)
            )
            if state.edition.illegal_draw
            else _("On the board {what}: go back to before the first irregularity (7.5.1).").format(
                what=position_words(found)
            )
        )
    lines += _touched(state)
    if state.concluded:
        words = _("A claim has concluded the game in the position {fen}; the opponent has not verified it (III.6).")
        if "verified" in state.told:
            words = _("A claim has concluded the game in the position {fen}, which the opponent has verified (III.6).")
        lines.append(words.format(fen=state.fen))
    if "postponed" in state.told:
        lines.append(_("A claim by Guidelines III was put off: the arbiter decides at a flag (III.5.2)."))
    if state.announced:
        lines.append(_("{move} was announced and has to be played (9.5.3).").format(move=state.announced))
    if state.sealed:
        sealed = side_words("black" if state.sealed.sealed == "black" else "white")
        lines.append(
            _("Adjourned: {side} sealed, envelope {envelope}.").format(
                side=sealed, envelope=state.sealed.envelope or "?"
            )
        )
    return lines


def _touched(state: GameState) -> list[str]:
    """Touches that the last moves do not fit to, or that bind the next one; it is the players' to claim (4.8)."""
    last = len(state.plies) - 1
    lines = [
        _("{side} for {move}: {touches}.").format(
            side=side_words(state.plies[ply].side), move=move_name(state, ply), touches=touches_of(state, ply)
        )
        for ply in range(max(0, last - 1), last + 1)
        if broken(state, ply)
    ]
    return [*lines, *filter(None, [replacing(state)])]


def _claimable(state: GameState) -> list[str]:
    if state.score is not None or not state.edition.draw_claims:
        return []
    kinds: tuple[ending.ClaimKind, ...] = ("repetition", "fifty-moves")
    checks = [ending.check_claim(state.position, state.keys, what) for what in kinds]
    return [_("A draw claim would be {check}.").format(check=check.evidence) for check in checks if check.correct]


def _counted(state: GameState) -> list[str]:
    lines = [
        _("Illegal moves ruled against {side}: {count}; number {loses} loses.").format(
            side=side_words(side), count=state.offences(side), loses=state.edition.illegal_loses
        )
        for side in SIDES
        if state.offences(side)
    ]
    return [*lines, *_flags(state)]


def _flags(state: GameState) -> list[str]:
    """Fallen flags that only a claim brings into the game, in the order in which they fell."""
    if state.score is not None:
        return []
    words = (
        _("The flag of {side} fell first; {rival} may claim it."),
        _("The flag of {side} fell {seconds} s later."),
    )
    first = state.flags[0].t if state.flags else 0
    return [
        words[min(n, 1)].format(
            side=side_words(flag.side), rival=side_words(other(flag.side)), seconds=f"{(flag.t - first) / 1000:g}"
        )
        for n, flag in enumerate(state.flags)
    ]


def _set_up(state: GameState) -> list[str]:
    if state.score is not None:
        return []
    words: Mapping[Remedy, str] = {
        "new-game": _("a new game"),
        "transfer": _("the position is moved to a right board"),
        "correct": _("it is put right"),
        "play-on": _("play goes on"),
    }
    names: Mapping[SetupError, str] = {
        "position": _("start position"),
        "board-turned": _("turned board"),
        "colours": _("reversed colours"),
        "clock": _("clock setting"),
    }
    moves = state.completed_by_both
    remedies = [f"{names[error]}: {words[setup_remedy(state.edition, error, moves)]}" for error in get_args(SetupError)]
    return [_("If the set-up was wrong: {remedies}.").format(remedies="; ".join(remedies))]


# -- words --------------------------------------------------------------------------------------------------------


def phase_words(state: GameState) -> str:
    """How the game stands, as a sentence."""
    words: Mapping[Phase, str] = {
        "idle": _("No game is assigned to this table."),
        "assigned": _("The game is assigned; the players have not both said that they are ready."),
        "ready": _("Both players are ready."),
        "playing": _("{side} is to move, the clock of {running} runs."),
        "paused": _("The clocks were stopped by {by}: {why}."),
        "ended": _("The game is over, {score} by {ended}; the players confirm it."),
        "confirmed": _("The result is final: {score} by {ended}."),
        "disputed": _("The result is disputed."),
    }
    return words[state.phase].format(
        side=side_words(state.turn),
        running=side_words(state.running) if state.running else "-",
        by=_who(state.paused_by),
        why=state.paused_why or "-",
        score=state.score,
        ended=state.ended_by,
    )


def _who(name: str) -> str:
    words = {"white": side_words("white"), "black": side_words("black"), "arbiter": _("arbiter"), "table": _("table")}
    return words.get(name, name or "-")


def action_words(name: str) -> str:
    """One of the names of `permitted` in words."""
    return {
        "sit": _("sign in"),
        "ready": _("say that he is ready"),
        "start": _("start the game"),
        "move": _("make a move"),
        "press": _("press the clock"),
        "offer": _("offer a draw"),
        "answer": _("answer the offer"),
        "claim-draw": _("claim a draw"),
        "claim-flag": _("claim the opponent's flag"),
        "claim-illegal": _("claim an illegal move"),
        "claim-touch": _("claim a breach of touch-move"),
        "claim-finish": _("claim by Guidelines III"),
        "resign": _("resign"),
        "propose": _("propose a result"),
        "confirm": _("confirm the result"),
        "dispute": _("dispute the result"),
        "call": _("call the arbiter"),
        "resume": _("let play go on"),
        "pause": _("stop both clocks"),
        "times": _("set the clocks"),
        "continue": _("reject a claim"),
        "correct": _("go back or put right"),
        "penalty": _("punish an offence"),
        "adjourn": _("adjourn the game"),
        "rule": _("rule on the result"),
        "clear": _("withdraw the game"),
        "seal": _("close the round"),
    }.get(name, name)
