"""Parameters that are taken as known."""

import numpy as np
import pytest

from netmodel.calibration import (
    Curve,
    DemandModel,
    FreeParameter,
    Model,
    PathModel,
    Point,
    SeveralModels,
    adapter_model,
    host_cost_model,
    scalability_model,
    with_fixed,
)
from netmodel.consumption import Side
from netmodel.errors import DomainError

CURVE = Curve(
    "cpu_s_per_transaction",
    (FreeParameter("least_s", "s"), FreeParameter("shared_s", "s", 1e-9, 1.0)),
    lambda rate_tps, least_s, shared_s: least_s + shared_s / rate_tps,
    ("transaction_rate_tps",),
    (1e-5, 1e-5),
)
CAPPED = DemandModel(
    "transaction_rate_tps",
    (FreeParameter("alone_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1 / at["connection_count"], 1.0),
    cap=lambda at: 3000.0,
)
RATE = Point("transaction_rate_tps", {"connection_count": 8})
COST = Point("cpu_s_per_transaction", {"transaction_rate_tps": 1e4})
BYTES = Point("throughput_bps", {"mtu_bytes": 1500})
SENT = {"mtu_bytes": 1500, "request_bytes": 200, "response_bytes": 30720, "side": "client"}
USED = Point("cpu_us_per_gbit", SENT)


@pytest.mark.parametrize(
    ("model", "point", "values"),
    [
        (scalability_model(), RATE, {"contention_s": 2e-5}),
        (CAPPED, RATE, {"each_s": 1e-4}),
        (CURVE, COST, {"least_s": 2e-5}),
        (adapter_model(25e9), BYTES, {"per_byte_s": 2e-10}),
        (host_cost_model(Side.CLIENT), USED, {"per_frame_s": 1e-6, "per_message_s": 1e-5}),
    ],
)
def test_what_is_fixed_goes_in_as_its_value(
    model: Model, point: Point, values: dict[str, float]
) -> None:
    everything = {one.name: 3e-4 for one in model.parameters} | values
    free = with_fixed(model, values)
    assert [one.name for one in free.parameters] == [n for n in everything if n not in values]
    found = free.function([point])(np.full(len(free.parameters), 3e-4))
    expected = model.function([point])(np.array([*everything.values()]))
    assert found == pytest.approx(expected, rel=1e-12)


def test_each_of_several_models_has_its_own() -> None:
    several = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    free = with_fixed(several, {"out.per_byte_s": 2e-10})
    names = ["in.per_frame_s", "in.per_byte_s", "out.per_frame_s"]
    assert [one.name for one in free.parameters] == names
    assert isinstance(free, SeveralModels)
    assert all(isinstance(one, PathModel) for one in free.models.values())
    out = Point("throughput_bps", {"mtu_bytes": 1500, "direction": "out"})
    found = free.function([out])(np.array([9.0, 9.0, 5e-7]))
    assert found == pytest.approx(adapter_model(25e9).function([out])(np.array([5e-7, 2e-10])))


def test_a_model_of_which_nothing_is_fixed_is_the_same() -> None:
    for model in (CURVE, CAPPED, adapter_model()):
        assert with_fixed(model, {}) is model


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"no_s": 1.0}, "no parameter 'no_s'; there are least_s, shared_s"),
        ({"shared_s": 2.0}, "shared_s must be from 1e-09 to 1; got 2"),
        ({"least_s": -1.0}, "least_s must be from 0 to inf; got -1"),
        ({"least_s": 1e-5, "shared_s": 1e-5}, "at least one parameter must be free"),
    ],
)
def test_what_cannot_be_fixed_is_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        with_fixed(CURVE, values)
