"""How the hall is written down on the desk. Pure: views and the time in, words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from hallnet.views import BoardRow, CallView, HallHead
from kiosk.widgets.keyed_table import Column
from kiosk.widgets.language import _, ngettext
from kiosk.widgets.palette import rich_style
from kiosk.widgets.times import SHORT_MS, SILENT_MS, remaining, running, span
from kiosk.widgets.words import call_kind, cut, cut_at_word, rating_text, score_text, side_name
from rules.laws.clock_display import display
from rules.laws.events import Side
from rules.laws.sides import SIDES

CLOCKS = 18
#: States in which no clock runs any more.
OVER = frozenset({"ended", "confirmed", "ruled", "disputed"})
#: States in which a result stands.
FINAL = frozenset({"confirmed", "ruled"})
#: Cells of a call's line besides its reason.
CALL_COLUMNS = 6 + 8 + 13 + 8


@dataclass(frozen=True, slots=True)
class Arrived:
    """A board's row and the BOOTTIME ms at which it came: its clocks are counted on from there."""

    row: BoardRow
    at: int


def columns(width: int) -> tuple[Column, ...]:
    """The columns of the boards' table for so many cells: names shrink, ratings and last move go first."""
    fixed = [
        Column("board", _("brd"), 3),
        Column("clocks", _("clocks (> runs)"), CLOCKS),
        Column("state", _("state"), 17),
    ]
    ratings = width >= 112
    last = width >= 90
    used = sum(c.width + 2 for c in fixed) + (12 if ratings else 0) + (10 if last else 0) + 4 + 2
    name = max(10, (width - used) // 2)
    out = [fixed[0], Column("white", _("White"), name)]
    out += [Column("white-rating", _("rtg"), 4)] if ratings else []
    out += [Column("black", _("Black"), name)]
    out += [Column("black-rating", _("rtg"), 4)] if ratings else []
    out += [fixed[1]]
    out += [Column("last", _("last"), 8)] if last else []
    return (*out, fixed[2])


def cells(board: Arrived, now: int, speed: float, wanted: Sequence[Column], theme: str) -> tuple[Text, ...]:
    """One board's line."""
    row = board.row
    sign, words, role = state(row, now - board.at)
    written: Mapping[str, Text] = {
        "board": Text(f"{row.board:>3}", rich_style(theme, "name", bold=True)),
        "white": Text(row.white.name),
        "black": Text(row.black.name),
        "white-rating": Text(f"{rating_text(row.white.rating):>4}", rich_style(theme, "quiet")),
        "black-rating": Text(f"{rating_text(row.black.rating):>4}", rich_style(theme, "quiet")),
        "clocks": clocks(board, now, speed, theme),
        "last": Text(row.last),
        "state": Text(f"{sign} {words}" if sign else words, rich_style(theme, role)),
    }
    out = []
    for column in wanted:
        text = written[column.key]
        text.plain = cut(text.plain, column.width)
        text.no_wrap = True
        out.append(text)
    return tuple(out)


def left_ms(board: Arrived, now: int, speed: float) -> tuple[int, int]:
    """(white, black) in ms now, counted on from the row's arrival."""
    clock = board.row.clock
    if clock is None:
        return 0, 0
    over = board.row.state in OVER
    t = clock.t if over else clock.t + int((now - board.at) * speed)
    return remaining(clock, t, "white"), remaining(clock, t, "black")


def clocks(board: Arrived, now: int, speed: float, theme: str) -> Text:
    """Both clocks: `>` before the one that runs, `!` behind one that is short, `#` behind a fallen flag."""
    clock = board.row.clock
    out = Text()
    if clock is None:
        return out
    over = board.row.state in OVER
    for side, ms in zip(SIDES, left_ms(board, now, speed), strict=True):
        runs = running(clock) == side and not over
        sign = "#" if clock.flagged == side else "!" if ms < SHORT_MS and not over else " "
        role = "alarm" if sign != " " else "turn" if runs else "quiet" if over else "text"
        text = f"{('>' if runs else '') + display(ms):>8}{sign}"
        out.append(text, rich_style(theme, role, bold=runs or sign != " "))
    return out


def state(row: BoardRow, since_ms: int) -> tuple[str, str, str]:
    """(sign, words, colour role) for a board: the most urgent thing about it."""
    if row.offline and row.state not in ("draft", "confirmed", "ruled"):
        silent = row.offline + since_ms
        return (
            "~",
            _("no contact {time}").format(time=span(silent / 1000)) if row.offline > 1 else _("never seen"),
            "warn",
        )
    if row.state == "disputed":
        return "?", _("disputed"), "alarm"
    if row.call and row.state in FINAL:
        return "!", _("{score}, {call}").format(score=score_text(row.score), call=call_kind(row.call)), "alarm"
    if row.call:
        return "!", call_kind(row.call), "alarm"
    if row.clock is not None and row.clock.flagged and row.state == "playing":
        return "#", _("flag: {side}").format(side=side_name(row.clock.flagged)), "alarm"
    if row.offer is not None and row.state == "playing":
        return "=", _("draw offered"), "warn"
    if row.state == "ended":
        return "?", _("{score} to confirm").format(score=score_text(row.score)), "warn"
    if row.state in ("assigned", "ready") and len(row.ready) == 1:
        side: Side = row.ready[0]
        return "", _("{side} ready").format(side=side_name(side)), "text"
    words, role = {
        "draft": (_("draft"), "quiet"),
        "sent": (_("sheet not taken"), "warn"),
        "assigned": (_("not ready"), "text"),
        "ready": (_("ready"), "good"),
        "playing": (_("playing"), "text"),
        "paused": (_("paused"), "warn"),
        "confirmed": (_("{score} confirmed"), "good"),
        "ruled": (_("{score} forfeit") if row.ended_by == "forfeit" else _("{score} ruled"), "good"),
    }[row.state]
    return "", words.format(score=score_text(row.score)), role


def title_line(head: HallHead, wall_now: int, width: int) -> str:
    """Event, round, what is going on, for how long, how many play; the event's name gives way."""
    parts = [] if head.fide_mode else [_("! NOT FIDE")]
    if head.round:
        parts.append(_("Round {round} of {rounds}").format(round=head.round, rounds=head.rounds))
    phase = {
        "to-pair": _("to pair"),
        "draft": _("draft, not public"),
        "published": _("published"),
        "running": _("running"),
        "complete": _("all results in"),
        "finished": _("finished"),
    }[head.phase]
    if head.phase == "running" and head.started:
        phase += " " + span((wall_now - head.started) / 1000 * head.speed)
    parts.append(phase)
    if head.boards and head.phase in ("running", "complete"):
        parts.append(_("{n} playing, {done} of {boards} done").format(
            n=head.playing, boards=head.boards, done=head.done))  # fmt: skip
    rest = " · ".join(parts)
    return cut(f"{cut(head.event, max(12, width - cell_len(rest) - 3))} · {rest}", width)


def second_line(head: HallHead, width: int) -> tuple[str, str]:
    """Tables, control, speed, the bye, the arbiter; and the latest notice, for which the others make room."""
    parts = _second_parts(head)
    notice = "! " + head.notices[-1] if head.notices else ""
    room = width - (cell_len(notice) + 2 if notice else 0)
    while len(parts) > 1 and cell_len(" · ".join(parts)) > room:
        del parts[-1]
    if not notice:
        return cut_at_word(" · ".join(parts), width), ""
    line = cut_at_word(" · ".join(parts), max(width // 2, width - cell_len(notice) - 2))
    return line, cut_at_word(notice, width - cell_len(line) - 2)


def _second_parts(head: HallHead) -> list[str]:
    parts = [_("tables online {online} of {tables}").format(online=head.tables_online, tables=head.tables)]
    if head.tables_online < head.tables:
        parts[0] = "~ " + parts[0]
    if head.control:
        parts.append(head.control)
    if head.speed != 1:
        parts.append(_("speed ×{speed:g}").format(speed=head.speed))
    if head.bye is not None:
        parts.append(_("bye: {name}").format(name=head.bye.name))
    if head.arbiter:
        parts.append(_("arbiter: {name}").format(name=head.arbiter))
    return parts


def freshness(known: bool, connected: bool, age_ms: int) -> tuple[str, bool]:
    """ "live", or for how long the hub has been silent; True if something is wrong. `known`: it has spoken once."""
    if not known:
        return _("~ looking for the hub"), True
    if not connected:
        return _("~ not connected for {n} s").format(n=age_ms // 1000), True
    if age_ms > SILENT_MS:
        return _("~ silent for {n} s").format(n=age_ms // 1000), True
    return _("live"), False


def call_columns(width: int) -> tuple[Column, ...]:
    """The columns of the calls' box."""
    return (
        Column("waits", _("waits"), 6),
        Column("board", _("board"), 8),
        Column("kind", _("kind"), 13),
        Column("why", _("why"), max(10, width - CALL_COLUMNS)),
    )


def call_cells(call: CallView, wall_now: int, clocks_text: str, width: int, theme: str) -> tuple[Text, ...]:
    """One open call: how long it has waited, where, what."""
    who = f"{side_name('white' if call.side == 'white' else 'black')}: " if call.side else ""
    kind = call_kind(call.kind)
    why = f"{who}{call.why}" if call.why else who.rstrip(": ")
    if clocks_text:
        why = f"{why}   {clocks_text}"
    return (
        Text(f"{span((wall_now - call.since) / 1000):>6}", rich_style(theme, "alarm", bold=True)),
        Text(_("board {board}").format(board=call.board), rich_style(theme, "name", bold=True)),
        Text(cut(kind, 13), rich_style(theme, "alarm")),
        Text(cut(why, max(10, width - CALL_COLUMNS)), no_wrap=True),
    )


def calls_title(count: int) -> str:
    """The heading of the calls' box."""
    return ngettext("{n} open call", "{n} open calls", count).format(n=count) if count else _("no open calls")
