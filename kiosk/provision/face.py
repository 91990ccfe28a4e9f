"""What a terminal shows before there is a table or a desk to show: what is wrong, what is awaited, the code to compare.

Plain text for any terminal, so that it is there at once and when nothing else works. As soon as the service is there,
this process becomes its screen.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

import msgspec

from hallnet import unix_socket
from kiosk import notify
from kiosk.provision.joining import TAKE_OVER, Joining
from kiosk.provision.places import Places

LOOK_S = 0.5
#: A service that is not there after this long is asked why.
PATIENCE_S = 15.0
#: What a service has said is asked for this often: each time a program of its own looks through the journal.
ASK_S = 10.0


@dataclass(frozen=True, slots=True)
class Page:
    """A screen of text: a title, sentences, a code among them if there is one; with `asks` words may be typed."""

    title: str
    words: tuple[str, ...] = ()
    code: str = ""
    asks: bool = False


def page(places: Places, waited_s: float, last_words: Callable[[str], str]) -> Page | list[str]:
    """What to show now, or the words of the command that shows it better.

    `waited_s` is how long this has been looking, `last_words` asks the journal what a unit said last.
    """
    with contextlib.suppress(OSError):
        return Page(_("This machine cannot start"), tuple(places.trouble.read_text(encoding="utf-8").split("\n\n")))
    if places.role("hub").exists():
        if _hub_is_up(places):
            return ["desk", "--config", str(places.hub_toml)]
        return _starting(_("The hub is starting"), "hall-hub.service", waited_s, last_words)
    if places.role("standby").exists():
        return _standby(places, waited_s, last_words)
    if not places.role("table").exists():
        return _starting(_("This machine is starting"), "hall-provision.service", waited_s, last_words)
    return _table(places, waited_s, last_words)


def _joining(places: Places) -> Joining | None:
    try:
        return msgspec.json.decode(places.joining.read_bytes(), type=Joining)
    except (OSError, msgspec.MsgspecError):
        return None


def _standby(places: Places, waited_s: float, last_words: Callable[[str], str]) -> Page | list[str]:
    if _hub_is_up(places):
        return ["desk", "--config", str(places.hub_toml)]
    joining = _joining(places)
    if joining is None:
        return _starting(_("The standby hub is starting"), "hall-standby.service", waited_s, last_words)
    match joining.state:
        case "asking":
            words = _("Let this machine in at the hub, in the list of devices, as its standby.")
            return Page(_("The hub is at {hub}").format(hub=joining.hub), (words,))
        case "in":
            said = last_words("hall-standby.service")
            asked = _("Only if that hub is gone for good, type: {words}").format(words=TAKE_OVER)
            title = _("This hub stands by for {hub}").format(hub=joining.hub)
            return Page(title, (said, asked) if said else (asked,), asks=True)
    return _way_in(joining)


def _table(places: Places, waited_s: float, last_words: Callable[[str], str]) -> Page | list[str]:
    joining = _joining(places)
    if joining is None:
        return _starting(_("The table is starting"), "hall-table.service", waited_s, last_words)
    if joining.state == "in":
        if _answers(Path(joining.socket)):
            return ["screen", "--socket", joining.socket]
        return _starting(_("The table is starting"), "hall-table.service", waited_s, last_words)
    return _way_in(joining)


def _way_in(joining: Joining) -> Page:
    """What is awaited from the hub and its arbiter until a machine is in."""
    match joining.state:
        case "looking":
            return Page(
                _("Looking for the hub"),
                (
                    _("Is the hub on, and is this machine's cable plugged in?"),
                    _('Where it cannot be found by itself, hall.toml needs its address: hub = "192.168.50.1".'),
                ),
            )
        case "asking":
            return Page(
                _("The hub is at {hub}").format(hub=joining.hub),
                (_("This table is not known there. Ask the arbiter to let it in."),),
            )
        case "code":
            return Page(
                _("The arbiter lets this table in"),
                (_("Tell the arbiter this code. It must be the one that the hub gets from here:"),),
                joining.code,
            )
    return Page(_("This table was not let in"), (joining.why, _("It asks again by itself.")))


def _starting(title: str, unit: str, waited_s: float, last_words: Callable[[str], str]) -> Page:
    if waited_s < PATIENCE_S:
        return Page(title)
    said = last_words(unit)
    return Page(title, (_("It takes longer than usual."), said) if said else (_("It takes longer than usual."),))


def _answers(path: Path) -> bool:
    try:
        unix_socket.connect(path).close()
    except OSError:
        return False
    return True


def _hub_is_up(places: Places) -> bool:
    try:
        info = json.loads((places.hub_data / "hub.json").read_text(encoding="utf-8"))
        os.kill(int(info["pid"]), 0)
        with socket.create_connection(("127.0.0.1", int(info["port"])), timeout=1.0):
            return True
    except (OSError, ValueError, KeyError, TypeError):
        return False


def journal(unit: str) -> str:
    """The last line that a unit wrote; "" if there is none or the journal may not be read."""
    import subprocess

    command = ("journalctl", "--quiet", "--boot", "--unit", unit, "--output=cat", "--lines=20", "--no-pager")
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # systemd's own lines about the unit begin with its name.
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith(unit)]
    return lines[-1] if lines else ""


def picture(shown: Page, columns: int, rows: int) -> list[str]:
    """The page in the middle of a terminal of that size; no line is longer, and there are not more than `rows`."""
    width = max(10, min(columns - 2, 76))
    lines = [shown.title, "─" * min(width, len(shown.title))]
    for words in shown.words:
        lines.append("")
        for paragraph in words.splitlines():
            lines += textwrap.wrap(paragraph, width) or [""]
    if shown.code:
        lines += ["", "", "   ".join(shown.code)]
    above = max(0, (rows - len(lines)) // 2)
    body = [line[:columns].center(columns).rstrip() for line in lines]
    return ([""] * above + body)[: max(1, rows - 1)]


class Journal:
    """The last words of units, asked for anew every `ASK_S` seconds only."""

    def __init__(self, ask: Callable[[str], str] = journal) -> None:
        self._ask = ask
        self._said: dict[str, tuple[float, str]] = {}

    def last_words(self, unit: str) -> str:
        """What a unit said last, a moment ago."""
        at, said = self._said.get(unit, (0.0, ""))
        if not at or time.monotonic() - at > ASK_S:
            said = self._ask(unit)
            self._said[unit] = (time.monotonic(), said)
        return said


class Keyboard:
    """Lines that are typed below a page; at the end of the input nobody is there to type."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._gone = False
        self._typed = ""

    def lines(self, seconds: float) -> list[str]:
        """Waits so long, at most until something is typed; the lines that are complete."""
        if self._gone:
            time.sleep(seconds)
            return []
        if not select.select([self._fd], [], [], seconds)[0]:
            return []
        data = os.read(self._fd, 1024)
        self._gone = not data
        *lines, self._typed = (self._typed + data.decode("utf-8", "replace")).split("\n")
        return lines


def take_over(places: Places) -> None:
    """The words have been typed: the standby is told to take the hub's place; it says itself if it cannot."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        pid = int(json.loads(places.standby_start.read_text(encoding="utf-8"))["pid"])
        if b"--standby" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            os.kill(pid, signal.SIGUSR1)


def look(places: Places) -> list[str]:
    """Shows pages until a better screen can take over; the words of its command."""
    began = time.monotonic()
    heart = notify.Heart(("face",))
    keyboard, unit = Keyboard(sys.stdin.fileno()), Journal()
    before: Sequence[str] = ()
    while True:
        now = page(places, time.monotonic() - began, unit.last_words)
        if isinstance(now, list):
            return now
        size = shutil.get_terminal_size()
        lines = picture(now, size.columns, size.lines)
        if now.asks:
            lines += ["", "> "]
        if lines != before:
            # Clear, cursor home, and on only where words are typed; then line by line: a narrow terminal wraps nothing.
            cursor = "\033[?25h" if now.asks else "\033[?25l"
            sys.stdout.write(f"{cursor}\033[2J\033[H" + "\r\n".join(lines))
            sys.stdout.flush()
            before = lines
        heart.report("face")
        if not now.asks:
            time.sleep(LOOK_S)
            continue
        for line in keyboard.lines(LOOK_S):
            before = ()  # what was typed has moved the page
            if " ".join(line.lower().split()) == TAKE_OVER:
                take_over(places)
