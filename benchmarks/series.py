"""Errors of four ways to predict figures that are left out of public series, by source.

    python -m benchmarks.series docs/reference/series.csv

Each figure of a series is predicted from the others: by ``--model auto``, by lines between
logarithms, by the universal scalability law, and by SciPy's PCHIP of logarithms. Counts of
connections, threads, cores, queues or requests in flight are connections to the models, and rates
of requests or frames are transactions. The law is for rates over counts; the others are for all.

The sources are in two halves, by a hash of their names alone. The model of ``auto`` and its
intervals were chosen with the first; the second, held out, is what a page reports.
"""

import csv
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.interpolate import PchipInterpolator

from benchmarks.tables import show, versions
from netmodel.calibration import Observed, Point, calibrate
from netmodel.errors import CalibrationError, DomainError

DATA = Path(__file__).parents[1] / "tests" / "data" / "series"
COUNTS = ("connection_count", "thread_count", "core_count", "queue_count", "io_depth")
QUANTITIES = {
    "throughput": "throughput_bps",
    "time": "transaction_time_s",
    "cpu_cost": "cpu_us_per_gbit",
}
"""What models call a figure; any other is a rate of transactions. Errors are ratios: its unit, and
a constant factor, change none."""
WAYS = ("auto", "lines", "usl", "pchip")
FARTHEST_RATIO = 2
"""Where an end is left out farther beyond the others, nothing is predicted."""
LEAST_FIGURES = 4
"""Of a series; ends are left out where there are more, so that as many judge the models."""

Rows: TypeAlias = Sequence[Mapping[str, str]]
Errors: TypeAlias = dict[str, float]


class LeftOut(NamedTuple):
    """Logarithm of prediction over figure of each way that has one, for a figure left out."""

    source: str
    series: str
    is_inner: bool
    errors: Errors
    is_within: bool


def all_series() -> dict[tuple[str, str], Rows]:
    """Figures in order of what is varied, by source and series."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    with (DATA / "series.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["source"], row["series"]), []).append(row)
    return dict(found)


def held_out(series: Iterable[tuple[str, str]]) -> set[str]:
    """Sources of the half that nothing was chosen with, whichever figures they have."""
    sources = [source for source, _ in series]
    sizes, held = {True: 0, False: 0}, set[str]()
    # in the order of hashes of names, each joins the half with fewer series
    for source in sorted(set(sources), key=lambda name: sha256(name.encode()).hexdigest()):
        is_held = sizes[True] < sizes[False]
        sizes[is_held] += sources.count(source)
        held |= {source} if is_held else set()
    return held


def errors_at(rows: Rows, place: int) -> tuple[Errors, bool]:
    """Logarithms of prediction over figure, and whether the interval of ``auto`` holds it."""
    quantity = QUANTITIES.get(rows[0]["y_name"], "transaction_rate_tps")
    varied = rows[0]["x_name"]
    over = COUNTS[0] if varied in COUNTS else varied
    x, y = (np.array([float(row[name]) for row in rows]) for name in "xy")
    seen = [
        Observed(quantity=quantity, at={over: float(at)}, low=float(figure), high=float(figure))
        for at, figure in zip(np.delete(x, place), np.delete(y, place), strict=True)
    ]
    left_out, figure = Point(quantity, {over: float(x[place])}), float(y[place])
    logs, others = np.log(np.delete(x, place)), np.log(np.delete(y, place))
    at = math.log(x[place])
    # the two neighbours, or those at the end that is left out
    right = int(np.clip(np.searchsorted(logs, at), 1, len(logs) - 1))
    slope = (others[right] - others[right - 1]) / (logs[right] - logs[right - 1])
    predicted = {
        "lines": float(others[right] + slope * (at - logs[right])),
        "pchip": float(PchipInterpolator(logs, others)(at)),
    }
    is_within = False
    try:
        value, low, high = calibrate(seen, "auto").predict(left_out)
        assert value is not None
        predicted["auto"], is_within = math.log(value), low <= figure <= high
        value = calibrate(seen, "scalability").predict(left_out).value
        if value:
            predicted["usl"] = math.log(value)
    except (CalibrationError, DomainError):
        pass  # no law of this quantity or condition, or too few figures for one
    return {way: log - math.log(figure) for way, log in predicted.items()}, is_within


def left_out(rows: Rows) -> list[LeftOut]:
    """Each inner figure of a series, and each end that is at most twofold beyond the others."""
    source, name = rows[0]["source"], rows[0]["series"]
    places = [float(row["x"]) for row in rows]
    found = []
    for place in range(len(rows)):
        is_inner = 0 < place < len(rows) - 1
        beyond = places[-1] / places[-2] if place else places[1] / places[0]
        if is_inner or (beyond <= FARTHEST_RATIO and len(rows) > LEAST_FIGURES):
            found.append(LeftOut(source, name, is_inner, *errors_at(rows, place)))
    return found


def line(name: str, part: str, cases: Sequence[LeftOut], mean: bool = True) -> list[str]:
    """A row of the table: how many, errors in percent, and how many intervals hold the figure."""

    def error(way: str) -> str:
        logs = [abs(case.errors[way]) for case in cases if way in case.errors]
        if len(logs) < len(cases):
            return ""
        return f"{100 * (np.mean(logs) if mean else np.median(logs)):.1f}"

    series = len({(case.source, case.series) for case in cases})
    held = 100 * np.mean([case.is_within for case in cases])
    return [part, name, f"{series}", f"{len(cases)}", *map(error, WAYS), f"{held:.1f}"]


def table(cases: Sequence[LeftOut], part: str) -> list[list[str]]:
    """Rows of sources and of all, for the figures inside the ranges; then for their ends."""
    inner = [case for case in cases if case.is_inner]
    ends = [case for case in cases if not case.is_inner]
    rows = [
        line(source, part, [case for case in inner if case.source == source])
        for source in sorted({case.source for case in inner})
    ]
    rates = [case for case in inner if "usl" in case.errors]
    rows += [
        line("all", part, inner),
        line("all, median", part, inner, mean=False),
        line("rates over counts", part, rates),
        line("rates over counts, median", part, rates, mean=False),
    ]
    if ends:
        rows += [line("ends", part, ends), line("ends, median", part, ends, mean=False)]
    return rows


HEAD = (
    *("half", "source", "series", "left out", "auto, %", "lines, %", "USL, %", "PCHIP, %"),
    "in 95 %, %",
)


def main() -> None:
    """Print the table of both halves, and write it to the file of the first argument."""
    series = all_series()
    with ProcessPoolExecutor() as pool:
        cases = [case for found in pool.map(left_out, series.values()) for case in found]
    held = held_out(series)
    rows = [
        row
        for part, is_held in (("chosen with", False), ("held out", True))
        for row in table([case for case in cases if (case.source in held) == is_held], part)
    ]
    show(HEAD, rows, versions("numpy", "scipy"), *sys.argv[1:2])


if __name__ == "__main__":
    main()
