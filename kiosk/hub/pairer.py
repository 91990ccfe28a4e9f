"""Pairing outside the hub's process: a long computation must not stop the hall, and dies with its parent's pipe.

`python -m kiosk.hub.pairer` reads one `Job` as JSON from stdin and writes one `Outcome` as JSON to stdout.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from gettext import gettext as _

import msgspec

from rules.pairing.registry import SYSTEMS
from rules.pairing.state import NoPairing, PairingAnswer, PairingState


class Job(msgspec.Struct, frozen=True):
    """What to pair, and with which system of `rules.pairing.registry`."""

    system: str
    state: PairingState


class Outcome(msgspec.Struct, frozen=True):
    """The answer, or why there is none (`why` is a sentence)."""

    answer: PairingAnswer | None = None
    why: str = ""


Pairer = Callable[[Job], Awaitable[Outcome]]


def pair(job: Job) -> Outcome:
    """Pair here and now; can take seconds for large fields."""
    try:
        return Outcome(SYSTEMS[job.system](job.state))
    except NoPairing as error:
        return Outcome(None, str(error))


async def pair_in_process(job: Job) -> Outcome:
    """Pair in a child process of its own. Never raises: a child that fails becomes an outcome without an answer."""
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "kiosk.hub.pairer",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        return Outcome(None, _("The pairing program could not be started ({error}); try again.").format(error=error))
    try:
        out, err = await child.communicate(msgspec.json.encode(job))
    except asyncio.CancelledError:
        if child.returncode is None:
            child.kill()
        raise
    if child.returncode == 0:
        try:
            return msgspec.json.decode(out, type=Outcome)
        except msgspec.MsgspecError as error:
            err = str(error).encode()
    last = err.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return Outcome(None, _("The pairing program failed ({reason}); try again.").format(reason=last or child.returncode))


def main() -> int:
    """One job from stdin to stdout."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    sys.stdout.buffer.write(msgspec.json.encode(pair(job)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
