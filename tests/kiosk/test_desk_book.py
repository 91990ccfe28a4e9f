"""Stories of an arbiter who keeps the book at the desk: every form against a real hub's core."""

from __future__ import annotations

from pathlib import Path

from kiosk.desk.list_page import ListPage
from tests.kiosk import states
from tests.kiosk.desk_hub import Desk, at_the_desk
from tests.kiosk.hub_hall import Hall


def players(hall: Hall) -> dict[str, str]:
    """Name → how he stands."""
    state = hall.core.hall.state
    return {entry.name.strip(): state.status(tpn) for tpn, entry in state.entries.items()}


def score(hall: Hall) -> str:
    """The result of board 2 in round 1."""
    return hall.core.hall.state.rounds[0].results[2].score


def finish_round(desk: Desk, hall: Hall) -> None:
    """Every open board of the round is resigned by Black."""
    for row in hall.view.boards.rows:
        if row.state == "playing":
            hall.tables[row.table].resign("black")
    desk.hub.push()


async def play(desk: Desk, hall: Hall) -> None:
    """The next round is paired, published and started with one key each."""
    await desk.does("pair", "n")
    await desk.does("publish", "n", "n")
    for row in hall.view.boards.rows:
        hall.tables[row.table].ready()
    desk.hub.push()
    await desk.does("start", "n", "n")


def test_the_list_of_players_through_an_evening(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await desk.press("2")
        await desk.does("enter-late", "a", fill=("Late, Ann", "2300", "", "NOR", "", "", "", "", "", "", ""))
        await desk.select("1")
        assert "Late, Ann" in desk.shown
        await desk.press("e", "tab")
        await desk.press(*"2310", "f2")
        assert desk.hub.done[-1] == "correct-entry"
        assert hall.core.hall.state.entries[1].rating == 2310, "what is typed replaces what stood there"
        await desk.does("bye", "b", fill=("", "", "a wedding"))
        assert "1:½" in desk.shown
        await desk.does("revoke-bye", "k", fill=("", "can play"))
        await desk.does("flag", "f", fill=("",))
        await desk.does("withdraw", "w", fill=("ill",))
        assert players(hall)["Late, Ann"] == "withdrawn"
        await desk.press("w")
        assert "is withdrawn" in desk.shown
        await desk.does("return", "r", fill=("better",))
        await desk.does("expel", "x", fill=("phone",), then=("y", "e", "s", "enter"))
        assert players(hall)["Late, Ann"] == "expelled"
        await desk.select("2")
        await desk.select("7")
        await desk.does("take-out", "t", fill=("entered twice",))
        assert "O'Neil, Sean" not in players(hall)
        await desk.select("2")
        await desk.does("forbid", "m", fill=("2, 3", "", "", "brothers"))
        await desk.does("exchange-numbers", "y", fill=("4", "list"), then=("y",))
        await desk.does("open-check-in", "o", "o")
        for tpn in (2, 3, 4, 5):
            await desk.select(str(tpn))
            await desk.does("check-in", "h", fill=("",))
        await desk.press("l")
        assert "Silva, Rui" in desk.shown
        await desk.press("3", "enter")
        assert desk.hub.done[-1] == "close-check-in"

    at_the_desk(tmp_path, story)


def test_a_refused_form_keeps_what_was_typed_and_says_why(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await desk.press("2", "a")
        await desk.fill("Late, Ann", "2300")
        await desk.press("f2")
        assert desk.hub.done == ["enter-late"]
        await desk.press("a")
        await desk.fill("Late, Ann", "2300")
        await desk.press("f2")
        assert "is on the list already" in desk.shown, "level 2: to be acknowledged"
        await desk.press("escape")
        shown = desk.shown
        assert "A new player" in shown
        assert "Late, Ann" in shown
        assert desk.hub.done == ["enter-late"]
        await desk.press("f2", "enter")
        assert desk.hub.done == ["enter-late", "enter-late"]

    at_the_desk(tmp_path, story)


def test_the_result_of_round_1_is_corrected_in_round_2_and_undone(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await play(desk, hall)
        finish_round(desk, hall)
        await play(desk, hall)
        await desk.press("3", "left")
        assert "Round 1 of 2" in desk.shown
        await desk.select("2")
        await desk.press("r", "3", "enter", "enter")
        await desk.write("slip was misread")
        await desk.press("enter")
        shown = desk.shown
        assert "1-0 becomes 0-1" in shown
        assert "Round 2 is public and stays as it is" in shown
        await desk.press("enter")
        assert "correct-result" not in desk.hub.done, "Enter alone is no"
        await desk.press("f2", "y")
        assert desk.hub.done[-1] == "correct-result"
        assert score(hall) == "0-1"
        await desk.press("5")
        assert "Correction @ Round 1" in desk.shown
        await desk.does("undo", "u", fill=("the slip was right",), then=("y",))
        assert score(hall) == "1-0"
        assert "undone" in desk.shown
        await desk.does("redo", "y", "y")
        assert score(hall) == "0-1"
        await desk.press("i")
        assert "slip was misread" in desk.shown

    at_the_desk(tmp_path, story)


def test_a_round_is_made_by_hand_published_and_taken_back(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await desk.does("pair", "n")
        await desk.press("3", "x")
        assert "Open the round for pairing by hand" in desk.shown
        await desk.does("manual-open", "h", fill=("two brothers",))
        assert desk.app.hand is not None
        first = desk.app.hand.pairs
        await desk.select("1")
        await desk.press("g")
        assert desk.app.hand.pairs[0] == first[0][::-1]
        await desk.press("x")
        await desk.fill(str(first[1][0]))
        assert desk.app.hand.pairs[0][0] == first[1][0]
        await desk.select("3")
        await desk.press("-")
        assert len(desk.app.hand.free) == 2
        await desk.press("m")
        assert "Still without a board" in desk.shown
        await desk.press("t", "enter", "enter")
        assert desk.app.hand.whole
        await desk.does("manual-close", "m", "m", then=("y", "e", "s", "enter"))
        assert desk.app.hand is None
        assert hall.view.head.phase == "draft"
        await desk.does("publish", "n", "n")
        assert "MPA @ Round 1" in " ".join(desk.app.book.remarks)
        await desk.does("withdraw-sheet", "b", fill=("a player has not come",), then=("y",))
        await desk.does("drop", "d", "d")
        await desk.press("2")
        await desk.select("6")
        await desk.does("withdraw", "w", fill=("ill",))
        await desk.select("5")
        await desk.does("bye", "b", fill=("", "2", "late"))
        await desk.does("pair", "n")
        await desk.does("publish", "n", "n")
        await desk.select("6")
        await desk.does("return", "r", fill=("here after all",))
        await desk.press("3")
        await desk.does("set-unpaired", "u", fill=("6", "1", "his train was late"), then=("y",))
        await desk.does("add-board", "+", fill=("5", "6", "", "both are here now"), then=("y",))
        assert [row.board for row in hall.view.boards.rows] == [1, 2, 3]

    at_the_desk(tmp_path, story)


def test_regulations_lots_and_the_one_way_out_of_fide_handling(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await desk.press("5", "e")
        await desk.write("half byes")
        await desk.press("enter")
        await desk.press("backspace", "2")
        await desk.fill("", "announced so")
        assert desk.hub.done == ["regulations"]
        assert hall.core.hall.state.regulations.half_byes == 2  # type: ignore[union-attr]
        await desk.does("lot", "l", fill=("20260530", ""))
        await desk.press("x")
        await desk.fill("club rules")
        await desk.press("y", "e", "s", "enter")
        assert desk.hub.done[-1] == "lot", "any other word is no"
        await desk.press(*["backspace"] * 3, "l", "e", "a", "v", "e", "enter")
        assert desk.hub.done[-1] == "fide-exit"
        assert desk.hub.refused[-2][0] == desk.hub.refused[-1][0] == "fide-exit", "the hub asks twice, the desk once"
        assert "NOT under FIDE handling" in desk.shown
        await desk.press("2")
        assert "NOT FIDE" in desk.shown
        await desk.press("5", "x")
        assert "FIDE handling was left already" in desk.shown

    at_the_desk(tmp_path, story)


def test_the_laws_at_one_board(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await play(desk, hall)
        hall.tables["1"].moves("e2e4", "e7e5", "g1f3")
        hall.tables["2"].moves("d2d4", "d7d5")
        desk.hub.push()
        await desk.select("1")
        await desk.press("enter")
        await desk.does("penalty", "x", fill=("1", "2", "2", "3", "", "phone rang"))
        game = hall.tables["1"].state
        assert [(r.offender, r.offence) for r in game.rulings] == [("white", "device")]
        await desk.does("pause", "d", "d")
        await desk.does("times", "t", fill=("", "", "set again"))
        await desk.does("correct", "k", "1", fill=("", "", "", "", "2", "2", "2", "piece fell"))
        assert len(hall.tables["1"].state.plies) == 2, "one half-move is taken back, two minutes for Black"
        await desk.does("correct", "i", fill=("1", "", "", "touched"))
        assert hall.tables["1"].state.offences("white") == 1
        await desk.does("adjourn", "a", fill=("7", "", "late"))
        await desk.does("envelope", "o", fill=("Nf3",))
        await desk.press("escape")
        await desk.select("2")
        await desk.does("correct", "e", fill=("3", "2", "", "", "colours were wrong"))
        assert hall.tables["2"].state.plies == ()

    at_the_desk(tmp_path, story)


def test_results_of_all_kinds_from_the_round_page(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await play(desk, hall)
        await desk.press("3")
        assert isinstance(desk.app.page, ListPage)
        for board, sign, code in (("1", "8", "½-0"), ("2", "7", "0-0 forfeit"), ("3", "a", "1-0 unrated")):
            await desk.select(board)
            await desk.press("r", sign)
            await desk.write("ruled")
            await desk.press("enter")
            assert code in desk.shown, code
        assert hall.view.head.phase == "complete"

    at_the_desk(tmp_path, story)


def test_what_was_really_played_and_who_had_a_reason(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await play(desk, hall)
        await desk.press("3")
        one, two = (hall.core.hall.state.rounds[0].pair(board) for board in (1, 2))
        assert one is not None
        assert two is not None
        await desk.select("1")
        lines = (str(one.white), str(two.black), "2", str(two.white), str(one.black), "sat at the wrong boards")
        await desk.does("replace-pairs", "j", fill=lines, then=("y",))
        assert [row.black.tpn for row in hall.view.boards.rows[:2]] == [two.black, one.black]
        await desk.select("3")
        await desk.does("result", "r", "9", "enter")
        await desk.press("2")
        await desk.does("excuse", "g", fill=("1", "1", "accident"))
        finish_round(desk, hall)

    at_the_desk(tmp_path, story)


def test_a_rating_list_from_a_file(tmp_path: Path) -> None:
    from rules.interchange.rating_list import RatedPlayer, write_rating_list

    rated = [RatedPlayer(fide_id=900, name="Petrova, Anna", federation="SRB", standard=2234)]
    file = tmp_path / "standard_2026-05.txt"
    file.write_bytes(b"".join(write_rating_list(rated)))

    async def story(desk: Desk, hall: Hall) -> None:
        await desk.press("2", "i")
        await desk.fill(str(tmp_path / "nothing.txt"))
        await desk.press("f2")
        await states.settle(desk.pilot)
        assert "No such file" in desk.shown
        assert "nothing.txt" in desk.shown.replace(" ", "")
        await desk.press("escape")
        await desk.does("rating-list", "i", fill=(str(file), "", "", ""))

    at_the_desk(tmp_path, story)


PRIZES = ("Main prizes: 300 150 90", "Girls: 40 20, none, for W", "Local: 100, for NOR")


def test_who_gets_which_prize_and_why(tmp_path: Path) -> None:
    async def story(desk: Desk, hall: Hall) -> None:
        await desk.press("7")
        assert "No prizes are announced" in desk.shown
        await desk.does("regulations", "e", fill=("; ".join(PRIZES), "sponsor"))
        assert hall.core.hall.state.regulations is not None
        assert hall.core.hall.state.regulations.prizes == PRIZES
        await desk.press("e")
        await desk.fill("Main prizes: 10 20", "typing error")
        assert "from the first place down" in desk.shown, "refused in its sentence, nothing lost"
        await desk.press("escape", "escape", "1")
        await play(desk, hall)
        finish_round(desk, hall)
        await desk.press("7")
        assert "Prizes as they would be after round 1" in desk.shown
        # White won on all three boards: three with a point share 300 + 150 + 90.
        assert "180 " in desk.shown
        assert "3 players share 300 + 150 + 90" in desk.shown
        assert "equal points with" in desk.shown
        assert "paid 540 + not won 160 = fund 700" in desk.shown
        assert "won by nobody" in desk.shown
        await desk.press("5")
        await desk.press("7")
        await desk.select("- Local")
        assert "Local: 100, for NOR (of NOR)" in desk.shown

    at_the_desk(tmp_path, story)
