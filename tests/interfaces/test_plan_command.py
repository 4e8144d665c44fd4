"""``netmodel plan``."""

import json
import shlex
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel, words
from pages import Page
from paths import TANDEM

from netmodel.records import data_path

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
STREAM = ("--flow", "40 Gbit/s str-writex30k")
ON_OSA = ("--adapter", OSA, "--mtu", "1500")
PLAN = ("plan", *STREAM, *ON_OSA)


def test_a_plan_names_the_count_and_the_bottleneck() -> None:
    shown = printed(*PLAN)
    assert words(shown).startswith(
        "6 adapters at each side (5 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU "
        "1500, 9.38 Gbit/s at 70 % use. side needs"
    )
    assert "server adapters in >= 6 server_adapter_in" in words(shown)
    assert "note: CPUs of the client and server not planned" in shown
    for secondary in ("flow: str-writex30k from client: 40 Gbit/s", "evidence: fitted"):
        assert secondary not in shown
        assert secondary in printed(*PLAN, "--verbose")


def test_the_json_is_a_list_of_candidates_the_best_first() -> None:
    more = ("--adapter", ROCE, "--mtu", "9000")
    rows = printed_json(*PLAN, *more)
    assert [(row["client_adapter"], row["mtu_bytes"], row["chosen_count"]) for row in rows] == [
        *((ROCE, 1500, 4), (ROCE, 9000, 4)),
        *((OSA, 9000, 4), (OSA, 1500, 6)),
    ]
    assert all(row["holds"] for row in rows)
    answer, table_text, *_ = printed(*PLAN, *more).split("\n\n")
    assert words(answer) == (
        "RoCE Express2.1, MTU 1500: 4 adapters at each side (3 + 1 spare), 2 adapters fewer "
        "than OSA-Express7S, MTU 1500; the line carries at most 23.5 Gbit/s, 16.5 Gbit/s at 70 % "
        "use."
    )
    table = table_text.splitlines()
    assert len(table) == 5
    assert table[-1].split() == [
        *(OSA, "1500", ">=", "4", ">=", "6", "server_adapter_in", ">=", "59.7", "%")
    ]


def test_adapters_may_differ_at_the_ends() -> None:
    """Out of OSA-Express7S 20.5 Gbit/s: 40 / 20.5 / 0.7 = 2.8."""
    (row,) = printed_json("plan", *STREAM, "--sender", OSA, "--receiver", ROCE, "--mtu", "1500")
    assert (row["client_adapter"], row["server_adapter"]) == (OSA, ROCE)
    assert (row["chosen_count"], row["binding"]) == (4, "client_adapter_out")
    to_client = ("--flow", "40 Gbit/s str-writex30k from server")
    (back,) = printed_json("plan", *to_client, "--sender", OSA, "--receiver", ROCE, "--mtu", "1500")
    assert (back["client_adapter"], back["server_adapter"]) == (ROCE, OSA)
    assert (back["chosen_count"], back["binding"]) == (4, "server_adapter_out")


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--spares", "0"), 5),
        (("--spares", "2"), 7),
        (("--max-utilisation", "0.5"), 7),
        (("--max-utilisation-after-failure", "80%"), 5),
        (("--no-timestamps",), 6),
        (("--connections", "7"), 8),
    ],
)
def test_options_change_the_number(options: tuple[str, ...], count: int) -> None:
    (row,) = printed_json(*PLAN, *options)
    assert row["chosen_count"] == count


def test_what_no_number_of_adapters_carries_ends_with_1() -> None:
    options = ("--connections", "1")
    shown = printed(*PLAN, *options, exit_code=1)
    assert shown.startswith("No: 1 connection uses too few adapters: ")
    assert "not enough: the connections are too few" in printed(
        *PLAN, *options, "--verbose", exit_code=1
    )
    (row,) = printed_json(*PLAN, *options, exit_code=1)
    assert (row["holds"], row["chosen_count"]) == (False, None)


def test_a_path_of_the_catalog_has_cpus() -> None:
    path = (
        "--path",
        str(TANDEM),
        "--mtu",
        "1500",
    )
    shown = printed("plan", "--flow", "1 Gbit/s str-writex30k", *path)
    assert "at least 1 client-lpar core and at least 1 vios core: " in words(shown)
    assert "client-lpar cores >= 1 of 1 0.15 busy" in words(shown)
    too_much = printed("plan", "--flow", "6 Gbit/s str-writex30k", *path, exit_code=1)
    assert too_much.startswith("No: 0.9 of 1 client-lpar would be busy, and 70 % may be.")


def test_a_scenario_has_a_report_with_all_that_the_command_says(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    file = tmp_path / "order.html"
    scenario = str(data_path("examples", "scenarios", "order-system.toml"))
    result = run_netmodel("plan", scenario, "--html", str(file))
    assert (result.exit_code, result.stdout) == (0, printed("plan", scenario))
    page = Page(file.read_text(encoding="utf-8"))
    *_, command, data = page.texts("pre")
    assert shlex.split(command) == ["netmodel", "plan", scenario, "--html", str(file)]
    assert json.loads(data) == printed_json("plan", scenario)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (ON_OSA, "give --flow"),
        ((*STREAM, "--mtu", "1500"), "give --adapter, or --sender and --receiver, or --path"),
        (
            (*STREAM, "--server-cost", "1 µs/Gbit"),
            "give --adapter, or --sender and --receiver, or --path",
        ),
        ((*STREAM, "--adapter", OSA), "give --mtu: no stage of the path has an MTU"),
        ((*STREAM, *ON_OSA, "--sender", ROCE), "give --adapter or --sender, not both"),
        ((*STREAM, "--sender", ROCE, "--mtu", "1500"), "give both --sender and --receiver"),
        ((*STREAM, "--adapter", "osa7s", "--mtu", "1500"), "unknown adapter 'osa7s'"),
        (("--flow", "40 str-writex30k", *ON_OSA), "--flow: '40': the unit is"),
        (("--flow", "18", *ON_OSA), "--flow: '18': the unit is missing; write a rate like 18 Gb"),
        (("--flow", "-5 Gbit/s in", *ON_OSA), "--flow: '-5 Gbit/s': a rate must not be negative"),
        (("--flow", "1e300 Gbit/s in", *ON_OSA), "--flow: '1e300 Gbit/s' is beyond the range"),
        (("--flow", "1e5/s", *ON_OSA), "--flow: '1e5/s' has transactions without a workload: wri"),
        (("--flow", "18 Gbit/s in out", *ON_OSA), "--flow: '18 Gbit/s in out': 'in' is from the"),
        (("--flow", "1G str-writex", *ON_OSA), "did you mean str-writex30k"),
        ((*STREAM, "--mtu", "1500", "--path", "nowhere"), "unknown path 'nowhere'"),
        (
            (*STREAM, *ON_OSA, "--connections", "1000000000"),
            "--connections must be at most 10000000",
        ),
        ((*STREAM, *ON_OSA, "--connections", "1,2"), "--connections: '1,2'"),
        (
            (*STREAM, *ON_OSA, "--adapters-available", "0"),
            "--adapters-available must be at",
        ),
        (
            (*STREAM, *ON_OSA, "--max-utilisation-after-failure", "0"),
            "--max-utilisation-after-failure must be above 0; got 0",
        ),
        ((*STREAM, *ON_OSA, "--km", "10", "--loss", "1"), "--loss must be below 1: all packets"),
        (
            ("--flow", "1G", *ON_OSA, "--server-cost", "35 µs/transaction"),
            "the server cost is per transaction, and full frames have none: name a workload",
        ),
        (("--flow", "0G str-writex30k", *ON_OSA), "the rate of a flow must be above 0"),
        (
            (*STREAM, *ON_OSA, "--max-utilisation", "1.2"),
            "--max-utilisation must be at most 1",
        ),
        (
            (*STREAM, *ON_OSA, "--connections", "0"),
            "--connections must be at least 1; got 0",
        ),
        ((*STREAM, *ON_OSA, "--line-rate", "40Gbit/s"), "but osa-express7s-25gbe only 25 Gbit/s"),
        ((*STREAM, "--adapter", OSA, "--mtu", "12"), "--mtu must be at least 68 byte; got 12"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: tuple[str, ...], message: str) -> None:
    assert message in " ".join(refusal("plan", *arguments).split())


def test_those_available_decide() -> None:
    """13.4 Gbit/s in each; 0.7 of it is 9.38 with one of two left."""
    demand = ("plan", "--flow", "18 Gbit/s in", *ON_OSA, "--adapters-available")
    few = words(printed(*demand, "2", exit_code=1))
    assert few.startswith(
        "No: 3 adapters (2 + 1 spare) needed, 2 available, which carry 9.38 Gbit/s: "
        "OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500. side"
    )
    (row,) = printed_json(*demand, "2", exit_code=1)
    assert (row["holds"], row["chosen_count"], row["adapters_available"]) == (False, 3, 2)
    assert row["one_adapter"]["value"] == pytest.approx(13.4e9)
    assert printed(*demand, "3").startswith("3 adapters (2 + 1 spare): ")
    failing = words(printed(*demand, "2", "--spares", "5", exit_code=1))
    assert failing.startswith("No: 7 adapters (2 + 5 spare) needed, 2 available: ")


def test_a_plan_that_fails_never_leads_with_a_count() -> None:
    """No CPUs, no window, no connections, no adapters: each by its reason."""
    cpus = (
        "--flow",
        "6 Gbit/s in",
        "--path",
        str(TANDEM),
        "--mtu",
        "1500",
    )
    far = (*STREAM, *ON_OSA, "--km", "100", "--window", "64KiB", "--connections", "2")
    one = (*STREAM, *ON_OSA, "--connections", "1")
    for arguments, reason in (
        (cpus, "0.9 of 1 client-lpar would be busy, and 70 % may be."),
        (far, "windows of 2 connections allow at most 1.07 Gbit/s of str-writex30k; use a window"),
        (one, "1 connection uses too few adapters: "),
    ):
        assert words(printed("plan", *arguments, exit_code=1)).startswith(f"No: {reason}")


HOST = """
title = "mine"
kind = "lpar"
core_count = "4"

[defaults]
source = "lab"
locator = "run 1"
grade = "measured"

[send.per_byte]
value = 0.1
unit = "ns"
resolution = 0.000001

[receive.per_byte]
value = 0.25
unit = "ns"
resolution = 0.000001
"""


def test_own_hosts_give_the_cpus(tmp_path: Path) -> None:
    """40 Gbit/s are 5e9 byte/s: at 0.1 ns 0.5 CPUs that send, at 0.25 ns 1.25 that receive."""
    host = tmp_path / "mine.toml"
    host.write_text(HOST, encoding="utf-8")
    hosts = ("--client-host", str(host), "--server-host", str(host))
    (row,) = printed_json(*PLAN, *hosts)
    assert row["holds"]
    pools = {pool["name"]: pool for pool in row["pools"]}
    assert {pool["present_count"] for pool in pools.values()} == {4}
    for name, busy_count, needed_count in (("client_cpus", 0.5, 1), ("server_cpus", 1.25, 2)):
        assert pools[name]["busy_count"]["value"] == pytest.approx(busy_count)
        assert pools[name]["needed_count"]["value"] == needed_count
    done = run_netmodel("plan", "--flow", "100 Gbit/s str-writex30k", *ON_OSA, *hosts)
    assert done.exit_code == 1
    assert done.stdout.startswith("No: 3.125 of 4 server cores would be busy")
