"""The arbiter's desk.

It shows the hall as the hub tells it and hands intents to the hub; each refusal is shown as the hub's own sentence.
What can be done is in the tables of `kiosk.desk.actions`; here stands what is no plain form.
"""

from __future__ import annotations

import contextlib
import subprocess
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import msgspec
from textual.app import SuspendNotSupported
from textual.binding import BindingType
from textual.command import CommandPalette, Provider
from textual.css.query import NoMatches
from textual.screen import Screen

from hallnet.clock import boot_ms
from hallnet.views import BoardRow, CallView, GameView, HallSnapshot
from kiosk.desk import actions as table
from kiosk.desk import board_page, rows
from kiosk.desk.actions import Action, action, actions, page_names
from kiosk.desk.acts_office import change_of
from kiosk.desk.asking import Asking
from kiosk.desk.board_page import BoardScreen, Shown
from kiosk.desk.context import Context, Place
from kiosk.desk.dialogs import Dialog, Find, Page, RulingDialog
from kiosk.desk.enrol_dialog import EnrolDialog
from kiosk.desk.hall_screen import HallScreen
from kiosk.desk.hand import HandMade
from kiosk.desk.list_page import ListPage
from kiosk.desk.pages import pages
from kiosk.desk.palette import ArbiterActions
from kiosk.desk.rows import Arrived
from kiosk.desk.rulings import Ruling, options
from kiosk.desk.subjects import place_of, subjects
from kiosk.widgets.clients import HallPort
from kiosk.widgets.face import Face
from kiosk.widgets.language import _
from kiosk.widgets.words import call_kind, full_name, score_text
from rules.laws.clock_display import display

#: Seconds between two looks at the clocks.
TICK_S = 0.5
#: The same game is asked for again no sooner than this, and so is what a page lives on.
ASK_MS = 1_000
#: How the devices are is asked for this often while their page is shown.
OFFICE_MS = 2_000
#: Steps that change nothing public: no second key press.
HARMLESS = frozenset({"pair"})


class DeskApp(Asking, inherit_bindings=False):
    """The desk. `open_screen`: the command line that shows a table's screen in this terminal, by the table's id."""

    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "f4"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ArbiterActions}
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = (
        Face.CSS
        + """
    CommandPalette {
        background: $hk-ground 60%;
        & SearchIcon { display: none; }
        & > Vertical { border: none; background: $hk-surface; }
        & #--input { border: heavy $hk-key; background: $hk-surface; height: 3; }
        & #--results { background: $hk-surface; }
        & CommandList { border: none; background: $hk-surface; color: $hk-text; }
        & Input, & Input:focus { background: $hk-surface; color: $hk-text; border: none; }
        & OptionList > .option-list--option-highlighted { background: $hk-calm; color: $hk-on-calm; }
        & .command-palette--help-text { color: $hk-text; text-style: none; }
    }
    CommandPalette:ansi { background: ansi_black; }
    """
    )

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

    async def on_mount(self) -> None:
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

    def key_line(self, c: Context) -> tuple[tuple[str, str], ...]:
        """What the bottom line of a page names."""
        return table.key_line(c, self.size.width)

    def context(self, select: bool = True) -> Context:
        """What the desk knows now; with `select` what the page's cursor is on."""
        page = self.page
        name = page.spec.name if isinstance(page, ListPage) else "board" if isinstance(page, BoardScreen) else "hall"
        c = Context(
            name, self.client.hall, self.book, self.sheet, self.office, self.hand, visits=self.open_screen is not None
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
            page.show(self.shown(self.main.boards.selected), self.key_line(self.context()), force)
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
        """One row of the tables, by a key or by its name in the palette."""
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
                return subject.basis(replace(c, hall=self.client.hall, book=self.book, sheet=self.sheet))

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

    # -- rows of the tables that are no forms ----------------------------------------------------------------------

    def act_next_step(self, c: Context) -> None:
        """Do what the hub says comes next; what becomes public takes a second key press."""
        assert c.hall is not None  # `when` has looked
        step = c.hall.head.step
        row = action("next_step")

        def now() -> object:
            head = self.client.hall.head if self.client.hall else None
            return (head.step.kind, head.round) if head else None

        form = table.Form(step.kind, step.sentence)
        if step.kind in HARMLESS:
            self.run_worker(self._plain(step.kind))
        else:
            self.open_form(replace(row, subject=""), form, c, now)

    async def _plain(self, kind: str) -> None:
        """An intent without data whose warnings are shown; a refusal as its sentence."""
        why = await self.carry(kind, {})
        if why:
            self.refused(why)
        elif why is None:
            self.after_intent("")

    def act_pause_board(self, c: Context) -> None:
        """Stop or restart the clocks of one board."""
        assert c.place is not None
        paused = c.place.row is not None and c.place.row.state == "paused"
        sentence = _("Board {board}: let the game go on?") if paused else _("Board {board}: stop both clocks?")
        form = table.Form("resume" if paused else "pause", sentence, fixed=("board", "round"))
        row = action("pause_board")
        self.open_form(row, form, c, lambda: self._state_of(c.place))

    def _state_of(self, place: Place | None) -> object:
        arrived = self.arrived.get(place.board) if place else None
        return arrived.row.state if arrived else None

    def act_open(self, c: Context) -> None:
        """The selected board in full, or the ruling on the selected call."""
        if c.place is None:
            return
        self.main.boards.select(str(c.place.board))
        self.main.boards.focus()
        self.push_screen(BoardScreen())
        self.call_after_refresh(self.repaint, True)

    def act_calls(self, c: Context) -> None:
        """To the calls and back."""
        main = self.main
        was_here = isinstance(self.page, HallScreen)
        self.show_page("hall")
        if was_here and main.focused is main.calls:
            main.boards.focus()
        else:
            main.calls.focus()

    def rule_call(self) -> None:
        """The ruling on the selected call."""
        call = self._selected_call()
        if call is None:
            return
        arrived = self.arrived.get(call.board) if call.round == self._round else None
        self._rule(arrived.row if arrived else None, call.round, call.board, call)

    def act_result(self, c: Context) -> None:
        """Enter the board's result, an open call about it is answered with it; or correct the one it has."""
        place = c.place
        assert place is not None
        if place.code:
            self.begin(action("correct_result"), f"{place.round} {place.board}")
            return
        call = next((x for x in self.calls if (x.round, x.board) == (place.round, place.board)), None)
        self._rule(place.row, place.round, place.board, call)

    def _rule(self, row: BoardRow | None, round_number: int, board: int, call: CallView | None) -> None:
        title = _("Board {board}").format(board=board)
        about = []
        if row is not None:
            title += f": {row.white.name} - {row.black.name}"
            if row.score:
                about.append(_("result so far: {score}").format(score=score_text(row.score)))
            if row.clock is not None:
                arrived = self.arrived.get(board) or Arrived(row, self.now())
                times = [display(ms) for ms in rows.left_ms(arrived, self.now(), self.speed)]
                about.append(_("White {white}, Black {black}").format(white=times[0], black=times[1]))
        if call is not None:
            about.insert(0, f"{call_kind(call.kind)}: {call.why}")

        def basis() -> object:
            now = self.arrived.get(board) if round_number == self._round else None
            is_open = call is None or any(call.id == each.id for each in self.calls)
            return is_open, now and now.row.state in rows.FINAL, now and now.row.state in rows.FINAL and now.row.score

        choices = options(row, round_number, board, call)
        self.push_screen(RulingDialog(title, "\n".join(about), choices, False, self._carry_out, basis))

    async def _carry_out(self, ruling: Ruling) -> str | None:
        for kind, d in ruling.intents():
            why = await self.carry(kind, d)
            if why is not None:
                return why
        self.notify(_("Board {board}: done.").format(board=ruling.board), timeout=3)
        self.call_later(self.after_intent, "")
        return None

    def act_visit(self, c: Context) -> None:
        """Show the players' screen of the selected board's table in this terminal."""
        row = c.place.row if c.place else None
        if self.open_screen is None or row is None or not row.table:
            self.notify(_("This board has no table that could be visited from here."), timeout=4)
            return
        command = self.open_screen(row.table)
        try:
            with self.suspend():
                ended = subprocess.run(command, check=False).returncode
        except SuspendNotSupported:
            self.notify(_("This terminal cannot show another screen. Run: {command}").format(
                command=" ".join(command)), markup=False)  # fmt: skip
            return
        except OSError as error:
            self.notify(_("The screen could not be opened: {error}").format(error=error), markup=False)
            return
        if ended:
            self.notify(_("The screen of table {table} ended with an error ({code}).").format(
                table=row.table, code=ended), severity="warning", markup=False)  # fmt: skip
        self.repaint(True)

    def act_find(self, c: Context) -> None:
        """Find a player, a board or a line of the page."""
        page = self.page
        if isinstance(page, ListPage):
            keyed = page.table
            known = [(key, " ".join(" ".join(cell.plain for cell in cells).split())) for key, cells in keyed.lines()]
        else:
            keyed = self.main.boards
            known = [
                (str(n), f"{n}  {full_name(a.row.white)} - {full_name(a.row.black)}") for n, a in self.arrived.items()
            ]

        def decided(key: str | None) -> None:
            if key is not None:
                keyed.focus()
                keyed.select(key)

        self.push_screen(Find(_("Find a player, a board or a line"), known), decided)

    def act_why(self, c: Context) -> None:
        """Why the round is paired as it is."""
        if c.page == "round":
            self._reasons(c.sheet.round, c.sheet.reasons)
        else:
            self.run_worker(self._why())

    async def _why(self) -> None:
        answer = await self.intend("draft")
        if not answer.ok:
            return
        found = answer.d.get("reasons", ()) if isinstance(answer.d, dict) else answer.d
        lines = [str(line) for line in found] if isinstance(found, list | tuple) else [str(found or "")]
        self._reasons(answer.d.get("round", self._round) if isinstance(answer.d, dict) else self._round, lines)

    def _reasons(self, number: int, lines: Any) -> None:
        text = "\n".join(lines) or _("The pairing gave no reasons.")
        self.push_screen(Page(_("Why round {round} is paired so").format(round=number), text))

    def act_integrity(self, c: Context) -> None:
        """The integrity log, as it goes into the report."""
        lines = [f"### {line}" for line in c.book.remarks] or [_("Nothing: the report needs no remarks.")]
        if c.book.notes:
            lines += ["", _("In words:")]
            lines += [
                _("round {round}, {kind}: {before} became {after}; {by}: {why}").format(
                    round=n.get("round", ""), kind=n.get("kind", ""), before=n.get("before") or "-",
                    after=n.get("after") or "-", by=n.get("by", ""), why=n.get("why") or "-",
                )
                for n in c.book.notes
            ]  # fmt: skip
        lines += [_("Withdrawn sheet: {round}.{rev}, checksum {checksum}").format(
            round=s.get("round"), rev=s.get("rev"), checksum=s.get("checksum")) for s in c.book.old_sheets]  # fmt: skip
        self.push_screen(Page(_("Integrity log"), "\n".join(lines)))

    def act_regulations(self, c: Context) -> None:
        """One field of the regulations."""
        self.open_form(action("regulations"), change_of(c.regulation_name), c)

    def act_notices(self, c: Context) -> None:
        """All notices of the hub."""
        notices = self.client.hall.head.notices if self.client.hall else ()
        self.push_screen(Page(_("Notices"), "\n".join(f"! {notice}" for notice in notices) or _("There are none.")))

    def act_help(self, c: Context) -> None:
        """All actions, from the tables: those of this page first."""
        if not isinstance(self.screen, Dialog):
            self.push_screen(Page(_("Help: what can be done at the desk"), help_text(c)))

    def act_palette(self, c: Context) -> None:
        """Type what you want to do."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder=_("What do you want to do?")))

    def act_swap(self, c: Context) -> None:
        """By hand: White and Black of the selected board change."""
        if self.hand is not None and c.pair is not None:
            self.hand = self.hand.swapped(c.pair.board)
            self.repaint()

    def act_unpair(self, c: Context) -> None:
        """By hand: both players of the selected board stand up."""
        if self.hand is not None and c.pair is not None:
            self.hand = self.hand.unpaired(c.pair.board)
            self.repaint()

    def after_hand(self) -> None:
        """The hub lets the next round be made by hand: begin with the draft, or with nothing."""
        c = self.context(select=False)
        pairs = tuple((p.white, p.black) for p in c.sheet.pairs) if not c.sheet.rev else ()
        bye = c.sheet.bye if not c.sheet.rev else 0
        number = self.book.manual or c.next_round
        self.hand = HandMade(number, pairs, tuple(c.available), bye)
        self.repaint()

    def act_enrolment(self, c: Context) -> None:
        """Who waits to be let in."""

        async def ask() -> None:
            await self.fetch("office")

        async def carry(kind: str, d: dict[str, Any]) -> str | None:
            return await self.carry(kind, d)

        self.push_screen(EnrolDialog(lambda: self.office.enrolment if self.office else None, ask, carry))

    def after_enrolment(self) -> None:
        """An enrolment was opened."""
        self.begin(action("enrolment"))

    def act_next_theme(self, c: Context) -> None:
        """The next colour theme."""
        self.action_next_theme()

    def act_back(self, c: Context) -> None:
        """To the page below."""
        if isinstance(self.screen, BoardScreen | ListPage):
            self.pop_screen()
            self.repaint(True)

    def act_leave(self, c: Context) -> None:
        """Close the desk."""
        self.exit()


def help_text(c: Context) -> str:
    """Every action with its key and sentence: this page's first, then the other pages', then those without a key."""
    names = {**page_names(), "board": _("one board"), "": _("by name only (:)")}
    order = [c.page, *(page for page in names if page != c.page)]
    lines: list[str] = []
    told: set[str] = set()
    for page in order:
        here = [
            a for a in actions() if a.name not in told and (a.on(page) or not page) and (c.visits or a.name != "visit")
        ]
        if not here:
            continue
        told |= {a.name for a in here}
        lines += [_("On the page “{page}”").format(page=names[page]) if page else names[page]]
        lines += [
            textwrap.fill(f"{a.written or ':':>6}  {a.short}: {a.help}", 68, subsequent_indent=" " * 8) for a in here
        ]
        lines.append("")
    signs = _("Signs: > clock runs, ! short of time or needs you, # flag, = draw offer, ? not agreed, ~ no contact")
    return "\n".join([*lines, textwrap.fill(signs, 68)])
