"""Methods of any quantity: interpolation, Extra-P's form, and the related series times a ratio."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.methods import (
    Known,
    Predicted,
    Uses,
    method,
    over,
    single_estimate,
    with_errors_of_others,
    without_interval,
)
from benchmarks.accuracy.series import COUNT, QUANTITIES, Floats, Series
from netmodel.calibration import Observed, Point, interpolation
from netmodel.calibration._compare import Beyond, Scale
from netmodel.calibration._leave_out import Predictor
from netmodel.calibration._related import related_series
from netmodel.errors import CalibrationError

log_log = over(COUNT, interpolation(COUNT, Scale.LOG_BOTH, Beyond.EXTEND))
method("log-linear interpolation", *QUANTITIES)(
    over(COUNT, interpolation(COUNT, Scale.LOG_CONDITION, Beyond.EXTEND))
)
method("log-log interpolation", *QUANTITIES)(log_log)

EXTRA_P_EXPONENTS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 4 / 3, 3 / 2, 2, 5 / 2, 3)
EXTRA_P_LOGARITHMS = (0, 1, 2)
"""
Exponents of the performance model normal form, c0 + c1 N^i log2(N)^j.

A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using automated performance modeling to find
scalability bugs in complex codes", SC'13; the search space is that of the program.
"""
TIE_RATIO = 1e-9
"""Sums of squares that differ by less are equal but for rounding, which decides no tie."""


@method("Extra-P's form", *QUANTITIES)
def extra_p(known: Known) -> Predictor:
    """The term with the least error of figures left out; the first of those that tie."""
    counts, figures = known.own.counts, known.own.figures

    def fitted(term: Callable[[Floats], Floats], which: NDArray[np.bool_]) -> Floats:
        design = np.column_stack([np.ones(which.sum()), term(counts[which])])
        return np.asarray(np.linalg.lstsq(design, figures[which])[0])

    best: tuple[float, Callable[[Floats], Floats]] | None = None
    for exponent in EXTRA_P_EXPONENTS:
        for logarithm in EXTRA_P_LOGARITHMS:
            if not exponent and not logarithm:
                continue

            def term(n: Floats, i: float = exponent, j: int = logarithm) -> Floats:
                return np.asarray(n**i * np.log2(n) ** j)

            error = 0.0
            for place in range(len(counts)):
                rest = np.arange(len(counts)) != place
                c0, c1 = fitted(term, rest)
                error += (c0 + c1 * float(term(counts[[place]])[0]) - figures[place]) ** 2
            if best is None or error < best[0] * (1 - TIE_RATIO):
                best = error, term
    assert best is not None
    chosen = best[1]
    c0, c1 = fitted(chosen, np.ones(len(counts), bool))
    return without_interval(lambda count: c0 + c1 * float(chosen(np.array([count]))[0]))


# --- with a related series ------------------------------------------------------------------------


def related_ratio(known: Known) -> Predictor:
    """The other layer times the ratio of both, interpolated, and constant beyond its ends."""
    if not known.related:
        raise CalibrationError("no related series is given")
    (base,) = known.related
    of_base = dict(zip(base.counts, base.figures, strict=True))
    logs = np.log(known.own.figures / [of_base[count] for count in known.own.counts])

    def value(count: float) -> float:
        ratio = np.exp(np.interp(math.log(count), np.log(known.own.counts), logs))
        return float(of_base[count] * ratio)

    return without_interval(value)


method("related series times a ratio along log N", *QUANTITIES, uses=Uses.RELATED)(
    with_errors_of_others(related_ratio)
)


def conditions_of(series: Series) -> dict[str, float | str | bool]:
    """Conditions by which netmodel separates series."""
    return {"scenario": series.scenario, "layer": series.layer, "workload": series.workload}


def labelled(series: Series) -> list[Observed]:
    """Figures over connections, with the conditions of their series."""
    where = conditions_of(series)
    return [replace(each, at={COUNT: each.at[COUNT], **where}) for each in series.observed]


def beside(known: Known) -> list[Observed]:
    """Figures of all other series."""
    return [seen for each in (*known.related, *known.others) for seen in labelled(each)]


def for_own_series(known: Known, result: Predictor, quantity: str) -> Predictor:
    """A predictor of netmodel that is asked for the own series among others."""
    where = conditions_of(known.own)
    return Predicted(
        lambda conditions: single_estimate(
            result.predict(Point(quantity, {COUNT: conditions[COUNT], **where}))
        )
    )


@method("related series times a shrunken ratio", *QUANTITIES, uses=Uses.RELATED)
def shrunken_ratio(known: Known) -> Predictor:
    """`--model related`: the ratio and its spread as in other scenarios that differ alike."""
    if not known.related:
        raise CalibrationError("no related series is given")
    result = related_series()([*labelled(known.own), *beside(known)])
    return for_own_series(known, result, known.own.quantity.value)
