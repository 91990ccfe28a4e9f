"""Can this side still mate? Against recorded verdicts, against the rules themselves, and in mirrors."""

from __future__ import annotations

import csv
import os
import random
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws import winnable as module
from rules.laws.sides import SIDES, Side, other
from rules.laws.winnable import COLOURS, Verdict, proof_in_words, quick, quick_dead, winnable
from rules.laws.winnable_moves import position_of, successors
from rules.laws.winnable_search import Found
from rules.laws.winnable_wall import reach

DATA = Path(__file__).parents[1] / "data" / "winnable_positions.csv"
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", Path(__file__).parents[3] / "shared"))
ORACLE = SHARED / "oracle" / "unwinnability" / "positions.csv"

#: Where games of the property tests begin: play on all wings, walls, few pieces, rights and captures in passing.
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1",
    "4k3/8/1p1p1p1p/1PpPpPpP/2P1P1P1/8/2B1K3/8 w - - 0 1",
    "k7/8/p1p2p2/P1P2P1p/1p5P/1P1K4/8/8 w - - 0 1",
    "8/5k2/8/4n3/8/3K4/PP6/8 w - - 0 1",
    "8/5b2/3k4/8/8/3K4/6P1/2B5 w - - 0 1",
    "1k6/1P1p1p1p/BP6/1P6/8/8/3P1PKP/8 w - - 0 1",
)
NODES = 1_500
games = st.tuples(st.sampled_from(STARTS), st.integers(0, 2**32), st.integers(0, 50))


def played(game: tuple[str, int, int]) -> chess.Board:
    """The position after some random moves; the last one before the game is over."""
    fen, seed, plies = game
    board, chance = chess.Board(fen), random.Random(seed)
    for _ in range(plies):
        board.push(chance.choice(list(board.legal_moves)))
        if not any(board.legal_moves):
            board.pop()
            break
    board.clear_stack()
    return board


def mates(board: chess.Board, line: tuple[str, ...], side: Side) -> bool:
    """Whether `line` can be played move for move and ends with a mate by `side`."""
    here = board.copy(stack=False)
    for uci in line:
        move = chess.Move.from_uci(uci)
        if move not in here.legal_moves:
            return False
        here.push(move)
    return here.is_checkmate() and here.turn != COLOURS[side]


# -- recorded verdicts --------------------------------------------------------------------------------------------


def compare(rows: list[dict[str, str]], nodes: int) -> int:
    """Judge every row; no verdict may differ. Returns how many rows stayed open."""
    still_open = 0
    for row in rows:
        board, side = chess.Board(row["fen"]), SIDES[row["side"] == "black"]
        found = winnable(board, side, nodes=nodes)
        if found.verdict == "undetermined":
            still_open += 1
            continue
        assert found.verdict == row["verdict"], (row["id"], row["fen"], side)
        assert (found.line is None) == (found.verdict == "unwinnable")
        if found.line is not None:
            assert mates(board, found.line, side), row["id"]
    return still_open


def test_generated_positions() -> None:
    rows = list(csv.DictReader(DATA.open(encoding="utf-8")))
    assert {row["category"] for row in rows} == {"random_endgame", "forced_line", "locked_pawns", "pawn_wall", "named"}
    assert compare(rows, 50_000) <= len(rows) // 100


@pytest.mark.skipif(not ORACLE.exists(), reason="the collected positions are not on this computer")
def test_collected_positions() -> None:
    sources = {"community_challenge": 16, "library_regression": 14, "real_timeout_final": 14}
    rows = []
    for category, step in sources.items():
        with ORACLE.open(encoding="utf-8") as file:
            of_category = [row for row in csv.DictReader(file) if row["category"] == category]
        rows += [row | {"side": row["intended_winner"]} for row in of_category[3::step]]
    assert len(rows) > 300
    assert compare(rows, 4_000) <= len(rows) // 5


# -- decided cases ------------------------------------------------------------------------------------------------

CASES = [
    ("only the rook can be taken", "r7/K1k5/8/8/8/8/8/8 w - - 0 1", "black", "unwinnable"),
    ("only the queen can be taken", "7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", "black", "unwinnable"),
    ("only the queen can be taken", "7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", "white", "winnable"),
    ("kings behind a wall", "8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4P1/K7 w - - 0 1", "black", "unwinnable"),
    ("kings behind a wall", "8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4P1/K7 w - - 0 1", "white", "unwinnable"),
    ("lone bishop, the pawn promotes", "8/5k2/8/4b3/8/3K4/P7/8 w - - 0 1", "black", "winnable"),
    ("lone knight and pawns", "8/5k2/8/4n3/8/3K4/PP6/8 w - - 0 1", "black", "winnable"),
    ("lone knight and queen", "8/5n2/8/3k4/8/3K4/6Q1/8 w - - 0 1", "black", "unwinnable"),
    ("three pawns up", "8/4k3/4P3/3B2P1/4P1K1/8/3b4/8 w - - 0 1", "black", "winnable"),
    ("knight and king", "8/8/8/3k4/8/3KN3/8/8 b - - 0 1", "white", "unwinnable"),
    ("bishops of two colours", "8/8/2b5/3k4/8/3KB3/8/8 w - - 0 1", "white", "winnable"),
    ("bishops of one colour", "8/8/3b4/3k4/8/3KB3/8/8 w - - 0 1", "white", "unwinnable"),
    ("bishop and rook", "8/8/2r5/3k4/8/3KB3/8/8 w - - 0 1", "white", "unwinnable"),
    ("knight and rook", "8/8/2r5/3k4/8/3KN3/8/8 b - - 0 1", "white", "winnable"),
]


@pytest.mark.parametrize(("story", "fen", "side", "verdict"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_decided_case(story: str, fen: str, side: Side, verdict: str) -> None:
    assert winnable(chess.Board(fen), side, nodes=60_000).verdict == verdict


def test_forced_capture_is_dead_before_the_flag_falls() -> None:
    assert quick_dead(chess.Board("r7/K1k5/8/8/8/8/8/8 w - - 0 1"))
    assert not quick_dead(chess.Board("7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1"))


def test_the_breaking_move_decides() -> None:
    """As long as one pawn can still open the wall the game goes on."""
    open_wall = chess.Board("4k3/8/1p1p3p/1PpPp1pP/2P1P1P1/8/8/4K3 w - - 0 1")
    assert quick_dead(open_wall)
    open_wall.set_piece_at(chess.F3, chess.Piece.from_symbol("P"))
    assert winnable(open_wall, "white", nodes=60_000).verdict == "winnable"
    assert not quick_dead(open_wall)


def test_wall_with_a_capture_in_passing() -> None:
    """The double step has just been made; the capture in passing opens what looks locked."""
    board = chess.Board("4k3/8/8/1p1p2p1/pPpP1pPp/P1P2P1P/8/4K3 b - - 0 1")
    assert quick_dead(board)
    passing = chess.Board("4k3/8/8/1p1p4/pPpP1pPp/P1P2P1P/8/4K3 b - g3 0 1")
    assert not quick_dead(passing)


def test_finished_games_are_not_dead() -> None:
    mate = chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
    assert winnable(mate, "white") == Verdict("winnable", (), "over")
    assert winnable(mate, "black") == Verdict("unwinnable", None, "over")
    stalemate = chess.Board("k7/2K5/1Q6/8/8/8/8/8 b - - 0 1")
    assert {winnable(stalemate, side).verdict for side in SIDES} == {"unwinnable"}
    assert not quick_dead(stalemate)
    assert not quick_dead(mate)


def test_castling_counts_as_a_move_of_chess960_too() -> None:
    board = chess.Board("1k6/8/8/8/8/8/8/RK6 w A - 0 1", chess960=True)
    found = winnable(board, "white")
    assert found.line is not None
    assert mates(board, found.line, "white")


@pytest.mark.parametrize(
    "fen",
    ["8/8/8/8/8/8/8/K7 w - - 0 1", "k6P/8/8/8/8/8/8/K7 w - - 0 1", "k6R/8/8/8/8/8/8/K7 w - - 0 1"],
    ids=["no black king", "pawn on the last rank", "the other king in check, no proof at hand"],
)
def test_positions_that_cannot_occur_are_refused(fen: str) -> None:
    with pytest.raises(ValueError, match="cannot occur"):
        winnable(chess.Board(fen), "white")
    assert not quick_dead(chess.Board(fen))


@pytest.mark.parametrize(
    ("fen", "side", "words"),
    [
        ("8/8/8/3k4/8/3KN3/8/8 b - - 0 1", "white", "the pieces left can give no mate"),
        ("4k3/8/1p1p3p/1PpPp1pP/2P1P1P1/8/8/4K3 w - - 0 1", "white", "can ever get at the king"),
        ("7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", "black", "no position that can still arise is a mate"),
        ("k7/2K5/1Q6/8/8/8/8/8 b - - 0 1", "white", "no legal move and no mate"),
        (chess.STARTING_FEN, "white", ""),
    ],
)
def test_proofs_are_said_in_words(fen: str, side: Side, words: str) -> None:
    said = proof_in_words(quick(chess.Board(fen), side))
    assert words in said
    assert bool(said) == bool(words)


def test_budget_spent_is_no_verdict() -> None:
    board = chess.Board()
    assert winnable(board, "white", expired=lambda: True).by == "budget"
    assert winnable(board, "white", nodes=40).verdict == "undetermined"


def test_a_mate_that_does_not_replay_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    board = chess.Board()
    start = position_of(board)
    elsewhere = position_of(chess.Board("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"))
    after = successors(start)[0][0]
    for path in ([start, elsewhere], [start, after], [start]):
        found = Found(path, False, 2)
        monkeypatch.setattr(module, "search", lambda *args, found=found: found)
        assert winnable(board, "white") == Verdict("undetermined", None, "unconfirmed", 2)


# -- properties ---------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(games)
def test_successors_are_the_legal_moves(game: tuple[str, int, int]) -> None:
    board = played(game)
    expected = []
    for move in list(board.legal_moves):
        board.push(move)
        expected.append(position_of(board))
        board.pop()
    found, check = successors(position_of(board))
    bare = [(*position[:6], position[6] & ~126) for position in found]
    assert sorted(bare) == sorted((*position[:6], position[6] & ~126) for position in expected)
    assert check == board.is_check()
    # The square of a capture in passing is never missing where the capture is legal.
    assert {position for position in expected if position[6] & 126} <= set(found)


@settings(max_examples=60, deadline=None)
@given(games, st.integers(0, 2**32))
def test_no_piece_ever_leaves_its_reach(game: tuple[str, int, int], seed: int) -> None:
    board, chance = played(game), random.Random(seed)
    units = {unit.start.bit_length() - 1: unit for unit in reach(position_of(board))}
    for _ in range(60):
        moves = list(board.legal_moves)
        if not moves:
            return
        move = chance.choice(moves)
        rook_from = rook_to = None
        if board.is_castling(move):
            queenside = board.is_queenside_castling(move)
            rook_from, rook_to = move.to_square + (-2 if queenside else 1), move.to_square + (1 if queenside else -1)
        unit = units.pop(move.from_square)
        if board.is_en_passant(move):
            units.pop(move.to_square + (-8 if board.turn else 8))
        units[move.to_square] = unit
        if rook_from is not None and rook_to is not None:
            units[rook_to] = units.pop(rook_from)
        board.push(move)
        for square, each in units.items():
            assert each.squares >> square & 1
            if board.piece_type_at(square) == chess.PAWN:
                assert each.pawn_squares >> square & 1


@settings(max_examples=120, deadline=None)
@given(games, st.sampled_from(SIDES))
def test_lines_mate_and_proofs_hold(game: tuple[str, int, int], side: Side) -> None:
    board = played(game)
    before = board.fen()
    found = winnable(board, side, nodes=NODES)
    assert board.fen() == before
    if found.verdict == "winnable":
        assert found.line is not None
        assert mates(board, found.line, side)
    elif found.verdict == "unwinnable":
        chance = random.Random(before)
        for _ in range(5):
            here = board.copy(stack=False)
            for _ in range(60):
                moves = list(here.legal_moves)
                if not moves:
                    break
                here.push(chance.choice(moves))
            assert not (here.is_checkmate() and here.turn != COLOURS[side])


@settings(max_examples=60, deadline=None)
@given(games, st.sampled_from(SIDES))
def test_mirrors_agree(game: tuple[str, int, int], side: Side) -> None:
    board = played(game)
    found = winnable(board, side, nodes=NODES)
    flipped = winnable(board.mirror(), other(side), nodes=NODES)
    assert {found.verdict, flipped.verdict} != {"winnable", "unwinnable"}
    if not board.castling_rights:
        sideways = winnable(board.transform(chess.flip_horizontal), side, nodes=NODES)
        assert {found.verdict, sideways.verdict} != {"winnable", "unwinnable"}
    for by in ("material", "reach"):
        assert (found.by == by) == (flipped.by == by)


@settings(max_examples=25, deadline=None)
@given(games)
def test_quick_never_contradicts(game: tuple[str, int, int]) -> None:
    board = played(game)
    for side in SIDES:
        fast, slow = quick(board, side), winnable(board, side, nodes=3 * NODES)
        assert {fast.verdict, slow.verdict} != {"winnable", "unwinnable"}
        if quick_dead(board):
            assert slow.verdict == "unwinnable"
