"""A machine's way into the hall: find the hub, be let in once, write the settings, become the table or the standby.

A machine that was let in before does not wait for anybody: hub and network may come later. What happens is written down
for the screen, because whoever stands before it has no other place to look.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any, TypeVar

import msgspec

from hallnet.address import Address, WireError
from hallnet.errors import HallnetError
from kiosk import notify
from kiosk.provision import boards
from kiosk.provision.hall_file import AUTO, PORT, Hall, find, read, standby_toml, to_toml
from kiosk.provision.joining import Joining
from kiosk.provision.places import Places, write

log = logging.getLogger(__name__)

T = TypeVar("T")

AGAIN_S = 3.0
LOOK_S = 3.0
#: A hub that is not there yet is tried so often, and as long as an enrolment is waited for (s).
KNOCK_S = 1.0
PATIENCE_S = 600.0


class LetIn(msgspec.Struct, frozen=True):
    """Where and as what this machine was let in (`table`: its name); `hub` is where the hub was then."""

    table: str
    event: str
    hall: str
    hub: str


@dataclass(frozen=True, slots=True)
class World:
    """What joining does outside this program; tests put their own in its place."""

    look: Callable[[Address], Awaitable[str]]
    enrol: Callable[[str, Address, Callable[[str], None]], Awaitable[tuple[str, str]]]
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


def real_world(places: Places) -> World:
    """The network. What speaks with a hub is loaded when there is one: who was let in before needs none of it."""

    async def look(address: Address) -> str:
        from hallnet.discovery import find_hub

        return await asyncio.to_thread(find_hub, address, LOOK_S)

    async def enrol(hub: str, address: Address, show: Callable[[str], None]) -> tuple[str, str]:
        async with asyncio.timeout(PATIENCE_S):
            await _open(hub)
        from hallnet import enrol_client

        servers = (f"nats://{hub}",)
        verdict = await enrol_client.enrol(servers, address, places.keys, show)
        if not verdict.ok:
            return "", verdict.why
        if verdict.role != places.device:
            words = _("The arbiter has let this machine in as {role}, but it is a {own}.")
            return "", words.format(role=verdict.role, own=places.device)
        await enrol_client.prove(servers, places.keys)
        return verdict.name, ""

    return World(look, enrol)


async def _open(hub: str) -> None:
    """Until somebody takes connections at "host:port"."""
    host, _colon, port = hub.rpartition(":")
    while True:
        try:
            _reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            await asyncio.sleep(KNOCK_S)
            continue
        writer.close()
        return


async def join(places: Places, hall: Hall, world: World) -> str:
    """Until this table may speak in its hall; returns the text of its settings."""
    name, hubs = await be_in(places, hall, world)
    return settings(places, hall, name, hubs)


async def be_in(places: Places, hall: Hall, world: World) -> tuple[str, tuple[str, ...]]:
    """Until this machine may speak in its hall; the name it has there, and where the hubs are."""
    address = Address(hall.event, hall.hall)
    known = _known(places, hall)
    while known is None:
        known = await _be_let_in(places, hall, address, world)
        if known is None:
            await world.pause(AGAIN_S)
    hubs = hall.hubs
    if not hubs:
        found = await world.look(address)
        hubs = tuple(dict.fromkeys(place for place in (found, known.hub) if place))
        if found and found != known.hub:
            write(places.let_in, json.dumps(msgspec.to_builtins(msgspec.structs.replace(known, hub=found))))
    _follow_clock(places, hubs)
    return known.table, hubs


def _known(places: Places, hall: Hall) -> LetIn | None:
    """What is known from an earlier start, if it still fits the file: another event or number is another table."""
    try:
        known = msgspec.json.decode(places.let_in.read_bytes(), type=LetIn)
    except (OSError, msgspec.MsgspecError):
        return None
    keyed = (places.keys / "device.key").exists() and (places.keys / "ca.pem").exists()
    fits = (known.event, known.hall) == (hall.event, hall.hall) and hall.table in (
        "",
        known.table,
        _number(known.table),
    )
    return known if keyed and fits else None


async def _be_let_in(places: Places, hall: Hall, address: Address, world: World) -> LetIn | None:
    hub = hall.hubs[0] if hall.hubs else ""
    if not hub:
        _say(places, Joining("looking"))
        hub = await world.look(address)
        if not hub:
            return None
    _say(places, Joining("asking", hub))
    try:
        name, why = await world.enrol(
            hub, address, lambda code: _say(places, Joining("code", hub, code) if code else Joining("asking", hub))
        )
    except TimeoutError:
        name, why = "", _("Nobody has let this machine in. It asks again.")
    except (HallnetError, WireError) as error:
        name, why = "", str(error)
    if name and hall.table not in ("", name, _number(name)):
        why = _("hall.toml says table {own}, but the arbiter has let it in as table {name}.").format(
            own=hall.table, name=name
        )
        name = ""
    if not name:
        _say(places, Joining("refused", hub, why=why))
        return None
    known = LetIn(name, hall.event, hall.hall, hub)
    write(places.let_in, json.dumps(msgspec.to_builtins(known)))
    return known


def _number(name: str) -> int | str:
    return int(name) if name.isdigit() else name


def settings(places: Places, hall: Hall, table: str, hubs: tuple[str, ...]) -> str:
    """The table's settings (TOML)."""
    board = boards.choose(places.devices) if hall.devices.board == AUTO else hall.devices.board
    config = hall.devices.table_config(
        table=table,
        hub=", ".join(hubs) or f"127.0.0.1:{PORT}",
        key=str(places.keys / "device.key"),
        ca=str(places.keys / "ca.pem"),
        event=hall.event,
        hall=hall.hall,
        data=str(places.device_data),
        board=board,
        players=hall.players,
    )
    _say(places, Joining("in", config.hub, socket=str(config.socket)))
    return to_toml(msgspec.to_builtins(config))


def _say(places: Places, joining: Joining) -> None:
    write(places.joining, json.dumps(msgspec.to_builtins(joining), ensure_ascii=False))
    words = {"looking": "looking for the hub", "code": "waiting to be let in", "refused": joining.why}
    notify.notify(f"STATUS={words.get(joining.state, joining.state)}")


def _follow_clock(places: Places, hubs: tuple[str, ...]) -> None:
    """The hub gives the time; the file belongs to us, the daemon is told by a unit that watches it."""
    lines = []
    for hub in hubs:
        host = hub.rpartition(":")[0].strip("[]")
        try:
            lines.append(f"server {ipaddress.ip_address(host)} iburst\n")
        except ValueError:
            continue
    try:
        places.time_source.write_text("".join(lines), encoding="ascii")
    except OSError as error:
        log.info("this machine's clock follows no hub: %s", error)


async def _alive() -> None:
    heart = notify.Heart(("joining",))
    while True:
        heart.report("joining")
        await asyncio.sleep(notify.interval_s() / 2)


def become_table(places: Places) -> list[str]:
    """Joins the hall; the words of the command that is the table. Raises `SettingsError`, `HallnetError`, OSError."""
    hall = read(find(places.hall_files), places.state).hall
    places.device_data.mkdir(parents=True, exist_ok=True)
    write(places.table_toml, asyncio.run(_living(join(places, hall, real_world(places)))))
    write(places.table_start, json.dumps({"pid": os.getpid(), "board_chosen": hall.devices.board == AUTO}))
    return ["table", "--config", str(places.table_toml)]


def become_standby(places: Places) -> list[str]:
    """As `become_table`; the words of the command that is the standby, and the hub once it has taken over."""
    found = read(find(places.hall_files), places.state)
    places.device_data.mkdir(parents=True, exist_ok=True)
    _name, hubs = asyncio.run(_living(be_in(places, found.hall, real_world(places))))
    text = standby_toml(found.hub_toml, hubs, places.keys / "device.key", places.keys / "ca.pem")
    write(places.hub_toml, text)
    write(places.standby_start, json.dumps({"pid": os.getpid()}))
    _say(places, Joining("in", ", ".join(hubs)))
    return ["hub", "--standby", "--config", str(places.hub_toml)]


async def _living(joining: Coroutine[Any, Any, T]) -> T:
    beats = asyncio.create_task(_alive(), name="signs of life")
    try:
        return await joining
    finally:
        beats.cancel()
