"""The evidence of a game's end, which the log keeps as short keys and values, in words."""

from __future__ import annotations

from collections.abc import Mapping

from kiosk.widgets.language import _
from kiosk.widgets.words import side_name
from rules.laws.clock_display import clk
from rules.laws.sides import SIDES

#: What players need not read; the arbiter finds it below the rest.
TECHNICAL = ("position", "before", "order", "at_ms", "fell_ms", "kind")


def evidence_lines(evidence: Mapping[str, str], technical: bool = False) -> tuple[str, ...]:
    """One line each: the article first, then what is known; with `technical` also positions, orders and stamps.

    Keys that are not known here are shown as they came, never left out.
    """
    known = _labels()
    rest = [key for key in evidence if key not in known and key not in TECHNICAL and not key.endswith("_ms")]
    lines = [_line(known[key], evidence[key]) for key in known if key in evidence]
    if "white_ms" in evidence and "black_ms" in evidence:
        clocks = _("clocks: {white}, {black}")
        lines.append(clocks.format(white=_clock(evidence["white_ms"]), black=_clock(evidence["black_ms"])))
    lines += [_line(key, evidence[key]) for key in rest]
    if technical:
        lines += [_line(key, evidence[key]) for key in TECHNICAL if key in evidence]
    return tuple(lines)


def _labels() -> dict[str, str]:
    return {
        "article": _("Laws, article"),
        "why": _("reason"),
        "move": _("last move"),
        "moves": _("same position after moves"),
        "plies": _("half-moves without capture or pawn move"),
        "flag": _("flag"),
        "resigned": _("resigned"),
        "claimed_by": _("claimed by"),
        "claim": _("claim"),
        "check": _("claim checked"),
        "offender": _("offender"),
        "offence": _("offence"),
        "count": _("count"),
        "illegal": _("illegal move"),
        "illegal_position": _("illegal position"),
        "proof": _("proof"),
    }


def _line(label: str, value: str) -> str:
    sides: dict[str, str] = {side: side_name(side) for side in SIDES}
    return f"{label}: {sides.get(value, value)}"


def _clock(ms: str) -> str:
    return clk(int(ms), decimals=True) if ms.lstrip("-").isdigit() else ms
