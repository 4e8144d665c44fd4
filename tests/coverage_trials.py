"""
Trials of the intervals that ``netmodel calibrate`` prints, by a simulation of its own.

Each trial draws true parameters, computes what runs would show by the textbook formula written out
here, scatters and prints the figures, stops them at the line, writes the CSV file that a user
would write, and calls the command with its defaults. Nothing here comes from the package that is
tried, but for the command line.

    python tests/coverage_trials.py FILE.csv

runs the whole table and writes it; ``make trials`` does so for the documentation.
"""

import argparse
import csv
import json
import math
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from invocation import run_netmodel
from scipy import optimize, special
from scipy.stats import qmc

__all__ = [
    "CASES",
    "KINDS",
    "PREDICTED",
    "Case",
    "Kind",
    "KnownNoise",
    "Tally",
    "intervals_of",
    "printed",
    "profile_intervals",
    "tallies_of",
]

Numbers: TypeAlias = Mapping[str, Any]
"""Values by name: a number each, or an array of several runs."""
Interval: TypeAlias = tuple[float | None, float | None]
ClosedInterval: TypeAlias = tuple[float, float]

ARITHMETIC_RATIO = 1e-9
"""Two ways to compute the same figure differ by less: where the line is the limit, the interval is
one value."""
PREDICTED = "prediction"
"""Name of the predicted quantity beside the parameters."""
REPEAT_COUNT = 3
"""Runs of each condition where repeats show the scatter: the fewest that people usually make."""
LINE_TOLERANCE_RATIO = 0.005
"""How near to the line a figure means a full line: the documented rule of the command."""
LEVEL_LOSS = 0.5 * 3.841458820694124
"""How far the log-likelihood falls to the end of a 95 % profile interval: half of chi-square's
0.95 quantile for one degree of freedom."""
PARAMETER_COUNT = 3
"""The most that a kind has."""
FEW_TRIALS, TRIALS, MOST_TRIALS = 16, 64, 256
"""After so many trials a case ends that has no closed interval; that is clear; in any event. Powers
of two, as Sobol sequences are even over these."""
CLEAR_RATIOS = (0.92, 0.985)
"""A coverage between these needs no more trials: 95 % with its sampling error of 64 trials."""
HOPELESS_RATIO = 0.75
"""Below this a case is clear too: 90 % shows so little in 64 trials once in a thousand times."""
PROFILED_TRIALS = 8
"""Of each case with known noise, trials whose intervals are compared with profile likelihood."""
_FARTHEST_LOG = math.log(100)
"""A parameter that may be a hundred times what is likeliest has no end."""
LEAST_PROFILED_POINTS = 4
"""Fewer points may leave an interval open even where the noise is known."""


class KnownNoise(Enum):
    """What the command is given of the scatter."""

    GIVEN = "given"
    REPEATS = "repeats"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured: the textbook formula, the conditions of the runs, the command's words."""

    model: str
    column: str
    scale: float
    truth: Callable[[Sequence[float]], dict[str, float]]
    formula: Callable[[Numbers, Numbers], Any]
    points: Mapping[int, Sequence[Numbers]]
    predicted_at: Numbers
    options: tuple[str, ...] = ()
    cell: Mapping[str, str] = field(default_factory=dict)
    line: Callable[[Numbers], Any] = lambda _: math.inf
    compared_as: str | None = None

    def seen(self, truth: Numbers) -> float:
        """What a run without scatter would show where it is predicted."""
        at = self.predicted_at
        return float(min(self.formula(truth, at), self.line(at)))


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table."""

    kind: str
    point_count: int
    digit_count: int
    scatter_ratio: float
    known: KnownNoise

    def drawn(self, trial: int) -> tuple[dict[str, float], list["Figure"]]:
        """True parameters of a trial, and what its runs show, the same whenever it is asked for."""
        numbers = _numbers(zlib.crc32(repr(self.printed()).encode()))[trial]
        truth = KINDS[self.kind].truth(numbers[:PARAMETER_COUNT])
        return truth, figures_of(self, truth, special.ndtri(numbers[PARAMETER_COUNT:]))

    def printed(self) -> dict[str, str]:
        """Cells of the file that name it."""
        return {
            "kind": self.kind,
            "noise": self.known.value,
            "point_count": str(self.point_count),
            "digit_count": str(self.digit_count),
            "scatter_ratio": str(self.scatter_ratio),
        }


class Figure(NamedTuple):
    """A printed figure: of which point, against which, and between which ends it was, unrounded."""

    at: Numbers
    text: str
    resolution: str
    low: float
    high: float
    baseline: Numbers | None = None

    @property
    def rounding_ratio(self) -> float:
        """Half a printed step as a part of the figure."""
        return (self.high - self.low) / (self.high + self.low)


@dataclass(slots=True)
class Tally:
    """What became of one quantity in all trials of a case; a line of the file."""

    case: Case
    quantity: str
    trial_count: int = 0
    refused_count: int = 0
    open_count: int = 0
    closed_count: int = 0
    covered_count: int = 0
    profiled_count: int = 0
    profiled_open_count: int = 0
    width_ratios: list[float] = field(default_factory=list)
    rounding_ratios: list[float] = field(default_factory=list)

    @property
    def is_clear(self) -> bool:
        """Whether more trials would hardly say more of its coverage."""
        if not self.closed_count:
            return True
        coverage_ratio = self.covered_count / self.closed_count
        low, high = CLEAR_RATIOS
        is_rounding_larger = np.median(self.rounding_ratios) > self.case.scatter_ratio
        return (
            coverage_ratio < HOPELESS_RATIO
            or low <= coverage_ratio <= high
            or bool(coverage_ratio > high and is_rounding_larger)
        )

    def count(self, true: float, found: "Found") -> None:
        """Add a trial."""
        self.trial_count += 1
        self.rounding_ratios += [each.rounding_ratio for each in found.figures]
        if found.intervals is None:
            self.refused_count += 1
        elif self.quantity not in found.closed:
            self.open_count += 1
        else:
            low, high = found.closed[self.quantity]
            allowed = ARITHMETIC_RATIO * true
            self.closed_count += 1
            self.covered_count += int(low - allowed <= true <= high + allowed)
        if self.quantity in found.profiles:
            self._compare(found)

    def _compare(self, found: "Found") -> None:
        """The width beside that of the profile likelihood of the same figures."""
        self.profiled_count += 1
        if self.quantity not in found.closed:
            self.profiled_open_count += 1
        else:
            low, high = found.closed[self.quantity]
            least, most = found.profiles[self.quantity]
            self.width_ratios.append((high - low) / (most - least))

    def printed(self) -> dict[str, str]:
        """A line of the file; an empty cell is not known."""
        widths = self.width_ratios or [math.nan]
        numbers = {
            "rounding_ratio": float(np.median(self.rounding_ratios)),
            "width_ratio_median": float(np.median(widths)),
            "width_ratio_largest": max(widths),
        }
        counts = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **self.case.printed(),
            "quantity": self.quantity,
            **{name: str(value) for name, value in counts.items() if name.endswith("_count")},
            **{name: "" if math.isnan(each) else f"{each:.4g}" for name, each in numbers.items()},
        }


class Found(NamedTuple):
    """What a trial printed, what the command made of it, and what profile likelihood does."""

    figures: Sequence[Figure]
    intervals: Mapping[str, Interval] | None
    closed: Mapping[str, ClosedInterval]
    profiles: Mapping[str, ClosedInterval]


@cache
def _numbers(seed: int) -> np.ndarray:
    """
    Numbers from 0 to 1 of each trial of a case: a scrambled Sobol sequence.

    They are spread more evenly than by chance, so that fewer trials show a coverage as well.
    """
    count = PARAMETER_COUNT + REPEAT_COUNT * max(POINT_COUNTS)
    return np.asarray(qmc.Sobol(count, seed=seed).random(MOST_TRIALS))


def _between(number: float, low: float, high: float) -> float:
    return float(low * (high / low) ** number)


def _adapter_truth(numbers: Sequence[float]) -> dict[str, float]:
    """13 to 26 Gbit/s at MTU 1500, and 25 to 70 % of the time of a frame of MTU 9000 by bytes."""
    frame_s, share = _between(numbers[0], 0.35e-6, 0.7e-6), 0.25 + 0.45 * numbers[1]
    return {"per_frame_s": frame_s, "per_byte_s": frame_s * share / (1 - share) / _payload(9000)}


def _payload(mtu_bytes: Any) -> Any:
    """TCP payload of a frame: IPv4, 20 byte; TCP, 20 byte and 12 of time stamps."""
    return mtu_bytes - 52


def _adapter_bps(truth: Numbers, at: Numbers) -> Any:
    payload = _payload(at["mtu_bytes"])
    return 8 * payload / (truth["per_frame_s"] + truth["per_byte_s"] * payload)


def _line_bps(rate_bps: float) -> Callable[[Numbers], Any]:
    """Payload of a line: Ethernet header, checksum, preamble and gap are 38 byte of a frame."""
    return lambda at: rate_bps * _payload(at["mtu_bytes"]) / (at["mtu_bytes"] + 38)


def _host_truth(numbers: Sequence[float]) -> dict[str, float]:
    return {
        "per_message_s": _between(numbers[0], 3e-6, 12e-6),
        "per_frame_s": _between(numbers[1], 0.4e-6, 1.6e-6),
        "per_byte_s": _between(numbers[2], 0.15e-9, 0.6e-9),
    }


def _host_s(truth: Numbers, at: Numbers) -> Any:
    """Two messages, the frames of each, and all bytes."""
    sizes = (at["request_bytes"], at["response_bytes"])
    frames = sum(np.ceil(size / _payload(at["mtu_bytes"])) for size in sizes)
    parts = (2.0, frames, sum(sizes))
    return sum(cost * part for cost, part in zip(truth.values(), parts, strict=True))


def _exchanges(*sizes: tuple[int, int]) -> tuple[Numbers, ...]:
    return tuple(
        {"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size} for mtu, size in sizes
    )


def _law_truth(numbers: Sequence[float]) -> dict[str, float]:
    """Times of the universal scalability law: contention 1 to 6 %, coherency 0.01 to 0.1 %."""
    alone_s = _between(numbers[0], 50e-6, 500e-6)
    return {
        "alone_s": alone_s,
        "contention_s": alone_s * _between(numbers[1], 0.01, 0.06),
        "coherency_s": alone_s * _between(numbers[2], 1e-4, 1e-3),
    }


def _law_tps(truth: Numbers, at: Numbers) -> Any:
    """The law as its author writes it, with coefficients in place of times."""
    count, alone_s = at["connection_count"], truth["alone_s"]
    sigma, kappa = truth["contention_s"] / alone_s, truth["coherency_s"] / alone_s
    return count / alone_s / (1 + sigma * (count - 1) + kappa * count * (count - 1))


def _mtus(*mtus: int) -> tuple[Numbers, ...]:
    return tuple({"mtu_bytes": float(mtu)} for mtu in mtus)


def _connections(*counts: int) -> tuple[Numbers, ...]:
    return tuple({"connection_count": float(count)} for count in counts)


_ADAPTER: dict[str, Any] = {
    "model": "adapter",
    "column": "throughput_gbps",
    "scale": 1e9,
    "truth": _adapter_truth,
    "formula": _adapter_bps,
    "predicted_at": {"mtu_bytes": 3000.0},
}
_BELOW_THE_LINE = {
    "options": ("--line-rate", "400Gbit/s"),
    "line": _line_bps(400e9),
    "points": {
        2: _mtus(1500, 9000),
        3: _mtus(1500, 4000, 9000),
        4: _mtus(576, 1500, 4000, 9000),
        8: _mtus(576, 1000, 1500, 2000, 4000, 6000, 7500, 9000),
    },
}
KINDS: dict[str, Kind] = {
    "adapter": Kind(**_ADAPTER, **_BELOW_THE_LINE),
    "adapter at the line": Kind(
        **_ADAPTER,
        options=("--line-rate", "25Gbit/s"),
        line=_line_bps(25e9),
        points={
            2: _mtus(1000, 9000),
            3: _mtus(576, 1500, 9000),
            4: _mtus(576, 1000, 1500, 9000),
            8: _mtus(400, 576, 800, 1000, 1280, 1500, 4000, 9000),
        },
    ),
    "adapter by ratios": Kind(**_ADAPTER, **_BELOW_THE_LINE, compared_as="throughput_bps"),
    "host": Kind(
        model="host",
        column="cpu_us_per_transaction",
        scale=1e-6,
        truth=_host_truth,
        formula=_host_s,
        cell={"side": "client"},
        points={
            2: _exchanges((1500, 200), (1500, 60000)),
            3: _exchanges((1500, 200), (1500, 60000), (9000, 60000)),
            4: _exchanges((1500, 200), (1500, 30000), (1500, 60000), (9000, 60000)),
            8: _exchanges(*product((1500, 9000), (200, 8000, 30000)), (1500, 60000), (9000, 60000)),
        },
        predicted_at={"mtu_bytes": 4000, "request_bytes": 20000, "response_bytes": 20000},
    ),
    "scalability": Kind(
        model="scalability",
        column="transaction_rate_tps",
        scale=1.0,
        truth=_law_truth,
        formula=_law_tps,
        points={
            2: _connections(1, 64),
            3: _connections(1, 16, 128),
            4: _connections(1, 8, 32, 128),
            8: _connections(1, 2, 4, 8, 16, 32, 64, 128),
        },
        predicted_at={"connection_count": 24.0},
    ),
}
POINT_COUNTS = (2, 3, 4, 8)
DIGIT_COUNTS = (1, 2, 4)
SCATTER_RATIOS = (0.005, 0.01, 0.02, 0.05)
_OF_OTHERS = ((4, 0.01), (2, 0.05))
CASES = tuple(
    Case(kind, points, digits, scatter, known)
    for kind in KINDS
    for known, points, (digits, scatter) in product(
        KnownNoise,
        POINT_COUNTS,
        product(DIGIT_COUNTS, SCATTER_RATIOS) if kind == "adapter" else _OF_OTHERS,
    )
)
"""Rows of the table: every combination for an adapter below its line, fewer for the others."""


def figures_of(case: Case, truth: Numbers, normals: np.ndarray) -> list[Figure]:
    """What the runs of a trial show, as it is printed, with their normal scatter."""
    kind = KINDS[case.kind]
    many = kind.points[case.point_count]
    repeats = REPEAT_COUNT if case.known is KnownNoise.REPEATS else 1
    result = []
    for of_runs in np.split(normals[: repeats * len(many)], repeats):
        scatter = np.exp(case.scatter_ratio * of_runs)
        runs = [
            min(kind.formula(truth, at) * ratio, kind.line(at)) / kind.scale
            for at, ratio in zip(many, scatter, strict=True)
        ]
        baseline = None
        for at, run in zip(many, runs, strict=True):
            value = run if baseline is None else run / runs[0]
            result.append(printed(at, value, case.digit_count, baseline))
            baseline = many[0] if kind.compared_as else None
    return result


def printed(at: Numbers, value: float, digit_count: int, baseline: Numbers | None = None) -> Figure:
    """The value in so many digits; its step too where a last 0 may only hold a place."""
    figure = Decimal(f"{value:.{digit_count - 1}e}")
    exponent = figure.as_tuple().exponent
    assert isinstance(exponent, int)
    step = Decimal(1).scaleb(exponent)
    is_told = exponent <= 0 and (exponent < 0 or figure % 10 != 0)
    low, high = float(figure - step / 2), float(figure + step / 2)
    return Figure(at, f"{figure:f}", "" if is_told else f"{step:f}", low, high, baseline)


def intervals_of(
    case: Case, figures: Sequence[Figure], directory: Path
) -> dict[str, Interval] | None:
    """What the command prints for the figures, by quantity; None where it refuses them."""
    kind = KINDS[case.kind]
    path = directory / "runs.csv"
    _write(path, kind, figures)
    wanted = ",".join(f"{name}={value:g}" for name, value in kind.predicted_at.items())
    noise = ["--noise", str(case.scatter_ratio)] if case.known is KnownNoise.GIVEN else []
    asked = ["--model", kind.model, *kind.options, *noise, "--predict-at", wanted]
    result = run_netmodel("calibrate", str(path), *asked, "--json")
    if result.exit_code == 1:
        return None
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    ends = {**printed["parameters"], PREDICTED: printed["predictions"][0]}
    return {name: (each["low"], each["high"]) for name, each in ends.items()}


def _write(path: Path, kind: Kind, figures: Iterable[Figure]) -> None:
    rows = []
    for each in figures:
        row = {**kind.cell, **{name: f"{value:g}" for name, value in each.at.items()}}
        if each.baseline is None:
            row |= {kind.column: each.text, f"{kind.column}_resolution": each.resolution}
        else:
            row |= {
                "change": "factor",
                "change_ratio": each.text,
                "quantity": kind.compared_as or "",
                "baseline_run": "above",
            }
            row |= {"change_ratio_resolution": each.resolution}
            row |= {f"baseline_{name}": f"{value:g}" for name, value in each.baseline.items()}
        rows.append(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, dict.fromkeys(name for row in rows for name in row))
        table.writeheader()
        table.writerows(rows)


def tallies_of(
    case: Case, trials: int | None = None, profiled_trials: int = PROFILED_TRIALS
) -> list[Tally]:
    """Trials of a case: so many, or until it is clear; one tally for each quantity."""
    kind = KINDS[case.kind]
    tallies = [Tally(case, name) for name in (*case.drawn(0)[0], PREDICTED)]
    is_known = case.known is KnownNoise.GIVEN and case.point_count >= LEAST_PROFILED_POINTS
    with tempfile.TemporaryDirectory() as directory:
        for trial in range(MOST_TRIALS if trials is None else trials):
            if trials is None and _is_done(trial, tallies):
                break
            truth, figures = case.drawn(trial)
            intervals = intervals_of(case, figures, Path(directory))
            is_profiled = is_known and trial < profiled_trials
            profiles = profile_intervals(case, truth, figures) if is_profiled else {}
            result = Found(figures, intervals, _closed(kind, intervals or {}), profiles)
            true = {**truth, PREDICTED: kind.seen(truth)}
            for each in tallies:
                each.count(true[each.quantity], result)
    return tallies


def _closed(kind: Kind, intervals: Mapping[str, Interval]) -> dict[str, ClosedInterval]:
    """Those whose both ends claim something: a time may end at 0, a rate of 0 is no end."""
    is_rate = {PREDICTED: not kind.column.startswith("cpu")}
    return {
        name: (low, high)
        for name, (low, high) in intervals.items()
        if low is not None and high is not None and not (is_rate.get(name) and low == 0)
    }


def _is_done(trial: int, tallies: Sequence[Tally]) -> bool:
    """Whether more trials would say no more of the case."""
    if trial == FEW_TRIALS:
        return not any(each.closed_count for each in tallies)
    return trial == TRIALS and all(each.is_clear for each in tallies)


def profile_intervals(
    case: Case, truth: Numbers, figures: Sequence[Figure]
) -> dict[str, tuple[float, float]]:
    """
    95 % intervals of the parameters by profile likelihood, of those that have two ends above 0.

    The scatter is known. A printed figure is likely as the probability of all that is printed
    so, one at the line as that of all beyond. Ratios to one run scatter together: they are taken
    as normal, with the variance of their rounding, where it is smaller than the scatter.
    """
    names = list(truth)
    start = np.log([truth[name] for name in names])
    loss_of = _loss_of_ratios if KINDS[case.kind].compared_as else _loss_of_figures
    of_logs = loss_of(case, names, figures)

    def loss(steps: np.ndarray) -> float:
        """By the logarithms of parameters, in steps of the scatter from the truth."""
        return of_logs(start + case.scatter_ratio * steps)

    best = optimize.minimize(loss, np.zeros(len(names)), method="Nelder-Mead")
    best = optimize.minimize(loss, best.x, method="BFGS")
    result = {}
    for place, name in enumerate(names):
        low, high = (
            _profile_end(loss, best.x, best.fun, place, way, _FARTHEST_LOG / case.scatter_ratio)
            for way in (-1, 1)
        )
        if low is not None and high is not None:
            ends = start[place] + case.scatter_ratio * np.array([low, high])
            result[name] = (float(np.exp(ends[0])), float(np.exp(ends[1])))
    return result


def _loss_of_figures(
    case: Case, names: Sequence[str], figures: Sequence[Figure]
) -> Callable[[np.ndarray], float]:
    """Less the log-likelihood of figures that scatter each for itself."""
    kind, at = KINDS[case.kind], _columns(figures)
    line = np.broadcast_to(kind.line(at), len(figures))
    lows, highs = (
        np.array([getattr(each, end) for each in figures]) * kind.scale for end in ("low", "high")
    )
    is_full = highs >= line * (1 - LINE_TOLERANCE_RATIO)
    limits = np.where(is_full, np.inf, np.log(line))
    low = np.log(np.minimum(lows, line))
    high = np.where(is_full, np.inf, np.log(highs))

    def loss(logs: np.ndarray) -> float:
        truth = dict(zip(names, np.exp(logs), strict=True))
        model = np.minimum(np.log(kind.formula(truth, at)), limits)
        below, above = (low - model) / case.scatter_ratio, (high - model) / case.scatter_ratio
        is_mirrored = below > 0
        near = special.log_ndtr(np.where(is_mirrored, -above, below))
        far = special.log_ndtr(np.where(is_mirrored, -below, above))
        return -float(np.sum(far + np.log1p(-np.exp(near - far))))

    return loss


def _loss_of_ratios(
    case: Case, names: Sequence[str], figures: Sequence[Figure]
) -> Callable[[np.ndarray], float]:
    """Less the log-likelihood of a figure and of ratios to it."""
    kind, at = KINDS[case.kind], _columns(figures)
    seen = np.log(
        [float(each.text) * (kind.scale if each.baseline is None else 1.0) for each in figures]
    )
    of_runs = np.eye(len(figures))
    of_runs[1:, 0] = -1
    rounding = np.diag([each.rounding_ratio**2 / 3 for each in figures])
    inverse = np.linalg.inv(case.scatter_ratio**2 * of_runs @ of_runs.T + rounding)

    def loss(logs: np.ndarray) -> float:
        truth = dict(zip(names, np.exp(logs), strict=True))
        difference = seen - of_runs @ np.log(kind.formula(truth, at))
        return 0.5 * float(difference @ inverse @ difference)

    return loss


def _columns(figures: Sequence[Figure]) -> dict[str, np.ndarray]:
    """Conditions of all figures."""
    return {name: np.array([float(each.at[name]) for each in figures]) for name in figures[0].at}


def _profile_end(
    loss: Callable[[np.ndarray], float],
    best: np.ndarray,
    least: float,
    place: int,
    way: int,
    farthest: float,
) -> float | None:
    """Where the likelihood, best in all other parameters, has fallen so far; None if nowhere."""
    others = np.delete(best, place)

    def excess(value: float) -> float:
        def of_others(rest: np.ndarray) -> float:
            return loss(np.concatenate([rest[:place], [value], rest[place:]]))

        result = optimize.minimize(of_others, others, method=_method(others))
        return float(result.fun) - least - LEVEL_LOSS

    inside, step = float(best[place]), 1.0
    while step < farthest:
        outside = float(best[place]) + way * step
        if excess(outside) > 0:
            return float(optimize.brentq(excess, inside, outside, xtol=1e-4))
        inside, step = outside, 2 * step
    return None


def _method(others: np.ndarray) -> str:
    """One parameter may meet the line, where slopes jump; of two that is not asked."""
    return "Nelder-Mead" if len(others) == 1 else "BFGS"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the table and write it."""
    parser = argparse.ArgumentParser(description="trials of the intervals of netmodel calibrate")
    parser.add_argument("file", type=Path, help="CSV file to write")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--kind", choices=KINDS, help="only cases of this kind")
    parser.add_argument("--trials", type=int, help="of each case, in place of until it is clear")
    given = parser.parse_args(arguments)
    cases = [case for case in CASES if given.kind in (None, case.kind)]
    trials_of = partial(tallies_of, trials=given.trials)
    with (
        ProcessPoolExecutor(given.jobs) as workers,
        given.file.open("w", encoding="utf-8", newline="") as file,
    ):
        for number, tallies in enumerate(workers.map(trials_of, cases), 1):
            lines = [each.printed() for each in tallies]
            table = csv.DictWriter(file, lines[0], lineterminator="\n")
            if number == 1:
                table.writeheader()
            table.writerows(lines)
            file.flush()
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{number} of {len(cases)} cases")


if __name__ == "__main__":
    main()
