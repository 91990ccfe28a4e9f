"""The tools that work without hub, network or screen."""

from __future__ import annotations

import argparse
import json
from gettext import gettext as _
from pathlib import Path
from typing import Any

from hallnet.errors import HallnetError
from kiosk.commands.arguments import Subparsers, fail, int_between

#: Columns of a name in a list.
_NAME = 28


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    replay = commands.add_parser("replay", help=_("replay a clock, a game or an event from a file"))
    kinds = replay.add_subparsers(dest="kind", required=True, metavar=_("KIND"))
    clock = kinds.add_parser("clock", help=_("chess clock scenarios: a time control and its events"))
    clock.add_argument("file", type=Path)
    clock.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))
    clock.set_defaults(run=replay_clock)
    board = kinds.add_parser("board", help=_("board, plunger and wire scenarios"))
    board.add_argument("files", type=Path, nargs="+", metavar="FILE", help=_("case files, or folders of them"))
    board.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))
    board.set_defaults(run=replay_board)
    event = kinds.add_parser("event", help=_("the state of an event from a hub's log"))
    event.add_argument("file", type=Path)
    event.add_argument("--until", type=int_between(0, 2**62), help=_("only up to this event of the log"))
    event.add_argument("--json", action="store_true", help=_("print JSON (the default)"))
    event.set_defaults(run=replay_event)
    game = kinds.add_parser("game", help=_("the state of a table from its log"))
    game.add_argument("file", type=Path)
    game.add_argument("--json", action="store_true", help=_("print JSON (the default)"))
    game.set_defaults(run=replay_game)
    _add_winnable(commands)
    _add_standings(commands)


def _add_winnable(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "winnable",
        help=_("can this side still checkmate by any series of legal moves?"),
        description=_("Exit code 0: winnable, 1: unwinnable, 2: undetermined or bad input."),
    )
    position = parser.add_mutually_exclusive_group(required=True)
    position.add_argument("--fen", help=_("the position"))
    position.add_argument("--csv", type=Path, help=_("a file with the columns fen and side"))
    parser.add_argument("--side", choices=("white", "black"), help=_("whose win is in question (with --fen)"))
    parser.add_argument("--budget", type=int_between(1, 3_600_000), help=_("CPU time for each position (ms)"))
    parser.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))
    parser.set_defaults(run=winnable)


def _add_standings(commands: Subparsers) -> None:
    parser = commands.add_parser("standings", help=_("standings of a tournament report (TRF) and what decided them"))
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--after", type=int_between(0, 999), help=_("after this round (default: the latest complete one)")
    )
    parser.add_argument("--tie-breaks", help=_("codes with commas between, such as BH/C1,BH,SB"))
    parser.add_argument("--edition", default="2026", help=_("edition of the tie-break rules (default: 2026)"))
    parser.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))
    parser.set_defaults(run=standings)


def replay_clock(arguments: argparse.Namespace) -> int:
    """Prints what the clock really did; 1 if a scenario expected something else."""
    from kiosk.replay_clock import ReplayError, run

    try:
        answers, passed = run(arguments.file)
    except (ReplayError, OSError) as error:
        return fail(error)
    _print_scenarios(answers, arguments.json)
    return 0 if passed else 1


def replay_board(arguments: argparse.Namespace) -> int:
    """Prints what the program really saw on the board; 1 if a scenario expected something else."""
    from kiosk.replay_board import run

    try:
        replayed = run(arguments.files)
    except OSError as error:
        return fail(error)
    if any("error" not in answer for answer in replayed.answers):
        _print_scenarios(replayed.answers, arguments.json)
    if replayed.troubles:
        return fail("\n".join(replayed.troubles))
    return 0 if replayed.passed else 1


def _print_scenarios(answers: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(answers, ensure_ascii=False))
        return
    for answer in answers:
        verdict = _("pass") if answer["pass"] else _("FAIL")
        print(f"{answer['id']}: {verdict}")


def winnable(arguments: argparse.Namespace) -> int:
    """Prints whether a side can still mate; 0 winnable, 1 unwinnable, 2 undetermined."""
    from kiosk import winnable as judge
    from rules.interchange.errors import InterchangeError

    budget = judge.BUDGET_MS if arguments.budget is None else arguments.budget
    try:
        if arguments.csv is not None:
            answers = judge.run_csv(arguments.csv, budget)
            if arguments.json:
                print(json.dumps(answers, ensure_ascii=False))
            else:
                for number, answer in enumerate(answers, 1):
                    print(f"{number}: {_verdict(answer)}")
            return 0
        if arguments.side is None:
            return fail(_("Say whose win is in question: --side white or --side black."))
        answer = judge.run(arguments.fen, arguments.side, budget)
    except (judge.WinnableError, InterchangeError, OSError) as error:
        return fail(error)
    print(json.dumps(answer, ensure_ascii=False) if arguments.json else _verdict(answer))
    return {"winnable": 0, "unwinnable": 1}.get(answer["verdict"], 2)


def _verdict(answer: dict[str, Any]) -> str:
    words = {"winnable": _("winnable"), "unwinnable": _("unwinnable"), "undetermined": _("undetermined")}
    line = " ".join(answer["line"] or ())
    return f"{words[answer['verdict']]} ({answer['by']}, {answer['ms']} ms) {line}".rstrip()


def standings(arguments: argparse.Namespace) -> int:
    """Prints the standings of a report."""
    from kiosk.standings import StandingsError, run

    codes = arguments.tie_breaks.replace(" ", "").split(",") if arguments.tie_breaks is not None else None
    try:
        answer = run(arguments.file, arguments.after, codes, arguments.edition)
    except (StandingsError, OSError) as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
        return 0
    width = min(_NAME, max((len(place["name"]) for place in answer["players"].values()), default=0))
    for tpn in answer["order"]:
        place = answer["players"][str(tpn)]
        values = "  ".join(f"{code} {'-' if value is None else value}" for code, value in place["values"].items())
        who = f"{tpn:>4}  {place['name'][:width]:{width}}"
        print(f"{place['rank']:>4}  {who}  {place['points']:>5}  {values}  {place['decided_by']}".rstrip())
    return 0


def replay_event(arguments: argparse.Namespace) -> int:
    """Prints the folded state of an event."""
    from kiosk.hub.replay import replay_event as told

    if not arguments.file.exists():
        return fail(_("{file}: no such file. Name the hall.db of a hub.").format(file=arguments.file))
    try:
        print(json.dumps(told(arguments.file, arguments.until), ensure_ascii=False, indent=1))
    except (HallnetError, OSError, ValueError) as error:
        return fail(error)
    return 0


def replay_game(arguments: argparse.Namespace) -> int:
    """Prints the folded state of a table."""
    from kiosk.table.replay import replay_game as told

    if not arguments.file.exists():
        return fail(_("{file}: no such file. Name the table-N.db of a table.").format(file=arguments.file))
    try:
        print(json.dumps(told(arguments.file), ensure_ascii=False, indent=1))
    except (HallnetError, OSError, ValueError) as error:
        return fail(error)
    return 0
