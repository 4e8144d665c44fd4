"""Requests and responses over a line with delay: measured between the expected rate and its bound.

The forwarder of the line takes the time of each frame on the wire and a delay, both constant, so
that connections which take turns in step meet less often than with exponential service.
"""

import shutil

import pytest
from line.delayed import DelayedLine
from line.tools import netperf_requests

from netmodel.ceilings import ByteLayer
from netmodel.path import Path, Prediction, Stage, Times, Traffic, predict_path

pytestmark = [
    pytest.mark.line,
    pytest.mark.skipif(shutil.which("netperf") is None, reason="netperf is not on the PATH"),
]

RATE_BPS = 2_000_000
DELAY_S = 20e-3
REQUEST_BYTES, RESPONSE_BYTES = 100, 1000
RUN_S = 4
HOST_S = 2.4e-3
"""Both hosts and the forwarder beside the line itself: two of its wake-ups, 1.2 ms each."""
CUT_OFF_COUNT = 2
"""Transactions of each connection at either end of its run: one that is not over, and one while
others set up or have ended."""


def predicted(connection_count: int, host_s: float) -> Prediction:
    """The line with its delay, and a delay of the hosts."""
    per_byte = Times(per_byte_s=8 / RATE_BPS)
    wires = (
        Stage(name="wire_to_server", to_server=per_byte, byte_layer=ByteLayer.WIRE),
        Stage(name="wire_to_client", to_client=per_byte, byte_layer=ByteLayer.WIRE),
    )
    fibre = Times(per_message_s=DELAY_S + host_s / 2)
    delay = Stage(name="fibre", to_server=fibre, to_client=fibre, parallel_count=None)
    traffic = Traffic(REQUEST_BYTES, RESPONSE_BYTES, connection_count=connection_count)
    return predict_path(Path(stages=(*wires, delay)), traffic, 1500)


@pytest.mark.parametrize("connection_count", [1, 5, 10, 20])
def test_requests_reach_the_expected_rate(connection_count: int) -> None:
    with DelayedLine(RATE_BPS, delay_s=DELAY_S) as line:
        rates = netperf_requests(line, connection_count, REQUEST_BYTES, RESPONSE_BYTES, RUN_S)
    assert len(rates) == connection_count
    measured_tps = sum(rates)
    bound_tps = predicted(connection_count, 0.0).transaction_rate_tps.value
    expected = predicted(connection_count, HOST_S).expected
    assert expected is not None
    expected_tps = expected.transaction_rate_tps.value
    margin_ratio = CUT_OFF_COUNT * connection_count / (expected_tps * RUN_S)
    assert expected_tps * (1 - margin_ratio) <= measured_tps <= bound_tps * (1 + margin_ratio)
