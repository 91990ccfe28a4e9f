"""`gettext` for texts that are needed thousands of times: it looks for catalogues on disk at every call, this does not.

A round of a large event has thousands of sentences from a few dozen templates. `fresh` forgets what was looked up, so
that the language of the moment counts.
"""

from __future__ import annotations

from gettext import gettext

_known: dict[str, str] = {}


def _(message: str) -> str:
    """The message in the user's language."""
    found = _known.get(message)
    if found is None:
        found = _known[message] = gettext(message)
    return found


def fresh() -> None:
    """Look everything up again from now on; called once for each explanation."""
    _known.clear()
