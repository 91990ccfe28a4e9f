"""Whether the winner of a provisional result can mate at all: a search in a process of its own (Laws 6.9).

The live check of a table has 30 ms; this one may think for seconds while the players shake hands.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from dataclasses import dataclass

from rules.laws.events import Side
from rules.laws.game import GameState
from rules.laws.winnable import Verdict, proof_in_words

log = logging.getLogger(__name__)

#: CPU time for one question (ms), and the real time after which it is given up (s).
BUDGET_MS = 5_000
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found for `game`: why the winner cannot mate, or how he can; nothing when it stays open."""

    game: str
    proof: str = ""
    line: tuple[str, ...] = ()


def question(state: GameState) -> tuple[str, Side] | None:
    """The position and the side whose win is in doubt, if the result of this game is provisional."""
    if "undetermined" not in state.evidence or state.phase != "ended" or state.score not in ("1-0", "0-1"):
        return None
    return state.fen, "white" if state.score == "1-0" else "black"


async def judge(game: str, fen: str, side: Side, budget_ms: int = BUDGET_MS) -> Judged:
    """Asks `hallkiosk winnable`; an answer that cannot be had leaves the question to the arbiter."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kiosk", "winnable", "--fen", fen, "--side", side, "--budget", str(budget_ms), "--json",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE_S):
            out, err = await process.communicate()
        answer = json.loads(out)
        verdict = Verdict(answer["verdict"], tuple(answer["line"]) if answer["line"] else None, answer["by"], 0)
    except TimeoutError:
        log.warning("the search for a mate did not end in time")
        return Judged(game)
    except (ValueError, KeyError, TypeError):
        log.warning("the search for a mate gave no answer: %s", err.decode("utf-8", "replace").strip())
        return Judged(game)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Judged(game, proof_in_words(verdict), verdict.line or ())
