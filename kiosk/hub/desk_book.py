"""The arbiter's book at the desk: entries, byes, rounds by hand, sheets taken back, corrections, undo.

Each function takes its arguments out of plain data and asks `rules.tournament.decisions`; the table at the head of
`kiosk.hub.desk` says what data each kind has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from gettext import gettext as _
from typing import Any, cast, get_args

from kiosk.hub.act import Refused
from kiosk.hub.desk_intent import Data, DeskIntent, flag, number, score_of, text
from rules.interchange.csv_layouts import READERS
from rules.interchange.csv_layouts import Refused as NotListable
from rules.laws import time_control
from rules.laws.events import Score
from rules.tournament.book_events import BoardAdded, SheetWithdrawn
from rules.tournament.book_intents import (
    AddBoard,
    Adjourn,
    ChangeRegulations,
    CheckIn,
    CloseCheckIn,
    CloseManual,
    CorrectEntry,
    CorrectResult,
    DrawLot,
    EnterLate,
    ExchangeNumbers,
    ExitFide,
    Expel,
    Flag,
    Forbid,
    MakeRound,
    Missing,
    OpenCheckIn,
    OpenManual,
    Redo,
    Renumber,
    RequestBye,
    Return,
    RevokeBye,
    SetUnpaired,
    TakeOut,
    Undo,
    WithdrawSheet,
)
from rules.tournament.entries import Entry
from rules.tournament.events import ByeKind, Published, TournamentEvent
from rules.tournament.intents import ConfirmOrder
from rules.tournament.state import Round

#: Fields of an entry that a desk may give, with the type of each; its number is never among them.
_ENTRY_TEXTS = ("name", "title", "federation", "birth", "sex", "club", "source")
_ENTRY_NUMBERS = ("rating", "fide_id", "fide_rating", "national_rating")
#: What is known of a sealed move: texts and numbers.
_SEALED_TEXTS = ("to_move", "sealed_by", "envelope", "fen")
_SEALED_NUMBERS = ("white_ms", "black_ms")


def _bye_kind(d: Data, default: ByeKind | None = None) -> ByeKind:
    kind = text(d, "kind") or default
    if kind not in get_args(ByeKind):
        raise Refused(_("{kind!r} is no kind of bye: H, F or Z.").format(kind=kind or ""))
    return cast(ByeKind, kind)


# -- entries ----------------------------------------------------------------------------------------------------------


def _told(d: Data, base: Entry) -> Entry:
    """An entry with what the data say of it; everything else as in `base`."""
    changes: dict[str, Any] = {name: " ".join(text(d, name).split()) for name in _ENTRY_TEXTS if name in d}
    changes |= {name: number(d, name) for name in _ENTRY_NUMBERS if name in d}
    return replace(base, **changes)


def _entry(d: Data, base: Entry) -> Entry:
    """The same, where new values are those that a list of entries and a report can hold; raises `Refused`."""
    entry = _told(d, base)
    read: dict[str, Any] = {}
    for name in (*_ENTRY_TEXTS, *_ENTRY_NUMBERS):
        value = getattr(entry, name)
        if name == "name" or value == getattr(base, name):
            continue  # that there is a name is decided with the entry; what stands there already may stay
        try:
            read[name] = READERS[name](str(value or ""))
        except NotListable as error:
            raise Refused(_("{what}: {remedy}.").format(what=error.what, remedy=error.remedy)) from None
    return replace(entry, **read)


def _enter_late(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(EnterLate(_entry(d, Entry(0, "", source="manual")), text(d, "why")))


def _take_out(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(TakeOut(number(d, "tpn"), text(d, "why")))


def _known_entry(desk: DeskIntent, d: Data) -> Entry:
    tpn = number(d, "tpn")
    found = desk.act.state.entries.get(tpn)
    if found is None:
        raise Refused(_("There is no player {tpn}.").format(tpn=tpn))
    return found


def _correct_entry(desk: DeskIntent, d: Data) -> None:
    now = _known_entry(desk, d)
    saw = d.get("saw")
    seen = _told(saw, now) if isinstance(saw, Mapping) else None
    desk.act.decide(CorrectEntry(_entry(d, now), text(d, "why"), seen))


def _renumber(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Renumber(text(d, "why")))


def _exchange(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(ExchangeNumbers(number(d, "first"), number(d, "second"), text(d, "why")))


def _return(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Return(number(d, "tpn"), text(d, "why"), text(d, "saw")))


def _expel(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Expel(number(d, "tpn"), text(d, "why")))


def _flag(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Flag(number(d, "tpn"), flag(d, "on", True)))


def _request_bye(desk: DeskIntent, d: Data) -> None:
    saw = text(d, "saw") if "saw" in d else None
    desk.act.decide(RequestBye(number(d, "tpn"), number(d, "round"), _bye_kind(d, "H"), text(d, "why"), saw))


def _revoke_bye(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(RevokeBye(number(d, "tpn"), number(d, "round"), text(d, "why")))


def _open_check_in(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(OpenCheckIn())


def _check_in(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(CheckIn(number(d, "tpn"), flag(d, "present", True)))


def _close_check_in(desk: DeskIntent, d: Data) -> None:
    missing = d.get("missing", {})
    choices = get_args(Missing)
    if not isinstance(missing, Mapping) or not all(
        str(tpn).isdigit() and choice in choices for tpn, choice in missing.items()
    ):
        raise Refused(_("missing must say round, event or pair for each number."))
    desk.act.decide(CloseCheckIn({int(tpn): cast(Missing, choice) for tpn, choice in missing.items()}))


def _regulations(desk: DeskIntent, d: Data) -> None:
    changes, saw = d.get("changes", {}), d.get("saw", {})
    if not isinstance(changes, Mapping) or not isinstance(saw, Mapping):
        raise Refused(_("changes and saw must name fields of the regulations."))
    now = desk.act.state.regulations
    known = asdict(now) if now is not None else {}
    for values in (changes, saw):
        for name, value in values.items():
            like = known.get(name, value)
            wanted = list if isinstance(like, tuple) else type(like)
            if not isinstance(value, wanted) or (isinstance(value, bool) != isinstance(like, bool)):
                raise Refused(_("{value!r} is no value for {field}.").format(value=value, field=name))
    desk.act.decide(ChangeRegulations(_tuples(changes), text(d, "why"), _tuples(saw)))


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _numbers(d: Data, key: str) -> tuple[int, ...]:
    value = d.get(key, ())
    if not isinstance(value, list | tuple) or not all(type(each) is int for each in value):
        raise Refused(_("{key} must be a list of numbers.").format(key=key))
    return tuple(value)


def _forbid(desk: DeskIntent, d: Data) -> None:
    first, last = number(d, "first_round", 1), number(d, "last_round", 0)
    desk.act.decide(Forbid(_numbers(d, "players"), first, last, text(d, "why")))


def _lot(desk: DeskIntent, d: Data) -> None:
    choices = d.get("choices", ())
    if not isinstance(choices, list | tuple) or not all(isinstance(each, str) for each in choices):
        raise Refused(_("choices must be a list of texts."))
    desk.act.decide(DrawLot(text(d, "what"), number(d, "seed"), tuple(choices)))


# -- rounds -----------------------------------------------------------------------------------------------------------


def _manual_open(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(OpenManual(text(d, "why")))


def _manual_pairing(desk: DeskIntent, d: Data) -> None:
    """The whole round by hand; with a reason it also opens the manual phase."""
    pairs = d.get("pairs", ())
    if not isinstance(pairs, list | tuple):
        raise Refused(_("pairs must be a list of [White, Black]."))
    made = tuple(_numbers({"pairs": pair}, "pairs") for pair in pairs)
    if any(len(pair) != 2 for pair in made):
        raise Refused(_("pairs must be a list of [White, Black]."))
    if not desk.act.state.manual and text(d, "why"):
        _manual_open(desk, d)
    bye = number(d, "bye", 0)
    desk.act.decide(MakeRound(tuple((pair[0], pair[1]) for pair in made), bye or None))


def _manual_close(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(CloseManual())


def free_tables(desk: DeskIntent) -> tuple[str, ...]:
    """The tables for the next sheet, in the order in which they take boards: those with an adjourned game last."""
    held = {sheet.tables[board] for sheet, board in _held(desk)}
    return tuple(sorted(desk.hall.enrolled, key=lambda table: table in held))


def _held(desk: DeskIntent) -> list[tuple[Round, int]]:
    """Adjourned games that still stand at their tables."""
    return [
        (sheet, board)
        for sheet in desk.act.state.rounds
        for board in sheet.adjourned
        if board in sheet.tables and desk.hall.phase(sheet.number, board) in ("playing", "paused")
    ]


def seats_taken(desk: DeskIntent, published: Published) -> None:
    """A sheet is public: nothing of an older sheet may clear its games, and adjourned games make room where needed."""
    for order in tuple(desk.act.state.orders.values()):
        if order.kind == "clear":
            desk.act.decide(ConfirmOrder(order.id, ok=False, why=_("a newer sheet is public")))
    seats = set(published.tables.values())
    for sheet, board in _held(desk):
        if sheet.number != published.round and sheet.tables[board] in seats:
            # Moves and times are in the hub's log; the game goes on by hand.
            desk.order(sheet, board, "clear", {"why": _("adjourned"), "force": 1})


def _withdraw_sheet(desk: DeskIntent, d: Data) -> None:
    _sheets_back(desk, desk.act.decide(WithdrawSheet(text(d, "why"), text(d, "saw"))))


def _sheets_back(desk: DeskIntent, events: tuple[TournamentEvent, ...]) -> None:
    """Tables forget the games of a sheet that was withdrawn; a device that was away hears of it when it is back."""
    for event in events:
        if not isinstance(event, SheetWithdrawn):
            continue
        old = desk.act.state.old_sheets[event.round][-1]
        data: dict[str, str | int] = {"why": _("the pairing is withdrawn"), "round": event.round, "rev": event.rev}
        if old.started:
            data["force"] = 1
        for table in old.tables.values():
            desk.act.order(table, "", "clear", data)


def _add_board(desk: DeskIntent, d: Data) -> None:
    """A new board takes the table that is named, else the first free one."""
    sheet = desk.sheet({})
    taken = set(sheet.tables.values()) | {held.tables[board] for held, board in _held(desk)}
    free = next((table for table in desk.hall.enrolled if table not in taken), "")
    table = text(d, "table") or free
    if table and table not in desk.hall.enrolled:
        raise Refused(_("There is no table {table}.").format(table=table))
    events = desk.act.decide(AddBoard(number(d, "white"), number(d, "black"), table, text(d, "why")))
    for event in events:
        if isinstance(event, BoardAdded) and event.table and sheet.started:
            _late_times(desk, event)


def _late_times(desk: DeskIntent, event: BoardAdded) -> None:
    """What the clocks of a board that joins a running round have left, if the regulations count the time gone.

    The arbiter starts it with the key that starts a round, once the two sit there.
    """
    regulations, sheet = desk.act.state.regulations, desk.act.state.rounds[event.round - 1]
    if regulations is None or regulations.late_clock == "full":
        return
    control = time_control.parse(regulations.control)
    gone = int((desk.act.at - sheet.started_at) * desk.hall.speed)
    white, black = (max(1000, control.periods(side)[0].main_ms - gone) for side in ("white", "black"))
    why = _("the round had been running")
    desk.order(sheet, event.pair.board, "times", {"white_ms": white, "black_ms": black, "why": why})


def _set_unpaired(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(SetUnpaired(number(d, "tpn"), _bye_kind(d), text(d, "why")))


# -- results ----------------------------------------------------------------------------------------------------------


def rule_at_table(desk: DeskIntent, sheet: Round, board: int, score: str, why: str, by_what: str = "") -> None:
    """Tell the table the arbiter's result; one that tables do not know only ends the game there.

    `by_what` says what ended the game, if it was not the ruling itself ("flag", "default").
    """
    if score in get_args(Score):
        desk.order(sheet, board, "rule", {"score": score, "why": why} | ({"by": by_what} if by_what else {}))
    else:
        desk.order(sheet, board, "clear", {"why": why, "force": 1})


def correction(desk: DeskIntent, d: Data) -> CorrectResult:
    """The correction that the data of "correct-result" speak of."""
    sheet, board = desk.place(d)
    code = score_of(d)
    saw = text(d, "saw") if "saw" in d else None
    rated = code.rated or not code.played
    swapped = flag(d, "swapped")
    return CorrectResult(sheet.number, board, code.score, not code.played, rated, swapped, text(d, "why"), saw)


def _correct_result(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(correction(desk, d))


def _adjourn(desk: DeskIntent, d: Data) -> None:
    """One board, or with board 0 all that are open. A table that plays the game seals it."""
    sheet = desk.sheet(d)
    board = number(d, "board", 0)
    sealed: dict[str, str | int] = {name: text(d, name) for name in _SEALED_TEXTS if text(d, name)}
    sealed |= {name: number(d, name) for name in _SEALED_NUMBERS if name in d}
    boards = (board,) if board else sheet.open_boards
    if not boards:
        raise Refused(_("No game of round {round} is open.").format(round=sheet.number))
    for each in boards:
        events = desk.act.decide(Adjourn(sheet.number, each, text(d, "why"), sealed))
        if events and desk.in_phase(sheet, [each], "playing") + desk.in_phase(sheet, [each], "paused"):
            data: dict[str, str | int] = {"why": text(d, "why") or _("adjourned"), "envelope": text(d, "envelope")}
            desk.order(sheet, each, "adjourn", data)


# -- handling ---------------------------------------------------------------------------------------------------------


def _undo(desk: DeskIntent, d: Data) -> None:
    _sheets_back(desk, desk.act.decide(Undo(number(d, "act", 0), text(d, "why"), number(d, "saw", 0))))


def _redo(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Redo(number(d, "act", 0)))


def _fide_exit(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(ExitFide(text(d, "why")))


#: Intent → what it does.
BOOK: Mapping[str, Callable[[DeskIntent, Data], None]] = {
    "enter-late": _enter_late,
    "take-out": _take_out,
    "correct-entry": _correct_entry,
    "renumber": _renumber,
    "exchange-numbers": _exchange,
    "return": _return,
    "expel": _expel,
    "flag": _flag,
    "request-bye": _request_bye,
    "bye": _request_bye,
    "revoke-bye": _revoke_bye,
    "open-check-in": _open_check_in,
    "check-in": _check_in,
    "close-check-in": _close_check_in,
    "regulations": _regulations,
    "forbid": _forbid,
    "lot": _lot,
    "manual-open": _manual_open,
    "manual-pairing": _manual_pairing,
    "manual-close": _manual_close,
    "withdraw-sheet": _withdraw_sheet,
    "add-board": _add_board,
    "set-unpaired": _set_unpaired,
    "correct-result": _correct_result,
    "adjourn": _adjourn,
    "undo": _undo,
    "redo": _redo,
    "fide-exit": _fide_exit,
}
