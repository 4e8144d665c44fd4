"""Damaged results of iperf3: each gives measurements or a ParseError, and nothing else."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from damage import require_sound, with_changed_text
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import SAMPLES

from netmodel.errors import NetmodelError, ParseError
from netmodel.judging import StatedLine, Verdict, check_file
from netmodel.readers import read_iperf3

RESULTS = sorted(path for path in SAMPLES.iterdir() if path.suffix in {".json", ".jsonl"})
EXAMPLES = 150
LINES = [
    StatedLine(25e9),
    StatedLine(200e6, mtu_bytes=1500),
    StatedLine(1e9, mtu_bytes=9000, timestamps=True, vlan_tags=1),
]
SELDOM_READ = {"intervals", "streams"}

Place = tuple[str | int, ...]

odd_numbers = st.one_of(
    st.sampled_from([-1, 0, 1, 1.5, -0.0, 5e-324, 1e-308, 1e308, 10**18, 10**308, 10**400]),
    st.sampled_from([math.nan, math.inf, -math.inf]),
    st.integers(),
    st.floats(),
    st.floats(1e-6, 1e6),
)
odd_values: st.SearchStrategy[Any] = odd_numbers | st.one_of(
    st.sampled_from([None, True, False, [], {}, "", "0", "NaN", "\ud800", "\0"]),
    st.sampled_from(["tcp", "UDP", "SCTP", "::1", "10.0.0.1", "::ffff:1.2.3.4", "iperf 3"]),
    st.text(max_size=5),
    st.lists(st.integers() | st.none(), max_size=3),
)


def places(value: Any, outside: Place = ()) -> Iterator[Place]:
    """Where something stands in a JSON value, by the keys that lead there."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*outside, key)
        if isinstance(member, dict | list):
            yield from places(member, (*outside, key))


def json_values(raw: bytes) -> list[Any]:
    """The one value of a document, or those of the lines of a stream."""
    text = raw.decode()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def with_changed_values(data: st.DataObject, raw: bytes) -> bytes:
    """Values replaced, keys lost and list items doubled, mostly where the reader looks."""
    whole = json_values(raw)
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        everywhere = list(places(whole))
        often_read = [place for place in everywhere if not SELDOM_READ & set(place)]
        if not everywhere:
            break
        drawn = st.sampled_from(often_read or everywhere) | st.sampled_from(everywhere)
        *outer, key = data.draw(drawn, label="place")
        parent = whole
        for name in outer:
            parent = parent[name]
        change = data.draw(st.sampled_from(["replace", "replace", "drop", "double"]))
        if change == "replace":
            parent[key] = data.draw(odd_values, label="value")
        elif change == "double" and isinstance(parent, list):
            parent.append(parent[key])
        else:
            del parent[key]
    return b"\n".join(json.dumps(value).encode() for value in whole)


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
