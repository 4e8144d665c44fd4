"""Short transfers, one segment after the other."""

import pytest

from netmodel.transport import short_transfer_time_s

SEGMENT_BYTES = 1448


def time_segment_by_segment(
    segments: int, segment_time_s: float, round_trip_s: float, limit: int, first: int = 10
) -> float:
    """
    When the last acknowledgement comes, where each one lets two segments go, or one at the limit.

    A segment waits for the line. The other end acknowledges it when it has all of it, so that its
    acknowledgement comes a round trip after the line has sent its last bit.
    """
    window = min(first, limit)
    sendable = [0.0] * window
    acknowledged: list[float] = []
    free_s, next_ack = 0.0, 0
    for index in range(segments):
        if index == len(sendable):
            credit = 2 if window < limit else 1
            sendable += [acknowledged[next_ack]] * credit
            window, next_ack = window + credit - 1, next_ack + 1
        free_s = max(free_s, sendable[index]) + segment_time_s
        acknowledged.append(free_s + round_trip_s)
    return acknowledged[-1]


@pytest.mark.parametrize("limit", [16, 10_000])
@pytest.mark.parametrize("round_trip_s", [1e-4, 1.1e-3, 2e-3, 20e-3, 100e-3])
@pytest.mark.parametrize("segments", [1, 9, 45, 181, 724, 2897])
def test_transfers_against_segments_one_by_one(
    segments: int, round_trip_s: float, limit: int
) -> None:
    path_rate_bps = 100e6
    segment_time_s = SEGMENT_BYTES * 8 / path_rate_bps
    in_packets_s = time_segment_by_segment(segments, segment_time_s, round_trip_s, limit)
    result_s = short_transfer_time_s(
        segments * SEGMENT_BYTES, path_rate_bps, round_trip_s, window_segment_count=limit
    )
    assert result_s == pytest.approx(round_trip_s + in_packets_s, rel=1e-12)
