"""``netmodel plan``."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from netmodel import __version__
from netmodel._reading import status_of
from netmodel._terminal import columns_table
from netmodel.api import plan as plan_of
from netmodel.api import plan_scenario
from netmodel.cli._console import (
    notes_text,
    print_blocks,
    print_json,
    wrapped,
)
from netmodel.cli._derived import DerivedCommand, Given, Output, given_command
from netmodel.cli._files import require_different, save_plot, write_output
from netmodel.cli._ids import a_file
from netmodel.errors import DomainError
from netmodel.planning import Plan

if TYPE_CHECKING:
    from netmodel.planning import ScenarioPlan


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
    require_different({"--plot": output.plot, "--html": output.html})
    asked = dict(given)
    scenario = asked.pop("scenario", None)
    if scenario is not None:
        if scenario[:1].isdigit() and status_of(scenario) is None:
            raise click.UsageError(
                f"no scenario file has the name {scenario!r}; a demand is --flow {scenario!r}"
            )
        _print_scenario(scenario, asked, output)
        return
    if not asked.get("flows"):
        raise click.UsageError("Missing option '--flow': give it, or a scenario file")
    plans = plan_of(**asked)
    best = plans[0]
    if output.plot is not None:
        from netmodel.report import plot_plan

        is_single = len(plans) == 1 and best.chosen_count is not None
        save_plot(plot_plan(best if is_single else plans), output.plot)
    _write_page(plans, output)
    if output.json:
        print_json([each.to_dict() for each in plans])
    else:
        details = "\n".join([best.details(), *map(str, best.settings)]) if output.verbose else ""
        notes = notes_text(best.notes, output.verbose)
        rest = f"{wrapped(details)}\n{notes}".strip()
        print_blocks([wrapped(plans.answer), columns_table(plans.columns, output.verbose), rest])
    click.get_current_context().exit(0 if best.holds else 1)


plan = DerivedCommand(
    plan_of,
    _print,
    first=("flows", "adapters", "mtu_bytes", "spares", "client_cost"),
    outputs=("verbose", "plot", "html", "json"),
    more=(click.Argument(["scenario"], required=False, type=a_file, metavar="[SCENARIO.toml]"),),
)


def _write_page(result: "ScenarioPlan | Sequence[Plan]", output: Output) -> None:
    """The report, where one is wanted."""
    if output.html is None:
        return
    from netmodel.report import plan_page

    page = plan_page(
        result,
        command=given_command(),
        version=__version__,
        made_on=datetime.now(UTC).astimezone().date(),
    )
    write_output("--html", output.html, page.encode())


def _print_scenario(file: str, replaced: Given, output: Output) -> None:
    """Plan a scenario, with what options replace in it."""
    from netmodel.records.scenarios import Policy

    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in replaced:
        if name not in Policy.model_fields:
            raise click.UsageError(
                f"{options[name]} beside a scenario: write it into {file}, or leave one out"
            )
    result = plan_scenario(file, **replaced)
    if output.plot is not None:
        from netmodel.report import plot_plan

        try:
            axes = plot_plan([each.plan for each in result.candidates if each.plan is not None])
        except DomainError as error:
            raise click.UsageError(f"--plot: {error}") from None
        save_plot(axes, output.plot)
    _write_page(result, output)
    if output.json:
        print_json(result.to_dict())
    else:
        details = result.details() if output.verbose else ""
        rest = f"{wrapped(details)}\n{notes_text(result.notes, output.verbose)}".strip()
        blocks = [wrapped(result.answer), result.table(output.verbose)]
        print_blocks([*blocks, wrapped(result.infeasible_text(output.verbose)), rest])
    context.exit(0 if result.holds else 1)
