"""Print the tables, and write them as files of the documentation."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.accuracy.methods import METHODS, role
from benchmarks.accuracy.series import COUNT, Quantity, Series, series_of
from benchmarks.accuracy.table import EXTRAPOLATED, Split, cases, judged, percent
from benchmarks.alternatives import others
from benchmarks.processes import cpu_s
from benchmarks.tables import show, versions
from netmodel.calibration import Point, calibrate, fit_scalability
from netmodel.errors import NetmodelError
from netmodel.units import parse_rate_bps, parse_size_bytes, parse_time_s

OWN: Mapping[Quantity, Sequence[str]] = {
    Quantity.THROUGHPUT: (
        "Universal Scalability Law, curve of netmodel",
        "batching or power, and knee",
        "chosen model (auto)",
        "chosen model (auto), related series among them",
    ),
    Quantity.TOTAL: (
        "as netmodel predicts from records",
        "mean of interpolation and power of the rate",
    ),
}
"""Methods of netmodel beside the others: the same law, a fixed rule, its choice, with more data."""
ROUNDS = 9
"""Of timed calls; the least counts."""
PROCESS_ROUNDS = 3
"""The same of whole processes, which take seconds."""
SERIES_COUNT = 10_000
READERS: Mapping[str, Callable[[str], float]] = {
    "bit/s": parse_rate_bps,
    "byte": parse_size_bytes,
    "s": parse_time_s,
}
TEXTS = {
    "25 Gbit/s": "bit/s",
    "25 Gb/s": "bit/s",
    "25 Gbps": "bit/s",
    "25 GHz": "bit/s",
    "10 Mpps": "bit/s",
    "25e9": "bit/s",
    "-25 Gbit/s": "bit/s",
    "1500": "byte",
    "30 KiB": "byte",
    "30 kB": "byte",
    "30 KB": "byte",
    "30k": "byte",
    "1.2 µs": "s",
    "1.2 weeks": "s",
}
"""What users write, and the unit that they want it in."""
RATES = [[f"{number}.{turn:02} Gbit/s" for number in range(1, 201)] for turn in range(ROUNDS + 1)]
"""Texts of each round that is timed and of one before, no two alike: no cache knows them."""

ACCURACY_HEAD = (
    *("figures", "tool", "given", "answered", "mean error, %", "median, %"),
    *("within, %", "below, %", "above, %", "95 % hold"),
)
SPEED_HEAD = ("what", "tool", "ratio")
UNITS_HEAD = ("text", "wanted in", "netmodel", "pint")

Key: TypeAlias = tuple[str, str]
"""A tool, and what it is given."""


class Answer(NamedTuple):
    """A predicted figure, with the ends of its interval where it has one."""

    value: float
    low: float = np.nan
    high: float = np.nan


Answers: TypeAlias = "list[Answer | None]"


class Asked(NamedTuple):
    """A figure that is predicted, and whether it is within the known ones, below or above them."""

    figure: float
    role: str
    is_of_eight: bool


class Part(NamedTuple):
    """A table: figures of a quantity and split."""

    name: str
    quantity: Quantity
    split: Split
    keep: Callable[[Asked], bool] = lambda each: True


PARTS = (
    Part("throughput", Quantity.THROUGHPUT, Split.ONE),
    Part(
        "throughput, series of eight", Quantity.THROUGHPUT, Split.ONE, lambda each: each.is_of_eight
    ),
    Part("throughput beyond 50 connections", Quantity.THROUGHPUT, Split.EXTRAPOLATED),
    Part("total CPU cost", Quantity.TOTAL, Split.ONE),
)

# --- accuracy -------------------------------------------------------------------------------------


def asked(quantity: Quantity, split: Split) -> list[Asked]:
    """Figures of a split, in the order of `judged`."""
    return [
        Asked(
            float(each.low),
            role(own, float(each.at[COUNT])).value,
            series.scenario == EXTRAPOLATED,
        )
        for series, own, wanted in cases(quantity, split)
        for each in wanted
    ]


def tasks(quantity: Quantity, split: Split) -> list[dict[str, Any]]:
    """The same for other tools: what is known, and the numbers of connections that are wanted."""
    return [
        {
            "counts": own.counts.tolist(),
            "figures": own.figures.tolist(),
            "at": [float(each.at[COUNT]) for each in wanted],
        }
        for _, own, wanted in cases(quantity, split)
    ]


def own_answers(name: str, quantity: Quantity, split: Split) -> Answers:
    """What a method of netmodel answers."""
    estimates = (row.predicted for _, row in judged(name, quantity, split))
    return [
        None if each is None or each.value is None else Answer(each.value, each.low, each.high)
        for each in estimates
    ]


def accuracy_rows(
    part: Part, of_tools: Mapping[Key, Answers], wanted: Sequence[Asked]
) -> Iterator[list[str]]:
    """Errors of each tool in a part."""
    for (tool, given), answers in of_tools.items():
        pairs = [
            (each, answer) for each, answer in zip(wanted, answers, strict=True) if part.keep(each)
        ]
        errors = [
            (each.role, abs(answer.value / each.figure - 1))
            for each, answer in pairs
            if answer is not None
        ]
        held = [
            answer.low <= each.figure <= answer.high
            for each, answer in pairs
            if answer is not None and np.isfinite(answer.low) and np.isfinite(answer.high)
        ]
        of_roles = (
            [error for where, error in errors if where == wanted_role]
            for wanted_role in ("within", "below", "above")
        )
        yield [
            part.name,
            tool,
            given,
            f"{len(errors)} of {len(pairs)}",
            percent(float(np.mean([error for _, error in errors]))),
            percent(float(np.median([error for _, error in errors]))),
            *(percent(float(np.mean(each)) if each else None) for each in of_roles),
            f"{sum(held)} of {len(held)}" if held else "-",
        ]


# --- speed ----------------------------------------------------------------------------------------


def timed_series() -> Series:
    """The first of the longest series."""
    return max(series_of(Quantity.THROUGHPUT), key=lambda each: len(each.observed))


OWN_FIT = """
from netmodel.calibration import Observed, Point, calibrate
seen = [Observed(quantity="transaction_rate_tps", at={"connection_count": n}, low=x, high=x)
        for n, x in zip(counts, figures)]
calibrate(seen, "scalability").predict(Point("transaction_rate_tps", {"connection_count": 1e3}))
"""
OTHER_FIT = """
import sys
sys.path.insert(0, folder)
from others import TOOLS
import numpy as np
TOOLS[tool](np.array(counts), np.array(figures), 1e3)
"""
OWN_READING = "from netmodel.units import parse_rate_bps; parse_rate_bps('25 Gbit/s')"
PINT_READING = "import pint; pint.UnitRegistry().Quantity('25 Gbit/s')"


def speed_rows(python: str, others_s: Mapping[str, float]) -> Iterator[list[str]]:
    """Times as ratios: calls to those of `curve_fit` or pint, processes to ``import numpy``."""
    series = timed_series()
    counts, figures = series.counts, series.figures
    # (1) calls in a process that runs already
    seen = [
        replace(each, quantity="transaction_rate_tps", at={COUNT: each.at[COUNT]})
        for each in series.observed
    ]
    target = Point("transaction_rate_tps", {COUNT: 2 * float(counts[-1])})
    many = np.tile(figures, (SERIES_COUNT, 1))
    reference_s = others.least_cpu_s(
        lambda: others.TOOLS[others.REFERENCE](counts, figures, 1e3), ROUNDS
    )
    own_s = {
        "Universal Scalability Law, curve of netmodel, with intervals": others.least_cpu_s(
            lambda: (
                (fitted := calibrate(seen, "scalability")).parameters and fitted.predict(target)
            ),
            ROUNDS,
        ),
        "chosen model (auto), with intervals": others.least_cpu_s(
            lambda: calibrate(seen, "auto").predict(target), ROUNDS
        ),
        "fit_scalability, each of 10,000 series": others.least_cpu_s(
            lambda: fit_scalability(counts, many), ROUNDS
        )
        / SERIES_COUNT,
    }
    for tool, seconds in own_s.items():
        yield ["one fit and prediction", tool, f"{seconds / reference_s:.2g}"]
    timed = [tool for tool in others_s if tool in others.TOOLS]
    for tool in timed:
        ratio = others_s[tool] / others_s[others.REFERENCE]
        yield ["one fit and prediction", tool, f"{ratio:.2g}"]
    turns = iter(RATES)
    reading_s = others.least_cpu_s(lambda: [parse_rate_bps(text) for text in next(turns)], ROUNDS)
    yield ["one quantity read", "netmodel", f"{reading_s / others_s['pint']:.2g}"]
    yield ["one quantity read", "pint", "1"]
    # (2) whole processes
    names = f"counts, figures = {counts.tolist()}, {figures.tolist()}\n"
    names += f"folder = {str(Path(others.__file__).parent)!r}\n"
    fit, reading = "a process with one fit", "a process that reads one quantity"
    programs = [
        (fit, "netmodel", sys.executable, names + OWN_FIT),
        *((fit, tool, python, f"{names}tool = {tool!r}\n{OTHER_FIT}") for tool in timed),
        (reading, "netmodel", sys.executable, OWN_READING),
        (reading, "pint", python, PINT_READING),
    ]
    references_s = {each: process_s(each, "import numpy") for each in (python, sys.executable)}
    for what, tool, interpreter, program in programs:
        ratio = process_s(interpreter, program) / references_s[interpreter]
        yield [what, tool, f"{ratio:.2g}"]


def process_s(python: str, program: str) -> float:
    """Least time of the processor that a whole process takes. [s]"""
    return min(cpu_s([python, "-c", program], os.environ) for _ in range(PROCESS_ROUNDS))


# --- quantities -----------------------------------------------------------------------------------


def read(text: str) -> str:
    """What netmodel reads, or its refusal."""
    try:
        return f"{READERS[TEXTS[text]](text):.6g}"
    except NetmodelError as error:
        return f"{error}"


# --- all ------------------------------------------------------------------------------------------


def main(python: str, folder: str | None = None) -> None:
    """Print all tables, and write them to the folder."""
    series = timed_series()
    splits = sorted({(part.quantity, part.split) for part in PARTS}, key=str)
    request = {
        "tasks": {f"{key}": tasks(*key) for key in splits},
        "timed": {"counts": series.counts.tolist(), "figures": series.figures.tolist()},
        "rounds": ROUNDS,
        "rates": RATES,
        "texts": TEXTS,
    }
    done = subprocess.run(
        [python, others.__file__],
        input=json.dumps(request),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    made_with = ", ".join(
        [versions("numpy", "scipy"), "the others: " + ", ".join(answer["versions"])]
    )

    def file(name: str) -> str | None:
        return str(Path(folder) / f"alternatives-{name}.csv") if folder else None

    uses = {entry.name: entry.uses.value for entry in METHODS}
    rows: list[list[str]] = []
    for part in PARTS:
        of_tools: dict[Key, Answers] = {
            (name, uses[name]): own_answers(name, part.quantity, part.split)
            for name in OWN[part.quantity]
        }
        for tool, of_splits in answer["predictions"].items():
            if tool not in others.ONLY or others.ONLY[tool] == part.quantity.value:
                of_tools[tool, "series"] = [
                    Answer(*each) if each else None
                    for of_task in of_splits[f"{(part.quantity, part.split)}"]
                    for each in of_task
                ]
        rows += accuracy_rows(part, of_tools, asked(part.quantity, part.split))
    show(ACCURACY_HEAD, rows, made_with, file("accuracy"))
    show(SPEED_HEAD, [*speed_rows(python, answer["times_s"])], made_with, file("speed"))
    show(
        UNITS_HEAD,
        [[text, unit, read(text), answer["read"][text]] for text, unit in TEXTS.items()],
        made_with,
        file("units"),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
