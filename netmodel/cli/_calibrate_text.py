"""What ``netmodel calibrate`` found, as text and as JSON."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel.cli._console import terminal_width
from netmodel.report import number_text, text_table, wrapped_lines
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel._estimates import Estimate
    from netmodel.calibration import Point
    from netmodel.calibration._calibrate import Calibration
    from netmodel.calibration._compare import Comparison
    from netmodel.calibration._next import Advice

__all__ = ["Calibrated", "Predicted", "calibrated_text"]

_DIGITS = 5
_LEAST_TIME_S = 1e-12
_UNKNOWN = "-"
_KNOWN_FAULT = "known fault of "
_ESTIMABLE = {True: "yes", False: "no", None: "unknown"}
_OPEN = (
    "no interval, since the run-to-run noise is not known: give --noise, or repeat a run; values "
    "take the figures as they stand"
)
_SAID_ABOVE = frozenset({"parameters", "identified", "observation_count"})


class Predicted(NamedTuple):
    """A quantity under conditions, and where one more run of it would be if that is known."""

    point: "Point"
    mean: "Estimate"
    run: "Estimate | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A calibration, and what was asked of it."""

    source: str
    model_name: str
    calibration: "Calibration"
    notes: tuple[str, ...]
    predictions: tuple[Predicted, ...]
    advice: "tuple[tuple[Point, list[Advice]], ...]"
    comparison: "Comparison | None"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units; an open end, and a value that is not known, is None."""
        found = self.calibration
        told = found.to_dict()
        return {
            "source": self.source,
            "model": self.model_name,
            "method": found.method,
            "parameters": {
                one.name: {
                    **found.parameters[one.name].known(),
                    "unit": one.unit,
                    "identified": found.identified[one.name],
                }
                for one in found.model.parameters
            },
            "predictions": [
                {
                    **_point(one.point),
                    **one.mean.known(),
                    "new_run_low": one.run and one.run.known()["low"],
                    "new_run_high": one.run and one.run.known()["high"],
                }
                for one in self.predictions
            ],
            "next": [
                {"prediction": _point(point), "measurements": [_advice(one) for one in several]}
                for point, several in self.advice
            ],
            "comparison": self.comparison and self.comparison.to_dict(),
            "observation_count": len(found.observed),
            **{name: value for name, value in told.items() if name not in _SAID_ABOVE},
            "notes": [*self.notes, *found.notes],
        }


def calibrated_text(result: Calibrated) -> str:
    """Tables of parameters, predictions and advice, and what a reader should know."""
    parts = list(_parts(result))
    return "\n\n".join(parts)


def _parts(result: Calibrated) -> Iterator[str]:
    found = result.calibration
    told = _answer(found)
    count = len(found.observed)
    yield f"{result.model_name} from {count} observations of {result.source}: {told}"
    yield _parameters(result)
    if found.method == "likelihood":
        yield _scatter(found)
        yield from _largest(found)
    if result.predictions:
        yield _predictions(result)
    for point, several in result.advice:
        yield _next(point, several, result)
    if result.comparison is not None:
        yield str(result.comparison)
    faults = [note for note in result.notes if note.startswith(_KNOWN_FAULT)]
    remarks = [note for note in result.notes if note not in faults]
    if faults:
        remarks.append(f"known faults of the source, which --json tells: {len(faults)}")
    remarks += found.notes
    if remarks:
        text = "\n".join(f"- {remark}" for remark in remarks)
        yield wrapped_lines(text, terminal_width())


def _answer(found: Any) -> str:
    """What kind of answer it is, in a sentence."""
    level = f"{100 * found.level_ratio:g} %"
    if found.method == "likelihood":
        if found.is_undetermined:
            return _OPEN
        return f"the likeliest parameters, with intervals of {level}, run-to-run noise included"
    if found.is_open:
        return _OPEN
    if found.scatter is None:
        return (
            "all parameters that agree with every figure within its printed digits; run-to-run "
            "scatter is not included, and none is the likeliest"
        )
    given = "given" if found.scatter.degrees_of_freedom is None else "from repeats"
    return (
        f"all parameters that agree with every observation within a noise of "
        f"{100 * found.scatter.ratio:.3g} % ({given}), at {level} for all together"
    )


def _scatter(found: Any) -> str:
    """How much figures scatter about the model, and what that rests on."""
    count = found.degrees_of_freedom
    freedom = f"{count} degree{'s' * (count != 1)} of freedom"
    if found.is_noise_known:
        return f"run-to-run noise: {100 * found.noise_sd:.3g} %, as given; {freedom}"
    if found.is_undetermined:
        return f"run-to-run noise: not known; {freedom}"
    return (
        f"run-to-run noise: {100 * found.corrected_noise_sd:.3g} %, from how the figures scatter "
        f"about the model; {freedom}"
    )


def _largest(found: Any) -> Iterator[str]:
    """The observation that is furthest from the model, and whether noise explains it."""
    from netmodel.calibration._sources._conditions import shared_conditions

    worst = found.largest_residual
    if worst is None:
        return
    common = shared_conditions(found.observed)
    at = ", ".join(f"{name} {value}" for name, value in worst.at.items() if name not in common)
    beyond = worst.is_beyond_noise(1 - found.level_ratio)
    verdict = "more than the noise explains" if beyond else "within the noise"
    side = "below" if worst.deviations < 0 else "above"
    told = (
        f"largest residual: {worst.name}{f' ({at})' if at else ''}: measured "
        f"{_quantity(worst.quantity, worst.measured)}, fitted "
        f"{_quantity(worst.quantity, worst.fitted)}: {abs(worst.deviations):.1f} standard "
        f"deviations {side}, {verdict}"
    )
    yield wrapped_lines(told, terminal_width())


def _parameters(result: Calibrated) -> str:
    found = result.calibration
    rows: list[tuple[str, ...]] = [("parameter", "value", "lowest", "highest", "estimable")]
    for one in found.model.parameters:
        cells = (_with_unit(number, one.unit) for number in found.parameters[one.name])
        rows.append((one.name, *cells, _ESTIMABLE[found.identified[one.name]]))
    return text_table(rows, right_aligned=(1, 2, 3))


def _predictions(result: Calibrated) -> str:
    head = ("prediction", "at", "value", "lowest", "highest", "a new run: lowest", "highest")
    rows: list[tuple[str, ...]] = [head]
    told = _told([one.point for one in result.predictions], result)
    for at, one in zip(told, result.predictions, strict=True):
        numbers = (*one.mean, *(one.run[1:] if one.run else (None, None)))
        cells = (_quantity(one.point.quantity, number) for number in numbers)
        rows.append((one.point.quantity, at, *cells))
    return text_table(rows, right_aligned=(2, 3, 4, 5, 6))


def _next(point: "Point", several: "list[Advice]", result: Calibrated) -> str:
    if not several:
        (at,) = _told([point], result)
        return f"Nothing that could be measured next narrows {point.quantity} at {at} by 1 %"
    wanted, *told = _told([point, *(one.point for one in several)], result)
    head = f"What to measure next for {point.quantity} at {wanted}"
    rows: list[tuple[str, ...]] = [("measure", "range afterwards", "narrower by", "at worst")]
    rows += [
        (
            at,
            _quantity(point.quantity, one.expected_width),
            f"{one.shrinkage_ratio:.0%}",
            f"{one.worst_shrinkage_ratio:.0%}",
        )
        for at, one in zip(told, several, strict=True)
    ]
    return f"{head}\n{text_table(rows, right_aligned=(1, 2, 3))}"


def _told(points: "Sequence[Point]", result: Calibrated) -> list[str]:
    """Conditions of points, but for those that they share with each other and all observations."""
    from netmodel.calibration._sources._conditions import shared_conditions

    observed = shared_conditions(result.calibration.observed)
    shared = {
        name for name, value in observed.items() if all(one.at.get(name) == value for one in points)
    }
    return [_conditions(one, shared) or "as observed" for one in points]


def _conditions(point: "Point", common: "Collection[str]") -> str:
    told = ((name, value) for name, value in point.at.items() if name not in common)
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in told
    )


def _quantity(name: str, number: float | None) -> str:
    """A number of a quantity, whose name ends in its unit."""
    if name.endswith("_bps"):
        return _with_unit(number, "bit/s")
    if name.endswith("_us_per_gbit"):
        return _with_unit(number, "µs/Gbit")
    return _with_unit(number, "/s" if name.endswith("_tps") else "s")


def _with_unit(number: float | None, unit: str) -> str:
    if number is None:
        return _UNKNOWN
    if math.isinf(number):
        return "any"
    if unit == "bit/s":
        return format_rate(number, _DIGITS)
    if unit.startswith("s") and (number == 0 or number >= _LEAST_TIME_S):
        return format_time(number, _DIGITS) + unit.removeprefix("s")
    return f"{number_text(number)} {unit}"


def _point(point: "Point") -> dict[str, Any]:
    return {"quantity": point.quantity, "at": dict(point.at)}


def _advice(one: "Advice") -> dict[str, Any]:
    return {**one._asdict(), "point": _point(one.point)}
