"""Five levels of warning as data, and how a person who has seen one goes on.

A decision collects what speaks against an intent (`Warned`). Level 1 is a line of status. From level 2 on the intent
is refused with a `token`; whoever sends it again with that token (`intents.Confirmed`) has seen the very same words.
Level 4 asks twice, with another token for the second step. Level 5 is refused as long as the event is under FIDE
handling, and is level 4 outside it. Nothing here can be switched off, and no screen can leave it out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

Level = Literal[1, 2, 3, 4, 5]


@dataclass(frozen=True, slots=True)
class Kind:
    """What is warned of: how loudly, and by which article of the Handbook."""

    level: Level
    article: str


#: Every warning there is. Faces print this table; decisions look their level up here and nowhere else.
WARNINGS: Mapping[str, Kind] = {
    "adjourned-open": Kind(2, "C.04.2 3.1"),
    "adjourned-result": Kind(3, "C.04.2 3.1"),
    "adjourns": Kind(2, "C.04.2 3.1"),
    "acceleration-changed": Kind(5, "C.04.7 1.2"),
    "bye-barred": Kind(3, "C.04.1 BR 4"),
    "bye-full": Kind(2, "C.05 6.7.4"),
    "bye-second": Kind(3, "C.05 6.7.4"),
    "bye-not-lowest": Kind(3, "C.04.3 C5"),
    "colour-range": Kind(3, "C.04.1 BR 6"),
    "colour-repeated": Kind(3, "C.04.1 BR 7"),
    "colours-both-against": Kind(2, "C.04.3 1.7"),
    "correction-kept": Kind(3, "C.04.2 4.3"),
    "correction-late": Kind(4, "C.04.2 4.3"),
    "correction-report": Kind(3, "C.04.2 4.3"),
    "entry-double": Kind(2, "C.04.2 2.1"),
    "engine-differs": Kind(4, "C.04.1 BR 9"),
    "expelled": Kind(4, "Laws 12.9"),
    "fide-exit": Kind(4, "C.02"),
    "forbidden-late": Kind(5, "C.05 5.2"),
    "forbidden-pair": Kind(3, "C.05 5.2"),
    "import-differs": Kind(3, "C.04.1 BR 9"),
    "late-entry-closed": Kind(3, "C.04.2 2.4"),
    "list-old": Kind(2, "C.04.2 2.1"),
    "no-engine": Kind(3, "C.04.3 1.9"),
    "ordered-by-hand": Kind(3, "C.07 4.1"),
    "pairs-replaced": Kind(3, "C.04.2 4.4"),
    "points-changed": Kind(5, "Laws 10.1"),
    "ratings-differ": Kind(2, "C.04.2 2.1"),
    "ratings-updated": Kind(3, "C.04.2 2.1"),
    "rematch": Kind(3, "C.04.1 BR 2"),
    "renumbers": Kind(3, "C.04.2 2.3"),
    "renumbers-unequal": Kind(3, "C.04.2 2.2"),
    "robin-incomplete": Kind(3, "C.05"),
    "round-board": Kind(3, "C.04.2 4.4"),
    "rounds-changed": Kind(4, "C.04.1 BR 1"),
    "rounds-no-longer-hold": Kind(3, "C.04.3 1.8"),
    "sheet-started": Kind(5, "C.04.2 4.4"),
    "sheet-withdrawn": Kind(3, "C.04.2 4.4"),
    "tie-breaks-advised": Kind(2, "C.07 10"),
    "tie-breaks-changed": Kind(4, "C.07 4.1"),
}


@dataclass(frozen=True, slots=True)
class Warned:
    """One thing that speaks against an intent: a key of `WARNINGS` and a sentence for the person who wants it."""

    key: str
    words: str

    @property
    def level(self) -> Level:
        """How loudly."""
        return WARNINGS[self.key].level

    @property
    def article(self) -> str:
        """By which article of the Handbook."""
        return WARNINGS[self.key].article


def level_of(warnings: Sequence[Warned], fide_mode: bool) -> int:
    """The loudest level; outside FIDE handling nothing is louder than 4. 0 without warnings."""
    loudest = max((warned.level for warned in warnings), default=0)
    return loudest if fide_mode else min(loudest, 4)


def token(warnings: Sequence[Warned], step: int) -> str:
    """Eight hex digits that stand for exactly these words, at the first or second step."""
    words = "\n".join(f"{warned.key} {warned.words}" for warned in warnings)
    return hashlib.sha256(f"{step}\n{words}".encode()).hexdigest()[:8]


#: Level → what the person is asked, after the words. The default answer is always no.
QUESTIONS: Mapping[int, Callable[[], str]] = {
    2: lambda: _("Acknowledge to go on."),
    3: lambda: _("Go on all the same?"),
    4: lambda: _("This goes into the report and cannot be taken out of it. Confirm twice."),
    5: lambda: _("That is not possible under FIDE handling."),
}
