"""How a rate changes with a parameter, also where several limits tie."""

import math
from typing import NamedTuple

from netmodel._numeric import Quantity
from netmodel._numpy import np

__all__ = ["Elasticity", "over_ties"]


class Elasticity(NamedTuple):
    """
    Relative change of the rate for each relative change of a parameter.

    The two differ only where several limits tie: what then raises one of them
    gains nothing, and what lowers one of them loses all.

    Parameters
    ----------
    increase, decrease : float or numpy.ndarray
        For a parameter that becomes a little larger, and a little smaller.

    Examples
    --------
    >>> Elasticity(-1.0, 0.0).increase
    -1.0
    """

    increase: Quantity
    decrease: Quantity


def over_ties(shares: list[tuple[Quantity, Quantity, Quantity]]) -> Elasticity:
    """From whether each limit ties, and what it makes of more and of less of a parameter."""
    increase: Quantity = math.nan
    decrease: Quantity = math.nan
    for tied, more, less in shares:
        increase = np.fmin(increase, np.where(tied, more, np.nan))
        decrease = np.fmax(decrease, np.where(tied, less, np.nan))
    return Elasticity(*(one if np.ndim(one) else float(one) for one in (increase, decrease)))
