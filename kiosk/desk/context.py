"""What the desk knows when an action is wanted, and what the action is about. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hallnet.book_views import BookView, PairView, PlayerView, PrizesView, SheetView, StepDoneView
from hallnet.views import BoardRow, CallView, DeviceView, HallSnapshot, OfficeView, StandingRow
from kiosk.desk.hand import HandMade

#: Board states in which a game can be put right, punished or adjourned.
UNDER_WAY = frozenset({"playing", "paused", "ended"})


@dataclass(frozen=True, slots=True)
class Place:
    """One board of one round: who plays there, the line of the hall if it is this round's, the result as a code.

    `left` is what both clocks show now (ms), None without clocks.
    """

    round: int
    board: int
    white: str
    black: str
    white_tpn: int = 0
    black_tpn: int = 0
    row: BoardRow | None = None
    code: str = ""
    adjourned: bool = False
    left: tuple[int, int] | None = None

    @property
    def names(self) -> str:
        """Both names."""
        return f"{self.white} - {self.black}"


@dataclass(frozen=True, slots=True)
class Context:
    """Everything an action may look at. Empty where the desk does not know it (yet), or nothing is selected."""

    page: str = "hall"
    hall: HallSnapshot | None = None
    book: BookView = field(default_factory=BookView)
    sheet: SheetView = field(default_factory=SheetView)
    office: OfficeView | None = None
    hand: HandMade | None = None
    prizes: PrizesView | None = None
    place: Place | None = None
    pair: PairView | None = None
    player: PlayerView | None = None
    standing: StandingRow | None = None
    step: StepDoneView | None = None
    device: DeviceView | None = None
    call: CallView | None = None
    regulation_name: str = ""
    award: str = ""
    visits: bool = False

    @property
    def phase(self) -> str:
        """Where the event stands, "" without contact."""
        return self.hall.head.phase if self.hall else ""

    @property
    def round(self) -> int:
        """The round of the boards in the hall."""
        return self.hall.boards.round if self.hall else 0

    @property
    def next_round(self) -> int:
        """The round that is not public yet."""
        return self.round if self.phase == "draft" else self.round + 1

    @property
    def rounds(self) -> int:
        """How many rounds were announced."""
        return self.hall.head.rounds if self.hall else 0

    @property
    def by(self) -> str:
        """Who rules at this desk."""
        return (self.hall.head.arbiter if self.hall else "") or "arbiter"

    def regulation(self, name: str, default: int = 0) -> int:
        """A number of the regulations."""
        value = (self.book.regulations or {}).get(name, default)
        return value if isinstance(value, int) else default

    @property
    def names(self) -> Mapping[int, str]:
        """Everybody on the list: number → name."""
        if self.book.players:
            return {p.tpn: p.name for p in self.book.players}
        rows = self.hall.standings.rows if self.hall else ()
        return {row.tpn: row.name for row in rows}

    def name(self, tpn: int) -> str:
        """The name of a player, or his number."""
        return self.names.get(tpn, str(tpn))

    def byes_of(self, tpn: int) -> dict[int, str]:
        """The byes a player has or has asked for: round → kind."""
        found = {int(n): given[str(tpn)] for n, given in self.book.byes.items() if str(tpn) in given}
        return dict(sorted(found.items()))

    @property
    def available(self) -> Mapping[int, str]:
        """Who can be paired in the next round: number → name."""
        absent = self.book.byes.get(str(self.next_round), {})
        return {
            p.tpn: p.name
            for p in self.book.players
            if p.status == "in" and str(p.tpn) not in absent and p.first_round <= self.next_round
        }
