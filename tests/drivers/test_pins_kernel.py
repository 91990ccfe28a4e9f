"""Our pins on the kernel's own simulated chip (gpio-sim): real requests, real edges, real stamps. Needs root.

Assumed, until somebody has looked: that a Pi's standard kernel brings gpio-sim as a module. Where it does not, these
tests are skipped and say so.
"""

from __future__ import annotations

import os
import queue
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from drivers.clocks.plungers.device import BLACK_PIN, WHITE_PIN, Plungers
from drivers.interfaces import PressReport, Report, boot_us
from drivers.pins.factory import LinePinFactory

CONFIG = Path("/sys/kernel/config/gpio-sim")


class Bank:
    """A chip of 28 lines under configfs."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._bank = folder, folder / "bank0"
        self._bank.mkdir(parents=True)
        (self._bank / "num_lines").write_text("28")
        (folder / "live").write_text("1")
        name = (self._bank / "chip_name").read_text().strip()
        device = (folder / "dev_name").read_text().strip()
        self.path = f"/dev/{name}"
        self._lines = Path(f"/sys/devices/platform/{device}/{name}")

    def drive(self, number: int, high: bool) -> None:
        (self._lines / f"sim_gpio{number}" / "pull").write_text("pull-up" if high else "pull-down")

    def remove(self) -> None:
        (self._folder / "live").write_text("0")
        self._bank.rmdir()
        self._folder.rmdir()


@pytest.fixture
def bank() -> Iterator[Bank]:
    if os.getuid() != 0:
        pytest.skip("gpio-sim is set up by root")
    if not CONFIG.exists():
        with suppress(OSError):
            subprocess.run(["modprobe", "-q", "gpio-sim"], check=False, timeout=10)
    if not CONFIG.exists():
        pytest.skip("this kernel has no gpio-sim (CONFIG_GPIO_SIM and configfs)")
    bank = Bank(CONFIG / f"hallkiosk-{os.getpid()}")
    yield bank
    bank.remove()


def test_the_kernels_stamps_arrive_as_presses(bank: Bank) -> None:
    for pin in (WHITE_PIN, BLACK_PIN):
        bank.drive(pin, True)
    factory = LinePinFactory(bank.path)
    panel = Plungers(pin_factory=factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    try:
        for pin, side in ((WHITE_PIN, "white"), (BLACK_PIN, "black")) * 3:
            before = boot_us() // 1000
            bank.drive(pin, False)
            after = boot_us() // 1000
            report = reports.get(timeout=10)
            assert isinstance(report, PressReport)
            assert report.side == side
            assert before <= report.boot_ms <= after
            bank.drive(pin, True)
            time.sleep(0.06)
    finally:
        panel.close()
        factory.close()
