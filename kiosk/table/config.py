"""Which table this is, what is plugged in, and where the hub is: one small TOML file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drivers.catalogue import BOARD_CLOCK, CLOCK_HOLDERS, PARTS, Named, named
from drivers.errors import BadDeviceName
from hallnet.address import TOKEN, Address
from hallnet.clock import wall_ms
from kiosk.settings import read_settings

if TYPE_CHECKING:
    from hallnet.keys import Credentials

#: Not by the chess library: settings are read early at a start, where nothing else needs it.
_SQUARE = re.compile(r"[a-h][1-8]\Z")


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
    `board`, `clock`, `display`, `lamps`, `buzzer` and `arbiter_key` are names of `drivers.catalogue`, such as
    "dgt:/dev/serial/by-id/…", "plungers:17,27", "max7219", "gpio:16,20,21" or "simulated"; "" where there is none.
    The display "dgt-board" is the clock that hangs on a DGT board.
    `rotated` says that the board lies with its a1 at Black's right ("auto": the start array and the first move tell);
    `dead_squares` are those whose sensor is broken. `sounds` lets the buzzer sound, in a hall that wants it.
    `players` only with simulated hardware. `speed` makes chess time run faster in a simulated hall; heartbeats and
    retries are not scaled.
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
    display: str = ""
    lamps: str = ""
    buzzer: str = ""
    arbiter_key: str = ""
    rotated: bool | str = "auto"
    dead_squares: tuple[str, ...] = ()
    sounds: bool = False
    speed: float = 1.0
    boot: str = ""
    players: PlayersConfig | None = None

    def __post_init__(self) -> None:
        for key, why in self._faults():
            raise ValueError(f"{key}: {why}")

    def _faults(self) -> Iterator[tuple[str, str]]:
        """(key, what is wrong with it and what to write)."""
        for name, value in (("table", self.table), ("event", self.event), ("hall", self.hall)):
            if not TOKEN.match(value):
                yield name, _('"{value}" is no id, use 1 to 16 of a-z and 0-9').format(value=value)
        if not 0.1 <= self.speed <= 1000:
            yield "speed", _("{value} is not between 0.1 and 1000").format(value=self.speed)
        yield from self._device_faults()
        if self.players is not None and not self.simulated:
            yield "players", _("simulated people need a simulated board and a simulated clock")
        if bool(self.key) != bool(self.ca):
            yield "key", _("key and ca belong together, enrolling this table made both files")
        if not self.servers:
            yield "hub", _('name an address, such as "192.168.5.1:4222"')

    def _device_faults(self) -> Iterator[tuple[str, str]]:
        taken: dict[int, str] = {}
        for part in PARTS:
            try:
                found = self.device(part)
            except BadDeviceName as error:
                yield part, str(error).rstrip(".")
                continue
            for pin in found.pins if found else ():
                if pin in taken:
                    yield (
                        part,
                        _("pin {pin} is taken by {other}: name another one").format(pin=pin, other=taken[pin]),
                    )
                taken[pin] = part
            if found is not None and found.kind == BOARD_CLOCK:
                yield from self._board_clock_faults(found)
        if isinstance(self.rotated, str) and self.rotated != "auto":
            yield "rotated", _('"{value}" is not known, write true, false or "auto"').format(value=self.rotated)
        for name in self.dead_squares:
            if not _SQUARE.match(name):
                yield "dead_squares", _('"{value}" is no square, write a1 to h8').format(value=name)

    def _board_clock_faults(self, display: Named) -> Iterator[tuple[str, str]]:
        """The clock behind a board needs one; a simulated clock hangs on a simulated board."""
        try:
            board = named("board", self.board)
        except BadDeviceName:
            return  # that is told already
        if board.kind not in CLOCK_HOLDERS:
            words = _("{display} is the clock on a DGT board, and the board is {board}: name another display")
            yield "display", words.format(display=display.kind, board=board.kind)
        elif display.simulated and not board.simulated:
            yield "display", _('the clock hangs on a real board: write display = "{name}"').format(name=display.kind)

    def device(self, part: str) -> Named | None:
        """The device that is named for a part of `drivers.catalogue.PARTS`, None where there is none.

        Raises `BadDeviceName`. A table always has a board and a clock.
        """
        name = str(getattr(self, part))
        return named(part, name) if name or part in ("board", "clock") else None

    @property
    def devices(self) -> tuple[Named, ...]:
        """Every device that is named, boards first."""
        return tuple(found for part in PARTS if (found := self.device(part)) is not None)

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
        # Certificates are nobody's business who only reads the file: their library takes its time to load.
        from hallnet.ca import check_dates
        from hallnet.keys import Credentials

        found = Credentials.load(Path(self.key).expanduser(), Path(self.ca).expanduser())
        check_dates(Path(self.ca).expanduser().read_bytes(), wall_ms())
        return found

    @property
    def simulated(self) -> bool:
        """Board and clock are both simulated, so that a face may move pieces and press."""
        return named("board", self.board).simulated and named("clock", self.clock).simulated

    def make_folder(self) -> None:
        """Makes the table's folder if it is not there. Raises OSError."""
        Path(self.data).mkdir(parents=True, exist_ok=True)

    @property
    def database(self) -> Path:
        """The table's log."""
        return Path(self.data) / f"table-{self.table}.db"

    @property
    def lock(self) -> Path:
        """Held while the table runs."""
        return Path(self.data) / f"table-{self.table}.lock"

    @property
    def chairs(self) -> Path:
        """Who sat where, for after a restart; only simulated tables have it."""
        return Path(self.data) / f"table-{self.table}.chairs"

    @property
    def pieces(self) -> Path:
        """Which chip is in which piece, at a board that reads chips."""
        return Path(self.data) / f"table-{self.table}.pieces"

    @property
    def marked(self) -> Path:
        """The squares that an arbiter has marked as dead."""
        return Path(self.data) / f"table-{self.table}.dead"

    @property
    def socket(self) -> Path:
        """Where faces connect."""
        return Path(self.data) / f"table-{self.table}.sock"


def load(path: Path) -> TableConfig:
    """The settings in a TOML file; relative paths in it start at the file's folder. Raises `SettingsError`."""
    config = read_settings(path, TableConfig)
    base = path.resolve().parent
    players = config.players
    if players is not None and players.games:
        players = msgspec.structs.replace(players, games=str(base / players.games))
    changes = {name: str(base / value) for name in ("data", "key", "ca") if (value := getattr(config, name))}
    return msgspec.structs.replace(config, players=players, **changes)
