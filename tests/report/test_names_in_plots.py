"""Names in plots: a dollar sign begins no formula of TeX, wherever the name is shown."""

import dataclasses
import inspect

import pytest
from paths import STREAM
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel import report
from netmodel.checking import check
from netmodel.path import Path, Stage, Times, predict_path
from netmodel.report import plot_checks, plot_path, plot_predictions

plt = pytest.importorskip("matplotlib.pyplot")

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.text import Text  # noqa: E402

NAME = "${$"
"""As a formula it does not end, which matplotlib refuses when it draws."""


def shown(ax: Axes) -> list[Text]:
    """Texts of the figure after it was drawn."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    return [text for text in figure.findobj(Text) if NAME in text.get_text()]


def hostile_path() -> Path:
    stages = (Stage(name=NAME, to_server=Times(2e-6)), Stage(name="fast", to_server=Times(1e-6)))
    return Path(name=NAME, stages=stages)


@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.usefixtures("plt")
def test_names_are_shown_as_they_are(is_given: bool) -> None:
    def axes() -> Axes | None:
        return plt.subplots(layout="constrained")[1] if is_given else None

    path = hostile_path()
    verdict = dataclasses.replace(check(run(EVEN_CEILING_BPS), EVEN_LINE), file=NAME)
    assert len(shown(plot_path(predict_path(path, STREAM, 1500), axes()))) >= 2
    several = predict_path(path, STREAM, [1500.0, 4000.0, 9000.0])
    assert shown(plot_predictions(several, [1500, 4000, 9000], NAME, axes()))
    assert shown(plot_checks([verdict], axes()))


def test_texts_of_a_user_in_other_axes_stay_formulas() -> None:
    _, (theirs, ours) = plt.subplots(1, 2)
    theirs.set_title("$x^2$")
    plot_path(predict_path(hostile_path(), STREAM, 1500), ours)
    assert theirs.title.get_parse_math()
    assert plt.rcParams["text.parse_math"]


def test_every_plot_shows_names_so() -> None:
    plots = [getattr(report, name) for name in report.__all__ if name.startswith("plot_")]
    assert len(plots) > 7
    assert {inspect.unwrap(each) is not each for each in plots} == {True}
