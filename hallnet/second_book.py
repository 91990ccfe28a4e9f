"""The tournament's decisions a second time, in a file beside the log, on the disk before anybody hears of them.

Tables send again what they have recorded, so a log that was destroyed loses nothing of theirs. What the arbiter and the
hub decided (a pairing, a ruling, a key) nobody can tell again: the last copy of the log is up to a minute old. So every
step writes its rows of the tournament and of the keys here too, and what a rescued copy lacks is read from here.

One JSON line for each row, with a checksum; the last line may be torn by a power cut. After each copy of the log a new
book is begun, and the one before is kept as long as the copy before.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hallnet.hall_log import HallLog, Position

log = logging.getLogger(__name__)

#: Which log a row belongs to: the tournament's, or that of the keys.
Line = tuple[str, int, tuple[Any, ...]]
_PARTS = ("tournament", "keys")
#: Bytes of rows that are written at a time.
_PIECE = 1_000_000


class SecondBook:
    """The book at `path` of one log. Use one from one thread at a time, except `turn_over`."""

    def __init__(self, path: Path, hall_log: HallLog) -> None:
        self.path = path
        self.failed = ""
        self._log = hall_log
        self._turn_over = False
        self._fd = -1
        self._reached = Position(0, 0, 0)

    def open(self) -> None:
        """Go on after what is there, and write what is missing; another log's book is moved aside."""
        end = self._log.position()
        books = (_before(self.path), self.path)
        there = {part: number for book in books for part, number, _row in read(book, self._log.id)}
        reached = Position(0, there.get("tournament", 0), there.get("keys", 0))
        foreign = begun_log(self.path) != self._log.id
        if reached.tournament > end.tournament or reached.keys > end.keys or foreign:
            # It tells another future of this log than the one that goes on, or is torn from its first line.
            for path in books:
                with contextlib.suppress(FileNotFoundError):
                    path.replace(path.with_name(path.name + ".other"))
            reached = Position(0, 0, 0)
        elif self.path.exists():
            _mend(self.path)
        self._reached = reached
        self.write()

    def turn_over(self) -> None:
        """A copy of the log is complete: the next row begins a new book. May be called from any thread."""
        self._turn_over = True

    def write(self) -> None:
        """Put on the disk what the log has and the book has not. What goes wrong is in `failed`, in a sentence.

        The hall goes on without a second book: the log itself is whole.
        """
        end = self._log.position()
        if end[1:] == self._reached[1:] and not self._turn_over:
            return
        try:
            if self._turn_over:
                self._turn_over = False
                self._begin_anew()
            while self._reached[1:] != end[1:]:
                after = Position(end.table, self._reached.tournament, self._reached.keys)
                (_table, *parts), upto = self._log.rows(after, end, _PIECE)
                self._append(_lines(parts, self._reached))
                self._reached = upto
            self.failed = ""
        except OSError as error:
            if not self.failed:
                log.error("the second book %s cannot be written: %s", self.path, error)
            self.failed = str(error)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _begin_anew(self) -> None:
        self.close()
        with contextlib.suppress(FileNotFoundError):
            self.path.replace(_before(self.path))

    def _append(self, lines: Iterable[Line]) -> None:
        if self._fd < 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            if os.fstat(self._fd).st_size == 0:
                os.write(self._fd, _written({"log": self._log.id}))
                folder = os.open(self.path.parent, os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)
        data = b"".join(_written([part, number, *row]) for part, number, row in lines)
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)


def read(path: Path, log_id: str) -> Iterator[Line]:
    """The rows in a book of the log `log_id`, up to the first line that is damaged or torn."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return
    for n, line in enumerate(lines):
        value = _value(line)
        if n == 0 and (not isinstance(value, dict) or value.get("log") != log_id):
            return
        if n == 0:
            continue
        if not isinstance(value, list) or len(value) < 3 or value[0] not in _PARTS:
            return
        yield value[0], int(value[1]), tuple(value[2:])


def go_on(hall_log: HallLog, path: Path) -> int:
    """Add to a rescued log what the books at `path` have beyond it, without a gap; how many rows."""
    found = {(part, number): row for book in (_before(path), path) for part, number, row in read(book, hall_log.id)}
    end = hall_log.position()
    rows: dict[str, list[Sequence[Any]]] = {part: [] for part in _PARTS}
    for part, last in zip(_PARTS, end[1:], strict=True):
        while (row := found.get((part, last + 1))) is not None:
            rows[part].append(row)
            last += 1
    with hall_log.transaction():
        hall_log.copy_rows((), rows["tournament"], rows["keys"])
    return len(rows["tournament"]) + len(rows["keys"])


def begun_log(path: Path) -> str:
    """The id of the log that the newest book is about, "" if there is none."""
    for book in (path, _before(path)):
        with contextlib.suppress(OSError), book.open("rb") as file:
            value = _value(file.readline().rstrip(b"\n"))
            return str(value.get("log", "")) if isinstance(value, dict) else ""
    return ""


def _lines(parts: Sequence[Sequence[Sequence[Any]]], after: Position) -> Iterator[Line]:
    for part, rows, last in zip(_PARTS, parts, after[1:], strict=True):
        for number, row in enumerate(rows, last + 1):
            yield part, number, tuple(row)


def _before(path: Path) -> Path:
    return path.with_name(path.name + ".1")


def _written(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _value(line: bytes) -> Any:
    """The value of a line, None for one that is damaged."""
    with contextlib.suppress(ValueError, UnicodeDecodeError):
        if len(line) > 9 and int(line[:8], 16) == zlib.crc32(line[9:]):
            return json.loads(line[9:])
    return None


def _mend(path: Path) -> None:
    """Cut off a torn last line, so that what is written next begins a line of its own."""
    data = path.read_bytes()
    whole = 0
    for line in data.split(b"\n"):
        if _value(line) is None:
            break
        whole += len(line) + 1
    if whole < len(data):
        os.truncate(path, whole)
