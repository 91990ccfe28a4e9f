"""A card in a virtual machine (QEMU without hardware help): switch on, talk over a serial console, pull the plug.

The image has no login. The machine's own command line hands systemd two credentials that open a root shell on the
serial console; a card in a Raspberry Pi never gets them.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO

#: Debian's name of an architecture → (QEMU program and machine, serial console).
MACHINES = {
    "amd64": (["qemu-system-x86_64", "-M", "q35", "-cpu", "max,la57=off"], "ttyS0"),
    "arm64": (["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72"], "ttyAMA0"),
}
#: Where the FAT partition begins in an image, as mtools writes it.
BOOT_AT = "@@4M"
_OPEN = "systemd.set_credential=agetty.autologin:root systemd.set_credential=login.noauth:yes"


class Silence(AssertionError):
    """The machine did not say what was expected in time; its last words are in the text."""


class Card:
    """A copy of an image with settings of its own; the plug can be pulled on it as often as one likes."""

    def __init__(
        self,
        image: Path,
        folder: Path,
        settings: str | None,
        arch: str,
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.arch = arch
        self.disk = folder / "card.img"
        self.log = folder / "console.log"
        subprocess.run(["cp", "--sparse=always", image, self.disk], check=True)
        if settings is not None:
            self.write("hall.toml", settings)
        for name, text in files.items():
            self.write(name, text)
        for name in ("vmlinuz", "initrd.img", "cmdline.txt"):
            subprocess.run(
                ["mcopy", "-n", "-o", "-i", f"{self.disk}{BOOT_AT}", f"::/{name}", folder / name], check=True
            )
        self.kernel, self.initrd = folder / "vmlinuz", folder / "initrd.img"
        self.line = (folder / "cmdline.txt").read_text("ascii").strip()

    def write(self, name: str, text: str) -> None:
        """Put a file on the FAT partition, as one does on the computer at home."""
        source = self.disk.with_name("to-fat")
        source.write_text(text, "utf-8")
        subprocess.run(["mcopy", "-o", "-i", f"{self.disk}{BOOT_AT}", source, f"::/{name}"], check=True)

    def on(
        self,
        *,
        memory: int = 512,
        extra: tuple[str, ...] = (),
        words: str = "",
        space: str = "",
        panel: tuple[int, int] = (800, 480),
        drive: str = "",
    ) -> Machine:
        """Switch a machine with this card on, in the network namespace `space` if one is named.

        `drive` says in QEMU's words how the card is read and written, if not as a file whose every write stays.
        """
        drive = drive or f"file={self.disk},format=raw,cache=writethrough"
        return Machine(self, memory, extra, words, space, panel, drive)


class Machine:
    """A running machine. Use it as a context: at its end the plug is out."""

    def __init__(
        self,
        card: Card,
        memory: int,
        extra: tuple[str, ...],
        words: str,
        space: str,
        panel: tuple[int, int],
        drive: str,
    ) -> None:
        program, console = MACHINES[card.arch]
        self._questions = card.disk.with_name("qmp")
        command = [
            *(("ip", "netns", "exec", space) if space else ()), *program,
            "-accel", "tcg,thread=multi", "-m", str(memory), "-smp", "2", "-display", "none", "-no-reboot",
            "-monitor", "none", "-serial", "stdio", "-device", f"virtio-gpu-pci,xres={panel[0]},yres={panel[1]}",
            "-qmp", f"unix:{self._questions},server=on,wait=off",
            "-device", "qemu-xhci", "-device", "usb-kbd",
            "-drive", f"{drive},if=none,id=card",
            "-device", "virtio-blk-pci,drive=card",
            "-kernel", str(card.kernel), "-initrd", str(card.initrd),
            "-append", f"{card.line} console={console} {_OPEN} {words}", *extra,
        ]  # fmt: skip
        if card.arch == "amd64":
            command += ["-vga", "none"]
            # Whether timer interrupts come at all: a machine that waits for a busy host would take them for missing.
            command[command.index("-append") + 1] += " no_timer_check"
        self.card = card
        self.started = time.monotonic()
        self._log: IO[bytes] = card.log.open("ab")
        self._heard = ""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )

    def __enter__(self) -> Machine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()

    @property
    def age(self) -> float:
        """Seconds since it was switched on."""
        return time.monotonic() - self.started

    @property
    def cpu_s(self) -> float:
        """CPU seconds that the host has given to it; the machine's own clock counts those of other programs too."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cut(self) -> None:
        """Pull the plug: what the machine had not flushed is gone."""
        self.process.kill()
        self.process.wait()
        self._log.close()

    def picture(self, path: Path) -> None:
        """What the panel shows, as a PNG file."""
        self.ask("screendump", filename=str(path), format="png")

    def ask(self, command: str, **arguments: object) -> object:
        """Have the machine itself (not the system inside) do something: its monitor's commands (QMP)."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(300)
            while line.connect_ex(str(self._questions)):
                assert self.process.poll() is None, "the machine has ended"
                assert self.age < 30, "the machine has no monitor"
                time.sleep(0.1)
            with line.makefile("rw", encoding="utf-8") as talk:
                json.loads(talk.readline())
                for words in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                    talk.write(json.dumps(words) + "\n")
                    talk.flush()
                    answer: dict[str, object] = {"event": ""}
                    while "event" in answer:
                        answer = json.loads(talk.readline())
                    assert "return" in answer, answer
        return answer["return"]

    def off(self, seconds: float = 120) -> None:
        """Switch it off as one should."""
        self._say("systemctl poweroff")
        self._until(lambda: self.process.poll() is not None, "the end of the machine", seconds)

    def wait_for(self, pattern: str, seconds: float) -> re.Match[str]:
        """Wait for words on the serial console."""
        found: list[re.Match[str]] = []

        def there() -> bool:
            match = re.search(pattern, self._heard)
            if match:
                found.append(match)
                self._heard = self._heard[match.end() :]
            return bool(match)

        self._until(there, repr(pattern), seconds)
        return found[0]

    def listen(self, pattern: str, seconds: float) -> re.Match[str]:
        """Listen for a while, and longer until words have come; the last of them."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._hear(end - time.monotonic())
        last = self.wait_for(pattern, 120)
        while re.search(pattern, self._heard):
            last = self.wait_for(pattern, 1)
        return last

    def shell(self, seconds: float = 600) -> None:
        """Wait until somebody can type commands; then they go without echo and prompt."""
        self.wait_for(r"root@[^\s:]+:\S*# ", seconds)
        quiet = "stty -echo cols 250; PS1= PS2=; bind 'set enable-bracketed-paste off'"
        # Who asks is no part of the machine: nothing that is typed here counts among its programs, as none did while
        # the card kept sessions.
        own = "/sys/fs/cgroup/user.slice"
        quiet += f"; {{ mkdir -p {own}; echo $$ >{own}/cgroup.procs; }} 2>/dev/null"
        self._say(f"{quiet}; export TERM=dumb PAGER=cat LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin; echo shell-$((40+2))")
        self.wait_for("shell-42", 60)

    def run(self, command: str, seconds: float = 90, *, fails: bool = False) -> str:
        """What a command prints on the machine.

        Raises:
            AssertionError: it failed (unless it `fails`, or may).
        """
        mark = uuid.uuid4().hex[:10]
        self._say(f"echo begin-{mark}; {{ {command}\n}} 2>&1; code=$?; echo; echo end-{mark} $code")
        self.wait_for(f"begin-{mark}\r?\n", seconds)
        end = f"\r?\n?end-{mark} (\\d+)"
        self._until(lambda: re.search(end, self._heard) is not None, f"the end of {command!r}", seconds)
        found = re.search(end, self._heard)
        assert found is not None
        said, self._heard = self._heard[: found.start()].replace("\r", "").strip(), self._heard[found.end() :]
        assert fails or found[1] == "0", f"{command!r} ended with {found[1]}:\n{said}"
        return said

    def send_file(self, path: str, text: str) -> None:
        """Write a file on the machine."""
        self.run(f"cat >{path} <<'END-OF-FILE'\n{text}\nEND-OF-FILE\n")

    def screen(self) -> list[str]:
        """The text on tty1, line by line."""
        code = (
            "import os,fcntl,struct,termios; f=os.open('/dev/tty1',os.O_RDONLY|os.O_NOCTTY);"
            "rows,cols=struct.unpack('HHHH',fcntl.ioctl(f,termios.TIOCGWINSZ,b'\\0'*8))[:2];"
            "t=open('/dev/vcsu1','rb').read().decode('utf-32-le');"
            "print('\\n'.join('|'+t[i*cols:(i+1)*cols].rstrip() for i in range(rows)))"
        )
        return [line[1:] for line in self.run(f'python3 -c "{code}"', 120).splitlines() if line.startswith("|")]

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    def _until(self, done: object, what: str, seconds: float) -> None:
        assert callable(done)
        end = time.monotonic() + seconds
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                raise Silence(f"No {what} within {seconds:.0f} s; the last words were:\n{self._heard[-3000:]}")
            if not self._hear(min(left, 1)) and self.process.poll() is not None and not done():
                raise Silence(f"The machine ended before {what}; its last words were:\n{self._heard[-3000:]}")

    def _hear(self, seconds: float) -> bool:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return False
        data = os.read(self.process.stdout.fileno(), 65536)
        self._log.write(data)
        self._log.flush()
        self._heard += data.decode("utf-8", "replace")
        return bool(data)


def lacking(arch: str) -> str:
    """What this host lacks for such a machine; empty if nothing."""
    programs = (MACHINES[arch][0][0], "mcopy")
    return ", ".join(program for program in programs if shutil.which(program) is None)
