"""Damaged scenarios and series: a plan, or an error of netmodel that names the file."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import netmodel
from netmodel.errors import ParseError
from netmodel.planning import ScenarioPlan
from netmodel.records import data_path
from netmodel.records.scenarios import SeriesSource, load_series

EXAMPLE = data_path("examples", "scenarios", "order-system.toml").read_text(encoding="utf-8")
SERIES = data_path("examples", "scenarios", "replication.csv").read_text(encoding="utf-8")
ODD = st.sampled_from(
    (
        *("", "0", "-1", "1e400", "nan", "inf", '"', "'", "[", "]", "{", "}", "=", "\n", "#", ","),
        *('""', '"0 %"', '"100 %"', '"1e9"', "true", "1979-05-27", "[]", '["a", 1]', "{ a = 1 }"),
        *("\\ud800", "\0", "9" * 400, '"9e29 Gbit/s"', '"1e-30 /s"', '"µ"', "[[candidate]]", "km"),
    )
)


def damaged(text: str, place: float, length: int, new: str) -> str:
    start = int(place * len(text))
    return text[:start] + new + text[start + length :]


@settings(max_examples=150)
@given(
    damages=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), ODD), min_size=1, max_size=3)
)
def test_a_damaged_scenario_is_planned_or_refused(
    damages: list[tuple[float, int, str]],
) -> None:
    text = EXAMPLE
    for damage in damages:
        text = damaged(text, *damage)
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "replication.csv").write_text(SERIES, encoding="utf-8")
        file = Path(directory, "scenario.toml")
        file.write_text(text, encoding="utf-8")
        source = directory
        try:
            plan = netmodel.plan_scenario(file)
            assert isinstance(plan, ScenarioPlan)
            assert plan.answer
            assert plan.to_dict()["candidates"]
        except ParseError as error:
            source = error.source
    assert source.startswith(directory)


@settings(max_examples=200)
@given(place=st.floats(0, 1), length=st.integers(0, 30), new=ODD)
def test_a_damaged_series_is_read_or_refused(place: float, length: int, new: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "load.csv")
        file.write_text(damaged(SERIES, place, length, new), encoding="utf-8", newline="")
        source = str(file)
        try:
            series = load_series(SeriesSource(file=str(file), column="gbit_s", unit="Gbit/s"))
            assert min(series.values) >= 0
            assert series.step_s > 0
        except ParseError as error:
            source = error.source
    assert source == str(file)
