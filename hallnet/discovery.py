"""The hub says where it is, for devices on the same network: a comfort, never a proof.

Whoever answers first may be anybody; who it really is shows in its certificate, or in the code of an enrolment. Many
networks do not carry multicast, so an address in the settings always works and this may not.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import socket
import struct
import threading
from collections.abc import Iterator

from zeroconf import Error, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from hallnet.address import Address

log = logging.getLogger(__name__)

SERVICE = "_hallkiosk._tcp.local."
#: How often a hub on all addresses looks whether they are still the same (s).
FOLLOW_S = 5.0
#: The first IPv4 address of an interface, netdevice(7).
_SIOCGIFADDR = 0x8915


def _name(address: Address) -> str:
    return f"{address.event}-{address.hall}.{SERVICE}"


@contextlib.contextmanager
def announced(address: Address, port: int, host: str, interfaces: list[str] | None = None) -> Iterator[bool]:
    """While inside, the hub answers those who look for it; False if that is not possible here.

    A hub on all addresses (`host` "0.0.0.0") may start before its network does: its addresses are looked at again every
    few seconds, and what is announced follows them.
    """
    everywhere = host in ("0.0.0.0", "::")
    places = _own_addresses() if everywhere else [host]
    answering = _answer(address, port, places, interfaces)
    began = answering is not None
    ended = threading.Event()

    def follow() -> None:
        nonlocal answering, places
        while not ended.wait(FOLLOW_S):
            now = _own_addresses()
            if now != places:
                if answering is not None:
                    answering.close()
                places, answering = now, _answer(address, port, now, interfaces)

    following = threading.Thread(target=follow, name="announcements", daemon=True)
    if everywhere:
        following.start()
    try:
        yield began
    finally:
        ended.set()
        if everywhere:
            following.join()
        if answering is not None:
            answering.close()


def _answer(address: Address, port: int, places: list[str], interfaces: list[str] | None) -> Zeroconf | None:
    """Answers for a hub at these addresses until it is closed; None if that is not possible here."""
    answering: Zeroconf | None = None
    try:
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
        return None
    return answering


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
    """This machine's addresses; the loopback's if it has no other. A hall's network need not lead anywhere."""
    addresses: set[str] = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _index, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # an interface without an address
                request = struct.pack("256s", os.fsencode(name)[:15])
                addresses.add(socket.inet_ntoa(fcntl.ioctl(asking, _SIOCGIFADDR, request)[20:24]))
    return sorted(place for place in addresses if not place.startswith("127.")) or ["127.0.0.1"]
