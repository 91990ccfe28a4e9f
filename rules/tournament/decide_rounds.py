"""Decisions about rounds: draft, by hand, public, taken back, started, sealed, and the end of the event."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext

from rules.laws.events import Score
from rules.pairing.berger import rounds_available
from rules.pairing.legality import LEGALITY, assert_complete
from rules.pairing.round_robin import still_to_meet, too_often
from rules.pairing.state import IllegalPairing, PairingAnswer
from rules.tournament.asking import Ask, Events, boards_in_words, no_reason, open_boards_sentence
from rules.tournament.book import Round, TournamentState, last_of_a
from rules.tournament.book_events import (
    Adjourned,
    BoardAdded,
    ByeKind,
    GroupFixed,
    ManualClosed,
    ManualOpened,
    SheetWithdrawn,
    UnpairedSet,
)
from rules.tournament.book_intents import AddBoard, CloseManual, MakeRound, OpenManual, SetUnpaired, WithdrawSheet
from rules.tournament.decide_lists import start_warnings
from rules.tournament.events import Finished, Paired, Published, Resulted, RoundSealed, Started
from rules.tournament.events import Pair as BoardPair
from rules.tournament.integrity import bye_text
from rules.tournament.intents import DropDraft, Finish, Pair, Publish, Refusal, Seal, Start
from rules.tournament.levels import Warned
from rules.tournament.manual import board_faults, bye_faults, compare, differences, robin_faults, round_faults, split


def checksum(event: str, sheet: Round, rev: int) -> str:
    """Twelve hex digits of the SHA-256 of the sheet's canonical text (one line per board; S-04, S-23)."""
    lines = [event, f"{sheet.number}.{rev}"]
    lines += [f"{p.board} {p.white}-{p.black}" for p in sheet.pairs]
    lines += [f"bye {sheet.bye}"] if sheet.bye is not None else []
    lines += [f"{kind} {tpn}" for tpn, kind in sorted(sheet.byes.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def unfinished(state: TournamentState) -> str:
    """Why the latest public round is not complete; "" when it is, or when there is none."""
    current = state.current_round
    if current is None:
        return ""
    if current.open_boards:
        return open_boards_sentence(current.number, current.open_boards)
    disputes = state.open_disputes(current.number)
    if disputes:
        return _("Round {round}: the result of board {boards} is disputed. Rule on it first.").format(
            round=current.number, boards=boards_in_words(sorted({call.board for call in disputes}))
        )
    return ""


# -- the draft --------------------------------------------------------------------------------------------------------


def _not_now(state: TournamentState) -> str:
    """Why no round can be made now, whoever makes it; "" when one can."""
    if state.regulations is None or not state.entries:
        return _("There are no entries yet. Enter the players first.")
    if state.finished:
        return _("The tournament is over.")
    number = state.next_round_to_pair
    if number is None:
        return _("All {rounds} rounds are paired.").format(rounds=state.regulations.rounds)
    if state.check_in == "open":
        return _("Check-in is open. Close it, then pair.")
    here = len(state.entries.keys() - state.absent(number).keys())
    if here < 2 and not state.is_round_robin:
        return _("Fewer than two players are available for round {round}.").format(round=number)
    return ""


def _open_games(state: TournamentState) -> list[Warned]:
    """What is still open, if anything: games of the current round become adjourned, older ones are told of."""
    warnings = []
    current = state.current_round
    if current is not None and current.open_boards and not state.open_disputes(current.number):
        warnings.append(Warned("adjourns", open_boards_sentence(current.number, current.open_boards)))
    older = [game for game in state.adjourned if game.round < len(state.rounds)]
    if older:
        words = _("Still adjourned: {games}.")
        games = ", ".join(_("round {round}, board {board}").format(round=g.round, board=g.board) for g in older)
        warnings.append(Warned("adjourned-open", words.format(games=games)))
    return warnings


def _adjourned(ask: Ask) -> Events:
    """The open games of the current round, adjourned (C.04.2 3.1)."""
    current = ask.state.current_round
    boards = current.open_boards if current is not None else ()
    why = _("not over when the next round was paired")
    return tuple(Adjourned(ask.at, len(ask.state.rounds), board, ask.by, why) for board in boards)


def _not_settled(ask: Ask) -> Refusal | None:
    """The refusal while results of the current round are missing; an arbiter who has seen it adjourns the games."""
    open_games = _open_games(ask.state)
    stopped = ask.stops(open_games)
    if stopped is not None:
        return stopped
    left = unfinished(ask.state)
    return Refusal(left) if left and not any(warned.key == "adjourns" for warned in open_games) else None


def pairing_problem(ask: Ask) -> Refusal | None:
    """Why the engine need not begin to pair the next round; None when it can."""
    state = ask.state
    why = _not_now(state)
    refused = Refusal(why) if why else _not_settled(ask)
    if refused is not None:
        return refused
    number = len(state.rounds) + 1
    if state.manual:
        return Refusal(_("Round {round} is being paired by hand. Close that, or drop it.").format(round=number))
    if state.draft is not None:
        return Refusal(
            _("Round {round} is paired already. Publish the draft, or drop it to pair again.").format(round=number)
        )
    return None


def pair(ask: Ask, intent: Pair) -> Events | Refusal:
    state, number = ask.state, len(ask.state.rounds) + 1
    problem = pairing_problem(ask)
    if problem is not None or state.regulations is None:
        return problem or Refusal(_not_now(state))
    before = state.pairing_state()
    if intent.basis and intent.basis != before.digest:
        return Refusal(
            _("Results or entries changed while round {round} was being paired. Pair again.").format(round=number)
        )
    try:
        LEGALITY[state.regulations.system](before, intent.answer)
    except IllegalPairing as illegal:
        return Refusal(_("This pairing is not legal. {why}").format(why=illegal))
    return (*_adjourned(ask), _paired(ask, number, intent.answer))


def _paired(ask: Ask, number: int, answer: PairingAnswer) -> Paired:
    state = ask.state
    pairs = tuple(BoardPair(board, white, black) for board, (white, black) in enumerate(answer.pairs, 1))
    byes = {} if state.is_round_robin else {str(tpn): kind for tpn, kind in sorted(state.absent(number).items())}
    return Paired(ask.at, number, pairs, answer.bye, byes, answer.reasons, ask.by)


def drop_draft(ask: Ask, intent: DropDraft) -> Events | Refusal:
    return ask.stale_draft()


# -- by hand ----------------------------------------------------------------------------------------------------------


def open_manual(ask: Ask, intent: OpenManual) -> Events | Refusal:
    """The manual phase begins; a draft of the engine stays as the place to start from (S-24)."""
    why = _not_now(ask.state)
    refused = Refusal(why) if why else no_reason(intent.why) or _not_settled(ask)
    if refused is not None:
        return refused
    if ask.state.manual:
        return ()
    return (*_adjourned(ask), ManualOpened(ask.at, len(ask.state.rounds) + 1, ask.by, intent.why))


def _not_by_hand(state: TournamentState) -> Refusal | None:
    return None if state.manual else Refusal(_("No round is being paired by hand. Open that first, with a reason."))


def make_round(ask: Ask, intent: MakeRound) -> Events | Refusal:
    """The sheet must hold everybody once; whatever else speaks against it is warned of (S-24)."""
    state = ask.state
    refused = _not_by_hand(state)
    if refused is not None:
        return refused
    before = state.pairing_state()
    answer = PairingAnswer(tuple(intent.pairs), intent.bye, (_("Paired by hand."),))
    everybody = frozenset(before.by_tpn)
    try:
        assert_complete(before, answer, everybody if state.is_round_robin else everybody - before.absent)
    except IllegalPairing as wrong:
        return Refusal(str(wrong))
    draft = state.draft
    if draft is not None and (tuple((p.white, p.black) for p in draft.pairs), draft.bye) == (answer.pairs, answer.bye):
        return ()
    if state.is_round_robin:
        faults = robin_faults(before, answer.pairs)
    else:
        faults = round_faults(before, answer.pairs, answer.bye)
    return ask.stops(faults) or (_paired(ask, before.round, answer),)


def close_manual(ask: Ask, intent: CloseManual) -> Events | Refusal:
    """The round is finished: what the engine would have done is shown before it is accepted."""
    state = ask.state
    refused = _not_by_hand(state)
    if refused is not None or state.regulations is None:
        return refused or Refusal(_("There are no regulations yet."))
    draft = state.draft
    if draft is None:
        return Refusal(_("Nothing is paired yet. Make the round, or drop it."))
    pairs = tuple((p.white, p.black) for p in draft.pairs)
    reviewed = compare(state.regulations.system, state.pairing_state(), pairs, draft.bye)
    if reviewed.engine is None:
        words = _("The engine knows no legal pairing for round {round}.").format(round=draft.number)
        return ask.stops([Warned("no-engine", words)]) or (ManualClosed(ask.at, draft.number, ("+ by hand",), ask.by),)
    lines = differences(reviewed.engine, pairs, draft.bye)
    stopped = ask.stops(_engine_differs(lines, [fault.words for fault in reviewed.faults])) if lines else None
    return stopped or (ManualClosed(ask.at, draft.number, lines, ask.by),)


def _engine_differs(lines: tuple[str, ...], reasons: list[str]) -> list[Warned]:
    theirs, mine = split(lines)
    words = _("The engine pairs {engine}; by hand it is {hand}.").format(engine=theirs or "-", hand=mine or "-")
    return [Warned("engine-differs", " ".join([words, *(f"{reason.rstrip('.')}." for reason in reasons)]))]


# -- public -----------------------------------------------------------------------------------------------------------

#: (is White absent, is Black absent) → the score by forfeit.
_FORFEITED: Mapping[tuple[bool, bool], Score | None] = {
    (False, False): None, (False, True): "1-0", (True, False): "0-1", (True, True): "0-0",
}  # fmt: skip


def publish(ask: Ask, intent: Publish) -> Events | Refusal:
    state, draft = ask.state, ask.state.draft
    if draft is None:
        current = state.current_round
        if current is not None:
            return Refusal(_("Round {round} is already public; nothing is changed.").format(round=current.number))
        return Refusal(_("There is no draft to publish. Pair the round first."))
    if state.manual:
        return Refusal(_("Round {round} is being paired by hand. Close that first.").format(round=draft.number))
    tables = tuple(dict.fromkeys(intent.tables))
    missing = len(draft.pairs) - len(tables)
    if missing > 0:
        return Refusal(
            ngettext(
                "Round {round} has {boards} boards, and {missing} table is missing. Enrol it, then publish again.",
                "Round {round} has {boards} boards, and {missing} tables are missing. Enrol them, then publish again.",
                missing,
            ).format(round=draft.number, boards=len(draft.pairs), missing=missing)
        )
    stopped = ask.stops(start_warnings(state))
    if stopped is not None:
        return stopped
    seats = {str(pair.board): table for pair, table in zip(draft.pairs, tables, strict=False)}
    name = state.regulations.name if state.regulations is not None else ""
    rev = 1 + max((sheet.rev for sheet in state.old_sheets.get(draft.number, ())), default=0)
    rev = max(rev, intent.known_rev + 1)
    published = Published(ask.at, draft.number, rev, checksum(name, draft, rev), seats, ask.by)
    return (published, *_fixed_group(ask, draft), *_made_by_hand(ask, draft), *_withdrawn_games(ask, draft))


def _fixed_group(ask: Ask, draft: Round) -> Events:
    """Round 1 fixes the accelerated group: those who are part of its pairing count (C.04.7 1.2)."""
    regulations = ask.state.regulations
    if regulations is None or regulations.acceleration != "baku" or draft.number != 1:
        return ()
    paired = [tpn for p in draft.pairs for tpn in (p.white, p.black)] + ([draft.bye] if draft.bye is not None else [])
    return (GroupFixed(ask.at, last_of_a(paired)),)


def _made_by_hand(ask: Ask, draft: Round) -> Events:
    if not draft.differences:
        return ()
    before, after = split(draft.differences)
    return (ask.note("MPA", draft.number, before, after, ""),)


def _withdrawn_games(ask: Ask, draft: Round) -> Events:
    """In a round robin the games of a withdrawn player are forfeited: - for him, + for the opponent (C.05 6.6)."""
    state = ask.state
    if not state.is_round_robin:
        return ()
    gone = state.absent(draft.number)
    scores = ((p.board, _FORFEITED[p.white in gone, p.black in gone]) for p in draft.pairs)
    why = _("withdrawn")
    return tuple(
        Resulted(ask.at, draft.number, board, score, "forfeit", ask.by, why) for board, score in scores if score
    )


def withdraw_sheet(ask: Ask, intent: WithdrawSheet) -> Events | Refusal:
    """A public sheet is taken back before a clock runs; started it stays, under FIDE handling (S-25)."""
    state, current = ask.state, ask.state.current_round
    refused = ask.over() or no_reason(intent.why)
    if refused is not None:
        return refused
    if current is None:
        return Refusal(_("No round is public yet."))
    if intent.saw and intent.saw != current.checksum:
        return ask.changed(_("The sheet"), intent.saw, current.checksum)
    if state.draft is not None or state.manual:
        return Refusal(_("Round {round} is paired since: drop its draft first.").format(round=current.number + 1))
    # A forfeit that stands before the start came with the sheet and goes with it.
    played = [board for board, result in current.results.items() if result.source != "forfeit"]
    if played:
        return Refusal(
            _("Round {round} has results: its sheet stays. Correct what is wrong board by board.").format(
                round=current.number
            )
        )
    words = _("The pairings of round {round} are public; the tables are told that they are withdrawn.")
    warnings = [Warned("sheet-withdrawn", words.format(round=current.number))]
    if current.started:
        words = _("The clocks of round {round} have been started.").format(round=current.number)
        warnings.append(Warned("sheet-started", words))
    stopped = ask.stops(warnings)
    return stopped or (SheetWithdrawn(ask.at, current.number, current.rev, ask.by, intent.why),)


def start(ask: Ask, intent: Start) -> Events | Refusal:
    current = ask.state.current_round
    if current is None or ask.state.draft is not None:
        return Refusal(_("The round is not public yet. Publish it, then start."))
    return () if current.started else (Started(ask.at, current.number, ask.by),)


# -- in a public round ------------------------------------------------------------------------------------------------


def _in_round(ask: Ask, *players: int) -> tuple[Round | None, Refusal | None]:
    """The current round in which these players have no board, or why nothing can be done."""
    refused = ask.over() or ask.unknown_player(*players)
    current = ask.state.current_round
    if refused is not None:
        return None, refused
    if current is None or current.sealed or ask.state.draft is not None:
        return None, Refusal(_("No round is open for another board."))
    if ask.state.is_round_robin:
        return None, Refusal(_("The boards of a round robin are in its table."))
    for tpn in players:
        pair_of = current.pair_of(tpn)
        if pair_of is not None:
            taken = _("{player} plays at board {board} in round {round}.")
            return None, Refusal(taken.format(player=ask.named(tpn), board=pair_of.board, round=current.number))
    return current, None


def add_board(ask: Ask, intent: AddBoard) -> Events | Refusal:
    """Two without a board in the public round play each other at a new one; the others go on untouched (C.04.2 2.4)."""
    found, refused = _in_round(ask, intent.white, intent.black)
    if found is None:
        return refused or ()
    missing = no_reason(intent.why)
    if missing is not None:
        return missing
    if intent.white == intent.black:
        return Refusal(_("A board needs two players."))
    if intent.table and found.board_of_table(intent.table) is not None:
        return Refusal(_("Table {table} plays another board of this round.").format(table=intent.table))
    board = len(found.pairs) + 1
    words = _("Board {board} is added to round {round}: {white} against {black}.").format(
        board=board, round=found.number, white=ask.named(intent.white), black=ask.named(intent.black)
    )
    if found.bye is not None and found.bye in (intent.white, intent.black):
        words = _("{words} The bye of {player} is taken back.").format(words=words, player=ask.named(found.bye))
    before = replace(ask.state.pairing_state(found.number), absent=frozenset())
    warnings = [Warned("round-board", words), *board_faults(before, intent.white, intent.black)]
    stopped = ask.stops(warnings)
    if stopped is not None:
        return stopped
    had = [(tpn, found.unpaired(tpn)) for tpn in (intent.white, intent.black)]
    note_before = " ".join(bye_text(tpn, kind) for tpn, kind in had if kind)
    pair_text = f"{intent.white}-{intent.black}"
    return (
        BoardAdded(
            ask.at, found.number, BoardPair(board, intent.white, intent.black), intent.table, ask.by, intent.why
        ),
        ask.note("MPA", found.number, note_before, pair_text, intent.why),
    )


def set_unpaired(ask: Ask, intent: SetUnpaired) -> Events | Refusal:
    """A player without a board gets the bye, or another one, in the public round."""
    found, refused = _in_round(ask, intent.tpn)
    if found is None:
        return refused or ()
    missing = no_reason(intent.why)
    if missing is not None:
        return missing
    had = found.unpaired(intent.tpn)
    if had == intent.kind or not had:
        return ()
    if intent.kind == "U" and found.bye is not None:
        return Refusal(_("{player} has the bye of this round.").format(player=ask.named(found.bye)))
    words = _("{player} gets {new} instead of {old} in round {round}, which is public.").format(
        player=ask.named(intent.tpn), new=bye_name(intent.kind), old=bye_name(had), round=found.number
    )
    before = replace(ask.state.pairing_state(found.number), absent=frozenset())
    warnings = [Warned("round-board", words), *(bye_faults(before, intent.tpn) if intent.kind == "U" else ())]
    stopped = ask.stops([w for w in warnings if w.key != "bye-not-lowest"])
    return stopped or (
        UnpairedSet(ask.at, found.number, intent.tpn, intent.kind, ask.by, intent.why),
        ask.note("MPA", found.number, bye_text(intent.tpn, had), bye_text(intent.tpn, intent.kind), intent.why),
    )


def bye_name(kind: ByeKind) -> str:
    """A bye in words."""
    return {
        "U": _("the pairing-allocated bye"),
        "H": _("a half-point bye"),
        "F": _("a full-point bye"),
        "Z": _("no points"),
    }[kind]


# -- the end ----------------------------------------------------------------------------------------------------------


def seal(ask: Ask, intent: Seal) -> Events | Refusal:
    found = ask.state.round(intent.round)
    if found is None:
        return Refusal(_("Round {round} is not public.").format(round=intent.round))
    if found.open_boards:
        return Refusal(open_boards_sentence(found.number, found.open_boards))
    return () if found.sealed else (RoundSealed(ask.at, found.number),)


def finish(ask: Ask, intent: Finish) -> Events | Refusal:
    state = ask.state
    if state.finished:
        return ()
    if state.regulations is None:
        return Refusal(_("There is no tournament to finish."))
    left_over = unfinished(state)
    if left_over:
        return Refusal(left_over)
    if state.adjourned:
        game = state.adjourned[0]
        words = _("Round {round}: the game at board {board} is adjourned. It must be ended before the final standings.")
        return Refusal(words.format(round=game.round, board=game.board))
    left = state.regulations.rounds - len(state.rounds)
    if left:
        return Refusal(
            ngettext("{left} round is still to be played.", "{left} rounds are still to be played.", left).format(
                left=left
            )
        )
    return ask.stops(robin_gaps(state)) or (Finished(ask.at, ask.by),)


def robin_gaps(state: TournamentState) -> list[Warned]:
    """A round robin of all its rounds in which not everybody has met everybody as often as announced (C.05)."""
    regulations = state.regulations
    if regulations is None or not state.is_round_robin or not state.rounds:
        return []
    after = state.pairing_state(len(state.rounds) + 1)
    if len(state.rounds) < rounds_available(len(after.players)) * regulations.cycles:
        return []
    who = {tpn: f"{entry.name} ({tpn})" for tpn, entry in state.entries.items()}
    texts = [_("{one} and {other} have not met").format(one=who[a], other=who[b]) for a, b in still_to_meet(after)]
    texts += [_("{one} and {other} have met too often").format(one=who[a], other=who[b]) for a, b in too_often(after)]
    if not texts:
        return []
    return [
        Warned("robin-incomplete", _("The round robin is not complete: {what}.").format(what="; ".join(texts[:12])))
    ]
