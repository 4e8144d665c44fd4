"""Verdicts as text."""

from collections.abc import Iterator
from typing import Any

import netmodel.checking as checking
from netmodel.report.text import note_rows, notes_text
from netmodel.terminal import columns_table
from netmodel.text import amount_text, number_text, percent_text, printable, range_text

_INDENT = " " * 4
"""Four columns, as below the paragraphs of Click's help."""
_SCOPES = {"process": "process only", "system": "whole system"}


def verdict_blocks(verdicts: "checking.Verdicts", is_verbose: bool) -> list[str]:
    """Return the verdict on one run in full; of several the counts, then a line each."""
    if len(verdicts) > 1 and not is_verbose:
        return [f"{verdicts.answer} Details: --verbose.", columns_table(verdicts.columns)]
    runs = ["\n".join(verdict_lines(each, is_verbose)) for each in verdicts]
    return [verdicts.answer, *runs] if len(verdicts) > 1 else runs


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
    rest = verdict.run_name, *detail_lines(verdict, is_verbose)
    return [f"{verdict.word}: {printable(verdict.reason)}", *(f"{_INDENT}{text}" for text in rest)]


def detail_lines(verdict: "checking.Verdict", is_verbose: bool) -> list[str]:
    """Return repeats, limits, tolerance, CPU use and notes of a verdict."""
    lines = (
        *_repeats_lines(verdict),
        *_limit_lines(verdict),
        *_tolerance_lines(verdict, is_verbose),
        *_cpu_lines(verdict),
        *(f"{key}: {text}" if key else text for key, text in note_rows(verdict.notes, is_verbose)),
    )
    return [printable(line) for line in lines]


def _range(verdict: "checking.Verdict", low_bps: float, high_bps: float) -> str:
    return range_text(verdict.rate_text(low_bps), verdict.rate_text(high_bps))


def _repeats_lines(verdict: "checking.Verdict") -> Iterator[str]:
    """Yield the confidence interval of the mean of repeated runs, and their files."""
    repeats, mean_bps = verdict.repeats, verdict.measured_bps
    if repeats is None or mean_bps is None:
        return
    half_bps = repeats.half_width_bps
    span = _range(verdict, max(0.0, mean_bps - half_bps), mean_bps + half_bps)
    level, files = percent_text(repeats.level_ratio, 3), ", ".join(dict.fromkeys(repeats.files))
    yield f"mean of {len(repeats.files)} runs, {span} at {level}: {files}"


def _limit_lines(verdict: "checking.Verdict") -> Iterator[str]:
    """Limits that the user specified, then those that the run reports, by their size."""
    limits = verdict.limits
    if limits is None:
        return
    others = [each for each in limits.limits if each not in limits.specified]
    reported = "by the given window" if limits.line.window_bytes else "reported by the run"
    for name, chosen in (("limits", limits.specified), (reported, others)):
        ordered = sorted(chosen, key=lambda limit: limit.value_bps)
        texts = [
            f"{limit.name} {verdict.rate_text(limit.value_bps)}"
            + (f" ({_range(verdict, *limit.bounds_bps)})" if len(set(limit.bounds_bps)) > 1 else "")
            for limit in ordered
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
    for use in verdict.measurement.cpu if verdict.measurement else ():
        cost = amount_text(use.us_per_gbit, "µs/Gbit")
        busy_cpus = f"{number_text(use.busy_cpu_count)} CPUs busy ({_SCOPES[use.scope]})"
        yield f"{use.side.value}: {busy_cpus}" + f", {cost}" * bool(cost)
