"""What is calibrated: quantities as functions of free parameters."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from netmodel.calibration.observations import (
    Cap,
    Conditions,
    Observed,
    comparable,
    missing_condition,
    needed,
)
from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, Floats
from netmodel.results import fields_repr
from netmodel.text import few_names, meant_text


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
        What separates it from others, as notes name it after "measure with", where that is not
        obvious: ``"another response size"``.

    Examples
    --------
    >>> FreeParameter("per_frame_s", "s").low
    0.0
    """

    name: str
    unit: str
    low: float = 0.0
    high: float = math.inf
    separated_by: str = ""


def not_estimable(free: Iterable[FreeParameter], observed: Sequence[Observed]) -> Iterator[str]:
    """Notes on parameters that observations do not determine, with what to measure for them."""
    names_by_hint: dict[str, list[str]] = {}
    for each in free:
        hint = each.separated_by or further_conditions(observed)
        names_by_hint.setdefault(hint, []).append(each.name)
    for hint, names in names_by_hint.items():
        yield f"{few_names(names, 'parameters')} cannot be estimated: measure at {hint}"


def varied_numbers(observed: Sequence[Observed]) -> dict[str, set[float]]:
    """Values of conditions that are numbers, given for all, and differ; those of most first."""
    names = dict.fromkeys(name for each in observed for name in each.at)
    values: dict[str, set[Any]] = {name: {each.at.get(name) for each in observed} for name in names}
    varied = {
        name: different
        for name, different in values.items()
        if len(different) > 1 and all(type(each) in (int, float) for each in different)
    }
    return dict(sorted(varied.items(), key=lambda each: -len(each[1])))


def further_conditions(observed: Sequence[Observed]) -> str:
    """Conditions of a measurement that tells most models more."""
    if any("mtu_bytes" in each.at for each in observed):
        return "another MTU or message size"
    ranges = [
        f"{name} outside {min(values):g} to {max(values):g}"
        for name, values in varied_numbers(observed).items()
    ]
    return " or ".join(ranges) or "other conditions"


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
    def uncapped(self) -> "Loads":
        """Only the sums that parameters take part in."""
        return replace(self, rows=self.rows[self.coefficients.any(axis=1)])

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


class LinearModel(ABC):
    """
    A model whose quantities are the largest of linear sums, or one over it.
    """

    if TYPE_CHECKING:

        @property
        def parameters(self) -> tuple[FreeParameter, ...]:
            """The free parameters, in the order of all arrays of their values."""

    @abstractmethod
    def loads(self, point: Point) -> Loads:
        """
        Return the sums of a quantity.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        """Return the function from parameters (parameters, ...) to quantities (points, ...)."""
        every = [self.loads(point) for point in points]
        return lambda parameters: np.array([loads.values(parameters) for loads in every])

    def with_fixed(self, values: Mapping[str, float]) -> "LinearModel":
        """
        Return the model whose parameters of these names have these values, and are not free.

        Raises
        ------
        DomainError
            If there is no such parameter, none would be left, or a value is not within its
            bounds.
        """
        require_free(self.parameters, values)
        free = tuple(each for each in self.parameters if each.name not in values)
        return SumsModel(free, partial(self._loads_with, values))

    def _loads_with(self, values: Mapping[str, float], point: Point) -> Loads:
        whole = self.loads(point)
        is_free = np.array([each.name not in values for each in self.parameters])
        fixed = np.array([values.get(each.name, 0.0) for each in self.parameters])
        constants = whole.rows[:, -1] + whole.coefficients @ fixed
        return replace(whole, rows=np.column_stack([whole.coefficients[:, is_free], constants]))


@dataclass(frozen=True, slots=True)
class SumsModel(LinearModel):
    """A linear model by its parameters and the sums of each quantity."""

    parameters: tuple[FreeParameter, ...]
    sums: Callable[[Point], Loads]

    def loads(self, point: Point) -> Loads:
        return self.sums(point)


@dataclass(frozen=True, slots=True)
class DemandModel(LinearModel):
    """
    One quantity whose inverse, or which itself, is linear in the parameters.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    parameters : tuple of FreeParameter
        To estimate.
    amounts : callable
        From conditions to how much of each parameter goes in.
    is_rate : bool
        Whether the quantity is one over the sum.
    cap : callable, optional
        From conditions to a value that the quantity never exceeds, such as the
        payload ceiling of a line; rates only.

    Examples
    --------
    Frames of an adapter that take a time each, and a time for each byte:

    >>> adapter = DemandModel(
    ...     "frame_rate_fps",
    ...     (FreeParameter("per_frame_s", "s"), FreeParameter("per_byte_s", "s")),
    ...     lambda at: (1, at["payload_bytes"]),
    ... )
    >>> at = adapter.function([Point("frame_rate_fps", {"payload_bytes": 1448})])
    >>> round(float(at(np.array([0.5e-6, 0.25e-9]))[0]))
    1160093
    """

    quantity: str
    parameters: tuple[FreeParameter, ...]
    amounts: Callable[[Conditions], Sequence[float] | Sequence[Sequence[float]]]
    is_rate: bool = True
    cap: Cap | None = None

    __repr__ = fields_repr

    def loads(self, point: Point) -> Loads:
        require_quantity(point, (self.quantity,))
        try:
            amounts = np.atleast_2d(np.array(self.amounts(point.at), float))
            rows = np.pad(amounts, ((0, 0), (0, 1)))
            if self.cap is not None:
                rows = np.vstack([rows, np.eye(1, rows.shape[1], len(self.parameters))])
                rows[-1] /= self.cap(point.at)
        except KeyError as missing:
            raise missing_condition(missing.args[0], point.quantity, point.at) from None
        result = Loads(rows, self.is_rate)
        return result.uncapped if point.is_uncapped else result


@dataclass(frozen=True, slots=True)
class Curve:
    """
    One quantity by a formula of conditions and parameters.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    parameters : tuple of FreeParameter
        To estimate.
    formula : callable
        Takes an array for each of the conditions, then one for each parameter.
    conditions : tuple of str
        Names of the conditions that it takes, in order.
    start : callable or sequence of float
        Parameters to begin a search with, or a function that gives them from arrays of the
        observed conditions and figures.

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
    parameters: tuple[FreeParameter, ...]
    formula: Callable[..., FloatOrArray]
    conditions: tuple[str, ...]
    start: Callable[..., Sequence[float]] | Sequence[float]

    __repr__ = fields_repr

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        """Return the function from parameters (parameters, ...) to quantities (points, ...)."""
        return partial(self._values, self.columns(points))

    def _values(self, columns: Sequence[Floats], parameters: Floats) -> Floats:
        axes = [1] * (parameters.ndim - 1)
        shaped = [column.reshape(-1, *axes) for column in columns]
        return np.asarray(self.formula(*shaped, *parameters[:, np.newaxis]), float)

    def with_fixed(self, values: Mapping[str, float]) -> "Curve":
        """Return the curve whose parameters of these names have these values; see `LinearModel`."""
        require_free(self.parameters, values)
        free = tuple(each for each in self.parameters if each.name not in values)
        formula, start = partial(self._with_values, values), partial(self._start_of, free)
        return replace(self, parameters=free, formula=formula, start=start)

    def _with_values(self, values: Mapping[str, float], *given: FloatOrArray) -> FloatOrArray:
        free, names = iter(given[len(self.conditions) :]), [each.name for each in self.parameters]
        every = (values[name] if name in values else next(free) for name in names)
        return self.formula(*given[: len(self.conditions)], *every)

    def _start_of(self, free: Sequence[FreeParameter], *seen: Floats) -> Sequence[float]:
        start = self.start(*seen) if callable(self.start) else self.start
        return [value for each, value in zip(self.parameters, start, strict=True) if each in free]

    def start_from(self, *seen: Floats) -> Sequence[float]:
        """Return parameters to begin with, from arrays of the observed conditions and figures."""
        return self._start_of(self.parameters, *seen)

    def columns(self, points: Sequence[Point]) -> list[Floats]:
        """Return an array of each condition, one value for each point."""
        for point in points:
            require_quantity(point, (self.quantity,))
        return [
            np.array([float(needed(point.at, name, point.quantity)) for point in points])
            for name in self.conditions
        ]


Model: TypeAlias = LinearModel | Curve
"""Quantities as functions of free parameters."""


@dataclass(frozen=True, slots=True)
class SeveralModels(LinearModel):
    """
    Several things of one kind, named by a condition, with parameters of their own.

    Parameters
    ----------
    by : str
        Name of the condition, such as ``"adapter"``.
    models : mapping of str to LinearModel
        By its value. Parameters get it in front of their names.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> both = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    >>> [parameter.name for parameter in both.parameters]
    ['in.per_frame_s', 'in.per_byte_s', 'out.per_frame_s', 'out.per_byte_s']
    """

    by: str
    models: Mapping[str, LinearModel]

    __repr__ = fields_repr

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return tuple(
            each._replace(name=f"{name}.{each.name}")
            for name, model in self.models.items()
            for each in model.parameters
        )

    def loads(self, point: Point) -> Loads:
        wanted = str(point.at.get(self.by))
        if wanted not in self.models:
            raise DomainError(f"{self.by} must be one of {', '.join(self.models)}; got {wanted}")
        own = self.models[wanted].loads(point)
        parts = [
            own.coefficients if name == wanted else np.zeros((len(own.rows), len(model.parameters)))
            for name, model in self.models.items()
        ]
        return Loads(np.hstack([*parts, own.rows[:, -1:]]), own.is_rate)

    def with_fixed(self, values: Mapping[str, float]) -> "SeveralModels":
        require_free(self.parameters, values)
        own: dict[str, dict[str, float]] = {name: {} for name in self.models}
        for long, value in values.items():
            name, _, short = long.partition(".")
            own[name][short] = value
        models = {name: model.with_fixed(own[name]) for name, model in self.models.items()}
        return replace(self, models=models)


def bounds_of(model: Model) -> tuple[Floats, Floats]:
    """Smallest and largest value of each parameter."""
    low, high = zip(*((each.low, each.high) for each in model.parameters), strict=True)
    return np.array(low, float), np.array(high, float)


def loads_of(model: LinearModel, points: Iterable[Point]) -> Iterator[Loads]:
    """Yield the loads of each point, those of the same conditions once."""
    known: dict[Hashable, Loads] = {}
    for point in points:
        key = (point.quantity, comparable(point.at), point.is_uncapped)
        if key not in known:
            known[key] = model.loads(point)
        yield known[key]


def start_of(model: Model, observed: Sequence[Observed]) -> Floats:
    """Return parameters where a search begins, of a usual size."""
    plain = [each for each in observed if each.baseline is None]
    points = [Point(each.quantity, each.at) for each in plain]
    figures = np.array([each.middle for each in plain])
    if isinstance(model, Curve):
        return np.array(model.start_from(*model.columns(points), figures), float)
    least = np.full(len(model.parameters), math.inf)
    for loads, figure in zip(loads_of(model, points), figures, strict=True):
        coefficients = loads.coefficients.max(axis=0, initial=0.0)
        is_in, load = coefficients > 0, 1 / figure if loads.is_rate else figure
        # alone as large as the figure allows
        least[is_in] = np.minimum(least[is_in], load / coefficients[is_in])
    return np.where(np.isfinite(least) & (least > 0), least, 1.0)


def require_quantity(point: Point, known: Sequence[str]) -> None:
    if point.quantity not in known:
        wanted = f"one of {', '.join(known)}" if len(known) > 1 else known[0]
        raise DomainError(f"quantity must be {wanted}; got {point.quantity}")


def require_free(parameters: Sequence[FreeParameter], values: Mapping[str, float]) -> None:
    known = {each.name: each for each in parameters}
    for name, value in values.items():
        if name not in known:
            raise DomainError(
                f"no parameter {name!r}; there are {', '.join(known)}{meant_text(name, known)}"
            )
        low, high = known[name].low, known[name].high
        if not low <= value <= high:
            raise DomainError(f"{name} must be from {low:g} to {high:g}; got {value:g}")
    if set(values) == set(known):
        raise DomainError("at least one parameter must be free")


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
    >>> from netmodel.calibration import curve_model
    >>> seen = Observed(
    ...     quantity="transaction_rate_tps", at={"connection_count": 8, "layer": 2}, low=1, high=2
    ... )
    >>> sorted(read_conditions(curve_model("scalability"), [seen]))
    ['connection_count']
    """
    read: set[str] = set()
    for each in {(each.quantity, comparable(each.at)): each for each in observed}.values():
        try:
            model.function([Point(each.quantity, _Noted(each.at, read))])
        except DomainError as error:
            raise DomainError(f"{each.name}: {error}") from error
    return frozenset(read)


class _Noted(Mapping[str, float | str | bool]):
    """Conditions that note which of them are looked up."""

    def __init__(self, at: Conditions, read: set[str]) -> None:
        self._at, self._read = at, read

    def __getitem__(self, name: str) -> float | str | bool:
        self._read.add(name)
        return self._at[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)
