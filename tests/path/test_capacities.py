"""Capacities as stages of a path: the conversions of a line's ceiling, flows, and laws."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import netmodel
from netmodel.ceilings import ByteLayer, Capacity, line_ceiling
from netmodel.errors import DomainError, NetmodelError

RATES = st.floats(1e8, 1e11)
CAPACITIES = st.builds(
    Capacity,
    RATES,
    layer=st.sampled_from([None, *ByteLayer]),
    direction=st.sampled_from([None, "out", "in", "both"]),
    scope=st.sampled_from(["machine", "adapter", "flow"]),
)


@pytest.mark.parametrize("mtu_bytes", [1500, 9001])
@pytest.mark.parametrize(
    "text", ["5Gbit/s wire", "5Gbit/s frame", "5Gbit/s tc", "5Gbit/s ip", "1Mpps"]
)
def test_full_frames_have_the_payload_rate_of_the_conversion(text: str, mtu_bytes: int) -> None:
    rate = netmodel.predict(capacity=text, mtu_bytes=mtu_bytes).throughput_bps
    counted = line_ceiling(1e9, mtu_bytes).counted_bytes()
    (expected_bps,) = Capacity.parse(text).payload_rates_bps(*counted).values()
    assert rate.value == pytest.approx(expected_bps, rel=1e-12)
    assert rate.bound.value == "upper"
    ceiling = netmodel.ceiling(capacity=text, mtu_bytes=mtu_bytes)
    assert ceiling.payload_rate_bps == pytest.approx(expected_bps, rel=1e-12)


def test_each_connection_has_a_capacity_per_flow() -> None:
    for count, total_bps in ((1, 5e9), (8, 40e9)):
        found = netmodel.predict(
            capacity="5Gbit/s payload per flow",
            adapter="ethernet-100gbe",
            mtu_bytes=9001,
            connections=count,
        )
        assert found.throughput_bps.value == pytest.approx(total_bps)
        assert found.binding == "capacity 5Gbit/s payload per flow to server"
        assert f"with {count} connections each has at most 5 Gbit/s" in " ".join(found.notes)
        assert found.to_dict()["connection_throughput_bps"]["value"] == pytest.approx(5e9)
    unknown = netmodel.predict(
        capacity="5Gbit/s per flow", adapter="ethernet-10gbe", mtu_bytes=1500
    )
    lack = "limits nothing without connections=..."
    assert unknown.notes[0] == f"capacity 5Gbit/s per flow: {lack}"
    assert lack not in " ".join(found.notes)
    of_instance = {"adapter": "aws:m5.large", "mtu_bytes": 9001, "connections": 1}
    for text, rate_bps in (("8Gbit/s payload per flow", 8e9), ("8Gbit/s payload", 5e9)):
        found = netmodel.predict(capacity=text, **of_instance)
        assert found.throughput_bps.value == pytest.approx(rate_bps), "5 of a flow are recorded"
    with pytest.raises(DomainError, match=lack):
        netmodel.predict(capacity="5Gbit/s per flow", mtu_bytes=1500)


def test_what_is_assumed_of_a_capacity_is_said() -> None:
    text = "10Gbit/s for 30GB then 2.5Gbit/s"
    notes = " ".join(netmodel.predict(capacity=text, mtu_bytes=1500).notes)
    assert "taken as payload, as its layer is not given" in notes
    copied = netmodel.predict(capacity=f"{text} payload", mtu_bytes=1500, volume_bytes="41.25 GB")
    assert copied.throughput_bps.value == pytest.approx(5.5e9)  # 330 Gbit in a minute


def test_a_bucket_counts_the_bytes_of_its_layer_of_each_flow_or_direction() -> None:
    """30 GB of packets in 24 s; 100 GB of payload in packets of 9001 byte are 100.581 GB."""

    def copy_s(capacity: str, **more: int) -> float:
        case = {"mtu_bytes": 9001, "volume_bytes": "100 GB", **more}
        return float(netmodel.predict(capacity=capacity, **case).copy_time_s.value)  # type: ignore[union-attr]

    packets_s = 24 + (100e9 * 9001 / 8949 - 30e9) * 8 / 2.5e9
    assert copy_s("10Gbit/s for 30GB then 2.5Gbit/s ip") == pytest.approx(packets_s)
    text = "1Gbit/s for 10GB then 0.1Gbit/s payload"
    both = {"request_bytes": 1000, "response_bytes": 1000}
    assert copy_s(f"{text} both", **both) == pytest.approx(80 + 190e9 * 8 / 1e8)
    assert copy_s(f"{text} per flow", connections=2) == pytest.approx(80 + 40e9 * 8 / 1e8)


def test_an_upper_bound_holds_in_a_burst_and_a_plan_counts_on_none() -> None:
    """EC2 documents 0.75 Gbit/s of IP packets, up to 10 for a while, and 5 of a flow."""
    both = ("throughput_bps", "lasting_throughput_bps")
    found = netmodel.sweep(adapter="aws:m5.large", quantities=both, mtu_bytes=[9001], connections=1)
    assert found.throughput_bps.item() == pytest.approx(5e9)
    assert found.lasting_throughput_bps.item() == pytest.approx(0.75e9 * 8949 / 9001)
    for text, count in ((None, 1), ("1Gbit/s payload", 0)):
        notes = netmodel.predict(adapter="aws:c5n.18xlarge", mtu_bytes=9001, capacity=text).notes
        assert sum("; give it as a capacity there" in note for note in notes) == count
    (plan,) = netmodel.plan("5 Gbit/s", adapters="aws:m5.large", spares=0, mtu_bytes=9001)
    assert plan.chosen_count == 10  # of 0.522 Gbit/s each, at 70 %


@given(CAPACITIES, CAPACITIES, st.integers(1, 64), st.sampled_from([1500, 9001]))
def test_a_capacity_never_raises_a_bound_and_flows_never_lower_it(one, other, count, mtu) -> None:
    def rate_bps(connections: int, *capacities: Capacity) -> float:
        found = netmodel.predict(
            capacity=capacities, adapter="ethernet-25gbe", mtu_bytes=mtu, connections=connections
        )
        return float(found.throughput_bps.value)

    alone, both = rate_bps(count, one), rate_bps(count, one, other)
    assert both <= alone <= rate_bps(count)
    assert both <= rate_bps(count + 1, one, other) * (1 + 1e-12)


def test_a_plan_counts_adapters_by_a_capacity_of_each() -> None:
    """18 Gbit/s at 70 % of 9.94: three, and a spare; a machine of 5 Gbit/s has not enough."""
    ends = {"adapters": "ethernet-25gbe", "mtu_bytes": 9001}
    (plan,) = netmodel.plan("18 Gbit/s in", capacity="10Gbit/s ip per adapter", **ends)
    assert plan.chosen_count == 4
    for text in ("5Gbit/s ip", "30Gbit/s for 1TB then 5Gbit/s ip"):
        (plan,) = netmodel.plan("18 Gbit/s in", capacity=text, **ends)
        assert not plan.holds


def test_a_sweep_takes_capacities() -> None:
    found = netmodel.sweep(capacity=["1Gbit/s payload", "2Gbit/s payload"], mtu_bytes=[1500, 9000])
    assert (found.throughput_bps.values / 1e9).round(9).tolist() == [[1, 1], [2, 2]]


def test_the_usual_mtu_is_named_where_another_is_used_or_none_is_given() -> None:
    """MTUs of the documentation of each provider, and of a preset."""
    cases = {
        "aws:c6in.8xlarge": (9001, 1500),
        "gcp:c3-standard-44": (1460, 1500),
        "azure:Standard_D8s_v6": (1500, 1400),
    }
    for name, (usual, other) in cases.items():
        said = f"{name}: usual MTU {usual}"
        assert said in " ".join(netmodel.predict(adapter=name, mtu_bytes=other).notes)
        assert said not in " ".join(netmodel.predict(adapter=name, mtu_bytes=usual).notes)
        with pytest.raises(NetmodelError, match=said):
            netmodel.predict(adapter=name)
    # 50 byte around a packet of 9001: the usual MTU of an interface of 9001 is 8951
    for mtu, exceeds in ((9001, True), (8951, False)):
        case: dict[str, Any] = {"mtu_bytes": mtu, "stack": "calico-vxlan"}
        (plan,) = netmodel.plan("1 Gbit/s", adapters="aws:m5.large", **case)
        for notes in (netmodel.predict(adapter="aws:m5.large", **case).notes, plan.notes):
            assert ("packets have 9051 byte outside" in notes[0]) is exceeds
    with pytest.raises(NetmodelError, match="calico-vxlan: usual MTU 1450"):
        netmodel.predict(adapter="ethernet-25gbe", stack="calico-vxlan")
