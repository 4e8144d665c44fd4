"""Models over connections or over the rate: scalability, saturation, shared work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from netmodel._numeric import FloatOrArray, Floats
from netmodel.calibration._models import (
    Curve,
    DemandModel,
    FreeParameter,
    LinearModel,
    Loads,
    Point,
    require_quantity,
)
from netmodel.calibration._observed import Cap, Conditions, needed
from netmodel.concurrency import scalability_peak_connection_count, scalability_rate_tps
from netmodel.consumption import batched_cpu_time_s

_RATE = "transaction_rate_tps"
_COUNT = "connection_count"
_UNITS = {"tps": "s", "fps": "s/frame", "bps": "s/bit"}
_COST = "cpu_s_per_transaction"
_TRANSACTION_RATE = "transaction_rate_tps"


def scalability_model(quantity: str = _RATE, condition: str = _COUNT) -> DemandModel:
    r"""
    A rate over connections by the universal scalability law, as three times.

    Parameters
    ----------
    quantity : str
        The rate, with its unit.
    condition : str
        How many share it: connections, users or processors.

    Returns
    -------
    model : DemandModel
        Its parameters ``alone_s``, ``contention_s`` and ``coherency_s`` are
        times per transaction, or per unit that the rate counts.

    See Also
    --------
    scalability_law : The coefficients of the law, from the three times.

    Notes
    -----
    .. math:: \frac{1}{X(N)} = \frac{t_1 + t_\sigma (N - 1) + t_\kappa N (N - 1)}{N}

    with :math:`t_1` one over the rate of one alone, :math:`t_\sigma` the part
    of it that only one can have at a time and :math:`t_\kappa` what each pair
    costs one of them. None is below zero, so that no fit speeds up without
    bound. Beside the law itself a contention above 1 is possible here; it says
    that the law is the wrong one.

    References
    ----------
    N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6.

    Examples
    --------
    A rate of 1/s alone, 5 % of it one at a time: 9.14/s with 16.

    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> points = [Point("transaction_rate_tps", {"connection_count": 16})]
    >>> rate = scalability_model().function(points)
    >>> round(float(rate(np.array([1, 0.05, 0]))[0]), 6)
    9.142857
    """

    def amounts(at: Conditions) -> tuple[float, float, float]:
        count = float(at[condition])
        return 1 / count, (count - 1) / count, count - 1

    unit = _inverse_unit(quantity)
    names = ("alone_s", "contention_s", "coherency_s")
    return DemandModel(quantity, tuple(FreeParameter(name, unit) for name in names), amounts)


class ScalabilityLaw(NamedTuple):
    """
    Coefficients of the universal scalability law.

    Parameters
    ----------
    rate_at_one_tps : float or numpy.ndarray
        Rate of one alone. [1/s]
    contention_ratio : float or numpy.ndarray
        Share of its time that only one can have at a time.
    coherency_ratio : float or numpy.ndarray
        Time that each pair costs one of them, relative to its time alone.

    Examples
    --------
    >>> round(ScalabilityLaw(1.0, 0.05, 0.001).peak_connection_count, 3)
    30.822
    """

    rate_at_one_tps: FloatOrArray
    contention_ratio: FloatOrArray
    coherency_ratio: FloatOrArray

    @property
    def peak_connection_count(self) -> FloatOrArray:
        """Connections beyond which the rate falls."""
        return scalability_peak_connection_count(self.contention_ratio, self.coherency_ratio)

    def rate_tps(self, connection_count: FloatOrArray) -> FloatOrArray:
        """Rate at this count."""
        return scalability_rate_tps(connection_count, *self)


def scalability_law(
    alone_s: FloatOrArray, contention_s: FloatOrArray, coherency_s: FloatOrArray
) -> ScalabilityLaw:
    r"""
    Coefficients of the universal scalability law from the times of its model.

    Parameters
    ----------
    alone_s : float or array_like
        Time of one alone. [s]
    contention_s : float or array_like
        Part of it that only one can have at a time. [s]
    coherency_s : float or array_like
        Time that each pair costs one of them. [s]

    Returns
    -------
    law : ScalabilityLaw
        Each coefficient of the broadcast shape of what it is made of.

    Notes
    -----
    .. math:: \gamma = 1 / t_1, \quad \sigma = t_\sigma / t_1, \quad \kappa = t_\kappa / t_1

    Examples
    --------
    >>> scalability_law(0.5, 0.025, 0.0)
    ScalabilityLaw(rate_at_one_tps=2.0, contention_ratio=0.05, coherency_ratio=0.0)
    """
    return ScalabilityLaw(1 / alone_s, contention_s / alone_s, coherency_s / alone_s)


@dataclass(frozen=True, slots=True)
class _Saturation(LinearModel):
    """A rate that grows with what shares it until something is busy all the time."""

    quantity: str
    condition: str
    cap: Cap | None

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        unit = _inverse_unit(self.quantity)
        return FreeParameter("zero_load_s", unit), FreeParameter("bottleneck_s", unit)

    def loads(self, point: Point) -> Loads:
        require_quantity(point, (self.quantity,))
        count = float(needed(point.at, self.condition, self.quantity))
        result = Loads(np.diag([1 / count, 1]), np.zeros(2), True, ("zero load", "bottleneck"))
        if self.cap is None or point.is_uncapped:
            return result
        return result.capped(self.cap(point.at))


def saturation_model(
    quantity: str = _RATE,
    condition: str = _COUNT,
    cap: Cap | None = None,
) -> LinearModel:
    r"""
    A rate over connections by its two asymptotes: in proportion, then level.

    Parameters
    ----------
    quantity : str
        The rate, with its unit.
    condition : str
        How many share it, such as connections that each wait for an answer.
    cap : callable, optional
        From conditions to a rate that it never exceeds, such as the payload
        ceiling of a line.

    Returns
    -------
    model : LinearModel
        Its parameters are ``zero_load_s``, the time of a transaction that is
        alone, and ``bottleneck_s``, the time of one at the busiest stage.

    Notes
    -----
    .. math:: X(N) = \min(N / R_0,\; 1 / D_{max})

    The upper bounds of a closed network: a real one has a soft knee between
    them, streaming of large messages a sharp one. Measurements on one side of
    the knee bound the parameter of the other side only from one end.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing network
    models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> several = [Point("transaction_rate_tps", {"connection_count": n}) for n in (1, 10, 100)]
    >>> saturation_model().function(several)(np.array([400e-6, 20e-6])).round()
    array([ 2500., 25000., 50000.])
    """
    return _Saturation(quantity, condition, cap)


def power_model(exponent: float, quantity: str = _RATE, condition: str = _COUNT) -> DemandModel:
    r"""
    A rate over connections whose time grows with a power of them.

    Parameters
    ----------
    exponent : float
        The power; 0.75 to 0.8 fits measured request-response series.
    quantity : str
        The rate, with its unit.
    condition : str
        How many share it.

    Returns
    -------
    model : DemandModel
        Its parameters are ``fixed_s``, which nothing shares, and ``growing_s``.

    Notes
    -----
    .. math:: R(N) = N / X(N) = z + c\,N^b

    Two parameters that often follow a series; neither is the time of a stage.

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> rate = power_model(0.8).function([Point("transaction_rate_tps", {"connection_count": 32})])
    >>> round(float(rate(np.array([250e-6, 50e-6]))[0]), 3)
    30476.19
    """

    def amounts(at: Conditions) -> tuple[float, float]:
        count = float(at[condition])
        return 1 / count, count ** (exponent - 1)

    unit = _inverse_unit(quantity)
    return DemandModel(
        quantity, (FreeParameter("fixed_s", unit), FreeParameter("growing_s", unit)), amounts
    )


def amortised_curve(quantity: str = _RATE, condition: str = _COUNT) -> Curve:
    r"""
    A rate over connections at a stage whose work per transaction falls as batches grow.

    Parameters
    ----------
    quantity : str
        The rate, with its unit.
    condition : str
        How many share it.

    Returns
    -------
    model : Curve
        Its parameters are ``delay_s``, ``least_s`` and ``shared_s`` of the
        stage, and ``batching_count``, the connections that halve the last.

    Notes
    -----
    .. math:: R(N) = N / X(N) = Z + N \left(d + \frac{w}{1 + N / n_0}\right)

    Four parameters: below five observations nothing is left to test it.

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> rate = amortised_curve().function([Point("transaction_rate_tps", {"connection_count": 30})])
    >>> round(float(rate(np.array([0.4e-3, 11e-6, 24e-6, 30]))[0]), 3)
    27522.936
    """

    def rate_tps(
        count: FloatOrArray,
        delay_s: FloatOrArray,
        least_s: FloatOrArray,
        shared_s: FloatOrArray,
        batch: FloatOrArray,
    ) -> FloatOrArray:
        return count / (delay_s + count * (least_s + shared_s / (1 + count / batch)))

    unit = _inverse_unit(quantity)
    free = (
        *(FreeParameter(name, unit) for name in ("delay_s", "least_s", "shared_s")),
        # above 0, as counts are divided by it; at a thousandth no shared time is left
        FreeParameter("batching_count", "", 1e-3),
    )
    return Curve(quantity, free, rate_tps, (condition,), _amortised_start)


def _amortised_start(counts: Floats, rates: Floats) -> Sequence[float]:
    lightest, per_one = int(np.argmin(counts)), 1 / float(rates.max())
    alone = float(counts[lightest] / rates[lightest])
    return alone, per_one / 2, per_one, float(np.median(counts))


def _inverse_unit(quantity: str) -> str:
    return _UNITS.get(quantity.rpartition("_")[2], "s")


def falling_cost_model(
    exponent: float = 0.5, quantity: str = _COST, condition: str = _TRANSACTION_RATE
) -> DemandModel:
    r"""
    CPU time per transaction that falls with a power of the rate.

    Parameters
    ----------
    exponent : float
        The power; the root follows measured series best.
    quantity : str
        The CPU time, with its unit.
    condition : str
        The rate of transactions.

    Returns
    -------
    model : DemandModel
        Its parameters are ``least_s``, which is left at any rate, and
        ``falling_s``, what comes to it at a rate of one.

    Notes
    -----
    .. math:: c(X) = a + b\,X^{-e}

    Costs that rise again on a plateau of the rate are beyond it.

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> points = [Point("cpu_s_per_transaction", {"transaction_rate_tps": 1e4})]
    >>> round(float(falling_cost_model().function(points)(np.array([12e-6, 2.2e-3]))[0] * 1e6), 9)
    34.0
    """

    def amounts(at: Conditions) -> tuple[float, float]:
        return 1, float(at[condition]) ** -exponent

    free = FreeParameter("least_s", "s"), FreeParameter("falling_s", "s")
    return DemandModel(quantity, free, amounts, is_rate=False)


def coalescing_curve(quantity: str = _COST, condition: str = _TRANSACTION_RATE) -> Curve:
    r"""
    CPU time per transaction where those of one batch share an interrupt or a wake-up.

    Parameters
    ----------
    quantity : str
        The CPU time, with its unit.
    condition : str
        The rate of transactions.

    Returns
    -------
    model : Curve
        Its parameters are ``time_per_transaction_s``, ``time_per_batch_s`` and
        ``batching_time_s``.

    See Also
    --------
    netmodel.consumption.batched_cpu_time_s : The formula and its source.

    Notes
    -----
    .. math:: c(X) = c_\infty + \frac{w}{1 + \tau X}

    Three observations set the three parameters in any case: no evidence
    for the form.

    Examples
    --------
    >>> [each.name for each in coalescing_curve().parameters]
    ['time_per_transaction_s', 'time_per_batch_s', 'batching_time_s']
    """
    names = ("time_per_transaction_s", "time_per_batch_s", "batching_time_s")
    free = tuple(FreeParameter(name, "s") for name in names)
    return Curve(quantity, free, batched_cpu_time_s, (condition,), _coalescing_start)


def _coalescing_start(rates_tps: Floats, costs_s: Floats) -> Sequence[float]:
    least, most = float(costs_s.min()), float(costs_s.max())
    return least / 2, most - least / 2, 1 / float(np.median(rates_tps))
