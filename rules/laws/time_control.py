"""Time controls in our own written form: one line that says everything and reads back the same.

The form
--------
    control  = [mode] sides {option}
    sides    = periods | "W" periods "B" periods            unequal times: W 5 B 4
    periods  = period {("," | ";") period}                  40/90+30, 30+30
    period   = [moves "/" | "G/" | "SD/"] time ["+" time ["@" move]] [[";"] "d" time]
               ["byo" count "x" time]
    time     = number [unit] {number unit} | m:ss | h:mm:ss
    unit     = h | m | s | ms | ' | "                       (' minutes, " seconds, as FIDE writes them)
    mode     = sudden_death | fischer | bronstein | simple_delay | hourglass | conditional_delay | byoyomi
    option   = inc_first=before|after  initial_delay=yes|no  on_flag=freeze|run_on
             | period_switch=at_zero|move_counter  threshold=time  scope=both_when_any|own  delay=time

* A main time without a unit is in **minutes**, every other time without a unit in **seconds**: `90+30` is
  ninety minutes and thirty seconds a move. (PGN and TRF write seconds: `parse_pgn`, `parse_trf222`.)
* Numbers are whole, or have a fraction that comes to whole milliseconds: `0.5` is half a minute.
* `+2@61`: the increment counts from move 61 on. `d5`: five seconds of delay a move. `byo 3x30`: three byo-yomi
  periods of thirty seconds.
* Without a mode the periods tell: an increment means fischer, a delay simple_delay, byo-yomi byoyomi, and nothing of
  the kind sudden_death.
* Several periods without a `period_switch` change at zero.
* `parse(format(tc)) == tc` for every time control.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from gettext import gettext as _
from typing import NoReturn

from rules.laws.periods import (
    MAIN_LIMIT_MS,
    MODE_NAMES,
    ModeName,
    Period,
    TimeClass,
    TimeControl,
    TimeControlError,
    game_value_ms,
    time_class,
)
from rules.laws.time_control_notation import (
    format_fide,
    format_pgn,
    format_trf222,
    parse_pgn,
    parse_trf222,
    pgn_says_all,
)

UNITS_MS = {"h": 3_600_000, "m": 60_000, "'": 60_000, "s": 1000, '"': 1000, "ms": 1}

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<option>(?P<name>[a-z_]+)\s*=\s*(?P<value>[\w."'’′″]*))
    | (?P<colon>\d{1,9}:\d\d(?::\d\d)?(?![\d/.]))
    | (?P<number>\d{1,9}(?:\.\d{1,9})?)
    | (?P<unit>(?:ms|h|m|s|''|['"’′″”])(?![a-z_]))
    | (?P<word>[A-Za-z_]+)
    | (?P<mark>[/+@,;×])
    | (?P<end>$)
    | (?P<bad>\S)
    )""",
    re.VERBOSE,
)
_QUOTES = {"’": "'", "′": "'", "″": '"', "”": '"', "''": '"'}

#: American sheets write G/30 or SD/30 for "the game in thirty minutes", and G/30;d5 with a delay.
_GAME_IN = ("G", "SD")

_YES_NO = {"yes": True, "no": False}
_OPTIONS: dict[str, Callable[[str], object]] = {
    "inc_first": str,
    "initial_delay": lambda text: _YES_NO[text],
    "on_flag": str,
    "period_switch": str,
    "threshold": lambda text: _option_time(text),
    "scope": str,
    "delay": lambda text: _option_time(text),
}
_OPTION_FIELDS = {"threshold": "threshold_ms", "delay": "delay_ms"}
_TIME_OPTIONS = tuple(_OPTION_FIELDS)


def parse(text: str) -> TimeControl:
    """Read a time control in the form described above.

    Raises `TimeControlError` with the column and a remedy.
    """
    return _Reader(text).control()


def format(tc: TimeControl) -> str:
    """Write `tc` so that `parse` gives it back: always with mode and units, other settings where not usual."""
    sides = [", ".join(_period_text(period) for period in periods) for periods in (tc.white, tc.black)]
    parts: list[str] = [tc.mode, sides[0] if tc.equal else f"W {sides[0]} B {sides[1]}"]
    defaults = {entry.name: entry.default for entry in fields(TimeControl)}
    for option in _OPTIONS:
        name = _OPTION_FIELDS.get(option, option)
        value = getattr(tc, name)
        if value == defaults[name]:
            continue
        if option in _TIME_OPTIONS:
            value = duration(value)
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        parts.append(f"{option}={value}")
    return " ".join(parts)


def pgn_comment(tc: TimeControl) -> str:
    """What the tag of `format_pgn` leaves unsaid, in our own form; empty if it says everything."""
    return "" if pgn_says_all(tc) else format(tc)


def duration(ms: int) -> str:
    """Write `ms` exactly, with units: 5400000 is `90m`, 90500 is `1m30s500ms`."""
    minutes, rest = divmod(ms, 60_000)
    seconds, rest = divmod(rest, 1000)
    pieces = [f"{n}{unit}" for n, unit in ((minutes, "m"), (seconds, "s"), (rest, "ms")) if n]
    return "".join(pieces) or "0s"


def _period_text(period: Period) -> str:
    text = f"{period.moves}/" if period.moves is not None else ""
    text += duration(period.main_ms)
    if period.inc_ms:
        text += f"+{duration(period.inc_ms)}"
        text += f"@{period.inc_from_move}" if period.inc_from_move != 1 else ""
    if period.delay_ms:
        text += f" d{duration(period.delay_ms)}"
    if period.byo_periods:
        text += f" byo {period.byo_periods}x{duration(period.byo_ms)}"
    return text


def _option_time(text: str) -> int:
    reader = _Reader(text)
    ms = reader.time("s")
    reader.expect_end()
    return ms


class _Reader:
    """One pass over the text, one token ahead. Columns count from 1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.next()

    def next(self) -> None:
        match = _TOKEN.match(self.text, self.position)
        if match is None:  # only blanks are left
            self.kind, self.value, self.column, self.groups = "end", "", len(self.text) + 1, {}
            return
        # `option` contains two more groups; the outermost one is the token's kind.
        self.kind = next(kind for kind, value in match.groupdict().items() if value is not None)
        self.value = match[self.kind]
        self.column = match.start(self.kind) + 1
        self.groups = match.groupdict()
        self.position = match.end()

    def fail(self, what: str, remedy: str, column: int | None = None) -> NoReturn:
        raise TimeControlError(what, remedy, self.column if column is None else column)

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.value in words

    def is_mark(self, *marks: str) -> bool:
        return self.kind == "mark" and self.value in marks

    def control(self) -> TimeControl:
        mode = self._mode()
        if self.is_word("W", "w"):
            self.next()
            white = self._periods()
            if not self.is_word("B", "b"):
                self.fail(_("Black's time is missing"), _("Write both sides, as in W 5 B 4."))
            self.next()
            black = self._periods()
        else:
            white = black = self._periods()
        options = self._options()
        self.expect_end()
        if mode is None:
            mode = _guessed_mode((*white, *black))
        try:
            return TimeControl(mode, white, black, **options)  # type: ignore[arg-type]
        except TimeControlError as error:
            raise TimeControlError(error.what, error.remedy, 1) from None

    def expect_end(self) -> None:
        if self.kind != "end":
            self.fail(
                _("“{text}” was not expected here").format(text=self.value),
                _("Write for example 90+30, or 40/90+30, 30+30."),
            )

    def _mode(self) -> ModeName | None:
        if self.kind != "word" or self.is_word("W", "w", *_GAME_IN):
            return None
        for mode in MODE_NAMES:
            if self.value == mode:
                self.next()
                return mode
        raise TimeControlError(
            _("“{word}” is no mode").format(word=self.value),
            _("Use one of: {modes}.").format(modes=", ".join(MODE_NAMES)),
            self.column,
        )

    def _periods(self) -> tuple[Period, ...]:
        periods = [self._period()]
        while self.is_mark(",", ";"):
            self.next()
            if self.is_word("d"):  # G/30;d5
                periods[-1] = replace(periods[-1], delay_ms=self._delay())
            else:
                periods.append(self._period())
        return tuple(periods)

    def _period(self) -> Period:
        column = self.column
        moves: int | None = None
        if self.is_word(*_GAME_IN):
            self.next()
            if not self.is_mark("/"):
                self.fail(_("The game's time is missing"), _("Write it as in G/30."))
            self.next()
        if self.kind == "number":
            number = self.value
            self.next()
            if self.is_mark("/"):
                moves = self._whole(number, column)
                self.next()
                column = self.column
                main = self.time("m")
            else:
                main = self._time_from(number, column, "m")
        else:
            main = self.time("m")
        if main >= MAIN_LIMIT_MS:
            self.fail(
                _("A main time of a day or more is no chess game; a number without a unit is minutes"),
                _("Write s after it if seconds are meant, as in 5400s+30."),
                column,
            )
        inc, start, delay, byo_ms, byo_periods = 0, 1, 0, 0, 0
        if self.is_mark("+"):
            self.next()
            inc = self.time("s")
            if self.is_mark("@"):
                self.next()
                start = self._count()
        if self.is_word("d"):
            delay = self._delay()
        if self.is_word("byo"):
            self.next()
            byo_periods = self._count()
            if not (self.is_word("x") or self.is_mark("×")):
                self.fail(_("The time of a byo-yomi period is missing"), _("Write it as in byo 3x30s."))
            self.next()
            byo_ms = self.time("s")
        return Period(main, inc, delay, moves, start, byo_ms, byo_periods)

    def _delay(self) -> int:
        self.next()
        return self.time("s")

    def _options(self) -> dict[str, object]:
        options: dict[str, object] = {}
        while self.kind == "option":
            name, value = str(self.groups["name"]), str(self.groups["value"])
            if name not in _OPTIONS:
                self.fail(
                    _("“{name}” is no setting").format(name=name),
                    _("Use one of: {names}.").format(names=", ".join(_OPTIONS)),
                )
            try:
                options[_OPTION_FIELDS.get(name, name)] = _OPTIONS[name](value)
            except (KeyError, TimeControlError):
                self.fail(
                    _("“{value}” is no value of {name}").format(value=value, name=name),
                    _("Write yes or no for initial_delay, a time such as 20s for threshold and delay."),
                )
            self.next()
        return options

    def _whole(self, number: str, column: int) -> int:
        if not number.isdigit():
            self.fail(_("Moves and periods are whole numbers"), _("Leave the fraction out."), column)
        return int(number)

    def _count(self) -> int:
        number, column = self._number(), self.column
        self.next()
        return self._whole(number, column)

    def _number(self) -> str:
        if self.kind != "number":
            found = self.value or _("the end")
            self.fail(
                _("A number was expected, found “{found}”").format(found=found),
                _("Write for example 90+30, or 40/90+30, 30+30."),
            )
        return self.value

    def time(self, unit: str) -> int:
        """A time in ms; a number without a unit is in `unit`."""
        if self.kind == "colon":
            ms = 0
            for part in self.value.split(":"):
                ms = ms * 60 + int(part) * 1000
            self.next()
            return ms
        number, column = self._number(), self.column
        self.next()
        return self._time_from(number, column, unit)

    def _time_from(self, number: str, column: int, unit: str) -> int:
        """The rest of a time whose first number has been read."""
        if self.kind != "unit":
            return self._ms(number, unit, column)
        total, smallest = Fraction(0), 0
        while True:
            unit = _QUOTES.get(self.value, self.value)
            size = UNITS_MS[unit]
            if smallest and size >= smallest:
                self.fail(_("Units of a time go from large to small"), _("Write for example 1h30m, 90m or 1m30s."))
            total, smallest = total + self._ms(number, unit, column), size
            self.next()
            if self.kind != "number":
                return int(total)
            number, column = self.value, self.column
            self.next()
            if self.kind != "unit":
                self.fail(_("The unit of a time is missing"), _("Write for example 1h30m, 90m or 1m30s."), column)

    def _ms(self, number: str, unit: str, column: int) -> int:
        ms = Fraction(number) * UNITS_MS[unit]
        if ms.denominator != 1:
            self.fail(_("A time is finer than a millisecond"), _("Round it to milliseconds."), column)
        return int(ms)


def _guessed_mode(periods: tuple[Period, ...]) -> ModeName:
    signs: tuple[tuple[str, ModeName], ...] = (
        ("inc_ms", "fischer"),
        ("delay_ms", "simple_delay"),
        ("byo_ms", "byoyomi"),
    )
    for name, mode in signs:
        if any(getattr(period, name) for period in periods):
            return mode
    return "sudden_death"


__all__ = [
    "Period",
    "TimeClass",
    "TimeControl",
    "TimeControlError",
    "duration",
    "format",
    "format_fide",
    "format_pgn",
    "format_trf222",
    "game_value_ms",
    "parse",
    "parse_pgn",
    "parse_trf222",
    "pgn_comment",
    "time_class",
]
