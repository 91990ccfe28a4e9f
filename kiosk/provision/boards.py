"""Which board is plugged in: names by udev (`/dev/hallkiosk-board-KIND`), as a table's settings want them.

Two boards of a kind share that name, and udev gives it to the one that came last. Each also has names of its own,
`…-KIND-NUMBER` by its serial number and `…-KIND-at-PORT` by its USB socket.
"""

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
    """Names for a table's settings of the boards that are plugged in, such as "dgt:/dev/hallkiosk-board-dgt".

    A kind's only board goes by the name of the kind, so that another can take its place; two or more go by their own.
    """
    found = []
    for kind in BOARDS:
        own = own_names(devices, kind)
        plain = devices / (_LINK + kind)
        if len(own) > 1:
            found += [f"{kind}:{path}" for path in own]
        elif plain.exists():
            found.append(f"{kind}:{plain}")
    return found


def own_names(devices: Path, kind: str) -> list[Path]:
    """One name for each board of that kind which no other board has: by its number, else by its socket; in order."""
    names: dict[Path, Path] = {}
    for path in sorted(devices.glob(f"{_LINK}{kind}-*"), key=lambda path: (f"{kind}-at-" in path.name, path.name)):
        if path.name.removeprefix(_LINK) not in BOARDS:
            names.setdefault(path.resolve(), path)
    return sorted(names.values())


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
    if not chosen or own.simulated or Path(own.address).exists() or kind not in BOARDS:
        return False
    if own.address == str(places.devices / (_LINK + kind)):
        return False  # its driver waits for just that name
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
