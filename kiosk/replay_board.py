"""`hallkiosk replay board FILE…`: play board, wire, pin, clock and link cases, and say what the program answers.

A file holds one case (`format` "board-case/1") or a list of them, gzip-compressed or not. Each kind is played by a
module of its own, always by the code that a table runs. `pass` says that every expected value is met, that alerts
came in the expected order and within their time, and that no code under `never` was raised.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from gettext import gettext as _
from pathlib import Path
from typing import Any

from kiosk import (
    replay_board_clock,
    replay_board_link,
    replay_board_moves,
    replay_board_pins,
    replay_board_wire,
)
from kiosk.replay_board_case import CaseError, Json, items, mapping

FORMAT = "board-case/1"
#: An alert may come so much later than an unexplained position is announced.
LATE_MS = 1_000


class ReplayError(ValueError):
    """A file, or a case in it, cannot be replayed; the message says where and what to do."""


def run(paths: Iterable[Path]) -> tuple[list[Json], bool]:
    """Replays every case of the files: (one `{"id", "pass", "expect"}` for each, whether all passed).

    `expect` has the keys of the case's own `expect`, with what the program answered; an alert's `from_t` is the time at
    which it was raised. A clock case also has `reads`. Raises `ReplayError` for what cannot be read or understood.
    """
    answers = [answer for path in paths for answer in _file(Path(path))]
    return answers, all(answer["pass"] for answer in answers)


def _file(path: Path) -> list[Json]:
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
        return [replay(case) for case in (document if isinstance(document, list) else [document])]
    except CaseError as error:
        raise ReplayError(f"{path}: {error}") from None


def replay(document: object) -> Json:
    """Replays one case. Raises `CaseError`."""
    case = mapping(document, "the case")
    name = str(case.get("id", "case"))
    try:
        if case.get("format", FORMAT) != FORMAT:
            raise CaseError(_("its format is {found}; this program reads {known}").format(
                found=case["format"], known=FORMAT
            ))  # fmt: skip
        kind = case.get("kind")
        if kind not in _KINDS:
            raise CaseError(_("its kind is {kind}; known are {kinds}").format(kind=repr(kind), kinds=", ".join(_KINDS)))
        play, judge = _KINDS[str(kind)]
        found = play(case)
    except CaseError as error:
        raise CaseError(_("Case {name}: {error}").format(name=name, error=error)) from None
    wanted = mapping(case.get("expect", {}), "expect")
    extra = {key: found.pop(key) for key in ("reads",) if key in found}
    expect = {key: found.get(key) for key in wanted} if wanted else found
    return {"id": name, "pass": judge(case, {**found, **extra}), "expect": expect, **extra}


# -- what counts as a pass ----------------------------------------------------------------------------------------


def _equal(case: Mapping[str, Any], found: Json) -> bool:
    """Every expected value is what was answered."""
    return all(found.get(key) == value for key, value in case.get("expect", {}).items())


def _moves(case: Mapping[str, Any], found: Json) -> bool:
    wanted = dict(case.get("expect", {}))
    alerts = wanted.pop("alerts", None)
    allowed = case.get("policy", {}).get("illegal_alert_ms", 3_000) + LATE_MS
    in_time = alerts is None or (
        len(alerts) == len(found["alerts"])
        and all(_alert_fits(a, b, allowed) for a, b in zip(alerts, found["alerts"], strict=True))
    )
    return in_time and all(found.get(key) == value for key, value in wanted.items())


def _alert_fits(wanted: Mapping[str, Any], raised: Mapping[str, Any], allowed: int) -> bool:
    """Whether an alert is the wanted one, raised not before its time and not too late."""
    details = {key: value for key, value in wanted.items() if key != "from_t"}
    earliest = wanted.get("from_t", raised["from_t"])
    return earliest <= raised["from_t"] <= earliest + allowed and all(
        _value(raised.get(key)) == _value(value) for key, value in details.items()
    )


def _value(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def _pins(case: Mapping[str, Any], found: Json) -> bool:
    """As many presses of the same lines, each within the case's tolerance."""
    tolerance = case.get("tolerance_us", 0)
    for key, wanted in case.get("expect", {}).items():
        answered = found.get(key)
        if not isinstance(answered, list) or len(answered) != len(items(wanted, key)):
            return False
        for one, two in zip(wanted, answered, strict=True):
            if {**one, "t_us": 0} != {**two, "t_us": 0} or abs(one["t_us"] - two["t_us"]) > tolerance:
                return False
    return True


def _clock(case: Mapping[str, Any], found: Json) -> bool:
    """The summary is equal, and so is every reading; after a power cut up to a journal interval may be given back."""
    given_back = 0
    reads = iter(found["reads"])
    for event in case.get("events", []):
        if event.get("e") == "power_loss":
            given_back = case["clock"].get("journal_ms", 1_000)
        if event.get("e") != "read":
            continue
        read = next(reads)
        for key, value in event.get("expect", {}).items():
            near = key.endswith("_ms") and isinstance(value, int) and abs(read[key] - value) <= given_back
            if not near and read[key] != value:
                return False
    return _equal(case, found)


def _link(case: Mapping[str, Any], found: Json) -> bool:
    """Limits are kept, the rest is equal."""
    for key, value in case.get("expect", {}).items():
        answered = found.get(key)
        limit = "max" in key.split("_")
        if answered is None or (answered > value if limit else answered != value):
            return False
    return True


_Play = Callable[[Mapping[str, Any]], Json]
_Judge = Callable[[Mapping[str, Any], Json], bool]
#: How each kind is played, and how its answer is compared with what is expected.
_KINDS: Mapping[str, tuple[_Play, _Judge]] = {
    "moves": (replay_board_moves.answer, _moves),
    "wire": (replay_board_wire.answer, _equal),
    "gpio": (replay_board_pins.answer, _pins),
    "clock": (replay_board_clock.answer, _clock),
    "link": (replay_board_link.answer, _link),
}
