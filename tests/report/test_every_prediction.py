"""Text, table and short form of predictions over everything in the catalog."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from nightly import few_by_day

from netmodel.errors import AmbiguousValueError
from netmodel.path import (
    Prediction,
    SpecifiedPath,
    Traffic,
    predict_path,
    workload_traffic,
)
from netmodel.records import (
    Workload,
    adapter,
    catalog,
    path_record,
    workload,
)
from netmodel.report.figures import throughput_text

FEW = [
    *(name for name in catalog()["adapters"] if not name.startswith("ethernet-")),
    "ethernet-25gbe",
]
"""Adapters that differ in more than their line rate."""
MOST_CHARACTERS = 100
"""Of what stands for a prediction in a list or a traceback: two lines."""


def traffics(load: Workload) -> Iterator[Traffic]:
    """With each number of connections of the workload; 20 MiB where its size is a range."""
    for count in load.connection_counts or (None,):
        try:
            yield workload_traffic(load, count)
        except AmbiguousValueError:
            yield workload_traffic(load, count, payload_bytes=20 * 2**20)


def paths(adapters: Sequence[str]) -> list[SpecifiedPath]:
    """Each pair of adapters, and each path of the catalog."""
    return [
        *(SpecifiedPath(*map(adapter, pair)) for pair in product(adapters, repeat=2)),
        *(
            path
            for name in catalog()["paths"]
            if not (path := SpecifiedPath(record=path_record(name))).is_unbounded
        ),
    ]


def predictions(
    over: Sequence[SpecifiedPath], load: Workload, mtu_bytes: int
) -> Iterator[Prediction]:
    for specified in over:
        path = specified.path(load.sender)
        for traffic in traffics(load):
            yield predict_path(path, traffic, mtu_bytes)


@pytest.mark.thorough
@pytest.mark.parametrize("mtu_bytes", few_by_day([1500, 9000], 2))
@pytest.mark.parametrize("name", catalog()["workloads"])
@pytest.mark.parametrize(
    "adapters",
    [
        pytest.param(FEW, id="few"),
        pytest.param(catalog()["adapters"], id="all", marks=pytest.mark.nightly),
    ],
)
def test_each_prediction_has_text_a_table_and_a_short_form(
    adapters: Sequence[str], name: str, mtu_bytes: int
) -> None:
    over, count = paths(adapters), 0
    for each in predictions(over, workload(name), mtu_bytes):
        assert "<table" in each._repr_html_()
        assert len(repr(each)) <= MOST_CHARACTERS
        bound = throughput_text(each).partition(" (")[0]
        assert bound.partition(" on average")[0] in repr(each)
        count += 1
    assert count == len(over) * len([*traffics(workload(name))])
