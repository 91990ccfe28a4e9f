"""The languages of the hall: whole catalogues with the same gaps, signs the console has, and who speaks them."""

from __future__ import annotations

import ast
import asyncio
import gettext
import gzip
import os
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from kiosk import i18n
from kiosk.desk.actions import actions
from kiosk.locale import catalogues
from kiosk.provision import face
from kiosk.provision.places import Places
from kiosk.provision.plan import provision, report
from kiosk.screen.panels import fitting
from kiosk.wall import pages
from kiosk.widgets import language as spoken_by_faces
from rules.laws.sides import side_words
from tests.kiosk import pictures, quick, states

ALL = (*catalogues.LANGUAGES, catalogues.LATIN)
#: Texts of the screens that are not translated, and why: none.
NOT_TRANSLATED: frozenset[str] = frozenset()
SCREENS = ("kiosk/screen/", "kiosk/widgets/", "kiosk/provision/", "kiosk/settings.py", "kiosk/wall/")


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes this process one of a hall with that language; afterwards it speaks English again."""

    def begin(language: str) -> None:
        monkeypatch.setenv("LANGUAGE", language)
        i18n.bind()
        forget()

    def forget() -> None:
        """What faces remember in the language of before."""
        for remembered in (spoken_by_faces._, spoken_by_faces.ngettext, actions):
            remembered.cache_clear()

    yield begin
    gettext.textdomain("messages")
    forget()


@pytest.fixture(scope="module")
def sources() -> Catalog:
    return catalogues.source_texts()


def texts(catalogue: Catalog) -> Iterator[tuple[Message, tuple[str, ...]]]:
    """Every text with its translations; not the header."""
    return ((message, catalogues.forms_of(message)) for message in catalogue if message.id)


def gaps(text: str) -> list[tuple[str, str]]:
    """What `str.format` fills in, with the way it is written."""
    return sorted(
        {(name, f"{spec}!{how}") for _text, name, spec, how in string.Formatter().parse(text) if name is not None}
    )


# -- the catalogues ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ALL)
def test_nothing_in_a_catalogue_is_unsure_or_empty(language: str) -> None:
    catalogue = catalogues.translated(language)
    assert len(catalogue) > 500
    assert not catalogue.fuzzy
    assert [message.id for message, _forms in texts(catalogue) if message.fuzzy] == []
    assert catalogue.num_plurals == {"de": 2}.get(language, 3)
    for message, forms in texts(catalogue):
        assert len(forms) == (catalogue.num_plurals if message.pluralizable else 1), message.id


@pytest.mark.parametrize("language", ALL)
def test_every_text_of_the_screens_is_translated(language: str, sources: Catalog) -> None:
    """The rest (what a table says, the Laws) may lag behind the sources by a few texts, which are English then.

    So may the desk, in the languages that it speaks.
    """
    kept = catalogues.translated(language)
    lacking = []
    wanted = catalogues.SPOKEN if language in catalogues.OFFICE_LANGUAGES else catalogues.HALL
    asked = [m for m, _forms in texts(sources) if any(place.startswith(wanted) for place, _line in m.locations)]
    for message in asked:
        known = kept.get(message.id)
        if known is None or not all(catalogues.forms_of(known)):
            lacking.append(message)
    on_screens = {str(m.id) for m in lacking if any(place.startswith(SCREENS) for place, _line in m.locations)}
    assert on_screens == NOT_TRANSLATED, "make messages, then translate these"
    assert len(lacking) <= len(asked) // 20, [message.id for message in lacking]


@pytest.mark.parametrize("language", ALL)
def test_a_translation_has_the_gaps_of_its_text(language: str) -> None:
    """Where the first plural form is for 1 alone it may leave out the number, as English does; elsewhere none may."""
    for message, forms in texts(catalogues.translated(language)):
        one, many = (message.id, message.id) if isinstance(message.id, str) else message.id
        for number, form in enumerate(forms):
            meant = one if number == 0 and len(forms) == 2 else many
            assert not form or gaps(form) == gaps(meant), form
            for edge in (slice(0, 1), slice(-1, None)):
                assert form[edge].isspace() == (meant[edge].isspace() and bool(form)), form
            assert not form or form.count("\n") == meant.count("\n"), form


@pytest.mark.parametrize("language", ALL)
def test_the_program_reads_what_people_translated(language: str) -> None:
    with catalogues.mo_file(language).open("rb") as file:
        read = gettext.GNUTranslations(file)
    for message, forms in texts(catalogues.translated(language)):
        if not all(forms):
            continue
        if isinstance(message.id, str):
            assert read.gettext(message.id) == forms[0]
        else:
            heard = {read.ngettext(message.id[0], message.id[1], n) for n in range(112)}
            assert heard == set(forms), message.id


def test_counts_are_said_as_each_language_says_them(speak: Callable[[str], None]) -> None:
    said = {
        "de": {0: "Meldungen", 1: "Meldung", 2: "Meldungen", 21: "Meldungen"},
        "sr": {1: "порука чека", 3: "поруке чекају", 5: "порука чека", 12: "порука", 22: "поруке", 101: "порука"},
        "sr@latin": {1: "poruka čeka", 4: "poruke čekaju", 11: "poruka čeka"},
        "ru": {1: "запись ждёт", 2: "записи ждут", 5: "записей", 11: "записей", 21: "запись ", 104: "записи "},
    }
    for language, counts in said.items():
        speak(language)
        for n, words in counts.items():
            assert words in spoken_by_faces.ngettext("{n} note waits", "{n} notes wait", n), (language, n)


def test_the_console_has_every_sign_of_the_translations(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the list of what a font of ours must have; and, where Terminus is installed, in the fonts themselves."""
    monkeypatch.syspath_prepend(str(catalogues.ROOT))  # the recipe is no part of the installed program
    from image import console_font as fonts

    signs = set()
    for language in ALL:
        signs |= {sign for _message, forms in texts(catalogues.translated(language)) for sign in "".join(forms)}
    signs -= {"\n"}
    assert set("ßđђёžш„«") <= signs
    assert signs <= set(fonts.REQUIRED)
    drawn = fonts.signs((fonts.HERE / "signs.txt").read_text("utf-8"))
    for size, name in fonts.SIZES.items():
        file = Path("/usr/share/consolefonts") / name
        if file.exists():
            ours = fonts.ours(fonts.read(gzip.decompress(file.read_bytes())), drawn[size])
            assert signs <= ours.has(), size


def test_no_cyrillic_letter_hides_in_a_latin_word_or_the_other_way_round() -> None:
    """“с” and “c” look alike, but a search, a sort and the change of alphabets tell them apart."""
    for language in ("ru", "sr"):
        for _message, forms in texts(catalogues.translated(language)):
            for word in "".join(sign if sign.isalpha() else " " for sign in " ".join(forms)).split():
                scripts = {"Cyrillic" if "Ѐ" <= sign <= "ӿ" else "Latin" for sign in word}
                assert len(scripts) == 1, word
    for language in ("de", catalogues.LATIN):
        for _message, forms in texts(catalogues.translated(language)):
            assert not any("Ѐ" <= sign <= "ӿ" for sign in "".join(forms)), forms


# -- one language in two alphabets --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cyrillic", "latin"),
    [
        ("Његош, Љубица и Џон", "Njegoš, Ljubica i Džon"),
        ("ЊЕГОШ, ПОЉЕ, КОЊ", "NJEGOŠ, POLJE, KONJ"),
        ("ђак ћути, жаба чека", "đak ćuti, žaba čeka"),
        ("{side} нуди реми (e4, Nf3)", "{side} nudi remi (e4, Nf3)"),
    ],
)
def test_serbian_in_latin_letters(cyrillic: str, latin: str) -> None:
    assert catalogues.in_latin(cyrillic) == latin


@given(st.text("абвгдђежзијклљмнњопрстћуфхцчџш {}.:0129"))
def test_no_letter_is_lost_between_the_alphabets(cyrillic: str) -> None:
    """Read back with lj, nj and dž first: the way back is exact, but for words that put those letters side by side."""
    latin = catalogues.in_latin(cyrillic)
    assert not any("Ѐ" <= sign <= "ӿ" for sign in latin)
    assert len(latin) == len(cyrillic) + sum(sign in "љњџ" for sign in cyrillic)
    assert catalogues.in_latin(cyrillic.upper()).lower() == latin


def test_the_latin_catalogue_is_the_cyrillic_one() -> None:
    made = catalogues.latin_of(catalogues.translated("sr"))
    kept = catalogues.translated(catalogues.LATIN)
    assert {message.id: forms for message, forms in texts(made)} == {
        message.id: forms for message, forms in texts(kept)
    }


# -- who speaks it ------------------------------------------------------------------------------------------------


def on_screen(name: str) -> str:
    async def run() -> str:
        async for _state, app in states.tables((80, 24), only=(name,)):
            return pictures.text(app)
        return ""

    with quick.waiting(painted=True):
        return asyncio.run(run())


def test_a_game_on_a_german_screen(speak: Callable[[str], None]) -> None:
    speak("de_AT")
    playing = on_screen("playing")
    for words in ("WEISS", "SCHWARZ", "Runde 3 von 7", "Weiß am Zug", "w Remis", "s Antrag", "z Aufgabe", "x rufen"):
        assert words in playing
    assert "Nf3" in playing, "moves keep their English letters"
    asked = on_screen("offer")
    assert "Schwarz bietet Remis an. Weiß, nehmen Sie an?" in asked
    assert "Zeitüberschreitung" in on_screen("flag")


def test_a_game_on_a_serbian_screen_in_either_alphabet(speak: Callable[[str], None]) -> None:
    speak("sr_RS")
    assert "Црни нуди реми. Бели, прихватате ли?" in on_screen("offer")
    speak("sr@latin")
    assert "Crni nudi remi. Beli, prihvatate li?" in on_screen("offer")
    speak("ru")
    assert "Чёрные предлагают ничью. Белые, вы согласны?" in on_screen("offer")
    assert side_words("white") == "белые"


def test_a_spectators_page_says_which_language_it_is_in(speak: Callable[[str], None]) -> None:
    for language, words in (("de", "Noch ist keine Runde öffentlich."), ("ru", "Ни один тур ещё не опубликован.")):
        speak(language)
        page = pages.pairings(())
        assert f'<html lang="{language}">' in page
        assert words in page


def test_a_german_desk(speak: Callable[[str], None]) -> None:
    """What fits into a line of 80 columns is all there: no key is lost, no state cut."""
    speak("de")

    async def run() -> list[str]:
        return [pictures.text(app) async for _state, app in states.halls((80, 24), only=("running", "players"))]

    with quick.waiting(painted=True):
        running, players = asyncio.run(run())
    for words in ("[1 Saal]", "2 offene Rufe", "= Remis angeboten", "? ½-½ bestätigen", "# Blättchen: Weiß", "c Rufe"):
        assert words in running
    for words in (
        "24 Spieler · 22 im Turnier · 1 weg",
        "Nr.   Name",
        "a neuer Spieler",
        "x ausschließen",
        "F1 ? Hilfe",
    ):
        assert words in players


def test_a_language_nobody_translated_is_english(speak: Callable[[str], None]) -> None:
    speak("pt")
    assert "Black offers a draw" in on_screen("offer")


def test_the_language_in_hall_toml_is_what_its_services_speak(tmp_path: Path, speak: Callable[[str], None]) -> None:
    """hall.toml → the environment that the units read → another process with nothing but that says it in Serbian."""
    places = Places(run=tmp_path / "run", state=tmp_path / "state", hall_files=(tmp_path / "hall.toml",))
    places.hall_files[0].write_text('role = "table"\nlanguage = "sr"\n', encoding="utf-8")
    assert provision(places) == ""
    name, _equals, value = places.environment.read_text(encoding="utf-8").strip().partition("=")
    usual = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    ask = "from kiosk import i18n; i18n.bind(); from kiosk.table.board_words import piece_name as p; import chess; "
    ask += "print(p(chess.Piece.from_symbol('n')))"
    said = subprocess.run(
        [sys.executable, "-c", ask],
        env={**usual, name: value, "LC_ALL": "C.UTF-8"},
        cwd=catalogues.ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert said.stdout == "црни скакач\n"
    assert _title(places, speak, value) == "Сто се покреће"


def test_what_is_wrong_with_hall_toml_is_said_in_its_own_language(
    tmp_path: Path, speak: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "")
    places = Places(run=tmp_path / "run", state=tmp_path / "state", hall_files=(tmp_path / "hall.toml",))
    wrong = 'language = "de"   # wie im Saal\nrole = "tabel"\n'
    for text, words in ((wrong, "ist unbekannt, schreiben Sie"), ("role = 3\n" + wrong, "kein TOML"), ("", "missing")):
        speak("")
        places.hall_files[0].write_text(text, encoding="utf-8")
        assert report(places) == 0, "a broken file is no failure: the screen must come"
        assert words in places.trouble.read_text(encoding="utf-8")
        assert (places.environment.read_text(encoding="utf-8") == "LANGUAGE=de\n") == bool(text)
    assert "kann nicht starten" in _title(places, speak, "de")


def _title(places: Places, speak: Callable[[str], None], language: str) -> str:
    speak(language)
    shown = face.page(places, 0.0, lambda _unit: "")
    assert isinstance(shown, face.Page)
    return shown.title


def test_no_text_is_chosen_before_the_language_is_known() -> None:
    """A text looked up while a module is imported would be English for ever: it is looked up when it is said."""
    for path in catalogues.source_files():
        early = list(_looked_up(ast.parse(path.read_text("utf-8"))))
        assert not early, f"{path}:{early[0]}"


def test_no_text_is_hidden_inside_an_f_string() -> None:
    """The tool that collects the texts does not look into those: such a text would be English in every language."""
    hidden = []
    for folder in ("kiosk", "rules", "hallnet", "drivers"):
        for path in sorted((catalogues.ROOT / folder).rglob("*.py")):
            strings = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.JoinedStr))
            hidden += [f"{path}:{line}" for string in strings for line in _calls(string)]
    assert not hidden


def _calls(node: ast.AST) -> Iterator[int]:
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in ("_", "ngettext"):
            yield child.lineno


def _looked_up(node: ast.AST) -> Iterator[int]:
    """Lines of the calls that happen when the module is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in ("_", "ngettext"):
            yield child.lineno
        yield from _looked_up(child)


# -- room on the screen -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ALL)
def test_what_has_little_room_is_not_much_longer_than_the_english(language: str) -> None:
    """Names of keys share two lines of 38 columns with a prompt: no translation may take far more than English does."""
    short = [*_labels()]
    catalogue = catalogues.translated(language)
    for english in short:
        known = catalogue.get(english)
        assert known is not None, english
        assert cell_len(str(known.string)) <= max(9, round(1.35 * cell_len(english)) + 3), known.string


def _labels() -> Iterator[str]:
    """The texts in `Choice(…, _("…"))` of the players' seats."""
    tree = ast.parse((catalogues.ROOT / "kiosk/screen/seats.py").read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Choice":
            for label in node.args[1:2]:
                if isinstance(label, ast.Call) and isinstance(label.args[0], ast.Constant):
                    yield str(label.args[0].value)


@given(
    st.lists(st.tuples(st.sampled_from(("q", "F4")), st.text("abž ", min_size=1, max_size=30)), max_size=6),
    st.integers(30, 60),
    st.integers(2, 4),
    st.integers(0, 20),
    st.booleans(),
)
def test_no_key_is_ever_lost_for_want_of_room(
    keys: list[tuple[str, str]], width: int, lines: int, used: int, beside: bool
) -> None:
    begins_beside, rows = fitting(keys, width, lines, used, beside)
    assert [key for row in rows for key, _label in row] == [key for key, _label in keys]
    assert len(rows) + (not begins_beside) <= lines
    for number, row in enumerate(rows):
        taken: Any = used if begins_beside and not number else 0
        for key, label in row:
            taken += (2 if taken else 1) + cell_len(key) + 1 + cell_len(label)
        assert taken <= width or len(row) <= 1
