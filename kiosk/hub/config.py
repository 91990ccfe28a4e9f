"""What a hub is told before it starts: a TOML file, or the same values from another program.

Everything has a default except the entries. A wrong key or value is refused with file, line and remedy.
"""

from __future__ import annotations

import ipaddress
import random
import re
import secrets
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from pathlib import Path
from typing import Any, Literal, get_args

from hallnet.wire import TOKEN
from kiosk.hub.entries import Group, ListFile
from kiosk.hub.prize_settings import BadPrizes, line_of, read_prizes
from rules.interchange.rating_list import Kind
from rules.laws import time_control
from rules.laws.edition import EditionError, edition_of
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import Edition, Numbering
from rules.tiebreaks.registry import CODES, is_known
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations
from rules.tournament.list_events import Origin
from rules.tournament.regulations import Equals, Ranking, is_day, problem

LOOPBACK = "127.0.0.1"
MAX_ROUNDS = 99
SWISS_TIE_BREAKS = ("BH/C1", "BH", "SB")
#: System → tie-breaks when none are named; where everybody meets everybody, opponents' scores separate nobody.
TIE_BREAKS: Mapping[str, tuple[str, ...]] = {"berger": ("DE", "SB", "WIN", "KS")}
_DATE = re.compile(r"\d{4}/\d\d/\d\d\Z")
#: Fields of `Regulations` that are announced as they stand in the settings.
_AS_WRITTEN = (
    "win_half_points", "draw_half_points", "loss_half_points", "half_byes", "closed_rounds", "full_byes", "last_entry",
    "missed_rounds", "correct_until", "default_minutes", "late_clock", "acceleration", "ranking", "equals",
    "pairing_edition", "numbering", "cycles", "swap_middle", "expel_after", "rating_order", "check_ratings",
    "long_event", "tie_break_ratings", "deputies", "prizes", "one_prize_each", "withdrawn_win",
)  # fmt: skip


class ConfigError(ValueError):
    """A configuration that cannot be used: str() names the file, the line (0 = none) and the remedy."""

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        self.message, self.file, self.line = message, file, line
        if file and line:
            message = _("{file}, line {line}: {message}").format(file=file, line=line, message=message)
        elif file:
            message = _("{file}: {message}").format(file=file, message=message)
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class HubConfig:
    """A hub's settings.

    `event` and `hall` are ids on the wire; `data` the folder of the run; `port` 0 takes a free one on `host`;
    `feed` writes what spectators may see, moves `feed_delay` minutes late; `announce` tells devices where the hub is.
    `site` are the addresses of a site's servers ("nats-leaf://host:port"): this hall is a leaf of them.
    `primary` ("host:port") with `key` and `ca` are a standby's: whose log it copies, and how it is let in there.
    `standby` "both": a table's event counts as delivered when the standby has it too. `disk_check`: a new hall on the
    network is not begun on a disk that is too slow for it.
    `keys` lets in only those who were enrolled, and is needed on any address but loopback; `tables` how many
    are expected (0 = as many as come). `entries` are used if given, else the file `entries_file` is read when the event
    is created. `rating_lists` are read at every start. `continued`: the event goes on from that file, a report; its
    rounds keep the pairing rules ("checked"), or they are taken "as-it-is" and what differs is noted. Without
    `tie_breaks` those of `TIE_BREAKS` are used.
    `initial_colour` "lot" and `seed` None are drawn when the event is created and then stand in its log.
    `edition` is the edition of the Laws with its settings (`rules.laws.edition`). `speed` multiplies chess time in
    simulated halls. `pab_half_points` None is what a win is worth; `forbidden` are groups of players who must not meet.
    The fields from `win_half_points` on are those of `Regulations`.
    """

    name: str = "Chess Tournament"
    event: str = "event"
    hall: str = "hall"
    data: Path = Path("hallkiosk-hub")
    port: int = 0
    host: str = LOOPBACK
    keys: bool = False
    feed: bool = False
    feed_delay: int = 0
    announce: bool = False
    site: tuple[str, ...] = ()
    primary: str = ""
    standby: Literal["async", "both"] = "async"
    disk_check: bool = True
    key: Path | None = None
    ca: Path | None = None
    entries_file: Path | None = None
    entries: tuple[Entry, ...] = ()
    rating_lists: tuple[ListFile, ...] = ()
    continued: Literal["", "checked", "as-it-is"] = ""
    tables: int = 0
    speed: float = 1.0
    rounds: int = 5
    system: str = "dutch"
    control: str = "15+10"
    edition: str = ""
    tie_breaks: tuple[str, ...] = ()
    arbiter: str = ""
    initial_colour: Literal["white", "black", "lot"] = "lot"
    pab_half_points: int | None = None
    seed: int | None = None
    city: str = ""
    federation: str = ""
    start_date: str = ""
    end_date: str = ""
    forbidden: tuple[Group, ...] = ()
    win_half_points: int = 2
    draw_half_points: int = 1
    loss_half_points: int = 0
    half_byes: int = 1
    closed_rounds: int = 1
    full_byes: bool = False
    last_entry: int = 0
    missed_rounds: Literal["Z", "H"] = "Z"
    correct_until: Literal["round-over", "next-pairing"] = "round-over"
    default_minutes: int = 30
    late_clock: Literal["full", "rest"] = "full"
    acceleration: Literal["", "baku"] = ""
    ranking: Ranking = "FIDE"
    equals: Equals = "name"
    pairing_edition: Edition = "2026"
    numbering: Numbering = "engines"
    cycles: int = 1
    swap_middle: bool = True
    expel_after: int = 3
    rating_order: tuple[Kind, ...] = ()
    check_ratings: bool = True
    long_event: bool = False
    tie_break_ratings: Literal["first", "round"] = "first"
    deputies: tuple[str, ...] = ()
    prizes: tuple[str, ...] = ()
    one_prize_each: bool = True
    withdrawn_win: bool = False

    @property
    def primaries(self) -> tuple[str, ...]:
        """Where the hub is that this one stands by for."""
        return tuple(f"nats://{place.strip()}" for place in self.primary.split(",") if place.strip())

    def place(self, port: int) -> str:
        """Where others find this hub on `port`; "" if it listens on all addresses, which names none."""
        address = ipaddress.ip_address(self.host)
        if address.is_unspecified:
            return ""
        return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"

    def regulations(self) -> Regulations:
        """What is announced: a missing seed is drawn here, and the colour for TPN 1 by lot from the seed."""
        seed = secrets.randbelow(2**31) if self.seed is None else self.seed
        lot: Literal["white", "black"] = random.Random(f"initial colour {seed}").choice(("white", "black"))
        return Regulations(
            name=self.name,
            rounds=self.rounds,
            system=self.system,
            control=self.control,
            edition=self.edition,
            initial_colour=lot if self.initial_colour == "lot" else self.initial_colour,
            tie_breaks=self.tie_breaks or TIE_BREAKS.get(self.system, SWISS_TIE_BREAKS),
            pab_half_points=self.win_half_points if self.pab_half_points is None else self.pab_half_points,
            city=self.city,
            federation=self.federation,
            arbiter=self.arbiter,
            start_date=self.start_date,
            end_date=self.end_date,
            seed=seed,
            **{name: getattr(self, name) for name in _AS_WRITTEN},
        )


class _Bad(ValueError):
    """A value that does not fit; str() says what would."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\n" in value:
        raise _Bad(_("write a text in quotes"))
    return value


def _filled(value: Any) -> str:
    if not _text(value).strip():
        raise _Bad(_("write a text in quotes"))
    return str(value).strip()


def _token(value: Any) -> str:
    if not isinstance(value, str) or not TOKEN.match(value):
        raise _Bad(_('write 1 to 16 of a-z and 0-9 in quotes, such as "spring26"'))
    return value


def _path(value: Any) -> Path:
    return Path(_filled(value)).expanduser()


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _Bad(_("write a whole number from {low} to {high}").format(low=low, high=high))
        return value

    return check


def _host(value: Any) -> str:
    try:
        return str(ipaddress.ip_address(_filled(value)))
    except ValueError:
        raise _Bad(_('write the address of this machine in quotes, or "0.0.0.0" for all of its addresses')) from None


def _places(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(re.match(r"(nats-leaf|tls|nats)://", str(place)) for place in value):
        raise _Bad(_('write a list of addresses, such as ["nats-leaf://10.0.0.1:7422"]'))
    return tuple(map(str, value))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Bad(_("write true or false"))
    return value


def _continued(value: Any) -> str:
    if not isinstance(value, bool) and value != "as-it-is":
        raise _Bad(_('write true or false, or "as-it-is" to take rounds that do not keep the pairing rules'))
    return "as-it-is" if value == "as-it-is" else "checked" if value else ""


def _speed(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.1 <= value <= 1000:
        raise _Bad(_("write a number from 0.1 to 1000"))
    return float(value)


def _control(value: Any) -> str:
    try:
        time_control.parse(_filled(value))
    except time_control.TimeControlError as error:
        raise _Bad(str(error)) from None
    return str(value).strip()


def _edition(value: Any) -> str:
    try:
        edition_of(_text(value), "standard")
    except EditionError as error:
        raise _Bad(str(error)) from None
    return str(value).strip()


def _choice(*names: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in names:
            raise _Bad(_("write one of {names}").format(names=", ".join(f'"{name}"' for name in names)))
        return str(value)

    return check


def _codes(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(code, str) and code.strip() for code in value):
        raise _Bad(_('write a list of codes, such as ["BH/C1", "SB"]'))
    codes = tuple(code.strip() for code in value)
    unknown = next((code for code in codes if not is_known(code)), None)
    if unknown is not None:
        raise _Bad(_("{code!r} is no tie-break known here; known are {known}").format(
            code=unknown, known=", ".join(CODES)))  # fmt: skip
    return codes


def _points(value: Any) -> int:
    """Points as an arbiter writes them, as half-points."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 10 or (2 * value) % 1:
        raise _Bad(_("write whole or half points from 0 to 10, such as 3 or 0.5"))
    return int(2 * value)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise _Bad(_('write a list of names, such as ["Orlova, Maria"]'))
    return tuple(_text(each).strip() for each in value)


def _kinds(value: Any) -> tuple[str, ...]:
    known = get_args(Kind)
    if not isinstance(value, list) or not value or any(each not in known for each in value):
        raise _Bad(_("write a list of {names}").format(names=", ".join(f'"{name}"' for name in known)))
    return tuple(value)


def _lists(value: Any) -> tuple[ListFile, ...]:
    rows = value if isinstance(value, list) else []
    if not rows or not all(_is_list_file(row) for row in rows):
        raise _Bad(
            _('write rows such as [{file = "players_list.txt", from = "2026/12/01"}], with name and origin if you like')
        )
    return tuple(
        ListFile(
            Path(row["file"]).expanduser(),
            row["from"],
            row.get("name", Path(row["file"]).stem),
            row.get("origin", "FIDE"),
        )
        for row in rows
    )


def _is_list_file(row: Any) -> bool:
    if not isinstance(row, dict) or not {"file", "from"} <= row.keys() <= {"file", "from", "name", "origin"}:
        return False
    if not all(isinstance(value, str) and value.strip() for value in row.values()):
        return False
    return is_day(row["from"]) and row.get("origin", "FIDE") in get_args(Origin)


def _year(*years: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        return _choice(*years)(str(value) if isinstance(value, int) else value)

    return check


def _groups(value: Any) -> tuple[Group, ...]:
    groups = value if isinstance(value, list) else []
    fits = all(isinstance(group, list) and len(group) >= 2 and all(map(_is_player, group)) for group in groups)
    if not groups or not fits:
        raise _Bad(
            _('write lists of two or more players, by name as entered or by FIDE id: [["Ana", "Bo"], [101, 102]]')
        )
    return tuple(tuple(who.strip() if isinstance(who, str) else who for who in group) for group in groups)


def _is_player(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _date(value: Any) -> str:
    if not isinstance(value, str) or (value and not _DATE.match(value)):
        raise _Bad(_('write the date as "2026/05/30"'))
    return value


#: Section ("" = top) → key → (field of HubConfig, check).
KEYS: Mapping[str, Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "": {
        "name": ("name", _filled),
        "event": ("event", _token),
        "hall": ("hall", _token),
        "data": ("data", _path),
        "port": ("port", _whole(0, 65535)),
        "host": ("host", _host),
        "keys": ("keys", _flag),
        "feed": ("feed", _flag),
        "feed-delay": ("feed_delay", _whole(0, 24 * 60)),
        "announce": ("announce", _flag),
        "site": ("site", _places),
        "primary": ("primary", _filled),
        "standby": ("standby", _choice("async", "both")),
        "disk-check": ("disk_check", _flag),
        "key": ("key", _path),
        "ca": ("ca", _path),
        "entries": ("entries_file", _path),
        "rating-lists": ("rating_lists", _lists),
        "continue": ("continued", _continued),
        "tables": ("tables", _whole(0, 10_000)),
        "speed": ("speed", _speed),
    },
    "regulations": {
        "rounds": ("rounds", _whole(1, MAX_ROUNDS)),
        "system": ("system", _choice(*SYSTEMS)),
        "control": ("control", _control),
        "edition": ("edition", _edition),
        "tie-breaks": ("tie_breaks", _codes),
        "arbiter": ("arbiter", _text),
        "initial-colour": ("initial_colour", _choice("white", "black", "lot")),
        "win-points": ("win_half_points", _points),
        "draw-points": ("draw_half_points", _points),
        "loss-points": ("loss_half_points", _points),
        "pab-half-points": ("pab_half_points", _whole(0, 20)),
        "half-point-byes": ("half_byes", _whole(0, MAX_ROUNDS)),
        "rounds-without-half-point-byes": ("closed_rounds", _whole(0, MAX_ROUNDS)),
        "full-point-byes": ("full_byes", _flag),
        "last-round-for-late-entries": ("last_entry", _whole(0, MAX_ROUNDS)),
        "missed-rounds": ("missed_rounds", _choice("Z", "H")),
        "correct-until": ("correct_until", _choice("round-over", "next-pairing")),
        "default-minutes": ("default_minutes", _whole(0, 24 * 60)),
        "late-clock": ("late_clock", _choice("full", "rest")),
        "acceleration": ("acceleration", _choice("", "baku")),
        "ranking": ("ranking", _choice(*get_args(Ranking))),
        "equals": ("equals", _choice(*get_args(Equals))),
        "pairing-edition": ("pairing_edition", _year(*get_args(Edition))),
        "numbering": ("numbering", _choice(*get_args(Numbering))),
        "cycles": ("cycles", _whole(1, 2)),
        "swap-middle-rounds": ("swap_middle", _flag),
        "expel-after-forfeits": ("expel_after", _whole(0, MAX_ROUNDS)),
        "rating-order": ("rating_order", _kinds),
        "check-ratings": ("check_ratings", _flag),
        "long-event": ("long_event", _flag),
        "tie-break-ratings": ("tie_break_ratings", _choice("first", "round")),
        "deputy-arbiters": ("deputies", _names),
        "one-prize-each": ("one_prize_each", _flag),
        "prizes-for-withdrawn": ("withdrawn_win", _flag),
        "forbidden": ("forbidden", _groups),
        "seed": ("seed", _whole(0, 2**63 - 1)),
        "city": ("city", _text),
        "federation": ("federation", _text),
        "start-date": ("start_date", _date),
        "end-date": ("end_date", _date),
    },
}


def load(path: Path) -> HubConfig:
    """The configuration in a TOML file; relative paths in it start at the file's folder. Raises `ConfigError`."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or _("it is not UTF-8 text")
        raise ConfigError(
            _("cannot be read ({reason}); name another with --config").format(reason=reason), str(path)
        ) from None
    config = parse(text, str(path))
    base = path.resolve().parent
    entries = base / config.entries_file if config.entries_file else None
    key = base / config.key if config.key else None
    ca = base / config.ca if config.ca else None
    lists = tuple(replace(each, path=base / each.path) for each in config.rating_lists)
    return replace(config, data=base / config.data, entries_file=entries, key=key, ca=ca, rating_lists=lists)


def parse(text: str, file: str = "") -> HubConfig:
    """The configuration in TOML text. Raises `ConfigError`."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ConfigError(
            _("this is no TOML: {error}").format(error=error), file, int(line[1]) if line else 0
        ) from None
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in KEYS and key:
            if not isinstance(value, dict):
                raise ConfigError(_("write [{key}] as a section").format(key=key), file, _line(text, "", key))
            for name, inner in value.items():
                _take(values, text, file, key, name, inner)
        elif key == "prizes":
            values["prizes"] = _prizes(text, file, value)
        else:
            _take(values, text, file, "", key, value)
    host = values.get("host", LOOPBACK)
    if not ipaddress.ip_address(host).is_loopback and not values.get("keys", False):
        raise ConfigError(
            _("a hub that listens on {host} needs keys: write keys = true, and enrol tables and desks").format(
                host=host
            ),
            file,
            _line(text, "", "host"),
        )
    config = HubConfig(**values)
    _together(config, text, file)
    return config


def _together(config: HubConfig, text: str, file: str) -> None:
    """Do the regulations fit each other? Named is the line of the last value without which they would."""
    why = problem(replace(config, seed=0).regulations())
    if not why:
        return
    usual, line = HubConfig(), _line(text, "", "regulations")
    for key, (name, _check) in KEYS["regulations"].items():
        if getattr(config, name) == getattr(usual, name):
            continue
        if not problem(replace(config, **{"seed": 0, name: getattr(usual, name)}).regulations()):
            line = max(line, _line(text, "regulations", key))
    if config.prizes and not problem(replace(config, seed=0, prizes=()).regulations()):
        line = max(line, _line(text, "", "prizes"))
    raise ConfigError(why, file, line)


def _known(section: str) -> tuple[str, ...]:
    return tuple(KEYS[section]) if section else (*KEYS[""], "regulations", "prizes")


def _prizes(text: str, file: str, value: Any) -> tuple[str, ...]:
    try:
        return read_prizes(value)
    except BadPrizes as bad:
        raise ConfigError(str(bad), file, line_of(text, bad) or _line(text, "", "prizes")) from None


def _take(values: dict[str, Any], text: str, file: str, section: str, key: str, value: Any) -> None:
    known = KEYS[section]
    if key not in known:
        raise ConfigError(
            _("{key!r} is not known here; known are {known}").format(key=key, known=", ".join(_known(section))),
            file,
            _line(text, section, key),
        )
    name, check = known[key]
    try:
        values[name] = check(value)
    except _Bad as error:
        raise ConfigError(
            _("{key} = {value!r} does not fit: {remedy}").format(key=key, value=value, remedy=error),
            file,
            _line(text, section, key),
        ) from None


def _line(text: str, section: str, key: str) -> int:
    """The line on which `key` stands in `section` (or the section's own head); 0 if it is written unusually."""
    here = ""
    for number, line in enumerate(text.splitlines(), 1):
        # Not a line of a list, such as ["Anna", "Bela"].
        head = re.match(r"\s*\[+\s*([^\],]+?)\s*\]+\s*(?:#.*)?$", line)
        if head:
            here = head[1].strip("\"'")
            if not section and here.split(".")[0] == key:
                return number
        elif here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
    return 0
