"""`hallkiosk demo`: a whole hall on this machine."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Any

from hallnet.errors import HallnetError
from kiosk.commands.arguments import Subparsers, fail, float_between, int_between


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "demo",
        help=_("open a hall of simulated tables and play a tournament in it"),
        description=_(
            "Opens a hall: hub, transport, tables with simulated hardware and players, and the arbiter's desk. "
            "Without a terminal, or with --headless, the event is played to its end and its files are written."
        ),
    )
    parser.add_argument(
        "--tables", type=int_between(1, 2000), default=8, help=_("number of tables (grows with the field)")
    )
    parser.add_argument("--rounds", type=int_between(1, 99), default=5, help=_("number of rounds"))
    parser.add_argument("--system", choices=("dutch", "berger"), default="dutch", help=_("pairing system"))
    parser.add_argument("--control", default="10+5", help=_("time control, such as 10+5 (minutes + seconds)"))
    parser.add_argument("--entries", type=Path, help=_("entries: a CSV file, or the entries of a TRF file"))
    parser.add_argument(
        "--continue",
        dest="continued",
        nargs="?",
        const="checked",
        default="",
        choices=("checked", "as-it-is"),
        help=_("go on from the rounds of the TRF file; as-it-is: also from rounds that do not keep the pairing rules"),
    )
    parser.add_argument("--games", type=Path, help=_("a PGN file whose games are played move by move"))
    parser.add_argument("--seed", type=int_between(0, 2**31 - 1), help=_("what the simulated people do comes from it"))
    parser.add_argument("--speed", type=float_between(0.1, 200), help=_("how many times faster chess time runs"))
    parser.add_argument("--keys", action="store_true", help=_("with TLS and a key for each table, as in a real hall"))
    parser.add_argument("--headless", action="store_true", help=_("no desk: play to the end and print the standings"))
    parser.add_argument(
        "--watch", action="store_true", help=_("the desk is open, but a simulated arbiter does the work")
    )
    parser.add_argument("--out", type=Path, help=_("folder for logs and files (default: a new one in demo-out)"))
    parser.add_argument("--json", action="store_true", help=_("print the outcome as JSON (headless)"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Checks everything that was asked for, then opens the hall."""
    from kiosk.demo import options as demo_options
    from kiosk.demo import run as demo_run

    headless = arguments.headless or arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty())
    entries = arguments.entries or demo_options.ENTRIES
    try:
        control = demo_options.checked_control(arguments.control)
        players = demo_options.read_entries_file(entries)
        games = demo_options.read_games_file(arguments.games, _tell) if arguments.games else ()
        _check_system(arguments, len(players))
        if arguments.continued and not arguments.entries:
            raise ValueError(_("--continue goes on from a report: name it with --entries."))
        if arguments.continued:
            demo_options.check_report(entries)
    except (ValueError, HallnetError) as error:
        return fail(error)
    speed = arguments.speed or (demo_options.HEADLESS_SPEED if headless else demo_options.SPEED)
    fastest = demo_options.fastest(control, games)
    if speed > fastest:
        if arguments.speed:
            _tell(
                _("Speed {speed:g} is too fast for {control}, flags would fall by chance: it is {fastest:g}.").format(
                    speed=speed, control=control, fastest=fastest
                )
            )
        speed = fastest
    options = demo_options.Options(
        out=arguments.out or Path("demo-out") / time.strftime("%Y-%m-%d-%H%M%S"),
        tables=max(arguments.tables, len(players) // 2),
        rounds=arguments.rounds,
        system=arguments.system,
        control=control,
        seed=secrets.randbelow(2**31) if arguments.seed is None else arguments.seed,
        speed=speed,
        entries=entries,
        players=players,
        games=arguments.games,
        pgn=games,
        headless=headless,
        watch=arguments.watch,
        continued=arguments.continued,
        keys=arguments.keys,
    )
    try:
        return demo_run.run(options, None if headless else _desk(options.out), arguments.json)
    except (HallnetError, OSError) as error:
        return fail(error)


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _check_system(arguments: argparse.Namespace, players: int) -> None:
    """A round robin has only so many rounds, and so has a Swiss before everybody has met everybody."""
    available = players - 1 if players % 2 == 0 else players
    if arguments.rounds > available:
        raise ValueError(
            ngettext(
                "{players} entries give at most {available} round: ask for no more with --rounds {available}.",
                "{players} entries give at most {available} rounds: ask for no more with --rounds {available}.",
                available,
            ).format(players=players, available=available)
        )


def _desk(folder: Path) -> Any:
    """Makes the desk's app for a client; the desk can show any table's screen in the same terminal."""

    def make(client: Any) -> Any:
        from kiosk.desk.app import DeskApp

        def open_screen(table: str) -> list[str]:
            return [sys.executable, "-m", "kiosk", "screen", "--socket", _socket(folder, table), "--visit"]

        return DeskApp(client, open_screen)

    return make


def _socket(folder: Path, table: str) -> str:
    return os.fspath(folder.resolve() / f"table-{table}.sock")
