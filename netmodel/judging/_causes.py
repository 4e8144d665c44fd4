"""Why a run found more than its line carries, or less: hypotheses, each put to the test."""

from collections.abc import Iterator

from netmodel.consumption import CpuScope
from netmodel.judging._header_causes import (
    GUESS_FIT_RATIO,
    fits,
    from_aggregates,
    from_no_encapsulation,
    from_untold_sizes,
    shown_too_few_bytes,
    too_many_bytes,
)
from netmodel.judging._limits import LineLimits
from netmodel.readers import Measurement
from netmodel.units import format_rate, format_time

__all__ = ["what_explains_too_little", "what_explains_too_much"]

STANDARD_LINE_RATES_BPS = (
    *(10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9),
    *(40e9, 50e9, 100e9, 200e9, 400e9, 800e9),
)
"""MAC rates of Ethernet (IEEE 802.3)."""

_UNIT_FACTORS = {
    "bytes taken for bits": 8.0,
    "kB (10^3) and KiB (2^10) mixed up": 2**10 / 1e3,
    "MB (10^6) and MiB (2^20) mixed up": 2**20 / 1e6,
    "GB (10^9) and GiB (2^30) mixed up": 2**30 / 1e9,
}
_BUSY_RATIO = 0.95
_LOSS_THAT_COUNTS_RATIO = 1e-3
_SHORT_S = 5
_SHORT_RUN_RATIO = 1.03
_DIGITS = 5


def what_explains_too_much(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> str:
    """The causes that fit a rate above the ceiling, joined; guesses where the run shows none."""
    counted = (*_from_the_set_up(measurement), *_from_the_sender(measurement, limits))
    if limits.binds_beside_the_line:
        told = f"the limit {limits.binding.name} is higher than it is stated or told to be"
        return "; ".join((*counted, told))
    causes = (
        (*counted, *shown_too_few_bytes(measurement, limits, measured_bps))
        or (
            *from_no_encapsulation(limits, measured_bps),
            *from_untold_sizes(measurement, limits, measured_bps),
            *_from_units(measurement, limits, measured_bps),
            *_from_another_line(limits, measured_bps),
            *_from_the_duration(measurement, limits, measured_bps),
        )
        or tuple(from_aggregates(limits, measured_bps))
    )
    needed_bps = limits.line_rate_bps * measured_bps / limits.binding.value_bps
    return "; ".join(causes) or (
        "line rate, MTU or headers are not those stated; "
        f"with this MTU and headers it takes a line of at least {format_rate(needed_bps, _DIGITS)}"
    )


def what_explains_too_little(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> str:
    """The causes that fit a rate below the ceiling, joined."""
    is_of_the_line = not limits.binds_beside_the_line
    causes = (
        *_from_the_set_up(measurement),
        *(_from_the_line(measurement, limits, measured_bps) if is_of_the_line else ()),
        *_from_loss(measurement, limits, measured_bps),
        *_from_a_busy_process(measurement),
    )
    if limits.binds_beside_the_line:
        return "; ".join(causes) or "something that is neither stated nor told limits"
    return "; ".join(causes) or "something other than the wire limits"


def _from_the_line(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> tuple[str, ...]:
    """What the run shows of more bytes than stated; guesses where it shows nothing."""
    return tuple(too_many_bytes(measurement, limits, measured_bps)) or (
        *from_untold_sizes(measurement, limits, measured_bps),
        *_from_units(measurement, limits, measured_bps),
        *_from_another_line(limits, measured_bps),
    )


def _from_the_set_up(measurement: Measurement) -> Iterator[str]:
    if measurement.is_loopback:
        yield "the connection stayed on a loopback interface and crossed no line"


def _from_the_sender(measurement: Measurement, limits: LineLimits) -> Iterator[str]:
    """Payload that was counted before it arrived."""
    if measurement.is_counted_at_sender:
        lost = " or was lost" if limits.transport == "udp" else ""
        yield f"it was counted at the sender: what lay in socket buffers{lost} counts too"


def _from_loss(measurement: Measurement, limits: LineLimits, measured_bps: float) -> Iterator[str]:
    """Datagrams that got lost, or segments sent again, in numbers that count."""
    lost_ratio = measurement.lost_ratio or 0.0
    if lost_ratio >= _LOSS_THAT_COUNTS_RATIO:
        lost = f"{100 * lost_ratio:.3g} % of the datagrams were lost"
        if lost_ratio < 1:
            sent_bps = measured_bps / (1 - lost_ratio)
            lost += f", {sent_bps / limits.binding.value_bps:.4f} of the limit was sent"
        yield lost
    if measurement.retransmit_count and measurement.segment_bytes and measurement.received_bytes:
        again_bytes = measurement.retransmit_count * measurement.segment_bytes
        again_ratio = again_bytes / measurement.received_bytes
        if again_ratio >= _LOSS_THAT_COUNTS_RATIO:
            count = measurement.retransmit_count
            yield f"{count} segments were sent again ({100 * again_ratio:.3g} %)"


def _from_a_busy_process(measurement: Measurement) -> Iterator[str]:
    """A tool whose threads, one for each stream at most, have no time left."""
    threads = measurement.stream_count or 1
    for use in measurement.cpu:
        if use.scope is CpuScope.PROCESS and use.busy_cpu_count >= _BUSY_RATIO * threads:
            yield (
                f"the process of {measurement.tool} at the {use.side.value} kept "
                f"{use.busy_cpu_count:.3g} CPUs busy, which may be all that its threads can use"
            )


def _from_units(measurement: Measurement, limits: LineLimits, measured_bps: float) -> Iterator[str]:
    """A unit that was taken for another one, either way; counted bytes and frames have none."""
    if limits.frame_wire_bytes is not None or measurement.received_bytes is not None:
        return
    for what, factor in _UNIT_FACTORS.items():
        for one_way in (factor, 1 / factor):
            ratio = measured_bps / limits.binding.value_bps / one_way
            if abs(ratio - 1) <= GUESS_FIT_RATIO:
                yield f"{what} would explain it: divided by {one_way:.6g} the ratio is {ratio:.4f}"


def _from_another_line(limits: LineLimits, measured_bps: float) -> Iterator[str]:
    """A line of another standard rate than stated."""
    for rate_bps in STANDARD_LINE_RATES_BPS:
        ratio = measured_bps * limits.line_rate_bps / (limits.binding.value_bps * rate_bps)
        if rate_bps != limits.line_rate_bps and fits(ratio):
            yield (
                f"a line of {format_rate(rate_bps)} would explain it: {ratio:.4f} of its ceiling"
            )


def _from_the_duration(
    measurement: Measurement, limits: LineLimits, measured_bps: float
) -> Iterator[str]:
    """A run so short that socket buffers and bursts count."""
    duration_s = measurement.duration_s
    is_slight = measured_bps <= _SHORT_RUN_RATIO * limits.binding.value_bps
    if duration_s is not None and duration_s < _SHORT_S and is_slight:
        yield (
            f"in a run of {format_time(duration_s, 3)} socket buffers and bursts count: "
            "measure 10 s or more, the first seconds omitted"
        )
