"""Why a run found more or less than its line carries: causes that fit, and only those."""

from pathlib import Path
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, check_file, having, run

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check


def only(path: Path, specified: SpecifiedLine) -> Verdict:
    (verdict,) = check_file(path, specified)
    return verdict


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.97, 1.03, 1.2, 2.0, 8.0, 30.0])
@pytest.mark.parametrize(
    "reported",
    [
        {"segment_bytes": 1448, "round_trip_s": 1e-4},
        {"segment_bytes": 948},
        {"lost_ratio": 0.2},
        {"is_at_sender": True},
        {"duration_s": 2.0},
        {"is_bidirectional": True},
    ],
)
def test_every_cause_names_the_evidence_that_would_confirm_it(
    share: float, reported: dict[str, Any]
) -> None:
    verdict = check(run(share * EVEN_CEILING_BPS, **({"duration_s": 60.0} | reported)), EVEN_LINE)
    if verdict.outcome not in (Outcome.BELOW, Outcome.IMPOSSIBLE):
        return
    causes = verdict.reason.partition(": ")[2].split(")")
    unknown = "something other than the wire"
    assert all("(confirm: " in cause or unknown in cause for cause in causes if cause.strip("; "))


@pytest.mark.parametrize(
    ("specified_bps", "real_bps"),
    [
        *((10e9, 1e9), (1e9, 100e6), (100e9, 40e9)),
        # the other MAC rates of IEEE 802.3, under one of its next project
        *((1.6e12, bps) for bps in (10e6, 2.5e9, 5e9, 10e9, 25e9, 50e9, 100e9, 200e9, 400e9, 8e11)),
    ],
)
def test_a_slower_standard_line_than_specified_is_recognised(
    specified_bps: float, real_bps: float
) -> None:
    message = run(0.998 * real_bps * 1448 / 1538, duration_s=30.0, segment_bytes=1448)
    verdict = check(message, SpecifiedLine(specified_bps, 1500))
    assert verdict.outcome is Outcome.BELOW
    name = f"{real_bps / 1e9:g} Gbit/s" if real_bps >= 1e9 else f"{real_bps / 1e6:g} Mbit/s"
    assert f"a line of {name} would explain it: the ratio is 0.9980" in verdict.reason


@pytest.mark.parametrize("factor", [8, 1 / 8])
def test_bytes_taken_for_bits_are_named(factor: float) -> None:
    message = run(factor * EVEN_CEILING_BPS, duration_s=60.0)
    assert "bytes taken for bits would explain it" in check(message, EVEN_LINE).reason
    counted = having(message, received_bytes=10**9)
    assert "bytes taken for bits" not in check(counted, EVEN_LINE).reason
