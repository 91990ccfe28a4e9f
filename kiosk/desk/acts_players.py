"""Actions on players: entries, who plays and who does not, byes, check-in, numbers. A table of rows."""

from __future__ import annotations

from collections.abc import Callable

from kiosk.desk.actions import Action, Form
from kiosk.desk.acts_round import kinds
from kiosk.desk.context import Context
from kiosk.desk.fields import Choice, Field, Kind, Values, reason, yes_no
from kiosk.widgets.language import _
from rules.tournament.entries import TITLES

PLAYERS = ("players",)
#: Fields of an entry: name in the data, kind.
ENTRY: tuple[tuple[str, Kind], ...] = (
    ("name", "text"), ("rating", "number"), ("title", "choice"), ("federation", "text"), ("fide_id", "number"),
    ("birth", "text"), ("sex", "choice"), ("club", "text"), ("fide_rating", "number"), ("national_rating", "number"),
)  # fmt: skip


def _labels() -> dict[str, tuple[str, str]]:
    """Field of an entry → its label and what may be written."""
    return {
        "name": (_("name"), _("Family name, First name")),
        "rating": (_("rating"), _("empty: unrated")),
        "title": (_("title"), ""),
        "federation": (_("federation"), _("three letters, such as SRB")),
        "fide_id": (_("FIDE id"), ""),
        "birth": (_("born"), _("year, or yyyy/mm/dd")),
        "sex": (_("sex"), ""),
        "club": (_("club"), ""),
        "fide_rating": (_("FIDE rating"), _("official")),
        "national_rating": (_("national rating"), _("official")),
    }


_CHOICES: dict[str, Callable[[], tuple[Choice, ...]]] = {
    "title": lambda: tuple(Choice(title, title or _("none")) for title in ("", *(t for t in TITLES if t))),
    "sex": lambda: (Choice("", _("not said")), Choice("m", "m"), Choice("w", "w")),
}


def entry_fields(c: Context) -> tuple[Field, ...]:
    """The lines of an entry; with a player selected as they stand now."""
    labels, known, out = _labels(), c.player, []
    for name, kind in ENTRY:
        label, hint = labels[name]
        now = getattr(known, name) if known is not None else ""
        start = now if kind == "choice" else str(now or "")
        empty = (0 if kind == "number" else "") if known is not None and name != "name" else None
        choices = _CHOICES[name]() if name in _CHOICES else ()
        out.append(Field(name, label, kind, name == "name", start, empty, hint, choices))
    return tuple(out)


def _new_entry(c: Context) -> tuple[Field, ...]:
    return entry_fields(Context())


def _entered(values: Values, c: Context) -> Values:
    return {key: value for key, value in values.items() if value != ""}


def _edited(values: Values, c: Context) -> Values:
    """Only what is different, with what it was (another desk may be quicker)."""
    assert c.player is not None
    names = [name for name, _kind in ENTRY if name in values and values[name] != getattr(c.player, name)]
    changed = {name: values[name] for name in names}
    if changed.keys() & {"rating", "fide_rating", "national_rating"}:
        changed["source"] = "manual"
    return changed | {"why": values.get("why", ""), "saw": {name: getattr(c.player, name) for name in names}}


def status(*wanted: str) -> Callable[[Context], str]:
    """Why not, unless the selected player stands so (or nobody is selected yet)."""

    def when(c: Context) -> str:
        if c.player is None or c.player.status in wanted:
            return ""
        return _("{name} is {status}.").format(name=c.player.name, status=status_words(c.player.status))

    return when


def status_words(word: str) -> str:
    """How a player stands, in a word."""
    return {
        "in": _("playing"), "late": _("not here yet"), "withdrawn": _("withdrawn"), "expelled": _("expelled"),
    }.get(word, word)  # fmt: skip


def bye_words(kind: str) -> str:
    """What a bye is worth, in a sign."""
    return {"H": "½", "F": "1", "Z": "0", "U": _("bye")}.get(kind, kind)


def byes_about(c: Context) -> str:
    """What he has and what the regulations grant."""
    if c.player is None:
        return ""
    had = ", ".join(
        _("{worth} in round {round}").format(worth=bye_words(kind), round=n)
        for n, kind in c.byes_of(c.player.tpn).items()
    )
    lines = [_("He has: {byes}.").format(byes=had or _("none"))]
    most, closed = c.regulation("half_byes", 1), c.regulation("closed_rounds", 1)
    last = c.rounds - closed
    lines.append(
        _("Half-point byes: {had} of {most} taken, rounds 1 to {last} only.").format(
            had=len(c.player.half_byes), most=most, last=last
        )
    )
    full = (c.book.regulations or {}).get("full_byes")
    lines.append(_("Full-point byes are allowed.") if full else _("Full-point byes are not allowed."))
    if c.player.no_half_bye:
        lines.append(_("No half-point byes for this player (conditions)."))
    return "\n".join(lines)


def _round_field(c: Context) -> Field:
    return Field("round", _("round"), "number", True, str(c.next_round))


def _to_come(c: Context) -> dict[int, str]:
    done = c.round if c.phase != "draft" else c.round - 1
    return {n: kind for n, kind in c.byes_of(c.player.tpn).items() if n > done} if c.player else {}


def _granted(c: Context) -> Field:
    choices = tuple(
        Choice(n, _("round {round}: {worth}").format(round=n, worth=bye_words(kind))) for n, kind in _to_come(c).items()
    )
    return Field("round", _("which"), "choice", True, choices[0].value if len(choices) == 1 else None, choices=choices)


def _has_byes(c: Context) -> str:
    return "" if c.player is None or _to_come(c) else _("{name} has no bye to come.").format(name=c.player.name)


def _check_in_open(c: Context) -> str:
    return "" if c.book.check_in == "open" else _("Check-in is not open.")


def _missing(c: Context) -> tuple[Field, ...]:
    choices = (
        Choice("round", _("out of the next round")),
        Choice("event", _("out of the event")),
        Choice("pair", _("paired all the same")),
    )
    return tuple(
        Field(f"{tpn}", f"{tpn} {c.name(tpn)}", "choice", True, None, choices=choices) for tpn in c.book.missing
    )


def _about_missing(c: Context) -> str:
    if not c.book.missing:
        return _("Everybody is here.")
    return _("Say for each who is not here what becomes of him.")


def _conditions(c: Context) -> Field:
    choices = (Choice(True, _("not for him")), Choice(False, _("allowed")))
    return Field("on", _("half-point byes"), "choice", True, not (c.player and c.player.no_half_bye), choices=choices)


def _present(c: Context) -> Field:
    return yes_no("present", _("here"), not (c.player and c.player.checked_in))


def _others(c: Context) -> Field:
    here = c.player.tpn if c.player else 0
    return Field("second", _("changes numbers with"), "player", True,
                 known={tpn: name for tpn, name in c.names.items() if tpn != here})  # fmt: skip


def _forbidden(c: Context) -> Field:
    start = str(c.player.tpn) + ", " if c.player else ""
    return Field("players", _("players"), "players", True, start, hint=_("numbers, with commas"), known=c.names)


def rows() -> tuple[Action, ...]:
    """The rows, the most needed first."""
    one = ("tpn",)
    return (
        Action("enter_late", _("new player"), _("One more entry; he plays from the next unpublished round on."),
               PLAYERS, "a", "a", form=Form("enter-late", _("A new player"), (_new_entry, reason(False)),
                                            done=_("{name} is on the list."), shape=_entered)),
        Action("edit", _("edit"), _("The selected player's data."), PLAYERS, "e,enter", "e", subject="player",
               form=Form("correct-entry", _("Data of {player}"), (entry_fields, reason(False)), one,
                         done=_("{player}: the data are changed."), shape=_edited)),
        Action("bye", _("bye"), _("A requested bye for a round that is not paired yet; the limits are shown."), PLAYERS,
               "b", "b", subject="player", when=status("in", "late"), form=Form(
                   "bye", _("A bye for {player}"), (
                       _round_field, Field("kind", _("worth"), "choice", True, "H", choices=kinds("H", "Z", "F")),
                       reason(False),
                   ), one, byes_about, _("{player}: the bye is in the book."))),
        Action("revoke_bye", _("no bye"), _("A bye that was asked for is taken back."), PLAYERS, "k", "k",
               subject="player", when=_has_byes, form=Form(
                   "revoke-bye", _("{player}: take a bye back"), (_granted, reason(False)), one,
                   done=_("{player} plays."))),
        Action("withdraw", _("withdraw"), _("A player leaves the event; he is not paired from the next round on."),
               PLAYERS, "w", "w", subject="player", when=status("in", "late"), form=Form(
                   "withdraw", _("{player} withdraws"), (reason(False),), ("tpn", "status"),
                   done=_("{player} is not paired any more."))),
        Action("come_back", _("return"), _("A withdrawn player is here again."), PLAYERS, "r", "r", subject="player",
               when=status("withdrawn"), form=Form(
                   "return", _("{player} is here again"), (reason(False),), ("tpn", "status"),
                   done=_("{player} is paired from the next round on."))),
        Action("expel", _("expel"), _("Out of the event by a ruling (12.9); the results stay for the opponents."),
               PLAYERS, "x", "x", subject="player", when=status("in", "late", "withdrawn"), form=Form(
                   "expel", _("{player}: out of the event"), (reason(),), one, done=_("{player} is expelled."))),
        Action("no_half_byes", _("conditions"), _("May the selected player have half-point byes (free entry)?"),
               PLAYERS, "f", "f", subject="player", form=Form(
                   "flag", _("{player}: half-point byes"), (
                       _conditions,
                   ), one, done=_("{player}: that is in the book."))),
        Action("check_in", _("here"), _("Check-in: the selected player is here, or is not."), PLAYERS, "h", "h",
               subject="player", when=_check_in_open, form=Form(
                   "check-in", _("{player}: here?"), (
                       _present,
                   ), one)),
        Action("open_check_in", _("open check-in"), _("From now on who is here is ticked."), PLAYERS, "o", "o",
               when=lambda c: "" if c.book.check_in != "open" else _("Check-in is open."),
               form=Form("open-check-in", _("Open the check-in?"), done=_("Check-in is open."))),
        Action("close_check_in", _("close check-in"), _("Check-in ends; say what becomes of each who is missing."),
               PLAYERS, "l", "l", when=_check_in_open, form=Form(
                   "close-check-in", _("Close the check-in"), (_missing,), about=_about_missing,
                   done=_("Check-in is closed."), shape=lambda v, c: {"missing": v})),
        Action("forbid", _("must not meet"), _("Players who must not be paired with each other."), PLAYERS, "m", "m",
               form=Form("forbid", _("These must not meet"), (
                   _forbidden, Field("first_round", _("from round"), "number", start="1"),
                   Field("last_round", _("to round"), "number", hint=_("empty: to the end")), reason(False),
               ), done=_("They are not paired with each other."))),
        Action("exchange_numbers", _("exchange numbers"),
               _("The selected player and another one change pairing numbers."), PLAYERS, "y", "y", subject="player",
               form=Form("exchange-numbers", _("{player}: another pairing number"), (_others, reason()),
                         done=_("The numbers are exchanged."),
                         shape=lambda v, c: {"first": c.player.tpn if c.player else 0} | v)),
        Action("renumber", _("number anew"), _("All pairing numbers by strength, until round 4 is paired."),
               form=Form("renumber", _("Give all pairing numbers anew"), (reason(),),
                         done=_("The numbers are given."))),
    )  # fmt: skip
