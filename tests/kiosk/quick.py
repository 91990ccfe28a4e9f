"""The pilot of the faces' tests waits until nothing is left to be done; Textual's waits for an idle processor.

What is left to be done stands in the event loop: as long as callbacks are ready there, something goes on. So a story
takes the time of its own work and no more, on a busy machine too, and the screen is not painted while nobody looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

from textual.screen import Screen

#: A face that is never done is a fault of the face.
_MOST_TURNS = 10_000


async def nothing_left(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Until no callback of the loop is ready; what waits for a timer is not waited for."""
    loop = asyncio.get_running_loop()
    for _turn in range(_MOST_TURNS):
        await asyncio.sleep(0)
        if not loop._ready:  # type: ignore[attr-defined]
            return
    raise AssertionError("the face goes on and on without being asked for anything")


def unseen(screen: Screen[Any]) -> None:
    """Nothing goes to a terminal: what is on the screen is made when a test asks for it."""
    screen._dirty_widgets.clear()
    screen._compositor._dirty_regions.clear()


async def at_once(work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """What a face gives to a thread is done before the story goes on."""
    return work(*args, **kwargs)


@contextmanager
def waiting(painted: bool = False) -> Iterator[None]:
    """Within it a pilot waits so. `painted`: as for a terminal, since some widgets find their size by being painted."""
    with (
        mock.patch("textual.app.wait_for_idle", nothing_left),
        mock.patch("textual.pilot.wait_for_idle", nothing_left),
        nullcontext() if painted else mock.patch.object(Screen, "_compositor_refresh", unseen),
        mock.patch("asyncio.to_thread", at_once),
    ):
        yield
