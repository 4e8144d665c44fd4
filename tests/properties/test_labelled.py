"""A Series of pandas, or a DataArray of xarray, gives one of its kind with the same labels."""

import sys
from typing import Any

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.ceilings import payload_rate_bps
from netmodel.concurrency import asymptotic_rate_bounds_tps, busiest_queue_flow_count
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack

pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

LABELS = pd.Index(["a", "b", "c"], name="host")
CHANCE = np.random.default_rng(25)
MTUS_BYTES = pd.Series([1500, 9000, 4000], index=LABELS, name="mtu")


def drawn(names: tuple[str, ...], size: int | None = None) -> dict[str, Any]:
    return {name: CHANCE.uniform(*DOMAINS[name], size=size) for name in names}


def of_choices(formula: Formula) -> Any:
    return formula.with_choices({name: CHOICES[name][0] for name in formula.choices})


@pytest.mark.parametrize("formula", public_formulas(), ids=str)
def test_a_series_gives_a_series_named_after_the_formula(formula: Formula) -> None:
    function = of_choices(formula)
    numbers = drawn(formula.quantities)
    # each argument alone, and all at once
    for names in {*((name,) for name in formula.quantities), formula.quantities}:
        arrays = drawn(names, 3)
        columns = {name: pd.Series(array, LABELS, name="x") for name, array in arrays.items()}
        result = function(**numbers | columns)
        assert result.index.equals(LABELS)
        assert result.index.name == "host"
        assert result.name == formula.function.__name__
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result.to_numpy(), function(**numbers | arrays))


@pytest.mark.parametrize("formula", public_formulas(), ids=str)
def test_a_data_array_gives_a_data_array(formula: Formula) -> None:
    function = of_choices(formula)
    numbers = drawn(formula.quantities)
    for name in formula.quantities:
        array = drawn((name,), 3)
        given = xr.DataArray(array[name], coords={"host": LABELS}, attrs={"unit": "of the input"})
        result = function(**numbers | {name: given})
        assert result.indexes["host"].equals(LABELS)
        assert (result.name, result.attrs) == (formula.function.__name__, {})
        np.testing.assert_array_equal(result.to_numpy(), function(**numbers | array))


def test_series_arrays_lists_and_numbers_mix() -> None:
    rates_bps = [1e9, 10e9, 25e9]
    expected = payload_rate_bps(np.array(rates_bps), MTUS_BYTES.to_numpy(), header_bytes=40)
    for given in (rates_bps, np.array(rates_bps), pd.Series(rates_bps, index=LABELS)):
        result: Any = payload_rate_bps(given, MTUS_BYTES, header_bytes=40)
        pd.testing.assert_series_equal(
            result, pd.Series(expected, index=LABELS, name="payload_rate_bps")
        )


def test_data_arrays_of_other_dimensions_span_both() -> None:
    mtus_bytes = xr.DataArray([1500.0, 9000.0], coords={"mtu": [1500, 9000]})
    rates_bps = xr.DataArray([1e9, 1e10, 25e9], coords={"host": LABELS})
    result: Any = payload_rate_bps(rates_bps, mtus_bytes)
    assert result.dims == ("host", "mtu")
    assert float(result.sel(host="b", mtu=9000)) == payload_rate_bps(1e10, 9000)


@pytest.mark.parametrize("labels", [["a", "b", "d"], ["c", "b", "a"]])
def test_series_of_other_labels_are_refused(labels: list[str]) -> None:
    """Alignment would leave NaN, or sort: neither is what the arrays beside each other say."""
    other = pd.Series([1e9, 2e9, 3e9], index=labels)
    message = "line_rate_bps and mtu_bytes have different labels; bring them to the same first"
    with pytest.raises(DomainError, match=message):
        payload_rate_bps(other, MTUS_BYTES)
    with pytest.raises(DomainError, match=message):
        payload_rate_bps(
            xr.DataArray(other.to_numpy(), coords={"host": labels}),
            xr.DataArray(MTUS_BYTES.to_numpy(), coords={"host": LABELS}),
        )


def data_array(sizes: dict[str, int], **labels: list[int]) -> Any:
    return xr.DataArray(np.full(tuple(sizes.values()), 9000.0), dims=tuple(sizes), coords=labels)


@pytest.mark.parametrize(
    ("other", "fits"),
    [
        (data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 3]), True),
        (data_array({"b": 3, "a": 2}, a=[1, 2], b=[1, 2, 3]), True),
        (data_array({"a": 2, "b": 3}, a=[1, 2]), True),  # one of both has no labels
        (data_array({"c": 7}, c=[1, 2, 3, 4, 5, 6, 7]), True),
        (data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 4]), False),
        (data_array({"a": 2, "b": 3}, a=[1, 3], b=[1, 2, 3]), False),
        (data_array({"a": 2, "b": 4}, a=[1, 2]), False),
        (data_array({"a": 5}), False),
        (pd.Series([9000.0, 1500.0]), False),
    ],
)
def test_arrays_fit_where_all_labels_and_sizes_that_they_share_are_equal(
    other: Any, fits: bool
) -> None:
    rates_bps = data_array({"a": 2, "b": 3}, a=[1, 2], b=[1, 2, 3]) * 1e6
    if fits:
        result: Any = payload_rate_bps(rates_bps, other)
        assert set(result.dims) == {"a", "b", *other.dims}
        assert result.size == rates_bps.size * (7 if "c" in other.dims else 1)
    else:
        with pytest.raises(DomainError, match="line_rate_bps and mtu_bytes have different labels"):
            payload_rate_bps(rates_bps, other)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "Int32", "float32"])
def test_a_missing_entry_is_nan(dtype: str) -> None:
    missing = np.nan if dtype == "float32" else None
    result: Any = payload_rate_bps(25e9, pd.Series([1500, missing], dtype=dtype))
    assert list(result.isna()) == [False, True]
    assert result[0] == payload_rate_bps(25e9, 1500)
    assert result.dtype == np.float64


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["1500", "9000"]),
        pd.Series([1500, "x"]),
        pd.Series([True, False]),
        pd.Series([1500, 9000], dtype="category"),
        pd.Series(pd.to_timedelta([1, 2], unit="s")),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_of_something_else_is_refused(column: Any) -> None:
    with pytest.raises(
        DomainError, match=r"mtu_bytes must be a number (in byte|or an array of numbers); got"
    ):
        payload_rate_bps(25e9, column)


def test_a_message_names_the_label() -> None:
    with pytest.raises(DomainError, match=r"mtu_bytes must be above 52 byte; got 12 at 'b'"):
        payload_rate_bps(25e9, pd.Series([1500, 12, 9000], index=LABELS))
    mtus_bytes = xr.DataArray([1500.0, 12.0], coords={"mtu": [1, 2]})
    with pytest.raises(DomainError, match=r"mtu_bytes must be above 52 byte; got 12 at mtu 2"):
        payload_rate_bps(25e9, mtus_bytes)


def test_the_input_stays_as_it_was() -> None:
    column = pd.Series([1500, 9000], index=["a", "b"], name="mtu")
    payload_rate_bps(25e9, column)
    pd.testing.assert_series_equal(column, pd.Series([1500, 9000], index=["a", "b"], name="mtu"))


def test_methods_and_results_of_several_quantities_keep_labels_too() -> None:
    wire: Any = tcp_stack().wire_bytes(MTUS_BYTES)
    assert (wire.name, list(wire.index)) == ("wire_bytes", list(LABELS))
    bounds: Any = asymptotic_rate_bounds_tps([1e-6, 2e-6], MTUS_BYTES)
    assert list(bounds.high.index) == list(LABELS)
    flows: Any = busiest_queue_flow_count(pd.Series([10.0, np.nan], index=["a", "b"]), 16)
    assert flows["a"] == busiest_queue_flow_count(10, 16)
    assert np.isnan(flows["b"])


def test_neither_library_is_imported_to_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "xarray"):
        monkeypatch.delitem(sys.modules, name)
    assert isinstance(payload_rate_bps(25e9, [1500, 9000]), np.ndarray)
    assert not {"pandas", "xarray"} & sys.modules.keys()
