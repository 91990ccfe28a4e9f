"""Actions on the whole hall and on the desk itself: rounds, all clocks, pages, help. A table of rows."""

from __future__ import annotations

from kiosk.desk.actions import PAGES, Action, Form
from kiosk.desk.acts_game import on_sheet
from kiosk.desk.context import Context
from kiosk.desk.fields import reason
from kiosk.widgets.language import _

EVERYWHERE = ("*",)
LISTS = ("hall", "players", "round", "standings", "log", "devices")


def _step(c: Context) -> str:
    if c.hall is None:
        return _("There is no contact with the hub yet.")
    return "" if c.hall.head.step.kind else c.hall.head.step.sentence


def _running(c: Context) -> str:
    return "" if c.phase == "running" else _("No round is running.")


def _paused(c: Context) -> str:
    rows = c.hall.boards.rows if c.hall else ()
    return "" if any(row.state == "paused" for row in rows) else _("No game is paused.")


def _known(c: Context) -> str:
    return "" if c.hall is not None else _("There is no contact with the hub yet.")


def _has_calls(c: Context) -> str:
    return "" if c.hall is not None and c.hall.head.calls else _("There are no open calls.")


def rows() -> tuple[Action, ...]:
    """The rows, the most needed first."""
    return (
        Action("next_step", _("next"), _("The next step of the round, as written above the keys."), LISTS, "n", "n",
               when=_step, asks=("pair", "publish", "start", "finish")),
        Action("open", _("board"), _("The selected board in full, or the ruling on the selected call."), ("hall",),
               "enter", "Enter", subject="place", when=_known),
        Action("calls", _("calls"), _("Go to the open calls; again, back to the boards."), LISTS, "c", "c",
               when=_has_calls, asks=("close-call", "continue")),
        Action("result", _("result"),
               _("Enter the selected board's result, or correct the one it has (what that touches is said first)."),
               ("hall", "board", "round"), "r", "r", subject="place", when=on_sheet, asks=("result", "rule")),
        Action("visit", _("visit"), _("Look at the players' screen of the selected board's table."),
               ("hall", "board"), "v", "v", subject="place",
               when=lambda c: "" if c.visits else _("No table can be visited from this desk.")),
        Action("pause_all", _("pause all"), _("Stop the clocks of all games."), LISTS, "p", "p", when=_running,
               form=Form("pause", _("Stop the clocks of all games?"), done=_("All clocks are told to stop."),
                         shape=lambda v, c: {"board": 0})),
        Action("resume_all", _("resume all"), _("Let all paused games go on."), ("hall",), "u", "u", when=_paused,
               form=Form("resume", _("Let all paused games go on? Games with an open claim stay paused."),
                         done=_("All paused games are told to go on."), shape=lambda v, c: {"board": 0})),
        Action("find", _("find"), _("Find a player, a board or a line of this page."), LISTS, "slash", "/"),
        Action("why", _("why"), _("Why the round is paired as it is."), ("hall", "round"), "w", "w", when=_known),
        Action("help", _("help"), _("This page."), EVERYWHERE, "f1,question_mark", "F1 ?"),
        Action("palette", _("more"), _("Type what you want to do."), EVERYWHERE, "colon", ":"),
        Action("hall", _("hall"), _("The hall: calls and boards."), EVERYWHERE, "1", "1"),
        Action("players", _("players"), _("The list of players: entries, byes, who is here."), EVERYWHERE, "2", "2"),
        Action("round", _("round"), _("A round's sheet: pairings, results, rounds by hand."), EVERYWHERE, "3", "3"),
        Action("standings", _("standings"), _("Standings with tie-breaks, and what decided each place."), EVERYWHERE,
               "4,s", "4"),
        Action("log", _("log"), _("What was done, to undo and do again; the integrity log."), EVERYWHERE, "5", "5"),
        Action("devices", _("devices"), _("Tables and other devices: health, keys, letting one in."), EVERYWHERE,
               "6", "6"),
        Action("prizes", _("prizes"), _("Who gets which prize, and why; until the last round is over, as it would be."),
               EVERYWHERE, "7", "7"),
        Action("back", _("back"), _("Back to the hall."), tuple(page for page in PAGES if page != "hall"), "escape,q",
               "Esc"),
        Action("drop_draft", _("drop the draft"), _("Throw the unpublished pairing away, to pair again."), ("round",),
               "d", "d", when=lambda c: "" if c.phase == "draft" or c.book.manual else _("There is no draft."),
               form=Form("drop", _("Throw the draft of this round away?"), done=_("The draft is gone."))),
        Action("notices", _("notices"), _("All notices of the hub."), ("log",), "m", "m"),
        Action("pause_why", _("pause all, with a reason"), _("Stop the clocks of all games; the tables show why."),
               when=_running, form=Form("pause", _("Stop the clocks of all games"), (reason(),),
                                        done=_("All clocks are told to stop."),
                                        shape=lambda v, c: v | {"board": 0})),
        Action("next_theme", _("colours"), _("The next colour theme."), EVERYWHERE, "f8", "F8"),
        Action("leave", _("quit"), _("Close the desk. The hall goes on without it."), EVERYWHERE, "ctrl+q", "Ctrl+Q"),
    )  # fmt: skip
