"""``netmodel explain``: a calculation with its numbers filled in."""

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from netmodel.api._kinds import Kind
from netmodel.cli._console import wrapped
from netmodel.cli._derived import answering

if TYPE_CHECKING:
    from netmodel.symbolic import Explanation

_Formula: TypeAlias = Annotated[str, Kind("formula")]
_Values: TypeAlias = Annotated[Sequence[str], Kind("name=value", repeats=True)]
_Listed: TypeAlias = list[dict[str, Any]]


def calculation(
    formula: _Formula = "",
    arguments: _Values = (),
    /,
    *,
    list_: bool = False,
) -> "Explanation | _Listed":
    """
    Print a calculation: formula, numbers, result and source.

    FORMULA is the name of a public formula, such as payload_rate_bps; values have a unit, or are in
    the base unit that their name ends in:

    \b
    netmodel explain payload_rate_bps line_rate_bps=25Gbit/s mtu_bytes=1500

    Parameters
    ----------
    list_ : bool
        List known layers, or formulas; with what they compute, those that have the words in place
        of FORMULA.
    """
    if list_:
        return _listed(formula, *arguments)
    if not formula:
        raise click.UsageError("name a formula, or list all with --list")
    from netmodel.symbolic import explain as explained

    return explained(formula, **_values(arguments))


def _listed(*words: str) -> _Listed:
    """Formulas whose name, summary and arguments have all words."""
    from netmodel.symbolic._explain import explainable_formulas
    from netmodel.symbolic.docstrings import documentation

    known = [
        (name, documentation(function).summary, list(signature(function).parameters))
        for name, function in explainable_formulas()
    ]
    wanted = [word.lower() for word in words]
    return [
        {"formula": each[0], "summary": each[1], "arguments": each[2]}
        for each in known
        if all(word in f"{each}".lower() for word in wanted)
    ]


def _values(arguments: Sequence[str]) -> dict[str, object]:
    """Numbers are in the base unit that their name ends in; all else stays text."""
    values: dict[str, object] = {}
    for each in arguments:
        name, sign, value = each.partition("=")
        if not sign or not name.strip():
            raise click.UsageError(f"{each!r} is no NAME=VALUE, such as mtu_bytes=1500")
        name = name.strip().replace("-", "_")
        if name in values:
            raise click.UsageError(f"{name} is given twice")
        values[name] = _number_or_text(value.strip())
    return values


def _number_or_text(value: str) -> int | float | str:
    for number in (int, float):
        try:
            return number(value)
        except ValueError:
            continue
    return value


def _blocks(answer: "Explanation | _Listed", _: bool) -> Iterator[str]:
    if not isinstance(answer, list):
        yield str(answer)
    else:
        lines = (
            wrapped(f"{each['formula']}({', '.join(each['arguments'])}): {each['summary']}")
            for each in answer
        )
        yield "\n".join(lines) or "No formula has these words."


explain = answering(
    calculation,
    _blocks,
    data=lambda answer: answer if isinstance(answer, list) else answer.to_dict(),
    name="explain",
)
