"""Runs of one configuration, judged together."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev

from netmodel.checking._check import (
    beside_the_limit,
    causes_of,
    is_accepted,
    judged_rate_text,
    outcome_of,
)
from netmodel.checking.limits import Limit, RunLimits
from netmodel.checking.tolerance import (
    DERIVED,
    SCATTER,
    SURE_RATIOS,
    Gate,
    TolerancePart,
    derived_parts,
    tolerance,
)
from netmodel.checking.verdict import Outcome, Repeats, Verdict
from netmodel.estimates import LEVEL_RATIO
from netmodel.readers import Measurement

WIDEST_RATIO = 1 - SURE_RATIOS[0]
"""Largest half width of an interval whose mean is judged, over the limit."""
_OUTLIER_DEVIATIONS = 3.5
"""Modified z-score of an outlier (Iglewicz and Hoaglin, 1993)."""
_DEVIATIONS_PER_MAD = 1.4826
"""Standard deviations of a normal distribution in its median absolute deviation."""
_FEWEST = 2
"""Runs with a standard deviation; its interval is 13 times as wide as of many runs."""
_FEWEST_FOR_OUTLIERS = 3
"""Of two runs, neither is the outlier."""
_RATES = ("goodput_bps", "frame_rate_fps", "layer1_rate_bps", "layer2_rate_bps")
_CONFIGURATION = (
    *("tool", "part", "protocol", "ip_version", "direction", "is_loopback", "is_bidirectional"),
    *("stream_count", "segment_bytes", "requested_mss_bytes", "datagram_bytes", "write_bytes"),
    *("request_bytes", "response_bytes", "offered_rate_bps", "socket_buffer_bytes"),
)


@dataclass(frozen=True, slots=True)
class _Run:
    """One of the repeats."""

    measurement: Measurement
    limits: RunLimits
    rate_bps: float
    parts: tuple[TolerancePart, ...]

    @property
    def either_way_ratio(self) -> float:
        """Sum of the parts that change a rate in both directions: clocks, buffers and rounding."""
        return sum(min(part.below_ratio, part.above_ratio) for part in self.parts)


def pooled(verdicts: Sequence[Verdict], gate: Gate = DERIVED) -> tuple[Verdict, ...]:
    r"""
    Verdicts on repeated runs, one for each configuration.

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

    is the interval of the mean at 95 %. Half of its width adds to the widest
    tolerance of a single run; a mean that is within it by that alone is not
    judgeable, as it may lie on either side, nor is any mean whose interval is
    wider than 5 % either way. Where one run is impossible, all are. A run is
    named as an outlier, and counted all the same, if it is further from the
    median than 3.5 standard deviations, as the
    median absolute deviation estimates them, and than clocks and buffers
    explain. A result that is there twice counts once.

    References
    ----------
    W. S. Gosset ("Student"), "The probable error of a mean", Biometrika 6
    (1908); B. Iglewicz and D. C. Hoaglin, "How to detect and handle outliers"
    (1993), for the modified z-score and its 3.5.

    Examples
    --------
    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> runs = [
    ...     Measurement(source=f"{mbps}.json", sha256=f"{mbps}", tool="iperf3", protocol="tcp",
    ...                 duration_s=30.0, goodput_bps=mbps * 1e6)
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
            configuration = (
                *(getattr(run, name) for name in _CONFIGURATION),
                *(limits.smallest.name, limits.mtu_bytes, round(limits.frame_wire_bytes or 0)),
            )
        groups[configuration].append(verdict)
    return tuple(group[0] if len(group) == 1 else _pool(group, gate) for group in groups.values())


def _pool(group: Sequence[Verdict], gate: Gate) -> Verdict:
    runs = _distinct(group, gate)
    if len(runs) == 1:
        return group[0]
    rates_bps = [run.rate_bps for run in runs]
    mean_bps = fmean(rates_bps)
    limits = replace(
        runs[0].limits,
        specified=_mean_limits([run.limits.specified for run in runs]),
        reported=_mean_limits([run.limits.reported for run in runs]),
        exceeds_mtu=any(run.limits.exceeds_mtu for run in runs),
    )
    repeats = Repeats(
        files=tuple(run.measurement.source for run in runs),
        half_width_bps=half_width_bps(rates_bps),
        level_ratio=LEVEL_RATIO,
        outliers=_outliers(runs),
    )
    scatter_ratio = repeats.half_width_bps / limits.smallest.value_bps
    why = f"half of the interval of the mean of {len(repeats.files)} repeats"
    scatter = TolerancePart(SCATTER, scatter_ratio, scatter_ratio, why)
    widest: dict[str, TolerancePart] = {}
    for part in (part for run in runs for part in run.parts):
        other = widest.setdefault(part.name, part)
        widest[part.name] = max(other, part, key=lambda each: each.below_ratio + each.above_ratio)
    allowed = tolerance((*widest.values(), scatter), gate)
    run = _mean_run(runs, mean_bps)
    outcome, explained_by = outcome_of(mean_bps, limits, allowed, run)
    if any(verdict.outcome is Outcome.IMPOSSIBLE for verdict in group):
        outcome, explained_by = Outcome.IMPOSSIBLE, None
    elif repeats.half_width_bps > WIDEST_RATIO * limits.smallest.value_bps and (
        outcome is not Outcome.IMPOSSIBLE
    ):
        outcome, explained_by = Outcome.NOT_JUDGEABLE, None
    # runs that all print the same leave their mean open by half of the last digit
    open_bps = max(repeats.half_width_bps, mean_bps * fmean(map(_rounding_ratio, runs)))
    half_width = judged_rate_text(open_bps, limits)
    mean = f"mean of {len(runs)} repeats, ±{half_width} at {100 * LEVEL_RATIO:.0f} %"
    return Verdict(
        file=run.source,
        outcome=outcome,
        figures=f"{mean}: {beside_the_limit(outcome, mean_bps, limits, allowed)}",
        causes=causes_of(outcome, mean_bps, run, limits, allowed, explained_by),
        measurement=run,
        limits=replace(limits, notes=_notes(group, runs, repeats)),
        explained_by=explained_by,
        is_accepted=is_accepted(explained_by, run, gate),
        tolerance=allowed,
        repeats=repeats,
    )


def _distinct(group: Sequence[Verdict], gate: Gate) -> list[_Run]:
    """The runs of a group, without copies."""
    runs: dict[object, _Run] = {}
    for verdict in group:
        run, limits, rate_bps = verdict.measurement, verdict.limits, verdict.measured_bps
        if run is not None and limits is not None and rate_bps is not None:
            identity = run.sha256 or len(runs)
            parts = derived_parts(run, limits, gate)
            runs.setdefault(identity, _Run(run, limits, rate_bps, parts))
    return list(runs.values())


def _rounding_ratio(run: _Run) -> float:
    """Half width that printed digits leave over the rate."""
    goodput_bps = run.measurement.goodput_bps
    return (run.measurement.goodput_half_width_bps or 0.0) / goodput_bps if goodput_bps else 0.0


def half_width_bps(rates_bps: Sequence[float]) -> float:
    """Half of the interval of the mean, of two rates or more."""
    from scipy.special import stdtrit

    count = len(rates_bps)
    quantile = float(stdtrit(count - 1, (1 + LEVEL_RATIO) / 2))
    return quantile * stdev(rates_bps) / math.sqrt(count)


def _mean_limits(limits: Sequence[tuple[Limit, ...]]) -> tuple[Limit, ...]:
    """Limits that all runs have: the mean of each, with the range that covers all."""
    named = [{limit.name: limit for limit in each} for each in limits]
    means = []
    for name in (name for name in named[0] if all(name in each for each in named)):
        first, *others = same = [each[name] for each in named]
        if all(limit == first for limit in others):
            means.append(first)
            continue
        lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in same), strict=True)
        mean_bps = fmean(limit.value_bps for limit in same)
        shares_carrier = all(limit.carrier == first.carrier for limit in others)
        carrier = first.carrier if shares_carrier else f"the {name} of the repeats, on average,"
        means.append(Limit(name, mean_bps, min(lows_bps), max(highs_bps), carrier))
    return tuple(means)


def _outliers(runs: Sequence[_Run]) -> tuple[str, ...]:
    """Files whose rate is further from the median than scatter, clocks and buffers explain."""
    if len(runs) < _FEWEST_FOR_OUTLIERS:
        return ()
    middle_bps = median(run.rate_bps for run in runs)
    distances_bps = [abs(run.rate_bps - middle_bps) for run in runs]
    allowed_bps = _OUTLIER_DEVIATIONS * _DEVIATIONS_PER_MAD * median(distances_bps)
    return tuple(
        run.measurement.source
        for run, distance_bps in zip(runs, distances_bps, strict=True)
        if distance_bps > max(allowed_bps, run.either_way_ratio * middle_bps)
    )


def _mean_run(runs: Sequence[_Run], mean_bps: float) -> Measurement:
    """A run like the first, with the mean rate and the time of all."""
    first = runs[0].measurement
    measurements = [run.measurement for run in runs]
    durations_s = [run.duration_s for run in measurements]
    known_bytes = [run.received_bytes for run in measurements if run.received_bytes is not None]
    losses = [run.lost_ratio for run in measurements if run.lost_ratio is not None]
    rates = {
        name: value * mean_bps / runs[0].rate_bps
        for name in _RATES
        if (value := getattr(first, name)) is not None
    }
    return replace(
        first,
        source=f"{len(runs)} repeats from {first.source}",
        raw_text="",
        sha256="",
        begin_utc_s=None,
        duration_s=None if None in durations_s else math.fsum(filter(None, durations_s)),
        received_bytes=sum(known_bytes) if len(known_bytes) == len(runs) else None,
        reported_rate_bps=None,
        retransmit_count=None,
        lost_ratio=fmean(losses) if len(losses) == len(runs) else None,
        cpu=(),
        notes=(),
        **rates,
    )


def _notes(group: Sequence[Verdict], runs: Sequence[_Run], repeats: Repeats) -> tuple[str, ...]:
    """Outliers and copies among the repeats, and the notes of all of them."""
    own = []
    if repeats.outliers:
        own.append(f"outliers, counted too: {', '.join(repeats.outliers)}")
    if len(runs) < len(group):
        own.append(f"{len(group) - len(runs)} results are copies, and count once")
    if len(runs) == _FEWEST:
        own.append("the interval of two repeats is wide: more repeats narrow it")
    return tuple(dict.fromkeys([*own, *(note for verdict in group for note in verdict.notes)]))
