"""Counters of the kernel and of drivers, their growth, and links and offloads."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from damage import within_limits

from netmodel.errors import ContradictionError, DomainError, ParseError
from netmodel.readers import Counters, counter_change
from netmodel.readers._ethtool import read_ethtool, read_ethtool_offloads, read_ethtool_statistics
from netmodel.readers.counters import (
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_nstat,
)

SAMPLES = Path(__file__).parent / "samples"
KERNEL, ETHTOOL = SAMPLES / "kernel", SAMPLES / "ethtool"


def counters(counts: Mapping[str, int], width_bits: int = 64, tool: str = "tool") -> Counters:
    return Counters(
        source="made", sha256="", tool=tool, counts={"eth0": counts}, width_bits=width_bits
    )


def grown(before: int, after: int, width_bits: int = 64, specified_bits: int | None = None) -> int:
    change = counter_change(
        counters({"n": before}, width_bits),
        counters({"n": after}, width_bits),
        1.0,
        width_bits=specified_bits,
    )
    return change.counts["eth0"]["n"]


def problem_of(read: Callable[..., Any], source: bytes, **specified: Any) -> str:
    with pytest.raises(ParseError) as caught:
        read(source, **specified)
    return str(caught.value)


def test_ip_and_proc_net_dev_report_the_same() -> None:
    """Of lo exactly; eth0 went on between the two samples, by one packet of 66 bytes out."""
    shown = read_ip_link_counters(KERNEL / "ip_6.1_j_link.json").counts
    copied = read_net_dev(KERNEL / "proc_net_dev.txt").counts
    assert shown.keys() == copied.keys() == {"lo", "ifb0", "ifb1", "eth0"}
    common = shown["lo"].keys() & copied["lo"].keys()
    assert {"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "tx_dropped"} <= common
    assert all(shown["lo"][name] == copied["lo"][name] for name in common)
    assert copied["lo"]["rx_bytes"] == 122_787_709_609
    assert copied["eth0"]["tx_packets"] == 11_615


@pytest.mark.parametrize("name", ["line200m_ip_s_link.json", "line200m_ip_s_s_link_after.json"])
def test_counters_are_read_with_and_without_details(name: str) -> None:
    counts = read_ip_link_counters(KERNEL / name).counts["vA"]
    assert counts["tx_bytes"] > 500_000_000
    assert counts["rx_dropped"] == 0


def test_counters_that_were_not_asked_for_are_missed() -> None:
    problem = problem_of(read_ip_link_counters, (KERNEL / "ip_6.1_j_link_plain.json").read_bytes())
    assert "ip -j -s link" in problem


def test_nstat_names_what_the_kernel_counts() -> None:
    kernel = read_nstat(KERNEL / "nstat_6.1.json").counts["kernel"]
    assert kernel["TcpRetransSegs"] == 10_117
    assert kernel["UdpRcvbufErrors"] == 359_101
    assert read_nstat(KERNEL / "line200m_nstat_after.json").counts["kernel"]["IpFragOKs"] == 78_502


def test_protocols_are_counted_under_the_names_of_nstat() -> None:
    """Rows of the copy, read by eye; nstat prints the same names."""
    read = read_net_snmp(KERNEL / "proc_net_snmp_netstat.txt").counts["kernel"]
    assert (read["TcpRetransSegs"], read["TcpOutSegs"]) == (2021, 13_698_118)
    assert (read["UdpInErrors"], read["IpOutDiscards"]) == (461_358, 3)
    assert read["TcpExtPruneCalled"] == 3
    assert not {"TcpMaxConn", "TcpCurrEstab", "IpDefaultTTL"} & read.keys()
    named = read_nstat(KERNEL / "nstat_6.1.json").counts["kernel"]
    assert {"TcpRetransSegs", "UdpInErrors", "IpOutDiscards"} <= named.keys()


@pytest.mark.parametrize(
    ("before", "after", "width_bits", "change"),
    [
        (5, 12, 64, 7),
        (2**32 - 10, 20, 32, 30),
        (2**32 - 10, 20, 64, 30),
        (2**64 - 10, 20, 64, 30),
        (2**33, 2**33 + 1, 64, 1),
        (7, 7, 32, 0),
        (2**32 - 1, 0, 32, 1),
        (2**32 - 1, 0, 64, 1),
        (2**64 - 1, 0, 64, 1),
        (2**31 + 1, 0, 32, 2**31 - 1),
    ],
)
def test_counters_grow_also_beyond_their_end(
    before: int, after: int, width_bits: int, change: int
) -> None:
    assert grown(before, after, width_bits) == change


def test_a_wrap_is_reported_and_a_guessed_width_too() -> None:
    change = counter_change(counters({"n": 2**32 - 10}), counters({"n": 20}), 2.0)
    assert change.wrapped == (("eth0", "n"),)
    assert "a wrap at 2^32" in change.notes[0]


def test_a_specified_width_is_taken() -> None:
    assert grown(2**32 - 10, 20, width_bits=64, specified_bits=32) == 30
    with pytest.raises(ContradictionError, match="it was reset"):
        grown(2**32 - 10, 20, specified_bits=64)
    with pytest.raises(ContradictionError, match="32 or 64 bits, not 16"):
        counter_change(counters({"n": 1}), counters({"n": 2}), 1.0, width_bits=16)
    with pytest.raises(ContradictionError, match="more than 32 bits hold"):
        counter_change(counters({"n": 2**32}), counters({"n": 2}), 1.0, width_bits=32)


@pytest.mark.parametrize(("before", "after"), [(5000, 10), (2**40, 10), (2**31, 0), (2**32, 0)])
def test_a_counter_that_was_set_back_is_not_a_wrap(before: int, after: int) -> None:
    with pytest.raises(ContradictionError, match="it was reset"):
        grown(before, after)


def test_what_only_one_look_has_is_left_out_and_reported() -> None:
    two = Counters(source="s", sha256="", tool="tool", counts={"eth0": {"n": 2}, "eth1": {"n": 9}})
    change = counter_change(counters({"n": 1, "m": 1}), two, 1.0)
    assert change.counts == {"eth0": {"n": 1}}
    assert change.notes == ("in one snapshot only: eth1",)


def test_counters_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ContradictionError, match="counters of tool and other"):
        counter_change(counters({"n": 1}), counters({"n": 1}, tool="other"), 1.0)
    with pytest.raises(ContradictionError, match="no counter in common"):
        counter_change(counters({"n": 1}), counters({"m": 1}), 1.0)
    with pytest.raises(DomainError, match="duration_s must be above 0 s"):
        counter_change(counters({"n": 1}), counters({"n": 1}), 0.0)


def test_counters_cannot_be_changed() -> None:
    read = counters({"n": 1})
    with pytest.raises(TypeError):
        read.counts["eth0"]["n"] = 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("value", "is_read"), [(2**64 - 1, True), (2**64, False), (-1, False), (1.5, False)]
)
def test_counters_hold_64_bits(value: float, is_read: bool) -> None:
    source = json.dumps({"kernel": {"n": value}}).encode()
    if is_read:
        assert read_nstat(source).counts["kernel"]["n"] == value
    else:
        assert "kernel.n must be a whole number of 64 bits" in problem_of(read_nstat, source)


def test_a_speed_that_is_unknown_is_reported() -> None:
    link = read_ethtool(ETHTOOL / "ethtool_6.1_eth0.txt")
    assert (link.interface, link.line_rate_bps, link.is_full_duplex) == ("eth0", None, None)
    assert (link.is_auto_negotiated, link.has_link) == (False, True)
    assert link.notes == (
        "the driver does not know the speed of the link",
        "the driver does not know: duplex",
    )


def ethtool_with(speed: str, duplex: str) -> bytes:
    whole = (ETHTOOL / "ethtool_6.1_eth0.txt").read_text(encoding="utf-8")
    whole = whole.replace("Duplex: Unknown! (255)", f"Duplex: {duplex}")
    return whole.replace("Speed: Unknown!", f"Speed: {speed}").encode()


def test_speed_and_duplex_are_read() -> None:
    link = read_ethtool(ethtool_with("25000Mb/s", "Full"))
    assert (link.line_rate_bps, link.is_full_duplex, link.notes) == (25e9, True, ())
    assert read_ethtool(ethtool_with("10Mb/s", "Half")).is_full_duplex is False
    assert "Speed must be in Mb/s" in problem_of(read_ethtool, ethtool_with("25Gb/s", "Full"))
    assert "Duplex must be" in problem_of(read_ethtool, ethtool_with("10Mb/s", "Both"))


def test_negotiation_and_link_are_read() -> None:
    whole = ethtool_with("10Mb/s", "Half")
    negotiated = whole.replace(b"Auto-negotiation: off", b"Auto-negotiation: on")
    assert read_ethtool(negotiated).is_auto_negotiated is True
    assert read_ethtool(whole.replace(b"detected: yes", b"detected: no")).has_link is False
    assert read_ethtool(whole.replace(b"\tLink detected: yes\n", b"")).has_link is None
    wrong = whole.replace(b"detected: yes", b"detected: maybe")
    assert "Link detected must be yes or no" in problem_of(read_ethtool, wrong)


def test_offloads_are_the_same_from_text_and_json() -> None:
    written = read_ethtool_offloads(ETHTOOL / "ethtool_6.1_k_eth0.txt")
    parsed = read_ethtool_offloads(ETHTOOL / "ethtool_6.1_k_json_eth0.json")
    assert written.by_name == parsed.by_name
    assert written.interface == parsed.interface == "eth0"
    group = parsed.by_name["tx-checksumming"]
    assert (group.is_active, group.is_fixed, group.is_requested) == (True, None, None)
    fixed = parsed.by_name["rx-checksumming"]
    assert (fixed.is_active, fixed.is_fixed, fixed.is_requested) == (True, True, None)
    assert written.active("large-receive-offload", "tcp-segmentation-offload", "none") == (
        "tcp-segmentation-offload",
    )


def test_an_offload_that_was_asked_for_in_vain_is_reported() -> None:
    source = (
        b"Features for eth0:\nrx-gro-hw: off [requested on]\nrx-all: off\n"
        b"tx-checksum-ipv4: on [requested off]\n"
    )
    offloads = read_ethtool_offloads(source).by_name
    assert offloads["rx-gro-hw"].is_requested is True
    assert offloads["rx-gro-hw"].is_active is False
    assert offloads["rx-all"].is_requested is False
    assert offloads["tx-checksum-ipv4"].is_requested is False
    assert offloads["tx-checksum-ipv4"].is_active is True


def test_names_of_driver_counters_hold_spaces_brackets_and_colons() -> None:
    source = b"""NIC statistics:
     [hw] rx frames: 92343581
     [0]: rx_bytes: 209435494924
     [1]: rx_bytes: 1
     rx_bytes: 5
     rx_bytes: 6
"""
    read = read_ethtool_statistics(source, interface="eth0")
    assert read.counts["eth0"] == {
        "[hw] rx frames": 92343581,
        "[0]: rx_bytes": 209435494924,
        "[1]: rx_bytes": 1,
        "rx_bytes": 5,
        "rx_bytes (2)": 6,
    }
    assert read.notes == ("the driver has more than one counter rx_bytes",)


def test_driver_counters_do_not_report_their_interface() -> None:
    source = ETHTOOL / "ethtool_6.1_S_eth0.txt"
    assert "specify it" in problem_of(read_ethtool_statistics, source.read_bytes())
    counts = read_ethtool_statistics(source, interface="eth0").counts["eth0"]
    assert (counts["rx_kicks"], counts["tx0_kicks"], len(counts)) == (5503, 9789, 20)


def test_groups_of_counters_are_read() -> None:
    counts = read_ethtool_statistics(ETHTOOL / "made_S_groups.json").counts["eth0"]
    assert counts["eth-mac.FramesTransmittedOK"] == 902_623_288_966
    assert counts["rmon.rx-pktsNtoM[65-127]"] == 300
    empty = read_ethtool_statistics(ETHTOOL / "ethtool_6.1_S_groups_json_eth0.json")
    assert empty.counts == {"eth0": {}}
    source = (ETHTOOL / "made_S_groups.json").read_bytes()
    assert "not of" in problem_of(read_ethtool_statistics, source, interface="eth1")


def test_standard_groups_in_text_report_their_interface() -> None:
    source = b"Standard stats for eth0:\neth-mac-FramesTransmittedOK: 3\n"
    read = read_ethtool_statistics(source)
    assert read.counts == {"eth0": {"eth-mac-FramesTransmittedOK": 3}}


def test_a_counter_that_is_there_very_often_is_numbered_at_once() -> None:
    raw = b"NIC statistics:\n" + b"     drops: 1\n" * 50_000
    with within_limits():
        counters = read_ethtool_statistics(raw, interface="eth0")
    assert len(counters.counts["eth0"]) == 50_000
    assert counters.counts["eth0"]["drops (50000)"] == 1
    assert counters.notes == ("the driver has more than one counter drops",)
