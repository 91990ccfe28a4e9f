"""The last tie-break: lots, drawn with a seed that is kept, so that anybody can draw them again (C.07 4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256


def draw_lots(seed: int, tied: Iterable[int]) -> tuple[int, ...]:
    """The tied players in the order of their lots.

    The lot of a player is the SHA-256 of "lot SEED TPN"; the smallest comes first. So it depends neither on the order
    in which the players are named nor on who else is tied, and it can be checked with any other program.
    """
    return tuple(sorted(set(tied), key=lambda tpn: lot(seed, tpn)))


def lot(seed: int, tpn: int) -> str:
    """A player's lot, 64 hex digits."""
    return sha256(f"lot {seed} {tpn}".encode()).hexdigest()
