"""The spectators' pages as plain HTML, to be read aloud, printed, or shown on any phone. Pure: values in, text out.

No page needs a script; where there is one, a page that has changed is loaded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from gettext import gettext as _
from html import escape
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #8886; --ink: #111; --ground: #fff; --link: #0645ad; }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --ground: #161616; --link: #9cc3ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 3rem; color: var(--ink); background: var(--ground);
  font: 1.05rem/1.5 system-ui, "Noto Sans", sans-serif; }
a { color: var(--link); } a:focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; font-weight: 600; padding: .6rem 0; }
th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td.r { text-align: center; white-space: nowrap; }
.wide { overflow-x: auto; } footer { margin-top: 2rem; opacity: .8; font-size: .9rem; }
@media print { nav, .skip, footer { display: none; } }
""".strip()

#: A page that says which file it shows is loaded again when that file has changed.
SCRIPT = """
const names = (document.body.dataset.shows || "").split(" ");
const source = new EventSource("/events");
let first = {};
source.addEventListener("changed", event => {
  const now = JSON.parse(event.data);
  for (const name of names) {
    if (first[name] === undefined) { first[name] = now[name]; }
    else if (first[name] !== now[name]) { location.reload(); return; }
  }
});
""".strip()


def pairings(sheets: Sequence[Mapping[str, Any]]) -> str:
    """The newest public round."""
    if not sheets:
        return page(_("Pairings"), _paragraph(_("No round is public yet.")), ("pairings",))
    sheet = sheets[-1]
    title = _("Round {round}").format(round=sheet["round"])
    return page(title, _sheet(sheet), ("pairings", "results"))


def results(sheets: Sequence[Mapping[str, Any]]) -> str:
    """All public rounds, the newest first."""
    title = _("Round {round}")
    rounds = (f"<h2>{_t(title.format(round=sheet['round']))}</h2>{_sheet(sheet)}" for sheet in reversed(sheets))
    return page(_("Results"), "".join(rounds) or _paragraph(_("No round is public yet.")), ("results",))


def standings(table: Mapping[str, Any]) -> str:
    """The standings after the last complete round."""
    order: Sequence[int] = table.get("order", ())
    players: Mapping[str, Mapping[str, Any]] = table.get("players", {})
    places = [players[str(tpn)] for tpn in order]
    codes = list(places[0]["values"]) if places else []
    head = [(_("Rank"), "n"), (_("Name"), ""), (_("Points"), "n"), *((code, "n") for code in codes)]
    rows = [
        [(p["rank"], "n"), (p["name"], ""), (p["points"], "n"), *((p["values"].get(c) or "", "n") for c in codes)]
        for p in places
    ]
    body = _table(_("Standings"), head, rows) if rows else _paragraph(_("No round is complete yet."))
    return page(_("Standings"), body, ("standings",))


def game(round_number: int, board: int, names: tuple[str, str], moves: Sequence[Mapping[str, Any]]) -> str:
    """The moves of a game that are public, in pairs."""
    title = _("Round {round}, board {board}").format(round=round_number, board=board)
    rows = []
    for n in range(0, len(moves), 2):
        white, black = moves[n], moves[n + 1] if n + 1 < len(moves) else {}
        rows.append([(n // 2 + 1, "n"), (_move(white), ""), (_move(black), "")])
    head = [(_("Move"), "n"), (names[0] or _("White"), ""), (names[1] or _("Black"), "")]
    body = _table(title, head, rows) if rows else _paragraph(_("No move of this game is public yet."))
    return page(title, body, (f"games/r{round_number}b{board}",))


def missing() -> str:
    """There is no such page."""
    return page(_("Not here"), _paragraph(_("There is no such page. The links above lead to all there is.")), ())


def page(title: str, body: str, shows: Iterable[str]) -> str:
    """A whole page: heading, the ways to the others, what it shows."""
    links = (("/", _("Pairings")), ("/results", _("Results")), ("/standings", _("Standings")))
    nav = "".join(f'<li><a href="{href}">{_t(text)}</a></li>' for href, text in links)
    # The language of these very words, as its code: translated with them.
    language = _("en")
    skip, pages, note = _("Skip to the content"), _("Pages"), _("Moves may be shown with a delay.")
    return (
        "<!doctype html>\n"
        f'<html lang="{_t(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{_t(title)}</title>\n<link rel="stylesheet" href="/style.css">\n'
        '<script src="/live.js" defer></script>\n'
        f'</head>\n<body data-shows="{_t(" ".join(shows))}">\n'
        f'<a class="skip" href="#main">{_t(skip)}</a>\n'
        f'<nav aria-label="{_t(pages)}"><ul>{nav}</ul></nav>\n'
        f'<main id="main">\n<h1>{_t(title)}</h1>\n{body}\n</main>\n'
        f"<footer>{_t(note)}</footer>\n</body>\n</html>\n"
    )


def _sheet(sheet: Mapping[str, Any]) -> str:
    number = sheet["round"]
    head = [(_("Board"), "n"), (_("White"), ""), (_("Result"), "r"), (_("Black"), ""), (_("Game"), "")]
    moves, games = _t(_("moves")), _t(_("Games of the round as PGN"))
    rows = [
        [
            (b["board"], "n"), (b["white"], ""), (b["result"] or "–", "r"), (b["black"], ""),
            (f'<a href="/game/{int(number)}/{int(b["board"])}">{moves}</a>', "html"),
        ]
        for b in sheet["boards"]
    ]  # fmt: skip
    bye = sheet.get("bye")
    below = _paragraph(_("Bye: {name}").format(name=bye)) if bye else ""
    pgn = f'<p><a href="/round-{int(number)}.pgn">{games}</a></p>'
    return _table(_("Boards of round {round}").format(round=number), head, rows) + below + pgn


def _paragraph(text: str) -> str:
    return f"<p>{_t(text)}</p>"


def _table(caption: str, head: Sequence[tuple[str, str]], rows: Sequence[Sequence[tuple[Any, str]]]) -> str:
    top = "".join(f'<th scope="col" class="{kind}">{_t(text)}</th>' for text, kind in head)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{value if kind == "html" else _t(value)}</td>' for value, kind in row)
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="wide"><table>\n<caption>{_t(caption)}</caption>\n<thead><tr>{top}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table></div>\n"
    )


def _move(move: Mapping[str, Any]) -> str:
    return str(move.get("san") or move.get("uci", ""))


def _t(value: object) -> str:
    return escape(str(value), quote=True)
