"""What a table's committed event means for the tournament: intents for `rules.tournament.decisions`. Pure.

Each event is looked at once, when it is stored for the first time; what it caused stands in the hub's own log, so a
later fold never asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from kiosk.hub.duties import owns, place_of, playing_at
from rules.laws.ending import check_claim
from rules.laws.events import (
    Assigned,
    Board,
    Call,
    Claim,
    Confirmed,
    Disputed,
    Ended,
    GameEvent,
    OrderDone,
    Paused,
    Resumed,
    Score,
)
from rules.laws.game_claims import flag_evidence, illegal_evidence
from rules.laws.game_state import GameState
from rules.laws.sides import other, side_words
from rules.tournament.book_intents import CorrectResult
from rules.tournament.events import Pair, Source
from rules.tournament.intents import CloseCall, ConfirmOrder, Intent, OpenCall, RecordResult
from rules.tournament.state import TournamentState

#: Kinds of calls that are settled when the board has a result; a plain "call" is not.
SETTLED_BY_RESULT = frozenset(
    {
        "claim", "dispute", "unexplained", "resume", "order", "refused", "illegal-move", "announced", "default",
        "undetermined", "times",
    }
)  # fmt: skip
#: A score as the other colours see it.
TURNED: Mapping[Score, Score] = {"1-0": "0-1", "0-1": "1-0"}
#: Kinds of calls that an order to all games does not answer.
NEEDS_RULING = frozenset({"claim", "illegal-move", "times"})
#: Clocks of a device that was replaced are asked for again when they are older than this (ms).
STALE_CLOCKS_MS = 5_000
#: Whether the winner can mate is the arbiter's matter still when both players have confirmed (6.9).
_SETTLED_BY_PLAYERS = SETTLED_BY_RESULT - {"undetermined"}

#: Orders whose failure leaves a game without what the arbiter wanted.
_MATTERS = frozenset({"start", "pause", "resume", "times", "continue", "correct", "penalty", "adjourn"})
#: Orders that may end a game at its table: the hub hears the result from there.
_MAY_END = frozenset({"correct", "penalty"})
#: Claims whose evidence only the table has: it is in the call that comes with them.
_TOLD_BY_CALL = frozenset({"touch-move", "increment", "normal-means"})
#: A table that claims, disputes or pauses by itself says `call` at most so many events later: that is the same call.
_SAME_BREATH = 2


@dataclass(frozen=True, slots=True)
class Seen:
    """One event (table, epoch, seq) with what was known around it."""

    state: TournamentState
    table: str
    epoch: int
    seq: int
    before: GameState
    after: GameState

    @property
    def id(self) -> str:
        """The name of the call that this event may open."""
        return f"{self.table}-{self.epoch}-{self.seq}"

    @property
    def place(self) -> tuple[int, int]:
        """(round, board) of the game at the table; (0, 0) when it plays none."""
        found = place_of(self.after.game)
        if found is not None and owns(self.state, self.table, self.after.game):
            return found
        latest = playing_at(self.state, self.table)
        return (latest[0].number, latest[1]) if latest else (0, 0)

    def call(self, kind: str, side: str | None, why: str) -> OpenCall:
        """A call of the arbiter to this table."""
        round_number, board = self.place
        return OpenCall(self.id, round_number, board, kind, side or "", why)

    def close(self, ruling: str, kinds: frozenset[str] | None = None) -> tuple[CloseCall, ...]:
        """All open calls from this board (of these kinds) are dealt with."""
        return tuple(
            CloseCall(call.id, ruling)
            for call in self.state.calls.values()
            if (call.round, call.board) == self.place and (kinds is None or call.kind in kinds)
        )

    def said_before(self) -> bool:
        """Did one of the events just before open a call that says more?"""
        names = (f"{self.table}-{self.epoch}-{self.seq - back}" for back in range(1, _SAME_BREATH + 1))
        return any(name in self.state.calls and self.state.calls[name].kind != "call" for name in names)


def _assigned(seen: Seen, event: Assigned) -> tuple[Intent, ...]:
    open_calls = [c for c in seen.state.calls.values() if c.kind == "refused" and c.id.startswith(f"{seen.table}-")]
    if event.assignment is not None or not event.why:
        return tuple(CloseCall(call.id, _("the table took the assignment")) for call in open_calls)
    offered = playing_at(seen.state, seen.table)
    if open_calls or offered is None:
        return ()  # each time it is offered the table says no again; the arbiter knows
    return (OpenCall(seen.id, offered[0].number, offered[1], "refused", "", event.why),)


def _confirmed(seen: Seen, event: Confirmed) -> tuple[Intent, ...]:
    after = seen.after
    if after.phase != "confirmed" or seen.before.phase == "confirmed" or after.ruled or after.assignment is None:
        return ()
    if not owns(seen.state, seen.table, after.game):
        why = _("The table confirmed {score} in game {game}, which is not on the sheet for it.")
        return (seen.call("dispute", None, why.format(score=event.score, game=after.game)),)
    ruling = _("both players confirmed {score}").format(score=event.score)
    return (*_result(seen, event.score), *seen.close(ruling, _SETTLED_BY_PLAYERS))


def _result(seen: Seen, score: Score, source: Source = "confirmed", why: str = "") -> tuple[Intent, ...]:
    """The result of the game at the table. Players who sat at the wrong colours and played on (7.3) change theirs."""
    round_number, board = seen.place
    game, sheet = seen.after.assignment, seen.state.round(round_number)
    pair = (game.white.tpn, game.black.tpn) if game is not None else None
    on_sheet = sheet.pair(board) if sheet is not None else None
    names_due = any((o.game, o.kind) == (seen.after.game, "players") for o in seen.state.orders.values())
    if names_due:
        pair = None  # the table has not heard yet who its players are
    if names_due or not sits_turned(on_sheet, seen.after):
        return (RecordResult(round_number, board, score, source, why, pair),)
    return (
        RecordResult(round_number, board, TURNED.get(score, score), source, why),
        CorrectResult(round_number, board, score, swapped=True, why=turned_words()),
    )


def sits_turned(on_sheet: Pair | None, game: GameState) -> bool:
    """Whether the players of `game` sit at each other's colours, as an arbiter has let them (7.3)."""
    played = game.assignment
    return (
        played is not None
        and on_sheet is not None
        and (played.white.tpn, played.black.tpn) == (on_sheet.black, on_sheet.white)
    )


def turned_words() -> str:
    """Why colours in the list are changed after the game."""
    return _("the players sat at each other's colours")


def _claim(seen: Seen, event: Claim) -> tuple[Intent, ...]:
    if event.what == "illegal-move":
        return (seen.call("claim", event.side, illegal_evidence(seen.before, event.side)),)
    if event.what == "flag":
        fallen = seen.before.clock.advance(event.t).first_flag if seen.before.clock else None
        if fallen == other(event.side) and "opponent" in seen.before.edition.flag_called_by:
            return ()  # the clock is the proof: the game is over by the claim
        why = _("flag fall: {evidence}").format(evidence=flag_evidence(seen.before, event.t))
        return (seen.call("claim", event.side, why),)
    if event.what not in ("repetition", "fifty-moves"):
        return ()  # `_TOLD_BY_CALL`
    try:
        evidence = check_claim(seen.before.position, seen.before.keys, event.what, event.move).evidence
    except ValueError:
        evidence = _("the announced move {move} is not legal").format(move=event.move)
    what = _("repetition") if event.what == "repetition" else _("fifty moves")
    return (seen.call("claim", event.side, _("{claim}: {evidence}").format(claim=what, evidence=evidence)),)


def _call(seen: Seen, event: Call) -> tuple[Intent, ...]:
    if seen.said_before():
        return ()
    claim = seen.after.claim
    claimed = claim is not None and (claim.t, claim.side) == (event.t, event.side) and claim.what in _TOLD_BY_CALL
    return (seen.call(event.about or ("claim" if claimed else "call"), event.side, event.why),)


def _ended(seen: Seen, event: Ended) -> tuple[Intent, ...]:
    """An order that cost the game, or the answer to an open question; any other end waits for both players."""
    order = seen.state.orders.get(event.evidence.get("order", ""))
    if order is not None and order.table == seen.table and order.kind in _MAY_END and seen.after.ruled:
        if not owns(seen.state, seen.table, seen.after.game):
            return ()
        why = _punished(event)
        return (*_result(seen, event.score, "ruling", why), *seen.close(why, SETTLED_BY_RESULT))
    if "undetermined" in seen.before.evidence and "undetermined" not in event.evidence:
        return seen.close(_("it is known now: {score}").format(score=event.score), frozenset({"undetermined"}))
    return ()


def _punished(event: Ended) -> str:
    facts = event.evidence
    text = _("lost by illegal move {count} of {side} ({article})")
    if event.by != "illegal-move":
        text = _("lost by a penalty against {side}: {offence} ({article})")
    text = text.format(
        count=facts.get("count", "?"),
        side=side_words("white" if facts.get("offender") == "white" else "black"),
        offence=facts.get("offence", "?"),
        article=facts.get("article", "12.9"),
    )
    return f"{text}: {facts['why']}" if facts.get("why") else text


def _disputed(seen: Seen, event: Disputed) -> tuple[Intent, ...]:
    proposed = seen.before.proposed or seen.before.score or _("no result")
    why = _("{proposed} is disputed").format(proposed=proposed)
    if event.says:
        why = _("{proposed} is disputed, the other says {says}").format(proposed=proposed, says=event.says)
    return (seen.call("dispute", event.side, why),)


def _board(seen: Seen, event: Board) -> tuple[Intent, ...]:
    if event.state == "unexplained":
        return (seen.call("unexplained", None, event.why or _("the position on the board cannot be explained")),)
    if event.state == "lost":
        return (seen.call("unexplained", None, event.why or _("the board cannot be read any more")),)
    return seen.close(_("the board is in order again"), frozenset({"unexplained"}))


def _paused(seen: Seen, event: Paused) -> tuple[Intent, ...]:
    # Every other pause that is not by order comes with a claim, a dispute or a call.
    if not event.restore:
        return ()
    kind = "times" if event.age_ms > STALE_CLOCKS_MS else "resume"
    return (seen.call(kind, None, event.why or _("the table was restarted; the game is paused")),)


def _resumed(seen: Seen, event: Resumed) -> tuple[Intent, ...]:
    return seen.close(_("play goes on"))


def _order_done(seen: Seen, event: OrderDone) -> tuple[Intent, ...]:
    order = seen.state.orders.get(event.order)
    if order is None or order.table != seen.table:
        return ()
    done = ConfirmOrder(event.order, event.ok, event.why)
    started = order.kind == "start" and seen.after.started_at is not None
    if event.ok or started or order.kind not in _MATTERS:
        return (done,)
    why = _("order {kind!r} was not carried out: {why}").format(kind=order.kind, why=event.why)
    return (done, seen.call("order", None, why))


_EFFECTS: Mapping[type[GameEvent], Callable[[Seen, Any], tuple[Intent, ...]]] = {
    Assigned: _assigned,
    Confirmed: _confirmed,
    Claim: _claim,
    Call: _call,
    Disputed: _disputed,
    Ended: _ended,
    Board: _board,
    Paused: _paused,
    Resumed: _resumed,
    OrderDone: _order_done,
}


def effects(seen: Seen, event: GameEvent) -> tuple[Intent, ...]:
    """The intents that follow from one event of a table, in order; most events have none."""
    effect = _EFFECTS.get(type(event))
    return effect(seen, event) if effect else ()
