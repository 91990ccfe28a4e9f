"""What spectators see: results at once, moves when their time has come, files that are never half written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kiosk.hub.feed import Feed, Picture
from rules.interchange.pgn import read_games
from tests.kiosk.hub_hall import ADDRESS, Hall

MINUTE = 60_000


def picture(hall: Hall) -> Picture:
    """The hall now."""
    state = hall.core.hall.state
    games = {
        (sheet.number, pair.board): game
        for sheet in state.rounds
        for pair in sheet.pairs
        if (game := hall.core.hall.game(sheet.number, pair.board)) is not None
    }
    return Picture(state, games, hall.wall)


def plies(folder: Path, game: str) -> list[str]:
    """The moves that spectators have of a game."""
    path = folder / "games" / f"{game}.jsonl"
    return [json.loads(line)["uci"] for line in path.read_text().splitlines()] if path.exists() else []


def begun(tmp_path: Path) -> Hall:
    """A hall whose first round is on."""
    hall = Hall(tmp_path)
    for table in hall.tables.values():
        table.ask()
    hall.settle()
    hall.begin_round()
    return hall


def test_moves_are_held_back_and_results_are_not(tmp_path: Path) -> None:
    hall, feed = begun(tmp_path), Feed(tmp_path / "feed", ADDRESS, 5 * MINUTE)
    hall.tables["1"].moves("e2e4", "e7e5")
    hall.tables["2"].resign("white")
    hall.settle()
    sent = dict(feed.show(picture(hall)))
    assert plies(tmp_path / "feed", "r1b1") == []
    results = json.loads((tmp_path / "feed" / "results.json").read_text())
    assert [board["result"] for board in results[0]["boards"]] == [None, "0-1", None]
    assert "pub.spring.hall.results" in sent
    hall.wall += 4 * MINUTE
    hall.tables["1"].moves("g1f3")
    hall.settle()
    feed.show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == []
    hall.wall += MINUTE
    moves = [payload for subject, payload in feed.show(picture(hall)) if subject == "pub.spring.hall.moves"]
    assert [json.loads(move)["uci"] for move in moves] == ["e2e4", "e7e5"]
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5"]
    games = read_games((tmp_path / "feed" / "round-1.pgn").read_bytes(), "round-1.pgn")
    assert len(games[0].moves) == 2
    hall.wall += 5 * MINUTE
    feed.show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5", "g1f3"]
    hall.core.log.close()


def test_without_a_delay_everything_is_there_at_once_and_nothing_is_said_twice(tmp_path: Path) -> None:
    hall, feed = begun(tmp_path), Feed(tmp_path / "feed", ADDRESS, 0)
    hall.tables["1"].moves("e2e4")
    hall.settle()
    assert feed.show(picture(hall))
    assert feed.show(picture(hall)) == []
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4"]
    assert not list((tmp_path / "feed").glob("*.new"))
    hall.core.log.close()


def test_a_feed_that_begins_again_does_not_repeat_lines(tmp_path: Path) -> None:
    hall = begun(tmp_path)
    hall.tables["1"].moves("e2e4")
    hall.settle()
    Feed(tmp_path / "feed", ADDRESS, 0).show(picture(hall))
    hall.tables["1"].moves("e7e5")
    hall.settle()
    Feed(tmp_path / "feed", ADDRESS, 0).show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5"]
    hall.core.log.close()


def test_what_was_public_stays_public_when_the_hub_is_started_again(tmp_path: Path) -> None:
    hall = begun(tmp_path)
    hall.tables["1"].moves("e2e4", "e7e5")
    hall.settle()
    feed = Feed(tmp_path / "feed", ADDRESS, 5 * MINUTE)
    feed.show(picture(hall))
    hall.wall += 5 * MINUTE
    feed.show(picture(hall))
    with (tmp_path / "feed" / "games" / "r1b1.jsonl").open("ab") as file:
        file.write(b'{"round":1,"bo')  # the power went
    hall.tables["1"].moves("g1f3")
    hall.settle()
    again = Feed(tmp_path / "feed", ADDRESS, 5 * MINUTE)
    again.show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5"], "not one less, and the new one is held back"
    games = read_games((tmp_path / "feed" / "round-1.pgn").read_bytes(), "round-1.pgn")
    assert len(games[0].moves) == 2
    hall.wall += 5 * MINUTE
    again.show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5", "g1f3"]
    hall.core.log.close()


def said_otherwise(picture: Picture, ply: int, uci: str, san: str) -> Picture:
    """The same when a player has said that an earlier move of board 1 was another one."""
    game = picture.games[1, 1]
    plies = (*game.plies[:ply], replace(game.plies[ply], uci=uci, san=san), *game.plies[ply + 1 :])
    return replace(picture, games={**picture.games, (1, 1): replace(game, plies=plies)})


@pytest.mark.parametrize("again", [False, True], ids=["the same hub", "started again meanwhile"])
def test_a_move_that_was_another_one_is_put_right_for_spectators_too(tmp_path: Path, again: bool) -> None:
    hall, feed = begun(tmp_path), Feed(tmp_path / "feed", ADDRESS, 5 * MINUTE)
    hall.tables["1"].moves("e2e4", "e7e5", "g1f3")
    hall.settle()
    feed.show(picture(hall))
    hall.wall += 5 * MINUTE
    feed.show(picture(hall))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5", "g1f3"]
    if again:
        feed = Feed(tmp_path / "feed", ADDRESS, 0)
    said = said_otherwise(picture(hall), 0, "e2e3", "e3")
    sent = [json.loads(payload)["uci"] for subject, payload in feed.show(said) if subject.endswith(".moves")]
    assert plies(tmp_path / "feed", "r1b1") == sent == ["e2e3", "e7e5", "g1f3"], "nothing of it is new"
    (game, *_others) = read_games((tmp_path / "feed" / "round-1.pgn").read_bytes(), "round-1.pgn")
    assert game.moves[0] == "e2e3"
    assert not [subject for subject, _payload in feed.show(said) if subject.endswith(".moves")]
    hall.core.log.close()


def test_after_a_position_was_put_back_what_is_played_anew_is_held_back_and_the_rest_is_not(tmp_path: Path) -> None:
    hall, feed = begun(tmp_path), Feed(tmp_path / "feed", ADDRESS, 5 * MINUTE)
    hall.tables["1"].moves("e2e4", "e7e5", "g1f3")
    hall.settle()
    feed.show(picture(hall))
    hall.wall += 5 * MINUTE
    feed.show(picture(hall))
    now = picture(hall)
    game = now.games[1, 1]
    new = replace(game.plies[2], t=game.plies[2].t + 60_000, uci="f1c4", san="Bc4")
    back = replace(now, games={**now.games, (1, 1): replace(game, plies=(*game.plies[:2], new))})
    feed.show(back)
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5"]
    feed.show(replace(back, wall=hall.wall + 5 * MINUTE))
    assert plies(tmp_path / "feed", "r1b1") == ["e2e4", "e7e5", "f1c4"]
    hall.core.log.close()
