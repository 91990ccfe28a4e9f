"""Ed25519 keys in the form the transport uses ("nkeys"), and what a client needs to be let in.

A public key is a text of 56 letters and digits that begins with U, a private one begins with SU. The private half
stays in a file of its device, readable by its owner alone.
"""

from __future__ import annotations

import base64
import binascii
import os
import ssl
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from hallnet.errors import HallnetError

#: Prefix bytes of the transport's key texts: a seed, a user.
_SEED = 18 << 3
_USER = 20 << 3
#: The name in the certificate of every hall's server; addresses change, this does not.
SERVER_NAME = "hallkiosk-hub"
#: OpenSSL's X509_V_FLAG_NO_CHECK_TIME: a table without a battery-backed clock may believe it is 1970.
_NO_CHECK_TIME = 0x20_0000


class KeyFault(HallnetError):
    """A key or certificate cannot be read, made or used; str() says what to do."""


class Key:
    """A private key; `public` is what the hub may know."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public = _text(bytes((_USER,)) + raw)

    @classmethod
    def make(cls) -> Key:
        """A new one."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def of(cls, raw: bytes) -> Key:
        """The key made of 32 bytes."""
        return cls(Ed25519PrivateKey.from_private_bytes(raw))

    @classmethod
    def from_seed(cls, seed: str) -> Key:
        """The key of a text that begins with SU. Raises `KeyFault`."""
        data = _data(seed)
        if len(data) != 34 or data[0] & 0xF8 != _SEED or (data[0] & 7) << 5 | data[1] >> 3 != _USER:
            raise KeyFault(_("this is no private key: it must begin with SU and have 58 letters and digits"))
        return cls(Ed25519PrivateKey.from_private_bytes(data[2:]))

    @classmethod
    def load(cls, path: Path) -> Key:
        """The key in a file. Raises `KeyFault` with what to do."""
        try:
            text = path.read_text(encoding="ascii")
            mode = path.stat().st_mode
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise KeyFault(
                _("the key {path} cannot be read ({error}): enrol this device (hallkiosk enrol)").format(
                    path=path, error=reason
                )
            ) from error
        if mode & 0o077:
            raise KeyFault(_("others may read the key {path}: chmod 600 {path}").format(path=path))
        return cls.from_seed(text.strip())

    @classmethod
    def load_or_make(cls, path: Path) -> Key:
        """The key in a file, which is made if it is not there. Raises `KeyFault`."""
        if not path.exists():
            key = cls.make()
            key.save(path)
            return key
        return cls.load(path)

    @property
    def seed(self) -> str:
        """The private half as text."""
        raw = self._private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return _text(bytes((_SEED | _USER >> 5, (_USER & 31) << 3)) + raw)

    def save(self, path: Path) -> None:
        """Write the private half to a new file for its owner alone, and see it on the disk. Raises `KeyFault`."""
        write_new(path, self.seed.encode() + b"\n", 0o600)

    def sign(self, nonce: str) -> bytes:
        """The signature of the server's challenge, as the transport wants it."""
        return base64.b64encode(self._private.sign(nonce.encode()))


def is_public(text: str) -> bool:
    """Is this the public key of a user?"""
    try:
        data = _data(text)
    except KeyFault:
        return False
    return len(data) == 33 and data[0] == _USER


def verify(public: str, text: str, signature: str) -> None:
    """Whether `public` has signed `text`. Raises `KeyFault` for what is no key, `InvalidSignature`, `ValueError`."""
    if not is_public(public):
        raise KeyFault(_("this is no key: letters and digits are wrong or missing"))
    Ed25519PublicKey.from_public_bytes(_data(public)[1:]).verify(base64.b64decode(signature), text.encode())


def write_new(path: Path, content: bytes, mode: int) -> None:
    """Replace a file by one that is on the disk when this returns, with these rights from its first moment.

    Raises `KeyFault`.
    """
    new = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            os.write(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)
        new.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise KeyFault(
            _("{path} cannot be written ({error}): check the folder and who owns it").format(
                path=path, error=error.strerror
            )
        ) from error


@dataclass(frozen=True, slots=True)
class Credentials:
    """How a client proves who it is (`key`), and by whose certificate it knows the server (`ca`, a PEM file).

    `trust_any` accepts any server: only while a device is enrolled, where a person compares codes.
    """

    key: Key
    ca: Path | None = None
    trust_any: bool = False

    @classmethod
    def load(cls, key: Path, ca: Path) -> Credentials:
        """From two files. Raises `KeyFault`."""
        found = cls(Key.load(key), ca)
        found.tls()
        return found

    def tls(self) -> ssl.SSLContext:
        """The client's side of TLS. Raises `KeyFault` when the certificate is none or not there."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.trust_any or self.ca is None:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            return context
        try:
            context.load_verify_locations(self.ca)
        except (OSError, ssl.SSLError) as error:
            raise KeyFault(
                _("the hall's certificate {path} cannot be read ({error}): enrol this device again").format(
                    path=self.ca, error=error
                )
            ) from error
        # Whether the CA has run out is looked at by `hallnet.ca.check_dates`, with a better idea of the time.
        context.verify_flags |= _NO_CHECK_TIME
        return context


def _text(data: bytes) -> str:
    return base64.b32encode(data + _crc(data)).decode().rstrip("=")


def _data(text: str) -> bytes:
    try:
        data = base64.b32decode(text + "=" * (-len(text) % 8))
    except (ValueError, binascii.Error):
        data = b""
    if len(data) < 3 or _crc(data[:-2]) != data[-2:]:
        raise KeyFault(_("this is no key: letters and digits are wrong or missing"))
    return data[:-2]


def _crc(data: bytes) -> bytes:
    """CRC-16/XMODEM, low byte first."""
    return binascii.crc_hqx(data, 0).to_bytes(2, "little")
