"""The hall's certificate authority goes to the standby, over the hall's own network, for its eyes alone.

The standby makes a key pair for this one exchange and signs its public half with the key it was enrolled with; the hub
answers only a standby whose key is in force, sealed for that public half (X25519, HKDF-SHA256, ChaCha20-Poly1305). So
neither the transport's server nor another device that hears the subject can read it, and nobody carries a folder by
hand. The standby takes only the authority that it was given at its own enrolment.
"""

from __future__ import annotations

import base64
import json
import os
from gettext import gettext as _
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hallnet.ca import fingerprint, is_pair
from hallnet.keys import Key, KeyFault, verify, write_new
from hallnet.wire import Address, Message, WireError

_PURPOSE = b"hallkiosk keys 1"
FILES = ("ca.pem", "ca.key")


class Want(Message, frozen=True, kw_only=True):
    """Standby → hub on `repl.want`: its enrolled key, its public half for this exchange (hex), the signature of it."""

    public: str
    box: str
    sign: str


class Sealed(Message, frozen=True, kw_only=True):
    """Hub → standby on `repl.keys`: the hub's public half (hex), and what only the holder of `box` opens (base64)."""

    box: str
    hub: str
    sealed: str


class Wanter:
    """The standby's part: `want` is what to send, `take` what to do with the answer."""

    def __init__(self, key: Key, address: Address) -> None:
        self._private = X25519PrivateKey.generate()
        self._address = address
        self._box = _raw(self._private.public_key())
        signature = key.sign(_signed(self._box, address)).decode("ascii")
        self.want = Want(public=key.public, box=self._box.hex(), sign=signature)

    def take(self, answer: Sealed, folder: Path, ca: Path) -> bool:
        """Write the authority into `folder`; False: the answer is for another question. Raises `KeyFault`.

        `ca` is the certificate from this device's enrolment.
        """
        if answer.box != self.want.box:
            return False
        try:
            hub = bytes.fromhex(answer.hub)
            secret = _secret(self._private, hub, self._box, hub, self._address)
            files = json.loads(ChaCha20Poly1305(secret).decrypt(bytes(12), base64.b64decode(answer.sealed), None))
            pem, key = (str(files[name]).encode("ascii") for name in FILES)
        except (ValueError, KeyError, TypeError, InvalidTag) as error:
            raise KeyFault(_("the hub's keys could not be opened: they were changed on the way")) from error
        if fingerprint(pem) != fingerprint(ca.read_bytes()) or not is_pair(pem, key):
            raise KeyFault(_("these are not the keys of the hall that enrolled this standby: ask the arbiter"))
        # The certificate last: it tells the next start that all is there.
        write_new(folder / "ca.key", key, 0o600)
        write_new(folder / "ca.pem", pem, 0o644)
        return True


def checked(want: Want, address: Address) -> None:
    """Raises `WireError` unless the wish is signed with the key it names."""
    try:
        verify(want.public, _signed(bytes.fromhex(want.box), address), want.sign)
    except (ValueError, InvalidSignature, KeyFault) as error:
        raise WireError(_("a wish for the hall's keys is not signed by the one who sends it")) from error


def seal(want: Want, folder: Path, address: Address) -> Sealed:
    """The authority in `folder` for the holder of `want.box`. Raises `OSError` and `WireError`."""
    try:
        box = bytes.fromhex(want.box)
        private = X25519PrivateKey.generate()
        hub = _raw(private.public_key())
        secret = _secret(private, box, box, hub, address)
    except ValueError as error:
        raise WireError(_("not understood: {error}").format(error=error)) from error
    content = json.dumps({name: (folder / name).read_text(encoding="ascii") for name in FILES}).encode("ascii")
    # The secret is good for this one message, so its number may be zero.
    sealed = ChaCha20Poly1305(secret).encrypt(bytes(12), content, None)
    return Sealed(box=want.box, hub=hub.hex(), sealed=base64.b64encode(sealed).decode("ascii"))


def has_keys(folder: Path) -> bool:
    """Is the hall's authority there?"""
    return all(os.access(folder / name, os.R_OK) for name in FILES)


def _secret(private: X25519PrivateKey, theirs: bytes, box: bytes, hub: bytes, address: Address) -> bytes:
    shared = private.exchange(X25519PublicKey.from_public_bytes(theirs))
    return HKDF(SHA256(), 32, None, _PURPOSE + address.root.encode() + b"\0" + box + hub).derive(shared)


def _raw(key: X25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def _signed(box: bytes, address: Address) -> str:
    return f"{_PURPOSE.decode()} {address.root} {box.hex()}"
