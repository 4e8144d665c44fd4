"""Models over connections or over the rate: scalability, saturation, shared work."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from netmodel.calibration.models import Curve, DemandModel, FreeParameter, Model
from netmodel.calibration.observations import COSTS, RATES, Cap, Conditions
from netmodel.consumption import batched_cpu_time_s
from netmodel.errors import DomainError
from netmodel.numeric import FloatOrArray, Floats

_INVERSE_UNITS = {"tps": "s", "fps": "s/frame", "bps": "s/bit"}
"""Unit of one over a rate, by the last word of its name; of any other rate, s."""
_COUNT, _RATE = "connection_count", "transaction_rate_tps"
_BATCHING_COUNT = FreeParameter("batching_count", "", 1e-3)
"""Connections; above 0, as counts are divided by it. At a thousandth no shared time is left."""


def curve_model(
    name: str,
    quantity: str | None = None,
    condition: str | None = None,
    *,
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
        If there is no such model, or it has no cap.

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

    .. math:: R(N) = N / X(N) = z + c\,N^{0.8}

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

    .. math:: c(X) = a + b / \sqrt{X}

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
    law = CURVES[name]
    quantity, condition = quantity or law.quantities[-1], condition or law.condition
    suffix, unit = "s", "s"
    if law.is_rate:
        unit = _INVERSE_UNITS.get(quantity.rpartition("_")[2], "s")
    elif quantity == COSTS[0]:
        suffix, unit = "us_per_gbit", "µs/Gbit"
    free = tuple(FreeParameter(f"{each}_{suffix}", unit) for each in law.times)
    if law.formula is None or law.start is None:
        if cap is not None and not law.is_rate:
            raise DomainError(f"model {name} takes no cap")
        return DemandModel(quantity, free, partial(_amounts, name, condition), law.is_rate, cap)
    return Curve(quantity, (*free, *law.more), law.formula, (condition,), law.start)


def _amounts(name: str, condition: str, at: Conditions) -> Sequence[Sequence[float]]:
    return CURVES[name].amounts(float(at[condition]))


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


def _coalescing_start(rates_tps: Floats, costs_s: Floats) -> Sequence[float]:
    least, most = float(costs_s.min()), float(costs_s.max())
    return least / 2, most - least / 2, 1 / float(np.median(rates_tps))


class Law(NamedTuple):
    """
    A curve, and what it may be about.

    Parameters
    ----------
    quantities : tuple of str
        That it may be of; the last one unless specified.
    condition : str
        That it is over unless specified.
    times : tuple of str
        Parameters, without the unit.
    amounts : callable
        From the condition to how much of each parameter each sum takes: one over the largest sum
        is the rate, the largest sum the cost.
    formula, start : callable, optional
        Of a curve that is not linear: its value, and where the search begins.
    more : tuple of FreeParameter
        Parameters beside the times.
    least : float
        The smallest value of the condition.
    """

    quantities: tuple[str, ...]
    condition: str
    times: tuple[str, ...]
    amounts: Callable[[float], Sequence[Sequence[float]]] = lambda _: ()
    formula: Callable[..., FloatOrArray] | None = None
    start: Callable[[Floats, Floats], Sequence[float]] | None = None
    more: tuple[FreeParameter, ...] = ()
    least: float = 1.0

    @property
    def is_rate(self) -> bool:
        """Whether it is of a rate, which a line may limit."""
        return self.quantities == RATES


CURVES: Mapping[str, Law] = {
    # 1 / X(N) = (t1 + ts (N - 1) + tk N (N - 1)) / N
    "scalability": Law(
        *(RATES, _COUNT, ("alone", "contention", "coherency")),
        lambda n: [(1 / n, (n - 1) / n, n - 1)],
    ),
    # 1 / X(N) is the larger of R0 / N and D
    "saturation": Law(RATES, _COUNT, ("zero_load", "bottleneck"), lambda n: [(1 / n, 0), (0, 1)]),
    # 1 / X(N) is the larger of R0 / N and D + g N
    "knee": Law(
        *(RATES, _COUNT, ("zero_load", "bottleneck", "growing")),
        lambda n: [(1 / n, 0, 0), (0, 1, n)],
    ),
    # 1 / X(N) = (Z + N (d + w / sqrt(N))) / N
    "batching": Law(RATES, _COUNT, ("delay", "least", "shared"), lambda n: [(1 / n, 1, n**-0.5)]),
    # 1 / X(N) = (z + c N^b) / N: 0.75 to 0.8 follows measured request-response series best
    "power": Law(RATES, _COUNT, ("fixed", "growing"), lambda n: [(1 / n, n**-0.2)]),
    "amortised": Law(
        *(RATES, _COUNT, ("delay", "least", "shared")),
        formula=_amortised_rate_tps,
        start=_amortised_start,
        more=(_BATCHING_COUNT,),
    ),
    "coalescing": Law(
        *(COSTS[1:], _RATE, ("time_per_transaction", "time_per_batch", "batching_time")),
        formula=batched_cpu_time_s,
        start=_coalescing_start,
        least=0.0,
    ),
    # c(X) = a + b X^-1/2: the root follows measured costs of requests best
    "falling-cost": Law(
        COSTS[1:], _RATE, ("least", "falling"), lambda x: [(1, x**-0.5)], least=0.0
    ),
    # c(N) = a + b / sqrt(N) + k N
    "plateau-cost": Law(COSTS, _COUNT, ("least", "falling", "rising"), lambda n: [(1, n**-0.5, n)]),
}
