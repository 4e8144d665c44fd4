"""Measured and published figures of a predicted case."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from netmodel._display import short_repr, shortened
from netmodel._grades import Grade
from netmodel._html import plain_html
from netmodel._numeric import of_plain_numbers
from netmodel.consumption import Side
from netmodel.errors import UnknownRecordError
from netmodel.judging._measured_cases import Candidate, Case, candidates
from netmodel.path import Predicted, Prediction, RatioPrediction
from netmodel.path._ratio import Ratio
from netmodel.records import Relation, document
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import BITS_PER_GBIT, MICRO

if TYPE_CHECKING:
    from netmodel.framing import Stack
    from netmodel.path import SpecifiedPath
    from netmodel.records import Workload

_MAX_FIGURES = 3
"""Figures of one quantity: a neighbour on each side, and another one."""
_RATES = frozenset({"throughput_bps", "transaction_rate_tps"})
_TIMES = frozenset({"transaction_time_s"})


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """
    A figure of a measured table, or of a document, beside a prediction.

    Parameters
    ----------
    quantity : str
        Quantity with its unit: ``"throughput_bps"``, ``"transaction_rate_tps"``,
        ``"transaction_time_s"``, ``"cpu_us_per_gbit"``, ``"cpu_s_per_transaction"``, or
        ``"cpu_efficiency"``, data over CPU time.
    side : Side, optional
        Side of its CPU time, where it is of one.
    value : float, optional
        In the unit of the quantity; a ratio where there is a baseline. None for a range.
    low, high : float
        Bounds by the rounding of its digits, or by its relation; `high` may be
        infinite.
    relation : Relation
        Relation of the quantity to the figure.
    printed : str
        The figure as its source prints it, with its relation to a baseline.
    baseline : str, optional
        Baseline that it is compared with; figures are then ratios.
    baseline_mtu_bytes : int, optional
        MTU of the baseline, where nothing else differs. [byte]
    mtu_bytes : int, optional
        MTU of the measurement; None where not reported. [byte]
    connection_count : int, optional
        Connections of the measurement; None where not reported.
    record : str
        Id of the dataset or of the statement.
    source : str
        Id of the document, or a text that names the source.
    place : str
        Place in the source: page, slide or table, with row and column as printed.
    grade : Grade, optional
        Grade of the evidence.
    difference : str
        Difference between the measured and the predicted case; empty where nothing
        reported differs.
    remark : str
        Doubts about the figure; empty without any.
    """

    quantity: str
    side: Side | None
    value: float | None
    low: float
    high: float
    relation: Relation
    printed: str
    baseline: str | None
    baseline_mtu_bytes: int | None
    mtu_bytes: int | None
    connection_count: int | None
    record: str
    source: str
    place: str
    grade: Grade | None
    difference: str
    remark: str

    @property
    def is_exact_case(self) -> bool:
        """Whether nothing reported of the measured case differs from the predicted one."""
        return not self.difference

    @property
    def reference(self) -> str:
        """Title of the document, and the place in it."""
        try:
            title = document(self.source).title
        except UnknownRecordError:
            title = self.source
        return f"{title}, {self.place}"

    def ratio_to(self, prediction: Prediction | RatioPrediction) -> Ratio | None:
        """
        Measured over predicted.

        Parameters
        ----------
        prediction : Prediction or RatioPrediction
            Of the same case as in `measured_beside`.

        Returns
        -------
        ratio : Ratio or None
            Over the upper or the lower bound that the prediction gives, with ends
            that enclose the ranges of both. None where the prediction has no such
            quantity, or the baseline of the figure was not predicted.

        Raises
        ------
        DomainError
            If the prediction has arrays.

        Notes
        -----
        A ratio to a baseline is compared with the ratio to the same baseline, not
        with a quotient of two upper bounds, which bounds nothing.
        """
        prediction.require_one()
        predicted = self._predicted(prediction)
        return None if predicted is None else self._over(predicted)

    def ratio_to_expected(self, prediction: Prediction | RatioPrediction) -> Ratio | None:
        """
        Measured over the expected value; None where the prediction has a bound alone.

        Parameters
        ----------
        prediction : Prediction or RatioPrediction
            Of the same case as in `measured_beside`.

        Raises
        ------
        DomainError
            If the prediction has arrays.
        """
        prediction.require_one()
        expected = None if isinstance(prediction, RatioPrediction) else prediction.expected
        if expected is None or self.baseline is not None or self.quantity not in _RATES | _TIMES:
            return None
        quantity: Predicted = getattr(expected, self.quantity)
        return self._over(Ratio(quantity.value, quantity.low, quantity.high))

    def _over(self, predicted: Ratio) -> Ratio | None:
        quoted, low, high = predicted
        if not (0 < low and isfinite(high)):
            return None
        value = None if self.value is None or quoted is None else self.value / quoted
        return Ratio(value, self.low / high, self.high / low)

    def to_dict(self, prediction: Prediction | RatioPrediction | None = None) -> dict[str, Any]:
        """
        Plain values in base units, as in the JSON of ``netmodel predict``.

        Parameters
        ----------
        prediction : Prediction or RatioPrediction, optional
            Prediction of ``ratio``.

        Returns
        -------
        figure : dict of str
            ``high`` is None where that end is open; ``ratio``, measured over the bound,
            and ``ratio_to_expected`` are None where there is nothing to compare with.
        """
        ratio = prediction and self.ratio_to(prediction)
        to_expected = prediction and self.ratio_to_expected(prediction)
        return {
            "quantity": self.quantity,
            "side": self.side and self.side.value,
            "value": self.value,
            "low": self.low,
            "high": _closed(self.high),
            "relation": self.relation.value,
            "printed": self.printed,
            "baseline": self.baseline,
            "mtu_bytes": self.mtu_bytes,
            "connection_count": self.connection_count,
            "is_exact_case": self.is_exact_case,
            "difference": self.difference or None,
            "record": self.record,
            "source": self.source,
            "reference": self.reference,
            "grade": self.grade and self.grade.value,
            "remark": self.remark or None,
            **{
                name: each
                and {"value": each.value, "low": each.low, "high": _closed(float(each.high))}
                for name, each in (("ratio", ratio), ("ratio_to_expected", to_expected))
            },
        }

    def _predicted(self, prediction: Prediction | RatioPrediction) -> Ratio | None:
        """The predicted figure to compare with, and its range."""
        if isinstance(prediction, RatioPrediction):
            return self._predicted_ratio(prediction)
        if self.baseline is not None:
            return None
        if self.quantity in _RATES:
            rate: Predicted = getattr(prediction, self.quantity)
            return Ratio(rate.value, rate.low, rate.high)
        if self.quantity in _TIMES:
            time_s = prediction.transaction_time_s
            return None if time_s is None else Ratio(time_s.value, time_s.low, time_s.high)
        cost = self.side and prediction.cpu_us_per_gbit[self.side]
        if cost is None:
            return None
        if self.quantity == "cpu_us_per_gbit":
            return Ratio(cost.value, cost.low, cost.high)
        gbit = BITS_PER_BYTE * prediction.traffic.exchanged_bytes / BITS_PER_GBIT
        of_each = cost.scaled(gbit * MICRO)
        return Ratio(of_each.value, of_each.low, of_each.high)

    def _predicted_ratio(self, prediction: RatioPrediction) -> Ratio | None:
        if self.baseline is None:
            most_bps = prediction.ceiling_bps if self.quantity == "throughput_bps" else None
            return None if most_bps is None else Ratio(most_bps, most_bps, most_bps)
        reference = prediction.reference
        is_same = not reference.pool_counts and not reference.time_ratios
        if not is_same or self.baseline_mtu_bytes != prediction.reference_mtu_bytes:
            return None
        value, low, high = prediction.ratio_to_reference
        if self.quantity in _RATES:
            return Ratio(value, low, high)
        if self.quantity in _TIMES and prediction.traffic.waits and low > 0:
            return Ratio(None if value is None else 1 / value, 1 / high, 1 / low)
        return None

    def __repr__(self) -> str:
        case = f"MTU {self.mtu_bytes}, {self.connection_count} connections"
        return short_repr(self, f"{self.quantity}, {self.printed}", case, shortened(self.source))

    def _repr_html_(self) -> str:
        return plain_html(self)


@of_plain_numbers
def measured_beside(
    specified_path: "SpecifiedPath",
    workload: "Workload",
    mtu_bytes: float,
    connection_count: float | None = None,
    stack: "Stack | None" = None,
) -> tuple[MeasuredFigure, ...]:
    """
    Figures of the catalog's datasets and statements for the case of a prediction.

    Parameters
    ----------
    specified_path : SpecifiedPath
        Adapters at both ends, or a path of the catalog.
    workload : Workload
        Messages; a workload with the same messages counts as the same.
    mtu_bytes : float
        Largest innermost packet. [byte]
    connection_count : float, optional
        Connections at the same time.
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    figures : tuple of MeasuredFigure
        At most three of each quantity, figures before ratios to a baseline. Where
        none has the same MTU and number of connections, the nearest on either
        side in one of the two, nearest first.

    Raises
    ------
    DomainError
        If the path cannot carry such messages at this MTU.
    ContradictionError
        If adapters and the path between them contradict each other.
    ParseError
        If a dataset or a file of statements cannot be read.

    Notes
    -----
    The same path is the same path of the catalog, with nothing slower at its
    ends, or the same adapters. Figures of one adapter count where it is at both
    ends, or where the other end is no slower. Over adapters alone, figures of a
    path with these adapters count as a different case. Statements without a
    number are left out.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.records import path_record, workload
    >>> path = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe"))
    >>> found = measured_beside(path, workload("awm-rr"), 1492, 10)
    >>> [(figure.quantity, figure.printed) for figure in found]
    [('transaction_rate_tps', '13823.21 transaction/s'), \
('cpu_s_per_transaction', '0.043 ms/transaction')]
    >>> found[0].place, found[0].is_exact_case
    ('table 5, layer 3, trans/sec, 10 clients', True)
    """
    case = Case(specified_path, workload, mtu_bytes, connection_count, stack)
    groups: dict[tuple[bool, str, Side | None], list[Candidate]] = {}
    for candidate in candidates(case):
        seen = candidate.seen
        key = (seen.baseline is not None, seen.quantity, candidate.side)
        groups.setdefault(key, []).append(candidate)
    ordered = sorted(groups, key=lambda key: key[0])
    return tuple(_figure(each) for key in ordered for each in _nearest(groups[key], case))


def _nearest(group: Sequence[Candidate], case: Case) -> list[Candidate]:
    """Figures of the case itself; otherwise its neighbours in MTU or connections."""
    exact = [candidate for candidate in group if candidate.is_at(case)]
    chosen = exact or list(_neighbours(group, case))
    # the nearest first, then the most exact, then the source that reports most of its case
    chosen.sort(
        key=lambda each: (
            bool(each.words),
            each.distance(case),
            each.seen.high - each.seen.low,
            each.unreported_count,
        )
    )
    distinct: dict[Hashable, Candidate] = {}
    for candidate in chosen:
        # a source repeats figures, sometimes less exactly
        seen = candidate.seen
        figure = (seen.low, seen.high) if seen.value is None else seen.value
        key = (figure, candidate.source, candidate.baseline, candidate.difference)
        distinct.setdefault(key, candidate)
    return [*distinct.values()][:_MAX_FIGURES]


def _neighbours(group: Iterable[Candidate], case: Case) -> Iterator[Candidate]:
    """The nearest below and above in MTU or in connections, where the other one is the same."""
    nearest: dict[Hashable, float] = {}
    steps = [(candidate, candidate.step(case)) for candidate in group]
    for _, step in steps:
        if step is not None:
            name, distance = step
            key = (name, distance > 0)
            nearest[key] = min(abs(distance), nearest.get(key, inf))
    for candidate, step in steps:
        if step is not None and abs(step[1]) == nearest[step[0], step[1] > 0]:
            yield candidate


def _figure(candidate: Candidate) -> MeasuredFigure:
    seen = candidate.seen
    return MeasuredFigure(
        quantity=seen.quantity,
        side=candidate.side,
        value=seen.value,
        low=seen.low,
        high=seen.high,
        relation=seen.relation,
        printed=candidate.printed,
        baseline=candidate.baseline,
        baseline_mtu_bytes=candidate.baseline_mtu_bytes,
        mtu_bytes=candidate.mtu_bytes,
        connection_count=candidate.connection_count,
        record=candidate.record,
        source=candidate.source,
        place=candidate.place,
        grade=seen.grade,
        difference=candidate.difference,
        remark=candidate.remark,
    )


def _closed(end: float) -> float | None:
    return end if isfinite(end) else None
