"""Recorded formulas as compiled loops (extra ``fast``), where that changes no digit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from math import inf, nan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._recording import Check, Operand, Recording

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

_EXPRESSIONS = {
    "absolute": "abs({0})",
    "add": "{0} + {1}",
    "ceil": "np.ceil({0})",
    "divide": "{0} / {1}",
    "equal": "{0} == {1}",
    "floor": "np.floor({0})",
    "greater": "{0} > {1}",
    "greater_equal": "{0} >= {1}",
    "less": "{0} < {1}",
    "less_equal": "{0} <= {1}",
    "logical_and": "{0} & {1}",
    "logical_not": "not {0}",
    "logical_or": "{0} | {1}",
    "maximum": "{0} if ({0} >= {1}) | ({0} != {0}) else {1}",
    "minimum": "{0} if ({0} <= {1}) | ({0} != {0}) else {1}",
    "multiply": "{0} * {1}",
    "negative": "-{0}",
    "not_equal": "{0} != {1}",
    "sqrt": "np.sqrt({0})",
    "square": "{0} * {0}",
    "subtract": "{0} - {1}",
    "where": "{1} if {0} else {2}",
}
"""Operations that IEEE 754 rounds in one way; logarithms and powers may end in another digit."""
_EXCEEDED = {"above": "<=", "at least": "<", "at most": ">", "below": ">="}
"""What a value does that breaks a limit; NaN breaks none."""
_ROW, _COLUMN, _BOTH = "[i]", "[j]", "[i, j]"


def can_be_compiled(recording: Recording) -> bool:
    """Whether a compiled loop gives the digits of numpy."""
    return all(step.operation in _EXPRESSIONS for step in recording.steps)


def has_numba() -> bool:
    """Whether the extra is installed and goes with this numpy."""
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Kernel:
    """
    A recorded formula as a loop over the points of a block; compiled when it is first used.

    Parameters
    ----------
    recording : Recording
        Its steps and checks.
    results : mapping of str to int or float
        Place of each result, or a constant.
    """

    recording: Recording
    results: Mapping[str, Operand]
    _loops: dict[tuple[str, ...], Callable[..., int]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def into(self, arrays: Sequence[Array], results: Mapping[str, Array]) -> bool:
        """Compute a block, as `Program.into`."""
        shape = next(iter(results.values())).shape
        columns = shape[-1] if shape else 1
        given = [_in_rows(each, shape) for each in arrays]
        indices = tuple(index for _, index in given)
        if indices not in self._loops:
            self._loops[indices] = _compiled("\n".join(self._lines(indices)))
        # blocks are one stretch of memory: see `Grid.has_whole_rows`
        written = [each.reshape(-1, columns) for each in results.values()]
        return not self._loops[indices](*(each for each, _ in given), *written)

    def _lines(self, indices: Sequence[str]) -> Iterator[str]:
        """Source of the loop."""
        steps, names = self.recording.steps, list(self.results)
        given = [f"a{place}" for place in range(len(indices))]
        written = [f"r{place}" for place in range(len(names))]
        yield f"def loop({', '.join([*given, *written])}):"
        yield "    wrong = 0"
        yield "    for i in range(r0.shape[0]):"
        for place, index in enumerate(indices):
            if index == _ROW:
                yield f"        x{place} = a{place}[i]"
        yield "        for j in range(r0.shape[1]):"
        for place, index in enumerate(indices):
            if index != _ROW:
                yield f"            x{place} = a{place}{index}"
        for place, step in enumerate(steps, len(indices)):
            expression = _EXPRESSIONS[step.operation].format(*map(_text, step.operands))
            yield f"            x{place} = {expression}"
        if self.recording.checks:
            yield f"            wrong += int({' | '.join(map(_broken, self.recording.checks))})"
        for name, result in zip(written, self.results.values(), strict=True):
            yield f"            {name}[i, j] = {_text(result)}"
        yield "    return wrong"


def _in_rows(array: Array, shape: tuple[int, ...]) -> tuple[Array, str]:
    """An argument as the loop reads it: one number a row, one a column, or one a point."""
    columns = shape[-1] if shape else 1
    if array.ndim and array.shape[-1] == columns and array.size == columns:
        return np.ascontiguousarray(array.reshape(columns)), _COLUMN
    if not array.ndim or array.shape[-1] == 1:
        rows = np.broadcast_to(array, (*shape[:-1], 1))
        return np.ascontiguousarray(rows.reshape(-1)), _ROW
    whole = array if array.shape == shape else np.broadcast_to(array, shape)
    return np.ascontiguousarray(whole).reshape(-1, columns), _BOTH


def _text(operand: Operand) -> str:
    return f"x{operand}" if isinstance(operand, int) else f"({operand!r})"


def _broken(check: Check) -> str:
    value, limit = _text(check.value), _text(check.limit)
    return f"({value} {_EXCEEDED[check.relation]} {limit}) | (abs({value}) == inf)"


@lru_cache(maxsize=64)  # loops of some hundred KiB each
def _compiled(source: str) -> Callable[..., int]:
    """The loop, compiled once in a process."""
    import numba

    names: dict[str, Any] = {"np": np, "inf": inf, "nan": nan}
    exec(source, names)
    # as numpy, x / 0 is infinite and raises nothing: a loop that may raise is not vectorised
    loop: Callable[..., int] = numba.njit(nogil=True, error_model="numpy")(names["loop"])
    return loop
