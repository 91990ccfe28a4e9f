"""The doctor's judgement alone: what was seen → what is told, and what to do."""

from __future__ import annotations

import datetime
import json
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalogue import named
from drivers.pins.lines import SeenChip
from kiosk.doctor.boards import Plugged, check_plugged
from kiosk.doctor.findings import GROUPS, Finding
from kiosk.doctor.machine import (
    Body,
    Program,
    Terminal,
    TimeSource,
    check_body,
    check_program,
    check_terminal,
    check_time,
    fits,
)
from kiosk.doctor.network import HubSeen, check_hub
from kiosk.doctor.parts import BoardSeen, ContactsSeen, check_board, check_contacts
from kiosk.doctor.pins import DeviceFile, HeaderSeen, check_header
from kiosk.doctor.report import WIDTH, as_json, as_text
from kiosk.doctor.storage import CertificateSeen, FolderSeen, KeySeen, LogSeen
from kiosk.doctor.storage import check_certificate as certificate
from kiosk.doctor.storage import check_folder as folder
from kiosk.doctor.storage import check_key as key
from kiosk.doctor.storage import check_log as log

PI5 = SeenChip("/dev/gpiochip0", "pinctrl-rp1", 54)


def states(findings: list[Finding]) -> dict[str, str]:
    return {finding.name: finding.state for finding in findings}


def only(findings: list[Finding], name: str) -> Finding:
    (found,) = [finding for finding in findings if finding.name == name]
    return found


# -- the machine ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "state", "sentence"),
    [
        (0, "pass", "good since the start"),
        (0x50005, "fail", r"too low \(now\)"),
        (0x50000, "fail", r"too low \(since the start"),
        (None, "skip", "does not tell"),
    ],
)
def test_a_weak_supply_is_told_even_if_it_is_over(word: int | None, state: str, sentence: str) -> None:
    found = only(check_body(Body("Raspberry Pi 4", word, 50.0)), "power")
    assert found.state == state
    assert re.search(sentence, found.what)


def test_heat() -> None:
    assert states(check_body(Body("Raspberry Pi 5", 0, 84.0)))["temperature"] == "fail"
    assert states(check_body(Body("Raspberry Pi 5", 0, 48.2)))["temperature"] == "pass"
    assert states(check_body(Body("", None, None))) == {"model": "skip", "power": "skip", "temperature": "skip"}


def test_a_clock_that_nobody_sets() -> None:
    assert states(check_time(TimeSource("chrony", True, "hub", True))) == {"source": "pass", "rtc": "pass"}
    lost = only(check_time(TimeSource("chrony", False)), "source")
    assert (lost.state, lost.what) == ("fail", "chrony has not reached a time server.")
    assert "chrony" in only(check_time(TimeSource("", False)), "source").remedy
    assert states(check_time(TimeSource("", None)))["source"] == "fail"


@pytest.mark.parametrize(
    ("version", "wanted", "good"),
    [
        ("2.5.0", ">=2.3,<3", True), ("3.0", ">=2.3,<3", False), ("2.2.9", ">=2.3,<3", False),
        ("2.15.1", "==2.15.1", True), ("2.15.2", "==2.15.1", False),
        ("2.0.1.post3", ">=2.0,<3", True), ("1.0", "", True), ("10.0", ">=9", True),
        ("1.11", "(>=1.11,<2)", True), ("2", ">=2.0", True),
    ],
)  # fmt: skip
def test_versions_fit(version: str, wanted: str, good: bool) -> None:
    assert fits(version, wanted) is good


@given(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)))
def test_a_version_fits_itself(numbers: tuple[int, int, int]) -> None:
    version = ".".join(map(str, numbers))
    assert fits(version, f"=={version}")
    assert fits(version, f">={version}")
    assert not fits(version, f"<{version}")


def test_the_program() -> None:
    good = Program((3, 13, 1), {"gpiod": (">=2.3,<3", "2.5.0")})
    assert states(check_program(good)) == {"python": "pass", "packages": "pass"}
    bad = Program((3, 10, 0), {"gpiod": (">=2.3,<3", ""), "chess": (">=1.11", "1.9")})
    assert states(check_program(bad)) == {"python": "fail", "package.gpiod": "fail", "package.chess": "fail"}


def test_the_terminal() -> None:
    good = check_terminal(Terminal((100, 30), "xterm-256color", "truecolor", "UTF-8"))
    assert good[0].what == "xterm-256color, 100×30, 16 million colours, UTF-8"
    assert check_terminal(Terminal(None, "", "", "UTF-8"))[0].state == "skip"
    bad = check_terminal(Terminal((60, 20), "dumb", "", "ANSI_X3.4-1968"))[0]
    assert bad.state == "fail"
    for word in ("60×20", "ANSI_X3.4-1968", "TERM"):
        assert word in bad.what


# -- the header -------------------------------------------------------------------------------------------------------


def test_a_header_with_everything() -> None:
    seen = HeaderSeen(
        (PI5,),
        {2: "the system", 17: "hallkiosk"},
        (DeviceFile("/dev/gpiochip0", True, "gpio"), DeviceFile("/dev/spidev0.0", True, "spi")),
        {"/dev/i2c-1": (0x20, 0x70)},
    )
    found = check_header(seen, {17: "clock", 27: "clock"})
    assert states(found) == {"gpio": "pass", "in-use": "pass", "i2c.i2c-1": "pass", "spi": "pass"}
    assert only(found, "i2c.i2c-1").what == "/dev/i2c-1: 0x20 MCP23017, 0x70 HT16K33"


def test_a_pin_that_another_program_has() -> None:
    seen = HeaderSeen((PI5,), {17: "w1"}, (), {})
    found = only(check_header(seen, {17: "clock"}), "pin.17")
    assert found.what == "GPIO17 (clock) is taken by w1."
    assert "another pin" in found.remedy


def test_files_of_another_group_say_what_to_type() -> None:
    shut = SeenChip("/dev/gpiochip0", "", why="Permission denied")
    seen = HeaderSeen((shut,), {}, (DeviceFile("/dev/i2c-1", False, "i2c"),), {"/dev/i2c-1": ()})
    found = check_header(seen, {})
    assert "usermod -aG gpio" in only(found, "gpio").remedy
    appliance = HeaderSeen((shut,), {}, (DeviceFile("/dev/gpiochip0", False, "hallio"),), {})
    assert "usermod -aG hallio" in only(check_header(appliance, {}), "gpio").remedy
    assert "usermod -aG i2c" in only(found, "access.i2c-1").remedy


def test_without_pins_only_a_table_that_needs_them_fails() -> None:
    nothing = HeaderSeen((), {}, (), {})
    assert states(check_header(nothing, {}))["gpio"] == "skip"
    assert states(check_header(nothing, {17: "clock"}))["gpio"] == "fail"
    assert states(check_header(nothing, {}))["spi"] == "skip"
    missing = only(check_header(nothing, {}, frozenset({"spi"})), "spi")
    assert (missing.state, "dtparam=spi=on" in missing.remedy) == ("fail", True)
    other = HeaderSeen((SeenChip("/dev/gpiochip0", "gpio-sim", 8),), {}, (), {})
    assert "gpio-sim" in only(check_header(other, {17: "clock"}), "gpio").what


# -- boards and parts -------------------------------------------------------------------------------------------------


def test_a_board_that_no_table_uses_comes_with_the_line_to_write() -> None:
    port = "/dev/serial/by-id/usb-DGT-if00"
    (found,) = check_plugged([Plugged(port, "dgt", "version 1.7, number 12345")], False)
    assert (found.state, found.remedy) == ("fail", f'Write: board = "dgt:{port}"')
    assert found.what == f"A board, dgt (version 1.7, number 12345), is at {port}, and no table uses it."
    (second,) = check_plugged([Plugged(port, "chesslink")], True)
    assert second.state == "skip"
    assert "chesslink, is at" in second.what
    assert states(check_plugged([Plugged(port), Plugged("/dev/ttyACM1", fault="busy")], False)) == {
        "port.usb-DGT-if00": "skip",
        "port.ttyACM1": "skip",
    }
    assert check_plugged([], False)[0].state == "skip"
    assert check_plugged([], True)[0].state == "pass"


def test_the_tables_board() -> None:
    dgt = named("board", "dgt:/dev/serial/by-id/x")
    good = check_board(dgt, BoardSeen(32, True, "version 1.7, number 12345"))
    assert good.what == "Board dgt:/dev/serial/by-id/x (version 1.7, number 12345) answers, on it: the start array"
    assert check_board(dgt, BoardSeen(1)).what.endswith("1 piece")
    silent = check_board(dgt, BoardSeen(fault="It is there, and says nothing."))
    assert (silent.state, silent.name) == ("fail", "board")
    assert "switch it on" in silent.remedy
    assert "bus" in check_board(named("board", "reed-i2c"), BoardSeen(fault="x")).remedy


@pytest.mark.parametrize(
    ("name", "closed", "state", "word"),
    [
        ("plungers:17,27", (False, False), "pass", "can be read"),
        ("plungers:17,27", (True, False), "fail", "White's plunger is down"),
        ("plungers:17,27", (True, True), "fail", "White's and Black's"),
        ("rocker:17,27", (False, True), "pass", "Black's side is down"),
        ("rocker:17,27", (False, False), "fail", "no contact"),
        ("rocker:17,27", (True, True), "fail", "both contacts"),
    ],
)
def test_contacts_at_rest(name: str, closed: tuple[bool, bool], state: str, word: str) -> None:
    seen = ContactsSeen(dict(zip(("white", "black"), closed, strict=True)))
    found = check_contacts(named("clock", name), seen)
    assert found.state == state
    assert word in found.what


# -- disk and keys ----------------------------------------------------------------------------------------------------


def test_the_disk() -> None:
    assert set(states(folder(FolderSeen("/data", 9_000, "ext4", 12))).values()) == {"pass"}
    bad = states(folder(FolderSeen("/data", 100, "tmpfs", 900)))
    assert bad == {"free": "fail", "write": "fail", "lasting": "fail"}
    assert states(folder(FolderSeen("/data", fault="Permission denied"))) == {"write": "fail"}


def test_the_log() -> None:
    assert log(LogSeen("x.db", False)).state == "skip"
    assert log(LogSeen("x.db", True, "ok", 5_000)).state == "pass"
    assert "malformed" in log(LogSeen("x.db", True, "malformed")).what


def test_keys_and_certificates() -> None:
    assert key(KeySeen("/k/table.key", 0o600)).state == "pass"
    assert key(KeySeen("/k/table.key", 0o640)).remedy == "chmod 600 /k/table.key"
    assert key(KeySeen("/k/table.key", 0, "No such file")).state == "fail"
    now = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
    assert certificate(CertificateSeen("ca.pem", now + datetime.timedelta(days=400)), now).state == "pass"
    assert certificate(CertificateSeen("ca.pem", now + datetime.timedelta(days=3)), now).state == "fail"
    assert certificate(CertificateSeen("ca.pem", None, "no certificate"), now).state == "fail"


@pytest.mark.parametrize(
    ("hub", "has_key", "state"),
    [
        (HubSeen("hub:4222", "2.15", True), True, "pass"),
        (HubSeen("hub:4222", "2.15", False), False, "pass"),
        (HubSeen("hub:4222", "2.15", True), False, "fail"),
        (HubSeen("hub:4222", "2.15", False), True, "fail"),
        (HubSeen("hub:4222", fault="Connection refused"), True, "fail"),
    ],
)
def test_the_hub(hub: HubSeen, has_key: bool, state: str) -> None:
    (found,) = check_hub([hub], has_key)
    assert found.state == state
    assert bool(found.remedy) == (state == "fail")


# -- the page ---------------------------------------------------------------------------------------------------------

FINDINGS = st.builds(
    Finding,
    group=st.sampled_from(GROUPS),
    name=st.text(st.characters(codec="ascii", categories=["L"]), min_size=1),
    state=st.sampled_from(["pass", "fail", "skip"]),
    what=st.text(st.sampled_from("abc é "), max_size=300),
    remedy=st.text(st.sampled_from("xyz "), max_size=200),
)


@given(st.lists(FINDINGS, max_size=12))
def test_the_page_fits_and_the_document_says_the_same(findings: list[Finding]) -> None:
    page = as_text(findings)
    assert all(len(line) <= WIDTH or " " not in line.strip(" >") for line in page.splitlines())
    document = json.loads(json.dumps(as_json(findings)))
    assert len(document["checks"]) == len(findings)
    assert document["ok"] == (sum(line.startswith(" FAIL") for line in page.splitlines()) == 0)


def test_a_page() -> None:
    page = as_text(
        [
            Finding("hub", "reach", "fail", "hub:4222: Connection refused", "Start the hub."),
            Finding("table", "board", "pass", "dgt:/dev/serial/by-id/x answers"),
        ]
    )
    assert page == textwrap.dedent("""\
        The table's parts
           ok  dgt:/dev/serial/by-id/x answers

        The hub
         FAIL  hub:4222: Connection refused
               > Start the hub.

        1 thing to mend, 1 check passed.""")
    assert as_text([]) == "\nAll is well, 0 checks passed."
    assert "\x1b[1;31mFAIL\x1b[0m" in as_text([Finding("hub", "x", "fail", "y")], colours=True)


def test_a_board_whose_file_is_shut_says_whose_group_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.doctor.board_trial.device_file", lambda path: DeviceFile(path, False, "dialout"))
    found = check_board(named("board", "dgt:/dev/null"), BoardSeen(fault="Permission denied"))
    assert "usermod -aG dialout" in found.remedy
