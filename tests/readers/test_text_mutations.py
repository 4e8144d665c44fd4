"""Damaged text of tools: each gives measurements or a ParseError, and nothing else."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from damage import require_sound

from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_result

SAMPLES = Path(__file__).parent / "samples"
FILES = {
    "uperf": "uperf/*.txt",
    "netperf": "netperf/netperf_*",
    "nuttcp": "nuttcp/*.txt",
    "iperf2": "iperf2/*iperf2*",
    "iperf3-text": "iperf3/*.txt",
    "perftest-text": "perftest/*.txt",
    "trex-text": "trex/*.txt",
    "ntttcp": "ntttcp/made_*",
}
WITHOUT_FIRST_LINES = ["sockperf"]
MUTATIONS = 500
STRIDE = 11
"""Bytes between the cuts of a file; a prime, so that the places differ between files."""

Reader = Callable[[bytes], tuple[Measurement, ...]]


def reader(name: str) -> Reader:
    """The reader of a format."""
    return partial(read_result, format_name=name)


def measurements_or_none(read: Callable[[Any], tuple[Measurement, ...]], raw: bytes) -> Any:
    """What is read from damaged bytes; None where they are refused with their name."""
    try:
        measurements = read(raw)
    except ParseError as error:
        assert str(error).startswith("<bytes>: ")  # noqa: PT017
        assert len(str(error)) < 500  # noqa: PT017
        return None
    assert measurements
    for measurement in measurements:
        require_sound(measurement)
    return measurements


@pytest.mark.parametrize("name", WITHOUT_FIRST_LINES)
def test_a_text_without_its_first_lines_has_the_same_figures_or_fewer(name: str) -> None:
    for sample in sorted(SAMPLES.glob(f"{name}/*.txt")):
        lines = sample.read_bytes().splitlines(keepends=True)
        whole = measurements_or_none(reader(name), b"".join(lines))
        if whole is None or sample.stem.endswith("bb_server"):  # its lines are those of any server
            continue
        for begin in range(1, len(lines)):
            for run in measurements_or_none(reader(name), b"".join(lines[begin:])) or ():
                for figure in ("goodput_bps", "transaction_time_s", "transaction_rate_tps"):
                    known = {None, *(getattr(each, figure) for each in whole)}
                    # the line of one stream of several is a result by itself
                    is_part = (run.stream_count or 1) < (whole[0].stream_count or 1)
                    found = getattr(run, figure)
                    assert found in known or (is_part and found < max(known - {None})), begin


@pytest.mark.thorough
@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_reports_no_other_goodput(name: str) -> None:
    for sample in sorted(SAMPLES.glob(FILES[name])):
        raw = sample.read_bytes()
        whole = measurements_or_none(reader(name), raw)
        if whole is None:
            continue
        for end in range(1, len(raw), STRIDE):
            cut = measurements_or_none(reader(name), raw[:end])
            for each in cut or ():
                known = [run for run in whole if run.direction is each.direction]
                is_same = each.goodput_bps in {run.goodput_bps for run in known}
                # the first interval of a sender may be the whole: its tolerance is wide
                is_doubtful = each.goodput_bps is None or each.notes or each.counted.is_at_sender
                assert is_same or is_doubtful, (sample.name, end)
