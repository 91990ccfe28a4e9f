"""The hub's side towards the desks: each intent is carried out once and answered with the same words for ever."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any

from hallnet.views import BoardRows
from hallnet.wire import TOKEN, DeskIn, DeskOut, WireError, decode, encode
from kiosk.hub import views
from kiosk.hub.act import Act, Refused
from kiosk.hub.book_view import told_book, told_correction, told_refusal, told_sheet
from kiosk.hub.books import Books
from kiosk.hub.desk import Desk, pairing_refusal
from kiosk.hub.desk_book import correction
from kiosk.hub.desk_intent import number, text
from kiosk.hub.desk_lists import today
from kiosk.hub.duties import player
from kiosk.hub.inputs import Compute, FromDesk, PairingDone, Send
from kiosk.hub.pairer import Job
from kiosk.hub.prizes_view import told_prizes
from kiosk.hub.streams import standings_view
from rules.tournament.intents import Pair
from rules.tournament.regulations import is_day, no_day

#: Answers that are remembered; older ones are found in the log by their cause.
_REMEMBERED = 1_000


class DeskSide:
    """All desks of the hall."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self._answers: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._computing: dict[tuple[str, str], str] = {}

    def take(self, item: FromDesk) -> None:
        """One intent or question; the answer has its id."""
        if not TOKEN.match(item.desk):
            return
        try:
            intent = decode(item.payload, DeskIn)
        except WireError as error:
            self.books.set_aside(self.books.address.desk(item.desk, "in"), item.payload, str(error))
            return
        known = self._answers.get((item.desk, intent.id))
        if known is not None:
            self.books.out.append(Send(self.books.address.desk(item.desk, "out"), known))
            return
        if (item.desk, intent.id) in self._computing:
            return
        query = _QUERIES.get(intent.kind)
        try:
            if query is not None:
                self._answer(item.desk, DeskOut(id=intent.id, ok=True, d=query(self, intent.d, item)), keep=False)
            elif not self._done_before(item.desk, intent):
                self._intend(item, intent)
        except Refused as refused:
            self._answer(item.desk, _refused(intent.id, refused), keep=query is None)

    def _done_before(self, desk: str, intent: DeskIn) -> bool:
        """Was this intent carried out by an earlier process of this hub, which could not answer any more?"""
        kinds = self.books.log.kinds_caused_by(_cause(desk, intent.id))
        if kinds:
            self._answer(desk, DeskOut(id=intent.id, ok=True, events=kinds))
        return bool(kinds)

    def _intend(self, item: FromDesk, intent: DeskIn) -> None:
        by, seen = text(intent.d, "by"), text(intent.d, "confirm")
        act = Act(self.books.hall.state, item.wall, by or "arbiter", seen)
        desk = Desk(self.books.hall, self.books.log, act)
        if intent.kind == "pair":
            self._pair(item.desk, intent.id, desk)
            return
        desk.run(intent.kind, intent.d)
        self._done(item.desk, intent.id, act)

    def _pair(self, name: str, intent: str, desk: Desk) -> None:
        """Have the next round's pairing computed outside; the answer comes as `PairingDone`."""
        pairing_refusal(desk)
        state = self.books.hall.state
        assert state.regulations is not None
        before = state.pairing_state()
        self._computing[(name, intent)] = desk.act.seen
        self.books.out.append(Compute(name, intent, desk.act.by, before.digest, Job(state.regulations.system, before)))

    def paired(self, item: PairingDone) -> None:
        """A pairing was computed; it becomes the draft if nothing has changed meanwhile."""
        seen = self._computing.pop((item.desk, item.intent), "")
        act = Act(self.books.hall.state, item.wall, item.by, seen)
        try:
            if item.outcome.answer is None:
                raise Refused(item.outcome.why)
            act.decide(Pair(item.outcome.answer, item.basis))
        except Refused as refused:
            self._answer(item.desk, _refused(item.intent, refused))
            return
        self._done(item.desk, item.intent, act)

    def _done(self, desk: str, intent: str, act: Act) -> None:
        self.books.record(act.events, _cause(desk, intent))
        self.books.hurry = True
        self._answer(desk, DeskOut(id=intent, ok=True, events=act.kinds))

    def _answer(self, desk: str, out: DeskOut, keep: bool = True) -> None:
        payload = encode(out)
        if keep:
            self._answers[(desk, out.id)] = payload
            if len(self._answers) > _REMEMBERED:
                self._answers.popitem(last=False)
        self.books.out.append(Send(self.books.address.desk(desk, "out"), payload))

    def _query_snapshot(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        return self.books.streams.snapshot(item.at, item.wall)

    def _query_standings(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        state, streams = self.books.hall.state, self.books.streams
        after = number(d, "round", -1)
        if after > len(state.rounds):
            raise Refused(_("Round {round} is not public.").format(round=after))
        return streams.standings() if after < 0 else standings_view(state, after, streams.revision)

    def _query_game(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        hall = self.books.hall
        sheet, board = Desk(hall, self.books.log, Act(hall.state, item.wall, "")).place(d)
        pair = sheet.pair(board)
        assert pair is not None  # `place` has looked
        row = self.books.streams.row(sheet, pair, item.at)
        game = hall.game(sheet.number, board)
        return views.game_view(row, sheet.number, game, views.board_log(hall.state, sheet.number, board, game))

    def _query_draft(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        state, streams = self.books.hall.state, self.books.streams
        draft = state.draft or state.current_round
        if draft is None:
            raise Refused(_("Nothing is paired yet."))
        rows = BoardRows(round=draft.number, revision=streams.revision, rows=streams.rows(item.at), whole=True)
        return {
            "round": draft.number,
            "rows": rows,
            "bye": player(state, draft.bye) if draft.bye is not None else None,
            "byes": {str(tpn): kind for tpn, kind in draft.byes.items()},
            "reasons": draft.reasons,
        }


def _refused(intent: str, refused: Refused) -> DeskOut:
    """The answer to an intent that is refused; `d` has what must be seen first, or what two desks differ in."""
    return DeskOut(id=intent, ok=False, why=str(refused), d=told_refusal(refused.refusal))


def _cause(desk: str, intent: str) -> tuple[str, int, int]:
    """A desk's intent as the cause of events in the log; no table's id has dots."""
    return f"d.{desk}.{intent}", 0, 0


def _query_correction(side: DeskSide, d: Mapping[str, Any], item: FromDesk) -> Any:
    hall = side.books.hall
    return told_correction(hall.state, correction(Desk(hall, side.books.log, Act(hall.state, item.wall, "")), d))


def _query_book(side: DeskSide, d: Mapping[str, Any], item: FromDesk) -> Any:
    day = text(d, "day") or today(item.wall)
    if not is_day(day):
        raise Refused(no_day(day))
    return told_book(side.books.hall.state, day)


def _query_sheet(side: DeskSide, d: Mapping[str, Any], item: FromDesk) -> Any:
    return told_sheet(side.books.hall.state, number(d, "round", 0))


def _query_prizes(side: DeskSide, d: Mapping[str, Any], item: FromDesk) -> Any:
    after = number(d, "round", -1)
    return told_prizes(side.books.hall.state, after if after >= 0 else None)


_QUERIES: Mapping[str, Callable[[DeskSide, Mapping[str, Any], FromDesk], Any]] = {
    "snapshot": DeskSide._query_snapshot,
    "standings": DeskSide._query_standings,
    "game": DeskSide._query_game,
    "draft": DeskSide._query_draft,
    "correction": _query_correction,
    "book": _query_book,
    "sheet": _query_sheet,
    "prizes": _query_prizes,
}
