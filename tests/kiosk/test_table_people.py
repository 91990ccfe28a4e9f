"""Simulated people and their hands: what they do follows from the seed, however busy the machine is."""

from __future__ import annotations

import asyncio

import chess
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.hands import Hands as Pieces
from drivers.interfaces import BoardReport, OccupancyReport
from hallnet.views import ClockView, MoveView, QuestionView, TableView
from kiosk.demo.options import fastest
from kiosk.table import hardware, people
from kiosk.table.hardware import Hands
from rules.laws.events import OTHER_MOVES, OTHERS, Assignment, Player, Side
from rules.laws.generator import GameScript, script
from tests.kiosk.fakes import table as table_view

MAIN_MS, INCREMENT_MS = 600_000, 5_000


def at_move(game: GameScript, ply: int, left_ms: int, speed: float) -> TableView:
    """The table before ply number `ply` (from 0), both clocks at `left_ms`."""
    board = chess.Board()
    moves = []
    for step in game.steps[:ply]:
        move = chess.Move.from_uci(step.uci)
        moves.append(MoveView(san=board.san(move), uci=step.uci, clock_ms=0))
        board.push(move)
    side: Side = "white" if board.turn else "black"
    assignment = Assignment("e", 1, 1, "r1b1", 1, Player(1, "A"), Player(2, "B"), "10+5")
    clock = ClockView(t=1_000_000, white_ms=left_ms, black_ms=left_ms, running=side, delay_ms=0)
    return table_view(
        phase="playing", assignment=assignment, fen=board.fen(), turn=side, moves=tuple(moves), clock=clock,
        t=1_000_000, speed=speed, candidate="", question=None, taken=(), offer=None,
    )  # fmt: skip


@given(seed=st.integers(0, 200), speed=st.sampled_from([1.0, 20.0, 60.0, 100.0]), part=st.floats(0, 1))
def test_nobody_thinks_his_spare_time_away_before_the_script_has_ended(seed: int, speed: float, part: float) -> None:
    game = script(seed % 20, 1, seed % 8, 1900, 1900, MAIN_MS, INCREMENT_MS, "flag")
    ply = min(int(part * len(game.steps)), len(game.steps) - 1)
    act = people.next_act(at_move(game, ply, MAIN_MS, speed), game, people.Memory(game="r1b1"))
    assert act is not None
    assert act.do in ("hands", "call")
    if act.do == "hands":
        spare_ms = min(MAIN_MS // 2, int(people.SPARE_MS * speed))
        assert act.due <= 1_000_000 + MAIN_MS - spare_ms


def test_who_is_behind_the_script_moves_at_once() -> None:
    game = script(1, 1, 0, 1900, 1900, MAIN_MS, INCREMENT_MS, "checkmate")
    act = people.next_act(at_move(game, 10, 100_000, 60.0), game, people.Memory(game="r1b1"))
    assert act == people.Act(1_000_000, "hands", {"side": "white", "uci": game.steps[10].uci})


class _Board(Pieces):
    """Pieces on squares, and nothing that looks at them."""

    def __init__(self) -> None:
        self.squares = ["."] * 64
        self.set_up(chess.STARTING_BOARD_FEN)

    def letter(self, square: chess.Square) -> str:
        return self.squares[square]

    def change(self, square: chess.Square, piece: str) -> None:
        self.squares[square] = piece


class _Panel:
    def push(self, side: Side) -> None:
        raise AssertionError("nobody presses here")

    release = push

    def close(self) -> None:
        """Nothing to let go of."""


@pytest.mark.parametrize("identified", [True, False])
def test_hands_are_done_when_the_board_has_told_what_stands_there(identified: bool) -> None:
    async def story() -> None:
        board = _Board()
        hands = Hands(board, _Panel(), 0.0 if identified else 0.001)
        told: list[str] = []

        def tell() -> None:
            told.append(board.placement)
            pieces = chess.BaseBoard(board.placement)
            hands.sees(BoardReport(1, board.placement) if identified else OccupancyReport(1, pieces.occupied))

        async def until_there(square: chess.Square, piece: str) -> None:
            async with asyncio.timeout(20):
                while board.letter(square) != piece:  # noqa: ASYNC110 - the board has no event
                    await asyncio.sleep(0.005)

        tell()
        move = asyncio.create_task(hands.play(chess.STARTING_FEN, "e2e4"))
        await until_there(chess.E2, ".")
        await asyncio.sleep(0.05)
        assert not move.done(), "the board is slow"
        if not identified:
            assert board.letter(chess.E4) == ".", "it must see that the pawn was lifted"
            tell()
            await until_there(chess.E4, "P")
            await asyncio.sleep(0.05)
            assert not move.done()
        await until_there(chess.E4, "P")
        tell()
        await asyncio.wait_for(move, 5)
        assert told[-1] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"

    asyncio.run(story())


def test_a_board_that_sees_nothing_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "SEEN_S", 0.05)

    async def story() -> float:
        loop = asyncio.get_running_loop()
        hands = Hands(_Board(), _Panel(), 0.001)
        await hands.play(chess.STARTING_FEN, "e2e4")
        begun = loop.time()
        monkeypatch.setattr(hardware, "SEEN_S", 30.0)
        await hands.play("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "e7e5")
        return loop.time() - begun

    assert asyncio.run(story()) < 10


def test_a_hall_is_no_faster_than_hands_on_a_busy_machine() -> None:
    assert fastest("10+5") >= 60
    assert fastest("90+30") > 200
    assert 1 <= fastest("1+0") < fastest("3+2") < fastest("5+3") < fastest("10+5")


@given(seed=st.integers(0, 50), part=st.floats(0, 1))
def test_who_is_asked_which_move_an_earlier_one_was_says_what_his_hands_did(seed: int, part: float) -> None:
    game = script(seed % 20, 1, seed % 8, 1900, 1900, MAIN_MS, INCREMENT_MS, "flag")
    ply = min(int(part * 20), len(game.steps) - 2)
    view = at_move(game, ply + 1, MAIN_MS, 1.0)
    side: Side = "white" if ply % 2 == 0 else "black"
    real = game.steps[ply].uci
    asked = QuestionView(id="q1", side=side, about="move", options=("a1a1", real, OTHERS), move=ply // 2 + 1)
    memory = people.Memory(game="r1b1")
    wrong = (*view.moves[:-1], msgspec.structs.replace(view.moves[-1], uci="a1a1"))  # as the board saw it
    view = msgspec.structs.replace(view, question=asked, moves=wrong)
    act = people.next_act(view, game, memory)
    assert act is not None
    assert (act.do, act.d["value"], act.d["id"]) == ("answer", real, "q1")
    memory.done.add(act.once)
    refused = people.next_act(view, game, memory)
    assert refused is None or refused.do != "answer", "a refused answer keeps nobody from playing on"
    other = msgspec.structs.replace(view, question=msgspec.structs.replace(asked, options=("a1a1", OTHERS)))
    act = people.next_act(other, game, people.Memory(game="r1b1"))
    assert act is not None
    assert act.d["value"] == OTHERS


def test_who_is_asked_what_the_board_has_missed_says_what_was_played() -> None:
    game = script(1, 1, 0, 1900, 1900, MAIN_MS, INCREMENT_MS, "checkmate")
    view, board, line = at_move(game, 6, MAIN_MS, 1.0), chess.Board(), []
    for step in game.steps[:6]:
        board.push_uci(step.uci)
    for step in game.steps[6:8]:
        line.append(board.san(chess.Move.from_uci(step.uci)))
        board.push_uci(step.uci)
    first = next(move for move in chess.Board(view.fen).legal_moves if move.uci() != game.steps[6].uci)
    options = (chess.Board(view.fen).san(first), " ".join(line), OTHER_MOVES)
    asked = QuestionView(id="q1", side="white", about="missed", options=options)
    act = people.next_act(msgspec.structs.replace(view, question=asked), game, people.Memory(game="r1b1"))
    assert act is not None
    assert (act.do, act.d["value"]) == ("answer", " ".join(line))
