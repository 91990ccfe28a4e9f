"""What the games' file says about games that no notation can hold: legal, complete and true."""

from __future__ import annotations

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.pgn import read_games, write_game
from rules.laws.game import GameState, decide_order, replay
from rules.laws.game_notation import notation
from tests.rules.tables import SHUFFLE, Table


def read_back(state: GameState) -> chess.Board:
    """Write and read the game; the position after its moves."""
    found = notation(state)
    text = write_game({}, found.moves, found.clocks_ms, "*", found.comments, found.start_fen)
    (game,) = read_games(text, "games.pgn")
    assert game.stopped is None, text
    assert game.moves == found.moves
    words = {ply: " ".join(words.split()).replace("}", ")") for ply, words in found.comments.items()}
    assert dict(game.comments) == words
    board = chess.Board(game.start_fen or chess.STARTING_FEN)
    for uci in game.moves:
        board.push_uci(uci)
    return board


def test_an_ordinary_game_has_no_words() -> None:
    table = Table("90+30")
    table.plays("e2e4 e7e5 g1f3")
    found = notation(table.state)
    assert (found.start_fen, found.moves, found.comments) == ("", ("e2e4", "e7e5", "g1f3"), {})
    assert found.clocks_ms[0] == table.state.plies[0].white_ms
    assert read_back(table.state).epd() == table.state.position.epd()


def test_a_position_set_by_the_arbiter_begins_the_game_and_the_moves_before_it_are_told() -> None:
    """7.4, 7.6: pieces had been displaced; play went on from the position he gives, and the result belongs to that."""
    table = Table("90+30")
    table.plays("e2e4 e7e5")
    table.order("pause", table.state.t)
    fen = "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"
    assert table.order("correct", table.state.t, {"fen": fen, "resume": 1}).ok
    table.plays("b8c6 d4d5 c6d4")
    found = notation(table.state)
    assert (found.start_fen, found.moves) == (fen, ("b8c6", "d4d5", "c6d4"))
    assert "1. e4 e5" in found.comments[0]
    assert fen in found.comments[0]
    assert read_back(table.state).epd() == table.state.position.epd()


def test_a_position_that_is_the_records_own_breaks_nothing() -> None:
    table = Table("90+30")
    table.plays("e2e4 e7e5")
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"fen": table.state.fen, "resume": 1}).ok
    table.plays("g1f3")
    assert notation(table.state).moves == ("e2e4", "e7e5", "g1f3")


def test_an_illegal_move_that_stands_is_told_and_the_longer_part_is_the_game() -> None:
    """A.5.2: it was not claimed in time."""
    table = Table("15+10")
    table.plays(SHUFFLE)
    table.presses_after({"e2": None, "e5": "P"})
    table.plays("d7d6 g1f3")
    found = notation(table.state)
    assert (found.start_fen, len(found.moves)) == ("", 4)
    assert "3. e2e5 is no legal move and stands" in found.comments[4]
    assert found.comments[4].endswith("3... d6 4. Nf3")
    table.plays("g8f6 b1c3 b8c6 f1e2")
    found = notation(table.state)
    assert found.start_fen.startswith("rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR b")
    assert found.moves[0] == "d7d6"
    assert read_back(table.state).epd() == table.state.position.epd()


def test_both_kings_in_check_begin_no_game() -> None:
    table = Table("15+10", "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1")
    table.presses_after({"h1": None, "h8": "R"})
    assert read_back(table.state).fen() == "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1"
    assert "h1h8" in notation(table.state).comments[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 63), st.integers(0, 63)), max_size=14))
def test_whatever_was_put_right_the_file_can_be_read(steps: list[tuple[int, int, int]]) -> None:
    table = Table("15+10")
    for kind, home, to in steps:
        state = table.state
        if state.score is not None:
            break
        moves = sorted(move.uci() for move in state.position.legal_moves)
        if kind < 6 and moves:
            if state.phase == "playing":
                table.plays(moves[(home * 64 + to) % len(moves)])
        elif kind < 8 and state.phase == "playing":
            board = state.board()
            piece = board.remove_piece_at(home)
            if piece is not None and piece.color == board.turn and piece.piece_type != chess.KING and home != to:
                table.presses_after({chess.square_name(home): None, chess.square_name(to): piece.symbol()})
        else:
            board = state.board()
            board.remove_piece_at(home) if board.piece_type_at(home) != chess.KING else None
            table.order("pause", state.t)
            data: dict[str, object] = {"fen": board.fen()} if kind == 8 else {"ply": home % (len(state.plies) + 1)}
            table.store(decide_order(table.state, f"x{len(table.log)}", "correct", "", data | {"resume": 1}, state.t))
        if table.state.phase == "paused":
            table.order("resume", table.state.t)
    found = notation(table.state)
    told = " ".join(found.comments.values())
    read_back(table.state)
    assert len(found.moves) == len(table.state.plies) or told
    assert replay(table.log) == table.state
