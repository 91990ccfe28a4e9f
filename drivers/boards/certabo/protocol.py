"""Certabo and Tabutronic boards (38400 8N1): a stream of text lines ↔ typed frames. Pure.

The board talks by itself, several lines a second: a colon, decimal numbers with blanks between, CR LF. 320 numbers are
five id bytes of a chip for each square from a8 to h1 (five zeros: empty); 8 numbers are the occupied squares of the
ranks 8 to 1, most significant bit = file a (Sentio). Source: open readers of both boards. Assumed: no two chips have
the same id, and none has an id of zeros.

Lines have no checksum. One that lost a number, or has one above 255, is thrown away here; what a garbled digit does in
one that looks right is outvoted by the frames around it (`VOTE_FRAMES`, in the driver and in `PieceSet.read`): what is
occupied needs two frames of three, and so does a chip that is none of the set or that takes the place of another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

#: The id of an empty square.
NOTHING = (0, 0, 0, 0, 0)
#: Longest line: 320 numbers of three digits. More without an end is noise.
LONGEST = 2_000
#: Frames that are needed to learn which chip is which piece, and the vote of a weak chip.
LEARN_FRAMES = 7
VOTE_FRAMES = 3

Chip = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The occupied squares, a1 = bit 0."""

    squares: int


@dataclass(frozen=True, slots=True)
class Chips:
    """The chip on each square from a8 to h1; `NOTHING` on empty ones."""

    squares: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class LightsDone:
    """The board has set its lights."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A line that is neither; thrown away."""

    line: bytes


CertaboMessage = Occupancy | Chips | LightsDone | Dropped


class Reader:
    """Bytes in, whole lines out."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._last: tuple[bytes, CertaboMessage] = (b"", Dropped(b""))

    @property
    def begun(self) -> bool:
        """Whether a line has begun that has not ended yet."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[CertaboMessage]:
        """Takes any piece of the stream; returns the lines that it completes."""
        messages: list[CertaboMessage] = []
        self._buffer += data
        while (end := self._buffer.find(b"\n", 0, LONGEST + 1)) >= 0 or len(self._buffer) > LONGEST:
            if end < 0:
                # What is no line may run up to the beginning of one.
                messages.append(Dropped(bytes(self._buffer[:16])))
                begin = self._buffer.rfind(b":", 1, LONGEST + 1)
                del self._buffer[: begin if begin > 0 else LONGEST + 1]
                continue
            line = bytes(self._buffer[:end]).strip()
            del self._buffer[: end + 1]
            # A lost end of line leaves the beginning of another line before the colon of this one.
            line = line[line.rfind(b":") :] if b":" in line else line
            if line and line != self._last[0]:  # most lines say what the one before said
                self._last = line, _message(line)
            if line:
                messages.append(self._last[1])
        return messages


def _message(line: bytes) -> CertaboMessage:
    words = line.removeprefix(b":").split()
    if line[:1] != b":" or not all(word.isdigit() and len(word) <= 3 and int(word) <= 255 for word in words):
        return (
            LightsDone()
            if line[:1] in (b"L", b"D", b":") and line.lstrip(b":").strip() in (b"L", b"D")
            else Dropped(line)
        )
    numbers = [int(word) for word in words]
    if len(numbers) == 8:
        return Occupancy(sum(_rank(number) << 8 * (7 - row) for row, number in enumerate(numbers)))
    if len(numbers) == 320:
        return Chips(tuple(_chip(numbers[5 * square : 5 * square + 5]) for square in range(64)))
    return Dropped(line)


def _chip(numbers: Sequence[int]) -> Chip:
    a, b, c, d, e = numbers
    return (a, b, c, d, e)


def _rank(number: int) -> int:
    """A rank's bits with file a lowest."""
    return int(f"{number:08b}"[::-1], 2)


def occupancy_line(squares: int) -> bytes:
    """The line that an occupancy board sends."""
    numbers = [_rank(squares >> 8 * (7 - row) & 0xFF) for row in range(8)]
    return b":" + " ".join(map(str, numbers)).encode() + b"\r\n"


def chips_line(chips: Sequence[Chip]) -> bytes:
    """The line that an RFID board sends."""
    return b":" + " ".join(str(byte) for chip in chips for byte in chip).encode() + b"\r\n"


def lights(squares: int) -> bytes:
    """Eight bytes for the plain lights: rank 8 first, most significant bit = file h, opposite to the occupancy."""
    return bytes(squares >> 8 * (7 - row) & 0xFF for row in range(8))


@dataclass(frozen=True, slots=True)
class PieceSet:
    """Which chip is in which piece (FEN letter). Ids of one set are fixed, so keep it for the board."""

    pieces: Mapping[Chip, str]

    def read(self, frames: Sequence[Chips]) -> str:
        """64 letters from a8 to h1; an unknown chip is "?".

        A chip is missed now and then, but none of the set is seen on a square where nothing stands: what the last frame
        shows there counts at once, so a piece that was put down is known a frame earlier. All else is by the vote of
        the last frames: a garbled digit makes one chip of another.
        """
        last = frames[-VOTE_FRAMES:]
        return "".join(self._letter([frame.squares[square] for frame in last]) for square in range(64))

    def _letter(self, seen: Sequence[Chip]) -> str:
        if seen[-1] in self.pieces and set(seen) <= {NOTHING, seen[-1]}:
            return self.pieces[seen[-1]]
        if all(chip == NOTHING for chip in seen):
            return "."
        votes = Counter(seen)
        chip = max(votes, key=lambda chip: (votes[chip], chip != NOTHING))
        return "." if chip == NOTHING else self.pieces.get(chip, "?")


#: The start array with the extra queens that a set may have, on d3 and d6, while it is learnt.
LEARN_ARRAY = "rnbqkbnr" + "pppppppp" + "...q...." + "........" * 2 + "...Q...." + "PPPPPPPP" + "RNBQKBNR"
#: The start array of the usual game.
START_ARRAY = LEARN_ARRAY.replace("...q....", "........").replace("...Q....", "........")
#: The squares of the extra queens, counted from a8.
_EXTRA_QUEENS = tuple(square for square in range(16, 48) if LEARN_ARRAY[square] != ".")


def learn(
    frames: Sequence[Chips],
    array: str = START_ARRAY,
    known: Mapping[Chip, str] = MappingProxyType({}),
    rotated: bool | None = None,
    most: int = 64,
) -> dict[Chip, str] | None:
    """Which unknown chip is which piece, told by where it stands while `array` (64 letters from a8) is on the board.

    None if that cannot be told: frames are too few or do not agree, other squares are occupied than those of `array`
    (extra queens may stand on d3 and d6), a chip of the set that is `known` stands where another piece should, or more
    than `most` chips are unknown.

    On a board that lies the other way round (`rotated`) the array is seen upside down. When nobody has said so, known
    chips tell, or the extra queens; without them the board is taken to lie as usual, because chips look alike.
    """
    if len(frames) < LEARN_FRAMES:
        return None
    votes = [Counter(frame.squares[square] for frame in frames).most_common(1)[0] for square in range(64)]
    if any(2 * count <= len(frames) for _chip, count in votes):
        return None
    seen = [chip for chip, _count in votes]
    if _turned(seen, array, known) if rotated is None else rotated:
        seen.reverse()
    new: dict[Chip, str] = {}
    for square, letter in enumerate(array):
        chip = seen[square]
        if letter == "." and square in _EXTRA_QUEENS and chip != NOTHING:
            letter = LEARN_ARRAY[square]
        if (chip == NOTHING) != (letter == ".") or known.get(chip, new.get(chip, letter)) != letter:
            return None
        if chip != NOTHING and chip not in known:
            new[chip] = letter
    return new if len(new) <= most else None


def _turned(seen: Sequence[Chip], array: str, known: Mapping[Chip, str]) -> bool:
    """Whether the array stands upside down, as far as known chips or the extra queens tell."""
    here, there = (
        sum(known.get(chip) == letter for chip, letter in zip(chips, array, strict=True))
        for chips in (seen, seen[::-1])
    )
    if here == there:
        here, there = (
            sum(seen[place] != NOTHING for place in places)
            for places in (_EXTRA_QUEENS, [63 - square for square in _EXTRA_QUEENS])
        )
    return there > here
