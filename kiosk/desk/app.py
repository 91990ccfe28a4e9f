"""The arbiter's desk.

It shows the hall as the hub tells it and hands intents to the hub; each refusal is shown as the hub's own sentence.
What can be done is in the tables of `kiosk.desk.actions`; here stands what is no plain form.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from textual.app import SuspendNotSupported
from textual.binding import BindingType
from textual.command import CommandPalette, Provider

from hallnet.views import BoardRow, CallView
from kiosk.desk import actions as table
from kiosk.desk import rows
from kiosk.desk.actions import action
from kiosk.desk.acts_office import change_of
from kiosk.desk.board_page import BoardScreen
from kiosk.desk.context import Context, Place
from kiosk.desk.dialogs import Dialog, Find, Page, RulingDialog
from kiosk.desk.enrol_dialog import EnrolDialog
from kiosk.desk.hall_screen import HallScreen
from kiosk.desk.hand import HandMade
from kiosk.desk.help import help_text
from kiosk.desk.list_page import ListPage
from kiosk.desk.looking import Looking
from kiosk.desk.palette import ArbiterActions
from kiosk.desk.rows import Arrived
from kiosk.desk.rulings import Ruling, options
from kiosk.widgets.face import Face
from kiosk.widgets.language import _
from kiosk.widgets.words import call_kind, full_name, score_text, side_name
from rules.laws.clock_display import display

#: Steps that change nothing public: no second key press.
HARMLESS = frozenset({"pair"})


class DeskApp(Looking, inherit_bindings=False):
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
            who = side_name("white" if call.side == "white" else "black") if call.side else ""
            said = ": ".join(each for each in (who, call.why) if each)
            about.insert(0, f"{call_kind(call.kind)}: {said}" if said else call_kind(call.kind))

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
