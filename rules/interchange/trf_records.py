"""The records of a tournament report other than the player line: header, point systems, pairing.

One function per shape of record, one table that says which record has which.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from gettext import gettext as _

from rules.interchange import trf_columns as columns
from rules.interchange.trf_model import Abnormal, Absence, Acceleration, Fictitious, Forbidden, PointSystem
from rules.interchange.trf_reading import Reading

#: Records that are one line of text → field of the event.
HEADER_TEXT = {
    "012": "name", "022": "city", "032": "federation", "042": "start", "052": "end", "092": "kind", "102": "arbiter",
    "122": "control", "172": "rating_basis", "182": "paired_by", "192": "system", "222": "coded_control",
}  # fmt: skip


def header_text(reading: Reading, number: int, code: str, text: str) -> None:
    if not text:
        return
    if code in ("042", "052"):
        found = columns.date(text)
        if found is None:
            reading.adjust(number, 5, _("“{text}” is no date; kept as it is").format(text=text))
        elif found != text:
            reading.adjust(number, 5, _("“{text}” read as {date}").format(text=text, date=found))
        text = found or text
    reading.set_once(number, HEADER_TEXT[code], text)


def _deputy(reading: Reading, number: int, line: str) -> None:
    if text := line[4:].strip():
        reading.add("deputies", text)


def _round_dates(reading: Reading, number: int, line: str) -> None:
    """Dates belong under their rounds (columns 92-99, 102-109, ...); a stray column or two is let pass."""
    words = [(match.start() + 1, match[0]) for match in re.finditer(r"\S+", line[3:].rjust(len(line)))]
    first = columns.STATIC_LENGTH + 3
    places = [divmod(column - first + 2, columns.ROUND_WIDTH) for column, _word in words]
    dates = [columns.date(word) for _column, word in words]
    if None in dates:
        what = _("“{text}” is no date of a round; the dates of the rounds are left out")
        column, word = words[dates.index(None)]
        reading.adjust(number, column, what.format(text=word))
        return
    in_place = all(at >= 0 and stray <= 4 for at, stray in places) and len({at for at, _stray in places}) == len(words)
    if words and not in_place:
        reading.adjust(number, words[0][0], _("the dates are not under their rounds; read in order from round 1"))
        places = [(at, 0) for at in range(len(words))]
    by_round = {at: day or "" for (at, _stray), day in zip(places, dates, strict=True)}
    if by_round:
        reading.set_once(number, "round_dates", tuple(by_round.get(at, "") for at in range(max(by_round) + 1)))


def _rounds(reading: Reading, number: int, line: str) -> None:
    text = line[4:].strip()
    if not text:
        return
    if not re.fullmatch(r"\d{1,3}", text) or int(text) < 1:
        what = _("“{text}” is no number of rounds").format(text=text)
        reading.refuse(number, 5, what, _("write the number of rounds"))
        return
    reading.set_once(number, "rounds", int(text))


def _initial_colour(reading: Reading, number: int, line: str) -> None:
    for word in line[4:].lower().split():
        if word == "rank":
            reading.header["rank_order"] = True
        elif word in ("w", "white1", "b", "black1"):
            reading.set_once(number, "initial_colour", "white" if word.startswith("w") else "black")
        else:
            what = _("“{word}” is no initial colour").format(word=word)
            reading.refuse(number, 5, what, _("write W or B (record 152), white1 or black1 (XXC)"))


def _codes(name: str) -> Callable[[Reading, int, str], None]:
    def read(reading: Reading, number: int, line: str) -> None:
        codes = tuple(code for code in (part.strip() for part in line[4:].split(",")) if code)
        if codes:
            reading.set_once(number, name, codes)

    return read


# ---------------------------------------------------------------------------------------------- point systems

#: Record 162: sign → the fields it sets.
_SIGNS_162: dict[str, tuple[str, ...]] = {
    "W": ("win", "forfeit_win", "full_bye"),
    "D": ("draw", "half_bye"),
    "L": ("loss",),
    "A": ("zero_bye", "forfeit_loss"),
    "P": ("pab",),
    "X": ("unknown",),
    "Z": ("zero_bye",),
}
#: Engines' records: key → the fields it sets.
_KEYS_XXS: dict[str, tuple[str, ...]] = {
    "W": ("win", "forfeit_win", "full_bye"),
    "D": ("draw", "half_bye"),
    "L": ("loss",),
    "ZPB": ("zero_bye",),
    "HPB": ("half_bye",),
    "FPB": ("full_bye",),
    "PAB": ("pab",),
    "FW": ("forfeit_win",),
    "FL": ("forfeit_loss",),
}
#: Keys that tell the colours apart: key → the field, which has one value for both.
_COLOURED_XXS = {"WW": "win", "BW": "win", "WD": "draw", "BD": "draw", "WL": "loss", "BL": "loss"}
#: Records of another engine: code → the fields it sets.
_CODES_BB: dict[str, tuple[str, ...]] = {
    "BBW": ("win", "forfeit_win", "full_bye"),
    "BBD": ("draw", "half_bye"),
    "BBL": ("loss",),
    "BBZ": ("zero_bye",),
    "BBF": ("forfeit_loss",),
    "BBU": ("pab",),
}


def point_system(reading: Reading) -> PointSystem:
    """The system with its defaults filled in: a PAB is worth a win and an unknown result a draw unless stated.

    The same result may be worth different points to White and Black (XXS WW, BW, ...).
    """
    stated = reading.points
    for result, letter in (("win", "W"), ("draw", "D"), ("loss", "L")):
        default = stated.get(result, getattr(PointSystem(), result))
        white, black = (reading.coloured_points.get(colour + letter, default) for colour in "WB")
        stated[result] = white
        if black != white:
            stated[f"black_{result}"] = black
    return PointSystem(**{"pab": stated["win"], "unknown": stated["draw"], **stated})


def _points_162(reading: Reading, number: int, line: str) -> None:
    found = list(re.finditer(r"([A-Z])\s*([+-]?\d+(?:[.,]\d+)?)", line[4:]))
    if not found or re.sub(r"[A-Z]\s*[+-]?\d+(?:[.,]\d+)?", "", line[4:]).strip():
        reading.refuse(number, 5, _("this point system cannot be read"), _("write it as in “162  W 1.0    D 0.5”"))
        return
    for match in found:
        fields = _SIGNS_162.get(match[1])
        if fields is None:
            what = _("“{sign}” is no sign of a point system; ignored").format(sign=match[1])
            reading.adjust(number, match.start() + 5, what)
            continue
        if match[1] == "Z":
            reading.adjust(number, match.start() + 5, _("Z is not a sign of record 162; read as the zero-point bye"))
        _set_points(reading, number, match.start() + 5, fields, match[2])


def _points_xxs(reading: Reading, number: int, line: str) -> None:
    for match in re.finditer(r"\S+", line[4:]):
        key, _sign, value = match[0].partition("=")
        column = match.start() + 5
        if key.upper() in _COLOURED_XXS:
            if (points := _points_value(reading, number, column, value)) is not None:
                reading.coloured_points[key.upper()] = points
        elif fields := _KEYS_XXS.get(key.upper()):
            _set_points(reading, number, column, fields, value)
            for name in fields:
                for overruled in (coloured for coloured, result in _COLOURED_XXS.items() if result == name):
                    reading.coloured_points.pop(overruled, None)
        else:
            what = _("“{word}” is no part of a point system").format(word=match[0])
            remedy = _("write KEY=VALUE with one of {keys}").format(keys=", ".join([*_KEYS_XXS, *_COLOURED_XXS]))
            reading.refuse(number, column, what, remedy)


def _points_bb(reading: Reading, number: int, line: str) -> None:
    _set_points(reading, number, 5, _CODES_BB[line[:3]], line[4:].strip())


def _set_points(reading: Reading, number: int, column: int, fields: tuple[str, ...], text: str) -> None:
    value = _points_value(reading, number, column, text)
    if value is not None:
        reading.points.update(dict.fromkeys(fields, value))


def _points_value(reading: Reading, number: int, column: int, text: str) -> int | None:
    value = columns.signed_half_points(text)
    if value is None:
        what = _("“{text}” is no number of points").format(text=text)
        reading.refuse(number, column, what, _("write whole or half points, as 1.0 or 0.5"))
    return value


# ---------------------------------------------------------------------------------------------- pairing records


def _numbers(reading: Reading, number: int, line: str, start: int) -> tuple[int, ...] | None:
    """All numbers from a column on (from 1), or None and a defect."""
    words = line[start - 1 :].split()
    if all(word.isdecimal() for word in words):
        return tuple(int(word) for word in words)
    what = _("“{text}” is no list of numbers").format(text=line[start - 1 :].strip())
    reading.refuse(number, start, what, _("write the numbers with blanks between them"))
    return None


def _absence(reading: Reading, number: int, line: str) -> None:
    kind = line[4:5].upper()
    found = _numbers(reading, number, line, 6)
    if found is None:
        return
    if kind not in ("F", "H", "Z") or not found:
        what = _("record 240 needs a kind of bye and a round")
        reading.refuse(number, 5, what, _("write F, H or Z, the round and the numbers, as “240 H   3    7”"))
        return
    reading.mention(number, 11, line[:3], found[1:])
    reading.absence_lines.append(number)
    reading.add("absences", Absence(kind, found[0], found[1:]))  # type: ignore[arg-type]


def _forfeited_match(reading: Reading, number: int, line: str) -> None:
    """Record 330; drafts of TRF26 had byes there, told apart by the letter."""
    if line[4:5].upper() in ("F", "H", "Z"):
        reading.adjust(number, 1, _("record 330 with a letter is an early form of 240; read as 240"))
        _absence(reading, number, line)
    else:
        reading.keep(number, line)


def _absent_next(reading: Reading, number: int, line: str) -> None:
    found = _numbers(reading, number, line, 5) or ()
    reading.mention(number, 5, line[:3], found)
    for start_rank in found:
        reading.add("absent_next", start_rank)


def _acceleration(reading: Reading, number: int, line: str) -> None:
    places = ((5, 4), (10, 4), (15, 3), (19, 3), (23, 4), (28, 4))
    texts = [line[at - 1 : at - 1 + width].strip() for at, width in places]
    points = [columns.signed_half_points(text or "0") for text in texts[:2]]
    if None in points or not all(text.isdecimal() for text in texts[2:]):
        what = _("this acceleration cannot be read")
        reading.refuse(
            number, 5, what, _("keep to the columns: points 10-13, rounds 15-17 and 19-21, numbers 23-26, 28-31")
        )
        return
    first_round, last_round, first_id, last_id = (int(text) for text in texts[2:])
    reading.add(
        "accelerations", Acceleration(points[1] or 0, first_round, last_round, first_id, last_id, points[0] or 0)
    )


def _fictitious(reading: Reading, number: int, line: str) -> None:
    words = line[4:].split()
    values = [columns.signed_half_points(word) for word in words[1:]]
    if not words or not words[0].isdecimal() or None in values:
        what = _("these acceleration points cannot be read")
        reading.refuse(number, 5, what, _("write the number and one value per round, as “XXA    1  1.0  0.5”"))
        return
    reading.mention(number, 5, line[:3], (int(words[0]),))
    reading.add("fictitious", Fictitious(int(words[0]), tuple(value or 0 for value in values)))


def _forbidden(reading: Reading, number: int, line: str) -> None:
    texts = line[4:7].strip(), line[8:11].strip()
    found = _numbers(reading, number, line, 12)
    if found is None:
        return
    if not all(text.isdecimal() or not text for text in texts):
        what = _("record 260 needs a first and a last round")
        reading.refuse(number, 5, what, _("write them in columns 5-7 and 9-11"))
        return
    if not found:
        reading.adjust(number, 13, _("record 260 names nobody; left out"))
        return
    reading.mention(number, 13, line[:3], found)
    reading.add("forbidden", Forbidden(found, int(texts[0] or 0), int(texts[1] or 0)))


def _forbidden_pairs(reading: Reading, number: int, line: str) -> None:
    if found := _numbers(reading, number, line, 5):
        reading.mention(number, 5, line[:3], found)
        reading.add("forbidden", Forbidden(found))


def _abnormal(reading: Reading, number: int, line: str) -> None:
    kind, match_text, text, round_text = line[4:5].strip(), line[7:11].strip(), line[13:17].strip(), line[19:22].strip()
    points = columns.signed_half_points(text or "0"), columns.signed_half_points(match_text or "0")
    found = _numbers(reading, number, line, 23)
    if found is None:
        return
    if points[0] is None or points[1] is None or not (round_text or "0").isdecimal():
        what = _("these abnormal points cannot be read")
        reading.refuse(number, 5, what, _("keep to the columns: points 14-17, round 20-22, numbers from 24"))
        return
    reading.mention(number, 24, line[:3], found)
    reading.add("abnormal", Abnormal(kind.upper(), points[0], int(round_text or 0), found, points[1]))


RECORDS: dict[str, Callable[[Reading, int, str], None]] = {
    "112": _deputy,
    "132": _round_dates,
    "142": _rounds,
    "XXR": _rounds,
    "152": _initial_colour,
    "XXC": _initial_colour,
    "162": _points_162,
    "XXS": _points_xxs,
    **dict.fromkeys(_CODES_BB, _points_bb),
    "202": _codes("tie_breaks"),
    "212": _codes("standing_order"),
    "240": _absence,
    "250": _acceleration,
    "260": _forbidden,
    "299": _abnormal,
    "330": _forfeited_match,
    "XXA": _fictitious,
    "XXP": _forbidden_pairs,
    "XXZ": _absent_next,
}
