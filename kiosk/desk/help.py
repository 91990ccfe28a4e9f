"""The help of the desk, made from the tables of actions."""

from __future__ import annotations

import textwrap

from kiosk.desk.actions import actions, page_names
from kiosk.desk.context import Context
from kiosk.widgets.language import _


def help_text(c: Context) -> str:
    """Every action with its key and sentence: this page's first, then the other pages', then those without a key."""
    names = {**page_names(), "board": _("one board"), "": _("by name only (:)")}
    order = [c.page, *(page for page in names if page != c.page)]
    lines: list[str] = []
    told: set[str] = set()
    for page in order:
        here = [
            a for a in actions() if a.name not in told and (a.on(page) or not page) and (c.visits or a.name != "visit")
        ]
        if not here:
            continue
        told |= {a.name for a in here}
        lines += [_("On the page “{page}”").format(page=names[page]) if page else names[page]]
        lines += [
            textwrap.fill(f"{a.written or ':':>6}  {a.short}: {a.help}", 68, subsequent_indent=" " * 8) for a in here
        ]
        lines.append("")
    signs = _("Signs: > clock runs, ! short of time or needs you, # flag, = draw offer, ? not agreed, ~ no contact")
    return "\n".join([*lines, textwrap.fill(signs, 68)])
