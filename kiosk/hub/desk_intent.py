"""What every intent of a desk needs: its arguments out of plain data, the board that is meant, orders to tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from gettext import gettext as _
from typing import Any, cast, get_args

from hallnet.hall_log import HallLog
from kiosk.hub.act import Act, Refused
from kiosk.hub.duties import game_id
from kiosk.hub.hall import Hall
from rules.laws.events import Side
from rules.tournament.results import CODES, ResultCode, code_of
from rules.tournament.state import Round

Data = Mapping[str, Any]
#: Letters of a text in an order: several open orders and the assignment go to the table in one message.
MOST_LETTERS = 1_000


def number(d: Data, key: str, default: int | None = None) -> int:
    """A whole number from the intent's data; raises `Refused`."""
    value = d.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(_("{key} must be a whole number.").format(key=key))
    return value


def flag(d: Data, key: str, default: bool = False) -> bool:
    """Yes or no from the intent's data; raises `Refused`."""
    value = d.get(key, default)
    if not isinstance(value, bool):
        raise Refused(_("{key} must be true or false.").format(key=key))
    return value


def text(d: Data, key: str) -> str:
    """A text from the intent's data, "" if it is missing; raises `Refused`."""
    value = d.get(key, "")
    if not isinstance(value, str):
        raise Refused(_("{key} must be a text.").format(key=key))
    return value.strip()


def side_of(d: Data, key: str) -> Side | None:
    value = text(d, key)
    if value not in ("", *get_args(Side)):
        raise Refused(_("{value!r} is no side: white or black.").format(value=value))
    return cast(Side, value) if value else None


def score_of(d: Data) -> ResultCode:
    """The result in the data: "score" as a code ("1-0", "1-0F", "1/2-0"), or a score with "forfeit" or "rated".

    Raises `Refused`.
    """
    value = text(d, "score")
    code = CODES.get(value)
    if code is None:
        raise Refused(_("{value!r} is no score: use one of {known}.").format(value=value, known=", ".join(CODES)))
    forfeit, rated = flag(d, "forfeit", not code.played), flag(d, "rated", code.rated or not code.played)
    found = code_of(code.score, forfeit, rated)
    if found is None:
        raise Refused(_("A forfeited game cannot be a draw.") if forfeit else _("There is no such result."))
    return found


class DeskIntent:
    """One intent of a desk on its way to events."""

    def __init__(self, hall: Hall, log: HallLog, act: Act) -> None:
        self.hall = hall
        self.log = log
        self.act = act

    def sheet(self, d: Data) -> Round:
        """The public round that is meant: "round" in the data, else the current one. Raises `Refused`."""
        current = self.act.state.current_round
        if current is None:
            raise Refused(_("No round is public yet."))
        wanted = number(d, "round", current.number)
        found = self.act.state.round(wanted)
        if found is None:
            raise Refused(_("Round {round} is not public.").format(round=wanted))
        return found

    def place(self, d: Data) -> tuple[Round, int]:
        """The round and board that are meant. Raises `Refused`."""
        sheet, board = self.sheet(d), number(d, "board")
        if sheet.pair(board) is None:
            raise Refused(_("Round {round} has no board {board}.").format(round=sheet.number, board=board))
        return sheet, board

    def order(self, sheet: Round, board: int, kind: str, data: Mapping[str, str | int]) -> None:
        """An order to the table of a board about its game."""
        table = sheet.tables.get(board)
        if table is None:
            raise Refused(_("Board {board} has no table.").format(board=board))
        if any(isinstance(value, str) and len(value) > MOST_LETTERS for value in data.values()):
            raise Refused(_("That is too long for a table: {most} letters at most.").format(most=MOST_LETTERS))
        self.act.order(table, game_id(sheet.number, board), kind, data)

    def in_phase(self, sheet: Round, boards: Iterable[int], phase: str) -> list[int]:
        """Those boards whose game is in this phase at the table."""
        return [board for board in boards if self.hall.phase(sheet.number, board) == phase]
