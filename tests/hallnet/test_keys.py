"""Keys, certificates, allow-lists and enrolment, without a network."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hallnet import ca
from hallnet.enrol import (
    ALPHABET,
    WRONG_TRIES,
    DeviceSide,
    HubSide,
    Offer,
    Reveal,
    Revealed,
    commitment,
    device_token,
)
from hallnet.keyring import ROTATION_MS, Grant, KeyEvent, Keyring, permissions, users_file
from hallnet.keys import Credentials, Key, KeyFault, is_public
from hallnet.wire import Address, WireError

ADDRESS = Address("e", "h")
NOW = 1_780_000_000_000


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ca")
    ca.ensure(folder, "hall", NOW)
    return folder


def test_a_key_is_kept_for_its_owner_alone_and_comes_back(tmp_path: Path) -> None:
    key = Key.make()
    key.save(tmp_path / "k.key")
    assert stat.S_IMODE((tmp_path / "k.key").stat().st_mode) == 0o600
    assert Key.load(tmp_path / "k.key").public == key.public
    assert is_public(key.public)
    assert not is_public(key.seed)
    (tmp_path / "k.key").chmod(0o644)
    with pytest.raises(KeyFault, match="chmod 600"):
        Key.load(tmp_path / "k.key")
    with pytest.raises(KeyFault, match="enrol"):
        Key.load(tmp_path / "none.key")


@given(st.binary(min_size=32, max_size=32), st.integers(0, 55))
def test_a_key_with_one_wrong_letter_is_no_key(raw: bytes, at: int) -> None:
    key = Key.of(raw)
    assert Key.from_seed(key.seed).public == key.public
    assert len(key.public) == 56
    assert key.public.startswith("U")
    wrong = key.public[:at] + ("A" if key.public[at] != "A" else "B") + key.public[at + 1 :]
    assert not is_public(wrong)


@given(st.text(max_size=80))
def test_any_text_is_a_key_or_refused_with_a_sentence(text: str) -> None:
    assert not is_public(text)
    with pytest.raises(KeyFault):
        Key.from_seed(text)


def test_what_is_missing_of_a_ca_is_made_and_nothing_else(tmp_path: Path) -> None:
    ca.ensure(tmp_path, "hall", NOW)
    first = (tmp_path / "ca.pem").read_bytes(), (tmp_path / "server.pem").read_bytes()
    ca.ensure(tmp_path, "hall", NOW)
    assert first == ((tmp_path / "ca.pem").read_bytes(), (tmp_path / "server.pem").read_bytes())
    (tmp_path / "server.pem").unlink()
    ca.ensure(tmp_path, "hall", NOW)
    assert (tmp_path / "ca.pem").read_bytes() == first[0]
    (tmp_path / "server.key").unlink()
    (tmp_path / "ca.key").unlink()
    with pytest.raises(KeyFault, match="backup"):
        ca.ensure(tmp_path, "hall", NOW)
    for name in ("ca.key", "server.key", "server.pem"):
        (tmp_path / name).unlink(missing_ok=True)


def test_the_ca_lives_for_twenty_years_whatever_the_clock_says(authority: Path) -> None:
    pem = (authority / "ca.pem").read_bytes()
    year = 365 * 86_400_000
    for now in (0, NOW, NOW + 19 * year):
        ca.check_dates(pem, now)
    with pytest.raises(KeyFault, match="ran out"):
        ca.check_dates(pem, NOW + 21 * year)
    with pytest.raises(KeyFault, match="ran out"):
        ca.check_dates(pem, 0, newest_ms=NOW + 21 * year)
    with pytest.raises(KeyFault):
        Credentials(Key.make(), authority / "server.key").tls()


def test_a_new_key_lets_the_old_one_in_for_a_minute_and_a_revoked_one_never() -> None:
    ring = Keyring()
    ring.fold(KeyEvent(1_000, "granted", "UA", "table", "1", "x"))
    ring.fold(KeyEvent(2_000, "granted", "UB", "table", "1", "x"))
    assert {g.public for g in ring.holders("table", "1")} == {"UA", "UB"}
    assert ring.due(2_000 + ROTATION_MS - 1) == ()
    assert [g.public for g in ring.due(2_000 + ROTATION_MS)] == ["UA"]
    ring.fold(KeyEvent(3_000, "revoked", "UB", "table", "1", "x"))
    assert [g.public for g in ring.holders("table", "1")] == ["UA"]
    assert ring.may_act("desk1")
    ring.fold(KeyEvent(4_000, "granted", "UW", "wall", "w", "x"))
    assert not ring.may_act("w")


def test_nobody_but_the_hub_may_write_to_a_table_and_spectators_only_hear() -> None:
    roles = {role: permissions(Grant("U", role, "x", 0), ADDRESS) for role in (
        "table", "desk", "wall", "standby", "feed", "enrol")}  # type: ignore[arg-type]  # fmt: skip
    for role, allowed in roles.items():
        assert all(">" not in subject for subject in allowed["publish"]), role
        assert allowed["publish"], "an empty list would mean everything"
        for leaf in ("ack", "asg", "ord", "snap", "hbr", "past"):
            assert not any(subject.endswith(leaf) for subject in allowed["publish"]), role
    text = users_file([Grant("UF", "feed", "web", 0), Grant("UT", "table", "1", 0)], ADDRESS)
    hall, public = text.split("  PUBLIC {")
    assert "UT" in hall
    assert "UF" not in hall
    assert "UF" in public
    assert "UT" not in public


def sides(authority: Path) -> tuple[DeviceSide, HubSide, str]:
    key = Key.make()
    hub = HubSide((authority / "ca.pem").read_text(), ADDRESS, "table", "12", NOW, "arbiter")
    return DeviceSide(key, "serial 1"), hub, device_token(key.public)


def meet(device: DeviceSide, hub: HubSide, token: str) -> None:
    offer = hub.hello(token, device.hello())
    assert offer is not None
    reveal = device.offered(offer)
    assert reveal is not None
    revealed = hub.reveal(token, reveal)
    assert revealed is not None
    device.revealed(revealed)


def test_both_sides_show_the_same_code_and_the_arbiter_types_it(authority: Path) -> None:
    device, hub, token = sides(authority)
    meet(device, hub, token)
    assert len(device.code) == 6
    assert set(device.code) <= set(ALPHABET)
    assert hub.candidates[token].code == device.code
    found = hub.accept(f" {device.code[:3].lower()} {device.code[3:]} ")
    assert found is not None
    assert found.public == device.key.public


def test_three_wrong_codes_close_the_enrolment(authority: Path) -> None:
    device, hub, token = sides(authority)
    meet(device, hub, token)
    for _n in range(WRONG_TRIES):
        assert not hub.closed
        assert hub.accept("AAAAAA") is None
    assert hub.closed


def test_somebody_in_the_middle_has_other_codes_on_the_two_sides(authority: Path, tmp_path: Path) -> None:
    device, hub, _token = sides(authority)
    ca.ensure(tmp_path, "evil", NOW)
    evil_key = Key.make()
    evil_hub = HubSide((tmp_path / "ca.pem").read_text(), ADDRESS, "table", "12", NOW, "evil")
    evil_device = DeviceSide(evil_key, "serial 1")
    meet(device, evil_hub, device_token(device.key.public))
    meet(evil_device, hub, device_token(evil_key.public))
    assert device.code != evil_device.code
    assert hub.accept(device.code) is None


def test_a_number_that_was_not_chosen_before_is_refused_by_both(authority: Path) -> None:
    device, hub, token = sides(authority)
    offer = hub.hello(token, device.hello())
    assert offer is not None
    device.offered(offer)
    with pytest.raises(KeyFault, match="between"):
        device.revealed(Revealed(nonce="00" * 16))
    assert hub.reveal(token, Reveal(public=device.key.public, nonce="00" * 16)) is None
    assert token not in hub.candidates


def test_a_card_that_knows_its_hall_refuses_another_one(authority: Path, tmp_path: Path) -> None:
    ca.ensure(tmp_path, "evil", NOW)
    evil = (tmp_path / "ca.pem").read_text()
    device = DeviceSide(Key.make(), "s", known_ca=(authority / "ca.pem").read_text())
    with pytest.raises(KeyFault, match="another hall"):
        device.offered(Offer(ca=evil, event="e", hall="h", commit=commitment("hub", b"x" * 16, evil)))


def test_keys_that_are_none_and_foreign_tokens_are_refused(authority: Path) -> None:
    device, hub, _token = sides(authority)
    with pytest.raises(WireError):
        hub.hello("someoneelse", device.hello())
