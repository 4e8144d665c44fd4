"""Observations beside what a method predicts of them, and how large its errors are."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from netmodel._estimates import Estimate
from netmodel._html import definition_table
from netmodel.calibration._observed import Observed
from netmodel.calibration._validation._scores import Coverage, coverage, crps_normal, interval_score

__all__ = ["Errors", "Judged", "share_text"]

_LEVEL_RATIO = 0.95
_DEVIATIONS = 2 * NormalDist().inv_cdf((1 + _LEVEL_RATIO) / 2)
"""How wide the middle of a normal distribution is that holds so much of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    An observation beside what a method predicts of it.

    Parameters
    ----------
    observed : Observed
        As it was seen.
    predicted : Estimate, optional
        With ends that are NaN where the method tells none, and without a value
        where it tells a range alone; None where it refused.
    refusal : str
        Why it refused; empty where it did not.
    is_at_ceiling : bool
        Whether the observation is a ceiling rather than the quantity itself.
    """

    observed: Observed
    predicted: Estimate | None = None
    refusal: str = ""
    is_at_ceiling: bool = False

    @property
    def error_ratio(self) -> float | None:
        """Prediction over figure, less one; None for bounds, comparisons, ranges and refusals."""
        figure = self.observed.figure
        if figure is None or self.predicted is None or self.predicted.value is None:
            return None
        return float(self.predicted.value / figure - 1)

    @property
    def agrees(self) -> bool | None:
        """
        Whether the prediction is what the observation allows; None where it was refused.

        Of a range without a value to quote, whether any of it is.
        """
        if self.predicted is None:
            return None
        value, low, high = self.predicted
        ends = (low, high) if value is None else (value, value)
        return bool(ends[0] <= self.observed.high and ends[1] >= self.observed.low)

    @property
    def holds(self) -> bool | None:
        """Whether the predicted interval holds the figure; None without one or the other."""
        if (ends := self._ends) is None:
            return None
        return ends[0] <= self.observed.high and ends[1] >= self.observed.low

    @property
    def width_ratio(self) -> float | None:
        """Width of the predicted interval over the figure."""
        ends = self._end_ratios
        return None if ends is None else ends[1] - ends[0]

    @property
    def interval_score_ratio(self) -> float | None:
        """Score at 95 % of the predicted interval over the figure; infinite for one without end."""
        ends = self._end_ratios
        if ends is None or ends[1] == math.inf:
            return None if ends is None else math.inf
        return float(interval_score(*ends, 1.0, _LEVEL_RATIO))

    @property
    def crps_ratio(self) -> float | None:
        """
        Continuous ranked probability score of the logarithm, for a normal one.

        The predicted interval is taken for the middle 95 % of it: as it is for
        relative errors, nearly, and not for an interval of all that is possible.
        """
        ends, error = self._end_ratios, self.error_ratio
        if ends is None or error is None or not 0 < ends[0] < ends[1] < math.inf:
            return None
        deviation = math.log(ends[1] / ends[0]) / _DEVIATIONS
        return float(crps_normal(math.log1p(error), deviation, 0.0))

    @property
    def _ends(self) -> tuple[float, float] | None:
        """Of the predicted interval, where there is one and a figure to hold."""
        if self.predicted is None or self.observed.figure is None:
            return None
        low, high = float(self.predicted.low), float(self.predicted.high)
        return None if math.isnan(low) or math.isnan(high) else (low, high)

    @property
    def _end_ratios(self) -> tuple[float, float] | None:
        """The same over the figure."""
        ends, figure = self._ends, self.observed.figure
        return None if ends is None or figure is None else (ends[0] / figure, ends[1] / figure)

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "name": self.observed.name,
            "quantity": self.observed.quantity,
            "at": dict(self.observed.at),
            "low": self.observed.low,
            "high": _finite(self.observed.high),
            "figure": self.observed.figure,
            "predicted": self.predicted and self.predicted.known(),
            "refusal": self.refusal or None,
            "error_ratio": self.error_ratio,
            "agrees": self.agrees,
            "holds": self.holds,
            "is_at_ceiling": self.is_at_ceiling,
        }


@dataclass(frozen=True, slots=True)
class Errors:
    """
    Errors of a method over several observations.

    Parameters
    ----------
    rows : tuple of Judged
        One for each observation.
    """

    rows: tuple[Judged, ...]

    @property
    def below_ceiling(self) -> "Errors":
        """Only those that are not at a ceiling, which every method predicts that knows it."""
        return Errors(tuple(row for row in self.rows if not row.is_at_ceiling))

    @property
    def refusals(self) -> tuple[tuple[str, str], ...]:
        """Name of each that the method refused to predict, and why."""
        return tuple((row.observed.name, row.refusal) for row in self.rows if row.predicted is None)

    @property
    def figure_count(self) -> int:
        """Figures that were predicted, with a value."""
        return len(self._known("error_ratio"))

    @property
    def mean_absolute_ratio(self) -> float | None:
        """Mean of the relative errors, without their signs; None without figures."""
        return _mean([abs(error) for error in self._known("error_ratio")])

    @property
    def root_mean_square_ratio(self) -> float | None:
        """Root of the mean square of the relative errors; None without figures."""
        mean = _mean([error**2 for error in self._known("error_ratio")])
        return None if mean is None else math.sqrt(mean)

    @property
    def worst(self) -> Judged | None:
        """The one that was predicted worst."""
        rows = [row for row in self.rows if row.error_ratio is not None]
        return max(rows, key=lambda row: abs(row.error_ratio or 0), default=None)

    @property
    def coverage(self) -> Coverage | None:
        """How many predicted intervals hold the figure; None where the method tells none."""
        hits = self._known("holds")
        return coverage(sum(hits), len(hits)) if hits else None

    @property
    def bounds(self) -> tuple[int, int]:
        """How many bounds and comparisons the predictions agree with, and how many there are."""
        rows = [row.agrees for row in self.rows if row.observed.figure is None]
        known = [agrees for agrees in rows if agrees is not None]
        return sum(known), len(known)

    @property
    def mean_width_ratio(self) -> float | None:
        """Mean width of the predicted intervals, relative to the figures."""
        return _mean(self._known("width_ratio"))

    @property
    def mean_interval_score_ratio(self) -> float | None:
        """Mean interval score at 95 %, relative to the figures."""
        return _mean(self._known("interval_score_ratio"))

    @property
    def mean_crps_ratio(self) -> float | None:
        """Mean score of the logarithm of a normal prediction; None where none has an interval."""
        return _mean(self._known("crps_ratio"))

    def to_dict(self) -> dict[str, Any]:
        """Summaries and every row, as plain values."""
        cover, worst, (agreeing, bounds) = self.coverage, self.worst, self.bounds
        return {
            "observation_count": len(self.rows),
            "figure_count": self.figure_count,
            "mean_absolute_ratio": self.mean_absolute_ratio,
            "root_mean_square_ratio": self.root_mean_square_ratio,
            "below_ceiling_mean_absolute_ratio": self.below_ceiling.mean_absolute_ratio,
            "worst": worst and worst.observed.name,
            "coverage": cover and cover.to_dict(),
            "mean_width_ratio": _finite(self.mean_width_ratio),
            "mean_interval_score_ratio": _finite(self.mean_interval_score_ratio),
            "mean_crps_ratio": self.mean_crps_ratio,
            "agreeing_bound_count": agreeing,
            "bound_count": bounds,
            "refusals": [list(one) for one in self.refusals],
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self._texts())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return definition_table("Errors of predictions", self._texts())

    def _texts(self) -> Iterator[tuple[str, str]]:
        yield "figures", f"{self.figure_count} of {len(self.rows)} observations predicted"
        if (worst := self.worst) is not None:
            mean, root = map(share_text, (self.mean_absolute_ratio, self.root_mean_square_ratio))
            yield "mean error", f"{mean}, root mean square {root}"
            yield "worst", f"{worst.error_ratio:+.1%}, {worst.observed.name}"
        if len(self.below_ceiling.rows) < len(self.rows):
            yield "mean error below the ceiling", share_text(self.below_ceiling.mean_absolute_ratio)
        if (cover := self.coverage) is not None:
            long_run = f"{cover.low_ratio:.0%} to {cover.high_ratio:.0%} in the long run"
            yield (
                "intervals that hold the figure",
                f"{cover.hit_count} of {cover.count}; {long_run}",
            )
        agreeing, bounds = self.bounds
        if bounds:
            yield "bounds that predictions agree with", f"{agreeing} of {bounds}"
        yield from (("refused", f"{name}: {why}") for name, why in self.refusals)

    def _known(self, name: str) -> list[Any]:
        values = (getattr(row, name) for row in self.rows)
        return [value for value in values if value is not None]


def share_text(ratio: float | None) -> str:
    """A share as people read it; a dash for None."""
    return "-" if ratio is None else f"{ratio:.1%}"


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
