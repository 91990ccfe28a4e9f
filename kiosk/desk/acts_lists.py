"""Actions on rating lists, places by hand, and what was really played. A table of rows."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import get_args

from kiosk.desk.actions import Action, Form
from kiosk.desk.acts_round import latest_public
from kiosk.desk.context import Context
from kiosk.desk.fields import Choice, Field, Values, reason, yes_no
from kiosk.widgets.language import _
from rules.interchange.rating_index import wanted_only
from rules.interchange.rating_list import Kind, RatedPlayer, read_rating_list
from rules.tournament.entries import Entry

#: Bytes of a rating list that are read at a time.
PIECE = 1 << 20
#: A month in the name of a list's file, such as standard_2026-05.txt.
_MONTH = re.compile(r"(20\d\d)[-_]?(0[1-9]|1[0-2])")


def _not_begun(c: Context) -> str:
    return "" if c.phase in ("to-pair", "draft") and c.round <= 1 else _("Round 1 is public: withdraw the player (w).")


def _pieces(path: Path) -> Iterator[bytes]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def read_list(values: Values, c: Context) -> Values:
    """The rows of a list's file that somebody of this event can be. Raises OSError or ValueError with a sentence."""
    path = Path(values.pop("file")).expanduser()
    names = ("tpn", "name", "rating", "title", "federation", "fide_id", "birth", "sex", "club")
    entries = [Entry(**{name: getattr(player, name) for name in names}) for player in c.book.players]
    found: list[RatedPlayer] = list(wanted_only(read_rating_list(_pieces(path), str(path)), entries))
    month = _MONTH.search(path.name)
    valid_from = values.get("valid_from") or (f"{month[1]}/{month[2]}/01" if month else "")
    name = values.get("name") or path.stem
    return {**values, "name": name, "valid_from": valid_from, "players": [asdict(player) for player in found]}


def _kinds() -> tuple[Choice, ...]:
    words = {"standard": _("standard"), "rapid": _("rapid"), "blitz": _("blitz")}
    return tuple(Choice(kind, words.get(kind, kind)) for kind in get_args(Kind))


def _names(c: Context) -> Field:
    return Field("players", _("players"), "players", hint=_("empty: all who differ"), known=c.names)


def _tied(c: Context) -> Field:
    """The players on the selected place, in the order in which they are listed."""
    rows = c.hall.standings.rows if c.hall else ()
    group = [row.tpn for row in rows if c.standing is not None and row.rank == c.standing.rank]
    return Field("order", _("in this order"), "players", True, ", ".join(map(str, group)) if len(group) > 1 else "",
                 hint=_("numbers, with commas"), known=c.names)  # fmt: skip


def _about_tied(c: Context) -> str:
    rows = c.hall.standings.rows if c.hall else ()
    group = [row for row in rows if c.standing is not None and row.rank == c.standing.rank]
    return "\n".join(f"{row.rank}. {row.tpn} {row.name}, {row.points}" for row in group[:10])


def _played(c: Context) -> tuple[Field, ...]:
    known, pair = c.names, c.pair
    white = str(pair.white) if pair else ""
    black = str(pair.black) if pair else ""
    return (
        Field("white", _("who had White"), "player", True, white, known=known),
        Field("black", _("who had Black"), "player", True, black, known=known),
        Field("board2", _("and at board"), "number", hint=_("empty: this board only")),
        Field("white2", _("who had White there"), "player", known=known),
        Field("black2", _("who had Black there"), "player", known=known),
    )


def _boards(values: Values, c: Context) -> Values:
    assert c.place is not None
    boards = [[c.place.board, values["white"], values["black"]]]
    if "board2" in values:
        boards.append([values["board2"], values.get("white2", 0), values.get("black2", 0)])
    return {"round": c.place.round, "boards": boards, "why": values.get("why", "")}


def _last_round(c: Context) -> Field:
    return Field("round", _("round"), "number", True, str(c.round or 1))


def _to_table(values: Values, c: Context) -> Values:
    """A number is where a table stands, anything else its name."""
    to = str(values.get("to", ""))
    return values | {"to": int(to) if to.isdigit() else to}


def rows() -> tuple[Action, ...]:
    """The rows, the most needed first."""
    one = ("tpn",)
    return (
        Action("replace_pairs", _("as played"), _("Others than those on the sheet sat there: moves and results stay."),
               ("round",), "j", "j", subject="place", when=latest_public, needs=("book", "sheet"), form=Form(
                   "replace-pairs", _("Round {round}, board {board}: who really played?"), (_played, reason()), (),
                   lambda c: c.place.names if c.place else "", _("Board {board}: the pairing is as it was played."),
                   _boards)),
        Action("move_game", _("other table"), _("The game goes on at another table; a game there comes in exchange."),
               ("board",), "m", "m", subject="place", form=Form(
                   "move-game", _("Board {board}: at which table does it go on?"), (
                       Field("to", _("table"), "text", True, hint=_("its number or name")), reason(),
                   ), ("round", "board"), lambda c: c.place.names if c.place else "",
                   _("Board {board} goes on at table {to}."), _to_table)),
        Action("take_out", _("take out"), _("Off the list, as if never entered; before round 1 is public."),
               ("players",), "t", "t", subject="player", when=_not_begun,
               form=Form("take-out", _("{player}: off the list"), (reason(False),), one,
                         done=_("{player} is off the list."))),
        Action("excuse", _("good reason"), _("A game lost by not coming had a good reason."), ("players",), "g", "g",
               subject="player", form=Form("excuse", _("{player} had a good reason not to come"), (
                   _last_round, yes_no("on", _("excused"), True), reason(),
               ), one, done=_("{player}: that is in the book."))),
        Action("rating_list", _("rating list"), _("Read a rating list from a file; the ratings are compared with it."),
               ("players",), "i", "i", form=Form("rating-list", _("A rating list"), (
                   Field("file", _("file"), "text", True, hint=_("as the federation gives it, also .gz")),
                   Field("name", _("its name"), hint=_("empty: as the file")),
                   Field("valid_from", _("valid from"), hint=_("yyyy/mm/dd; empty: by the file's name")),
                   Field("origin", _("whose"), "choice", True, "FIDE",
                         choices=(Choice("FIDE", "FIDE"), Choice("other", _("another one")))),
               ), done=_("The list is read."), shape=read_list, slow=True)),
        Action("update_ratings", _("ratings"), _("Ratings become those of the list in force."), ("players",), "u", "u",
               form=Form("update-ratings", _("Take the ratings of the list"), (_names, reason(False)),
                         done=_("The ratings are those of the list."))),
        Action("check_ratings", _("compare ratings"), _("Are the ratings those of the list in force?"),
               form=Form("check-ratings", _("Compare the ratings with the list in force?"), done=_("Compared."))),
        Action("pick_rating", _("other rating"), _("Not on the main list: a rating of another kind or list."),
               subject="player", form=Form("pick-rating", _("{player}: a rating of another list"), (
                   Field("list", _("list"), "text", True),
                   Field("kind", _("kind"), "choice", True, None, choices=_kinds()),
               ), one, done=_("{player} has that rating."))),
        Action("rate_round", _("rating from a round"), _("In a long event: another rating from a round on."),
               subject="player", form=Form("rate-round", _("{player}: another rating"), (
                   _last_round, Field("rating", _("rating"), "number", True, hint=_("0: takes it back")), reason(False),
               ), one, done=_("{player}: that is in the book."))),
        Action("draw_numbers", _("numbers by lot"), _("The numbers of a round robin by lot, before round 1 is public."),
               form=Form("draw-numbers", _("Draw the numbers by lot"), (
                   Field("seed", _("seed"), "number", True, hint=_("such as the date and the dice")),
                   yes_no("apart", _("one country apart")),
               ), done=_("The numbers are drawn."))),
        Action("order_tied", _("tie by hand"), _("Tied players in an order by hand, after a play-off, say."),
               ("standings",), "t", "t", form=Form(
                   "order-tied", _("A tie, by hand"), (_tied, reason()), (), _about_tied,
                   _("They stand in this order."))),
        Action("outside_value", _("value"), _("A tie-break value that was worked out elsewhere; empty takes it back."),
               ("standings",), "v", "v", subject="player", form=Form(
                   "outside-value", _("{player}: a value from outside"), (
                       Field("value", _("value"), empty="", hint=_("such as 3.5")), reason(),
                   ), one, done=_("{player}: that is in the book."))),
    )  # fmt: skip
