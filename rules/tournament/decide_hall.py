"""Decisions about what goes on beside the chess: calls, orders to tables, devices, hub processes."""

from __future__ import annotations

from gettext import gettext as _

from rules.tournament.asking import Ask, Events
from rules.tournament.events import CallClosed, CallOpened, DeviceEnrolled, HubOpened, OrderConfirmed, Ordered
from rules.tournament.intents import CloseCall, ConfirmOrder, Enrol, OpenCall, OpenHub, Order, Refusal


def open_call(ask: Ask, intent: OpenCall) -> Events | Refusal:
    if intent.id in ask.state.calls or intent.id in ask.state.calls_closed:
        return ()
    return (CallOpened(ask.at, intent.id, intent.round, intent.board, intent.kind, intent.side, intent.why),)


def close_call(ask: Ask, intent: CloseCall) -> Events | Refusal:
    if intent.id in ask.state.calls_closed and intent.id not in ask.state.calls:
        return ()
    if intent.id not in ask.state.calls:
        return Refusal(_("There is no open call {id}.").format(id=intent.id))
    return (CallClosed(ask.at, intent.id, intent.ruling, ask.by),)


def enrol(ask: Ask, intent: Enrol) -> Events | Refusal:
    device = ask.state.devices.get(intent.table)
    if device is None:
        return (DeviceEnrolled(ask.at, intent.table, 1, intent.instance, intent.why),)
    if device.instance == intent.instance:
        return ()
    if not intent.replace:
        return Refusal(
            _("Table {table} is held by another device. The arbiter must say that this one replaces it.").format(
                table=intent.table
            )
        )
    return (DeviceEnrolled(ask.at, intent.table, device.epoch + 1, intent.instance, intent.why),)


def open_hub(ask: Ask, intent: OpenHub) -> Events | Refusal:
    return (HubOpened(ask.at, ask.state.incarnation + 1, intent.boot),)


def order(ask: Ask, intent: Order) -> Events | Refusal:
    if intent.id in ask.state.orders or intent.id in ask.state.orders_done:
        return ()
    return (Ordered(ask.at, intent.id, intent.table, intent.game, intent.kind, intent.data, ask.by),)


def confirm_order(ask: Ask, intent: ConfirmOrder) -> Events | Refusal:
    # An order that is not open was confirmed before, perhaps rounds ago: a table may well say so twice.
    is_open = intent.id in ask.state.orders
    return (OrderConfirmed(ask.at, intent.id, intent.ok, intent.why),) if is_open else ()
