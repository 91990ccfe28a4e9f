"""How the desk talks with the hub: questions, intents with their warnings, forms that lose nothing."""

from __future__ import annotations

import asyncio
import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from hallnet.book_views import BookView, CorrectionView, PrizesView, SheetView
from hallnet.views import OfficeView, View
from kiosk.desk.actions import Action, Form, words
from kiosk.desk.context import Context
from kiosk.desk.dialogs import Ask, Dialog, Warned
from kiosk.desk.fields import Values
from kiosk.desk.form_dialog import FormDialog
from kiosk.desk.hand import HandMade
from kiosk.widgets.clients import Answered, HallPort
from kiosk.widgets.face import Face
from kiosk.widgets.language import _

V = TypeVar("V", bound=View)
#: A hub whose warnings change at every step is not followed any further.
MOST_STEPS = 6
#: So many players whose place moves are named before a correction.
MOST_MOVED = 12


class Asking(Face, inherit_bindings=False):
    """The part of the desk that asks the hub; `book`, `sheet`, `office` and `prizes` are its latest answers."""

    client: HallPort

    def __init__(self) -> None:
        super().__init__()
        self.book = BookView()
        self.sheet = SheetView()
        self.office: OfficeView | None = None
        self.prizes: PrizesView | None = None
        self.hand: HandMade | None = None
        self.sheet_round = 0
        self._asked_at: dict[str, int] = {}

    @property
    @abstractmethod
    def by(self) -> str:
        """Who rules at this desk."""

    @abstractmethod
    def basis_of(self, act: Action, c: Context) -> Callable[[], object]:
        """What a question about this action rests on."""

    @abstractmethod
    def context(self, select: bool = True) -> Context:
        """What the desk knows now; with `select` what the page's cursor is on."""

    @abstractmethod
    def moment(self) -> int:
        """BOOTTIME ms."""

    # -- questions ----------------------------------------------------------------------------------------------------

    async def fetch(self, *questions: str) -> None:
        """Ask the hub for these pages' data ("book", "sheet", "office", "prizes"), and paint."""
        for question in questions:
            self._asked_at[question] = self.moment()
            d: dict[str, Any] = {"round": self.sheet_round} if question == "sheet" else {}
            answer = await self.client.intend(question, **d, by=self.by)
            if not answer.ok:
                self.notify(answer.why, title=_("Not known"), severity="warning", timeout=8, markup=False)
            elif answer.d is not None:
                self._take(question, answer.d)
            self._asked_at[question] = self.moment()
        self.repaint()

    def _take(self, question: str, d: Any) -> None:
        if question == "book":
            self.book = self._read(d, BookView) or self.book
            if self.hand is not None and self.book.manual != self.hand.round:
                self.hand = None
        elif question == "sheet":
            self.sheet = self._read(d, SheetView) or self.sheet
        elif question == "office":
            self.office = self._read(d, OfficeView) or self.office
        elif question == "prizes":
            self.prizes = self._read(d, PrizesView) or self.prizes

    def _read(self, d: Any, kind: type[V]) -> V | None:
        try:
            return msgspec.convert(d, kind)
        except msgspec.ValidationError as error:
            self.notify(_("The hub's answer is not understood: {error}").format(error=error), markup=False)
            return None

    # -- intents ------------------------------------------------------------------------------------------------------

    async def carry(self, kind: str, d: Mapping[str, Any], word: str = "", more: str = "") -> str | None:
        """Hand an intent to the hub; what it warns of is shown, and goes on if the arbiter says so.

        None when it is done, else the sentence why not; "" when he said no. Level 4 is asked once, with a typed word:
        the hub's second step has the same words and goes by itself.
        """
        answer = await self.client.intend(kind, **d, by=self.by)
        seen: object = None
        for _step in range(MOST_STEPS):
            told = answer.d if isinstance(answer.d, dict) else {}
            if answer.ok or not told.get("token"):
                break
            warnings = [(str(w.get("words", "")), str(w.get("article", ""))) for w in told.get("warnings", ())]
            if warnings != seen:
                level = int(told.get("level", 3))
                question = str(told.get("question", ""))
                if level >= 4:
                    question = _("This goes into the report and cannot be taken out of it.")
                said = " ".join(words for words, _article in warnings)
                rest = "\n".join(line for line in more.splitlines() if line not in said)
                shown = Warned(level, warnings, question, rest, word or _("yes"))
                if not await self.push_screen_wait(shown):
                    return ""
                seen = warnings
            answer = await self.client.intend(kind, **d, by=self.by, confirm=told["token"])
        return None if answer.ok else answer.why or _("The hub refused this without a reason.")

    async def carry_all(self, intents: Iterable[tuple[str, Values]], form: Form) -> str | None:
        """Several intents one after the other; the first that is not done ends it."""
        for kind, d in intents:
            more = ""
            if form.preview:
                told = await self._preview(form.preview, d)
                if isinstance(told, str):
                    return told
                more = correction_words(told)
                if told.reach == "free" and not await self.push_screen_wait(Ask(more)):
                    return ""
            why = await self.carry(kind, d, form.word, more)
            if why is not None:
                return why
        return None

    async def _preview(self, question: str, d: Values) -> CorrectionView | str:
        answer = await self.client.intend(question, **d, by=self.by)
        told = self._read(answer.d, CorrectionView) if answer.ok and answer.d is not None else None
        return told if told is not None else answer.why or _("The hub does not say what this would do.")

    async def intend(self, kind: str, done: str = "", /, **d: Any) -> Answered:
        """A plain intent or question; a refusal is shown as its sentence, success as `done`."""
        answer = await self.client.intend(kind, **(d | {"by": self.by}))
        if not answer.ok:
            self.refused(answer.why or _("The hub refused this without a reason."))
        elif done:
            self.notify(done, timeout=3, markup=False)
        return answer

    def refused(self, why: str) -> None:
        """The hub's sentence, where no form stands that could show it."""
        self.notify(why, title=_("Not done"), severity="warning", timeout=12, markup=False)

    # -- forms --------------------------------------------------------------------------------------------------------

    def open_form(self, act: Action, form: Form, c: Context, basis: Callable[[], object] | None = None) -> None:
        """Ask what the form asks, and carry it out. A form without lines is one question."""
        title = form.title.format_map(words(c))
        about = form.about(c)
        fields = form.lines(c)
        basis = basis or self.basis_of(act, c)

        async def send(values: Values) -> str | None:
            if form.intent.startswith("hand:"):
                return self._by_hand(form.intent.removeprefix("hand:"), values)
            try:
                intents = await asyncio.to_thread(form.intents, values, c) if form.slow else form.intents(values, c)
            except (OSError, ValueError) as error:
                return str(error)
            why = await self.carry_all(intents, form)
            if why is None:
                if form.done:
                    self.notify(form.done.format_map(words(c, values)), timeout=4, markup=False)
                self.call_later(self.after_intent, form.after)
            return why

        if fields:
            self.push_screen(FormDialog(title, about, fields, send, basis))
            return

        async def ask() -> None:
            why = await send({})
            if why:
                self.refused(why)

        def decided(yes: bool | None) -> None:
            if yes:
                self.run_worker(ask())

        again = act.keys.split(",")[0]
        self.push_screen(Ask(f"{title}\n{about}" if about else title, again, basis), decided)

    def _by_hand(self, how: str, values: Values) -> str | None:
        """A change of the round that is made by hand here; nothing of it is sent."""
        if self.hand is None:
            return _("The round is not open for pairing by hand any more.")
        change: Callable[..., HandMade] = getattr(self.hand, how)
        self.hand = change(*values.values())
        self.repaint()
        return None

    @abstractmethod
    def after_intent(self, after: str) -> None:
        """Something was done: pages that live on the hub's answers ask again, then `after`."""

    def look_at_dialogs(self) -> None:
        """Questions that rest on what has changed close, forms say so."""
        for screen in tuple(self.screen_stack):
            if isinstance(screen, Dialog) and screen.is_mounted:
                with contextlib.suppress(LookupError):
                    screen.look()


def correction_words(told: CorrectionView) -> str:
    """What a correction would do, in lines."""
    lines = [told.words]
    if told.before or told.after:
        lines.insert(0, _("{before} becomes {after}").format(before=told.before or "-", after=told.after))
    if told.kept:
        rounds = ", ".join(map(str, told.kept))
        lines.append(_("Pairings that stay as they are: round {rounds}").format(rounds=rounds))
    if told.restated:
        rounds = ", ".join(map(str, told.restated))
        lines.append(_("Standings worked out again: after round {rounds}").format(rounds=rounds))
    for moved in told.moved[:MOST_MOVED]:
        (rank, now), (had, has) = moved.get("rank", (0, 0)), moved.get("points", ("", ""))
        line = _("{name}: place {now} (was {rank}), {has} points (was {had})")
        lines.append(line.format(name=moved.get("name", ""), now=now, rank=rank, has=has, had=had))
    if len(told.moved) > MOST_MOVED:
        lines.append(_("and {count} more").format(count=len(told.moved) - MOST_MOVED))
    return "\n".join(lines)
