"""`python3 -m image.build`: the card image, from Debian's packages and this tree.

Steps: Debian's root (kept between runs) → the kernel's modules → our units and files → the Python tree → byte code →
squashfs, FAT, data → the disk, and what it weighs. Needs root; no loop device, no virtual machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from image import console_font, disk, host, kernel, python_tree
from image.debian import KERNELS, Debian, debian, harvested, manifest, unpack

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
#: What runs on a card; everything else that a package enabled by itself stays as Debian has it.
ENABLED = (
    "hall-provision.service", "hall-identity.service", "hall-firewall.service", "hall-hub.target",
    "hall-standby.target", "hall-table.target",
    "hall-screen.service", "hall-desk.service", "hall-touch.service",
    "hall-time.path", "hall-console.service", "systemd-networkd.service",
    "chrony.service",
)  # fmt: skip
#: Whatever waits for an internet, offers a login or works at night.
MASKED = (
    "getty@tty1.service", "chrony-wait.service", "systemd-networkd-wait-online.service", "nftables.service",
    "apt-daily.timer",
    "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "dpkg-db-backup.timer",
    "ctrl-alt-del.target", "systemd-firstboot.service", "systemd-hwdb-update.service", "ldconfig.service",
    "systemd-journal-catalog-update.service", "systemd-update-done.service", "console-getty.service",
    # What every start would do for a root that forgets it, or for hardware that no table has.
    "systemd-random-seed.service", "systemd-pstore.service", "systemd-binfmt.service",
    "proc-sys-fs-binfmt_misc.automount",
    "systemd-remount-fs.service", "systemd-network-generator.service", "systemd-tpm2-setup-early.service",
    "systemd-tpm2-setup.service", "systemd-pcrmachine.service", "systemd-hibernate-clear.service",
    "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount", "sys-kernel-tracing.mount",
    "sys-kernel-config.mount", "sys-fs-fuse-connections.mount", "modprobe@configfs.service",
    "modprobe@efi_pstore.service",
    "modprobe@fuse.service", "modprobe@loop.service", "modprobe@dm_mod.service", "systemd-sysext.service",
    "systemd-confext.service", "systemd-machine-id-commit.service", "systemd-boot-random-seed.service",
    "modprobe@drm.service", "systemd-sysusers.service", "systemd-udev-load-credentials.service",
    "systemd-networkd-persistent-storage.service",
    # What the initramfs has done: drivers that units go by, the journal on the card from its first line on.
    "systemd-modules-load.service", "systemd-journal-flush.service",
    # The kernel makes all device files that are used here.
    "kmod-static-nodes.service", "systemd-tmpfiles-setup-dev-early.service", "systemd-tmpfiles-setup-dev.service",
    # The root lies in memory already; and nobody logs in.
    "tmp.mount", "run-lock.mount", "systemd-user-sessions.service",
    # No sessions, and no bus on which programs of a desk look for each other.
    "systemd-logind.service", "dbus.socket", "dbus-broker.service", "systemd-hostnamed.socket",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Build one image; 0, or 2 after a sentence that says what to do."""
    options = _options(arguments)
    try:
        host.require(options.arch)
        report = build(options)
    except host.BuildError as fault:
        print(f"\nThe image was not built.\n{fault}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=2))
    return 0


def build(options: argparse.Namespace) -> dict[str, object]:
    """All steps; what came out, with sizes in bytes and times in seconds.

    Raises:
        BuildError: a step failed; the text says what to do.
    """
    began = time.monotonic()
    name = f"{options.arch}-{options.kernel}" + ("-touch" if options.touch else "")
    more = host.lines_for(HERE / "packages-touch.txt", options.arch) if options.touch else []
    out: Path = options.out.resolve()
    cache: Path = options.cache.resolve()
    work = out / f"work-{name}"
    shutil.rmtree(work, ignore_errors=True)
    for folder in (cache, work / "made"):
        folder.mkdir(parents=True, exist_ok=True)
    epoch = source_date()
    with host.step("Debian's packages"):
        base = debian(options.arch, options.kernel, cache, epoch, mirror=options.mirror, fresh=options.fresh, more=more)
    root, made = work / "root", work / "made"
    root.mkdir()
    with host.step("unpacking"):
        host.run(["tar", "-x", "--numeric-owner", "-C", root, "-f", base.tar])
    with host.step("kernel and initramfs"):
        version = kernel.install_kernel(base, root, work / "kernel")
        kernel.initramfs(base, root, version, work / "initramfs", made / "initrd.img", epoch)
        kernel.boot_files(options.arch, base, work / "kernel", version, made / "initrd.img", work / "boot")
        if options.arch == "arm64":
            kernel.radio_firmware(base, root)
    with host.step("units and files"):
        own_files(root)
        console(base, root, work)
        (root / "usr/share/hallkiosk").mkdir(parents=True, exist_ok=True)
        (root / "usr/share/hallkiosk/packages.tsv").write_text(manifest(root, base), "utf-8")
    with host.step("wheels"):
        python_tree.python_tree(options.arch, root, options.python, cache, work, epoch)
    with host.step("users, byte code, every module imported once"):
        host.register_emulator(options.arch)
        with host.api_mounts(root):
            host.in_root(root, ["systemd-sysusers"])
            prune(root)
            python_tree.compile_and_try(root, options.compiler)
        enable(root)
        settle(root, epoch)
    with host.step("squashfs"):
        size = disk.squashfs(root, made / "root.squashfs", epoch)
    image = out / f"hallkiosk-{name}.img"
    with host.step("disk"):
        disk.fat(work / "boot", made / "boot.fat", epoch, options.hall_toml)
        disk.data(made / "data.ext4", epoch)
        disk.disk(made / "boot.fat", made / "root.squashfs", made / "data.ext4", image)
        packed = disk.compressed(image) if options.compress else None
    report: dict[str, object] = {
        "image": str(image),
        "arch": options.arch,
        "kernel": version,
        "root": str(made / "root.squashfs"),
        "root_sha256": digest(made / "root.squashfs"),
        "root_bytes": size,
        "initrd_bytes": (made / "initrd.img").stat().st_size,
        "compressed_bytes": packed.stat().st_size if packed else None,
        "source_date": epoch,
        "seconds": round(time.monotonic() - began, 1),
    }
    (out / f"hallkiosk-{name}.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    if not options.keep:
        for left in (
            "root",
            "kernel",
            "initramfs",
            "initramfs.box",
            "source",
            "firmware.deb",
            "radio.deb",
            "regdb.deb",
        ):
            shutil.rmtree(work / left, ignore_errors=True)
    return report


def source_date() -> int:
    """The moment all files are at most as young as: SOURCE_DATE_EPOCH, else the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        return int(given)
    command = ["git", "-c", "safe.directory=*", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    if not said.isdigit():
        raise host.BuildError("No git history here: set SOURCE_DATE_EPOCH to the date of this release, in seconds.")
    return int(said)


def own_files(root: Path) -> None:
    """Our trees into the root, owned by root, with the modes git keeps: readable, and executable or not."""
    for tree in (HERE / "overlay", REPOSITORY / "systemd/common", REPOSITORY / "systemd/appliance"):
        for path in sorted(tree.rglob("*")):
            target = root / path.relative_to(tree)
            if path.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                target.symlink_to(os.readlink(path))
            elif path.is_file() and "__pycache__" not in path.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                shutil.copyfile(path, target)
                target.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    for place in ("data", "boot/firmware", "var/lib/hallkiosk", "var/lib/chrony", "var/log/journal"):
        (root / place).mkdir(parents=True, exist_ok=True)
    (root / "etc/machine-id").write_text("uninitialized\n", "ascii")


def console(base: Debian, root: Path, work: Path) -> None:
    """The console's fonts, made from Terminus in three sizes, and its palette."""
    source = work / "console.deb"
    unpack(harvested(base, "console-setup-linux"), source, "usr/share/consolefonts/*Terminus*")
    fonts = root / "usr/lib/hallkiosk/console"
    fonts.mkdir(parents=True, exist_ok=True)
    console_font.make_all(source / "usr/share/consolefonts", fonts)


def prune(root: Path) -> None:
    """Remove what pruned.txt names."""
    for pattern in host.lines_for(HERE / "pruned.txt", ""):
        for path in sorted(root.glob(pattern)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def enable(root: Path) -> None:
    """Enable our units and mask what a card does not need; systemctl works on the files alone.

    Raises:
        BuildError: a unit that should be enabled is not there.
    """
    for unit in ENABLED:
        if not any((root / place / unit).exists() for place in ("usr/lib/systemd/system", "etc/systemd/system")):
            raise host.BuildError(f"The unit {unit} is not in the root: is systemd/ complete?")
    host.run(["systemctl", f"--root={root}", "-q", "enable", *ENABLED])
    for unit in MASKED:
        link = root / "etc/systemd/system" / unit
        link.unlink(missing_ok=True)
        link.symlink_to("/dev/null")


def settle(root: Path, epoch: int) -> None:
    """What would differ from build to build, or be done at each start because the root forgets it."""
    shadow = root / "etc/shadow"
    day = str(epoch // 86400)
    shadow.write_text(re.sub(r"(?m)^([^:]*:[^:]*:)\d+:", rf"\g<1>{day}:", shadow.read_text()), "utf-8")
    # Who keeps sessions does not run.
    session = root / "etc/pam.d/common-session"
    session.write_text(re.sub(r"(?m)^session.*pam_systemd\.so.*\n", "", session.read_text("utf-8")), "utf-8")
    for backup in (*root.glob("etc/*-"), *root.glob("var/cache/*/*cache*")):
        if backup.is_file():
            backup.unlink()
    # systemd starts its clock no earlier than this file.
    (root / "usr/lib/clock-epoch").touch()
    for stamp in ("etc/.updated", "var/.updated"):
        (root / stamp).write_text("", "ascii")


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="image.build", description="Builds a card image of hallkiosk.")
    add = parser.add_argument
    add("--arch", choices=sorted(host.ARCHITECTURES), default="arm64", help="arm64 for a Raspberry Pi (default)")
    add("--kernel", choices=sorted(KERNELS), default="stable", help="backports for a Raspberry Pi 5")
    add("--touch", action="store_true", help="with a terminal for a panel that is touched")
    add("--out", type=Path, default=REPOSITORY / "build/image", help="folder of the results")
    add("--cache", type=Path, default=REPOSITORY / "build/image/cache", help="folder of packages kept between runs")
    add("--mirror", default="", help="the Debian archive; default: the one of this machine's apt")
    add("--python", type=Path, default=REPOSITORY / ".venv/bin/python", help="a Python with pip and setuptools")
    add("--compiler", type=Path, help="a Python of the image's version that writes the byte code; default: its own")
    add("--hall-toml", type=Path, help="settings to put on the card")
    add("--fresh", action="store_true", help="ask the archive again, even if the recipe has not changed")
    add("--no-compress", dest="compress", action="store_false", help="leave the .zst out")
    add("--keep", action="store_true", help="keep all folders of the work")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
