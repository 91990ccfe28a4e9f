"""Moves as people type them, and the sentences for those that cannot be played."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.screen import chair as seat
from kiosk.screen.typed_moves import NotPossible, read_move
from rules.laws.events import Side

CASTLING = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        ("", "e4", "e2e4"),
        ("", "e2e4", "e2e4"),
        ("", "e2-e4", "e2e4"),
        ("", "Nf3", "g1f3"),
        ("", "nf3", "g1f3"),
        ("", "Ng1-f3!", "g1f3"),
        (CASTLING, "O-O", "e1g1"),
        (CASTLING, "0-0-0", "e1c1"),
        (CASTLING, "e1g1", "e1g1"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e8=Q", "e7e8q"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e7e8n", "e7e8n"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", "e4d5"),
        ("4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "Rad2", "a2d2"),
    ],
)
def test_all_usual_ways_of_writing_are_understood(fen: str, text: str, uci: str) -> None:
    assert read_move(chess.Board(fen) if fen else chess.Board(), text).uci() == uci


@pytest.mark.parametrize(
    ("fen", "text", "says"),
    [
        ("", "hello", "is no move"),
        ("", "e5", "No pawn of White can go to e5"),
        ("", "e7e5", "no piece of White on e7"),
        ("", "Bg1-f3", "On g1 stands a knight"),
        ("", "a1a4", "blocked: there is a piece on a2"),
        ("", "a1a2", "Your own pawn stands on a2"),
        ("", "g1g3", "knight does not move"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3", "leave your king in check"),
        ("4k3/4r3/8/8/8/8/P7/4K3 w - - 0 1", "a3", "does not help"),
        ("4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "Rd2", "More than one"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e8", "Which piece?"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e7e8", "Which piece?"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", "already moved"),
        ("", "O-O", "a piece between"),
        ("4k3/5r2/8/8/8/8/8/4K2R w K - 0 1", "O-O", "attacked square"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "in check"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Qd4", "has no queen any more"),
    ],
)
def test_an_impossible_move_is_explained(fen: str, text: str, says: str) -> None:
    with pytest.raises(NotPossible, match=says.replace("?", r"\?")):
        read_move(chess.Board(fen) if fen else chess.Board(), text)


@given(st.lists(st.integers(0, 400), max_size=60))
@settings(max_examples=40, deadline=None)
def test_each_legal_move_can_be_typed_in_both_forms(picks: list[int]) -> None:
    board = chess.Board()
    for pick in picks:
        legal = list(board.legal_moves)
        if not legal:
            break
        move = legal[pick % len(legal)]
        assert read_move(board, board.san(move)) == move
        assert read_move(board, move.uci()) == move
        board.push(move)


@given(st.text(max_size=9))
@settings(max_examples=100, deadline=None)
def test_no_typing_breaks_the_reader(text: str) -> None:
    chair, move = seat.entered(seat.Chair("white", text=text or "?"), "", True)
    if move is None:
        assert chair.wrong, "whoever typed something that is no move reads that"
    else:
        assert move in chess.Board().legal_moves
        assert chair.text == ""


@pytest.mark.parametrize(("side", "first", "right"), [("white", "e2", "f2"), ("black", "e7", "d7")])
def test_the_cursor_moves_as_the_board_is_seen(side: Side, first: str, right: str) -> None:
    chair = seat.Chair(side).stepped("up")
    assert chair.cursor == first
    assert chair.stepped("right").cursor == right
    for _step in range(20):
        chair = chair.stepped("left").stepped("down")
    assert chair.cursor == ("a1" if side == "white" else "h8")


def test_picking_up_and_putting_down_makes_the_move() -> None:
    chair, move = seat.entered(seat.Chair("white", cursor="g1"), "", True)
    assert chair.hand == "g1"
    assert move is None
    chair, move = seat.entered(seat.Chair("white", cursor="f3", hand="g1"), "", True)
    assert move == chess.Move.from_uci("g1f3")
    assert chair.hand == ""


def test_a_pawn_put_on_the_last_rank_asks_for_the_piece() -> None:
    fen = "8/4P1k1/8/8/8/8/8/K7 w - - 0 1"
    chair, move = seat.entered(seat.Chair("white", cursor="e8", hand="e7"), fen, True)
    assert move is None
    assert chair.promoting == "e7e8"
    assert seat.promoted(chair, "x") == (chair, None)
    assert seat.promoted(chair, "N")[1] == chess.Move.from_uci("e7e8n")
