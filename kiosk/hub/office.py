"""What desks ask of the hub itself and not of the tournament: its health, its keys, who may come in.

Each is answered here before `desk_side` sees it. A desk whose key may only look is refused everything that changes
something. What happens to keys stands in the log before the server hears of it.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any, cast

from hallnet.enrol import EVERYBODY, OPEN_MS, Hello, HubSide, Reveal, Verdict
from hallnet.key_share import Want, checked
from hallnet.keyring import ROTATION_MS, Grant, KeyEvent, Keyring, Role, users_file
from hallnet.keys import is_public
from hallnet.views import DiskView, OfficeView
from hallnet.wire import TOKEN, DeskIn, DeskOut, Message, WireError, decode, encode
from kiosk.hub.act import Refused
from kiosk.hub.books import Books
from kiosk.hub.inputs import (
    DiskSeen,
    FilesWritten,
    FromDesk,
    FromDevice,
    FromStandby,
    Refusals,
    Rekey,
    SafeKeep,
    Send,
    Share,
)
from kiosk.hub.office_view import devices, enrolment
from kiosk.hub.standby_side import StandbySide

log = logging.getLogger(__name__)

#: An accepted device may still ask for so long (ms): the word may be lost when the keys are exchanged.
TOLD_MS = 15_000
#: Tables on one health page, for the size of a message.
_MOST_TABLES = 2_000
#: Sentences about those who were turned away that are remembered.
_TURNED_AWAY = 20
#: Refusals are told to the arbiter again after so many more of the same kind.
_TELL_AT = (1, 10, 100, 1_000, 10_000, 100_000)
#: What a desk may ask that may change nothing.
LOOKS = frozenset({
    "snapshot", "standings", "game", "draft", "health", "keys", "office", "book", "sheet", "correction", "prizes",
})  # fmt: skip
#: Roles that the arbiter may enrol.
_ENROLLED = frozenset({"table", "desk", "wall", "standby", "feed"})


class Office:
    """The hub's own desk. `ca` is the hall's certificate (PEM) in a hall with keys, "" in one without.

    `backlog` tells how many inputs wait for the hub.
    """

    def __init__(self, books: Books, ca: str, standby: StandbySide, backlog: Callable[[], int] = lambda: 0) -> None:
        self.books = books
        self._standby = standby
        self._backlog = backlog
        self._disk = DiskView()
        self._turned_away: deque[str] = deque(maxlen=_TURNED_AWAY)
        self.keyring = Keyring(books.log.key_events())
        self._ca = ca
        self._open: HubSide | None = None
        self._accepted: dict[str, Verdict] = {}
        self._told_until = 0
        self._opened_at = 0
        self._replaced: dict[str, int] = {}
        self._answers: dict[tuple[str, str], DeskOut] = {}

    def take(self, item: FromDesk) -> bool:
        """Answer a question for the hub itself, or refuse one; False: it is about the tournament."""
        try:
            intent = decode(item.payload, DeskIn)
        except WireError:
            return False
        if self._ca and intent.kind not in LOOKS and not self.keyring.may_act(item.desk):
            self.books.counted["refused"] += 1
            log.warning("desk %s may only look: %s refused", item.desk, intent.kind)
            why = _("This desk may only look: do that at the arbiter's desk.")
            self._say(item.desk, DeskOut(id=intent.id, ok=False, why=why))
            return True
        known = self._answers.get((item.desk, intent.id))
        answer = _ANSWERS.get(intent.kind)
        if answer is None:
            return False
        if known is None:
            try:
                known = DeskOut(id=intent.id, ok=True, d=answer(self, intent.d, item))
            except Refused as refused:
                known = DeskOut(id=intent.id, ok=False, why=str(refused))
            if intent.kind not in LOOKS:
                self._answers[(item.desk, intent.id)] = known
                if len(self._answers) > 100:
                    del self._answers[next(iter(self._answers))]
        self._say(item.desk, known)
        return True

    def look(self, now: int, wall: int) -> None:
        """Time passes: keys that were replaced run out, and so does an enrolment.

        It is measured with the monotonic clock too: a wall clock that is put back keeps no door open.
        """
        replaced = {public: grant for public, grant in self.keyring.grants.items() if grant.until is not None}
        self._replaced = {public: self._replaced.get(public, now) for public in replaced}
        due = tuple(
            grant
            for public, grant in replaced.items()
            if wall >= (grant.until or 0) or now - self._replaced[public] >= ROTATION_MS
        )
        if due:
            self._record(*(self._revocation(grant, wall, "hub", _("replaced")) for grant in due))
        if self._told_until and now >= self._told_until:
            self._told_until = 0
            self._rekey()
        if self._open is not None and now - self._opened_at >= OPEN_MS:
            self._close(_("Enrolment of {name} is over: nobody came in time.").format(name=self._open.name))

    def refused(self, item: Refusals) -> None:
        """The server turned somebody away: one line in the log, a count and a word for the arbiter."""
        grant = self.keyring.grants.get(item.who)
        who = _("somebody") if not item.who else _("an unknown key")
        if item.who == EVERYBODY.public:
            who = _("a device without a key of its own")
            if item.what == "key" and grant is None:
                # A table that waits knocks at the closed door every few seconds; nothing is wrong with it.
                if _knocks() not in self.books.streams.notices:
                    log.info("a device waits to be enrolled")
                    self.books.streams.notice(_knocks())
                return
        if grant is not None:
            who = f"{grant.role} {grant.name}"
        elif item.who in self.keyring.revoked:
            gone = self.keyring.revoked[item.who]
            who = _("the revoked key of {role} {name}").format(role=gone.role, name=gone.name)
        log.warning("security: %s: %s %s (%d times, key %s)", who, item.what, item.subject, item.count, item.who or "-")
        before = self.books.counted["refused", item.what, who]
        after = before + item.count
        self.books.counted["refused"] += item.count
        self.books.counted["refused", item.what, who] = after
        if any(before < mark <= after for mark in _TELL_AT):
            clock = time.strftime("%H:%M:%S", time.localtime(item.wall / 1000))
            sentence = _tried(item.what).format(who=who, subject=item.subject, count=after, time=clock)
            self.books.streams.notice(sentence)
            self._turned_away.append(sentence)

    def disk_seen(self, item: DiskSeen) -> None:
        """The disk was looked at; what is wrong with it is told once."""
        if item.disk.why and item.disk.why != self._disk.why:
            log.warning("%s", item.disk.why)
            self.books.streams.notice(item.disk.why)
        self._disk = item.disk

    def files_written(self, item: FilesWritten) -> None:
        """The event's files are there, or cannot be: both are told."""
        sentence = _("The event's files are in {folder}.").format(folder=item.folder)
        if item.why:
            sentence = _("The event's files cannot be written into {folder} ({error}): look at the hub's disk.").format(
                folder=item.folder, error=item.why
            )
        self.books.streams.notice(sentence)

    def _files(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        """The event's files as of now; that they are written is told as a notice."""
        self.books.out.append(SafeKeep(files=True))
        return {}

    def share(self, item: FromStandby) -> None:
        """The standby asks for the hall's keys: only one whose key is in force gets them."""
        try:
            want = decode(item.payload, Want)
            checked(want, self.books.address)
        except WireError as error:
            self.books.set_aside(f"{self.books.address.root}.repl.want", item.payload, str(error))
            return
        grant = self.keyring.grants.get(want.public)
        if not self._ca or grant is None or grant.role != "standby":
            self.books.set_aside(f"{self.books.address.root}.repl.want", item.payload, "not a standby's key")
            return
        self.books.streams.notice(_("The standby hub {name} was given the hall's keys.").format(name=grant.name))
        self.books.out.append(Share(want))

    # -- enrolment ----------------------------------------------------------------------------------------------------

    def device(self, item: FromDevice) -> None:
        """A word of a device that wants to come in."""
        subject = f"{self.books.address.root}.enrol.{item.device}.down"
        answer: Message | None = self._accepted.get(item.device)
        try:
            if answer is None and self._open is not None:
                if b'"nonce"' in item.payload:
                    answer = self._open.reveal(item.device, decode(item.payload, Reveal))
                else:
                    answer = self._open.hello(item.device, decode(item.payload, Hello))
        except WireError as error:
            self.books.set_aside(f"{self.books.address.root}.enrol.{item.device}.up", item.payload, str(error))
            return
        if answer is not None and TOKEN.match(item.device):
            self.books.say(subject, answer)

    def _enrol_open(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        role, name = str(d.get("role", "table")), str(d.get("name", ""))
        if not self._ca:
            raise Refused(_("This hall has no keys: write keys = true in the hub's settings and start it again."))
        if role not in _ENROLLED or not TOKEN.match(name):
            raise Refused(_("Say what it is and its name, such as table 12: a to z and 0 to 9, at most 16."))
        self.books.streams.done_with(_knocks())
        self._open = HubSide(
            self._ca, self.books.address, cast(Role, role), name, item.wall + OPEN_MS, str(d.get("by", "arbiter"))
        )
        self._opened_at = item.at
        self._accepted.clear()
        self._rekey()
        return {"role": role, "name": name, "until": self._open.until}

    def _enrol_waiting(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        """Who waits; never the codes: the arbiter reads them where they are shown."""
        if self._open is None:
            return {"open": False, "devices": []}
        devices = [{"serial": c.serial, "ready": bool(c.code)} for c in self._open.candidates.values()]
        return {"open": True, "role": self._open.role, "name": self._open.name, "devices": devices}

    def _enrol_refuse(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        """A device is turned away: it is told, and its number is not looked at again while this enrolment is open."""
        token = str(d.get("id", ""))
        candidate = self._open.candidates.pop(token, None) if self._open is not None else None
        if candidate is None:
            raise Refused(_("This device does not wait any more."))
        verdict = Verdict(ok=False, why=_("The arbiter has refused this device."))
        self._accepted[token] = verdict
        self.books.say(f"{self.books.address.root}.enrol.{token}.down", verdict)
        return {"serial": candidate.serial}

    def _enrol_accept(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        opened = self._open
        if opened is None:
            raise Refused(_("No enrolment is open."))
        candidate = opened.accept(str(d.get("code", "")))
        if candidate is None:
            if opened.closed:
                self._close(_("Enrolment of {name} was closed after three wrong codes.").format(name=opened.name))
                raise Refused(_("Three wrong codes: the enrolment is closed. Open it again, and look who is near."))
            raise Refused(_("No device shows this code: read it again on its screen."))
        by = str(d.get("by", "arbiter"))
        event = KeyEvent(item.wall, "granted", candidate.public, opened.role, opened.name, by, candidate.serial)
        old = self.keyring.holders(opened.role, opened.name) if d.get("replace") else ()
        self._open = None
        self._told_until = item.at + TOLD_MS
        gone = (self._revocation(grant, item.wall, by, _("replaced at once")) for grant in old)
        self._record(*gone, event)
        token = candidate.public[:16].lower()
        self._accepted[token] = Verdict(ok=True, role=event.role, name=event.name)
        self.books.say(f"{self.books.address.root}.enrol.{token}.down", self._accepted[token])
        return {"role": event.role, "name": event.name, "public": event.public, "serial": candidate.serial}

    def _enrol_close(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        if self._open is not None:
            self._open = None
            self._rekey()
        return {}

    def _close(self, sentence: str) -> None:
        self._open = None
        self.books.streams.notice(sentence)
        self._rekey()

    # -- keys ---------------------------------------------------------------------------------------------------------

    def _keys(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        grants = sorted(self.keyring.grants.values(), key=lambda g: (g.role, g.name))
        return [{"role": g.role, "name": g.name, "public": g.public, "since": g.at, "until": g.until} for g in grants]

    def _key_grant(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        """A key that came by another way than enrolment: the arbiter vouches for it."""
        role, name, public = str(d.get("role", "")), str(d.get("name", "")), str(d.get("public", ""))
        if role not in _ENROLLED or not TOKEN.match(name) or not is_public(public):
            raise Refused(_("A grant needs a role, a name and a public key that begins with U."))
        event = KeyEvent(item.wall, "granted", public, cast(Role, role), name, str(d.get("by", "arbiter")))
        self._record(event)
        return {"role": role, "name": name}

    def _key_rotate(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        """A holder gets a new key, by its code as at the first time; the old one stays good for a minute."""
        role, name = str(d.get("role", "table")), str(d.get("name", ""))
        if role in _ENROLLED and not self.keyring.holders(cast(Role, role), name):
            raise Refused(_("There is no key of {role} {name}: open an enrolment.").format(role=role, name=name))
        return self._enrol_open(d, item)

    def _key_revoke(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        role, name, public = str(d.get("role", "")), str(d.get("name", "")), str(d.get("public", ""))
        grants = [
            g
            for g in self.keyring.grants.values()
            if g.role != "hub" and (g.public == public or (not public and (g.role, g.name) == (role, name)))
        ]
        if not grants:
            raise Refused(_("There is no such key: hallkiosk enrol keys lists them."))
        by, why = str(d.get("by", "arbiter")), str(d.get("why", ""))
        self._record(*(self._revocation(grant, item.wall, by, why) for grant in grants))
        return {"revoked": len(grants)}

    @staticmethod
    def _revocation(grant: Grant, wall: int, by: str, why: str) -> KeyEvent:
        return KeyEvent(wall, "revoked", grant.public, grant.role, grant.name, by, why)

    def _record(self, *events: KeyEvent) -> None:
        self.books.log.append_keys(events)
        for event in events:
            self.keyring.fold(event)
        self._rekey()

    def _rekey(self) -> None:
        grants = list(self.keyring.grants.values())
        if self._open is not None or self._told_until:
            grants.append(Grant(EVERYBODY.public, "enrol", "everybody", 0))
        self.books.out.append(Rekey(users_file(grants, self.books.address)))

    def _say(self, desk: str, out: DeskOut) -> None:
        self.books.out.append(Send(self.books.address.desk(desk, "out"), encode(out)))

    def _health(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        tables = {
            name: {
                "online": table.presence.online(item.at),
                "serial": table.presence.serial,
                "offset_ms": table.offset,
                "epoch": table.epoch,
                "events": table.inbox.last if table.inbox is not None else 0,
            }
            for name, table in sorted(self.books.hall.tables.items())[:_MOST_TABLES]
        }
        counted = {key: count for key, count in self.books.counted.items() if isinstance(key, str)}
        return {"duplicates": 0, "set aside": 0, "conflicts": 0, "refused": 0, **counted, "tables": tables}

    def _office(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        counted = self.books.counted
        return OfficeView(
            keys=bool(self._ca),
            devices=devices(self.books.hall.tables, self.keyring.grants.values(), item.at),
            enrolment=enrolment(self._open),
            standby=self._standby.view,
            disk=self._disk,
            backlog=self._backlog(),
            duplicates=counted["duplicates"],
            set_aside=counted["set aside"],
            conflicts=counted["conflicts"],
            refused=counted["refused"],
            turned_away=tuple(self._turned_away),
        )


def _knocks() -> str:
    return _("A device waits to be let in: open the door for it on the page of the devices.")


def _tried(what: str) -> str:
    return {
        "write": _("Refused at {time}: {who} wanted to write on {subject} ({count} in all)."),
        "listen": _("Refused at {time}: {who} wanted to hear {subject} ({count} in all)."),
        "size": _("Refused at {time}: {who} sent what is too large for a message ({count} in all)."),
        "crowd": _("Refused at {time}: too many want to be enrolled at once ({count} in all)."),
        "key": _("Refused at {time}: {who} wanted to come in ({count} in all)."),
    }.get(what, _("Refused at {time}: {who} did not speak TLS, or has another CA ({count} in all)."))


_ANSWERS: Mapping[str, Callable[[Office, Mapping[str, Any], FromDesk], Any]] = {
    "health": Office._health,
    "keys": Office._keys,
    "key-grant": Office._key_grant,
    "key-revoke": Office._key_revoke,
    "enrol-open": Office._enrol_open,
    "enrol-waiting": Office._enrol_waiting,
    "enrol-accept": Office._enrol_accept,
    "enrol-close": Office._enrol_close,
    "enrol-refuse": Office._enrol_refuse,
    "key-rotate": Office._key_rotate,
    "office": Office._office,
    "files": Office._files,
}
