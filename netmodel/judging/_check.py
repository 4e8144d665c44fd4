"""A measurement against the limits of its line."""

import os

from netmodel.errors import DomainError, ParseError
from netmodel.judging._limits import LineLimits, NotJudgeableError
from netmodel.judging._reasons import may_be_lost, reason
from netmodel.judging._run_limits import run_limits
from netmodel.judging._stated_line import StatedLine, require_possible
from netmodel.judging._tolerance import Tolerance, derived_parts, require_ratios, tolerance
from netmodel.judging._verdict import Outcome, Verdict
from netmodel.readers import Measurement, read_result

__all__ = ["check", "check_file", "check_read", "outcome_of", "require_checkable"]

_LEAST, _MOST = 1e-12, 1e18
"""Less and more than can be measured of anything, in its base unit, if it is not zero."""
_FIGURES = (
    *("duration_s", "round_trip_s", "least_round_trip_s"),
    *("goodput_bps", "goodput_half_width_bps", "offered_rate_bps", "lost_ratio"),
    *("frame_rate_fps", "layer1_rate_bps", "peer_window_bytes", "congestion_window_bytes"),
    *("socket_buffer_bytes", "stream_count", "retransmit_count", "received_bytes"),
)


class ImpossibleFigureError(DomainError):
    """A run tells a figure that nothing can have."""


def check(
    measurement: Measurement,
    stated: StatedLine,
    min_ratio: float | None = None,
    max_ratio: float | None = None,
) -> Verdict:
    """
    Judge one measurement against what its line carries.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line.
    min_ratio : float, optional
        Smallest ratio to the ceiling that counts as reaching it; derived from
        the run when left out.
    max_ratio : float, optional
        Largest ratio to the ceiling that counts as reaching it, more is
        impossible; derived from the run when left out.

    Returns
    -------
    verdict : Verdict
        Outcome, reason, all limits, and the binding one.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated.
    DomainError
        If the line cannot exist, a figure of the run is one that nothing can
        have, or the ratios are not 0 < min <= 1 <= max.

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
    require_checkable(stated, min_ratio, max_ratio)
    _require_measured(measurement)
    if measurement.error is not None:
        return _verdict(
            measurement, Outcome.FAILED, f"{measurement.tool} reports: {measurement.error}"
        )
    try:
        limits = run_limits(measurement, stated)
    except NotJudgeableError as error:
        return _verdict(measurement, Outcome.NOT_JUDGEABLE, str(error))
    measured_bps = limits.measured_bps(measurement)
    if measured_bps is None:
        why = measurement.why_no_goodput or "the run does not tell what arrived"
        return _verdict(measurement, Outcome.NOT_JUDGEABLE, why, limits)
    allowed = tolerance(derived_parts(measurement, limits), min_ratio, max_ratio)
    outcome = outcome_of(measured_bps, limits, allowed, measurement)
    why = reason(outcome, measured_bps, measurement, limits)
    return _verdict(measurement, outcome, why, limits, allowed)


def check_file(
    path: str | os.PathLike[str],
    stated: StatedLine,
    min_ratio: float | None = None,
    max_ratio: float | None = None,
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
    min_ratio : float, optional
        Smallest ratio to the ceiling that counts as reaching it; derived from
        the run when left out.
    max_ratio : float, optional
        Largest ratio to the ceiling that counts as reaching it, more is
        impossible; derived from the run when left out.
    format_name : str, optional
        One of :func:`netmodel.readers.result_formats`; recognised from what the
        file holds when left out.

    Returns
    -------
    verdicts : tuple of Verdict
        One for each direction; one without an outcome where the file cannot
        be read, or tells a figure that nothing can have.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated.
    DomainError
        If the line cannot exist, or the ratios are not 0 < min <= 1 <= max.
    """
    require_checkable(stated, min_ratio, max_ratio)
    try:
        measurements = read_result(path, format_name)
    except ParseError as error:
        return (Verdict(file=error.source, outcome=None, reason=error.problem),)
    return tuple(check_read(one, stated, min_ratio, max_ratio) for one in measurements)


def check_read(
    measurement: Measurement, stated: StatedLine, min_ratio: float | None, max_ratio: float | None
) -> Verdict:
    """`check` what a file tells; with figures that nothing can have it counts as unreadable."""
    try:
        return check(measurement, stated, min_ratio, max_ratio)
    except ImpossibleFigureError as error:
        return Verdict(file=measurement.source, outcome=None, reason=str(error))


def require_checkable(
    stated: StatedLine, min_ratio: float | None = None, max_ratio: float | None = None
) -> None:
    """
    Refuse a line or ratios that no run can be held against, before any is read.

    Parameters
    ----------
    stated : StatedLine
        What the user says of the line.
    min_ratio : float, optional
        As in `check`.
    max_ratio : float, optional
        As in `check`.

    Raises
    ------
    DomainError
        If the line cannot exist, or the ratios are not 0 < min <= 1 <= max.
    """
    require_possible(stated)
    require_ratios(min_ratio, max_ratio)


def _require_measured(measurement: Measurement) -> None:
    """Raise ImpossibleFigureError for figures that nothing can have."""
    for name in _FIGURES:
        value = getattr(measurement, name)
        if value is not None and value != 0 and not _LEAST <= value <= _MOST:
            told = f"{name} must be 0, or from {_LEAST:g} to {_MOST:g}; got {value!r}"
            raise ImpossibleFigureError(told)


def _verdict(
    measurement: Measurement,
    outcome: Outcome,
    why: str,
    limits: LineLimits | None = None,
    allowed: Tolerance | None = None,
) -> Verdict:
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        reason=why,
        measurement=measurement,
        line_limits=limits,
        tolerance=allowed,
    )


def outcome_of(
    measured_bps: float, limits: LineLimits, allowed: Tolerance, measurement: Measurement
) -> Outcome:
    """
    From what was measured, and the least and most that the ceiling may be.

    A run over loopback never counts as one that reached the ceiling of a line, nor do datagrams
    that were counted where they were sent, nor a run that was too short or scatters too much to
    tell.
    """
    least_bps, most_bps = limits.bounds_bps
    if measured_bps > allowed.max_ratio * most_bps:
        return Outcome.IMPOSSIBLE
    if measured_bps < allowed.min_ratio * least_bps:
        return Outcome.BELOW
    is_sure = (
        allowed.sure_min_ratio * least_bps <= measured_bps <= allowed.sure_max_ratio * most_bps
    )
    proves_nothing = measurement.is_loopback or may_be_lost(measurement, limits)
    return Outcome.NOT_JUDGEABLE if proves_nothing or not is_sure else Outcome.AT_CEILING
