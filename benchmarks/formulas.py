"""Cost of formulas against the same arithmetic written out, in one run.

Each row is a median of CPU times over rounds in which both are timed in turn, so that a machine
that slows down slows both; the ratio is the median of the ratios of the rounds. The last column is
the ratio that the project holds itself to. Run it with a file as argument to write the table there
too.
"""

import resource
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from math import inf

import numpy as np

from benchmarks.tables import show, versions
from netmodel.ceilings import payload_rate_bps
from netmodel.concurrency import (
    exact_closed_network,
    load_dependent_closed_network,
)
from netmodel.framing import parse_stack, wire_bytes
from netmodel.transport import window_payload_rate_bps

ROUNDS = 21
_ROWS: list[tuple[str, ...]] = []
STACKS = {
    "vxlan": "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
    "esp": "ethernet/ipv4/esp+suite=aes-cbc-sha256/ipv4/tcp+timestamps",
}


def one_if_per_argument(
    line_rate_bps: float, mtu_bytes: float, header_bytes: float = 52, link_header_bytes: float = 14
) -> float:
    """The formula in plain Python, each argument checked by one if as the formula checks it."""
    if not 0 < line_rate_bps < inf:
        raise ValueError("line_rate_bps")
    if not 0 <= header_bytes < inf:
        raise ValueError("header_bytes")
    if not 0 <= link_header_bytes < inf:
        raise ValueError("link_header_bytes")
    if not header_bytes < mtu_bytes < inf:
        raise ValueError("mtu_bytes")
    frame_bytes = max(64, mtu_bytes + link_header_bytes + 4)
    return line_rate_bps * (mtu_bytes - header_bytes) / (20 + frame_bytes)


def one_if_per_window_argument(
    window_bytes: float, round_trip_s: float, flow_count: float = 1
) -> float:
    """Payload rate of a window in plain Python, each argument checked by one if."""
    if not 0 <= window_bytes < inf:
        raise ValueError("window_bytes")
    if not 0 < round_trip_s < inf:
        raise ValueError("round_trip_s")
    if not 1 <= flow_count < inf:
        raise ValueError("flow_count")
    return 8 * flow_count * window_bytes / round_trip_s


def one_if_per_packet_argument(packet_bytes: float, link_header_bytes: float = 14) -> float:
    """Bytes of a packet on the wire in plain Python, each argument checked by one if."""
    if not 0 <= packet_bytes < inf:
        raise ValueError("packet_bytes")
    if not 0 <= link_header_bytes < inf:
        raise ValueError("link_header_bytes")
    return 20 + max(64, packet_bytes + link_header_bytes + 4)


def plain_numpy(line_rate_bps: float, mtu_bytes: np.ndarray, header_bytes: float) -> np.ndarray:
    """The formula in plain numpy, nothing checked."""
    return line_rate_bps * (mtu_bytes - header_bytes) / (20 + np.maximum(64, mtu_bytes + 18))


def plain_vxlan(payload_bytes: np.ndarray) -> np.ndarray:
    """Wire bytes of TCP with timestamps inside VXLAN, in plain numpy."""
    return 20 + np.maximum(64, payload_bytes + (52 + 50 + 18))


def plain_esp(payload_bytes: np.ndarray) -> np.ndarray:
    """Wire bytes of TCP with timestamps inside ESP with AES-CBC and SHA-256, in plain numpy."""
    padded = 16 * np.ceil((payload_bytes + (52 + 2)) / 16)
    return 20 + np.maximum(64, padded + (20 + 8 + 16 + 16 + 18))


def cpu_s() -> float:
    """CPU time so far, of this process and of those that it has run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def process(code: str) -> Callable[[], object]:
    """A call that runs code in a new interpreter."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def compare(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], calls: int, allowed: float
) -> None:
    """Note the time of one call of each, and their ratio."""
    pairs = [
        tuple(timeit.timeit(each, timer=cpu_s, number=calls) / calls for each in (ours, theirs))
        for _ in range(ROUNDS)
    ]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    times = (f"{mine * 1e6:.3g}", f"{other * 1e6:.3g}")
    _ROWS.append((name, *times, f"{ratio:.3f}", f"{allowed:g}"))


def plain_closed_network(demands_s: list[float], connection_count: int, think_s: float) -> float:
    """Rate of a closed network in plain Python, by the recursion over its connections."""
    queue, rate = [0.0] * len(demands_s), 0.0
    for present in range(1, connection_count + 1):
        times_s = [demand * (1 + waiting) for demand, waiting in zip(demands_s, queue, strict=True)]
        rate = present / (think_s + sum(times_s))
        queue = [rate * time_s for time_s in times_s]
    return rate


def plain_load_dependent_network(
    gaps_s: list[list[float]], connection_count: int, think_s: float
) -> float:
    """
    Rate by the textbook recursion over the chances of j transactions at a stage, in plain Python.

    It loses all digits near saturation: here it is timed, not trusted.
    """
    chances, rate = [[1.0] for _ in gaps_s], 0.0
    for present in range(1, connection_count + 1):
        times_s = [
            sum((j + 1) * gap[min(j, len(gap) - 1)] * p for j, p in enumerate(each))
            for gap, each in zip(gaps_s, chances, strict=True)
        ]
        rate = present / (think_s + sum(times_s))
        for stage, gap in enumerate(gaps_s):
            busy = [rate * gap[min(j, len(gap) - 1)] * p for j, p in enumerate(chances[stage])]
            chances[stage] = [1 - sum(busy), *busy]
    return rate


def main(file: str | None = None) -> None:
    """Print all rows, and write them to the file."""
    compare(
        "payload_rate_bps, one float",
        lambda: payload_rate_bps(25e9, 1500),
        lambda: one_if_per_argument(25e9, 1500),
        calls=20_000,
        allowed=2,
    )
    line_rate_bps, mtu_bytes = np.float64(25e9), np.float64(1500)
    compare(
        "payload_rate_bps, numpy.float64",
        lambda: payload_rate_bps(line_rate_bps, mtu_bytes),
        lambda: one_if_per_argument(line_rate_bps, mtu_bytes),
        calls=20_000,
        allowed=3,
    )
    window_bytes, round_trip_s = np.float64(2**18), np.float64(1e-3)
    compare(
        "window_payload_rate_bps, numpy.float64",
        lambda: window_payload_rate_bps(window_bytes, round_trip_s),
        lambda: one_if_per_window_argument(window_bytes, round_trip_s),
        calls=20_000,
        allowed=3,
    )
    packet_bytes = np.float64(1500)
    compare(
        "wire_bytes, numpy.float64",
        lambda: wire_bytes(packet_bytes),
        lambda: one_if_per_packet_argument(packet_bytes),
        calls=20_000,
        allowed=3,
    )
    for length, calls, allowed in ((10_000, 500, 1.05), (30_000, 150, 1.05), (100_000, 50, 1.05)):
        mtus_bytes = np.linspace(576, 9000, length)
        compare(
            f"payload_rate_bps, array of {length}",
            lambda mtus_bytes=mtus_bytes: payload_rate_bps(25e9, mtus_bytes),
            lambda mtus_bytes=mtus_bytes: plain_numpy(25e9, mtus_bytes, 52),
            calls=calls,
            allowed=allowed,
        )
    payloads_bytes = np.random.default_rng(1).integers(1, 1300, 1_000_000).astype(float)
    for name, written_out in (("vxlan", plain_vxlan), ("esp", plain_esp)):
        stack = parse_stack(STACKS[name])
        compare(
            f"wire bytes of {name}, 1e6 payloads",
            lambda stack=stack: stack.wire_bytes(stack.packet_bytes(payloads_bytes)),
            lambda written_out=written_out: written_out(payloads_bytes),
            calls=1,
            allowed=3,
        )
    generator = np.random.default_rng(1)
    demands_s, thinks_s = generator.uniform(1e-6, 1e-4, (8, 1000)), generator.uniform(0, 1e-3, 1000)
    networks = list(zip(demands_s.T.tolist(), thinks_s.tolist(), strict=True))
    compare(
        "1000 closed networks, 500 connections",
        lambda: exact_closed_network(demands_s, 500, thinks_s),
        lambda: [plain_closed_network(demands, 500, think_s) for demands, think_s in networks],
        calls=1,
        allowed=0.05,
    )
    few_s, few_thinks_s = demands_s[:2, :20], thinks_s[:20]
    present = np.arange(1, 101)[:, np.newaxis]
    for name, gaps_s in (
        ("8 servers", few_s[0] / np.minimum(present[:8], 8)),
        ("demand by load", few_s[0] * (0.3 + 0.7 / (1 + present / 30))),
    ):
        tables = [[gaps.tolist(), [other]] for gaps, other in zip(gaps_s.T, few_s[1], strict=True)]
        compare(
            f"20 closed networks, 100 connections, {name}",
            lambda gaps_s=gaps_s: load_dependent_closed_network(
                [gaps_s, few_s[1:2]], 100, few_thinks_s
            ),
            lambda tables=tables: [
                plain_load_dependent_network(table, 100, think_s)
                for table, think_s in zip(tables, few_thinks_s.tolist(), strict=True)
            ],
            calls=1,
            allowed=0.1,
        )
    compare(
        "import netmodel, import numpy",
        process("import netmodel"),
        process("import numpy"),
        calls=1,
        allowed=1.3,
    )
    compare(
        "import ceilings, import numpy",
        process("import netmodel.ceilings"),
        process("import numpy"),
        calls=1,
        allowed=1.5,
    )
    head = ("formula", "time, µs", "written out, µs", "ratio", "at most")
    show(head, _ROWS, versions("numpy"), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
