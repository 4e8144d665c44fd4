"""Predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._estimates import Bound, Predicted
from netmodel._lazy import extra
from netmodel._numpy import np
from netmodel._quantities import UNITS, unit_of
from netmodel._text import near_name, printable
from netmodel.api._arguments import ArgumentsError, WrongValueError, in_base_units, number
from netmodel.api._questions import predict
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.units._prefixes import GIGA, KIBI

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray

    from netmodel.path import Prediction

_BOTTLENECK = "bottleneck"
"""Variable of the names of the binding limits."""
_PATH_POINT_COUNT = 2**15
"""Points of one path that are predicted at once: 256 KiB for each of about a hundred arrays."""
_MIXED_POINT_COUNT = 2**20
"""Points that are sorted by path before each path is predicted: enough for dozens of paths."""
_AT_BOTH_ENDS = "adapters"
"""Argument that stands for the same `sender` and `receiver`."""
_IN_ARRAYS = ("mtu_bytes", "connections")
"""Arguments of a prediction that take arrays; of each value of the others there is one path."""
_EVERY_WHOLE_BELOW = 2**53
"""IEEE 754: a float64 has 53 digits of base 2."""


class _Quantity(NamedTuple):
    """A quantity of a prediction: name of its variable, title, and where it is found."""

    name: str
    title: str
    of: "Callable[[Prediction], Predicted | None]"


def _expected(name: str) -> "Callable[[Prediction], Predicted | None]":
    return lambda each: None if each.expected is None else getattr(each.expected, name)


def _cpu_cost(side: Side, prediction: "Prediction") -> Predicted | None:
    return prediction.cpu_us_per_gbit[side]


QUANTITIES = {
    "throughput": _Quantity(
        "throughput_bps", "payload rate of the side that sends more", lambda p: p.throughput_bps
    ),
    "transaction_rate": _Quantity(
        "transaction_rate_tps", "transactions per second", lambda p: p.transaction_rate_tps
    ),
    "transaction_time": _Quantity(
        "transaction_time_s", "time of a transaction", lambda p: p.transaction_time_s
    ),
    "zero_load_time": _Quantity(
        "zero_load_time_s", "zero-load response time", lambda p: p.zero_load_time_s
    ),
    "expected_throughput": _Quantity(
        "expected_throughput_bps", "expected payload rate", _expected("throughput_bps")
    ),
    "expected_transaction_rate": _Quantity(
        "expected_transaction_rate_tps",
        "expected transactions per second",
        _expected("transaction_rate_tps"),
    ),
    "expected_transaction_time": _Quantity(
        "expected_transaction_time_s",
        "expected time of a transaction",
        _expected("transaction_time_s"),
    ),
    **{
        f"{side.value}_cpu": _Quantity(
            f"{side.value}_cpu_us_per_gbit",
            f"CPU time of the {side.value} for payload of both directions",
            partial(_cpu_cost, side),
        )
        for side in Side
    },
}
"""Quantities that a sweep may have."""
_OF_THE_RATE = frozenset({"throughput", "transaction_rate", "transaction_time"})
"""Quantities that are a mean where loss limits the rate, and bounds elsewhere."""
DEFAULT_QUANTITIES = ("throughput",)
"""Quantities of a sweep by default, beside the bottleneck."""
_ENDS = ("", "_low", "_high")
"""Ends of the names of a quantity's variables, as in CSV files."""


@in_base_units
def sweep(*, quantities: Sequence[str] = DEFAULT_QUANTITIES, **arguments: Any) -> "xarray.Dataset":
    """
    Predictions over a labelled grid.

    Parameters
    ----------
    quantities : sequence of str
        ``throughput``, ``transaction_rate``, ``transaction_time``, ``zero_load_time``,
        ``expected_throughput``, ``expected_transaction_rate``, ``expected_transaction_time``,
        ``client_cpu``, ``server_cpu``.
    **arguments
        Those of `netmodel.predict`, and ``adapters`` for `sender` and `receiver` alike. A list
        or array of one dimension is a coordinate of that name. A ``DataArray`` has dimensions
        and coordinates of its own, so that several arguments can vary together, as columns of a
        pandas ``DataFrame`` do.

    Returns
    -------
    dataset : xarray.Dataset
        Of each quantity three variables with their ``units``: the value, ``_low`` and ``_high``;
        the attribute ``bound`` says on which side of the true value it lies. ``bottleneck`` holds
        the name of the binding limit. Where arguments are arrays of dask, variables are too, and
        nothing is computed yet.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, `netmodel.predict` has none of that name, or a path is
        known up to a factor only and has no rates.
    DomainError
        If an argument is empty, NaN or cannot be, or the grid does not fit into memory.
    MissingExtraError
        If xarray is not installed.
    UnitError
        If the text or the ``units`` of an argument are of another quantity.

    Notes
    -----
    Each point is that of a single prediction. It is computed in blocks: memory holds the result
    and one block.

    Examples
    --------
    >>> import netmodel
    >>> grid = netmodel.sweep(
    ...     adapters=["osa-express7s-25gbe", "ethernet-25gbe"], workload="str-writex30k",
    ...     mtu_bytes=[1500, 9000],
    ... )
    >>> (grid.throughput_bps / 1e9).values.round(1).tolist()
    [[13.4, 24.8], [23.5, 24.8]]
    >>> grid.bottleneck.sel(adapters="osa-express7s-25gbe", mtu_bytes=1500).item()
    'server_adapter_in'
    """
    with extra("sweep"):
        import xarray
    _require_known(arguments, quantities)
    given = {name: _varied(name, value) for name, value in arguments.items()}
    varied = {name: each for name, each in given.items() if each is not None}
    fixed = {name: value for name, value in arguments.items() if given[name] is None}
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    arrays = [each.array for each in varied.values()]
    try:
        xarray.align(*arrays, join="exact", copy=False)
    except ValueError as error:
        raise ContradictionError(f"coordinates of the arguments differ: {error}") from None
    labels = {name: each.labels for name, each in varied.items() if each.labels is not None}
    predictions = _Predictions(fixed, labels, tuple(quantities), tuple(varied))
    bounds = _bounds(predictions, {name: each.array for name, each in varied.items()})
    if any(each.chunks is not None for each in arrays):
        results = xarray.apply_ufunc(
            predictions.computed,
            *(each.variable for each in arrays),
            output_core_dims=[[]] * len(predictions.dtypes),
            dask="parallelized",
            output_dtypes=list(predictions.dtypes.values()),
        )
    else:
        sizes = {name: size for each in arrays for name, size in each.sizes.items()}
        _require_memory(math.prod(sizes.values()), 8 * len(predictions.dtypes))
        spread = xarray.broadcast(*arrays)
        results = [
            # by the fast path: otherwise xarray looks at each name
            xarray.Variable(spread[0].dims, values, fastpath=True)
            for values in predictions.computed(*(_own_axes(each.values) for each in spread))
        ]
    coordinates = {name: each for array in arrays for name, each in array.coords.items()}
    dataset = xarray.Dataset(dict(zip(predictions.dtypes, results, strict=True)), coordinates)
    for key, bound in bounds.items():
        side = {Bound.VALUE: "", Bound.MEAN: "mean of the "}.get(
            bound, f"{bound.value} bound of the "
        )
        for end, of in zip(_ENDS, ("", "smallest ", "largest "), strict=True):
            about = _about(QUANTITIES[key].name, f"{of}{side}{QUANTITIES[key].title}")
            dataset[f"{QUANTITIES[key].name}{end}"].attrs = {**about, "bound": bound.value}
    dataset[_BOTTLENECK].attrs["long_name"] = "the limit with the smallest upper bound"
    dataset.attrs = {name: _shown(value) for name, value in fixed.items()}
    return dataset


# Arguments


class _Argument(NamedTuple):
    """An argument over named dimensions: numbers, or places among labels such as adapters."""

    array: "xarray.DataArray"
    labels: tuple[object, ...] | None = None


def _require_known(arguments: Mapping[str, object], quantities: Sequence[str]) -> None:
    """Refuse arguments that `predict` has not, and quantities that a prediction has not."""
    known = [*inspect.signature(predict).parameters, _AT_BOTH_ENDS]
    for name in arguments:
        if name not in known:
            near = near_name(name, known)
            hint = f"did you mean {near}?" if near else f"it has {', '.join(known)}"
            raise ContradictionError(f"predict has no argument {name}; {hint}")
    if "link_mtu_bytes" in arguments and "mtu_bytes" in arguments:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
    for name in quantities:
        if name not in QUANTITIES:
            near = near_name(name, QUANTITIES)
            hint = f"did you mean {near}?" if near else f"they are {', '.join(QUANTITIES)}"
            raise DomainError(f"unknown quantity {name!r}; {hint}")


def _varied(name: str, given: Any) -> _Argument | None:
    """An argument as it varies over the grid; None where it is one value."""
    import pandas as pd
    import xarray

    objects = None
    if isinstance(given, pd.Series):  # a column varies along the rows, beside the other columns
        if given.index.nlevels > 1:
            raise DomainError(f"{name} has an index of several levels: give {name}.to_xarray()")
        rows = "index" if given.index.name is None else str(given.index.name)
        given = xarray.DataArray(given.to_numpy(), dims=rows, coords={rows: given.index})
    elif isinstance(given, pd.Index):
        given = given.to_numpy()
    elif type(given).__module__.partition(".")[0] == "dask":
        rank = getattr(given, "ndim", 0)
        if rank != 1:
            raise DomainError(f"{name} has {rank} dimensions: name them with a DataArray")
        given = xarray.DataArray(given, dims=name)
    if not isinstance(given, xarray.DataArray):
        is_list = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str | bytes)
        if not is_list:
            return None
        objects, given = list(given), _coordinate(name, given)
    if not given.size:
        raise DomainError(f"{name} is empty: a grid needs at least one value of each")
    units, wanted = given.attrs.get("units"), unit_of(name)
    if None not in (units, wanted) and units != wanted:
        raise WrongValueError(
            "{" + name + "} must be in {wanted}; the array has units {units!r}",
            wanted=wanted,
            units=units,
        )
    if name not in _IN_ARRAYS:
        return _labelled(name, given, given.values.ravel().tolist() if objects is None else objects)
    if given.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be numbers; the array has {given.dtype}")
    return _Argument(given)


def _coordinate(name: str, given: Sequence[Any]) -> "xarray.DataArray":
    """A list as an array along a dimension of its own, with its values as coordinate."""
    import xarray

    if name not in _IN_ARRAYS:
        shown = [_shown(each) for each in given]
        return xarray.DataArray(np.arange(len(shown)), dims=name, coords={name: shown})
    if any(isinstance(each, str) for each in given):
        given = [whole_where_it_is(number(name, each)) for each in given]
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be numbers or text with a unit; got {given!r}")
    if numbers.ndim != 1:
        raise DomainError(f"{name} has {numbers.ndim} dimensions: name them with a DataArray")
    bad = np.flatnonzero(np.isnan(numbers))
    if bad.size:
        raise DomainError(f"{name} must be numbers; got NaN at index {bad[0]}")
    array = xarray.DataArray(numbers, dims=name, coords={name: numbers})
    array[name].attrs.update(_about(name))
    return array


def _labelled(name: str, given: "xarray.DataArray", values: list[Any]) -> _Argument:
    """Places among the different values of an argument, such as ids of adapters."""
    keys = values
    try:
        different = dict(zip(keys, values, strict=True))
    except TypeError:  # of records that have no hash
        keys = list(map(id, values))
        different = dict(zip(keys, values, strict=True))
    if any(isinstance(each, float) and math.isnan(each) for each in different.values()):
        raise DomainError(f"{name} must be ids, records or numbers; got NaN")
    places = {key: place for place, key in enumerate(different)}
    codes = np.fromiter(map(places.__getitem__, keys), dtype=np.int64, count=len(keys))
    return _Argument(given.copy(data=codes.reshape(given.shape)), tuple(different.values()))


def _shown(value: object) -> object:
    """Return a number, or the id or text of an object: any format can hold it as a coordinate."""
    if isinstance(value, int | float):
        return value
    return printable(str(getattr(value, "id", value)))


def _about(name: str, title: str | None = None) -> dict[str, str]:
    """Attributes of a variable or coordinate with this name."""
    unit = unit_of(name)
    words = " ".join(word for word in name.split("_") if word not in UNITS) or name
    return {"long_name": title or words, **({"units": unit} if unit else {})}


def whole_where_it_is(value: float) -> float:
    """Return a whole float as int, up to 2^53; beyond, not every whole number is a float."""
    return int(value) if float(value).is_integer() and abs(value) < _EVERY_WHOLE_BELOW else value


def _own_axes(spread: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """A broadcast array with length 1 along the axes along which it does not vary."""
    return spread[tuple(slice(None) if step else slice(1) for step in spread.strides)]


def _require_memory(point_count: int, bytes_each: int) -> None:
    """Raise DomainError, which says how large it is, where a result does not fit into memory."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    free = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), math.inf)
    free_bytes, needed_bytes = float(free) * KIBI, point_count * bytes_each
    if needed_bytes > free_bytes:
        raise DomainError(
            f"the grid has {point_count:,} points, whose results take {needed_bytes / GIGA:,.1f} "
            f"GB, but {free_bytes / GIGA:,.1f} GB of memory are free: sweep parts of it, or fewer "
            "quantities, or give arrays of dask, of which parts are computed when they are used"
        )


# Predictions


@dataclass(frozen=True)
class _Predictions:
    """
    Predictions of arrays of arguments, each path once.

    Parameters
    ----------
    fixed : mapping of str to object
        Arguments that do not vary.
    labels : mapping of str to tuple
        What arguments with one path for each value may be.
    quantities : tuple of str
        Names among `QUANTITIES`.
    varied : tuple of str
        Names of the arguments that vary.
    """

    fixed: Mapping[str, object]
    labels: Mapping[str, tuple[object, ...]]
    quantities: tuple[str, ...]
    varied: tuple[str, ...]

    @property
    def dtypes(self) -> dict[str, type]:
        """Variables of the result, and their types."""
        names = [QUANTITIES[key].name + end for key in self.quantities for end in _ENDS]
        return {**dict.fromkeys(names, float), _BOTTLENECK: object}

    def computed(self, *given: "npt.NDArray[Any]") -> "tuple[npt.NDArray[Any], ...]":
        """Values and ends of the quantities, and names of the bottleneck, block by block."""
        rank = max(each.ndim for each in given)
        arrays = [each.reshape((1,) * (rank - each.ndim) + each.shape) for each in given]
        codes = [
            each for name, each in zip(self.varied, arrays, strict=True) if name in self.labels
        ]
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        results: tuple[npt.NDArray[Any], ...] = tuple(
            np.empty(shape, kind) for kind in self.dtypes.values()
        )
        # axes along which the path changes and nothing else: blocks have one path
        alone = [
            axis
            for axis in range(rank)
            if sum(each.shape[axis] > 1 for each in arrays) == 1
            and any(each.shape[axis] > 1 for each in codes)
        ]
        is_mixed = any(np.delete(each.shape, alone).prod() > 1 for each in codes)
        count = _MIXED_POINT_COUNT if is_mixed else _PATH_POINT_COUNT
        for block in _blocks(shape, count, alone):
            values = self._of_block([_cut(each, block) for each in arrays])
            for result, known in zip(results, values, strict=True):
                result[block] = known
        return results

    def _of_block(self, arrays: "Sequence[npt.NDArray[Any]]") -> "Sequence[Any]":
        """Results of a block: of a grid on one path at once, else of each different case once."""
        named = dict(zip(self.varied, arrays, strict=True))
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        is_grid = math.prod(each.size for each in arrays) == math.prod(shape)
        if is_grid and all(named[name].size == 1 for name in self.labels):
            return self._of_path(named)
        columns = [np.broadcast_to(each, shape).ravel() for each in arrays]
        first, case_of = _different(columns)
        cases = {name: each[first] for name, each in zip(self.varied, columns, strict=True)}
        paths = np.zeros(len(first), dtype=np.int64)
        for name, labels in self.labels.items():
            paths = paths * len(labels) + cases[name]
        results: list[npt.NDArray[Any]] = [
            np.empty(len(first), kind) for kind in self.dtypes.values()
        ]
        order = np.argsort(paths, kind="stable")
        for points in np.split(order, 1 + np.flatnonzero(np.diff(paths[order]))):
            for start in range(0, len(points), _PATH_POINT_COUNT):
                chosen = points[start : start + _PATH_POINT_COUNT]
                values = self._of_path({name: each[chosen] for name, each in cases.items()})
                for result, known in zip(results, values, strict=True):
                    result[chosen] = known
        return [each[case_of].reshape(shape) for each in results]

    def _of_path(self, named: "Mapping[str, npt.NDArray[Any]]") -> "Sequence[Any]":
        """Results of arguments that have one path."""
        chosen = self.arguments({name: int(named[name].flat[0]) for name in self.labels})
        numbers = {name: each for name, each in named.items() if name not in self.labels}
        if "cost_measured_with" not in chosen or not numbers:
            return self._known(_predicted({**chosen, **numbers}))
        # a cost that was measured in another case is carried to one case at a time
        spread = np.broadcast_arrays(*numbers.values())
        known = [
            self._known(_predicted({**chosen, **dict(zip(numbers, case, strict=True))}))
            for case in zip(*(each.ravel().tolist() for each in spread), strict=True)
        ]
        return [
            np.array(each, dtype=object).reshape(spread[0].shape)
            for each in zip(*known, strict=True)
        ]

    def arguments(self, places: Mapping[str, int]) -> dict[str, Any]:
        """Arguments of one path, by the place of each of its labels."""
        return {**self.fixed, **{name: self.labels[name][place] for name, place in places.items()}}

    def _known(self, prediction: "Prediction") -> list[Any]:
        """Values and ends of the quantities of a prediction, and the name of its bottleneck."""
        results: list[Any] = []
        for key in self.quantities:
            known = QUANTITIES[key].of(prediction)
            unknown = (math.nan,) * len(_ENDS)
            results += unknown if known is None else (known.value, known.low, known.high)
        names = prediction.binding  # empty where a document bounds the rate more tightly
        return [*results, np.array("" if names is None else names, dtype=object)]


def _predicted(arguments: Mapping[str, Any]) -> "Prediction":
    """The prediction of one path, of one point or with arrays; paths without a line have none."""
    from netmodel.path import Prediction
    from netmodel.path._unbounded import NO_LINE

    given = dict(arguments)
    if _AT_BOTH_ENDS in given:
        if {"sender", "receiver"} & given.keys():
            raise ArgumentsError("give {adapters}, or {sender} and {receiver}, not both")
        given["adapter"] = given.pop(_AT_BOTH_ENDS)
    if "workload" not in given:
        raise ArgumentsError("give {workload}")
    try:
        prediction = predict(**given)
    except DomainError as error:
        if type(error) is not DomainError:
            raise
        # the index would be that in a block; the value says which point it is
        raise DomainError(re.sub(r" at index \(.*\)$", "", str(error))) from None
    if not isinstance(prediction, Prediction):
        name = prediction.path_name or "the path"
        raise ArgumentsError(
            f"{name}: {NO_LINE}, so a sweep has no rates of it; netmodel predict has what "
            "documents print"
        )
    return prediction


def _bounds(
    predictions: _Predictions, arrays: "Mapping[str, xarray.DataArray]"
) -> dict[str, Bound]:
    """The sides of the true values on which the quantities lie, from one point of each path."""
    import xarray

    first = {
        name: np.asarray(each.data[(0,) * each.ndim]).item()
        for name, each in arrays.items()
        if name not in predictions.labels
    }
    codes = xarray.broadcast(*(arrays[name] for name in predictions.labels))
    columns = [each.values.ravel() for each in codes]
    paths: list[tuple[int, ...]] = [()]
    if columns:
        different, _ = _different(columns)
        paths = sorted({*zip(*(each[different].tolist() for each in columns), strict=True)})
    bounds: dict[str, Bound] = {}
    for path in paths:
        chosen = predictions.arguments(dict(zip(predictions.labels, path, strict=True)))
        prediction = _predicted({**chosen, **first})
        # loss may limit at other points than the first
        has_mean = any(limit.rate.bound is Bound.MEAN for limit in prediction.limits)
        for key in predictions.quantities:
            known = QUANTITIES[key].of(prediction)
            if known is not None:
                bounds[key] = Bound.MEAN if has_mean and key in _OF_THE_RATE else known.bound
    return {key: bounds.get(key, Bound.VALUE) for key in predictions.quantities}


def _blocks(shape: Sequence[int], most: int, alone: Sequence[int]) -> Iterator[tuple[slice, ...]]:
    """Parts of a grid of at most this many points, with one element along some of its axes."""
    steps = [1] * len(shape)
    for axis in reversed(range(len(shape))):
        if axis not in alone:
            steps[axis] = max(1, min(shape[axis], most))
            most //= steps[axis]
    yield from itertools.product(
        *(
            [slice(start, min(start + step, length)) for start in range(0, length, step)]
            for length, step in zip(shape, steps, strict=True)
        )
    )


def _cut(array: "npt.NDArray[Any]", block: tuple[slice, ...]) -> "npt.NDArray[Any]":
    """A part of an argument, which has length 1 along axes where it does not vary."""
    parts = zip(block, array.shape, strict=True)
    return array[tuple(part if length > 1 else slice(None) for part, length in parts)]


def _different(
    columns: "Sequence[npt.NDArray[Any]]",
) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]":
    """
    A place of each different case among points, and the case of each point.

    In a fleet, thousands of hosts have the same adapter, MTU and connections. Where the values make
    more combinations than half of the points, each point counts as a case of its own: to sort them
    out would cost more than it saves.
    """
    import pandas as pd

    points = np.arange(len(columns[0]))
    factors = [pd.factorize(each, use_na_sentinel=False) for each in columns]
    counts = [len(values) for _, values in factors]
    if 2 * math.prod(counts) > len(points):
        return points, points
    case_of, cases = pd.factorize(np.ravel_multi_index([codes for codes, _ in factors], counts))
    first = np.empty(len(cases), dtype=np.int64)
    first[case_of[::-1]] = points[::-1]
    return first, case_of
