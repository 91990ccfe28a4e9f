"""What is wrong with a file, said to the person who brought it.

A reader collects every defect it can see and raises them together, so that a list needs mending once and not line by
line. What it could read only by making an assumption it reports as an adjustment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Defect:
    """One fault of a file: where (line and column from 1, columns in characters), what it is, and what to do now."""

    line: int
    column: int
    what: str
    remedy: str


@dataclass(frozen=True, slots=True, order=True)
class Adjustment:
    """One place that was read leniently: where (line and column from 1) and what was assumed."""

    line: int
    column: int
    what: str


class InterchangeError(ValueError):
    """A file that cannot be taken as it is.

    `file` is the name the caller gave, `defects` all faults in file order. The text has one line for each:
    "FILE:LINE:COLUMN: what – remedy".
    """

    def __init__(self, file: str, defects: Iterable[Defect]) -> None:
        self.file = file
        self.defects: tuple[Defect, ...] = tuple(sorted(set(defects)))
        super().__init__(file, self.defects)

    def __str__(self) -> str:
        return "\n".join(f"{self.file}:{d.line}:{d.column}: {d.what} – {d.remedy}" for d in self.defects)
