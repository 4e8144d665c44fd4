"""What would be seen: predictions of a fit, with the noise of another observation."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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
    r"""
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
    fit : Intervals of the quantity itself.

    Notes
    -----
    Each end is as far from the prediction as :math:`\sqrt{h^2 + (t s)^2}`, with
    :math:`h` the distance of that end of the quantity, :math:`s` the standard
    deviation of the noise for the degrees of freedom that are left, and
    :math:`t` of Student's distribution with as many; in logarithms where noise
    is relative. Exact for figures, normal noise and a linear model.

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
        value, low, high = self.fit.predict(point)
        noise = self._noise
        if math.isnan(noise):
            return Estimate(value, math.nan, math.nan)
        if self.fit.noise is Noise.ABSOLUTE:
            below, above = math.hypot(value - low, noise), math.hypot(high - value, noise)
            return Estimate(value, max(0.0, value - below), value + above)
        below = math.hypot(_log_ratio(value, low), noise)
        above = math.hypot(_log_ratio(high, value), noise)
        return Estimate(value, value * math.exp(-below), value * _exp(above))

    @cached_property
    def _noise(self) -> float:
        """How far a figure of weight 1 may scatter; NaN where nothing tells."""
        from scipy.special import ndtri, stdtrit

        outside = (1 + self.fit.level_ratio) / 2
        noise_sd = self.fit.corrected_noise_sd
        if self.fit.is_noise_known:
            return noise_sd * float(ndtri(outside))
        return noise_sd * float(stdtrit(self.fit.degrees_of_freedom, outside))


def _log_ratio(high: float, low: float) -> float:
    return math.log(high / low) if low > 0 and high < math.inf else math.inf


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < math.log(1e300) else math.inf
