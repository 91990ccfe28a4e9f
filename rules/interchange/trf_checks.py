"""Do the players' rows agree with each other? What TRF16 and TRF26 leave to the reader to check.

Every pairing must be told by both players alike, and the points must be the sum of the results. Nothing is repaired
that could be wrong; a few old habits with one clear meaning are put into today's letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext

from rules.interchange.errors import Adjustment, Defect
from rules.interchange.trf_columns import ROUND_WIDTH, STATIC_LENGTH, as_decimal
from rules.interchange.trf_model import BLANK, Cell, TrfEvent, TrfPlayer

#: Results that fit together, one's own first.
_FITTING = frozenset({"10", "01", "==", "+-", "-+", "--", "WL", "LW", "DD", "00", "??"})
#: Legal when an arbiter decided so (unequal scores after a penalty), so reported.
_UNEQUAL = frozenset({"=0", "0=", "DL", "LD", "LL"})


def checked(event: TrfEvent, adjustments: list[Adjustment], defects: list[Defect], *, gaps_legal: bool) -> TrfEvent:
    """The event with its cells in today's letters; what is wrong goes into `defects`."""
    before = len(defects)
    _numbering(event.players, adjustments, defects, gaps_legal=gaps_legal)
    if len(defects) > before:
        return event
    paired, is_team = event.paired_rounds, event.is_team
    players = tuple(_settled(player, paired, is_team, adjustments) for player in event.players)
    event = replace(event, players=_within_rounds(event, players, adjustments, defects))
    _pairings(event.players, adjustments, defects)
    if len(defects) > before:
        return event
    event = replace(event, players=_both_absent(event.players, adjustments))
    _byes(event, adjustments)
    return _points(event, adjustments, defects)


def who(player: TrfPlayer) -> str:
    """A player as a message names him."""
    return _("player {number} ({name})").format(number=player.start_rank, name=player.name)


def _column(round_no: int) -> int:
    """Where the opponent of a round stands."""
    return STATIC_LENGTH + 3 + ROUND_WIDTH * (round_no - 1)


def _numbering(
    players: tuple[TrfPlayer, ...], adjustments: list[Adjustment], defects: list[Defect], *, gaps_legal: bool
) -> None:
    seen: dict[int, TrfPlayer] = {}
    ids: dict[int, TrfPlayer] = {}
    for player in players:
        if first := seen.get(player.start_rank):
            what = _("{who} has the same starting rank as line {line}").format(who=who(player), line=first.line)
            defects.append(Defect(player.line, 5, what, _("give every player a starting rank of his own")))
        seen.setdefault(player.start_rank, player)
        if player.fide_id and (same := ids.setdefault(player.fide_id, player)) is not player:
            what = _("{who} has the same FIDE id as line {line}").format(who=who(player), line=same.line)
            adjustments.append(Adjustment(player.line, 58, what))
    expected = 1
    for number in sorted(seen):
        if number != expected:
            what = ngettext(
                "{who}: the number before, {first}, is missing",
                "{who}: the numbers before, {first} to {last}, are missing",
                number - expected,
            ).format(who=who(seen[number]), first=expected, last=number - 1)
            if gaps_legal:
                adjustments.append(Adjustment(seen[number].line, 5, what))
            else:
                remedy = _("number the players without gaps, or say with record 142 that the file is TRF26")
                defects.append(Defect(seen[number].line, 5, what, remedy))
        expected = number + 1


def _settled(player: TrfPlayer, paired: int, is_team: bool, adjustments: list[Adjustment]) -> TrfPlayer:
    """Blanks between two rounds become Z, dashes without opponent too, where no team can have left a board empty."""
    cells = list(player.cells)
    for at, cell in enumerate(cells):
        meant = cell
        if cell.blank and at < paired:
            meant = Cell(0, "-", "Z")
        elif not cell.opponent and not is_team and cell.result in ("+", "-"):
            meant = Cell(0, "-", "F" if cell.result == "+" else "Z")
        if meant != cell:
            what = _("{who}: round {round} has no opponent; read as {result}")
            what = what.format(who=who(player), round=at + 1, result=meant.result)
            adjustments.append(Adjustment(player.line, _column(at + 1), what))
            cells[at] = meant
    return replace(player, cells=tuple(cells))


def _within_rounds(
    event: TrfEvent, players: tuple[TrfPlayer, ...], adjustments: list[Adjustment], defects: list[Defect]
) -> tuple[TrfPlayer, ...]:
    """Cells beyond the last round: a spurious bye is dropped, a game is a defect."""
    if event.rounds is None:
        return players
    kept = []
    for player in players:
        for at, cell in enumerate(player.cells[event.rounds :], event.rounds + 1):
            what = _("{who} has a round {round}, but the event has {rounds}")
            what = what.format(who=who(player), round=at, rounds=event.rounds)
            if cell.opponent:
                remedy = _("correct the number of rounds (record 142 or XXR)")
                defects.append(Defect(player.line, _column(at), what, remedy))
            elif not cell.blank:
                adjustments.append(Adjustment(player.line, _column(at), _("{what}; left out").format(what=what)))
        kept.append(replace(player, cells=_trimmed(player.cells[: event.rounds])))
    return tuple(kept)


def _trimmed(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    while cells and cells[-1].blank:
        cells = cells[:-1]
    return cells


def _pairings(players: tuple[TrfPlayer, ...], adjustments: list[Adjustment], defects: list[Defect]) -> None:
    by_rank = {player.start_rank: player for player in players}
    for player in players:
        for round_no, cell in enumerate(player.cells, 1):
            if cell.opponent:
                _pairing(player, by_rank.get(cell.opponent), round_no, adjustments, defects)


def _pairing(
    player: TrfPlayer,
    opponent: TrfPlayer | None,
    round_no: int,
    adjustments: list[Adjustment],
    defects: list[Defect],
) -> None:
    cell = player.cell(round_no)
    column = _column(round_no)

    def place() -> str:
        return _("{who}, round {round}").format(who=who(player), round=round_no)

    def refuse(offset: int, what: str, remedy: str) -> None:
        defects.append(Defect(player.line, column + offset, f"{place()}: {what}", remedy))

    if opponent is None or opponent is player:
        what = _("there is no opponent {number}").format(number=cell.opponent)
        refuse(0, what, _("correct the opponent's number"))
        return
    other = opponent.cell(round_no)
    if other.opponent != player.start_rank:
        if other == BLANK:
            what = _("the opponent, {other}, has nothing in this round").format(other=who(opponent))
        elif not other.opponent:
            what = _("the opponent, {other}, has a bye").format(other=who(opponent))
        else:
            what = _("the opponent, {other}, played number {number}")
            what = what.format(other=who(opponent), number=other.opponent)
        refuse(0, what, _("correct line {line} or this one, so that both tell the same").format(line=opponent.line))
        return
    if player.start_rank > opponent.start_rank:
        return  # told once, at the player with the smaller number
    if cell.colour == other.colour and cell.colour in ("w", "b"):
        refuse(5, _("{other} has the same colour").format(other=who(opponent)), _("correct one of the two colours"))
    pair = cell.result + other.result
    if pair in _UNEQUAL:
        what = _("{place}: unequal scores {mine} and {theirs}, as after a penalty")
        adjustments.append(
            Adjustment(player.line, column + 7, what.format(place=place(), mine=cell.result, theirs=other.result))
        )
    elif pair not in _FITTING and pair not in ("", "ZZ"):
        what = _("result “{mine}” does not fit “{theirs}” of {other}")
        what = what.format(mine=cell.result or " ", theirs=other.result or " ", other=who(opponent))
        refuse(7, what, _("correct this result or that of line {line}").format(line=opponent.line))


def _both_absent(players: tuple[TrfPlayer, ...], adjustments: list[Adjustment]) -> tuple[TrfPlayer, ...]:
    """A pairing with Z on both sides was not played by either: a double forfeit."""
    settled = []
    for player in players:
        cells = list(player.cells)
        for at, cell in enumerate(cells):
            if cell.opponent and cell.result == "Z":
                what = _("{who}, round {round}: paired with Z; read as a double forfeit")
                what = what.format(who=who(player), round=at + 1)
                adjustments.append(Adjustment(player.line, _column(at + 1) + 7, what))
                cells[at] = replace(cell, result="-")
        settled.append(replace(player, cells=tuple(cells)))
    return tuple(settled)


def _byes(event: TrfEvent, adjustments: list[Adjustment]) -> None:
    """Two pairing-allocated byes in a round or for a player are against C.04.1; the file may still be true."""
    if event.is_team:
        return
    holders: dict[int, TrfPlayer] = {}
    for player in event.players:
        byes = [round_no for round_no, cell in enumerate(player.cells, 1) if cell.result == "U"]
        for round_no in byes[1:]:
            what = _("{who} has a second pairing-allocated bye in round {round}")
            what = what.format(who=who(player), round=round_no)
            adjustments.append(Adjustment(player.line, _column(round_no) + 7, what))
        for round_no in byes:
            first = holders.setdefault(round_no, player)
            if first is not player:
                what = _("{who}: {first} has the pairing-allocated bye of round {round} too")
                what = what.format(who=who(player), first=who(first), round=round_no)
                adjustments.append(Adjustment(player.line, _column(round_no) + 7, what))


def _points(event: TrfEvent, adjustments: list[Adjustment], defects: list[Defect]) -> TrfEvent:
    """Compare the points column with the results.

    A column that is empty or 0.0 all the way was never filled in, and is left out. Announced byes of the round to be
    paired may be counted or not, adjourned games too. In team files the boards have records of their own, so there it
    is only reported.
    """
    earned = {p.start_rank: earned_half_points(event, p, p.cells) for p in event.players}
    if not any(p.points for p in event.players) and any(earned.values()):
        if any(p.points is not None for p in event.players):
            what = _("the points are 0.0 throughout though there are results; the column is not used")
            adjustments.append(Adjustment(event.players[0].line, 81, what))
        return replace(event, players=tuple(replace(p, points=None) for p in event.players))
    paired, is_team = event.paired_rounds, event.is_team
    for player in event.players:
        if player.points is None:
            continue
        total = earned[player.start_rank]
        known = [replace(cell, result="") if cell.open else cell for cell in player.cells]
        if player.points in (
            total,
            earned_half_points(event, player, player.cells[:paired]),
            earned_half_points(event, player, known),
            earned_half_points(event, player, known[:paired]),
        ):
            continue
        what = _("{who}: {stated} points in the column, {sum} by the results")
        what = what.format(who=who(player), stated=as_decimal(player.points), sum=as_decimal(total))
        if is_team:
            adjustments.append(Adjustment(player.line, 81, what))
        else:
            remedy = _("correct the points or the results, or state the point system in record 162")
            defects.append(Defect(player.line, 81, what, remedy))
    return event


def earned_half_points(event: TrfEvent, player: TrfPlayer, cells: Iterable[Cell]) -> int:
    """The sum of some cells of a player in half-points, with the abnormal points of records 299."""
    total = 0
    for round_no, cell in enumerate(cells, 1):
        value = event.point_system.value(cell)
        for record in event.abnormal:
            if record.sets(player.start_rank, round_no, cell):
                value = record.half_points
        total += value
    return total + sum(r.half_points for r in event.abnormal if not r.kind and _meant(r.ids, player))


def _meant(ids: tuple[int, ...], player: TrfPlayer) -> bool:
    return not ids or player.start_rank in ids
