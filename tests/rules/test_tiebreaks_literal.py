"""Every individual code against the articles written out word for word, on events with all that can happen."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.state import History, RoundRecord
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.edition import EDITIONS
from rules.tiebreaks.registry import compute, is_known
from tests.rules import tiebreaks_literal as text

#: Half-points of a win, a draw, a loss, a PAB, a half-point bye, an absence.
SYSTEMS = (
    (2, 1, 0, 2, 1, 0), (2, 1, 0, 2, 1, 0), (2, 1, 0, 1, 1, 0), (6, 2, 0, 6, 2, 0), (6, 2, 0, 2, 2, 0),
    (6, 4, 2, 6, 4, 0), (4, 2, 0, 2, 2, 0), (2, 1, 0, 0, 0, 0), (6, 2, 0, 3, 1, 1), (4, 3, 1, 3, 2, 0),
)  # fmt: skip
RESULTS = ("10", "01", "==", "10", "01", "==", "+-", "-+", "--", "00")


def event(seed: int) -> Crosstable:
    """A Swiss or a round robin by chance: forfeits, all byes, late entries, withdrawals, rounds still to come."""
    chance = random.Random(seed)
    win, draw, loss, pab, half, absent = chance.choice(SYSTEMS)
    players = chance.choice((2, 3, 4, 5, 6, 7, 8, 9, 12))
    robin = chance.random() < 0.3
    rows: dict[int, list[RoundRecord]] = {tpn: [] for tpn in range(1, players + 1)}
    points = {"1": win, "=": draw, "0": loss, "+": win, "-": absent}
    schedule = _circle(players) * chance.choice((1, 1, 2)) if robin else []
    rounds = len(schedule) if robin else chance.randint(1, 7)
    gone = {tpn: chance.randint(1, rounds + 4) for tpn in rows}
    late = {tpn: max(1, chance.randint(-6, 3)) for tpn in rows}
    liveliness = chance.choice((0.05, 0.3, 0.7))
    for number in range(1, rounds + 1):
        if robin:
            pairs = schedule[number - 1]
        else:
            order = chance.sample(sorted(rows), players)
            if number == 1 or chance.random() < 0.7:
                order.sort(key=lambda t: -sum(r.half_points for r in rows[t]))
            here = [t for t in order if late[t] <= number < gone[t]]
            pairs = list(zip(here[::2], here[1::2], strict=False))
        seated: set[int] = set()
        for white, black in pairs:
            result = chance.choice(RESULTS if chance.random() < liveliness else RESULTS[:6])
            if robin and (gone[white] <= number or gone[black] <= number):
                result = "--" if max(gone[white], gone[black]) <= number else "+-" if gone[black] <= number else "-+"
            elif not robin and chance.random() < liveliness / 3:
                continue
            seated |= {white, black}
            for tpn, other, sign, colour in ((white, black, result[0], "white"), (black, white, result[1], "black")):
                kind = sign if sign in "+-" else None
                rows[tpn].append(RoundRecord(other, colour, kind, points[sign]))  # type: ignore[arg-type]
        for tpn in rows.keys() - seated:
            if robin:
                rows[tpn].append(RoundRecord(None, None, "free", 0))
                continue
            kind = chance.choice("UFHHZZ") if late[tpn] <= number < gone[tpn] else "Z"
            worth = {"U": pab, "F": win, "H": half, "Z": absent}[kind]
            rows[tpn].append(RoundRecord(None, None, kind, worth))  # type: ignore[arg-type]
    planned = rounds + (0 if robin else chance.choice((0, 0, 0, 1, 3)))
    ratings = {tpn: chance.choice((1200, 1500, 1501, 1780, 2000, 2431, 2800, 2010)) for tpn in rows}
    if chance.random() < 0.2:
        ratings[chance.randint(1, players)] = 0
    return Crosstable(
        tuple(History(tpn, tuple(mine)) for tpn, mine in rows.items()),
        planned,
        robin,
        win,
        draw,
        loss,
        ratings,
        edition=EDITIONS[chance.choice(("2026", "2026", "2026", "2024-08", "2023", "before 2023"))],
    )


def _circle(players: int) -> list[list[tuple[int, int]]]:
    seats = list(range(1, players + 1)) + [0] * (players % 2)
    rounds = []
    for _round in range(len(seats) - 1):
        half = len(seats) // 2
        pairs = zip(seats[:half], reversed(seats[half:]), strict=True)
        rounds.append([(a, b) for a, b in pairs if a and b])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


Literal = Callable[[text.Event, int], Fraction | None]
CODES: dict[str, Literal] = {
    "PTS": lambda e, p: e.score(p),
    "WIN": text.win,
    "WON": text.won,
    "BPG": text.bpg,
    "BWG": text.bwg,
    "REP": text.rep,
    "GE": text.rep,
    "STD": text.std,
    "ARO": text.aro,
    "ARO/U1400": lambda e, p: text.aro(e, p, 1400),
    "ARO/C1": lambda e, p: text.aro(e, p, low=1),
    "ARO/M1/U1400": lambda e, p: text.aro(e, p, 1400, 1, 1),
    "TPR": text.tpr,
    "TPR/U1000": lambda e, p: text.tpr(e, p, 1000),
    "PTP": text.ptp,
    "PTP/U2000": lambda e, p: text.ptp(e, p, 2000),
    "APRO/U1400": lambda e, p: text.mean_of(text.tpr, e, p, 1400),
    "APPO/U1400": lambda e, p: text.mean_of(text.ptp, e, p, 1400),
    "AOB": text.aob,
    "AOB/P": lambda e, p: text.aob(e, p, forfeits=True),
    "AOB/F": lambda e, p: text.aob(e, p, use_fore=True),
    "AOB/F/P": lambda e, p: text.aob(e, p, use_fore=True, forfeits=True),
    **{f"PS{cut}": (lambda e, p, n=n: text.ps(e, p, n)) for cut, n in (("", 0), ("/C1", 1), ("/C2", 2))},
    **{f"KS{by}": (lambda e, p, n=n: text.ks(e, p, n)) for by, n in (("", 0), ("/L+1", 1), ("/L-2", -2))},
    **{
        f"{name}{cut}{played}": (
            lambda e, p, f=family, o=event_of, c=cuts, y=bool(played): f(o(e), p, *c, y)
        )
        for name, family, event_of in (
            ("BH", text.bh, lambda e: e), ("SB", text.sb, lambda e: e), ("FB", text.bh, text.fore),
        )
        for cut, cuts in (
            ("", (0, 0)), ("/C1", (1, 0)), ("/C2", (2, 0)), ("/M1", (1, 1)), ("/M2", (2, 2)), ("/C9", (9, 0)),
        )
        for played in ("", "/P")
    },
}  # fmt: skip


def differences(table: Crosstable, codes: Iterable[str] = CODES) -> list[str]:
    literal, everybody = text.Event.of(table), sorted(table.by_tpn)
    wrong = []
    for code in codes:
        if not is_known(code, table.edition):
            continue
        found = compute(code, table, everybody)
        for tpn in everybody:
            expected = CODES[code](literal, tpn)
            if found[tpn].value != expected:
                wrong.append(f"{code} of {tpn}: {found[tpn].value}, by the text {expected}")
    groups = [[t for t in everybody if table.scores[t] == s] for s in set(table.scores.values())] + [everybody]
    for group in groups:
        for code, forfeits in (("DE", False), ("DE/P", True)):
            places = {tpn: int(value.value or 0) for tpn, value in compute(code, table, group).items()}
            if places != (expected_places := text.de(literal, group, forfeits)):
                wrong.append(f"{code} of {group}: {places}, by the text {expected_places}")
    return wrong


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_every_code_follows_the_articles(seed: int) -> None:
    assert differences(event(seed), random.Random(seed).sample(sorted(CODES), 10)) == []
