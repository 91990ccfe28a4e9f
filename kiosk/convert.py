"""`hallkiosk convert IN OUT`: a tournament report or a list of entries in another form, with every change named.

What stands in a file decides how it is read, its name only how it is written. Nothing reaches the disk before it has
been read back and found equal in meaning to what was meant.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from rules.interchange.csv_entries import CSV_CODE_PAGE, listable, read_entry_list, read_entry_rows, write_entries
from rules.interchange.errors import Adjustment, InterchangeError
from rules.interchange.trf import (
    Generation,
    OpenGames,
    TrfEvent,
    TrfPlayer,
    entries_from_trf,
    read_trf,
    write_trf,
)
from rules.interchange.trf_generations import assumed, translated
from rules.interchange.trf_national import read_national
from rules.interchange.trf_teams import is_team_event, read_teams
from rules.tournament.entries import Entry, strength

Json = dict[str, Any]
Form = Literal["TRF06", "TRF16", "TRF26", "TRFX", "TRFBX", "CSV"]

#: Ending of a file's name (without .gz) → the form it is written in.
FORMS: Mapping[str, Form] = MappingProxyType(
    {
        ".trf": "TRF26",
        ".txt": "TRF26",
        ".trf26": "TRF26",
        ".trf16": "TRF16",
        ".trf06": "TRF06",
        ".trfx": "TRFX",
        ".trfbx": "TRFBX",
        ".csv": "CSV",
    }
)
_GZIP = b"\x1f\x8b"


class ConvertError(ValueError):
    """The file cannot be converted, or not written; str() says where, why, and what to do."""


def run(
    source: Path,
    target: Path,
    dry_run: bool = False,
    *,
    force: bool = False,
    to: Form | None = None,
    code_page: str | None = None,
    plain_ascii: bool = False,
    comments: bool = True,
    final: bool = False,
) -> Json:
    """Convert `source` into `target`: `{"adjustments": [{"line", "column", "what"}, …]}` in the lines of the source.

    Both may be gzip-compressed (the target by its ending .gz). `to` is the form to write, None: by the target's name.
    `code_page` is assumed where bytes are not UTF-8 (None: cp1252 for reports, none for CSV). A `final` report must
    have all results; without `comments` the ### lines stay out; `plain_ascii` is for uploaders that count bytes.

    `dry_run` does all but write. An existing file with other contents is replaced only with `force`. Raises
    `ConvertError` with a message for the arbiter; the target is then as it was.
    """
    form = to or _form_of(target)
    data = _read(source)
    try:
        if _is_report(data):
            made, adjustments = _from_report(
                data, str(source), form, code_page or "cp1252", plain_ascii=plain_ascii, comments=comments, final=final
            )
        else:
            made, adjustments = _from_entries(data, str(source), form, code_page, plain_ascii=plain_ascii)
    except InterchangeError as error:
        raise ConvertError(str(error)) from error
    except (OpenGames, LookupError) as error:
        raise ConvertError(_("{file}: {why}").format(file=source, why=error)) from error
    if not dry_run:
        _write(made, source, target, force)
    return {"adjustments": [{"line": a.line, "column": a.column, "what": a.what} for a in sorted(set(adjustments))]}


def _form_of(target: Path) -> Form:
    name = target.name.lower().removesuffix(".gz")
    for ending, form in FORMS.items():
        if name.endswith(ending):
            return form
    known = ", ".join(FORMS)
    message = _("{file}: the ending does not say which form to write. Use one of {known}, or name the form.")
    raise ConvertError(message.format(file=target, known=known))


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = _("{file} cannot be read ({reason}). Name another file.")
        raise ConvertError(message.format(file=path, reason=reason)) from error


def _is_report(data: bytes) -> bool:
    """A tournament report has a player line, or at least the record of its name."""
    return any(line.startswith((b"001 ", b"012 ")) for line in data.removeprefix(b"\xef\xbb\xbf").splitlines())


# -- from a report ----------------------------------------------------------------------------------------------------


def _from_report(
    data: bytes, file: str, form: Form, code_page: str, *, plain_ascii: bool, comments: bool, final: bool
) -> tuple[bytes, Iterable[Adjustment]]:
    event, adjustments = read_trf(data, file, code_page)
    if is_team_event(event):
        read_teams(event, file)
    read_national(event, file)
    if form == "CSV":
        entries, lost = _entries(event)
        return _checked_entries(entries, file), (*adjustments, *lost)
    said, changes = translated(event, form, file)
    made = _report(said, form, file, plain_ascii=plain_ascii, comments=comments, final=final)
    return made, (*adjustments, *assumed(event), *changes)


def _report(
    event: TrfEvent, form: Generation, file: str, *, plain_ascii: bool, comments: bool, final: bool = False
) -> bytes:
    """The bytes of a report, read back and compared."""
    try:
        made = write_trf(event, form, plain_ascii=plain_ascii, comments=comments, final=final)
    except OpenGames:
        raise
    except ValueError as error:
        raise ConvertError(_("{file}: {why}").format(file=file, why=error)) from error
    try:
        again, _lenient = read_trf(made, _("{file} as {form}").format(file=file, form=form))
    except InterchangeError as error:
        message = _("As {form} this event would contradict itself, so nothing was written:\n{why}")
        raise ConvertError(message.format(form=form, why=error)) from error
    if not plain_ascii and _in_meaning(again, comments) != _in_meaning(event, comments):
        message = _("{file}: read back from {form} the event is not the same, so nothing was written. Use TRF26.")
        raise ConvertError(message.format(file=file, form=form))
    return made


def _in_meaning(event: TrfEvent, comments: bool) -> TrfEvent:
    """The event without what a form may order in its own way or leave out on request."""
    points_told = any(player.points for player in event.players)
    players = event.players if points_told else tuple(replace(p, points=None) for p in event.players)
    kept = tuple(sorted(event.comments)) if comments else ()
    return replace(event, players=players, comments=kept, comment_places=())


def _entries(event: TrfEvent) -> tuple[tuple[Entry, ...], list[Adjustment]]:
    """The players as entries, and what of the report has no place in a list."""
    told: list[Adjustment] = []
    if event.paired_rounds:
        what = ngettext(
            "the results of {rounds} round have no place in a list of entries; left out",
            "the results of {rounds} rounds have no place in a list of entries; left out",
            event.paired_rounds,
        )
        told.append(Adjustment(1, 1, what.format(rounds=event.paired_rounds)))
    national = {row.start_rank: row for row in read_national(event)}
    known = {"001", *(row.federation for row in national.values())}
    header = sorted(code for code in event.records if code not in known)
    if header:
        what = _("records {codes} have no place in a list of entries; left out")
        told.append(Adjustment(min(event.records[code] for code in header), 1, what.format(codes=", ".join(header))))
    entries = []
    for player, entry in zip(event.players, entries_from_trf(event), strict=True):
        if player.start_rank in national:
            rating = national[player.start_rank].rating
            entry = replace(entry, fide_rating=entry.rating, national_rating=rating)
        kept, lost = listable(entry)
        if player.title and not entry.title:
            lost = {**lost, "title": player.title}
        if player.birth != entry.birth:
            lost = {**lost, "birth": player.birth}
        for name, text in lost.items():
            told.append(_lost(player, name, text))
        entries.append(kept)
    return tuple(entries), told


#: Field of an entry → where it stands in a player line.
_COLUMNS = {"title": 11, "rating": 49, "federation": 54, "fide_id": 58, "birth": 70}


def _lost(player: TrfPlayer, name: str, text: str) -> Adjustment:
    what = _("player {number} ({name}): “{text}” has no place in a list of entries; left out")
    return Adjustment(
        max(player.line, 1),
        _COLUMNS.get(name, 15),
        what.format(number=player.start_rank, name=player.name, text=text),
    )


# -- from a list of entries -------------------------------------------------------------------------------------------


def _from_entries(
    data: bytes, file: str, form: Form, code_page: str | None, *, plain_ascii: bool
) -> tuple[bytes, Iterable[Adjustment]]:
    rows, adjustments = read_entry_rows(data, file, code_page or CSV_CODE_PAGE)
    told = list(adjustments)
    if not all(entry.tpn for _line, entry in rows):
        told.append(Adjustment(1, 1, _("the players are numbered by rating, title and name (C.04.2 2.2)")))
        order = sorted(rows, key=lambda row: strength(row[1]))
        rows = tuple((line, replace(entry, tpn=tpn)) for tpn, (line, entry) in enumerate(order, 1))
    if form == "CSV":
        return _checked_entries(tuple(entry for _line, entry in rows), file), told
    rows = tuple(sorted(rows, key=lambda row: row[1].tpn))
    event = TrfEvent(tuple(_player(entry, line, told) for line, entry in rows))
    said, changes = translated(event, form, file)
    return _report(said, form, file, plain_ascii=plain_ascii, comments=True), (*told, *changes)


def _player(entry: Entry, line: int, told: list[Adjustment]) -> TrfPlayer:
    """The line of an entry; a report has the FIDE rating and no place for the tournament's own, the club and so on."""
    rating = entry.fide_rating or entry.rating
    lost = {
        _("the club {text}"): entry.club,
        _("the tournament rating {text}"): entry.rating if entry.rating != rating else 0,
        _("the national rating {text}"): entry.national_rating,
        _("the source of the rating, {text},"): entry.source,
    }
    for what, text in lost.items():
        if text:
            message = _("{name}: {what} has no place in a report; left out")
            told.append(Adjustment(line, 1, message.format(name=entry.name, what=what.format(text=text))))
    return TrfPlayer(
        start_rank=entry.tpn,
        name=entry.name,
        sex=entry.sex,
        title=entry.title,
        rating=rating,
        federation=entry.federation,
        fide_id=entry.fide_id,
        birth=entry.birth,
        line=line,
    )


def _checked_entries(entries: tuple[Entry, ...], file: str) -> bytes:
    """The bytes of a list, read back and compared."""
    made = write_entries(entries)
    again, _lenient = read_entry_list(made, _("{file} as {form}").format(file=file, form="CSV"))
    if again != entries:
        message = _("{file}: read back from {form} the list is not the same, so nothing was written.")
        raise ConvertError(message.format(file=file, form="CSV"))
    return made


# -- writing ----------------------------------------------------------------------------------------------------------


def _write(made: bytes, source: Path, target: Path, force: bool) -> None:
    """Put the bytes in place in one step, after reading them back from the disk."""
    packed = gzip.compress(made, mtime=0) if target.name.lower().endswith(".gz") else made
    try:
        if target.exists():
            if not target.is_file():
                raise ConvertError(_("{file} is no file. Name another target.").format(file=target))
            if _same(target, made):
                return
            if not force:
                message = _("{file} is there already with other contents. Name another target, or allow to replace it.")
                raise ConvertError(message.format(file=target))
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with draft.open("xb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
            if not _same(draft, made):
                message = _("{file} was not stored as written. Check the disk, then convert {source} again.")
                raise ConvertError(message.format(file=target, source=source))
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        message = _("{file} cannot be written ({reason}). Name another target.")
        raise ConvertError(message.format(file=target, reason=error.strerror or error)) from error


def _same(path: Path, made: bytes) -> bool:
    """Do these bytes stand in a file, compressed or not?"""
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if data.startswith(_GZIP) else data) == made
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False
