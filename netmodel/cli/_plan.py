"""``netmodel plan``."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from netmodel import __version__
from netmodel._reading import status_of
from netmodel._terminal import Column, columns_table
from netmodel.api._arguments import listed_values
from netmodel.api._questions import PlanQuestion
from netmodel.cli._console import (
    notes_text,
    print_blocks,
    print_json,
    wrapped,
)
from netmodel.cli._files import require_different, save_plot, write_output
from netmodel.cli._ids import Choice, a_file, a_flow
from netmodel.cli._options import (
    COUNT,
    SHARE,
    QuestionCommand,
    adapter_option,
    connections_option,
    cost_options,
    distance_options,
    given_command,
    html_option,
    json_option,
    link_mtu_option,
    max_utilisation_option,
    mtu_option,
    option,
    option_group,
    path_options,
    physics_only_option,
    plot_option,
    segments_per_ack_option,
    stack_options,
    verbose_option,
)
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.planning import Corner, Headroom, Plan, Spreading
from netmodel.planning._plan import bound_text
from netmodel.report._distance_text import SWEPT, swept_parts

if TYPE_CHECKING:
    from netmodel.planning import ScenarioPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and drawn."""

    plot_file: str | None
    html_file: str | None
    verbose: bool
    as_json: bool


@click.command(cls=QuestionCommand)
@click.argument("scenario", required=False, type=a_file, metavar="[SCENARIO.toml]")
@option_group(
    "question",
    PlanQuestion,
    option(
        "--flow",
        "flows",
        type=a_flow,
        multiple=True,
        metavar="RATE [WORKLOAD] [in|out|from SIDE]",
        help='A flow to carry, such as "18 Gbit/s in", "25 Gbit/s str-writex30k" or "100000/s '
        'rr1c-200x1000 from client": payload rate or transactions per second, a workload or your '
        "own .toml file, and the side that sends more, if not that of the workload: in is into "
        "the server, out is out of it. Without a workload: a stream of full frames. Repeat it for "
        "a mix.",
    ),
    connections_option(),
    segments_per_ack_option(unset="acknowledgements ride on data"),
    adapter_option("adapters")(multiple=True),
    option(
        "--adapters-available",
        type=COUNT,
        show_default="any number",
        help="Adapters at each side that there are, with in or out those of the server; exit code "
        "1 if more are needed.",
    ),
    mtu_option(multiple=True),
    link_mtu_option(multiple=True),
    option(
        "--spreading",
        type=Choice([each.value for each in Spreading]),
        default=Spreading.EVEN.value,
        show_default=True,
        help="How flows spread over adapters: evenly, or by a hash (needs --connections).",
    ),
    option(
        "--plan-on",
        "plan_on",
        type=Choice([each.value for each in Corner]),
        default=Corner.WORST.value,
        show_default=True,
        help="Which case of the parameter uncertainty to size for.",
    ),
    path_options(line_rate="that of the slower adapter"),
    option_group(
        "headroom",
        Headroom,
        max_utilisation_option(default=str(Headroom().max_utilisation_ratio)),
        option(
            "--max-utilisation-after-failure",
            "max_utilisation_after_failure_ratio",
            type=SHARE,
            show_default="as --max-utilisation",
            help="Highest planned utilisation while --spares adapters have failed.",
        ),
        option(
            "--spares",
            "spare_count",
            type=COUNT,
            default=str(Headroom().spare_count),
            show_default=True,
            help="Adapters of a side that may fail at the same time.",
        ),
        option(
            "--spare-cores",
            "spare_core_count",
            type=COUNT,
            default=str(Headroom().spare_core_count),
            show_default=True,
            help="Cores of a side that may be lost at the same time.",
        ),
    ),
    cost_options,
    distance_options(),
    stack_options(),
    physics_only_option(),
)
@option_group(
    "output",
    _Output,
    plot_option,
    html_option,
    verbose_option,
    json_option,
)
def plan(scenario: str | None, question: PlanQuestion, output: _Output) -> None:
    """Plan adapters and CPUs for a demand, with spares.

    Give a scenario file with traffic, candidates and policy; options on what may be used and fail,
    --mtu and --adapter replace what it has.

    Or give --flow, and --adapter, or --sender with --receiver, or --path. The sender is the side
    that sends more of all payload, the client when equal. Repeat --adapter, --mtu or --link-mtu
    to compare candidates. --connections counts those of each flow, on all adapters together;
    --segments-per-ack counts acknowledgements of streams only, as those of requests and responses
    ride on data.

    --client-cost and --server-cost give the cores of each side: "0.16 cores/(Gbit/s)",
    "120000 µs/Gbit", "35 µs/transaction", or any unit of netmodel consumption; cycles/byte needs
    --cpu-frequency. "0.14..0.18 cores/(Gbit/s)" is a range. Hosts with CPU times give them too.

    --km or --rtt puts a distance between two sites; with --connections, --window and --loss limit
    what these carry. Several values are candidates to compare.

    The first sentence says whether one adapter at each side, or --adapters-available of them, carry
    the demand without spares, and how many are needed. in and out are as seen from the server, and
    ask for its adapters: those of the client are counted beside them.
    Rates of adapters are upper bounds, so the answer is a lower bound of the number of adapters,
    and says so. Where the rate of --connections is expected, as of paths with measured series, it
    has to reach the demand. The answer is for the worst case of the parameter uncertainty, unless
    --plan-on says otherwise.

    Exit code 1: no candidate carries the demand.

    \b
    Examples: netmodel plan order-system.toml
              netmodel plan --flow "18 Gbit/s in" --adapter osa-express7s-25gbe --mtu 1500
    """
    require_different({"--plot": output.plot_file, "--html": output.html_file})
    if scenario is not None:
        if scenario[:1].isdigit() and status_of(scenario) is None:
            raise click.UsageError(
                f"no scenario file has the name {scenario!r}; a demand is --flow {scenario!r}"
            )
        _print_scenario(scenario, question, output)
        return
    if not listed_values(question.flows):
        raise click.UsageError("Missing option '--flow': give it, or a scenario file")
    plans = question.plans()
    best = plans[0]
    if output.plot_file is not None:
        from netmodel.report import plot_plan

        is_single = len(plans) == 1 and best.chosen_count is not None
        save_plot(plot_plan(best if is_single else plans), output.plot_file)
    _write_page(plans, output)
    if output.as_json:
        print_json([each.to_dict() for each in plans])
    else:
        answer, _, details = best.text.partition("\n")
        notes = notes_text(best.notes, output.verbose, best.deciding_note_count)
        if output.verbose and best.settings:
            details = "\n".join([details.rstrip(), *map(str, best.settings)])
        candidates = plan_table(plans, output.verbose) if len(plans) > 1 else ""
        answer, details = (wrapped(text) for text in (answer, details))
        print_blocks([answer, candidates, f"{details.strip()}\n{notes}".rstrip()])
    click.get_current_context().exit(0 if best.holds else 1)


def _write_page(result: "ScenarioPlan | Sequence[Plan]", output: _Output) -> None:
    """The report, where one is wanted."""
    if output.html_file is None:
        return
    from netmodel.report import plan_page

    page = plan_page(
        result,
        command=given_command(),
        version=__version__,
        made_on=datetime.now(UTC).astimezone().date(),
    )
    write_output("--html", output.html_file, page.encode())


def _print_scenario(file: str, question: PlanQuestion, output: _Output) -> None:
    """Plan a scenario, with what options replace in it."""
    from netmodel.api._scenario import plan_scenario

    context = click.get_current_context()
    replaced: dict[str, Any] = {}
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in _REPLACED:
            replaced[_REPLACED[name]] = context.params[name]
        elif name == "link_mtu_bytes":
            raise click.UsageError(
                "--link-mtu beside a scenario: give --mtu, that of the packets inside"
            )
        elif name not in {"scenario", *(each.name for each in fields(_Output))}:
            raise click.UsageError(
                f"{parameter.opts[0]} beside a scenario: write it into {file}, or leave one out"
            )
    result = plan_scenario(file, **replaced)
    if output.plot_file is not None:
        from netmodel.report import plot_plan

        try:
            axes = plot_plan([each.plan for each in result.candidates if each.plan is not None])
        except DomainError as error:
            raise click.UsageError(f"--plot: {error}") from None
        save_plot(axes, output.plot_file)
    _write_page(result, output)
    if output.as_json:
        print_json(result.to_dict())
    else:
        notes = notes_text(result.notes, output.verbose, result.deciding_note_count)
        details = f"{result.details(output.verbose)}\n{notes}"
        blocks = [result.answer, result.infeasible_text(output.verbose), details]
        answer, infeasible, rest = (wrapped(text) for text in blocks)
        print_blocks([answer, result.table(output.verbose), infeasible, rest])
    context.exit(0 if result.holds else 1)


_REPLACED = {
    "adapters": "adapters",
    "mtu_bytes": "mtu_bytes",
    "max_utilisation_ratio": "max_utilisation",
    "max_utilisation_after_failure_ratio": "max_utilisation_after_failure",
    "spare_count": "spares",
    "spare_core_count": "spare_cores",
    "spreading": "spreading",
    "plan_on": "plan_on",
    "physics_only": "physics_only",
    "adapters_available": "adapters_available",
}
"""Options that replace what a scenario has, by their arguments of `netmodel.plan_scenario`."""


def _count_text(plan: Plan, side: Side) -> str:
    """Adapters that a side needs; empty where nothing passes any."""
    counts = plan.side_counts.get(side)
    return "" if counts is None else bound_text(plan.corner.of(counts))


def plan_table(plans: Sequence[Plan], is_verbose: bool = False) -> str:
    """A row for each plan: adapters of each side, the bottleneck, and how much of it is in use."""
    rows = [each.binding_row[2:] for each in plans]
    bottlenecks, _, ranges, uses, uses_after = zip(*rows, strict=True)
    all_hold = all(each.holds for each in plans)
    holding = ["" if all_hold else "yes" if each.holds else "no" for each in plans]
    return columns_table(
        (
            Column("candidate", [each.equipment for each in plans]),
            Column("MTU", [f"{each.mtu_bytes:g}" for each in plans], is_number=True),
            *(
                Column(
                    SWEPT[part].title,
                    [SWEPT[part].text(getattr(each.distance, part)) for each in plans],
                    is_number=True,
                )
                for part in swept_parts([each.distance for each in plans])
            ),
            *(
                Column(side.value, [_count_text(each, side) for each in plans], is_number=True)
                for side in Side
            ),
            Column("holds", holding),
            Column("range", ranges, rank=2),
            Column("bottleneck", bottlenecks),
            Column("in use", uses, is_number=True),
            Column("after failure", uses_after, is_number=True, rank=1),
            Column("evidence", [each.grade.value if each.grade else "" for each in plans], rank=3),
        ),
        is_verbose,
    )
