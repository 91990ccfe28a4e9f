"""An enrolment that is open: who waits, and the code that the device shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Item

from hallnet.views import EnrolmentView
from kiosk.desk.dialogs import Dialog
from kiosk.widgets.language import _, ngettext

#: Hands an intent to the hub: None when done, else why not.
Carry = Callable[[str, dict[str, Any]], Awaitable[str | None]]
LOOK_S = 1.0


class EnrolDialog(Dialog[None]):
    """Type the code and Enter: it is in. `now` gives the enrolment as the hub told it last, None once it is over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "close_it", show=False, priority=True),
        Binding("delete", "refuse", show=False),
    ]

    def __init__(
        self, now: Callable[[], EnrolmentView | None], ask: Callable[[], Awaitable[None]], carry: Carry
    ) -> None:
        super().__init__()
        self.now = now
        self.ask = ask
        self.carry = carry
        self._ids: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        with self.box(_("Let a device in"), _("code, Enter: in · Tab, Del: refuse · F2: end it · Esc: back")):
            yield Static(id="state", markup=False)
            yield OptionList()
            yield Input(placeholder=_("the code on the device's screen"), id="code")
            yield Static("", id="wrong", classes="wrong", markup=False)

    def on_mount(self) -> None:
        """The code has the keyboard; the hub is asked every second."""
        self.query_one("#code").focus()
        self.set_interval(LOOK_S, self._again)
        self.paint()

    async def _again(self) -> None:
        await self.ask()
        if self.is_attached:
            self.paint()

    def paint(self) -> None:
        """Who waits now."""
        found = self.now()
        if found is None:
            self.query_one("#state", Static).update(_("This enrolment is over."))
            return
        tries = ngettext("{n} wrong code more closes it.", "{n} wrong codes more close it.", found.tries)
        self.query_one("#state", Static).update(
            _("Open for {role} {name}. On the device: hallkiosk enrol device.").format(role=found.role, name=found.name)
            + " " + tries.format(n=found.tries)
        )  # fmt: skip
        ids = tuple(f"{device.id} {device.ready}" for device in found.devices)
        if ids != self._ids:
            self._ids = ids
            listed = self.query_one(OptionList)
            listed.clear_options()
            ready, waits = _("shows its code"), _("is asking")
            listed.add_options(
                Item(
                    Content(_("device {serial} {state}").format(serial=d.serial, state=ready if d.ready else waits)),
                    d.id,
                )
                for d in found.devices
            )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The code was typed."""
        if event.value.strip():
            self.app.run_worker(self._carry("enrol-accept", {"code": event.value.strip()}, leave=True))

    def action_refuse(self) -> None:
        """The marked device is turned away."""
        listed = self.query_one(OptionList)
        if listed.highlighted is not None and listed.option_count:
            device = listed.get_option_at_index(listed.highlighted).id
            self.app.run_worker(self._carry("enrol-refuse", {"id": device}))

    def action_close_it(self) -> None:
        """Nobody is let in any more."""
        self.app.run_worker(self._carry("enrol-close", {}, leave=True))

    async def _carry(self, kind: str, d: dict[str, Any], leave: bool = False) -> None:
        why = await self.carry(kind, d)
        if not self.is_attached:
            return
        if why is not None:
            self.query_one("#wrong", Static).update(f"! {why}")
        elif leave:
            self.dismiss(None)
        await self.ask()
