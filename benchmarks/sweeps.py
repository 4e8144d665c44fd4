"""Cost of predictions one by one and in sweeps: workers, plans and memory too, in one run.

Times are CPU times of this process, but those of two workers against one.
"""

import time
import timeit
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import xarray as xr

import netmodel
from netmodel.path import Path, SpecifiedPath, Stage, Times, Traffic, predict_path
from netmodel.planning import parse_flow
from netmodel.planning.candidates import compare_plans
from netmodel.records import adapter, catalog

ADAPTERS = catalog()["adapters"]
WORKLOADS = ["str-writex30k", "rr1c-200x1000", "rr1c-200x30k"]
MTUS, COUNTS = np.linspace(1500, 9000, 100).round(), np.arange(1, 201)
CLUSTER_MTUS = np.linspace(1500, 9000, 1000).round(1)  # ten times as many: seconds, not 0.2 s


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Time of one call. [s]"""
    start = clock()
    call()
    return clock() - start


def grid(**more: object) -> xr.Dataset:
    """A million predictions: every adapter, workload, MTU and number of connections."""
    return netmodel.sweep(
        adapter=ADAPTERS,
        workload=WORKLOADS,
        **{"mtu_bytes": MTUS, "connections": COUNTS} | more,
    )


def fleet(workload: str, count: int) -> xr.Dataset:
    """Hosts, each with an adapter, an MTU and connections of its own."""
    random = np.random.default_rng(1)
    return netmodel.sweep(
        adapter=xr.DataArray(random.choice(ADAPTERS, count), dims="host"),
        workload=workload,
        mtu_bytes=xr.DataArray(random.integers(1500, 9001, count), dims="host"),
        connections=xr.DataArray(random.integers(1, 500, count), dims="host"),
    )


def of_one_path(**more: object) -> xr.Dataset:
    """Streams of one adapter, or another workload or path, over two arguments."""
    usual: dict[str, object] = {"workload": WORKLOADS[0], "mtu_bytes": 1500}
    place = {} if "path" in more else {"adapter": PAIR["adapter"]}
    return netmodel.sweep(**usual | place | more)


COSTS = [f"{cost:.4f} cores/(Gbit/s)" for cost in np.linspace(0.1, 0.3, 500)]
OF_ARGUMENTS = {
    "km": {"km": np.linspace(1, 200, 500)},
    "loss": {"km": 100, "loss_ratio": np.geomspace(1e-6, 1e-2, 500)},
    "CPU cost": {"client_cost": COSTS},
    "MTU of requests": {"workload": "rr1c-200x1000", "mtu_bytes": np.linspace(1500, 9000, 500)},
}


MEASURED: dict[str, object] = {"path": "zvm-vswitch-layer2-1gbe", "workload": "awm-rr"}


def of_measured_path(count: int) -> dict[str, object]:
    """Cases of a path with printed tables, each with an MTU, connections and a cost of its own."""
    random = np.random.default_rng(1)
    columns = {
        "mtu_bytes": random.integers(1000, 9001, count),
        "connections": random.integers(1, 60, count),
        "server_cost": random.choice(COSTS, count),
    }
    own = {name: xr.DataArray(values, dims="case") for name, values in columns.items()}
    return {**MEASURED, **own}


def plans() -> None:
    """Plans of 20 pairs of adapters at 50 MTUs."""
    pairs = [SpecifiedPath(adapter(a), adapter(b)) for a in ADAPTERS for b in ADAPTERS][:200:10]
    mtus = [*range(1500, 8850, 150), 9000]
    compare_plans([parse_flow("40 Gbit/s str-writex30k", 50)], pairs, mtus[:50])


PAIR = {"adapter": "osa-express7s-25gbe", "mtu_bytes": 1500, "connections": 50}
PLAIN = tuple(
    Stage(name=name, to_server=Times(per_frame_s=0.5e-6), to_client=Times(per_byte_s=0.3e-9))
    for name in ("first", "second")
)
CALLS, ROUNDS = 50, 7


def milliseconds(call: Callable[[], object]) -> float:
    """CPU time of one call in a process that has made it before, the shortest of some. [ms]"""
    return min(timeit.repeat(call, process_time, number=CALLS, repeat=ROUNDS)) / CALLS * 1e3


def json_milliseconds(predict: Callable[[], Any]) -> float:
    """CPU time of the JSON of a prediction that has not been read before. [ms]"""
    made = iter([predict() for _ in range(CALLS * ROUNDS)])
    return milliseconds(lambda: next(made).to_dict())


def single() -> Iterator[tuple[str, float, str]]:
    """Yield predictions one by one, and their JSON."""
    for workload in WORKLOADS:
        call = partial(netmodel.predict, **PAIR, workload=workload)
        yield f"one of two adapters, {workload}, ms", milliseconds(call), "<= 0.5"
        yield f"its JSON, {workload}, ms", json_milliseconds(call), "<= 1"
    for traffic in (Traffic(30720, waits=False), Traffic(200, 1000, 50)):
        call = partial(predict_path, Path(stages=PLAIN), traffic, 1500)
        kind = "requests" if traffic.waits else "a stream"
        yield f"one of two plain stages, {kind}, ms", milliseconds(call), "<= 0.1"


def memory_ratio(**given: Any) -> float:
    """Most memory that a sweep takes over that of its result."""
    tracemalloc.start()
    result = of_one_path(**given)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak_bytes / result.nbytes


def two_workers_gain() -> float:
    """Rate of a cluster of two workers over that of one."""
    import dask.array as da
    from distributed import Client, LocalCluster

    arguments = {"mtu_bytes": CLUSTER_MTUS, "connections": da.from_array(COUNTS, chunks=25)}

    times = []
    for workers in (1, 2):
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
        with cluster, Client(cluster):
            grid(**arguments).max().compute()  # workers import netmodel and read records once
            large = grid(**arguments).throughput_bps.max()
            times.append(seconds(large.compute, time.perf_counter))
    return times[0] / times[1]


def main() -> None:
    """Print all rows."""
    print(f"{'':58} {'measured':>12} {'wanted':>10}")

    def row(name: str, value: float, wanted: str) -> None:
        print(f"{name:58} {value:12.3g} {wanted:>10}")

    for each in single():
        row(*each)
    size = grid().throughput_bps.size
    row("predictions over a grid of 1e6, points/s", size / seconds(grid), ">= 1e6")
    for workload in WORKLOADS:
        points = 1_000_000
        call = partial(fleet, workload, points)
        row(f"predictions of 1e6 hosts, {workload}, points/s", points / seconds(call), ">= 1e6")
    for name, values in OF_ARGUMENTS.items():
        call = partial(of_one_path, connections=np.arange(1, 501), **values)
        points = call().throughput_bps.size
        row(f"{name} and connections, points/s", points / seconds(call), ">= 1e6")
        ratio = memory_ratio(connections=np.arange(1, 501), **values)
        row(f"{name} and connections, memory over that of the result", ratio, "<= 1.5")
    of_table = {**MEASURED, "mtu_bytes": 1492, "connections": np.arange(1, 501)}
    for name, given in (
        ("1e6 cases of a measured path", of_measured_path(1_000_000)),
        ("connections of a printed table", of_table),
    ):
        call = partial(of_one_path, **given)
        points = call().throughput_bps.size
        row(f"{name}, points/s", points / seconds(call), ">= 1e6")
        row(f"{name}, memory over that of the result", memory_ratio(**given), "<= 1.5")
    row("20 pairs of adapters at 50 MTUs, s of CPU time", seconds(plans), "<= 1")
    row("two dask workers over one", two_workers_gain(), ">= 1.4")


if __name__ == "__main__":
    main()
