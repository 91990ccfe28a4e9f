"""A disk whose syncs can be slow, and that forgets what was not synced: a layer between SQLite and the files.

It is a VFS like the one SQLite uses anyway, with one method exchanged. After each sync the file as it is then is copied
to a shadow folder: that folder is what a machine finds after a power cut that lost every unsynced byte.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

_NAME = b"forgetful"
#: The name is a pointer and not a text: SQLite reads what stands behind its end.
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_POINTERS = 18


class _Vfs(ctypes.Structure):
    """sqlite3.h: struct sqlite3_vfs; all but xOpen are passed on."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", ctypes.c_void_p),
        ("rest", ctypes.c_void_p * 15),
    )


class _Methods(ctypes.Structure):
    """sqlite3.h: struct sqlite3_io_methods; `methods[4]` is xSync."""

    _fields_ = (("version", ctypes.c_int), ("methods", ctypes.c_void_p * _POINTERS))


_kept: list[object] = []


def install(sync_ms: float = 0, shadow: Path | None = None, on_sync: Callable[[], None] | None = None) -> None:
    """From now on all databases that this process opens are on that disk."""
    library = ctypes.CDLL("libsqlite3.so.0")
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    library.sqlite3_vfs_register.argtypes = (ctypes.c_void_p, ctypes.c_int)
    original = library.sqlite3_vfs_find(None)
    open_file = _OPEN(original.contents.open)
    paths: dict[int, Path] = {}
    syncs: dict[int, Callable[[int, int], int]] = {}
    exchanged: dict[int, _Methods] = {}

    def sync(file: int, flags: int) -> int:
        if sync_ms:
            time.sleep(sync_ms / 1000)
        result = syncs[file](file, flags)
        # A rollback journal is only there while a file becomes one with a WAL, and its end is synced with the folder.
        if result == 0 and shadow is not None and not paths[file].name.endswith("-journal"):
            _remember(paths[file], shadow)
        if on_sync is not None:
            on_sync()
        return result

    sync_pointer = _SYNC(sync)

    def opened(vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        result = open_file(ctypes.addressof(original.contents), name, file, flags, out)
        place = ctypes.cast(file, ctypes.POINTER(ctypes.c_void_p))
        methods = place[0]
        if result == 0 and methods and name:
            if methods not in exchanged:
                own = _Methods.from_buffer_copy(ctypes.string_at(methods, ctypes.sizeof(_Methods)))
                own.methods[4] = ctypes.cast(sync_pointer, ctypes.c_void_p).value
                exchanged[methods] = own
            before = ctypes.cast(methods, ctypes.POINTER(_Methods)).contents
            syncs[file] = _SYNC(before.methods[4])
            paths[file] = Path(os.fsdecode(ctypes.string_at(name)))
            place[0] = ctypes.addressof(exchanged[methods])
        return result

    own_vfs = _Vfs.from_buffer_copy(original.contents)
    open_pointer = _OPEN(opened)
    own_vfs.open = ctypes.cast(open_pointer, ctypes.c_void_p).value
    own_vfs.name = _NAME
    _kept.extend((own_vfs, open_pointer, sync_pointer, exchanged, syncs, original, open_file))
    assert library.sqlite3_vfs_register(ctypes.addressof(own_vfs), 1) == 0


def _remember(path: Path, shadow: Path) -> None:
    new = shadow / f"{path.name}.new"
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(path, new)
        new.replace(shadow / path.name)
