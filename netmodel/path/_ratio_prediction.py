"""What a path delivers against a reference, where times are known up to a factor only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from netmodel._estimates import Bound, Predicted
from netmodel._grades import Grade
from netmodel._html import definition_table
from netmodel._numeric import Quantity
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._text import ratio_text
from netmodel.errors import DomainError
from netmodel.path._path import Reference
from netmodel.path._prediction import Prediction
from netmodel.path._traffic import Traffic, least

__all__ = ["KNOWN_TIMES", "Ratio", "RatioPrediction"]

KNOWN_TIMES = "known times"
"""Name of the ratio of all limits whose times are known as they are."""
_TIE_RATIO = 1e-9
_NOTHING_TOLD = (
    "transaction_rate_tps",
    "transaction_rate_bounds_tps",
    "transaction_time_s",
    "zero_load_time_s",
    "cpu_us_per_gbit",
    "cpu_busy",
    "pool_busy",
)


class Ratio(NamedTuple):
    """
    A throughput over that of the reference, and the least and most that it may be.

    Parameters
    ----------
    value : float, numpy.ndarray or None
        The one to quote; None, in arrays NaN, where it depends on which limit binds.
    low, high : float or numpy.ndarray
        Whatever limit binds, here and there.

    Examples
    --------
    >>> Ratio(None, 1.0, 2.0).high
    2.0
    """

    value: Quantity | None
    low: Quantity
    high: Quantity


@dataclass(frozen=True)
class RatioPrediction:
    """
    What a path makes of a workload, against a reference: ratios, and no rates.

    Parameters
    ----------
    reference : Reference
        What is otherwise under the reference.
    traffic : Traffic
        What is exchanged, in both cases.
    mtu_bytes, reference_mtu_bytes : float or numpy.ndarray
        Largest innermost packet, and that under the reference. [byte]
    ratios : mapping of str to Predicted
        Ratio to the reference where one part of the path binds in both cases, by
        the name of its factor; of all parts without a factor by `KNOWN_TIMES`.
    ceiling : Prediction, optional
        What the parts without a factor allow; the throughput is at most this.
    grade : Grade, optional
        The worst of all parameters that have one.
    limit_notes : tuple of str
        What the ratios rest on that a reader should know.
    published : Predicted, optional
        Ratio of the whole path as a source has it, NaN where it has none: for its value if it
        is a range only, and for all three at an MTU beyond that of the reference.
    """

    reference: Reference
    traffic: Traffic
    mtu_bytes: Quantity
    reference_mtu_bytes: Quantity
    ratios: Mapping[str, Predicted]
    ceiling: Prediction | None
    grade: Grade | None
    limit_notes: tuple[str, ...]
    published: Predicted | None = None

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors that are not known."""
        return tuple(name for name in self.ratios if name != KNOWN_TIMES)

    @property
    def ratio_to_reference(self) -> Ratio:
        """Throughput over that of the reference: as published, else whatever the factors are."""
        lows, values, highs = (
            np.array(np.broadcast_arrays(*(getattr(one, end) for one in self.ratios.values())))
            for end in ("low", "value", "high")
        )
        agree = np.ptp(values, axis=0) <= _TIE_RATIO * values[0]
        found = [np.where(agree, values[0], np.nan), lows.min(axis=0), highs.max(axis=0)]
        if self.published is not None:
            known = self.published
            ends = (known.value, known.low, known.high)
            is_known = ~np.isnan(known.low)
            found = [np.where(is_known, one, other) for one, other in zip(ends, found, strict=True)]
        value, low, high = found
        if np.ndim(value):
            return Ratio(value, low, high)
        return Ratio(None if np.isnan(value) else float(value), float(low), float(high))

    @property
    def ceiling_bps(self) -> Quantity | None:
        """The most that the throughput can be, where a hash spreads flows at best. [bit/s]"""
        return self.ceiling and least(self.ceiling.highest_limit_rates_bps.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not told, and why; and what a reader of the rest should know."""
        return (*self._untold(), *self.limit_notes)

    def to_dict(self) -> dict[str, Any]:
        """
        Plain values in base units, with the keys of a `Prediction`, as ``netmodel predict`` has it.

        Raises
        ------
        DomainError
            If a parameter is an array: there is one object for each prediction.
        """
        self.require_one()
        ratio = self.ratio_to_reference
        known = self.ceiling.to_dict()["limits"] if self.ceiling else []
        return {
            "connection_count": self.traffic.connection_count,
            "throughput_bps": None,
            "ratio_to_reference": {
                **ratio._asdict(),
                "bound": Bound.VALUE.value,
                "reference": str(self.reference),
                "published": self.published is not None and not np.isnan(self.published.low),
                "where": [{"binds": name, **one.to_dict()} for name, one in self.ratios.items()],
            },
            **dict.fromkeys(_NOTHING_TOLD),
            "mtu_bytes": self.mtu_bytes,
            "binding": None,
            "limits": [limit | {"margin_ratio": None} for limit in known],
            "elasticities": None,
            "grade": self.grade and self.grade.value,
            "notes": list(self.notes),
        }

    def require_one(self) -> None:
        """Raise DomainError if there are arrays."""
        if any(np.ndim(one.value) for one in self.ratios.values()):
            raise DomainError("this prediction has arrays: use its fields, or predict one by one")

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self._rows())

    def _repr_html_(self) -> str:
        return definition_table("Prediction", self._rows())

    def __repr__(self) -> str:
        low = np.asarray(self.ratio_to_reference.low)
        if low.ndim:
            return f"<RatioPrediction of {low.size:,} cases>"
        return f"<RatioPrediction: {ratio_text(*self.ratio_to_reference)}>"

    def _rows(self) -> list[tuple[str, str]]:
        self.require_one()
        rows = [("ratio", ratio_text(*self.ratio_to_reference)), ("reference", str(self.reference))]
        rows += [
            (f"where {name} binds", ratio_text(one.value, one.low, one.high))
            for name, one in self.ratios.items()
        ]
        if self.ceiling_bps is not None:
            rows.append(("throughput", f"<= {rate_text(self.ceiling_bps)}"))
        return rows + [("note", text) for text in self.notes]

    def _untold(self) -> Iterator[str]:
        names = ", ".join(self.factors)
        yield (
            f"rates, times and CPU cost not predicted: service times of {names} are known up to a "
            "factor only"
        )
        value = self.ratio_to_reference.value
        if self.published is None and (value is None or np.any(np.isnan(value))):
            yield "which limit binds is not known: each has its ratio, and the whole is a range"
        if self.traffic.waits:
            yield "the ratio is of so many connections that the path is full"
