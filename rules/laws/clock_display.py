"""How remaining time is shown: to the players, and in a PGN `%clk` comment.

Players see time rounded *up*, so that `0:00` appears together with the flag and never before it; a file gets
the time truncated, as other programs write it. Neither text is ever read back into the clock.
"""


def display(ms: int, tenths_below_ms: int = 0) -> str:
    """Return the text for `ms` of remaining time: `m:ss`, `h:mm:ss` from one hour up.

    At or below `tenths_below_ms` (0 switches this off) seconds and tenths, `9.9`. Whole seconds and tenths
    are rounded up; `0:00` stands for the expiry itself and nothing else.
    """
    if ms <= 0:
        return "0:00"
    if ms <= tenths_below_ms:
        seconds, tenths = divmod(-(-ms // 100), 10)
        return f"{seconds}.{tenths}"
    minutes, seconds = divmod(-(-ms // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def clk(ms: int, *, decimals: bool = False) -> str:
    """Return `ms` as the value of a PGN `%clk` comment: `h:mm:ss`, truncated to the second.

    With `decimals` the full milliseconds follow. Pass the value right after the press, increment included.
    """
    whole, rest = divmod(max(ms, 0), 1000)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:03d}" if decimals else ""
    return f"{hours}:{minutes:02d}:{seconds:02d}{fraction}"
