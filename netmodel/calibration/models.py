"""Models to calibrate: quantities as functions of free parameters; and the base of results."""

import math
from collections import UserDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from netmodel.calibration import observations
from netmodel.calibration.observations import Cap, Conditions, Observed
from netmodel.errors import DomainError, NetmodelError
from netmodel.kept import ReadOnly
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, Floats, require_member
from netmodel.results import Result, fields_repr, plain, short_repr
from netmodel.terminal import fitted
from netmodel.text import argument, few_names, meant_text


class FreeParameter(NamedTuple):
    """
    A parameter to estimate from observations.

    Parameters
    ----------
    name : str
        Of it, unique in its model.
    unit : str
        Of its values.
    low, high : float
        Smallest and largest value that is possible, both included.
    separated_by : str
        What separates it from others, as notes name it after "measure at", such as
        ``"another response size"``.

    Examples
    --------
    >>> FreeParameter("per_frame_s", "s").low
    0.0
    """

    name: str
    unit: str
    low: float = 0.0
    high: float = math.inf
    separated_by: str = "other conditions"


def noise_argument() -> str:
    """Return the argument for the noise of a run, as its reader writes it."""
    return argument("noise_ratio", "--noise")


def noise_unknown() -> str:
    """Return why an interval is open, and the remedy."""
    unknown = "the run-to-run noise is not known (open interval)"
    return f"{unknown}: repeat a run, or give {noise_argument()}"


def require_noise(noise_ratio: float | None) -> None:
    """Refuse noise that is not above zero."""
    if noise_ratio is not None and not 0 < noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be above 0; got {noise_ratio!r}")


def not_estimable(free: Iterable[FreeParameter]) -> Iterator[str]:
    """Notes on parameters that observations do not determine, with what to measure for them."""
    names_by_hint: dict[str, list[str]] = {}
    for each in free:
        names_by_hint.setdefault(each.separated_by, []).append(each.name)
    for hint, names in names_by_hint.items():
        yield f"{few_names(names, 'parameters')} cannot be estimated: measure at {hint}"


class Point(NamedTuple):
    """
    A quantity under conditions.

    Parameters
    ----------
    quantity : str
        With its unit, such as ``"throughput_bps"``.
    at : mapping of str to float, str or bool
        Conditions.
    is_uncapped : bool
        Whether it is the value without any limit but those that are calibrated.

    Examples
    --------
    >>> Point("throughput_bps", {"mtu_bytes": 1500}).is_uncapped
    False
    """

    quantity: str
    at: Conditions
    is_uncapped: bool = False


@dataclass(frozen=True, slots=True)
class Loads:
    r"""
    A quantity as the largest of sums that are linear in the parameters, or one over it.

    .. math:: q = \max_k (a_k \cdot \theta + c_k) \quad\text{or}\quad q = 1 / \max_k (\ldots)

    Parameters
    ----------
    rows : numpy.ndarray
        Coefficient of each parameter and then the constant of each sum, shape
        (sums, parameters + 1); never negative.
    is_rate : bool
        Whether the quantity is one over the largest, as a rate is over times.
    """

    rows: Floats
    is_rate: bool

    @property
    def coefficients(self) -> Floats:
        """Load of each parameter in each sum."""
        return self.rows[:, :-1]

    @property
    def most(self) -> float:
        """The upper bound of a rate by sums without parameters, such as the time on a line."""
        fixed = float(self.rows[~self.coefficients.any(axis=1), -1].max(initial=0.0))
        return 1 / fixed if self.is_rate and fixed > 0 else math.inf

    def values(self, parameters: Floats) -> Floats:
        """Return the quantity for parameters of shape (parameters, ...); of shape (...)."""
        sums = np.tensordot(parameters, self.coefficients, (0, 1)) + self.rows[:, -1]
        with np.errstate(divide="ignore"):
            return np.asarray(1 / sums.max(axis=-1) if self.is_rate else sums.max(axis=-1))


def _free(model: Any) -> tuple[FreeParameter, ...]:
    """Return the free parameters of a model, in the order of all arrays of their values."""
    return tuple(each for each in model.every if each.name not in model.fixed)


@dataclass(frozen=True, slots=True)
class LinearModel:
    """
    A model whose quantities are the largest of linear sums, or one over it.

    `adapter_model`, `host_cost_model`, `curve_model` and `demand_model` make it.

    Parameters
    ----------
    every : tuple of FreeParameter
        Parameters, in the order of the coefficients.
    sums : callable
        From a point to its `Loads`; a DomainError if the model does not know the quantity, or a
        condition that it needs is missing.
    fixed : mapping of str to float
        Parameters that are known, by name.
    """

    every: tuple[FreeParameter, ...]
    sums: Callable[[Point], Loads]
    fixed: Mapping[str, float] = field(default_factory=ReadOnly)

    __repr__ = fields_repr
    parameters = property(_free)

    def loads(self, point: Point) -> Loads:
        """
        Return the sums of a quantity.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """
        loads = self.sums(point)
        if self.fixed:
            is_free = np.array([each.name not in self.fixed for each in self.every])
            known = np.array([self.fixed.get(each.name, 0.0) for each in self.every])
            constants = loads.rows[:, -1] + loads.coefficients @ known
            rows = np.column_stack([loads.coefficients[:, is_free], constants])
            loads = replace(loads, rows=rows)
        if point.is_uncapped:  # only the sums that parameters take part in
            loads = replace(loads, rows=loads.rows[loads.coefficients.any(axis=1)])
        return loads

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        """Return the function from parameters (parameters, ...) to quantities (points, ...)."""
        every = [self.loads(point) for point in points]
        return lambda parameters: np.array([loads.values(parameters) for loads in every])


def demand_model(
    quantity: str,
    parameters: tuple[FreeParameter, ...],
    amounts: "Amounts",
    is_rate: bool = True,
    cap: Cap | None = None,
) -> LinearModel:
    """
    Return a model of a quantity that is linear in the parameters, itself or its inverse.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    parameters : tuple of FreeParameter
        To estimate.
    amounts : callable
        From conditions to how much of each parameter goes in; several rows for the largest of
        several sums.
    is_rate : bool
        Whether the quantity is one over the sum.
    cap : callable, optional
        From conditions to a value that the quantity never exceeds, such as the
        payload ceiling of a line; rates only.

    Returns
    -------
    model : LinearModel
        Of the parameters.

    Examples
    --------
    Frames of an adapter that take a time each, and a time for each byte:

    >>> adapter = demand_model(
    ...     "frame_rate_fps",
    ...     (FreeParameter("per_frame_s", "s"), FreeParameter("per_byte_s", "s")),
    ...     lambda at: (1, at["payload_bytes"]),
    ... )
    >>> at = adapter.function([Point("frame_rate_fps", {"payload_bytes": 1448})])
    >>> round(float(at(np.array([0.5e-6, 0.25e-9]))[0]))
    1160093
    """
    return LinearModel(parameters, partial(_demand, quantity, amounts, is_rate, cap))


Amounts: TypeAlias = Callable[[Conditions], Sequence[float] | Sequence[Sequence[float]]]
"""From conditions to how much of each parameter goes in; rows for the largest of several sums."""


def _demand(quantity: str, amounts: Amounts, is_rate: bool, cap: Cap | None, point: Point) -> Loads:
    require_member("quantity", point.quantity, (quantity,))
    try:
        given = np.array(amounts(point.at), float, ndmin=2)
        rows = np.zeros((len(given) + (cap is not None), given.shape[1] + 1))
        rows[: len(given), :-1] = given
        if cap is not None:
            rows[-1, -1] = 1 / cap(point.at)
    except KeyError as missing:
        raise observations.missing_condition(missing.args[0], point.quantity, point.at) from None
    return Loads(rows, is_rate)


@dataclass(frozen=True, slots=True)
class Curve:
    """
    One quantity by a formula of conditions and parameters.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    every : tuple of FreeParameter
        Parameters, in the order in which the formula takes them.
    formula : callable
        Takes an array for each of the conditions, then one for each parameter.
    conditions : tuple of str
        Names of the conditions that it takes, in order.
    start : callable or sequence of float
        Parameters to begin a search with, or a function that gives them from arrays of the
        observed conditions and figures.
    fixed : mapping of str to float
        Parameters that are known, by name.

    Examples
    --------
    CPU time of a transaction that falls where several share an interrupt:

    >>> curve = Curve(
    ...     "cpu_s_per_transaction",
    ...     (FreeParameter("least_s", "s"), FreeParameter("wake_up_s", "s")),
    ...     lambda rate_tps, least_s, wake_up_s: least_s + wake_up_s / (1 + 82e-6 * rate_tps),
    ...     ("transaction_rate_tps",),
    ...     (1e-5, 1e-5),
    ... )
    >>> at = curve.function([Point("cpu_s_per_transaction", {"transaction_rate_tps": 1e4})])
    >>> round(float(at(np.array([9e-6, 57e-6]))[0]) * 1e6, 3)
    40.319
    """

    quantity: str
    every: tuple[FreeParameter, ...]
    formula: Callable[..., FloatOrArray]
    conditions: tuple[str, ...]
    start: Callable[..., Sequence[float]] | Sequence[float]
    fixed: Mapping[str, float] = field(default_factory=ReadOnly)

    __repr__ = fields_repr
    parameters = property(_free)

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        """Return the function from parameters (parameters, ...) to quantities (points, ...)."""
        return partial(self._values, self.columns(points))

    def _values(self, columns: Sequence[Floats], parameters: Floats) -> Floats:
        axes, free = [1] * (parameters.ndim - 1), iter(parameters[:, np.newaxis])
        shaped = (column.reshape(-1, *axes) for column in columns)
        given = (self.fixed[x.name] if x.name in self.fixed else next(free) for x in self.every)
        return np.asarray(self.formula(*shaped, *given), float)

    def columns(self, points: Sequence[Point]) -> list[Floats]:
        """Return an array of each condition, one value for each point."""
        for point in points:
            require_member("quantity", point.quantity, (self.quantity,))
        return [
            np.array([float(observations.needed(x.at, name, x.quantity)) for x in points])
            for name in self.conditions
        ]


Model: TypeAlias = LinearModel | Curve
"""Quantities as functions of free parameters."""
AnyModel = TypeVar("AnyModel", bound=Model)


def bounds_of(model: Model) -> tuple[Floats, Floats]:
    """Smallest and largest value of each parameter."""
    low, high = zip(*((each.low, each.high) for each in model.parameters), strict=True)
    return np.array(low, float), np.array(high, float)


def key_of(point: Point) -> Hashable:
    """Return a key that is equal where points are."""
    return point.quantity, observations.comparable(point.at), point.is_uncapped


def with_fixed(model: AnyModel, values: Mapping[str, float]) -> AnyModel:
    """
    Return the model whose parameters of these names have these values, and are not free.

    Raises
    ------
    DomainError
        If there is no such parameter, none would be left, or a value is not within its bounds.
    """
    known = {each.name: each for each in model.parameters}
    for name, value in values.items():
        if name not in known:
            hint = meant_text(name, known)
            raise DomainError(f"no parameter {name!r}; there are {', '.join(known)}{hint}")
        low, high = known[name].low, known[name].high
        if not low <= value <= high:
            raise DomainError(f"{name} must be from {low:g} to {high:g}; got {value:g}")
    if set(values) == set(known):
        raise DomainError("at least one parameter must be free")
    return replace(model, fixed=ReadOnly({**model.fixed, **values}))


def read_conditions(model: Model, observed: Iterable[Observed]) -> frozenset[str]:
    """
    Conditions that a model looks up, given or not, for any of several observations.

    Parameters
    ----------
    model : Model
        It decides which conditions it reads.
    observed : iterable of Observed
        Observations, or possible ones.

    Returns
    -------
    names : frozenset of str
        Optional conditions included.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing; names
        the observation.

    Examples
    --------
    >>> from netmodel.calibration.named_models import curve_model
    >>> seen = Observed(
    ...     quantity="transaction_rate_tps", at={"connection_count": 8, "layer": 2}, low=1, high=2
    ... )
    >>> sorted(read_conditions(curve_model("scalability"), [seen]))
    ['connection_count']
    """
    read: set[str] = set()
    for each in {(x.quantity, observations.comparable(x.at)): x for x in observed}.values():
        noted = _Noted(each.at)
        noted.read = read
        try:
            model.function([Point(each.quantity, noted)])
        except DomainError as error:
            raise DomainError(f"{each.name}: {error}") from error
    return frozenset(read)


class _Noted(UserDict[str, Any]):
    """Conditions that note which of them are looked up."""

    read: set[str]

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return name in self.data


_DIGITS = 6
"""Significant digits of values and ends in text: more than any figure has."""


class Shown(Result):
    """A calibration: has ``parameters`` with intervals, ``estimable``, ``observed``, ``notes``."""

    __slots__ = ()

    @property
    def known(self: Any) -> Any:
        """Calibration with the parameters: the one that it holds, or this one."""
        return getattr(self, "calibration", self)

    @property
    def free(self: Any) -> Any:
        """Names and units of the parameters."""
        return self.known.model.parameters

    @property
    def noise_kind(self: Any) -> str:
        """Name of what `scatter_ratio` is the standard deviation of."""
        is_of_runs = getattr(self, "is_noise_known", True) and not getattr(self, "answer", "")
        return "run-to-run noise" if is_of_runs else "scatter about the model"

    @property
    def predictions(self: Any) -> list[dict[str, Any]]:
        """Rates by a law: at both ends of the measured range, and at two places between."""
        known, rows = self.known, list[dict[str, Any]]()
        if not known.over:
            return rows
        first, places = known.observed[0], [each.at[known.over] for each in known.observed]
        low, high = min(places), max(places)
        between = (float(f"{low * (high / low) ** share:.2g}") for share in (1 / 3, 2 / 3))
        for place in sorted({low, *between, high}):
            with suppress(NetmodelError):
                rate = known.predict(Point(first.quantity, {**first.at, known.over: place}))
                rows.append({known.over: place, first.quantity: plain(rate)})
        return rows

    def to_dict(self: Any) -> dict[str, Any]:
        """Method, parameters and units, intervals, predictions, notes, and what the method adds."""
        known, predictions = self.known, self.predictions
        units = {each.name: each.unit for each in known.free}
        return {
            "method": known.method,
            "parameters": {
                name: {**plain(each), "unit": units[name], "estimable": known.estimable[name]}
                for name, each in known.parameters.items()
            },
            **({"predictions": predictions} if predictions else {}),
            "observation_count": len(known.observed),
            "notes": list(self.notes),
            **super().to_dict(),
        }

    @property
    def rows(self: Any) -> list[tuple[str, str]]:
        """Name of each parameter, and its value and range as text."""
        units = {each.name: each.unit for each in self.known.free}
        rows = []
        for name, (value, low, high) in self.known.parameters.items():
            unit, span = f" {units[name]}".rstrip(), f"{low:.{_DIGITS}g} to {high:.{_DIGITS}g}"
            text = span + unit if value is None else f"{value:.{_DIGITS}g}{unit}, {span}"
            rows.append((name, text))
        return rows

    def __str__(self: Any) -> str:
        return fitted("\n".join((*(f"{name}: {text}" for name, text in self.rows), *self.notes)))

    def __repr__(self: Any) -> str:
        rows = ", ".join(f"{name} {text}" for name, text in self.rows)
        return short_repr(self, f"{len(self.known.observed)} observations: {rows}")
