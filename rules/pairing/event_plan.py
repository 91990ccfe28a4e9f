"""What a generated event is like: every parameter, read from words or drawn at random from a seed."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from gettext import gettext as _
from random import Random
from typing import Any

from rules.interchange.trf_model import PointSystem
from rules.pairing.state import Colour

#: Tie-break lists that a plan without one chooses from.
TIE_BREAKS = (("BH/C1", "BH", "SB"), ("DE", "BH/C1", "WIN"), ("BH", "SB", "PS"), ("ARO", "BH/C1"))
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(%?)")


@dataclass(frozen=True, slots=True)
class Amount:
    """How many of a crowd: a number, or with `percent` a chance in percent for each of them."""

    value: float = 0
    percent: bool = False

    def draw(self, rng: Random, crowd: int) -> int:
        """How many it is this time."""
        if not self.percent:
            return min(int(self.value), crowd)
        return sum(rng.random() * 100 < self.value for _one in range(crowd))

    def __str__(self) -> str:
        return f"{self.value:g}{'%' if self.percent else ''}"


Amounts = tuple[Amount, ...]
NONE: Amounts = (Amount(),)
STANDARD = PointSystem()


def parse_amounts(text: str) -> Amounts:
    """ "3", "5%" or a list by round as "0,2,5%"; the last one holds for all further rounds. Raises `ValueError`."""
    amounts: list[Amount] = []
    for part in text.split(","):
        match = _AMOUNT.fullmatch(part.strip())
        if match is None or (match[2] and float(match[1]) > 100):
            raise ValueError(
                _("{text!r} is no amount. Write a number or a percentage, or one for each round as 0,2,5%.").format(
                    text=part.strip()
                )
            )
        amounts.append(Amount(float(match[1]), bool(match[2])))
    return tuple(amounts)


@dataclass(frozen=True, slots=True)
class EventPlan:
    """Everything that decides an event; the same plan always gives the same event.

    `ratings` are from the strongest down, 0 = unrated. Byes (`full_byes`, `half_byes`, `zero_byes`) are players of a
    round; `forfeits` (one side absent), `double_forfeits` and the odd results `half_zero` (½-0), `zero_half` (0-½) and
    `zero_zero` are games of a round. `late` players arrive after round 1, `leaving` ones withdraw. `draws` is the share
    of draws between equals. `forbidden` are groups whose members must not meet.
    """

    seed: int
    players: int
    rounds: int
    ratings: tuple[int, ...]
    initial_colour: Colour = "white"
    full_byes: Amounts = NONE
    half_byes: Amounts = NONE
    zero_byes: Amounts = NONE
    forfeits: Amounts = NONE
    double_forfeits: Amounts = NONE
    half_zero: Amounts = NONE
    zero_half: Amounts = NONE
    zero_zero: Amounts = NONE
    late: Amount = Amount()
    leaving: Amount = Amount()
    draws: float = 0.3
    baku: bool = False
    points: PointSystem = STANDARD
    forbidden: tuple[tuple[int, ...], ...] = ()
    tie_breaks: tuple[str, ...] = TIE_BREAKS[0]

    def describe(self) -> str:
        """The parameters in one line, as they go into the report."""
        parts = []
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if field.name == "ratings":
                value = f"{max(value, default=0)}..{min(value, default=0)}"
            elif field.name == "points":
                value = f"{value.win / 2:g}/{value.draw / 2:g}/{value.loss / 2:g}/pab {value.pab / 2:g}"
            elif field.name == "tie_breaks":
                value = ",".join(value)
            elif field.name == "forbidden":
                value = " ".join("-".join(map(str, group)) for group in value) or "none"
            elif isinstance(value, tuple):
                value = ",".join(map(str, value))
            parts.append(f"{field.name}={value}")
        return "; ".join(parts)


def random_plan(seed: int, **fixed: Any) -> EventPlan:
    """A plan with sensible random values for everything not in `fixed` (fields of `EventPlan`).

    Raises `ValueError` for a plan that cannot be played.
    """
    rng = Random(f"plan {seed}")
    players = fixed.get("players") or rng.choice((rng.randint(5, 16), rng.randint(17, 60), rng.randint(61, 300)))
    rounds = fixed.get("rounds") or rng.randint(3, max(3, min(13, players - 1)))
    drawn: dict[str, Any] = {
        "players": players,
        "rounds": rounds,
        "ratings": random_ratings(rng, players),
        "initial_colour": rng.choice(("white", "black")),
        "full_byes": _sometimes(rng, 0.1, 2),
        "half_byes": _sometimes(rng, 0.5, 6),
        "zero_byes": _sometimes(rng, 0.3, 4),
        "forfeits": _sometimes(rng, 0.5, 4),
        "double_forfeits": _sometimes(rng, 0.2, 2),
        "half_zero": _sometimes(rng, 0.05, 1),
        "zero_half": _sometimes(rng, 0.05, 1),
        "zero_zero": _sometimes(rng, 0.1, 1),
        "late": _sometimes(rng, 0.4, 8)[0],
        "leaving": _sometimes(rng, 0.4, 8)[0],
        "draws": round(rng.uniform(0.1, 0.6), 2),
        "baku": rng.random() < 0.2,
        "points": rng.choice((PointSystem(),) * 7 + (PointSystem(pab=1), _three(6), _three(2))),
        "forbidden": _groups(rng, players) if rng.random() < 0.2 else (),
        "tie_breaks": rng.choice(TIE_BREAKS),
    }
    plan = EventPlan(seed=seed, **{**drawn, **fixed})
    if plan.players < 2 or plan.rounds < 1 or len(plan.ratings) != plan.players:
        raise ValueError(
            _("An event needs two players, one round, and a rating for each player (0 = unrated). This one has {n}.")
            .format(n=f"{plan.players}/{plan.rounds}/{len(plan.ratings)}")
        )  # fmt: skip
    return plan


def random_ratings(rng: Random, players: int, highest: int = 0, lowest: int = 0) -> tuple[int, ...]:
    """Ratings from the strongest down; without limits a field of random strength, now and then equal or unrated."""
    if not highest and rng.random() < 0.08:
        return (rng.choice((0, 1500)),) * players
    top = highest or rng.randint(1800, 2750)
    bottom = lowest or max(1400, top - rng.randint(200, 1000))
    return tuple(sorted((rng.randint(min(bottom, top), top) for _player in range(players)), reverse=True))


def _sometimes(rng: Random, chance: float, most: float) -> Amounts:
    return (Amount(round(rng.uniform(0.3, most), 1), True),) if rng.random() < chance else NONE


def _three(pab: int) -> PointSystem:
    """3-1-0 with this PAB, in half-points."""
    return PointSystem(win=6, draw=2, forfeit_win=6, full_bye=6, half_bye=2, unknown=2, pab=pab)


def _groups(rng: Random, players: int) -> tuple[tuple[int, ...], ...]:
    groups = rng.randint(1, max(1, players // 8))
    return tuple(
        tuple(sorted(rng.sample(range(1, players + 1), min(players, rng.randint(2, 4))))) for _group in range(groups)
    )
