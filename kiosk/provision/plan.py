"""hall.toml → the files in /run that units, services and screens go by. Runs early at every start, without privileges.

A file that cannot be used must never stop the machine: then nothing but the reason is written (and the language, if it
can be made out), and the screen shows it.
"""

from __future__ import annotations

import json
import sys
from gettext import gettext as _
from pathlib import Path

import msgspec

from kiosk import i18n
from kiosk.provision.hall_file import ROLES, Found, find, read, wished_language
from kiosk.provision.places import Places, write
from kiosk.settings import SettingsError

#: Holds the panel where fingers are used; a machine without it shows its face on the first terminal.
_CAGE = Path("/usr/bin/cage")


def provision(places: Places) -> str:
    """Writes the files; what is wrong with hall.toml, "" if nothing is. Raises OSError if /run cannot be written."""
    places.run.mkdir(parents=True, exist_ok=True)
    stale = [places.trouble, places.hub_toml, places.environment, places.system, places.touch, *map(places.role, ROLES)]
    for path in stale:
        path.unlink(missing_ok=True)
    try:
        found = read(find(places.hall_files), places.state)
    except SettingsError as error:
        remedy = _("Correct the file on another computer or here, then switch this one off and on.")
        write(places.trouble, f"{error}\n\n{remedy}\n")
        write(places.environment, _environment(wished_language(places.hall_files)))
        return str(error)
    if found.hub_toml and found.hall.role == "hub":
        write(places.hub_toml, found.hub_toml)
    write(places.environment, _environment(found.hall.language))
    write(places.system, json.dumps(system(found), ensure_ascii=False, indent=1) + "\n")
    places.system.chmod(0o600)  # the password of the Wi-Fi
    if found.hall.screen.touch and _CAGE.exists():
        write(places.touch, "")
    # Last, because units start by it.
    write(places.role(found.hall.role), "")
    return ""


def _environment(language: str) -> str:
    return f"LANGUAGE={language}\n" if language else ""


def report(places: Places) -> int:
    """`provision`, with a line in the journal; an exit code. A broken hall.toml is no failure: the screen must come."""
    i18n.speak(wished_language(places.hall_files))
    try:
        trouble = provision(places)
    except OSError as error:
        print(_("{path} cannot be written: {error}").format(path=error.filename, error=error.strerror), file=sys.stderr)
        return 2
    print(trouble or _("hall.toml is right"), file=sys.stderr)
    return 0


def system(found: Found) -> dict[str, object]:
    """What only root may change, as plain values."""
    hall = found.hall
    return {
        "role": hall.role,
        "host": hall.host_name,
        "time_zone": hall.time_zone,
        "network": msgspec.to_builtins(hall.network),
        "wifi": msgspec.to_builtins(hall.wifi),
        "hubs": [place.rpartition(":")[0].strip("[]") for place in hall.hubs],
    }
