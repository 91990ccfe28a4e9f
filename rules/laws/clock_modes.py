"""The clock modes as a table: what each mode does at the start, in a turn and at a press.

One row per mode; `rules.laws.clock` is the only reader. Sources: Laws of Chess 6.3.2 and the FIDE glossary
(increment, delay), the FIDE standard for electronic clocks, and for `conditional_delay` the house decisions
written down with `TimeControl.threshold_ms`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rules.laws.periods import ModeName, Period, TimeControl


@dataclass(frozen=True, slots=True)
class ModeRow:
    """What distinguishes one mode.

    head_start: extra ms on the clock before the first move.
    credit: the new remaining ms after an accepted press, from (remaining ms, value at turn start in ms,
        the period after the press, completed moves after the press).
    headroom: ms of the displayed value that belong to the coming turn only (Bronstein), by period.
    waits: which delay runs before the main time does: none, the period's, or the conditional one.
    opponent_gains: what one side uses the other receives (hourglass).
    overtime: byo-yomi periods follow when the main time is used up.
    """

    head_start: Callable[[TimeControl, Period], int]
    credit: Callable[[int, int, Period, int], int]
    headroom: Callable[[TimeControl, Period], int]
    waits: str | None = None
    opponent_gains: bool = False
    overtime: bool = False


def _nothing(_tc: TimeControl, _period: Period) -> int:
    return 0


def _kept(remaining_ms: int, _turn_value_ms: int, _period: Period, _moves: int) -> int:
    return remaining_ms


def _first_increment(tc: TimeControl, period: Period) -> int:
    # An increment from move 61 is no increment for move 1.
    return period.inc_ms if tc.inc_first == "before" and period.inc_from_move <= 1 else 0


def _increment(remaining_ms: int, _turn_value_ms: int, period: Period, moves: int) -> int:
    # The press that completes move n-1 credits the increment for move n.
    return remaining_ms + (period.inc_ms if moves >= period.inc_from_move - 1 else 0)


def _bronstein_head(tc: TimeControl, period: Period) -> int:
    return period.delay_ms if tc.initial_delay else 0


def _bronstein_credit(remaining_ms: int, turn_value_ms: int, period: Period, _moves: int) -> int:
    return min(turn_value_ms, remaining_ms + period.delay_ms)


MODES: dict[ModeName, ModeRow] = {
    "sudden_death": ModeRow(_nothing, _kept, _nothing),
    "fischer": ModeRow(_first_increment, _increment, _nothing),
    "bronstein": ModeRow(_bronstein_head, _bronstein_credit, _bronstein_head),
    "simple_delay": ModeRow(_nothing, _kept, _nothing, waits="period"),
    "hourglass": ModeRow(_nothing, _kept, _nothing, opponent_gains=True),
    "conditional_delay": ModeRow(_nothing, _kept, _nothing, waits="conditional"),
    "byoyomi": ModeRow(_nothing, _kept, _nothing, overtime=True),
}
