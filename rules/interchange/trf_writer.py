"""`TrfEvent` → the bytes of a tournament report, in one of five forms.

UTF-8 without BOM, CRLF, columns counted in characters, the same event always the same bytes. A PAB is never written F,
a forfeit never 1 or 0, and a player without a game in a paired round never as a blank between two rounds.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from types import MappingProxyType
from typing import Literal

from rules.interchange.trf_columns import ROUND_WIDTH, STATIC_LENGTH, as_decimal
from rules.interchange.trf_model import Abnormal, Acceleration, Cell, Forbidden, PointSystem, TrfEvent, TrfPlayer

#: The forms a report is written in. TRFX and TRFBX are TRF16 as the pairing engines read it: the players, and what
#: TRF16 cannot say in records XX (JaVaFo) or XX and BB (bbpPairings).
Generation = Literal["TRF06", "TRF16", "TRF26", "TRFX", "TRFBX"]


@dataclass(frozen=True, slots=True)
class _Form:
    """Which records a form has beside the header and the players."""

    engines: bool = False
    trf26: bool = False
    pairing: bool = False
    comments: bool = False
    points: Literal["", "162", "XXS", "BB"] = ""


FORMS: Mapping[str, _Form] = MappingProxyType(
    {
        "TRF06": _Form(),
        "TRF16": _Form(engines=True, trf26=True, pairing=True, comments=True, points="162"),
        "TRF26": _Form(trf26=True, pairing=True, comments=True, points="162"),
        "TRFX": _Form(engines=True, pairing=True, comments=True, points="XXS"),
        "TRFBX": _Form(engines=True, pairing=True, comments=True, points="BB"),
    }
)
#: Where comments stand that have no place of their own, and behind all records.
FIRST_PLAYER = "001:1"
END = "end"

_ABSENT = Cell(0, "-", "Z")

#: Letters that have no decomposition, for files that must be plain ASCII.
_ASCII = str.maketrans(
    {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE",
     "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ı": "i", "’": "'", "–": "-"}
)  # fmt: skip


class OpenGames(ValueError):
    """A final report was asked for while games have no result; str() names them."""


def write_trf(
    event: TrfEvent,
    generation: Generation = "TRF26",
    *,
    plain_ascii: bool = False,
    comments: bool = True,
    final: bool = False,
) -> bytes:
    """A report in one of the forms.

    TRF26 says everything. TRF16 has the same records and the engines' XXR and XXC besides. TRF06 has the header, the
    players and the teams of record 013; TRFX and TRFBX the header, the players and the engines' records. What a form
    has no record for is left out: `trf_generations.translated` puts what it can into other words first and names the
    rest.

    `plain_ascii` replaces letters by their nearest in ASCII, for uploaders that count bytes. Without `comments` the ###
    lines stay out. A `final` report has all results. Names are cut at 33 characters, since the format has no more.

    Raises ValueError when a value has no room in its columns (starting rank, rating, FIDE id, points, rank), and
    OpenGames when a final report is asked for and a game has no result.
    """
    if final:
        _refuse_open_games(event)
    lines = list(_keyed(_records(event, FORMS[generation])))
    if comments and FORMS[generation].comments:
        lines = list(_with_comments(event, lines))
    return _bytes((line for _key, line in lines), plain_ascii)


def write_trf16(event: TrfEvent, *, plain_ascii: bool = False) -> bytes:
    """A TRF16 report with the engines' XXR and XXC, and with the TRF26 records for what TRF16 cannot say."""
    return write_trf(event, "TRF16", plain_ascii=plain_ascii)


def write_trf26(event: TrfEvent, *, plain_ascii: bool = False, comments: bool = True, final: bool = False) -> bytes:
    """As `write_trf16` without XXR and XXC, which TRF26 says in 142 and 152; the other engines' records stay."""
    return write_trf(event, "TRF26", plain_ascii=plain_ascii, comments=comments, final=final)


def record_keys(event: TrfEvent) -> Iterator[str]:
    """The records of the event in the order of TRF26, each as code and number among the lines with that code."""
    return (key for key, _line in _keyed(_records(event, FORMS["TRF26"])))


def _refuse_open_games(event: TrfEvent) -> None:
    games = [
        (round_no, player.start_rank, cell.opponent)
        for player in event.players
        for round_no, cell in enumerate(player.cells, 1)
        if cell.open and player.start_rank < cell.opponent
    ]
    if games:
        named = ", ".join(f"{white}-{black} ({round_no})" for round_no, white, black in sorted(games)[:10])
        what = ngettext(
            "The final report needs all results; missing: {games} (players and round). Enter it first.",
            "The final report needs all results; missing: {games} (players and round). Enter them first.",
            len(games),
        )
        raise OpenGames(what.format(games=named + (" …" if len(games) > 10 else "")))


def _keyed(records: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    count: Counter[str] = Counter()
    for code, line in records:
        count[code] += 1
        yield f"{code}:{count[code]}", line


def _with_comments(event: TrfEvent, lines: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The records with the comments before them; a comment whose record is not written goes to the end."""
    places = [*event.comment_places, *("",) * len(event.comments)]
    keys = {key for key, _line in lines}
    waiting: dict[str, list[str]] = {}
    for text, place in zip(event.comments, places, strict=False):
        key = place or FIRST_PLAYER
        waiting.setdefault(key if key in keys else END, []).append(text)
    for key, line in lines:
        yield from (("###", comment_line(text)) for text in waiting.get(key, ()))
        yield key, line
    yield from (("###", comment_line(text)) for text in waiting.get(END, ()))


def comment_line(text: str) -> str:
    """A ### line; a text that brings its own signs is a line already."""
    text = _no_controls(text).rstrip()
    return text if text.startswith("###") and text[3:4].strip() else f"### {text}"


def _bytes(lines: Iterable[str], plain_ascii: bool) -> bytes:
    text = "".join(line.rstrip(" ") + "\r\n" if not line.startswith("001") else line + "\r\n" for line in lines)
    if plain_ascii:
        folded = unicodedata.normalize("NFKD", text.translate(_ASCII))
        text = "".join(char for char in folded if not unicodedata.combining(char))
        return text.encode("ascii", "replace")
    return text.encode("utf-8")


def _no_controls(text: str) -> str:
    """A text that cannot break out of its line."""
    return "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)


def _one_line(text: str) -> str:
    return _no_controls(text).strip()


# ---------------------------------------------------------------------------------------------- all records


def _records(event: TrfEvent, form: _Form) -> Iterator[tuple[str, str]]:
    """Code and line of every record, in order."""
    for line in _header(event, form):
        yield line[:3], line
    paired = event.paired_rounds
    for player in event.players:
        yield "001", player_line(player, paired)
    if form.pairing:
        yield from ((line[:3], line) for line in _pairing(event, form))
    for kept in event.foreign:
        if form.trf26 or kept.code == "013":
            yield kept.code, kept.text


def _pairing(event: TrfEvent, form: _Form) -> Iterator[str]:
    if form.trf26:
        for absence in event.absences:
            yield f"240 {absence.kind} {absence.round:3}" + _ids(absence.ids)
        for acceleration in event.accelerations:
            yield _acceleration(acceleration)
    for row in event.fictitious:
        yield f"XXA {row.start_rank:4}" + "".join(f" {_four(value)}" for value in row.half_points)
    for forbidden in event.forbidden:
        if form.trf26 or not (forbidden.first_round or forbidden.last_round):
            yield _forbidden(forbidden)
    if form.trf26:
        for abnormal in event.abnormal:
            yield _abnormal(abnormal)
    if event.absent_next:
        yield "XXZ " + " ".join(str(number) for number in event.absent_next)


def _header(event: TrfEvent, form: _Form) -> Iterator[str]:
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
        if form.trf26:
            yield f"142 {event.rounds}"
        if form.engines:
            yield f"XXR {event.rounds}"
    if event.initial_colour:
        if form.trf26:
            yield f"152 {'W' if event.initial_colour == 'white' else 'B'}"
        if form.engines:
            yield f"XXC {event.initial_colour}1"
    if event.rank_order and form.pairing:
        yield "XXC rank"
    if form.points:
        yield from _POINTS[form.points](event.point_system)
    if form.trf26:
        yield from _coded(event)


def _coded(event: TrfEvent) -> Iterator[str]:
    for code, text in (("172", event.rating_basis), ("182", event.paired_by), ("192", event.system)):
        if text:
            yield f"{code} {_one_line(text)}"
    for code, codes in (("202", event.tie_breaks), ("212", event.standing_order)):
        if codes:
            yield f"{code} {','.join(_one_line(part) for part in codes)}"
    if event.coded_control:
        yield f"222 {_one_line(event.coded_control)}"


def player_line(player: TrfPlayer, paired: int = 0) -> str:
    """Line 001: exactly 89 characters, then ten for each round.

    Of the first `paired` rounds none is left blank before another: an absence is written Z. Raises ValueError when a
    value has no room.
    """
    number, rating = _fit(player.start_rank, 4, _("starting rank")), _fit(player.rating or "", 4, _("rating"))
    fide_id = _fit(player.fide_id or "", 11, _("FIDE id"))
    points = _fit("" if player.points is None else as_decimal(player.points), 4, _("points"))
    rank = _fit(player.rank or "", 4, _("rank"))
    static = (
        f"001 {number} {player.sex or ' '}{player.title[:3]:>3} {_one_line(player.name)[:33]:33} {rating} "
        f"{player.federation[:3]:3} {fide_id} {player.birth[:10]:10} {points} {rank}"
    )
    cells = (_ABSENT if cell.blank and at < paired else cell for at, cell in enumerate(player.cells))
    return static + "".join(cell_text(cell) for cell in cells)


def cell_text(cell: Cell) -> str:
    """The ten columns of one round."""
    if cell.blank:
        return " " * ROUND_WIDTH
    opponent = str(cell.opponent) if cell.opponent else "0000"
    return f"  {opponent:>4} {cell.colour or ' '} {cell.result or ' '}"


def _fit(value: int | str, width: int, what: str) -> str:
    text = str(value)
    if len(text) > width:
        message = _("{what} {value} has no room in the {width} columns of a tournament report")
        raise ValueError(message.format(what=what, value=text, width=width))
    return text.rjust(width)


def _ids(ids: tuple[int, ...]) -> str:
    return "".join(f" {number:4}" for number in ids)


# ---------------------------------------------------------------------------------------------- point systems


def _points_162(system: PointSystem) -> Iterator[str]:
    """Nothing for 1, ½, 0; record 162 where its signs suffice, else XXS besides for byes, forfeits and Black.

    The signs A, P and X are written only where they say something, as not every engine knows them.
    """
    if system == PointSystem():
        return
    values = {"W": system.win, "D": system.draw, "L": system.loss}
    if system.zero_bye:
        values["A"] = system.zero_bye
    if system.pab != system.win:
        values["P"] = system.pab
    if system.unknown != system.draw:
        values["X"] = system.unknown
    yield "162  " + "".join(f"{sign}{as_decimal(value):>4}    " for sign, value in values.items())
    rest = {
        "FW": system.forfeit_win, "FL": system.forfeit_loss, "FPB": system.full_bye, "HPB": system.half_bye,
    }  # fmt: skip
    implied = {"FW": system.win, "FL": system.zero_bye, "FPB": system.win, "HPB": system.draw}
    if rest != implied:
        yield _assignments(rest)
    if coloured := _coloured(system):
        yield _assignments(coloured)


def _points_xxs(system: PointSystem) -> Iterator[str]:
    if system != PointSystem():
        yield _assignments(
            {
                "W": system.win, "D": system.draw, "L": system.loss, "ZPB": system.zero_bye, "HPB": system.half_bye,
                "FPB": system.full_bye, "PAB": system.pab, "FW": system.forfeit_win, "FL": system.forfeit_loss,
            }
            | _coloured(system)
        )  # fmt: skip


def _points_bb(system: PointSystem) -> Iterator[str]:
    if system == PointSystem():
        return
    values = {
        "BBW": system.win, "BBD": system.draw, "BBL": system.loss, "BBZ": system.zero_bye,
        "BBF": system.forfeit_loss, "BBU": system.pab,
    }  # fmt: skip
    for code, value in values.items():
        yield f"{code} {_four(value)}"


def _no_points(_system: PointSystem) -> Iterator[str]:
    return iter(())


_POINTS = MappingProxyType({"": _no_points, "162": _points_162, "XXS": _points_xxs, "BB": _points_bb})


def _coloured(system: PointSystem) -> dict[str, int]:
    """White's and Black's points for the results where they differ."""
    values: dict[str, int] = {}
    for letter, white, black in (
        ("W", system.win, system.black_win),
        ("D", system.draw, system.black_draw),
        ("L", system.loss, system.black_loss),
    ):
        if black is not None:
            values |= {f"W{letter}": white, f"B{letter}": black}
    return values


def _assignments(values: Mapping[str, int]) -> str:
    return "XXS " + " ".join(f"{key}={as_decimal(value)}" for key, value in values.items())


# ---------------------------------------------------------------------------------------------- pairing records


def _four(half_points: int, *, blank_zero: bool = False) -> str:
    """Points in four columns; zero blank where the record says so by an empty field."""
    return _fit("" if blank_zero and not half_points else as_decimal(half_points), 4, _("points"))


def _acceleration(a: Acceleration) -> str:
    points = f"{_four(a.match_half_points, blank_zero=True)} {_four(a.half_points, blank_zero=True)}"
    return f"250 {points} {a.first_round:3} {a.last_round:3} {a.first_id:4} {a.last_id:4}"


def _forbidden(forbidden: Forbidden) -> str:
    if not forbidden.first_round and not forbidden.last_round:
        return "XXP " + " ".join(str(number) for number in forbidden.ids)
    return f"260 {forbidden.first_round or '':3} {forbidden.last_round or '':3}" + _ids(forbidden.ids)


def _abnormal(a: Abnormal) -> str:
    points = f"{_four(a.match_half_points, blank_zero=True)}  {_four(a.half_points)}"
    return f"299 {a.kind:1}  {points}  {a.round:03}" + _ids(a.ids)
