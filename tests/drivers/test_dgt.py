"""The DGT board: bytes, the simulated board behind a pseudo-terminal, and the driver on the other end."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.errors import BadSquare, DeviceMissing
from drivers.interfaces import BoardReport, LinkReport, Report

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
