"""Plans: adapters by direction, CPUs by side, and what does not suffice."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import TANDEM, ends
from planning.planned import OSA, ROCE, STREAM, OwnPath, own_path, planned

import netmodel
from netmodel.api.arguments import given_case, with_costs
from netmodel.concurrency import busiest_queue_flow_count
from netmodel.consumption import Side
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.errors import DomainError, UnitError
from netmodel.path import (
    Interval,
    Path,
    Pool,
    SpecifiedPath,
    Stage,
    Times,
    Traffic,
)
from netmodel.planning import Flow, Headroom, Plan, parse_flow, plan
from netmodel.planning.candidates import compare_plans
from netmodel.planning.demand import planned as need
from netmodel.planning.flows import workload_flow
from netmodel.planning.needs import StageUse
from netmodel.records import path_record, workload

FRAME_IN_S, FRAME_OUT_S = 1448 * 8 / 13.4e9, 1448 * 8 / 20.5e9
"""Time of a frame with 1448 byte of payload, which all of them take at the values to quote."""
NO_SPARE = Headroom(spare_count=0)
ALL_OF_IT = Headroom(1, 0)


def stage_of(result: Plan, name: str) -> StageUse:
    return next(each for each in result.stages if each.name == name)


def use_of(result: Plan, name: str) -> float:
    use = stage_of(result, name).use_ratio
    return use.value


def test_n_plus_one_for_forty_gbit() -> None:
    """5 adapters of 13.4 Gbit/s at 70 %, and a spare: 40 / (5 * 13.4) after a failure."""
    result = planned(STREAM)
    assert result.chosen_count == 6
    after = stage_of(result, "server_adapter_in").after_failure_ratio
    assert after.value == pytest.approx(0.597, abs=0.0005)
    assert after.high == pytest.approx(40 / (5 * 13.35), rel=1e-6)
    assert result.holds
    assert result.shortfalls == ()
    assert result.grade.value == "fitted"


@pytest.mark.parametrize(("rate", "count"), [("13.4 Gbit/s in", 1), ("13.41 Gbit/s in", 2)])
def test_a_printed_rate_is_enough_for_itself(rate: str, count: int) -> None:
    """13.4 Gbit/s are printed; its rounding is no reason for one adapter more."""
    result = planned(rate, headroom=ALL_OF_IT)
    assert (result.holds, result.chosen_count) == (True, count)


def test_each_direction_for_itself() -> None:
    """Out: 40 / 20.5 / 0.7 = 2.8; in: 40 / 13.4 / 0.7 = 4.3; the line: 40 / 23.5 / 0.7 = 2.4."""
    result = planned(STREAM, headroom=NO_SPARE)
    rows = [
        (each.side.value, each.direction, each.binding.name, each.adapter_count.value)
        for each in result.directions
    ]
    assert rows == [
        ("client", "out", "client_adapter_out", 3),
        ("server", "in", "server_adapter_in", 5),
    ]
    assert ends(stage_of(result, "wire_to_server").adapter_count) == (3, 3, 3)
    assert result.binding == "server_adapter_in"


def test_flows_against_each_other_need_no_more_than_one_of_them() -> None:
    both = planned(STREAM, f"{STREAM} from server")
    assert both.adapter_count == planned(STREAM).adapter_count
    assert planned(STREAM, STREAM).chosen_count == 10
    names = [(each.side.value, each.direction) for each in both.directions]
    assert len(names) == 4


def test_acknowledgements_against_other_flows_are_counted() -> None:
    """Each 40 Gbit/s is 3.453 million frames per second, which half as many answer."""
    texts = (STREAM, f"{STREAM} from server")
    flows = [
        replace(each, traffic=replace(each.traffic, segments_per_ack=2))
        for each in map(parse_flow, texts)
    ]
    counted = plan(flows, OSA, 1500)
    frames_fps = 40e9 / (8 * 1448)
    assert counted.chosen_count == 8
    assert use_of(counted, "server_adapter_in") == pytest.approx(1.5 * frames_fps * FRAME_IN_S / 8)


def test_a_mix_loads_each_stage_with_its_own_frames() -> None:
    """30 Gbit/s of stream; 22 frames for each response of 30 KiB, one for each small message."""
    texts = ("30 Gbit/s str-writex30k", "10 Gbit/s rr1c-200x30k", "100000/s rr1c-200x1000")
    result = planned(*texts, headroom=ALL_OF_IT)
    large_tps, small_tps = 10e9 / (8 * 30720), 1e5
    count = result.chosen_count
    assert count == 3
    stream_fps = 30e9 / (8 * 1448)
    frames_in = stream_fps + large_tps + small_tps
    frames_back = 22 * large_tps + small_tps
    expected = {
        "client_adapter_out": frames_in * FRAME_OUT_S / count,
        "server_adapter_in": frames_in * FRAME_IN_S / count,
        "server_adapter_out": frames_back * FRAME_OUT_S / count,
        "client_adapter_in": frames_back * FRAME_IN_S / count,
        "wire_to_server": (
            (stream_fps * 1538 + (large_tps + small_tps) * (200 + 90)) * 8 / 25e9 / count
        ),
    }
    for name, use in expected.items():
        assert use_of(result, name) == pytest.approx(use, rel=1e-6), name


def test_a_line_that_was_filled_is_no_limit_of_the_adapter() -> None:
    """Where it needs most it is as slow as the line: what is known of the two is the line."""
    result = planned(STREAM, path=ROCE)
    assert result.binding == "wire_to_server"
    use = pytest.approx(use_of(result, "wire_to_server"), rel=1e-6)
    assert ends(stage_of(result, "server_adapter_in").use_ratio) == (use, 0, use)


def test_frames_outside_the_validity_range_are_noted_once_for_all_flows() -> None:
    result = planned("1e5/s rr1c-200x1000", "1e4/s rr1c-200x30k", STREAM)
    notes = [each for each in result.notes if "calibrated for 1448 to 8948 B" in each]
    assert sorted(each.split(":")[0] for each in notes) == [
        "client_adapter_in (1000 B)",
        "client_adapter_in (1396 B)",
        "client_adapter_out (200 B)",
        "server_adapter_in (200 B)",
        "server_adapter_out (1000 B)",
        "server_adapter_out (1396 B)",
    ]


def test_one_connection_uses_one_adapter() -> None:
    result = planned(STREAM, connections=1)
    assert result.chosen_count is None
    assert not result.holds
    assert result.shortfalls == ("the connections cannot use enough adapters",)
    assert result.to_dict()["adapter_count"] == {
        **dict.fromkeys(("value", "low", "high")),
        "bound": "lower",
    }
    assert result.answer.startswith("No: the connections cannot use enough adapters: OSA")


@pytest.mark.parametrize(
    ("connection_count", "chosen_count", "share"),
    [
        (1, None, None),
        (4, None, None),
        (5, 5, 1 / 5),
        (6, 6, 1 / 6),
        (7, 7, 1 / 7),
        (13, 5, 3 / 13),
    ],
)
def test_even_is_as_even_as_whole_connections_are(
    connection_count: int, chosen_count: int | None, share: float | None
) -> None:
    """One adapter may carry 0.7 of 13.4, thus 23.45 % of 40 Gbit/s."""
    options: dict[str, Any] = {"headroom": NO_SPARE}
    result = planned(STREAM, connections=connection_count, **options)
    assert result.chosen_count == chosen_count
    if share is not None:
        assert use_of(result, "server_adapter_in") == pytest.approx(share * 40 / 13.4)


def test_queues_of_adapters_grow_with_them() -> None:
    """10 µs for each of 150,000 frames a second are 1.5 queues, 0.7 of each: 3 with two spares."""
    queue = Stage(
        name="queue",
        to_server=Times(per_frame_s=10e-6),
        pool="cpus",
        hashes_flows=True,
        side=Side.SERVER,
    )
    path = own_path(queue, pools=(Pool("cpus", 4, Side.SERVER),))
    result = planned("150000/s rr1c-200x1000", path=path, headroom=Headroom(spare_count=2))
    assert result.chosen_count == 5
    assert use_of(result, "queue") == pytest.approx(1.5 / 5)
    assert [(each.side, each.binding.name) for each in result.directions][-1] == (
        Side.SERVER,
        "queue",
    )
    (pool,) = result.pools
    assert (pool.busy_count.value, pool.needed_count.value) == (pytest.approx(1.5), 3)
    assert pool.present_count == 4
    fewer = own_path(queue, pools=(Pool("cpus", 2, Side.SERVER),))
    assert planned("150000/s rr1c-200x1000", path=fewer).shortfalls == (
        "1.5 of 2 cpus would be busy, and 70 % is allowed",
    )
    enough = own_path(queue, pools=(Pool("cpus", 1.5 / 0.7, Side.SERVER),))
    assert planned("150000/s rr1c-200x1000", path=enough).holds


def test_each_queue_of_several_gets_its_share_of_the_connections() -> None:
    """Ten connections on two adapters are five on the two queues of each."""
    queue = Stage(
        name="queue",
        to_server=Times(per_frame_s=10e-6),
        parallel_count=2,
        pool="cpus",
        hashes_flows=True,
        side=Side.SERVER,
    )
    path = own_path(queue, pools=(Pool("cpus", None, Side.SERVER),))
    result = planned("150000/s rr1c-200x1000", path=path, connections=10, headroom=NO_SPARE)
    assert result.chosen_count == 2
    share = busiest_queue_flow_count(5, 2) / 5
    assert use_of(result, "queue") == pytest.approx(0.75 * share)
    assert result.pools[0].present_count is None


def test_what_needs_most_adapters_is_the_bottleneck_though_one_adapter_is_less_used_of_it() -> None:
    """Of four connections, four adapters have one each: a quarter of a queue's CPU, of four."""
    queue = Stage(
        name="queue",
        to_server=Times(per_frame_s=10e-6),
        parallel_count=4,
        pool="cpus",
        hashes_flows=True,
        side=Side.SERVER,
    )
    inward = Stage(name="server_adapter_in", to_server=Times(per_frame_s=6e-6), side=Side.SERVER)
    path = own_path(queue, inward, pools=(Pool("cpus", None, Side.SERVER),))
    headroom = Headroom(0.3, 0)
    result = planned("100000/s rr1c-200x1000", path=path, headroom=headroom, connections=4)
    assert (result.chosen_count, result.binding) == (4, "queue")
    assert ends(stage_of(result, "server_adapter_in").adapter_count) == (2, 2, 2)
    alone = replace(headroom, max_utilisation_ratio=1)
    first = planned("100000/s rr1c-200x1000", path=path, headroom=alone, connections=4)
    assert (first.chosen_count, first.binding) == (1, "server_adapter_in")


def test_a_stage_that_may_take_no_time_needs_an_adapter_all_the_same() -> None:
    inward = Stage(name="server_adapter_in", to_server=Times(per_frame_s=Interval(1e-6, 0, 2e-6)))
    path = OwnPath(Path(stages=(inward,)))
    result = planned("100000/s rr1c-200x1000", path=path, headroom=NO_SPARE)
    assert result.chosen_count == 1
    assert ends(stage_of(result, "server_adapter_in").use_ratio) == pytest.approx((0.1, 0, 0.2))


def test_cpus_that_are_not_reported_are_not_guessed() -> None:
    result = planned(STREAM)
    assert result.pools == ()
    assert result.notes[1] == (
        'CPUs of the client and server not planned: give their cost, such as "0.16 cores/(Gbit/s)"'
    )
    tandem = plan(
        [parse_flow("1 Gbit/s str-writex30k")],
        SpecifiedPath(record=path_record(TANDEM)),
        1500,
    )
    assert [each.pool.name for each in tandem.pools] == ["client-lpar", "vios"]
    assert "CPU counts are lower bounds: see what is not modelled" in tandem.notes
    assert any("CPUs of the server not planned" in each for each in tandem.notes)
    assert tandem.equipment == "powervm-sea-tandem"


def test_a_pool_whose_times_are_not_reported_is_not_idle() -> None:
    """Costs of z/VM guests that receive are published; those of guests that send are not."""
    result = planned(
        "1 Gbit/s str-writex30k",
        path=SpecifiedPath(record=path_record("zvm-direct-osa-layer2-10gbe")),
        mtu_bytes=1492,
    )
    assert result.pools == ()
    assert "CPUs of client_cpus not planned: some service times not known" in result.notes


def test_a_pool_of_which_a_flow_takes_more_than_is_reported_is_not_planned() -> None:
    """
    What a z/VM client sends is known for requests of 200 byte, and not for streams.

    Without their number, the guest is as with 50 clients and the hypervisor as with 1: 3.39
    and 3.86 ms/MiB, the largest that table 6 prints of each. Quoted is what a prediction quotes.
    """
    path = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe"))
    received, sent = "200 Mbit/s str-writex30k from server", "200 Mbit/s str-writex30k"
    (pool,) = planned(received, path=path, mtu_bytes=1492).pools
    mib_per_s = 200e6 / 8 / 2**20
    assert pool.busy_count.high == pytest.approx(mib_per_s * (3.395 + 3.865) * 1e-3)
    mixed = planned(received, sent, path=path, mtu_bytes=1492)
    assert mixed.pools == ()
    unplanned = "CPUs of client_cpus not planned: some service times not known"
    assert unplanned in mixed.notes
    assert "CPU counts are lower bounds: see what is not modelled" not in mixed.notes


def test_candidates_stand_in_their_order() -> None:
    flows = [parse_flow("40 Gbit/s str-writex30k", 50)]
    result = compare_plans(flows, (each for each in [OSA, ROCE]), iter([1500, 9000]))
    rows = [(each.equipment, each.mtu_bytes, each.chosen_count) for each in result]
    assert rows == [
        ("roce-express2.1-25gbe", 1500, 4),
        ("osa-express7s-25gbe", 9000, 4),  # a tie: as given
        ("roce-express2.1-25gbe", 9000, 4),
        ("osa-express7s-25gbe", 1500, 6),
    ]
    trunk = own_path(Stage(name="trunk", to_server=Times(per_byte_s=8 / 10e9)))
    last = compare_plans(flows, [trunk, OSA], [1500])[-1]
    assert not last.holds
    assert last.chosen_count == 4


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(DomainError, match="a plan needs at least one flow"):
        plan([], OSA, 1500)
    with pytest.raises(DomainError, match="mtu_bytes must be one number"):
        planned(STREAM, mtu_bytes=[1500, 9000])  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="give mtu_bytes"):
        plan([parse_flow(STREAM)], OSA)
    only_cpu = OwnPath(Path(stages=(Stage(name="cpu", to_server=Times(per_message_s=1e-6)),)))
    with pytest.raises(DomainError, match="nothing to plan: give an adapter"):
        planned(STREAM, path=only_cpu)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_utilisation_ratio": 0}, "max_utilisation_ratio must be above 0; got 0"),
        ({"max_utilisation_ratio": 1.1}, "max_utilisation_ratio must be at most 1; got 1.1"),
        ({"max_utilisation_after_failure_ratio": 2}, "after_failure_ratio must be at most 1"),
        ({"spare_count": -1}, "spare_count must be at least 0; got -1"),
        ({"spare_count": 0.5}, "spare_count must be a whole number"),
        ({"max_utilisation_ratio": float("nan")}, "max_utilisation_ratio must be one number"),
    ],
)
def test_an_impossible_headroom_is_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        Headroom(**wrong)  # type: ignore[arg-type]


sizes = st.one_of(st.just(0), st.integers(1, 100_000))
flows = st.lists(
    st.builds(
        Flow,
        st.builds(Traffic, st.integers(1, 100_000), sizes),
        st.floats(1, 1e6),
    ),
    min_size=1,
    max_size=3,
)
headrooms = st.builds(Headroom, st.floats(0.1, 1), st.integers(0, 3), st.floats(0.1, 1))
paths = st.sampled_from([OSA, ROCE, SpecifiedPath(OSA.sender, ROCE.receiver)])
mtus = st.integers(1000, 9000)


@given(flows, paths, mtus, headrooms)
def test_the_headroom_is_left_with_the_fewest_adapters(
    demand: list[Flow], path: SpecifiedPath, mtu_bytes: int, headroom: Headroom
) -> None:
    result = plan(demand, path, mtu_bytes, headroom=headroom)
    assert result.holds
    count, spares = result.chosen_count, headroom.spare_count
    highest = 0.0
    for each in result.stages:
        assert need(each.use_ratio) <= headroom.max_utilisation_ratio * (1 + 1e-9)
        assert need(each.after_failure_ratio) <= headroom.after_failure_ratio * (1 + 1e-9)
        highest = max(highest, need(each.use_ratio) * count)
    fewer = count - 1
    if fewer > spares:
        too_full = highest / fewer > headroom.max_utilisation_ratio * (1 - 1e-9)
        assert too_full or highest / (fewer - spares) > headroom.after_failure_ratio * (1 - 1e-9)


@given(flows, paths, mtus, st.floats(1, 10))
def test_more_of_everything_never_needs_fewer(
    demand: list[Flow], path: SpecifiedPath, mtu_bytes: int, factor: float
) -> None:
    result = plan(demand, path, mtu_bytes).adapter_count
    grown = [
        replace(each, transaction_rate_tps=each.transaction_rate_tps * factor) for each in demand
    ]
    more = plan(grown, path, mtu_bytes).adapter_count
    assert all(large >= small for large, small in zip(ends(more), ends(result), strict=True))
    assert result.low <= result.value <= result.high


@given(flows, mtus)
def test_both_sides_may_change_places(demand: list[Flow], mtu_bytes: int) -> None:
    there = plan(demand, OSA, mtu_bytes)
    swapped = [replace(each, traffic=each.traffic.reversed) for each in demand]
    back = plan(swapped, OSA, mtu_bytes)
    assert there.adapter_count == back.adapter_count
    assert len(there.directions) == len(back.directions)


FLOW = parse_flow(STREAM)
ARGUMENTS: dict[str, Any] = {"flows": [FLOW], "path": OSA, "mtu_bytes": 1500}


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (
            {"flows": "25 Gbit/s str-writex30k"},
            "flows[0] must be a Flow, as parse_flow makes it of '40 Gbit/s'",
        ),
        ({"flows": 25e9}, "flows must be several Flow"),
        ({"path": "osa-express7s-25gbe"}, "path must be a SpecifiedPath"),
        ({"mtu_bytes": "1500"}, "mtu_bytes must be one number; got '1500'"),
        ({"headroom": 0.7}, "headroom must be a Headroom; got 0.7"),
    ],
)
def test_wrong_objects_are_refused_by_name(wrong: dict[str, object], problem: str) -> None:
    with pytest.raises(DomainError, match=re.escape(problem)):
        plan(**ARGUMENTS | wrong)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: compare_plans([FLOW], None, [1500]), "paths must be several"),
        (lambda: compare_plans([FLOW], [OSA], 1500), "mtus_bytes must be several MTUs"),
        (lambda: workload_flow("rr1c-200x1000", payload_rate_bps=1e9), "workload must be a Workl"),
        (
            lambda: workload_flow(workload("str-writex30k"), payload_rate_bps="1G"),
            "payload_rate_bps must be",
        ),
        (lambda: parse_flow(25e9), "text must be a rate and a workload"),
        (lambda: Flow("stream", 1e5), "traffic must be a Traffic"),
        (lambda: Headroom("70%"), "max_utilisation_ratio must be one number; got '70%'"),
    ],
)
def test_so_is_every_function_of_planning(make: Callable[[], object], problem: str) -> None:
    with pytest.raises((DomainError, UnitError), match=re.escape(problem)):
        make()


def test_a_cost_of_another_case_is_converted_by_the_printed_ratio() -> None:
    text = "31 % lower than with OSA-Express6S (adapter document, slide 28), of str-"
    case = "adapter=osa-express6s-10gbe"
    costs = dict.fromkeys(("client_cost", "server_cost"), parse_cpu_cost("0.1 cores/(Gbit/s)"))
    path = with_costs(OSA, {**costs, "cost_measured_with": given_case(case)})
    result = planned(STREAM, path=path, mtu_bytes=9000, connections=250)
    assert f"server cost: 0.1 cores/(Gbit/s) with {case}, {text}" in str(result)


# What documents allow an adapter


LARGE = "20 Gbit/s rr1c-200x30k"


def test_a_printed_ratio_counts_for_each_adapter() -> None:
    """Slide 27: 24.71 / 1.335 = 18.51 Gbit/s with 10 connections, less than the 24.71 of a line."""
    known = planned(LARGE, mtu_bytes=9000, connections=10, headroom=ALL_OF_IT)
    alone = planned(LARGE, mtu_bytes=9000, connections=10, headroom=ALL_OF_IT, physics_only=True)
    assert (known.chosen_count, alone.chosen_count) == (2, 1)
    assert known.binding == "published limit"
    uses = {stage.name: stage.use_ratio for stage in known.stages}
    use = uses[known.binding]
    assert use.value == pytest.approx(20 / 2 / (24.7104247 / 1.335))
    assert "slide 27" in known.notes[0]
    (shown,) = (each.cells for each in known.columns if each.head == "bottleneck")
    assert "published limit" in shown


@pytest.mark.parametrize("connection_count", [1, 3, 10, 11, 60, 500])
def test_printed_ratios_never_lower_the_count(connection_count: int) -> None:
    options: dict[str, Any] = {"connections": connection_count}
    for mtu_bytes in (1500, 9000):
        for rate in (1, 8, 40):
            flow = f"{rate} Gbit/s rr1c-200x30k"
            known = planned(flow, mtu_bytes=mtu_bytes, **options)
            alone = planned(flow, mtu_bytes=mtu_bytes, physics_only=True, **options)
            assert known.adapter_count.value >= alone.adapter_count.value
            assert known.adapter_count.low <= known.adapter_count.value <= known.adapter_count.high


def worked(count: int, rate: str) -> Plan:
    """The worked closed network with a number of connections, used as far as it goes."""
    path = SpecifiedPath(record=path_record("worked-closed-network"))
    headroom = Headroom(max_utilisation_ratio=0.999, spare_count=0)
    flow = parse_flow(f"{rate} rr1c-200x1000", connection_count=count)
    return plan([flow], path, 1500, headroom=headroom)


def test_connections_that_are_expected_to_reach_less_than_planned_are_refused() -> None:
    """One connection needs 79.3007 µs, handbook section 5.6: 12,610 /s over any adapters."""
    result = worked(1, "13000/s")
    assert not result.holds
    assert result.answer == "No: one connection carries about 12,610/s of rr1c-200x1000."
    assert worked(1, "12000/s").holds


def test_more_adapters_are_planned_where_connections_reach_the_rate_only_over_these() -> None:
    """Of 166,667 /s at one, the bound, 50 connections are expected to reach 162,470."""
    result = worked(50, "165000/s")
    assert (result.holds, result.chosen_count) == (True, 2)
    assert result.count_by_bounds.value == 1
    assert "the connections reach the rate only over 2 adapters" in result.answer
    assert worked(50, "160000/s").chosen_count == 1


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_the_end_with_the_smaller_capacity_is_named(end: str) -> None:
    """An instance of 6.25 Gbit/s at either end, against one of 50; each end counts its own."""
    small, large = "aws:r7i.4xlarge", "aws:c6in.8xlarge"
    other = "receiver" if end == "sender" else "sender"
    for way in ("in", "out"):
        case: dict[str, Any] = {end: small, other: large, "mtu_bytes": 9001}
        answer = netmodel.plan(f"20 Gbit/s {way}", connections=64, **case).answer
        if (end == "receiver") == (way == "in"):
            assert "(5 + 1 spare): Amazon EC2 r7i.4xlarge carries at most 6.21 Gbit/s" in answer
        else:
            assert "At least 2 instances (1 + 1 spare), 6 at the client: Amazon EC2 c6in" in answer


def test_a_limit_of_the_other_end_is_that_of_the_other_end() -> None:
    """200 / (0.7 * 62) = 4.6 senders and a spare; of ingress Google documents no limit."""
    case: dict[str, Any] = {"adapters": "gcp:c3-standard-88", "mtu_bytes": 8896}
    for way, counts in (("in", [6, 2]), ("out", [2, 6])):
        (plan,) = netmodel.plan(f"200 Gbit/s {way}", **case)
        assert [each.value for each in plan.side_counts.values()] == counts
        assert plan.chosen_count == counts[1]
    assert netmodel.plan("200 Gbit/s", **case)[0].chosen_count == 6


def test_an_adapter_that_is_given_twice_is_one_candidate() -> None:
    (plan,) = netmodel.plan("5 Gbit/s in", adapters=["intel-xxv710"] * 2, mtu_bytes=[1500, 1500])
    assert plan.chosen_count == 2


@pytest.mark.parametrize(
    ("flow", "connections", "why"),
    [
        ("14 Gbit/s out", 1, "the connections cannot use enough adapters of the client."),
        ("1e6 Gbit/s in", None, "more than 65,536 adapters are needed: OSA-Express7S receives"),
    ],
)
def test_what_neither_end_can_carry_is_refused(
    flow: str, connections: int | None, why: str
) -> None:
    """OSA-Express7S receives at most 13.4 Gbit/s."""
    case: dict[str, Any] = {"adapters": "osa-express7s-25gbe", "mtu_bytes": 1500}
    plans = netmodel.plan(flow, connections=connections, **case)
    assert plans.answer.startswith(f"No: {why}")
