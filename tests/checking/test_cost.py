"""Reading and judging results costs little more than parsing their files."""

import statistics
from pathlib import Path

from benchmarks.check import ALL_EXAMPLES, ALLOWED_RATIO, LINE, compare, parse, write_results

MARGIN = 2
"""A machine that others use at the same time is not to fail the test."""


def test_results_are_judged_about_as_fast_as_they_are_parsed(tmp_path: Path) -> None:
    paths = write_results(tmp_path, ALL_EXAMPLES, 100)
    assert len({path.read_bytes() for path in paths}) == len(paths)
    parse(paths)
    ratios = compare(paths, LINE, rounds=5)[2]
    assert statistics.median(ratios) < MARGIN * ALLOWED_RATIO
