"""The integrity log: what the engine's pairings cannot be understood without, and its lines in the report.

Notes are events, written by the decision that causes them. They survive undoing: what was public stays told. Lines are
ASCII; a pair is White's number first, a bye is `44=HPB`.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.tournament.book import TournamentState
from rules.tournament.book_events import ByeKind

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
