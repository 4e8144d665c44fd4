"""From a path and its traffic to a prediction: every limit, and what a reader should know."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from netmodel.concurrency import usable_capacity_ratio, used_queue_count
from netmodel.errors import DomainError
from netmodel.estimates import Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.framing._path_mtu import LARGEST_MTU_BYTES
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    QuantityLike,
    extremes,
    holds_somewhere,
    is_array,
    is_symbol,
    minimum,
)
from netmodel.path._limits import Capacity, PathLimit
from netmodel.path._path import DIRECTIONS, LINE_STAGES, Path, Stage
from netmodel.path._prediction import Prediction
from netmodel.path._traffic import Load, Traffic
from netmodel.path._uncertain import (
    Parameter,
    Points,
    ValueOf,
    is_nothing,
    over_cases,
    quoted_of,
    require_a,
)
from netmodel.path._zero_load import ZeroLoad, zero_load
from netmodel.path.distance import (
    distance_notes,
    loss_limited_rate_bps,
    round_trip_terms,
    with_window_rounds,
)
from netmodel.units import BITS_PER_BYTE

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
    alone = Once(partial(zero_load, path, load))
    return Prediction(
        path=path,
        traffic=traffic,
        mtu_bytes=load.mtu_bytes,
        stack=stack,
        load=load,
        limits=limits(path, load, alone),
        zero_load=alone,
        path_notes=tuple(_path_notes(path, load, mtu_bytes)),
        outside_validity=_outside_validity(path, load),
    )


def load_of(
    path: Path, traffic: Traffic, mtu_bytes: QuantityLike | None, stack: Stack
) -> tuple[Path, Load]:
    """Return a path with the times for its number of connections, and what it carries."""
    path = path.at(traffic.connection_count)
    largest_bytes = path.mtu_bytes(stack, mtu_bytes)
    points = Points.of((largest_bytes, *path.parameters, *traffic.numbers))
    return path, Load(traffic, largest_bytes, stack, points)


def limits(path: Path, load: Load, alone: Callable[[], ZeroLoad]) -> tuple[PathLimit, ...]:
    """
    Every limit of a path: its stages, its pools, its windows, and how many wait.

    Each over all combinations of the parameters that it depends on, and of no others.
    """
    traffic, flows = load.traffic, load.traffic.connection_count

    def limit(
        name: str,
        parameters: Iterable[Parameter],
        build: Callable[[ValueOf], Capacity],
    ) -> PathLimit:
        """C_r over the sum of d_rj, over all values that its parameters may have."""

        def rate_tps(value_of: ValueOf) -> FloatOrArray:
            capacity, terms = build(value_of)
            load_s = sum(time_s for _, time_s in terms)
            return _per_second(capacity, load_s)

        spread = over_cases(parameters, load.points, rate_tps, Bound.UPPER)
        rate, other = spread.predicted, spread.other
        is_one = other is rate.value or not holds_somewhere(other != rate.value)
        smallest_tps = None if is_one else other
        return PathLimit(name, rate, Once(partial(build, spread.quoted)), smallest_tps)

    def servers(stage: Stage, usable: Callable[[FloatOrArray], FloatOrArray]) -> PathLimit:
        """The servers of a stage, as far as connections can use them."""
        assert stage.parallel_count is not None
        count = stage.parallel_count

        def build(value_of: ValueOf) -> Capacity:
            return Capacity(usable(value_of(count, False)), load.demand(stage, value_of))

        return limit(stage.name, stage.parameters, build)

    used = [stage for stage in path.stages if load.demand(stage, quoted_of)]
    result = []
    # (1) servers of each stage
    for stage in used:
        if stage.parallel_count is None:
            continue
        if not stage.hashes_flows or flows is None:
            result.append(servers(stage, lambda count: count))
            continue
        mean = servers(stage, lambda count: used_queue_count(flows, count))
        best = servers(stage, lambda count: minimum(count, flows))
        even_tps = None
        if not traffic.waits:
            even = servers(stage, lambda count: count * usable_capacity_ratio(flows, count))
            even_tps = even.rate.value
        result.append(replace(mean, best_rate_tps=best.rate.high, even_rate_tps=even_tps))
    # (2) servers of each pool, for all stages that draw on it
    for pool in path.pools:
        stages = [stage for stage in used if stage.pool == pool.name]
        if pool.parallel_count is not None and stages:

            def build_pool(
                value_of: ValueOf, count: Parameter = pool.parallel_count, own: list[Stage] = stages
            ) -> Capacity:
                terms = chain.from_iterable(load.demand(stage, value_of) for stage in own)
                return Capacity(value_of(count, False), tuple(terms))

            parameters = [value for stage in stages for value in stage.parameters]
            parameters.append(pool.parallel_count)
            result.append(limit(pool.name, parameters, build_pool))
    # (3) streams over stages that keep one of their servers busy for each
    for stage in used:
        if stage.is_serial and flows is not None and not traffic.waits:

            def build_serial(value_of: ValueOf, stage: Stage = stage) -> Capacity:
                return Capacity(flows, load.demand(stage, value_of))

            name = f"{stage.name} of each connection"
            result.append(limit(name, stage.parameters, build_serial))
    # (4) windows over the round trip that nothing shortens (RFC 6349, section 4)
    window, trips = path.window_bytes, round_trip_terms(path)
    if window is not None and flows is not None:

        def build_window(value_of: ValueOf) -> Capacity:
            under_way = flows * value_of(window, False) / traffic.payload_bytes
            return Capacity(
                under_way, tuple((name, value_of(time_s, True)) for name, time_s in trips)
            )

        if trips:
            parameters = [window, *(time_s for _, time_s in trips)]
            result.append(limit("window", parameters, build_window))
    # (5) loss over the same round trip, which slows each connection
    loss = path.loss_ratio
    if loss is not None and flows is not None and trips:

        def build_loss(value_of: ValueOf) -> Capacity:
            trip_s: FloatOrArray = sum(value_of(time_s, True) for _, time_s in trips)
            rate_bps = loss_limited_rate_bps(load, trip_s, value_of(loss, True))
            bits = BITS_PER_BYTE * traffic.payload_bytes
            return Capacity(flows * rate_bps / bits, (("loss_ratio", 1.0),))

        parameters = [loss, *(time_s for _, time_s in trips)]
        of_loss = limit("loss", parameters, build_loss)
        result.append(replace(of_loss, rate=replace(of_loss.rate, bound=Bound.MEAN)))
    # (6) connections that wait, over the zero-load response time (Little's law)
    if flows is not None and traffic.waits and not is_nothing(alone().shortest_s):
        trip = alone()
        value, low, high = (
            _per_second(flows, time_s) for time_s in (trip.shortest_s, trip.high_s, trip.low_s)
        )
        rate = Predicted(value, low, high, Bound.UPPER)
        capacity = Capacity(flows, (("transaction", trip.shortest_s),))
        smallest_tps = _per_second(flows, trip.longest_s) if path.is_uncertain else None
        result.append(PathLimit("connections", rate, Once(lambda: capacity), smallest_tps))
    return tuple(result)


def _per_second(count: FloatOrArray, time_s: FloatOrArray) -> FloatOrArray:
    """A rate; infinite where nothing takes any time."""
    if not is_array(time_s):
        return count / time_s if time_s else count * float("inf")
    with np.errstate(divide="ignore"):
        return count / time_s


def _path_notes(path: Path, load: Load, given_bytes: QuantityLike | None) -> Iterator[str]:
    """What the limits rest on."""
    stack, mtu_bytes = load.stack, load.mtu_bytes
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
    # (3) packets that no usual Ethernet carries
    stacks = {stage.stack or stack for stage in path.stages if stage.name in LINE_STAGES}
    on_ethernet = [stack for stack in stacks if "ethernet" in stack.protocols[:1]]
    if on_ethernet and not is_symbol(mtu_bytes):
        full = (each.outer_packet_bytes(mtu_bytes, mtu_bytes) for each in on_ethernet)
        longest = max(extremes(packets)[1] for packets in full)
        if longest > LARGEST_MTU_BYTES:
            yield (
                f"packets of {longest:,.0f} byte exceed the {LARGEST_MTU_BYTES:,} of usual "
                "jumbo frames: check adapters and switches"
            )
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
