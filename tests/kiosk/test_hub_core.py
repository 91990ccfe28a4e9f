"""The hub's core plays whole events with tables that follow the Laws, over a good post and over a bad one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hallnet import wire
from hallnet.errors import Superseded
from hallnet.hall_log import HallLog
from hallnet.views import GameView, HallHead, HallSnapshot
from hallnet.wire import GENERATION
from kiosk.hub.core import HubCore
from kiosk.hub.duties import Duties
from kiosk.hub.hall import contiguous
from kiosk.hub.inputs import FromDesk, FromTable, Tick
from rules.laws.events import Assigned, Board, Start
from rules.laws.game_decisions import Resign
from rules.tournament.events import CallOpened, HubOpened, Ordered, Pair, Paired, Resulted, RoundSealed, TournamentEvent
from tests.kiosk.hub_hall import ADDRESS, Hall, Table, durable

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8") * 2


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables, six players, two rounds."""
    hall = Hall(tmp_path)
    hall.connect()
    return hall


def play_event(hall: Hall) -> None:
    """Two rounds with a mate, resignations, a dispute, a wrong claim and a right one."""
    one, two, three = (hall.tables[name] for name in ("1", "2", "3"))
    hall.begin_round()
    one.moves(*MATE)
    one.confirm()
    two.resign("black")
    three.resign("white")
    hall.settle()
    hall.begin_round()
    one.moves(*SHUFFLE[:4])
    one.claim("white")
    hall.settle()
    hall.must("continue", board=1, bonus_ms=120_000)
    hall.settle()
    one.moves(*SHUFFLE[4:])
    one.claim("white")
    two.moves(*MATE)
    two.dispute("white", "1/2-1/2")
    three.resign("black")
    hall.settle()
    hall.must("rule", board=1, score="1/2-1/2", why="the claim is right", call=hall.view.head.calls[0].id)
    hall.must("rule", board=2, score="0-1", why="mate is mate")
    hall.settle()
    hall.must("finish")
    hall.settle()


def logged(hall: Hall, kind: type[TournamentEvent]) -> list[TournamentEvent]:
    """The events of one kind in the hub's log."""
    return [event for event in hall.core.log.tournament_events() if isinstance(event, kind)]


def check_nothing_lost(hall: Hall) -> None:
    """The hub holds exactly what the tables wrote."""
    held = [(name, msg.e, msg.s, bytes(msg.d)) for name, msg in contiguous(hall.core.log)]
    written = [(t.id, m.e, m.s, bytes(m.d)) for t in hall.tables.values() for m in t.outbox]
    assert sorted(held) == sorted(written)


def check_results(hall: Hall) -> None:
    """The six results of `play_event`, each once."""
    results = [(r.round, r.board, r.score, r.source) for r in logged(hall, Resulted) if isinstance(r, Resulted)]
    assert sorted(results) == [
        (1, 1, "0-1", "confirmed"),
        (1, 2, "1-0", "confirmed"),
        (1, 3, "0-1", "confirmed"),
        (2, 1, "1/2-1/2", "ruling"),
        (2, 2, "0-1", "ruling"),
        (2, 3, "1-0", "confirmed"),
    ]
    assert hall.view.head.phase == "finished"


def test_a_whole_event_is_played_over_a_good_post(hall: Hall) -> None:
    steps = [hall.view.head.step.kind]
    play_event(hall)
    check_results(hall)
    check_nothing_lost(hall)
    assert steps == ["pair"]
    assert hall.view.head.calls == ()
    points = [float(place.points) for place in hall.view.standings.rows]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 6
    assert hall.view.standings.round == 2


def test_claims_disputes_and_pauses_open_one_call_each(hall: Hall) -> None:
    play_event(hall)
    calls = [call for call in logged(hall, CallOpened) if isinstance(call, CallOpened)]
    assert [(c.round, c.board, c.kind, c.side) for c in calls] == [
        (2, 1, "claim", "white"),
        (2, 1, "claim", "white"),
        (2, 2, "dispute", "white"),
    ]
    assert "incorrect" in calls[0].why
    assert "incorrect" not in calls[1].why
    assert len({call.id for call in calls}) == 3


def test_the_bad_post_loses_and_doubles_messages_and_nothing_happens_twice(tmp_path: Path) -> None:
    hall = Hall(tmp_path, seed=5)
    hall.drop, hall.twice = 0.25, 0.35
    for _n in range(8):
        hall.connect()
    play_event(hall)
    hall.drop = hall.twice = 0.0
    hall.settle()
    check_results(hall)
    check_nothing_lost(hall)
    assert hall.core.duplicates > 0, "the post was not bad enough to show anything"


def test_after_every_single_input_the_log_alone_gives_the_same_views(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    steps = 0

    def compare() -> None:
        nonlocal steps
        steps += 1
        # A process that is killed here leaves just this file.
        other = HubCore(HallLog.open(hall.path), ADDRESS, boot="other")
        assert durable(other, hall.at, hall.wall) == durable(hall.core, hall.at, hall.wall)
        other.log.close()

    hall.connect()
    hall.after_step = compare
    hall.pass_time = lambda ms: hall.step(Tick(hall.at, hall.wall))  # type: ignore[method-assign]
    play_event_without_waiting(hall)
    assert steps > 100


def play_event_without_waiting(hall: Hall) -> None:
    """One round, each kind of event in it."""
    one, two, three = (hall.tables[name] for name in ("1", "2", "3"))
    hall.begin_round()
    one.moves(*SHUFFLE)
    one.claim("white")
    two.moves("e2e4", "e7e5")
    hall.pump()
    hall.must("pause", board=0, why="alarm")
    hall.must("resume", board=2)
    three.call("white", "noise")
    hall.pump()
    hall.must("continue", board=1, bonus_ms=60_000)
    two.resign("black")
    hall.must("resume", board=3)
    three.moves(*MATE)
    three.dispute("black", "1-0")
    one.resign("white")
    hall.pump()
    hall.must("rule", board=3, score="0-1", why="mate")
    hall.settle()
    hall.must("withdraw", tpn=6)
    hall.must("bye", tpn=5, round=2, kind="Z")
    hall.begin_round()


@pytest.mark.parametrize("every", [1, 3])
def test_a_hub_killed_again_and_again_plays_the_event_to_the_same_end(tmp_path: Path, every: int) -> None:
    hall = Hall(tmp_path, seed=every)
    hall.connect()
    steps = 0

    def kill() -> None:
        nonlocal steps
        steps += 1
        if steps % (7 * every) == 0:
            hall.kill()
            for table in hall.tables.values():
                table.ask()

    hall.after_step = kill
    play_event(hall)
    hall.after_step = lambda: None
    hall.settle()
    assert hall.killed > 5
    check_results(hall)
    check_nothing_lost(hall)
    numbers = [event.incarnation for event in logged(hall, HubOpened) if isinstance(event, HubOpened)]
    assert numbers == list(range(1, hall.killed + 2))


def test_nothing_is_acknowledged_that_is_not_on_the_disk(hall: Hall) -> None:
    hall.must("pair")
    table = hall.tables["1"]
    committed = HallLog.open(hall.path)
    seen = 0
    for message in hall.sent:
        if message.subject == ADDRESS.table("1", "ack"):
            ack = wire.decode(message.payload, wire.Ack)
            assert committed.last("1", ack.e)[0] >= ack.s
            seen += 1
    assert seen
    assert table.acked == len(table.outbox) == 1


def test_a_failed_commit_says_nothing_and_leaves_nothing(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.must("pair")
    before = durable(hall.core, hall.at, hall.wall)

    def full(*_args: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(hall.core.log, "append", full)
    with pytest.raises(OSError, match="no space"):
        hall.do("publish")
    assert not any(message.subject == ADDRESS.table("1", "asg") for message in hall.sent)
    hall.kill()
    assert durable(hall.core, hall.at, hall.wall) == before


# -- tables -----------------------------------------------------------------------------------------------------------


def up(hall: Hall, *messages: wire.EventMsg) -> wire.Ack:
    """Hand-made events of table 1, and the hub's answer."""
    hall.sent.clear()
    hall.step(FromTable("1", "up", wire.encode(wire.Batch(events=messages)), hall.at, hall.wall))
    acks = [wire.decode(m.payload, wire.Ack) for m in hall.sent if m.subject == ADDRESS.table("1", "ack")]
    assert len(acks) == 1
    return acks[0]


def test_a_gap_is_kept_but_neither_acknowledged_nor_effective(hall: Hall) -> None:
    table = hall.tables["1"]
    table.call("white", "first")
    table.hall.at += 60_000
    table.call("black", "second")
    hall.queue.clear()
    first, second = table.outbox[1:]
    assert up(hall, second).s == 1
    assert hall.view.head.calls == ()
    hall.kill()
    hall.core.hall.table("1")
    assert hall.view.head.calls == ()
    assert up(hall, first).s == 3
    assert [call.why for call in hall.view.head.calls] == ["first", "second"]
    assert up(hall, first, second).s == 3
    assert len(hall.view.head.calls) == 2


def test_the_same_number_with_other_contents_is_a_conflict_and_changes_nothing(hall: Hall) -> None:
    table = hall.tables["1"]
    table.call("white", "true")
    hall.pump()
    forged = msgspec.structs.replace(table.outbox[-1], d=msgspec.Raw(b'{"t":1,"side":"black","why":"forged"}'))
    assert up(hall, forged).s == 2
    assert [call.why for call in hall.view.head.calls] == ["true"]
    assert hall.core.log.stats()["conflicts"] == 1
    assert any("1" in notice for notice in hall.view.head.notices)


def test_an_unknown_kind_is_kept_acknowledged_and_named(hall: Hall) -> None:
    table = hall.tables["1"]
    table.write_raw("telepathy", b'{"t":5,"strength":9}')
    table.write_raw("ply", b'{"t":"soon"}')
    table.call("white", "after")
    hall.pump()
    acks = [wire.decode(payload, wire.Ack) for leaf, payload in table.received if leaf == "ack"]
    assert {seq for ack in acks for seq in ack.unknown} == {2, 3}
    assert table.acked == 4
    assert hall.core.log.stats()["set_aside"] == 2
    assert [call.why for call in hall.view.head.calls] == ["after"]
    before = durable(hall.core, hall.at, hall.wall)
    hall.kill()
    assert durable(hall.core, hall.at, hall.wall) == before


@pytest.mark.parametrize(
    "payload",
    [b"", b"\x00\xff", b"{", b"[]", b'{"v":2}', b'{"v":1,"events":[{"v":1}]}', b"[" * 3000, b'{"v":1,"e":1e999}'],
)
def test_malformed_messages_never_end_the_hub(hall: Hall, payload: bytes) -> None:
    for leaf in ("up", "hb", "ask", "nonsense"):
        hall.step(FromTable("1", leaf, payload, hall.at, hall.wall))
        hall.step(FromTable("1", leaf, payload, hall.at, hall.wall))
    hall.step(FromTable("bad.*>", "up", payload, hall.at, hall.wall))
    hall.step(FromDesk("chief", payload, hall.at, hall.wall))
    hall.step(FromDesk("not a desk", payload, hall.at, hall.wall))
    assert hall.core.log.stats()["set_aside"] == 4, "each once"
    assert hall.must("pair").events == ("paired",)


def test_who_speaks_is_taken_from_the_subject(hall: Hall) -> None:
    hall.begin_round()
    forger = hall.tables["2"]
    forger.state = hall.tables["1"].state  # it says that it plays game r1b1
    forger.moves(*MATE)
    forger.confirm()
    hall.pump()
    assert [hall.row(board).state for board in (1, 2)] == ["playing", "playing"]
    assert not logged(hall, Resulted)
    assert forger.acked == len(forger.outbox), "kept, so that it can be looked at"


def test_a_table_that_assigns_itself_another_game_ends_nothing_but_is_reported(hall: Hall) -> None:
    hall.begin_round()
    forger, stolen = hall.tables["2"], hall.tables["1"].state.assignment
    assert stolen is not None
    forger.write(Assigned(hall.at, 1, 9, stolen), Start(hall.at))
    forger.moves(*MATE)
    forger.confirm()
    hall.pump()
    assert hall.row(1).state == "playing"
    assert not logged(hall, Resulted)
    assert [(call.board, call.kind) for call in hall.view.head.calls] == [(2, "dispute")]


def test_a_table_that_was_never_seen_is_told_to_ask(hall: Hall) -> None:
    message = msgspec.structs.replace(hall.tables["1"].outbox[0], e=1)
    hall.step(FromTable("77", "up", wire.encode(wire.Batch(events=(message,))), hall.at, hall.wall))
    ack = next(wire.decode(m.payload, wire.Ack) for m in hall.sent if m.subject == ADDRESS.table("77", "ack"))
    assert (ack.e, ack.s) == (0, 0)
    assert ack.why


def test_a_new_device_takes_over_with_the_next_epoch_and_the_old_one_is_told(hall: Hall) -> None:
    old = hall.tables["1"]
    new = Table(hall, "1", "spare")
    hall.tables["1"] = new
    new.ask()
    hall.pump()
    assert new.epoch == 2
    hall.tables["1"] = old
    old.ask()
    old.call("white", "nobody listens")
    hall.pump()
    why = [wire.decode(payload, wire.Ack).why for leaf, payload in old.received if leaf == "ack"]
    assert any("place" in sentence for sentence in why)
    assert hall.view.head.calls == ()
    assert old.epoch == 1
    assert old.acked == 1


def test_a_spare_device_goes_on_with_the_moves_and_the_clocks_of_the_game(hall: Hall) -> None:
    hall.begin_round()
    old = hall.tables["2"]
    old.moves("e2e4", "e7e5", "g1f3")
    clocks = old.state.clocks(old.state.t)
    hall.pass_time(7_000)
    spare = hall.tables["2"] = Table(hall, "2", "spare")
    spare.ask()
    hall.settle()
    assert (spare.epoch, spare.state.phase) == (2, "paused")
    assert [ply.uci for ply in spare.state.plies] == ["e2e4", "e7e5", "g1f3"]
    assert spare.state.clocks(hall.at) == clocks
    assert "7000 ms ago" in spare.state.paused_why, "the arbiter sees how old the times are"
    assert [(call.board, call.kind) for call in hall.view.head.calls] == [(2, "times")]
    assert (hall.row(2).last, hall.row(2).state) == ("2.Nf3", "paused")
    assert "Set the clocks first" in hall.do("resume", board=2, side="black").why
    hall.must("times", board=2, white_ms=580_000, black_ms=590_000, why="as the players say")
    hall.settle()
    assert [(call.board, call.kind) for call in hall.view.head.calls] == [(2, "resume")]
    hall.must("resume", board=2, side="black")
    hall.settle()
    assert hall.view.head.calls == ()
    assert spare.state.phase == "playing"
    spare.moves("b8c6")
    spare.resign("white")
    hall.settle()
    assert hall.row(2).score == "0-1"
    old.moves("b8c6", "f1b5")  # the old device wakes up: what it has is shown as evidence and not merged
    hall.tables["2"] = old
    old.ask()
    old.call("white", "of the old device")
    hall.pump()
    told = [wire.decode(payload, wire.Ack).why for leaf, payload in old.received if leaf == "ack"]
    assert "another device has taken the place of this one at table 2" in told
    assert any("b8c6" in sentence and "evidence" in sentence for sentence in hall.view.head.notices)
    assert not any("of the old device" in call.why for call in hall.view.head.calls)


def test_a_spare_device_before_the_start_just_takes_the_assignment(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    spare = hall.tables["2"] = Table(hall, "2", "spare")
    spare.ask()
    hall.settle()
    assert (spare.state.phase, spare.state.plies) == ("assigned", ())
    assert hall.view.head.calls == ()


def test_a_hub_with_an_older_log_asks_again_for_all_the_tables_hold(hall: Hall, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    spare = Hall(tmp_path / "copy")  # the same event, and a log that knows no tables
    hall.tables["1"].call("white", "help")
    hall.pump()
    table = hall.tables["1"]
    table.hall, table.epoch = spare, 1
    spare.tables["1"] = table
    table.ask()
    spare.pump()
    assert spare.core.hall.state.devices["1"].epoch == 1
    assert table.acked == len(table.outbox) == 2
    assert [call.why for call in spare.view.head.calls] == ["help"]


def test_a_table_is_offline_after_two_missed_heartbeats_and_an_old_word_does_not_bring_it_back(hall: Hall) -> None:
    assert hall.view.head.tables_online == 3
    for name in ("1", "2"):
        hall.tables[name].beat()
    hall.pass_time(10_500)
    assert hall.view.head.tables_online == 3
    hall.tables["1"].beat()
    hall.pass_time(1_000)
    assert hall.view.head.tables_online == 1
    then, now = hall.at - 20_000, hall.at
    hall.at = then  # a message of long ago arrives
    hall.tables["2"].beat()
    hall.at = now
    late = hall.queue.popleft()
    assert isinstance(late, FromTable)
    hall.step(replace(late, at=now))
    assert hall.view.head.tables_online == 1


def test_a_table_whose_program_was_restarted_counts_anew_and_is_online(hall: Hall) -> None:
    for _n in range(20):
        hall.tables["1"].beat()
    hall.pass_time(12_000)
    assert hall.view.head.tables_online == 0
    hall.tables["1"].beats = 0
    hall.tables["1"].beat()
    hall.pump()
    assert hall.view.head.tables_online == 1


def test_a_table_that_must_refuse_the_next_round_is_reported_once_and_gets_it_when_it_is_free(hall: Hall) -> None:
    hall.begin_round()
    stuck = hall.tables["1"]
    for name in ("2", "3"):
        hall.tables[name].resign("white")
    stuck.act(Resign("white"))
    hall.settle()
    hall.tables.pop("1")  # the order with the ruling does not arrive
    hall.must("rule", board=1, score="0-1", why="gone home")
    hall.must("pair")
    hall.must("publish")
    hall.tables["1"] = stuck
    stuck._assign(Duties().assignment(hall.core.hall.state, "1"))  # type: ignore[arg-type]
    stuck.ask()
    stuck.ask()
    hall.settle()
    refused = [call for call in logged(hall, CallOpened) if isinstance(call, CallOpened)]
    assert [call.kind for call in refused] == ["refused"]
    assert stuck.state.game == "r2b1"
    assert hall.view.head.calls == ()


def test_one_card_in_two_devices_is_told_to_the_arbiter_and_the_newcomer_is_not_heard(hall: Hall) -> None:
    first = hall.tables["1"]
    clone = Table(hall, "1", first.instance)
    clone.boot, clone.epoch, clone.outbox, clone.acked = "another-boot", 1, list(first.outbox), 1
    first.beat()
    clone.beat()
    clone.ask()
    hall.pump()
    assert not any("two devices" in notice for notice in hall.view.head.notices), "it may have been started again"
    hall.pass_time(5_000)
    first.beat()
    hall.pump()
    assert any("two devices" in notice for notice in hall.view.head.notices)
    clone.call("white", "from the clone")
    hall.pump()
    assert hall.view.head.calls == ()
    assert len(list(contiguous(hall.core.log))) == 3
    first.call("white", "from the table")
    hall.pump()
    assert [call.why for call in hall.view.head.calls] == ["from the table"]


def test_a_board_problem_opens_a_call_and_closes_it_when_all_is_well_again(hall: Hall) -> None:
    hall.begin_round()
    table = hall.tables["2"]
    table.write(Board(hall.at, "unexplained", "8/8/8/8/8/8/8/8", "g1 is empty"))
    table.call("white", "look here")  # two events later at most: the same call
    hall.pump()
    assert [(call.board, call.kind) for call in hall.view.head.calls] == [(2, "unexplained")]
    table.write(Board(hall.at, "ok"))
    hall.pump()
    assert hall.view.head.calls == ()


# -- rounds and orders ------------------------------------------------------------------------------------------------


def test_a_round_needs_a_table_for_each_board(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=2)
    hall.connect()
    hall.must("pair")
    out = hall.do("publish")
    assert not out.ok
    assert "1 table is missing" in out.why
    assert hall.view.head.step.kind == ""
    hall.tables["3"] = Table(hall, "3")
    hall.connect()
    assert hall.must("publish").events == ("published",)


def test_tables_take_the_boards_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=0)
    for name in ("10", "9", "2"):
        hall.tables[name] = Table(hall, name)
    hall.connect()
    hall.must("pair")
    hall.must("publish")
    assert [row.table for row in hall.view.boards.rows] == ["2", "9", "10"]


def test_a_draft_is_nobodys_business_until_it_is_published(hall: Hall) -> None:
    hall.must("pair")
    hall.pass_time(3_000)
    assert all(table.state.assignment is None for table in hall.tables.values())
    assert {row.state for row in hall.view.boards.rows} == {"draft"}
    hall.must("publish")
    hall.settle()
    assert {row.state for row in hall.view.boards.rows} == {"assigned"}
    assert hall.tables["3"].state.game == "r1b3"


def test_a_dropped_draft_and_the_next_one_are_both_shown(hall: Hall) -> None:
    hall.must("pair")
    assert len(hall.view.boards.rows) == 3
    hall.must("drop")
    assert hall.view.boards.rows == ()
    hall.must("withdraw", tpn=6)
    hall.must("pair")
    draft = hall.must("draft").d
    assert len(hall.view.boards.rows) == len(draft["rows"]["rows"]) == 2
    assert draft["bye"]["tpn"] == hall.view.head.bye.tpn  # type: ignore[union-attr]
    assert draft["byes"] == {"6": "Z"}


def test_a_lost_assignment_and_a_lost_order_are_sent_again_until_they_are_answered(hall: Hall) -> None:
    hall.must("pair")
    hall.drop = 1.0
    hall.core.step([FromDesk("chief", wire.encode(wire.DeskIn(id="p", kind="publish")), hall.at, hall.wall)])
    hall.core.step([FromDesk("chief", wire.encode(wire.DeskIn(id="s", kind="start")), hall.at, hall.wall)])
    hall.drop = 0.0
    assert hall.tables["1"].state.phase == "idle"
    hall.pass_time(5_000)
    assert [hall.tables[name].state.phase for name in ("1", "2", "3")] == ["playing"] * 3
    sent = len(hall.sent)
    hall.pass_time(1_000)
    assert not [m for m in hall.sent[sent:] if m.subject.endswith((".asg", ".ord"))]


def test_a_restarted_hub_goes_on_with_its_open_orders(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    silent = hall.tables.pop("2")
    hall.must("start")
    hall.pump()
    hall.kill()
    assert [order.table for order in hall.core.hall.state.orders.values()] == ["2"]
    hall.tables["2"] = silent
    silent.ask()
    hall.settle()
    assert silent.state.phase == "playing"
    assert len(logged(hall, Ordered)) == 3


def test_a_start_does_not_run_ahead_of_the_assignment(hall: Hall) -> None:
    hall.must("pair")
    away = hall.tables.pop("1")
    hall.must("publish")
    hall.must("start")
    hall.tables["1"] = away
    hall.pass_time(2_500)
    assert away.state.phase == "playing"
    kinds = [leaf for leaf, _payload in away.received if leaf in ("asg", "ord")]
    assert kinds[0] == "asg"
    assert hall.view.head.calls == ()


def test_the_round_is_sealed_with_count_and_hash_when_the_next_one_is_public(hall: Hall) -> None:
    hall.begin_round()
    for table in hall.tables.values():
        table.resign("white")
    hall.settle()
    counts = {table.id: len(table.outbox) for table in hall.tables.values()}
    hall.must("pair")
    assert not logged(hall, RoundSealed)
    hall.must("publish")
    hall.settle()
    seals = [o for o in logged(hall, Ordered) if isinstance(o, Ordered) and o.kind == "seal"]
    assert {order.table: order.data["count"] for order in seals} == counts
    assert all(len(str(order.data["hash"])) == 16 for order in seals)
    assert hall.core.hall.state.rounds[0].sealed


def test_pause_and_resume_of_the_whole_hall_order_each_running_game(hall: Hall) -> None:
    assert not hall.do("pause", board=0).ok
    hall.begin_round()
    hall.tables["3"].resign("white")
    hall.pump()
    assert hall.must("pause", board=0, why="fire drill").events == ("ordered", "ordered")
    hall.settle()
    assert [hall.row(board).state for board in (1, 2, 3)] == ["paused", "paused", "confirmed"]
    clock = hall.row(1).clock
    assert clock is not None
    assert clock.paused
    assert hall.must("times", board=1, white_ms=60_000, black_ms=50_000, why="broken clock").ok
    hall.settle()
    assert hall.must("resume", board=0).events == ("ordered", "ordered")
    hall.settle()
    assert [hall.row(board).state for board in (1, 2, 3)] == ["playing", "playing", "confirmed"]
    running = hall.row(1).clock
    assert running is not None
    assert running.running == "white"
    assert 59_000 > running.white_ms > 50_000


def test_a_result_is_corrected_while_the_round_is_on_and_the_table_is_left_alone(hall: Hall) -> None:
    hall.begin_round()
    hall.tables["1"].resign("white")
    hall.settle()
    assert not hall.do("result", board=1, score="1-0").ok
    assert hall.must("result", board=1, score="1-0", why="wrong side resigned").events == ("resulted",)
    assert (hall.row(1).score, hall.row(1).state) == ("1-0", "ruled")


# -- desks ------------------------------------------------------------------------------------------------------------


def test_an_intent_is_done_once_however_often_it_comes_and_a_new_process_knows_it(hall: Hall) -> None:
    first = hall.do("pair", intent="same")
    again = hall.do("pair", intent="same")
    assert first == again
    assert first.ok
    assert not hall.do("pair", intent="other").ok
    hall.kill()
    hall.replies.clear()
    assert hall.do("pair", intent="same") == first
    assert sum(1 for event in hall.core.log.tournament_events() if type(event).__name__ == "Paired") == 1


def test_a_pairing_that_was_overtaken_is_refused(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.post(FromDesk("chief", wire.encode(wire.DeskIn(id="slow", kind="pair")), hall.at, hall.wall))
    hall.step(hall.queue.popleft())
    late = hall.queue.popleft()
    hall.must("withdraw", tpn=3)
    hall.step(late)
    out = hall.replies["slow"][-1]
    assert not out.ok
    assert "changed" in out.why


def test_refusals_are_sentences_and_change_nothing(hall: Hall) -> None:
    before = durable(hall.core, hall.at, hall.wall)
    for kind, d in [
        ("start", {}),
        ("publish", {}),
        ("rule", {"board": 1, "score": "1-0"}),
        ("rule", {"board": "one", "score": "1-0"}),
        ("continue", {"board": 1}),
        ("close-call", {"id": "nothing"}),
        ("withdraw", {"tpn": 99}),
        ("bye", {"tpn": 1, "round": 1, "kind": "Q"}),
        ("finish", {}),
        ("dance", {}),
        ("game", {"round": 1, "board": 1}),
        ("draft", {}),
        ("standings", {"round": 7}),
    ]:
        out = hall.do(kind, **d)
        assert not out.ok, kind
        assert out.why.endswith("."), out.why
    assert durable(hall.core, hall.at, hall.wall) == before


def test_the_game_page_shows_moves_in_san_with_the_movers_clock(hall: Hall) -> None:
    hall.begin_round()
    hall.tables["1"].moves(*MATE)
    hall.pump()
    game = msgspec.convert(hall.must("game", round=1, board=1).d, GameView)
    assert [move.san for move in game.moves] == ["f3", "e5", "g4", "Qh4#"]
    assert game.moves[0].clock_ms > 600_000
    assert game.row.last == "2...Qh4#"
    assert game.row.ended_by == "checkmate"
    assert game.row.score == "0-1"
    assert game.evidence


def test_the_one_key_leads_through_the_event(hall: Hall) -> None:
    seen = []
    for _n in range(60):
        step = hall.view.head.step
        seen.append(step.kind)
        assert step.sentence
        if hall.view.head.phase == "finished":
            break
        if step.kind:
            hall.must(step.kind)
        else:
            for table in hall.tables.values():
                if table.state.phase == "playing":
                    table.resign("black")
        hall.settle()
    assert [kind for kind in seen if kind] == ["pair", "publish", "start", "pair", "publish", "start", "finish"]


def test_desks_hear_only_what_has_changed_and_not_too_often(hall: Hall) -> None:
    hall.begin_round()
    hall.pass_time(1_000)
    hall.sent.clear()
    heads: list[HallHead] = []
    hall.tables["2"].moves("e2e4")
    for _n in range(20):  # a fifth of a second
        hall.at += 10
        hall.step(*hall.queue, Tick(hall.at, hall.wall))
        hall.queue.clear()
    boards = [m for m in hall.sent if m.subject == ADDRESS.desks("boards")]
    assert len(boards) == 1
    rows = msgspec.json.decode(boards[0].payload)["rows"]
    assert [(row["board"], row["last"]) for row in rows] == [(2, "1.e4")]
    hall.sent.clear()
    hall.pass_time(6_000)
    heads = [msgspec.json.decode(m.payload, type=HallHead) for m in hall.sent if m.subject == ADDRESS.desks("head")]
    assert len(heads) >= 3, "a word at least every two seconds"
    assert sum(m.subject == ADDRESS.all_round for m in hall.sent) in (1, 2)


def test_in_the_largest_hall_no_message_is_larger_than_the_transport_takes(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=0, players=1_000)
    boards = tuple(Pair(board, board, board + 500) for board in range(1, 501))
    hall.core._books.record([Paired(hall.wall, 1, boards, None, {}, (), "x")], None)
    hall.post(FromDesk("chief", wire.encode(wire.DeskIn(id="all", kind="snapshot")), hall.at, hall.wall))
    hall.pump()
    hall.pass_time(1_000)
    snapshot = msgspec.convert(hall.replies["all"][-1].d, HallSnapshot)
    known = {row.board for row in snapshot.boards.rows}
    for message in hall.sent:
        assert len(message.payload) < 700_000
        if message.subject == ADDRESS.desks("boards"):
            known |= {row["board"] for row in msgspec.json.decode(message.payload)["rows"]}
    assert known == set(range(1, 501))
    assert len(snapshot.standings.rows) == 1_000


def test_a_table_that_knows_a_later_hub_is_believed_when_a_second_one_says_so(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    hall.tables["1"].incarnation = GENERATION + 3
    hall.tables["1"].ask()
    hall.pump()
    assert any("another hub has taken over" in notice for notice in hall.view.head.notices)
    hall.tables["2"].incarnation = GENERATION + 3
    hall.tables["2"].ask()
    with pytest.raises(Superseded, match="this one closes"):
        hall.pump()


def test_a_new_event_and_an_older_copy_go_on_with_a_number_that_is_new(hall: Hall) -> None:
    hall.tables["1"].incarnation = GENERATION + 3  # from the event of yesterday
    hall.tables["1"].ask()
    hall.pump()
    assert hall.core.hall.state.incarnation == GENERATION + 4
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    hall.tables["2"].incarnation = GENERATION + 9  # this log is a copy of earlier today
    hall.tables["2"].ask()
    hall.pump()
    assert hall.core.hall.state.incarnation == GENERATION + 10
