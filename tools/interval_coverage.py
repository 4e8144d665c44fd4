"""
Count how often the 95 % intervals of ``calibrate`` contain the truth.

    python tools/interval_coverage.py adapter --points 4 --scatter 0.01 --trials 100
    python tools/interval_coverage.py --trials 1000 --table docs/reference/coverage.csv

Each trial draws true parameters, computes what runs would show by the textbook formula written out
here, scatters and rounds the figures, writes them as a table, and calibrates from it. Intervals
without an upper end are listed beside the others. The table has a line for each of `SETUPS`.
"""

import argparse
import csv
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from netmodel.calibration import calibrate, host_cost_model, observed_from_table
from netmodel.calibration.models import FreeParameter, Model, demand_model
from netmodel.errors import CalibrationError, ContradictionError

Numbers = Mapping[str, Any]
TCP_IP_BYTES = 52
"""IPv4, 20 byte; TCP, 20 byte and 12 of time stamps."""
ETHERNET_BYTES = 38
"""Header, checksum, preamble and gap of a frame."""
ARITHMETIC_RATIO = 1e-9
"""Two ways to compute a figure differ by less: at the line an interval may be one value."""


class Kind(NamedTuple):
    """What runs show: ranges of the true parameters, the formula of a figure, and conditions."""

    model: Model | str
    column: str
    scale: float
    ranges: Mapping[str, tuple[float, float]]
    formula: Callable[[Numbers, Numbers], Any]
    points: Sequence[Numbers]
    line_rate_bps: float | None = None

    def most(self, at: Numbers) -> Any:
        """Return what the line carries in full frames."""
        if self.line_rate_bps is None:
            return math.inf
        wire_bytes = at["mtu_bytes"] + ETHERNET_BYTES
        return self.line_rate_bps * (at["mtu_bytes"] - TCP_IP_BYTES) / wire_bytes


def adapter_bps(true: Numbers, at: Numbers) -> Any:
    payload_bytes = at["mtu_bytes"] - TCP_IP_BYTES
    return 8 * payload_bytes / (true["per_frame_s"] + true["per_byte_s"] * payload_bytes)


def adapter(line_rate_bps: float, *mtus: int) -> Kind:
    """Return a kind of 13 to 26 Gbit/s at MTU 1500, whose runs carry at most what the line does."""
    return Kind(
        *("adapter", "throughput_gbps", 1e9),
        {"per_frame_s": (0.35e-6, 0.7e-6), "per_byte_s": (2e-11, 1.5e-10)},
        adapter_bps,
        [{"mtu_bytes": mtu} for mtu in mtus],
        line_rate_bps,
    )


def host_s(true: Numbers, at: Numbers) -> Any:
    """Return the CPU time of two messages, the frames of each, and all bytes."""
    sizes = (at["request_bytes"], at["response_bytes"])
    frames = sum(math.ceil(size / (at["mtu_bytes"] - TCP_IP_BYTES)) for size in sizes)
    bytes_s = true["per_byte_s"] * sum(sizes)
    return 2 * true["per_message_s"] + frames * true["per_frame_s"] + bytes_s


def exchange(mtu: int, size: int, **more: str) -> Numbers:
    return {"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size, **more}


def law(name: str, seconds: Callable[..., Any], **ranges: tuple[float, float]) -> Kind:
    """Return a kind of rates over connections, by the time of all transactions in flight."""

    def rate_tps(true: Numbers, at: Numbers) -> Any:
        count = at["connection_count"]
        return count / seconds(count, *true.values())

    points = [{"connection_count": count} for count in COUNTS]
    return Kind(name, "transaction_rate_tps", 1.0, ranges, rate_tps, points)


EXCHANGES = ((1500, 200), (9000, 60000), (1500, 60000), (1500, 30000), (9000, 8000), (9000, 200))
COUNTS = (1, 128, 16, 64, 4, 32, 8, 2, 256, 24, 96, 6)
LINE = demand_model(
    "transaction_time_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1.0, float(at["connection_count"])),
    is_rate=False,
)
FEW_S = (3e-4, 6e-4)
"""Time of a transaction that is alone."""
KINDS = {
    "line": Kind(
        *(LINE, "transaction_time_us", 1e-6, {"fixed_s": FEW_S, "each_s": (1e-5, 3e-5)}),
        lambda true, at: true["fixed_s"] + true["each_s"] * at["connection_count"],
        [{"connection_count": count} for count in COUNTS],
    ),
    "adapter": adapter(400e9, 1500, 9000, 4000, 576, 2000, 6000, 1000, 7500),
    "adapter-at-the-line": adapter(25e9, 576, 9000, 1500, 1000, 400, 1280, 4000, 800),
    "host": Kind(
        *(host_cost_model(), "cpu_us_per_transaction", 1e-6),
        {
            "per_message_s": (3e-6, 12e-6),
            "per_frame_s": (0.4e-6, 1.6e-6),
            "per_byte_s": (0.15e-9, 0.6e-9),
        },
        host_s,
        [exchange(*each, side="client") for each in EXCHANGES],
    ),
    "scalability": law(
        "scalability",
        lambda n, t1, ts, tk: t1 + (ts + tk * n) * (n - 1),
        alone_s=(1e-4, 2e-4),
        contention_s=(2e-6, 6e-6),
        coherency_s=(2e-8, 1e-7),
    ),
    "saturation": law(
        "saturation",
        lambda n, alone, most: max(alone, n * most),
        zero_load_s=FEW_S,
        bottleneck_s=(1e-5, 3e-5),
    ),
    "batching": law(
        "batching",
        lambda n, z, d, w: z + n * (d + w / math.sqrt(n)),
        delay_s=FEW_S,
        least_s=(1e-5, 3e-5),
        shared_s=(5e-5, 1e-4),
    ),
    "amortised": law(
        "amortised",
        lambda n, z, d, w, half: z + n * (d + w / (1 + n / half)),
        delay_s=FEW_S,
        least_s=(5e-6, 1.5e-5),
        shared_s=(3e-5, 6e-5),
        batching_count=(8, 32),
    ),
}
"""The first of the points are those of fewer points."""
SETUPS = {
    "line": ("line", 8, 1, 4),
    "batching": ("batching", 8, 1, 4),
    "saturation": ("saturation", 8, 1, 4),
    "scalability": ("scalability", 8, 1, 4),
    "amortised": ("amortised", 12, 1, 4),
    "adapter": ("adapter", 8, 1, 4),
    "host": ("host", 6, 2, 4),
    "adapter, two digits": ("adapter", 8, 1, 2),
    "adapter, partly at the line": ("adapter-at-the-line", 8, 1, 4),
    "line, outliers": ("line", 12, 1, 4, 0.1),
    "scalability, outliers": ("scalability", 12, 1, 4, 0.1),
}
"""Kind, points, repeats, digits and share of outliers by name; half of the trials are given the
noise, but where some figures are outliers."""
OUTLIER_FACTOR = 5
"""By which outliers scatter more than other figures: some of them show, some do not."""
HEAD = ("runs", "figures", "intervals", "hold, %", "noise estimated", "given", "open", "refused")


def calibrated(kind: Kind, rows: Sequence[Numbers], noise_ratio: float | None) -> Numbers | None:
    """Return intervals by quantity, or None where the figures are refused."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "runs.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
        seen = observed_from_table(path)
    rate_bps = kind.line_rate_bps
    with suppress(CalibrationError, ContradictionError):
        return calibrate(seen, kind.model, noise_ratio, line_rate_bps=rate_bps).parameters
    return None


def trial(kind: Kind, given: argparse.Namespace, chance: np.random.Generator) -> dict[str, str]:
    """Say of each quantity whether its interval covers or misses the truth, is open or refused."""
    true = {name: math.exp(chance.uniform(*np.log(ends))) for name, ends in kind.ranges.items()}
    rows = []
    for at in kind.points[: given.points] * given.repeats:
        scatter = given.scatter * (
            OUTLIER_FACTOR if given.outliers and chance.random() < given.outliers else 1
        )
        run = kind.formula(true, at) * math.exp(scatter * chance.standard_normal())
        figure = f"{min(run, kind.most(at)) / kind.scale:.{given.digits - 1}e}"
        rows.append({**at, kind.column: f"{float(figure):.12g}"})
    found = calibrated(kind, rows, given.scatter if given.noise_known else None)
    answer = dict.fromkeys(true, "refused")
    for name, each in (found or {}).items():
        allowed = ARITHMETIC_RATIO * true[name]
        is_inside = each.low - allowed <= true[name] <= each.high + allowed
        is_open = each.high == math.inf
        answer[name] = ("open" if is_open else "covered") if is_inside else "missed"
    return answer


def counted(given: argparse.Namespace) -> dict[str, Counter[str]]:
    """Return how often each answer was given for each quantity."""
    chance = np.random.default_rng([given.seed, given.noise_known])
    found = [trial(KINDS[given.kind], given, chance) for _ in range(given.trials)]
    return {name: Counter(each[name] for each in found) for name in found[0]}


def held(counts: Counter[str]) -> str:
    """Return the per cent of intervals that hold the truth."""
    every = counts.total() - counts["refused"]
    return f"{100 * (1 - counts['missed'] / every):.1f}" if every else "-"


def line(name: str, given: argparse.Namespace) -> tuple[Any, ...]:
    """Return the line of a set-up, all quantities together."""
    given.kind, given.points, given.repeats, given.digits, *share = SETUPS[name]
    given.outliers, halves = sum(share), []
    given.trials //= 1 if share else 2
    for given.noise_known in (False,) if share else (False, True):
        halves.append(sum(counted(given).values(), Counter[str]()))
    both, shares = sum(halves, Counter[str]()), [*map(held, halves), "-"][:2]
    every = both.total() - both["refused"]
    figures = given.points * given.repeats
    return name, figures, every, held(both), *shares, both["open"], both["refused"]


def main() -> None:
    """Print a line for each quantity, or write one for each set-up."""
    parser = argparse.ArgumentParser(description=str(__doc__).strip().partition("\n")[0])
    parser.add_argument("kind", choices=KINDS, nargs="?")
    parser.add_argument("--points", type=int, default=4, help="different conditions")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each")
    parser.add_argument("--digits", type=int, default=4, help="printed, from the first above 0 on")
    parser.add_argument("--scatter", type=float, default=0.01, help="from run to run, as a ratio")
    parser.add_argument("--outliers", type=float, default=0, help="share of figures")
    parser.add_argument("--noise-known", action="store_true", help="--scatter is given as noise")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", type=Path, help="a file for the coverage of all set-ups")
    given = parser.parse_args()
    for name, counts in (counted(given) if given.kind else {}).items():
        every, count = f"{held(counts):>7} %", counts.total() - counts["refused"]
        print(
            f"{name:<14}{every} of {count} hold the truth;"
            f" {counts['open']} open, {counts['refused']} refused"
        )
    if given.table:
        with given.table.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(HEAD)
            for name in SETUPS:
                table.writerow(line(name, argparse.Namespace(**vars(given))))
                file.flush()


if __name__ == "__main__":
    main()
