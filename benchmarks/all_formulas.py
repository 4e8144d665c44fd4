"""
Cost of every public formula against its arithmetic alone, in one run.

The arithmetic is written anew from the recorded steps of the formula: for numbers as plain Python
with one ``if`` for each check, which asks for the range and for a finite number, and for arrays as
plain numpy that checks nothing. Both sides are timed in turn, in CPU time, and the smallest time of
each counts. Run it with a file as argument to write all ratios there too.
"""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import show, versions
from netmodel._recording import Operand, Recording, Step
from netmodel.errors import NetmodelError

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from formulas import CHOICES, DOMAINS, Formula, public_formulas

ROUNDS = 7
_TRIES = 100
"""Draws of numbers until a formula takes them."""
_CALL_COUNT = 2000
"""Calls of numbers in a round: some milliseconds."""
_ELEMENT_COUNT = 300_000
"""Elements of all calls of arrays in a round."""
_LENGTHS = (10_000, 30_000, 100_000)
_ALMOST_32_MIB = 2**22 - 2**12
"""Floats. Once an array of this size is freed, the C library of Linux keeps memory for those to
come, as in a process that has worked for a while; before, both sides also wait for fresh pages."""
_NUMBERS = {float: 2, np.float64: 3}
_ALLOWED = {
    **{f"one {kind.__name__}": allowed for kind, allowed in _NUMBERS.items()},
    **{f"one array of {length}": 1.05 for length in _LENGTHS},
    **{f"arrays of {length}": 1.05 for length in _LENGTHS},
}
_BOTH = {
    "absolute": "abs({0})",
    "add": "({0} + {1})",
    "divide": "({0} / {1})",
    "equal": "({0} == {1})",
    "greater": "({0} > {1})",
    "greater_equal": "({0} >= {1})",
    "less": "({0} < {1})",
    "less_equal": "({0} <= {1})",
    "multiply": "({0} * {1})",
    "negative": "(-{0})",
    "not_equal": "({0} != {1})",
    "square": "{0} ** 2",
    "subtract": "({0} - {1})",
}
_OF_NUMBERS = _BOTH | {
    **{name: f"math.{name}({{0}})" for name in ("ceil", "expm1", "floor", "log", "log1p", "sqrt")},
    "logical_and": "({0} and {1})",
    "logical_not": "(not {0})",
    "logical_or": "({0} or {1})",
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "power": "{0} ** {1}",
    "where": "({1} if {0} else {2})",
}
_RANGES = {
    "above": "{1} < {0} < inf",
    "at least": "{1} <= {0} < inf",
    "at most": "-inf < {0} <= {1}",
    "below": "-inf < {0} < {1}",
}


class Arithmetic:
    """
    A formula written out from its recorded steps.

    Parameters
    ----------
    formula : Formula
        What is recorded, with the first of each of its choices.
    """

    def __init__(self, formula: Formula) -> None:
        self.names = formula.quantities
        self.recording = Recording(len(self.names))
        given = dict(zip(self.names, self.recording.arguments(), strict=True))
        self.result = self.recording.operand(formula.function(**given, **fixed(formula)))

    def function(self, of_numbers: bool) -> Callable[..., Any]:
        """The arithmetic, checked where it is of numbers."""
        names: dict[str, Any] = {"np": np, "math": math, "inf": math.inf}
        source = [f"def arithmetic({', '.join(self.names)}):", *self._lines(of_numbers)]
        exec("\n    ".join(source), names)
        function: Callable[..., Any] = names["arithmetic"]
        return function

    def _lines(self, of_numbers: bool) -> Iterator[str]:
        checks = [each for each in self.recording.checks if isinstance(each.value, int)]
        roots: list[Operand] = [self.result]
        if of_numbers:
            roots += [operand for check in checks for operand in (check.value, check.limit)]
        used: Counter[str] = Counter()
        waiting = roots.copy()
        while waiting:
            operand = waiting.pop()
            used[repr(operand)] += 1
            if used[repr(operand)] == 1 and (step := self._step(operand)):
                waiting += step.operands
        known: dict[str, str] = {}
        if of_numbers:
            for check in checks:
                yield from self._assigned(check.value, used, known, of_numbers)
                yield from self._assigned(check.limit, used, known, of_numbers)
                value, limit = known[repr(check.value)], known[repr(check.limit)]
                condition = _RANGES[check.relation].format(value, limit)
                yield f"if not {condition}: raise ValueError({value!r})"
        yield from self._assigned(self.result, used, known, of_numbers)
        yield f"return {known[repr(self.result)]}"

    def _assigned(
        self,
        operand: Operand,
        used: Mapping[Operand, int],
        known: dict[Operand, str],
        of_numbers: bool,
    ) -> Iterator[str]:
        """Lines that make what is used several times; the text of the operand is known then."""
        key = repr(operand)  # the place 1 and the number 1.0 are equal
        if key in known:
            return
        step = self._step(operand)
        if step is None:
            known[key] = self.names[operand] if isinstance(operand, int) else _text(operand)
            return
        for each in step.operands:
            yield from self._assigned(each, used, known, of_numbers)
        of = [known[repr(each)] for each in step.operands]
        pattern = _OF_NUMBERS.get(step.operation) if of_numbers else _BOTH.get(step.operation)
        text = pattern.format(*of) if pattern else f"np.{step.operation}({', '.join(of)})"
        if used[key] > 1:
            yield f"x{operand} = {text}"
            text = f"x{operand}"
        known[key] = text

    def _step(self, operand: Operand) -> Step | None:
        """What makes a quantity; a minimum and a floor are recorded by what they are made of."""
        if not self._is_made(operand):
            return None
        step = self.recording.steps[int(operand) - len(self.names)]
        if step.operation != "negative" or not self._is_made(step.operands[0]):
            return step
        inner = self.recording.steps[int(step.operands[0]) - len(self.names)]
        opposites = {"maximum": "minimum", "ceil": "floor"}
        of = [self._opposite(each) for each in inner.operands]
        if inner.operation in opposites and None not in of:
            return Step(opposites[inner.operation], tuple(each for each in of if each is not None))
        return step

    def _is_made(self, operand: Operand) -> bool:
        return isinstance(operand, int) and operand >= len(self.names)

    def _opposite(self, operand: Operand) -> "Operand | None":
        """What an operand is the negative of."""
        if isinstance(operand, float):
            return -operand
        if not self._is_made(operand):
            return None
        step = self.recording.steps[operand - len(self.names)]
        return step.operands[0] if step.operation == "negative" else None


def _text(number: float) -> str:
    return f"{number:.0f}" if number.is_integer() and abs(number) < 2**53 else repr(number)


def fixed(formula: Formula) -> dict[str, object]:
    """The first of each choice."""
    return {name: CHOICES[name][0] for name in formula.choices}


def drawn(formula: Formula, kind: str) -> list[Any]:
    """Arguments of one kind, with which the formula has a result."""
    random = np.random.default_rng(0)
    ends = [DOMAINS[name] for name in formula.quantities]
    what, _, which = kind.rpartition(" ")
    if what == "one":
        number = next(each for each in _NUMBERS if each.__name__ == which)
        for _ in range(_TRIES):
            values = [number(random.uniform(*each)) for each in ends]
            with suppress(NetmodelError):
                called(formula, values)()
                return values
        raise LookupError(f"no valid numbers for {formula}")
    # in rising order, which is valid in most formulas where one argument limits another
    arrays = [np.sort(random.uniform(*each, int(which))) for each in ends]
    if what == "arrays of" or len(arrays) == 1:
        return arrays
    middle = [float(each[each.size // 2]) for each in arrays]
    return [middle[0], arrays[1], *middle[2:]]


def called(formula: Formula, values: list[Any]) -> Callable[[], Any]:
    """A call of the formula with these arguments."""
    if not formula.choices:
        return _call(formula.function, values)
    function = partial(formula.function, **fixed(formula))
    named = dict(zip(formula.quantities, values, strict=True))
    return lambda: function(**named)


def _call(function: Callable[..., Any], values: list[Any]) -> Callable[[], Any]:
    names = [f"v{place}" for place in range(len(values))]
    known = {"function": function, **dict(zip(names, values, strict=True))}
    made: Callable[[], Any] = eval(f"lambda: function({', '.join(names)})", known)
    return made


def ratio(formula: Formula, kind: str) -> float:
    """Time of the formula over that of its arithmetic; NaN where what is drawn is refused."""
    of_numbers = kind.startswith("one") and "array" not in kind
    values = drawn(formula, kind)
    calls = called(formula, values), _call(Arithmetic(formula).function(of_numbers), values)
    try:
        np.testing.assert_allclose(calls[0](), calls[1](), rtol=1e-9)
    except NetmodelError:
        return math.nan
    count = _CALL_COUNT
    if not of_numbers:
        count = max(1, _ELEMENT_COUNT // max(np.size(each) for each in values))
    best = [math.inf, math.inf]
    for _ in range(ROUNDS):
        for place, call in enumerate(calls):
            start = time.process_time()
            for _ in range(count):
                call()
            best[place] = min(best[place], time.process_time() - start)
    return best[0] / best[1]


def main(file: str | None = None) -> None:
    """Print how the ratios of all formulas spread, and write it to the file."""
    np.empty(_ALMOST_32_MIB)
    formulas, rows = public_formulas(), []
    for kind, allowed in _ALLOWED.items():
        known = {str(each): ratio(each, kind) for each in formulas}
        known = {name: each for name, each in known.items() if each == each}
        ordered = sorted(known, key=known.__getitem__)
        middle, tenth = (known[ordered[int(share * len(ordered))]] for share in (0.5, 0.9))
        within = sum(each <= allowed for each in known.values())
        worst = f"{known[ordered[-1]]:.2f} {ordered[-1]}"
        numbers = (f"{middle:.2f}", f"{tenth:.2f}", worst, f"{allowed:g}")
        rows.append((kind, *numbers, f"{within} of {len(known)}"))
    head = ("called with", "median", "nine in ten", "worst", "at most", "formulas within")
    show(head, rows, versions("numpy"), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
