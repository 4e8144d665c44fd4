"""Plots of planned scenarios show their numbers."""

from dataclasses import replace
from pathlib import Path

import pytest

from netmodel.api import plan_scenario
from netmodel.errors import DomainError
from netmodel.planning import ScenarioPlan
from netmodel.records import data_path
from netmodel.report import plot_scenario

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("plt")
EXAMPLE = data_path("examples", "scenarios", "order-system.toml")


@pytest.fixture(scope="module")
def planned() -> ScenarioPlan:
    return plan_scenario(EXAMPLE)


def short_of_adapters() -> ScenarioPlan:
    return plan_scenario(EXAMPLE, max_utilisation=0.4, adapters_available=2)


def test_a_bar_for_each_candidate_ends_when_growth_exhausts_it() -> None:
    result = short_of_adapters()
    axes = plot_scenario(result)
    bars = [bar for bars in axes.containers for bar in bars]
    ends: dict[int, list[float]] = {}
    for bar in bars:
        ends.setdefault(round(bar.get_y() + bar.get_height() / 2), []).append(bar.get_x())
        ends[round(bar.get_y() + bar.get_height() / 2)].append(bar.get_x() + bar.get_width())
    feasible = [each for each in result.candidates if each.is_feasible]
    assert 1 < len(feasible) < len(result.candidates)
    for row, each in enumerate(feasible):
        assert each.growth is not None
        assert each.available_growth is not None
        # the plan is for the worst case, so that its years are the low end
        first, last = each.growth.years.low, each.available_growth.years.low
        assert ends[row] == pytest.approx([0.0, first, first, last])
    assert sorted(ends) == list(range(len(feasible)))
    ranges = [list(line.get_xdata()) for line in axes.lines]
    years = [each.growth.years for each in feasible if each.growth]
    assert ranges == [[each.low, each.high] for each in years]
    texts = [text.get_text() for text in axes.texts]
    assert texts[0] == f"{feasible[0].growth.exhausted_on:%Y-%m}: server cores"  # type: ignore[union-attr]
    assert texts[-1].startswith("not feasible: 4 adapters are needed")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "planned",
        "with all that is available",
    ]
    assert axes.get_title().startswith(f"{result.title}\n{result.candidates[0].name}: ")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == f"{result.candidates[0].name}\n>= 2 adapters, 9 cores, 50,000 EUR"


def test_years_are_named_by_their_months(planned: ScenarioPlan) -> None:
    axes = plot_scenario(planned)
    axes.get_figure().canvas.draw()
    shown = [place for place in axes.get_xticks() if 0 <= place <= planned.horizon_years]
    ticks = axes.xaxis.get_major_formatter().format_ticks(shown)
    assert ticks == [f"{year}-12" for year in range(2026, 2032)]


def test_what_lasts_beyond_the_horizon_says_so(planned: ScenarioPlan) -> None:
    brief = replace(planned, scenario=planned.scenario.model_copy(update={"horizon_years": 5}))
    candidates = [
        replace(each, growth=each.available_growth) for each in brief.candidates if each.growth
    ]
    axes = plot_scenario(replace(brief, candidates=tuple(candidates)))
    assert {text.get_text() for text in axes.texts} == {"beyond 2031-12"}
    ends = [bar.get_x() + bar.get_width() for bars in axes.containers for bar in bars]
    assert ends == [5.0] * len(candidates)


def test_without_growth_the_adapters_are_drawn(planned: ScenarioPlan) -> None:
    still = tuple(replace(each, growth=None) for each in planned.candidates)
    axes = plot_scenario(replace(planned, candidates=still))
    assert axes.get_xlabel().startswith("adapters at each side")


def test_without_a_plan_there_is_nothing_to_draw(planned: ScenarioPlan) -> None:
    failed = replace(planned.candidates[0], plan=None, reasons=("no MTU",), growth=None)
    with pytest.raises(DomainError, match=r"^no candidate can be planned"):
        plot_scenario(replace(planned, candidates=(failed,)))


def test_inputs_of_a_candidate_are_bars_by_what_they_move(planned: ScenarioPlan) -> None:
    best = planned.candidates[0]
    axes = plot_scenario(best)
    low_bars, high_bars = ([*bars] for bars in axes.containers)
    assert len(low_bars) == len(high_bars) == len(best.sensitivities) > 2
    for low, high, each in zip(low_bars, high_bars, best.sensitivities, strict=True):
        assert 1 + low.get_width() == pytest.approx(each.answer_low / each.planned)
        assert 1 + high.get_width() == pytest.approx(each.answer_high / each.planned)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert "server cost: 0.11 to 0.14 cores/(Gbit/s)" in labels
    axes.get_figure().canvas.draw()
    assert "as planned" in [label.get_text() for label in axes.get_xticklabels()]
    with pytest.raises(DomainError, match=r"no input has a range"):
        plot_scenario(replace(best, plan=None))


def test_names_of_any_kind_are_drawn(planned: ScenarioPlan, tmp_path: Path) -> None:
    name = "many words of a name that nobody would give " * 4
    candidates = tuple(replace(each, name=name) for each in planned.candidates)
    axes = plot_scenario(replace(planned, candidates=candidates))
    axes.get_figure().savefig(tmp_path / "plot.png")
    assert all("…" in label.get_text() for label in axes.get_yticklabels())
