"""Actions on one game: clocks, penalties, the record put right, adjournment. A table of rows."""

from __future__ import annotations

from typing import get_args

from kiosk.desk.actions import Action, Form
from kiosk.desk.context import UNDER_WAY, Context
from kiosk.desk.fields import Choice, Field, Values, reason, yes_no
from kiosk.widgets.language import _
from kiosk.widgets.words import result_words, side_name
from rules.laws.clock_display import display
from rules.laws.edition import SetupError
from rules.laws.sides import SIDES
from rules.tournament.results import CODES

PAGES = ("hall", "board")


def on_sheet(c: Context) -> str:
    """Why a board cannot be meant: the page shows a round that is only being made, or a draft."""
    if c.page != "round" or (c.hand is None and c.sheet.rev):
        return ""
    return _("This round is not public yet.")


def under_way(c: Context) -> str:
    """Why the game cannot be put right, punished or adjourned."""
    if on_sheet(c):
        return on_sheet(c)
    row = c.place.row if c.place else None
    return "" if row is None or row.state in UNDER_WAY else _("No game is under way at this board.")


def has_clock(c: Context) -> str:
    """Why no clocks can be set."""
    row = c.place.row if c.place else None
    return "" if c.place is None or (row is not None and row.clock) else _("This board has no clocks to set.")


def sides() -> tuple[Choice, ...]:
    """White or Black."""
    return tuple(Choice(side, side_name(side)) for side in SIDES)


def offences() -> tuple[Choice, ...]:
    """What players are punished for (Laws 6.6, 8, 11, 12.9) besides illegal moves: word of the log, words."""
    return (
        Choice("conduct", _("conduct")),
        Choice("device", _("phone or other device")),
        Choice("disturbing", _("disturbing the opponent")),
        Choice("notes", _("notes or help")),
        Choice("scoresheet", _("no written moves")),
        Choice("clock", _("misuse of the clock")),
        Choice("touch-move", _("touched piece not moved")),
        Choice("left-hall", _("left the playing area")),
        Choice("late", _("late")),
        Choice("dress", _("dress")),
        Choice("refusal", _("refused to obey")),
    )


def penalties() -> tuple[Choice, ...]:
    """The steps of 12.9 that a game knows; without one the edition's ladder says which."""
    return (
        Choice("warning", _("warning")),
        Choice("time", _("time")),
        Choice("loss", _("loss of the game")),
        Choice("", _("next step of the ladder")),
    )


def results() -> tuple[Choice, ...]:
    """Every result there is, the common ones first."""
    first = ("1-0", "1/2-1/2", "0-1", "0-0")
    return tuple(Choice(code, result_words(code)) for code in (*first, *(code for code in CODES if code not in first)))


def _clocks(c: Context) -> tuple[str, str]:
    left = c.place.left if c.place else None
    return (display(left[0]), display(left[1])) if left else ("", "")


def _clock_fields(c: Context) -> tuple[Field, ...]:
    white, black = _clocks(c)
    return (
        Field("white_ms", _("White's clock"), "time", True, white, hint="h:mm:ss"),
        Field("black_ms", _("Black's clock"), "time", True, black, hint="h:mm:ss"),
    )


def _given_times(c: Context) -> tuple[Field, ...]:
    hint = _("h:mm:ss; empty: as it was")
    return (
        Field("white_ms", _("White's clock"), "time", hint=hint),
        Field("black_ms", _("Black's clock"), "time", hint=hint),
    )


def both_clocks(values: Values, c: Context) -> Values:
    """One time given means the other as it stands: the Laws want both."""
    given = {"white_ms", "black_ms"} & values.keys()
    left = c.place.left if c.place else None
    if len(given) == 1 and left:
        values = {"white_ms": left[0], "black_ms": left[1]} | values
    return values


def _about(c: Context) -> str:
    place = c.place
    if place is None:
        return ""
    white, black = _clocks(c)
    times = _("White {white}, Black {black}").format(white=white, black=black) if white else ""
    moves = (place.row.plies if place.row else 0) and _("{plies} half-moves, last {last}").format(
        plies=place.row.plies if place.row else 0, last=place.row.last if place.row else ""
    )
    return " · ".join(part for part in (place.names, times, moves or "") if part)


def _setup_errors() -> tuple[Choice, ...]:
    known = {
        "position": _("pieces placed wrongly"),
        "board-turned": _("board turned"),
        "colours": _("colours exchanged"),
        "clock": _("clock set wrongly"),
    }
    return tuple(Choice(name, known.get(name, name)) for name in get_args(SetupError))


def _going_back(values: Values, c: Context) -> Values:
    """Half-moves to take back → how many stay in the record."""
    back = values.pop("back", None)
    plies = c.place.row.plies if c.place and c.place.row else 0
    if back is not None:
        values["ply"] = max(0, plies - int(back))
    return both_clocks(values, c)


def _penalty(values: Values, c: Context) -> Values:
    """Only a penalty in time has minutes."""
    if values.get("action") != "time":
        values = {key: value for key, value in values.items() if key not in ("ms", "off_ms")}
    return {key: value for key, value in values.items() if value != ""}


def _sealed(c: Context) -> Field:
    row = c.place.row if c.place else None
    start = ("black" if " b " in row.fen else "white") if row is not None and row.fen else None
    return Field("sealed_by", _("sealed by"), "choice", start=start, choices=sides())


def _envelope(values: Values, c: Context) -> Values:
    return values if values.get("move") else {"unsealed": True}


def rows() -> tuple[Action, ...]:
    """The rows, the most needed first."""
    place = ("board", "round")
    return (
        Action("penalty", _("penalty"), _("Punish an offence: warning, time, loss of the game (12.9)."), PAGES, "x",
               "x", subject="place", when=under_way, form=Form(
                   "penalty", _("Board {board}: punish an offence"), (
                       Field("side", _("who is punished"), "choice", True, None, choices=sides()),
                       Field("offence", _("offence"), "choice", True, "conduct", choices=offences()),
                       Field("action", _("penalty"), "choice", False, "warning", choices=penalties()),
                       Field("ms", _("time to the opponent"), "minutes", start="2", hint=_("minutes; for “time” only")),
                       Field("off_ms", _("time off his own"), "minutes", hint=_("minutes; for “time” only")),
                       reason(),
                   ), place, _about, _("Board {board}: punished."), _penalty)),
        Action("illegal", _("illegal move"),
               _("Rule on an illegal move that you have seen: position back, time to the opponent, or lost (7.5)."),
               PAGES, "i", "i", subject="place", when=under_way, form=Form(
                   "correct", _("Board {board}: illegal move"), (
                       Field("side", _("who made it"), "choice", True, None, choices=sides()),
                       Field("bonus_ms", _("time to the opponent"), "minutes", hint=_("empty: as the Laws say")),
                       yes_no("resume", _("play goes on at once"), True),
                       reason(),
                   ), place, _about, _("Board {board}: ruled."),
                   lambda v, c: v | {"offence": "illegal-move"})),
        Action("times", _("times"), _("Set both clocks of the selected board (it must be paused)."), PAGES, "t", "t",
               subject="place", when=has_clock, form=Form(
                   "times", _("Board {board}: set the clocks"), (_clock_fields, reason()), place,
                   lambda c: c.place.names if c.place else "", _("Board {board}: the clocks are told."))),
        Action("pause_board", _("pause"), _("Stop or restart the clocks of the selected board only."), PAGES, "d", "d",
               subject="place", asks=("pause", "resume")),
        Action("correct", _("put right"),
               _("Go back some half-moves, or on from a position, with other times if need be."),
               PAGES, "k", "k", subject="place", when=under_way, form=Form(
                   "correct", _("Board {board}: put the game right"), (
                       Field("back", _("half-moves to take back"), "number", start="0", empty=0),
                       Field("fen", _("or go on from the FEN"), hint=_("empty: the record's own position")),
                       _given_times,
                       Field("side", _("extra time for"), "choice", start=None, choices=sides()),
                       Field("bonus_ms", _("extra time"), "minutes", hint=_("minutes")),
                       yes_no("resume", _("play goes on at once")),
                       reason(),
                   ), place, _about, _("Board {board}: put right."), _going_back, by_moves=True)),
        Action("setup", _("wrong set-up"),
               _("Pieces, board, colours or clock were wrong from the start: what the Laws say, or a new game (7.2)."),
               PAGES, "e", "e", subject="place", when=under_way, form=Form(
                   "correct", _("Board {board}: wrong from the start"), (
                       Field("error", _("what was wrong"), "choice", True, None, choices=_setup_errors()),
                       yes_no("restart", _("a new game in any case")),
                       _given_times,
                       reason(),
                   ), place, _about, _("Board {board}: put right."), both_clocks)),
        Action("dead", _("dead squares"), _("Squares whose sensor is broken: the board is not believed there."),
               subject="place", when=under_way, form=Form(
                   "dead", _("Board {board}: dead squares"), (
                       Field("squares", _("squares"), hint=_("such as e4 f5; empty: all are good")),
                   ), place, _about, _("Board {board}: the table is told."))),
        Action("adjourn", _("adjourn"), _("The player on move has sealed; the game goes on later."),
               ("hall", "board", "round"), "a", "a", subject="place", when=under_way, form=Form(
                   "adjourn", _("Board {board}: adjourn the game"), (
                       Field("envelope", _("written on the envelope")), _sealed, reason(False),
                   ), place, _about, _("Board {board} is adjourned."))),
        Action("envelope", _("envelope"), _("An adjourned game goes on with its sealed move."),
               ("hall", "board", "round"), "o", "o", subject="place", when=under_way, form=Form(
                   "envelope", _("Board {board}: open the envelope"), (
                       Field("move", _("sealed move"), hint=_("such as Nf3; nothing if none was sealed")),
                   ), place, _about, _("Board {board}: play goes on."), _envelope)),
        Action("adjourn_all", _("adjourn all"), _("All games that are still open go on later."), form=Form(
            "adjourn", _("Adjourn all open games of the round"), (reason(),),
            done=_("The open games are adjourned."), shape=lambda v, c: v | {"board": 0})),
    )  # fmt: skip
