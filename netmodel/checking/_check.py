"""A measurement, a file or a directory against the limits that the user specified."""

from operator import attrgetter

from netmodel.checking._causes import (
    DROPS,
    causes_above,
    causes_below,
    explaining,
    small_writes,
    what_was_lost,
)
from netmodel.checking._line_limits import missing_text
from netmodel.checking._run_limits import BUSY_RATIO, OF_CPUS, REPORTED_LIMITS, run_limits
from netmodel.checking.limits import Limit, NotJudgeableError, RunLimits, SpecifiedLine
from netmodel.checking.tolerance import (
    DERIVED,
    FLOOR_RATIO,
    ROUNDING,
    Gate,
    Tolerance,
    TolerancePart,
    derived_parts,
    tolerance,
)
from netmodel.checking.verdict import Cause, Outcome, Verdict, Verdicts
from netmodel.errors import ContradictionError, DomainError, NetmodelError
from netmodel.printable import fault_text
from netmodel.readers import LARGEST, FoundResults, Measurement, join_ends
from netmodel.text import RESULT_DIGITS, argument, meant_text, percent_text
from netmodel.units import format_rate

_SMALLEST = 1e-12
"""Smallest figure other than 0, in base units: a picosecond, less than a bit takes on a line."""
_FIGURES = (
    *("duration_s", "round_trip_s", "least_round_trip_s", "goodput_bps", "offered_rate_bps"),
    *("goodput_half_width_bps", "lost_ratio", "frame_rate_fps", "layer1_rate_bps"),
    *("peer_window_bytes", "congestion_window_bytes", "socket_buffer_bytes", "received_bytes"),
    *("stream_count", "retransmit_count"),
)
_figures_of = attrgetter(*_FIGURES)
_TOO_SHORT = (
    "the run is too short, or its repeats scatter too much: measure 30 s or more without the first "
    "seconds, or more repeats"
)


class ImpossibleFigureError(DomainError):
    """A run reports an impossible figure."""


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
        If the line cannot exist, a figure of the run is impossible, or a limit
        to accept is not one that runs report.

    Notes
    -----
    The outcome refers to the smallest specified limit or its range. What a run
    reports about itself never makes it pass: below the tolerance, a reported
    limit whose range contains the goodput makes the run `LIMITED` instead of
    `BELOW`; of more than one the nearest. So does one below the floor of the
    tolerance, because the run could not have reached more. The exception is the
    segment size, which sets the wire ceiling where no MTU is specified. With a
    specified MTU, a run with smaller segments is `LIMITED` by them, and one with
    larger segments not judgeable where it would have passed; nor is one whose
    rate exceeds that of its own segments.

    References
    ----------
    RFC 6349, section 4, for achieved against achievable TCP throughput.

    Examples
    --------
    >>> run = Measurement(source="a.json", sha256="", tool="iperf3", protocol="tcp",
    ...                   goodput_bps=23.4e9, ip_version=4)
    >>> verdict = check(run, SpecifiedLine(25e9, mtu_bytes=1500))
    >>> verdict.outcome, round(verdict.ratio, 3)
    (<Outcome.AT_CEILING: 'at_ceiling'>, 0.994)
    """
    _require_known(gate)
    for name, value in zip(_FIGURES, _figures_of(measurement), strict=True):
        if value is not None and value != 0 and not _SMALLEST <= value <= LARGEST:
            rule = f"{name} must be 0, or from {_SMALLEST:g} to {LARGEST:g}; got {value!r}"
            raise ImpossibleFigureError(rule)

    def unjudged(outcome: Outcome, why: str, limits: RunLimits | None = None) -> Verdict:
        source = measurement.source
        return Verdict(
            file=source, outcome=outcome, why=why, measurement=measurement, limits=limits
        )

    if measurement.error is not None:
        return unjudged(Outcome.FAILED, f"{measurement.tool} reports: {measurement.error}")
    for use in measurement.cpu:
        count = use.installed_cpu_count
        if count and use.busy_cpu_count * BUSY_RATIO > count:
            busy = f"{use.busy_cpu_count:.4g} CPUs would be busy, of {count} that it has"
            wrong = "the CPU time, the rate or the number of CPUs is wrong"
            return unjudged(Outcome.IMPOSSIBLE, f"{use.side.value}: {busy}: {wrong}")
    try:
        limits = run_limits(measurement, line)
    except NotJudgeableError as error:
        return unjudged(Outcome.NOT_JUDGEABLE, str(error))
    if limits.measured_bps(measurement) is None or measurement.measures_latency:
        is_latency = measurement.measures_latency
        usual = "a test of response times" if is_latency else "goodput is not reported"
        return unjudged(Outcome.NOT_JUDGEABLE, measurement.why_no_goodput or usual, limits)
    return compared(measurement, limits, derived_parts(measurement, limits, gate), gate)


def check_results(
    results: FoundResults,
    line: SpecifiedLine,
    gate: Gate = DERIVED,
) -> Verdicts:
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
        If the line cannot exist, or a limit to accept is not one that runs
        report.

    Examples
    --------
    >>> from netmodel.readers import find_results
    >>> from netmodel.records import data_path
    >>> results = find_results([data_path("examples", "iperf3")])
    >>> verdicts = check_results(results, SpecifiedLine(2e8, mtu_bytes=1500))
    >>> len(verdicts), verdicts[-1].outcome
    (8, <Outcome.FAILED: 'failed'>)
    """
    _require_known(gate)
    return Verdicts(
        _judged(row, line, gate)
        if isinstance(row, Measurement)
        else Verdict(file=row.path, outcome=None, why=row.problem)
        for row in join_ends(results.rows)
    )


def _require_known(gate: Gate) -> None:
    """Raise DomainError if a limit to accept is not one that runs report."""
    unknown = sorted(gate.accepted.difference(REPORTED_LIMITS))
    if unknown:
        known = ", ".join(REPORTED_LIMITS)
        raise DomainError(
            f"limits to accept must be among {known}; got {', '.join(unknown)}"
            f"{meant_text(unknown[0], REPORTED_LIMITS)}"
        )


def _judged(run: Measurement, line: SpecifiedLine, gate: Gate) -> Verdict:
    """The verdict on a run; one that contradicts what is specified has no outcome."""
    try:
        return check(run, line, gate)
    except ImpossibleFigureError as error:
        return Verdict(file=run.source, outcome=None, why=str(error))
    except (ContradictionError, DomainError) as error:
        problem = str(error).removeprefix(f"{run.source}: ")
        return Verdict(file=run.source, outcome=None, why=problem, measurement=run)
    except NetmodelError:
        raise
    except Exception as error:  # noqa: BLE001  # of any kind: the other runs are judged
        return Verdict(file=run.source, outcome=None, why=fault_text(error))


def compared(
    run: Measurement,
    limits: RunLimits,
    parts: tuple[TolerancePart, ...],
    gate: Gate,
    forced: Outcome | None = None,
) -> Verdict:
    """Return the verdict on a run of known limits and tolerance; of repeats it may be forced."""
    rate_bps, allowed = limits.measured_bps(run) or 0.0, tolerance(parts, gate)
    outcome, fitting, why = _outcome_of(rate_bps, limits, allowed, run)
    if forced and outcome is not Outcome.IMPOSSIBLE:
        outcome, fitting, why = forced, (), why or _TOO_SHORT
    explained_by = fitting[0] if outcome is Outcome.LIMITED else None
    known = run, limits, rate_bps
    causes: tuple[Cause, ...] = ()
    if outcome is Outcome.IMPOSSIBLE:
        causes = causes_above(*known)
    elif outcome is Outcome.BELOW:
        causes = causes_below(*known, fitting)
    elif explained_by is not None:
        writes = small_writes(*known) if explained_by.name in OF_CPUS else ()
        lost = what_was_lost(*known) if explained_by.name != "loss" else ()
        causes = (*writes, _explained(explained_by, rate_bps, limits, allowed), *lost)
    # a run over loopback never passes
    accepts = explained_by is not None and explained_by.name in gate.accepted
    return Verdict(
        file=run.source,
        outcome=outcome,
        figures=_beside_the_limit(outcome, rate_bps, limits, allowed),
        why=why if outcome is Outcome.NOT_JUDGEABLE else "",
        causes=causes,
        measurement=run,
        limits=limits,
        explained_by=explained_by,
        is_accepted=accepts and not run.is_loopback,
        tolerance=allowed,
    )


def _outcome_of(
    rate_bps: float, limits: RunLimits, allowed: Tolerance, run: Measurement
) -> tuple[Outcome, tuple[Limit, ...], str]:
    """
    The outcome of a run, the limits of its own that explain it, and why it is not judgeable.

    A run over loopback never reaches the ceiling of a line, nor do datagrams that were counted at
    the sender, nor a run that was too short or scatters too much.
    """
    low_bps, high_bps = limits.bounds_bps
    if rate_bps > allowed.max_ratio * high_bps:
        return Outcome.IMPOSSIBLE, (), ""
    own, wrong = limits.named("segment_size"), ""
    if own and rate_bps > allowed.max_ratio * own.value_bps:
        most = judged_rate_text(own.value_bps, limits)
        wrong = f"{own.carrier} carries at most {most}: line rate or segment size is wrong"
    least_ratio = max(allowed.sure_min_ratio, allowed.min_ratio)
    fitting = explaining(run, limits, rate_bps, least_ratio, allowed.sure_max_ratio)
    is_below = rate_bps < allowed.min_ratio * low_bps
    if not is_below:
        # a line that is full loses too, and a rate that passes needs no limit of its own
        fitting = tuple(
            each
            for each in fitting
            if each.name != "loss" and each.bounds_bps[1] < allowed.floor_ratio * low_bps
        )
    if len(fitting) == 1:
        return Outcome.LIMITED, fitting, ""
    if is_below and run.goodput_is_lower_bound:
        wrong = wrong or "the rate is a lower bound, so the run may have reached the limit"
    if fitting or is_below:
        return (Outcome.NOT_JUDGEABLE if wrong else Outcome.BELOW), fitting, wrong
    # the tolerance of a run of a moment does not close a range
    is_wide = low_bps < least_ratio * high_bps
    is_open = is_wide and (rate_bps < least_ratio * high_bps or bool(limits.unknown))
    is_sure = allowed.sure_min_ratio * low_bps <= rate_bps <= allowed.sure_max_ratio * high_bps
    is_rough = {part.name for part in allowed.parts if part.above_ratio > FLOOR_RATIO} >= {ROUNDING}
    at_sender = run.is_counted_at_sender and limits.transport == "udp"
    is_doubtful = wrong or is_open or limits.exceeds_mtu or not is_sure
    if not (run.is_loopback or at_sender or is_doubtful):
        return (Outcome.LIMITED, (own,), "") if own else (Outcome.AT_CEILING, (), "")
    own_bytes = run.segment_bytes
    sizes = "packets" if own_bytes is None else f"segments of {own_bytes} byte"
    reasons = (
        (run.is_loopback, "the connection stayed on a loopback interface"),
        (at_sender, "datagrams were counted at the sender, not at the receiver"),
        (wrong, wrong),
        (is_open and limits.unknown, f"specify {'; '.join(map(missing_text, limits.unknown))}"),
        (
            is_open,
            f"{limits.smallest.name} is known to this range only: a record calibrated from more "
            f"runs may narrow it ({argument('path', '--path')}, {argument('sender', '--sender')}, "
            f"{argument('receiver', '--receiver')})",
        ),
        (
            limits.exceeds_mtu,
            f"the run reports {sizes}, more than that MTU carries with these headers: specify the "
            f"MTU or the headers of the line ({argument('mtu_bytes', '--mtu')}, "
            f"{argument('timestamps', '--no-timestamps')})",
        ),
        (is_rough, "too few digits: give the figure with three or more"),
        (True, _TOO_SHORT),
    )
    return Outcome.NOT_JUDGEABLE, (), next(why for holds, why in reasons if holds)


def judged_rate_text(rate_bps: float, limits: RunLimits) -> str:
    """A rate in the unit of the judged rate: bits or frames per second."""
    if limits.frame_bits is None:
        return format_rate(rate_bps, RESULT_DIGITS)
    return f"{rate_bps / limits.frame_bits:,.0f} frames/s"


def _beside_the_limit(
    outcome: Outcome, rate_bps: float, limits: RunLimits, allowed: Tolerance
) -> str:
    """A rate beside the smallest specified limit, or beside an end of a wide range."""
    measured, smallest = judged_rate_text(rate_bps, limits), limits.smallest
    low_bps, high_bps = limits.bounds_bps
    ends = " to ".join(judged_rate_text(each, limits) for each in (low_bps, high_bps))
    at_size = f" at MTU {limits.mtu_bytes}" if limits.mtu_bytes else ""
    if limits.frame_wire_bytes is not None:
        at_size = f" with frames of {limits.frame_wire_bytes:.6g} byte on it"
    carried = f"that {smallest.carrier or f'the {smallest.name} of the path{at_size}'} allows"
    if smallest.name == "wire":
        carried = f"that the wire carries{at_size}"
    if low_bps < smallest.bounds_bps[0]:
        carried = "that the specified limits allow together"
    if not allowed.separates(low_bps, high_bps):
        ceiling = judged_rate_text(smallest.value_bps, limits)
        ceiling += f" ({ends})" if low_bps < high_bps else ""
        return f"{measured} is {rate_bps / smallest.value_bps:.4f} of the {ceiling} {carried}"
    if outcome is Outcome.NOT_JUDGEABLE:
        place = "below" if rate_bps < low_bps else "within"
        place = place if rate_bps <= high_bps else "above"
    elif outcome in (Outcome.BELOW, Outcome.LIMITED):
        place = f"{rate_bps / low_bps:.4f} of the lower end of"
    else:
        place = f"{rate_bps / high_bps:.4f} of the upper end of"
    return f"{measured} is {place} the {ends} {carried}"


def _explained(limit: Limit, rate_bps: float, limits: RunLimits, allowed: Tolerance) -> Cause:
    """The limit that explains the run, with its rate and the share of it that is unused."""
    bounds_bps, is_size = limit.bounds_bps, limit.name == "segment_size"
    value, low, high = (judged_rate_text(each, limits) for each in (limit.value_bps, *bounds_bps))
    unused = percent_text(max(0.0, 1 - rate_bps / limit.value_bps), 2)
    rate = f"{low} to {high}" if allowed.separates(*bounds_bps) else f"{value}, {unused} unused"
    rate = f"{rate_bps / limit.value_bps:.4f} of it" if is_size else rate
    detail = f" ({rate}), so it does not test {'a line at this MTU' if is_size else 'the line'}"
    wider_ratio = limits.bounds_bps[0] / limit.value_bps
    if limit.name == "window" and wider_ratio > 1:
        detail += f"; a window {wider_ratio:.3g} times as large would reach that limit"
    confirm = DROPS if limit.name == "loss" else ""
    return Cause(limit.name, f"limited by {limit.carrier}", detail, confirm)
