"""An active buzzer on a GPIO pin: what it sounds for, and for how long; silent in a hall that wants it so.

A passive one would need a tone made pin by pin; an active one needs only to be on. The sound is ended by a thread of
its own, so nobody waits for it.
"""

from __future__ import annotations

import threading
from typing import Any

from gpiozero import DigitalOutputDevice

from drivers.interfaces import Sign
from drivers.pins.stamps import machine_pins

BUZZER_PIN = 12
#: Why it sounds → on and off times in ms, beginning with on.
TUNES: dict[str, tuple[int, ...]] = {
    "flag": (600,),
    "called": (80, 80, 80),
    "trouble": (40,),
}


def tune(before: Sign, now: Sign) -> tuple[int, ...]:
    """What becoming `now` sounds like; the weightiest change counts, what was there already is silent."""
    if now.flag is not None and before.flag is None:
        return TUNES["flag"]
    if now.called and not before.called:
        return TUNES["called"]
    if now.trouble and not before.trouble:
        return TUNES["trouble"]
    return ()


class Buzzer:
    """A buzzer. With `sounds` off it holds its pin low and stays silent. Raises `DriverError` if the pin is taken."""

    kind = "buzzer"

    def __init__(self, pin: int = BUZZER_PIN, sounds: bool = True, pin_factory: Any = None) -> None:
        self._output: Any = DigitalOutputDevice(pin, pin_factory=pin_factory or machine_pins())
        self._sounds = sounds
        self._shown = Sign()
        self._closing = threading.Event()
        self._player: threading.Thread | None = None

    def show(self, sign: Sign) -> None:
        """Sounds if something new is the matter."""
        notes, self._shown = tune(self._shown, sign), sign
        if notes:
            self.play(notes)

    def play(self, notes: tuple[int, ...]) -> None:
        """Sounds on and off times in ms, beginning with on; dropped while another tune plays."""
        if not self._sounds or self._output is None or (self._player is not None and self._player.is_alive()):
            return
        self._player = threading.Thread(target=self._play, args=(notes,), name="buzzer", daemon=True)
        self._player.start()

    def close(self) -> None:
        """Silent, and lets go of the pin; may be called twice."""
        self._closing.set()
        if self._player is not None:
            self._player.join(timeout=5)
        if self._output is not None:
            self._output.off()
            self._output.close()
            self._output = None

    def _play(self, notes: tuple[int, ...]) -> None:
        for index, ms in enumerate(notes):
            self._output.value = index % 2 == 0
            if self._closing.wait(ms / 1000):
                break
        self._output.off()
