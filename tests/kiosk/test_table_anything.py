"""Whatever a face asks of a table and the hub orders it: each is answered, and the log alone gives the same game."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from hallnet import wire
from hallnet.outbox import Outbox
from kiosk.table.core import _INTENTS, FromFace, FromHub, Replied, TableCore
from kiosk.table.timeline import Timeline
from rules.laws.game import replay
from rules.laws.game_orders import _ORDERS
from tests.rules.tables import assignment

ODD: tuple[Any, ...] = (
    None, 0, 1, 5, -1, 2**70, "", "white", "black", "x", "1-0", "0-1", "1/2-1/2", "2-0", "é" * 2_000, "a\nb", "\x00",
    [], {}, ["a"], True, 1.5, "repetition", "flag", "illegal-move", "touch-move", "increment", "normal-means",
    "fifty-moves", "yes", "no", "e2e4", "e7e5", "0000",
)  # fmt: skip
ASKED = ("side", "score", "says", "id", "value", "what", "move", "why", "pause")
ORDERED = (
    "side", "score", "by", "white_ms", "black_ms", "bonus_ms", "ply", "fen", "offence", "error", "restart", "resume",
    "move", "unsealed", "squares", "action", "ms", "off_ms", "count", "hash", "postpone", "increment", "white_name",
    "white_tpn", "board", "why", "envelope",
)  # fmt: skip
EDITIONS = ("", "club1997", "fide2023 finish=guidelines-iii", "fide2023 finish=guidelines-iii-alone draw_moves=3")


def odd(dice: random.Random, names: tuple[str, ...], values: tuple[Any, ...] = ODD) -> dict[str, Any]:
    return {name: dice.choice(values) for name in dice.sample(names, dice.randrange(8))}


@pytest.mark.parametrize("seed", range(12))
def test_odd_requests_and_orders_are_answered_and_leave_a_log_that_can_be_read(tmp_path: Path, seed: int) -> None:
    dice = random.Random(f"odd requests {seed}")
    outbox = Outbox.open(tmp_path / "table-1.db")
    core = TableCore(outbox, Timeline(), "boot")
    core.step([FromHub(wire.Snapshot(e=1, inc=1, last=0))])
    game = assignment("60", edition=EDITIONS[seed % len(EDITIONS)])
    core.step([FromHub(wire.assignment_message(game, "prepared"))])
    core.step([FromHub(wire.OrderMsg(id="start", game=game.game, kind="start"))])
    for n in range(60):
        side = {"side": dice.choice(("white", "black"))} if dice.random() < 0.8 else {}
        outputs = core.step([FromFace(n, dice.choice((*_INTENTS, "dance")), odd(dice, ASKED) | side)])
        (reply,) = (output.reply for output in outputs if isinstance(output, Replied))
        assert reply.ok or len(reply.why) > 3
        if dice.random() < 0.2:
            plain = tuple(value for value in ODD if isinstance(value, int | str))
            order = wire.OrderMsg(
                id=f"o{n}", game=game.game, kind=dice.choice(tuple(_ORDERS)), d=odd(dice, ORDERED, plain)
            )
            core.step([FromHub(order)])
            assert order.id in core._keeper.state.orders, "it was carried out, or the hub hears why not"
    outbox.close()
    again = Outbox.open(tmp_path / "table-1.db")
    assert again.notices == ()
    assert replay(again.events()) == core._keeper.state
    again.close()
