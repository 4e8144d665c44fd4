"""From a path and its traffic to a prediction: every limit, and what a reader should know."""

from collections.abc import Iterator

from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, QuantityLike, extremes, is_array
from netmodel.path.ensemble import require_a
from netmodel.path.limits import limits, load_of
from netmodel.path.over_distance import distance_notes, with_window_rounds
from netmodel.path.prediction import Prediction
from netmodel.path.stages import DIRECTIONS, Path
from netmodel.path.traffic import Load, Traffic

MAKE_A_PATH = "make one with adapter_path or recorded_path, or give ids to netmodel.predict"
MAKE_TRAFFIC = "make one with Traffic(...) or workload_traffic(...)"


def predict_path(
    path: Path,
    traffic: Traffic,
    mtu_bytes: QuantityLike | None = None,
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
        If path or traffic are something else, nothing limits the path, service times are
        known up to a factor only, no MTU is given, an MTU or message does not fit the headers,
        or one limit depends on uncertain parameters that have too many combinations, or the
        arrays do not fit into memory.

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
    if not isinstance(path, Path):
        require_a("path", path, Path, MAKE_A_PATH)
    if not isinstance(traffic, Traffic):
        require_a("traffic", traffic, Traffic, MAKE_TRAFFIC)
    try:
        result = composed(path, traffic, mtu_bytes, tcp_stack() if stack is None else stack)
    except MemoryError as error:
        raise DomainError(
            "these predictions at once do not fit into memory; predict smaller blocks of the arrays"
        ) from error
    if not result.limits:
        raise DomainError("nothing limits this path: no stage with servers takes any time")
    if any(is_array(limit.rate.value) for limit in result.limits):
        infinite = np.isinf(result.transaction_rate_tps.value)
        if infinite.any():
            index = tuple(int(place) for place in np.argwhere(infinite)[0])
            raise DomainError(
                f"nothing limits this path at index {index} of its arrays: no stage with servers "
                "takes any time"
            )
    return result


def composed(
    path: Path, traffic: Traffic, mtu_bytes: QuantityLike | None, stack: Stack
) -> Prediction:
    """What `predict_path` returns, also where nothing limits the path."""
    # (1) the times for this number of connections, and the largest packet that all stages pass
    # (2) d_rj, what a transaction takes of each stage, by place, frame and byte
    path, load = load_of(path, traffic, mtu_bytes, stack)
    path = with_window_rounds(path, load)
    # (3) C_r / sum_j d_rj of each limit, the smallest of which is the bound; and the notes on them
    return Prediction(
        path=path,
        load=load,
        limits=tuple(limits(path, load)),
        path_notes=tuple(_path_notes(path, load, mtu_bytes)),
        outside_validity=_outside_validity(path, load),
    )


def _path_notes(path: Path, load: Load, given_bytes: QuantityLike | None) -> Iterator[str]:
    """What the limits rest on."""
    stack = load.stack
    # (1) stages that do not let packets of the given size pass
    smaller = [
        stage.name
        for stage in path.stages
        if stage.mtu_bytes is not None
        and given_bytes is not None
        and np.any(
            np.less((stage.stack or stack).mtu_bytes(stage.mtu_bytes), np.asarray(given_bytes))
        )
    ]
    if smaller:
        yield (
            f"the MTU of {', '.join(smaller)} is smaller than the one given: assuming that the "
            "sender knows it"
        )
    # (2) what the number of connections would add
    if load.traffic.connection_count is None:
        for stage in path.stages:
            if stage.hashes_flows:
                yield f"connections not specified: assuming that they use {stage.name} evenly"
        if path.window_bytes is not None:
            yield "connections not specified: the window is not among the limits"
    yield from distance_notes(path, load)
    yield from path.notes


def _outside_validity(path: Path, load: Load) -> dict[str, tuple[str, ...]]:
    """Stages with frames that their times were not calibrated for, by the note on that."""
    result: dict[str, tuple[str, ...]] = {}
    for stage in path.stages:
        for direction, count in zip(DIRECTIONS, load.counts(stage.stack), strict=True):
            validity = getattr(stage, direction).validity
            if validity is None or not count.message_count:
                continue
            payload_bytes = count.payload_bytes / count.frame_count
            low, high = extremes(payload_bytes)
            if not (
                low >= validity.low_payload_bytes * (1 - ROUNDING_RATIO)
                and high <= validity.high_payload_bytes * (1 + ROUNDING_RATIO)
            ):
                sizes = dict.fromkeys((f"{low:.0f}", f"{high:.0f}"))
                place = f"{stage.name} ({' to '.join(sizes)} B)"
                result[validity.note] = (*result.get(validity.note, ()), place)
    return result
