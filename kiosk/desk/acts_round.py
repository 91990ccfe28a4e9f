"""Actions on a round's sheet: by hand, taken back, new boards, corrections of results. A table of rows."""

from __future__ import annotations

from collections.abc import Mapping

from kiosk.desk.actions import Action, Form
from kiosk.desk.acts_game import on_sheet, results
from kiosk.desk.context import Context
from kiosk.desk.fields import Choice, Field, Values, reason, yes_no
from kiosk.widgets.language import _
from kiosk.widgets.words import result_words

ROUND = ("round",)


def kinds(*kinds: str) -> tuple[Choice, ...]:
    """Kinds of byes, by the letters of the report."""
    known = {
        "H": _("half a point"), "Z": _("no point"), "F": _("full point"), "U": _("pairing-allocated bye"),
    }  # fmt: skip
    return tuple(Choice(kind, known[kind]) for kind in kinds)


def no_hand(c: Context) -> str:
    """Why the round cannot be changed by hand now."""
    return "" if c.hand is not None else _("Open the round for pairing by hand first (h).")


def _may_open(c: Context) -> str:
    if c.hand is not None:
        return _("The round is open for pairing by hand.")
    return "" if c.phase in ("draft", "complete", "to-pair", "running") else _("No round can be made by hand now.")


def _public(c: Context) -> str:
    return "" if c.hall is not None and c.sheet.rev else _("This round is not public.")


def latest_public(c: Context) -> str:
    """Why not, unless the newest round is shown and public."""
    return _public(c) or ("" if c.sheet.round == c.sheet.latest else _("Only the newest round can be changed so."))


def _not_started(c: Context) -> str:
    if latest_public(c) or not (c.sheet.started and c.book.fide_mode):
        return latest_public(c)
    return _("The round is started: its sheet stays, under FIDE handling.")


def free(c: Context) -> Mapping[int, str]:
    """Players without a board on the sheet that is shown."""
    seated = {tpn for pair in c.sheet.pairs for tpn in (pair.white, pair.black)}
    return {tpn: name for tpn, name in c.names.items() if tpn not in seated}


def _about_sheet(c: Context) -> str:
    return _("Sheet {round}.{rev}, checksum {checksum}").format(
        round=c.sheet.round, rev=c.sheet.rev, checksum=c.sheet.checksum
    )


def _white(c: Context) -> Field:
    return Field("white", _("White"), "player", True, known=free(c))


def _black(c: Context) -> Field:
    return Field("black", _("Black"), "player", True, known=free(c))


def _unpaired(c: Context) -> Field:
    selected = str(c.player.tpn) if c.player is not None and c.player.tpn in free(c) else ""
    return Field("tpn", _("player"), "player", True, selected, known=free(c))


def _about_result(c: Context) -> str:
    if c.place is None:
        return ""
    now = _("result now: {score}").format(score=result_words(c.place.code)) if c.place.code else _("no result yet")
    return f"{c.place.names}\n{now}"


def _has_result(c: Context) -> str:
    has = c.place is None or c.place.code
    return on_sheet(c) or ("" if has else _("This board has no result yet: enter it (r)."))


def _made(values: Values, c: Context) -> list[tuple[str, Values]]:
    """The whole round to the hub, then the comparison with the engine's."""
    assert c.hand is not None
    return [("manual-pairing", c.hand.data() | values), ("manual-close", {})]


def _whole(c: Context) -> str:
    if c.hand is None:
        return no_hand(c)
    if c.hand.whole:
        return ""
    names = ", ".join(f"{tpn} {c.name(tpn)}" for tpn in c.hand.free[:4])
    return _("Still without a board: {names}. Give them one, or the bye.").format(names=names)


def _everybody(c: Context) -> Mapping[int, str]:
    return {tpn: c.name(tpn) for tpn in c.hand.everybody} if c.hand else {}


def _first(c: Context) -> Field:
    start = c.pair.white if c.pair else c.player.tpn if c.player else 0
    return Field("one", _("this player"), "player", True, str(start or ""), known=_everybody(c))


def _pair_first(c: Context) -> Field:
    start = str(c.hand.free[0]) if c.hand and c.hand.free else ""
    return Field("white", _("White"), "player", True, start, known=_everybody(c))


def _pair_second(c: Context) -> Field:
    start = str(c.hand.free[1]) if c.hand and len(c.hand.free) > 1 else ""
    return Field("black", _("Black"), "player", True, start, known=_everybody(c))


def _bye_for(c: Context) -> Field:
    start = str(c.hand.free[0]) if c.hand and c.hand.free else ""
    return Field("tpn", _("player"), "player", True, start, known=_everybody(c))


def rows() -> tuple[Action, ...]:
    """The rows, the most needed first."""
    return (
        Action("correct_result", _("correct"),
               _("Put a recorded result right; you see which rounds it touches before anything is done."), ROUND,
               "k", "k", subject="place", when=_has_result, form=Form(
                   "correct-result", _("Round {round}, board {board}: correct the result"), (
                       Field("score", _("right result"), "choice", True, None, choices=results()),
                       yes_no("swapped", _("colours were swapped")),
                       reason(),
                   ), ("round", "board", "code"), _about_result,
                   _("Round {round}, board {board}: corrected."), preview="correction",
                   shape=lambda v, c: {key: value for key, value in v.items() if key != "swapped" or value})),
        Action("by_hand", _("by hand"), _("From here on this round is paired by hand; needs a reason."), ROUND, "h",
               "h",
               when=_may_open, form=Form("manual-open", _("Pair the next round by hand"), (reason(),),
                                         done=_("The round is open for pairing by hand."), after="hand")),
        Action("exchange", _("exchange"), _("By hand: two players change places."), ROUND, "x", "x", when=no_hand,
               form=Form("hand:exchanged", _("Exchange two players"), (
                   _first, lambda c: Field("two", _("with"), "player", True, known=_everybody(c))))),
        Action("swap", _("swap colours"), _("By hand: White and Black of the selected board change."), ROUND, "g", "g",
               when=no_hand),
        Action("set_pair", _("set a pair"), _("By hand: these two meet; whom they leave is without a board."), ROUND,
               "t", "t", when=no_hand, form=Form("hand:set_pair", _("These two meet"), (_pair_first, _pair_second))),
        Action("unpair", _("take apart"), _("By hand: both players of the selected board stand up."), ROUND,
               "minus,delete", "-", when=no_hand),
        Action("give_bye", _("give the bye"), _("By hand: who gets the pairing-allocated bye."), ROUND, "y", "y",
               when=no_hand, form=Form("hand:with_bye", _("Who gets the bye?"), (_bye_for,))),
        Action("made", _("done by hand"),
               _("The round is whole: the hub takes it, and compares it with the engine's before it can be public."),
               ROUND, "m", "m", when=_whole, form=Form(
                   "manual-pairing", _("The round made by hand is finished."),
                   done=_("The round made by hand is the draft now; n makes it public."), shape=_made),
               asks=("manual-close",)),
        Action("take_back", _("take back"), _("Withdraw the public sheet before a clock runs."), ROUND, "b", "b",
               when=_not_started, form=Form(
                   "withdraw-sheet", _("Round {round}: withdraw the public sheet"), (reason(),), ("checksum",),
                   _about_sheet, _("The sheet is withdrawn; the round is a draft again."))),
        Action("add_board", _("new board"),
               _("Two players without a board play in the public round, at a free table or the one you name."), ROUND,
               "plus", "+", when=latest_public, form=Form(
                   "add-board", _("A new board in round {round}"), (
                       _white, _black, Field("table", _("table"), hint=_("empty: the first free one")), reason(),
                   ), (), _about_sheet, _("The new board is public."))),
        Action("set_unpaired", _("without board"), _("What a player without a board gets in the public round."), ROUND,
               "u", "u", when=latest_public, form=Form(
                   "set-unpaired", _("Round {round}: a player without a board"), (
                       _unpaired, Field("kind", _("gets"), "choice", True, None, choices=kinds("H", "Z", "F", "U")),
                       reason(),
                   ), (), _about_sheet, _("That is in the book."))),
    )  # fmt: skip
