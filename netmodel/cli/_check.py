"""``netmodel check``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Annotated, Any

import click

import netmodel.report
from netmodel.api import check as judge
from netmodel.api.arguments import NoLimitError
from netmodel.api.kinds import Kind
from netmodel.api.results import found_results, is_typed_rate
from netmodel.checking import Outcome, Verdicts
from netmodel.checking.limits import STANDARD_LINE_RATES_BPS, USUAL_MTUS_BYTES
from netmodel.cli._console import UNREADABLE_EXIT_CODE, print_blocks
from netmodel.cli._derived import answering
from netmodel.errors import NetmodelError, ParseError
from netmodel.readers import Measurement
from netmodel.reading import read_stream
from netmodel.terminal import columns_table
from netmodel.text import RESULT_DIGITS, listed
from netmodel.units import format_rate

_SHOWN_SKIPPED = 4
"""Skipped files that are named: enough to see what kind of files they are."""
_LEAST_FILL_RATIO = 0.8
"""No usual headers at an MTU of 1500 take a fifth of a line."""


class _Stdin:
    """Standard input, which is read when its turn comes."""

    name = "<stdin>"

    def read(self) -> bytes:
        with open(0, "rb", closefd=False) as file:
            return read_stream(file)


def verdicts(
    names: Annotated[Sequence[str], Kind("result", repeats=True)],
    /,
    **given: Annotated[Any, judge, "max_ratio"],
) -> Verdicts:
    """Judge results of iperf3 and other tools against limits.

    RESULT is a file of a tool, a directory with all results in it and below, a goodput such as
    9.2Gbit/s, or - for standard input. Give --line-rate, or --adapter, or --sender with --receiver,
    or a --path with them; --rate-cap alone is enough.

    \b
    at ceiling     within the tolerance of the smallest limit that you specify
    borderline     so near an end of it that more runs decide, which the reason
                   counts; fails unless --accept borderline
    limited        below it, and the run's own window, loss, offered rate or busy
                   CPUs explain why; fails unless --accept names that limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    not judgeable  something unknown decides; the reason names the option to give

    Exit code 0: all pass; 1: a run does not; 2: wrong option; 3: unreadable.

    \b
    Example: netmodel check run.json --line-rate 25Gbit/s --mtu 1500
    """
    places = [_Stdin() if name == "-" else name for name in names]
    results = found_results(places, given.get("format_name"))
    if skipped := [f"{each.path} ({each.kind})" for each in results.passed_over]:
        more = [f"{len(skipped) - _SHOWN_SKIPPED} more"] * (len(skipped) > _SHOWN_SKIPPED)
        click.echo(f"skipped without results: {listed(skipped[:_SHOWN_SKIPPED] + more)}", err=True)
    try:
        return judge(results, **given)
    except NoLimitError:
        runs = [run for run in results.rows if isinstance(run, Measurement)]
        if runs and not click.get_current_context().params["json"]:
            print_blocks(["\n".join(_read_text(run, given) for run in runs)])
        for unread in (row for row in results.rows if not isinstance(row, Measurement)):
            raise ParseError(unread.path, unread.problem) from None
        raise


def _read_text(run: Measurement, given: Mapping[str, Any]) -> str:
    """Report tool and goodput of a run, and the standard lines that it would fill."""
    rate = "no goodput" if run.goodput_bps is None else format_rate(run.goodput_bps, RESULT_DIGITS)
    tool = " ".join(filter(None, (run.tool, run.tool_version)))
    fits = " and ".join(_fits(run, given)) or "no usual line"
    return f"{run.source} ({tool}): {rate}; fits {fits}"


def _fits(run: Measurement, given: Mapping[str, Any]) -> Iterator[str]:
    """Ethernet lines that the run would fill, at usual MTUs where none is given."""
    has_mtu = {"mtu_bytes", "link_mtu_bytes"} & given.keys()
    mtus: list[dict[str, Any]] = [{}] if has_mtu else [{"mtu_bytes": n} for n in USUAL_MTUS_BYTES]
    for rate_bps, mtu in product(STANDARD_LINE_RATES_BPS, mtus):
        if _LEAST_FILL_RATIO * rate_bps <= (run.goodput_bps or 0) <= rate_bps:
            with suppress(NetmodelError):
                (verdict,) = judge(run, **given, **mtu, line_rate_bps=rate_bps)
                if verdict.outcome in (Outcome.AT_CEILING, Outcome.BORDERLINE):
                    at_mtu = "".join(f" at MTU {each}" for each in mtu.values())
                    yield f"a line of {format_rate(rate_bps)}{at_mtu}"


def _blocks(answer: Verdicts, is_verbose: bool) -> Iterator[str]:
    """The verdict on one run in full; of several a line each, failures first, and the counts."""
    if len(answer) == 1 or is_verbose:
        yield from ("\n".join(netmodel.report.verdict_lines(each, is_verbose)) for each in answer)
    else:
        yield columns_table(answer.columns)
    if len(answer) > 1:
        yield answer.answer + " Details: --verbose." * (not is_verbose)


def _rows(answer: Verdicts) -> list[dict[str, Any]]:
    """Return the JSON of the verdicts; a typed rate has no file."""
    rows = [each.to_dict() for each in answer]
    return [row | {"file": None} if is_typed_rate(row["file"]) else row for row in rows]


def _exit_code(answer: Verdicts) -> int:
    """That of an unreadable file if there is one, else 1 if a run does not pass, else 0."""
    against = [f"{each.file}: {each.why}" for each in answer if each.word == "contradiction"]
    if against:
        raise click.UsageError("\n".join(against))
    if any(verdict.outcome is None for verdict in answer):
        return UNREADABLE_EXIT_CODE
    return int(not all(verdict.passes for verdict in answer))


check = answering(
    verdicts,
    _blocks,
    data=_rows,
    exit_code=_exit_code,
    files={"junit": lambda answer, _: netmodel.report.junit_xml(answer, "netmodel check").encode()},
    first=("line_rate_bps", "adapter", "mtu_bytes", "transport", "rate_cap_bps"),
)
