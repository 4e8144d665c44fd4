"""A Series of pandas or a DataArray of xarray counts as its numbers; other labels are refused."""

from typing import Any

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.ceilings import payload_rate_bps
from netmodel.concurrency import busiest_queue_flow_count
from netmodel.errors import DomainError

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

LABELS = pd.Index(["a", "b", "c"], name="host")
MTUS_BYTES = pd.Series([1500, 9000, 4000], index=LABELS, name="mtu")


@pytest.mark.parametrize("formula", public_formulas(), ids=str)
def test_labelled_quantities_count_as_their_numbers(formula: Formula) -> None:
    function = formula.with_choices({name: CHOICES[name][0] for name in formula.choices})
    random = np.random.default_rng(25)
    arrays = {name: random.uniform(*DOMAINS[name], size=3) for name in formula.quantities}
    numbers = function(**arrays)
    for kind in (lambda x: pd.Series(x, LABELS), lambda x: xr.DataArray(x, {"host": LABELS})):
        result = function(**{name: kind(each) for name, each in arrays.items()})
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, numbers)


@pytest.mark.parametrize("labels", [["a", "b", "d"], ["c", "b", "a"]])
def test_series_of_other_labels_are_refused(labels: list[str]) -> None:
    """Side by side, entries of different hosts would be computed with each other."""
    rates_bps = [1e9, 2e9, 3e9]
    message = "line_rate_bps and mtu_bytes have different labels; bring them to the same first"
    with pytest.raises(DomainError, match=message):
        payload_rate_bps(pd.Series(rates_bps, index=labels), MTUS_BYTES)
    with pytest.raises(DomainError, match=message):
        payload_rate_bps(
            xr.DataArray(rates_bps, coords={"host": labels}),
            xr.DataArray(MTUS_BYTES.to_numpy(), coords={"host": LABELS}),
        )


def data_array(sizes: dict[str, int], **labels: list[int]) -> Any:
    return xr.DataArray(np.full(tuple(sizes.values()), 9000.0), dims=tuple(sizes), coords=labels)


@pytest.mark.parametrize(
    ("other", "fits"),
    [
        (data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 3]), True),
        (data_array({}), True),
        (data_array({"b": 3, "a": 2}, a=[1, 2], b=[1, 2, 3]), False),
        (data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 4]), False),
        (data_array({"a": 2, "b": 3}, a=[1, 2]), False),
        (data_array({"a": 2, "c": 3}, a=[1, 2]), False),
        (data_array({"b": 3}, b=[1, 2, 3]), False),
        (pd.Series([9000.0, 1500.0, 4000.0]), False),
    ],
)
def test_arrays_fit_where_dimensions_and_labels_are_equal(other: Any, fits: bool) -> None:
    rates_bps = data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 3]) * 1e6
    if fits:
        assert np.shape(payload_rate_bps(rates_bps, other)) == (2, 3)
    else:
        with pytest.raises(DomainError, match="line_rate_bps and mtu_bytes have different labels"):
            payload_rate_bps(rates_bps, other)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "Int32", "float32"])
def test_a_missing_entry_is_nan(dtype: str) -> None:
    missing = np.nan if dtype == "float32" else None
    result: Any = payload_rate_bps(25e9, pd.Series([1500, missing], dtype=dtype))
    assert list(np.isnan(result)) == [False, True]
    assert result[0] == payload_rate_bps(25e9, 1500)
    flows: Any = busiest_queue_flow_count(pd.Series([10.0, np.nan], index=["a", "b"]), 16)
    assert list(np.isnan(flows)) == [False, True]
