"""The table of accuracy: figures of an independent study, and the files in the documentation.

The study is of the same tables with other programs, one figure of each series left out at a time.
A search takes seconds where it is repeated for each figure: each gate computes the rows of every
fast method and one split of the slow ones, the nightly tests compute all of them.
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.methods import METHODS, Entry, Uses
from benchmarks.accuracy.series import Quantity, series_of
from benchmarks.accuracy.table import (
    FIGURES,
    Row,
    Split,
    errors_of,
    known_to,
    met,
    outcomes,
    parts_of,
    rows_of,
    texts,
)
from netmodel.calibration import Point

pytestmark = pytest.mark.thorough

DOCS = Path(__file__).parents[2] / "docs/reference"
ERROR_RATIO = 0.02
"""Of a mean error: searches on other machines end a little elsewhere."""
PRINTED_RATIO = 2e-3
"""The same for small mean errors: within a fifth of a per cent of the figures."""
ROUNDING_RATIO = 1e-4
"""Of a ratio with four decimals, or of a mean of two."""
SLOW = {
    "Extra-P's form",
    "exact MVA, one queue and a delay",
    "amortised, R = Z + N (d + w / (1 + N / n0))",
    "related series times a shrunken ratio",
    "chosen model (auto)",
    "chosen model (auto), related series among them",
    "saturation, X = min(N / R0, C)",
    "Universal Scalability Law, curve of netmodel",
    "falling cost, c = a + b / sqrt(X)",
}
"""Methods that take more than a second for their rows."""


@pytest.fixture(scope="module")
def written() -> list[Row]:
    with (DOCS / "accuracy.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                *(line[name] for name in ("quantity", "method", "uses", "split", "figures")),
                figure_count=int(line["figure_count"]),
                refused_count=int(line["refused_count"]),
                mape_ratio=float(line["mape_ratio"]) if line["mape_ratio"] else None,
                interval_count=int(line["interval_count"]),
                held_count=int(line["held_count"]),
            )
            for line in csv.DictReader(file)
        ]


def key_of(row: Row) -> tuple[str, ...]:
    return row[:5]


def check(rows: Sequence[Row], written: Sequence[Row]) -> None:
    lines: Mapping[tuple[str, ...], Row] = {key_of(row): row for row in written}
    for row in rows:
        line = lines[key_of(row)]
        assert (line.figure_count, line.refused_count) == (row.figure_count, row.refused_count)
        assert (math.nan if line.mape_ratio is None else line.mape_ratio) == pytest.approx(
            math.nan if row.mape_ratio is None else row.mape_ratio,
            rel=ERROR_RATIO,
            abs=PRINTED_RATIO,
            nan_ok=True,
        ), key_of(row)


def sampled(entry: Entry) -> Iterator[Row]:
    """Rows that each gate computes: of slow methods those with the fewest fits."""
    if entry.name not in SLOW:
        return rows_of([entry])
    quantity = entry.quantities[0]
    split = Split.EXTRAPOLATED if quantity is Quantity.THROUGHPUT else Split.SCENARIO
    return rows_of([entry._replace(quantities=(quantity,))], [split])


@pytest.mark.parametrize("entry", METHODS, ids=lambda entry: entry.name)
def test_sampled_rows_in_the_documentation_are_current(entry: Entry, written: list[Row]) -> None:
    rows = [*sampled(entry)]
    assert rows
    check(rows, written)


@pytest.mark.nightly
def test_all_rows_in_the_documentation_are_current(written: list[Row]) -> None:
    rows = [*rows_of(METHODS)]
    assert [key_of(row) for row in rows] == [key_of(row) for row in written]
    check(rows, written)
    for row, line in zip(rows, written, strict=True):
        # a figure at the end of its interval may be on either side on another machine
        assert line.interval_count == row.interval_count
        assert line.held_count == pytest.approx(row.held_count, abs=1)


def test_the_file_has_the_rows_of_every_method(written: list[Row]) -> None:
    expected = [
        (quantity.value, entry.name, entry.uses.value, split.value, figures)
        for entry in METHODS
        for quantity in entry.quantities
        for split, names in parts_of(quantity).items()
        for figures in names
        if any(
            FIGURES[figures](series, int(count))
            for series in series_of(quantity)
            for count in series.counts
        )
    ]
    assert [key_of(row) for row in written] == expected


@pytest.mark.parametrize(
    ("whole", "parts"),
    [("all", ("without N = 1", "N = 1")), ("all", ("requests", "streams"))],
)
def test_a_mean_is_that_of_its_parts(
    written: list[Row], whole: str, parts: tuple[str, ...]
) -> None:
    """A row that is changed by hand, or left behind, does not fit the others."""
    by_key = {key_of(row): row for row in written if row.split == Split.ONE.value}
    for key, row in by_key.items():
        if row.quantity != Quantity.THROUGHPUT.value or row.figures != whole:
            continue
        rows = [by_key[*key[:4], part] for part in parts]
        assert sum(each.figure_count for each in rows) == row.figure_count
        assert sum(each.refused_count for each in rows) == row.refused_count
        assert sum(each.held_count for each in rows) == row.held_count
        counts = [each.figure_count - each.refused_count for each in rows]
        means = [each.mape_ratio or 0.0 for each in rows]
        if sum(counts):
            mean = float(np.average(means, weights=counts))
            assert row.mape_ratio == pytest.approx(mean, abs=ROUNDING_RATIO), key


def test_the_targets_in_the_documentation_are_those_of_the_rows(written: list[Row]) -> None:
    with (DOCS / "accuracy-targets.csv").open(encoding="utf-8", newline="") as file:
        for aim, line in zip(outcomes(written), csv.DictReader(file), strict=True):
            assert line["text"] == aim.text
            assert line["method"] == aim.method
            assert float(line["mape_ratio"]) == pytest.approx(aim.mape_ratio, abs=ROUNDING_RATIO)
            assert line["error"] == met(aim.is_met)
            assert line["coverage"] == met(aim.is_covered)


@pytest.mark.parametrize(
    ("method", "throughput", "cost"),
    [
        ("log-linear interpolation", 98, 12),
        ("log-log interpolation", 50, 8.2),
        ("related series times a ratio along log N", 1.1, 8.2),
    ],
)
def test_the_study_is_reproduced(method: str, throughput: float, cost: float) -> None:
    for quantity, expected in ((Quantity.THROUGHPUT, throughput), (Quantity.TOTAL, cost)):
        mean = errors_of(method, quantity, Split.ONE, FIGURES["all"]).mean_absolute_ratio
        assert mean is not None
        digits = 0.05 if expected < 10 else 0.5
        assert 100 * mean == pytest.approx(expected, abs=digits)


def test_methods_of_others_err_as_much_as_in_the_study(written: list[Row]) -> None:
    """28 and 32 % there; which optimum of a level counts, or of fewer figures, is a choice."""
    for method, expected in (
        ("Universal Scalability Law", 28),
        ("exact MVA, one queue and a delay", 32),
    ):
        (row,) = (
            row
            for row in written
            if (row.method, row.split, row.figures) == (method, Split.ONE.value, "all")
        )
        assert row.mape_ratio is not None
        assert 100 * row.mape_ratio == pytest.approx(expected, abs=2)


def test_fewer_figures_than_parameters_set_the_first_ones() -> None:
    """X(N) = a N / (1 + c (N - 1)) through 2 and 10 connections, by hand; rounding chooses none."""
    entry = next(each for each in METHODS if each.name == "Universal Scalability Law")
    series = next(each for each in series_of(Quantity.THROUGHPUT) if [*each.counts] == [1, 10, 50])
    known = known_to(entry.uses, series.without(0), Split.ONE)
    ten, fifty = series.figures[1:]
    # N / X = (1 + c (N - 1)) / a is a line over N
    slope = (50 / fifty - 10 / ten) / 40
    value = entry.predictor(known).predict(Point(series.quantity.value, {"connection_count": 1}))
    assert value.value == pytest.approx(1 / (10 / ten - 9 * slope), rel=1e-6)


@pytest.mark.parametrize("uses", Uses)
def test_a_method_is_given_what_its_row_says(uses: Uses) -> None:
    for series in series_of(Quantity.THROUGHPUT):
        known = known_to(uses, series.without(0), Split.ONE)
        assert known.own.observed == series.observed[1:]
        assert all(each.scenario != series.scenario for each in known.others)
        assert bool(known.others) == (uses is not Uses.SERIES)
        assert all(each.layer != series.layer for each in known.related)
        assert bool(known.related) == (uses is Uses.RELATED)


@pytest.mark.parametrize(
    "entry",
    [each for each in METHODS if each.uses is Uses.INTERVAL],
    ids=lambda entry: entry.name,
)
def test_values_of_the_series_alone_do_not_depend_on_others(entry: Entry) -> None:
    for series in series_of(Quantity.THROUGHPUT):
        known = known_to(Uses.INTERVAL, series.without(0), Split.ONE)
        left = series.observed[0]
        wanted = Point(left.quantity, left.at)
        fewer = known._replace(others=known.others[:4])
        value = entry.predictor(known).predict(wanted).value
        assert value == entry.predictor(fewer).predict(wanted).value


def test_one_stream_is_in_the_middle_of_what_several_allow() -> None:
    """10 streams at the line: one has between a tenth of it and all of it, 55 % in the middle."""
    series = next(
        each
        for each in series_of(Quantity.THROUGHPUT)
        if not each.is_requests and each.figures[1] == each.figures[2]
    )
    errors = errors_of(
        "batching or power, and knee",
        Quantity.THROUGHPUT,
        Split.ONE,
        lambda each, count: each == series and count == 1,
    )
    (row,) = errors.rows
    assert row.predicted is not None
    assert row.predicted.value == pytest.approx(0.55 * series.figures[1])


def test_a_target_that_is_missed_is_called_missed() -> None:
    row = Row(*("throughput", "a", Uses.SERIES.value, Split.ONE.value, "all"), 60, 0, 0.04, 60, 40)
    aim = next(outcomes([row]))
    assert (aim.is_met, aim.is_covered) == (False, False)
    assert "MISSED" in "\n".join(texts([row], [aim]))
    refusing = row._replace(refused_count=1, mape_ratio=0.01)
    assert next(outcomes([refusing])).mape_ratio is None
