"""What every calibration shows of itself: plain values, a frame."""

from typing import TYPE_CHECKING, Any

from netmodel.frames import frame_of
from netmodel.results import plain

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.calibration.models import FreeParameter


class Shown:
    """A calibration with parameters, of which units and intervals are known."""

    @property
    def free(self: Any) -> "tuple[FreeParameter, ...]":
        """Names and units of the parameters."""
        parameters: tuple[FreeParameter, ...] = self.model.parameters
        return parameters

    def about(self: Any) -> dict[str, Any]:
        """Plain values that every calibration has: method, parameters, notes."""
        units = {each.name: each.unit for each in self.free}
        return {
            "method": self.method,
            "parameters": {
                name: {**plain(each), "unit": units[name], "estimable": self.estimable[name]}
                for name, each in self.parameters.items()
            },
            "observation_count": len(self.observed),
            "notes": list(self.notes),
        }

    def to_frame(self: Any) -> "pd.DataFrame":
        """
        A column for each parameter: value, low and high; ``attrs["units"]`` has the units.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        known = self.parameters
        rows = [
            {"figure": figure} | {name: getattr(each, figure) for name, each in known.items()}
            for figure in ("value", "low", "high")
        ]
        units = {each.name: each.unit for each in self.free}
        return frame_of(rows, "figure", {name: units.get(name) or "1" for name in known})
