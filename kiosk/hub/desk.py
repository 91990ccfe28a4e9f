"""What an arbiter can want, by the intent's kind: a table of small functions, each an act on the hall.

`rules.tournament.decisions` decides; here intents get their arguments, and what was decided becomes orders to tables.

Every intent may carry "by" (who wants it). A refusal whose answer has `d` = {"level", "token", "question", "warnings"}
is only a warning: the same data with "confirm": token, under a new intent id, go on (level 4 asks twice). A refusal
with `d` = {"saw", "now"} means that another desk was quicker. Fields in brackets may be left out.

| kind | data | what it does |
| --- | --- | --- |
| pair | [confirm] | computes the next round; open games become adjourned once that is confirmed |
| drop, publish, start, finish | | the draft, the sheet, the clocks, the event |
| pause, resume | [round, board, why, side] | clocks of one board, or of all (board 0) |
| times | board, white_ms, black_ms, [round, why] | sets a clock that stands |
| rule, result | board, score, [round, why, call, forfeit, rated, saw, by_what] | a result: a code of `results.CODES` |
| correct-result | board, score, why, [round, forfeit, rated, swapped, saw] | a recorded result put right |
| move-game | board, to (number where a table stands, or its name), why | goes on there; one that is open there |
| | | comes in exchange |
| adjourn | [round, board (0: all), why, white_ms, black_ms, to_move, sealed_by, envelope, fen] | goes on later |
| continue | board, [round, bonus_ms, side, increment, postpone, upheld] | a claim is turned down, or one of |
| | | Guidelines III is granted an increment or put off, or it was right and changes nothing; without bonus_ms the |
| | | opponent gets what the edition of the Laws says |
| correct, penalty | board, [round, data as in `rules.laws.game_orders`] | a game put right; an offence punished |
| dead | board, [round, squares "e4 f5"] | squares whose sensors are broken, none: all are good |
| envelope | board, [round, move, unsealed] | an adjourned game goes on with its sealed move |
| close-call | id, ruling | a call is dealt with |
| enter-late | name, [rating, title, federation, fide_id, birth, sex, club, why …] | one more player |
| correct-entry | tpn, [fields as above, fide_rating, national_rating, source, why, saw {field: value}] | his data |
| take-out | tpn, [why] | off the list, before round 1 is public |
| withdraw, return | tpn, [why, saw: "in", "withdrawn", "expelled"] | not paired any more; paired again |
| expel | tpn, why | out of the event by a ruling |
| flag | tpn, [on] | no half-point byes for him (free entry, conditions) |
| request-bye, bye | tpn, round, [kind H, F or Z, why, saw] | a bye by the regulations |
| revoke-bye | tpn, round, [why] | takes it back |
| open-check-in, check-in, close-check-in | ; tpn, [present]; missing {tpn: "round", "event", "pair"} | who is here |
| renumber; exchange-numbers | why; first, second, why | pairing numbers, until round 4 is paired |
| regulations | changes {field: value}, [why, saw {field: value}] | what was announced |
| forbid | players [tpn …], [first_round, last_round, why] | who must not meet |
| lot | what, seed, [choices [text …]] | "initial-colour", or any other lot |
| manual-open | why | the next round is made by hand from here on |
| manual-pairing | pairs [[white, black] …], [bye, why] | the whole round; with `why` it opens the phase too |
| manual-close | | compares with the engine's round |
| withdraw-sheet | why, [saw: checksum] | takes the public sheet back before a clock runs |
| add-board | white, black, why, [table] | a new board in the public round |
| set-unpaired | tpn, kind U, H, F or Z, why | what a player without a board gets in it |
| draw-numbers | seed, [apart] | the numbers of a round robin by lot, compatriots apart in the last three rounds |
| replace-pairs | boards [[board, white, black] …], why, [round] | others than those on the sheet sat there |
| excuse | tpn, round, [why, on] | a game lost by not coming had a reason |
| rating-list | name, valid_from, players [{fide_id, name, standard …} …], [origin, day] | a list has come |
| check-ratings; update-ratings | [day]; [players [tpn …], day, why] | are they the list's? They become so |
| pick-rating | tpn, list, kind | a rating of another list for who is not on the main one |
| rate-round | tpn, round, rating, [why] | another rating from a round on, in a long event |
| order-tied; outside-value | order [tpn …], why; tpn, value, why | tied players by hand; a value worked out elsewhere |
| undo, redo | [act, why, saw: act]; [act] | acts as listed by the question "book" |
| fide-exit | why | leaves FIDE handling for good |

Questions (answered in `d`, nothing is stored): snapshot, standings [round], game board [round], draft,
correction (data of correct-result: what it would touch), book (acts, notes, byes, checks of the
draft, who is away, warnings).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _

from kiosk.hub.act import Refused
from kiosk.hub.desk_book import BOOK, free_tables, rule_at_table, seats_taken
from kiosk.hub.desk_intent import Data, DeskIntent, flag, number, score_of, side_of
from kiosk.hub.desk_intent import text as text
from kiosk.hub.desk_laws import LAWS, answer_words, claim_answer, ruled
from kiosk.hub.desk_lists import LISTS
from kiosk.hub.duties import game_id
from kiosk.hub.effects import NEEDS_RULING, SETTLED_BY_RESULT
from kiosk.hub.places import move_game, names_told
from rules.tournament.decisions import pairing_problem
from rules.tournament.events import Published, Resulted
from rules.tournament.intents import CloseCall, DropDraft, Finish, OpenCall, Publish, Rule, Start, Withdraw
from rules.tournament.state import Round


class Desk(DeskIntent):
    """One intent of a desk on its way to events."""

    def run(self, kind: str, d: Data) -> None:
        """Do what is wanted; the events are in `act`. Raises `Refused`, and nothing has happened."""
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise Refused(_("This hub does not know {kind!r}: update it, or the desk.").format(kind=kind))
        handler(self, d)
        names_told(self)


# -- rounds -----------------------------------------------------------------------------------------------------------


def pairing_refusal(desk: DeskIntent) -> None:
    """Raise `Refused` when no pairing can be made now, before anything long is computed."""
    problem = pairing_problem(desk.act.state, desk.act.seen)
    if problem is not None:
        raise Refused(problem.why, problem)


def _drop(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(DropDraft())


def _known_rev(desk: DeskIntent) -> int:
    """The latest revision of the draft's round that a table has: more than this log knows if an older one was lost."""
    draft = desk.act.state.draft
    number = draft.number if draft is not None else 0
    known = [rev for table in desk.hall.tables.values() for round_, rev in (table.told, table.held) if round_ == number]
    return max(known, default=0)


def _publish(desk: DeskIntent, d: Data) -> None:
    events = desk.act.decide(Publish(free_tables(desk), _known_rev(desk)))
    for event in events:
        if isinstance(event, Published):
            seats_taken(desk, event)
        if isinstance(event, Published) and event.round > 1:
            desk.act.seal(event.round - 1, desk.log)


def _start(desk: DeskIntent, d: Data) -> None:
    events = desk.act.decide(Start())
    current = desk.act.state.current_round
    if current is None:
        return
    if events:
        desk.act.start_orders(current.number)
        return
    # Pressed again: those that stand ready and have no order to start, because a device was replaced, say.
    ordered = {order.game for order in desk.act.state.orders.values() if order.kind == "start"}
    for board in (*desk.in_phase(current, current.open_boards, "assigned"),
                  *desk.in_phase(current, current.open_boards, "ready")):  # fmt: skip
        if game_id(current.number, board) not in ordered:
            desk.order(current, board, "start", {})


def _finish(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Finish())
    current = desk.act.state.current_round
    if current is not None:
        desk.act.seal(current.number, desk.log)


# -- clocks -----------------------------------------------------------------------------------------------------------


def _pause(desk: DeskIntent, d: Data) -> None:
    sheet = desk.sheet(d)
    board = number(d, "board", 0)
    boards = desk.in_phase(sheet, [board] if board else (p.board for p in sheet.pairs), "playing")
    if not boards:
        raise Refused(_("Board {board} is not playing.").format(board=board) if board else _("No game is running."))
    for each in boards:
        desk.order(sheet, each, "pause", {"why": text(d, "why")})


def _resume(desk: DeskIntent, d: Data) -> None:
    sheet = desk.sheet(d)
    board = number(d, "board", 0)
    boards = desk.in_phase(sheet, [board] if board else (p.board for p in sheet.pairs), "paused")
    if not board:
        # A claim or an illegal move is answered by a ruling, not by an order to all.
        asked = {c.board for c in desk.act.state.calls.values() if c.kind in NEEDS_RULING and c.round == sheet.number}
        boards = [each for each in boards if each not in asked]
    if not boards:
        raise Refused(_("Board {board} is not paused.").format(board=board) if board else _("No game is paused."))
    stale = [c for c in desk.act.state.calls.values() if (c.round, c.board, c.kind) == (sheet.number, board, "times")]
    if stale:
        raise Refused(_("Board {board}: {why}. Set the clocks first.").format(board=board, why=stale[0].why))
    side = side_of(d, "side") if board else None
    for each in boards:
        desk.order(sheet, each, "resume", {"side": side} if side else {})


def _times(desk: DeskIntent, d: Data) -> None:
    sheet, board = desk.place(d)
    white, black = number(d, "white_ms"), number(d, "black_ms")
    if min(white, black) <= 0:
        raise Refused(_("Both times must be above zero."))
    if desk.in_phase(sheet, [board], "playing"):
        raise Refused(_("Board {board} is playing: pause it, then set its clock.").format(board=board))
    desk.order(sheet, board, "times", {"white_ms": white, "black_ms": black, "why": text(d, "why")})
    for call in tuple(desk.act.state.calls.values()):
        if (call.round, call.board, call.kind) == (sheet.number, board, "times"):
            desk.act.decide(CloseCall(call.id, _("the clocks are set")))
            why = _("the clocks are set: let play go on")
            desk.act.decide(OpenCall(f"{call.id}-set", sheet.number, board, "resume", "", why))


# -- rulings ----------------------------------------------------------------------------------------------------------


def _rule(desk: DeskIntent, d: Data) -> None:
    sheet, board = desk.place(d)
    code, why = score_of(d), text(d, "why")
    saw = text(d, "saw") if "saw" in d else None
    wanted = Rule(
        sheet.number, board, code.score, why, text(d, "call"), not code.played, code.rated or not code.played, saw
    )
    events = ruled(desk, sheet, board, wanted)
    _settle(desk, sheet, board, code.score)
    # A game that is final at its table, or whose table has gone on, is corrected in the results only.
    is_final = desk.hall.phase(sheet.number, board) == "confirmed" or desk.act.state.current_round != desk.sheet(d)
    if any(isinstance(event, Resulted) for event in events) and not is_final and board in sheet.tables:
        rule_at_table(desk, sheet, board, code.score, why, text(d, "by_what"))


def _settle(desk: DeskIntent, sheet: Round, board: int, score: str) -> None:
    """A result settles what else was asked about the board."""
    for call in tuple(desk.act.state.calls.values()):
        if (call.round, call.board) == (sheet.number, board) and call.kind in SETTLED_BY_RESULT:
            desk.act.decide(CloseCall(call.id, score))


def _continue(desk: DeskIntent, d: Data) -> None:
    sheet, board = desk.place(d)
    calls = [c for c in desk.act.state.calls.values() if (c.round, c.board, c.kind) == (sheet.number, board, "claim")]
    if not calls:
        raise Refused(_("There is no open claim at board {board}.").format(board=board))
    data = claim_answer(desk, sheet, board, d, calls[0].side)
    for call in calls:
        desk.act.decide(CloseCall(call.id, answer_words(desk, sheet, board, data, flag(d, "upheld"))))
    desk.order(sheet, board, "continue", data)


def _close_call(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(CloseCall(text(d, "id"), text(d, "ruling")))


# -- players ----------------------------------------------------------------------------------------------------------


def _withdraw(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Withdraw(number(d, "tpn"), text(d, "why"), text(d, "saw")))


_HANDLERS: Mapping[str, Callable[[DeskIntent, Data], None]] = {
    "drop": _drop,
    "publish": _publish,
    "start": _start,
    "finish": _finish,
    "pause": _pause,
    "resume": _resume,
    "times": _times,
    "rule": _rule,
    "result": _rule,
    "continue": _continue,
    "close-call": _close_call,
    "withdraw": _withdraw,
    "move-game": move_game,
    **BOOK,
    **LAWS,
    **LISTS,
}
