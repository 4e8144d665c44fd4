"""Damaged results of iperf3: each gives measurements or a ParseError, and nothing else."""

import json
from functools import partial
from pathlib import Path

import pytest
from damage import answer, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import few_by_day
from runs import SAMPLES, check_file

from netmodel.checking import SpecifiedLine, Verdict
from netmodel.errors import NetmodelError
from netmodel.readers import read_result

read_iperf3 = partial(read_result, format_name="iperf3")

RESULTS = sorted(path for path in SAMPLES.iterdir() if path.suffix in {".json", ".jsonl"})
EXAMPLES = 60
LINES = [
    SpecifiedLine(25e9),
    SpecifiedLine(200e6, mtu_bytes=1500),
    SpecifiedLine(1e9, mtu_bytes=9000, timestamps=True, vlan_tags=1),
]
SELDOM_READ = {"intervals", "streams"}


def require_judged(verdict: Verdict, file: Path) -> None:
    assert verdict.file == str(file)
    assert verdict.reason
    assert (verdict.outcome is None) == (verdict.measurement is None)
    assert json.dumps(verdict.to_dict(), allow_nan=False)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "run.json"


@pytest.mark.parametrize("result", few_by_day(RESULTS, 3), ids=lambda path: path.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_damage_gives_measurements_or_a_parse_error(
    data: st.DataObject, result: Path, file: Path
) -> None:
    raw = damaged(data, result.read_bytes(), SELDOM_READ)
    assert answer(read_iperf3, raw) != ()
    file.write_bytes(raw)
    try:
        verdicts = check_file(file, data.draw(st.sampled_from(LINES), label="line"))
    except NetmodelError as error:
        assert str(error)  # noqa: PT017
    else:
        assert verdicts
        for verdict in verdicts:
            require_judged(verdict, file)
