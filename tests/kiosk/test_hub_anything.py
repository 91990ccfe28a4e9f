"""Whatever a desk asks for is answered, and what was done can be folded, written into files and read again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from kiosk.hub import desk, desk_side, office
from kiosk.hub.export import event_trf, event_trf26, games_pgn, standings_json
from kiosk.hub.hall import read_hall
from rules.interchange.pgn import read_games
from rules.interchange.trf import OpenGames, read_trf
from tests.kiosk.hub_hall import Hall

KINDS = ("pair", *desk._HANDLERS, *desk_side._QUERIES, *office._ANSWERS)
FIELDS = (
    "act", "apart", "bonus_ms", "birth", "black", "black_ms", "board", "boards", "by_what", "bye", "call", "changes",
    "choices", "club", "code", "day", "envelope", "federation", "fen", "fide_id", "fide_rating", "first",
    "first_round", "forfeit", "id", "increment", "kind", "last_round", "list", "missing", "move", "ms", "name",
    "national_rating", "off_ms", "offence", "on", "order", "origin", "pairs", "players", "ply", "postpone", "present",
    "public", "rated", "rating", "role", "round", "ruling", "saw", "score", "second", "seed", "sex", "side", "squares",
    "swapped", "table", "title", "to", "to_move", "tpn", "unsealed", "valid_from", "value", "what", "white", "white_ms",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    0, 1, 2, 3, 7, -1, 2**31, 2**63, 2**70, "", "x", "1", "\x00", "a\nb", "é" * 40, "2026/02/30", "9999/99/99", True,
    False, None, 1.5, [], [1, 2], [[1, 2]], [[1, 2, 3]], {}, {"1": "event"}, {"rounds": 10**30}, {"prizes": ["x"]},
    {"start_date": "2026/13/40"}, {"end_date": "2026/02/29", "start_date": "2026/02/01"}, {"name": "a\nb"}, "white",
    "black", "H", "F", "Z", "U", "because", "standard", "3",
)  # fmt: skip


def wanted(dice: random.Random) -> tuple[str, dict[str, Any]]:
    """An intent with a handful of odd values, and some that could well be meant."""
    d = {field: dice.choice(ODD) for field in dice.sample(FIELDS, dice.randrange(12))}
    sensible = {
        "tpn": dice.randrange(1, 7),
        "board": dice.randrange(1, 4),
        "round": dice.randrange(1, 3),
        "score": dice.choice(("1-0", "1-0F", "1/2-0", "0-0", "0-1/2")),
        "rating": dice.choice((0, 1500, 4000, 10_000)),
        "why": "because",
    }
    return dice.choice(KINDS), d | {name: value for name, value in sensible.items() if dice.random() < 0.6}


@pytest.mark.parametrize("seed", range(10))
def test_odd_intents_are_answered_and_the_files_can_always_be_written(tmp_path: Path, seed: int) -> None:
    dice = random.Random(f"odd intents {seed}")
    hall = Hall(tmp_path, tables=4)
    hall.connect()
    for step in ("pair", "publish", "start")[: seed % 4]:
        hall.must(step)
    for _n in range(45):
        kind, d = wanted(dice)
        out = hall.do(kind, **d)
        if not out.ok and isinstance(out.d, dict) and out.d.get("token") and dice.random() < 0.7:
            out = hall.do(kind, **d, confirm=out.d["token"])
        assert out.ok or len(out.why) > 3, (kind, d)
    hall.settle()
    told = read_hall(hall.core.log)
    assert told.state == hall.core.hall.state
    files_can_be_written_and_read(hall)


def files_can_be_written_and_read(hall: Hall) -> None:
    """Each report has every player once, and as many games are told as were played."""
    state = hall.core.hall.state
    assert '"order"' in standings_json(state)
    names = {" ".join(entry.name.split())[:33].strip() for entry in state.entries.values()}
    for write in (event_trf, event_trf26):
        try:
            report, adjustments = read_trf(write(state), "event.trf")
        except OpenGames:
            assert state.finished
            continue
        assert {player.name for player in report.players} == names
        assert [a for a in adjustments if "name" in a.what] == []
    results = [sheet.results[p.board] for sheet in state.rounds if sheet.tables for p in sheet.pairs
               if p.board in sheet.results and sheet.results[p.board].source != "forfeit"]  # fmt: skip
    assert len(read_games(games_pgn(hall.core.hall), "games.pgn")) >= len(results)


def test_half_a_point_for_one_of_them_stands_in_all_files(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.connect()
    hall.begin_round()
    for board, score in ((1, "1/2-0"), (2, "0-1/2"), (3, "0-0")):
        hall.must("rule", board=board, score=score, why="by the regulations")
    hall.settle()
    games = read_games(games_pgn(hall.core.hall), "games.pgn")
    assert [game.result for game in games] == ["1/2-0", "0-1/2", "0-0"]
    report, _adjustments = read_trf(event_trf(hall.core.hall.state), "event.trf")
    assert sorted((player.points or 0) for player in report.players) == [0, 0, 0, 0, 1, 1]
