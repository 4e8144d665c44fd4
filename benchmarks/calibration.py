"""CPU time of calibrations: fits with all their intervals, feasible sets, and what to measure next.

Each row is the least of several rounds, so that other work on the machine counts little. A fit is
timed with the intervals of its parameters and of one prediction, as the command computes them.

Where another way to the same figures is known, it is timed in turn with ours, and the ratio of the
least times is beside what the project holds itself to. Run it with a file as argument to write the
table there too.
"""

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import curve_fit

from benchmarks.tables import show, versions
from netmodel.calibration import (
    Observed,
    Point,
    adapter_model,
    feasible_set,
    fit,
    host_cost_model,
)
from netmodel.calibration.named_models import curve_model
from netmodel.path import Path, Stage, Times, Traffic, predict_path

ROUNDS = 5
SCATTER_RATIO = 0.01
COUNTS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
TRUE = (1e-2, 3e-4, 1e-6)
HOST = (6e-6, 0.8e-6, 0.3e-9)
NEAR = (1e-2, 1e-4, 1e-6)
"""Where SciPy's search starts: within a factor of three of the truth."""


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


def cpu_ms(*calls: Callable[[], Any]) -> list[float]:
    """Least time of the processor that each of several calls in turn takes. [ms]"""

    def once(call: Callable[[], Any]) -> float:
        begin_s = time.process_time()
        call()
        return 1e3 * (time.process_time() - begin_s)

    times_ms = [[once(call) for call in calls] for _ in range(ROUNDS)]
    return [min(of_call) for of_call in zip(*times_ms, strict=True)]


def rate_tps(count: Any, alone_s: Any, contention_s: Any, coherency_s: Any) -> Any:
    """The scalability law in plain numpy."""
    return count / (alone_s + contention_s * (count - 1) + coherency_s * count * (count - 1))


def within(width_ratio: float, values: np.ndarray, points: list[Point]) -> list[Observed]:
    """Figures known to within a width."""
    return [
        Observed(
            quantity=point.quantity,
            at=point.at,
            low=value * (1 - width_ratio),
            high=value * (1 + width_ratio),
        )
        for point, value in zip(points, values, strict=True)
    ]


def as_dict(stage_count: int) -> Callable[[], Any]:
    """JSON of a prediction over so many stages."""
    stages = tuple(
        Stage(name=f"stage {number}", to_server=Times(per_frame_s=1e-6 + 1e-9 * number))
        for number in range(stage_count)
    )
    path, traffic = Path(stages=stages), Traffic(30720, 200, connection_count=50)
    return lambda: predict_path(path, traffic, 1500).to_dict()


def main(file: str | None = None) -> None:
    """Print all rows, and write them to the file."""
    mtus = [Point("throughput_bps", {"mtu_bytes": mtu}) for mtu in (576, 1500, 3000, 4000, 9000)]
    counts = [
        Point("transaction_rate_tps", {"connection_count": n}) for n in (1, 2, 5, 10, 50, 250)
    ]
    sizes = [
        Point(
            "cpu_s_per_transaction",
            {"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size, "side": "client"},
        )
        for mtu in (1500, 9000)
        for size in (200, 1000, 8000, 60000)
    ]
    at_1500 = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9)
    at_line = Observed(
        quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    )
    two = [at_1500, at_line]
    rows = {
        "fit of an adapter, 5 points": fitted(adapter_model(), mtus, (0.5e-6, 0.2e-9)),
        "fit beside a line of 25 Gbit/s": fitted(adapter_model(25e9), mtus, (0.5e-6, 0.2e-9)),
        "fit of a host, 8 points": fitted(host_cost_model(), sizes, HOST),
        "fit of the scalability law": fitted(
            curve_model("scalability"), counts, (1e-2, 3e-4, 1e-6)
        ),
        "fit of shared work, a curve": fitted(
            curve_model("amortised"), counts, (4e-4, 11e-6, 24e-6, 30)
        ),
        "feasible set of an adapter": lambda: feasible_set(two, adapter_model(25e9)),
    }
    lines = [(name, f"{cpu_ms(call)[0]:.1f}", "", "", "", "") for name, call in rows.items()]
    # (2) beside SciPy
    random = np.random.default_rng(1)
    scatter = np.exp(SCATTER_RATIO * random.standard_normal(COUNTS.size))
    series = rate_tps(COUNTS, *TRUE) * scatter

    def bounded() -> None:
        curve_fit(rate_tps, COUNTS, series, NEAR, sigma=series, bounds=(0, np.inf))

    at_counts = [Point("transaction_rate_tps", {"connection_count": n}) for n in COUNTS.tolist()]
    one_ms, held_ms = cpu_ms(fitted(curve_model("scalability"), at_counts, TRUE), bounded)
    lines.append(
        (
            *("one fit with intervals", f"{one_ms:.1f}", "one curve_fit, bounds"),
            *(f"{held_ms:.1f}", f"{one_ms / held_ms:.2g}", "5"),
        )
    )
    # (3) with many observations or stages
    model = adapter_model(25e9)
    true = np.array([0.5e-6, 0.2e-9])
    many = [
        Point("throughput_bps", {"mtu_bytes": float(mtu)}) for mtu in np.linspace(576, 9000, 512)
    ]
    figures = within(SCATTER_RATIO, model.function(many)(true), many)
    host = host_cost_model()
    costs = [
        Point(
            "cpu_s_per_transaction",
            {"mtu_bytes": 1500, "request_bytes": size, "response_bytes": size, "side": "client"},
        )
        for size in np.geomspace(64, 65536, 512).round().tolist()
    ]
    host_figures = within(SCATTER_RATIO, host.function(costs)(np.array(HOST)), costs)
    for name, call, allowed_ms in (
        ("feasible set, 512 figures", lambda: feasible_set(figures, model), 1000),
        ("the same of three parameters", lambda: feasible_set(host_figures, host), 1000),
    ):
        lines.append((name, f"{cpu_ms(call)[0]:.1f}", "", "", "", f"{allowed_ms} ms"))
    few_ms, all_ms = cpu_ms(as_dict(64), as_dict(256))
    ratio = f"{all_ms / few_ms:.2g}"
    lines.append(
        ("to_dict, 256 stages", f"{all_ms:.1f}", "64 stages", f"{few_ms:.1f}", ratio, "4 if linear")
    )
    head = ("calculation", "CPU time, ms", "compared with", "its time, ms", "ratio", "at most")
    show(head, lines, versions("numpy", "scipy"), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
