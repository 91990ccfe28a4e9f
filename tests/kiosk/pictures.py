"""What a face looks like: as plain text for the snapshots, and as SVG to be looked at by people.

`python -m tests.kiosk.pictures FOLDER` from the root of the repository writes an SVG of every state in every size.
"""

from __future__ import annotations

import asyncio
import sys
from html import escape
from pathlib import Path
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip

CELL_W, CELL_H, FONT = 10, 20, 16
QUARTERS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
#: The 16 colours of the Linux console, for the palette theme.
CONSOLE = (
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
    "#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
)  # fmt: skip


def strips(app: App[Any]) -> list[Strip]:
    """The lines on the screen."""
    return list(app.screen._compositor.render_strips(app.size))


def text(app: App[Any]) -> str:
    """The screen as plain text, without the spaces at the ends of lines."""
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips(app)) + "\n"


def svg(app: App[Any]) -> str:
    """The screen as an SVG picture in which every character stands exactly in its cell."""
    width, height = app.size
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * CELL_W}" height="{height * CELL_H}">',
        '<rect width="100%" height="100%" fill="#000000"/>',
        f'<g font-family="DejaVu Sans Mono" font-size="{FONT}" xml:space="preserve">',
    ]
    for row, strip in enumerate(strips(app)):
        column = 0
        for segment in strip:
            column = _segment(out, segment, row, column)
    return "\n".join([*out, "</g></svg>"])


def _segment(out: list[str], segment: Segment, row: int, column: int) -> int:
    style = segment.style or Style()
    ink, ground = _colour(style.color, "#cccccc"), _colour(style.bgcolor, "#000000")
    if style.reverse:
        ink, ground = ground, ink
    cells = segment.cell_length
    x, y = column * CELL_W, row * CELL_H
    out.append(f'<rect x="{x}" y="{y}" width="{cells * CELL_W}" height="{CELL_H}" fill="{ground}"/>')
    weight = ' font-weight="bold"' if style.bold else ""
    at = x
    for sign in segment.text:
        size = Segment(sign).cell_length
        if sign in QUARTERS and sign != " ":
            out.extend(_quarters(QUARTERS.index(sign), at, y, ink))
        elif sign.strip() and size:
            out.append(f'<text x="{at}" y="{y + 15}" fill="{ink}"{weight}>{escape(sign)}</text>')
        at += size * CELL_W
    return column + cells


def _quarters(bits: int, x: int, y: int, ink: str) -> list[str]:
    """A block sign as exact rectangles, so that no seams show."""
    if bits == 15:
        return [f'<rect x="{x}" y="{y}" width="{CELL_W}" height="{CELL_H}" fill="{ink}"/>']
    half_w, half_h = CELL_W // 2, CELL_H // 2
    corners = [(x + half_w * (bit % 2), y + half_h * (bit // 2)) for bit in range(4) if bits & 1 << bit]
    return [f'<rect x="{a}" y="{b}" width="{half_w}" height="{half_h}" fill="{ink}"/>' for a, b in corners]


def _colour(colour: Any, default: str) -> str:
    if colour is None or colour.is_default:
        return default
    if colour.triplet is not None:
        return str(colour.triplet.hex)
    return CONSOLE[colour.number] if colour.number is not None and colour.number < 16 else default


def save(app: App[Any], folder: Path, name: str) -> None:
    """Write the picture of what is on the screen now."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(svg(app), encoding="utf-8")


async def all_pictures(folder: Path, themes: tuple[str, ...] = ("hall-dark",)) -> int:
    """Every state in every size and these themes as `folder/theme/face-state-WxH.svg`; how many."""
    from tests.kiosk import states

    count = 0
    for theme in themes:
        for size in states.SIZES:
            for face, shown in (("screen", states.tables(size, theme)), ("desk", states.halls(size, theme))):
                async for state, app in shown:
                    save(app, folder / theme, f"{face}-{state.name}-{size[0]}x{size[1]}")
                    count += 1
    return count


if __name__ == "__main__":
    from kiosk.widgets.palette import PALETTES

    chosen = tuple(name for name in PALETTES if name in sys.argv[2:]) or ("hall-dark",)
    print(asyncio.run(all_pictures(Path(sys.argv[1]), chosen)), "pictures in", sys.argv[1])
