"""``netmodel plan SCENARIO.toml``: answer, table, reasons, refusals and exit codes."""

from pathlib import Path

import pytest
from invocation import refusal, run_netmodel

from netmodel.records import data_path

EXAMPLE = data_path("examples", "scenarios", "order-system.toml")


def test_the_answer_comes_first_and_a_row_for_each_candidate() -> None:
    result = run_netmodel("plan", str(EXAMPLE))
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0].startswith("RoCE Express2.1")
    assert sum(line.startswith(("OSA-Express7S ", "RoCE Express2.1 ")) for line in lines) == 4
    assert sum(line.startswith("note: ") for line in lines) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--flow", "1 Gbit/s str-writex30k"), "--flow beside a scenario"),
        (("--connections", "5"), "--connections beside a scenario"),
        (("--server-cost", "1 cores/(Gbit/s)"), "--server-cost beside a scenario"),
        (("--mtu", "9000"), "--mtu beside a scenario"),
        (("--spares", "9"), "spares is 9, and adapters_available 8"),
        (("--max-utilisation", "0"), "must be above 0"),
    ],
)
def test_options_that_contradict_the_file_are_refused(
    options: tuple[str, ...], message: str
) -> None:
    assert message in refusal("plan", str(EXAMPLE), *options)


def test_exit_code_1_where_no_candidate_holds(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    text = EXAMPLE.read_text(encoding="utf-8").replace("server_cpus = 16", "server_cpus = 1")
    file.write_text(text.replace('currency = "EUR"\n', ""), encoding="utf-8")
    result = run_netmodel("plan", str(file), "--spares", "1")
    assert result.exit_code == 1
    assert result.output.startswith("No: ")
    assert "server_cpus is 1" in result.output
