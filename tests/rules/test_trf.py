"""Tournament reports: what real programs write, what must be refused, and our own columns."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest

from rules.interchange.errors import InterchangeError
from rules.interchange.trf import (
    BLANK,
    Absence,
    Acceleration,
    Cell,
    Forbidden,
    OpenGames,
    PointSystem,
    TrfEvent,
    TrfPlayer,
    entries_from_trf,
    read_trf,
    write_trf16,
    write_trf26,
)

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY / "tests" / "data" / "interchange"
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", REPOSITORY / ".." / "shared")) / "oracle"


def row(number: int, name: str, points: str = "", rounds: str = "", *, rating: str = "", title: str = "") -> str:
    """A player line put together from the table of columns, independently of the writer."""
    line = [" "] * 89
    fields = {1: "001", 5: f"{number:4}", 11: f"{title:>3}", 15: name, 49: f"{rating:>4}", 81: f"{points:>4}"}
    for column, text in fields.items():
        line[column - 1 : column - 1 + len(text)] = text
    return "".join(line) + rounds


def report(*lines: str, end: str = "\n") -> bytes:
    return (end.join(lines) + end).encode()


def duel(mine: str = "1", theirs: str = "0", points: tuple[str, str] = ("1.0", "0.0")) -> list[str]:
    """Two players and one game."""
    return [row(1, "Anand, V", points[0], f"     2 w {mine}"), row(2, "Byrne, D", points[1], f"     1 b {theirs}")]


def refusal(data: bytes) -> InterchangeError:
    with pytest.raises(InterchangeError) as caught:
        read_trf(data, "evening.trf")
    return caught.value


# ------------------------------------------------------------------------------------------------ a whole event


def club_evening() -> TrfEvent:
    """Five players, two rounds, with every letter a bye or a forfeit can have."""
    return TrfEvent(
        name="Club evening",
        city="Graz",
        federation="AUT",
        start="2026/03/06",
        end="2026/03/07",
        kind="Individual: Swiss-System",
        arbiter="Maier, Eva",
        deputies=("Huber, Jan", "Novak, Ida"),
        control="15 min + 10 s",
        round_dates=("2026/03/06", "2026/03/07"),
        rounds=5,
        initial_colour="black",
        system="FIDE_DUTCH_2026",
        tie_breaks=("BH/C1", "BH", "SB"),
        standing_order=("PTS", "BH/C1", "BH", "SB"),
        coded_control="900+10",
        paired_by="hallkiosk",
        comments=("seed 7",),
        absences=(Absence("H", 3, (2, 4)), Absence("Z", 4, (5,))),
        accelerations=(Acceleration(2, 1, 2, 1, 2),),
        forbidden=(Forbidden((1, 4), 1, 3), Forbidden((2, 5))),
        players=(
            TrfPlayer(1, "Čermák, Žofie", "w", "WGM", 2310, "CZE", 90000001, "1990/05/17", 3, 1,
                      (Cell(2, "b", "1"), Cell(3, "w", "="))),
            TrfPlayer(2, "Byrne, D", "m", "IM", 2290, "USA", 0, "1930", 2, 3, (Cell(1, "w", "0"), Cell(4, "b", "+"))),
            TrfPlayer(3, "Ng, Li", "", "", 0, "", 0, "", 3, 1, (Cell(0, "-", "U"), Cell(1, "b", "="))),
            TrfPlayer(4, "Dürr, K", "m", "", 1805, "GER", 0, "1999/00/00", 1, 4,
                      (Cell(0, "-", "H"), Cell(2, "w", "-"))),
            TrfPlayer(5, "Ek, Ola", "m", "", 1700, "SWE", 0, "", 2, 4, (Cell(0, "-", "F"), Cell(0, "-", "Z"))),
        ),
    )  # fmt: skip


def test_the_written_report_is_the_one_on_file() -> None:
    # club_evening.trf was written once and its columns checked by eye against the table of TRF16.
    assert write_trf16(club_evening()) == (DATA / "club_evening.trf").read_bytes()


def test_reading_back_gives_the_same_event_without_a_word() -> None:
    for write in (write_trf16, write_trf26):
        event, adjustments = read_trf(write(club_evening()), "club.trf")
        assert event == club_evening()
        assert adjustments == ()


def test_player_line_has_89_characters_before_the_rounds_and_its_fields_in_their_columns() -> None:
    line = next(li for li in write_trf16(club_evening()).decode().split("\r\n") if li.startswith("001    1"))
    assert len(line) == 89 + 2 * 10
    assert line[4:8] == "   1"
    assert line[9] == "w"
    assert line[10:13] == "WGM"
    assert line[14:47].rstrip() == "Čermák, Žofie"
    assert line[48:52] == "2310"
    assert line[53:56] == "CZE"
    assert line[57:68] == "   90000001"
    assert line[69:79] == "1990/05/17"
    assert line[80:84] == " 1.5"
    assert line[85:89] == "   1"
    assert (line[91:95], line[96], line[98]) == ("   2", "b", "1")
    assert (line[101:105], line[106], line[108]) == ("   3", "w", "=")


def test_report_is_utf8_without_bom_with_crlf_and_engine_records_only_in_trf16() -> None:
    old, new = write_trf16(club_evening()), write_trf26(club_evening())
    assert not old.startswith(b"\xef\xbb\xbf")
    assert old.count(b"\n") == old.count(b"\r\n")
    assert b"XXR 5\r\n" in old
    assert b"XXC black1\r\n" in old
    assert b"XXR" not in new
    assert b"142 5\r\n152 B\r\n" in new
    assert b"132" + b" " * 88 + b"26/03/06  26/03/07\r\n" in new


def test_letters_of_byes_absences_and_forfeits() -> None:
    # Round 1: PAB for 7, half-point bye for 3, full-point bye for 4, 5 absent without notice; round 2: 6 did not come.
    event = TrfEvent(
        players=(
            TrfPlayer(1, "A", points=4, cells=(Cell(2, "w", "1"), Cell(3, "b", "1"))),
            TrfPlayer(2, "B", points=2, cells=(Cell(1, "b", "0"), Cell(6, "w", "+"))),
            TrfPlayer(3, "C", points=1, cells=(Cell(0, "-", "H"), Cell(1, "w", "0"))),
            TrfPlayer(4, "D", points=4, cells=(Cell(0, "-", "F"), Cell(7, "w", "1"))),
            TrfPlayer(5, "E", points=2, cells=(BLANK, Cell(0, "-", "U"))),
            TrfPlayer(6, "F", points=0, cells=(Cell(0, "-", "Z"), Cell(2, "b", "-"))),
            TrfPlayer(7, "G", points=2, cells=(Cell(0, "-", "U"), Cell(4, "b", "0"))),
        ),
        rounds=5,
    )
    lines = [line[89:] for line in write_trf26(event).decode().split("\r\n") if line.startswith("001")]
    assert lines[1:] == [
        "     1 b 0     6 w +", "  0000 - H     1 w 0", "  0000 - F     7 w 1", "  0000 - Z  0000 - U",
        "  0000 - Z     2 b -", "  0000 - U     4 b 0",
    ]  # fmt: skip
    again, adjustments = read_trf(write_trf26(event), "x.trf")
    assert adjustments == ()
    assert [p.cells for p in again.players if p.start_rank != 5] == [
        p.cells for p in event.players if p.start_rank != 5
    ]


def test_a_bye_worth_half_a_point_is_declared() -> None:
    event = TrfEvent(
        players=(
            TrfPlayer(1, "A", points=3, cells=(Cell(2, "w", "1"), Cell(0, "-", "U"))),
            TrfPlayer(2, "B", points=0, cells=(Cell(1, "b", "0"), Cell(0, "-", "Z"))),
        ),
        point_system=PointSystem(pab=1),
    )
    data = write_trf26(event)
    assert b"162  W 1.0    D 0.5    L 0.0    P 0.5\r\n" in data
    assert read_trf(data, "x.trf") == (event, ())


def test_plain_ascii_keeps_the_columns() -> None:
    data = write_trf16(club_evening(), plain_ascii=True)
    assert b"Cermak, Zofie" in data
    assert read_trf(data, "a.trf")[0].players[0].cells == club_evening().players[0].cells


@pytest.mark.parametrize(
    "player",
    [TrfPlayer(10000, "A"), TrfPlayer(1, "A", rating=10000), TrfPlayer(1, "A", points=2000)],
)
def test_a_value_without_room_is_refused_and_not_cut(player: TrfPlayer) -> None:
    with pytest.raises(ValueError, match="no room"):
        write_trf16(TrfEvent(players=(player,)))


def test_entries_take_the_players_and_leave_results_and_national_titles() -> None:
    event, _adjustments = read_trf(report(row(1, "Rossi, Anna", title="1N"), row(2, "Li", title="g")), "x.trf")
    assert [(e.tpn, e.name, e.title) for e in entries_from_trf(event)] == [(1, "Rossi, Anna", ""), (2, "Li", "GM")]
    assert entries_from_trf(club_evening())[3].birth == "1999"


# ------------------------------------------------------------------------------------------------ habits of writers


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_gives_the_same_event(end: str) -> None:
    assert len(read_trf(report(*duel(), end=end), "x.trf")[0].players) == 2


@pytest.mark.parametrize(("codec", "adjusted"), [("utf-8", 0), ("utf-8-sig", 0), ("cp1252", 1)])
def test_encodings_are_found_out(codec: str, adjusted: int) -> None:
    data = "\n".join([row(1, "Müller, Jürgen"), row(2, "Öztürk, Ö")]).encode(codec)
    event, adjustments = read_trf(data, "x.trf")
    assert [p.name for p in event.players] == ["Müller, Jürgen", "Öztürk, Ö"]
    assert len(adjustments) == adjusted


def test_another_code_page_can_be_named() -> None:
    data = "\n".join([row(1, "Žižek, Čedo"), row(2, "Łoś, Żaneta")]).encode("cp1250")
    assert read_trf(data, "x.trf", code_page="cp1250")[0].players[1].name == "Łoś, Żaneta"


def test_name_padded_by_bytes_is_put_back_in_its_columns() -> None:
    first = "001    1 m    " + "Čavčić, Željko".ljust(33 - 4) + " 2372 FID    90000001 1990/00/00  1.0    1     2 w 1"
    event, adjustments = read_trf(report(first, row(2, "Byrne, D", "0.0", "     1 b 0")), "x.trf")
    player = event.players[0]
    assert (player.name, player.rating, player.fide_id, player.points) == ("Čavčić, Željko", 2372, 90000001, 2)
    assert player.cells == (Cell(2, "w", "1"),)
    assert [a.line for a in adjustments] == [1]


def test_a_row_out_of_phase_for_no_known_reason_is_refused() -> None:
    error = refusal(report(row(1, "Anand, V", "1.0", "    2 w 1"), row(2, "Byrne, D", "0.0", "     1 b 0")))
    assert str(error).startswith("evening.trf:1:90: player 1 (Anand, V): round 1 cannot be read")


def test_lone_dashes_and_short_byes_of_an_internet_server() -> None:
    rows = [
        row(1, "ann", "1.5", "         H     2 w 1"),
        row(2, "bob", "0.0", "         -     1 b 0         -"),
        row(3, "cat", "1.0", "                   U         -"),
    ]
    event, adjustments = read_trf(report(*rows, "XXR 3"), "x.trf")
    assert [p.cells for p in event.players] == [
        (Cell(0, "-", "H"), Cell(2, "w", "1")),
        (Cell(0, "-", "Z"), Cell(1, "b", "0"), Cell(0, "-", "Z")),
        (Cell(0, "-", "Z"), Cell(0, "-", "U"), Cell(0, "-", "Z")),
    ]
    assert {a.line for a in adjustments} == {2, 3}


def test_blank_cell_in_a_round_nobody_is_paired_for_stays_blank() -> None:
    rows = [*duel(), row(3, "Carlsen", "0.0", " " * 10 + " " * 10 + "  0000 - Z")]
    event, _adjustments = read_trf(report(*rows, "XXR 5"), "x.trf")
    assert event.paired_rounds == 1
    assert [cell.result for cell in event.players[2].cells] == ["Z", "", "Z"]


def test_spurious_extra_cell_is_dropped_and_told() -> None:
    rows = [row(1, "Ann", "1.0", "     2 w 1  0000 - Z"), row(2, "Bob", "0.0", "     1 b 0")]
    event, adjustments = read_trf(report(*rows, "142 1"), "x.trf")
    assert event.players[0].cells == (Cell(2, "w", "1"),)
    assert "but the event has 1; left out" in adjustments[0].what


def test_game_in_progress_has_no_result_yet() -> None:
    event, adjustments = read_trf(report(*duel(" ", " ", ("0.0", "0.0"))), "x.trf")
    assert event.players[0].cells == (Cell(2, "w", ""),)
    assert adjustments == ()


def test_paired_players_with_z_are_a_double_forfeit() -> None:
    event, adjustments = read_trf(report(*duel("Z", "Z", ("0.0", "0.0"))), "x.trf")
    assert [p.cells[0].result for p in event.players] == ["-", "-"]
    assert len(adjustments) == 2


def test_both_lose_is_legal_and_unequal_scores_are_told() -> None:
    assert read_trf(report(*duel("0", "0", ("0.0", "0.0"))), "x.trf")[1] == ()
    _event, adjustments = read_trf(report(*duel("=", "0", ("0.5", "0.0"))), "x.trf")
    assert "after a penalty" in adjustments[0].what


def test_announced_bye_of_the_next_round_may_be_counted_or_not() -> None:
    for stated in ("1.0", "1.5"):
        rows = [row(1, "Ann", stated, "     2 w 1  0000 - H"), row(2, "Bob", "0.0", "     1 b 0")]
        assert read_trf(report(*rows, "142 3"), "x.trf")[1] == ()


def test_points_never_filled_in_are_not_taken_for_zero() -> None:
    event, adjustments = read_trf(report(*duel(points=("0.0", "0.0"))), "x.trf")
    assert [p.points for p in event.players] == [None, None]
    assert len(adjustments) == 1


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026/05/02", "2026/05/02"), ("28. 07. 2005", "2005/07/28"), ("May 29, 2020", "2020/05/29"),
     ("24/09/2010", "2010/09/24"), ("26/05/02", "2026/05/02"), ("soon", "soon")],
)  # fmt: skip
def test_start_dates_in_the_wild(text: str, day: str) -> None:
    event, adjustments = read_trf(report(f"042 {text}", *duel()), "x.trf")
    assert event.start == day
    assert len(adjustments) == (text != "2026/05/02")


def test_round_dates_a_column_off_or_with_long_years() -> None:
    stray = "132" + " " * 89 + "26/03/06  26/03/07"
    assert read_trf(report(stray, *duel()), "x.trf")[0].round_dates == ("2026/03/06", "2026/03/07")
    event, adjustments = read_trf(report("132 2026/03/06 2026/03/07", *duel()), "x.trf")
    assert event.round_dates == ("2026/03/06", "2026/03/07")
    assert len(adjustments) == 1


@pytest.mark.parametrize(
    ("records", "system"),
    [
        (["162  W 3.0    D 1.0    L 0.0"], PointSystem(6, 2, 0, 6, 0, 6, 6, 2, 0, 2)),
        (["162  W 1.0    P 0.5"], PointSystem(pab=1)),
        (["XXS W=3 D=1 PAB=1"], PointSystem(6, 2, 0, 6, 0, 2, 6, 2, 0, 2)),
        (["XXS WW=2 BW=2"], PointSystem(win=4, pab=4)),
        (["BBW  3.0", "BBD  1.0", "BBL  0.5", "BBU  1.0"], PointSystem(6, 2, 1, 6, 0, 2, 6, 2, 0, 2)),
    ],
)
def test_point_systems(records: list[str], system: PointSystem) -> None:
    rows = [row(1, "Ann"), row(2, "Bob")]
    event, _adjustments = read_trf(report(*records, *rows), "x.trf")
    assert event.point_system == system
    assert read_trf(write_trf16(event), "x.trf")[0] == event


def test_points_are_checked_under_the_stated_system() -> None:
    read_trf(report("162  W 3.0    D 1.0    L 0.0", *duel(points=("3.0", "0.0"))), "x.trf")
    assert "3.0 by the results" in str(refusal(report("162  W 3.0    D 1.0    L 0.0", *duel())))


def test_white_and_black_may_be_worth_different_points() -> None:
    rows = [row(1, "Ann", "1.0", "     2 w 1     2 w 0"), row(2, "Bob", "1.5", "     1 b 0     1 b 1")]
    event, adjustments = read_trf(report(*rows, "XXS WW=1 BW=1.5"), "x.trf")
    assert adjustments == ()
    assert (event.point_system.win, event.point_system.black_win) == (2, 3)
    assert read_trf(write_trf16(event), "x.trf")[0] == event
    assert "1.5 by the results" in str(refusal(report(rows[0], rows[1].replace(" 1.5 ", " 1.0 "), "XXS WW=1 BW=1.5")))


def test_the_same_record_in_two_languages() -> None:
    event, adjustments = read_trf(report("142 5", "XXR 7", "XXC black1 rank", *duel()), "x.trf")
    assert (event.rounds, event.initial_colour, event.rank_order) == (5, "black", True)
    assert "contradicts" in adjustments[0].what


def test_pairing_records() -> None:
    records = [
        "240 H   3    7   12",
        "250       1.0   1   2    1   20",
        "260   1   8    1    2    3",
        "XXP 4 5",
        "XXZ 2",
        "XXA    1  1.0  0.5",
    ]
    event, adjustments = read_trf(report(*records, *duel()), "x.trf")
    assert [a.what for a in adjustments] == [
        "record 240: there are no players 7, 12",
        "record 260: there is no player 3",
        "record XXP: there are no players 4, 5",
    ]
    assert event.absences == (Absence("H", 3, (7, 12)),)
    assert event.accelerations == (Acceleration(2, 1, 2, 1, 20),)
    assert event.forbidden == (Forbidden((1, 2, 3), 1, 8), Forbidden((4, 5)))
    assert event.absent_next == (2,)
    assert [event.fictitious_half_points(1, r) for r in (1, 2, 3)] == [2, 1, 0]
    assert [event.fictitious_half_points(2, r) for r in (1, 2, 3)] == [2, 2, 0]


def test_abnormal_points_count_in_the_sum() -> None:
    rows = duel(points=("1.0", "1.5"))
    event, adjustments = read_trf(report("299          1.5  001    2", *rows), "x.trf")
    assert adjustments == ()
    assert event.abnormal[0].half_points == 3
    assert read_trf(write_trf26(event), "x.trf")[0] == event


def test_abnormal_points_of_a_win_count_for_rated_and_unrated_wins_of_those_named() -> None:
    rows = [
        row(1, "Ann", "2.0", "     2 w 1     2 b L     2 w W"),
        row(2, "Bob", "1.0", "     1 b 0     1 w W     1 b L"),
    ]
    event, adjustments = read_trf(report("299 W         0.5  001    1", "299 W         1.5  003    1", *rows), "x.trf")
    assert adjustments == ()
    assert "3.0 by the results" in str(refusal(report("299 W         1.5  000    1    2", rows[0], rows[1])))
    assert b"299 W         0.5  001    1\r\n" in write_trf26(event)


def test_a_vendors_line_with_a_starting_rank_is_no_national_rating() -> None:
    event, adjustments = read_trf(report(*duel(), "DAT 0001 EMAIL somebody@example.org"), "x.trf")
    assert [a.what for a in adjustments] == ["record DAT is not known; kept as it is"]
    assert [line.text for line in event.foreign] == ["DAT 0001 EMAIL somebody@example.org"]


def test_unknown_records_are_kept_and_told_with_their_line() -> None:
    event, adjustments = read_trf(report("DAT something of a vendor", *duel()), "x.trf")
    assert [(f.text, f.line) for f in event.foreign] == [("DAT something of a vendor", 1)]
    assert [(a.line, a.what) for a in adjustments] == [(1, "record DAT is not known; kept as it is")]
    assert b"DAT something of a vendor\r\n" in write_trf16(event)


def test_in_team_files_an_empty_board_keeps_its_sign() -> None:
    rows = [row(1, "Ann", "1.0", "  0000 - +"), row(2, "Bob", "0.0", "  0000 - -")]
    event, _adjustments = read_trf(report(*rows, "310   1 Ants" + " " * 60 + "1    2"), "x.trf")
    assert [p.cells[0] for p in event.players] == [Cell(0, "-", "+"), Cell(0, "-", "-")]
    alone, _adjustments = read_trf(report(*rows), "x.trf")
    assert [p.cells[0] for p in alone.players] == [Cell(0, "-", "F"), Cell(0, "-", "Z")]


def test_remarks_stand_where_they_stood_and_rulers_keep_their_blanks() -> None:
    lines = [
        "### Club evening",
        "012 Evening",
        "###            1         2",
        "###4567890123456789012345678",
        duel()[0],
        "### MPA @ Round 1: 1-2 => 2-1",
        duel()[1],
        "###",
        "240 H   2    1",
        "### a heading without its block",
        "240 H   3    1",
        "### the end",
    ]
    event, _adjustments = read_trf(report(*lines), "x.trf")
    assert event.comments[1:3] == ("           1         2", "###4567890123456789012345678")
    assert event.comment_places == ("012:1", "", "", "001:2", "240:1", "240:2", "end")
    written = [li for li in write_trf26(event).decode().split("\r\n") if li[:3] in ("###", "001", "240")]
    assert [line.rstrip() for line in written] == [line.rstrip() for line in lines if not line.startswith("012")]
    assert b"###" not in write_trf26(event, comments=False)


def test_an_adjourned_game_counts_as_a_draw_and_keeps_its_sign() -> None:
    rows = [row(1, "Ann", "1.5", "     2 w ?  0000 - U"), row(2, "Bob", "0.5", "     1 b ?")]
    event, adjustments = read_trf(report(*rows), "x.trf")
    assert [a.what for a in adjustments] == []
    assert event.players[0].cells[0].open
    assert event.point_system.value(event.players[0].cells[0]) == 1
    assert read_trf(write_trf26(event), "x.trf")[0] == event
    uncounted = [rows[0].replace("1.5", "1.0"), rows[1].replace("0.5", "0.0")]
    assert read_trf(report(*uncounted), "x.trf")[1] == ()


def test_a_sign_that_is_no_result_is_read_as_not_known_and_told() -> None:
    event, adjustments = read_trf(report(*duel("*", "*", ("0.5", "0.5"))), "x.trf")
    assert event.players[0].cells == (Cell(2, "w", "?"),)
    assert [(a.line, a.column) for a in adjustments] == [(1, 99), (2, 99)]
    assert "player 1 (Anand, V), round 1: “*” is no result; read as not known" in adjustments[0].what


def test_a_final_report_needs_all_results() -> None:
    event, _adjustments = read_trf(report(*duel("?", "?", ("0.5", "0.5"))), "x.trf")
    with pytest.raises(OpenGames, match=r"1-2 \(1\)"):
        write_trf26(event, final=True)
    assert write_trf26(club_evening(), final=True) == write_trf26(club_evening())


def test_gaps_in_the_numbers_are_legal_in_trf26_only() -> None:
    rows = [row(1, "Ann"), row(3, "Cat")]
    assert "number before, 2, is missing" in str(refusal(report(*rows, "XXR 5")))
    _event, adjustments = read_trf(report(*rows, "142 5"), "x.trf")
    assert adjustments[0].line == 2


# ------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("lines", "where", "words"),
    [
        (["# just a remark", *duel()], (1, 1), "no record of a tournament report"),
        ([duel()[0], "101" + duel()[1][3:]], (2, 1), "Byrne, D: the line begins with 101"),
        ([duel()[0], row(2, "Byrne, D", "0.0")], (1, 92), "player 1 (Anand, V), round 1: the opponent"),
        (duel(points=("2.0", "0.0")), (1, 81), "player 1 (Anand, V): 2.0 points in the column, 1.0 by the results"),
        (duel("1", "1", ("1.0", "1.0")), (1, 99), "result “1” does not fit “1”"),
        (duel("1", " "), (1, 99), "does not fit"),
        (duel("Z", "1", ("0.0", "1.0")), (1, 99), "does not fit"),
        (duel("U", "0"), (1, 99), "U is a bye, but there is an opponent"),
        ([row(1, "Ann", "1.0", "     9 w 1")], (1, 92), "there is no opponent 9"),
        ([row(1, "Ann", "1.0", "     1 w 1")], (1, 92), "there is no opponent 1"),
        ([row(1, "Ann", "1.0", "     2 w 1"), row(2, "Bob", "0.0", "     1 w 0")], (1, 97), "same colour"),
        ([row(1, "Ann"), row(1, "Bob")], (2, 5), "same starting rank as line 1"),
        ([row(1, "Ann", rating="2x50")], (1, 49), "“2x50” is no number"),
        ([row(1, "")], (1, 15), "has no name"),
        ([row(1, "Ann", "  0000 w")[:89] + "  0000 w"], (1, 92), "a colour, but no opponent"),
        (["XXR many", *duel()], (1, 5), "no number of rounds"),
        (["162 nonsense", *duel()], (1, 5), "point system"),
        (["240 X   1    1", *duel()], (1, 5), "record 240"),
        ([row(1, "Ann\x1b[2J")], (1, 18), "control character"),
        (["012 Nothing else"], (1, 1), "no player line"),
        ([row(1, "Ann")[:52] + "7" + row(1, "Ann")[53:]], (1, 53), "player 1 (Ann): “7” stands between two fields"),
        (["240 H   ²    1", *duel()], (1, 6), "no list of numbers"),
    ],
)
def test_refused_with_line_column_and_player(lines: list[str], where: tuple[int, int], words: str) -> None:
    error = refusal(report(*lines))
    assert [(d.line, d.column) for d in error.defects if words in d.what] == [where]
    assert str(error).startswith("evening.trf:")
    assert all(" – " in line for line in str(error).splitlines())


def test_all_defects_come_together() -> None:
    rows = [row(1, "Ann", "3.0", "     2 w 1"), row(2, "Bob", "7.0", "     1 b 0")]
    assert [d.line for d in refusal(report(*rows)).defects] == [1, 2]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe0\x000\x001\x00", b"\x00\x01\x02", b"001", b"PK\x03\x04"])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    assert refusal(data).defects


def test_a_byte_of_no_code_page_names_its_place() -> None:
    data = row(1, "Ann").encode() + b"\n" + row(2, "Bob").encode().replace(b"Bob", b"B\x81b")
    assert [(d.line, d.column) for d in refusal(data).defects] == [(2, 16)]


# ------------------------------------------------------------------------------------------------ collected samples

SAMPLES = sorted((SHARED / "trf").glob("*.trf"))
ORACLES = (
    sorted([*(SHARED / "dutch").rglob("*.trf"), *(SHARED / "dutch").rglob("*.trf.gz")])[::16]
    + sorted((SHARED / "tiebreaks").glob("*.trf"))[::8]
)


@pytest.mark.skipif(not SAMPLES, reason="the collected samples are not here")
def test_good_samples_are_read_and_survive_writing() -> None:
    for path in [p for p in SAMPLES if not p.name.startswith("bad_")]:
        event, _adjustments = read_trf(path.read_bytes(), path.name)
        again, adjustments = read_trf(write_trf16(event), path.name)
        assert again == event, path.name
        assert write_trf16(again) == write_trf16(event), path.name
        assert not [a for a in adjustments if "columns" in a.what], path.name


@pytest.mark.skipif(not SAMPLES, reason="the collected samples are not here")
def test_the_three_encodings_of_one_event_agree() -> None:
    names = ("enc_utf8_charcols_crlf_bom.trf", "enc_utf8_bytecols.trf", "enc_latin1.trf")
    events = [read_trf((SHARED / "trf" / name).read_bytes(), name)[0] for name in names]
    assert events[0] == events[1]
    nameless = [tuple(replace(p, name="") for p in event.players) for event in events]
    assert nameless[0] == nameless[2]


@pytest.mark.skipif(not SAMPLES, reason="the collected samples are not here")
@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("bad_hash_comment.trf", 1, "no record"),
        ("bad_line_code.trf", 7, "Player 7"),
        ("bad_missing_result.trf", 2, "player 2 (Nemet2 Mira), round 5"),
        ("bad_points_column.trf", 2, "player 2 (Orlov2 Niko): 4.0 points"),
        ("bad_gap_in_numbers.trf", 7, "player 8"),
    ],
)
def test_bad_samples_are_refused(name: str, line: int, words: str) -> None:
    defects = refusal((SHARED / "trf" / name).read_bytes()).defects
    assert [d.line for d in defects] == [line]
    assert words in defects[0].what


@pytest.mark.skipif(not ORACLES, reason="the oracle's tournaments are not here")
def test_oracle_tournaments_are_read_without_a_word() -> None:
    for path in ORACLES:
        data = path.read_bytes()
        event, adjustments = read_trf(gzip.decompress(data) if path.suffix == ".gz" else data, path.name)
        assert adjustments == (), path.name
        assert read_trf(write_trf26(event), path.name)[0] == event, path.name
