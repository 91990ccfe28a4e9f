"""`TrfEvent` → the bytes of a tournament report.

UTF-8 without BOM, CRLF, columns counted in characters, the same event always the same bytes. A PAB is never written F,
a forfeit never 1 or 0, and a player without a game in a paired round never as a blank between two rounds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rules.interchange.trf_columns import ROUND_WIDTH, STATIC_LENGTH, as_decimal
from rules.interchange.trf_model import Abnormal, Acceleration, Cell, Forbidden, PointSystem, TrfEvent, TrfPlayer

#: Letters that have no decomposition, for files that must be plain ASCII.
_ASCII = str.maketrans(
    {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE",
     "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ı": "i", "’": "'", "–": "-"}
)  # fmt: skip


def write_trf16(event: TrfEvent, *, plain_ascii: bool = False) -> bytes:
    """A TRF16 report with the engines' XXR and XXC, and with the TRF26 records for what TRF16 cannot say.

    `plain_ascii` replaces letters by their nearest in ASCII, for uploaders that count bytes. Names are cut at 33
    characters, since the format has no more.

    Raises ValueError when a value has no room in its columns (starting rank, rating, FIDE id, points, rank).
    """
    return _bytes(_lines(event, engines=True), plain_ascii)


def write_trf26(event: TrfEvent, *, plain_ascii: bool = False) -> bytes:
    """As `write_trf16` without XXR and XXC, which TRF26 says in 142 and 152; the other engines' records stay."""
    return _bytes(_lines(event, engines=False), plain_ascii)


def _bytes(lines: Iterator[str], plain_ascii: bool) -> bytes:
    text = "".join(line.rstrip(" ") + "\r\n" if not line.startswith("001") else line + "\r\n" for line in lines)
    if plain_ascii:
        folded = unicodedata.normalize("NFKD", text.translate(_ASCII))
        text = "".join(char for char in folded if not unicodedata.combining(char))
        return text.encode("ascii", "replace")
    return text.encode("utf-8")


def _one_line(text: str) -> str:
    """A text that cannot break out of its line."""
    return "".join(" " if unicodedata.category(char) == "Cc" else char for char in text).strip()


def _lines(event: TrfEvent, *, engines: bool) -> Iterator[str]:
    yield from _header(event, engines=engines)
    for comment in event.comments:
        yield f"### {_one_line(comment)}"
    for player in event.players:
        yield player_line(player)
    for absence in event.absences:
        yield f"240 {absence.kind} {absence.round:3}" + _ids(absence.ids)
    for acceleration in event.accelerations:
        yield _acceleration(acceleration)
    for row in event.fictitious:
        yield f"XXA {row.start_rank:4}" + "".join(f" {_four(value)}" for value in row.half_points)
    for forbidden in event.forbidden:
        yield _forbidden(forbidden)
    for abnormal in event.abnormal:
        yield _abnormal(abnormal)
    if event.absent_next:
        yield "XXZ " + " ".join(str(number) for number in event.absent_next)
    for line in event.foreign:
        yield line.text


def _header(event: TrfEvent, *, engines: bool) -> Iterator[str]:
    teams = [sum(line.code == code for line in event.foreign) for code in ("310", "013")]
    yield f"012 {_one_line(event.name)}"
    yield f"022 {_one_line(event.city)}"
    yield f"032 {_one_line(event.federation)}"
    yield f"042 {_one_line(event.start)}"
    yield f"052 {_one_line(event.end)}"
    yield f"062 {len(event.players)}"
    yield f"072 {sum(player.rating > 0 for player in event.players)}"
    yield f"082 {teams[0] or teams[1]}"
    yield f"092 {_one_line(event.kind)}"
    yield f"102 {_one_line(event.arbiter)}"
    for deputy in event.deputies:
        yield f"112 {_one_line(deputy)}"
    yield f"122 {_one_line(event.control)}"
    if event.round_dates:
        dates = "".join(f"{day[2:]:>10}" for day in event.round_dates)
        yield "132".ljust(STATIC_LENGTH) + dates
    if event.rounds is not None:
        yield f"142 {event.rounds}"
        if engines:
            yield f"XXR {event.rounds}"
    if event.initial_colour:
        yield f"152 {'W' if event.initial_colour == 'white' else 'B'}"
        if engines:
            yield f"XXC {event.initial_colour}1"
    if event.rank_order:
        yield "XXC rank"
    yield from _point_system(event.point_system)
    for code, text in (("172", event.rating_basis), ("182", event.paired_by), ("192", event.system)):
        if text:
            yield f"{code} {_one_line(text)}"
    for code, codes in (("202", event.tie_breaks), ("212", event.standing_order)):
        if codes:
            yield f"{code} {','.join(_one_line(part) for part in codes)}"
    if event.coded_control:
        yield f"222 {_one_line(event.coded_control)}"


def player_line(player: TrfPlayer) -> str:
    """Line 001: exactly 89 characters, then ten for each round. Raises ValueError when a value has no room."""
    static = (
        f"001 {_fit(player.start_rank, 4, 'starting rank')} {player.sex or ' '}{player.title:>3} "
        f"{_one_line(player.name)[:33]:33} {_fit(player.rating or '', 4, 'rating')} {player.federation[:3]:3} "
        f"{_fit(player.fide_id or '', 11, 'FIDE id')} {player.birth:10} "
        f"{_fit('' if player.points is None else as_decimal(player.points), 4, 'points')} "
        f"{_fit(player.rank or '', 4, 'rank')}"
    )
    return static + "".join(cell_text(cell) for cell in player.cells)


def cell_text(cell: Cell) -> str:
    """The ten columns of one round."""
    if cell.blank:
        return " " * ROUND_WIDTH
    opponent = str(cell.opponent) if cell.opponent else "0000"
    return f"  {opponent:>4} {cell.colour or ' '} {cell.result or ' '}"


def _fit(value: int | str, width: int, what: str) -> str:
    text = str(value)
    if len(text) > width:
        raise ValueError(f"{what} {text} has no room in the {width} columns of a tournament report")
    return text.rjust(width)


def _ids(ids: tuple[int, ...]) -> str:
    return "".join(f" {number:4}" for number in ids)


def _point_system(system: PointSystem) -> Iterator[str]:
    """Nothing for 1, ½, 0; record 162 where its signs suffice, else XXS besides for byes and forfeits."""
    if system == PointSystem():
        return
    signs = {
        "W": system.win, "D": system.draw, "L": system.loss, "A": system.zero_bye, "P": system.pab, "X": system.unknown,
    }  # fmt: skip
    yield "162  " + "".join(f"{sign}{as_decimal(value):>4}    " for sign, value in signs.items())
    if (system.forfeit_win, system.full_bye, system.half_bye, system.forfeit_loss) != (
        system.win,
        system.win,
        system.draw,
        system.zero_bye,
    ):
        keys = {
            "FW": system.forfeit_win, "FL": system.forfeit_loss, "FPB": system.full_bye, "HPB": system.half_bye,
        }  # fmt: skip
        yield "XXS " + " ".join(f"{key}={as_decimal(value)}" for key, value in keys.items())


def _four(half_points: int, *, blank_zero: bool = False) -> str:
    """Points in four columns; zero blank where the record says so by an empty field."""
    return _fit("" if blank_zero and not half_points else as_decimal(half_points), 4, "points")


def _acceleration(a: Acceleration) -> str:
    points = f"{_four(a.match_half_points, blank_zero=True)} {_four(a.half_points, blank_zero=True)}"
    return f"250 {points} {a.first_round:3} {a.last_round:3} {a.first_id:4} {a.last_id:4}"


def _forbidden(forbidden: Forbidden) -> str:
    if not forbidden.first_round and not forbidden.last_round:
        return "XXP " + " ".join(str(number) for number in forbidden.ids)
    return f"260 {forbidden.first_round or '':3} {forbidden.last_round or '':3}" + _ids(forbidden.ids)


def _abnormal(a: Abnormal) -> str:
    points = f"{_four(a.match_half_points, blank_zero=True)}  {_four(a.half_points)}"
    return f"299 {a.kind:1}  {points}  {a.round:03}" + (" " + _ids(a.ids) if a.ids else "")
