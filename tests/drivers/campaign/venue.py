"""A place where time passes only when somebody waits: an agenda, faults, and cables that suffer them.

The drivers are the real ones. What they ask of the machine (`World`, `Port`) is answered here; the boards at the other
ends are in `boards`.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from drivers.errors import DeviceMissing

BEGIN_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a table. Probabilities are those of a message (`noise`) and of a byte (`loss`, `garble`)."""

    name: str = ""
    noise: float = 0.0
    loss: float = 0.0
    garble: float = 0.0
    slow: int = 1
    unplugs: bool = False
    stuck: bool = False
    weak: bool = False
    battery: int = 80


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("noise", noise=0.05),
        Fault("lost bytes", loss=0.002),
        Fault("garbled bytes", garble=0.002),
        Fault("slow scan", slow=2),
        Fault("unplugged", unplugs=True),
        Fault("stuck square", stuck=True),
        Fault("weak piece", weak=True),
        Fault("low battery", battery=7),
    )
}


class Venue:
    """Time in ms, and what is to happen. `wake` is the next time at which somebody besides the agenda has work."""

    def __init__(self) -> None:
        self.now = BEGIN_MS
        self.over = False
        self.wake: Callable[[], int | None] = lambda: None
        self.woken: Callable[[], None] = lambda: None
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def at(self, t: int, do: Callable[[], None]) -> None:
        """`do` is to happen at `t`."""
        self._count += 1
        heapq.heappush(self._agenda, (t, self._count, do))

    def next(self) -> int | None:
        """When something happens next."""
        times = [t for t in (self.wake(), self._agenda[0][0] if self._agenda else None) if t is not None]
        return min(times, default=None)

    def until(self, t: int) -> None:
        """Lets time pass."""
        while not self.over and (due := self.next()) is not None and due <= t:
            self.now = max(self.now, due)
            if self._agenda and self._agenda[0][0] <= due:
                heapq.heappop(self._agenda)[2]()
            else:
                self.woken()
        self.now = max(self.now, t)


class Cable:
    """The machine as a serial driver knows it, with one cable; `say` is the board's end of it."""

    def __init__(self, venue: Venue, hear: Callable[[bytes], bytes], byte_us: int, fault: Fault, seed: str) -> None:
        self._venue, self._hear, self._byte_us, self._fault = venue, hear, byte_us, fault
        self._dice = random.Random(f"cable {seed}")
        self._coming: deque[tuple[int, bytes]] = deque()
        self._free_at = 0
        self._stopped = self._woken = False
        self.plugged = True
        self._plug = 0
        self._opened = -1

    # -- the board's end

    def say(self, message: bytes) -> None:
        """The board sends something: it takes its time, may arrive in two pieces, and suffers what the line does."""
        if not message or not self.plugged:
            return
        dice, fault = self._dice, self._fault
        if dice.random() < fault.noise:
            message = bytes((dice.randrange(0x80),)) + message
        if fault.loss:
            message = bytes(byte for byte in message if dice.random() >= fault.loss)
        if fault.garble:
            message = bytes(byte ^ (1 << dice.randrange(8) if dice.random() < fault.garble else 0) for byte in message)
        begin = max(self._venue.now * 1000, self._free_at)
        end = begin + len(message) * self._byte_us
        self._free_at = end
        cut = dice.randrange(len(message) + 1) if dice.random() < 0.3 else 0
        if cut:
            self._coming.append((begin + cut * self._byte_us, message[:cut]))
        if message[cut:]:
            self._coming.append((end, message[cut:]))

    def pull(self) -> None:
        """The cable is pulled; what was on its way is lost."""
        self.plugged = False
        self._coming.clear()

    def plug(self) -> None:
        """The cable is plugged in again."""
        self.plugged = True
        self._plug += 1

    # -- World

    def open(self, name: str, baud: int) -> Cable:
        """The only port of this machine."""
        if not self.plugged:
            raise DeviceMissing(name)
        self._coming.clear()
        self._opened = self._plug
        return self

    def now_ms(self) -> int:
        return self._venue.now

    def wait(self, seconds: float) -> None:
        self._venue.until(self._venue.now + max(1, int(seconds * 1000)))

    def stop(self) -> None:
        self._stopped = True

    @property
    def stopped(self) -> bool:
        return self._stopped or self._venue.over

    # -- Port

    def read(self, wait_s: float) -> bytes:
        venue = self._venue
        deadline = venue.now + int(wait_s * 1000)
        while True:
            self._check()
            data = b""
            while self._coming and self._coming[0][0] <= venue.now * 1000:
                data += self._coming.popleft()[1]
            if data or self._woken or venue.now >= deadline or venue.over:
                self._woken = False
                return data
            arrival = -(-self._coming[0][0] // 1000) if self._coming else deadline
            step = min(deadline, arrival, venue.next() or deadline)
            venue.until(max(step, venue.now))

    def wake(self) -> None:
        self._woken = True

    def write(self, data: bytes) -> None:
        self._check()
        self.say(self._hear(data))

    def close(self) -> None:
        self._coming.clear()

    def _check(self) -> None:
        if not self.plugged or self._opened != self._plug:
            raise OSError(5, "the device is gone")
