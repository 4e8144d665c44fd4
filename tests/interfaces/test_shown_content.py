"""What errors show of files: little of what is no such file, and nothing of another's folder."""

import traceback
from pathlib import Path

import pytest
from invocation import run_netmodel

import netmodel
from netmodel.errors import ParseError

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
    "server_host": (MEAN, f'{ADAPTER}\nserver_host = "FILE"'),
}
CONTENTS = {
    "toml": f'"{SECRET}" = 1\n',
    "no toml": f"{SECRET} {SECRET}\n",
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


def test_a_file_beside_the_scenario_is_quoted(folder: Path) -> None:
    (folder / "mine.toml").write_text(CONTENTS["toml"], encoding="utf-8")
    assert SECRET in run_netmodel("plan", plan_naming(folder, "adapter", "mine.toml")).stderr


# How much is shown
