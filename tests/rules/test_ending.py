"""How games end by the position, and which claims are right."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws import ending


def played(moves: str, fen: str = chess.STARTING_FEN) -> tuple[chess.Board, tuple[str, ...]]:
    """The board after `moves` (SAN or UCI), and its history of keys."""
    board = chess.Board(fen)
    keys = [ending.position_key(board)]
    for text in moves.split():
        try:
            board.push_uci(text)
        except ValueError:
            board.push_san(text)
        keys.append(ending.position_key(board))
    return board, tuple(keys)


def ended(moves: str, fen: str = chess.STARTING_FEN) -> tuple[str, str] | None:
    end = ending.automatic(*played(moves, fen))
    return (end.score, end.by) if end else None


def test_fools_mate_ends_the_game() -> None:
    assert ended("f3 e5 g4 Qh4") == ("0-1", "checkmate")
    assert ended("f3 e5 g4") is None


def test_the_fastest_stalemate() -> None:
    moves = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"
    assert ended(moves) == ("1/2-1/2", "stalemate")


@pytest.mark.parametrize(
    ("fen", "dead"),
    [
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", True),
        ("8/8/4k3/8/8/3KN3/8/8 w - - 0 1", True),
        ("8/8/4kb2/8/8/3KB3/8/8 w - - 0 1", True),  # both on dark squares
        ("8/8/4k1b1/8/8/3KB3/8/8 w - - 0 1", False),  # different colours: a mate in the corner exists
        ("8/8/4k3/8/8/3KNN2/8/8 w - - 0 1", False),
        ("r7/K1k5/8/8/8/8/8/8 w - - 0 1", True),  # Kxa8 is forced: the check ended the game (5.2.2)
        ("8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4P1/K7 w - - 0 1", True),  # a wall
        ("8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4PP/K7 w - - 0 1", False),
        ("7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", False),  # Black cannot win, but White can
        (chess.STARTING_FEN, False),
    ],
)
def test_dead_positions(fen: str, dead: bool) -> None:
    assert ending.is_dead(chess.Board(fen)) is dead


@pytest.mark.parametrize(
    ("fen", "side", "enough"),
    [
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", "black", False),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", "white", True),
        ("8/8/8/4k3/8/8/3nn3/K7 w - - 0 1", "black", False),  # two knights force no mate
        ("8/8/8/4k3/8/8/P2nn3/K7 w - - 0 1", "black", True),
        ("8/8/8/4k3/8/8/3n4/K6R w - - 0 1", "black", True),  # knight against rook
        ("8/5n2/8/3k4/8/3K4/7Q/8 w - - 0 1", "black", False),
    ],
)
def test_the_forces_of_1997(fen: str, side: str, enough: bool) -> None:
    assert (ending.why_no_material(chess.Board(fen), side) == "") is enough  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        # d4 looks like an en passant chance, but Black is in check: the position after it is the same as later.
        ("8/8/8/8/4p3/8/R2P3k/K7 w - - 0 37", "d2d4 h2h3 a2a3 h3h2 a3a2 h2h1 a2a3 h1h2 a3a2"),
        # The capturing pawn is pinned.
        ("6k1/1p2p1rp/rP1pR3/2pP1pP1/p1P2P1P/R5K1/8/8 b - - 0 1", "h5 Rh6 Rh7 Re6 Rg7 Rh6 Rh7 Re6 Rg7"),
        # No pawn stands beside d5.
        (chess.STARTING_FEN, "e4 c5 e5 Qb6 Nf3 Qe6 Ng1 d5 Nf3 Nc6 Ng1 Nb8 Nf3 Nc6 Ng1 Nb8"),
    ],
)
def test_an_en_passant_that_cannot_be_played_is_none(fen: str, moves: str) -> None:
    board, keys = played(moves, fen)
    check = ending.check_claim(board, keys, "repetition")
    assert check.correct
    assert len(check.moves) == 3
    board, keys = played(moves.rsplit(" ", 1)[0], fen)
    assert not ending.check_claim(board, keys, "repetition").correct


def test_an_en_passant_that_can_be_played_makes_another_position() -> None:
    # After 3...d5 White could take: the first occurrence does not count.
    board, keys = played("e4 a6 e5 d5 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8")
    assert ending.check_claim(board, keys, "repetition").moves == ("4...", "6...")


def test_a_lost_castling_right_makes_another_position() -> None:
    board, keys = played("e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7")
    assert ending.check_claim(board, keys, "repetition").moves == ("2...", "4...", "6...")
    board, keys = played("e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8")
    assert ending.check_claim(board, keys, "repetition").moves == ("3...", "5...")


def test_only_the_announced_move_counts_for_a_claim() -> None:
    """Some other legal move would repeat the position; that gives no right (9.2.1)."""
    board, keys = played("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1")
    assert not ending.check_claim(board, keys, "repetition").correct
    assert ending.check_claim(board, keys, "repetition", "f6g8").moves == ("start", "2...", "4...")
    assert not ending.check_claim(board, keys, "repetition", "f6d5").correct
    with pytest.raises(ValueError, match="not a legal move"):
        ending.check_claim(board, keys, "repetition", "f6f5")


def test_a_mating_move_may_be_announced_for_fifty_moves() -> None:
    board, keys = played("", "7k/8/5K2/8/8/8/8/R7 w - - 99 120")
    assert not ending.check_claim(board, keys, "fifty-moves").correct
    assert ending.check_claim(board, keys, "fifty-moves", "a1a8").correct


def test_a_pawn_move_starts_the_count_anew() -> None:
    board, keys = played("", "7k/8/5K2/8/8/8/P7/R7 w - - 99 120")
    assert ending.check_claim(board, keys, "fifty-moves", "a1b1").correct
    assert not ending.check_claim(board, keys, "fifty-moves", "a2a3").correct


def test_fifty_moves_is_a_claim_and_seventy_five_the_end() -> None:
    assert ended("Rb1", "7k/8/5K2/8/8/8/8/R7 w - - 99 120") is None
    assert ended("Rb1", "7k/8/5K2/8/8/8/8/R7 w - - 148 120") is None
    assert ended("Rb1", "7k/8/5K2/8/8/8/8/R7 w - - 149 120") == ("1/2-1/2", "seventy-five-moves")


def test_a_mate_on_the_last_of_seventy_five_moves_is_mate() -> None:
    assert ended("Ra8", "7k/8/6K1/8/8/8/8/R7 w - - 149 120") == ("1-0", "checkmate")


def test_the_fifth_time_ends_the_game_and_needs_not_follow_at_once() -> None:
    shuffle = "Nf3 Nf6 Ng1 Ng8 "
    assert ended(shuffle * 3) is None
    assert ended(shuffle * 3 + "Nc3 Nc6 Nb1 Nb8") == ("1/2-1/2", "fivefold-repetition")
    end = ending.automatic(*played(shuffle * 4))
    assert end
    assert end.evidence["moves"] == "start, 2..., 4..., 6..., 8..."


def test_a_position_hash_follows_the_position_and_not_the_counters() -> None:
    early, late = played("Nf3 Nf6")[0], played("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6")[0]
    assert ending.position_hash(early) == ending.position_hash(late)
    assert ending.position_hash(early) != ending.position_hash(played("Nf3")[0])
    assert len(ending.position_hash(early)) == 8
    assert ending.position_hash(chess.Board()) == ending.hash_of_key(chess.Board().epd())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_repetition_agrees_with_a_count_over_the_moves(choices: list[int]) -> None:
    """A witness of its own: positions compared by pieces, turn and the set of legal moves of both sides."""
    board = chess.Board("4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1")
    keys, seen = [ending.position_key(board)], [witness(board)]
    for choice in choices:
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        board.push(moves[choice % min(len(moves), 3)])
        keys.append(ending.position_key(board))
        seen.append(witness(board))
        assert len(ending.occurrences(board, keys)) == seen.count(seen[-1])


def witness(board: chess.Board) -> tuple[object, ...]:
    return board.board_fen(), board.turn, board.castling_rights, tuple(sorted(move.uci() for move in board.legal_moves))
