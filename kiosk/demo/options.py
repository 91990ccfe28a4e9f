"""What a demonstration is asked to play, checked before anything is started."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from gettext import gettext as _
from pathlib import Path

from drivers.catalogue import BOARDS
from kiosk.hub.entries import load_entries, load_report
from rules.interchange.pgn import PgnGame, read_games
from rules.laws import time_control
from rules.tournament.entries import Entry
from rules.tournament.imported import NotContinuable, taken_over

#: The bundled list of invented players.
ENTRIES = Path(__file__).with_name("entries.csv")
#: Up to this many tables each table is a process of its own.
OWN_PROCESS = 16
#: The largest number of tables in one process.
PACK = 50
#: The largest hall.
MOST_TABLES = 2000
#: Speeds of chess time: with and without people at the screens.
SPEED = 5.0
HEADLESS_SPEED = 60.0
#: Real ms that a move takes on a busy machine, all in all; the moves of a long game; and the percentage of the clock
#: time that nobody thinks about. A faster hall would make flags fall that the seed does not know of.
MOVE_MS = 90
LONG_GAME = 80
SPARE_PERCENT = 60


class OptionsError(ValueError):
    """Something asked for is not possible; str() says what and the way out."""


@dataclass(frozen=True, slots=True)
class Options:
    """A demonstration: see `hallkiosk demo --help`. `entries` and `games` are paths of checked files.

    `continued`: the event goes on from the report in `entries`, "checked" or "as-it-is". `keys`: with TLS and a key for
    each table, as in a real hall.
    """

    out: Path
    tables: int
    rounds: int
    system: str
    control: str
    seed: int
    speed: float
    entries: Path
    players: tuple[Entry, ...]
    games: Path | None
    pgn: tuple[PgnGame, ...]
    headless: bool
    watch: bool
    continued: str = ""
    keys: bool = False

    @property
    def boards(self) -> int:
        """Boards of a full round."""
        return len(self.players) // 2

    def board_kind(self, table: int) -> str:
        """The kind of board at a table (from 1): every kind in turn, in an order that the seed picks."""
        kinds = list(BOARDS)
        random.Random(f"boards {self.seed}").shuffle(kinds)
        return kinds[(table - 1) % len(kinds)]

    @property
    def start(self) -> date:
        """The first day of the event: a Saturday that the seed picks, so that files do not tell the day of the run."""
        return date(2026, 1, 3) + timedelta(weeks=random.Random(f"date {self.seed}").randrange(50))

    def file_result(self, round_: int, board: int) -> str:
        """The result that the file of games has for this game; a draw if it has none; "" without a file."""
        if not self.pgn:
            return ""
        game = self.pgn[((round_ - 1) * self.boards + board - 1) % len(self.pgn)]
        return game.result if game.result in ("1-0", "0-1", "1/2-1/2") else "1/2-1/2"


def read_entries_file(path: Path) -> tuple[Entry, ...]:
    """The entries of a CSV or TRF file. Raises `ValueError` with file, line, column and remedy."""
    entries = load_entries(path)
    if len(entries) > 2 * MOST_TABLES:
        raise OptionsError(
            _("{file}: {count} entries need more than {most} tables; give a shorter list.").format(
                file=path, count=len(entries), most=MOST_TABLES
            )
        )
    if len(entries) < 2:
        raise OptionsError(_("{file}: a tournament needs at least two entries.").format(file=path))
    return entries


def check_report(path: Path) -> None:
    """Can the event go on from this file? Raises `ValueError` with a sentence; rounds are judged by the hub."""
    try:
        taken_over(load_report(path), path.name)
    except NotContinuable as error:
        raise OptionsError(_("{file}: {error}").format(file=path, error=error)) from None


def read_games_file(path: Path, tell: Callable[[str], None]) -> tuple[PgnGame, ...]:
    """The games of a PGN file, gzip-compressed or not, that begin from the usual start position.

    `tell` gets a sentence about every game that breaks off or is left out. Raises `ValueError` with a sentence.
    """
    try:
        data = path.read_bytes()
        games = read_games(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data, str(path))
    except (OSError, EOFError, zlib.error) as error:
        raise OptionsError(
            _("{file}: cannot be read: {error}").format(file=path, error=getattr(error, "strerror", None) or error)
        ) from None
    playable = []
    for game in games:
        if not game.moves and not game.headers:
            continue  # text that is no game
        if game.start_fen:
            tell(
                _("{file}:{line}: this game begins from a set-up position and is left out.").format(
                    file=path, line=game.line
                )
            )
            continue
        if game.stopped is not None:
            tell(
                _("{file}:{line}:{column}: {what}; the game stops there. {remedy}").format(
                    file=path,
                    line=game.stopped.line,
                    column=game.stopped.column,
                    what=game.stopped.what,
                    remedy=game.stopped.remedy,
                )
            )
        playable.append(game)
    if not playable:
        raise OptionsError(_("{file}: there is no game in this file that can be played.").format(file=path))
    return tuple(playable)


def fastest(control: str, games: tuple[PgnGame, ...] = ()) -> float:
    """The speed of chess time up to which hands on a busy machine keep up with the clocks of a long game."""
    period = time_control.parse(control).white[0]
    moves = max([LONG_GAME, *(len(game.moves) // 2 for game in games)])
    spare_ms = period.main_ms * SPARE_PERCENT // 100 + (period.inc_ms + period.delay_ms) * moves
    return max(1.0, float(spare_ms // (moves * MOVE_MS)))


def checked_control(text: str) -> str:
    """A time control for the demonstration. Raises `ValueError` for one that is not understood."""
    time_control.parse(text)
    return text
