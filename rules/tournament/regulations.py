"""Everything announced beforehand, and what may not be announced."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from gettext import gettext as _
from typing import Literal

from rules.interchange.rating_list import Kind
from rules.laws.edition import EditionError, edition_of
from rules.laws.periods import time_class
from rules.laws.time_control import TimeControlError, parse
from rules.pairing.berger import rounds_available
from rules.pairing.legality import LEGALITY
from rules.pairing.state import Edition, Numbering
from rules.tiebreaks import registry
from rules.tiebreaks.registry import UnknownCode, by_ratings, is_known, unsuited
from rules.tournament import prizes_announced

#: Whose rating orders the entries: FIDE's, the national one, one and if there is none the other, the higher, the lower.
Ranking = Literal["FIDE", "NRO", "FIDON", "NIDOF", "HBFN", "LBFN", "OTHER"]
#: What decides between equal ratings and titles (C.04.2 2.2.3): the alphabet, FIDE id, age, the order of the list.
Equals = Literal["name", "fide-id", "birth", "list"]


#: An event of more days than this is long (C.07 10).
LONG_DAYS = 30
_DAY = re.compile(r"\d{4}/\d{2}/\d{2}")


def is_day(text: str) -> bool:
    """Is it a day of the calendar, "2026/05/30"?"""
    if not _DAY.fullmatch(text):
        return False
    try:
        _day(text)
    except ValueError:
        return False
    return True


def no_day(text: str) -> str:
    """The sentence for what is no day of the calendar."""
    return _("{day!r} is no day of the calendar: write it as 2026/05/30.").format(day=text)


def _day(text: str) -> date:
    return date.fromisoformat(text.replace("/", "-"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """What the organiser announces and a hub's settings say in the same words; part of `Regulations`.

    Points are in half-points.

    `half_byes` is how many half-point byes a player may ask for, none of them in the last `closed_rounds` rounds;
    `full_byes`: may anybody have a full-point bye at all? `last_entry` is the round in which a late entrant must play
    at the latest (0: any), `missed_rounds` the bye he gets for rounds before (C.04.2 2.4). `correct_until` says how
    long a result of the round before the last can be corrected: until the last round is over (C.04.2 4.3), or until
    the next one is public. `default_minutes` is the default time (Laws 6.7.1), `late_clock` what a board gets that is
    set up in a running round: the whole time, or what is left of it. `acceleration` "" or "baku" (C.04.7).
    `pairing_edition` is that of the Dutch system, `numbering` who has a number in its rule 5.2.5
    (`rules.pairing.state`).

    In a round robin everybody meets everybody in each of `cycles` (C.05, annex); `swap_middle` exchanges the last two
    rounds of the first of two, so that nobody has one colour three times running. After `expel_after` games lost by not
    coming the arbiter is asked whether the player is out (0: never).

    `rating_order` are the lists from which a rating is taken, the first one that has it (empty: by the time control).
    `check_ratings`: are the ratings compared with the list in force without anybody asking? An event is long when
    `long_event` says so or its dates do; `tie_break_ratings` is then the "first" rating of a player, or that of the
    "round" in which he was met (C.07 10). `deputies` are the deputy arbiters.

    `prizes` are lists of prizes in the form of `rules.tournament.prizes_announced.read`; with `one_prize_each` nobody
    wins from two. Who has withdrawn wins nothing unless `withdrawn_win`.
    """

    win_half_points: int = 2
    draw_half_points: int = 1
    loss_half_points: int = 0
    half_byes: int = 1
    closed_rounds: int = 1
    full_byes: bool = False
    last_entry: int = 0
    missed_rounds: Literal["Z", "H"] = "Z"
    correct_until: Literal["round-over", "next-pairing"] = "round-over"
    default_minutes: int = 30
    late_clock: Literal["full", "rest"] = "full"
    acceleration: Literal["", "baku"] = ""
    ranking: Ranking = "FIDE"
    equals: Equals = "name"
    pairing_edition: Edition = "2026"
    numbering: Numbering = "engines"
    cycles: int = 1
    swap_middle: bool = True
    expel_after: int = 3
    rating_order: tuple[Kind, ...] = ()
    check_ratings: bool = True
    long_event: bool = False
    tie_break_ratings: Literal["first", "round"] = "first"
    deputies: tuple[str, ...] = ()
    prizes: tuple[str, ...] = ()
    one_prize_each: bool = True
    withdrawn_win: bool = False


@dataclass(frozen=True, slots=True)
class Regulations(Announced):
    """What was announced beforehand.

    `system` "dutch" or "berger"; `control` in the form of `rules.laws.time_control.parse`; `initial_colour` the colour
    drawn for TPN 1; points in half-points; `tie_breaks` codes as FIDE writes them; dates "YYYY/MM/DD". `edition` names
    the edition of the Laws, with its settings, as `rules.laws.edition` reads it. All else is in `Announced`.
    """

    name: str
    rounds: int
    system: str = "dutch"
    control: str = "15+10"
    initial_colour: Literal["white", "black"] = "white"
    tie_breaks: tuple[str, ...] = ("BH", "SB")
    pab_half_points: int = 2
    city: str = ""
    federation: str = ""
    arbiter: str = ""
    start_date: str = ""
    end_date: str = ""
    seed: int = 0
    edition: str = ""

    @property
    def is_long(self) -> bool:
        """Does the event last longer than 30 days (C.07 10)?"""
        if self.long_event or not (is_day(self.start_date) and is_day(self.end_date)):
            return self.long_event
        return (_day(self.end_date) - _day(self.start_date)).days > LONG_DAYS

    @property
    def standard_points(self) -> bool:
        """Are the points 1, 1/2 and 0?"""
        return (self.win_half_points, self.draw_half_points, self.loss_half_points) == (2, 1, 0)


#: What an arbiter may call each field, for sentences.
NAMES: Mapping[str, Callable[[], str]] = {
    "rounds": lambda: _("the number of rounds"),
    "system": lambda: _("the pairing system"),
    "initial_colour": lambda: _("the initial colour"),
    "tie_breaks": lambda: _("the tie-breaks"),
    "pab_half_points": lambda: _("the points for the pairing-allocated bye"),
    "win_half_points": lambda: _("the points for a win"),
    "draw_half_points": lambda: _("the points for a draw"),
    "loss_half_points": lambda: _("the points for a loss"),
    "acceleration": lambda: _("the acceleration"),
    "half_byes": lambda: _("the number of half-point byes"),
    "last_entry": lambda: _("the last round for late entries"),
    "pairing_edition": lambda: _("the edition of the pairing rules"),
    "numbering": lambda: _("the numbering for the colours"),
    "cycles": lambda: _("the number of cycles"),
    "swap_middle": lambda: _("the order of the middle rounds"),
    "rating_order": lambda: _("the order of the rating lists"),
    "tie_break_ratings": lambda: _("the ratings for the tie-breaks"),
    "expel_after": lambda: _("the number of games lost by not coming"),
    "one_prize_each": lambda: _("one prize for each player"),
    "withdrawn_win": lambda: _("prizes for players who withdraw"),
}


def field_name(field: str) -> str:
    """A field of the regulations in words."""
    named = NAMES.get(field)
    return named() if named is not None else field.replace("_", " ")


def problem(regulations: Regulations, players: int | None = None) -> str:
    """Why these regulations cannot be, in a sentence; "" when they can. `players`: so many are entered."""
    found = (check(regulations) for check in _CHECKS)
    return next((why for why in found if why), "") or (_rounds(regulations, players) if players is not None else "")


def _system(regulations: Regulations) -> str:
    if regulations.system in LEGALITY:
        return ""
    return _("{system!r} is no pairing system here. Known are: {known}.").format(
        system=regulations.system, known=", ".join(LEGALITY)
    )


def _rounds(regulations: Regulations, players: int) -> str:
    most = rounds_available(players) * (regulations.cycles if regulations.system == "berger" else 1)
    if 1 <= regulations.rounds <= most:
        return ""
    return _("{rounds} rounds cannot be played by {players} players: choose 1 to {most}.").format(
        rounds=regulations.rounds, players=players, most=most
    )


def _tie_breaks(regulations: Regulations) -> str:
    for code in regulations.tie_breaks:
        try:
            registry.parse(code)
        except UnknownCode as error:
            return str(error)
    # In a round robin what the opponents scored says nothing (C.07 article 8), Koya's limit nothing in a Swiss.
    predetermined = regulations.system == "berger"
    found = (unsuited(code, teams=False, predetermined=predetermined) for code in regulations.tie_breaks)
    why = next((why for why in found if why), "")
    return _("{why} Leave it out.").format(why=why) if why else ""


def _points(regulations: Regulations) -> str:
    win, draw, loss = regulations.win_half_points, regulations.draw_half_points, regulations.loss_half_points
    if not 0 <= loss <= draw <= win or win == 0:
        return _("A win must be worth something, and a draw no less than a loss and no more than a win.")
    if 2 * draw > win + loss:
        return _("Two draws must not be worth more than a win and a loss.")
    return ""


def _pab(regulations: Regulations) -> str:
    pab, win = regulations.pab_half_points, regulations.win_half_points
    if pab < 0 or pab > win:
        return _("The pairing-allocated bye must not be worth more than a win (C.04.1, rule 3).")
    reachable = {win, regulations.draw_half_points, regulations.loss_half_points, 0}
    if pab not in reachable:
        return _("The pairing-allocated bye must be worth what a game can bring: a win, a draw, a loss or nothing.")
    return ""


def _control(regulations: Regulations) -> str:
    try:
        parse(regulations.control)
    except TimeControlError as error:
        return str(error)
    return ""


def _edition(regulations: Regulations) -> str:
    try:
        edition_of(regulations.edition, time_class(parse(regulations.control)))
    except EditionError as error:
        return _("The edition of the Laws: {error}.").format(error=error)
    except TimeControlError:
        pass  # `_control` has said it
    return ""


def _dates(regulations: Regulations) -> str:
    for day in (regulations.start_date, regulations.end_date):
        if day and not is_day(day):
            return no_day(day)
    if regulations.start_date and regulations.end_date and regulations.end_date < regulations.start_date:
        return _("The event ends before it begins.")
    return ""


def _limits(regulations: Regulations) -> str:
    if not 0 <= regulations.last_entry <= regulations.rounds:
        return _("The last round for late entries must be one of the {rounds} rounds, or 0 for any.").format(
            rounds=regulations.rounds
        )
    if min(regulations.half_byes, regulations.closed_rounds, regulations.default_minutes, regulations.expel_after) < 0:
        return _("Numbers of byes, rounds and minutes must not be below zero.")
    if regulations.cycles not in (1, 2) or (regulations.cycles == 2 and regulations.system != "berger"):
        return _("A round robin has one cycle or two; another system has one.")
    if len(set(regulations.rating_order)) < len(regulations.rating_order):
        return _("A rating list is named twice.")
    if regulations.acceleration == "baku" and (
        regulations.system != "dutch"
        or regulations.win_half_points != 2 * regulations.draw_half_points
        or regulations.loss_half_points
    ):
        return _("Baku acceleration needs a Swiss in which a win is worth two draws and a loss nothing (C.04.7 1.1).")
    return ""


def _prizes(regulations: Regulations) -> str:
    return prizes_announced.problem(regulations.prizes, regulations.start_date)


_CHECKS: tuple[Callable[[Regulations], str], ...] = (
    _system, _tie_breaks, _points, _pab, _control, _edition, _dates, _limits, _prizes,
)  # fmt: skip


def advice(regulations: Regulations) -> tuple[str, ...]:
    """What these regulations allow and the Handbook advises against, in sentences."""
    codes = [code for code in regulations.tie_breaks if is_known(code) and by_ratings(code)]
    if not codes or not regulations.is_long:
        return ()
    words = _("The event lasts longer than {days} days: tie-breaks by ratings ({codes}) are not advised (C.07 10).")
    return (words.format(days=LONG_DAYS, codes=", ".join(codes)),)
