"""The pairing systems by name. A new system is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.pairing import berger, dutch_engine
from rules.pairing.state import PairingAnswer, PairingState

#: Name as in `Regulations.system` → the system. Each raises `NoPairing` when there is no legal pairing.
SYSTEMS: Mapping[str, Callable[[PairingState], PairingAnswer]] = {
    "dutch": dutch_engine.pair,
    "berger": berger.pair,
}
