"""Whether the hub can be reached: its transport greets whoever connects."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _

from kiosk.doctor.findings import Finding, failed, passed

WAIT_S = 3.0
#: Who says nothing for so long waits for a TLS handshake.
SILENT_S = 1.0


@dataclass(frozen=True, slots=True)
class HubSeen:
    """An address "host:port": the transport's version and whether it wants TLS; `fault` if it cannot be reached."""

    place: str
    version: str = ""
    tls: bool = False
    fault: str = ""


def look_at_hub(place: str, wait_s: float = WAIT_S) -> HubSeen:
    """Connects and reads the greeting. A hub without keys greets at once, one with keys after the TLS handshake."""
    host, _colon, port = place.rpartition(":")
    tls = False
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=wait_s) as line:
            line.settimeout(min(wait_s, SILENT_S))
            try:
                line.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                tls = True
            line.settimeout(wait_s)
            with _anybody().wrap_socket(line) if tls else line as talk:
                greeting = talk.makefile("rb").readline(16_384)
    except (OSError, ValueError, OverflowError) as error:
        return HubSeen(place, fault=getattr(error, "strerror", None) or str(error))
    try:
        word, _space, rest = greeting.partition(b" ")
        info = json.loads(rest)
        if word != b"INFO" or not isinstance(info, dict):
            raise ValueError
    except ValueError:
        return HubSeen(place, fault=_("something else answers there"))
    return HubSeen(place, str(info.get("version", "?")), tls or bool(info.get("tls_required")))


def _anybody() -> ssl.SSLContext:
    """Whether it is the right hub is another check's business (the hall's certificate)."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def check_hub(seen: Sequence[HubSeen], has_key: bool) -> list[Finding]:
    """One of the addresses must answer; TLS and a key belong together."""
    found = []
    for hub in seen:
        name = f"reach.{hub.place}"
        if hub.fault:
            found.append(
                failed("hub", name, _("{place}: {why}").format(place=hub.place, why=hub.fault),
                       _("Start the hub, plug in the network, and look at hub = … in the file."))
            )  # fmt: skip
        elif hub.tls != has_key:
            what = (
                _("{place} has keys, and this table has none.")
                if hub.tls
                else _("{place} has no keys, and this table would use one.")
            )
            remedy = (
                _("Enrol this table: hallkiosk enrol device.") if hub.tls else _("Remove key and ca from the file.")
            )
            found.append(failed("hub", name, what.format(place=hub.place), remedy))
        else:
            what = _("{place} answers (transport {version})").format(place=hub.place, version=hub.version)
            found.append(passed("hub", name, what))
    return found
