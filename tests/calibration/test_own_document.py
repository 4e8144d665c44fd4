"""A document of the user's own: rows and a path in TOML, and no Python."""

import pytest
from invocation import printed, printed_json

from netmodel.calibration import Observed, feasible_set, host_cost_model
from netmodel.consumption import Side
from netmodel.records import data_path

OWN = str(data_path("examples", "own-document"))
S_PER_BYTE_OF_US_PER_GBIT = 1e-6 * 8 / 1e9
COST_1500, COST_9000 = 300_000, 120_000
"""Of the brief. [µs/Gbit]"""


def test_the_path_of_the_document_has_the_times_of_its_two_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    By hand: p (1/1448 - 1/8948) = 180000 µs/Gbit, y = 120000 µs/Gbit - p/8948.

    Two cores at 300000 µs/Gbit carry 6.667 Gbit/s.
    """
    monkeypatch.setenv("NETMODEL_DATA", OWN)
    shown = printed_json("catalog", "show", "brief-appliance")
    first, *others = shown["record"]["stages"][1]["in"]["vertices"]
    per_frame_s = (COST_1500 - COST_9000) * S_PER_BYTE_OF_US_PER_GBIT / (1 / 1448 - 1 / 8948)
    per_byte_s = COST_9000 * S_PER_BYTE_OF_US_PER_GBIT - per_frame_s / 8948
    assert float(first["per_frame"]["value"]) * 1e-6 == pytest.approx(per_frame_s, rel=1e-9)
    assert float(first["per_byte"]["value"]) * 1e-9 == pytest.approx(per_byte_s, rel=1e-9)
    # the others are what the rounding of both costs allows
    costs = [
        Observed(
            quantity="cpu_us_per_gbit",
            at={"side": "server", "mtu_bytes": mtu},
            low=cost - 500,
            high=cost + 500,
            value=cost,
        )
        for cost, mtu in ((COST_1500, 1500), (COST_9000, 9000))
    ]
    model = host_cost_model(Side.SERVER).with_fixed({"per_message_s": 0.0})
    assert len(feasible_set(costs, model).vertices) == len(others)

    options = ("--path", "brief-appliance", "--workload", "str-writex30k", "--connections", "10")
    (result,) = printed_json("predict", *options, "--mtu", "1500")
    assert result["throughput_bps"]["value"] == pytest.approx(2 / COST_1500 * 1e6 * 1e9)
    assert result["binding"] == "appliance"


def test_the_directory_is_no_part_of_the_bundled_data() -> None:
    assert "brief-appliance" not in printed("catalog", "list", "paths")
