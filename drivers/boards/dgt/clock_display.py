"""The clock behind a DGT board as a display: it shows our times, which count; what it counts itself does not.

It is set at every press, pause and correction (set and run), and counts in between so that people see the seconds pass.
A clock whose own count cannot follow (chess time faster than real time) stands and is set once a second. Words go to
clocks that can write: a fallen flag beside the other side's time, a result, a pause for a moment; one that knows no
letters shows times only. Its lever presses nothing: the board tells it up to 1 s late, and not every tip of it.

One command at a time, and none while the board has to say what stands on it (`DgtBoard`). A clock that is not there, or
does not answer, or is not in the mode in which it can be set, is told once and tried again every five seconds; what it
shows is set anew when it is back. Assumed: set and run leaves a text where it is, as on I²C.
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.boards.dgt import clock
from drivers.boards.dgt.clock_queue import ClockQueue, Trouble
from drivers.boards.dgt.protocol import SEND_CLOCK
from drivers.clocks.own_count import Shown, short_time, whole_seconds
from drivers.interfaces import ClockFace, FaultReport, Sink
from rules.laws.events import Side

#: How often a clock that is lost is looked for, and how long it must be before that is told.
LOOK_MS = 5_000
TELL_MS = 1_000
#: A trouble that comes back is not told again so soon: cables with a loose contact would fill the log.
TOLD_MS = 60_000
#: A clock may say that it is ready, or in its mode, because it was set: not so soon afterwards.
OWN_ECHO_MS = 3_000
#: So long a word that does not stay hides the times, and so often a clock is set that does not count.
WORD_MS = 4_000
STANDING_MS = 1_000
#: Letters of a DGT 3000 over a serial line.
LETTERS = 8
_GONE_BY = "?"  # a text of before the line was lost: perhaps it still stands there


class ClockOnBoard:
    """A `Display`. `show`, `set_again` and `close` may be called from any thread, the rest from the board's.

    `white_left` says that White sits at the clock's left, as seen from its front; `wake` makes the board's thread look
    at once. `obeys` says that the clock shows what it was told, `corrections` how often it had to be told again.
    """

    kind = "dgt-board"

    def __init__(
        self, now: Callable[[], int], wake: Callable[[], None], speed: float = 1.0, white_left: bool = True
    ) -> None:
        self._now, self._wake = now, wake
        self._counts, self._white_left = speed == 1.0, white_left
        self._face: tuple[int, ClockFace] | None = None
        self._shown: Shown | None = None
        self._asked: Shown | str | None = None  # what the command under way will show
        self._text = ""
        self._writes = True
        self._word = ("", 0)
        self._again = self._closed = False
        self._trouble: tuple[Trouble, int] = ("", 0)
        self._told: dict[Trouble, int] = {}
        self._telling: Trouble = ""  # what was told and is not over
        self._resting, self._look_at = False, 0  # until then a clock in trouble is left alone
        self.corrections = 0

    # -- what a caller may ask ----------------------------------------------------------------------------------------

    def show(self, face: ClockFace) -> None:
        """Shows a face; only what the clock's own count does not show already goes over the line."""
        before, self._face = self._face, (self._now(), face)
        if before is None or before[1].counting != face.counting:
            self._wake()

    def set_again(self) -> None:
        """It shows something else than it was told: sets it again."""
        self._again = True

    def close(self) -> None:
        """No more commands but one, with which the board leaves a clock that stands (`leave`); may be called twice."""
        self._closed = True

    @property
    def obeys(self) -> bool:
        """Whether it shows what it was told last."""
        return self._shown is not None

    @property
    def trouble(self) -> Trouble:
        """Why it does not, as far as that is known."""
        return self._trouble[0]

    # -- the board's thread -------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """The line was opened anew: nobody knows what the clock shows."""
        self._resting = False
        self._forget()

    def _forget(self) -> None:
        self._asked = self._shown = None
        self._text = _GONE_BY if self._text else ""
        self._writes = True

    def heard(self, message: clock.ClockMessage, queue: ClockQueue, now: int) -> None:
        """A message of the clock, after the queue has heard it."""
        match message:
            case clock.ClockAbsent():
                self._forget()
            case clock.ClockAck(ack) if ack[1] in (clock.READY, clock.MODE):
                # It was switched on, or somebody has chosen another mode; an echo of our own setting is neither.
                if self._shown is None or now - self._shown.at > OWN_ECHO_MS:
                    self._shown, self._look_at = None, now
                    queue.try_again()
            case clock.ClockTime() | clock.ClockEmpty() if self._trouble[0] == "absent":
                # It was plugged in; without one the board would have said so, and a clock may stand at 0:00.
                self._look_at = now
                queue.try_again()
            case _:
                pass

    def next(self, queue: ClockQueue, now: int) -> bytes | None:
        """What is to go out now: a command for the clock, or a question to the board whether it has one again."""
        if not queue.idle:
            return queue.next(now)
        self._settle(queue, now)
        if queue.trouble and not self._resting:
            self._resting, self._look_at = True, now + LOOK_MS
        if queue.trouble and queue.trouble != self._trouble[0]:
            self._trouble = (queue.trouble, now)
        if self._closed or (self._resting and now < self._look_at):
            return None
        if queue.trouble == "absent":
            self._look_at = now + LOOK_MS
            return SEND_CLOCK
        self._resting = False
        queue.try_again()
        self._decide(queue, now)
        return queue.next(now)

    def tell(self, now: int, sink: Sink) -> None:
        """Tells a trouble that lasts, once, and when it is over."""
        trouble, since = self._trouble
        if trouble == "":
            if self._telling != "":
                sink(FaultReport(now, "display", self._telling, over=True))
            self._telling = ""
            return
        lasts, again = now - since >= TELL_MS, now - self._told.get(trouble, now - TOLD_MS) >= TOLD_MS
        if trouble != self._telling and lasts and again:
            self._told[trouble], self._telling = now, trouble
            sink(FaultReport(now, "display", trouble))

    def leave(self, now: int) -> bytes | None:
        """The last command to a clock that counts: it stands."""
        if self._shown is None or self._shown.running is None:
            return None
        white_s, black_s = self._shown.seconds(now)
        return self._set(white_s, black_s, None)

    # -- what it shows ------------------------------------------------------------------------------------------------

    def _settle(self, queue: ClockQueue, now: int) -> None:
        """What became of the last command."""
        asked, self._asked = self._asked, None
        match asked:
            case Shown() if queue.lost:
                self._shown = None
            case Shown():
                self._shown, self._trouble = asked, ("", 0)
            case str() if queue.trouble in ("", "refuses"):
                self._text = asked
                if queue.lost:  # it cannot write, and shows its times
                    self._text, self._writes = "", False
                    queue.try_again()
            case _:
                pass

    def _decide(self, queue: ClockQueue, now: int) -> None:
        """Asks for what the clock does not show yet."""
        if self._face is None:
            return
        if queue.version is None:
            queue.ask(clock.ask_version())
            return
        face = self._face_at(now)
        if self._again:
            self._again, self._shown = False, None
            self.corrections += 1
        running = face.counting if self._counts else None
        shown = self._shown
        if shown is None or (shown.differs(face, running, now) and self._may_set(shown, running, now)):
            queue.ask(self._times(now), self._times)
            return
        wanted = self._wanted(face, queue.version, now)
        if wanted != self._text:
            queue.ask(self._write(wanted, queue.version))
            self._asked = wanted

    def _may_set(self, shown: Shown, running: Side | None, now: int) -> bool:
        return self._counts or running != shown.running or now - shown.at >= STANDING_MS

    def _face_at(self, now: int) -> ClockFace:
        """What is to be seen at this moment: the face is up to a beat old."""
        assert self._face is not None
        at, face = self._face
        side = face.counting if self._counts else None
        if side is None:
            return face
        left = max(0, face.ms(side) - max(0, now - at))
        white_ms, black_ms = (left, face.black_ms) if side == "white" else (face.white_ms, left)
        return ClockFace(white_ms, black_ms, face.running, word=face.word, stays=face.stays)

    def _times(self, now: int) -> bytes:
        """Set and run, for what is to be seen at `now`."""
        face = self._face_at(now)
        running = face.counting if self._counts else None
        white_s, black_s = whole_seconds(face.white_ms), whole_seconds(face.black_ms)
        self._asked = Shown(now, white_s, black_s, running)
        return self._set(white_s, black_s, running)

    def _set(self, white_s: int, black_s: int, running: Side | None) -> bytes:
        left_s, right_s = (white_s, black_s) if self._white_left else (black_s, white_s)
        return clock.set_and_run(left_s, right_s, running, self._white_left)

    def _wanted(self, face: ClockFace, version: clock.ClockVersion, now: int) -> str:
        """The text that is to stand instead of the times, "" for the times."""
        if not self._writes:
            return ""
        if face.word != self._word[0]:
            self._word = (face.word, now)
        letters = version.major >= clock.WRITES_FROM
        if face.stays and clock.writable(face.word, letters):
            return face.word
        if face.flag is not None:
            return self._flag_text(face, face.flag, letters)
        brief = face.word and not face.stays and now - self._word[1] < WORD_MS
        return face.word if brief and clock.writable(face.word, letters) else ""

    def _flag_text(self, face: ClockFace, flag: Side, letters: bool) -> str:
        """ "FLAG" at the side whose time is over, the other side's time beside it where there is room."""
        other = whole_seconds(face.black_ms if flag == "white" else face.white_ms)
        beside = "" if not letters else f"{other // 60}m" if 600 <= other < 3600 else short_time(other)
        width = (LETTERS if letters else clock.PLACES) - len("FLAG")
        return "FLAG" + beside.rjust(width) if (flag == "white") == self._white_left else beside.ljust(width) + "FLAG"

    @staticmethod
    def _write(words: str, version: clock.ClockVersion) -> bytes:
        if not words:
            return clock.end_display()
        return clock.text(words) if version.major >= clock.WRITES_FROM else clock.display(words)
