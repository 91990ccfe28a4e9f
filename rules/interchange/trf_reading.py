"""What one file has yielded so far: the notebook that all readers of a tournament report write into."""

from __future__ import annotations

from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Any

from rules.interchange.errors import Adjustment, Defect
from rules.interchange.trf_model import ForeignLine, TrfPlayer


@dataclass(slots=True)
class Reading:
    """What has been gathered while the lines of one file are read."""

    header: dict[str, Any] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    coloured_points: dict[str, int] = field(default_factory=dict)
    players: list[TrfPlayer] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)
    #: Records 062, 072 and 082: line and number.
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Line, column, code and starting ranks (or teams) that records name.
    mentions: list[tuple[int, int, str, tuple[int, ...]]] = field(default_factory=list)
    #: The lines of the records 240, in the order of `absences`.
    absence_lines: list[int] = field(default_factory=list)
    #: Line and text of the ### lines; line and code of all records, in file order.
    comments: list[tuple[int, str]] = field(default_factory=list)
    order: list[tuple[int, str]] = field(default_factory=list)

    def add(self, name: str, value: Any) -> None:
        self.lists.setdefault(name, []).append(value)

    def adjust(self, line: int, column: int, what: str) -> None:
        self.adjustments.append(Adjustment(line, column, what))

    def refuse(self, line: int, column: int, what: str, remedy: str) -> None:
        self.defects.append(Defect(line, column, what, remedy))

    def mention(self, line: int, column: int, code: str, ids: tuple[int, ...]) -> None:
        self.mentions.append((line, column, code, ids))

    def keep(self, line: int, text: str) -> None:
        self.add("foreign", ForeignLine(text.rstrip(), line))

    def set_once(self, line: int, name: str, value: Any) -> None:
        """A header field that two records may state: the first statement stands, a different one is reported."""
        if self.header.setdefault(name, value) != value:
            self.adjust(line, 1, _("this record contradicts an earlier one and is ignored"))
