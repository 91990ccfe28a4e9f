"""N10: a thousand tables that lost the server in one moment do not come back in one moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import pytest

from hallnet.retry import LATER, PAUSE_S, Pauses
from hallnet.transport_nats import NatsTransport

TABLES = 1_000
#: What the fault catalogue allows: of the others, in the same 50 ms.
MOMENT_S, SHARE = 0.05, 0.05


def most_at_once(moments: Sequence[float]) -> int:
    """The most of the moments that lie within 50 ms."""
    ordered = sorted(moments)
    return max(bisect_right(ordered, at + MOMENT_S) - n for n, at in enumerate(ordered))


def tries(table: int, until_s: float) -> list[float]:
    """When a table tries that lost the server at 0, up to its first try after `until_s`."""
    pauses, at, out = Pauses(table), 0.0, list[float]()
    while at < until_s or not out:
        at += pauses.next()
        out.append(at)
    return out


def test_first_retries_are_spread() -> None:
    first = [tries(table, 0)[0] for table in range(TABLES)]
    assert most_at_once(first) <= TABLES * SHARE
    assert PAUSE_S[0] <= min(first)
    assert max(first) <= PAUSE_S[1]


@pytest.mark.parametrize("away_s", [0.5, 1.5, 3.0, 7.0, 20.0])
def test_whenever_the_server_is_back_they_come_spread_and_soon(away_s: float) -> None:
    comes = [tries(table, away_s)[-1] for table in range(TABLES)]
    assert most_at_once(comes) <= TABLES * SHARE, f"{most_at_once(comes)} of {TABLES} at once"
    assert max(comes) - away_s <= PAUSE_S[1] * LATER[1], "long before the ten seconds that all have"


def test_the_same_seed_gives_the_same_pauses_and_a_connection_begins_anew() -> None:
    left, right, other = Pauses(7), Pauses(7), Pauses(8)
    drawn = [left.next() for _n in range(50)]
    assert drawn == [right.next() for _n in range(50)]
    assert drawn != [other.next() for _n in range(50)]
    left.connected()
    assert left.next() <= PAUSE_S[1]
    assert len({Pauses().next() for _n in range(100)}) == 100, "without a seed no two are the same"


def test_a_connection_pauses_by_its_seed() -> None:
    transport = NatsTransport(["nats://127.0.0.1:1"], "table 7", seed=7)
    assert transport._pauses.next() == Pauses(7).next()
