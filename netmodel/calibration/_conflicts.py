"""Observations that cannot be true together: the fewest of them, and how far apart they are."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from netmodel.calibration._models import FreeParameter, LinearModel, Loads, Point
from netmodel.calibration._observed import Observed
from netmodel.calibration._polytopes import (
    clauses,
    compared_sums,
    everything,
    parameter_limits,
    polytopes,
    with_baselines,
)

_MOST_SUBSETS = 2000
"""Groups of fewer observations that are tried: some seconds."""
_LEAST_WIDENING_RATIO = 1e-9
"""What is apart by less agrees: so exactly are sets computed."""
_MOST_WIDENING_RATIO = 1e3
"""Figures a thousandfold apart are of different things."""
_WIDENING_STEPS = 40
"""Halvings of 12 decades: to 1e-11 of the logarithm, below any printed digit."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """
    The fewest observations that cannot be true together.

    Parameters
    ----------
    observed : tuple of Observed
        Any of them left out, the others agree.
    widening_ratio : float
        Part by which the interval of each must at least be wider, both ways, for them
        to agree: ends are divided by and multiplied with 1 and this part. Infinite
        where a thousandfold of them would not make them agree.
    limits : tuple of str
        Limits of the model that are not free, such as its line, without which
        they would agree.
    is_smallest : bool
        Whether no conflict is of fewer: false where there are too many
        observations to try all groups of fewer.
    """

    observed: tuple[Observed, ...]
    widening_ratio: float
    limits: tuple[str, ...]
    is_smallest: bool

    def __str__(self) -> str:
        names = "; ".join(observation.name for observation in self.observed)
        together = "cannot be true together" if self.observed[1:] else "cannot be true"
        beside = f" beside {' and '.join(self.limits)}" if self.limits else ""
        return f"{names}: {together}{beside}, and {self._apart}"

    @property
    def _apart(self) -> str:
        if math.isinf(self.widening_ratio):
            return "no wider intervals would make them agree"
        return f"would agree if each interval were {100 * self.widening_ratio:.2g} % wider each way"


def conflict(observed: Sequence[Observed], model: LinearModel) -> Conflict | None:
    """
    The fewest observations that no parameters of the model make true together.

    Parameters
    ----------
    observed : sequence of Observed
        What was seen.
    model : LinearModel
        What they are about.

    Returns
    -------
    conflict : Conflict or None
        None where all can be true together.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing.
    CalibrationError
        If there are too many cases of which limit is binding.

    Notes
    -----
    Observations are left out one by one as long as the others still do not agree
    (Chinneck's deletion filter); then all groups of fewer are tried, smallest first.

    References
    ----------
    J. W. Chinneck, "Feasibility and Infeasibility in Optimization" (2008), chapters 2 and 6.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> def streaming(mtu_bytes, low, high):
    ...     at = {"mtu_bytes": mtu_bytes}
    ...     return Observed(quantity="throughput_bps", at=at, low=low, high=high)
    >>> seen = [streaming(1500, 13.3e9, 13.5e9), streaming(3000, 11e9, 12e9)]
    >>> print(conflict(seen, adapter_model(25e9)))
    throughput_bps at mtu_bytes 1500; throughput_bps at mtu_bytes 3000: cannot be true together, \
and would agree if each interval were 5.3 % wider each way
    """
    statements = _Statements(model, sorted(observed, key=canonical))
    every = range(len(statements.observed))
    if statements.agree(every):
        return None
    fewest, is_smallest = _fewest(statements, _irreducible(statements, every))
    chosen = [statements.observed[each] for each in fewest]
    return Conflict(
        observed=tuple(sorted(chosen, key=list(observed).index)),
        widening_ratio=_widening_ratio(model, chosen),
        limits=_limits(model, chosen),
        is_smallest=is_smallest,
    )


class _Statements:
    """Observations with what each says of the parameters."""

    def __init__(self, model: LinearModel, observed: Sequence[Observed]) -> None:
        complete = with_baselines(model, observed)
        self.observed = observed
        self.clauses = [clauses(complete, observation) for observation in observed]
        limits, many = parameter_limits(complete), list(chain(*self.clauses))
        self.start = everything(limits, many, compared_sums(complete, observed))

    def agree(self, chosen: Iterable[int]) -> bool:
        """Whether some parameters make all of the chosen ones true."""
        said = [clause for place in chosen for clause in self.clauses[place]]
        return next(polytopes(self.start, said), None) is not None


def _irreducible(statements: _Statements, chosen: Iterable[int]) -> list[int]:
    """Some of the chosen, of which none can be left out without the others agreeing."""
    kept = list(chosen)
    for place in chosen:
        others = [other for other in kept if other != place]
        if not statements.agree(others):
            kept = others
    return kept


def _fewest(statements: _Statements, found: list[int]) -> tuple[list[int], bool]:
    """A smaller group that does not agree, if there is one, and whether all were tried."""
    every, tried = range(len(statements.observed)), 0
    for size in range(1, len(found)):
        tried += math.comb(len(every), size)
        if tried > _MOST_SUBSETS:
            return found, False
        for chosen in combinations(every, size):
            if not statements.agree(chosen):
                return list(chosen), True
    return found, True


def _widening_ratio(model: LinearModel, observed: Sequence[Observed]) -> float:
    """Least part by which all intervals are to be wider; found by halving, in logarithms."""
    low, high = math.log(_LEAST_WIDENING_RATIO), math.log(_MOST_WIDENING_RATIO)
    if not _agree_wider(model, observed, math.exp(high)):
        return math.inf
    for _ in range(_WIDENING_STEPS):
        middle = (low + high) / 2
        agrees = _agree_wider(model, observed, math.exp(middle))
        low, high = (low, middle) if agrees else (middle, high)
    return math.exp(high)


def _agree_wider(model: LinearModel, observed: Sequence[Observed], ratio: float) -> bool:
    wider = [
        replace(observation, low=observation.low / (1 + ratio), high=observation.high * (1 + ratio))
        for observation in observed
    ]
    return _Statements(model, wider).agree(range(len(wider)))


def _limits(model: LinearModel, observed: Sequence[Observed]) -> tuple[str, ...]:
    """Names of sums that no parameter is in, where the observations agree without them."""
    if not _Statements(_Uncapped(model), observed).agree(range(len(observed))):
        return ()
    many = [
        model.loads(Point(observation.quantity, at))
        for observation in observed
        for at in observation.all_conditions
    ]
    return tuple(dict.fromkeys(name for loads in many for name in _fixed(loads)))


def _fixed(loads: Loads) -> list[str]:
    rows = zip(loads.names, loads.coefficients, strict=True)
    return [name for name, coefficients in rows if not coefficients.any()]


def canonical(observation: Observed) -> tuple[str, ...]:
    """What observations are sorted by, so that the order of a file does not matter."""
    parts = (
        observation.name,
        observation.quantity,
        sorted(observation.at.items()),
        observation.low,
        observation.high,
        observation.baseline,
    )
    return tuple(map(str, parts))


@dataclass(frozen=True, slots=True)
class _Uncapped(LinearModel):
    """A model in which only what is free limits."""

    capped: LinearModel

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return self.capped.parameters

    def loads(self, point: Point) -> Loads:
        return self.capped.loads(point).uncapped
