"""Options on a distance between two sites, as a user types them."""

from typing import Any

import pytest
from invocation import printed, printed_json, refusal

import netmodel
from netmodel.path import transport_times
from netmodel.transport import (
    propagation_round_trip_s,
    random_loss_event_ratio,
    reno_window_segment_count,
)

LINE = "ethernet-25gbe"
STREAM = (
    *("predict", "--sender", LINE, "--receiver", LINE, "--mtu", "1500"),
    *("--workload", "str-writex30k", "--connections", "1"),
)


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_answer_names_the_window_and_what_the_line_would_carry() -> None:
    text = words(printed(*STREAM, "--km", "35", "--window", "256KiB"))
    assert "at 35 km: one stream is limited by its window of 256 KiB to at most 6.117" in text
    assert "the line would carry 23.54 Gbit/s." in text


FAR_TCP = (
    *("predict", "--workload", "smc-str-20m", "--payload", "20000000", "--protocol", "tcp"),
    *("--km", "100", "--connections", "1", "--adapter", "osa-express5s-10gbe", "--mtu", "1492"),
)


def test_without_a_window_the_answer_gives_the_one_that_the_line_needs() -> None:
    """9.412 Gbit/s x 979.5 µs / 8 are 1,152,320 byte, 1125 KiB: nobody gave as much."""
    text = words(printed(*FAR_TCP))
    assert (
        "at 100 km: no window given: one stream carries at most 9.412 Gbit/s, limited by the "
        "line, with a window of at least 1126 KiB."
    ) in text
    assert "note no window given: 9.412 Gbit/s takes a window of at least 1126 KiB" in text
    (row,) = printed_json(*FAR_TCP)
    assert any(note.startswith("no window given") for note in row["notes"])
    assert printed_json(*FAR_TCP, "--window", "1126KiB")[0]["binding"] == "wire_to_client"
    assert printed_json(*FAR_TCP, "--window", "1125KiB")[0]["binding"] == "window"


@pytest.mark.parametrize("between", [("--km", "10,100"), ("--rtt", "1ms")])
@pytest.mark.parametrize("protocol", ["tcp", "smc-r"])
@pytest.mark.parametrize("connections", ["1", "8"])
def test_no_line_limits_streams_over_a_distance_whose_windows_are_not_given(
    between: tuple[str, str], protocol: str, connections: str
) -> None:
    case = (*STREAM[:-1], connections, *between, "--protocol", protocol)
    text = words(printed(*case))
    assert "no window given" in text.partition("request ")[0]
    assert "limited by the line to" not in text
    for row in printed_json(*case):
        assert any(note.startswith("no window given") for note in row["notes"])
    given = words(printed(*case, "--window", "16MiB"))
    assert "no window given" not in given
    assert "limited by the line to at most" in given


def test_loss_limits_a_stream_to_a_mean() -> None:
    text = words(printed(*STREAM, "--km", "35", "--loss", "1e-4"))
    assert "one stream carries about 4.079 Gbit/s, limited by a loss of 0.01 %, with a" in text
    text = words(printed(*STREAM, "--km", "35", "--loss", "1e-4", "--window", "4MiB", "--draw"))
    assert "one stream is limited by a loss of 0.01 % to about 4.079 Gbit/s" in text
    assert "* loss about 4.079 Gbit/s 100.0 %" in text
    assert "throughput about 4.079 Gbit/s" in text
    assert "loss: mean of CUBIC, independent losses" in text


def test_a_mean_is_no_upper_bound_in_the_answer_for_requests() -> None:
    """CUBIC is as fast as Reno over so short a distance; losses of one window are one event."""
    events = random_loss_event_ratio(0.02, reno_window_segment_count(0.02))
    window_bits = 8 * 1448 * reno_window_segment_count(events)
    rate_bps = window_bits / propagation_round_trip_s(35e3)
    requests = [each.replace("str-writex30k", "rr1c-200x30k") for each in STREAM]
    text = words(printed(*requests, "--km", "35", "--loss", "2e-2"))
    assert f"at 35 km: about {rate_bps / 1e6:.4g} Mbit/s; the bottleneck is loss." in text


def test_smcr_has_its_own_frames_and_loss() -> None:
    (row,) = printed_json(*STREAM, "--km", "35", "--loss", "1e-4", "--protocol", "smc-r")
    assert row["distance"]["protocol"] == "smc-r"
    assert any("go-back-N" in note for note in row["notes"])
    (tcp,) = printed_json(*STREAM, "--km", "35")
    # RDMA packets of 1024 byte carry less than segments of 1448
    assert row["limits"][0]["value_bps"] < tcp["limits"][0]["value_bps"]


@pytest.mark.parametrize("given", ["35", "35000 m"])
def test_a_distance_is_in_km_or_has_a_unit(given: str) -> None:
    (row,) = printed_json(*STREAM, "--km", given)
    assert row["distance"]["distance_km"] == 35
    # handbook 6.1: 4.897 µs/km
    assert row["distance"]["round_trip_s"] == pytest.approx(2 * 35 * 4.897e-6, rel=1e-4)


def test_lists_and_ranges_give_a_case_each() -> None:
    rows = printed_json(*STREAM, "--km", "10,20..40:10", "--window", "256KiB..1MiB:x2")
    cases = [(row["distance"]["distance_km"], row["distance"]["window_bytes"]) for row in rows]
    sizes = (2**18, 2**19, 2**20)
    assert cases == [(km, size) for km in (10, 20, 30, 40) for size in sizes]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--km", "35", "--rtt", "1ms"), "give --km or --rtt, not both"),
        (("--km", "-1"), "must not be negative"),
        (("--km", "1", "--loss", "1"), "must be below 1"),
        (("--km", "1", "--loss", "2"), 'write "2 %"'),
        (("--km", "1", "--window", "0"), "at least 1 byte"),
        (("--km", "1", "--window", "2GiB"), "at most 1073725440 byte"),
        (("--window", "256KiB"), "give --km or --rtt"),
        (("--rtt", "1ms", "--equipment", "1us"), "needs --km"),
        (("--km", "1..10"), "needs a step"),
        (("--km", "1..1000000:1"), "give a larger step"),
        (("--km", "1", "--protocol", "smc-r", "--transport", "tcp"), "leave out --transport"),
        (("--protocol", "smc-r", "--stack", "ethernet/ipv4/tcp"), "leave out --stack"),
    ],
)
def test_what_cannot_be_is_refused(options: tuple[str, ...], message: str) -> None:
    assert message in words(refusal(*STREAM, *options))


COMPARE = ("compare", "--protocol", "smc-r", "--workload", "smc-rr-1k")


def of_quantity(quantity: str, *command: str) -> dict[str, Any]:
    (row,) = [each for each in printed_json(*command) if each["quantity"] == quantity]
    return row


def test_a_protocol_is_compared_with_tcp_over_a_distance() -> None:
    text = words(printed(*COMPARE, "--km", "10"))
    assert text.startswith(
        "smc-r against tcp (smc-rr-1k, 10 km): transaction time up to 47 % lower"
    )


def test_a_distance_between_published_ones_has_a_range() -> None:
    """
    About 17 % less latency with 1 KiB at 50 km, from the published gains at 10 and 100 km.

    16.4 % if the 100 km had no equipment, 18.3 % at most if it added 100 µs.
    """
    row = of_quantity("transaction_time", *COMPARE, "--km", "50")
    assert row["status"] == "modelled"
    assert 1 - row["value"] == pytest.approx(0.17, abs=0.01)
    assert row["low"] < 1 - 0.183 < 1 - 0.164 < row["high"] < 1


def test_a_sweep_over_distances_is_one_table() -> None:
    rows = printed_json(*COMPARE, "--km", "100,10..40:10")
    times = [each for each in rows if each["quantity"] == "transaction_time"]
    assert [each["conditions"]["km"] for each in times] == [100, 10, 20, 30, 40]
    assert [each["status"] for each in times] == ["printed", "printed", *["modelled"] * 3]
    # what is saved falls with the distance
    assert times[2]["value"] < times[3]["value"] < times[4]["value"]
    assert printed(*COMPARE, "--km", "100,10..40:10").count("transaction time") > len(times)


FRAMES = {"tcp": ("osa-express5s-10gbe", 1440, 90), "smc-r": ("roce-express-10gbe", 1024, 94)}
"""Adapter, payload of a full frame at MTU 1492 and 1500, and its headers with the gap."""


def line_time_s(protocol: str, size_bytes: int, connections: int) -> float:
    """What 10 Gbit/s take for a message of each connection, and its CDC message of 154 byte."""
    _, full_bytes, header_bytes = FRAMES[protocol]
    wire_bytes = size_bytes + -(-size_bytes // full_bytes) * header_bytes
    wire_bytes += 154 if protocol == "smc-r" else 0
    return connections * 8 * wire_bytes / 10e9


@pytest.mark.parametrize("km", [0.3, 30])
@pytest.mark.parametrize("connections", [1, 10])
@pytest.mark.parametrize(("workload", "size_bytes"), [("smc-rr-32k", 2**15), ("smc-rr-1k", 2**10)])
def test_no_protocol_exceeds_its_line_over_any_distance(
    km: float, connections: int, workload: str, size_bytes: int
) -> None:
    """
    Neither what is predicted nor what a comparison makes of the other protocol's time.

    32 KiB over 10 connections at 0.3 km were 3.37 times TCP, which is 17 Gbit/s of 10.
    """
    shared = {"workload": workload, "km": km, "connections": connections}
    times_s: dict[str, list[float]] = {}
    for protocol, (adapter, *_) in FRAMES.items():
        mtu = 1492 if protocol == "tcp" else 1500
        one = netmodel.predict(adapter=adapter, mtu_bytes=mtu, protocol=protocol, **shared)
        least_s = line_time_s(protocol, size_bytes, connections)
        rates = [one.throughput_bps, *([one.expected.throughput_bps] if one.expected else [])]
        for rate in rates:
            assert rate.high * least_s <= connections * size_bytes * 8 * (1 + 1e-9)
        known = transport_times().transaction_time_s(
            *(protocol, size_bytes, size_bytes, propagation_round_trip_s(km * 1e3)),
            connection_count=connections,
        )
        times_s[protocol] = [float(known.low), float(known.high)]
        assert known.low >= least_s * (1 - 1e-9)
    (result,) = netmodel.compare(protocol="smc-r", **shared)
    least_s = line_time_s("smc-r", size_bytes, connections)
    for row in result.rows:
        if row.quantity == "transaction_time" and row.low and row.status == "modelled":
            assert row.low * times_s["tcp"][1] >= least_s * 0.999


PLAN = ("plan", "--flow", "20 Gbit/s str-writex30k", "--adapter", LINE, "--mtu", "9000")


def test_a_plan_says_which_window_a_distance_needs() -> None:
    text = words(
        printed(*PLAN, "--km", "35", "--window", "256KiB", "--connections", "2", exit_code=1)
    )
    limit = "windows of 2 connections allow at most 12.2 Gbit/s of str-writex30k"
    assert text.startswith(f"No: {limit}; use a window of 419 KiB, or 4 connections. ")
    # 20 Gbit/s x 2 x 35 km x 4.897 µs/km / 8 = 857 kB in flight, of two
    assert "window" not in words(
        printed(*PLAN, "--km", "35", "--window", "419KiB", "--connections", "2")
    )


def test_a_plan_without_windows_says_what_they_must_hold() -> None:
    (plan,) = printed_json(*PLAN, "--km", "35")
    assert plan["distance"]["distance_km"] == 35
    assert (
        "no window given: 20 Gbit/s of str-writex30k takes windows of at least 837 KiB together"
        in plan["notes"]
    )
    (near,) = printed_json(*PLAN)
    assert near["distance"] is None


@pytest.mark.parametrize(
    ("protocol", "adapter", "low_us", "high_us"),
    [("tcp", "osa-express5s-10gbe", 428, 512), ("smc-r", "roce-express-10gbe", 344, 390)],
)
def test_requests_take_calibrated_times_at_the_ends(
    protocol: str, adapter: str, low_us: float, high_us: float
) -> None:
    """At 10 and 100 km the printed gains give 111 µs and 13 µs at the ends; 343 µs are fibre."""
    case = ("predict", "--sender", adapter, "--receiver", adapter, "--mtu", "1500")
    (row,) = printed_json(*case, "--workload", "smc-rr-1k", "--km", "35", "--protocol", protocol)
    time_s = row["expected"]["transaction_time_s"]
    assert low_us < 1e6 * time_s["low"] < 1e6 * time_s["value"] < 1e6 * time_s["high"] < high_us
    # ten connections, one transaction each
    rate_tps = row["expected"]["transaction_rate_tps"]["value"]
    assert rate_tps == pytest.approx(10 / time_s["value"])


def test_streams_between_published_distances_have_the_figures_on_both_sides() -> None:
    """394 % more at 100 km, up to 150 % at 10 km."""
    stream = ("compare", "--protocol", "smc-r", "--workload", "smc-str-20m", "--connections", "1")
    row = of_quantity("throughput", *stream, "--km", "35")
    assert row["status"] == "not_published"
    assert [(each["conditions"]["km"], each["high"]) for each in row["nearest"][:2]] == [
        ([100], 4.94),
        ([10], 2.5),
    ]


def test_a_published_gain_is_not_applied_to_streams_with_windows_of_their_own() -> None:
    """394 % more at 100 km are over TCP with a window that the document does not print."""
    shared = ("compare", "--workload", "smc-str-20m", "--connections", "1", "--km", "100")
    row = of_quantity("throughput", *shared, "--baseline", "tcp", "--variant", "smc-r")
    assert row["value"] == 4.94
    sides = ("--baseline", "tcp window=4MiB", "--variant", "smc-r window=4MiB")
    row = of_quantity("throughput", *shared, *sides)
    assert row["status"] == "not_published"
    assert row["notes"][0].startswith("4.94 times that of TCP")
    assert "no word of window" in row["notes"][0]


def test_a_variant_with_loss_is_compared_with_a_baseline_without() -> None:
    """By the response of CUBIC: at 35 km, 1 % of loss leaves one stream less than its line."""
    shared = ("--km", "35", "--workload", "str-writex30k", "--connections", "1", "--mtu", "1500")
    sides = ("--baseline", "ethernet-25gbe", "--variant", "ethernet-25gbe loss=1e-2")
    assert words(printed("compare", *shared, *sides)).startswith("loss 0.01 against the default")
