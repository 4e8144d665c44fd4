"""The summary of a calibration: every number in it is one of the calibration."""

import json
import math
from dataclasses import replace
from functools import cache

import pytest
from invocation import printed_json, run_netmodel
from result_cases import CARD, example, figures, fit

from netmodel.calibration import Fit, feasible_set
from netmodel.calibration._summary import Summary, _best_next


@cache
def summary_of(name: str) -> Summary:
    summary = example(name).summary()
    assert isinstance(summary, Summary)
    return summary


def rows(summary: Summary, title: str) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in summary.section(title).rows}


def test_parameters_have_interval_relative_half_width_unit_and_bound() -> None:
    result: Fit = example("Fit")
    table = rows(summary_of("Fit"), "Parameters")
    for name, (value, low, high) in result.parameters.items():
        texts = table[name]
        assert [float(text) for text in texts[:3]] == pytest.approx([value, low, high], rel=1e-3)
        half = float(texts[3].removesuffix(" %")) / 100
        assert half == pytest.approx((high - low) / 2 / value, rel=0.05)
        assert texts[4:] == ("s", "yes", "no")


def test_criteria_count_the_noise_where_it_is_estimated() -> None:
    """AIC = 2 k - 2 ln L and BIC = k ln n - 2 ln L, Akaike 1974 and Schwarz 1978; six digits."""
    result: Fit = example("Fit")
    table = rows(summary_of("Fit"), "Fit")
    log, count = result.log_likelihood, 3
    assert float(table["AIC"][0]) == pytest.approx(2 * count - 2 * log, abs=5e-5)
    assert float(table["BIC"][0]) == pytest.approx(count * math.log(5) - 2 * log, abs=5e-5)


def test_the_first_two_of_many_places_are_named() -> None:
    first, second, *others = dict.fromkeys(each.place for each in example("Fit").observed)
    assert others
    text = f"{first}; {second}; {len(others)} more"
    assert rows(summary_of("Fit"), "")["data"] == (text,)
    two = fit(figures(0)[:3:2])
    names = [each.place for each in two.observed]
    assert rows(two.summary(), "")["data"] == ("; ".join(names),)
    unnamed = fit([replace(each, place="") for each in figures(0)])
    assert rows(unnamed.summary(), "")["data"] == ("given as observations",)


def test_conditions_that_all_observations_share_are_named_once() -> None:
    shared = [replace(each, at={**each.at, "adapter": "mine"}) for each in figures(0)]
    (text,) = rows(fit(shared).summary(), "")["all at"]
    assert text.endswith(", adapter mine")
    assert "mtu_bytes" not in text


def test_the_worst_correlation_stands_first() -> None:
    table = summary_of("HostCalibration").section("Correlations").rows
    sizes = [abs(float(row[1])) for row in table]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 3


def test_the_next_measurement_narrows_the_widest_prediction() -> None:
    result: Fit = example("Fit")
    table = rows(summary_of("Fit"), "What to measure next")
    widest = max(result.observed, key=lambda each: _width(result, each.at))
    assert f"mtu_bytes {widest.at['mtu_bytes']}" in table["narrows"][0]
    assert table["narrows"][0].endswith(" %")


def test_the_next_measurement_narrows_the_widest_range() -> None:
    result = example("FeasibleSet")
    backward = feasible_set(result.observed[::-1], result.model)
    for each in (result, backward):
        target, _ = _best_next(each)
        widest = max(_width(each, one.at) for one in each.observed)
        assert _width(each, target.at) == pytest.approx(widest)


def _width(result: Fit, at: object) -> float:
    from netmodel.calibration import Point

    _, low, high = result.predict(Point("throughput_bps", at))  # type: ignore[arg-type]
    return (high - low) / (high + low)


def test_a_feasible_set_has_no_likelihood_and_says_what_its_ranges_are() -> None:
    summary = summary_of("FeasibleSet")
    assert {each.title for each in summary.sections} == {
        *("", "Parameters", "What to measure next")
    }
    with pytest.raises(KeyError, match="Fit"):
        summary.section("Fit")
    assert "ranges are those of rounding" in str(summary)
    assert rows(summary, "Parameters")["in.per_byte_s"][-2:] == ("no", "no")


def test_unknown_noise_leaves_intervals_open() -> None:
    two = fit(figures(0)[:3:2])
    assert two.is_undetermined
    text = str(two.summary())
    assert "unknown: intervals are open" in text
    assert "AIC" not in text


@pytest.mark.parametrize("name", ["Fit", "FeasibleSet", "ChosenModel"])
def test_every_calibration_has_one_as_text_table_and_json(name: str) -> None:
    summary = summary_of(name)
    html = summary._repr_html_()
    for section in summary.sections:
        assert section.title in str(summary)
        assert section.title in html
    assert json.loads(json.dumps(summary.to_dict())) == summary.to_dict()
    assert len(repr(summary)) <= 100
    assert all(f"note: {note}" in str(summary) for note in summary.notes)


def test_that_of_a_host_says_whose_time_it_is() -> None:
    result = example("HostCalibration")
    table = rows(summary_of("HostCalibration"), "")
    assert table["CPU time of"] == (result.basis,)
    assert table["sides"] == ("client and server",)
    assert table["degrees of freedom"] == (str(result.calibration.degrees_of_freedom),)
    assert "yes" in rows(summary_of("HostCalibration"), "Parameters")["received.per_byte_s"][-1]


def test_the_command_prints_it() -> None:
    where = ("--where", "workload=str-writex30k", "--where", "direction=in")
    result = run_netmodel("calibrate", CARD, *where, "--summary")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "What to measure next" in result.stdout
    assert "estimable" in result.stdout
    assert result.stdout.count("note: no unique best fit") == 1
    row = printed_json("calibrate", CARD, *where, "--summary", "--json")
    titles = [each["title"] for each in row["summary"]["sections"]]
    assert titles == ["", "Parameters", "What to measure next"]
    assert "summary" not in printed_json("calibrate", CARD, *where, "--json")
