"""What a board has by its device tree, and which kernel modules drive that: a card must carry all of them.

The form of the file is chapter 5 of the Devicetree Specification (release v0.4).
"""

from __future__ import annotations

import fnmatch
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_MAGIC = 0xD00DFEED
_BEGIN, _END, _PROPERTY, _NOTHING, _LAST = 1, 2, 3, 4, 9
#: The kernel's name for a driver of a node of any name and any type: what it is compatible with counts.
_ALIAS = re.compile(r"of:N.*?T.*?C(.+)")


def devices(tree: bytes) -> list[tuple[str, ...]]:
    """What each device that is switched on is compatible with, the most exact word first.

    A device is on if neither it nor anything above it has another status than "okay" (2.3.4 of the specification).

    Raises:
        ValueError: this is no device tree.
    """
    found: list[tuple[str, ...]] = []
    on = [True]
    for token, name, value in _tokens(tree):
        if token == _BEGIN:
            on.append(on[-1])
            found.append(())
        elif token == _END:
            on.pop()
        elif name == "status" and value.rstrip(b"\0") not in (b"okay", b"ok"):
            on[-1] = False
            found[-1] = ()
        elif name == "compatible" and on[-1]:
            found[-1] = tuple(value.rstrip(b"\0").decode("ascii").split("\0"))
    return [words for words in found if words]


def drivers(aliases: Iterable[str], built_in: bytes) -> dict[str, str]:
    """What a driver is for (a word of `devices`, may end in *) → its module, "" for one that is part of the kernel.

    `aliases` are the lines of modules.alias, `built_in` is modules.builtin.modinfo.
    """
    out: dict[str, str] = {}
    for line in aliases:
        words = line.split()
        if len(words) == 3 and (match := _ALIAS.fullmatch(words[1])):
            out[match[1]] = words[2].replace("-", "_")
    for entry in built_in.split(b"\0"):
        _module, _dot, fact = entry.decode("latin-1").partition(".")
        if match := _ALIAS.fullmatch(fact.removeprefix("alias=")):
            out[match[1]] = ""
    return out


def driver(words: tuple[str, ...], known: Mapping[str, str]) -> str | None:
    """The module for a device ("" if the kernel itself has it), or None if this kernel knows no driver for it."""
    patterns = [pattern for pattern in known if "*" in pattern]
    for word in words:
        for name in (word, *(pattern for pattern in patterns if fnmatch.fnmatchcase(word, pattern))):
            if name in known:
                return known[name]
    return None


def modules_for(trees: Iterable[Path], known: Mapping[str, str]) -> set[str]:
    """The modules that drive what these boards have."""
    needed = {driver(words, known) for tree in trees for words in devices(tree.read_bytes())}
    return {name for name in needed if name}


def _tokens(tree: bytes) -> Iterator[tuple[int, str, bytes]]:
    magic, _size, structure, names = struct.unpack_from(">4I", tree)
    if magic != _MAGIC:
        raise ValueError("no device tree")
    at = structure
    while True:
        (token,) = struct.unpack_from(">I", tree, at)
        at += 4
        if token == _BEGIN:
            end = tree.index(b"\0", at)
            yield token, tree[at:end].decode("ascii"), b""
            at = (end + 4) & ~3
        elif token == _PROPERTY:
            length, offset = struct.unpack_from(">2I", tree, at)
            start = names + offset
            yield token, tree[start : tree.index(b"\0", start)].decode("ascii"), tree[at + 8 : at + 8 + length]
            at = (at + 8 + length + 3) & ~3
        elif token == _END:
            yield token, "", b""
        elif token != _NOTHING:
            if token != _LAST:
                raise ValueError(f"no device tree: token {token}")
            return
