"""How a device gets its key known to the hub: both show the same six characters, and a person compares. Pure.

Device and hub each choose a random number and first send only its hash. Then the device shows its number, then the hub.
The code on both screens is made of both numbers, the device's key, the hall's CA and its address; so somebody between
the two, who needs the same code on both sides with other keys, has to choose his numbers before he knows the others:
one guess in 32^6 = 2^30.

    device                                    hub
      hello: key, hash of its number  ──────▶
                                      ◀────── offer: CA, hash of its number
      reveal: its number              ──────▶   checks it against the hash
      checks it against the hash      ◀────── reveal: its number
      shows the code                            the arbiter types the code he reads there
                                      ◀────── accepted: what the device is now called
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Literal

from hallnet.ca import fingerprint
from hallnet.keyring import Role
from hallnet.keys import Key, KeyFault, is_public
from hallnet.wire import Address, Message, WireError

#: Letters and digits that nobody mixes up.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 6
WRONG_TRIES = 3
OPEN_MS = 10 * 60_000
MOST_DEVICES = 16
#: The key everybody knows: it is let in only while enrolment is open and for a moment after, to its own few subjects.
EVERYBODY = Key.of(hashlib.sha256(b"hallkiosk enrolment, known to everybody").digest())


class Hello(Message, frozen=True, kw_only=True):
    """Device → hub: its public key, the hash of its number, what names it to people."""

    public: str
    commit: str
    serial: str = ""


class Reveal(Message, frozen=True, kw_only=True):
    """Device → hub: its number (hex)."""

    public: str
    nonce: str


class Offer(Message, frozen=True, kw_only=True):
    """Hub → device: the hall's CA (PEM), its address, the hash of the hub's number."""

    ca: str
    event: str
    hall: str
    commit: str


class Revealed(Message, frozen=True, kw_only=True):
    """Hub → device: its number (hex); now both can compute the code."""

    nonce: str


class Verdict(Message, frozen=True, kw_only=True):
    """Hub → device: accepted as `role` `name`, or not (`why`)."""

    ok: bool
    role: str = ""
    name: str = ""
    why: str = ""


def device_token(public: str) -> str:
    """The device's part of a subject, from its key."""
    return public[:16].lower()


def commitment(side: Literal["device", "hub"], nonce: bytes, bound: str) -> str:
    """The hash of a number that also binds what its owner claims to be."""
    return hashlib.sha256(b"hallkiosk enrol 1\0" + side.encode() + b"\0" + nonce + bound.encode()).hexdigest()


def code(device_nonce: bytes, hub_nonce: bytes, public: str, ca: str, address: Address) -> str:
    """The six characters that both screens show. Raises `KeyFault` for a CA that is none."""
    parts = (device_nonce, hub_nonce, public.encode(), fingerprint(ca.encode()).encode(), address.root.encode())
    digest = hashlib.sha256(b"hallkiosk code 1" + b"".join(len(p).to_bytes(2, "big") + p for p in parts)).digest()
    number = int.from_bytes(digest[:8], "big")
    return "".join(ALPHABET[number >> 5 * n & 31] for n in range(CODE_LENGTH))


class DeviceSide:
    """The device's part: give it what the hub says, send what it returns, show `code` once there is one."""

    def __init__(self, key: Key, serial: str, nonce: bytes = b"", known_ca: str = "") -> None:
        self.key = key
        self.code = ""
        self.ca = known_ca
        self.address: Address | None = None
        self._serial = serial
        self._nonce = nonce or secrets.token_bytes(16)
        self._known_ca = known_ca
        self._offer: Offer | None = None

    def hello(self) -> Hello:
        """What to send first, and again until there is an offer."""
        return Hello(
            public=self.key.public, commit=commitment("device", self._nonce, self.key.public), serial=self._serial
        )

    def offered(self, offer: Offer) -> Reveal | None:
        """The hub's offer: our number goes out only now. Raises `KeyFault` if it is another hall than the card's."""
        if self._known_ca and fingerprint(offer.ca.encode()) != fingerprint(self._known_ca.encode()):
            raise KeyFault(_("this is another hall's hub than the one that wrote this card: ask the arbiter"))
        if self._offer is None:
            fingerprint(offer.ca.encode())
            self._offer, self.ca = offer, offer.ca
            self.address = Address(offer.event, offer.hall)
        return Reveal(public=self.key.public, nonce=self._nonce.hex())

    def revealed(self, answer: Revealed) -> None:
        """The hub's number; raises `KeyFault` when it is not the one it had chosen before."""
        if self._offer is None or self.address is None:
            return
        nonce = _nonce(answer.nonce)
        if not hmac.compare_digest(commitment("hub", nonce, self._offer.ca), self._offer.commit):
            raise KeyFault(_("somebody is between this device and the hub: do not go on, tell the arbiter"))
        self.code = code(self._nonce, nonce, self.key.public, self._offer.ca, self.address)


@dataclass(slots=True)
class Candidate:
    """A device that wants to come in; `code` is what its screen must show."""

    public: str
    serial: str
    commit: str
    nonce: bytes
    code: str = ""


@dataclass(slots=True)
class HubSide:
    """The hub's part while enrolment is open, for one holder: until `until` (wall ms) or three wrong codes."""

    ca: str
    address: Address
    role: Role
    name: str
    until: int
    by: str
    wrong: int = 0
    candidates: dict[str, Candidate] = field(default_factory=dict)

    def hello(self, token: str, hello: Hello, nonce: bytes = b"") -> Offer | None:
        """A device says hello; None: not now. Raises `WireError` for a key that is none, or not the subject's."""
        if not is_public(hello.public) or device_token(hello.public) != token:
            raise WireError(_("this is no device's key"))
        found = self.candidates.get(token)
        if found is None or found.commit != hello.commit:
            if len(self.candidates) >= MOST_DEVICES:
                return None
            found = Candidate(hello.public, hello.serial[:32], hello.commit, nonce or secrets.token_bytes(16))
            self.candidates[token] = found
        return Offer(
            ca=self.ca,
            event=self.address.event,
            hall=self.address.hall,
            commit=commitment("hub", found.nonce, self.ca),
        )

    def reveal(self, token: str, reveal: Reveal) -> Revealed | None:
        """The device's number; None when it is not the one it had chosen before."""
        found = self.candidates.get(token)
        if found is None:
            return None
        nonce = _nonce(reveal.nonce)
        if not hmac.compare_digest(commitment("device", nonce, found.public), found.commit):
            del self.candidates[token]
            return None
        found.code = code(nonce, found.nonce, found.public, self.ca, self.address)
        return Revealed(nonce=found.nonce.hex())

    def accept(self, typed: str) -> Candidate | None:
        """The device whose code the arbiter has read on its screen; None counts as a wrong try."""
        wanted = "".join(typed.upper().split())
        for candidate in self.candidates.values():
            if candidate.code and hmac.compare_digest(candidate.code.encode(), wanted.encode("utf-8", "replace")):
                return candidate
        self.wrong += 1
        return None

    @property
    def closed(self) -> bool:
        """Were there three wrong codes?"""
        return self.wrong >= WRONG_TRIES


def _nonce(text: str) -> bytes:
    try:
        nonce = bytes.fromhex(text)
    except ValueError:
        nonce = b""
    if len(nonce) != 16:
        raise WireError(_("this is no number of an enrolment"))
    return nonce
