"""What our udev rules make of the boards that are sold: their names, who may open them, and whom they wake.

The rules are read here as udev reads them, as far as ours go (udev(7)): keys of one line must all fit, those with an S
at the end fit one and the same ancestor, `GOTO` skips. `udevadm verify` and a virtual machine see the rest.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from tests.systemd.root import REPOSITORY

RULES = REPOSITORY / "systemd/common/usr/lib/udev/rules.d/70-hallkiosk.rules"
_KEY = re.compile(r'([A-Z]+)(?:\{([^}]*)\})?(==|!=|\+=|=)"([^"]*)"')


@dataclass(frozen=True)
class Ancestor:
    """A device above ours: its name in the kernel, and the files that it has in sysfs."""

    name: str
    subsystem: str
    attributes: Mapping[str, str]


@dataclass
class Event:
    """A device that comes, and what the rules have made of it."""

    subsystem: str
    kernel: str
    env: dict[str, str]
    ancestors: Sequence[Ancestor] = ()
    files: frozenset[str] = frozenset()
    links: list[str] = field(default_factory=list)
    group: str = ""
    mode: str = ""
    tags: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    #: What udev has kept of an earlier event of this device.
    database: Mapping[str, str] = field(default_factory=dict)

    def value(self, key: str, argument: str) -> str:
        """What a key of a rule is compared with."""
        own = {"ACTION": "add", "SUBSYSTEM": self.subsystem, "KERNEL": self.kernel}
        return self.env.get(argument, "") if key == "ENV" else own[key]


def fits(value: str, pattern: str) -> bool:
    """udev's patterns: shell's, with alternatives."""
    return any(fnmatch.fnmatchcase(value, part) for part in pattern.split("|"))


def keys(line: str) -> list[tuple[str, str, str, str]]:
    """One line as (key, argument, operator, value); nothing of it is left over."""
    assert re.sub(r"[\s,]", "", _KEY.sub("", line)) == "", line
    return [(found[1], found[2] or "", found[3], found[4]) for found in _KEY.finditer(line)]


def play(event: Event) -> Event:
    """The rules on one event."""
    skip = ""
    for line in RULES.read_text("ascii").splitlines():
        if not line or line.startswith("#"):
            continue
        parts = keys(line)
        if skip:
            skip = "" if ("LABEL", "", "=", skip) in parts else skip
        elif (matched := _match(event, parts)) is not None:
            skip = _act(event, parts, matched)
    assert not skip
    return event


def _match(event: Event, parts: list[tuple[str, str, str, str]]) -> str | None:
    """The name of the ancestor that the line speaks of ("" for none), or None if it does not fit."""
    above = [part for part in parts if part[0] in ("SUBSYSTEMS", "ATTRS", "KERNELS")]
    for key, argument, operator, wanted in parts:
        if (key, argument, operator, wanted) in above or operator not in ("==", "!="):
            continue
        if key == "TEST":
            right = (_filled(event, wanted) in event.files) == (operator == "==")
        else:
            right = fits(event.value(key, argument), wanted) == (operator == "==")
        if not right:
            return None
    if not above:
        return ""
    for ancestor in event.ancestors:
        seen = {"SUBSYSTEMS": ancestor.subsystem, "KERNELS": ancestor.name}
        if all(
            fits(ancestor.attributes.get(argument, "") if key == "ATTRS" else seen[key], wanted)
            for key, argument, _operator, wanted in above
        ):
            return ancestor.name
    return None


def _filled(event: Event, text: str, ancestor: str = "") -> str:
    """A value with what stands for something else put in."""
    return re.sub(r"\$env\{(\w+)\}", lambda found: event.env.get(found[1], ""), text).replace("%b", ancestor)


def _act(event: Event, parts: list[tuple[str, str, str, str]], ancestor: str) -> str:
    """Does what the line says; where to go on, "" for the next line."""
    for key, argument, operator, text in parts:
        value = _filled(event, text, ancestor)
        match key, operator:
            case "ENV", "=":
                event.env[argument] = value
            case "ENV", "+=":
                event.env[argument] = f"{event.env.get(argument, '')} {value}".strip()
            case "SYMLINK", "+=":
                event.links.append(value)
            case "GROUP", "=":
                event.group = value
            case "MODE", "=":
                event.mode = value
            case "TAG", "+=":
                event.tags.append(value)
            case "IMPORT", "=" | "==" if argument == "db":
                event.env |= {value: event.database[value]} if value in event.database else {}
            case "IMPORT", "=" | "==":
                assert (argument, value) in (("builtin", "usb_id"), ("builtin", "input_id"))
            case "OPTIONS", "+=":
                event.options.append(value)
            case "GOTO", "=":
                return value
    return ""


APPLIANCE = frozenset({"/usr/lib/hallkiosk/appliance"})


def usb(name: str, vendor: str, product: str) -> tuple[Ancestor, ...]:
    """A USB device in a socket, between its interface and the hub above it."""
    return (
        Ancestor(f"{name}:1.0", "usb", {"bInterfaceNumber": "00"}),
        Ancestor(name, "usb", {"idVendor": vendor, "idProduct": product, "devpath": name.partition("-")[2]}),
        Ancestor("usb1", "usb", {"idVendor": "1d6b", "idProduct": "0002", "devpath": "0"}),
    )


def serial(socket: str, numbers: str, vendor: str, model: str, number: str = "", tty: str = "ttyACM0") -> Event:
    """A board behind a serial port, as udev's own rules leave it to ours."""
    vendor_id, _colon, model_id = numbers.partition(":")
    env = {"ID_VENDOR": vendor, "ID_MODEL": model, "ID_VENDOR_ID": vendor_id, "ID_MODEL_ID": model_id}
    if number:
        env["ID_SERIAL_SHORT"] = number
    return Event("tty", tty, env, usb(socket, vendor_id, model_id), APPLIANCE)


#: Board → its kind: what they tell about themselves.
SOLD = {
    "DGT by its maker": (serial("1-1.3", "04d8:0000", "Digital_Game_Technology", "Board"), "dgt"),
    "DGT by its numbers": (serial("1-1.3", "04d8:000a", "Microchip", "CDC_RS-232"), "dgt"),
    "DGT by its model": (serial("1-1.3", "0403:6001", "FTDI", "DGT_Projects"), "dgt"),
    "ChessLink by its maker": (serial("1-1.3", "0403:6001", "MILLENNIUM_2000", "x"), "chesslink"),
    "ChessLink by its model": (serial("1-1.3", "0403:6001", "FTDI", "ChessLink"), "chesslink"),
    "Certabo by its maker": (serial("1-1.3", "10c4:ea60", "Certabo", "x"), "certabo"),
    "Certabo's bare chip": (serial("1-1.3", "10c4:ea60", "Silicon_Labs", "CP2102"), "certabo"),
    "Sentio": (serial("1-1.3", "10c4:ea60", "Silicon_Labs", "Tabutronic_Sentio"), "sentio"),
}


@pytest.mark.parametrize("name", SOLD)
def test_a_board_gets_its_kinds_name_its_group_and_wakes_the_table(name: str) -> None:
    event, kind = SOLD[name]
    seen = play(event)
    assert f"hallkiosk-board-{kind}" in seen.links
    assert (seen.group, seen.mode) == ("hallio", "0660")
    assert seen.env["SYSTEMD_WANTS"] == f"hall-board@{kind}.service"
    assert "systemd" in seen.tags


@pytest.mark.parametrize("product", ["8000", "8100", "8500"])
def test_a_chessnut_is_known_by_its_numbers_behind_hidraw(product: str) -> None:
    event = play(Event("hidraw", "hidraw0", {}, usb("1-1.4", "2d80", product), APPLIANCE))
    assert event.links == ["hallkiosk-board-chessnut", "hallkiosk-board-chessnut-at-1-1.4"]


def test_what_is_no_board_is_left_alone() -> None:
    for event in (
        serial("1-1.2", "067b:2303", "Prolific", "USB-Serial"),
        Event("hidraw", "hidraw1", {}, usb("1-1.2", "046d", "8100")),
        Event("tty", "tty1", {}),
    ):
        assert play(event).links == []
    bare = serial("1-1.3", "10c4:ea60", "Silicon_Labs", "CP2102")
    bare.files = frozenset()
    assert play(bare).links == [], "on somebody's own machine such a chip may be anything"


@pytest.mark.parametrize(
    ("numbers", "apart"),
    [
        (("12345", "67890"), {"dgt-12345", "dgt-67890", "dgt-at-1-1.2", "dgt-at-1-1.3"}),
        (("12345", ""), {"dgt-12345", "dgt-at-1-1.2", "dgt-at-1-1.3"}),
        (("", ""), {"dgt-at-1-1.2", "dgt-at-1-1.3"}),
        (("0001", "0001"), {"dgt-at-1-1.2", "dgt-at-1-1.3"}),
    ],
)
def test_two_boards_of_a_kind_have_names_that_tell_them_apart(numbers: tuple[str, str], apart: set[str]) -> None:
    made = [
        play(serial(socket, "04d8:000a", "Digital_Game_Technology", "Board", number))
        for socket, number in zip(("1-1.2", "1-1.3"), numbers, strict=True)
    ]
    first, second = (set(event.links) for event in made)
    assert first & second == {"hallkiosk-board-dgt"}
    assert {link.removeprefix("hallkiosk-board-") for link in first ^ second} == apart


def test_the_kinds_name_stays_with_the_board_that_was_there_first() -> None:
    first = play(serial("1-1.3", "04d8:000a", "Digital_Game_Technology", "Board", "12345"))
    assert first.options == ["link_priority=10"]
    link = frozenset({"/dev/hallkiosk-board-dgt"})
    second = serial("1-1.2", "04d8:000a", "Digital_Game_Technology", "Board", "67890")
    second.files |= link
    assert play(second).options == []
    again = serial("1-1.3", "04d8:000a", "Digital_Game_Technology", "Board", "12345")
    again.files |= link
    again.database = first.env
    assert play(again).options == ["link_priority=10"], "its own name does not cost it the name"


def test_pins_and_buses_are_open_to_the_table() -> None:
    for subsystem, kernel in (("gpio", "gpiochip0"), ("i2c-dev", "i2c-1"), ("spidev", "spidev0.0")):
        assert play(Event(subsystem, kernel, {})).group == "hallio"
