"""`make messages`: from the texts in the sources to the catalogues that `kiosk.i18n` reads. Needs Babel.

Each language has its folder with a `.po`, which people translate, and the `.mo` made of it, which the program reads;
both are kept in the tree, so that an installed program needs no tools. Serbian is written in Cyrillic letters; the
catalogue in Latin letters is made from it, letter by letter, and never edited.

A new language: its name in `LANGUAGES`, `make messages`, then translate what is empty in its `.po`, and once more
`make messages`. A new part of the program: its folder or file in `SPOKEN`.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from kiosk.i18n import DOMAIN, LOCALE

ROOT = LOCALE.parent.parent
#: Whose texts players, spectators and the organiser at a table read: translated to all languages.
HALL = (
    "kiosk/screen",
    "kiosk/widgets",
    "kiosk/table",
    "kiosk/provision",
    "kiosk/settings.py",
    "rules/laws",
    "kiosk/wall",
)
#: Whose texts the arbiter reads: translated to `OFFICE_LANGUAGES` so far.
OFFICE = ("kiosk/desk",)
#: The folders and files whose texts are translated.
SPOKEN = (*HALL, *OFFICE)
#: The languages that people translate to.
LANGUAGES = ("de", "ru", "sr")
#: Those in which the desk is whole.
OFFICE_LANGUAGES = ("de",)
#: Made from Serbian in Cyrillic letters.
LATIN = "sr@latin"
#: The header of a catalogue names the day of its beginning only: a date of each run would be a change without one.
BEGAN = datetime(2026, 11, 30, tzinfo=UTC)

_LETTERS = dict(zip("абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš", strict=True))
_LETTERS |= {"љ": "lj", "њ": "nj", "џ": "dž"}


def in_latin(text: str) -> str:
    """Serbian Cyrillic text in Latin letters. Every letter has one counterpart, so nothing is lost or guessed.

    The three that become two letters are written `Nj` at the beginning of a word, `NJ` within capitals. Accents stay.
    """
    return "".join(_latin(text, at) for at in range(len(text)))


def _latin(text: str, at: int) -> str:
    sign = text[at]
    small = _LETTERS.get(sign.lower())
    if small is None:
        return sign
    if sign.islower():
        return small
    among_capitals = text[at + 1 : at + 2].isupper() or (
        text[at - 1 : at].isupper() and not text[at + 1 : at + 2].islower()
    )
    return small.upper() if among_capitals else small.capitalize()


def source_texts() -> Catalog:
    """All texts of `SPOKEN`, with the files where they stand."""
    found = Catalog(project=DOMAIN, creation_date=BEGAN, charset="utf-8")
    for path in source_files():
        for _line, message, comments, context in extract_from_file("python", path):
            found.add(message, None, [(str(path.relative_to(ROOT)), 0)], auto_comments=comments, context=context)
    return found


def source_files() -> Iterator[Path]:
    """The files of `SPOKEN`, in the same order on every machine."""
    for place in SPOKEN:
        path = ROOT / place
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def po_file(language: str) -> Path:
    """Where people translate to `language`."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def mo_file(language: str) -> Path:
    """What the program reads in `language`."""
    return po_file(language).with_suffix(".mo")


def translated(language: str) -> Catalog:
    """The catalogue of `language` as it is kept; an empty one if there is none yet."""
    path = po_file(language)
    if not path.exists():
        return Catalog(language, DOMAIN, creation_date=BEGAN, revision_date=BEGAN, charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, language, DOMAIN)


def updated(language: str, sources: Catalog) -> Catalog:
    """The catalogue of `language` with the texts of the sources: new ones are empty, vanished ones gone."""
    catalogue = translated(language)
    catalogue.update(sources, no_fuzzy_matching=True)
    return catalogue


def latin_of(serbian: Catalog) -> Catalog:
    """The catalogue in Latin letters for the one in Cyrillic letters."""
    latin = copy.deepcopy(serbian)
    latin.locale = LATIN
    for message in latin:
        if message.id:
            forms = tuple(map(in_latin, forms_of(message)))
            message.string = forms if message.pluralizable else forms[0]
    return latin


def write(language: str, catalogue: Catalog) -> None:
    """The catalogue as `.po` and `.mo`."""
    catalogue.header_comment = f"# {DOMAIN} in {language}. See kiosk/locale/catalogues.py for how this file is kept."
    catalogue.project, catalogue.version, catalogue.fuzzy = DOMAIN, "", False
    catalogue.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    po_file(language).parent.mkdir(parents=True, exist_ok=True)
    with po_file(language).open("wb") as file:
        write_po(file, catalogue, width=120, include_lineno=False, ignore_obsolete=True, sort_by_file=True)
    with mo_file(language).open("wb") as file:
        write_mo(file, catalogue)


def forms_of(message: Message) -> tuple[str, ...]:
    """The translation: one text, or as many as the language has plural forms; "" for what is not translated."""
    text = message.string
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def untranslated(catalogue: Catalog) -> Iterator[str]:
    """The texts without a translation."""
    for message in catalogue:
        if message.id and not all(forms_of(message)):
            yield message.id if isinstance(message.id, str) else message.id[0]


def main() -> int:
    """Writes all catalogues, and says what is left to translate; an exit code."""
    sources = source_texts()
    for language in LANGUAGES:
        catalogue = updated(language, sources)
        write(language, catalogue)
        if language == "sr":
            write(LATIN, latin_of(catalogue))
        left = list(untranslated(catalogue))
        print(f"{language}: {len(catalogue) - len(left)} of {len(catalogue)} texts translated")
        for text in left:
            print(f"    {text!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
