"""Calibrations as frames: each column from the field that it is named after."""

import pytest

from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    feasible_set,
    fit,
)

pytest.importorskip("pandas")

LINE = DemandModel(
    "y_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_ratio", "")),
    lambda at: (1, float(at["x"])),
    is_rate=False,
)


def seen(x: float, low: float, high: float) -> Observed:
    return Observed(quantity="y_s", at={"x": x}, low=low, high=high)


def test_parameters_in_columns() -> None:
    """2 to 3 s at 0, and 4 to 5 s at 1; and a line through 2, 3 and 4."""
    frame = feasible_set([seen(0, 2, 3), seen(1, 4, 5)], LINE).to_frame()
    assert frame.attrs["units"] == {"fixed_s": "s", "each_ratio": "1"}
    assert frame["fixed_s"]["low"] == pytest.approx(2)
    assert frame["fixed_s"]["high"] == pytest.approx(3)
    assert frame["each_ratio"]["low"] == pytest.approx(1)
    assert frame["each_ratio"]["high"] == pytest.approx(3)
    figures = [
        seen(x, y + off, y + off) for x, y in ((0, 2), (1, 3), (2, 4)) for off in (-0.1, 0.1)
    ]
    line = fit(figures, LINE, noise=Noise.ABSOLUTE).to_frame()
    assert line["fixed_s"]["value"] == pytest.approx(2, rel=1e-4)
    assert line["each_ratio"]["value"] == pytest.approx(1, rel=1e-4)
    assert list(line.index) == ["value", "low", "high"]
    assert (line.loc["low"] < line.loc["value"]).all()
