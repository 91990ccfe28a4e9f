"""What the desk knows: the hall with its clocks, the page on the screen and its cursor; how an action begins."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
from textual import on
from textual.css.query import NoMatches
from textual.events import Mount
from textual.screen import Screen

from hallnet.clock import boot_ms
from hallnet.views import BoardRow, CallView, GameView, HallSnapshot
from kiosk.desk import actions as table
from kiosk.desk import board_page, rows
from kiosk.desk.actions import Action, action, page_names
from kiosk.desk.asking import Asking
from kiosk.desk.board_page import BoardScreen, Shown
from kiosk.desk.context import Context, Place
from kiosk.desk.dialogs import Find
from kiosk.desk.hall_screen import HallScreen
from kiosk.desk.list_page import ListPage
from kiosk.desk.pages import pages
from kiosk.desk.rows import Arrived
from kiosk.desk.subjects import place_of, subjects
from kiosk.widgets.clients import HallPort
from kiosk.widgets.language import _

#: Seconds between two looks at the clocks.
TICK_S = 0.5
#: The same game is asked for again no sooner than this, and so is what a page lives on.
ASK_MS = 1_000
#: How the devices are is asked for this often while their page is shown.
OFFICE_MS = 2_000


class Looking(Asking, inherit_bindings=False):
    """The part of the desk that keeps its state and brings it on the screen."""

    def __init__(
        self,
        client: HallPort,
        open_screen: Callable[[str], list[str]] | None = None,
        now: Callable[[], int] = boot_ms,
    ) -> None:
        super().__init__()
        self.client = client
        self.open_screen = open_screen
        self.now = now
        self.arrived: dict[int, Arrived] = {}
        self._round = 0
        self._head_at = 0
        self._head: object = None
        self._known_calls: set[str] = set()
        self._due = False
        self._games: dict[int, tuple[tuple[int, str, str], GameView | None, int]] = {}

    def get_default_screen(self) -> HallScreen:
        return HallScreen(id="_default")

    @on(Mount)
    async def follow_the_hall(self) -> None:
        """Start the client."""
        self.client.on_change(self._changed)
        await self.client.start()

    def opened(self) -> None:
        """The main screen's widgets are there: paint, now and twice a second."""
        self.painting = True
        self.set_interval(TICK_S, self.tick)
        if self.client.hall is not None:
            self._changed(self.client.hall)
        self.repaint()

    async def on_unmount(self) -> None:
        """Leave the hall; it goes on."""
        await self.client.close()

    # -- state ----------------------------------------------------------------------------------------------------

    @property
    def main(self) -> HallScreen:
        """The main screen, whatever lies above it."""
        screen = self.screen_stack[0]
        assert isinstance(screen, HallScreen)
        return screen

    @property
    def page(self) -> Screen[Any]:
        """The page that is shown, below dialogs and the palette."""
        return next(
            (s for s in reversed(self.screen_stack) if isinstance(s, HallScreen | ListPage | BoardScreen)), self.main
        )

    @property
    def speed(self) -> float:
        """Chess time per real time."""
        return self.client.hall.head.speed if self.client.hall else 1.0

    @property
    def calls(self) -> tuple[CallView, ...]:
        """The open calls."""
        return self.client.hall.head.calls if self.client.hall else ()

    @property
    def by(self) -> str:
        """Who rules at this desk."""
        return (self.client.hall.head.arbiter if self.client.hall else "") or "arbiter"

    def moment(self) -> int:
        """BOOTTIME ms."""
        return self.now()

    def wall_now(self) -> int:
        """The hub's wall clock, counted on since its last word."""
        return (self.client.hall.head.wall if self.client.hall else 0) + self.now() - self._head_at

    def freshness(self) -> tuple[str, bool]:
        """How fresh everything is, in words; True if something is wrong."""
        return rows.freshness(self.client.hall is not None, self.client.connected, self.client.age_ms(self.now()))

    def key_lines(self, c: Context, lines: int = 1) -> tuple[tuple[tuple[str, str], ...], ...]:
        """What the bottom lines of a page name."""
        return table.key_line(c, self.size.width, lines)

    def context(self, select: bool = True) -> Context:
        """What the desk knows now; with `select` what the page's cursor is on."""
        page = self.page
        name = page.spec.name if isinstance(page, ListPage) else "board" if isinstance(page, BoardScreen) else "hall"
        c = Context(
            name,
            self.client.hall,
            self.book,
            self.sheet,
            self.office,
            self.hand,
            self.prizes,
            visits=self.open_screen is not None,
        )
        if not select:
            return c
        if isinstance(page, ListPage):
            key = page.table.selected if page.is_mounted else None
            c = page.spec.select(c, key) if key else c
            return replace(c, place=self._left(place_of(c, c.pair.board, c.sheet.round))) if c.pair else c
        row = self.selected()
        return replace(c, place=self._left(place_of(c, row.board)), call=self._selected_call()) if row else c

    def _left(self, place: Place | None) -> Place | None:
        """The board with what its clocks show now."""
        arrived = self.arrived.get(place.board) if place is not None and place.round == self._round else None
        if place is None or arrived is None or arrived.row.clock is None:
            return place
        return replace(place, left=rows.left_ms(arrived, self.now(), self.speed))

    def _changed(self, hall: HallSnapshot) -> None:
        """Something in the hall has changed: note when, and paint."""
        now = self.now()
        if hall.head is not self._head:
            self._head, self._head_at = hall.head, now
        if hall.boards.round != self._round:
            self._round = hall.boards.round
            self.arrived.clear()
            self._games.clear()
        before = self.arrived
        self.arrived = {
            row.board: before[row.board] if row.board in before and before[row.board].row is row else Arrived(row, now)
            for row in sorted(hall.boards.rows, key=lambda r: r.board)
        }
        calls = {call.id for call in hall.head.calls}
        if calls - self._known_calls:
            self.bell()
        self._known_calls = calls
        self._due = True
        self.look_at_dialogs()
        self.repaint()

    def tick(self) -> None:
        """Twice a second: the clocks, and what the page on the screen lives on."""
        if not self.painting:
            return
        page = self.page
        asks = page.spec.asks if isinstance(page, ListPage) else ()
        wait = {question: OFFICE_MS if question == "office" else ASK_MS for question in asks}
        due = [q for q in asks if (self._due or q == "office") and self.now() - self._asked_at.get(q, 0) >= wait[q]]
        if due:
            self._due = False
            self.run_worker(self.fetch(*due), group="pages")
        self.repaint()

    def repaint(self, force: bool = False) -> None:
        """Bring all open screens up to the newest state."""
        if self.painting:
            # While the desk is being closed its widgets go one by one, and there is nothing left to paint.
            with contextlib.suppress(NoMatches):
                self._repaint(force)

    def _repaint(self, force: bool) -> None:
        self.main.repaint(force)
        page = self.page
        if isinstance(page, BoardScreen) and page.is_mounted:
            page.show(self.shown(self.main.boards.selected), self.key_lines(self.context(), 2), force)
        if isinstance(page, ListPage):
            page.show(force)

    def selected(self) -> BoardRow | None:
        """The board that is meant: under the cursor of the boards, or of the calls when these have the keyboard."""
        main = self.main
        key = main.boards.selected
        if main.focused is main.calls and (call := self._selected_call()) is not None:
            key = str(call.board)
        arrived = self.arrived.get(int(key)) if key else None
        return arrived.row if arrived else None

    def _selected_call(self) -> CallView | None:
        key = self.main.calls.selected
        return next((call for call in self.calls if call.id == key), None)

    def shown(self, key: str | None) -> Shown | None:
        """A board for the pane; asks the hub for the game in full when it has changed."""
        arrived = self.arrived.get(int(key)) if key else None
        if arrived is None:
            return None
        number, wanted = arrived.row.board, board_page.key_of(arrived.row)
        kept, game, asked = self._games.get(number, (None, None, -ASK_MS))
        if kept != wanted and self.now() - asked >= ASK_MS:
            self._games[number] = (wanted, game, self.now())
            self.run_worker(self._fetch_game(number, wanted), group="games")
        return Shown(arrived, game, self.now(), self.speed)

    async def _fetch_game(self, board: int, wanted: tuple[int, str, str]) -> None:
        answer = await self.client.intend("game", round=self._round, board=board, by=self.by)
        asked = self.now()
        if answer.ok and answer.d is not None:
            try:
                self._games[board] = (wanted, msgspec.convert(answer.d, GameView), asked)
            except msgspec.ValidationError as error:
                self.notify(_("The hub's answer is not understood: {error}").format(error=error), markup=False)
        self.repaint()

    # -- what is done ----------------------------------------------------------------------------------------------

    def action_do(self, name: str) -> None:
        """One row of the tables, by a key or by its name in the palette. What was said before has been read."""
        self.clear_notifications()
        self.begin(action(name))

    def begin(self, act: Action, chosen: str = "", fresh: bool = False) -> None:
        """Do it, or choose first what it is about; `chosen` is that choice, `fresh`: what it needs has been asked."""
        page = self.page
        live = page.spec.asks if isinstance(page, ListPage) else ()
        missing = [q for q in act.needs if not fresh and (q not in live or q not in self._asked_at)]
        if missing:
            self.run_worker(self._fetch_first(missing, act, chosen))
            return
        c = self.context()
        if act.subject:
            subject = subjects()[act.subject]
            if chosen:
                c = subject.pick(c, chosen)
                c = replace(c, place=self._left(c.place))
            elif not subject.has(c):
                self._choose(act, c)
                return
        why = act.when(c)
        if why:
            self.notify(why, title=_("Nothing to do now") if act.name == "next_step" else _("Not now"), markup=False)
        elif act.form is not None:
            self.open_form(act, act.form, c)
        elif act.name in page_names():
            self.show_page(act.name)
        else:
            getattr(self, f"act_{act.name}")(c)

    async def _fetch_first(self, questions: list[str], act: Action, chosen: str) -> None:
        await self.fetch(*questions)
        self.begin(act, chosen, fresh=True)

    def _choose(self, act: Action, c: Context) -> None:
        subject = subjects()[act.subject]
        known = subject.known(c)
        if not known:
            self.notify(_("There is nothing to choose from."), title=act.short, timeout=4, markup=False)
            return

        def decided(key: str | None) -> None:
            if key is not None:
                self.begin(act, key, fresh=True)

        self.push_screen(Find(f"{act.short}: {subject.title}", known), decided)

    def basis_of(self, act: Action, c: Context) -> Callable[[], object]:
        """What a question about this action rests on: its subject as it is now, or where the round stands."""
        if act.subject:
            subject = subjects()[act.subject]

            def now() -> object:
                row = (
                    self.arrived.get(c.place.board) if c.place is not None and act.form and act.form.by_moves else None
                )
                basis = subject.basis(replace(c, hall=self.client.hall, book=self.book, sheet=self.sheet))
                return basis, row and row.row.plies

            return now
        return lambda: (self.client.hall.head.phase, self.client.hall.head.round) if self.client.hall else None

    def after_intent(self, after: str) -> None:
        """Something was done: pages that live on the hub's answers ask again, then `after`."""
        self.run_worker(self._after(after))

    async def _after(self, after: str) -> None:
        page = self.page
        asks = page.spec.asks if isinstance(page, ListPage) else ()
        if asks:
            await self.fetch(*asks)
        if after:
            getattr(self, f"after_{after}")()

    def show_page(self, name: str) -> None:
        """Put a page on the screen: the hall below everything, one other page at a time above it."""
        page = self.page
        here = page.spec.name if isinstance(page, ListPage) else ""
        if here == name:
            return
        while len(self.screen_stack) > 1 and not isinstance(self.screen_stack[-1], HallScreen):
            self.pop_screen()
        if name == "hall":
            self.repaint(True)
            return
        spec = pages()[name]
        self.sheet_round = 0
        self.push_screen(ListPage(spec))
        if spec.asks:
            self.run_worker(self.fetch(*spec.asks), group="pages")

    def action_other_round(self, by: int) -> None:
        """Another round's sheet."""
        wanted = (self.sheet.round or 0) + by
        if 1 <= wanted <= self.sheet.latest:
            self.sheet_round = wanted if wanted < self.sheet.latest else 0
            self.run_worker(self.fetch("sheet"), group="pages")
