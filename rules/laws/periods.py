"""Time controls as values: periods for each side, the mode, and the settings the modes leave open.

How they are written is the business of `rules.laws.time_control` (our own form) and
`rules.laws.time_control_notation` (PGN, TRF, FIDE usage). Sources: Laws of Chess 6.3.2, A.1, B.1.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal, get_args

from rules.laws.sides import SIDES, Side

ModeName = Literal["sudden_death", "fischer", "bronstein", "simple_delay", "hourglass", "conditional_delay", "byoyomi"]
IncFirst = Literal["before", "after"]
OnFlag = Literal["freeze", "run_on"]
PeriodSwitch = Literal["at_zero", "move_counter"]
Scope = Literal["both_when_any", "own"]
TimeClass = Literal["blitz", "rapid", "standard"]

MODE_NAMES: tuple[ModeName, ...] = get_args(ModeName)

#: FIDE reckons a game at 60 moves (Laws A.1, B.1).
RECKONED_MOVES = 60
#: A main time of a day or more is a mistake of unit, not a game of chess.
MAIN_LIMIT_MS = 24 * 3_600_000
BLITZ_UP_TO_MS = 10 * 60_000
STANDARD_FROM_MS = 60 * 60_000


class TimeControlError(ValueError):
    """A time control that cannot be understood or cannot work.

    `what` says what is wrong, `remedy` what to write instead; `column` counts from 1 in the text that was read,
    None if there was no text.
    """

    def __init__(self, what: str, remedy: str, column: int | None = None) -> None:
        self.what, self.remedy, self.column = what, remedy, column
        where = "" if column is None else _(" (column {column})").format(column=column)
        super().__init__(f"{what}{where}. {remedy}")


@dataclass(frozen=True, slots=True)
class Period:
    """One period of one side; all times in ms.

    `moves` completes the period, None in the last one. The increment counts from move `inc_from_move` of the game
    on. `byo_periods` overtimes of `byo_ms` follow the last main time (byo-yomi).
    """

    main_ms: int
    inc_ms: int = 0
    delay_ms: int = 0
    moves: int | None = None
    inc_from_move: int = 1
    byo_ms: int = 0
    byo_periods: int = 0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control. Raises `TimeControlError` if it cannot work on a clock.

    inc_first: `before` credits the increment for the first move before the game (FIDE), `after` does not (servers).
    initial_delay: whether Bronstein's delay is on the clock for the first move.
    on_flag: `freeze` holds both sides at the first flag, `run_on` lets the clock go on.
    period_switch: `at_zero` begins the next period when a side reaches zero, `move_counter` at the press that
        completes the required moves.
    threshold_ms, scope, delay_ms: the conditional delay. A turn that begins with `threshold_ms` or less
        (inclusive) on either clock (`both_when_any`) or on the mover's (`own`) switches it on for good.
    """

    mode: ModeName
    white: tuple[Period, ...]
    black: tuple[Period, ...]
    inc_first: IncFirst = "before"
    initial_delay: bool = True
    on_flag: OnFlag = "freeze"
    period_switch: PeriodSwitch = "at_zero"
    threshold_ms: int = 20_000
    scope: Scope = "both_when_any"
    delay_ms: int = 2_000

    def __post_init__(self) -> None:
        _check(self)

    def periods(self, side: Side) -> tuple[Period, ...]:
        """The periods of `side`."""
        return self.white if side == "white" else self.black

    @property
    def equal(self) -> bool:
        """Whether both sides play under the same control."""
        return self.white == self.black


#: Which fields of a period mean something in which mode; in the other modes they have to stay empty.
PERIOD_FIELDS: dict[ModeName, tuple[str, ...]] = {
    "sudden_death": (),
    "fischer": ("inc_ms", "inc_from_move"),
    "bronstein": ("delay_ms",),
    "simple_delay": ("delay_ms",),
    "hourglass": (),
    "conditional_delay": (),
    "byoyomi": ("byo_ms", "byo_periods"),
}
_OPTIONAL = {"inc_ms": 0, "inc_from_move": 1, "delay_ms": 0, "byo_ms": 0, "byo_periods": 0}

_CHOICES: dict[str, tuple[str, ...]] = {
    "mode": MODE_NAMES,
    "inc_first": get_args(IncFirst),
    "on_flag": get_args(OnFlag),
    "period_switch": get_args(PeriodSwitch),
    "scope": get_args(Scope),
}


def _check(tc: TimeControl) -> None:
    for name, choices in _CHOICES.items():
        if getattr(tc, name) not in choices:
            raise TimeControlError(
                _("{value!r} is no value of {name}").format(value=getattr(tc, name), name=name),
                _("Use one of: {choices}.").format(choices=", ".join(choices)),
            )
    if tc.threshold_ms < 0 or tc.delay_ms < 0:
        raise TimeControlError(
            _("The conditional delay has a negative time"), _("Give threshold and delay as 0 or more.")
        )
    for side in SIDES:
        _check_periods(tc, tc.periods(side))
    if tc.period_switch == "at_zero" and len(tc.white) != len(tc.black):
        raise TimeControlError(
            _("White and Black have a different number of periods, and they change at zero for both"),
            _("Give both sides as many periods, or change by the move counter."),
        )


def _check_periods(tc: TimeControl, periods: tuple[Period, ...]) -> None:
    if not periods:
        raise TimeControlError(_("A side has no period"), _("Give each side at least one main time."))
    last = len(periods) - 1
    for number, period in enumerate(periods):
        _check_period(tc.mode, period)
        if number < last and period.byo_periods:
            raise TimeControlError(
                _("Byo-yomi comes before the last main time"), _("Write it after the last period only.")
            )
        if number < last and period.moves is None:
            raise TimeControlError(
                _("Period {number} does not say how many moves it lasts").format(number=number + 1),
                _("Write the moves before the time, as in 40/90."),
            )
    if periods[last].moves is not None:
        raise TimeControlError(
            _("The last period asks for {moves} moves, but none follows").format(moves=periods[last].moves),
            _("Add the time for the rest of the game, or take the number of moves away."),
        )
    for old, new in itertools.pairwise(periods):
        if tc.mode == "bronstein" and new.main_ms + new.delay_ms < old.delay_ms:
            raise TimeControlError(
                _("A Bronstein delay shrinks by more than the time of the new period"),
                _("Give the later period more time, or a delay nearer to the one before."),
            )
    first = periods[0]
    headstart = {
        "fischer": first.inc_ms if tc.inc_first == "before" and first.inc_from_move <= 1 else 0,
        "bronstein": first.delay_ms if tc.initial_delay else 0,
        "simple_delay": first.delay_ms,
        "byoyomi": first.byo_ms if first.byo_periods else 0,
    }
    if first.main_ms + headstart.get(tc.mode, 0) <= 0:
        raise TimeControlError(_("A side has no time for the first move"), _("Give it some main time."))


def _check_period(mode: ModeName, period: Period) -> None:
    for name in ("main_ms", "inc_ms", "delay_ms", "byo_ms", "byo_periods"):
        if getattr(period, name) < 0:
            raise TimeControlError(
                _("A period has a negative {name}").format(name=name), _("Use 0 or a positive number.")
            )
    if period.main_ms >= MAIN_LIMIT_MS:
        raise TimeControlError(_("A main time of a day or more is no chess game"), _("Look whether its unit is right."))
    if period.inc_from_move < 1 or (period.moves is not None and period.moves < 1):
        raise TimeControlError(_("A period counts moves from below 1"), _("Moves of a game are numbered from 1."))
    if (period.byo_ms == 0) != (period.byo_periods == 0):
        raise TimeControlError(_("Byo-yomi needs both a number of periods and a time"), _("Write it as in byo 3x30s."))
    if period.inc_ms == 0 and period.inc_from_move != 1:
        raise TimeControlError(_("A period says where the increment begins, but has none"), _("Write it as in 5+2@61."))
    for name, empty in _OPTIONAL.items():
        if name not in PERIOD_FIELDS[mode] and getattr(period, name) != empty:
            raise TimeControlError(
                _("{name} means nothing in the mode {mode}").format(name=name, mode=mode),
                _("Choose the mode that goes with it, or leave it out."),
            )


def game_value_ms(tc: TimeControl, side: Side) -> int:
    """The time of `side` for a game of 60 moves in ms: the value that FIDE reckons with (Laws A.1, B.1).

    Main times of the periods that begin within 60 moves, plus the increment of each of these moves. A delay counts
    as an increment (glossary). Byo-yomi, which FIDE doesn't know, counts its period as one; the conditional delay
    counts nothing because the condition may never come about.
    """
    value, first_move = 0, 1
    for period in tc.periods(side):
        if first_move > RECKONED_MOVES:
            break
        last_move = RECKONED_MOVES if period.moves is None else first_move + period.moves - 1
        last_move = min(last_move, RECKONED_MOVES)
        moves = max(0, last_move - max(first_move, period.inc_from_move) + 1)
        value += period.main_ms + moves * per_move_ms(period)
        first_move = last_move + 1
    return value


def per_move_ms(period: Period) -> int:
    """The ms a player has for each move of `period` besides the main time, whatever the mode calls them."""
    return period.inc_ms or period.delay_ms or period.byo_ms


def time_class(tc: TimeControl, side: Side | None = None) -> TimeClass:
    """Blitz up to 10 minutes, standard from 60, rapid between (Laws A.1, B.1), by `game_value_ms` of `side`.

    With unequal times each player has his own; without `side` the answer is for the one with less time.
    """
    value = min(game_value_ms(tc, who) for who in ((side,) if side else SIDES))
    if value <= BLITZ_UP_TO_MS:
        return "blitz"
    return "rapid" if value < STANDARD_FROM_MS else "standard"
