"""Options on a distance between two sites, as a user types them."""

import pytest
from invocation import printed, printed_json, refusal

import netmodel
from netmodel.path import transport_times
from netmodel.transport import (
    propagation_round_trip_s,
)

LINE = "ethernet-25gbe"
STREAM = (
    *("predict", "--sender", LINE, "--receiver", LINE, "--mtu", "1500"),
    *("--workload", "str-writex30k", "--connections", "1"),
)


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("given", ["35", "35000 m"])
def test_a_distance_is_in_km_or_has_a_unit(given: str) -> None:
    (row,) = printed_json(*STREAM, "--km", given)
    assert row["distance"]["distance_km"] == 35
    # handbook 6.1: 4.897 µs/km
    assert row["distance"]["round_trip_s"] == pytest.approx(2 * 35 * 4.897e-6, rel=1e-4)


def test_lists_give_a_case_each() -> None:
    rows = printed_json(*STREAM, "--km", "10,20,30,40", "--window", "256KiB,512KiB,1MiB")
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
        (("--km", "1", "--protocol", "smc-r", "--transport", "tcp"), "leave out --transport"),
        (("--protocol", "smc-r", "--stack", "ethernet/ipv4/tcp"), "leave out --stack"),
    ],
)
def test_what_cannot_be_is_refused(options: tuple[str, ...], message: str) -> None:
    assert message in words(refusal(*STREAM, *options))


COMPARE = ("compare", "--protocol", "smc-r", "--workload", "smc-rr-1k")


def test_a_protocol_is_compared_with_tcp_over_a_distance() -> None:
    text = words(printed(*COMPARE, "--km", "10"))
    assert text.startswith(
        "smc-r against tcp (smc-rr-1k, 10 km): transaction time up to 47 % lower"
    )


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
