"""A prediction as a frame of pandas and as tables of a notebook."""

import numpy as np
import pytest

from netmodel.path import Interval, Path, Prediction, Stage, Times, Traffic, predict_path

CPU = Stage(name="cpu", to_server=Times(per_message_s=Interval(10e-6, 8e-6, 16e-6)))
DISK = Stage(name="disk", to_server=Times(per_byte_s=5e-9))


def of(traffic: Traffic) -> Prediction:
    return predict_path(Path(stages=(CPU, DISK)), traffic, 1500)


def test_a_frame_has_a_row_for_each_limit() -> None:
    """1000 byte: CPU 0.8 Gbit/s (0.5 to 1), disk 1.6 Gbit/s."""
    pytest.importorskip("pandas")
    frame = of(Traffic(1000, waits=False)).to_frame()
    assert list(frame.index) == ["cpu", "disk"]
    assert frame["throughput_bps"].tolist() == pytest.approx([0.8e9, 1.6e9])
    assert frame["throughput_bps_low"].tolist() == pytest.approx([0.5e9, 1.6e9])
    assert frame["throughput_bps_high"].tolist() == pytest.approx([1e9, 1.6e9])
    assert frame["throughput_bps_bound"].tolist() == ["upper", "upper"]
    assert frame["use_ratio"].tolist() == pytest.approx([1, 0.5])
    assert frame["is_binding"].tolist() == [True, False]
    # 2000 byte take 10 µs at both
    tied = of(Traffic(2000, waits=False)).to_frame()
    assert tied["is_binding"].tolist() == [True, True]


def test_a_frame_of_arrays_has_a_row_for_each_case() -> None:
    pytest.importorskip("pandas")
    sizes, counts = np.array([[1000], [4000]]), np.array([1, 2, 3])
    frame = of(Traffic(sizes, connection_count=counts)).to_frame()
    assert list(frame.index) == [0, 1, 2, 3, 4, 5]
    assert frame["request_bytes"].tolist() == [1000] * 3 + [4000] * 3
    assert frame["connection_count"].tolist() == [1, 2, 3] * 2
    assert "response_bytes" not in frame
    assert set(frame["mtu_bytes"]) == {1500}
    # one connection takes 10 + 5 µs, and 10 + 20 µs; more of them fill the CPU or the disk
    binding = ["connections", "cpu", "cpu", "connections", "disk", "disk"]
    assert frame["binding"].tolist() == binding
    rates_bps = [8000 / 15e-6, 0.8e9, 0.8e9, 32_000 / 30e-6, 1.6e9, 1.6e9]
    assert frame["throughput_bps"].tolist() == pytest.approx(rates_bps)
    assert frame["transaction_rate_tps"][:3].tolist() == pytest.approx([1 / 15e-6, 1e5, 1e5])
    assert frame["throughput_bps_low"][1] == pytest.approx(0.5e9)
    assert frame["throughput_bps_high"][1] == pytest.approx(1e9)
    assert set(frame["throughput_bps_bound"]) == {"upper"}


def test_what_is_a_mean_is_marked_case_by_case() -> None:
    """With loss over 20 ms one stream is far below the disk, and 100,000 are far above it."""
    pytest.importorskip("pandas")
    way = Times(per_message_s=10e-3)
    fibre = Stage(name="fibre", to_server=way, to_client=way, parallel_count=None)
    path = Path(stages=(DISK, fibre), loss_ratio=0.01)
    streams = Traffic(10**6, waits=False, connection_count=np.array([1, 100_000]))
    both = predict_path(path, streams, 1500)
    frame = both.to_frame()
    assert frame["binding"].tolist() == ["loss", "disk"]
    assert frame["throughput_bps_bound"].tolist() == ["mean", "upper"]
    one = predict_path(path, Traffic(10**6, waits=False, connection_count=1), 1500).to_frame()
    assert one["throughput_bps_bound"].to_dict() == {"disk": "upper", "loss": "mean"}
