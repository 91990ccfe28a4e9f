"""The desk as an arbiter uses it: keys pressed, what the hub is asked, what is on the screen."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot

from hallnet.views import CaseView, HallSnapshot, StepView
from kiosk.desk.app import DeskApp
from kiosk.desk.board_page import BoardScreen
from kiosk.desk.dialogs import RulingDialog
from kiosk.desk.list_page import ListPage
from kiosk.widgets.keyed_table import KeyedTable
from tests.kiosk import fakes, pictures, quick, states

Story = Callable[[Pilot[Any], DeskApp, fakes.FakeHall, fakes.Clock], Awaitable[None]]
BY = {"by": "M. Orlova"}


def work(
    story: Story,
    hall: HallSnapshot | None = None,
    size: tuple[int, int] = (100, 30),
    open_screen: Callable[[str], list[str]] | None = None,
) -> None:
    """Run the desk at a fake hub, and the story with it."""

    async def run() -> None:
        clock = fakes.Clock()
        client = states.hall_client(hall or fakes.hall())
        app = DeskApp(client, open_screen=open_screen, now=clock)
        async with app.run_test(size=size, notifications=True) as pilot:
            await states.settle(pilot)
            await story(pilot, app, client, clock)
        assert client.closed

    with quick.waiting():
        asyncio.run(run())


async def press(pilot: Pilot[Any], *keys: str) -> None:
    await pilot.press(*keys)
    await states.settle(pilot)


async def write(pilot: Pilot[Any], text: str) -> None:
    await press(pilot, *("space" if sign == " " else sign for sign in text))


def step(kind: str, sentence: str) -> HallSnapshot:
    return fakes.hall(phase="published", step=StepView(kind=kind, sentence=sentence))


def test_pairing_takes_one_key_what_is_public_takes_two() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "n")
        assert hub.asked == [("pair", BY)]
        hub.change_head(step=StepView(kind="publish", sentence="Publish the pairings of round 3."))
        await states.settle(pilot)
        assert "n: Publish the pairings of round 3." in pictures.text(app)
        await press(pilot, "n")
        assert len(hub.asked) == 1
        await press(pilot, "escape")
        assert len(hub.asked) == 1
        assert app.screen is app.main
        await press(pilot, "n", "n")
        assert hub.asked[1:] == [("publish", BY)]

    work(story, step("pair", "Pair round 3."))


def test_nothing_to_do_is_said_not_done() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "n", "n")
        assert hub.asked == []
        assert "12 of 14 boards have no result yet" in pictures.text(app)

    work(story)


def test_a_refusal_is_shown_in_the_hubs_own_words() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.answers["start"] = fakes.Answer(False, "Round 3 has 14 boards, and 1 table is missing.")
        await press(pilot, "n", "enter")
        assert hub.asked == [("start", BY)]
        assert "1 table is missing" in pictures.text(app)

    work(story, step("start", "Start round 3."))


def test_all_clocks_are_stopped_and_let_go_in_two_steps() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "p", "escape")
        assert hub.asked == []
        await press(pilot, "p", "p")
        await press(pilot, "u", "u")
        assert hub.asked == [("pause", {"board": 0} | BY), ("resume", {"board": 0} | BY)]

    work(story)


def test_the_cursor_stays_on_its_board_while_everything_changes() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, *["down"] * 7)
        boards = app.main.boards
        assert boards.selected == "8"
        where = boards.region
        hub.change_row(8, last="31.Qh5", state="ended", score="1-0")
        hub.change_row(1, call="call")
        hub.change_head(calls=())
        await states.settle(pilot)
        assert boards.selected == "8"
        assert boards.region == where, "nothing jumps when the last call is closed"
        assert hub.hall is not None
        fewer = msgspec.structs.replace(
            hub.hall.boards, rows=tuple(row for row in hub.hall.boards.rows if row.board not in (2, 3))
        )
        hub.push(msgspec.structs.replace(hub.hall, boards=fewer))
        await states.settle(pilot)
        assert boards.selected == "8"

    work(story)


def test_only_cells_that_changed_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, str]] = []
    update = KeyedTable.update_cell

    def counted(self: KeyedTable, row: Any, column: Any, value: Any, **kw: Any) -> None:
        if self.id == "boards":
            written.append((row, column))
        update(self, row, column, value, **kw)

    monkeypatch.setattr(KeyedTable, "update_cell", counted)

    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.change_row(12, last="31.Qh5")
        assert written == [("12", "last")]
        written.clear()
        app.repaint()
        assert written == []
        clock.ms += 1_000
        app.repaint()
        running = {"1", "2", "6", "8", "11", "12", "13", "14"}
        assert {row for row, column in written if column == "clocks"} == running
        assert len(written) <= len(running) + 1, "one clock each, and the growing silence of board 6"

    work(story)


def test_a_ruling_needs_choice_and_reason_and_answers_the_call() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "c", "enter")
        assert isinstance(app.screen, RulingDialog)
        await press(pilot, "2")
        assert hub.asked == [], "choosing is only the first step"
        await write(pilot, "not three times")
        await press(pilot, "enter")
        sent = {"round": 3, "board": 4, "bonus_ms": 120_000, "side": "black", "why": "not three times"}
        assert hub.asked == [("continue", sent | BY)]

    work(story)


def test_a_dialog_left_with_escape_does_nothing() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "c", "enter", "1", "x", "escape")
        assert hub.asked == []

    work(story)


def test_correcting_a_result_needs_a_reason_and_says_first_what_it_touches() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        words = "No later round is public: standings and the next pairing use the new result."
        hub.answers["correction"] = fakes.Answer(
            d={"reach": "free", "before": "1-0", "after": "1/2-1/2", "words": words}
        )
        await press(pilot, "down", "down", "r", "2", "enter", "enter", "enter")
        assert hub.asked == []
        assert "Please fill in: reason" in pictures.text(app)
        await write(pilot, "slip")
        await press(pilot, "enter")
        assert [kind for kind, _d in hub.asked] == ["correction"]
        assert "1-0 becomes 1/2-1/2" in pictures.text(app)
        await press(pilot, "enter")
        sent = {"round": 3, "board": 3, "score": "1/2-1/2", "why": "slip", "saw": "1-0"}
        assert hub.asked[1:] == [("correct-result", sent | BY)]
        assert app.screen is app.main

    work(story)


def test_the_result_of_a_disputed_board_answers_the_dispute() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, *["down"] * 4, "r", "3", "enter")
        assert hub.asked[0][0] == "rule"
        assert hub.asked[0][1]["call"] == "5-1-90"
        assert hub.asked[0][1]["score"] == "0-1"

    work(story)


def test_clocks_are_set_with_a_reason_or_explained() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, *["down"] * 3, "t")
        assert "4:12" in pictures.text(app)
        await press(pilot, "enter", "enter", "enter")
        assert "Please fill in: reason" in pictures.text(app)
        await write(pilot, "2 min")
        await press(pilot, "enter")
        sent = {"round": 3, "board": 4, "white_ms": 252_000, "black_ms": 58_000, "why": "2 min"}
        assert hub.asked == [("times", sent | BY)]

    work(story)


def test_a_player_is_found_by_a_part_of_the_name() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "slash")
        await write(pilot, "kiewski")
        await press(pilot, "enter")
        assert app.main.boards.selected == "5"
        await press(pilot, "slash")
        await write(pilot, "12")
        await press(pilot, "enter")
        assert app.main.boards.selected == "12"

    work(story)


def test_a_board_in_full_has_moves_evidence_and_its_own_keys() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, *["down"] * 3, "enter")
        shown = pictures.text(app)
        assert ("game", {"round": 3, "board": 4} | BY) in hub.asked
        assert "Nxd4" in shown
        assert "same position after moves: 14, 17, 20" in shown
        assert "14:02:13 both clocks stopped" in shown
        await press(pilot, "d", "d")
        assert hub.asked[-1] == ("resume", {"round": 3, "board": 4} | BY)
        await press(pilot, "r")
        assert isinstance(app.screen, RulingDialog)

    work(story)


def test_the_selected_board_stands_beside_the_table_on_a_wide_screen() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        assert "board 1 " in pictures.text(app)
        clock.ms += 2_000
        await press(pilot, "down", "down", "down")
        shown = pictures.text(app)
        assert "board 4 " in shown
        assert "same position after moves: 14, 17, 20" in shown
        asked = len(hub.asked)
        app.repaint()
        await states.settle(pilot)
        assert len(hub.asked) == asked, "an unchanged game is not asked for again"

    work(story, size=(160, 50))


def test_standings_show_what_decided_the_selected_place() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "s", "down")
        assert isinstance(app.screen, ListPage)
        shown = pictures.text(app)
        assert "BH/C1 2.9 against 3.0 of place 1" in " ".join(shown.split())
        assert "tie-breaks: BH/C1 BH SB" in shown
        await press(pilot, "escape")
        assert app.screen_stack == [app.main]

    work(story)


def test_why_shows_the_reasons_of_the_pairing() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "w")
        assert hub.asked == [("draft", BY)]
        assert "1 - 2 have met, so 1 meets 3." in pictures.text(app)

    work(story)


def test_a_silent_hub_is_not_shown_as_live() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        assert " live" in pictures.text(app)
        clock.ms += 7_100
        app.repaint()
        await states.settle(pilot)
        assert "silent for 7 s" in pictures.text(app)
        assert " live" not in pictures.text(app)

    work(story)


def test_the_running_time_is_hall_time() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        assert "running 2:25:20" in pictures.text(app)
        assert "speed ×2" in pictures.text(app)

    work(story, fakes.hall(speed=2.0))


def test_visiting_a_table_hands_the_terminal_over(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    @contextmanager
    def suspended() -> Any:
        yield

    def run(command: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 0)

    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        monkeypatch.setattr(app, "suspend", suspended)
        monkeypatch.setattr(subprocess, "run", run)
        await press(pilot, "down", "v")
        assert ran == [["screen-of", "2"]]

    work(story, open_screen=lambda table: ["screen-of", table])


def test_where_no_table_can_be_visited_the_key_is_not_shown() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        assert "visit" not in pictures.text(app)
        await press(pilot, "f1")
        assert "visit" not in pictures.text(app)

    work(story, size=(160, 50))


def test_the_palette_runs_an_action_by_name() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "colon")
        await write(pilot, "pause all")
        for _look in range(400):
            if "pause all (p)" in pictures.text(app) and "find (/)" not in pictures.text(app):
                break
            await asyncio.sleep(0.05)
        else:
            raise AssertionError(f"what was typed has not been looked for:\n{pictures.text(app)}")
        await press(pilot, "enter", "p")
        assert hub.asked == [("pause", {"board": 0} | BY)]

    work(story)


def test_a_withdrawal_names_the_player_and_the_reason() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        app.action_do("withdraw")
        await states.settle(pilot)
        await write(pilot, "kaya")
        await press(pilot, "enter")
        await write(pilot, "ill")
        await press(pilot, "enter")
        assert hub.asked == [("withdraw", {"tpn": 8, "saw": "in", "why": "ill"} | BY)]

    work(story)


def test_a_bye_is_asked_for_a_round_and_a_kind() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        app.action_do("bye")
        await states.settle(pilot)
        await write(pilot, "kaya")
        await press(pilot, "enter", "enter", "2", "enter", "enter")
        assert hub.asked == [("bye", {"tpn": 8, "round": 4, "kind": "Z"} | BY)]

    work(story)


def test_letters_in_a_dialog_do_not_reach_the_hall() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "slash")
        await write(pilot, "npuv")
        await press(pilot, "escape")
        assert hub.asked == []

    work(story)


def test_a_new_round_replaces_the_boards() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        assert hub.hall is not None
        rows = tuple(fakes.board(n, state="draft", clock=None, last="") for n in (1, 2))
        boards = msgspec.structs.replace(hub.hall.boards, round=4, revision=99, rows=rows)
        hub.push(msgspec.structs.replace(hub.hall, boards=boards))
        await states.settle(pilot)
        assert list(app.arrived) == [1, 2]
        assert app.main.boards.row_count == 2

    work(story)


def test_a_claimed_illegal_move_is_put_right_with_one_digit() -> None:
    case = CaseView(about="illegal-move", against=("black",), proven=True, bonus_ms=120_000)
    call = msgspec.structs.replace(fakes.calls()[0], case=case)

    async def story(pilot: Pilot[Any], app: DeskApp, client: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "c", "enter", "1", "enter")
        d = {"round": 3, "board": 4, "offence": "illegal-move", "side": "black", "resume": True, "why": ""}
        assert ("correct", d | BY) in client.asked

    work(story, fakes.hall(calls=(call,)))


def test_an_offence_is_named_and_punished_from_the_board_page_with_a_reason() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, client: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "enter", "x", "1", "enter", "2", "enter", "2", "enter", "enter", "enter", "enter")
        assert "Please fill in: reason" in pictures.text(app)
        await write(pilot, "phone")
        await press(pilot, "enter")
        d = {"round": 3, "board": 1, "side": "white", "offence": "device", "action": "time", "ms": 120_000}
        assert ("penalty", d | {"why": "phone"} | BY) in client.asked
        assert isinstance(app.screen, BoardScreen)

    work(story)


def test_a_game_is_adjourned_and_its_envelope_opened() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, client: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "enter", "a", "7", "enter", "enter")
        await write(pilot, "late")
        await press(pilot, "enter")
        d = {"round": 3, "board": 1, "envelope": "7", "why": "late", "sealed_by": "white"}
        assert ("adjourn", d | BY) in client.asked
        await press(pilot, "o", "N", "f", "3", "enter")
        assert ("envelope", {"round": 3, "board": 1, "move": "Nf3"} | BY) in client.asked
        await press(pilot, "o", "enter")
        assert ("envelope", {"round": 3, "board": 1, "unsealed": True} | BY) in client.asked

    work(story)


def test_nothing_is_punished_where_no_game_is_under_way() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, client: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "down", "down", "enter", "x")
        assert isinstance(app.screen, BoardScreen)
        assert "No game is under way" in pictures.text(app)

    work(story)
