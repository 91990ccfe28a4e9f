"""The build host: its tools, its Debian mirror, its help with programs of a foreign processor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

#: Debian's name of an architecture → (name in wheels and ELF tools, ELF machine number, the dynamic loader).
ARCHITECTURES: Mapping[str, tuple[str, int, str]] = {
    "amd64": ("x86_64", 0x3E, "lib64/ld-linux-x86-64.so.2"),
    "arm64": ("aarch64", 0xB7, "lib/ld-linux-aarch64.so.1"),
}
#: Host tool → the Debian package that has it.
TOOLS: Mapping[str, str] = {
    "mmdebstrap": "mmdebstrap",
    "mksquashfs": "squashfs-tools",
    "mcopy": "mtools",
    "mkfs.vfat": "dosfstools",
    "mke2fs": "e2fsprogs",
    "sfdisk": "fdisk",
    "zstd": "zstd",
    "cpio": "cpio",
    "depmod": "kmod",
    "modinfo": "kmod",
    "dpkg-deb": "dpkg",
    "fdtoverlay": "device-tree-compiler",
    "dtc": "device-tree-compiler",
    "systemctl": "systemd",
    "xz": "xz-utils",
}
_BINFMT = Path("/proc/sys/fs/binfmt_misc")
#: How the kernel knows an aarch64 program: the first 20 bytes of its ELF header, and which of their bits count.
_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class BuildError(Exception):
    """The build cannot go on; the text says what to do about it."""


def run(command: Sequence[str | Path], **options: object) -> str:
    """Run a host tool and return what it printed.

    Raises:
        BuildError: it failed; its own words are in the text.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, capture_output=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        said = (done.stderr or done.stdout or "").strip()[-3000:]
        raise BuildError(f"{words[0]} failed ({done.returncode}): {' '.join(words)[:300]}\n{said}")
    return str(done.stdout)


def require(arch: str) -> None:
    """Check that everything the build calls is here, before it has worked for minutes.

    Raises:
        BuildError: names what is missing and how to get it.
    """
    if os.geteuid() != 0:
        raise BuildError("Building an image needs root (it makes a Debian root with its owners): sudo make image")
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:{_PATH}"
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if arch != native() and not foreign_runs(arch):
        missing += [] if Path("/usr/bin/qemu-aarch64-static").exists() else ["qemu-user-static"]
    if missing:
        raise BuildError(f"Missing on this machine: sudo apt install {' '.join(missing)}")


def native() -> str:
    """Debian's name of this machine's own architecture."""
    return run(["dpkg", "--print-architecture"]).strip()


def foreign_runs(arch: str) -> bool:
    """Whether programs of `arch` run here, natively or by a registered emulator."""
    if arch == native():
        return True
    entries = [entry for entry in _BINFMT.glob("qemu-aarch64*") if entry.is_file()]
    return any("flags: " in text and "F" in text.split("flags: ")[1].split()[0] for text in map(_text, entries))


def register_emulator(arch: str) -> None:
    """Let this machine run arm64 programs, also inside a chroot (flag F: the emulator is opened now, not later).

    Installing the emulator's package does this only where systemd runs.
    """
    if foreign_runs(arch):
        return
    if not (_BINFMT / "register").exists():
        run(["mount", "-t", "binfmt_misc", "binfmt_misc", _BINFMT])
    if not foreign_runs(arch):
        (_BINFMT / "register").write_text(f":qemu-aarch64:M::{_MAGIC}:{_MASK}:/usr/bin/qemu-aarch64-static:OCF")


def mirrors(override: str = "") -> tuple[str, str]:
    """(the Debian archive, its security archive), as this machine's own apt uses them.

    `override` names the archive instead; the security archive is then expected beside it, as `…-security`.

    Raises:
        BuildError: this machine's apt knows no Debian archive.
    """
    if override:
        return override.rstrip("/"), override.rstrip("/") + "-security"
    found: dict[str, str] = {}
    for line in run(["apt-get", "indextargets", "--format", "$(LABEL)\t$(REPO_URI)", "Created-By: Packages"]).split(
        "\n"
    ):
        label, _, where = line.partition("\t")
        found.setdefault(label, where.rstrip("/"))
    if "Debian" not in found:
        raise BuildError("This machine's apt knows no Debian archive: name one with make image MIRROR=http://…/debian")
    return found["Debian"], found.get("Debian-Security", found["Debian"] + "-security")


@contextmanager
def step(name: str) -> Iterator[None]:
    """Say what is done and how long it took (wall and CPU seconds, children included)."""
    wall, cpu = time.monotonic(), sum(os.times()[:4])
    print(f"  {name} ...", file=sys.stderr, flush=True)
    yield
    print(
        f"  {name}: {time.monotonic() - wall:.1f} s, {sum(os.times()[:4]) - cpu:.1f} s of CPU",
        file=sys.stderr,
        flush=True,
    )


@contextmanager
def api_mounts(root: Path) -> Iterator[None]:
    """/proc, /sys and /dev inside `root`, as long as programs of it run."""
    names = ("proc", "sys", "dev")
    done: list[Path] = []
    try:
        for name in names:
            (root / name).mkdir(exist_ok=True)
            run(["mount", "--rbind", f"/{name}", root / name])
            done.append(root / name)
            run(["mount", "--make-rslave", root / name])
        yield
    finally:
        for where in reversed(done):
            run(["umount", "-R", "-l", where])


def in_root(root: Path, command: Sequence[str], **options: object) -> str:
    """Run a program of `root` inside it, with an environment of its own."""
    clean = ["env", "-i", f"PATH={_PATH}", "HOME=/root", "LC_ALL=C.UTF-8", "PYTHONHASHSEED=0"]
    return run(["chroot", root, *clean, *command], **options)


def lines_for(path: Path, arch: str) -> list[str]:
    """The lines of a list for `arch`: comments dropped, lines of other architectures (`arch: …`) too."""
    out = []
    for line in path.read_text("utf-8").splitlines():
        words = line.partition("#")[0].strip()
        head, colon, rest = words.partition(": ")
        if words and (not colon or head == arch):
            out.append(rest.strip() if colon else words)
    return out


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
