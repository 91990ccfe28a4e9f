"""From one generation of the tournament report to another: what is said in other words, and what cannot be said.

TRF26 says everything the model holds except what only engines know; TRF06 has the header, the players and record 013;
the engines read TRF16 with records of their own. `translated` answers an event that the writer of that form can put on
paper whole, and names every change with the line of the record it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from gettext import gettext as _
from types import MappingProxyType

from rules.interchange.errors import Adjustment
from rules.interchange.trf_acceleration import as_fictitious, as_ranges
from rules.interchange.trf_checks import earned_half_points
from rules.interchange.trf_columns import ROUND_WIDTH, STATIC_LENGTH
from rules.interchange.trf_model import (
    UNKNOWN_RESULT,
    Abnormal,
    Absence,
    Cell,
    Forbidden,
    ForeignLine,
    PointSystem,
    TrfEvent,
    TrfPlayer,
)
from rules.interchange.trf_reader import TRF26_RECORDS
from rules.interchange.trf_team_lines import old_team_lines
from rules.interchange.trf_teams import read_teams
from rules.interchange.trf_writer import Generation

#: Field of the event → the records that state it.
_RECORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "rounds": ("142", "XXR"),
        "initial_colour": ("152", "XXC"),
        "rank_order": ("XXC",),
        "point_system": ("162", "XXS", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"),
        "rating_basis": ("172",),
        "paired_by": ("182",),
        "system": ("192",),
        "tie_breaks": ("202",),
        "standing_order": ("212",),
        "coded_control": ("222",),
        "absences": ("240", "330"),
        "absent_next": ("XXZ",),
        "accelerations": ("250",),
        "fictitious": ("XXA",),
        "forbidden": ("260", "XXP"),
        "abnormal": ("299",),
        "comments": ("###",),
    }
)
#: What TRF06 has no record for, and what engines read none of.
_NOT_IN_TRF06 = tuple(_RECORDS)
_NOT_FOR_ENGINES = (
    "rating_basis", "paired_by", "system", "tie_breaks", "standing_order", "coded_control", "absences", "accelerations",
    "abnormal",
)  # fmt: skip
#: The name field of a player line.
_NAME_WIDTH = 33

#: Records without which a program has to assume something → what this one assumes.
_ASSUMED: tuple[tuple[tuple[str, ...], Callable[[], str]], ...] = (
    (("142", "XXR"), lambda: _("record 142 is missing: the event is taken to have the rounds that are told")),
    (_RECORDS["point_system"], lambda: _("record 162 is missing: a win counts 1, a draw ½, a loss 0, a PAB a win")),
    (("192",), lambda: _("record 192 is missing: an individual Swiss is taken for the Dutch system of 2026")),
    (("202", "212"), lambda: _("records 202 and 212 are missing: ties are broken by BH/C1, BH, SB")),
)


@dataclass(slots=True)
class _Change:
    """An event on its way, and what has been changed so far."""

    event: TrfEvent
    adjustments: list[Adjustment] = field(default_factory=list)

    def line_of(self, name: str) -> int:
        """The first line that states a field; 1 when the file has none."""
        return min((self.event.records[c] for c in _RECORDS[name] if c in self.event.records), default=1)

    def tell(self, name: str, what: str) -> None:
        self.adjustments.append(Adjustment(self.line_of(name), 1, what))

    def drop(self, name: str) -> None:
        """Take a field out of the event, and say so."""
        empty = getattr(_EMPTY, name)
        if getattr(self.event, name) == empty:
            return
        codes = [code for code in _RECORDS[name] if code in self.event.records] or [_RECORDS[name][0]]
        self.tell(name, _("record {code} has no place in this form; left out").format(code=", ".join(codes)))
        self.event = replace(self.event, **{name: empty})


_EMPTY = TrfEvent(players=())


def translated(event: TrfEvent, generation: Generation, file: str = "") -> tuple[TrfEvent, tuple[Adjustment, ...]]:
    """The event as a form can say it, and everything that was put into other words or left out.

    For the engines (TRFX, TRFBX) an adjourned game is a draw (C.04.2 3.1), accelerations become values per player, and
    the byes announced for the next round stand in its column. Raises InterchangeError when the team records, which
    TRF06 states in its own way, cannot be read.
    """
    change = _Change(event)
    _cut_names(change)
    _TRANSLATIONS[generation](change, file)
    return change.event, tuple(sorted(change.adjustments))


def assumed(event: TrfEvent) -> tuple[Adjustment, ...]:
    """The records a report does not have, and what is assumed in their place; said at its first line.

    A TRF26 report may leave out a point system that is the usual one.
    """
    may_lack = _RECORDS["point_system"] if TRF26_RECORDS & event.records.keys() else ()
    return tuple(
        Adjustment(1, 1, text())
        for codes, text in _ASSUMED
        if codes != may_lack and not any(code in event.records for code in codes)
    )


def _cut_names(change: _Change) -> None:
    for player in change.event.players:
        if len(player.name) > _NAME_WIDTH:
            what = _("player {number} ({name}): the name is cut at {width} characters")
            what = what.format(number=player.start_rank, name=player.name, width=_NAME_WIDTH)
            change.adjustments.append(Adjustment(max(player.line, 1), 15, what))
    change.event = replace(
        change.event,
        players=tuple(replace(player, name=player.name[:_NAME_WIDTH].rstrip()) for player in change.event.players),
    )


# ---------------------------------------------------------------------------------------------- TRF26


def _to_trf26(change: _Change, _file: str) -> None:
    event = change.event
    rounds = max((len(player.cells) for player in event.players), default=0)
    if event.rounds is None and rounds:
        what = _("record 142: {rounds} rounds, as many as the rows have; correct it if more are planned")
        change.tell("rounds", what.format(rounds=rounds))
        change.event = replace(event, rounds=rounds)
    if event.fictitious:
        change.tell("fictitious", _("the accelerations of records XXA are told in records 250"))
        change.event = replace(change.event, fictitious=(), accelerations=as_ranges(event))
    if event.absent_next:
        next_round = event.paired_rounds + 1
        change.tell("absent_next", _("record XXZ is told in record 240, round {round}").format(round=next_round))
        absence = Absence("Z", next_round, event.absent_next)
        change.event = replace(change.event, absent_next=(), absences=(*change.event.absences, absence))
    _forbidden_rounds(change)
    _points_of_results(change)


def _forbidden_rounds(change: _Change) -> None:
    """Record 260 wants the first and the last round."""
    rounds = change.event.rounds
    whole = [record for record in change.event.forbidden if not record.first_round and not record.last_round]
    if not whole or rounds is None:
        return
    change.tell("forbidden", _("record XXP is told in record 260 for all rounds"))
    change.event = replace(
        change.event,
        forbidden=tuple(Forbidden(r.ids, 1, rounds) if r in whole else r for r in change.event.forbidden),
    )


#: Kind of record 299 → the field of the point system that record 162 cannot state apart, and the one it goes by.
_APART: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "+": ("forfeit_win", "win"),
        "-": ("forfeit_loss", "zero_bye"),
        "F": ("full_bye", "win"),
        "H": ("half_bye", "draw"),
    }
)


def _points_of_results(change: _Change) -> None:
    """Points of byes and forfeits that record 162 does not tell apart are abnormal points of everybody."""
    system, records = change.event.point_system, []
    ids = tuple(player.start_rank for player in change.event.players)
    for kind, (name, usual) in _APART.items():
        if getattr(system, name) != getattr(system, usual):
            records.append(Abnormal(kind, getattr(system, name), 0, ids))
    if records:
        change.tell("point_system", _("points that record 162 cannot say are told in records 299"))
        plain = replace(system, **{name: getattr(system, usual) for name, usual in _APART.values()})
        # Earlier records of the file are exceptions to the system and must come after it.
        change.event = replace(change.event, point_system=plain, abnormal=(*records, *change.event.abnormal))


# ---------------------------------------------------------------------------------------------- TRF16 and TRF06


def _to_trf16(change: _Change, _file: str) -> None:
    _adjourned(change, "", _("{who}, round {round}: the form has no sign for an adjourned game; left without result"))


def _adjourned(change: _Change, result: str, what: str) -> None:
    players = []
    for player in change.event.players:
        cells = list(player.cells)
        for at, cell in enumerate(cells):
            if cell.result == UNKNOWN_RESULT:
                who = _("player {number} ({name})").format(number=player.start_rank, name=player.name)
                column = STATIC_LENGTH + ROUND_WIDTH * (at + 1)
                text = what.format(who=who, round=at + 1)
                change.adjustments.append(Adjustment(max(player.line, 1), column, text))
                cells[at] = replace(cell, result=result)
        changed = replace(player, cells=tuple(cells))
        if changed != player and player.points is not None:
            changed = replace(changed, points=earned_half_points(change.event, changed, changed.cells))
        players.append(changed)
    change.event = replace(change.event, players=tuple(players))


def _to_trf06(change: _Change, file: str) -> None:
    _to_trf16(change, file)
    _old_teams(change, file)
    for name in _NOT_IN_TRF06:
        change.drop(name)
    change.event = replace(change.event, comment_places=())


def _old_teams(change: _Change, file: str) -> None:
    """Of the records kept as they stand only 013 is known to every reader; one message for each other code."""
    event = change.event
    codes = {line.code for line in event.foreign}
    if "310" in codes and "013" not in codes:
        first = next(line.line for line in event.foreign if line.code == "310")
        change.adjustments.append(Adjustment(max(first, 1), 1, _("the teams of records 310 are told in records 013")))
        change.event = replace(event, foreign=(*event.foreign, *old_team_lines(read_teams(event, file))))
    told: set[str] = set()
    for line in change.event.foreign:
        if line.code != "013" and line.code not in told:
            told.add(line.code)
            what = _("record {code} has no place in this form; left out").format(code=line.code)
            change.adjustments.append(Adjustment(max(line.line, 1), 1, what))
    kept: tuple[ForeignLine, ...] = tuple(line for line in change.event.foreign if line.code == "013")
    change.event = replace(change.event, foreign=kept)
    if event.is_team and not kept:
        _boards_without_team(change)


def _boards_without_team(change: _Change) -> None:
    """Without team records nobody can have left a board empty: that is a full-point bye, or an absence."""
    players = []
    for player in change.event.players:
        cells = list(player.cells)
        for at, cell in enumerate(cells):
            if not cell.opponent and cell.result in _BOARD_LEFT_EMPTY:
                cells[at] = Cell(0, "-", _BOARD_LEFT_EMPTY[cell.result])
                what = _("player {number} ({name}), round {round}: no team is told, so “{sign}” becomes {result}")
                what = what.format(
                    number=player.start_rank, name=player.name, round=at + 1, sign=cell.result, result=cells[at].result
                )
                column = STATIC_LENGTH + ROUND_WIDTH * (at + 1)
                change.adjustments.append(Adjustment(max(player.line, 1), column, what))
        players.append(replace(player, cells=tuple(cells)))
    change.event = replace(change.event, players=tuple(players))


#: Result of a board without opponent → the bye that is worth the same.
_BOARD_LEFT_EMPTY: Mapping[str, str] = MappingProxyType({"+": "F", "-": "Z"})


# ---------------------------------------------------------------------------------------------- engines


def _to_engine(change: _Change, file: str) -> None:
    event, next_round = change.event, change.event.paired_rounds + 1
    _adjourned(change, "=", _("{who}, round {round}: adjourned, and for pairing a draw"))
    if event.accelerations:
        change.tell("accelerations", _("the accelerations of records 250 are told in records XXA"))
        change.event = replace(change.event, accelerations=(), fictitious=as_fictitious(event))
    _announced_byes(change, next_round)
    _forbidden_now(change, next_round)
    for name in _NOT_FOR_ENGINES:
        change.drop(name)
    _old_teams(change, file)


def _announced_byes(change: _Change, next_round: int) -> None:
    """Byes of the next round stand in its column; those of later rounds have no place."""
    byes = {number: a.kind for a in change.event.absences if a.round == next_round for number in a.ids}
    if byes and not change.event.is_team and next_round <= (change.event.rounds or next_round):
        change.tell(
            "absences", _("the byes of record 240 stand in the column of round {round}").format(round=next_round)
        )
        players = tuple(_with_bye(p, next_round, byes.get(p.start_rank, "")) for p in change.event.players)
        change.event = replace(change.event, players=players)
    later = tuple(absence for absence in change.event.absences if absence.round > next_round)
    change.event = replace(change.event, absences=later)


def _with_bye(player: TrfPlayer, round_no: int, kind: str) -> TrfPlayer:
    if not kind or not player.cell(round_no).blank:
        return player
    blanks = [Cell(0, "-", "Z")] * (round_no - 1 - len(player.cells))
    return replace(player, cells=(*player.cells[: round_no - 1], *blanks, Cell(0, "-", kind), *player.cells[round_no:]))


def _forbidden_now(change: _Change, next_round: int) -> None:
    """Record XXP holds for the round to be paired, whichever that is."""
    kept = []
    for record in change.event.forbidden:
        whole = not record.first_round and not record.last_round
        if whole or record.first_round <= next_round <= (record.last_round or next_round):
            kept.append(Forbidden(record.ids))
    if tuple(kept) != change.event.forbidden:
        what = _(
            "the pairs of record 260 that must not meet in round {round} are told in record XXP, the others left out"
        )
        change.tell("forbidden", what.format(round=next_round))
        change.event = replace(change.event, forbidden=tuple(kept))


def _to_trfx(change: _Change, file: str) -> None:
    _to_engine(change, file)
    system = change.event.point_system
    _only(change, replace(system, unknown=system.draw))


def _to_trfbx(change: _Change, file: str) -> None:
    _to_engine(change, file)
    s = change.event.point_system
    plain = PointSystem(
        win=s.win, draw=s.draw, loss=s.loss, zero_bye=s.zero_bye, forfeit_loss=s.forfeit_loss, pab=s.pab,
        forfeit_win=s.win, full_bye=s.win, half_bye=s.draw, unknown=s.draw,
    )  # fmt: skip
    _only(change, plain)


def _only(change: _Change, system: PointSystem) -> None:
    if change.event.point_system != system:
        change.tell("point_system", _("points of byes, forfeits or Black that this form cannot say are left out"))
        change.event = replace(change.event, point_system=system)


_TRANSLATIONS: Mapping[Generation, Callable[[_Change, str], None]] = MappingProxyType(
    {"TRF06": _to_trf06, "TRF16": _to_trf16, "TRF26": _to_trf26, "TRFX": _to_trfx, "TRFBX": _to_trfbx}
)
