"""The players' screen as people use it: keys pressed, what the table is asked, what is on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from hallnet.views import MoveView
from kiosk.screen.app import ScreenApp
from kiosk.screen.panels import PlayerPanel
from rules.laws.events import Side
from tests.kiosk import fakes, pictures, quick, states

Story = Callable[[Pilot[Any], ScreenApp, fakes.FakeTable, fakes.Clock], Awaitable[None]]


def play(
    story: Story, visit: bool = False, side: Side | None = None, size: tuple[int, int] = (80, 24), **view: Any
) -> ScreenApp:
    """Run the screen at a fake table, and the story with it."""

    async def run() -> ScreenApp:
        clock, client = fakes.Clock(), fakes.FakeTable(fakes.table(**view))
        app = ScreenApp(client, visit=visit, side=side, now=clock)
        async with app.run_test(size=size) as pilot:
            await states.settle(pilot)
            if side:
                app.tick()
                await states.settle(pilot)
                client.asked.clear()
            await story(pilot, app, client, clock)
        assert client.closed
        return app

    with quick.waiting():
        return asyncio.run(run())


async def until(holds: Callable[[], bool], what: str) -> None:
    """What comes by a timer of the face is looked for until it is there, however busy the machine is."""
    try:
        async with asyncio.timeout(20):
            while not holds():  # noqa: ASYNC110 - the face's timers have no event to wait for
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(what) from None


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await states.settle(pilot)


def test_both_players_sign_in_and_are_ready_with_their_own_keys() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "q", "p")
        assert table.asked == [("sit", {"side": "white"}), ("sit", {"side": "black"})]
        table.change(seated=("white", "black"))
        await press(pilot, "p", "q")
        assert table.asked[2:] == [("ready", {"side": "black"}), ("ready", {"side": "white"})]
        table.change(phase="ready", ready=("white", "black"))
        await states.settle(pilot)
        assert "wait for the start" in pictures.text(app)

    play(story, phase="assigned", seated=(), ready=())


def test_resigning_takes_two_keys_of_the_same_side() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "z")
        assert "Resign the game?" in pictures.text(app)
        await press(pilot, "p", "z")
        assert table.asked == [], "neither the other side's key nor the first key again resigns"
        await press(pilot, "z", "a")
        assert table.asked == []
        assert "Resign the game?" not in pictures.text(app)
        await press(pilot, "z", "q")
        assert table.asked == [("resign", {"side": "white"})]

    play(story)


def test_a_forgotten_menu_closes_by_itself() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "m")
        clock.ms += 13_000
        table.seen_ms = clock.ms
        app.tick()
        await press(pilot, "p")
        assert table.asked == []

    play(story)


def test_calling_the_arbiter_takes_two_keys() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "n")
        assert table.asked == []
        await press(pilot, "p")
        assert table.asked == [("call", {"side": "black", "why": ""})]

    play(story)


def test_each_side_confirms_for_itself_or_disputes() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "q")
        assert table.asked == [("confirm", {"side": "white", "score": "1-0"})]
        table.change(confirmed=("white",))
        await press(pilot, "q")
        assert len(table.asked) == 1, "White has confirmed and is not asked again"
        await press(pilot, "l")
        assert len(table.asked) == 1
        clock.ms += 30_000
        app.tick()
        await press(pilot, "k")
        assert len(table.asked) == 1, "the menu has closed by itself: a late key says nothing"
        await press(pilot, "l", "k")
        assert table.asked[1] == ("dispute", {"side": "black", "says": "0-1"})

    play(story, phase="ended", proposed="1-0", ended_by="flag")


def test_a_refusal_is_shown_beside_the_players_name() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        table.answers["offer"] = fakes.Answer(False, "Make your move first.")
        await press(pilot, "o", "p")
        assert table.asked == [("offer", {"side": "black"})]
        lines = [line for line in pictures.text(app).splitlines() if "Make your move first." in line]
        assert lines
        assert lines[0].index("Make your move first.") > 40, "on Black's half"
        clock.ms += 8_000
        app.tick()
        await states.settle(pilot)
        assert "Make your move first." not in pictures.text(app)

    play(story)


def test_a_kiosk_cannot_be_left() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "ctrl+q", "ctrl+c", "f10", "ctrl+p", "ctrl+z", "escape", "f4")
        await app.action_quit()
        await states.settle(pilot)
        assert app.is_running
        assert app.screen_stack == [app.screen]
        assert table.asked == []
        assert "F10" not in pictures.text(app)

    play(story)


@pytest.mark.parametrize("key", ["ctrl+q", "f10"])
def test_a_visitor_can_leave_and_is_told_how(key: str) -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        assert "F10 leave" in pictures.text(app)
        await press(pilot, key)
        assert not app.is_running

    play(story, visit=True)


def test_a_visitor_does_not_act_for_the_players() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "z", "q", "m", "p", "x", "q")
        assert table.asked == []
        assert "resign" not in pictures.text(app)

    play(story, visit=True)


def test_clocks_are_counted_from_the_view_at_the_halls_speed() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        def shown(side: str) -> str:
            return app.screen.query_one(f"#{side}", PlayerPanel).state.clock

        assert (shown("white"), shown("black")) == ("1:00", "2:00")
        clock.ms += 2_000
        app.tick()
        assert (shown("white"), shown("black")) == ("0:40", "2:00")
        clock.ms += 2_050
        app.tick()
        assert shown("white") == "19.5"
        clock.ms += 5_000
        app.tick()
        assert shown("white") == "0:00", "only the table says that a flag has fallen"
        table.change(clock=fakes.clock(white_ms=0, black_ms=120_000, running=None, flagged="white"))
        assert shown("white") == "FLAG"

    play(story, speed=10.0, clock=fakes.clock(white_ms=60_000, black_ms=120_000))


def test_paused_clocks_stand_still() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += 30_000
        app.tick()
        assert app.screen.query_one("#white", PlayerPanel).state.clock == "1:00"

    play(story, phase="paused", clock=fakes.clock(white_ms=60_000, black_ms=120_000, paused=True))


def test_nothing_is_painted_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []

    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        refresh = PlayerPanel.refresh

        def counted(self: PlayerPanel, *args: Any, **kw: Any) -> Any:
            painted.append(self.state.clock)
            return refresh(self, *args, **kw)

        monkeypatch.setattr(PlayerPanel, "refresh", counted)
        for _tick in range(30):
            clock.ms += 100
            table.seen_ms = clock.ms
            table.change()
            app.tick()

    play(story)
    assert len(painted) == 3, "three seconds, three texts"


def test_a_silent_table_is_not_shown_as_live() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        assert "not live" not in pictures.text(app)
        clock.ms += 5_200
        app.tick()
        await states.settle(pilot)
        assert "not live for 5 s" in pictures.text(app)

    play(story)


def test_a_typed_move_moves_the_pieces_and_presses_when_the_table_has_seen_it() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "N", "f", "3", "enter")
        assert table.asked == [("hands", {"side": "white", "uci": "d4f3"})]
        await asyncio.sleep(0.1)
        assert len(table.asked) == 1, "the clock is not pressed before the table has seen the move"
        table.change(candidate="d4f3")
        await until(lambda: len(table.asked) > 1, "the clock is pressed for him")
        await states.settle(pilot)
        assert table.asked[1:] == [("press", {"side": "white"})]

    play(story, visit=True, side="white", simulated=True)


def test_who_presses_himself_uses_the_space_bar() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "tab", "d", "4", "c", "6", "enter")
        assert table.asked == [("hands", {"side": "white", "uci": "d4c6"})]
        table.change(candidate="d4c6")
        await asyncio.sleep(0.1)
        assert len(table.asked) == 1
        await press(pilot, "space")
        assert table.asked[1:] == [("press", {"side": "white"})]

    play(story, visit=True, side="white", simulated=True)


def test_an_illegal_typed_move_is_not_played_but_explained() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "R", "a", "4", "backspace", "5", "enter")
        assert table.asked == []
        assert "No rook of White can go to a5 now." in pictures.text(app)

    play(story, visit=True, side="white", simulated=True)


def test_arrows_and_enter_move_a_piece() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "up", "left", "left", "up", "enter", "up", "left", "enter")
        assert table.asked == []
        assert "knight does not move from c3 to b4" in pictures.text(app)
        await press(pilot, "down", "right", "enter", "up", "up", "right", "enter")
        assert table.asked == [("hands", {"side": "white", "uci": "c3d5"})]

    play(story, visit=True, side="white", simulated=True)


def test_a_move_out_of_turn_is_kept_but_not_made() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "e", "4", "enter")
        assert table.asked == []
        assert "It is not your turn yet." in pictures.text(app)

    play(story, visit=True, side="black", simulated=True)


def test_a_person_in_a_chair_acts_with_function_keys_for_his_side_only() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "f6", "f2")
        assert table.asked == [("resign", {"side": "black"})]
        await press(pilot, "q")
        assert len(table.asked) == 1, "letters are moves now"

    play(story, visit=True, side="black", simulated=True)


def test_a_chair_is_chosen_taken_and_given_back() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await press(pilot, "t")
        assert "Whose chair" in pictures.text(app)
        await press(pilot, "b")
        assert table.asked == [("take", {"side": "black"})]
        assert "you sit here" in pictures.text(app)
        await press(pilot, "f9")
        assert table.asked[1:] == [("release", {"side": "black"})]
        assert "you sit here" not in pictures.text(app)

    play(story, visit=True, simulated=True)


def test_real_players_chairs_cannot_be_taken() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        assert "take a player's chair" not in pictures.text(app)
        await press(pilot, "t", "w")
        assert ("take", {"side": "white"}) not in table.asked

    play(story, visit=True, simulated=False)


def test_the_chair_is_taken_again_after_the_table_was_restarted() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        table.connected = False
        app.tick()
        table.connected = True
        app.tick()
        await states.settle(pilot)
        assert table.asked == [("take", {"side": "white"})]

    play(story, visit=True, side="white", simulated=True)


def test_a_window_that_is_too_small_says_so_and_recovers() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        await pilot.resize_terminal(60, 20)
        await until(lambda: "60 × 20" in pictures.text(app), "the window's size is told")
        assert "80 × 24" in pictures.text(app)
        await pilot.resize_terminal(100, 30)
        await until(lambda: "White to move" in pictures.text(app), "the game is there again")
        assert "80 × 24" not in pictures.text(app)

    play(story)


def test_the_board_is_turned_for_a_person_in_blacks_chair() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        assert "h  g  f  e  d  c  b  a" in pictures.text(app)

    play(story, visit=True, side="black", simulated=True)


def test_the_newest_moves_stay_in_sight() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        many = tuple(MoveView(san=f"Ra{1 + n % 8}", uci="a1a1", clock_ms=1) for n in range(120))
        table.change(moves=(*many, MoveView(san="Qh7#", uci="h5h7", clock_ms=1)))
        await states.settle(pilot)
        assert " 61. Qh7#" in pictures.text(app)

    play(story)
