"""The sentence of a plan, recomputed by hand from published rates."""

import math
from dataclasses import replace
from typing import Any

import pytest
from planning.made import BOUNDS

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.path import SpecifiedPath
from netmodel.planning import Corner, Headroom, Plan, Spreading, parse_flow, plan
from netmodel.records import adapter

OSA = "osa-express7s-25gbe"
IN_GBPS = 13.4
"""Published: into an OSA-Express7S at MTU 1500."""


def planned(*texts: str, card: str = OSA, mtu_bytes: float = 1500, **options: Any) -> Plan:
    count = options.pop("connection_count", None)
    between = SpecifiedPath(adapter(card), adapter(card), distance=options.pop("distance", None))
    return plan([parse_flow(text, count) for text in texts], between, mtu_bytes, **options)


def test_the_example_of_the_handbook() -> None:
    """18 / 13.4 / 0.7 = 1.9: two adapters, and three with one that may fail."""
    result = planned("18 Gbit/s in")
    assert result.answer == (
        f"No: one {OSA} carries at most 13.4 Gbit/s in at MTU 1500; you need 2, or 3 to survive "
        f"one failure at 70 % use.{BOUNDS}"
    )
    assert result.holds
    assert result.count_without_spares is not None
    assert result.count_without_spares.value == math.ceil(18 / IN_GBPS / 0.7)
    one = result.to_dict()["one_adapter"]
    assert one["value"] == pytest.approx(IN_GBPS * 1e9)
    assert one["low"] < one["value"] < one["high"]
    assert (one["bound"], one["side"], one["direction"]) == ("upper", "server", "in")
    assert result.to_dict()["answer"] == result.answer
    assert str(result).startswith(result.answer)


@pytest.mark.parametrize(
    ("text", "options", "answer"),
    [
        # 5 < 0.7 * 13.4
        ("5 Gbit/s in", {}, "Yes: ..; one is enough, or 2 to survive one failure at 70 % use."),
        ("5 Gbit/s in", {"headroom": Headroom(0.7, 0)}, "Yes: ..; one is enough at 70 % use."),
        # 0.7 * 13.4 = 9.38 < 12 < 13.4
        (
            "12 Gbit/s in",
            {},
            "No: .., 9.38 at 70 % use; you need 2, or 3 to survive one failure.",
        ),
        (
            "18 Gbit/s in",
            {"headroom": Headroom(1.0, 2)},
            "No: ..; you need 2, or 4 to survive two failures at full use.",
        ),
        # 18 / 13.4 / 0.9 = 1.5, and one that may fail
        (
            "18 Gbit/s in",
            {"headroom": Headroom(0.7, 1, 0.9)},
            "No: ..; you need 2 at 70 % use, or 3 to survive one failure at 90 % use.",
        ),
        # 40 / 13.4 / 0.5 = 5.97; after a failure 40 / 13.4 / 5 = 0.6
        (
            "40 Gbit/s in",
            {"headroom": Headroom(0.5, 1, 1.0)},
            "No: ..; you need 6 at 50 % use, also after one failure at full use.",
        ),
    ],
)
def test_counts_are_those_with_and_without_spares(
    text: str, options: dict[str, Any], answer: str
) -> None:
    one = f"one {OSA} carries at most 13.4 Gbit/s in at MTU 1500"
    assert planned(text, **options).answer == answer.replace("..", one, 1) + BOUNDS


@pytest.mark.parametrize(
    ("available", "spare_count", "answer"),
    [
        # 0.7 * 13.4 = 9.38 with one of them left
        (2, 1, "No: 2 .. carry at most 26.8 Gbit/s in at MTU 1500, 9.38 after one failure at 70 %"),
        (1, 1, "No: one .. carries at most 13.4 Gbit/s in at MTU 1500, 9.38 at 70 % use; you need"),
        (3, 1, "Yes: 3 .. carry at most 40.2 Gbit/s in at MTU 1500; you need 2, or 3 to survive"),
        (3, 5, "No: 3 .. carry at most 40.2 Gbit/s in at MTU 1500, and none is left after 5 fail"),
        (2, 0, "Yes: 2 .. carry at most 26.8 Gbit/s in at MTU 1500; you need 2 at 70 % use."),
    ],
)
def test_those_available_are_enough_or_not(available: int, spare_count: int, answer: str) -> None:
    headroom = Headroom(0.7, spare_count)
    result = planned("18 Gbit/s in", headroom=headroom, adapters_available=available)
    assert result.answer.startswith(answer.replace("..", OSA))
    assert result.holds is answer.startswith("Yes")
    assert result.chosen_count == 2 + spare_count
    lack = (f"{2 + spare_count} adapters are needed at the server, and {available} available",)
    assert result.shortfalls == (() if result.holds else lack)
    assert result.adapters_available == available


@pytest.mark.parametrize("available", [0, -1, 1.5])
def test_fewer_than_one_available_are_refused(available: float) -> None:
    with pytest.raises(DomainError, match="adapters_available"):
        planned("18 Gbit/s in", adapters_available=available)


def test_a_demand_near_what_one_carries_has_more_digits() -> None:
    """13.36 is above 13.35, the least that is printed as 13.4."""
    headroom = Headroom(1.0, 0)
    near = planned("13.36 Gbit/s in", headroom=headroom).answer
    assert "at most 13.4 Gbit/s in at MTU 1500 (planned with 13.35, the least" in near
    kind = planned("13.36 Gbit/s in", headroom=headroom, corner=Corner.VALUE)
    assert kind.answer.startswith("Yes: one")


def test_one_connection_is_named() -> None:
    result = planned("40 Gbit/s in", connection_count=1, spreading=Spreading.HASHED)
    assert result.answer == (
        "No: no number of adapters is enough over 1 connection: one of them has more of the load "
        f"than it may carry at 70 % use. One {OSA} carries at most 13.4 Gbit/s in at MTU 1500."
    )


@pytest.mark.parametrize("mtu_bytes", [576, 1500, 4000, 9000])
@pytest.mark.parametrize("sender", Side)
@pytest.mark.parametrize("card", [OSA, "roce-express2.1-25gbe", "ethernet-25gbe"])
def test_what_one_carries_needs_one_and_more_needs_two(
    card: str, sender: Side, mtu_bytes: int
) -> None:
    """The sentence and the count agree: the share that may be used of what one carries fits."""
    headroom, share = Headroom(0.6, 0), 0.6
    one = planned(f"1 Gbit/s from {sender.value}", card=card, mtu_bytes=mtu_bytes).one_adapter
    assert one is not None
    rate_bps = one.payload_rate_bps.low * share
    for ratio, count in ((1 - 1e-9, 1), (1 + 1e-9, 2), (2 - 1e-9, 2), (2 + 1e-9, 3)):
        text = f"{rate_bps * ratio!r} bit/s from {sender.value}"
        result = planned(text, card=card, mtu_bytes=mtu_bytes, headroom=headroom)
        assert result.chosen_count == count
        assert result.answer.startswith("Yes" if count == 1 else "No")


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_full_frames_are_those_of_large_writes(mtu_bytes: int) -> None:
    """Writes that share segments fill frames whatever their size: the same load of adapters."""
    alone = planned("18 Gbit/s in", mtu_bytes=mtu_bytes)
    writes = planned("18 Gbit/s str-writex30k", mtu_bytes=mtu_bytes, physics_only=True)
    uses = [
        {stage.name: stage.use_ratio and stage.use_ratio.value for stage in each.stages}
        for each in (alone, writes)
    ]
    assert uses[0] == pytest.approx(uses[1])
    (flow,) = alone.flows
    assert flow.traffic.payload_bytes == mtu_bytes - 52
    assert alone.notes[0] == (
        f"no workload given: full frames from the client, {mtu_bytes - 52:,} byte of payload each "
        f"at MTU {mtu_bytes}"
    )


def test_a_cost_per_transaction_needs_a_workload() -> None:
    from netmodel.consumption._cost import CpuCost

    path = SpecifiedPath(adapter(OSA), adapter(OSA))
    costed = replace(path, server_cost=CpuCost("35 µs/transaction", s_per_transaction=35e-6))
    with pytest.raises(ContradictionError, match="the server cost is per transaction, and full"):
        plan([parse_flow("18 Gbit/s in")], costed, 1500)
    assert plan([parse_flow("18 Gbit/s str-writex30k")], costed, 1500).pools
