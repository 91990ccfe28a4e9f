"""Big digits of full blocks: 5, 7 or 9 lines tall, two columns to the pixel, for a clock read from two metres.

Full blocks and spaces only, so that the kernel console's fonts can show them.
"""

from __future__ import annotations

BLOCK = "█"

_FIVE = {
    "0": "### #.# #.# #.# ###",
    "1": ".#. ##. .#. .#. ###",
    "2": "### ..# ### #.. ###",
    "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ### ..# ###",
    "6": "### #.. ### #.# ###",
    "7": "### ..# ..# ..# ..#",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ###",
    ":": ". # . # .",
    ".": ". . . . #",
    "F": "### #.. ##. #.. #..",
    "L": "#.. #.. #.. #.. ###",
    "A": "### #.# ### #.# #.#",
    "G": "### #.. #.# #.# ###",
    "-": "... ... ### ... ...",
}
_SEVEN = {
    "0": ".##. #..# #..# #..# #..# #..# .##.",
    "1": "..#. .##. ..#. ..#. ..#. ..#. .###",
    "2": ".##. #..# ...# ..#. .#.. #... ####",
    "3": "###. ...# ...# .##. ...# ...# ###.",
    "4": "#..# #..# #..# #### ...# ...# ...#",
    "5": "#### #... #... ###. ...# ...# ###.",
    "6": ".##. #... #... ###. #..# #..# .##.",
    "7": "#### ...# ...# ..#. ..#. .#.. .#..",
    "8": ".##. #..# #..# .##. #..# #..# .##.",
    "9": ".##. #..# #..# .### ...# ...# .##.",
    ":": ". . # . # . .",
    ".": ". . . . . . #",
    "F": "#### #... #... ###. #... #... #...",
    "L": "#... #... #... #... #... #... ####",
    "A": ".##. #..# #..# #### #..# #..# #..#",
    "G": ".##. #..# #... #.## #..# #..# .##.",
    "-": ".... .... .... #### .... .... ....",
}
_NINE = {
    "0": ".###. ##.## ##.## ##.## ##.## ##.## ##.## ##.## .###.",
    "1": "..##. .###. ####. ..##. ..##. ..##. ..##. ..##. #####",
    "2": ".###. ##.## ...## ...## ..##. .##.. ##... ##... #####",
    "3": ".###. ##.## ...## ...## ..##. ...## ...## ##.## .###.",
    "4": "##.## ##.## ##.## ##.## ##### ...## ...## ...## ...##",
    "5": "##### ##... ##... ####. ...## ...## ...## ##.## .###.",
    "6": ".###. ##.## ##... ##... ####. ##.## ##.## ##.## .###.",
    "7": "##### ...## ...## ..##. ..##. ..##. .##.. .##.. .##..",
    "8": ".###. ##.## ##.## ##.## .###. ##.## ##.## ##.## .###.",
    "9": ".###. ##.## ##.## ##.## .#### ...## ...## ##.## .###.",
    ":": ". . # # . # # . .",
    ".": ". . . . . . . # #",
    "F": "##### ##... ##... ##... ####. ##... ##... ##... ##...",
    "L": "##... ##... ##... ##... ##... ##... ##... ##... #####",
    "A": ".###. ##.## ##.## ##.## ##### ##.## ##.## ##.## ##.##",
    "G": ".###. ##.## ##... ##... ##.## ##.## ##.## ##.## .###.",
    "-": "..... ..... ..... ..... ##### ..... ..... ..... .....",
}
FONTS: dict[int, dict[str, str]] = {5: _FIVE, 7: _SEVEN, 9: _NINE}
#: (columns between signs, columns of the colon's and the point's pixel): roomy first, tight for narrow screens.
SPACINGS = ((2, 2), (1, 1))
#: The widest clock text; a size is chosen for it, so that a digit never changes its size while the time runs.
WIDEST = "0:00:00"


def big(text: str, height: int, width: int) -> tuple[str, ...]:
    """`text` as `height` (5, 7 or 9) lines of blocks, no wider than `width` if the tight spacing permits that.

    Signs without a picture are left out.
    """
    for gap, dot in SPACINGS:
        lines = _compose(text, FONTS[height], gap, dot)
        if len(lines[0]) <= width:
            break
    return lines


def size_for(width: int, height: int, text: str = WIDEST) -> int:
    """The tallest font of at most `height` lines in which `text` fits into `width` columns; 0 if none does."""
    for tall in sorted(FONTS, reverse=True):
        if tall <= height and len(big(text, tall, width)[0]) <= width:
            return tall
    return 0


def _compose(text: str, font: dict[str, str], gap: int, dot: int) -> tuple[str, ...]:
    signs = [font[sign].split() for sign in text if sign in font]
    tall = len(font["0"].split())
    narrow = {id(s): dot if len(s[0]) == 1 else 2 for s in signs}
    return tuple(
        (" " * gap).join(
            "".join((BLOCK if pixel == "#" else " ") * narrow[id(sign)] for pixel in sign[line]) for sign in signs
        )
        for line in range(tall)
    )
