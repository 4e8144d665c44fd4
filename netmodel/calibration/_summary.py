"""A calibration in a notebook: what it rests on, and its parameters."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from netmodel.calibration._choices import ChosenModel
from netmodel.calibration._conditions import shared_conditions
from netmodel.calibration._fit import Fit
from netmodel.calibration._models import SeveralModels
from netmodel.calibration._noise import Noise
from netmodel.calibration._observed import Observed, conditions_text
from netmodel.calibration.sets import FeasibleSet
from netmodel.html import definition_table, notes_list, row_table
from netmodel.results import shortened_path
from netmodel.text import SENTENCE_DIGITS, percent_text

if TYPE_CHECKING:
    from netmodel.calibration.host_runs import HostCalibration

Summarised: TypeAlias = "Fit | FeasibleSet | ChosenModel"

_SOURCES = 2
"""Places of observations that are named; of more it says how many there are."""
_PER_CENT_DIGITS = 2
"""Of relative widths: an interval is hardly known to more."""
_HEADS = ("parameter", "value", "low", "high", "+/-", "unit", "estimable", "at bound")
_NUMBERS = frozenset(_HEADS[1:5])
"""Columns of numbers, aligned on the right."""


def html_of(calibration: Summarised) -> str:
    """What a calibration rests on, its parameters and notes, as tables of a notebook."""
    return _tables(calibration, list(_about(calibration)), calibration.notes)


def html_of_host(result: "HostCalibration") -> str:
    """That of the calibration of a host, with whose time it is and what it leaves out."""
    about = [
        ("CPU time of", result.basis),
        ("sides", " and ".join(side.value for side in result.sides)),
        *_about(result.calibration),
        *(("left out", text) for text in result.unknown),
    ]
    notes = dict.fromkeys((*result.notes, *result.calibration.notes))
    return _tables(result.calibration, about, tuple(notes))


def _tables(calibration: Summarised, about: Sequence[tuple[str, str]], notes: Sequence[str]) -> str:
    count = len(calibration.observed)
    title = f"{_model_name(calibration)} by {calibration.method}: {count} observations"
    rows = _parameters(calibration)
    numbers = [place for place, head in enumerate(_HEADS) if head in _NUMBERS]
    table = row_table("Parameters", _HEADS, rows, numbers) if rows else ""
    return definition_table(title, about) + table + notes_list(notes)


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
    return {each.name: each.unit for each in calibration.free}


def _parameters(calibration: Summarised) -> list[tuple[str, ...]]:
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
    return rows


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return "any" if math.isinf(value) else f"{value:.{SENTENCE_DIGITS}g}"
