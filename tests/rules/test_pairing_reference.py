"""Rounds on which independent engines agree: legality everywhere, and agreement is measured and printed."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from rules.pairing.legality import assert_legal
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import Colour, History, NoPairing, PairingState, RoundRecord

SHARED = Path(os.environ.get("HALLKIOSK_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
REFERENCE = SHARED / "oracle" / "dutch"
HALF_POINTS = {"1": 2, "=": 1, "+": 2, "U": 2, "H": 1, "F": 2}

pytestmark = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference rounds are not on this machine")


class Cell(NamedTuple):
    """One round column: opponent (0 = none), w, b or -, and the result letter."""

    opponent: int
    colour: str
    result: str


class Event(NamedTuple):
    """A reference file: planned rounds, initial colour, every player's columns."""

    rounds: int
    initial: Colour
    rows: dict[int, list[Cell]]

    def record(self, tpn: int, index: int) -> RoundRecord:
        row = self.rows[tpn]
        opponent, colour, result = row[index] if index < len(row) else Cell(0, "-", "Z")
        points = HALF_POINTS.get(result, 0)
        if not opponent:
            return RoundRecord(None, None, result if result in ("U", "H", "F") else "Z", points)  # type: ignore[arg-type]
        unplayed = result if result in ("+", "-") else None
        return RoundRecord(opponent, "white" if colour == "w" else "black", unplayed, points)  # type: ignore[arg-type]

    def before(self, number: int) -> PairingState:
        players = tuple(
            History(tpn, tuple(self.record(tpn, i) for i in range(number - 1))) for tpn in sorted(self.rows)
        )
        column = {tpn: row[number - 1] for tpn, row in self.rows.items() if len(row) >= number}
        absent = frozenset(tpn for tpn, cell in column.items() if not cell.opponent and cell.result in "HFZ")
        return PairingState(number, self.rounds, players, absent, self.initial)

    def found(self, number: int) -> tuple[set[tuple[int, int]], int | None]:
        column = {tpn: row[number - 1] for tpn, row in self.rows.items() if len(row) >= number}
        pairs = {(tpn, cell.opponent) for tpn, cell in column.items() if cell.opponent and cell.colour == "w"}
        return pairs, next((tpn for tpn, cell in column.items() if cell.result == "U"), None)


def read(path: Path) -> Event:
    rounds, initial, rows = 0, "white", {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("001"):
            cells = [line[start : start + 10] for start in range(89, len(line), 10)]
            rows[int(line[4:8])] = [Cell(int(c[2:6] or 0), c[7], c[9]) for c in cells]
        elif line.startswith("142"):
            rounds = int(line[3:])
        elif line.startswith("152"):
            initial = "white" if line[3:].strip() == "W" else "black"
    return Event(rounds, initial, rows)  # type: ignore[arg-type]


def replay(every: int, most_players: int) -> tuple[int, int]:
    """Pairs every n-th reference round: (rounds, rounds equal in pairs, colours and bye)."""
    rounds = same = turn = 0
    with (REFERENCE / "index.tsv").open(encoding="utf-8") as index:
        for row in csv.DictReader(index, delimiter="\t"):
            if int(row["players"]) > most_players:
                continue
            event = read(REFERENCE / "trf" / f"{row['name']}.trf")
            for number in map(int, row["agreed_rounds"].split(",")):
                impossible = row["no_pairing_round"] == str(number)
                turn += 1
                if turn % every and not (impossible and every > 1 and int(row["players"]) < 12):
                    continue
                state = event.before(number)
                rounds += 1
                if impossible:
                    with pytest.raises(NoPairing):
                        SYSTEMS["dutch"](state)
                    same += 1
                    continue
                answer = SYSTEMS["dutch"](state)
                assert_legal(state, answer)
                same += (set(answer.pairs), answer.bye) == event.found(number)
    return rounds, same


def test_a_sample_of_reference_rounds_is_legal() -> None:
    rounds, same = replay(every=60, most_players=60)
    print(f"Dutch reference rounds: {same} of {rounds} the same ({100 * same / rounds:.1f} %)")
    assert rounds > 25
    assert same / rounds > 0.95


@pytest.mark.soak
def test_all_reference_rounds_are_legal() -> None:
    rounds, same = replay(every=1, most_players=1000)
    print(f"Dutch reference rounds: {same} of {rounds} the same ({100 * same / rounds:.1f} %)")
    assert rounds > 2000
