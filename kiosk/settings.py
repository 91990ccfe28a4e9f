"""The small TOML file of a service: read into a typed value, or refused with file, line and remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

T = TypeVar("T")


class SettingsError(ValueError):
    """A settings file that is not understood; str() names file, line and remedy."""


def read_settings(path: Path, kind: type[T]) -> T:
    """The settings in `path` as a `kind` (a msgspec Struct that forbids unknown fields).

    A `kind` that refuses a value in `__post_init__` begins its sentence with the key and a colon. Raises
    `SettingsError` for a file that cannot be read, is no TOML, or has an unknown key or a value that does not fit.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except FileNotFoundError:
        raise SettingsError(
            _("{file}: no such file. Write one (README shows an example) or name another with --config.").format(
                file=path
            )
        ) from None
    except OSError as error:
        raise SettingsError(_("{file}: cannot be read: {error}").format(file=path, error=error.strerror)) from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsError(
            _("{file}:{line}: this is no UTF-8 text: save the file as UTF-8.").format(file=path, line=line)
        ) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        at = f"{place[1]}:{place[2]}" if place else str(text.count("\n") + 1)
        why = re.sub(r" \(at .*\)", "", str(error))
        raise SettingsError(_("{file}:{at}: not TOML: {why}").format(file=path, at=at, why=why)) from None
    try:
        return msgspec.convert(table, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise SettingsError(_refusal(path, text, str(error), kind)) from None


def _refusal(path: Path, text: str, error: str, kind: type) -> str:
    """One sentence: where the faulty key stands, what is wrong, what would be right."""
    words = re.sub(r" - at `\$.*`$", "", error)
    at = re.search(r" - at `\$\.?(.*)`$", error)
    section = at[1] if at else ""
    known = ", ".join(_keys(kind, section))
    if unknown := re.match(r"Object contains unknown field `([^`]+)`", words):
        key = unknown[1]
        why = _("{key!r} is not known here; known are {known}").format(key=key, known=known)
    elif missing := re.match(r"Object missing required field `([^`]+)`", words):
        key = section
        why = _("{key!r} is missing").format(key=missing[1])
    elif wrong := re.match(r"Expected `([^`]+)`", words):
        key, section = section.split(".")[-1], ".".join(section.split(".")[:-1])
        kinds = _kinds()
        wanted = [kinds[name] for name in wrong[1].split(" | ") if name in kinds]
        why = _("{key}: write {wanted}").format(key=key, wanted=wanted[0] if wanted else wrong[1])
    else:
        key = words.split(":", 1)[0]
        why = words
    return _("{file}:{line}: {why}.").format(file=path, line=_line(text, section, key), why=why)


def _kinds() -> dict[str, str]:
    """What msgspec expected → what to write."""
    return {
        "str": _('a text in quotes, such as "3"'),
        "int": _("a whole number"),
        "float": _("a number"),
        "bool": _("true or false"),
        "object": _("a section"),
    }


def _keys(kind: Any, section: str) -> Iterator[str]:
    """The keys of a section of a Struct type ("" = the top)."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    if section in fields:
        inner = next(
            (part for part in (fields[section], *get_args(fields[section])) if hasattr(part, "__struct_fields__")), None
        )
        if inner is not None:
            yield from _keys(inner, "")
            return
    yield from fields


def _line(text: str, section: str, key: str) -> int:
    """The line of `key` in `section`, else of the section's head, else 1."""
    here, head = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        if opened := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            here = opened[1]
            if here in (section, key):
                head = number
        elif here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return head
