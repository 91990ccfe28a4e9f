"""From a tournament report to what a pairing system is told before one of its rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from gettext import gettext as _
from itertools import combinations

from rules.interchange.trf_model import ABSENCE_RESULTS, Cell, TrfEvent, TrfPlayer
from rules.pairing.state import Colour, Edition, History, Numbering, PairingState, RoundRecord, Unplayed

_COLOURS: dict[str, Colour] = {"w": "white", "b": "black"}
_UNPLAYED: dict[str, Unplayed] = {"+": "+", "-": "-", "U": "U", "H": "H", "F": "F", "Z": "Z"}


def state_before(
    event: TrfEvent, round_number: int, numbering: Numbering = "engines", edition: Edition = "2026"
) -> PairingState:
    """The state before `round_number`: the columns before it, and of its own column only the announced absences.

    A blank cell in that column is an absence when the round is paired in the file, else an available player. Records
    240 and XXZ count for it as well. A report that does not name the initial colour tells it by round 1, if that is
    paired. Raises `ValueError` with a sentence when the colour or the number of rounds is not known.
    """
    colour = event.initial_colour or _colour_of_round_1(event)
    if not colour:
        raise ValueError(
            _("The report does not say which colour was drawn for round 1. Add a line 152 with W or B, then try again.")
        )
    if event.rounds is None:
        raise ValueError(
            _("The report does not say how many rounds are planned. Add a line 142 with the number, then try again.")
        )
    players = sorted(event.players, key=lambda p: p.start_rank)
    points = event.point_system
    return PairingState(
        round=round_number,
        rounds=event.rounds,
        players=tuple(_history(event, player, round_number) for player in players),
        absent=_absent(event, round_number),
        initial_colour=colour,
        pab_half_points=points.pab,
        win_half_points=points.win,
        loss_half_points=points.loss,
        virtual=_virtual(event, round_number),
        forbidden=frozenset(_forbidden(event, round_number)),
        numbering=numbering,
        edition=edition,
        cycles=2 if "DOUBLEROUNDROBIN" in event.system.upper() else 1,
    )


def _colour_of_round_1(event: TrfEvent) -> Colour | None:
    """The first of those paired in round 1 has number 1 and so the colour that was drawn (C.04.3 5.2.5)."""
    for player in sorted(event.players, key=lambda p: p.start_rank):
        if player.cell(1).opponent:
            return _COLOURS.get(player.cell(1).colour)
    return None


def _history(event: TrfEvent, player: TrfPlayer, round_number: int) -> History:
    rounds = tuple(_record(event, player.cell(n)) for n in range(1, round_number))
    for other in event.abnormal:
        if other.kind:
            rounds = tuple(
                replace(record, half_points=other.half_points)
                if other.sets(player.start_rank, n, player.cell(n))
                else record
                for n, record in enumerate(rounds, 1)
            )
    return History(player.start_rank, rounds)


def _record(event: TrfEvent, cell: Cell) -> RoundRecord:
    if cell.blank:
        return RoundRecord(None, None, "Z", 0)
    opponent = cell.opponent or None
    unplayed = _UNPLAYED.get(cell.result)
    return RoundRecord(
        opponent, _COLOURS.get(cell.colour) if opponent else None, unplayed, event.point_system.value(cell)
    )


def is_paired(event: TrfEvent, round_number: int) -> bool:
    """Does the report hold pairs or a PAB for this round?"""
    return any(p.cell(round_number).opponent or p.cell(round_number).result == "U" for p in event.players)


def _absent(event: TrfEvent, round_number: int) -> frozenset[int]:
    paired = is_paired(event, round_number)
    away = {
        p.start_rank
        for p in event.players
        if p.cell(round_number).result in ABSENCE_RESULTS or (paired and p.cell(round_number).blank)
    }
    if not paired:
        away.update(event.absent_next)
        away.update(i for record in event.absences if record.round == round_number for i in record.ids)
    return frozenset(away)


def _virtual(event: TrfEvent, round_number: int) -> dict[int, tuple[int, ...]]:
    if not (event.accelerations or event.fictitious):
        return {}
    numbers = range(1, round_number + 1)
    return {p.start_rank: tuple(event.fictitious_half_points(p.start_rank, n) for n in numbers) for p in event.players}


def _forbidden(event: TrfEvent, round_number: int) -> Iterable[tuple[int, int]]:
    for record in event.forbidden:
        always = record.first_round == 0 and record.last_round == 0
        if always or record.first_round <= round_number <= (record.last_round or round_number):
            yield from combinations(sorted(set(record.ids)), 2)
