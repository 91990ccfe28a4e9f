"""Board cases of the kind `wire`: bytes as they arrived, decoded by the drivers' own protocol readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any, Protocol

import chess

from drivers.boards.certabo import protocol as certabo
from drivers.boards.chesslink import protocol as chesslink
from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.dgt import clock as dgt_clock
from drivers.boards.dgt import protocol as dgt
from drivers.boards.placement import placement
from kiosk.replay_board_case import CaseError, Json, integer, items, mapping


class Reader(Protocol):
    """Any protocol's reader."""

    def feed(self, data: bytes) -> list[Any]:
        """Bytes in, whole messages out."""


#: So many bytes can be filled in at once.
MOST_FILL = 1_000_000
#: Protocol → its reader.
READERS: Mapping[str, Callable[[], Reader]] = {
    "dgt": dgt.Reader,
    "chesslink": chesslink.Reader,
    "certabo": certabo.Reader,
    "chessnut": chessnut.Reader,
}


def answer(case: Mapping[str, Any]) -> Json:
    """Feeds the case's chunks to the reader of its protocol; the answer has the messages in order."""
    protocol = case.get("protocol")
    if not isinstance(protocol, str) or protocol not in READERS:
        raise CaseError(
            _("protocol is {value}; known are {names}").format(value=repr(protocol), names=", ".join(READERS))
        )
    reader = READERS[protocol]()
    messages: list[Any] = []
    for number, chunk in enumerate(items(case.get("rx"), "rx"), 1):
        messages += reader.feed(_bytes(mapping(chunk, f"rx {number}"), number))
    if isinstance(reader, chessnut.Reader):
        messages += reader.settle()  # nothing follows
    return {"messages": [_named(message) for message in messages]}


def _bytes(chunk: Mapping[str, Any], number: int) -> bytes:
    """A chunk's bytes: `hex`, or `n` bytes `fill` (a number, or two hex digits)."""
    try:
        if "hex" in chunk:
            return bytes.fromhex(str(chunk["hex"]))
        fill, n = chunk.get("fill"), integer(chunk, "n")
        if not 0 <= n <= MOST_FILL:
            raise CaseError(_("n is {n}; write 0 to {most}").format(n=n, most=MOST_FILL), chunk)
        return bytes((fill if isinstance(fill, int) else int(str(fill), 16),)) * n
    except ValueError as error:
        if isinstance(error, CaseError):
            raise
        raise CaseError(_("rx {number} is no bytes: {error}").format(number=number, error=error), chunk) from None


#: How each message is written in a case.
_WRITTEN: Mapping[type, Callable[[Any], Json]] = {
    dgt.BoardDump: lambda m: {"m": "board", "placement": placement(m.squares)},
    dgt.FieldUpdate: lambda m: {
        "m": "field",
        "sq": chess.square_name(m.square ^ 56),
        "p": None if m.piece == "." else m.piece,
    },
    dgt.BoardVersion: lambda m: {"m": "version", "major": m.major, "minor": m.minor},
    dgt.SerialNumber: lambda m: {"m": "serial", "text": m.number},
    dgt.TradeMark: lambda m: {"m": "trademark", "text": m.text},
    dgt.BusAddress: lambda m: {"m": "bus_address", "address": m.address},
    dgt.Battery: lambda m: {"m": "battery", "percent": m.percent, "charging": m.charging},
    dgt.MemoryDump: lambda m: {"m": "memory", "bytes": len(m.data)},
    dgt.Dropped: lambda m: {"m": "dropped", "id": m.id},
    dgt.Unread: lambda m: {"m": "unknown", "id": m.id},
    dgt_clock.ClockTime: lambda m: {
        "m": "clock_time",
        "right_s": m.right_s,
        "left_s": m.left_s,
        "running": m.running,
        "right_high": m.right_high,
        "battery_low": m.battery_low,
        "turn": m.turn,
        "right_flag": m.right_flag,
        "left_flag": m.left_flag,
    },
    dgt_clock.ClockAck: lambda m: {"m": "clock_ack" if m.good else "clock_nack", "ack": list(m.ack)},
    dgt_clock.ClockVersion: lambda m: {"m": "clock_version", "major": m.major, "minor": m.minor},
    dgt_clock.ClockButton: lambda m: {"m": "clock_button", "button": m.button},
    dgt_clock.ClockEmpty: lambda m: {"m": "clock_empty"},
    dgt_clock.ClockInvalid: lambda m: {"m": "clock_invalid"},
    dgt_clock.ClockAbsent: lambda m: {"m": "clock_absent"},
    chesslink.Status: lambda m: {"m": "board", "placement": placement(m.squares)},
    chesslink.Version: lambda m: {"m": "version", "major": m.major, "minor": m.minor},
    chesslink.Memory: lambda m: {"m": "eeprom", "address": m.address, "value": m.value},
    chesslink.Lights: lambda m: {"m": "lights", "on": m.on},
    chesslink.Dropped: lambda m: {"m": "dropped", "id": ord(m.letter)},
    certabo.Occupancy: lambda m: {"m": "occupancy", "squares": f"{m.squares:016x}"},
    certabo.Chips: lambda m: {"m": "chips", "squares": [list(chip) for chip in m.squares]},
    certabo.LightsDone: lambda m: {"m": "lights", "on": True},
    certabo.Dropped: lambda m: {"m": "dropped", "text": m.line.decode("ascii", "replace")},
    chessnut.Position: lambda m: {"m": "board", "placement": placement(m.squares)},
    chessnut.Battery: lambda m: {"m": "battery", "percent": m.percent, "charging": m.charging},
    chessnut.ModeSet: lambda m: {"m": "mode", "real_time": m.real_time},
    chessnut.StoredGames: lambda m: {"m": "stored_games", "count": m.count},
    chessnut.Dropped: lambda m: {"m": "dropped", "id": m.code},
}


def _named(message: Any) -> Json:
    return _WRITTEN[type(message)](message)
