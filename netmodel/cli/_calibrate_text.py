"""What ``netmodel calibrate`` found, as text and as JSON."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netmodel.cli._options import terminal_width
from netmodel.report import number_text, text_table, wrapped_lines
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel.calibration import Advice, Calibration, Comparison, Point
    from netmodel.path import Estimate

__all__ = ["Calibrated", "calibrated_text"]

_DIGITS = 5
_LEAST_TIME_S = 1e-12
_UNKNOWN = "-"
_KNOWN_FAULT = "known fault of "
_METHODS = {
    "likelihood": "the likeliest parameters, with intervals of {level:.0%}",
    "feasible_set": "all parameters that agree with every figure within its digits; how much runs "
    "scatter is not in it, and none is the likeliest",
}
_SAID_ABOVE = frozenset({"parameters", "identified", "observation_count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A calibration, and what was asked of it."""

    source: str
    model_name: str
    calibration: "Calibration"
    notes: tuple[str, ...]
    predictions: "tuple[tuple[Point, Estimate], ...]"
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
                {**_point(point), **estimate.known()} for point, estimate in self.predictions
            ],
            "next": [
                {"prediction": _point(point), "measurements": [_advice(one) for one in several]}
                for point, several in self.advice
            ],
            "comparison": self.comparison and self.comparison.to_dict(),
            "observation_count": len(found.observed),
            "notes": list(self.notes),
            **{name: value for name, value in told.items() if name not in _SAID_ABOVE},
        }


def calibrated_text(result: Calibrated) -> str:
    """Tables of parameters, predictions and advice, and what a reader should know."""
    parts = list(_parts(result))
    return "\n\n".join(parts)


def _parts(result: Calibrated) -> Iterator[str]:
    found = result.calibration
    told = _METHODS[found.method].format(level=getattr(found, "level_ratio", 1))
    count = len(found.observed)
    yield f"{result.model_name} from {count} observations of {result.source}: {told}"
    yield _parameters(result)
    if found.method == "likelihood":
        yield _scatter(found)
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
    remarks += found.warnings
    if remarks:
        text = "\n".join(f"- {remark}" for remark in remarks)
        yield wrapped_lines(text, terminal_width())


def _scatter(found: Any) -> str:
    """How much figures scatter about the model, and what that rests on."""
    known = " as stated" if found.is_noise_known else ""
    count = found.degrees_of_freedom
    return (
        f"figures scatter by {100 * found.noise_sd:.3g} %{known} about the model; "
        f"{count} degree{'s' * (count != 1)} of freedom"
    )


def _parameters(result: Calibrated) -> str:
    found = result.calibration
    rows: list[tuple[str, ...]] = [("parameter", "value", "lowest", "highest", "identified")]
    for one in found.model.parameters:
        cells = (_with_unit(number, one.unit) for number in found.parameters[one.name])
        rows.append((one.name, *cells, "yes" if found.identified[one.name] else "no"))
    return text_table(rows, right_aligned=(1, 2, 3))


def _predictions(result: Calibrated) -> str:
    rows: list[tuple[str, ...]] = [("prediction", "at", "value", "lowest", "highest")]
    told = _told([point for point, _ in result.predictions], result)
    for at, (point, estimate) in zip(told, result.predictions, strict=True):
        cells = (_quantity(point.quantity, number) for number in estimate)
        rows.append((point.quantity, at, *cells))
    return text_table(rows, right_aligned=(2, 3, 4))


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
    from netmodel.calibration import shared_conditions

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
