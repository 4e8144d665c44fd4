"""Calibrations and their errors as frames: each column from the field that it is named after."""

import math

import numpy as np
import pytest

from netmodel._estimates import Estimate
from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    Point,
    Selection,
    compare,
    feasible_set,
    fit,
)
from netmodel.calibration._leave_out import Errors, Judged
from netmodel.calibration._related import related_fit

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


def test_errors_in_rows() -> None:
    rows = (
        Judged(observed=seen(1, 2, 2), predicted=Estimate(3.0, 2.5, 4.0)),
        Judged(observed=seen(2, 4, math.inf), predicted=Estimate(5.0, math.nan, math.nan)),
        Judged(observed=seen(3, 4, 4), refusal="too few"),
    )
    frame = Errors(rows).to_frame()
    assert frame.attrs["units"]["predicted_low"] == "s"
    first, bound, refused = frame.reset_index().to_dict("records")
    assert (first["figure"], first["predicted"]) == (2, 3)
    assert (first["predicted_low"], first["predicted_high"]) == (2.5, 4)
    assert first["error_ratio"] == pytest.approx(0.5)
    assert (first["agrees"], first["holds"]) == (False, False)
    assert (bound["low"], bound["agrees"]) == (4, True)
    assert math.isnan(bound["error_ratio"])
    assert refused["refusal"] == "too few"
    assert math.isnan(refused["predicted"])


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


def test_methods_in_rows() -> None:
    """Means of the others of 2, 3 and 7: 5, 4.5 and 2.5; of all, 4."""
    figures = [seen(x, y, y) for x, y in ((0, 2), (1, 3), (2, 7))]
    comparison = compare({"mean": "mean"}, figures)
    (row,) = comparison.to_frame().reset_index().to_dict("records")
    inside = (4 / 2 - 1, 4 / 3 - 1, 1 - 4 / 7)
    outside = (5 / 2 - 1, 4.5 / 3 - 1, 1 - 2.5 / 7)
    assert row["method"] == "mean"
    assert row["parameter_count"] == 1
    assert row["in_sample_error_ratio"] == pytest.approx(np.mean(inside))
    assert row["left_out_error_ratio"] == pytest.approx(np.mean(outside))
    assert row["left_out_rms_ratio"] == pytest.approx(np.sqrt(np.mean(np.square(outside))))
    assert row["left_out_width_ratio"] is None
    plain = comparison.to_dict()
    assert plain["figure_count"] == 3
    assert plain["methods"][0]["left_out"]["worst"] == figures[0].name


def test_a_series_from_a_related_one_as_plain_values() -> None:
    """1.3 times a related series at each of its places, of which own figures set the ratio."""

    def series(ratio: float, layer: int) -> list[Observed]:
        return [
            Observed(
                quantity="transaction_rate_tps",
                at={"layer": layer, "connection_count": count},
                low=ratio * rate,
                high=ratio * rate,
            )
            for count, rate in ((1, 100.0), (10, 700.0), (50, 2000.0))
        ]

    result = related_fit(series(1.3, 2), series(1.0, 3))
    plain = result.to_dict()
    assert [each["value"] for each in plain["parameters"].values()] == pytest.approx(
        [1.3] * 3, rel=1e-2
    )
    assert {each["unit"] for each in plain["parameters"].values()} == {""}
    assert plain["related"]["at"] == {"layer": 3}
    assert plain["related"]["differing"] == {"layer": [2, 3]}
    assert (plain["related"]["figure_count"], plain["related"]["candidate_count"]) == (3, 1)
    assert plain["level_ratio"] == 0.95
    assert 0 <= plain["left_out_mean_absolute_ratio"] < 0.1
    assert all(0.5 < share <= 1 for share in plain["own_share_ratios"].values())
    assert result.estimable == dict.fromkeys(plain["parameters"], True)
    assert result.is_scatter_known
    first = next(iter(plain["parameters"]))
    assert str(result).startswith(f"{first}: 1.3")
    value, low, high = result.predict(
        Point("transaction_rate_tps", {"layer": 2, "connection_count": 10})
    )
    assert low < 1.3 * 700 < high
    assert value == pytest.approx(910, rel=1e-2)
    # without own figures the ratio is 1 but for its spread
    alone = related_fit(
        [],
        series(1.0, 3),
        wanted=Point("transaction_rate_tps", {"layer": 2, "connection_count": 10}),
    )
    assert alone.to_dict()["left_out_mean_absolute_ratio"] is None
    assert set(alone.own_shares.values()) == {0}
    assert not any(alone.estimable.values())
