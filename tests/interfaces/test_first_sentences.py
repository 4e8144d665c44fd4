"""Each command that judges or plans begins with one sentence that answers the question."""

from pathlib import Path

import pytest
from invocation import printed, printed_json, words

OSA = "osa-express7s-25gbe"
ENDS = ("--sender", OSA, "--receiver", OSA)
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


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (
            ("ceiling", "--line-rate", "25G", "--mtu", "1500"),
            "A 25 Gbit/s line carries at most 23.537061118 Gbit/s of payload at MTU 1500 with",
        ),
        (("path-mtu", "a=1500", "b=9000"), "path MTU 1500, set by a"),
        (
            ("path-mtu", "a=1500", "b=9000", "--sender-mtu", "9000"),
            "path MTU 1500, set by a; reduced: a reports its MTU 1500",
        ),
        (
            ("predict", "--workload", "str-writex30k", *ENDS, "--mtu", "1500"),
            f"str-writex30k from client {OSA} to server {OSA}: about 13.4 Gbit/s (adapter ",
        ),
        (
            ("plan", "--flow", "5 Gbit/s in", "--adapter", OSA, "--mtu", "1500"),
            "2 adapters (1 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500.",
        ),
        ((*COMPARED, "--workload", "str-writex30k"), "mtu 9000 against mtu 1500"),
    ],
)
def test_the_first_line_is_the_answer(command: tuple[str, ...], answer: str) -> None:
    first, *_ = printed(*command).split("\n\n")
    assert words(first).startswith(answer)


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
