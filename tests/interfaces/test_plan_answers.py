"""Answers of ``netmodel plan`` that agree with each other and with the other commands."""

from typing import Any

import pytest
from invocation import printed, printed_json, words

import netmodel
from netmodel.units import format_rate

ADAPTERS = (
    *("osa-express5s-10gbe", "osa-express6s-10gbe", "osa-express7s-25gbe"),
    *("roce-express2.1-25gbe", "ethernet-100gbe"),
)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
@pytest.mark.parametrize("workload", ["str-writex30k", "rr1c-200x30k"])
def test_at_most_is_the_upper_bound_of_the_prediction(
    adapter: str, mtu_bytes: int, workload: str
) -> None:
    """One word, one meaning, in ``plan`` and ``predict``; less is named where it is planned."""
    case: Any = netmodel.predict(adapter=adapter, workload=workload, mtu_bytes=mtu_bytes)
    bound_bps = float(case.throughput_bps.value)
    (plan,) = netmodel.plan(f"1 Gbit/s {workload}", adapters=adapter, mtu_bytes=mtu_bytes)
    assert plan.one_adapter is not None
    assert plan.one_adapter.payload_rate_bps.value == pytest.approx(bound_bps, rel=1e-9)
    assert f"at most {format_rate(bound_bps, 3)} at MTU {mtu_bytes}" in plan.answer


OSA = "osa-express7s-25gbe"
OUT = ("plan", "--flow", "60 Gbit/s out", "--mtu", "1500")


@pytest.mark.parametrize(("spares", "server", "client"), [(1, 6, 8), (0, 5, 7)])
def test_a_question_about_the_server_counts_adapters_of_the_server(
    spares: int, server: int, client: int
) -> None:
    """60 / 20.5 / 0.7 = 4.2 out of the server; 60 / 13.4 / 0.7 = 6.4 into the client."""
    (row,) = printed_json(*OUT, "--adapter", OSA, "--spares", str(spares))
    assert (row["asked_side"], row["chosen_count"]) == ("server", server)
    counts = {side: counts["value"] for side, counts in row["side_counts"].items()}
    assert counts == {"server": server, "client": client}
    assert row["binding"] == "server_adapter_out"
    shown = words(printed(*OUT, "--adapter", OSA, "--spares", str(spares)))
    assert shown.startswith(f"At least {server} adapters (")
    assert "OSA-Express7S sends at most 20.5 Gbit/s at MTU 1500" in shown
    assert f"client adapters in >= {client}" in shown


def test_each_direction_has_the_stage_that_limits_it() -> None:
    """OSA-Express7S with 30 KiB responses: into the client, not out of the server."""
    flow = ("--flow", "60 Gbit/s rr1c-200x30k out", "--connections", "50", "--adapter", OSA)
    (row,) = printed_json("plan", *flow, "--mtu", "1500")
    assert row["binding"] == "server_adapter_out"
    by_side = {(need["side"], need["direction"]): need["binding"] for need in row["directions"]}
    assert by_side["client", "in"] == "client_adapter_in"
