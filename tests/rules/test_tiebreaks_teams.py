"""Teams: matches put together from a report, boards, the extended direct encounter, and the older texts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from rules.interchange.errors import InterchangeError
from rules.interchange.trf import TrfEvent, TrfPlayer, read_trf, write_trf26
from rules.interchange.trf_teams import ForfeitedMatch, LineUp, TeamByes, is_team_event, read_teams
from rules.interchange.trf_writer import player_line
from rules.pairing.state import History, RoundRecord, Unplayed
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.edition import EDITIONS
from rules.tiebreaks.event_table import complete_rounds, primary_score, table_of
from rules.tiebreaks.old_texts import play_off_claim
from rules.tiebreaks.ranking import ranking
from rules.tiebreaks.registry import compute
from rules.tiebreaks.team import TeamTable

Boards = tuple[float, ...]
#: Opponent and the points on the boards; or "U", "H", "Z", "+" or "-".
Match = tuple[int, Boards] | str


def teams(rows: dict[int, list[Match]], boards: int = 4, edition: str = "2026") -> TeamTable:
    """A team Swiss with 2-1-0 match points, from every team's own side."""
    match, game, points = [], [], {}
    for team, matches in rows.items():
        of_match, of_game, of_boards = [], [], []
        for at, row in enumerate(matches):
            if isinstance(row, str):
                kind: Unplayed = row  # type: ignore[assignment]
                worth = {"U": (2, boards), "H": (2, boards), "+": (4, 2 * boards)}.get(row, (0, 0))
                of_match.append(RoundRecord(None, None, kind, worth[0]))
                of_game.append(RoundRecord(None, None, kind, worth[1]))
                of_boards.append(())
                continue
            opponent, mine = row
            theirs = rows[opponent][at]
            assert not isinstance(theirs, str)
            difference = sum(mine) - sum(theirs[1])
            of_match.append(RoundRecord(opponent, None, None, 4 if difference > 0 else 2 if difference == 0 else 0))
            of_game.append(RoundRecord(opponent, None, None, round(2 * sum(mine))))
            of_boards.append(tuple(round(2 * p) for p in mine))
        match.append(History(team, tuple(of_match)))
        game.append(History(team, tuple(of_game)))
        points[team] = tuple(of_boards)
    rounds = max(len(row) for row in rows.values())
    by_edition = EDITIONS[edition]
    return TeamTable(
        Crosstable(tuple(match), rounds, win=4, draw=2, edition=by_edition),
        Crosstable(tuple(game), rounds, win=2 * boards, draw=boards, edition=by_edition),
        boards,
        points=points,
    )


def texts(code: str, table: TeamTable, group: list[int]) -> list[str]:
    values = compute(code, table, group)
    return [values[team].text for team in group]


def two_teams() -> TeamTable:
    """Level in everything but the boards: 1 wins on the first and the last, 2 in the middle."""
    return teams({1: [(2, (1, 0, 0, 1))], 2: [(1, (0, 1, 1, 0))]})


def test_board_count_top_boards_and_bottom_boards() -> None:
    table = two_teams()
    assert texts("BC", table, [1, 2]) == ["5.0", "5.0"]
    assert texts("TBR", table, [1, 2]) == ["1.0 0.0 0.0 1.0", "0.0 1.0 1.0 0.0"]
    assert texts("BBE", table, [1, 2]) == ["1.0 1.0 1.0", "2.0 1.0 0.0"]
    assert [p.tpn for p in ranking(table, ["TBR"])] == [1, 2]
    assert [p.tpn for p in ranking(table, ["BC", "BBE"])] == [2, 1]


def test_the_variants_of_the_encounter_separate_two_teams_by_their_boards() -> None:
    orders = {code: texts(code, two_teams(), [1, 2]) for code in ("EDE", "EDET", "EDEB", "EDEBT", "EDEBB")}
    assert orders == {
        "EDE": ["1", "1"], "EDET": ["1", "2"], "EDEB": ["2", "1"], "EDEBT": ["1", "2"], "EDEBB": ["2", "1"],
    }  # fmt: skip


def test_board_count_is_lower_the_better_and_only_among_equal_game_points() -> None:
    table = teams({1: [(2, (0, 0, 1, 1))], 2: [(1, (1, 1, 0, 0))], 3: ["U"], 4: ["Z"]})
    assert [p.tpn for p in ranking(table, ["BC"])] == [2, 1, 3, 4]
    unequal = compute("BC", table, [1, 3, 4])
    assert {value.key for value in unequal.values()} == {0}
    assert unequal[3].text == "10.0"  # a PAB is a win on every board here
    assert unequal[4].reason == "1×0.0 + 2×0.0 + 3×0.0 + 4×0.0; not compared, for the game points are not equal"


def test_the_other_score_and_sonneborn_berger_across_the_scores() -> None:
    table = teams({1: [(2, (1, 1, 0.5, 0))], 2: [(1, (0, 0, 0.5, 1))]})
    assert [texts(code, table, [1, 2]) for code in ("MPTS", "GPTS", "MPvGP", "PTS")] == [
        ["2.0", "0.0"], ["2.5", "1.5"], ["2.5", "1.5"], ["2.0", "0.0"],
    ]  # fmt: skip
    assert [texts(code, table, [1, 2]) for code in ("EMMSB", "EGMSB", "EMGSB", "EGGSB")] == [
        ["0.0", "0.0"], ["3.0", "0.0"], ["0.0", "3.0"], ["3.75", "3.75"],
    ]  # fmt: skip
    by_games = replace(table, primary="GP")
    assert texts("MPvGP", by_games, [1, 2]) == ["2.0", "0.0"]
    assert texts("SB", by_games, [1, 2]) == texts("EGGSB", table, [1, 2])
    assert texts("BH:GP", table, [1, 2]) == ["1.5", "2.5"]


def test_schedule_strength_divides_by_a_whole_factor() -> None:
    table = teams({1: [(2, (1, 1, 0.5, 0)), "U"], 2: [(1, (0, 0, 0.5, 1)), "H"]}, boards=4)
    # Two rounds of 2 against 4 game points: a factor of 1; 4.5 + 3 + 2, where the dummy is at most a draw a round.
    assert texts("SSSC", table, [1]) == ["7.5"]
    assert texts("SSSC/K3", table, [1]) == ["5.5"]
    assert compute("SSSC/K3", table, [1])[1].reason.startswith("4.5 + 3.0 / 3 = 5.5; Buchholz: ")


def test_individual_codes_make_no_sense_for_teams_and_the_other_way_round() -> None:
    assert compute("TPR", two_teams(), [1])[1].reason == "not used in team events"
    players = Crosstable((History(1, ()),), 1)
    assert compute("BC", players, [1])[1].reason == compute("BH:GP", players, [1])[1].reason == "only in team events"


def five_in_a_circle(edition: str) -> TeamTable:
    """All met, all with four match points, and 4 ahead, 5 behind on game points; 1, 2 and 3 are level in between.

    Among these three 1 is ahead by match points and 2 by game points.
    """
    points = {
        2.0: ((1, 1, 0, 0), (0, 0, 1, 1)),
        2.5: ((1, 1, 0.5, 0), (0, 0, 0.5, 1)),
        3.0: ((1, 1, 1, 0), (0, 0, 0, 1)),
    }
    points[4.0] = ((1, 1, 1, 1), (0, 0, 0, 0))
    schedule = [
        {(1, 2): 2.5, (3, 4): 2.0}, {(1, 3): 2.0, (4, 5): 3.0}, {(1, 4): 2.0, (5, 2): 4.0},
        {(5, 1): 2.5, (2, 3): 4.0}, {(2, 4): 2.5, (3, 5): 4.0},
    ]  # fmt: skip
    rows: dict[int, list[Match]] = {team: [] for team in range(1, 6)}
    for games in schedule:
        for (first, second), won in games.items():
            rows[first].append((second, points[won][0]))
            rows[second].append((first, points[won][1]))
        for idle in set(rows) - {team for pair in games for team in pair}:
            rows[idle].append("Z")
    return teams(rows, edition=edition)


def test_an_encounter_starts_again_with_the_primary_score() -> None:
    table = five_in_a_circle("2026")
    assert texts("MPTS", table, [1, 2, 3, 4, 5]) == ["4.0"] * 5
    assert texts("GPTS", table, [1, 2, 3, 4, 5]) == ["8.0", "8.0", "8.0", "8.5", "7.5"]
    assert texts("EDE", table, [4, 1, 2, 3, 5]) == ["1", "2", "3", "4", "5"]
    assert texts("EDE", five_in_a_circle("2023"), [4, 2, 1, 3, 5]) == ["1", "2", "3", "4", "5"]
    reason = compute("EDE", table, [1, 2, 3])[1].reason
    assert reason.startswith("MP: 2.0 against 2 in round 1, 1.0 against 3 in round 2; GP: 2.5 against 2 in round 1")


def test_coefficient_and_match_wins_of_older_texts() -> None:
    """5 points against a team with 20 in all are worth 100, 4.5 are worth 90."""
    rows: dict[int, list[Match]] = {
        1: [(2, (1, 1, 1, 1, 1, 0, 0, 0))],
        2: [(1, (0, 0, 0, 0, 0, 1, 1, 1))],
        3: [(4, (1, 1, 1, 1, 0.5, 0, 0, 0))],
        4: [(3, (0, 0, 0, 0, 0.5, 1, 1, 1))],
    }
    table = teams(rows, boards=8)
    bonus = replace(table.game, bonus={2: 34, 4: 33})
    table = replace(table, game=bonus)
    assert table.game.scores[2] == table.game.scores[4] == 40
    assert texts("OTHER_TEAM_COEFFICIENT", table, [1, 3]) == ["100.0", "90.0"]
    assert texts("OTHER_MATCH_WINS", table, [1, 2]) == ["1.0", "0.0"]


def test_who_won_every_match_may_claim_one_with_the_leader() -> None:
    narrow = (1.0, 1.0, 0.5, 0.0)
    lost = (0.0, 0.0, 0.5, 1.0)
    rows: dict[int, list[Match]] = {
        1: [(3, (1, 1, 1, 1)), (2, lost)],
        2: [(4, narrow), (1, narrow)],
        3: [(1, (0, 0, 0, 0)), (4, narrow)],
        4: [(2, lost), (3, lost)],
    }
    table = replace(teams(rows), primary="GP")
    order = [place.tpn for place in ranking(table, ["PTS"])]
    assert order[:2] == [1, 2]
    assert play_off_claim(table, order) == 2
    assert play_off_claim(table, [2, 1]) is None


# ------------------------------------------------------------------------------------------------ team reports

HEAD = "012 Team event\n092 Team: Swiss-System\n142 3\n192 FIDE_TEAM_MP_GP\n352 WB\n362 TW 2.0   TD 1.0   TL 0.0\n"


def player(number: int, *cells: str) -> str:
    return player_line(TrfPlayer(number, f"Player {number}")) + "".join(f"  {cell}" for cell in cells)


def team(number: int, *players: int, name: str = "") -> str:
    head = f"310 {number:3} {name or f'Team {number}':32} {'':5} {2000:6} {'':6} {'':6} {'':3}  "
    return head + " ".join(f"{p:4}" for p in players)


def report(lines: list[str], head: str = HEAD) -> TrfEvent:
    event, _adjustments = read_trf((head + "\n".join(lines) + "\n").encode(), "teams.trf")
    return event


PLAYERS = [
    player(1, "   3 w 1", "0000 - +", "0000 - Z"),
    player(2, "   4 b =", "0000 - +", "0000 - Z"),
    player(3, "   1 b 0", "0000 - Z", "   5 w -"),
    player(4, "   2 w =", "0000 - Z", "   6 b 1"),
    player(5, "0000 - Z", "0000 - -", "   3 b +"),
    player(6, "0000 - Z", "0000 - -", "   4 w 0"),
]
TEAMS = [team(1, 1, 2), team(2, 3, 4), team(3, 5, 6)]
RECORDS = ["240 H   3    1", "320  1.0  1.0 003 002", "330 +-   2   1   3"]


def test_matches_are_put_together_from_players_byes_and_forfeits() -> None:
    event = report([*PLAYERS, *TEAMS, *RECORDS])
    table = table_of(event)
    assert isinstance(table, TeamTable)
    assert (table.boards, complete_rounds(event), table.match.rounds) == (2, 3, 3)
    kinds = {t.tpn: [(r.opponent, r.unplayed, r.half_points) for r in t.rounds] for t in table.match.players}
    assert kinds == {
        1: [(2, None, 4), (3, "+", 4), (None, "H", 2)],
        2: [(1, None, 0), (None, "U", 2), (3, None, 2)],
        3: [(None, "U", 2), (1, "-", 0), (2, None, 2)],
    }
    assert [table.game.scores[t] for t in (1, 2, 3)] == [3 + 4 + 2, 1 + 2 + 2, 2 + 0 + 2]
    # The first board had White in round 1, and White for the other side of round 3.
    assert [table.match.by_tpn[t].rounds[r].colour for t, r in ((1, 0), (2, 0), (2, 2), (3, 2))] == [
        "white", "black", "white", "black",
    ]  # fmt: skip
    assert table.board_sums == {1: (2 + 2 + 1, 1 + 2 + 1), 2: (0 + 2 + 0, 1 + 2 + 2), 3: (2 + 0 + 2, 2 + 0 + 0)}


def test_a_line_up_says_who_sat_where() -> None:
    swapped = "300   1   1   2    2    1"
    table = table_of(report([*PLAYERS, *TEAMS, *RECORDS, swapped]))
    assert isinstance(table, TeamTable)
    assert table.points[1][0] == (1, 2)


def test_team_records_are_read_and_kept() -> None:
    event = report([*PLAYERS, *TEAMS, *RECORDS, "300   1   1   2    2    0"])
    teams = read_teams(event)
    assert [t.players for t in teams.teams] == [(1, 2), (3, 4), (5, 6)]
    assert teams.line_ups == (LineUp(1, 1, 2, (2, 0)),)
    assert teams.byes == TeamByes(2, 2, (3, 2))
    assert teams.forfeited == (ForfeitedMatch("+-", 2, 1, 3),)
    assert (teams.colours, teams.win, teams.draw, teams.loss) == ("WB", 4, 2, 0)
    again, _adjustments = read_trf(write_trf26(event), "again.trf")
    assert read_teams(again) == teams


def test_without_record_320_a_team_bye_is_worth_a_draw() -> None:
    lines = [player(1, "   3 w 1"), player(2, "   4 b 1"), player(3, "   1 b 0"), player(4, "   2 w 0")]
    table = table_of(report([*lines, player(5, "0000 - U"), player(6, "0000 - U"), *TEAMS]))
    assert isinstance(table, TeamTable)
    assert (table.match.scores[3], table.game.scores[3]) == (2, 2)


def test_a_match_without_one_game_is_forfeited() -> None:
    lines = [player(1, "   3 w +"), player(2, "   4 b -"), player(3, "   1 b -"), player(4, "   2 w -")]
    table = table_of(report([*lines, *TEAMS[:2]]))
    assert isinstance(table, TeamTable)
    assert [table.match.by_tpn[t].rounds[0].unplayed for t in (1, 2)] == ["+", "-"]
    assert [table.match.scores[t] for t in (1, 2)] == [4, 0]


def test_old_team_lines_count_only_in_team_events() -> None:
    old = ["013 Reds                            1    2", "013 Blues                           3    4"]
    lines = [player(1, "   3 w 1"), player(2, "   4 b 1"), player(3, "   1 b 0"), player(4, "   2 w 0")]
    event = report([*lines, *old], head="092 Team: Swiss\n")
    assert [t.name for t in read_teams(event).teams] == ["Reds", "Blues"]
    assert isinstance(table_of(event), TeamTable)
    assert not is_team_event(report([*lines, *old], head="092 Individual: Swiss\n"))


def test_the_primary_score_is_in_the_system() -> None:
    systems = {
        "FIDE_TEAM_GP_MP": "GP",
        "FIDE_TEAM_TYPEB_GP": "GP",
        "FIDE_TEAM_BAKU": "MP",
        "CUSTOM_TEAM_SWISS_MP": "MP",
    }
    assert {system: primary_score(TrfEvent((), system=system)) for system in systems} == systems


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("310   1 Again", r":17:5: team 1 \(Again\) is there twice"),
        (team(4, 1), r":17:74: player 1 is in team 4 and in team 1"),
        (team(4, 99), r":17:74: team 4 \(Team 4\): there is no player 99"),
        ("330 +-   2   1   9", r":17:16: record 330: there is no team 9"),
        ("330 ++   2   1   3", r":17:5: record 330: “\+\+” is no forfeit"),
        ("320  x    1.0 001", r":17:5: “x” is no number of points"),
        ("300   x   1   2    1    2", r":17:5: record 300: the round is missing"),
        ("362 TW 2.3", r":17:8: “2.3” is no number of points"),
    ],
)
def test_wrong_team_records_are_refused_with_their_place(line: str, message: str) -> None:
    event = report([*PLAYERS, *TEAMS, "### here is the fault:", line])
    with pytest.raises(InterchangeError, match=r"teams\.trf" + message):
        table_of(event, file="teams.trf")


def test_a_rulings_points_reach_the_teams() -> None:
    event = report([*PLAYERS, *TEAMS, *RECORDS, "299    -1.0  -0.5    2    1"])
    table = table_of(event)
    assert isinstance(table, TeamTable)
    assert (table.match.scores[1], table.game.scores[1]) == (10 - 2, 9 - 1)
    assert compute("PTS", table, [1])[1].value == Fraction(4)
