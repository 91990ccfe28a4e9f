"""Three kinds of seven-segment displays, read back from the chips that the drivers wrote to."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from drivers.displays import max7219
from drivers.displays.ht16k33 import Ht16k33
from drivers.displays.max7219 import Max7219
from drivers.displays.segments import ClockFace, decode, encode, places
from drivers.displays.simulator import SimulatedHt16k33, SimulatedMax7219, SimulatedTm1637
from drivers.displays.tm1637 import PinWires, Tm1637, send


@pytest.mark.parametrize(
    ("ms", "tenths", "text", "point"),
    [
        (300_000, 0, " 500", None), (299_001, 0, " 500", None), (299_000, 0, " 459", None), (1, 0, " 001", None),
        (0, 0, " 000", None), (0, 20_000, " 000", None), (19_950, 20_000, " 200", 2), (5_210, 20_000, "  53", 2),
        (20_000, 20_000, " 020", None), (3_599_000, 0, "5959", None), (3_600_000, 0, " 100", None),
        (36_000_000, 0, "1000", None), (10**9, 0, "9959", None),
    ],
)  # fmt: skip
def test_times_round_up_and_fit(ms: int, tenths: int, text: str, point: int | None) -> None:
    shown = places(ClockFace(ms, 0, tenths_below_ms=tenths), "white")
    assert (shown.text, shown.point) == (text, point)


@given(st.integers(0, 10**9), st.integers(0, 60_000), st.booleans())
def test_every_time_has_four_places_and_only_a_finished_one_shows_zero(ms: int, tenths: int, blink: bool) -> None:
    shown = places(ClockFace(ms, 0, "white", None, blink, tenths), "white")
    assert len(shown.text) == len(shown.segments()) == 4
    assert (int(shown.text.replace(" ", "0")) == 0) == (ms == 0)


def test_letters_are_drawn_and_read() -> None:
    assert decode(encode("1234")) == "1234"
    assert decode(encode("HALL")) == "HALL"
    assert decode(b"\xff\x01") == "8?"


def test_the_side_that_runs_blinks_and_a_flag_shows() -> None:
    dark = ClockFace(60_000, 0, "white", "black", blink=False)
    assert not places(dark, "white").colon
    assert places(dark, "black").text == "----"
    lit = ClockFace(60_000, 0, "white", "black", blink=True)
    assert places(lit, "white").colon
    assert places(lit, "black").text == " 000"


FACE = ClockFace(299_000, 3_661_000, "white")


def test_eight_digits_on_one_chip() -> None:
    chip = SimulatedMax7219()
    display = Max7219(chip)
    display.show(FACE)
    assert chip.text() == " 4:59  1:01"
    before = chip.transfers
    display.show(FACE)
    assert chip.transfers == before  # nothing new, nothing sent
    display.close()
    display.close()
    assert chip.text() == ""


def test_a_dip_of_the_supply_is_mended_within_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]
    monkeypatch.setattr(max7219, "boot_us", lambda: now[0])
    chip = SimulatedMax7219()
    display = Max7219(chip)
    display.show(FACE)
    chip.dip()
    now[0] = 500_000
    display.show(FACE)
    assert chip.text() == "test"
    now[0] = 1_000_000
    display.show(FACE)
    assert chip.text() == " 4:59  1:01"


def test_a_bus_that_fails_does_not_stop_the_clock() -> None:
    class Failing(SimulatedMax7219):
        broken = True

        def transfer(self, data: bytes) -> bytes:
            if self.broken:
                raise OSError(5, "Input/output error")
            return super().transfer(data)

    chip = Failing()
    display = Max7219(chip)
    display.show(FACE)
    assert display.lost
    chip.broken = False
    display.show(FACE)
    assert not display.lost
    assert chip.text() == " 4:59  1:01"
    chip.broken = True
    display.close()


def test_a_backpack_that_is_unplugged_does_not_stop_the_other() -> None:
    bus = SimulatedHt16k33()
    bus.unplugged = {0x70}
    display = Ht16k33(bus)
    display.show(FACE)
    assert (bus.text(0x70), bus.text(0x71)) == ("", " 1:01")
    assert display.lost == {"white"}
    bus.unplugged.clear()
    display._set_up_at = None  # a second later
    display.show(FACE)
    assert bus.text(0x70) == " 4:59"
    assert display.lost == set()
    display.close()
    assert bus.text(0x71) == ""


def test_two_wires_bit_by_bit() -> None:
    white, black = SimulatedTm1637(), SimulatedTm1637()
    display = Tm1637(white, black)
    display.show(FACE)
    assert (white.text(), black.text()) == (" 4:59", " 1:01")
    assert white.brightness == 4
    frames = white.frames
    display.show(FACE)
    assert white.frames == frames
    display.show(ClockFace(5_210, 3_661_000, "white", tenths_below_ms=20_000))
    assert white.text() == "  5.3"
    display.close()
    assert white.text() == ""


@given(st.binary(min_size=1, max_size=5))
def test_the_wires_rest_high_after_each_transfer(frame: bytes) -> None:
    levels = {"clock": True, "data": True}

    class Watched:
        def clock(self, high: bool) -> None:
            levels["clock"] = high

        def data(self, high: bool) -> None:
            levels["data"] = high

        def close(self) -> None: ...

    send(Watched(), frame)
    assert levels == {"clock": True, "data": True}


def test_real_pins_are_driven_through_gpiozero() -> None:
    factory = MockFactory()
    wires = PinWires(23, 24, pin_factory=factory)
    send(wires, b"\x40")
    states = [bool(state.state) for state in factory.pin(23).states]
    assert states[-1]
    assert sum(1 for a, b in pairwise(states) if b and not a) == 11  # rest, 8 bits, acknowledge, stop
    wires.close()
    wires.close()


@pytest.mark.parametrize("make", [lambda: SimulatedMax7219(), lambda: SimulatedHt16k33(), lambda: SimulatedTm1637()])
def test_chips_keep_what_they_show_when_they_are_closed_twice(make: Callable[[], object]) -> None:
    chip = make()
    before = copy.deepcopy(vars(chip))
    for _again in range(2):
        chip.close()  # type: ignore[attr-defined]
        assert vars(chip) == before
