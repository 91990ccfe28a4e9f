"""The integrity log: what the engine's pairings cannot be understood without, and its lines in the report.

Notes are events, written by the decision that causes them. They survive undoing: what was public stays told. Lines are
ASCII; a pair is White's number first, a bye is `44=HPB`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from rules.tournament.book import TournamentState
from rules.tournament.book_events import ByeKind, IntegrityNoted

#: Kinds of notes → when one is written.
KINDS: Mapping[str, str] = {
    "MPA": "a round, a board or a bye that was made by hand",
    "Import": "rounds that came in from a file and do not keep the rules",
    "Regeneration": "pairing numbers given anew after round 1",
    "Correction": "a result or colours of a round after which another one was paired",
    "Adjournment": "an adjourned game that did not end in the draw it was paired as",
    "Exchange": "pairing numbers exchanged by hand after round 1",
    "Configuration": "regulations changed after round 1",
    "Order": "tied players in order by hand",
    "Outside": "a tie-break value that was worked out elsewhere",
    "Report": "a result that counts for the rating report only",
}
#: How the line of an event begins that has left FIDE handling; the round follows.
NO_LONGER_FIDE = "FIDE mode exited @ Round "
#: Byes in the lines of the report.
BYE_NAMES: Mapping[ByeKind, str] = {"U": "PAB", "H": "HPB", "F": "FPB", "Z": "ZPB"}


def bye_text(tpn: int, kind: ByeKind) -> str:
    """A bye in a line of the report."""
    return f"{tpn}={BYE_NAMES[kind]}"


def remarks(state: TournamentState) -> tuple[str, ...]:
    """The lines of the report, in the order in which things happened; without the signs before them."""
    lines = [
        f"{note.kind} @ Round {note.round}: {note.before or '-'} => {note.after or '-'}".encode(
            "ascii", "replace"
        ).decode()
        for note in state.notes
    ]
    if state.fide_exit is not None:
        before = sum(note.at <= state.fide_exit.at for note in state.notes)
        lines.insert(before, f"{NO_LONGER_FIDE}{state.fide_exit.round}")
    return tuple(lines)


#: Where the numbers of players stand in the texts of a note: a kind that is not here has none, or keeps the old ones.
_BYE = r"\b\d+(?==(?:PAB|HPB|FPB|ZPB)\b)"
_PLACES: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("MPA", "Import"), re.compile(rf"\b\d+(?=-\d)|(?<=\d-)\d+\b|{_BYE}")),
    **dict.fromkeys(("Correction", "Report", "Adjournment"), re.compile(r"^\d+(?=-\d+:)|(?<=-)\d+(?=:)")),
    "Configuration": re.compile(_BYE),
    "Order": re.compile(r"\d+"),
    "Outside": re.compile(r"^\d+(?==)"),
}


def renamed_note(note: IntegrityNoted, name: Callable[[int], int | str]) -> IntegrityNoted:
    """The note in the numbers that players have now (the report has no others), or with their names."""
    places = _PLACES.get(note.kind)
    if places is None:
        return note
    return replace(note, before=_renamed(places, note.before, name), after=_renamed(places, note.after, name))


def renamed_lines(lines: Iterable[str], name: Callable[[int], int]) -> tuple[str, ...]:
    """Differences of a round made by hand ("- 1-4", "+ 5=PAB") in the numbers that players have now."""
    return tuple(_renamed(_PLACES["MPA"], line, name) for line in lines)


def _renamed(places: re.Pattern[str], text: str, name: Callable[[int], int | str]) -> str:
    return places.sub(lambda match: str(name(int(match[0]))), text)
