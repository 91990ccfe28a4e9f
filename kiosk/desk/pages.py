"""What stands on the desk's pages: a title, a table, and some lines about the selected row. Data and pure functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rich.text import Text

from hallnet.book_views import PairView, PlayerView
from hallnet.views import DeviceView
from kiosk.desk import prizes, standings
from kiosk.desk.acts_players import bye_words, byes_about, status_words
from kiosk.desk.context import Context
from kiosk.desk.rows import state as board_state
from kiosk.widgets.keyed_table import Column
from kiosk.widgets.language import _, ngettext
from kiosk.widgets.palette import rich_style
from kiosk.widgets.times import span
from kiosk.widgets.words import cut, rating_text, result_in_short, result_words

#: Words of one row, by column: (text, colour role).
Words = Mapping[str, tuple[str, str]]
Table = dict[str, tuple[Text, ...]]


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One page. `select` puts the row with a key into the context; `asks` are the hub's questions it lives on."""

    name: str
    title: Callable[[Context], str]
    columns: Callable[[Context, int], tuple[Column, ...]]
    rows: Callable[[Context], dict[str, Words]]
    detail: Callable[[Context], str]
    select: Callable[[Context, str], Context]
    asks: tuple[str, ...] = ()
    empty: str = ""


def styled(row: Words, wanted: tuple[Column, ...], theme: str) -> tuple[Text, ...]:
    """One row as cells, each in its width."""
    out = []
    for column in wanted:
        words, role = row.get(column.key, ("", "text"))
        out.append(Text(cut(words, column.width), rich_style(theme, role), no_wrap=True))
    return tuple(out)


def table(spec: PageSpec, c: Context, width: int, theme: str) -> tuple[tuple[Column, ...], Table]:
    """The page's columns and cells for so many columns of the screen."""
    wanted = spec.columns(c, width)
    if spec.name == "standings" and c.hall is not None:
        return wanted, {str(row.tpn): standings.cells(row, wanted, theme) for row in c.hall.standings.rows}
    return wanted, {key: styled(row, wanted, theme) for key, row in spec.rows(c).items()}


def _columns(width: int, fixed: list[Column], wide: Mapping[str, str]) -> tuple[Column, ...]:
    """`fixed` columns, and the room that is left shared by the `wide` ones (key → heading), in the order of `fixed`."""
    left = width - 2 - sum(column.width + 2 for column in fixed if column.key not in wide) - 2 * len(wide)
    each = max(8, left // max(1, len(wide)))
    return tuple(Column(c.key, wide[c.key], each) if c.key in wide else c for c in fixed)


# -- players ----------------------------------------------------------------------------------------------------------


def _players_title(c: Context) -> str:
    players = c.book.players
    here = sum(p.status == "in" for p in players)
    parts = [ngettext("{n} player", "{n} players", len(players)).format(n=len(players)),
             _("{n} playing").format(n=here)]  # fmt: skip
    gone = sum(p.status in ("withdrawn", "expelled") for p in players)
    if gone:
        parts.append(_("{n} gone").format(n=gone))
    if c.book.check_in == "open":
        ticked = sum(p.checked_in for p in players)
        parts.append(_("check-in open: {ticked} here, {missing} missing").format(
            ticked=ticked, missing=len(c.book.missing)))  # fmt: skip
    return " · ".join(parts)


def _players_columns(c: Context, width: int) -> tuple[Column, ...]:
    fixed = [
        Column("tpn", _("no."), 4), Column("name", "", 0), Column("rating", _("rtg"), 4), Column("fed", _("fed"), 3),
        Column("status", _("status"), 14), Column("points", _("pts"), 4),
        Column("byes", _("byes"), 16 if width >= 100 else 10),
    ]  # fmt: skip
    return _columns(width, fixed, {"name": _("name")})


def _players_rows(c: Context) -> dict[str, Words]:
    points = {row.tpn: row.points for row in c.hall.standings.rows} if c.hall else {}
    return {str(p.tpn): _player_words(c, p, points.get(p.tpn, "")) for p in c.book.players}


def _player_words(c: Context, p: PlayerView, points: str) -> Words:
    gone = p.status in ("withdrawn", "expelled")
    sign = {"withdrawn": "- ", "expelled": "# ", "late": "~ "}.get(p.status, "")
    status = status_words(p.status)
    if c.book.check_in == "open" and p.status in ("in", "late"):
        sign, status = ("", _("here")) if p.checked_in else ("? ", _("not ticked"))
    byes = " ".join(f"{n}:{bye_words(kind)}" for n, kind in c.byes_of(p.tpn).items())
    return {
        "tpn": (f"{p.tpn:>4}", "quiet"),
        "name": (f"{p.title} {p.name}".strip(), "quiet" if gone else "name"),
        "rating": (f"{rating_text(p.rating):>4}", "text"),
        "fed": (p.federation, "text"),
        "status": (sign + status, "warn" if gone else "text"),
        "points": (f"{points:>4}", "text"),
        "byes": (byes + (" " + _("(no ½)") if p.no_half_bye else ""), "text"),
    }


def _player_detail(c: Context) -> str:
    p = c.player
    if p is None:
        return _("No player is selected.")
    known = [
        (_("FIDE id"), p.fide_id), (_("born"), p.birth), (_("sex"), p.sex), (_("club"), p.club),
        (_("FIDE rating"), p.fide_rating), (_("national rating"), p.national_rating), (_("from"), p.source),
        (_("plays from round"), p.first_round if p.first_round > 1 else 0),
    ]  # fmt: skip
    facts = " · ".join(f"{label} {value}" for label, value in known if value)
    return (
        f"{p.tpn}. {p.title} {p.name}".replace("  ", " ")
        + (f" · {facts}" if facts else "")
        + "\n"
        + " ".join(byes_about(c).splitlines())
    )


def _pick_player(c: Context, key: str) -> Context:
    return replace(c, player=c.book.player(int(key)))


# -- round ------------------------------------------------------------------------------------------------------------


def _round_title(c: Context) -> str:
    s, hand = c.sheet, c.hand
    if hand is not None:
        made = _("done: m") if hand.whole else _("{n} without a board").format(n=len(hand.free))
        return _("Round {round}, being made by hand · {made}").format(round=hand.round, made=made)
    if not s.round:
        return _("No round is paired yet.")
    parts = [_("Round {round} of {rounds}").format(round=s.round, rounds=c.rounds)]
    if not s.rev:
        parts.append(_("draft, not public"))
    else:
        parts.append(
            _("sheet {round}.{rev}, checksum {checksum}").format(round=s.round, rev=s.rev, checksum=s.checksum)
        )
        parts.append(_("sealed") if s.sealed else _("started") if s.started else _("not started"))
    if s.manual:
        parts.append(_("made by hand"))
    return " · ".join(parts)


def _round_columns(c: Context, width: int) -> tuple[Column, ...]:
    fixed = [
        Column("board", _("brd"), 3), Column("white", "", 0), Column("black", "", 0),
        Column("result", _("result"), 12), Column("table", _("tbl"), 4),
    ]  # fmt: skip
    return _columns(width, fixed, {"white": _("White"), "black": _("Black")})


def _round_rows(c: Context) -> dict[str, Words]:
    who = {p.tpn: f"{p.tpn:>3} " + f"{p.title} {p.name}".strip() for p in c.book.players}

    def name(tpn: int) -> str:
        return who.get(tpn, f"{tpn:>3} {c.name(tpn)}") if tpn else "-"

    if c.hand is not None:
        rows: dict[str, Words] = {
            str(board): {"board": (f"{board:>3}", "name"), "white": (name(w), "text"), "black": (name(b), "text")}
            for board, (w, b) in enumerate(c.hand.pairs, 1)
        }
        if c.hand.bye:
            rows[f"u{c.hand.bye}"] = _unpaired(name(c.hand.bye), _("bye"), "text")
        return rows | {f"u{tpn}": _unpaired(name(tpn), "! " + _("no board"), "warn") for tpn in c.hand.free}
    rows = {str(pair.board): _pair_words(pair, name) for pair in c.sheet.pairs}
    if c.sheet.bye:
        rows[f"u{c.sheet.bye}"] = _unpaired(name(c.sheet.bye), _("bye"), "text")
    for tpn, kind in c.sheet.byes.items():
        rows[f"u{tpn}"] = _unpaired(name(int(tpn)), _("bye {worth}").format(worth=bye_words(kind)), "quiet")
    return rows


def _unpaired(name: str, words: str, role: str) -> Words:
    return {"board": ("  -", "quiet"), "white": (name, "text"), "black": ("", "text"), "result": (words, role)}


def _pair_words(pair: PairView, name: Callable[[int], str]) -> Words:
    words, role = result_in_short(pair.code), "good"
    if pair.adjourned:
        words, role = "= " + _("adjourned"), "warn"
    if pair.reported:
        words += " *"
    return {
        "board": (f"{pair.board:>3}", "name"),
        "white": (name(pair.white), "text"),
        "black": (name(pair.black), "text"),
        "result": (words, role),
        "table": (pair.table, "quiet"),
    }


def _round_detail(c: Context) -> str:
    lines = []
    if c.hand is None and not c.sheet.rev and c.book.checks:
        return "\n".join(f"! {check}" for check in c.book.checks)
    if c.pair is not None and c.hand is None:
        pair = c.pair
        lines.append(_("board {board}: {white} - {black}").format(
            board=pair.board, white=c.name(pair.white), black=c.name(pair.black)))  # fmt: skip
        if pair.code:
            if pair.reported:
                lines.append(_("* for the rating report only: {score}").format(score=pair.reported))
            by = _("{score}, by {by}").format(score=result_words(pair.code), by=pair.by or "?")
            lines.append(f"{by}: {pair.why}" if pair.why else by)
    if c.hand is not None:
        lines.append(_("x exchange two players · g swap colours · t set a pair · - take apart · y bye"))
        names = ", ".join(f"{tpn} {c.name(tpn)}" for tpn in c.hand.free)
        lines.append(_("Without a board: {names}").format(names=names) if names else _("Everybody has a place: m"))
    if c.sheet.differences and c.hand is None:
        lines.append(_("By hand, against the engine: {lines}").format(lines="; ".join(c.sheet.differences)))
    return "\n".join(lines)


def _pick_pair(c: Context, key: str) -> Context:
    if key.startswith("u"):
        return replace(c, player=c.book.player(int(key[1:])))
    if c.hand is not None:
        if int(key) > len(c.hand.pairs):
            return c
        white, black = c.hand.pairs[int(key) - 1]
        return replace(c, pair=PairView(board=int(key), white=white, black=black))
    return replace(c, pair=next((p for p in c.sheet.pairs if p.board == int(key)), None))


# -- log --------------------------------------------------------------------------------------------------------------


def clock_time(wall: int) -> str:
    """Time of day in the hall."""
    return time.strftime("%H:%M:%S", time.localtime(wall / 1000))


def _log_title(c: Context) -> str:
    if c.book.fide_mode:
        fide = _("FIDE handling: on")
    else:
        fide = _("! NOT under FIDE handling, from round {round} on").format(
            round=(c.book.fide_exit or {}).get("round") or 1
        )
    notes = ngettext("{n} line in the integrity log", "{n} lines in the integrity log", len(c.book.remarks))
    return f"{fide} · {notes.format(n=len(c.book.remarks))}"


def _log_columns(c: Context, width: int) -> tuple[Column, ...]:
    fixed = [Column("at", _("at"), 8), Column("what", "", 0), Column("by", _("by"), 18), Column("state", "", 6)]
    return _columns(width, fixed, {"what": _("what was done, the latest first")})


def _log_rows(c: Context) -> dict[str, Words]:
    rows: dict[str, Words] = {}
    for step in c.book.redo:
        rows[f"r{step.act}"] = {
            "at": (clock_time(step.at), "quiet"), "what": (step.what, "quiet"), "by": (step.by, "quiet"),
            "state": (_("undone"), "warn"),
        }  # fmt: skip
    for step in c.book.undo:
        rows[f"s{step.act}"] = {
            "at": (clock_time(step.at), "quiet"), "what": (step.what, "text"), "by": (step.by, "quiet"),
        }  # fmt: skip
    return rows


def _log_detail(c: Context) -> str:
    return "\n".join(f"### {line}" for line in c.book.remarks[-3:])


def _pick_step(c: Context, key: str) -> Context:
    return replace(c, step=next((s for s in c.book.undo if key == f"s{s.act}"), None))


# -- devices ----------------------------------------------------------------------------------------------------------


def _devices_title(c: Context) -> str:
    office = c.office
    if office is None:
        return _("asking the hub …")
    online = sum(d.state == "online" for d in office.devices)
    tables = sum(d.role == "table" for d in office.devices)
    parts = [_("{online} of {tables} tables online").format(online=online, tables=tables)]
    parts.append(_("keys on") if office.keys else _("no keys"))
    if office.enrolment is not None:
        parts.append(_("! open for {role} {name}").format(role=office.enrolment.role, name=office.enrolment.name))
    standby = {
        "none": _("no second hub"),
        "copying": _("second hub copies, {n} behind").format(n=office.standby.behind),
        "silent": _("! second hub is silent"),
    }[office.standby.state]
    parts.append(standby)
    disk = {"ok": "", "unknown": "", "slow": _("! disk is slow"), "full": _("! disk is full")}[office.disk.state]
    return " · ".join(part for part in (*parts, disk) if part)


def _devices_columns(c: Context, width: int) -> tuple[Column, ...]:
    fixed = [
        Column("what", _("what"), 13), Column("state", _("state"), 14), Column("board", "", 0),
        Column("offset", _("clock"), 8), Column("events", _("events"), 6), Column("key", _("key"), 4),
    ]  # fmt: skip
    if width >= 100:
        fixed.insert(3, Column("serial", _("device"), 18))
    return _columns(width, fixed, {"board": _("board")})


def _devices_rows(c: Context) -> dict[str, Words]:
    if c.office is None:
        return {}
    return {f"{d.role} {d.name} {d.key}": _device_words(c, d) for d in c.office.devices}


def _device_words(c: Context, d: DeviceView) -> Words:
    states = {
        "online": ("online", "good"),
        "silent": ("~ " + _("silent {time}").format(time=span(d.silent_ms / 1000)), "warn"),
        "never": ("~ " + _("never seen"), "warn"),
        "unknown": ("", "quiet"),
    }
    board, role = _board_words(c, d)
    is_table = d.role == "table"
    key = "" if not d.key else _("old") if d.until else _("yes")
    return {
        "what": (f"{d.role} {d.name}", "name"),
        "state": (_("online"), "good") if d.state == "online" else states[d.state],
        "board": (board, role),
        "serial": (d.serial + (f" ! {d.rival}" if d.rival else ""), "alarm" if d.rival else "quiet"),
        "offset": (f"{d.offset_ms / 1000:+.2f} s" if is_table and d.state != "never" else "",
                   "warn" if abs(d.offset_ms) > 1_000 else "text"),
        "events": (f"{d.events}" + (f" +{d.waiting}" if d.waiting else "") if is_table else "",
                   "warn" if d.waiting else "text"),
        "key": (key, "text"),
    }  # fmt: skip


def _board_words(c: Context, d: DeviceView) -> tuple[str, str]:
    row = next((r for r in c.hall.boards.rows if r.table == d.name), None) if c.hall and d.role == "table" else None
    if row is None:
        return "", "text"
    sign, words, role = board_state(row, 0)
    return f"{row.board}: {sign} {words}".replace("  ", " "), role


def _device_detail(c: Context) -> str:
    lines = list(c.office.turned_away[-1:]) if c.office else []
    d = c.device
    if d is not None:
        facts = [f"{d.role} {d.name}"]
        facts += [_("device {serial}").format(serial=d.serial)] if d.serial else []
        facts += [_("key good until {time}").format(time=clock_time(d.until))] if d.until else []
        facts += [_("key {key} since {time}").format(key=d.key[:12] + "…", time=clock_time(d.since))] if d.key else []
        facts += (
            [_("! a second device says it is {name}: {rival}").format(name=d.name, rival=d.rival)] if d.rival else []
        )
        lines.insert(0, " · ".join(facts))
    if c.office is not None:
        o = c.office
        if o.disk.why:
            lines.append(f"! {o.disk.why}")
        words = _("hub: {backlog} waiting · {conflicts} conflicts · {aside} set aside · {refused} turned away")
        lines.append(words.format(backlog=o.backlog, conflicts=o.conflicts, aside=o.set_aside, refused=o.refused))
    return "\n".join(lines)


def _pick_device(c: Context, key: str) -> Context:
    devices = c.office.devices if c.office else ()
    return replace(c, device=next((d for d in devices if key == f"{d.role} {d.name} {d.key}"), None))


# -- standings --------------------------------------------------------------------------------------------------------


def _pick_standing(c: Context, key: str) -> Context:
    rows = c.hall.standings.rows if c.hall else ()
    found = next((row for row in rows if str(row.tpn) == key), None)
    return replace(c, standing=found, player=c.book.player(int(key)))


def pages() -> Mapping[str, PageSpec]:
    """The pages besides the hall."""
    specs = (
        PageSpec("players", _players_title, _players_columns, _players_rows, _player_detail, _pick_player, ("book",),
                 _("The list is empty.")),
        PageSpec("round", _round_title, _round_columns, _round_rows, _round_detail, _pick_pair, ("book", "sheet"),
                 _("Nothing is paired yet.")),
        PageSpec("standings", standings.title, lambda c, width: standings.columns(c.hall.standings, width)
                 if c.hall else (), lambda c: {}, standings.reason, _pick_standing, ("book",)),
        PageSpec("log", _log_title, _log_columns, _log_rows, _log_detail, _pick_step, ("book",),
                 _("Nothing was done yet that could be undone.")),
        PageSpec("devices", _devices_title, _devices_columns, _devices_rows, _device_detail, _pick_device,
                 ("office",)),
        PageSpec("prizes", prizes.title, prizes.columns, prizes.rows, prizes.detail, prizes.select,
                 ("prizes", "book")),
    )  # fmt: skip
    return {spec.name: spec for spec in specs}
