"""`make install` and `make uninstall`: this machine becomes a hub or a table, or stops being one.

    sudo make install ROLE=table            # or hub, or standby; SCREEN=no leaves the first terminal alone
    sudo make uninstall                     # what was played stays in /var/lib/hallkiosk

Running it again brings the machine up to the working tree and changes nothing else: not hall.toml, not the data, not
the name and network of a machine that has another owner. Only the standard library.
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
import tempfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
COMMON = REPOSITORY / "systemd/common"
VENV = Path("/opt/hallkiosk")
COMMAND = Path("/usr/local/bin/hallkiosk")
HALL_TOML = Path("/etc/hallkiosk/hall.toml")
ON_CARD = Path("/boot/firmware/hall.toml")
SSH_RULE = Path("/etc/hallkiosk/firewall.d/ssh.nft")
#: What was put where, so that exactly this goes again.
LIST = VENV / "installed.json"
_SSH = """# This machine is administered by SSH; without this file nobody gets in.
tcp dport 22 ct state new limit rate 10/minute burst 20 packets accept
"""
SCREENS = ("hall-screen.service", "hall-desk.service")
#: Command → the package that brings it.
NEEDED = {"nft": "nftables", "chronyd": "chrony", "udevadm": "udev", "systemctl": "systemd"}

TEMPLATES = {
    "table": """role = "table"
# table = 12                  # left out: the number under which the arbiter lets it in
# hub = "192.168.50.1"        # left out: the hub is found by itself, where the network carries multicast

[devices]
board = "auto"                # the board that is plugged in; or dgt:/dev/serial/by-id/..., simulated, ...
clock = "plungers"
""",
    "hub": """role = "hub"
# event = "club26"            # the same id stands in every table's hall.toml

[tournament]
name = "Chess Tournament"
entries = "entries.csv"       # beside this file: a column "name", and rating, title, federation, fide_id ... as known

[regulations]
rounds = 5
control = "15+10"
""",
    "standby": """role = "standby"
# event = "club26"            # as at the hub
# hub = "192.168.50.1"        # left out: the hub is found by itself, where the network carries multicast
""",
}


class Refusal(Exception):
    """It cannot be done; the text says what to do first."""


def install(role: str, screen: bool) -> None:
    """Everything in its place; started, where systemd runs. Raises `Refusal`."""
    _look_first()
    manifest = _copy()
    _program()
    LIST.write_text(json.dumps({"files": manifest}, indent=1) + "\n", encoding="utf-8")
    COMMAND.unlink(missing_ok=True)
    COMMAND.symlink_to(VENV / "bin/hallkiosk")
    where = _hall_toml(role)
    _keep_ssh()
    _run("systemd-sysusers")
    units = _units() - (set() if screen else set(SCREENS))
    _run("systemctl", "--quiet", "preset", *sorted(units))
    if _booted():
        _run("systemd-tmpfiles", "--create", "hallkiosk.conf")
        # A container has no udev.
        _run("udevadm", "control", "--reload", check=False)
        matches = [f"--subsystem-match={name}" for name in ("tty", "hidraw", "gpio", "i2c-dev", "spidev")]
        _run("udevadm", "trigger", *matches, check=False)
        _run("systemctl", "daemon-reload")
        _run("systemctl", "restart", "hall-provision.service")
        for unit in ("hall-identity.service", "hall-firewall.service", "hall-time.path"):
            _run("systemctl", "restart", unit, check=False)
        _run("systemctl", "try-reload-or-restart", "chrony.service", "systemd-journald.service", check=False)
        lasting = [f"hall-{role}.service", *(SCREENS if screen else ())]
        _run("systemctl", "start", "--no-block", f"hall-{role}.target")
        _run("systemctl", "restart", "--no-block", *lasting)
    print(f"\nThis machine is set up by {where}: hallkiosk provision check {where}")
    print(
        f"Look at it with: systemctl status 'hall-*', and: sudo -u hallkiosk hallkiosk doctor --config {_config(role)}"
    )


def uninstall() -> None:
    """Everything of the program goes; hall.toml and what was played stay. Raises `Refusal`."""
    if _booted():
        loaded = [*sorted(_units()), "hall-hub.service", "hall-standby.service", "hall-table.service"]
        _run("systemctl", "--quiet", "disable", "--now", *loaded, check=False)
    else:
        _run("systemctl", "--quiet", "disable", *sorted(_units()), check=False)
    try:
        files = json.loads(LIST.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError):
        files = [str(path) for path in _targets().values()]
    for name in files:
        path = Path("/") / name
        path.unlink(missing_ok=True)
        for folder in path.parents:
            # Only folders that nobody else uses.
            if (
                not any(part.startswith("hall") for part in folder.parts)
                or not folder.is_dir()
                or any(folder.iterdir())
            ):
                break
            folder.rmdir()
    Path("/etc/chrony/conf.d/hallkiosk-role.conf").unlink(missing_ok=True)
    if COMMAND.is_symlink():
        COMMAND.unlink()
    shutil.rmtree(VENV, ignore_errors=True)
    if _booted():
        _run("systemctl", "daemon-reload")
        _run("udevadm", "control", "--reload", check=False)
        _run("systemctl", "try-reload-or-restart", "chrony.service", check=False)
    print("hallkiosk is gone. What was played is still in /var/lib/hallkiosk, and the settings in /etc/hallkiosk.")


def _look_first() -> None:
    """Is everything here that is needed? Asked before anything is changed."""
    if not (3, 11) <= sys.version_info < (3, 14):
        raise Refusal(f"hallkiosk needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]}.")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    packages = sorted({package for tool, package in NEEDED.items() if shutil.which(tool) is None})
    if subprocess.run((sys.executable, "-c", "import ensurepip, venv"), check=False, capture_output=True).returncode:
        packages.append("python3-venv")
    if packages:
        raise Refusal(f"First: sudo apt install {' '.join(packages)}")


def _targets() -> dict[Path, Path]:
    """Every file of ours → its path below the root."""
    found = sorted(path for path in COMMON.rglob("*") if path.is_file() and path.name != ".keep")
    return {path: path.relative_to(COMMON) for path in found}


def _copy() -> list[str]:
    for source, target in _targets().items():
        place = Path("/") / target
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f".{place.name}.new")
        shutil.copyfile(source, new)
        new.chmod(0o644)
        new.replace(place)
    Path("/etc/hallkiosk/firewall.d").mkdir(parents=True, exist_ok=True)
    return [str(target) for target in _targets().values()]


def _program() -> None:
    """The program and what it needs, each by its hash in the lock file; the tools of those who build it stay away."""
    python = VENV / "bin/python"
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    stamp, version = VENV / "requirements.sha256", f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = hashlib.sha256(f"{version}\n{lock}".encode()).hexdigest()
    pip = (str(python), "-m", "pip", "--quiet", "--disable-pip-version-check")
    if not python.exists() or not stamp.exists() or stamp.read_text(encoding="ascii") != wanted:
        print("Setting up /opt/hallkiosk (the first time takes some minutes) ...", flush=True)
        _run(sys.executable, "-m", "venv", "--clear", str(VENV))
        with tempfile.TemporaryDirectory() as scratch:
            chosen = Path(scratch, "runtime.txt")
            chosen.write_text(runtime_lock(lock, pip, Path(scratch)), encoding="utf-8")
            _run(*pip, "install", "--no-deps", "--require-hashes", "-r", str(chosen))
        stamp.write_text(wanted, encoding="ascii")
    with tempfile.TemporaryDirectory() as scratch:
        # A build leaves folders behind; they shall not lie in somebody's working tree as root's.
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy2(REPOSITORY / name, scratch)
        for package in ("kiosk", "hallnet", "drivers", "rules"):
            shutil.copytree(
                REPOSITORY / package, Path(scratch, package), ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
            )
        _run(*pip, "install", "--no-deps", "--no-build-isolation", "--force-reinstall", scratch)
    _run(str(python), "-m", "compileall", "-q", str(VENV / "lib"), check=False)


def runtime_lock(lock: str, pip: tuple[str, ...], scratch: Path) -> str:
    """The part of a lock file that running needs: what pip would take for our dependencies, held to the lock's pins."""
    blocks = pins(lock)
    held = scratch / "constraints.txt"
    held.write_text("\n".join(block.split("\\")[0].strip() for block in blocks.values()) + "\n", encoding="utf-8")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    report = scratch / "report.json"
    _run(
        *pip, "install", "--dry-run", "--ignore-installed", "--report", str(report), "-c", str(held),
        *project["dependencies"], "setuptools",
    )  # fmt: skip
    names = {_plain(item["metadata"]["name"]) for item in json.loads(report.read_text(encoding="utf-8"))["install"]}
    return "\n".join(block for (name, _marker), block in blocks.items() if name in names) + "\n"


def pins(lock: str) -> dict[tuple[str, str], str]:
    """A lock file as (name, marker) → its lines: the pin and its hashes."""
    blocks: dict[tuple[str, str], str] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9])", lock.strip()):
        head = block.split("\\")[0]
        name, _equals, rest = head.partition("==")
        if rest:
            blocks[_plain(name), rest.partition(";")[2].strip()] = block
    return blocks


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def _hall_toml(role: str) -> Path:
    """The hall.toml that counts; one to begin with, where there is none."""
    for path in (ON_CARD, HALL_TOML):
        if path.exists():
            if tomllib.loads(path.read_text(encoding="utf-8")).get("role") != role:
                print(f"Mind: {path} is kept, and it does not say role = {json.dumps(role)}.")
            return path
    HALL_TOML.write_text(TEMPLATES[role], encoding="utf-8")
    return HALL_TOML


def _keep_ssh() -> None:
    """Whoever administers this machine from elsewhere is not locked out."""
    if Path("/usr/sbin/sshd").exists() and not SSH_RULE.exists():
        SSH_RULE.write_text(_SSH, encoding="ascii")


def _units() -> set[str]:
    preset = COMMON / "usr/lib/systemd/system-preset/80-hallkiosk.preset"
    lines = preset.read_text(encoding="ascii").splitlines()
    return {line.split()[1] for line in lines if line.startswith("enable ")}


def _config(role: str) -> str:
    return f"/run/hallkiosk/{'hub' if role == 'standby' else role}.toml"


def _booted() -> bool:
    """Does systemd run here (and not: is this the root of an image)? sd_booted(3)."""
    return Path("/run/systemd/system").is_dir()


def _run(*words: str, check: bool = True) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise Refusal(f"{' '.join(words)[:200]} failed:\n{(done.stderr or done.stdout).strip()[-2000:]}")


def main() -> int:
    """Exit codes: 0 done, 1 something failed, 2 it was asked for wrongly."""
    parser = argparse.ArgumentParser(prog="systemd/install.py", description=__doc__.split("\n\n")[0] if __doc__ else "")
    acts = parser.add_subparsers(dest="act", required=True)
    put = acts.add_parser("install")
    put.add_argument("--role", default="")
    put.add_argument("--screen", default="yes")
    acts.add_parser("uninstall")
    arguments = parser.parse_args()
    if arguments.act == "install" and arguments.role not in TEMPLATES:
        print("Say what this machine is: sudo make install ROLE=table, or ROLE=hub, or ROLE=standby", file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        print(f"This changes the machine: sudo make {arguments.act}", file=sys.stderr)
        return 2
    try:
        if arguments.act == "install":
            install(arguments.role, arguments.screen != "no")
        else:
            uninstall()
    except (Refusal, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
