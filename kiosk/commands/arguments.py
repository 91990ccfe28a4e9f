"""What the commands share: number arguments with bounds, and how a refusal is printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from gettext import gettext as _
from typing import TypeAlias

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def int_between(low: int, high: int) -> Callable[[str], int]:
    """An argument type: a whole number from `low` to `high`."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                _("{text!r} is not a whole number from {low} to {high}").format(text=text, low=low, high=high)
            )
        return value

    return parse


def float_between(low: float, high: float) -> Callable[[str], float]:
    """An argument type: a number from `low` to `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                _("{text!r} is not a number from {low} to {high}").format(text=text, low=low, high=high)
            )
        return value

    return parse


def fail(error: object) -> int:
    """Prints what is wrong on stderr; the exit code for bad input."""
    if isinstance(error, OSError) and error.filename:
        words = _("{file}: {why}. Check the name, and who may use it.")
        error = words.format(file=error.filename, why=error.strerror)
    print(error, file=sys.stderr)
    return 2
