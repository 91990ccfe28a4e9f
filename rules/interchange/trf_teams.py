"""The team records of a tournament report: 013, 300, 310, 320, 330, 352 and 362.

`read_trf` keeps these lines as they stand, so that writing gives them back unchanged; here they become values for those
who need the teams. Points are half-points.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from gettext import gettext as _

from rules.interchange.errors import Defect, InterchangeError
from rules.interchange.trf_columns import signed_half_points
from rules.interchange.trf_model import ForeignLine, TrfEvent


@dataclass(frozen=True, slots=True)
class TrfTeam:
    """A line 310, or 013 where there is no 310 (then numbered in the order of the file, without points and rank).

    `players` are starting ranks in board order; `strength` 0, `rank` 0 and points None when they are not stated.
    """

    number: int
    name: str
    nickname: str = ""
    strength: int = 0
    match_half_points: int | None = None
    game_half_points: int | None = None
    rank: int = 0
    players: tuple[int, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LineUp:
    """Record 300: who sat on which board in a match, board 1 first; 0 = an empty board."""

    round: int
    team: int
    opponent: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TeamByes:
    """Record 320: what the pairing-allocated bye is worth, and the team that had it in each round (0 = none)."""

    match_half_points: int
    game_half_points: int
    teams: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ForfeitedMatch:
    """Record 330: a match won by forfeit by the first team ("+-"), by the second ("-+"), or by nobody ("--")."""

    kind: str
    round: int
    white: int
    black: int


@dataclass(frozen=True, slots=True)
class TeamRecords:
    """All team records of a report.

    `colours` are those of the boards of the first-named team ("WBWB", "" unknown), `win`, `draw` and `loss` the match
    points in half-points.
    """

    teams: tuple[TrfTeam, ...] = ()
    line_ups: tuple[LineUp, ...] = ()
    byes: TeamByes | None = None
    forfeited: tuple[ForfeitedMatch, ...] = ()
    colours: str = ""
    win: int = 4
    draw: int = 2
    loss: int = 0


def read_teams(event: TrfEvent, file: str = "") -> TeamRecords:
    """The team records of a report. Lines 013 are ignored where there are lines 310.

    Raises InterchangeError naming line and column: numbers that are none, a team named twice, a player in two teams,
    a team that nobody knows.
    """
    defects: list[Defect] = []
    by_code: dict[str, list[ForeignLine]] = {}
    for line in event.foreign:
        by_code.setdefault(line.code, []).append(line)
    teams = [team for line in by_code.get("310", ()) if (team := _team(line, defects))]
    if not by_code.get("310"):
        teams = [team for at, line in enumerate(by_code.get("013", ()), 1) if (team := _old_team(at, line, defects))]
    line_ups = [line_up for line in by_code.get("300", ()) if (line_up := _line_up(line, defects))]
    byes = [_byes(line, defects) for line in by_code.get("320", ())]
    forfeited = [match for line in by_code.get("330", ()) if (match := _forfeited(line, defects))]
    colours = [line.text[4:].strip().upper() for line in by_code.get("352", ())]
    points = _match_points(by_code.get("362", []), defects)
    _check(event, teams, forfeited, by_code, defects)
    if defects:
        raise InterchangeError(file, defects)
    return TeamRecords(
        tuple(teams),
        tuple(line_ups),
        byes[0] if byes else None,
        tuple(forfeited),
        colours[0] if colours else "",
        **points,
    )


def _field(text: str, first: int, last: int) -> str:
    return text[first - 1 : last].strip()


def _numbers(line: ForeignLine, start: int, width: int, defects: list[Defect]) -> tuple[int, ...]:
    """Numbers in columns of a fixed width with a blank between them; a blank column is 0."""
    found = []
    for at in range(start - 1, len(line.text.rstrip()), width + 1):
        text = line.text[at : at + width].strip()
        if text and not text.isdecimal():
            what = _("“{text}” is no number").format(text=text)
            defects.append(Defect(line.line, at + 1, what, _("write a number there, or leave the columns blank")))
            return ()
        found.append(int(text or 0))
    return tuple(found)


def _number(line: ForeignLine, first: int, last: int, what: str, defects: list[Defect]) -> int | None:
    text = _field(line.text, first, last)
    if text.isdecimal():
        return int(text)
    message = _("record {code}: {what} is missing in columns {first} to {last}")
    message = message.format(code=line.code, what=what, first=first, last=last)
    defects.append(Defect(line.line, first, message, _("write the number there")))
    return None


def _points(line: ForeignLine, first: int, last: int, defects: list[Defect]) -> int | None:
    text = _field(line.text, first, last)
    if not text:
        return None
    value = signed_half_points(text)
    if value is None:
        what = _("“{text}” is no number of points").format(text=text)
        defects.append(Defect(line.line, first, what, _("write whole or half points, as 1.0 or 0.5")))
    return value


def _team(line: ForeignLine, defects: list[Defect]) -> TrfTeam | None:
    number = _number(line, 5, 7, _("the team's number"), defects)
    if number is None:
        return None
    text = line.text
    strength, rank = _field(text, 48, 53), _field(text, 69, 71)
    return TrfTeam(
        number,
        _field(text, 9, 40),
        _field(text, 42, 46),
        int(strength) if strength.isdecimal() else 0,
        _points(line, 55, 60, defects),
        _points(line, 62, 67, defects),
        int(rank) if rank.isdecimal() else 0,
        tuple(player for player in _numbers(line, 74, 4, defects) if player),
        line.line,
    )


def _old_team(number: int, line: ForeignLine, defects: list[Defect]) -> TrfTeam | None:
    """Record 013: the name in columns 5 to 36; some names run over into the column of the first number."""
    players = tuple(player for player in _numbers(line, 37, 4, []) if player)
    if not players:
        words = line.text[36:].split()
        players = tuple(int(word) for word in words if word.isdecimal())
    if not players:
        what = _("record 013: no players in columns 37 and after")
        defects.append(Defect(line.line, 37, what, _("write the players' starting ranks there")))
        return None
    return TrfTeam(number, _field(line.text, 5, 36), players=players, line=line.line)


def _line_up(line: ForeignLine, defects: list[Defect]) -> LineUp | None:
    number = _number(line, 5, 7, _("the round"), defects)
    team = _number(line, 9, 11, _("the team's number"), defects)
    opponent = _field(line.text, 13, 15)
    players = _numbers(line, 17, 4, defects)
    if number is None or team is None:
        return None
    return LineUp(number, team, int(opponent) if opponent.isdecimal() else 0, players)


def _byes(line: ForeignLine, defects: list[Defect]) -> TeamByes:
    match, game = _points(line, 5, 8, defects), _points(line, 10, 13, defects)
    return TeamByes(match or 0, game or 0, _numbers(line, 15, 3, defects))


def _forfeited(line: ForeignLine, defects: list[Defect]) -> ForfeitedMatch | None:
    kind = _field(line.text, 5, 6)
    if kind not in ("+-", "-+", "--"):
        what = _("record 330: “{text}” is no forfeit").format(text=kind)
        defects.append(Defect(line.line, 5, what, _("write +-, -+ or --")))
        return None
    number = _number(line, 8, 10, _("the round"), defects)
    white = _number(line, 12, 14, _("the first team"), defects)
    black = _number(line, 16, 18, _("the second team"), defects)
    if number is None or white is None or black is None:
        return None
    return ForfeitedMatch(kind, number, white, black)


def _match_points(lines: list[ForeignLine], defects: list[Defect]) -> dict[str, int]:
    """Record 362: TW, TD and TL with their match points."""
    points: dict[str, int] = {}
    names = {"TW": "win", "TD": "draw", "TL": "loss"}
    for line in lines:
        for match in re.finditer(r"(T[A-Z])\s*(\S+)", line.text[3:]):
            value = signed_half_points(match[2])
            if value is None:
                what = _("“{text}” is no number of points").format(text=match[2])
                defects.append(
                    Defect(line.line, match.start(2) + 4, what, _("write whole or half points, as 1.0 or 0.5"))
                )
            elif match[1] in names:
                points[names[match[1]]] = value
    return points


def _check(
    event: TrfEvent,
    teams: list[TrfTeam],
    forfeited: list[ForfeitedMatch],
    by_code: dict[str, list[ForeignLine]],
    defects: list[Defect],
) -> None:
    """Every team once, every player in one team, and no team that is not there."""
    players = {player.start_rank for player in event.players}
    numbers: set[int] = set()
    seen: dict[int, TrfTeam] = {}

    def refuse(team: TrfTeam, column: int, what: str, remedy: str) -> None:
        defects.append(Defect(team.line, column, what, remedy))

    for team in teams:
        if team.number in numbers:
            what = _("team {number} ({name}) is there twice").format(number=team.number, name=team.name)
            refuse(team, 5, what, _("give every team a number of its own"))
        numbers.add(team.number)
        for player in team.players:
            if player not in players:
                what = _("team {number} ({name}): there is no player {player}")
                what = what.format(number=team.number, name=team.name, player=player)
                refuse(team, 74, what, _("correct the player's starting rank"))
            elif (other := seen.setdefault(player, team)) is not team:
                what = _("player {player} is in team {number} and in team {other}")
                what = what.format(player=player, number=team.number, other=other.number)
                refuse(team, 74, what, _("leave him in one of them"))
    for line, match in zip(by_code.get("330", ()), forfeited, strict=False):
        for column, number in ((12, match.white), (16, match.black)):
            if number not in numbers:
                what = _("record 330: there is no team {number}").format(number=number)
                defects.append(Defect(line.line, column, what, _("correct the team's number")))


def is_team_event(event: TrfEvent) -> bool:
    """Are the competitors teams? Lines 013 alone do not say so: they also stand in reports of individual events."""
    if any(line.code == "310" for line in event.foreign):
        return True
    named = "TEAM" in event.system.upper() or "team" in event.kind.lower()
    return named and any(line.code == "013" for line in event.foreign)
