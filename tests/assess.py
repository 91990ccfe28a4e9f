"""The self-assessment: what the endorsement of a pairing program asks for, and the test that shows it.

`make assess` prints the table of `tests/data/assess.tsv`; `tests/rules/test_assess.py` holds it to the tests there are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).with_name("data") / "assess.tsv"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing asked for: our own id and words, the article it comes from, and the tests (none: it is missing)."""

    id: str
    article: str
    what: str
    nodes: tuple[str, ...]


def items(text: str) -> tuple[Item, ...]:
    """The items of a table, in order. Raises `ValueError` with the number of a line that is no item."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not all(cell.strip() for cell in cells):
            raise ValueError(f"line {number}: write id, article, words and tests, with tabs between them")
        name, article, what, nodes = cells
        found.append(Item(name, article, what, () if nodes == MISSING else tuple(nodes.split())))
    return tuple(found)


def exists(node: str, root: Path = ROOT) -> bool:
    """Is there a test of that name? `node` as pytest writes it, "tests/rules/test_x.py::test_y"."""
    file, _colons, name = node.partition("::")
    return name in tests_of(root / file)


@cache
def tests_of(path: Path) -> frozenset[str]:
    """The names of the test functions of a file; none if there is no such file."""
    if not path.is_file():
        return frozenset()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    functions = (each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(each.name for each in functions if each.name.startswith("test_"))


def told(found: Iterable[Item]) -> str:
    """The table as it is printed, with a count below it."""
    rows = tuple(found)
    lines = []
    for item in rows:
        lines.append(f"{item.id:24} {item.article:13} {item.what}")
        lines += [f"{'':24} {'':13}   {node}" for node in item.nodes or (MISSING,)]
    shown = sum(bool(item.nodes) for item in rows)
    lines.append(f"{len(rows)} items: {shown} shown by a test, {len(rows) - shown} missing")
    return "\n".join(lines)


if __name__ == "__main__":
    print(told(items(TABLE.read_text(encoding="utf-8"))))
