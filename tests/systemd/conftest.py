"""The root that these tests share, and the word that asks for tests which need one: `pytest -m appliance`."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd import root as roots


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whoever has not asked for them does not wait for a Debian to be built."""
    asked = "appliance" in config.getoption("markexpr") and "not appliance" not in config.getoption("markexpr")
    for item in items:
        if item.get_closest_marker("appliance") and not asked:
            item.add_marker(pytest.mark.skip(reason="builds a Debian root: make check-appliance"))


@pytest.fixture(scope="session")
def cache_of_our_own() -> Iterator[None]:
    """Nobody else lays other units over the roots while these tests boot them."""
    if why := roots.missing():
        pytest.skip(f"no Debian root here: {why}")
    roots.cache().mkdir(parents=True, exist_ok=True)
    with (roots.cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def debian_root(cache_of_our_own: None) -> Path:
    """A Debian 13 with the units and the program of the working tree."""
    return roots.ready()
