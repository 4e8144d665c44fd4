"""Models that are ready to calibrate: CPU time of a transaction over the rate of transactions."""

from collections.abc import Sequence

import numpy as np

from netmodel._numeric import Floats
from netmodel.calibration._model import Curve, DemandModel, FreeParameter
from netmodel.calibration._observed import Conditions
from netmodel.consumption import batched_cpu_time_s

__all__ = ["coalescing_curve", "falling_cost_model"]

_COST = "cpu_s_per_transaction"
_RATE = "transaction_rate_tps"


def falling_cost_model(
    exponent: float = 0.5, quantity: str = _COST, condition: str = _RATE
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


def coalescing_curve(quantity: str = _COST, condition: str = _RATE) -> Curve:
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

    Three observations set the three parameters whatever they are: no evidence
    for the form.

    Examples
    --------
    >>> [one.name for one in coalescing_curve().parameters]
    ['time_per_transaction_s', 'time_per_batch_s', 'batching_time_s']
    """
    names = ("time_per_transaction_s", "time_per_batch_s", "batching_time_s")
    free = tuple(FreeParameter(name, "s") for name in names)
    return Curve(quantity, free, batched_cpu_time_s, (condition,), _coalescing_start)


def _coalescing_start(rates_tps: Floats, costs_s: Floats) -> Sequence[float]:
    least, most = float(costs_s.min()), float(costs_s.max())
    return least / 2, most - least / 2, 1 / float(np.median(rates_tps))
