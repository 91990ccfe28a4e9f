"""64 letters from a8 to h1 ↔ the first field of a FEN; what every board protocol needs once."""

from __future__ import annotations


def placement(squares: str) -> str:
    """The first field of a FEN for 64 letters from a8 to h1; "." and "?" (no chessman) count as empty."""
    ranks = []
    for first in range(0, 64, 8):
        rank, empty = "", 0
        for piece in squares[first : first + 8]:
            if piece in ".?":
                empty += 1
                continue
            rank += (str(empty) if empty else "") + piece
            empty = 0
        ranks.append(rank + (str(empty) if empty else ""))
    return "/".join(ranks)


def unknown(squares: str) -> int:
    """The squares (a1 = bit 0) of the 64 letters from a8 to h1 on which "?" stands."""
    return sum(1 << (index ^ 56) for index, piece in enumerate(squares) if piece == "?")


def letters(fen: str) -> str:
    """The 64 letters from a8 to h1 of the first field of a FEN; raises ValueError for what is none."""
    found = ""
    for sign in fen.split(" ")[0].replace("/", ""):
        found += "." * int(sign) if sign.isdigit() else sign
    if len(found) != 64 or set(found) - set(".PNBRQKpnbrqk"):
        raise ValueError(f"no placement: {fen}")
    return found
