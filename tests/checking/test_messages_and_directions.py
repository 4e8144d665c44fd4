"""Runs whose writes are specified, and runs with data in both directions."""

import pytest
from runs import EVEN_CEILING_BPS, check_file, run, sample

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.errors import ContradictionError

WRITES = SpecifiedLine(1538e6, mtu_bytes=1500, message_bytes=1000)
WRITES_CEILING_BPS = 1538e6 * 1000 / 1090


def limits(verdict: Verdict) -> dict[str, float]:
    assert verdict.limits is not None
    return {limit.name: limit.value_bps for limit in verdict.limits.limits}


def test_writes_that_are_sent_for_themselves_are_a_limit() -> None:
    """1000 bytes of payload take 1000 + 90 on the wire."""
    verdict = check(run(WRITES_CEILING_BPS), WRITES)
    assert verdict.outcome is Outcome.AT_CEILING
    assert limits(verdict) == pytest.approx({"wire": 1448e6, "messages": WRITES_CEILING_BPS})
    assert "a separate frame for every write" in verdict.reason


def test_writes_that_share_segments_are_found_out() -> None:
    verdict = check(run(EVEN_CEILING_BPS), WRITES)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert "writes that shared segments would explain it: the ratio is 1.0000" in verdict.reason


def test_the_payload_specified_must_be_that_of_the_datagrams() -> None:
    path = sample("iperf3_3.12_udp_100M.json")
    (verdict,) = check_file(path, SpecifiedLine(1e9, mtu_bytes=1500))
    assert verdict.measurement is not None
    sent = verdict.measurement.datagram_bytes
    check_file(path, SpecifiedLine(1e9, mtu_bytes=1500, message_bytes=sent))
    with pytest.raises(ContradictionError, match=f"specified payload in byte is 99, but .* {sent}"):
        check_file(path, SpecifiedLine(1e9, mtu_bytes=1500, message_bytes=99))


@pytest.mark.parametrize("name", ["iperf3_3.12_tcp_bidir.json", "iperf3_3.12_udp_bidir.json"])
def test_both_directions_of_a_file_know_of_each_other(name: str) -> None:
    runs = [verdict.measurement for verdict in check_file(sample(name), SpecifiedLine(1e12, 1500))]
    assert [each.is_bidirectional for each in runs if each] == [True, True]
