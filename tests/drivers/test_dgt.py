"""The DGT board: bytes, the simulated board behind a pseudo-terminal, and the driver on the other end."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Iterator

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.firmware import SimulatedClock
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.boards.pty_end import LineFaults
from drivers.errors import BadSquare, DeviceMissing
from drivers.interfaces import BatteryReport, BoardReport, ClockReport, LinkReport, Report

START = chess.STARTING_BOARD_FEN


def test_start_position_survives_the_wire() -> None:
    board = chess.Board()
    squares = "".join(p.symbol() if (p := board.piece_at(s ^ 56)) else "." for s in chess.SQUARES)
    (dump,) = dgt.Reader().feed(dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, squares))))
    assert dump == dgt.BoardDump(squares)
    assert dgt.placement(squares) == START


def test_a_field_update_in_single_bytes_is_one_message() -> None:
    reader = dgt.Reader()
    messages = [m for byte in dgt.frame(dgt.FIELD_UPDATE, bytes((52, 1))) for m in reader.feed(bytes((byte,)))]
    assert messages == [dgt.FieldUpdate(52, "P")]


def test_a_truncated_message_is_thrown_away_and_the_next_one_is_read() -> None:
    reader = dgt.Reader()
    torn = dgt.frame(dgt.BOARD_DUMP, bytes(64))[:20]
    messages = reader.feed(torn + dgt.frame(dgt.FIELD_UPDATE, bytes((0, 8))))
    assert messages == [dgt.Dropped(dgt.BOARD_DUMP), dgt.FieldUpdate(0, "r")]
    assert reader.lost == 20


def test_special_pieces_are_shown_but_are_no_chessmen() -> None:
    assert dgt.Reader().feed(dgt.frame(dgt.FIELD_UPDATE, bytes((10, 13)))) == [dgt.FieldUpdate(10, "?")]
    assert dgt.placement("?" + "." * 63) == "8/8/8/8/8/8/8/8"


@given(st.lists(st.binary(max_size=30)), st.integers(0, 63), st.integers(0, 12))
def test_after_any_noise_the_next_whole_message_is_read(noise: list[bytes], square: int, piece: int) -> None:
    reader = dgt.Reader()
    for part in noise:
        reader.feed(part)
    assert reader.feed(dgt.frame(dgt.FIELD_UPDATE, bytes((square, piece))))[-1] == dgt.FieldUpdate(
        square, dgt.letter(piece)
    )


@pytest.fixture
def board() -> Iterator[SimulatedDgtBoard]:
    simulated = SimulatedDgtBoard()
    yield simulated
    simulated.close()


def reports_until(reports: queue.Queue[Report], placement: str) -> list[Report]:
    """Reads reports until the board shows `placement`; fails after ten seconds."""
    seen = []
    while True:
        report = reports.get(timeout=10)
        seen.append(report)
        if isinstance(report, BoardReport) and report.placement == placement:
            return seen


def test_driver_follows_hands_that_castle_capture_and_promote(board: SimulatedDgtBoard) -> None:
    board.set_up(START)
    device = DgtBoard(board.port, command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        reports_until(reports, START)
        position = chess.Board()
        line = "e4 d5 exd5 e5 dxe6 Nf6 exf7+ Ke7 Nf3 g6 Be2 Bg7 O-O Rf8 a4 h6 a5 h5 a6 h4 axb7 h3 bxa8=Q hxg2"
        for san in line.split():
            move = position.parse_san(san)
            board.play(position, move)
            position.push(move)
            seen = reports_until(reports, position.board_fen())
            stamps = [r.boot_ms for r in seen]
            assert stamps == sorted(stamps)
        assert board.placement == position.board_fen()
        assert device.serial_number == "00042"
    finally:
        device.close()
        device.close()


def test_a_pulled_cable_is_told_once_and_the_board_is_found_again(tmp_path, board: SimulatedDgtBoard) -> None:
    name = tmp_path / "by-id"
    name.symlink_to(board.port)
    device = DgtBoard(str(name), command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    board.set_up(START)
    device.start(reports.put)
    try:
        reports_until(reports, START)
        board.close()
        second = SimulatedDgtBoard()
        try:
            second.set_up("8/8/8/4k3/8/4K3/8/8")
            name.unlink()
            name.symlink_to(second.port)
            links = [r for r in reports_until(reports, "8/8/8/4k3/8/4K3/8/8") if isinstance(r, LinkReport)]
            assert [link.up for link in links] == [False, True]
        finally:
            device.close()
            second.close()
    finally:
        device.close()


def test_a_missing_board_gets_a_sentence() -> None:
    with pytest.raises(DeviceMissing, match="plug it in"):
        DgtBoard("/dev/serial/by-id/none").start(lambda report: None)


def test_hands_cannot_lift_what_is_not_there(board: SimulatedDgtBoard) -> None:
    with pytest.raises(BadSquare, match="e4"):
        board.lift(chess.E4)


# -- faults ---------------------------------------------------------------------------------------------------------


def play_over(simulated: SimulatedDgtBoard, line: str) -> tuple[chess.Board, list[Report]]:
    """Plays a line on the board; returns the position and what the driver told until the board showed it."""
    device = DgtBoard(simulated.port, command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    simulated.set_up(START)
    device.start(reports.put)
    position = chess.Board()
    try:
        seen = reports_until(reports, START)
        for san in line.split():
            move = position.parse_san(san)
            simulated.play(position, move)
            position.push(move)
            device.ask_board()
            seen += reports_until(reports, position.board_fen())
    finally:
        device.close()
        simulated.close()
    return position, seen


LINE = "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O"


def test_noise_and_lost_bytes_are_overcome_by_dumps() -> None:
    faults = LineFaults(loss=0.004, noise=0.3, seed=7)
    simulated = SimulatedDgtBoard(faults=faults)
    device = DgtBoard(simulated.port, command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    simulated.set_up(START)
    device.start(reports.put)
    try:
        position = chess.Board()
        for san in LINE.split():
            move = position.parse_san(san)
            simulated.play(position, move)
            position.push(move)
        for _again in range(20):  # whatever was lost, one of the next dumps is whole
            device.ask_board()
            with contextlib.suppress(queue.Empty):
                while True:
                    report = reports.get(timeout=0.05)
                    assert not isinstance(report, LinkReport)
                    if isinstance(report, BoardReport) and report.placement == position.board_fen():
                        return
        pytest.fail("the board was never seen whole")
    finally:
        device.close()
        simulated.close()


def test_a_scanned_board_smears_and_is_read_all_the_same() -> None:
    position, seen = play_over(SimulatedDgtBoard(scan_step_s=0.0005), LINE)
    assert position.fullmove_number == 5
    assert not any(isinstance(report, LinkReport) for report in seen)


def test_a_rotated_board_reports_its_own_squares() -> None:
    turned = SimulatedDgtBoard(rotated=True)
    try:
        turned.set_up(START)
        assert turned.placement == START
        assert dgt.placement("".join(turned.firmware.squares)).startswith("RNBKQBNR/PPPPPPPP")
    finally:
        turned.close()


def test_a_sticky_square_never_changes() -> None:
    simulated = SimulatedDgtBoard()
    try:
        simulated.sticky = {chess.E2}
        simulated.set_up(START)
        assert simulated.letter(chess.E2) == "P"
        assert "".join(simulated.firmware.squares)[52] == "."
    finally:
        simulated.close()


def test_a_low_battery_and_the_clock_are_reported() -> None:
    simulated = SimulatedDgtBoard(simulated_clock=SimulatedClock(), battery=(12, False))
    device = DgtBoard(simulated.port, command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        wanted = {BatteryReport, ClockReport}
        while wanted:
            report = reports.get(timeout=10)
            wanted -= {type(report)}
            if isinstance(report, BatteryReport):
                assert (report.percent, report.charging) == (12, False)
            if isinstance(report, ClockReport):
                assert (report.white_s, report.black_s) == (300, 300)
        device.set_times(120, 90, "black")
        while not isinstance(report, ClockReport) or report.white_s != 120:
            report = reports.get(timeout=10)
        assert (report.black_s, report.turn, report.running) == (90, "black", True)
        device.show_text("Hello")
        for _wait in range(100):
            if simulated.firmware.clock.text == "Hello":
                break
            time.sleep(0.05)
        assert simulated.firmware.clock.text == "Hello"
    finally:
        device.close()
        simulated.close()


def test_a_plain_board_gets_no_light_command(board: SimulatedDgtBoard) -> None:
    device = DgtBoard(board.port, command_gap_s=0.0)
    assert not device.light([chess.E2, chess.E4])
    assert DgtBoard(board.port, leds=True).light([chess.E2, chess.E4])


def test_a_board_in_bus_mode_is_brought_back() -> None:
    device = DgtBoard("nowhere", command_gap_s=0.0)
    sent: list[bytes] = []
    device.send = sent.append  # type: ignore[method-assign]
    device.take(dgt.frame(0x87, b"\x08\x01\x10"), 0, lambda report: None)
    assert sent[0] == dgt.RESET
