"""A message that stops in its middle: the drivers forget it, ask for the position, and say that there is a gap."""

from __future__ import annotations

import chess
import pytest

from drivers.interfaces import BoardReport, GapReport, Report
from tests.drivers.campaign.boards import KINDS, Serial
from tests.drivers.campaign.venue import Fault, Venue


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("kind", ["dgt", "dgt-bluetooth", "chesslink", "chessnut"])
def test_a_torn_message_is_asked_for_again_at_once(kind: str, lost: int) -> None:
    venue, told = Venue(), list[Report]()
    board = KINDS[kind](venue, chess.Board(), Fault(), "torn")
    assert isinstance(board, Serial)
    cable, whole = board.cable, board.cable.say
    lifted_at = venue.now + 5_000

    def torn(message: bytes) -> None:
        if message:
            cable.say = whole  # type: ignore[method-assign]
            whole(message[:-lost])

    def lift() -> None:
        cable.say = torn  # type: ignore[method-assign]
        board.change(chess.E2, ".")

    venue.at(lifted_at, lift)
    venue.at(lifted_at + 3_000, cable.stop)
    board.run(told.append)

    (gap,) = (report.boot_ms for report in told if isinstance(report, GapReport))
    seen = [report for report in told if isinstance(report, BoardReport) and report.boot_ms >= lifted_at]
    assert {report.placement for report in seen} == {"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"}
    assert gap - lifted_at <= 600
    assert seen[0].boot_ms - lifted_at <= 900
