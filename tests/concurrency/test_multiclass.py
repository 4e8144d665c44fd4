"""Classes of connections: shapes of the results, and what is refused."""

import math

import numpy as np
import pytest

from netmodel.concurrency import approximate_multiclass_network, exact_multiclass_network
from netmodel.errors import DomainError

DEMANDS_S = [[1, 3, 0.5], [2, 4, 0]]

pytestmark = pytest.mark.parametrize(
    "solver", [exact_multiclass_network, approximate_multiclass_network]
)


def test_models_lie_behind_classes_and_stages(solver) -> None:  # type: ignore[no-untyped-def]
    demands_s = np.multiply.outer(DEMANDS_S, np.array([1, 2, 5]))
    thinks_s = np.array([[0, 1, 2], [3, 4, 5]])
    network = solver(demands_s, [3, 2], thinks_s)
    assert network.transaction_rates_tps.shape == network.transaction_times_s.shape == (2, 3)
    assert network.stage_connection_counts.shape == (2, 3, 3)
    for model in range(3):
        single = solver(demands_s[:, :, model], [3, 2], thinks_s[:, model])
        for values, here in zip(network, single, strict=True):
            assert values[..., model] == pytest.approx(here)
    alike = solver(demands_s, [3, 2], [3, 4])  # of all models
    assert alike.transaction_rates_tps[:, 2] == pytest.approx(
        solver(demands_s[:, :, 2], [3, 2], [3, 4]).transaction_rates_tps
    )


def test_a_class_without_connections_has_no_time(solver) -> None:  # type: ignore[no-untyped-def]
    network = solver([*DEMANDS_S, [0, 0, 0]], [3, 2, 0], [1, 2, 0])
    assert network.transaction_rates_tps[2] == 0
    assert math.isnan(network.transaction_times_s[2])
    assert network.stage_connection_counts[2].tolist() == [0, 0, 0]


def test_any_load_settles(solver) -> None:  # type: ignore[no-untyped-def]
    """Classes that compete for several full stages, with demands a million times apart."""
    if solver is exact_multiclass_network:
        return
    chance = np.random.default_rng(4)  # one network would leave the rates above 0 at full steps
    for _ in range(50):
        class_count, stage_count = chance.integers(1, 12), chance.integers(1, 15)
        demands_s = 10 ** chance.uniform(-6, 0, (class_count, stage_count))
        counts = np.round(10 ** chance.uniform(0, 4, class_count))
        thinks_s = 10 ** chance.uniform(-6, 6, class_count) * (chance.random(class_count) < 0.6)
        network = solver(demands_s, counts, thinks_s)
        queues, rates = network.stage_connection_counts, network.transaction_rates_tps
        assert (rates @ demands_s <= 1 + 1e-9).all()
        met = 1 + queues.sum(axis=0) - queues / counts[:, np.newaxis]
        times_s = (demands_s * met).sum(axis=1)
        assert rates == pytest.approx(counts / (thinks_s + times_s), rel=1e-8)


def test_what_does_not_settle_says_so(solver, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    if solver is exact_multiclass_network:
        return
    monkeypatch.setattr("netmodel.concurrency._multiclass._MAX_STEP_COUNT", 1)
    with pytest.raises(DomainError, match="do not settle; use exact_multiclass_network"):
        solver(DEMANDS_S, [30, 20])
