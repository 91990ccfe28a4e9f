"""Where a hall and its tables live on the transport, and how ids and places look: what programs need that only read
settings, without the messages and all events of a game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

TOKEN = re.compile(r"[a-z0-9]{1,16}\Z")
#: Where a hub is, as hubs tell it to tables and desks: a name or address, and a port.
PLACE = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]):\d{1,5}\Z")
TableLeaf = Literal["up", "ack", "hb", "hbr", "ask", "snap", "asg", "ord", "past"]


class WireError(ValueError):
    """A message that cannot be understood; str() says why in a sentence."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a hall lives on the transport: tournament id and hall id, each `[a-z0-9]{1,16}`."""

    event: str
    hall: str

    def __post_init__(self) -> None:
        for token in (self.event, self.hall):
            if not TOKEN.match(token):
                raise WireError(_("{token!r} is no valid id: use 1 to 16 of a-z and 0-9").format(token=token))

    @property
    def root(self) -> str:
        """`h1.E.H`."""
        return f"h1.{self.event}.{self.hall}"

    def table(self, table: str, leaf: TableLeaf | Literal["*"]) -> str:
        """Subject of a table: `h1.E.H.t.T.leaf` (`table` may be "*" in a subscription)."""
        if table != "*" and not TOKEN.match(table):
            raise WireError(_("{token!r} is no valid id: use 1 to 16 of a-z and 0-9").format(token=table))
        return f"{self.root}.t.{table}.{leaf}"

    def desk(self, desk: str, leaf: Literal["in", "out"]) -> str:
        """Subject of a desk: `h1.E.H.d.K.leaf`."""
        return f"{self.root}.d.{desk}.{leaf}"

    @property
    def all_round(self) -> str:
        """Hub to all tables: what is the round, which revision."""
        return f"{self.root}.all.round"

    def desks(self, leaf: Literal["head", "boards", "standings", ">"]) -> str:
        """Hub to all desks: the stream of state changes."""
        return f"{self.root}.desks.{leaf}"

    def speaker(self, subject: str) -> tuple[str, str, str]:
        """(`"t"` or `"d"`, id, leaf) of a subject under this address; raises `WireError` for any other."""
        parts = subject.split(".")
        if len(parts) != 6 or ".".join(parts[:3]) != self.root or parts[3] not in ("t", "d"):
            raise WireError(_("{subject!r} is no subject of this hall").format(subject=subject))
        return parts[3], parts[4], parts[5]
