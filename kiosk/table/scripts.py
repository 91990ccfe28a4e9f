"""Where the simulated people's games come from: the seed, or a PGN file."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

from hallnet.views import TableView
from kiosk.table.config import PlayersConfig
from rules.interchange.pgn import PgnGame, read_games
from rules.laws import time_control
from rules.laws.generator import GameScript, script, script_from_moves
from rules.laws.sides import SIDES


def _playable(path: Path) -> tuple[PgnGame, ...]:
    """The games of a file that begin from the usual start position, as the demonstration deals them."""
    data = path.read_bytes()
    games = read_games(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, str(path))
    return tuple(game for game in games if not game.start_fen)


class Scripts:
    """The script of any game that a table is assigned: the same for the same seed, round and board."""

    def __init__(self, config: PlayersConfig) -> None:
        self._config = config
        self._games: tuple[PgnGame, ...] | None = None

    async def __call__(self, view: TableView) -> GameScript:
        """Computed in a worker thread: it takes a fraction of a second."""
        return await asyncio.to_thread(self._script, view)

    def _script(self, view: TableView) -> GameScript:
        assignment = view.assignment
        if assignment is None:
            raise ValueError("no game is assigned")
        period = time_control.parse(assignment.control).white[0]
        if self._config.games:
            if self._games is None:
                self._games = _playable(Path(self._config.games))
            number = (assignment.round - 1) * max(1, self._config.boards) + assignment.board - 1
            game = self._games[number % len(self._games)]
            return script_from_moves(
                game.moves,
                game.clocks_ms,
                game.result,
                game.stopped is not None or (game.result == "1/2-1/2" and len(game.moves) < len(SIDES)),
                self._config.seed,
                period.main_ms,
                period.inc_ms,
            )
        return script(
            self._config.seed,
            assignment.round,
            assignment.board - 1,
            assignment.white.rating,
            assignment.black.rating,
            period.main_ms,
            period.inc_ms,
        )
