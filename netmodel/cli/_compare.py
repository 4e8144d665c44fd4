"""``netmodel compare``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from netmodel._terminal import Column, columns_table
from netmodel._text import percent_text, range_text
from netmodel.api._compare import CompareQuestion
from netmodel.cli._console import (
    notes_text,
    print_blocks,
    print_csv,
    print_json,
    wrapped,
)
from netmodel.cli._ids import a_case
from netmodel.cli._options import (
    RATIO_OR_PERCENT,
    QuestionCommand,
    connections_option,
    csv_option,
    distance_options,
    json_option,
    mtu_option,
    option,
    option_group,
    verbose_option,
    workload_option,
)

if TYPE_CHECKING:
    from netmodel.judging._compared import Compared, ComparedRow

_CASE_HELP = "conditions such as 'adapter=ID mtu=9000 rps=on', or ids alone; quotes keep blanks."
_SHOWN_PLACES = 4
"""Places in a document that fit into two lines."""
_SHOWN_ROWS = 12
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""
_CSV_NAMES = (
    *("baseline", "variant", "quantity", "connection_count", "side", "part", "printed"),
    *("printed_low", "printed_high", "model_value", "model_low", "model_high", "model_basis"),
    *("low", "high", "grade", "statements", "places"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed."""

    verbose: bool
    as_csv: bool
    as_json: bool


@click.command(cls=QuestionCommand)
@option_group(
    "question",
    CompareQuestion,
    click.option(
        "--baseline", type=a_case, metavar="CASE", help=f"Case to start from: {_CASE_HELP}"
    ),
    click.option(
        "--variant",
        type=a_case,
        multiple=True,
        metavar="CASE",
        help="What changes; what it does not name is that of the baseline. Can be given several "
        "times.",
    ),
    workload_option(unset="any"),
    mtu_option(unset="any"),
    connections_option(unset="each that was published"),
    distance_options(),
    option(
        "--min-gain",
        "min_gain_ratio",
        type=RATIO_OR_PERCENT,
        help="Also print the distance up to which this share of the time is saved, such as 0.1.",
    ),
)
@option_group("output", _Output, verbose_option, csv_option, json_option)
def compare(question: CompareQuestion, output: _Output) -> None:
    """Compare two cases: what a change of adapter or MTU gains.

    Prints for each quantity what documents print for these cases, what a model computes, and what
    both together allow, as ratios of variant to baseline. Where the cases were not measured, the
    nearest that were, and what differs.

    Conditions are those of published statements: adapter, sender, receiver, path, layer, mtu,
    connections, rps, level (of the hypervisor), processor, trunks, setting, tool and more; a
    wrong name lists them.

    --protocol smc-r compares it with TCP, over the distance of --km or --rtt; a list or range of
    distances gives a comparison each.

    \b
    Example: netmodel compare --workload rr1c-200x1000 --connections 50
                 --baseline "osa-express7s-25gbe rps=off" --variant rps=on
    """
    if output.as_csv and output.as_json:
        raise click.UsageError("give --json or --csv, not both")
    results = question.compared()
    if output.as_json:
        print_json([each.to_dict() for each in results])
    elif output.as_csv:
        print_csv(_CSV_NAMES, [row for each in results for row in _csv_rows(each)])
    elif not output.verbose and _is_over_distance(results):
        print_blocks(_blocks_over_distance(results))
    else:
        print_blocks(block for each in results for block in _blocks(each, output.verbose))


def _is_over_distance(results: "Sequence[Compared]") -> bool:
    """Whether the results are one change of transport over several distances, with a model."""
    from netmodel.judging._compared_cases import differing
    from netmodel.judging._compared_facts import DISTANCE, TRANSPORT
    from netmodel.judging._compared_transports import endpoint_times

    cases = [{**each.variant, DISTANCE: 0.0} for each in results]
    distances = {each.variant.get(DISTANCE) for each in results}
    if len(distances) < len(results) or len(distances) < 2 or None in distances:
        return False
    first = results[0]
    is_one = all(case == cases[0] for case in cases)
    is_protocol = differing(first.baseline, first.variant) >= {TRANSPORT}
    return is_one and is_protocol and endpoint_times(first.baseline, first.variant) is not None


def _time_row(result: "Compared") -> "ComparedRow":
    """The row of the transaction time, which has the ratio of the model."""
    from netmodel.judging._compared_models import TIME

    rows = [
        row
        for row in result.main_rows
        if row.quantity in {TIME, "latency"} and row.model is not None
    ]
    return max(rows, key=lambda row: row.has_figure)


def _blocks_over_distance(results: "Sequence[Compared]") -> Iterator[str]:
    """The answer, a row for each distance, where the figures are printed, and notes."""
    from netmodel.judging._compared_facts import DISTANCE

    results = sorted(results, key=lambda each: float(str(each.variant[DISTANCE])))
    rows = [_time_row(each) for each in results]
    models = [row.model for row in rows if row.model is not None]
    km = [f"{float(str(each.variant[DISTANCE])):.4g}" for each in results]
    saved = [percent_text(1 - model.value, 3) for model in models]
    first = results[0]
    answer = (
        f"{first.title} ({first.variant['workload']}): the model saves {saved[0]} of the time at "
        f"{km[0]} km, {saved[-1]} at {km[-1]} km"
    )
    if first.crossover is not None:
        answer += f"; {first.crossover}"
    yield wrapped(f"{answer}.")
    spans = [
        range_text(*(percent_text(1 - end, 3) for end in (model.high, model.low)))
        for model in models
    ]
    yield columns_table(
        (
            Column("km", km, is_number=True),
            Column("time saved", saved, is_number=True),
            Column("range", spans),
            Column("time ratio", [f"{model.value:.3g}" for model in models], is_number=True),
            Column("printed", [row.printed_text if row.has_figure else "" for row in rows]),
        )
    )
    yield wrapped("\n".join(_places([row for row in rows if row.has_figure], is_verbose=False)))
    yield notes_text(first.notes, is_verbose=False)


def _blocks(result: "Compared", is_verbose: bool) -> Iterator[str]:
    """The answer, a row for each quantity, where it is printed, the nearest cases, and notes."""
    answer = result.answer
    if result.crossover is not None:
        answer += f" By the model, {result.crossover}."
    yield wrapped(answer)
    rows = result.rows if is_verbose else result.main_rows
    # words without a figure say least
    telling = rows if is_verbose else sorted(rows, key=_least_telling)[:_SHOWN_ROWS]
    shown = [row for row in rows if row in telling]
    if shown:
        yield _table(shown, is_verbose)
    left_out = len(result.rows) - len(shown)
    if left_out:
        yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
    yield wrapped("\n".join(_places(shown, is_verbose)))
    if result.nearest:
        near = "\n".join(
            f"  {each.fact.quantity.replace('_', ' ')} {each.fact.printed}"
            f" ({each.fact.source}, {each.fact.locator}): {each.differs}"
            for each in result.nearest
        )
        yield wrapped(f"nearest published cases:\n{near}")
    yield notes_text(result.notes, is_verbose)


def _least_telling(row: "ComparedRow") -> tuple[bool, bool]:
    return not row.has_figure, row.model is None


def _table(rows: "Sequence[ComparedRow]", is_verbose: bool) -> str:
    from netmodel.judging._compared_cases import interval_text

    def count(row: "ComparedRow") -> str:
        return str(row.conditions.get("connection_counts", ""))

    models = [row.model for row in rows]
    return columns_table(
        (
            Column("conn.", [count(row) for row in rows], is_number=True),
            Column("ratio of", [row.name for row in rows]),
            Column("case", [row.case_text for row in rows]),
            Column("printed", [row.printed[0].printed if row.printed else "-" for row in rows]),
            Column(
                "model",
                [
                    ""
                    if model is None
                    else f"{model.value:.3g}{'*' if model.is_bound_ratio else ' '}"
                    for model in models
                ],
                is_number=True,
            ),
            Column(
                "model range",
                [
                    ""
                    if model is None or model.is_bound_ratio
                    else interval_text(model.low, model.high)
                    for model in models
                ],
                rank=2,
            ),
            Column("together", [interval_text(row.low, row.high) for row in rows]),
            Column("grade", [row.grade.value if row.grade else "" for row in rows], rank=1),
        ),
        is_verbose,
    )


def _places(rows: "Sequence[ComparedRow]", is_verbose: bool) -> Iterator[str]:
    """Where it is printed; with what the evidence computes for each statement if verbose."""
    places: dict[str, dict[str, None]] = {}
    for row in rows:
        for fact in row.printed if is_verbose else row.printed[:1]:
            places.setdefault(f"{fact.source}, {fact.grade.value}", {})[fact.locator] = None
    for source, locators in places.items():
        named = [*locators] if is_verbose else [*locators][:_SHOWN_PLACES]
        more = len(locators) - len(named)
        text = "; ".join([*named, *([f"and {more} more"] if more else [])])
        yield f"printed in {source}: {text}"
    bases = dict.fromkeys(row.model.basis for row in rows if row.model is not None)
    if bases:
        yield f"model (* ratio of upper bounds): {'; '.join(bases)}"
    chains = dict.fromkeys(name for row in rows for name in row.because)
    if chains:
        yield f"together also from: {', '.join(chains)}"


def _csv_rows(result: "Compared") -> Iterator[dict[str, object]]:
    from netmodel.judging._compared_cases import case_text

    for row in result.rows:
        plain = row.to_dict()
        model, printed, both = plain["model"], plain["printed_ratio"], plain["together"]
        yield {
            "baseline": case_text(result.baseline),
            "variant": case_text(result.variant),
            "quantity": row.quantity,
            "connection_count": row.conditions.get("connection_counts"),
            "side": row.conditions.get("side"),
            "part": row.conditions.get("part"),
            "printed": row.printed_text,
            "printed_low": printed and printed["low"],
            "printed_high": printed and printed["high"],
            "model_value": model and model["value"],
            "model_low": model and model["low"],
            "model_high": model and model["high"],
            "model_basis": model and model["basis"],
            "low": both and both["low"],
            "high": both and both["high"],
            "grade": row.grade.value if row.grade else None,
            "statements": "; ".join(fact.id for fact in row.printed),
            "places": "; ".join(dict.fromkeys(f"{f.source}, {f.locator}" for f in row.printed)),
        }
