"""The state of a tournament as a fold over its events.

A fold never decides and never fails on an event of a known kind: what was recorded has happened. Everything here is
frozen; each event makes a new state that shares what did not change, so a fold over a long log stays cheap.
"""

from __future__ import annotations

from rules.tournament.book import BYE_HALF_POINTS as BYE_HALF_POINTS
from rules.tournament.book import HALF_POINTS as HALF_POINTS
from rules.tournament.book import Device as Device
from rules.tournament.book import Round as Round
from rules.tournament.book import Status as Status
from rules.tournament.book import Step as Step
from rules.tournament.book import Touched as Touched
from rules.tournament.book import TournamentState as TournamentState
from rules.tournament.folding import fold as fold
from rules.tournament.folding import replay as replay
