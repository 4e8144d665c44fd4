"""``netmodel predict --path`` with a file of your own, and what its faults are answered with."""

from pathlib import Path

import pytest
from invocation import refusal, run_netmodel

from netmodel.records import catalog

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


def test_an_id_of_another_kind_is_refused_with_its_kind() -> None:
    answer = refusal("predict", "--path", "awm-rr", *OPTIONS)
    assert "unknown path 'awm-rr'; it is an id of workloads" in answer
    answer = refusal("predict", "--sender", "z15-lpar-4core-smt2", "--receiver", "x", *OPTIONS)
    assert "unknown adapter 'z15-lpar-4core-smt2'; it is an id of hosts" in answer
    answer = refusal("predict", "--path", "z", *OPTIONS)
    assert f"known are {', '.join(catalog()['paths'])}" in answer


def test_check_needs_a_line_rate_beside_a_path_without_one(tmp_path: Path) -> None:
    path = written(tmp_path, f'title = "mine"{DEFAULTS}{STAGE}')
    answer = run_netmodel("check", "1Gbit/s", "--path", path).stderr
    assert "give --line-rate" in answer
    assert "no adapter of the path has a line rate" in answer
