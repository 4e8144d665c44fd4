"""Models by the names that the command line takes: of paths, and laws of rates over connections."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from netmodel.calibration.models import (
    Curve,
    FreeParameter,
    LinearModel,
    Model,
    demand_model,
    read_conditions,
    with_fixed,
)
from netmodel.calibration.observations import (
    QUANTITIES,
    RATES,
    Cap,
    Conditions,
    Observed,
    Selection,
)
from netmodel.calibration.path_models import adapter_model, line_cap
from netmodel.errors import DomainError
from netmodel.text import meant_text

_INVERSE_UNITS = {"tps": "s", "fps": "s/frame", "bps": "s/bit"}
"""Unit of one over a rate, by the last word of its name; of any other rate, s."""
_COUNT = "connection_count"
_OTHER_COUNTS = "other numbers of connections"
_BATCHING_COUNT = FreeParameter("batching_count", "", 1e-3, separated_by=_OTHER_COUNTS)
"""Connections; above 0, as counts are divided by it. At a thousandth no shared time is left."""

_Sums: TypeAlias = Callable[[float], Sequence[Sequence[float]]]
"""From connections to how much of each time each sum takes: one over the largest is the rate."""

_AMORTISED = "amortised"
_TIMES = ("delay_s", "least_s", "shared_s")
"""Parameters of batches: what nothing shares, what each transaction takes, what a batch takes."""
LAWS: Mapping[str, tuple[tuple[str, ...], _Sums]] = {
    # 1 / X(N) = (t1 + ts (N - 1) + tk N (N - 1)) / N
    "scalability": (
        ("alone_s", "contention_s", "coherency_s"),
        lambda n: [(1 / n, (n - 1) / n, n - 1)],
    ),
    # 1 / X(N) is the larger of R0 / N and D
    "saturation": (("zero_load_s", "bottleneck_s"), lambda n: [(1 / n, 0), (0, 1)]),
    # 1 / X(N) = (Z + N (d + w / sqrt(N))) / N
    "batching": (_TIMES, lambda n: [(1 / n, 1, n**-0.5)]),
    # 1 / X(N) = (z + c N^b) / N: 0.75 to 0.8 follows measured request-response series best
    "power": (("fixed_s", "growing_s"), lambda n: [(1 / n, n**-0.2)]),
}
"""Times and sums of laws by their names."""
MODELS: Mapping[str, tuple[str, ...]] = {
    "adapter": RATES[:1],
    **dict.fromkeys((*LAWS, _AMORTISED), RATES),
}
"""Models by the names that ``netmodel calibrate --model`` takes, with what they predict."""
AUTO = "auto"
"""Name in place of a model: the one that predicts left-out figures best."""


def _amounts(name: str, at: Conditions) -> Sequence[Sequence[float]]:
    return LAWS[name][1](float(at[_COUNT]))


def _amortised_rate_tps(count: Any, delay_s: Any, least_s: Any, shared_s: Any, batch: Any) -> Any:
    # X(N) = N / (Z + N (d + w / (1 + N / n0)))
    return count / (delay_s + count * (least_s + shared_s / (1 + count / batch)))


def _amortised_start(counts: Any, rates: Any) -> Sequence[float]:
    lightest, per_one = int(np.argmin(counts)), 1 / float(rates.max())
    return counts[lightest] / rates[lightest], per_one / 2, per_one, float(np.median(counts))


def curve_model(
    name: str,
    quantity: str | None = None,
    *,
    cap: Cap | None = None,
) -> Model:
    r"""
    A model of rates over connections, by its name.

    Parameters
    ----------
    name : str
        ``"scalability"``, ``"saturation"``, ``"batching"``, ``"power"`` or ``"amortised"``.
    quantity : str, optional
        The rate, with its unit: ``"transaction_rate_tps"`` when left out.
    cap : callable, optional
        For the linear models: from conditions to a rate that they never exceed, such
        as `line_cap` makes.

    Returns
    -------
    model : Model
        Its parameters are those of the equation, in order. Linear but for ``"amortised"``.

    See Also
    --------
    netmodel.calibration.calibrate : It takes these names in place of a model.
    netmodel.concurrency.scalability_rate_tps : The law by its coefficients.

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
    quantity = quantity or RATES[1]
    unit = _INVERSE_UNITS.get(quantity.rpartition("_")[2], "s")
    times = _TIMES if name == _AMORTISED else LAWS[name][0]
    free = tuple(FreeParameter(each, unit, separated_by=_OTHER_COUNTS) for each in times)
    if name == _AMORTISED:
        free = (*free, _BATCHING_COUNT)
        return Curve(quantity, free, _amortised_rate_tps, (_COUNT,), _amortised_start)
    return demand_model(quantity, free, partial(_amounts, name), cap=cap)


def _adapter(observed: Sequence[Observed], rate_bps: float | None) -> LinearModel:
    """One direction of an adapter, or each that the observations name."""
    directions = {str(seen.at.get("direction", "")): seen.name for seen in reversed(observed)}
    known = "in (the adapter receives) or out (it sends)"
    if "" in directions and len(directions) > 1:
        problem = f"no direction, which others have: write {known}, or leave it out everywhere"
        raise DomainError(f"{directions['']}: {problem}")
    for direction in set(directions) - {"in", "out", ""}:
        raise DomainError(f"{directions[direction]}: direction must be {known}; got {direction!r}")
    if "" in directions:
        return adapter_model(rate_bps)
    return adapter_model(dict.fromkeys(directions, rate_bps), by="direction")


def about_model(name: str, selection: Selection) -> Selection:
    """
    The observations of the quantity that a model predicts, of several the first.

    Raises
    ------
    DomainError
        If there is none.
    """
    known = MODELS.get(name, QUANTITIES)
    seen = {observation.quantity for observation in selection.observed}
    about = next((quantity for quantity in known if quantity in seen), None)
    if about is None:
        got = ", ".join(sorted(seen))
        raise DomainError(
            f"model {name} predicts {' or '.join(known)}; the observations are of {got}: choose "
            f"another, or {AUTO}"
        )
    left_out = sorted(seen - {about})
    notes = [f"{quantity} is left out: the model predicts {about}" for quantity in left_out]
    kept = tuple(each for each in selection.observed if each.quantity == about)
    return Selection(kept, (*selection.notes, *notes))


def named_model(
    name: str,
    observed: Iterable[Observed],
    *,
    line_rate_bps: float | None = None,
    fixed: Mapping[str, float] | None = None,
) -> Model:
    """
    The model of a name, for observations.

    Parameters
    ----------
    name : str
        ``"adapter"``, ``"scalability"``, ``"saturation"``, ``"batching"``, ``"power"``,
        ``"amortised"``.
    observed : iterable of Observed
        Which directions, which quantity the model is about.
    line_rate_bps : float, optional
        MAC rate of the line, which no throughput exceeds. [bit/s]
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    model : Model
        Linear but for the curve ``"amortised"``.

    Raises
    ------
    DomainError
        If there is no such model, or a condition that it needs is missing or cannot be.
    """
    seen = list(observed)
    if name not in MODELS:
        raise DomainError(
            f"no model {name!r}: choose {AUTO}, {', '.join(MODELS)}{meant_text(name, MODELS)}"
        )
    model: Model
    if name == "adapter":
        model = _adapter(seen, line_rate_bps)
    else:  # the line is one of the limits where payload is observed
        quantity, cap = seen[0].quantity, None
        if line_rate_bps is not None and quantity == RATES[0]:
            cap = line_cap(line_rate_bps)
        model = curve_model(name, quantity, cap=cap)
    return with_fixed(model, fixed) if fixed else model


def require_read(
    model_name: str, model: Model, observed: Iterable[Observed], specified: Iterable[str]
) -> frozenset[str]:
    """
    Return conditions that a model reads; refuse any outside its range, and unread specified ones.

    Raises
    ------
    DomainError
        If a curve is not defined there, or a specified condition changes nothing.
    """
    seen, is_law = list(observed), model_name in LAWS or model_name == _AMORTISED
    for each in seen if is_law else ():
        value = each.at.get(_COUNT, 1)
        if isinstance(value, str) or value < 1:
            raise DomainError(f"{each.name}: {_COUNT} must be a number from 1 up; got {value!r}")
    read = read_conditions(model, seen)
    for condition in specified:
        if condition not in read:
            reads = f"model {model_name} reads {', '.join(sorted(read))}"
            hint = meant_text(condition, read)
            raise DomainError(f"{condition!r} changes nothing: {reads}{hint}")
    return read
