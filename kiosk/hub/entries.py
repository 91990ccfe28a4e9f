"""The list of entries as a file: CSV, or a tournament report (TRF); gzip-compressed ones are read as they are."""

from __future__ import annotations

import codecs
import gzip
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import IO

from rules.interchange.csv_entries import read_entries
from rules.interchange.errors import InterchangeError
from rules.interchange.rating_index import wanted_only
from rules.interchange.rating_list import RatedPlayer, read_rating_list
from rules.interchange.trf import TrfEvent, entries_from_trf, read_trf
from rules.tournament.entries import Entry
from rules.tournament.list_events import Origin
from rules.tournament.list_intents import LoadList

#: Who must not meet: names as in the list of entries, or FIDE ids.
Group = tuple[str | int, ...]
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
#: So many bytes of a rating list are read at once.
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class ListFile:
    """A rating list as a file: the day from which it holds ("YYYY/MM/DD"), its name, whether it is FIDE's own."""

    path: Path
    valid_from: str
    name: str
    origin: Origin = "FIDE"


class EntriesError(ValueError):
    """There are no usable entries; str() says where and what to do."""


def load_entries(path: Path | None) -> tuple[Entry, ...]:
    """The entries in a file, without results. Raises `EntriesError`."""
    data = _bytes_of(path)
    try:
        if _is_report(data):
            return entries_from_trf(read_trf(data, str(path))[0])
        return read_entries(data, str(path))
    except InterchangeError as error:
        raise EntriesError(str(error)) from None


def load_report(path: Path | None) -> TrfEvent:
    """The report that an event goes on from. Raises `EntriesError`."""
    data = _bytes_of(path)
    if not _is_report(data):
        raise EntriesError(
            _("{file}: only a tournament report (TRF) can be continued, not a list of entries").format(file=path)
        )
    try:
        return read_trf(data, str(path))[0]
    except InterchangeError as error:
        raise EntriesError(str(error)) from None


def _is_report(data: bytes) -> bool:
    return any(line.startswith(b"001 ") for line in data.removeprefix(codecs.BOM_UTF8).splitlines())


def _bytes_of(path: Path | None) -> bytes:
    if path is None:
        raise EntriesError(_('there are no entries: name a CSV or TRF file with "entries" in the settings'))
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EntriesError(
            _("{file} cannot be read ({reason}): name another file").format(file=path, reason=reason)
        ) from None


def numbers_of(group: Group, entries: Iterable[Entry]) -> tuple[int, ...]:
    """The pairing numbers of players named as in the entries, or by FIDE id. Raises `EntriesError`."""
    listed = tuple(entries)
    numbers = []
    for who in group:
        found = [e.tpn for e in listed if (e.fide_id == who if isinstance(who, int) else _same(e.name, who))]
        if len(found) != 1:
            what = _("{count} entries are called so").format(count=len(found)) if found else _("no entry is called so")
            remedy = _("write the name as in the list of entries, or the FIDE id")
            raise EntriesError(_("forbidden: {who!r}: {what}; {remedy}").format(who=who, what=what, remedy=remedy))
        numbers += found
    return tuple(numbers)


def _same(name: str, other: str) -> bool:
    return name.casefold().split() == other.casefold().split()


def load_list(source: ListFile, entries: Iterable[Entry], day: str) -> LoadList:
    """A rating list, of which only the rows are kept that can be somebody of the entries. Raises `EntriesError`.

    FIDE's lists in text or XML, as they are or packed with gzip or zip; two million rows take seconds, not memory.
    """
    try:
        with source.path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start.startswith(_ZIP):
                with zipfile.ZipFile(file) as packed, packed.open(_largest(packed)) as member:
                    players = _rows(member, source, entries)
            elif start.startswith(_GZIP):
                with gzip.open(file) as unpacked:
                    players = _rows(unpacked, source, entries)
            else:
                players = _rows(file, source, entries)
    except InterchangeError as error:
        raise EntriesError(str(error)) from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EntriesError(
            _("{file} cannot be read ({reason}): name another file").format(file=source.path, reason=reason)
        ) from None
    return LoadList(source.name, source.valid_from, players, day, source.origin)


def _largest(packed: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The list among what else may be packed with it. Raises BadZipFile when there is nothing."""
    files = [member for member in packed.infolist() if not member.is_dir()]
    if not files:
        raise zipfile.BadZipFile(_("nothing is packed in it"))
    return max(files, key=lambda member: member.file_size)


def _rows(file: IO[bytes] | gzip.GzipFile, source: ListFile, entries: Iterable[Entry]) -> tuple[RatedPlayer, ...]:
    pieces = iter(lambda: file.read(_PIECE), b"")
    return tuple(wanted_only(read_rating_list(pieces, source.path.name), tuple(entries)))
