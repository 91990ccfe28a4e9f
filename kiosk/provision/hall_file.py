"""`hall.toml`: what an organiser writes on a card, and the only thing he has to write.

    role = "table"            # or "hub", or "standby": a second hub that copies the first one
    event = "club26"          # the same id at hub and tables, and so is hall = "…" where a site has several
    table = 12                # may be left out: then the name counts under which the arbiter lets the table in
    hub = "192.168.50.1"      # may be left out where the network carries multicast: the hub is found
    time-zone = "Europe/Belgrade"
    language = "sr"

    [devices]                 # board = "auto" takes the board that is plugged in
    [screen]                  # touch = true: the panel is touched (an image made with TOUCH=yes)
    [network]                 # address, gateway, dns; left out: the network gives them (DHCP)
    [wifi]                    # name, password, country; left out: the cable
    [tournament]              # hub: name, entries, … as in hub.toml
    [regulations]             # hub: as in hub.toml

Everything is checked here, with file, line and remedy, before any of it is used.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Any

import msgspec

from hallnet.address import PLACE, TOKEN
from kiosk.provision.places import PLACES
from kiosk.settings import SettingsError, read_settings
from kiosk.table.config import PlayersConfig, TableConfig

PORT = 4222
AUTO = "auto"
ROLES = ("hub", "table", "standby")
#: Those that open a hall, and have a hub's settings.
HUBS = ("hub", "standby")
_ZONES = Path("/usr/share/zoneinfo")
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?(@[a-z]+)?\Z")
#: Where hub.toml has its own checks: section here → section there.
_HUB_SECTIONS = {"tournament": "", "regulations": "regulations"}
#: What the appliance decides itself.
_OWN = frozenset(("event", "hall", "data", "port", "host", "keys", "announce"))


class Network(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fixed address; without one the network's own server gives it."""

    address: str = ""
    gateway: str = ""
    dns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key, why in self._faults():
            raise ValueError(f"{key}: {why}")

    def _faults(self) -> Iterator[tuple[str, str]]:
        if self.address and ("/" not in self.address or not _fits(ipaddress.ip_interface, self.address)):
            yield "address", _('write the address with its network, such as "192.168.50.12/24"')
        if self.gateway and not _fits(ipaddress.ip_address, self.gateway):
            yield "gateway", _('write an address, such as "192.168.50.1"')
        if not all(_fits(ipaddress.ip_address, place) for place in self.dns):
            yield "dns", _('write a list of addresses, such as ["192.168.50.1"]')
        if not self.address and (self.gateway or self.dns):
            yield "address", _("gateway and dns need an address of this machine too")


class Wifi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hall's wireless network."""

    name: str
    password: str = ""
    country: str = ""

    def __post_init__(self) -> None:
        for key, why in self._faults():
            raise ValueError(f"{key}: {why}")

    def _faults(self) -> Iterator[tuple[str, str]]:
        if not 1 <= len(self.name.encode()) <= 32 or not self.name.isprintable():
            yield "name", _("write the name of the network, 1 to 32 letters and signs")
        if self.password and not re.fullmatch(r"[ -~]{8,63}", self.password):
            yield "password", _("a Wi-Fi password has 8 to 63 letters, digits and signs without accents")
        if not re.fullmatch(r"[A-Z]{2}", self.country):
            yield "country", _('write the two letters of the country, such as "RS": radio rules depend on it')


class Devices(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What is on the table, in the words of a table's settings; board "auto" is the one that is plugged in."""

    board: str = AUTO
    clock: str = "plungers"
    display: str = ""
    lamps: str = ""
    buzzer: str = ""
    arbiter_key: str = ""
    rotated: bool | str = "auto"
    dead_squares: tuple[str, ...] = ()
    sounds: bool = False
    speed: float = 1.0

    def __post_init__(self) -> None:
        try:
            self.table_config(table="1", board="simulated" if self.board == AUTO else self.board)
        except ValueError as error:
            key, _colon, why = str(error).partition(":")
            raise ValueError(f"{key.replace('_', '-')}:{why}") from None

    def table_config(self, **changes: Any) -> TableConfig:
        """Settings of a table with these devices. Raises ValueError, "key: why"."""
        return TableConfig(**{**msgspec.structs.asdict(self), **changes})


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the face is shown: on the first terminal, or with `touch` in a terminal that fingers can use."""

    touch: bool = False


class Hall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The file's content. `table` is "" where the arbiter names the table when he lets it in."""

    role: str
    event: str = "event"
    hall: str = "hall"
    table: int | str = ""
    hub: str = ""
    standby: str = ""
    time_zone: str = ""
    language: str = ""
    devices: Devices = Devices()
    players: PlayersConfig | None = None
    screen: Screen = Screen()
    network: Network = Network()
    wifi: Wifi | None = None
    tournament: dict[str, Any] = {}
    regulations: dict[str, Any] = {}

    def __post_init__(self) -> None:
        for key, why in self._faults():
            raise ValueError(f"{key}: {why}")

    def _faults(self) -> Iterator[tuple[str, str]]:
        if self.role not in ROLES:
            yield "role", _('"{value}" is not known, write "hub", "table" or "standby"').format(value=self.role)
        for key, value in (("event", self.event), ("hall", self.hall), ("table", str(self.table) or "1")):
            if not TOKEN.match(value):
                yield key, _('"{value}" is no id, use 1 to 16 of a-z and 0-9').format(value=value)
        for key, value in (("hub", self.hub), ("standby", self.standby)):
            if value and not PLACE.match(_with_port(value)):
                yield key, _('"{value}" is no address, write one such as "192.168.50.1"').format(value=value)
        if self.standby and not self.hub:
            yield "standby", _("name the hub too")
        if self.time_zone and not (_ZONE.match(self.time_zone) and (_ZONES / self.time_zone).is_file()):
            yield (
                "time-zone",
                _('"{value}" is not known, write one such as "Europe/Belgrade"').format(value=self.time_zone),
            )
        if self.language and not _LANGUAGE.match(self.language):
            yield "language", _('"{value}" is not known, write one such as "sr" or "de_AT"').format(value=self.language)
        if self.role in HUBS:
            yield from self._not_a_hub()

    def _not_a_hub(self) -> Iterator[tuple[str, str]]:
        own_hub = self.hub if self.role == "hub" else ""
        for key, value in (("table", self.table), ("hub", own_hub), ("standby", self.standby)):
            if value != "":
                yield key, _("a hub has none: leave it out")
        if self.players is not None:
            yield "players", _("a hub has none: leave it out")
        for key in _OWN & self.tournament.keys():
            where = _("write it above all sections") if key in ("event", "hall") else _("leave it out")
            yield "tournament", _("{key} is decided for an appliance: {where}").format(key=key, where=where)

    @property
    def host_name(self) -> str:
        """How this machine is called on the network."""
        if self.role in HUBS:
            return f"hall-{self.role}-{self.hall}" if self.hall != "hall" else f"hall-{self.role}"
        return f"hall-table-{self.table}" if self.table != "" else "hall-table"

    @property
    def hubs(self) -> tuple[str, ...]:
        """Where the hub is by this file, host:port, the standby last; empty if it is to be looked for."""
        return tuple(_with_port(place) for place in (self.hub, self.standby) if place)


@dataclass(frozen=True, slots=True)
class Found:
    """A hall.toml that was read: where it is, what it says, and the settings that a hub takes from it (TOML).

    A standby's lack where the hub is and this machine's key: `standby_toml` adds them.
    """

    path: Path
    hall: Hall
    hub_toml: str


def find(places: tuple[Path, ...] = PLACES) -> Path:
    """The file that counts. Raises `SettingsError` when there is none, with where to put one."""
    for path in places:
        # A place that exists but cannot be read is the one that counts: what is wrong with it is said when it is read.
        if path.is_file() or path.is_symlink():
            return path
    raise SettingsError(
        _('There is no hall.toml. Write one with role = "table" or role = "hub" to {places}.').format(
            places=_(" or ").join(map(str, places))
        )
    )


def wished_language(places: tuple[Path, ...] = PLACES) -> str:
    """The language that the file asks for, also one that is wrong elsewhere or no TOML: so it is told what is wrong.

    "" if there is none, or it cannot be made out.
    """
    try:
        text = find(places).read_text(encoding="utf-8", errors="replace")
    except (SettingsError, OSError):
        return ""
    said = re.search(r"""(?m)^[ \t]*language[ \t]*=[ \t]*["']([^"'\n]*)["']""", text)
    return said[1] if said and _LANGUAGE.match(said[1]) else ""


def read(path: Path, data: Path = Path("/var/lib/hallkiosk")) -> Found:
    """The file at `path`, checked; `data` is where this machine keeps its state. Raises `SettingsError`."""
    hall = read_settings(path, Hall)
    if hall.role not in HUBS:
        return Found(path, hall, "")
    # Only here: it brings the pairing engines along, and a table's start is waited for.
    from kiosk.hub import config as hub_config

    text = path.read_text(encoding="utf-8")
    for section in _HUB_SECTIONS:
        try:
            hub_config.parse(_only(text, section), str(path))
        except hub_config.ConfigError as error:
            raise SettingsError(str(error)) from None
    return Found(path, hall, _hub_toml(hall, path.resolve().parent, data))


def standby_toml(hub_toml: str, hubs: tuple[str, ...], key: Path, ca: Path) -> str:
    """The settings of a standby: a hub's, with the hub whose log it copies and how it is let in there."""
    return to_toml({"primary": ", ".join(hubs), "key": str(key), "ca": str(ca), **tomllib.loads(hub_toml)})


def _hub_toml(hall: Hall, folder: Path, data: Path) -> str:
    own = {
        "event": hall.event,
        "hall": hall.hall,
        "data": str(data / "hub"),
        "host": "0.0.0.0",
        "port": PORT,
        "keys": True,
        "announce": True,
    }
    tournament = dict(hall.tournament)
    if "entries" in tournament:
        tournament["entries"] = str(folder / tournament["entries"])
    return to_toml({**tournament, **own, "regulations": hall.regulations})


def _only(text: str, section: str) -> str:
    """The lines of one section on their own lines, everything else blank: so a complaint names the right line.

    Only known names are heads: a line of a list may look like one.
    """
    known = {field.encode_name for field in msgspec.structs.fields(Hall)}
    here, lines = "", []
    for line in text.splitlines():
        head = re.match(r"\s*\[\s*([a-z-]+)\s*\]\s*(#.*)?$", line)
        if head and head[1] in known:
            here = head[1]
            lines.append(line if here == section == _HUB_SECTIONS[section] else "")
        else:
            lines.append(line if here == section else "")
    return "\n".join(lines)


def to_toml(values: dict[str, Any]) -> str:
    """TOML text of plain values, lists of them, and sections one level deep."""
    sections = {key: value for key, value in values.items() if isinstance(value, dict)}
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if key not in sections and value is not None]
    for name, section in sections.items():
        lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in section.items() if value is not None)]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    # JSON's texts, numbers, truth values and lists are written as TOML's, but for one sign that TOML wants escaped.
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")


def _with_port(place: str) -> str:
    return place if re.search(r":\d+\Z", place) else f"{place}:{PORT}"


def _fits(kind: Any, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
