"""Which parameters a prediction owes its spread to."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netmodel._numeric import (
    FloatOrArray,
    Floats,
    require_above,
    require_at_least,
    require_finite,
    require_whole,
)
from netmodel.errors import DomainError


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """
    What one parameter adds to the variance of a prediction.

    Parameters
    ----------
    name : str
        The parameter.
    first_order_ratio : float
        Share of the variance that would go if this parameter alone were known.
    total_ratio : float
        Share that would stay if all others were known: what it adds together
        with others counts as well.
    """

    name: str
    first_order_ratio: float
    total_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return asdict(self)


def variance_shares(
    model: Callable[..., FloatOrArray],
    ranges: Mapping[str, tuple[float, float]],
    sample_count: int = 4096,
    seed: int = 0,
) -> tuple[VarianceShare, ...]:
    r"""
    Share of each parameter in the variance of a prediction (Sobol indices).

    Parameters
    ----------
    model : callable
        Takes an array for each parameter, by name, and gives an array, as every
        formula of netmodel does.
    ranges : mapping of str to tuple of float
        Low and high end of each parameter, at least two parameters; every value
        between them is equally likely, regardless of the others.
    sample_count : int
        A power of two. The model is evaluated for this many times two more than
        there are parameters.
    seed : int
        Of the random shift of the samples: the same seed, the same shares.

    Returns
    -------
    shares : tuple of VarianceShare
        One for each parameter, in the order of the ranges. They are estimates:
        a share of 0 may be slightly negative. All are 0 where the prediction is
        the same for all values.

    Raises
    ------
    DomainError
        If there are less than two parameters, a range has no width, its ends are
        not finite, the count is no power of two, or the model gives another
        shape than it was given or a result that is not finite.

    Notes
    -----
    .. math::
        S_i = \frac{V(E[Y \mid x_i])}{V(Y)}, \quad
        S_{Ti} = 1 - \frac{V(E[Y \mid x_{\sim i}])}{V(Y)}

    with :math:`x_{\sim i}` all parameters but one; both are equal where effects
    add up. The parameters must be independent. Those of one fit are not: for
    them draw joint samples instead.

    In the result of a binding limit, such as a smallest of several rates,
    most parameters have no share while another limit is binding. Shares over ranges
    in which first one limit is binding and then another mix two answers: give them
    together with the binding limit, or for each part of the ranges alone.

    References
    ----------
    A. Saltelli et al., "Variance based sensitivity analysis of model output",
    Computer Physics Communications 181 (2010); `scipy.stats.sobol_indices`,
    which estimates them.

    Examples
    --------
    Three times the width is nine times the variance:

    >>> ranges = {"mean_s": (0, 1), "delay_s": (0, 3)}
    >>> shares = variance_shares(lambda mean_s, delay_s: mean_s + delay_s, ranges)
    >>> [round(share.first_order_ratio, 2) for share in shares]
    [0.1, 0.9]
    """
    from scipy import stats

    names, ends = list(ranges), [_ends(name, *ends) for name, ends in ranges.items()]
    uniform: list[Any] = [stats.uniform(low, high - low) for low, high in ends]
    if len(names) < 2:
        raise DomainError(f"ranges must hold at least two parameters; got {len(names)}")
    estimated = stats.sobol_indices(
        func=lambda rows: _results(model, dict(zip(names, rows, strict=True))),
        n=_power_of_two(sample_count),
        dists=uniform,
        random_state=np.random.default_rng(seed),
    )
    return tuple(
        VarianceShare(name, float(first), float(total))
        for name, first, total in zip(
            names, estimated.first_order, estimated.total_order, strict=True
        )
    )


def _ends(name: str, low: float, high: float) -> tuple[float, float]:
    low = require_finite(f"low end of {name}", low)
    return low, require_above(f"high end of {name}", high, low, "")


def _power_of_two(sample_count: int) -> int:
    count = require_whole("sample_count", require_at_least("sample_count", sample_count, 1, ""))
    if count & (count - 1):
        raise DomainError(f"sample_count must be a power of two; got {count}")
    return count


def _results(model: Callable[..., FloatOrArray], parameters: Mapping[str, Floats]) -> Floats:
    """What the model gives, as an array of its own: it is centred in place later."""
    shape = next(iter(parameters.values())).shape
    given = np.asarray(model(**parameters), dtype=float)
    if given.shape not in {(), shape}:
        raise DomainError(f"model must give one result for each sample; got shape {given.shape}")
    if not np.isfinite(given).all():
        raise DomainError("model must give finite results over all ranges")
    return np.array(np.broadcast_to(given, shape))
