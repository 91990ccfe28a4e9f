"""What the records of a report cannot say, in lines of remarks that this program reads again.

They have the form of the integrity log's lines: `KIND @ Round n: what`, in ASCII, players by number. A line of another
program, or one that does not fit, says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rules.interchange.csv_layouts import HIGHEST_RATING
from rules.tournament.book import TournamentState
from rules.tournament.book_intents import TakenNote, TakeOver
from rules.tournament.integrity import KINDS, NO_LONGER_FIDE
from rules.tournament.rank_events import DECIMAL

_LINE = re.compile(r"(?P<kind>[A-Z][A-Za-z-]*(?: [a-z-]+)*) @ Round (?P<round>\d{1,3}): (?P<what>.*)")
_EXIT = re.compile(re.escape(NO_LONGER_FIDE) + r"(\d{1,3})")


def state_lines(state: TournamentState) -> tuple[str, ...]:
    """The lines for what would be lost otherwise: who left and when, flags, ratings, places by hand, lots."""
    return tuple(_lines(state))


def _lines(state: TournamentState) -> Iterator[str]:
    left: dict[tuple[str, int], list[int]] = {}
    for tpn, first in sorted(state.withdrawn.items()):
        left.setdefault(("Expelled" if tpn in state.expelled else "Withdrawn", first), []).append(tpn)
    for (kind, first), players in sorted(left.items(), key=lambda item: (item[0][1], item[0][0])):
        yield _line(kind, first, players)
    now = max(1, len(state.rounds))
    if state.no_half_bye:
        yield _line("No half-point bye", now, sorted(state.no_half_bye))
    for tpn, ratings in sorted(state.round_ratings.items()):
        for first, rating in sorted(ratings.items()):
            yield f"Rating @ Round {first}: {tpn}={rating}"
    for tpn, value in sorted(state.outside.items()):
        yield f"Value from outside @ Round {now}: {tpn}={value}"
    for each in state.tied_orders:
        yield _line("Order by hand", now, each.order)
    for lot in state.lots.values():
        if lot.what.isascii() and lot.outcome.isascii() and "=" not in lot.what:
            yield f"Lot @ Round {now}: {lot.what}={lot.seed} {lot.outcome}"


def _line(kind: str, number: int, players: Iterable[int]) -> str:
    return f"{kind} @ Round {number}: {' '.join(map(str, players))}"


@dataclass(slots=True)
class _Told:
    """What lines have told so far, as the fields of `TakeOver`."""

    left: list[tuple[int, int, bool]] = field(default_factory=list)
    no_half_bye: list[int] = field(default_factory=list)
    notes: list[TakenNote] = field(default_factory=list)
    ratings: list[tuple[int, int, int]] = field(default_factory=list)
    outside: list[tuple[int, str]] = field(default_factory=list)
    orders: list[tuple[int, ...]] = field(default_factory=list)
    lots: list[tuple[str, int, str]] = field(default_factory=list)
    fide_exit: int | None = None


def _players(what: str) -> tuple[int, ...]:
    """Numbers with blanks between them. Raises `ValueError`."""
    found = tuple(int(word) for word in what.split())
    if not found or min(found) < 1 or len(set(found)) < len(found):
        raise ValueError(what)
    return found


def _left(is_expelled: bool) -> Callable[[_Told, int, str], None]:
    def take(told: _Told, number: int, what: str) -> None:
        told.left += [(tpn, number, is_expelled) for tpn in _players(what)]

    return take


def _no_half_bye(told: _Told, number: int, what: str) -> None:
    told.no_half_bye += _players(what)


def _rating(told: _Told, number: int, what: str) -> None:
    tpn, rating = (int(part) for part in what.split("="))
    if number < 2 or not 0 < rating <= HIGHEST_RATING:
        raise ValueError(what)
    told.ratings.append((tpn, number, rating))


def _outside(told: _Told, number: int, what: str) -> None:
    tpn, value = what.split("=")
    if not DECIMAL.fullmatch(value):
        raise ValueError(value)
    told.outside.append((int(tpn), value))


def _order(told: _Told, number: int, what: str) -> None:
    told.orders.append(_players(what))


def _lot(told: _Told, number: int, what: str) -> None:
    name, rest = what.split("=", 1)
    seed, outcome = rest.split(" ", 1)
    told.lots.append((name, int(seed), outcome))


#: Kind of line → what it says.
_READERS: Mapping[str, Callable[[_Told, int, str], None]] = {
    "Withdrawn": _left(False),
    "Expelled": _left(True),
    "No half-point bye": _no_half_bye,
    "Rating": _rating,
    "Value from outside": _outside,
    "Order by hand": _order,
    "Lot": _lot,
}


def with_lines(taken: TakeOver, lines: Iterable[str], players: frozenset[int]) -> TakeOver:
    """What is taken over from a report, with what its remarks say of these `players` besides."""
    told = _Told()
    for line in lines:
        exited = _EXIT.fullmatch(line.strip())
        if exited is not None:
            told.fide_exit = int(exited[1]) if told.fide_exit is None else told.fide_exit
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        kind, number, what = match["kind"], int(match["round"]), match["what"]
        if kind in KINDS:
            before, arrow, after = what.partition(" => ")
            if arrow:
                told.notes.append(TakenNote(kind, number, _plain(before), _plain(after)))
        elif kind in _READERS:
            try:
                _READERS[kind](told, number, what)
            except ValueError:
                continue
    upcoming = len(taken.rounds) + 1
    left = tuple((tpn, min(first, upcoming), out) for tpn, first, out in told.left if tpn in players)
    gone = {tpn: first for tpn, first, _expelled in left}
    changes: dict[str, Any] = {
        "byes": tuple(b for b in taken.byes if not (b[2] == "Z" and b[0] in gone and b[1] >= gone[b[0]])),
        "left": left,
        "no_half_bye": tuple(tpn for tpn in told.no_half_bye if tpn in players),
        "notes": tuple(told.notes),
        "ratings": tuple(each for each in told.ratings if each[0] in players),
        "outside": tuple(each for each in told.outside if each[0] in players),
        "orders": tuple(each for each in told.orders if set(each) <= players),
        "lots": tuple(told.lots),
        "fide_exit": told.fide_exit,
    }
    return replace(taken, **changes)


def _plain(text: str) -> str:
    return "" if text == "-" else text
