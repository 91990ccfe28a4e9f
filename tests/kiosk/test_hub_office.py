"""The hub's own desk: the page of devices, enrolment step by step, keys that are replaced and revoked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hallnet import wire
from hallnet.enrol import OPEN_MS, DeviceSide, Hello, Offer, Reveal, Revealed, Verdict, device_token
from hallnet.hall_log import HallLog
from hallnet.key_share import Wanter
from hallnet.keyring import KeyEvent
from hallnet.keys import Key
from hallnet.views import DiskView, OfficeView
from kiosk.hub.core import HubCore
from kiosk.hub.inputs import DiskSeen, FromDesk, FromDevice, FromStandby, FromTable, Output, Rekey, Send, Share, Tick
from tests.kiosk.hub_hall import ADDRESS, REGULATIONS, entries

WALL = 1_780_000_000_000


class Office:
    """A hub with keys, a desk, and devices that want to come in."""

    def __init__(self, folder: Path, keyed: bool = True) -> None:
        from hallnet import ca

        ca.ensure(folder / "keys", "hall", WALL)
        log = HallLog.open(folder / "hall.db")
        log.append_keys([KeyEvent(WALL, "granted", Key.make().public, "desk", "desk1", "hub")])
        text = (folder / "keys" / "ca.pem").read_text(encoding="ascii") if keyed else ""
        self.core = HubCore(log, ADDRESS, boot="b", ca=text)
        self.core.open(WALL, REGULATIONS, entries(4))
        self.now, self.wall, self.count = 1_000, WALL, 0

    def step(self, item: Any) -> list[Output]:
        """One step of the hub."""
        return self.core.step([item])

    def ask(self, kind: str, desk: str = "desk1", **d: Any) -> wire.DeskOut:
        """An intent of a desk and its answer."""
        self.count += 1
        intent = wire.encode(wire.DeskIn(id=f"i{self.count}", kind=kind, d=d))
        outputs = self.step(FromDesk(desk, intent, self.now, self.wall))
        (answer,) = [o.payload for o in outputs if isinstance(o, Send) and o.subject == ADDRESS.desk(desk, "out")]
        self.rekeyed = any(isinstance(o, Rekey) for o in outputs)
        self.outputs = outputs
        return wire.decode(answer, wire.DeskOut)

    def must(self, kind: str, **d: Any) -> Any:
        """An intent that is carried out."""
        answer = self.ask(kind, **d)
        assert answer.ok, answer.why
        return answer.d

    def page(self) -> OfficeView:
        """The page."""
        return msgspec.convert(self.must("office"), OfficeView)

    def device(self, key: Key, message: wire.Message) -> bytes | None:
        """A word of a device, and what it hears."""
        token = device_token(key.public)
        outputs = self.step(FromDevice(token, wire.encode(message), self.now, self.wall))
        down = f"{ADDRESS.root}.enrol.{token}.down"
        return next((o.payload for o in outputs if isinstance(o, Send) and o.subject == down), None)

    def comes(self, serial: str) -> DeviceSide:
        """A device goes as far as its code."""
        side = DeviceSide(Key.make(), serial)
        offer = self.device(side.key, side.hello())
        assert offer is not None
        reveal = side.offered(wire.decode(offer, Offer))
        assert isinstance(reveal, Reveal)
        answer = self.device(side.key, reveal)
        assert answer is not None
        side.revealed(wire.decode(answer, Revealed))
        assert side.code
        return side

    def heard(self, key: Key) -> list[Verdict]:
        """The verdicts among what was just said."""
        down = f"{ADDRESS.root}.enrol.{device_token(key.public)}.down"
        return [wire.decode(o.payload, Verdict) for o in self.outputs if isinstance(o, Send) and o.subject == down]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """A hall with keys."""
    return Office(tmp_path)


def test_a_device_is_seen_waiting_and_comes_in_by_its_code(office: Office) -> None:
    opened = office.must("enrol-open", role="table", name="12", by="Ada")
    assert opened["until"] == WALL + OPEN_MS
    assert office.rekeyed, "the door's key is let in from now on"
    side = office.comes("pi-12")
    page = office.page().enrolment
    assert page is not None
    assert (page.role, page.name, page.tries, page.by) == ("table", "12", 3, "Ada")
    assert [(w.serial, w.ready) for w in page.devices] == [("pi-12", True)]
    assert side.code not in str(office.must("office")), "the code is compared by a person, it is never sent"
    assert not office.ask("enrol-accept", code="AAAAAA").ok
    page = office.page().enrolment
    assert page is not None
    assert page.tries == 2
    assert office.must("enrol-accept", code=side.code.lower())["serial"] == "pi-12"
    assert [v.ok for v in office.heard(side.key)] == [True]
    row = next(d for d in office.page().devices if d.role == "table")
    assert (row.name, row.key, row.state, row.since) == ("12", side.key.public, "never", WALL)
    assert office.page().enrolment is None


def test_a_refused_device_is_told_and_the_others_still_wait(office: Office) -> None:
    office.must("enrol-open", role="table", name="12")
    phone, board = office.comes("a phone"), office.comes("pi-12")
    page = office.page().enrolment
    assert page is not None
    wanted = next(w.id for w in page.devices if w.serial == "a phone")
    assert office.must("enrol-refuse", id=wanted) == {"serial": "a phone"}
    assert [(v.ok, "refused" in v.why) for v in office.heard(phone.key)] == [(False, True)]
    again = office.device(phone.key, Hello(public=phone.key.public, commit="00", serial="x"))
    assert again is not None
    assert not wire.decode(again, Verdict).ok, "it may ask as often as it likes"
    assert not office.ask("enrol-refuse", id=wanted).ok
    assert not office.ask("enrol-accept", code=phone.code).ok, "its code is nobody's now"
    assert office.ask("enrol-accept", code=board.code).ok


def test_three_wrong_codes_or_ten_minutes_close_the_door(office: Office) -> None:
    office.must("enrol-open", role="desk", name="deputy")
    for n in range(3):
        answer = office.ask("enrol-accept", code=f"WRONG{n}")
        assert not answer.ok
    assert "closed" in answer.why
    assert office.page().enrolment is None
    office.must("enrol-open", role="desk", name="deputy")
    office.wall -= 3 * 3_600_000  # somebody sets the clock right in between
    office.now += OPEN_MS
    office.step(Tick(office.now, office.wall))
    assert office.page().enrolment is None
    assert not office.ask("enrol-accept", code="AAAAAA").ok


def test_a_key_is_rotated_and_revoked(office: Office) -> None:
    assert not office.ask("key-rotate", role="table", name="12").ok, "there is none yet"
    old, office_keys = Key.make(), lambda: [d for d in office.page().devices if d.role == "table"]
    office.must("key-grant", role="table", name="12", public=old.public)
    office.must("key-rotate", role="table", name="12")
    side = office.comes("pi-12")
    office.must("enrol-accept", code=side.code)
    assert [bool(d.until) for d in office_keys()] == [True, False], "both are good for a minute"
    office.step(Tick(office.now, office.wall))
    office.wall -= 3 * 3_600_000
    office.now += 61_000
    office.step(Tick(office.now, office.wall))
    assert [d.key for d in office_keys()] == [side.key.public]
    office.must("key-revoke", role="table", name="12", why="lost")
    assert office_keys() == []


def test_the_page_tells_how_each_table_is(office: Office) -> None:
    office.must("key-grant", role="table", name="2", public=Key.make().public)
    ask = wire.Ask(boot="t", instance="dev", e=0, round=0, rev=0, last=0, acked=0, inc=0, n=1)
    office.step(FromTable("10", "ask", wire.encode(ask), office.now, WALL))
    beat = wire.Heartbeat(boot="t", instance="dev", conn=1, n=1, e=1, last=7, acked=3, round=0, rev=0, mono=5,
                          wall=WALL, serial="pi-10", offset=900)  # fmt: skip
    office.step(FromTable("10", "hb", wire.encode(beat), office.now, WALL))
    rival = msgspec.structs.replace(beat, boot="u", serial="pi-99", n=2)
    office.step(FromTable("10", "hb", wire.encode(rival), office.now, WALL))
    office.step(FromTable("10", "hb", wire.encode(msgspec.structs.replace(beat, n=2, mono=9)), office.now, WALL))
    two, ten, desk = office.page().devices
    assert (two.name, two.state) == ("2", "never")
    assert (ten.name, ten.state, ten.serial, ten.waiting, ten.offset_ms) == ("10", "online", "pi-10", 4, 900)
    assert ten.rival == "pi-99"
    assert (desk.role, desk.state) == ("desk", "unknown")
    office.now += 20_000
    late = office.page().devices[1]
    assert (late.state, late.silent_ms) == ("silent", 20_000)


def test_a_wall_may_look_at_the_page_and_do_nothing(office: Office) -> None:
    office.must("key-grant", role="wall", name="wall1", public=Key.make().public)
    assert office.ask("office", desk="wall1").ok
    for kind in ("enrol-open", "enrol-refuse", "key-rotate", "key-revoke"):
        answer = office.ask(kind, desk="wall1", role="table", name="1")
        assert not answer.ok
        assert "only look" in answer.why
    assert office.page().refused == 4


def test_a_hall_without_keys_says_what_is_missing(tmp_path: Path) -> None:
    office = Office(tmp_path, keyed=False)
    assert not office.page().keys
    assert "keys = true" in office.ask("enrol-open", role="table", name="1").why


def test_the_disk_is_on_the_page_and_its_trouble_is_told_once(office: Office) -> None:
    bad = DiskView(state="slow", free_mb=900, sync_ms=400, why="The hub's disk is slow.")
    for _n in range(3):
        office.step(DiskSeen(bad, office.now, WALL))
    assert office.page().disk == bad
    assert office.core.streams.notices.count("The hub's disk is slow.") == 1


def test_only_a_standby_whose_key_is_in_force_gets_the_halls_keys(office: Office) -> None:
    def shared(key: Key) -> bool:
        want = wire.encode(Wanter(key, ADDRESS).want)
        return any(isinstance(o, Share) for o in office.step(FromStandby(want, office.now, WALL, "want")))

    standby, table, stranger = Key.make(), Key.make(), Key.make()
    office.must("key-grant", role="standby", name="two", public=standby.public)
    office.must("key-grant", role="table", name="1", public=table.public)
    assert shared(standby)
    assert not shared(table)
    assert not shared(stranger)
    office.must("key-revoke", role="standby", name="two")
    assert not shared(standby)
