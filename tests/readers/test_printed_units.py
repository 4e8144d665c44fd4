"""Every unit that a tool prints, by what it is in base units: decimal or binary, bits or bytes."""

import pytest

from netmodel.readers import Measurement, read_result

KILO, KIBI = 10**3, 2**10


def only(text: str, format_name: str) -> Measurement:
    (run,) = read_result(text.encode(), format_name)
    return run


@pytest.mark.parametrize(
    ("unit", "size_bytes"),
    [
        *((f"{prefix}B", KILO**power) for power, prefix in enumerate(["K", "M", "G", "T"], 1)),
        *((f"{prefix}iB", KIBI**power) for power, prefix in enumerate(["K", "M", "G", "T"], 1)),
        ("bytes", 1),
    ],
)
def test_sizes_of_qperf(unit: str, size_bytes: int) -> None:
    text = f"tcp_bw:\n bw = 1 GB/sec\n sock_buf_size = 3 {unit}\n msg_size = 0.5 {unit}\n"
    run = only(text, "qperf")
    assert run.traffic.socket_buffer_bytes == 3 * size_bytes


@pytest.mark.parametrize(
    ("unit", "rate_bps"),
    [
        *((f"{prefix}B/sec", 8 * KILO**power) for power, prefix in enumerate("KMGT", 1)),
        *((f"{prefix}b/sec", KILO**power) for power, prefix in enumerate("KMGT", 1)),
        ("bytes/sec", 8),
        ("bits/sec", 1),
    ],
)
def test_rates_of_qperf(unit: str, rate_bps: int) -> None:
    run = only(f"tcp_bw:\n bw = 25 {unit}\n", "qperf")
    assert run.goodput_bps == 25 * rate_bps
    assert run.counted.half_width_bps == 0.5 * rate_bps


@pytest.mark.parametrize(
    ("unit", "time_s"), [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("sec", 1.0)]
)
def test_times_of_qperf(unit: str, time_s: float) -> None:
    run = only(f"tcp_lat:\n latency = 30 {unit}\n time = 2 {unit}\n", "qperf")
    assert run.transaction_time_s == pytest.approx(60 * time_s)
    assert run.duration_s == pytest.approx(2 * time_s)


@pytest.mark.parametrize(
    ("unit", "rate_tps"),
    [("/sec", 1), ("K/sec", 1e3), ("M/sec", 1e6), ("G/sec", 1e9), ("T/sec", 1e12)],
)
def test_message_rates_of_qperf(unit: str, rate_tps: float) -> None:
    run = only(f"tcp_lat:\n latency = 30 us\n msg_rate = 5 {unit}\n", "qperf")
    assert run.transaction_rate_tps == pytest.approx(2.5 * rate_tps)


UPERF = """Starting 1 threads running profile:made ...   0.00 seconds
Run Statistics
Hostname            Time       Data   Throughput   Operations      Errors
192.0.2.2          {time}  {size}  {rate}  10  0.00
master             {time}  {size}  {rate}  10  0.00
"""


@pytest.mark.parametrize(("power", "prefix"), [*enumerate(["", "K", "M", "G", "T", "P"])])
@pytest.mark.parametrize("has_b", [True, False])
def test_sizes_of_uperf_are_binary_and_rates_decimal(power: int, prefix: str, has_b: bool) -> None:
    """2.50 of a size in 2.00 s; the width of its field may cut the B."""
    size_bytes = 2.5 * KIBI**power
    rate_bps = 4 * size_bytes
    printed = f"{rate_bps / KILO**power:.2f}{prefix}b/s"
    size = f"2.50{prefix}{'B' if has_b or not prefix else ''}"
    run = only(UPERF.format(time="2.00s", size=size, rate=printed), "uperf")
    assert run.counted.received_bytes == round(size_bytes)
    assert run.goodput_bps == pytest.approx(rate_bps, rel=1e-3)
    assert len(run.notes) == 2  # of the time, and of the direction


@pytest.mark.parametrize(("unit", "time_s"), [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)])
def test_times_of_uperf(unit: str, time_s: float) -> None:
    """A fifth of a second in every unit."""
    number = 0.2 / time_s
    text = UPERF.format(time=f"{number:.2f}{unit}", size="10.00MB", rate="419.43Mb/s")
    run = only(text, "uperf")
    assert run.duration_s == pytest.approx(0.2)
    assert not any("prints" in note for note in run.notes)


@pytest.mark.parametrize("printed", ["1000000000bps", "1000000.00Kbps", "1000.00Mbps", "1.00Gbps"])
def test_rates_of_ntttcp_are_decimal(printed: str) -> None:
    """125,000,000 byte in a second."""
    text = (
        "NTTTCP for Linux 1.4.0\n"
        "12:00:00 INFO: test duration    :1.000 seconds\n"
        "12:00:00 INFO: total bytes      :125000000\n"
        f"12:00:00 INFO:   throughput     :{printed}\n"
    )
    run = only(text, "ntttcp")
    assert run.goodput_bps == pytest.approx(1e9)
    assert not any("prints" in note for note in run.notes)
    (other,) = read_result(text.replace(printed, "1.20Gbps").encode(), "ntttcp")
    why = "ntttcp prints 1.2 Gbit/s, but its bytes and time give 1 Gbit/s"
    assert (other.goodput_bps, other.counted.why_no_goodput) == (None, why)
