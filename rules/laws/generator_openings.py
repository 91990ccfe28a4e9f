"""A small opening book for generated games: how often each line is chosen, and the line.

Lines are in SAN without move numbers. `THEMES` are lines that contain something seldom seen, for coverage-driven games;
`SHORT_ENDINGS` are complete short games, the last resort when no playout reaches its goal within the permitted length.
"""

from __future__ import annotations

OPENINGS: tuple[tuple[int, str], ...] = (
    (9, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6"),
    (6, "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6"),
    (4, "e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Be7"),
    (3, "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6"),
    (3, "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4"),
    (2, "e4 e5 Nc3 Nf6 f4 d5"),
    (2, "e4 e5 f4 exf4 Nf3 g5"),
    (2, "e4 e5 Bc4 Nf6 d3 c6"),
    (3, "e4 e5 Nf3 d6 d4 Nf6"),
    (2, "e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5 Bb4"),
    (8, "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6"),
    (5, "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6"),
    (4, "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6"),
    (3, "e4 c5 c3 Nf6 e5 Nd5"),
    (2, "e4 c5 Nc3 Nc6 g3 g6"),
    (2, "e4 c5 d4 cxd4 c3 dxc3"),
    (3, "e4 c5 Nf3 Nc6 Bb5 g6"),
    (6, "e4 e6 d4 d5 Nc3 Nf6"),
    (3, "e4 e6 d4 d5 e5 c5 c3 Nc6"),
    (3, "e4 e6 d4 d5 Nd2 c5"),
    (5, "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5"),
    (3, "e4 c6 d4 d5 e5 Bf5"),
    (3, "e4 d5 exd5 Qxd5 Nc3 Qa5"),
    (3, "e4 d6 d4 Nf6 Nc3 g6"),
    (2, "e4 g6 d4 Bg7 Nc3 d6"),
    (2, "e4 Nf6 e5 Nd5 d4 d6"),
    (1, "e4 b6 d4 Bb7 Bd3 e6"),
    (7, "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7"),
    (6, "d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4"),
    (4, "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6"),
    (2, "d4 d5 c4 e5 dxe5 d4"),
    (5, "d4 d5 Nf3 Nf6 Bf4 e6"),
    (3, "d4 d5 Nf3 Nf6 e3 e6 Bd3 c5"),
    (6, "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6"),
    (3, "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5"),
    (5, "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O"),
    (4, "d4 Nf6 c4 e6 Nf3 b6 g3 Bb7"),
    (2, "d4 Nf6 c4 c5 d5 b5 cxb5 a6"),
    (2, "d4 Nf6 c4 e5 dxe5 Ng4"),
    (3, "d4 Nf6 Bg5 Ne4 Bf4 d5"),
    (2, "d4 f5 g3 Nf6 Bg2 e6"),
    (4, "c4 e5 Nc3 Nf6 Nf3 Nc6"),
    (3, "c4 c5 Nf3 Nf6 g3 g6"),
    (3, "Nf3 d5 g3 Nf6 Bg2 e6"),
    (2, "Nf3 Nf6 c4 g6 g3 Bg7"),
    (1, "b3 e5 Bb2 Nc6 e3 d5"),
    (1, "f4 d5 Nf3 Nf6 e3 g6"),
    (1, "b4 e5 Bb2 Bxb4 Bxe5 Nf6"),
    (1, "Nc3 d5 e4 d4 Nce2 e5"),
    (1, "g3 d5 Bg2 Nf6 d3 c6"),
)

THEMES: dict[str, tuple[str, ...]] = {
    "white-en-passant": ("e4 e6 e5 d5 exd6 Bxd6", "e4 c6 e5 f5 exf6 gxf6"),
    "black-en-passant": ("Nf3 d5 a3 d4 e4 dxe3 fxe3", "g3 c5 Bg2 c4 d4 cxd3 cxd3"),
    "double-check": (
        "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nf6 Qd3 Nxe4 Qxe4 Qd5 Qd3 Bf5 Qe2 Na6 Bd2 e5 dxe5 O-O-O",
        "e4 e5 Nf3 Nf6 Nxe5 Nxe4 Qe2 Nd6 Nc6+ Be7 Nxd8 Kxd8",
        "e4 e5 Nf3 d6 d4 exd4 Nxd4 Nf6 Nc3 Be7 Bf4 O-O Qd2 Re8 O-O-O Nxe4 Nxe4 d5 Nf6+ Bxf6",
    ),
    "white-castles-long": ("d4 d5 Nc3 Nf6 Bf4 Bf5 Qd2 e6 O-O-O",),
    "black-castles-long": ("Nf3 d5 g3 Nc6 Bg2 Bg4 O-O Qd7 d3 O-O-O",),
    "promotion-knight": ("d4 d5 c4 e5 dxe5 d4 e3 Bb4+ Bd2 dxe3 Bxb4 exf2+ Ke2",),
    "capture-promotion": ("e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nbd7",),
    "promotion-queen": ("d4 d5 c4 e5 dxe5 d4 e3 Bb4+ Bd2 dxe3 Bxb4 exf2+ Ke2",),
    "promotion-rook": ("e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nbd7",),
    "promotion-bishop": ("e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nbd7",),
}

SHORT_ENDINGS: dict[str, str] = {
    "checkmate:white": "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#",
    "checkmate:black": "f3 e5 g4 Qh4#",
    "stalemate:white": "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
}
