"""Predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from netmodel.api import arguments
from netmodel.api._questions import predict
from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import DomainError
from netmodel.estimates import Bound
from netmodel.lazy import extra
from netmodel.lazy_numpy import np
from netmodel.results import value_at
from netmodel.text import printable
from netmodel.units.columns import unit_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray

_POINTS, _PARTS = 2**12, 108
"""Points that are predicted at once, 32 KiB for each of two hundred arrays; of more such parts up
to three times as many, which take less than half the memory of the result."""
_NEAR, _CODED = 2**18, 2**14
"""Rows near each other, which caches hold: those of like MTUs among them go together; and values
that are numbered at once."""
_IN_ARRAYS = ("mtu_bytes", "connections", *arguments.OF_DISTANCE)
"""Arguments that take arrays; of each value of others there is one path, of costs one of a kind."""
_COSTS = ("client_cost", "server_cost")
_OF_RATES = ("throughput_bps", "transaction_rate_tps", "transaction_time_s")
_QUANTITIES = (*_OF_RATES, *(f"expected_{name}" for name in _OF_RATES), "zero_load_time_s")
_QUANTITIES += "lasting_throughput_bps", *(f"{side}_cpu_us_per_gbit" for side in Side)
_ENDS, _TYPES = ("", "_low", "_high", "_bound"), (float, float, float, object)
"""Variables of each quantity, and their types."""


def sweep(*, quantities: Sequence[str] = ("throughput_bps",), **given: Any) -> "xarray.Dataset":
    """
    Predict over a labelled grid.

    Parameters
    ----------
    quantities : str or sequence of str
        ``throughput_bps``, ``transaction_rate_tps``, ``transaction_time_s``, ``zero_load_time_s``,
        the first three as ``expected_...``, ``client_cpu_us_per_gbit``, ``server_cpu_us_per_gbit``,
        ``lasting_throughput_bps`` after a burst.
    **given
        Arguments of `netmodel.predict`. A list or array of one dimension is a coordinate of that
        name. A ``DataArray`` has dimensions and coordinates of its own, so that several arguments
        can vary together, as columns of a pandas ``DataFrame`` do.

    Returns
    -------
    dataset : xarray.Dataset
        Of each quantity four variables: the value, ``_low``, ``_high``, and ``_bound``, which
        says on which side of the true value it lies; texts show ``_high`` of a bound by a
        printed ratio. ``bottleneck`` holds the name of the binding limit, ``published limit`` where
        that is a printed row. Where arguments are arrays of dask, variables are too, and nothing is
        computed yet.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, or a path is known up to a factor only and has no rates.
    DomainError
        If a value cannot be.
    MissingPartError
        If xarray is not installed.
    UnitError
        If the text or the ``units`` of an argument are of another quantity.

    Notes
    -----
    Each point is that of a single prediction.

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
    known = arguments.kinds_of(predict)
    arguments.require_known("sweep", given, known)
    quantities = arguments.listed_values(quantities)
    if unknown := {*quantities} - {*_QUANTITIES}:
        raise DomainError(f"no quantity {min(unknown)}; there are {', '.join(_QUANTITIES)}")
    with extra("sweep"):
        import xarray
    varied, lists = dict[str, xarray.DataArray](), dict[str, list[Any]]()
    given = arguments.read_all({}, given)
    for name, values in given.items():
        # a column of pandas varies along the rows
        values = values.to_xarray() if hasattr(values, "to_xarray") else values  # noqa: PLW2901
        if hasattr(values, "chunks"):  # of xarray or dask
            varied[name] = xarray.DataArray(values, dims=getattr(values, "dims", name))
        elif arguments.is_several(values):
            if name in _IN_ARRAYS and (name not in arguments.OF_DISTANCE or None not in [*values]):
                places = shown = cast("Any", np.asarray(arguments.read(name, values, known[name])))
            else:  # places in the list: an array cannot hold records
                lists[name], shown = [*values], [*map(_shown, values)]
                places = np.arange(len(shown))
            varied[name] = xarray.DataArray(places, dims=name, coords={name: shown})
    if not varied:
        raise arguments.ArgumentsError("nothing varies: give a list or an array of an argument")
    for name, array in varied.items():
        if (wanted := unit_of(name)) and (units := array.attrs.get("units") or wanted) != wanted:
            raise DomainError(f"{name} must be in {wanted}; the array has units {units!r}")
    fixed = {name: value for name, value in given.items() if name not in varied}
    variables = [f"{name}{end}" for name in quantities for end in _ENDS] + ["bottleneck"]
    made = None if any(each.chunks is not None for each in varied.values()) else list[Any]()
    results = xarray.apply_ufunc(
        partial(_computed, [*varied], fixed, lists, quantities, made),
        *varied.values(),
        join="exact",
        output_core_dims=[[]] * len(variables),
        dask="parallelized",
        output_dtypes=[*_TYPES * len(quantities), object],
    )
    data = [xarray.Variable(results[0].dims, x, fastpath=True) for x in made or ()] or results
    dataset = xarray.Dataset(dict(zip(variables, data, strict=True)), results[0].coords)
    for name in [*variables, *varied]:
        if name in dataset and (unit := unit_of(re.sub("_(low|high)$", "", name))):
            dataset[name].attrs.setdefault("units", unit)
    return dataset.assign_attrs({name: _shown(value) for name, value in fixed.items()})


def _shown(value: object) -> object:
    """Return a number, or the id or text of an object: any format can hold it as a coordinate."""
    return value if isinstance(value, int | float) else printable(str(getattr(value, "id", value)))


def _computed(
    names: Sequence[str],
    fixed: Mapping[str, Any],
    lists: Mapping[str, Sequence[Any]],
    quantities: Sequence[str],
    made: "list[npt.NDArray[Any]] | None",
    *given: "npt.NDArray[Any]",
) -> "tuple[npt.NDArray[Any], ...]":
    """
    Return variables of the dataset, from arrays that broadcast; cases of a path at once.

    Or put them into a list, and return zeros that take no memory: of an array of names xarray
    would make a text for each point.
    """
    shape = np.broadcast(*given).shape
    arrays = {x: y[(None,) * (len(shape) - y.ndim)] for x, y in zip(names, given, strict=True)}
    together: Any = ["connections"] if "expected" in str(quantities) else (*_IN_ARRAYS, *_COSTS)
    # a cost is carried to one case at a time
    together = () if "cost_measured_with" in {*names, *fixed} else together
    costs, codes = dict[str, Any](), np.zeros(0, np.int32)
    path: npt.NDArray[Any] = np.zeros((1,) * len(shape), np.int32)
    for name, values in arrays.items():
        if name in together and name in _IN_ARRAYS and name not in lists:
            continue
        codes, found = _numbered(values)
        if name in together and name in _COSTS:  # of all costs of a kind there is one path
            kind, own = arguments.kinds_of(predict)[name], lists.get(name)
            known = [arguments.read(name, own[x] if own else x, kind) for x in found]
            parts = ("us_per_gbit", "s_per_transaction", "spread_ratio")
            figures = np.array([[getattr(x, part, None) for x in known] for part in parts], float)
            costs[name], arrays[name] = figures, codes.astype(np.min_scalar_type(len(known)))
            codes = np.unique((1, 2, 0) @ np.isfinite(figures), return_inverse=True)[1][codes]
        if codes.any():  # axes along which paths do not differ stay as they are
            path = _numbered(path * (codes.max() + 1) + codes)[0]
    single = [x for x in arrays if x not in costs and (x in lists or x not in together)]
    order = np.argsort(path, axis=None, kind="stable").astype(np.int32)
    paths = np.split(order, np.cumsum(np.bincount(path.flat))[:-1])
    blocks = _blocks(paths, path.shape, shape, arrays.get("mtu_bytes", path))
    del path, codes  # each takes a tenth of the memory of a result
    results = tuple(np.empty(shape, each) for each in (*_TYPES * len(quantities), object))
    for bounds in results[_ENDS.index("_bound") :: len(_ENDS)]:
        bounds[...] = Bound.UPPER.value  # the usual one is not written point by point
    for index in blocks:
        case = {name: _taken(each, index) for name, each in arrays.items()}
        case |= {name: np.asarray(case[name]).item(0) for name in single}
        case |= {name: lists[name][case[name]] for name in lists if name in single}
        for name, known in costs.items():
            us, time_s, spread = (None if np.isnan(x.flat[0]) else x for x in known[:, case[name]])
            case[name] = None if spread is None else CpuCost("", us, time_s, spread_ratio=spread)
        for result, each in zip(results, _found({**fixed, **case}, quantities), strict=True):
            if each is not Bound.UPPER.value:
                result[index] = each
    if made is None:
        return results
    made += results
    return (np.broadcast_to(0.0, shape),) * len(results)


def _numbered(values: "npt.NDArray[Any]") -> tuple[Any, list[Any]]:
    """Return which of the values that differ each one is, and these; a block at a time."""
    import pandas as pd

    codes, known = np.empty(values.shape, np.int32), dict[Any, int]()
    for some in (slice(x, x + _CODED) for x in range(0, values.size, _CODED)):
        places, found = pd.factorize(values.flat[some], use_na_sentinel=False)
        numbers = np.array([known.setdefault(each, len(known)) for each in found.tolist()])
        codes.flat[some] = numbers[places]
    return codes, [*known]


def _taken(values: "npt.NDArray[Any]", index: Sequence[Any]) -> Any:
    """Return values at indices of a block; those that do not differ along an axis once."""
    sizes = zip(index, values.shape, strict=True)
    return values[tuple(each if size > 1 else 0 for each, size in sizes)]


def _blocks(paths: Any, sizes: Sequence[int], shape: Sequence[int], mtu: Any) -> Iterator[Any]:
    """
    Yield an index of points of one path for each axis; together they broadcast.

    Along axes on which paths do not differ they are a grid, and what is the same there is computed
    once. Rows of like MTUs are together: messages of one frame have fewer bounds, and few blocks
    have an MTU that documents print.
    """
    others, count = [x for x, size in enumerate(sizes) if size == 1], math.prod(shape)
    ways, along = list[Any](map(range, shape)), int(np.argmax(mtu.shape))
    has_rows = sizes[along] == 1 < mtu.size == mtu.shape[along] and mtu.dtype.kind in "iu"
    for start in range(0, mtu.size if count else 0, _NEAR if has_rows else max(mtu.size, 1)):
        if has_rows:  # as 16 bits, which sort fast
            some: Any = np.argsort(np.uint16(mtu.flat[start : start + _NEAR]), kind="stable")
            ways[along] = some = np.int32(start + some)
        for points in paths:
            left, parts = min(max(count // _PARTS, _POINTS), _POINTS * 3), list[Any]()
            for way in (*(ways[x] for x in reversed(others)), points):
                step = math.ceil(len(way) / max(1, round(len(way) / left)))
                parts.insert(0, [way[x : x + step] for x in range(0, len(way), step)])
                left = max(1, left // max(1, len(parts[0][0])))
            for flat, *rest in (list(np.ix_(*each)) for each in product(*parts)):
                own = dict(enumerate(np.unravel_index(flat, sizes)))
                yield tuple((own | dict(zip(others, rest, strict=True))).values())


def _found(case: Mapping[str, Any], quantities: Sequence[str]) -> list[Any]:
    """Return values, ends and bounds of the quantities, and the name of the bottleneck."""
    from netmodel.path.stages import NO_LINE

    try:
        prediction = predict(**case)
    except DomainError as error:
        # the index would be that among cases of one path; the value says which point it is
        raise DomainError(re.sub(r" at index \(.*\)$", "", str(error))) from None
    if prediction.is_unbounded:
        raise arguments.ArgumentsError(f"{prediction.path.name}: {NO_LINE}, so no rates to sweep")
    results, has_mean = list[Any](), any(x.rate.bound is Bound.MEAN for x in prediction.limits)
    for name in quantities:
        side, is_cost, _ = name.partition("_cpu_us_per_gbit")
        path = name.replace("expected_", "expected.")
        known = prediction.cpu_us_per_gbit[Side(side)] if is_cost else value_at(prediction, path)
        if known is None:
            results += [np.nan, np.nan, np.nan, ""]
        else:  # loss limits some of the cases of a path
            bound = Bound.MEAN if has_mean and name in _OF_RATES else known.bound
            results += [known.value, known.low, known.high, bound.value]
    return [*results, prediction.binding]
