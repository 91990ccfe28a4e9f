"""What spectators may know, as files and as messages of their own account: never more than the delay rule allows.

Pairings, results and standings are public when they are official; moves are held back for so many minutes. Files are
replaced in one step, so whoever serves them never reads half of one; the lines of a game only grow, until a move that
they tell counts no more or was another one: then they are written anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hallnet.wire import Address
from kiosk.hub.duties import player
from kiosk.hub.export import round_pgn, standings_of
from rules.laws.game_state import GameState
from rules.tournament.state import Round, TournamentState

#: A new picture for the spectators at most so often (ms).
SHOW_MS = 2_000
#: Rounds whose games may still have moves that are held back.
_ROUNDS = 2
#: What is larger is in the files only: the transport would cut off who sends it.
MOST_BYTES = 900_000


@dataclass(frozen=True, slots=True)
class Picture:
    """The tournament and the games of the last rounds, (round, board) → game, at wall time `wall` (ms)."""

    state: TournamentState
    games: Mapping[tuple[int, int], GameState]
    wall: int


@dataclass(slots=True)
class _Line:
    """One game: each ply (stamp, UCI) and when it was first seen, and how many the spectators have."""

    known: list[tuple[int, str]] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    shown: int = 0

    def look(self, now: list[tuple[int, str]], wall: int) -> bool:
        """Takes the plies as they are at `wall`; whether one that the spectators have is not as they have it."""
        changed = now[: self.shown] != self.known[: self.shown]
        # A move that is put right was made at its own time; one made after the position was put back is a new one.
        same = next((n for n, (was, is_) in enumerate(zip(self.known, now, strict=False)) if was[0] != is_[0]), None)
        del self.seen[len(now) if same is None else same :]
        self.seen += [wall] * (len(now) - len(self.seen))
        self.known = now
        return changed


class Feed:
    """Writes into `folder`; `delay_ms` is how long moves are held back. Use one from one thread at a time."""

    def __init__(self, folder: Path, address: Address, delay_ms: int) -> None:
        self._folder = folder
        self._address = address
        self._delay = delay_ms
        self._lines: dict[tuple[int, int], _Line] = {}
        self._written: dict[str, bytes] = {}

    def show(self, picture: Picture) -> list[tuple[str, bytes]]:
        """Bring the files up to date; the messages (subject, payload) for the spectators' account. Raises `OSError`."""
        (self._folder / "games").mkdir(parents=True, exist_ok=True)
        state, out = picture.state, list[tuple[str, bytes]]()
        public = state.rounds[-_ROUNDS:]
        for name, value in (
            ("pairings", [_sheet(state, sheet) for sheet in public[-1:]]),
            ("results", [_sheet(state, sheet) for sheet in state.rounds]),
            ("standings", standings_of(state) if state.entries else {}),
        ):
            data = json.dumps(value, ensure_ascii=False).encode("utf-8")
            if self._replace(f"{name}.json", data) and len(data) <= MOST_BYTES:
                out.append((f"pub.{self._address.event}.{self._address.hall}.{name}", data))
        for sheet in public:
            visible: dict[int, GameState] = {}
            for pair in sheet.pairs:
                game = picture.games.get((sheet.number, pair.board))
                if game is not None:
                    out += self._moves(sheet.number, pair.board, game, picture.wall)
                    count = self._lines[sheet.number, pair.board].shown
                    visible[pair.board] = replace(game, plies=game.plies[:count])
            self._replace(f"round-{sheet.number}.pgn", round_pgn(state, sheet.number, visible).encode("utf-8"))
        return out

    def _moves(self, round_number: int, board: int, game: GameState, wall: int) -> list[tuple[str, bytes]]:
        """The moves of a game whose time has come, as lines of its file and as messages."""
        name = f"games/r{round_number}b{board}.jsonl"
        plies = [(ply.t, ply.uci) for ply in game.plies]
        line = self._lines.get((round_number, board))
        if line is None:
            # What an earlier process of this hub has shown stays public.
            shown = self._shown_before(name, game)
            line = self._lines[round_number, board] = _Line(plies[:shown], [0] * shown, shown)
        if line.look(plies, wall):
            # The arbiter has put the position back, or a player has said which move it was.
            line.shown = 0
            (self._folder / name).unlink(missing_ok=True)
        due = [n for n in range(line.shown, len(plies)) if wall - line.seen[n] >= self._delay]
        if not due:
            return []
        if line.shown == 0:
            (self._folder / name).unlink(missing_ok=True)
        moves = [_move(round_number, board, n + 1, game.plies[n]) for n in due]
        with (self._folder / name).open("ab") as file:
            file.writelines(move + b"\n" for move in moves)
        line.shown = due[-1] + 1
        return [(f"pub.{self._address.event}.{self._address.hall}.moves", move) for move in moves]

    def _shown_before(self, name: str, game: GameState) -> int:
        """How many moves of this very game are in its file already; a file that tells another game counts nothing."""
        path, kept = self._folder / name, b""
        count = 0
        try:
            data = path.read_bytes()
            for line in data.splitlines(keepends=True):
                if (
                    count == len(game.plies)
                    or not line.endswith(b"\n")
                    or json.loads(line)["uci"] != game.plies[count].uci
                ):
                    break
                kept += line
                count += 1
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        if kept != data:
            if len(kept) < len(data.rpartition(b"\n")[0]):
                return 0  # it tells another game
            path.write_bytes(kept)  # the last line was torn when the hub ended
        return count

    def _replace(self, name: str, data: bytes) -> bool:
        if self._written.get(name) == data:
            return False
        new = self._folder / f"{name}.new"
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._folder / name)
        self._written[name] = data
        return True


def _move(round_number: int, board: int, number: int, ply: Any) -> bytes:
    value = {"round": round_number, "board": board, "ply": number, "side": ply.side, "uci": ply.uci, "san": ply.san}
    value |= {"white_ms": ply.white_ms, "black_ms": ply.black_ms}
    return json.dumps(value).encode("utf-8")


def _sheet(state: TournamentState, sheet: Round) -> dict[str, Any]:
    boards = [
        {
            "board": pair.board,
            "white": player(state, pair.white).name,
            "black": player(state, pair.black).name,
            "result": sheet.results[pair.board].score if pair.board in sheet.results else None,
        }
        for pair in sheet.pairs
    ]
    return {"round": sheet.number, "boards": boards, "bye": player(state, sheet.bye).name if sheet.bye else None}
