"""One command at a time to the DGT clock: the next goes out when the last was acknowledged. Pure, time in ms.

A command without an answer, or with an error, is repeated at most three times; then the clock counts as lost and the
commands go nowhere, until it says something again. Several texts that wait become the newest one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Literal

from drivers.boards.dgt import clock

#: Time for an acknowledgement; boards on Bluetooth repeat one for up to a second.
ANSWER_MS = 1_500
REPEATS = 3

#: Why the clock is lost: none hangs there, it does not answer, it does not obey.
Trouble = Literal["", "absent", "silent", "refuses"]
#: Makes a command anew for the time at which it goes out.
Renew = Callable[[int], bytes]


class ClockQueue:
    """`trouble` says why the clock is `lost`; `version` is its version once it has told it."""

    def __init__(self) -> None:
        self.trouble: Trouble = ""
        self.version: clock.ClockVersion | None = None
        self._waiting: deque[tuple[bytes, Renew | None]] = deque()
        self._asked: tuple[bytes, Renew | None] | None = None
        self._refused = False
        self._tries = 0
        self._due = 0

    @property
    def lost(self) -> bool:
        """Whether commands go nowhere."""
        return self.trouble != ""

    @property
    def idle(self) -> bool:
        """Whether nothing waits, neither to be sent nor for an answer."""
        return self._asked is None and not self._waiting

    def ask(self, command: bytes, renew: Renew | None = None) -> None:
        """Takes a command (as made by `clock.command`); one of the same kind that still waits is replaced.

        `renew` makes it anew when it has to be repeated: times have gone on by then.
        """
        for old in [old for old in self._waiting if _number(old[0]) == _number(command)]:
            self._waiting.remove(old)
        self._waiting.append((command, renew))

    def try_again(self) -> None:
        """A clock that was lost is to be asked once more."""
        self.trouble = ""

    def next(self, t: int) -> bytes | None:
        """The bytes to send at `t`: a repetition whose time has come, the next command, or None."""
        if self._asked is not None:
            if t < self._due:
                return None
            if self._tries > REPEATS:
                self._lose("refuses" if self._refused else "silent")
                return None
            command, renew = self._asked
            return self._send(renew(t) if renew is not None else command, renew, t)
        if self.lost:
            self._waiting.clear()
        if not self._waiting:
            return None
        self._tries = 0
        return self._send(*self._waiting.popleft(), t)

    def _send(self, command: bytes, renew: Renew | None, t: int) -> bytes:
        self._asked, self._refused = (command, renew), False
        self._tries += 1
        self._due = t + ANSWER_MS
        return command

    def _lose(self, trouble: Trouble) -> None:
        self.trouble, self._asked = trouble, None
        self._waiting.clear()

    def heard(self, message: clock.ClockMessage, t: int) -> None:
        """A clock message arrived."""
        match message:
            case clock.ClockVersion():
                self.version = message
                self._answered(clock.VERSION, True, t)
            case clock.ClockAck():
                self._answered(message.command, message.good, t)
            case clock.ClockTime() if self.trouble != "refuses":
                self.trouble = ""
            case clock.ClockAbsent():
                self.version = None
                self._lose("absent")
            case _:
                pass

    def _answered(self, number: int, good: bool, t: int) -> None:
        if self._asked is None:
            return
        if not good:
            # An error names no command reliably: it is that of the one command under way.
            self._due, self._refused = t, True
        elif number == _number(self._asked[0]):
            self._asked, self.trouble = None, ""


def _number(command: bytes) -> int:
    return command[3]
