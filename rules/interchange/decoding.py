"""Bytes → text, and which line and column a byte is in."""

from __future__ import annotations

import codecs
import re
from gettext import gettext as _

from rules.interchange.errors import Adjustment, Defect, InterchangeError


def lines_of(text: str) -> list[str]:
    """The lines of a text whose lines end in LF, CRLF or CR; other Unicode line ends stay inside a line."""
    return re.split(r"\r\n|\n|\r", text)


def place(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column (from 1) of a byte; what stands before it in its line is counted as UTF-8."""
    before = re.split(rb"\r\n|\n|\r", data[:offset])
    return len(before), len(before[-1].decode("utf-8-sig", "replace")) + 1


def refuse_utf16(data: bytes, file: str) -> None:
    """Raises InterchangeError when the file is UTF-16, as some spreadsheets save it."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InterchangeError(file, [Defect(1, 1, _("the file is UTF-16"), _("save it as UTF-8"))])


def decoded(data: bytes, file: str, code_page: str) -> tuple[str, Adjustment | None]:
    """The text of a file: UTF-8 (with or without BOM), else the code page, and then an adjustment that says so.

    Raises InterchangeError with the place of the byte that fits neither, and LookupError for an unknown code page.
    """
    refuse_utf16(data, file)
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        start = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    line, column = place(data, start)
    if data.startswith(codecs.BOM_UTF8):
        what = _("the file says it is UTF-8, but this byte is not")
        raise InterchangeError(file, [Defect(line, column, what, _("save it as UTF-8 again"))])
    try:
        text = data.decode(code_page)
    except UnicodeDecodeError as error:
        what = _("this byte is neither UTF-8 nor {code_page}").format(code_page=code_page)
        remedy = _("name the code page of the file, or save it as UTF-8")
        raise InterchangeError(file, [Defect(*place(data, error.start), what, remedy)]) from error
    except UnicodeError as error:  # a code that is none of bytes and letters
        raise LookupError(_("{code_page} is no code page").format(code_page=code_page)) from error
    return text, Adjustment(line, column, _("not UTF-8 from here on; read as {page}").format(page=code_page))
