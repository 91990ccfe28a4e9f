"""A table's small file: every device by its name, and a sentence for what cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.settings import SettingsError
from kiosk.table.config import load

FULL = """
table = "3"
board = "reed-spi:25"
clock = "rocker:17,27"
display = "tm1637:5,6,13,19"
lamps = "gpio:16,20,21"
buzzer = "gpio:12"
arbiter_key = "gpio:22"
rotated = true
dead_squares = ["e4", "h8"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_a_club_with_everything(tmp_path: Path) -> None:
    config = load(write(tmp_path, FULL))
    assert [(named.part, named.kind) for named in config.devices] == [
        ("board", "reed-spi"),
        ("clock", "rocker"),
        ("display", "tm1637"),
        ("lamps", "gpio"),
        ("buzzer", "gpio"),
        ("arbiter_key", "gpio"),
    ]
    assert config.rotated is True
    assert not config.simulated


def test_a_table_without_a_word_about_devices_is_simulated(tmp_path: Path) -> None:
    config = load(write(tmp_path, 'table = "3"\n'))
    assert config.simulated
    assert [(named.part, named.kind) for named in config.devices] == [("board", "dgt"), ("clock", "plungers")]
    assert load(write(tmp_path, 'table = "3"\nboard = "simulated:reed-i2c"\n')).simulated


@pytest.mark.parametrize(
    ("display", "address"), [("dgt-board", "left"), ("dgt-board:right", "right"), ("simulated:dgt-board", "")]
)
@pytest.mark.parametrize("board", ["simulated", "simulated:dgt-bluetooth", "dgt:/dev/x", "dgt-bluetooth:/dev/rfcomm0"])
def test_the_clock_on_a_dgt_board_is_a_display(tmp_path: Path, board: str, display: str, address: str) -> None:
    if display.startswith("simulated") and not board.startswith("simulated"):
        return
    found = load(write(tmp_path, f'table = "3"\nboard = "{board}"\ndisplay = "{display}"\n')).device("display")
    assert found is not None
    assert (found.kind, found.address, found.pins) == ("dgt-board", address, ())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('board = "dtg:/dev/x"', "2: board: There is no board dtg; known are dgt,"),
        ('board = "dgt"', "2: board: dgt needs to know where: write dgt:/dev/serial/by-id/"),
        ('clock = "plungers:17,77"', "2: clock: plungers:17,77 is not understood: write plungers:17,27"),
        ('clock = "plungers"\nbuzzer = "gpio:27"', "3: buzzer: pin 27 is taken by clock: name another one"),
        ('dead_squares = ["e9"]', '2: dead_squares: "e9" is no square'),
        (
            'board = "reed-spi"\ndisplay = "dgt-board"',
            "3: display: dgt-board is the clock on a DGT board, and the board is",
        ),
        ('board = "dgt:/dev/x"\ndisplay = "simulated:dgt-board"', "3: display: the clock hangs on a real board: write"),
        ('display = "dgt-board:up"', "2: display: dgt-board:up is not understood: write dgt-board:left"),
        ('rotated = "left"', '2: rotated: "left" is not known, write true'),
    ],
)
def test_a_wrong_device_gets_file_line_and_remedy(tmp_path: Path, line: str, sentence: str) -> None:
    path = write(tmp_path, f'table = "3"\n{line}\n')
    with pytest.raises(SettingsError) as error:
        load(path)
    assert str(error.value).replace(".toml:", ".toml: ").startswith(f"{path}: {sentence}"), str(error.value)
