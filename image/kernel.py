"""The kernel of the image: which modules stay, the initramfs, and what a Raspberry Pi reads from the FAT partition.

The initramfs is made here and not by a package: one static shell, one static checker of file systems, the modules that
find a card, and the script `initramfs/init`. No program of the target runs for it, so an arm64 one takes seconds too.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from image import device_tree
from image.debian import Debian, harvested, unpack
from image.host import BuildError, lines_for, run

HERE = Path(__file__).parent
#: What the script of the initramfs calls.
APPLETS = (
    "sh", "cat", "cp", "date", "dd", "echo", "grep", "ln", "ls", "mkdir", "modprobe", "mount", "mv", "od", "printf",
    "reboot", "rm", "sed", "setsid", "sleep", "sort", "stat", "switch_root", "sync", "tr", "umount", "wc",
)  # fmt: skip
#: Firmware files that a Raspberry Pi 3, Zero 2 W or 4 wants on the FAT partition; a Pi 5 has its own in a chip.
_FIRMWARE = ("bootcode.bin", "start.elf", "start4.elf", "fixup.dat", "fixup4.dat")
#: Device trees of the boards the image is for; what one kernel does not have is left out.
_TREES = (
    "bcm2710-rpi-*.dtb", "bcm2837-rpi-*.dtb", "bcm2711-rpi-*.dtb", "bcm2712-rpi-5*.dtb", "bcm2712*-rpi-*.dtb",
)  # fmt: skip
#: Overlay → the tree that the firmware itself lays it over on boards of a later stepping, and what must come of it.
_STEPPINGS = {"bcm2712d0": ("bcm2712-rpi-5-b.dtb", "bcm2712-d-rpi-5-b.dtb")}
#: On these the header hangs on a chip of its own: config.txt gives them no overlay.
OTHER_HEADER = "bcm2712"
#: Parts of a Pi that no table uses: Bluetooth, cameras, sound.
UNUSED = frozenset({"hci_uart", "pisp_be", "vchiq", "bcm2835_v4l2", "bcm2835_codec", "snd_bcm2835"})
#: Wi-Fi and Bluetooth chips of the Pis.
_RADIOS = ("brcm/brcmfmac43430*", "brcm/brcmfmac43436*", "brcm/brcmfmac43455*", "brcm/brcmfmac43456*", "cypress/*")


def kernel_version(root: Path) -> str:
    """The release of the one kernel whose modules the root has.

    Raises:
        BuildError: there is none, or more than one.
    """
    found = sorted(path.name for path in (root / "usr/lib/modules").glob("*") if (path / "kernel").is_dir())
    if len(found) != 1:
        raise BuildError(f"One kernel should be there, found: {', '.join(found) or 'none'}")
    return found[0]


def install_kernel(found: Debian, root: Path, work: Path) -> str:
    """Put the modules that stay into `root`, the rest of the kernel's files into `work`; the kernel's release.

    Raises:
        BuildError: the kernel's packages are not there, or a module that stays needs one that the package lacks.
    """
    debs = sorted(found.harvest.glob("linux-*.deb"))
    for deb in debs:
        unpack(deb, work)
    if (work / "lib/modules").is_dir() and not (work / "lib").is_symlink():
        run(["cp", "-a", work / "lib/modules", work / "usr/lib/"])
    version = kernel_version(work)
    tree = work / "usr/lib/modules" / version
    kept = closure(tree, lines_for(HERE / "modules.txt", ""), drivers_of_boards(work, version))
    target = root / "usr/lib/modules" / version
    for module in sorted(kept):
        _copy(tree / module, target / module)
    # The root is compressed as a whole, by something that is undone much faster.
    _unpack_modules([target / module for module in sorted(kept)])
    for path in tree.glob("modules.*"):
        _copy(path, target / path.name)
    run(["depmod", "-b", root, version])
    return version


def drivers_of_boards(work: Path, version: str) -> set[str]:
    """The modules that drive what the boards have by their device trees; none where the kernel has no such trees."""
    run(["depmod", "-b", work / "usr", version])
    tree = work / "usr/lib/modules" / version
    known = device_tree.drivers(
        (tree / "modules.alias").read_text("utf-8").splitlines(), (tree / "modules.builtin.modinfo").read_bytes()
    )
    return device_tree.modules_for(_trees(work, version), known) - UNUSED


def modules(tree: Path) -> dict[str, Path]:
    """Module name → its file below `tree`. In names `-` and `_` are the same."""
    out: dict[str, Path] = {}
    for path in sorted((tree / "kernel").rglob("*.ko*")):
        out[path.name.partition(".ko")[0].replace("-", "_")] = path.relative_to(tree)
    return out


def closure(tree: Path, patterns: Sequence[str], named: Iterable[str] = ()) -> set[Path]:
    """The modules below `tree` that fit a pattern or are named, and all that these need.

    Raises:
        BuildError: a needed module is not there (and not built into the kernel).
    """
    have = modules(tree)
    built_in = {
        Path(line).name.partition(".ko")[0].replace("-", "_")
        for line in (tree / "modules.builtin").read_text().splitlines()
    }
    todo = [
        name for name, path in have.items() if any(fnmatch.fnmatchcase(_plain(path), pattern) for pattern in patterns)
    ]
    todo = sorted({*todo, *(name for name in named if name in have)})
    done: set[str] = set()
    while todo:
        needs = _needs(tree, [have[name] for name in todo])
        done.update(todo)
        missing = {name for name in needs.hard if name not in have and name not in built_in}
        if missing:
            raise BuildError(
                f"Kernel modules need {', '.join(sorted(missing))}, which the kernel package does not have."
            )
        todo = sorted({name for name in needs.hard | needs.soft if name in have} - done)
    return {have[name] for name in done}


def _plain(path: Path) -> str:
    """A module's path as modules.txt writes it."""
    return str(path).removeprefix("kernel/").partition(".ko")[0]


class _Needs:
    """Modules that others need: `hard` or not at all, `soft` if they are there."""

    def __init__(self) -> None:
        self.hard: set[str] = set()
        self.soft: set[str] = set()


def _needs(tree: Path, files: Sequence[Path]) -> _Needs:
    out = _Needs()
    for start in range(0, len(files), 200):
        part = [tree / path for path in files[start : start + 200]]
        for line in run(["modinfo", "-F", "depends", *part]).splitlines():
            out.hard.update(name.replace("-", "_") for name in line.split(",") if name)
        for line in run(["modinfo", "-F", "softdep", *part]).splitlines():
            words = line.replace("post:", " post: ").replace("pre:", " pre: ").split()
            before = False
            for word in words:
                if word in ("pre:", "post:"):
                    before = word == "pre:"
                elif before:
                    out.soft.add(word.replace("-", "_"))
    return out


def initramfs(found: Debian, root: Path, version: str, work: Path, out: Path, epoch: int) -> None:
    """Write the initramfs: the same bytes for the same inputs."""
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("bin", "sbin", "dev", "proc", "sys", "run", "root", "etc", "tmp"):
        (work / folder).mkdir(parents=True)
    box = work.with_name(work.name + ".box")
    for package, tool, to in (
        ("busybox-static", "usr/bin/busybox", "bin/busybox"),
        ("e2fsck-static", "usr/sbin/e2fsck.static", "bin/e2fsck"),
    ):
        unpack(harvested(found, package), box, tool)
        _copy(box / tool, work / to)
    for applet in APPLETS:
        (work / "bin" / applet).symlink_to("busybox")
    # Where the kernel looks when it wants a module itself: ext4 asks for its checksum that way.
    (work / "sbin/modprobe").symlink_to("../bin/busybox")
    _copy(HERE / "initramfs/init", work / "init")
    (work / "init").chmod(0o755)
    (work / "etc/mke2fs.conf").write_text("")
    _initramfs_modules(root / "usr/lib/modules" / version, work / "lib/modules" / version)
    run(["depmod", "-b", work, version])
    for path in [work, *work.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
    names = sorted(str(path.relative_to(work)) for path in work.rglob("*"))
    archive = subprocess.run(
        ["cpio", "--quiet", "--reproducible", "-o", "-H", "newc", "-R", "0:0"],
        cwd=work, input="\n".join(names).encode() + b"\n", stdout=subprocess.PIPE, check=True,
    ).stdout  # fmt: skip
    out.write_bytes(
        subprocess.run(["zstd", "-q", "-19", "-c"], input=archive, stdout=subprocess.PIPE, check=True).stdout
    )


def _initramfs_modules(tree: Path, target: Path) -> None:
    """The modules that find a card."""
    found = sorted(closure(tree, lines_for(HERE / "initramfs-modules.txt", "")))
    for module in found:
        _copy(tree / module, target / module)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if (tree / name).exists():
            _copy(tree / name, target / name)


def _unpack_modules(files: Iterable[Path]) -> None:
    """In place; the kernel's packages have them compressed one by one."""
    for suffix, command in ((".xz", ["xz", "-d"]), (".zst", ["zstd", "-q", "-d", "--rm"])):
        packed = [path for path in files if path.suffix == suffix]
        for start in range(0, len(packed), 200):
            run([*command, *packed[start : start + 200]])


def boot_files(arch: str, found: Debian, kernel: Path, version: str, initrd: Path, boot: Path) -> None:
    """Fill the FAT partition's folder: kernel, initramfs, and for a Pi its firmware, device trees and settings.

    Raises:
        BuildError: a device tree overlay of ours does not apply to a board's tree.
    """
    boot.mkdir(parents=True, exist_ok=True)
    _copy(
        next(iter(sorted(kernel.glob("boot/vmlinuz-*")) or sorted(kernel.glob("usr/lib/modules/*/vmlinuz")))),
        boot / "vmlinuz",
    )
    _copy(initrd, boot / "initrd.img")
    line = " ".join(lines_for(HERE / "cmdline.txt", arch))
    (boot / "cmdline.txt").write_text(line + "\n", "ascii")
    if arch != "arm64":
        return
    firmware = boot.with_name("firmware.deb")
    unpack(harvested(found, "raspi-firmware"), firmware)
    for name in _FIRMWARE:
        _copy(firmware / "usr/lib/raspi-firmware" / name, boot / name)
    _copy(HERE / "config.txt", boot / "config.txt")
    trees = _trees(kernel, version)
    if not trees:
        raise BuildError("The kernel's package has no device trees of a Raspberry Pi.")
    for tree in trees:
        _copy(tree, boot / tree.name)
    _overlays(trees, boot / "overlays")


def radio_firmware(found: Debian, root: Path) -> None:
    """What the Pis' own Wi-Fi chips load from the root: their firmware, and what each country permits."""
    folder = root.with_name("radio.deb")
    unpack(harvested(found, "firmware-brcm80211"), folder)
    base = folder / "usr/lib/firmware"
    for pattern in _RADIOS:
        for path in sorted(base.glob(pattern)):
            to = root / "usr/lib/firmware" / path.relative_to(base)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to, follow_symlinks=False)
    rules = root.with_name("regdb.deb")
    unpack(harvested(found, "wireless-regdb"), rules)
    for name in ("regulatory.db", "regulatory.db.p7s"):
        source = next(
            path for path in sorted(rules.rglob(f"{name}*")) if path.is_file() and "upstream" not in path.name
        )
        _copy(source, root / "usr/lib/firmware" / name)


def _trees(kernel: Path, version: str) -> list[Path]:
    places = [kernel / "usr/lib" / f"linux-image-{version}", kernel / "usr/lib/modules" / version / "dtb"]
    found = {
        path.name: path for place in places for pattern in _TREES for path in place.rglob(pattern) if path.is_file()
    }
    return [found[name] for name in sorted(found)]


def _overlays(trees: Iterable[Path], out: Path) -> None:
    """Compile our overlays and try each on the boards it is for: on a card a wrong one would stay silent."""
    out.mkdir(exist_ok=True)
    named = {tree.name: tree for tree in trees}
    for source in sorted((HERE / "overlays").glob("*.dts")):
        made = out / (source.stem + ".dtbo")
        run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", made, source])
        if source.stem in _STEPPINGS:
            first, later = (named.get(name) for name in _STEPPINGS[source.stem])
            if first is None or later is None:
                made.unlink()  # a kernel from before that stepping
            else:
                _makes(first, made, later)
            continue
        for tree in (tree for tree in trees if not tree.name.startswith(OTHER_HEADER)):
            run(["fdtoverlay", "-i", tree, "-o", "/dev/null", made])


def _makes(tree: Path, overlay: Path, other: Path) -> None:
    result = overlay.with_suffix(".dtb")
    run(["fdtoverlay", "-i", tree, "-o", result, overlay])
    made, wanted = (run(["dtc", "-q", "-s", "-I", "dtb", "-O", "dts", path]) for path in (result, other))
    result.unlink()
    if made != wanted:
        raise BuildError(
            f"The overlay {overlay.stem} does not make {other.name}: compare the kernel's trees, and mend it."
        )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
