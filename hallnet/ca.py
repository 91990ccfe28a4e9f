"""The hall's own certificate authority: made by the hub, known to every device, good for this hall alone.

Both keys are P-256. The CA lives for twenty years: a hall must open whatever its clocks say.
"""

from __future__ import annotations

import datetime
import hashlib
from gettext import gettext as _
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from hallnet.keys import SERVER_NAME, KeyFault, write_new

CA_YEARS = 20
#: Certificates begin long ago, for makers and readers whose clock has not been set.
_BEGIN = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


def ensure(folder: Path, hall: str, now_ms: int) -> None:
    """See that `folder` has `ca.pem`, `ca.key`, `server.pem` and `server.key`; make what is missing. Raises `KeyFault`.

    The server's certificate carries a fixed name and no addresses: a hub may move to another address at any time.
    """
    if not (folder / "ca.pem").exists():
        _make_ca(folder, hall, now_ms)
        _make_server(folder, now_ms)
    if (folder / "server.key").exists() and (folder / "server.pem").exists():
        return
    if not (folder / "ca.key").exists():
        raise KeyFault(
            _("{path} is missing: restore it from the backup of the hub, or move the folder away").format(
                path=folder / "ca.key"
            )
        )
    _make_server(folder, now_ms)


def fingerprint(pem: bytes) -> str:
    """SHA-256 of a certificate in hex. Raises `KeyFault`."""
    return hashlib.sha256(_certificate(pem).public_bytes(Encoding.DER)).hexdigest()


def is_pair(pem: bytes, key: bytes) -> bool:
    """Is this the private key (PEM) of that certificate? Raises `KeyFault` for what is no certificate."""
    try:
        private = load_pem_private_key(key, None)
    except ValueError:
        return False
    public = _certificate(pem).public_key()
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return private.public_key().public_bytes(*form) == public.public_bytes(*form)


def check_dates(pem: bytes, now_ms: int, newest_ms: int = 0) -> None:
    """Raise `KeyFault` when the CA has run out, at the later of the wall clock and the newest time ever stored."""
    ends = _certificate(pem).not_valid_after_utc
    if max(now_ms, newest_ms) > ends.timestamp() * 1000:
        raise KeyFault(
            _("the hall's certificate ran out on {date}: make a new hall and enrol all devices again").format(
                date=ends.date()
            )
        )


def _certificate(pem: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(pem)
    except ValueError as error:
        raise KeyFault(_("this is no certificate: {error}").format(error=error)) from error


def _make_ca(folder: Path, hall: str, now_ms: int) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"hallkiosk {hall}"[:64])])
    certificate = (
        _builder(name, name, key.public_key(), now_ms)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _save(folder / "ca", key, certificate)


def _make_server(folder: Path, now_ms: int) -> None:
    authority = _certificate((folder / "ca.pem").read_bytes())
    ca_key = load_pem_private_key((folder / "ca.key").read_bytes(), None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, SERVER_NAME)])
    certificate = (
        _builder(name, authority.subject, key.public_key(), now_ms)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(SERVER_NAME)]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    _save(folder / "server", key, certificate)


def _builder(
    subject: x509.Name, issuer: x509.Name, public: ec.EllipticCurvePublicKey, now_ms: int
) -> x509.CertificateBuilder:
    now = max(_BEGIN, datetime.datetime.fromtimestamp(now_ms / 1000, datetime.UTC))
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(now + datetime.timedelta(days=365 * CA_YEARS))
    )


def _usage(certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not certificates,
        key_cert_sign=certificates,
        crl_sign=certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _save(stem: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    # The certificate last: what a power cut leaves half made is made again at the next start.
    write_new(stem.with_suffix(".key"), pem, 0o600)
    write_new(stem.with_suffix(".pem"), certificate.public_bytes(Encoding.PEM), 0o644)
