"""Re-pairs a finished event: which rounds are as the engine would have paired them, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from gettext import gettext as _

from rules.interchange.trf_model import TrfEvent
from rules.pairing.dutch_engine import pair_without_reasons
from rules.pairing.event_state import is_paired, state_before
from rules.pairing.state import Edition, NoPairing, Numbering, PairingAnswer, PairingState

Pairs = tuple[tuple[int, int], ...]
System = Callable[[PairingState], PairingAnswer]

#: Record 192 → edition of the Dutch system.
EDITIONS: dict[str, Edition] = {"FIDE_DUTCH_2017": "2017", "FIDE_DUTCH_2017_BAKU": "2017"}


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """One round: the pairs (White, Black) and the bye of the engine and of the report.

    `expected` is in board order, `found` by White's number. `differences` are sentences, none when all is the same;
    `impossible` is the reason when the engine finds no legal pairing at all.
    """

    number: int
    expected: Pairs
    found: Pairs
    expected_bye: int | None
    found_bye: int | None
    differences: tuple[str, ...]
    impossible: str = ""

    @property
    def same(self) -> bool:
        """Pairs, colours and bye are those of the engine."""
        return not self.differences


def edition_of(event: TrfEvent) -> Edition:
    """The edition an event was paired by, as its record 192 says; 2026 when it says nothing."""
    return EDITIONS.get(event.system.upper(), "2026")


def recorded_round(event: TrfEvent, number: int) -> tuple[Pairs, int | None]:
    """The pairs (White, Black) and the PAB that a report has for a round."""
    pairs: list[tuple[int, int]] = []
    bye = None
    for player in sorted(event.players, key=lambda p: p.start_rank):
        cell = player.cell(number)
        if cell.opponent and cell.colour == "w":
            pairs.append((player.start_rank, cell.opponent))
        elif cell.result == "U":
            bye = player.start_rank
    return tuple(pairs), bye


def check_round(
    event: TrfEvent, number: int, numbering: Numbering = "engines", edition: Edition | None = None,
    pair: System = pair_without_reasons,
) -> RoundCheck:  # fmt: skip
    """Pairs one round again from the state before it, with `pair`. Raises `ValueError` as `state_before` does."""
    found, found_bye = recorded_round(event, number)
    state = state_before(event, number, numbering, edition or edition_of(event))
    try:
        answer = pair(state)
    except NoPairing as error:
        return RoundCheck(number, (), found, None, found_bye, (str(error),), str(error))
    differences = _differences(answer.pairs, found, answer.bye, found_bye)
    return RoundCheck(number, answer.pairs, found, answer.bye, found_bye, differences)


def check_event(
    event: TrfEvent, first: int = 1, last: int | None = None, numbering: Numbering = "engines",
    edition: Edition | None = None, pair: System = pair_without_reasons,
) -> tuple[RoundCheck, ...]:  # fmt: skip
    """Every paired round of an event from `first` to `last`. Raises `ValueError` as `state_before` does."""
    end = event.paired_rounds if last is None else min(last, event.paired_rounds)
    return tuple(check_round(event, n, numbering, edition, pair) for n in range(first, end + 1) if is_paired(event, n))


def _differences(expected: Pairs, found: Pairs, bye: int | None, found_bye: int | None) -> tuple[str, ...]:
    lines: list[str] = []
    recorded = set(found)
    partner = {a: b for pair in found for a, b in (pair, pair[::-1])}
    for white, black in expected:
        if (white, black) in recorded:
            continue
        if (black, white) in recorded:
            lines.append(_("{a} and {b} should play with the colours {a}-{b}.").format(a=white, b=black))
            continue
        now = ", ".join(
            f"{tpn}-{partner[tpn]}" if tpn in partner else _("{tpn} without opponent").format(tpn=tpn)
            for tpn in (white, black)
        )
        lines.append(_("{a}-{b} is missing; the report has {now}.").format(a=white, b=black, now=now))
    if bye != found_bye:
        lines.append(
            _("The bye goes to {bye}; the report has {found}.").format(
                bye=_("nobody") if bye is None else bye, found=_("nobody") if found_bye is None else found_bye
            )
        )
    if not lines and recorded != set(expected):
        extra = sorted(recorded - set(expected))[0]
        lines.append(_("{a}-{b} should not be there.").format(a=extra[0], b=extra[1]))
    return tuple(lines)
