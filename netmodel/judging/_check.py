"""A measurement against the limits that the user specified."""

import math
import os
from operator import attrgetter

from netmodel.errors import DomainError, ParseError
from netmodel.judging._limits import Limit, NotJudgeableError, RunLimits
from netmodel.judging._reasons import may_be_lost, reason
from netmodel.judging._run_limits import REPORTED_LIMITS, run_limits
from netmodel.judging._stated_line import StatedLine, require_possible
from netmodel.judging._tolerance import DERIVED, Gate, Tolerance, derived_parts, tolerance
from netmodel.judging._verdict import Outcome, Verdict
from netmodel.readers import Measurement, read_result

__all__ = [
    "check",
    "check_file",
    "check_read",
    "is_accepted",
    "outcome_of",
    "require_checkable",
]

_LEAST, _MOST = 1e-12, 1e18
"""Less and more than can be measured of anything, in its base unit, if it is not zero."""
_FIGURES = (
    *("duration_s", "round_trip_s", "least_round_trip_s"),
    *("goodput_bps", "goodput_half_width_bps", "offered_rate_bps", "lost_ratio"),
    *("frame_rate_fps", "layer1_rate_bps", "peer_window_bytes", "congestion_window_bytes"),
    *("socket_buffer_bytes", "stream_count", "retransmit_count", "received_bytes"),
)


_figures_of = attrgetter(*_FIGURES)


class ImpossibleFigureError(DomainError):
    """A run reports a figure that nothing can have."""


def check(measurement: Measurement, stated: StatedLine, gate: Gate = DERIVED) -> Verdict:
    """
    Judge one measurement against the limits that the user specified.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line, the path and the hosts.
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
        If the line cannot exist, a figure of the run is one that nothing can
        have, or a limit to accept is not one that runs report.

    Notes
    -----
    The outcome refers to the smallest specified limit, or to the range that is
    known of it. What a run reports about itself never makes it pass: below the
    tolerance, a reported limit whose range holds the goodput makes the run
    `LIMITED` instead of `BELOW`; where several do, the nearest. So does one
    that lies below the floor of the tolerance: the run could not have reached
    more, whatever it is allowed for its retransmissions. The exception
    is the segment size, which sets the wire ceiling where no MTU is specified.
    With an MTU specified, a run with smaller segments is `LIMITED` by them, and
    one with larger segments not judgeable, where it would have passed; nor is
    one that shows more than segments of the size that it reports can carry.

    References
    ----------
    RFC 6349, section 4, for achieved against achievable TCP throughput.

    Examples
    --------
    >>> run = Measurement(source="a.json", sha256="", tool="iperf3", protocol="tcp",
    ...                   goodput_bps=23.4e9, ip_version=4)
    >>> verdict = check(run, StatedLine(25e9, mtu_bytes=1500))
    >>> verdict.outcome, round(verdict.ratio, 3)
    (<Outcome.AT_CEILING: 'at_ceiling'>, 0.994)
    """
    require_checkable(stated, gate)
    _require_measured(measurement)
    if measurement.error is not None:
        why = f"{measurement.tool} reports: {measurement.error}"
        return _unjudged(measurement, Outcome.FAILED, why)
    try:
        limits = run_limits(measurement, stated)
    except NotJudgeableError as error:
        return _unjudged(measurement, Outcome.NOT_JUDGEABLE, str(error))
    measured_bps = limits.measured_bps(measurement)
    if measured_bps is None or measurement.measures_latency:
        is_latency = measurement.measures_latency
        usual = "a test of response times" if is_latency else "what arrived is not reported"
        why = measurement.why_no_goodput or usual
        return _unjudged(measurement, Outcome.NOT_JUDGEABLE, why, limits)
    allowed = tolerance(derived_parts(measurement, limits, gate), gate)
    outcome, explained_by = outcome_of(measured_bps, limits, allowed, measurement)
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        reason=reason(outcome, measured_bps, measurement, limits, allowed, explained_by),
        measurement=measurement,
        limits=limits,
        explained_by=explained_by,
        is_accepted=is_accepted(explained_by, measurement, gate),
        tolerance=allowed,
    )


def check_file(
    path: str | os.PathLike[str],
    stated: StatedLine,
    gate: Gate = DERIVED,
    format_name: str | None = None,
) -> tuple[Verdict, ...]:
    """
    Read the result of a benchmark and judge each direction of it.

    Parameters
    ----------
    path : path
        Result of a tool that :func:`netmodel.readers.read_result` knows.
    stated : StatedLine
        What the user says of the line.
    gate : Gate, optional
        As in `check`.
    format_name : str, optional
        One of :func:`netmodel.readers.result_formats`; recognised from what the
        file holds when left out.

    Returns
    -------
    verdicts : tuple of Verdict
        One for each direction; one without an outcome where the file cannot
        be read, or reports a figure that nothing can have.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those specified.
    DomainError
        If the line cannot exist.
    """
    require_checkable(stated, gate)
    try:
        measurements = read_result(path, format_name)
    except ParseError as error:
        return (Verdict(file=error.source, outcome=None, reason=error.problem),)
    return tuple(check_read(one, stated, gate) for one in measurements)


def check_read(measurement: Measurement, stated: StatedLine, gate: Gate) -> Verdict:
    """`check` what a file reports; with figures that nothing can have it counts as unreadable."""
    try:
        return check(measurement, stated, gate)
    except ImpossibleFigureError as error:
        return Verdict(file=measurement.source, outcome=None, reason=str(error))


def require_checkable(stated: StatedLine, gate: Gate = DERIVED) -> None:
    """
    Refuse a line or a gate that no run can be held against, before any is read.

    Parameters
    ----------
    stated : StatedLine
        What the user says of the line.
    gate : Gate, optional
        As in `check`.

    Raises
    ------
    DomainError
        If the line cannot exist, or a limit to accept is not one that runs
        report.
    """
    require_possible(stated)
    unknown = sorted(gate.accepted.difference(REPORTED_LIMITS))
    if unknown:
        known = ", ".join(REPORTED_LIMITS)
        raise DomainError(f"limits to accept must be among {known}; got {', '.join(unknown)}")


def _require_measured(measurement: Measurement) -> None:
    """Raise ImpossibleFigureError for figures that nothing can have."""
    for name, value in zip(_FIGURES, _figures_of(measurement), strict=True):
        if value is not None and value != 0 and not _LEAST <= value <= _MOST:
            rule = f"{name} must be 0, or from {_LEAST:g} to {_MOST:g}; got {value!r}"
            raise ImpossibleFigureError(rule)


def _unjudged(
    measurement: Measurement, outcome: Outcome, why: str, limits: RunLimits | None = None
) -> Verdict:
    """The verdict on a run that is not held against its limits."""
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        reason=why,
        measurement=measurement,
        limits=limits,
    )


def outcome_of(
    measured_bps: float, limits: RunLimits, allowed: Tolerance, measurement: Measurement
) -> tuple[Outcome, Limit | None]:
    """
    The outcome of a run, and the limit that explains it where that is one of its own.

    A run over loopback never counts as one that reached the ceiling of a line, nor do datagrams
    that were counted where they were sent, nor a run that was too short or scatters too much.
    """
    low_bps, high_bps = limits.bounds_bps
    if measured_bps > allowed.max_ratio * high_bps:
        return Outcome.IMPOSSIBLE, None
    segment_size = next((one for one in limits.reported if one.name == "segment_size"), None)
    exceeds_own = (
        segment_size is not None and measured_bps > allowed.max_ratio * segment_size.value_bps
    )
    explained_by = _explanation(measured_bps, limits, allowed)
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
    """Whether the user accepts what limited a run; never of one that crossed no line."""
    is_named = explained_by is not None and explained_by.name in gate.accepted
    return is_named and not measurement.is_loopback


def _explanation(measured_bps: float, limits: RunLimits, allowed: Tolerance) -> Limit | None:
    """The nearest of the limits that a run reports about itself and that hold its goodput."""
    if not measured_bps:
        return None
    fitting = []
    for limit in limits.reported:
        low_bps, high_bps = limit.bounds_bps
        nearest, furthest = allowed.sure_min_ratio * low_bps, allowed.sure_max_ratio * high_bps
        if max(nearest, allowed.min_ratio * low_bps) <= measured_bps <= furthest:
            fitting.append(limit)
    return min(fitting, key=lambda one: abs(math.log(measured_bps / one.value_bps)), default=None)
