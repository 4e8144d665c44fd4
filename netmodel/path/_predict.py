"""From a path and its traffic to a prediction."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache, partial
from itertools import chain

from netmodel._numeric import Quantity, is_symbol
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path._adapters import LINE_STAGES
from netmodel.path._composition import limits
from netmodel.path._load import Load
from netmodel.path._path import Path
from netmodel.path._prediction import Prediction
from netmodel.path._traffic import Counts, Traffic, counter
from netmodel.path._uncertain import Points, cases_of
from netmodel.path._zero_load import zero_load

__all__ = ["composed", "in_same_cases", "predict_path"]

_LONGEST_PACKET_BYTES = 9216
"""Of jumbo frames as equipment has them; the standard has none."""


def predict_path(
    path: Path,
    traffic: Traffic,
    mtu_bytes: Quantity | None = None,
    stack: Stack | None = None,
) -> Prediction:
    r"""
    Upper bound of what a path delivers of a workload, and the limit that sets it.

    Parameters
    ----------
    path : Path
        Stages between a client and a server.
    traffic : Traffic
        What connections exchange over and over.
    mtu_bytes : float or array_like, optional
        Largest packet of the innermost interface; that of the path when left
        out, or where that is smaller. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    prediction : Prediction
        Its fields are numbers, or of the broadcast shape of all arrays among
        the parameters of the path, the traffic and the MTU.

    Raises
    ------
    DomainError
        If nothing limits the path, service times are known up to a factor only, no MTU is
        given, an MTU or message does not fit the headers, or one limit depends on
        uncertain parameters that have too many combinations, or the arrays do not fit
        into memory.

    See Also
    --------
    predict_ratio : Where times are known up to a factor only.

    Notes
    -----
    .. math:: X = \min_r \frac{C_r}{\sum_j d_{rj}}

    with :math:`C_r` what stage, pool, window or connections have, and
    :math:`d_{rj}` what a transaction takes of it: a time for the message, for
    each of its frames and for each of its bytes, as counted at that place. How
    transactions wait for each other at stages that are not full is not in
    this; `Prediction.transaction_rate_bounds_tps` is the range that it leaves.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978), for utilisation and
    asymptotes; RFC 6349, section 4, for windows and round trips.

    Examples
    --------
    A CPU that needs 6 µs for each request, and a line of 25 Gbit/s:

    >>> from netmodel.path import ByteLayer, Path, Stage, Times
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> wire = Stage(
    ...     name="wire", to_server=Times(per_byte_s=8 / 25e9), byte_layer=ByteLayer.WIRE
    ... )
    >>> prediction = predict_path(Path(stages=(cpu, wire)), Traffic(1000), mtu_bytes=1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.binding
    (166667, 'cpu')
    """
    if path.factors:
        raise DomainError(
            f"times of {', '.join(path.factors)} are known up to a factor only: rates cannot "
            "be predicted; for ratios use predict_ratio, or netmodel predict"
        )
    try:
        found = composed(path, traffic, mtu_bytes, tcp_stack() if stack is None else stack)
    except MemoryError as error:
        raise DomainError(
            "these predictions at once do not fit into memory; predict smaller blocks of the arrays"
        ) from error
    if not found.limits:
        raise DomainError("nothing limits this path: no stage with servers takes any time")
    return found


def in_same_cases(*predictions: Prediction) -> tuple[Prediction, ...]:
    """
    Predictions in all combinations of their uncertain parameters, the same in each of them.

    Parameters
    ----------
    *predictions : Prediction
        Of one load each, not of arrays. A set of parameters with the same name is one set.

    Returns
    -------
    predictions : tuple of Prediction
        With arrays of all combinations, those to quote first; as they are where
        nothing is uncertain. Their quotients keep what they have in common.

    Raises
    ------
    DomainError
        If there are too many combinations.

    Examples
    --------
    >>> from netmodel.path import Interval, Path, Stage, Times
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=Interval(2e-6, 1e-6, 4e-6)))
    >>> (found,) = in_same_cases(predict_path(Path(stages=(cpu,)), Traffic(1000), 1500))
    >>> [round(rate) for rate in found.transaction_rate_tps.value]
    [500000, 250000, 1000000]
    """
    cases = cases_of(chain.from_iterable(one.path.parameters() for one in predictions))
    if cases is None:
        return predictions
    return tuple(
        composed(one.path.changed(cases.values_of), one.traffic, one.mtu_bytes, one.stack)
        for one in predictions
    )


def composed(path: Path, traffic: Traffic, mtu_bytes: Quantity | None, stack: Stack) -> Prediction:
    """What `predict_path` returns, also where nothing limits the path."""
    path = path.at(traffic.connection_count)
    path_mtu_bytes = path.mtu_bytes(stack, mtu_bytes)
    stated = (getattr(traffic, field.name) for field in fields(traffic))
    counts_of = counter(traffic, path_mtu_bytes)
    has_acks = traffic.segments_per_ack is not None
    load = Load(
        traffic=traffic,
        counts_of=counts_of,
        bare_counts_of=counter(replace(traffic, segments_per_ack=None), path_mtu_bytes)
        if has_acks
        else counts_of,
        stack=stack,
        points=Points.of(
            [path_mtu_bytes, *path.parameters(), *(one for one in stated if one is not None)]
        ),
    )
    alone = cache(partial(zero_load, path, load))
    return Prediction(
        path=path,
        traffic=traffic,
        mtu_bytes=path_mtu_bytes,
        stack=stack,
        load=load,
        limits=limits(path, load, alone),
        zero_load=alone,
        path_notes=(
            *_path_notes(path, traffic, mtu_bytes, stack),
            *_longer_than_jumbo(path, path_mtu_bytes, stack),
        ),
        outside_validity=_unusual_frames(path, counts_of, stack),
    )


def _path_notes(
    path: Path, traffic: Traffic, stated_bytes: Quantity | None, stack: Stack
) -> Iterator[str]:
    """What the limits rest on."""
    names = [] if stated_bytes is None else list(_too_small(path, stated_bytes, stack))
    if names:
        yield (
            f"packets as large as the MTU stated do not pass {', '.join(names)}: "
            "the sender is taken to know it and to send smaller ones"
        )
    if traffic.connection_count is None:
        for stage in path.stages:
            if stage.hashes_flows:
                yield f"connections not stated: {stage.name} is taken as evenly used"
        if path.window_bytes is not None:
            yield "connections not stated: the window is not among the limits"
    yield from path.notes


def _longer_than_jumbo(path: Path, mtu_bytes: Quantity, stack: Stack) -> Iterator[str]:
    """Packets that no usual Ethernet carries."""
    stacks = {stage.stack or stack for stage in path.stages if stage.name in LINE_STAGES}
    on_ethernet = [one for one in stacks if "ethernet" in one.protocols[:1]]
    if not on_ethernet or is_symbol(mtu_bytes):
        return
    longest = max(float(np.max(one.outer_packet_bytes(mtu_bytes))) for one in on_ethernet)
    if longest > _LONGEST_PACKET_BYTES:
        yield (
            f"packets of {longest:,.0f} byte are longer than the {_LONGEST_PACKET_BYTES:,} that "
            "jumbo frames of Ethernet usually carry: see that all adapters and switches pass them"
        )


def _too_small(path: Path, stated_bytes: Quantity, stack: Stack) -> Iterator[str]:
    """Stages that do not let packets of this size pass."""
    for stage in path.stages:
        if stage.mtu_bytes is not None:
            own_bytes = (stage.stack or stack).mtu_bytes(stage.mtu_bytes)
            if np.any(np.less(own_bytes, stated_bytes)):
                yield stage.name


def _unusual_frames(
    path: Path, counts: Callable[[Stack], tuple[Counts, Counts]], stack: Stack
) -> dict[str, tuple[str, ...]]:
    """Stages whose times were found with other frames, by what a reader should know of that."""
    names: dict[str, tuple[str, ...]] = {}
    for stage in path.stages:
        ways = zip((stage.to_server, stage.to_client), counts(stage.stack or stack), strict=True)
        for times, count in ways:
            if not times.validity or not count.message_count:
                continue
            payload_bytes = count.payload_bytes / count.frame_count
            if not times.are_found_with(payload_bytes):
                known = names.get(times.validity.note, ())
                place = f"{stage.name} ({_sizes(payload_bytes)})"
                names[times.validity.note] = (*known, place)
    return names


def _sizes(payload_bytes: Quantity) -> str:
    least, most = (f"{size:.0f}" for size in (np.min(payload_bytes), np.max(payload_bytes)))
    return f"{least} B" if least == most else f"{least} to {most} B"
