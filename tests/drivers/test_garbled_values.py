"""One wrong value in what a board says: it may look like a move, and must not become one.

Chessnut and DGT send squares without a checksum. Here a line garbles one square of a message so that it fits best what
somebody could have played, never two messages in a row; real drivers in virtual time, as in the campaign.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import chess
import pytest

from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.dgt import protocol as dgt
from drivers.interfaces import PressReport
from tests.drivers.campaign.boards import KINDS, Serial
from tests.drivers.campaign.table import Played, Table
from tests.drivers.campaign.venue import Fault, Venue

#: So many messages about squares are right after one that is not.
HONEST = 3
LETTERS = ".PNBRQKpnbrqk"


def letters(board: chess.BaseBoard) -> list[str]:
    """The 64 letters from a8 to h1."""
    return [piece.symbol() if (piece := board.piece_at(number ^ 56)) else "." for number in range(64)]


class Liar:
    """A line that garbles one square in many a message about squares, and leaves the next few messages as they are."""

    def __init__(self, played: Played) -> None:
        assert isinstance(played.board, Serial)
        self._played, self._cable, self._firmware = played, played.board.cable, played.board.firmware
        self._dice = random.Random(f"{played.kind} {played.number}")
        self._honest = 0
        self.lies = self.likely = 0
        self._say, self._cable.say = self._cable.say, self.say  # type: ignore[method-assign]

    def say(self, message: bytes) -> None:
        """The board says something."""
        about_squares = message[:1] in (b"\x8e", b"\x86") or b"\x01\x24" in message[:5]
        self._honest += about_squares
        if about_squares and self._honest > HONEST and self._dice.random() < 0.5:
            self._honest = 0
            self.lies += 1
            message = self._garbled(message)
        self._say(message)

    def _garbled(self, message: bytes) -> bytes:
        """One value is another one: one after which a move seems to stand there, if there is such a lie."""
        match message[0]:
            case 0x8E:
                number, said = message[3], dgt.letter(message[4])
                known = list(getattr(self._played.board.driver, "_squares", [])) or ["."] * 64
                lies = [(number, letter) for letter in LETTERS if letter != said]
                lies += [(other, said) for other in range(64) if other != number]
                number, letter = self._likely(known, lies)
                return dgt.frame(dgt.FIELD_UPDATE, bytes((number, dgt.code(letter))))
            case 0x86:
                squares = [dgt.letter(code) for code in message[3:]]
                return dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, self._one_wrong(squares))))
            case _:
                seen = [self._firmware.squares[number ^ 56] for number in range(64)]
                return message[: message.index(b"\x01\x24")] + chessnut.position("".join(self._one_wrong(seen)))

    def _one_wrong(self, squares: list[str]) -> list[str]:
        lies = [(number, letter) for number in range(64) for letter in LETTERS if letter != squares[number]]
        number, letter = self._likely(squares, lies)
        return [*squares[:number], letter, *squares[number + 1 :]]

    def _likely(self, squares: Sequence[str], lies: list[tuple[int, str]]) -> tuple[int, str]:
        record, found = self._played.table.state.position, []
        for move in record.legal_moves:
            after = record.copy(stack=False)
            after.push(move)
            wrong = [(n, letter) for n, letter in enumerate(letters(after)) if letter != squares[n]]
            found += wrong if len(wrong) == 1 and wrong[0] in lies else []
        self.likely += bool(found)
        return self._dice.choice(found or lies)


@pytest.mark.parametrize("number", [28, *(pytest.param(n, marks=pytest.mark.soak) for n in range(0, 60, 2))])
@pytest.mark.parametrize("kind", ["chessnut", "dgt"])
def test_a_game_of_which_the_line_garbles_many_a_square_is_recorded_exactly(kind: str, number: int) -> None:
    played = Played(kind, number)
    liar = Liar(played)
    outcome = played.play()
    assert liar.likely or outcome.plies < 10
    assert outcome.verdict == "exact", outcome


def said_once(
    kind: str, fen: str, touches: dict[int, tuple[str, str]], press: int | None, lie: tuple[str, str]
) -> Table:
    """A table after `touches` (ms → square and letter) and White's `press`, whose board once told `lie` with the last
    touch: that another piece stands on a square.
    """
    venue = Venue()
    table, board = Table(venue, kind, fen), KINDS[kind](venue, chess.Board(fen), Fault(), "once")
    assert isinstance(board, Serial)
    table.board = board
    begin, said, square = venue.now + 6_000, board.cable.say, chess.parse_square(lie[0])
    told: list[bytes] = []

    def say(message: bytes) -> None:
        if venue.now >= begin + max(touches) and not told and message[:1] in (b"\x8e", b"\x01"):
            told.append(message)
            if message[0] == 0x8E:
                message = dgt.frame(dgt.FIELD_UPDATE, bytes((square ^ 56, dgt.code(lie[1]))))
            else:
                seen = [board.firmware.squares[number ^ 56] for number in range(64)]
                seen[square ^ 56] = lie[1]
                message = chessnut.position("".join(seen))
        said(message)

    board.cable.say = say  # type: ignore[method-assign]
    venue.at(venue.now + 4_000, table.begin)
    for at, (name, letter) in touches.items():
        venue.at(begin + at, lambda name=name, letter=letter: board.change(chess.parse_square(name), letter))  # type: ignore[misc]
    if press is not None:
        venue.at(begin + press, lambda: table.report(PressReport(venue.now, "white")))
    venue.at(begin + max(touches) + 2_500, lambda: setattr(venue, "over", True))
    board.run(table.report)
    assert told
    return table


@pytest.mark.parametrize("kind", ["chessnut", "dgt"])
def test_a_queen_that_was_once_told_as_a_knight_is_a_queen(kind: str) -> None:
    """She is pressed for at once, and nothing else would ever tell them apart."""
    touches = {0: ("a7", "."), 300: ("a8", "Q")}
    table = said_once(kind, "7k/P7/8/8/8/8/8/K7 w - - 0 1", touches, 560, ("a8", "N"))
    assert (table.moves, table.state.running, table.state.questions) == (["a7a8q"], "black", ())


@pytest.mark.parametrize("kind", ["chessnut", "dgt"])
def test_a_queen_in_the_hand_that_was_once_told_as_standing_there_has_not_mated(kind: str) -> None:
    """Mate would end the game without a press. On a DGT board it is a captured pawn put down that is told wrong."""
    touches = {0: ("d1", ".")} | ({300: ("h4", "p")} if kind == "dgt" else {})
    table = said_once(kind, "6k1/5ppp/8/8/8/8/8/K2Q4 w - - 0 1", touches, None, ("d8", "Q"))
    assert (table.moves, table.state.phase) == ([], "playing")
