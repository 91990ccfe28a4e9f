"""The arbiter's desk.

It shows the hall as the hub tells it and hands intents to the hub; each refusal is shown as the hub's own sentence.
"""

from __future__ import annotations

import contextlib
import subprocess
import textwrap
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
from textual.app import SuspendNotSupported
from textual.binding import BindingType
from textual.command import CommandPalette, Provider
from textual.css.query import NoMatches

from hallnet.clock import boot_ms
from hallnet.views import BoardRow, CallView, GameView, HallSnapshot
from kiosk.desk import board_page, rows
from kiosk.desk.actions import actions
from kiosk.desk.board_page import BoardPane, BoardScreen, Shown
from kiosk.desk.dialogs import Ask, Find, Form, Page, RulingDialog, Times, times_form
from kiosk.desk.game_actions import GameActions
from kiosk.desk.hall_screen import HallScreen
from kiosk.desk.palette import ArbiterActions
from kiosk.desk.rows import Arrived
from kiosk.desk.rulings import Ruling, options
from kiosk.desk.standings import StandingsScreen
from kiosk.widgets.clients import Answered, HallPort
from kiosk.widgets.face import Face
from kiosk.widgets.language import _
from kiosk.widgets.words import call_kind, full_name, score_text
from rules.laws.clock_display import display

#: Seconds between two looks at the clocks.
TICK_S = 0.5
#: The same game is asked for again no sooner than this.
ASK_MS = 1_000
#: Steps that change nothing public: no second key press.
HARMLESS = frozenset({"pair"})


class DeskApp(GameActions, inherit_bindings=False):
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
        self._games: dict[int, tuple[tuple[int, str, str], GameView | None, int]] = {}

    def get_default_screen(self) -> HallScreen:
        return HallScreen(id="_default")

    async def on_mount(self) -> None:
        """Start the client."""
        self.client.on_change(self._changed)
        await self.client.start()

    def begin(self) -> None:
        """The main screen's widgets are there: paint, now and twice a second."""
        self.painting = True
        self.set_interval(TICK_S, self.repaint)
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
    def speed(self) -> float:
        """Chess time per real time."""
        return self.client.hall.head.speed if self.client.hall else 1.0

    @property
    def calls(self) -> tuple[CallView, ...]:
        """The open calls."""
        return self.client.hall.head.calls if self.client.hall else ()

    def wall_now(self) -> int:
        """The hub's wall clock, counted on since its last word."""
        return (self.client.hall.head.wall if self.client.hall else 0) + self.now() - self._head_at

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
        self.repaint()

    def repaint(self, force: bool = False) -> None:
        """Bring all open screens up to the newest state."""
        if self.painting:
            # While the desk is being closed its widgets go one by one, and there is nothing left to paint.
            with contextlib.suppress(NoMatches):
                self._repaint(force)

    def _repaint(self, force: bool) -> None:
        self.main.repaint(force)
        top = self.screen
        if isinstance(top, BoardScreen) and top.is_mounted:
            top.query_one(BoardPane).show(self.shown(self.main.boards.selected), force)
        hall = self.client.hall
        if isinstance(top, StandingsScreen) and top.is_mounted and hall is not None:
            top.show(hall.standings, force)

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
            self.run_worker(self._fetch(number, wanted), group="games")
        return Shown(arrived, game, self.now(), self.speed)

    async def _fetch(self, board: int, wanted: tuple[int, str, str]) -> None:
        answer = await self.client.intend("game", round=self._round, board=board, by=self.by)
        asked = self.now()
        if answer.ok and answer.d is not None:
            try:
                self._games[board] = (wanted, msgspec.convert(answer.d, GameView), asked)
            except msgspec.ValidationError as error:
                self.notify(_("The hub's answer is not understood: {error}").format(error=error), markup=False)
        self.repaint()

    @property
    def by(self) -> str:
        """Who rules at this desk."""
        return (self.client.hall.head.arbiter if self.client.hall else "") or "arbiter"

    async def _intend(self, kind: str, done: str = "", /, **d: Any) -> Answered:
        """Hand an intent to the hub; a refusal is shown as its sentence, success as `done`."""
        answer = await self.client.intend(kind, **(d | {"by": self.by}))
        if not answer.ok:
            why = answer.why or _("The hub refused this without a reason.")
            self.notify(why, title=_("Not done"), severity="warning", timeout=12, markup=False)
        elif done:
            self.notify(done, timeout=3, markup=False)
        return answer

    def _two_steps(self, sentence: str, key: str, kind: str, done: str, **d: Any) -> None:
        def decided(yes: bool | None) -> None:
            if yes:
                self.run_worker(self._intend(kind, done, **d))

        self.push_screen(Ask(sentence, key), decided)

    # -- actions --------------------------------------------------------------------------------------------------

    def action_next_step(self) -> None:
        """Do what the hub says comes next; what becomes public takes a second key press."""
        hall = self.client.hall
        if hall is None or not hall.head.step.kind:
            sentence = hall.head.step.sentence if hall else _("There is no contact with the hub yet.")
            self.notify(sentence, title=_("Nothing to do now"), markup=False)
            return
        step = hall.head.step
        if step.kind in HARMLESS:
            self.run_worker(self._intend(step.kind))
        else:
            self._two_steps(step.sentence, "n", step.kind, "")

    def action_pause_all(self) -> None:
        """Stop all clocks."""
        self._two_steps(_("Stop the clocks of all games?"), "p", "pause", _("All clocks are told to stop."), board=0)

    def action_resume_all(self) -> None:
        """Let all paused games go on."""
        sentence = _("Let all paused games go on? Games with an open claim stay paused.")
        self._two_steps(sentence, "u", "resume", _("All paused games are told to go on."), board=0)

    def action_pause_board(self) -> None:
        """Stop or restart the clocks of one board."""
        row = self.selected()
        if row is None:
            return
        if row.state == "paused":
            sentence, kind = _("Board {board}: let the game go on?"), "resume"
        else:
            sentence, kind = _("Board {board}: stop both clocks?"), "pause"
        self._two_steps(sentence.format(board=row.board), "d", kind, "", board=row.board, round=self._round)

    def action_open(self) -> None:
        """The selected board in full."""
        row = self.selected()
        if row is None:
            return
        self.main.boards.select(str(row.board))
        then = {
            "result": self.action_result,
            "times": self.action_times,
            "penalty": self.action_penalty,
            "adjourn": self.action_adjourn,
            "envelope": self.action_envelope,
            "visit": self.action_visit,
        }
        screen = BoardScreen(self.open_screen is not None)
        self.push_screen(screen, lambda action: then[action]() if action else None)
        self.call_after_refresh(self.repaint, True)

    def action_calls(self) -> None:
        """To the calls and back."""
        main = self.main
        if main.focused is main.calls or not self.calls:
            main.boards.focus()
            if not self.calls:
                self.notify(_("There are no open calls."), timeout=3)
        else:
            main.calls.focus()

    def action_rule_call(self) -> None:
        """The ruling on the selected call."""
        call = self._selected_call()
        if call is None:
            return
        arrived = self.arrived.get(call.board) if call.round == self._round else None
        row = arrived.row if arrived else None
        self._rule(row, call.round, call.board, call)

    def action_result(self) -> None:
        """Enter or correct the selected board's result; an open call about it is answered with it."""
        row = self.selected()
        if row is None:
            return
        call = next((c for c in self.calls if (c.round, c.board) == (self._round, row.board)), None)
        self._rule(row, self._round, row.board, call)

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
        choices = options(row, round_number, board, call)
        corrects = row is not None and row.state in ("confirmed", "ruled")
        dialog = RulingDialog(title, "\n".join(about), choices, why_needed=corrects)
        self.push_screen(dialog, self._ruled)

    def _ruled(self, ruling: Ruling | None) -> None:
        if ruling is not None:
            self.run_worker(self._carry_out(ruling))

    async def _carry_out(self, ruling: Ruling) -> None:
        for kind, d in ruling.intents():
            if not (await self._intend(kind, **d)).ok:
                return
        self.notify(_("Board {board}: done.").format(board=ruling.board), timeout=3)

    def action_times(self) -> None:
        """Set both clocks of the selected board."""
        row = self.selected()
        if row is None or row.clock is None:
            self.notify(_("This board has no clocks to set."), timeout=4)
            return
        board = row.board
        arrived = self.arrived.get(board) or Arrived(row, self.now())
        white, black = (display(ms) for ms in rows.left_ms(arrived, self.now(), self.speed))

        def decided(times: Times | None) -> None:
            if times is not None:
                self.run_worker(
                    self._intend(
                        "times",
                        _("Board {board}: the clocks are told.").format(board=board),
                        board=board,
                        round=self._round,
                        white_ms=times.white_ms,
                        black_ms=times.black_ms,
                        why=times.why,
                    )
                )

        self.push_screen(times_form(_("Board {board}: set the clocks").format(board=board), white, black), decided)

    def action_visit(self) -> None:
        """Show the players' screen of the selected board's table in this terminal."""
        row = self.selected()
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

    def action_find(self) -> None:
        """Find a player or a board among the boards of this round."""
        known = [(str(n), f"{n}  {full_name(a.row.white)} - {full_name(a.row.black)}") for n, a in self.arrived.items()]

        def decided(key: str | None) -> None:
            if key is not None:
                self.main.boards.focus()
                self.main.boards.select(key)

        self.push_screen(Find(_("Find a player or a board"), known), decided)

    def action_standings(self) -> None:
        """The standings."""
        if self.client.hall is not None:
            self.push_screen(StandingsScreen(self.client.hall.standings))

    def action_why(self) -> None:
        """Why the round is paired as it is."""
        self.run_worker(self._why())

    async def _why(self) -> None:
        answer = await self._intend("draft")
        if not answer.ok:
            return
        found = answer.d.get("reasons", ()) if isinstance(answer.d, dict) else answer.d
        lines = [str(line) for line in found] if isinstance(found, list | tuple) else [str(found or "")]
        round_number = answer.d.get("round", self._round) if isinstance(answer.d, dict) else self._round
        text = "\n".join(lines) or _("The pairing gave no reasons.")
        self.push_screen(Page(_("Why round {round} is paired so").format(round=round_number), text))

    def action_notices(self) -> None:
        """All notices of the hub."""
        notices = self.client.hall.head.notices if self.client.hall else ()
        self.push_screen(Page(_("Notices"), "\n".join(f"! {notice}" for notice in notices) or _("There are none.")))

    def action_help(self) -> None:
        """All keys, from the table of actions."""
        lines = [
            textwrap.fill(f"{action.written or ':':>6}  {action.short}: {action.help}", 68, subsequent_indent=" " * 8)
            for action in actions(self.open_screen is not None)
        ]
        signs = _("Signs: > clock runs, ! short of time or needs you, # flag, = draw offer, ? not agreed, ~ no contact")
        self.push_screen(Page(_("Help: keys of the desk"), "\n".join([*lines, "", textwrap.fill(signs, 68)])))

    def action_palette(self) -> None:
        """Type what you want to do."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder=_("What do you want to do?")))

    def action_withdraw(self) -> None:
        """A player leaves the event."""
        self._about_player(_("Who withdraws?"), self._withdraw)

    def _withdraw(self, tpn: int, name: str) -> None:
        def decided(why: str | None) -> None:
            if why is not None:
                done = _("{name} is not paired any more.").format(name=name)
                self.run_worker(self._intend("withdraw", done, tpn=tpn, why=why))

        title = _("{name} withdraws").format(name=name)
        self.push_screen(Form(title, ((_("reason"), ""),), lambda texts: texts[0].strip()), decided)

    def action_bye(self) -> None:
        """A requested bye."""
        self._about_player(_("Who gets a bye?"), self._bye)

    def _bye(self, tpn: int, name: str) -> None:
        def make(texts: Any) -> tuple[int, str]:
            kind = texts[1].strip().upper()
            if not texts[0].strip().isdigit():
                raise ValueError(_("Please write the number of the round."))
            if kind not in ("H", "F", "Z"):
                raise ValueError(_("Please write H (half a point), F (a full point) or Z (no point)."))
            return int(texts[0]), kind

        def decided(bye: tuple[int, str] | None) -> None:
            if bye is not None:
                done = _("{name}: bye in round {round}.").format(name=name, round=bye[0])
                self.run_worker(self._intend("bye", done, tpn=tpn, round=bye[0], kind=bye[1]))

        lines = ((_("round"), str(self._round + 1)), (_("H half a point, F full point, Z no point"), "H"))
        self.push_screen(Form(_("Bye for {name}").format(name=name), lines, make), decided)

    def _about_player(self, title: str, then: Callable[[int, str], None]) -> None:
        """Choose one of the players, then go on."""
        players = {a.row.white.tpn: a.row.white.name for a in self.arrived.values()}
        players |= {a.row.black.tpn: a.row.black.name for a in self.arrived.values()}
        if self.client.hall is not None:
            players |= {row.tpn: row.name for row in self.client.hall.standings.rows if not row.withdrawn}
        known = [(str(tpn), f"{tpn}  {name}") for tpn, name in sorted(players.items())]

        def decided(key: str | None) -> None:
            if key is not None:
                then(int(key), players[int(key)])

        self.push_screen(Find(title, known), decided)

    def action_drop_draft(self) -> None:
        """Throw the unpublished pairing away."""
        self._two_steps(_("Throw the draft of this round away?"), "n", "drop", _("The draft is gone."))

    def action_leave(self) -> None:
        """Close the desk."""
        self.exit()
