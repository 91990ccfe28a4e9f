"""The hall's authority for the standby: only the one that asked can open it, and only what it asked for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hallnet import ca
from hallnet.key_share import Wanter, checked, has_keys, seal
from hallnet.keys import Key, KeyFault
from hallnet.wire import Address, WireError, decode, encode

HALL = Address("spring", "hall")
NOW = 1_780_000_000_000


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """The hub's keys."""
    ca.ensure(tmp_path / "hub", "hall", NOW)
    return tmp_path / "hub"


def test_the_standby_gets_the_authority_and_can_make_a_certificate_with_it(hub: Path, tmp_path: Path) -> None:
    wanter, mine = Wanter(Key.make(), HALL), tmp_path / "mine"
    checked(wanter.want, HALL)
    sealed = seal(wanter.want, hub, HALL)
    assert b"PRIVATE" not in encode(sealed)
    assert not has_keys(mine)
    assert wanter.take(decode(encode(sealed), type(sealed)), mine, hub / "ca.pem")
    assert has_keys(mine)
    assert (mine / "ca.key").read_bytes() == (hub / "ca.key").read_bytes()
    assert (mine / "ca.key").stat().st_mode & 0o077 == 0
    ca.ensure(mine, "hall", NOW)
    assert (mine / "server.pem").exists()
    assert (mine / "server.key").read_bytes() != (hub / "server.key").read_bytes()


def test_nobody_else_can_open_it(hub: Path, tmp_path: Path) -> None:
    wanter, other = Wanter(Key.make(), HALL), Wanter(Key.make(), HALL)
    sealed = seal(wanter.want, hub, HALL)
    assert not other.take(sealed, tmp_path / "x", hub / "ca.pem"), "an answer for another is not looked at"
    with pytest.raises(KeyFault, match="could not be opened"):
        other.take(msgspec.structs.replace(sealed, box=other.want.box), tmp_path / "x", hub / "ca.pem")
    for broken in ({"sealed": "AAAA"}, {"sealed": sealed.sealed[:-8] + "AAAAAAA="}, {"hub": "00" * 32}, {"hub": "zz"}):
        with pytest.raises(KeyFault, match="could not be opened"):
            wanter.take(msgspec.structs.replace(sealed, **broken), tmp_path / "x", hub / "ca.pem")
    with pytest.raises(KeyFault, match="could not be opened"):
        wanter.take(seal(wanter.want, hub, Address("spring", "other")), tmp_path / "x", hub / "ca.pem")
    assert not has_keys(tmp_path / "x")


def test_another_halls_authority_is_not_taken(hub: Path, tmp_path: Path) -> None:
    ca.ensure(tmp_path / "foreign", "hall", NOW)
    wanter = Wanter(Key.make(), HALL)
    with pytest.raises(KeyFault, match="not the keys of the hall"):
        wanter.take(seal(wanter.want, tmp_path / "foreign", HALL), tmp_path / "x", hub / "ca.pem")
    (tmp_path / "foreign" / "ca.pem").write_bytes((hub / "ca.pem").read_bytes())
    with pytest.raises(KeyFault, match="not the keys of the hall"):
        wanter.take(seal(wanter.want, tmp_path / "foreign", HALL), tmp_path / "x", hub / "ca.pem")


def test_a_wish_counts_only_with_the_signature_of_the_key_that_it_names() -> None:
    want = Wanter(Key.make(), HALL).want
    other = Wanter(Key.make(), HALL).want
    checked(want, HALL)
    for changed in (
        {"public": other.public}, {"box": other.box}, {"sign": other.sign}, {"sign": "???"}, {"box": "no"},
        {"public": "UX"},
    ):  # fmt: skip
        with pytest.raises(WireError, match="not signed"):
            checked(msgspec.structs.replace(want, **changed), HALL)
    with pytest.raises(WireError, match="not signed"):
        checked(want, Address("other", "hall"))
