"""Runs whose writes are specified, and runs with data in both directions."""

import pytest
from runs import check_file, sample

from netmodel.checking import SpecifiedLine
from netmodel.errors import ContradictionError


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
