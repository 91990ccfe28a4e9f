"""Are the ratings of the entries still those of a list? Differences are told, never put right without being asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Literal

from rules.interchange.rating_list import RatedPlayer
from rules.tournament.entries import Entry, rated_by

#: Which of a list's ratings an event goes by. Rapid and blitz fall back on the standard rating (B.02).
Kind = Literal["standard", "rapid", "blitz"]


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """One entry that is not as the list has him: field by field, the entry's value and the list's."""

    entry: Entry
    listed: RatedPlayer | None
    fields: Mapping[str, tuple[str, str]]

    @property
    def words(self) -> str:
        """The difference in a sentence."""
        if self.listed is None:
            return _("{tpn} {name}: the id {id} is not on the list.").format(
                tpn=self.entry.tpn, name=self.entry.name, id=self.entry.fide_id
            )
        what = ", ".join(
            _("{field} {ours}, on the list {theirs}").format(field=field, ours=ours or "-", theirs=theirs or "-")
            for field, (ours, theirs) in self.fields.items()
        )
        return _("{tpn} {name}: {what}.").format(tpn=self.entry.tpn, name=self.entry.name, what=what)


def listed_rating(player: RatedPlayer, kind: Kind) -> int:
    """The rating an event of this kind takes: its own, else the standard one; 0 for nobody's."""
    return int(getattr(player, kind)) or player.standard


def differences(entries: Iterable[Entry], listed: Iterable[RatedPlayer], kind: Kind) -> tuple[RatingDifference, ...]:
    """The entries with a FIDE id that differ from the list, in the order of the entries."""
    wanted = {entry.fide_id: entry for entry in entries if entry.fide_id}
    found = {player.fide_id: player for player in listed if player.fide_id in wanted}
    told = []
    for fide_id, entry in wanted.items():
        player = found.get(fide_id)
        if player is None:
            told.append(RatingDifference(entry, None, {}))
            continue
        fields = _fields(entry, player, kind)
        if fields:
            told.append(RatingDifference(entry, player, fields))
    return tuple(told)


def _fields(entry: Entry, player: RatedPlayer, kind: Kind) -> Mapping[str, tuple[str, str]]:
    ours = {"rating": str(entry.fide_rating or entry.rating), "title": entry.title, "federation": entry.federation}
    theirs = {"rating": str(listed_rating(player, kind)), "title": player.title, "federation": player.federation}
    return {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}


def as_listed(entry: Entry, player: RatedPlayer, kind: Kind, source: str, method: str = "FIDE") -> Entry:
    """The entry with the list's rating, title and federation; `source` names the list, for the entry's record.

    The tournament's rating follows by the ranking method. The number stays until numbers are given anew.
    """
    official = replace(
        entry,
        fide_rating=listed_rating(player, kind),
        title=player.title,
        federation=player.federation,
        source=source,
    )
    if not official.fide_rating and not official.national_rating:
        return replace(official, rating=0)
    return rated_by(official, method)
