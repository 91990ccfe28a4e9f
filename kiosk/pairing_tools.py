"""`hallkiosk pair`, `check` and `generate`: the pairing engine on files, without hub or network.

One file or event is one piece of work, so many of them use all cores. The answers are JSON values as the command prints
them; whoever calls may show progress through `tell(done, total)`.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Any, TypeVar

from kiosk.standings import StandingsError, ranking_differences, read_report
from rules.interchange.trf import TrfEvent, write_trf26
from rules.pairing.checker import RoundCheck, check_event, edition_of
from rules.pairing.dutch_engine import pair_without_reasons
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import random_plan
from rules.pairing.event_state import is_paired, state_before
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import Edition, NoPairing, Numbering

Json = dict[str, Any]
Work = TypeVar("Work")
Answer = TypeVar("Answer")
Tell = Callable[[int, int], None]
#: Fewer pieces of work than this are done in this process.
ALONE = 4
#: Record 192 begins with this → the pairing system's name. A report that names none is of a Dutch Swiss.
_SYSTEM_OF: tuple[tuple[str, str], ...] = (
    ("FIDE_DUTCH", "dutch"),
    ("DUTCH", "dutch"),
    *(
        (name, "berger")
        for name in (
            "BERGER", "FIDE_ROUNDROBIN", "CUSTOM_ROUNDROBIN", "FIDE_DOUBLEROUNDROBIN", "CUSTOM_DOUBLEROUNDROBIN",
        )
    ),
)  # fmt: skip


class PairingToolError(ValueError):
    """A file cannot be paired or checked; str() names it and says why and what to do."""


def pair_file(
    path: Path,
    round_number: int | None = None,
    system: str | None = None,
    edition: Edition | None = None,
    numbering: Numbering = "engines",
) -> Json:
    """The pairing of one round of a report: `{"round", "pairs", "bye", "reasons"}`, and "impossible" with a reason.

    Without `round_number` the first round that is not paired. The rounds before are taken as given, of the column of
    the round only the announced absences. Raises `PairingToolError`.
    """
    event = _read(path)
    number = _next_round(event) if round_number is None else round_number
    if event.rounds is not None and number > event.rounds:
        raise PairingToolError(
            _("{file}: all {rounds} planned rounds are paired; there is no round {number}.").format(
                file=path, rounds=event.rounds, number=number
            )
        )
    name = system or _system_of(event, path)
    if name not in SYSTEMS:
        raise PairingToolError(
            _("The pairing system {name!r} is not known. Known are: {known}.").format(
                name=name, known=", ".join(sorted(SYSTEMS))
            )
        )
    try:
        state = state_before(event, number, numbering, edition or edition_of(event))
    except ValueError as error:
        raise PairingToolError(f"{path}:1:1: {error}") from None  # what is missing belongs to the head of the file
    try:
        answer = SYSTEMS[name](state)
    except NoPairing as error:
        return {"round": number, "pairs": [], "bye": None, "reasons": [], "impossible": str(error)}
    return {
        "round": number,
        "pairs": [list(pair) for pair in answer.pairs],
        "bye": answer.bye,
        "reasons": list(answer.reasons),
    }


def _next_round(event: TrfEvent) -> int:
    number = 1
    while is_paired(event, number):
        number += 1
    return number


def _system_of(event: TrfEvent, path: Path) -> str:
    """The system that a report names. Raises `PairingToolError` for one that is not known here."""
    code = event.system.upper()
    found = next((name for start, name in _SYSTEM_OF if code.startswith(start)), "" if code else "dutch")
    if not found:
        words = _("{file}: it was paired by {system} (record 192), which is not known here. Known are: {known}.")
        raise PairingToolError(words.format(file=path, system=event.system, known=", ".join(sorted(SYSTEMS))))
    return found


def player_names(path: Path) -> dict[int, str]:
    """The players of a report by number. Raises `PairingToolError`."""
    return {player.start_rank: player.name for player in _read(path).players}


def _read(path: Path) -> TrfEvent:
    try:
        return read_report(path)
    except StandingsError as error:
        raise PairingToolError(str(error)) from None


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """One file to check, rounds `first` to `last` (None = to the end), perhaps under another edition."""

    path: Path
    first: int = 1
    last: int | None = None
    edition: Edition | None = None
    numbering: Numbering = "engines"


def check_file(request: CheckRequest) -> Json:
    """Re-pairs a finished event and compares; see `hallkiosk check`. A file that cannot be judged gets "error"."""
    try:
        event = _read(request.path)
        # Who names an edition means the Dutch system, whatever the report says.
        name = "dutch" if request.edition is not None else _system_of(event, request.path)
        pair = pair_without_reasons if name == "dutch" else SYSTEMS[name]
        rounds = check_event(event, request.first, request.last, request.numbering, request.edition, pair)
        differences = ranking_differences(event, str(request.path))
    except StandingsError as error:
        return {"file": str(request.path), "rounds": [], "ranking": None, "error": str(error)}
    except ValueError as error:
        words = str(error)
        if str(request.path) not in words:
            words = f"{request.path}:1:1: {words}"
        return {"file": str(request.path), "rounds": [], "ranking": None, "error": words}
    ranking = None if differences is None else {"same": not differences, "differences": differences}
    return {"file": str(request.path), "rounds": [_round(check) for check in rounds], "ranking": ranking}


def _round(check: RoundCheck) -> Json:
    return {
        "round": check.number,
        "same": check.same,
        "expected": [list(pair) for pair in check.expected],
        "found": [list(pair) for pair in check.found],
        "bye": [check.expected_bye, check.found_bye],
        "differences": list(check.differences),
    }


def verdict(answers: Sequence[Json]) -> int:
    """The exit code of a check: 2 if a file could not be judged, 1 if something differs, else 0."""
    if any("error" in answer for answer in answers):
        return 2
    same = all(
        all(found["same"] for found in answer["rounds"]) and (answer["ranking"] is None or answer["ranking"]["same"])
        for answer in answers
    )
    return 0 if same else 1


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """One event to generate: its seed, the values that are fixed (fields of `EventPlan`), and where it goes."""

    seed: int
    fixed: tuple[tuple[str, Any], ...]
    path: Path


def generate_file(request: GenerateRequest) -> Json:
    """Plays a random event and writes it as a TRF26 file with its seed and parameters inside."""
    event = generate(random_plan(request.seed, **dict(request.fixed)))
    data = write_trf26(event)
    new = request.path.with_suffix(".new")
    new.write_bytes(data)
    new.replace(request.path)
    return {
        "file": str(request.path),
        "seed": request.seed,
        "players": len(event.players),
        "rounds": event.paired_rounds,
        "planned": event.rounds,
    }


def spread(
    work: Sequence[Work], do: Callable[[Work], Answer], tell: Tell, processes: int | None = None
) -> Iterator[Answer]:
    """`do` for each piece of work, in order, on all cores when there are many; `tell` after each."""
    total = len(work)
    count = processes or os.cpu_count() or 1
    if total < ALONE or count == 1:
        for done, item in enumerate(work, 1):
            yield do(item)
            tell(done, total)
        return
    # Spawned, not forked: a fork of a process with threads may stand still.
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        chunk = max(1, min(16, total // (count * 4)))
        for done, answer in enumerate(pool.map(do, work, chunksize=chunk), 1):
            yield answer
            tell(done, total)
