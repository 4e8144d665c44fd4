"""``netmodel explain``: a calculation with its numbers filled in."""

from inspect import signature

import click

from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._ids import a_formula
from netmodel.cli._options import json_option


@click.command()
@click.argument("formula", type=a_formula, required=False)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--list", "lists", is_flag=True, help="List all formulas with what they compute.")
@json_option
def explain(formula: str | None, arguments: tuple[str, ...], lists: bool, as_json: bool) -> None:
    """
    Print a calculation: formula, numbers, result and source.

    FORMULA is the name of a public formula, such as payload_rate_bps; values have a unit, or are in
    the base unit that their name ends in:

    \b
    netmodel explain payload_rate_bps line_rate_bps=25Gbit/s mtu_bytes=1500
    """
    if lists:
        if formula is not None or arguments:
            raise click.UsageError("--list lists all formulas: give no formula with it")
        _print_list(as_json)
        return
    if formula is None:
        raise click.UsageError("name a formula, or list all with --list")
    from netmodel.symbolic import explain as explained

    explanation = explained(formula, **_values(arguments))
    if as_json:
        print_json(explanation.to_dict())
    else:
        print_blocks([str(explanation)])


def _values(arguments: tuple[str, ...]) -> dict[str, object]:
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


def _print_list(as_json: bool) -> None:
    from netmodel.symbolic._docstrings import documentation
    from netmodel.symbolic._explain import explainable_formulas

    known = [
        (name, documentation(function).summary, list(signature(function).parameters))
        for name, function in explainable_formulas()
    ]
    if as_json:
        keys = ("formula", "summary", "arguments")
        print_json([dict(zip(keys, each, strict=True)) for each in known])
        return
    print_blocks(
        wrapped(f"{name}({', '.join(parameters)}): {summary}")
        for name, summary, parameters in known
    )
