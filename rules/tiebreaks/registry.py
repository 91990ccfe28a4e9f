"""The tie-breaks by code. A new one is one function and one line in `CODES`.

Codes are written as in TRF26: a name, in team events the score it goes by, and modifiers, as in `BH/C1`, `BH:GP/M1`,
`KS/L+1` or `ARO/U1400` (case does not matter). Codes that are not FIDE's are called `OTHER_...`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any, Literal

from rules.tiebreaks import koya, old_texts, opponents, own, ratings, team_codes
from rules.tiebreaks.crosstable import Crosstable, Modifiers, Score
from rules.tiebreaks.edition import CURRENT, EDITIONS, Edition
from rules.tiebreaks.encounter import direct_encounter
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, undefined

#: A crosstable of players, or of teams.
Table = Crosstable | TeamTable
Compute = Callable[[Any, Sequence[int], Modifiers], Mapping[int, Value]]


_2026 = EDITIONS["2026"].number
#: The code of values that are worked out elsewhere.
OUTSIDE = "OTHER_OUTSIDE"
#: Codes that look at ratings (C.07 10).
_BY_RATINGS = frozenset({"RTNG", "ARO", "TPR", "PTP", "APRO", "APPO"})


class UnknownCode(ValueError):
    """A tie-break code that is not known here, or not to this edition; str() says which are."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code's function, and the letters of the modifiers it understands.

    `scope`: a "score" code takes a crosstable, in team events that in match points or game points as `:MP` or `:GP`
    says; "match" is the same, but in team events always by match points; "players" has no meaning in team events, and
    "teams" takes a `TeamTable`. `by_group` marks codes that look at the tied group only and are computed anew for every
    tie (type A); all others give everybody one value. `since` is the number of the edition that brought the code,
    `new_modifiers` are letters that came in 2026. `pairing` names the only way of pairing a code is made for.
    """

    compute: Compute
    modifiers: str = ""
    scope: Literal["score", "match", "players", "teams"] = "score"
    by_group: bool = False
    since: int = 0
    new_modifiers: str = ""
    pairing: Literal["", "swiss", "round robin"] = ""

    def letters(self, edition: Edition) -> str:
        """The modifiers an edition knows for the code."""
        return self.modifiers + (self.new_modifiers if edition.number >= _2026 else "")


#: Name → code.
CODES: Mapping[str, Code] = {
    "PTS": Code(own.points),
    "DE": Code(direct_encounter, "P", by_group=True),
    "BH": Code(opponents.buchholz, "CMP", pairing="swiss"),
    "FB": Code(opponents.fore_buchholz, "CMP", pairing="swiss"),
    "AOB": Code(opponents.average_buchholz, "P", new_modifiers="F", pairing="swiss"),
    "SB": Code(opponents.sonneborn_berger, "CMP"),
    "KS": Code(koya.koya, "L", pairing="round robin"),
    "WIN": Code(own.wins, scope="match"),
    "WON": Code(own.won_games, scope="match"),
    "BPG": Code(own.black_games, scope="match"),
    "BWG": Code(own.black_wins, scope="match"),
    "PS": Code(own.progressive, "C"),
    "REP": Code(own.elected_to_play, scope="match"),
    "GE": Code(own.elected_to_play, scope="match"),
    "STD": Code(own.standard_points, since=_2026),
    "TPN": Code(own.pairing_number, "R", since=_2026),
    "RTNG": Code(ratings.rating, "RU", scope="match", since=_2026),
    "ARO": Code(ratings.average_rating, "CMU", scope="players"),
    "TPR": Code(ratings.performance, "U", scope="players"),
    "PTP": Code(ratings.perfect_performance, "U", scope="players"),
    "APRO": Code(ratings.average_performance, "U", scope="players"),
    "APPO": Code(ratings.average_perfect_performance, "U", scope="players"),
    "MPTS": Code(team_codes.score_points("MP"), scope="teams"),
    "GPTS": Code(team_codes.score_points("GP"), scope="teams"),
    "MPVGP": Code(team_codes.other_score, scope="teams"),
    "EMMSB": Code(team_codes.sonneborn_berger_of("MP", "MP"), "CMP", scope="teams"),
    "EMGSB": Code(team_codes.sonneborn_berger_of("MP", "GP"), "CMP", scope="teams"),
    "EGMSB": Code(team_codes.sonneborn_berger_of("GP", "MP"), "CMP", scope="teams"),
    "EGGSB": Code(team_codes.sonneborn_berger_of("GP", "GP"), "CMP", scope="teams"),
    "SSSC": Code(team_codes.schedule_strength, "KFCP", scope="teams"),
    "BC": Code(team_codes.board_count, scope="teams", by_group=True),
    "TBR": Code(team_codes.top_boards, scope="teams"),
    "BBE": Code(team_codes.bottom_boards_out, scope="teams"),
    "EDE": Code(team_codes.extended_direct_encounter("EDE"), "P", scope="teams", by_group=True),
    **{
        name: Code(team_codes.extended_direct_encounter(name), "P", scope="teams", by_group=True, since=_2026)
        for name in ("EDEBT", "EDEBB", "EDET", "EDEB")
    },
    OUTSIDE: Code(own.from_outside),
    "OTHER_SB_PLAIN": Code(old_texts.plain_sonneborn_berger),
    "OTHER_BH_PLAIN": Code(old_texts.plain_buchholz),
    "OTHER_BH_MEDIAN_PLAIN": Code(old_texts.plain_median_buchholz),
    "OTHER_DE_ALL_MET": Code(old_texts.encounter_if_all_met, by_group=True),
    "OTHER_TEAM_COEFFICIENT": Code(old_texts.team_coefficient, scope="teams"),
    "OTHER_MATCH_WINS": Code(old_texts.match_wins, scope="teams"),
}
_MODIFIER = re.compile(
    r"(?P<letter>[CMK])(?P<count>[1-9])|(?P<limit>L)(?P<by>[+-]?[0-9]{1,2})"
    r"|U(?P<unrated>[1-9][0-9]{2,3})|(?P<flag>[PFR])"
)
#: Letter → how the modifier is written.
_WRITTEN: Mapping[str, str] = {
    "C": "/C1", "M": "/M1", "K": "/K3", "L": "/L+1", "U": "/U1400", "P": "/P", "F": "/F", "R": "/R",
}  # fmt: skip


def parse(code: str, edition: Edition = CURRENT) -> tuple[Code, Modifiers]:
    """The code and its modifiers. Raises `UnknownCode` with a sentence that names what is wrong."""
    head, *parts = code.strip().upper().split("/")
    name, colon, score = head.partition(":")
    known = CODES.get(name)
    if known is None:
        raise UnknownCode(
            _("{code!r} is no tie-break known here. Known are: {known}.").format(code=code, known=", ".join(CODES))
        )
    if known.since > edition.number:
        since = next(e.name for e in EDITIONS.values() if e.number == known.since)
        raise UnknownCode(
            _("{code!r} exists since the edition {since} of the tie-breaks; this event goes by {edition}.").format(
                code=code, since=since, edition=edition.name
            )
        )
    if colon and (score not in _SCORES or known.scope not in ("score", "match")):
        raise UnknownCode(_not_a_score(code, name, known))
    numbers = _numbers(code, name, known.letters(edition), parts)
    return known, Modifiers(
        cut_low=numbers.get("C", 0) + numbers.get("M", 0),
        cut_high=numbers.get("M", 0),
        forfeits="P" in numbers,
        fore="F" in numbers,
        limit=numbers.get("L", 0),
        factor=numbers.get("K", 0),
        unrated=numbers.get("U", 0),
        reverse="R" in numbers,
        score=_SCORES.get(score, ""),
    )


_SCORES: Mapping[str, Score] = {"MP": "MP", "GP": "GP"}


def _not_a_score(code: str, name: str, known: Code) -> str:
    if known.scope in ("score", "match"):
        return _("{code!r} is no tie-break: write {name}:MP or {name}:GP.").format(code=code, name=name)
    return _("{code!r} is no tie-break: {name} does not go by :MP or :GP.").format(code=code, name=name)


def _numbers(code: str, name: str, letters: str, parts: Sequence[str]) -> Mapping[str, int]:
    """Letter → number of the modifiers of a code. Raises `UnknownCode`."""
    numbers: dict[str, int] = {}
    for part in parts:
        found = _modifier(part)
        if found is None or found[0] not in letters:
            may = ", ".join(_WRITTEN[letter] for letter in letters) or _("none")
            raise UnknownCode(
                _("{code!r}: {name} has no modifier “/{part}”. It may have: {known}.").format(
                    code=code, name=name, part=part, known=may
                )
            )
        if found[0] in numbers or {found[0], *numbers} >= {"C", "M"}:
            text = _("{code!r}: “/{part}” is one modifier too many; each may stand once, and /C or /M alone.")
            raise UnknownCode(text.format(code=code, part=part))
        numbers[found[0]] = found[1]
    return numbers


def _modifier(part: str) -> tuple[str, int] | None:
    """Letter and number of one modifier."""
    match = _MODIFIER.fullmatch(part)
    if match is None:
        return None
    if match["unrated"]:
        return "U", int(match["unrated"])
    letter = match["letter"] or match["limit"] or match["flag"]
    return letter, int(match["count"] or match["by"] or 0)


def is_known(code: str, edition: Edition = CURRENT) -> bool:
    """Can the code be computed here?"""
    try:
        parse(code, edition)
    except UnknownCode:
        return False
    return True


def by_ratings(code: str) -> bool:
    """Does the code look at ratings?"""
    return code.strip().upper().split("/")[0].partition(":")[0] in _BY_RATINGS


def unsuited(code: str, *, teams: bool, predetermined: bool) -> str | None:
    """Why a code makes no sense for an event of that kind, in a sentence; None when it does. Raises `UnknownCode`."""
    known, modifiers = parse(code)
    if teams and known.scope == "players":
        return _("{code} is not used in team events.").format(code=code)
    if not teams and (known.scope == "teams" or modifiers.score):
        return _("{code} is for team events only.").format(code=code)
    if predetermined and known.pairing == "swiss":
        return _("{code} is not used in round robins.").format(code=code)
    if not predetermined and known.pairing == "round robin":
        return _("{code} is for round robins only.").format(code=code)
    return None


def compute(code: str, table: Table, group: Sequence[int]) -> Mapping[int, Value]:
    """TPN → value for the players (or teams) of `group`, those still tied. Raises `UnknownCode`.

    Where a code makes no sense, as Buchholz in a round robin or board count without teams, all values are undefined
    and say so.
    """
    first = table.first if isinstance(table, TeamTable) else table
    known, modifiers = parse(code, first.edition)
    if isinstance(table, TeamTable):
        if known.scope == "players":
            return dict.fromkeys(group, undefined(_only_for_players))
        if known.scope != "teams":
            score: Score = "MP" if known.scope == "match" else modifiers.score or table.primary
            return known.compute(table.by_score(score), group, modifiers)
    elif known.scope == "teams" or modifiers.score:
        return dict.fromkeys(group, undefined(_only_for_teams))
    return known.compute(table, group, modifiers)


def _only_for_players(_tpn: int) -> str:
    return _("not used in team events")


def _only_for_teams(_tpn: int) -> str:
    return _("only in team events")
