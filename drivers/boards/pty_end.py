"""The board's end of a pseudo-terminal: any program may open `port` and meets a board there.

Faults of the line are here, so every serial simulator has them: bytes that get lost, noise between messages, and the
cable pulled. The dice are seeded.
"""

from __future__ import annotations

import os
import random
import select
import threading
import tty
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineFaults:
    """`loss` and `noise` are probabilities: of a byte to be lost, of a stray byte before a message."""

    loss: float = 0.0
    noise: float = 0.0
    seed: int = 0


class PtyEnd:
    """A pseudo-terminal with a thread that gives what the host sends to `heard` and sends back its answer.

    `idle` is called every `idle_s` for what the board says by itself; both may be changed, and `wake` makes that known.
    """

    def __init__(
        self,
        heard: Callable[[bytes], bytes],
        idle: Callable[[], bytes] | None = None,
        idle_s: float | None = None,
        faults: LineFaults | None = None,
    ) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self.lock = threading.RLock()
        self._heard, self.idle, self.idle_s = heard, idle, idle_s
        self._faults = faults or LineFaults()
        self._dice = random.Random(self._faults.seed)
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._serve, name="simulated board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        if self._master < 0:
            return
        os.write(self._wake_write, b"x")
        self._thread.join(timeout=5)
        for fd in (self._master, self._slave, self._wake_read, self._wake_write):
            os.close(fd)
        self._master = -1

    def wake(self) -> None:
        """Looks at once at what the board has to say by itself."""
        if self._master >= 0:
            os.write(self._wake_write, b"w")

    def send(self, message: bytes) -> None:
        """Sends a message; call it with `lock` held. What nobody reads is lost, as on a line without handshake."""
        if not message:
            return
        data = bytearray()
        if self._dice.random() < self._faults.noise:
            data.append(self._dice.randrange(0x80))
        data += bytes(byte for byte in message if self._dice.random() >= self._faults.loss)
        try:
            os.write(self._master, data)
        except BlockingIOError:
            return

    def _serve(self) -> None:
        while True:
            ready, _w, _x = select.select([self._master, self._wake_read], [], [], self.idle_s)
            if self._wake_read in ready and b"x" in os.read(self._wake_read, 64):
                return
            with self.lock:
                if self._master in ready:
                    self.send(self._heard(os.read(self._master, 256)))
                if self.idle is not None:
                    self.send(self.idle())
