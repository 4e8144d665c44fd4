"""Every reader of what tools and kernels print, each with the samples that it reads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date
from functools import partial
from pathlib import Path
from typing import Any

from netmodel.readers import (
    cpu_between,
    read_host_state,
    read_result,
)
from netmodel.readers._ethtool import (
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
)
from netmodel.readers._proc_stat import read_proc_stat_copies
from netmodel.readers.counters import (
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_nstat,
)
from netmodel.readers.interfaces import read_ip_link
from netmodel.readers.sysstat import (
    read_mpstat,
    read_sadf,
    read_sar,
)

__all__ = ["READERS", "SAMPLES", "Case"]

SAMPLES = Path(__file__).parent / "samples"
DAY = date(2026, 11, 20)
FIRST_COPY = (SAMPLES / "kernel" / "proc_stat.txt").read_bytes()

Reader = Callable[[bytes], Any]


@dataclass(frozen=True)
class Case:
    """A reader, and the samples that it reads."""

    read: Reader
    samples: tuple[str, ...]

    def files(self) -> list[Path]:
        return sorted({path for pattern in self.samples for path in SAMPLES.glob(pattern)})


def result(format_name: str, *samples: str) -> Case:
    """The reader of a format of results, with what a user specifies."""
    return Case(partial(read_result, format_name=format_name), samples)


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
    "perftest": result("perftest", "perftest/*.json"),
    "perftest text": result("perftest-text", "perftest/*.txt"),
    "ntttcp": result("ntttcp", "ntttcp/made_*"),
    "flent": result("flent", "flent/*.flent*"),
    "trex": result("trex", "trex/*.json"),
    "netmodel-csv": result("netmodel-csv", "csv/*.csv"),
    "any result": case(
        read_result, *(f"{tool}/*.*[!d]" for tool in ("f*", "iperf*", "[nqstu]*", "p*"))
    ),
    "mpstat": case(read_mpstat, "sysstat/*mpstat*", day=DAY, zone=UTC),
    "sadf": case(read_sadf, "sysstat/sadf*"),
    "sar": case(read_sar, "sysstat/sar*", day=DAY, zone=UTC),
    "/proc/stat": Case(
        lambda raw: cpu_between(FIRST_COPY, raw, begin_utc_s=1e9, end_utc_s=1e9 + 1),
        ("kernel/*proc_stat*",),
    ),
    "/proc/stat twice": Case(read_proc_stat_copies, ("both-ends/proc_stat*",)),
    "local times": case(read_mpstat, "both-ends/mpstat*"),
    "ethtool": case(read_ethtool, "ethtool/ethtool_6.1_eth0.txt"),
    "ethtool -k": case(read_ethtool_offloads, "ethtool/*_k_*"),
    "ethtool -S": case(read_ethtool_statistics, "ethtool/*_S_*", interface="eth0"),
    "ip link": case(read_ip_link, "ip-link/*.json", "kernel/*ip_*.json"),
    "ip -s link": case(read_ip_link_counters, "kernel/*ip_*.json"),
    "nstat": case(read_nstat, "kernel/*nstat*"),
    "/proc/net/dev": case(read_net_dev, "kernel/proc_net_dev.txt"),
    "/proc/net/snmp": case(read_net_snmp, "kernel/proc_net_snmp*"),
    "any host": case(read_host_state, *(f"{tool}/*.*[!d]" for tool in ("sysstat", "kernel", "e*"))),
}
