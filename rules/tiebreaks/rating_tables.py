"""FIDE's rating tables (B.02, 8.1): a score's rating difference, and a rating difference's expected score."""

from __future__ import annotations

from bisect import bisect_left

#: Score in hundredths from 50 on → rating difference dp. 100 is everything won.
_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589,
    677, 800,
)  # fmt: skip
#: The greatest rating difference at which the expected score is still 0.50, 0.51, ... 0.99; above the last: 1.00.
_BOUNDS = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188, 197,
    206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559, 619,
    735,
)  # fmt: skip
#: The difference from which a win is expected with certainty.
CERTAIN = _BOUNDS[-1] + 1


def rating_difference(hundredths: int) -> int:
    """dp of a score in hundredths, 0 to 100: 63 → 95, 37 → -95, 0 → -800."""
    return _DIFFERENCES[hundredths - 50] if hundredths >= 50 else -_DIFFERENCES[50 - hundredths]


def expected_hundredths(difference: int) -> int:
    """PD: what somebody rated `difference` above his opponent is expected to score, in hundredths.

    The full table, without the rule that counts differences above 400 as 400.
    """
    above = 50 + bisect_left(_BOUNDS, abs(difference))
    return above if difference >= 0 else 100 - above
