"""One command at a time to the DGT clock: the next goes out when the last was acknowledged. Pure, time in ms.

A command without an answer, or with an error, is repeated at most three times; then the clock counts as lost and the
commands go nowhere, until it says something again. Several texts that wait become the newest one.
"""

from __future__ import annotations

from collections import deque

from drivers.boards.dgt import clock

#: Time for an acknowledgement; boards on Bluetooth repeat one for up to a second.
ANSWER_MS = 1_500
REPEATS = 3


class ClockQueue:
    """`lost` says that the clock does not answer; `version` is its version once it has told it."""

    def __init__(self) -> None:
        self.lost = False
        self.version: clock.ClockVersion | None = None
        self._waiting: deque[bytes] = deque()
        self._asked: bytes | None = None
        self._tries = 0
        self._due = 0

    def ask(self, command: bytes) -> None:
        """Takes a command (as made by `clock.command`); one of the same kind that still waits is replaced."""
        same = [old for old in self._waiting if _number(old) == _number(command)]
        for old in same:
            self._waiting.remove(old)
        self._waiting.append(command)

    def next(self, t: int) -> bytes | None:
        """The bytes to send at `t`: a repetition whose time has come, the next command, or None."""
        if self._asked is not None:
            if t < self._due:
                return None
            if self._tries > REPEATS:
                self._asked = None
                self.lost = True
                self._waiting.clear()
                return None
            return self._send(self._asked, t)
        if self.lost:
            self._waiting.clear()
        return self._send(self._waiting.popleft(), t) if self._waiting else None

    def _send(self, command: bytes, t: int) -> bytes:
        if command is not self._asked:
            self._asked, self._tries = command, 0
        self._tries += 1
        self._due = t + ANSWER_MS
        return command

    def heard(self, message: clock.ClockMessage, t: int) -> None:
        """A clock message arrived."""
        match message:
            case clock.ClockVersion():
                self.version = message
                self._answered(clock.VERSION, True, t)
            case clock.ClockAck():
                self._answered(message.command, message.good, t)
            case clock.ClockTime():
                self.lost = False
            case clock.ClockAbsent():
                self.lost = True
                self._asked = None
                self._waiting.clear()
            case _:
                pass

    def _answered(self, number: int, good: bool, t: int) -> None:
        if self._asked is None:
            return
        if not good:
            self._due = t  # an error names no command reliably: it is that of the one command under way
        elif number == _number(self._asked):
            self._asked = None
            self.lost = False


def _number(command: bytes) -> int:
    return command[3]
