"""hall.toml: what an organiser may write, and what he is told when he writes something else."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.hub import config as hub_config
from kiosk.provision.hall_file import find, read, to_toml
from kiosk.settings import SettingsError


def write(folder: Path, text: str) -> Path:
    path = folder / "hall.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_needs_one_line(tmp_path: Path) -> None:
    hall = read(write(tmp_path, 'role = "table"\n')).hall
    assert hall.host_name == "hall-table"
    assert hall.hubs == ()
    assert hall.devices.board == "auto"


def test_a_table_with_everything(tmp_path: Path) -> None:
    hall = read(
        write(
            tmp_path,
            """
role = "table"
event = "club26"
table = 12
hub = "192.168.50.1"
standby = "192.168.50.2:4300"
time-zone = "Europe/Belgrade"
language = "sr"

[devices]
board = "dgt:/dev/serial/by-id/usb-1"
clock = "plungers:17,27"
arbiter-key = "gpio:22"
dead-squares = ["a1"]

[network]
address = "192.168.50.12/24"
gateway = "192.168.50.1"
dns = ["192.168.50.1"]

[wifi]
name = "Dvorana 2"
password = "osam znakova"
country = "RS"
""",
        )
    ).hall
    assert hall.host_name == "hall-table-12"
    assert hall.hubs == ("192.168.50.1:4222", "192.168.50.2:4300")
    assert hall.devices.dead_squares == ("a1",)


def test_a_hub_takes_its_tournament_from_the_same_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
role = "hub"
event = "club26"

[regulations]
rounds = 3
forbidden = [
  ["Anna", "Bela"],
]

[tournament]
name = "Club evening"
entries = "entries.csv"
""",
    )
    config = hub_config.parse(read(path, Path("/state")).hub_toml)
    assert (config.name, config.rounds, config.event, config.keys) == ("Club evening", 3, "club26", True)
    assert config.entries_file == tmp_path / "entries.csv"
    assert config.data == Path("/state/hub")
    assert config.forbidden == (("Anna", "Bela"),)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", 1, "role"),
        ('role = "hob"\n', 1, '"hub", "table" or "standby"'),
        ('role = "table"\ntable = "Table 3"\n', 2, "a-z"),
        ('role = "table"\nhub = "http://hub"\n', 2, "192.168.50.1"),
        ('role = "table"\nstandby = "10.0.0.2"\n', 2, "name the hub too"),
        ('role = "table"\ntime-zone = "Belgrade"\n', 2, "Europe/Belgrade"),
        ('role = "table"\nlanguage = "Serbian"\n', 2, '"sr"'),
        ('role = "table"\ncolour = "red"\n', 2, "known are role"),
        ('role = "table"\n\n[devices]\nboard = "dgtt"\n', 4, "known are dgt"),
        ('role = "table"\n\n[devices]\narbiter-key = "gpio:17"\n', 4, "is taken"),
        ('role = "table"\n\n[network]\naddress = "192.168.50.12"\n', 4, "/24"),
        ('role = "table"\n\n[network]\ngateway = "192.168.50.1"\n', 3, "need an address"),
        ('role = "table"\n\n[wifi]\nname = "hall"\npassword = "short"\ncountry = "RS"\n', 5, "8 to 63"),
        ('role = "table"\n\n[wifi]\nname = "hall"\n', 3, "country"),
        ('role = "hub"\ntable = 3\n', 2, "leave it out"),
        ('role = "hub"\n\n[tournament]\nport = 1\n', 3, "leave it out"),
        ('role = "hub"\n\n[tournament]\nnome = "Club"\n', 4, "known are name"),
        ('role = "hub"\n\n[regulations]\nforbidden = [\n  ["A", "B"],\n]\ncontrol = "15x10"\n', 7, "90+30"),
        ('role = "table\n', 1, "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_a_remedy(tmp_path: Path, text: str, line: int, word: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        read(path)
    said = str(caught.value)
    assert word in said
    assert f"{path}:{line}:" in said or f"{path}, line {line}:" in said or f"{path}:{line}" in said


def test_the_first_file_that_exists_counts_and_none_at_all_is_said(tmp_path: Path) -> None:
    places = (tmp_path / "boot" / "hall.toml", tmp_path / "etc" / "hall.toml")
    with pytest.raises(SettingsError, match=r"no hall\.toml"):
        find(places)
    for place in reversed(places):
        place.parent.mkdir()
        place.touch()
        assert find(places) == place


_PLAIN = (
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.integers(-(2**63), 2**63 - 1) | st.booleans()
)
_VALUES = st.dictionaries(
    st.from_regex(r"[a-z][a-z-]{0,10}", fullmatch=True), _PLAIN | st.lists(_PLAIN, max_size=3), max_size=5
)


@given(_VALUES, st.dictionaries(st.sampled_from(["one", "two"]), _VALUES))
def test_what_is_written_as_toml_is_read_as_it_was(values: dict[str, Any], sections: dict[str, dict[str, Any]]) -> None:
    whole = {**{key: value for key, value in values.items() if key not in sections}, **sections}
    assert tomllib.loads(to_toml(whole)) == whole
