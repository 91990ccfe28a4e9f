"""What a log begins with: a disk that is fit for it, and the event of the settings or of a report."""

from __future__ import annotations

from gettext import gettext as _

from hallnet.clock import wall_ms
from kiosk.hub.act import Refused
from kiosk.hub.config import LOOPBACK, HubConfig
from kiosk.hub.core import HubCore
from kiosk.hub.desk_lists import today
from kiosk.hub.disk import try_before_use
from kiosk.hub.entries import EntriesError, load_entries, load_list, load_report
from rules.interchange.trf import entries_from_trf
from rules.tournament.imported import NotContinuable, as_announced, taken_over


def check_disk(config: HubConfig) -> None:
    """A new hall on the network begins only on a disk that is fit for it. Raises `DiskUnfit`."""
    if config.disk_check and config.host != LOOPBACK and not (config.data / "hall.db").exists():
        try_before_use(config.data)


def open_event(core: HubCore, config: HubConfig, take_over: bool = False) -> None:
    """Begin to serve the log; a new one gets the event of the configuration. Raises `Refused` and `EntriesError`."""
    _open_log(core, config, take_over)
    if config.rating_lists:
        entries, day = tuple(core.hall.state.entries.values()), today(wall_ms())
        core.take_lists(wall_ms(), [load_list(each, entries, day) for each in config.rating_lists])


def _open_log(core: HubCore, config: HubConfig, take_over: bool) -> None:
    if core.created:
        core.open(wall_ms(), take_over=take_over)
        regulations = core.hall.state.regulations
        if regulations is not None and (regulations.name, regulations.rounds, regulations.system) != (
            config.name,
            config.rounds,
            config.system,
        ):
            core.streams.notice(
                _(
                    "The log holds {name!r}, {rounds} rounds: it goes on, and the settings' regulations are ignored."
                ).format(name=regulations.name, rounds=regulations.rounds)
            )
        return
    if config.continued:
        _continue_report(core, config)
        return
    entries = config.entries or load_entries(config.entries_file)
    core.open(wall_ms(), config.regulations(), entries, forbidden=config.forbidden)


def _continue_report(core: HubCore, config: HubConfig) -> None:
    """The event goes on from a report: its entries, its rounds with their results, its announced absences."""
    report = load_report(config.entries_file)
    try:
        regulations = as_announced(config.regulations(), report, bool(config.tie_breaks))
        taken = taken_over(report, config.entries_file.name if config.entries_file is not None else "")
    except NotContinuable as error:
        raise EntriesError(f"{config.entries_file}: {error}") from None

    def seen(refused: Refused) -> str:
        token = refused.refusal.token if refused.refusal is not None else ""
        if token and config.continued != "as-it-is":
            remedy = _(
                'Correct the report, or take it as it is: continue = "as-it-is" in the settings, --continue as-it-is '
                "for the demonstration."
            )
            raise EntriesError(f"{config.entries_file}: {refused} {remedy}")
        if token:
            core.streams.notice(str(refused))
        return token

    entries = entries_from_trf(report)
    core.open(wall_ms(), regulations, entries, forbidden=config.forbidden, taken=taken, seen=seen)
