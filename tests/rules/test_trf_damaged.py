"""Reports as they come: odd letters and digits, names padded by other counts, records out of place, any damage.

A report is read, or refused with line, column and remedy; what was read is written in every form and has the same
meaning when it is read again, or the form says why it cannot.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk import convert
from rules.interchange.errors import InterchangeError
from rules.interchange.trf import Cell, read_trf, write_trf16, write_trf26
from rules.interchange.trf_columns import realigned
from rules.interchange.trf_generations import translated
from rules.interchange.trf_teams import is_team_event, read_teams
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import random_plan
from rules.tiebreaks.event_table import NotYet, table_of
from rules.tiebreaks.rank_check import rank_differences
from rules.tiebreaks.ranking import ranking
from rules.tiebreaks.registry import UnknownCode
from tests.rules.test_trf import duel, report, row

# ------------------------------------------------------------------------------------------- names by any count


def _cells(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


COUNTS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "UTF-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "cells": _cells,
    "letters": lambda text: len(unicodedata.normalize("NFC", text)),
}
NAMES = (
    "Žižka, Jan",
    "Müller, Éva",
    "山田, 太郎",
    "Иванов, Пётр",
    "𝒜𝒷, x😀",
    unicodedata.normalize("NFD", "Ščepán, Ő"),
)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_be_padded_by_any_count(name: str, count: str) -> None:
    lines = [line.replace("Anand, V".ljust(33), name + " " * (33 - COUNTS[count](name))) for line in duel()]
    event, _adjustments = read_trf(report(lines[0].replace(" 1.0 ", " 1.0 ", 1), lines[1]), "x.trf")
    assert unicodedata.normalize("NFC", event.players[0].name) == unicodedata.normalize("NFC", name)
    assert (event.players[0].points, event.players[0].cells) == (2, (Cell(2, "w", "1"),))
    assert read_trf(write_trf26(event), "x.trf")[0] == event


def test_what_no_count_explains_is_not_moved() -> None:
    assert realigned(row(1, "Anand, V", "1.0", "    2 w 1")) is None
    assert realigned(row(1, "Čedo", "1.0", "    2 w 1")) is None


# ------------------------------------------------------------------------------------------- odd records


def test_digits_that_are_none_are_refused_in_team_records() -> None:
    event, _adjustments = read_trf(report(*duel(), "310 ³1  Team"), "x.trf")
    with pytest.raises(InterchangeError, match=r"x\.trf:3:5: record 310: the team's number is missing"):
        read_teams(event, "x.trf")


def test_a_tab_in_a_header_is_a_blank() -> None:
    event, _adjustments = read_trf(report("012 Spring\tOpen", "112 A\tB", "202 BH/C1,\tSB", *duel()), "x.trf")
    assert (event.name, event.deputies, event.tie_breaks) == ("Spring Open", ("A B",), ("BH/C1", "SB"))
    assert read_trf(write_trf16(event), "x.trf")[0] == event


def test_forbidden_pairs_of_nobody_are_left_out_and_told() -> None:
    event, adjustments = read_trf(report("142 5", "260   1   2", *duel()), "x.trf")
    assert event.forbidden == ()
    assert [(a.line, a.column, a.what) for a in adjustments] == [(2, 13, "record 260 names nobody; left out")]


def test_without_a_team_to_tell_an_empty_board_becomes_a_bye() -> None:
    lines = [row(1, "Anand, V", "1.0", "  0000 - +"), row(2, "Byrne, D", "0.0", "  0000 - -")]
    event, _adjustments = read_trf(report("142 1", "352 WBWB", *lines), "x.trf")
    assert event.players[0].cells == (Cell(0, "-", "+"),)
    said, changes = translated(event, "TRFX", "x.trf")
    assert [p.cells[0].result for p in said.players] == ["F", "Z"]
    assert [a.line for a in changes if "no team is told" in a.what] == [3, 4]


# ------------------------------------------------------------------------------------------- damage

WORDS = (
    "0000 - +", "0000 - U", "9999", "-1", "  ", "\t", "\r", "\n", "\ufeff", "w", "B", "h", "d", "X", "?", "001 ",
    "013 ", "310 ", "###", "299 ", "é", "1e9", "\u0661", "²", "\x00", "0.25", ",", "-0.5",
)  # fmt: skip
RECORDS = (
    "XXR 9", "XXR 0", "142 3", "142 x", "XXC white1", "XXC rank", "XXZ 1 2", "XXZ a", "XXS W=3 D=1", "XXS WB=3",
    "XXS =", "XXA    1 1.0 0.5", "XXA 9999 1.0", "XXP 1 2", "XXP 1", "BBW  3.0", "BBU -1",
    "162  W 3.0    D 1.0    L 0.0", "162 W9", "192 FIDE_ROUNDROBIN", "192 FIDE_TEAM_GP_MP", "202 BH/C99",
    "212 PTS,BH/C1,DE", "240 H   2    1    2",
    "240 X   2    1", "240 H  99    1", "250      1.0   1   2    1    4", "260   1   2    1    2", "260   0   0    1",
    "299 W       3.0     1    1", "299          -1.0     0    1", "300   1   1   2    1    2    3    4", "310   9",
    "310   1 Team A                           TMA    1500    0.0    0.0   1    1    2", "320 1.0  2.0    1   2",
    "330 +-   1   1   2", "330 ++   1   1   2", "352 WBWB", "362 TW 2.0   TD 1.0   TL 0.0", "362 TW9", "801 x",
    "013 Team                             1    2    3", "FRA    1 m GM Foo", "ABC", "abc", "001", "### x", "XXA", "299",
    "132                                                                                        26/01/01  26/02/30",
)  # fmt: skip
PLACE = re.compile(r".*:\d+:\d+: .+ – .+")


def sources() -> list[bytes]:
    events = [generate(random_plan(seed, players=7, rounds=5)) for seed in (1, 2, 3)]
    made = [write_trf26(events[0]), write_trf16(events[1]), write_trf26(events[2])]
    folder = Path(__file__).parents[1] / "data" / "interchange"
    return made + [path.read_bytes() for path in sorted(folder.glob("*.trf")) if path.stat().st_size < 8000]


SOURCES = sources()


def damaged(seed: int) -> bytes:
    """One of the reports, with up to six things wrong."""
    chance = random.Random(seed)
    data = chance.choice(SOURCES)
    for _time in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(data) + 1)
        lines = data.splitlines(keepends=True)
        one = chance.randrange(len(lines) or 1)
        kind = chance.choice(
            ("byte", "end", "word", "gap", "twice", "gone", "order", "record", "case", "record", "ends")
        )
        if kind == "byte":
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif kind == "end":
            data = data[:at]
        elif kind == "word":
            data = data[:at] + chance.choice(WORDS).encode() + data[at + chance.randrange(4) :]
        elif kind == "gap":
            data = data[:at] + data[at + chance.randint(1, 12) :]
        elif kind == "ends":
            data = data.replace(b"\r\n", b"\n").replace(b"\n", chance.choice((b"\r", b"\r\n", b"\n\n")))
        elif lines:
            if kind == "twice":
                lines.insert(one, lines[chance.randrange(len(lines))])
            elif kind == "gone":
                lines.pop(one)
            elif kind == "order":
                chance.shuffle(lines)
            elif kind == "case":
                lines[one] = lines[one].swapcase()
            else:
                lines.insert(one, chance.choice(RECORDS).encode() + b"\n")
            data = b"".join(lines)
    return data


def problems(data: bytes, folder: Path) -> Iterator[str]:
    """What goes wrong with a report that must not: an exception of Python passes through."""
    try:
        event, adjustments = read_trf(data, "x.trf")
    except InterchangeError as error:
        yield from (f"no place: {line}" for line in str(error).splitlines() if not PLACE.fullmatch(line))
        return
    if any(a.line < 1 or a.column < 1 or not a.what for a in adjustments):
        yield "an adjustment without place"
    try:
        if is_team_event(event):
            read_teams(event, "x.trf")
        rank_differences(event, file="x.trf")
        assert all(
            place.reason for place in ranking(table_of(event, file="x.trf"), ("BH/C1", "DE", "SB", "EDE", "APPO"))
        )
    except (InterchangeError, NotYet, UnknownCode) as error:
        if not str(error):
            yield "an error without words"
    source = folder / "x.trf"
    source.write_bytes(data)
    for form in ("TRF26", "TRF16", "TRFX", "TRFBX", "TRF06", "CSV"):
        try:
            convert.run(source, folder / "y.trf", True, to=form)  # type: ignore[arg-type]
        except convert.ConvertError as error:
            if "is not the same" in str(error):
                yield f"{form}: {error}"


@settings(max_examples=70, deadline=None)
@given(st.integers(0, 10**7))
def test_a_damaged_report_is_refused_with_places_or_keeps_its_meaning_in_every_form(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    assert list(problems(damaged(seed), tmp_path_factory.getbasetemp())) == []
