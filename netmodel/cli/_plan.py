"""``netmodel plan``."""

import shlex
from datetime import UTC, datetime
from typing import Any

import click

from netmodel import __version__
from netmodel.api import plan as plan_of
from netmodel.api import plan_scenario
from netmodel.api.arguments import ArgumentsError
from netmodel.cli._console import notes_text, print_blocks, print_json
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import save_plot, write_output
from netmodel.planning import Plans


def _print(given: Given, output: Output) -> None:
    """Plan adapters and CPUs for a demand, with spares.

    Give a scenario file with traffic, candidates and policy, which options on failures and use
    replace; or --flow, and --adapter, or --sender with --receiver, or --path. Repeat --adapter,
    --mtu or --link-mtu to compare candidates. in and out are as seen from the server, and ask for
    its adapters. Rates of adapters are upper bounds, so their number is a lower bound, and says so.
    Exit code 1: no candidate carries the demand.

    \b
    Examples: netmodel plan order-system.toml
              netmodel plan --flow "18 Gbit/s in" --adapter osa-express7s-25gbe --mtu 1500
    """
    result = _planned(**given)
    if output.plot is not None:
        from netmodel.report import plot_plan

        plans = [*result] if isinstance(result, Plans) else result.plans
        is_single = len(plans) == 1 and plans[0].chosen_count is not None
        save_plot(plot_plan(plans[0] if is_single else plans), output.plot)
    context = click.get_current_context()
    if output.html is not None:
        from netmodel.report import plan_page

        page = plan_page(
            result,
            command=shlex.join(["netmodel", *context.obj]),
            version=__version__,
            made_on=datetime.now(UTC).astimezone().date(),
        )
        write_output("--html", output.html, page.encode())
    if output.json:
        is_list = isinstance(result, Plans)
        print_json([each.to_dict() for each in result] if is_list else result.to_dict())
    else:
        notes = notes_text(result.notes, output.verbose)
        print_blocks([*result.blocks(output.verbose), notes])
    context.exit(0 if result.holds else 1)


def _planned(scenario: str | None = None, **given: Any) -> Any:
    """The plans of a demand, or of a scenario with what options replace in it."""
    if scenario is None:
        return plan_of(**given)
    from netmodel.records.scenarios import Policy

    for name in given.keys() - Policy.model_fields.keys():
        raise ArgumentsError(f"{{{name}}} beside a scenario: write it into the file")
    return plan_scenario(scenario, **given)


plan = DerivedCommand(
    plan_of,
    _print,
    first=("flows", "adapters", "mtu_bytes", "spares", "client_cost"),
    outputs=("verbose", "plot", "html", "json"),
    more=(click.Argument(["scenario"], required=False, metavar="[SCENARIO.toml]"),),
)
