"""gpiozero's pins on libgpiod, on a simulated chip: which chip, pulls, outputs, stamps, order, lost edges."""

from __future__ import annotations

import queue
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import gpiod
import pytest
from gpiod.line import Bias, Clock
from gpiozero import LED, RGBLED, Button, Device, DigitalInputDevice
from gpiozero.exc import GPIOPinInUse, PinFixedPull, PinInvalidBounce, PinPWMUnsupported
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import DeviceBusy, DeviceMissing
from drivers.pins.boot_time import BootTime, Offset
from drivers.pins.factory import LinePinFactory, revision
from drivers.pins.lines import EVENT_BUFFER, SeenChip, header_path, look
from drivers.pins.simulator import SimulatedGpio
from drivers.pins.stamps import CallbackStamps, Contact, stamps_of

PIN = 17


@pytest.fixture
def gpio() -> SimulatedGpio:
    return SimulatedGpio()


@pytest.fixture
def pins(gpio: SimulatedGpio) -> Iterator[LinePinFactory]:
    factory = LinePinFactory("simulated", gpio.open)
    yield factory
    factory.close()
    factory.close()


def boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


# -- which chip -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"])
def test_the_header_is_found_by_its_label_whatever_its_number(label: str) -> None:
    seen = [SeenChip("/dev/gpiochip0", "gpio-brcmstb@107d508500", 32), SeenChip("/dev/gpiochip4", label, 54)]
    assert header_path(seen) == "/dev/gpiochip4"


def test_without_a_header_the_sentence_says_what_there_is() -> None:
    with pytest.raises(DeviceMissing, match="no GPIO pins"):
        header_path([])
    with pytest.raises(DeviceMissing, match="gpio-sim"):
        header_path([SeenChip("/dev/gpiochip0", "gpio-sim", 8)])
    with pytest.raises(DeviceBusy, match="group gpio"):
        header_path([SeenChip("/dev/gpiochip0", "", why="Permission denied")])


def test_chips_are_looked_at_and_one_that_is_shut_is_told() -> None:
    def open_it(path: str) -> object:
        if path == "/dev/gpiochip1":
            raise PermissionError(13, "Permission denied")
        return SimulatedGpio().open(path)

    assert look(["/dev/gpiochip0", "/dev/gpiochip1"], open_it) == [  # type: ignore[arg-type]
        SeenChip("/dev/gpiochip0", "pinctrl-rp1", 54),
        SeenChip("/dev/gpiochip1", "", why="Permission denied"),
    ]


def test_the_pi_is_known_without_cpuinfo(tmp_path: Path) -> None:
    tree, none = tmp_path / "revision", tmp_path / "none"
    tree.write_bytes(struct.pack(">L", 0xB03115))
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nRevision\t: a22082\n")
    assert revision("pinctrl-bcm2711", (none, tree), none) == 0xB03115
    assert revision("pinctrl-bcm2835", (none,), cpuinfo) == 0xA22082
    assert revision("pinctrl-rp1", (none,), none) == 0xC04170  # hidden altogether: the chip tells a Pi 5


def test_gpiozero_finds_the_factory_by_its_name() -> None:
    from importlib.metadata import entry_points

    (entry,) = [e for e in entry_points(group="gpiozero_pin_factories") if e.name == "hallkiosk"]
    assert entry.load() is LinePinFactory


# -- pins -------------------------------------------------------------------------------------------------------------


def test_an_input_with_pull_up_rests_high_and_is_active_when_driven_low(
    gpio: SimulatedGpio, pins: LinePinFactory
) -> None:
    button = DigitalInputDevice(PIN, pull_up=True, pin_factory=pins)
    assert gpio.line(PIN).settings.bias is Bias.PULL_UP
    assert gpio.line(PIN).settings.event_clock is Clock.MONOTONIC
    assert not button.value
    gpio.drive(PIN, False)
    assert button.value
    button.close()
    other = DigitalInputDevice(27, pull_up=False, pin_factory=pins)
    assert gpio.line(27).settings.bias is Bias.PULL_DOWN
    assert not other.value
    other.close()


def test_an_output_begins_as_it_is_told_and_switches(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    lamp = LED(16, initial_value=True, pin_factory=pins)
    assert gpio.line(16).high
    lamp.off()
    assert not gpio.line(16).high
    lamp.toggle()
    assert lamp.value == 1
    lamp.close()
    assert pins.pin(16).function == "input"


def test_what_is_not_offered_is_refused_with_a_way_out(pins: LinePinFactory) -> None:
    with pytest.raises(PinPWMUnsupported, match="pwm=False"):
        RGBLED(5, 6, 13, pin_factory=pins)
    with pytest.raises(PinInvalidBounce, match="bounce_time"):
        Button(PIN, bounce_time=0.05, pin_factory=pins)
    with pytest.raises(PinFixedPull, match="resistor"):
        DigitalInputDevice(2, pull_up=False, pin_factory=pins)


def test_a_taken_pin_names_its_holder(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    gpio.line(20).consumer = "another-program"
    with pytest.raises(DeviceBusy, match=r"GPIO20.*another-program"):
        DigitalInputDevice(20, pull_up=True, pin_factory=pins)
    with pytest.raises(GPIOPinInUse), LED(21, pin_factory=pins):
        LED(21, pin_factory=pins)


def test_closing_the_factory_gives_every_line_back(gpio: SimulatedGpio) -> None:
    factory = LinePinFactory("simulated", gpio.open)
    button = Button(PIN, pin_factory=factory)
    assert gpio.line(PIN).consumer == "hallkiosk"
    factory.close()
    button.close()
    assert gpio.line(PIN).consumer == ""


# -- stamps -----------------------------------------------------------------------------------------------------------


@given(st.integers(-(10**15), 10**15), st.lists(st.integers(0, 3_000), min_size=3, max_size=30))
def test_a_stamp_is_converted_within_the_measured_bracket(sleep_ns: int, steps: list[int]) -> None:
    now = [10**15 * 2]
    ticks = iter(steps * 20)

    def monotonic() -> int:
        now[0] += next(ticks)
        return now[0]

    def boot() -> int:
        now[0] += next(ticks)
        return now[0] + sleep_ns

    line = BootTime(monotonic, boot)
    assert abs(line.offset.ns - sleep_ns) <= line.offset.error_ns
    first = line.offset
    for _again in range(3):
        line.refresh()
    assert line.offset == first  # no jitter: nothing contradicts it


def test_a_suspension_changes_the_offset() -> None:
    slept = [0]
    now = [0]

    def monotonic() -> int:
        now[0] += 10
        return now[0]

    line = BootTime(monotonic, lambda: now[0] + slept[0])
    slept[0] = 5_000_000_000
    line.refresh()
    assert abs(line.offset.ns - 5_000_000_000) <= line.offset.error_ns + 10
    assert Offset(0, 5).contradicts(Offset(11, 5))
    assert not Offset(0, 5).contradicts(Offset(10, 5))


def test_here_both_clocks_agree_to_the_microsecond() -> None:
    line = BootTime()
    assert line.offset.error_ns < 1_000_000
    before = boot_ns() // 1000
    stamp = line.us(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    assert before - 1000 <= stamp <= boot_ns() // 1000 + 1000


def test_an_edge_comes_with_the_stamp_of_the_kernel(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    edges: queue.Queue[tuple[int, bool]] = queue.Queue()
    contact = Contact(PIN, lambda t, closed: edges.put((t, closed)), stamps_of(pins), pins)
    offset = pins.reader._time.offset.ns
    for closed in (True, False, True):
        stamp = gpio.drive(PIN, not closed)
        assert edges.get(timeout=10) == ((stamp + offset) // 1000, closed)
    contact.close()


def test_edges_of_two_lines_that_are_read_late_come_in_their_order(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    edges: queue.Queue[tuple[int, str]] = queue.Queue()
    white = Contact(17, lambda t, _closed: edges.put((t, "white")), stamps_of(pins), pins)
    black = Contact(27, lambda t, _closed: edges.put((t, "black")), stamps_of(pins), pins)
    base = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    with pins.reader.lock:  # the thread does not come to run
        stamps = [gpio.drive(27, False, base + 3_000), gpio.drive(17, False, base + 1_000)]
        stamps += [gpio.drive(27, True, base + 4_000), gpio.drive(17, True, base + 2_000)]
        assert pins.settled_us() <= base // 1000  # nothing may be judged that is not read
    got = [edges.get(timeout=10) for _edge in stamps]
    assert got == sorted(got)
    assert [line for _t, line in got] == ["white", "white", "black", "black"]
    white.close()
    black.close()


def test_the_past_is_complete_up_to_a_millisecond_ago(pins: LinePinFactory) -> None:
    before = boot_ns() // 1000
    assert before - 2_000 <= pins.settled_us() <= boot_ns() // 1000
    assert CallbackStamps().settled_us() >= before


def test_edges_that_the_kernel_dropped_are_counted_and_the_level_is_read_again(
    gpio: SimulatedGpio, pins: LinePinFactory
) -> None:
    edges: queue.Queue[tuple[int, bool]] = queue.Queue()
    contact = Contact(PIN, lambda t, closed: edges.put((t, closed)), stamps_of(pins), pins)
    with pins.reader.lock:
        for _push in range(EVENT_BUFFER):
            gpio.drive(PIN, False)
            gpio.drive(PIN, True)
    got = [edges.get(timeout=10) for _edge in range(EVENT_BUFFER)]
    assert got[-1][1] is False
    assert pins.lost_edges == EVENT_BUFFER
    with pins.reader.lock:  # the very last edge is lost: only the level tells
        gpio.drive(PIN, False)
        gpio.lose(PIN, True)
        gpio.lose(PIN, False)
        gpio.drive(PIN, True)
        gpio.lose(PIN, False)
    assert [edges.get(timeout=10)[1] for _edge in range(3)] == [True, False, True]
    assert pins.lost_edges == EVENT_BUFFER + 2
    contact.close()


def test_a_handler_that_fails_does_not_silence_the_other_lines(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    edges: queue.Queue[int] = queue.Queue()

    def fail(_t: int, _closed: bool) -> None:
        raise RuntimeError

    bad = Contact(27, fail, stamps_of(pins), pins)
    good = Contact(17, lambda t, _closed: edges.put(t), stamps_of(pins), pins)
    gpio.drive(27, False)
    gpio.drive(17, False)
    told = edges.get(timeout=10)
    assert told > 0, "the edge of the good line has its stamp"
    bad.close()
    good.close()


def test_gpiozeros_own_buttons_work_too(gpio: SimulatedGpio, pins: LinePinFactory) -> None:
    button = Button(PIN, pin_factory=pins)
    gpio.drive(PIN, False)
    assert button.wait_for_press(timeout=10)
    assert button.active_time is not None
    assert 0 <= button.active_time < 10
    gpio.drive(PIN, True)
    assert button.wait_for_release(timeout=10)
    button.close()


def test_the_environment_chooses_the_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    from drivers.pins import factory as module
    from drivers.pins.stamps import machine_pins

    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setattr(module, "chip_paths", list)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "hallkiosk")
    with pytest.raises(DeviceMissing, match="no GPIO pins"):
        machine_pins()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY")
    with pytest.raises(DeviceMissing, match="no GPIO pins"):
        machine_pins()
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    assert type(machine_pins()).__name__ == "MockFactory"


def test_libgpiod_is_there() -> None:
    assert gpiod.api_version.startswith("2.")
