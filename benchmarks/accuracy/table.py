"""Which figures are predicted from which, the rows of the table, and what is asked of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

from benchmarks.accuracy import cost, general, throughput  # noqa: F401  they fill the table
from benchmarks.accuracy.methods import ALONE, METHODS, Entry, Known, Uses, other_layer
from benchmarks.accuracy.series import COUNT, Quantity, Series, series_of
from netmodel.calibration import Observed, Point
from netmodel.calibration._leave_out import REFUSALS, Errors, Judged
from netmodel.errors import DomainError
from netmodel.report import text_table

EXTRAPOLATED = 11
"""The table with eight numbers of connections."""
FEW_CONNECTIONS = 50
"""Numbers of connections up to here are given where larger ones are predicted."""
LOW_COVERAGE_RATIO, HIGH_COVERAGE_RATIO = 0.90, 0.99
"""What is asked of intervals of 95 %."""


class Split(Enum):
    """Which figures are predicted from which."""

    ONE = "one left out"
    SCENARIO = "scenario left out"
    EXTRAPOLATED = "table 11 from 50 connections or fewer"


@cache
def judged(name: str, quantity: Quantity, split: Split) -> tuple[tuple[Series, Judged], ...]:
    """Every figure beside its prediction by a method."""
    (entry,) = (each for each in METHODS if each.name == name)
    rows: list[tuple[Series, Judged]] = []
    for series, own, wanted in cases(quantity, split):
        predictor, why = None, ""
        try:
            predictor = entry.predictor(known_to(entry.uses, own, split))
        except (*REFUSALS, DomainError) as refusal:
            why = str(refusal)
        for each in wanted:
            estimate = None
            if predictor is not None:
                try:
                    estimate = predictor.predict(Point(each.quantity, each.at))
                except REFUSALS as refusal:
                    why = str(refusal)
            rows.append((series, Judged(observed=each, predicted=estimate, refusal=why)))
    return tuple(rows)


def cases(
    quantity: Quantity, split: Split
) -> Iterator[tuple[Series, Series, tuple[Observed, ...]]]:
    """Each series, what is known of it, and what is wanted."""
    for series in series_of(quantity):
        if split is not Split.EXTRAPOLATED or series.scenario == EXTRAPOLATED:
            for own, wanted in _splits(series, split):
                yield series, own, wanted


def _splits(series: Series, split: Split) -> Iterator[tuple[Series, tuple[Observed, ...]]]:
    """What is known of the series, and what is wanted."""
    if split is Split.ONE:
        for place, left in enumerate(series.observed):
            yield series.without(place), (left,)
    elif split is Split.SCENARIO:
        yield series._replace(observed=()), series.observed
    else:
        few = [each for each in series.observed if float(each.at[COUNT]) <= FEW_CONNECTIONS]
        yield series._replace(observed=tuple(few)), series.observed[len(few) :]


def known_to(uses: Uses, own: Series, split: Split) -> Known:
    """What a method is given for a figure that is not in its own series."""
    everything = series_of(own.quantity)
    others = tuple(each for each in everything if each.scenario != own.scenario)
    if split is Split.SCENARIO and uses in ALONE:
        # figures of the other scenarios as those of a single series
        alike = (each for each in others if each.workload == own.workload)
        own = own._replace(observed=tuple(seen for each in alike for seen in each.observed))
    is_related = uses is Uses.RELATED and split is not Split.SCENARIO
    return Known(
        own,
        () if uses is Uses.SERIES else others,
        other_layer(own, everything) if is_related else (),
    )


def errors_of(
    name: str, quantity: Quantity, split: Split, keep: Callable[[Series, int], bool]
) -> Errors:
    """Errors of the figures that `keep` chooses, by their series and number of connections."""
    return Errors(
        tuple(
            row
            for series, row in judged(name, quantity, split)
            if keep(series, int(row.observed.at[COUNT]))
        )
    )


# --- the table ------------------------------------------------------------------------------------


class Row(NamedTuple):
    """One line of the CSV file; ratios, and None where nothing was predicted."""

    quantity: str
    method: str
    uses: str
    split: str
    figures: str
    figure_count: int
    refused_count: int
    mape_ratio: float | None
    interval_count: int
    held_count: int


Keep: TypeAlias = Callable[[Series, int], bool]
FIGURES: Mapping[str, Keep] = {
    "all": lambda series, count: True,
    "without N = 1": lambda series, count: count > 1,
    "N = 1": lambda series, count: count == 1,
    "N = 1 of streams": lambda series, count: count == 1 and not series.is_requests,
    "not flagged": lambda series, count: count not in series.flagged,
    "flagged": lambda series, count: count in series.flagged,
    "requests": lambda series, count: series.is_requests,
    "streams": lambda series, count: not series.is_requests,
    "layer 3": lambda series, count: series.layer == 3,
    "layer 2": lambda series, count: series.layer == 2,
}
OF_THROUGHPUT = ("all", "without N = 1", "N = 1", "requests", "streams", "N = 1 of streams")
OF_COST = ("all", "not flagged", "flagged")


def parts_of(quantity: Quantity) -> Mapping[Split, tuple[str, ...]]:
    """Splits of a quantity, and of which figures each has a row."""
    if quantity is not Quantity.THROUGHPUT:
        return {Split.ONE: OF_COST, Split.SCENARIO: ("all",)}
    return {
        Split.ONE: OF_THROUGHPUT,
        Split.SCENARIO: ("all",),
        Split.EXTRAPOLATED: ("all", "layer 3", "layer 2"),
    }


def rows_of(entries: Iterable[Entry], splits: Sequence[Split] = tuple(Split)) -> Iterator[Row]:
    """Every row of these methods and splits."""
    for entry in entries:
        for quantity in entry.quantities:
            for split, names in parts_of(quantity).items():
                for name in names if split in splits else ():
                    errors = errors_of(entry.name, quantity, split, FIGURES[name])
                    held = [row.holds for row in errors.rows if row.holds is not None]
                    if errors.rows:
                        yield Row(
                            quantity.value,
                            entry.name,
                            entry.uses.value,
                            split.value,
                            name,
                            len(errors.rows),
                            len(errors.refusals),
                            errors.mean_absolute_ratio,
                            len(held),
                            sum(held),
                        )


class Target(NamedTuple):
    """What is asked of a method; `ratio` is the largest mean error."""

    text: str
    ratio: float
    quantity: Quantity
    split: Split
    figures: str
    uses: tuple[Uses, ...]


TARGETS = (
    Target(
        "throughput, from the series alone",
        *(0.03, Quantity.THROUGHPUT, Split.ONE, "all", ALONE),
    ),
    Target(
        "throughput, with a prior from other scenarios",
        *(0.03, Quantity.THROUGHPUT, Split.ONE, "all", (Uses.OTHERS,)),
    ),
    Target(
        "throughput, with a related series",
        *(0.01, Quantity.THROUGHPUT, Split.ONE, "all", (Uses.RELATED,)),
    ),
    Target(
        "total CPU cost",
        *(0.05, Quantity.TOTAL, Split.ONE, "all", (*ALONE, Uses.OTHERS)),
    ),
    Target(
        "total CPU cost, with a related series",
        *(0.05, Quantity.TOTAL, Split.ONE, "all", (Uses.RELATED,)),
    ),
    Target(
        "table 11 beyond 50 connections, both layers by one method",
        *(0.025, Quantity.THROUGHPUT, Split.EXTRAPOLATED, "all", (*ALONE, Uses.OTHERS)),
    ),
)


class Outcome(NamedTuple):
    """A target beside the method of netmodel that comes nearest, and its intervals."""

    text: str
    target_ratio: float
    method: str
    mape_ratio: float | None
    is_met: bool
    coverage_ratio: float | None
    is_covered: bool


def outcomes(rows: Sequence[Row]) -> Iterator[Outcome]:
    """
    Each target beside the smallest mean error of the methods that may be used for it.

    A method that refuses a figure meets no target.
    """
    for target in TARGETS:
        chosen = [
            row
            for row in rows
            if row.quantity == target.quantity.value
            and row.split == target.split.value
            and row.figures == target.figures
            and Uses(row.uses) in target.uses
            and row.mape_ratio is not None
            and not row.refused_count
        ]
        if not chosen:
            yield Outcome(target.text, target.ratio, "-", None, False, None, False)
            continue
        best = min(chosen, key=lambda row: row.mape_ratio or 0.0)
        assert best.mape_ratio is not None
        cover = best.held_count / best.interval_count if best.interval_count else None
        yield Outcome(
            target.text,
            target.ratio,
            best.method,
            best.mape_ratio,
            best.mape_ratio <= target.ratio,
            cover,
            cover is not None and LOW_COVERAGE_RATIO <= cover <= HIGH_COVERAGE_RATIO,
        )


def percent(ratio: float | None) -> str:
    """A ratio in per cent; a dash for None."""
    return "-" if ratio is None else f"{100 * ratio:.1f}"


def met(is_met: bool) -> str:
    """Whether a target is met, in capitals where not."""
    return "met" if is_met else "MISSED"


def texts(rows: Sequence[Row], aims: Sequence[Outcome]) -> Iterator[str]:
    """The table, one line for each method, quantity and split, and the targets."""
    lines = [("quantity", "method", "given", "split", "figures", "MAPE %", "refused", "95 % hold")]
    lines += [
        (
            row.quantity,
            row.method,
            row.uses,
            row.split,
            row.figures,
            percent(row.mape_ratio),
            f"{row.refused_count} of {row.figure_count}",
            f"{row.held_count} of {row.interval_count}" if row.interval_count else "-",
        )
        for row in rows
    ]
    yield text_table(lines, right_aligned=(5,))
    yield ""
    heads = ("target", "at most, %", "nearest method", "MAPE %", "", "95 % hold, %", "")
    yield text_table(
        [
            heads,
            *(
                (
                    each.text,
                    percent(each.target_ratio),
                    each.method,
                    percent(each.mape_ratio),
                    met(each.is_met),
                    percent(each.coverage_ratio),
                    met(each.is_covered),
                )
                for each in aims
            ),
        ],
        right_aligned=(1, 3, 5),
    )
