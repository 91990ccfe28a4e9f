"""`hallkiosk convert`: a report or a list of entries in another form."""

from __future__ import annotations

import argparse
import json
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from kiosk.commands.arguments import Subparsers, fail

FORMS = ("TRF06", "TRF16", "TRF26", "TRFX", "TRFBX", "CSV")


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser("convert", help=_("write a report (TRF) or a list of entries (CSV) in another form"))
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("target", type=Path, metavar="OUT")
    parser.add_argument("--to", choices=FORMS, help=_("the form to write (default: by the ending of OUT)"))
    parser.add_argument("--dry-run", action="store_true", help=_("only list the adjustments"))
    parser.add_argument("--force", action="store_true", help=_("replace an existing file"))
    parser.add_argument("--final", action="store_true", help=_("refuse a report in which results are missing"))
    parser.add_argument("--code-page", help=_("how to read bytes that are not UTF-8, such as cp1251"))
    parser.add_argument("--ascii", action="store_true", help=_("write ASCII letters only"))
    parser.add_argument("--no-comments", action="store_true", help=_("leave ### lines out"))
    parser.add_argument("--json", action="store_true", help=_("the adjustments as JSON"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Converts, and lists every adjustment."""
    from kiosk import convert

    try:
        answer = convert.run(
            arguments.source,
            arguments.target,
            arguments.dry_run,
            force=arguments.force,
            to=arguments.to,
            code_page=arguments.code_page,
            plain_ascii=arguments.ascii,
            comments=not arguments.no_comments,
            final=arguments.final,
        )
    except (convert.ConvertError, OSError) as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
        return 0
    for row in answer["adjustments"]:
        print(f"{arguments.source}:{row['line']}:{row['column']}: {row['what']}")
    count = len(answer["adjustments"])
    print(ngettext("{count} adjustment", "{count} adjustments", count).format(count=count))
    return 0
