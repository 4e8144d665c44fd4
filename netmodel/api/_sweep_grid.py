"""A function over the grid that arguments span, as a dataset of xarray."""

import itertools
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any

from netmodel._numpy import np
from netmodel.api._sweep_arguments import Argument
from netmodel.errors import ContradictionError
from netmodel.planning._grid import Grid

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray


def evaluated(
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
