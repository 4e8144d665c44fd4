"""What was found as a record: predictions from it span what the calibration predicts."""

import math
from dataclasses import replace
from pathlib import Path as File

import pytest
from paths import STREAM, ends
from printed_limits import osa7s_streams

from netmodel.calibration import Fit, Observed, Point, adapter_model, calibrate, host_cost_model
from netmodel.calibration.named_models import curve_model
from netmodel.calibration.records import adapter_document, host_document
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, DomainError
from netmodel.estimates import Estimate
from netmodel.path import SpecifiedPath, Traffic, predict_path
from netmodel.records import Adapter, Host, adapter, write_record
from netmodel.records.values import Relation

BOTH_WAYS = adapter_model(dict.fromkeys(("in", "out"), 25e9), by="direction")


def seen_at(mtu_bytes: int, rate_gbps: float) -> Observed:
    return Observed(
        quantity="throughput_bps",
        at={"mtu_bytes": mtu_bytes, "direction": "in", "write_bytes": 30720},
        low=(rate_gbps - 0.005) * 1e9,
        high=(rate_gbps + 0.005) * 1e9,
        value=rate_gbps * 1e9,
        is_published=True,
    )


SCATTERED = [
    seen_at(mtu_bytes, rate_gbps)
    for mtu_bytes, rate_gbps in ((1500, 13.4), (2000, 15.51), (3000, 18.05), (4000, 19.92))
]
INBOUND = adapter_model({"in": 25e9}, by="direction")


def inbound(file: File, document: dict[str, object], mtu_bytes: int) -> Estimate:
    """What a path predicts whose receiver is the adapter that was written."""
    card = write_record(file, document, "adapters")
    assert isinstance(card, Adapter)
    path = SpecifiedPath(adapter("roce-express2.1-25gbe"), card).path()
    return Estimate(*map(float, ends(predict_path(path, STREAM, mtu_bytes).throughput_bps)))


@pytest.mark.parametrize("mtu_bytes", [1500, 2500, 5000, 9000])
def test_a_fit_is_spanned_by_its_record_within_a_per_cent(tmp_path: File, mtu_bytes: int) -> None:
    result = calibrate(SCATTERED, INBOUND)
    assert isinstance(result, Fit)
    wanted = result.predict(Point("throughput_bps", {**SCATTERED[0].at, "mtu_bytes": mtu_bytes}))
    got = inbound(tmp_path / "my.toml", adapter_document(result, 25e9, "mine", "lab"), mtu_bytes)
    assert got == pytest.approx(wanted, rel=0.01)
    assert got.value == pytest.approx(wanted.value, rel=1e-9)
    assert got.high - got.low == pytest.approx(wanted.high - wanted.low, rel=0.02)


def test_each_direction_of_a_joint_fit_is_spanned_as_well(tmp_path: File) -> None:
    outward = [
        replace(each, at={**each.at, "direction": "out"}, low=1.2 * each.low, high=1.2 * each.high)
        for each in SCATTERED
    ]
    result = calibrate([*SCATTERED, *outward], BOTH_WAYS)
    assert isinstance(result, Fit)
    wanted = result.predict(Point("throughput_bps", {**SCATTERED[0].at, "mtu_bytes": 2500}))
    got = inbound(tmp_path / "my.toml", adapter_document(result, 25e9, "mine", "lab"), 2500)
    assert got.high - got.low == pytest.approx(wanted.high - wanted.low, rel=0.02)
    assert got.value == pytest.approx(wanted.value)


@pytest.mark.parametrize("mtu_bytes", [1500, 2500, 4000, 9000])
def test_a_set_is_spanned_exactly_by_its_record(tmp_path: File, mtu_bytes: int) -> None:
    """One figure within its rounding, and the line hides the other."""
    result = calibrate([seen_at(1500, 13.4), seen_at(4000, 21.0)], INBOUND)
    at = {**SCATTERED[0].at, "mtu_bytes": mtu_bytes}
    wanted = result.predict(Point("throughput_bps", at))
    got = inbound(tmp_path / "my.toml", adapter_document(result, 25e9, "mine", "lab"), mtu_bytes)
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), rel=1e-6)


def test_published_limits_make_a_record_of_both_directions() -> None:
    result = calibrate(osa7s_streams(), BOTH_WAYS)
    document = adapter_document(result, 25e9, "OSA", "slides")
    assert document["title"] == "OSA"
    assert document["defaults"]["grade"] == "fitted"
    assert document["in"]["vertices"] != document["out"]["vertices"]


def test_costs_of_a_host_come_back(tmp_path: File) -> None:
    seen = [
        Observed(
            quantity="cpu_us_per_gbit",
            at={"mtu_bytes": mtu_bytes, "request_bytes": size, "side": "client"},
            low=0.99 * cost,
            high=1.01 * cost,
            is_published=True,
        )
        for mtu_bytes, size, cost in ((1500, 30720, 73828), (9000, 30720, 37207), (1500, 200, 1e6))
    ]
    result = calibrate(seen, host_cost_model())
    record = write_record(tmp_path / "my.toml", host_document(result, "mine", "lab"), "hosts")
    assert isinstance(record, Host)
    card = adapter("ethernet-25gbe")
    path = SpecifiedPath(card, card, client_host=record).path()
    got = predict_path(path, Traffic(30720), 4000).cpu_us_per_gbit[Side.CLIENT]
    at = {"mtu_bytes": 4000, "request_bytes": 30720, "side": "client"}
    wanted = result.predict(Point("cpu_us_per_gbit", at))
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), rel=1e-6)


def test_counts_of_all_observations_are_in_the_record_of_a_host(tmp_path: File) -> None:
    def seen(mtu_bytes: int, messages_per_wakeup: float) -> Observed:
        at = {"mtu_bytes": mtu_bytes, "write_bytes": 65536, "segments_per_packet": 45}
        at |= {"messages_per_wakeup": messages_per_wakeup}
        cost = 4e6 / mtu_bytes + 9e3 / messages_per_wakeup + 20_000
        return Observed(
            quantity="cpu_us_per_gbit",
            at={**at, "side": "server"},
            low=0.999 * cost,
            high=1.001 * cost,
            is_published=True,
        )

    model = host_cost_model([f"received.per_{x}_s" for x in ("wakeup", "frame", "byte")])
    result = calibrate([seen(1500, 1), seen(9000, 1), seen(1500, 4)], model)
    document = host_document(result, "mine", "lab")
    assert document["receive"]["segments_per_packet"] == "45"
    assert "send" not in document
    assert document["unknown"] == [
        "how many CPUs it has",
        "messages_per_wakeup of a load: 1 to 4 in the runs",
    ]
    box = write_record(tmp_path / "my.toml", document, "hosts")
    assert isinstance(box, Host)
    card = adapter("ethernet-25gbe")
    stream = Traffic(65536, waits=False, shares_segments=True)
    path = SpecifiedPath(card, card, server_host=box).path()
    got = predict_path(path, stream, 1500).cpu_us_per_gbit[Side.SERVER]
    most, least = (
        result.predict(Point("cpu_us_per_gbit", seen(1500, count).at)) for count in (1, 4)
    )
    assert (got.low, got.high) == pytest.approx((least.low, most.high), rel=1e-6)


@pytest.mark.parametrize(
    ("rates", "noise_ratio", "problem"),
    [
        ("in 1500 20, in 3000 12, in 9000 6", None, "in.* and in.*: no order .*: repeat runs"),
        ("in 1500 13.4, in 1500 13.5", 0.02, "in.* and in.*: figures at one MTU say nothing"),
        ("in 9000 20.5, out 1500 13.4", 0.02, ".*: figures at one MTU .* measure each direction"),
        ("in 1500 13.4, in 9000 20.5, out 9000 20.5", 0.02, "out.* and out.*: figures at one MTU"),
    ],
)
def test_own_figures_that_do_not_tell_frames_from_bytes_give_no_record(
    rates: str, noise_ratio: float | None, problem: str
) -> None:
    figures = [each.split() for each in rates.split(", ")]
    published = [(way, seen_at(int(mtu), float(rate))) for way, mtu, rate in figures]
    own = [replace(x, at={**x.at, "direction": y}, is_published=False) for y, x in published]
    with pytest.raises(CalibrationError, match=f"no record: {problem}"):
        adapter_document(calibrate(own, noise_ratio=noise_ratio), 25e9, "mine", "lab")


def test_only_adapters_and_hosts_have_records() -> None:
    result = calibrate([seen_at(1500, 13.4)], INBOUND, 0.02)
    with pytest.raises(DomainError, match="only the model of the CPU cost of a host"):
        host_document(result, "mine", "lab")
    undirected = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=1e9, high=2e9)
    with pytest.raises(DomainError, match="needs the condition direction"):
        adapter_document(calibrate([undirected], adapter_model(), 0.02), 25e9, "mine", "lab")
    rate = Observed(
        quantity="transaction_rate_tps",
        at={"connection_count": 1, "direction": "in"},
        low=10,
        high=11,
    )
    with pytest.raises(DomainError, match="only the model of an adapter"):
        adapter_document(calibrate([rate], curve_model("scalability"), 0.02), 25e9, "mine", "lab")


@pytest.mark.parametrize("noise_ratio", [0.01234, None])
def test_the_scatter_of_runs_is_in_the_record(tmp_path: File, noise_ratio: float | None) -> None:
    own = [replace(each, is_published=False) for each in SCATTERED]
    result = calibrate(own, INBOUND, noise_ratio)
    assert isinstance(result, Fit)
    document = adapter_document(result, 25e9, "mine", "lab")
    assert document["scatter"] == f"{100 * (result.scatter_ratio or 0):.3g} %"
    card = write_record(tmp_path / "my.toml", document, "adapters")
    assert isinstance(card, Adapter)
    assert card.scatter_ratio == pytest.approx(result.scatter_ratio, rel=5e-3)
    assert card.scatter.grade.value == "fitted"


def test_a_record_of_a_set_with_noise_spans_it(tmp_path: File) -> None:
    alone = replace(SCATTERED[0], is_published=False)
    full = replace(alone, at={**alone.at, "mtu_bytes": 9000}, low=20e9, high=math.inf, value=None)
    full = replace(full, relation=Relation.AT_LEAST)
    result = calibrate([alone, full], INBOUND, 0.02)
    wanted = result.predict(Point("throughput_bps", SCATTERED[0].at))
    got = inbound(tmp_path / "my.toml", adapter_document(result, 25e9, "mine", "lab"), 1500)
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), rel=1e-6)
