"""From a tournament report to the crosstable its tie-breaks look at, for players or for teams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from gettext import gettext as _
from gettext import ngettext

from rules.interchange.trf_model import BLANK, GAME_RESULTS, Abnormal, Cell, TrfEvent, TrfPlayer
from rules.interchange.trf_teams import TeamRecords, TrfTeam, is_team_event, read_teams
from rules.pairing.state import Colour, History, RoundRecord, Unplayed
from rules.tiebreaks.crosstable import Crosstable, Score, round_record
from rules.tiebreaks.edition import CURRENT, Edition
from rules.tiebreaks.registry import Table
from rules.tiebreaks.team import BoardPoints, TeamTable

#: What the tie-breaks are when neither the report nor anybody else names any.
DEFAULT_TIE_BREAKS = ("BH/C1", "BH", "SB")
_COLOURS: Mapping[str, Colour] = {"w": "white", "b": "black"}
_UNPLAYED: Mapping[str, Unplayed] = {"+": "+", "-": "-", "U": "U", "H": "H", "F": "F", "Z": "Z"}
_FREE = RoundRecord(None, None, "free", 0)
_ABSENT = RoundRecord(None, None, "Z", 0)


class NotYet(ValueError):
    """The report does not say enough for standings after that round; str() says what is missing."""


def is_predetermined(event: TrfEvent) -> bool:
    """Are the pairings fixed beforehand (C.07 15.2)? By record 192, else by the words of record 092."""
    if event.system:
        return any(word in event.system.upper() for word in ("ROUNDROBIN", "BERGER", "SCHEVENINGEN", "SCHILLER"))
    return bool(re.search(r"round.?robin|berger|scheveningen|rundenturnier|all.play.all", event.kind, re.IGNORECASE))


def tie_breaks_of(event: TrfEvent) -> tuple[str, ...]:
    """The codes the report names: record 212 (the full order), else 202 (among equals); () where it names none."""
    return event.standing_order or event.tie_breaks


def complete_rounds(event: TrfEvent) -> int:
    """How many rounds, from the first one on, are paired and have all their results."""
    paired = paired_rounds(event)
    return next((n - 1 for n in range(1, paired + 1) if _open_games(event, n)), paired)


def paired_rounds(event: TrfEvent, file: str = "") -> int:
    """The last round that is paired; in a team event also by the byes and forfeits of records 320 and 330.

    Raises InterchangeError when the team records cannot be read.
    """
    if not is_team_event(event):
        return event.paired_rounds
    teams = read_teams(event, file)
    byes = [number for number, team in enumerate(teams.byes.teams if teams.byes else (), 1) if team]
    return max([event.paired_rounds, *byes, *(match.round for match in teams.forfeited)])


def _open_games(event: TrfEvent, number: int) -> tuple[tuple[int, int], ...]:
    return tuple(
        (p.start_rank, p.cell(number).opponent)
        for p in event.players
        if p.cell(number).opponent > p.start_rank and p.cell(number).open
    )


def table_of(event: TrfEvent, after: int | None = None, edition: Edition = CURRENT, file: str = "") -> Table:
    """The crosstable after a round (None: after the latest one with all its results), of teams in a team event.

    Raises `NotYet` when a round up to there is not paired or has open games, and InterchangeError when the team records
    cannot be read; `file` is the name for messages.
    """
    paired = paired_rounds(event, file)
    rounds = complete_rounds(event) if after is None else after
    _refuse_unfinished(event, rounds, paired)
    if is_team_event(event):
        return _Matches(event, read_teams(event, file), rounds).table(edition)
    predetermined = is_predetermined(event)
    points = event.point_system
    records = {p.start_rank: _records(event, p, rounds, predetermined) for p in event.players}
    return Crosstable(
        tuple(History(tpn, tuple(mine)) for tpn, mine in sorted(records.items())),
        event.rounds or paired,
        predetermined,
        points.win,
        points.draw,
        points.loss,
        {p.start_rank: p.rating for p in event.players},
        _bonus(event.abnormal, [p.start_rank for p in event.players], rounds),
        edition,
    )


def _refuse_unfinished(event: TrfEvent, rounds: int, paired: int) -> None:
    if not 0 <= rounds <= paired:
        raise NotYet(
            ngettext(
                "There are no standings after round {round}: {count} round is paired.",
                "There are no standings after round {round}: {count} rounds are paired.",
                paired,
            ).format(round=rounds, count=paired)
        )
    for number in range(1, rounds + 1):
        if games := _open_games(event, number):
            raise NotYet(
                _("Round {round}: {games} without a result. Ask for the standings after round {before}.").format(
                    round=number, games=", ".join(f"{a} - {b}" for a, b in games), before=number - 1
                )
            )


def _records(event: TrfEvent, player: TrfPlayer, rounds: int, predetermined: bool) -> list[RoundRecord]:
    return [_record(event, player, number, predetermined) for number in range(1, rounds + 1)]


def _record(event: TrfEvent, player: TrfPlayer, number: int, predetermined: bool) -> RoundRecord:
    """One round of a player; a round robin's round without opponent and points is a free one (15.2)."""
    cell = player.cell(number)
    half_points = _half_points(event, player.start_rank, cell, number)
    if cell == BLANK or not cell.opponent:
        if predetermined and not half_points:
            return _FREE
        return round_record(None, None, _UNPLAYED.get(cell.result, "Z"), half_points)
    return round_record(cell.opponent, _COLOURS.get(cell.colour), _UNPLAYED.get(cell.result), half_points)


def _half_points(event: TrfEvent, tpn: int, cell: Cell, number: int) -> int:
    """Points of a cell: by the point system, or as a record 299 says for that result."""
    value = event.point_system.value(cell)
    for other in event.abnormal:
        if other.sets(tpn, number, cell):
            value = other.half_points
    return value


def _meant(record: Abnormal, number: int) -> bool:
    return not record.ids or number in record.ids


def _bonus(records: Iterable[Abnormal], numbers: Iterable[int], rounds: int, match: bool = False) -> dict[int, int]:
    """Bonus and penalty points of records 299 up to a round, for everybody meant."""
    return {
        number: sum(
            r.match_half_points if match else r.half_points
            for r in records
            if not r.kind and r.round <= rounds and _meant(r, number)
        )
        for number in numbers
    }


@dataclass(frozen=True)
class _Matches:
    """The matches of a team report, put together from the players' cells and the team records.

    Where records 330 and 320 name a round of a team, they say what it was; else the players' opponents do; else record
    240; and a round of which nothing is known is an absence.
    """

    event: TrfEvent
    teams: TeamRecords
    rounds: int

    @cached_property
    def team_of(self) -> Mapping[int, int]:
        return {player: team.number for team in self.teams.teams for player in team.players}

    @cached_property
    def players(self) -> Mapping[int, TrfPlayer]:
        return {player.start_rank: player for player in self.event.players}

    @cached_property
    def forfeits(self) -> Mapping[tuple[int, int], tuple[int, str, Colour]]:
        """(round, team) → opponent, "+" or "-", and the colour of its first board."""
        found: dict[tuple[int, int], tuple[int, str, Colour]] = {}
        for match in self.teams.forfeited:
            found[match.round, match.white] = match.black, match.kind[0], "white"
            found[match.round, match.black] = match.white, match.kind[1], "black"
        return found

    @cached_property
    def absences(self) -> Mapping[tuple[int, int], str]:
        """(round, team) → kind of bye."""
        return {(a.round, team): a.kind for a in self.event.absences for team in a.ids}

    @cached_property
    def line_ups(self) -> Mapping[tuple[int, int], tuple[int, ...]]:
        return {(line.round, line.team): line.players for line in self.teams.line_ups}

    def fielded(self, team: TrfTeam, number: int) -> list[Cell]:
        """The cells of those who sat, or should have sat, at the boards; an empty board is a blank cell."""
        if line_up := self.line_ups.get((number, team.number)):
            return [self.players[p].cell(number) if p in self.players else BLANK for p in line_up]
        cells = [self.players[p].cell(number) for p in team.players if p in self.players]
        return [cell for cell in cells if cell.opponent or cell.result in ("+", "-")]

    @cached_property
    def boards(self) -> int:
        """The number of boards: record 352, else the most that played a match."""
        if self.teams.colours:
            return len(self.teams.colours)
        numbers = range(1, self.rounds + 1)
        return max((len(self.fielded(team, n)) for team in self.teams.teams for n in numbers), default=0) or 1

    def boards_of(self, team: TrfTeam, number: int) -> BoardPoints:
        return tuple(self.event.point_system.value(cell) for cell in self.fielded(team, number))

    def opponent(self, team: TrfTeam, number: int) -> int:
        """The team met, by the players' opponents; 0 when nobody had one."""
        met = [self.team_of.get(cell.opponent, 0) for cell in self.fielded(team, number) if cell.opponent]
        return max(met, key=met.count) if met else 0

    def record(self, team: TrfTeam, number: int) -> tuple[RoundRecord, RoundRecord, BoardPoints]:
        """One round in match points, in game points, and the points on the boards."""
        boards = self.boards_of(team, number)
        if forfeit := self.forfeits.get((number, team.number)):
            opponent, sign, side = forfeit
            won = sign == "+"
            points = (self.teams.win, sum(boards) or self.game_win) if won else (0, 0)
            kind: Unplayed = "+" if won else "-"
            game = RoundRecord(opponent, side, kind, points[1])
            return RoundRecord(opponent, side, kind, points[0]), game, boards if won else ()
        byes = self.teams.byes
        if byes is not None and team.number in byes.teams[number - 1 : number]:
            return self._bye("U", byes.match_half_points, byes.game_half_points)
        if opponent := self.opponent(team, number):
            return self._match(team, opponent, number, boards)
        kind_of_bye = self.absences.get((number, team.number)) or self._bye_of_the_players(team, number)
        if kind_of_bye in ("H", "U"):  # without record 320 a PAB is worth a draw (C.04.6)
            return self._bye("H" if kind_of_bye == "H" else "U", self.teams.draw, self.game_win // 2)
        if kind_of_bye == "F":
            return self._bye("F", self.teams.win, self.game_win)
        return (_FREE, _FREE, ()) if is_predetermined(self.event) else (_ABSENT, _ABSENT, ())

    @property
    def game_win(self) -> int:
        """Half-points of all boards won."""
        return self.boards * self.event.point_system.win

    def _bye(self, kind: Unplayed, match: int, game: int) -> tuple[RoundRecord, RoundRecord, BoardPoints]:
        return RoundRecord(None, None, kind, match), RoundRecord(None, None, kind, game), ()

    def _bye_of_the_players(self, team: TrfTeam, number: int) -> str:
        results = {self.players[p].cell(number).result for p in team.players if p in self.players}
        return next((kind for kind in ("U", "F", "H") if kind in results), "Z")

    def _match(
        self, team: TrfTeam, opponent: int, number: int, boards: BoardPoints
    ) -> tuple[RoundRecord, RoundRecord, BoardPoints]:
        other = next((t for t in self.teams.teams if t.number == opponent), None)
        mine, theirs = sum(boards), sum(self.boards_of(other, number)) if other else 0
        cells = self.fielded(team, number)
        kind: Unplayed | None = None
        if not any(cell.result in GAME_RESULTS for cell in cells if cell.result):
            # Not one board was played: the match is forfeited, by both sides if neither has a point.
            kind = "+" if mine > theirs else "-"
        points = self.teams
        match = points.win if mine > theirs else points.draw if mine == theirs else points.loss
        if kind == "-":
            match = 0
        side = self._side(cells)
        return RoundRecord(opponent, side, kind, match), RoundRecord(opponent, side, kind, mine), boards

    def _side(self, cells: list[Cell]) -> Colour | None:
        """The colour of the first board, from the first board with a colour."""
        for board, cell in enumerate(cells):
            if colour := _COLOURS.get(cell.colour):
                pattern = self.teams.colours or "WB"
                swapped = pattern[board % len(pattern)] != pattern[0]
                return colour if not swapped else ("black" if colour == "white" else "white")
        return None

    def table(self, edition: Edition) -> TeamTable:
        """The table of all teams."""
        numbers = [team.number for team in self.teams.teams]
        predetermined = is_predetermined(self.event)
        planned = self.event.rounds or paired_rounds(self.event)
        rows = {
            team.number: [self.record(team, number) for number in range(1, self.rounds + 1)]
            for team in sorted(self.teams.teams, key=lambda team: team.number)
        }
        records = self.event.abnormal

        def crosstable(score: Score, win: int, draw: int, loss: int) -> Crosstable:
            return Crosstable(
                tuple(
                    History(number, tuple(match if score == "MP" else game for match, game, _boards in mine))
                    for number, mine in rows.items()
                ),
                planned,
                predetermined,
                win,
                draw,
                loss,
                {team.number: team.strength for team in self.teams.teams},
                _bonus(records, numbers, self.rounds, match=score == "MP"),
                edition,
            )

        return TeamTable(
            crosstable("MP", self.teams.win, self.teams.draw, self.teams.loss),
            crosstable("GP", self.game_win, self.game_win // 2, 0),
            self.boards,
            primary_score(self.event),
            {number: tuple(row[2] for row in mine) for number, mine in rows.items()},
        )


def primary_score(event: TrfEvent) -> Score:
    """The score that ranks the teams of a report: the first of MP and GP in record 192, else match points."""
    words = event.system.upper().split("_")
    return "GP" if "GP" in words and ("MP" not in words or words.index("GP") < words.index("MP")) else "MP"
