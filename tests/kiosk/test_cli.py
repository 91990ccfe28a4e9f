"""The command line loads what a command needs, and knows every command all the same."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module

import pytest

from kiosk import cli

#: A start is waited for: what no table needs before it is in its hall, by the time each takes.
HEAVY = (
    "textual",
    "chess",
    "cryptography",
    "nats",
    "sqlite3",
    "zeroconf",
    "rustworkx",
    "gpiozero",
    "importlib.metadata",
)


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    acts = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(acts.choices)


@pytest.mark.parametrize("module", cli.MODULES)
def test_each_module_brings_exactly_the_commands_it_is_found_by(module: str) -> None:
    parser = argparse.ArgumentParser()
    import_module(f"kiosk.commands.{module}").add(parser.add_subparsers())
    assert tuple(_commands(parser)) == cli.MODULES[module]


def test_a_command_has_the_same_parser_alone_and_among_all() -> None:
    every = _commands(cli.build_parser())
    assert list(every) == [name for held in cli.MODULES.values() for name in held]
    for name, parser in every.items():
        assert _commands(cli.build_parser(name))[name].format_help() == parser.format_help()


def test_an_unknown_command_is_told_all_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["tabel"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(name in said for held in cli.MODULES.values() for name in held)


def test_the_version_is_printed_with_the_editions_of_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("hallkiosk ")


@pytest.mark.parametrize("way", ["kiosk.provision.plan", "kiosk.provision.join", "kiosk.provision.face"])
def test_what_an_early_start_waits_for_is_not_loaded_by_it(way: str) -> None:
    code = f"import sys, kiosk.cli, kiosk.commands.provision, {way}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert way in loaded
    assert [name for name in HEAVY if name in loaded] == []
