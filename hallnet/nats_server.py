"""The transport's server as a child of the hub: found, checked, started, watched and stopped.

Nothing is asked of it but to pass messages on: no memory on disk, no monitoring port. It ends with the hub's process,
however that ends; one that was left behind all the same is ended at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import json
import logging
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import PortBusy, ServerFailed, ServerMissing, ServerNotRunnable, ServerTooOld

log = logging.getLogger(__name__)

NAME = "nats-server"
OLDEST = (2, 14)
START_S = 10.0
STOP_S = 3.0
LOOK_S = 0.02
BACKOFF_S = (0.1, 2.0)
#: linux/prctl.h
_PR_SET_PDEATHSIG = 1
#: A log of more than this many bytes is set aside (one generation) at the next start.
LONGEST_LOG = 5_000_000
#: A client that has not finished its TLS greeting by then is cut off (s).
TLS_S = 5


@dataclass(frozen=True, slots=True)
class Security:
    """The server's certificate and key, and the file with its accounts; all of them paths."""

    certificate: Path
    key: Path
    users: Path


def find_server(setting: str | Path | None = None) -> Path:
    """The nats-server to run: the one in the settings, the one installed beside Python, or the one on the PATH.

    Raises `ServerMissing`.
    """
    if setting:
        path = Path(setting).expanduser()
        if not path.is_file():
            raise ServerMissing(
                _("there is no nats-server at {path}: correct the path in the settings, or leave it out").format(
                    path=path
                )
            )
        return path
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / NAME).is_file():
            return folder / NAME
    found = shutil.which(NAME)
    if found is None:
        raise ServerMissing(_("nats-server was not found: install this program again (make, or pip install hallkiosk)"))
    return Path(found)


def check_version(path: Path) -> tuple[int, int, int]:
    """The version of the nats-server at `path`; raises `ServerTooOld`, or `ServerNotRunnable` with the way out."""
    try:
        ran = subprocess.run(
            (str(path), "--version"),
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise _not_runnable(path, error) from error
    except subprocess.TimeoutExpired as error:
        raise ServerNotRunnable(
            _("{path} does not say its version: is it really nats-server? Install it again").format(path=path)
        ) from error
    found = re.search(r"v(\d+)\.(\d+)\.(\d+)", ran.stdout)
    if found is None:
        raise ServerNotRunnable(
            _("{path} does not say its version: is it really nats-server? Install it again").format(path=path)
        )
    version = (int(found[1]), int(found[2]), int(found[3]))
    if version[:2] < OLDEST:
        raise ServerTooOld(
            _(
                "{path} is nats-server {found}, which is unsafe: {oldest} or newer is needed (pip install hallkiosk)"
            ).format(path=path, found=".".join(map(str, version)), oldest=".".join(map(str, OLDEST)))
        )
    return version


def _not_runnable(path: Path, error: OSError) -> ServerNotRunnable:
    sentences = {
        errno.ENOEXEC: _("{path} is for another kind of processor: install the program anew on this machine"),
        errno.EACCES: _("{path} may not be run: chmod +x {path}, or check whether its disk is mounted noexec"),
        errno.ENOENT: _("{path} cannot be run, it or its loader is missing: install the program anew on this machine"),
    }
    sentence = sentences.get(error.errno or 0, _("{path} cannot be run ({error}): install the program anew"))
    return ServerNotRunnable(sentence.format(path=path, error=error.strerror))


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port that is free now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def end_with_parent() -> None:
    """From now on this process gets SIGTERM when the thread that started it has ended (Linux: PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class NatsServer:
    """A nats-server on `host`:`port` with its files (nats.conf, nats.pid, nats.log) in `run_dir`.

    `pid` is the process id while it runs, else 0; `restarts` counts how often `supervise` had to start it again.
    """

    def __init__(
        self,
        run_dir: Path,
        port: int,
        host: str = "127.0.0.1",
        binary: Path | None = None,
        security: Security | None = None,
        site: tuple[str, ...] = (),
    ) -> None:
        self.run_dir = run_dir
        self.port = port
        self.host = host
        self.security = security
        self.site = site
        self.restarts = 0
        self._binary = binary
        self._config = run_dir.absolute() / "nats.conf"
        self._pid_file = run_dir.absolute() / "nats.pid"
        self._log_file = run_dir.absolute() / "nats.log"
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False

    @property
    def url(self) -> str:
        """Where clients of this machine connect."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"nats://{host}:{self.port}"

    @property
    def log_file(self) -> Path:
        """Where the server writes what it sees."""
        return self._log_file

    @property
    def pid(self) -> int:
        """The process id of the running server, 0 if there is none."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else 0

    async def start(self) -> None:
        """Start the server, and return when it answers.

        Raises a `ServerError` with what to do: not found, too old, not runnable, port busy, or it did not come up.
        """
        self._stopping = False
        binary = self._binary or find_server()
        await asyncio.to_thread(check_version, binary)
        self._binary = binary
        await self._end_stale()
        self._check_port()
        self._write_config()
        await self._spawn()

    async def reload(self) -> None:
        """Have the server read its users anew; returns when they are in force. Raises `ServerFailed`.

        A file that is not understood leaves the old users in force.
        """
        process = self._process
        if process is None or process.returncode is not None:
            return  # the next start reads them
        before = self._log_file.stat().st_size
        process.send_signal(signal.SIGHUP)
        try:
            async with asyncio.timeout(START_S):
                while True:
                    with self._log_file.open("rb") as file:
                        file.seek(before)
                        said = file.read().decode("utf-8", "replace")
                    if "Reloaded server configuration" in said:
                        return
                    if "Failed to reload" in said:
                        raise ServerFailed(
                            _("nats-server does not take its new users: {line}").format(line=self._last_line())
                        )
                    if process.returncode is not None:
                        return
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            raise ServerFailed(
                _("nats-server has not taken its new users within {seconds} s (more in {log})").format(
                    seconds=round(START_S), log=self._log_file
                )
            ) from None

    async def supervise(self) -> None:
        """Start the server again whenever it ends, on the same port; runs until `stop` or cancelled."""
        pause = BACKOFF_S[0]
        loop = asyncio.get_running_loop()
        while not self._stopping:
            began = loop.time()
            process = self._process
            if process is not None:
                code = await process.wait()
                if self._stopping:
                    return
                log.error("nats-server ended with %d, starting it again: %s", code, self._last_line())
            if loop.time() - began > 10:
                pause = BACKOFF_S[0]
            await asyncio.sleep(pause)
            pause = min(BACKOFF_S[1], pause * 2)
            if self._stopping:
                return
            try:
                await self._spawn()
            except (ServerFailed, OSError) as error:
                log.error("%s", error)
                self._process = None
            else:
                self.restarts += 1

    async def stop(self) -> None:
        """End the server and wait for its end; safe to call twice."""
        self._stopping = True
        process = self._process
        if process is None:
            return
        await _end(process)
        self._process = None
        self._pid_file.unlink(missing_ok=True)

    def _write_config(self) -> None:
        self.run_dir.mkdir(parents=True, exist_ok=True)
        text = "\n".join(
            (
                "# Written by the hub at every start.",
                f"host: {json.dumps(self.host)}",
                f"port: {self.port}",
                f"server_name: {json.dumps(f'hall-{self.port}')}",
                f"pid_file: {json.dumps(str(self._pid_file))}",
                "max_payload: 1MB",
                "# One frozen client is cut off, not waited for.",
                "max_pending: 1MB",
                'write_deadline: "2s"',
                'ping_interval: "5s"',
                "ping_max: 2",
                "",
            )
        )
        if self.security is not None:
            text += _secured(self.security)
        if self.site:
            text += _leaf(self.site, self.security is not None)
        new = self._config.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(self._config)
        with contextlib.suppress(FileNotFoundError):
            if self._log_file.stat().st_size > LONGEST_LOG:
                self._log_file.replace(self._log_file.with_suffix(".log.1"))

    def _check_port(self) -> None:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise ServerFailed(
                        _("the address {host}:{port} cannot be used ({error}): choose another in the settings").format(
                            host=self.host, port=self.port, error=error.strerror
                        )
                    ) from error
                raise PortBusy(
                    self.port,
                    _(
                        "port {port} on {host} is in use (is a hub running?): end that one, or choose another port"
                    ).format(port=self.port, host=self.host),
                ) from error

    async def _spawn(self) -> None:
        assert self._binary is not None
        with self._log_file.open("ab") as output:
            try:
                process = await asyncio.create_subprocess_exec(
                    str(self._binary), "-c", str(self._config), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    preexec_fn=end_with_parent,
                )  # fmt: skip
            except OSError as error:
                raise _not_runnable(self._binary, error) from error
        self._process = process
        if self._stopping:
            # `stop` was called while the process came into being, and did not see it.
            await _end(process)
            return
        try:
            async with asyncio.timeout(START_S):
                while not await self._answers():
                    if process.returncode is not None:
                        raise ServerFailed(
                            _("nats-server ended at once: {line} (more in {log})").format(
                                line=self._last_line(), log=self._log_file
                            )
                        )
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            await _end(process)
            raise ServerFailed(
                _("nats-server did not answer within {seconds} s: {line} (more in {log})").format(
                    seconds=round(START_S), line=self._last_line(), log=self._log_file
                )
            ) from None
        except BaseException:
            await _end(process)
            raise

    async def _answers(self) -> bool:
        """Whether a server speaks on the port: it greets with a line that begins with INFO."""
        context = None
        if self.security is not None:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        try:
            reader, writer = await asyncio.open_connection(host, self.port, ssl=context)
        except OSError:
            return False
        try:
            return (await reader.readexactly(4)) == b"INFO"
        except (OSError, asyncio.IncompleteReadError):
            return False
        finally:
            writer.close()

    async def _end_stale(self) -> None:
        """End a server that a killed hub left behind, known by its pid file and our configuration in its arguments."""
        pid = self._stale_pid()
        for sign, seconds in ((signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
            if not pid:
                return
            log.warning("ending the nats-server %d that an earlier hub left behind", pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sign)
            # It is no child of this process, so there is nothing to wait on.
            for _look in range(int(seconds / LOOK_S)):
                pid = self._stale_pid()
                if not pid:
                    break
                await asyncio.sleep(LOOK_S)
        if pid:
            raise ServerFailed(
                _("the nats-server {pid} of an earlier hub does not end: end it with kill -9 {pid}").format(pid=pid)
            )

    def _stale_pid(self) -> int:
        try:
            pid = int(self._pid_file.read_text(encoding="ascii"))
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return 0
        return pid if os.fsencode(self._config) in arguments else 0

    def _last_line(self) -> str:
        try:
            lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return lines[-1] if lines else ""


def _leaf(site: tuple[str, ...], accounts: bool) -> str:
    """This server as a leaf of a site's: what its clients publish for the site goes up, as soon as there is a way."""
    account = ', account: "HALL"' if accounts else ""
    # What is said inside a hall stays there, whatever another hall is called.
    closed = ', deny_imports: ["h1.>"], deny_exports: ["h1.>"]'
    remotes = f"[{{urls: {json.dumps(list(site))}{account}{closed}}}]"
    return f'leafnodes {{\n  reconnect: "1s"\n  remotes: {remotes}\n}}\n'


def _secured(security: Security) -> str:
    """The settings for TLS from the first byte, and for accounts with keys."""
    return "\n".join(
        (
            "tls {",
            f"  cert_file: {json.dumps(str(security.certificate.absolute()))}",
            f"  key_file: {json.dumps(str(security.key.absolute()))}",
            "  handshake_first: true",
            f"  timeout: {TLS_S}",
            "}",
            "# The hub has four subscriptions, a table seven.",
            "max_subscriptions: 20",
            f"include {json.dumps(security.users.name)}",
            "",
        )
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(sign)
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            log.warning("nats-server %d does not end", process.pid)
