"""Which halls run on this machine: a screen or a desk in a second terminal finds its hall without being told.

Each running hall has a small file in a folder of its user; a file whose process is gone is ignored and removed.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from hallnet.keys import Credentials


@dataclass(frozen=True, slots=True)
class RunningHall:
    """A hall on this machine: the process that keeps it, its folder, and its address on the transport."""

    pid: int
    data: str
    port: int
    event: str
    hall: str


def folder() -> Path:
    """Where running halls are written down: `HALLKIOSK_RUNTIME_DIR`, else a folder of this user."""
    if chosen := os.environ.get("HALLKIOSK_RUNTIME_DIR"):
        return Path(chosen)
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime) / "hallkiosk"
    return Path(tempfile.gettempdir()) / f"hallkiosk-{os.getuid()}"


def announce(hall: RunningHall) -> Path:
    """Writes a hall down; remove the file when it ends."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder() / f"{hall.pid}.json"
    new = path.with_suffix(".new")
    new.write_text(json.dumps(asdict(hall)), encoding="utf-8")
    new.replace(path)
    return path


def halls() -> list[RunningHall]:
    """The halls that run now, the newest first."""
    found: list[tuple[float, RunningHall]] = []
    if not folder().is_dir() or folder().stat().st_uid != os.getuid():
        return []
    for path in folder().glob("*.json"):
        try:
            hall = RunningHall(**json.loads(path.read_text(encoding="utf-8")))
            alive = _alive(hall.pid)
            modified = path.stat().st_mtime
        except (OSError, ValueError, TypeError):
            continue
        if alive:
            found.append((modified, hall))
        else:
            path.unlink(missing_ok=True)
    return [hall for _modified, hall in sorted(found, key=lambda pair: pair[0], reverse=True)]


def hub_credentials(data: Path) -> Credentials | None:
    """The keys of the desk on the hub's machine, if the hall in `data` has keys. Raises `KeyFault`."""
    folder = data / "keys"
    try:
        keyed = bool(json.loads((data / "hub.json").read_text(encoding="utf-8")).get("keys"))
    except (OSError, ValueError, AttributeError):
        keyed = False
    return Credentials.load(folder / "desk1.key", folder / "ca.pem") if keyed else None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
