"""The 16 colours of a kernel console as we load them, and what each is for.

A console with a font of 512 signs has 16 colours for signs and the first 8 of them for grounds; a bold sign takes the
colour 8 places further on. So the first eight are the grounds of the dark theme, each under the name of the terminal
colour it comes nearest to, and the last eight are what is written on them. The card image loads `COLOURS` with
setvtrgb; on any other terminal the theme still makes sense, since the names keep their hues.
"""

from __future__ import annotations

from collections.abc import Mapping

#: `#rrggbb` by number: black, red, green, yellow, blue, magenta, cyan, white, and their bright forms.
COLOURS = (
    "#0f1419",  # 0 black: the ground
    "#b04c12",  # 1 red: the square whose piece is in the hand
    "#4d6377",  # 2 green: dark squares
    "#f0e442",  # 3 yellow: a question, the cursor
    "#243342",  # 4 blue: quiet bars
    "#857c2c",  # 5 magenta: squares of the last move
    "#8295a8",  # 6 cyan: light squares, lines
    "#ffa24d",  # 7 white: the game is stopped
    "#000000",  # 8 bright black: bold black, on a yellow bar and of Black's pieces
    "#ff9466",  # 9 bright red: alarms
    "#4fd1a5",  # 10 bright green: good
    "#ffd75e",  # 11 bright yellow: whose turn it is, warnings
    "#7cc8f2",  # 12 bright blue: keys
    "#e0cf5a",  # 13 bright magenta
    "#b9c4cf",  # 14 bright cyan: what is not urgent, the clock that does not run
    "#ffffff",  # 15 bright white: names, clocks, text
)
#: Names of the numbers, as terminals and Textual call them.
NAMES = tuple(
    f"ansi_{bright}{name}"
    for bright in ("", "bright_")
    for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
)
#: The theme's name, and its place in `HALLKIOSK_THEME` where the console has our colours and our font.
THEME = "hall-console"
#: The theme for this console: each role of the faces' palette → the name of a colour.
ROLES: Mapping[str, str] = {
    "ground": "ansi_black", "surface": "ansi_black", "line": "ansi_cyan", "text": "ansi_bright_white",
    "quiet": "ansi_bright_cyan", "name": "ansi_bright_white", "clock": "ansi_bright_white", "idle": "ansi_bright_cyan",
    "turn": "ansi_bright_yellow", "warn": "ansi_bright_yellow", "alarm": "ansi_bright_red", "good": "ansi_bright_green",
    "key": "ansi_bright_blue",
    "calm": "ansi_blue", "on-calm": "ansi_bright_white", "ask": "ansi_yellow", "on-ask": "ansi_black",
    "stop": "ansi_white", "on-stop": "ansi_black", "cursor": "ansi_yellow", "on-cursor": "ansi_black",
    "square-light": "ansi_cyan", "square-dark": "ansi_green", "last-light": "ansi_magenta",
    "last-dark": "ansi_magenta", "hand": "ansi_red", "white-piece": "ansi_bright_white", "black-piece": "ansi_black",
    "coordinate": "ansi_bright_cyan",
}  # fmt: skip


def colour(role: str) -> str:
    """`#rrggbb` of a role on our console."""
    return COLOURS[NAMES.index(ROLES[role])]
