"""CPU time of calibrations: fits with all their intervals, feasible sets, and what to measure next.

Each row is the least of several rounds, so that other work on the machine counts little. A fit is
timed with the intervals of its parameters and of one prediction, as the command computes them.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from netmodel.calibration import (
    Observed,
    Point,
    adapter_model,
    curve_model,
    feasible_set,
    fit,
    host_cost_model,
    next_measurements,
)
from netmodel.consumption import Side

ROUNDS = 5
SCATTER_RATIO = 0.01
TARGET = Point("throughput_bps", {"mtu_bytes": 4000})


def observed(model: Any, points: list[Point], true: tuple[float, ...]) -> list[Observed]:
    """What a model with these parameters would show, with scatter."""
    scatter = np.random.default_rng(1).standard_normal(len(points))
    values = model.function(points)(np.array(true)) * np.exp(SCATTER_RATIO * scatter)
    return [
        Observed(quantity=point.quantity, at=point.at, low=value, high=value)
        for point, value in zip(points, values, strict=True)
    ]


def fitted(model: Any, points: list[Point], true: tuple[float, ...]) -> Callable[[], Any]:
    """A fit with the intervals of all parameters and of the first quantity."""
    seen = observed(model, points, true)

    def run() -> Any:
        found = fit(seen, model)
        return found.parameters, found.predict(points[0])

    return run


def cpu_ms(call: Callable[[], Any]) -> float:
    """Least time of the processor that a call takes. [ms]"""

    def once() -> float:
        begin_s = time.process_time()
        call()
        return 1e3 * (time.process_time() - begin_s)

    return min(once() for _ in range(ROUNDS))


def main() -> None:
    """Print all rows."""
    mtus = [Point("throughput_bps", {"mtu_bytes": mtu}) for mtu in (576, 1500, 3000, 4000, 9000)]
    counts = [
        Point("transaction_rate_tps", {"connection_count": n}) for n in (1, 2, 5, 10, 50, 250)
    ]
    rates = [
        Point("cpu_s_per_transaction", {"transaction_rate_tps": rate})
        for rate in (500.0, 2e3, 5e3, 1e4, 3e4, 1e5)
    ]
    sizes = [
        Point(
            "cpu_s_per_transaction",
            {"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size, "side": "client"},
        )
        for mtu in (1500, 9000)
        for size in (200, 8000, 60000)
    ]
    at_1500 = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9)
    at_line = Observed(
        quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    )
    two = [at_1500, at_line]
    rows = {
        "fit of an adapter, 5 points": fitted(adapter_model(), mtus, (0.5e-6, 0.2e-9)),
        "fit beside a line of 25 Gbit/s": fitted(adapter_model(25e9), mtus, (0.5e-6, 0.2e-9)),
        "fit of a host, 6 points": fitted(
            host_cost_model(Side.CLIENT), sizes, (6e-6, 0.8e-6, 0.3e-9)
        ),
        "fit of the scalability law": fitted(
            curve_model("scalability"), counts, (1e-2, 3e-4, 1e-6)
        ),
        "fit of shared work, a curve": fitted(
            curve_model("coalescing"), rates, (9e-6, 57e-6, 82e-6)
        ),
        "feasible set of an adapter": lambda: feasible_set(two, adapter_model(25e9)),
        "what to measure next": lambda: next_measurements(
            feasible_set(two, adapter_model(25e9)), TARGET
        ),
    }
    for name, call in rows.items():
        print(f"{name:34} {cpu_ms(call):8.1f} ms")


if __name__ == "__main__":
    main()
