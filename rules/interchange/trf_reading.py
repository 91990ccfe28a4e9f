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
    coloured_points: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    players: list[TrfPlayer] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)
    declared_players: tuple[int, int] | None = None

    def add(self, name: str, value: Any) -> None:
        self.lists.setdefault(name, []).append(value)

    def adjust(self, line: int, column: int, what: str) -> None:
        self.adjustments.append(Adjustment(line, column, what))

    def refuse(self, line: int, column: int, what: str, remedy: str) -> None:
        self.defects.append(Defect(line, column, what, remedy))

    def keep(self, line: int, text: str) -> None:
        self.add("foreign", ForeignLine(text.rstrip(), line))

    def set_once(self, line: int, name: str, value: Any) -> None:
        """A header field that two records may state: the first statement stands, a different one is reported."""
        if self.header.setdefault(name, value) != value:
            self.adjust(line, 1, _("this record contradicts an earlier one and is ignored"))
