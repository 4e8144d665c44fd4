"""Header stacks on the command line: --stack, --link-mtu, --list, --payload and frame."""

from collections.abc import Sequence

import pytest
from invocation import contradiction, printed, printed_json, refusal

import netmodel
from netmodel.framing import LAYER_FORMS
from netmodel.records import data_path

VXLAN = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
RUN = str(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
SCENARIO = str(data_path("examples", "scenarios", "order-system.toml"))
LINE = ("ceiling", "--line-rate", "25G")


def test_a_tunnel_is_counted_from_either_mtu() -> None:
    """50 bytes of tunnel: 1398 of 1538 bytes at link MTU 1500, 1448 of 1588 at MTU 1500."""
    outer = printed_json(*LINE, "--link-mtu", "1500", "--stack", VXLAN)
    assert (outer["mtu_bytes"], outer["payload_bytes"], outer["wire_bytes"]) == (1450, 1398, 1538)
    inner = printed_json(*LINE, "--mtu", "1500", "--stack", VXLAN)
    assert (inner["payload_bytes"], inner["wire_bytes"]) == (1448, 1588)
    assert inner["efficiency_ratio"] == pytest.approx(1448 / 1588, rel=1e-15)


PLAN = ("plan", "--flow", "18 Gbit/s in", "--adapter", "osa-express7s-25gbe")


def test_a_plan_is_made_from_either_mtu() -> None:
    """50 bytes of tunnel, as above."""
    outer = ("--link-mtu", "1500", "--link-mtu", "9000")
    plans = printed_json(*PLAN, *outer, "--stack", VXLAN)
    assert sorted(each["mtu_bytes"] for each in plans) == [1450, 8950]
    inner = ("--mtu", "1450", "--mtu", "8950")
    assert plans == printed_json(*PLAN, *inner, "--stack", VXLAN)
    assert printed_json(*PLAN, "--link-mtu", "1500") == printed_json(*PLAN, "--mtu", "1500")
    (from_python,) = netmodel.plan(
        "18 Gbit/s in", adapters="osa-express7s-25gbe", link_mtu_bytes=1500, stack=VXLAN
    )
    assert from_python.mtu_bytes == 1450


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (PLAN, "give --mtu: no stage"),
        ((*PLAN, "--link-mtu", "70000"), "--link-mtu must be at most 65535 byte"),
        ((*PLAN, "--link-mtu", "90", "--stack", VXLAN), "--link-mtu must be at least 118"),
        (("plan", SCENARIO, "--link-mtu", "1500"), "--link-mtu beside a scenario: write it into"),
    ],
)
def test_a_plan_refuses_link_mtus_that_say_nothing(command: Sequence[str], words: str) -> None:
    assert words in refusal(*command)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mtu", "1500", "--link-mtu", "1500"), "not both"),
        ((), "give --mtu or --link-mtu"),
        (("--mtu", "1500", "--stack", VXLAN, "--ip", "4"), "give --stack or --ip, not both"),
        (
            ("--mtu", "1500", "--stack", VXLAN, "--no-timestamps"),
            "give --stack or --timestamps/--no-timestamps, not both",
        ),
        (("--mtu", "1500", "--stack", "ethernet/ipv5/tcp"), "did you mean ipv6 or ipv4?"),
        (("--mtu", "1500", "--stack", "ethernet/ipv4/tcp+sack=4+timestamps"), "fit 40 byte"),
        (("--mtu", "1500", "--stack", "ethernet/tcp"), "must stand directly inside"),
        (("--mtu", "1500", "--stack", "ethernet/ipv4/gre"), "must carry something"),
        (("--link-mtu", "90", "--stack", VXLAN), "--link-mtu must be at least 118"),
        (("--mtu", "65500", "--stack", VXLAN), "outer_packet_bytes must be at most 65535"),
        (("--mtu", "1500", "--payload", "0"), "message_bytes must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(options: Sequence[str], words: str) -> None:
    assert words in refusal(*LINE, *options)


def test_every_layer_is_listed_with_its_bytes() -> None:
    lines = printed("ceiling", "--list").split("\n\n")[1].splitlines()
    names = [line.split()[0] for line in lines[1:] if not line.startswith(" ")]
    assert names == list(LAYER_FORMS)
    assert next(line.split()[1] for line in lines if line.startswith("ipv6")) == "40"
    assert next(line.split()[1:3] for line in lines if line.startswith("esp")) == ["34", "4"]


def test_check_judges_by_a_stack() -> None:
    """A tag more makes the line carry 1448 of 1542 bytes."""
    options = ("--line-rate", "200M", "--mtu", "1500")
    (plain,) = printed_json("check", RUN, *options)
    (tagged,) = printed_json("check", RUN, *options, "--stack", "ethernet/vlan/ipv4/tcp+timestamps")
    assert tagged["ceiling_bps"] == pytest.approx(200e6 * 1448 / 1542, rel=1e-12)
    assert tagged["ratio"] == pytest.approx(plain["ratio"] * 1542 / 1538, rel=1e-12)


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("ethernet/ipv6/tcp", "the specified IP version is 6, but the run used 4"),
        ("ethernet/ipv4/udp", "the specified transport is udp, but the run used tcp"),
    ],
)
def test_check_refuses_a_stack_that_the_run_cannot_have_used(stack: str, words: str) -> None:
    asked = ("check", RUN, "--line-rate", "200M", "--mtu", "1500", "--stack", stack)
    assert words in contradiction(*asked)


ROCE = ("--line-rate", "100Gbit/s", "--stack", "ethernet/ipv4/udp/rocev2")


def test_an_rdma_mtu_stands_in_place_of_that_of_ip_or_beside_it() -> None:
    """4096 of 4178 byte; the MTU of IP alone leaves 2048 of 2130 at 4096."""
    for mtu in ((), ("--mtu", "9000")):
        line = printed_json("ceiling", *ROCE, *mtu, "--rdma-mtu", "4096")
        assert line["payload_rate_bps"] == pytest.approx(100e9 * 4096 / 4178)
    line = printed_json("ceiling", *ROCE, "--mtu", "4096")
    assert line["payload_rate_bps"] == pytest.approx(100e9 * 2048 / 2130)
    assert "IP MTU of 4192" in refusal("ceiling", *ROCE, "--mtu", "1500", "--rdma-mtu", "4096")
