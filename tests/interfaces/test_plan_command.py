"""``netmodel plan``."""

import json
import re
import shlex
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel, words
from pages import Page

from netmodel.records import data_path

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
STREAM = ("--flow", "40 Gbit/s str-writex30k")
ON_OSA = ("--adapter", OSA, "--mtu", "1500")
PLAN = ("plan", *STREAM, *ON_OSA)


def test_the_json_is_a_list_of_candidates_the_best_first() -> None:
    more = ("--adapter", ROCE, "--mtu", "9000")
    rows = printed_json(*PLAN, *more)
    assert [(row["client_adapter"], row["mtu_bytes"], row["chosen_count"]) for row in rows] == [
        *((ROCE, 1500, 4), (OSA, 9000, 4)),
        *((ROCE, 9000, 4), (OSA, 1500, 6)),
    ]
    assert all(row["holds"] for row in rows)
    answer, table_text, *_ = printed(*PLAN, *more).split("\n\n")
    assert words(answer) == (
        "RoCE Express2.1, MTU 1500: at least 4 adapters at each side (3 + 1 spare), as many as "
        "2 others; the line carries at most "
        "23.5 Gbit/s, 16.5 Gbit/s at 70 % use."
    )
    table = table_text.splitlines()
    assert len(table) == 5
    # 40 Gbit/s / 13.4 Gbit/s / 0.7, and a spare
    assert table[-1].split() == [OSA, "1500", ">=", "6", "server_adapter_in", "fitted"]


def test_what_no_number_of_adapters_carries_ends_with_1() -> None:
    options = ("--connections", "1")
    shown = printed(*PLAN, *options, exit_code=1)
    assert re.match("No: (the|1) connections? cannot use enough adapters: ", shown)
    assert "not enough: the connections cannot use enough adapters" in printed(
        *PLAN, *options, "--verbose", exit_code=1
    )
    (row,) = printed_json(*PLAN, *options, exit_code=1)
    assert (row["holds"], row["chosen_count"]) == (False, None)


def test_a_scenario_has_a_report_with_all_that_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    file = tmp_path / "order.html"
    scenario = str(data_path("examples", "scenarios", "order-system.toml"))
    asked = ("plan", scenario, "--html", str(file))
    monkeypatch.setattr("sys.argv", ["netmodel", *asked])
    result = run_netmodel(*asked)
    assert (result.exit_code, result.stdout) == (0, printed("plan", scenario))
    page = Page(file.read_text(encoding="utf-8"))
    *_, command, data = page.texts("pre")
    assert shlex.split(command) == ["netmodel", *asked]
    assert json.loads(data) == printed_json("plan", scenario)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (ON_OSA, "give --flow"),
        (
            (*STREAM, "--mtu", "1500"),
            "or --path; a plain line is an adapter ethernet-<Gbit/s>gbe",
        ),
        ((*STREAM, "--adapter", OSA), "give --mtu: the path has none of its own"),
        ((*STREAM, *ON_OSA, "--sender", ROCE), "give --adapter or --sender, not both"),
        (("--flow", "40 str-writex30k", *ON_OSA), "--flow: '40': the unit is"),
        ((*STREAM, *ON_OSA, "--adapters-available", "0"), "--adapters-available must be at"),
        (
            ("--flow", "1G", *ON_OSA, "--server-cost", "35 µs/transaction"),
            "the server cost is per transaction, and full frames have none: name a workload",
        ),
        ((*STREAM, *ON_OSA, "--connections", "0"), "--connections must be at least 1; got 0"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: tuple[str, ...], message: str) -> None:
    assert message in words(refusal("plan", *arguments))
