"""A measurement, a file or a directory against the limits that the user specified."""

import math
from dataclasses import replace
from operator import attrgetter

from netmodel.checking._causes import (
    DROP_COUNTERS,
    has_another_line,
    small_writes,
    what_explains_too_little,
    what_explains_too_much,
    what_was_lost,
)
from netmodel.checking._line_limits import missing_text
from netmodel.checking._run_limits import (
    BUSY_RATIO,
    OF_CPUS,
    REPORTED_LIMITS,
    expected_rate,
    run_limits,
)
from netmodel.checking.limits import (
    Limit,
    NotJudgeableError,
    RunLimits,
    SpecifiedLine,
    require_possible,
)
from netmodel.checking.tolerance import (
    DERIVED,
    FLOOR_RATIO,
    ROUNDING,
    Gate,
    Tolerance,
    derived_parts,
    tolerance,
)
from netmodel.checking.verdict import Outcome, Verdict, Verdicts
from netmodel.errors import (
    ContradictionError,
    DomainError,
    NetmodelError,
)
from netmodel.printable import fault_text
from netmodel.readers import LARGEST, FoundResults, Measurement, join_ends
from netmodel.text import RESULT_DIGITS, argument, meant_text, percent_text
from netmodel.units import format_rate

_SMALLEST = 1e-12
"""Smallest figure other than 0, in base units: a picosecond, less than a bit takes on a line."""
_FIGURES = (
    *("duration_s", "round_trip_s", "least_round_trip_s"),
    *("goodput_bps", "goodput_half_width_bps", "offered_rate_bps", "lost_ratio"),
    *("frame_rate_fps", "layer1_rate_bps", "peer_window_bytes", "congestion_window_bytes"),
    *("socket_buffer_bytes", "stream_count", "retransmit_count", "received_bytes"),
)
_figures_of = attrgetter(*_FIGURES)


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
    require_checkable(line, gate)
    for name, value in zip(_FIGURES, _figures_of(measurement), strict=True):
        if value is not None and value != 0 and not _SMALLEST <= value <= LARGEST:
            rule = f"{name} must be 0, or from {_SMALLEST:g} to {LARGEST:g}; got {value!r}"
            raise ImpossibleFigureError(rule)
    if measurement.error is not None:
        why = f"{measurement.tool} reports: {measurement.error}"
        return _unjudged(measurement, Outcome.FAILED, why)
    if too_busy := _more_than_installed(measurement):
        return _unjudged(measurement, Outcome.IMPOSSIBLE, too_busy)
    try:
        limits = run_limits(measurement, line)
    except NotJudgeableError as error:
        return _unjudged(measurement, Outcome.NOT_JUDGEABLE, str(error))
    measured_bps = limits.measured_bps(measurement)
    if measured_bps is None or measurement.measures_latency:
        is_latency = measurement.measures_latency
        usual = "a test of response times" if is_latency else "goodput is not reported"
        why = measurement.why_no_goodput or usual
        unjudged = _unjudged(measurement, Outcome.NOT_JUDGEABLE, why, limits)
        return replace(unjudged, expected=expected_rate(measurement, line, limits))
    allowed = tolerance(derived_parts(measurement, limits, gate), gate)
    outcome, explained_by = outcome_of(measured_bps, limits, allowed, measurement)
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        figures=beside_the_limit(outcome, measured_bps, limits, allowed),
        causes=causes_of(outcome, measured_bps, measurement, limits, allowed, explained_by),
        measurement=measurement,
        limits=limits,
        explained_by=explained_by,
        is_accepted=is_accepted(explained_by, measurement, gate),
        tolerance=allowed,
        expected=expected_rate(measurement, line, limits),
    )


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
    require_checkable(line, gate)
    return Verdicts(
        _judged(row, line, gate)
        if isinstance(row, Measurement)
        else Verdict(file=row.path, outcome=None, causes=(row.problem,))
        for row in join_ends(results.rows)
    )


def require_checkable(line: SpecifiedLine, gate: Gate = DERIVED) -> None:
    """
    Refuse an impossible line or gate before any run is read.

    Parameters
    ----------
    line : SpecifiedLine
        Line as specified by the user.
    gate : Gate, optional
        As in `check`.

    Raises
    ------
    DomainError
        If the line cannot exist, or a limit to accept is not one that runs
        report.
    """
    require_possible(line)
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
        return Verdict(file=run.source, outcome=None, causes=(str(error),))
    except (ContradictionError, DomainError) as error:
        problem = str(error).removeprefix(f"{run.source}: ")
        return Verdict(file=run.source, outcome=None, causes=(problem,), measurement=run)
    except NetmodelError:
        raise
    except Exception as error:  # noqa: BLE001  # of any kind: the other runs are judged
        return Verdict(file=run.source, outcome=None, causes=(fault_text(error),))


def _more_than_installed(measurement: Measurement) -> str:
    """Return why the CPU figures of a run cannot be right; empty where they can."""
    for use in measurement.cpu:
        count = use.installed_cpu_count
        if count and use.busy_cpu_count * BUSY_RATIO > count:
            return (
                f"{use.side.value}: {use.busy_cpu_count:.4g} CPUs would be busy, of {count} that "
                "it has: the CPU time, the rate or the number of CPUs is wrong"
            )
    return ""


def _unjudged(
    measurement: Measurement, outcome: Outcome, why: str, limits: RunLimits | None = None
) -> Verdict:
    """The verdict on a run that is not compared with its limits."""
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        causes=(why,),
        measurement=measurement,
        limits=limits,
    )


def outcome_of(
    measured_bps: float, limits: RunLimits, allowed: Tolerance, measurement: Measurement
) -> tuple[Outcome, Limit | None]:
    """
    The outcome of a run, and the limit of its own that explains it.

    A run over loopback never reaches the ceiling of a line, nor do datagrams that were counted at
    the sender, nor a run that was too short or scatters too much.
    """
    low_bps, high_bps = limits.bounds_bps
    if measured_bps > allowed.max_ratio * high_bps:
        return Outcome.IMPOSSIBLE, None
    segment_size = next((each for each in limits.reported if each.name == "segment_size"), None)
    exceeds_own = (
        segment_size is not None and measured_bps > allowed.max_ratio * segment_size.value_bps
    )
    # the nearest reported limit whose range contains the goodput
    fitting = []
    for limit in limits.reported if measured_bps else ():
        limit_low_bps, limit_high_bps = limit.bounds_bps
        least_bps = max(allowed.sure_min_ratio, allowed.min_ratio) * limit_low_bps
        if least_bps <= measured_bps <= allowed.sure_max_ratio * limit_high_bps:
            fitting.append(limit)
    explained_by = min(
        # the range of loss is wide: any other limit that fits explains more
        [limit for limit in fitting if limit.name != "loss"] or fitting,
        key=lambda each: abs(math.log(measured_bps / each.value_bps)),
        default=None,
    )
    is_loss = explained_by is not None and explained_by.name == "loss"
    if is_loss and (
        measured_bps >= allowed.min_ratio * low_bps
        or has_another_line(measurement, limits, measured_bps)
    ):
        # a line that is full loses too, and so does a slower one than specified
        explained_by = None
    if measured_bps < allowed.min_ratio * low_bps:
        if explained_by is not None:
            return Outcome.LIMITED, explained_by
        is_doubtful = measurement.goodput_is_lower_bound or exceeds_own
        return (Outcome.NOT_JUDGEABLE if is_doubtful else Outcome.BELOW), None
    reaches_all = measured_bps >= allowed.min_ratio * high_bps and not limits.unknown
    if explained_by is not None and explained_by.bounds_bps[1] < allowed.floor_ratio * low_bps:
        return Outcome.LIMITED, explained_by
    is_open = allowed.separates(low_bps, high_bps) and not reaches_all
    is_sure = allowed.sure_min_ratio * low_bps <= measured_bps <= allowed.sure_max_ratio * high_bps
    proves_nothing = measurement.is_loopback or may_be_lost(measurement, limits)
    if is_open or proves_nothing or not is_sure or limits.exceeds_mtu or exceeds_own:
        return Outcome.NOT_JUDGEABLE, None
    return (Outcome.LIMITED if segment_size else Outcome.AT_CEILING), segment_size


def is_accepted(explained_by: Limit | None, measurement: Measurement, gate: Gate) -> bool:
    """Whether the user accepts the limit that explains a run; never over loopback."""
    is_named = explained_by is not None and explained_by.name in gate.accepted
    return is_named and not measurement.is_loopback


def may_be_lost(measurement: Measurement, limits: RunLimits) -> bool:
    """Whether datagrams were counted at the sender, and may be lost."""
    return measurement.is_counted_at_sender and limits.transport == "udp"


def causes_of(
    outcome: Outcome,
    measured_bps: float,
    measurement: Measurement,
    limits: RunLimits,
    allowed: Tolerance,
    explained_by: Limit | None = None,
) -> tuple[str, ...]:
    """Return why a rate is not at the smallest specified limit, the most telling cause first."""
    known = (measurement, limits, measured_bps)
    if outcome is Outcome.IMPOSSIBLE:
        return what_explains_too_much(*known)
    if outcome is Outcome.BELOW:
        return what_explains_too_little(*known)
    if explained_by is not None:
        explained = _explained(explained_by, measured_bps, limits, allowed)
        if explained_by.name == "loss":
            return (f"{explained} {DROP_COUNTERS}",)
        writes = small_writes(*known) if explained_by.name in OF_CPUS else ()
        return (explained, *writes, *what_was_lost(*known))
    if outcome is Outcome.NOT_JUDGEABLE:
        return (_why_not_judgeable(measured_bps, measurement, limits, allowed),)
    return ()


def judged_rate_text(rate_bps: float, limits: RunLimits) -> str:
    """A rate in the unit of the judged rate: bits or frames per second."""
    if limits.frame_bits is None:
        return format_rate(rate_bps, RESULT_DIGITS)
    return f"{rate_bps / limits.frame_bits:,.0f} frames/s"


def beside_the_limit(
    outcome: Outcome, measured_bps: float, limits: RunLimits, allowed: Tolerance
) -> str:
    """A rate beside the smallest specified limit, or beside an end of a wide range."""
    measured = judged_rate_text(measured_bps, limits)
    low_bps, high_bps = limits.bounds_bps
    if not allowed.separates(low_bps, high_bps):
        value_bps = limits.smallest.value_bps
        ceiling = judged_rate_text(value_bps, limits)
        if low_bps < high_bps:
            ceiling += f" ({_range_text(low_bps, high_bps, limits)})"
        return f"{measured} is {measured_bps / value_bps:.4f} of the {ceiling} {_carried(limits)}"
    between = f"{_range_text(low_bps, high_bps, limits)} {_carried(limits)}"
    if outcome in (Outcome.BELOW, Outcome.LIMITED):
        ratio = f"{measured_bps / low_bps:.4f} of the lower end of"
    elif outcome is Outcome.NOT_JUDGEABLE:
        within = "below" if measured_bps < low_bps else "within"
        return f"{measured} is {within if measured_bps <= high_bps else 'above'} the {between}"
    else:
        ratio = f"{measured_bps / high_bps:.4f} of the upper end of"
    return f"{measured} is {ratio} the {between}"


def _range_text(low_bps: float, high_bps: float, limits: RunLimits) -> str:
    return f"{judged_rate_text(low_bps, limits)} to {judged_rate_text(high_bps, limits)}"


def _carried(limits: RunLimits) -> str:
    smallest = limits.smallest
    if limits.bounds_bps[0] < smallest.bounds_bps[0]:
        return "that the specified limits allow together"
    if limits.frame_wire_bytes is not None:
        at_size = f" with frames of {limits.frame_wire_bytes:.6g} byte on it"
    elif limits.mtu_bytes is not None:
        at_size = f" at MTU {limits.mtu_bytes}"
    else:
        at_size = ""
    if smallest.name == "wire":
        return f"that the wire carries{at_size}"
    carrier = smallest.carrier or f"the {smallest.name} of the path{at_size}"
    return f"that {carrier} allows"


def _explained(
    explained_by: Limit, measured_bps: float, limits: RunLimits, allowed: Tolerance
) -> str:
    """The limit that explains the run, with its rate and the share of it that is unused."""
    low_bps, high_bps = explained_by.bounds_bps
    if explained_by.name == "segment_size":
        rate = f"{measured_bps / explained_by.value_bps:.4f} of it"
    else:
        rate = _range_text(low_bps, high_bps, limits)
        if not allowed.separates(low_bps, high_bps):
            unused_ratio = max(0.0, 1 - measured_bps / explained_by.value_bps)
            value = judged_rate_text(explained_by.value_bps, limits)
            rate = f"{value}, {percent_text(unused_ratio, 2)} unused"
    untested = "a line at this MTU" if explained_by.name == "segment_size" else "the line"
    text = f"limited by {explained_by.carrier} ({rate}), so it does not test {untested}"
    wider_ratio = limits.bounds_bps[0] / explained_by.value_bps
    if explained_by.name == "window" and wider_ratio > 1:
        text += f"; a window {wider_ratio:.3g} times as large would reach that limit"
    return text


def _why_not_judgeable(
    measured_bps: float, measurement: Measurement, limits: RunLimits, allowed: Tolerance
) -> str:
    if measurement.is_loopback:
        return "the connection stayed on a loopback interface"
    if may_be_lost(measurement, limits):
        return "datagrams were counted at the sender, not at the receiver"
    low_bps, high_bps = limits.bounds_bps
    segment_size = next((each for each in limits.reported if each.name == "segment_size"), None)
    if segment_size is not None and measured_bps > allowed.max_ratio * segment_size.value_bps:
        most = judged_rate_text(segment_size.value_bps, limits)
        return f"{segment_size.carrier} carries at most {most}: line rate or segment size is wrong"
    if measured_bps < allowed.min_ratio * low_bps:
        return "the rate is a lower bound, so the run may have reached the limit"
    if limits.unknown and allowed.separates(low_bps, high_bps):
        return f"specify {'; '.join(map(missing_text, limits.unknown))}"
    if measured_bps < allowed.min_ratio * high_bps:
        return (
            f"{limits.smallest.name} is known to this range only: a record calibrated from more "
            f"runs may narrow it ({argument('path', '--path')}, {argument('sender', '--sender')}, "
            f"{argument('receiver', '--receiver')})"
        )
    if limits.exceeds_mtu:
        own_bytes = measurement.segment_bytes
        sizes = "packets" if own_bytes is None else f"segments of {own_bytes} byte"
        return (
            f"the run reports {sizes}, more than that MTU carries with these headers: specify the "
            f"MTU or the headers of the line ({argument('mtu_bytes', '--mtu')}, "
            f"{argument('timestamps', '--no-timestamps')})"
        )
    if any(part.name == ROUNDING and part.above_ratio > FLOOR_RATIO for part in allowed.parts):
        return "too few digits: give the figure with three or more"
    return (
        "the run is too short, or its repeats scatter too much: measure 30 s or more without the "
        "first seconds, or more repeats"
    )
