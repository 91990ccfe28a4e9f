"""What the desks see, computed from the folded logs. Pure: times and presence are arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from gettext import gettext as _
from gettext import ngettext

from hallnet.views import BoardRow, BoardState, CallView, ClockView, GameView, HallPhase, MoveView, StepView
from kiosk.hub.case_view import case_view
from kiosk.hub.duties import game_id, player
from rules.laws.game_explain import explain, permitted
from rules.laws.game_state import GameState
from rules.tournament.decisions import boards_in_words
from rules.tournament.events import CallOpened, Pair, Resulted
from rules.tournament.state import Round, TournamentState

#: A sentence names at most so many boards.
_NAMED = 8
#: `GameState.phase` → the board's state, for the game that is on the sheet.
_BY_PHASE: Mapping[str, BoardState] = {
    "assigned": "assigned",
    "ready": "ready",
    "playing": "playing",
    "paused": "paused",
    "ended": "ended",
    "confirmed": "confirmed",
    "disputed": "disputed",
}
#: The board's states in which no more moves are made.
OVER: frozenset[BoardState] = frozenset({"ended", "confirmed", "disputed", "ruled"})


def sheet_of(state: TournamentState) -> Round | None:
    """The round that the hall looks at: the draft if there is one, else the latest public round."""
    return state.draft or state.current_round


def hall_phase(state: TournamentState) -> HallPhase:
    """Where the event stands."""
    current = state.current_round
    if state.finished:
        return "finished"
    if state.draft is not None:
        return "draft"
    if current is None:
        return "to-pair"
    if not current.open_boards and not state.open_disputes(current.number):
        return "complete"
    return "running" if current.started else "published"


def board_state(sheet: Round, board: int, phase: str, answered: bool) -> BoardState:
    """One word for a board; `phase`: its game's at the table, `answered`: the assignment was taken or refused."""
    if not sheet.published:
        return "draft"
    result = sheet.results.get(board)
    if result is not None:
        return "confirmed" if result.source == "confirmed" else "ruled"
    return _BY_PHASE.get(phase, "assigned" if answered else "sent")


def clock_view(game: GameState, t: int) -> ClockView | None:
    """Both clocks at chess-time `t`; a flag is down only if the table said so."""
    if game.clock is None:
        return None
    reading = game.clock.reading(max(t, game.t))
    return ClockView(
        white_ms=max(0, reading.white_ms),
        black_ms=max(0, reading.black_ms),
        t=max(t, game.t),
        running=reading.running,
        flagged=game.flag.side if game.flag else None,
        paused=game.clock.paused,
        delay_ms=reading.delay_left_ms if reading.running else 0,
    )


def last_move(game: GameState) -> str:
    """The last move with its number: "21.f3" or "21...Bg4"."""
    if not game.plies:
        return ""
    by_black = game.turn == "white"
    number = game.position.fullmove_number - (1 if by_black else 0)
    return f"{number}{'...' if by_black else '.'}{game.plies[-1].san}"


def score_of(result: Resulted | None, game: GameState | None) -> str:
    """The official score, else the one that waits for confirmation, else ""."""
    if result is not None:
        return result.score
    if game is None:
        return ""
    return game.score or game.proposed or ""


def ended_by(result: Resulted | None, game: GameState | None) -> str:
    """What ended the game, in the words of `rules.laws.events.EndedBy` or of the result's source."""
    if result is not None and result.source != "confirmed":
        return result.source
    return (game.ended_by or "") if game is not None else ""


def board_row(
    state: TournamentState,
    sheet: Round,
    pair: Pair,
    *,
    game: GameState | None,
    phase: str,
    t: int,
    answered: bool,
    offline: int,
) -> BoardRow:
    """One board's line. `game` is the record of its game, `phase` where that stands, `t` the chess time now."""
    result = sheet.results.get(pair.board)
    call = next((c for c in state.calls.values() if (c.round, c.board) == (sheet.number, pair.board)), None)
    row = BoardRow(
        board=pair.board,
        table=sheet.tables.get(pair.board, ""),
        white=player(state, pair.white),
        black=player(state, pair.black),
        state=board_state(sheet, pair.board, phase, answered),
        game=game_id(sheet.number, pair.board),
        score=score_of(result, game),
        ended_by=ended_by(result, game),
        call=call.kind if call else "",
        offline=offline,
    )
    return row if game is None else _with_game(row, game, t)


def _with_game(row: BoardRow, game: GameState, t: int) -> BoardRow:
    return BoardRow(
        board=row.board,
        table=row.table,
        white=row.white,
        black=row.black,
        state=row.state,
        game=row.game,
        score=row.score,
        ended_by=row.ended_by,
        call=row.call,
        offline=row.offline,
        clock=clock_view(game, t),
        last=last_move(game),
        plies=len(game.plies),
        fen=game.fen,
        last_uci=game.plies[-1].uci if game.plies else "",
        offer=game.offer,
        confirmed=tuple(side for side in ("white", "black") if game.has_confirmed(side)),
        ready=tuple(side for side in ("white", "black") if side in game.ready),
    )


def game_view(row: BoardRow, round_number: int, game: GameState | None, log: Sequence[str]) -> GameView:
    """One game in full: each move with the mover's clock after his press."""
    moves: tuple[MoveView, ...] = ()
    evidence: Mapping[str, str] = {}
    if game is not None:
        white_first = game.turn == "white" if len(game.plies) % 2 == 0 else game.turn == "black"
        moves = tuple(
            MoveView(san=ply.san, uci=ply.uci, clock_ms=ply.white_ms if (n % 2 == 0) == white_first else ply.black_ms)
            for n, ply in enumerate(game.plies)
        )
        evidence = game.evidence
    claim = game.claim if game is not None else None
    return GameView(
        row=row,
        round=round_number,
        moves=moves,
        evidence=evidence,
        log=tuple(log),
        claim=claim.what if claim is not None else "",
        claimed_move=claim.move if claim is not None else "",
        can=permitted(game, "arbiter") if game is not None else (),
        told=explain(game) if game is not None else (),
    )


def board_log(state: TournamentState, round_number: int, board: int, game: GameState | None) -> tuple[str, ...]:
    """What an arbiter should know about a board besides the moves: faults, open calls, the official result."""
    lines = [fault.what for fault in game.faults] if game is not None else []
    lines += [
        _("{kind}: {why}").format(kind=call.kind, why=call.why) if call.why else call.kind
        for call in state.calls.values()
        if (call.round, call.board) == (round_number, board)
    ]
    sheet = state.round(round_number)
    adjourned = sheet.adjourned.get(board) if sheet is not None else None
    if adjourned is not None:
        lines.append(_("adjourned by {by}: {why}").format(by=adjourned.by, why=adjourned.why or "-"))
    result = sheet.results.get(board) if sheet is not None else None
    if result is not None:
        line = _("{score}, {source}, by {by}").format(score=result.score, source=result.source, by=result.by)
        lines.append(f"{line}: {result.why}" if result.why else line)
    return tuple(lines)


def call_view(call: CallOpened, game: GameState | None = None) -> CallView:
    """An open call about a board whose game is `game`."""
    return CallView(
        id=call.id,
        round=call.round,
        board=call.board,
        kind=call.kind,
        side=call.side,
        why=call.why,
        since=call.at,
        case=case_view(call, game),
    )


def step(state: TournamentState, rows: Sequence[BoardRow], tables: int) -> StepView:
    """What the one key for "next" does now, or for what the hall waits. `rows` are the boards of `sheet_of(state)`."""
    phase = hall_phase(state)
    if state.regulations is None or not state.entries:
        return StepView(kind="", sentence=_("There are no entries yet."))
    if phase == "finished":
        return StepView(kind="", sentence=_("The tournament is over."))
    if phase == "to-pair":
        return StepView(kind="pair", sentence=_("Pair round 1."))
    if state.draft is not None:
        return _publish_step(state.draft, tables)
    current = state.rounds[-1]
    if phase == "published":
        return _start_step(current, rows)
    if phase == "running":
        return _late_start_step(state, rows) or _waiting_step(current, rows)
    if current.number < state.regulations.rounds:
        return StepView(kind="pair", sentence=_("Pair round {round}.").format(round=current.number + 1))
    return StepView(kind="finish", sentence=_("All rounds are played: close the tournament."))


def _publish_step(draft: Round, tables: int) -> StepView:
    missing = len(draft.pairs) - tables
    if missing > 0:
        sentence = ngettext(
            "Round {round} waits for {missing} more table.", "Round {round} waits for {missing} more tables.", missing
        ).format(round=draft.number, missing=missing)
        return StepView(kind="", sentence=sentence)
    return StepView(kind="publish", sentence=_("Publish the pairings of round {round}.").format(round=draft.number))


def _boards(boards: Sequence[int]) -> str:
    if len(boards) <= _NAMED:
        return boards_in_words(boards)
    return ngettext("{named} and {more} more", "{named} and {more} more", len(boards) - _NAMED).format(
        named=", ".join(str(board) for board in boards[:_NAMED]), more=len(boards) - _NAMED
    )


def _start_step(current: Round, rows: Sequence[BoardRow]) -> StepView:
    waiting = [row.board for row in rows if row.state in ("sent", "assigned")]
    if not waiting:
        return StepView(
            kind="start", sentence=_("All boards are ready: start round {round}.").format(round=current.number)
        )
    return StepView(
        kind="start",
        sentence=ngettext(
            "Start round {round}; board {boards} is not ready.", "Start round {round}; boards {boards} are not ready.",
            len(waiting),
        ).format(round=current.number, boards=_boards(waiting)),
    )  # fmt: skip


def not_started(state: TournamentState, rows: Sequence[BoardRow]) -> list[int]:
    """Boards of a started round that stand ready with no order to start on its way (a device was replaced, say)."""
    ordered = {order.game for order in state.orders.values() if order.kind == "start"}
    return [row.board for row in rows if row.state in ("assigned", "ready") and row.game not in ordered]


def _late_start_step(state: TournamentState, rows: Sequence[BoardRow]) -> StepView | None:
    late = not_started(state, rows)
    if not late:
        return None
    sentence = ngettext("Board {boards} has not started: start it.", "Boards {boards} have not started: start them.",
                        len(late)).format(boards=_boards(late))  # fmt: skip
    return StepView(kind="start", sentence=sentence)


def _waiting_step(current: Round, rows: Sequence[BoardRow]) -> StepView:
    disputed = [row.board for row in rows if row.state == "disputed" or row.call == "dispute"]
    ended = [row.board for row in rows if row.state == "ended" and row.board not in disputed]
    playing = [row.board for row in rows if row.state not in OVER and row.board not in disputed]
    parts = []
    if playing:
        parts.append(
            ngettext("board {boards} is playing", "boards {boards} are playing", len(playing)).format(
                boards=_boards(playing)
            )
        )
    if ended:
        parts.append(
            ngettext("board {boards} has to confirm", "boards {boards} have to confirm", len(ended)).format(
                boards=_boards(ended)
            )
        )
    if disputed:
        parts.append(
            ngettext("board {boards} waits for a ruling", "boards {boards} wait for a ruling", len(disputed)).format(
                boards=_boards(disputed)
            )
        )
    return StepView(
        kind="",
        sentence=_("Round {round}: {what}.").format(round=current.number, what="; ".join(parts) or _("waiting")),
    )
