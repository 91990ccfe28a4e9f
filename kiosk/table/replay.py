"""A table's log folded and told: for protests, for tests, for anybody with a copy of `table-N.db`."""

from __future__ import annotations

import sqlite3
from gettext import gettext as _
from pathlib import Path
from typing import Any

import msgspec

from hallnet.errors import StoreError
from hallnet.wire import WireError, event_of
from rules.laws.game import GameState, fold


def replay_game(path: Path) -> dict[str, Any]:
    """The table's state after its whole log, as JSON-able values. The file is only read.

    Raises a `StoreError` for a file that is not the log of a table.
    """
    state = GameState()
    events = unknown = 0
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            rows = connection.execute("SELECT kind, d FROM events ORDER BY epoch, seq").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(
            path, _("{path} is not the log of a table ({error}): name its table-N.db").format(path=path, error=error)
        ) from None
    for kind, data in rows:
        events += 1
        try:
            state = fold(state, event_of(kind, data.encode("utf-8")))
        except WireError:
            unknown += 1
    return told(state) | {"events": events, "not_understood": unknown}


def told(state: GameState) -> dict[str, Any]:
    """A table's state as JSON-able values. Clocks in ms as of the last event."""
    white_ms, black_ms = state.clocks(state.t)
    return {
        "phase": state.phase,
        "assignment": msgspec.to_builtins(state.assignment),
        "fen": state.fen,
        "moves": [
            {"uci": ply.uci, "san": ply.san, "white_ms": ply.white_ms, "black_ms": ply.black_ms, "t": ply.t}
            for ply in state.plies
        ],
        "white_ms": white_ms,
        "black_ms": black_ms,
        "running": state.running,
        "seated": sorted(state.seated),
        "ready": sorted(state.ready),
        "offer": state.offer,
        "proposed": state.proposed,
        "confirmed": sorted({confirmed.side for confirmed in state.confirmations}),
        "score": state.score,
        "ended_by": state.ended_by,
        "evidence": dict(state.evidence),
    }
