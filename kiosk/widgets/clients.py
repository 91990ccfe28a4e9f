"""What a face needs of its client. `hallnet.table_client.TableClient` and `hallnet.desk_client.DeskClient` fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hallnet.views import HallSnapshot, TableView


class Answered(Protocol):
    """The answer to an intent: accepted, or refused with a sentence."""

    @property
    def ok(self) -> bool: ...

    @property
    def why(self) -> str: ...

    @property
    def d(self) -> Any: ...


class TablePort(Protocol):
    """One table as its screen sees it."""

    @property
    def view(self) -> TableView | None: ...

    @property
    def connected(self) -> bool: ...

    def age_ms(self, now: int) -> int: ...

    def on_view(self, callback: Callable[[TableView], None]) -> None: ...

    async def start(self) -> None: ...

    async def do(self, kind: str, /, **d: Any) -> Answered: ...

    async def close(self) -> None: ...


class HallPort(Protocol):
    """The hall as a desk sees it."""

    @property
    def hall(self) -> HallSnapshot | None: ...

    @property
    def connected(self) -> bool: ...

    def age_ms(self, now: int) -> int: ...

    def on_change(self, callback: Callable[[HallSnapshot], None]) -> None: ...

    async def start(self) -> None: ...

    async def intend(self, kind: str, /, **d: Any) -> Answered: ...

    async def close(self) -> None: ...
