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
from dataclasses import dataclass, fields, replace
from gettext import gettext as _
from pathlib import Path
from typing import Any, Literal, get_args

from kiosk.hub import config_values as read
from kiosk.hub.entries import Group, ListFile
from kiosk.hub.prize_settings import BadPrizes, line_of, read_prizes
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import Edition, Numbering
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations
from rules.tournament.regulations import Announced, Equals, Ranking, problem

LOOPBACK = "127.0.0.1"
MAX_ROUNDS = 99
SWISS_TIE_BREAKS = ("BH/C1", "BH", "SB")
#: System → tie-breaks when none are named; where everybody meets everybody, opponents' scores separate nobody.
TIE_BREAKS: Mapping[str, tuple[str, ...]] = {"berger": ("DE", "SB", "WIN", "KS")}


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
class HubConfig(Announced):
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
    All that is `Announced` goes into the regulations as it stands here.
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
            **{field.name: getattr(self, field.name) for field in fields(Announced)},
        )


#: Section ("" = top) → key → (field of HubConfig, check).
KEYS: Mapping[str, Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "": {
        "name": ("name", read.filled),
        "event": ("event", read.token),
        "hall": ("hall", read.token),
        "data": ("data", read.path),
        "port": ("port", read.whole(0, 65535)),
        "host": ("host", read.host),
        "keys": ("keys", read.flag),
        "feed": ("feed", read.flag),
        "feed-delay": ("feed_delay", read.whole(0, 24 * 60)),
        "announce": ("announce", read.flag),
        "site": ("site", read.places),
        "primary": ("primary", read.filled),
        "standby": ("standby", read.choice("async", "both")),
        "disk-check": ("disk_check", read.flag),
        "key": ("key", read.path),
        "ca": ("ca", read.path),
        "entries": ("entries_file", read.path),
        "rating-lists": ("rating_lists", read.lists),
        "continue": ("continued", read.continued),
        "tables": ("tables", read.whole(0, 10_000)),
        "speed": ("speed", read.speed),
    },
    "regulations": {
        "rounds": ("rounds", read.whole(1, MAX_ROUNDS)),
        "system": ("system", read.choice(*SYSTEMS)),
        "control": ("control", read.control),
        "edition": ("edition", read.edition),
        "tie-breaks": ("tie_breaks", read.codes),
        "arbiter": ("arbiter", read.text),
        "initial-colour": ("initial_colour", read.choice("white", "black", "lot")),
        "win-points": ("win_half_points", read.points),
        "draw-points": ("draw_half_points", read.points),
        "loss-points": ("loss_half_points", read.points),
        "pab-half-points": ("pab_half_points", read.whole(0, 20)),
        "half-point-byes": ("half_byes", read.whole(0, MAX_ROUNDS)),
        "rounds-without-half-point-byes": ("closed_rounds", read.whole(0, MAX_ROUNDS)),
        "full-point-byes": ("full_byes", read.flag),
        "last-round-for-late-entries": ("last_entry", read.whole(0, MAX_ROUNDS)),
        "missed-rounds": ("missed_rounds", read.choice("Z", "H")),
        "correct-until": ("correct_until", read.choice("round-over", "next-pairing")),
        "default-minutes": ("default_minutes", read.whole(0, 24 * 60)),
        "late-clock": ("late_clock", read.choice("full", "rest")),
        "acceleration": ("acceleration", read.choice("", "baku")),
        "ranking": ("ranking", read.choice(*get_args(Ranking))),
        "equals": ("equals", read.choice(*get_args(Equals))),
        "pairing-edition": ("pairing_edition", read.year(*get_args(Edition))),
        "numbering": ("numbering", read.choice(*get_args(Numbering))),
        "cycles": ("cycles", read.whole(1, 2)),
        "swap-middle-rounds": ("swap_middle", read.flag),
        "expel-after-forfeits": ("expel_after", read.whole(0, MAX_ROUNDS)),
        "rating-order": ("rating_order", read.kinds),
        "check-ratings": ("check_ratings", read.flag),
        "long-event": ("long_event", read.flag),
        "tie-break-ratings": ("tie_break_ratings", read.choice("first", "round")),
        "deputy-arbiters": ("deputies", read.names),
        "one-prize-each": ("one_prize_each", read.flag),
        "prizes-for-withdrawn": ("withdrawn_win", read.flag),
        "forbidden": ("forbidden", read.groups),
        "seed": ("seed", read.whole(0, 2**63 - 1)),
        "city": ("city", read.text),
        "federation": ("federation", read.text),
        "start-date": ("start_date", read.date),
        "end-date": ("end_date", read.date),
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
    except read.BadValue as error:
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
