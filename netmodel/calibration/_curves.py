"""Models over connections or over the rate: scalability, saturation, shared work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, overload

import numpy as np

from netmodel.calibration._models import (
    Curve,
    DemandModel,
    FreeParameter,
    LinearModel,
    Loads,
    Model,
    Point,
    require_quantity,
)
from netmodel.calibration._observed import COSTS, RATES, Cap, Conditions, needed
from netmodel.consumption import batched_cpu_time_s
from netmodel.errors import DomainError
from netmodel.numeric import FloatOrArray, Floats

_INVERSE_UNITS = {"tps": "s", "fps": "s/frame", "bps": "s/bit"}
"""Unit of one over a rate, by the last word of its name; of any other rate, s."""
_SMALLEST_BATCHING_COUNT = 1e-3
"""Connections; above 0, as counts are divided by it. At a thousandth no shared time is left."""


@overload
def curve_model(
    name: Literal[
        "scalability", "saturation", "knee", "batching", "power", "falling-cost", "plateau-cost"
    ],
    quantity: str | None = None,
    condition: str | None = None,
    *,
    exponent: float | None = None,
    cap: Cap | None = None,
) -> LinearModel: ...


@overload
def curve_model(
    name: Literal["amortised", "coalescing"],
    quantity: str | None = None,
    condition: str | None = None,
) -> Curve: ...


@overload
def curve_model(
    name: str,
    quantity: str | None = None,
    condition: str | None = None,
    *,
    exponent: float | None = None,
    cap: Cap | None = None,
) -> Model: ...


def curve_model(
    name: str,
    quantity: str | None = None,
    condition: str | None = None,
    *,
    exponent: float | None = None,
    cap: Cap | None = None,
) -> Model:
    r"""
    A model of rates over connections, or of CPU time over their rate, by its name.

    Parameters
    ----------
    name : str
        ``"scalability"``, ``"saturation"``, ``"knee"``, ``"batching"``, ``"power"`` or
        ``"amortised"`` for a rate over connections, ``"coalescing"`` or ``"falling-cost"`` for CPU
        time over a rate, ``"plateau-cost"`` for CPU cost over connections.
    quantity : str, optional
        The rate or CPU time, with its unit: ``"transaction_rate_tps"`` or
        ``"cpu_s_per_transaction"`` when left out.
    condition : str, optional
        What the curve is over: ``"connection_count"``, or ``"transaction_rate_tps"`` for CPU
        time, when left out. Users or processors may share a rate too.
    exponent : float, optional
        Of ``"power"``, 0.8 when left out, and of ``"falling-cost"``, 0.5 when left out.
    cap : callable, optional
        For the linear models of rates: from conditions to a rate that they never exceed, such
        as `line_cap` makes.

    Returns
    -------
    model : Model
        Its parameters are those of the equation, in order. Linear but for ``"amortised"``
        and ``"coalescing"``.

    Raises
    ------
    DomainError
        If there is no such model, or it has no exponent or no cap.

    See Also
    --------
    netmodel.calibration.calibrate : It takes these names in place of a model.
    netmodel.concurrency.scalability_rate_tps : The law by its coefficients.
    netmodel.consumption.batched_cpu_time_s : The formula of ``"coalescing"`` and its source.

    Notes
    -----
    ``scalability``, the universal scalability law [1]_ as ``alone_s``, ``contention_s`` and
    ``coherency_s``: one over the rate of one alone, the part of it that only one can have at a
    time, and what each pair costs one of them. None is below zero, so that no fit speeds up
    without bound. Beside the law itself a contention above 1 is possible; it says that the law
    is the wrong one.

    .. math:: \frac{1}{X(N)} = \frac{t_1 + t_\sigma (N - 1) + t_\kappa N (N - 1)}{N}

    The coefficients of the law are :math:`\gamma = 1 / t_1`, :math:`\sigma = t_\sigma / t_1` and
    :math:`\kappa = t_\kappa / t_1`.

    ``saturation``, the asymptotes of a closed network [2]_ as ``zero_load_s``, the time of a
    transaction that is alone, and ``bottleneck_s``, that of one at the busiest stage. A real
    network has a soft knee between them, streaming of large messages a sharp one. Measurements
    on one side of the knee bound the parameter of the other side only from one end.

    .. math:: X(N) = \min(N / R_0,\; 1 / D_{max})

    ``knee``, the same with a bottleneck whose time grows with each connection, by ``growing_s``:
    streams whose rate falls again beyond the knee.

    .. math:: X(N) = \min(N / R_0,\; 1 / (D + g N))

    ``batching``, requests that move in batches, as ``delay_s``, which nothing shares,
    ``least_s``, what the bottleneck takes of each transaction in any batch, and ``shared_s``, what
    a batch takes once. A batch is as large as the root of the connections: among exponents and
    forms the one that predicts series of other scenarios best with three parameters.

    .. math:: R(N) = N / X(N) = Z + N \left(d + \frac{w}{\sqrt N}\right)

    ``power``, as ``fixed_s``, which nothing shares, and ``growing_s``. The exponents 0.75 to 0.8
    fit measured request-response series; neither parameter is the time of a stage.

    .. math:: R(N) = N / X(N) = z + c\,N^b

    ``amortised``, a stage whose work per transaction falls as batches grow, as ``delay_s``,
    ``least_s``, ``shared_s`` and ``batching_count``, the connections that halve the last. Below
    five observations nothing is left to test its four parameters.

    .. math:: R(N) = N / X(N) = Z + N \left(d + \frac{w}{1 + N / n_0}\right)

    ``coalescing``, CPU time per transaction where those of one batch share an interrupt or a
    wake-up, as ``time_per_transaction_s``, ``time_per_batch_s`` and ``batching_time_s``. Three
    observations set the three parameters in any case: no evidence for the form.

    .. math:: c(X) = c_\infty + \frac{w}{1 + \tau X}

    ``falling-cost``, as ``least_s``, which is left at any rate, and ``falling_s``, what comes to
    it at a rate of one; the root follows measured series best. Costs that rise again on a plateau
    of the rate are beyond it.

    .. math:: c(X) = a + b\,X^{-e}

    ``plateau-cost``, as ``least``, ``falling`` and ``rising`` with their unit: what a batch as
    large as the root of the connections shares, and what each connection adds where the rate no
    longer rises. None is below zero.

    .. math:: c(N) = a + b / \sqrt{N} + k\,N

    References
    ----------
    .. [1] N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6.
    .. [2] P. J. Denning and J. P. Buzen, "The operational analysis of queueing network
       models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    A rate of 1/s alone, 5 % of it one at a time: 9.14/s with 16.

    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> points = [Point("transaction_rate_tps", {"connection_count": 16})]
    >>> rate = curve_model("scalability").function(points)
    >>> round(float(rate(np.array([1, 0.05, 0]))[0]), 6)
    9.142857

    Each parameter, and its unit for a bit rate:

    >>> model = curve_model("saturation", "throughput_bps")
    >>> [(each.name, each.unit) for each in model.parameters]
    [('zero_load_s', 's/bit'), ('bottleneck_s', 's/bit')]
    """
    if name not in CURVES:
        raise DomainError(f"no curve {name!r}: choose one of {', '.join(CURVES)}")
    form = CURVES[name]
    if exponent is not None and form.exponent is None:
        raise DomainError(f"model {name} has no exponent")
    if cap is not None and not form.takes_cap:
        raise DomainError(f"model {name} takes no cap")
    return form.build(
        quantity or form.quantities[-1],
        condition or form.condition,
        form.exponent if exponent is None else exponent,
        cap,
    )


def _scalability(quantity: str, condition: str, _: float | None, cap: Cap | None) -> LinearModel:
    names = ("alone_s", "contention_s", "coherency_s")
    amounts = partial(_scalability_amounts, condition)
    return DemandModel(quantity, _of_rate(quantity, names), amounts, cap=cap)


def _scalability_amounts(condition: str, at: Conditions) -> tuple[float, float, float]:
    count = float(at[condition])
    # 1 / X(N) = (t1 + ts (N - 1) + tk N (N - 1)) / N
    return 1 / count, (count - 1) / count, count - 1


@dataclass(frozen=True, slots=True)
class _Saturation(LinearModel):
    """A rate that grows with what shares it until something is busy all the time."""

    quantity: str
    condition: str
    cap: Cap | None

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return _of_rate(self.quantity, ("zero_load_s", "bottleneck_s"))

    def loads(self, point: Point) -> Loads:
        require_quantity(point, (self.quantity,))
        count = float(needed(point.at, self.condition, self.quantity))
        # 1 / X(N) is the larger of R0 / N and D
        result = Loads(np.diag([1 / count, 1]), np.zeros(2), True, ("zero load", "bottleneck"))
        if self.cap is None or point.is_uncapped:
            return result
        return result.capped(self.cap(point.at))


@dataclass(frozen=True, slots=True)
class _Knee(LinearModel):
    """A rate that grows with what shares it up to a bottleneck, and may fall beyond."""

    quantity: str
    condition: str
    cap: Cap | None

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return _of_rate(self.quantity, ("zero_load_s", "bottleneck_s", "growing_s"))

    def loads(self, point: Point) -> Loads:
        require_quantity(point, (self.quantity,))
        count = float(needed(point.at, self.condition, self.quantity))
        # 1 / X(N) is the larger of R0 / N and D + g N
        rows = np.array([[1 / count, 0, 0], [0, 1, count]])
        result = Loads(rows, np.zeros(2), True, ("zero load", "bottleneck"))
        if self.cap is None or point.is_uncapped:
            return result
        return result.capped(self.cap(point.at))


def _batching(quantity: str, condition: str, _: float | None, cap: Cap | None) -> LinearModel:
    names = ("delay_s", "least_s", "shared_s")
    amounts = partial(_batching_amounts, condition)
    return DemandModel(quantity, _of_rate(quantity, names), amounts, cap=cap)


def _batching_amounts(condition: str, at: Conditions) -> tuple[float, float, float]:
    count = float(at[condition])
    # 1 / X(N) = (Z + N (d + w / sqrt(N))) / N
    return 1 / count, 1.0, count**-0.5


def _power(quantity: str, condition: str, exponent: float | None, cap: Cap | None) -> LinearModel:
    assert exponent is not None
    free = _of_rate(quantity, ("fixed_s", "growing_s"))
    return DemandModel(quantity, free, partial(_power_amounts, condition, exponent), cap=cap)


def _power_amounts(condition: str, exponent: float, at: Conditions) -> tuple[float, float]:
    count = float(at[condition])
    # 1 / X(N) = (z + c N^b) / N
    return 1 / count, count ** (exponent - 1)


def _amortised(quantity: str, condition: str, _: float | None, __: Cap | None) -> Curve:
    free = (
        *_of_rate(quantity, ("delay_s", "least_s", "shared_s")),
        FreeParameter("batching_count", "", _SMALLEST_BATCHING_COUNT),
    )
    return Curve(quantity, free, _amortised_rate_tps, (condition,), _amortised_start)


def _amortised_rate_tps(
    count: FloatOrArray,
    delay_s: FloatOrArray,
    least_s: FloatOrArray,
    shared_s: FloatOrArray,
    batch: FloatOrArray,
) -> FloatOrArray:
    # X(N) = N / (Z + N (d + w / (1 + N / n0)))
    return count / (delay_s + count * (least_s + shared_s / (1 + count / batch)))


def _amortised_start(counts: Floats, rates: Floats) -> Sequence[float]:
    lightest, per_one = int(np.argmin(counts)), 1 / float(rates.max())
    alone = float(counts[lightest] / rates[lightest])
    return alone, per_one / 2, per_one, float(np.median(counts))


def _coalescing(quantity: str, condition: str, _: float | None, __: Cap | None) -> Curve:
    names = ("time_per_transaction_s", "time_per_batch_s", "batching_time_s")
    free = tuple(FreeParameter(name, "s") for name in names)
    return Curve(quantity, free, batched_cpu_time_s, (condition,), _coalescing_start)


def _coalescing_start(rates_tps: Floats, costs_s: Floats) -> Sequence[float]:
    least, most = float(costs_s.min()), float(costs_s.max())
    return least / 2, most - least / 2, 1 / float(np.median(rates_tps))


def _falling_cost(
    quantity: str, condition: str, exponent: float | None, _: Cap | None
) -> LinearModel:
    assert exponent is not None
    free = FreeParameter("least_s", "s"), FreeParameter("falling_s", "s")
    amounts = partial(_falling_amounts, condition, exponent)
    return DemandModel(quantity, free, amounts, is_rate=False)


def _falling_amounts(condition: str, exponent: float, at: Conditions) -> tuple[float, float]:
    # c(X) = a + b X^-e
    return 1, float(at[condition]) ** -exponent


def _plateau_cost(quantity: str, condition: str, _: float | None, __: Cap | None) -> LinearModel:
    suffix, unit = ("us_per_gbit", "µs/Gbit") if quantity == COSTS[0] else ("s", "s")
    free = tuple(FreeParameter(f"{name}_{suffix}", unit) for name in ("least", "falling", "rising"))
    return DemandModel(quantity, free, partial(_plateau_amounts, condition), is_rate=False)


def _plateau_amounts(condition: str, at: Conditions) -> tuple[float, float, float]:
    count = float(at[condition])
    # c(N) = a + b / sqrt(N) + k N
    return 1, count**-0.5, count


def _of_rate(quantity: str, names: Sequence[str]) -> tuple[FreeParameter, ...]:
    """Parameters in the unit of one over a rate."""
    unit = _INVERSE_UNITS.get(quantity.rpartition("_")[2], "s")
    return tuple(FreeParameter(name, unit) for name in names)


class CurveForm(NamedTuple):
    """
    What a curve may be about.

    Parameters
    ----------
    build : callable
        From quantity, condition, exponent and cap to the model.
    quantities : tuple of str
        That it may be of; the last one unless specified.
    condition : str
        That it is over unless specified.
    least : float
        The smallest value of the condition.
    exponent : float, optional
        Unless specified; None where it has none.
    takes_cap : bool
        Whether a line may limit it.
    """

    build: Callable[[str, str, float | None, Cap | None], Model]
    quantities: tuple[str, ...]
    condition: str
    least: float = 0.0
    exponent: float | None = None
    takes_cap: bool = False


_COUNT, _RATE = "connection_count", "transaction_rate_tps"
CURVES: Mapping[str, CurveForm] = {
    "scalability": CurveForm(_scalability, RATES, _COUNT, 1, takes_cap=True),
    "saturation": CurveForm(
        lambda quantity, condition, _, cap: _Saturation(quantity, condition, cap),
        *(RATES, _COUNT, 1),
        takes_cap=True,
    ),
    "knee": CurveForm(
        lambda quantity, condition, _, cap: _Knee(quantity, condition, cap),
        *(RATES, _COUNT, 1),
        takes_cap=True,
    ),
    "batching": CurveForm(_batching, RATES, _COUNT, 1, takes_cap=True),
    # 0.75 to 0.8 follows measured request-response series best
    "power": CurveForm(_power, RATES, _COUNT, 1, exponent=0.8, takes_cap=True),
    "amortised": CurveForm(_amortised, RATES, _COUNT, 1),
    "coalescing": CurveForm(_coalescing, COSTS[1:], _RATE),
    # the root follows measured costs of requests best
    "falling-cost": CurveForm(_falling_cost, COSTS[1:], _RATE, exponent=0.5),
    "plateau-cost": CurveForm(_plateau_cost, COSTS, _COUNT, 1),
}
