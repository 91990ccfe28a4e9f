"""The core and its board: what sensors of both kinds say becomes the record, a question, or a word to people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from drivers.boards.dgt.firmware import Firmware
from drivers.interfaces import BoardReport, KeyReport, LinkReport, OccupancyReport, PressReport, Report, StillReport
from hallnet import wire
from hallnet.clock import boot_us
from hallnet.outbox import Outbox
from kiosk.table.at_board import BoardSetup, record_of
from kiosk.table.core import Changed, FromDevice, FromFace, Replied, TableCore
from kiosk.table.hardware import touches
from kiosk.table.link import FromHub
from kiosk.table.picture import Picture
from kiosk.table.timeline import Timeline
from rules.laws.events import Assignment, Board, Call, Fault, GameEvent, OrderDone, Player, Side
from rules.laws.game import GameState, replay

OCCUPANCY = BoardSetup("occupancy", settle_ms=100, grace_ms=40)
PIECES = BoardSetup("identified", settle_ms=300, grace_ms=40)
SPEED = 60.0


class Wound(Timeline):
    """Chess time that passes when the test says so, a millisecond with each look, however busy the machine is."""

    def __init__(self, speed: float, now_us: int) -> None:
        super().__init__(speed)
        self.now_us = now_us

    def __call__(self) -> int:
        return int(self.now_us * self.speed) // 1000

    def stamp(self) -> int:
        """`CLOCK_BOOTTIME` (ms) of what a device says now."""
        self.pass_by(0.001)
        return self.now_us // 1000

    def pass_by(self, seconds: float) -> None:
        """Time passes for real."""
        self.now_us += int(seconds * 1_000_000)


class Hall:
    """A core whose board and clock are moved by the test, and a hub that says what the test says."""

    def __init__(self, folder: Path, setup: BoardSetup, fen: str = "", start: bool = True) -> None:
        self.setup, self.path = setup, folder / "table.db"
        self.picture = Picture(GameState())
        self.timeline = Wound(SPEED, boot_us())
        self.real = chess.Board(fen or chess.STARTING_FEN)
        self.turned = False
        self._open()
        if start:
            self.see()
            self.assign(fen)
            self.order("start")

    def _open(self) -> None:
        self.outbox = Outbox.open(self.path)
        self.core = TableCore(self.outbox, self.timeline, "boot", self.setup)
        self._take(self.core.open())

    def restart(self) -> None:
        """The program is killed and starts again."""
        self.outbox.close()
        self._open()

    def assign(self, fen: str = "") -> None:
        """A game comes from the hub."""
        assignment = Assignment("e", 1, 1, "r1b1", 1, Player(1, "Anna"), Player(2, "Boris"), "90+30", start_fen=fen)
        message = wire.assignment_message(assignment, "go")
        self._take(self.core.step([FromHub(wire.Snapshot(e=1, inc=1, last=0, assignment=message))]))

    def order(self, kind: str, d: dict[str, str | int] | None = None) -> None:
        """The arbiter's desk wants something."""
        order = wire.OrderMsg(id=f"{kind}-{self.outbox.last}", game="r1b1", kind=kind, d=d or {})
        self._take(self.core.step([FromHub(order)]))

    def _take(self, outputs: Sequence[object]) -> list[Replied]:
        for output in outputs:
            if isinstance(output, Changed):
                self.picture = output.picture
        return [output for output in outputs if isinstance(output, Replied)]

    def report(self, report: Report) -> None:
        """A device says something."""
        self._take(self.core.step([FromDevice(report)]))

    def see(self, board: chess.BaseBoard | None = None) -> None:
        """The sensor tells what stands there."""
        shown = (board or self.real).copy()
        if self.turned:
            shown.apply_transform(lambda bits: chess.flip_vertical(chess.flip_horizontal(bits)))
        now = self.timeline.stamp()
        if self.setup.sensor == "identified":
            self.report(BoardReport(now, shown.board_fen()))
        else:
            self.report(OccupancyReport(now, shown.occupied))

    def hands(self, uci: str) -> None:
        """A move by hand, each touch seen."""
        pieces = chess.BaseBoard(self.real.board_fen())
        for square, letter in touches(self.real, chess.Move.from_uci(uci)):
            pieces.set_piece_at(square, None if letter == "." else chess.Piece.from_symbol(letter))
            self.see(pieces)
            self.timeline.pass_by(0.002)
        self.real.push(self.real.parse_uci(uci))

    def press(self, side: Side) -> None:
        """A plunger."""
        self.report(PressReport(self.timeline.stamp(), side))

    def wait(self, chess_ms: int = 2_500) -> None:
        """Chess time passes, and a press has been judged."""
        self.timeline.pass_by(max(0.05, chess_ms / 1000 / SPEED))
        self._take(self.core.step([]))

    def move(self, uci: str) -> None:
        """A move and its press."""
        side: Side = "white" if self.real.turn else "black"
        self.hands(uci)
        self.press(side)
        self.wait()

    def face(self, kind: str, **d: object) -> bool:
        """A face wants something."""
        return self._take(self.core.step([FromFace(1, kind, d)]))[0].reply.ok

    @property
    def state(self) -> GameState:
        """The fold of the log."""
        return replay(self.outbox.events())

    @property
    def moves(self) -> list[str]:
        """The record."""
        return [ply.uci for ply in self.state.plies]

    def events(self, kind: type[GameEvent]) -> list[GameEvent]:
        """All events of a kind."""
        return [event for event in self.outbox.events() if isinstance(event, kind)]


@pytest.mark.parametrize("setup", [PIECES, OCCUPANCY])
def test_a_game_with_captures_and_castling_is_recorded_with_what_was_touched(tmp_path: Path, setup: BoardSetup) -> None:
    hall = Hall(tmp_path, setup)
    game = ["e2e4", "d7d5", "e4d5", "g8f6", "g1f3", "f6d5", "f1e2", "e7e6", "e1g1"]
    for uci in game:
        hall.move(uci)
    assert hall.moves == game
    assert hall.state.plies[2].touched == ("d5", "e4")
    assert hall.picture.placement == hall.real.board_fen()
    assert (hall.state.running, hall.picture.problem) == ("black", "")


def test_a_promotion_is_asked_while_the_opponents_clock_runs(tmp_path: Path) -> None:
    hall = Hall(tmp_path, OCCUPANCY, "7k/P7/8/8/8/8/1r5p/K7 w - - 0 1")
    hall.real.set_piece_at(chess.A1, chess.Piece.from_symbol("K"))
    hall.move("a7a8q")
    state = hall.state
    assert (state.running, state.plies[0].uci) == ("black", "a7a8q")
    asked = state.questions[0]
    assert (asked.side, asked.about, asked.options) == ("white", "promotion", ("q", "r", "b", "n"))
    assert not hall.face("answer", side="black", id=asked.id, value="n")
    assert hall.face("answer", side="white", id=asked.id, value="n")
    assert (hall.moves, hall.state.questions) == (["a7a8n"], ())
    assert hall.state.position.piece_at(chess.A8) == chess.Piece.from_symbol("N")
    assert replay(hall.outbox.events()) == hall.picture.state


def test_a_promotion_nobody_answered_shows_by_the_next_move_of_the_piece(tmp_path: Path) -> None:
    hall = Hall(tmp_path, OCCUPANCY, "8/P6k/8/8/8/8/6P1/K7 w - - 0 1")
    hall.move("a7a8q")
    hall.move("h7g7")
    hall.real.set_piece_at(chess.A8, chess.Piece.from_symbol("N"))
    hall.move("a8b6")  # no queen, rook or bishop goes there
    assert hall.moves == ["a7a8n", "h7g7", "a8b6"]
    assert hall.state.questions == ()


def test_a_mate_is_not_guessed_but_counts_when_it_is_said(tmp_path: Path) -> None:
    fen = "7k/P7/7K/8/8/8/6P1/8 w - - 0 1"
    hall = Hall(tmp_path, OCCUPANCY, fen)
    hall.move("a7a8q")
    assert hall.state.phase == "playing"
    assert hall.moves == ["a7a8b"]  # queen and rook would mate
    assert hall.face("answer", side="white", id=hall.state.questions[0].id, value="q")
    assert (hall.state.score, hall.state.ended_by, hall.moves) == ("1-0", "checkmate", ["a7a8q"])


def test_a_capture_of_which_only_the_origin_was_seen_is_asked_and_counts_from_the_press(tmp_path: Path) -> None:
    hall = Hall(tmp_path, OCCUPANCY, "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1")
    pieces = hall.real.copy()
    pieces.remove_piece_at(chess.E4)
    hall.see(pieces)
    hall.press("white")
    hall.wait()
    asked = hall.state.questions[0]
    assert (asked.side, asked.about, asked.options) == ("white", "capture", ("d5", "f5"))
    assert hall.moves == []
    before = hall.state.clocks(hall.timeline())[0]
    hall.wait(6_000)
    assert hall.face("answer", side="white", id=asked.id, value="f5")
    assert (hall.moves, hall.state.running) == (["e4f5"], "black")
    assert hall.state.plies[0].left[0] > before, "the time until the answer is nobody's"


def test_kings_in_the_centre_propose_a_result(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.move("e2e4")
    hall.move("e7e5")
    pieces = hall.real.copy()
    for square, king, home in ((chess.E4, "K", chess.E1), (chess.D5, "k", chess.E8)):
        pieces.remove_piece_at(home)
        pieces.set_piece_at(square, chess.Piece.from_symbol(king))
        hall.see(pieces)
    hall.wait(6_000)
    state = hall.state
    assert (state.phase, state.proposed, state.proposed_by) == ("paused", "1-0", None)
    assert state.position.fullmove_number == 2, "no move was made of it"
    assert hall.face("confirm", side="white", score="1-0")
    assert hall.face("confirm", side="black", score="1-0")
    assert (hall.state.phase, hall.state.score) == ("confirmed", "1-0")


def test_a_lost_cable_costs_no_move_and_no_time(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.report(LinkReport(hall.timeline.stamp(), "board", False, "pulled"))
    hall.real.push_uci("e2e4")
    hall.press("white")
    assert hall.state.running == "black", "the press alone drives the clock"
    hall.real.push_uci("c7c5")
    hall.press("black")
    hall.report(LinkReport(hall.timeline.stamp(), "board", True, "in again"))
    hall.see()
    hall.wait()
    assert (hall.moves, hall.state.running, hall.state.ahead) == (["e2e4", "c7c5"], "white", 0)
    assert [event.state for event in hall.events(Board) if isinstance(event, Board)] == ["lost", "returned"]
    hall.move("g1f3")
    assert hall.moves[-1] == "g1f3"


def test_a_board_that_was_never_there_leaves_the_clock_to_the_presses(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES, start=False)
    hall.report(LinkReport(hall.timeline.stamp(), "board", False, "no board"))
    hall.assign()
    hall.order("start")
    assert hall.state.board_lost
    hall.press("white")
    assert hall.state.running == "black"
    hall.restart()
    hall.see()
    assert not hall.state.board_lost, "after the restart it is there"


def test_moves_made_while_the_program_was_dead_are_found_once(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.move("d2d4")
    for uci in ("d7d5", "c2c4"):
        hall.real.push_uci(uci)
    hall.restart()
    hall.see()
    hall.wait()
    assert hall.moves[:2] == ["d2d4", "d7d5"]
    assert hall.picture.candidate == "c2c4"
    hall.press("black")
    hall.press("white")
    hall.wait()
    assert (hall.moves, hall.state.running) == (["d2d4", "d7d5", "c2c4"], "black")


class Memory:
    """A board's own memory, as the simulated board writes it."""

    def __init__(self, placement: str) -> None:
        self.firmware = Firmware()
        self.memory = b""
        for square, piece in chess.BaseBoard(placement).piece_map().items():
            self.firmware.change(square ^ 56, piece.symbol())

    def play(self, board: chess.Board, uci: str) -> None:
        """Pieces are moved while nobody looks."""
        for square, letter in touches(board, chess.Move.from_uci(uci)):
            self.firmware.change(square ^ 56, letter)
        board.push_uci(uci)

    def ask_memory(self) -> None:
        """Answers at once."""
        self.memory = self.firmware.memory


@pytest.mark.parametrize("moves", ["e2e4 e7e5 g1f3 b8c6", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1"])
def test_the_boards_own_memory_knows_the_order_of_moves_that_nobody_saw(tmp_path: Path, moves: str) -> None:
    memory = Memory(chess.STARTING_BOARD_FEN)
    hall = Hall(tmp_path, BoardSetup("identified", 300, 40, False, (), memory))
    for uci in moves.split():
        memory.play(hall.real, uci)
    hall.restart()
    hall.see()
    hall.wait()
    hall.wait()
    assert hall.moves == moves.split()
    assert hall.picture.problem == ""


def test_a_board_that_lies_the_other_way_round(tmp_path: Path) -> None:
    for setup in (BoardSetup("occupancy", 100, 40, None), PIECES):
        folder = tmp_path / setup.sensor
        folder.mkdir()
        hall = Hall(folder, setup, start=False)
        hall.turned = True
        hall.assign()
        hall.see()
        hall.order("start")
        for uci in ("e2e4", "e7e5", "g1f3"):
            hall.move(uci)
        assert hall.moves == ["e2e4", "e7e5", "g1f3"]
        assert hall.picture.placement == hall.real.board_fen()


def test_a_dead_square_stops_nobody(tmp_path: Path) -> None:
    hall = Hall(tmp_path, BoardSetup("occupancy", 100, 40, False, ("h8",)))
    hall.real.remove_piece_at(chess.H8)
    hall.see()
    for uci in ("e2e4", "e7e5"):
        hall.move(uci)
    assert (hall.moves, hall.picture.problem) == (["e2e4", "e7e5"], "")


def test_chess960_king_and_rook_change_places_under_a_board_that_sees_no_pieces(tmp_path: Path) -> None:
    fen = "4k3/8/8/8/8/8/P7/5KR1 w G - 0 1"
    hall = Hall(tmp_path, OCCUPANCY, fen, start=False)
    hall.real = chess.Board(fen, chess960=True)
    hall.see()
    hall.assign(fen)
    hall.order("start")
    hall.move("f1g1")
    assert hall.moves == ["f1g1"]
    assert hall.state.plies[0].san == "O-O"


def test_an_accident_is_told_square_by_square_and_put_right(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    pieces = hall.real.copy()
    for square in (chess.G1, chess.H1):
        pieces.remove_piece_at(square)
    pieces.set_piece_at(chess.H4, chess.Piece.from_symbol("N"))
    hall.see(pieces)
    hall.timeline.pass_by(0.55)  # an alert waits for half a second however fast chess time runs
    hall.wait(5_000)
    assert "g1: white knight missing" in hall.picture.problem
    hall.see()
    hall.wait()
    assert hall.picture.problem == ""
    assert [event.state for event in hall.events(Board) if isinstance(event, Board)] == ["unexplained", "ok"]


def test_a_completed_move_is_not_rewritten_when_it_is_undone(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.move("e2e4")
    hall.see(chess.Board())
    hall.wait(5_000)
    assert hall.moves == ["e2e4"]
    assert hall.picture.problem == "the last move is undone on the board"
    hall.order("pause")
    hall.order("correct", {"ply": 0, "resume": 1})
    hall.real = chess.Board()
    hall.wait()
    assert (hall.moves, hall.picture.problem) == ([], "")
    hall.move("d2d4")
    assert hall.moves == ["d2d4"]


def test_the_arbiters_key_calls_and_held_stops_the_clocks(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.report(KeyReport(hall.timeline.stamp(), long=False))
    assert [event.side for event in hall.events(Call) if isinstance(event, Call)] == [None]
    for phase in ("paused", "playing"):
        hall.report(KeyReport(hall.timeline.stamp(), long=True))
        assert hall.state.phase == phase


def test_pieces_that_are_not_learnt_yet_are_read_as_occupied_squares(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    for uci in ("e2e4", "d7d5"):
        pieces = hall.real.copy()
        pieces.push_uci(uci)
        hall.report(OccupancyReport(hall.timeline.stamp(), pieces.occupied))
        hall.press("white" if hall.real.turn else "black")
        hall.wait()
        hall.real.push_uci(uci)
    assert hall.moves == ["e2e4", "d7d5"]
    assert hall.picture.placement == hall.real.board_fen()


def test_a_record_begins_anew_after_an_illegal_move_that_stands(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.move("e2e4")
    state = hall.state
    assert record_of(state).move_stack == [chess.Move.from_uci("e2e4")]
    hall.real.set_board_fen("rnbqkbnr/pppp1ppp/8/8/4p3/8/PPPP1PPP/RNBQKBNR")
    hall.see()
    hall.press("black")
    hall.wait(5_000)
    assert hall.state.plies[1].illegal == "not-a-move"
    assert record_of(hall.state).move_stack == []
    assert record_of(hall.state) == hall.state.position
    assert not hall.events(Fault)


def test_a_press_turns_the_clocks_that_people_see_before_a_slow_board_is_trusted(tmp_path: Path) -> None:
    slow = BoardSetup("identified", settle_ms=300, grace_ms=400, lagging=True)
    hall = Hall(tmp_path, slow)
    hall.hands("e2e4")
    hall.press("white")
    assert (hall.moves, hall.picture.state.running) == ([], "black")
    assert hall.picture.candidate == "e2e4"
    shown = hall.picture.state.clocks(hall.timeline())[0]
    hall.timeline.pass_by(0.45)
    hall.wait()
    assert (hall.moves, hall.state.running) == (["e2e4"], "black")
    assert hall.state.clocks(hall.timeline())[0] == shown


def test_a_press_without_a_move_turns_no_clock_that_people_see(tmp_path: Path) -> None:
    hall = Hall(tmp_path, BoardSetup("identified", settle_ms=300, grace_ms=400, lagging=True))
    hall.press("white")
    assert hall.picture.state.running == "white"


def test_an_arbiter_marks_a_dead_square_and_the_game_goes_on_without_it(tmp_path: Path) -> None:
    setup = BoardSetup("identified", settle_ms=300, grace_ms=40, marked=tmp_path / "table.dead")
    hall = Hall(tmp_path, setup)
    blind = chess.BaseBoard(chess.STARTING_BOARD_FEN)
    blind.remove_piece_at(chess.H7)
    hall.see(blind)
    hall.wait(40_000)
    assert "h7" in hall.picture.problem
    hall.order("dead", {"squares": "H7"})
    hall.wait()
    assert hall.picture.problem == ""
    assert "h7" in hall.events(Fault)[-1].what
    hall.restart()
    blind.remove_piece_at(chess.E2)
    blind.set_piece_at(chess.E4, chess.Piece.from_symbol("P"))
    hall.see(blind)
    hall.wait()
    assert hall.picture.candidate == "e2e4"
    hall.press("white")
    hall.wait()
    assert (hall.moves, hall.picture.problem) == (["e2e4"], "")
    hall.order("dead", {"squares": "i9"})
    assert not hall.events(OrderDone)[-1].ok
    hall.order("dead", {"squares": ""})
    hall.wait(40_000)
    assert "h7" in hall.picture.problem


def test_a_press_that_was_forgotten_is_caught_up_with_by_the_next_one(tmp_path: Path) -> None:
    hall = Hall(tmp_path, BoardSetup("identified", settle_ms=300, grace_ms=40))
    hall.hands("e2e4")
    hall.hands("e7e5")  # White has not pressed, and is answered
    hall.wait(1_000)
    assert (hall.moves, hall.state.running, hall.state.ahead) == (["e2e4"], "white", 1)
    hall.hands("g1f3")
    hall.wait(1_000)
    assert (hall.moves, hall.state.ahead) == (["e2e4", "e7e5"], 2)
    hall.press("white")
    hall.wait()
    assert (hall.moves, hall.state.running, hall.state.ahead) == (["e2e4", "e7e5", "g1f3"], "black", 0)


class Asked:
    """A board that is asked by when it has told everything."""

    def __init__(self) -> None:
        self.since: list[int] = []

    def confirm(self, since_ms: int) -> None:
        self.since.append(since_ms)


def test_a_board_that_has_told_everything_up_to_the_press_is_not_waited_for(tmp_path: Path) -> None:
    board = Asked()
    hall = Hall(tmp_path, BoardSetup("identified", settle_ms=300, grace_ms=400, lagging=True, confirms=board))
    hall.hands("e2e4")
    hall.press("white")
    assert (hall.moves, len(board.since)) == ([], 1)
    hall.report(StillReport(hall.timeline.stamp(), board.since[0] - 1))
    assert hall.moves == []
    hall.report(StillReport(hall.timeline.stamp(), board.since[0]))
    assert (hall.moves, hall.state.running) == (["e2e4"], "black")
