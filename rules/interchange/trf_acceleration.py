"""Fictitious points in the two ways of the reports: ranges of players and rounds (250), or values per player (XXA)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rules.interchange.trf_model import Acceleration, Fictitious, TrfEvent


def _rounds(event: TrfEvent) -> int:
    """The last round in which anybody can have fictitious points."""
    last = max([a.last_round for a in event.accelerations] + [len(row.half_points) for row in event.fictitious] + [0])
    return min(last, event.rounds) if event.rounds else last


def _series(event: TrfEvent) -> dict[int, tuple[int, ...]]:
    """Each player's fictitious half-points round by round, by starting rank."""
    rounds = range(1, _rounds(event) + 1)
    return {
        number: tuple(event.fictitious_half_points(number, round_no) for round_no in rounds)
        for number in sorted(player.start_rank for player in event.players)
    }


def as_fictitious(event: TrfEvent) -> tuple[Fictitious, ...]:
    """One record XXA for every player who has fictitious points, without zeros at its end."""
    found = []
    for number, values in _series(event).items():
        while values and not values[-1]:
            values = values[:-1]
        if values:
            found.append(Fictitious(number, values))
    return tuple(found)


def as_ranges(event: TrfEvent) -> tuple[Acceleration, ...]:
    """Records 250: neighbours in the list with the same values share a record for each run of equal rounds."""
    found = []
    for values, neighbours in groupby(_series(event).items(), key=lambda row: row[1]):
        numbers = [number for number, _values in neighbours]
        for first, last, value in _runs(values):
            found.append(Acceleration(value, first, last, numbers[0], numbers[-1]))
    return tuple(found)


def _runs(values: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """First round, last round and value of each run of equal values that are not 0."""
    start = 1
    for value, run in groupby(values):
        length = sum(1 for _value in run)
        if value:
            yield start, start + length - 1, value
        start += length
