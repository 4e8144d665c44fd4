"""Runs of known truth over a distance: only the peer's window limits them, or it does not.

An ideal sender is simulated in rounds, one for each round trip: a round to connect, then ten
segments, twice as much in each further round (RFC 6928, RFC 5681), until the peer's window is full.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from invocation import printed_json
from runs import document

from netmodel.checking import Outcome, SpecifiedLine, check
from netmodel.readers import read_result

LINE = ("--line-rate", "1Gbit/s", "--mtu", "1500")
SEGMENT_BYTES = 1448
FIRST_BYTES = 10 * SEGMENT_BYTES
CASES = [
    (window_bytes, round_trip_s, duration_s)
    for window_bytes in (100_000, 350_000, 1_000_000)
    for round_trip_s in (20e-3, 100e-3, 200e-3)
    for duration_s in (5.0, 10.0, 30.0)
]
"""All below the line: 1 MB over 20 ms is 400 Mbit/s."""


def arrived_bytes(window_bytes: int, round_trip_s: float, duration_s: float) -> int:
    """What an ideal sender moves, slow start included."""
    rounds = round(duration_s / round_trip_s) - 1
    return sum(min(window_bytes, FIRST_BYTES * 2**number) for number in range(rounds))


def result(
    payload_bytes: float, window_bytes: int, round_trip_s: float, duration_s: float, **other: Any
) -> bytes:
    """A file of iperf3; its congestion window is twice the peer's, and nothing was sent again."""
    changed = {"congestion_bytes": 2 * window_bytes, "retransmits": 0, "omit": 0} | other
    whole = document("line_200m_mtu1500_ts1_v4.json")
    whole["start"]["test_start"] |= {"omit": changed["omit"], "duration": duration_s}
    whole["intervals"] = []
    rate_bps = 8 * payload_bytes / duration_s
    end = whole["end"]
    times = {"start": 0, "end": duration_s, "seconds": duration_s, "bits_per_second": rate_bps}
    for name in ("sum_sent", "sum_received"):
        end[name] |= times | {"bytes": round(payload_bytes)}
    end["sum_sent"]["retransmits"] = changed["retransmits"]
    end["streams"][0]["sender"] |= {
        "max_snd_cwnd": changed["congestion_bytes"],
        "max_snd_wnd": window_bytes,
        "mean_rtt": round_trip_s * 1e6,
        "min_rtt": round_trip_s * 1e6,
        "max_rtt": round_trip_s * 1e6,
    }
    return json.dumps(whole).encode()


def judged(content: bytes, tmp_path: Path, *options: str, exit_code: int = 1) -> dict[str, Any]:
    """The row that `check` prints of a file."""
    (tmp_path / "run.json").write_bytes(content)
    rows = printed_json("check", str(tmp_path / "run.json"), *LINE, *options, exit_code=exit_code)
    (row,) = rows
    assert isinstance(row, dict)
    return row


@pytest.mark.parametrize(("window_bytes", "round_trip_s", "duration_s"), CASES)
def test_an_ideal_run_with_slow_start_is_limited_by_its_window(
    window_bytes: int, round_trip_s: float, duration_s: float, tmp_path: Path
) -> None:
    case = (window_bytes, round_trip_s, duration_s)
    row = judged(result(arrived_bytes(*case), *case), tmp_path)
    assert (row["verdict"], row["binding"]) == ("limited", "window")


def test_an_ideal_run_of_1_mb_over_100_ms_is_at_0_938_of_its_window(tmp_path: Path) -> None:
    """1 838 960 byte in seven rounds of slow start, 1 MB in each of 92 more: of 100 MB."""
    case = (1_000_000, 100e-3, 10.0)
    assert arrived_bytes(*case) == 1_838_960 + 92_000_000
    row = judged(result(arrived_bytes(*case), *case), tmp_path)
    (window,) = (limit for limit in row["limits"] if limit["name"] == "window")
    assert row["goodput_bps"] / window["value_bps"] == pytest.approx(0.938, abs=5e-4)
    assert (row["verdict"], row["binding"]) == ("limited", "window")
    assert "69.1 Mbit/s to 80 Mbit/s" in row["reason"]


@pytest.mark.parametrize(
    ("share", "other"),
    [
        (0.8, {}),
        (0.8, {"omit": 2}),
        (0.93, {"congestion_bytes": 1_000_000}),
        (0.93, {"congestion_bytes": 900_000}),
        (0.93, {"retransmits": 1}),
        (0.85, {"retransmits": 1000}),
    ],
    ids=["slow", "steady", "equal", "smaller", "one again", "many again"],
)
def test_what_the_window_does_not_explain_is_not_limited_by_it(
    share: float, other: dict[str, Any], tmp_path: Path
) -> None:
    row = judged(result(share * 100e6, 1_000_000, 100e-3, 10.0, **other), tmp_path)
    assert row["binding"] != "window"
    assert row["verdict"] == "below"
    assert (
        f"{share:.4f} of the 80 Mbit/s that its window allows over the round trip"
        in (row["reason"])
    )


def test_a_window_without_a_congestion_window_keeps_its_range() -> None:
    """Where the tool does not report it, two segments less than the window are the least."""
    case = (1_000_000, 100e-3, 10.0)
    content = json.loads(result(0.938 * 100e6, *case))
    del content["end"]["streams"][0]["sender"]["max_snd_cwnd"]
    (run,) = read_result(json.dumps(content).encode())
    assert check(run, SpecifiedLine(1e9, 1500)).outcome is Outcome.BELOW
