"""The palette of arbiter actions (`:`): Textual's command palette with ours in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from kiosk.desk.actions import Action, actions
from kiosk.desk.asking import Asking


class ArbiterActions(Provider):
    """Every action of the tables: those of the page on the screen first."""

    def _all(self) -> Iterator[tuple[Action, str, IgnoreReturnCallbackType]]:
        desk = self.app
        assert isinstance(desk, Asking)
        c = desk.context()
        for action in sorted(actions(), key=lambda each: not each.on(c.page)):
            if action.name in ("palette", "back") or (action.name == "visit" and not c.visits):
                continue
            name = f"{action.short} ({action.written})" if action.on(c.page) else action.short
            # After the palette has closed, so that the action finds the desk's own screen.
            run = partial(self.app.call_later, self.app.run_action, f"do('{action.name}')")
            yield action, name, run

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for action, name, run in self._all():
            yield DiscoveryHit(name, run, help=action.help)

    async def search(self, query: str) -> Hits:
        """Those that fit."""
        matcher = self.matcher(query)
        for action, name, run in self._all():
            score = max(matcher.match(name), matcher.match(action.help))
            if score > 0:
                yield Hit(score, matcher.highlight(name), run, help=action.help)
