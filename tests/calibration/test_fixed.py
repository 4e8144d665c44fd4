"""Models some of whose parameters are known: as the whole model with these values."""

import numpy as np
import pytest
from calibration.drawn import BATCHED

from netmodel.calibration import Observed, Point, adapter_model, calibrate, host_cost_model
from netmodel.calibration.models import Model, with_fixed
from netmodel.calibration.named_models import curve_model, service_times
from netmodel.errors import DomainError

ADAPTERS = adapter_model(dict.fromkeys(("in", "out"), 25e9), by="direction")
COUNT = {"connection_count": 8}
CASES: list[tuple[Model, str, float, Point]] = [
    (adapter_model(25e9), "per_byte_s", 1e-10, Point("throughput_bps", {"mtu_bytes": 1500})),
    (
        *(ADAPTERS, "out.per_frame_s", 5e-7),
        Point("throughput_bps", {"mtu_bytes": 1500, "direction": "out"}),
    ),
    (
        *(host_cost_model(), "per_message_s", 2e-6),
        Point("cpu_us_per_gbit", {"mtu_bytes": 1500, "request_bytes": 200, "side": "client"}),
    ),
    (curve_model("scalability"), "contention_s", 3e-7, Point("transaction_rate_tps", COUNT)),
    (
        *(BATCHED, "time_per_batch_s", 5e-5),
        Point("cpu_s_per_transaction", {"transaction_rate_tps": 1e4}),
    ),
]


@pytest.mark.parametrize(("model", "name", "value", "point"), CASES)
def test_the_rest_is_as_in_the_whole_model(
    model: Model, name: str, value: float, point: Point
) -> None:
    fixed = with_fixed(model, {name: value})
    names = [each.name for each in model.parameters]
    assert [each.name for each in fixed.parameters] == [each for each in names if each != name]
    free = np.array([1e-6 * (place + 1) for place in range(len(names) - 1)])
    whole = np.insert(free, names.index(name), value)
    wanted = model.function([point])(whole)
    assert fixed.function([point])(free) == pytest.approx(wanted, rel=1e-12)
    other = with_fixed(model, {name: 2 * value}).function([point])(free)
    assert other != pytest.approx(wanted, rel=1e-6)


def test_models_of_paths_stay_models_of_paths() -> None:
    """Records are written of them."""
    fixed = with_fixed(ADAPTERS, {"out.per_byte_s": 2e-10})
    assert service_times(fixed) == service_times(ADAPTERS)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"per_packet_s": 0.0}, "no parameter 'per_packet_s'; there are per_frame_s, per_byte_s"),
        ({"per_frame_s": -1e-9}, "per_frame_s must be from 0 to inf; got -1e-09"),
        ({"per_frame_s": float("nan")}, "per_frame_s must be from 0"),
        ({"per_frame_s": 0.0, "per_byte_s": 0.0}, "at least one parameter must be free"),
    ],
)
def test_impossible_fixed_values_are_refused(values: dict[str, float], fault: str) -> None:
    with pytest.raises(DomainError, match=fault):
        with_fixed(adapter_model(), values)


def test_parameters_of_any_model_are_fixed() -> None:
    seen = [
        Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
        for mtu, rate in ((1500, 13.4e9), (3000, 18.2e9), (4000, 20.0e9))
    ]
    result = calibrate(seen, adapter_model(), fixed={"per_byte_s": 1e-10})
    assert result == calibrate(seen, "adapter", fixed={"per_byte_s": 1e-10})
    assert [*result.parameters] == ["per_frame_s"]
