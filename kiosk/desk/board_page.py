"""One board in full: names, clocks, the drawn position, moves with clocks, evidence and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from hallnet.views import BoardRow, GameView, MoveView
from kiosk.desk import rows
from kiosk.desk.actions import bindings
from kiosk.desk.list_page import keys_content
from kiosk.desk.rows import Arrived
from kiosk.widgets.board import BoardPicture, BoardView
from kiosk.widgets.evidence import evidence_lines
from kiosk.widgets.language import _
from kiosk.widgets.times import SHORT_MS, running, span
from kiosk.widgets.words import ending, full_name, score_text, side_name
from rules.laws.clock_display import display
from rules.laws.sides import SIDES

Parts = list[str | tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the pane shows: the board's line, and the game in full once the hub has sent it."""

    board: Arrived
    game: GameView | None
    now: int
    speed: float


def players(shown: Shown) -> Content:
    """Two lines: the mark of the running clock, name, rating, clock."""
    row, parts = shown.board.row, Parts()
    for side, ms in zip(SIDES, rows.left_ms(shown.board, shown.now, shown.speed), strict=True):
        player = row.white if side == "white" else row.black
        clock = row.clock
        runs = running(clock) == side and row.state not in rows.OVER
        sign = "#" if clock and clock.flagged == side else "!" if clock and ms < SHORT_MS else ""
        style = "bold $hk-turn" if runs else "bold $hk-name"
        time = f"{display(ms)}{sign}" if clock is not None else ""
        parts += [
            ("> " if runs else "  ", style),
            (f"{side_name(side):<7}", "$hk-quiet"),
            (f"{time:>8}  ", style),
            (full_name(player), "bold $hk-name"),
            f" {player.rating or ''}\n",
        ]
    return Content.assemble(*parts).rstrip()


def state_line(shown: Shown) -> Content:
    """State in words, result and how it came about."""
    row = shown.board.row
    sign, words, role = rows.state(row, shown.now - shown.board.at)
    parts: Parts = [(f"{sign} {words}".strip(), f"bold $hk-{role}")]
    if row.score and score_text(row.score) not in words:
        parts.append(f" · {score_text(row.score)}")
    if row.ended_by:
        parts.append(f" · {ending(row.ended_by)}")
    if row.confirmed and row.state in ("ended", "disputed"):
        parts.append(" · " + _("confirmed by {sides}").format(sides=", ".join(side_name(s) for s in row.confirmed)))
    if row.table and row.table != str(row.board):
        parts.append(" · " + _("table {table}").format(table=row.table))
    return Content.assemble(*parts)


def moves_text(moves: Sequence[MoveView]) -> Content:
    """The moves in pairs, each with its player's clock."""
    parts: Parts = []
    for at in range(0, len(moves), 2):
        parts.append((f"{at // 2 + 1:>3}. ", "$hk-quiet"))
        for move in moves[at : at + 2]:
            parts += [f"{move.san:<8}", (f"{span(move.clock_ms / 1000):>8}   ", "$hk-quiet")]
        parts.append("\n")
    return Content.assemble(*parts) if parts else Content(_("no moves yet"))


def record(game: GameView | None) -> Content:
    """Evidence and log, below the moves."""
    if game is None:
        return Content(_("asking the hub for the moves …"))
    parts: Parts = []
    if game.evidence:
        parts.append((_("Evidence") + "\n", "bold $hk-name"))
        parts += [f"  {line}\n" for line in evidence_lines(game.evidence, technical=True)]
    if game.log:
        parts.append((_("What happened") + "\n", "bold $hk-name"))
        parts += [f"  {line}\n" for line in game.log]
    if game.told:
        parts.append((_("How it stands") + "\n", "bold $hk-name"))
        parts += [f"  {line}\n" for line in game.told]
    return Content.assemble(*parts)


class BoardPane(Vertical):
    """The selected board in full. `beside`: board and moves next to each other, else one below the other."""

    DEFAULT_CSS = """
    BoardPane {
        background: $hk-ground; color: $hk-text; border: round $hk-line; border-title-color: $hk-name;
        border-title-style: bold; padding: 0 1;
        & > #players { height: 2; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #state { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #state { margin-bottom: 1; }
        & BoardView { height: 9; width: 100%; }
        &.-tall BoardView { height: 25; }
        & #moves, & #record { height: auto; }
        & #text { height: 1fr; scrollbar-size-vertical: 1; margin-left: 1; }
        &.-beside { & Horizontal { height: 1fr; } & BoardView { width: 30; height: 10; } }
        &.-beside.-tall BoardView { width: 54; height: 26; }
        & Horizontal { height: 1fr; layout: vertical; }
        &.-beside Horizontal { layout: horizontal; }
    }
    """

    def __init__(self, id: str, beside: bool) -> None:
        super().__init__(id=id)
        self.set_class(beside, "-beside")
        self._plies = -1
        self._game: GameView | None = None
        self._said: dict[str, Content] = {}

    def compose(self) -> ComposeResult:
        yield Static(id="players", markup=False)
        yield Static(id="state", markup=False)
        with Horizontal():
            yield BoardView(id="picture")
            with VerticalScroll(id="text", can_focus=False):
                yield Static(id="moves", markup=False)
                yield Static(id="record", markup=False)

    def _say(self, where: str, content: Content, force: bool) -> bool:
        if force or self._said.get(where) != content:
            self._said[where] = content
            self.query_one(f"#{where}", Static).update(content)
            return True
        return False

    def show(self, shown: Shown | None, force: bool = False) -> None:
        """Show this board; what is unchanged is left alone."""
        if shown is None:
            self.border_title = _("no board selected")
            return
        row = shown.board.row
        self.border_title = _("board {board}").format(board=row.board)
        self._say("players", players(shown), force)
        self._say("state", state_line(shown), force)
        last = (row.last_uci[:2], row.last_uci[2:4]) if row.last_uci else ()
        view = self.query_one(BoardView)
        view.show(BoardPicture(placement=row.fen, last=last))
        if force:
            view.refresh()
        game = shown.game
        if force or game is not self._game:
            self._game = game
            newer = self._say("moves", moves_text(game.moves if game else ()), force)
            self._say("record", record(game), force)
            if newer and row.state == "playing":
                self.query_one("#text", VerticalScroll).scroll_end(animate=False)


class BoardScreen(Screen[None]):
    """The board in full on the whole screen; its keys are those of the tables of actions for the page "board"."""

    DEFAULT_CSS = """
    BoardScreen { background: $hk-ground; color: $hk-text; }
    BoardScreen > #keys { height: 2; color: $hk-text; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "app.do('back')", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("up", "scroll(-1)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        for binding in bindings("board"):
            if isinstance(binding, Binding):
                self._bindings.bind(binding.key, binding.action, show=False)

    def compose(self) -> ComposeResult:
        pane = BoardPane(id="pane", beside=True)
        pane.styles.height = "1fr"
        yield pane
        yield Static(id="keys", markup=False)

    def on_resize(self) -> None:
        """A larger board where there is room."""
        self.query_one(BoardPane).set_class(self.size.height >= 36 and self.size.width >= 110, "-tall")

    def show(self, shown: Shown | None, keys: Sequence[Sequence[tuple[str, str]]], force: bool) -> None:
        """Show this board, and the keys that can be used now."""
        self.query_one(BoardPane).show(shown, force)
        self.query_one("#keys", Static).update(keys_content(keys))

    def action_scroll(self, lines: int) -> None:
        """Scroll the moves."""
        self.query_one("#text", VerticalScroll).scroll_relative(y=lines * 3, animate=False)


def key_of(row: BoardRow) -> tuple[int, str, str]:
    """When this changes the game in full is asked for again."""
    return row.plies, row.state, row.call
