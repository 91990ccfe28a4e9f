"""Time controls: our own form, the forms of others, and the class a control belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.laws.periods import MODE_NAMES, Period, TimeControl
from rules.laws.sides import SIDES
from rules.laws.time_control import (
    TimeControlError,
    duration,
    format,
    format_fide,
    format_pgn,
    format_trf222,
    game_value_ms,
    parse,
    parse_pgn,
    parse_trf222,
    pgn_comment,
    time_class,
)

MIN = 60_000
CLASSICAL = (Period(90 * MIN, 30_000, moves=40), Period(30 * MIN, 30_000))


def both(mode: str, *periods: Period, **settings: object) -> TimeControl:
    return TimeControl(mode, periods, periods, **settings)  # type: ignore[arg-type]


READ = {
    "90+30": both("fischer", Period(90 * MIN, 30_000)),
    "15+10": both("fischer", Period(15 * MIN, 10_000)),
    " 3 + 2 ": both("fischer", Period(3 * MIN, 2_000)),
    "5": both("sudden_death", Period(5 * MIN)),
    "0.5+1": both("fischer", Period(30_000, 1_000)),
    "5400s+30s": both("fischer", Period(90 * MIN, 30_000)),
    "1h30m+30": both("fischer", Period(90 * MIN, 30_000)),
    "1:30:00+30": both("fischer", Period(90 * MIN, 30_000)),
    "1:30": both("sudden_death", Period(90_000)),
    "90'+30\"": both("fischer", Period(90 * MIN, 30_000)),
    "90’+30”": both("fischer", Period(90 * MIN, 30_000)),
    "3'+2''": both("fischer", Period(3 * MIN, 2_000)),
    "40/90+30, 30+30": both("fischer", *CLASSICAL),
    "40/90'+30\"; 30'+30\"": both("fischer", *CLASSICAL),
    "40/90+30, 30+30 period_switch=move_counter": both("fischer", *CLASSICAL, period_switch="move_counter"),
    "W 5 B 4": TimeControl("sudden_death", (Period(5 * MIN),), (Period(4 * MIN),)),
    "W 5+2@61 B 4+2@61": TimeControl(
        "fischer", (Period(5 * MIN, 2_000, inc_from_move=61),), (Period(4 * MIN, 2_000, inc_from_move=61),)
    ),
    "5 d3": both("simple_delay", Period(5 * MIN, delay_ms=3_000)),
    "G/30;d5": both("simple_delay", Period(30 * MIN, delay_ms=5_000)),
    "SD/30": both("sudden_death", Period(30 * MIN)),
    "bronstein 25 d10 initial_delay=no": both("bronstein", Period(25 * MIN, delay_ms=10_000), initial_delay=False),
    "hourglass 3": both("hourglass", Period(3 * MIN)),
    "30 byo 3x30": both("byoyomi", Period(30 * MIN, byo_ms=30_000, byo_periods=3)),
    "conditional_delay 5 threshold=10 delay=1.5s scope=own": both(
        "conditional_delay", Period(5 * MIN), threshold_ms=10_000, delay_ms=1_500, scope="own"
    ),
    "3+2 inc_first=after on_flag=run_on": both("fischer", Period(3 * MIN, 2_000), inc_first="after", on_flag="run_on"),
}


@pytest.mark.parametrize(("text", "control"), READ.items(), ids=READ)
def test_people_write_it_like_this(text: str, control: TimeControl) -> None:
    assert parse(text) == control
    assert parse(format(control)) == control


REFUSED = [
    ("", 1, "90+30"),
    ("5 +", 4, "90+30"),
    ("5400+30", 1, "s after it"),
    ("40/90", 1, "rest of the game"),
    ("30, 30", 1, "40/90"),
    ("fisher 5+3", 1, "fischer"),
    ("5+3 min", 5, "90+30"),
    ("W 5", 4, "W 5 B 4"),
    ("1m1h", 4, "1h30m"),
    ("1m5", 3, "1h30m"),
    ("2.5/10, 5", 1, "fraction"),
    ("0.00001", 1, "milliseconds"),
    ("10 byo 3", 9, "byo 3x30s"),
    ("5+3 colour=blue", 5, "inc_first"),
    ("5+3 initial_delay=maybe", 5, "yes or no"),
    ("5+3 inc_first=never", 1, "before, after"),
    ("sudden_death 5+3", 1, "mode"),
    ("hourglass 0", 1, "main time"),
    ("5+0@61", 1, "5+2@61"),
    ("40/90+30:30+30", 12, "40/90+30, 30+30"),
    ("5 € 3", 3, "90+30"),
    ("G5", 2, "G/30"),
    ("W 40/90, 30 B 60", 1, "move counter"),
]


@pytest.mark.parametrize(("text", "column", "remedy"), REFUSED, ids=[text for text, _c, _r in REFUSED])
def test_mistake_is_located_and_the_remedy_named(text: str, column: int, remedy: str) -> None:
    with pytest.raises(TimeControlError) as caught:
        parse(text)
    assert caught.value.column == column
    assert remedy in caught.value.remedy
    assert str(caught.value) == f"{caught.value.what} (column {column}). {caught.value.remedy}"


@given(text=st.text(alphabet="0123456789+/@:;,.= 'dGWBxmshbyo_fier\"½", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        control = parse(text)
    except TimeControlError as error:
        column = error.column or 0
    else:
        assert parse(format(control)) == control
        return
    assert 1 <= column <= len(text) + 1


def test_endless_digits_are_refused_like_any_other_mistake() -> None:
    for read in (parse, parse_pgn, parse_trf222):
        with pytest.raises(TimeControlError):
            read("9" * 5000)
    with pytest.raises(TimeControlError):
        parse_pgn("*²")


IMPOSSIBLE = [
    (both, ("blitz", Period(1)), "no value of mode"),
    (both, ("sudden_death",), "no period"),
    (both, ("sudden_death", Period(-5)), "negative"),
    (both, ("sudden_death", Period(5, inc_ms=1)), "means nothing"),
    (both, ("fischer", Period(5, 1, inc_from_move=0)), "below 1"),
    (both, ("byoyomi", Period(5, byo_ms=3)), "both a number"),
    (both, ("byoyomi", Period(5, moves=1, byo_ms=3, byo_periods=1), Period(5)), "before the last main time"),
    (both, ("fischer", Period(0, 2, inc_from_move=2)), "no time for the first move"),
    (both, ("bronstein", Period(9, delay_ms=5, moves=1), Period(1, delay_ms=3)), "shrinks"),
    (both, ("sudden_death", Period(24 * 60 * MIN)), "a day"),
]


@pytest.mark.parametrize(("make", "given_", "what"), IMPOSSIBLE, ids=[what for _m, _g, what in IMPOSSIBLE])
def test_impossible_control_cannot_be_made(make: object, given_: tuple[object, ...], what: str) -> None:
    with pytest.raises(TimeControlError) as caught:
        both(*given_)  # type: ignore[arg-type]
    assert what in caught.value.what
    assert caught.value.column is None
    with pytest.raises(TimeControlError, match="negative time"):
        both("conditional_delay", Period(5), delay_ms=-1)


@st.composite
def controls(draw: st.DrawFn) -> TimeControl:
    mode = draw(st.sampled_from(MODE_NAMES))
    count = draw(st.integers(1, 3))
    delay = draw(st.integers(0, 100_000))

    def side() -> tuple[Period, ...]:
        periods = []
        for number in range(1, count + 1):
            inc = draw(st.integers(0, 100_000)) if mode == "fischer" else 0
            byo = draw(st.integers(0, 5)) if mode == "byoyomi" and number == count else 0
            periods.append(
                Period(
                    draw(st.integers(1, 20_000_000)),
                    inc_ms=inc,
                    inc_from_move=draw(st.integers(1, 70)) if inc else 1,
                    delay_ms=delay if mode in ("bronstein", "simple_delay") else 0,
                    moves=draw(st.integers(1, 60)) if number < count else None,
                    byo_ms=draw(st.integers(1, 90_000)) if byo else 0,
                    byo_periods=byo,
                )
            )
        return tuple(periods)

    white = side()
    return TimeControl(
        mode,
        white,
        white if draw(st.booleans()) else side(),
        inc_first=draw(st.sampled_from(["before", "after"])),
        initial_delay=draw(st.booleans()),
        on_flag=draw(st.sampled_from(["freeze", "run_on"])),
        period_switch=draw(st.sampled_from(["at_zero", "move_counter"])),
        threshold_ms=draw(st.integers(0, 60_000)),
        scope=draw(st.sampled_from(["both_when_any", "own"])),
        delay_ms=draw(st.integers(0, 9_000)),
    )


@given(control=controls())
def test_what_is_written_reads_back_the_same(control: TimeControl) -> None:
    assert parse(format(control)) == control


@given(control=controls())
def test_every_control_has_a_nearest_form_elsewhere(control: TimeControl) -> None:
    """TRF and PGN keep the periods' moves and main times, to the second; what they cannot say is in the comment."""
    told = parse_trf222(format_trf222(control))
    tag = parse_pgn(format_pgn(control))
    assert (tag is None) == (not control.equal), "a PGN tag has one time for both"
    for side in SIDES:
        wanted = [(p.moves, p.main_ms and max(1, (p.main_ms + 500) // 1000) * 1000) for p in control.periods(side)]
        assert [(p.moves, p.main_ms) for p in told.periods(side)] == wanted
        if tag is not None and tag.mode != "hourglass":
            assert [(p.moves, p.main_ms) for p in tag.periods(side)] == wanted
    if not pgn_comment(control):
        assert tag is not None
        assert (tag.white, tag.mode) == (control.white, control.mode)
    else:
        assert parse(pgn_comment(control)) == control
    assert all(str(p.moves) in format_fide(control) for p in control.white if p.moves is not None)


def test_durations_are_exact() -> None:
    assert [duration(ms) for ms in (5_400_000, 90_500, 0, 1)] == ["90m", "1m30s500ms", "0s", "1ms"]


SECONDS = {
    "300": both("sudden_death", Period(300_000)),
    "180+2": both("fischer", Period(180_000, 2_000)),
    "40/9000:3600": both("sudden_death", Period(9_000_000, moves=40), Period(3_600_000)),
    "40/5400+30:1800+30": both("fischer", *CLASSICAL),
}


@pytest.mark.parametrize(("text", "control"), SECONDS.items(), ids=SECONDS)
def test_pgn_and_trf_say_seconds(text: str, control: TimeControl) -> None:
    assert parse_pgn(text) == parse_trf222(text) == control
    assert format_pgn(control) == format_trf222(control) == text
    assert pgn_comment(control) == ""


def test_pgn_specialities() -> None:
    assert parse_pgn("?") is None
    assert parse_pgn("-") is None
    assert parse_pgn("*180") == parse("hourglass 3")
    assert format_pgn(parse("hourglass 3")) == "*180"
    assert pgn_comment(parse("hourglass 3")) == ""
    assert format_pgn(parse("W 5 B 4")) == "?"
    assert pgn_comment(parse("W 5 B 4")) == "sudden_death W 5m B 4m"
    assert (format_pgn(parse("5+2@61")), pgn_comment(parse("5+2@61"))) == ("300", "fischer 5m+2s@61")
    assert pgn_comment(parse("bronstein 25 d10")) == "bronstein 25m d10s"


def test_trf_specialities() -> None:
    armageddon = parse_trf222("W300-B240")
    assert armageddon == parse("W 5 B 4")
    assert format_trf222(armageddon) == "W300-B240"
    assert format_trf222(parse("25 d10")) == "1500+10"


@pytest.mark.parametrize(
    ("text", "column"),
    [("90m+30s", 1), ("40/5400:", 9), ("40/5400: x", 10), ("300+", 1), ("40/5400", 1)],
)
def test_free_text_in_a_coded_record_is_refused(text: str, column: int) -> None:
    for read in (parse_trf222, parse_pgn):
        with pytest.raises(TimeControlError) as caught:
            read(text)
        assert caught.value.column == column


def test_mistake_on_blacks_side_is_located_there() -> None:
    with pytest.raises(TimeControlError) as caught:
        parse_trf222("W300-Bfour")
    assert caught.value.column == 7
    with pytest.raises(TimeControlError, match=r"\*180"):
        parse_pgn("*3m")


def test_fide_usage() -> None:
    texts = {
        "90+30": "90'+30\"",
        "40/90+30, 30+30": "40/90'+30\"; 30'+30\"",
        "3+2": "3'+2\"",
        "1m30s": "1'30\"",
        "W 5 B 4": "W 5' B 4'",
        "5+2@61": "5'+2\" from move 61",
        "bronstein 25 d10": "25' d10\" (Bronstein)",
        "30 byo 3x30": "30' 3×30\" (byo-yomi)",
    }
    assert {text: format_fide(parse(text)) for text in texts} == texts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3+2", "blitz"),
        ("5+5", "blitz"),
        ("10", "blitz"),
        ("10+1", "rapid"),
        ("15+10", "rapid"),
        ("45+15", "standard"),
        ("44:59+15", "rapid"),
        ("60", "standard"),
        ("5 d5", "blitz"),
        ("bronstein 5 d6", "rapid"),
        ("40/30, 30", "standard"),
        ("60/50, 30", "rapid"),
    ],
)
def test_class_by_sixty_moves(text: str, name: str) -> None:
    assert time_class(parse(text)) == name


def test_unequal_times_have_a_class_each() -> None:
    control = parse("W 60 B 10")
    assert (time_class(control, "white"), time_class(control, "black")) == ("standard", "blitz")
    assert time_class(control) == "blitz"


def test_value_counts_an_increment_only_where_it_is_paid() -> None:
    assert game_value_ms(parse("5+2@61"), "white") == 5 * MIN
    assert game_value_ms(parse("5+2@51"), "white") == 5 * MIN + 20_000
    assert game_value_ms(parse("40/90, 30+30"), "white") == 130 * MIN
