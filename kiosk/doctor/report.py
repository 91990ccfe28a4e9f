"""Findings as a page for people, 80 columns wide, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from kiosk.doctor.findings import GROUPS, Finding

WIDTH = 80
#: A word that can be told apart without colours, and the colour it gets besides (ANSI).
_MARKS = {"pass": ("ok", "32"), "fail": ("FAIL", "1;31"), "skip": ("-", "2")}
_INDENT = " " * 7


def titles() -> dict[str, str]:
    """The headings."""
    return {
        "table": _("The table's parts"),
        "plugged": _("Plugged in"),
        "pins": _("Pins and buses"),
        "machine": _("The machine"),
        "disk": _("Disk and log"),
        "keys": _("Keys"),
        "time": _("Time"),
        "hub": _("The hub"),
        "program": _("The program"),
    }


def as_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """One document: `ok`, and every check with its result and remedy."""
    return {
        "ok": not any(finding.state == "fail" for finding in findings),
        "checks": [
            {
                "group": finding.group,
                "name": f"{finding.group}.{finding.name}",
                "result": finding.state,
                "what": finding.what,
                "remedy": finding.remedy,
            }
            for finding in findings
        ],
    }


def as_text(findings: Sequence[Finding], colours: bool = False) -> str:
    """The page: groups with their findings, remedies below them, and the sum."""
    lines: list[str] = []
    for group in GROUPS:
        of_group = [finding for finding in findings if finding.group == group]
        if of_group:
            lines += ["", titles()[group]]
            for finding in of_group:
                lines += _finding(finding, colours)
    fails = sum(finding.state == "fail" for finding in findings)
    passes = sum(finding.state == "pass" for finding in findings)
    good = ngettext("{n} check passed", "{n} checks passed", passes).format(n=passes)
    bad = ngettext("{n} thing to mend", "{n} things to mend", fails).format(n=fails) if fails else _("All is well")
    total = _("{bad}, {good}.").format(bad=bad, good=good)
    return "\n".join([*lines[1:], "", total])


def _finding(finding: Finding, colours: bool) -> list[str]:
    word, colour = _MARKS[finding.state]
    mark = f"{word:>4}"
    if colours:
        mark = f"\x1b[{colour}m{mark}\x1b[0m"
    first, *rest = _wrapped(finding.what)
    lines = [f" {mark}  {first}", *(_INDENT + line for line in rest)]
    if finding.remedy:
        arrow, *more = _wrapped(finding.remedy, 2)
        lines += [f"{_INDENT}> {arrow}", *(f"{_INDENT}  {line}" for line in more)]
    return lines


def _wrapped(text: str, less: int = 0) -> list[str]:
    """Lines that fit; a name of a device is never broken, but may stand on a line of its own."""
    width = WIDTH - len(_INDENT) - less
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
