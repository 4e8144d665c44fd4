"""Many predictions at once: in bounded memory, and each as it is alone."""

import tracemalloc

import numpy as np
import pytest
from paths import STREAM, ends

from netmodel.errors import DomainError
from netmodel.path import Bound, Interval, Joint, adapter_path, predict_path
from netmodel.path._uncertain import Points, over_cases
from netmodel.records import adapter

MTUS_BYTES = np.linspace(600, 9000, 20_000).round()
MOST_BYTES = 64 * 2**20
"""What all combinations of all corners at once would exceed where limits share no block size."""


def test_points_are_those_of_arrays_and_sets_of_arrays() -> None:
    many = np.zeros((3, 1))
    assert Points.of([1.0, Interval(1, 0, 2)]) == Points(0, 1)
    assert Points.of([many, np.zeros(4)]) == Points(2, 12)
    assert Points.of([Joint((many, many + 1), of="a")]) == Points(2, 3)


def test_twenty_thousand_mtus_take_bounded_memory_and_are_as_each_alone() -> None:
    names = ("roce-express2.1-25gbe", "osa-express7s-25gbe")
    path = adapter_path(*map(adapter, names))
    tracemalloc.start()
    try:
        together = ends(predict_path(path, STREAM, MTUS_BYTES).throughput_bps)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < MOST_BYTES
    for place in np.linspace(0, MTUS_BYTES.size - 1, 20).astype(int):
        alone = ends(predict_path(path, STREAM, float(MTUS_BYTES[place])).throughput_bps)
        assert [end[place] for end in together] == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("size", [1, 7, 400_000])
def test_blocks_do_not_change_results(size: int) -> None:
    """Cells of 3 by 4 combinations, of which 2 by 3 are as printed; a block holds fewer of many."""
    first = Joint((3.0, 1.0, 9.0), of="a", printed_count=2)
    second = Joint((10.0, 40.0, 20.0, 0.5), of="b", printed_count=3)
    scale = np.arange(1, size + 1, dtype=float)
    for bound, value in ((Bound.VALUE, 13), (Bound.UPPER, 43), (Bound.LOWER, 11)):
        result = over_cases(
            [first, second],
            Points(1, size),
            lambda change: scale * (change(first, True) + change(second, True)),
            bound,
        )
        for end, expected in zip(ends(result.predicted), (value, 1.5, 49), strict=True):
            np.testing.assert_allclose(end, expected * scale)


def test_what_does_not_fit_into_memory_is_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("netmodel.path._predict.limits", out_of_memory)
    with pytest.raises(DomainError, match="smaller blocks"):
        predict_path(adapter_path(*[adapter("osa-express7s-25gbe")] * 2), STREAM, 1500)
