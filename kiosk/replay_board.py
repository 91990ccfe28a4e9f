"""`hallkiosk replay board FILE…`: play board, wire, pin, clock and link cases, and say what the program answers.

A file holds one case (`format` "board-case/1") or a list of them; a folder stands for its files. Each kind is played
by a module of its own, always by the code that a table runs. `pass` says that every expected value is met, that alerts
came in the expected order and within their time, and that no code under `never` was raised. What a case expects and
this program does not know is named under `unknown`, and never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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
from kiosk import replay_board_judge as judge
from kiosk.replay_board_case import CaseError, Document, Json, ReplayError, mapping

FORMAT = "board-case/1"
#: What a folder's files end in.
ENDINGS = (".json", ".json.gz")


@dataclass(slots=True)
class Replayed:
    """The answers, one `{"id", "pass", "expect"}` for each case, and what could not be judged, in sentences.

    `expect` has the keys of the case's own `expect`, with what the program answered; an alert's `from_t` is the time at
    which it was raised. A clock case also has `reads`. A case that cannot be judged has `error` or `unknown` instead.
    """

    answers: list[Json] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every case was judged and is as expected."""
        return not self.troubles and all(answer["pass"] for answer in self.answers)


def run(paths: Iterable[Path]) -> Replayed:
    """Replays every case of the files, and of the files in folders. What is wrong with one does not stop the others."""
    replayed = Replayed()
    for path in paths:
        for file in _files(Path(path)):
            _run_file(file, replayed)
    return replayed


def _files(path: Path) -> list[Path]:
    """A folder's case files in order of their names; a file, or a folder without any, is itself."""
    found = [file for file in path.iterdir() if file.name.endswith(ENDINGS)] if path.is_dir() else []
    return sorted(found) or [path]


def _run_file(path: Path, replayed: Replayed) -> None:
    try:
        document = Document(path)
    except ReplayError as error:
        _trouble(replayed, path.name.split(".")[0], str(error))
        return
    for case in document.cases():
        name = str(case.get("id", path.name.split(".")[0])) if isinstance(case, Mapping) else path.name.split(".")[0]
        try:
            answer = replay(case)
        except CaseError as error:
            line = document.line(error.given, case)
            where = _("{file}, line {line}: {error}").format(file=path, line=line, error=error)
            _trouble(replayed, name, where)
            continue
        replayed.answers.append(answer)
        if answer.get("unknown"):
            replayed.troubles.append(_cannot_judge(path, document.line(case), name, answer["unknown"]))


def _trouble(replayed: Replayed, name: str, what: str) -> None:
    replayed.troubles.append(what)
    replayed.answers.append({"id": name, "pass": False, "expect": {}, "error": what})


def _cannot_judge(path: Path, line: int, name: str, unknown: list[str]) -> str:
    if unknown == ["expect"]:
        words = _("{file}, line {line}: case {name} expects nothing. Write under expect what must come of it.")
    else:
        words = _(
            "{file}, line {line}: case {name} expects what this program does not know: {what}. "
            "Correct its spelling, or leave it out."
        )
    return words.format(file=path, line=line, name=name, what=", ".join(unknown))


def replay(document: object) -> Json:
    """Replays one case. Raises `CaseError`."""
    case = mapping(document, _("the case"))
    name = str(case.get("id", "case"))
    try:
        if case.get("format", FORMAT) != FORMAT:
            raise CaseError(_("its format is {found}; this program reads {known}").format(
                found=case["format"], known=FORMAT
            ))  # fmt: skip
        kind = case.get("kind")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise CaseError(_("its kind is {kind}; known are {kinds}").format(kind=repr(kind), kinds=", ".join(_KINDS)))
        wanted = mapping(case.get("expect", {}), "expect")
        play, fits = _KINDS[kind]
        found = play(case)
        unknown = sorted(set(judge.unknown(case, found)))
        passed = not unknown and fits(case, found)
    except CaseError as error:
        raise CaseError(_("Case {name}: {error}").format(name=name, error=error), error.given) from None
    extra = {key: found.pop(key) for key in ("reads",) if key in found}
    expect = {key: found.get(key) for key in wanted} if wanted else found
    return {"id": name, "pass": passed, "expect": expect, **extra, **({"unknown": unknown} if unknown else {})}


_Play = Callable[[Mapping[str, Any]], Json]
_Judge = Callable[[Mapping[str, Any], Json], bool]
#: How each kind is played, and how its answer is compared with what is expected.
_KINDS: Mapping[str, tuple[_Play, _Judge]] = {
    "moves": (replay_board_moves.answer, judge.moves),
    "wire": (replay_board_wire.answer, judge.equal),
    "gpio": (replay_board_pins.answer, judge.pins),
    "clock": (replay_board_clock.answer, judge.clock),
    "link": (replay_board_link.answer, judge.link),
}
