"""Predictions over labelled grids, as datasets of xarray (extra ``sweep``)."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from netmodel.api import arguments
from netmodel.api._questions import predict
from netmodel.api.arguments import OF_DISTANCE
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

_POINTS = 2**12
"""Points that are predicted at once: 32 KiB for each of a few hundred arrays."""
_IN_ARRAYS = ("mtu_bytes", "connections", *OF_DISTANCE)
"""Arguments that take arrays; of each value of others there is one path, of costs one of a kind."""
_COSTS = ("client_cost", "server_cost")
_OF_RATES = ("throughput_bps", "transaction_rate_tps", "transaction_time_s")
_QUANTITIES = (*_OF_RATES, *(f"expected_{name}" for name in _OF_RATES), "zero_load_time_s")
_QUANTITIES += "lasting_throughput_bps", *(f"{side}_cpu_us_per_gbit" for side in Side)
_ENDS, _TYPES = ("", "_low", "_high", "_bound"), (float, float, float, object)
"""Variables of each quantity, and their types."""


def sweep(*, quantities: Sequence[str] = ("throughput_bps",), **given: Any) -> "xarray.Dataset":
    """
    Predictions over a labelled grid.

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
        says on which side of the true value it lies. ``bottleneck`` holds the name of the
        binding limit. Where arguments are arrays of dask, variables are too, and nothing is
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
            if name in _IN_ARRAYS and (name not in OF_DISTANCE or None not in [*values]):
                shown: Any = np.asarray(arguments.read(name, values, known[name]))
                places = shown
            else:  # places in the list: an array cannot hold records
                lists[name], shown = [*values], [*map(_shown, values)]
                places = np.arange(len(shown))
            varied[name] = xarray.DataArray(places, dims=name, coords={name: shown})
    if not varied:
        raise arguments.ArgumentsError("nothing varies: give a list or an array of an argument")
    for name, array in varied.items():
        units, wanted = array.attrs.get("units"), unit_of(name)
        if None not in (units, wanted) and units != wanted:
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
    dataset = xarray.Dataset(dict(zip(variables, results, strict=True)))
    for name, values in zip(variables, made or (), strict=False):
        dataset[name] = xarray.Variable(dataset[name].dims, values, fastpath=True)
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
    import pandas as pd

    arrays = dict(zip(names, np.broadcast_arrays(*given), strict=True))
    shape = np.broadcast(*given).shape
    together: Sequence[str] = (*_IN_ARRAYS, *_COSTS)
    if "expected" in str(quantities):
        together = ["connections"]
    if "cost_measured_with" in {*names, *fixed}:  # a cost is carried to one case at a time
        together = ()
    single, costs = list[str](), dict[str, Any]()
    path: npt.NDArray[Any] = np.zeros(shape, np.intp)
    for name, values in zip(names, given, strict=True):
        if name in together and name in _IN_ARRAYS and name not in lists:
            continue
        numbers, found = pd.factorize(values.ravel(), use_na_sentinel=False)
        codes: Any = numbers.astype(np.int32).reshape(values.shape)
        if name in together and name in _COSTS:  # of all costs of a kind there is one path
            texts = (lists[name][each] if name in lists else each for each in found.tolist())
            figures = np.array([_figures(name, each) for each in texts])
            costs[name] = figures, np.broadcast_to(codes, shape)
            codes = (np.isfinite(figures) @ (1, 2, 0))[codes]
        else:
            single.append(name)
        # numbers of the combinations so far, which stay small
        path = pd.factorize((path * (codes.max(initial=0) + 1) + codes).ravel())[0].reshape(shape)
    order = np.argsort(path, axis=None, kind="stable").astype(np.int32)
    of_paths = np.split(order, np.cumsum(np.bincount(path.flat))[:-1])
    del path  # as large as a result
    types = [*_TYPES * len(quantities), object]
    results: tuple[npt.NDArray[Any], ...] = tuple(np.empty(shape, each) for each in types)
    for points in (x[i : i + _POINTS] for x in of_paths for i in range(0, len(x), _POINTS)):
        case: dict[str, Any] = {name: each.flat[points] for name, each in arrays.items()}
        case |= {name: case[name].tolist()[0] for name in single}
        case |= {name: lists[name][case[name]] for name in lists if name in single}
        case |= {name: _cost(known[codes.flat[points]]) for name, (known, codes) in costs.items()}
        for result, each in zip(results, _found({**fixed, **case}, quantities), strict=True):
            result.flat[points] = each
    if made is None:
        return results
    made += results
    return (np.broadcast_to(0.0, shape),) * len(results)


def _figures(name: str, given: Any) -> tuple[Any, ...]:
    """Return a cost per data, or per transaction, and half its range; NaN for what is not given."""
    cost = None if given is None else arguments.cost_of(name, given)
    if cost is None:
        return np.nan, np.nan, np.nan
    us, time_s = (np.nan if x is None else x for x in (cost.us_per_gbit, cost.s_per_transaction))
    return us, time_s, cost.spread_ratio


def _cost(figures: "npt.NDArray[Any]") -> CpuCost | None:
    """Return costs of one kind as one with arrays."""
    us, time_s, spread = (None if np.isnan(each[0]) else each for each in figures.T)
    return None if spread is None else CpuCost("", us, time_s, spread_ratio=spread)


def _found(case: Mapping[str, Any], quantities: Sequence[str]) -> list[Any]:
    """Return values, ends and bounds of the quantities, and the name of the bottleneck."""
    from netmodel.path.stages import NO_LINE

    try:
        prediction = predict(**case)
    except DomainError as error:
        # the index would be that among cases of one path; the value says which point it is
        raise DomainError(re.sub(r" at index \(.*\)$", "", str(error))) from None
    if prediction.is_unbounded:
        problem = f"{prediction.path.name}: {NO_LINE}, so a sweep has no rates of it"
        raise arguments.ArgumentsError(problem)
    results: list[Any] = []
    has_mean = any(limit.rate.bound is Bound.MEAN for limit in prediction.limits)
    for name in quantities:
        side, is_cost, _ = name.partition("_cpu_us_per_gbit")
        path = name.replace("expected_", "expected.")
        known = prediction.cpu_us_per_gbit[Side(side)] if is_cost else value_at(prediction, path)
        if known is None:
            results += [np.nan, np.nan, np.nan, ""]
        else:  # loss limits some of the cases of a path
            bound = Bound.MEAN if has_mean and name in _OF_RATES else known.bound
            results += [known.value, known.low, known.high, bound.value]
    # empty where a document bounds the rate more tightly
    return [*results, "" if prediction.binding is None else prediction.binding]
