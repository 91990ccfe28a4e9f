"""The colour themes of every face, as data, with the contrast each pair of colours must keep.

A colour never speaks alone: each state also has a word or one of the signs `> ! # = ? ~`. The hues are those that stay
apart for red-green blind eyes (Okabe and Ito: blue, sky blue, orange, vermilion, bluish green, yellow). `ANSI` holds
the 16 colours of a kernel console, where contrast is the console's business and reverse video does the work.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

from kiosk.widgets import console
from kiosk.widgets.language import _

#: Every role a colour can have; each theme gives one colour to each.
ROLES = (
    "ground", "surface", "line", "text", "quiet", "name", "clock", "idle", "turn", "warn", "alarm", "good", "key",
    "calm", "on-calm", "ask", "on-ask", "stop", "on-stop", "cursor", "on-cursor",
    "square-light", "square-dark", "last-light", "last-dark", "hand", "white-piece", "black-piece", "coordinate",
)  # fmt: skip

DARK = {
    "ground": "#0f1419", "surface": "#1a2129", "line": "#5c6f80", "text": "#e8eaed", "quiet": "#aab6c2",
    "name": "#ffffff", "clock": "#ffffff", "idle": "#b9c4cf", "turn": "#f0e442", "warn": "#ffb733",
    "alarm": "#ff9466", "good": "#4fd1a5", "key": "#7cc8f2",
    "calm": "#243342", "on-calm": "#ffffff", "ask": "#f0e442", "on-ask": "#000000",
    "stop": "#ffa24d", "on-stop": "#000000", "cursor": "#f0e442", "on-cursor": "#000000",
    "square-light": "#8295a8", "square-dark": "#4d6377", "last-light": "#9a9248", "last-dark": "#7a7024",
    "hand": "#c2571a", "white-piece": "#ffffff", "black-piece": "#000000", "coordinate": "#aab6c2",
}  # fmt: skip
LIGHT = {
    "ground": "#f5f3ee", "surface": "#ffffff", "line": "#6b6f75", "text": "#16181b", "quiet": "#4a5058",
    "name": "#000000", "clock": "#000000", "idle": "#3f454c", "turn": "#00486f", "warn": "#7a4a00",
    "alarm": "#9c3400", "good": "#005f43", "key": "#005a8c",
    "calm": "#dfe6ec", "on-calm": "#000000", "ask": "#f0e442", "on-ask": "#000000",
    "stop": "#ffa24d", "on-stop": "#000000", "cursor": "#00486f", "on-cursor": "#ffffff",
    "square-light": "#8295a8", "square-dark": "#4d6377", "last-light": "#9a9248", "last-dark": "#7a7024",
    "hand": "#c2571a", "white-piece": "#ffffff", "black-piece": "#000000", "coordinate": "#4a5058",
}  # fmt: skip
CONTRAST = {
    "ground": "#000000", "surface": "#000000", "line": "#ffffff", "text": "#ffffff", "quiet": "#ffffff",
    "name": "#ffffff", "clock": "#ffffff", "idle": "#ffffff", "turn": "#ffff00", "warn": "#ffff00",
    "alarm": "#ffff00", "good": "#ffffff", "key": "#ffff00",
    "calm": "#000000", "on-calm": "#ffffff", "ask": "#ffff00", "on-ask": "#000000",
    "stop": "#ffffff", "on-stop": "#000000", "cursor": "#ffff00", "on-cursor": "#000000",
    "square-light": "#3d3d3d", "square-dark": "#000000", "last-light": "#00527a", "last-dark": "#003a57",
    "hand": "#7a2e00", "white-piece": "#ffffff", "black-piece": "#000000", "coordinate": "#ffffff",
}  # fmt: skip
SAFE = {
    "ground": "#0b1320", "surface": "#131d2e", "line": "#56b4e9", "text": "#eef1f5", "quiet": "#b4c1d1",
    "name": "#ffffff", "clock": "#ffffff", "idle": "#bcc9d9", "turn": "#f0e442", "warn": "#e69f00",
    "alarm": "#f0e442", "good": "#56b4e9", "key": "#56b4e9",
    "calm": "#00426a", "on-calm": "#ffffff", "ask": "#f0e442", "on-ask": "#000000",
    "stop": "#e69f00", "on-stop": "#000000", "cursor": "#56b4e9", "on-cursor": "#000000",
    "square-light": "#7b94af", "square-dark": "#3f6488", "last-light": "#b3851f", "last-dark": "#8f6408",
    "hand": "#b8520a", "white-piece": "#ffffff", "black-piece": "#000000", "coordinate": "#b4c1d1",
}  # fmt: skip
ANSI = {
    "ground": "ansi_black", "surface": "ansi_black", "line": "ansi_white", "text": "ansi_white", "quiet": "ansi_white",
    "name": "ansi_white", "clock": "ansi_white", "idle": "ansi_white", "turn": "ansi_yellow", "warn": "ansi_yellow",
    "alarm": "ansi_yellow", "good": "ansi_cyan", "key": "ansi_cyan",
    "calm": "ansi_blue", "on-calm": "ansi_white", "ask": "ansi_white", "on-ask": "ansi_black",
    "stop": "ansi_yellow", "on-stop": "ansi_black", "cursor": "ansi_cyan", "on-cursor": "ansi_black",
    "square-light": "ansi_blue", "square-dark": "ansi_black", "last-light": "ansi_magenta", "last-dark": "ansi_magenta",
    "hand": "ansi_red", "white-piece": "ansi_white", "black-piece": "ansi_black", "coordinate": "ansi_white",
}  # fmt: skip

PALETTES: Mapping[str, Mapping[str, str]] = {
    "hall-dark": DARK,
    "hall-light": LIGHT,
    "hall-contrast": CONTRAST,
    "hall-safe": SAFE,
    "hall-16": ANSI,
}
#: And the one that only a console with our own 16 colours and our own font can show.
ALL: Mapping[str, Mapping[str, str]] = {**PALETTES, console.THEME: console.ROLES}
#: Themes whose colours are the terminal's own.
TERMINAL = frozenset({"hall-16", console.THEME})
#: Themes for terminals that would show a text selector as a sign of its own.
NO_SELECTOR = frozenset({console.THEME})
#: Themes that draw Black's pieces in reverse video instead of with a dot.
REVERSED = frozenset({"hall-contrast", "hall-16"})
#: Themes that write pieces as letters: no console font has the chess signs.
LETTERS = frozenset({"hall-16"})

#: Grounds on which pieces stand.
SQUARES = ("square-light", "square-dark", "last-light", "last-dark", "hand")
#: (colour, on which ground, least contrast): clock and names 7:1, other text 4.5:1, graphic parts 3:1 (as WCAG 2).
PAIRS: tuple[tuple[str, str, float], ...] = (
    *((role, ground, 7.0) for role in ("name", "clock", "idle") for ground in ("surface", "ground")),
    *(
        (role, ground, 4.5)
        for role in ("text", "quiet", "turn", "warn", "alarm", "good", "key", "coordinate")
        for ground in ("surface", "ground")
    ),
    ("on-calm", "calm", 7.0),
    ("on-ask", "ask", 7.0),
    ("on-stop", "stop", 7.0),
    ("on-cursor", "cursor", 4.5),
    ("line", "surface", 3.0),
    *(("white-piece", square, 3.0) for square in SQUARES),
)


def title(name: str) -> str:
    """The theme's name in words."""
    return {
        "hall-dark": _("dark"),
        "hall-light": _("light"),
        "hall-contrast": _("high contrast"),
        "hall-safe": _("safe for red-green blindness"),
        "hall-16": _("16 colours"),
        console.THEME: _("this console's own colours"),
    }[name]


def themes() -> tuple[Theme, ...]:
    """The Textual themes, the default one first."""
    return tuple(_theme(name, roles) for name, roles in ALL.items())


def variables(name: str) -> dict[str, str]:
    """Style variables of a theme: `hk-` and the role."""
    return {f"hk-{role}": colour for role, colour in ALL[name].items()}


def rich_style(name: str, role: str, ground: str = "", bold: bool = False) -> str:
    """The style of `role` in the words of Rich, for cells of a data table."""

    def colour(which: str) -> str:
        return ALL[name][which].removeprefix("ansi_")

    return ("bold " if bold else "") + colour(role) + (f" on {colour(ground)}" if ground else "")


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    """Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2)."""
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def _theme(name: str, roles: Mapping[str, str]) -> Theme:
    ansi = name in TERMINAL
    extra = {
        "block-cursor-foreground": roles["on-cursor"],
        "block-cursor-background": roles["cursor"],
        "input-cursor-foreground": roles["on-cursor"],
        "input-cursor-background": roles["cursor"],
        "input-cursor-text-style": "none",
        "input-selection-background": roles["calm"],
        "border": roles["line"],
        "border-blurred": roles["line"],
        "footer-key-foreground": roles["key"],
    }
    if ansi:
        extra |= {
            "ansi-background": roles["ground"],
            "ansi-foreground": roles["text"],
            "input-selection-foreground": roles["on-calm"],
            "screen-selection-background": roles["calm"],
            "screen-selection-foreground": roles["on-calm"],
        }
    return Theme(
        name=name,
        primary=roles["key"],
        secondary=roles["line"],
        warning=roles["warn"],
        error=roles["alarm"],
        success=roles["good"],
        accent=roles["turn"],
        foreground=roles["text"],
        background=roles["ground"],
        surface=roles["surface"],
        panel=roles["surface"],
        boost=roles["calm"],
        dark=name != "hall-light",
        variables=extra | variables(name),
        ansi=ansi,
    )
