"""`hallkiosk pair`, `check` and `generate`: the pairing engine on files."""

from __future__ import annotations

import argparse
import json
import re
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from gettext import gettext as _
from pathlib import Path
from random import Random
from typing import Any

from kiosk.commands.arguments import Subparsers, fail, float_between, int_between

#: Columns of a name in a list.
_NAME = 28
#: Seconds between two lines of progress where they cannot be drawn over each other.
_TELL_S = 5.0
#: Options of `generate` that are amounts: a number, a percentage, or a list of them by round.
_AMOUNTS = (
    "full-byes", "half-byes", "zero-byes", "forfeits", "double-forfeits", "half-zero", "zero-half", "zero-zero",
)  # fmt: skip


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    _add_pair(commands)
    _add_check(commands)
    _add_generate(commands)


def _add_switches(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--edition", choices=("2017", "2026"), help=_("edition of the Dutch system (default: record 192)")
    )
    parser.add_argument(
        "--numbering",
        choices=("engines", "file"),
        default="engines",
        help=_("which numbers count for C.04.3 5.2.5: those of players paired so far, or those of the file"),
    )
    parser.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))


def _add_pair(commands: Subparsers) -> None:
    parser = commands.add_parser("pair", help=_("pair a round of a tournament report (TRF)"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--round", type=int_between(1, 999), help=_("this round (default: the next unpaired one)"))
    parser.add_argument("--system", help=_("pairing system, dutch or berger (default: record 192, else dutch)"))
    parser.add_argument("--explain", action="store_true", help=_("say why these pairs, these colours, this bye"))
    _add_switches(parser)
    parser.set_defaults(run=pair)


def _add_check(commands: Subparsers) -> None:
    parser = commands.add_parser("check", help=_("pair finished events again and compare, ranking included"))
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--rounds", type=_rounds, default=(1, None), metavar="A-B", help=_("only these rounds"))
    _add_switches(parser)
    parser.set_defaults(run=check)


def _add_generate(commands: Subparsers) -> None:
    parser = commands.add_parser("generate", help=_("play random events and write them as TRF26 files"))
    parser.add_argument("--out", type=Path, required=True, help=_("folder for the files"))
    parser.add_argument("--seed", type=int_between(0, 2**62), help=_("seed of the first event (default: a fresh one)"))
    parser.add_argument("--count", type=int_between(1, 1_000_000), default=1, help=_("number of events"))
    parser.add_argument("--players", type=int_between(2, 9999), help=_("number of players"))
    parser.add_argument("--rounds", type=int_between(1, 99), help=_("number of rounds"))
    parser.add_argument("--initial-colour", choices=("white", "black"), help=_("colour of number 1 in round 1"))
    parser.add_argument("--draws", type=float_between(0, 1), help=_("share of draws between equal players"))
    parser.add_argument("--baku", action=argparse.BooleanOptionalAction, help=_("Baku acceleration (C.04.7) or not"))
    parser.add_argument(
        "--tie-breaks", type=_codes, metavar="LIST", help=_("codes with commas between, as BH/C1,BH,SB")
    )
    parser.add_argument("--ratings", type=_ratings, metavar="LIST", help=_("the ratings one by one, 0 = unrated"))
    parser.add_argument("--highest", type=int_between(1, 4000), help=_("the strongest rating"))
    parser.add_argument("--lowest", type=int_between(1, 4000), help=_("the weakest rating"))
    parser.add_argument("--points", type=_points, metavar="W-D-L", help=_("points of a win, a draw, a loss, as 3-1-0"))
    parser.add_argument("--pab", type=float_between(0, 100), help=_("points of the pairing-allocated bye"))
    parser.add_argument(
        "--forbidden", type=_groups, metavar="LIST", help=_("players who must not meet, as 1-2-5,7-9; - for nobody")
    )
    words = (
        _("full-point byes in a round"),
        _("half-point byes in a round"),
        _("players absent from a round"),
        _("forfeited games in a round"),
        _("games in a round to which nobody came"),
        _("games scored ½-0 in a round"),
        _("games scored 0-½ in a round"),
        _("played games lost by both in a round"),
    )
    for name, help_ in zip(_AMOUNTS, words, strict=True):
        parser.add_argument(f"--{name}", type=_amounts, metavar="N|P%", help=help_)
    parser.add_argument("--late", type=_amount, metavar="N|P%", help=_("players who arrive after round 1"))
    parser.add_argument("--leaving", type=_amount, metavar="N|P%", help=_("players who withdraw"))
    parser.add_argument("--json", action="store_true", help=_("list the files as JSON"))
    parser.set_defaults(run=generate)


def _rounds(text: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"(\d+)(?:-(\d*))?", text)
    if match is None or int(match[1]) < 1 or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(_("{text!r} is no range of rounds, such as 3-5, 3- or 3").format(text=text))
    first = int(match[1])
    last = first if match[2] is None else (int(match[2]) if match[2] else None)
    return first, last


def _amounts(text: str) -> Any:
    from rules.pairing.event_plan import parse_amounts

    try:
        return parse_amounts(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _codes(text: str) -> tuple[str, ...]:
    from rules.tiebreaks.registry import is_known

    codes = tuple(code.strip() for code in text.split(",") if code.strip())
    unknown = [code for code in codes if not is_known(code)]
    if unknown or not codes:
        raise argparse.ArgumentTypeError(
            _("{code!r} is no tie-break code of C.07").format(code=unknown[0] if unknown else text)
        )
    return codes


def _ratings(text: str) -> tuple[int, ...]:
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isdecimal() and int(part) <= 4000 for part in parts):
        raise argparse.ArgumentTypeError(_("{text!r} is no list of ratings, as 2400,2250,0").format(text=text))
    return tuple(sorted((int(part) for part in parts), reverse=True))


def _points(text: str) -> tuple[float, float, float]:
    parts = text.split("-")
    try:
        win, draw, loss = (float(part) for part in parts)
    except ValueError:
        win = draw = loss = -1.0
    if min(win, draw, loss) < 0 or any(value * 2 != int(value * 2) for value in (win, draw, loss)):
        raise argparse.ArgumentTypeError(_("{text!r} is no list of three points, as 3-1-0").format(text=text))
    return win, draw, loss


def _groups(text: str) -> tuple[tuple[int, ...], ...]:
    if text == "-":
        return ()
    groups = tuple(tuple(part.strip().split("-")) for part in text.split(","))
    if not all(len(group) > 1 and all(number.isdecimal() for number in group) for group in groups):
        raise argparse.ArgumentTypeError(_("{text!r} is no list of groups, as 1-2-5,7-9").format(text=text))
    return tuple(tuple(sorted(int(number) for number in group)) for group in groups)


def _amount(text: str) -> Any:
    amounts = _amounts(text)
    if len(amounts) != 1:
        raise argparse.ArgumentTypeError(_("{text!r}: one amount for the whole event, please").format(text=text))
    return amounts[0]


def pair(arguments: argparse.Namespace) -> int:
    """Prints the pairing of a round; 1 if there is none."""
    from kiosk.pairing_tools import PairingToolError, pair_file, player_names

    try:
        answer = pair_file(arguments.file, arguments.round, arguments.system, arguments.edition, arguments.numbering)
    except PairingToolError as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
    elif "impossible" in answer:
        print(answer["impossible"])
    else:
        names = player_names(arguments.file)
        width = min(_NAME, max((len(names[white]) for white, _black in answer["pairs"]), default=0))
        for board, (white, black) in enumerate(answer["pairs"], 1):
            print(f"{board:>4}  {white:>4} {names[white][:width]:{width}} - {black:>4} {names[black][:_NAME]}")
        if answer["bye"] is not None:
            print(_("bye: {tpn} {name}").format(tpn=answer["bye"], name=names[answer["bye"]]))
        if arguments.explain:
            print("\n".join(answer["reasons"]))
    return 1 if "impossible" in answer else 0


def check(arguments: argparse.Namespace) -> int:
    """Prints what differs; 0 nothing, 1 something, 2 a file could not be judged."""
    from kiosk.pairing_tools import CheckRequest, check_file, spread, verdict

    first, last = arguments.rounds
    requests = [CheckRequest(path, first, last, arguments.edition, arguments.numbering) for path in arguments.files]
    answers = list(spread(requests, check_file, _progress(len(requests))))
    if arguments.json:
        print(json.dumps(answers, ensure_ascii=False))
    else:
        for answer in answers:
            _print_check(answer)
    for answer in answers:
        if "error" in answer:
            print(answer["error"], file=sys.stderr)
    return verdict(answers)


def _print_check(answer: dict[str, Any]) -> None:
    if "error" in answer:
        return
    lines = [
        _("round {number}: {words}").format(number=found["round"], words=words)
        for found in answer["rounds"]
        for words in found["differences"]
    ]
    if answer["ranking"] is not None:
        lines += [
            _("rank of {tpn}: {found} in the file, {expected} by its results. {reason}").format(
                tpn=row["tpn"],
                found=row["found"],
                expected="-".join(str(rank) for rank in dict.fromkeys(row["expected"])),
                reason=row["reason"],
            )
            for row in answer["ranking"]["differences"]
        ]
    if lines:
        print("\n".join(f"{answer['file']}: {line}" for line in lines))
    else:
        print(_("{file}: {count} rounds, all the same").format(file=answer["file"], count=len(answer["rounds"])))


def generate(arguments: argparse.Namespace) -> int:
    """Writes random events."""
    from kiosk.pairing_tools import GenerateRequest, generate_file, spread
    from rules.pairing.event_plan import random_plan

    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    names: tuple[str, ...] = (
        "players", "rounds", "initial_colour", "draws", "baku", "late", "leaving", "tie_breaks", "forbidden",
    )  # fmt: skip
    names += tuple(name.replace("-", "_") for name in _AMOUNTS)
    fixed = tuple((name, value) for name in names if (value := getattr(arguments, name)) is not None)
    try:
        fixed += _strengths(arguments, seed) + _point_system(arguments)
        random_plan(seed, **dict(fixed))
        arguments.out.mkdir(parents=True, exist_ok=True)
        requests = [
            GenerateRequest(number, fixed, arguments.out / f"event-{number}.trf")
            for number in range(seed, seed + arguments.count)
        ]
        answers = list(spread(requests, generate_file, _progress(len(requests))))
    except (ValueError, OSError) as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(answers, ensure_ascii=False))
    else:
        for answer in answers:
            print(_("{file}: {players} players, {rounds} of {planned} rounds, seed {seed}").format(**answer))
    return 0


def _strengths(arguments: argparse.Namespace, seed: int) -> tuple[tuple[str, Any], ...]:
    """What the options say about the ratings; random ones are drawn for each event. Raises `ValueError`."""
    from rules.pairing.event_plan import random_ratings

    given, players = arguments.ratings, arguments.players
    if given is not None:
        if players is not None and players != len(given):
            raise ValueError(
                _("--players says {players}, --ratings names {count}: leave --players out.").format(
                    players=players, count=len(given)
                )
            )
        return (("players", len(given)), ("ratings", given))
    if arguments.highest is None and arguments.lowest is None:
        return ()
    if players is None:
        raise ValueError(_("Say with --players how many ratings to draw between --lowest and --highest."))
    highest, lowest = arguments.highest or 0, arguments.lowest or 0
    if highest and lowest > highest:
        raise ValueError(_("--lowest is above --highest."))
    return (("ratings", random_ratings(Random(f"ratings {seed}"), players, highest, lowest)),)


def _point_system(arguments: argparse.Namespace) -> tuple[tuple[str, Any], ...]:
    """What the options say about points; forfeits count as wins and losses, a half-point bye as a draw."""
    from rules.pairing.event_plan import STANDARD

    if arguments.points is None and arguments.pab is None:
        return ()
    win, draw, loss = (int(2 * value) for value in arguments.points or (1, 0.5, 0))
    pab = win if arguments.pab is None else int(2 * arguments.pab)
    points = replace(
        STANDARD, win=win, draw=draw, loss=loss, forfeit_win=win, full_bye=win, half_bye=draw, unknown=draw, pab=pab
    )
    return (("points", points),)


def _progress(total: int) -> Callable[[int, int], None]:
    """Tells on stderr how far it is: a bar on a terminal, now and then a line elsewhere, nothing for a few files."""
    drawn = sys.stderr.isatty()
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if drawn:
            filled = 40 * done // total
            print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total}", end="", file=sys.stderr, flush=True)
            if done == total:
                print(file=sys.stderr)
        elif time.monotonic() - last > _TELL_S:
            last = time.monotonic()
            print(f"{done}/{total}", file=sys.stderr, flush=True)

    def silent(done: int, total: int) -> None:
        return

    return tell if total > 1 else silent
