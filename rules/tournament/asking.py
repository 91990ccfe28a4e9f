"""Who asks for something, when, and what he has seen: the first argument of every decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext

from rules.tournament.book import TournamentState
from rules.tournament.book_events import IntegrityNoted
from rules.tournament.events import DraftDropped, TournamentEvent
from rules.tournament.intents import Refusal
from rules.tournament.levels import QUESTIONS, Warned, level_of, token

Events = tuple[TournamentEvent, ...]


def boards_in_words(boards: Iterable[int]) -> str:
    """ "3, 7 and 12", for sentences."""
    numbers = [str(board) for board in boards]
    if len(numbers) < 2:
        return "".join(numbers)
    return _("{first} and {last}").format(first=", ".join(numbers[:-1]), last=numbers[-1])


def open_boards_sentence(number: int, boards: tuple[int, ...]) -> str:
    """Which boards of a round have no result yet."""
    return ngettext(
        "Round {round}: board {boards} has no result yet.", "Round {round}: boards {boards} have no result yet.",
        len(boards),
    ).format(round=number, boards=boards_in_words(boards))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ask:
    """The state, wall time (ms), the person or table, and the token of the warnings he has seen ("" = none)."""

    state: TournamentState
    at: int
    by: str
    seen: str = ""

    def stops(self, warnings: Iterable[Warned]) -> Refusal | None:
        """The refusal that these warnings are, None if there are none or the person has seen exactly these."""
        all_of_them = tuple(warnings)
        level = level_of(all_of_them, self.state.fide_mode)
        if level < 2:
            return None
        words = " ".join(warned.words for warned in all_of_them)
        if level == 5:
            return Refusal(f"{words} {QUESTIONS[5]()}", level, all_of_them)
        first, second = token(all_of_them, 1), token(all_of_them, 2)
        if self.seen == (second if level == 4 else first):
            return None
        if level == 4 and self.seen == first:
            return Refusal(f"{words} {QUESTIONS[4]()}", level, all_of_them, second)
        return Refusal(words, level, all_of_them, first)

    def stale_draft(self) -> Events:
        """The event that throws a draft away because what it rests on has changed (S-02, S-25)."""
        state = self.state
        if state.draft is not None:
            return (DraftDropped(self.at, state.draft.number, self.by),)
        return (DraftDropped(self.at, state.manual, self.by),) if state.manual else ()

    def note(self, kind: str, number: int, before: str, after: str, why: str) -> IntegrityNoted:
        """A note for the integrity log."""
        return IntegrityNoted(self.at, kind, number, before, after, self.by, why)

    def named(self, tpn: int) -> str:
        """A player for people: name and number."""
        entry = self.state.entries.get(tpn)
        return f"{entry.name} ({tpn})" if entry is not None else str(tpn)

    def unknown_player(self, *players: int) -> Refusal | None:
        """The refusal for a number nobody has."""
        missing = next((tpn for tpn in players if tpn not in self.state.entries), None)
        return None if missing is None else Refusal(_("There is no player {tpn}.").format(tpn=missing))

    def over(self) -> Refusal | None:
        """The refusal when the event is finished."""
        return Refusal(_("The tournament is over.")) if self.state.finished else None

    def who(self, key: str) -> str:
        """Who changed something last ("p7", "regulations"), "" if nobody has."""
        touched = self.state.touched.get(key)
        return touched.by if touched is not None else ""

    def changed(self, what: str, saw: str, now: str, by: str = "") -> Refusal:
        """The refusal of an intent that rests on something another desk has changed since (S-27)."""
        shown = [value or _("nothing") for value in (saw, now)]
        if by:
            words = _("{what} was changed by {by} just now: you saw {saw}, now it is {now}. Look again.")
        else:
            words = _("{what} was changed just now: you saw {saw}, now it is {now}. Look again.")
        return Refusal(words.format(what=what, by=by, saw=shown[0], now=shown[1]), saw=saw, now=now)


def no_reason(why: str) -> Refusal | None:
    """The refusal of something that needs a reason in words."""
    return None if why.strip() else Refusal(_("Say why: the reason goes into the report."))
