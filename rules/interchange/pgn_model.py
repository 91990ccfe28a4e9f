"""Games in Portable Game Notation as frozen values, and the fixed words of the format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import chess

from rules.interchange.errors import Defect

#: Tags every game has, in this order, with the value for "unknown" (PGN 8.1.1).
ROSTER: Mapping[str, str] = MappingProxyType(
    {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
)
#: Value of the Variant tag of a game that began from another set-up of the pieces (Guidelines II).
CHESS960 = "Chess960"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
#: Scores that an arbiter can give and PGN has no sign for (Laws 12.9.6, 12.9.7); they are written "*" with this tag.
UNSIGNED = ("0-0", "1/2-0", "0-1/2")
SCORE_TAG = "Score"

_NO_COMMENTS: Mapping[int, str] = MappingProxyType({})
_NO_GLYPHS: Mapping[int, tuple[int, ...]] = MappingProxyType({})


def board_of(fen: str) -> chess.Board:
    """The position of a FEN, castling by the rules of Chess960 where king or rooks stand as only there they do.

    Raises ValueError for what is no FEN.
    """
    board, chess960 = chess.Board(fen), chess.Board(fen, chess960=True)
    return board if board.clean_castling_rights() == chess960.clean_castling_rights() else chess960


@dataclass(frozen=True, slots=True)
class Variation:
    """Other moves than those of the line it belongs to.

    `ply` is the move of that line it stands for (1 = the first), so it begins in the position before that move. `moves`
    are UCI; `comments` and `glyphs` go by the plies of the variation itself (0 = before its first move). Clock times in
    comments are left there.
    """

    ply: int
    moves: tuple[str, ...]
    comments: Mapping[int, str] = field(default_factory=lambda: _NO_COMMENTS)
    glyphs: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: _NO_GLYPHS)
    variations: tuple[Variation, ...] = ()


@dataclass(frozen=True, slots=True)
class PgnGame:
    """One game of a file.

    `headers` are its tags, `moves` the main line in UCI, `clocks_ms` what each mover's clock showed after the move
    (None where the file does not say), `result` one of `RESULTS` or `UNSIGNED`. `stopped` says where and why
    reading ended early, None when the whole game was read. `comments` are the words after a ply (0 = before the first
    move), without clock times; `glyphs` the numeric annotations of a ply (PGN 10: 1 = good move); `variations` stand in
    the order of the file, and `unread` says where one of them could not be read to its end. `start_fen` is "" for the
    usual start position. `line` is where the game begins in the file.
    """

    headers: Mapping[str, str]
    moves: tuple[str, ...]
    clocks_ms: tuple[int | None, ...]
    result: str
    stopped: Defect | None = None
    comments: Mapping[int, str] = field(default_factory=lambda: _NO_COMMENTS)
    start_fen: str = ""
    glyphs: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: _NO_GLYPHS)
    variations: tuple[Variation, ...] = ()
    unread: tuple[Defect, ...] = field(default=(), compare=False)
    line: int = field(default=0, compare=False)

    @property
    def round_and_board(self) -> tuple[int | None, int | None]:
        """Round and board, None for what is not told: tags Round "3" and Board "12", or Round "3.12" alone."""
        parts = [int(part) for part in re.findall(r"\d+", self.headers.get("Round", ""))]
        board = self.headers.get("Board", "").strip()
        if board.isdecimal():
            return (parts[0] if parts else None), int(board)
        return (parts[0] if parts else None), (parts[-1] if len(parts) > 1 else None)
