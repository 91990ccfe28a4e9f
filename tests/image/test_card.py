"""A card is written and put into a machine: it starts, keeps what it must, shows what it should.

The tests follow one another as a first evening does.
"""

from __future__ import annotations

from image.console_font import SIZES
from tests.image.conftest import until
from tests.image.machine import Card, Machine

#: Most memory a table may use when nobody plays.
IDLE_MB = 150
#: CPU time that all programs may spend from the start to the screen, with what the kernel does for them.
CPU_S = 20


def test_the_partitions_are_where_firmware_and_updates_expect_them(table: Machine) -> None:
    shown = table.run("for i in 1 2 3 4; do cat /sys/block/vda/vda$i/start /sys/block/vda/vda$i/size; done").split()
    starts = [int(number) * 512 >> 20 for number in shown[::2]]
    assert starts == [4, 260, 772, 1284]
    assert shown[3] == shown[5], "slot B takes what slot A takes"
    assert "4c 4c 41 48" in table.run("head -c 444 /dev/vda | tail -c 4 | od -An -tx1")


def test_the_root_is_never_written_and_what_must_be_kept_is_on_the_data_partition(table: Machine) -> None:
    mounts = dict(line.split(" ", 1) for line in table.run("findmnt -rno TARGET,SOURCE,FSTYPE,OPTIONS").splitlines())
    assert mounts["/"].startswith("root overlay")
    assert mounts["/run/hall/lower"].startswith("/dev/vda2 squashfs ro")
    assert mounts["/data"].startswith("/dev/vda4 ext4 rw")
    assert mounts["/boot/firmware"].startswith("/dev/vda1 vfat ro")
    for place in ("/var/lib/hallkiosk", "/var/log/journal", "/var/lib/chrony"):
        assert mounts[place].startswith("/dev/vda4["), place
    table.run("touch /usr/bin/written && rm /usr/bin/written")


def test_the_file_on_the_card_makes_it_a_table(table: Machine) -> None:
    until(table, "test -e /run/hallkiosk/role-table && hostname; readlink /etc/localtime", "hall-table-1")
    assert table.run("readlink /etc/localtime") == "/usr/share/zoneinfo/Europe/Belgrade"


def test_nothing_has_failed_and_it_weighs_what_a_small_pi_has(table: Machine, figures: dict[str, object]) -> None:
    until(table, "systemctl is-active hall-screen.service | sed s/^/=/", "=active")
    until(table, "systemctl is-system-running || true", "running")
    assert table.run("systemctl --failed --no-legend --plain") == ""
    fields = dict(line.split(":") for line in table.run("cat /proc/meminfo").splitlines())
    total, free = (int(fields[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    figures["idle, MB used"] = (total - free) >> 10
    # A busy host stretches what the machine takes for CPU time: set right by what it was really given.
    groups = " ".join(f"/sys/fs/cgroup/{name}/cpu.stat" for name in ("init.scope", "system.slice"))
    stat, *counts = table.run(f"head -n 1 /proc/stat; grep -hE '^(usage|user)_usec' {groups}").splitlines()
    host_s = table.cpu_s
    ticks = [int(number) for number in stat.split()[1:8]]
    busy = (sum(ticks) - ticks[3] - ticks[4]) / 100
    given = min(1.0, host_s / busy)
    sums = {"usage": 0.0, "user": 0.0}
    for line in counts:
        name, microseconds = line.split()
        sums[name.removesuffix("_usec")] += int(microseconds) / 1e6
    figures["CPU of all programs until then in user mode, s"] = round(sums["user"] * given, 1)
    figures["... with what the kernel did for them"] = round(sums["usage"] * given, 1)
    figures["... as the machine counts both"] = [round(sums["user"], 1), round(sums["usage"], 1)]
    figures["... kernel and initramfs too; given by the host"] = [round(busy, 1), round(host_s, 1)]
    figures["analyze"] = table.run("systemd-analyze time | head -n 1", fails=True)
    show = "for s in $(systemctl list-units --all --no-legend --plain -t service | cut -d' ' -f1); do "
    show += "echo $(systemctl show -P CPUUsageNSec $s) $s; done | grep ^[0-9] | sort -rn | head -n 12"
    rows = [line.split() for line in table.run(show, 180).splitlines()]
    figures["most CPU, s as the machine counts it"] = {name: round(int(ns) / 1e9, 1) for ns, name in rows}
    assert (total - free) >> 10 <= IDLE_MB
    assert sums["usage"] * given <= CPU_S


def test_the_first_terminal_shows_in_words_what_is_awaited(table: Machine) -> None:
    until(table, "tr -d '\\0' </dev/vcs1 | head -c 8000", "127.0.0.1")
    shown = table.screen()
    assert len(shown) == 30, "800 pixels wide: 100x30 cells"
    assert "127.0.0.1" in "\n".join(shown)


def test_the_console_has_our_font_and_our_colours(table: Machine) -> None:
    table.run("setfont -C /dev/tty1 -ou /run/signs")
    signs = table.run("cat /run/signs").lower()
    assert all(f"u+{ord(sign):04x}" in signs for sign in "♔♚♟▟✓½ЉЂ")
    assert table.run("ls /usr/lib/hallkiosk/console/*.psf | wc -l") == str(len(SIZES))
    table.run("setvtrgb -C /dev/tty1 /usr/lib/hallkiosk/console/palette")
    assert table.run("journalctl -b -u hall-console -o cat | grep -c 'The console keeps'", fails=True) == "0"


def test_it_switches_off_and_is_the_same_machine_the_next_time(card: Card, table: Machine) -> None:
    name = table.run("cat /etc/machine-id")
    assert len(name) == 32
    assert table.run("cat /data/machine-id") == name
    table.run("journalctl --sync")
    table.off(300)
    with card.on() as again:
        again.shell(900)
        assert again.run("cat /etc/machine-id") == name
        assert len(again.run("journalctl --list-boots --no-pager -q").splitlines()) == 2
        assert "clean" in again.run("cat /run/hall/fsck.log")
