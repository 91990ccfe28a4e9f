"""What an action is about, where the cursor is on nothing of the kind: it is chosen from a list. Data, pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kiosk.desk.context import Context, Place
from kiosk.widgets.language import _
from kiosk.widgets.words import cut
from rules.tournament.results import code_of


@dataclass(frozen=True, slots=True)
class Subject:
    """`has`: is one selected? `known`: (key, line) of all there are; `pick` puts one into the context."""

    title: str
    has: Callable[[Context], bool]
    known: Callable[[Context], list[tuple[str, str]]]
    pick: Callable[[Context, str], Context]
    basis: Callable[[Context], object]


def place_of(c: Context, board: int, number: int = 0, left: tuple[int, int] | None = None) -> Place | None:
    """A board of the hall's round, or of the sheet that is shown; `left`: what its clocks show."""
    number = number or c.round
    row = next((r for r in c.hall.boards.rows if r.board == board), None) if c.hall and number == c.round else None
    pair = next((p for p in c.sheet.pairs if p.board == board), None) if c.sheet.round == number else None
    if row is None and pair is None:
        return None
    if row is not None and pair is None:
        forfeit = row.ended_by == "forfeit"
        code = code_of(row.score, forfeit) if row.state in ("confirmed", "ruled") else None
        return Place(number, board, row.white.name, row.black.name, row.white.tpn, row.black.tpn, row,
                     code.code if code else "", False, left)  # fmt: skip
    assert pair is not None
    white, black = c.name(pair.white), c.name(pair.black)
    code_known = pair.code
    if row is not None and row.state not in ("confirmed", "ruled"):
        code_known = ""
    return Place(number, board, white, black, pair.white, pair.black, row, code_known, pair.adjourned, left)


def _boards(c: Context) -> list[tuple[str, str]]:
    if c.page == "round" and c.sheet.pairs:
        return [(f"{c.sheet.round} {p.board}", f"{p.board}  {c.name(p.white)} - {c.name(p.black)}")
                for p in c.sheet.pairs]  # fmt: skip
    rows = c.hall.boards.rows if c.hall else ()
    return [(f"{c.round} {r.board}", f"{r.board}  {r.white.name} - {r.black.name}")
            for r in sorted(rows, key=lambda r: r.board)]  # fmt: skip


def _pick_board(c: Context, key: str) -> Context:
    number, board = map(int, key.split())
    return replace(c, place=place_of(c, board, number))


def _place_basis(c: Context) -> object:
    if c.place is None:
        return None
    now = place_of(c, c.place.board, c.place.round)
    if now is None:
        return ""
    row = now.row
    return (now.code, now.white_tpn, now.black_tpn, row and (row.state, row.score))


def _players(c: Context) -> list[tuple[str, str]]:
    return [(str(tpn), f"{tpn}  {name}") for tpn, name in sorted(c.names.items())]


def _devices(c: Context) -> list[tuple[str, str]]:
    devices = c.office.devices if c.office else ()
    return [(f"{d.role} {d.name} {d.key}", f"{d.role} {d.name}  {d.serial}") for d in devices]


def _regulations(c: Context) -> list[tuple[str, str]]:
    fields = (c.book.regulations or {}).items()
    return [(name, cut(f"{name.replace('_', ' ')}: {_written(value)}", 68)) for name, value in fields]


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        words = [str(each) for each in value]
        return ("; " if any(" " in word for word in words) else " ").join(words)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)


def subjects() -> Mapping[str, Subject]:
    """Name in an action's row → the subject."""
    return {
        "place": Subject(_("Which board?"), lambda c: c.place is not None, _boards, _pick_board, _place_basis),
        "player": Subject(
            _("Which player?"), lambda c: c.player is not None, _players,
            lambda c, key: replace(c, player=c.book.player(int(key))),
            lambda c: c.book.player(c.player.tpn) if c.player else None,
        ),
        "step": Subject(
            _("Which act?"), lambda c: c.step is not None, lambda c: [(str(s.act), s.what) for s in c.book.undo],
            lambda c, key: replace(c, step=next((s for s in c.book.undo if str(s.act) == key), None)),
            lambda c: c.book.undo[0].act if c.book.undo else 0,
        ),
        "device": Subject(
            _("Which device?"), lambda c: c.device is not None, _devices,
            lambda c, key: replace(c, device=next((d for d in c.office.devices if key == f"{d.role} {d.name} {d.key}"),
                                                  None) if c.office else None),
            lambda c: c.device and c.device.key,
        ),
        "regulation": Subject(_("Which of the regulations?"), lambda c: c.regulation_name != "", _regulations,
                              lambda c, key: replace(c, regulation_name=key), lambda c: None),
    }  # fmt: skip
