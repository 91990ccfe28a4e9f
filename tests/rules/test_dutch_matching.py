"""The matchings under the engine, against brute force: without weights, and with integers of any size."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_exact_matching import exact_matching
from rules.pairing.dutch_matching import BITS, Fields, best_matching

Weights = dict[tuple[int, int], int]


@st.composite
def graphs(draw: st.DrawFn, most: int = 9, heaviest: int = 12) -> tuple[int, Weights]:
    nodes = draw(st.integers(min_value=1, max_value=most))
    pairs = [(a, b) for b in range(nodes) for a in range(b)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return nodes, {pair: draw(st.integers(min_value=0, max_value=heaviest)) for pair in chosen}


def best(nodes: int, weights: Weights, complete: bool) -> tuple[int, int]:
    """(pairs, weight) of the best matching; pairs count first with `complete`, else not at all."""

    @cache
    def of(free: frozenset[int]) -> tuple[int, int]:
        if not free:
            return 0, 0
        first = min(free)
        options = [of(free - {first})]
        for (a, b), weight in weights.items():
            if a == first and b in free:
                pairs, total = of(free - {a, b})
                options.append((pairs + complete, total + weight))
        return max(options)

    return of(frozenset(range(nodes)))


def as_masks(nodes: int, weights: Weights) -> list[int]:
    masks = [0] * nodes
    for a, b in weights:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    return masks


@given(graphs(), st.booleans())
def test_the_exact_matching_is_the_best_there_is(graph: tuple[int, Weights], complete: bool) -> None:
    nodes, weights = graph
    found = exact_matching(nodes, [(a, b, w) for (a, b), w in weights.items()], complete)
    assert all(found[found[v]] == v for v in found)
    total = sum(weights[v, other] for v, other in found.items() if v < other)
    assert (len(found) // 2 * complete, total) == best(nodes, weights, complete)


def test_criteria_beyond_the_bits_of_the_compiled_matching_still_count() -> None:
    fields = Fields([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)])
    for _criterion in range(BITS):
        fields.add({(0, 1): 1, (0, 2): 1}, 1)
    fields.add({(1, 3): 1}, 1)
    assert best_matching(4, fields, complete=True) == {0: 2, 2: 0, 1: 3, 3: 1}


@settings(max_examples=200)
@given(graphs(), st.integers(min_value=0, max_value=2**9))
def test_completion_and_who_can_be_taken_in(graph: tuple[int, Weights], guests: int) -> None:
    nodes, weights = graph
    masks = as_masks(nodes, weights)
    everybody = (1 << nodes) - 1
    flat = dict.fromkeys(weights, 0)

    def perfect(left_out: int | None) -> bool:
        kept = {p: 0 for p in flat if left_out not in p}
        players = nodes - (left_out is not None)
        return best(nodes, kept, complete=True)[0] * 2 == players

    found = Graph(masks, everybody)
    assert found.perfect == perfect(None)
    if nodes % 2:
        welcome = 0
        for v in range(nodes):
            if perfect(v):
                welcome |= masks[v]
        assert found.hosts(guests & everybody) & guests == welcome & guests & everybody


@given(graphs(most=8))
def test_a_pair_can_be_forced_exactly_when_the_others_keep_their_places(graph: tuple[int, Weights]) -> None:
    nodes, weights = graph
    masks = as_masks(nodes, weights)
    for a, b in weights:
        found = Graph(masks, (1 << nodes) - 1)
        if not found.perfect:
            return
        rest = {p: 0 for p in weights if a not in p and b not in p}
        possible = best(nodes, rest, complete=True)[0] * 2 == nodes - 2
        assert found.force(a, b) == possible
        assert found.perfect
        assert found.players == (1 << nodes) - 1 - ((1 << a | 1 << b) if possible else 0)


@settings(max_examples=200)
@given(graphs())
def test_where_not_everybody_has_a_place_too_many_groups_depend_on_too_few(graph: tuple[int, Weights]) -> None:
    nodes, weights = graph
    found = Graph(as_masks(nodes, weights), (1 << nodes) - 1)
    if found.perfect:
        assert found.obstacle is None
        return
    assert found.obstacle is not None
    groups, few = found.obstacle
    assert len(groups) > few.bit_count()
    assert all(group.bit_count() % 2 for group in groups)
    for group in groups:
        outside = ((1 << nodes) - 1) & ~group & ~few
        assert not any(group >> v & 1 and found.may_meet[v] & outside for v in range(nodes))
