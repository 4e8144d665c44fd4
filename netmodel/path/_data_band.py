"""The range that published data leave of a throughput, beside its upper bound."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any, NamedTuple, TypeAlias

from netmodel._display import short_repr
from netmodel._grades import Grade
from netmodel._html import plain_html
from netmodel._numeric import ROUNDING_RATIO
from netmodel._predicted_text import rate_text
from netmodel._text import RESULT_DIGITS, range_text
from netmodel.concurrency import Bounds
from netmodel.units import format_time

CONSTANT_TIMES = "service times are random and independent of load"
"""What the expected range assumes."""
NO_RATE_KNOWN = Bounds(0.0, inf)
"""Of a rate of which nothing is known."""


@dataclass(frozen=True, slots=True)
class DataBand:
    """
    The range that published statements leave of the throughput with a number of connections.

    Parameters
    ----------
    connection_count : float
        Connections at the same time.
    throughput_bps : Bounds
        Payload rate that statements leave, with laws that hold for any service times; from 0
        where no statement says which rate is reached. [bit/s]
    one_connection_bps : Bounds
        The same of a single connection, of which the zero-load response time follows. [bit/s]
    expected_bps : Bounds, optional
        What is left of it if service times are random and do not change with load. None for a
        stream, and where statements contradict that. [bit/s]
    one_expected_bps : Bounds, optional
        The same of a single connection. [bit/s]
    payload_bits : float, optional
        Payload of a transaction; None for a stream, whose connections do not wait. [bit]
    ratios : mapping of str to Bounds
        Throughput over that of each case that statements compare it with, with as many
        connections.
    statements : mapping of str to Bounds
        What each statement on the case with as many connections says alone, with what is left
        of the case that it compares with, by its id. [bit/s]
    low_from, high_from : tuple of str
        What each end of `throughput_bps` follows from, the last step first.
    grade : Grade, optional
        The weakest evidence that they rest on.
    notes : tuple of str
        Statements that are not used, and why; or why there is no lower end.

    Examples
    --------
    >>> band = DataBand(10, Bounds(4.7e9, 18.5e9), Bounds(0.5e9, 12.5e9), payload_bits=245_760)
    >>> band.text
    'between 4.7 Gbit/s and 18.5 Gbit/s by published statements'
    >>> [round(end * 1e6, 1) for end in band.transaction_time_s]
    [132.8, 522.9]
    """

    connection_count: float
    throughput_bps: Bounds[float]
    one_connection_bps: Bounds[float]
    expected_bps: Bounds[float] | None = None
    one_expected_bps: Bounds[float] | None = None
    payload_bits: float | None = None
    ratios: Mapping[str, Bounds[float]] = field(default_factory=dict)
    statements: Mapping[str, Bounds[float]] = field(default_factory=dict)
    low_from: tuple[str, ...] = ()
    high_from: tuple[str, ...] = ()
    grade: Grade | None = None
    notes: tuple[str, ...] = ()

    @property
    def transaction_time_s(self) -> Bounds[float] | None:
        """Time of a transaction by Little's law; None for a stream. [s]"""
        return self._time_s(self.connection_count, self.throughput_bps)

    @property
    def zero_load_time_s(self) -> Bounds[float] | None:
        """Time of a transaction that meets no other, hosts and network included. [s]"""
        return self._time_s(1, self.one_connection_bps)

    @property
    def expected_time_s(self) -> Bounds[float] | None:
        """Time of a transaction in the expected range. [s]"""
        return self._time_s(self.connection_count, self.expected_bps)

    @property
    def expected_zero_load_time_s(self) -> Bounds[float] | None:
        """Zero-load response time in the expected range. [s]"""
        return self._time_s(1, self.one_expected_bps)

    def _time_s(self, count: float, rate_bps: Bounds[float] | None) -> Bounds[float] | None:
        """R = N / X, with the highest rate for the shortest time."""
        if self.payload_bits is None or rate_bps is None:
            return None
        fewest_s, most_s = (
            count * self.payload_bits / end if end else inf for end in reversed(rate_bps)
        )
        return Bounds(fewest_s, most_s)

    def below(self, bound_bps: float) -> "DataBand | None":
        """The same below an upper bound; None where they contradict each other."""
        if self.throughput_bps.low > bound_bps * (1 + ROUNDING_RATIO):
            return None

        def cut(known: Bounds[float]) -> Bounds[float]:
            return Bounds(min(known.low, bound_bps), min(known.high, bound_bps))

        expected_bps = self.expected_bps
        if expected_bps is not None and expected_bps.low > bound_bps * (1 + ROUNDING_RATIO):
            expected_bps = None
        return replace(
            self,
            throughput_bps=cut(self.throughput_bps),
            expected_bps=None if expected_bps is None else cut(expected_bps),
        )

    @property
    def text(self) -> str:
        """Both ranges of the throughput in words."""
        if not self.throughput_bps.low:
            return f"at most {rate_text(self.throughput_bps.high)}, with no lower end"
        text = f"between {_rates_text(self.throughput_bps)} by published statements"
        if self.expected_bps is None:
            return text
        return f"{text}; expected between {_rates_text(self.expected_bps)} if {CONSTANT_TIMES}"

    @property
    def zero_load_text(self) -> str:
        """Both ranges of the zero-load response time in words; empty for a stream."""
        if self.zero_load_time_s is None:
            return ""
        text = f"between {_times_text(self.zero_load_time_s)}"
        expected_s = self.expected_zero_load_time_s
        return text if expected_s is None else f"{text}; expected between {_times_text(expected_s)}"

    @property
    def ratio_texts(self) -> tuple[str, ...]:
        """Ratios of throughput to other cases in words."""
        return tuple(
            f"{range_text(f'{low:.3g}', f'{high:.3g}')} times that of {name}"
            if isfinite(high) and low
            else f"at least {low:.3g} times that of {name}"
            if low
            else f"at most {high:.3g} times that of {name}"
            for name, (low, high) in self.ratios.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel predict``."""
        expected = None
        if self.expected_bps is not None:
            expected = {
                "throughput_bps": self.expected_bps._asdict(),
                "transaction_time_s": _ends(self.expected_time_s),
                "zero_load_time_s": _ends(self.expected_zero_load_time_s),
                "assumption": CONSTANT_TIMES,
            }
        return {
            "throughput_bps": {
                "low": self.throughput_bps.low or None,
                "high": self.throughput_bps.high,
            },
            "transaction_time_s": _ends(self.transaction_time_s),
            "zero_load_time_s": _ends(self.zero_load_time_s),
            "expected": expected,
            "ratios": {name: _ends(each) for name, each in self.ratios.items()},
            "statements": {name: _ends(each) for name, each in self.statements.items()},
            "low_from": list(self.low_from),
            "high_from": list(self.high_from),
            "grade": self.grade and self.grade.value,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return short_repr(self, f"{self.connection_count:g} connections: {self.text}")

    def _repr_html_(self) -> str:
        return plain_html(self)


class Bands(NamedTuple):
    """Ranges for some numbers of connections; a note says why there are none."""

    bands: tuple[DataBand | None, ...] = ()
    note: str = ""


BandsOf: TypeAlias = Callable[[Sequence[float]], Bands]
"""Looks up the ranges for some numbers of connections."""


def no_bands(connection_counts: Sequence[float]) -> Bands:
    """Of a path that no statement is about."""
    return Bands((None,) * len(connection_counts))


def _ends(bounds: Bounds[float] | None) -> dict[str, float | None] | None:
    """For JSON: None for an end that is open."""
    if bounds is None:
        return None
    return {name: end if isfinite(end) else None for name, end in bounds._asdict().items()}


def _rates_text(bounds: Bounds[float]) -> str:
    return " and ".join(map(rate_text, bounds))


def _times_text(bounds: Bounds[float]) -> str:
    return " and ".join(
        format_time(end, RESULT_DIGITS) if isfinite(end) else "any time" for end in bounds
    )
