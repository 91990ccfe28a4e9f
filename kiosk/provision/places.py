"""Where an appliance keeps what: one value that tests can point elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: Where hall.toml is: the first that exists counts; it is on the part of a card that every computer reads.
PLACES = (Path("/boot/firmware/hall.toml"), Path("/etc/hallkiosk/hall.toml"))


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of an appliance. `run` is empty at every start, `state` is kept.

    `device` is what this machine is let into the hall as: "table" or "standby".
    """

    run: Path = Path("/run/hallkiosk")
    state: Path = Path("/var/lib/hallkiosk")
    devices: Path = Path("/dev")
    hall_files: tuple[Path, ...] = PLACES
    time_source: Path = Path("/run/chrony-dhcp/hallkiosk.sources")
    device: str = "table"

    @property
    def trouble(self) -> Path:
        """What is wrong with hall.toml, for the screen; not there when nothing is."""
        return self.run / "trouble"

    @property
    def touch(self) -> Path:
        """The flag that units look for: the panel is touched."""
        return self.run / "touch"

    @property
    def system(self) -> Path:
        """What only root may change: read by `kiosk.provision.system`."""
        return self.run / "system.json"

    @property
    def environment(self) -> Path:
        """Variables of the services (EnvironmentFile=)."""
        return self.run / "environment"

    @property
    def hub_toml(self) -> Path:
        """The hub's settings."""
        return self.run / "hub.toml"

    @property
    def table_toml(self) -> Path:
        """The table's settings, written when it has found the hub and been let in."""
        return self.run / "table.toml"

    @property
    def table_start(self) -> Path:
        """The process of the table and whether it chose its board by itself (JSON)."""
        return self.run / "table.json"

    @property
    def joining(self) -> Path:
        """How far a table or a standby is on its way into the hall, for the screen (JSON)."""
        return self.run / "joining.json"

    @property
    def hub_data(self) -> Path:
        """The hub's folder."""
        return self.state / "hub"

    @property
    def standby_start(self) -> Path:
        """The process of the standby (JSON)."""
        return self.run / "standby.json"

    @property
    def let_in(self) -> Path:
        """Under which name this machine was let into which hall (JSON)."""
        return self.device_data / "let-in.json"

    @property
    def keys(self) -> Path:
        """This device's key and the hall's certificate."""
        return self.device_data / "keys"

    @property
    def device_data(self) -> Path:
        """The folder of the table, or of the standby's own key."""
        return self.state / self.device

    def role(self, name: str) -> Path:
        """The flag that units look for: this machine is a hub, a table, a standby."""
        return self.run / f"role-{name}"


def write(path: Path, text: str) -> None:
    """Puts a file in its place in one step, so that no reader sees half of it."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
