"""Line 001: one player, his static columns and his rounds."""

from __future__ import annotations

from gettext import gettext as _
from typing import cast

from rules.interchange import trf_columns as columns
from rules.interchange.trf_model import (
    BLANK,
    BYE_RESULTS,
    FORFEIT_RESULTS,
    GAME_RESULTS,
    UNKNOWN_RESULT,
    Cell,
    CellColour,
    TrfPlayer,
)
from rules.interchange.trf_reading import Reading
from rules.tournament.entries import TITLES

_SEXES = {"m": "m", "M": "m", "w": "w", "W": "w", "f": "w", "F": "w", "": ""}


def read_player(reading: Reading, number: int, line: str) -> None:
    """Read one line 001 into the notebook; a row out of its columns is a defect and no player comes of it."""
    line = _in_columns(reading, number, line.replace("\t", " "))
    column, rank_text = columns.static_field(line, "start_rank")
    _at, name = columns.static_field(line, "name")
    if not rank_text.isdecimal() or not 1 <= int(rank_text) <= 9999:
        what = _("player {name}: “{text}” is no starting rank").format(name=name, text=rank_text)
        reading.refuse(number, column, what, _("write a number from 1 to 9999 in columns 5-8"))
        return
    start_rank = int(rank_text)
    who = _("player {number} ({name})").format(number=start_rank, name=name)
    if not name:
        reading.refuse(number, 15, _("{who} has no name").format(who=who), _("write the name in columns 15-47"))
    _separators(reading, number, line, who)
    points = _points(reading, number, line, who)
    player = TrfPlayer(
        start_rank=start_rank,
        name=name,
        sex=_sex(reading, number, line, who),
        title=_title(reading, number, line, who),
        rating=_whole(reading, number, line, "rating", who),
        federation=columns.static_field(line, "federation")[1],
        fide_id=_fide_id(reading, number, line, who),
        birth=_birth(reading, number, line, who),
        points=points,
        rank=_whole(reading, number, line, "rank", who),
        cells=_cells(reading, number, line, who),
        line=number,
    )
    reading.players.append(player)


def _in_columns(reading: Reading, number: int, line: str) -> str:
    """The line with its columns in place, if they can be put there."""
    if columns.in_phase(line):
        return line
    mended = columns.realigned(line)
    if mended is not None:
        reading.adjust(
            number, 48, _("the name was not padded to 33 characters; the columns right of it are put in place")
        )
        return mended
    return line


def _separators(reading: Reading, number: int, line: str, who: str) -> None:
    """A sign between two fields: a long name may go on there, a number that does would be read wrong."""
    for column, name in columns.SEPARATORS.items():
        if not line[column - 1 : column].strip() or name == "birth":
            continue
        first, width = columns.PLAYER_FIELDS[name]
        if name in ("name", "title"):
            what = _("{who}: “{sign}” stands between two fields (column {column}); left out")
            reading.adjust(number, column, what.format(who=who, sign=line[column - 1], column=column))
            continue
        what = _("{who}: “{sign}” stands between two fields").format(who=who, sign=line[column - 1])
        remedy = _("write the field in columns {first}-{last} and leave column {column} blank")
        reading.refuse(number, column, what, remedy.format(first=first, last=first + width - 1, column=column))


#: Signs a paired game can have in the result column.
_PAIRED_RESULTS = GAME_RESULTS | FORFEIT_RESULTS | {"", "Z", UNKNOWN_RESULT}


def _sex(reading: Reading, number: int, line: str, who: str) -> str:
    column, text = columns.static_field(line, "sex")
    if text not in _SEXES:
        reading.adjust(number, column, _("{who}: sex “{text}” read as not given").format(who=who, text=text))
    elif text in ("f", "F"):
        reading.adjust(number, column, _("{who}: sex “{text}” read as w").format(who=who, text=text))
    return _SEXES.get(text, "")


def _title(reading: Reading, number: int, line: str, who: str) -> str:
    column, text = columns.static_field(line, "title")
    title = columns.OLD_TITLES.get(text.upper(), text.upper())
    if title in TITLES:
        return title
    reading.adjust(number, column, _("{who}: “{text}” is no FIDE title; kept as it is").format(who=who, text=text))
    return text


def _whole(reading: Reading, number: int, line: str, name: str, who: str) -> int:
    column, text = columns.static_field(line, name)
    if not text or text.isdecimal():
        return int(text or 0)
    what = _("{who}: “{text}” is no number").format(who=who, text=text)
    width = columns.PLAYER_FIELDS[name][1]
    remedy = _("write a whole number in columns {first}-{last}").format(first=column, last=column + width - 1)
    reading.refuse(number, column, what, remedy)
    return 0


def _fide_id(reading: Reading, number: int, line: str, who: str) -> int:
    column, text = columns.static_field(line, "fide_id")
    if not text or text.isdecimal():
        return int(text or 0)
    reading.adjust(number, column, _("{who}: “{text}” is no FIDE id; left out").format(who=who, text=text))
    return 0


def _birth(reading: Reading, number: int, line: str, who: str) -> str:
    column, text = columns.static_field(line, "birth")
    if line[79:80].strip():
        # A full date begun one column too late runs into the blank before the points.
        text = line[column - 1 : 80].strip()
        reading.adjust(number, column, _("{who}: the birth date is one column too far right").format(who=who))
    if not text:
        return ""
    found = columns.birth(text)
    if found is None:
        reading.adjust(number, column, _("{who}: “{text}” is no birth date; left out").format(who=who, text=text))
    return found or ""


def _points(reading: Reading, number: int, line: str, who: str) -> int | None:
    column, text = columns.static_field(line, "points")
    if not text:
        return None
    value = columns.half_points(text)
    if value is None:
        what = _("{who}: “{text}” is no number of points").format(who=who, text=text)
        reading.refuse(number, column, what, _("write whole or half points in columns 81-84, as 3.5"))
    return value


def _cells(reading: Reading, number: int, line: str, who: str) -> tuple[Cell, ...]:
    """The rounds; from the first cell out of phase on nothing more is read of this line."""
    cells: list[Cell] = []
    lone_dashes: list[int] = []
    for round_no, cell in enumerate(columns.cell_texts(line), 1):
        parts = columns.split_cell(cell.text)
        if parts is None:
            what = _("{who}: round {round} cannot be read: “{text}”")
            what = what.format(who=who, round=round_no, text=cell.text.rstrip())
            remedy = _("put the opponent in columns {first}-{last}, the colour in {colour}, the result in {result}")
            first = cell.column + 2
            remedy = remedy.format(first=first, last=first + 3, colour=first + 5, result=first + 7)
            reading.refuse(number, cell.column, what, remedy)
            return tuple(cells)
        opponent, colour, result = parts
        if (opponent, colour, result) == (0, "", "-"):
            lone_dashes.append(round_no)
            cells.append(Cell(0, "-", "Z"))
        else:
            cells.append(_cell(reading, number, cell.column, opponent, colour, result, who, round_no))
    if lone_dashes:
        rounds = ", ".join(str(r) for r in lone_dashes)
        what = _("{who}: a dash alone (round {rounds}) means not paired; read as Z").format(who=who, rounds=rounds)
        reading.adjust(number, columns.STATIC_LENGTH + 1 + columns.ROUND_WIDTH * (lone_dashes[0] - 1), what)
    while cells and cells[-1].blank:
        cells.pop()
    return tuple(cells)


def _cell(
    reading: Reading, number: int, column: int, opponent: int, colour: str, result: str, who: str, round_no: int
) -> Cell:
    if opponent and result in _PAIRED_RESULTS:
        return Cell(opponent, cast(CellColour, colour), result)
    if not opponent and not colour and not result:
        return BLANK
    where = _("{who}, round {round}").format(who=who, round=round_no)
    if opponent and result not in BYE_RESULTS:
        what = _("{where}: “{sign}” is no result; read as not known").format(where=where, sign=result)
        reading.adjust(number, column + 9, what)
        return Cell(opponent, cast(CellColour, colour), UNKNOWN_RESULT)
    if opponent:
        what = _("{where}: {result} is a bye, but there is an opponent").format(where=where, result=result)
        reading.refuse(number, column + 9, what, _("write 0000 as opponent, or the result of the game"))
        return Cell(opponent, cast(CellColour, colour), result)
    if colour in ("w", "b"):
        if not result:
            what = _("{where}: there is a colour, but no opponent and no result").format(where=where)
            reading.refuse(number, column + 2, what, _("write the opponent, or 0000 - U, H, F or Z"))
        elif result not in _OF_GAMES:
            reading.adjust(number, column + 7, _("{where}: a bye has no colour; left out").format(where=where))
    if result in BYE_RESULTS or result in FORFEIT_RESULTS:
        return Cell(0, "-", result)
    if not result:
        reading.adjust(number, column + 9, _("{where}: no opponent and no result; read as Z").format(where=where))
        return Cell(0, "-", "Z")
    # A game without opponent is no bye: which half of it is wrong only its writer knows.
    what = _("{where}: the result of a game, but no opponent").format(where=where)
    reading.refuse(number, column + 2, what, _("write the opponent, or 0000 - U, H, F or Z"))
    return Cell(0, "-", "Z")


#: Results that only a game can have.
_OF_GAMES = frozenset({"1", "W", "=", "D", "0", "L", UNKNOWN_RESULT})
