"""The files of the card: squashfs root, FAT and ext4 partitions made in plain files, and the disk they lie on.

    1 FAT    firmware, kernel, hall.toml      3 root, slot B: reserved for an update
    2 root, slot A: squashfs                  4 ext4: everything that is kept

An MBR, because the boot ROM of a Pi 3 reads nothing else. No loop device and no mount is needed. The rest of the card
stays without a partition: spare blocks for its wear levelling.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from image.host import BuildError, run

#: Also the first four bytes that the initramfs looks for.
LABEL = "48414c4c"
#: Partition sizes in MiB. Every one starts at a multiple of 4 MiB, the erase block of cards.
FIRST, BOOT, ROOT, DATA = 4, 256, 512, 1024
#: Unpacking is a good part of a start: lz4 takes a third more room than zstd, and much less time.
SQUASHED = ("-comp", "lz4", "-Xhc", "-b", "128K")
_DATA_ID = "48414c4c-0000-4000-8000-000000000004"


def squashfs(root: Path, out: Path, epoch: int) -> int:
    """The read-only root; its size in bytes. Same files, same bytes: times later than `epoch` become `epoch`."""
    out.unlink(missing_ok=True)
    for path in [root, *root.rglob("*")]:
        if path.lstat().st_mtime > epoch or path.is_symlink() or stat.S_ISDIR(path.lstat().st_mode):
            os.utime(path, (epoch, epoch), follow_symlinks=False)
    run([
        "mksquashfs", root, out, "-noappend", "-quiet", "-no-progress", *SQUASHED, "-mkfs-time", str(epoch),
        "-no-exports", "-xattrs",
    ], env={k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"})  # fmt: skip
    return out.stat().st_size


def fat(folder: Path, out: Path, epoch: int, settings: Path | None) -> None:
    """The FAT partition with all of `folder`, and `settings` as hall.toml."""
    out.unlink(missing_ok=True)
    run(["truncate", "-s", f"{BOOT}M", out])
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "MTOOLS_SKIP_CHECK": "1", "TZ": "UTC"}
    run(["mkfs.vfat", "-F", "32", "-n", "HALL", "-i", LABEL, out], env=environment)
    for path in folder.rglob("*"):
        os.utime(path, (epoch, epoch))
    for path in sorted(folder.iterdir()):
        run(["mcopy", "-s", "-m", "-Q", "-i", out, path, "::/"], env=environment)
    if settings is not None:
        run(["mcopy", "-o", "-m", "-i", out, settings, "::/hall.toml"], env=environment)


def data(out: Path, epoch: int) -> None:
    """The data partition, empty. Its tables are written here, so that the first boot has nothing left to do."""
    out.unlink(missing_ok=True)
    features = "lazy_itable_init=0,lazy_journal_init=0,hash_seed=" + _DATA_ID
    run(
        [
            "mke2fs",
            "-q",
            "-F",
            "-t",
            "ext4",
            "-L",
            "HALLDATA",
            "-U",
            _DATA_ID,
            "-m",
            "0",
            "-E",
            features,
            out,
            f"{DATA}M",
        ],
        env=os.environ | {"E2FSPROGS_FAKE_TIME": str(epoch)},
    )


def disk(boot: Path, root: Path, kept: Path, out: Path) -> None:
    """Put the parts together, as a sparse file.

    Raises:
        BuildError: the root has outgrown its slot.
    """
    if root.stat().st_size > ROOT << 20:
        raise BuildError(
            f"The root is {root.stat().st_size >> 20} MiB and its slot {ROOT}: raise ROOT in image/disk.py."
        )
    starts = (FIRST, FIRST + BOOT, FIRST + BOOT + ROOT, FIRST + BOOT + 2 * ROOT)
    out.unlink(missing_ok=True)
    run(["truncate", "-s", f"{starts[3] + DATA}M", out])
    table = f"label: dos\nlabel-id: 0x{LABEL}\n" + "".join(
        f"start={start}MiB, size={size}MiB, type={kind}\n"
        for start, size, kind in zip(starts, (BOOT, ROOT, ROOT, DATA), ("c, bootable", "83", "83", "83"), strict=True)
    )
    run(["sfdisk", "-q", out], input=table)
    for part, start in ((boot, starts[0]), (root, starts[1]), (kept, starts[3])):
        run(["dd", f"if={part}", f"of={out}", "bs=1M", f"seek={start}", "conv=notrunc,sparse", "status=none"])


def compressed(image: Path) -> Path:
    """The image as `.zst`, as it is handed out."""
    out = image.with_suffix(image.suffix + ".zst")
    run(["zstd", "-q", "-f", "-T0", "-9", "--long=27", image, "-o", out])
    return out
