"""``netmodel predict --path`` with a file of your own, and what its faults are answered with."""

from pathlib import Path

import pytest
from invocation import printed_json, refusal, run_netmodel
from paths import TANDEM
from runs import sample

from netmodel.records import catalog

RUN = "line_200m_mtu1500_ts1_v4.json"
OPTIONS = ("--workload", "rr1c-200x1000", "--mtu", "1500", "--connections", "10")
DEFAULTS = """
[defaults]
source = "lab book"
locator = "page 3"
grade = "measured"
"""
STAGE = """
[[stages]]
name = "card"
kind = "adapter"
side = "client"
out.per_frame = "1 µs"
"""


def written(directory: Path, text: str) -> str:
    path = directory / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def file_fault(path: str, *options: str) -> str:
    """What a faulty file is answered with, without its name, which must come first."""
    result = run_netmodel("predict", "--path", path, *OPTIONS, *options)
    assert result.exit_code == 3, result.output
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {path}: ")
    return result.stderr.removeprefix(f"Error: {path}: ").rstrip()


FIGURE = "must be text like '12 µs' or '8', or a table with value and unit"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("servers = 4", f'stages 1 "card".servers: {FIGURE}'),
        ("in.per_frame = nan", f'stages 1 "card".in.per_frame: {FIGURE}'),
        ('in = "1 µs"', 'stages 1 "card".in: must be a table'),
        (
            'serial = "yes"',
            'stages 1 "card".serial: must be true or false, without quotes; got "yes"',
        ),
        ("[pools]\nclient = 4", "pools.client: must be a table"),
    ],
)
def test_a_bare_number_is_answered_with_the_allowed_units(
    tmp_path: Path, line: str, fault: str
) -> None:
    assert file_fault(written(tmp_path, f'title = "mine"{DEFAULTS}{STAGE}{line}')) == fault


def test_an_id_of_another_kind_is_refused_with_its_kind(tmp_path: Path) -> None:
    answer = refusal("predict", "--path", "awm-rr", *OPTIONS)
    assert "unknown path 'awm-rr'; it is an id of workloads" in answer
    answer = refusal("predict", "--sender", "z15-lpar-4core-smt2", "--receiver", "x", *OPTIONS)
    assert "unknown adapter 'z15-lpar-4core-smt2'; it is an id of hosts" in answer
    answer = refusal("predict", "--path", "z", *OPTIONS)
    assert f"known are {', '.join(catalog()['paths'])}" in answer
    path = tmp_path / "mine.path"
    path.touch()
    assert f"{path}: the name of a record file ends in .toml" in refusal(
        "predict", "--path", str(path), *OPTIONS
    )


def test_check_needs_a_line_rate_beside_a_path_without_one(tmp_path: Path) -> None:
    path = written(tmp_path, f'title = "mine"{DEFAULTS}{STAGE}')
    answer = run_netmodel("check", "1Gbit/s", "--path", path).stderr
    assert "give --line-rate" in answer
    assert "no adapter of the path has a line rate" in answer


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            '"card"',
            '"window"',
            "'window' is the name of two limits: give one another name",
        ),
    ],
)
def test_a_name_that_is_taken_is_a_fault_of_the_file(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    text = f'title = "mine"{DEFAULTS}{STAGE}[pools.cpus]\ncore_count = "2"\n'
    assert file_fault(written(tmp_path, text.replace(old, new))) == fault


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('serverz = "2"', 'stages 1 "card".serverz: is not a known key; did you mean servers?'),
        (
            'x = "2"',
            'stages 1 "card".x: is not a known key; known are both, counted_layer, delay, ',
        ),
        ("[pool.cpus]", "pool: is not a known key; did you mean pools?"),
        (
            '[[stages.in.samples]]\nper_fram = "1 µs"',
            'stages 1 "card".in.samples.0.per_fram: is not a known key; did you mean per_frame?',
        ),
    ],
)
def test_an_unknown_key_is_answered_with_those_that_are_known(
    tmp_path: Path, line: str, fault: str
) -> None:
    assert fault in file_fault(written(tmp_path, f'title = "mine"{DEFAULTS}{STAGE}{line}'))


def test_cpus_of_no_side_count_for_the_sides_of_their_stages(tmp_path: Path) -> None:
    stage = STAGE.replace('"adapter"', '"protocol-cpu"\npool = "shared"')
    text = f'title = "mine"{DEFAULTS}{stage}[pools.shared]\ncore_count = "2"'
    (row,) = printed_json("predict", "--path", written(tmp_path, text), *OPTIONS)
    reasons = [each for each in row["notes"] if each.startswith("CPU cost")]
    assert reasons == ["CPU cost of the server not predicted: no CPU model"]
    assert row["cpu_us_per_gbit"]["client"]["value"] > 0
    assert row["cpu_us_per_gbit"]["server"] is None


SEA = (
    "--path",
    str(TANDEM),
    "--mtu",
    "1500",
    "--line-rate",
)


def test_a_stage_that_is_the_line_goes_with_its_rate() -> None:
    (row,) = printed_json("check", str(sample(RUN)), *SEA, "10G", exit_code=1)
    names = [limit["name"] for limit in row["limits"]]
    assert names.count("wire") == 1
    assert "wire_to_server" not in names
    workload = ("--workload", "rr1c-200x1000", "--connections", "10")
    specified, left_out = (
        printed_json("predict", *options, *workload) for options in ((*SEA, "10G"), SEA[:-1])
    )
    assert specified == left_out
    answer = refusal("predict", *SEA, "25G", *workload)
    assert "the line is 25 Gbit/s, but stage wire_to_server of the path is another one" in answer
