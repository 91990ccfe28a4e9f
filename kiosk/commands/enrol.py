"""`hallkiosk enrol`: who may speak in a hall with keys."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from gettext import gettext as _
from pathlib import Path
from typing import Any

from hallnet.errors import HallnetError
from hallnet.wire import Address, WireError
from kiosk.commands.arguments import Subparsers, fail

ROLES = ("table", "desk", "wall", "standby", "feed")


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    enrol = commands.add_parser(
        "enrol",
        help=_("let devices into a hall with keys"),
        description=_(
            "On the hub's machine: open NAME lets one device in, keys lists who may speak, revoke NAME ends it. "
            "On the device: device shows a code, which the arbiter types at the hub."
        ),
    )
    acts = enrol.add_subparsers(dest="act", required=True, metavar=_("ACT"))
    opened = acts.add_parser("open", help=_("at the hub: wait for a device, and type the code it shows"))
    opened.add_argument("role", choices=ROLES)
    opened.add_argument("name", help=_("such as 12"))
    opened.add_argument("--replace", action="store_true", help=_("the key it had until now ends at once"))
    revoke = acts.add_parser("revoke", help=_("at the hub: a key is let in no more"))
    revoke.add_argument("role", choices=ROLES)
    revoke.add_argument("name")
    revoke.add_argument("--why", default="")
    listing = acts.add_parser("keys", help=_("at the hub: who may speak"))
    listing.add_argument("--json", action="store_true", help=_("as JSON"))
    for parser in (opened, revoke, listing):
        parser.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("the hub's settings"))
        parser.set_defaults(run=run_at_hub)
    device = acts.add_parser("device", help=_("at the device: ask to be let in"))
    device.add_argument("--hub", default="", help=_("the hub's address, host:port (looked for by itself if left out)"))
    device.add_argument("--event", default="event", help=_("the event's id, as in the hub's settings"))
    device.add_argument("--hall", default="hall", help=_("the hall's id, as in the hub's settings"))
    device.add_argument("--data", type=Path, default=Path("keys"), help=_("folder for the key (default: keys)"))
    device.add_argument("--ca", type=Path, help=_("the hall's certificate, if this card already has it"))
    device.set_defaults(run=run_at_device)


def run_at_hub(arguments: argparse.Namespace) -> int:
    """One act of the arbiter on the hub's machine."""
    from kiosk.hub import config

    try:
        settings = config.load(arguments.config)
        return asyncio.run(_at_hub(settings, arguments))
    except (config.ConfigError, HallnetError, WireError, ValueError) as error:
        return fail(error)


async def _at_hub(settings: Any, arguments: argparse.Namespace) -> int:
    from hallnet.desk_client import DeskClient
    from hallnet.transport_nats import NatsTransport
    from kiosk.hub.security import LOCAL_DESK
    from kiosk.running import hub_credentials

    path = settings.data / "hub.json"
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(_("{path} is not there: start the hub first.").format(path=path)) from None
    transport = NatsTransport([f"nats://127.0.0.1:{info['port']}"], LOCAL_DESK, hub_credentials(settings.data))
    desk = DeskClient(transport, Address(settings.event, settings.hall), LOCAL_DESK)
    await desk.start()
    try:
        return await _ACTS[arguments.act](desk, arguments)
    finally:
        await desk.close()


async def _open(desk: Any, arguments: argparse.Namespace) -> int:
    opened = await desk.intend("enrol-open", role=arguments.role, name=arguments.name)
    if not opened.ok:
        return fail(opened.why)
    print(_("Enrolment of {role} {name} is open for ten minutes. On the device: hallkiosk enrol device").format(
        role=arguments.role, name=arguments.name), flush=True)  # fmt: skip
    try:
        while True:
            print(_("The code on the device's screen (empty: close): "), end="", flush=True)
            code = (await asyncio.to_thread(sys.stdin.readline)).strip()
            if not code:
                await desk.intend("enrol-close")
                return 1
            answer = await desk.intend("enrol-accept", code=code, replace=arguments.replace)
            if answer.ok:
                print(_("{role} {name} is in: device {serial}.").format(**answer.d))
                return 0
            print(answer.why, flush=True)
            if not (await desk.intend("enrol-waiting")).d["open"]:
                return 1
    except asyncio.CancelledError:
        await desk.intend("enrol-close")
        raise


async def _revoke(desk: Any, arguments: argparse.Namespace) -> int:
    answer = await desk.intend("key-revoke", role=arguments.role, name=arguments.name, why=arguments.why)
    if not answer.ok:
        return fail(answer.why)
    print(_("The key of {role} {name} is let in no more.").format(role=arguments.role, name=arguments.name))
    return 0


async def _keys(desk: Any, arguments: argparse.Namespace) -> int:
    answer = await desk.intend("keys")
    if not answer.ok:
        return fail(answer.why)
    if arguments.json:
        print(json.dumps(answer.d))
        return 0
    for key in answer.d:
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(key["since"] / 1000))
        print(f"{key['role']:8} {key['name']:16} {since}  {key['public']}")
    return 0


_ACTS = {"open": _open, "revoke": _revoke, "keys": _keys}


def run_at_device(arguments: argparse.Namespace) -> int:
    """A device asks to be let in, and shows its code."""
    from hallnet import enrol_client
    from hallnet.discovery import find_hub

    def show(code: str) -> None:
        if not code:
            print(_("The hub has closed this enrolment; that code counts no longer."), flush=True)
            return
        print(_("Code: {code}   Tell it to the arbiter, who types it at the hub.").format(code=code), flush=True)

    try:
        address = Address(arguments.event, arguments.hall)
        hub = arguments.hub or find_hub(address)
        if not hub:
            return fail(_("No hub was found on this network: name it with --hub host:port."))
        servers = (f"nats://{hub}",)
        verdict = asyncio.run(enrol_client.enrol(servers, address, arguments.data, show, arguments.ca))
        if not verdict.ok:
            return fail(verdict.why)
        asyncio.run(enrol_client.prove(servers, arguments.data))
    except (HallnetError, WireError) as error:
        return fail(error)
    except TimeoutError:
        return fail(_("Nobody has accepted this device: ask the arbiter to open enrolment, then try again."))
    except OSError as error:
        return fail(_("{path} cannot be used: {error}").format(path=error.filename, error=error.strerror))
    key, ca = arguments.data.resolve() / "device.key", arguments.data.resolve() / "ca.pem"
    print(_("This device is {role} {name} now. Its settings need:").format(role=verdict.role, name=verdict.name))
    lines = {"hub": hub, "event": address.event, "hall": address.hall, "key": str(key), "ca": str(ca)}
    if verdict.role == "table":
        lines = {"table": verdict.name, **lines}
    for name, value in lines.items():
        print(f"{name} = {json.dumps(value)}")
    return 0
