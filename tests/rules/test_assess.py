"""The self-assessment names tests that exist, and says honestly what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.assess import MISSING, TABLE, exists, items, told

ITEMS = items(TABLE.read_text(encoding="utf-8"))


def test_every_test_that_is_named_exists() -> None:
    named = [(item.id, node) for item in ITEMS for node in item.nodes]
    assert len(named) > 100
    assert [(name, node) for name, node in named if not exists(node)] == []


def test_every_item_has_an_id_of_its_own_and_an_article() -> None:
    ids = [item.id for item in ITEMS]
    assert sorted(set(ids)) == sorted(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in ids)
    assert all(re.match(r"(B\.02|C\.0\d|Laws \d)", item.article) for item in ITEMS)


def test_what_is_missing_is_printed_as_missing() -> None:
    text = told(ITEMS)
    lacking = [item for item in ITEMS if not item.nodes]
    assert text.endswith(f"{len(ITEMS)} items: {len(ITEMS) - len(lacking)} shown by a test, {len(lacking)} missing")
    assert [line.strip() for line in text.splitlines()].count(MISSING) == len(lacking)


def test_a_test_that_is_gone_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test_here():\n    pass\n\ndef helper():\n    pass\n", encoding="utf-8")
    assert exists("test_x.py::test_here", tmp_path)
    assert not exists("test_x.py::test_gone", tmp_path)
    assert not exists("test_x.py::helper", tmp_path)
    assert not exists("test_y.py::test_here", tmp_path)
    with pytest.raises(ValueError, match="line 2: write id"):
        items("# table\nonly-an-id\n")
