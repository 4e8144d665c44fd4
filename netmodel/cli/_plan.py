"""``netmodel plan``."""

from collections.abc import Sequence
from dataclasses import dataclass

import click

from netmodel.api._questions import PlanQuestion
from netmodel.cli._console import (
    Column,
    columns_table,
    drawing_width,
    notes_text,
    print_blocks,
    print_json,
)
from netmodel.cli._files import save_plot
from netmodel.cli._options import (
    COUNT,
    RATIO,
    QuestionCommand,
    adapter_option,
    connections_option,
    cost_options,
    distance_options,
    json_option,
    max_utilisation_option,
    mtu_option,
    option,
    option_group,
    path_options,
    plot_option,
    segments_per_ack_option,
    stack_options,
    verbose_option,
    without_statements_option,
)
from netmodel.planning import Corner, Headroom, Plan, Spreading
from netmodel.report._distance_text import SWEPT, swept_parts
from netmodel.report._text import wrapped_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and drawn."""

    plot_file: str | None
    verbose: bool
    as_json: bool


@click.command(cls=QuestionCommand)
@option_group(
    "question",
    PlanQuestion,
    option(
        "--flow",
        "flows",
        multiple=True,
        required=True,
        metavar="RATE WORKLOAD [from SIDE]",
        help='A flow to carry, such as "25 Gbit/s str-writex30k" or "100000/s rr1c-200x1000 from '
        'client": payload rate or transactions per second, a workload or your own .toml file, and '
        "the side that sends more, if not that of the workload. Repeat it for a mix.",
    ),
    connections_option(),
    segments_per_ack_option(unset="acknowledgements ride on data"),
    adapter_option("adapters")(multiple=True),
    mtu_option(multiple=True),
    option(
        "--spreading",
        type=click.Choice([each.value for each in Spreading]),
        default=Spreading.EVEN.value,
        show_default=True,
        help="How flows spread over adapters: evenly, or by a hash (needs --connections).",
    ),
    option(
        "--plan-on",
        "plan_on",
        type=click.Choice([each.value for each in Corner]),
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
            type=RATIO,
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
    without_statements_option(),
)
@option_group("output", _Output, plot_option, verbose_option, json_option)
def plan(question: PlanQuestion, output: _Output) -> None:
    """Plan adapters and CPUs for a demand, with spares.

    Give --flow, and --adapter, or --sender with --receiver, or --path. The sender is the side that
    sends more of all payload, the client when equal. Repeat --adapter or --mtu to compare
    candidates. --connections counts those of each flow, on all adapters together;
    --segments-per-ack counts acknowledgements of streams only, as those of requests and responses
    ride on data.

    --client-cost and --server-cost give the cores of each side: "0.16 cores/(Gbit/s)",
    "120000 µs/Gbit", "35 µs/transaction", or any unit of netmodel consumption; cycles/byte needs
    --cpu-frequency. "0.14..0.18 cores/(Gbit/s)" is a range. Hosts with CPU times give them too.

    --km or --rtt puts a distance between two sites; with --connections, --window and --loss limit
    what these carry. Several values are candidates to compare.

    Rates of adapters are upper bounds, so the answer is a lower bound of the number of adapters. It
    is for the worst case of the parameter uncertainty, unless --plan-on says otherwise.

    Exit code 1: no candidate carries the demand.

    \b
    Example: netmodel plan --flow "30 Gbit/s str-writex30k"
                 --adapter ethernet-25gbe --mtu 1500 --mtu 9000
    """
    plans = question.plans()
    best = plans[0]
    if output.plot_file is not None:
        from netmodel.report import plot_plan

        is_single = len(plans) == 1 and best.chosen_count is not None
        save_plot(plot_plan(best if is_single else plans), output.plot_file)
    if output.as_json:
        print_json([each.to_dict() for each in plans])
    else:
        answer, _, details = best.text.partition("\n")
        notes = notes_text(best.notes, output.verbose)
        if output.verbose and best.settings:
            details = "\n".join([details.rstrip(), *map(str, best.settings)])
        candidates = plan_table(plans, output.verbose) if len(plans) > 1 else ""
        answer, details = (wrapped_lines(text, drawing_width()) for text in (answer, details))
        print_blocks([answer, candidates, f"{details.strip()}\n{notes}".rstrip()])
    click.get_current_context().exit(0 if best.holds else 1)


def plan_table(plans: Sequence[Plan], is_verbose: bool = False) -> str:
    """A row for each plan, with its bottleneck and how much of that is in use."""
    rows = [each.binding_row[2:] for each in plans]
    bottlenecks, counts, ranges, uses, uses_after = zip(*rows, strict=True)
    needed = [
        f"{count}{'' if each.holds else ' not enough'}"
        for each, count in zip(plans, counts, strict=True)
    ]
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
            Column("needed", needed, is_number=True),
            Column("range", ranges, rank=2),
            Column("bottleneck", bottlenecks),
            Column("in use", uses, is_number=True),
            Column("after failure", uses_after, is_number=True, rank=1),
            Column("evidence", [each.grade.value if each.grade else "" for each in plans], rank=3),
        ),
        is_verbose,
    )
