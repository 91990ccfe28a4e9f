"""The Debian part of the root: installed packages, packages that are only unpacked, and a list of both.

The result is kept as one tar file under a name that depends on everything the recipe says, so that work on our own
parts does not wait for Debian's; `fresh` asks the archive again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from image.host import BuildError, lines_for, mirrors, register_emulator, run

HERE = Path(__file__).parent
SUITE = "trixie"
#: `KERNEL=` → the suite that has it. A Pi 5 needs drivers that came after Debian 13's own kernel.
KERNELS = {"stable": SUITE, "backports": f"{SUITE}-backports"}
_SECTIONS = "main non-free-firmware"
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True, slots=True)
class Debian:
    """What Debian gives: `tar` the root, `harvest` the folder of .deb files that are only unpacked."""

    tar: Path
    harvest: Path


def sources(kernel: str, mirror: str = "") -> str:
    """The archives as lines for apt."""
    archive, security = mirrors(mirror)
    pairs = [(archive, SUITE), (archive, f"{SUITE}-updates"), (security, f"{SUITE}-security")]
    if KERNELS[kernel] != SUITE:
        pairs.append((archive, KERNELS[kernel]))
    return "".join(f"deb [signed-by={_KEYRING}] {where} {suite} {_SECTIONS}\n" for where, suite in pairs)


def debian(
    arch: str, kernel: str, cache: Path, epoch: int, *, mirror: str = "", fresh: bool = False, more: Sequence[str] = ()
) -> Debian:
    """The Debian root for `arch`, with `more` packages, from the cache if the recipe has not changed.

    Raises:
        BuildError: mmdebstrap failed; its output has been shown.
    """
    lines = sources(kernel, mirror)
    recipe = (HERE / "packages.txt", HERE / "harvest.txt", HERE / "dpkg.cfg", HERE / "harvest.sh")
    parts = [arch, kernel, lines, *(path.read_text("utf-8") for path in recipe), *more]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    place = cache / f"debian-{arch}-{kernel}-{key}"
    if not (place / "root.tar").exists() or fresh:
        _build(arch, kernel, cache, place, lines, epoch, more)
    return Debian(place / "root.tar", place / "harvest")


def _build(arch: str, kernel: str, cache: Path, place: Path, lines: str, epoch: int, more: Sequence[str]) -> None:
    register_emulator(arch)
    debs = cache / f"debs-{arch}"
    work = place.with_suffix(".new")
    shutil.rmtree(work, ignore_errors=True)
    for folder in (debs, work / "harvest"):
        folder.mkdir(parents=True, exist_ok=True)
    (work / "sources.list").write_text(lines, "utf-8")
    kept = f'mkdir -p "$1/var/cache/apt/archives"; cp -n {debs}/*.deb "$1/var/cache/apt/archives/" 2>/dev/null || true'
    keep = f'cp -n "$1"/var/cache/apt/archives/*.deb {debs}/'
    names = " ".join([f"linux-image-{arch}", *lines_for(HERE / "harvest.txt", arch)])
    newer = KERNELS[kernel] if KERNELS[kernel] != SUITE else ""
    command: list[str | Path] = [
        "mmdebstrap", "--variant=essential", "--mode=root", f"--architectures={arch}",
        "--skip=download/empty,essential/unlink",
        "--aptopt=Acquire::Languages \"none\"", "--dpkgopt=force-unsafe-io", f"--dpkgopt={HERE / 'dpkg.cfg'}",
        f"--include={','.join([*lines_for(HERE / 'packages.txt', arch), *more])}",
        f"--setup-hook={kept}",
        f"--customize-hook={keep}",
        f"--customize-hook={HERE / 'harvest.sh'} {work / 'harvest'} {debs} '{newer}' {names}",
        SUITE, work / "root.tar", work / "sources.list",
    ]  # fmt: skip
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "LC_ALL": "C.UTF-8"}
    if subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode != 0:
        raise BuildError("mmdebstrap failed; its words are above. The first build needs a network.")
    shutil.rmtree(place, ignore_errors=True)
    work.rename(place)


def unpack(deb: Path, into: Path, *patterns: str) -> None:
    """The files of one package, or those that fit the patterns, into a folder."""
    into.mkdir(parents=True, exist_ok=True)
    archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE)
    wanted = ["--wildcards", *(f"./{pattern}" for pattern in patterns)] if patterns else []
    done = subprocess.run(
        ["tar", "-x", "-C", str(into), *wanted], stdin=archive.stdout, check=False, capture_output=True
    )
    if archive.stdout:
        archive.stdout.close()
    archive.wait()
    if done.returncode != 0:
        raise BuildError(f"{deb.name} could not be unpacked: {done.stderr.decode('utf-8', 'replace').strip()}")


def harvested(found: Debian, name: str) -> Path:
    """The .deb of a package that is only unpacked.

    Raises:
        BuildError: it is not among them.
    """
    debs = sorted(found.harvest.glob(f"{name}_*.deb"))
    if len(debs) != 1:
        raise BuildError(f"{name} should be there once, not {len(debs)} times: add it to image/harvest.txt.")
    return debs[0]


def manifest(root: Path, found: Debian) -> str:
    """Every package of the image with its version, one a line: installed ones, then unpacked ones."""
    form = "${Package}\\t${Version}\\t${Architecture}\\n"
    admin = f"--admindir={root / 'var/lib/dpkg'}"
    rows = [f"installed\t{line}" for line in run(["dpkg-query", admin, "-W", "-f", form]).splitlines()]
    for deb in sorted(found.harvest.glob("*.deb")):
        fields = run(["dpkg-deb", "-W", f"--showformat={form}", deb]).strip()
        rows.append(f"unpacked\t{fields}")
    return "\n".join(sorted(rows)) + "\n"
