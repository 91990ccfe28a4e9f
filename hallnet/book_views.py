"""What a desk asks the hub for besides the hall itself: the book, one round's sheet, the tables' health, the keys.

Answers to the questions "book", "sheet", "prizes", "health" and "keys"; fields that a desk does not know are passed
over, fields that an older hub does not send keep what is written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hallnet.views import View


class PlayerView(View, frozen=True, kw_only=True):
    """One entry. `status` "late", "in", "withdrawn" or "expelled"; `half_byes` the rounds with a half-point bye."""

    tpn: int
    name: str
    rating: int = 0
    title: str = ""
    federation: str = ""
    fide_id: int = 0
    birth: str = ""
    sex: str = ""
    club: str = ""
    fide_rating: int = 0
    national_rating: int = 0
    source: str = ""
    status: str = "in"
    half_byes: tuple[int, ...] = ()
    no_half_bye: bool = False
    first_round: int = 1
    checked_in: bool = False


class StepDoneView(View, frozen=True, kw_only=True):
    """One act that can be undone, or done again: its number, in words, by whom, when (wall ms)."""

    act: int
    what: str
    by: str
    at: int


class BookView(View, frozen=True, kw_only=True):
    """The arbiter's book. `undo` and `redo`: the latest first; `byes` round → number → kind, as texts."""

    regulations: Mapping[str, Any] | None = None
    fide_mode: bool = True
    fide_exit: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()
    notes: tuple[Mapping[str, Any], ...] = ()
    undo: tuple[StepDoneView, ...] = ()
    redo: tuple[StepDoneView, ...] = ()
    manual: int = 0
    checks: tuple[str, ...] = ()
    check_in: str = ""
    missing: tuple[int, ...] = ()
    players: tuple[PlayerView, ...] = ()
    byes: Mapping[str, Mapping[str, str]] = {}
    forbidden: tuple[Mapping[str, Any], ...] = ()
    lots: Mapping[str, Mapping[str, Any]] = {}
    old_sheets: tuple[Mapping[str, Any], ...] = ()

    def player(self, tpn: int) -> PlayerView | None:
        """The entry with this number."""
        return next((player for player in self.players if player.tpn == tpn), None)


class PairView(View, frozen=True, kw_only=True):
    """One board of a sheet: numbers, the table that plays it, the result as a code ("" while there is none)."""

    board: int
    white: int
    black: int
    table: str = ""
    code: str = ""
    why: str = ""
    by: str = ""
    adjourned: bool = False
    reported: str = ""


class SheetView(View, frozen=True, kw_only=True):
    """One round: a draft (`rev` 0) or a public sheet. `byes`: number → kind for those without a board, as texts.

    `latest` is the number of the newest round, draft or not; `reasons` say why it is paired so, `differences` how a
    round made by hand differs from the engine's.
    """

    round: int = 0
    latest: int = 0
    rev: int = 0
    checksum: str = ""
    started: bool = False
    sealed: bool = False
    manual: bool = False
    pairs: tuple[PairView, ...] = ()
    bye: int = 0
    byes: Mapping[str, str] = {}
    reasons: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()

    def board_of(self, tpn: int) -> PairView | None:
        """The board a player sits at."""
        return next((pair for pair in self.pairs if tpn in (pair.white, pair.black)), None)


class CorrectionView(View, frozen=True, kw_only=True):
    """What a correction would do: `reach` "free", "kept", "report" or "all", the case in `words`, whose place moves."""

    reach: str
    before: str = ""
    after: str = ""
    kept: tuple[int, ...] = ()
    restated: tuple[int, ...] = ()
    next_round: int | None = None
    words: str = ""
    moved: tuple[Mapping[str, Any], ...] = ()


class AwardView(View, frozen=True, kw_only=True):
    """One player's prize from one list: his place in the standings and in the list, the amount, why, in words."""

    tpn: int
    name: str
    rank: int = 0
    points: str = ""
    prize_list: str = ""
    place: int = 0
    amount: str = ""
    cents: int = 0
    reason: str = ""


class PrizeListView(View, frozen=True, kw_only=True):
    """One announced list: its name, the line that announces it, whom it is for, its sum and what nobody can win."""

    name: str
    text: str = ""
    whom: str = ""
    fund: str = ""
    unclaimed: str = ""


class PrizesView(View, frozen=True, kw_only=True):
    """The prizes as they would be paid after `round`; `final`: the event's rounds are over.

    The largest first. `paid` and `unclaimed` make up the `fund`; `remarks` are sentences.
    """

    round: int = 0
    final: bool = False
    lists: tuple[PrizeListView, ...] = ()
    awards: tuple[AwardView, ...] = ()
    fund: str = ""
    paid: str = ""
    unclaimed: str = ""
    remarks: tuple[str, ...] = ()
