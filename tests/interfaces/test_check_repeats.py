"""``netmodel check --repeats``: runs of one configuration judged by their mean."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from invocation import printed_json
from runs import changed, sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
BYTES = 188350464
"""What the sample received."""
FAILED = str(sample("iperf3_3.21_error.json"))
SCATTER = (1.0, 0.9995, 0.999, 0.9985)


def repeats(directory: Path, shares: Sequence[float]) -> list[str]:
    """Runs that received these shares of what the sample did."""
    paths = [directory / f"{number}.json" for number in range(len(shares))]
    for path, share in zip(paths, shares, strict=True):
        received = {"end.sum_received.bytes": int(share * BYTES)}
        received["end.sum_received.bits_per_second"] = share * BYTES * 8 / 8.00679
        path.write_bytes(changed("line_200m_mtu1500_ts1_v4.json", received))
    return list(map(str, paths))


def test_a_pool_takes_the_place_of_its_runs_and_all_else_stays(tmp_path: Path) -> None:
    first, two, three, four = repeats(tmp_path, SCATTER)
    files = (first, FAILED, two, "gone.json", three, four)
    rows = printed_json("check", *LINE, "--repeats", *files, exit_code=3)
    assert [row["verdict"] for row in rows] == ["at_ceiling", "failed", None]
    pool = rows[0]
    assert pool["repeats"]["files"] == [first, two, three, four]
    assert pool["goodput_bps"] == pytest.approx(0.99925 * BYTES * 8 / 8.00679, rel=1e-6)
    assert pool["repeats"]["low_bps"] < pool["goodput_bps"] < pool["repeats"]["high_bps"]
    assert not any("repeats" in row for row in rows[1:])
