"""The privileged part of a start: host name, time zone, network and whom the clock follows. Nothing else runs as root.

It reads `system.json`, which an unprivileged program has written, and believes nothing in it: whatever does not look
exactly as expected is left out and reported. Only the standard library, so that little code runs with these rights:
`python -I -m kiosk.provision.system`.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_HOST = re.compile(r"hall-(hub|standby|table)(-[a-z0-9]{1,16})?\Z")
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}\Z")
#: On an image the whole machine is ours; elsewhere its name and its network belong to whoever set it up.
_APPLIANCE = Path("usr/lib/hallkiosk/appliance")
_CLOCK = "etc/chrony/conf.d/hallkiosk-role.conf"
#: A hub gives the time even where nobody gives it to the hub; a standby too, but follows the hub while that is there.
_HUB_CLOCK = "local stratum 10\nallow\n"
_STANDBY_CLOCK = "local stratum 12\nallow\n"
_HEAD = "# Written at every start.\n"


class Odd(ValueError):
    """A value that a checked hall.toml cannot have made."""


def apply(values: dict[str, Any], root: Path = Path("/"), set_host: Callable[[str], None] = socket.sethostname) -> None:
    """Changes the machine whose files are under `root`. Raises `Odd` before anything is written, or OSError."""
    texts = dict(_files(values))
    host = _host(values)
    zone = _zone(values, root)
    if not (root / _APPLIANCE).exists():
        _put(root / _CLOCK, *texts[_CLOCK])
        return
    with contextlib.suppress(PermissionError):  # a container that keeps its name
        set_host(host)
    for name, (text, mode) in texts.items():
        _put(root / name, text, mode)
    if zone:
        new = root / "etc/.localtime.new"
        new.unlink(missing_ok=True)
        new.symlink_to(Path("/usr/share/zoneinfo") / zone)
        new.replace(root / "etc/localtime")


def _files(values: dict[str, Any]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Path below the root → (content, mode)."""
    host = _host(values)
    yield "etc/hostname", (f"{host}\n", 0o644)
    yield "etc/hosts", (f"127.0.0.1 localhost\n127.0.1.1 {host}\n::1 localhost ip6-localhost\n", 0o644)
    yield _CLOCK, (_HEAD + _clock(values, host), 0o644)
    yield "run/systemd/network/10-hallkiosk.network", (_network(values.get("network") or {}), 0o644)
    if values.get("wifi"):
        yield "etc/wpa_supplicant/wpa_supplicant-wlan0.conf", (_wifi(values["wifi"]), 0o600)


def _host(values: dict[str, Any]) -> str:
    host = values.get("host")
    if not isinstance(host, str) or not _HOST.match(host):
        raise Odd(f"host {host!r}")
    return host


def _zone(values: dict[str, Any], root: Path) -> str:
    zone = values.get("time_zone") or ""
    if not isinstance(zone, str) or (zone and not _ZONE.match(zone)):
        raise Odd(f"time zone {zone!r}")
    if zone and not (root / "usr/share/zoneinfo" / zone).is_file():
        raise Odd(f"time zone {zone!r}")
    return zone


def _clock(values: dict[str, Any], host: str) -> str:
    if host.startswith("hall-hub"):
        return _HUB_CLOCK
    return _followers(values) + (_STANDBY_CLOCK if host.startswith("hall-standby") else "")


def _followers(values: dict[str, Any]) -> str:
    lines = []
    for hub in _list(values.get("hubs")):
        with contextlib.suppress(Odd):  # a name; the table looks it up when it joins
            lines.append(f"server {_address(hub)} iburst")
    return "".join(f"{line}\n" for line in lines)


def _network(network: dict[str, Any]) -> str:
    lines = ["[Match]", "Type=ether wlan", "", "[Network]", "LinkLocalAddressing=ipv6", "MulticastDNS=no"]
    if network.get("address"):
        lines += [f"Address={_interface(network['address'])}"]
        lines += [f"Gateway={_address(network['gateway'])}"] if network.get("gateway") else []
        lines += [f"DNS={_address(place)}" for place in _list(network.get("dns"))]
    else:
        lines += ["DHCP=ipv4"]
    return "\n".join([*lines, "", "[Link]", "RequiredForOnline=no", ""])


def _wifi(wifi: dict[str, Any]) -> str:
    name, password, country = (str(wifi.get(key, "")) for key in ("name", "password", "country"))
    if not 1 <= len(name.encode()) <= 32 or not re.fullmatch(r"[A-Z]{2}", country):
        raise Odd("wifi name or country")
    if password and not re.fullmatch(r"[ -~]{8,63}", password):
        raise Odd("wifi password")
    # The name in hexadecimal needs no quoting; a quoted password ends at the line's last quotation mark.
    secret = f'psk="{password}"' if password else "key_mgmt=NONE"
    return f"country={country}\nupdate_config=0\nnetwork={{\n  ssid={name.encode().hex()}\n  {secret}\n}}\n"


def _address(text: object) -> str:
    try:
        return str(ipaddress.ip_address(str(text)))
    except ValueError:
        raise Odd(f"address {text!r}") from None


def _interface(text: object) -> str:
    try:
        return str(ipaddress.ip_interface(str(text)))
    except ValueError:
        raise Odd(f"address {text!r}") from None


def _list(value: object) -> list[object]:
    if value is not None and not isinstance(value, list):
        raise Odd(f"list {value!r}")
    return value or []


def _put(path: Path, text: str, mode: int) -> None:
    """Replaces a file in one step; one that already says this is left alone."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        os.fchmod(fd, mode)  # whatever the umask
        file.write(text)
    new.replace(path)


def main() -> int:
    """Applies /run/hallkiosk/system.json; 1 after a line in the journal when it cannot."""
    try:
        values = json.loads(Path("/run/hallkiosk/system.json").read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise Odd("no object")
        apply(values)
    except FileNotFoundError as error:
        print(f"nothing to do: {error.filename} is not there", file=sys.stderr)
        return 0
    except (OSError, ValueError) as error:
        print(f"not applied: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
