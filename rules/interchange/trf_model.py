"""What a tournament report (TRF) says, as frozen values.

One model serves TRF06, TRF16 and TRF26 and the extensions of the pairing engines: records that say the same thing (142
and XXR, 152 and XXC, 162 and XXS and BBx) end in the same field. All points are half-points; dates are "YYYY/MM/DD"
when they could be understood. Records this program has no use for are kept as they stand, in `foreign`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

CellColour = Literal["w", "b", "-", ""]
InitialColour = Literal["white", "black", ""]
AbsenceKind = Literal["F", "H", "Z"]

#: Results of a game that was paired; W, D and L are games of less than one move, unrated.
GAME_RESULTS = frozenset("1=0WDL")
#: Results of a pairing that was not played.
FORFEIT_RESULTS = frozenset("+-")
#: Without opponent: PAB, full-point, half-point and zero-point bye.
BYE_RESULTS = frozenset("UFHZ")
#: A game whose result is not known when the report is written: adjourned, or a sign the reader did not understand.
UNKNOWN_RESULT = "?"
#: Announced beforehand and therefore read before a round is paired.
ABSENCE_RESULTS = frozenset("FHZ")


@dataclass(frozen=True, slots=True)
class Cell:
    """One player in one round: the opponent's starting rank (0 = none), his own colour and his result.

    `result` is one of `1 = 0 W D L + -` with an opponent ("" = the game is on, "?" = adjourned or not known), of
    `U F H Z` without; team files also have `+` and `-` without opponent (a board that the other side, or one's own,
    left empty). A cell that is wholly blank is `BLANK`: nothing is known about the player in that round.
    """

    opponent: int
    colour: CellColour
    result: str

    @property
    def blank(self) -> bool:
        """Nothing is written in this cell."""
        return not (self.opponent or self.colour or self.result)

    @property
    def played(self) -> bool:
        """A game was played and has a result."""
        return self.opponent > 0 and self.result in GAME_RESULTS

    @property
    def open(self) -> bool:
        """The game is paired and its result is not known: it is on, or it was adjourned."""
        return self.opponent > 0 and self.result in ("", UNKNOWN_RESULT)


BLANK = Cell(0, "", "")


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """One line 001.

    `start_rank` 1..9999; `sex` "m", "w" or ""; `title` a FIDE title, a national category as written, or ""; `rating`
    and `fide_id` 0 when there is none; `birth` "YYYY/MM/DD" (months and days may be 00), "YYYY" or ""; `points` in
    half-points as the file states them, None when it does not; `rank` 0 when it does not; `cells` from round 1, without
    blank cells at the end. `line` is where it stood in the file (0 = made here) and does not count when comparing.
    """

    start_rank: int
    name: str
    sex: str = ""
    title: str = ""
    rating: int = 0
    federation: str = ""
    fide_id: int = 0
    birth: str = ""
    points: int | None = None
    rank: int = 0
    cells: tuple[Cell, ...] = ()
    line: int = field(default=0, compare=False)

    def cell(self, round_no: int) -> Cell:
        """The cell of a round (from 1); `BLANK` beyond the end of the row."""
        return self.cells[round_no - 1] if 0 < round_no <= len(self.cells) else BLANK


@dataclass(frozen=True, slots=True)
class PointSystem:
    """What each result is worth, in half-points (record 162; XXS and BBx of the engines).

    `unknown` is the value of a game whose result is not known (adjourned). `black_win`, `black_draw` and `black_loss`
    are what a game is worth to Black where that differs (XXS), None where it does not.
    """

    win: int = 2
    draw: int = 1
    loss: int = 0
    forfeit_win: int = 2
    forfeit_loss: int = 0
    pab: int = 2
    full_bye: int = 2
    half_bye: int = 1
    zero_bye: int = 0
    unknown: int = 1
    black_win: int | None = None
    black_draw: int | None = None
    black_loss: int | None = None

    def value(self, cell: Cell) -> int:
        """Half-points for one cell; 0 for a blank one and for a game that has no result yet."""
        name = _VALUES.get(cell.result)
        if name is None:
            return 0
        if cell.colour == "b" and name in ("win", "draw", "loss"):
            black: int | None = getattr(self, f"black_{name}")
            if black is not None:
                return black
        return int(getattr(self, name))


#: Result code → field of `PointSystem`.
_VALUES = {
    "1": "win", "W": "win", "=": "draw", "D": "draw", "0": "loss", "L": "loss", "+": "forfeit_win", "-": "forfeit_loss",
    "U": "pab", "F": "full_bye", "H": "half_bye", "Z": "zero_bye", UNKNOWN_RESULT: "unknown",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Absence:
    """Record 240: a bye of one kind granted for a round to players (in team files: teams)."""

    kind: AbsenceKind
    round: int
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Acceleration:
    """Record 250: fictitious half-points for a range of rounds and of starting ranks (in team files: teams)."""

    half_points: int
    first_round: int
    last_round: int
    first_id: int
    last_id: int
    match_half_points: int = 0


@dataclass(frozen=True, slots=True)
class Fictitious:
    """Record XXA: one player's fictitious half-points, round by round from round 1."""

    start_rank: int
    half_points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Record 260 or XXP: these must not meet each other from round to round; 0 and 0 stand for the whole event."""

    ids: tuple[int, ...]
    first_round: int = 0
    last_round: int = 0


@dataclass(frozen=True, slots=True)
class Abnormal:
    """Record 299: other half-points than the point system gives.

    `kind` is a result code or "" (bonus or penalty, added to the score); `round` 0 stands for the whole event. W, D and
    L mean a win, a draw and a loss, whether the game is rated or not.
    """

    kind: str
    half_points: int
    round: int
    ids: tuple[int, ...]
    match_half_points: int = 0

    def sets(self, start_rank: int, round_no: int, cell: Cell) -> bool:
        """This record says what the player's result in that round is worth."""
        return (
            bool(self.kind)
            and cell.result != ""
            and cell.result in _KINDS.get(self.kind, self.kind)
            and self.round in (0, round_no)
            and (not self.ids or start_rank in self.ids)
        )


#: Kind of record 299 → the result codes it covers.
_KINDS = {"W": "1W", "D": "=D", "L": "0L"}


@dataclass(frozen=True, slots=True)
class ForeignLine:
    """A record kept as it stands; its line number does not count when comparing."""

    text: str
    line: int = field(default=0, compare=False)

    @property
    def code(self) -> str:
        """The first three characters."""
        return self.text[:3]


#: Records of team events; one of these makes a file a team file.
TEAM_CODES = frozenset({"013", "310", "300", "320", "352", "362"})


@dataclass(frozen=True, slots=True)
class TrfEvent:
    """A whole report.

    Header (record): `name` 012, `city` 022, `federation` 032, `start` 042, `end` 052, `kind` 092, `arbiter` 102,
    `deputies` 112, `control` 122, `round_dates` 132 (one per round, "" unknown), `rounds` 142 or XXR, `initial_colour`
    152 or XXC, `point_system` 162, XXS, BBx, `rating_basis` 172, `paired_by` 182, `system` 192, `tie_breaks` 202,
    `standing_order` 212, `coded_control` 222, `rank_order` XXC rank, `absences` 240, `absent_next` XXZ, `accelerations`
    250, `fictitious` XXA, `forbidden` 260 or XXP, `abnormal` 299.

    `comments` are the ### lines without the signs, in file order; `comment_places` says for each of them before which
    record it stands, as "240:2" for the second line 240, "" for the first player, "end" for the end of the file (and ""
    for comments beyond its length). `records` are the codes that the file had, each with its first line; they do not
    count when comparing.
    """

    players: tuple[TrfPlayer, ...]
    name: str = ""
    city: str = ""
    federation: str = ""
    start: str = ""
    end: str = ""
    kind: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    control: str = ""
    round_dates: tuple[str, ...] = ()
    rounds: int | None = None
    initial_colour: InitialColour = ""
    rank_order: bool = False
    point_system: PointSystem = PointSystem()
    rating_basis: str = ""
    paired_by: str = ""
    system: str = ""
    tie_breaks: tuple[str, ...] = ()
    standing_order: tuple[str, ...] = ()
    coded_control: str = ""
    absences: tuple[Absence, ...] = ()
    absent_next: tuple[int, ...] = ()
    accelerations: tuple[Acceleration, ...] = ()
    fictitious: tuple[Fictitious, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    abnormal: tuple[Abnormal, ...] = ()
    foreign: tuple[ForeignLine, ...] = ()
    comments: tuple[str, ...] = ()
    comment_places: tuple[str, ...] = ()
    records: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    @property
    def is_team(self) -> bool:
        """A team event: it has a team record."""
        return any(line.code in TEAM_CODES for line in self.foreign)

    @property
    def paired_rounds(self) -> int:
        """The last round that is paired: somebody has an opponent or the pairing-allocated bye in it."""
        return paired_rounds(self.players)

    def player(self, start_rank: int) -> TrfPlayer:
        """The player with this starting rank. Raises KeyError when there is none."""
        for player in self.players:
            if player.start_rank == start_rank:
                return player
        raise KeyError(start_rank)

    def fictitious_half_points(self, start_rank: int, round_no: int) -> int:
        """Acceleration points of a player when `round_no` is paired (XXA if he has such a line, else records 250)."""
        for row in self.fictitious:
            if row.start_rank == start_rank:
                return row.half_points[round_no - 1] if 0 < round_no <= len(row.half_points) else 0
        return sum(
            a.half_points
            for a in self.accelerations
            if a.first_round <= round_no <= a.last_round and a.first_id <= start_rank <= a.last_id
        )


def paired_rounds(players: tuple[TrfPlayer, ...]) -> int:
    """The last round in which one of these players has an opponent, a U, or a board result without opponent."""
    last = 0
    for player in players:
        for round_no in range(len(player.cells), last, -1):
            cell = player.cells[round_no - 1]
            if cell.opponent or cell.result in ("U", "+", "-"):
                last = round_no
                break
    return last
