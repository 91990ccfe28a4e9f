"""Games as PGN: the place of every fault, clocks, and a way back that loses nothing."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path
from typing import get_args

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.errors import InterchangeError
from rules.interchange.pgn import (
    RESULTS,
    UNSIGNED,
    PgnGame,
    Variation,
    clock_comment,
    game_text,
    read_games,
    write_game,
)
from rules.tournament.results import BoardScore

DATA = Path(__file__).parents[2] / "tests" / "data" / "interchange"
QUICK = settings(max_examples=40, deadline=None)


def one(text: str) -> PgnGame:
    games = read_games(text, "games.pgn")
    assert len(games) == 1
    return games[0]


# ------------------------------------------------------------------------------------------------ reading


def test_a_file_of_three_games_one_with_an_illegal_move() -> None:
    first, second, third = read_games((DATA / "club_games.pgn").read_bytes(), "club_games.pgn")
    assert first.headers["White"] == 'Maier, "Ed"'
    assert first.moves == ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "c6d4", "f3e5", "d8g5")
    assert first.clocks_ms == (908_000, 899_500, *[None] * 6)
    assert dict(first.comments) == {2: "thinking", 5: "the Italian"}
    assert (first.result, first.stopped, first.line) == ("1-0", None, 2)

    assert second.moves == ("d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6")
    assert second.result == "0-1"
    assert second.stopped is not None
    assert (second.stopped.line, second.stopped.column) == (17, 8)
    assert second.stopped.what == "game 2, ply 7, “Ke3”: this move is illegal in the position"

    assert third.moves == ("e5d4", "e1d2")
    assert third.start_fen.startswith("8/8/8/4k3")
    assert third.stopped is None


@pytest.mark.parametrize(
    ("text", "moves", "place", "words"),
    [
        ("1. e4 e5 2. Nf6 Nc6 1-0", 2, (1, 13), "ply 3, “Nf6”: this move is illegal"),
        ("1. e4 e5\n2. Nf3 Nc6\n  3. hello Nf6 *", 4, (3, 6), "ply 5, “hello”: this is no move"),
        ("1. Nf3 Nf6 2. Nc3 Nc6 3. Nb5 a6 4. Nd4 a5 *", 6, (1, 36), "“Nd4”: two pieces can make this move"),
        ("1. e4 -- 2. d4 *", 1, (1, 7), "null move"),
        ("1. e4 e5 {forgotten\n2. Nf3 *\n", 2, (1, 10), "a comment is opened and never closed"),
        ("1. e4 e5 (1... c5 2. Nf3 *", 2, (1, 10), "a variation is opened and never closed"),
        ("1. e4 e5) 2. Nf3 *", 2, (1, 9), "a variation is closed that was not opened"),
        ("1. e4 } e5 *", 1, (1, 7), "no move"),
        ("[Event oops]\n\n1. e4 *", 0, (1, 1), "this tag pair cannot be read"),
        ('[FEN "nonsense"]\n\n1. e4 *', 0, (1, 1), "start position cannot be read"),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n1. Ka2 *', 0, (1, 1), "start position is impossible"),
        ('[Variant "Atomic"]\n\n1. e4 *', 0, (1, 1), "another game than chess"),
    ],
)
def test_a_game_stops_where_it_cannot_be_read(text: str, moves: int, place: tuple[int, int], words: str) -> None:
    game = one(text)
    assert len(game.moves) == moves
    assert game.stopped is not None
    assert (game.stopped.line, game.stopped.column) == place
    assert words in game.stopped.what
    assert game.stopped.what.startswith("game 1, ply ")
    assert game.stopped.remedy


def test_a_forgotten_brace_does_not_swallow_the_next_game() -> None:
    text = '[Event "a"]\n\n1. e4 {oops\n e5 *\n\n[Event "b"]\n\n1. d4 {fine} d5 *\n'
    first, second = read_games(text, "x.pgn")
    assert (first.moves, second.moves) == (("e2e4",), ("d2d4", "d7d5"))
    assert first.stopped is not None
    assert (second.stopped, second.line) == (None, 6)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_line_numbers(end: str) -> None:
    games = read_games(end.join(['[Event "a"]', "", "1. e4 1-0", "", '[Event "b"]', "", "1. e5 *"]), "x.pgn")
    assert [len(g.moves) for g in games] == [1, 0]
    assert games[1].stopped is not None
    assert games[1].stopped.line == 7


def test_games_without_tags_or_without_moves_are_games() -> None:
    assert [len(g.moves) for g in read_games("1. e4 * 1. d4 d5 1-0", "x")] == [1, 2]
    headers_only = read_games('[Event "a"]\n[White "x"]\n\n[Event "b"]\n', "x")
    assert [dict(g.headers) for g in headers_only] == [{"Event": "a", "White": "x"}, {"Event": "b"}]
    assert read_games("", "x") == ()
    assert read_games(b"\n\n", "x") == ()


def test_habits_of_writers() -> None:
    assert one("1.e4 e5 2.Nf3! $14 Nc6?? 3 . Bb5 a6 1/2-1/2").moves[-1] == "a7a6"
    assert one("1. e4 d5 2. e5 f5 3. exf6 e.p. *").moves[-1] == "e5f6"
    assert one("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 O-O *").moves[-2:] == ("e1g1", "e8g8")
    assert one('[Event "The "big" open"]\n\n*').headers["Event"] == 'The "big" open'
    assert one('[Event "a"] [Site "b"]\n[Result "0-1"]\n\n1. e4').result == "0-1"


def test_encodings() -> None:
    text = '[White "Müller"]\n\n1. e4 *'
    for codec in ("utf-8", "utf-8-sig", "latin-1"):
        assert read_games(text.encode(codec), "x")[0].headers["White"] == "Müller"
    with pytest.raises(InterchangeError, match="UTF-16"):
        read_games(text.encode("utf-16"), "x")


def test_clock_times_with_and_without_decimals() -> None:
    game = one("1. e4 {[%clk 1:00:00]} e5 {[%clk 0:00:09.25] quick} 2. d4 {[%clk 0:99:00]} *")
    assert game.clocks_ms == (3_600_000, 9_250, None)
    assert game.comments[3] == "[%clk 0:99:00]"


def test_variations_glyphs_and_their_comments_stay_with_their_move() -> None:
    sicilian = "(1... c5 {Sicilian} 2. Nf3 (2. c3! d5 $146) 2... d6)"
    game = one(f"{{start}} 1. e4 $1 e5?! {sicilian} ({{or}} 1... e6 +/=) {{back}} 2. Nf3 = *")
    assert game.moves == ("e2e4", "e7e5", "g1f3")
    assert dict(game.comments) == {0: "start", 2: "back"}
    assert dict(game.glyphs) == {1: (1,), 2: (6,), 3: (10,)}
    assert game.variations == (
        Variation(
            2,
            ("c7c5", "g1f3", "d7d6"),
            {1: "Sicilian"},
            variations=(Variation(2, ("c2c3", "d7d5"), glyphs={1: (1,), 2: (146,)}),),
        ),
        Variation(2, ("e7e6",), {0: "or"}, {1: (14,)}),
    )
    assert (game.stopped, game.unread) == (None, ())
    assert same_moves(one(game_text(game)), game)


def same_moves(one_game: PgnGame, other: PgnGame) -> bool:
    """Are the games one, whatever the tags of the roster that writing adds?"""
    return replace(one_game, headers={}) == replace(other, headers={})


def test_a_variation_that_cannot_be_read_ends_there_and_leaves_the_game_alone() -> None:
    game = one("1. e4 e5 (1... e4 2. d4 (2. c4) 2... d5) (1... c5\n2. Nf6 {lost}) 2. Nf3 Nc6 *")
    assert game.moves == ("e2e4", "e7e5", "g1f3", "b8c6")
    assert game.variations == (Variation(2, ("c7c5",)),)
    assert game.stopped is None
    assert [(d.line, d.column) for d in game.unread] == [(1, 16), (2, 4)]
    assert game.unread[0].what == "game 1, ply 3, “e4”: this move is illegal in the position"
    early = one("(1. d4) 1. e4 ({only words}) e5 *")
    assert (early.moves, dict(early.comments)) == (("e2e4", "e7e5"), {1: "only words"})
    assert "stands before any move" in early.unread[0].what


def test_parentheses_without_end_are_no_danger() -> None:
    deep = one("1. e4 " + "(1. d4 " * 5000 + ")" * 5000 + " e5 *")
    assert deep.moves == ("e2e4", "e7e5")
    assert "too deep" in deep.unread[0].what
    assert same_moves(one(game_text(deep)), deep)


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ({"Round": "3", "Board": "12"}, (3, 12)),
        ({"Round": "3.12"}, (3, 12)),
        ({"Round": "3.12", "Board": "12"}, (3, 12)),
        ({"Round": "3"}, (3, None)),
        ({"Round": "?"}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_round_three_board_twelve(tags: dict[str, str], found: tuple[int | None, int | None]) -> None:
    assert one(write_game(tags, ["e2e4"])).round_and_board == found


# ------------------------------------------------------------------------------------------------ writing


def test_export_format() -> None:
    text = write_game(
        {
            "White": 'Maier, "Ed"',
            "Black": "Novak",
            "Round": "3",
            "WhiteElo": "2000",
            "Board": "4",
            "Date": "2026.03.06",
        },
        ["e2e4", "e7e5", "g1f3"],
        [908_999, None, 899_001],
        "1-0",
        {2: "offers a draw"},
    )
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "2026.03.06"]\n[Round "3"]\n[White "Maier, \\"Ed\\""]\n[Black "Novak"]\n'
        '[Result "1-0"]\n[Board "4"]\n[WhiteElo "2000"]\n\n'
        "1. e4 {[%clk 0:15:08]} 1... e5 {offers a draw} 2. Nf3 {[%clk 0:14:59]} 1-0\n\n"
    )


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0:00:00"),
        (999, "0:00:00"),
        (59_999, "0:00:59"),
        (5_400_000, "1:30:00"),
        (36_000_000, "10:00:00"),
        (-5, "0:00:00"),
    ],
)
def test_clock_is_cut_to_seconds(milliseconds: int, text: str) -> None:
    assert clock_comment(milliseconds) == f"[%clk {text}]"


@pytest.mark.parametrize("score", [each for each in get_args(BoardScore) if each not in RESULTS])
def test_a_score_that_pgn_has_no_sign_for_still_comes_back(score: str) -> None:
    text = write_game({}, ["e2e4"], (), score)
    assert f'[Result "*"]\n[Score "{score}"]' in text
    assert text.endswith("1. e4 *\n\n")
    assert one(text).result == score


def test_black_to_move_from_a_position() -> None:
    fen = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 40"
    text = write_game({}, ["e5d4", "e1d2"], (), "*", None, fen)
    assert f'[FEN "{fen}"]\n[SetUp "1"]\n\n40... Kd4 41. Kd2 *' in text
    assert one(text).start_fen == fen


@pytest.mark.parametrize(
    ("moves", "clocks", "result", "words"),
    [
        (["e2e5"], (), "*", "ply 1"),
        (["e2e4", "0000"], (), "*", "ply 2"),
        (["e2e4", "rubbish"], (), "*", "ply 2"),
        (["e2e4"], (1, 2), "*", "2 clock times for 1 moves"),
        (["e2e4"], (), "2-0", "no result"),
    ],
)
def test_what_is_no_game_is_not_written(moves: list[str], clocks: tuple[int, ...], result: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        write_game({}, moves, clocks, result)


def test_a_variation_of_a_move_that_is_not_there_is_not_written() -> None:
    with pytest.raises(ValueError, match="ply 2: there is no move"):
        write_game({}, ["e2e4"], variations=[Variation(2, ("d7d5",))])


signs = st.characters(
    min_codepoint=33, max_codepoint=0x17F, blacklist_characters="}\x7f", blacklist_categories=["Cc", "Zs"]
)
words = st.text(signs, min_size=1, max_size=12).filter(lambda word: "%clk" not in word)
texts = st.lists(words, max_size=8).map(" ".join)


@st.composite
def games(draw: st.DrawFn) -> tuple[list[str], list[int | None], str, dict[int, str]]:
    """A random game of up to 120 plies with clocks and comments."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    board = chess.Board()
    moves = []
    for _ in range(draw(st.integers(0, 120))):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        board.push(rng.choice(legal))
        moves.append(board.peek().uci())
    clocks = [rng.choice([None, rng.randrange(10**7)]) for _ in moves]
    comments = draw(st.dictionaries(st.integers(0, len(moves)), texts.filter(bool), max_size=4))
    return moves, clocks, draw(st.sampled_from((*RESULTS, *UNSIGNED))), comments


@QUICK
@given(games(), texts, texts)
def test_reading_what_was_written_gives_the_same_game(
    game: tuple[list[str], list[int | None], str, dict[int, str]], white: str, opening: str
) -> None:
    moves, clocks, result, comments = game
    text = write_game({"White": white, "Opening": opening}, moves, clocks, result, comments)
    # Words with % or [ in front stay behind the word before them, even beyond the margin.
    breakable = [line for line in text.splitlines() if not (line.startswith("[") or " %" in line or " [" in line)]
    assert all(len(line) < 80 for line in breakable)
    found = one(text)
    assert found.stopped is None
    assert list(found.moves) == moves
    assert list(found.clocks_ms) == [None if c is None else c // 1000 * 1000 for c in clocks]
    assert (found.result, dict(found.comments)) == (result, comments)
    assert (found.headers["White"], found.headers["Opening"]) == (white, opening)
    again = write_game(found.headers, found.moves, found.clocks_ms, found.result, found.comments)
    assert again == text


@st.composite
def lines(draw: st.DrawFn, fen: str = chess.STARTING_FEN, depth: int = 0) -> Variation:
    """A random line from a position, with comments, glyphs and lines beside its moves."""
    board = chess.Board(fen)
    moves: list[str] = []
    beside: list[Variation] = []
    for ply in range(1, draw(st.integers(1, 6)) + 1):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        if not legal:
            break
        move = draw(st.sampled_from(legal))
        if depth < 2 and draw(st.integers(0, 3)) == 0:
            other = draw(lines(board.fen(), depth + 1))
            beside.append(Variation(ply, other.moves, other.comments, other.glyphs, other.variations))
        moves.append(move.uci())
        board.push(move)
    plies = st.integers(0, len(moves))
    comments = draw(st.dictionaries(plies, texts.filter(bool), max_size=2))
    numbers = st.lists(st.integers(0, 255), min_size=1, max_size=2).map(tuple)
    return Variation(1, tuple(moves), comments, draw(st.dictionaries(plies, numbers, max_size=2)), tuple(beside))


@QUICK
@given(lines())
def test_variations_survive_writing(line: Variation) -> None:
    text = write_game({}, line.moves, (), "*", line.comments, "", line.glyphs, line.variations)
    game = one(text)
    assert (game.stopped, game.unread) == (None, ())
    assert (game.moves, game.comments, game.glyphs, game.variations) == (
        line.moves, line.comments, line.glyphs, line.variations,
    )  # fmt: skip
    assert game_text(game) == text
    other = chess.pgn.read_game(io.StringIO(text))
    assert other is not None
    assert other.errors == []
    assert [node.move.uci() for node in other.mainline()] == list(line.moves)
    assert nodes_below(other) == moves_of(line)


def moves_of(line: Variation) -> int:
    return len(line.moves) + sum(moves_of(beside) for beside in line.variations)


def nodes_below(node: chess.pgn.GameNode) -> int:
    return sum(1 + nodes_below(child) for child in node.variations)


@QUICK
@given(games())
def test_another_reader_sees_the_same_game(game: tuple[list[str], list[int | None], str, dict[int, str]]) -> None:
    moves, clocks, result, _comments = game
    parsed = chess.pgn.read_game(io.StringIO(write_game({"White": "A"}, moves, clocks, result)))
    assert parsed is not None
    assert parsed.errors == []
    assert [node.move.uci() for node in parsed.mainline()] == moves
    assert [node.clock() for node in parsed.mainline()] == [None if c is None else c // 1000 for c in clocks]


@QUICK
@given(st.text('[]{}()"\n;%$*. e4d5Nf3O-10/Event', max_size=120) | st.text(max_size=60))
def test_any_text_is_read_without_a_crash_and_moves_are_legal(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for game in read_games(text, "x"):
        assert len(game.moves) == len(game.clocks_ms)
        if game.stopped is not None:
            assert 1 <= game.stopped.line <= len(lines)
            assert 1 <= game.stopped.column <= len(lines[game.stopped.line - 1]) + 1
            assert game.stopped.what
        board = chess.Board(game.start_fen) if game.start_fen and not game.stopped else chess.Board()
        for move in game.moves:
            board.push(board.parse_uci(move))


# -- Chess960 (Guidelines II) -----------------------------------------------------------------------------------------


def test_a_game_of_chess960_castles_from_where_king_and_rook_stand() -> None:
    fen = "1rk2r2/pppppppp/8/8/8/8/PPPPPPPP/1RK2R2 w KQkq - 0 1"
    # White's king goes over to g1; Black's stays where it is, and the rook goes around it.
    castled = ["c1f1", "c8b8", "g1h1"]
    text = write_game({}, castled, (), "*", None, fen)
    assert '[Variant "Chess960"]' in text
    assert "1. O-O O-O-O 2. Kh1" in text
    game = one(text)
    assert game.stopped is None
    assert game.moves == tuple(castled)
    assert game_text(game) == text
    assert "Variant" not in write_game({}, ["e2e4"])
