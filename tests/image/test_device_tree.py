"""Device trees: what is switched on counts, and what drives it is found by the most exact word."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from image.device_tree import devices, driver, drivers, modules_for

#: A node: its properties, and nodes below it.
Node = Mapping[str, Any]
BOARD: Node = {
    "compatible": ["raspberrypi,5-model-b", "brcm,bcm2712"],
    "mmc@1": {"compatible": ["brcm,bcm2712-sdhci", "brcm,sdhci-brcmstb"], "status": ["okay"]},
    "mmc@2": {"compatible": ["brcm,bcm2712-sdhci"], "status": ["disabled"]},
    "pcie@3": {"status": ["disabled"], "compatible": ["brcm,bcm2712-pcie"], "dev@0": {"compatible": ["pci1de4,1"]}},
    "soc": {"msi@4": {"compatible": ["brcm,bcm2712-mip"]}, "empty": {}, "tv@5": {"compatible": ["brcm,bcm2712-vc6"]}},
}


def blob(board: Node) -> bytes:
    """A device tree as a file."""
    names = b""
    structure = b""

    def put(name: str, node: Node) -> None:
        nonlocal names, structure
        structure += struct.pack(">I", 1) + name.encode() + b"\0" + b"\0" * (-len(name.encode() + b"\0") % 4)
        for key, value in node.items():
            if isinstance(value, list):
                data = b"".join(word.encode() + b"\0" for word in value)
                structure += struct.pack(">3I", 3, len(data), len(names)) + data + b"\0" * (-len(data) % 4)
                names += key.encode() + b"\0"
        structure += struct.pack(">I", 4)
        for key, value in node.items():
            if not isinstance(value, list):
                put(key, value)
        structure += struct.pack(">I", 2)

    put("", board)
    structure += struct.pack(">I", 9)
    head = struct.pack(
        ">10I", 0xD00DFEED, 40 + len(structure) + len(names), 40, 40 + len(structure), 40, 17, 16, 0, 0, 0
    )
    return head + structure + names


def test_what_is_switched_off_and_what_hangs_on_it_is_not_there() -> None:
    assert devices(blob(BOARD)) == [
        ("raspberrypi,5-model-b", "brcm,bcm2712"),
        ("brcm,bcm2712-sdhci", "brcm,sdhci-brcmstb"),
        ("brcm,bcm2712-mip",),
        ("brcm,bcm2712-vc6",),
    ]


def test_the_modules_of_a_board_are_those_of_its_parts(tmp_path: Path) -> None:
    known = drivers(
        [
            "# Aliases extracted from modules themselves.",
            "alias of:N*T*Cbrcm,sdhci-brcmstbC* sdhci_brcmstb",
            "alias of:N*T*Cbrcm,sdhci-brcmstb sdhci_brcmstb",
            "alias of:N*T*Cbrcm,bcm2712-mip irq-bcm2712-mip",
            "alias of:N*T*Cbrcm,bcm2712-pcie pcie_brcmstb",
            "alias pci:v00001DE4d00000001sv*sd*bc*sc*i* rp1_pci",
        ],
        b"vc4.license=GPL\0vc4.alias=of:N*T*Cbrcm,bcm2712-vc6\0",
    )
    assert driver(("brcm,bcm2712-vc6",), known) == ""
    assert driver(("brcm,bcm2712-sdhci",), known) is None
    assert driver(("brcm,bcm2712-sdhci", "brcm,sdhci-brcmstb"), known) == "sdhci_brcmstb"
    tree = tmp_path / "board.dtb"
    tree.write_bytes(blob(BOARD))
    assert modules_for([tree], known) == {"sdhci_brcmstb", "irq_bcm2712_mip"}


def test_another_file_is_no_tree() -> None:
    with pytest.raises(ValueError, match="no device tree"):
        devices(bytes(64))
