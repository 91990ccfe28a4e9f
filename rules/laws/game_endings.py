"""How decisions make a move and end a game: `made`, `lost`, `over`, each with its evidence.

Evidence is words and numbers for the arbiter: the article, the last move with its number, the position, both clocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from gettext import gettext as _

from rules.laws import ending, winnable
from rules.laws.ending import DRAW, WON_BY
from rules.laws.events import Call, Claim, Ended, EndedBy, Paused, Ply, Result, Score, Side
from rules.laws.game_answers import Events
from rules.laws.game_intents import MakeMove, PressClock
from rules.laws.game_state import GameState, fold
from rules.laws.illegal import legal
from rules.laws.sides import other

#: Positions that a decision may meet to find out who can mate: a tenth of a second or two on a table's computer.
DECIDE_NODES = 5_000


def over(state: GameState, t: int, score: Score, by: EndedBy, evidence: Mapping[str, str]) -> Events:
    """The game ends at `t`, after the last move of `state`; players are asked to confirm."""
    return Ended(t, score, by, with_facts(state, t, evidence)), Result(t, score, None)


def with_facts(state: GameState, t: int, evidence: Mapping[str, str]) -> dict[str, str]:
    """`evidence`, and what is the same for every end: the last move, the position, both clocks at `t` (ms)."""
    white_ms, black_ms = state.clocks(t)
    facts = {"position": state.fen, "white_ms": str(white_ms), "black_ms": str(black_ms), "at_ms": str(t)}
    if state.plies:
        facts["move"] = move_name(state, len(state.plies) - 1)
    return {**facts, **evidence}


def move_name(state: GameState, ply: int) -> str:
    """Ply number `ply` (from 0) of the record as people write it: "12. e4", "12... Nf6"."""
    last = state.position.fullmove_number * 2 + (state.turn == "black")
    half = last - (len(state.plies) - ply)
    return f"{half // 2}{'.' if half % 2 == 0 else '...'} {state.plies[ply].san}"


def claimed(state: GameState, t: int, claim: Claim, why: str, evidence: str) -> Events:
    """A claim that an arbiter decides: the clocks stop, and he is called with what the record says."""
    return claim, Paused(t, claim.side, *state.clocks(t), why=why), Call(t, claim.side, evidence)


@dataclass(frozen=True, slots=True)
class MateTest:
    """Whether a side can still mate: the proof in words that it cannot, the moves by which it can, or neither."""

    proof: str = ""
    line: tuple[str, ...] = ()
    known: bool = True

    def evidence(self) -> dict[str, str]:
        """What it adds to the evidence of an end."""
        if self.proof:
            return {"why": self.proof}
        if not self.known:
            return {"undetermined": undetermined_words()}
        return {"mate": " ".join(self.line)} if self.line else {}


def mate_test(state: GameState, side: Side) -> MateTest:
    """Whether `side` can still mate, by the edition's own test and as far as a decision has time for."""
    if state.edition.flag_test == "material":
        return MateTest(ending.why_no_material(state.position, side))
    try:
        verdict = winnable.winnable(state.position, side, nodes=DECIDE_NODES)
    except ValueError:  # a position that no game can reach: the arbiter's matter
        return MateTest(known=False)
    return MateTest(winnable.proof_in_words(verdict), verdict.line or (), verdict.verdict != "undetermined")


def undetermined_words() -> str:
    """The words for a result that stands until it is known whether the winner can mate at all."""
    return _("provisional: not proven yet whether the winner can still mate; if not, it is a draw")


def lost(state: GameState, loser: Side, by: EndedBy, t: int, evidence: Mapping[str, str]) -> Events:
    """`loser` loses, or it is a draw where his opponent cannot mate (5.1.2, 6.9, 7.5.5).

    Where neither is proven in the time of a decision, the loss is provisional and the arbiter is called.
    """
    test = mate_test(state, other(loser))
    postponed = by == "flag" and "postponed" in state.told and not test.proof
    more = {"postponed": postponed_words()} if postponed else {}
    events = over(state, t, score_after(test, loser), by, {**evidence, **test.evidence(), **more})
    if postponed:
        return (*events, Call(t, None, postponed_words(), about="undetermined"))
    return events if test.known else (*events, Call(t, None, undetermined_words(), about="undetermined"))


def postponed_words() -> str:
    """The words for a result that waits for the arbiter's decision on a claim under Guidelines III."""
    return _("the arbiter put off a claim under Guidelines III: he decides now whether this is a draw (III.5.2)")


def score_after(test: MateTest, loser: Side) -> Score:
    """The score when `loser` loses and this is known about his opponent."""
    return DRAW if test.proof else WON_BY[other(loser)]


def after(state: GameState, uci: str) -> GameState:
    """`state` once `uci` has been made, for looking ahead."""
    return fold(state, Ply(state.t, state.turn, uci, 0, 0))


def automatic(state: GameState) -> ending.Ending | None:
    """The end that the position of `state` is by itself, by its edition."""
    return ending.automatic(state.position, state.keys, state.edition.automatic)


def ends_game(state: GameState, uci: str) -> bool:
    """Whether the legal move `uci` ends the game by itself, so that it needs no press (6.2.1.1)."""
    return automatic(after(state, uci)) is not None


def made(state: GameState, move: MakeMove | PressClock, made_at: int) -> Events:
    """The legal move is made at `made_at`; the game ends with it if it must."""
    white_ms, black_ms = state.clocks(made_at)
    position = after(state, move.uci).plies[-1].position
    ply = Ply(made_at, state.turn, move.uci, white_ms, black_ms, position, touched=move.touched)
    then = fold(state, ply)
    end = automatic(then)
    return (ply, *over(then, made_at, end.score, end.by, end.evidence)) if end else (ply,)


def can_make(state: GameState, uci: str) -> bool:
    """Whether `uci` is a legal move in the position of the record."""
    return legal(state.position, uci)
