"""More board cases, written as stories: `tests/data/board_variants/*.toml`, expanded to the files `replay board` reads.

A moves case has a `title`, a `story` and what must come of it; the other kinds are written as they are. In a story
numbers are ms; -e2 lifts, +e4P places (on an occupancy board the letter is for the reader), ~-e2 and ~+e4P are not
seen by the sensor, =FEN is a dump (=FEN|FEN: what is read, and what stands there), W and B press, down and up are the
link, promotion:n answers a question, . lets time pass. An alert is its earliest time, its code, and what it is about.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import chess

FOLDER = Path(__file__).parents[1] / "data" / "board_variants"
POLICY = {"commit": "press", "settle_ms": 300, "illegal_alert_ms": 3000, "press_grace_ms": 0, "takeback": "ask"}
NEVER = ["new_game"]
Case = dict[str, Any]


def cases() -> dict[str, Case]:
    """Every case of the folder by its id: file name, number, title."""
    found: dict[str, Case] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        for number, told in enumerate(tomllib.loads(path.read_text("utf-8"))["case"], 1):
            title = str(told["title"])
            name = f"{path.stem}-{number:03}-{'-'.join(title.lower().split())}"
            found[name] = moves_case(name, told) if "story" in told else {
                "format": "board-case/1", "id": name, "kind": path.stem, **_nulls(told)
            }  # fmt: skip
    return found


def _nulls(told: Any) -> Any:
    """TOML has no null: an empty text is one."""
    if isinstance(told, dict):
        return {key: _nulls(value) for key, value in told.items()}
    if isinstance(told, list):
        return [_nulls(value) for value in told]
    return None if told == "" else told


def moves_case(name: str, told: Case) -> Case:
    """The file of a story."""
    fen = told.get("fen", chess.STARTING_FEN) or None
    sensor = told.get("sensor", "identified")
    variant = "chess960" if told.get("chess960") else "standard"
    uci: list[str] = []
    final = None
    moves = str(told.get("moves", "")).split()
    if fen is not None:
        board = chess.Board(fen, chess960=variant == "chess960")
        for san in moves:
            move = board.parse_san(san)
            assert board.san(move) == san, (name, san, board.san(move))
            uci.append(board.uci(move))
            board.push(move)
        final = board.fen()
    return {
        "format": "board-case/1", "id": name, "kind": "moves", "title": told["title"], "sensor": sensor,
        "start_fen": fen, "variant": variant, "orientation": told.get("orientation", "normal"),
        **{key: told[key] for key in ("truth_rotated", "start_truth") if key in told},
        "policy": POLICY | told.get("policy", {}),
        "events": [event for t, word in _timed(told["story"]) for event in [_event(t, word, sensor)]],
        "expect": {
            "moves": moves, "uci": uci, "final_fen": final, "result": told.get("result") or None,
            "alerts": [_alert(line) for line in told.get("alerts", [])],
            "never": NEVER + told.get("never", "").split(),
            "board_agrees": told.get("agrees", True),
        },
    }  # fmt: skip


def _timed(story: str) -> list[tuple[int, str]]:
    t, found = 0, []
    for word in story.split():
        if word.isdigit():
            t = int(word)
        else:
            found.append((t, word))
    return found


def _event(t: int, word: str, sensor: str) -> Case:
    if word.startswith("~"):
        return {**_event(t, word[1:], sensor), "hidden": True}
    match word[0]:
        case "-":
            return {"t": t, "e": "lift", "sq": word[1:3]}
        case "+":
            letter = {"p" if sensor == "identified" else "truth": word[3:]} if word[3:] else {}
            return {"t": t, "e": "place", "sq": word[1:3], **letter}
        case "=":
            seen, _bar, truth = word[1:].partition("|")
            dump = {"truth_board": truth} if truth else {}
            if sensor == "identified":
                return {"t": t, "e": "snapshot", "board": seen, **dump}
            occupied = f"{chess.BaseBoard(seen).occupied:016x}"
            return {"t": t, "e": "snapshot", "occ": occupied, "truth_board": truth or seen}
        case "W" | "B":
            return {"t": t, "e": "press", "side": "white" if word == "W" else "black"}
        case ".":
            return {"t": t, "e": "end"}
    if word in ("down", "up"):
        return {"t": t, "e": "link", "state": word}
    ask, _colon, value = word.partition(":")
    return {"t": t, "e": "answer", "ask": ask, "value": value}


def _alert(line: str) -> Case:
    first, code, *about = line.split()
    alert: Case = {"from_t": int(first), "code": code}
    for word in about:
        if word in chess.SQUARE_NAMES:
            alert.setdefault("sq", []).append(word)
        elif word in ("white", "black"):
            alert["side"] = word
        elif word in ("1-0", "0-1", "1/2-1/2"):
            alert["result"] = word
        elif word in ("rotated", "normal"):
            alert["value"] = word == "rotated"
        else:
            alert["plies"] = int(word)
    return alert
