"""Who may speak in a hall, as a fold over what was granted and revoked; and the server's users file made from it.

Only allow-lists, never deny-lists: what is not named here is nobody's. A table may write on three subjects of its own
and read its own and those for all tables; nobody but the hub may write to a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from hallnet.wire import MAX_PAYLOAD, Address

#: Who a key is for. A "wall" sees what desks see and may change nothing; a "feed" reads what is public.
Role = Literal["hub", "table", "desk", "wall", "standby", "feed", "enrol"]
ROLES: tuple[Role, ...] = ("hub", "table", "desk", "wall", "standby", "feed", "enrol")
#: How long an old key of the same holder is still let in after a new one was granted (ms).
ROTATION_MS = 60_000
#: What a device that is not let in yet, or a spectator, may send at most (bytes), and how many such devices at a time.
DOOR_PAYLOAD = 4_096
DOOR_CONNECTIONS = 64
TABLE_WRITES = ("up", "hb", "ask")
TABLE_READS = ("ack", "hbr", "snap", "asg", "ord", "past")


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """A key was granted to a holder, or revoked; `at` is wall ms, `by` who did it."""

    at: int
    kind: Literal["granted", "revoked"]
    public: str
    role: Role
    name: str
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """A key that is let in, until `until` (wall ms) if it is being replaced."""

    public: str
    role: Role
    name: str
    at: int
    until: int | None = None


class Keyring:
    """All keys of a hall."""

    def __init__(self, events: Iterable[KeyEvent] = ()) -> None:
        self.grants: dict[str, Grant] = {}
        self.revoked: dict[str, KeyEvent] = {}
        for event in events:
            self.fold(event)

    def fold(self, event: KeyEvent) -> None:
        """One event. A second key for the same holder replaces the first, which stays good for a minute."""
        if event.kind == "revoked":
            self.grants.pop(event.public, None)
            self.revoked[event.public] = event
            return
        for grant in tuple(self.grants.values()):
            same = (grant.role, grant.name) == (event.role, event.name)
            if same and grant.public != event.public and grant.until is None:
                until = event.at + ROTATION_MS
                self.grants[grant.public] = Grant(grant.public, grant.role, grant.name, grant.at, until)
        self.revoked.pop(event.public, None)
        self.grants[event.public] = Grant(event.public, event.role, event.name, event.at)

    def holders(self, role: Role, name: str) -> tuple[Grant, ...]:
        """The keys of a holder."""
        return tuple(g for g in self.grants.values() if (g.role, g.name) == (role, name))

    def due(self, now: int) -> tuple[Grant, ...]:
        """Replaced keys whose minute is over."""
        return tuple(g for g in self.grants.values() if g.until is not None and now >= g.until)

    def may_act(self, desk: str) -> bool:
        """May a desk change something? One that only a wall's key was made for may not."""
        roles = {grant.role for grant in self.grants.values() if grant.name == desk and grant.role in ("desk", "wall")}
        return roles != {"wall"}


def permissions(grant: Grant, address: Address) -> Mapping[str, tuple[str, ...]]:
    """The subjects a key may publish on and subscribe to."""
    root, own = address.root, f"{address.root}.t.{grant.name}"
    # An empty list would mean "everything" to the server: a subject that nobody hears means nothing.
    nothing = (f"{root}.nothing",)
    match grant.role:
        case "hub":
            # A site's stream answers on a subject of the hub's own choice: that is what _INBOX is for.
            up = f"site.{address.event}.{address.hall}.log"
            return {"publish": (f"{root}.>", f"pub.{address.event}.>", up), "subscribe": (f"{root}.>", "_INBOX.>")}
        case "table":
            reads = (*(f"{own}.{leaf}" for leaf in TABLE_READS), f"{root}.all.>")
            return {"publish": tuple(f"{own}.{leaf}" for leaf in TABLE_WRITES), "subscribe": reads}
        case "desk" | "wall":
            desk = f"{root}.d.{grant.name}"
            return {"publish": (f"{desk}.in",), "subscribe": (f"{desk}.out", f"{root}.desks.>")}
        case "standby":
            return {
                "publish": (f"{root}.repl.in", f"{root}.repl.want"),
                "subscribe": (f"{root}.repl.out", f"{root}.repl.keys"),
            }
        case "enrol":
            return {"publish": (f"{root}.enrol.*.up",), "subscribe": (f"{root}.enrol.*.down",)}
        case "feed":
            return {"publish": nothing, "subscribe": (f"pub.{address.event}.>",)}


@dataclass(frozen=True, slots=True)
class _Account:
    """One of the server's accounts: what it may send at most, what of it the hub hears, what it hears of the hub."""

    name: str
    roles: tuple[Role, ...]
    limits: str
    to_hub: tuple[str, ...] = ()
    from_hub: tuple[str, ...] = ()


def _accounts(address: Address) -> tuple[_Account, ...]:
    """Everybody but the hub has an account whose limits the server itself enforces; nothing goes round the hub."""
    root = address.root
    table, desk, enrol = f"{root}.t.*", f"{root}.d.*", f"{root}.enrol.*"
    return (
        _Account(
            "FLOOR",
            ("table", "desk", "wall", "standby"),
            f"max_payload: {MAX_PAYLOAD}",
            (*(f"{table}.{leaf}" for leaf in TABLE_WRITES), f"{desk}.in", f"{root}.repl.in", f"{root}.repl.want"),
            (
                *(f"{table}.{leaf}" for leaf in TABLE_READS), f"{root}.all.>", f"{desk}.out", f"{root}.desks.>",
                f"{root}.repl.out", f"{root}.repl.keys",
            ),
        ),
        _Account(
            "DOOR", ("enrol",), f"max_payload: {DOOR_PAYLOAD}, max_connections: {DOOR_CONNECTIONS}",
            (f"{enrol}.up",), (f"{enrol}.down",),
        ),
        _Account("PUBLIC", ("feed",), f"max_payload: {DOOR_PAYLOAD}", (), (f"pub.{address.event}.>",)),
    )  # fmt: skip


def users_file(grants: Iterable[Grant], address: Address) -> str:
    """The server's accounts: the hub's, that of tables and desks, that of the door, and the spectators'."""
    users: dict[str, list[str]] = {}
    for grant in sorted(grants, key=lambda g: (g.role, g.name, g.public)):
        allowed = permissions(grant, address)
        user = (
            f"{{nkey: {grant.public}, permissions: {{publish: {json.dumps(allowed['publish'])},"
            f" subscribe: {json.dumps(allowed['subscribe'])}}}}}"
        )
        users.setdefault(grant.role, []).append(f"      {user}  # {grant.role} {grant.name}")
    accounts = _accounts(address)
    lines = ["# Written by the hub from its log; changes here are lost.", "accounts {", "  HALL {", "    users: ["]
    lines += [*users.get("hub", ()), "    ]"]
    lines += _list("exports", [f"{{stream: {json.dumps(s)}}}" for account in accounts for s in account.from_hub])
    lines += _list("imports", [_import(account.name, s) for account in accounts for s in account.to_hub])
    lines.append("  }")
    for account in accounts:
        lines += [f"  {account.name} {{", f"    limits: {{{account.limits}}}", "    users: ["]
        lines += [line for role in account.roles for line in users.get(role, ())] + ["    ]"]
        lines += _list("exports", [f"{{stream: {json.dumps(s)}}}" for s in account.to_hub])
        lines += _list("imports", [_import("HALL", s) for s in account.from_hub])
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _import(account: str, subject: str) -> str:
    return f"{{stream: {{account: {account}, subject: {json.dumps(subject)}}}}}"


def _list(name: str, items: list[str]) -> list[str]:
    return [f"    {name}: [", *(f"      {item}" for item in items), "    ]"] if items else []
