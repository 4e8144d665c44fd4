"""MAC addresses, and what is made of them, are replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.measuring.mask import Mask

octets = st.lists(st.integers(0, 255), min_size=6, max_size=6).map(
    lambda values: ":".join(f"{each:02x}" for each in values)
)


@given(octets, st.sampled_from(['"address":"{}"', "lladdr {} STALE", "{}", "({})"]))
def test_no_mac_address_is_left(mac: str, text: str) -> None:
    masked = Mask()(text.format(mac))
    nobody = mac in {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"}
    assert (mac in masked) == (nobody or mac == "02:00:00:00:00:01")


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "::1", "ff02::1", "6.18.44", "0000:00:03.0", "12:34:56", "1::2::3"),
        *("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "db1 10.0.0.1 fd00::2 fe80::2"),
    ],
)
def test_what_holds_no_mac_address_stays(text: str) -> None:
    assert Mask()(text) == text


def test_the_same_address_has_the_same_replacement_in_all_texts() -> None:
    mask = Mask()
    assert mask("aa:bb:cc:dd:ee:01 fe80::fc:ff:fe00:1") == "02:00:00:00:00:01 2001:db8::2"
    assert mask("80:00:02:08:fe:80:00:00:00:00:00:01") == "02:00:00:00:00:03"
    assert mask("AA:BB:CC:DD:EE:01") == "02:00:00:00:00:01"
    text = '{"sci":"02fc000000010001","phys_switch_id":"a8b0c2000300","port":1}'
    assert mask(text) == '{"sci":"0","phys_switch_id":"0","port":1}'
