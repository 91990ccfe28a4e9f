"""A hall's log folded and told: for protests, for tests, for anybody with a copy of `hall.db`."""

from __future__ import annotations

from dataclasses import asdict
from gettext import gettext as _
from pathlib import Path
from typing import Any

from kiosk.hub import views
from kiosk.hub.export import standings_of
from kiosk.hub.hall import Hall, read_hall
from kiosk.hub.reading import open_existing
from rules.tournament.events import Ordered
from rules.tournament.state import Round, TournamentState


def replay_event(path: Path, until: int | None = None) -> dict[str, Any]:
    """The state after the log at `path`, or after its first `until` tournament events, as JSON-able values.

    The games are told for a whole log only: the tables' events have an order of their own. Raises a `StoreError` for a
    file that is no hall's log, `ValueError` for an `until` outside it.
    """
    log = open_existing(path)
    try:
        events = log.stats()["tournament_events"]
        if until is not None and not 0 <= until <= events:
            raise ValueError(
                _("the log has events 1 to {last}, there is no event {until}").format(last=events, until=until)
            )
        hall = read_hall(log, until=until)
    finally:
        log.close()
    told = told_state(hall.state)
    if until is None:
        told["games"] = _games(hall)
    return told


def told_state(state: TournamentState) -> dict[str, Any]:
    """A tournament's state as JSON-able values."""
    return {
        "event": asdict(state.regulations) if state.regulations else None,
        "phase": views.hall_phase(state),
        "events": state.events,
        "incarnation": state.incarnation,
        "entries": [asdict(entry) for entry in state.entries.values()],
        "rounds": [_round(sheet) for sheet in state.rounds],
        "draft": _round(state.draft) if state.draft else None,
        "byes": {str(n): {str(tpn): kind for tpn, kind in given.items()} for n, given in state.byes.items()},
        "withdrawn": {str(tpn): first for tpn, first in state.withdrawn.items()},
        "calls": [asdict(call) for call in state.calls.values()],
        "orders": [_order(order) for order in state.orders.values()],
        "devices": {table: {"epoch": d.epoch, "instance": d.instance} for table, d in state.devices.items()},
        "standings": standings_of(state) if state.regulations and state.entries else None,
        "finished": state.finished,
    }


def _order(order: Ordered) -> dict[str, Any]:
    return {
        "id": order.id,
        "table": order.table,
        "game": order.game,
        "kind": order.kind,
        "data": dict(order.data),
        "by": order.by,
    }


def _round(sheet: Round) -> dict[str, Any]:
    boards = []
    for pair in sheet.pairs:
        row: dict[str, Any] = asdict(pair) | {"table": sheet.tables.get(pair.board, "")}
        result = sheet.results.get(pair.board)
        if result is not None:
            row |= {"score": result.score, "source": result.source, "by": result.by, "why": result.why}
        boards.append(row)
    return {
        "round": sheet.number,
        "rev": sheet.rev,
        "checksum": sheet.checksum,
        "started": sheet.started,
        "sealed": sheet.sealed,
        "bye": sheet.bye,
        "byes": {str(tpn): kind for tpn, kind in sheet.byes.items()},
        "reasons": list(sheet.reasons),
        "boards": boards,
    }


def _games(hall: Hall) -> dict[str, Any]:
    games: dict[str, Any] = {}
    for sheet in hall.state.rounds:
        for pair in sheet.pairs:
            game = hall.game(sheet.number, pair.board)
            if game is not None:
                games[game.game] = {
                    "phase": game.phase,
                    "moves": [ply.uci for ply in game.plies],
                    "fen": game.fen,
                    "score": game.score,
                    "ended_by": game.ended_by,
                    "evidence": dict(game.evidence),
                }
    return games
