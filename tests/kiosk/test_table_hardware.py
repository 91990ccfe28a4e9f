"""What a table's file names is opened: missing boards are waited for, chips are kept, displays and lamps show."""

from __future__ import annotations

import io
import os
import queue
import threading
import time
from pathlib import Path

import chess
import pytest

from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.catalogue import BOARDS, named
from drivers.displays.plug_in import simulated_display
from drivers.errors import BadDeviceName, DeviceMissing
from drivers.interfaces import BoardReport, LinkReport, OccupancyReport, Report, Sign
from kiosk.cli import main
from kiosk.doctor.board_trial import check_board, try_board
from kiosk.table import hardware, simulate
from kiosk.table.config import TableConfig
from kiosk.table.outlook import Outlook, face_of, sign_of
from kiosk.table.timeline import Timeline
from rules.laws.events import Assigned, Assignment, Flag, Player, Start
from rules.laws.game import GameState, replay

PLAYING = replay(
    [Assigned(0, 1, 1, Assignment("e", 1, 1, "r1b1", 1, Player(1, "A"), Player(2, "B"), "90+30")), Start(1_000)]
)


def until(reports: queue.Queue[Report], placement: str, pieces: bool = False) -> None:
    """Waits for a report of this position, by a sensor of any kind; with `pieces` until they are known."""
    board = chess.BaseBoard(placement)
    while True:
        match reports.get(timeout=10):
            case BoardReport(_t, seen) if seen == placement:
                return
            case OccupancyReport(_t, occupied) if occupied == board.occupied and not pieces:
                return
            case _:
                pass


@pytest.mark.parametrize("kind", BOARDS)
def test_any_kind_of_board_is_plugged_in_by_its_name(tmp_path: Path, kind: str) -> None:
    devices = hardware.plug_in(TableConfig("1", data=str(tmp_path), board=f"simulated:{kind}", speed=20.0))
    reports: queue.Queue[Report] = queue.Queue()
    assert devices.setup.sensor == BOARDS[kind].sensor
    assert devices.hands is not None
    devices.hands.set_up(chess.STARTING_BOARD_FEN)
    devices.start(reports.put)
    if devices.setup.chips is not None:
        devices.setup.chips.expect(chess.STARTING_BOARD_FEN, begun=False)
    try:
        until(reports, chess.STARTING_BOARD_FEN, BOARDS[kind].sensor == "identified")
        if devices.setup.chips is not None:
            devices.setup.chips.expect("4k3/8/8/8/8/8/4P3/4K3", begun=True)
        devices.hands.set_up("4k3/8/8/8/8/8/4P3/4K3")
        until(reports, "4k3/8/8/8/8/8/4P3/4K3")
    finally:
        devices.close()
    assert (tmp_path / "table-1.pieces").exists() == (kind == "certabo")


def test_a_board_that_is_not_there_yet_is_reported_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "RETRY_S", (0.05,))
    config = TableConfig("1", data=str(tmp_path), board=f"dgt:{tmp_path}/board", clock="simulated")
    devices = hardware.plug_in(config)
    reports: queue.Queue[Report] = queue.Queue()
    devices.start(reports.put)
    lost = reports.get(timeout=5)
    assert isinstance(lost, LinkReport)
    assert not lost.up
    assert "plug it in" in lost.why
    board = SimulatedDgtBoard()
    board.set_up(chess.STARTING_BOARD_FEN)
    os.symlink(board.port, tmp_path / "board")
    try:
        until(reports, chess.STARTING_BOARD_FEN)
    finally:
        devices.close()
        board.close()


def test_plungers_without_pins_get_a_sentence(tmp_path: Path) -> None:
    devices = hardware.plug_in(TableConfig("1", data=str(tmp_path), clock="plungers:17,27"))
    try:
        with pytest.raises(DeviceMissing, match=r"[Cc]lock|pin|GPIO"):
            devices.start(lambda report: None)
    finally:
        devices.close()


def test_hands_take_the_victim_first_and_castle_king_first() -> None:
    capture = chess.Board("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    assert list(hardware.touches(capture, chess.Move.from_uci("e4d5"))) == [
        (chess.D5, "."), (chess.E4, "."), (chess.D5, "P"),
    ]  # fmt: skip
    castling = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert list(hardware.touches(castling, chess.Move.from_uci("e1g1"))) == [
        (chess.E1, "."), (chess.H1, "."), (chess.G1, "K"), (chess.F1, "R"),
    ]  # fmt: skip


def test_a_display_shows_the_times_and_lamps_whose_time_runs() -> None:
    class Lamp:
        kind = "lamp"

        def __init__(self) -> None:
            self.signs: list[Sign] = []
            self.closed = threading.Event()

        def show(self, sign: Sign) -> None:
            self.signs.append(sign)

        def close(self) -> None:
            self.closed.set()

    display, lamp = simulated_display("max7219"), Lamp()
    outlook = Outlook([display], [lamp], Timeline())
    outlook.start()
    outlook.show(PLAYING, "")
    deadline = time.monotonic() + 5
    while not lamp.signs and time.monotonic() < deadline:
        time.sleep(0.01)
    shown = display.read()
    outlook.close()
    assert shown != ("", "")
    assert display.read() == ("", ""), "dark at the end"
    assert lamp.signs[0].running == "white"
    assert lamp.closed.is_set()


def test_what_is_shown_of_a_game() -> None:
    face = face_of(PLAYING, 61_000, blink=True)
    assert (face.white_ms, face.black_ms, face.running) == (5_370_000, 5_430_000, "white")
    fallen = replay([Flag(5_431_000, "white")], PLAYING)
    assert sign_of(fallen, 5_431_000, "", blink=True).flag == "white"
    assert sign_of(PLAYING, 61_000, "e2: white pawn missing", blink=True).trouble
    assert sign_of(GameState(), 0, "", blink=True) == Sign()


def test_a_simulated_board_is_opened_by_another_program() -> None:
    said: queue.Queue[str] = queue.Queue()
    lines: queue.Queue[str] = queue.Queue()
    done = threading.Event()

    def typed() -> str:
        return lines.get(timeout=10)

    thread = threading.Thread(target=simulate.simulate, args=("dgt", iter(typed, ""), said.put, done.wait), daemon=True)
    thread.start()
    reports: queue.Queue[Report] = queue.Queue()
    device = DgtBoard(said.get(timeout=10), command_gap_s=0.0)
    device.start(reports.put)
    try:
        until(reports, chess.STARTING_BOARD_FEN)
        for line, placement in (
            ("e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
            ("lift a7", "rnbqkbnr/1ppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
            ("put a6 p", "rnbqkbnr/1ppppppp/p7/8/4P3/8/PPPP1PPP/RNBQKBNR"),
        ):
            lines.put(line)
            until(reports, placement)
            assert said.get(timeout=10) == placement
        lines.put("e9e5")
        assert "not understood" in said.get(timeout=10)
    finally:
        lines.put("")
        done.set()
        device.close()
        thread.join(timeout=5)


@pytest.mark.parametrize("kind", simulate.KINDS)
def test_what_hands_at_a_simulated_board_can_do_wrong(kind: str) -> None:
    board = simulate.SimulatedBoard(kind, touch_s=0.0)
    try:
        for line, words in (
            ("xx", "that is no move here"), ("O-O", "that is no move here"), ("e5e6", "there is no piece on e5"),
            ("lift e9", "e9 is no square"), ("lift", '"" is no square'), ("lift e5", "there is no piece on e5"),
            ("put e5", "write a square and one of"), ("put e9 P", "e9 is no square"), ("put e5 Z", "one of PNBRQK"),
            ("fen 8/8", "that is no position"), ("battery 101", "battery"), ("battery x", "battery"),
        ):  # fmt: skip
            said = board.do(line)
            assert said.startswith(f"{line}: not understood (")
            assert words in said
        assert board.hands.placement == chess.STARTING_BOARD_FEN
        assert board.do("e4") == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    finally:
        board.close()


@pytest.mark.parametrize("kind", ["dgt-bluetooth", "chessnut"])
def test_a_simulated_board_is_unplugged_comes_back_and_runs_low(kind: str) -> None:
    board = simulate.SimulatedBoard(kind, touch_s=0.0)
    try:
        device, reports = BOARDS[kind].plug_in(board.port), queue.Queue[Report]()
        device.start(reports.put)
        until(reports, chess.STARTING_BOARD_FEN)
        assert board.do("unplug") == "unplugged"
        assert "plug comes first" in board.do("e4")
        while not isinstance(report := reports.get(timeout=10), LinkReport):
            pass
        assert not report.up
        device.close()

        port = board.do("plug")
        assert port == board.port
        assert board.do("plug") == port
        assert board.do("battery 9") == chess.STARTING_BOARD_FEN
        seen = try_board(BOARDS[kind].plug_in(port))
        assert (seen.start_array, seen.battery) == (True, 9)
        found = check_board(named("board", f"{kind}:{port}"), seen)
        assert (found.state, "battery 9 %" in found.what) == ("fail", True)
        assert "charge it" in found.remedy
    finally:
        board.close()


def test_only_boards_with_a_port_can_be_simulated_for_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadDeviceName, match="dgt, dgt-bluetooth, chesslink"):
        simulate.SimulatedBoard("reed-spi")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["table", "--simulate", "reed-spi"]) == 2
    assert "has no port" in capsys.readouterr().err
