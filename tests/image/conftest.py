"""One card for the tests of a started machine; they are asked for (`make check-image`), never part of `make test`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.machine import Card, Machine, lacking

# The recipe is no part of the installed program.
sys.path.append(str(Path(__file__).parents[2]))

TABLE = """
role = "table"
event = "club"
table = 1
hub = "127.0.0.1"
time-zone = "Europe/Belgrade"
language = "en"

[devices]
clock = "simulated"
"""


@pytest.fixture(scope="session")
def image() -> Path:
    """The image that `make check-image` has named."""
    named = os.environ.get("HALLKIOSK_IMAGE", "")
    if not named:
        pytest.skip("no image named: run `make check-image`, which builds one and starts it in a virtual machine")
    return Path(named)


@pytest.fixture(scope="session")
def arch(image: Path) -> str:
    """The image's architecture, from its name."""
    found = "arm64" if "arm64" in image.name else "amd64"
    if lack := lacking(found):
        pytest.skip(f"this machine lacks {lack}: apt install qemu-system mtools")
    return found


@pytest.fixture(scope="session")
def figures() -> Iterator[dict[str, object]]:
    """What was measured; shown at the end, beside the tests' verdict."""
    out: dict[str, object] = {}
    yield out
    print("\n" + json.dumps(out, indent=2, ensure_ascii=False))


@pytest.fixture(scope="module")
def card(image: Path, arch: str, tmp_path_factory: pytest.TempPathFactory) -> Card:
    """A freshly written card of table 1."""
    return Card(image, tmp_path_factory.mktemp("card"), TABLE, arch)


@pytest.fixture(scope="module")
def table(card: Card, figures: dict[str, object]) -> Iterator[Machine]:
    """Table 1, switched on until somebody can type on its serial console."""
    with card.on() as machine:
        machine.shell(900)
        figures["seconds to a shell"] = round(machine.age, 1)
        yield machine


def until(machine: Machine, command: str, wanted: str, seconds: float = 300) -> str:
    """Repeat a command until `wanted` is in what it says."""
    end = time.monotonic() + seconds
    said = ""
    while time.monotonic() < end:
        said = machine.run(command, 180, fails=True)
        if wanted in said:
            return said
        time.sleep(1)
    raise AssertionError(f"{command!r} never said {wanted!r}; at last it said:\n{said}")


def photograph(machine: Machine, name: str) -> None:
    """What the panel shows now, for people to look at: into the folder HALLKIOSK_PICTURES, if one is named."""
    if folder := os.environ.get("HALLKIOSK_PICTURES", ""):
        Path(folder).mkdir(parents=True, exist_ok=True)
        machine.picture(Path(folder).resolve() / f"{name}.png")
