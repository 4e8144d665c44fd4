"""Recorded formulas in plain numpy: the same steps, into scratch arrays that each block reuses."""

import operator
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._recording import Check, Operand, Recording, Step

if TYPE_CHECKING:
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

LOGICAL = frozenset(
    {
        "equal",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "logical_and",
        "logical_not",
        "logical_or",
        "not_equal",
    }
)
"""Operations whose results are true or false."""
_SLOW_WITH_NUMBERS = frozenset({"maximum", "minimum"})
"""Operations that take 5 to 10 times as long with a number as with an array of it (numpy 2.4)."""
_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "above": operator.gt,
    "at least": operator.ge,
    "at most": operator.le,
    "below": operator.lt,
}


def _where(condition: Array, if_true: Any, if_false: Any, out: Array) -> None:
    np.copyto(out, if_false)
    np.copyto(out, if_true, where=condition)


class _Call(NamedTuple):
    """A step: its function, the slots of its operands and that of its result."""

    function: Callable[..., object]
    operands: tuple[int, ...]
    out: int


class _Limits(NamedTuple):
    """What one quantity must keep: numbers, or other quantities in their slots."""

    slot: int
    relations: tuple[tuple[str, Operand], ...]


@dataclass
class _Plan:
    """
    Calls for blocks of one shape.

    Parameters
    ----------
    slots : list
        Arguments first, then results of steps, then constants; None where a block brings its own.
    work : list
        Calls and limits in their order.
    direct : dict of int to str
        Slots that are arrays of the results.
    copied : dict of str to int
        Results that are copied from slots at the end.
    """

    slots: list[Any]
    work: list[_Call | _Limits]
    direct: dict[int, str]
    copied: dict[str, int]


@dataclass(frozen=True)
class Program:
    """
    A recorded formula.

    Parameters
    ----------
    recording : Recording
        Its steps and checks.
    results : mapping of str to int or float
        Place of each result, or a constant.
    """

    recording: Recording
    results: Mapping[str, Operand]
    _plans: dict[object, _Plan] = field(default_factory=dict, repr=False, compare=False)

    def into(self, arrays: Sequence[Array], results: Mapping[str, Array]) -> bool:
        """
        Compute a block.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            Arguments that broadcast to the shape of the results.
        results : mapping of str to numpy.ndarray
            What is written.

        Returns
        -------
        holds : bool
            Whether all checks surely hold; else the results mean nothing.
        """
        shape = next(iter(results.values())).shape
        # scratch arrays are those of one thread
        key = (threading.get_ident(), shape, *(each.shape for each in arrays))
        if key not in self._plans:
            self._plans[key] = self._planned([each.shape for each in arrays], shape)
        plan = self._plans[key]
        slots = plan.slots.copy()
        slots[: len(arrays)] = arrays
        for slot, name in plan.direct.items():
            slots[slot] = results[name]
        with np.errstate(all="ignore"):
            for each in plan.work:
                if isinstance(each, _Call):
                    each.function(*[slots[slot] for slot in each.operands], out=slots[each.out])
                elif not _hold(each, slots):
                    return False
        for name, slot in plan.copied.items():
            results[name][...] = slots[slot]
        return True

    def _planned(self, shapes: list[tuple[int, ...]], shape: tuple[int, ...]) -> _Plan:
        recording = self.recording
        first = recording.argument_count
        slots: list[Any] = [None] * (first + len(recording.steps))
        for step in recording.steps:
            of = [shapes[each] for each in step.operands if isinstance(each, int)]
            shapes.append(np.broadcast_shapes(*of))
        copied, direct = {}, {}
        for name, operand in self.results.items():
            slot = _slot(slots, operand)
            is_own = first <= slot < len(shapes) and slot not in direct
            if is_own and shapes[slot] == shape and not _is_logical(recording.steps[slot - first]):
                direct[slot] = name
            else:
                copied[name] = slot
        last_use = self._last_uses() | {slot: len(slots) for slot in copied.values()}
        free: dict[object, list[Array]] = defaultdict(list)
        work: list[_Call | _Limits] = list(self._limits(range(first), slots))
        for place, step in enumerate(recording.steps, first):
            ended = [
                slots[each]
                for each in dict.fromkeys(step.operands)
                if isinstance(each, int) and last_use[each] == place and slots[each] is not None
            ]
            if step.operation != "where":
                _release(ended, free)
            if place not in direct:
                kind = (shapes[place], np.dtype(bool if _is_logical(step) else float))
                slots[place] = free[kind].pop() if free[kind] else np.empty(*kind)
            if step.operation == "where":
                _release(ended, free)
            function = _where if step.operation == "where" else getattr(np, step.operation)
            spread = shapes[place] if step.operation in _SLOW_WITH_NUMBERS else None
            operands = tuple(_slot(slots, each, spread) for each in step.operands)
            work += [_Call(function, operands, place), *self._limits([place], slots)]
        return _Plan(slots, work, direct, copied)

    def _last_uses(self) -> dict[int, int]:
        """The last step or check, by its place, that reads each quantity."""
        last: dict[int, int] = defaultdict(int)
        for place, step in enumerate(self.recording.steps, self.recording.argument_count):
            last |= {each: place for each in step.operands if isinstance(each, int)}
        for check in self.recording.checks:
            places = [each for each in (check.value, check.limit) if isinstance(each, int)]
            # a buffer that a check reads at a step is free from the next step on
            last |= {each: max(last[each], max(places) + 1) for each in places}
        return last

    def _limits(self, places: Sequence[int], slots: list[Any]) -> Iterator[_Limits]:
        """Checks that can be made once the quantities at these places are there."""
        by_value: dict[Operand, list[Check]] = defaultdict(list)
        for check in self.recording.checks:
            if max(each for each in (check.value, check.limit) if isinstance(each, int)) in places:
                by_value[check.value].append(check)
        for value, checks in by_value.items():
            relations = tuple((check.relation, check.limit) for check in checks)
            yield _Limits(_slot(slots, value), relations)


def _is_logical(step: Step) -> bool:
    return step.operation in LOGICAL


def _slot(slots: list[Any], operand: Operand, spread: tuple[int, ...] | None = None) -> int:
    """The slot of an operand: a constant has a new one, and is an array where a shape is given."""
    if isinstance(operand, int):
        return operand
    slots.append(operand if spread is None else np.full(spread, operand))
    return len(slots) - 1


def _release(arrays: Sequence[Array], free: dict[object, list[Array]]) -> None:
    for each in arrays:
        free[each.shape, each.dtype].append(each)


def _hold(limits: _Limits, slots: Sequence[Any]) -> bool:
    """Whether the limits surely hold; NaN asks for a closer look."""
    value = slots[limits.slot]
    # one pass each, shared by all limits of this quantity
    low = np.minimum.reduce(value, axis=None) if isinstance(value, np.ndarray) else value
    high = np.maximum.reduce(value, axis=None) if isinstance(value, np.ndarray) else value
    if not (low > -inf and high < inf):
        return False
    for relation, limit in limits.relations:
        if isinstance(limit, int):
            if not _RELATIONS[relation](value, slots[limit]).all():
                return False
        elif not _RELATIONS[relation](high if relation in {"at most", "below"} else low, limit):
            return False
    return True
