"""Frames that one core forwards: published rates, and what paths make of them."""

import pytest

import netmodel
from netmodel.records import catalog, dataset

FRAMES = {"request_bytes": 18, "transport": "udp", "mtu_bytes": 1500, "line_rate_bps": 100e9}
"""Datagrams that fill frames of 64 byte."""


@pytest.mark.parametrize(
    ("name", "highest_fps", "lowest_fps"),
    [  # of one core, and of each of six, as printed; of DPDK with its tolerance of 1 million; of
        # threads of the receive benchmark with 64 to 256 byte, where each is more than 80 % busy
        ("linux-one-route", 1739672, 9285971 / 6),
        ("linux-full-table", 1373550, 6451024 / 5),
        ("xdp-one-route", 5357696, 22852944 / 6),
        ("xdp-redirect", 8665664, 29828924 / 6),
        ("dpdk-connectx-5", 56.651e6 + 1e6, 40.104e6 - 1e6),
        ("one-thread", 34801351.30, 32851417.51),
        ("two-threads", 62871097.34, 57365464.13),
        ("four-threads", 87810988.34, 67629257.17),
    ],
)
def test_a_core_forwards_what_was_measured(
    name: str, highest_fps: float, lowest_fps: float
) -> None:
    does = "receive-connectx-5" if "thread" in name else "forwarding"
    found = netmodel.predict(path=f"{does}-{name}", **FRAMES).throughput_bps
    assert found.value == pytest.approx(highest_fps * 18 * 8, rel=1e-6)
    assert found.low == pytest.approx(lowest_fps * 18 * 8, rel=1e-6)


def test_sums_over_several_ports_are_no_times_of_a_core() -> None:
    """A port of 40 Gbit/s carries at most 59.5 million frames of 64 byte, one of 10 14.88."""
    rows = dataset("dpdk-single-core").tables["forwarding"]
    for card in ("82599", "XL710", "XXV710"):
        line_fps = rows.where(card=card).numbers("line_rate_gbps") * 1e9 / 8 / (64 + 20)
        assert (rows.where(card=card).numbers("frame_rate_mfps") * 1e6 > line_fps).any()
    paths = [name for name in catalog()["paths"] if name.startswith("forwarding-dpdk")]
    assert paths == ["forwarding-dpdk-connectx-4-lx", "forwarding-dpdk-connectx-5"]
