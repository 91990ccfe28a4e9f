"""`hallkiosk doctor` on simulated hardware: it finds boards by their answers, tries parts, and reads the machine."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from gpiozero import Device

from drivers.boards.certabo.simulator import SimulatedCertabo
from drivers.boards.chesslink.simulator import SimulatedChessLink
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.boards.pty_end import PtyEnd
from drivers.boards.serial_board import Machine
from drivers.catalogue import named
from drivers.clocks.plungers.device import Plungers
from drivers.pins.factory import LinePinFactory
from drivers.pins.simulator import SimulatedGpio
from hallnet import ca
from hallnet.clock import wall_ms
from hallnet.keys import Key
from hallnet.sql import Lock
from kiosk.cli import main
from kiosk.doctor import boards, examine, hands, machine, network, parts, pins, storage


@pytest.fixture
def gpio(monkeypatch: pytest.MonkeyPatch) -> SimulatedGpio:
    """The machine's own pins are simulated ones."""
    gpio = SimulatedGpio()
    factory = LinePinFactory("simulated", gpio.open)
    monkeypatch.setattr(Device, "pin_factory", factory)
    monkeypatch.setattr(parts, "SHOW_S", 0.0)
    return gpio


# -- who is at a port -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (SimulatedDgtBoard, "dgt"),
        (SimulatedChessLink, "chesslink"),
        (SimulatedCertabo, "certabo"),
        (lambda: SimulatedCertabo(chips=False), "sentio"),
    ],
)
def test_a_board_is_known_by_its_answer(make: Callable[[], SimulatedDgtBoard], kind: str) -> None:
    board = make()
    board.set_up(chess.STARTING_BOARD_FEN)
    try:
        found = boards.identify(board.port, Machine())
        assert (found.kind, found.fault) == (kind, "")
        if kind == "dgt":
            assert found.said == "version 1.2, number 00042"
    finally:
        board.close()


def test_a_port_where_nobody_answers_and_one_that_is_not_there() -> None:
    silent = PtyEnd(lambda _data: b"")
    try:
        assert boards.identify(silent.port, Machine()) == boards.Plugged(silent.port)
    finally:
        silent.close()
    assert "No board at /dev/none" in boards.identify("/dev/none", Machine()).fault


def test_ports_have_the_name_that_stays(tmp_path: Path) -> None:
    for folder in ("by-id", "by-path"):
        (tmp_path / "dev/serial" / folder).mkdir(parents=True)
    for name in ("ttyUSB0", "ttyUSB1", "ttyACM1"):
        (tmp_path / "dev" / name).touch()
    (tmp_path / "dev/serial/by-id/usb-FTDI-if00").symlink_to("../../ttyUSB0")
    for number in (0, 1):
        (tmp_path / f"dev/serial/by-path/usb-0:1.{number}").symlink_to(f"../../ttyUSB{number}")
    assert boards.serial_ports(tmp_path) == [
        str(tmp_path / "dev/serial/by-id/usb-FTDI-if00"),
        str(tmp_path / "dev/serial/by-path/usb-0:1.1"),
        str(tmp_path / "dev/ttyACM1"),
    ]
    assert boards.serial_ports(tmp_path / "none") == []


def test_two_boards_of_a_kind_have_names_that_tell_them_apart(tmp_path: Path) -> None:
    dev = tmp_path / "dev"
    dev.mkdir()
    (tmp_path / "sys/class/hidraw/hidraw0/device").mkdir(parents=True)
    (tmp_path / "sys/class/hidraw/hidraw0/device/uevent").write_text("HID_ID=0003:00002D80:00008100\n")
    for device, *names in (
        ("ttyACM0", "dgt-12345", "dgt-at-1-1.3"),
        ("ttyACM1", "dgt", "dgt-at-1-1.2"),
        ("hidraw0", "chessnut", "chessnut-at-1-1.4"),
    ):
        (dev / device).touch()
        for name in names:
            (dev / f"hallkiosk-board-{name}").symlink_to(device)
    assert boards.serial_ports(tmp_path) == [
        str(dev / "hallkiosk-board-dgt-12345"),
        str(dev / "hallkiosk-board-dgt-at-1-1.2"),
    ]
    assert boards.hid_boards(tmp_path) == [str(dev / "hallkiosk-board-chessnut-at-1-1.4")]


def test_modem_manager_is_told_where_nothing_keeps_it_off(tmp_path: Path) -> None:
    assert boards.modem_manager(tmp_path) == (False, False)
    (tmp_path / "usr/sbin").mkdir(parents=True)
    (tmp_path / "usr/sbin/ModemManager").touch()
    (found,) = boards.check_modem_manager(*boards.modem_manager(tmp_path), ["/dev/ttyACM0"])
    assert found.state == "fail"
    assert boards.check_modem_manager(True, False, []) == []
    rules = tmp_path / "usr/lib/udev/rules.d"
    rules.mkdir(parents=True)
    (rules / "70-hallkiosk.rules").touch()
    assert boards.check_modem_manager(*boards.modem_manager(tmp_path), ["/dev/ttyACM0"]) == []


def test_a_chessnut_is_known_by_its_usb_numbers(tmp_path: Path) -> None:
    device = tmp_path / "sys/class/hidraw/hidraw3/device"
    device.mkdir(parents=True)
    (device / "uevent").write_text("HID_ID=0003:00002D80:00008100\n")
    assert boards.look_at_ports([], boards.hid_boards(tmp_path)) == [boards.Plugged("/dev/hidraw3", "chessnut")]


# -- the parts --------------------------------------------------------------------------------------------------------


def test_the_board_is_really_asked() -> None:
    board = SimulatedDgtBoard()
    board.set_up("8/8/8/8/8/8/8/4K2k")
    try:
        seen = parts.try_board(DgtBoard(board.port))
        assert seen == parts.BoardSeen(2, False, "version 1.2, number 00042", clock="DGT 3000 (version 2.0)")
    finally:
        board.close()
    assert "No board at /dev/none" in parts.try_board(DgtBoard("/dev/none")).fault
    silent = PtyEnd(lambda _data: b"")
    try:
        assert parts.try_board(DgtBoard(silent.port), 0.3).fault == "It is there, and says nothing."
    finally:
        silent.close()


def test_every_part_on_the_header_is_tried(gpio: SimulatedGpio) -> None:
    tried = [
        parts.try_part(named(part, name), sounds=True)
        for part, name in (
            ("clock", "plungers:17,27"), ("display", "tm1637:5,6,13,19"), ("lamps", "gpio:16,20,21"),
            ("buzzer", "gpio:12"), ("arbiter_key", "gpio:22"),
        )
    ]  # fmt: skip
    assert {finding.name: finding.state for finding in tried} == dict.fromkeys(
        ("clock", "display", "lamps", "buzzer", "arbiter_key"), "pass"
    )
    assert not any(gpio.line(pin).consumer for pin in range(28))  # everything was given back


def test_a_short_to_ground_and_a_taken_pin_are_found(gpio: SimulatedGpio) -> None:
    gpio.drive(17, False)
    gpio.drive(22, False)
    gpio.line(12).consumer = "pwm-fan"
    clock = parts.try_part(named("clock", "plungers:17,27"), False)
    assert "White's plunger is down" in clock.what
    assert parts.try_part(named("arbiter_key", "gpio:22"), False).what == "Arbiter's key gpio:22: It is down."
    assert "pwm-fan" in parts.try_part(named("buzzer", "gpio:12"), False).what


def test_simulated_parts_are_the_real_drivers() -> None:
    assert parts.try_part(named("board", "simulated:reed-i2c"), False).state == "pass"
    assert parts.try_part(named("clock", "simulated:rocker"), False).state == "pass"
    assert parts.try_part(named("display", "simulated"), False).state == "skip"


def test_a_hand_is_felt_and_one_that_is_not_is_told(gpio: SimulatedGpio, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = {"White": 17, "Black": 27, "key": 22}

    def press(words: str) -> None:
        (pin,) = [pin for word, pin in sides.items() if word in words]
        gpio.drive(pin, False)
        gpio.drive(pin, True, time.clock_gettime_ns(time.CLOCK_MONOTONIC) + 30_000_000)

    found = hands.try_by_hand(named("clock", "plungers:17,27"), press)
    found += hands.try_by_hand(named("arbiter_key", "gpio:22"), press)
    assert {finding.name: finding.state for finding in found} == dict.fromkeys(
        ("hand.white", "hand.black", "hand.key"), "pass"
    )
    swapped = hands.try_by_hand(named("clock", "plungers:27,17"), press, wait_s=0.2)
    assert [finding.state for finding in swapped] == ["fail", "fail"]
    assert "swapped" in swapped[0].remedy
    assert hands.try_by_hand(named("clock", "simulated"), press) == []
    assert hands.try_by_hand(named("lamps", "gpio:16,20,21"), press) == []
    gpio.line(17).consumer = "other"
    assert "taken by other" in hands.try_by_hand(named("clock", "plungers:17,27"), press)[0].what


def test_a_piece_that_is_lifted_is_felt() -> None:
    board = SimulatedDgtBoard()
    board.set_up(chess.STARTING_BOARD_FEN)

    def lift(_words: str) -> None:
        board.lift(chess.E2)

    try:
        (found,) = hands.try_by_hand(named("board", f"dgt:{board.port}"), lift)
        assert (found.name, found.state) == ("hand.board", "pass")
    finally:
        board.close()


def test_pins_that_cannot_be_had() -> None:
    gpio = SimulatedGpio()
    gpio.line(17).consumer = "other"
    factory = LinePinFactory("simulated", gpio.open)
    seen = parts.try_contacts(Plungers(pin_factory=factory))
    assert "GPIO17 is taken by other" in seen.fault
    factory.close()


# -- the machine ------------------------------------------------------------------------------------------------------


def test_a_pi_is_read_from_the_kernels_files(tmp_path: Path) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    power = tmp_path / "sys/devices/platform/soc/soc:firmware"
    power.mkdir(parents=True)
    (power / "get_throttled").write_text("50005\n")
    heat = tmp_path / "sys/class/thermal/thermal_zone0"
    heat.mkdir(parents=True)
    (heat / "temp").write_text("61234\n")
    seen = machine.look_at_body(tmp_path)
    assert seen == machine.Body("Raspberry Pi 4 Model B Rev 1.4", 0x50005, 61.234)
    (power / "get_throttled").unlink()
    volt = tmp_path / "sys/class/hwmon/hwmon2"
    volt.mkdir(parents=True)
    (volt / "name").write_text("rpi_volt\n")
    (volt / "in0_lcrit_alarm").write_text("1\n")
    assert machine.look_at_body(tmp_path).throttled == machine.LOW_NOW
    assert machine.look_at_body(tmp_path / "none") == machine.Body("", None, None)


def test_a_header_is_looked_at(tmp_path: Path) -> None:
    gpio = SimulatedGpio()
    gpio.line(4).consumer = "w1"
    (tmp_path / "dev").mkdir()
    for name in ("gpiochip0", "i2c-1", "spidev0.0"):
        (tmp_path / "dev" / name).touch()
    (tmp_path / "dev/gpiochip4").symlink_to("gpiochip0")
    seen = pins.look_at_header(tmp_path, gpio.open, lambda bus: (0x70, 0x71))
    assert [chip.label for chip in seen.chips] == ["pinctrl-rp1"]
    assert seen.taken == {4: "w1"}
    assert seen.i2c == {str(tmp_path / "dev/i2c-1"): (0x70, 0x71)}
    assert all(file.usable for file in seen.files)
    assert pins.scan_bus(str(tmp_path / "dev/i2c-1")) == ()  # an ordinary file is no bus


def test_this_program_has_what_it_needs() -> None:
    assert all(finding.state == "pass" for finding in machine.check_program(machine.look_at_program()))
    assert machine.look_at_time().by in ("chrony", "timesyncd", "")
    assert machine.look_at_terminal({}).term == ""


# -- disk, log, keys, hub ---------------------------------------------------------------------------------------------


def test_a_folder_is_written_to_and_left_clean(tmp_path: Path) -> None:
    seen = storage.look_at_folder(tmp_path / "data")
    assert seen.fault == ""
    assert seen.sync_ms > 0
    assert list((tmp_path / "data").iterdir()) == []
    (tmp_path / "file").touch()
    assert storage.look_at_folder(tmp_path / "file" / "data").fault


def test_a_damaged_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    assert storage.look_at_log(path) == storage.LogSeen(str(path), False)
    with sqlite3.connect(path) as log:
        log.execute("create table t (x)")
        log.executemany("insert into t values (?)", [("x" * 1000,)] * 100)
    log.close()
    assert storage.look_at_log(path).verdict == "ok"
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(os.urandom(4096))
    assert storage.look_at_log(path).verdict != "ok"
    path.write_bytes(b"no database")
    assert "not a database" in storage.look_at_log(path).verdict


def test_who_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "table.lock"
    assert storage.lock_owner(path) is None
    with Lock(path):
        assert storage.lock_owner(path) == os.getpid()
    assert storage.lock_owner(path) is None


def test_keys_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    assert storage.check_key(storage.look_at_key(path)).state == "fail"
    Key.make().save(path)
    assert storage.check_key(storage.look_at_key(path)).state == "pass"
    path.chmod(0o644)
    assert "chmod 600" in storage.check_key(storage.look_at_key(path)).remedy
    path.chmod(0o600)
    path.write_text("nonsense")
    assert storage.check_key(storage.look_at_key(path)).state == "fail"
    assert storage.look_at_certificate(path).ends is None


def test_the_hub_greets() -> None:
    def answer(greeting: bytes) -> network.HubSeen:
        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = threading.Thread(target=lambda: server.accept()[0].sendall(greeting))
            thread.start()
            seen = network.look_at_hub(f"127.0.0.1:{server.getsockname()[1]}")
            thread.join()
            return seen

    seen = answer(b'INFO {"version":"2.15.1","tls_required":true}\r\n')
    assert (seen.version, seen.tls, seen.fault) == ("2.15.1", True, "")
    assert answer(b"HTTP/1.1 400\r\n").fault == "something else answers there"
    assert network.look_at_hub("127.0.0.1:1").fault
    assert network.look_at_hub("nonsense").fault


def test_a_hub_with_keys_greets_after_the_handshake(tmp_path: Path) -> None:
    ca.ensure(tmp_path, "hall", wall_ms())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")

    def greet(server: socket.socket) -> None:
        with context.wrap_socket(server.accept()[0], server_side=True) as talk:
            talk.sendall(b'INFO {"version":"2.15.1"}\r\n')

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=greet, args=(server,))
        thread.start()
        seen = network.look_at_hub(f"127.0.0.1:{server.getsockname()[1]}")
        thread.join()
    assert (seen.version, seen.tls, seen.fault) == ("2.15.1", True, "")


# -- the command ------------------------------------------------------------------------------------------------------

TABLE = 'table = "3"\ndata = "data"\nhub = "127.0.0.1:1"\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, on a machine where nothing is plugged in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(boards, "serial_ports", list)
    monkeypatch.setattr(boards, "hid_boards", list)
    return tmp_path


def test_a_table_in_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "table.toml").write_text(TABLE)
    assert main(["doctor", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    results = {check["name"]: check["result"] for check in document["checks"]}
    assert document["ok"] is False
    assert results["table.board"] == results["table.clock"] == results["disk.write"] == "pass"
    assert results["hub.reach.127.0.0.1:1"] == "fail"
    assert all(check["remedy"] for check in document["checks"] if check["result"] == "fail")


def test_a_running_table_keeps_its_parts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "table.toml").write_text(TABLE)
    (here / "data").mkdir()
    with Lock(here / "data" / "table-3.lock"):
        main(["doctor"])
    page = capsys.readouterr().out
    assert f"Table 3 runs (process {os.getpid()})" in page
    assert "Board simulated dgt: in use by the running table" in page


def test_a_hub_and_a_machine_without_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) in (0, 1)
    assert "No board is plugged in." in capsys.readouterr().out
    (here / "hub.toml").write_text('name = "Open"\ndata = "hub"\nkeys = true\n')
    assert main(["doctor"]) in (0, 1)
    page = capsys.readouterr().out
    assert "The keys are made at the first start." in page
    assert "The hub does not run now." in page
    assert str(here / "hub") in page.replace("\n       ", "")


def test_a_board_nobody_uses_is_told_with_its_line(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    board = SimulatedDgtBoard()
    monkeypatch.setattr(boards, "serial_ports", lambda: [board.port])
    (here / "table.toml").write_text(TABLE + 'board = "dgt:/dev/serial/by-id/gone"\n')
    try:
        assert main(["doctor"]) == 1
    finally:
        board.close()
    page = capsys.readouterr().out
    assert f'> Write: board = "dgt:{board.port}"' in page
    assert "FAIL  Board dgt:/dev/serial/by-id/gone: No board at" in page


def test_a_table_with_pins(here: Path, gpio: SimulatedGpio) -> None:
    (here / "t.toml").write_text(TABLE + 'clock = "plungers:17,27"\nlamps = "gpio:16,20,21"\n')
    from kiosk.table.config import load

    found = {finding.name: finding for finding in examine.examine_table(load(here / "t.toml"), lambda _what: None)}
    assert found["clock"].state == found["lamps"].state == "pass"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [('table = "3"\nboard = "dtg:/x"\n', ":2: board: There is no board dtg"), ("table =\n", ":1:8:")],
)
def test_a_bad_file_is_refused_with_its_line(
    here: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    (here / "table.toml").write_text(text)
    assert main(["doctor"]) == 2
    assert f"table.toml{sentence}" in capsys.readouterr().err
