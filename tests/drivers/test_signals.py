"""Lamps, buzzer and displays as a table uses them: through their interfaces, on mock pins and simulated chips."""

from __future__ import annotations

import ctypes
import os
import time

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from drivers.displays.plug_in import display, simulated_display
from drivers.displays.simulator import SimulatedMax7219
from drivers.errors import BadDeviceName, DeviceMissing
from drivers.interfaces import ClockFace, Display, Sign, Signal
from drivers.pins import spi
from drivers.pins.factory import LinePinFactory
from drivers.pins.simulator import SimulatedGpio
from drivers.signals.buzzer import BUZZER_PIN, TUNES, Buzzer, tune
from drivers.signals.lamps import BLACK_LAMP, FLAG_LAMP, WHITE_LAMP, ColourLamp, Lamps, colour, lit
from rules.laws.sides import SIDES

SIGNS = st.builds(
    Sign,
    running=st.sampled_from([None, *SIDES]),
    flag=st.sampled_from([None, *SIDES]),
    called=st.booleans(),
    trouble=st.booleans(),
    blink=st.booleans(),
)


@given(SIGNS)
def test_only_the_side_that_runs_shines_and_a_flag_is_never_missed(sign: Sign) -> None:
    lamps = lit(sign)
    assert [side for side in SIDES if lamps[side]] == ([sign.running] if sign.running else [])
    if sign.flag:
        assert lamps["flag"]
        assert colour(sign) == (1, 0, 0)


def test_three_lamps_on_the_header() -> None:
    gpio = SimulatedGpio()
    factory = LinePinFactory("simulated", gpio.open)
    lamps: Signal = Lamps(pin_factory=factory)

    def shining() -> list[int]:
        return [pin for pin in (WHITE_LAMP, BLACK_LAMP, FLAG_LAMP) if gpio.line(pin).high]

    lamps.show(Sign("white"))
    assert shining() == [WHITE_LAMP]
    lamps.show(Sign("black"))
    assert shining() == [BLACK_LAMP]
    lamps.show(Sign(None, flag="black"))
    assert shining() == [FLAG_LAMP]
    lamps.show(Sign(called=True, blink=True))
    assert shining() == [FLAG_LAMP]
    lamps.show(Sign(called=True, blink=False))
    assert shining() == []
    lamps.close()
    lamps.close()
    lamps.show(Sign("white"))
    factory.close()


def test_one_lamp_of_three_colours() -> None:
    factory = MockFactory()
    lamp: Signal = ColourLamp(5, 6, 13, factory)
    lamp.show(Sign("white"))
    assert [factory.pin(pin).state for pin in (5, 6, 13)] == [False, True, False]
    lamp.show(Sign(called=True))
    assert [factory.pin(pin).state for pin in (5, 6, 13)] == [False, False, True]
    lamp.close()
    lamp.close()
    factory.close()


@given(SIGNS, SIGNS)
def test_a_sound_only_for_what_is_new_and_the_flag_above_all(before: Sign, now: Sign) -> None:
    assert tune(now, now) == ()
    if now.flag and not before.flag:
        assert tune(before, now) == TUNES["flag"]


def test_the_buzzer_sounds_and_ends_by_itself() -> None:
    factory = MockFactory()
    buzzer = Buzzer(pin_factory=factory)
    buzzer.show(Sign(called=True))
    end = time.monotonic() + 10
    while len(factory.pin(BUZZER_PIN).states) < 5 and time.monotonic() < end:
        time.sleep(0.01)
    buzzer.close()
    buzzer.close()
    assert [bool(state.state) for state in factory.pin(BUZZER_PIN).states] == [False, True, False, True, False]
    factory.close()


def test_a_silent_hall_hears_nothing() -> None:
    factory = MockFactory()
    buzzer: Signal = Buzzer(sounds=False, pin_factory=factory)
    buzzer.show(Sign(flag="white"))
    buzzer.close()
    assert not any(state.state for state in factory.pin(BUZZER_PIN).states)
    factory.close()


@pytest.mark.parametrize("kind", ["max7219", "ht16k33", "tm1637"])
def test_every_display_shows_both_times_through_one_interface(kind: str) -> None:
    shown = simulated_display(kind)
    face: Display = shown
    face.show(ClockFace(299_000, 3_661_000, "white"))
    assert shown.read() == (" 4:59", " 1:01")
    face.close()
    face.close()
    assert shown.read() == ("", "")


def test_the_kernels_spi_sends_what_a_chip_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = SimulatedMax7219()

    def ioctl(_fd: int, request: int, frame: spi._Transfer) -> None:
        assert request == 0x40206B00
        assert ctypes.sizeof(frame) == 32
        answer = chip.transfer(ctypes.string_at(frame.tx_buf, frame.len))
        ctypes.memmove(frame.rx_buf, answer, frame.len)

    monkeypatch.setattr(spi, "open_port", lambda path: os.open("/dev/null", os.O_RDWR))
    monkeypatch.setattr("fcntl.ioctl", ioctl)
    factory = LinePinFactory("simulated", SimulatedGpio().open)
    shown = display("max7219", "7", factory)
    shown.show(ClockFace(299_000, 3_661_000, "white"))
    assert chip.text() == " 4:59  1:01"
    shown.close()
    shown.close()
    assert chip.text() == ""
    factory.close()


def test_an_spi_port_that_is_off_says_how_to_switch_it_on() -> None:
    with pytest.raises(DeviceMissing, match="dtparam=spi=on"):
        spi.open_port("/dev/spidev9.9")


def test_real_displays_take_their_pins() -> None:
    gpio = SimulatedGpio()
    factory = LinePinFactory("simulated", gpio.open)
    tm1637 = display("tm1637", "5,6,13,19", factory)
    assert all(gpio.line(pin).consumer == "hallkiosk" for pin in (5, 6, 13, 19))
    tm1637.show(ClockFace(1000, 1000))
    tm1637.close()
    with pytest.raises(BadDeviceName, match="nixie"):
        display("nixie", "")
    factory.close()
