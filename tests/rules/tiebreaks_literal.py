"""C.07 of 2026 (and the editions before it) word for word, slowly: a second opinion on `rules.tiebreaks`.

Everything is in points as fractions, every article is its own function, nothing is kept and nothing is shared with the
program but the crosstable it is asked about. Bounds of the rating tables are written out anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import floor

from rules.tiebreaks.crosstable import Crosstable

Points = Fraction
VUR = ("-", "H", "Z")


@dataclass(frozen=True)
class Round:
    """One round of one player: kind "G" for a game, opponent 0 for none."""

    kind: str
    opponent: int
    black: bool
    points: Points


@dataclass(frozen=True)
class Event:
    """What the articles speak of: everybody's rounds, the rounds of the tournament, and the points for results."""

    rows: dict[int, list[Round]]
    rounds: int
    robin: bool
    win: Points
    draw: Points
    edition: str
    ratings: dict[int, int]

    @staticmethod
    def of(table: Crosstable) -> Event:
        rows = {
            p.tpn: [
                Round(r.unplayed or "G", r.opponent or 0, r.colour == "black", Points(r.half_points, 2))
                for r in p.rounds
            ]
            for p in table.players
        }
        win, draw = Points(table.win, 2), Points(table.draw, 2)
        return Event(rows, table.rounds, table.predetermined, win, draw, table.edition.name, dict(table.ratings))

    def score(self, player: int) -> Points:
        return sum((r.points for r in self.rows[player]), Points(0))

    def is_last_vur(self, player: int, at: int) -> bool:
        """Category .5 of 16.2: a requested bye after which nothing but voluntary unplayed rounds follows."""
        rounds = self.rows[player]
        return rounds[at].kind in ("H", "Z") and all(later.kind in VUR for later in rounds[at + 1 :])

    def adjusted(self, player: int) -> Points:
        """16.3, and before 2023 all unplayed rounds as draws."""
        if self.robin:
            return self.score(player)
        total = Points(0)
        for at, r in enumerate(self.rows[player]):
            drawn = r.kind != "G" if self.edition == "before 2023" else self.is_last_vur(player, at)
            total += self.draw if drawn else r.points
        return total

    def counts_as_game(self, r: Round, forfeits: bool) -> bool:
        return r.kind == "G" or (r.opponent != 0 and r.kind in "+-" and (forfeits or self.robin))

    def worth(self, player: int, at: int, forfeits: bool) -> Points:
        """The opponent's value of a round: 16.3 for a game, 16.4 for a dummy."""
        r = self.rows[player][at]
        if self.counts_as_game(r, forfeits):
            return self.adjusted(r.opponent)
        own = self.score(player)
        if self.edition == "before 2023":
            before = sum((x.points for x in self.rows[player][:at]), Points(0))
            return before + (self.win - r.points) + self.draw * (len(self.rows[player]) - at - 1)
        if self.edition in ("2023", "2024-08"):
            return own
        if r.kind in "+-" and r.opponent:
            return min(own, self.adjusted(r.opponent))
        return min(own, self.draw * self.rounds)


@dataclass
class Element:
    worth: Points
    contribution: Points
    vur: bool


def elements(event: Event, player: int, forfeits: bool, multiply: bool) -> list[Element]:
    found = []
    for at, r in enumerate(event.rows[player]):
        if r.kind == "free":
            continue
        worth = event.worth(player, at, forfeits)
        vur = r.kind in VUR and not event.counts_as_game(r, forfeits)
        found.append(Element(worth, worth * r.points if multiply else worth, vur))
    return found


def with_cuts(event: Event, parts: list[Element], low: int, high: int) -> Points:
    """14.1 and 16.5."""
    left = list(parts)
    for _cut in range(low):
        if not left:
            break
        least = min(left, key=lambda e: (e.worth, e.contribution))
        own = [e for e in left if e.vur]
        if own and event.edition != "before 2023":
            candidate = min(own, key=lambda e: (e.contribution, e.worth))
            if candidate.contribution >= least.contribution:
                least = candidate
        left = [e for e in left if e is not least]
    for _cut in range(high):
        if left:
            most = max(left, key=lambda e: (e.worth, e.contribution))
            left = [e for e in left if e is not most]
    return sum((e.contribution for e in left), Points(0))


def bh(event: Event, player: int, low: int = 0, high: int = 0, forfeits: bool = False) -> Points | None:
    return None if event.robin else with_cuts(event, elements(event, player, forfeits, False), low, high)


def sb(event: Event, player: int, low: int = 0, high: int = 0, forfeits: bool = False) -> Points | None:
    return with_cuts(event, elements(event, player, forfeits, True), low, high)


def fore(event: Event) -> Event:
    """8.3: every paired game of the tournament's last round drawn."""
    rows = {}
    for player, rounds in event.rows.items():
        rows[player] = [
            replace(r, kind="G", points=event.draw) if at == event.rounds - 1 and r.opponent else r
            for at, r in enumerate(rounds)
        ]
    return replace(event, rows=rows)


def half_up(value: Fraction, digits: int = 0) -> Fraction:
    return Fraction(floor(value * 10**digits + Fraction(1, 2)), 10**digits)


def met(event: Event, player: int) -> list[int]:
    return [r.opponent for r in event.rows[player] if r.kind == "G"]


def aob(event: Event, player: int, use_fore: bool = False, forfeits: bool = False) -> Points | None:
    if event.robin or not met(event, player):
        return None
    other = fore(event) if use_fore else event
    values = [bh(other, opponent, forfeits=forfeits) or Points(0) for opponent in met(event, player)]
    return half_up(sum(values, Points(0)) / len(values), 2)


def ps(event: Event, player: int, cut: int = 0) -> Points:
    total = Points(0)
    for number in range(len(event.rows[player])):
        if number >= cut:
            total += sum((r.points for r in event.rows[player][: number + 1]), Points(0))
    return total


def own_games(event: Event, player: int) -> list[Round]:
    """What is a game in article 7: over the board, before 2026 also the forfeits of a round robin (15.2)."""
    also = "+-" if event.robin and event.edition != "2026" else ""
    return [r for r in event.rows[player] if r.kind == "G" or (r.opponent and r.kind in also)]


def win(event: Event, player: int) -> Points:
    return Points(sum(r.points == event.win and r.kind != "free" for r in event.rows[player]))


def won(event: Event, player: int) -> Points:
    return Points(sum(r.points == event.win for r in own_games(event, player)))


def bpg(event: Event, player: int) -> Points:
    return Points(sum(r.black for r in own_games(event, player)))


def bwg(event: Event, player: int) -> Points:
    return Points(sum(r.black and r.points == event.win for r in own_games(event, player)))


def rep(event: Event, player: int) -> Points:
    rounds = [r for r in event.rows[player] if r.kind != "free"]
    games = own_games(event, player)
    return Points(len(rounds) - sum(r.kind in VUR and r not in games for r in rounds))


def std(event: Event, player: int) -> Points:
    total = Points(0)
    for at, r in enumerate(event.rows[player]):
        if r.kind == "free":
            continue
        measure = event.rows[r.opponent][at].points if r.kind == "G" else event.draw
        total += 1 if r.points > measure else Points(1, 2) if r.points == measure else 0
    return total


# ------------------------------------------------------------------------------------------- direct encounter


def de(event: Event, group: Sequence[int], forfeits: bool = False) -> dict[int, int]:
    """6: places in the group."""
    places: dict[int, int] = {}

    def meetings(player: int, inside: Sequence[int]) -> dict[int, list[Points]]:
        found: dict[int, list[Points]] = {}
        for r in event.rows[player]:
            if r.opponent in inside and event.counts_as_game(r, forfeits):
                found.setdefault(r.opponent, []).append(r.points)
        return found

    def apply(tied: list[int], first: int) -> None:
        table = {p: meetings(p, tied) for p in tied}
        m = {p: sum((sum(g, Points(0)) / len(g) for g in table[p].values()), Points(0)) for p in tied}
        most = {p: m[p] + event.win * (len(tied) - 1 - len(table[p])) for p in tied}
        if all(len(table[p]) == len(tied) - 1 for p in tied):
            for value in sorted(set(m.values()), reverse=True):
                same = [p for p in tied if m[p] == value]
                if len(same) == len(tied):
                    places.update(dict.fromkeys(tied, first))
                else:
                    apply(same, first)
                first += len(same)
            return
        rest = list(tied)
        while len(rest) > 1:
            sure = [p for p in rest if all(m[p] > most[q] for q in rest if q != p)]
            if not sure:
                break
            places[sure[0]] = first
            first += 1
            rest.remove(sure[0])
        if len(rest) == len(tied):
            places.update(dict.fromkeys(tied, first))
        else:
            apply(rest, first)

    apply(list(group), 1)
    return places


# ------------------------------------------------------------------------------------------------- ratings

_DP = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
)  # fmt: skip
_PD = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188, 197,
    206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559, 619,
    735,
)  # fmt: skip


def dp(hundredths: int) -> int:
    return _DP[hundredths - 50] if hundredths >= 50 else -_DP[50 - hundredths]


@cache
def pd(difference: int) -> int:
    """In hundredths."""
    above = 50 + sum(abs(difference) > bound for bound in _PD)
    return above if difference >= 0 else 100 - above


def rating_games(event: Event, player: int, unrated: int) -> tuple[list[int], Fraction] | None:
    """Ratings of those met over the board and the score in games, 1-½-0; None when he met nobody."""
    games = [r for r in event.rows[player] if r.kind == "G"]
    if not games:
        return None
    score = sum(
        (Fraction(1) if r.points == event.win else Fraction(r.points == event.draw, 2) for r in games), Fraction(0)
    )
    return [event.ratings.get(r.opponent, 0) or unrated for r in games], score


def somebody_unrated(event: Event, unrated: int) -> bool:
    return any(not (event.ratings.get(o, 0) or unrated) for p in event.rows for o in met(event, p))


def aro(event: Event, player: int, unrated: int = 0, low: int = 0, high: int = 0) -> Points | None:
    found = None if somebody_unrated(event, unrated) else rating_games(event, player, unrated)
    if found is None:
        return None
    kept = sorted(found[0])[low:]
    kept = kept[: len(kept) - high] if len(kept) > high else []
    return half_up(Fraction(sum(kept), len(kept))) if kept else None


def tpr(event: Event, player: int, unrated: int = 0) -> Points | None:
    found = rating_games(event, player, unrated)
    mean = aro(event, player, unrated)
    if found is None or mean is None:
        return None
    return mean + dp(int(half_up(found[1] / len(found[0]), 2) * 100))


def ptp(event: Event, player: int, unrated: int = 0) -> Points | None:
    found = rating_games(event, player, unrated)
    if found is None or somebody_unrated(event, unrated):
        return None
    ratings, score = found
    if score == 0:
        return Points(min(ratings) - 800)
    rating = min(ratings) - 800
    while sum(pd(rating - other) for other in ratings) < score * 100:
        rating += 1
    return Points(rating)


def mean_of(code: Callable[[Event, int, int], Points | None], event: Event, player: int, unrated: int) -> Points | None:
    values = [code(event, opponent, unrated) for opponent in met(event, player)]
    known = [v for v in values if v is not None]
    return half_up(sum(known, Points(0)) / len(known)) if known and len(known) == len(values) else None


def ks(event: Event, player: int, limit: int = 0) -> Points | None:
    """9.2: points against those with at least half of what one can score, moved by half points."""
    if not event.robin:
        return None
    games = max(sum(r.opponent != 0 for r in rounds) for rounds in event.rows.values())
    least = event.win * games / 2 + Points(limit, 2)
    return sum((r.points for r in event.rows[player] if r.opponent and event.score(r.opponent) >= least), Points(0))
