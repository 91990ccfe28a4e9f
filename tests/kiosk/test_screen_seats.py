"""What each player may do at his side, and what he is told."""

from __future__ import annotations

from typing import Any

import pytest

from hallnet.views import LinkView, QuestionView
from kiosk.screen import story
from kiosk.screen.seats import SIDE_KEYS, Act, choices, key_of, question, slot_of
from rules.laws.events import Side
from rules.laws.sides import SIDES
from tests.kiosk import fakes, states


def test_the_two_sides_have_no_key_in_common() -> None:
    assert not set(SIDE_KEYS["white"]) & set(SIDE_KEYS["black"])
    assert all(slot_of(key, side, False) is not None for side in SIDES for key in SIDE_KEYS[side])


def test_a_player_first_signs_in_then_is_ready_then_waits() -> None:
    absent = fakes.table(phase="assigned", seated=(), ready=())
    assert choices(absent, "white")[0].act == Act("sit")
    seated = fakes.table(phase="assigned", seated=("white",), ready=())
    assert choices(seated, "white")[0].act == Act("ready")
    ready = fakes.table(phase="assigned", seated=("white",), ready=("white",))
    assert not question(ready, "white")


@pytest.mark.parametrize("slot", ["offer", "claim", "resign", "call"])
@pytest.mark.parametrize("side", SIDES)
def test_everything_official_takes_two_different_keys(slot: str, side: Side) -> None:
    first = next(choice for choice in choices(fakes.table(), side) if choice.slot == slot)
    assert first.act is None
    assert first.menu is not None
    again = [choice for choice in first.menu.choices if choice.slot == slot and choice.act is not None]
    assert not again or slot == "claim"
    assert any(choice.act is None and choice.menu is None for choice in first.menu.choices), "there is a way back"


def test_nobody_can_answer_for_the_other_side() -> None:
    asked = fakes.table(question=QuestionView(id="q1", side="white", about="draw", options=("yes", "no")))
    assert question(asked, "white")
    assert not question(asked, "black")
    assert choices(asked, "white")[0].act == Act("answer", {"id": "q1", "value": "yes"})
    assert choices(asked, "white")[1].act == Act("answer", {"id": "q1", "value": "no"})


def test_a_claim_is_a_draw_offer_that_can_be_accepted_while_the_clocks_stand() -> None:
    """9.1.2.3: also a wrong claim; nobody has to wait for the arbiter then."""
    asked = QuestionView(id="q1", side="black", about="draw", options=("yes", "no"))
    claimed = fakes.table(phase="paused", question=asked)
    assert choices(claimed, "black")[0].act == Act("answer", {"id": "q1", "value": "yes"})
    assert [choice.slot for choice in choices(claimed, "black")] == ["yes", "no", "call"]
    assert [choice.slot for choice in choices(claimed, "white")] == ["call"]
    bar = story.bar(claimed)
    assert (bar.tone, "Black, you may accept a draw: Black (key p)" in bar.text) == ("stop", True)


def test_the_opponent_verifies_the_position_in_which_a_claim_has_ended_the_game() -> None:
    asked = QuestionView(id="q1", side="white", about="position", options=("yes", "no"))
    claimed = fakes.table(phase="paused", question=asked)
    assert [choice.act for choice in choices(claimed, "white")[:2]] == [
        Act("answer", {"id": "q1", "value": "yes"}),
        Act("answer", {"id": "q1", "value": "no"}),
    ]
    assert "Is this the final position, White (key q)?" in story.bar(claimed).text


@pytest.mark.parametrize("about", ["promotion", "move"])
def test_what_a_recorded_move_was_can_be_said_in_a_pause_and_the_question_is_read_there(about: str) -> None:
    asked = QuestionView(id="q1", side="white", about=about, options=("q", "n"), move=7)
    paused = fakes.table(phase="paused", question=asked)
    assert [choice.act.d for choice in choices(paused, "white")[:2] if choice.act] == [
        {"id": "q1", "value": "q"},
        {"id": "q1", "value": "n"},
    ]
    assert story.bar(paused) == story.bar(fakes.table(question=asked))


@pytest.mark.parametrize("about", ["capture", "missed"])
def test_a_move_that_is_not_recorded_is_made_when_play_goes_on(about: str) -> None:
    asked = QuestionView(id="q1", side="white", about=about, options=("d5", "f5"))
    paused = fakes.table(phase="paused", question=asked, may_resume="white")
    assert choices(paused, "white")[0].act == Act("resume")
    assert "play on" in story.bar(paused).text
    assert choices(fakes.table(question=asked), "white")[0].act == Act("answer", {"id": "q1", "value": "d5"})


def test_nobody_is_told_that_he_has_not_pressed_his_clock() -> None:
    """12.6: a move that stands on the board and is not pressed for changes nothing that players read."""
    assert story.bar(fakes.table(candidate="e2e4")) == story.bar(fakes.table(candidate=""))
    for chair in SIDES:
        assert story.bar(fakes.table(candidate="e2e4"), chair) == story.bar(fakes.table(candidate=""), chair)


def test_a_dispute_says_another_result_than_the_proposed_one() -> None:
    ended = fakes.table(phase="ended", proposed="1-0", confirmed=())
    right, wrong = choices(ended, "black")[:2]
    assert right.act == Act("confirm", {"score": "1-0"})
    assert wrong.menu is not None
    says = [choice.act.d["says"] for choice in wrong.menu.choices if choice.act]
    assert says == ["1/2-1/2", "0-1", ""]


def test_who_has_confirmed_is_not_asked_again() -> None:
    ended = fakes.table(phase="ended", proposed="1-0", confirmed=("white",))
    assert not question(ended, "white")
    assert question(ended, "black")


def test_players_can_say_a_result_the_table_does_not_know() -> None:
    ended = fakes.table(phase="ended", proposed="")
    menu = choices(ended, "white")[0].menu
    assert menu is not None
    assert [c.act.d["score"] for c in menu.choices if c.act] == ["1-0", "1/2-1/2", "0-1"]


def test_a_claim_carries_the_announced_move() -> None:
    claim = next(choice for choice in choices(fakes.table(), "white", "d1d3") if choice.slot == "claim")
    assert claim.menu is not None
    assert claim.menu.choices[0].act == Act("claim", {"what": "repetition", "move": "d1d3"})


def labels(choices_: tuple[Any, ...]) -> list[str]:
    return [choice.label for choice in choices_ if choice.act is not None]


def menu_of(slot: str, **fields: Any) -> list[str]:
    menu = next(choice.menu for choice in choices(fakes.table(**fields), "white") if choice.slot == slot)
    assert menu is not None
    return labels(menu.choices)


def test_the_claims_are_those_of_the_edition() -> None:
    assert menu_of("claim") == ["repetition", "50 moves", "flag", "illegal move"]
    assert menu_of("claim", claims=("flag", "illegal-move")) == ["flag", "illegal move"]


def test_who_has_stopped_the_clocks_may_let_play_go_on() -> None:
    assert menu_of("call") == ["call", "stop clocks"]
    paused = fakes.table(phase="paused", may_resume="white", call="White: phone rang")
    assert choices(paused, "white")[0].act == Act("resume")
    assert choices(paused, "black") == ()
    assert "white" not in told(phase="paused").text.lower()
    assert "White (key q)" in told(phase="paused", may_resume="white").text


def told(**fields: Any) -> story.Bar:
    return story.bar(fakes.table(**fields))


def test_only_the_most_urgent_thing_is_asked() -> None:
    draw = QuestionView(id="q1", side="white", about="draw", options=("yes", "no"))
    lost = LinkView(state="lost", since=fakes.WALL)
    assert "Disputed" in told(phase="disputed", call="x", link=lost).text
    assert "knight missing" in told(board_problem=states.PROBLEM, question=draw, link=lost).text
    assert "accept" in told(question=draw, call="x", link=lost).text
    assert told(link=lost).text == told().text == "> White to move", "a cable that is out is no news for the players"


def test_a_pause_says_what_to_do() -> None:
    bar = told(phase="paused", clock=fakes.clock(paused=True))
    assert bar.tone == "stop"
    assert "arbiter" in bar.text


def test_the_question_names_the_key_of_the_side_that_is_asked() -> None:
    bar = told(phase="ended", proposed="1/2-1/2", ended_by="stalemate", confirmed=("white",))
    assert "½-½ by stalemate" in bar.text
    assert f"Black (key {key_of('black', 'yes', False)})" in bar.text
    assert "White (key" not in bar.text


def test_contact_is_told_honestly() -> None:
    view = fakes.table(link=LinkView(state="lost", since=fakes.WALL, waiting=2))
    with states.utc():
        assert story.freshness(view, True, 100) == ("~ no hub since 14:03 · 2 notes wait", True)
    assert story.freshness(view, True, 7_400) == ("! not live for 7 s", True)
    refused = fakes.table(link=LinkView(state="ok", why="another device is table 3 now"))
    assert story.freshness(refused, True, 100) == ("! hub refuses this table", True)
    assert story.freshness(fakes.table(), True, 900) == ("90+30 · hub ok", False)
    assert story.freshness(fakes.table(), False, 900)[1]


def line(now: int = 0, **link: Any) -> str:
    """The small line about the way to the hub."""
    return story.contact(fakes.table(link=LinkView(**link)), now)


def test_a_small_line_says_why_the_hub_is_not_heard_and_that_play_goes_on() -> None:
    assert line(state="ok") == story.contact(None, 0) == ""
    lost = line(now=112_000, state="lost", since=fakes.WALL, heard=100_000, why="the cable is out")
    assert lost == "~ Hub not heard for 0:12 (the cable is out): play on, all is stored."
    with states.utc():
        assert line(state="lost", since=fakes.WALL) == "~ Hub not heard since 14:03: play on, all is stored."
    assert "another device" in line(state="ok", why="another device is here")
    assert line(state="never").startswith("~ The hub was not found yet.")
