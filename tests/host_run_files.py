"""Directories of runs as tools and mpstat would leave them, of a host whose costs are known."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from netmodel.calibration import Point, host_cost_model
from netmodel.calibration.records import DEFAULT_PARTS
from netmodel.consumption import Side

TRUE_COSTS = (4e-6, 1.2e-6, 0.3e-9, 1.5e-6, 0.5e-9)
"""Of a message, then a frame and a byte sent, and received. [s]"""
CPU_COUNT = 4
REQUEST_RATE_TPS = 20_000
STREAM_RATE_BPS = 5e9
HEADERS_BYTES = 52


def true_cost(quantity: str, at: Mapping[str, object], side: Side) -> float:
    point = Point(quantity, {**at, "side": side.value})  # type: ignore[dict-item]
    cost = host_cost_model(DEFAULT_PARTS).function([point])(np.array(TRUE_COSTS))
    return float(cost[0])


def mpstat(name: str, busy_cpu_count: float) -> str:
    idle = 100 - 100 * busy_cpu_count / CPU_COUNT
    load = {"cpu": "all", "usr": round(100 - idle, 4), "nice": 0, "sys": 0, "iowait": 0}
    load |= {"irq": 0, "soft": 0, "steal": 0, "guest": 0, "gnice": 0, "idle": round(idle, 4)}
    statistics = [{"timestamp": "12:00:01", "cpu-load": [load]}]
    host = {"nodename": name, "sysname": "Linux", "release": "6", "machine": "x86_64"}
    host |= {"number-of-cpus": CPU_COUNT, "date": "2026-11-20", "statistics": statistics}
    return json.dumps({"sysstat": {"hosts": [host]}})


def write_requests(place: Path, request: int, response: int, mtu: int, factor: float = 1.0) -> None:
    """netperf with one request after the other; `factor` scales the CPU time of both hosts."""
    at = {"mtu_bytes": mtu, "request_bytes": request, "response_bytes": response}
    costs = {side: true_cost("cpu_s_per_transaction", at, side) for side in Side}
    lines = ["PROTOCOL=TCP", "DIRECTION=Send|Recv", "ELAPSED_TIME=4.00"]
    lines += [f"THROUGHPUT={REQUEST_RATE_TPS}.00", "THROUGHPUT_UNITS=Trans/s"]
    lines += [f"REQUEST_SIZE={request}", f"RESPONSE_SIZE={response}"]
    busy = {side: factor * cost * REQUEST_RATE_TPS for side, cost in costs.items()}
    _write(place, [*lines, f"TRANSPORT_MSS={mtu - HEADERS_BYTES}"], busy)


def write_stream(place: Path, mtu: int, *, back: bool = False, factor: float = 1.0) -> None:
    """netperf with one stream of writes of 64 KiB, to the server or back."""
    sent = {"request_bytes": 0, "response_bytes": 65536} if back else {"write_bytes": 65536}
    costs = {side: true_cost("cpu_us_per_gbit", {"mtu_bytes": mtu, **sent}, side) for side in Side}
    lines = ["PROTOCOL=TCP", f"DIRECTION={'Receive' if back else 'Send'}", "ELAPSED_TIME=4.00"]
    lines += [f"THROUGHPUT={STREAM_RATE_BPS / 1e6:.2f}", "THROUGHPUT_UNITS=10^6bits/s"]
    lines += ["LOCAL_SEND_SIZE=65536", "REMOTE_SEND_SIZE=65536"]
    busy = {side: factor * cost * STREAM_RATE_BPS / 1e15 for side, cost in costs.items()}
    _write(place, [*lines, f"TRANSPORT_MSS={mtu - HEADERS_BYTES}"], busy)


def write_runs(place: Path, mtus: tuple[int, ...] = (1500, 9000), repeats: int = 2) -> None:
    """Small requests, large responses, and a stream in each direction; repeats differ by 2 %."""
    for number in range(repeats):
        factor = 1 + 0.02 * (number % 2)
        for mtu in mtus:
            write_requests(place / f"small-{mtu}-{number}", 200, 200, mtu, factor)
            write_requests(place / f"large-{mtu}-{number}", 200, 30000, mtu, factor)
            write_stream(place / f"stream-{mtu}-{number}", mtu, factor=factor)
            write_stream(place / f"back-{mtu}-{number}", mtu, back=True, factor=factor)


def _write(place: Path, lines: list[str], busy: Mapping[Side, float]) -> None:
    place.mkdir(parents=True)
    banner = "OMNI TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.0.0.2 () port 0 AF_INET"
    kind = "Send|Recv" if "DIRECTION=Send|Recv" in lines else lines[1].partition("=")[2]
    (place / "netperf.txt").write_text("\n".join((banner.replace("OMNI", f"OMNI {kind}"), *lines)))
    for side, count in busy.items():
        (place / f"{side.value}.json").write_text(mpstat(side.value, count))
