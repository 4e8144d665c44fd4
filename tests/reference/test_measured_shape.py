"""Expected values of the z/VM paths: Layer 3 and Layer 2 Comparisons, tables 5 to 12."""

from collections.abc import Iterator

import pytest

from netmodel.path import Prediction, Traffic, predict_path, recorded_path
from netmodel.records import adapter, dataset, path_record
from netmodel.units import BITS_PER_BYTE

BITS_PER_MIB = BITS_PER_BYTE * 2**20
LARGEST_ERROR = 0.03
"""Of eight figures by three parameters; three figures are met but for rounding."""


def cases() -> Iterator[tuple[str, float, Prediction]]:
    """Each measured rate, with the prediction of its path."""
    for run in dataset("zvm-layer2-layer3").tables["measurements"].rows():
        path = f"{run['path']}-layer{run['layer']}-{run['link_rate_gbps']}gbe"
        count = int(run["connection_count"])
        rate = run["transaction_rate_tps"]
        traffic = (
            Traffic(200, 1000, connection_count=count)
            if rate
            else Traffic(0, 20 * 2**20, connection_count=count, waits=False, shares_segments=True)
        )
        prediction = predict_path(recorded_path(path_record(path)), traffic, int(run["mtu_bytes"]))
        measured = float(rate) if rate else float(run["data_rate_mb_per_s"]) * BITS_PER_MIB
        yield f"table {run['table']}, {path}, {count}", measured, prediction


def test_every_measured_rate_is_expected() -> None:
    found = 0
    for name, measured, prediction in cases():
        expected = prediction.expected
        assert expected is not None, name
        is_request = prediction.traffic.waits
        rate = expected.transaction_rate_tps if is_request else expected.throughput_bps
        assert rate.value == pytest.approx(measured, rel=LARGEST_ERROR), name
        assert rate.low <= measured <= rate.high, name
        assert rate.value <= (
            prediction.transaction_rate_tps if is_request else prediction.throughput_bps
        ).value * (1 + 1e-9), name
        found += 1
    assert found == 60


def test_one_client_through_the_virtual_switch() -> None:
    """Table 5, layer 2: 2,183.77 requests/s; CPUs and adapter allow several times as many."""
    path = recorded_path(path_record("zvm-vswitch-layer2-1gbe"))
    prediction = predict_path(path, Traffic(200, 1000, connection_count=1), 1492)
    assert prediction.expected is not None
    assert prediction.expected.transaction_rate_tps.value == pytest.approx(2183.77, rel=1e-4)
    assert prediction.transaction_rate_tps.value > 5 * 2183.77


def test_other_equipment_has_no_measured_curve() -> None:
    record = path_record("zvm-direct-osa-layer3-1gbe")
    assert recorded_path(record).measured
    assert not recorded_path(record, client=adapter("osa-express7s-25gbe")).measured
