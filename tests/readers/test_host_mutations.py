"""Damaged records of hosts: each reader gives a result or a ParseError, and nothing else."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date
from pathlib import Path
from typing import Any

import pytest
from damage import damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import sample

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers import (
    Counters,
    HostCpu,
    counter_change,
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
    read_ip_link_counters,
    read_iperf3,
    read_mpstat,
    read_net_dev,
    read_nstat,
    read_proc_stat,
    read_sadf,
    read_sadf_interfaces,
    read_sar,
    read_sar_interfaces,
    read_softirqs,
    read_tc_qdisc,
)
from netmodel.readers.pairing import Way, interface_load, pair_with_hosts

SAMPLES = Path(__file__).parent / "samples"
EXAMPLES = 500
DAY = date(2026, 11, 20)
FIRST_COPY = (SAMPLES / "kernel" / "proc_stat.txt").read_bytes()
RUN = read_iperf3(sample("paired_iperf3_3.21_serverJ.json"))

Reader = Callable[[bytes], Any]

READERS: dict[str, tuple[Reader, str, tuple[str, ...]]] = {
    "mpstat": (
        lambda raw: read_mpstat(raw, day=DAY, zone=UTC),
        "sysstat",
        (
            *("mpstat_12.6.1_PALL.json", "mpstat_12.6.1_PALL.txt", "mpstat_12.6.1_T_n.json"),
            *("mpstat_12.6.1_I_SUM_SCPU.json", "paired_mpstat_12.6.1.json"),
        ),
    ),
    "sadf": (read_sadf, "sysstat", ("sadf_12.6.1_u_n.json", "sadf_12.6.1_d_h_cpu.csv")),
    "sadf interfaces": (
        read_sadf_interfaces,
        "sysstat",
        ("sadf_12.6.1_u_n.json", "sadf_12.6.1_d_DEV.csv", "sadf_12.6.1_p.tsv"),
    ),
    "sar": (lambda raw: read_sar(raw, day=DAY, zone=UTC), "sysstat", ("sar_12.6.1.txt",)),
    "sar interfaces": (read_sar_interfaces, "sysstat", ("sar_12.6.1.txt",)),
    "/proc/stat": (
        lambda raw: read_proc_stat(FIRST_COPY, raw, begin_utc_s=1e9, end_utc_s=1e9 + 1),
        "kernel",
        ("made_proc_stat_after.txt",),
    ),
    "ethtool": (read_ethtool, "ethtool", ("ethtool_6.1_eth0.txt",)),
    "ethtool -k": (
        read_ethtool_offloads,
        "ethtool",
        ("ethtool_6.1_k_eth0.txt", "ethtool_6.1_k_json_eth0.json"),
    ),
    "ethtool -S": (
        lambda raw: read_ethtool_statistics(raw, interface="eth0"),
        "ethtool",
        ("ethtool_6.1_S_eth0.txt", "made_S_groups.json", "ethtool_6.1_S_groups_json_eth0.json"),
    ),
    "ip -s link": (
        read_ip_link_counters,
        "kernel",
        ("ip_6.1_j_link.json", "line200m_ip_s_link.json"),
    ),
    "nstat": (read_nstat, "kernel", ("nstat_6.1.json",)),
    "tc": (
        lambda raw: read_tc_qdisc(raw, interface="vA"),
        "kernel",
        ("tc_6.1_s_qdisc.json", "line200m_tc_s_qdisc.json"),
    ),
    "/proc/net/dev": (read_net_dev, "kernel", ("proc_net_dev.txt",)),
    "/proc/softirqs": (read_softirqs, "kernel", ("proc_softirqs.txt",)),
}


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a result, with the name of its field."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value
    elif is_dataclass(value):
        for field in fields(value):
            yield from numbers(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from numbers(item, f"{name} {key}")
    elif isinstance(value, tuple):
        for item in value:
            yield from numbers(item, name)


def require_sound(result: Any) -> None:
    for name, number in numbers(result):
        assert math.isfinite(number), name
        assert number >= 0, name
        assert not name.endswith("_ratio") or name == "utilisation_ratio" or number <= 1, name


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
            require_sound(interface_load(whole, result, 1.0, "eth0", Way.IN, mtu_bytes=1500))
    except ContradictionError as error:
        assert str(error)  # noqa: PT017


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_damage_gives_a_result_or_a_parse_error(data: st.DataObject, name: str) -> None:
    reader, folder, files = READERS[name]
    file = SAMPLES / folder / data.draw(st.sampled_from(files), label="file")
    raw = file.read_bytes()
    try:
        result = reader(damaged(data, raw, file.suffix == ".json"))
    except ParseError as error:
        assert str(error).startswith("<bytes>: ")  # noqa: PT017
    else:
        require_sound(result)
        use(result, reader(raw))


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
        b'{"sysstat": {"hosts": [' + b"1" * 5000 + b"]}}",
        "Linux".encode("utf-16"),
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_what_is_nothing_of_the_kind_is_a_parse_error(name: str, raw: bytes) -> None:
    with pytest.raises(ParseError):
        READERS[name][0](raw)


@pytest.mark.parametrize("name", READERS)
def test_each_sample_is_read(name: str) -> None:
    reader, folder, files = READERS[name]
    for file in files:
        path = SAMPLES / folder / file
        require_sound(reader(path.read_bytes()))
        if file.endswith(".json"):
            assert json.loads(path.read_text(encoding="utf-8"))
