"""Verdicts as text."""

from collections.abc import Iterator, Sequence
from typing import Any

import netmodel.checking as checking
from netmodel.predicted_text import rate_text
from netmodel.readers import Measurement
from netmodel.report.fields import answer_blocks
from netmodel.report.text import note_rows, notes_text
from netmodel.results import plain, value_at
from netmodel.terminal import Column, columns_table
from netmodel.text import amount_text, number_text, percent_text, printable, range_text

_SHOWN_RUNS = 2
"""Both directions of one run: what was read of more leaves a screen."""
_READ = (
    *("source", "file.part", "tool", "file.tool_version", "protocol", "ip_version", "direction"),
    *("stream_count", "duration_s", "transaction_rate_tps", "transaction_time_s"),
    *("is_loopback", "counted.is_at_sender", "counted.frame_rate_fps", "cpu", "notes"),
)
"""Fields of a run that answer questions on a ticket; JSON has the rest."""
_SCOPES = {"process": "process only", "system": "whole system"}


def verdict_blocks(verdicts: "checking.Verdicts", is_verbose: bool) -> list[str]:
    """Return the verdict on one run in full; of several the counts, then a line each."""
    if len(verdicts) > 1 and not is_verbose:
        return [f"{verdicts.answer} Details: --verbose.", columns_table(verdicts.columns)]
    runs = ["\n".join(verdict_lines(each, is_verbose)) for each in verdicts]
    return [verdicts.answer, *runs] if len(verdicts) > 1 else runs


def read_blocks(read: Sequence[Any], count: int, is_verbose: bool) -> Iterator[str]:
    """Yield rates of runs without a limit, the lines that they fit, and what was read of each."""
    if count > _SHOWN_RUNS and not is_verbose:
        runs, fits = zip(*read, strict=True)
        rest = f"; {count - len(runs)} unreadable" if count > len(runs) else ""
        yield f"{sum(map(bool, fits))} of {count} runs fit a usual line{rest}. Details: --verbose."
        verdicts = (checking.Verdict(file=x.source, outcome=None, measurement=x) for x in runs)
        rates = Column("rate", [_read_rate(run) for run in runs])
        yield columns_table([rates, Column("fits", fits), checking.Verdicts(verdicts).columns[-1]])
        return
    for run, fits in read:
        line = fits or ("" if run.goodput_bps is None else "no usual line")
        row = {name.rpartition(".")[2]: plain(value_at(run, name)) for name in _READ}
        row["stream_count"] = run.stream_count or ("not reported" if run.duration_s else "")
        row |= run.traffic.to_dict() | run.tcp.to_dict()
        sentence = f"{_read_rate(run)}; fits {line}" if line else _read_rate(run)
        yield from answer_blocks((sentence, row), is_verbose)


def _read_rate(run: Measurement) -> str:
    """Return the rate of a run, or why there is none."""
    if run.goodput_bps is not None:
        lost_ratio = run.counted.lost_ratio
        lost = "" if lost_ratio is None else f", {percent_text(lost_ratio, 4)} lost"
        return f"{rate_text(run.goodput_bps)}{lost}"
    if run.counted.layer1_rate_bps is not None:
        return f"{rate_text(run.counted.layer1_rate_bps)} on the wire"
    time = amount_text(run.transaction_time_s, "s")
    why = f"failed: {run.error}" if run.error else run.counted.why_no_goodput or "no goodput"
    return f"{time} for a transaction; {why}" if time else why


def measured_blocks(run: Any, is_verbose: bool) -> Iterator[str]:
    """Yield the verdicts on a measured run, what it was judged by, notes, and the folder."""
    yield from ("\n" + "\n".join(verdict_lines(each, is_verbose)) for each in run.verdicts)
    yield "\n".join(f"{name}: {value} ({of})" for name, (value, of) in run.line.items())
    yield notes_text([*(f"contradiction: {x}" for x in run.contradictions), *run.notes], is_verbose)
    yield f"recorded in {run.record.place} ({run.record.ran.state})"


def verdict_lines(verdict: "checking.Verdict", is_verbose: bool = False) -> list[str]:
    """
    Return a verdict in one sentence, and indented lines with what it rests on.

    Parameters
    ----------
    verdict : Verdict
        One measured direction of one file, judged.
    is_verbose : bool
        Whether to print all notes, and each part of the tolerance.

    Returns
    -------
    lines : list of str
        All of them printable.

    Raises
    ------
    UnitError
        If a figure to be printed is not finite.

    Examples
    --------
    >>> import netmodel
    >>> (verdict,) = netmodel.check("9.4 Gbit/s", line_rate_bps=10e9, mtu_bytes=1500)
    >>> verdict_lines(verdict)[0].partition(" at")[0]
    'at ceiling: 9.4 Gbit/s is 0.9984 of the 9.415 Gbit/s that the wire carries'
    """
    # four columns, as below the paragraphs of Click's help
    rest = verdict.run_name, *detail_lines(verdict, is_verbose)
    return [f"{verdict.word}: {printable(verdict.reason)}", *(f"    {text}" for text in rest)]


def detail_lines(verdict: "checking.Verdict", is_verbose: bool) -> list[str]:
    """Return repeats, limits, tolerance, CPU use and notes of a verdict."""
    repeats = verdict.repeats
    lines = (
        *([f"repeats: {', '.join(repeats.files)}"] if repeats else []),
        *_limit_lines(verdict),
        *_tolerance_lines(verdict, is_verbose),
        *_cpu_lines(verdict),
        *(f"{key}: {text}" if key else text for key, text in note_rows(verdict.notes, is_verbose)),
    )
    return [printable(line) for line in lines]


def _limit_lines(verdict: "checking.Verdict") -> Iterator[str]:
    """Limits that the user specified, then those that the run reports, by their size."""
    limits = verdict.limits
    if limits is None:
        return
    others = [each for each in limits.limits if each not in limits.specified]
    reported = "by the given window" if limits.line.window_bytes else "reported by the run"
    for name, chosen in (("limits", limits.specified), (reported, others)):
        texts = [
            f"{limit.name} {verdict.rate_text(limit.value_bps)}"
            + f" ({range_text(*map(verdict.rate_text, limit.bounds_bps))})"
            * (len({*limit.bounds_bps}) > 1)
            for limit in sorted(chosen, key=lambda each: each.value_bps)
        ]
        # a single specified limit is in the sentence
        if len(texts) > 1 or (texts and chosen is others):
            yield f"{name}: {', '.join(texts)}"


def _tolerance_lines(verdict: "checking.Verdict", is_verbose: bool) -> Iterator[str]:
    """Tolerance below and above the ceiling, with its parts."""
    tolerance = verdict.tolerance
    if tolerance is None:
        return
    below, above = 1 - tolerance.sure_min_ratio, tolerance.sure_max_ratio - 1
    # no run is borderline beside a ratio that is specified
    is_given = 0 in (tolerance.border_below_ratio, tolerance.border_above_ratio)
    names = ", ".join(["as specified"] * is_given + [part.name for part in tolerance.parts])
    yield f"tolerance: -{percent_text(below, 3)} to +{percent_text(above, 3)} ({names})"
    for part in tolerance.parts if is_verbose else ():
        yield (
            f"tolerance for {part.name}: {100 * part.below_ratio:.2f} % below, "
            f"{100 * part.above_ratio:.2f} % above; {part.reason}"
        )


def _cpu_lines(verdict: "checking.Verdict") -> Iterator[str]:
    """CPUs of each side that were busy, and what the data cost."""
    for use in verdict.cpu:
        cost = amount_text(use.us_per_gbit, "µs/Gbit")
        busy_cpus = f"{number_text(use.busy_cpu_count)} CPUs busy ({_SCOPES[use.scope]})"
        yield f"{use.side.value}: {busy_cpus}" + (f", {cost}" if cost else "")
