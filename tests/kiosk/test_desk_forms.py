"""Fields, forms and warnings of the desk; every intent of the hub has a row; nothing typed is lost."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from hallnet.views import EnrolmentView, StepView, WaitingView
from kiosk.desk.actions import actions, words
from kiosk.desk.app import DeskApp
from kiosk.desk.context import Context
from kiosk.desk.dialogs import Ask, RulingDialog, Warned
from kiosk.desk.enrol_dialog import EnrolDialog
from kiosk.desk.fields import Choice, Field, NotUnderstood, read
from kiosk.desk.form_dialog import FormDialog
from kiosk.desk.hand import HandMade
from kiosk.desk.rulings import options
from kiosk.desk.subjects import subjects
from kiosk.hub.desk import _HANDLERS
from kiosk.hub.office import _ANSWERS
from tests.kiosk import fakes, pictures, states
from tests.kiosk.test_desk_app import BY, press, step, work, write

#: Intents that other intents stand for at the desk: the bye of "request-bye", the check of "rate".
OTHER_NAMES = {"request-bye": "bye"}
QUESTIONS = {"health", "keys", "office", "enrol-waiting"}


def everything() -> Context:
    """A desk that knows a hall, its book, a sheet, and has something of everything selected."""
    book, sheet = fakes.book(), fakes.sheet()
    c = Context("hall", fakes.hall(), book, sheet, fakes.office(), HandMade(4, ((1, 2), (3, 4)), (1, 2, 3, 4, 5)))
    for name, subject in subjects().items():
        known = subject.known(c)
        assert known, name
        c = subject.pick(c, "8" if name == "player" else known[0][0])
    return c


def test_every_intent_of_the_hub_is_a_row_of_the_desk() -> None:
    at_the_desk = {intent for action in actions() for intent in action.asks}
    at_the_desk |= {action.form.intent for action in actions() if action.form}
    wanted = {*_HANDLERS, "pair", *_ANSWERS} - QUESTIONS
    missing = {intent for intent in wanted if OTHER_NAMES.get(intent, intent) not in at_the_desk}
    assert not missing, f"no action asks for {sorted(missing)}"


def test_every_form_can_be_opened_and_names_what_it_is_about() -> None:
    c = everything()
    for action in actions():
        if action.form is None:
            continue
        names = [field.name for field in action.form.lines(c)]
        assert len(names) == len(set(names)), action.name
        assert action.form.title.format_map(words(c)), action.name
        assert isinstance(action.form.about(c), str)
        for field in action.form.lines(c):
            assert (field.kind == "choice") == bool(field.choices), (action.name, field.name)
            assert len(field.label) <= 23, (action.name, field.label)


# -- fields -----------------------------------------------------------------------------------------------------------

KNOWN = {3: "Kaya, Deniz", 12: "Petrova, Anna", 30: "Petrova, Vera", 31: "Kaya, Ali"}


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        (Field("a", "a", "number"), " 12 ", 12),
        (Field("a", "a", "minutes"), "2:30", 150_000),
        (Field("a", "a", "minutes"), "90", 5_400_000),
        (Field("a", "a", "time"), "1:12:40", 4_360_000),
        (Field("a", "a", "player", known=KNOWN), "3", 3),
        (Field("a", "a", "player", known=KNOWN), "anna pet", 12),
        (Field("a", "a", "players", known=KNOWN), "3, deniz; 12", None),
        (Field("a", "a", "players", known=KNOWN), "3, 12", [3, 12]),
        (Field("a", "a", "players", known=KNOWN), "deniz; petrova, vera", [3, 30]),
        (Field("a", "a", "choice", choices=(Choice(False, "no"),)), False, False),
    ],
)
def test_what_is_typed_becomes_a_value(field: Field, typed: Any, value: Any) -> None:
    if value is None:
        with pytest.raises(NotUnderstood):
            read((field,), {"a": typed})
    else:
        assert read((field,), {"a": typed}) == {"a": value}


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        (Field("a", "rating", "number"), "2x", "“2x” is no whole number."),
        (Field("a", "time", "minutes"), "a lot", "“a lot” is no time."),
        (Field("a", "who", "player", known=KNOWN), "petrova", "“petrova” fits several"),
        (Field("a", "who", "player", known=KNOWN), "nemo", "Nobody on the list is called “nemo”."),
        (Field("a", "reason", needed=True), "  ", "Please fill in: reason."),
        (Field("a", "side", "choice", True, None, choices=(Choice("white", "White"),)), None, "Please fill in: side."),
    ],
)
def test_what_cannot_be_understood_is_explained_and_named(field: Field, typed: Any, sentence: str) -> None:
    with pytest.raises(NotUnderstood, match=r"^\S") as why:
        read((field,), {"a": typed})
    assert sentence in str(why.value)
    assert why.value.field == "a"


# -- a round by hand --------------------------------------------------------------------------------------------------

NUMBERS = st.integers(1, 9)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("exchanged"), NUMBERS, NUMBERS),
        st.tuples(st.just("set_pair"), NUMBERS, NUMBERS),
        st.tuples(st.just("with_bye"), NUMBERS),
        st.tuples(st.just("unpaired"), st.integers(1, 4)),
        st.tuples(st.just("swapped"), st.integers(1, 4)),
    ),
    max_size=12,
)


@given(CHANGES)
def test_whatever_is_done_by_hand_nobody_is_lost_or_sits_twice(changes: list[tuple[Any, ...]]) -> None:
    hand = HandMade(1, ((1, 2), (3, 4), (5, 6), (7, 8)), tuple(range(1, 10)), 9)
    for how, *who in changes:
        if how in ("unpaired", "swapped") and who[0] > len(hand.pairs):
            continue
        hand = getattr(hand, how)(*who)
        seated = [tpn for pair in hand.pairs for tpn in pair]
        assert sorted([*seated, *hand.free, *([hand.bye] if hand.bye else [])]) == list(range(1, 10))
        assert 0 not in seated


# -- warnings ---------------------------------------------------------------------------------------------------------


def warned(level: int, token: str = "t1", words: str = "They have already met.") -> fakes.Answer:
    """The hub's refusal that is only a warning."""
    told = [{"key": "rematch", "level": level, "words": words, "article": "C.04.1 BR 2"}]
    return fakes.Answer(False, words, {"level": level, "token": token, "question": "Go on?", "warnings": told})


async def withdraw(pilot: Pilot[Any]) -> None:
    await press(pilot, "2", "w")
    await write(pilot, "ill")
    await press(pilot, "enter")


@pytest.mark.parametrize(
    ("level", "yes", "no"),
    [(2, ("enter",), ("escape",)), (3, ("y",), ("enter",)), (4, ("y", "e", "s", "enter"), ("escape",))],
)
def test_each_level_takes_its_own_answer(level: int, yes: tuple[str, ...], no: tuple[str, ...]) -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.queued["withdraw"] = [warned(level), warned(level), fakes.Answer()]
        await withdraw(pilot)
        assert isinstance(app.screen, Warned)
        assert "already met" in pictures.text(app)
        assert "C.04.1 BR 2" in pictures.text(app)
        await press(pilot, *no)
        assert len(hub.asked) == 1
        assert isinstance(app.screen, FormDialog), "the form is as it was"
        assert "ill" in pictures.text(app)
        await press(pilot, "f2", *yes)
        assert hub.asked[-1] == ("withdraw", {"tpn": 1, "saw": "in", "why": "ill", "confirm": "t1"} | BY)

    work(story)


def test_level_4_is_asked_once_and_the_hubs_second_step_goes_by_itself() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.queued["withdraw"] = [warned(4, "t1"), warned(4, "t2"), fakes.Answer()]
        await withdraw(pilot)
        await press(pilot, *"yes", "enter")
        assert [d.get("confirm") for _kind, d in hub.asked] == [None, "t1", "t2"]
        assert not isinstance(app.screen, FormDialog | Warned)

    work(story)


def test_other_words_at_the_second_step_are_shown_again() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.queued["withdraw"] = [warned(4, "t1"), warned(4, "t9", "Something else."), fakes.Answer()]
        await withdraw(pilot)
        await press(pilot, *"yes", "enter")
        assert isinstance(app.screen, Warned)
        assert "Something else." in pictures.text(app)
        await press(pilot, "escape")
        assert [d.get("confirm") for _kind, d in hub.asked] == [None, "t1"]

    work(story)


def test_level_5_is_refused_in_its_sentence_and_nothing_is_lost() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        refused = warned(5, "")
        hub.answers["withdraw"] = fakes.Answer(False, "That is not possible under FIDE handling.", refused.d)
        await withdraw(pilot)
        assert "not possible under FIDE handling" in pictures.text(app)
        assert "ill" in pictures.text(app)
        assert isinstance(app.screen, FormDialog)

    work(story)


# -- what has changed meanwhile ---------------------------------------------------------------------------------------


def test_a_question_closes_when_what_it_asks_about_has_changed() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "n")
        assert isinstance(app.screen, Ask)
        hub.change_head(wall=fakes.WALL + 1_000)
        await states.settle(pilot)
        assert isinstance(app.screen, Ask), "nothing that matters here"
        hub.change_head(step=StepView(kind="start", sentence="Start round 3."))
        await states.settle(pilot)
        assert app.screen_stack == [app.main]
        assert "has changed" in pictures.text(app)
        assert hub.asked == []

    work(story, step("publish", "Publish the pairings of round 3."))


def test_a_ruling_closes_when_the_call_is_closed_elsewhere() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "c", "enter", "1")
        assert isinstance(app.screen, RulingDialog)
        hub.change_head(calls=fakes.calls()[1:])
        await states.settle(pilot)
        assert app.screen_stack == [app.main]

    work(story)


def test_a_form_says_that_its_board_has_changed_and_stays() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, *["down"] * 3, "t")
        hub.change_row(4, state="confirmed", score="1-0")
        await states.settle(pilot)
        assert isinstance(app.screen, FormDialog)
        assert "This has changed since you began" in pictures.text(app)

    work(story)


def test_a_refused_ruling_keeps_choice_and_reason() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        hub.answers["rule"] = fakes.Answer(False, "Board 4 was ruled by the deputy just now.")
        await press(pilot, "c", "enter", "1")
        await write(pilot, "threefold")
        await press(pilot, "enter")
        assert "ruled by the deputy just now" in pictures.text(app)
        assert "threefold" in pictures.text(app)
        assert isinstance(app.screen, RulingDialog)

    work(story)


# -- pages ------------------------------------------------------------------------------------------------------------


def test_the_digits_change_pages_and_a_call_is_seen_on_all_of_them() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        for digit, name in zip("2356", ("players", "round", "log", "devices"), strict=True):
            await press(pilot, digit)
            assert f"[{digit} {name}]" in pictures.text(app)
            assert "! 2 calls" in pictures.text(app)
            assert len(app.screen_stack) == 2
        await press(pilot, "c")
        assert app.screen_stack == [app.main]
        assert app.main.focused is app.main.calls

    work(story, size=(80, 24))


def test_the_cursor_of_a_page_stays_on_its_player_while_the_book_changes() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        await press(pilot, "2", *["down"] * 7)
        book = fakes.book()
        later = msgspec.structs.replace(book, players=book.players[2:])
        hub.answers["book"] = fakes.Answer(d=msgspec.to_builtins(later))
        clock.ms += 1_500
        hub.change_head(revision=99)
        app.tick()
        await states.settle(pilot)
        assert app.context().player == later.player(8)

    work(story)


def test_a_device_is_let_in_by_its_code_and_a_wrong_one_is_explained() -> None:
    async def story(pilot: Pilot[Any], app: DeskApp, hub: fakes.FakeHall, clock: fakes.Clock) -> None:
        waiting = WaitingView(id="abc", serial="10000000beef", ready=True)
        opened = EnrolmentView(role="table", name="15", until=fakes.WALL + 600_000, tries=3, devices=(waiting,))
        await press(pilot, "6", "e", "enter")
        await write(pilot, "15")
        hub.answers["office"] = fakes.Answer(d=msgspec.to_builtins(fakes.office(enrolment=opened)))
        await press(pilot, "enter")
        assert hub.asked == [("enrol-open", {"role": "table", "name": "15"} | BY)]
        assert isinstance(app.screen, EnrolDialog)
        assert "10000000beef shows its code" in pictures.text(app)
        hub.queued["enrol-accept"] = [fakes.Answer(False, "No device shows this code: read it again on its screen.")]
        await write(pilot, "1234")
        await press(pilot, "enter")
        assert "No device shows this code" in pictures.text(app)
        await press(pilot, "backspace", "5", "enter")
        assert hub.asked[-1] == ("enrol-accept", {"code": "1235"} | BY)
        assert not isinstance(app.screen, EnrolDialog)

    work(story)


# -- rulings by Guidelines III and touch-move --------------------------------------------------------------------------


def answers(about: str, concluded: bool = False) -> dict[str, tuple[tuple[str, dict[str, Any]], ...]]:
    """Words of the rulings that answer such a claim → the intents."""
    from hallnet.views import CaseView

    case = CaseView(about=about, against=("black",), bonus_ms=120_000, inc_ms=5_000, concluded=concluded)
    call = msgspec.structs.replace(fakes.calls()[0], case=case)
    found = options(fakes.board(4, state="paused"), 3, 4, call)
    return {option.words: option.ruling.intents() for option in found if "result" not in option.words}


def test_a_breach_of_touch_move_goes_back_one_half_move() -> None:
    upheld, *others = answers("touch-move").items()
    assert upheld[0] == "upheld: Black takes the move back and moves the piece touched"
    assert upheld[1] == (("correct", {"round": 3, "board": 4, "ply": 27, "resume": True, "why": ""}),)
    assert all(intents[0][0] in ("continue", "rule") for _words, intents in others)


def test_a_claim_by_guidelines_iii_is_drawn_put_off_or_granted() -> None:
    place = {"round": 3, "board": 4, "why": ""}
    draw, later, more, wrong, no_time = list(answers("normal-means").items())[:5]
    assert draw[1][0][1]["score"] == "1/2-1/2"
    assert later == ("put off, decided at a flag: play on, no extra time",
                     (("continue", place | {"postpone": True, "bonus_ms": 0}),))  # fmt: skip
    assert more == ("put off, decided at a flag: 2 min to Black, play on",
                    (("continue", place | {"postpone": True, "bonus_ms": 120_000}),))  # fmt: skip
    assert (wrong[0], no_time[0]) == ("turned down: 2 min to Black, play on", "turned down: play on, no extra time")


def test_an_increment_that_is_granted_costs_and_one_that_is_not_costs_nothing() -> None:
    """III.4: the opponent gets two minutes with it; the words say so before the key is pressed."""
    granted, _draw, refused = list(answers("increment").items())[:3]
    assert granted[0] == "granted: 5 s a move from here on, 2 min to Black, play on"
    assert granted[1][0][1] == {"round": 3, "board": 4, "why": "", "increment": True, "bonus_ms": 120_000}
    assert refused[1][0][1]["bonus_ms"] == 0


def test_a_claim_that_has_concluded_the_game_is_answered_by_results_only() -> None:
    assert [intents[0][0] for intents in answers("normal-means", concluded=True).values()] == ["rule"] * 4
