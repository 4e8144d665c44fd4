"""``netmodel explain``: a calculation with its numbers filled in."""

from collections.abc import Iterable, Sequence
from inspect import signature
from typing import Annotated, Any

from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind
from netmodel.api.named_values import named_values
from netmodel.cli._derived import Stated, answering


def calculation(
    formula: Annotated[str, Kind("formula")] = "",
    arguments: Annotated[Sequence[str], Kind("name=value", repeats=True)] = (),
    /,
    *,
    list_: bool = False,
) -> Any:
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

    return explained(formula, **named_values("arguments", ",".join(arguments) or None))


def _listed(*words: str) -> Stated:
    """Formulas whose name, summary and arguments have all words."""
    from netmodel.symbolic.docstrings import documentation
    from netmodel.symbolic.formulas import formulas_by_name

    rows = []
    for name, function in formulas_by_name().items():
        known, arguments = documentation(function), list(signature(function).parameters)
        row = {"formula": name, "arguments": arguments, "summary": known.summary}
        is_number = known.result_type.startswith(("float", "int")) and "text" not in arguments
        if is_number and all(word.lower() in f"{row}".lower() for word in words):
            rows.append(row)
    return Stated(f"Formulas: {len(rows)}" if rows else "No formula has these words.", rows)


def _text(answer: Any, is_verbose: bool) -> Iterable[str]:
    return answer.blocks(is_verbose) if isinstance(answer, Stated) else [str(answer)]


explain = answering(calculation, _text)
