"""Stages and their times: each rule of a record on both sides, and what a small one says."""

from typing import Any

import pytest
from pydantic import ValidationError

from netmodel.records._equipment import Host
from netmodel.records._stages import KIND_TRAITS, PathStage, StageKind
from netmodel.records._times import ServiceTimes, TimePoint

PLACE = {"source": "made", "locator": "page 1", "grade": "measured"}
A = {"per_frame": "1 µs"}
B = {"per_frame": "2 µs"}


def times(**parts: object) -> ServiceTimes:
    return ServiceTimes.model_validate(parts, context=PLACE)


def stage(**parts: object) -> PathStage:
    return PathStage.model_validate({"name": "made"} | parts, context=PLACE)


def problem_of(model: Any, **parts: object) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(parts, context=PLACE)
    return str(caught.value)


# Times


TIMES = ("per_message", "per_wakeup", "per_interrupt", "per_frame", "per_packet", "per_ack")


@pytest.mark.parametrize("key", [*TIMES, "per_byte"])
def test_one_time_is_enough(key: str) -> None:
    point = TimePoint.model_validate({key: "3 µs"}, context=PLACE)
    assert point.present == (key,)
    assert str(point) == f"3 µs {key.replace('_', ' ')}"
    assert times(**{key: "3 µs"}).points == (times(**{key: "3 µs"}),)


def test_times_are_plain_or_points_or_by_connections() -> None:
    plain = times(**A, per_message="5 µs")
    assert (plain.points, plain.quoted, plain.quoted_count) == ((plain,), plain, 1)
    assert str(plain) == "5 µs per message, 1 µs per frame"
    assert plain.arrangement == (False, 1, 1)

    corners = times(vertices=[A, B, A], printed_count=2)
    assert [str(point) for point in corners.points] == [f"{n} µs per frame" for n in (1, 2, 1)]
    assert (str(corners.quoted), corners.quoted_count) == ("1 µs per frame", 2)
    assert (str(corners), corners.arrangement) == ("3 vertices", (True, 3, 2))
    assert times(vertices=[A, B]).quoted_count == 2

    drawn = times(samples=[B, A])
    assert (str(drawn), drawn.quoted_count) == ("2 samples", 1)
    assert (str(drawn.quoted), drawn.arrangement) == ("2 µs per frame", (False, 2, 1))
    assert list(drawn.by_connections) == [("", drawn)]


def test_times_by_connections_quote_the_middle_one() -> None:
    """Of an even number the lower of both."""
    entries = [{"connections": count, "per_frame": f"{count} µs"} for count in (1, 2, 5, 9)]
    for count, middle in ((1, 1), (2, 1), (3, 2), (4, 2)):
        some = times(at=entries[:count])
        assert some.middle.connections == middle
        assert str(some.quoted) == f"{middle} µs per frame"
    whole = times(at=entries)
    assert str(whole) == "for 1, 2, 5 and 9 connections, 2 to quote"
    assert [place for place, _ in whole.by_connections] == [
        *(" at 1 connection", " at 2 connections", " at 5 connections", " at 9 connections"),
    ]
    assert [str(point) for point in whole.points] == [f"{n} µs per frame" for n in (1, 2, 5, 9)]
    assert whole.arrangement == tuple((n, False, 1, 1) for n in (1, 2, 5, 9))
    assert whole.name == ""


def test_times_of_a_host_say_what_is_shared() -> None:
    shared = {"messages_per_wakeup": "2", "frames_per_interrupt": "8", "segments_per_packet": "4"}
    text = ", 2 messages per wakeup, 8 frames per interrupt, 4 segments per packet"
    assert str(times(per_packet="1 µs", **shared)) == f"1 µs per packet{text}"
    assert str(times(vertices=[A, B], **shared)) == f"2 vertices{text}"
    known = times(vertices=[A, B], known_payload="1448 B")
    assert str(known) == "2 vertices, calibrated for 1448 B of payload in each frame"
    assert str(times(**A, known_payload="1448 B")) == "1 µs per frame"


def test_points_from_one_place_name_it_once() -> None:
    there = {"value": 2, "unit": "µs", "locator": "page 2"}
    assert times(**A).provenance is None  # each of its values names its own
    assert times(vertices=[A, B]).provenance == "measured; made, page 1"
    assert times(samples=[A, {"per_frame": there}]).provenance is None
    assert times(samples=[{"per_frame": there}] * 2).provenance == "measured; made, page 2"
    assert times(samples=[{"per_frame": there}] * 2, known_payload="9 B").provenance is None
    own = times(samples=[A, B], locator="page 3", known_payload="9 B")
    assert own.provenance == "measured; made, page 3"


def test_a_place_beside_times_serves_those_without_their_own() -> None:
    own = {"source": "other", "locator": "page 7", "grade": "derived", "note": "sum"}
    made = times(
        **own,
        at=[
            {"connections": 1, "vertices": [A, {"per_frame": {"value": 2, "unit": "µs"}}]},
            {"connections": 2, "vertices": [A, {"per_frame": {"locator": "page 8", **at(3)}}]},
        ],
    )
    values = [point.per_frame for point in made.points]
    assert [value and value.provenance for value in values] == [
        *["derived; other, page 7; sum"] * 3,
        "derived; other, page 8; sum",
    ]
    assert times(**own, vertices=[A, B], printed_count=1).printed_count == 1
    assert "is not a figure" in problem_of(ServiceTimes, **own, per_frame="soon")


def at(value: int) -> dict[str, object]:
    return {"value": value, "unit": "µs"}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (
            {},
            "per_message, per_wakeup, per_interrupt, per_frame, per_packet, per_ack, per_byte: at",
        ),
        ({"known_payload": "9 B"}, "at least one is needed"),
        ({**A, "vertices": [A]}, "per_frame and vertices: only one of them can be given"),
        ({"vertices": [A], "samples": [A]}, "vertices and samples: only one of them can be given"),
        ({"vertices": [A, {"per_byte": "1 ns"}]}, "vertices: all of them need the same times"),
        ({"samples": [A, {"per_byte": "1 ns"}]}, "samples: all of them need the same times"),
        ({"vertices": [A, B], "printed_count": 0}, "of which there are 2; got 0"),
        ({"vertices": [A, B], "printed_count": 3}, "of which there are 2; got 3"),
        ({"samples": [A, B], "printed_count": 1}, "of vertices, of which there are 0; got 1"),
        ({"at": [A]}, "at.0.connections: is missing"),
        ({"at": [{"connections": 0, **A}]}, "at.0.connections"),
        (
            {"at": [{"connections": 1, **A, "known_payload": "9 B"}]},
            "at.0.known_payload: is not a known key here",
        ),
        (
            {"at": [{"connections": 1, "at": [{"connections": 1, **A}]}]},
            "at.0.at: is not a known key here",
        ),
        (
            {"at": [{"connections": 1, **A, "segments_per_packet": "2"}]},
            "at.0.segments_per_packet: is not a known key here",
        ),
        (
            {"at": [{"connections": n, **A} for n in (1, 3, 2)]},
            "at: numbers of connections must rise; got 1, 3 and 2",
        ),
        ({"at": [{"connections": 2, **A}] * 2}, "connections must rise; got 2 and 2"),
        (
            {"at": [{"connections": 1, **A}, {"connections": 2, "per_byte": "1 ns"}]},
            "at: all of them need the same times, in the same form",
        ),
        (
            {"at": [{"connections": 1, **A}, {"connections": 2, "vertices": [A, B]}]},
            "at: all of them need the same times, in the same form",
        ),
    ],
)
def test_forms_of_times_that_do_not_fit(parts: dict[str, object], problem: str) -> None:
    assert problem in problem_of(ServiceTimes, **parts)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({**A, "connections": 1}, "connections: is a key of times inside at only"),
        ({"per_packet": "1 µs"}, "per_packet: is not a known key of a stage (per_frame is)"),
        (
            {**A, "segments_per_packet": "2"},
            "segments_per_packet: is not a known key of a stage (per_frame is)",
        ),
        (
            {"vertices": [A, {**A, "per_packet": "1 µs"}]},
            "vertices: all of them need the same times",
        ),
        (
            {"samples": [{"per_packet": "1 µs"}]},
            "samples.0.per_packet: is not a known key of a stage",
        ),
        (
            {"at": [{"connections": 1, "vertices": [{"per_packet": "1 µs"}] * 2}]},
            "at.0.vertices.0.per_packet: is not a known key of a stage",
        ),
    ],
)
def test_times_of_a_stage_count_frames(parts: dict[str, object], problem: str) -> None:
    assert problem in problem_of(PathStage, name="made", kind="link", both=parts)


def test_times_of_a_host_count_packets() -> None:
    usual = {"id": "made", "title": "made", "kind": "made"}
    message = "at.1.per_frame: is not a known key of a host (per_packet is)"
    entries = [{"connections": n, "per_packet": "1 µs", **A} for n in (1, 2)]
    assert "at.0.per_frame: is not a known key" in problem_of(Host, **usual, send={"at": entries})
    assert message not in problem_of(Host, **usual, send={"at": entries})
    made = Host.model_validate(usual | {"send": {"per_packet": "1 µs"}}, context=PLACE)
    assert made.has_cpu_times
    assert Host.model_validate(
        usual | {"receive": {"per_packet": "1 µs", "segments_per_packet": "2"}}, context=PLACE
    ).has_cpu_times
    assert not Host.model_validate(usual, context=PLACE).has_cpu_times


def test_points_of_sending_and_receiving_go_together() -> None:
    usual = {"id": "made", "title": "made", "kind": "made"}
    one, two = {"per_packet": "1 µs"}, {"per_packet": "2 µs"}
    good: tuple[dict[str, object], ...] = (
        {"send": {"vertices": [one, two]}, "receive": {"vertices": [two, one]}},
        {"send": {"vertices": [one, two]}, "receive": one},
        {"send": one, "receive": {"samples": [one, two]}},
        {"send": {"samples": [one, two]}},
    )
    for parts in good:
        Host.model_validate(usual | parts, context=PLACE)
    bad: tuple[dict[str, object], ...] = (
        {"send": {"vertices": [one, two]}, "receive": {"vertices": [one, two, two]}},
        {"send": {"vertices": [one, two]}, "receive": {"samples": [one, two]}},
    )
    for parts in bad:
        assert "send and receive: their points belong together" in problem_of(
            Host, **usual, **parts
        )


# Stages


KEYS: dict[str, object] = {
    "out": A,
    "in": A,
    "to_server": A,
    "to_client": A,
    "both": A,
    "servers": "2",
    "service_variation": "0.5",
    "messages_per_wakeup": "2",
    "frames_per_interrupt": "2",
    "segments_per_packet": "2",
    "pool": "cpus",
    "serial": True,
    "incomplete": ["to_server"],
    "line_rate": "1 Gbit/s",
    "distance": "1 km",
    "delay": "1 µs",
    "rate_cap": "1 Gbit/s",
    "frame_rate_cap": "5 1/s",
    "shared_engine": True,
}
CPUS = {
    *("application-cpu", "protocol-cpu", "receive-queue-cpu", "hypervisor-cpu"),
    *("virtual-switch", "shared-ethernet-adapter"),
}
OTHERS = {
    *("trunk", "adapter", "bus", "link", "switch", "link-aggregation", "shaper", "fibre"),
}
KINDS_WITH = {
    **dict.fromkeys(KEYS, (CPUS | OTHERS) - {"shaper", "fibre"}),
    **dict.fromkeys(("pool", "serial", "incomplete"), CPUS),
    "line_rate": {"link", "trunk", "link-aggregation", "bus"},
    "distance": {"fibre"},
    "delay": (CPUS | OTHERS) - {"shaper"},
    **dict.fromkeys(("rate_cap", "frame_rate_cap", "shared_engine"), CPUS | OTHERS - {"fibre"}),
}


@pytest.mark.parametrize("key", KEYS)
def test_a_stage_has_the_keys_of_its_kind(key: str) -> None:
    side: dict[str, object] = {"side": "client"} if key in {"out", "in"} else {}
    for kind in sorted(CPUS | OTHERS):
        limit: dict[str, object] = (
            {"rate_cap": "9 Gbit/s"} if kind == "shaper" else {"delay": "2 µs"}
        )
        parts = {"name": "made", "kind": kind, **limit, **side, key: KEYS[key]}
        if kind in KINDS_WITH[key]:
            assert getattr(stage(**parts), "in_" if key == "in" else key) is not None
        else:
            assert f"{key}: is not a part of kind {kind}" in problem_of(PathStage, **parts)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"kind": "link"}, "kind link needs one of out, in, to_server, to_client, both, delay"),
        ({"kind": "fibre"}, "kind fibre needs one of delay, distance"),
        ({"kind": "shaper", "mtu": "1500"}, "kind shaper needs one of rate_cap, frame_rate_cap"),
        ({"kind": "link", "both": A, "to_server": A}, "to_server: both already gives the times"),
        ({"kind": "link", "out": A}, "out: needs side, the end whose host it is seen from"),
        ({"kind": "link", "in": A}, "in: needs side, the end whose host it is seen from"),
        (
            {"kind": "link", "side": "client", "to_client": A},
            "to_client: is for a stage without side; with a side, write out or in",
        ),
        (
            {"kind": "hypervisor-cpu", "delay": "1 µs", "incomplete": ["out"]},
            "out: needs side",
        ),
        ({"kind": "link", "delay": "1 µs", "relative": True}, "relative: needs one of out, in,"),
        *(
            (
                {"kind": "link", "both": A, "relative": True, key: text},
                f"{key}: is absolute, but the stage relative; give it a stage of its own",
            )
            for key, text in {
                "rate_cap": "1 Gbit/s",
                "frame_rate_cap": "5 1/s",
                "line_rate": "1 Gbit/s",
                "delay": "1 µs",
            }.items()
        ),
        ({"kind": "link", "delay": "1 µs", "stack": "ipx"}, "unknown layer 'ipx'"),
        ({"kind": "link", "delay": "1 µs", "counted_layer": 3}, "counted_layer"),
    ],
)
def test_parts_of_a_stage_that_do_not_fit(parts: dict[str, object], problem: str) -> None:
    assert problem in problem_of(PathStage, name="made", **parts)


@pytest.mark.parametrize("key", ["mtu", "rate_cap", "frame_rate_cap", "line_rate", "delay"])
def test_a_link_may_have_a_limit_alone(key: str) -> None:
    limit = "1500" if key == "mtu" else KEYS[key]
    assert getattr(stage(kind="link", **{key: limit}), key) is not None


TRAITS = {
    # CPU, shared by both directions, bound to a flow, serial, layer whose bytes count
    "application-cpu": (True, True, False, True, 4),
    "protocol-cpu": (True, True, False, True, 4),
    "receive-queue-cpu": (True, True, True, False, 4),
    "hypervisor-cpu": (True, True, False, False, 4),
    "virtual-switch": (True, True, False, False, 4),
    "shared-ethernet-adapter": (True, True, False, False, 4),
    "trunk": (False, False, False, False, 1),
    "adapter": (False, False, False, False, 4),
    "bus": (False, False, False, False, 4),
    "link": (False, False, False, False, 1),
    "switch": (False, False, False, False, 1),
    "link-aggregation": (False, False, True, False, 1),
    "shaper": (False, False, False, False, 2),
    "fibre": (False, False, False, False, 4),
}
"""A connection is one thread of its application; a queue belongs to one CPU; a port of a link
aggregation to a flow. Links count wire bytes, shapers frames, as Linux tbf does."""


@pytest.mark.parametrize("kind", StageKind)
def test_what_a_kind_of_stage_implies(kind: StageKind) -> None:
    of = KIND_TRAITS[kind]
    flags = (of.is_cpu, of.shares_directions, of.spreads_flows, of.is_serial, of.counted_layer)
    assert flags == TRAITS[kind.value]
    limit = {"rate_cap": "1 Gbit/s"} if kind is StageKind.SHAPER else {"delay": "1 µs"}
    made = stage(kind=kind, **limit)
    assert made.traits is of
    assert (made.shares_directions, made.is_serial, made.layer) == (flags[1], flags[3], flags[4])


def test_a_stage_may_differ_from_its_kind() -> None:
    thread = stage(kind="application-cpu", both=A, shared_engine=False, serial=False)
    assert (thread.shares_directions, thread.is_serial) == (False, False)
    queue = stage(kind="hypervisor-cpu", both=A, serial=True, counted_layer=2)
    assert (queue.is_serial, queue.layer) == (True, 2)
    wire = stage(kind="link", both=A, counted_layer=1, stack="ethernet/ipv4/tcp")
    assert wire.layer == 1
    assert wire.header_stack is not None
    assert stage(kind="link", both=A).header_stack is None


def test_the_factor_of_relative_times_is_that_of_the_pool() -> None:
    assert stage(kind="hypervisor-cpu", both=A).factor_name is None
    assert stage(kind="hypervisor-cpu", both=A, relative=True).factor_name == "made"
    pooled = stage(kind="hypervisor-cpu", both=A, relative=True, pool="cpus")
    assert pooled.factor_name == "cpus"


def test_what_leaves_the_client_goes_to_the_server() -> None:
    for side, keys in (("client", ("out", "in")), ("server", ("in", "out"))):
        made = stage(kind="adapter", side=side, **dict(zip(keys, (A, B), strict=True)))
        assert (str(made.times_to_server), str(made.times_to_client)) == (
            "1 µs per frame",
            "2 µs per frame",
        )
        alone = stage(kind="adapter", side=side, **{keys[0]: A})
        assert alone.times_to_client is None
    between = stage(kind="adapter", to_server=A, to_client=B)
    assert (str(between.times_to_server), str(between.times_to_client)) == (
        "1 µs per frame",
        "2 µs per frame",
    )
    both = stage(kind="adapter", side="client", both=B)
    assert both.times_to_server is both.times_to_client is both.both
    assert str(stage(kind="adapter", side="server", both=B).times_to_server) == "2 µs per frame"


@pytest.mark.parametrize(
    ("side", "left_out", "to_server", "to_client"),
    [
        ("client", "out", False, True),
        ("client", "in", True, False),
        ("server", "out", True, False),
        ("server", "in", False, True),
        (None, "to_server", False, True),
        (None, "to_client", True, False),
    ],
)
def test_a_direction_may_be_incomplete(
    side: str | None, left_out: str, to_server: bool, to_client: bool
) -> None:
    made = stage(kind="hypervisor-cpu", side=side, both=A, incomplete=[left_out])
    assert (made.is_complete("to_server"), made.is_complete("to_client")) == (to_server, to_client)
    whole = stage(kind="hypervisor-cpu", side=side, both=A)
    assert whole.is_complete("to_server")
    assert whole.is_complete("to_client")


def test_a_stage_says_what_and_where_it_is() -> None:
    assert str(stage(kind="link", both=A)) == "made (link)"
    relative = stage(kind="adapter", side="server", both=A, relative=True)
    assert str(relative) == "made (adapter, server, times up to a factor)"
