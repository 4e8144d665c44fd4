"""Damaged files: each reader gives what it reads or a ParseError, soon and in little room."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from damage import answer, damaged, require_sound, within_limits
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from runs import sample

from netmodel.errors import ContradictionError
from netmodel.readers import (
    Counters,
    HostCpu,
    counter_change,
    cpu_between,
    interface_load,
    pair_with_hosts,
    read_host_state,
    read_result,
)
from netmodel.readers._counters import (
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_nstat,
    read_softirqs,
    read_softnet_stat,
    read_tc_qdisc,
)
from netmodel.readers._ethtool import (
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
)
from netmodel.readers._interfaces import read_ip_link
from netmodel.readers._proc_stat import read_proc_stat_copies, read_proc_stat_counters
from netmodel.readers._sysstat import (
    read_mpstat,
    read_sadf,
    read_sadf_interfaces,
    read_sar,
    read_sar_interfaces,
)

SAMPLES = Path(__file__).parent / "samples"
MUTATIONS = 50 if os.environ.get("NETMODEL_FEW_EXAMPLES") else 150
NIGHTLY_MUTATIONS = 20_000
DAY = date(2026, 11, 20)
FIRST_COPY = (SAMPLES / "kernel" / "proc_stat.txt").read_bytes()
RUN = read_result(sample("paired_iperf3_3.21_serverJ.json"))
SELDOM_READ = frozenset({"intervals", "streams"})

Reader = Callable[[bytes], Any]


@dataclass(frozen=True)
class Case:
    """A reader, and the samples that it reads."""

    read: Reader
    samples: tuple[str, ...]

    def files(self) -> list[Path]:
        return sorted({path for pattern in self.samples for path in SAMPLES.glob(pattern)})


def result(format_name: str, *samples: str, **options: Any) -> Case:
    """The reader of a format of results, with what a user specifies."""
    return Case(partial(read_result, format_name=format_name, **options), samples)


def case(read: Callable[..., Any], *samples: str, **options: Any) -> Case:
    """A reader of the state of a host, with what a user specifies."""
    return Case(partial(read, **options), samples)


READERS = {
    "iperf3": result("iperf3", "iperf3/*.json", "iperf3/*.jsonl"),
    "iperf3 text": result("iperf3-text", "iperf3/*.txt"),
    "uperf": result("uperf", "uperf/*.txt"),
    "netperf": result("netperf", "netperf/netperf_*"),
    "nuttcp": result("nuttcp", "nuttcp/*.txt"),
    "iperf2": result("iperf2", "iperf2/*iperf2*"),
    "sockperf": result("sockperf", "sockperf/*.txt"),
    "qperf": result("qperf", "qperf/*.txt"),
    "perftest MiB": result("perftest-mib", "perftest/*.json"),
    "perftest Gbit": result("perftest-gbits", "perftest/*.json"),
    "perftest µs": result("perftest-us", "perftest/*.json"),
    "perftest text": result("perftest-text", "perftest/*.txt"),
    "ntttcp": result("ntttcp", "ntttcp/made_*"),
    "flent": result("flent", "flent/*.flent*"),
    "trex": result("trex", "trex/*.json"),
    "trex counters": result("trex", "trex/made_two_snapshots.json", snapshot_interval_s=10.0),
    "netmodel-csv": result("netmodel-csv", "csv/*.csv"),
    "any result": case(
        read_result, *(f"{tool}/*.*[!d]" for tool in ("f*", "iperf*", "[nqstu]*", "p*"))
    ),
    "mpstat": case(read_mpstat, "sysstat/*mpstat*", day=DAY, zone=UTC),
    "sadf": case(read_sadf, "sysstat/sadf*"),
    "sadf interfaces": case(read_sadf_interfaces, "sysstat/sadf*"),
    "sar": case(read_sar, "sysstat/sar*", day=DAY, zone=UTC),
    "sar interfaces": case(read_sar_interfaces, "sysstat/sar*"),
    "/proc/stat": Case(
        lambda raw: cpu_between(FIRST_COPY, raw, begin_utc_s=1e9, end_utc_s=1e9 + 1),
        ("kernel/*proc_stat*",),
    ),
    "/proc/stat twice": Case(read_proc_stat_copies, ("both-ends/proc_stat*",)),
    "local times": case(read_mpstat, "both-ends/mpstat*"),
    "/proc/stat counters": case(read_proc_stat_counters, "kernel/*proc_stat*"),
    "ethtool": case(read_ethtool, "ethtool/ethtool_6.1_eth0.txt"),
    "ethtool -k": case(read_ethtool_offloads, "ethtool/*_k_*"),
    "ethtool -S": case(read_ethtool_statistics, "ethtool/*_S_*", interface="eth0"),
    "ip link": case(read_ip_link, "ip-link/*.json", "kernel/*ip_*.json"),
    "ip -s link": case(read_ip_link_counters, "kernel/*ip_*.json"),
    "nstat": case(read_nstat, "kernel/*nstat*"),
    "tc": case(read_tc_qdisc, "kernel/*tc_*", interface="vA"),
    "/proc/net/dev": case(read_net_dev, "kernel/proc_net_dev.txt"),
    "/proc/net/snmp": case(read_net_snmp, "kernel/proc_net_snmp*"),
    "/proc/net/softnet_stat": case(read_softnet_stat, "kernel/proc_net_softnet*"),
    "/proc/softirqs": case(read_softirqs, "kernel/proc_softirqs.txt"),
    "any host": case(read_host_state, *(f"{tool}/*.*[!d]" for tool in ("sysstat", "kernel", "e*"))),
}


def use(result: Any, whole: Any) -> None:
    """Go on with a result as users do: what does not fit is refused with a reason."""
    try:
        if isinstance(result, HostCpu):
            assert result.threads_per_core is None or result.threads_per_core >= 1
            busy = result.busy_cpu_count()
            assert 0 <= busy <= 1.02 * (result.cpu_count or 0)
            require_sound(pair_with_hosts(RUN, server=result))
        if isinstance(result, Counters):
            require_sound(counter_change(whole, result, 1.0))
            require_sound(interface_load(whole, result, 1.0, "eth0", "in", mtu_bytes=1500))
    except ContradictionError as error:
        assert str(error)  # noqa: PT017


def try_one(data: st.DataObject, name: str) -> None:
    """Damage a sample, and read it."""
    tried = READERS[name]
    whole = data.draw(st.sampled_from(tried.files()), label="file").read_bytes()
    raw = damaged(data, whole, SELDOM_READ)
    result = answer(tried.read, raw)
    if isinstance(result, tuple):
        assert result
    if isinstance(result, HostCpu | Counters):
        before = answer(tried.read, whole)
        use(result, result if before is None else before)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=MUTATIONS)
@given(data=st.data())
def test_damage_gives_a_result_or_a_parse_error(data: st.DataObject, name: str) -> None:
    try_one(data, name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", READERS)
@settings(
    max_examples=NIGHTLY_MUTATIONS,
    derandomize=False,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_much_damage_gives_a_result_or_a_parse_error(data: st.DataObject, name: str) -> None:
    try_one(data, name)


@pytest.mark.parametrize("name", READERS)
def test_samples_are_read_within_the_limits(name: str) -> None:
    files = READERS[name].files()
    assert files
    assert any(answer(READERS[name].read, path.read_bytes()) for path in files)


@pytest.mark.thorough
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"[" * 100_000,
        b'{"sysstat": ' * 50_000,
        b"[]",
        b"{}",
        b"null",
        b"prose",
        b"1" * 10_000_000,
        b"\n" * 1_000_000,
        b"a\n" * 100_000,
        b"Linux x (" + b" _(" * 100_000,
        b'{"sysstat": {"hosts": [' + b"1" * 5000 + b"]}}",
        "Linux".encode("utf-16"),
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_what_is_nothing_of_the_kind_is_a_parse_error(name: str, raw: bytes) -> None:
    assert answer(READERS[name].read, raw) is None


@pytest.mark.parametrize(
    "format_name", ["perftest", "perftest-mib", "perftest-gbits", "perftest-us"]
)
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("perftest/*.json")), ids=lambda it: it.stem)
def test_results_of_perftest_in_any_unit(path: Path, format_name: str) -> None:
    answer(partial(read_result, format_name=format_name), path.read_bytes())


def test_what_takes_too_long_or_too_much_is_found() -> None:
    """The limits work, so that a hang or a bomb would fail the tests above."""
    with pytest.raises(AssertionError, match="took longer"), within_limits(longest_s=0.05):
        sum(range(10**7))
    with pytest.raises(MemoryError), within_limits():
        bytearray(300 * 10**6)
    with within_limits():
        assert bytearray(100 * 10**6)
