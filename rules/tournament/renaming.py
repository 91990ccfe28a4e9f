"""What happens to the state when pairing numbers change: a late entry, one taken out, numbers given anew (C.04.2 2.4).

Everything that speaks of players by number must speak of them by the new one: whatever is added to the state and has
numbers in it belongs in `renamed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from rules.tournament.book import Round, TournamentState
from rules.tournament.book_events import EntryTakenOut, LateEntered, Renumbered
from rules.tournament.events import ByeKind, Pair
from rules.tournament.integrity import renamed_lines, renamed_note

K = TypeVar("K")
V = TypeVar("V")


def without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """The mapping without a key."""
    return {k: v for k, v in mapping.items() if k != key}


def with_value(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    """The mapping with another value."""
    return {**mapping, key: value}


def renamed(state: TournamentState, name: Callable[[int], int]) -> TournamentState:
    """The state in which everybody has the number that `name` gives for his old one."""

    def keys(mapping: Mapping[int, V]) -> Mapping[int, V]:
        return {name(tpn): value for tpn, value in mapping.items()}

    def sheet(found: Round) -> Round:
        pairs = tuple(Pair(p.board, name(p.white), name(p.black)) for p in found.pairs)
        before = {p.board: found.printed.get(p.board, (p.white, p.black)) for p in found.pairs}
        return replace(
            found,
            pairs=pairs,
            bye=None if found.bye is None else name(found.bye),
            byes=keys(found.byes),
            differences=renamed_lines(found.differences, name),
            printed={p.board: before[p.board] for p in pairs if before[p.board] != (p.white, p.black)},
        )

    return replace(
        state,
        entries=dict(sorted((name(tpn), replace(e, tpn=name(tpn))) for tpn, e in state.entries.items())),
        rounds=tuple(sheet(r) for r in state.rounds),
        draft=None if state.draft is None else sheet(state.draft),
        byes={number: keys(given) for number, given in state.byes.items()},
        withdrawn=keys(state.withdrawn),
        expelled=frozenset(name(tpn) for tpn in state.expelled),
        joined=keys(state.joined),
        no_half_bye=frozenset(name(tpn) for tpn in state.no_half_bye),
        checked_in=frozenset(name(tpn) for tpn in state.checked_in),
        forbidden=tuple(replace(rule, players=tuple(name(tpn) for tpn in rule.players)) for rule in state.forbidden),
        group_a=name(state.group_a) if state.group_a else 0,
        notes=tuple(renamed_note(note, name) for note in state.notes),
        excused=frozenset((name(tpn), number) for tpn, number in state.excused),
        ratings_checked=state.ratings_checked
        and replace(state.ratings_checked, differing=tuple(name(tpn) for tpn in state.ratings_checked.differing)),
        round_ratings=keys(state.round_ratings),
        tied_orders=tuple(replace(each, order=tuple(name(t) for t in each.order)) for each in state.tied_orders),
        outside=keys(state.outside),
        touched={(f"p{name(int(key[1:]))}" if key[0] == "p" else key): t for key, t in state.touched.items()},
    )


def late_entered(state: TournamentState, event: LateEntered) -> TournamentState:
    new = event.entry
    moved = renamed(state, lambda tpn: tpn + (tpn >= new.tpn)) if new.tpn in state.entries else state
    missed: Mapping[int, ByeKind] = {new.tpn: event.missed}
    return replace(
        moved,
        entries=dict(sorted({**moved.entries, new.tpn: new}.items())),
        rounds=tuple(replace(r, byes={**r.byes, **missed}) for r in moved.rounds),
        # Who is entered before round 1 is no latecomer.
        joined=with_value(moved.joined, new.tpn, event.first_round) if event.first_round > 1 else moved.joined,
    )


def entry_taken_out(state: TournamentState, event: EntryTakenOut) -> TournamentState:
    gone = event.tpn
    left = replace(
        state,
        entries=without(state.entries, gone),
        rounds=tuple(replace(r, byes=without(r.byes, gone)) for r in state.rounds),
        byes={number: without(given, gone) for number, given in state.byes.items()},
        withdrawn=without(state.withdrawn, gone),
        joined=without(state.joined, gone),
        expelled=state.expelled - {gone},
        no_half_bye=state.no_half_bye - {gone},
        checked_in=state.checked_in - {gone},
        excused=frozenset(each for each in state.excused if each[0] != gone),
        round_ratings=without(state.round_ratings, gone),
        outside=without(state.outside, gone),
        forbidden=tuple(replace(rule, players=tuple(t for t in rule.players if t != gone)) for rule in state.forbidden),
        touched={key: touched for key, touched in state.touched.items() if key != f"p{gone}"},
    )
    return renamed(left, lambda tpn: tpn - (tpn > gone))


def renumbered(state: TournamentState, event: Renumbered) -> TournamentState:
    numbers = {int(old): new for old, new in event.numbers.items()}
    return renamed(state, lambda tpn: numbers.get(tpn, tpn))
