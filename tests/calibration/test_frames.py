"""Calibrations as frames: each column from the field that it is named after."""

import math

import pytest

from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    Selection,
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


def seen(x: float, low: float, high: float, quantity: str = "y_s") -> Observed:
    return Observed(quantity=quantity, at={"x": x}, low=low, high=high)


def test_observations_in_rows() -> None:
    frame = Selection((seen(1, 2, 2), seen(3, 4, math.inf)), ()).to_frame()
    assert frame.attrs["units"] == {
        "quantity": None,
        "x": None,
        **dict.fromkeys(("figure", "low", "high"), "s"),
    }
    first, second = frame.reset_index().to_dict("records")
    assert first == {
        "observation": seen(1, 2, 2).name,
        "quantity": "y_s",
        "x": 1,
        "figure": 2,
        "low": 2,
        "high": 2,
    }
    assert math.isnan(second["figure"])
    assert (second["low"], second["high"], second["x"]) == (4, math.inf, 3)
    mixed = Selection((seen(1, 2, 2), seen(1, 2, 2, "z_bps")), ()).to_frame()
    assert mixed.attrs["units"]["low"] is None


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
