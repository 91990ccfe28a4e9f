"""Who may use a device file: its group, for the sentence that says what to do."""

from __future__ import annotations

import grp
import os


def group_of(path: str, usual: str) -> str:
    """The group of a device file; `usual` if it cannot be told."""
    try:
        return grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return usual
