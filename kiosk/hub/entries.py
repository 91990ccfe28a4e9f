"""The list of entries as a file: CSV, or a tournament report (TRF); gzip-compressed ones are read as they are."""

from __future__ import annotations

import gzip
import zlib
from gettext import gettext as _
from pathlib import Path

from rules.interchange.csv_entries import read_entries
from rules.interchange.errors import InterchangeError
from rules.interchange.trf import entries_from_trf, read_trf
from rules.tournament.entries import Entry

_GZIP = b"\x1f\x8b"


class EntriesError(ValueError):
    """There are no usable entries; str() says where and what to do."""


def load_entries(path: Path | None) -> tuple[Entry, ...]:
    """The entries in a file, without results. Raises `EntriesError`."""
    if path is None:
        raise EntriesError(_('there are no entries: name a CSV or TRF file with "entries" in the settings'))
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EntriesError(
            _("{file} cannot be read ({reason}): name another file").format(file=path, reason=reason)
        ) from None
    try:
        if any(line.startswith(b"001 ") for line in data.splitlines()):
            return entries_from_trf(read_trf(data, str(path))[0])
        return read_entries(data, str(path))
    except InterchangeError as error:
        raise EntriesError(str(error)) from None
