"""What an arbiter does to one game by the Laws: penalties, corrections, adjournment, the opened envelope."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from hallnet.views import BoardRow
from kiosk.desk.dialogs import Adjourned, RulingDialog, adjourn_form, envelope_form
from kiosk.desk.rulings import Ruling, penalties
from kiosk.widgets.clients import Answered
from kiosk.widgets.face import Face
from kiosk.widgets.language import _


class GameActions(Face, inherit_bindings=False):
    """The part of the desk that acts on the selected game; the desk itself says which that is."""

    _round: int

    @abstractmethod
    def selected(self) -> BoardRow | None:
        """The board that is meant."""

    @abstractmethod
    async def _intend(self, kind: str, done: str = "", /, **d: Any) -> Answered:
        """Hand an intent to the hub."""

    @abstractmethod
    def _ruled(self, ruling: Ruling | None) -> None:
        """Carry a ruling out."""

    def _under_way(self) -> BoardRow | None:
        """The selected board, if its game can be put right or adjourned."""
        row = self.selected()
        if row is None or row.state not in ("playing", "paused", "ended"):
            self.notify(_("No game is under way at this board."), timeout=4)
            return None
        return row

    def action_penalty(self) -> None:
        """Put an illegal move right or punish an offence that the arbiter has seen himself."""
        row = self._under_way()
        if row is not None:
            title = _("Board {board}: offence").format(board=row.board)
            about = f"{row.white.name} - {row.black.name}"
            dialog = RulingDialog(title, about, penalties(row, self._round), why_needed=True)
            self.push_screen(dialog, self._ruled)

    def action_adjourn(self) -> None:
        """The player on move has sealed: the game goes on later."""
        row = self._under_way()
        if row is None:
            return
        place = {"board": row.board, "round": self._round}

        def decided(adjourned: Adjourned | None) -> None:
            if adjourned is not None:
                sealed = "black" if " b " in row.fen else "white"
                done = _("Board {board} is adjourned.").format(board=row.board)
                d = place | {"envelope": adjourned.envelope, "why": adjourned.why, "sealed_by": sealed}
                self.run_worker(self._intend("adjourn", done, **d))

        self.push_screen(adjourn_form(_("Board {board}: adjourn the game").format(board=row.board)), decided)

    def action_envelope(self) -> None:
        """An adjourned game goes on."""
        row = self._under_way()
        if row is None:
            return
        place = {"board": row.board, "round": self._round}

        def decided(move: str | None) -> None:
            if move is not None:
                done = _("Board {board}: play goes on.").format(board=row.board)
                sealed = {"move": move} if move else {"unsealed": True}
                self.run_worker(self._intend("envelope", done, **place, **sealed))

        self.push_screen(envelope_form(_("Board {board}: open the envelope").format(board=row.board)), decided)
