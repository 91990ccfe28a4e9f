"""The hub's own page for desks: devices and their keys, the open enrolment, the standby, the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from hallnet.enrol import WRONG_TRIES, HubSide
from hallnet.keyring import ROLES, Grant
from hallnet.views import DeviceView, EnrolmentView, WaitingView
from kiosk.hub.tables import Table, table_order

#: Devices on one page, for the size of a message.
MOST_DEVICES = 2_000
_ORDER: Mapping[str, int] = {role: n for n, role in enumerate(("table", "desk", "wall", "standby", "feed", "hub"))}


def devices(tables: Mapping[str, Table], grants: Iterable[Grant], now: int) -> tuple[DeviceView, ...]:
    """Every table that has come and every key that is let in, as of hub time `now` (ms); a holder of two keys twice."""
    views: list[DeviceView] = []
    keyed: set[str] = set()
    for grant in grants:
        table = tables.get(grant.name) if grant.role == "table" else None
        if grant.role == "table":
            keyed.add(grant.name)
        views.append(_device(grant.role, grant.name, table, now, grant))
    views += [_device("table", name, table, now) for name, table in tables.items() if name not in keyed and table.epoch]
    views.sort(key=lambda view: (_ORDER.get(view.role, len(ROLES)), table_order(view.name), view.since))
    return tuple(views[:MOST_DEVICES])


def _device(role: str, name: str, table: Table | None, now: int, grant: Grant | None = None) -> DeviceView:
    key, since, until = (grant.public, grant.at, grant.until or 0) if grant is not None else ("", 0, 0)
    state: Literal["online", "silent", "never", "unknown"]
    if table is None:
        state = "never" if role == "table" else "unknown"
        return DeviceView(role=role, name=name, state=state, key=key, since=since, until=until)
    presence = table.presence
    state = "online" if presence.online(now) else "silent" if presence.heard is not None else "never"
    return DeviceView(
        role=role,
        name=name,
        state=state,
        serial=presence.serial,
        silent_ms=presence.silent_ms(now) if presence.heard is not None else 0,
        key=key,
        since=since,
        until=until,
        offset_ms=table.offset,
        epoch=table.epoch,
        events=table.inbox.last if table.inbox is not None else 0,
        waiting=presence.waiting,
        rival=(presence.rival_serial or presence.rival[:8]) if presence.doubled else "",
    )


def enrolment(opened: HubSide | None) -> EnrolmentView | None:
    """Who waits to come in; never the codes: the arbiter reads them where they are shown."""
    if opened is None:
        return None
    return EnrolmentView(
        role=opened.role,
        name=opened.name,
        until=opened.until,
        tries=max(0, WRONG_TRIES - opened.wrong),
        by=opened.by,
        devices=tuple(
            WaitingView(id=token, serial=candidate.serial, ready=bool(candidate.code))
            for token, candidate in opened.candidates.items()
        ),
    )
