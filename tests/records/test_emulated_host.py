"""The host measured on an emulated line: its record, and runs that it has not seen."""

import math
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from netmodel.api import calibrate_host
from netmodel.calibration import Point
from netmodel.records import data_path, host

RUNS = data_path("examples", "emulated-host")
CPUS: dict[str, Any] = {"client_cpu_numbers": [0], "server_cpu_numbers": "1"}
RECORD = data_path("examples", "hosts", "emulated-line.toml")


def test_the_record_is_what_its_runs_give() -> None:
    result = calibrate_host(RUNS / "calibration", **CPUS)
    parameters, record = result.calibration.parameters, host(RECORD)
    assert record.send is not None
    assert record.receive is not None
    sent, received = record.send.points[0], record.receive.points[0]
    recorded = {
        "per_message_s": sent.per_message,
        "sent.per_frame_s": sent.per_packet,
        "sent.per_byte_s": sent.per_byte,
        "received.per_frame_s": received.per_packet,
        "received.per_interrupt_s": received.per_interrupt,
    }
    for name, time in recorded.items():
        assert time is not None
        assert time.time_s_estimate.value == pytest.approx(parameters[name].value, rel=1e-6), name


@pytest.mark.thorough
def test_runs_that_it_has_not_seen_lie_inside() -> None:
    """A third MTU and other messages, two tools, both sides, each run three times."""
    fitted = calibrate_host(RUNS / "calibration", **CPUS).calibration
    runs = calibrate_host(RUNS / "held-out", **CPUS, free=["per_byte_s"]).calibration.observed
    assert len(runs) == 36
    assert len({Path(run.place).name.rpartition("-")[0] for run in runs}) == 6
    assert fitted.scatter_ratio is not None
    scatter, inside, reaches = fitted.scatter_ratio * t.ppf(0.975, fitted.degrees_of_freedom), 0, []
    for run in runs:
        value, low, high = np.log(fitted.predict(Point(run.quantity, run.at)))
        below, above = math.hypot(value - low, scatter), math.hypot(high - value, scatter)
        inside += -below <= math.log(run.value or 0) - value <= above
        reaches.append(math.sinh((below + above) / 2))
    assert inside >= 30  # 10 of 12
    assert median(reaches) <= 0.30


def test_frames_per_interrupt_are_a_range_of_the_record() -> None:
    record = host(RECORD)
    assert record.receive is not None
    assert record.receive.frames_per_interrupt is not None
    low, high = record.receive.frames_per_interrupt.number_estimate[1:]
    assert low == 1
    assert 5 < high < 30  # 21 frames of a response and 90 of a write at MTU 1500
