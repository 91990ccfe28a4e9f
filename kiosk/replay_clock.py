"""`hallkiosk replay clock FILE`: play clock events from a file and say what the clock answers.

A document is one case (`control` and `events`, optionally `expect`, `flags`, `first_flag`, `marks`), a list of
cases, or an object with `vectors` (cases) and `display` (texts for remaining times). Events are `start`,
`press{by}`, `sample`, `pause`, `resume{side?}`, `adjust{white_add_ms, …}`, `stop`, and `suspend{until}`, which
is for information: the state after it is the one after the event before it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from gettext import gettext as _
from pathlib import Path
from typing import Any

from rules.laws.clock import Clock, Reading
from rules.laws.clock_display import display
from rules.laws.clock_modes import MODES
from rules.laws.time_control import Period, TimeControl, TimeControlError

Json = dict[str, Any]
_PERIOD_FIELDS = tuple(entry.name for entry in fields(Period))
_CONTROL_FIELDS = tuple(entry.name for entry in fields(TimeControl))
_ADJUST_FIELDS = (
    "white_add_ms", "black_add_ms", "white_set_ms", "black_set_ms", "white_moves", "black_moves", "clear_flag",
)  # fmt: skip
_SUMMARY_FIELDS = ("flags", "first_flag", "marks")


class ReplayError(ValueError):
    """The file, or a case in it, cannot be replayed; the message says where and what to do."""


def run(path: Path) -> tuple[list[Json], bool]:
    """Replay the JSON file at `path` (gzip-compressed or not): (one answer per case, whether all passed).

    Raises `ReplayError` if the file cannot be read or understood.
    """
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        document = json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise ReplayError(
            _("{file}, line {line}, column {column}: this is no JSON ({why}). Correct the file there.").format(
                file=path, line=error.lineno, column=error.colno, why=error.msg
            )
        ) from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ReplayError(
            _("{file} cannot be read: {why}. Check the name and that it is UTF-8 JSON.").format(
                file=path, why=getattr(error, "strerror", None) or error
            )
        ) from None
    try:
        answers = replay(document)
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}") from None
    return answers, all(answer["pass"] for answer in answers)


def replay(document: object) -> list[Json]:
    """Replay every case of a document: `{"id", "pass", "expect", "flags", "first_flag", "marks"}` for each.

    `pass` says that everything the case expects is what the clock answers. A display case answers
    `{"id", "ms", "tenths_below_ms", "pass", "expect": text}`. Raises `ReplayError`.
    """
    if isinstance(document, Mapping) and not {"control", "events", "ms"} & set(document):
        vectors, displays = document.get("vectors"), document.get("display")
        if vectors is None and displays is None:
            raise ReplayError(_("There is no case in it. Give control and events, or a list under vectors."))
        cases = [*_list(vectors or [], "vectors"), *_list(displays or [], "display")]
    elif isinstance(document, list):
        cases = document
    else:
        cases = [document]
    return [_answer(case, number) for number, case in enumerate(cases, 1)]


def _answer(case: object, number: int) -> Json:
    if not isinstance(case, Mapping):
        raise ReplayError(
            _("Case {number} is not an object. Write control and events in braces.").format(number=number)
        )
    name = str(case.get("id", f"case-{number}"))
    try:
        return _display_answer(case, name) if "ms" in case else _clock_answer(case, name)
    except (ReplayError, TimeControlError) as error:
        raise ReplayError(_("Case {name}: {error}").format(name=name, error=error)) from None


def _display_answer(case: Mapping[str, Any], name: str) -> Json:
    ms, tenths = _integer(case, "ms"), _integer(case, "tenths_below_ms", 0)
    text = display(ms, tenths)
    passed = "text" not in case or case["text"] == text
    return {"id": name, "ms": ms, "tenths_below_ms": tenths, "pass": passed, "expect": text}


def _clock_answer(case: Mapping[str, Any], name: str) -> Json:
    tc = control_from_json(case.get("control"))
    clock, states, last_t = Clock.new(tc), [], 0
    for position, event in enumerate(_list(case.get("events"), "events"), 1):
        try:
            if not isinstance(event, Mapping):
                raise ReplayError(_("it is not an object"))
            if event.get("type") == "suspend":
                accepted = True
            else:
                last_t = _integer(event, "t")
                clock, accepted = _step(clock, event, last_t)
        except ReplayError as error:
            raise ReplayError(
                _("event {position}: {error}. Correct this event.").format(position=position, error=error)
            ) from None
        states.append(_state(tc, clock.reading(last_t), accepted))
    summary: Json = {
        "flags": {"white": clock.white.flag_ms, "black": clock.black.flag_ms},
        "first_flag": clock.first_flag,
        "marks": [list(mark) for mark in clock.marks],
    }
    answer: Json = {"id": name, "pass": True, "expect": states, **summary}
    answer["pass"] = all(case[key] == answer[key] for key in ("expect", *_SUMMARY_FIELDS) if key in case)
    return answer


def _step(clock: Clock, event: Mapping[str, Any], t: int) -> tuple[Clock, bool]:
    kind = event.get("type")
    steps: dict[object, Callable[[], Clock]] = {
        "start": lambda: clock.start(t, _side(event, "side", "white")),
        "press": lambda: clock.press(t, _side(event, "by"))[0],
        "sample": lambda: clock.advance(t),
        "pause": lambda: clock.pause(t),
        "resume": lambda: clock.resume(t, _side(event, "side") if event.get("side") else None),
        "adjust": lambda: clock.adjust(t, **_adjustment(event)),
        "stop": lambda: clock.stop(t),
    }
    if not isinstance(kind, str) or kind not in steps:
        raise ReplayError(
            _("its type {kind!r} is unknown, there are: {kinds}").format(
                kind=kind, kinds=", ".join(map(str, (*steps, "suspend")))
            )
        )
    done = steps[kind]()
    return done, kind == "sample" or done.refused is None


def _state(tc: TimeControl, reading: Reading, accepted: bool) -> Json:
    """The state after an event, with the fields that mean something under this control."""
    state: Json = {"accepted": accepted}
    names = ["white_ms", "black_ms", "running", "white_flag_ms", "black_flag_ms", "white_moves", "black_moves"]
    if MODES[tc.mode].waits:
        names.append("delay_left_ms")
    if len(tc.white) > 1 or len(tc.black) > 1:
        names += ["white_period", "black_period"]
    if MODES[tc.mode].overtime:
        names += ["white_byo_left", "white_in_byo", "black_byo_left", "black_in_byo"]
    state.update((name, getattr(reading, name)) for name in names)
    return state


def control_from_json(control: object) -> TimeControl:
    """A time control from its JSON object: `mode`, `white`/`black` lists of periods, and the settings.

    Raises `ReplayError` or `TimeControlError`.
    """
    if not isinstance(control, Mapping):
        raise ReplayError(_("it has no control. Give mode, white and black."))
    _known(control, _CONTROL_FIELDS, "control")
    settings: Json = {key: control[key] for key in _CONTROL_FIELDS if key in control and key not in ("white", "black")}
    if "mode" not in settings:
        raise ReplayError(_("its control has no mode. Give one of: {modes}.").format(modes=", ".join(MODES)))
    for key in ("threshold_ms", "delay_ms"):
        if key in settings:
            _integer(settings, key)
    if not isinstance(settings.get("initial_delay", True), bool):
        raise ReplayError(_("initial_delay is neither true nor false"))
    for side in ("white", "black"):
        settings[side] = tuple(
            _period(period) for period in _list(control.get(side), side)
        )  # fmt: skip
    return TimeControl(**settings)


def _period(period: object) -> Period:
    if not isinstance(period, Mapping):
        raise ReplayError(_("a period is not an object. Give it main_ms."))
    _known(period, _PERIOD_FIELDS, "period")
    if "main_ms" not in period:
        raise ReplayError(_("a period has no main_ms. Give it in milliseconds."))
    return Period(**{key: _integer(period, key) for key in period if period[key] is not None})


def _adjustment(event: Mapping[str, Any]) -> Json:
    _known(event, ("t", "type", *_ADJUST_FIELDS), "adjust")
    found: Json = {key: _integer(event, key) for key in _ADJUST_FIELDS if key in event and key != "clear_flag"}
    if "clear_flag" in event:
        found["clear_flag"] = event["clear_flag"] is True
    return found


def _known(given: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for key in given:
        if key not in names:
            raise ReplayError(
                _("{what} has an unknown field {key}; known are {names}").format(
                    what=what, key=key, names=", ".join(names)
                )
            )


def _integer(given: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplayError(_("{key} is {value!r}, a whole number is needed").format(key=key, value=value))
    return value


def _side(event: Mapping[str, Any], key: str, default: str | None = None) -> Any:
    value = event.get(key, default)
    if value not in ("white", "black"):
        raise ReplayError(_("{key} is {value!r}, white or black is needed").format(key=key, value=value))
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ReplayError(_("{what} is missing or no list. Write it in square brackets.").format(what=what))
    return value
