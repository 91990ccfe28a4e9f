"""Games in Portable Game Notation: read with the place of every fault, written in export format.

The main line is what was played: a move of it that is illegal or cannot be read ends the game at that point, with a
defect that says where. Variations, glyphs and comments are kept with the move they belong to; a variation that cannot
be read ends where it fails and does not touch the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from gettext import gettext as _
from types import MappingProxyType

import chess

from rules.interchange.decoding import decoded, lines_of
from rules.interchange.errors import Defect
from rules.interchange.pgn_model import RESULTS, ROSTER, SCORE_TAG, UNSIGNED, PgnGame, Variation, board_of
from rules.interchange.pgn_tokens import Token, tokens
from rules.interchange.pgn_writer import clock_comment, game_text, write_game

__all__ = [
    "RESULTS", "ROSTER", "SCORE_TAG", "UNSIGNED", "PgnGame", "Variation", "clock_comment", "game_text", "read_games",
    "write_game",
]  # fmt: skip

_CLOCK = re.compile(r"\[%clk\s+(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)\s*\]")
#: Faults of a start position that leave no game to play; wrong castling rights are common and harmless.
_IMPOSSIBLE = (
    chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING | chess.STATUS_TOO_MANY_KINGS | chess.STATUS_OPPOSITE_CHECK
)
#: Values of the Variant tag that mean ordinary chess.
_CHESS = ("", "standard", "chess", "normal", "from position")
_CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")


def read_games(text: str | bytes, file: str) -> tuple[PgnGame, ...]:
    """All games of a file, in its order; an empty file has none.

    Bytes are read as UTF-8 and else as Latin-1, which is PGN's own (PGN 4.1). Clock times are `[%clk h:mm:ss]`, with
    decimals if they are there. The result is the sign at the end of the moves, else the Result tag.

    Raises InterchangeError when bytes are no text in either; faults inside a game are its `stopped`.
    """
    if isinstance(text, bytes):
        text, _adjustment = decoded(text, file, "latin-1")
    lines = lines_of(text.removeprefix("\ufeff"))
    return tuple(_game(number, pieces) for number, pieces in enumerate(_split(lines), 1))


def _split(lines: list[str]) -> Iterator[list[Token]]:
    """The tokens of each game: a new one begins with a tag after moves, a roster tag come again, or after a result."""
    game: list[Token] = []
    roster: set[str] = set()
    in_moves = ended = False
    depth = 0
    for token in tokens(lines):
        is_tag = token.kind == "tag" or (token.kind == "broken" and token.text.startswith("["))
        if game and ((is_tag and (in_moves or token.text in roster)) or (ended and token.kind != "comment")):
            yield game
            game, roster, in_moves, ended, depth = [], set(), False, False, 0
        game.append(token)
        if token.kind == "tag" and token.text in ROSTER:
            roster.add(token.text)
        in_moves = in_moves or not is_tag
        depth += (token.kind == "open") - (token.kind == "close")
        ended = ended or (token.kind == "result" and depth <= 0)
    if game:
        yield game


#: Variations inside variations beyond this are no analysis but a damaged file.
_DEEPEST = 40


@dataclass(slots=True)
class _Line:
    """The main line or a variation while it is read; a `dead` one is passed over to its closing parenthesis."""

    board: chess.Board
    ply: int = 0
    dead: bool = False
    moves: list[str] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)
    glyphs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    variations: list[Variation] = field(default_factory=list)

    def comment(self, text: str) -> None:
        ply = len(self.moves)
        if words := " ".join([*self.comments.get(ply, "").split(), *text.split()]):
            self.comments[ply] = words

    def glyph(self, number: int) -> None:
        ply = len(self.moves)
        self.glyphs[ply] = (*self.glyphs.get(ply, ()), number)

    def move(self, san: str) -> str:
        """Play a move; "" when it was one, else what is wrong with it."""
        try:
            move = self.board.parse_san(san)
        except chess.IllegalMoveError:
            return _("this move is illegal in the position")
        except chess.AmbiguousMoveError:
            return _("two pieces can make this move")
        except ValueError:
            return _("this is no move")
        if not move:
            return _("a null move is no move of a game")
        self.board.push(move)
        self.moves.append(move.uci())
        return ""

    def as_variation(self) -> Variation:
        return Variation(
            ply=self.ply,
            moves=tuple(self.moves),
            comments=MappingProxyType(self.comments),
            glyphs=MappingProxyType(self.glyphs),
            variations=tuple(self.variations),
        )


@dataclass(slots=True)
class _Record:
    """A game while it is read: its main line, and the variations that are open."""

    number: int
    main: _Line
    clocks_ms: list[int | None] = field(default_factory=list)
    result: str = ""
    open: list[_Line] = field(default_factory=list)
    unread: list[Defect] = field(default_factory=list)

    @property
    def line(self) -> _Line:
        return self.open[-1] if self.open else self.main

    def take(self, token: Token) -> Defect | None:
        """Add one token; a defect means that the game ends here."""
        if token.kind == "broken":
            return self.defect(token, _("a comment is opened and never closed"), _("close it with a brace"))
        if token.kind == "open":
            self.begin(token)
        elif token.kind == "close":
            if not self.open:
                return self.defect(token, _("a variation is closed that was not opened"), _("delete the parenthesis"))
            self.close()
        elif self.line.dead:
            pass
        elif token.kind == "comment":
            self.comment(token.text)
        elif token.kind == "glyph":
            self.line.glyph(int(token.text))
        elif token.kind == "result":
            self.result = self.result if self.open else token.text
        else:
            return self.move(token)
        return None

    def begin(self, token: Token) -> None:
        parent = self.line
        line = _Line(chess.Board(None), len(parent.moves), dead=parent.dead)
        if not parent.dead and (not parent.moves or len(self.open) >= _DEEPEST):
            what = _("this variation stands before any move") if not parent.moves else _("variations lie too deep here")
            self.unread.append(self.defect(token, what, _("take the variation out")))
            line.dead = True
        elif not parent.dead:
            line.board = parent.board.copy(stack=1)
            line.board.pop()
        self.open.append(line)

    def close(self) -> None:
        line = self.open.pop()
        if line.moves:
            self.line.variations.append(line.as_variation())
        elif text := line.comments.get(0, ""):
            self.line.comment(text)

    def comment(self, text: str) -> None:
        """The words of a comment; in the main line a clock time among them is the clock's."""
        if not self.open and self.main.moves and (match := _CLOCK.search(text)):
            hours, minutes, seconds = match.groups()
            whole, _dot, fraction = seconds.partition(".")
            milliseconds = int(fraction[:3].ljust(3, "0"))
            self.clocks_ms[-1] = ((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 1000 + milliseconds
            text = text[: match.start()] + text[match.end() :]
        self.line.comment(text)

    def move(self, token: Token) -> Defect | None:
        what = self.line.move(token.text)
        if not self.open:
            if what:
                return self.defect(token, what, _("correct the move; the game is read up to here"))
            self.clocks_ms.append(None)
        elif what:
            remedy = _("correct the move; the variation is read up to here")
            self.unread.append(self.defect(token, what, remedy))
            self.line.dead = True
        return None

    def defect(self, token: Token, what: str, remedy: str) -> Defect:
        place = _("game {game}, ply {ply}, “{text}”: {what}")
        ply = len(self.main.moves) + 1
        return Defect(
            token.line, token.column, place.format(game=self.number, ply=ply, text=token.text[:40], what=what), remedy
        )


def _game(number: int, pieces: list[Token]) -> PgnGame:
    headers = {token.text: token.value for token in pieces if token.kind == "tag"}
    record = _Record(number, _Line(chess.Board()))
    stopped = _prepared(record, headers, pieces)
    for token in pieces:
        if stopped is not None:
            break
        if token.kind != "tag":
            stopped = record.take(token)
    if stopped is None and record.open:
        opened = next(token for token in reversed(pieces) if token.kind == "open")
        stopped = record.defect(opened, _("a variation is opened and never closed"), _("close the parenthesis"))
    if stopped is not None:
        record.result = next((token.text for token in reversed(pieces) if token.kind == "result"), "")
    result = record.result or headers.get("Result", "*")
    if result == "*" and headers.get(SCORE_TAG) in UNSIGNED:
        result = headers[SCORE_TAG]
    return PgnGame(
        headers=MappingProxyType(headers),
        moves=tuple(record.main.moves),
        clocks_ms=tuple(record.clocks_ms),
        result=result if result in (*RESULTS, *UNSIGNED) else "*",
        stopped=stopped,
        comments=MappingProxyType(record.main.comments),
        glyphs=MappingProxyType(record.main.glyphs),
        variations=tuple(record.main.variations),
        unread=tuple(record.unread),
        start_fen=headers.get("FEN", ""),
        line=pieces[0].line,
    )


def _prepared(record: _Record, headers: Mapping[str, str], pieces: list[Token]) -> Defect | None:
    """Set the start position; a defect when the tags don't allow to read the moves."""
    for token in pieces:
        if token.kind == "broken" and token.text.startswith("["):
            return record.defect(token, _("this tag pair cannot be read"), _('write it as [Name "value"]'))
        if token.kind == "tag" and token.text == "Variant" and token.value.lower() not in (*_CHESS, *_CHESS960):
            return record.defect(token, _("this is another game than chess"), _("take the game out of the file"))
        if token.kind == "tag" and token.text == "FEN":
            try:
                record.main.board = board_of(token.value)
            except ValueError:
                return record.defect(token, _("this start position cannot be read"), _("correct the FEN tag"))
            if record.main.board.status() & _IMPOSSIBLE:
                return record.defect(token, _("this start position is impossible"), _("correct the FEN tag"))
    return None
