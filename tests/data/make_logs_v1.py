"""Makes outbox_v1.db and hall_v1.db, one log of each kind in format 1. They are checked in and never made again.

A later format keeps these files and gets a builder of its own: run this one only with the program that wrote format 1.
"""

from __future__ import annotations

from pathlib import Path

from hallnet.hall_log import HallLog
from hallnet.outbox import Outbox, Stamp
from rules.laws.events import (
    Adjusted,
    Answer,
    Assigned,
    Assignment,
    Board,
    Call,
    Claim,
    Confirmed,
    Disputed,
    Ended,
    Fault,
    Flag,
    Offer,
    OrderDone,
    Paused,
    Player,
    Ply,
    Press,
    Question,
    Ready,
    Resigned,
    Result,
    Resumed,
    Seated,
    Start,
)
from rules.tournament.entries import Entry
from rules.tournament.events import (
    ByeGranted,
    CallClosed,
    CallOpened,
    Created,
    DeviceEnrolled,
    DraftDropped,
    Entered,
    Finished,
    HubOpened,
    OrderConfirmed,
    Ordered,
    Pair,
    Paired,
    Published,
    Regulations,
    Resulted,
    RoundSealed,
    Started,
    Withdrawn,
)

HERE = Path(__file__).parent
WALL = 1_795_000_000_000
STAMP = Stamp(WALL, 60_000_000, "6a1f0c2e-0000-4000-8000-000000000001", True)
AFTER_BOOT = Stamp(WALL + 900_000, 30_000_000, "6a1f0c2e-0000-4000-8000-000000000002", False)
ANNA, BORIS = Player(1, "Nováková, Anna", 2105, "WFM", "CZE"), Player(2, "Søby, Boris", 1980)
GAME = Assignment("ostrava", 1, 1, "r1b1", 1, ANNA, BORIS, "15+10", 1)
OTHER = Assignment("ostrava", 2, 1, "r2b1", 1, BORIS, ANNA, "15+10", 2)


def make_outbox(path: Path) -> None:
    """A table that was enrolled, played the shortest game there is, was replaced and met everything else."""
    outbox = Outbox.open(path)
    outbox.enrol(1, STAMP, 1_000, "enrolled")
    before = [Assigned(2_000, 1, 1, GAME), Seated(3_000, "white"), Seated(3_100, "black")]
    outbox.append([*before, Ready(4_000, "white"), Ready(4_100, "black"), Start(5_000, "o1")], "r1b1", STAMP)
    left = {"white": 900_000, "black": 900_000}
    for n, uci in enumerate(("f2f3", "e7e5", "g2g4", "d8h4")):
        side, t = ("white", "black")[n % 2], 6_000 + 2_000 * n
        left[side] -= 1_000 if n == 0 else 2_000
        outbox.append([Ply(t, side, uci, left["white"], left["black"])], "r1b1", STAMP)
        if n < 3:
            left[side] += 10_000
            outbox.append([Press(t, side, left["white"], left["black"])], "r1b1", STAMP)
    outbox.append([Ended(12_000, "0-1", "checkmate", {"article": "5.1.1"}), Result(12_000, "0-1")], "r1b1", STAMP)
    outbox.append([Confirmed(20_000, "white", "0-1"), Confirmed(21_000, "black", "0-1")], "r1b1", STAMP)
    outbox.acknowledge(1, 12, 1)
    outbox.enrol(2, AFTER_BOOT, 30_000, "replaced")
    every_kind = [
        Assigned(30_100, 2, 1, OTHER),
        Seated(30_200, "white"),
        Seated(30_200, "black"),
        Ready(30_300, "white"),
        Ready(30_300, "black"),
        Start(31_000),
        Ply(32_000, "white", "e2e4", 899_000, 900_000),
        Press(32_000, "white", 909_000, 900_000),
        Offer(33_000, "black"),
        Question(33_000, "q1", "white", "draw", ("yes", "no")),
        Answer(34_000, "q1", "white", "no"),
        Claim(35_000, "black", "repetition", "g8f6"),
        Call(36_000, None, "claim"),
        Paused(36_000, "table", 909_000, 896_000, "claim"),
        Adjusted(37_000, "o2", 911_000, 896_000, "bonus"),
        OrderDone(37_000, "o2"),
        Resumed(38_000, "arbiter", "black", "o3"),
        Board(39_000, "unexplained", "8/8/8/8/8/8/8/8", "piece fell"),
        Fault(40_000, "board", "cable"),
        Flag(41_000, "black"),
        Resigned(41_500, "black"),
        Disputed(42_000, "black", "1/2-1/2"),
    ]
    outbox.append(every_kind, "r2b1", AFTER_BOOT)
    outbox.journal(38_000, 911_000, 896_000, AFTER_BOOT)
    outbox.acknowledge(2, 5, 2)
    outbox.close()


def make_hall(path: Path, table: Path) -> None:
    """A hall of one table and an event of two players, with every kind of event."""
    log = HallLog.open(path)
    entries = (Entry(1, ANNA.name, 2105, "WFM", "CZE", 345678, "1999/05/04", "w"), Entry(2, BORIS.name, 1980))
    regulations = Regulations("Ostrava Open", 3, control="15+10", tie_breaks=("BH/C1", "SB"), arbiter="Eva", seed=7)
    log.append([Created(WALL, regulations), Entered(WALL, entries), HubOpened(WALL, 1, STAMP.boot)])
    draft = Paired(WALL, 1, (Pair(1, 1, 2),), None, {}, ("top half against bottom half",), "Eva")
    log.append([draft, DraftDropped(WALL, 1, "Eva"), draft, Published(WALL, 1, 1, "cafe", {"1": "3"}, "Eva")])
    outbox = Outbox.open(table)
    log.append([DeviceEnrolled(WALL, "3", 1, outbox.instance, "enrolled"), Started(WALL, 1, "Eva")])
    for msg in outbox.messages():
        if msg.e == 1:
            with log.transaction():
                log.insert("3", msg, WALL + 5)
                if msg.s == 18:
                    log.append([Resulted(WALL, 1, 1, "0-1", "confirmed", "table 3")], ("3", 1, 18))
    log.append(
        [
            CallOpened(WALL, "c1", 1, 1, "call", "white", "cup of coffee"),
            CallClosed(WALL, "c1", "given", "Eva"),
            Ordered(WALL, "o1", "3", "r1b1", "start", {}, "Eva"),
            OrderConfirmed(WALL, "o1", True),
            RoundSealed(WALL, 1),
            ByeGranted(WALL, 2, 2, "H", "Eva"),
            Withdrawn(WALL, 2, "Eva", "ill"),
            Finished(WALL, "Eva"),
        ]
    )
    log.set_aside("h1.ostrava.a.t.3.up", b"\xffnonsense", "not understood")
    log.conflict("3", next(outbox.messages()), "the number is taken")
    outbox.close()
    log.close()


if __name__ == "__main__":
    make_outbox(HERE / "outbox_v1.db")
    make_hall(HERE / "hall_v1.db", HERE / "outbox_v1.db")
