"""What ``netmodel calibrate`` prints, as text and as JSON."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from netmodel._text import RESULT_DIGITS, fixed_percent, percent_text
from netmodel.cli._console import notes_text, wrapped
from netmodel.report import text_table
from netmodel.report.text import number_text
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel.calibration import Fit, FreeParameter, Point
    from netmodel.calibration._calibrate import AnyCalibration
    from netmodel.calibration._diagnostics import Residual
    from netmodel.calibration._next import Advice
    from netmodel.estimates import Estimate

_MIN_TIME_S = 1e-12
"""Below a picosecond, which no unit of format_time goes under, times print as plain numbers."""
_NUMBERS = ("value", "lowest", "highest")
_PLACES = range(1, 4)
"""Columns of numbers: three, behind the name of the row."""
_KNOWN_FAULT = "known fault of "
_ESTIMABLE = {True: "yes", False: "no", None: "unknown"}
_OPEN = (
    "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run; values assume "
    "no noise"
)
_GIVEN_ABOVE = frozenset({"parameters", "estimable", "observation_count", "notes"})
"""Keys of Calibration.to_dict that the JSON has in another form."""


class Predicted(NamedTuple):
    """A quantity under conditions, and the interval of one more run of it where known."""

    point: "Point"
    mean: "Estimate[float | None]"
    run: "Estimate[float | None] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A calibration, and what was asked of it."""

    source: str
    model_name: str
    calibration: "AnyCalibration"
    predictions: Sequence[Predicted]
    advice: "Sequence[tuple[Point, list[Advice]]]"

    def to_dict(self) -> dict[str, object]:
        """Plain values in base units; an open end, and a value that is not known, is None."""
        calibration = self.calibration
        return {
            "source": self.source,
            "model": self.model_name,
            "method": calibration.method,
            "parameters": {
                parameter.name: {
                    **calibration.parameters[parameter.name].known(),
                    "unit": parameter.unit,
                    "estimable": calibration.estimable[parameter.name],
                }
                for parameter in parameters_of(calibration)
            },
            "predictions": [
                {
                    **_point_dict(each.point),
                    **each.mean.known(),
                    "new_run_low": each.run and each.run.known()["low"],
                    "new_run_high": each.run and each.run.known()["high"],
                }
                for each in self.predictions
            ],
            "next": [
                {
                    "prediction": _point_dict(point),
                    "measurements": [
                        {**each._asdict(), "point": _point_dict(each.point)}
                        for each in measurements
                    ],
                }
                for point, measurements in self.advice
            ],
            "observation_count": len(calibration.observed),
            **{
                name: value
                for name, value in calibration.to_dict().items()
                if name not in _GIVEN_ABOVE
            },
            "notes": list(calibration.notes),
        }


def _point_dict(point: "Point") -> dict[str, object]:
    return {"quantity": point.quantity, "at": dict(point.at)}


def text_blocks(result: Calibrated, is_verbose: bool) -> Iterator[str]:
    """The answer, tables of parameters, predictions and measurements to make, and notes."""
    from netmodel.calibration import FeasibleSet, Fit
    from netmodel.calibration._diagnostics import OUTLIER
    from netmodel.calibration._observed import FAILED_RUN, OF_ADAPTER

    calibration = result.calibration
    count = len(calibration.observed)
    observations = f"{count} observation{'s' * (count != 1)}"
    answer = _answer(calibration)
    zeros = [note for note in calibration.notes if note.endswith(FAILED_RUN)]
    outlier = _outlier(calibration)
    yield from (wrapped(f"check first: {doubt}") for doubt in (*zeros, outlier) if doubt)
    yield wrapped(f"{result.model_name} from {observations} of {result.source}: {answer}")
    if not isinstance(calibration, Fit | FeasibleSet):
        yield calibration.table
    rows: list[tuple[str, ...]] = [("parameter", *_NUMBERS, "estimable")]
    for parameter in parameters_of(calibration):
        estimate = calibration.parameters[parameter.name]
        cells = (_with_unit(number, parameter.unit) for number in estimate)
        rows.append((parameter.name, *cells, _ESTIMABLE[calibration.estimable[parameter.name]]))
    if len(rows) > 1:
        yield text_table(rows, right_aligned=_PLACES)
    if isinstance(calibration, Fit):
        yield _noise_text(calibration)
        yield "" if outlier else _largest_residual_text(calibration)
    if result.predictions:
        rows = [("prediction", *_NUMBERS)]
        places = _places([each.point for each in result.predictions], result)
        for place, each in zip(places, result.predictions, strict=True):
            quantity = each.point.quantity
            cells = (_quantity(quantity, number) for number in each.mean)
            rows.append((f"{quantity} at {place}", *cells))
            if each.run is not None:
                ends = (_quantity(quantity, number) for number in each.run[1:])
                rows.append(("  a new run", "", *ends))
        yield text_table(rows, right_aligned=_PLACES)
    for point, measurements in result.advice:
        yield _next_text(point, measurements, result)
    faults = [note for note in calibration.notes if note.startswith(_KNOWN_FAULT)]
    above = {*faults, *zeros, *(note for note in calibration.notes if note.startswith(OUTLIER))}
    notes = [note for note in calibration.notes if note not in above]
    notes.sort(key=lambda note: not note.endswith(OF_ADAPTER))
    if faults and not is_verbose:
        notes.append(f"known faults of the source, which --verbose prints: {len(faults)}")
    yield notes_text([*notes, *(faults if is_verbose else ())], is_verbose)


def _outlier(calibration: "AnyCalibration") -> str:
    """An observation that noise does not explain: it comes before the answer that it distorts."""
    from netmodel.calibration import Fit

    if not isinstance(calibration, Fit):
        return ""
    worst = calibration.largest_residual
    if worst is None or not worst.is_beyond_noise(1 - calibration.level_ratio):
        return ""
    return (
        f"{_residual(calibration, worst)}, more than the noise explains "
        f"(p = {worst.probability_ratio:.2g}); correct, remove or flag it"
    )


def parameters_of(calibration: "AnyCalibration") -> "tuple[FreeParameter, ...]":
    """Names and units of the parameters."""
    from netmodel.calibration import FeasibleSet, Fit

    if isinstance(calibration, Fit | FeasibleSet):
        return calibration.model.parameters
    return calibration.free


def _answer(calibration: "AnyCalibration") -> str:
    """What kind of answer it is, in a sentence."""
    from netmodel.calibration import FeasibleSet, Fit

    level = f"{100 * calibration.level_ratio:g} %"
    if not isinstance(calibration, Fit | FeasibleSet):
        return f"{calibration.answer}; intervals of {level}"
    if isinstance(calibration, Fit):
        if calibration.is_undetermined:
            return _OPEN
        return f"most likely parameters with {level} intervals, run-to-run noise included"
    if calibration.is_open:
        return _OPEN
    if calibration.scatter is None:
        return (
            "all parameters that agree with every figure within its printed digits, without "
            "run-to-run noise; no single value is the most likely"
        )
    given = "given" if calibration.scatter.degrees_of_freedom is None else "from repeats"
    return (
        f"all parameters that agree with every observation within a noise of "
        f"{percent_text(calibration.scatter.ratio, 3)} ({given}), at {level} for all together"
    )


def _noise_text(fit: "Fit") -> str:
    """How much figures scatter about the model, and what that rests on."""
    count = fit.degrees_of_freedom
    freedom = f"{count} degree{'s' * (count != 1)} of freedom"
    if fit.is_noise_known:
        return f"run-to-run noise: {percent_text(fit.noise_sd, 3)}, as given; {freedom}"
    if fit.is_undetermined:
        return f"run-to-run noise: unknown; {freedom}"
    return (
        f"run-to-run noise: {percent_text(fit.corrected_noise_sd, 3)}, from how the figures "
        f"scatter about the model; {freedom}"
    )


def _largest_residual_text(fit: "Fit") -> str:
    """The observation that is furthest from the model, within the noise."""
    worst = fit.largest_residual
    return wrapped(f"largest residual: {_residual(fit, worst)}, within the noise") if worst else ""


def _residual(fit: "Fit", worst: "Residual") -> str:
    """How far an observation is from the model."""
    from netmodel.calibration._conditions import shared_conditions

    common = shared_conditions(fit.observed)
    place = ", ".join(f"{name} {value}" for name, value in worst.at.items() if name not in common)
    side = "below" if worst.deviations < 0 else "above"
    return (
        f"{worst.name}{f' ({place})' if place else ''}: measured "
        f"{_quantity(worst.quantity, worst.measured)}, fitted "
        f"{_quantity(worst.quantity, worst.fitted)}: {abs(worst.deviations):.1f} standard "
        f"deviations {side}"
    )


def _next_text(point: "Point", measurements: "list[Advice]", result: Calibrated) -> str:
    """The measurements to make next for a prediction, and how much they narrow it."""
    wanted, *places = _places([point, *(each.point for each in measurements)], result)
    if not measurements:
        return f"No next measurement narrows {point.quantity} at {wanted} by 1 %"
    rows: list[tuple[str, ...]] = [("measure", "range then", "narrower", "at worst")]
    rows += [
        (
            place,
            _quantity(point.quantity, each.expected_width),
            fixed_percent(each.shrinkage_ratio, 0),
            fixed_percent(each.worst_shrinkage_ratio, 0),
        )
        for place, each in zip(places, measurements, strict=True)
    ]
    head = f"What to measure next for {point.quantity} at {wanted}"
    return f"{head}\n{text_table(rows, right_aligned=_PLACES)}"


def _places(points: "Sequence[Point]", result: Calibrated) -> list[str]:
    """Conditions of points, but for those that they share with each other and all observations."""
    from netmodel.calibration._conditions import shared_conditions

    observed = shared_conditions(result.calibration.observed)
    shared = {
        name
        for name, value in observed.items()
        if all(point.at.get(name) == value for point in points)
    }
    return [_conditions(point, shared) or "as observed" for point in points]


def _conditions(point: "Point", common: "Collection[str]") -> str:
    values = ((name, value) for name, value in point.at.items() if name not in common)
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values
    )


def _quantity(name: str, number: float | None) -> str:
    """A number of a quantity, whose name ends in its unit."""
    if name.endswith("_bps"):
        return _with_unit(number, "bit/s")
    if name.endswith("_us_per_gbit"):
        return _with_unit(number, "µs/Gbit")
    return _with_unit(number, "/s" if name.endswith("_tps") else "s")


def _with_unit(number: float | None, unit: str) -> str:
    if number is None or math.isnan(number):
        return "-"
    if math.isinf(number):
        return "any"
    if unit == "bit/s":
        return format_rate(number, RESULT_DIGITS)
    if unit.startswith("s") and (number == 0 or number >= _MIN_TIME_S):
        return format_time(number, RESULT_DIGITS) + unit.removeprefix("s")
    return f"{number_text(number)} {unit}"
