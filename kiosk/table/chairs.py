"""Who sits where at a simulated table: the simulated player, or a person who took his chair.

A chair is kept for its person for a while after the table's program was restarted, so that nobody else moves for him
before his screen is back.
"""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from hallnet.local import ClientId
from rules.laws.events import Side
from rules.laws.sides import SIDES

#: Seconds for which a chair waits for its person after a restart.
KEPT_S = 10.0
#: Holds the chair of a person who is not back yet.
_KEPT = ClientId(-2)


class Chairs:
    """The chairs of one table. `path` remembers over a restart which of them are taken."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._holders: dict[Side, ClientId] = {}
        self._until = time.monotonic() + KEPT_S
        with contextlib.suppress(OSError, ValueError, TypeError):
            sides = json.loads(path.read_text(encoding="utf-8"))
            self._holders = {side: _KEPT for side in SIDES if side in sides}

    @property
    def taken(self) -> tuple[Side, ...]:
        """The sides whose chair belongs to a person, present or expected back."""
        return tuple(sorted(self._holders))

    @property
    def waiting_s(self) -> float | None:
        """Seconds until a kept chair is given up, None if nobody is waited for."""
        return max(0.0, self._until - time.monotonic()) if _KEPT in self._holders.values() else None

    def holds(self, client: ClientId, side: Side) -> bool:
        """Whether this person sits there."""
        return self._holders.get(side) == client

    def take(self, client: ClientId, side: Side) -> bool:
        """Sits down; False: somebody else sits there."""
        if self._holders.get(side, client) not in (client, _KEPT):
            return False
        self._holders[side] = client
        self._save()
        return True

    def leave(self, client: ClientId, side: Side | None = None) -> bool:
        """Stands up from one chair, or from all; True if somebody sat there."""
        left = [name for name, holder in self._holders.items() if holder == client and side in (None, name)]
        for name in left:
            del self._holders[name]
        if left:
            self._save()
        return bool(left)

    def give_up(self) -> bool:
        """Nobody is waited for any more; True if somebody was."""
        return self.leave(_KEPT)

    def _save(self) -> None:
        with contextlib.suppress(OSError):  # a chair is no evidence: without the file it is only not kept
            self._path.write_text(json.dumps(self.taken), encoding="utf-8")
