"""Laws of our formulas, a second opinion on them, and a run that has to fill the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlay import overlay_rate_bps, required_line_rate_bps

import netmodel
from netmodel.ceilings import line_ceiling, payload_rate_bps
from netmodel.framing import parse_stack
from netmodel.records import data_path
from netmodel.testing import (
    assert_bounded,
    assert_inverse,
    assert_monotone,
    assert_refuses,
    assert_same_for_arrays,
    assert_scales,
    line_rates,
    mtus,
)

STACK = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")
DRAWN = {"line_rate_bps": line_rates(), "mtu_bytes": mtus()}


def test_the_overlay_costs_some_of_what_the_line_carries():
    assert_bounded(overlay_rate_bps, above=0, below=payload_rate_bps, **DRAWN)


def test_larger_packets_carry_more():
    assert_monotone(overlay_rate_bps, in_="mtu_bytes", direction="strictly increasing", **DRAWN)


def test_twice_the_line_carries_twice_as_much():
    assert_scales(overlay_rate_bps, by="line_rate_bps", **DRAWN)


def test_the_required_line_carries_the_rate():
    assert_inverse(overlay_rate_bps, required_line_rate_bps, of="line_rate_bps", **DRAWN)


def test_arrays_give_what_numbers_give():
    assert_same_for_arrays(overlay_rate_bps, **DRAWN)


def test_no_line_is_refused():
    assert_refuses(
        overlay_rate_bps,
        naming="line_rate_bps",
        line_rate_bps=st.floats(max_value=0),
        mtu_bytes=mtus(),
    )


@given(line_rates(), mtus())
def test_netmodel_counts_the_same_bytes(line_rate_bps, mtu_bytes):
    ceiling = line_ceiling(line_rate_bps, mtu_bytes, STACK)
    expected = pytest.approx(ceiling.payload_rate_bps, rel=1e-12)
    assert overlay_rate_bps(line_rate_bps, mtu_bytes) == expected


def test_the_last_run_filled_the_line():
    run = data_path("examples", "iperf3", "line-200m-mtu1500.json")
    (verdict,) = netmodel.check(run, line_rate_bps="200 Mbit/s", mtu_bytes=1500)
    assert verdict.passes
    assert verdict.goodput_bps > overlay_rate_bps(200e6, 1450)
