"""Cost of sweeps: points a second, ratios to plain numpy, memory, workers and plans, in one run.

Times are CPU times of this process, but those of two workers against one. Ratios are medians over
rounds in which both are timed in turn.
"""

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr

import netmodel
from netmodel.api import _sweep_formulas
from netmodel.ceilings import payload_rate_bps
from netmodel.path import SpecifiedPath
from netmodel.planning import compare_plans, parse_flow
from netmodel.planning._kernel import has_numba
from netmodel.records import adapter, catalog

ROUNDS = 5
ADAPTERS = catalog()["adapters"]
WORKLOADS = ["str-writex30k", "rr1c-200x1000", "rr1c-200x30k"]
MTUS, COUNTS = np.linspace(1500, 9000, 100).round(), np.arange(1, 201)
CLUSTER_MTUS = np.linspace(1500, 9000, 1000).round(1)  # ten times as many: seconds, not 0.2 s
FORMULA_COUNT = 10_000_000


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Time of one call. [s]"""
    start = clock()
    call()
    return clock() - start


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Median of the ratios of CPU times."""
    return statistics.median(seconds(ours) / seconds(theirs) for _ in range(ROUNDS))


def plain_rate_bps(line_rate_bps: np.ndarray, mtu_bytes: np.ndarray) -> np.ndarray:
    """The formula in plain numpy, nothing checked."""
    return line_rate_bps * (mtu_bytes - 52) / (20 + np.maximum(64, mtu_bytes + 18))


def grid(**more: object) -> xr.Dataset:
    """A million predictions: every adapter, workload, MTU and number of connections."""
    return netmodel.sweep(
        netmodel.predict,
        adapters=ADAPTERS,
        workload=WORKLOADS,
        **{"mtu_bytes": MTUS, "connections": COUNTS} | more,
    )


def fleet(workload: str, count: int) -> xr.Dataset:
    """Hosts, each with an adapter, an MTU and connections of its own."""
    random = np.random.default_rng(1)
    return netmodel.sweep(
        netmodel.predict,
        adapters=xr.DataArray(random.choice(ADAPTERS, count), dims="host"),
        workload=workload,
        mtu_bytes=xr.DataArray(random.integers(1500, 9001, count), dims="host"),
        connections=xr.DataArray(random.integers(1, 500, count), dims="host"),
    )


def together(count: int) -> dict[str, xr.DataArray]:
    """Arguments of the formula that vary together."""
    random = np.random.default_rng(1)
    ends = {"line_rate_bps": (1e9, 1e11), "mtu_bytes": (576, 9000)}
    return {
        name: xr.DataArray(random.uniform(*each, count), dims="point")
        for name, each in ends.items()
    }


def formulas(row: Callable[[str, float, str], None]) -> None:
    """Rows of the formula with its limits, in plain steps and, with the extra fast, compiled."""
    for count in (FORMULA_COUNT, 10 * FORMULA_COUNT):
        rates, mtus = np.linspace(1e9, 1e11, 1000), np.linspace(576, 9000, count // 1000)
        named = together(count)
        cases = {
            "grid": (
                {"line_rate_bps": rates, "mtu_bytes": mtus},
                np.broadcast_arrays(rates[:, np.newaxis], mtus),
            ),
            "all vary": (named, [each.values for each in named.values()]),
        }
        for compiled, wanted in (("", "<= 0.6"), (", compiled", "<= 0.25")):
            if compiled and not has_numba():
                continue
            _sweep_formulas.COMPILED_POINT_COUNT = FORMULA_COUNT if compiled else sys.maxsize
            for name, (arguments, arrays) in cases.items():
                ours = partial(netmodel.sweep, payload_rate_bps, **arguments)
                first = seconds(ours)  # compiles
                if compiled and count == FORMULA_COUNT:
                    row(f"  first sweep, which compiles ({name}), s", first, "")
                measured = ratio(ours, partial(plain_rate_bps, *arrays))
                row(
                    f"formula of {count:.0e} points, {name}{compiled}, over numpy", measured, wanted
                )


def plans() -> None:
    """Plans of 20 pairs of adapters at 50 MTUs."""
    pairs = [SpecifiedPath(adapter(a), adapter(b)) for a in ADAPTERS for b in ADAPTERS][:200:10]
    mtus = [*range(1500, 8850, 150), 9000]
    compare_plans([parse_flow("40 Gbit/s str-writex30k", 50)], pairs, mtus[:50])


def two_workers_gain() -> float:
    """Rate of a cluster of two workers over that of one."""
    from distributed import Client, LocalCluster

    times = []
    for workers in (1, 2):
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
        with cluster, Client(cluster) as client, client.get_executor() as executor:
            grid(executor=executor)  # workers import netmodel and read records once
            large = partial(grid, executor=executor, mtu_bytes=CLUSTER_MTUS)
            times.append(seconds(large, time.perf_counter))
    return times[0] / times[1]


def main() -> None:
    """Print all rows."""
    print(f"{'':58} {'measured':>12} {'wanted':>10}")

    def row(name: str, value: float, wanted: str) -> None:
        print(f"{name:58} {value:12.3g} {wanted:>10}")

    size = grid().throughput_bps.size
    row("predictions over a grid of 1e6, points/s", size / seconds(grid), ">= 1e6")
    for workload in WORKLOADS:
        points = 1_000_000
        call = partial(fleet, workload, points)
        row(f"predictions of 1e6 hosts, {workload}, points/s", points / seconds(call), ">= 1e6")
    formulas(row)
    named = together(FORMULA_COUNT)
    tracemalloc.start()
    result = netmodel.sweep(payload_rate_bps, **named)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    row("its memory, over that of the result", peak / result.payload_rate_bps.nbytes, "<= 1.1")
    row("20 pairs of adapters at 50 MTUs, s of CPU time", seconds(plans), "<= 1")
    row("two dask workers over one", two_workers_gain(), ">= 1.4")


if __name__ == "__main__":
    main()
