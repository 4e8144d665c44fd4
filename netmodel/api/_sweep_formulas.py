"""A formula over a labelled grid."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from netmodel._dataclasses import dataclass
from netmodel._lazy import extra
from netmodel._numpy import np
from netmodel._quantities import unit_of
from netmodel._recording import Recording
from netmodel._text import listed
from netmodel.api._arguments import ArgumentsError, number
from netmodel.api._sweep_arguments import (
    EVERY_WHOLE_BELOW,
    Argument,
    attributes_of,
    first_value,
    require_known_arguments,
    varied_argument,
)
from netmodel.api._sweep_grid import evaluated
from netmodel.errors import DomainError, NetmodelError
from netmodel.planning._grid import BLOCK_ELEMENT_COUNT, Arrays, Grid
from netmodel.planning._kernel import Kernel, can_be_compiled, has_numba
from netmodel.planning._program import Program

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray


COMPILED_POINT_COUNT = 10**7
"""From here on a loop is compiled where numba is installed: that takes about half a second, once in
a process for each formula, and 1e7 points of a simple formula 25 ms without."""
_COMPILED_BLOCK_ELEMENT_COUNT = 2**20
"""Elements that a compiled loop computes at once: it has no temporaries that must fit a cache."""
_COMPARED_COUNT = 32
"""Points along each axis of a first block at which the steps are compared with the formula."""
_COUNTED = ("1", "byte", None)
"""Units of what is counted; a rate is a float, also where it happens to be whole."""
_NOT_RECORDABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NetmodelError,
    TypeError,
    ValueError,
)
"""What a formula raises, given quantities without values, that branches on them."""


@dataclass(frozen=True)
class _Formula:
    """
    A formula with those arguments that do not vary.

    Its steps are recorded once and run block by block; the formula itself computes blocks in which
    a check fails, or a number is NaN, and raises what there is to raise.
    """

    function: Callable[..., Any]
    fixed: Mapping[str, object]
    names: tuple[str, ...]
    varied: tuple[str, ...]
    is_large: bool
    _fast: "list[Program | Kernel]" = field(init=False, repr=False, compare=False)
    _compared: list[bool] = field(default_factory=list, init=False, repr=False, compare=False)
    _required: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        recording = Recording(len(self.varied))
        fast: list[Program | Kernel] = []
        try:
            given = dict(zip(self.varied, recording.arguments(), strict=True))
            known = _named(self.function(**self.fixed, **given), self.names)
            results = {name: recording.operand(each) for name, each in known.items()}
        except _NOT_RECORDABLE:
            pass
        else:
            is_compiled = self.is_large and can_be_compiled(recording)
            fast.append((Kernel if is_compiled else Program)(recording, results))
        required = {
            name
            for place, name in enumerate(self.varied)
            if any(check.value == place and type(check.value) is int for check in recording.checks)
        }
        object.__setattr__(self, "_fast", fast)
        object.__setattr__(self, "_required", frozenset(required))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.function, self.fixed, self.names, self.varied, self.is_large)

    @property
    def is_compiled(self) -> bool:
        """Whether a compiled loop computes it."""
        return any(isinstance(each, Kernel) for each in self._fast)

    def __call__(self, arrays: Arrays, results: "Mapping[str, npt.NDArray[Any]]") -> None:
        """Write the results of a block."""
        given = self._as_floats(arrays)
        if given is not None and self._fast and self._fast[0].into(given, results):
            if self._compared:
                return
            # an error of recording must not go unseen
            some = tuple(
                slice(None, None, max(1, length // _COMPARED_COUNT))
                for length in next(iter(results.values())).shape
            )
            known = self._plain({name: _cut_by(each, some) for name, each in arrays.items()})
            computed = {name: each[some] for name, each in results.items()}
            if all(
                np.array_equal(each, np.broadcast_to(known[name], each.shape), equal_nan=True)
                for name, each in computed.items()
            ):
                self._compared.append(True)
                return
            self._use_the_formula()
        known = self._plain(arrays)
        for name, result in results.items():
            result[...] = known[name]

    def _use_the_formula(self) -> None:
        """From here on: the steps gave another digit."""
        self._fast.clear()

    def _plain(self, arrays: Arrays) -> dict[str, Any]:
        return _named(self.function(**self.fixed, **arrays), self.names)

    def _as_floats(self, arrays: Arrays) -> "list[npt.NDArray[np.float64]] | None":
        """Arrays as the checks of a formula return them; None where they keep another type."""
        given = [arrays[name] for name in self.varied]
        for name, each in zip(self.varied, given, strict=True):
            if each.dtype != np.float64 and (
                name not in self._required or each.dtype.kind not in "iuf"
            ):
                return None
        return [each.astype(np.float64, copy=False) for each in given]


def _cut_by(array: "npt.NDArray[Any]", part: tuple[slice, ...]) -> "npt.NDArray[Any]":
    """A part of an argument, which has length 1 where it does not vary."""
    return array[
        tuple(cut if n > 1 else slice(None) for cut, n in zip(part, array.shape, strict=True))
    ]


def _named(result: object, names: Sequence[str]) -> dict[str, Any]:
    """Results of a formula by name: of several the fields of what it returns."""
    if len(names) == 1 and not is_dataclass(result):
        return {names[0]: result}
    return {name: getattr(result, name) for name in names}


def sweep_formula(
    function: Callable[..., Any],
    arguments: Mapping[str, object],
    executor: Executor | None,
    on_done: Callable[[int, int], object] | None,
) -> "xarray.Dataset":
    with extra("sweep"):
        import xarray  # noqa: F401
    require_known_arguments(function, arguments)
    varied: list[Argument] = []
    fixed: dict[str, object] = {}
    for name, given in arguments.items():
        is_text = isinstance(given, str) and unit_of(name) is not None
        argument = None if is_text else varied_argument(name, given, as_labels=False)
        if argument is not None:
            varied.append(argument)
        else:
            fixed[name] = number(name, str(given)) if is_text else given
    if not varied:
        raise ArgumentsError("nothing varies: give a list or an array of at least one argument")
    # (1) what it returns, seen from the first point
    lacking = [
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        and name not in arguments
    ]
    if lacking:
        raise ArgumentsError(f"{function.__name__} needs {listed(lacking)} too")
    first = {each.name: first_value(each.array) for each in varied}
    sample = function(**fixed, **first)
    names, titles = _results_of(function, sample)
    # (2) all points
    shape = {dim: each.array.sizes[dim] for each in varied for dim in each.array.dims}
    is_large = math.prod(shape.values()) >= COMPILED_POINT_COUNT and has_numba()
    formula = _Formula(function, fixed, names, tuple(each.name for each in varied), is_large)
    kinds = {
        name: "U16" if isinstance(value, str) else "f8"
        for name, value in _named(sample, names).items()
    }
    block_size = _COMPILED_BLOCK_ELEMENT_COUNT if formula.is_compiled else BLOCK_ELEMENT_COUNT
    dataset = evaluated(
        varied,
        lambda alone: Grid(formula, kinds, alone, block_size, formula.is_compiled),
        executor,
        on_done,
    )
    for name, value in _named(sample, names).items():
        is_count = isinstance(value, int) and unit_of(name) in _COUNTED
        if is_count and _are_whole(dataset[name]):
            dataset[name] = dataset[name].astype(np.int64)
        dataset[name].attrs.update(attributes_of(name, titles.get(name)))
    dataset.attrs["formula"] = f"{function.__module__}.{function.__qualname__}"
    for name, value in fixed.items():
        dataset.attrs[name] = value if isinstance(value, int | float | str) else str(value)
    return dataset


def _are_whole(numbers: "xarray.DataArray") -> bool:
    """Whether all are whole numbers, such as counts; of lazy ones it is not known."""
    if numbers.chunks is not None:
        return False
    return bool((abs(numbers.values) < EVERY_WHOLE_BELOW).all() and not (numbers.values % 1).any())


def _results_of(
    function: Callable[..., Any], sample: object
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Names of the variables that a formula makes, and what they are."""
    # np.where makes arrays of no dimension of numbers
    is_single = isinstance(sample, np.ndarray) and not sample.ndim
    if isinstance(sample, int | float | np.generic) or is_single:
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
