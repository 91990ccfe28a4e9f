"""The machine's clocks."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
import uuid

import pytest

from hallnet import clock


def test_boot_time_is_one_line_in_two_units() -> None:
    before = clock.boot_us()
    ms = clock.boot_ms()
    time.sleep(0.02)
    after = clock.boot_us()
    assert before // 1_000 <= ms <= after // 1_000
    assert 20_000 <= after - before < 5_000_000
    assert before / 1e6 == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=5)


def test_wall_time_is_milliseconds_since_1970() -> None:
    assert clock.wall_ms() / 1_000 == pytest.approx(time.time(), abs=5)


def test_the_boot_has_a_name_that_stays() -> None:
    named = "import hallnet.clock; print(hallnet.clock.boot_id())"
    other = subprocess.run([sys.executable, "-c", named], capture_output=True, text=True, check=True).stdout
    assert other.strip() == clock.boot_id() == str(uuid.UUID(clock.boot_id())), "another process says the same"


class Kernel:
    """A C library whose clock is in a certain state."""

    def __init__(self, result: int, status: int) -> None:
        self.result, self.status = result, status

    def adjtimex(self, argument: object) -> int:
        state = argument._obj  # type: ignore[attr-defined]
        assert state.modes == 0, "this would set the clock"
        state.status = self.status
        return self.result


@pytest.mark.parametrize(
    ("result", "status", "synchronised"),
    [(0, 0, True), (0, 0x2001, True), (5, 0x40, False), (0, 0x40, False), (5, 0, False)],
)
def test_the_kernel_knows_whether_the_wall_clock_is_right(
    monkeypatch: pytest.MonkeyPatch, result: int, status: int, synchronised: bool
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *args, **kwargs: Kernel(result, status))
    assert clock.wall_synchronised() is synchronised


def test_without_the_kernels_word_the_file_of_timesyncd_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *args, **kwargs: Kernel(-1, 0))
    monkeypatch.setattr(clock, "_TIMESYNC", f"{tmp_path}/synchronized")
    assert clock.wall_synchronised() is False
    with open(f"{tmp_path}/synchronized", "w"):
        pass
    assert clock.wall_synchronised() is True


def test_the_real_call_answers() -> None:
    assert clock.wall_synchronised() in (True, False)
