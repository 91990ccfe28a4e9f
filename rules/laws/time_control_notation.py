"""Time controls as others write them: the PGN TimeControl tag, TRF record 222, and FIDE usage.

PGN and TRF write whole seconds, know no Bronstein, delay, byo-yomi or increment from a later move, and a PGN tag no
different times for the two sides. What is written then is the nearest form; `pgn_says_all` tells whether that is all.
Sources: PGN standard 9.6, TRF-2026 record 222.
"""

from __future__ import annotations

import re
from gettext import gettext as _

from rules.laws.periods import ModeName, Period, TimeControl, TimeControlError, per_move_ms

_SECONDS_PERIOD = re.compile(r"(?:(?P<moves>\d{1,9})/)?(?P<main>\d{1,9})(?:\+(?P<inc>\d{1,9}))?")

#: Modes which the usual tags say completely, with one period or several.
_PLAIN: frozenset[ModeName] = frozenset({"sudden_death", "fischer"})


def parse_pgn(text: str) -> TimeControl | None:
    """Read the value of a PGN TimeControl tag; None for `?` (unknown) and `-` (none).

    Raises `TimeControlError` with the column. Several periods change at zero, a tag says nothing about that.
    """
    stripped = text.strip()
    if stripped in ("", "?", "-"):
        return None
    if stripped.startswith("*"):
        if not re.fullmatch(r"\d{1,9}", stripped[1:]):
            raise TimeControlError(
                _("An hourglass needs its seconds"), _("Write for example *180."), text.index("*") + 2
            )
        glass = (Period(int(stripped[1:]) * 1000),)
        return TimeControl("hourglass", glass, glass)
    periods = _seconds_periods(text, 0)
    return _control(periods, periods)


def format_pgn(tc: TimeControl) -> str:
    """The nearest PGN TimeControl tag value: `40/5400+30:1800+30`, `300`, `*180`; `?` for unequal times."""
    if not tc.equal:
        return "?"
    if tc.mode == "hourglass" and len(tc.white) == 1:
        return f"*{_seconds(tc.white[0].main_ms)}"
    return _seconds_text(tc.white)


def pgn_says_all(tc: TimeControl) -> bool:
    """Whether `format_pgn` loses nothing of `tc` that matters to a reader of the game."""
    whole = all(
        period.main_ms % 1000 == 0 and period.inc_ms % 1000 == 0 and period.inc_from_move == 1 for period in tc.white
    )
    plain = tc.mode in _PLAIN or (tc.mode == "hourglass" and len(tc.white) == 1)
    return tc.equal and whole and plain and tc.inc_first == "before"


def parse_trf222(text: str) -> TimeControl:
    """Read a TRF-2026 record 222: `5400+30`, `40/6000+30:900+30`, `W300-B240`.

    Raises `TimeControlError` with the column; free text belongs into record 122.
    """
    unequal = re.fullmatch(r"\s*W(?P<white>[^-]*)-B(?P<black>.*)", text, re.DOTALL)
    if unequal is None:
        periods = _seconds_periods(text, 0)
        return _control(periods, periods)
    white = _seconds_periods(unequal["white"], unequal.start("white"))
    return _control(white, _seconds_periods(unequal["black"], unequal.start("black")))


def format_trf222(tc: TimeControl) -> str:
    """The nearest TRF-2026 record 222. A delay is written as the increment, as it counts for the rating."""
    if tc.equal:
        return _seconds_text(tc.white)
    return f"W{_seconds_text(tc.white)}-B{_seconds_text(tc.black)}"


def format_fide(tc: TimeControl) -> str:
    """As FIDE events announce it: `90'+30"`, `40/90'+30"; 30'+30"`, `W 5' B 4'`, with the mode if it is another."""
    sides = ["; ".join(_fide_period(period) for period in periods) for periods in (tc.white, tc.black)]
    text = sides[0] if tc.equal else _("W {white} B {black}").format(white=sides[0], black=sides[1])
    titles: dict[ModeName, str] = {
        "bronstein": _("Bronstein"),
        "hourglass": _("hourglass"),
        "conditional_delay": _("conditional delay"),
        "byoyomi": _("byo-yomi"),
    }
    return f"{text} ({titles[tc.mode]})" if tc.mode in titles else text


def _fide_period(period: Period) -> str:
    text = f"{period.moves}/" if period.moves is not None else ""
    text += _quoted(period.main_ms)
    if period.inc_ms:
        text += f"+{_quoted(period.inc_ms, minutes=False)}"
        if period.inc_from_move != 1:
            text += _(" from move {move}").format(move=period.inc_from_move)
    if period.delay_ms:
        text += f" d{_quoted(period.delay_ms, minutes=False)}"
    if period.byo_periods:
        text += f" {period.byo_periods}×{_quoted(period.byo_ms, minutes=False)}"
    return text


def _quoted(ms: int, *, minutes: bool = True) -> str:
    whole, rest = divmod(ms, 60_000) if minutes else (0, ms)
    seconds, thousandths = divmod(rest, 1000)
    fraction = f".{thousandths:03d}".rstrip("0") if thousandths else ""
    text = f"{whole}'" if whole else ""
    return text + (f'{seconds}{fraction}"' if rest or not whole else "")


def _seconds(ms: int) -> int:
    """Whole seconds, the nearest ones; no time becomes none at all, which nobody could read back."""
    return max(1, (ms + 500) // 1000) if ms else 0


def _seconds_text(periods: tuple[Period, ...]) -> str:
    parts = []
    for period in periods:
        moves = f"{period.moves}/" if period.moves is not None else ""
        # An increment that begins later is not one "per move": the nearest form leaves it out.
        per_move = _seconds(per_move_ms(period)) if period.inc_from_move == 1 else 0
        parts.append(f"{moves}{_seconds(period.main_ms)}" + (f"+{per_move}" if per_move else ""))
    return ":".join(parts)


def _seconds_periods(text: str, offset: int) -> tuple[Period, ...]:
    """Periods in seconds, joined by `:`; `offset` is where `text` begins in what was given to us."""
    periods, column = [], offset + 1
    for part in text.split(":"):
        match = _SECONDS_PERIOD.fullmatch(part.strip())
        if match is None:
            raise TimeControlError(
                _("“{part}” is no period in seconds").format(part=part.strip()),
                _("Write M/S+I, S+I, M/S or S in seconds, joined by a colon: 40/5400+30:1800+30."),
                column + len(part) - len(part.lstrip()),
            )
        moves = int(match["moves"]) if match["moves"] else None
        periods.append(Period(int(match["main"]) * 1000, int(match["inc"] or 0) * 1000, moves=moves))
        column += len(part) + 1
    return tuple(periods)


def _control(white: tuple[Period, ...], black: tuple[Period, ...]) -> TimeControl:
    mode: ModeName = "fischer" if any(period.inc_ms for period in (*white, *black)) else "sudden_death"
    try:
        return TimeControl(mode, white, black)
    except TimeControlError as error:
        raise TimeControlError(error.what, error.remedy, 1) from None
