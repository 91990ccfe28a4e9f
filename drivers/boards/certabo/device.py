"""Certabo and Tabutronic boards behind a serial port: they talk by themselves, several frames a second.

A board with chips needs to know its set of pieces. Chips say nothing about the piece that they are in: whoever knows
the game says which position is to stand there (`expect`), the start array of that game, a Chess960 one or one of its
own; when those squares and no others are occupied, each unknown chip is in the piece of its square. Without a move made
that counts only as long as it stands: two pieces that were set up wrong are learnt again when they are exchanged. What
was known before never changes, and a known chip on a wrong square is a wrong piece: nothing is learnt then. During a
game a chip or two may be new: spare queens. A chip that is not known is a piece that nobody knows, not an empty square.

When a frame was looked at is not said. Assumed: a board looks, sends, and looks again, so the look of a line begins
when the line before it is out. So a line that says what was told already confirms it as of the end of the line before
(`StillReport`), less what this machine may be late in reading. Assumed too: the lights take the plain eight bytes; a
board with coloured ones (its answer is D) needs others, which are not sent. Units with Bluetooth are not served, but
where the machine gives them a serial port.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from drivers.boards.certabo import protocol as certabo
from drivers.boards.placement import letters, placement, unknown
from drivers.boards.serial_board import SerialBoard, World
from drivers.interfaces import BoardReport, GapReport, OccupancyReport, Sink, StillReport

#: Bytes are read so long after they came at most (ms), as a rule; lines that are read together count as of before.
LATE_MS = 30
#: The board needs so long between two settings of its lights (s).
LIGHT_GAP_S = 0.6
#: So many chips may be new while a game is played: spare queens.
SPARE_CHIPS = 2


@dataclass(frozen=True, slots=True)
class Expected:
    """What is to stand on the board: 64 letters from a8 to h1, of a game that has `begun`."""

    array: str
    begun: bool


class CertaboBoard(SerialBoard):
    """A board sensor; with `pieces` (or learnt ones) it knows its pieces. It is gone when it is silent for 3 s.

    `kept` are the pieces that are known for good, to be kept for this board; `pieces` those of the start array too.
    """

    kind = "certabo"
    baud = 38_400

    def __init__(
        self,
        port: str,
        command_gap_s: float = LIGHT_GAP_S,
        world: World | None = None,
        pieces: certabo.PieceSet | None = None,
    ) -> None:
        super().__init__(port, command_gap_s, world)
        self.pieces = self.kept = pieces
        self._expected: Expected | None = None  # set by another thread, as a whole
        self._learning: Expected | None = None  # from which `pieces` have more than `kept`
        self.rotated: bool | None = None  # how the board lies, as far as the table was told
        self._reader = certabo.Reader()
        self._chips: deque[certabo.Chips] = deque(maxlen=certabo.LEARN_FRAMES)
        self._masks: deque[int] = deque(maxlen=certabo.VOTE_FRAMES)
        self._told: object = None
        self._line_at = self._read_at = 0  # when the last line was whole, and when bytes were read last

    def know(self, pieces: certabo.PieceSet) -> None:
        """These pieces were learnt before; to be said before the board is started."""
        self.pieces = self.kept = pieces

    def expect(self, placement: str, begun: bool) -> None:
        """The position that is to stand on the board (first field of a FEN), "" if nobody knows; whether the game has
        `begun`. May be called from any thread; raises ValueError for what is no placement.
        """
        self._expected = Expected(letters(placement), begun) if placement else None

    def light(self, squares: int) -> None:
        """Sets the plain lights (a1 = bit 0)."""
        self.send(certabo.lights(squares))

    def greet(self) -> tuple[bytes, ...]:
        """Nothing needs to be asked."""
        self._reader = certabo.Reader()
        self._chips.clear()
        self._masks.clear()
        self._told = None
        self._line_at = self._read_at = self._world.now_ms()
        return ()

    def take(self, data: bytes, now_ms: int, sink: Sink) -> bool:
        """Takes bytes of the board; whether a whole frame was among them."""
        messages = self._reader.feed(data)
        for message in messages:
            match message:
                case certabo.Occupancy(squares):
                    self._occupied(squares, now_ms, sink)
                    self._line_at = self._read_at  # another line in the same read began after the read before
                case certabo.Chips():
                    self._read_chips(message, now_ms, sink)
                    self._line_at = self._read_at
                case certabo.Dropped():
                    sink(GapReport(now_ms))
                case _:
                    pass
        if (
            any(isinstance(message, certabo.Occupancy | certabo.Chips) for message in messages)
            and not self._reader.begun
        ):
            self._line_at = now_ms
        self._read_at = now_ms
        return any(not isinstance(message, certabo.Dropped) for message in messages)

    def _occupied(self, squares: int, now_ms: int, sink: Sink) -> None:
        """The majority of the last frames, square by square."""
        self._masks.append(squares)
        if len(self._masks) < certabo.VOTE_FRAMES:
            return
        one, two, three = self._masks
        voted = one & two | one & three | two & three
        self._tell(voted, OccupancyReport(now_ms, voted), sink)
        if squares == voted:
            self._confirm(now_ms, sink)

    def _read_chips(self, frame: certabo.Chips, now_ms: int, sink: Sink) -> None:
        self._chips.append(frame)
        frames = list(self._chips)
        self._learn(frames)
        if self.pieces is None:
            occupied = sum(1 << (square ^ 56) for square, chip in enumerate(frame.squares) if chip != certabo.NOTHING)
            self._occupied(occupied, now_ms, sink)
        elif len(frames) >= certabo.VOTE_FRAMES:
            squares = self.pieces.read(frames)
            self._tell(squares, BoardReport(now_ms, placement(squares), unknown(squares)), sink)
            if self.pieces.read([frame]) == squares:
                self._confirm(now_ms, sink)

    def _learn(self, frames: Sequence[certabo.Chips]) -> None:
        """Looks whether the frames show what is expected, and whose chips are whose then."""
        expected, known = self._expected, self.kept.pieces if self.kept is not None else {}
        if expected is not None and expected.begun and self._learning is not None:
            # Somebody has moved: the pieces stood as they should.
            self.kept, self._learning, known = self.pieces, None, self.pieces.pieces if self.pieces is not None else {}
        if expected is None or all(chip in known or chip == certabo.NOTHING for chip in frames[-1].squares):
            return
        most = SPARE_CHIPS if expected.begun else len(expected.array)
        new = certabo.learn(frames, expected.array, known, self.rotated, most)
        if not new:
            return
        self.pieces = certabo.PieceSet({**known, **new})
        if expected.begun:
            self.kept = self.pieces
        else:
            self._learning = expected

    def _tell(self, what: object, report: BoardReport | OccupancyReport, sink: Sink) -> None:
        if what != self._told:
            self._told = what
            sink(report)

    def _confirm(self, now_ms: int, sink: Sink) -> None:
        """The frame that came now shows what is told: it was looked at after the line before it."""
        as_of = self._fence.passed(self._line_at - LATE_MS)
        if as_of is not None:
            sink(StillReport(now_ms, as_of))
