"""Board cases of the kind `moves`: board events and presses, played to the observer in virtual time.

The program sees what its sensor would report: no hidden events, no letters on an occupancy board. The harness keeps the
real board beside it, to say at the end whether it agrees with the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any

import chess

from kiosk.replay_board_case import CaseError, Json, integer, items, mapping, text, timed
from rules.laws.observer_alerts import Alert
from rules.laws.observer_sight import UNKNOWN, Sight
from rules.laws.observer_watch import Output, Policy, Shown, Watch

#: What a table is told about the way its board lies.
ORIENTATIONS = {"normal": False, "rotated": True, "unknown": None}
VARIANTS = ("standard", "chess960")


class RealBoard:
    """The pieces as they really stand, in the game's squares; pieces without a letter are carried along."""

    def __init__(self, placement: str | None, rotated: bool) -> None:
        self.squares: dict[chess.Square, str] = {}
        self._rotated = rotated
        self._hand: list[str] = []
        if placement is not None:
            self.set_up(placement)

    def square(self, name: str) -> chess.Square:
        """The game's square for a square of the board; raises `CaseError`."""
        if name not in chess.SQUARE_NAMES:
            raise CaseError(_("{name} is no square; write a1 to h8").format(name=repr(name)))
        square = chess.parse_square(name)
        return 63 - square if self._rotated else square

    def set_up(self, placement: str, raw: bool = False) -> None:
        """Puts the pieces as in a FEN placement; `raw` in the board's own squares."""
        pieces = board_of(placement).piece_map()
        turn = raw and self._rotated
        self.squares = {63 - square if turn else square: piece.symbol() for square, piece in pieces.items()}

    def lift(self, square: chess.Square) -> None:
        """Takes the piece off a square into the hand."""
        if square in self.squares:
            self._hand.append(self.squares.pop(square))

    def place(self, square: chess.Square, letter: str | None) -> None:
        """Puts a piece down; without a letter the one lifted last."""
        if letter is None:
            letter = self._hand.pop() if self._hand else UNKNOWN
        elif letter in self._hand:
            self._hand.remove(letter)
        self.squares[square] = letter

    def agrees(self, record: chess.Board) -> bool:
        """Whether the pieces stand as in the record."""
        pieces = {square: piece.symbol() for square, piece in record.piece_map().items()}
        return self.squares.keys() == pieces.keys() and all(
            letter in (UNKNOWN, pieces[square]) for square, letter in self.squares.items()
        )


def board_of(placement: str) -> chess.BaseBoard:
    """A board from the first field of a FEN; raises `CaseError`."""
    try:
        return chess.BaseBoard(placement.split()[0])
    except (ValueError, IndexError) as error:
        raise CaseError(_("{placement} is no placement: {error}").format(placement=placement, error=error)) from None


def answer(case: Mapping[str, Any]) -> Json:
    """Plays the case; the answer has every key that a moves case can expect."""
    return _Play(case).run()


class _Play:
    def __init__(self, case: Mapping[str, Any]) -> None:
        self.sensor: Any = case.get("sensor", "identified")
        if self.sensor not in ("identified", "occupancy"):
            raise CaseError(_("sensor is {value}; write identified or occupancy").format(value=repr(self.sensor)))
        self.record = record_of(case)
        self.real = RealBoard(
            str(case["start_truth"]) if case.get("start_truth") else (self.record.board_fen() if self.record else None),
            bool(case.get("truth_rotated")),
        )
        orientation = case.get("orientation", "normal")
        if not isinstance(orientation, str) or orientation not in ORIENTATIONS:
            raise CaseError(_("orientation is {value}; write normal, rotated or unknown").format(value=orientation))
        policy = policy_of(mapping(case.get("policy", {}), "policy"))
        self.watch = Watch(self.sensor, self.record, policy, ORIENTATIONS[orientation])
        self.events = timed(case)
        self.never = [str(code) for code in items(mapping(case.get("expect", {}), "expect").get("never", []), "never")]
        self.outputs: list[Output] = []

    def run(self) -> Json:
        do: dict[str, Callable[[int, Mapping[str, Any]], list[Output]]] = {
            "lift": self._lift,
            "place": self._place,
            "unseen_replace": self._place,
            "press": lambda t, event: self.watch.press(t, _side(event)),
            "answer": lambda t, event: self.watch.answer(t, text(event, "ask"), event.get("value")),
            "link": lambda t, event: self.watch.link(t, _is_up(event)),
            "snapshot": self._snapshot,
            "end": lambda t, event: self.watch.at(t),
        }
        for number, event in enumerate(self.events, 1):
            kind = text(event, "e")
            if kind not in do:
                raise CaseError(
                    _("event {number}: {kind} is unknown; known are {kinds}").format(
                        number=number, kind=kind, kinds=", ".join(do)
                    ),
                    event,
                )
            try:
                self.outputs += do[kind](integer(event, "t"), event)
            except CaseError as error:
                raise CaseError(str(error), event) from None
        return self._answer()

    def _lift(self, t: int, event: Mapping[str, Any]) -> list[Output]:
        name = text(event, "sq")
        self.real.lift(self.real.square(name))
        return [] if event.get("hidden") else self.watch.lift(t, chess.parse_square(name))

    def _place(self, t: int, event: Mapping[str, Any]) -> list[Output]:
        name, letter = text(event, "sq"), event.get("p")
        truth = event.get("truth", letter)
        self.real.place(self.real.square(name), str(truth) if truth else None)
        if event.get("hidden"):
            return []
        seen = str(letter) if letter and self.sensor == "identified" else UNKNOWN
        try:
            return self.watch.place(t, chess.parse_square(name), seen)
        except ValueError:
            raise CaseError(_("{letter} is no piece; write one of PNBRQKpnbrqk").format(letter=seen)) from None

    def _snapshot(self, t: int, event: Mapping[str, Any]) -> list[Output]:
        truth = event.get("truth_board", event.get("board"))
        if truth is not None:
            self.real.set_up(str(truth), raw=True)
        if event.get("hidden"):
            return []
        if self.sensor == "identified":
            return self.watch.show(t, Sight.of(board_of(text(event, "board")), self.sensor))
        occupied = event.get("occ")
        mask = mask_of(occupied) if occupied is not None else board_of(text(event, "board")).occupied
        return self.watch.show(t, Sight(mask))

    def _answer(self) -> Json:
        record = self.watch.record
        alerts = [output for output in self.outputs if isinstance(output, Alert)]
        raised = {alert.code for alert in alerts}
        results = [output.result for output in self.outputs if isinstance(output, Shown)]
        moves, uci = written(record) if record is not None else ([], [])
        return {
            "moves": moves,
            "uci": uci,
            "final_fen": record.fen() if record is not None else None,
            "result": self.watch.result or (results[0] if results else None),
            "alerts": [_alert(alert) for alert in alerts],
            "never": [code for code in self.never if code not in raised],
            "board_agrees": record is None or self.real.agrees(record),
        }


def written(record: chess.Board) -> tuple[list[str], list[str]]:
    """The record's moves in SAN and in UCI."""
    board, san, uci = record.root(), [], []
    for move in record.move_stack:
        san.append(board.san(move))
        uci.append(board.uci(move))
        board.push(move)
    return san, uci


def record_of(case: Mapping[str, Any]) -> chess.Board | None:
    """The position that the program knows before the first event; raises `CaseError`."""
    fen = case.get("start_fen")
    variant = case.get("variant", "standard")
    if variant not in VARIANTS:
        raise CaseError(_("variant is {value}; write standard or chess960").format(value=repr(variant)))
    if fen is None:
        return None
    try:
        return chess.Board(str(fen), chess960=variant == "chess960")
    except ValueError as error:
        raise CaseError(_("start_fen is no FEN: {error}").format(error=error)) from None


def policy_of(given: Mapping[str, Any]) -> Policy:
    """The table's settings; raises `CaseError`."""
    commit = given.get("commit", "press")
    if commit not in ("press", "settle"):
        raise CaseError(_("policy.commit is {value}; write press or settle").format(value=repr(commit)))
    names = ("settle_ms", "illegal_alert_ms", "press_grace_ms")
    usual = Policy()
    times = [integer(given, name, int(getattr(usual, name))) for name in names]
    if min(times) < 0:
        raise CaseError(_("the policy has a time below 0; write 0 or more"), given)
    return Policy(commit, *times)


def mask_of(occupied: object) -> int:
    """64 squares as a hexadecimal mask, a1 lowest; raises `CaseError`."""
    try:
        mask = int(str(occupied), 16)
    except ValueError:
        mask = -1
    if not 0 <= mask < 1 << 64:
        raise CaseError(_("occ is {value}; write 16 hexadecimal digits").format(value=repr(occupied)))
    return mask


def _side(event: Mapping[str, Any]) -> Any:
    side = event.get("side")
    if side not in ("white", "black"):
        raise CaseError(_("side is {value}; write white or black").format(value=repr(side)))
    return side


def _is_up(event: Mapping[str, Any]) -> bool:
    state = text(event, "state")
    if state not in ("up", "down"):
        raise CaseError(_("state is {value}; write up or down").format(value=repr(state)))
    return state == "up"


def _alert(alert: Alert) -> Json:
    """An alert as in a case; `from_t` is when the program raised it."""
    found: Json = {
        "side": alert.side,
        "sq": list(alert.squares) or None,
        "plies": alert.plies,
        "value": alert.rotated,
        "result": alert.result,
    }
    told = {key: value for key, value in found.items() if value is not None}
    return {**told, "from_t": alert.t, "code": alert.code}
