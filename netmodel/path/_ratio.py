"""From a path whose times are known up to a factor to ratios."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial, reduce
from itertools import chain, count

from netmodel._estimates import Bound, Predicted
from netmodel._grades import weakest_grade
from netmodel._numeric import Quantity, maximum, where
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path._gains import gain_at, gain_notes
from netmodel.path._path import Gain, Path, Reference
from netmodel.path._predict import composed
from netmodel.path._prediction import Prediction
from netmodel.path._ratio_prediction import KNOWN_TIMES, RatioPrediction
from netmodel.path._traffic import Traffic, least
from netmodel.path._uncertain import (
    Interval,
    Joint,
    Parameter,
    Points,
    ValueOf,
    over_cases,
    quoted_of,
)

__all__ = ["predict_ratio"]

_CONNECTIONS = "connections"


def predict_ratio(
    path: Path,
    traffic: Traffic,
    mtu_bytes: Quantity | None = None,
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
        a factor limits nothing; and whatever `predict_path` raises it for.

    Notes
    -----
    Limits with the same factor :math:`s_g` are a part :math:`g` of the path, and
    those without a factor are one. With :math:`M_g` the smallest limit of a part,

    .. math::
        \frac{X}{X_0} = \frac{\min_g s_g M_g}{\min_g s_g M_{g,0}}, \qquad
        \min_g \frac{M_g}{M_{g,0}} \le \frac{X}{X_0} \le \max_g \frac{M_g}{M_{g,0}}

    whatever the factors are, and some factors reach each end. With one part
    alone its factor cancels, and the ratio is known. Intervals of parameters
    hold in both cases together; the range over them encloses the ratio.

    How many connections wait is not among the limits: the time of a
    transaction is a sum with parts that are not known.

    References
    ----------
    As `predict_path`; the bounds are those of a quotient of two minima.

    Examples
    --------
    A frame costs a CPU as much as 2855 bytes do, whatever a byte costs:

    >>> from netmodel.path import Path, Reference, Stage, Times
    >>> cpu = Stage(
    ...     name="cpu", to_server=Times(per_frame_s=2855, per_byte_s=1), factor="cpu"
    ... )
    >>> path = Path(stages=(cpu,), reference=Reference(mtu_bytes=1500))
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> round(predict_ratio(path, stream, 8192).ratio_to_reference.value, 3)
    2.2
    """
    path = path.at(traffic.connection_count)
    if not path.factors:
        raise DomainError("all times of this path are known: predict tells rates")
    if path.reference is None:
        raise DomainError("the path has no reference, against which ratios could be told")
    stack = tcp_stack() if stack is None else stack
    there_bytes = mtu_bytes if path.reference.mtu_bytes is None else path.reference.mtu_bytes
    sizes = (path.mtu_bytes(stack, mtu_bytes), path.mtu_bytes(stack, there_bytes))
    ceiling = _ceiling(path, traffic, sizes[0], stack)
    apart = _apart()
    either, reference = path.changed(apart), path.reference.changed(apart)
    names = [*path.factors, *([KNOWN_TIMES] if ceiling and _rates(ceiling) else [])]
    parts = {
        name: _Both(
            name,
            (_part(_under(Reference(), either), name), _part(_under(reference, either), name)),
            reference.time_ratios.get(name, 1.0),
            traffic,
            sizes,
            stack,
        )
        for name in names
    }
    found = [*chain.from_iterable(one.predictions(quoted_of) for one in parts.values())]
    of_frames = {name: _ratio(both) for name, both in parts.items()}
    gains = _gains(path.reference, sizes[0])
    ratios = {name: _where_known(gains.get(name), one) for name, one in of_frames.items()}
    by_frames = [
        both.predictions(quoted_of)
        for name, both in parts.items()
        if ratios[name] is not gains.get(name)
    ]
    inner = (one.limit_notes for one in chain.from_iterable(by_frames))
    notes = _gain_notes(path.reference, sizes[0], gains, of_frames)
    return RatioPrediction(
        reference=path.reference,
        traffic=traffic,
        mtu_bytes=sizes[0],
        reference_mtu_bytes=sizes[1],
        ratios=ratios,
        ceiling=ceiling,
        grade=weakest_grade(
            [*(one.grade for one in found), *(one.grade for one in path.reference.gains)]
        ),
        limit_notes=tuple(dict.fromkeys(chain(notes, _known(path), *inner))),
        published=gains.get(None),
    )


def _gains(reference: Reference, mtu_bytes: Quantity) -> dict[str | None, Predicted]:
    """Published ratios at an MTU, by the part that they are of; NaN where there is none."""
    if reference.mtu_bytes is None:
        return {}
    several: dict[str | None, list[Gain]] = {}
    for one in reference.gains:
        several.setdefault(one.of, []).append(one)
    return {
        name: Predicted(*gain_at(gains, reference.mtu_bytes, mtu_bytes))
        for name, gains in several.items()
    }


def _where_known(gain: Predicted | None, otherwise: Predicted) -> Predicted:
    """A published ratio; where there is none, that of frames and bytes."""
    if gain is None or not np.any(np.isnan(gain.low)):
        return otherwise if gain is None else gain
    is_unknown = np.isnan(gain.low)
    value, low, high = (
        np.where(is_unknown, getattr(otherwise, end), getattr(gain, end))[()]
        for end in ("value", "low", "high")
    )
    return Predicted(value, low, high)


def _gain_notes(
    reference: Reference,
    mtu_bytes: Quantity,
    gains: Mapping[str | None, Predicted],
    of_frames: Mapping[str, Predicted],
) -> Iterator[str]:
    if reference.gains and reference.mtu_bytes is not None:
        unexplained = [
            name
            for name, one in of_frames.items()
            if name in gains and np.any((gains[name].low > one.high) | (gains[name].high < one.low))
        ]
        yield from gain_notes(reference.gains, reference.mtu_bytes, mtu_bytes, unexplained)


def _ceiling(path: Path, traffic: Traffic, mtu_bytes: Quantity, stack: Stack) -> Prediction | None:
    """What is known of it as it is, predicted; None where that limits nothing."""
    known = path.without_factors
    found = None if known is None else composed(known, traffic, mtu_bytes, stack)
    return found if found and found.limits else None


def _apart() -> Callable[[Parameter, bool], Parameter]:
    """What makes of each interval a set of its own: a ratio may have its ends anywhere."""
    numbers = count(1)

    def change(parameter: Parameter, slows: bool) -> Parameter:
        if isinstance(parameter, Interval):
            ends = (parameter.value, parameter.low, parameter.high)
            return Joint(ends, of=f"interval {next(numbers)}")
        return parameter

    return change


def _under(reference: Reference, path: Path) -> Path:
    """The path under a reference; how many CPUs a pool has is one with the factor, if untold."""
    named = {one.pool for one in path.stages if one.factor is not None}
    pools = []
    for pool in path.pools:
        own = pool.parallel_count or (1 if pool.name in named else None)
        pools.append(replace(pool, parallel_count=reference.pool_counts.get(pool.name, own)))
    return replace(path, pools=tuple(pools))


def _part(path: Path, name: str) -> Path:
    """The stages of a factor, as if they were known; or those without one."""
    factor = None if name == KNOWN_TIMES else name
    stages = tuple(replace(one, factor=None) for one in path.stages if one.factor == factor)
    drawn = {one.pool for one in stages}
    return replace(
        path,
        stages=stages,
        pools=tuple(pool for pool in path.pools if pool.name in drawn),
        window_bytes=path.window_bytes if factor is None else None,
        unknown=(),
        notes=(),
        reference=None,
    )


@dataclass(frozen=True)
class _Both:
    """A part of the path alone, here and under the reference."""

    name: str
    paths: tuple[Path, Path]
    slower: Parameter
    traffic: Traffic
    sizes: tuple[Quantity, Quantity]
    stack: Stack

    def predictions(self, change: ValueOf) -> list[Prediction]:
        """Those of both with these parameters."""
        return [
            composed(path.changed(change), self.traffic, mtu_bytes, self.stack)
            for path, mtu_bytes in zip(self.paths, self.sizes, strict=True)
        ]

    def ratio(self, place: int, other: int, change: ValueOf) -> Quantity:
        """One limit here over one under the reference."""
        here, there = map(_rates, self.predictions(change))
        return change(self.slower, True) * _over(here[place], there[other])

    @property
    def parameters(self) -> list[Parameter]:
        return [*chain.from_iterable(one.parameters for one in self.paths), self.slower]

    @property
    def points(self) -> Points:
        stated = (getattr(self.traffic, field.name) for field in fields(self.traffic))
        return Points.of(
            [*self.parameters, *self.sizes, *(one for one in stated if one is not None)]
        )


def _rates(prediction: Prediction) -> list[Quantity]:
    """Rates of all limits but that of connections which wait."""
    return [one.rate_tps for one in prediction.limits if one.name != _CONNECTIONS]


def _ratio(both: _Both) -> Predicted:
    """The smallest limit here over the smallest there, with what encloses it in all cases."""
    here, there = (len(_rates(one)) for one in both.predictions(quoted_of))
    if not here or not there:
        raise DomainError(f"nothing limits the part of the path with the factor {both.name!r}")
    pairs = [
        [
            over_cases(
                both.parameters, both.points, partial(both.ratio, place, other), Bound.VALUE
            ).predicted
            for other in range(there)
        ]
        for place in range(here)
    ]
    value, low, high = ends = [
        least(reduce(maximum, (getattr(pair, end) for pair in row)) for row in pairs)
        for end in ("value", "low", "high")
    ]
    if not np.all(np.isfinite(ends)) or np.any(np.less_equal(ends, 0)):
        raise DomainError(
            f"times of {both.name!r} are all 0 in a case, in which they have no ratio"
        )
    return Predicted(value, low, high)


def _over(rate: Quantity, other: Quantity) -> Quantity:
    """A quotient of limits; what limits nothing here is not smallest, wherever it is none there."""
    with np.errstate(invalid="ignore"):
        return where(np.isinf(rate), np.inf, rate / other)


def _known(path: Path) -> Iterator[str]:
    if path.unknown:
        yield f"not known: {'; '.join(path.unknown)}"
    yield from path.notes
