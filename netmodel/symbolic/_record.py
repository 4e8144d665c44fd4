"""A formula called once with recorded quantities."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

from netmodel._dataclasses import dataclass
from netmodel._numeric import is_symbol
from netmodel._recording import Operand, Recorded, Recording
from netmodel._text import listed
from netmodel.errors import DomainError, NetmodelError, UnitError
from netmodel.symbolic._formulas import Formula
from netmodel.symbolic._reasons import FIXED, reason_of
from netmodel.units._names import PARSERS

_NOT_RECORDABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a formula raises, given quantities without values, that branches on them."""


@dataclass(frozen=True)
class Record:
    """
    Steps of a formula.

    Parameters
    ----------
    formula : Formula
        What was called.
    names : tuple of str
        Arguments that are recorded, in their places.
    recording : Recording
        Steps and checks.
    results : dict of str to int or float
        Place of each result, or a constant.
    is_single : bool
        Whether the formula returns one quantity.
    known : dict of str to object
        Numbers and expressions that stand for recorded arguments.
    others : dict of str to object
        Arguments that are no quantities, or decide the shape of the formula.
    """

    formula: Formula
    names: tuple[str, ...]
    recording: Recording
    results: Mapping[str, Operand]
    is_single: bool
    known: Mapping[str, Any]
    others: Mapping[str, Any]


def record(
    formula: Formula, fixed: Mapping[str, object], kind: type[Recording] = Recording
) -> Record:
    """
    Steps of a formula with some of its arguments fixed.

    Fixed numbers are recorded too and replaced later, so that their arithmetic stays exact; where
    the formula depends on their values, they are used in its place.
    """
    given = formula.given(fixed)
    numbers = {
        name: read_number(name, value)
        for name, value in given.items()
        if is_symbol(value) or (formula.takes_symbols(name) and _is_number(value))
    }
    asked = {name for name, value in given.items() if value is ...}
    others = {name: each for name, each in given.items() if name not in {*numbers, *asked}}
    lacking = [
        name
        for name, parameter in formula.parameters.items()
        if parameter.default is parameter.empty
        and name not in given
        and not formula.is_quantity(name)
    ]
    if lacking and reason_of(formula) is not None:
        raise _no_form(formula, TypeError())
    if lacking:
        raise DomainError(f"{formula.name} needs {listed(lacking)}: no symbol can stand for it")
    symbolic = tuple(
        name
        for name in formula.parameters
        if name in {*numbers, *asked} or (formula.is_quantity(name) and name not in others)
    )
    plain = {name: value for name, value in numbers.items() if not is_symbol(value)}
    try:
        return _recorded(formula, symbolic, others, numbers, kind)
    except _NOT_RECORDABLE as error:
        if not plain:
            raise _no_form(formula, error) from error
    # the numbers that decide its shape, else all, stand for themselves
    deciding = set(plain) & set(FIXED.get(formula.short_name, ()))
    for names in (deciding or set(plain), set(plain)):
        own = {name: plain[name] for name in names}
        kept = {name: value for name, value in numbers.items() if name not in own}
        rest = tuple(name for name in symbolic if name not in own)
        try:
            return _recorded(formula, rest, others | own, kept, kind)
        except _NOT_RECORDABLE as error:
            refused = error
    raise _no_form(formula, refused) from refused


def _no_form(formula: Formula, error: Exception) -> Exception:
    """What the formula itself refuses, or why it has no symbolic form."""
    reason = reason_of(formula)
    if reason is None and isinstance(error, NetmodelError) and "Recorded" not in str(error):
        return error
    if reason is None and formula.short_name in FIXED:
        reason = f"without numbers for {listed(FIXED[formula.short_name])}"
    if reason is not None:
        return DomainError(f"{formula.name} has no symbolic form: {reason}")
    return DomainError(f"{formula.name} has no symbolic form: {error}")


def _recorded(
    formula: Formula,
    names: tuple[str, ...],
    others: Mapping[str, object],
    known: Mapping[str, object],
    kind: type[Recording],
) -> Record:
    recording = kind(len(names))
    answer = formula.arithmetic(**others, **dict(zip(names, recording.arguments(), strict=True)))
    named = _named_results(formula, answer)
    results = {name: recording.operand(each) for name, each in named.items()}
    is_single = len(named) == 1
    return Record(formula, names, recording, results, is_single, known, others)


def _named_results(formula: Formula, answer: Any) -> dict[str, object]:
    """What a formula returns, by name: of an object those fields that are quantities."""
    if isinstance(answer, Recorded | Real):
        return {formula.short_name: answer}
    if isinstance(answer, Mapping):
        named = dict(answer)
    elif is_dataclass(answer):
        named = {each.name: getattr(answer, each.name) for each in fields(answer)}
    elif hasattr(answer, "_fields"):
        named = answer._asdict()
    else:
        named = {}
    symbolic: dict[str, object] = {
        name: each for name, each in named.items() if isinstance(each, Recorded)
    }
    if not symbolic:
        raise TypeError(f"it returns {_kind(answer)}")
    return symbolic


def _kind(answer: object) -> str:
    name = type(answer).__name__
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"


def _is_number(value: object) -> bool:
    return isinstance(value, str | Real) and not isinstance(value, bool)


def read_number(name: str, value: Any) -> Any:
    """A number, or text with a unit in the unit that the name ends in; expressions as they are."""
    if not isinstance(value, str):
        if isinstance(value, Real) and value != value:
            raise DomainError(f"{name} must be a number; got {value!r}")
        return value
    parser = PARSERS.get(name.rpartition("_")[2])
    try:
        return float(value) if parser is None else parser(value)
    except UnitError as error:
        raise UnitError(f"{name}: {error}") from error
    except ValueError as error:
        raise UnitError(f"{name} must be a number; got {value!r}") from error
