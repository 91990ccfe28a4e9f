"""A DGT 3000 on I²C, as in a DGT Pi: its lever presses, its display shows our clock, its middle key is the arbiter's.

Our clock rules. The DGT 3000 is set at every press, pause and correction, and counts only so that people see the
seconds pass; its own times are told (`ClockReport`) to be compared, and when they are more than 1 s off it is set
again. A fallen flag stays as a text beside the other side's time until the arbiter has ruled; other texts hide the
times, so a table shows none during play. A clock whose own count cannot follow (chess time faster than real time) is
set every second.

A tip of the lever is told by a message; should that get lost, while we listen for an acknowledgement or to noise, the
next time message shows how the lever lies, a second late, and the press is reported then. A clock that does not answer
is reported once and tried again every 0.5 s. See `bus` for the machines on which this can work at all, and `protocol`
for what is assumed; no part of this was tried on a real clock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from gettext import gettext as _

from drivers.boards.serial_board import Machine, World
from drivers.clocks.arbiter_key import HELD_US
from drivers.clocks.dgt3000 import protocol as dgt
from drivers.clocks.dgt3000.bus import ClockBus
from drivers.clocks.own_count import OFF_S, Shown, short_time, whole_seconds
from drivers.errors import DriverError
from drivers.interfaces import ClockFace, ClockReport, FaultReport, KeyReport, LinkReport, PressReport, Sink
from rules.laws.events import Side
from rules.laws.sides import SIDES

TRIES = 3
#: Times in ms: an acknowledgement, the pause before a frame is sent again, the answer to the waking frame.
ACK_MS, AGAIN_MS, AWAKE_MS = 50, 10, 100
#: The clock is asked whether it lives when it has said nothing for so long (ms), and given up so often (s).
QUIET_MS = 3_000
RETRY_S = 0.5
READ_S = 0.05
#: Times come every second, and with them how the lever lies: so long a start waits for it.
KNOWN_S = 2.0
#: A clock that was set tells old times for a while (ms); after that it may be so far off (s).
STALE_MS = 2_500


class ClockSilent(DriverError, OSError):
    """The clock does not answer, or the wires are stuck."""


class Dgt3000:
    """A clock panel and a display in one. `open_bus` gives the wires, and is called at `start`.

    `white_left` says that White sits at the clock's left. `down` is the side of the lever that is down, None before the
    clock has told it; `ready` whether it obeys; `corrections` counts how often its count was put right.
    """

    kind = "dgt3000"

    def __init__(
        self, open_bus: Callable[[], ClockBus], speed: float = 1.0, world: World | None = None, white_left: bool = True
    ) -> None:
        self._open_bus, self._counts, self._white_left = open_bus, speed == 1.0, white_left
        self._world: World = world or Machine()
        self._reader = dgt.Reader()
        self._thread: threading.Thread | None = None
        self._face: ClockFace | None = None
        self._shown: Shown | None = None
        self._again = False
        self._words = ""
        self._beep = 0
        self._heard = 0
        self._told: tuple[int, int] | None = None
        self._acks: list[dgt.Ack] = []
        self._awake = False
        self._held: int | None = None
        self._lost = False
        self._known = threading.Event()
        self.down: Side | None = None
        self.ready = False
        self.corrections = 0

    # -- what a caller may ask ----------------------------------------------------------------------------------------

    def start(self, sink: Sink) -> None:
        """Opens the wires (raises `DriverError`) and reports from a thread of its own; waits a moment for the lever."""
        bus = self._open_bus()
        self._thread = threading.Thread(target=self.run, args=(bus, sink), name=self.kind, daemon=True)
        self._thread.start()
        self._known.wait(KNOWN_S)

    def close(self) -> None:
        """Stops the clock, ends the thread and lets go of the wires; may be called twice."""
        self._world.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def show(self, face: ClockFace) -> None:
        """Shows both times; only what its own count does not show already goes over the wires. From any thread."""
        self._face = face

    def set_again(self) -> None:
        """It shows something else than it was told: sets it again. From any thread."""
        self._again = True

    def show_text(self, words: str, beep: int = 0) -> None:
        """Shows a text of eleven characters in place of the times, until `show_text("")`; a beep in 62.5 ms."""
        self._words, self._beep = words, beep

    @property
    def closed(self) -> dict[str, bool]:
        """Which side of the lever is down, as contacts."""
        return {side: side == self.down for side in SIDES}

    # -- the thread ---------------------------------------------------------------------------------------------------

    def run(self, bus: ClockBus, sink: Sink) -> None:
        """The thread: sets the clock up and serves it, again and again, until it is closed."""
        try:
            while not self._world.stopped:
                try:
                    self._set_up(bus, sink)
                    self._serve(bus, sink)
                except OSError as error:
                    self._lose(str(error), sink)
                    self._world.wait(RETRY_S)
            self._leave(bus, sink)
        finally:
            bus.close()

    def _lose(self, why: str, sink: Sink) -> None:
        self.ready, self._shown = False, None
        self._known.set()
        if not self._lost and not self._world.stopped:
            self._lost = True
            now = self._world.now_ms()
            sink(LinkReport(now, "clock", False, why))
            sink(FaultReport(now, "clock", "silent"))

    def _find(self, sink: Sink) -> None:
        self.ready = True
        if self._lost:
            self._lost = False
            now = self._world.now_ms()
            sink(LinkReport(now, "clock", True, _("The clock answers again.")))
            sink(FaultReport(now, "clock", "silent", over=True))

    def _set_up(self, bus: ClockBus, sink: Sink) -> None:
        """Wakes the clock if it sleeps, takes control, and puts it into the mode in which it can be set."""
        self._reader = dgt.Reader()
        bus.listen(dgt.EVERYBODY)
        for _try in range(TRIES):
            if self._reaches(bus, dgt.CLOCK, dgt.MODE_25):
                break
            self._awake = False
            self._reaches(bus, dgt.WAKE, dgt.WAKE_UP)  # a sleeping clock wakes up without an acknowledgement
            self._listen(bus, AWAKE_MS, sink, lambda: self._awake)
        self._ask(bus, dgt.CONTROL, dgt.TAKE_CONTROL, sink)
        self._ask(bus, dgt.STATE, dgt.MODE_25, sink)
        self._find(sink)
        self._heard = self._world.now_ms()

    def _serve(self, bus: ClockBus, sink: Sink) -> None:
        """Shows and listens until the clock is lost (raises) or closed."""
        while not self._world.stopped:
            self._show(bus, sink)
            self._listen(bus, int(READ_S * 1000), sink)
            now = self._world.now_ms()
            if self._held is not None and now - self._held >= HELD_US // 1000:
                sink(KeyReport(self._held, True))
                self._held = None
            if now - self._heard > QUIET_MS:
                self._ask(bus, dgt.STATE, dgt.MODE_25, sink)

    def _leave(self, bus: ClockBus, sink: Sink) -> None:
        """Leaves a clock that stands."""
        if self.ready and self._shown is not None:
            try:
                white, black = self._shown.seconds(self._world.now_ms())
                self._reaches(bus, dgt.CLOCK, self._set(white, black, None))
            except OSError:
                self.ready = False

    # -- frames -------------------------------------------------------------------------------------------------------

    def _reaches(self, bus: ClockBus, address: int, frame: bytes) -> bool:
        """Writes a frame; False if nobody acknowledged it. Raises `ClockSilent` for stuck wires."""
        try:
            bus.write(address, frame)
        except OSError as error:
            if error.errno == 121:
                return False
            raise ClockSilent(
                _("The wires to the DGT 3000 are stuck ({why}): push its plug in fully, or pull it out.").format(
                    why=error.strerror or error
                )
            ) from error
        return True

    def _ask(self, bus: ClockBus, command: int, frame: bytes, sink: Sink, to: int = dgt.US) -> None:
        """Sends a frame until the clock has acknowledged it; raises `ClockSilent` after three tries."""
        for _try in range(TRIES):
            self._acks.clear()
            bus.listen(to)
            try:
                sent = self._reaches(bus, dgt.CLOCK, frame)
                if sent and self._listen(bus, ACK_MS, sink, lambda: self._answered(command)):
                    return
            finally:
                bus.listen(dgt.EVERYBODY)
            self._world.wait(AGAIN_MS / 1000)
        raise ClockSilent(_("The DGT 3000 does not answer: switch it on, and look at its plug."))

    def _answered(self, command: int) -> bool:
        return any(ack.command == command and ack.good for ack in self._acks)

    def _listen(self, bus: ClockBus, wait_ms: int, sink: Sink, enough: Callable[[], bool] | None = None) -> bool:
        """Takes what arrives for so long, or until it is enough; whether it was."""
        end = self._world.now_ms() + wait_ms
        while True:
            left = end - self._world.now_ms()
            torn = self._reader.torn
            data = bus.receive(max(1, min(left, AGAIN_MS) if torn else left) / 1000)
            messages = self._reader.feed(data) if data or not torn else self._reader.settle()
            for message in messages:
                self._take(message, sink)
            if enough is not None and enough():
                return True
            if self._world.now_ms() >= end or (messages and enough is None) or self._world.stopped:
                return False

    def _take(self, message: dgt.ClockMessage, sink: Sink) -> None:
        now = self._world.now_ms()
        if not isinstance(message, dgt.Dropped):
            self._heard = now
        match message:
            case dgt.Ack():
                self._acks.append(message)
            case dgt.Awake():
                self._awake = True
                if self.ready:  # it was switched off and on
                    raise ClockSilent(_("The DGT 3000 was switched on again."))
            case dgt.Keys():
                self._lever(message.down, now, sink, message.tipped)
                self._middle_key(message, now, sink)
            case dgt.Times():
                self._lever(message.down, now, sink)
                self._compare(message, now, sink)
            case _:
                pass

    def _lever(self, down: dgt.LeverSide, now: int, sink: Sink, tipped: bool = False) -> None:
        """The lever lies so: a change is a press, whichever message told it; how it lay at first is none."""
        side: Side = "white" if (down == "left") == self._white_left else "black"
        if side != self.down and (tipped or self.down is not None):
            sink(PressReport(now, side))
        self.down = side
        self._known.set()

    def _middle_key(self, keys: dgt.Keys, now: int, sink: Sink) -> None:
        """A tap calls the arbiter; held it is told while it is still down."""
        if keys.pressed(dgt.PLAY):
            self._held = now
        elif keys.released(dgt.PLAY) and self._held is not None:
            sink(KeyReport(self._held, now - self._held >= HELD_US // 1000))
            self._held = None

    def _compare(self, times: dgt.Times, now: int, sink: Sink) -> None:
        """The clock's own times: told, and put right if they are off."""
        white_s, black_s = (times.left_s, times.right_s) if self._white_left else (times.right_s, times.left_s)
        shown = self._shown
        if self._told != (white_s, black_s):
            self._told = white_s, black_s
            running = shown.running if shown else None
            flag = [shown is not None and not seconds for seconds in (white_s, black_s)]
            sink(ClockReport(now, white_s, black_s, running, running is not None, flag[0], flag[1], battery_low=False))
        if shown is None or now - shown.at < STALE_MS:
            return
        wanted = shown.seconds(now)
        if max(abs(white_s - wanted[0]), abs(black_s - wanted[1])) > OFF_S:
            self.corrections += 1
            self._shown = None

    # -- the display --------------------------------------------------------------------------------------------------

    def _show(self, bus: ClockBus, sink: Sink) -> None:
        """Sends what the clock does not show yet."""
        face, shown = self._face, self._shown
        if face is None and not self._words:
            return
        now = self._world.now_ms()
        again, self._again = self._again, False
        if face is not None and (shown is None or again or self._differs(face, shown, now)):
            running = face.counting if self._counts else None
            white_s, black_s = whole_seconds(face.white_ms), whole_seconds(face.black_ms)
            self._ask(bus, dgt.SET_AND_RUN, self._set(white_s, black_s, running), sink)
            text = shown.text if shown else ""
            self._shown = shown = Shown(now, white_s, black_s, running, text, face.flag)
        wanted = self._words or (self._flag_text(face) if face is not None and face.flag else "")
        if wanted != (shown.text if shown else ""):
            self._show_text(bus, wanted, face.flag if face else None, sink)
            shown = shown or Shown(now, 0, 0, None)
            self._shown = Shown(shown.at, shown.white_s, shown.black_s, shown.running, wanted, shown.flag)

    def _differs(self, face: ClockFace, shown: Shown, now: int) -> bool:
        """Whether the clock shows something else; a side that counts may be 1 s off."""
        return face.flag != shown.flag or shown.differs(face, face.counting if self._counts else None, now)

    def _set(self, white_s: int, black_s: int, running: Side | None) -> bytes:
        white, black = (dgt.DOWN if running == side else dgt.STOP for side in SIDES)
        if self._white_left:
            return dgt.set_and_run(white_s, black_s, white, black)
        return dgt.set_and_run(black_s, white_s, black, white)

    def _flag_text(self, face: ClockFace) -> str:
        """ "FLAG" at the side whose time is over, the other side's time beside it."""
        left: Side = "white" if self._white_left else "black"
        right: Side = "black" if self._white_left else "white"
        if face.flag == left:
            return "FLAG" + short_time(whole_seconds(face.ms(right))).rjust(7)
        return short_time(whole_seconds(face.ms(left))).ljust(7) + "FLAG"

    def _show_text(self, bus: ClockBus, words: str, flag: Side | None, sink: Sink) -> None:
        """Ends what stands there, which the clock wants before a new text, and shows the new one."""
        self._reaches(bus, dgt.CLOCK, dgt.END)
        self._world.wait(AGAIN_MS / 1000)
        if words:
            left_flag = flag is not None and (flag == "white") == self._white_left
            icons = (dgt.FLAG, 0) if left_flag else (0, dgt.FLAG) if flag is not None else (0, 0)
            self._ask(bus, dgt.DISPLAY, dgt.text(words, self._beep, *icons), sink, dgt.EVERYBODY)
            self._beep = 0


__all__ = ["ClockSilent", "Dgt3000", "Shown", "short_time"]
