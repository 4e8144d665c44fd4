"""A likely outlier counts for less: noise is Student's, by the distribution of SciPy."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from netmodel.calibration import Fit, Observed, calibrate
from netmodel.calibration.models import FreeParameter, demand_model
from netmodel.records.values import Relation

LINE = demand_model(
    "transaction_time_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1.0, float(at["connection_count"])),
    is_rate=False,
)
TIMES_MS = {1: 0.52, 2: 0.53, 4: 0.60, 6: 0.61, 8: 0.685, 12: 0.74, 16: 0.95, 24: 0.985, 32: 1.14}
"""0.5 ms and 0.02 ms for each connection, within 3 %; at 16 a sixth more."""
STUDENT = stats.t(3)


def observed(width_ms: float, least_ms: float) -> list[Observed]:
    """Return the times, rounded to a width; at 32 connections it took at least so long."""
    seen = []
    for count, time_ms in TIMES_MS.items():
        ends = (time_ms - width_ms / 2, time_ms + width_ms / 2)
        if count == 32 and least_ms:
            ends = least_ms, math.inf
        relation = Relation.EQUAL if ends[1] < math.inf else Relation.CENSORED_ABOVE
        low, high = (1e-3 * end for end in ends)
        at = {"connection_count": count}
        seen.append(
            Observed(quantity="transaction_time_s", at=at, low=low, high=high, relation=relation)
        )
    return seen


def logs_of(place: np.ndarray, width_ms: float, least_ms: float) -> np.ndarray:
    """Return the log-likelihood of each time, by fixed and each in ms, and log of the scale."""
    logs = []
    for count, time_ms in TIMES_MS.items():
        mean, scale = math.log(place[0] + place[1] * count), math.exp(place[2])
        low, high = (
            (math.log(time_ms + side * width_ms / 2) - mean) / scale for side in (-1.0, 1.0)
        )
        if count == 32 and least_ms:
            logs.append(STUDENT.logsf((math.log(least_ms) - mean) / scale))
        elif width_ms:
            logs.append(math.log(STUDENT.cdf(high) - STUDENT.cdf(low)))
        else:
            logs.append(STUDENT.logpdf(low) - place[2])
    return np.array(logs)


@pytest.mark.parametrize(
    ("width_ms", "least_ms"), [(0.0, 0.0), (0.001, 0.0), (0.02, 0.0), (0.0, 1.0)]
)
def test_a_likely_outlier_counts_as_students_noise_has_it(width_ms: float, least_ms: float) -> None:
    fitted = calibrate(observed(width_ms, least_ms), LINE)
    assert isinstance(fitted, Fit)
    assert "connection_count 16, which counts for less" in fitted.notes[0]
    assert "for less" not in "".join(calibrate(observed(width_ms, least_ms), LINE, 0.03).notes)
    own = np.array([fitted.values["fixed_s"], fitted.values["each_s"]]) * 1e3
    scale = fitted.noise_sd / math.sqrt(3)

    def lost(place: np.ndarray) -> float:
        return -float(logs_of(place, width_ms, least_ms).sum())

    # (1) no place is likelier
    best = optimize.minimize(
        lost, [0.5, 0.02, -4], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12}
    ).x
    assert [*own, math.log(scale)] == pytest.approx(best, rel=1e-5)
    # (2) ends of the interval: by the squares of slopes over curvatures, of figures alone
    is_figure = np.array([count != 32 or not least_ms for count in TIMES_MS])
    means, step = np.log(own[0] + own[1] * np.array([*TIMES_MS])), 1e-3 * scale

    def moved(by: float) -> np.ndarray:
        every = zip(means, TIMES_MS, strict=True)
        places = [np.array([math.exp(mean + by), 0.0, math.log(scale)]) for mean, _ in every]
        each = [logs_of(place, width_ms, least_ms)[n] for n, place in enumerate(places)]
        return np.array(each)[is_figure]

    below, there, above = moved(-step), moved(0.0), moved(step)
    slopes, bends = (above - below) / 2, 2 * there - above - below
    count = int(is_figure.sum())
    of_noise = stats.t(count - 3).ppf(0.975) ** 2 / (count - 3) * (slopes @ slopes / bends.sum())
    for end in fitted.parameters["each_s"][1:]:
        held = optimize.minimize(
            lambda rest, each=1e3 * end: lost(np.array([rest[0], each, rest[1]])),
            [best[0], best[2]],
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-12},
        )
        assert 2 * (held.fun - lost(best)) == pytest.approx(count * math.log1p(of_noise), rel=2e-3)


RATES_TPS = (2013.0, 3901.0, 7680.0, 14250.0, 25100.0, 40600.0, 52500.0, 55400.0)
"""Of 1 to 128 connections: 0.5 ms alone, 8 us of contention, 0.05 us of coherency, within 3 %."""


@pytest.mark.parametrize("row", range(8))
def test_a_typo_does_not_hide_itself(row: int) -> None:
    typed = (*RATES_TPS[:row], RATES_TPS[row] / 10, *RATES_TPS[row + 1 :])
    seen = [
        Observed(quantity="transaction_rate_tps", at={"connection_count": 2**n}, low=x, high=x)
        for n, x in enumerate(typed)
    ]
    assert f"_count {2**row}, which is left out" in calibrate(seen, "scalability").notes[0]
