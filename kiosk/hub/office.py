"""What desks ask of the hub itself and not of the tournament: its health, its keys, who may come in.

Each is answered here before `desk_side` sees it. A desk whose key may only look is refused everything that changes
something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hallnet.wire import DeskIn, DeskOut, WireError, decode, encode
from kiosk.hub.books import Books
from kiosk.hub.inputs import FromDesk, Send

#: Tables on one health page, for the size of a message.
_MOST_TABLES = 2_000


class Office:
    """The hub's own desk."""

    def __init__(self, books: Books) -> None:
        self.books = books

    def take(self, item: FromDesk) -> bool:
        """Answer a question for the hub itself; False: it is about the tournament."""
        try:
            intent = decode(item.payload, DeskIn)
        except WireError:
            return False
        answer = _ANSWERS.get(intent.kind)
        if answer is None:
            return False
        self._say(item.desk, DeskOut(id=intent.id, ok=True, d=answer(self, intent.d, item)))
        return True

    def _say(self, desk: str, out: DeskOut) -> None:
        self.books.out.append(Send(self.books.address.desk(desk, "out"), encode(out)))

    def _health(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        tables = {
            name: {
                "online": table.presence.online(item.at),
                "serial": table.presence.serial,
                "offset_ms": table.offset,
                "epoch": table.epoch,
                "events": table.inbox.last if table.inbox is not None else 0,
            }
            for name, table in sorted(self.books.hall.tables.items())[:_MOST_TABLES]
        }
        return {"duplicates": 0, "set aside": 0, "conflicts": 0, **self.books.counted, "tables": tables}


_ANSWERS: Mapping[str, Callable[[Office, Mapping[str, Any], FromDesk], Any]] = {
    "health": Office._health,
}
