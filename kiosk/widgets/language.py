"""`_` and `ngettext` for the faces: the standard ones, remembered.

The standard functions look for the catalogue's file at every call, which a screen that is painted ten times a second
cannot afford (measured: a tenth of a face's time). The language does not change while a face runs.
"""

from __future__ import annotations

import gettext as standard
from functools import lru_cache

#: More than all sentences of the faces.
_MOST = 2_048


@lru_cache(_MOST)
def _(message: str) -> str:
    """The message in the language of the hall."""
    return standard.gettext(message)


@lru_cache(_MOST)
def ngettext(one: str, many: str, n: int) -> str:
    """The message for `n` things in the language of the hall."""
    return standard.ngettext(one, many, n)


__all__ = ["_", "ngettext"]
