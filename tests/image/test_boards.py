"""Every Raspberry Pi that the image is for finds on the card what it starts from, and a driver for what it has.

Nothing is started: the image's own files are looked at, device tree by device tree.
"""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from image import device_tree, disk
from image.kernel import OTHER_HEADER
from tests.image.machine import BOOT_AT


@dataclass(frozen=True)
class Board:
    """A Pi: its trees, what its firmware loads besides, and the words of the tree for its card and its other parts."""

    trees: tuple[str, ...]
    firmware: tuple[str, ...]
    card: str
    parts: tuple[str, ...]
    #: Modules for what hangs on USB or PCI, which a tree does not tell.
    modules: tuple[str, ...]
    #: The least release of the kernel that can start it.
    since: tuple[int, int] = (6, 12)


_OLD = ("bootcode.bin", "start.elf", "fixup.dat")
_NEW = ("start4.elf", "fixup4.dat")
_PI3 = (
    "brcm,bcm2835-usb",
    "brcm,bcm2835-gpio",
    "brcm,bcm2835-i2c",
    "raspberrypi,bcm2835-firmware",
)
_PI4 = ("brcm,bcm2711-genet-v5", "brcm,bcm2711-pcie", "brcm,bcm2711-gpio", "brcm,bcm2711-emmc2")
_PI5 = (
    "brcm,bcm2712-pcie", "brcm,bcm2712-mip", "brcm,bcm2712-sdhci", "raspberrypi,rp1-gem", "raspberrypi,rp1-gpio",
    "raspberrypi,rp1-clocks", "snps,dwc3",
)  # fmt: skip
#: Word of a tree → the module that drives it, which may be part of the kernel.
DRIVES = {
    "brcm,bcm2835-sdhost": "bcm2835", "brcm,bcm2711-emmc2": "sdhci_iproc", "brcm,bcm2712-sdhci": "sdhci_brcmstb",
    "brcm,bcm2835-usb": "dwc2", "brcm,bcm2835-gpio": "pinctrl_bcm2835",
    "brcm,bcm2711-gpio": "pinctrl_bcm2835", "brcm,bcm2835-i2c": "i2c_bcm2835",
    "raspberrypi,bcm2835-firmware": "raspberrypi", "brcm,bcm2711-genet-v5": "genet",
    "brcm,bcm2711-pcie": "pcie_brcmstb", "brcm,bcm2712-pcie": "pcie_brcmstb", "brcm,bcm2712-mip": "irq_bcm2712_mip",
    "raspberrypi,rp1-gem": "macb", "raspberrypi,rp1-gpio": "pinctrl_rp1", "raspberrypi,rp1-clocks": "clk_rp1",
    "snps,dwc3": "dwc3",
}  # fmt: skip
BOARDS = {
    "3 B": Board(("bcm2837-rpi-3-b.dtb",), _OLD, "brcm,bcm2835-sdhost", _PI3, ("smsc95xx", "brcmfmac")),
    "3 B+": Board(("bcm2837-rpi-3-b-plus.dtb",), _OLD, "brcm,bcm2835-sdhost", _PI3, ("lan78xx", "brcmfmac")),
    "Zero 2 W": Board(("bcm2837-rpi-zero-2-w.dtb",), _OLD, "brcm,bcm2835-sdhost", _PI3, ("brcmfmac",)),
    "CM3": Board(("bcm2837-rpi-cm3-io3.dtb",), _OLD, "brcm,bcm2835-sdhost", _PI3, ()),
    "4 B": Board(("bcm2711-rpi-4-b.dtb",), _NEW, "brcm,bcm2711-emmc2", _PI4, ("xhci_pci", "brcmfmac")),
    "400": Board(("bcm2711-rpi-400.dtb",), _NEW, "brcm,bcm2711-emmc2", _PI4, ("xhci_pci", "brcmfmac")),
    "CM4": Board(("bcm2711-rpi-cm4-io.dtb",), _NEW, "brcm,bcm2711-emmc2", _PI4, ("xhci_pci",)),
    "5": Board(
        ("bcm2712-rpi-5-b.dtb", "bcm2712-d-rpi-5-b.dtb"), (), "brcm,bcm2712-sdhci", _PI5, ("rp1_pci", "brcmfmac"),
        (7, 0),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """What an image consists of: the files of its FAT partition, and its modules by where they are."""

    folder: Path
    release: str
    in_root: frozenset[str]
    in_initramfs: frozenset[str]
    built_in: frozenset[str]

    def devices(self, tree: str) -> list[tuple[str, ...]]:
        """What a board has."""
        return device_tree.devices((self.folder / tree).read_bytes())


@pytest.fixture(scope="module")
def parts(image: Path, arch: str, tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """The image's parts, unpacked."""
    if arch != "arm64":
        pytest.skip("an image for virtual machines starts no Raspberry Pi")
    folder = tmp_path_factory.mktemp("parts")
    run(["mcopy", "-s", "-n", "-o", "-i", f"{image}{BOOT_AT}", "::/*", str(folder)])
    root = folder / "root"
    where = ["-o", str((disk.FIRST + disk.BOOT) << 20)]
    run(["unsquashfs", "-q", "-n", "-d", str(root), *where, str(image), "usr/lib/modules"])
    (modules,) = (root / "usr/lib/modules").iterdir()
    packed = run(["zstd", "-d", "-q", "-c", str(folder / "initrd.img")])
    listed = subprocess.run(["cpio", "-t", "--quiet"], input=packed, capture_output=True, check=True).stdout.decode()
    built_in = (modules / "modules.builtin").read_text("ascii").splitlines()
    in_root = frozenset(plain(path.name) for path in modules.rglob("*.ko*"))
    in_initramfs = frozenset(plain(Path(line).name) for line in listed.splitlines() if ".ko" in line)
    return Parts(folder, modules.name, in_root, in_initramfs, frozenset(plain(Path(line).name) for line in built_in))


def run(command: list[str]) -> bytes:
    """What a host's program prints."""
    return subprocess.run(command, capture_output=True, check=True).stdout


def plain(name: str) -> str:
    """A module's name, from its file's."""
    return name.partition(".ko")[0].replace("-", "_")


def starts(parts: Parts, board: Board) -> bool:
    """Can this kernel start that board at all?"""
    first, second = parts.release.split(".")[:2]
    return (int(first), int(second)) >= board.since


@pytest.mark.parametrize("name", BOARDS)
def test_a_pi_finds_its_firmware_its_tree_and_its_kernel(parts: Parts, name: str) -> None:
    board = BOARDS[name]
    if not starts(parts, board):
        pytest.skip(f"a Pi {name} needs another kernel than {parts.release}: KERNEL=backports")
    for file in (*board.trees, *board.firmware, "config.txt", "cmdline.txt", "vmlinuz", "initrd.img"):
        assert (parts.folder / file).stat().st_size > 10, file
    # The firmware of a Pi starts a plain arm64 kernel only, none in a wrapper (the kernel's arch/arm64/booting.rst).
    magic = struct.unpack_from("<I", (parts.folder / "vmlinuz").read_bytes(), 56)[0]
    assert magic == 0x644D5241


@pytest.mark.parametrize("name", BOARDS)
def test_a_pi_has_drivers_for_card_network_and_header(parts: Parts, name: str) -> None:
    board = BOARDS[name]
    if not starts(parts, board):
        pytest.skip(f"a Pi {name} needs another kernel than {parts.release}: KERNEL=backports")
    for tree in board.trees:
        words = {word for device in parts.devices(tree) for word in device}
        for part in (board.card, *board.parts):
            assert part in words, f"{tree} has no {part}"
            assert DRIVES[part] in parts.in_root | parts.built_in, f"{DRIVES[part]} for {part} is not in the root"
        card = DRIVES[board.card]
        assert card in parts.in_initramfs | parts.built_in, f"{card} for the card is not in the initramfs"
    assert {"bcm2835_wdt", *board.modules} <= parts.in_root | parts.built_in


def test_what_config_txt_names_is_there_and_fits_each_board(parts: Parts) -> None:
    section, seen = "all", set()
    for line in (parts.folder / "config.txt").read_text("ascii").splitlines():
        words = line.lstrip("#").strip()
        if words.startswith("[") and words.endswith("]"):
            section = words[1:-1]
        elif words.startswith("dtoverlay="):
            overlay = words.removeprefix("dtoverlay=").split(",")[0]
            assert (parts.folder / "overlays" / f"{overlay}.dtbo").exists(), overlay
            seen.add((section, overlay))
        elif words.startswith(("kernel=", "initramfs ")):
            assert (parts.folder / words.replace("=", " ").split()[1]).exists()
    assert ("pi4", "hall-spi") in seen
    assert not any(section == "pi5" for section, _overlay in seen), "a Pi 5's header hangs on another chip"
    if starts(parts, BOARDS["5"]):
        # The firmware lays it over the tree by itself where the processor's stepping wants it.
        assert (parts.folder / "overlays/bcm2712d0.dtbo").exists()
    for tree in sorted(parts.folder.glob("*.dtb")):
        for file in sorted((parts.folder / "overlays").glob("*.dtbo")):
            if tree.name.startswith(OTHER_HEADER) == file.name.startswith(OTHER_HEADER) and "-d-" not in tree.name:
                run(["fdtoverlay", "-i", str(tree), "-o", "/dev/null", str(file)])


def test_the_command_line_names_the_partitions_and_leaves_the_serial_port_to_a_board(parts: Parts) -> None:
    words = (parts.folder / "cmdline.txt").read_text("ascii").split()
    assert {"hall.root=2", "hall.data=4", "console=tty1"} <= set(words)
    assert not [word for word in words if word.startswith(("console=tty", "console=serial")) and word != "console=tty1"]
