"""An adapter of your own with fitted times on the command line: predicted with, shown, refused."""

from pathlib import Path

import pytest
from invocation import run_netmodel

CARD = """\
title = "OSA-Express7S, fitted"
kind = "own"

[defaults]
source = "adapter"
locator = "slides 28 and 35"
grade = "fitted"
note = "13.4 Gbit/s at MTU 1500, and no slower than the line at MTU 9000"

[line_rate]
value = 25
unit = "Gbit/s"
source = "adapter"
locator = "slide 7"
grade = "published"

[in]
known_payload = "1448 to 8948 B"
vertices = [
  { per_frame = "0.864477612 µs", per_byte = "0 ns" },
  { per_frame = "0.472999732 µs", per_byte = "0.270357652 ns" },
]
"""
"""The two extremes of the handbook: all time is the frame's, or as much as may be the byte's."""


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "my.toml"
    path.write_text(CARD, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[in]", '[in]\nper_frame = "1 µs"', "in: per_frame and vertices: only one of them can"),
        ("[in]", "[in]\nsamples = [{ per_byte = '1 ns' }]", "in: vertices and samples: only one"),
        (', per_byte = "0 ns"', "", "in: vertices: all of them need the same times"),
        ("[in]", '[in]\nsource = "lab"', "in.vertices.0.per_frame.locator: is missing"),
        ("vertices", "vertexes", "in.vertexes: is not a known key"),
        ("[in]", "[inn]", "inn: is not a known key; did you mean in?"),
        ("1448 to 8948 B", "at least 1448 B", "in.known_payload: at least 1448 B does not bound"),
        ("1448 to 8948 B", "1448 to 8948 µs", "in.known_payload: "),
        ('"0.864477612 µs"', '"0.86 B"', "in.vertices.0.per_frame: "),
    ],
)
def test_times_that_do_not_fit_are_faults_of_the_file(
    card: Path, old: str, new: str, fault: str
) -> None:
    assert old in CARD
    card.write_text(CARD.replace(old, new, 1), encoding="utf-8")
    ends = ("--sender", "ethernet-25gbe", "--receiver", str(card))
    result = run_netmodel("predict", *ends, "--workload", "str-writex30k", "--mtu", "1500")
    assert result.exit_code == 3, result.output
    assert result.stderr.startswith(f"Error: {card}: {fault}")
