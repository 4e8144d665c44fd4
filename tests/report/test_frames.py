"""Tables of measurements as pandas frames."""

import numpy as np
import pytest

from netmodel.records import dataset
from netmodel.report import table_frame

pd = pytest.importorskip("pandas")


def test_columns_with_a_unit_are_numbers_and_others_text() -> None:
    table = dataset("zvm-layer2-layer3").tables["measurements"].where(table=8)
    frame = table_frame(table)
    assert list(frame.columns) == [column.name for column in table.columns]
    assert list(frame.index) == list(table.row_numbers)
    assert list(frame["run_id"]) == list(table.text("run_id"))
    np.testing.assert_array_equal(
        frame["transaction_rate_tps"], table.numbers("transaction_rate_tps")
    )
    assert frame["data_rate_mb_per_s"].isna().all()
    assert frame.attrs["units"]["mtu_bytes"] == "byte"
