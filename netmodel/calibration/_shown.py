"""Base of all calibrations: plain values and text."""

from typing import TYPE_CHECKING, Any

from netmodel.results import Result, plain, short_repr
from netmodel.terminal import fitted

if TYPE_CHECKING:
    from netmodel.calibration.models import FreeParameter

_DIGITS = 6
"""Significant digits of values and ends in text: more than any figure has."""


class Shown(Result):
    """A calibration: has ``parameters`` with intervals, ``estimable``, ``observed``, ``notes``."""

    __slots__ = ()

    @property
    def known(self: Any) -> Any:
        """Calibration with the parameters: this one, or one that it holds."""
        return self

    @property
    def free(self: Any) -> "tuple[FreeParameter, ...]":
        """Names and units of the parameters."""
        parameters: tuple[FreeParameter, ...] = self.known.model.parameters
        return parameters

    def to_dict(self: Any) -> dict[str, Any]:
        """Method, parameters with units and intervals, notes, and what the method adds."""
        known = self.known
        units = {each.name: each.unit for each in known.free}
        return {
            "method": known.method,
            "parameters": {
                name: {**plain(each), "unit": units[name], "estimable": known.estimable[name]}
                for name, each in known.parameters.items()
            },
            "observation_count": len(known.observed),
            "notes": list(self.notes),
            **super().to_dict(),
        }

    @property
    def rows(self: Any) -> list[tuple[str, str]]:
        """Name of each parameter, and its value and range as text."""
        units = {each.name: each.unit for each in self.known.free}
        rows = []
        for name, (value, low, high) in self.known.parameters.items():
            unit = f" {units.get(name, '')}".rstrip()
            span = f"{low:.{_DIGITS}g} to {high:.{_DIGITS}g}"
            text = span + unit if value is None else f"{value:.{_DIGITS}g}{unit}, {span}"
            rows.append((name, text))
        return rows

    def __str__(self: Any) -> str:
        return fitted("\n".join((*(f"{name}: {text}" for name, text in self.rows), *self.notes)))

    def __repr__(self: Any) -> str:
        rows = ", ".join(f"{name} {text}" for name, text in self.rows)
        return short_repr(self, f"{len(self.known.observed)} observations: {rows}")
