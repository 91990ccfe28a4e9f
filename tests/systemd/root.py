"""A Debian 13 root with the units and the program, built once and kept: what systemd itself judges and boots.

The Debian part and the libraries are kept under a name that depends on everything they come from; units and program
are laid over them at every run. `HALLKIOSK_TEST_CACHE` says where (default: a folder in /var/tmp).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGES = (
    "systemd", "systemd-sysv", "libpam-systemd", "libnss-systemd", "libnss-myhostname", "dbus-broker", "udev", "kmod",
    "iproute2", "nftables", "chrony", "kbd", "python3", "python3-venv", "tzdata", "login", "make",
)  # fmt: skip
UNITS = tuple(
    line.split()[1]
    for line in (REPOSITORY / "systemd/common/usr/lib/systemd/system-preset/80-hallkiosk.preset")
    .read_text(encoding="ascii")
    .splitlines()
    if line.startswith("enable ")
)
MASKED = ("chrony-wait.service", "systemd-networkd-wait-online.service", "getty@tty1.service", "nftables.service")
#: Locked, and not needed to run; and those of them that an installation needs to build and to satisfy its metadata.
TOOLS = {
    "mypy", "mypy-extensions", "ruff", "pytest", "pytest-xdist", "hypothesis", "import-linter", "grimp", "babel",
    "numpy", "pip", "setuptools", "colorama", "execnet", "iniconfig", "librt", "ast-serialize", "sortedcontainers",
    "pathspec",
}  # fmt: skip
_BUILDING = {"numpy", "pip", "setuptools"}
_PLAIN = ("share/man", "share/doc", "share/locale")
_SITE = "opt/hallkiosk/lib/python3.13/site-packages"


def missing() -> str:
    """Why no root can be built or booted here; "" if one can."""
    if os.geteuid() != 0:
        return "needs root"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for tool in ("mmdebstrap", "systemd-nspawn", "nsenter", "unshare", "ip", "chroot", "apt-get"):
        if shutil.which(tool) is None:
            return f"needs {tool}"
    if subprocess.run(("unshare", "-m", "true"), capture_output=True, check=False).returncode:
        return "may not make namespaces here"
    return ""


def cache() -> Path:
    """Where roots are kept."""
    return Path(os.environ.get("HALLKIOSK_TEST_CACHE", "/var/tmp/hallkiosk-tests"))


def plain() -> Path:
    """A Debian 13 that knows nothing of us. Raises CalledProcessError when it cannot be built."""
    key = hashlib.sha256("\0".join(PACKAGES).encode()).hexdigest()[:12]
    return _kept("debian", key, debian)


def ready(python: str = sys.executable) -> Path:
    """The root, with what is in the working tree now. Raises CalledProcessError when it cannot be built."""

    def build(work: Path) -> None:
        subprocess.run(("cp", "-a", str(plain()), str(work)), check=True)
        _libraries(work, python)

    lock = (REPOSITORY / "requirements.lock").read_bytes()
    base = _kept("root", hashlib.sha256("\0".join(PACKAGES).encode() + lock).hexdigest()[:12], build)
    _lay_over(base)
    return base


def wheels(python: str = sys.executable) -> Path:
    """A folder with everything that `make install` fetches, for machines without a way to the package index."""

    def build(work: Path) -> None:
        work.mkdir()
        lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8").splitlines()
        pins = [line.rstrip(" \\") for line in lines_of_pins(lock)]
        wanted = [pin for pin in pins if pin.split("==")[0] not in TOOLS or pin.split("==")[0] in _BUILDING]
        wanted = [pin.split(" ")[0] for pin in wanted if not pin.endswith("python_full_version < '3.12'")]
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps", "-d", str(work))
        pure = [pin for pin in wanted if pin.startswith("chess==")]
        subprocess.run(
            (*pip, "--no-binary=:all:", "--no-build-isolation", *pure), check=True, timeout=600, stderr=subprocess.PIPE
        )
        rest = [pin for pin in wanted if pin not in pure]
        subprocess.run((*pip, *_for_the_root(), *rest), check=True, timeout=600, stderr=subprocess.PIPE)

    lock = (REPOSITORY / "requirements.lock").read_bytes()
    return _kept("wheels", hashlib.sha256(lock).hexdigest()[:12], build)


def _kept(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """A folder of the cache, built when it is not there; older ones of its kind go."""
    place = cache() / f"{kind}-{key}"
    if not place.exists():
        cache().mkdir(parents=True, exist_ok=True)
        work = cache() / f"new-{kind}"
        shutil.rmtree(work, ignore_errors=True)
        build(work)
        for old in cache().glob(f"{kind}-*"):
            shutil.rmtree(old)
        work.rename(place)
    return place


def _for_the_root() -> list[str]:
    """pip's words for the root's Python."""
    platforms = [f"--platform=manylinux{tag}_{os.uname().machine}" for tag in ("2014", "_2_17", "_2_28", "_2_34")]
    return ["--python-version=3.13", "--only-binary=:all:", *platforms]


def debian(into: Path) -> None:
    """The packages, from the archive that this machine's apt uses."""
    listed = subprocess.run(
        ("apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    archive = next(line.split()[1] for line in listed.stdout.splitlines() if line.startswith("Debian "))
    source = f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {archive} trixie main"
    subprocess.run(
        (
            "mmdebstrap", "--quiet", "--variant=apt", "--mode=root", '--aptopt=Acquire::Languages "none"',
            "--dpkgopt=force-unsafe-io", *(f"--dpkgopt=path-exclude=/usr/{path}/*" for path in _PLAIN),
            f"--include={','.join(PACKAGES)}", "trixie", str(into), source,
        ),
        check=True, timeout=900,
    )  # fmt: skip


def _libraries(root: Path, python: str) -> None:
    """What the program needs, as wheels for the root's Python; this machine's pip knows where they come from."""
    site = root / _SITE
    site.mkdir(parents=True)
    wheels = root / "tmp/wheels"
    wanted = _runtime()
    source_only = [pin for pin in wanted if pin.startswith("chess==")]
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
    subprocess.run(
        (*pip, "wheel", "--no-deps", "-w", str(wheels), *source_only), check=True, timeout=600, stderr=subprocess.PIPE
    )
    subprocess.run(
        (
            *pip, "install", "--no-deps", "--no-compile", *_for_the_root(),
            f"--find-links={wheels}", "--target", str(site), *wanted,
        ),
        check=True, timeout=600, stderr=subprocess.PIPE,
    )  # fmt: skip
    shutil.rmtree(wheels)
    commands = root / "opt/hallkiosk/bin"
    commands.mkdir()
    for name in ("python", "python3"):
        (commands / name).symlink_to("/usr/bin/python3")
    (commands.parent / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    shutil.move(site / "bin/nats-server", commands / "nats-server")
    subprocess.run(("chroot", str(root), "python3", "-m", "compileall", "-q", f"/{_SITE}"), check=False)


def _runtime() -> list[str]:
    """The pins of what the program needs at run time: all that is locked, but for the tools of those who build it."""
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line.split(" ")[0].rstrip("\\") for line in lines_of_pins(lock)]
    return [pin for pin in pins if pin.split("==")[0] not in TOOLS]


def lines_of_pins(lock: list[str]) -> list[str]:
    """The lines of a lock file that name a release."""
    return [line for line in lock if line[:1].isalnum() and "==" in line]


def _lay_over(root: Path) -> None:
    """Units and program as they are in the working tree; users, presets, and a version for `hallkiosk --version`."""
    for tree in ("common", "appliance"):
        subprocess.run(("cp", "-a", "--no-preserve=ownership", f"{REPOSITORY}/systemd/{tree}/.", str(root)), check=True)
    for package in ("kiosk", "hallnet", "drivers", "rules"):
        shutil.rmtree(root / _SITE / package, ignore_errors=True)
        shutil.copytree(REPOSITORY / package, root / _SITE / package, ignore=shutil.ignore_patterns("__pycache__"))
    facts = root / _SITE / "hallkiosk-0.1.0.dist-info"
    facts.mkdir(exist_ok=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: hallkiosk\nVersion: 0.1.0\n")
    for folder in ("boot/firmware", "var/lib/hallkiosk"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    compiled = [f"/{_SITE}/{package}" for package in ("kiosk", "hallnet", "drivers", "rules")]
    subprocess.run(("chroot", str(root), "python3", "-m", "compileall", "-q", *compiled), check=True)
    subprocess.run(("chroot", str(root), "systemd-sysusers"), check=True, capture_output=True)
    systemctl = ("systemctl", f"--root={root}", "--quiet")
    subprocess.run((*systemctl, "preset", *UNITS), check=True)
    subprocess.run((*systemctl, "enable", "systemd-networkd", "chrony"), check=True)
    subprocess.run((*systemctl, "mask", *MASKED), check=True)
