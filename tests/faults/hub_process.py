"""`hallkiosk` with faults built in, as a process of its own: `python -m tests.faults.hub_process '{…}' hub --config …`.

`sync_ms` and `shadow`: see `tests.faults.disk`; `set` exchanges constants ("module:NAME" → value); `die_after_commit`
kills the process after every so many commits with events of tables, before any of their acknowledgements is sent;
`count` names a file that gets the number of syncs so far.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.faults import disk


def main() -> int:
    """Installs the faults, then runs the command."""
    faults: dict[str, Any] = json.loads(sys.argv[1])
    syncs = [0]

    def count() -> None:
        syncs[0] += 1
        if "count" in faults:
            Path(faults["count"]).write_text(str(syncs[0]), encoding="ascii")

    if {"sync_ms", "shadow", "count"} & faults.keys():
        shadow = faults.get("shadow")
        disk.install(faults.get("sync_ms", 0), Path(shadow) if shadow else None, count)
    for place, value in faults.get("set", {}).items():
        module, name = place.split(":")
        setattr(importlib.import_module(module), name, value)
    if "die_after_commit" in faults:
        _die_after_commit(faults["die_after_commit"])
    from kiosk.cli import main as command

    return command(sys.argv[2:])


def _die_after_commit(every: int) -> None:
    from kiosk.hub.core import HubCore
    from kiosk.hub.inputs import FromTable

    step, seen = HubCore.step, [0]

    def mortal(core: HubCore, inputs: list[Any]) -> list[Any]:
        out = step(core, inputs)
        if any(isinstance(item, FromTable) and item.leaf == "up" for item in inputs):
            seen[0] += 1
            if seen[0] >= every:
                os.kill(os.getpid(), signal.SIGKILL)
        return out

    HubCore.step = mortal  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())
