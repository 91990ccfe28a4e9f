"""A report that is to be continued: what of it can be taken over, or why it cannot.

`TakeOver` carries it to the decision (`rules.tournament.decide_import`), which holds the rounds to the pairing rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from gettext import gettext as _

from rules.interchange.trf_model import Cell, PointSystem, TrfEvent
from rules.pairing.baku import acceleration
from rules.pairing.checker import EDITIONS
from rules.pairing.event_state import state_before
from rules.tiebreaks.event_table import tie_breaks_of
from rules.tournament.book_events import ByeKind
from rules.tournament.book_intents import TakenBoard, TakenRound, TakeOver
from rules.tournament.regulations import Regulations, problem
from rules.tournament.report_lines import with_lines
from rules.tournament.results import CODES


class NotContinuable(ValueError):
    """The report cannot be continued; str() says why and what to do."""


#: White's and Black's letter → code of `rules.tournament.results`.
_CODES: Mapping[tuple[str, str], str] = {result.letters: code for code, result in CODES.items()}
_BYES: Mapping[str, ByeKind] = {"H": "H", "F": "F", "Z": "Z", "": "Z"}
#: Record 192 → the system here; what is not in it cannot be continued.
_SYSTEMS: Mapping[str, str] = {
    **dict.fromkeys(("FIDE_DUTCH", "FIDE_DUTCH_2025", "FIDE_DUTCH_2026", *EDITIONS), "dutch"),
    **dict.fromkeys(("FIDE_DUTCH_BAKU", "FIDE_DUTCH_2025_BAKU", "FIDE_DUTCH_2026_BAKU"), "dutch"),
    **dict.fromkeys(("BERGER_ROUNDROBIN", "FIDE_ROUNDROBIN", "CUSTOM_ROUNDROBIN"), "berger"),
    **dict.fromkeys(("BERGER_DOUBLEROUNDROBIN", "FIDE_DOUBLEROUNDROBIN", "CUSTOM_DOUBLEROUNDROBIN"), "berger"),
}


def as_announced(regulations: Regulations, event: TrfEvent, own_tie_breaks: bool = False) -> Regulations:
    """The regulations with what the report has announced: points, first colour, edition, acceleration, tie-breaks.

    `own_tie_breaks`: those of `regulations` stay. Raises `NotContinuable`.
    """
    if event.is_team:
        raise NotContinuable(_("This is a report of a team event: only events of players can be continued."))
    paired = event.paired_rounds
    if not paired:
        raise NotContinuable(_("The report has no paired round: take its entries alone."))
    if paired >= regulations.rounds:
        raise NotContinuable(
            _("The report has {paired} rounds: {rounds} planned ones leave nothing to play. Plan more rounds.").format(
                paired=paired, rounds=regulations.rounds
            )
        )
    system = event.system.upper()
    if system and _SYSTEMS.get(system) != regulations.system:
        raise NotContinuable(
            _(
                "The report was paired by {theirs}, here {ours} is set: set the same system, if it is known here."
            ).format(theirs=event.system, ours=regulations.system)
        )
    if event.abnormal:
        raise NotContinuable(_("The report has points by rulings (record 299), which cannot be taken over."))
    points = event.point_system
    if points != _implied(points):
        raise NotContinuable(
            _("The report gives byes or forfeits other points than games, which cannot be taken over.")
        )
    try:
        colour = state_before(replace(event, rounds=regulations.rounds), 1).initial_colour
    except ValueError as error:
        raise NotContinuable(str(error)) from None
    accelerated = bool(event.accelerations or event.fictitious)
    new = replace(
        regulations,
        initial_colour=colour,
        win_half_points=points.win,
        draw_half_points=points.draw,
        loss_half_points=points.loss,
        pab_half_points=points.pab,
        pairing_edition=EDITIONS.get(system, regulations.pairing_edition),
        acceleration="baku" if accelerated else "",
        cycles=2 if "DOUBLEROUNDROBIN" in system else 1 if system else regulations.cycles,
    )
    if accelerated:
        _same_acceleration(new, event)
    codes = tuple(code for code in tie_breaks_of(event) if code.upper() != "PTS")
    if codes and not own_tie_breaks and not problem(replace(new, tie_breaks=codes)):
        new = replace(new, tie_breaks=codes)
    return new


def _implied(points: PointSystem) -> PointSystem:
    """What byes and forfeits are worth here when games are worth this."""
    return PointSystem(
        win=points.win,
        draw=points.draw,
        loss=points.loss,
        forfeit_win=points.win,
        pab=points.pab,
        full_bye=points.win,
        half_bye=points.draw,
        unknown=points.unknown,
    )


def _same_acceleration(regulations: Regulations, event: TrfEvent) -> None:
    numbers = [player.start_rank for player in event.players]
    paired = [p.start_rank for p in event.players if p.cell(1).opponent or p.cell(1).result == "U"]
    rows = acceleration(numbers, paired, regulations.rounds, regulations.win_half_points)
    for round_no in range(1, regulations.rounds + 1):
        for tpn in numbers:
            row = rows.get(tpn, ())
            if event.fictitious_half_points(tpn, round_no) != (row[round_no - 1] if round_no <= len(row) else 0):
                raise NotContinuable(
                    _("Round {round}: the report accelerates otherwise than Baku with {rounds} rounds does.").format(
                        round=round_no, rounds=regulations.rounds
                    )
                )


def taken_over(event: TrfEvent, source: str) -> TakeOver:
    """The rounds of a report, with the absences and prohibitions it announces and what its remarks say of the players.

    Raises `NotContinuable`.

    `source` names the report in the log.
    """
    paired = event.paired_rounds
    rounds = tuple(_round(event, number) for number in range(1, paired + 1))
    byes: dict[tuple[int, int], ByeKind] = {
        (number, player.start_rank): _BYES[player.cell(number).result]
        for player in event.players
        for number in range(paired + 1, len(player.cells) + 1)
        if player.cell(number).result in ("H", "F", "Z")
    }
    byes |= {(each.round, tpn): each.kind for each in event.absences if each.round > paired for tpn in each.ids}
    byes |= {(paired + 1, tpn): "Z" for tpn in event.absent_next if (paired + 1, tpn) not in byes}
    taken = TakeOver(
        rounds,
        tuple((tpn, number, kind) for (number, tpn), kind in sorted(byes.items())),
        tuple((each.ids, max(each.first_round, 1), each.last_round) for each in event.forbidden),
        source,
    )
    return with_lines(taken, event.comments, frozenset(player.start_rank for player in event.players))


def _round(event: TrfEvent, number: int) -> TakenRound:
    boards: list[TakenBoard] = []
    byes: list[tuple[int, ByeKind]] = []
    left_over: list[int] = []
    for player in sorted(event.players, key=lambda p: p.start_rank):
        cell = player.cell(number)
        if cell.opponent:
            if cell.colour == "w":
                boards.append(_board(event, number, player.start_rank, cell))
            elif cell.colour != "b":
                raise NotContinuable(
                    _("Round {round}: the colours of {one} against {other} are not told; add them.").format(
                        round=number, one=player.start_rank, other=cell.opponent
                    )
                )
        elif cell.result == "U":
            left_over.append(player.start_rank)
        elif cell.result in _BYES:
            byes.append((player.start_rank, _BYES[cell.result]))
        else:
            raise NotContinuable(
                _("Round {round}: player {tpn} has {result!r} without an opponent; write a bye.").format(
                    round=number, tpn=player.start_rank, result=cell.result
                )
            )
    if len(left_over) > 1:
        raise NotContinuable(
            _("Round {round}: more than one player has the pairing-allocated bye.").format(round=number)
        )
    return TakenRound(tuple(boards), left_over[0] if left_over else None, tuple(byes))


def _board(event: TrfEvent, number: int, white: int, cell: Cell) -> TakenBoard:
    black = cell.opponent
    letters = (cell.result, event.player(black).cell(number).result)
    code = _CODES.get(letters)
    if code is None:
        if cell.open:
            words = _("Round {round}: {white}-{black} has no result yet. Enter it in the report first.")
        else:
            words = _("Round {round}: {white}-{black} has a result that no board can have here; correct it first.")
        raise NotContinuable(words.format(round=number, white=white, black=black))
    return TakenBoard(white, black, code)
