"""The small TOML file of a service: read into a typed value, or refused with file, line and remedy."""

from __future__ import annotations

import re
import tomllib
from gettext import gettext as _
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


class SettingsError(ValueError):
    """A settings file that is not understood; str() names file, line and remedy."""


def read_settings(path: Path, kind: type[T]) -> T:
    """The settings in `path` as a `kind` (a msgspec Struct that forbids unknown fields).

    Raises `SettingsError` for a file that cannot be read, is no TOML, or has an unknown key or a value of a wrong type.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SettingsError(
            _("{file}: no such file. Write one (README shows an example) or leave --config out.").format(file=path)
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(_("{file}: cannot be read: {error}").format(file=path, error=error)) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        at = f"{place[1]}:{place[2]}" if place else _("end")
        why = re.sub(r" \(at .*\)", "", str(error))
        raise SettingsError(_("{file}:{at}: not TOML: {why}").format(file=path, at=at, why=why)) from None
    try:
        return msgspec.convert(table, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise SettingsError(_refusal(path, text, str(error), kind)) from None


def _refusal(path: Path, text: str, error: str, kind: type) -> str:
    """One sentence: where the faulty key stands, what is wrong, which keys there are."""
    key = re.search(r"unknown field `([^`]+)`", error) or re.search(r"`\$\.([A-Za-z_][\w.]*)", error)
    name = key[1].split(".")[-1] if key else ""
    lines = [n for n, line in enumerate(text.splitlines(), 1) if name and re.match(rf"\s*\[?{re.escape(name)}\b", line)]
    known = ", ".join(field.encode_name for field in msgspec.structs.fields(kind))
    return _("{file}:{line}: {error}. Known keys: {known}").format(
        file=path, line=lines[0] if lines else 1, error=error, known=known
    )
