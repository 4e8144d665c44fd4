"""Small records of equipment, workloads and paths: what they print, and what does not fit."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from netmodel.consumption import Side
from netmodel.errors import AmbiguousValueError
from netmodel.records import Adapter, Grade, Host, Link, PathRecord, Workload
from netmodel.records._equipment import Buffers, MeasuredWith, Observation, Offload
from netmodel.records._measured import MeasuredDemands, MeasuredSeries, MeasuredStage
from netmodel.records._references import PathReference
from netmodel.records._subjects import Configuration, worded

PLACE = {"source": "made", "locator": "page 1", "grade": "measured"}
USUAL = {"id": "made", "title": "Made", "kind": "lab"}
WHERE = " (measured; made, page 1)"


def made(model: Any, **parts: object) -> Any:
    return model.model_validate(parts, context=PLACE)


def problem_of(model: Any, **parts: object) -> str:
    with pytest.raises(ValidationError) as caught:
        made(model, **parts)
    return str(caught.value)


# Adapters

ADAPTER: dict[str, object] = {
    **USUAL,
    "description": "two  lines\nof text",
    "unknown": ["who made it"],
    "line_rate": "10 Gbit/s",
    "feature_code": {"value": "0449"},
    "port_count": "2",
    "buffers": {"count_default": "64", "size": {"value": 64, "unit": "KiB", **PLACE}},
    "observations": [
        {"quantity": "payload_rate", "direction": "in", "value": 9, "unit": "Gbit/s"},
        {"quantity": "throughput", "mtu_bytes": 9000, "value": 18, "unit": "Gbit/s"},
    ],
    "scatter": "2.5 %",
    "out": {"vertices": [{"per_frame": "1 µs"}, {"per_frame": "2 µs"}]},
    "in": {
        "per_frame": "3 µs",
        "per_byte": {"value": 1, "unit": "ns", **PLACE, "grade": "fitted"} | {"note": "by eye"},
    },
}


def test_an_adapter_prints_each_part_with_its_place() -> None:
    card = made(Adapter, **ADAPTER)
    first = "payload rate 9 Gbit/s, with direction in"
    assert str(card).splitlines() == [
        "made: Made (lab)",
        "  description: two lines of text",
        f"  scatter: 2.5 %{WHERE}",
        f"  line rate: 10 Gbit/s{WHERE}",
        f"  feature code: 0449{WHERE}",
        f"  port count: 2{WHERE}",
        f"  buffers.count default: 64{WHERE}",
        f"  buffers.size: 64 KiB{WHERE}",
        f"  observations.1: {first}{WHERE}",
        f"  observations.2: throughput 18 Gbit/s, with mtu_bytes 9000{WHERE}",
        f"  out: 2 vertices{WHERE}",
        "  out 1: 1 µs per frame",
        "  out 2: 2 µs per frame",
        f"  in.per frame: 3 µs{WHERE}",
        "  in.per byte: 1 ns (fitted; made, page 1; by eye)",
        "  unknown: who made it",
    ]
    assert repr(card) == "<Adapter made: Made (lab)>"
    assert card.headline == {"line_rate_bps": 1e10}
    assert card.scatter_ratio == 0.025
    assert card.grades == (Grade.MEASURED, Grade.FITTED)
    assert card.assumptions == ()
    dumped = card.to_dict()
    assert (dumped["line_rate"]["value"], dumped["in"]["per_frame"]["unit"]) == ("10", "µs")
    assert "in_" not in dumped
    bare = made(Adapter, **USUAL, line_rate="10 Gbit/s")
    assert bare.scatter_ratio is None
    assert str(bare) == f"made: Made (lab)\n  line rate: 10 Gbit/s{WHERE}"


def test_times_by_connections_print_each_point() -> None:
    entries = [{"connections": n, "vertices": [{"per_frame": f"{n} µs"}] * 2} for n in (1, 5)]
    card = made(Adapter, **USUAL, line_rate="10 Gbit/s", out={"at": entries})
    assert str(card).splitlines()[2:] == [
        f"  out: for 1 and 5 connections, 1 to quote{WHERE}",
        *("  out at 1 connection 1: 1 µs per frame", "  out at 1 connection 2: 1 µs per frame"),
        *("  out at 5 connections 1: 5 µs per frame", "  out at 5 connections 2: 5 µs per frame"),
    ]


def test_assumed_parts_are_named_with_their_reason() -> None:
    rate = {"value": 10, "unit": "Gbit/s", **PLACE, "grade": "assumed", "note": "its name"}
    card = made(Adapter, **USUAL, line_rate=rate, port_count="2")
    assert card.assumptions == ("made: line_rate 10 Gbit/s is assumed: its name",)
    assert card.grades == (Grade.MEASURED, Grade.ASSUMED)


@pytest.mark.parametrize(
    ("seen", "is_refused"),
    [
        ({"quantity": "payload_rate", "direction": "in", "value": 20}, False),
        ({"quantity": "payload_rate", "direction": "in", "value": 21}, True),
        ({"quantity": "throughput", "direction": "out", "value": 21}, True),
        ({"quantity": "line_rate", "direction": "out", "value": 21}, True),
        ({"quantity": "payload_rate", "value": 21}, False),  # both directions may be meant
        ({"quantity": "latency", "direction": "in", "value": 21}, False),
        ({"quantity": "throughput", "direction": "in", "value": 21, "unit": "1/s"}, False),
        ({"quantity": "throughput", "direction": "in", "value": 21, "relation": "up_to"}, False),
        # 20.1 is at least 20.05, and 20.0 may be 19.95
        ({"quantity": "throughput", "direction": "in", "value": Decimal("20.1")}, True),
        ({"quantity": "throughput", "direction": "in", "value": Decimal("20.0")}, False),
    ],
)
def test_no_direction_exceeds_the_lines_of_all_ports(
    seen: dict[str, object], is_refused: bool
) -> None:
    """Two ports of 10 Gbit/s; 21 is at least 20.5."""
    parts: dict[str, object] = {
        "line_rate": "10 Gbit/s",
        "port_count": "2",
        "observations": [{"unit": "Gbit/s"} | seen],
    }
    if is_refused:
        message = "is above line_rate 10 Gbit/s; correct one"
        text = problem_of(Adapter, **USUAL, **parts)
        assert "observations.0: " in text
        assert message in text
    else:
        assert len(made(Adapter, **USUAL, **parts).observations) == 1


def test_an_observation_has_its_conditions() -> None:
    seen = made(
        Observation,
        quantity="transaction_rate",
        direction="out",
        connection_counts=[1, 10],
        trunk_count=2,
        value=5,
        unit="1/s",
    )
    conditions = {"direction": "out", "connection_counts": [1, 10], "trunk_count": 2}
    assert seen.conditions == conditions
    text = "transaction rate 5 1/s, with direction out, connection_counts 1 10, trunk_count 2"
    assert sorted(str(seen).split(", ")) == sorted(text.split(", "))
    assert not seen.is_rate
    bare = made(Observation, quantity="throughput", value=0, unit="Gbit/s")
    assert (str(bare), bare.conditions, bare.is_rate) == ("throughput 0 Gbit/s", {}, True)
    sign = made(Observation, quantity="throughput", value=1, unit="Gbit/s", relation="sign")
    assert not sign.is_rate


COUNTS = ("count_minimum", "count_default", "count_used", "count_maximum")


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ({"count_minimum": "8", "count_default": "8", "count_maximum": "8"}, ""),
        ({"count_minimum": "8", "count_used": "7"}, "count_used 7 is below count_minimum 8"),
        ({"count_default": "9", "count_maximum": "8"}, "count_default 9 is above count_maximum 8"),
        ({"count_used": "9", "count_maximum": "8"}, "count_used 9 is above count_maximum 8"),
        ({"count_default": "7", "count_minimum": "8"}, "count_default 7 is below count_minimum 8"),
        ({"count_minimum": "9", "count_maximum": "8"}, "count_minimum 9 is above count_maximum 8"),
        ({"count_used": "9", "count_minimum": "8"}, ""),
        ({"count_used": "7", "count_maximum": "8"}, ""),
    ],
)
def test_buffers_are_within_their_settings(counts: dict[str, str], problem: str) -> None:
    if problem:
        assert problem in problem_of(Buffers, **counts)
    else:
        assert {key for key in COUNTS if getattr(made(Buffers, **counts), key)} == counts.keys()


def test_settings_of_a_measurement_are_named_once() -> None:
    tso, gro = {"name": "tso", "value": "on"}, {"name": "rx-gro-hw", "value": "off"}
    assert len(made(MeasuredWith, offloads=[tso, gro]).offloads) == 2
    assert str(made(Offload, **tso)) == "on"
    assert made(MeasuredWith, every_hop_mtu={"value": "every hop"}).offloads == ()
    twice = problem_of(MeasuredWith, offloads=[tso, gro, tso])
    assert "offloads has tso 2 times; keep one of them" in twice
    assert "offloads or every_hop_mtu is missing" in problem_of(MeasuredWith)
    assert "tso must be on or off; got 'yes'" in problem_of(Offload, name="tso", value="yes")
    for name in ("TSO", "tso ", "-tso", "tso--x"):
        assert "as ethtool has it" in problem_of(Offload, name=name, value="on")


# Hosts and links


def test_hosts_and_links_have_headlines() -> None:
    machine = made(Host, **USUAL, adapters=["a", "b"])
    assert machine.headline == {"adapters": ["a", "b"]}
    cable = made(Link, **USUAL, line_rate="25 Gbit/s", distance="10 km")
    assert cable.headline == {"line_rate_bps": 25e9, "distance": "10 km"}
    long = made(Link, **USUAL, distance="10 km")
    assert long.headline == {"line_rate_bps": None, "distance": "10 km"}
    with pytest.raises(AmbiguousValueError, match="line_rate of made is not known"):
        _ = long.line_rate_bps
    fast = made(Link, **USUAL, line_rate="25 Gbit/s")
    assert fast.headline == {"line_rate_bps": 25e9, "distance": None}
    assert fast.line_rate_bps == 25e9
    assert "line_rate or distance is missing" in problem_of(Link, **USUAL)


# Workloads

REQUESTS = {**USUAL, "kind": "request_response"}
STREAM = {**USUAL, "kind": "streaming"}


@pytest.mark.parametrize(
    ("parts", "bounds", "sender"),
    [
        (
            REQUESTS | {"request": "200 B", "response": "1000 B"},
            ((200, 200), (1000, 1000)),
            "server",
        ),
        (REQUESTS | {"request": "9 B", "response": "9 B"}, ((9, 9), (9, 9)), "client"),
        (REQUESTS | {"request": "9 B", "response": "1 B"}, ((9, 9), (1, 1)), "client"),
        (REQUESTS | {"request": "1 to 3 B", "response": "4 to 5 B"}, ((1, 3), (4, 5)), "server"),
        (REQUESTS | {"request": "1 to 3 B", "response": "1 to 3 B"}, ((1, 3), (1, 3)), "client"),
        (REQUESTS | {"request": "1 to 5 B", "response": "4 to 6 B"}, ((1, 5), (4, 6)), ""),
        (STREAM | {"write": "30 KiB", "writer": "client"}, ((30720, 30720), (0, 0)), "client"),
        (STREAM | {"write": "9 B", "writer": "server"}, ((0, 0), (9, 9)), "server"),
        (
            STREAM | {"request": "2 B", "write": "9 B", "writer": "server"},
            ((2, 2), (9, 9)),
            "server",
        ),
    ],
)
def test_the_sender_sends_the_larger_part(
    parts: dict[str, object], bounds: tuple[tuple[int, int], tuple[int, int]], sender: str
) -> None:
    load = made(Workload, **parts, connections={"counts": [1, 10]})
    assert (load.request_bytes_bounds, load.response_bytes_bounds) == bounds
    assert load.is_stream == ("writer" in parts)
    assert load.headline == {
        "request_bytes_bounds": list(bounds[0]),
        "response_bytes_bounds": list(bounds[1]),
        "connection_counts": [1, 10],
    }
    if not sender:
        message = "the client sends 1 to 5 byte each time, the server 4 to 6 byte"
        with pytest.raises(AmbiguousValueError, match=f"made may be either side: {message}"):
            _ = load.sender
        return
    assert load.sender is Side(sender)
    if all(low == high for low, high in bounds):
        assert (load.request_bytes, load.response_bytes) == (bounds[0][0], bounds[1][0])
        assert load.write_bytes == max(load.request_bytes, load.response_bytes)
    else:
        with pytest.raises(AmbiguousValueError, match="request_bytes of made is not known exactly"):
            _ = load.request_bytes


def test_a_workload_says_what_it_assumes_and_who_writes() -> None:
    size = {"value": 5, "unit": "B", **PLACE, "grade": "assumed", "note": "a guess"}
    load = made(Workload, **REQUESTS, request=size, response="9 B")
    assert load.assumptions == ("made: request of 5 B is assumed: a guess",)
    assert str(load).splitlines()[0] == "made: Made (request-response)"
    assert load.connection_counts == ()
    counts = made(Workload, **STREAM, write="5 B", writer="server", connections={"counts": [1, 9]})
    assert str(counts).splitlines() == [
        "made: Made (streaming, sent by the server)",
        *(f"  write: 5 B{WHERE}", f"  connections: 1, 9{WHERE}"),
    ]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (REQUESTS | {"request": "1 B"}, "response: is missing, which kind request_response needs"),
        (REQUESTS | {"response": "1 B"}, "request: is missing, which kind request_response needs"),
        (STREAM | {"write": "1 B"}, "writer: is missing, which kind streaming needs"),
        (STREAM | {"writer": "client"}, "write: is missing, which kind streaming needs"),
        (
            STREAM | {"write": "1 B", "writer": "client", "response": "1 B"},
            "response: is not a part of kind streaming",
        ),
        (
            REQUESTS | {"request": "1 B", "response": "1 B", "write": "1 B"},
            "write: is not a part of kind request_response",
        ),
        (
            STREAM | {"write": "1 B", "writer": "client", "request": "1 B"},
            "request: is not a part of a stream that the client writes",
        ),
    ],
)
def test_messages_that_do_not_fit_the_kind(parts: dict[str, object], problem: str) -> None:
    assert problem in problem_of(Workload, **parts)


# Paths

STAGE = {"name": "cpu", "kind": "hypervisor-cpu", "both": {"per_frame": "1 µs"}}
RELATIVE = STAGE | {"relative": True}
PATH: dict[str, object] = {"id": "made", "title": "Made", "stages": [STAGE]}
OWN = {"line_rate": "10 Gbit/s"}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"stages": []}, "stages: at least one is needed unless both ends have adapters"),
        (
            {"stages": [], "client": {"adapter": "mine"}, "adapters": {"mine": OWN}},
            "stages: at least one is needed unless both ends have adapters",
        ),
        ({"stages": [STAGE, STAGE]}, "stages.1.name: 'cpu' is the name of another stage"),
        (
            {"pools": {"cpu": {"core_count": "1"}}},
            "stages.0.name: 'cpu' is the name of a pool",
        ),
        *(
            (
                {"stages": [STAGE | {"name": name}]},
                f"stages.0.name: '{name}' is the name of another limit",
            )
            for name in ("window", "loss", "connections")
        ),
        (
            {"pools": {"loss": {"core_count": "1"}}},
            "pools.loss: is the name of another limit",
        ),
        (
            {"stages": [STAGE | {"pool": "cpuss"}], "pools": {"cpus": {"core_count": "1"}}},
            "stages.0.pool: unknown pool 'cpuss'; did you mean cpus?",
        ),
        (
            {
                "stages": [STAGE | {"pool": "cpus", "side": "client"}],
                "pools": {"cpus": {"core_count": "1", "side": "server"}},
            },
            "stages.0.pool: 'cpus' belongs to the other side",
        ),
        ({"stages": [RELATIVE]}, "reference: is needed, as stages are relative"),
        ({"reference": {"mtu": "1500"}}, "reference: is given, but no stage is relative"),
        (
            {"stages": [RELATIVE], "reference": {"pools": {"cpus": "2"}}},
            "reference.pools: unknown pool 'cpus'",
        ),
        (
            {"stages": [RELATIVE], "reference": {"times": {"cpus": "2"}}},
            "reference.times: unknown relative stage or pool 'cpus'",
        ),
        (
            {
                "stages": [RELATIVE],
                "reference": {"mtu": "1500", "gains": [{"mtu": "9000", "ratio": "2", "of": "x"}]},
            },
            "reference.gains: unknown relative stage or pool 'x'",
        ),
        ({"adapters": {"mine": OWN | {"id": "other"}}}, "mine.id: must be the key of its table"),
        ({"client": {"adapter": "minee"}, "adapters": {"mine": OWN}}, "client.adapter: unknown ad"),
        ({"server": {"adapter": "minee"}, "adapters": {"mine": OWN}}, "server.adapter: unknown ad"),
        ({"client": {"host": "minee"}, "hosts": {"mine": {}}}, "client.host: unknown host 'minee'"),
        ({"server": {"host": "minee"}, "hosts": {"mine": {}}}, "server.host: unknown host 'minee'"),
        ({"link": "minee", "links": {"mine": OWN}}, "link: unknown link 'minee'; did you mean min"),
        (
            {"hosts": {"mine": {"adapters": ["ethernet-25gbe", "zzz"]}}},
            "hosts.mine.adapters.1: unknown adapter 'zzz'",
        ),
    ],
)
def test_parts_of_a_path_that_do_not_fit(changed: dict[str, object], problem: str) -> None:
    assert problem in problem_of(PathRecord, **PATH | changed)


def test_a_path_finds_its_own_records_first() -> None:
    path = made(
        PathRecord,
        **PATH,
        client={"adapter": "ethernet-25gbe", "host": "box"},
        server={"adapter": "mine"},
        link="cable",
        adapters={"mine": OWN, "ethernet-25gbe": OWN | {"title": "Slow"}},
        hosts={"box": {"adapters": ["mine"]}},
        links={"cable": {"distance": "10 km"}},
        measured=[MEASURED],
    )
    assert path.client_adapter.title == "Slow"
    assert (path.server_adapter.id, path.server_adapter.kind) == ("mine", "own")
    assert path.server_adapter.title == "mine"
    assert (path.client_host.id, path.server_host, path.link_record.id) == ("box", None, "cable")
    assert path.headline == {"stages": ["cpu"]}
    assert str(path).splitlines()[:6] == [
        "made: Made",
        "  client: adapter ethernet-25gbe, host box",
        "  server: adapter mine",
        "  link: cable",
        "  stages: cpu (hypervisor-cpu)",
        "  measured over connections: MTU 1500: requests, 1 to 9 connections",
    ]
    bare = made(PathRecord, **PATH)
    assert (bare.client_adapter, bare.client_host, bare.link_record) == (None, None, None)
    catalog = made(PathRecord, **PATH, server={"adapter": "ethernet-25gbe"})
    assert catalog.server_adapter.line_rate_bps == 25e9
    assert str(catalog).splitlines()[1] == "  server: adapter ethernet-25gbe"


def test_a_pool_on_one_side_serves_stages_between() -> None:
    for of_pool, of_stage in (("client", "client"), (None, "client"), ("client", None)):
        side = {"side": of_stage} if of_stage else {}
        pool = {"core_count": "1"} | ({"side": of_pool} if of_pool else {})
        path = made(
            PathRecord, **PATH | {"stages": [STAGE | {"pool": "x"} | side]}, pools={"x": pool}
        )
        assert path.stages[0].pool == "x"


def test_a_reference_says_what_differs_in_it() -> None:
    reference = made(
        PathReference, mtu="1500 B", pools={"one": "1", "two": "2"}, times={"cpu": "1.5"}
    )
    assert str(reference) == (
        "MTU 1500 B, 1 CPU of one, 2 CPUs of two, 1.5 times the CPU time of cpu"
    )
    gain = {"mtu": "9000 B", "ratio": "2"}
    of_cpu = gain | {"of": "cpu"}
    gains = made(PathReference, mtu="1500 B", gains=[gain, of_cpu]).gains
    assert [each.name for each in gains] == ["path at 9000 B", "cpu at 9000 B"]
    for parts, problem in (
        ({}, "mtu, pools or times: at least one is needed"),
        ({"pools": {"x": "2"}, "gains": [gain]}, "gains: need mtu, and neither pools nor times"),
        ({"mtu": "1500", "pools": {"x": "2"}, "gains": [gain]}, "gains: need mtu, and neither"),
        ({"mtu": "1500", "times": {"x": "2"}, "gains": [gain]}, "gains: need mtu, and neither"),
        ({"mtu": "9000", "gains": [gain]}, "gains.0.mtu: 9000 B already has its ratio"),
        ({"mtu": "1500", "gains": [of_cpu, of_cpu]}, "gains.1.mtu: 9000 B already has its ratio"),
    ):
        assert problem in problem_of(PathReference, **parts)


SERIES = {"workload": "requests", "request": "200 B", "response": "1000 B", "connections": [1, 9]}
SERIES |= {"error": "2 %", "outside_error": "5 %"}
MEASURED = {"mtu": "1500", "stages": [{"name": "all", "per_transaction": "9 µs"}]}
MEASURED |= {"fitted_to": [SERIES]}


def test_stages_that_were_fitted_to_a_series() -> None:
    fitted = made(MeasuredDemands, **MEASURED)
    assert str(fitted) == "MTU 1500: requests, 1 to 9 connections"
    assert str(fitted.stages[0].per_transaction.least) == "9 µs"
    assert str(made(MeasuredStage, name="one", shared=True, per_byte_to_client="1 ns")) == (
        "one, shared"
    )
    assert str(fitted.stages[0]) == "all"
    by_count = made(
        MeasuredStage, name="one", per_byte_to_server={"least": "1 ns", "growing": "2 ns"}
    )
    assert str(by_count.per_byte_to_server.growing) == "2 ns"
    text = "per_transaction, per_byte_to_client, per_byte_to_server: at least one is needed"
    assert text in problem_of(MeasuredStage, name="one")
    twice = MEASURED | {"stages": [*MEASURED["stages"], *MEASURED["stages"]]}  # type: ignore[misc]
    assert "stages.1.name: 'all' is the name of another stage" in problem_of(
        MeasuredDemands, **twice
    )
    assert made(MeasuredSeries, **SERIES | {"connections": [9, 9]}).connections == (9, 9)
    for changed, problem in (
        ({"connections": [9, 1]}, "connections: the fewest go before the most"),
        ({"request": None}, "request: belongs to requests, which need it"),
        ({"response": None}, "response: belongs to requests, which need it"),
        ({"workload": "streams to client"}, "request: belongs to requests, which need it"),
        ({"connections": [0, 1]}, "greater than or equal to 1"),
    ):
        assert problem in problem_of(MeasuredSeries, **SERIES | changed)


# What statements and observations are about


def test_a_subject_has_parts_and_says_them() -> None:
    subject = Configuration(
        adapter="a",
        receiver_adapter="c",
        sender_adapter="b",
        workload="w",
        workloads=("v",),
        connection_counts=(1, 10),
        receive_packet_steering=False,
        large_send=True,
        side="client",
    )
    assert subject.adapters == ("a", "b", "c")
    assert Configuration(sender_adapter="b").adapters == ("b",)
    assert subject.all_workloads == ("v", "w")
    assert Configuration(workloads=("v",)).all_workloads == ("v",)
    assert (subject.part("side"), subject.part("host"), subject.part("table")) == (
        *("client", None),
        None,
    )
    assert Configuration().part("connection_counts") is None
    assert subject.is_but_for_side(subject.model_copy(update={"side": "server"}))
    assert not subject.is_but_for_side(subject.model_copy(update={"large_send": False}))
    text = "adapter a, sender_adapter b, receiver_adapter c, workload w, workloads v, "
    text += "connection_counts 1 10, side client, receive_packet_steering off, large_send on"
    assert str(subject) == text
    assert (worded(True), worded(False), worded(["a", 1]), worded(5)) == ("on", "off", "a 1", "5")


@pytest.mark.parametrize(
    ("part", "good", "bad"),
    [
        ("mtu_bytes", (68, 65536), (67, 65537, 1500.0, "1500")),
        ("message_bytes", (1,), (0, 1.5)),
        ("connection_counts", ((1, 2),), ((0,), (1, 1))),
        ("layer", (2, 3, "vxlan"), (1, 4, " ")),
        ("distance_km", (0, Decimal("1.5")), (-1,)),
        ("table", (1,), (0,)),
        ("receive_packet_steering", (True,), (1, "on")),
    ],
)
def test_parts_of_a_subject_have_limits(
    part: str, good: tuple[object, ...], bad: tuple[object, ...]
) -> None:
    for value in good:
        assert getattr(Configuration.model_validate({part: value}), part) == value
    for value in bad:
        with pytest.raises(ValidationError, match=part):
            Configuration.model_validate({part: value})
