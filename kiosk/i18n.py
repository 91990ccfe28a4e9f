"""Binds the program's text domain once, so that `gettext.gettext` speaks the user's language in every package.

Translated is what players and the organiser at a table read (`kiosk.locale.catalogues` says which folders, and how);
everything else is English. Moves are written with English letters (`Nf3`, as in PGN) in every language, on the screen,
in sentences and where a player types one: the same at every table, in the files and in the arbiter's papers. The
screen's board shows figurines; pieces in sentences are words (`Springer`). Keys keep their letters too.
"""

from __future__ import annotations

import functools
import gettext
import os
from pathlib import Path

DOMAIN = "hallkiosk"
LOCALE = Path(__file__).with_name("locale")


def speak(language: str) -> None:
    """The language of this process from now on, such as `sr@latin`; "" leaves it as it is."""
    if language:
        os.environ["LANGUAGE"] = language
        bind()


def bind() -> None:
    """Call first thing in a process. The language comes from LANGUAGE, LC_ALL, LC_MESSAGES or LANG."""
    gettext.bindtextdomain(DOMAIN, LOCALE)
    gettext.textdomain(DOMAIN)
    # The standard functions look for the catalogue's file at every call (some 40 µs). The language of a process does
    # not change, so where the files are is remembered.
    gettext.find = functools.lru_cache(maxsize=64)(_FIND)  # type: ignore[assignment]


_FIND = gettext.find
