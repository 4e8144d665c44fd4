"""What is drawn: in its range, accepted by the library, and simple where a test fails."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import netmodel
from netmodel import testing
from netmodel.calibration import Observed
from netmodel.ceilings import line_ceiling, payload_rate_bps
from netmodel.concurrency import scalability_rate_tps
from netmodel.errors import DomainError
from netmodel.framing import parse_stack
from netmodel.judging import Outcome, SpecifiedLine, check
from netmodel.path import Path, Traffic
from netmodel.records import Adapter

FEW = settings(max_examples=20)
SEEK = settings(
    max_examples=200, database=None, derandomize=True, phases=(Phase.generate, Phase.shrink)
)
"""As a failing test shrinks, without the search for an explanation, which draws again."""


def simplest(strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool]) -> Any:
    return find(strategy, condition, settings=SEEK)


def anything(value: object) -> bool:
    return True


# What a failing test shows


@pytest.mark.parametrize(
    ("strategy", "condition", "expected"),
    [
        (testing.line_rates(), anything, 10e9),
        (testing.line_rates(), lambda rate_bps: rate_bps > 10e9, 25e9),
        (testing.line_rates(max_value=5e9), anything, 5e9),
        (testing.line_rates(30e9, 39e9), anything, 30e9),
        (testing.line_rates(1.5, 2.5), anything, 2.0),
        (testing.mtus(), anything, 1500),
        (testing.mtus(max_value=1499), anything, 1499),
        (testing.mtus(1501, 8000), anything, 1501),
        (testing.stacks(), lambda stack: "ipv6" in stack.protocols, "ethernet/ipv6/tcp"),
        (testing.stacks(), lambda stack: "udp" in stack.protocols, "ethernet/ipv4/udp"),
        (testing.composed_stacks(), anything, "ethernet/ipv4/tcp"),
        (
            testing.composed_stacks(),
            lambda stack: {"vxlan", "tcp"} <= set(stack.protocols),
            "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp",
        ),
        (testing.invalid_line_rates(), anything, 0),
        (testing.invalid_mtus(), anything, 0),
    ],
)
def test_the_simplest_case_is_plain(
    strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool], expected: object
) -> None:
    drawn = simplest(strategy, condition)
    assert (str(drawn) if isinstance(expected, str) else drawn) == expected


def test_a_full_packet_shrinks_to_mtu_1500_or_the_smallest_that_breaks() -> None:
    assert simplest(testing.full_packets(), anything) == (parse_stack("ipv4/tcp"), 1500)
    stack, mtu_bytes = simplest(
        testing.full_packets(), lambda packet: packet[0].payload_bytes(packet[1]) > 8000
    )
    assert stack.payload_bytes(mtu_bytes) == 8001


def test_a_workload_shrinks_to_one_connection_and_the_size_that_breaks() -> None:
    assert simplest(testing.workloads(), anything) == Traffic(1, 1, 1)
    found = simplest(testing.workloads(), lambda traffic: traffic.request_bytes > 1448)
    assert (found.request_bytes, found.connection_count) == (1449, 1)


def test_an_adapter_shrinks_to_10_gbits_and_a_tenth_of_a_limit() -> None:
    assert simplest(testing.adapters(), anything).line_rate_bps == 10e9
    limited = simplest(testing.adapters(), lambda adapter: bool(adapter.observations))
    assert [float(seen.rate_bps) for seen in limited.observations] == [100e6]


def test_a_path_shrinks_to_one_stage_of_a_microsecond() -> None:
    case = simplest(testing.path_cases(), anything)
    (stage,) = case.path.stages
    assert (stage.to_server.named, case.mtu_bytes) == ((("per_message_s", 1e-6),), 1500)
    longer = simplest(testing.paths(), lambda path: len(path.stages) > 1)
    assert [len(each.to_server.named) for each in longer.stages] == [1, 1]


def test_a_run_shrinks_to_one_full_tcp_stream() -> None:
    run = simplest(testing.measurements(), anything)
    assert (run.protocol, run.ip_version, run.stream_count) == ("tcp", 4, 1)
    ceiling_bps = payload_rate_bps(10e9, 1500)
    assert run.goodput_bps == pytest.approx(ceiling_bps, rel=1e-9)
    assert simplest(testing.impossible_measurements(), anything).goodput_bps > 1.1 * ceiling_bps


def test_a_series_shrinks_to_all_figures_without_noise() -> None:
    drawn = testing.series(lambda n: 100.0 * n, noise_ratio=0.1, gap_count=3)
    figures = simplest(drawn, anything)
    assert [figure.value for figure in figures] == [100, 200, 400, 800, 1600, 3200, 6400]


# What the library takes


@given(testing.line_rates(), testing.mtus(), testing.stacks())
@FEW
def test_every_stack_runs_over_every_mtu(line_rate_bps: float, mtu_bytes: int, stack: Any) -> None:
    assert type(line_rate_bps) is float
    assert type(mtu_bytes) is int
    ceiling = line_ceiling(line_rate_bps, mtu_bytes, stack)
    assert 0 < ceiling.payload_rate_bps < line_rate_bps


@given(st.data(), st.floats(1, 1e12), st.floats(1, 1e12))
@FEW
def test_line_rates_stay_in_their_range(data: st.DataObject, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert low <= data.draw(testing.line_rates(low, high)) <= high


@given(st.data(), st.integers(68, 65535), st.integers(68, 65535))
@FEW
def test_mtus_stay_in_their_range(data: st.DataObject, first: int, second: int) -> None:
    low, high = sorted((first, second))
    assert low <= data.draw(testing.mtus(low, high)) <= high


@given(testing.adapters(), testing.adapters())
@FEW
def test_adapters_make_a_path(client: Adapter, server: Adapter) -> None:
    predicted = netmodel.predict(
        sender=client, receiver=server, workload="str-writex30k", mtu_bytes=1500
    )
    slower_bps = min(client.line_rate_bps, server.line_rate_bps)
    assert 0 < predicted.throughput_bps.value < slower_bps


@given(testing.workloads())
@FEW
def test_workloads_are_predicted(traffic: Traffic) -> None:
    predicted = netmodel.predict(
        sender="ethernet-10gbe", receiver="ethernet-10gbe", workload=traffic, mtu_bytes=1500
    )
    assert 0 < predicted.throughput_bps.value < 2 * 10e9


@given(st.data(), testing.line_rates(1e9), testing.mtus())
@FEW
def test_runs_are_possible_or_not_as_they_are_named(
    data: st.DataObject, line_rate_bps: float, mtu_bytes: int
) -> None:
    line = SpecifiedLine(line_rate_bps, mtu_bytes=mtu_bytes)
    possible = check(data.draw(testing.measurements(line_rate_bps, mtu_bytes)), line)
    assert possible.outcome is not Outcome.IMPOSSIBLE, possible
    impossible = check(data.draw(testing.impossible_measurements(line_rate_bps, mtu_bytes)), line)
    assert impossible.outcome is Outcome.IMPOSSIBLE, impossible


def usl(count: float) -> float:
    return scalability_rate_tps(count, 1000, 0.05, 1e-4)


@given(testing.series(usl, significant_digits=3, gap_count=2))
@FEW
def test_the_rounding_of_a_series_holds_the_model(figures: tuple[Observed, ...]) -> None:
    assert 5 <= len(figures) <= 7
    for figure in figures:
        true = usl(figure.at["connection_count"])
        assert figure.low <= true <= figure.high
        assert (figure.high - figure.low) / true == pytest.approx(0.01, rel=0.91)


@given(testing.series(usl, noise_ratio=0.02))
@FEW
def test_the_noise_of_a_series_is_bounded(figures: tuple[Observed, ...]) -> None:
    for figure in figures:
        assert figure.low == figure.high
        assert figure.value == pytest.approx(usl(figure.at["connection_count"]), rel=0.02001)


# What the library refuses


@pytest.mark.parametrize(
    ("function", "error", "arguments"),
    [
        (
            payload_rate_bps,
            DomainError,
            {"line_rate_bps": testing.invalid_line_rates(), "mtu_bytes": testing.mtus()},
        ),
        (
            line_ceiling,
            DomainError,
            {"line_rate_bps": testing.invalid_line_rates(), "mtu_bytes": 1500},
        ),
        (
            line_ceiling,
            DomainError,
            {
                "line_rate_bps": 10e9,
                "mtu_bytes": testing.invalid_mtus(),
                "stack": testing.stacks(),
            },
        ),
        (parse_stack, DomainError, {"text": testing.invalid_stacks()}),
        (
            lambda fields: Traffic(**fields),
            DomainError,
            {"fields": testing.invalid_workloads()},
        ),
        (lambda fields: Path(**fields), DomainError, {"fields": testing.invalid_paths()}),
        (
            lambda fields: Adapter(**fields),
            ValidationError,
            {"fields": testing.invalid_adapters()},
        ),
        (
            check,
            DomainError,
            {
                "measurement": testing.invalid_measurements(),
                "line": SpecifiedLine(10e9, mtu_bytes=1500),
            },
        ),
        (lambda fields: Observed(**fields), DomainError, {"fields": testing.invalid_series()}),
    ],
    ids=["rates", "lines", "mtus", "stacks", "workloads", "paths", "adapters", "runs", "series"],
)
def test_what_is_invalid_is_refused_with_the_documented_error(
    function: Callable[..., Any], error: type[Exception], arguments: dict[str, Any]
) -> None:
    testing.assert_refuses(function, error=error, **arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: testing.line_rates(0, 1e9), "above 0 bit/s; got 0 and 1000000000.0"),
        (lambda: testing.line_rates(2e9, 1e9), "in order"),
        (lambda: testing.line_rates(1e9, math.inf), "in order"),
        (lambda: testing.mtus(67), "above 67 byte and at most 65535 byte; got 67 and 9216"),
        (lambda: testing.mtus(1500, 65536), "at most 65535"),
        (lambda: testing.line_rates("10 Gbit/s"), "min_value must be one number; got '10 Gbit/s'"),
        (lambda: testing.line_rates(max_value=None), "max_value must be one number; got None"),
        (lambda: testing.mtus(1500.5), "min_value must be a whole number; got 1500.5"),
        (lambda: testing.measurements(max_ratio="1"), "max_ratio must be one number"),
        (lambda: testing.series(usl, noise_ratio="2 %"), "noise_ratio must be one number"),
        (lambda: testing.series(usl, gap_count=0.5), "gap_count must be a whole number"),
        (lambda: testing.series(usl, gap_count=-1), "two figures at least"),
        (lambda: testing.series(usl, significant_digits=2.5), "must be a whole number"),
        (lambda: testing.measurements(min_ratio=0), "0 < min_ratio"),
        (lambda: testing.measurements(max_ratio=1.01), "max_ratio <= 1"),
        (lambda: testing.measurements(-1), "line_rate_bps must be above 0"),
        (lambda: testing.impossible_measurements(1e9, 60), "mtu_bytes must be at least"),
        (lambda: testing.series(usl, at=(1, 2), gap_count=1), "two figures at least"),
        (lambda: testing.series(usl, noise_ratio=1), "noise_ratio must be at least 0 and below 1"),
        (lambda: testing.series(usl, significant_digits=0), "significant_digits must be at least"),
    ],
)
def test_a_strategy_of_nothing_is_refused_when_it_is_made(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        make()
