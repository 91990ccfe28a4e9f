"""The players' screen of one table.

It shows what the table's service says and hands intents to it; nothing here decides anything. Clock texts are computed
from the newest view and the machine's BOOTTIME, so they are right even if a repaint comes late.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import chess
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Key, Resize
from textual.widgets import Static

from hallnet.clock import boot_ms
from hallnet.views import TableView
from kiosk.screen import chair as seat
from kiosk.screen import story
from kiosk.screen.panels import MoveList, PanelState, PlayerPanel
from kiosk.screen.seats import Act, Choice, Menu, choices, key_of, question, slot_of
from kiosk.widgets.board import BoardPicture, BoardView
from kiosk.widgets.clients import TablePort
from kiosk.widgets.evidence import evidence_lines
from kiosk.widgets.face import Face, MainScreen
from kiosk.widgets.language import _
from kiosk.widgets.times import clock_text, remaining, running
from kiosk.widgets.words import cut, full_name, rating_text, side_name
from rules.laws.events import Side
from rules.laws.sides import SIDES

#: Ticks per second; a repaint follows only where a text has changed.
TICK_S = 0.1
#: A menu of a side closes by itself after this, a refusal is shown this long.
MENU_MS = 12_000
SAY_MS = 7_000
#: Keys that have been shown for less than this take no tap: a finger that comes down twice, or on what has just
#: changed below it, says nothing official.
TAP_MS = 1000
#: How long to wait for the table to see a move before pressing the clock for the visitor.
SEEN_S = 4.0


class TableScreen(MainScreen):
    """The layout: top line, two panels, the sentence, board and moves, the line for typed moves, keys."""

    DEFAULT_CSS = """
    TableScreen {
        #head { height: 1; background: $hk-ground; color: $hk-text; }
        #clocks { height: auto; }
        #bar { height: 2; content-align: center middle; text-align: center; text-style: bold; padding: 0 1; }
        #bar.-calm { background: $hk-calm; color: $hk-on-calm; }
        #bar.-ask { background: $hk-ask; color: $hk-on-ask; }
        #bar.-stop { background: $hk-stop; color: $hk-on-stop; }
        #middle { height: 1fr; }
        #board { width: 1fr; }
        #moves { width: 1fr; }
        #entry { height: 1; background: $hk-ground; color: $hk-text; }
        #foot { height: 1; background: $hk-ground; color: $hk-quiet; }
    }
    """

    def content(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Horizontal(id="clocks"):
            yield PlayerPanel("white", id="white")
            yield PlayerPanel("black", id="black")
        yield Static(id="bar", markup=False)
        with Horizontal(id="middle"):
            yield BoardView(id="board")
            yield MoveList(id="moves")
        yield Static(id="entry", markup=False)
        yield Static(id="foot", markup=False)

    def on_mount(self) -> None:
        """The widgets are there: paint them from now on."""
        app = self.app
        if isinstance(app, ScreenApp):
            app.begin()

    def on_resize(self, event: Resize) -> None:
        """Sizes of clocks and of the sentence follow the height."""
        super().on_resize(event)
        for panel in self.query(PlayerPanel):
            panel.set_height(event.size.height)
        self.query_one("#bar").styles.height = 2 if event.size.height < 28 else 3
        app = self.app
        if isinstance(app, ScreenApp):
            app.call_after_refresh(app.repaint, True)

    async def on_key(self, event: Key) -> None:
        """Every key belongs to the players; none moves a focus."""
        app = self.app
        if isinstance(app, ScreenApp) and app.pressed(event.key, event.character or ""):
            event.stop()
            event.prevent_default()

    def on_player_panel_tapped(self, tapped: PlayerPanel.Tapped) -> None:
        """A key's name was tapped on a panel that is touched: the same as the key."""
        app = self.app
        if isinstance(app, ScreenApp):
            app.tapped(tapped.side, tapped.key)


class ScreenApp(Face, inherit_bindings=False):
    """The players' screen. `visit`: opened from a desk or the demo, may be left; `side`: take that chair at once.

    A kiosk screen (`visit` False) cannot be left from the keyboard.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,f10", "leave", show=False, priority=True),
        Binding("ctrl+c", "nothing", show=False, priority=True),
        Binding("f8", "next_theme", show=False, priority=True),
    ]

    def __init__(
        self, client: TablePort, visit: bool = False, side: Side | None = None, now: Callable[[], int] = boot_ms
    ) -> None:
        super().__init__()
        self.client = client
        self.visit = visit
        self.now = now
        self.chair: seat.Chair | None = None
        self._wanted: Side | None = side
        self._choosing = False
        self._menus: dict[Side, tuple[Menu, int]] = {}
        self._said: dict[Side, tuple[str, int]] = {}
        self._offered: dict[Side, tuple[tuple[Choice, ...], int]] = {}
        self._shown: dict[str, object] = {}
        self._was_connected = False

    def get_default_screen(self) -> TableScreen:
        return TableScreen(id="_default")

    async def on_mount(self) -> None:
        """Start the client; from then on the view paints the screen."""
        self.client.on_view(lambda view: self.repaint())
        await self.client.start()

    async def on_unmount(self) -> None:
        """Leave the table's socket; the table gives a taken chair back to the simulated player."""
        await self.client.close()

    def begin(self) -> None:
        """The screen's widgets are mounted: paint, now and ten times a second."""
        self.painting = True
        self.set_interval(TICK_S, self.tick)
        self.repaint()

    def action_nothing(self) -> None:
        """A key that must do nothing."""

    def action_leave(self) -> None:
        """Back to where the visitor came from; a kiosk screen stays."""
        if self.visit:
            self.exit()

    async def action_quit(self) -> None:
        """Only a visitor can leave."""
        self.action_leave()

    # -- painting -------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Ten times a second: contact, chairs, and whatever text has changed."""
        connected = self.client.connected
        if connected and not self._was_connected and self._wanted is not None:
            self.run_worker(self._take(self._wanted))
        self._was_connected = connected
        self.repaint()

    def repaint(self, force: bool = False) -> None:
        """Bring the screen up to the newest view; widgets that show the same already are left alone."""
        if self.painting:
            # While the screen is being closed its widgets go one by one, and there is nothing left to paint.
            with contextlib.suppress(NoMatches):
                self._repaint(force)

    def _repaint(self, force: bool) -> None:
        if force:
            self._shown.clear()
        now, view = self.now(), self.client.view
        self._forget(now)
        self._paint_head(view, now)
        self._paint_bar(view)
        for side in SIDES:
            self._panel(side).show(self._side_state(view, side, now))
        if force:
            for side in SIDES:
                self._panel(side).refresh()
        self._paint_board(view, force)
        self._paint_entry(view)

    def _panel(self, side: Side) -> PlayerPanel:
        return self.screen_stack[0].query_one(f"#{side}", PlayerPanel)

    def _update(self, where: str, content: Content | str) -> None:
        """Change a line of text, once."""
        if self._shown.get(where) != content:
            self._shown[where] = content
            self.screen_stack[0].query_one(f"#{where}", Static).update(content)

    def _forget(self, now: int) -> None:
        """Close menus and forget refusals whose time is over."""
        self._menus = {side: kept for side, kept in self._menus.items() if kept[1] > now}
        self._said = {side: kept for side, kept in self._said.items() if kept[1] > now}

    def _paint_head(self, view: TableView | None, now: int) -> None:
        left = story.header(view)
        right, wrong = story.freshness(view, self.client.connected, self.client.age_ms(now))
        width = self.size.width
        left = cut(left, width - len(right) - 4)
        gap = " " * max(1, width - len(left) - len(right) - 2)
        style = "bold $hk-on-stop on $hk-stop" if wrong else "$hk-quiet"
        self._update("head", Content.assemble(" ", (left, "bold $hk-text"), gap, (right, style)))

    def _paint_bar(self, view: TableView | None) -> None:
        if self._choosing:
            told = story.Bar("ask", _("Whose chair will you take?  w White · b Black · Esc nobody's"))
        elif self.chair and self.chair.promoting:
            told = story.Bar("ask", _("Your pawn becomes:  q queen · r rook · b bishop · n knight · Esc back"))
        else:
            told = story.bar(view, self.chair.side if self.chair else None, keys=not self.visit)
        if self._shown.get("tone") != told.tone:
            self._shown["tone"] = told.tone
            bar = self.screen_stack[0].query_one("#bar")
            for tone in ("calm", "ask", "stop"):
                bar.set_class(tone == told.tone, f"-{tone}")
        self._update("bar", told.text)

    def _side_state(self, view: TableView | None, side: Side, now: int) -> PanelState:
        if view is None or view.assignment is None:
            number = view.table if view and side == "white" and view.table.isdigit() else ""
            return PanelState(side, clock=number, name=_("table") if number else "")
        player = view.assignment.white if side == "white" else view.assignment.black
        state = PanelState(side, name=full_name(player), rating=rating_text(player.rating))
        left, delay = 0, 0
        if view.clock is not None:
            t = view.t + int((now - view.boot_ms) * view.speed)
            left = remaining(view.clock, t, side)
            runs = running(view.clock) == side and view.phase == "playing"
            delay = max(0, view.clock.t + view.clock.delay_ms - t) if runs else 0
            text = "FLAG" if view.clock.flagged == side else clock_text(left)
            state = replace(state, clock=text, running=runs)
        words, role = story.prompt(view, side, left, delay)
        mine = self.chair is not None and self.chair.side == side
        keys: tuple[tuple[str, str], ...] = ()
        asked = in_menu = False
        if side in self._said:
            words, role = "! " + self._said[side][0], "alarm"
        if mine or (self.chair is None and not self.visit):
            menu = self._menus.get(side)
            offered = menu[0].choices if menu else choices(view, side)
            if offered != self._offered.get(side, ((), 0))[0]:
                self._offered[side] = (offered, now)
            keys = tuple((key_of(side, c.slot, mine), c.label) for c in offered)
            asked = menu is not None or question(view, side)
            if menu and side not in self._said:
                words, role, in_menu = menu[0].title, "key", True
        return replace(state, prompt=words, role=role, keys=keys, chair=mine, asked=asked, menu=in_menu)

    def _paint_board(self, view: TableView | None, force: bool) -> None:
        screen = self.screen_stack[0]
        board, moves = screen.query_one(BoardView), screen.query_one(MoveList)
        if view is None or view.assignment is None:
            board.show(BoardPicture())
            moves.show((), "white", ())
            return
        last = view.candidate or (view.moves[-1].uci if view.moves else "")
        mine = self.chair
        board.show(
            BoardPicture(
                placement=view.placement or view.fen,
                last=(last[:2], last[2:4]) if last else (),
                cursor=mine.cursor if mine else "",
                hand=mine.hand if mine else "",
                flipped=mine is not None and mine.side == "black",
            )
        )
        start = view.assignment.start_fen
        first: Side = "black" if " b " in start else "white"
        notes = evidence_lines(view.evidence) if view.phase != "playing" else ()
        moves.show(view.moves, first, notes)
        if force:
            board.refresh()
            moves.refresh()

    def _paint_entry(self, view: TableView | None) -> None:
        mine = self.chair
        trouble = cut(story.contact(view, self.now()), self.size.width - 2)
        if mine is None:
            self._update("entry", Content.assemble(" ", (trouble, "$hk-alarm")) if trouble else "")
        elif mine.wrong:
            self._update("entry", Content.assemble(" ", (f"! {mine.wrong}", "bold $hk-alarm")))
        else:
            how = (
                _("Enter moves and presses the clock · Tab: press yourself")
                if mine.auto_press
                else _("Enter moves · space presses the clock · Tab: press for me")
            )
            line = (f" {mine.text}_ ", "bold $hk-on-cursor on $hk-cursor")
            self._update("entry", Content.assemble((_(" Your move:"), "bold"), line, "  ", (how, "$hk-quiet")))
        keys = "  ".join(self._foot(view))
        if mine is not None and trouble:
            # The line above is his move: what is wrong with the network comes here, the keys where there is room.
            tail = "  " + keys if len(keys) <= self.size.width - 4 - len(trouble) else ""
            self._update("foot", Content.assemble(" ", (trouble, "$hk-alarm"), tail))
        else:
            self._update("foot", " " + cut(keys, self.size.width - 2))

    def _foot(self, view: TableView | None) -> list[str]:
        """The keys that do something now, and nothing else."""
        keys = []
        if self.chair is not None:
            keys += [_("arrows and Enter move a piece"), _("Esc clears"), _("F9 stand up")]
        elif view is not None and view.simulated:
            keys.append(_("t take a player's chair"))
        keys.append(_("F8 colours"))
        if self.visit:
            keys.append(_("F10 leave"))
        return keys

    # -- keys -----------------------------------------------------------------------------------------------------

    def pressed(self, key: str, character: str) -> bool:
        """A key was pressed; False if nobody here wants it."""
        view = self.client.view
        if view is None:
            return False
        if self._choosing:
            self._choose(key)
        elif self.chair is not None:
            if not self._chair_key(self.chair, view, key, character):
                return False
        elif key in ("t", "f9") and view.simulated:
            self._choosing = True
        elif self.visit or not self._side_key(view, key):
            return False
        self.repaint()
        return True

    def tapped(self, side: Side, key: str) -> None:
        """A key's name in a side's panel was tapped: the same as the key, once it has been there for a moment."""
        if self.now() - self._offered.get(side, ((), 0))[1] >= TAP_MS:
            self.pressed(key.lower(), "")

    def _choose(self, key: str) -> None:
        self._choosing = False
        side: Side | None = "white" if key == "w" else "black" if key == "b" else None
        if side is not None:
            self._wanted = side
            self.run_worker(self._take(side))

    def _side_key(self, view: TableView, key: str) -> bool:
        for side in SIDES:
            slot = slot_of(key, side, chair=False)
            if slot is not None:
                return self._slot(view, side, slot)
        return False

    def _slot(self, view: TableView, side: Side, slot: str) -> bool:
        """One of a side's own keys: opens his menu, closes it, or acts."""
        open_menu = self._menus.pop(side, None)
        offered = open_menu[0].choices if open_menu else choices(view, side, self._announced(view))
        for choice in offered:
            if choice.slot == slot:
                self._chosen(side, choice)
                return True
        return open_menu is not None

    def _chosen(self, side: Side, choice: Choice) -> None:
        self._said.pop(side, None)
        if choice.menu is not None:
            self._menus[side] = (choice.menu, self.now() + MENU_MS)
        elif choice.act is not None:
            self.run_worker(self._do(side, choice.act))

    def _announced(self, view: TableView) -> str:
        """A typed legal move goes along with a claim as the move to be played (Laws 9.2)."""
        if self.chair is None or not self.chair.text:
            return ""
        _after, move = seat.entered(self.chair, view.fen, True)
        return move.uci() if move else ""

    def _chair_key(self, mine: seat.Chair, view: TableView, key: str, character: str) -> bool:
        slot = slot_of(key, mine.side, chair=True)
        if slot is not None:
            return self._slot(view, mine.side, slot)
        move: chess.Move | None = None
        if key == "f9":
            self._wanted = None
            self.run_worker(self._release(mine.side))
        elif key == "escape":
            self._menus.pop(mine.side, None)
            self.chair = replace(mine.cleared(), cursor="")
        elif mine.promoting:
            self.chair, move = seat.promoted(mine, character)
        elif key == "tab":
            self.chair = replace(mine, auto_press=not mine.auto_press)
        elif key == "backspace":
            self.chair = mine.erased()
        elif key in seat.STEPS:
            self.chair = mine.stepped(key)
        elif key == "enter":
            self.chair, move = seat.entered(mine, view.fen, view.turn == mine.side and not view.candidate)
        elif key == "space":
            self.run_worker(self._do(mine.side, Act("press")))
        elif character in seat.MOVE_SIGNS:
            self.chair = mine.typed(character)
        else:
            return False
        if move is not None:
            self.run_worker(self._move(mine.side, move, mine.auto_press))
        return True

    # -- intents --------------------------------------------------------------------------------------------------

    async def _do(self, side: Side, act: Act) -> bool:
        """Hand an intent to the table; a refusal is shown beside the player's name."""
        reply = await self.client.do(act.kind, side=side, **act.d)
        if not reply.ok:
            why = reply.why or _("The table did not accept this.")
            if self.chair is not None and self.chair.side == side:
                self.chair = replace(self.chair, wrong=why)
            else:
                self._said[side] = (why, self.now() + SAY_MS)
        self.repaint()
        return reply.ok

    async def _take(self, side: Side) -> None:
        reply = await self.client.do("take", side=side)
        if reply.ok:
            self.chair = seat.Chair(side)
            self._menus.clear()
        else:
            self._wanted = None
            why = reply.why or _("This chair cannot be taken.")
            self.notify(why, title=side_name(side), severity="warning", markup=False)
        self.repaint()

    async def _release(self, side: Side) -> None:
        await self.client.do("release", side=side)
        self.chair = None
        self.repaint()

    async def _move(self, side: Side, move: chess.Move, press: bool) -> None:
        """Move the simulated pieces; then, if wished, press as soon as the table has seen the move."""
        if not await self._do(side, Act("hands", {"uci": move.uci()})) or not press:
            return
        until = self.now() + int(SEEN_S * 1000)
        while self.now() < until:
            view = self.client.view
            if view is None or view.candidate == move.uci() or (view.moves and view.moves[-1].uci == move.uci()):
                break
            await asyncio.sleep(0.03)
        await self._do(side, Act("press"))
