"""A finished (or running) event as files: the rating report, the games, the standings. The same log, the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from hallnet.hall_log import HallLog
from kiosk.hub.duties import player
from kiosk.hub.hall import Hall, read_hall
from kiosk.hub.prizes_view import prizes_json, prizes_text
from rules.interchange.pgn import write_game
from rules.interchange.trf import Absence, Cell, PointSystem, TrfEvent, TrfPlayer, write_trf16
from rules.interchange.trf_model import UNKNOWN_RESULT, Abnormal, Acceleration, Forbidden, ForeignLine
from rules.interchange.trf_national import NationalRating, national_line
from rules.interchange.trf_writer import write_trf26
from rules.laws import time_control
from rules.laws.game_notation import Notation, notation
from rules.laws.game_state import GameState
from rules.pairing.baku import virtual_points
from rules.tiebreaks.crosstable import in_points
from rules.tournament.book_events import ReportCorrected
from rules.tournament.events import Pair, Regulations, Resulted
from rules.tournament.integrity import remarks
from rules.tournament.report_lines import state_lines
from rules.tournament.results import code_of
from rules.tournament.standings import Standing, standings
from rules.tournament.state import Round, TournamentState

#: `Regulations.system` → (record 092, record 192).
_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "dutch": ("Individual: Swiss-System", "FIDE_DUTCH_{edition}"),
    "berger": ("Individual: Round-Robin", "BERGER_ROUNDROBIN"),
}
_DOUBLE = ("Individual: Double Round-Robin", "BERGER_DOUBLEROUNDROBIN")
#: What ended a game → the value of PGN's Termination tag (PGN 9.8.1); everything else is "normal".
_TERMINATIONS: Mapping[str, str] = {
    "flag": "time forfeit",
    "illegal-move": "rules infraction",
    "ruling": "adjudication",
    "default": "abandoned",
}


def export(hall_log: HallLog, folder: Path) -> dict[str, Path]:
    """Write `event.trf`, `event.trf26`, `games.pgn` and `standings.json` into a folder; their paths by name.

    With prizes in the regulations also `prizes.json`, and `prizes.txt` to be printed.

    Raises `OSError` when the folder cannot be written.
    """
    hall = read_hall(hall_log)
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    prizes = hall.state.regulations is not None and bool(hall.state.regulations.prizes)
    for name, data in (
        ("event.trf", event_trf(hall.state)),
        ("event.trf26", event_trf26(hall.state)),
        ("games.pgn", games_pgn(hall).encode("utf-8")),
        ("standings.json", standings_json(hall.state).encode("utf-8")),
        *((("prizes.json", prizes_json(hall.state).encode("utf-8")),) if prizes else ()),
        *((("prizes.txt", prizes_text(hall.state).encode("utf-8")),) if prizes else ()),
    ):
        path = folder / name
        path.write_bytes(data)
        written[name] = path
    return written


def export_copy(copy: Path, folder: Path) -> None:
    """The event's files from a copy of its log, while the hub goes on with the log itself.

    Raises `OSError` and `StoreError` when they cannot be written or the copy cannot be read.
    """
    hall_log = HallLog.open(copy)
    try:
        export(hall_log, folder)
    finally:
        hall_log.close()


# -- the rating report ------------------------------------------------------------------------------------------------


def event_trf(state: TournamentState) -> bytes:
    """The event as a TRF16 report with the TRF26 records. Raises `ValueError` when it has no regulations."""
    return write_trf16(_report(state))


def event_trf26(state: TournamentState) -> bytes:
    """The event as a TRF26 report that says all it can: the final one when the event is over, else an interim one.

    Adjourned games are told as "?", national ratings in lines of their own. Raises `ValueError` as `event_trf` does.
    """
    report = _report(state)
    regulations = _regulations(state)
    federation = regulations.federation.strip().upper()
    has_federation = len(federation) == 3 and federation.isalpha()
    order = tuple(code for code in regulations.tie_breaks if code.upper() != "PTS")
    full = replace(
        report,
        players=tuple(_with_adjourned(state, row) for row in report.players),
        rating_basis=f"{federation} {regulations.ranking}" if has_federation else "",
        standing_order=("PTS", *order),
        foreign=_national(state, federation) if has_federation else (),
    )
    return write_trf26(full, final=state.finished)


def _report(state: TournamentState) -> TrfEvent:
    """What both forms say."""
    regulations = _regulations(state)
    order = {place.tpn: place for place in standings(state)}
    kind, system = _SYSTEMS[regulations.system]
    if regulations.cycles > 1:
        kind, system = _DOUBLE
    control = time_control.parse(regulations.control)
    days = round_dates(regulations)
    baku = "_BAKU" if regulations.acceleration == "baku" else ""
    report = TrfEvent(
        players=tuple(_player(state, tpn, order[tpn]) for tpn in sorted(state.entries)),
        name=regulations.name,
        city=regulations.city,
        federation=regulations.federation,
        start=days[0],
        end=regulations.end_date or days[-1],
        kind=kind,
        arbiter=regulations.arbiter,
        deputies=regulations.deputies,
        control=time_control.format_fide(control),
        round_dates=days[: len(state.rounds)],
        rounds=regulations.rounds,
        initial_colour=regulations.initial_colour,
        point_system=_points(regulations),
        paired_by="hallkiosk",
        system=system.format(edition=regulations.pairing_edition) + baku,
        tie_breaks=tuple(code for code in regulations.tie_breaks if code.upper() != "PTS"),
        coded_control=time_control.format_trf222(control),
        absences=_absences(state),
        accelerations=_accelerations(state),
        forbidden=tuple(
            Forbidden(rule.players, rule.first_round, rule.last_round or regulations.rounds) for rule in state.forbidden
        ),
        comments=(*remarks(state), *state_lines(state)),
    )
    return replace(report, abnormal=_corrected_scores(report))


def _accelerations(state: TournamentState) -> tuple[Acceleration, ...]:
    """Record 250: the virtual points of group A, which is fixed with round 1 (C.04.7)."""
    regulations = _regulations(state)
    if regulations.acceleration != "baku" or not state.group_a:
        return ()
    spans: dict[int, list[int]] = {}
    for number, points in enumerate(virtual_points(regulations.rounds, regulations.win_half_points), 1):
        spans.setdefault(points, []).append(number)
    return tuple(Acceleration(points, span[0], span[-1], 1, state.group_a) for points, span in spans.items())


def _with_adjourned(state: TournamentState, row: TrfPlayer) -> TrfPlayer:
    """A player's line with "?" for games that are adjourned."""
    cells = list(row.cells)
    for game in state.adjourned:
        pair = state.rounds[game.round - 1].pair(game.board)
        if pair is not None and row.start_rank in (pair.white, pair.black):
            cells[game.round - 1] = replace(cells[game.round - 1], result=UNKNOWN_RESULT)
    return replace(row, cells=tuple(cells))


def _corrected_scores(event: TrfEvent) -> tuple[Abnormal, ...]:
    """Record 299 for scores that stand although a result was put right for the report only (C.04.2 4.3)."""
    differences: dict[int, list[int]] = {}
    for row in event.players:
        known = (replace(cell, result="") if cell.open else cell for cell in row.cells)
        difference = (row.points or 0) - sum(map(event.point_system.value, known))
        if difference:
            differences.setdefault(difference, []).append(row.start_rank)
    return tuple(Abnormal("", points, 0, tuple(ids)) for points, ids in sorted(differences.items()))


def _national(state: TournamentState, federation: str) -> tuple[ForeignLine, ...]:
    return tuple(
        national_line(NationalRating(federation, e.tpn, e.national_rating, e.name, e.sex, birth=e.birth))
        for e in state.entries.values()
        if e.national_rating
    )


def round_dates(regulations: Regulations) -> tuple[str, ...]:
    """The day of each planned round, "YYYY/MM/DD": spread evenly from the first day to the last.

    Without dates in the regulations all rounds are on one day that comes from the seed, so that files of rehearsals are
    the same on any day.
    """
    if regulations.start_date:
        first = _day(regulations.start_date)
        last = _day(regulations.end_date) if regulations.end_date else first
    else:
        first = last = date(2026, 1, 1) + timedelta(days=random.Random(f"day {regulations.seed}").randrange(365))
    span, gaps = max(0, (last - first).days), max(1, regulations.rounds - 1)
    days = (first + timedelta(days=span * n // gaps) for n in range(regulations.rounds))
    return tuple(day.strftime("%Y/%m/%d") for day in days)


def _day(text: str) -> date:
    return date.fromisoformat(text.replace("/", "-"))


def _regulations(state: TournamentState) -> Regulations:
    if state.regulations is None:
        raise ValueError("the event has no regulations")
    return state.regulations


def _player(state: TournamentState, tpn: int, place: Standing) -> TrfPlayer:
    entry = state.entries[tpn]
    return TrfPlayer(
        start_rank=tpn,
        name=entry.name,
        sex=entry.sex,
        title=entry.title,
        rating=entry.rating,
        federation=entry.federation,
        fide_id=entry.fide_id,
        birth=entry.birth,
        points=state.score_half_points(tpn, len(state.rounds)),
        rank=place.rank,
        cells=tuple(_cell(state, sheet, tpn) for sheet in state.rounds),
    )


def _cell(state: TournamentState, sheet: Round, tpn: int) -> Cell:
    pair = sheet.pair_of(tpn)
    if pair is not None:
        return _game_cell(pair, tpn, sheet.results.get(pair.board), sheet.report.get(pair.board))
    if tpn == sheet.bye and not state.is_round_robin:
        return Cell(0, "-", "U")
    # The free round of a round robin is worth nothing; only a Swiss has a pairing-allocated bye.
    return Cell(0, "-", sheet.byes.get(tpn, "Z"))


def _game_cell(pair: Pair, tpn: int, result: Resulted | None, report: ReportCorrected | None) -> Cell:
    """One side of a board; an error found too late is right here, though not in the standings (C.04.2 4.3)."""
    is_white = tpn == pair.white
    opponent = pair.black if is_white else pair.white
    if report is not None:
        is_white = is_white != report.swapped
        code = code_of(report.score, report.forfeit, report.rated)
    else:
        code = code_of(result.score, result.source == "forfeit", result.rated) if result is not None else None
    colour: Literal["w", "b"] = "w" if is_white else "b"
    return Cell(opponent, colour, code.letters[0 if is_white else 1] if code is not None else "")


def _points(regulations: Regulations) -> PointSystem:
    return PointSystem(
        win=regulations.win_half_points,
        draw=regulations.draw_half_points,
        loss=regulations.loss_half_points,
        forfeit_win=regulations.win_half_points,
        pab=regulations.pab_half_points,
        full_bye=regulations.win_half_points,
        half_bye=regulations.draw_half_points,
        unknown=regulations.draw_half_points,
    )


def _absences(state: TournamentState) -> tuple[Absence, ...]:
    """Record 240: byes that were announced for rounds not public yet, and who has left for all that is to come."""
    rows = []
    # In a round robin nobody is left out of the table; games of those who left are forfeited.
    rounds = 0 if state.is_round_robin else _regulations(state).rounds
    for number in range(len(state.rounds) + 1, rounds + 1):
        away = state.absent(number)
        for kind in ("F", "H", "Z"):
            ids = tuple(sorted(tpn for tpn, given in away.items() if given == kind))
            if ids:
                rows.append(Absence(kind, number, ids))
    return tuple(rows)


# -- games ------------------------------------------------------------------------------------------------------------


def games_pgn(hall: Hall) -> str:
    """All games that were played, by round and board, with clocks after each move."""
    regulations = _regulations(hall.state)
    days = round_dates(regulations)
    parts = []
    for sheet in hall.state.rounds:
        if not sheet.tables:
            continue  # a round from a report: its games were played elsewhere, and nobody here knows them
        for pair in sheet.pairs:
            result = sheet.results.get(pair.board)
            game = hall.game(sheet.number, pair.board)
            played = game is not None and bool(game.plies)
            if played or (result is not None and result.source != "forfeit"):
                parts.append(_pgn(hall.state, sheet, pair, days[sheet.number - 1], game))
    return "".join(parts)


def round_pgn(state: TournamentState, number: int, games: Mapping[int, GameState]) -> str:
    """The games of one round as far as they are given, by board."""
    sheet = state.round(number)
    if sheet is None:
        return ""
    day = round_dates(_regulations(state))[number - 1]
    return "".join(_pgn(state, sheet, pair, day, games[pair.board]) for pair in sheet.pairs if pair.board in games)


def _pgn(state: TournamentState, sheet: Round, pair: Pair, day: str, game: GameState | None) -> str:
    regulations = _regulations(state)
    result = sheet.results.get(pair.board)
    headers = {
        "Event": regulations.name,
        "Site": regulations.city or "?",
        "Date": day.replace("/", "."),
        "Round": f"{sheet.number}.{pair.board}",
        "Board": str(pair.board),
        "Termination": _termination(result, game),
        "TimeControl": time_control.format_pgn(time_control.parse(regulations.control)),
    }
    for side, tpn in zip(("White", "Black"), _colours(pair, game, result), strict=True):
        who, entry = player(state, tpn), state.entries.get(tpn)
        headers[side] = who.name
        headers |= {f"{side}Elo": str(who.rating)} if who.rating else {}
        headers |= {f"{side}Title": who.title} if who.title else {}
        headers |= {f"{side}FideId": str(entry.fide_id)} if entry is not None and entry.fide_id else {}
    score = result.score if result is not None else "*"
    read = notation(game) if game is not None else Notation()
    return write_game(headers, read.moves, read.clocks_ms, score, read.comments, read.start_fen)


def _colours(pair: Pair, game: GameState | None, result: Resulted | None) -> tuple[int, int]:
    """White and Black as on the sheet; while the game is played, as they sit: at the wrong colours perhaps (7.3)."""
    on_sheet = pair.white, pair.black
    if game is None or game.assignment is None or result is not None:
        return on_sheet
    as_played = game.assignment.white.tpn, game.assignment.black.tpn
    return as_played if set(as_played) == set(on_sheet) else on_sheet


def _termination(result: Resulted | None, game: GameState | None) -> str:
    if result is None:
        return "unterminated"
    if result.source == "forfeit":
        return "abandoned"
    by = game.ended_by if game is not None else None
    return _TERMINATIONS.get(by or ("ruling" if result.source == "ruling" else ""), "normal")


# -- standings --------------------------------------------------------------------------------------------------------


def standings_of(state: TournamentState) -> dict[str, Any]:
    """The standings after the last complete round, in the form of `hallkiosk standings --json`."""
    places = standings(state)
    return {
        "order": [place.tpn for place in places],
        "players": {
            str(place.tpn): {
                "rank": place.rank,
                "name": state.entries[place.tpn].name,
                "points": in_points(place.half_points),
                "values": {code: value or None for code, value in place.values.items()},
                "decided_by": place.decided_by,
                "reason": place.reason,
                **({"excluded": True} if place.excluded else {}),
            }
            for place in places
        },
    }


def standings_json(state: TournamentState) -> str:
    """`standings_of` as text."""
    return json.dumps(standings_of(state), ensure_ascii=False, indent=1) + "\n"
