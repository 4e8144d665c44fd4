"""Content that readers refuse, or pass over, with the words that name its place."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from changes import with_changes

from netmodel.errors import NetmodelError
from netmodel.readers import read_result
from netmodel.readers._counters import (
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_softirqs,
    read_softnet_stat,
    read_tc_qdisc,
)
from netmodel.readers._ethtool import read_ethtool, read_ethtool_offloads
from netmodel.readers._host_cpu import clock_s, iso_day

SAMPLES = Path(__file__).parent / "samples"
LINK = '{"ifname":"eth0","stats64":{"rx":{"bytes":1},"tx":{"bytes":2}}}'
QUEUE = '{"kind":"fq","handle":"1:","dev":"eth0","root":true,"bytes":5,"packets":1}'
BARE_QUEUE = '{"kind":"fq","handle":"1:","dev":"eth0","root":true}'
NET_DEV_HEAD = (
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop|bytes    packets errs drop\n"
)
FEATURES = "Features for eth0:\n"
ACTIVE = '[{"ifname":"eth0","rx-checksumming":{"active":null,"fixed":false,"requested":null}}]'


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (read_ip_link_counters, "[]", "shows no interface"),
        (read_ip_link_counters, "[{}]", "shows no interface"),
        (read_ip_link_counters, f"[{LINK},{LINK}]", r'\[1\].ifname is a second "eth0"'),
        (read_tc_qdisc, "[]", "shows no queue"),
        (read_tc_qdisc, f"[{{}},{BARE_QUEUE}]", r"\[1\] has no counters: write .* tc -s -j qdisc"),
        (read_net_dev, NET_DEV_HEAD, "shows no interface"),
        (read_net_snmp, "", "the file is empty"),
        (read_softnet_stat, "", "the file is empty"),
        (read_softirqs, "          CPU0 CPU1\n", "shows no softirq"),
        (read_ethtool, "[]", "not of ethtool"),
        (read_ethtool_offloads, FEATURES, "has no offloads"),
        (read_ethtool_offloads, FEATURES + 2 * "tso: on\n", 'line 3 is a second "tso"'),
        (read_ethtool_offloads, ACTIVE, r"rx-checksumming.active must be true or false; got null"),
    ],
)
def test_what_is_missing_or_there_twice_is_named(
    read: Callable[..., Any], text: str, words: str
) -> None:
    with pytest.raises(NetmodelError, match=words):
        read(text.encode())


def test_empty_entries_between_others_are_passed_over() -> None:
    assert set(read_ip_link_counters(f"[{{}},{LINK}]".encode()).counts) == {"eth0"}
    assert set(read_tc_qdisc(f"[{{}},{QUEUE}]".encode()).counts) == {"eth0"}


def test_snapshots_are_of_trex_alone() -> None:
    text = b"TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET\n"
    with pytest.raises(NetmodelError, match="is for results of trex, not of netperf"):
        read_result(text, format_name="netperf", snapshot_interval_s=1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12:00:00 AM", 0),
        ("12:59:59 AM", 3599),
        ("01:02:03 AM", 3723),
        ("12:00:00 PM", 43_200),
        ("01:02:03 pm", 46_923),
        ("13:00:00 AM", None),
        ("00:00:00 AM", None),
        ("23:59:59", 86_399),
        ("23:59:60", 86_400),
        ("23:59:61", None),
        ("24:00:00", None),
        ("23:60:00", None),
        ("noon", None),
    ],
)
def test_times_of_day(text: str, seconds: int | None) -> None:
    """A leap second is the sixtieth; half days have no hour 0, and none above 12."""
    assert clock_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)),
        ("2023-02-29", None),
        ("01/02/2024", None),
    ],
)
def test_days_are_those_of_a_calendar(text: str, day: date | None) -> None:
    assert iso_day(text) == day


def test_a_table_of_netperf_without_values_is_cut_off() -> None:
    lines = (SAMPLES / "netperf" / "netperf_2.7.0_omni_o_all.csv").read_bytes().splitlines(True)
    with pytest.raises(NetmodelError, match="stops before its values"):
        read_result(b"".join(lines[:2]), format_name="netperf")


def test_netperf_without_a_known_direction_has_no_goodput() -> None:
    sample = SAMPLES / "netperf" / "netperf_2.7.0_omni_k_all.txt"
    changed = with_changes(sample, ("DIRECTION=Send", "DIRECTION=Sideways"))
    (run,) = read_result(changed, format_name="netperf")
    assert (run.goodput_bps, run.reported_rate_bps) == (None, 17280.58e6)
    assert run.why_no_goodput is not None
    assert 'but "Sideways": request DIRECTION' in run.why_no_goodput


def test_progress_of_uperf_that_goes_back_is_refused() -> None:
    sample = SAMPLES / "uperf" / "line200m_uperf_1.0.8_R.txt"
    changed = with_changes(sample, ("ms:1795197349413.6377", "ms:1795197343410.0"))
    with pytest.raises(NetmodelError, match="line 12: Txn2 goes back in time or payload"):
        read_result(changed, format_name="uperf")
