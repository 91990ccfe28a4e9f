"""What an identified board shows, told as a player's hand moves over it."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.events import Assignment, Player
from rules.laws.game import (
    GameState,
    MakeMove,
    PressClock,
    PressOnly,
    Refusal,
    decide,
    decide_assignment,
    decide_order,
    replay,
)
from rules.laws.observer import MadePly, Observation, Observer, certain_moves, press_intent


class Hand:
    """A board with a hand above it. `does("-e2 +e4P", t)` lifts and places, and lets the observer look each time."""

    def __init__(self, fen: str = chess.STARTING_FEN) -> None:
        self.record = chess.Board(fen)
        self.pieces = chess.BaseBoard(self.record.board_fen())
        self.observer = Observer().observe(Observation(0, self.pieces.board_fen()), self.record)
        self.t = 0

    def does(self, story: str, every: int = 100) -> Observer:
        for step in story.split():
            self.t += every
            square = chess.parse_square(step[1:3])
            if step[0] == "-":
                self.pieces.remove_piece_at(square)
            else:
                self.pieces.set_piece_at(square, chess.Piece.from_symbol(step[3]))
            self.observer = self.observer.observe(Observation(self.t, self.pieces.board_fen()), self.record)
        return self.observer

    def stands(self) -> list[str]:
        return [ply.uci for ply in self.observer.candidate.plies] if self.observer.candidate else []

    def completes(self, uci: str) -> None:
        self.record.push_uci(uci)
        self.observer = self.observer.rebase(self.record)


@pytest.mark.parametrize(
    ("fen", "story", "move"),
    [
        (chess.STARTING_FEN, "-e2 +e3P -e3 +e4P", "e2e4"),  # a pawn slid over e3
        ("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "-a1 +a3R -a3 +a5R", "a1a5"),
        ("4k3/8/8/8/2p5/8/8/2Q1K3 w - - 0 1", "-c4 +c2Q +c3Q -c1 -c2 +c4Q -c3", "c1c4"),  # several squares at once
        (chess.STARTING_FEN, "+a3P -a2", "a2a3"),  # the new square first
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "-d5 -e4 +d5P", "e4d5"),  # victim first
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "-e4 -d5 +d5P", "e4d5"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "+d5P -e4", "e4d5"),  # on top
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "-e1 +g1K -h1 +f1R", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "-h1 +f1R -e1 +g1K", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "-e1 -h1 +g1K +f1R", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "-e8 +c8k -a8 +d8r", "e8c8"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "-d5 -e5 +d6P", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "-e5 +d6P -d5", "e5d6"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "-e7 +e8P -e8 +e8N", "e7e8n"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "+e8Q -e7", "e7e8q"),
    ],
)
def test_one_move_however_the_hand_goes(fen: str, story: str, move: str) -> None:
    hand = Hand(fen)
    hand.does(story)
    assert hand.stands() == [move]
    assert hand.observer.unexplained_since is None
    assert hand.observer.press("white" if hand.record.turn else "black") == MadePly(move, hand.t)


def test_half_a_castling_is_no_castling_and_no_alarm_at_once() -> None:
    hand = Hand("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    hand.does("-e1 +g1K")
    assert hand.stands() == []
    assert hand.observer.unexplained_since == 200
    hand.does("-h1")
    assert hand.observer.unexplained_since == 300  # counted anew: the hand is still at work
    assert hand.does("+f1R").unexplained_since is None


def test_a_rook_moved_beside_the_king_is_a_rook_move_until_the_king_follows() -> None:
    hand = Hand("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    hand.does("-h1 +f1R")
    assert hand.stands() == ["h1f1"]
    hand.does("-e1 +g1K")
    assert hand.stands() == ["e1g1"]


def test_castling_rights_come_from_the_record() -> None:
    hand = Hand("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1")
    hand.does("-e1 +g1K -h1 +f1R")
    assert hand.stands() == []
    assert hand.observer.press("white") == "unexplained"


def test_an_en_passant_victim_left_on_the_board_is_not_taken() -> None:
    hand = Hand("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2")
    hand.does("-e5 +d6P")
    assert hand.observer.press("white") == "unexplained"


def test_a_pawn_left_on_the_last_rank_is_no_promotion() -> None:
    hand = Hand("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1")
    hand.does("-e7 +e8P")
    assert hand.stands() == []
    assert hand.observer.unexplained_since == 200


def test_a_move_put_back_is_nothing() -> None:
    hand = Hand()
    hand.does("-e2 +e4P -e4 +e2P")
    assert hand.stands() == []
    assert hand.observer.explained
    assert hand.observer.press("white") == "no-move"


def test_adjusting_pieces_is_nothing_and_rings_no_bell() -> None:
    hand = Hand()
    assert hand.does("-g1").in_the_air
    assert hand.observer.unexplained_since is None
    assert hand.observer.press("white") == "unexplained"
    hand.does("+g1N -d7 -d1 +d1Q +d7p")
    assert hand.observer.explained


def test_pieces_knocked_over_are_unexplained() -> None:
    hand = Hand()
    assert hand.does("-g1 -g2 -h1").unexplained_since == 300
    assert hand.does("+g1N +g2P +h1R").explained


def test_an_illegal_move_is_unexplained() -> None:
    hand = Hand("6k1/5ppp/8/8/8/3R4/5PPP/4r1K1 w - - 0 30")
    hand.does("-d3 +e3R")
    assert hand.observer.press("white") == "unexplained"
    assert hand.observer.unexplained_since == 200


def test_a_reply_before_the_press_keeps_the_first_move_and_its_stamp() -> None:
    hand = Hand("r2qkbnr/ppp1pppp/2n5/3pPb2/3P4/8/PPP2PPP/RNBQKBNR w KQkq - 1 4")
    hand.does("-f1 +b5B")
    assert hand.observer.press("white") == MadePly("f1b5", 200)
    hand.does("-a7")
    assert hand.observer.press("white") == MadePly("f1b5", 200)  # pressed while Black has a pawn in his hand
    hand.does("+a6p")
    assert hand.stands() == ["f1b5", "a7a6"]
    assert hand.observer.press("white") == MadePly("f1b5", 200)
    assert hand.observer.press("black") == "wrong-side"
    hand.completes("f1b5")
    assert hand.observer.press("black") == MadePly("a7a6", 400)


def test_a_recapture_between_two_looks() -> None:
    hand = Hand("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1")
    hand.pieces.set_board_fen("4k3/8/8/3p4/8/8/8/4K3")
    hand.observer = hand.observer.observe(Observation(500, hand.pieces.board_fen()), hand.record)
    assert hand.stands() == ["e4d5", "e6d5"]


def test_a_piece_picked_up_again_before_the_press_is_not_made() -> None:
    hand = Hand("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    hand.does("-a1 +a3R -a3")
    assert hand.observer.press("white") == "unexplained"
    hand.does("+a3R")
    assert hand.observer.press("white") == MadePly("a1a3", 400)  # made when it was released for good


def test_sliding_the_reply_over_squares_no_move_reaches_keeps_the_stamp() -> None:
    hand = Hand("4k1n1/8/8/8/8/8/8/R3K3 w - - 0 1")
    hand.does("-a1 +a3R -g8 +g7n -g7 +f6n")
    assert hand.observer.press("white") == MadePly("a1a3", 200)


def test_a_takeback_after_the_press_is_unexplained() -> None:
    hand = Hand()
    hand.does("-e2 +e4P")
    hand.completes("e2e4")
    assert hand.observer.explained
    hand.does("-e4 +e2P")
    assert hand.observer.unexplained_since == 400


def test_the_other_side_moving_first_is_unexplained() -> None:
    hand = Hand()
    hand.does("-e7 +e5p")
    assert hand.observer.press("white") == "unexplained"
    assert hand.observer.press("black") == "wrong-side"


def test_the_same_placement_costs_nothing() -> None:
    hand = Hand()
    before = hand.does("-e2 +e4P")
    again = before.observe(Observation(9_000, hand.pieces.board_fen()), hand.record)
    assert again is before
    assert before.settled(400, 300) is None
    assert before.settled(500, 300) == before.candidate


def test_a_placement_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 8 rows"):
        Observer().observe(Observation(0, "8/8"), chess.Board())


# -- together with the game ---------------------------------------------------------------------------------------


def game_from(fen: str, edition: str = "") -> GameState:
    assignment = Assignment(
        "e", 1, 1, "r1b1", 1, Player(1, "A"), Player(2, "B"), "3+2", start_fen=fen, edition=edition
    )  # fmt: skip
    state = replay(decide_assignment(GameState(), assignment, 0))
    return replay(decide_order(state, "o1", "start", "r1b1", {}, 0), state)


def test_a_mate_is_certain_once_it_has_stood() -> None:
    fen = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
    hand, state = Hand(fen), game_from(fen)
    hand.does("-a1 +a7R -a7 +a8R")
    assert certain_moves(state, hand.observer, 650, 300) == ()
    assert certain_moves(state, hand.observer, 700, 300) == (MakeMove("a1a8", 400),)


@pytest.mark.parametrize(("edition", "certain"), [("", 1), ("club1997", 0)])
def test_which_moves_end_a_game_by_themselves_is_a_matter_of_the_edition(edition: str, certain: int) -> None:
    """King takes the last piece: a dead position, which not every edition sees without a player's word."""
    fen = "7k/6R1/8/8/8/8/8/K7 b - - 0 1"
    hand, state = Hand(fen), game_from(fen, edition)
    hand.does("-g7 -h8 +g7k")
    assert len(certain_moves(state, hand.observer, 9_000, 300)) == certain


def test_a_quiet_move_is_certain_only_by_a_press_or_an_answer() -> None:
    fen = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
    hand, state = Hand(fen), game_from(fen)
    hand.does("-a1 +a7R")
    assert certain_moves(state, hand.observer, 9_000, 300) == ()
    assert press_intent(state, hand.observer, "white") == PressClock("white", "a1a7", 200)
    hand.does("-h8 +g8k")
    assert certain_moves(state, hand.observer, 9_000, 300) == (MakeMove("a1a7", 200),)
    made = decide(state, MakeMove("a1a7", 200), 9_000)
    assert not isinstance(made, Refusal)
    state = replay(made, state)
    hand.completes("a1a7")
    assert certain_moves(state, hand.observer, 9_000, 300) == ()
    assert press_intent(state, hand.observer, "white") == PressOnly("white")  # his move is made, the press is missing


def test_a_press_on_an_unchanged_board_has_no_move() -> None:
    state, hand = game_from(chess.STARTING_FEN), Hand()
    assert press_intent(state, hand.observer, "white") == PressClock("white")


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=60))
def test_every_legal_ply_and_reply_is_found_again(choices: list[int]) -> None:
    """From a random position, the placement after one ply gives that ply, and after two plies both."""
    board = chess.Board()
    for choice in choices[:-2]:
        moves = list(board.legal_moves)
        if not moves:
            return
        board.push(moves[choice % len(moves)])
    observer = Observer().observe(Observation(0, board.board_fen()), board)
    after, line = board.copy(stack=False), []
    for t, choice in enumerate(choices[-2:], 1):
        moves = list(after.legal_moves)
        if not moves:
            return
        line.append(moves[choice % len(moves)].uci())
        after.push_uci(line[-1])
        observer = observer.observe(Observation(t, after.board_fen()), board)
        assert observer.candidate is not None
        assert [ply.uci for ply in observer.candidate.plies] == line
        assert [ply.made_at for ply in observer.candidate.plies] == list(range(1, t + 1))
        assert observer.explained
