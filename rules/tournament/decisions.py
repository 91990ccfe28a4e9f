"""An intent and the state make events, or a refusal that says why. Nothing else in the house decides.

`decide` is pure: the service stores the events it returns and then acts. No events (`()`) means that the intent is
already done, so everything may be sent twice. Times are wall ms since 1970, for the record only.

What may be done after a look at the consequences is refused at first, with a token; `Confirmed` carries it back. The
barrier is here and not on a screen, so every desk, file and program meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.tournament import (
    book_intents,
    decide_entries,
    decide_hall,
    decide_import,
    decide_lists,
    decide_played,
    decide_ranks,
    decide_regulations,
    decide_results,
    decide_rounds,
    decide_undo,
    intents,
    list_intents,
    rank_intents,
)
from rules.tournament.asking import Ask, Events
from rules.tournament.asking import boards_in_words as boards_in_words
from rules.tournament.book import TournamentState
from rules.tournament.decide_rounds import checksum as checksum
from rules.tournament.intents import Confirmed, Intent, Refusal

_DECISIONS: Mapping[type[Any], Callable[[Ask, Any], Events | Refusal]] = {
    intents.Enter: decide_entries.enter,
    intents.Pair: decide_rounds.pair,
    intents.DropDraft: decide_rounds.drop_draft,
    intents.Publish: decide_rounds.publish,
    intents.Start: decide_rounds.start,
    intents.RecordResult: decide_results.record_result,
    intents.Rule: decide_results.rule,
    intents.OpenCall: decide_hall.open_call,
    intents.CloseCall: decide_hall.close_call,
    intents.Withdraw: decide_entries.withdraw,
    intents.GrantBye: decide_entries.grant_bye,
    intents.Seal: decide_rounds.seal,
    intents.Finish: decide_rounds.finish,
    intents.Enrol: decide_hall.enrol,
    intents.OpenHub: decide_hall.open_hub,
    intents.Order: decide_hall.order,
    intents.ConfirmOrder: decide_hall.confirm_order,
    book_intents.ChangeRegulations: decide_regulations.change_regulations,
    book_intents.Forbid: decide_regulations.forbid,
    book_intents.DrawLot: decide_regulations.draw_lot,
    book_intents.EnterLate: decide_entries.enter_late,
    book_intents.CorrectEntry: decide_entries.correct_entry,
    book_intents.Renumber: decide_entries.renumber,
    book_intents.ExchangeNumbers: decide_entries.exchange_numbers,
    book_intents.Return: decide_entries.come_back,
    book_intents.Expel: decide_entries.expel,
    book_intents.Flag: decide_entries.flag,
    book_intents.RequestBye: decide_entries.request_bye,
    book_intents.RevokeBye: decide_entries.revoke_bye,
    book_intents.OpenCheckIn: decide_entries.open_check_in,
    book_intents.CheckIn: decide_entries.check_in,
    book_intents.CloseCheckIn: decide_entries.close_check_in,
    book_intents.OpenManual: decide_rounds.open_manual,
    book_intents.MakeRound: decide_rounds.make_round,
    book_intents.CloseManual: decide_rounds.close_manual,
    book_intents.WithdrawSheet: decide_rounds.withdraw_sheet,
    book_intents.AddBoard: decide_rounds.add_board,
    book_intents.SetUnpaired: decide_rounds.set_unpaired,
    book_intents.CorrectResult: decide_results.correct_result,
    book_intents.Adjourn: decide_results.adjourn,
    book_intents.ExitFide: decide_results.exit_fide,
    book_intents.Undo: decide_undo.undo,
    book_intents.Redo: decide_undo.redo,
    book_intents.TakeOver: decide_import.take_over,
    book_intents.TakeOut: decide_entries.take_out,
    book_intents.DrawNumbers: decide_regulations.draw_numbers,
    book_intents.ReplacePairs: decide_played.replace_pairs,
    book_intents.MoveGame: decide_played.move_game,
    book_intents.Excuse: decide_played.excuse,
    list_intents.LoadList: decide_lists.load_list,
    list_intents.CheckRatings: decide_lists.check_ratings,
    list_intents.UpdateRatings: decide_lists.update_ratings,
    list_intents.PickRating: decide_lists.pick_rating,
    list_intents.RateRound: decide_lists.rate_round,
    rank_intents.OrderTied: decide_ranks.order_tied,
    rank_intents.ValueFromOutside: decide_ranks.value_from_outside,
}


def decide(state: TournamentState, intent: Intent | Confirmed, at: int, by: str) -> Events | Refusal:
    """The events that an intent causes now, at wall time `at` (ms), by a person or table; or a refusal in words.

    An empty tuple means that nothing is to be done because it has been done before.
    """
    if isinstance(intent, Confirmed):
        return _DECISIONS[type(intent.intent)](Ask(state, at, by, intent.seen), intent.intent)
    return _DECISIONS[type(intent)](Ask(state, at, by), intent)


def pairing_problem(state: TournamentState, seen: str = "") -> Refusal | None:
    """Why no pairing of the next round need be computed now; None when one can. `seen`: a token from a refusal."""
    return decide_rounds.pairing_problem(Ask(state, 0, "", seen))
