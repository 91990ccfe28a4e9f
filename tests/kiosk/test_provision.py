"""From hall.toml to a running table or hub: what is written, who is let in, what the first terminal says meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hallnet import unix_socket
from hallnet.keys import KeyFault
from hallnet.wire import Address
from kiosk.hub import config as hub_config
from kiosk.hub.standby import WORDS
from kiosk.provision import boards, face, join, plan, system
from kiosk.provision.hall_file import Hall, read, standby_toml
from kiosk.provision.joining import TAKE_OVER
from kiosk.provision.places import Places
from kiosk.provision.plan import provision
from kiosk.settings import read_settings
from kiosk.table.config import TableConfig, load


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("run", "state", "dev"):
        (tmp_path / name).mkdir()
    made = Places(
        run=tmp_path / "run",
        state=tmp_path / "state",
        devices=tmp_path / "dev",
        hall_files=(tmp_path / "hall.toml",),
        time_source=tmp_path / "hub.sources",
    )
    made.device_data.mkdir()
    return made


def hall_of(places: Places, text: str) -> Hall:
    places.hall_files[0].write_text(text, encoding="utf-8")
    provision(places)
    return read(places.hall_files[0], places.state).hall


# -- every start -------------------------------------------------------------------------------------------------------


def test_a_hub_becomes_a_hub(places: Places) -> None:
    hall_of(places, 'role = "hub"\nlanguage = "sr"\n')
    assert provision(places) == ""
    assert places.role("hub").exists()
    assert not places.role("table").exists()
    assert places.environment.read_text() == "LANGUAGE=sr\n"
    assert json.loads(places.system.read_text())["host"] == "hall-hub"
    assert places.hub_toml.exists()


@pytest.mark.parametrize(("wanted", "there"), [(True, True), (True, False), (False, True)])
def test_a_panel_is_touched_where_it_is_wished_and_possible(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool, there: bool
) -> None:
    monkeypatch.setattr(plan, "_CAGE", tmp_path / "cage")
    if there:
        (tmp_path / "cage").touch()
    hall_of(places, f'role = "table"\n[screen]\ntouch = {str(wanted).lower()}\n')
    assert places.touch.exists() is (wanted and there), "else the face is on the first terminal"
    hall_of(places, 'role = "table"\n')
    assert not places.touch.exists()


def test_a_broken_file_stops_nothing_and_is_shown(places: Places) -> None:
    hall_of(places, 'role = "hub"\n')
    places.hall_files[0].write_text('role = "hub"\n[network\n')
    assert "hall.toml:2" in provision(places)
    assert not list(places.run.glob("role-*"))
    shown = face.page(places, 0.0, lambda unit: "")
    assert isinstance(shown, face.Page)
    assert any("hall.toml:2" in words for words in shown.words)
    assert any("switch this one off and on" in words for words in shown.words)


def test_a_missing_file_says_where_to_put_one(places: Places) -> None:
    provision(places)
    shown = face.page(places, 0.0, lambda unit: "")
    assert isinstance(shown, face.Page)
    assert any(str(places.hall_files[0]) in words for words in shown.words)


# -- what root does ----------------------------------------------------------------------------------------------------


def appliance(root: Path) -> Path:
    for folder in ("etc", "usr/lib/hallkiosk", "usr/share/zoneinfo/Europe"):
        (root / folder).mkdir(parents=True)
    (root / "usr/lib/hallkiosk/appliance").touch()
    (root / "usr/share/zoneinfo/Europe/Belgrade").touch()
    (root / "etc/localtime").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    return root


def test_the_machine_gets_name_network_time_zone_and_clock(places: Places, tmp_path: Path) -> None:
    root = appliance(tmp_path / "root")
    hall_of(
        places,
        'role = "table"\ntable = 12\nhub = "10.0.0.1"\ntime-zone = "Europe/Belgrade"\n'
        '[network]\naddress = "10.0.0.12/24"\n[wifi]\nname = "Dvorana"\npassword = "a \\"b\\" c d"\ncountry = "RS"\n',
    )
    names: list[str] = []
    system.apply(json.loads(places.system.read_text()), root, names.append)
    assert names == ["hall-table-12"]
    assert (root / "etc/hostname").read_text() == "hall-table-12\n"
    assert (root / "etc/localtime").readlink() == Path("/usr/share/zoneinfo/Europe/Belgrade")
    assert "Address=10.0.0.12/24" in (root / "run/systemd/network/10-hallkiosk.network").read_text()
    assert "server 10.0.0.1 iburst" in (root / "etc/chrony/conf.d/hallkiosk-role.conf").read_text()
    wifi = root / "etc/wpa_supplicant/wpa_supplicant-wlan0.conf"
    assert wifi.stat().st_mode & 0o777 == 0o600
    assert f'ssid={b"Dvorana".hex()}\n  psk="a "b" c d"\n' in wifi.read_text()


def test_a_machine_with_another_owner_keeps_its_name_and_network(places: Places, tmp_path: Path) -> None:
    hall_of(places, 'role = "hub"\n')
    system.apply(json.loads(places.system.read_text()), tmp_path / "root", lambda name: pytest.fail("named"))
    made = [path for path in (tmp_path / "root").rglob("*") if path.is_file()]
    assert [path.name for path in made] == ["hallkiosk-role.conf"]
    assert "local stratum 10" in made[0].read_text()


@pytest.mark.parametrize(
    "change",
    [
        {"host": "hall-table-1\nevil"},
        {"host": "localhost"},
        {"time_zone": "../../etc/shadow"},
        {"network": {"address": "10.0.0.1/24\nDHCP=yes"}},
        {"network": {"address": "10.0.0.1/24", "dns": ["10.0.0.1\n[Match]"]}},
        {"wifi": {"name": "x", "password": "12345678\n}", "country": "RS"}},
        {"wifi": {"name": "x", "password": "12345678", "country": "RS\nupdate_config=1"}},
    ],
)
def test_root_believes_nothing_it_is_told(tmp_path: Path, change: dict[str, Any]) -> None:
    root = appliance(tmp_path)
    before = sorted(root.rglob("*"))
    with pytest.raises(system.Odd):
        system.apply({"host": "hall-table-1", **change}, root, lambda name: None)
    assert sorted(root.rglob("*")) == before


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
)


@given(st.dictionaries(st.sampled_from(["host", "time_zone", "hubs"]), _JUNK))
def test_whatever_it_is_told_root_writes_only_its_own_lines(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]
) -> None:
    root = appliance(tmp_path_factory.mktemp("root"))
    try:
        system.apply({"host": "hall-table", **values}, root, lambda name: None)
    except system.Odd:
        return
    for line in (root / "etc/chrony/conf.d/hallkiosk-role.conf").read_text().splitlines():
        assert line.startswith(("#", "server ", "local", "allow"))


# -- into the hall -----------------------------------------------------------------------------------------------------


@dataclass
class Village:
    """A network: where a hub is found at each look, and what the arbiter says at each asking."""

    found: list[str] = field(default_factory=list)
    answers: list[tuple[str, str] | Exception] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    places: Places | None = None

    def world(self, places: Places) -> join.World:
        async def look(address: Address) -> str:
            return self.found.pop(0) if self.found else ""

        async def enrol(hub: str, address: Address, show: Callable[[str], None]) -> tuple[str, str]:
            show("ABC234")
            self.pages.append(json.loads(places.joining.read_text())["code"])
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            places.keys.mkdir(exist_ok=True)
            for name in ("device.key", "ca.pem"):
                (places.keys / name).touch()
            return answer

        async def pause(seconds: float) -> None:
            shown = face.page(places, 0.0, lambda unit: "")
            assert isinstance(shown, face.Page)
            self.pages.append(shown.title)

        return join.World(look, enrol, pause)


def joined(places: Places, hall: Hall, village: Village) -> dict[str, Any]:
    return tomllib.loads(asyncio.run(join.join(places, hall, village.world(places))))


def test_a_new_table_waits_for_the_hub_asks_and_takes_the_name_it_is_given(places: Places) -> None:
    village = Village(found=["", "", "10.0.0.1:4222", "10.0.0.1:4222"], answers=[("12", "")])
    table = joined(places, hall_of(places, 'role = "table"\n'), village)
    assert village.pages == ["Looking for the hub", "Looking for the hub", "ABC234"]
    assert (table["table"], table["hub"]) == ("12", "10.0.0.1:4222")
    assert places.time_source.read_text() == "server 10.0.0.1 iburst\n"


def test_a_table_that_was_let_in_waits_for_nobody(places: Places) -> None:
    hall = hall_of(places, 'role = "table"\ntable = 12\n')
    joined(places, hall, Village(found=["10.0.0.1:4222"] * 2, answers=[("12", "")]))
    assert joined(places, hall, Village())["hub"] == "10.0.0.1:4222"
    moved = joined(places, hall, Village(found=["10.0.0.9:4222"]))
    assert moved["hub"] == "10.0.0.9:4222, 10.0.0.1:4222"
    assert joined(places, hall, Village())["hub"] == "10.0.0.9:4222"


@pytest.mark.parametrize("answer", [("", "no"), ("13", ""), KeyFault("the key"), TimeoutError()])
def test_whoever_is_refused_reads_why_and_asks_again(places: Places, answer: tuple[str, str] | Exception) -> None:
    village = Village(answers=[answer, ("12", "")])
    hall = hall_of(places, 'role = "table"\ntable = 12\nhub = "10.0.0.1"\n')
    assert joined(places, hall, village)["table"] == "12"
    assert village.pages == ["ABC234", "This table was not let in", "ABC234"]


@pytest.mark.parametrize("line", ['event = "other"', 'hall = "b"', "table = 7"])
def test_another_event_or_number_asks_anew(places: Places, line: str) -> None:
    first = hall_of(places, 'role = "table"\nhub = "10.0.0.1"\n')
    joined(places, first, Village(answers=[("12", "")]))
    other = hall_of(places, f'role = "table"\nhub = "10.0.0.1"\n{line}\n')
    village = Village(answers=[("7", "")])
    assert joined(places, other, village)["table"] == "7"
    assert village.answers == []


def test_the_settings_are_a_tables_settings(places: Places) -> None:
    hall = hall_of(
        places,
        'role = "table"\nhub = "10.0.0.1"\n[devices]\nboard = "simulated"\nclock = "simulated"\n[players]\nseed = 4\n',
    )
    village = Village(answers=[("12", "")])
    places.table_toml.write_text(asyncio.run(join.join(places, hall, village.world(places))))
    config = load(places.table_toml)
    assert (config.table, config.simulated) == ("12", True)
    assert config.players is not None
    assert config.players.seed == 4
    assert read_settings(places.table_toml, TableConfig).key == str(places.keys / "device.key")


# -- a second hub -----------------------------------------------------------------------------------------------------

STANDBY = 'role = "standby"\nevent = "club"\n[tournament]\nname = "Evening"\ntables = 7\n'


def standing(places: Places) -> Places:
    places = replace(places, device="standby")
    places.device_data.mkdir()
    return places


def test_a_standby_is_let_in_and_has_a_hubs_settings_with_its_own_key(places: Places) -> None:
    hall = hall_of(places, STANDBY)
    assert places.role("standby").exists()
    assert not places.hub_toml.exists(), "where the hub is nobody knows yet"
    places = standing(places)
    village = Village(found=["10.0.0.1:4222", "10.0.0.1:4222"], answers=[("two", "")])
    _name, hubs = asyncio.run(join.be_in(places, hall, village.world(places)))
    keys = places.keys / "device.key", places.keys / "ca.pem"
    found = read(places.hall_files[0], places.state)
    places.hub_toml.write_text(standby_toml(found.hub_toml, hubs, *keys))
    config = hub_config.load(places.hub_toml)
    assert (config.primary, config.key, config.ca) == ("10.0.0.1:4222", *keys)
    assert (config.event, config.tables, config.keys, config.data) == ("club", 7, True, places.hub_data)
    assert not (places.state / "table").joinpath("keys").exists(), "a table's key is another one"


def test_a_standby_says_for_whom_it_stands_by_and_what_is_typed(places: Places) -> None:
    hall_of(places, STANDBY)
    places.joining.write_text('{"state": "in", "hub": "10.0.0.1:4222"}')
    shown = face.page(places, 0.0, lambda unit: f"{unit} is silent")
    assert isinstance(shown, face.Page)
    assert (shown.title, shown.asks) == ("This hub stands by for 10.0.0.1:4222", True)
    assert shown.words[0] == "hall-standby.service is silent"
    assert TAKE_OVER in shown.words[1]
    assert TAKE_OVER == WORDS


def test_the_words_reach_the_standby_and_nobody_else(places: Places) -> None:
    places.standby_start.write_text(json.dumps({"pid": os.getpid()}))
    face.take_over(places)  # this process is no standby, and lives
    script = "import signal; signal.signal(signal.SIGUSR1, lambda *_: exit(7)); print(flush=True); signal.pause()"
    with subprocess.Popen((sys.executable, "-c", script, "--standby"), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        places.standby_start.write_text(json.dumps({"pid": process.pid}))
        face.take_over(places)
        assert process.wait(10) == 7


def test_typed_lines_are_read_whole_and_the_end_of_the_input_is_no_line() -> None:
    ours, theirs = os.pipe()
    keyboard = face.Keyboard(ours)
    os.write(theirs, b"take ")
    assert keyboard.lines(1.0) == []
    os.write(theirs, b"over\nand")
    assert keyboard.lines(1.0) == ["take over"]
    os.close(theirs)
    assert keyboard.lines(1.0) == []
    assert keyboard.lines(0.0) == []
    os.close(ours)


def test_the_journal_is_not_asked_at_every_look() -> None:
    asked: list[str] = []

    def ask(unit: str) -> str:
        asked.append(unit)
        return f"{unit} speaks"

    journal = face.Journal(ask)
    assert {journal.last_words("a") for _ in range(9)} == {"a speaks"}
    assert journal.last_words("b") == "b speaks"
    assert asked == ["a", "b"]


@pytest.mark.parametrize("role", ["hub", "standby"])
def test_a_standby_follows_the_hubs_clock_and_gives_the_time_all_the_same(
    places: Places, tmp_path: Path, role: str
) -> None:
    root = appliance(tmp_path / "root")
    hall_of(places, f'role = "{role}"\n' + ('hub = "10.0.0.1"\n' if role == "standby" else ""))
    names: list[str] = []
    system.apply(json.loads(places.system.read_text()), root, names.append)
    assert names == [f"hall-{role}"]
    clock = (root / "etc/chrony/conf.d/hallkiosk-role.conf").read_text()
    assert ("server 10.0.0.1 iburst" in clock) is (role == "standby")
    assert "allow" in clock.splitlines()


# -- boards ------------------------------------------------------------------------------------------------------------


def test_the_plugged_board_is_taken_and_without_one_the_usual_is_awaited(places: Places) -> None:
    assert boards.choose(places.devices) == f"dgt:{places.devices}/hallkiosk-board-dgt"
    (places.devices / "hallkiosk-board-certabo").touch()
    assert boards.choose(places.devices) == f"certabo:{places.devices}/hallkiosk-board-certabo"
    (places.devices / "hallkiosk-board-toaster").touch()
    assert len(boards.plugged(places.devices)) == 1


def plug_in(devices: Path, tty: str, *names: str) -> None:
    """A device with names as udev gives them: who comes last gets a name that was taken."""
    (devices / tty).touch()
    for name in names:
        (devices / f"hallkiosk-board-{name}").unlink(missing_ok=True)
        (devices / f"hallkiosk-board-{name}").symlink_to(tty)


def test_two_boards_of_a_kind_are_told_apart_and_the_choice_does_not_depend_on_who_came_last(places: Places) -> None:
    first, second = ("ttyACM0", "dgt", "dgt-12345", "dgt-at-1-1.3"), ("ttyACM1", "dgt", "dgt-at-1-1.2")
    plug_in(places.devices, *first)
    assert boards.plugged(places.devices) == [f"dgt:{places.devices}/hallkiosk-board-dgt"]
    plug_in(places.devices, *second)
    named = [f"dgt:{places.devices}/hallkiosk-board-dgt-{own}" for own in ("12345", "at-1-1.2")]
    assert boards.plugged(places.devices) == named
    plug_in(places.devices, *first)
    assert boards.choose(places.devices) == named[0]


def test_a_table_with_one_of_two_boards_takes_the_other_when_its_own_is_pulled_out(places: Places) -> None:
    own = places.devices / "hallkiosk-board-dgt-12345"
    places.table_toml.write_text(f'table = "1"\nboard = "dgt:{own}"\n')
    places.table_start.write_text(json.dumps({"pid": 0, "board_chosen": True}))
    assert boards.arrived(places, "dgt", kill=False)
    plug_in(places.devices, "ttyACM0", "dgt", "dgt-12345")
    assert not boards.arrived(places, "dgt", kill=False)


@pytest.mark.parametrize(
    ("kind", "chosen", "own_is_there", "again"),
    [
        ("certabo", True, False, True),
        ("dgt", True, False, False),
        ("certabo", True, True, False),
        ("certabo", False, False, False),
        ("toaster", True, False, False),
    ],
)
def test_a_board_of_another_kind_is_taken_only_by_a_table_that_waits_for_one(
    places: Places, kind: str, chosen: bool, own_is_there: bool, again: bool
) -> None:
    assert not boards.arrived(places, kind)
    own = places.devices / "hallkiosk-board-dgt"
    places.table_toml.write_text(f'table = "1"\nboard = "dgt:{own}"\n')
    places.table_start.write_text(json.dumps({"pid": 0, "board_chosen": chosen}))
    if own_is_there:
        own.touch()
    assert boards.arrived(places, kind, kill=False) is again


# -- the first terminal ------------------------------------------------------------------------------------------------


def test_the_face_becomes_the_screen_when_the_table_answers(places: Places) -> None:
    hall = hall_of(places, 'role = "table"\nhub = "10.0.0.1"\n')
    joined(places, hall, Village(answers=[("12", "")]))
    assert isinstance(face.page(places, 0.0, lambda unit: ""), face.Page)
    with unix_socket.listen(places.device_data / "table-12.sock"):
        assert face.page(places, 0.0, lambda unit: "") == [
            "screen",
            "--socket",
            str(places.device_data / "table-12.sock"),
        ]


def test_a_service_that_does_not_come_is_quoted(places: Places) -> None:
    hall_of(places, 'role = "hub"\n')
    shown = face.page(places, 60.0, lambda unit: f"{unit} said: there are no entries")
    assert isinstance(shown, face.Page)
    assert "hall-hub.service said: there are no entries" in shown.words


@given(
    st.builds(
        face.Page,
        st.text(max_size=40),
        st.lists(st.text(max_size=300), max_size=4).map(tuple),
        st.sampled_from(["", "ABC234"]),
    ),
    st.integers(10, 240),
    st.integers(2, 80),
)
def test_a_page_fits_every_terminal(shown: face.Page, columns: int, rows: int) -> None:
    lines = face.picture(shown, columns, rows)
    assert len(lines) < rows
    assert all(len(line) <= columns for line in lines)
