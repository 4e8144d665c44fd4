"""``netmodel check``."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import click

from netmodel._terminal import columns_table
from netmodel._text import printable
from netmodel.api import check as judge
from netmodel.api._check import LINE_ARGUMENTS, NoLimitError, specified_line
from netmodel.api._measure import measured_folders
from netmodel.api._results import is_typed_rate
from netmodel.checking import Outcome, Verdicts
from netmodel.checking import check as judge_run
from netmodel.checking._causes import STANDARD_LINE_RATES_BPS, USUAL_MTUS_BYTES
from netmodel.cli._console import UNREADABLE_EXIT_CODE, print_blocks, print_json
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import OUTPUT_FILE, results_in, write_output
from netmodel.errors import NetmodelError
from netmodel.readers import Measurement
from netmodel.report import verdict_lines
from netmodel.units import format_rate

_LEAST_FILL_RATIO = 0.8
"""No usual headers at an MTU of 1500 take a fifth of a line."""
_OF_SNAPSHOTS = {"interface", "duration_s"}


def _print(given: Given, output: Output) -> None:
    """Judge results of iperf3 and other tools against limits.

    RESULT is a file of a tool, a directory with all results in it and below, a goodput such as
    9.2Gbit/s, or - for standard input. Give --line-rate, or --adapter, or --sender with --receiver,
    or a --path with them; --rate-cap alone is enough.

    \b
    at_ceiling     within the tolerance of the smallest limit that you specify
    limited        below it, and the run's own window, loss, offered rate or busy
                   CPUs explain why; fails unless --accept names that limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    not_judgeable  something unknown decides; the reason names the option to give

    Exit code 0: all pass; 1: a run does not; 2: wrong option; 3: unreadable.

    \b
    Example: netmodel check run.json --line-rate 25Gbit/s --mtu 1500
    """
    names, junit = given["names"], given.get("junit")
    asked = {name: each for name, each in given.items() if name not in ("names", "junit")}
    results: Any = names
    if not (_OF_SNAPSHOTS & asked.keys() or measured_folders(names)):
        results = results_in(names, asked.get("format_name"), [junit] if junit else ())
    try:
        verdicts = judge(results, **asked)
    except NoLimitError:
        runs = [each for each in getattr(results, "rows", ()) if isinstance(each, Measurement)]
        _print_what_was_read(runs, asked, output.json)
        raise
    if junit is not None:
        from netmodel.report import junit_xml

        write_output("--junit", junit, junit_xml(verdicts, "netmodel check").encode())
    if output.json:
        # a rate that was typed has no file
        typed = frozenset(filter(is_typed_rate, names))
        rows = [verdict.to_dict() for verdict in verdicts]
        print_json([row | {"file": None} if row["file"] in typed else row for row in rows])
    else:
        print_blocks(_blocks(verdicts, output.verbose))
    if verdicts.contradictions:
        raise click.UsageError("\n".join(verdicts.contradictions))
    is_unreadable = any(verdict.outcome is None for verdict in verdicts)
    fails = int(not all(verdict.passes for verdict in verdicts))
    click.get_current_context().exit(UNREADABLE_EXIT_CODE if is_unreadable else fails)


check = DerivedCommand(
    judge,
    _print,
    first=("line_rate_bps", "adapter", "mtu_bytes", "transport", "rate_cap_bps"),
    outputs=("verbose", "json"),
    without=("max_ratio",),
    more=(
        click.Argument(["names"], nargs=-1, required=True, metavar="RESULT..."),
        click.Option(["--junit"], type=OUTPUT_FILE, help="Also write JUnit XML for CI."),
    ),
)


def _blocks(verdicts: Verdicts, is_verbose: bool) -> Iterator[str]:
    """The verdict on one run in full; of several a line each, failures first, and the counts."""
    if len(verdicts) == 1 or is_verbose:
        yield from ("\n".join(verdict_lines(each, is_verbose)) for each in verdicts)
    elif verdicts:
        yield columns_table(verdicts.columns)
    if len(verdicts) > 1:
        yield verdicts.answer + ("" if is_verbose else " Details: --verbose.")


def _print_what_was_read(runs: Sequence[Measurement], asked: Given, as_json: bool) -> None:
    """Print the runs, and the standard lines that each would fill, where no limit is given."""
    keys = ("source", "tool", "tool_version", "goodput_bps", "duration_s", "protocol")
    rows = [{key: getattr(run, key) for key in keys} for run in runs]
    rows = [row | {"fits": [*_fits(run, asked)]} for row, run in zip(rows, runs, strict=True)]
    if as_json:
        print_json(rows)
        return
    lines = []
    for row in rows:
        rate = "no goodput" if row["goodput_bps"] is None else format_rate(row["goodput_bps"], 4)
        tool = " ".join(filter(None, (row["tool"], row["tool_version"])))
        fits = " and ".join(row["fits"]) or "no standard line"
        lines.append(f"{printable(row['source'])} ({tool}): {rate}; fits {fits}")
    print_blocks(["\n".join(lines)])


def _fits(run: Measurement, asked: Given) -> Iterator[str]:
    """Ethernet lines that the run would fill, at usual MTUs where none is given."""
    line = {name: asked[name] for name in LINE_ARGUMENTS if name in asked}
    has_mtu = {"mtu_bytes", "link_mtu_bytes"} & line.keys()
    for rate_bps in STANDARD_LINE_RATES_BPS:
        for mtu_bytes in [None] if has_mtu else USUAL_MTUS_BYTES:
            mtu = {} if mtu_bytes is None else {"mtu_bytes": mtu_bytes}
            is_near = _LEAST_FILL_RATIO * rate_bps <= (run.goodput_bps or 0) <= rate_bps
            with suppress(NetmodelError):
                specified = specified_line(**{**line, **mtu, "line_rate_bps": rate_bps})
                if is_near and judge_run(run, specified).outcome is Outcome.AT_CEILING:
                    at_mtu = f" at MTU {mtu_bytes}" if mtu_bytes else ""
                    yield f"a line of {format_rate(rate_bps)}{at_mtu}"
