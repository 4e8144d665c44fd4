"""
How far formulas are from arithmetic of many digits, at the worst arguments that a search finds.

Each formula is computed by the library in floats, and of the same arguments with 50 digits: as its
symbolic form, or in closed form where it has none (``exact_forms``).

    python tests/numerics.py FILE.csv

searches all of them and writes the table; ``make numerics`` does so for the documentation.
"""

import argparse
import csv
import math
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import sympy
from exact_forms import EXACT_FORMS, ExactForm
from formulas import CHOICES, DOMAINS, Formula, public_formulas
from mpmath import mp, mpf

from netmodel.errors import ContradictionError, DomainError
from netmodel.symbolic import expression

__all__ = ["CASES", "Case", "Worst", "compared", "drawn_points", "read_arguments", "worst_of"]

ROUNDING_RATIO = 2.0**-53
"""Half a unit in the last place: what storing one number may change."""
DIGITS = 50
"""Three times those of a float, so that a formula may lose two thirds of them unnoticed."""
NEARBY_RATIO = mpf(4) * 10**-12
"""Change of an argument that shows how a result depends on it; above the 1e-12 by which formulas
round whole numbers on purpose, so that such a step counts as a result that depends on the argument
and not as a wrong digit."""
LEAST_SHARE = 1e-12
"""Smallest drawn value over the largest, where an argument may be zero."""
POINT_COUNT = 400
STEP_COUNT = 200
"""Random points of each formula, and steps of each of the searches from the worst of them."""
START_COUNT = 2
FEW_COUNT = 3
"""Roundings that a formula of two or three operations makes."""

Arguments = dict[str, float]


@dataclass(frozen=True)
class Case:
    """
    A formula, with the choices among its arguments made.

    Parameters
    ----------
    name : str
        Dotted name, and the choices.
    formula : Formula or ExactForm
        What is compared.
    chosen : mapping of str to object
        Arguments that are no quantities.
    """

    name: str
    formula: Formula | ExactForm
    chosen: Mapping[str, object]

    @property
    def domains(self) -> Mapping[str, tuple[float, float]]:
        if isinstance(self.formula, ExactForm):
            return self.formula.domains
        return {name: DOMAINS[name] for name in self.formula.quantities}

    @property
    def whole(self) -> frozenset[str]:
        return self.formula.whole if isinstance(self.formula, ExactForm) else frozenset()

    def exact(self, arguments: Arguments) -> Any:
        """The result with many digits."""
        with mp.workdps(DIGITS):
            return _exact(self)(*(mpf(each) for each in arguments.values()))

    def error_ratio(self, arguments: Arguments) -> float | None:
        """
        Relative error of the floats.

        None where arguments contradict each other, or the result is so near zero that floats of
        this size have fewer digits.
        """
        try:
            result = self.formula.function(**self.chosen, **arguments)
        except (ContradictionError, DomainError):
            return None
        exact = self.exact(arguments)
        with mp.workdps(DIGITS):
            if result == exact:
                return 0.0
            if 0 < abs(exact) < sys.float_info.min:
                return None
            return float(abs((result - exact) / exact)) if exact else math.inf

    def condition(self, arguments: Arguments) -> float:
        """Relative change of the result over that of the arguments, summed over them."""
        with mp.workdps(DIGITS):
            exact = self.exact(arguments)
            total = mpf(0)
            for name in set(arguments) - self.whole:
                ends = (
                    self.exact(arguments | {name: arguments[name] * (1 + step)})
                    for step in (NEARBY_RATIO, -NEARBY_RATIO)
                )
                total += max(abs(end - exact) for end in ends) / NEARBY_RATIO
            return float(total / abs(exact)) if exact else 0.0

    def excess(self, arguments: Arguments, error_ratio: float) -> float:
        """The error in roundings, over what rounding the arguments themselves would change."""
        count = error_ratio / ROUNDING_RATIO
        # so few are never worth a closer look
        return count if count < FEW_COUNT else count / max(1.0, self.condition(arguments))


def _exact(case: Case) -> Any:
    if isinstance(case.formula, ExactForm):
        return case.formula.exact
    return _lambdified(case.name)


@cache
def _lambdified(name: str) -> Any:
    case = CASES[name]
    form = expression(case.formula.function, **case.chosen)
    by_name = {each.name: each for each in form.free_symbols}
    symbols = [by_name.get(each, sympy.Dummy()) for each in case.domains]
    return sympy.lambdify(symbols, form, "mpmath")


def _cases() -> Iterator[Case]:
    for formula in public_formulas():
        for values in product(*(CHOICES[name] for name in formula.choices)):
            chosen = dict(zip(formula.choices, values, strict=True))
            words = [f", {name} {value}" for name, value in chosen.items()]
            yield Case("".join([str(formula), *words]), formula, chosen)
    for name, form in EXACT_FORMS.items():
        yield Case(name, form, {})


CASES = {case.name: case for case in _cases()}


def drawn_points(case: Case, count: int) -> Iterator[Arguments]:
    """Points of each order of magnitude, at bounds, of whole numbers, and of equal numbers."""
    chance = random.Random(case.name)
    for _ in range(count):
        point = {name: _drawn(chance, *ends) for name, ends in case.domains.items()}
        if chance.random() < 0.2 and len(point) > 1:
            first, second = chance.sample(sorted(point), 2)
            point[first] = point[second]
        yield _inside(case, point)


def _drawn(chance: random.Random, low: float, high: float) -> float:
    kind = chance.random()
    if kind < 0.1:
        return chance.choice((low, high))
    if kind < 0.2:
        return chance.uniform(low, high)
    value = math.exp(chance.uniform(math.log(low or high * LEAST_SHARE), math.log(high)))
    return float(round(value)) if kind < 0.4 else value


def _inside(case: Case, point: Arguments) -> Arguments:
    """The nearest point of the domain."""
    inside = {}
    for name, (low, high) in case.domains.items():
        value = min(max(float(point[name]), low), high)
        inside[name] = round(value) if name in case.whole else value
    return inside


@dataclass(frozen=True)
class Worst:
    """
    The largest errors of a formula.

    Parameters
    ----------
    error_ratio, condition : float
        Largest relative error, and how strongly the result depends on the arguments there.
    arguments : dict of str to float
        Where it was found.
    excess : float
        Most roundings beyond those of the arguments.
    excess_arguments : dict of str to float
        Where it was found.
    """

    error_ratio: float
    condition: float
    arguments: Arguments
    excess: float
    excess_arguments: Arguments


def compared(case: Case, points: Iterator[Arguments]) -> list[tuple[float, float, Arguments]]:
    """Error and excess of each point that the formula accepts."""
    found = []
    for point in points:
        error_ratio = case.error_ratio(point)
        if error_ratio is not None:
            found.append((error_ratio, case.excess(point, error_ratio), point))
    return found


def worst_of(case: Case, point_count: int = POINT_COUNT, step_count: int = STEP_COUNT) -> Worst:
    """The largest error among random points, and on the way uphill from the worst of them."""
    found = compared(case, drawn_points(case, point_count))
    for place in (0, 1):
        for start in sorted(found, key=lambda each: -each[place])[:START_COUNT]:
            found.append(_climbed(case, start, place, step_count))
    error_ratio, _, arguments = max(found, key=lambda each: each[0])
    _, excess, where = max(found, key=lambda each: each[1])
    return Worst(error_ratio, case.condition(arguments), arguments, excess, where)


def _climbed(
    case: Case, start: tuple[float, float, Arguments], place: int, step_count: int
) -> tuple[float, float, Arguments]:
    """The best of ever smaller random changes of one or two arguments."""
    chance, best = random.Random(case.name), start
    for step in range(step_count):
        width = 10 ** (-8 * step / step_count)
        point = dict(best[2])
        for name in chance.sample(sorted(point), min(len(point), chance.choice((1, 2)))):
            point[name] *= math.exp(width * chance.gauss())
        found = compared(case, iter([_inside(case, point)]))
        best = max([best, *found], key=lambda each: each[place])
    return best


def read_arguments(case: Case, text: str) -> Arguments:
    """Arguments as the table has them."""
    pairs = (each.split("=") for each in text.split("; "))
    return {name: (int if name in case.whole else float)(value) for name, value in pairs}


def _row(name: str, worst: Worst) -> dict[str, str]:
    return {
        "formula": name,
        "error_ratio": f"{worst.error_ratio:.2e}",
        "condition": f"{worst.condition:.2e}",
        "excess": f"{worst.excess:.2f}",
        "arguments": _text(worst.arguments),
        "excess_arguments": _text(worst.excess_arguments),
    }


def _text(arguments: Arguments) -> str:
    return "; ".join(f"{name}={value!r}" for name, value in arguments.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("file", type=Path, help="the table to write")
    parser.add_argument("--formula", default="", help="only those whose name contains this")
    arguments = parser.parse_args()
    found = {name: worst_of(case) for name, case in CASES.items() if arguments.formula in name}
    order = sorted(found, key=lambda name: (-found[name].error_ratio, name))
    rows = [_row(name, found[name]) for name in order]
    with arguments.file.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
