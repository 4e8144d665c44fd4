"""A measurement, a file, a directory or repeats against the limits that the user specified."""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from netmodel.checking._causes import causes_above, causes_below, causes_within, explaining
from netmodel.checking._line_limits import missing_text
from netmodel.checking._run_limits import BUSY_RATIO, run_limits
from netmodel.checking.limits import Limit, RunLimits, SpecifiedLine, shared_limits
from netmodel.checking.tolerance import (
    DERIVED,
    Gate,
    Tolerance,
    TolerancePart,
    border_ratio,
    derived_parts,
    tolerance,
)
from netmodel.checking.verdict import Cause, Outcome, Repeats, Verdict, Verdicts
from netmodel.errors import ContradictionError, DomainError, NetmodelError, NotJudgeableError
from netmodel.estimates import LEVEL_RATIO
from netmodel.printable import fault_text
from netmodel.readers import LARGEST, FoundResults, Measurement, join_ends
from netmodel.text import argument, percent_text

_SMALLEST = 1e-12
"""Smallest figure other than 0, in base units: a picosecond, less than a bit takes on a line."""
_TOO_SHORT = "the run is too short: measure 30 s or more without the first seconds"
_HALF = "even half of it, as payload of both directions is added, is above the line"
_SHARED = "acknowledgements of the other direction may explain it: measure one direction alone"
_BUCKET_S = 1.0
"""Burst of a policer of nftables, in seconds at its rate; hashlimit of iptables has no less. [s]"""
_LONG_S = 30.0
"""Duration of runs that are asked for: a timeout of 200 ms is less than the floor of 1 %. [s]"""
_MOST_RUNS = 30
"""More runs are not asked for: they take a quarter of an hour."""

_content_of = attrgetter("measurement.file.sha256", "measurement.file.part")
_configuration_of = attrgetter(
    *("tool", "protocol", "ip_version", "direction", "is_loopback"),
    *("is_bidirectional", "stream_count", "traffic"),
)
_OF_REPEATS = re.compile(r"(?:\b(?:line|result|row|run)|(?<=\w)(?<!port)) \d+(?:, |$)")
"""Numbers of runs and rows in the name of a part; ports, series and lines have other names."""


def check(measurement: Measurement, line: SpecifiedLine, gate: Gate = DERIVED) -> Verdict:
    """
    Judge one measurement against the limits that the user specified.

    Parameters
    ----------
    measurement : Measurement
        The run.
    line : SpecifiedLine
        Line, path and hosts as specified by the user.
    gate : Gate, optional
        Ratios that count as reaching the ceiling, in place of those derived
        from the run, and limits of the run itself that pass on purpose.

    Returns
    -------
    verdict : Verdict
        Outcome, reason, all limits, and the binding one.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those specified.
    DomainError
        If the line cannot exist, or a figure of the run is impossible.

    Notes
    -----
    The outcome refers to the smallest specified limit or its range. What a run
    reports about itself never makes it pass: below the tolerance, a reported
    limit whose range contains the goodput makes the run `LIMITED` instead of
    `BELOW`, unless another kind of limit explains it too. Within the tolerance
    so does a limit, but loss, whose range ends more than the floor of 1 % below
    the ceiling: the run could not have reached more. The exception is the
    segment size, which sets the wire ceiling where no MTU is specified. With a
    specified MTU, a run with larger segments is not judgeable where it would have
    passed; nor is one whose rate exceeds that of its own segments. A run so near
    the end of the tolerance that repeats of it would lie on either side is
    `BORDERLINE`.

    References
    ----------
    RFC 6349, section 4, for achieved against achievable TCP throughput.

    Examples
    --------
    >>> run = Measurement(source="a.json", tool="iperf3", protocol="tcp",
    ...                   goodput_bps=23.4e9, ip_version=4)
    >>> verdict = check(run, SpecifiedLine(25e9, mtu_bytes=1500))
    >>> verdict.outcome, round(verdict.ratio, 3)
    (<Outcome.AT_CEILING: 'at_ceiling'>, 0.994)
    """
    if impossible := _impossible_figure(measurement):
        raise DomainError(impossible)
    unjudged = partial(Verdict, file=measurement.source, measurement=measurement)
    if measurement.error is not None:
        why = f"{measurement.tool} reports: {measurement.error}"
        return unjudged(outcome=Outcome.FAILED, why=why)
    for use in measurement.cpu:
        count = use.installed_cpu_count
        if count and use.busy_cpu_count * BUSY_RATIO > count:
            busy = f"{use.busy_cpu_count:.4g} CPUs would be busy, of {count} that it has"
            why = f"{use.side.value}: {busy}: the CPU time, the rate or the number of CPUs is wrong"
            return unjudged(outcome=Outcome.IMPOSSIBLE, why=why)
    try:
        limits = run_limits(measurement, line)
    except NotJudgeableError as error:
        return unjudged(outcome=Outcome.NOT_JUDGEABLE, why=str(error))
    if limits.measured_bps(measurement) is None or measurement.counted.measures_latency:
        latency = "a test of response times" * measurement.counted.measures_latency
        why = measurement.counted.why_no_goodput or latency or "goodput is not reported"
        return unjudged(outcome=Outcome.NOT_JUDGEABLE, why=why, limits=limits)
    return compared(measurement, limits, derived_parts(measurement, limits, gate), gate)


def _impossible_figure(run: Measurement) -> str:
    """Return the first impossible figure of a run with the allowed range, else an empty text."""
    for part in (run, run.traffic, run.tcp, run.counted):
        for name in part.__slots__:
            value = getattr(part, name)
            if value and type(value) in (int, float) and not _SMALLEST <= value <= LARGEST:
                return f"{name} must be 0, or from {_SMALLEST:g} to {LARGEST:g}; got {value!r}"
    return ""


def check_results(results: FoundResults, line: SpecifiedLine, gate: Gate = DERIVED) -> Verdicts:
    """
    Judge all results of `find_results`.

    Parameters
    ----------
    results : FoundResults
        Of :func:`netmodel.readers.find_results`.
    line : SpecifiedLine
        Line as specified by the user, the same for all runs.
    gate : Gate, optional
        As in `check`.

    Returns
    -------
    verdicts : Verdicts
        In the same order. Files of both ends of one run get one verdict, as in
        :func:`~netmodel.readers.join_ends`.

    Raises
    ------
    DomainError
        If the line cannot exist.

    Examples
    --------
    >>> from netmodel.readers import find_results
    >>> from netmodel.records import data_path
    >>> results = find_results([data_path("examples", "iperf3")])
    >>> verdicts = check_results(results, SpecifiedLine(2e8, mtu_bytes=1500))
    >>> len(verdicts), verdicts[-1].outcome
    (8, <Outcome.FAILED: 'failed'>)
    """
    return Verdicts(
        _judged(row, line, gate)
        if isinstance(row, Measurement)
        else Verdict(file=row.path, outcome=None, why=row.problem.removeprefix("cannot be read: "))
        for row in join_ends(results.rows)
    )


def _judged(run: Measurement, line: SpecifiedLine, gate: Gate) -> Verdict:
    """Return the verdict on a run; a run that contradicts the specified line has no outcome."""
    try:
        return check(run, line, gate)
    except (ContradictionError, DomainError) as error:
        problem = str(error).removeprefix(f"{run.source}: ")
        shown = None if _impossible_figure(run) else run
        return Verdict(file=run.source, outcome=None, why=problem, measurement=shown)
    except NetmodelError:
        raise
    except Exception as error:  # noqa: BLE001  # of any kind: the other runs are judged
        return Verdict(file=run.source, outcome=None, why=fault_text(error))


def compared(
    run: Measurement,
    limits: RunLimits,
    parts: tuple[TolerancePart, ...],
    gate: Gate,
    repeated_bps: Sequence[float] = (),
    one: Measurement | None = None,
) -> Verdict:
    """Return the verdict on a run of known limits, or on the mean of repeats of one of them."""
    rate_bps = limits.measured_bps(run) or 0.0
    border = border_ratio(one or run, limits, parts, repeated_bps)
    allowed = tolerance(parts, gate, border / math.sqrt(max(1, len(repeated_bps))))
    # a figure that adds the payload of both directions leaves at least half of it to one
    each_bps = rate_bps / (2 if run.counted.is_upper_bound else 1)
    outcome, fitting, why = _outcome_of(rate_bps, each_bps, limits, allowed, run)
    more_runs = None
    if outcome is Outcome.BORDERLINE:
        more_runs, why = _more_runs(rate_bps, one or run, limits, gate, repeated_bps)
    explained_by = fitting[0] if outcome is Outcome.LIMITED else None
    causes: tuple[Cause, ...] = ()
    if each_bps > allowed.max_ratio * limits.bounds_bps[1]:
        causes = causes_above(run, limits, each_bps)
    elif outcome in (Outcome.BELOW, Outcome.BORDERLINE):
        causes = causes_below(run, limits, rate_bps, outcome is Outcome.BORDERLINE, fitting)
    elif explained_by is not None:
        causes = causes_within(run, limits, rate_bps, explained_by, allowed)
    name = explained_by.name if explained_by else outcome.value
    return Verdict(
        file=run.source,
        outcome=outcome,
        why=why,
        causes=causes,
        measurement=run,
        limits=limits,
        explained_by=explained_by,
        # a run over loopback never passes
        is_accepted=name in gate.accepted and not run.is_loopback,
        tolerance=allowed,
        more_runs=more_runs,
    )


def _more_runs(
    rate_bps: float, run: Measurement, limits: RunLimits, gate: Gate, repeated_bps: Sequence[float]
) -> tuple[dict[str, float] | None, str]:
    """
    Return the runs whose mean decides, None where they are too many; and both in words.

    Of repeats, the confidence interval at their scatter clears the end of the tolerance.
    """
    low_bps, high_bps = limits.bounds_bps
    if rate_bps > high_bps and run.tool == "rate" and limits.is_of_the_line:
        return None, "a sender counts what has not arrived: give the receiver's figure"
    duration_s = max(_LONG_S, run.duration_s or _LONG_S)
    # figures without a duration are followed by others without
    next_s = duration_s if run.duration_s else None
    parts = derived_parts(run, limits, gate, next_s)
    border = border_ratio(run, limits, parts, repeated_bps, next_s)
    allowed = tolerance(parts, gate)
    below, above = rate_bps / low_bps - allowed.min_ratio, rate_bps / high_bps - allowed.max_ratio
    missed_ratio = min(abs(below), abs(above))
    known = max(1, len(repeated_bps)) if next_s == run.duration_s else 0

    def decides(count: int) -> bool:
        half_bps = _half_width_bps(repeated_bps, count) if repeated_bps else 0.0
        return max(half_bps / limits.smallest.value_bps, border / math.sqrt(count)) < missed_ratio

    number = next((n for n in range(1, _MOST_RUNS + 1) if decides(known + n)), None)
    near = f"repeats may differ by {percent_text(border, 2)}"
    if number is None:
        # four decimals of a ratio are shown
        most = f"{_MOST_RUNS} more runs would not" if missed_ratio > 5e-5 else "no number would"
        return None, f"{near}, and {most} decide: give {argument('tolerance', '--tolerance')}"
    why = f"{near}: {number} more run{'s' * (number > 1)} of {duration_s:g} s would decide"
    return {"run_count": number, "duration_s": duration_s}, why


def _half_width_bps(rates_bps: Sequence[float], count: int) -> float:
    """Return half the confidence interval of the mean of `count` runs; NaN of one. [bit/s]"""
    from statistics import stdev

    from scipy.special import stdtrit

    return float(stdtrit(count - 1, (1 + LEVEL_RATIO) / 2)) * stdev(rates_bps) / math.sqrt(count)


def _outcome_of(
    rate_bps: float, each_bps: float, limits: RunLimits, allowed: Tolerance, run: Measurement
) -> tuple[Outcome, tuple[Limit, ...], str]:
    """
    Return the outcome of a run, its own limits that explain it, and why it is not judgeable.

    A run over loopback never reaches the ceiling of a line, nor do datagrams that were counted at
    the sender. Repeats decide only where nothing else is unknown.
    """
    low_bps, high_bps = limits.bounds_bps
    own, wrong = limits.named("segment_size"), _why_never_full(run, limits)
    floor_bps = allowed.floor_ratio * low_bps
    is_small = own is not None and own.value_bps < floor_bps
    has_border = not (wrong or limits.unknown or is_small or allowed.is_rough)
    least_ratio = max(allowed.sure_min_ratio, allowed.min_ratio)
    nearest_bps = (least_ratio - allowed.border_below_ratio) * low_bps
    # no repeat exceeds a wire; a rate alone of TCP may be of a sender, whose buffers hold the rest
    has_arrived = run.tool == "rate" and limits.is_of_the_line and limits.transport == "udp"
    border_above_ratio = 0.0 if has_arrived else allowed.border_above_ratio
    farthest_bps = (allowed.sure_max_ratio + border_above_ratio) * high_bps
    if rate_bps > allowed.max_ratio * high_bps:
        if has_border and rate_bps <= farthest_bps:
            return Outcome.BORDERLINE, (), ""
        burst_bps = (1 + _BUCKET_S / (run.duration_s or math.inf)) * high_bps
        most_bps = min([burst_bps, *(x.bounds_bps[1] for x in limits.specified if not x.is_cap)])
        if each_bps <= allowed.max_ratio * most_bps:
            return Outcome.NOT_JUDGEABLE, (), wrong or _TOO_SHORT
        return Outcome.IMPOSSIBLE, (), _HALF * run.counted.is_upper_bound
    fitting = explaining(run, limits, rate_bps, least_ratio, allowed.sure_max_ratio)
    is_below = rate_bps < allowed.min_ratio * low_bps
    if not is_below:
        # a line that is full loses too, and a rate that passes needs no limit of its own
        fitting = tuple(x for x in fitting if x.name != "loss" and x.bounds_bps[1] < floor_bps)
    if len(fitting) == 1:
        return Outcome.LIMITED, fitting, ""
    doubt = ""
    if own and rate_bps > allowed.max_ratio * own.value_bps:
        most = limits.rate_text(own.value_bps)
        doubt = f"{own.carrier} carries at most {most}: line rate or segment size is wrong"
    elif is_below and run.counted.is_lower_bound:
        doubt = "the rate is a lower bound, so the run may have reached the limit"
    if fitting or is_below:
        is_near = has_border and rate_bps >= nearest_bps and not fitting
        outcome = Outcome.BORDERLINE if is_near else Outcome.BELOW
        return (Outcome.NOT_JUDGEABLE if doubt else outcome), fitting, doubt
    # the tolerance of a run of a moment does not close a range
    is_wide, smallest = low_bps < least_ratio * high_bps, limits.smallest
    # runs may exceed a nominal rate, and need not
    full_bps = min(high_bps, smallest.value_bps) if smallest.is_cap else high_bps
    is_open = is_wide and (rate_bps < least_ratio * full_bps or {*limits.unknown} - {"flows"})
    is_sure = least_ratio * low_bps <= rate_bps <= allowed.sure_max_ratio * high_bps
    unclear = wrong or doubt or (_why_open(limits) if is_open else "")
    if not unclear and allowed.is_rough and not is_sure:
        unclear = "too few digits: give the figure with three or more, times with fractions"
    if unclear or not nearest_bps <= rate_bps <= farthest_bps:
        is_long = run.is_bidirectional and (run.duration_s or 0.0) >= _LONG_S
        return Outcome.NOT_JUDGEABLE, (), unclear or (_SHARED if is_long else _TOO_SHORT)
    clear_bps = min(1.0, least_ratio + allowed.border_below_ratio) * low_bps
    is_clear = is_sure and (rate_bps >= clear_bps or not has_border)
    return (Outcome.AT_CEILING if is_clear else Outcome.BORDERLINE), (), ""


def _why_never_full(run: Measurement, limits: RunLimits) -> str:
    """Return why a run never reaches the ceiling of a line; nothing where it may."""
    if run.is_loopback:
        return "the connection stayed on a loopback interface"
    if run.counted.is_at_sender and limits.transport == "udp":
        return "datagrams were counted at the sender, not at the receiver"
    if run.counted.is_upper_bound:
        return f"{run.tool} adds the payload of both directions: each has at most that; use its -a"
    if not limits.exceeds_mtu:
        return ""
    sizes = f"segments of {size} byte" if (size := run.traffic.segment_bytes) else "packets"
    stamps = argument("timestamps", "--no-timestamps")
    headers = argument("stack", "--stack") if limits.line.stack else stamps
    specify = f"specify MTU or headers of the line ({argument('mtu_bytes', '--mtu')}, {headers})"
    return f"the run reports {sizes}, more than that MTU carries with these headers: {specify}"


def _why_open(limits: RunLimits) -> str:
    """Return what would narrow the range of the smallest specified limit."""
    if limits.unknown:
        return f"specify {'; '.join(map(missing_text, limits.unknown))}"
    if any(each.name.startswith("capacity") for each in limits.specified):
        return "a full bucket allows the upper end, an empty one the lower: let it fill, and repeat"
    return f"only this range of {limits.smallest.name} is known: calibrate it from more runs"


# Runs of one configuration, judged together


def pooled(verdicts: Sequence[Verdict], gate: Gate = DERIVED) -> tuple[Verdict, ...]:
    r"""
    Pool repeated runs: one verdict for each configuration.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Of any runs. Those with the same tool, direction, protocol, sizes,
        streams and smallest specified limit are repeats of each other.
    gate : Gate, optional
        As in :func:`check`.

    Returns
    -------
    verdicts : tuple of Verdict
        One with ``repeats`` for each configuration that was run more than
        once, in the place of its first run; all others as they are.

    Raises
    ------
    DomainError
        If figures of the runs are such that no tolerance follows from them.

    Notes
    -----
    .. math:: \bar x \pm t_{n-1,\,0.975}\, s / \sqrt n

    is the interval of the mean at 95 % by these runs alone. The mean is judged
    with the widest tolerance of a single run, and is borderline where it is
    nearer to its end than 1.28 times the scatter of the mean, to which public
    repeats count as much as 1.5 of these runs. Where one run is impossible, all
    are. A result that is there twice counts once.

    References
    ----------
    W. S. Gosset ("Student"), "The probable error of a mean", Biometrika 6
    (1908).

    Examples
    --------
    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> runs = [
    ...     Measurement(source=f"{mbps}.json", tool="iperf3", protocol="tcp", duration_s=30.0,
    ...                 goodput_bps=mbps * 1e6)
    ...     for mbps in (940, 941, 942)
    ... ]
    >>> (verdict,) = pooled([check(run, SpecifiedLine(1e9, mtu_bytes=1500)) for run in runs])
    >>> verdict.outcome, verdict.goodput_bps, round(verdict.repeats.half_width_bps / 1e6, 2)
    (<Outcome.AT_CEILING: 'at_ceiling'>, 941000000.0, 2.48)
    """
    groups: dict[object, list[Verdict]] = defaultdict(list)
    for number, verdict in enumerate(verdicts):
        run, limits = verdict.measurement, verdict.limits
        configuration: object = number
        if run and limits and verdict.measured_bps and not verdict.repeats:
            sizes = limits.mtu_bytes, round(limits.frame_wire_bytes or 0)
            part = _OF_REPEATS.sub("", run.file.part or "")
            configuration = (*_configuration_of(run), part, limits.smallest.name, *sizes)
        groups[configuration].append(verdict)
    return tuple(group[0] if len(group) == 1 else _pool(group, gate) for group in groups.values())


def _pool(group: Sequence[Verdict], gate: Gate) -> Verdict:
    from statistics import fmean

    distinct: dict[object, Verdict] = {}
    for number, verdict in enumerate(group):
        content = _content_of(verdict)
        distinct.setdefault(content if content[0] else number, verdict)
    known = [(x.measurement, x.limits, x.measured_bps) for x in distinct.values()]
    runs, limits, rates_bps = zip(*known, strict=True)
    if (count := len(runs)) == 1:
        return group[0]
    mean_bps, half_bps = fmean(rates_bps), _half_width_bps(rates_bps, count)
    copied = [f"{len(group) - count} results are copies, and count once"] * (count < len(group))
    notes = tuple(dict.fromkeys(copied + [note for verdict in group for note in verdict.notes]))
    reported = tuple(shared_limits([each.reported for each in limits], fmean))
    of_mean = replace(limits[0], reported=reported, notes=notes, fastest_bps=max(rates_bps))
    parts = (derived_parts(run, own, gate) for run, own in zip(runs, limits, strict=True))
    widest = max(parts, key=lambda own: sum(each.below_ratio + each.above_ratio for each in own))
    mean_run = _mean_run(runs, mean_bps / rates_bps[0])
    verdict = compared(mean_run, of_mean, widest, gate, rates_bps, runs[0])
    wrong = next((each for each in group if each.outcome is Outcome.IMPOSSIBLE), None)
    if wrong and verdict.outcome is not wrong.outcome:
        alone = f"one of them is {wrong.ratio or 0.0:.4f} of it"
        verdict = replace(verdict, outcome=wrong.outcome, causes=wrong.causes, why=alone)
        verdict = replace(verdict, is_accepted=False, explained_by=None, more_runs=None)
    # runs that all print the same leave their mean open by half of the last digit
    width = of_mean.rate_text(max(half_bps, fmean(x.counted.half_width_bps or 0 for x in runs)))
    mean = f"mean of {count} repeats, ±{width} at {100 * LEVEL_RATIO:.0f} %"
    repeats = Repeats(tuple(run.source for run in runs), half_bps, LEVEL_RATIO, mean)
    return replace(verdict, repeats=repeats)


def _mean_run(runs: Sequence[Measurement], mean_ratio: float) -> Measurement:
    """Return the first run with the mean rate and total time of all."""
    one, counted = runs[0], runs[0].counted
    times_s, losses = zip(*map(attrgetter("duration_s", "counted.lost_ratio"), runs), strict=True)
    lost_ratio = None if None in losses else math.fsum(losses) / len(runs)
    rates = {name: getattr(counted, name) for name in ("frame_rate_fps", "layer1_rate_bps")}
    means = {name: rate and rate * mean_ratio for name, rate in rates.items()}
    return replace(
        one,
        source=f"{len(runs)} repeats from {one.source}",
        file=replace(one.file, sha256="", part=_OF_REPEATS.sub("", one.file.part or "") or None),
        goodput_bps=one.goodput_bps and one.goodput_bps * mean_ratio,
        duration_s=None if None in times_s else math.fsum(times_s),
        counted=replace(counted, received_bytes=None, lost_ratio=lost_ratio, **means),
        tcp=replace(one.tcp, retransmit_count=None),
        cpu=(),
        notes=(),
    )
