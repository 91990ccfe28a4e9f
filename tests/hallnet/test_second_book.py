"""The second book: what was decided is there twice, whatever becomes of the log."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hallnet.hall_log import HallLog
from hallnet.keyring import KeyEvent
from hallnet.second_book import SecondBook, begun_log, go_on, read


class Hub:
    """A log with its second book."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.log = HallLog.open(folder / "hall.db")
        self.book = SecondBook(folder / "decisions.jsonl", self.log)
        self.book.open()
        self.count = 0

    def decide(self, rows: int = 1, keys: int = 0) -> None:
        """So many decisions are made and written."""
        with self.log.transaction():
            for _n in range(rows):
                self.count += 1
                self.log.copy_rows([], [("noted", self.count, f'{{"ő":{self.count}}}', None, None, None)], [])
            self.log.append_keys([KeyEvent(1, "granted", "U", "table", str(n), "x") for n in range(keys)])
        self.book.write()

    def content(self) -> list[list[tuple[object, ...]]]:
        """All rows of the tournament and of the keys."""
        return rows(self.log)

    def close(self) -> None:
        """Ends."""
        self.book.close()
        self.log.close()


def rows(log: HallLog) -> list[list[tuple[object, ...]]]:
    """All rows of the tournament and of the keys."""
    query = "SELECT * FROM {} ORDER BY n"
    return [log._connection.execute(query.format(t)).fetchall() for t in ("tournament_events", "key_events")]


def rescued(hub: Hub, copy: Path | None, to: Path) -> HallLog:
    """The log is gone: what comes of a copy and the book."""
    to.mkdir()
    if copy is not None:
        shutil.copy(copy, to / "hall.db")
    log = HallLog.open(to / "hall.db")
    if copy is None:
        log.become(begun_log(hub.book.path))
    go_on(log, hub.book.path)
    return log


def copied(hub: Hub, name: str) -> Path:
    """A copy of the log as of now."""
    from hallnet.backup import backup

    backup(hub.log.path, hub.folder / name)
    return hub.folder / name


def test_a_log_without_any_copy_is_whole_again(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "hub")
    for _n in range(5):
        hub.decide(3, keys=1)
    log = rescued(hub, None, tmp_path / "new")
    assert rows(log) == hub.content()
    assert log.id == hub.log.id
    log.close()
    hub.close()


def test_the_newest_copy_and_the_one_before_are_both_completed(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "hub")
    hub.decide(4)
    first = copied(hub, "copy-1.db")
    hub.book.turn_over()
    hub.decide(3)
    second = copied(hub, "copy-2.db")
    hub.decide(2)  # committed while the copy was made
    hub.book.turn_over()
    hub.decide(1, keys=2)
    for n, copy in enumerate((first, second)):
        log = rescued(hub, copy, tmp_path / f"new{n}")
        assert rows(log) == hub.content()
        log.close()
    hub.close()


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(st.sampled_from(["decide", "copy", "restart", "tear"]), max_size=14), cut=st.integers(1, 60))
def test_whatever_happens_in_between_nothing_that_was_decided_is_missing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("book")
    hub = Hub(folder / "hub")
    hub.decide()
    copies: list[Path] = []
    for n, step in enumerate(steps):
        match step:
            case "decide":
                hub.decide(1 + n % 3, keys=n % 2)
            case "copy":
                copies = [*copies[-1:], copied(hub, f"copy-{n}.db")]
                hub.book.turn_over()
            case "restart" | "tear":
                count = hub.count
                hub.close()
                if step == "tear" and hub.book.path.exists():
                    # The power went while a line was written, which nobody had heard of.
                    with hub.book.path.open("ab") as file:
                        file.write(b'0badc0de ["tournament",999,"torn"'[:cut])
                hub = Hub(folder / "hub")
                hub.count = count
    for n, copy in enumerate([*copies, *([] if copies else [None])]):
        log = rescued(hub, copy, folder / f"new{n}")
        assert rows(log) == hub.content()
        log.close()
    hub.close()


def test_a_damaged_line_ends_what_is_believed(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "hub")
    hub.decide(6)
    data = bytearray(hub.book.path.read_bytes())
    lines = bytes(data).split(b"\n")
    place = len(b"\n".join(lines[:4])) + 15
    data[place] ^= 4
    hub.book.path.write_bytes(data)
    assert [number for _part, number, _row in read(hub.book.path, hub.log.id)] == [1, 2, 3]
    assert list(read(hub.book.path, "another")) == []
    hub.close()


def test_a_restored_older_log_begins_a_book_of_its_own(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "hub")
    hub.decide(2)
    older = copied(hub, "older.db")
    hub.decide(5)
    hub.close()
    shutil.copy(older, tmp_path / "hub" / "hall.db")
    again = Hub(tmp_path / "hub")
    assert (tmp_path / "hub" / "decisions.jsonl.other").exists()
    assert len(list(read(again.book.path, again.log.id))) == 2
    assert go_on(again.log, again.book.path) == 0
    again.close()


def test_the_hall_goes_on_without_a_second_book_and_catches_up(tmp_path: Path) -> None:
    hub = Hub(tmp_path / "hub")
    hub.decide()
    hub.book.close()
    hub.book.path.unlink()
    hub.book.path.mkdir()
    hub.decide(2)
    assert hub.book.failed
    hub.book.path.rmdir()
    hub.decide(1)
    assert not hub.book.failed
    assert [n for _p, n, _r in read(hub.book.path, hub.log.id)] == [2, 3, 4]
    hub.close()
