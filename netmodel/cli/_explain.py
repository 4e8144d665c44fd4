"""``netmodel explain``: a calculation with its numbers filled in."""

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind
from netmodel.api.named_values import merged, named_values
from netmodel.cli._derived import answering

if TYPE_CHECKING:
    from netmodel.symbolic import Explanation

_Listed: TypeAlias = list[dict[str, Any]]


def calculation(
    formula: Annotated[str, Kind("formula")] = "",
    arguments: Annotated[Sequence[str], Kind("name=value", repeats=True)] = (),
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
        raise ArgumentsError("name a formula, or list all with {list_}")
    from netmodel.symbolic import explain as explained

    return explained(formula, **merged(named_values("arguments", ",".join(arguments) or None)))


def _listed(*words: str) -> _Listed:
    """Formulas whose name, summary and arguments have all words."""
    from netmodel.symbolic.docstrings import documentation
    from netmodel.symbolic.formulas import formulas_by_name

    rows: _Listed = []
    for name, function in formulas_by_name().items():
        known, arguments = documentation(function), list(signature(function).parameters)
        if known.result_type.startswith(("float", "int")) and "text" not in arguments:
            rows.append({"formula": name, "summary": known.summary, "arguments": arguments})
    return [row for row in rows if all(word.lower() in f"{row}".lower() for word in words)]


def _text(answer: "Explanation | _Listed", _: bool) -> Iterator[str]:
    if not isinstance(answer, list):
        yield str(answer)
        return
    calls = [f"{row['formula']}({', '.join(row['arguments'])}): {row['summary']}" for row in answer]
    yield "\n".join(calls) or "No formula has these words."


explain = answering(calculation, _text, outputs=("json",), name="explain")
