"""Which board is plugged in: names by udev (`/dev/hallkiosk-board-KIND`), as a table's settings want them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tomllib
from pathlib import Path

from drivers.catalogue import BOARDS, named
from kiosk.provision.places import Places

_LINK = "hallkiosk-board-"
#: A table without any plugged board waits for this kind.
USUAL = "dgt"


def plugged(devices: Path) -> list[str]:
    """Names for a table's settings of the boards that are plugged in, such as "dgt:/dev/hallkiosk-board-dgt"."""
    kinds = {path.name.removeprefix(_LINK): path for path in sorted(devices.glob(f"{_LINK}*"))}
    return [f"{kind}:{kinds[kind]}" for kind in BOARDS if kind in kinds]


def choose(devices: Path) -> str:
    """The board that is plugged in, else the port on which the usual one will appear."""
    return next(iter(plugged(devices)), f"{USUAL}:{devices / (_LINK + USUAL)}")


def arrived(places: Places, kind: str, kill: bool = True) -> bool:
    """A board of `kind` was plugged in. True if the table is asked to start again with it.

    Only a table that may choose, and whose own board is not there: a second board disturbs no game.
    """
    try:
        table = tomllib.loads(places.table_toml.read_text(encoding="utf-8"))
        own = named("board", str(table["board"]))
        start = json.loads(places.table_start.read_text(encoding="utf-8"))
        pid, chosen = int(start["pid"]), bool(start["board_chosen"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if not chosen or own.simulated or own.kind == kind or Path(own.address).exists() or kind not in BOARDS:
        return False
    if kill and _is_table(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    return True


def _is_table(pid: int) -> bool:
    """Is that process still a table, and not another one that got the number?"""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"table" in arguments
