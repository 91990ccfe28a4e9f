"""When to connect again: after a pause by chance, so that a thousand tables do not come back in the same instant. Pure.

All lose the server in one moment, so the first pause spreads them over two and a half seconds. While it stays away they
come round again and again, at 1 / (mean pause) each second: the later pauses are longer, so that no moment has more.
"""

from __future__ import annotations

import random

#: The shortest and the longest first pause (s).
PAUSE_S = (0.2, 2.6)
#: How much longer both are from the second on.
LATER = (2.0, 1.6)


class Pauses:
    """The pauses of one connection; the same `seed` gives the same ones, None fresh ones."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._tries = 0

    def next(self, bounds: tuple[float, float] = PAUSE_S) -> float:
        """How long to wait before the next try (s)."""
        low, high = bounds
        if self._tries:
            low, high = low * LATER[0], high * LATER[1]
        self._tries += 1
        return self._random.uniform(low, high)

    def connected(self) -> None:
        """A try has succeeded: the next pause is a first one."""
        self._tries = 0
