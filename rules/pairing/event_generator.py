"""Plays random events: the engine pairs, results follow the ratings, byes and absences the plan. No files, no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random

from rules.interchange.trf_model import Acceleration, Cell, Forbidden, TrfEvent, TrfPlayer
from rules.pairing.baku import last_of_group_a, virtual_points
from rules.pairing.dutch_engine import pair_without_reasons
from rules.pairing.event_plan import Amount, Amounts, EventPlan
from rules.pairing.event_state import state_before
from rules.pairing.state import NoPairing, PairingAnswer, PairingState
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.ranking import ranking

#: Differences of ratings count up to here (FIDE Rating Regulations 8.3.1).
LARGEST_DIFFERENCE = 400
_UNRATED = 1500
_ABSENT = Cell(0, "-", "Z")


def generate(plan: EventPlan, pair: Callable[[PairingState], PairingAnswer] = pair_without_reasons) -> TrfEvent:
    """Plays the event to its end, or to the first round without any legal pairing, and ranks it by its tie-breaks."""
    return _Play(plan, pair).run()


class _Play:
    def __init__(self, plan: EventPlan, pair: Callable[[PairingState], PairingAnswer]) -> None:
        self.plan = plan
        self.pair = pair
        self.rng = Random(f"event {plan.seed}")
        self.cells: dict[int, list[Cell]] = {tpn: [] for tpn in range(1, plan.players + 1)}
        everybody = list(self.cells)
        late = self.rng.sample(everybody, min(plan.late.draw(self.rng, plan.players), max(0, plan.players - 2)))
        self.arrives = {tpn: self.rng.randint(2, max(2, min(plan.rounds, 4))) for tpn in late}
        leaving = self.rng.sample(everybody, plan.leaving.draw(self.rng, plan.players))
        self.leaves = {tpn: self.rng.randint(2, plan.rounds + 1) for tpn in leaving}
        self.event = self._start()

    def _start(self) -> TrfEvent:
        plan = self.plan
        return TrfEvent(
            players=self._rows(),
            name=f"Generated event {plan.seed}",
            kind="Individual: Swiss-System (FIDE Dutch)",
            rounds=plan.rounds,
            initial_colour=plan.initial_colour,
            point_system=plan.points,
            paired_by="hallkiosk",
            system="FIDE_DUTCH_2026_BAKU" if plan.baku else "FIDE_DUTCH_2026",
            tie_breaks=plan.tie_breaks,
            forbidden=tuple(Forbidden(group, 1, plan.rounds) for group in plan.forbidden),
            comments=(f"hallkiosk generate: {plan.describe()}",),
        )

    def _rows(self) -> tuple[TrfPlayer, ...]:
        return tuple(
            TrfPlayer(tpn, f"Player {tpn:04}", rating=rating, cells=tuple(self.cells[tpn]))
            for tpn, rating in enumerate(self.plan.ratings, 1)
        )

    def run(self) -> TrfEvent:
        for number in range(1, self.plan.rounds + 1):
            away = self._absences(number)
            if number == 1 and self.plan.baku:
                self._accelerate([tpn for tpn in self.cells if tpn not in away])
            for tpn, cell in away.items():
                self.cells[tpn].append(cell)
            self.event = replace(self.event, players=self._rows())
            try:
                answer = self.pair(state_before(self.event, number))
            except NoPairing:
                for tpn in away:
                    self.cells[tpn].pop()
                break
            for tpn, cell in self._results(answer, number).items():
                self.cells[tpn].append(cell)
        return self._ranked(replace(self.event, players=self._rows()))

    def _absences(self, number: int) -> dict[int, Cell]:
        """Who is not paired, with the cell of the round; two players always stay."""
        plan, rng = self.plan, self.rng
        away = {
            tpn: _ABSENT
            for tpn in self.cells
            if number < self.arrives.get(tpn, 0) or number >= self.leaves.get(tpn, number + 1)
        }
        for letter, amounts in (("H", plan.half_byes), ("F", plan.full_byes), ("Z", plan.zero_byes)):
            here = [tpn for tpn in self.cells if tpn not in away]
            count = min(_of(amounts, number).draw(rng, len(here)), max(0, len(here) - 2))
            away |= dict.fromkeys(rng.sample(here, count), Cell(0, "-", letter))
        return away

    def _accelerate(self, paired: list[int]) -> None:
        """Group GA is settled with the first pairing (C.04.7 1.2, 1.3)."""
        last = last_of_group_a(paired)
        if last is None:
            return
        spans: dict[int, list[int]] = {}
        for number, points in enumerate(virtual_points(self.plan.rounds, self.plan.points.win), 1):
            spans.setdefault(points, []).append(number)
        records = tuple(Acceleration(points, span[0], span[-1], 1, last) for points, span in spans.items())
        self.event = replace(self.event, accelerations=records)

    def _results(self, answer: PairingAnswer, number: int) -> dict[int, Cell]:
        plan, rng = self.plan, self.rng
        games = list(answer.pairs)
        special: dict[tuple[int, int], tuple[str, str]] = {}
        kinds: Iterable[tuple[Amounts, tuple[tuple[str, str], ...]]] = (
            (plan.forfeits, (("+", "-"), ("-", "+"))),
            (plan.double_forfeits, (("-", "-"),)),
            (plan.half_zero, (("=", "0"),)),
            (plan.zero_half, (("0", "="),)),
            (plan.zero_zero, (("0", "0"),)),
        )
        for amounts, results in kinds:
            plain = [game for game in games if game not in special]
            for game in rng.sample(plain, _of(amounts, number).draw(rng, len(plain))):
                special[game] = rng.choice(results)
        cells: dict[int, Cell] = {}
        for white, black in games:
            mine, theirs = special.get((white, black)) or self._played(white, black)
            cells[white] = Cell(black, "w", mine)
            cells[black] = Cell(white, "b", theirs)
        if answer.bye is not None:
            cells[answer.bye] = Cell(0, "-", "U")
        return cells

    def _played(self, white: int, black: int) -> tuple[str, str]:
        """A result by the ratings: the expected score with differences up to 400, draws most often among equals."""
        ratings = self.plan.ratings
        gap = (ratings[white - 1] or _UNRATED) - (ratings[black - 1] or _UNRATED)
        gap = max(-LARGEST_DIFFERENCE, min(LARGEST_DIFFERENCE, gap))
        expected = 1 / (1 + 10 ** (-gap / 400))
        draw = self.plan.draws * 2 * min(expected, 1 - expected)
        luck = self.rng.random()
        if luck < draw:
            return "=", "="
        return ("1", "0") if luck < draw + expected - draw / 2 else ("0", "1")

    def _ranked(self, event: TrfEvent) -> TrfEvent:
        played = event.paired_rounds
        points = event.point_system
        state = state_before(replace(event, rounds=self.plan.rounds), played + 1)
        table = Crosstable(
            state.players,
            self.plan.rounds,
            win=points.win,
            draw=points.draw,
            loss=points.loss,
            ratings={p.start_rank: p.rating for p in event.players},
        )
        rank = {place.tpn: i for i, place in enumerate(ranking(table, self.plan.tie_breaks), 1)}
        scores: Mapping[int, int] = {p.tpn: p.half_points for p in state.players}
        rows = tuple(replace(p, points=scores[p.start_rank], rank=rank[p.start_rank]) for p in event.players)
        return replace(event, players=rows)


def _of(amounts: Amounts, number: int) -> Amount:
    return amounts[min(number, len(amounts)) - 1]
