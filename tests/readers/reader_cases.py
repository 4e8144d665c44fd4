"""Every reader of what tools and kernels print, each with the samples that it reads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

from netmodel.readers import read_host_cpu, read_result

__all__ = ["READERS", "SAMPLES", "Case"]

SAMPLES = Path(__file__).parent / "samples"

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
    """A reader of any form, with what a user specifies."""
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
    "trex text": result("trex-text", "trex/*.txt"),
    "speedtest": result("speedtest", "speedtest/*.json"),
    "counters": result("counters", "counters/*.txt"),
    "netmodel-csv": result("netmodel-csv", "csv/*.csv"),
    "any result": case(
        read_result, *(f"{tool}/*.*[!d]" for tool in ("f*", "iperf*", "[nqstu]*", "p*"))
    ),
    "mpstat": case(read_host_cpu, "sysstat/*mpstat*", zone=UTC),
    "sadf": case(read_host_cpu, "sysstat/sadf*"),
    "sar": case(read_host_cpu, "sysstat/sar*", zone=UTC),
    "/proc/stat": case(read_host_cpu, "both-ends/proc_stat*"),
    "local times": case(read_host_cpu, "both-ends/mpstat*", "both-ends/sar*"),
    "any host": case(read_host_cpu, *(f"{tool}/*.*[!d]" for tool in ("sysstat", "kernel", "e*"))),
}
