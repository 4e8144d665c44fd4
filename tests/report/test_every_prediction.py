"""Text, table and short form of predictions over everything in the catalogue."""

from collections.abc import Iterator
from itertools import product

import pytest

from netmodel.errors import AmbiguousValueError
from netmodel.path import (
    Prediction,
    RatioPrediction,
    SpecifiedPath,
    Traffic,
    predict_path,
    predict_ratio,
    workload_traffic,
)
from netmodel.records import (
    Workload,
    adapter,
    adapter_ids,
    path_record,
    path_record_ids,
    workload,
    workload_ids,
)

ADAPTERS = [adapter(name) for name in adapter_ids()]
PATHS = [
    *(SpecifiedPath(*pair) for pair in product(ADAPTERS, repeat=2)),
    *(SpecifiedPath(record=path_record(name)) for name in path_record_ids()),
]
MOST_CHARACTERS = 200
"""Of what stands for a prediction in a list or a traceback: two lines."""


def traffics(load: Workload) -> Iterator[Traffic]:
    """With each number of connections of the workload; 20 MiB where its size is a range."""
    for count in load.connection_counts or (None,):
        try:
            yield workload_traffic(load, count)
        except AmbiguousValueError:
            yield workload_traffic(load, count, payload_bytes=20 * 2**20)


def predictions(load: Workload, mtu_bytes: int) -> Iterator[Prediction | RatioPrediction]:
    for stated in PATHS:
        path = stated.path(load.sender)
        for traffic in traffics(load):
            if path.factors:
                yield predict_ratio(path, traffic, mtu_bytes)
            else:
                yield predict_path(path, traffic, mtu_bytes)


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
@pytest.mark.parametrize("name", workload_ids())
def test_each_has_text_a_table_and_a_short_form(name: str, mtu_bytes: int) -> None:
    count = 0
    for one in predictions(workload(name), mtu_bytes):
        text, html = str(one), one._repr_html_()
        assert text.partition(": ")[0] in {"throughput", "ratio"}
        assert "<table" in html
        assert len(repr(one)) <= MOST_CHARACTERS
        assert text.splitlines()[0].partition(": ")[2] in repr(one)
        count += 1
    assert count == len(PATHS) * len([*traffics(workload(name))])
