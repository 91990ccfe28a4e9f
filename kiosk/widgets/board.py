"""A board drawn with signs: filled pieces, told apart by colour and by a second mark, with coordinates.

Three sizes of square: 3×1, 4×2 and 6×3 cells. Black's pieces carry a dot, or stand in reverse video where the theme
says so; every sign is followed by the text selector, so that no terminal draws an emoji.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from kiosk.widgets.palette import LETTERS, NO_SELECTOR, REVERSED

TEXT_SELECTOR = "\ufe0e"
PIECES: Mapping[str, str] = {"K": "♚", "Q": "♛", "R": "♜", "B": "♝", "N": "♞", "P": "♟"}
#: The second mark of Black's pieces.
DOT = "•"
#: (columns, lines) of a square, largest first.
SQUARES = ((6, 3), (4, 2), (3, 1))
FILES = "abcdefgh"
#: Columns for the rank numbers on both sides, lines for the files below.
MARGIN = 2


#: Pieces for squares of 6×3 cells, 12 by 6 quarter blocks; the upper left corner is left free for the dot.
_PIXELS: Mapping[str, str] = {
    "P": "............ ............ .....##..... ....####.... .....##..... ...######...",
    "N": "............ ....###..... ..######.... ..#..####... ....#####... ...#######..",
    "B": "............ .....##..... ....#.##.... ....####.... .....##..... ...######...",
    "R": "............ ..##.##.##.. ..########.. ...######... ...######... ..########..",
    "Q": ".....##..... ..#..##..#.. ..##.##.##.. ...######... ....####.... ..########..",
    "K": "............ .....##..... ...######... .....##..... ...######... ..########..",
}
_QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


def _sprite(pixels: str) -> tuple[str, ...]:
    """Six lines of twelve pixels as three lines of six signs, each of four quarters."""
    rows = pixels.split()

    def sign(x: int, y: int) -> str:
        corners = (rows[y][x], rows[y][x + 1], rows[y + 1][x], rows[y + 1][x + 1])
        return _QUARTERS[sum(1 << bit for bit, corner in enumerate(corners) if corner == "#")]

    return tuple("".join(sign(x, y) for x in range(0, 12, 2)) for y in (0, 2, 4))


SPRITES: Mapping[str, tuple[str, ...]] = {letter: _sprite(pixels) for letter, pixels in _PIXELS.items()}


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """What is drawn: a FEN piece placement, the squares of the last move, the cursor and the piece in hand."""

    placement: str = ""
    last: tuple[str, ...] = ()
    cursor: str = ""
    hand: str = ""
    flipped: bool = False


def pieces(placement: str) -> dict[str, str]:
    """Square → piece letter of a FEN placement (the first field of a FEN will do)."""
    out: dict[str, str] = {}
    for rank, row in zip(range(8, 0, -1), placement.split(" ")[0].split("/"), strict=False):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            elif file < 8:
                out[f"{FILES[file]}{rank}"] = sign
                file += 1
    return out


def square_size(width: int, height: int) -> tuple[int, int] | None:
    """The largest square with which a board with its coordinates fits; None if none does."""
    for columns, lines in SQUARES:
        if columns * 8 + 2 * MARGIN <= width and lines * 8 + 1 <= height:
            return columns, lines
    return None


def draw(picture: BoardPicture, size: tuple[int, int], theme: str) -> Content:
    """The board as styled text; `theme` decides on letters and reverse video."""
    columns, lines = size
    on = pieces(picture.placement)
    ranks = range(1, 9) if picture.flipped else range(8, 0, -1)
    files = FILES[::-1] if picture.flipped else FILES
    parts: list[tuple[str, str] | str] = []
    for rank in ranks:
        for line in range(lines):
            middle = line == (lines - 1) // 2
            label = str(rank) if middle else " "
            parts.append((f"{label} ", "$hk-coordinate"))
            for file in files:
                name = f"{file}{rank}"
                parts.extend(_cells(name, on.get(name, ""), line, size, picture, theme))
            parts.append((f" {label}\n", "$hk-coordinate"))
    parts.append((" " * MARGIN + "".join(file.center(columns) for file in files) + " " * MARGIN, "$hk-coordinate"))
    return Content.assemble(*parts)


def _cells(
    name: str, piece: str, line: int, size: tuple[int, int], picture: BoardPicture, theme: str
) -> Iterator[tuple[str, str]]:
    """One line of one square: (text, style) pieces that fill its columns."""
    columns, lines = size
    shade = "dark" if (FILES.index(name[0]) + int(name[1])) % 2 == 0 else "light"
    ground = f"$hk-last-{shade}" if name in picture.last else f"$hk-square-{shade}"
    if name == picture.hand:
        ground = "$hk-hand"
    black = piece.islower()
    ink = "$hk-black-piece" if black else "$hk-white-piece"
    if black and theme in REVERSED:
        ink, ground = ("$hk-black-piece", "$hk-white-piece")
    plain = f"bold $hk-{'black' if black and theme in REVERSED else 'white'}-piece on {ground}"
    ends = ("[", "]") if name == picture.cursor else (" ", " ")
    if lines == 3 and piece and theme not in LETTERS:
        row = SPRITES[piece.upper()][line]
        if name == picture.cursor:
            yield "[", plain
            yield row[1:-1], f"{ink} on {ground}"
            yield "]", plain
        else:
            yield (DOT if black and line == 0 else row[0]), f"bold {ink} on {ground}"
            yield row[1:], f"{ink} on {ground}"
        return
    middle = line == (lines - 1) // 2
    left = (columns - 1) // 2
    sign = " "
    if piece and middle:
        selector = "" if theme in NO_SELECTOR else TEXT_SELECTOR
        sign = piece.upper() if theme in LETTERS else PIECES[piece.upper()] + selector
    if not middle and lines < 3:
        ends = (" ", " ")
    mark = DOT if black and middle and theme not in REVERSED and ends[0] == " " else ""
    yield (mark.rjust(left), f"bold {ink} on {ground}") if mark else (ends[0].ljust(left), plain)
    yield sign, f"bold {ink} on {ground}"
    # On the smallest squares queen and rook look alike in many fonts: the letter stands beside the sign.
    if lines == 1 and piece.upper() in "KQRBN" and piece and theme not in LETTERS and ends[1] == " ":
        yield piece.upper(), f"{ink} on {ground}"
    else:
        yield ends[1].rjust(columns - 1 - left), plain


class BoardView(Widget):
    """The drawn board, as large as its place permits, in the middle of it."""

    DEFAULT_CSS = "BoardView { content-align: center middle; width: 1fr; height: 1fr; }"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.picture = BoardPicture()

    def show(self, picture: BoardPicture) -> None:
        """Draw `picture` if it differs from the one on the screen."""
        if picture != self.picture:
            self.picture = picture
            self.refresh()

    def render(self) -> Content:
        size = square_size(self.size.width, self.size.height)
        return draw(self.picture, size, self.app.theme) if size else Content("")
