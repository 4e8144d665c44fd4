"""CPU cost by component: counts, ratios worked out by hand, and what is refused."""

from dataclasses import replace
from math import inf, isclose

import pytest

from netmodel._estimates import Estimate
from netmodel.consumption import Side
from netmodel.framing import tcp_stack
from netmodel.judging._compared_facts import Fact
from netmodel.judging._cost_model import (
    EXCHANGE_COPY_BYTES,
    MISS_RATIO,
    CostSet,
    Demand,
    can_hold,
    cost_ratios,
    is_identified,
    kept_of,
    measurement_of,
    work_of,
    work_of_traffic,
)
from netmodel.path import Traffic
from netmodel.records import Grade

OLD, NEW = "osa-express6s-10gbe", "osa-express7s-25gbe"


def fact(
    name: str, subject: dict[str, object], baseline: dict[str, object], low: float, high: float
) -> Fact:
    """A printed ratio of CPU cost on the server."""
    shared = {"side": "server"}
    return Fact(
        name,
        "cpu_consumption",
        {**shared, **subject},  # type: ignore[dict-item]
        {**shared, **baseline},  # type: ignore[dict-item]
        low,
        high,
        f"{low} to {high}",
        "own",
        "table 1",
        Grade.MEASURED,
    )


def stream(adapter: str, mtu_bytes: int, **more: object) -> dict[str, object]:
    """A stream of writes of 30 KiB."""
    return {
        "workload": "str-writex30k",
        "adapter": adapter,
        "mtu_bytes": mtu_bytes,
        "connection_counts": 10,
        **more,
    }


def test_a_response_of_30_kib_is_22_frames_for_the_server_and_one_request() -> None:
    case = {"workload": "rr1c-200x30k", "adapter": NEW, "mtu_bytes": 1500, "connection_counts": 10}
    work = work_of(case, "server")
    assert work is not None
    # 30720 / 1448 is 21.2; per byte of 30920 exchanged
    assert work == {
        Demand("message", "out", NEW, 10): 1 / 30920,
        Demand("message", "in", NEW, 10): 1 / 30920,
        Demand("frame", "out", NEW): 22 / 30920,
        Demand("frame", "in", NEW): 1 / 30920,
        Demand("byte", "out", NEW): 30720 / 30920,
        Demand("byte", "in", NEW): 200 / 30920,
    }


def test_a_larger_message_of_a_case_replaces_that_of_the_workload() -> None:
    case = {"workload": "rr1c-200x30k", "adapter": NEW, "mtu_bytes": 1500, "message_bytes": 1448}
    work = work_of(case, "client")
    assert work is not None
    assert isclose(work[Demand("frame", "in", NEW)], 1 / 1648)
    assert isclose(work[Demand("byte", "in", NEW)], 1448 / 1648)


def test_each_end_has_the_demands_of_its_own_adapter() -> None:
    case = {"workload": "str-writex30k", "sender_adapter": OLD, "receiver_adapter": NEW}
    ends = {side: work_of(case, side) for side in ("client", "server")}
    assert {each.adapter for each in ends["client"] or ()} == {OLD}
    assert {each.adapter for each in ends["server"] or ()} == {NEW}


@pytest.mark.parametrize(
    "more", [{"path": "zvm-vswitch"}, {"transport": "smcr"}, {"setting": "buffers increased"}]
)
def test_a_case_with_a_condition_that_is_no_count_is_not_counted(more: dict[str, str]) -> None:
    case = {"workload": "rr1c-200x30k", "adapter": NEW, "mtu_bytes": 1500}
    assert work_of({**case, **more}, "server") is None


def test_messages_of_a_range_of_sizes_are_counted_where_one_is_given() -> None:
    assert work_of({"workload": "awm-str", "mtu_bytes": 1500}, "client") is None
    assert work_of({"workload": "awm-str", "mtu_bytes": 1500, "message_bytes": 8192}, "client")


def test_without_printed_ratios_the_frames_of_two_mtus_bound_the_ratio() -> None:
    low = work_of({"workload": "rr1c-200x30k", "mtu_bytes": 1500}, "client")
    high = work_of({"workload": "rr1c-200x30k", "mtu_bytes": 9000}, "client")
    assert low is not None
    assert high is not None
    ratio = CostSet(()).ratio(high, low)
    # all frames: 4 against 22; no cost of frames: 1
    assert isclose(ratio.low, 4 / 22)
    assert isclose(ratio.high, 1)
    assert isclose(ratio.value, (4 / 22) ** 0.5)


def test_two_ratios_to_one_case_give_that_of_each_other() -> None:
    facts = [
        fact("a", stream(NEW, 1500), stream(OLD, 1500), 0.8, 0.8),
        fact("b", stream(NEW, 9000), stream(OLD, 1500), 0.5, 0.5),
    ]
    ratios = list(cost_ratios(facts))
    works = [work_of(stream(NEW, mtu), "server") for mtu in (9000, 1500)]  # type: ignore[arg-type]
    assert works[0] is not None
    assert works[1] is not None
    ratio = kept_of(ratios).ratio(works[0], works[1])
    assert [round(end, 6) for end in ratio] == [0.625, 0.625, 0.625]
    # of a case that was not measured, by what is lacking of the model
    expected = kept_of(ratios).expected(works[0], works[1])
    assert isclose(expected.low, 0.625 / MISS_RATIO, rel_tol=1e-6)
    assert isclose(expected.high, 0.625 * MISS_RATIO, rel_tol=1e-6)


def test_frames_and_bytes_of_a_stream_follow_from_two_mtus() -> None:
    # frames cost p each, bytes y: (p / 8948 + y) / (p / 1448 + y) = 1/2, so p = 2136.2 y
    ratios = list(cost_ratios([fact("a", stream(NEW, 9000), stream(NEW, 1500), 0.5, 0.5)]))
    works = [work_of(stream(NEW, mtu), "server") for mtu in (4500, 1500)]  # type: ignore[arg-type]
    assert works[0] is not None
    assert works[1] is not None
    ratio = kept_of(ratios).ratio(works[0], works[1])
    frame_bytes = 1 / (1 / 1448 - 2 / 8948)
    by_hand = (frame_bytes / 4448 + 1) / (frame_bytes / 1448 + 1)
    # a write is always of as many bytes, so that both are one unknown
    assert isclose(ratio.low, by_hand, rel_tol=1e-6)
    assert isclose(ratio.high, by_hand, rel_tol=1e-6)


def test_ratios_that_no_demands_keep_together_are_given_up_and_named() -> None:
    facts = [
        fact("a", stream(NEW, 1500), stream(OLD, 1500), 0.8, 0.81),
        fact("b", stream(NEW, 1500), stream(OLD, 1500), 0.8, 0.82),
        fact("c", stream(NEW, 1500), stream(OLD, 1500), 1.2, 1.3),
    ]
    found = kept_of(list(cost_ratios(facts)))
    assert [each.fact.id for each in found.ratios] == ["a", "b"]
    assert [each.fact.id for each in found.given_up] == ["c"]
    assert not can_hold(list(cost_ratios(facts)))
    assert can_hold(list(found.ratios))


def test_a_ratio_says_something_where_its_ends_are_within_a_factor_of_ten() -> None:
    assert is_identified(Estimate(3.0, 1.0, 10.0))
    assert not is_identified(Estimate(3.0, 1.0, 10.1))
    assert not is_identified(Estimate(3.0, 0.0, 10.0))
    assert not is_identified(Estimate(3.0, 1.0, inf))


def test_an_adapter_that_no_ratio_has_is_not_identified() -> None:
    ratios = list(cost_ratios([fact("a", stream(NEW, 1500), stream(OLD, 1500), 0.8, 0.9)]))
    known = kept_of(ratios)
    works = [
        work_of(stream(card, 1500), "server")  # type: ignore[arg-type]
        for card in ("osa-express2-10gbe", NEW)
    ]
    assert works[0] is not None
    assert works[1] is not None
    ratio = known.ratio(works[0], works[1])
    assert ratio.high == inf
    assert not is_identified(ratio)
    assert "osa-express2-10gbe" in measurement_of(known.least_known(works[0], works[1]))


def test_the_same_case_is_the_same_cost_whatever_is_printed() -> None:
    work = work_of(stream(NEW, 1500), "server")  # type: ignore[arg-type]
    assert work is not None
    assert CostSet(()).ratio(work, work) == (1.0, 1.0, 1.0)


def test_ratios_of_a_case_are_left_out_on_both_sides() -> None:
    both = fact("a", stream(NEW, 1500), stream(OLD, 1500), 0.8, 0.9)
    sides = replace(
        both,
        subject={key: value for key, value in both.subject.items() if key != "side"},
        baseline={key: value for key, value in both.baseline.items() if key != "side"},
    )
    ratios = list(cost_ratios([sides]))
    assert [each.side for each in ratios] == ["client", "server"]
    assert not CostSet(tuple(ratios)).without({"a"}).ratios
    assert len(CostSet(tuple(ratios)).without({"a"}, 250).ratios) == 2


def test_a_statement_without_connections_is_of_all_that_were_measured() -> None:
    subject, baseline = stream(NEW, 1500), stream(OLD, 1500)
    del subject["connection_counts"], baseline["connection_counts"]
    found = list(cost_ratios([fact("a", subject, baseline, 0.9, 1.1)]))
    assert [each.connection_count for each in found] == [1, 10, 50, 250]


def test_steering_adds_to_frames_and_saves_nothing_with_one_connection() -> None:
    traffic, stack = Traffic(200, 1000), tcp_stack()
    plain = work_of_traffic(traffic, Side.SERVER, NEW, 1500, 1, stack)
    steered = work_of_traffic(traffic, Side.SERVER, NEW, 1500, 1, stack, is_steered=True)
    ratio = CostSet(()).ratio(steered, plain)
    assert isclose(ratio.low, 1)
    many = work_of_traffic(traffic, Side.SERVER, NEW, 1500, 50, stack)
    steered = work_of_traffic(traffic, Side.SERVER, NEW, 1500, 50, stack, is_steered=True)
    # all that a received message costs may be saved: what is left is that of 1200 byte, of which
    # as many as of 128 KiB take the time of the message at least
    left = 1200 / EXCHANGE_COPY_BYTES
    assert isclose(CostSet(()).ratio(steered, many).low, left / (1 + left))


@pytest.mark.parametrize(("side", "frames"), [(Side.SERVER, 1), (Side.CLIENT, 22)])
def test_frames_are_steered_where_they_are_received(side: Side, frames: int) -> None:
    """A request of one frame at the server, a response of 30720 byte in 22 at the client."""
    work = work_of_traffic(Traffic(200, 30720), side, NEW, 1500, 50, tcp_stack(), is_steered=True)
    counts = {demand: 30920 * number for demand, number in work.items()}
    steered = {demand: n for demand, n in counts.items() if demand.kind.startswith("s")}
    assert steered == pytest.approx(
        {Demand("steered frame", "in", NEW): frames, Demand("saved message", "in", NEW, 50): -1}
    )


def test_more_connections_save_no_less_by_steering() -> None:
    """What is saved at 50 is saved at 250, where a message costs no more: 20 % or more there."""
    asked = {"workload": "rr1c-200x1000", "adapter": NEW, "mtu_bytes": 1500}
    steered = {"receive_packet_steering": True}
    few = {**asked, "connection_counts": 50}
    known = kept_of(list(cost_ratios([fact("few", {**few, **steered}, few, 0.8, 0.8)])))
    many = {**asked, "connection_counts": 250}
    works = [work_of({**many, **more}, "server") for more in (steered, {})]  # type: ignore[dict-item]
    assert works[0] is not None
    assert works[1] is not None
    assert isclose(known.ratio(works[0], works[1]).high, 0.8, rel_tol=1e-6)
