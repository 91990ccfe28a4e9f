"""Machines of a hall as containers: the same root, booted by its own systemd, on a cable of their own.

Works as root on a machine whose PID 1 is not systemd and whose cgroups are still version 1: a mount namespace of its
own gives systemd the version 2 that it insists on. A command is run inside by entering the namespaces of the
container's PID 1, so nobody has to log in.
"""

from __future__ import annotations

import contextlib
import os
import pty
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

#: In a mount namespace of our own; then systemd-nspawn in the place of the shell.
_CGROUPS = (
    "mount --make-rprivate / && { ! mountpoint -q /sys/fs/cgroup || umount -R /sys/fs/cgroup; } && "
    'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"'
)


def until(what: str, look: Callable[[], object], seconds: float = 60.0) -> None:
    """Waits until `look` gives something true; fails with `what`."""
    end = time.monotonic() + seconds
    while not look():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.2)


def ip(*words: str) -> None:
    """The command `ip`."""
    done = subprocess.run(("ip", *words), capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


@dataclass
class Cable:
    """A switch in a namespace of its own; whoever is plugged in has one in another, with the interface eth0."""

    name: str
    spaces: list[str] = field(default_factory=list)

    def __enter__(self) -> Cable:
        self._space(self.name)
        ip("-n", self.name, "link", "add", "switch", "type", "bridge")
        ip("-n", self.name, "link", "set", "switch", "up")
        return self

    def _space(self, space: str) -> None:
        subprocess.run(("ip", "netns", "del", space), capture_output=True, check=False)
        ip("netns", "add", space)
        self.spaces.append(space)
        ip("-n", space, "link", "set", "lo", "up")

    def plug(self, who: str, address: str = "") -> str:
        """A new namespace on the switch; its name. The machine inside gives itself an address if `address` is ""."""
        space, port = f"{self.name}-{who}", f"p-{who}"
        self._space(space)
        ip("link", "add", "eth0", "netns", space, "type", "veth", "peer", "name", port, "netns", self.name)
        ip("-n", self.name, "link", "set", port, "master", "switch", "up")
        if address:
            ip("-n", space, "addr", "add", address, "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
        return space

    def tap(self, name: str) -> str:
        """A socket on the switch for a virtual machine that runs in the switch's namespace; its name."""
        ip("-n", self.name, "tuntap", "add", name, "mode", "tap")
        ip("-n", self.name, "link", "set", name, "master", "switch", "up")
        return name

    def link(self, space: str, *, up: bool) -> None:
        """Puts the plug of one machine in, or out: its own interface sees the carrier come and go."""
        port = f"p-{space.removeprefix(self.name + '-')}"
        ip("-n", self.name, "link", "set", port, "up" if up else "down")

    def __exit__(self, *_error: object) -> None:
        for space in self.spaces:
            subprocess.run(("ip", "netns", "del", space), capture_output=True, check=False)


class Machine:
    """One container. What it does to its root is forgotten, but for /var/lib/hallkiosk, which is `folder`/state."""

    def __init__(
        self,
        root: Path,
        name: str,
        space: str,
        folder: Path,
        hall_toml: str,
        files: dict[str, str],
        binds: Mapping[Path, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.folder = folder
        self._space = space
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None
        boot = folder / "boot"
        for path in (boot, folder / "state"):
            path.mkdir(parents=True, exist_ok=True)
        self._binds = binds
        for file, text in {"hall.toml": hall_toml, **files}.items():
            (boot / file).write_text(text, encoding="utf-8")

    def start(self) -> None:
        """Switches it on; returns when its PID 1 takes commands."""
        nspawn = [
            "systemd-nspawn", "--quiet", "-D", str(self._root), f"--machine={self.name}", "--volatile=overlay",
            "--boot", "--register=no", "--keep-unit", "--console=interactive", "--capability=CAP_NET_ADMIN",
            f"--network-namespace-path=/run/netns/{self._space}", f"--bind={self.folder / 'state'}:/var/lib/hallkiosk",
            f"--bind-ro={self.folder / 'boot'}:/boot/firmware",
            *(f"--bind-ro={here}:{there}" for here, there in self._binds.items()),
        ]  # fmt: skip
        master, slave = pty.openpty()
        self._process = subprocess.Popen(
            ("unshare", "-m", "sh", "-c", _CGROUPS, "sh", *nspawn),
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        threading.Thread(target=_drain, args=(master, self.folder / "console.log"), daemon=True).start()
        until(f"{self.name} takes commands", lambda: self.pid and self.code("systemctl is-system-running") in (0, 1))

    @property
    def pid(self) -> int:
        """Its PID 1, as this machine sees it; 0 while there is none."""
        if self._process is None or self._process.poll() is not None:
            return 0
        number = self._process.pid
        with contextlib.suppress(OSError, ValueError, IndexError):
            child = int(Path(f"/proc/{number}/task/{number}/children").read_text().split()[0])
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return child
        return 0

    def _enter(self, *words: str) -> tuple[str, ...]:
        clean = ("env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin", "LANG=C.UTF-8", "TERM=dumb")
        return ("nsenter", "-t", str(self.pid), "-m", "-u", "-i", "-n", "-p", "-r", "-w", *clean, *words)

    def code(self, command: str) -> int:
        """The exit code of a shell command."""
        return subprocess.run(self._enter("sh", "-c", command), capture_output=True, check=False).returncode

    def run(self, command: str, timeout: float = 60) -> str:
        """What a shell command prints; fails with what it says."""
        done = subprocess.run(
            self._enter("sh", "-c", command), capture_output=True, text=True, check=False, timeout=timeout
        )
        if done.returncode:
            raise AssertionError(f"{self.name}: {command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def popen(self, user: str, *words: str) -> subprocess.Popen[str]:
        """A program as a user, with pipes."""
        return subprocess.Popen(
            self._enter("runuser", "-u", user, "--", *words),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def python(self, script: str, *arguments: str, timeout: float = 240) -> str:
        """Runs a script with hallkiosk's Python as hallkiosk; what it prints."""
        words = ("/opt/hallkiosk/bin/python", "-I", "-c", script, *arguments)
        process = self.popen("hallkiosk", *words)
        try:
            said, _nothing = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{self.name}: the script did not end:\n{process.communicate()[0]}") from None
        if process.returncode:
            raise AssertionError(f"{self.name}: the script gave {process.returncode}:\n{said}")
        return said

    def active(self, unit: str) -> bool:
        """Is that unit active?"""
        return self.code(f"systemctl is-active --quiet {shlex.quote(unit)}") == 0

    def journal(self, unit: str = "") -> str:
        """The last lines of the journal, of one unit or of all."""
        wanted = f"-u {shlex.quote(unit)}" if unit else ""
        return self.run(f"journalctl -b -o short-monotonic --no-pager -n 90 {wanted}")

    def power_cut(self) -> None:
        """Pulls the plug. Killing nspawn would leave its PID 1 running."""
        if (pid := self.pid) != 0:
            os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(20)


def _drain(master: int, log: Path) -> None:
    with log.open("ab", buffering=0) as out, contextlib.suppress(OSError):
        while data := os.read(master, 65536):
            out.write(data)


@contextlib.contextmanager
def running(machines: list[Machine]) -> Iterator[list[Machine]]:
    """All of them on; off at the end, whatever happens."""
    try:
        for machine in machines:
            machine.start()
        yield machines
    finally:
        for machine in machines:
            machine.power_cut()
