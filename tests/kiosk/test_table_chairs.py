"""Chairs of simulated players that persons take."""

from __future__ import annotations

from pathlib import Path

import pytest

from hallnet.local import ClientId
from kiosk.table import chairs
from kiosk.table.chairs import Chairs

ANNA, BORIS = ClientId(1), ClientId(2)


def test_one_person_a_chair(tmp_path: Path) -> None:
    table = Chairs(tmp_path / "chairs")
    assert table.take(ANNA, "white")
    assert table.take(ANNA, "white"), "sitting down twice changes nothing"
    assert not table.take(BORIS, "white")
    assert table.take(BORIS, "black")
    assert table.taken == ("black", "white")
    assert not table.leave(BORIS, "white")
    assert table.leave(ANNA)
    assert table.taken == ("black",)


def test_a_chair_is_kept_over_a_restart_and_given_up_in_the_end(tmp_path: Path) -> None:
    Chairs(tmp_path / "chairs").take(ANNA, "white")
    after = Chairs(tmp_path / "chairs")
    assert after.taken == ("white",)
    assert after.waiting_s is not None
    assert after.waiting_s <= chairs.KEPT_S
    assert after.take(BORIS, "white"), "the person comes back as another client"
    assert after.waiting_s is None
    assert not after.give_up()
    nobody = Chairs(tmp_path / "chairs")
    assert nobody.give_up()
    assert nobody.taken == ()
    assert Chairs(tmp_path / "chairs").taken == ()


@pytest.mark.parametrize("content", ["", "nonsense", '{"white": 1}', '["red", 7]', "7"])
def test_a_damaged_memory_is_no_obstacle(tmp_path: Path, content: str) -> None:
    (tmp_path / "chairs").write_text(content, encoding="utf-8")
    assert set(Chairs(tmp_path / "chairs").taken) <= {"white"}
