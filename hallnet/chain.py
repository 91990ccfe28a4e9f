"""The chain through a table's events: each carries the hash of the one before it, so a changed or missing one shows."""

from __future__ import annotations

import hashlib

import msgspec

from hallnet.wire import EventMsg


def chain_hash(msg: EventMsg) -> str:
    """The `prev` of the event that follows `msg`: 16 hex digits.

    They begin the SHA-256 of the message's JSON with the fields of wire version 1 in their order, `d` byte for byte as
    it was sent. The fields are named here one by one, so that a later optional field does not change old hashes.
    """
    canonical = {
        "v": msg.v,
        "e": msg.e,
        "s": msg.s,
        "g": msg.g,
        "kind": msg.kind,
        "wall": msg.wall,
        "mono": msg.mono,
        "boot": msg.boot,
        "sync": msg.sync,
        "prev": msg.prev,
        "d": msg.d,
    }
    return hashlib.sha256(msgspec.json.encode(canonical)).hexdigest()[:16]
