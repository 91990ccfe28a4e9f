"""While a program loads itself, nothing becomes garbage, and looking for some takes a sixth of the time."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Around imports. What is there afterwards stays as long as the process: it is not looked through again, either."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
