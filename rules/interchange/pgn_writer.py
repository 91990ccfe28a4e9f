"""Games → text in PGN export format: the same game, the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import chess

from rules.interchange.pgn_model import CHESS960, RESULTS, ROSTER, SCORE_TAG, UNSIGNED, PgnGame, Variation, board_of

#: Export format keeps lines below 80 characters (PGN 4.3).
LINE_LENGTH = 79


def write_game(
    headers: Mapping[str, str],
    moves: Sequence[str],
    clocks_ms: Sequence[int | None] = (),
    result: str = "*",
    comments: Mapping[int, str] | None = None,
    start_fen: str = "",
    glyphs: Mapping[int, Sequence[int]] | None = None,
    variations: Sequence[Variation] = (),
) -> str:
    """One game in PGN export format, with an empty line at its end.

    The seven tags of the roster come first, all others sorted by name. `clocks_ms` is what each mover's clock showed
    after the press, increment included; it is written as `[%clk h:mm:ss]`, cut to whole seconds. `comments` go after
    their ply (0 = before the first move); a closing brace in one becomes a parenthesis. `glyphs` are written as numbers
    ($1), `variations` in parentheses after the move they stand for. A `result` that PGN has no sign for (`UNSIGNED`) is
    written "*" with a tag `Score`. A start position of Chess960 gets the tag `Variant`. Reading back gives the same
    game with clocks in whole seconds.

    Raises ValueError for an unknown result, an illegal move (naming its ply), a variation of a move that is not there,
    or clocks that are not one for each move.
    """
    if result not in (*RESULTS, *UNSIGNED):
        raise ValueError(f"{result!r} is no result of a game")
    if clocks_ms and len(clocks_ms) != len(moves):
        raise ValueError(f"{len(clocks_ms)} clock times for {len(moves)} moves")
    sign = "*" if result in UNSIGNED else result
    tags = {name: value for name, value in headers.items() if name not in ("Result", SCORE_TAG, "FEN", "SetUp")}
    tags["Result"] = sign
    if result in UNSIGNED:
        tags[SCORE_TAG] = result
    board = board_of(start_fen or chess.STARTING_FEN)
    if start_fen and start_fen != chess.STARTING_FEN:
        tags |= {"SetUp": "1", "FEN": start_fen}
    if board.chess960:
        tags["Variant"] = CHESS960
    lines = [f'[{name} "{_tag_value(tags.pop(name, unknown))}"]' for name, unknown in ROSTER.items()]
    lines += [f'[{name} "{_tag_value(value)}"]' for name, value in sorted(tags.items())]
    line = Variation(0, tuple(moves), comments or {}, _as_tuples(glyphs or {}), tuple(variations))
    words = [*_movetext(board, line, clocks_ms), sign]
    return "\n".join([*lines, "", *_wrapped(words), "", ""])


def _tag_value(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def game_text(game: PgnGame) -> str:
    """A game that was read, in export format."""
    return write_game(
        game.headers,
        game.moves,
        game.clocks_ms,
        game.result,
        game.comments,
        game.start_fen,
        game.glyphs,
        game.variations,
    )


def _as_tuples(glyphs: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, ...]]:
    return {ply: tuple(numbers) for ply, numbers in glyphs.items()}


def _movetext(board: chess.Board, line: Variation, clocks_ms: Sequence[int | None] = ()) -> Iterator[str]:
    """The words of a line, none of which is broken over two lines of text; `board` is the position before it."""
    if missing := [v.ply for v in line.variations if not 0 < v.ply <= len(line.moves)]:
        raise ValueError(f"ply {missing[0]}: there is no move that the variation could stand for")
    yield from (f"${glyph}" for glyph in line.glyphs.get(0, ()))
    yield from _comment_words("", line.comments.get(0, ""))
    interrupted = True
    for ply, uci in enumerate(line.moves, 1):
        others = [variation for variation in line.variations if variation.ply == ply]
        before = board.copy(stack=False) if others else board
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
        yield from (f"${glyph}" for glyph in line.glyphs.get(ply, ()))
        clock = clocks_ms[ply - 1] if clocks_ms else None
        words = list(_comment_words("" if clock is None else clock_comment(clock), line.comments.get(ply, "")))
        yield from words
        for variation in others:
            yield from _in_parentheses(_movetext(before.copy(stack=False), variation))
        interrupted = bool(words or others)


def _in_parentheses(words: Iterator[str]) -> Iterator[str]:
    inside = list(words)
    if inside:
        inside[0] = f"({inside[0]}"
        inside[-1] += ")"
    return iter(inside)


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
