"""Sweeps: each point is that of a single call, and wrong grids are refused in a user's terms."""

import functools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netmodel
from netmodel.api import _sweep
from netmodel.errors import (
    ContradictionError,
    DomainError,
    NetmodelError,
    UnitError,
    UnknownRecordError,
)
from netmodel.path import Unbounded
from netmodel.records import catalog

xarray = pytest.importorskip("xarray")
dask_array = pytest.importorskip("dask.array")

ADAPTERS = catalog()["adapters"]
WORKLOADS = ("str-writex30k", "rr1c-200x1000", "rr1c-200x30k", "smc-rr-1k")
PATHS = tuple(name for name in catalog()["paths"] if name.startswith("zvm"))
MTUS = (576, 1280, 1492, 1500, 2000, 4000, 8000, 8992, 9000, 9216)
COUNTS = (1, 2, 3, 10, 50, 250, 1000)


def same_as_single(dataset: Any, chosen: dict[str, Any], fixed: dict[str, Any]) -> None:
    """Assert that the points of a sweep are those of one prediction."""
    point = dataset.sel(chosen)
    arguments = {**fixed, **chosen}
    if (card := arguments.pop("adapters", None)) is not None:
        arguments |= {"sender": card, "receiver": card}
    single = netmodel.predict(**arguments)
    rate = single.throughput_bps
    for end, value in (("", rate.value), ("_low", rate.low), ("_high", rate.high)):
        assert float(point[f"throughput_bps{end}"]) == pytest.approx(float(value), rel=1e-12)
    assert point.bottleneck.item() in {single.binding or "", *single.ties}


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.sampled_from(ADAPTERS), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(ADAPTERS), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(WORKLOADS), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(MTUS), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(COUNTS), min_size=1, max_size=4, unique=True),
    st.data(),
)
def test_points_are_those_of_single_predictions(
    senders: list[str],
    receivers: list[str],
    workloads: list[str],
    mtus: list[int],
    counts: list[int],
    data: st.DataObject,
) -> None:
    dataset = netmodel.sweep(
        sender=senders,
        receiver=receivers,
        workload=workloads,
        mtu_bytes=mtus,
        connections=counts,
    )
    for _ in range(4):
        chosen = {
            "sender": data.draw(st.sampled_from(senders)),
            "receiver": data.draw(st.sampled_from(receivers)),
            "workload": data.draw(st.sampled_from(workloads)),
            "mtu_bytes": data.draw(st.sampled_from(mtus)),
            "connections": data.draw(st.sampled_from(counts)),
        }
        same_as_single(dataset, chosen, {})


@pytest.mark.thorough
@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_all_mtus_of_each_adapter_and_workload(adapter: str, workload: str) -> None:
    fixed = {"adapters": adapter, "workload": workload}
    dataset = netmodel.sweep(**fixed, mtu_bytes=MTUS, connections=COUNTS)
    for mtu in MTUS:
        for count in COUNTS[::3]:
            same_as_single(dataset, {"mtu_bytes": mtu, "connections": count}, fixed)


@pytest.mark.parametrize("path", PATHS)
def test_paths_with_intervals_samples_and_measured_shapes(path: str) -> None:
    workload = "awm-rr" if path.startswith("zvm") else "str-writex30k"
    fixed = {"workload": workload, "path": path}
    try:
        netmodel.predict(**fixed, mtu_bytes=1500, connections=3)
    except NetmodelError:
        pytest.skip("this workload needs more on this path")
    dataset = netmodel.sweep(
        path=path, workload=workload, mtu_bytes=[1492, 1500], connections=COUNTS
    )
    for count in COUNTS:
        same_as_single(dataset, {"mtu_bytes": 1500, "connections": count}, fixed)


def test_other_quantities_are_those_of_single_predictions() -> None:
    dataset = netmodel.sweep(
        quantities=["transaction_rate", "transaction_time", "expected_throughput", "client_cpu"],
        path="zvm-direct-osa-layer2-1gbe",
        workload="awm-rr",
        mtu_bytes=1492,
        connections=[1, 10, 50],
    )
    for count in (1, 10, 50):
        single = netmodel.predict(
            path="zvm-direct-osa-layer2-1gbe", workload="awm-rr", mtu_bytes=1492, connections=count
        )
        point = dataset.sel(connections=count)
        rate, cost = single.transaction_rate_tps, next(iter(single.cpu_us_per_gbit.values()))
        assert float(point.transaction_rate_tps_low) == pytest.approx(float(rate.low), rel=1e-12)
        assert cost is not None
        assert float(point.client_cpu_us_per_gbit) == pytest.approx(float(cost.value), rel=1e-12)
        expected = single.expected
        value = np.nan if expected is None else float(expected.throughput_bps.value)
        np.testing.assert_allclose(float(point.expected_throughput_bps), value, rtol=1e-9)
    assert dataset.client_cpu_us_per_gbit.attrs["units"] == "µs/Gbit"


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_cases_that_repeat_are_computed_once_and_change_nothing(
    host_count: int, hour_count: int, adapter_count: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    connections = random.integers(1, 4, (host_count, hour_count)).astype(float)
    connections[random.random(connections.shape) < 0.1] = np.nan
    cards = random.choice(
        ["osa-express7s-25gbe", "ethernet-25gbe", "ethernet-10gbe"], adapter_count
    )
    arguments = {
        "adapters": xarray.DataArray(random.choice(cards, host_count), dims="host"),
        "workload": "rr1c-200x30k",
        "mtu_bytes": xarray.DataArray([1500, 9000], dims="variant"),
        "connections": xarray.DataArray(connections, dims=("host", "hour")),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sweep, "_different", lambda columns: (np.arange(len(columns[0])),) * 2)
        each = netmodel.sweep(**arguments)
    once = netmodel.sweep(**arguments)
    xarray.testing.assert_identical(once, each)
    gaps = np.isnan(connections)
    assert np.array_equal(np.isnan(once.throughput_bps.isel(variant=0)), gaps)


def test_columns_of_a_frame_vary_together() -> None:
    pandas = pytest.importorskip("pandas")
    hosts = pandas.DataFrame(
        {
            "adapter": ["osa-express7s-25gbe", "ethernet-25gbe", "osa-express7s-25gbe"],
            "connections": [1, 50, 10],
            "mtu": [1500, 9000, 9000],
        },
        index=pandas.Index(["a", "b", "c"], name="host"),
    )
    swept = netmodel.sweep(
        adapters=hosts.adapter,
        workload="rr1c-200x30k",
        mtu_bytes=hosts.mtu,
        connections=hosts.connections,
    )
    assert swept.throughput_bps.dims == ("host",)
    for name, row in hosts.iterrows():
        single = netmodel.predict(
            adapter=row.adapter,
            workload="rr1c-200x30k",
            mtu_bytes=row.mtu,
            connections=row.connections,
        )
        rate = float(swept.throughput_bps.sel(host=name))
        assert rate == pytest.approx(float(single.throughput_bps.value), rel=1e-12)
    # without a name of its own the index has that of pandas; an index alone is a list
    rates = netmodel.sweep(
        **ONE, connections=pandas.Series([1, 50]), mtu_bytes=pandas.Index([1500, 4000, 9000])
    )
    assert dict(rates.sizes) == {"index": 2, "mtu_bytes": 3}
    with pytest.raises(DomainError, match=r"mtu_bytes has an index of several levels"):
        netmodel.sweep(**ONE, mtu_bytes=hosts.set_index(["adapter", "connections"]).mtu)
    with pytest.raises(DomainError, match="mtu_bytes must be numbers; the array has bool"):
        netmodel.sweep(**ONE, mtu_bytes=hosts.mtu > 1500)


def test_a_fleet_costs_as_many_predictions_as_it_has_different_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = []
    predicted = _sweep.predict

    @functools.wraps(predicted)
    def counted(**given: Any) -> Any:
        sizes.append(max(map(np.size, given.values())))
        return predicted(**given)

    monkeypatch.setattr(_sweep, "predict", counted)
    count = 100_000
    fleet = netmodel.sweep(
        adapters="osa-express7s-25gbe",
        workload="rr1c-200x30k",
        mtu_bytes=xarray.DataArray(np.resize([1500, 9000], count), dims="host"),
        connections=xarray.DataArray(np.resize([1, 2, 3], count), dims="host"),
    )
    assert fleet.throughput_bps.shape == (count,)
    # one for the sides of the quantities, then the six cases
    assert max(sizes) == 6


def test_distances_and_records_are_coordinates() -> None:
    cards = [netmodel.records.adapter(each) for each in ("osa-express7s-25gbe", "ethernet-10gbe")]
    dataset = netmodel.sweep(
        adapters=cards,
        workload="str-writex30k",
        mtu_bytes=1500,
        connections=[1, 3],
        km=[10, 100],
        window_bytes=[None, "256 KiB"],
    )
    assert dataset.adapters.values.tolist() == ["osa-express7s-25gbe", "ethernet-10gbe"]
    assert dataset.km.values.tolist() == [10, 100]
    single = netmodel.predict(
        sender=cards[0],
        receiver=cards[0],
        workload="str-writex30k",
        mtu_bytes=1500,
        connections=3,
        km=100,
        window_bytes="256 KiB",
    )
    point = dataset.isel(adapters=0, connections=1, km=1, window_bytes=1)
    assert float(point.throughput_bps) == pytest.approx(float(single.throughput_bps.value))


def test_costs_of_another_case_are_carried_to_each_mtu() -> None:
    fixed = {
        "workload": "rr1c-200x30k",
        "client_cost": "0.16 cores/(Gbit/s)",
        "cost_measured_with": "mtu=1500",
    }
    dataset = netmodel.sweep(
        quantities=["client_cpu"],
        adapters="osa-express7s-25gbe",
        mtu_bytes=[1500, 9000],
        connections=[1, 10],
        **fixed,
    )
    for mtu in (1500, 9000):
        single = netmodel.predict(
            sender="osa-express7s-25gbe",
            receiver="osa-express7s-25gbe",
            mtu_bytes=mtu,
            connections=10,
            **fixed,
        )
        cost = next(iter(single.cpu_us_per_gbit.values()))
        point = dataset.sel(mtu_bytes=mtu, connections=10)
        assert cost is not None
        assert float(point.client_cpu_us_per_gbit) == pytest.approx(float(cost.value))
        assert float(point.client_cpu_us_per_gbit_low) == pytest.approx(float(cost.low))


def test_a_quantity_that_is_not_known_is_nan() -> None:
    dataset = netmodel.sweep(
        quantities=["client_cpu"],
        adapters="osa-express7s-25gbe",
        workload="str-writex30k",
        mtu_bytes=[1500, 9000],
    )
    assert np.isnan(dataset.client_cpu_us_per_gbit).all()


def test_a_path_without_rates_is_refused_by_its_name() -> None:
    case: dict[str, Any] = {"workload": "str-writex30k", "connections": 1}
    unbounded = [
        name
        for name in catalog()["paths"]
        if isinstance(netmodel.predict(path=name, mtu_bytes=1500, **case), Unbounded)
    ]
    assert {"kvm-one-host", "powervm-lpar-to-lpar"} <= set(unbounded)
    for name in unbounded:
        # also where it is one of several: a gap among rates would go unseen
        for path in (name, [PATHS[0], name]):
            with pytest.raises(ContradictionError, match=f"^{name}: no line and no limit"):
                netmodel.sweep(path=path, mtu_bytes=[1492, 1500], **case)


def test_a_frame_has_bottlenecks_by_name_and_whole_numbers() -> None:
    frame = (
        netmodel.sweep(
            adapters="osa-express7s-25gbe",
            workload="str-writex30k",
            mtu_bytes=["1500", "9000"],
            connections=range(10, 21, 10),
        )
        .to_dataframe()
        .reset_index()
    )
    # 13.4 Gbit/s of the receiving adapter at MTU 1500, and the line of 25 GbE at MTU 9000
    assert list(frame.bottleneck) == ["server_adapter_in"] * 2 + ["wire_to_server"] * 2
    assert frame.mtu_bytes.tolist() == [1500, 1500, 9000, 9000]
    assert {frame.mtu_bytes.dtype, frame.connections.dtype} == {np.dtype(np.int64)}


def test_variables_say_what_they_are() -> None:
    dataset = netmodel.sweep(
        adapters=["osa-express7s-25gbe", "roce-express2.1-25gbe"],
        workload="rr1c-200x1000",
        mtu_bytes=[1500, 9000],
        connections=[1, 250],
    )
    assert dataset.throughput_bps.attrs["units"] == "bit/s"
    assert dataset.throughput_bps.attrs["bound"] == "upper"
    assert dataset.throughput_bps.attrs["long_name"].startswith("upper bound of the payload")
    assert dataset.mtu_bytes.attrs["units"] == "byte"
    assert dataset.adapters.values.tolist() == ["osa-express7s-25gbe", "roce-express2.1-25gbe"]
    assert dataset.bottleneck.attrs["long_name"] == "the limit with the smallest upper bound"
    assert dataset.attrs["workload"] == "rr1c-200x1000"


def test_each_host_of_a_fleet_has_a_path_of_its_own() -> None:
    random = np.random.default_rng(1)
    cards = random.choice(["osa-express7s-25gbe", "roce-express2.1-25gbe", "ethernet-10gbe"], 60)
    mtus, counts = random.choice([1500, 8992, 9000], 60), random.integers(1, 300, (60, 4))
    dataset = netmodel.sweep(
        adapters=xarray.DataArray(cards, dims="host"),
        workload="rr1c-200x30k",
        mtu_bytes=xarray.DataArray(mtus, dims="host"),
        connections=xarray.DataArray(counts, dims=("host", "hour")),
    )
    assert dict(dataset.sizes) == {"host": 60, "hour": 4}
    for host, hour in ((0, 0), (13, 2), (59, 3)):
        single = netmodel.predict(
            sender=str(cards[host]),
            receiver=str(cards[host]),
            workload="rr1c-200x30k",
            mtu_bytes=int(mtus[host]),
            connections=int(counts[host, hour]),
        )
        point = dataset.isel(host=host, hour=hour)
        assert float(point.throughput_bps) == pytest.approx(float(single.throughput_bps.value))


def test_arrays_of_dask_stay_lazy_and_have_the_same_values() -> None:
    counts = np.arange(1, 41)
    arguments = {
        "adapters": ["osa-express7s-25gbe", "ethernet-25gbe"],
        "workload": "rr1c-200x1000",
        "mtu_bytes": [1500, 9000],
    }
    eager = netmodel.sweep(connections=counts, **arguments)
    lazy = netmodel.sweep(connections=dask_array.from_array(counts, chunks=10), **arguments)
    assert lazy.throughput_bps.chunks is not None
    assert lazy.bottleneck.chunks is not None
    np.testing.assert_array_equal(eager.bottleneck, lazy.bottleneck)
    for name in ("throughput_bps", "throughput_bps_low"):
        np.testing.assert_allclose(eager[name], lazy[name], rtol=1e-12)


ONE = {"adapters": "osa-express7s-25gbe", "workload": "str-writex30k"}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({**ONE, "mtu": [1500]}, ContradictionError, "no argument mtu; did you mean mtu_bytes"),
        ({**ONE, "mtu_bytes": []}, DomainError, "mtu_bytes is empty"),
        ({**ONE, "mtu_bytes": [1500, np.nan]}, DomainError, "NaN at index 1"),
        ({**ONE, "mtu_bytes": ["1500 Gbit/s"]}, UnitError, "mtu_bytes"),
        ({**ONE, "mtu_bytes": 1500}, ContradictionError, "nothing varies"),
        ({**ONE, "mtu_bytes": [[1500]]}, DomainError, "2 dimensions"),
        ({**ONE, "mtu_bytes": [1500, 10]}, DomainError, "mtu"),
        ({**ONE, "mtu_bytes": [None]}, DomainError, "must be numbers"),
        ({**ONE, "mtu_bytes": 1500, "km": [1.0, np.nan]}, DomainError, "km must be .* got NaN"),
        ({**ONE, "adapters": ["osa7s"], "mtu_bytes": 1500}, UnknownRecordError, "osa7s"),
        ({"mtu_bytes": [1500]}, ContradictionError, "give workload"),
        ({**ONE, "sender": ["ethernet-1gbe"]}, ContradictionError, "give adapters, or sender"),
        ({**ONE, "mtu_bytes": [1500], "link_mtu_bytes": 1500}, ContradictionError, "not both"),
    ],
)
def test_wrong_grids_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        netmodel.sweep(**arguments)


def test_units_of_an_array_must_be_those_of_the_argument() -> None:
    sizes = xarray.DataArray([1500.0], dims="x", attrs={"units": "bit/s"})
    with pytest.raises(DomainError, match="mtu_bytes must be in byte; the array has units 'bit/s'"):
        netmodel.sweep(**ONE, mtu_bytes=sizes)
    lengths = xarray.DataArray([10.0, 40.0], dims="x", attrs={"units": "m"})
    with pytest.raises(DomainError, match="km must be in km; the array has units 'm'"):
        netmodel.sweep(**ONE, mtu_bytes=1500, km=lengths)


def test_nan_within_data_stays_nan() -> None:
    sizes = xarray.DataArray([1500.0, np.nan], dims="x")
    rates = netmodel.sweep(**ONE, mtu_bytes=sizes).throughput_bps
    assert np.isnan(rates.values).tolist() == [False, True]


def test_a_grid_that_does_not_fit_says_how_large_it_is() -> None:
    millions = np.arange(1.0, 1e6)
    with pytest.raises(DomainError, match=r"the grid has 999,998,000,001 points.* GB.*dask"):
        netmodel.sweep(**ONE, connections=millions, mtu_bytes=millions + 1000)


def test_an_unknown_quantity_names_the_near_one() -> None:
    with pytest.raises(DomainError, match="did you mean throughput"):
        netmodel.sweep(quantities=["troughput"], **ONE, mtu_bytes=[1500])


def test_a_cluster_of_two_workers_changes_no_result() -> None:
    distributed = pytest.importorskip("distributed")
    arguments = {
        "adapters": ["osa-express7s-25gbe", "ethernet-25gbe"],
        "workload": "rr1c-200x1000",
        "mtu_bytes": [1500, 9000],
        "connections": range(1, 41),
    }
    alone = netmodel.sweep(**arguments)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
    ):
        lazy = netmodel.sweep(
            **{**arguments, "connections": dask_array.arange(1, 41, chunks=10)},
        ).compute()
    xarray.testing.assert_equal(alone.drop_vars("connections"), lazy)


def test_a_sweep_that_loss_may_limit_has_means_and_no_bounds() -> None:
    dataset = netmodel.sweep(
        adapter="ethernet-25gbe",
        workload="str-writex30k",
        mtu_bytes=1500,
        connections=1,
        km=35,
        loss_ratio=[0.0, 1e-4],
        quantities=("throughput", "transaction_rate"),
    )
    assert dataset.throughput_bps.attrs["bound"] == "mean"
    assert dataset.throughput_bps.attrs["long_name"].startswith("mean of the payload rate")
    assert dataset.transaction_rate_tps_low.attrs["bound"] == "mean"
    assert dataset.throughput_bps.values[0] > 5 * dataset.throughput_bps.values[1]


def test_memory_of_predictions_is_that_of_the_results_and_a_few_blocks() -> None:
    arguments = {**ONE, "mtu_bytes": np.linspace(1500, 9000, 1000).round(), "quantities": []}
    arguments |= {"connections": range(1, 4)}
    netmodel.sweep(**arguments)  # records are read once
    arguments |= {"connections": range(1, 101), "quantities": ["throughput"]}
    tracemalloc.start()
    swept = netmodel.sweep(**arguments)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # each of the limits and their ends is an array of a block, of 2^15 numbers: 23 of them, where
    # the results as a whole would take 60
    blocks_bytes = 40 * 2**15 * 8
    assert peak_bytes <= swept.nbytes + blocks_bytes
