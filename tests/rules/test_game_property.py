"""Random people at a table: whatever they try, the log alone gives the same state, and the record is legal chess."""

from __future__ import annotations

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.events import (
    Adjusted,
    Assigned,
    Assignment,
    Board,
    Confirmed,
    Ended,
    Flag,
    GameEvent,
    OrderDone,
    Paused,
    Player,
    Ply,
    Press,
    Resumed,
    Score,
    Side,
)
from rules.laws.game import (
    AnswerQuestion,
    CallArbiter,
    ClaimDraw,
    ClaimFinish,
    ClaimFlag,
    ClaimIllegal,
    ClaimTouch,
    Confirm,
    Dispute,
    GameState,
    Intent,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressIllegal,
    PressOnly,
    ProposeResult,
    Refusal,
    Resign,
    ResumePlay,
    Sit,
    StartByPress,
    decide,
    decide_assignment,
    decide_order,
    due,
    explain,
    fold,
    next_due,
    permitted,
    position_hash,
    recover,
    replay,
)
from rules.laws.game_state import position_after, start_board
from rules.laws.illegal import legal
from rules.laws.sides import SIDES

sides = st.sampled_from(["white", "black"])
scores = st.sampled_from(["1-0", "0-1", "1/2-1/2", "0-0"])
number = st.integers(0, 10_000)

#: What somebody tries: (kind, side, score, a number to choose with). Moves are by far the most frequent.
attempts = st.tuples(
    st.sampled_from(
        ["move"] * 12
        + ["made", "press", "sit", "ready", "offer", "answer", "claim", "resign", "propose", "confirm", "confirm"]
        + ["dispute", "call", "wait", "board", "order", "order", "order", "assign", "kill", "reboot"]
        + ["illegal", "illegal", "no-move", "flag", "complain", "go-on", "start", "touched", "finish", "unpromoted"]
    ),
    sides,
    scores,
    number,
)

ORDERS = (
    "start", "pause", "resume", "times", "rule", "continue", "clear", "seal", "dance", "correct", "correct", "penalty",
    "adjourn",
)  # fmt: skip
EDITIONS = (
    "", "fide2023-supervised", "club1997", "fide2023 start_by=press default_ms=9000 illegal_told=all",
    "fide2023 draw_moves=3",
)  # fmt: skip
CONTROLS = (
    "3+2", "1+0", "2/1, 1", "0.1+0", "bronstein 1 d2", "hourglass 0.5", "W 2 B 1", "0.3 byo 3x5",
    "2/1+2, 1+5 period_switch=move_counter",
)  # fmt: skip
#: The usual start, pawns about to promote, Chess960, the last moves before an automatic draw, a flag and a lone knight.
STARTS = (
    "", "", "8/P5k1/8/8/8/8/6p1/1K6 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "7k/8/5K2/8/8/8/8/R7 w - - 146 120",
    "8/5k2/8/4n3/8/3K4/PP6/8 b - - 0 1",
)  # fmt: skip
FINISH = "fide2023 finish=guidelines-iii"


def chosen_move(state: GameState, choice: int) -> str:
    moves = sorted(move.uci() for move in state.position.legal_moves)
    return moves[choice % len(moves)] if moves else "e2e4"


def intent_of(state: GameState, kind: str, side: Side, score: Score, choice: int, t: int) -> Intent | None:
    match kind:
        case "move":
            return PressClock(state.turn, chosen_move(state, choice), t - choice % 900, touches(choice))
        case "made":
            return MakeMove(chosen_move(state, choice), t - choice % 900)
        case "press":
            return PressOnly(side)
        case "sit":
            return Sit(side)
        case "ready":
            return MakeReady(side)
        case "offer":
            return OfferDraw(side)
        case "answer":
            asked = state.questions[0].id if state.questions else "none"
            return AnswerQuestion(side, asked, "yes" if choice % 2 else "no")
        case "claim":
            move = chosen_move(state, choice) if choice % 2 else ""
            return ClaimDraw(state.turn, "repetition" if choice % 3 else "fifty-moves", move)
        case "resign":
            return Resign(side) if choice % 4 == 0 else None
        case "propose":
            return ProposeResult(side, score)
        case "confirm":
            return Confirm(side, state.proposed or score)
        case "dispute":
            return Dispute(side, score)
        case "call":
            return CallArbiter(side, "help", pause=bool(choice % 2))
        case "illegal":
            return PressIllegal(state.turn, misplaced(state, choice), t - choice % 500)
        case "no-move":
            return PressIllegal(side, state.position.board_fen())
        case "flag":
            return ClaimFlag(side)
        case "complain":
            return ClaimIllegal(side, touched=bool(choice % 2))
        case "touched":
            return ClaimTouch(side, touched=bool(choice % 3))
        case "finish":
            return ClaimFinish(side, "increment" if choice % 2 else "normal-means")
        case "unpromoted":
            return PressIllegal(state.turn, unpromoted(state), t - choice % 500)
        case "go-on":
            return ResumePlay(side)
        case "start":
            return StartByPress(side)
    return None


def touches(choice: int) -> tuple[str, ...]:
    """Some squares, as a board may have seen them."""
    return tuple(chess.SQUARE_NAMES[(choice * factor) % 64] for factor in range(1, choice % 4))


def unpromoted(state: GameState) -> str:
    """The board once a pawn of the side on move was left on the last rank; as it is when there is none."""
    board = state.board()
    for move in board.legal_moves:
        if move.promotion:
            board.set_piece_at(move.to_square, board.remove_piece_at(move.from_square))
            break
    return board.board_fen()


def misplaced(state: GameState, choice: int) -> str:
    """The board once some piece of the side on move has been put somewhere."""
    board = state.board()
    own = sorted(chess.SquareSet(board.occupied_co[board.turn]))
    if own:
        board.set_piece_at(choice % 64, board.remove_piece_at(own[choice % len(own)]))
    return board.board_fen()


def events_of(state: GameState, kind: str, side: Side, score: Score, choice: int, t: int) -> tuple[GameEvent, ...]:
    match kind:
        case "wait":
            return due(state, t)
        case "board":
            return (Board(t, ("ok", "lost", "returned", "unexplained")[choice % 4]),)
        case "order":
            data: dict[str, object] = {"score": score, "bonus_ms": choice, "force": choice % 2, "resume": choice % 3}
            data |= {"increment": choice % 2, "postpone": choice % 3 == 1}
            if choice % 4:
                data |= {"white_ms": choice, "black_ms": 5_000}
            if choice % 3:
                data |= {"ply": choice % 7, "side": side}
            if choice % 5 == 0:
                data |= {"error": ("position", "colours", "clock", "board-turned")[choice % 4]}
            if choice % 7 == 0:
                data |= {"action": ("warning", "time", "loss")[choice % 3], "ms": choice, "move": chosen_move(state, 1)}
            if choice % 11 == 0:
                data |= {"fen": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 9"}
            order = f"o{len(state.orders)}"
            return decide_order(state, order, ORDERS[choice % len(ORDERS)], state.game, data, t)
        case "assign":
            return decide_assignment(state, assignment(state.round + choice % 2, choice % 3, choice), t)
        case "kill":
            return recover(state, t, same_boot=True)
    standing = MakeMove(chosen_move(state, choice), t - choice % 700, touches(choice)) if choice % 7 == 0 else None
    intent = intent_of(state, kind, side, score, choice, t)
    answer = decide(state, intent, t, standing) if intent else ()
    return () if isinstance(answer, Refusal) else answer


def assignment(round_: int, rev: int, choice: int) -> Assignment:
    control, edition = CONTROLS[choice % len(CONTROLS)], EDITIONS[choice // 3 % len(EDITIONS)]
    if choice % 10 == 0:
        control, edition = "65", FINISH
    names, start = (Player(1, "A"), Player(2, "B")), STARTS[choice // 7 % len(STARTS)]
    return Assignment("e", round_, rev, f"r{round_}b1", 1, *names, control, start_fen=start, edition=edition)


@settings(max_examples=120, deadline=None)
@given(number, st.lists(attempts, max_size=60))
def test_the_log_alone_gives_the_state_and_the_record_is_chess(
    choice: int, tries: list[tuple[str, Side, Score, int]]
) -> None:
    state, t, counted = GameState(), 0, True
    log: list[GameEvent] = []
    events = decide_assignment(state, assignment(1, 1, choice), t)
    state, log = replay(events, state), [*log, *events]
    events = decide_order(state, "start", "start", "", {}, t)
    state, log = replay(events, state), [*log, *events]
    for kind, side, score, number_ in tries:
        t += 1 + number_ % 3_000
        if kind == "reboot":
            t = number_ % 100
            events = recover(state, t, same_boot=False)
        else:
            events = events_of(state, kind, side, score, number_, t)
        before = state
        for event in events:
            log.append(event)
            earlier, state = state, fold(state, event)
            told_by(event, state)
            no_time_is_lost(earlier, event, state)
        if kind == "order":
            assert sum(isinstance(event, OrderDone) for event in events) == 1
        # A table whose board cannot be read counts presses without moves.
        counted = counted and not state.board_lost
        makes_sense(before, state, t, counted)
    assert replay(log) == state
    assert explain(state)
    what_is_permitted_is_accepted(state)


def told_by(event: GameEvent, state: GameState) -> None:
    """An event and the state after it say the same."""
    if isinstance(event, Ply):
        assert event.position == position_hash(state.position)
        assert (event.white_ms, event.black_ms) == state.clocks(event.t)
    elif isinstance(event, Press | Paused):
        assert (event.white_ms, event.black_ms) == state.clocks(event.t)
        assert min(event.white_ms, event.black_ms) >= 0
    elif isinstance(event, Flag):
        assert state.clocks(event.t)[0 if event.side == "white" else 1] == 0
        assert event in state.flags
    elif isinstance(event, Ended):
        assert state.clocks(event.t) == state.clocks(event.t + 10**7)
    elif isinstance(event, Confirmed):
        assert event.score == state.score or state.phase in ("playing", "paused")


def no_time_is_lost(before: GameState, event: GameEvent, after: GameState) -> None:
    """At the stamp of an event both clocks stand where they stood, but for presses and what an arbiter does to them."""
    if isinstance(event, Assigned | Adjusted | Resumed) or (isinstance(event, Paused) and event.restore):
        return
    then, now = before.clocks(event.t), after.clocks(event.t)
    if not isinstance(event, Press):
        assert then == now
    elif before.clock and before.clock.tc.mode != "hourglass":
        other = 1 if event.side == "white" else 0
        assert then[other] == now[other]
        assert then[1 - other] <= now[1 - other]


def what_is_permitted_is_accepted(state: GameState) -> None:
    """What a state says that a side may do is done when it is tried at once."""
    move = next((m for m in state.position.legal_moves if legal(state.position, m.uci())), None)
    for side in SIDES:
        names = permitted(state, side)
        tries: dict[str, Intent] = {"resign": Resign(side), "claim-touch": ClaimTouch(side), "offer": OfferDraw(side)}
        if move is not None:
            tries["move"] = MakeMove(move.uci(), state.t)
        if state.ahead > 0:
            tries["press"] = PressOnly(side)
        elif move is not None and state.turn == side:
            tries["press"] = PressClock(side, move.uci(), state.t)
        for name in set(names) & set(tries):
            assert not isinstance(decide(state, tries[name], state.t), Refusal), (side, name)


def makes_sense(before: GameState, state: GameState, t: int, counted: bool) -> None:
    assert (state.phase in ("ended", "confirmed")) <= (state.score is not None)
    assert (state.phase == "playing") == (state.running is not None)
    if state.phase == "confirmed":
        assert state.ruled or all(state.has_confirmed(side) for side in SIDES)
    if counted and state.clock and state.under_way:
        assert all(state.clock.half(side).moves == state.completed(side) for side in SIDES)
    if state.phase == "playing":
        flag = next_due(state)
        assert flag is None or flag > t or due(state, t)
    if state.assignment and state.assignment == before.assignment and before.score is not None:
        assert len(state.plies) == len(before.plies) or state.score is None  # nothing is played after the end
    assert len(state.keys) == len(state.plies) + (state.assignment is not None)
    assert position_after(state, len(state.plies)).fen() == state.position.fen()
    if any(ply.illegal or ply.placement for ply in state.plies) or state.placed:
        return
    board = start_board(state.assignment) if state.assignment else chess.Board()
    for ply in state.plies:
        assert board.parse_san(ply.san).uci() == ply.uci
        board.push_uci(ply.uci)
    assert board.epd() == state.position.epd()


def test_a_refusal_changes_nothing_and_a_decision_is_repeatable() -> None:
    """The same state, intent and stamp give the same answer: nothing hidden is kept anywhere."""
    state = replay(decide_assignment(GameState(), assignment(1, 1, 0), 0))
    state = replay(decide_order(state, "o", "start", "", {}, 0), state)
    intent = PressClock("white", "e2e4", 400)
    before, answer = repr(state), decide(state, intent, 500)
    assert isinstance(decide(state, PressClock("white", "e2e5", 400), 500), Refusal)
    assert isinstance(decide(state, PressClock("black", "e7e5", 450), 500), Refusal)
    assert decide(state, intent, 500) == answer
    assert (repr(state), state.position) == (before, chess.Board())
