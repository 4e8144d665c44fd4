"""Options on a distance between two sites, as a user types them."""

import pytest
from invocation import printed, printed_json, refusal, words

LINE = "ethernet-25gbe"
STREAM = (
    *("predict", "--sender", LINE, "--receiver", LINE, "--mtu", "1500"),
    *("--workload", "str-writex30k", "--connections", "1"),
)


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
        (("--km", "1", "--window", "2GiB"), "at most 1073725440 byte"),
        (("--window", "256KiB"), "give --km or --rtt"),
        (("--km", "1", "--protocol", "smc-r", "--transport", "tcp"), "leave out --transport"),
    ],
)
def test_what_cannot_be_is_refused(options: tuple[str, ...], message: str) -> None:
    assert message in words(refusal(*STREAM, *options))


PLAN = ("plan", "--flow", "20 Gbit/s str-writex30k", "--adapter", LINE, "--mtu", "9000")


def test_a_plan_says_which_window_a_distance_needs() -> None:
    text = words(
        printed(*PLAN, "--km", "35", "--window", "256KiB", "--connections", "2", exit_code=1)
    )
    limit = "windows of 2 connections allow at most 12.2 Gbit/s of str-writex30k"
    assert text.startswith(f"No: {limit}. ")
    # 20 Gbit/s x 2 x 35 km x 4.897 µs/km / 8 = 857 kB in flight, of two
    assert "window" not in words(
        printed(*PLAN, "--km", "35", "--window", "419KiB", "--connections", "2")
    )
