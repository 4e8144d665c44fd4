"""Quantities with units of other libraries are converted exactly or refused; no unit is lost."""

import inspect
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from formulas import DOMAINS, FORMULA_LAYERS, public_functions, valid_arguments

import netmodel
from netmodel import (
    consumption,
    units,
)
from netmodel.errors import DomainError, NetmodelError, UnitError

pint = pytest.importorskip("pint")
registry = pint.UnitRegistry()

OTHER_UNITS = {
    "us_per_gbit": ("µs/Gbit", "s/Gbit"),
    "bps": ("bit/s", "MB/s"),
    "fps": ("1/s", "1/ms"),
    "tps": ("1/s", "1/ms"),
    "hz": ("Hz", "GHz"),
    "bytes": ("byte", "kilobit"),
    "bits": ("bit", "byte"),
    "ratio": ("1", "percent"),
    "count": ("1", "percent"),
    "connections": ("1", "percent"),
    "km": ("km", "m"),
    "m": ("m", "km"),
    "s": ("s", "ms"),
}
"""Unit of a number by the last words of its name, and another of its dimension, for pint."""
IN_PINT = {None: "", "1": "", "µs/Gbit": "us/Gbit"}
WRONG_UNIT = "kelvin"
OSA = "osa-express7s-25gbe"


def units_of(name: str) -> tuple[str | None, str]:
    """The unit of an argument by its name, and another one; None where it has no unit."""
    plain = f"_{name.partition('[')[0]}"
    ending = next((each for each in OTHER_UNITS if plain.endswith(f"_{each}")), None)
    return (None, "percent") if ending is None else OTHER_UNITS[ending]


def quantity(name: str, value: Any, wrong: bool = False) -> Any:
    """The number of an argument in another unit of its dimension, or in one of another."""
    number = np.array(value, dtype=float) if isinstance(value, list) else value
    if wrong:
        return registry.Quantity(number, WRONG_UNIT)
    unit, other = units_of(name)
    return registry.Quantity(number, IN_PINT.get(unit, unit)).to(other)


# Formulas and constructors


def formula_arguments() -> Iterator[tuple[Callable[..., Any], dict[str, Any], str]]:
    """Each function of the formula packages with valid arguments, and each that is a number."""
    for function in public_functions(*FORMULA_LAYERS, units):
        given = valid_arguments(function)
        for name in inspect.signature(function).parameters:
            usual = sum(DOMAINS[name]) / 2 if name in DOMAINS else None
            value = given.get(name, usual)
            if isinstance(value, int | float | list) and not isinstance(value, bool):
                yield function, given, name


def refusal_of(
    function: Callable[..., Any], arguments: dict[str, Any], name: str, given: Any
) -> str:
    """Why an argument is refused; a warning that numpy strips its unit is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((DomainError, UnitError)) as refused:
            function(**arguments | {name: given})
    return str(refused.value)


def test_every_formula_refuses_a_quantity_and_says_the_unit() -> None:
    """Formulas take plain numbers: a quantity, of a right dimension or not, needs converting."""
    count = 0
    for function, given, name in formula_arguments():
        if function is consumption.parse_consumption_us_per_gbit:
            continue  # it looks at no number, unless its text has the unit for which it needs one
        value = given.get(name, sum(DOMAINS.get(name, (0, 2))) / 2)
        unit, _ = units_of(name)
        wanted = "a number without a unit" if unit in (None, "1") else f"a number in {unit}"
        for wrong in (False, True):
            problem = refusal_of(function, given, name, quantity(name, value, wrong))
            assert problem.startswith(name), (function, problem)
            assert wanted in problem or unit in (None, "1"), (function, problem)
            count += 1
    assert count > 300


# Questions


STREAM = {"adapter": OSA, "workload": "str-writex30k", "mtu_bytes": 1500, "connections": 1}
QUESTIONS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
NO_NUMBERS = {"where", "sources"}


def question_cases() -> Iterator[Any]:
    for question, case in ((name, each) for name, rows in QUESTIONS.items() for each in rows):
        fixed = case["arguments"]
        for name, value in (fixed | case.get("added", {})).items():
            if not isinstance(value, str) and name not in NO_NUMBERS:
                function = getattr(netmodel, question)
                yield pytest.param(function, fixed, name, value, id=f"{question} {name}")


def answer(question: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """All that a question answers, or why it refuses."""
    try:
        result = question(**arguments)
    except NetmodelError as error:
        return str(error)
    plain = [each.to_dict() for each in result] if isinstance(result, tuple) else result.to_dict()
    return re.sub(r"(?<=\d)\.0(?!\d)", "", str(plain))  # a whole number may be a float


UNITS_OF_OBJECTS = {"results": "rate_bps", "flows": "rate_bps", "mtu": "mtu_bytes"}


@pytest.mark.parametrize(("question", "fixed", "name", "value"), list(question_cases()))
def test_a_question_converts_a_quantity_or_says_the_unit(
    question: Callable[..., Any], fixed: dict[str, Any], name: str, value: Any
) -> None:
    if question is netmodel.sweep:
        pytest.importorskip("xarray")
    unit_name = UNITS_OF_OBJECTS.get(name, name)
    right = quantity(unit_name, value)
    assert answer(question, fixed | {name: right}) == answer(question, fixed | {name: value})
    problem = answer(question, fixed | {name: quantity(unit_name, value, wrong=True)})
    assert problem.startswith(f"{name} must be a number")
    unit, _ = units_of(unit_name)
    assert (f" in {unit}; got " if unit not in (None, "1") else " without a unit; got ") in problem


def test_every_question_looks_at_every_argument() -> None:
    """Whatever the argument, a unit that it cannot have is refused before anything else."""
    wrong = registry.Quantity(5.0, WRONG_UNIT)
    for name in netmodel.api.__all__:
        question = getattr(netmodel.api, name)
        for argument, parameter in inspect.signature(question).parameters.items():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_KEYWORD):
                continue
            if argument in ("scenario", "quantities"):  # no numbers
                continue
            demanded = {"command": ["true"], "workload": OSA, "line_rate_bps": 1e9}
            demanded |= dict.fromkeys(("results", "flows", "sources"), "x")
            demanded |= dict.fromkeys(("baseline", "variant"), "mtu=1500")
            known = inspect.signature(question).parameters
            given = {each: value for each, value in demanded.items() if each in known}
            with pytest.raises(UnitError, match=rf"^{argument} must be a number"):
                question(**given | {argument: wrong})


# Rates and costs in Python


def test_a_goodput_is_a_number_a_quantity_or_text() -> None:
    """9.4 of 9.4149 Gbit/s: 1448 of 1538 byte (IEEE 802.3, RFC 7323) on 10 Gbit/s."""
    line = {"line_rate_bps": 10e9, "mtu_bytes": 1500, "transport": "tcp"}
    expected = answer(netmodel.check, {"results": "9.4 Gbit/s", **line})
    several = answer(netmodel.check, {"results": ["9.4 Gbit/s", "9.2 Gbit/s"], **line})
    (verdict,) = netmodel.check(9.4e9, **line)  # type: ignore[arg-type]
    assert verdict.ratio == pytest.approx(9.4 / (10 * 1448 / 1538))
    for given in (9.4e9, np.float64(9.4e9), 9_400_000_000, 9.4 * registry.Gbit / registry.s):
        assert answer(netmodel.check, {"results": given, **line}) == expected
    for listed in (
        [9.4e9, "9.2 Gbit/s"],
        np.array([9.4e9, 9.2e9]),
        registry.Quantity([9.4, 9.2], "Gbit/s"),
    ):
        assert answer(netmodel.check, {"results": listed, **line}) == several
    for wrong in (True, None, [None]):
        with pytest.raises(DomainError, match="results must be files, directories, goodputs"):
            netmodel.check(wrong, **line)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["client_cost", "server_cost"])
def test_a_cost_needs_its_unit(name: str) -> None:
    for question, given in (
        (netmodel.predict, STREAM),
        (netmodel.plan, {"flows": 18e9, "adapters": OSA, "mtu_bytes": 1500}),
    ):
        with pytest.raises(UnitError, match=f'^{name}: 0.16 needs its unit: write "0.16 cores'):
            question(**given | {name: 0.16})  # type: ignore[operator]
        right = answer(question, given | {name: registry.Quantity(0.0013, "s/Gbit")})  # type: ignore[arg-type]
        assert right == answer(question, given | {name: "1300.0 µs/Gbit"})  # type: ignore[arg-type]
        problem = answer(question, given | {name: 35 * registry.us})  # type: ignore[arg-type]
        assert problem.startswith(f"{name} must be a number in µs/Gbit; got ")
