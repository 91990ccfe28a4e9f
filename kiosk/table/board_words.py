"""What is wrong on a board, in words for the people at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _
from gettext import ngettext

import chess

from drivers.interfaces import FaultReport
from rules.laws.observer_alerts import Alert, Code
from rules.laws.observer_sight import Sight

#: More squares than this are not listed one by one.
LISTED = 3


def difference(placement: str, board: chess.BaseBoard) -> str:
    """How the board (`placement`) differs from the record's position, square by square."""
    seen = chess.BaseBoard(placement)
    words = []
    for square in chess.SQUARES:
        there, wanted = seen.piece_at(square), board.piece_at(square)
        if there == wanted:
            continue
        name = chess.square_name(square)
        if there is None and wanted is not None:
            words.append(_("{square}: {piece} missing").format(square=name, piece=piece_name(wanted)))
        elif wanted is None and there is not None:
            words.append(_("{square}: {piece} too many").format(square=name, piece=piece_name(there)))
        elif there is not None and wanted is not None:
            words.append(
                _("{square}: {piece} instead of {wanted}").format(
                    square=name, piece=piece_name(there), wanted=piece_name(wanted)
                )
            )
    listed = ", ".join(words[:LISTED])
    if len(words) > LISTED:
        return _("{squares} and {count} more squares").format(squares=listed, count=len(words) - LISTED)
    return listed


def stands(sight: Sight, known: chess.BaseBoard | None) -> str:
    """What stands on the board as a FEN placement, with `known` to tell the pieces that the sensor cannot tell.

    A piece that has left its square stands where something new does. "" where nobody can know any piece.
    """
    if sight.pieces is not None and not sight.unknown:
        return sight.pieces.board_fen()
    if known is None:
        return ""
    board = sight.pieces.copy() if sight.pieces is not None else chess.BaseBoard(None)
    unnamed = sight.occupied & ~board.occupied
    for square in chess.scan_forward(unnamed & known.occupied):
        board.set_piece_at(square, known.piece_at(square))
    missing = sorted(
        chess.scan_forward(known.occupied & ~sight.occupied),
        key=lambda square: known.piece_type_at(square) or 0,
        reverse=True,
    )
    for square in chess.scan_forward(unnamed & ~known.occupied):
        if missing:
            board.set_piece_at(square, known.piece_at(missing.pop(0)))
    return board.board_fen()


def alert_words(alert: Alert, placement: str, record: chess.BaseBoard | None) -> str:
    """What the observer has found, as a sentence without a full stop; square by square where that is all.

    "" if nothing is wrong any more: `placement` is what the record has.
    """
    words = _WORDS.get(alert.code)
    if words is not None:
        return words(alert)
    return difference(placement, record) if placement and record is not None else ", ".join(alert.squares)


_WORDS: Mapping[Code, Callable[[Alert], str]] = {
    "takeback": lambda alert: ngettext(
        "the last move is undone on the board",
        "the last {plies} moves are undone on the board",
        alert.plies or 1,
    ).format(plies=alert.plies),
    "start_position_seen": lambda alert: _("the start position stands on the board"),
    "wrong_turn": lambda alert: _("{side} has moved out of turn").format(
        side=_("White") if alert.side == "white" else _("Black")
    ),
    "piece_swap_suspected": lambda alert: _("perhaps two pieces were exchanged: {squares}").format(
        squares=", ".join(alert.squares)
    ),
    "orientation_unknown": lambda alert: _("it cannot be seen which way round the board lies"),
    "resync_ambiguous": lambda alert: _(
        "moves were made while the board was not connected, and more than one order of them is possible"
    ),
    "result_gesture": lambda alert: _("the kings show {result}").format(result=alert.result),
    "flicker": lambda alert: _("{squares}: the sensor flickers").format(squares=", ".join(alert.squares)),
}


def fault_words(report: FaultReport) -> str:
    """A contact of the clock that needs looking after, or no longer does; the same of a clock on the board."""
    if report.part == "display":
        return _("the clock on the board shows the times") if report.over else _DISPLAY[report.fault]()
    if report.fault == "silent":
        return (
            _("the clock answers again")
            if report.over
            else _("the clock does not answer, presses are not seen: switch it on, and look at its plug")
        )
    if report.over:
        return _("the clock's contacts are in order again")
    if report.fault == "stuck":
        side = _("White") if report.side == "white" else _("Black")
        return _("the plunger of {side} has been down for long: look whether it is stuck").format(side=side)
    if report.fault == "noisy":
        side = _("White") if report.side == "white" else _("Black")
        return _("the contact of {side} chatters: look at its cable").format(side=side)
    if report.fault == "both-down":
        return _("both plungers are down: look at the clock")
    return ngettext(
        "{count} press may be missing: the machine was too busy to read the clock's contacts",
        "{count} presses may be missing: the machine was too busy to read the clock's contacts",
        report.count,
    ).format(count=report.count)


_DISPLAY: Mapping[str, Callable[[], str]] = {
    "absent": lambda: _("no clock hangs on the board: plug it in, or look at its cable"),
    "silent": lambda: _("the clock on the board does not answer: switch it on, and look at its cable"),
    "refuses": lambda: _(
        "the clock on the board does not let itself be set: choose its option 25 (DGT 3000) or 23 (DGT XL, 2010)"
    ),
}


def wrong_times_words(shown: tuple[int, int], wanted: tuple[int, int]) -> str:
    """A clock that is only a display shows other times (s, White's and Black's) than the table's."""
    return _(
        "the DGT clock shows {shown} instead of {wanted}, and is set again: the table's own times count, they are on "
        "the screen"
    ).format(shown=_times(shown), wanted=_times(wanted))


def _times(seconds: tuple[int, int]) -> str:
    white, black = (f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" for s in seconds)
    return f"{white} / {black}"


def battery_words(part: str, percent: int) -> str:
    """A battery that runs low."""
    return _("the battery of the {part} is down to {percent} %").format(
        part={"board": _("board"), "clock": _("clock")}.get(part, part), percent=percent
    )


def piece_name(piece: chess.Piece) -> str:
    """ "white knight" and so on."""
    names = {
        chess.PAWN: (_("white pawn"), _("black pawn")),
        chess.KNIGHT: (_("white knight"), _("black knight")),
        chess.BISHOP: (_("white bishop"), _("black bishop")),
        chess.ROOK: (_("white rook"), _("black rook")),
        chess.QUEEN: (_("white queen"), _("black queen")),
        chess.KING: (_("white king"), _("black king")),
    }
    return names[piece.piece_type][0 if piece.color == chess.WHITE else 1]
