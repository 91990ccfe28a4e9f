"""Codes as people write them: every code, modifier and edition is worked out or refused in a sentence."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.state import History, RoundRecord
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.edition import EDITIONS
from rules.tiebreaks.ranking import ranking
from rules.tiebreaks.registry import CODES, UnknownCode, compute, is_known, parse
from rules.tiebreaks.team import TeamTable
from tests.rules.test_tiebreaks_literal import event

MODIFIERS = ("/C1", "/C9", "/M1", "/P", "/F", "/L+2", "/L-1", "/K3", "/U1400", "/R")


def table(edition: str, predetermined: bool = False, win: int = 2) -> Crosstable:
    """Three players: a win, a forfeit, byes, and somebody who never came."""
    rows = {
        1: [RoundRecord(2, "white", None, win), RoundRecord(3, "black", "+", win), RoundRecord(None, None, "H", 1)],
        2: [RoundRecord(1, "black", None, 0), RoundRecord(None, None, "U", win), RoundRecord(None, None, "Z", 0)],
        3: [RoundRecord(None, None, "F", win), RoundRecord(1, "white", "-", 0), RoundRecord(None, None, "Z", 0)],
        4: [RoundRecord(None, None, "Z", 0)] * 3,
    }
    histories = tuple(History(tpn, tuple(rounds)) for tpn, rounds in rows.items())
    return Crosstable(histories, 3, predetermined, win=win, ratings={1: 2000}, edition=EDITIONS[edition])


def refusal(code: str, edition: str) -> str:
    """Why a code is refused; "" when it is known."""
    try:
        parse(code, EDITIONS[edition])
    except UnknownCode as error:
        return str(error)
    return ""


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_code_with_any_two_modifiers_has_values_or_is_refused_in_a_sentence(edition: str) -> None:
    tables = [table(edition), table(edition, True), TeamTable(table(edition), table(edition, win=8), 4)]
    worked_out = refused = 0
    for name, score, one, other in product(CODES, ("", ":MP", ":GP"), ("", *MODIFIERS), ("", "/P", "/M1")):
        code = f"{name}{score}{one}{other}"
        if why := refusal(code, edition):
            assert repr(code) in why
            assert why.endswith(".")
            refused += 1
            continue
        for each in tables:
            values = compute(code, each, (1, 2, 3, 4))
            assert set(values) == {1, 2, 3, 4}
            assert all(value.reason and isinstance(value.text, str) for value in values.values())
        worked_out += 1
    assert worked_out > 100
    assert refused > 1000


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("BH/C99", "BH has no modifier “/C99”. It may have: /C1, /M1, /P."),
        ("BH/C0", "BH has no modifier “/C0”"),
        ("BH/", "BH has no modifier “/”"),
        ("WIN/P", "WIN has no modifier “/P”. It may have: none."),
        ("BH/C1/C2", "“/C2” is one modifier too many"),
        ("BH/C1/M1", "“/M1” is one modifier too many; each may stand once, and /C or /M alone."),
        ("ARO/U0", "ARO has no modifier “/U0”"),
        ("KS/L", "KS has no modifier “/L”. It may have: /L+1."),
        ("BH:", "write BH:MP or BH:GP"),
        ("BH:XP", "write BH:MP or BH:GP"),
        ("EDE:MP", "EDE does not go by :MP or :GP"),
        ("MBH", "'MBH' is no tie-break known here. Known are: PTS, DE, BH,"),
        ("AROC", "is no tie-break known here"),
        ("OTHER_LUCK", "OTHER_TEAM_COEFFICIENT"),
        ("", "'' is no tie-break known here"),
        ("BH/C¹", "BH has no modifier"),
    ],
)
def test_what_is_wrong_with_a_code_is_said(code: str, words: str) -> None:
    with pytest.raises(UnknownCode) as refused:
        parse(code)
    assert words in str(refused.value)


def test_every_individual_code_can_lead_a_list() -> None:
    for name, code in CODES.items():
        if code.scope != "teams":
            assert len(ranking(table("2026"), [name, "PTS"])) == 4


def teams(seed: int) -> TeamTable:
    """Any event as one of teams: the same rounds with match points, and with game points that go their own way."""
    match = event(seed)
    chance = random.Random(seed)
    game = replace(
        match,
        players=tuple(
            History(p.tpn, tuple(replace(r, half_points=r.half_points + chance.randint(0, 2)) for r in p.rounds))
            for p in match.players
        ),
        win=8,
        draw=4,
    )
    return TeamTable(match, game, 4, chance.choice(("MP", "GP")))


TEAM_CODES = [
    "EMMSB", "EMGSB/C1", "EGMSB", "EGGSB/M1/P", "SSSC", "SSSC/F", "SSSC/K2/C1", "BC", "TBR", "BBE", "EDE", "EDE/P",
    "EDET", "BH:MP", "BH:GP/C1", "SB:GP", "FB:MP", "AOB:GP/F", "AOB:MP", "PS:GP", "DE:GP", "WIN", "BPG", "KS:GP",
    "MPVGP", "OTHER_TEAM_COEFFICIENT", "OTHER_MATCH_WINS", "REP", "STD:GP",
]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.permutations(TEAM_CODES))
def test_no_value_of_a_team_depends_on_what_was_computed_before(seed: int, codes: list[str]) -> None:
    table = teams(seed)
    everybody = sorted(table.first.by_tpn)
    for code in [code for code in codes if is_known(code, table.first.edition)]:
        alone = TeamTable(replace(table.match), replace(table.game), table.boards, table.primary)
        together, fresh = compute(code, table, everybody), compute(code, alone, everybody)
        assert together == fresh, code
        assert [v.reason for v in together.values()] == [v.reason for v in fresh.values()]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6), st.permutations(["BH/C1", "SB", "FB", "AOB/F", "WIN", "BWG", "PS", "ARO/U1400", "DE", "KS"])
)
def test_the_values_of_a_ranking_are_those_of_each_code_alone(seed: int, codes: list[str]) -> None:
    table = event(seed)
    codes = [code for code in codes if is_known(code, table.edition)]
    places = ranking(table, codes)
    for code in codes:
        if code != "DE":
            alone = compute(code, replace(table), sorted(table.by_tpn))
            assert {place.tpn: place.values[code] for place in places} == alone
    again = {place.tpn: place for place in ranking(replace(table), codes)}
    assert all(place == again[place.tpn] and place.reason == again[place.tpn].reason for place in places)
