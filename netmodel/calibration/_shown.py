"""What every calibration shows of itself: tables of a notebook, a frame."""

from typing import TYPE_CHECKING, Any

from netmodel._frame import parameters_frame

if TYPE_CHECKING:
    import pandas as pd


class Shown:
    """A calibration with parameters, of which units and intervals are known."""

    def to_frame(self: Any) -> "pd.DataFrame":
        """
        A column for each parameter: value, low and high; ``attrs["units"]`` has the units.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        from netmodel.calibration._summary import units_of

        units = units_of(self)
        known = self.parameters.items()
        return parameters_frame((name, units.get(name, ""), each) for name, each in known)

    def _repr_html_(self: Any) -> str:
        from netmodel.calibration._summary import html_of

        return html_of(self)
