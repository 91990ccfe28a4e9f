"""The two sync cores against each other, over a link that loses, repeats and reorders."""

from __future__ import annotations

import hashlib
import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from hallnet.chain import chain_hash
from hallnet.sync_down import Inbox
from hallnet.sync_up import LONGEST_MS, SHORTEST_MS, UpLink
from hallnet.wire import EventMsg, batches, encode


def event(seq: int, prev: str, *, epoch: int = 1, data: str = '{"t":1,"side":"white"}') -> EventMsg:
    return EventMsg(
        e=epoch,
        s=seq,
        g="r1b1",
        kind="ready",
        wall=seq,
        mono=seq,
        boot="b",
        sync=True,
        prev=prev,
        d=msgspec.Raw(data.encode()),
    )


def chained(count: int, *, epoch: int = 1) -> list[EventMsg]:
    events: list[EventMsg] = []
    prev = ""
    for seq in range(1, count + 1):
        events.append(event(seq, prev, epoch=epoch))
        prev = chain_hash(events[-1])
    return events


class Link:
    """A table, a hub and what is under way between them, in virtual time. The hub's log outlives its kills."""

    def __init__(self, seed: int, *, drop: float, duplicate: float, delay: int, window: int) -> None:
        self.random = random.Random(seed)
        self.drop, self.duplicate, self.delay = drop, duplicate, delay
        self.window = window
        self.now = 0
        self.outbox: list[EventMsg] = []
        self.acked = 0
        self.up = UpLink(window=window, seed=seed)
        self.stored: dict[int, EventMsg] = {}
        self.effects: list[int] = []
        self.inbox = Inbox(1, 0, "")
        self.air: list[tuple[int, str, list[EventMsg] | int]] = []
        self.most_in_flight = 0

    def write(self, count: int) -> None:
        prev = chain_hash(self.outbox[-1]) if self.outbox else ""
        for _n in range(count):
            self.outbox.append(event(len(self.outbox) + 1, prev))
            prev = chain_hash(self.outbox[-1])
        self.up.state(len(self.outbox), self.acked)

    def kill_hub(self) -> None:
        seq = 0
        while seq + 1 in self.stored:
            seq += 1
        held = [msg for s, msg in sorted(self.stored.items()) if s > seq]
        self.inbox = Inbox(1, seq, chain_hash(self.stored[seq]) if seq else "", held)

    def send(self, kind: str, what: list[EventMsg] | int) -> None:
        for _copy in range(1 + (self.random.random() < self.duplicate)):
            if self.random.random() >= self.drop:
                self.air.append((self.now + self.random.randint(1, self.delay), kind, what))

    def turn(self) -> None:
        """Send what is due, and let the earliest thing that is pending happen."""
        while due := self.up.due(self.now):
            after, to = due
            self.most_in_flight = max(self.most_in_flight, to - self.acked)
            self.send("up", self.outbox[after:to])
            self.up.sent(self.now, to)
        wakeup = self.up.next_wakeup(self.now)
        arrival = min((item[0] for item in self.air), default=None)
        times = [t for t in (wakeup, arrival) if t is not None]
        if not times:
            return
        self.now = max(self.now, min(times))
        landed = [item for item in self.air if item[0] <= self.now]
        self.air = [item for item in self.air if item[0] > self.now]
        for _time, _kind, what in landed:
            if isinstance(what, int):
                self.up.acked(self.now, what, self.window)
                self.acked = max(self.acked, what)
                self.up.state(len(self.outbox), self.acked)
            else:
                for msg in what:
                    taken = self.inbox.take(msg)
                    if taken.verdict in ("new", "gap"):
                        self.stored[msg.s] = msg
                    self.effects += [m.s for m in taken.ready]
                self.send("ack", self.inbox.ack()[1])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    drop=st.floats(0, 0.6),
    duplicate=st.floats(0, 0.5),
    delay=st.integers(1, 4_000),
    window=st.integers(1, 32),
    story=st.lists(
        st.one_of(st.integers(1, 40), st.sampled_from(["kill hub", "cut", "turns"])), min_size=1, max_size=12
    ),
)
def test_whatever_the_link_does_every_event_has_its_effect_once_and_in_order(
    seed: int, drop: float, duplicate: float, delay: int, window: int, story: list[int | str]
) -> None:
    link = Link(seed, drop=drop, duplicate=duplicate, delay=delay, window=window)
    link.up.connected(0)
    for step in story:
        if isinstance(step, int):
            link.write(step)
        elif step == "kill hub":
            link.kill_hub()
        elif step == "cut":
            link.up.disconnected()
            assert link.up.due(link.now) is None
            link.air.clear()
            link.up.connected(link.now)
        for _turn in range(5):
            link.turn()
    link.drop = 0
    for _turn in range(2_000):
        if link.acked == len(link.outbox):
            break
        link.turn()
    assert link.effects == list(range(1, len(link.outbox) + 1))
    assert link.acked == len(link.outbox)
    assert [link.stored[s] for s in sorted(link.stored)] == link.outbox
    assert link.most_in_flight <= window


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(range(12)), copies=st.lists(st.integers(0, 11), max_size=10))
def test_any_order_with_repetitions_comes_out_in_order(order: list[int], copies: list[int]) -> None:
    events = chained(12)
    inbox = Inbox(1, 0, "")
    effects: list[int] = []
    for index in [*order, *copies]:
        taken = inbox.take(events[index])
        effects += [msg.s for msg in taken.ready]
        assert inbox.ack() == (1, len(effects))
        assert not taken.broken
    assert effects == list(range(1, 13))
    assert inbox.held == 0


def test_a_gap_is_neither_acknowledged_nor_effective_until_it_is_filled() -> None:
    one, two, three = chained(3)
    inbox = Inbox(1, 0, "")
    assert inbox.take(one).ready == (one,)
    gap = inbox.take(three)
    assert (gap.verdict, gap.ready, inbox.ack()) == ("gap", (), (1, 1))
    assert inbox.take(three).verdict == "duplicate"
    filled = inbox.take(two)
    assert (filled.verdict, filled.ready, inbox.ack()) == ("new", (two, three), (1, 3))


def test_other_epochs_are_told_apart() -> None:
    inbox = Inbox(5, 0, "")
    assert inbox.take(event(1, "", epoch=4)).verdict == "old-epoch"
    assert inbox.take(event(1, "", epoch=6)).verdict == "unknown-epoch"
    assert inbox.ack() == (5, 0)


def test_a_broken_chain_plays_on_and_the_arbiter_is_told_once() -> None:
    one, two, three = chained(3)
    inbox = Inbox(1, 0, "")
    inbox.take(one)
    forged = msgspec.structs.replace(two, prev="0000000000000000")
    taken = inbox.take(forged)
    assert (taken.verdict, taken.ready, taken.broken, taken.tell) == ("broken-chain", (forged,), (forged,), True)
    again = inbox.take(three)
    assert (again.verdict, again.tell) == ("broken-chain", False)
    assert inbox.ack() == (1, 3)


def test_another_event_with_a_taken_number_is_a_conflict() -> None:
    one, two, three = chained(3)
    other = msgspec.structs.replace(one, g="r1b2")
    inbox = Inbox(1, 0, "")
    inbox.take(one)
    assert inbox.take(other).verdict == "conflict"
    inbox.take(three)
    assert inbox.take(msgspec.structs.replace(three, wall=0)).verdict == "conflict"
    assert inbox.take(two).ready == (two, three)
    reopened = Inbox(1, 3, chain_hash(three))
    assert reopened.take(three).verdict == "duplicate"
    assert reopened.take(msgspec.structs.replace(three, wall=0)).verdict == "conflict"
    assert reopened.take(event(0, "")).verdict == "conflict"


def test_silence_is_answered_after_a_second_and_a_half_then_later_and_later() -> None:
    up = UpLink(seed=7)
    up.state(3, 0)
    up.connected(0)
    now, pauses = 0, []
    for _try in range(8):
        assert up.due(now) == (0, 3)
        up.sent(now, 3)
        wakeup = up.next_wakeup(now)
        assert wakeup is not None
        assert up.due(wakeup - 1) is None
        pauses.append(wakeup - now)
        now = wakeup
    assert 0.7 * SHORTEST_MS <= pauses[0] <= 1.3 * SHORTEST_MS
    assert 0.7 * 2 * SHORTEST_MS <= pauses[1] <= 1.3 * 2 * SHORTEST_MS
    assert all(0.7 * LONGEST_MS <= pause <= 1.3 * LONGEST_MS for pause in pauses[5:])
    up.acked(now, 1)
    assert up.due(now) is None
    wakeup = up.next_wakeup(now)
    assert wakeup is not None
    assert wakeup - now <= 1.3 * SHORTEST_MS
    assert up.due(wakeup) == (1, 3)


def test_a_slow_hub_is_given_four_round_trips() -> None:
    up = UpLink(seed=1)
    up.connected(0)
    up.state(1, 0)
    up.sent(0, 1)
    up.acked(1_000, 1)
    up.state(2, 1)
    assert up.due(1_000) == (1, 2)
    up.sent(1_000, 2)
    wakeup = up.next_wakeup(1_000)
    assert wakeup is not None
    assert 0.7 * 4_000 <= wakeup - 1_000 <= 1.3 * 4_000


def test_a_thousand_tables_do_not_speak_in_chorus() -> None:
    wakeups = []
    for seed in range(1_000):
        up = UpLink(seed=seed)
        up.connected(0)
        up.state(1, 0)
        up.sent(0, 1)
        wakeups.append(up.next_wakeup(0) or 0)
    for start in range(900, 2_100, 50):
        assert sum(start <= w < start + 50 for w in wakeups) <= 100
    assert max(wakeups) - min(wakeups) > 800


def test_the_hub_asks_for_less_and_a_repeated_acknowledgement_shows_the_gap_at_once() -> None:
    up = UpLink(seed=3)
    up.connected(0)
    up.state(40, 0)
    assert up.due(0) == (0, 32)
    up.sent(0, 32)
    assert up.due(0) is None
    up.acked(10, 10, 4)
    assert up.due(10) is None
    up.acked(20, 10, 4)
    assert up.due(20) == (10, 14)
    up.sent(20, 14)
    up.acked(25, 10, 4)
    assert up.due(25) is None
    up.acked(30, 32, 0)
    assert up.due(30) == (32, 33)


def test_a_hub_restored_from_an_older_copy_is_sent_everything_again() -> None:
    up = UpLink(seed=3)
    up.connected(0)
    up.state(10, 10)
    assert up.next_wakeup(0) is None
    up.state(10, 4)
    assert up.due(0) == (4, 10)
    up.sent(0, 10)
    up.state(1, 0, epoch=2)
    assert up.due(0) == (0, 1)


def test_the_chain_hash_does_not_change_on_the_wire() -> None:
    one, two = chained(2)
    decoded = msgspec.json.decode(encode(batches([one, two])[0]))["events"]
    again = [msgspec.json.decode(msgspec.json.encode(item), type=EventMsg) for item in decoded]
    assert chain_hash(again[0]) == chain_hash(one) == two.prev
    assert chain_hash(msgspec.structs.replace(one, sync=False)) != two.prev
    said = (
        b'{"v":1,"e":1,"s":1,"g":"r1b1","kind":"ready","wall":1,"mono":1,"boot":"b","sync":true,"prev":"",'
        b'"d":{"t":1,"side":"white"}}'
    )
    assert chain_hash(one) == hashlib.sha256(said).hexdigest()[:16] == "ea15768716de93b0"
