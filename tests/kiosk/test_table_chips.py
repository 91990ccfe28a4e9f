"""A board of chips learns which chip is which piece from the game that its table is to play: the real driver, fed by
the simulated board's frames, and the table's core."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest

from drivers.boards.certabo import protocol as certabo
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.certabo.simulator import CertaboFirmware
from drivers.interfaces import BoardReport, OccupancyReport, Report
from kiosk.table.at_board import BoardSetup
from kiosk.table.chips import Teacher, keep_pieces, kept_pieces
from rules.laws.events import Answer, Assigned, Assignment, Board, Player, Question, Start
from rules.laws.game import replay
from tests.kiosk.test_table_boards import Hall

CHESS960 = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"
ENDING = "8/P6k/8/8/8/8/7p/K7 w - - 0 1"


class ChipHall(Hall):
    """A table whose board has a chip in each piece, and the board itself."""

    def __init__(self, folder: Path, fen: str = "", pieces: certabo.PieceSet | None = None) -> None:
        self.firmware = CertaboFirmware(of_its_own=True)
        self.driver = CertaboBoard("/dev/none", pieces=pieces)
        self.driver.greet()
        self.last: Report | None = None
        super().__init__(folder, BoardSetup("identified", 300, 40, chips=self.driver), start=False)
        self.put_up(fen or chess.STARTING_FEN)
        self.frames()

    def begin(self, fen: str = "") -> None:
        """A game is assigned, and looked at before it starts."""
        self.real = chess.Board(fen or chess.STARTING_FEN, chess960=fen == CHESS960)
        self.assign(fen)
        self.frames()
        self.order("start")

    def put_up(self, fen: str) -> None:
        """All pieces stand so."""
        for square in chess.SQUARES:
            self.firmware.put(square, ".")
        for square, piece in chess.Board(fen).piece_map().items():
            self.firmware.put(square, piece.symbol())

    def frames(self, count: int = certabo.LEARN_FRAMES) -> None:
        """The board says what it sees, so many times."""

        def hear(report: Report) -> None:
            self.last = report
            self.report(report)

        for _frame in range(count):
            self.driver.take(self.firmware.frame(), self.timeline.stamp(), hear)
        self.wait(400)

    def touch(self, square: str, letter: str, spare: bool = False) -> None:
        """A hand takes a piece off, or puts one on."""
        self.firmware.put(chess.parse_square(square), letter, spare)
        self.frames(certabo.VOTE_FRAMES)

    def exchange(self, one: str, other: str) -> None:
        """Two pieces stand on each other's squares from now on."""
        a, b = chess.parse_square(one), chess.parse_square(other)
        pieces = self.firmware.squares[a], self.firmware.squares[b]
        for square in (a, b):
            self.firmware.put(square, ".")
        self.firmware.put(a, pieces[1])
        self.firmware.put(b, pieces[0])
        self.frames()

    def hands(self, uci: str) -> None:
        for square, letter in _touches(self.real, uci):
            self.touch(square, letter)
        self.real.push(self.real.parse_uci(uci))

    @property
    def seen(self) -> tuple[str, int]:
        """What the board says stands there, and where it does not know the piece."""
        match self.last:
            case BoardReport(_t, placement, unknown):
                return placement, unknown
            case OccupancyReport(_t, occupied):
                return "", occupied
            case _:
                raise AssertionError(self.last)


def _touches(board: chess.Board, uci: str) -> list[tuple[str, str]]:
    after, gone, come = board.copy(stack=False), [], []
    after.push(after.parse_uci(uci))
    for square in chess.SQUARES:
        if board.piece_at(square) != after.piece_at(square):
            gone += [(chess.square_name(square), ".")] if board.piece_at(square) else []
            piece = after.piece_at(square)
            come += [(chess.square_name(square), piece.symbol())] if piece else []
    return gone + come


@pytest.mark.parametrize("fen", ["", CHESS960, ENDING])
def test_a_set_is_learnt_from_the_position_of_the_game(tmp_path: Path, fen: str) -> None:
    hall = ChipHall(tmp_path, fen)
    assert hall.seen == ("", hall.real.occupied if not fen else chess.Board(fen).occupied), (
        "before the game nobody knows"
    )
    hall.begin(fen)
    assert hall.seen == (hall.real.board_fen(), 0)


def test_a_chess960_array_is_not_taken_for_the_usual_one(tmp_path: Path) -> None:
    """The game after it is one as usual, with the same pieces."""
    hall = ChipHall(tmp_path, CHESS960)
    hall.begin(CHESS960)
    for uci in ("g2g3", "g7g6", "a2a3"):
        hall.move(uci)
    assert hall.moves == ["g2g3", "g7g6", "a2a3"]
    hall.put_up(chess.STARTING_FEN)
    hall.frames()
    assert hall.seen == (chess.STARTING_BOARD_FEN, 0)


def test_without_a_game_nothing_is_learnt_and_from_another_position_neither(tmp_path: Path) -> None:
    hall = ChipHall(tmp_path, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    hall.begin()
    assert hall.driver.pieces is None
    assert hall.seen[0] == ""


def test_two_pieces_that_were_set_up_wrong_are_learnt_again_when_they_are_exchanged(tmp_path: Path) -> None:
    hall = ChipHall(tmp_path)
    hall.exchange("d1", "e1")
    hall.begin()
    assert hall.seen == (chess.STARTING_BOARD_FEN, 0), "nobody can know better"
    hall.exchange("d1", "e1")
    hall.frames()
    assert hall.seen == (chess.STARTING_BOARD_FEN, 0)
    assert hall.driver.kept is None, "it does not count before a move is made"
    hall.move("e2e4")
    hall.frames()
    assert hall.driver.kept is not None
    king = [chip for chip, letter in hall.driver.kept.pieces.items() if letter == "K"]
    assert king == [hall.firmware._chip(chess.E1, "K")]


def test_a_set_that_is_known_is_right_and_the_pieces_are_wrong(tmp_path: Path) -> None:
    hall = ChipHall(tmp_path)
    hall.begin()
    hall.move("e2e4")
    hall.frames()
    known = hall.driver.kept
    (tmp_path / "second").mkdir()
    other = ChipHall(tmp_path / "second", pieces=known)
    other.exchange("b1", "g8")
    other.begin()
    assert other.seen[0] == "rnbqkbNr/pppppppp/8/8/8/8/PPPPPPPP/RnBQKBNR"
    other.wait(60_000)
    assert "b1" in other.picture.problem
    assert "g8" in other.picture.problem
    assert other.driver.kept is known
    other.exchange("b1", "g8")
    other.wait()
    assert other.picture.problem == ""


def test_a_spare_queen_is_asked_for_once_and_known_from_then_on(tmp_path: Path) -> None:
    hall = ChipHall(tmp_path, ENDING)
    hall.begin(ENDING)
    hall.touch("a7", ".")
    hall.touch("a8", "Q", spare=True)
    assert hall.seen == ("8/7k/8/8/8/8/7p/K7", chess.BB_A8), "occupied, and nobody knows by what"
    hall.real.push_uci("a7a8q")
    hall.press("white")
    hall.wait()
    assert hall.moves == ["a7a8q"]
    asked = hall.state.questions[0]
    assert (asked.side, asked.about, asked.options) == ("white", "promotion", ("q", "r", "b", "n"))
    hall.frames()
    assert hall.seen[1] == chess.BB_A8, "not before it is said"
    assert hall.face("answer", side="white", id=asked.id, value="r")
    hall.frames()
    assert hall.seen == ("R7/7k/8/8/8/8/7p/K7", 0)
    hall.real.set_piece_at(chess.A8, chess.Piece.from_symbol("R"))
    hall.touch("h7", ".")
    hall.touch("g7", "k")
    hall.press("black")
    hall.wait()
    hall.frames()
    assert hall.moves == ["a7a8r", "h7g7"]
    assert hall.driver.kept is not None
    assert sorted(hall.driver.kept.pieces.values()) == ["K", "P", "R", "k", "p"]


def test_a_strange_set_in_the_middle_of_a_game_is_learnt_by_nobody(tmp_path: Path) -> None:
    """The file is lost, and the table starts again: squares only, until the next game begins."""
    hall = ChipHall(tmp_path)
    hall.begin()
    hall.move("e2e4")
    hall.driver.pieces = hall.driver.kept = None
    hall.restart()
    hall.frames()
    hall.move("e7e5")
    hall.move("g1f3")
    assert hall.moves == ["e2e4", "e7e5", "g1f3"]
    assert hall.driver.pieces is None
    assert hall.events(Board) == []


def test_what_is_known_is_kept_in_a_file_and_a_broken_one_says_nothing(tmp_path: Path) -> None:
    path, pieces = tmp_path / "pieces", certabo.PieceSet({(1, 2, 3, 4, 5): "Q", (1, 2, 3, 4, 6): "k"})
    assert kept_pieces(path) is None
    keep_pieces(path, pieces)
    assert kept_pieces(path) == pieces
    for rows in ("[[1,2", json.dumps([[1, 2]]), "{}x"):
        path.write_text(rows, encoding="utf-8")
        assert kept_pieces(path) is None


class _Told:
    """A board that remembers what it was told to expect."""

    placements: list[str]

    def __init__(self) -> None:
        self.placements = []

    def expect(self, placement: str, begun: bool) -> None:
        self.placements.append(placement)


@pytest.mark.parametrize("about", ["promotion", "capture", "move", "missed"])
def test_nothing_is_learnt_from_a_position_that_is_open_yet(about: str) -> None:
    board, player = _Told(), Player(1, "A")
    game = [Assigned(0, 1, 1, Assignment("e", 1, 1, "r1b1", 1, player, Player(2, "B"), "90+30")), Start(1)]
    asked = [*game, Question(2, "q1", "white", about, ("a", "b"))]
    teacher = Teacher(board)
    for log in (game, asked, [*asked, Answer(3, "q1", "white", "…")]):
        teacher.look(replay(log))
    assert board.placements == [chess.STARTING_BOARD_FEN, "", chess.STARTING_BOARD_FEN]
