"""`hallkiosk table --simulate KIND`: a simulated board at a port that any program may open, with hands on its keyboard.

The path of the port is the first line printed. Each line read is one thing that hands do: a move ("e2e4", "e4", "O-O"),
"lift e2", "put e4 P", "fen rnbqkbnr/…", "start", "battery 9", "unplug", "plug" (the port may have another path then,
which is printed). A clock hangs on a DGT board: "clock" tells what it shows, "clock unplug", "clock plug", "clock low",
"clock mode" (it leaves the mode in which it can be set, or is back in it), "clock stop" and "clock 1:30:00 0:05:00" are
hands at it. The board says nothing about the game: it only follows the moves that were typed, so that captures
and castlings come as hands make them. After the last line it stays until it is stopped.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from gettext import gettext as _

import chess

from drivers.boards.dgt.firmware import SimulatedClock
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.boards.hands import Hands
from drivers.catalogue import BOARDS, hang_clock
from drivers.errors import BadDeviceName
from kiosk.table.hardware import touches

#: Real s between two touches of a move.
TOUCH_S = 0.15
#: The kinds that have a port.
KINDS = tuple(kind for kind, row in BOARDS.items() if row.port)


class SimulatedBoard:
    """A board with a port, and the game that its hands play."""

    def __init__(self, kind: str, touch_s: float = TOUCH_S) -> None:
        if kind not in KINDS:
            raise BadDeviceName(
                _("A simulated {kind} has no port that a program could open; these have: {kinds}.").format(
                    kind=kind, kinds=", ".join(KINDS)
                )
            )
        self._kind, self._touch_s = kind, touch_s
        self._plug_in()
        hang_clock(self._hands)
        self._game = chess.Board()
        self.set_up(chess.STARTING_FEN)

    def _plug_in(self) -> None:
        device, self._hands = BOARDS[self._kind].simulate(1.0)
        device.close()
        self._plugged = True

    @property
    def port(self) -> str:
        """The path to open."""
        return str(getattr(self._hands, "port", ""))

    @property
    def hands(self) -> Hands:
        """The hands, for whoever wants to move single pieces."""
        return self._hands

    def set_up(self, fen: str) -> None:
        """Puts up a position, and the game goes on from there. Raises ValueError."""
        try:
            self._game = chess.Board(fen if " " in fen else f"{fen} w KQkq - 0 1")
        except ValueError:
            raise ValueError(_("that is no position")) from None
        self._hands.set_up(self._game.board_fen())

    def do(self, line: str) -> str:
        """One thing that hands do, in words as at the head of this module; answers what stands there now."""
        word, _blank, rest = line.strip().partition(" ")
        try:
            match word:
                case "plug":
                    return self._plug()
                case _ if not self._plugged:
                    raise ValueError(_("it is unplugged: plug comes first"))
                case "unplug":
                    self._plugged = False
                    self._hands.close()
                    return _("unplugged")
                case "battery":
                    self._set_battery(rest)
                case "clock":
                    return self._at_clock(rest)
                case "lift":
                    self._lift(_square(rest))
                case "put":
                    self._hands.put(*_put(rest))
                case "fen":
                    self.set_up(rest)
                case "start":
                    self.set_up(chess.STARTING_FEN)
                case _:
                    self._move(word)
        except ValueError as error:
            return _("{line}: not understood ({error}). Type a move, or: lift e2, put e4 P, fen ..., start.").format(
                line=line.strip(), error=error
            )
        return self._hands.placement

    def _plug(self) -> str:
        """Plugs the board in again with its pieces on it; answers the path of its port."""
        if not self._plugged:
            before = self._hands
            self._plug_in()
            self._hands.set_up(before.placement)
            if isinstance(self._hands, SimulatedDgtBoard) and isinstance(before, SimulatedDgtBoard):
                self._hands.hang(before.firmware.clock)
        return self.port

    def _at_clock(self, what: str) -> str:
        """Hands at the clock; answers what it shows then."""
        if not isinstance(self._hands, SimulatedDgtBoard):
            raise ValueError(_("no clock can hang on this board"))
        clock = self._hands.firmware.clock
        times = _TIMES.fullmatch(what)
        if times is not None:
            left, right = (_seconds(word) for word in times.groups())
            clock.turn_to(left, right, None)
        elif what in _AT_CLOCK:
            _AT_CLOCK[what](clock)
        else:
            raise ValueError(_("write one of: {words}").format(words=", ".join(f"clock {word}" for word in _AT_CLOCK)))
        return _clock_words(clock)

    def _set_battery(self, rest: str) -> None:
        firmware = getattr(self._hands, "firmware", None)
        if getattr(firmware, "battery", None) is None:
            raise ValueError(_("this board has no battery"))
        if not rest.isdecimal() or int(rest) > 100:
            raise ValueError(_("write: battery 9"))
        setattr(firmware, "battery", (int(rest), False))  # noqa: B010 - two kinds of firmware have one

    def _lift(self, square: chess.Square) -> None:
        if self._hands.letter(square) == ".":
            raise ValueError(_("there is no piece on {square}").format(square=chess.square_name(square)))
        self._hands.lift(square)

    def _move(self, word: str) -> None:
        try:
            move = self._game.parse_san(word)
        except ValueError:
            if not re.fullmatch("([a-h][1-8]){2}[qrbn]?", word):
                raise ValueError(_("that is no move here")) from None
            move = chess.Move.from_uci(word)
            if self._game.piece_at(move.from_square) is None:
                raise ValueError(
                    _("there is no piece on {square}").format(square=chess.square_name(move.from_square))
                ) from None
        for square, letter in touches(self._game, move):
            self._hands.change(square, letter)
            time.sleep(self._touch_s)
        self._game.push(move)

    def close(self) -> None:
        """Pulls the cable; may be called twice."""
        self._hands.close()


#: Left and right, h:mm:ss.
_TIMES = re.compile(r"(\d:[0-5]\d:[0-5]\d) (\d:[0-5]\d:[0-5]\d)")


def _plug_clock(clock: SimulatedClock, there: bool) -> None:
    if there and not clock.connected:
        clock.switch_on()
    clock.connected = there


def _toggle(clock: SimulatedClock, low: bool) -> None:
    if low:
        clock.time = replace(clock.time, battery_low=not clock.time.battery_low)
    else:
        clock.pc_mode = not clock.pc_mode


#: What hands do at the clock, by the word after "clock".
_AT_CLOCK: Mapping[str, Callable[[SimulatedClock], None]] = {
    "": lambda _clock: None,
    "unplug": lambda clock: _plug_clock(clock, False),
    "plug": lambda clock: _plug_clock(clock, True),
    "low": lambda clock: _toggle(clock, low=True),
    "mode": lambda clock: _toggle(clock, low=False),
    "stop": lambda clock: clock.turn_to(clock.reading.left_s, clock.reading.right_s, None),
}


def _clock_words(clock: SimulatedClock) -> str:
    """What the clock shows: left and right, the side that runs, or a text."""
    if not clock.connected:
        return _("no clock hangs on the board")
    now = clock.reading
    shown = [f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" for s in (now.left_s, now.right_s)]
    running = {"left": _("left runs"), "right": _("right runs"), None: ""}[now.turn if now.running else None]
    return " ".join(word for word in (*shown, running, clock.text) if word)


def _seconds(word: str) -> int:
    hours, minutes, seconds = map(int, word.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _square(word: str) -> chess.Square:
    if word not in chess.SQUARE_NAMES:
        raise ValueError(_("{word} is no square").format(word=word or '""'))
    return chess.parse_square(word)


def _put(rest: str) -> tuple[chess.Square, str]:
    words = rest.split()
    if len(words) != 2 or words[1] not in tuple("PNBRQKpnbrqk"):
        raise ValueError(_("write a square and one of PNBRQKpnbrqk"))
    return _square(words[0]), words[1]


def simulate(kind: str, lines: Iterable[str], say: Callable[[str], None], wait: Callable[[], object]) -> None:
    """Plays the part of a board until `lines` end and `wait` returns. Raises `BadDeviceName`."""
    board = SimulatedBoard(kind)
    try:
        say(board.port)
        for line in lines:
            if line.strip():
                say(board.do(line))
        wait()
    finally:
        board.close()
