"""Arguments that vary over a labelled grid, with their units and labels."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._numpy import np
from netmodel._quantities import UNITS, unit_of
from netmodel._text import near_name, printable
from netmodel.api._arguments import WrongValueError, number
from netmodel.errors import ContradictionError, DomainError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import xarray


EVERY_WHOLE_BELOW = 2**53
"""IEEE 754: a float64 has 53 digits of base 2."""


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


def varied_argument(name: str, given: object, as_labels: bool) -> Argument | None:
    """An argument as it varies over the grid; None where it is one value."""
    import pandas as pd
    import xarray

    if isinstance(given, pd.Series):
        given = _column(name, given)
    elif isinstance(given, pd.Index):
        given = given.to_numpy()
    if isinstance(given, xarray.DataArray):
        if "units" in given.attrs and not as_labels:
            _require_units(name, str(given.attrs["units"]))
        if not given.size:
            raise DomainError(f"{name} is empty: a grid needs at least one value of each")
        if as_labels:
            return _labelled(name, given)
        if given.dtype.kind not in "iuf":
            raise DomainError(f"{name} must be numbers; the array has {given.dtype}")
        return Argument(name, given)
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
        values = [whole_where_it_is(number(name, each)) for each in values]
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        raise DomainError(f"{name} must be numbers or text with a unit; got {given!r}")
    if numbers.ndim != 1:
        raise DomainError(f"{name} has {numbers.ndim} dimensions: name them with a DataArray")
    bad = np.flatnonzero(np.isnan(numbers))
    if bad.size:
        raise DomainError(f"{name} must be numbers; got NaN at index {bad[0]}")
    array = xarray.DataArray(numbers, dims=name, coords={name: numbers})
    array[name].attrs.update(attributes_of(name))
    return Argument(name, array)


def _column(name: str, series: "pd.Series[Any]") -> "xarray.DataArray":
    """A column of a frame: it varies along the rows, together with the other columns."""
    import xarray

    if series.index.nlevels > 1:
        raise DomainError(f"{name} has an index of several levels: give {name}.to_xarray()")
    rows = "index" if series.index.name is None else str(series.index.name)
    return xarray.DataArray(series.to_numpy(), dims=rows, coords={rows: series.index})


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
        array = array.assign_coords({name: [shown_label(each) for each in values.tolist()]})
    return Argument(name, array, tuple(labels))


def shown_label(value: object) -> object:
    """What an object is called in a coordinate, which any format can hold: its id, or itself."""
    if isinstance(value, int | float):
        return value
    return printable(str(getattr(value, "id", value)))


def _objects(values: Sequence[Any]) -> "npt.NDArray[np.object_]":
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def _require_units(name: str, units: str) -> None:
    """Raise DomainError where the units of an array are not those of an argument."""
    wanted = unit_of(name)
    if wanted is not None and units != wanted:
        raise WrongValueError(
            "{" + name + "} must be in {wanted}; the array has units {units!r}",
            wanted=wanted,
            units=units,
        )


def attributes_of(name: str, title: str | None = None) -> dict[str, str]:
    """Attributes of a variable or coordinate with this name."""
    unit = unit_of(name)
    words = " ".join(word for word in name.split("_") if word not in UNITS) or name
    return {"long_name": title or words, **({"units": unit} if unit else {})}


def require_known_arguments(
    function: Callable[..., Any], arguments: Mapping[str, object], more: Sequence[str] = ()
) -> None:
    """Raise ContradictionError where a function has no such argument."""
    known = [*inspect.signature(function).parameters, *more]
    for name in arguments:
        if name not in known:
            near = near_name(name, known)
            hint = f"did you mean {near}?" if near else f"it has {', '.join(known)}"
            raise ContradictionError(f"{function.__name__} has no argument {name}; {hint}")


def whole_where_it_is(value: float) -> float:
    """The same, without a point where it is whole; above 2^53 not every whole number is a float."""
    return int(value) if float(value).is_integer() and abs(value) < EVERY_WHOLE_BELOW else value


def first_value(array: "xarray.DataArray") -> float:
    """One value of an array, computed where it is lazy."""
    value: float = np.asarray(array.data[(0,) * array.ndim]).item()
    return value
