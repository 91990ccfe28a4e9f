"""Whole halls for tests: the demonstration as a child process, its pids, and its outcome."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EIGHT = """name,rating,title,federation
"Adler, Ruth",2200,WFM,AUT
"Bello, Musa",2100,,NGR
"Costa, Rui",2000,,POR
"Dahl, Inge",1900,,NOR
"Ek, Svante",1800,,SWE
"Faber, Jan",1700,,NED
"Gomez, Luz",1600,,ESP
"Hoxha, Ana",0,,ALB
"""


@dataclass
class Demo:
    """A headless demonstration that runs in `folder`."""

    folder: Path
    process: subprocess.Popen[str]

    @classmethod
    def start(cls, folder: Path, *arguments: str, entries: str = EIGHT) -> Demo:
        """Starts it; eight players at four tables unless the arguments say otherwise."""
        folder.mkdir(parents=True, exist_ok=True)
        listing = folder / "list.csv"
        listing.write_text(entries, encoding="utf-8")
        command = [sys.executable, "-m", "kiosk", "demo", "--headless", "--json", "--tables", "4"]
        command += ["--entries", str(listing), "--out", str(folder / "out"), *arguments]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"HALLKIOSK_RUNTIME_DIR": str(folder / "run")},
        )
        return cls(folder / "out", process)

    def finish(self, timeout: float = 240) -> dict[str, Any]:
        """Waits for the end; the summary. Fails with what the process said otherwise."""
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            out, err = self.process.communicate()
            raise AssertionError(f"the demonstration did not end: {err[-2000:]}") from None
        assert self.process.returncode == 0, err[-3000:]
        summary: dict[str, Any] = json.loads(out)
        return summary

    def pids(self) -> dict[str, int]:
        """The processes of the hall by name, the transport's server included."""
        pids: dict[str, int] = json.loads((self.folder / "pids.json").read_text(encoding="utf-8"))
        return pids | {"transport": int((self.folder / "nats.pid").read_text(encoding="utf-8"))}

    def said(self, text: str, timeout: float = 180) -> None:
        """Waits until the demonstration has told a line with `text` on stderr."""
        assert self.process.stderr is not None
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            line = self.process.stderr.readline()
            if text in line:
                return
            if not line and self.process.poll() is not None:
                break
        raise AssertionError(f"{text!r} was not said")
