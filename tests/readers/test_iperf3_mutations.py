"""Damaged results of iperf3: each gives measurements or a ParseError, and nothing else."""

import json
import math
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from damage import with_changed_text, with_changed_values
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import SAMPLES

from netmodel.errors import NetmodelError, ParseError
from netmodel.judging import StatedLine, Verdict, check_file
from netmodel.readers import CpuUse, Measurement, read_iperf3

RESULTS = sorted(path for path in SAMPLES.iterdir() if path.suffix in {".json", ".jsonl"})
EXAMPLES = 150
LINES = [
    StatedLine(25e9),
    StatedLine(200e6, mtu_bytes=1500),
    StatedLine(1e9, mtu_bytes=9000, timestamps=True, vlan_tags=1),
]


def numbers(record: Measurement | CpuUse) -> Iterator[tuple[str, float]]:
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield field.name, value


def require_sound(measurement: Measurement) -> None:
    for record in (measurement, *measurement.cpu):
        for name, number in numbers(record):
            assert math.isfinite(number), name
            assert number >= 0, name


def require_judged(verdict: Verdict, file: Path) -> None:
    assert verdict.file == str(file)
    assert verdict.reason
    assert (verdict.outcome is None) == (verdict.measurement is None)
    assert json.dumps(verdict.to_dict(), allow_nan=False)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "run.json"


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_damage_gives_measurements_or_a_parse_error(
    data: st.DataObject, result: Path, file: Path
) -> None:
    change = data.draw(st.sampled_from([with_changed_values] * 3 + [with_changed_text]))
    raw = change(data, result.read_bytes())
    try:
        measurements = read_iperf3(raw)
    except ParseError as error:
        assert str(error).startswith("<bytes>: ")  # noqa: PT017
    else:
        assert measurements
        for measurement in measurements:
            require_sound(measurement)
    file.write_bytes(raw)
    try:
        verdicts = check_file(file, data.draw(st.sampled_from(LINES), label="line"))
    except NetmodelError as error:
        assert str(error)  # noqa: PT017
    else:
        assert verdicts
        for verdict in verdicts:
            require_judged(verdict, file)
