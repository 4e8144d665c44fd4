"""What identifies hosts is replaced: MAC addresses always, the rest on demand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.measuring._mask import Mask

octets = st.lists(st.integers(0, 255), min_size=6, max_size=6).map(
    lambda values: ":".join(f"{each:02x}" for each in values)
)


@given(octets, st.sampled_from(['"address":"{}"', "lladdr {} STALE", "{}", "({})"]))
def test_no_mac_address_is_left(mac: str, text: str) -> None:
    masked = Mask()(text.format(mac))
    nobody = mac in {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"}
    assert (mac in masked) == (nobody or mac == "02:00:00:00:00:01")


def test_the_same_address_has_the_same_replacement_in_all_texts() -> None:
    mask = Mask({}, masks_addresses=True)
    first = mask("10.1.2.3 and 10.1.2.4, aa:bb:cc:dd:ee:01")
    assert first == "192.0.2.1 and 192.0.2.2, 02:00:00:00:00:01"
    assert mask("10.1.2.4 AA:BB:CC:DD:EE:01") == "192.0.2.2 02:00:00:00:00:01"


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "::1",
        "0.0.0.0",
        "255.255.255.0",
        "224.0.0.251",
        "ff02::1",
        "6.18.44",
        "0000:00:03.0",
        "12:34:56",
        "Linux 6.1.0-13.el9.x86_64",
        "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff",
        "1::2::3",
        "300.1.1.1",
    ],
)
def test_what_identifies_nobody_stays(text: str) -> None:
    assert Mask({}, masks_addresses=True)(text) == text


def test_addresses_and_names_stay_without_the_option_but_not_those_made_from_a_mac() -> None:
    mask = Mask({"db1": "host-client"})
    text = "db1 10.0.0.1 fd00::2 fe80::fc:ff:fe00:1 fe80::2"
    assert mask(text) == "db1 10.0.0.1 fd00::2 2001:db8::1 fe80::2"


def test_names_are_whole_words_the_longest_first() -> None:
    mask = Mask({"db1": "host-client", "db1.example.org": "host-client"}, masks_addresses=True)
    assert mask("db1.example.org db1 db10 mydb1") == "host-client host-client db10 mydb1"


def test_a_key_of_json_is_no_name_of_a_host() -> None:
    mask = Mask({"server": "host-server"}, masks_addresses=True)
    assert mask('{"server": "server", "server" :1}') == '{"server": "host-server", "server" :1}'


def test_numbers_that_hold_a_mac_address_are_replaced() -> None:
    text = '{"sci":"02fc000000010001","phys_switch_id":"a8b0c2000300","port":1}'
    assert Mask()(text) == '{"sci":"0","phys_switch_id":"0","port":1}'


def test_ipv6_and_infiniband_addresses_are_replaced() -> None:
    mask = Mask({}, masks_addresses=True)
    assert mask("[fd77::2]:5201 ::ffff:10.0.0.1") == "[2001:db8::1]:5201 2001:db8::2"
    assert mask("80:00:02:08:fe:80:00:00:00:00:00:01") == "02:00:00:00:00:01"


def test_more_hosts_than_examples_have_addresses_are_masked_too() -> None:
    mask = Mask({}, masks_addresses=True)
    texts = {mask(f"10.0.{number // 250}.{number % 250 + 1}") for number in range(1000)}
    assert not any(text.startswith("10.") for text in texts)
