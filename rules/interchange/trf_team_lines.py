"""Team records as values → the lines of a tournament report; the way back from `trf_teams.read_teams`.

Layouts (columns from 1):

    310  5-7 number  9-40 name  42-46 nickname  48-53 strength  55-60 MP  62-67 GP  69-71 rank  74-77, 79-82, … players
    013  5-36 name  37-40, 42-45, … players
    300  5-7 round  9-11 team  13-15 opponent  17-20, 22-25, … players by board, 0 = empty
    320  5-8 MP  10-13 GP  15-17, 19-21, … team with the bye in round 1, 2, …
    330  5-6 kind  8-10 round  12-14 first team  16-18 second team
    352  colours of the first-named team's boards
    362  5-6 TW, TD, TL and the value in the next four columns, every nine columns
"""

from __future__ import annotations

from collections.abc import Iterator
from gettext import gettext as _

from rules.interchange.trf_columns import as_decimal
from rules.interchange.trf_model import ForeignLine
from rules.interchange.trf_teams import ForfeitedMatch, LineUp, TeamByes, TeamRecords, TrfTeam

#: Match points unless record 362 says otherwise, in half-points: win, draw, loss.
_USUAL_POINTS = (4, 2, 0)


def team_lines(records: TeamRecords, *, old: bool = False) -> tuple[ForeignLine, ...]:
    """The lines of all team records, for `TrfEvent.foreign`; reading them back gives equal records.

    With `old` the teams are told in records 013 as well. Names are cut at 32 characters,
    nicknames at 5. Raises ValueError when a number has no room in its columns.
    """
    lines = tuple(ForeignLine(line.rstrip()) for line in _lines(records))
    return lines + (old_team_lines(records) if old else ())


def old_team_lines(records: TeamRecords) -> tuple[ForeignLine, ...]:
    """The teams in records 013, which TRF06 and TRF16 know."""
    return tuple(ForeignLine(_old_team(team).rstrip()) for team in records.teams)


def _lines(records: TeamRecords) -> Iterator[str]:
    if records.colours:
        yield f"352 {records.colours}"
    points = (records.win, records.draw, records.loss)
    if points != _USUAL_POINTS:
        signs = zip(("TW", "TD", "TL"), points, strict=True)
        yield "362 " + "".join(f"{sign}{_fit(as_decimal(value), 4)}   " for sign, value in signs)
    yield from (_team(team) for team in records.teams)
    yield from (_line_up(line_up) for line_up in records.line_ups)
    if records.byes is not None:
        yield _byes(records.byes)
    yield from (_forfeited(match) for match in records.forfeited)


def _fit(value: int | str, width: int) -> str:
    text = str(value)
    if len(text) > width:
        what = _("{value} has no room in the {width} columns of a team record")
        raise ValueError(what.format(value=text, width=width))
    return text.rjust(width)


def _points(half_points: int | None, width: int) -> str:
    return _fit("" if half_points is None else as_decimal(half_points), width)


def _team(team: TrfTeam) -> str:
    return (
        f"310 {_fit(team.number, 3)} {team.name[:32]:32} {team.nickname[:5]:5} {_fit(team.strength or '', 6)} "
        f"{_points(team.match_half_points, 6)} {_points(team.game_half_points, 6)} {_fit(team.rank or '', 3)} "
    ) + "".join(f" {_fit(player, 4)}" for player in team.players)


def _old_team(team: TrfTeam) -> str:
    return f"013 {team.name[:32]:32}" + " ".join(_fit(player, 4) for player in team.players)


def _line_up(line_up: LineUp) -> str:
    players = "".join(f" {_fit(player, 4)}" for player in line_up.players)
    return f"300 {_fit(line_up.round, 3)} {_fit(line_up.team, 3)} {_fit(line_up.opponent, 3)}{players}"


def _byes(byes: TeamByes) -> str:
    teams = "".join(f" {_fit(f'{team:03}', 3)}" for team in byes.teams)
    return f"320 {_points(byes.match_half_points, 4)} {_points(byes.game_half_points, 4)}{teams}"


def _forfeited(match: ForfeitedMatch) -> str:
    return f"330 {match.kind} {_fit(match.round, 3)} {_fit(match.white, 3)} {_fit(match.black, 3)}"
