"""The units: what systemd, udev and nft say about them, and what they promise each other."""

from __future__ import annotations

import configparser
import re
import subprocess
from pathlib import Path

import pytest

from drivers.catalogue import BOARDS
from tests.systemd.root import REPOSITORY, UNITS

COMMON = REPOSITORY / "systemd/common"
FOLDER = COMMON / "usr/lib/systemd/system"
SERVICES = sorted(path.name for path in FOLDER.glob("hall-*.service"))
#: Services that run for as long as the machine is on.
LASTING = (
    "hall-hub.service",
    "hall-standby.service",
    "hall-table.service",
    "hall-screen.service",
    "hall-desk.service",
    "hall-touch.service",
)
#: Exposure by `systemd-analyze security`; the privileged part of provisioning has no bound, and keeps this one too.
MOST_EXPOSED = 1.5


def read(name: str) -> dict[str, dict[str, list[str]]]:
    """A unit as section → key → its values in order."""
    sections: dict[str, dict[str, list[str]]] = {}
    here: dict[str, list[str]] = {}
    for line in (FOLDER / name).read_text(encoding="ascii").splitlines():
        if head := re.fullmatch(r"\[(\w+)\]", line):
            here = sections.setdefault(head[1], {})
        elif line and not line.startswith("#"):
            key, _equals, value = line.partition("=")
            here.setdefault(key, []).append(value)
    return sections


def in_root(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the root, judged by what it says."""
    script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    command = ("unshare", "-m", "sh", "-c", script, str(root), *words)
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_watched_and_started_again_for_ever(name: str) -> None:
    unit = read(name)
    assert unit["Unit"]["StartLimitIntervalSec"] == ["0"]
    service = {key: values[-1] for key, values in unit["Service"].items()}
    assert (service["Type"], service["Restart"]) == ("notify", "always")
    assert {"WatchdogSec", "RestartSteps", "RestartMaxDelaySec", "MemoryMax", "TasksMax"} <= service.keys()


@pytest.mark.parametrize("name", SERVICES)
def test_only_one_small_part_runs_as_root(name: str) -> None:
    service = read(name)["Service"]
    assert ("User" in service) == (name != "hall-identity.service")
    assert service["CapabilityBoundingSet"] in ([""], ["CAP_NET_ADMIN"], ["CAP_SYS_ADMIN CAP_DAC_READ_SEARCH"])


def test_a_machine_of_the_other_role_starts_nothing() -> None:
    for role in ("hub", "standby", "table"):
        for name in (f"hall-{role}.service", f"hall-{role}.target"):
            assert f"/run/hallkiosk/role-{role}" in read(name)["Unit"]["ConditionPathExists"]


def test_a_standby_may_do_what_a_hub_may_and_can_become_one() -> None:
    """The same process is the hub once it has taken over: fences and limits are the same."""
    hub, standby = read("hall-hub.service")["Service"], read("hall-standby.service")["Service"]
    own = {"ExecStart", "StateDirectory", "ReadWritePaths"}
    assert {key: value for key, value in standby.items() if key not in own} == {
        key: value for key, value in hub.items() if key not in own
    }
    assert standby["StateDirectory"] == ["hallkiosk/hub hallkiosk/standby"]
    assert "role-standby" in " ".join(read("hall-firewall.service")["Service"]["ExecStart"])
    assert "|/run/hallkiosk/role-standby" in read("hall-desk.service")["Unit"]["ConditionPathExists"]
    assert "!/run/hallkiosk/role-standby" in read("hall-screen.service")["Unit"]["ConditionPathExists"]


def test_a_face_is_on_the_terminal_or_on_a_touched_panel_never_on_both() -> None:
    assert read("hall-touch.service")["Unit"]["ConditionPathExists"] == ["/run/hallkiosk/touch"]
    for name in ("hall-screen.service", "hall-desk.service"):
        assert "!/run/hallkiosk/touch" in read(name)["Unit"]["ConditionPathExists"]


def test_every_enabled_unit_exists_and_says_by_whom_it_is_wanted() -> None:
    for name in UNITS:
        assert "WantedBy" in read(name)["Install"]


def test_every_board_that_udev_names_is_one_the_table_knows() -> None:
    rules = (COMMON / "usr/lib/udev/rules.d/70-hallkiosk.rules").read_text(encoding="ascii")
    kinds = set(re.findall(r'ENV\{HALLKIOSK_BOARD\}="(\w+)"', rules))
    assert {"dgt", "chesslink", "certabo", "chessnut"} <= kinds <= set(BOARDS)


def test_settings_are_read_by_systemd_as_what_they_are() -> None:
    for path in [*COMMON.rglob("*.conf"), *(REPOSITORY / "systemd/appliance").rglob("*.conf")]:
        if not path.parent.name.endswith((".conf.d", ".service.d")):
            continue  # lists of modules, users, files, kernel settings
        parser = configparser.ConfigParser(strict=False, allow_no_value=True)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(path.read_text(encoding="ascii"))
        assert parser.sections(), path


@pytest.mark.appliance
def test_systemd_finds_nothing_to_complain_about(debian_root: Path) -> None:
    names = [path.name.replace("@.", "@dgt.") for path in FOLDER.glob("hall-*") if path.is_file()]
    said = in_root(debian_root, "systemd-analyze", "verify", *names)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


@pytest.mark.appliance
def test_every_service_is_fenced_in(debian_root: Path) -> None:
    for name in SERVICES:
        unit = name.replace("@.", "@dgt.")
        said = in_root(debian_root, "systemd-analyze", "security", "--offline=true", "--no-pager", unit)
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said.stdout)
        assert found, said.stdout + said.stderr
        assert float(found[1]) <= MOST_EXPOSED, f"{name}: {found[1]}"


@pytest.mark.appliance
def test_the_system_reads_rules_users_and_kernel_settings(debian_root: Path) -> None:
    udev = in_root(debian_root, "udevadm", "verify", "/usr/lib/udev/rules.d/70-hallkiosk.rules")
    assert udev.returncode == 0, udev.stdout + udev.stderr
    assert "hallkiosk" in in_root(debian_root, "id", "hallkiosk").stdout
    groups = in_root(debian_root, "id", "-nG", "hallkiosk").stdout.split()
    assert {"hallio", "dialout"} <= set(groups)
    tmpfiles = in_root(debian_root, "systemd-tmpfiles", "--create", "--dry-run", "/usr/lib/tmpfiles.d/hallkiosk.conf")
    assert tmpfiles.returncode == 0, tmpfiles.stderr


@pytest.mark.appliance
def test_the_clock_daemon_takes_our_settings(debian_root: Path) -> None:
    said = in_root(debian_root, "chronyd", "-p", "-f", "/etc/chrony/chrony.conf")
    assert said.returncode == 0, said.stderr
    assert "maxslewrate 500" in said.stdout


@pytest.mark.appliance
@pytest.mark.parametrize("name", ["none", "table", "hub"])
def test_the_packet_filter_takes_our_rules(debian_root: Path, name: str) -> None:
    rules = f"/usr/lib/hallkiosk/firewall/{name}.nft"
    said = subprocess.run(
        ("unshare", "-n", "chroot", str(debian_root), "nft", "-c", "-f", rules),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (said.returncode, said.stderr) == (0, "")
