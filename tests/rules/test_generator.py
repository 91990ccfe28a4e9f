"""Generated games are legal, end as they say, are dealt fairly, take moderate time, and never change."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.generator import (
    ALL_FEATURES,
    DEALT,
    ENDING_KINDS,
    MOVE_FEATURES,
    GameScript,
    covering,
    deal,
    features,
    script,
    script_from_moves,
    white_wins_percent,
)
from rules.laws.generator_openings import OPENINGS, SHORT_ENDINGS, THEMES

BLITZ = (300_000, 2_000)
RESULT_OF_LOSER = {"white": "0-1", "black": "1-0"}
ON_TURN = {"resignation", "flag", "repetition", "fifty-moves", "stopped"}


def game(seed: int, board: int = 0, goal: str | None = None, max_plies: int = 160) -> GameScript:
    return script(seed, 1, board, 1900, 1800, *BLITZ, goal, max_plies)


def positions(one: GameScript) -> Iterator[chess.Board]:
    """The board before each ply and at the end; every move is checked to be legal."""
    board = chess.Board(one.start_fen) if one.start_fen else chess.Board()
    yield board
    for step in one.steps:
        move = chess.Move.from_uci(step.uci)
        assert move in board.legal_moves, f"{step.uci} in {board.fen()}"
        board.push(move)
        yield board


def over_by_itself(board: chess.Board) -> bool:
    return (
        not any(board.legal_moves)
        or board.is_insufficient_material()
        or board.is_fivefold_repetition()
        or board.is_seventyfive_moves()
    )


def assert_true_to_its_ending(one: GameScript) -> None:
    """The ending is exactly true at the end, and nothing ends the game before."""
    *before, last = (board.copy() for board in positions(one))
    assert not any(over_by_itself(board) for board in before)
    kind, side = one.ending.kind, one.ending.side
    mover = "black" if last.turn == chess.WHITE else "white"
    assert side == (mover if kind not in ON_TURN else ("black" if mover == "white" else "white"))
    if kind == "checkmate":
        assert last.is_checkmate()
        assert one.ending.result == ("1-0" if mover == "white" else "0-1")
    elif kind in ("resignation", "flag"):
        assert not over_by_itself(last)
        assert one.ending.result == RESULT_OF_LOSER[side]
    elif kind == "stopped":
        assert not over_by_itself(last)
        assert one.ending.result == "*"
    else:
        assert one.ending.result == "1/2-1/2"
        truth: dict[str, Callable[[chess.Board], bool]] = {
            "stalemate": chess.Board.is_stalemate,
            "dead-position": chess.Board.is_insufficient_material,
            "agreement": lambda board: not over_by_itself(board),
            "repetition": lambda board: board.is_repetition(3) and not board.is_repetition(4),
            "fivefold-repetition": chess.Board.is_fivefold_repetition,
            "fifty-moves": lambda board: board.halfmove_clock == 100 and not over_by_itself(board),
            "seventy-five-moves": lambda board: board.halfmove_clock == 150 and any(board.legal_moves),
        }
        assert truth[kind](last)
    if kind == "repetition":
        assert not any(board.is_repetition(3) for board in before), "somebody could have claimed earlier"
    elif kind != "fivefold-repetition":
        assert not any(board.is_repetition(2) for board in [*before, last])


def assert_behaviour_is_possible(one: GameScript) -> None:
    """Refused offers and calls come from the side that may make them, and leave the end alone."""
    plies = len(one.steps)
    for ply, answer in one.early_offer:
        assert 1 <= ply < plies
        assert answer in ("refuse", "play-on")
    for ply, side in one.calls:
        assert 1 <= ply < plies
        assert side == ("white" if ply % 2 == 0 else "black"), "only the side on move calls"
        assert ply not in dict(one.early_offer)
    after = one.ending.after
    delays = {"white": after.white_ms, "black": after.black_ms}
    assert delays[after.first] == min(delays.values())
    if after.dispute is not None:
        assert after.says != one.ending.result


@pytest.mark.parametrize("kind", ENDING_KINDS)
def test_every_kind_of_ending_is_legal_and_true(kind: str) -> None:
    for board in range(5):
        one = game(11, board, kind)
        assert one.ending.kind == kind
        assert len(one.steps) <= 160
        assert_true_to_its_ending(one)
        assert_behaviour_is_possible(one)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 20), st.integers(0, 500), st.integers(24, 160))
def test_any_game_of_any_event_keeps_within_its_length_and_ends_as_it_says(
    seed: int, round: int, board: int, max_plies: int
) -> None:
    one = script(seed, round, board, 0, 2100, *BLITZ, max_plies=max_plies)
    assert 4 <= len(one.steps) <= max_plies
    assert_true_to_its_ending(one)
    assert_behaviour_is_possible(one)


def test_a_side_that_is_not_behind_resigns_on_its_last_turn_before_the_limit() -> None:
    one = script(20, 20, 376, 0, 2100, *BLITZ, max_plies=24)
    assert (one.ending.kind, one.ending.side) == ("resignation", "white")
    assert len(one.steps) <= 24


@pytest.mark.parametrize("kind", ["stalemate", "dead-position"])
def test_the_side_that_ends_the_game_by_accident_could_have_played_on(kind: str) -> None:
    # Otherwise the position one ply earlier would already be dead (Laws 5.2.2) and the table would end the game there.
    for seed in range(6):
        *_, before, last = (board.copy() for board in positions(game(seed, 0, kind)))
        alternatives = 0
        for move in before.legal_moves:
            before.push(move)
            alternatives += any(before.legal_moves) and not before.is_insufficient_material()
            before.pop()
        assert alternatives
        assert last.ply() == before.ply() + 1


# --- dealing ----------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 70), st.integers(0, 1), st.integers(1, 9))
def test_any_sixteen_consecutive_games_show_every_dealt_kind(seed: int, boards: int, base: int, first: int) -> None:
    rounds = range(first, first + 40 // boards + 3)
    kinds = [deal(seed, round, board) for round in rounds for board in range(base, base + boards)]
    for start in range(len(kinds) - 15):
        assert set(DEALT) <= set(kinds[start : start + 16])


def test_most_games_end_by_mate_resignation_or_agreement() -> None:
    kinds = Counter(deal(3, round, board) for round in range(1, 10) for board in range(100))
    human = kinds["checkmate"] + kinds["resignation"] + kinds["agreement"]
    assert human > 0.55 * kinds.total()
    assert kinds["resignation"] > kinds["stalemate"]
    assert {"dead-position", "fivefold-repetition"} <= set(kinds), "rare, but it happens"


def test_a_dealt_goal_is_the_one_that_is_played() -> None:
    for board in range(16):
        assert game(21, board).ending.kind == deal(21, 1, board)


def test_the_stronger_player_wins_more_often_but_not_always() -> None:
    assert white_wins_percent(0, 2400) == white_wins_percent(1800, 1800)
    assert white_wins_percent(1500, 1800) < 50 < white_wins_percent(1800, 1500) < 90
    wins = Counter(script(5, 1, board, 2400, 1600, *BLITZ, "flag").ending.result for board in range(60))
    assert wins["1-0"] > wins["0-1"] > 0


def test_games_look_different() -> None:
    openings = {tuple(step.uci for step in game(8, board, "flag").steps[:6]) for board in range(40)}
    assert len(openings) > 15
    assert len({game(8, board, "resignation").steps for board in range(20)}) == 20


# --- thinking times ---------------------------------------------------------------------------------------------------


def clocks_after_each_press(one: GameScript, side: int, budget_ms: int, increment_ms: int) -> Iterator[tuple[int, int]]:
    """(clock when pressing, clock after the press) of the side with the plies `side`, `side` + 2 …"""
    left = budget_ms
    for step in one.steps[side::2]:
        left -= step.think_ms
        yield left, left + increment_ms
        left += increment_ms


@pytest.mark.parametrize(("budget", "increment"), [(60_000, 0), (180_000, 2_000), (300_000, 0), (5_400_000, 30_000)])
@pytest.mark.parametrize("kind", [kind for kind in ENDING_KINDS if kind != "flag"])
def test_nobody_gets_short_of_time_unless_he_is_to_lose_by_it(kind: str, budget: int, increment: int) -> None:
    one = script(2, 3, 4, 1500, 1500, budget, increment, kind)
    for side in (0, 1):
        thinks = [step.think_ms for step in one.steps[side::2]]
        assert min(thinks) >= 0
        assert sum(thinks) + one.ending.think_ms <= 0.35 * budget
        assert sum(thinks) <= 4_000 * (len(thinks) + 1)
        assert all(left >= 0.6 * budget for left, _ in clocks_after_each_press(one, side, budget, increment))
        assert len(set(thinks)) > 3, "thinking times vary"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(60_000, 7_200_000), st.integers(0, 60_000))
def test_the_flagging_side_stops_early_with_little_time_left(seed: int, budget: int, increment: int) -> None:
    one = script(seed, 1, 1, 1500, 1500, budget, increment, "flag")
    assert 12 <= len(one.steps) <= 30
    loser = 0 if one.ending.side == "white" else 1
    clocks = list(clocks_after_each_press(one, loser, budget, increment))
    assert all(left >= 0.05 * budget for left, _ in clocks), "no flag before the script is over"
    final = clocks[-1][1]
    hands = (len(clocks) + 1) * budget // 500
    assert 0.05 * budget <= final <= max(0.1 * budget, 0.05 * budget + increment) + hands
    assert all(left >= 0.6 * budget for left, _ in clocks_after_each_press(one, 1 - loser, budget, increment))


# --- the same on every machine ----------------------------------------------------------------------------------------


def digest(*games: GameScript) -> str:
    return hashlib.sha256(repr(games).encode()).hexdigest()[:16]


def test_same_arguments_same_script() -> None:
    assert game(4, 7) == game(4, 7)
    assert game(4, 7) != game(5, 7)


def test_scripts_are_pinned() -> None:
    # These change when the generator is changed on purpose, never by the machine or the Python version.
    assert digest(*(game(1, board) for board in range(8))) == "da093c0d474e512b"
    assert digest(*(game(2, 0, kind) for kind in ENDING_KINDS)) == "8e9f16c44cf77419"
    assert digest(*covering(3, 8)) == "ee94e13d55b30693"


# --- coverage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 18])
def test_a_few_games_show_everything(seed: int) -> None:
    games = covering(seed, 40)
    assert len(games) < 25
    shown = [features(one) for one in games]
    assert frozenset().union(*shown) == ALL_FEATURES
    for index, one in enumerate(games):
        assert shown[index] - frozenset().union(*shown[:index]), "a kept game adds something"
        assert_true_to_its_ending(one)
        assert_behaviour_is_possible(one)


def test_only_what_is_wanted_is_looked_for() -> None:
    (one,) = covering(6, 5, frozenset({"ending:stalemate"}))
    assert one.ending.kind == "stalemate"
    assert covering(6, 5, frozenset()) == ()
    assert len(covering(6, 2)) == 2
    wanted = frozenset({"black-en-passant", "promotion-knight"})
    assert wanted <= frozenset().union(*map(features, covering(6, 5, wanted)))


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(ValueError, match="smothered-mate"):
        covering(1, 5, frozenset({"smothered-mate", "check"}))


def test_features_of_a_known_game() -> None:
    # The Lasker trap: Black takes on g1 and makes a knight, with check.
    moves = [
        "d2d4", "d7d5", "c2c4", "e7e5", "d4e5", "d5d4", "e2e3", "f8b4", "c1d2", "d4e3", "d2b4", "e3f2", "e1e2", "f2g1n",
    ]  # fmt: skip
    one = script_from_moves(moves, None, "0-1", False, 1, *BLITZ)
    expected = {"capture", "check", "promotion-knight", "underpromotion", "capture-promotion", "ending:resignation"}
    assert features(one) & frozenset((*MOVE_FEATURES, "ending:resignation")) == expected


# --- the book and games from PGN --------------------------------------------------------------------------------------


def test_every_line_of_the_book_is_legal_and_every_short_ending_true() -> None:
    for line in [*(line for _, line in OPENINGS), *(line for lines in THEMES.values() for line in lines)]:
        board = chess.Board()
        for san in line.split():
            board.push_san(san)
        assert not over_by_itself(board)
    for name, line in SHORT_ENDINGS.items():
        board = chess.Board()
        for san in line.split():
            board.push_san(san)
        assert board.is_checkmate() if name.startswith("checkmate") else board.is_stalemate()


def test_a_very_short_limit_still_gives_the_ending_asked_for() -> None:
    for kind in DEALT:
        one = game(3, 1, kind, max_plies=24)
        assert one.ending.kind == kind
        assert len(one.steps) <= 24
        assert_true_to_its_ending(one)


def test_bad_arguments_are_explained() -> None:
    with pytest.raises(ValueError, match="adjournment"):
        game(1, 1, "adjournment")
    with pytest.raises(ValueError, match="160 plies, but only 100"):
        game(1, 1, "seventy-five-moves", max_plies=100)
    with pytest.raises(ValueError, match="positive"):
        script(1, 1, 1, 0, 0, 0, 0)


SCHOLAR = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]


def test_a_recorded_mate_is_a_mate_whatever_the_result_tag_says() -> None:
    one = script_from_moves(SCHOLAR, None, "1/2-1/2", False, 1, *BLITZ)
    assert (one.ending.kind, one.ending.side, one.ending.result) == ("checkmate", "white", "1-0")
    assert [step.uci for step in one.steps] == SCHOLAR


@pytest.mark.parametrize(
    ("plies", "result", "stopped", "kind", "side"),
    [
        (6, "0-1", False, "resignation", "white"),
        (6, "1-0", False, "resignation", "black"),
        (5, "1/2-1/2", False, "agreement", "white"),
        (6, "1/2-1/2", False, "agreement", "black"),
        (5, "*", False, "stopped", "black"),
        (6, "1-0", True, "stopped", "white"),
    ],
)
def test_the_result_tag_decides_how_a_record_ends(plies: int, result: str, stopped: bool, kind: str, side: str) -> None:
    ending = script_from_moves(SCHOLAR[:plies], None, result, stopped, 1, *BLITZ).ending
    assert (ending.kind, ending.side) == (kind, side)
    assert ending.result == ("*" if stopped else result)


def test_a_record_that_goes_on_after_the_end_is_cut_there() -> None:
    one = script_from_moves(
        ["e1d2", "a8b8", "d2e2"], None, "1-0", False, 1, *BLITZ, start_fen="k7/8/8/8/8/8/3q4/4K3 w - - 0 1"
    )
    assert [step.uci for step in one.steps] == ["e1d2"]
    assert one.ending.kind == "dead-position"
    assert one.start_fen.startswith("k7/")


def test_an_illegal_record_names_the_ply() -> None:
    with pytest.raises(ValueError, match="Ply 3 of the game, e4e6"):
        script_from_moves(["e2e4", "e7e5", "e4e6"], None, "1-0", False, 1, *BLITZ)
    with pytest.raises(ValueError, match="Ply 1 of the game, Nf3"):
        script_from_moves(["Nf3"], None, "1-0", False, 1, *BLITZ)
    with pytest.raises(ValueError, match="1-1"):
        script_from_moves([], None, "1-1", False, 1, *BLITZ)


def test_recorded_clocks_shape_the_thinking_times() -> None:
    clocks = [7_200_000, 7_200_000, 7_190_000, 7_100_000, 5_000_000, 7_095_000, None]
    one = script_from_moves(SCHOLAR, clocks, "1-0", False, 1, *BLITZ)
    white = [step.think_ms for step in one.steps[::2]]
    assert white.index(max(white)) == 2, "the half hour before Bc4 stays the longest think"
    assert sum(white) <= 16_000
    black = [step.think_ms for step in one.steps[1::2]]
    assert black[1] > black[2]
