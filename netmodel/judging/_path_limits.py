"""What the path of a run allows, from the same prediction as ``netmodel predict``."""

from collections.abc import Iterator
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.judging._limits import Limit, LineLimits, StatedLine
from netmodel.path import LINE_STAGES, Path, Stage, Traffic, predict
from netmodel.readers import Direction, Measurement

__all__ = ["with_path_limits"]

_USUAL_WRITE_BYTES = 131_072
"""What iperf3 writes at a time over TCP unless told otherwise."""


def with_path_limits(measurement: Measurement, stated: StatedLine, line: LineLimits) -> LineLimits:
    """
    The limits of a line, and those of the path that is stated with it.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line and its path.
    line : LineLimits
        What the line allows.

    Returns
    -------
    limits : LineLimits
        Those of the line first, then every other limit that the run puts a
        load on; those of the line alone where no path is stated.

    Raises
    ------
    ContradictionError
        If limits that were seen on an adapter, or it and the line, cannot be
        true together.
    DomainError
        If the path cannot exist.
    """
    if stated.path is None:
        return line
    path = replace(stated.path, line_rate_bps=stated.line_rate_bps).path(_sender(measurement))
    traffic = _traffic(measurement, stated)
    prediction = predict(path, traffic, line.mtu_bytes, line.stack)
    highest_bps = prediction.highest_limit_rates_bps
    limits = tuple(
        Limit(name, rate.value, rate.low, float(highest_bps[name]))
        for name, rate in prediction.limit_rates_bps.items()
        if name not in LINE_STAGES
    )
    return replace(
        line,
        limits=(*line.limits, *limits),
        warnings=(*line.warnings, *_warnings(measurement, stated, path), *prediction.caveats),
    )


def _sending(measurement: Measurement) -> Side:
    """The side whose payload was measured; the client's where the tool does not tell."""
    is_back = measurement.direction is Direction.SERVER_TO_CLIENT
    return Side.SERVER if is_back else Side.CLIENT


def _sender(measurement: Measurement) -> Side:
    """The side that sent more payload; the client where both did."""
    return Side.CLIENT if measurement.is_bidirectional else _sending(measurement)


def _traffic(measurement: Measurement, stated: StatedLine) -> Traffic:
    message_bytes = measurement.datagram_bytes or stated.message_bytes or _USUAL_WRITE_BYTES
    sizes = (message_bytes, 0) if _sending(measurement) is Side.CLIENT else (0, message_bytes)
    return Traffic(
        *sizes,
        connection_count=measurement.stream_count,
        waits=False,
        shares_segments=stated.message_bytes is None and measurement.datagram_bytes is None,
    )


def _warnings(measurement: Measurement, stated: StatedLine, path: Path) -> Iterator[str]:
    told = stated.message_bytes or measurement.datagram_bytes
    if told is None and any(_counts_messages(stage) for stage in path.stages):
        yield (
            "the size of a write is not stated, and stages of the path take time for each: "
            f"taken as {_USUAL_WRITE_BYTES} byte"
        )


def _counts_messages(stage: Stage) -> bool:
    """Whether its capacity is used up by messages, however small they are."""
    times = (*stage.to_server.named(), *stage.to_client.named())
    return not stage.is_delay and any(name == "per_message_s" for name, _ in times)
