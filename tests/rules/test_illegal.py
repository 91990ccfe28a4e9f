"""What stands on the board instead of a legal move, and what touching obliges to."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.illegal import bound, illegal_move, illegal_position, legal

START = chess.STARTING_FEN


@pytest.mark.parametrize(
    ("fen", "placement", "offence", "uci"),
    [
        (START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "no-move", "0000"),
        (START, "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR", "not-a-move", "e2e5"),
        (START, "rnbqkbnr/pppppppp/8/8/8/8/PPPPRPPP/RNBQKBN1", "not-a-move", "h1e2"),  # onto an own pawn
        ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/4r3/R4RK1", "not-a-move", "e1g1"),  # out of check
        ("4k3/8/8/8/8/8/8/R3K2R b - - 0 1", "8/8/5k2/8/8/8/8/R3K2R", "not-a-move", "e8f6"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "4k3/4r3/8/8/8/3B4/8/4K3", "king-in-check", "e2d3"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "P3k3/8/8/8/8/8/8/4K3", "pawn-on-last-rank", "a7a8"),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "Q3k3/8/8/8/8/8/8/4K3", "not-a-move", "a2a8q"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "4R3/8/8/8/8/8/8/5K2", "king-captured", "e1e8"),
        # Taken in passing where it is not allowed: Black's pawn has stood there for a while.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "4k3/8/3P4/8/8/8/8/4K3", "not-a-move", "e5d6"),
    ],
)
def test_kinds_of_illegal_moves(fen: str, placement: str, offence: str, uci: str) -> None:
    found = illegal_move(chess.Board(fen), placement)
    assert found is not None
    assert (found.offence, found.uci, found.placement) == (offence, uci, placement)


@pytest.mark.parametrize(
    "placement",
    [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",  # legal
        "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR",  # the other side's pawn
        "rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR",  # two moves
        "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR",  # a piece in the air
        "rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR",  # a pawn of the opponent is gone
        "rnbqkbnr/pppppppp/8/4Q3/8/8/PPPP1PPP/RNBQKBNR",  # a queen from nowhere
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR",  # two pieces exchanged
    ],
)
def test_what_is_no_single_move_of_the_side_is_not_judged(placement: str) -> None:
    assert illegal_move(chess.Board(), placement) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(0, 63), st.integers(0, 63))
def test_a_piece_anywhere_else_is_legal_or_named(choices: list[int], home: int, to: int) -> None:
    """Whatever own piece is put on whatever square: no legal move is called illegal, and no other is called legal."""
    board = chess.Board()
    for choice in choices:
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            return
        board.push(moves[choice % len(moves)])
    piece = board.piece_at(home)
    if piece is None or piece.color != board.turn or piece == board.piece_at(to):
        return  # onto a piece of the same kind: the board shows one piece less, and nobody can tell which
    after = board.copy()
    after.set_piece_at(home, None)
    after.set_piece_at(to, piece)
    reached = set()
    for move in board.legal_moves:
        board.push(move)
        reached.add(board.board_fen())
        board.pop()
    found = illegal_move(board, after.board_fen())
    assert (found is None) == (after.board_fen() in reached)
    if found is not None:
        assert found.offence != "no-move"
        assert not legal(board, found.uci)


def test_a_king_is_never_captured() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4RK2 w - - 0 1")
    assert chess.Move.from_uci("e1e8") in board.legal_moves  # for the library
    assert not legal(board, "e1e8")
    assert legal(board, "e1e7")
    assert not legal(board, "e1")


@pytest.mark.parametrize(
    ("fen", "kind"),
    [
        (START, ""),
        ("1r2r3/1R3ppp/1k6/1B6/8/2P1nP2/2K3PP/1R6 w - - 0 1", "both-kings-in-check"),
        ("1r2r3/1R3ppp/1k6/1B6/8/2PKnP2/6PP/1R6 b - - 0 1", ""),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "king-en-prise"),
        ("P3k3/8/8/8/8/8/8/4K3 b - - 0 1", "pawn-on-last-rank"),
        ("8/8/8/8/8/8/8/4K3 b - - 0 1", "king-missing"),
    ],
)
def test_illegal_positions(fen: str, kind: str) -> None:
    assert illegal_position(chess.Board(fen)) == kind


CASTLE = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"


@pytest.mark.parametrize(
    ("fen", "touched", "moves"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", ["e4"], {"e4e5", "e4d5"}),  # own piece: move it (4.3.1)
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", ["d5"], {"e4d5"}),  # the opponent's: capture it (4.3.2)
        ("4k3/8/8/3p4/4P3/8/8/3RK3 w - - 0 1", ["d1", "d5"], {"d1d5"}),  # both: one with the other (4.3.3)
        ("4k3/8/8/3p4/4P3/8/8/3RK3 w - - 0 1", ["e4", "d5"], {"e4d5"}),
        ("4k3/3b4/8/3p4/4P3/8/8/R3K3 w Q - 0 1", ["d7", "e4"], {"e4e5", "e4d5"}),  # the first that can act
        (CASTLE, ["e1", "h1"], {"e1g1"}),  # king and rook: castle there (4.4.1)
        (CASTLE, ["e1", "a1"], {"e1c1"}),
        ("4k3/8/8/8/2b5/8/8/R3K2R w KQ - 0 1", ["e1", "h1"], {"e1d1", "e1d2", "e1f2", "e1c1"}),  # king moves (4.4.3)
    ],
)
def test_touch_move(fen: str, touched: list[str], moves: set[str]) -> None:
    assert bound(chess.Board(fen), touched) == moves


def test_rook_first_then_no_castling_with_it() -> None:
    moves = bound(chess.Board(CASTLE), ["h1", "e1"])
    assert moves
    assert all(move.startswith("h1") for move in moves)


def test_a_touch_that_obliges_to_nothing_leaves_every_move() -> None:
    board = chess.Board("4k3/8/8/8/8/8/r2PB3/4K2R w - - 0 1")
    assert bound(board, ["h7"]) == bound(board, []) == frozenset(move.uci() for move in board.legal_moves)
