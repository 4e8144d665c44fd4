"""What is calibrated: quantities as functions of free parameters."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

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
from netmodel.text import NOTE_CHARACTERS, listed, meant_text

_UNKNOWN = "unknown"


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
        hint = each.separated_by or _further_conditions(observed)
        names_by_hint.setdefault(hint, []).append(each.name)
    for hint, names in names_by_hint.items():
        advice = f"cannot be estimated: measure at {hint}"
        note = f"{listed(names)} {advice}"
        is_long = len(note) > NOTE_CHARACTERS and len(names) > 1
        yield f"{len(names)} parameters {advice}" if is_long else note


def _further_conditions(observed: Sequence[Observed]) -> str:
    """Conditions of a measurement that tells most models more."""
    every = [at for seen in observed for at in seen.cases]
    if any("mtu_bytes" in at for at in every):
        return "another MTU or message size"
    ranges = []
    for name in dict.fromkeys(name for at in every for name in at):
        values = [at.get(name) for at in every]
        numbers = [each for each in values if isinstance(each, int | float)]
        if (
            bool not in map(type, values)
            and len(numbers) == len(values)
            and min(numbers) < max(numbers)
        ):
            ranges.append(f"{name} outside {min(numbers):g} to {max(numbers):g}")
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
    coefficients : numpy.ndarray
        Of each sum and parameter, shape (sums, parameters); never negative.
    constants : numpy.ndarray
        Of each sum; never negative.
    is_rate : bool
        Whether the quantity is one over the largest, as a rate is over times.
    names : tuple of str
        Stage or limit of each sum: the binding limit where it is the largest.
    """

    coefficients: Floats
    constants: Floats
    is_rate: bool
    names: tuple[str, ...]

    @property
    def rows(self) -> Floats:
        """Coefficients and constant of each sum, shape (sums, parameters + 1)."""
        return np.column_stack([self.coefficients, self.constants])

    def of(self, places: Sequence[int]) -> "Loads":
        """Only the sums at these places."""
        chosen = list(places)
        names = tuple(self.names[each] for each in chosen)
        return Loads(self.coefficients[chosen], self.constants[chosen], self.is_rate, names)

    @property
    def uncapped(self) -> "Loads":
        """Only the sums that parameters take part in."""
        return self.of(np.flatnonzero(self.coefficients.any(axis=1)).tolist())

    @property
    def most(self) -> float:
        """The upper bound of a rate, whatever the parameters; infinite for other quantities."""
        fixed = self.constants[~self.coefficients.any(axis=1)].max(initial=0.0)
        return float(1 / fixed) if self.is_rate and fixed > 0 else math.inf

    def capped(self, most: float) -> "Loads":
        """The same of a rate with this upper bound: one more sum, named cap."""
        return Loads(
            np.vstack([self.coefficients, np.zeros_like(self.coefficients[:1])]),
            np.append(self.constants, 1 / most),
            self.is_rate,
            (*self.names, "cap"),
        )

    def values(self, parameters: Floats) -> Floats:
        """
        The quantity for parameters of shape (parameters, ...); of shape (...).
        """
        largest: Floats = self.sums(parameters).max(axis=0)
        if not self.is_rate:
            return largest
        with np.errstate(divide="ignore"):
            return np.reciprocal(largest)

    def sums(self, parameters: Floats) -> Floats:
        """Each sum, for parameters of shape (parameters, ...); of shape (sums, ...)."""
        constants = self.constants.reshape(-1, *[1] * (parameters.ndim - 1))
        sums: Floats = np.tensordot(self.coefficients, parameters, axes=1) + constants
        return sums


class Model(ABC):
    """
    Quantities as functions of free parameters.
    """

    @property
    @abstractmethod
    def parameters(self) -> tuple[FreeParameter, ...]:
        """The free parameters, in the order of all arrays of their values."""

    @abstractmethod
    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        """
        From parameters of shape (parameters, ...) to the quantities, of shape (points, ...).

        Raises
        ------
        DomainError
            If the model does not know a quantity, or a condition that it needs is missing.
        """

    def with_fixed(self, values: Mapping[str, float]) -> "Model":
        """
        The model whose parameters of these names have these values, and are no longer free.

        Raises
        ------
        DomainError
            If there is no such parameter, none would be left, or a value is not within its
            bounds.
        """
        require_free(self, values)
        return _WithFixed(self, values) if values else self


class LinearModel(Model):
    """
    A model whose quantities are the largest of linear sums, or one over it.
    """

    @abstractmethod
    def loads(self, point: Point) -> Loads:
        """
        The sums of a quantity.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        """

    def with_fixed(self, values: Mapping[str, float]) -> "LinearModel":
        require_free(self, values)
        return _LinearWithFixed(self, values) if values else self

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        all_loads = [self.loads(point) for point in points]

        def values(parameters: Floats) -> Floats:
            return np.array([loads.values(parameters) for loads in all_loads])

        return values


@dataclass(frozen=True, slots=True)
class DemandModel(LinearModel):
    """
    One quantity whose inverse, or which itself, is linear in the parameters.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    free : tuple of FreeParameter
        Its parameters.
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
    free: tuple[FreeParameter, ...]
    amounts: Callable[[Conditions], Sequence[float] | Sequence[Sequence[float]]]
    is_rate: bool = True
    cap: Cap | None = None

    __repr__ = fields_repr

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return self.free

    def loads(self, point: Point) -> Loads:
        require_quantity(point, (self.quantity,))
        try:
            rows = np.atleast_2d(np.array(self.amounts(point.at), float))
            names = (self.quantity,) * len(rows)
            result = Loads(rows, np.zeros(len(rows)), self.is_rate, names)
            if self.cap is not None:
                result = result.capped(self.cap(point.at))
        except KeyError as missing:
            raise missing_condition(missing.args[0], point.quantity, point.at) from None
        return result.uncapped if point.is_uncapped else result


@dataclass(frozen=True, slots=True)
class Curve(Model):
    """
    One quantity by a formula of conditions and parameters.

    Parameters
    ----------
    quantity : str
        What it is, with its unit.
    free : tuple of FreeParameter
        Its parameters.
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
    free: tuple[FreeParameter, ...]
    formula: Callable[..., FloatOrArray]
    conditions: tuple[str, ...]
    start: Callable[..., Sequence[float]] | Sequence[float]

    __repr__ = fields_repr

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return self.free

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        return partial(self._values, self.columns(points))

    def _values(self, columns: Sequence[Floats], parameters: Floats) -> Floats:
        axes = [1] * (parameters.ndim - 1)
        shaped = [column.reshape(-1, *axes) for column in columns]
        return np.asarray(self.formula(*shaped, *parameters[:, np.newaxis]), float)

    def columns(self, points: Sequence[Point]) -> list[Floats]:
        """An array of each condition, one value for each point."""
        for point in points:
            require_quantity(point, (self.quantity,))
        return [
            np.array([float(needed(point.at, name, point.quantity)) for point in points])
            for name in self.conditions
        ]


@dataclass(frozen=True, slots=True)
class SeveralModels(LinearModel):
    """
    Several things of one kind, named by a condition, with parameters of their own or in common.

    Parameters
    ----------
    by : str
        Name of the condition, such as ``"adapter"``.
    models : mapping of str to LinearModel
        By its value. Parameters get it in front of their names.
    common : tuple of str
        Names of parameters that all share, under their own name.

    Raises
    ------
    DomainError
        If a common parameter is not one of every model.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> both = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    >>> [parameter.name for parameter in both.parameters]
    ['in.per_frame_s', 'in.per_byte_s', 'out.per_frame_s', 'out.per_byte_s']
    """

    by: str
    models: Mapping[str, LinearModel]
    common: tuple[str, ...] = ()

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for model in self.models.values():
            known = [parameter.name for parameter in model.parameters]
            for name in self.common:
                if name not in known:
                    raise DomainError(
                        f"no parameter {name!r} to share; there are {', '.join(known)}"
                    )

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        named = {
            (full := self.full_name(name, parameter.name)): parameter._replace(name=full)
            for name, model in self.models.items()
            for parameter in model.parameters
        }
        return tuple(named.values())

    def full_name(self, model_name: str, name: str) -> str:
        """Name of a parameter of one model among those of all."""
        return name if name in self.common else f"{model_name}.{name}"

    def places_of(self, model_name: str) -> list[int]:
        """Where the parameters of one model are among those of all."""
        names = [parameter.name for parameter in self.parameters]
        return [
            names.index(self.full_name(model_name, parameter.name))
            for parameter in self.models[model_name].parameters
        ]

    def model_name(self, point: Point) -> str:
        """
        Name of the model of a point.

        Raises
        ------
        DomainError
            If there is no model of this name.
        """
        name = str(point.at.get(self.by))
        if name not in self.models:
            raise DomainError(f"{self.by} must be one of {', '.join(self.models)}; got {name}")
        return name

    def loads(self, point: Point) -> Loads:
        name = self.model_name(point)
        result = self.models[name].loads(point)
        places = self.places_of(name)
        coefficients = np.zeros((len(result.coefficients), len(self.parameters)))
        coefficients[:, places] = result.coefficients
        return replace(result, coefficients=coefficients)

    def with_fixed(self, values: Mapping[str, float]) -> "SeveralModels":
        require_free(self, values)
        if not values:
            return self
        models = {}
        for name, model in self.models.items():
            own = {each.name: self.full_name(name, each.name) for each in model.parameters}
            fixed = {short: values[full] for short, full in own.items() if full in values}
            models[name] = model.with_fixed(fixed)
        return SeveralModels(
            self.by, models, tuple(name for name in self.common if name not in values)
        )


def bounds_of(model: Model) -> tuple[Floats, Floats]:
    """Smallest and largest value of each parameter."""
    low, high = zip(*((each.low, each.high) for each in model.parameters), strict=True)
    return np.array(low, float), np.array(high, float)


def loads_of(model: LinearModel, points: Iterable[Point]) -> Iterator[Loads]:
    """Loads of each point, those of the same conditions once."""
    known: dict[Hashable, Loads] = {}
    for point in points:
        key = (point.quantity, comparable(point.at), point.is_uncapped)
        if key not in known:
            known[key] = model.loads(point)
        yield known[key]


def start_of(model: Model, observed: Sequence[Observed]) -> Floats:
    """Parameters where a search begins, of a usual size."""
    plain = [each for each in observed if each.baseline is None]
    points = [Point(each.quantity, each.at) for each in plain]
    figures = np.array([each.middle for each in plain])
    if isinstance(model, Curve):
        start = model.start
        own = start(*model.columns(points), figures) if callable(start) else start
        return np.array(own, float)
    typical = np.ones(len(model.parameters))
    if not isinstance(model, LinearModel):
        return typical
    most = np.full((len(plain) + 1, len(typical)), math.inf)
    for row, loads, figure in zip(most, loads_of(model, points), figures, strict=False):
        coefficients = loads.coefficients.max(axis=0, initial=0.0)
        load = 1 / figure if loads.is_rate else figure
        # alone as large as the figure allows
        np.divide(load, coefficients, out=row, where=coefficients > 0)
    least = most.min(axis=0)
    is_known = np.isfinite(least) & (least > 0)
    typical[is_known] = least[is_known]
    if isinstance(model, _WithUnknowns):
        model.scale_unknowns(typical, observed)
    return typical


@dataclass(frozen=True, slots=True)
class _WithUnknowns(LinearModel):
    """A linear model, and quantities that only comparisons have, by name; True for a rate."""

    known: LinearModel
    unknown: Mapping[str, bool]

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return (*self.known.parameters, *(FreeParameter(name, "") for name in self.unknown))

    def loads(self, point: Point) -> Loads:
        width, others = len(self.known.parameters), len(self.unknown)
        if _UNKNOWN not in point.at:
            loads = self.known.loads(point)
            coefficients = np.pad(loads.coefficients, ((0, 0), (0, others)))
            return Loads(coefficients, loads.constants, loads.is_rate, loads.names)
        coefficients = np.zeros((1, width + others))
        name = str(point.at[_UNKNOWN])
        coefficients[0, width + [*self.unknown].index(name)] = 1
        return Loads(coefficients, np.zeros(1), self.unknown[name], (name,))

    def scale_unknowns(self, typical: Floats, observed: Iterable[Observed]) -> None:
        """Give each unknown the size by which the others agree with a comparison with it."""
        for each in observed:
            if isinstance(each.baseline, str):
                loads = self.known.loads(Point(each.quantity, each.at))
                load = float(loads.sums(typical[: len(self.known.parameters)]).max())
                place = [*self.unknown].index(unknown_name(each))
                ratio = each.middle if loads.is_rate else 1 / each.middle
                typical[len(self.known.parameters) + place] = load * ratio or 1.0


def unknown_name(observed: Observed) -> str:
    """Name of the quantity that an observation is compared with, and no more is known of."""
    return f"{observed.quantity} of {observed.baseline}"


def baseline_point(observed: Observed) -> Point:
    """The point of what an observation is compared with."""
    if isinstance(observed.baseline, Mapping):
        return Point(observed.quantity, observed.baseline)
    return Point(observed.quantity, {_UNKNOWN: unknown_name(observed)})


def with_unknowns(model: LinearModel, observed: Iterable[Observed]) -> LinearModel:
    """The model with one more parameter for each quantity that only comparisons have."""
    unknown = {
        unknown_name(each): model.loads(Point(each.quantity, each.at)).is_rate
        for each in observed
        if isinstance(each.baseline, str)
    }
    return _WithUnknowns(model, dict(sorted(unknown.items()))) if unknown else model


def require_quantity(point: Point, known: Sequence[str]) -> None:
    if point.quantity not in known:
        wanted = f"one of {', '.join(known)}" if len(known) > 1 else known[0]
        raise DomainError(f"quantity must be {wanted}; got {point.quantity}")


def require_free(model: Model, values: Mapping[str, float]) -> None:
    known = {parameter.name: parameter for parameter in model.parameters}
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


@dataclass(frozen=True)
class _WithFixed(Model):
    """A model of which some parameters have a value that is given."""

    whole: Model
    values: Mapping[str, float]

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        return tuple(each for each in self.whole.parameters if each.name not in self.values)

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        return partial(self._of_free, self.whole.function(points))

    def _of_free(self, values: Callable[[Floats], Floats], parameters: Floats) -> Floats:
        free, shape = iter(parameters), parameters.shape[1:]
        rows = [
            np.full(shape, self.values[each.name]) if each.name in self.values else next(free)
            for each in self.whole.parameters
        ]
        return values(np.array(rows))


@dataclass(frozen=True)
class _LinearWithFixed(_WithFixed, LinearModel):
    """The same of a linear model."""

    whole: LinearModel

    def loads(self, point: Point) -> Loads:
        result = self.whole.loads(point)
        fixed = np.array([self.values.get(each.name, np.nan) for each in self.whole.parameters])
        is_free = np.isnan(fixed)
        constants = result.constants + result.coefficients[:, ~is_free] @ fixed[~is_free]
        return Loads(result.coefficients[:, is_free], constants, result.is_rate, result.names)
