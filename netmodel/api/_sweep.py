"""Predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from inspect import signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from netmodel.api._questions import predict
from netmodel.api.arguments import ArgumentsError, WrongValueError, in_base_units, kinds_of, read
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.estimates import Bound, Predicted
from netmodel.lazy import extra
from netmodel.lazy_numpy import np
from netmodel.quantities import unit_of
from netmodel.text import meant_text, printable

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray

    from netmodel.path import Prediction

_POINT_COUNT = 2**16
"""Points that are predicted at once: 512 KiB for each of about a hundred arrays."""
_IN_ARRAYS = ("mtu_bytes", "connections")
"""Arguments of a prediction that take arrays; of each value of the others there is one path."""
_OF_RATES = ("throughput_bps", "transaction_rate_tps", "transaction_time_s")
_ENDS = ("", "_low", "_high", "_bound")


def _expected(name: str, prediction: "Prediction") -> Predicted | None:
    return None if prediction.expected is None else attrgetter(name)(prediction.expected)


def _cpu_cost(side: Side, prediction: "Prediction") -> Predicted | None:
    return prediction.cpu_us_per_gbit[side]


_QUANTITIES: "Mapping[str, Callable[[Prediction], Predicted | None]]" = {
    **{name: attrgetter(name) for name in (*_OF_RATES, "zero_load_time_s")},
    **{f"expected_{name}": partial(_expected, name) for name in _OF_RATES},
    **{f"{side.value}_cpu_us_per_gbit": partial(_cpu_cost, side) for side in Side},
}
"""Functions that read a quantity from a prediction, by its name."""


@in_base_units
def sweep(*, quantities: Sequence[str] = ("throughput_bps",), **arguments: Any) -> "xarray.Dataset":
    """
    Predictions over a labelled grid.

    Parameters
    ----------
    quantities : sequence of str
        ``throughput_bps``, ``transaction_rate_tps``, ``transaction_time_s``, ``zero_load_time_s``,
        the first three as ``expected_...``, ``client_cpu_us_per_gbit``,
        ``server_cpu_us_per_gbit``.
    **arguments
        Those of `netmodel.predict`. A list or array of one dimension is a coordinate of that
        name. A ``DataArray`` has dimensions and coordinates of its own, so that several arguments
        can vary together, as columns of a pandas ``DataFrame`` do.

    Returns
    -------
    dataset : xarray.Dataset
        Of each quantity four variables: the value, ``_low``, ``_high``, and ``_bound``, which
        says on which side of the true value it lies. ``bottleneck`` holds the name of the
        binding limit. Where arguments are arrays of dask, variables are too, and nothing is
        computed yet.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, or a path is known up to a factor only and has no rates.
    DomainError
        If an argument is empty, NaN or cannot be.
    MissingExtraError
        If xarray is not installed.
    UnitError
        If the text or the ``units`` of an argument are of another quantity.

    Notes
    -----
    Each point is that of a single prediction. Equal cases are predicted once.

    Examples
    --------
    >>> import netmodel
    >>> grid = netmodel.sweep(
    ...     adapter=["osa-express7s-25gbe", "ethernet-25gbe"], workload="str-writex30k",
    ...     mtu_bytes=[1500, 9000],
    ... )
    >>> (grid.throughput_bps / 1e9).values.round(1).tolist()
    [[13.4, 24.8], [23.5, 24.8]]
    >>> grid.bottleneck.sel(adapter="osa-express7s-25gbe", mtu_bytes=1500).item()
    'server_adapter_in'
    """
    with extra("sweep"):
        import xarray
    known = signature(predict).parameters
    for name in quantities:
        if name not in _QUANTITIES:
            raise DomainError(f"unknown quantity {name!r}{_hint(name, _QUANTITIES)}")
    for name in arguments:
        if name not in known:
            raise ArgumentsError(f"predict has no argument {name}{_hint(name, known)}")
    arrays = {name: _varied(name, value) for name, value in arguments.items()}
    varied = {name: each for name, each in arrays.items() if each is not None}
    fixed = {name: value for name, value in arguments.items() if name not in varied}
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    labels = {
        name: [*arguments[name]]
        for name in varied
        if name not in _IN_ARRAYS and _is_list(arguments[name])
    }
    kinds: dict[str, type] = {
        f"{name}{end}": object if end == "_bound" else float for name in quantities for end in _ENDS
    }
    kinds["bottleneck"] = object
    results = xarray.apply_ufunc(
        partial(_computed, [*varied], fixed, labels, quantities, [*kinds.values()]),
        *varied.values(),
        join="exact",
        output_core_dims=[[]] * len(kinds),
        dask="parallelized",
        output_dtypes=[*kinds.values()],
    )
    dataset = xarray.Dataset(dict(zip(kinds, results, strict=True)))
    for name in [*dataset.data_vars, *varied]:
        if name in dataset and (unit := unit_of(re.sub("_(low|high)$", "", name))):
            dataset[name].attrs.setdefault("units", unit)
    dataset.attrs = {name: _shown(value) for name, value in fixed.items()}
    return dataset


def _hint(name: str, known: Collection[str]) -> str:
    return meant_text(name, known) or f"; it has {', '.join(known)}"


def _varied(name: str, given: Any) -> "xarray.DataArray | None":
    """An argument as it varies over the grid; None where it is one value."""
    import xarray

    array: xarray.DataArray
    if hasattr(given, "to_xarray"):  # a column of pandas varies along the rows
        array = given.to_xarray()
    elif _is_list(given):
        array = _coordinate(name, [*given])
    elif isinstance(given, xarray.DataArray) or hasattr(given, "chunks"):
        array = given if isinstance(given, xarray.DataArray) else xarray.DataArray(given, dims=name)
    else:
        return None
    if not array.size:
        raise DomainError(f"{name} is empty: a grid needs at least one value of each")
    if name in _IN_ARRAYS and array.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be numbers or text with a unit; got {array.dtype}")
    units, wanted = array.attrs.get("units"), unit_of(name)
    if None not in (units, wanted) and units != wanted:
        problem = f"{{{name}}} must be in {{wanted}}; the array has units {{units!r}}"
        raise WrongValueError(problem, wanted=wanted, units=units)
    return array


def _is_list(given: object) -> bool:
    """Whether an argument has several values in one dimension without a name."""
    import pandas as pd

    is_text = isinstance(given, str | bytes)
    return isinstance(given, Sequence | np.ndarray | pd.Index) and not is_text


def _coordinate(name: str, values: list[Any]) -> "xarray.DataArray":
    """Numbers of a list, or places in it, along a dimension with its values as coordinate."""
    import xarray

    if name in _IN_ARRAYS:
        kind = kinds_of(predict)[name]
        numbers = np.asarray([read(name, v, kind) if isinstance(v, str) else v for v in values])
        if numbers.ndim > 1:
            raise DomainError(f"{name} has {numbers.ndim} dimensions: name them with a DataArray")
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            raise DomainError(f"{name} must be numbers; got NaN")
        return xarray.DataArray(numbers, dims=name, coords={name: numbers})
    shown = [*map(_shown, values)]
    return xarray.DataArray(np.arange(len(shown)), dims=name, coords={name: shown})


def _shown(value: object) -> object:
    """Return a number, or the id or text of an object: any format can hold it as a coordinate."""
    is_number = isinstance(value, int | float)
    return value if is_number else printable(str(getattr(value, "id", value)))


def _computed(
    names: Sequence[str],
    fixed: Mapping[str, Any],
    labels: Mapping[str, Sequence[Any]],
    quantities: Sequence[str],
    kinds: Sequence[type],
    *given: "npt.NDArray[Any]",
) -> "tuple[npt.NDArray[Any], ...]":
    """Variables of the dataset without their labels, from arrays that broadcast."""
    import pandas as pd

    shape = np.broadcast_shapes(*(each.shape for each in given))
    results: list[npt.NDArray[Any]] = [np.empty(math.prod(shape), kind) for kind in kinds]
    # a cost that was measured in another case is carried to one case at a time
    is_single = "cost_measured_with" in {*names, *fixed}
    arrays = [] if is_single else [name for name in names if name in _IN_ARRAYS]
    single = [name for name in names if name not in arrays]
    for start in range(0, math.prod(shape), _POINT_COUNT):
        place = np.arange(start, min(start + _POINT_COUNT, math.prod(shape)))
        at = np.unravel_index(place, shape)
        columns = [np.broadcast_to(each, shape)[at] for each in given]
        points = pd.DataFrame(
            {
                name: pd.Series(each, place, each.dtype)
                for name, each in zip(names, columns, strict=True)
            }
        )
        paths = points.groupby(single, dropna=False, sort=False) if single else [(None, points)]
        for _, path in paths:
            # hosts of a fleet have few MTUs and numbers of connections
            of_cases = path.groupby(arrays, dropna=False, sort=False) if arrays else None
            case_of = np.zeros(len(path), int) if of_cases is None else of_cases.ngroup()
            _, first = np.unique(case_of, return_index=True)
            one = {name: path[name].iloc[0] for name in single}
            one |= {name: each[one[name]] for name, each in labels.items()}
            one |= {name: path[name].to_numpy()[first] for name in arrays}
            known = _known(_predicted({**fixed, **one}), quantities)
            for result, each in zip(results, known, strict=True):
                result[path.index] = np.broadcast_to(each, len(first))[case_of]
    return tuple(each.reshape(shape) for each in results)


def _predicted(arguments: Mapping[str, Any]) -> "Prediction":
    """The prediction of one path, of one point or with arrays; paths without a line have none."""
    from netmodel.path import Unbounded
    from netmodel.path._unbounded import NO_LINE

    try:
        prediction = predict(**arguments)
    except DomainError as error:
        if type(error) is not DomainError:
            raise
        single = {name: np.ravel(each)[0] for name, each in arguments.items() if name in _IN_ARRAYS}
        prediction = predict(**{**arguments, **single})
        if not isinstance(prediction, Unbounded):
            # the index would be that among equal cases; the value says which point it is
            raise DomainError(re.sub(r" at index \(.*\)$", "", str(error))) from None
    if not isinstance(prediction, Unbounded):
        return prediction
    name = prediction.path.name or "the path"
    raise ArgumentsError(
        f"{name}: {NO_LINE}, so a sweep has no rates of it; netmodel predict has what "
        "documents print"
    )


def _known(prediction: "Prediction", quantities: Sequence[str]) -> "list[Any]":
    """Values, ends and bounds of the quantities, and the name of the bottleneck."""
    results: list[Any] = []
    has_mean = any(limit.rate.bound is Bound.MEAN for limit in prediction.limits)
    for name in quantities:
        known = _QUANTITIES[name](prediction)
        if known is None:
            results += [math.nan, math.nan, math.nan, ""]
        else:  # loss limits some of the cases of a path
            bound = Bound.MEAN if has_mean and name in _OF_RATES else known.bound
            results += [known.value, known.low, known.high, bound.value]
    # empty where a document bounds the rate more tightly
    return [*results, "" if prediction.binding is None else prediction.binding]
