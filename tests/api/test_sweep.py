"""Sweeps: each point is that of a single call, and wrong grids are refused in a user's terms."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netmodel
from netmodel.errors import ContradictionError, DomainError
from netmodel.records import catalog

xarray = pytest.importorskip("xarray")
dask_array = pytest.importorskip("dask.array")
pandas = pytest.importorskip("pandas")

OSA, ROCE, LINE = "osa-express7s-25gbe", "roce-express2.1-25gbe", "ethernet-10gbe"
ADAPTERS = catalog()["adapters"]
WORKLOADS = ("str-writex30k", "rr1c-200x1000", "rr1c-200x30k", "smc-rr-1k")
MTUS = (576, 1280, 1492, 1500, 2000, 4000, 8000, 8992, 9000, 9216)
COUNTS = (1, 2, 3, 10, 50, 250, 1000)
ONE = {"adapter": OSA, "workload": "str-writex30k"}
REQUESTS = {"adapter": [OSA, "ethernet-25gbe"], "workload": "rr1c-200x1000"}


def require_same(point: Any, **arguments: Any) -> None:
    """Fail where the quantities of a point are not those of one prediction."""
    single = netmodel.predict(**arguments)
    found = {"throughput_bps": single.throughput_bps}
    found["transaction_rate_tps"] = single.transaction_rate_tps
    found |= {
        f"{side.value}_cpu_us_per_gbit": each for side, each in single.cpu_us_per_gbit.items()
    }
    if single.expected is not None:
        found["expected_throughput_bps"] = single.expected.throughput_bps
    for name in found.keys() & {*point}:
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high")):
            value = np.nan if found[name] is None else float(getattr(found[name], part))
            np.testing.assert_allclose(float(point[f"{name}{end}"]), value, rtol=1e-12)
    assert point.bottleneck.item() in {single.binding, *single.ties}


def some(values: Any, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True)


@settings(max_examples=12, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "sender": some(ADAPTERS, 3),
            "receiver": some(ADAPTERS, 2),
            "workload": some(WORKLOADS, 3),
            "mtu_bytes": some(MTUS, 4),
            "connections": some(COUNTS, 4),
        }
    ),
    st.data(),
)
def test_points_are_those_of_single_predictions(axes: dict[str, Any], data: st.DataObject) -> None:
    dataset = netmodel.sweep(**axes)
    for _ in range(4):
        chosen = {name: data.draw(st.sampled_from(values)) for name, values in axes.items()}
        require_same(dataset.sel(chosen), **chosen)


VALUES = {
    "connections": [1, 3, 50],
    "km": [10, 100],
    "window_bytes": [None, "256 KiB"],
    "mtu_bytes": [1500, 9000],
    "loss_ratio": [0.0, 1e-5, 1e-3],
    "client_cost": ["0.1 cores/(Gbit/s)", "0.14..0.2 cores/(Gbit/s)", "35 µs/transaction"],
    "server_cost": ["1e5 µs/Gbit", None],
    "protocol": ["tcp", "smc-r"],
}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(VALUES)), min_size=2, max_size=3, unique=True),
    st.sampled_from([OSA, LINE, "roce-express-10gbe"]),
    st.sampled_from(WORKLOADS),
    st.booleans(),
    st.data(),
)
def test_any_arguments_vary_as_in_single_predictions(
    names: list[str], card: str, load: str, is_expected: bool, data: st.DataObject
) -> None:
    given = {"adapter": card, "workload": load, "mtu_bytes": 1500, "connections": 10, "km": 25}
    fixed = {name: value for name, value in given.items() if name not in names}
    wanted = ["throughput_bps", "transaction_rate_tps", "client_cpu_us_per_gbit"]
    wanted += ["expected_throughput_bps"] * is_expected
    dataset = netmodel.sweep(quantities=wanted, **fixed, **{name: VALUES[name] for name in names})
    for _ in range(4):
        places = {name: data.draw(st.integers(0, len(VALUES[name]) - 1)) for name in names}
        chosen = {name: VALUES[name][place] for name, place in places.items()}
        require_same(dataset.isel(places), **fixed, **chosen)


def test_columns_of_a_frame_vary_together() -> None:
    hosts = pandas.DataFrame(
        {"adapter": [OSA, LINE, OSA], "connections": [1, 50, 10], "mtu": [1500, 9000, 9000]},
        index=pandas.Index(["a", "b", "c"], name="host"),
    )
    fleet = {"adapter": hosts.adapter, "connections": hosts.connections, "mtu_bytes": hosts.mtu}
    swept = netmodel.sweep(workload="rr1c-200x30k", **fleet)
    assert swept.throughput_bps.dims == ("host",)
    for name in hosts.index:
        one = {key: column[name] for key, column in fleet.items()}
        require_same(swept.sel(host=name), workload="rr1c-200x30k", **one)
    index = pandas.Index([1500, 4000, 9000])
    rates = netmodel.sweep(**ONE, connections=pandas.Series([1, 50]), mtu_bytes=index)
    assert dict(rates.sizes) == {"index": 2, "mtu_bytes": 3}
    none = netmodel.sweep(**ONE, connections=pandas.Series([1, 50]), mtu_bytes=[])
    assert dict(none.sizes) == {"index": 2, "mtu_bytes": 0}
    assert netmodel.predict(**ONE, mtu_bytes=[], connections=1).throughput_bps.low.size == 0


def test_grids_of_many_points_are_those_of_single_ones_in_any_order() -> None:
    costs = VALUES["client_cost"]
    axes = {"connections": range(1, 41), "client_cost": costs, "mtu_bytes": range(1500, 9000, 100)}
    wide = netmodel.sweep(**ONE, **axes)
    turned = netmodel.sweep(**ONE, **dict(reversed(axes.items()))).transpose(*wide.dims)
    xarray.testing.assert_allclose(wide, turned, rtol=1e-12)
    for places in ((0, 0, 0), (39, 1, 40), (7, 2, 74)):
        chosen = {name: axes[name][place] for name, place in zip(axes, places, strict=True)}
        require_same(wide.isel(dict(zip(axes, places, strict=True))), **ONE, **chosen)


def test_each_host_of_a_fleet_has_a_path_of_its_own_and_nan_stays_nan() -> None:
    random = np.random.default_rng(1)
    cards, mtus = random.choice([OSA, ROCE, LINE], 60), random.choice([1500, 8992, 9000], 60)
    counts = random.integers(1, 300, (60, 4)).astype(float)
    counts[::7, 1] = np.nan
    dataset = netmodel.sweep(
        adapter=xarray.DataArray(cards, dims="host"),
        workload="rr1c-200x30k",
        mtu_bytes=xarray.DataArray(mtus, dims="host"),
        connections=xarray.DataArray(counts, dims=("host", "hour")),
    )
    assert np.array_equal(np.isnan(dataset.throughput_bps), np.isnan(counts))
    for host, hour in ((0, 0), (13, 2), (59, 3)):
        one = {"adapter": cards[host], "mtu_bytes": mtus[host], "connections": counts[host, hour]}
        require_same(dataset.isel(host=host, hour=hour), workload="rr1c-200x30k", **one)


def test_a_frame_has_names_whole_numbers_units_and_bounds() -> None:
    swept = netmodel.sweep(**ONE, mtu_bytes=["1500", "9 kB"], connections=range(10, 21, 10))
    frame = swept.to_dataframe().reset_index()
    # 13.4 Gbit/s of the receiving adapter at MTU 1500, and the line of 25 GbE at MTU 9000
    assert list(frame.bottleneck) == ["server_adapter_in"] * 2 + ["wire_to_server"] * 2
    assert frame.mtu_bytes.tolist() == [1500, 1500, 9000, 9000]
    assert {frame.mtu_bytes.dtype, frame.connections.dtype} == {np.dtype(np.int64)}
    assert {*frame.throughput_bps_bound} == {"upper"}
    units = [swept[name].attrs["units"] for name in ("throughput_bps", "throughput_bps_low")]
    assert (*units, swept.mtu_bytes.attrs["units"]) == ("bit/s", "bit/s", "byte")
    assert swept.attrs == ONE


def test_arrays_of_dask_stay_lazy_and_have_the_same_values() -> None:
    counts = np.arange(1, 41)
    eager = netmodel.sweep(**REQUESTS, mtu_bytes=[1500, 9000], connections=counts)
    chunks = dask_array.from_array(counts, chunks=10)
    lazy = netmodel.sweep(**REQUESTS, mtu_bytes=[1500, 9000], connections=chunks)
    assert lazy.throughput_bps.chunks is not None
    assert lazy.bottleneck.chunks is not None
    xarray.testing.assert_equal(eager.drop_vars("connections"), lazy.compute())


ARRAY = {"dims": "x", "attrs": {"units": "m"}}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({**ONE, "mtuu": [1500]}, TypeError, "argument 'mtuu'; did you mean mtu_bytes?"),
        (
            {**ONE, "connection_count": 1},
            TypeError,
            "'connection_count'; did you mean connections?",
        ),
        ({**ONE, "mtu_bytes": 1500}, ContradictionError, "nothing varies"),
        ({**ONE, "mtu_bytes": [1500, 10]}, DomainError, "mtu"),
        ({**ONE, "mtu_bytes": [1500], "link_mtu_bytes": 1500}, ContradictionError, "not both"),
        (
            {**ONE, "mtu_bytes": xarray.DataArray([1500.0], **ARRAY)},
            DomainError,
            "mtu_bytes must be in byte; the array has units 'm'",
        ),
        (
            {**ONE, "mtu_bytes": 1500, "km": xarray.DataArray([10.0], **ARRAY)},
            DomainError,
            "km must be in km; the array has units 'm'",
        ),
    ],
)
def test_wrong_grids_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        netmodel.sweep(**arguments)
