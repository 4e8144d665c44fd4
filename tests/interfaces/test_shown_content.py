"""What errors show of files: little of what is no such file, and nothing of another's folder."""

import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from invocation import run_in_a_process, run_netmodel

import netmodel
from netmodel.calibration import observed_from_table
from netmodel.errors import NetmodelError, ParseError
from netmodel.records import record, scenario

MOST_SHOWN = 60
SECRET = "PASSWORD=hunter2"
PLAN = """\
[[traffic]]
name = "copies"
{traffic}

[[candidate]]
name = "mine"
mtu = 1500
{candidate}
"""
MEAN = 'workload = "awm-rr"\nmean = "1 Gbit/s"'
ADAPTER = 'adapter = "ethernet-25gbe"'
PLACES = {
    "workload": ('workload = "FILE"\nmean = "1 Gbit/s"', ADAPTER),
    "adapter": (MEAN, 'adapter = "FILE"'),
    "sender": (MEAN, 'sender = "FILE"\nreceiver = "ethernet-25gbe"'),
    "path": (MEAN, 'path = "FILE"'),
    "server_host": (MEAN, f'{ADAPTER}\nserver_host = "FILE"'),
}
CONTENTS = {
    "toml": f'"{SECRET}" = 1\n',
    "no toml": f"{SECRET} {SECRET}\n",
    "value": f'title = "x"\nkind = "x"\nline_rate = "{SECRET}"\n[request]\nvalue = "{SECRET}"\n',
    "csv": f"time,load\n2026-11-02T00:00,{SECRET}\n{SECRET},1\n",
    "header": f"{SECRET},x\n1,2\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a scenario, beside a file that is none of its business."""
    place = tmp_path / "scenario"
    place.mkdir()
    return place


def plan_naming(folder: Path, place: str, file: str) -> str:
    traffic, candidate = (each.replace("FILE", file) for each in PLACES[place])
    name = folder / "plan.toml"
    name.write_text(PLAN.format(traffic=traffic, candidate=candidate), encoding="utf-8")
    return str(name)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_shown_of_a_file_outside_the_folder(
    place: str, content: str, folder: Path
) -> None:
    outside = folder.parent / "other.toml"
    outside.write_text(CONTENTS[content], encoding="utf-8")
    (folder / "link.toml").symlink_to(outside)
    for name in (str(outside), "../other.toml", "link.toml"):
        plan = plan_naming(folder, place, name)
        result = run_netmodel("plan", plan)
        assert result.exit_code == 3
        assert "lies outside the folder of the scenario" in " ".join(result.stderr.split())
        assert "hunter2" not in result.output
        with pytest.raises(ParseError) as caught:
            netmodel.plan_scenario(plan)
        assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_the_environment_is_not_shown(folder: Path) -> None:
    plan = plan_naming(folder, "adapter", "/proc/self/environ.toml")
    if not Path("/proc/self/environ").exists():
        pytest.skip("this system has no such file")
    ran = run_in_a_process("plan", plan, A_TOKEN="hunter2")
    assert ran.returncode == 3
    assert b"hunter2" not in ran.stderr + ran.stdout
    assert b"A_TOKEN" not in ran.stderr + ran.stdout


def test_a_file_beside_the_scenario_is_quoted(folder: Path) -> None:
    (folder / "mine.toml").write_text(CONTENTS["toml"], encoding="utf-8")
    assert SECRET in run_netmodel("plan", plan_naming(folder, "adapter", "mine.toml")).stderr


# How much is shown

LONG = "Zq" * 200
KINDS = ("adapters", "hosts", "links", "paths", "workloads")
TEXTS = (
    *(LONG, f"{LONG} = 1", f"{LONG} = {LONG}", f'"{LONG}"', f"[{LONG}]\n[{LONG}]"),
    *(f'title = "x"\n{LONG} = 1', f'title = "{LONG}"\nkind = "{LONG}"\nline_rate = "{LONG}"'),
    *(f'title = "x"\nline_rate = "1 {LONG}"', f"a.{LONG} = {2**64}"),
    *(f'[request]\nvalue = "{LONG}"\n{LONG} = 1', f'[[traffic]]\nname = "{LONG}"\n{LONG} = 1'),
    *(f'[defaults]\nsource = "{LONG}"\ngrade = "{LONG}"', f'[policy]\nquantile = "{LONG}"'),
)
ROWS = ("time,load\n{}", "{}\n1,2", "time,load\n2026-11-02,{}\n", "time,load\n{},1\n", "a,{0},{0}")


def refused(read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except NetmodelError as error:
        yield str(error)


@pytest.mark.parametrize("text", TEXTS)
def test_little_is_shown_of_what_is_no_such_record(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text, encoding="utf-8")
    messages = [each for kind in KINDS for each in refused(lambda kind=kind: record(file, kind))]
    messages += refused(lambda: scenario(file))
    assert len(messages) >= len(KINDS)
    for message in messages:
        assert max(map(len, re.findall("(?:Zq)+Z?", message)), default=0) <= MOST_SHOWN


@pytest.mark.parametrize("row", ROWS)
def test_little_is_shown_of_what_is_no_such_table(row: str, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text(row.format(LONG), encoding="utf-8")
    messages = [*refused(lambda: observed_from_table(file))]
    assert messages
    for message in messages:
        assert max(map(len, re.findall("(?:Zq)+Z?", message)), default=0) <= MOST_SHOWN
