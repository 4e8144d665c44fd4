"""Laws of CPU cost by component, with any printed ratios and without any."""

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from netmodel.consumption import Side
from netmodel.framing import tcp_stack
from netmodel.judging._cost_model import CostSet, Work, cost_set, work_of_traffic
from netmodel.path import Traffic

ADAPTERS = ("osa-express6s-10gbe", "osa-express7s-25gbe", "roce-express2.1-25gbe", "", "other")
ROUNDING = 1e-6
"""Of the solver, relative."""

sides = st.sampled_from(list(Side))
adapters = st.sampled_from(ADAPTERS)
mtus = st.integers(576, 9216)
counts = st.integers(1, 1000)
sizes = st.integers(1, 2**20)


@lru_cache
def sets() -> tuple[CostSet, CostSet]:
    """Of the documents, and without any printed ratio."""
    return cost_set(), CostSet(())


def work(
    traffic: Traffic, side: Side, adapter: str, mtu_bytes: int, count: int, is_steered: bool = False
) -> Work:
    """Demands per byte of payload."""
    return work_of_traffic(
        traffic, side, adapter, mtu_bytes, count, tcp_stack(), is_steered=is_steered
    )


@st.composite
def traffics(draw: st.DrawFn) -> Traffic:
    """Requests and responses, or writes of a stream."""
    if draw(st.booleans()):
        return Traffic(draw(sizes), draw(sizes))
    return Traffic(draw(sizes), waits=False, shares_segments=True)


@given(traffics(), sides, adapters, mtus, mtus, counts)
def test_cost_per_byte_does_not_rise_with_the_mtu(
    traffic: Traffic, side: Side, adapter: str, one: int, other: int, count: int
) -> None:
    small, large = sorted((one, other))
    works = [work(traffic, side, adapter, mtu, count) for mtu in (large, small)]
    for known in sets():
        ratio = known.expected(works[0], works[1])
        assert 0 <= ratio.low <= ratio.high <= 1 + ROUNDING


@given(traffics(), sides, adapters, mtus, counts, counts)
def test_cost_falls_with_connections_and_no_faster_than_one_message_of_each(
    traffic: Traffic, side: Side, adapter: str, mtu: int, one: int, other: int
) -> None:
    few, many = sorted((one, other))
    works = [work(traffic, side, adapter, mtu, count) for count in (many, few)]
    for known in sets():
        ratio = known.expected(works[0], works[1])
        assert few / many * (1 - ROUNDING) <= ratio.low <= ratio.high <= 1 + ROUNDING


@given(traffics(), sides, adapters, adapters, mtus, counts)
def test_the_ratio_of_the_cases_exchanged_is_its_inverse(
    traffic: Traffic, side: Side, one: str, other: str, mtu: int, count: int
) -> None:
    works = [work(traffic, side, adapter, mtu, count) for adapter in (one, other)]
    for known in sets():
        ratio, inverse = known.ratio(works[0], works[1]), known.ratio(works[1], works[0])
        if inverse.high < 1e6:  # beyond it the ends are open but for rounding
            assert abs(ratio.low * inverse.high - 1) < 1e-4


@given(sides, adapters, mtus, counts, st.integers(1, 60000), st.integers(1, 20))
def test_cost_per_byte_does_not_rise_with_full_frames_of_a_message(
    side: Side, adapter: str, mtu: int, count: int, request: int, factor: int
) -> None:
    segment = int(tcp_stack().payload_bytes(mtu))
    few = work(Traffic(segment, waits=False), side, adapter, mtu, count)
    many = work(Traffic(segment * factor, waits=False), side, adapter, mtu, count)
    for known in sets():
        assert known.expected(many, few).high <= 1 + ROUNDING


@given(sides, adapters, mtus, sizes, sizes)
def test_steering_never_saves_with_one_connection(
    side: Side, adapter: str, mtu: int, request: int, response: int
) -> None:
    traffic = Traffic(request, response)
    steered = work(traffic, side, adapter, mtu, 1, is_steered=True)
    for known in sets():
        assert known.expected(steered, work(traffic, side, adapter, mtu, 1)).low >= 1 - ROUNDING
