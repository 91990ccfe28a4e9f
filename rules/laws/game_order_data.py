"""What an order of the hub carries, read with a sentence for the desk when it does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext as _

from chess import SQUARE_NAMES

from rules.laws.events import Adjusted, Player, Resumed, Side
from rules.laws.game_state import GameState, fold
from rules.laws.sides import SIDES, side_words

Data = Mapping[str, object]


class Refused(Exception):
    """An order that cannot be carried out; the text is the sentence for the desk."""


def text_of(data: Data, key: str) -> str:
    """A text, "" without one."""
    value = data.get(key, "")
    return value if isinstance(value, str) else str(value)


def side_of_order(data: Data, key: str = "side") -> Side | None:
    """A side, None without one. Raises Refused for anything else."""
    value = data.get(key)
    if value in ("", None):
        return None
    if value not in SIDES:
        raise Refused(_("{value} is no side: white or black").format(value=value))
    return value


def squares_of(data: Data) -> tuple[str, ...]:
    """Squares with blanks or commas between, in the order of the board. Raises Refused for what is no square."""
    words = text_of(data, "squares").lower().replace(",", " ").split()
    for word in words:
        if word not in SQUARE_NAMES:
            raise Refused(_('"{word}" is no square: a1 to h8').format(word=word))
    return tuple(name for name in SQUARE_NAMES if name in words)


def ms_of(data: Data, key: str) -> int:
    """A time above zero in ms. Raises Refused for anything else, and when it is missing."""
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise Refused(_("{key} must be a number of milliseconds above zero").format(key=key))
    return value


def number_of(data: Data, key: str) -> int | None:
    """A number from 0 on, None without one. Raises Refused for anything else."""
    value = data.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Refused(_("{key} must be a whole number, not below zero").format(key=key))
    return value


def player_of_order(data: Data, side: Side) -> Player | None:
    """A player from `<side>_tpn`, `_name`, `_rating`, `_title` and `_federation`, None without a name."""
    name = text_of(data, f"{side}_name")
    if not name:
        return None
    tpn, rating = number_of(data, f"{side}_tpn") or 0, number_of(data, f"{side}_rating") or 0
    return Player(tpn, name, rating, text_of(data, f"{side}_title"), text_of(data, f"{side}_federation"))


def order_of_player(player: Player, side: Side) -> dict[str, str | int]:
    """What `player_of_order` reads."""
    return {
        f"{side}_tpn": player.tpn,
        f"{side}_name": player.name,
        f"{side}_rating": player.rating,
        f"{side}_title": player.title,
        f"{side}_federation": player.federation,
    }


def must_stand(state: GameState) -> None:
    """Raise Refused unless a game under way stands still."""
    if not state.under_way:
        raise Refused(_("no game is under way"))
    if state.phase == "playing":
        raise Refused(_("the clocks are running already"))
    if state.concluded:
        raise Refused(_("the claim has concluded the game (Guidelines III.6): rule on the result"))


def settable(state: GameState, event: Adjusted) -> Adjusted:
    """`event`, if the clock takes its values. Raises Refused."""
    after = fold(state, event).clock
    if after is None or after.refused is not None or after.frozen:
        raise Refused(_("the clock cannot be set to these times"))
    return event


def goes_on(state: GameState, event: Resumed) -> Resumed:
    """`event`, if a clock runs after it, and the one that should. Raises Refused."""
    side = event.side
    if side not in (None, state.turn) and not (state.plies and state.plies[-1].side == side):
        raise Refused(_("{side} has the move: that clock runs").format(side=side_words(state.turn)))
    if fold(state, event).running is None:
        raise Refused(_("a flag is down: set the clocks first, or rule on the game"))
    return event
