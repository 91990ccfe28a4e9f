"""The arbiter's book as plain values for the desks: what a correction touches, what can be undone, what was noted."""

from __future__ import annotations

from dataclasses import asdict
from gettext import gettext as _
from typing import Any

from kiosk.hub.act import Refused
from kiosk.hub.lists_view import told_lists, told_player
from rules.tiebreaks.values import in_points
from rules.tournament.book_intents import CorrectResult
from rules.tournament.check_list import check_list
from rules.tournament.corrections import Correction, preview, result_text
from rules.tournament.decide_entries import half_byes_of, missing_players
from rules.tournament.decide_undo import step_name
from rules.tournament.events import Pair
from rules.tournament.integrity import remarks, renamed_note
from rules.tournament.intents import Refusal
from rules.tournament.levels import QUESTIONS, WARNINGS
from rules.tournament.state import Round, TournamentState


def told_refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    """What a refusal says besides its sentence; None if nothing."""
    if refusal is None:
        return None
    if refusal.warnings:
        return {
            "level": refusal.level,
            "token": refusal.token,
            "question": QUESTIONS[refusal.level](),
            "warnings": [
                {"key": w.key, "level": w.level, "words": w.words, "article": w.article} for w in refusal.warnings
            ],
        }
    return {"saw": refusal.saw, "now": refusal.now} if refusal.saw or refusal.now else None


def told_correction(state: TournamentState, intent: CorrectResult) -> dict[str, Any]:
    """What a correction would touch. Raises `Refused` when there is no result to correct."""
    found = state.round(intent.round)
    if found is None or intent.board not in found.results:
        raise Refused(
            _("Board {board} of round {round} has no result to correct: set it.").format(
                board=intent.board, round=intent.round
            )
        )
    told: Correction = preview(state, intent)
    return {
        "reach": told.reach,
        "before": told.before,
        "after": told.after,
        "kept": list(told.kept),
        "restated": list(told.restated),
        "next_round": told.next_round,
        "words": told.words,
        "moved": [
            {
                "tpn": m.tpn,
                "name": state.entries[m.tpn].name,
                "rank": [m.rank_before, m.rank_after],
                "points": [in_points(m.half_points_before), in_points(m.half_points_after)],
            }
            for m in told.moved
        ],
    }


def told_book(state: TournamentState, day: str = "9999/12/31") -> dict[str, Any]:
    """The book: everything an arbiter may want to look at that is on no other page. `day` is today, "YYYY/MM/DD"."""
    return {
        **told_lists(state, day),
        "regulations": asdict(state.regulations) if state.regulations is not None else None,
        "fide_mode": state.fide_mode,
        "fide_exit": asdict(state.fide_exit) if state.fide_exit is not None else None,
        "remarks": list(remarks(state)),
        "notes": [asdict(renamed_note(note, lambda tpn: _called(state, tpn))) for note in state.notes],
        "undo": [_step(state, n) for n in range(len(state.steps) - 1, -1, -1)],
        "redo": [{"act": s.act, "what": step_name(s), "by": s.by, "at": s.at} for s in reversed(state.undone)],
        "manual": state.manual,
        "checks": list(check_list(state)),
        "check_in": state.check_in,
        "missing": list(missing_players(state)) if state.check_in == "open" else [],
        "players": [_player(state, tpn) | told_player(state, tpn, day) for tpn in state.entries],
        "byes": {str(n): {str(tpn): kind for tpn, kind in given.items()} for n, given in state.byes.items() if given},
        "adjourned": [asdict(game) for game in state.adjourned],
        "forbidden": [asdict(rule) for rule in state.forbidden],
        "lots": {what: asdict(lot) for what, lot in state.lots.items()},
        "old_sheets": [
            {"round": number, "rev": sheet.rev, "checksum": sheet.checksum}
            for number, sheets in sorted(state.old_sheets.items())
            for sheet in sheets
        ],
        "warnings": {key: {"level": kind.level, "article": kind.article} for key, kind in WARNINGS.items()},
    }


def told_sheet(state: TournamentState, number: int) -> dict[str, Any]:
    """One round as its sheet stands; number 0: the draft, else the latest. Raises `Refused` without such a round."""
    newest = state.draft or state.current_round
    if not number and newest is None:
        return {"latest": 0}
    draft = state.draft if state.draft is not None and number in (0, state.draft.number) else None
    found = draft or state.round(number or len(state.rounds))
    if found is None or newest is None:
        raise Refused(_("Round {round} is not paired yet.").format(round=number))
    return {
        "round": found.number,
        "latest": newest.number,
        "rev": found.rev,
        "checksum": found.checksum,
        "started": found.started,
        "sealed": found.sealed,
        "manual": found.manual,
        "pairs": [_board(found, pair) for pair in found.pairs],
        "bye": found.bye or 0,
        "byes": {str(tpn): kind for tpn, kind in found.byes.items()},
        "reasons": list(found.reasons),
        "differences": list(found.differences),
    }


def _board(sheet: Round, pair: Pair) -> dict[str, Any]:
    result = sheet.results.get(pair.board)
    report = sheet.report.get(pair.board)
    told: dict[str, Any] = {
        "board": pair.board,
        "white": pair.white,
        "black": pair.black,
        "table": sheet.tables.get(pair.board, ""),
        "code": result_text(sheet, pair.board),
        "adjourned": pair.board in sheet.adjourned and result is None,
    }
    if result is not None:
        told |= {"why": result.why, "by": result.by}
    if report is not None:
        told["reported"] = report.score
    return told


def _called(state: TournamentState, tpn: int) -> str:
    """A player for people: name and number."""
    return f"{state.entries[tpn].name} ({tpn})" if tpn in state.entries else str(tpn)


def _step(state: TournamentState, index: int) -> dict[str, Any]:
    step = state.steps[index]
    return {"act": step.act, "what": step_name(step), "by": step.by, "at": step.at}


def _player(state: TournamentState, tpn: int) -> dict[str, Any]:
    return {
        **asdict(state.entries[tpn]),
        "status": state.status(tpn),
        "half_byes": list(half_byes_of(state, tpn)),
        "no_half_bye": tpn in state.no_half_bye,
        "first_round": state.joined.get(tpn, 1),
        "checked_in": tpn in state.checked_in,
    }
