"""What the table shows besides its screen: times on a display, whose time runs on lamps, a call on the buzzer.

A thread of its own draws the newest state, so that no slow wire ever keeps the clock waiting. It sleeps while nothing
changes: no clock runs and nothing blinks.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from gettext import gettext as _

from drivers.errors import DriverError
from drivers.interfaces import ClockFace, Display, Sign, Signal
from kiosk.table.timeline import Timeline
from rules.laws.game import GameState

log = logging.getLogger(__name__)

#: Real s between two looks while something changes by itself: blinking is twice a second.
BEAT_S = 0.25
#: A call shows on the lamps for so long (chess ms), and longer only if it stops the game.
CALL_MS = 120_000
#: Below this the display shows tenths (chess ms).
TENTHS_MS = 20_000


def face_of(state: GameState, t: int, blink: bool) -> ClockFace:
    """Both times at `t`, for a display; and the result, or that the clocks were stopped, for one that can write."""
    if state.clock is None:
        return ClockFace(0, 0, None, None, blink, TENTHS_MS)
    reading, flag = state.clock.reading(t), state.clock.first_flag
    over = state.score if state.score and (flag is None or state.phase == "confirmed") else ""
    word = over or (_("PAUSE") if state.phase in ("paused", "disputed") else "")
    return ClockFace(
        reading.white_ms, reading.black_ms, state.running, flag, blink, TENTHS_MS,
        delay=state.running is not None and bool(reading.delay_left_ms), word=word, stays=bool(over),
    )  # fmt: skip


def sign_of(state: GameState, t: int, problem: str, blink: bool) -> Sign:
    """Whose time runs, whose flag has fallen, whether the arbiter is wanted."""
    flag = state.clock.first_flag if state.clock is not None else None
    called = bool(state.calls) and (state.phase != "playing" or t - state.calls[-1].t < CALL_MS)
    return Sign(state.running, flag, called and state.phase != "confirmed", bool(problem) or state.board_lost, blink)


class Outlook:
    """The displays and signals of one table; `show` hands over what is new, from any thread."""

    def __init__(self, displays: Sequence[Display], signals: Sequence[Signal], timeline: Timeline) -> None:
        self._displays, self._signals, self._timeline = tuple(displays), tuple(signals), timeline
        self._state, self._problem = GameState(), ""
        self._news = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to show; a table without displays and signals has no thread for it."""
        if self._displays or self._signals:
            self._thread = threading.Thread(target=self._run, name="outlook", daemon=True)
            self._thread.start()

    def show(self, state: GameState, problem: str) -> None:
        """Something is new."""
        self._state, self._problem = state, problem
        self._news.set()

    def close(self) -> None:
        """Dark, and lets go of everything; may be called twice."""
        self._closing = True
        self._news.set()
        if self._thread is not None:
            self._thread.join(timeout=5)
            self._thread = None
        for display in self._displays:
            display.close()
        for signal in self._signals:
            signal.close()

    def _run(self) -> None:
        beats, lively = 0, False
        while True:
            self._news.wait(BEAT_S if lively else None)
            self._news.clear()
            if self._closing:
                return
            beats += 1
            lively = self._draw(beats // 2 % 2 == 0)

    def _draw(self, blink: bool) -> bool:
        """Shows the state of this moment; whether it changes by itself."""
        state, t = self._state, self._timeline()
        face, sign = face_of(state, t, blink), sign_of(state, t, self._problem, blink)
        for display in self._displays:
            _tried(partial(display.show, face))
        for signal in self._signals:
            _tried(partial(signal.show, sign))
        return bool(sign.running or sign.flag or sign.called or sign.trouble)


def _tried(show: Callable[[], None]) -> None:
    try:
        show()
    except (DriverError, OSError) as error:
        log.warning("a display or a lamp does not answer: %s", error)
