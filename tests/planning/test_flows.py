"""Flows: so much of a workload, as written and as objects."""

from pathlib import Path

import numpy as np
import pytest

from netmodel.consumption import Side
from netmodel.errors import (
    ContradictionError,
    DomainError,
    ParseError,
    UnitError,
    UnknownRecordError,
)
from netmodel.path import Traffic
from netmodel.planning import Flow, parse_flow
from netmodel.planning.flows import workload_flow
from netmodel.records import workload


def test_a_rate_is_that_of_the_side_that_sends_more() -> None:
    flow = parse_flow("10 Gbit/s rr1c-200x30k", connection_count=50)
    assert flow.sender is Side.SERVER
    assert flow.payload_rate_bps == pytest.approx(10e9)
    assert flow.transaction_rate_tps == pytest.approx(10e9 / (8 * 30720))
    assert flow.traffic == Traffic(200, 30720, connection_count=50)


def test_transactions_per_second_need_no_size() -> None:
    flow = parse_flow("1e5/s rr1c-200x1000")
    assert flow.transaction_rate_tps == 100_000
    assert flow.payload_rate_bps == 800e6
    assert parse_flow("100000 /s rr1c-200x1000") == flow


def test_the_other_side_may_send() -> None:
    there, back = (parse_flow(f"1 Gbit/s rr1c-200x30k from {side.value}") for side in Side)
    assert (there.sender, back.sender) == (Side.CLIENT, Side.SERVER)
    assert there.traffic == back.traffic.reversed
    assert there.notes[0].endswith("client and server of rr1c-200x30k change sides")
    assert back == parse_flow("1 Gbit/s rr1c-200x30k")
    assert there == parse_flow("1 Gbit/s from client rr1c-200x30k")
    stream = parse_flow("1G str-writex30k from server").traffic
    assert (stream.request_bytes, stream.response_bytes) == (0, 30720)
    assert stream.shares_segments


def test_a_workload_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'title = "small writes"\nkind = "streaming"\nwriter = "client"\n[write]\nvalue = 4096\n'
        'unit = "byte"\nsource = "me"\nlocator = "here"\ngrade = "assumed"\nnote = "a guess"\n'
    )
    flow = parse_flow(f"1 Gbit/s {file}")
    assert flow.traffic.request_bytes == 4096
    assert flow.notes == ("own: write of 4096 byte is assumed: a guess",)
    file.write_text("title = ")
    with pytest.raises(ParseError, match=r"own\.toml"):
        parse_flow(f"1 Gbit/s {file}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "lots",
        "str-writex30k",
        "25 Gbit/s from",
        "in",
        "25 Gbit/s str-writex30k from nobody",
        "a b c d e f",
    ],
)
def test_another_form_is_shown_the_right_one(text: str) -> None:
    with pytest.raises(UnitError, match="is not a rate and a workload, such as '25 Gbit/s str-"):
        parse_flow(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("25 str-writex30k", "'25': the unit is missing; write a rate like 25 Gbit/s"),
        ("18", "'18': the unit is missing; write a rate like 25 Gbit/s"),
        ("18 in", "'18': the unit is missing; write a rate like 25 Gbit/s"),
        ("18 Gbytes in", "Gbytes is a power of ten to some tools"),
        ("1 GB in", "GB may mean bits or bytes; write 1 Gbit/s or 8 Gbit/s"),
        ("1e5/s", "has transactions without a workload: write '1e5/s rr1c-200x1000'"),
        ("nan Gbit/s", "'nan' is not a finite number"),
        ("30k/s str-writex30k", "transactions; write 30 kbit/s, 240 kbit/s or 30000 /s"),
        ("1.2.3/s str-writex30k", "'1.2.3/s': write numbers with a decimal point"),
        ("0 Gbit/s str-writex30k", "'0 Gbit/s': a volume must be above 0"),
        ("nan/s str-writex30k", "'nan/s' is not a finite number"),
        ("-1 Gbit/s str-writex30k", "negative"),
        ("1e999/s str-writex30k", "beyond the range of numbers"),
        (
            "18 Gbit/s inn",
            "nor a rate alone, such as '18 Gbit/s in' or '5 TB/day out'; did you mean in",
        ),
    ],
)
def test_an_impossible_rate_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnitError, match=message):
        parse_flow(text)


def test_what_cannot_be_is_refused() -> None:
    stream = workload("str-writex30k")
    with pytest.raises(UnknownRecordError, match="unknown workload 'str-writex3k'"):
        parse_flow("1 Gbit/s str-writex3k")
    with pytest.raises(DomainError, match="transaction_rate_tps must be above 0"):
        workload_flow(stream, payload_rate_bps=0)
    for rates in ({}, {"payload_rate_bps": 1e9, "transaction_rate_tps": 1e5}):
        with pytest.raises(ContradictionError, match="give payload_rate_bps or trans"):
            workload_flow(stream, **rates)
    with pytest.raises(DomainError, match="orders has arrays: plan for one traffic after another"):
        Flow(Traffic(np.array([200, 300])), 1e5, "orders")


@pytest.mark.parametrize(
    ("text", "sender"),
    [
        ("18 Gbit/s in", Side.CLIENT),
        ("18 Gbit/s out", Side.SERVER),
        ("18 Gbit/s", Side.CLIENT),
        ("18G", Side.CLIENT),
        ("18 G out", Side.SERVER),
        ("18 Gbit/s from server", Side.SERVER),
        ("18 Gbit/s out from server", Side.SERVER),
        ("18 Gbit/s inbound", Side.CLIENT),
    ],
)
def test_a_rate_alone_is_a_stream_of_full_frames(text: str, sender: Side) -> None:
    """In and out are as seen from the server: in is from the client."""
    flow = parse_flow(text, 4)
    assert (flow.sender, flow.traffic.fills_frames, flow.connection_count) == (sender, True, 4)
    assert flow.payload_rate_bps == pytest.approx(18e9)
    assert (flow.traffic.waits, flow.traffic.shares_segments) == (False, True)
    assert flow.traffic.payload_bytes == 1448
    jumbo = flow.in_frames(8948, 9000)
    assert jumbo.payload_rate_bps == pytest.approx(18e9)
    assert (jumbo.sender, jumbo.traffic.payload_bytes) == (sender, 8948)
    assert jumbo.notes == (
        f"no workload given: full frames from the {sender.value}, 8,948 byte of payload each at "
        "MTU 9000",
    )


@pytest.mark.parametrize(
    ("text", "sender"),
    [
        ("18 Gbit/s str-writex30k in", Side.CLIENT),
        ("18 Gbit/s out str-writex30k", Side.SERVER),
        ("100000/s rr1c-200x30k in", Side.CLIENT),
        ("100000 / s rr1c-200x30k out", Side.SERVER),
    ],
)
def test_a_workload_has_a_direction_too(text: str, sender: Side) -> None:
    flow = parse_flow(text)
    assert (flow.sender, flow.traffic.fills_frames) == (sender, False)
    assert flow.in_frames(8948, 9000) is flow
    assert flow.is_in_transactions is ("/s rr" in text.replace(" /", "/").replace("/ ", "/"))


def test_a_volume_in_a_time_is_its_mean_rate() -> None:
    """5 TB in 86,400 s are 462.96 Mbit/s."""
    for text in ("5 TB/day in", "5TB / d in", "5000 GB/day in"):
        flow = parse_flow(text)
        assert flow.payload_rate_bps == pytest.approx(5e12 * 8 / 86_400)
        assert (
            flow.notes[0].endswith("/day is a mean: busy times need more")
            or "TB/d" in flow.notes[0]
        )
    assert parse_flow("3.6e6/h rr1c-200x1000").transaction_rate_tps == 1000
    with pytest.raises(UnitError, match="unknown"):
        parse_flow("5 TB/week in")


def test_two_directions_contradict_each_other() -> None:
    for text in ("18 Gbit/s in out", "1 Gbit/s str-writex30k in from server"):
        with pytest.raises(ContradictionError, match="'in' is from the client and 'out' from the"):
            parse_flow(text)


def test_a_misspelt_workload_has_those_that_begin_alike() -> None:
    with pytest.raises(UnknownRecordError, match="did you mean str-writex30k"):
        parse_flow("1 Gbit/s str-big")
    with pytest.raises(UnknownRecordError, match="rr1c-200x1000 or rr1c-200x30k"):
        parse_flow("1 Gbit/s rr1c")


def test_a_flow_says_what_it_is() -> None:
    flow = parse_flow("1 Gbit/s str-writex30k", 1)
    assert str(flow) == "str-writex30k from client: 1 Gbit/s, 4,069 /s over 1 connection"
    assert repr(flow).endswith(" transaction_rate_tps=4069.01, name='str-writex30k'>")
    assert {flow, parse_flow("1 Gbit/s str-writex30k", 1)} == {flow}
