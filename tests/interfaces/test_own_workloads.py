"""Workloads of your own in ``compare``."""

from pathlib import Path

import pytest
from invocation import printed, printed_json

OSA = "osa-express7s-25gbe"
COMPARED = ("compare", "--baseline", f"adapter={OSA} mtu=1500", "--variant", "mtu=9000")
WORKLOAD = """
title = "small writes"
kind = "streaming"
writer = "client"
[write]
value = 4096
unit = "byte"
source = "lab"
locator = "run 1"
grade = "measured"
"""


@pytest.fixture
def own_workload(tmp_path: Path) -> str:
    file = tmp_path / "small-writes.toml"
    file.write_text(WORKLOAD, encoding="utf-8")
    return str(file)


def test_own_workloads_are_compared(own_workload: str) -> None:
    """In the option, and in a case; the ratio of the same adapters is that of their bounds."""
    as_option = printed_json(*COMPARED, "--workload", own_workload)
    with_it = f"adapter={OSA} mtu=1500 workload={own_workload}"
    in_case = printed_json("compare", "--baseline", with_it, "--variant", "mtu=9000")
    (row, other) = (
        next(each for each in rows if each["quantity"] == "throughput")
        for rows in (as_option, in_case)
    )
    # 24.75 of the line over 13.4 into the adapter
    assert row["value"] == other["value"] == pytest.approx(1.847, abs=5e-4)
    assert "(small-writes, " in printed(*COMPARED, "--workload", own_workload)
