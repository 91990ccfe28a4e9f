"""Games in Portable Game Notation: read with the place of every fault, written in export format.

Only the main line is read; variations in parentheses and glyphs are passed over, as the games here are records and not
analyses. A move that is illegal or cannot be read ends its game at that point, with a defect that says where; nothing
of the main line is left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from gettext import gettext as _
from types import MappingProxyType

import chess

from rules.interchange.decoding import decoded, lines_of
from rules.interchange.errors import Defect
from rules.interchange.pgn_tokens import Token, tokens

#: Tags every game has, in this order, with the value for "unknown" (PGN 8.1.1).
ROSTER: Mapping[str, str] = MappingProxyType(
    {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
)
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
#: PGN has no sign for a game that both have lost; it is written "*" with this tag.
BOTH_LOST = "0-0"
SCORE_TAG = "Score"
#: Export format keeps lines below 80 characters (PGN 4.3).
LINE_LENGTH = 79

_CLOCK = re.compile(r"\[%clk\s+(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)\s*\]")
#: Faults of a start position that leave no game to play; wrong castling rights are common and harmless.
_IMPOSSIBLE = (
    chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING | chess.STATUS_TOO_MANY_KINGS | chess.STATUS_OPPOSITE_CHECK
)
#: Values of the Variant tag that mean ordinary chess.
_CHESS = ("", "standard", "chess", "normal", "from position")


@dataclass(frozen=True, slots=True)
class PgnGame:
    """One game of a file.

    `headers` are its tags, `moves` the main line in UCI, `clocks_ms` what each mover's clock showed after the move
    (None where the file does not say), `result` "1-0", "0-1", "1/2-1/2", "0-0" or "*". `stopped` says where and why
    reading ended early, None when the whole game was read. `comments` are the words after a ply (0 = before the first
    move), without clock times. `start_fen` is "" for the usual start position. `line` is where the game begins in the
    file.
    """

    headers: Mapping[str, str]
    moves: tuple[str, ...]
    clocks_ms: tuple[int | None, ...]
    result: str
    stopped: Defect | None = None
    comments: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    start_fen: str = ""
    line: int = field(default=0, compare=False)


# ---------------------------------------------------------------------------------------------- reading


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


@dataclass(slots=True)
class _Record:
    """A game while it is read."""

    number: int
    board: chess.Board
    moves: list[str] = field(default_factory=list)
    clocks_ms: list[int | None] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)
    result: str = ""
    depth: int = 0

    def take(self, token: Token) -> Defect | None:
        """Add one token; a defect means that the game ends here."""
        if token.kind in ("open", "close"):
            self.depth += 1 if token.kind == "open" else -1
            if self.depth < 0:
                return self.defect(token, _("a variation is closed that was not opened"), _("delete the parenthesis"))
        elif token.kind == "broken":
            return self.defect(token, _("a comment is opened and never closed"), _("close it with a brace"))
        elif self.depth:
            pass
        elif token.kind == "comment":
            self.comment(token.text)
        elif token.kind == "result":
            self.result = token.text
        else:
            return self.move(token)
        return None

    def comment(self, text: str) -> None:
        if self.moves and (match := _CLOCK.search(text)):
            hours, minutes, seconds = match.groups()
            whole, _dot, fraction = seconds.partition(".")
            milliseconds = int(fraction[:3].ljust(3, "0"))
            self.clocks_ms[-1] = ((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 1000 + milliseconds
            text = text[: match.start()] + text[match.end() :]
        ply = len(self.moves)
        if words := " ".join([*self.comments.get(ply, "").split(), *text.split()]):
            self.comments[ply] = words

    def move(self, token: Token) -> Defect | None:
        try:
            move = self.board.parse_san(token.text)
        except chess.IllegalMoveError:
            return self.defect(token, _("this move is illegal in the position"), self.remedy())
        except chess.AmbiguousMoveError:
            return self.defect(token, _("two pieces can make this move"), self.remedy())
        except ValueError:
            return self.defect(token, _("this is no move"), self.remedy())
        if not move:
            return self.defect(token, _("a null move is no move of a game"), self.remedy())
        self.board.push(move)
        self.moves.append(move.uci())
        self.clocks_ms.append(None)
        return None

    def defect(self, token: Token, what: str, remedy: str) -> Defect:
        place = _("game {game}, ply {ply}, “{text}”: {what}")
        ply = len(self.moves) + 1
        return Defect(
            token.line, token.column, place.format(game=self.number, ply=ply, text=token.text[:40], what=what), remedy
        )

    def remedy(self) -> str:
        return _("correct the move; the game is read up to here")


def _game(number: int, pieces: list[Token]) -> PgnGame:
    headers = {token.text: token.value for token in pieces if token.kind == "tag"}
    record = _Record(number, chess.Board())
    stopped = _prepared(record, headers, pieces)
    for token in pieces:
        if stopped is not None:
            break
        if token.kind != "tag":
            stopped = record.take(token)
    if stopped is None and record.depth:
        opened = next(token for token in reversed(pieces) if token.kind == "open")
        stopped = record.defect(opened, _("a variation is opened and never closed"), _("close the parenthesis"))
    if stopped is not None:
        record.result = next((token.text for token in reversed(pieces) if token.kind == "result"), "")
    result = record.result or headers.get("Result", "*")
    if result == "*" and headers.get(SCORE_TAG) == BOTH_LOST:
        result = BOTH_LOST
    return PgnGame(
        headers=MappingProxyType(headers),
        moves=tuple(record.moves),
        clocks_ms=tuple(record.clocks_ms),
        result=result if result in (*RESULTS, BOTH_LOST) else "*",
        stopped=stopped,
        comments=MappingProxyType(record.comments),
        start_fen=headers.get("FEN", ""),
        line=pieces[0].line,
    )


def _prepared(record: _Record, headers: Mapping[str, str], pieces: list[Token]) -> Defect | None:
    """Set the start position; a defect when the tags don't allow to read the moves."""
    for token in pieces:
        if token.kind == "broken" and token.text.startswith("["):
            return record.defect(token, _("this tag pair cannot be read"), _('write it as [Name "value"]'))
        if token.kind == "tag" and token.text == "Variant" and token.value.lower() not in _CHESS:
            return record.defect(token, _("this is another game than chess"), _("take the game out of the file"))
        if token.kind == "tag" and token.text == "FEN":
            try:
                record.board = chess.Board(token.value)
            except ValueError:
                return record.defect(token, _("this start position cannot be read"), _("correct the FEN tag"))
            if record.board.status() & _IMPOSSIBLE:
                return record.defect(token, _("this start position is impossible"), _("correct the FEN tag"))
    return None


# ---------------------------------------------------------------------------------------------- writing


def write_game(
    headers: Mapping[str, str],
    moves: Sequence[str],
    clocks_ms: Sequence[int | None] = (),
    result: str = "*",
    comments: Mapping[int, str] | None = None,
    start_fen: str = "",
) -> str:
    """One game in PGN export format, with an empty line at its end.

    The seven tags of the roster come first, all others sorted by name. `clocks_ms` is what each mover's clock showed
    after the press, increment included; it is written as `[%clk h:mm:ss]`, cut to whole seconds. `comments` go after
    their ply (0 = before the first move); a closing brace in one becomes a parenthesis. `result` "0-0" is written "*"
    with a tag `Score`, as PGN has no sign for it. Reading back gives the same game with clocks in whole seconds.

    Raises ValueError for an unknown result, an illegal move (naming its ply) or clocks that are not one for each move.
    """
    if result not in (*RESULTS, BOTH_LOST):
        raise ValueError(f"{result!r} is no result of a game")
    if clocks_ms and len(clocks_ms) != len(moves):
        raise ValueError(f"{len(clocks_ms)} clock times for {len(moves)} moves")
    sign = "*" if result == BOTH_LOST else result
    tags = {name: value for name, value in headers.items() if name not in ("Result", SCORE_TAG, "FEN", "SetUp")}
    tags["Result"] = sign
    if result == BOTH_LOST:
        tags[SCORE_TAG] = BOTH_LOST
    board = chess.Board(start_fen) if start_fen else chess.Board()
    if start_fen and start_fen != chess.STARTING_FEN:
        tags |= {"SetUp": "1", "FEN": start_fen}
    lines = [f'[{name} "{_tag_value(tags.pop(name, unknown))}"]' for name, unknown in ROSTER.items()]
    lines += [f'[{name} "{_tag_value(value)}"]' for name, value in sorted(tags.items())]
    words = [*_movetext(board, moves, clocks_ms, comments or {}), sign]
    return "\n".join([*lines, "", *_wrapped(words), "", ""])


def _tag_value(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _movetext(
    board: chess.Board, moves: Sequence[str], clocks_ms: Sequence[int | None], comments: Mapping[int, str]
) -> Iterator[str]:
    """The words of the movetext, none of which is broken over two lines."""
    yield from _comment_words("", comments.get(0, ""))
    interrupted = True
    for ply, uci in enumerate(moves, 1):
        try:
            move = board.parse_uci(uci)
        except ValueError as error:
            raise ValueError(f"ply {ply}: {error}") from error
        if not move:
            raise ValueError(f"ply {ply}: a null move is no move of a game")
        if board.turn == chess.WHITE:
            yield f"{board.fullmove_number}."
        elif interrupted:
            yield f"{board.fullmove_number}..."
        yield board.san_and_push(move)
        clock = clocks_ms[ply - 1] if clocks_ms else None
        words = list(_comment_words("" if clock is None else clock_comment(clock), comments.get(ply, "")))
        yield from words
        interrupted = bool(words)


def clock_comment(milliseconds: int) -> str:
    """`[%clk h:mm:ss]` for a clock time, cut to whole seconds; below zero the clock shows zero."""
    seconds = max(milliseconds, 0) // 1000
    return f"[%clk {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}]"


def _comment_words(clock: str, text: str) -> Iterator[str]:
    """A comment as words, braces at the outer ones; a word with % or [ first stays behind the word before it."""
    words = [clock] if clock else []
    for word in text.replace("}", ")").split():
        if words and word[0] in "%[":
            words[-1] += f" {word}"
        else:
            words.append(word)
    if words:
        words[0] = "{" + words[0]
        words[-1] += "}"
        yield from words


def _wrapped(words: Sequence[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_LENGTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
