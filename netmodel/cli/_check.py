"""``netmodel check``."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, NamedTuple, TypeAlias

import click

import netmodel.report
from netmodel._terminal import columns_table
from netmodel.api import check as judge
from netmodel.api._check import LINE_ARGUMENTS, NoLimitError, specified_line
from netmodel.api._kinds import Kind
from netmodel.api._measure import measured_folders
from netmodel.api._results import is_typed_rate
from netmodel.checking import Outcome, Verdicts
from netmodel.checking import check as judge_run
from netmodel.checking._causes import STANDARD_LINE_RATES_BPS, USUAL_MTUS_BYTES
from netmodel.cli._console import UNREADABLE_EXIT_CODE
from netmodel.cli._derived import answering
from netmodel.cli._files import results_in
from netmodel.errors import NetmodelError
from netmodel.readers import FoundResults, Measurement
from netmodel.units import format_rate

_Results: TypeAlias = Annotated[Sequence[str], Kind("result", repeats=True)]
_Answer: TypeAlias = "Verdicts | _Unjudged"
_LEAST_FILL_RATIO = 0.8
"""No usual headers at an MTU of 1500 take a fifth of a line."""


class _Unjudged(NamedTuple):
    """What was read of each run, and the lines that it fits, where no limit is given."""

    runs: list[dict[str, Any]]
    problem: NoLimitError


def verdicts(names: _Results, /, **given: Annotated[Any, judge]) -> _Answer:
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
    results: Any = names
    if not ({"interface", "duration_s"} & given.keys() or measured_folders(names)):
        results = results_in(names, given.get("format_name"))
    try:
        return judge(results, **given)
    except NoLimitError as error:
        if not isinstance(results, FoundResults):
            raise
        runs = [_read(each, given) for each in results.rows if isinstance(each, Measurement)]
        return _Unjudged(runs, error)


def _read(run: Measurement, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was read of a run, and the standard lines that it would fill."""
    keys = ("source", "tool", "tool_version", "goodput_bps", "duration_s", "protocol")
    return {key: getattr(run, key) for key in keys} | {"fits": [*_fits(run, given)]}


def _fits(run: Measurement, given: Mapping[str, Any]) -> Iterator[str]:
    """Ethernet lines that the run would fill, at usual MTUs where none is given."""
    line = {name: given[name] for name in LINE_ARGUMENTS if name in given}
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


def _blocks(answer: _Answer, is_verbose: bool) -> Iterator[str]:
    """The verdict on one run in full; of several a line each, failures first, and the counts."""
    if isinstance(answer, _Unjudged):
        yield "\n".join(map(_read_text, answer.runs))
        return
    if len(answer) == 1 or is_verbose:
        yield from ("\n".join(netmodel.report.verdict_lines(each, is_verbose)) for each in answer)
    elif answer:
        yield columns_table(answer.columns)
    if len(answer) > 1:
        yield answer.answer + " Details: --verbose." * (not is_verbose)


def _read_text(row: Mapping[str, Any]) -> str:
    rate = "no goodput" if row["goodput_bps"] is None else format_rate(row["goodput_bps"], 4)
    tool = " ".join(filter(None, (row["tool"], row["tool_version"])))
    return f"{row['source']} ({tool}): {rate}; fits {' and '.join(row['fits']) or 'no usual line'}"


def _rows(answer: _Answer) -> list[dict[str, Any]]:
    """What JSON has: a rate that was typed has no file."""
    if isinstance(answer, _Unjudged):
        return answer.runs
    rows = [each.to_dict() for each in answer]
    return [row | {"file": None} if is_typed_rate(row["file"]) else row for row in rows]


def _exit_code(answer: _Answer) -> int:
    """That of an unreadable file if there is one, else 1 if a run does not pass, else 0."""
    if isinstance(answer, _Unjudged):
        raise answer.problem
    if answer.contradictions:
        raise click.UsageError("\n".join(answer.contradictions))
    if any(verdict.outcome is None for verdict in answer):
        return UNREADABLE_EXIT_CODE
    return int(not all(verdict.passes for verdict in answer))


check = answering(
    verdicts,
    _blocks,
    data=_rows,
    exit_code=_exit_code,
    files={"junit": lambda answer: netmodel.report.junit_xml(answer, "netmodel check")},
    first=("line_rate_bps", "adapter", "mtu_bytes", "transport", "rate_cap_bps"),
    outputs=("verbose", "junit", "json"),
    without=("max_ratio",),
    name="check",
)
