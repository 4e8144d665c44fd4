"""Each rule of a statement by itself: what it comes to, in words too, and what it refuses."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from math import inf
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from made_statements import statement_with
from made_tables import table_of

from netmodel.errors import ParseError
from netmodel.judging._evidence import _interpreter
from netmodel.judging._evidence._amounts import Computed
from netmodel.judging._evidence._interpreter import computed, implied
from netmodel.judging._evidence._predictions import NotComputable, Sources
from netmodel.records import Statement

TABLE = table_of(
    "runs",
    [
        {"load": "a", "mode": "old", "change": "1.0", "name": "x", "cost": "10"},
        {"load": "a", "mode": "new", "change": "-2.0", "name": "y", "cost": "7"},
        {"load": "b", "mode": "old", "change": "4.0", "name": "x", "cost": "20"},
        {"load": "b", "mode": "new", "change": "", "name": "x", "cost": "25"},
    ],
    units={"change": "%", "cost": "ms"},
)
"""Changes to one decimal and times in whole milliseconds."""


def made(rule: object, **fields: Any) -> Statement:
    """A statement of one number without a unit, unless it says otherwise."""
    usual = {"quantity": "item_count", "subject": {}, "value": 1, "unit": "1", "computed": rule}
    return statement_with(usual, **fields)


@pytest.fixture(autouse=True)
def own_sources() -> Iterator[None]:
    """Other statements and a table that the rules name."""
    others = {
        each.id: each
        for each in (
            made(None, id="size", quantity="message_size", value=Decimal("2.0"), unit="Kb"),
            made(None, id="size-again", quantity="message_size", value=Decimal("2.0"), unit="Kb"),
            made(None, id="size-other", quantity="message_size", value=Decimal("2.1"), unit="Kb"),
            made(
                None,
                id="less",
                quantity="latency",
                value=20,
                unit="%",
                change="less",
                subject={"setting": "new", "mtu_bytes": 9000},
                baseline={"setting": "old"},
            ),
            made(
                None,
                id="span",
                quantity="latency",
                relation="range",
                value=None,
                low=3,
                high=5,
                unit="ms",
            ),
            made(
                None,
                id="words",
                quantity="latency",
                relation="sign",
                value=None,
                unit=None,
                change="less",
                subject={"setting": "new"},
                baseline={"setting": "old"},
            ),
        )
    }
    dataset = SimpleNamespace(tables={"runs": TABLE})
    with (
        patch.object(_interpreter, "statement", others.__getitem__),
        patch.object(_interpreter, "statement_file", lambda _: "mine.toml"),
        patch.object(_interpreter, "dataset", lambda _: dataset),
    ):
        yield


def result(rule: object, **fields: Any) -> Computed:
    return computed(made(rule, **fields), Sources())


def arithmetic(operation: str, *of: object) -> dict[str, object]:
    return {"rule": "arithmetic", "operation": operation, "of": of}


def span(low: object, high: object, **more: object) -> dict[str, object]:
    return {"rule": "range", "low": low, "high": high, **more}


def figure(**fields: object) -> dict[str, object]:
    return {"rule": "figure", **fields}


MTU = {"quantity": "mtu", "unit": "byte", "value": 9000}
BYTES = {"quantity": "buffer_size", "unit": "byte"}
TIME = {"quantity": "latency", "unit": "s"}
POINTS = {"quantity": "cpu_utilisation", "unit": "points"}


# Arithmetic


@pytest.mark.parametrize(
    ("rule", "fields", "ends", "how"),
    [
        (arithmetic("add", "1 KiB", "24 byte"), BYTES, (1048, 1048), "1 KiB plus 24 byte"),
        (arithmetic("subtract", 10, 3, 2), {}, (5, 5), "10 minus 3 minus 2"),
        (arithmetic("subtract", "40 %", "10 %"), POINTS, (30, 30), "40 % minus 10 %"),
        (arithmetic("multiply", "64 KiB", 2), BYTES, (131072, 131072), "64 KiB times 2"),
        (arithmetic("divide", "10 Gbit/s", "2.5 Gbit/s"), {}, (4, 4), "10 Gbit/s over 2.5 Gbit/s"),
        (arithmetic("divide", "8 byte", 2, 2), BYTES, (2, 2), "8 byte over 2 over 2"),
        (arithmetic("subtract", span(2, 3), span(4, 5)), {}, (-3, -1), "2 to 3 minus 4 to 5"),
        (arithmetic("multiply", span(2, 3), span(4, 5)), {}, (8, 15), "2 to 3 times 4 to 5"),
        (arithmetic("divide", span(2, 3), span(4, 5)), {}, (0.4, 0.75), "2 to 3 over 4 to 5"),
        (
            {"rule": "ratio", "of": span(2, 3), "over": span(4, 5)},
            *({}, (0.4, 0.75), "2 to 3 over 4 to 5"),
        ),
        (span(1, None), {}, (1, inf), "1 or more"),
        (span("1 ms", "1 ms"), TIME, (1e-3, 1e-3), "1 ms"),
        (span(1, 2) | {"because": "by hand"}, {}, (1, 2), "1 to 2; by hand"),
    ],
    ids=str,
)
def test_numbers_with_units_are_combined_from_end_to_end(
    rule: dict[str, object], fields: dict[str, Any], ends: tuple[float, float], how: str
) -> None:
    found = result({key: each for key, each in rule.items() if each is not None}, **fields)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.how == how
    assert found.unit == fields.get("unit", "1")
    assert not found.every
    assert (found.inputs, found.cells, found.taken_by) == ((), (), "")


def test_an_end_that_is_not_reached_is_printed_and_counts_as_less() -> None:
    found = result(span(100, 200, reaches_high=False))
    assert (found.low, str(found)) == (100, "100 to 200")
    assert 199.99 < found.high < 200


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (arithmetic("add", "1 s", "1 byte"), "computed: add takes one unit; got s and byte"),
        (arithmetic("multiply", "2 byte", "3 byte"), "computed: multiply of byte and byte has no"),
        (arithmetic("divide", 4, "1 s"), "computed: divide of 1 and s has no unit here"),
        (arithmetic("divide", "8 byte", "2 byte", "2 byte"), "divide of byte and byte and byte"),
        (
            {"rule": "ratio", "of": "1 byte", "over": "1 s"},
            "computed: a ratio takes one unit; got byte and s",
        ),
        (span("1 byte", "1 s"), "computed: a range takes one unit; got byte and s"),
        (span(3, 2), "computed: low must not exceed high; got 3 and 2"),
        (arithmetic("divide", 1, 0), "computed: float division by zero"),
        (arithmetic("add", 1, arithmetic("divide", 1, 0)), "computed.of.1: float division by zero"),
        (arithmetic("add", "1 byte", "1 byte"), "computed: comes to byte, but the statement is in"),
    ],
    ids=str,
)
def test_what_has_no_unit_or_no_value_names_its_place(
    rule: dict[str, object], problem: str
) -> None:
    with pytest.raises(ParseError) as caught:
        result(rule)
    assert str(caught.value).startswith("mine.toml: statements (mine).")
    assert problem in str(caught.value)


# Figures


@pytest.mark.parametrize(
    ("rule", "fields", "ends", "how"),
    [
        # 2.0 Kb are 1.95 to 2.05 KiB
        (
            figure(statement="size", unit="KiB"),
            *(BYTES, (1.95 * 1024, 2.05 * 1024), "message size 2.0 Kb (size), read as KiB"),
        ),
        (
            figure(statement="size", unit="KiB", reading="printed", also=("size-again",)),
            *(BYTES, (2048, 2048), "message size 2.0 Kb (size), read as KiB"),
        ),
        (figure(statement="span"), TIME, (2.5e-3, 5.5e-3), "latency 3 to 5 ms (span)"),
        (
            figure(statement="span", reading="printed"),
            *(TIME, (3e-3, 5e-3), "latency 3 to 5 ms (span)"),
        ),
        # 20 % less are 19.5 to 20.5
        (figure(statement="less"), {}, (0.795, 0.805), "latency 20 % lower (less)"),
        (figure(statement="less", reading="printed"), {}, (0.8, 0.8), "latency 20 % lower (less)"),
        (figure(field="given.count"), {"given": {"count": 3}}, (3, 3), "3"),
        (
            figure(field="given.length_m"),
            *({"given": {"length_m": 3}, "quantity": "distance", "unit": "m"}, (3, 3), "3 m"),
        ),
        (
            figure(field="given.text"),
            *({"given": {"text": "2 KiB"}} | BYTES, (2048, 2048), "2 KiB"),
        ),
        (
            figure(field="given.size", unit="KiB"),
            *({"given": {"size": 4}} | BYTES, (4096, 4096), "4 KiB"),
        ),
        (
            figure(field="subject.distance_km"),
            {"subject": {"distance_km": 2}, "quantity": "distance", "unit": "km"},
            *((2, 2), "2 km"),
        ),
        (
            figure(field="subject.connection_counts"),
            *({"subject": {"connection_counts": (7,)}}, (7, 7), "7"),
        ),
        (
            figure(statement="less", field="subject.mtu_bytes"),
            *(BYTES, (9000, 9000), "9000 byte (less)"),
        ),
    ],
    ids=str,
)  # fmt: skip
def test_a_figure_has_the_ends_of_its_reading(
    rule: dict[str, object], fields: dict[str, Any], ends: tuple[float, float], how: str
) -> None:
    found = result(rule, **fields)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.how == how
    names = [str(rule["statement"])] if "statement" in rule else []
    assert found.inputs == (*names, *rule.get("also", ()))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (figure(statement="words"), "computed: words prints no figure"),
        (figure(statement="mine"), "computed.statement: a statement is not computed from itself"),
        (
            figure(statement="size", also=("size-again", "size-other")),
            "computed.also: size-other prints message size 2.1 Kb, not message size 2.0 Kb",
        ),
        (figure(field="given.count"), "computed.field: mine has no single figure 'given.count'"),
        (figure(field="value.count"), "computed.field: mine has no single figure 'value.count'"),
        (
            figure(field="subject.connection_counts"),
            "computed.field: mine has no single figure 'subject.connection_counts'",
        ),
    ],
    ids=str,
)
def test_a_figure_that_is_none_is_refused(rule: dict[str, object], problem: str) -> None:
    mine = made(rule, subject={"connection_counts": (1, 2)})
    known = _interpreter.statement
    with (
        patch.object(_interpreter, "statement", lambda n: mine if n == "mine" else known(n)),
        pytest.raises(ParseError) as caught,
    ):
        computed(mine, Sources())
    assert str(caught.value) == f"mine.toml: statements (mine).{problem}"


@pytest.mark.parametrize(
    ("rule", "value", "how"),
    [
        ("mask", 75, "one bit for each CPU listed (0 1 3 6), 0x4b or 0b1001011"),
        ("count", 4, "cpus listed: 0 to 6"),
    ],
)
def test_listed_cpus_are_a_mask_or_a_number(rule: str, value: int, how: str) -> None:
    """1 + 2 + 8 + 64."""
    given = {"cpus": (0, 1, 3, 6)}
    found = result({"rule": rule, "of": "given.cpus"}, given=given, quantity="cpu_mask")
    assert (found.low, found.high, found.how) == (value, value, how)


def test_a_list_of_nothing_is_a_mask_of_zero() -> None:
    found = [result({"rule": r, "of": "given.cpus"}, given={"cpus": ()}) for r in ("mask", "count")]
    assert [each.low for each in found] == [0, 0]
    assert found[0].how == "one bit for each CPU listed (none), 0x0 or 0b0"
    assert found[1].how == "cpus listed"


@pytest.mark.parametrize(
    ("of", "problem"),
    [
        ("given.one", "'given.one' is not a list of this statement"),
        ("subject.cpus", "'subject.cpus' is not a list of this statement"),
        ("given.parts", "given.parts are no CPU numbers"),
        ("given.names", "given.names are no CPU numbers"),
    ],
)
def test_only_a_list_of_whole_numbers_is_a_mask(of: str, problem: str) -> None:
    given = {"cpus": (1,), "one": 1, "parts": (1, Decimal("2.5")), "names": ("a",)}
    with pytest.raises(ParseError) as caught:
        result({"rule": "mask", "of": of}, given=given)
    assert str(caught.value) == f"mine.toml: statements (mine).computed.of: {problem}"


@pytest.mark.parametrize(
    ("value", "unit", "ends", "how"),
    [
        # 100 x 64 KiB are 6553600 byte: 6.5536 MB, or 6.25 MiB
        ("6.25", "MB", 6.25, "64 KiB times 100, in MiB"),
        ("6.55", "MB", 6.5536, "64 KiB times 100, in MB"),
        ("6.25", "Mega", 6.25, "64 KiB times 100, in MiB"),
    ],
)
def test_a_unit_with_two_readings_is_the_one_that_comes_nearer(
    value: str, unit: str, ends: float, how: str
) -> None:
    rule = {"rule": "reading", "of": arithmetic("multiply", "64 KiB", 100), "units": ("MB", "MiB")}
    found = result(rule, quantity="buffer_memory", value=Decimal(value), unit=unit)
    assert (found.low, found.high) == pytest.approx((ends, ends))
    assert (found.how, found.unit) == (how, unit)


@pytest.mark.parametrize(
    ("fields", "units", "problem"),
    [
        ({"relation": "range", "low": 1, "high": 2, "value": None}, ("MB",), "no single figure"),
        ({}, ("MB", "s"), "computed.units: byte is not read in s"),
        ({"unit": "ms"}, ("MB",), "computed.units: byte is not read in MB"),
    ],
)
def test_a_reading_takes_a_figure_and_units_of_its_kind(
    fields: dict[str, Any], units: tuple[str, ...], problem: str
) -> None:
    rule = {"rule": "reading", "of": "64 KiB", "units": units}
    with pytest.raises(ParseError, match=problem):
        result(rule, **{"quantity": "buffer_memory", "unit": "MB", **fields})


# Frames, lines and pages


@pytest.mark.parametrize(
    ("part", "headers", "value", "unit"),
    [
        ("payload", None, 1448, "byte"),
        ("overhead", None, 90, "byte"),
        ("frame", None, 1538, "byte"),
        ("fcs", None, 4, "byte"),
        ("payload", "ipv6/tcp", 1440, "byte"),
        ("overhead", "ipv6/tcp", 98, "byte"),
        ("efficiency", None, 1448 / 1538, "1"),
    ],
)
def test_parts_of_a_full_frame_at_mtu_1500(
    part: str, headers: str | None, value: float, unit: str
) -> None:
    """38 around 1500, 20 of IPv4, 40 of IPv6, 20 of TCP and 12 of its time stamps."""
    rule: dict[str, object] = {"rule": "frame", "part": part}
    if headers:
        rule["headers"] = headers
    specified = {"quantity": "payload_size", "unit": unit, "subject": {"mtu_bytes": 1500}}
    found = result(rule, **specified)
    assert (found.low, found.high) == pytest.approx((value, value))
    shown = headers or "ipv4/tcp+timestamps"
    assert found.how == f"{part} of a full frame at MTU 1500 ({shown})"


def test_an_mtu_of_a_rule_goes_before_that_of_the_subject() -> None:
    rule = {"rule": "frame", "part": "payload", "mtu_bytes": 9000}
    assert result(rule, **BYTES, subject={"mtu_bytes": 1500}).low == 8948


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            {"rule": "frame", "part": "payloads", "mtu_bytes": 1500},
            "computed.part: unknown part of a frame 'payloads'; did you mean payload?",
        ),
        (
            {"rule": "frame", "part": "payload", "mtu_bytes": "1500.5 byte"},
            "computed.mtu_bytes: must be a whole number of byte; got 1500.5 byte",
        ),
        (
            {"rule": "frame", "part": "payload", "mtu_bytes": "2 s"},
            "computed.mtu_bytes: must be a whole number of byte; got 2 s",
        ),
        (
            {"rule": "pages", "of": span(1, 2)},
            "computed.of: must be a whole number of byte; got 1 to 2",
        ),
        ({"rule": "pages", "of": 5, "page_bytes": "2 s"}, "computed.page_bytes: must be a whole"),
        ({"rule": "ceiling", "line_rate": "5 s"}, "computed.line_rate: must be a rate; got 5 s"),
    ],
    ids=str,
)
def test_frames_need_parts_and_sizes_that_there_are(rule: dict[str, object], problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        result(rule)
    assert str(caught.value).startswith(f"mine.toml: statements (mine).{problem}")


RATE = {"quantity": "payload_rate", "unit": "Gbit/s"}


@pytest.mark.parametrize(
    ("rule", "subject", "gbps", "how"),
    [
        (
            {},
            {"line_rate": "25 Gbit/s", "mtu_bytes": 1500},
            *(25 * 1448 / 1538, "25 Gbit/s at MTU 1500"),
        ),
        (
            {"line_rate": "10 Gbit/s", "mtu_bytes": 9000},
            {"line_rate": "25 Gbit/s", "mtu_bytes": 1500},
            *(10 * 8948 / 9038, "10 Gbit/s at MTU 9000"),
        ),
        (
            {"headers": "ipv6/tcp"},
            {"line_rate": "25 Gbit/s", "mtu_bytes": 1500},
            *(25 * 1440 / 1538, "25 Gbit/s at MTU 1500"),
        ),
    ],
)  # fmt: skip
def test_headers_leave_a_payload_rate_of_a_line(
    rule: dict[str, object], subject: dict[str, object], gbps: float, how: str
) -> None:
    found = result({"rule": "ceiling", **rule}, **RATE, subject=subject)
    assert (found.low, found.high) == pytest.approx((gbps, gbps))
    assert found.how == f"payload ceiling of a line of {how}"


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ({"mtu_bytes": 1500}, "names no line rate, of which headers leave a payload rate"),
        ({"line_rate": "1 Gbit/s"}, "names no MTU, which decides what a line carries"),
    ],
)
def test_a_line_without_rate_or_mtu_has_no_ceiling(subject: dict[str, object], reason: str) -> None:
    with pytest.raises(NotComputable, match=reason):
        result({"rule": "ceiling"}, **RATE, subject=subject)


@pytest.mark.parametrize(
    ("rule", "value", "how"),
    [
        ({"rule": "frames", "of": "1448 byte"}, 1, "1 frame for 1448 byte at MTU 1500"),
        ({"rule": "frames", "of": "1449 byte"}, 2, "2 frames for 1449 byte at MTU 1500"),
        (
            {"rule": "frames", "of": 30720, "mtu_bytes": 9000},
            *(4, "4 frames for 30720 byte at MTU 9000"),
        ),
        ({"rule": "pages", "of": "4096 byte"}, 1, "pages of 4096 byte for a packet of 4096 byte"),
        ({"rule": "pages", "of": "9000 byte"}, 3, "pages of 4096 byte for a packet of 9000 byte"),
        (
            {"rule": "pages", "of": 9000, "page_bytes": "64 KiB"},
            *(1, "pages of 65536 byte for a packet of 9000 byte"),
        ),
    ],
    ids=str,
)
def test_messages_take_whole_frames_and_packets_whole_pages(
    rule: dict[str, object], value: int, how: str
) -> None:
    found = result(rule, subject={"mtu_bytes": 1500})
    assert (found.low, found.high, found.how) == (value, value, how)


ONE_FRAME = {
    "quantity": "transaction_time",
    "relation": "sign",
    "change": "same",
    "value": None,
    "unit": None,
    "subject": {"workload": "rr1c-200x1000", "mtu_bytes": 9000},
    "baseline": {"mtu_bytes": 1500},
}


def test_messages_of_one_frame_are_the_same_at_both_mtus() -> None:
    found = result({"rule": "one_frame"}, **ONE_FRAME)
    assert (found.low, found.high, found.unit) == (0, 0, "%")
    assert found.how == (
        "request and response of 200 and 1000 byte are one frame each, which carries 1448 byte at "
        "MTU 1500"
    )


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"subject": {"mtu_bytes": 9000}}, "names no workload or no MTU"),
        ({"subject": {"workload": "rr1c-200x1000"}}, "names no workload or no MTU"),
        ({"baseline": {"setting": "old"}}, "compares more than two MTUs"),
        ({"baseline": {"mtu_bytes": 1500, "setting": "old"}}, "compares more than two MTUs"),
        ({"baseline": {"mtu_bytes": 1051}}, "takes more frames at the smaller MTU"),
        (
            {"subject": {"workload": "rr1c-200x30k", "mtu_bytes": 9000}},
            "takes more frames at the smaller MTU",
        ),
        (
            {"subject": {"workload": "str-writex30k", "mtu_bytes": 9000}},
            "takes more frames at the smaller MTU",
        ),
    ],
    ids=str,
)
def test_other_messages_or_changes_need_a_model_of_hosts(
    fields: dict[str, Any], reason: str
) -> None:
    """1000 byte and 52 of headers are one packet from MTU 1052 on."""
    with pytest.raises(NotComputable, match=reason):
        result({"rule": "one_frame"}, **ONE_FRAME | fields)
    narrow = result({"rule": "one_frame"}, **ONE_FRAME | {"baseline": {"mtu_bytes": 1052}})
    assert narrow.how.endswith("which carries 1000 byte at MTU 1052")


HOPS = "a sender with MTU 9000 over hops with 9000 4000"
REPORTS = "hop 2 reports its MTU 4000: the sender reduces its packets"


@pytest.mark.parametrize(
    ("part", "silent", "value", "how"),
    [
        ("path_mtu", False, 4000, f"path MTU of {HOPS}"),
        ("path_mtu", True, 4000, f"path MTU of {HOPS}, which drop larger packets silently"),
        ("packet", False, 4000, f"packets of {HOPS}"),
        ("packet", True, 9000, f"packets of {HOPS}, which drop larger packets silently"),
        ("carried", False, 1, f"full packets of {HOPS}: {REPORTS}"),
        ("needed", False, 9000, f"smallest MTU of the last hop that passes all of {HOPS}"),
    ],
)
def test_full_packets_are_reduced_or_stall_at_the_smallest_hop(
    part: str, silent: bool, value: int, how: str
) -> None:
    rule = {"rule": "path_mtu", "part": part, "sender_mtu_bytes": 9000, "hops": (9000, 4000)}
    specified = {} if part == "carried" else MTU
    found = result(rule | {"silent": silent}, **specified)
    assert (found.low, found.high, found.how) == (value, value, how)


def test_packets_that_a_hop_drops_silently_are_not_carried() -> None:
    rule = {"rule": "path_mtu", "part": "carried", "sender_mtu_bytes": 9000, "hops": (4000,)}
    found = result(rule | {"silent": True})
    assert (found.low, found.high) == (0, 0)
    assert "hop 1, which takes 4000 byte, silently drops packets of 9000" in found.how


def test_an_earlier_hop_that_is_too_small_leaves_no_mtu_of_the_last_one() -> None:
    rule = {"rule": "path_mtu", "part": "needed", "sender_mtu_bytes": 9000, "hops": (4000, 9000)}
    with pytest.raises(ParseError) as caught:
        result(rule, **MTU)
    assert str(caught.value).endswith(
        "computed.hops: no MTU of the last hop lets packets of 9000 byte pass"
    )


# Formulas


def formula(name: str, **arguments: object) -> dict[str, object]:
    return {"rule": "formula", "name": name, "arguments": arguments}


def test_a_formula_has_the_smallest_and_the_largest_of_its_corners() -> None:
    """8 to 16 byte over 2 to 4 s, in bits: 16 to 64 bit/s."""
    rule = formula(
        "transport.window_payload_rate_bps",
        window_bytes=span("8 byte", "16 byte"),
        round_trip_s=span("2 s", "4 s"),
    )
    found = result(rule, quantity="throughput", unit="bit/s")
    assert (found.low, found.high) == (16, 64)
    assert found.how == (
        "window_payload_rate_bps(window_bytes = 8 byte to 16 byte, round_trip_s = 2 s to 4 s)"
    )


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            formula("path.predict_path", x=1),
            "name: unknown package of formulas 'path'; known are ceilings, concurrency",
        ),
        (
            formula("transport.window_payload_rate", window_bytes=1),
            "name: unknown formula 'window_payload_rate'; did you mean window_payload_rate_bps",
        ),
        (formula("transport.math", x=1), "name: unknown formula 'math'"),
        (
            formula("transport.window_payload_rate_bps", window_bytes=1),
            "arguments: window_payload_rate_bps(): missing a required argument: 'round_trip_s'",
        ),
        (
            formula("transport.window_payload_rate_bps", window_bytes="1 s", round_trip_s="1 s"),
            "arguments.window_bytes: must be in byte; got s",
        ),
        (
            formula(
                "transport.window_payload_rate_bps",
                window_bytes="1 byte",
                round_trip_s={"rule": "range", "low": "1 s"},
            ),
            'arguments.round_trip_s: is open at one end; take reading = "printed"',
        ),
        (
            formula("consumption.us_per_gbit_to_gbps_per_core", consumption_us_per_gbit=1),
            "name: us_per_gbit_to_gbps_per_core does not make a single number of a known unit",
        ),
    ],
    ids=str,
)
def test_a_formula_is_refused_with_what_is_wrong(rule: dict[str, object], problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        result(rule, quantity="throughput", unit="bit/s")
    assert str(caught.value).startswith(f"mine.toml: statements (mine).computed.{problem}")


# Predictions

FAST, SLOW, LARGE, STREAM = "ethernet-25gbe", "ethernet-10gbe", "rr1c-200x30k", "str-writex30k"


class Saturated(Sources):
    """Documents print limits of streams with 50 connections, and of no others."""

    @cached_property
    def saturating_counts(self) -> Mapping[str, frozenset[int]]:
        return {STREAM: frozenset({50, 250})}


def over(**subject: Any) -> dict[str, Any]:
    usual = {"adapter": FAST, "workload": STREAM, "mtu_bytes": 1500, "connection_counts": (50,)}
    return {key: each for key, each in (usual | subject).items() if each is not None}


def predicted(rule: dict[str, object] | None = None, **fields: Any) -> Computed:
    specified = RATE | fields
    return computed(made({"rule": "path", **(rule or {})}, **specified), Saturated())


STREAM_GBPS = 25 * 1448 / 1538
PAIR = {"adapter": None, "sender_adapter": SLOW, "receiver_adapter": FAST}


@pytest.mark.parametrize(
    ("rule", "subject", "gbps", "how"),
    [
        ({}, over(), STREAM_GBPS, "23.537 Gbit/s (wire_to_server)"),
        ({}, over(**PAIR), 0.4 * STREAM_GBPS, "9.4148 Gbit/s (wire_to_server)"),
        ({"mtu_bytes": 9000}, over(), 25 * 8948 / 9038, "24.751 Gbit/s (wire_to_server)"),
        (
            {"workload": STREAM},
            over(workload=None),
            *(STREAM_GBPS, "23.537 Gbit/s (wire_to_server)"),
        ),
        (
            {},
            over(adapter=None, line_rate="10 Gbit/s"),
            *(0.4 * STREAM_GBPS, "9.4148 Gbit/s (wire_to_server)"),
        ),
    ],
)
def test_a_rate_over_adapters_or_a_line(
    rule: dict[str, object], subject: dict[str, Any], gbps: float, how: str
) -> None:
    """1448 of 1538 byte of a stream, or 8948 of 9038."""
    found = predicted(rule, subject=subject)
    assert (found.low, found.high) == pytest.approx((gbps, gbps))
    assert found.how == how


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        (over(workload=None), "names no workload or no MTU, so that no case of it can be"),
        (over(mtu_bytes=None), "names no workload or no MTU, so that no case of it can be"),
        (
            over(setting="tuned"),
            "depends on setting, which a prediction between two adapters does not account for",
        ),
        (
            over(connection_counts=(10, 1, 50)),
            "needs service times of hosts: with as few connections as 1 and 10 the hosts may be",
        ),
        (
            over(workload=LARGE),
            f"needs service times of hosts: with {LARGE} the hosts may be the bottleneck",
        ),
        (
            over(adapter=None, sender_adapter=FAST),
            "names one adapter of the two that the path is between",
        ),
        (over(adapter=None), "names neither an adapter nor a line rate"),
        (
            over(adapter="osa-express5s-10gbe"),
            "no service times of osa-express5s-10gbe or osa-express5s-10gbe are known",
        ),
    ],
)
def test_a_prediction_says_what_it_lacks(subject: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotComputable) as caught:
        predicted(subject=subject)
    assert str(caught.value).startswith(reason)


def test_rates_are_compared_with_their_line_and_their_baseline() -> None:
    share = computed(
        made({"rule": "line_share"}, unit="line", subject=over(), quantity="payload_rate"),
        Saturated(),
    )
    assert (share.low, share.high) == (1, 1)
    rate = "23.537 Gbit/s (wire_to_server)"
    assert share.how == f"{rate} of {rate}"
    against = {
        "rule": "ratio",
        "of": {"rule": "path"},
        "over": {"rule": "path", "side": "baseline"},
    }
    factor = {"quantity": "throughput", "change": "factor", "unit": "x", "subject": over()}
    for baseline in ({"adapter": SLOW}, {"line_rate": "10 Gbit/s"}):
        found = computed(made(against, **factor, baseline=baseline), Saturated())
        assert (found.low, found.high) == (2.5, 2.5)
        assert found.how == f"{rate} over 9.4148 Gbit/s (wire_to_server)"
    with pytest.raises(ParseError, match=r"computed\.side: this statement has no baseline"):
        predicted({"side": "baseline"}, subject=over())


# Records and tables


@pytest.mark.parametrize(
    ("kind", "name", "field", "value", "how"),
    [
        ("workload", "rr1c-200x1000", "request_bytes", 200, "request_bytes 200 of rr1c-200x1000"),
        (
            *("workload", "rr1c-200x1000", "connections.counts", 50),
            "connections.counts of rr1c-200x1000, 1 10 50 250",
        ),
    ],
)
def test_a_figure_of_a_record_is_taken_as_it_is(
    kind: str, name: str, field: str, value: int, how: str
) -> None:
    """Of several numbers the one nearest to 40."""
    rule = {"rule": "record", "kind": kind, "id": name, "field": field}
    specified = BYTES if field.endswith("_bytes") else {}
    found = result(rule, value=40, **specified)
    assert (found.low, found.high, found.how) == (value, value, how)
    assert found.taken_by == ""


@pytest.mark.parametrize(
    ("source", "locator", "taken_by"),
    [
        ("adapter", "slide 9", "buffers.count_default of osa-express7s-25gbe"),
        ("adapter", "slide 10", ""),
        ("kvm", "slide 9", ""),
    ],
)
def test_a_record_that_cites_the_same_place_is_taken_from_it(
    source: str, locator: str, taken_by: str
) -> None:
    card = {"kind": "adapter", "id": "osa-express7s-25gbe", "field": "buffers.count_default"}
    found = result({"rule": "record", **card}, source=source, locator=locator)
    assert (found.low, found.high, found.taken_by) == (64, 64, taken_by)
    assert found.how == "buffers.count_default of osa-express7s-25gbe, 64 (adapter)"


def test_a_field_without_a_figure_is_refused() -> None:
    rule = {"rule": "record", "kind": "workload", "id": "rr1c-200x1000", "field": "title"}
    with pytest.raises(ParseError) as caught:
        result(rule)
    assert str(caught.value) == (
        "mine.toml: statements (mine).computed.field: workload rr1c-200x1000 has no figure 'title'"
    )


def cells(column: str = "change", **more: object) -> dict[str, object]:
    return {
        "rule": "cells",
        "dataset": "own",
        "table": "runs",
        "column": column,
        "where": {},
        **more,
    }


GAIN = {"unit": "%", "quantity": "throughput", "subject": {"setting": "new"}}
GAIN |= {"baseline": {"setting": "old"}, "change": "more"}


@pytest.mark.parametrize(
    ("rule", "fields", "ends", "how"),
    [
        (cells(), GAIN, (-2, 4), "3 runs of own ()"),
        (cells(where={"load": "a"}), GAIN, (-2, 1), "2 runs of own (load a)"),
        (
            cells(where={"load": "a", "mode": ("old", "none")}),
            *(GAIN, (1, 1), "a cell of runs of own (load a, mode old none)"),
        ),
        (cells(gain="less"), GAIN, (-4, 2), "3 runs of own ()"),
        (cells("cost"), {"quantity": "latency", "unit": "ms"}, (7, 25), "4 runs of own ()"),
        # 7 less 10, and 25 less 20
        (
            cells("cost", where={"mode": "new"}, minus={"mode": "old"}, keys=("load",)),
            {"quantity": "latency", "unit": "ms"},
            *((-3, 5), "2 runs of own (mode new, less mode old)"),
        ),
        # -2.0 less 1.0; the other has no figure
        (
            cells(where={"mode": "new"}, minus={"mode": "old"}, keys=("load",)),
            {"quantity": "cpu_utilisation", "unit": "points"},
            *((-3, -3), "a cell of runs of own (mode new, less mode old)"),
        ),
    ],
    ids=str,
)
def test_cells_have_the_smallest_and_the_largest_figure(
    rule: dict[str, object], fields: dict[str, Any], ends: tuple[float, float], how: str
) -> None:
    found = result(rule, **fields)
    assert (found.low, found.high) == pytest.approx(ends)
    assert (found.how, found.cells) == (how, (how,))
    assert found.every is not (rule.get("minus") is not None and ends[0] == ends[1])


@pytest.mark.parametrize(
    ("change", "gain", "ends"),
    [("more", "more", (-1.95, 3.95)), ("more", "less", (-3.95, 1.95))],
)
def test_rounding_of_cells_goes_in_favour_of_a_word(
    change: str, gain: str, ends: tuple[float, float]
) -> None:
    """-2.0 may be -1.95, and 4.0 3.95."""
    words = GAIN | {"relation": "sign", "value": None, "unit": None, "change": change}
    found = result(cells(gain=gain), **words)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.how == "3 runs of own (), each within its rounding"
    assert str(found) == "-2 to 4 %"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (cells("name"), "computed: column name of runs is text and has no numbers"),
        (cells(where={"load": "c"}), "computed.where: no cell of own/runs has load c"),
        (cells() | {"table": "run"}, "computed.table: unknown table 'run'; did you mean runs?"),
        (
            cells("cost", where={"mode": "new"}, minus={"mode": "odd"}, keys=("load",)),
            "computed.minus: no cell has mode odd and the same load",
        ),
        (
            cells("cost", minus={"mode": "old"}, keys=("load",)),
            "computed.keys: are the same in several rows; add columns",
        ),
    ],
    ids=str,
)
def test_cells_that_there_are_not_are_refused(rule: dict[str, object], problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        result(rule, quantity="latency", unit="ms")
    assert str(caught.value) == f"mine.toml: statements (mine).{problem}"


@pytest.mark.parametrize(
    ("where", "count", "listed"),
    [({}, 2, "x, y"), ({"mode": "old"}, 1, "x"), ({"load": "a"}, 2, "x, y")],
)
def test_different_cells_of_a_column_are_counted(
    where: dict[str, str], count: int, listed: str
) -> None:
    rule = {"rule": "distinct", "of": "name", "dataset": "own", "table": "runs", "where": where}
    found = result(rule)
    assert (found.low, found.high) == (count, count)
    assert found.how == f"name in runs of own: {listed}"


def test_different_parts_of_the_statements_of_a_document_are_counted() -> None:
    """Of the subjects and of what they are compared with, but for the count itself."""
    configurations = [
        ({"setting": "new", "mtu_bytes": 1500}, None),
        ({"setting": "new", "mtu_bytes": 9000}, {"mtu_bytes": 8192}),
        ({"setting": "old", "mtu_bytes": 576}, None),
        ({"setting": "new"}, None),
    ]
    known = [
        made(
            None,
            id=f"known-{number}",
            subject=subject,
            **({} if other is None else {"baseline": other, "change": "factor", "unit": "x"}),
        )
        for number, (subject, other) in enumerate(configurations)
    ]
    rule = {"rule": "distinct", "of": "mtu_bytes", "where": {"setting": "new"}}
    mine = made(rule, subject={"setting": "new", "mtu_bytes": 4000})
    with patch.object(_interpreter, "statements", lambda _: [*known, mine]):
        found = computed(mine, Sources())
    assert (found.low, found.high) == (3, 3)
    assert found.how == "mtu_bytes in the statements of made: 1500, 9000, 8192"
    none = {"rule": "distinct", "of": "path"}
    with (
        patch.object(_interpreter, "statements", lambda _: known),
        pytest.raises(ParseError, match=r"computed\.of: the statements of made have no path"),
    ):
        result(none)


# Cases


def test_every_combination_of_what_varies_is_a_case() -> None:
    """What all of them have in common counts, and what they span is shown."""
    rule = {
        "rule": "cases",
        "of": ({"rule": "ceiling"},),
        "vary": {"mtu_bytes": (1500, 9000), "line_rate": ("1 Gbit/s", "2 Gbit/s")},
    }
    found = result(rule, **RATE)
    labels = [
        f"MTU {mtu} at line rate {rate}: payload ceiling of a line of {rate} at MTU {mtu}"
        for mtu in (1500, 9000)
        for rate in ("1 Gbit/s", "2 Gbit/s")
    ]
    assert found.how == "; ".join(labels)
    assert (found.low, found.high) == pytest.approx((2 * 8948 / 9038, 1448 / 1538))
    assert str(found) == "0.9415 to 1.98 Gbit/s"


@pytest.mark.parametrize(
    ("fields", "ends"),
    [
        ({"relation": "sign", "value": None, "unit": None, "change": "more"}, (100, 400)),
        ({"relation": "sign", "value": None, "unit": None, "change": "same"}, (200, 300)),
        ({"value": 250, "unit": "%", "change": "more"}, (200, 300)),
    ],
    ids=["more", "the same", "a figure"],
)
def test_a_word_has_to_allow_all_of_the_cases_and_a_figure_what_they_share(
    fields: dict[str, Any], ends: tuple[float, float]
) -> None:
    """Of 2 to 4 times and 3 to 5 times."""
    rule = {"rule": "cases", "of": (span(2, 4), span(3, 5))}
    found = result(rule, **GAIN | fields)
    assert (found.low, found.high) == pytest.approx(ends)
    assert str(found) == "100 to 400 %"


def test_cases_of_cells_span_all_of_them_and_are_named() -> None:
    rule = {
        "rule": "cases",
        "of": (cells(where={"load": "a"}), cells(where={"load": "b"})),
        "names": ("of a", "of b"),
    }
    found = result(rule, **GAIN)
    assert (found.low, found.high, found.every) == (-2, 4, True)
    assert str(found) == "-2 to 1 % of a, 4 to 4 % of b"
    words = GAIN | {"relation": "sign", "value": None, "unit": None}
    loose = result(rule, **words)
    assert (loose.low, loose.high) == pytest.approx((-1.95, 3.95))


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (
            {"rule": "cases", "of": (1, 2), "names": ("one",)},
            "computed.names: must be 2, one for each rule",
        ),
        ({"rule": "cases", "of": (1, "1 s")}, "computed: cases take one unit; got 1 and s"),
        (
            {"rule": "cases", "of": (1, arithmetic("divide", 1, 0))},
            "computed.of.1: float division by zero",
        ),
        (
            {"rule": "cases", "of": (arithmetic("divide", 1, 0),)},
            "computed.of: float division by zero",
        ),
    ],
    ids=str,
)
def test_cases_that_do_not_belong_together_are_refused(
    rule: dict[str, object], problem: str
) -> None:
    with pytest.raises(ParseError) as caught:
        result(rule)
    assert str(caught.value) == f"mine.toml: statements (mine).{problem}"


def test_what_follows_from_a_statement_is_printed_in_three_digits() -> None:
    """64 KiB at 25 Gbit/s take 20.97 us; a range has both ends."""
    follow = [
        {"text": "fills in {}", "unit": "µs", "value": "20.9715 us"},
        {"text": "{} times", "unit": "1", "value": span(2, Decimal("3.14159"))},
    ]
    about = made(None, not_modelled="needs: a model", implies=follow)
    assert implied(about, Sources()) == ["fills in 21 µs", "2 to 3.14 times"]
    wrong = made(None, not_modelled="no", implies=[{"text": "{}", "unit": "s", "value": "1 byte"}])
    with pytest.raises(ParseError) as caught:
        implied(wrong, Sources())
    assert str(caught.value) == (
        "mine.toml: statements (mine).implies.0.unit: the value is in byte, not in s"
    )
