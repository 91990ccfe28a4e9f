"""The whole examination: of a table, of a hub, or of a machine that is neither yet."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path

from drivers.catalogue import BOARD_CLOCK, Named
from drivers.pins import stamps
from kiosk.doctor import board_clock, boards, hands, machine, network, parts, pins, storage
from kiosk.doctor.findings import Finding, passed, skipped
from kiosk.hub.config import HubConfig
from kiosk.running import halls
from kiosk.table.config import TableConfig

#: Told while something takes a moment.
Tell = Callable[[str], None]


def examine_table(config: TableConfig, tell: Tell, ask: Tell | None = None) -> list[Finding]:
    """Everything that a table stands on. `ask` tells a person what to do at the parts, if one is there."""
    owner = storage.lock_owner(config.lock)
    found = [*_running(owner, _("table {table}").format(table=config.table))]
    if owner is None:
        tell(_("trying the parts"))
        found += [_try_part(config, named) for named in config.devices]
        if ask is not None:
            for named in config.devices:
                found += hands.try_by_hand(named, ask)
        stamps.give_back_pins()
    else:
        found += [
            skipped("table", named.part, _("{part}: in use by the running table").format(part=parts.label(named)))
            for named in config.devices
        ]
    wanted = {pin: named.part for named in config.devices for pin in named.pins}
    needs = {bus for named in config.devices if not named.simulated for bus in pins.BUSES.get(named.kind, ())}
    configured = [named.address for named in config.devices if named.part == "board" and named.address[:1] == "/"]
    found += _plugged(configured, tell)
    found += pins.check_header(pins.look_at_header(), wanted, frozenset(needs))
    found += _machine()
    found += _disk(Path(config.data), config.database)
    if config.key:
        found.append(storage.check_key(storage.look_at_key(Path(config.key).expanduser())))
        found.append(_certificate(Path(config.ca).expanduser()))
    else:
        found.append(skipped("keys", "key", _("This table has no key: good only in a hall without keys.")))
    tell(_("looking for the hub"))
    places = [place.strip() for place in config.hub.split(",") if place.strip()]
    found += network.check_hub([network.look_at_hub(place) for place in places], bool(config.key))
    return [*found, *_program()]


def examine_hub(config: HubConfig, tell: Tell) -> list[Finding]:
    """Everything that a hub stands on."""
    owner = storage.lock_owner(config.data / "hall.lock")
    found = [*_running(owner, _("the hub"))]
    found += _machine()
    tell(_("writing to the disk"))
    found += _disk(config.data, config.data / "hall.db")
    folder = config.data / "keys"
    if not config.keys:
        found.append(skipped("keys", "key", _("This hall has no keys: good only on this machine alone.")))
    elif not folder.exists():
        found.append(skipped("keys", "key", _("The keys are made at the first start.")))
    else:
        pem = ("ca.key", "server.key")
        found += [
            storage.check_key(storage.look_at_key(path, path.name in pem)) for path in sorted(folder.glob("*.key"))
        ]
        found += [_certificate(path) for path in sorted(folder.glob("*.pem"))]
    if owner is None:
        found.append(skipped("hub", "reach", _("The hub does not run now.")))
    elif config.port:
        tell(_("looking for the hub"))
        seen = network.look_at_hub(f"{config.host}:{config.port}")
        found += network.check_hub([seen], config.keys)
    return [*found, *_program()]


def examine_machine(tell: Tell) -> list[Finding]:
    """A machine without a file: what is plugged in, and what could be written."""
    found = _plugged([], tell)
    found += pins.check_header(pins.look_at_header(), {})
    found += _machine()
    found += [
        passed("hub", f"running.{hall.pid}",
               _("A hall runs here: process {pid}, {folder}").format(pid=hall.pid, folder=hall.data))
        for hall in halls()
    ]  # fmt: skip
    return [*found, *_program()]


def _try_part(config: TableConfig, named: Named) -> Finding:
    """A part alone; the clock on a board together with that."""
    board = config.device("board")
    if named.kind != BOARD_CLOCK or board is None:
        return parts.try_part(named, config.sounds)
    return board_clock.check_board_clock(named, board_clock.try_board_clock(board, named))


def _running(owner: int | None, who: str) -> list[Finding]:
    if owner is None:
        return []
    return [passed("table", "running", _("{who} runs (process {pid})").format(who=who.capitalize(), pid=owner or "?"))]


def _plugged(configured: list[str], tell: Tell) -> list[Finding]:
    ports = [port for port in boards.serial_ports() if not any(_same(port, other) for other in configured)]
    hid = [port for port in boards.hid_boards() if not any(_same(port, other) for other in configured)]
    for port in ports:
        tell(_("asking who is at {port}").format(port=port))
    found = boards.check_plugged(boards.look_at_ports(ports, hid), any(Path(port).exists() for port in configured))
    return found + boards.check_modem_manager(*boards.modem_manager(), [*ports, *configured])


def _same(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _machine() -> list[Finding]:
    return [
        *machine.check_body(machine.look_at_body()),
        *machine.check_time(machine.look_at_time()),
    ]


def _program() -> list[Finding]:
    return [
        *machine.check_program(machine.look_at_program()),
        *machine.check_terminal(machine.look_at_terminal()),
    ]


def _disk(folder: Path, log: Path) -> list[Finding]:
    return [*storage.check_folder(storage.look_at_folder(folder)), storage.check_log(storage.look_at_log(log))]


def _certificate(path: Path) -> Finding:
    return storage.check_certificate(storage.look_at_certificate(path), datetime.datetime.now(datetime.UTC))
