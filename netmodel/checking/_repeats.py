"""Runs of one configuration, judged together."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from statistics import fmean, stdev
from typing import Any

from netmodel.checking._check import compared
from netmodel.checking.limits import shared_limits
from netmodel.checking.tolerance import DERIVED, Gate, TolerancePart, derived_parts
from netmodel.checking.verdict import Outcome, Repeats, Verdict
from netmodel.estimates import LEVEL_RATIO
from netmodel.readers import Measurement

_RATES = ("goodput_bps", "frame_rate_fps", "layer1_rate_bps")
_configuration_of = attrgetter(
    *("tool", "part", "protocol", "ip_version", "direction", "is_loopback", "is_bidirectional"),
    *("stream_count", "segment_bytes", "requested_mss_bytes", "datagram_bytes", "write_bytes"),
    *("request_bytes", "response_bytes", "offered_rate_bps", "socket_buffer_bytes"),
)


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
            sizes = limits.mtu_bytes, round(limits.frame_wire_bytes or 0)
            configuration = (*_configuration_of(run), limits.smallest.name, *sizes)
        groups[configuration].append(verdict)
    return tuple(group[0] if len(group) == 1 else _pool(group, gate) for group in groups.values())


def _pool(group: Sequence[Verdict], gate: Gate) -> Verdict:
    distinct: dict[object, Verdict] = {}
    for number, verdict in enumerate(group):
        distinct.setdefault((verdict.measurement and verdict.measurement.sha256) or number, verdict)
    runs = [each.measurement for each in distinct.values() if each.measurement]
    limits = [each.limits for each in distinct.values() if each.limits]
    rates_bps = [each.measured_bps for each in distinct.values() if each.measured_bps]
    if len(runs) == 1:
        return group[0]
    mean_bps, half_bps = fmean(rates_bps), half_width_bps(rates_bps)
    copied = f"{len(group) - len(runs)} results are copies, and count once"
    own_notes = [copied] * (len(runs) < len(group))
    all_notes = [note for verdict in group for note in verdict.notes]
    of_mean = replace(
        limits[0],
        reported=tuple(shared_limits([each.reported for each in limits], fmean)),
        exceeds_mtu=any(each.exceeds_mtu for each in limits),
        notes=tuple(dict.fromkeys(own_notes + all_notes)),
    )
    widest: dict[str, TolerancePart] = {}
    for run, own in zip(runs, limits, strict=True):
        for part in derived_parts(run, own, gate):
            either = widest.get(part.name, part), part
            widest[part.name] = max(either, key=lambda each: each.below_ratio + each.above_ratio)
    mean_run = _mean_run(runs, mean_bps / rates_bps[0])
    verdict = compared(mean_run, of_mean, tuple(widest.values()), gate, rates_bps, runs[0])
    wrong = next((each for each in group if each.outcome is Outcome.IMPOSSIBLE), None)
    if wrong and verdict.outcome is not wrong.outcome:
        known: dict[str, Any] = {"outcome": wrong.outcome, "causes": wrong.causes}
        none: dict[str, Any] = dict.fromkeys(("explained_by", "more_runs"))
        verdict = replace(verdict, why="", is_accepted=False, **known, **none)
    # runs that all print the same leave their mean open by half of the last digit
    rounded = fmean((run.goodput_half_width_bps or 0) / (run.goodput_bps or 1) for run in runs)
    half_width = of_mean.rate_text(max(half_bps, mean_bps * rounded))
    mean = f"mean of {len(runs)} repeats, ±{half_width} at {100 * LEVEL_RATIO:.0f} %"
    return replace(
        verdict,
        figures=f"{mean}: {verdict.figures}",
        repeats=Repeats(tuple(run.source for run in runs), half_bps, LEVEL_RATIO),
    )


def half_width_bps(rates_bps: Sequence[float]) -> float:
    """Half of the interval of the mean, of two rates or more."""
    from scipy.special import stdtrit

    count = len(rates_bps)
    quantile = float(stdtrit(count - 1, (1 + LEVEL_RATIO) / 2))
    return quantile * stdev(rates_bps) / math.sqrt(count)


def _mean_run(runs: Sequence[Measurement], mean_ratio: float) -> Measurement:
    """A run like the first, with the mean rate and the time of all."""
    first = runs[0]
    durations_s = [each.duration_s for each in runs if each.duration_s is not None]
    losses = [each.lost_ratio for each in runs if each.lost_ratio is not None]
    rates = {name: value * mean_ratio for name in _RATES if (value := getattr(first, name))}
    return replace(
        first,
        source=f"{len(runs)} repeats from {first.source}",
        raw_text="",
        sha256="",
        begin_utc_s=None,
        duration_s=math.fsum(durations_s) if len(durations_s) == len(runs) else None,
        received_bytes=None,
        lost_ratio=fmean(losses) if len(losses) == len(runs) else None,
        retransmit_count=None,
        cpu=(),
        notes=(),
        **rates,
    )
