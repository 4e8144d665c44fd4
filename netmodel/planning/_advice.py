"""What steering makes of a path, next to the path without it, and what follows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from netmodel._estimates import Estimate
from netmodel._html import definition_table
from netmodel._numeric import Quantity, minimum
from netmodel.consumption import consumption_us_per_gbit
from netmodel.path import Prediction
from netmodel.path._predict import in_same_cases
from netmodel.planning._steered import SteeringTimes, parts_of
from netmodel.tuning import encode_rps_mask, format_cpu_list
from netmodel.units import BITS_PER_BYTE

__all__ = ["SteeringAdvice", "demand_s"]

_WORDS = {True: "recommended", False: "not recommended", None: "cannot be decided"}


@dataclass(frozen=True, kw_only=True)
class SteeringAdvice:
    """
    Whether to turn on receive packet steering, and why.

    Parameters
    ----------
    recommended : bool, optional
        None where it cannot be decided from what is known.
    queue_stages : tuple of str
        Stages of the receive queues that are steered.
    cpus : tuple of int
        CPUs that handle packets.
    times : SteeringTimes
        What steering divides and adds, as far as it is known.
    without : Prediction
        The path without steering, its queues on these CPUs.
    steered : Prediction
        The path with it. Times that are not known are taken at their best: where
        there are any, its rates are upper and its times lower bounds.
    reasons : tuple of str
        Sentences with the figures that decide, and those that do not.
    measurements : tuple of str
        What would decide; none where it is decided.
    """

    recommended: bool | None
    queue_stages: tuple[str, ...]
    cpus: tuple[int, ...]
    times: SteeringTimes
    without: Prediction
    steered: Prediction
    reasons: tuple[str, ...]
    measurements: tuple[str, ...]

    @property
    def mask(self) -> str:
        """What turns steering on when written to ``rps_cpus`` of each queue; 0 turns it off."""
        return encode_rps_mask(self.cpus)

    @property
    def is_ceiling(self) -> bool:
        """Whether a time is not known, so that steering can only do worse than predicted."""
        return bool(self.times.missing)

    @property
    def rate_ratio(self) -> Estimate:
        """Transactions per second with steering over those without."""
        return self._ratio(None, None)

    @property
    def limit_ratio(self) -> Estimate:
        """Limit of the steered queues, the smallest of all, over the same without steering."""
        return self._ratio(self.queue_stages, parts_of(self.queue_stages))

    @property
    def added_times_s(self) -> dict[str, float]:
        """CPU time that steering adds to a transaction, by stage, without what is not known. [s]"""
        return {
            name: demand_s(self.steered, parts_of([name])) - demand_s(self.without, [name])
            for name in self.queue_stages
        }

    @property
    def zero_load_ratio(self) -> float | None:
        """Zero-load time with steering over that without; None where a part is not known."""
        before, after = self.without.zero_load_time_s, self.steered.zero_load_time_s
        return None if before is None or after is None else after.value / before.value

    @property
    def added_us_per_gbit(self) -> dict[str, float] | None:
        """CPU time that steering adds, by stage, to all payload; None if not known. [µs/Gbit]"""
        if not self.times.tells_added_time:
            return None
        bits = BITS_PER_BYTE * self.without.traffic.both_ways_bytes
        added = self.added_times_s.items()
        return {
            name: float(consumption_us_per_gbit(max(time_s, 0), bits)) for name, time_s in added
        }

    def _ratio(
        self, names: tuple[str, ...] | None, steered_names: tuple[str, ...] | None
    ) -> Estimate:
        """Of the smallest of some limits, or of all, in every combination of parameters."""
        steered, without = in_same_cases(self.steered, self.without)
        return _estimate(_least_tps(steered, steered_names) / _least_tps(without, names))

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "recommended": self.recommended,
            "queue_stages": list(self.queue_stages),
            "cpus": list(self.cpus),
            "mask": self.mask,
            "is_ceiling": self.is_ceiling,
            "missing": list(self.times.missing),
            "rate_ratio": self.rate_ratio.to_dict(),
            "limit_ratio": self.limit_ratio.to_dict(),
            "zero_load_ratio": self.zero_load_ratio,
            "added_us_per_gbit": self.added_us_per_gbit,
            "reasons": list(self.reasons),
            "measurements": list(self.measurements),
            "without": self.without.to_dict(),
            "steered": self.steered.to_dict(),
        }

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in [self._heading, *self._rows()])

    def _repr_html_(self) -> str:
        return definition_table(": ".join(self._heading), self._rows())

    @property
    def _heading(self) -> tuple[str, str]:
        return "receive packet steering", _WORDS[self.recommended]

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "mask", f"{self.mask} (CPUs {format_cpu_list(self.cpus)})"
        yield from (("reason", text) for text in self.reasons)
        yield from (("measure", text) for text in self.measurements)
        yield from (("note", text) for text in self.without.notes)


def demand_s(prediction: Prediction, names: Iterable[str]) -> float:
    """What a transaction takes of some stages, at the values to quote."""
    return float(sum(value for name in names for _, value in prediction.demands[name]))


def _least_tps(prediction: Prediction, names: tuple[str, ...] | None) -> Quantity:
    """The smallest of some limits, or of all, in every case."""
    rates = (one.rate_tps for one in prediction.limits if names is None or one.name in names)
    return reduce(minimum, rates)


def _estimate(quantity: Quantity) -> Estimate:
    """Of one value, or of all cases, the first of which is to be quoted."""
    return Estimate(
        *(float(one) for one in (first_of(quantity), np.min(quantity), np.max(quantity)))
    )


def first_of(quantity: Quantity) -> Quantity:
    """The first of all its cases, or the number."""
    return quantity[0] if np.ndim(quantity) else quantity
