"""Everything the arbiter can do at the desk: one table, from which keys, palette and help are made."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

from kiosk.widgets.language import _


@dataclass(frozen=True, slots=True)
class Action:
    """One action: the keys (Textual's names), how the first is written, the method, short name and help sentence."""

    keys: str
    written: str
    name: str
    short: str
    help: str


def actions(visits: bool = True) -> tuple[Action, ...]:
    """The actions, most needed first; `visits`: whether this desk can open a table's screen."""
    table = (
        Action("n", "n", "next_step", _("next"), _("The next step of the round, as written above the keys.")),
        Action(
            "enter", "Enter", "open", _("board"), _("The selected board in full, or the ruling on the selected call.")
        ),
        Action("c", "c", "calls", _("calls"), _("Go to the open calls; again, back to the boards.")),
        Action("r", "r", "result", _("result"), _("Enter or correct the result of the selected board, with a reason.")),
        Action("v", "v", "visit", _("visit"), _("Look at the players' screen of the selected board's table.")),
        Action("p", "p", "pause_all", _("pause all"), _("Stop the clocks of all games.")),
        Action("u", "u", "resume_all", _("resume all"), _("Let all paused games go on.")),
        Action("slash", "/", "find", _("find"), _("Find a player or a board.")),
        Action("s", "s", "standings", _("standings"), _("Standings with tie-breaks, and what decided each place.")),
        Action("w", "w", "why", _("why"), _("Why the round is paired as it is.")),
        Action("f1,question_mark", "F1 ?", "help", _("help"), _("This page.")),
        Action("colon", ":", "palette", _("more"), _("Type what you want to do.")),
        Action("t", "t", "times", _("times"), _("Set both clocks of the selected board (it must be paused).")),
        Action("d", "d", "pause_board", _("pause board"), _("Stop or restart the clocks of the selected board only.")),
        Action("", "", "penalty", _("penalty"), _("Put an illegal move right, or punish an offence.")),
        Action("", "", "adjourn", _("adjourn a game"), _("The player on move has sealed; the game goes on later.")),
        Action("", "", "envelope", _("open the envelope"), _("An adjourned game goes on with its sealed move.")),
        Action("", "", "withdraw", _("withdraw a player"), _("A player leaves the event.")),
        Action("", "", "bye", _("grant a bye"), _("A requested bye for a round that is not paired yet.")),
        Action("", "", "drop_draft", _("drop the draft"), _("Throw the unpublished pairing away, to pair again.")),
        Action("", "", "notices", _("notices"), _("All notices of the hub.")),
        Action("f8", "F8", "next_theme", _("colours"), _("The next colour theme.")),
        Action("ctrl+q", "Ctrl+Q", "leave", _("quit"), _("Close the desk. The hall goes on without it.")),
    )
    return tuple(action for action in table if visits or action.name != "visit")


def bindings() -> list[BindingType]:
    """Key bindings of the desk's main screen."""
    return [Binding(a.keys, f"app.{a.name}", show=False) for a in actions() if a.keys and a.name != "open"]


def key_line(width: int, visits: bool, idle: frozenset[str] = frozenset()) -> tuple[tuple[str, str], ...]:
    """(key, short name) for the bottom line: as many as fit, help and palette always, not those that are `idle`."""
    left_out = idle | {"times", "pause_board"}
    listed = [(a.written, a.short) for a in actions(visits) if a.written and a.name not in left_out]
    last = [pair for pair in listed if pair[0] in ("F1 ?", ":")]
    room = width - 1 - sum(len(key) + len(short) + 3 for key, short in last)
    chosen = []
    for key, short in listed:
        if (key, short) in last:
            continue
        room -= len(key) + len(short) + 3
        if room < 0:
            break
        chosen.append((key, short))
    return (*chosen, *last)
