"""Words for the values on the wire, in the language of the hall."""

from __future__ import annotations

import chess

from kiosk.widgets.language import _
from rules.laws.events import OTHER_MOVES, OTHERS, Player, Side


def side_name(side: Side) -> str:
    """ "White" or "Black"."""
    return _("White") if side == "white" else _("Black")


def score_text(score: str) -> str:
    """`1-0`, `0-1`, `½-½`, `0-0`."""
    return "½-½" if score == "1/2-1/2" else score


def result_words(code: str) -> str:
    """A result code (`rules.tournament.results`) in words: who gets what, and whether it was played and is rated."""
    known = {
        "0-0": _("0-0, both lose"),
        "1-0F": _("1-0 by forfeit, Black did not come"),
        "0-1F": _("0-1 by forfeit, White did not come"),
        "0-0F": _("0-0 by forfeit, nobody came"),
        "1/2-0": _("½-0 by ruling"),
        "0-1/2": _("0-½ by ruling"),
        "1-0U": _("1-0 unrated"),
        "0-1U": _("0-1 unrated"),
        "1/2-1/2U": _("½-½ unrated"),
    }
    return known.get(code, score_text(code))


def result_in_short(code: str) -> str:
    """A result code in at most twelve columns."""
    plain = score_text(code.rstrip("FU")).replace("1/2", "½")
    return plain + {"F": " " + _("forfeit"), "U": " " + _("unrated")}.get(code[-1:], "")


def ending(by: str) -> str:
    """What ended a game, as in "1-0 by checkmate"; unknown words are shown as they came."""
    known = {
        "checkmate": _("checkmate"),
        "resignation": _("resignation"),
        "stalemate": _("stalemate"),
        "dead-position": _("dead position"),
        "agreement": _("agreement"),
        "repetition": _("repetition"),
        "fifty-moves": _("fifty moves"),
        "fivefold-repetition": _("fivefold repetition"),
        "seventy-five-moves": _("seventy-five moves"),
        "flag": _("flag fall"),
        "illegal-move": _("illegal move"),
        "ruling": _("ruling of the arbiter"),
        "default": _("default time"),
    }
    return known.get(by, by)


def call_kind(kind: str) -> str:
    """The kind of a call of the arbiter."""
    known = {
        "call": _("call"),
        "claim": _("claim"),
        "dispute": _("dispute"),
        "unexplained": _("board unclear"),
        "resume": _("wait for resume"),
        "times": _("clocks to set"),
        "illegal-move": _("illegal move"),
        "fault": _("fault"),
        "no-result": _("result missing"),
        "refused": _("sheet refused"),
        "order": _("order not done"),
        "default": _("default time"),
        "undetermined": _("can he mate?"),
        "announced": _("other move made"),
    }
    return known.get(kind, kind)


def option(value: str) -> str:
    """A permitted answer, as a word."""
    known = {
        "yes": _("yes"),
        "no": _("no"),
        "accept": _("accept"),
        "decline": _("decline"),
        "refuse": _("decline"),
        "q": _("queen"),
        "r": _("rook"),
        "b": _("bishop"),
        "n": _("knight"),
        "queen": _("queen"),
        "rook": _("rook"),
        "bishop": _("bishop"),
        "knight": _("knight"),
        OTHERS: _("elsewhere"),
        OTHER_MOVES: _("other moves"),
    }
    return known.get(value) or _way(value)


def _way(value: str) -> str:
    """A move in UCI as the way that the piece went; anything else as it is."""
    if len(value) in (4, 5) and value[:2] in chess.SQUARE_NAMES and value[2:4] in chess.SQUARE_NAMES:
        return f"{value[:2]}-{value[2:]}"
    return value


def full_name(player: Player) -> str:
    """Title and name."""
    return f"{player.title} {player.name}" if player.title else player.name


def rating_text(rating: int) -> str:
    """The rating, or nothing for an unrated player."""
    return str(rating) if rating else ""


def cut(text: str, width: int) -> str:
    """`text` in at most `width` columns, with `…` where it was cut."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""


def cut_at_word(text: str, width: int) -> str:
    """A sentence in at most `width` columns: what does not fit is left out from a word on, with `…` for it."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    short = cut(text, width)
    whole = short[:-1].rpartition(" ")[0].rstrip(" ·,;:-")
    # Where one long word would leave next to nothing, a part of it says more.
    return whole + "…" if 2 * cell_len(whole) >= width else short
