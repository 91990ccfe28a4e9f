"""The data folder, the log in it, who holds it, and the keys beside it."""

from __future__ import annotations

import datetime
import fcntl
import os
import shutil
import sqlite3
import stat
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from cryptography import x509

from hallnet.errors import HallnetError
from hallnet.keys import Key
from kiosk.doctor.findings import Finding, failed, passed, skipped
from kiosk.hub.disk import FEW, LEAST_MB, SLOWEST_MS, file_system, probe

#: A certificate that ends sooner is told.
SOON_DAYS = 30
FORGETFUL = frozenset({"tmpfs", "ramfs", "squashfs", "overlay"})


@dataclass(frozen=True, slots=True)
class FolderSeen:
    """A data folder: free room, file system, the 99th percentile of a synced write; `fault` if it cannot be used."""

    path: str
    free_mb: int = 0
    kind: str = ""
    sync_ms: int = 0
    fault: str = ""


def look_at_folder(path: Path) -> FolderSeen:
    """Writes to the folder, which is made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        kind, _options = file_system(path)
        return FolderSeen(str(path), shutil.disk_usage(path).free // 1_000_000, kind, probe(path, FEW))
    except OSError as error:
        return FolderSeen(str(path), fault=error.strerror or str(error))


def check_folder(seen: FolderSeen) -> list[Finding]:
    """Room, speed, and whether it outlives a power cut."""
    if seen.fault:
        return [
            failed("disk", "write", _("{path} cannot be written: {why}.").format(path=seen.path, why=seen.fault),
                   _("Give the folder to the user who runs hallkiosk, or name another: data = …"))
        ]  # fmt: skip
    room = _("{free} MB free at {path}").format(free=seen.free_mb, path=seen.path)
    speed = _("What is written is safe on the disk after {ms} ms.").format(ms=seen.sync_ms)
    return [
        failed("disk", "free", room, _("Make room: {least} MB at least.").format(least=LEAST_MB))
        if seen.free_mb < LEAST_MB
        else passed("disk", "free", room),
        failed("disk", "write", speed, _("Use a better card or an SSD: {most} ms are allowed.").format(most=SLOWEST_MS))
        if seen.sync_ms > SLOWEST_MS
        else passed("disk", "write", speed),
        failed("disk", "lasting", _("{kind} forgets at a power cut.").format(kind=seen.kind),
               _("Name a folder on the card or an SSD: data = …"))
        if seen.kind in FORGETFUL
        else passed("disk", "lasting", _("File system {kind}").format(kind=seen.kind or _("not told"))),
    ]  # fmt: skip


# -- the log ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogSeen:
    """A log: whether it is there, SQLite's verdict ("ok"), its size."""

    path: str
    there: bool
    verdict: str = ""
    size: int = 0


def look_at_log(path: Path) -> LogSeen:
    """SQLite's quick check, on a log that may be in use."""
    if not path.exists():
        return LogSeen(str(path), False)
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5) as log:
            (verdict,) = log.execute("PRAGMA quick_check(1)").fetchone()
        log.close()
    except sqlite3.Error as error:
        verdict = str(error)
    return LogSeen(str(path), True, str(verdict), path.stat().st_size)


def check_log(seen: LogSeen) -> Finding:
    """Whether what was recorded can be read."""
    if not seen.there:
        return skipped(
            "disk", "log", _("{path} is not there yet: it is made at the first start.").format(path=seen.path)
        )
    if seen.verdict == "ok":
        return passed("disk", "log", _("{path}: sound, {size} kB").format(path=seen.path, size=seen.size // 1000))
    return failed(
        "disk", "log", _("{path} is damaged: {verdict}.").format(path=seen.path, verdict=seen.verdict),
        _("Copy the file away now; at its next start the service sets it aside and fetches its events again."),
    )  # fmt: skip


def lock_owner(path: Path) -> int | None:
    """The process that holds a lock file (0: one that has not written its number); None if nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        text = os.read(fd, 32).strip()
        return int(text) if text.isdigit() else 0
    finally:
        os.close(fd)
    return None


# -- keys -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeySeen:
    """A private key: its rights, what is wrong with it ("" nothing)."""

    path: str
    mode: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class CertificateSeen:
    """A certificate: when it ends; `fault` if it cannot be read."""

    path: str
    ends: datetime.datetime | None
    fault: str = ""


def look_at_key(path: Path, pem: bool = False) -> KeySeen:
    """A key as text, or (`pem`) one of the hall's certificates, of which only the rights are looked at."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        return KeySeen(str(path), 0, error.strerror or str(error))
    if pem or mode & 0o077:
        return KeySeen(str(path), mode)
    try:
        Key.load(path)
    except HallnetError as error:
        return KeySeen(str(path), mode, str(error))
    return KeySeen(str(path), mode)


def look_at_certificate(path: Path) -> CertificateSeen:
    """Reads a certificate."""
    try:
        return CertificateSeen(str(path), x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc)
    except OSError as error:
        return CertificateSeen(str(path), None, error.strerror or str(error))
    except ValueError as error:
        return CertificateSeen(str(path), None, str(error))


def check_key(seen: KeySeen) -> Finding:
    """A key that only its owner may read."""
    name = f"key.{Path(seen.path).name}"
    if seen.fault:
        return failed("keys", name, _("{path}: {why}").format(path=seen.path, why=seen.fault),
                      _("Enrol this device again: hallkiosk enrol device."))  # fmt: skip
    if seen.mode & 0o077:
        return failed(
            "keys", name, _("Others may read {path} ({mode:o}).").format(path=seen.path, mode=seen.mode),
            _("chmod 600 {path}").format(path=seen.path),
        )  # fmt: skip
    return passed("keys", name, _("{path}, for its owner alone").format(path=seen.path))


def check_certificate(seen: CertificateSeen, now: datetime.datetime) -> Finding:
    """A certificate that does not end soon."""
    name = f"certificate.{Path(seen.path).name}"
    if seen.ends is None:
        return failed("keys", name, _("{path}: {why}").format(path=seen.path, why=seen.fault),
                      _("Enrol this device again: hallkiosk enrol device."))  # fmt: skip
    what = _("{path} is good until {date}").format(path=seen.path, date=seen.ends.date())
    if seen.ends - now < datetime.timedelta(days=SOON_DAYS):
        return failed("keys", name, what, _("Make a new hall and enrol all devices again."))
    return passed("keys", name, what)
