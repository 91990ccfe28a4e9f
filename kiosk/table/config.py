"""Which table this is, what is plugged in, and where the hub is: one small TOML file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hallnet.keys import Credentials
from hallnet.wire import Address


class PlayersConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Simulated people at simulated hardware; `boards` of a round deal the games of a PGN file in order."""

    seed: int = 1
    games: str = ""
    boards: int = 0
    disputes: bool = True


class TableConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table.

    `table` is the table's id on the wire; `hub` the transport's address "host:port", or several with commas (a standby
    is one); `key` and `ca` the files made when this table was enrolled, in a hall with keys; `event` and
    `hall` as at the hub.
    `board` is "dgt:/dev/serial/by-id/…" or "simulated", `clock` "plungers" or "simulated"; `players` only with
    simulated hardware. `speed` makes chess time run faster in a simulated hall; heartbeats and retries are not scaled.
    """

    table: str
    hub: str = "127.0.0.1:4222"
    key: str = ""
    ca: str = ""
    event: str = "event"
    hall: str = "hall"
    data: str = "."
    board: str = "simulated"
    clock: str = "simulated"
    speed: float = 1.0
    boot: str = ""
    players: PlayersConfig | None = None

    def __post_init__(self) -> None:
        if not 0.1 <= self.speed <= 1000:
            raise ValueError(f"speed {self.speed} is not between 0.1 and 1000")
        if self.board != "simulated" and not self.board.startswith("dgt:/"):
            raise ValueError(f'board "{self.board}" is not known: use "simulated" or "dgt:/dev/serial/by-id/..."')
        if self.clock not in ("simulated", "plungers"):
            raise ValueError(f'clock "{self.clock}" is not known: use "simulated" or "plungers"')
        if self.players is not None and not self.simulated:
            raise ValueError("simulated players need a simulated board and a simulated clock")
        if bool(self.key) != bool(self.ca):
            raise ValueError("key and ca belong together: enrolling this table made both files")
        if not self.servers:
            raise ValueError('hub must name an address, such as "192.168.5.1:4222"')
        _ = self.address

    @property
    def address(self) -> Address:
        """The hall on the transport."""
        return Address(self.event, self.hall)

    @property
    def servers(self) -> tuple[str, ...]:
        """Where the transport may be."""
        return tuple(f"nats://{place.strip()}" for place in self.hub.split(",") if place.strip())

    @property
    def credentials(self) -> Credentials | None:
        """The key, in a hall with keys. Raises `KeyFault`."""
        if not self.key:
            return None
        return Credentials.load(Path(self.key).expanduser(), Path(self.ca).expanduser())

    @property
    def simulated(self) -> bool:
        """Board and clock are both simulated, so that a face may move pieces and press."""
        return self.board == "simulated" and self.clock == "simulated"

    @property
    def database(self) -> Path:
        """The table's log."""
        return Path(self.data) / f"table-{self.table}.db"

    @property
    def lock(self) -> Path:
        """Held while the table runs."""
        return Path(self.data) / f"table-{self.table}.lock"

    @property
    def socket(self) -> Path:
        """Where faces connect."""
        return Path(self.data) / f"table-{self.table}.sock"
