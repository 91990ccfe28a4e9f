"""ChessLink, Certabo, Sentio and Chessnut: bytes, simulated boards, and the drivers on the other end."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.certabo import protocol as certabo
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.certabo.simulator import SimulatedCertabo
from drivers.boards.chesslink import protocol as link
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chesslink.simulator import ChessLinkFirmware, SimulatedChessLink
from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.chessnut.device import ChessnutBoard, find
from drivers.boards.chessnut.simulator import SimulatedChessnut
from drivers.boards.placement import letters, placement
from drivers.boards.pty_end import LineFaults
from drivers.errors import DeviceMissing
from drivers.interfaces import BatteryReport, BoardReport, LinkReport, OccupancyReport, Report

START = chess.STARTING_BOARD_FEN
PIECES = st.lists(st.sampled_from(".PNBRQKpnbrqk"), min_size=64, max_size=64).map("".join)
LINE = "e4 d5 exd5 Nf6 Nf3 Nxd5 Bc4 e6 O-O Be7"


@given(PIECES)
def test_placements_are_read_and_written(squares: str) -> None:
    assert letters(placement(squares)) == squares


@given(PIECES, st.integers(1, 60))
def test_positions_survive_every_wire_in_pieces_of_any_size(squares: str, size: int) -> None:
    occupied = sum(1 << (square ^ 56) for square, piece in enumerate(squares) if piece != ".")
    chips = tuple((1, 2, 3, 4, ord(piece)) if piece != "." else certabo.NOTHING for piece in squares)
    wires: list[tuple[Any, bytes, object]] = [
        (link.Reader(), link.frame("s" + squares), link.Status(squares)),
        (chessnut.Reader(), chessnut.position(squares), chessnut.Position(squares)),
        (certabo.Reader(), certabo.occupancy_line(occupied), certabo.Occupancy(occupied)),
        (certabo.Reader(), certabo.chips_line(chips), certabo.Chips(chips)),
    ]
    for reader, data, message in wires:
        found = [m for start in range(0, len(data), size) for m in reader.feed(data[start : start + size])]
        if isinstance(reader, chessnut.Reader):
            found += reader.settle()  # one in which another might begin is taken when nothing follows
        assert found == [message]


READERS: dict[str, tuple[Callable[[], Any], bytes]] = {
    "chesslink": (link.Reader, link.frame("s" + "." * 64)),
    "chessnut": (chessnut.Reader, chessnut.position("." * 64)),
    "certabo": (certabo.Reader, certabo.occupancy_line(0)),
}


@pytest.mark.parametrize("kind", READERS)
@given(noise=st.lists(st.binary(max_size=60), max_size=5))
def test_any_noise_ends_within_a_message(kind: str, noise: list[bytes]) -> None:
    reader, message = READERS[kind][0](), READERS[kind][1]
    for part in noise:
        reader.feed(part)
    for _again in range(3):
        found = reader.feed(message)
    assert found
    assert "Dropped" not in type(found[-1]).__name__


# -- ChessLink ------------------------------------------------------------------------------------------------------


def test_parity_is_odd_and_the_block_is_checked() -> None:
    frame = link.frame("V")
    assert all(byte.bit_count() % 2 for byte in frame)
    assert [byte & 0x7F for byte in frame] == list(b"V56")
    reader = link.Reader()
    assert reader.feed(bytes(byte & 0x7F for byte in link.frame("v0107"))) == [link.Version(1, 7)]  # parity stripped
    assert reader.parity_errors > 0
    broken = bytearray(link.frame("s" + "." * 64))
    broken[10] = link.odd_parity(ord("q"))
    assert reader.feed(bytes(broken) + link.frame("x")) == [link.Dropped("s"), link.Lights(False)]


def test_a_lost_byte_costs_one_frame() -> None:
    frame = link.frame("s" + letters(START))
    assert link.Reader().feed(frame[:20] + frame[21:] + frame)[-1] == link.Status(letters(START))


def test_the_board_reports_as_its_cell_says_and_is_silent_after_a_reset() -> None:
    board = ChessLinkFirmware()
    assert board.report()
    board.feed(link.write_cell(link.REPORTS, 1))
    assert board.report() == b""
    board.feed(link.write_cell(link.REPORTS, link.ON_CHANGE))
    board.squares[1] = "n"
    assert board.report(1.0)
    assert board.report(1.1) == b""
    board.squares[0] = "r"
    assert board.report(1.2)
    board.feed(link.RESET, 2.0)
    assert board.feed(link.ASK_VERSION, 4.0) == b""
    assert link.Reader().feed(board.feed(link.ASK_VERSION, 5.1)) == [link.Version(1, 7)]
    board.feed(link.lights(frozenset({chess.E4})), 6.0)
    assert board.lit


def test_lights_stand_on_the_corners() -> None:
    text = "".join(chr(byte & 0x7F) for byte in link.lights(frozenset({chess.A8})))
    lamps = [text[3 + 2 * index : 5 + 2 * index] for index in range(81)]
    assert [index + 1 for index, lamp in enumerate(lamps) if lamp == "FF"] == [1, 2, 10, 11]


# -- Certabo and Sentio ---------------------------------------------------------------------------------------------


def frames(squares: str, count: int) -> list[certabo.Chips]:
    chips = tuple((0, 0, 0, 1, ord(piece)) if piece != "." else certabo.NOTHING for piece in squares)
    return [certabo.Chips(chips)] * count


def test_a_set_of_pieces_is_learnt_from_the_start_array() -> None:
    learnt = certabo.learn(frames(certabo.LEARN_ARRAY, 7))
    assert learnt is not None
    assert certabo.PieceSet(learnt).read(frames(letters(START), 3)) == letters(START)
    assert certabo.learn(frames(certabo.LEARN_ARRAY, 6)) is None
    assert certabo.learn(frames("." * 64, 7)) is None
    assert certabo.learn(frames(letters(START), 7)) == learnt  # without extra queens too
    assert certabo.learn(frames(letters(START), 4) + frames("." * 64, 3)) == learnt
    assert certabo.learn([*frames(letters(START), 4), *frames("." * 64, 4)]) is None, "half is not most"


@given(st.integers(0, 959), st.integers(0, 959), st.booleans())
def test_a_set_is_learnt_from_the_array_that_stands_there_and_never_learnt_anew(
    one: int, two: int, turned: bool
) -> None:
    """Each piece has its own chip; the first array teaches all of them, another one then nothing, and is read right."""
    first, second = (letters(chess.Board.from_chess960_pos(number).board_fen()) for number in (one, two))
    stands = chips_of(first)[::-1] if turned else chips_of(first)
    learnt = certabo.learn([certabo.Chips(stands)] * 7, first, rotated=turned)
    assert learnt is not None
    assert len(learnt) == 32
    pieces = certabo.PieceSet(learnt)
    assert pieces.read([certabo.Chips(chips_of(second))] * 3) == second
    assert certabo.learn([certabo.Chips(chips_of(second))] * 7, second, learnt) == {}
    if first != second:
        assert certabo.learn([certabo.Chips(chips_of(second))] * 7, first, learnt) is None, "the pieces stand wrong"


@given(st.sets(st.integers(0, 63), min_size=1, max_size=4))
def test_new_chips_among_known_ones_are_the_pieces_that_are_missing(squares: set[int]) -> None:
    """They tell which way round the board lies, too; more of them than spare pieces are none of the set."""
    start = letters(START)
    new = {square for square in squares if start[square] != "."}
    chips = chips_of(start)
    known = {chips[square]: start[square] for square in range(64) if start[square] != "." and square not in new}
    for stands in (chips, chips[::-1]):
        learnt = certabo.learn([certabo.Chips(stands)] * 7, start, known, most=3)
        assert learnt == ({chips[square]: start[square] for square in new} if len(new) <= 3 else None)


def chips_of(squares: str) -> tuple[certabo.Chip, ...]:
    """A chip of its own in each piece, the same ones wherever they stand."""
    count: dict[str, int] = {}
    found: list[certabo.Chip] = []
    for piece in squares:
        count[piece] = count.get(piece, 0) + 1
        found.append(certabo.NOTHING if piece == "." else (7, 0, 0, count[piece], ord(piece)))
    return tuple(found)


def test_a_chip_that_was_missed_once_is_outvoted_and_a_strange_one_is_marked() -> None:
    learnt = certabo.PieceSet(certabo.learn(frames(letters(START), 7)) or {})
    missed = frames("." + letters(START)[1:], 1)
    assert learnt.read([*frames(letters(START), 2), *missed]) == letters(START)
    assert learnt.read(frames("x" + letters(START)[1:], 3))[0] == "?"


def test_lines_that_are_none_are_dropped() -> None:
    reader = certabo.Reader()
    assert reader.feed(b":1 2 3\r\nhello\r\n:999 1 2 3 4 5 6 7\r\n") == [
        certabo.Dropped(b":1 2 3"),
        certabo.Dropped(b"hello"),
        certabo.Dropped(b":999 1 2 3 4 5 6 7"),
    ]
    assert reader.feed(b"0 0 0 :0 0 0 0 0 0 0 1\r\n") == [certabo.Occupancy(chess.BB_H1)]
    assert reader.feed(b":L\r\n") == [certabo.LightsDone()]


def test_lights_have_their_own_order() -> None:
    assert certabo.lights(chess.BB_A8 | chess.BB_H1) == bytes((1, 0, 0, 0, 0, 0, 0, 0x80))


# -- Chessnut -------------------------------------------------------------------------------------------------------


def test_reports_are_padded_and_mixed() -> None:
    data = chessnut.REAL_TIME + bytes(20) + bytes((0x2A, 2, 0x80 | 55, 0)) + bytes(30) + bytes((0x32, 1, 4))
    assert chessnut.Reader().feed(data) == [
        chessnut.ModeSet(True),
        chessnut.Battery(55, True),
        chessnut.StoredGames(4),
    ]
    assert chessnut.beep(1000, 200) == bytes.fromhex("0b0403e800c8")


@pytest.mark.parametrize("length", range(3, 38))
def test_a_report_that_was_cut_off_is_told_once(length: int) -> None:
    whole = chessnut.position("rnbqkbnrpppppppp" + "." * 20 + "P" + "." * 11 + "PPPP.PPPRNBQKBNR")
    reader = chessnut.Reader()
    found = reader.feed(whole[:length] + whole) + reader.settle()
    assert found == [chessnut.Dropped(chessnut.POSITION), *chessnut.Reader().feed(whole)]


def test_boards_are_found_by_their_usb_numbers(tmp_path: Path) -> None:
    for name, number in (("hidraw0", "0003:0000046D:0000C52B"), ("hidraw1", "0003:00002D80:00008201")):
        device = tmp_path / name / "device"
        device.mkdir(parents=True)
        (device / "uevent").write_text(f"DRIVER=hid\nHID_ID={number}\n", "ascii")
    assert find(tmp_path) == ["/dev/hidraw1"]


# -- drivers at simulated boards ------------------------------------------------------------------------------------


def until(reports: queue.Queue[Report], board: chess.BaseBoard) -> list[Report]:
    """Reads reports until one shows `board`, by its pieces or by its occupied squares; fails after ten seconds."""
    seen: list[Report] = []
    while True:
        report = reports.get(timeout=10)
        seen.append(report)
        if isinstance(report, BoardReport) and report.placement == board.board_fen():
            return seen
        if isinstance(report, OccupancyReport) and report.occupied == board.occupied:
            return seen


SET_UPS: dict[str, Callable[[], tuple[Any, Callable[[str], Any]]]] = {
    "chesslink": lambda: (SimulatedChessLink(), lambda port: ChessLinkBoard(port)),
    "chesslink with noise": lambda: (
        SimulatedChessLink(LineFaults(loss=0.001, noise=0.2, seed=1)),
        lambda port: ChessLinkBoard(port),
    ),
    "certabo": lambda: (SimulatedCertabo(frame_s=0.004, dropout=0.2), lambda port: CertaboBoard(port)),
    "sentio": lambda: (SimulatedCertabo(chips=False, frame_s=0.004, dropout=0.2), lambda port: CertaboBoard(port)),
    "chessnut": lambda: (SimulatedChessnut(), lambda port: ChessnutBoard(port, command_gap_s=0.0)),
}


@pytest.mark.parametrize("kind", SET_UPS)
def test_a_driver_follows_the_hands(kind: str) -> None:
    simulated, plug_in = SET_UPS[kind]()
    simulated.set_up(START)
    device = plug_in(simulated.port)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        position = chess.Board()
        seen = until(reports, position)
        for san in LINE.split():
            move = position.parse_san(san)
            simulated.play(position, move)
            position.push(move)
            seen += until(reports, position)
        assert not any(isinstance(report, LinkReport) for report in seen)
        device.light(0 if kind != "chesslink" and "noise" not in kind else [])
    finally:
        device.close()
        simulated.close()


def test_a_chesslink_is_told_once_to_report_on_change() -> None:
    simulated = SimulatedChessLink()
    simulated.set_up(START)
    device = ChessLinkBoard(simulated.port)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        until(reports, chess.Board())
        simulated.change(chess.E2, ".")
        board = chess.Board()
        board.remove_piece_at(chess.E2)
        until(reports, board)
        for _wait in range(100):
            if simulated.firmware.cells[link.REPORTS] == link.ON_CHANGE and device.version:
                break
            time.sleep(0.05)
        assert simulated.firmware.cells[link.REPORTS] == link.ON_CHANGE
        assert device.version == link.Version(1, 7)
        assert device.parity_errors == 0
    finally:
        device.close()
        simulated.close()


def test_a_chessnut_tells_its_battery_and_a_missing_one_gets_a_sentence() -> None:
    simulated = SimulatedChessnut(battery=(9, True))
    device = ChessnutBoard(simulated.port, command_gap_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        report = reports.get(timeout=10)
        while not isinstance(report, BatteryReport):
            report = reports.get(timeout=10)
        assert (report.percent, report.charging) == (9, True)
    finally:
        device.close()
        simulated.close()
    with pytest.raises(DeviceMissing, match="plug it in"):
        ChessnutBoard("/dev/hidraw-none").start(reports.put)
