"""A whole rating list in little memory, to look players up by FIDE id and by name; and what it says about entries.

Two million players as Python objects would need more than a Raspberry Pi has. Here each field is one array, the names
are one run of bytes, and two hash tables of row numbers lead from id and name to a row: about 100 bytes a player.
"""

from __future__ import annotations

import unicodedata
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Any, Literal

from rules.interchange.rating_list import Kind, RatedPlayer
from rules.tournament.entries import TITLES, Entry

_SEXES = ("", "m", "w")
#: Letters without decomposition, as FIDE's lists spell them.
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_SIGNS = str.maketrans(dict.fromkeys(",.;-_/()`´’'\"", " "))


def folded(name: str) -> str:
    """A name without case, accents and punctuation: "Čermák, Žofie" and "cermak zofie" are one."""
    text = name.casefold().translate(_LETTERS)
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return " ".join(text.translate(_SIGNS).split())


def _sorted_words(plain: str) -> str:
    return " ".join(sorted(plain.split()))


def _key(name: str) -> str:
    """As `folded`, with the words in order, so that "Magnus Carlsen" finds "Carlsen, Magnus"."""
    return _sorted_words(folded(name))


class _Table:
    """A hash table of row numbers with open addressing; the caller says whether a row is the right one."""

    __slots__ = ("_hashes", "_mask", "_rows")

    def __init__(self) -> None:
        self._mask = 63
        self._rows = array("I", bytes(4 * 64))
        #: Hash of each row, for growing.
        self._hashes = array("I")

    def append(self, value: int) -> None:
        """Add the next row under a hash of 32 bits."""
        self._hashes.append(value)
        if 4 * len(self._hashes) > 3 * self._mask:
            self._mask = 2 * self._mask + 1
            self._rows = array("I", bytes(4 * (self._mask + 1)))
            for row, known in enumerate(self._hashes, 1):
                self._place(row, known)
        else:
            self._place(len(self._hashes), value)

    def _place(self, row: int, value: int) -> None:
        at = value & self._mask
        while self._rows[at]:
            at = (at + 1) & self._mask
        self._rows[at] = row

    def candidates(self, value: int) -> Iterator[int]:
        """Rows with this hash, in the order they were added."""
        at = value & self._mask
        while row := self._rows[at]:
            if self._hashes[row - 1] == value:
                yield row - 1
            at = (at + 1) & self._mask


def _hash_of_id(fide_id: int) -> int:
    return (fide_id * 2654435761 >> 4) & 0xFFFFFFFF


class RatingList:
    """All players of a list. `len` is their number; rows keep the order of the list.

    `source` names the list for those who want to know where a rating is from.
    """

    def __init__(self, players: Iterable[RatedPlayer] = (), source: str = "") -> None:
        self.source = source
        self._ids = array("Q")
        self._ratings = (array("H"), array("H"), array("H"))
        self._births = array("H")
        self._small = bytearray()
        self._federations = array("H")
        self._federation_names: dict[str, int] = {}
        self._names = bytearray()
        self._name_ends = array("I")
        # Every folded name stands between two line ends, so that a search for a beginning is one scan.
        self._folded = bytearray(b"\n")
        self._folded_starts = array("I")
        self._by_id = _Table()
        self._by_name = _Table()
        for player in players:
            self._add(player)
        self._federation_list = tuple(self._federation_names)

    def _add(self, player: RatedPlayer) -> None:
        self._ids.append(player.fide_id)
        for column, rating in zip(self._ratings, (player.standard, player.rapid, player.blitz), strict=True):
            column.append(rating)
        self._births.append(int(player.birth or 0))
        title = TITLES.index(player.title) if player.title in TITLES else TITLES.index("")
        self._small.append(title << 3 | _SEXES.index(player.sex) << 1 | player.inactive)
        names = self._federation_names
        self._federations.append(names.setdefault(player.federation, len(names)))
        self._names += player.name.encode("utf-8")
        self._name_ends.append(len(self._names))
        self._folded_starts.append(len(self._folded))
        plain = folded(player.name)
        self._folded += plain.encode("utf-8") + b"\n"
        self._by_id.append(_hash_of_id(player.fide_id))
        self._by_name.append(zlib.crc32(_sorted_words(plain).encode("utf-8")))

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, row: int) -> RatedPlayer:
        if not 0 <= row < len(self):
            raise IndexError(row)
        start = self._name_ends[row - 1] if row else 0
        small = self._small[row]
        born = self._births[row]
        standard, rapid, blitz = (column[row] for column in self._ratings)
        return RatedPlayer(
            fide_id=self._ids[row],
            name=self._names[start : self._name_ends[row]].decode("utf-8"),
            federation=self._federation_list[self._federations[row]],
            sex=_SEXES[small >> 1 & 3],
            title=TITLES[small >> 3],
            birth=f"{born:04}" if born else "",
            standard=standard,
            rapid=rapid,
            blitz=blitz,
            inactive=bool(small & 1),
        )

    def by_id(self, fide_id: int) -> RatedPlayer | None:
        """The player with this FIDE id, the first if the list has several; None when there is none."""
        for row in self._by_id.candidates(_hash_of_id(fide_id)):
            if self._ids[row] == fide_id:
                return self[row]
        return None

    def by_name(self, name: str) -> tuple[RatedPlayer, ...]:
        """All players of this name, whatever its case, accents, punctuation and order of words."""
        key = _key(name)
        if not key:
            return ()
        found = (self[row] for row in self._by_name.candidates(zlib.crc32(key.encode("utf-8"))))
        return tuple(player for player in found if _key(player.name) == key)

    def beginning_with(self, name: str, limit: int = 20) -> tuple[RatedPlayer, ...]:
        """Up to `limit` players whose name begins like this, in the order of the list; a scan of all names."""
        wanted = b"\n" + folded(name).encode("utf-8")
        found: list[RatedPlayer] = []
        at = self._folded.find(wanted) if len(wanted) > 1 else -1
        while at >= 0 and len(found) < limit:
            found.append(self[bisect_right(self._folded_starts, at + 1) - 1])
            at = self._folded.find(wanted, at + 1)
        return tuple(found)


# ---------------------------------------------------------------------------------------------- entries

FoundBy = Literal["fide-id", "name", ""]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a list says about an entry. Nothing is changed until somebody takes it.

    `found` are the players it can be: one when `filled` holds his data, several when a person must choose, none when
    the list does not know him. `changes` are (field, now, proposed); `remark` is "" or a doubt in a sentence.
    """

    entry: Entry
    found: tuple[RatedPlayer, ...]
    found_by: FoundBy
    filled: Entry
    changes: tuple[tuple[str, Any, Any], ...]
    remark: str = ""


def wanted_only(players: Iterable[RatedPlayer], entries: Sequence[Entry]) -> Iterator[RatedPlayer]:
    """Of a stream of players those that some entry can be, by id or name: a list of an event instead of the world's."""
    ids = {entry.fide_id for entry in entries if entry.fide_id}
    names = {_key(entry.name) for entry in entries}
    return (player for player in players if player.fide_id in ids or _key(player.name) in names)


def propose(
    entries: Iterable[Entry],
    ratings: RatingList,
    kinds: Sequence[Kind] = ("standard",),
    *,
    overwrite: bool = False,
) -> tuple[Proposal, ...]:
    """What a list says about each entry, looked up by FIDE id, and without one by name.

    Among players of one name the entry's federation, year of birth and sex decide. The official rating (the first there
    is of `kinds`) goes into `fide_rating`; the tournament's `rating` and all else are filled only where they are empty,
    with `overwrite` also where they differ. A name is never changed, a full date of birth not shortened to its year.
    """
    return tuple(_proposal(entry, ratings, kinds, overwrite) for entry in entries)


def _proposal(entry: Entry, ratings: RatingList, kinds: Sequence[Kind], overwrite: bool) -> Proposal:
    by_id = ratings.by_id(entry.fide_id) if entry.fide_id else None
    if by_id is not None:
        remark = (
            "" if _alike(entry.name, by_id.name) else _("the list calls this FIDE id {name}").format(name=by_id.name)
        )
        return _filled(entry, (by_id,), "fide-id", ratings.source, kinds, overwrite, remark)
    found = _fitting(entry, ratings.by_name(entry.name)) if not entry.fide_id else ()
    if len(found) == 1:
        return _filled(entry, found, "name", ratings.source, kinds, overwrite, "")
    remark = _("several players of this name: choose one") if found else _("not in the list")
    return Proposal(entry, found, "name" if found else "", entry, (), remark)


def _alike(one: str, other: str) -> bool:
    """Have two names a word in common?"""
    return bool(set(folded(one).split()) & set(folded(other).split()))


def _fitting(entry: Entry, found: tuple[RatedPlayer, ...]) -> tuple[RatedPlayer, ...]:
    """Those that do not contradict the entry."""
    return tuple(
        player
        for player in found
        if (not entry.federation or not player.federation or entry.federation == player.federation)
        and (not entry.birth or not player.birth or entry.birth[:4] == player.birth)
        and (not entry.sex or not player.sex or entry.sex == player.sex)
    )


def _filled(
    entry: Entry,
    found: tuple[RatedPlayer],
    found_by: FoundBy,
    source: str,
    kinds: Sequence[Kind],
    overwrite: bool,
    remark: str,
) -> Proposal:
    player = found[0]
    rating = player.rating(kinds)
    offered: dict[str, Any] = {
        "rating": rating,
        "title": player.title,
        "federation": player.federation,
        "fide_id": player.fide_id,
        "sex": player.sex,
        "birth": entry.birth if entry.birth[:4] == player.birth else player.birth,
    }
    values = {name: value for name, value in offered.items() if value and (overwrite or not getattr(entry, name))}
    values["fide_rating"] = rating
    if source:
        values["source"] = source
    changes = tuple((n, getattr(entry, n), value) for n, value in values.items() if getattr(entry, n) != value)
    return Proposal(entry, found, found_by, replace(entry, **values), changes, remark)
