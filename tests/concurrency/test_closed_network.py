"""Closed networks: shapes of the results, and what is refused."""

import math

import numpy as np
import pytest

from netmodel.concurrency import exact_closed_network

DEMANDS_S = [0.605, 2.1, 1.35]


def test_arrays_are_broadcast() -> None:
    scale, servers = np.array([1, 2, 4]), np.array([[1], [3]])
    thinks_s, counts = np.array([[[0]], [[15]]]), np.array([[[[2]]], [[[9]]]])
    network = exact_closed_network(
        [DEMANDS_S[0] * scale, *DEMANDS_S[1:]], counts, thinks_s, [1, 1, servers]
    )
    assert network.transaction_rate_tps.shape == (2, 2, 2, 3)
    for index in np.ndindex(2, 2, 2, 3):
        row, column, server, place = index
        demands_s = [DEMANDS_S[0] * float(scale[place]), *DEMANDS_S[1:]]
        here = [1, 1, int(servers[server, 0])]
        single = exact_closed_network(
            demands_s, int(counts.flat[row]), float(thinks_s.flat[column]), here
        )
        assert network.transaction_rate_tps[index] == pytest.approx(single.transaction_rate_tps)
        assert network.transaction_time_s[index] == pytest.approx(single.transaction_time_s)
        queues = [queue[index] for queue in network.stage_connection_counts]
        assert queues == pytest.approx(single.stage_connection_counts)


def test_missing_numbers_stay_missing() -> None:
    network = exact_closed_network(DEMANDS_S, np.array([3, math.nan]), 15)
    assert network.transaction_rate_tps[0] == pytest.approx(0.1515, rel=0.01)
    assert math.isnan(network.transaction_rate_tps[1])
    assert math.isnan(exact_closed_network(DEMANDS_S, 3, math.nan).transaction_rate_tps)
    assert math.isnan(exact_closed_network(DEMANDS_S, math.nan).transaction_time_s)


def test_servers_need_not_be_whole() -> None:
    full = exact_closed_network(
        [2], 40, 0, 2.5
    )  # all connections are at the stage, and 2.5 are served
    assert full.transaction_rate_tps == pytest.approx(2.5 / 2, rel=1e-12)
    low, middle, high = exact_closed_network(
        DEMANDS_S, 9, 0, [np.array([2, 2.5, 3])] * 3
    ).transaction_rate_tps
    assert low < middle < high
