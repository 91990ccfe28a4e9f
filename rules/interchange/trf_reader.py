"""Bytes of a tournament report → `TrfEvent`, with everything that was read leniently.

In three steps: bytes become numbered lines (encoding, line ends); every line goes to the reader of its record, found in
a table; at last `trf_checks` compares the players' rows with each other. Faults are collected all the way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from gettext import gettext as _
from gettext import ngettext
from types import MappingProxyType
from typing import Any

from rules.interchange import trf_columns as columns
from rules.interchange.decoding import decoded, lines_of
from rules.interchange.errors import Adjustment, Defect, InterchangeError
from rules.interchange.trf_checks import checked, who
from rules.interchange.trf_comments import comment_text, with_comments
from rules.interchange.trf_model import TrfEvent
from rules.interchange.trf_players import read_player
from rules.interchange.trf_reading import Reading
from rules.interchange.trf_records import HEADER_TEXT, RECORDS, header_text, point_system

#: Records kept as they stand without a word: teams, national ratings and summaries are read by whoever needs them.
_KEPT = frozenset({"013", "300", "310", "320", "330", "352", "362", "801", "802"})
#: Records that only TRF26 has; with one of them gaps in the numbering are legal.
TRF26_RECORDS = frozenset(
    {"142", "152", "162", "172", "182", "192", "202", "212", "222", "240", "250", "260", "299", "300", "310", "320",
     "330", "352", "362"}
)  # fmt: skip
#: Counted anew when a file is written, so they are only compared.
_COUNTS = frozenset({"062", "072", "082"})


def read_trf(data: bytes, file: str, code_page: str = "cp1252") -> tuple[TrfEvent, tuple[Adjustment, ...]]:
    """Read a tournament report of any generation (TRF06, TRF16, TRF26, with the engines' records).

    `data` is the uncompressed file, `file` its name for messages, `code_page` the encoding to assume when the bytes are
    not UTF-8. Line ends may be LF, CRLF or CR. Answers the event and, in file order, everything read leniently.

    Raises InterchangeError naming line, column and player: no player line, a player line out of its columns, rows that
    contradict each other, a points column that is not the sum of the results (C.04.2 A, TRF16 and TRF26 annexes).
    """
    reading = Reading()
    text, adjustment = decoded(data, file, code_page)
    if adjustment is not None:
        reading.adjustments.append(adjustment)
    lines = lines_of(text)
    if not any(line.startswith("001") for line in lines):
        what = _("there is no player line (001), so this is no tournament report")
        raise InterchangeError(file, [Defect(1, 1, what, _("choose a TRF file"))])
    for number, line in enumerate(lines, 1):
        if line.strip() and _printable(reading, number, line):
            _read_line(reading, number, line)
    reading.header["point_system"] = point_system(reading)
    fields: dict[str, Any] = {name: tuple(values) for name, values in reading.lists.items()} | reading.header
    event = TrfEvent(players=tuple(reading.players), records=_first_lines(reading), **fields)
    if reading.defects:
        # A row that could not be read would make its opponents' rows look wrong as well.
        raise InterchangeError(file, reading.defects)
    event = checked(event, reading.adjustments, reading.defects, gaps_legal=bool(reading.codes & TRF26_RECORDS))
    if reading.defects:
        raise InterchangeError(file, reading.defects)
    event = with_comments(event, reading.comments, reading.order)
    _unknown_players(event, reading)
    _byes_told_twice(event, reading)
    _counts(event, reading)
    return event, tuple(sorted(set(reading.adjustments)))


def _byes_told_twice(event: TrfEvent, reading: Reading) -> None:
    """Record 240 and a player's row may contradict each other in a round that is paired; then the row counts."""
    if event.is_team:
        return
    players, paired = {player.start_rank: player for player in event.players}, event.paired_rounds
    for line, absence in zip(reading.absence_lines, event.absences, strict=True):
        for number in absence.ids:
            player = players.get(number)
            cell = player.cell(absence.round) if player else None
            if player and cell and absence.round <= paired and (cell.opponent or (cell.result or "Z") != absence.kind):
                what = _("record 240 gives {who} {kind} in round {round}, but the row says “{cell}”; the row counts")
                row = f"{cell.opponent or '0000'} {cell.colour} {cell.result}"
                text = what.format(who=who(player), kind=absence.kind, round=absence.round, cell=row)
                reading.adjust(line, 11, text)


def _counts(event: TrfEvent, reading: Reading) -> None:
    """Records 062, 072 and 082 are counted anew when the file is written."""
    teams = [sum(line.code == code for line in event.foreign) for code in ("310", "013")]
    found = {
        "062": len(event.players),
        "072": sum(player.rating > 0 for player in event.players),
        "082": teams[0] or teams[1],
    }
    what = _("record {code} counts {stated}, the file has {found}")
    for code, (line, stated) in reading.counts.items():
        if stated != found[code]:
            reading.adjust(line, 5, what.format(code=code, stated=stated, found=found[code]))


def _first_lines(reading: Reading) -> Mapping[str, int]:
    return MappingProxyType({code: line for line, code in reversed(reading.order)})


def _unknown_players(event: TrfEvent, reading: Reading) -> None:
    """Records that name players who are not in the file; in team files their numbers are those of teams."""
    if event.is_team:
        return
    known = {player.start_rank for player in event.players}
    for line, column, code, ids in reading.mentions:
        if strangers := [str(number) for number in ids if number not in known]:
            what = ngettext(
                "record {code}: there is no player {numbers}",
                "record {code}: there are no players {numbers}",
                len(strangers),
            )
            reading.adjust(line, column, what.format(code=code, numbers=", ".join(strangers)))


#: C0 and C1 control characters except the tab; a wrong code page shows itself by the latter.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def _printable(reading: Reading, number: int, line: str) -> bool:
    match = _CONTROL.search(line)
    if match is None:
        return True
    what = _("there is a control character (U+{code})").format(code=f"{ord(match[0]):04X}")
    reading.refuse(number, match.start() + 1, what, _("delete it, or name the right code page"))
    return False


def _read_line(reading: Reading, number: int, line: str) -> None:
    if line.startswith("###"):
        reading.comments.append((number, comment_text(line.replace("\t", " "))))
        return
    code, text = line[:3], line[4:].strip()
    if not re.fullmatch(r"[A-Z0-9]{3}(\s.*)?", line):
        what = _("this line is no record of a tournament report: “{start}”").format(start=line[:20].strip())
        reading.refuse(number, 1, what, _("begin a remark with ###, or delete the line"))
        return
    reading.codes.add(code)
    reading.order.append((number, code))
    if code in HEADER_TEXT or code in RECORDS:
        line, text = line.replace("\t", " "), text.replace("\t", " ")
    if code == "001":
        read_player(reading, number, line)
    elif code in HEADER_TEXT:
        header_text(reading, number, code, text)
    elif code in RECORDS:
        RECORDS[code](reading, number, line)
    elif code in _COUNTS:
        if match := re.match(r"[0-9]{1,9}", text):
            reading.counts.setdefault(code, (number, int(match[0])))
    elif code in _KEPT or columns.is_national_row(line):
        reading.keep(number, line)
    elif columns.is_static_row(line) and columns.half_points(columns.static_field(line, "points")[1]) is not None:
        what = _("player {name}: the line begins with {code}, not with 001")
        what = what.format(name=columns.static_field(line, "name")[1], code=code)
        reading.refuse(number, 1, what, _("write 001 in the first three columns"))
    else:
        reading.adjust(number, 1, _("record {code} is not known; kept as it is").format(code=code))
        reading.keep(number, line)
