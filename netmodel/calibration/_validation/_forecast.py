"""What would be seen: predictions of a fit, with the noise of another observation."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netmodel._estimates import Estimate
from netmodel.calibration._fitting._fit import Fit, fit
from netmodel.calibration._fitting._likelihood import Noise
from netmodel.calibration._model import Model, Point
from netmodel.calibration._observed import Observed
from netmodel.calibration._validation._baselines import Method, Predictor

__all__ = ["forecasting"]


def forecasting(
    model: Model, noise: Noise = Noise.RELATIVE, noise_ratio: float | None = None
) -> Method:
    """
    Fits of a model that predict what would be seen, noise and all.

    Parameters
    ----------
    model : Model
        What is fitted.
    noise : Noise
        What scatters normally.
    noise_ratio : float, optional
        Standard deviation of the noise of an observation of weight 1, where it is known.

    Returns
    -------
    method : callable
        Takes observations. Its parameters are those of the fit. Its predictions
        are of figures: wider than the intervals of the quantity itself, and a
        little beyond a ceiling where a measured figure may be. Without a degree
        of freedom nothing tells the noise, and they have no range.

    Raises
    ------
    CalibrationError
        If observations that it is given do not tell the parameters.
    DomainError
        If the noise is not above zero, once there are observations.

    See Also
    --------
    Fit.predict_run : How far one more run may be.

    Examples
    --------
    The mean of 1, 2 and 6, and where a fourth figure would be:

    >>> from netmodel.calibration import DemandModel, FreeParameter, Noise, Observed, Point
    >>> level = DemandModel("x_s", (FreeParameter("x_s", "s"),), lambda at: (1,), is_rate=False)
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 6)]
    >>> found = forecasting(level, Noise.ABSOLUTE)(seen).predict(Point("x_s", {}))
    >>> round(found.value, 6), round(found.high, 4)
    (3.0, 16.1448)
    """

    def method(observed: Sequence[Observed]) -> Predictor:
        return _Forecast(fit(model, observed, noise=noise, noise_ratio=noise_ratio))

    return method


@dataclass(frozen=True)
class _Forecast:
    """A fit that predicts figures."""

    fit: Fit

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return self.fit.parameters

    def predict(self, point: Point) -> Estimate:
        if self.fit.is_undetermined:
            return Estimate(self.fit.predict(point).value, math.nan, math.nan)
        return self.fit.predict_run(point, is_within_limits=False)
