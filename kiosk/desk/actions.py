"""What an action of the arbiter is, as data: its keys on which pages, its words, what it is about, its form.

The actions themselves are rows of the tables in `kiosk.desk.acts_hall`, `acts_game`, `acts_players`, `acts_round` and
`acts_office`. Keys, the bottom lines, the palette and the help are made from these rows and from nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from kiosk.desk.context import Context
from kiosk.desk.fields import Field, Values
from kiosk.widgets.language import _

#: Every page of the desk; a key of an action with the page "*" works on all of them.
PAGES = ("hall", "players", "round", "standings", "log", "devices", "prizes", "board")


#: Keys that the bottom line does not name: the digits of the pages stand above.
QUIET = frozenset(
    {
        "hall",
        "players",
        "round",
        "standings",
        "log",
        "devices",
        "prizes",
        "next_theme",
        "leave",
        "back",
        "help",
        "palette",
    }
)


def page_names() -> Mapping[str, str]:
    """The pages that have a digit, in order, with their names."""
    return {
        "hall": _("hall"), "players": _("players"), "round": _("round"), "standings": _("standings"), "log": _("log"),
        "devices": _("devices"), "prizes": _("prizes"),
    }  # fmt: skip


def always(c: Context) -> str:
    """Nothing stands against it."""
    return ""


def silent(c: Context) -> str:
    """Nothing to add."""
    return ""


def as_it_is(values: Values, c: Context) -> Values:
    """The values are the data."""
    return values


#: What an intent says besides what is typed: its key in the data, and the value from what the desk shows.
FIXED: Mapping[str, tuple[str, Callable[[Context], Any]]] = {
    "tpn": ("tpn", lambda c: c.player.tpn if c.player else 0),
    "board": ("board", lambda c: c.place.board if c.place else 0),
    "round": ("round", lambda c: c.place.round if c.place else c.round),
    "status": ("saw", lambda c: c.player.status if c.player and c.player.status != "late" else ""),
    "code": ("saw", lambda c: c.place.code if c.place else ""),
    "checksum": ("saw", lambda c: c.sheet.checksum),
    "latest act": ("saw", lambda c: c.book.undo[0].act if c.book.undo else 0),
    "act": ("act", lambda c: c.step.act if c.step else 0),
    "role": ("role", lambda c: c.device.role if c.device else ""),
    "name": ("name", lambda c: c.device.name if c.device else ""),
}


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked before an intent goes to the hub. Without fields it is one question, answered by Enter.

    `title`, `about` and `done` may name `{player}`, `{board}`, `{names}`, `{round}` and what was typed. `fixed` are
    names in `FIXED`. `shape` makes the intent's data of the values; a list of (kind, data) are several intents, carried
    out in order. `word` must be typed where the hub warns at level 4. `preview` names a question to the hub that says
    first what the intent will do, `after` the desk's method that is called once it is done.
    `slow`: `shape` reads a file, and may raise OSError or ValueError with a sentence. `by_moves`: each move
    that is made changes what it means.
    """

    intent: str
    title: str
    fields: tuple[Field | Callable[[Context], Field | tuple[Field, ...]], ...] = ()
    fixed: tuple[str, ...] = ()
    about: Callable[[Context], str] = silent
    done: str = ""
    shape: Callable[[Values, Context], Values | list[tuple[str, Values]]] = as_it_is
    word: str = ""
    preview: str = ""
    after: str = ""
    slow: bool = False
    by_moves: bool = False

    def lines(self, c: Context) -> tuple[Field, ...]:
        """The fields as they are now."""
        out: list[Field] = []
        for each in self.fields:
            made = each if isinstance(each, Field) else each(c)
            out += [made] if isinstance(made, Field) else made
        return tuple(out)

    def intents(self, values: Values, c: Context) -> list[tuple[str, Values]]:
        """(kind, data) of what the hub is asked for."""
        fixed = {key: get(c) for key, get in (FIXED[name] for name in self.fixed)}
        shaped = self.shape(values, c)
        if isinstance(shaped, list):
            return shaped
        return [(self.intent, fixed | shaped)]


@dataclass(frozen=True, slots=True)
class Action:
    """One row: `keys` (Textual's names) on `pages` (none: only by name), how the first is written, name and help.

    It has a `form`, or is done by the desk's method `act_<name>`. `subject` is what must be chosen first, unless the
    page's cursor is on one ("place", "player", …; see `kiosk.desk.subjects`). `when` says why it cannot be done now,
    "" when it can. `needs` are questions whose answers must be fresh, `asks` further intents that the method sends.
    """

    name: str
    short: str
    help: str
    pages: tuple[str, ...] = ()
    keys: str = ""
    written: str = ""
    form: Form | None = None
    subject: str = ""
    when: Callable[[Context], str] = always
    needs: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    def on(self, page: str) -> bool:
        """Does its key work on this page?"""
        return bool(self.keys) and (page in self.pages or "*" in self.pages)


def words(c: Context, values: Mapping[str, Any] = {}) -> dict[str, Any]:
    """What titles and sentences may name."""
    place = c.place
    return {
        "player": c.player.name if c.player else "",
        "board": place.board if place else 0,
        "names": place.names if place else "",
        "round": place.round if place else c.sheet.round or c.round,
        "device": f"{c.device.role} {c.device.name}" if c.device else "",
        "act": c.step.what if c.step else "",
        **values,
    }


@cache
def actions() -> tuple[Action, ...]:
    """All rows, the most needed first."""
    from kiosk.desk import acts_game, acts_hall, acts_lists, acts_office, acts_players, acts_round

    tables = (
        (acts_hall.rows(), ()),
        (acts_game.rows(), ()),
        (acts_round.rows(), ("book", "sheet")),
        (acts_players.rows(), ("book",)),
        (acts_lists.rows(), ("book",)),
        (acts_office.book_rows(), ("book",)),
        (acts_office.device_rows(), ("office",)),
    )
    return tuple(replace(each, needs=each.needs or needs) for table, needs in tables for each in table)


def action(name: str) -> Action:
    """The row with this name. Raises `KeyError`."""
    return {each.name: each for each in actions()}[name]


def bindings(page: str, own: Iterable[str] = ()) -> list[BindingType]:
    """Key bindings of a page; keys in `own` belong to its widgets."""
    left_out = frozenset(own)
    return [
        Binding(key, f"app.do('{each.name}')", show=False)
        for each in actions()
        if each.on(page)
        for key in each.keys.split(",")
        if key not in left_out
    ]


def key_line(c: Context, width: int, lines: int = 1) -> tuple[tuple[tuple[str, str], ...], ...]:
    """(key, short name) for the bottom lines: what can be done now, as much as fits; help and palette always."""
    ways = ("palette", "back") if c.page == "board" else ("help", "palette")
    last = [(action(name).written, action(name).short) for name in ways]
    can = [each for each in actions() if each.on(c.page) and each.name not in QUIET and not each.when(c)]
    can = [each for each in can if _selected(each, c)]
    # The next step first; what belongs to this page comes before what works on many.
    if c.page != "hall":
        can.sort(key=lambda each: (each.name != "next_step", len(each.pages)))
    listed = [(each.written, each.short) for each in can]
    out: list[list[tuple[str, str]]] = [[] for _line in range(lines)]
    room = [width - 1] * lines
    room[-1] -= sum(map(_cells, last))
    for pair in listed:
        at = next((n for n in range(lines) if room[n] >= _cells(pair)), -1)
        if at < 0:
            break
        out[at].append(pair)
        # Nothing more is put into a line that something did not fit into: the order is kept.
        room[:at] = [0] * at
        room[at] -= _cells(pair)
    out[-1] += last
    return tuple(tuple(line) for line in out)


def _selected(each: Action, c: Context) -> bool:
    """Is something selected that the action could be about, if it is about something?"""
    from kiosk.desk.subjects import subjects

    subject = subjects().get(each.subject)
    return subject is None or subject.has(c) or each.subject == "regulation"


def _cells(pair: tuple[str, str]) -> int:
    return cell_len(pair[0]) + cell_len(pair[1]) + 3
