"""Plans on paths of a few stages, each figure of which is computed by hand."""

from dataclasses import replace
from typing import Any

import pytest
from paths import ends
from planning.planned import OwnPath, own_path

from netmodel.consumption import Side
from netmodel.estimates import Bound
from netmodel.grades import Grade
from netmodel.path import Interval, Path, Pool, SpecifiedPath, Stage, Times
from netmodel.path.stages import Distance
from netmodel.planning import Headroom, Plan, parse_flow, plan
from netmodel.planning.candidates import compare_plans
from netmodel.records import adapter

ORDERS = "100000/s rr1c-200x1000"
"""Requests into the server, larger responses out of it."""
NO_SPARE = Headroom(0.7, 0)
ROOM = Headroom(0.7, 1, 0.9)


def to_server(name: str, time_s: Any, **parts: Any) -> Stage:
    """What each request takes."""
    grades = parts.pop("grades", {})
    return Stage(name=name, to_server=Times(per_message_s=time_s, grades=grades), **parts)


OUT = to_server("client_adapter_out", 1e-6, side=Side.CLIENT)
IN = to_server("server_adapter_in", Interval(10e-6, 8e-6, 13e-6), side=Side.SERVER)
TRUNK = to_server("trunk", Interval(4e-6, 3e-6, 6e-6))


def on(*stages: Stage, **parts: Any) -> SpecifiedPath:
    return OwnPath(Path(stages=stages, **parts))


def cpu(time_s: Any, name: str = "cpu", **parts: Any) -> Stage:
    given: dict[str, Any] = {"parallel_count": None, "pool": "server_cpus", "side": Side.SERVER}
    return to_server(name, time_s, **{**given, **parts})


def cpus(count: Any = None, **parts: Any) -> tuple[Pool, ...]:
    return (Pool("server_cpus", count, Side.SERVER, **parts),)


def planned(
    path: SpecifiedPath, *texts: str, connections: int | None = None, **options: Any
) -> Plan:
    flows = [parse_flow(text, connections) for text in texts or (ORDERS,)]
    return plan(flows, path, 1500, **options)


def test_a_plan_by_hand() -> None:
    """
    100,000 requests a second are 0.1 of what sends, 1.0 of what receives, and 0.4 of a trunk.

    Of the receiving ones 0.8 to 1.3: 0.7 of two carry it, and 0.9 of two after a failure; at best
    0.9 of one, so that two are enough.
    """
    result = planned(on(OUT, IN, TRUNK), headroom=ROOM)
    out, inward, trunk = result.stages
    assert (out.name, inward.name, trunk.name) == (OUT.name, IN.name, TRUNK.name)
    assert (out.is_of_adapters, inward.is_of_adapters, trunk.is_of_adapters) == (True, True, False)
    assert ends(out.adapter_count) == (2, 2, 2)
    assert ends(inward.adapter_count) == (3, 2, 3)
    assert trunk.adapter_count is None
    assert ends(out.use_ratio) == pytest.approx((0.1 / 3,) * 3)
    assert ends(inward.use_ratio) == pytest.approx((1 / 3, 0.8 / 3, 1.3 / 3))
    assert ends(trunk.use_ratio) == pytest.approx((0.4, 0.3, 0.6))
    assert ends(out.after_failure_ratio) == pytest.approx((0.1 / 2,) * 3)
    assert ends(inward.after_failure_ratio) == pytest.approx((0.5, 0.4, 0.65))
    assert trunk.after_failure_ratio == trunk.use_ratio
    assert ends(result.adapter_count) == (3, 2, 3)
    assert ends(result.count_without_spares) == (2, 2, 2)
    assert (result.chosen_count, result.holds, result.shortfalls) == (3, True, ())
    assert result.adapter_count.bound is Bound.LOWER
    rows = [(each.side, each.direction, each.binding.name) for each in result.directions]
    assert rows == [(Side.CLIENT, "out", OUT.name), (Side.SERVER, "in", IN.name)]
    assert [ends(each.adapter_count) for each in result.directions] == [(2, 2, 2), (3, 2, 3)]
    one = result.one_adapter
    assert ends(one.demand_ratio) == pytest.approx((1, 1 / 1.3, 1 / 0.8))
    # 100,000 responses of 1000 byte a second
    assert ends(one.payload_rate_bps) == pytest.approx((800e6, 800e6 / 1.3, 1e9))
    assert (one.binding, one.side, one.direction) == (IN.name, Side.SERVER, "in")


@pytest.mark.parametrize(
    ("count", "shortfalls"),
    [(2, ()), (1.9, ("1.4 of 1.9 server cores would be busy, and 70 % is allowed",))],
)
def test_cpus_that_are_there_have_to_carry_the_load(
    count: float, shortfalls: tuple[str, ...]
) -> None:
    """14 µs of each of 100,000 requests: 1.4 are busy."""
    result = planned(on(OUT, cpu(14e-6), pools=cpus(count)), headroom=NO_SPARE)
    assert result.shortfalls == shortfalls
    (pool,) = result.pools
    assert pool.present_count == count
    assert ends(pool.busy_count) == pytest.approx((1.4,) * 3)
    assert pool.busy_count.bound is pool.core_count.bound is Bound.VALUE


@pytest.mark.parametrize(
    ("parts", "needed", "counts"),
    [
        # 2.8 (2 to 4.2) busy at 70 %: 4 (3 to 6)
        ({}, (4, 3, 6), (4, 3, 6)),
        ({"threads_per_core": 2}, (4, 3, 6), (2, 2, 3)),
        # a core does the work of 1.4 (1.25 to 2): 2, of the least at most gain 1, to 5
        ({"smt_gain": Interval(1.4, 1.25, 2)}, (4, 3, 6), (3, 2, 5)),
        ({"smt_gain": 1.4}, (4, 3, 6), (3, 3, 5)),
    ],
)
def test_cores_carry_what_is_busy_with_their_second_threads(
    parts: dict[str, Any], needed: tuple[float, ...], counts: tuple[float, ...]
) -> None:
    busy = Interval(28e-6, 20e-6, 42e-6)
    (pool,) = planned(on(OUT, cpu(busy), pools=cpus(**parts)), headroom=NO_SPARE).pools
    assert ends(pool.busy_count) == pytest.approx((2.8, 2, 4.2))
    assert ends(pool.needed_count) == needed
    assert ends(pool.core_count) == counts
    gain = parts.get("smt_gain")
    if gain is None:
        assert pool.smt_gain is None
    else:
        expected = (1.4, 1.25, 2) if isinstance(gain, Interval) else (1.4, 1.4, 1.4)
        assert ends(pool.smt_gain) == expected


@pytest.mark.parametrize(("unknown", "bound"), [((), Bound.VALUE), (("client CPUs",), Bound.LOWER)])
def test_cpu_counts_are_lower_bounds_where_something_is_not_modelled(
    unknown: tuple[str, ...], bound: Bound
) -> None:
    path = on(OUT, cpu(14e-6, pool="vios"), pools=(Pool("vios", None),), unknown=unknown)
    result = planned(path)
    (pool,) = result.pools
    assert pool.needed_count.bound is pool.core_count.bound is bound
    note = "CPU counts are lower bounds: see what is not modelled"
    assert (note in result.notes) is (bound is Bound.LOWER)


def test_what_is_not_modelled_and_not_planned_is_noted_in_order() -> None:
    cost = 'give their cost, such as "0.16 cores/(Gbit/s)"'
    even = "number of connections not given for rr1c-200x1000: assuming an even split"
    bare = planned(on(OUT, IN, unknown=("a bus",)))
    assert bare.notes == (
        "lower bound: a bus not modelled",
        f"CPUs of the client and server not planned: {cost}",
        even,
    )
    served = planned(on(OUT, IN, cpu(14e-6), pools=cpus(), unknown=("a bus", "a switch")))
    assert served.notes == (
        "lower bound: 2 parts not modelled",
        f"CPUs of the client not planned: {cost}",
        "CPU counts are lower bounds: see what is not modelled",
        even,
        "not modelled: a bus",
        "not modelled: a switch",
    )


def test_limits_that_are_not_known_are_noted() -> None:
    """Where an adapter takes time that no one knows, its line limits it."""
    free = to_server(IN.name, Interval(1e-6, 0, 2e-6), side=Side.SERVER)
    idle = Stage(name=OUT.name, side=Side.CLIENT)
    notes = planned(own_path(idle, free)).notes
    assert f"limit of {OUT.name} not known: planned at line rate" in notes
    others = [
        Stage(name=name, side=side)
        for name, side in (("server_adapter_out", Side.SERVER), ("client_adapter_in", Side.CLIENT))
    ]
    unknown = planned(own_path(idle, Stage(name=IN.name, side=Side.SERVER), *others))
    assert "limit of all adapters not known: planned at line rate" in unknown.notes
    three = planned(own_path(idle, free, *others)).notes
    assert "limit of 3 adapter directions not known: planned at line rate" in three


def test_connections_that_are_too_few_for_any_number_of_adapters_say_so() -> None:
    """Of one connection, one adapter has all: 1.0 of it, where 0.7 may be used."""
    result = planned(on(IN), connections=1, headroom=NO_SPARE)
    assert result.chosen_count is None
    assert result.shortfalls[-1] == "the connections cannot use enough adapters"


def test_paths_are_ranked_by_what_holds_then_counts_evidence_range_and_use() -> None:
    def adapter(time_s: Any, grade: Grade = Grade.MEASURED, **parts: Any) -> Stage:
        grades = {"per_message_s": grade}
        return to_server(IN.name, time_s, side=Side.SERVER, grades=grades, **parts)

    paths = {
        "does not hold": on(adapter(1e-6), to_server("trunk", 9e-6)),
        "two": on(adapter(8e-6)),
        "one, assumed": on(adapter(1e-6, Grade.ASSUMED)),
        "one, wide": on(adapter(Interval(2e-6, 1e-6, 10e-6))),
        "one, used": on(adapter(5e-6)),
        "one": on(adapter(2e-6)),
    }
    plans = compare_plans([parse_flow(ORDERS)], paths.values(), [1500], headroom=NO_SPARE)
    own = {id(path._own): name for name, path in paths.items()}  # type: ignore[attr-defined]
    names = [own[id(each.demand.path)] for each in plans]  # type: ignore[union-attr]
    assert names == ["one", "one, used", "one, assumed", "one, wide", "two", "does not hold"]
    assert [each.chosen_count for each in plans] == [1, 1, 1, 2, 2, 1]


def test_limits_of_a_flow_have_a_range() -> None:
    """A window of 64 KiB over 1 ms, 0.5 to 2: two connections send 4000 windows a second."""
    fibre = to_server("fibre", Interval(1e-3, 0.5e-3, 2e-3), parallel_count=None)
    path = on(to_server(OUT.name, 1e-12), fibre, window_bytes=65536)
    flow = parse_flow("800 Mbit/s str-writex30k", 2)
    assert plan([flow], path, 1500, headroom=NO_SPARE).shortfalls == (
        "windows of 2 connections allow at most 524 Mbit/s to 1.05 Gbit/s of str-writex30k",
    )


# What one carries


@pytest.mark.parametrize(
    ("side", "text", "direction"),
    [
        (Side.SERVER, "1 Gbit/s str-writex30k", "in"),
        (Side.SERVER, "1 Gbit/s str-writex30k from server", "out"),
        (Side.CLIENT, "1 Gbit/s str-writex30k", "out"),
        (Side.CLIENT, "1 Gbit/s str-writex30k from server", "in"),
    ],
)
def test_a_queue_of_both_directions_has_that_of_the_payload(
    side: Side, text: str, direction: str
) -> None:
    times = Times(per_frame_s=20e-6)
    queue = Stage(
        name="queue", to_server=times, to_client=times, pool="cpus", hashes_flows=True, side=side
    )
    result = planned(own_path(queue, pools=(Pool("cpus", 4, side),)), text, ORDERS)
    one = result.one_adapter
    assert (one.binding, one.side, one.direction) == ("queue", side, direction)


@pytest.mark.parametrize("text", ["20 Gbit/s str-writex30k", "20 Gbit/s str-writex30k from server"])
def test_a_line_is_named_before_an_adapter_that_is_as_full(text: str) -> None:
    """25 Gbit/s with 1538 byte for each frame, in either direction; an adapter takes as long."""
    frame_s = 1538 * 8 / 25e9
    to_client = text.endswith("server")
    name = "server_adapter_out" if to_client else IN.name
    times = Times(per_frame_s=frame_s)
    parts = {"to_client" if to_client else "to_server": times}
    alike = planned(own_path(Stage(name=name, side=Side.SERVER, **parts)), text)
    one = alike.one_adapter
    assert one.binding == ("wire_to_client" if to_client else "wire_to_server")
    assert (one.side, one.direction) == (Side.SERVER, "out" if to_client else "in")
    assert alike.binding == one.binding
    slower = {key: Times(per_frame_s=frame_s * 1.001) for key in parts}
    more = planned(own_path(Stage(name=name, side=Side.SERVER, **slower)), text).one_adapter
    assert more.binding == name


@pytest.mark.parametrize(
    ("window_bytes", "connections", "note"),
    [
        (None, None, "no window given: 10 Gbit/s takes windows of at least 12,208 KiB together"),
        (None, 400, "no window given: 10 Gbit/s takes windows of at least 31 KiB each"),
        (65536, None, "connections not specified: no window limit"),
        (65536, 400, ""),
    ],
)
def test_windows_of_streams_are_asked_for_unless_they_and_connections_are_given(
    window_bytes: int | None, connections: int | None, note: str
) -> None:
    """10 Gbit/s over 10 ms are 12.5 MB, 12,207.03 KiB."""
    between = Distance(round_trip_s=10e-3, window_bytes=window_bytes)
    path = SpecifiedPath(adapter("ethernet-25gbe"), adapter("ethernet-25gbe"), distance=between)
    result = planned(path, "10 Gbit/s str-writex30k", connections=connections)
    found = [text for text in result.notes if "window" in text]
    assert found == ([note] if note else [])
    requests = planned(path, ORDERS, connections=connections)
    assert not any("given: " in text for text in requests.notes)
    near = planned(replace(path, distance=None), "10 Gbit/s str-writex30k")
    assert not any("window" in text for text in near.notes)
