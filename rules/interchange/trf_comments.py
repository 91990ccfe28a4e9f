"""The ### lines of a tournament report, kept where they stand.

A comment belongs to the record that follows it, since writers put headings over their blocks and remarks before the
line they are about. A record is named by its code and its number among the lines with that code, as they are written;
so a comment keeps its place when the file is written again, even if the records come in another order then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rules.interchange.trf_model import TrfEvent
from rules.interchange.trf_writer import END, FIRST_PLAYER, record_keys


def comment_text(line: str) -> str:
    """The words of a ### line.

    The blank behind the signs is not part of them, further blanks are: rulers of columns would lose their meaning. A
    line that has no blank there is kept whole, with its signs.
    """
    rest = line[3:].rstrip()
    return rest[1:] if rest[:1] in ("", " ") else f"###{rest}"


def with_comments(event: TrfEvent, comments: Iterable[tuple[int, str]], records: Iterable[tuple[int, str]]) -> TrfEvent:
    """The event with its comments, each before the record that follows it in the file.

    `comments` are line number and text, `records` line number and code. A record that is not written again in TRF26
    hands its comment on to the next that is.
    """
    comments = list(comments)
    if not comments:
        return event
    places = {key: at for at, key in enumerate(record_keys(event))}
    following = list(_numbered(records, places))
    found = []
    at = 0
    for line, text in comments:
        while at < len(following) and following[at][0] < line:
            at += 1
        place = following[at][1] if at < len(following) else END
        found.append((places.get(place or FIRST_PLAYER, len(places)), place, text))
    found.sort(key=lambda row: row[0])
    names = [place for _order, place, _text in found]
    while names and not names[-1]:
        names.pop()
    return replace(event, comments=tuple(text for _order, _place, text in found), comment_places=tuple(names))


def _numbered(records: Iterable[tuple[int, str]], places: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Line number and name of the records that are written again; the first player is ""."""
    count: Counter[str] = Counter()
    for line, code in records:
        count[code] += 1
        key = f"{code}:{count[code]}"
        if key in places:
            yield line, "" if key == FIRST_PLAYER else key
