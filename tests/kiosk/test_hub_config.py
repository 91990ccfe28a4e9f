"""A hub's settings: what is understood, and how it says no."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kiosk.hub.config import ConfigError, HubConfig, load, parse
from kiosk.hub.entries import EntriesError, load_entries

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
