"""Formulas and predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

import inspect
import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._estimates import Bound, Predicted
from netmodel._numeric import FloatOrArray
from netmodel._numpy import np
from netmodel._text import near_name
from netmodel._writing import draft_of
from netmodel.api._arguments import ArgumentsError, WrongValueError, number
from netmodel.api._questions import PredictQuestion, predict
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.planning._grid import Arrays, Grid
from netmodel.records._load import unchanged_files
from netmodel.report._frames import extra

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray

    from netmodel.path import Prediction, RatioPrediction

BOTTLENECK = "bottleneck"
"""Variable of the binding limit: a code, of which `flag_meanings` are the names."""
UNITS = {
    "us_per_gbit": "µs/Gbit",
    "bps": "bit/s",
    "fps": "1/s",
    "tps": "1/s",
    "hz": "Hz",
    "bytes": "byte",
    "bits": "bit",
    "ratio": "1",
    "count": "1",
    "connections": "1",
    "km": "km",
    "m": "m",
    "s": "s",
}
"""Unit of a number, by the last words of its name."""
_PREDICTION_ELEMENT_COUNT = 2**15
"""Elements of a block of predictions: more than of formulas, as a block has a cost of its own."""
_MIXED_ELEMENT_COUNT = 2**20
"""Elements that are sorted by path before each path is computed: enough for dozens of paths."""
_NO_LIMIT = -1
"""Code of the bottleneck where there is none to name, such as that of a ratio."""
_AT_BOTH_ENDS = "adapters"
"""Argument that stands for the same `sender` and `receiver`."""
_IN_ARRAYS = ("mtu_bytes", "connections")
"""Arguments of a prediction that take arrays; of each value of the others there is one path."""


class Quantity(NamedTuple):
    """
    A quantity of a prediction.

    Parameters
    ----------
    name : str
        Of its variable, ends in the unit.
    title : str
        What it is.
    of : callable
        From a prediction to it; None where it is not known.
    """

    name: str
    title: str
    of: "Callable[[Prediction], Predicted | None]"


def _expected(name: str) -> "Callable[[Prediction], Predicted | None]":
    return lambda each: None if each.expected is None else getattr(each.expected, name)


def _cpu_cost(side: Side, prediction: "Prediction") -> Predicted | None:
    return prediction.cpu_us_per_gbit[side]


QUANTITIES = {
    "throughput": Quantity(
        "throughput_bps", "payload rate of the side that sends more", lambda p: p.throughput_bps
    ),
    "transaction_rate": Quantity(
        "transaction_rate_tps", "transactions per second", lambda p: p.transaction_rate_tps
    ),
    "transaction_time": Quantity(
        "transaction_time_s", "time of a transaction", lambda p: p.transaction_time_s
    ),
    "zero_load_time": Quantity(
        "zero_load_time_s", "zero-load response time", lambda p: p.zero_load_time_s
    ),
    "expected_throughput": Quantity(
        "expected_throughput_bps", "expected payload rate", _expected("throughput_bps")
    ),
    "expected_transaction_rate": Quantity(
        "expected_transaction_rate_tps",
        "expected transactions per second",
        _expected("transaction_rate_tps"),
    ),
    "expected_transaction_time": Quantity(
        "expected_transaction_time_s",
        "expected time of a transaction",
        _expected("transaction_time_s"),
    ),
    **{
        f"{side.value}_cpu": Quantity(
            f"{side.value}_cpu_us_per_gbit",
            f"CPU time of the {side.value} for payload of both directions",
            partial(_cpu_cost, side),
        )
        for side in Side
    },
}
"""Quantities that a sweep of predictions may have."""
_OF_THE_RATE = frozenset({"throughput", "transaction_rate", "transaction_time"})
"""Quantities that are a mean where loss limits the rate, and bounds elsewhere."""
DEFAULT_QUANTITIES = ("throughput",)
"""What a sweep has beside the bottleneck where nothing else is asked for: the question of most."""
_ENDS = ("", "_low", "_high")
"""What the names of the variables of a quantity end in, as in CSV files."""


def sweep(
    function: Callable[..., Any],
    /,
    *,
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    executor: Executor | None = None,
    on_done: Callable[[int, int], object] | None = None,
    **arguments: Any,
) -> "xarray.Dataset":
    """
    A formula, or predictions, over a labelled grid.

    Parameters
    ----------
    function : callable
        A formula, such as `netmodel.ceilings.payload_rate_bps`, or `netmodel.predict`.
    quantities : sequence of str
        Of predictions: ``throughput``, ``transaction_rate``, ``transaction_time``,
        ``zero_load_time``, ``expected_throughput``, ``expected_transaction_rate``,
        ``expected_transaction_time``, ``client_cpu``, ``server_cpu``.
    executor : concurrent.futures.Executor, optional
        Computes chunks of the grid, such as a ``ProcessPoolExecutor`` or the
        ``get_executor()`` of a client of dask.distributed.
    on_done : callable, optional
        Called with the number of points of each chunk that is done, and of all: for a progress
        bar.
    **arguments
        Those of the function. A list or array of one dimension is a coordinate of that name.
        A ``DataArray`` has dimensions and coordinates of its own, so that several arguments
        can vary together. Predictions take ``adapters`` too, for `sender` and `receiver` alike.

    Returns
    -------
    dataset : xarray.Dataset
        A variable for each result with its ``units``. Of a quantity of predictions three: the
        value, ``_low`` and ``_high``; the attribute ``bound`` says on which side of the true value
        it lies. ``bottleneck`` holds codes, with ``flag_values`` and ``flag_meanings``.
        Where arguments are arrays of dask, variables are too, and nothing is computed yet.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, or the function has none of that name.
    DomainError
        If an argument is empty, NaN or cannot be, or the grid does not fit into memory.
    MissingExtraError
        If xarray is not installed.
    SweepError
        If the executor fails.
    UnitError
        If the text or the ``units`` of an argument are of another quantity.

    Notes
    -----
    Each point is that of a single call: a grid changes no result. It is computed in blocks that
    fit into the cache of a CPU. Memory holds the result and one block for each worker.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.ceilings import payload_rate_bps
    >>> rates = netmodel.sweep(
    ...     payload_rate_bps, line_rate_bps=["10 Gbit/s", "25 Gbit/s"], mtu_bytes=[1500, 9000]
    ... )
    >>> (rates.payload_rate_bps / 1e9).values.round(3).tolist()
    [[9.415, 9.9], [23.537, 24.751]]
    >>> rates.payload_rate_bps.attrs["units"]
    'bit/s'
    """
    if not callable(function):
        raise DomainError(f"sweep needs a formula or netmodel.predict; got {function!r}")
    if function is predict:
        return _sweep_predictions(arguments, tuple(quantities), executor, on_done)
    return _sweep_formula(function, arguments, executor, on_done)


# Arguments


class Argument(NamedTuple):
    """
    An argument that varies over the grid.

    Parameters
    ----------
    name : str
        Of the function.
    array : xarray.DataArray
        Numbers, or places among the labels.
    labels : tuple, optional
        What is not a number, such as ids of adapters.
    """

    name: str
    array: "xarray.DataArray"
    labels: tuple[object, ...] | None = None


def _varied(name: str, given: object, as_labels: bool) -> Argument | None:
    """An argument as it varies over the grid; None where it is one value."""
    import xarray

    if isinstance(given, xarray.DataArray):
        if "units" in given.attrs and not as_labels:
            _require_units(name, str(given.attrs["units"]))
        if not given.size:
            raise DomainError(f"{name} is empty: a grid needs at least one value of each")
        return _labelled(name, given) if as_labels else Argument(name, given)
    if type(given).__module__.partition(".")[0] == "dask":
        if getattr(given, "ndim", 0) != 1:
            raise DomainError(
                f"{name} has {getattr(given, 'ndim', 0)} dimensions: name them with a DataArray"
            )
        return Argument(name, xarray.DataArray(given, dims=name))
    if isinstance(given, str | bytes | Mapping) or not isinstance(
        given, Sequence | np.ndarray | range
    ):
        return None
    values: Any = list(given) if as_labels else given
    if not len(values):
        raise DomainError(f"{name} is empty: a grid needs at least one value of each")
    if as_labels:
        objects = _objects(values)
        return _labelled(name, xarray.DataArray(np.arange(len(objects)), dims=name), objects)
    if any(isinstance(each, str) for each in values):
        values = [number(name, each) for each in values]
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be numbers or text with a unit; got {given!r}")
    if numbers.ndim != 1:
        raise DomainError(f"{name} has {numbers.ndim} dimensions: name them with a DataArray")
    bad = np.flatnonzero(np.isnan(numbers))
    if bad.size:
        raise DomainError(f"{name} must be numbers; got NaN at index {bad[0]}")
    array = xarray.DataArray(numbers, dims=name, coords={name: numbers})
    array[name].attrs.update(_attributes(name))
    return Argument(name, array)


def _labelled(
    name: str, given: "xarray.DataArray", objects: "npt.NDArray[np.object_] | None" = None
) -> Argument:
    """Places among the different objects of an argument, such as ids of adapters."""
    import pandas as pd

    values = given.values if objects is None else objects
    try:
        # in the order in which they appear, in a table of hashes: fleets have many
        codes, different = pd.factorize(values.ravel(), use_na_sentinel=False)
        labels = different.tolist()
        # where there is None pandas has NaN
        gaps = [place for place, each in enumerate(labels) if each != each]
        for place in gaps:
            labels[place] = values.ravel()[np.argmax(codes == place)]
    except TypeError:
        labels = list({id(each): each for each in values.ravel()}.values())
        places = {id(each): place for place, each in enumerate(labels)}
        codes = np.array([places[id(each)] for each in values.ravel()], dtype=np.int64)
    if any(isinstance(each, float) and math.isnan(each) for each in labels):
        raise DomainError(f"{name} must be ids, records or numbers; got NaN")
    array = given.copy(data=codes.reshape(values.shape))
    if name in array.dims and name not in array.coords:
        array = array.assign_coords({name: [_label(each) for each in values.tolist()]})
    return Argument(name, array, tuple(labels))


def _label(value: object) -> object:
    """What an object is called in a coordinate: its id, or itself."""
    if isinstance(value, int | float):
        return value
    return str(getattr(value, "id", value))


def _objects(values: Sequence[Any]) -> "npt.NDArray[np.object_]":
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def unit_of(name: str) -> str | None:
    """Unit of a number by its name; None where that has none."""
    words = name.split("_")
    ends = ("_".join(words[place:]) for place in range(len(words)))
    return next((UNITS[end] for end in ends if end in UNITS), None)


def _require_units(name: str, units: str) -> None:
    """Raise DomainError where the units of an array are not those of an argument."""
    wanted = unit_of(name)
    if wanted is not None and units != wanted:
        raise WrongValueError(
            "{" + name + "} must be in {wanted}; the array has units {units!r}",
            wanted=wanted,
            units=units,
        )


def _attributes(name: str, title: str | None = None) -> dict[str, str]:
    """Attributes of a variable or coordinate with this name."""
    unit = unit_of(name)
    words = " ".join(word for word in name.split("_") if word not in UNITS) or name
    return {"long_name": title or words, **({"units": unit} if unit else {})}


def _known_arguments(function: Callable[..., Any], arguments: Mapping[str, object]) -> None:
    """Raise ContradictionError where a function has no such argument."""
    known = list(inspect.signature(function).parameters)
    known += [_AT_BOTH_ENDS] if function is predict else []
    for name in arguments:
        if name not in known:
            near = near_name(name, known)
            hint = f"did you mean {near}?" if near else f"it has {', '.join(known)}"
            raise ContradictionError(f"{function.__name__} has no argument {name}; {hint}")


# The grid


def _evaluated(
    arguments: Sequence[Argument],
    grid_of: Callable[[frozenset[int]], Grid],
    executor: Executor | None,
    on_done: Callable[[int, int], object] | None,
) -> "xarray.Dataset":
    """Results over the grid that these arguments span, lazy where one of them is."""
    import xarray

    arrays = [each.array for each in arguments]
    try:
        xarray.align(*arrays, join="exact", copy=False)
    except ValueError as error:
        raise ContradictionError(f"coordinates of the arguments differ: {error}") from None
    dims = list(dict.fromkeys(itertools.chain.from_iterable(each.dims for each in arrays)))
    alone = frozenset(
        place
        for place, dim in enumerate(dims)
        if any(each.labels is not None and each.name == dim for each in arguments)
    )
    grid = grid_of(alone)
    coordinates: dict[Hashable, Any] = {}
    for each in arrays:
        coordinates |= each.coords
    if any(each.chunks is not None for each in arrays):
        if executor is not None:
            raise ContradictionError("arrays of dask are computed by dask: leave out executor")
        spread = [each.transpose(*(dim for dim in dims if dim in each.dims)) for each in arrays]
        results = xarray.apply_ufunc(
            partial(_in_chunk, grid, tuple(each.name for each in arguments), len(dims)),
            *spread,
            output_core_dims=[[]] * len(grid.dtypes),
            dask="parallelized",
            output_dtypes=list(grid.dtypes.values()),
        )
        results = results if isinstance(results, tuple) else (results,)
        variables = dict(zip(grid.dtypes, results, strict=True))
    else:
        aligned = {}
        for argument in arguments:
            own = [dim for dim in dims if dim in argument.array.dims]
            values = argument.array.transpose(*own).values
            places = tuple(slice(None) if dim in own else np.newaxis for dim in dims)
            aligned[argument.name] = values[places]
        computed = grid.whole(aligned, executor, on_done or (lambda count, total: None))
        variables = {name: xarray.Variable(dims, values) for name, values in computed.items()}
    return xarray.Dataset(variables, coordinates)


def _in_chunk(grid: Grid, names: Sequence[str], rank: int, *arrays: "npt.NDArray[Any]") -> Any:
    """Results of a chunk of dask, with axes in the order of the grid."""
    padded = {
        name: np.reshape(each, (1,) * (rank - np.ndim(each)) + np.shape(each))
        for name, each in zip(names, map(np.asarray, arrays), strict=True)
    }
    with np.errstate(all="ignore"):
        results = tuple(grid.part(padded).values())
    return results if len(results) > 1 else results[0]


# Formulas


@dataclass(frozen=True)
class _Formula:
    """A formula with those arguments that do not vary."""

    function: Callable[..., Any]
    fixed: Mapping[str, object]
    names: tuple[str, ...]

    def __call__(self, arrays: Arrays) -> Mapping[str, Any]:
        return _named(self.function(**self.fixed, **arrays), self.names)


def _named(result: object, names: Sequence[str]) -> dict[str, Any]:
    """Results of a formula by name: of several the fields of what it returns."""
    if len(names) == 1 and not is_dataclass(result):
        return {names[0]: result}
    return {name: getattr(result, name) for name in names}


def _sweep_formula(
    function: Callable[..., Any],
    arguments: Mapping[str, object],
    executor: Executor | None,
    on_done: Callable[[int, int], object] | None,
) -> "xarray.Dataset":
    with extra("sweep"):
        import xarray  # noqa: F401
    _known_arguments(function, arguments)
    varied: list[Argument] = []
    fixed: dict[str, object] = {}
    for name, given in arguments.items():
        is_text = isinstance(given, str) and unit_of(name) is not None
        argument = None if is_text else _varied(name, given, as_labels=False)
        if argument is not None:
            varied.append(argument)
        else:
            fixed[name] = number(name, str(given)) if is_text else given
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    # (1) what it returns, seen from the first point
    first = {each.name: _first(each.array) for each in varied}
    sample = function(**fixed, **first)
    names, titles = _results_of(function, sample)
    # (2) all points
    formula = _Formula(function, fixed, names)
    kinds = {
        name: "U16" if isinstance(value, str) else "f8"
        for name, value in _named(sample, names).items()
    }
    dataset = _evaluated(varied, lambda alone: Grid(formula, kinds, alone), executor, on_done)
    for name in names:
        dataset[name].attrs.update(_attributes(name, titles.get(name)))
    dataset.attrs["formula"] = f"{function.__module__}.{function.__qualname__}"
    for name, value in fixed.items():
        dataset.attrs[name] = value if isinstance(value, int | float | str) else str(value)
    return dataset


def _first(array: "xarray.DataArray") -> float:
    """One value of an array, computed where it is lazy."""
    return float(array.data[(0,) * array.ndim])


def _results_of(
    function: Callable[..., Any], sample: object
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Names of the variables that a formula makes, and what they are."""
    if isinstance(sample, int | float | np.generic):
        summary = (inspect.getdoc(function) or function.__name__).split("\n\n")[0]
        title = " ".join(summary.split()).rstrip(".")
        return (function.__name__,), {function.__name__: title}
    named = getattr(sample, "_fields", None) or (
        [
            *(each.name for each in fields(sample) if not each.name.startswith("_")),
            *(name for name, each in vars(type(sample)).items() if isinstance(each, property)),
        ]
        if is_dataclass(sample)
        else ()
    )
    kept = tuple(
        name
        for name in named
        if isinstance(getattr(sample, name), int | float | str) or np.ndim(getattr(sample, name))
    )
    if not kept:
        raise DomainError(
            f"{function.__name__} returns no numbers: sweep a formula, or netmodel.predict"
        )
    return kept, {}


# Predictions


@dataclass(frozen=True)
class Predictions:
    """
    Predictions of a part of a grid, each path once.

    Parameters
    ----------
    fixed : mapping of str to object
        Arguments that do not vary.
    labels : mapping of str to tuple
        What arguments with one path for each value may be.
    quantities : tuple of str
        Names among `QUANTITIES`.
    limits : tuple of str
        Names of limits by their code.
    """

    fixed: Mapping[str, object]
    labels: Mapping[str, tuple[object, ...]]
    quantities: tuple[str, ...]
    limits: tuple[str, ...] = ()
    _questions: dict[tuple[int, ...], PredictQuestion] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_questions": {}}

    def __call__(self, arrays: Arrays) -> "dict[str, npt.NDArray[Any]]":
        """Values and ends of the quantities, and codes of the bottleneck."""
        with unchanged_files():
            places = [arrays[name] for name in self.labels]
            numbers = {name: each for name, each in arrays.items() if name not in self.labels}
            if all(each.size == 1 for each in places):
                return self._of_path(tuple(int(each.item()) for each in places), numbers)
            # paths that differ from point to point: those of each path together
            shape = np.broadcast_shapes(*(each.shape for each in arrays.values()))
            sizes = [len(labels) for labels in self.labels.values()]
            spread = [np.broadcast_to(each, shape).ravel() for each in places]
            flat = {name: np.broadcast_to(each, shape).ravel() for name, each in numbers.items()}
            paths = np.ravel_multi_index(tuple(spread), tuple(sizes))
            results: dict[str, npt.NDArray[Any]] = {}
            for path in np.unique(paths):
                points = np.flatnonzero(paths == path)
                of_path = tuple(int(place) for place in np.unravel_index(path, tuple(sizes)))
                for start in range(0, len(points), _PREDICTION_ELEMENT_COUNT):
                    chosen = points[start : start + _PREDICTION_ELEMENT_COUNT]
                    cut = {name: each[chosen] for name, each in flat.items()}
                    for name, values in self._of_path(of_path, cut).items():
                        result = results.setdefault(name, np.empty(paths.shape, values.dtype))
                        result[chosen] = values
            return {name: each.reshape(shape) for name, each in results.items()}

    def predicted(
        self, path: tuple[int, ...], numbers: Mapping[str, Any]
    ) -> "Prediction | RatioPrediction":
        """The prediction on one path, of one point or with arrays."""
        question = self.question(path)
        connections = numbers.get("connections", question.exchange.connection_count)
        return question.predicted(connections, numbers.get("mtu_bytes"))

    def question(self, path: tuple[int, ...]) -> PredictQuestion:
        """The question of one path."""
        if path not in self._questions:
            chosen = {
                name: labels[place]
                for (name, labels), place in zip(self.labels.items(), path, strict=True)
            }
            self._questions[path] = question_of({**self.fixed, **chosen})
        return self._questions[path]

    def needs_one_case(self, path: tuple[int, ...]) -> bool:
        """Whether a cost was measured in another case, and is carried to one case at a time."""
        question = self.question(path)
        return not question.is_composed and question.specified.has_cost_of_another_case

    def _one_by_one(
        self, path: tuple[int, ...], numbers: Arrays, shape: tuple[int, ...]
    ) -> "dict[str, npt.NDArray[Any]]":
        """Results on one path where each case needs a prediction of its own."""
        spread = [np.broadcast_to(each, shape).ravel() for each in numbers.values()]
        cases, places = np.unique(np.stack(spread, axis=1), axis=0, return_inverse=True)
        known = [
            self._known(self.predicted(path, dict(zip(numbers, case, strict=True))))
            for case in cases.tolist()
        ]
        return {
            name: np.array([float(each[name]) for each in known])[places].reshape(shape)
            for name in known[0]
        }

    def _of_path(self, path: tuple[int, ...], numbers: Arrays) -> "dict[str, npt.NDArray[Any]]":
        """The same on one path."""
        shape = np.broadcast_shapes(*(each.shape for each in numbers.values()), ())
        if numbers and self.needs_one_case(path):
            return self._one_by_one(path, numbers, shape)
        known = self._known(self.predicted(path, numbers))
        return {name: np.broadcast_to(each, shape) for name, each in known.items()}

    def _known(self, prediction: "Prediction | RatioPrediction") -> "dict[str, npt.NDArray[Any]]":
        """Values and ends of the quantities of a prediction, and the code of its bottleneck."""
        from netmodel.path import Prediction

        results: dict[str, npt.NDArray[Any]] = {}
        for key in self.quantities:
            quantity = QUANTITIES[key]
            known = quantity.of(prediction) if isinstance(prediction, Prediction) else None
            ends: tuple[FloatOrArray, ...] = (math.nan,) * len(_ENDS)
            if known is not None:
                ends = (known.value, known.low, known.high)
            for name, end in zip(_ENDS, ends, strict=True):
                results[f"{quantity.name}{name}"] = np.asarray(end)
        codes = np.array(_NO_LIMIT)
        if isinstance(prediction, Prediction):
            codes_of = {name: code for code, name in enumerate(self.limits)}
            names = [limit.name for limit in prediction.limits]
            codes = np.array([codes_of[name] for name in names])[prediction.binding_place]
        results[BOTTLENECK] = np.asarray(codes)
        return results


def question_of(arguments: Mapping[str, Any]) -> PredictQuestion:
    """The question that these arguments of `predict` ask, each group of them as one object."""
    given = dict(arguments)
    both = given.pop(_AT_BOTH_ENDS, None)
    if both is not None:
        if {"sender", "receiver"} & given.keys():
            raise ArgumentsError("give {adapters}, or {sender} and {receiver}, not both")
        given |= {"sender": both, "receiver": both}
    if "workload" not in given:
        raise ArgumentsError("give {workload}")
    groups: dict[str, Any] = {}
    for each in fields(PredictQuestion):
        kind = each.type
        if is_dataclass(kind) and isinstance(kind, type):
            own = [part.name for part in fields(kind) if part.name in given]
            groups[each.name] = kind(**{name: given.pop(name) for name in own})
        elif each.name in given:
            groups[each.name] = given.pop(each.name)
    return PredictQuestion(**groups)


def _sweep_predictions(
    arguments: Mapping[str, object],
    quantities: tuple[str, ...],
    executor: Executor | None,
    on_done: Callable[[int, int], object] | None,
) -> "xarray.Dataset":
    with extra("sweep"):
        import xarray  # noqa: F401
    _known_arguments(predict, arguments)
    for name in quantities:
        if name not in QUANTITIES:
            near = near_name(name, QUANTITIES)
            hint = f"did you mean {near}?" if near else f"they are {', '.join(QUANTITIES)}"
            raise DomainError(f"unknown quantity {name!r}; {hint}")
    varied: list[Argument] = []
    fixed: dict[str, object] = {}
    for name, given in arguments.items():
        argument = _varied(name, given, as_labels=name not in _IN_ARRAYS)
        if argument is None:
            fixed[name] = given
        else:
            varied.append(argument)
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    if "link_mtu_bytes" in arguments and "mtu_bytes" in arguments:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
    labels = {each.name: each.labels for each in varied if each.labels is not None}
    blank = Predictions(fixed, labels, quantities)
    limits, bounds = _limits_and_bounds(blank, varied)
    predictions = Predictions(fixed, labels, quantities, limits)
    kinds = {f"{QUANTITIES[key].name}{end}": "f8" for key in quantities for end in _ENDS}
    kinds[BOTTLENECK] = "i2"
    # points of one path are computed together: where paths differ from point to point, of many
    is_by_point = any(
        each.labels is not None and each.name not in each.array.dims for each in varied
    )
    block_size = _MIXED_ELEMENT_COUNT if is_by_point else _PREDICTION_ELEMENT_COUNT
    dataset = _evaluated(
        varied,
        lambda alone: Grid(predictions, kinds, alone, block_size),
        executor,
        on_done,
    )
    for key in quantities:
        quantity, bound = QUANTITIES[key], bounds.get(key, Bound.VALUE)
        side = "" if bound is Bound.VALUE else f"{bound.value} bound of the "
        side = "mean of the " if bound is Bound.MEAN else side
        for end, of in zip(_ENDS, ("", "smallest ", "largest "), strict=True):
            name = f"{quantity.name}{end}"
            attributes = _attributes(quantity.name, f"{of}{side}{quantity.title}")
            dataset[name].attrs.update({**attributes, "bound": bound.value})
    dataset[BOTTLENECK].attrs.update(
        long_name="the limit with the smallest upper bound",
        flag_values=np.arange(len(limits), dtype=np.int16),
        flag_meanings=" ".join(name.replace(" ", "_") for name in limits),
    )
    for name, value in fixed.items():
        dataset.attrs[name] = _label(value)
    return dataset


def _limits_and_bounds(
    predictions: Predictions, varied: Sequence[Argument]
) -> tuple[tuple[str, ...], dict[str, Bound]]:
    """Names of all limits that any path of the grid may have, and the sides of the quantities."""
    from netmodel.judging._statement_bounds import statements_that_may_bound
    from netmodel.path import Prediction

    numbers = {each.name: each.array for each in varied if each.labels is None}
    first: dict[str, Any] = {name: _first(array) for name, array in numbers.items()}
    mtus = numbers.get("mtu_bytes")
    mtus_bytes = None
    if mtus is not None and mtus.chunks is None:
        mtus_bytes = set(np.unique(mtus.values).astype(float).tolist())
    names: dict[str, None] = {}
    bounds: dict[str, Bound] = {}
    with unchanged_files():
        for path in _paths(varied):
            prediction = predictions.predicted(path, first)
            if not isinstance(prediction, Prediction):
                continue
            names |= dict.fromkeys(limit.name for limit in prediction.limits)
            question = predictions.question(path)
            if not (question.without_statements or question.is_composed):
                names |= dict.fromkeys(
                    statements_that_may_bound(prediction, question.specified, mtus_bytes)
                )
            # loss may limit at other points than the first
            has_mean = any(limit.rate.bound is Bound.MEAN for limit in prediction.limits)
            for key in predictions.quantities:
                known = QUANTITIES[key].of(prediction)
                if known is not None:
                    bounds[key] = Bound.MEAN if has_mean and key in _OF_THE_RATE else known.bound
    return tuple(names), bounds


def _paths(varied: Sequence[Argument]) -> "list[tuple[int, ...]]":
    """Places of the labels of all paths in the grid."""
    import xarray

    coded = [each for each in varied if each.labels is not None]
    if not coded:
        return [()]
    sizes = tuple(len(each.labels or ()) for each in coded)
    spread = xarray.broadcast(*(each.array for each in coded))
    paths = np.ravel_multi_index(tuple(each.values for each in spread), sizes)
    found = np.unravel_index(np.unique(paths), sizes)
    return [tuple(int(place) for place in row) for row in zip(*found, strict=True)]


# Files


def write_sweep(dataset: "xarray.Dataset", path: str) -> None:
    """
    Write a sweep whole into a file: ``.nc`` (NetCDF 4), ``.parquet`` or ``.csv``.

    Raises
    ------
    DomainError
        If the name ends in something else.
    OSError
        If the file cannot be written.
    """
    kind = path.rpartition(".")[2].lower()
    if kind not in {"nc", "parquet", "csv"}:
        raise DomainError(f"{path}: the name of a sweep ends in .nc, .parquet or .csv")
    with draft_of(path) as draft, extra("sweep"):
        if kind == "nc":
            import h5netcdf  # noqa: F401

            dataset.to_netcdf(draft, engine="h5netcdf")
            return
        table = dataset.to_dataframe().reset_index()
        if kind == "csv":
            table.to_csv(draft, index=False)
            return
        import pyarrow as pa
        from pyarrow import parquet

        columns = pa.Table.from_pandas(table, preserve_index=False)
        for place, name in enumerate(columns.column_names):
            about = {key: str(each) for key, each in dataset[name].attrs.items()}
            columns = columns.cast(
                columns.schema.set(place, columns.schema.field(place).with_metadata(about))
            )
        parquet.write_table(columns, draft)
