"""Files that people bring: packed with other things, with marks in front, in code pages of all sorts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from kiosk import convert
from kiosk.hub.entries import EntriesError, ListFile, load_entries, load_list
from rules.interchange.rating_list import RatedPlayer, write_rating_list
from rules.tournament.entries import Entry
from tests.rules.test_trf import duel, report, row

ENTRIES = (Entry(1, "Player 7", fide_id=107),)
DATA = b"".join(write_rating_list(RatedPlayer(100 + n, f"Player {n}", standard=2000 + n) for n in range(1, 40)))


def packed(path: Path, members: dict[str, bytes]) -> ListFile:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return ListFile(path, "2026/11/01", "FIDE")


def test_the_list_is_found_among_what_is_packed_with_it(tmp_path: Path) -> None:
    source = packed(
        tmp_path / "list.zip", {"lists/": b"", "lists/readme.txt": b"as of today", "lists/players.txt": DATA}
    )
    assert [p.standard for p in load_list(source, ENTRIES, "2026/11/20").players] == [2007]


def test_a_packed_list_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    folder = packed(tmp_path / "folder.zip", {"lists/": b""})
    with pytest.raises(EntriesError, match=r"folder\.zip cannot be read \(nothing is packed in it\)"):
        load_list(folder, ENTRIES, "2026/11/20")
    secret = packed(tmp_path / "secret.zip", {"players.txt": DATA})
    data = bytearray(secret.path.read_bytes())
    data[6] |= 1  # the flag of encryption, in the member's own header and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    secret.path.write_bytes(bytes(data))
    with pytest.raises(EntriesError, match=r"secret\.zip cannot be read \(.*encrypted"):
        load_list(secret, ENTRIES, "2026/11/20")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_report_of_one_player_is_a_report_whatever_stands_before_it(tmp_path: Path, mark: bytes, end: str) -> None:
    path = tmp_path / "one.trf"
    path.write_bytes(mark + report(row(1, "Anand, V", rating="2750"), end=end))
    assert [(entry.name, entry.rating) for entry in load_entries(path)] == [("Anand, V", 2750)]


@pytest.mark.parametrize("code_page", ["no-such", "rot13", "idna", "undefined", "utf-16", "utf-7", "punycode", ""])
def test_a_code_page_that_does_not_fit_is_refused(tmp_path: Path, code_page: str) -> None:
    source = tmp_path / "names.trf"
    source.write_bytes(report(*duel()).replace(b"Anand, V", b"An\xe4nd, V"))
    if code_page:
        with pytest.raises(convert.ConvertError, match=r"names\.trf"):
            convert.run(source, tmp_path / "out.trf", code_page=code_page)
    else:
        assert len(convert.run(source, tmp_path / "out.trf")["adjustments"]) > 0
