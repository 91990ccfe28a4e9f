"""The hub says where it is, for devices on the same network: a comfort, never a proof.

Whoever answers first may be anybody; who it really is shows in its certificate, or in the code of an enrolment. Many
networks do not carry multicast, so an address in the settings always works and this may not.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Iterator

from zeroconf import Error, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from hallnet.wire import Address

log = logging.getLogger(__name__)

SERVICE = "_hallkiosk._tcp.local."


def _name(address: Address) -> str:
    return f"{address.event}-{address.hall}.{SERVICE}"


@contextlib.contextmanager
def announced(address: Address, port: int, host: str, interfaces: list[str] | None = None) -> Iterator[bool]:
    """While inside, the hub answers those who look for it; False if that is not possible here."""
    answering: Zeroconf | None = None
    try:
        places = [host] if host not in ("0.0.0.0", "::") else _own_addresses()
        info = ServiceInfo(
            SERVICE,
            _name(address),
            addresses=[socket.inet_aton(place) for place in places],
            port=port,
            properties={"v": "1", "event": address.event, "hall": address.hall},
            server=f"hallkiosk-{address.event}-{address.hall}.local.",
        )
        answering = Zeroconf(interfaces=interfaces or places)
        answering.register_service(info, allow_name_change=True)
    except (OSError, Error) as error:
        log.warning("this network does not carry announcements: %s", error)
        if answering is not None:
            answering.close()
            answering = None
    try:
        yield answering is not None
    finally:
        if answering is not None:
            answering.close()


def find_hub(address: Address, seconds: float = 3.0, interfaces: list[str] | None = None) -> str:
    """ "host:port" of the hub of that hall, "" if nobody answers in time."""
    found: list[str] = []
    answered = threading.Event()

    def changed(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is ServiceStateChange.Removed:
            return
        info = zeroconf.get_service_info(service_type, name, timeout=1_000)
        properties = info.decoded_properties if info is not None else {}
        if info is None or (properties.get("event"), properties.get("hall")) != (address.event, address.hall):
            return
        for place in info.parsed_addresses():
            found.append(f"{place}:{info.port}")
            answered.set()

    try:
        with contextlib.closing(Zeroconf(interfaces=interfaces or _own_addresses())) as looking:
            ServiceBrowser(looking, SERVICE, handlers=[changed])
            answered.wait(seconds)
    except (OSError, Error) as error:
        log.warning("this network does not carry announcements: %s", error)
    return found[0] if found else ""


def _own_addresses() -> list[str]:
    """This machine's addresses; the loopback's if it has no other."""
    addresses: set[str] = set()
    with contextlib.suppress(OSError):
        addresses = {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends nothing; it tells which address the way out has.
        probe.connect(("192.0.2.1", 9))
        addresses.add(str(probe.getsockname()[0]))
    return sorted(place for place in addresses if not place.startswith("127.")) or ["127.0.0.1"]
