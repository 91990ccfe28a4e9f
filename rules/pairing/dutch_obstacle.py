"""Why a set of players has no complete pairing: the few who are needed by too many (Tutte's theorem, in words)."""

from __future__ import annotations

from gettext import gettext as _

from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_round import RoundFacts, members


def why_impossible(facts: RoundFacts) -> str:
    """What blocks the round, named so that the chief arbiter can act on it (C.04.3 1.9)."""
    alone = [i for i in range(facts.count) if not facts.may_meet[i] & facts.everybody]
    if facts.bye is not None and not facts.may_have_bye:
        why = _("The number of players is odd and nobody may have the bye again.")
    elif len(alone) > facts.count % 2:
        why = _("Nobody is left whom player {tpn} could meet.").format(tpn=facts.players[alone[0]])
    else:
        why = obstacle(facts, facts.everybody, with_bye=True)
    return _(
        "Round {round} has no legal pairing of the {count} players. {why} "
        "The chief arbiter decides: let a player pass this round, or end the tournament."
    ).format(round=facts.state.round, count=facts.count, why=why)


def obstacle(facts: RoundFacts, players: int, with_bye: bool = False) -> str:
    """Those among `players` in whom a complete pairing fails, in one sentence; they must have none."""
    if with_bye and facts.bye is not None:
        facts.open_bye(facts.may_have_bye)
        players |= 1 << facts.bye
    found = Graph(facts.may_meet, players).obstacle
    if found is None:
        raise ValueError("these players have a complete pairing")
    groups, few = found

    def names(players: int) -> str:
        listed = [_("the bye") if i == facts.bye else str(facts.players[i]) for i in members(players)]
        return ", ".join(listed)

    if len(groups) == 1:
        return _("{players} can meet only each other, and their number is odd.").format(players=names(groups[0]))
    if all(group & (group - 1) == 0 for group in groups):
        return _("{players} can meet nobody but {others}: too few for so many.").format(
            players=names(sum(groups)), others=names(few)
        )
    listed = _(" or ").join(f"({names(group)})" for group in groups)
    return _(
        "Within {groups}, each of an odd number, players can meet only each other and {others}: too few for so many "
        "groups."
    ).format(groups=listed, others=names(few) or _("nobody"))
