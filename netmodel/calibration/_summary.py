"""The summary of a calibration: what it rests on, what it says, and what would narrow it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from netmodel._display import short_repr, shortened_path
from netmodel._html import definition_table, notes_list, row_table
from netmodel._terminal import fitted
from netmodel._text import SENTENCE_DIGITS, percent_text, text_table
from netmodel.calibration._choices import ChosenModel
from netmodel.calibration._conditions import shared_conditions
from netmodel.calibration._fit import Fit
from netmodel.calibration._models import Point, SeveralModels
from netmodel.calibration._next import Advice, next_measurements
from netmodel.calibration._noise import Noise
from netmodel.calibration._observed import Observed, conditions_text
from netmodel.calibration._problem import quantities
from netmodel.calibration._sets import FeasibleSet
from netmodel.errors import NetmodelError

if TYPE_CHECKING:
    from netmodel.calibration._host_runs import HostCalibration

Summarised: TypeAlias = "Fit | FeasibleSet | ChosenModel"

_SOURCES = 2
"""Places of observations that are named; of more it says how many there are."""
_PAIRS = 3
"""Pairs of parameters whose correlation is shown: those that observations separate worst."""
_PER_CENT_DIGITS = 2
"""Of relative widths: an interval is hardly known to more."""
_STATISTIC_DIGITS = 6
"""Of log-likelihoods and criteria, whose differences count from 1 up."""
_HEADS = ("parameter", "value", "low", "high", "+/-", "unit", "estimable", "at bound")
_NUMBERS = frozenset(_HEADS[1:5]) | {"correlation"}
"""Columns of numbers, aligned on the right."""


@dataclass(frozen=True, slots=True)
class Section:
    """
    A table of a summary.

    Parameters
    ----------
    title : str
        What it shows; empty for the first.
    heads : tuple of str
        Of the columns; empty where rows are a name and a text.
    rows : tuple of tuple of str
        Cells.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def right_aligned(self) -> Sequence[int]:
        """Columns of numbers."""
        return [place for place, head in enumerate(self.heads) if head in _NUMBERS]


@dataclass(frozen=True, slots=True)
class Summary:
    """
    A calibration in sections; prints as text, and as tables in a notebook.

    Parameters
    ----------
    title : str
        Model, method and number of observations.
    sections : tuple of Section
        What it rests on, parameters, correlations, statistics, and the measurement that would
        narrow it most, as far as there are any.
    notes : tuple of str
        What to know before using it, most important first.
    """

    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]

    def section(self, title: str) -> Section:
        """The section of a title; KeyError where the calibration has none."""
        for each in self.sections:
            if each.title == title:
                return each
        raise KeyError(title)

    def to_dict(self) -> dict[str, Any]:
        """Texts of each section by its title."""
        return {
            "title": self.title,
            "sections": [
                {"title": each.title, "heads": list(each.heads), "rows": [*map(list, each.rows)]}
                for each in self.sections
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        blocks = [self.title]
        for each in self.sections:
            heads = [each.heads] if each.heads else []
            table = text_table([*heads, *each.rows], right_aligned=each.right_aligned)
            blocks.append(f"{each.title}\n{table}" if each.title else table)
        notes = "\n".join(f"note: {note}" for note in self.notes)
        return fitted("\n\n".join(filter(None, [*blocks, notes])))

    def __repr__(self) -> str:
        return short_repr(self, self.title)

    def _repr_html_(self) -> str:
        tables = [
            row_table(each.title, each.heads, each.rows, each.right_aligned)
            if each.heads
            else definition_table(each.title or self.title, [(row[0], row[1]) for row in each.rows])
            for each in self.sections
        ]
        return "".join(tables) + notes_list(self.notes)


def summary_of(calibration: Summarised) -> Summary:
    """The summary of a calibration, with the measurement that would narrow it most."""
    brief = brief_of(calibration)
    parts: list[Section | None] = [
        *brief.sections,
        _correlations(calibration),
        _statistics(calibration),
        _next(calibration),
    ]
    sections = tuple(part for part in parts if part is not None and part.rows)
    return replace(brief, sections=sections)


def brief_of(calibration: Summarised) -> Summary:
    """What it rests on and its parameters alone, which takes no time."""
    count = len(calibration.observed)
    title = f"{_model_name(calibration)} by {calibration.method}: {count} observations"
    sections = (Section("", (), tuple(_about(calibration))), _parameters(calibration))
    return Summary(title, tuple(each for each in sections if each.rows), tuple(calibration.notes))


def host_summary(result: "HostCalibration", *, is_brief: bool = False) -> Summary:
    """That of the calibration of a host, with whose time it is and what it leaves out."""
    inner = (brief_of if is_brief else summary_of)(result.calibration)
    first, *others = inner.sections
    rows = [
        ("CPU time of", result.basis),
        ("sides", " and ".join(side.value for side in result.sides)),
        *first.rows,
        *(("left out", text) for text in result.unknown),
    ]
    notes = tuple(dict.fromkeys((*result.notes, *inner.notes)))
    return Summary(inner.title, (replace(first, rows=tuple(rows)), *others), notes)


def _model_name(calibration: Summarised) -> str:
    if isinstance(calibration, ChosenModel):
        return f"Choice of {len(calibration.tried)} models"
    model = calibration.model
    if isinstance(model, SeveralModels):
        inner = dict.fromkeys(type(each).__name__ for each in model.models.values())
        return f"{', '.join(inner)} for each {model.by}"
    return type(model).__name__


def _about(calibration: Summarised) -> Iterator[tuple[str, str]]:
    """What it rests on."""
    observed = calibration.observed
    yield "quantity", ", ".join(dict.fromkeys(each.quantity for each in observed))
    yield "data", _sources(observed)
    figures = sum(each.figure is not None for each in observed)
    bounds = len(observed) - figures
    yield "observations", f"{figures} figures" + (f", {bounds} bounds" if bounds else "")
    if common := shared_conditions(observed):
        yield "all at", conditions_text(common)
    yield "level of intervals", percent_text(calibration.level_ratio, _PER_CENT_DIGITS + 1)
    if isinstance(calibration, Fit):
        yield "degrees of freedom", str(calibration.degrees_of_freedom)
        yield "scatter of runs", _scatter(calibration)
    elif isinstance(calibration, FeasibleSet):
        known = calibration.scatter
        yield (
            "scatter of runs",
            "not known: ranges are those of rounding"
            if known is None
            else percent_text(known.ratio, _PER_CENT_DIGITS),
        )


def _sources(observed: Sequence[Observed]) -> str:
    places = [*dict.fromkeys(each.place for each in observed if each.place)]
    if not places:
        return "given as observations"
    more = len(places) - _SOURCES
    named = "; ".join(shortened_path(place) for place in places[:_SOURCES])
    return f"{named}; {more} more" if more > 0 else named


def _scatter(fit: Fit) -> str:
    if fit.is_undetermined:
        return "unknown: intervals are open"
    size = fit.noise_sd if fit.is_noise_known else fit.corrected_noise_sd
    text = (
        percent_text(size, _PER_CENT_DIGITS)
        if fit.noise is Noise.RELATIVE
        else f"{size:.{SENTENCE_DIGITS}g}"
    )
    return f"{text}, {'given' if fit.is_noise_known else 'estimated from the residuals'}"


def units_of(calibration: Summarised) -> dict[str, str]:
    """Unit of each parameter; empty for a number."""
    if isinstance(calibration, ChosenModel):
        return {each.name: each.unit for each in calibration.free}
    return {each.name: each.unit for each in calibration.model.parameters}


def _parameters(calibration: Summarised) -> Section:
    units = units_of(calibration)
    bounds = calibration.active_bounds if isinstance(calibration, Fit) else ()
    rows = []
    for name, (value, low, high) in calibration.parameters.items():
        middle = (low + high) / 2 if value is None else value
        half = (high - low) / 2
        is_finite = math.isfinite(half) and middle > 0
        estimable = calibration.estimable.get(name)
        rows.append(
            (
                name,
                *map(_number, (value, low, high)),
                percent_text(half / middle, _PER_CENT_DIGITS) if is_finite else "-",
                units.get(name, ""),
                {True: "yes", False: "no", None: "unknown"}[estimable],
                "yes" if name in bounds else "no",
            )
        )
    return Section("Parameters", _HEADS, tuple(rows))


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return "any" if math.isinf(value) else f"{value:.{SENTENCE_DIGITS}g}"


def _correlations(calibration: Summarised) -> Section | None:
    """The pairs that observations separate worst."""
    if not isinstance(calibration, Fit) or calibration.is_undetermined:
        return None
    names, matrix = list(calibration.values), calibration.correlation
    pairs = [
        (float(matrix[first, second]), names[first], names[second])
        for first, second in combinations(range(len(names)), 2)
        if np.isfinite(matrix[first, second])
    ]
    pairs.sort(key=lambda pair: -abs(pair[0]))
    rows = tuple((f"{one}, {other}", f"{value:+.2f}") for value, one, other in pairs[:_PAIRS])
    return Section("Correlations", ("pair", "correlation"), rows)


def _statistics(calibration: Summarised) -> Section | None:
    """Of the likelihood, where there is one."""
    if not isinstance(calibration, Fit) or calibration.is_undetermined:
        return None
    count = len(calibration.model.parameters) + (not calibration.is_noise_known)
    log = calibration.log_likelihood
    rows = [("condition number", f"{calibration.collinearity.condition_number:.3g}")]
    if math.isfinite(log):
        criteria = {
            "log-likelihood": log,
            "AIC": 2 * count - 2 * log,
            "BIC": math.log(len(calibration.observed)) * count - 2 * log,
        }
        rows[:0] = [(name, f"{value:.{_STATISTIC_DIGITS}g}") for name, value in criteria.items()]
    lack, worst = calibration.lack_of_fit, calibration.largest_residual
    if lack is not None:
        rows.append((f"lack of fit ({lack.test})", f"p = {lack.probability_ratio:.2g}"))
    if worst is not None:
        rows.append(("largest residual", f"{worst.deviations:+.1f} sd, {worst.name}"))
    return Section("Fit", (), tuple(rows))


def _next(calibration: Summarised) -> Section | None:
    """The measurement that narrows what is known least."""
    if not isinstance(calibration, Fit | FeasibleSet):
        return None
    try:
        target, advice = _best_next(calibration)
    except NetmodelError:
        return None
    if advice is None:
        return None
    share = percent_text(advice.shrinkage_ratio, _PER_CENT_DIGITS)
    common = shared_conditions(calibration.observed)
    new, old = (
        conditions_text({name: value for name, value in at.items() if common.get(name) != value})
        or "the same"
        for at in (advice.point.at, target.at)
    )
    rows = (
        ("measure", f"{advice.point.quantity} at {new}"),
        ("narrows", f"{target.quantity} at {old} by {share}"),
    )
    return Section("What to measure next", (), rows)


def _best_next(calibration: Fit | FeasibleSet) -> tuple[Point, Advice | None]:
    """The observed point whose prediction is widest, and the best measurement for it."""
    points = {
        (each.quantity, frozenset(each.at.items())): Point(each.quantity, each.at)
        for each in calibration.observed
    }
    target = max(points.values(), key=lambda point: _width(calibration, point))
    best, *_ = [*next_measurements(calibration, target), None]
    return target, best


def _width(calibration: Fit | FeasibleSet, point: Point) -> float:
    """Relative width of a prediction; that of an open end is the largest of all."""
    if isinstance(calibration, Fit) and not calibration.is_undetermined:
        # by the covariance: an interval of the likelihood takes a twentieth of a second
        parameters = np.array([*calibration.values.values()])
        known = quantities(calibration.model, [point], parameters)
        slopes = known.slopes(parameters)[0]
        variance = float(slopes @ calibration.covariance @ slopes)
        return math.sqrt(max(variance, 0.0)) / float(known.values(parameters)[0])
    _, low, high = calibration.predict(point)
    return (high - low) / (high + low) if 0 < high < math.inf else 1.0
