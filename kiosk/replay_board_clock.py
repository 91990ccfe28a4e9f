"""Board cases of the kind `clock`: presses and power cuts, played to the clock of the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from gettext import gettext as _
from typing import Any

from kiosk.replay_board_case import CaseError, Json, integer, items, mapping, text, timed
from rules.laws.clock import Clock
from rules.laws.periods import Period, TimeControl, TimeControlError
from rules.laws.sides import SIDES, Side

_MODES = {"fischer": "fischer", "delay": "simple_delay", "bronstein": "bronstein", "sudden_death": "sudden_death"}
#: A period that ends at zero has a number of moves that nobody counts.
_UNCOUNTED_MOVES = 40
#: Words of a game's end that name the winner, and those that name the loser.
_WINS, _LOSES = ("mate by", "wins", "won by"), ("resign", "loses", "forfeit", "flag")


#: How an arbiter's correction may be written (for a `side`, or with white_ or black_ before it) → what it changes.
_CORRECTIONS = {
    "add_ms": "add_ms", "delta_ms": "add_ms", "set_ms": "set_ms", "ms": "set_ms", "moves": "moves",
}  # fmt: skip
#: What every reading has.
_ALWAYS_READ = ("white_ms", "black_ms", "running")


class _Clock:
    def __init__(self, case: Mapping[str, Any]) -> None:
        given = mapping(case.get("clock"), "clock")
        self.control = control(given)
        self.clock = Clock.new(self.control)
        self.journal_ms = integer(given, "journal_ms", 1_000)
        self.result: str | None = None
        self.reads: list[Json] = []
        self._last_note = 0

    def play(self, event: Mapping[str, Any]) -> None:
        kind, t = text(event, "e"), integer(event, "t")
        do: dict[str, Callable[[int, Mapping[str, Any]], Clock]] = {
            "start": lambda t, event: self.clock.start(t, _side(event, "side", "white")),
            "press": lambda t, event: self.clock.press(t, _side(event, "side"))[0],
            "pause": lambda t, event: self.clock.pause(t),
            "resume": lambda t, event: self.clock.resume(t, _side(event, "side") if event.get("side") else None),
            "adjust": self._adjust,
            "power_loss": self._power_loss,
            "game_over": self._game_over,
            "read": self._read,
            "wall_clock_step": lambda t, event: self.clock.advance(t),
            "end": lambda t, event: self.clock.advance(t),
        }
        if kind not in do:
            raise CaseError(_("event {kind} is unknown; known are {kinds}").format(kind=kind, kinds=", ".join(do)))
        self.clock = do[kind](t, event)
        self._last_note = t if kind not in ("read", "wall_clock_step", "end") else self._last_note

    def _read(self, t: int, event: Mapping[str, Any]) -> Clock:
        """What people can read off, and what else of the clock's state the case asks for."""
        reading = self.clock.reading(t)
        told = asdict(reading) | {f"{side}_flag": reading.flag_ms(side) is not None for side in SIDES}
        asked = mapping(event.get("expect", {}), "read.expect")
        self.reads.append({"t": t, **{key: told[key] for key in _ALWAYS_READ}, **{
            key: told[key] for key in asked if key in told
        }})  # fmt: skip
        return self.clock.advance(t)

    def _power_loss(self, t: int, _event: Mapping[str, Any]) -> Clock:
        """The unit comes back paused with the last times of its journal, which is written every `journal_ms`."""
        noted = t - (t - self._last_note) % max(1, self.journal_ms)
        return Clock.restored(self.control, self.clock.reading(noted), t)

    def _adjust(self, t: int, event: Mapping[str, Any]) -> Clock:
        """The arbiter's correction; he stops the clocks for it if they run."""
        fields: Json = {}
        known = {f"{side}_{given}": f"{side}_{field}" for side in SIDES for given, field in _CORRECTIONS.items()}
        if event.get("side") is not None:
            side = _side(event, "side")
            known |= {given: f"{side}_{field}" for given, field in _CORRECTIONS.items()}
        for given in event:
            if given in known:
                fields[known[given]] = integer(event, given)
            elif given not in ("t", "e", "side", "clear_flag", "note", "why"):
                raise CaseError(
                    _("{what} has an unknown field {key}; known are {names}").format(
                        what="adjust", key=given, names=", ".join((*_CORRECTIONS, "clear_flag"))
                    )
                )
        if event.get("clear_flag"):
            fields["clear_flag"] = True
        running = self.clock.reading(t).running
        clock = self.clock.pause(t) if running else self.clock
        clock = clock.adjust(t, **fields)
        return clock.resume(t) if running else clock

    def _game_over(self, t: int, event: Mapping[str, Any]) -> Clock:
        why = str(event.get("why", "")).lower()
        self.result = str(event["result"]) if event.get("result") else _result(why)
        mated = next((side for side in SIDES if f"mate by {side}" in why), None)
        if mated is not None and not event.get("result") and self.clock.reading(t).flag_ms(mated) is not None:
            self.result = None  # the flag fell before the mate was made, or with it: who wins, the position tells (6.9)
        return self.clock.stop(t)


def answer(case: Mapping[str, Any]) -> Json:
    """Plays the events; the answer has `flags`, `first_flag`, `result`, `alerts`, and the `reads` beside them."""
    play, at_fault = _Clock(case), None
    try:
        for event in timed(case):
            at_fault = event
            play.play(event)
    except (TimeControlError, CaseError) as error:
        raise CaseError(str(error), at_fault) from None
    clock = play.clock
    flags = [(half.flag_ms, side) for side in SIDES if (half := clock.half(side)).flag_ms is not None]
    return {
        "flags": [{"t": t, "side": side} for t, side in sorted(flags)],
        "first_flag": clock.first_flag,
        "result": play.result,
        "alerts": [{"code": kind, "side": side, "t": t} for side, kind, t in clock.marks],
        "reads": play.reads,
    }


def control(given: Mapping[str, Any]) -> TimeControl:
    """The time control of a case; raises `CaseError` or `TimeControlError`."""
    mode = given.get("mode", "fischer")
    if not isinstance(mode, str) or mode not in _MODES:
        raise CaseError(_("mode is {value}; known are {names}").format(value=repr(mode), names=", ".join(_MODES)))
    increment, delay = integer(given, "increment_ms", 0), integer(given, "delay_ms", 0)
    mains = [integer(given, "base_ms")]
    for period in items(given.get("periods", []), "periods"):
        mains.append(
            integer(period, "base_ms") if isinstance(period, Mapping) else integer({"period": period}, "period")
        )
    periods = tuple(
        Period(
            main,
            inc_ms=increment if mode == "fischer" else 0,
            delay_ms=delay if mode in ("delay", "bronstein") else 0,
            moves=_UNCOUNTED_MOVES if number < len(mains) else None,
        )
        for number, main in enumerate(mains, 1)
    )
    first = bool(given.get("increment_before_first", True))
    flag: Any = given.get("on_flag", "freeze")
    name: Any = _MODES[str(mode)]
    try:
        return TimeControl(
            name,
            periods,
            periods,
            inc_first="before" if first else "after",
            initial_delay=first,
            on_flag=flag,
            period_switch=given.get("period_switch", "at_zero"),
        )
    except TimeControlError as error:
        raise CaseError(str(error)) from None


def _result(why: str) -> str | None:
    """The score of a game that ended so; None if the words do not tell."""
    named: Side | None = next((side for side in SIDES if side in why), None)
    if named is None:
        return "1/2-1/2" if any(word in why for word in ("draw", "stalemate", "dead", "agree", "repetition")) else None
    wins = any(word in why for word in _WINS) or not any(word in why for word in _LOSES)
    return "1-0" if (named == "white") == wins else "0-1"


def _side(event: Mapping[str, Any], key: str, default: str | None = None) -> Any:
    side = event.get(key, default)
    if side not in SIDES:
        raise CaseError(_("{key} is {value}; write white or black").format(key=key, value=repr(side)))
    return side
