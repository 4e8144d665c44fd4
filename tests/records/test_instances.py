"""Machine types of clouds: rows of tables as adapters, and what they bound."""

import csv
import re
from typing import Any

import pytest

import netmodel
from netmodel.ceilings import Capacity
from netmodel.errors import ParseError, UnknownRecordError
from netmodel.records import adapter, data_path, instances
from netmodel.records.instances import instance, instance_ids
from netmodel.records.lookup import catalog_records


def test_every_type_is_a_record_with_a_capacity_and_its_source() -> None:
    found = [instance(name) for name in instance_ids()]
    assert len(found) == 1350 + 665 + 1131
    for each in found:
        assert Capacity.parse(each.capacities[0].value).rate_bps > 0
        assert {part.source for part in each.parts.values()}


@pytest.mark.parametrize(
    ("name", "capacities"),
    [  # rows of the providers' documents
        ("aws:c6in.8xlarge", ["50Gbit/s ip", "5Gbit/s per flow"]),
        ("aws:m5.large", ["0.75Gbit/s ip sustained", "10Gbit/s ip nominal", "5Gbit/s per flow"]),
        ("azure:Standard_D192s_v6", ["82Gbit/s out"]),
        ("gcp:e2-micro", ["1Gbit/s out"]),
        ("gcp:c3-standard-4", ["23Gbit/s out"]),
        (
            "gcp:c3-standard-44",
            ["32Gbit/s out"],
        ),  # of the source's c3-%, c3-%-4%, c3-%-44% the last
        ("gcp:c3-standard-44+tier_1", ["50Gbit/s out"]),
        ("AZURE:standard_e16s_v5", ["12.5Gbit/s out"]),
    ],
)
def test_a_type_has_the_capacities_of_its_row(name: str, capacities: list[str]) -> None:
    assert [str(each) for each in adapter(name).capacities] == capacities


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("aws:c6in.9xlarge", "did you mean aws:c6in.xlarge"),
        ("gcp:e2-micro+tier_1", "unknown instance"),
        ("gcp:c3-standard-45", "did you mean gcp:c3-standard-4 or"),
        ("azure:standrad_d8s_v5", "did you mean azure:Standard_D8s_v5"),
        ("gcp:n2-*-32", "unknown instance 'gcp:n2-"),
        ("awz:m5.large", "unknown provider of instances 'awz'; did you mean aws"),
    ],
)
def test_an_unknown_type_names_similar_ones(name: str, said: str) -> None:
    with pytest.raises(UnknownRecordError, match=re.escape(said)):
        adapter(name)


def test_of_many_similar_types_the_first_are_named() -> None:
    with pytest.raises(UnknownRecordError, match=r"did you mean aws:a1\.2xlarge") as caught:
        instance("aws:")
    assert len(str(caught.value)) < 500


def test_what_is_not_known_of_a_type_is_said_first() -> None:
    found = netmodel.predict(adapter="aws:m5.large", mtu_bytes=9001, connections=4)
    assert "until its credits are spent, typically 5 to 60 minutes" in found.notes[1]
    assert instance("aws:c6in.8xlarge").unknown == ()  # it has no burst
    assert "limits of its ingress" in instance("gcp:e2-micro").unknown[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [  # 5 Gbit/s below 32 vCPUs, else half; 7 Gbit/s, 25 with Tier_1, and 3 a flow
        ("aws:c5n.2xlarge", "at most 5Gbit/s through an internet or local gateway"),
        ("aws:c6in.8xlarge", "at most 25Gbit/s through"),
        ("aws:m5a.8xlarge", "at most 5Gbit/s through"),  # half of 7.5 is less
        ("aws:t3.large", ""),  # its burst is 5
        ("gcp:c3-standard-44", "at most 7Gbit/s out and 3Gbit/s out per flow to addresses outside"),
        ("gcp:c3-standard-44+tier_1", "at most 25Gbit/s out and 3Gbit/s out per flow to"),
        ("gcp:e2-micro", ""),
        ("azure:Standard_D8s_v6", ""),  # of any destination
    ],
)
def test_what_leaves_the_network_of_a_cloud_has_its_limit_in_a_note(name: str, said: str) -> None:
    case: dict[str, Any] = {"mtu_bytes": 1500, "connections": 8}
    (plan,) = netmodel.plan("1 Gbit/s", adapters=name, **case)
    for notes in (netmodel.predict(adapter=name, **case).notes, plan.notes):
        found = [each for each in notes[:2] if "give it as a capacity" in each]
        assert [each.startswith(f"{name}: {said}") for each in found] == [True] * bool(said)


def test_a_table_without_its_columns_is_refused(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "own.csv").write_text("name,rate\nx,1\n")
    monkeypatch.setattr(instances, "_tables", lambda: {"own": tmp_path / "own.toml"})
    with pytest.raises(ParseError, match="needs the columns type and capacity"):
        instance("own:x")


def test_a_pair_is_bound_by_the_smaller_capacity_and_the_flows() -> None:
    """12.5 Gbit/s of IP packets at MTU 9001, 8,949 byte of TCP payload each; 6.25 after a burst."""
    one, eight = (
        netmodel.predict(
            sender="aws:c6in.8xlarge",
            receiver="aws:r7i.4xlarge",
            mtu_bytes=9001,
            connections=count,
        )
        for count in (1, 8)
    )
    assert one.throughput_bps.value == pytest.approx(5e9)
    assert eight.throughput_bps.value == pytest.approx(12.5e9 * 8949 / 9001)
    assert eight.binding == "server adapter capacity 12.5Gbit/s ip nominal in"
    lasting_bps = pytest.approx(6.25e9 * 8949 / 9001)
    assert eight.to_dict()["throughput_bps"]["lasting"] == lasting_bps
    assert eight.throughput_bps.bound.value == "upper"
    assert "until its credits are spent" in " ".join(eight.notes)


def test_a_capacity_per_flow_that_is_given_replaces_that_of_the_record() -> None:
    found = netmodel.predict(
        adapter="aws:c6in.8xlarge", mtu_bytes=9001, connections=1, capacity="10Gbit/s per flow"
    )
    assert found.throughput_bps.value == pytest.approx(10e9)


def test_egress_does_not_limit_what_is_received() -> None:
    found = netmodel.predict(
        sender="aws:c6in.8xlarge", receiver="azure:Standard_D2s_v6", mtu_bytes=1500
    )
    assert found.binding == "client adapter capacity 50Gbit/s ip out"


def test_a_plan_counts_instances() -> None:
    """100 of 49.7 Gbit/s with both used up to 70 %: three, and a spare."""
    (plan,) = netmodel.plan("100 Gbit/s out", adapters="aws:c6in.8xlarge", mtu_bytes=9001, spares=1)
    assert "4 instances (3 + 1 spare)" in str(plan)
    ends = (("client", "in"), ("server", "out"))
    names = [need.binding.name for need in plan.directions]
    assert names == [f"{end} adapter capacity 50Gbit/s ip {way}" for end, way in ends]


def test_rates_that_tests_offer_bound_no_adapter() -> None:
    """A project offers XL710 24.5 Gbit/s and 18.75 million frames; others measured 36.1 million."""
    (verdict,) = netmodel.check(37e9, adapter="intel-xl710", mtu_bytes=9000)
    assert verdict.outcome is netmodel.checking.Outcome.BELOW
    found = netmodel.predict(
        adapter="intel-xl710", mtu_bytes=1500, request_bytes=18, transport="udp"
    )
    assert found.throughput_bps.value > 36_097_126 * 18 * 8


def test_a_number_of_cpus_is_found_whole() -> None:
    with data_path("catalog", "instances", "aws.csv").open(encoding="utf-8") as file:
        of_eight = [row["type"] for row in csv.DictReader(file) if row["vcpus"] == "8"]
    found = catalog_records("instances", {"provider": "aws", "vcpus": "8"})
    assert [each.id for _, each in found] == [f"aws:{name}" for name in of_eight]
