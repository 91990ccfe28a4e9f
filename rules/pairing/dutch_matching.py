"""A maximum matching of greatest weight, with integer weights that stand for many criteria in order of priority.

The criteria of a bracket are packed into one integer per edge, the first criterion in the highest bits. Every field is
as wide as the greatest sum it can reach in a matching, so no criterion can ever outweigh one before it. The compiled
matching counts in 128 bits; `BITS` leaves it room for its own sums, and beyond that `dutch_exact_matching` takes over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import rustworkx

from rules.pairing.dutch_exact_matching import exact_matching

#: Bits a packed weight may use.
BITS = 120

Edge = tuple[int, int]


class Fields:
    """Weights of a fixed list of edges, built criterion by criterion from the most important one down."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = edges
        self.weights = [0] * len(edges)
        self.bits = 0

    def room_for(self, most: int) -> bool:
        """Does a field whose sum never exceeds `most` still fit?"""
        return self.bits + most.bit_length() <= BITS

    def add(self, values: Mapping[Edge, int], most: int) -> None:
        """Adds a criterion: the sum of `values` (not negative) over a matching, at most `most`, is to be great.

        An edge that is not in `values` counts 0.
        """
        if any(values.values()):
            width = most.bit_length()
            self.weights = [(w << width) + values.get(e, 0) for w, e in zip(self.weights, self.edges, strict=True)]
            self.bits += width

    def copy(self) -> Fields:
        """The same weights, to add other criteria to."""
        twin = Fields(self.edges)
        twin.weights = list(self.weights)
        twin.bits = self.bits
        return twin

    def keep(self, edges: Sequence[Edge]) -> Fields:
        """The same weights on fewer edges; `edges` must be in the order of the list before."""
        wanted = set(edges)
        twin = Fields(edges)
        twin.weights = [w for w, e in zip(self.weights, self.edges, strict=True) if e in wanted]
        twin.bits = self.bits
        return twin


def best_matching(nodes: int, fields: Fields, complete: bool) -> dict[int, int]:
    """Partner of every matched node, in the matching of greatest weight; with `complete` among those of most edges.

    Costs O(n³): about 1 ms for 50 nodes and 25 ms for 200 on a desktop machine; beyond `BITS` a hundred times that.
    Between matchings of equal weight the choice is unspecified, so a caller who wants a reproducible answer goes on
    adding criteria until only one is left.
    """
    if fields.bits > BITS:
        weighted = ((a, b, w) for (a, b), w in zip(fields.edges, fields.weights, strict=True))
        return exact_matching(nodes, weighted, complete)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from([(a, b, w) for (a, b), w in zip(fields.edges, fields.weights, strict=True)])
    partners: dict[int, int] = {}
    for a, b in rustworkx.max_weight_matching(graph, max_cardinality=complete, weight_fn=_own_weight):
        partners[a] = b
        partners[b] = a
    return partners


def _own_weight(weight: int) -> int:
    return weight
