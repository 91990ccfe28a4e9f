"""A person in the chair of a simulated player: typed moves, and a cursor on the board. Pure state, no widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import chess

from kiosk.screen.typed_moves import NotPossible, needs_promotion, read_move
from kiosk.widgets.language import _
from rules.laws.events import Side

#: What can be typed.
MOVE_SIGNS = frozenset("abcdefghABCDEFGHKkQqRrNnOox0123456789-=+#:")
MOST = 9
STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


@dataclass(frozen=True, slots=True)
class Chair:
    """`text` typed so far, `cursor` and `hand` as square names ("" = hidden, empty hand), what is wrong, auto-press."""

    side: Side
    text: str = ""
    cursor: str = ""
    hand: str = ""
    wrong: str = ""
    promoting: str = ""
    auto_press: bool = True

    def typed(self, sign: str) -> Chair:
        """With one more sign typed; after a refused move the line begins anew."""
        kept = "" if self.wrong else self.text
        if sign not in MOVE_SIGNS or len(kept) >= MOST:
            return self
        return replace(self, text=kept + sign, wrong="", hand="", promoting="")

    def erased(self) -> Chair:
        """With the last sign taken back."""
        return replace(self, text=self.text[:-1], wrong="")

    def cleared(self) -> Chair:
        """Nothing typed, nothing in hand."""
        return replace(self, text="", hand="", wrong="", promoting="")

    def stepped(self, key: str) -> Chair:
        """The cursor one square further, as seen from this side of the board; first it appears at the own pawns."""
        if not self.cursor:
            return replace(self, cursor="e2" if self.side == "white" else "e7", wrong="")
        right, up = STEPS[key]
        if self.side == "black":
            right, up = -right, -up
        square = chess.parse_square(self.cursor)
        file = min(7, max(0, chess.square_file(square) + right))
        rank = min(7, max(0, chess.square_rank(square) + up))
        return replace(self, cursor=chess.square_name(chess.square(file, rank)), wrong="")


def entered(chair: Chair, fen: str, my_turn: bool) -> tuple[Chair, chess.Move | None]:
    """Enter was pressed: the chair afterwards, and the move to make if there is one."""
    if not chair.text and not chair.cursor:
        return replace(chair, wrong=_("Type a move, for example e4 or Nf3, or use the arrow keys.")), None
    if not my_turn:
        return replace(chair, wrong=_("It is not your turn yet.")), None
    board = chess.Board(fen) if fen else chess.Board()
    try:
        if chair.text:
            return replace(chair.cleared(), cursor=""), read_move(board, chair.text)
        return _with_cursor(chair, board)
    except NotPossible as why:
        return replace(chair, hand="", wrong=str(why)), None


def promoted(chair: Chair, letter: str) -> tuple[Chair, chess.Move | None]:
    """The answer to "which piece?" after a pawn was put on the last rank with the cursor."""
    if letter.lower() not in "qrbn":
        return chair, None
    return chair.cleared(), chess.Move.from_uci(chair.promoting + letter.lower())


def _with_cursor(chair: Chair, board: chess.Board) -> tuple[Chair, chess.Move | None]:
    square = chess.parse_square(chair.cursor)
    piece = board.piece_at(square)
    own = piece is not None and piece.color == (chair.side == "white")
    if chair.hand == chair.cursor:
        return replace(chair, hand=""), None
    if own:
        return replace(chair, hand=chair.cursor, wrong=""), None
    if not chair.hand:
        return replace(chair, wrong=_("None of your pieces stands on {square}.").format(square=chair.cursor)), None
    if needs_promotion(board, chess.parse_square(chair.hand), square):
        return replace(chair, promoting=chair.hand + chair.cursor, wrong=""), None
    move = read_move(board, chair.hand + chair.cursor)
    return chair.cleared(), move
