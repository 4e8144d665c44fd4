"""Ratios to a reference, for a path whose service times are known up to a factor only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from netmodel._estimates import Bound, Estimate, Predicted, Q_co, combined
from netmodel._grades import Grade, weakest_grade
from netmodel._html import definition_table
from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    QuantityLike,
    maximum,
    of_plain_numbers,
    where,
)
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._terminal import fitted
from netmodel._text import few_names, listed, ratio_text
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path._by_connections import neighbours, share_between
from netmodel.path._limits import Beside
from netmodel.path._path import Path, Reference
from netmodel.path._predict import MAKE_A_PATH, MAKE_TRAFFIC, composed
from netmodel.path._prediction import Prediction
from netmodel.path._settings import Setting
from netmodel.path._traffic import Traffic, least
from netmodel.path._uncertain import (
    Interval,
    Joint,
    Parameter,
    Points,
    ValueOf,
    over_cases,
    quoted_of,
    require_a,
)

if TYPE_CHECKING:
    import numpy.typing as npt

KNOWN_TIMES = "known times"
"""Name of the ratio of all limits whose times are known as they are."""
_NOT_PREDICTED = (
    "transaction_rate_tps",
    "transaction_rate_bounds_tps",
    "expected",
    "transaction_time_s",
    "zero_load_time_s",
    "cpu_us_per_gbit",
    "cpu_s_per_transaction",
    "cpu_busy",
    "cpu_busy_expected",
    "cpu_parts",
    "pool_busy",
)
"""Keys of a prediction that ratios alone cannot have."""


class Ratio(NamedTuple, Generic[Q_co]):
    """
    A throughput over that of the reference, and the least and most that it may be.

    Parameters
    ----------
    value : float, numpy.ndarray or None
        The one to quote; None, in arrays NaN, where it depends on the bottleneck.
    low, high : float or numpy.ndarray
        Whatever the bottleneck is, here and there.

    Examples
    --------
    >>> Ratio(None, 1.0, 2.0).high
    2.0
    """

    value: Q_co | None
    low: Q_co
    high: Q_co

    def numbers(self) -> "Ratio[float]":
        """The same of plain floats; TypeError if it has arrays."""
        value = None if self.value is None else float(self.value)
        return Ratio(value, float(self.low), float(self.high))


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
        Ratio to the reference where one part is the bottleneck in both cases, by
        the name of its factor; of all parts without a factor by `KNOWN_TIMES`.
    ceiling : Prediction, optional
        What the parts without a factor allow; an upper bound of the throughput.
    grade : Grade, optional
        The worst of all parameters that have one.
    limit_notes : tuple of str
        What the ratios rest on that a reader should know.
    whole_ratio : Predicted, optional
        Ratio of the whole path as a source has it, NaN where it has none: for its value if it
        is a range only, and for all three at an MTU beyond that of the reference.
    path_name : str
        What the path is called in titles; no part of a comparison.
    settings : tuple of Setting
        What adapters of the path were measured with, such as offloads.
    beside : callable
        Looks up what documents print of its case, when it is first asked for.

    Examples
    --------
    >>> from netmodel.consumption import Side
    >>> from netmodel.path import SpecifiedPath, predict_ratio, workload_traffic
    >>> from netmodel.records import path_record, workload
    >>> path = SpecifiedPath(record=path_record("kvm-one-host")).path(Side.CLIENT)
    >>> stream = workload_traffic(workload("str-writex30k"), 10)
    >>> round(predict_ratio(path, stream, 8192).ratio_to_reference.value, 3)
    2.2
    """

    reference: Reference
    traffic: Traffic
    mtu_bytes: FloatOrArray
    reference_mtu_bytes: FloatOrArray
    ratios: Mapping[str, Predicted]
    ceiling: Prediction | None
    grade: Grade | None
    limit_notes: tuple[str, ...]
    whole_ratio: Predicted | None = None
    path_name: str = field(default="", compare=False)
    settings: tuple[Setting, ...] = ()
    beside: Callable[[], Beside] = field(default=Beside, repr=False, compare=False)

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors that are not known."""
        return tuple(name for name in self.ratios if name != KNOWN_TIMES)

    @property
    def ratio_to_reference(self) -> Ratio:
        """Throughput over that of the reference: as published, else regardless of the factors."""
        lows, values, highs = (
            np.array(np.broadcast_arrays(*(getattr(ratio, end) for ratio in self.ratios.values())))
            for end in ("low", "value", "high")
        )
        agree = np.ptp(values, axis=0) <= ROUNDING_RATIO * values[0]
        result = [np.where(agree, values[0], np.nan), lows.min(axis=0), highs.max(axis=0)]
        if self.whole_ratio is not None:
            known = self.whole_ratio
            ends = (known.value, known.low, known.high)
            is_known = ~np.isnan(known.low)
            result = [
                np.where(is_known, end, other) for end, other in zip(ends, result, strict=True)
            ]
        value, low, high = result
        if np.ndim(value):
            return Ratio(value, low, high)
        return Ratio(None if np.isnan(value) else float(value), float(low), float(high))

    @property
    def ceiling_bps(self) -> FloatOrArray | None:
        """The most that the throughput can be, where a hash spreads flows at best. [bit/s]"""
        if self.ceiling is None:
            return None
        return least(self.ceiling.highest_limit_rates_bps.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not predicted, and why; and what a reader of the rest should know."""
        names = few_names(self.factors, "stages")
        result = [f"only ratios predicted: service times of {names} known up to a factor only"]
        value = self.ratio_to_reference.value
        if self.whole_ratio is None and (value is None or np.any(np.isnan(value))):
            result.append("the bottleneck is not known: each candidate has its ratio")
        if self.traffic.waits:
            result.append("the ratio holds for enough connections that the path is full")
        return (*result, *self.limit_notes)

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
            "distance": None,
            "throughput_bps": None,
            "ratio_to_reference": {
                **ratio._asdict(),
                "bound": Bound.VALUE.value,
                "reference": str(self.reference),
                "published": self.whole_ratio is not None and not np.isnan(self.whole_ratio.low),
                "where": [
                    {"binding": name, **ratio.to_dict()} for name, ratio in self.ratios.items()
                ],
            },
            **dict.fromkeys(_NOT_PREDICTED),
            "mtu_bytes": self.mtu_bytes,
            "binding": None,
            "limits": [limit | {"margin_ratio": None} for limit in known],
            "elasticities": None,
            "grade": self.grade and self.grade.value,
            "measured_with": [each.to_dict() for each in self.settings],
            "notes": list(self.notes),
            "bounded_by": None,
            "published": [figure.to_dict() for figure in self.beside().figures],
            "also_published": [figure.to_dict() for figure in self.beside().others],
        }

    def require_one(self) -> None:
        """Raise DomainError if there are arrays."""
        if any(np.ndim(ratio.value) for ratio in self.ratios.values()):
            raise DomainError("this prediction has arrays: use its fields, or predict one by one")

    def __str__(self) -> str:
        return fitted("\n".join(f"{name}: {text}" for name, text in self._rows()))

    def _repr_html_(self) -> str:
        return definition_table("Prediction", self._rows())

    def __repr__(self) -> str:
        low = np.asarray(self.ratio_to_reference.low)
        if low.ndim:
            return f"<RatioPrediction of {low.size:,} cases>"
        return f"<RatioPrediction {ratio_text(*self.ratio_to_reference.numbers())}>"

    def _rows(self) -> list[tuple[str, str]]:
        self.require_one()
        whole = self.ratio_to_reference.numbers()
        rows = [("ratio", ratio_text(*whole)), ("reference", str(self.reference))]
        for name, predicted in self.ratios.items():
            ratio = predicted.numbers()
            text = ratio_text(ratio.value, ratio.low, ratio.high)
            rows.append((f"where {name} is the bottleneck", text))
        if self.ceiling_bps is not None:
            rows.append(("throughput", f"<= {rate_text(float(self.ceiling_bps))}"))
        return rows + [("note", text) for text in self.notes]


@of_plain_numbers
def predict_ratio(
    path: Path,
    traffic: Traffic,
    mtu_bytes: QuantityLike | None = None,
    stack: Stack | None = None,
) -> RatioPrediction:
    r"""
    How the throughput of a path stands to that under its reference.

    Parameters
    ----------
    path : Path
        With stages whose times are known up to a factor, and a reference.
    traffic : Traffic
        What connections exchange over and over, in both cases.
    mtu_bytes : float or array_like, optional
        Largest packet of the innermost interface; that of the path when left
        out, or where that is smaller. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    prediction : RatioPrediction
        Its ratios are numbers, or of the broadcast shape of all arrays among
        the parameters of the path, the traffic and the MTU.

    Raises
    ------
    DomainError
        If all times of the path are known, it has no reference, or a part with
        a factor limits nothing; and in all cases in which `predict_path` raises it.

    Notes
    -----
    Limits with the same factor :math:`s_g` are a part :math:`g` of the path, and
    those without a factor are one. With :math:`M_g` the smallest limit of a part,

    .. math::
        \frac{X}{X_0} = \frac{\min_g s_g M_g}{\min_g s_g M_{g,0}}, \qquad
        \min_g \frac{M_g}{M_{g,0}} \le \frac{X}{X_0} \le \max_g \frac{M_g}{M_{g,0}}

    regardless of the factors, and some factors reach each end. With one part
    alone its factor cancels, and the ratio is known. Intervals of parameters
    hold in both cases together; the range over them encloses the ratio.

    How many connections wait is not among the limits: the time of a
    transaction is a sum with parts that are not known.

    References
    ----------
    As `predict_path`; the bounds are those of a quotient of two minima.

    Examples
    --------
    A frame costs a CPU as much as 2855 bytes do, regardless of the cost of a byte:

    >>> from netmodel.path import Path, Reference, Stage, Times
    >>> cpu = Stage(
    ...     name="cpu", to_server=Times(per_frame_s=2855, per_byte_s=1), factor="cpu"
    ... )
    >>> path = Path(stages=(cpu,), reference=Reference(mtu_bytes=1500))
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> round(predict_ratio(path, stream, 8192).ratio_to_reference.value, 3)
    2.2
    """
    if not isinstance(path, Path):
        require_a("path", path, Path, MAKE_A_PATH)
    if not isinstance(traffic, Traffic):
        require_a("traffic", traffic, Traffic, MAKE_TRAFFIC)
    path = path.at(traffic.connection_count)
    if not path.factors:
        raise DomainError("all service times of this path are known: predict_path predicts rates")
    if path.reference is None:
        raise DomainError("the path has no reference to which ratios could be predicted")
    stack = tcp_stack() if stack is None else stack
    there_bytes = mtu_bytes if path.reference.mtu_bytes is None else path.reference.mtu_bytes
    sizes = (path.mtu_bytes(stack, mtu_bytes), path.mtu_bytes(stack, there_bytes))
    # (1) what is known without a factor bounds the throughput
    known = path.without_factors
    ceiling = None if known is None else composed(known, traffic, sizes[0], stack)
    ceiling = ceiling if ceiling and ceiling.limits else None
    # (2) a ratio may have its ends anywhere: each interval is a set of its own
    numbers = count(1)

    def apart(parameter: Parameter, slows: bool) -> Parameter:
        if isinstance(parameter, Interval):
            ends = (parameter.value, parameter.low, parameter.high)
            return Joint(ends, of=f"interval {next(numbers)}")
        return parameter

    either, reference = path.changed(apart), path.reference.changed(apart)
    # (3) M_g over M_g0, the limits of each part alone
    parts = [
        _Part(
            name,
            (_part_of(either, Reference(), name), _part_of(either, reference, name)),
            reference.time_ratios.get(name, 1.0),
            traffic,
            sizes,
            stack,
        )
        for name in (*path.factors, *([KNOWN_TIMES] if ceiling and _rates(ceiling) else []))
    ]
    quoted = {part.name: part.predictions(quoted_of) for part in parts}
    of_frames = {part.name: part.ratio() for part in parts}
    # (4) published ratios go before those of frames and bytes, where there are any
    published = _published(path.reference, sizes[0])
    ratios = {}
    for name, otherwise in of_frames.items():
        ratio = published.get(name, otherwise)
        if np.any(np.isnan(ratio.low)):
            is_unknown = np.isnan(ratio.low)
            ratio = Predicted(
                *(
                    np.where(is_unknown, getattr(otherwise, end), getattr(ratio, end))[()]
                    for end in ("value", "low", "high")
                )
            )
        ratios[name] = ratio
    # (5) notes, most important first
    notes = list(_gain_notes(path.reference, sizes[0], published, of_frames))
    notes += [*(f"not modelled: {part}" for part in path.unknown), *path.notes]
    for name, predictions in quoted.items():
        if ratios[name] is not published.get(name):
            notes += chain.from_iterable(prediction.limit_notes for prediction in predictions)
    grades = [prediction.grade for prediction in chain.from_iterable(quoted.values())]
    return RatioPrediction(
        reference=path.reference,
        traffic=traffic,
        mtu_bytes=sizes[0],
        reference_mtu_bytes=sizes[1],
        ratios=ratios,
        ceiling=ceiling,
        grade=weakest_grade([*grades, *(gain.grade for gain in path.reference.gains)]),
        limit_notes=tuple(dict.fromkeys(notes)),
        whole_ratio=published.get(None),
        path_name=path.name,
        settings=path.settings,
    )


def _published(reference: Reference, mtu_bytes: FloatOrArray) -> dict[str | None, Predicted]:
    """
    Published ratios at an MTU, by the part that they are of; NaN beyond the MTU of the reference.

    Exact at a published MTU and 1 at that of the reference; in between an interval that holds
    those of both neighbours, with a value on the line between them over the logarithm of the
    MTU; beyond the published MTUs that of the nearest.
    """
    result: dict[str | None, Predicted] = {}
    if reference.mtu_bytes is None:
        return result
    for name in dict.fromkeys(gain.of for gain in reference.gains):
        known = {reference.mtu_bytes: Estimate(1.0, 1.0, 1.0)}
        for each in reference.gains:
            if each.of != name:
                continue
            # a part needs a value, the middle of a range; the whole path has none but a source's
            middle = float("nan") if name is None else (each.low + each.high) / 2
            value = middle if each.value is None else each.value
            known[each.mtu_bytes] = Estimate(value, each.low, each.high)
        sizes = sorted(known)
        values, lows, highs = np.array([known[size] for size in sizes]).T
        lower, upper = neighbours(sizes, mtu_bytes)
        share = share_between(sizes, mtu_bytes, lower, upper)
        between = (1 - share) * values[lower] + share * values[upper]
        is_covered = _covered(sizes, reference.mtu_bytes, mtu_bytes)
        ends = (
            np.where(lower == upper, values[lower], between),
            np.minimum(lows[lower], lows[upper]),
            np.maximum(highs[lower], highs[upper]),
        )
        known_ends = [np.where(is_covered, end, np.nan)[()] for end in ends]
        result[name] = Predicted(known_ends[0], known_ends[1], known_ends[2])
    return result


def _covered(
    sizes: Sequence[int], reference_bytes: int, mtu_bytes: FloatOrArray
) -> "npt.NDArray[np.bool_]":
    """Whether an MTU is not beyond that of the reference, where it is the last of all."""
    too_small = np.less(mtu_bytes, sizes[0]) & (sizes[0] == reference_bytes)
    too_large = np.greater(mtu_bytes, sizes[-1]) & (sizes[-1] == reference_bytes)
    return ~(too_small | too_large)


def _gain_notes(
    reference: Reference,
    mtu_bytes: FloatOrArray,
    published: Mapping[str | None, Predicted],
    of_frames: Mapping[str, Predicted],
) -> Iterator[str]:
    """What a reader should know of gains that take the place of what frames and bytes make."""
    gains, reference_bytes = reference.gains, reference.mtu_bytes
    if not gains or reference_bytes is None:
        return
    asked = np.asarray(mtu_bytes)
    sizes_of: dict[str | None, list[int]] = {}
    for each in gains:
        sizes_of.setdefault(each.of, [reference_bytes]).append(each.mtu_bytes)
    # whether an MTU is between published ones, beyond them, or beyond the reference
    is_between = is_beyond = is_outside = is_used = False
    for sizes in map(sorted, sizes_of.values()):
        covered = _covered(sizes, reference_bytes, asked)
        outside = (asked < sizes[0]) | (asked > sizes[-1])
        is_used |= bool(np.any(covered & (asked != reference_bytes)))
        is_between |= bool(np.any(~outside & ~np.isin(asked, sizes)))
        is_beyond |= not np.all(covered)
        is_outside |= bool(np.any(outside & covered))
    if is_used:
        for each in gains:
            source = f" ({each.note})" if each.note else ""
            yield f"published for MTU {each.mtu_bytes}: {each.of or 'whole path'}{source}"
    unexplained = [
        name
        for name, item in of_frames.items()
        if name in published
        and np.any((published[name].low > item.high) | (published[name].high < item.low))
    ]
    if unexplained:
        yield f"frames and bytes do not explain the ratio of {few_names(unexplained, 'parts')}"
    if is_between:
        yield "between these MTUs and that of the reference a range holds what both neighbours have"
    if is_beyond:
        yield f"no gain is published beyond MTU {reference_bytes}: ratios are those of the frames"
    if is_outside:
        published_at = listed(sorted({gain.mtu_bytes for gain in gains}))
        yield (
            f"extrapolation: gains are published for MTU {published_at} only; the nearest are taken"
        )


def _part_of(path: Path, reference: Reference, name: str) -> Path:
    """The stages of a factor under a reference, as if they were known; or those without one."""
    factor = None if name == KNOWN_TIMES else name
    stages = tuple(replace(stage, factor=None) for stage in path.stages if stage.factor == factor)
    drawn = {stage.pool for stage in stages}
    pools = []
    for pool in path.pools:
        if pool.name in drawn:
            # a number of CPUs that is not given is one with the factor
            own = pool.parallel_count or (None if factor is None else 1)
            count = reference.pool_counts.get(pool.name, own)
            pools.append(replace(pool, parallel_count=count))
    return replace(
        path,
        stages=stages,
        pools=tuple(pools),
        window_bytes=path.window_bytes if factor is None else None,
        unknown=(),
        notes=(),
        reference=None,
    )


@dataclass(frozen=True)
class _Part:
    """A part of the path alone, here and under the reference."""

    name: str
    paths: tuple[Path, Path]
    slower: Parameter
    traffic: Traffic
    sizes: tuple[FloatOrArray, FloatOrArray]
    stack: Stack

    def predictions(self, change: ValueOf) -> list[Prediction]:
        """Those of both with these parameters."""
        return [
            composed(path.changed(change), self.traffic, mtu_bytes, self.stack)
            for path, mtu_bytes in zip(self.paths, self.sizes, strict=True)
        ]

    def ratio(self) -> Predicted:
        """The smallest limit here over the smallest there, with what encloses it in all cases."""
        here, there = (len(_rates(prediction)) for prediction in self.predictions(quoted_of))
        if not here or not there:
            raise DomainError(f"nothing limits the part of the path with the factor {self.name!r}")
        parameters = [*self.paths[0].parameters, *self.paths[1].parameters, self.slower]
        points = Points.of((*parameters, *self.sizes, *self.traffic.numbers))

        def of_limits(place: int, other: int, change: ValueOf) -> FloatOrArray:
            """One limit here over one under the reference; infinite where none limits here."""
            ours, theirs = map(_rates, self.predictions(change))
            with np.errstate(invalid="ignore"):
                quotient = where(np.isinf(ours[place]), np.inf, ours[place] / theirs[other])
            return change(self.slower, True) * quotient

        pairs = [
            [
                over_cases(
                    parameters,
                    points,
                    partial(of_limits, place, other),
                    Bound.VALUE,
                    at_once=True,
                ).predicted
                for other in range(there)
            ]
            for place in range(here)
        ]
        result = combined(least, (combined(partial(reduce, maximum), row) for row in pairs))
        ends = (result.value, result.low, result.high)
        if not all(np.all(np.isfinite(end) & np.greater(end, 0)) for end in ends):
            raise DomainError(
                f"times of {self.name!r} are all 0 in a case, in which they have no ratio"
            )
        return result


def _rates(prediction: Prediction) -> list[FloatOrArray]:
    """Rates of all limits but that of connections which wait."""
    return [limit.rate_tps for limit in prediction.limits if limit.name != "connections"]
