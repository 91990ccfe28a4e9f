"""FIDE's rating lists, in the text and the XML layout, read as a stream.

A list has up to two million rows, so nothing here holds more than one of them: the caller hands over the bytes in
pieces of any size (an open file, a member of a ZIP archive) and takes the players one by one; `rating_index` keeps them
in little memory.

The text layout has a line of headings and fixed columns below them. The columns are found by the headings, since the
combined list, the lists of one kind of chess (their rating stands under the month, "OCT26") and older lists differ:

    ID Number, Name, Fed, Sex, Tit, WTit, OTit, FOA, SRtng SGm SK, RRtng RGm Rk, BRtng BGm BK, B-day, Flag

The XML layout has `<player>` elements in a `<playerslist>` with the same fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from itertools import chain
from types import MappingProxyType
from typing import Literal
from xml.parsers import expat

from rules.interchange.errors import Adjustment, Defect, InterchangeError
from rules.interchange.trf_columns import OLD_TITLES
from rules.tournament.entries import TITLES

Kind = Literal["standard", "rapid", "blitz"]
#: So many rows that could not be read are told; a list with more is hardly a rating list.
MOST_TOLD = 100


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """One row of a list. Ratings are 0 where there is none; `sex` "m", "w" or "", `birth` a year or "".

    `title` is the highest of FIDE's over-the-board titles or "". `inactive` players are in the list but have not played
    rated games for a year.
    """

    fide_id: int
    name: str
    federation: str = ""
    sex: str = ""
    title: str = ""
    birth: str = ""
    standard: int = 0
    rapid: int = 0
    blitz: int = 0
    inactive: bool = False

    def rating(self, kinds: Iterable[Kind]) -> int:
        """The first rating there is, in the order of the kinds: ("rapid", "standard") is the effective rapid list."""
        values: Mapping[str, int] = {"standard": self.standard, "rapid": self.rapid, "blitz": self.blitz}
        return next((values[kind] for kind in kinds if values[kind]), 0)


def kind_of(file: str) -> Kind:
    """Which kind of ratings a list with this name holds, if it is a list of one kind: "rapid_rating_list.txt"."""
    name = file.lower()
    return "rapid" if "rapid" in name else "blitz" if "blitz" in name else "standard"


def read_rating_list(
    chunks: Iterable[bytes], file: str, kind: Kind | None = None, told: list[Adjustment] | None = None
) -> Iterator[RatedPlayer]:
    """The players of a list in its order; `chunks` are its uncompressed bytes in pieces of any size.

    `kind` says whose ratings a list of one kind holds (None: by the file's name). Rows that cannot be read are left out
    and put into `told`, the first 100 of them. Raises InterchangeError with the place when it is no rating list, or
    XML that is broken.
    """
    told = [] if told is None else told
    pieces = iter(chunks)
    start: list[bytes] = []
    for piece in pieces:
        start.append(piece)
        if piece.strip(_BEFORE_TEXT):
            break
    is_xml = bool(start) and start[-1].lstrip(_BEFORE_TEXT).startswith(b"<")
    return (_xml if is_xml else _text)(chain(start, pieces), file, kind or kind_of(file), told)


#: Blanks, line ends and the bytes of a BOM.
_BEFORE_TEXT = b"\xef\xbb\xbf \r\n\t"


def _tell(told: list[Adjustment], line: int, column: int, what: str) -> None:
    if len(told) < MOST_TOLD:
        told.append(Adjustment(line, column, what))


def _player(values: Mapping[str, str]) -> RatedPlayer | str:
    """A player from the texts of a row, or what is wrong with it."""
    number = values.get("id", "")
    if not number.isdecimal() or not 0 < int(number) < 10**11:
        return _("“{text}” is no FIDE id").format(text=number)
    name = values.get("name", "")
    if not name:
        return _("player {number} has no name").format(number=number)
    ratings: dict[str, int] = {}
    for kind in ("standard", "rapid", "blitz"):
        text = values.get(kind, "")
        if text and not (text.isdecimal() and int(text) < 5000):
            return _("player {number} ({name}): “{text}” is no rating").format(number=number, name=name, text=text)
        ratings[kind] = int(text or 0)
    born = values.get("birth", "")[:4]
    return RatedPlayer(
        fide_id=int(number),
        name=name,
        federation=values.get("federation", "")[:3].upper(),
        sex=_SEXES.get(values.get("sex", "").upper(), ""),
        title=_title(values.get("title", ""), values.get("women_title", "")),
        birth=born if born.isdecimal() and int(born) else "",
        standard=ratings["standard"],
        rapid=ratings["rapid"],
        blitz=ratings["blitz"],
        inactive="i" in values.get("flag", "").lower(),
    )


_SEXES = {"M": "m", "F": "w", "W": "w"}


def _title(*texts: str) -> str:
    """The highest title among these; letters of older lists ("g", "wf") are titles too."""
    found = [OLD_TITLES.get(text.upper(), text.upper()) for text in texts if text]
    known = [title for title in found if title in TITLES]
    return min(known, key=TITLES.index, default="")


# ---------------------------------------------------------------------------------------------- text

#: Heading → field; what is not named here is passed over. The month stands over the rating of a list of one kind.
_HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "id number": "id", "id_number": "id", "idnumber": "id", "name": "name", "fed": "federation", "sex": "sex",
        "tit": "title", "titl": "title", "wtit": "women_title", "srtng": "standard", "rrtng": "rapid",
        "brtng": "blitz", "b-day": "birth", "bday": "birth", "born": "birth", "flag": "flag", "otit": "other_titles",
    }
)  # fmt: skip
#: Headings that stand without a blank between them in older lists are told apart by their names.
_HEADING = re.compile(
    r"ID[ _]?Number|Name|Fed|Sex|WTit|OTit|Titl?|FOA|[SRB]Rtng|[SRB]Gm|Games|Gms|[SRB]?K(?=\s|$)|B-?day|Born|Flag"
    r"|(?P<month>[A-Z]{3}\d\d)",
    re.IGNORECASE,
)


def _lines(chunks: Iterable[bytes], file: str) -> Iterator[bytes]:
    """The lines of a stream, without their ends; LF, CRLF and CR.

    Raises InterchangeError where a line is so long that this can be no list.
    """
    rest, count = b"", 0
    for chunk in chunks:
        data = rest + chunk
        half = data.endswith(b"\r")  # what follows may be the LF that belongs to it
        lines = data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest = lines.pop() + b"\r" * half
        count += len(lines)
        yield from lines
        if len(rest) > _LONGEST_LINE:
            what = _("this line has no end, so this is no rating list")
            raise InterchangeError(file, [Defect(count + 1, 1, what, _("choose FIDE's list in text or XML, unpacked"))])
    if rest:
        yield rest.removesuffix(b"\r")


#: Bytes; a row of the lists has some two hundred.
_LONGEST_LINE = 1 << 20


def _decoded(line: bytes) -> str:
    """FIDE's lists are ASCII; others may be UTF-8 or Latin-1."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _text(chunks: Iterable[bytes], file: str, kind: Kind, told: list[Adjustment]) -> Iterator[RatedPlayer]:
    lines = enumerate(_lines(chunks, file), 1)
    number, header = next(((n, line) for n, line in lines if line.strip()), (1, b""))
    headings = _decoded(header).removeprefix("\ufeff").rstrip()
    slices = _slices(headings, kind)
    if "id" not in slices or "name" not in slices or not {"standard", "rapid", "blitz"} & slices.keys():
        what = _("this line names no columns of a rating list")
        remedy = _("choose FIDE's list in text or XML, unpacked; its first line begins with ID Number")
        raise InterchangeError(file, [Defect(number, 1, what, remedy)])
    titles_end = slices.pop("other_titles", slice(0, 0)).stop
    for number, raw in lines:
        line = _decoded(raw).rstrip("\r\n")
        if not line.strip():
            continue
        surplus = len(line) - len(headings)
        if titles_end and surplus > 0 and line[titles_end - 1].strip():
            # A long row of other titles has pushed what stands right of it to the right.
            line = line[:titles_end] + line[titles_end + surplus :]
        player = _player({name: line[place].strip() for name, place in slices.items()})
        if isinstance(player, str):
            _tell(told, number, 1, _("{what}; the row is left out").format(what=player))
        else:
            yield player


def _slices(header: str, kind: Kind) -> dict[str, slice]:
    """Field → its columns: from its heading to the next one."""
    found = [(m.start(), kind if m["month"] else _HEADINGS.get(m[0].lower(), "")) for m in _HEADING.finditer(header)]
    ends: list[int | None] = [start for start, _name in found[1:]]
    return {
        name: slice(0 if name == "id" else start, end)
        for (start, name), end in zip(found, [*ends, None], strict=False)
        if name
    }


# ---------------------------------------------------------------------------------------------- XML

#: Element → field. `rating` is the standard one in a combined list.
_ELEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "fideid": "id", "name": "name", "country": "federation", "sex": "sex", "title": "title",
        "w_title": "women_title", "rating": "rating", "rapid_rating": "rapid", "blitz_rating": "blitz",
        "birthday": "birth", "flag": "flag",
    }
)  # fmt: skip


class _XmlRows:
    """What the parser has seen: finished rows, and the one that is open."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.values: dict[str, str] | None = None
        self.field = ""
        self.texts: list[str] = []
        self.seen_root = False
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.texts.append
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def feed(self, data: bytes, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            what = _("the XML is broken here ({why})").format(why=expat.ErrorString(error.code))
            remedy = _("unpack the list again, or take the text layout")
            raise InterchangeError(self.file, [Defect(error.lineno, error.offset + 1, what, remedy)]) from error
        except InterchangeError:
            raise
        except (LookupError, ValueError) as error:  # of the encoding that the first line names
            what = _("the XML cannot be read in the encoding it names ({why})").format(why=error)
            raise InterchangeError(self.file, [Defect(1, 1, what, _("save it as UTF-8"))]) from error

    def refuse_doctype(self, *_of: object) -> None:
        """FIDE's lists have none, and declared entities could grow without end."""
        raise self.defect(_("a rating list declares no document type"))

    def defect(self, what: str) -> InterchangeError:
        place = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        return InterchangeError(self.file, [Defect(*place, what, _("choose FIDE's list in text or XML, unpacked"))])

    def start(self, name: str, _attributes: object) -> None:
        if not self.seen_root:
            self.seen_root = True
            if name != "playerslist":
                raise self.defect(_("the first element is {name}, not playerslist").format(name=name))
        if name == "player":
            self.values = {}
        self.field = _ELEMENTS.get(name, "")
        self.texts.clear()

    def end(self, name: str) -> None:
        if name == "player" and self.values is not None:
            self.rows.append((self.parser.CurrentLineNumber, self.values))
            self.values = None
        elif self.values is not None and self.field and _ELEMENTS.get(name) == self.field:
            self.values[self.field] = "".join(self.texts).strip()
        self.field = ""
        self.texts.clear()


def _xml(chunks: Iterable[bytes], file: str, kind: Kind, told: list[Adjustment]) -> Iterator[RatedPlayer]:
    reader = _XmlRows(file)
    for chunk in chain(chunks, [b""]):
        reader.feed(chunk, last=not chunk)
        for line, values in reader.rows:
            combined = "rapid" in values or "blitz" in values
            values["standard" if combined else kind] = values.pop("rating", "")
            player = _player(values)
            if isinstance(player, str):
                _tell(told, line, 1, _("{what}; the row is left out").format(what=player))
            else:
                yield player
        reader.rows.clear()


# ---------------------------------------------------------------------------------------------- writing

#: Headings of the combined list with their widths, in order.
_LAYOUT: tuple[tuple[str, int, Callable[[RatedPlayer], object]], ...] = (
    ("ID Number", 15, lambda p: p.fide_id),
    ("Name", 61, lambda p: p.name),
    ("Fed", 4, lambda p: p.federation),
    ("Sex", 4, lambda p: {"m": "M", "w": "F"}.get(p.sex, "")),
    ("Tit", 5, lambda p: p.title),
    ("WTit", 5, lambda p: ""),
    ("OTit", 15, lambda p: ""),
    ("FOA", 4, lambda p: ""),
    ("SRtng", 6, lambda p: p.standard),
    ("SGm", 4, lambda p: 0),
    ("SK", 3, lambda p: ""),
    ("RRtng", 6, lambda p: p.rapid),
    ("RGm", 4, lambda p: 0),
    ("Rk", 3, lambda p: ""),
    ("BRtng", 6, lambda p: p.blitz),
    ("BGm", 4, lambda p: 0),
    ("BK", 3, lambda p: ""),
    ("B-day", 6, lambda p: p.birth or 0),
    ("Flag", 4, lambda p: ("w" if p.sex == "w" else "") + ("i" if p.inactive else "")),
)


def write_rating_list(players: Iterable[RatedPlayer]) -> Iterator[bytes]:
    """A list in the text layout of the combined list, line by line; names are cut at 60 characters."""
    yield ("".join(f"{heading:{width}}" for heading, width, _value in _LAYOUT).rstrip() + "\r\n").encode()
    for player in players:
        fields = (f"{str(value(player))[: width - 1]:{width}}" for _heading, width, value in _LAYOUT)
        yield ("".join(fields) + "\r\n").encode("utf-8")


def write_rating_xml(players: Iterable[RatedPlayer]) -> Iterator[bytes]:
    """A list in the XML layout, player by player."""
    yield b"<playerslist>\n"
    for p in players:
        values = {
            "fideid": p.fide_id, "name": p.name, "country": p.federation,
            "sex": {"m": "M", "w": "F"}.get(p.sex, ""), "title": p.title, "rating": p.standard,
            "rapid_rating": p.rapid, "blitz_rating": p.blitz, "birthday": p.birth or 0,
            "flag": ("w" if p.sex == "w" else "") + ("i" if p.inactive else ""),
        }  # fmt: skip
        fields = "".join(f"<{name}>{_escaped(str(value))}</{name}>" for name, value in values.items())
        yield f"<player>{fields}</player>\n".encode()
    yield b"</playerslist>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
