"""PGN text → numbered games of tokens, each with the line and column where it stands.

The moves themselves are read by python-chess; what it does not tell is where in the file a move stands and what it
passed over, and a tournament hall needs both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["tag", "move", "comment", "result", "open", "close", "glyph", "broken"]


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of PGN text. `text` is a tag's name, a move as written, a comment's words, a glyph's number; `value` a
    tag's value.

    "broken" is a brace that is never closed or a tag pair that cannot be read.
    """

    kind: Kind
    text: str
    line: int
    column: int
    value: str = ""


_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:\-]*)\s+"((?:[^"\\]|\\.)*)"\s*\]')
#: Some programs leave quotes in a value unprotected; then the tag pair ends with its line.
_LOOSE_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:\-]*)\s+"(.*)"\s*\]\s*$')
_PIECE = re.compile(
    r"""
      (?P<result>1-0|0-1|1/2-1/2|\*)(?![\w\-/])
    | (?P<number>\d+\s*\.+|\d+(?=\s|$)|\.+)
    | (?P<passant>e\.p\.)
    | (?P<glyph>\$[0-9]+|[!?]+|\+/[-=]|[-=]/\+|\+-|-\+(?=\s|$)|\+=|=\+|=(?=\s|$))
    | (?P<open>\()
    | (?P<close>\))
    | (?P<move>[^\s(){};$!?.\[\]]+)
    | (?P<other>\S)
    """,
    re.VERBOSE,
)
#: Signs of annotators → their numbers (PGN 10).
_GLYPHS = {
    "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "=": 10, "+=": 14, "+/=": 14, "=+": 15, "=/+": 15, "+/-": 16,
    "-/+": 17, "+-": 18, "-+": 19,
}  # fmt: skip
_HIGHEST_GLYPH = 255
#: A brace that was never closed must not swallow the next game, which begins with this tag.
_NEXT_GAME = re.compile(r'\[\s*Event\s+"')


def tokens(lines: list[str]) -> Iterator[Token]:
    """All tokens of a file, without move numbers, lines that begin with %, and glyphs that have no number."""
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("%"):
            number += 1
            continue
        at = 0
        while at < len(line):
            char = line[at]
            if char.isspace():
                at += 1
            elif char == ";":
                yield Token("comment", line[at + 1 :].strip(), number + 1, at + 1)
                at = len(line)
            elif char == "{":
                token, number, at = _comment(lines, number, at)
                yield token
                line = lines[number] if number < len(lines) else ""
            elif char == "[":
                token, at = _tag(line, number, at)
                yield token
            else:
                match = _PIECE.match(line, at)
                assert match is not None  # the last alternative takes any sign
                if match.lastgroup in ("result", "open", "close"):
                    yield Token(match.lastgroup, match[0], number + 1, at + 1)  # type: ignore[arg-type]
                elif match.lastgroup in ("move", "other"):
                    yield Token("move", match[0], number + 1, at + 1)
                elif match.lastgroup == "glyph" and (glyph := _glyph(match[0])) is not None:
                    yield Token("glyph", str(glyph), number + 1, at + 1)
                at = match.end()
        number += 1


def _glyph(text: str) -> int | None:
    if not text.startswith("$"):
        return _GLYPHS.get(text)
    return int(text[1:4]) if len(text) <= 4 and int(text[1:]) <= _HIGHEST_GLYPH else None


def _comment(lines: list[str], number: int, at: int) -> tuple[Token, int, int]:
    """The comment that opens here, and where reading goes on (line index and position)."""
    words: list[str] = []
    for i in range(number, len(lines)):
        start = at + 1 if i == number else 0
        if i > number and _NEXT_GAME.match(lines[i]):
            return Token("broken", lines[number][at:], number + 1, at + 1), i, 0
        end = lines[i].find("}", start)
        words.append(lines[i][start : end if end >= 0 else None])
        if end >= 0:
            return Token("comment", " ".join(" ".join(words).split()), number + 1, at + 1), i, end + 1
    return Token("broken", lines[number][at:], number + 1, at + 1), len(lines), 0


def _tag(line: str, number: int, at: int) -> tuple[Token, int]:
    """The tag pair that opens here and the position after it."""
    match = _TAG.match(line, at)
    if match is not None:
        value = re.sub(r"\\(.)", r"\1", match[2])
        return Token("tag", match[1], number + 1, at + 1, value), match.end()
    match = _LOOSE_TAG.match(line, at)
    if match is not None:
        return Token("tag", match[1], number + 1, at + 1, match[2]), len(line)
    return Token("broken", line[at:].strip(), number + 1, at + 1), len(line)
