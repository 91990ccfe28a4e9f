"""Actions on the log, the regulations, the standings and the devices. A table of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kiosk.desk.actions import Action, Form
from kiosk.desk.context import Context
from kiosk.desk.fields import Choice, Field, Values, reason, yes_no
from kiosk.widgets.language import _

LOG, DEVICES = ("log",), ("devices",)
#: Who may get a key at the desk; the hub's own key is made by the hub.
ROLES = ("table", "desk", "wall", "standby", "feed")
#: Regulations with few answers.
ANSWERS: Mapping[str, Sequence[str]] = {
    "initial_colour": ("white", "black"),
    "missed_rounds": ("Z", "H"),
    "correct_until": ("round-over", "next-pairing"),
    "late_clock": ("full", "rest"),
    "acceleration": ("", "baku"),
    "tie_break_ratings": ("first", "round"),
}
#: Regulations that are several texts, each with spaces in it: how they are written.
TEXTS: Mapping[str, Callable[[], str]] = {
    "deputies": lambda: _("with ; between them"),
    "prizes": lambda: _("such as Main prizes: 90 50; Girls: 20, for W"),
}


# -- the log ----------------------------------------------------------------------------------------------------------


def _undoable(c: Context) -> str:
    return "" if c.book.undo else _("There is nothing to undo. What was done before the round was started stays.")


def _latest(c: Context) -> str:
    if not c.book.undo:
        return ""
    step = c.book.undo[0]
    return _("Latest: {what}, by {by}").format(what=step.what, by=step.by)


def _redoable(c: Context) -> str:
    return "" if c.book.redo else _("There is nothing to do again.")


def _again(c: Context) -> str:
    return _("To be done again: {what}").format(what=c.book.redo[0].what) if c.book.redo else ""


def _fide(c: Context) -> str:
    return "" if c.book.fide_mode else _("FIDE handling was left already; there is no way back.")


def _about_fide(c: Context) -> str:
    return _(
        "From then on what FIDE's rules forbid is possible, every page and the report say so, and nothing brings the "
        "event back: no undo, no restart, no backup."
    )


def regulation(c: Context, name: str) -> Field:
    """The line for one field of the regulations, typed as its value is."""
    value = (c.book.regulations or {}).get(name)
    label = name.replace("_", " ")
    if isinstance(value, bool):
        return yes_no(name, label, value)
    if isinstance(value, int):
        return Field(name, label, "number", True, str(value))
    if name in ANSWERS:
        choices = tuple(Choice(word, word or _("none")) for word in ANSWERS[name])
        return Field(name, label, "choice", False, value, choices=choices)
    if name in TEXTS:
        return Field(name, label, start="; ".join(value or ()), empty="", hint=TEXTS[name]())
    if isinstance(value, list | tuple):
        return Field(name, label, start=" ".join(map(str, value)), empty="", hint=_("with spaces between"))
    return Field(name, label, start=str(value or ""), empty="")


def change_of(name: str) -> Form:
    """The form that changes one field of the regulations."""

    def shape(values: Values, c: Context) -> Values:
        old = (c.book.regulations or {}).get(name)
        new: Any = values.get(name, "")
        if name in TEXTS:
            new, old = [each.strip() for each in str(new).split(";") if each.strip()], list(old or ())
        elif isinstance(old, list | tuple):
            new, old = str(new).split(), list(old)
        return {"changes": {name: new}, "saw": {name: old}, "why": values.get("why", "")}

    title = _("The regulations: {field}").format(field=name.replace("_", " "))
    done = _("The regulations are changed.")
    return Form("regulations", title, (lambda c: regulation(c, name), reason()), done=done, shape=shape)


# -- devices ----------------------------------------------------------------------------------------------------------


def _has_keys(c: Context) -> str:
    if c.office is None:
        return _("The hub does not tell how its devices are.")
    return (
        "" if c.office.keys else _("This hall has no keys: write keys = true in the hub's settings and start it again.")
    )


def _has_key(c: Context) -> str:
    if _has_keys(c):
        return _has_keys(c)
    return (
        ""
        if c.device is None or c.device.key
        else _("{role} {name} has no key.").format(role=c.device.role, name=c.device.name)
    )


def _roles(start: str | None = "table") -> Field:
    known = {
        "table": _("table"), "desk": _("desk"), "wall": _("wall"), "standby": _("second hub"), "feed": _("live feed"),
    }  # fmt: skip
    return Field("role", _("what it is"), "choice", True, start, choices=tuple(Choice(r, known[r]) for r in ROLES))


def _device_role(c: Context) -> Field:
    return _roles(c.device.role if c.device and c.device.role in ROLES else "table")


def _device_name(c: Context) -> Field:
    return Field("name", _("its name"), "text", True, c.device.name if c.device else "", hint=_("such as 12"))


def _about_key(c: Context) -> str:
    return _("Its key: {key}").format(key=c.device.key) if c.device else ""


def book_rows() -> tuple[Action, ...]:
    """What is done with the log and the regulations, the most needed first."""
    return (
        Action("undo", _("undo"), _("Undo the latest act, as it is named; nothing is ever removed from the log."), LOG,
               "u", "u", when=_undoable, form=Form("undo", _("Undo the latest act"), (reason(False),), ("latest act",),
                                                   _latest, _("Undone."))),
        Action("undo_this", _("undo this"), _("Undo the selected act, if no later one rests on it."), LOG, "enter",
               "Enter", subject="step", form=Form("undo", _("Undo: {act}"), (reason(False),), ("act",),
                                                  done=_("Undone."))),
        Action("redo", _("do again"), _("Do again what was undone last."), LOG, "y", "y", when=_redoable,
               form=Form("redo", _("Do again what was undone last?"), about=_again, done=_("Done again."))),
        Action("integrity", _("integrity"), _("The integrity log: what the report says besides pairings and results."),
               LOG, "i", "i"),
        Action("regulations", _("regulations"), _("Change one of the regulations, with a reason."), LOG, "e", "e",
               subject="regulation", asks=("regulations",)),
        Action("announce_prizes", _("announce"), _("Change the lists of prizes; with a reason."), ("prizes",), "e", "e",
               form=change_of("prizes")),
        Action("files", _("files"), _("Write report, games, standings and prizes into the hub's folder."), (
               "prizes", "standings", "log"), "f", "f", form=Form(
                   "files", _("Write the event's files as of now?"),
                   done=_("They are being written; a notice will say where they are."))),
        Action("lot", _("lot"), _("Draw a lot in public: type the seed that everybody can see."), LOG, "l", "l",
               form=Form("lot", _("Draw a lot"), (
                   Field("what", _("for what"), "text", True, "initial-colour"),
                   Field("seed", _("seed"), "number", True, hint=_("such as the date and the dice")),
                   Field("choices", _("drawn from"), hint=_("with commas; empty for the initial colour")),
               ), done=_("The lot is drawn; it stands in the log."),
                   shape=lambda v, c: v | ({"choices": [x.strip() for x in v["choices"].split(",") if x.strip()]}
                                           if v.get("choices") else {}))),
        Action("fide_exit", _("leave FIDE"), _("Leave FIDE handling, for good. There is no way back."), LOG, "x", "x",
               when=_fide, form=Form("fide-exit", _("Leave FIDE handling for good"), (reason(),), (), _about_fide,
                                     _("The event is not under FIDE handling any more."), word=_("leave"))),
    )  # fmt: skip


def device_rows() -> tuple[Action, ...]:
    """What is done with devices and their keys, the most needed first."""
    holder = ("role", "name")
    return (
        Action("enrol", _("let in"), _("Let a device in: open for it, then type the code that it shows."), DEVICES, "e",
               "e", when=_has_keys, form=Form("enrol-open", _("Let a device in"), (_device_role, _device_name),
                                               after="enrolment"),
               asks=("enrol-accept", "enrol-refuse", "enrol-close")),
        Action("enrolment", _("waiting"), _("Who waits to be let in; type the code that the device shows."), DEVICES,
               "a,enter", "a", when=lambda c: "" if c.office and c.office.enrolment else _("No enrolment is open.")),
        Action("key_rotate", _("new key"), _("The selected device gets a new key, by its code as at the first time."),
               DEVICES, "k", "k", subject="device", when=_has_key,
               form=Form("key-rotate", _("{device}: a new key?"), (), holder, _about_key, after="enrolment")),
        Action("key_revoke", _("revoke"), _("The selected device's key is let in no more."), DEVICES, "x", "x",
               subject="device", when=_has_key, form=Form("key-revoke", _("{device}: end its key"), (reason(),), holder,
                                                          _about_key, _("The key of {device} is let in no more."))),
        Action("key_grant", _("key by hand"), _("A key that came another way than by enrolment: you vouch for it."),
               when=_has_keys, form=Form("key-grant", _("Take a key"), (
                   _device_role, _device_name, Field("public", _("public key"), "text", True, hint=_("begins with U")),
               ), done=_("The key is let in."))),
    )  # fmt: skip
