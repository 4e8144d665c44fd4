"""What every calibration shows of itself: a summary, tables of a notebook, a frame."""

from typing import TYPE_CHECKING, Any

from netmodel._frame import parameters_frame

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.calibration._summary import Summary


class Shown:
    """A calibration with parameters, of which units and intervals are known."""

    def summary(self: Any) -> "Summary":
        """
        Everything about it on a page: prints as text, and as tables in a notebook.

        Looks for the measurement that narrows what is known least.
        """
        from netmodel.calibration._summary import summary_of

        return summary_of(self)

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
        from netmodel.calibration._summary import brief_of

        return brief_of(self)._repr_html_()
