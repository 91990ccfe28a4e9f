"""A hub's settings: what is understood, and how it says no."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest

from hallnet.hall_log import HallLog
from hallnet.wire import Address
from kiosk.hub.config import KEYS, ConfigError, HubConfig, load, parse
from kiosk.hub.core import HubCore
from kiosk.hub.entries import EntriesError, load_entries, numbers_of
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations

FULL = """
name = "Spring Open"
event = "spring26"
hall = "a"
data = "run"
port = 4222
entries = "players.csv"
tables = 30
speed = 2

[regulations]
rounds = 7
system = "dutch"
control = "90+30"
tie-breaks = ["BH/C1", "SB"]
arbiter = "M. Orlova"
initial-colour = "black"
seed = 4
"""

ANNOUNCED = """
[regulations]
win-points = 3
draw-points = 1
loss-points = 0
half-point-byes = 2
rounds-without-half-point-byes = 3
full-point-byes = true
last-round-for-late-entries = 4
missed-rounds = "H"
correct-until = "next-pairing"
default-minutes = 60
late-clock = "rest"
ranking = "HBFN"
equals = "birth"
pairing-edition = 2017
numbering = "file"
forbidden = [["Ana", "Bo"], [101, 102, 103]]
"""


def test_a_whole_file_is_understood_and_paths_start_at_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "hub.toml"
    path.write_text(FULL, "utf-8")
    config = load(path)
    assert (config.name, config.event, config.port, config.speed) == ("Spring Open", "spring26", 4222, 2.0)
    assert config.data == tmp_path / "run"
    assert config.entries_file == tmp_path / "players.csv"
    regulations = config.regulations()
    assert (regulations.rounds, regulations.control, regulations.initial_colour) == (7, "90+30", "black")
    assert regulations.tie_breaks == ("BH/C1", "SB")


def test_all_that_can_be_announced_reaches_the_regulations() -> None:
    config = parse(ANNOUNCED, "hub.toml")
    assert config.forbidden == (("Ana", "Bo"), (101, 102, 103))
    told = config.regulations()
    assert (told.win_half_points, told.draw_half_points, told.loss_half_points, told.pab_half_points) == (6, 2, 0, 6)
    assert (told.half_byes, told.closed_rounds, told.full_byes, told.last_entry) == (2, 3, True, 4)
    assert (told.missed_rounds, told.correct_until) == ("H", "next-pairing")
    assert (told.default_minutes, told.late_clock) == (60, "rest")
    assert (told.ranking, told.equals, told.pairing_edition, told.numbering) == ("HBFN", "birth", "2017", "file")
    assert parse('[regulations]\nacceleration = "baku"').regulations().acceleration == "baku"


def test_every_field_of_the_regulations_can_be_set() -> None:
    fields = {name for name, _check in KEYS["regulations"].values()} | {"name", "prizes"}
    assert {f.name for f in dataclasses.fields(Regulations)} <= fields
    assert HubConfig(seed=1, initial_colour="white").regulations() == dataclasses.replace(
        Regulations("Chess Tournament", 5, seed=1), tie_breaks=("BH/C1", "BH", "SB")
    )


def test_who_must_not_meet_is_found_in_the_entries_by_name_or_id(tmp_path: Path) -> None:
    entries = tuple(Entry(n, name, fide_id=100 + n) for n, name in enumerate(("Ana", "Bo", "Cy", "Di"), 1))
    assert numbers_of(("ana", 103), entries) == (1, 3)
    with pytest.raises(EntriesError, match=r"'Eva': no entry is called so; write the name as in the list"):
        numbers_of(("Ana", "Eva"), entries)
    with pytest.raises(EntriesError, match="2 entries are called so"):
        numbers_of(("Bo", "Ana"), (*entries, Entry(5, "Bo")))
    log = HallLog.open(tmp_path / "hall.db")
    core = HubCore(log, Address("spring", "hall"), boot="b")
    core.open(1, Regulations("x", 2), entries, forbidden=((102, "Di"),))
    assert core.hall.state.forbidden_in(1) == {(2, 4)}
    log.close()


def test_nothing_is_needed(tmp_path: Path) -> None:
    assert parse("") == HubConfig()
    first, again = HubConfig(seed=5).regulations(), HubConfig(seed=5).regulations()
    assert first == again
    assert first.initial_colour in ("white", "black")
    assert HubConfig().regulations().seed != HubConfig().regulations().seed


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('name = "a"\nnmae = "b"', 2, "known are"),
        ("[regulations]\nrounds = 0", 2, "1 to 99"),
        ("\n\nport = 70000", 3, "65535"),
        ('event = "Spring Open"', 1, "a-z"),
        ("speed = true", 1, "0.1"),
        ('[regulations]\n\n# the usual\ncontrol = "soon"', 4, "control"),
        ('rounds = 3\n[regulations]\nsystem = "dutch"', 1, "known are"),
        ('[regulations]\nsystem = "random"', 2, '"dutch"'),
        ('[regulations]\ntie-breaks = "BH"', 2, "list"),
        ('[regulations]\nstart-date = "30.5.2026"', 2, "2026/05/30"),
        ("regulations = 3", 1, "section"),
        ('[regulations]\nrounds = 5\ntie-breaks = ["BH", "BHC"]', 3, "'BHC' is no tie-break known here. Known are"),
        ('[regulations]\nsystem = "berger"\ntie-breaks = ["BH"]', 3, "BH is not used in round robins. Leave it out."),
        ('[regulations]\ntie-breaks = ["KS"]', 2, "KS is for round robins only"),
        ("[regulations]\nwin-points = 0.3", 2, "such as 3 or 0.5"),
        ("[regulations]\nwin-points = 3\ndraw-points = 2", 3, "Two draws must not be worth more"),
        ("[regulations]\npab-half-points = 3", 2, "must not be worth more than a win"),
        ("[regulations]\nhalf-point-byes = -1", 2, "0 to 99"),
        ("[regulations]\nrounds-without-half-point-byes = true", 2, "0 to 99"),
        ('[regulations]\nfull-point-byes = "yes"', 2, "true or false"),
        ("[regulations]\nrounds = 5\nlast-round-for-late-entries = 6", 3, "one of the 5 rounds"),
        ('[regulations]\nmissed-rounds = "F"', 2, '"Z", "H"'),
        ('[regulations]\ncorrect-until = "never"', 2, '"next-pairing"'),
        ("[regulations]\ndefault-minutes = 1.5", 2, "whole number"),
        ('[regulations]\nlate-clock = "half"', 2, '"rest"'),
        ('[regulations]\nacceleration = "dubai"', 2, '"baku"'),
        ('[regulations]\nsystem = "berger"\nacceleration = "baku"', 3, "C.04.7 1.1"),
        ('[regulations]\nranking = "ELO"', 2, '"FIDON"'),
        ('[regulations]\nequals = "club"', 2, '"fide-id"'),
        ("[regulations]\npairing-edition = 2020", 2, '"2017"'),
        ('[regulations]\nnumbering = "rank"', 2, '"engines"'),
        ('[regulations]\nforbidden = ["Ana", "Bo"]', 2, "two or more players"),
        ('[regulations]\nforbidden = [["Ana"]]', 2, "two or more players"),
        ("[regulations]\nforbidden = [[101, 0]]", 2, "FIDE id"),
        ('[regulations]\nend-date = "2026/05/29"\nstart-date = "2026/05/30"', 3, "ends before it begins"),
        ('name = "a"\nport = = 3', 2, "TOML"),
    ],
)
def test_a_wrong_key_or_value_is_refused_with_its_line_and_a_remedy(text: str, line: int, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "hub.toml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"hub.toml, line {line}: ")
    assert says in str(caught.value)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hub.toml: cannot be read \(No such file"):
        load(tmp_path / "hub.toml")


def test_entries_come_from_csv_or_trf_also_compressed(tmp_path: Path) -> None:
    csv = tmp_path / "players.csv"
    csv.write_text("name,rating\nAna,2000\nBo,1900\n", "utf-8")
    assert [entry.name for entry in load_entries(csv)] == ["Ana", "Bo"]
    packed = tmp_path / "players.csv.gz"
    packed.write_bytes(gzip.compress(csv.read_bytes()))
    assert load_entries(packed) == load_entries(csv)
    for path, says in ((None, "entries"), (tmp_path / "none.csv", "cannot be read")):
        with pytest.raises(EntriesError, match=says):
            load_entries(path)
    csv.write_text("name\n\n", "utf-8")
    with pytest.raises(EntriesError, match=r"players.csv:"):
        load_entries(csv)
