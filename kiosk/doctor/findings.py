"""What a check has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["pass", "fail", "skip"]
#: Groups in the order in which they are shown.
GROUPS = ("table", "plugged", "pins", "machine", "disk", "keys", "time", "hub", "program")
Group = Literal["table", "plugged", "pins", "machine", "disk", "keys", "time", "hub", "program"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `name` is stable for programs; `what` is a sentence, `remedy` what to do if it failed.

    A "skip" could not be looked at here, or is not there and need not be.
    """

    group: Group
    name: str
    state: State
    what: str
    remedy: str = ""


def passed(group: Group, name: str, what: str) -> Finding:
    """All is well."""
    return Finding(group, name, "pass", what)


def failed(group: Group, name: str, what: str, remedy: str) -> Finding:
    """Something is wrong, and can be mended so."""
    return Finding(group, name, "fail", what, remedy)


def skipped(group: Group, name: str, what: str, remedy: str = "") -> Finding:
    """Not looked at; `remedy` may say what would be possible."""
    return Finding(group, name, "skip", what, remedy)
