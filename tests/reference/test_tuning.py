"""Settings of a host: what vendors print, what the kernel prints, and numbers by hand."""

from pathlib import Path

import pytest

from netmodel.errors import DomainError
from netmodel.framing import wire_bytes
from netmodel.tuning import (
    buffer_drain_time_s,
    buffer_memory_bytes,
    cpus_out_of_range,
    decode_rps_mask,
    drain_time_s,
    encode_rps_mask,
    format_cpu_list,
    page_fill_ratio,
    pages_per_packet_count,
    parse_cpu_list,
    queue_drain_time_s,
    queue_memory_bytes,
    queue_packet_count,
    required_socket_buffer_bytes,
    socket_buffer_ratio,
)

KIB = 1024
GIGA = 1e9
ZEROS = "00000000"
ELEVEN_GROUPS = ",".join([ZEROS] * 11)
OWN_STATUS = Path("/proc/self/status")


# Receive buffers


@pytest.mark.parametrize(("count", "memory_mib"), [(16, 1), (64, 4), (128, 8)])
def test_memory_of_receive_buffers(count: int, memory_mib: int) -> None:
    """IBM, device drivers book: 64 KiB each; KVM document: 16 are 1 MB, 128 are 8 MB."""
    assert buffer_memory_bytes(count) == memory_mib * KIB * KIB
    assert buffer_memory_bytes(128) == 8_388_608


@pytest.mark.parametrize(
    ("count", "rate_gbps", "time_ms"), [(128, 13.4, 5.008), (128, 25, 2.684), (16, 25, 0.336)]
)
def test_drain_time_of_receive_buffers(count: int, rate_gbps: float, time_ms: float) -> None:
    """By hand: 8 * count * 65 536 / rate, to the digits shown."""
    found_s = buffer_drain_time_s(count, rate_gbps * GIGA)
    assert found_s * 1e3 == pytest.approx(time_ms, rel=0, abs=0.5e-3)
    assert found_s == drain_time_s(buffer_memory_bytes(count), rate_gbps * GIGA)


# Transmit queues


@pytest.mark.parametrize(
    ("count", "line_gbps", "time_ms"),
    [
        (1000, 1, 12.304),
        (1000, 10, 1.2304),
        (1000, 25, 0.49216),
        (2500, 10, 3.076),
        (2500, 25, 1.2304),
    ],
)
def test_drain_time_of_transmit_queues(count: int, line_gbps: float, time_ms: float) -> None:
    """By hand: 1538 bytes on the wire for each full packet of 1500, in any direction."""
    time_s = queue_drain_time_s(count, line_gbps * GIGA, wire_bytes(1500))
    assert time_s * 1e3 == pytest.approx(time_ms, rel=1e-12)
    assert queue_packet_count(time_ms / 1e3, line_gbps * GIGA, wire_bytes(1500)) == count


def test_memory_of_a_transmit_queue() -> None:
    """By hand: 14 bytes of link header and the packet."""
    assert queue_memory_bytes(1000, 1500) == 1_514_000
    assert queue_memory_bytes(2500, 9000) == 22_535_000
    assert queue_memory_bytes(2500, 9000, 18) == 22_545_000


def test_one_nanosecond_more_takes_one_packet_more() -> None:
    """By hand: a full packet takes 492.16 ns at 25 Gbit/s."""
    times_s = (0, 1e-12, 492.16e-9, 493.16e-9)
    assert [queue_packet_count(time_s, 25e9, 1538) for time_s in times_s] == [0, 1, 1, 2]


# Pages


@pytest.mark.parametrize(
    ("mtu_bytes", "pages"),
    [(1500, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3), (8992, 3), (9000, 3)],
)
def test_pages_of_a_packet(mtu_bytes: int, pages: int) -> None:
    """KVM document: 9000 bytes need more than two pages of 4 KiB, 8192 exactly two."""
    assert pages_per_packet_count(mtu_bytes) == pages
    assert page_fill_ratio(mtu_bytes) == mtu_bytes / (pages * 4096)
    assert (page_fill_ratio(mtu_bytes) == 1) is (mtu_bytes in (4096, 8192))


# Sockets


def test_socket_buffers_for_the_examples_of_rfc_6349() -> None:
    """RFC 6349, section 3.3.1: a socket buffer of at least the bandwidth-delay product."""
    assert required_socket_buffer_bytes(10e9, 0.3e-3) == pytest.approx(375e3, rel=1e-12)
    assert required_socket_buffer_bytes(1e9, 0.1e-3) == pytest.approx(12.5e3, rel=1e-12)


def test_twice_the_buffer_of_the_powervm_document_is_twice_the_ratio() -> None:
    """PowerVM document: tcp_sendspace and tcp_recvspace 524 288 in place of 262 144; by hand."""
    default, doubled = (socket_buffer_ratio(size, 10e9, 0.25e-3) for size in (262_144, 524_288))
    assert (default, doubled) == pytest.approx((0.8388608, 1.6777216), rel=1e-12)


def test_a_share_of_the_buffer_and_more_flows() -> None:
    """By hand: half of the buffer is window, ten flows have a tenth of the rate each."""
    assert required_socket_buffer_bytes(10e9, 0.3e-3, 10, 0.5) == pytest.approx(75e3, rel=1e-12)
    assert socket_buffer_ratio(75e3, 10e9, 0.3e-3, 10, 0.5) == pytest.approx(1, rel=1e-12)


# Masks


@pytest.mark.parametrize(
    ("cpus", "mask"),
    [
        ([0, 1, 3, 6], "4b"),  # N. Hoppmann (2021), slide 38, example 1
        (range(8), "ff"),  # example 2
        ([], "0"),
        ([31], "80000000"),
        ([32], "1,00000000"),
        ([0, 32, 64], "1,00000001,00000001"),
        (range(36), "f,ffffffff"),
        ([383], f"80000000,{ELEVEN_GROUPS}"),
    ],
)
def test_masks_as_they_are_written(cpus: list[int], mask: str) -> None:
    assert encode_rps_mask(cpus) == mask
    assert decode_rps_mask(mask) == tuple(cpus)


@pytest.mark.parametrize("mask", ["4b", "ff", "0"])
def test_masks_as_the_kernel_prints_them(mask: str) -> None:
    """N. Hoppmann (2021), slides 37 and 38: 12 groups of 8 digits, also over several lines."""
    printed = f"{ELEVEN_GROUPS},{mask:0>8}"
    cpus = decode_rps_mask(mask)
    assert encode_rps_mask(cpus, bit_count=384) == printed
    assert decode_rps_mask(printed) == cpus
    lines = ",\n".join(",".join([ZEROS] * count) for count in (5, 5, 1))
    assert decode_rps_mask(f"{lines},{mask:0>8}\n") == cpus


@pytest.mark.parametrize(
    ("bit_count", "mask"),
    [(1, "1"), (4, "1"), (5, "01"), (8, "01"), (32, "00000001"), (33, "0,00000001")],
)
def test_the_kernel_prints_as_many_digits_as_its_bits_need(bit_count: int, mask: str) -> None:
    """Linux, lib/vsprintf.c, bitmap_string(): the first group may be shorter; by hand."""
    assert encode_rps_mask([0], bit_count) == mask


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", (0,)),
        ("0,1,3,6", (0, 1, 3, 6)),
        ("0-7", tuple(range(8))),
        ("6, 3,1 ,0", (0, 1, 3, 6)),
        ("5-5", (5,)),
        ("8-9,0-1,4", (0, 1, 4, 8, 9)),
        ("007", (7,)),
        ("8191", (8191,)),
    ],
)
def test_lists_of_cpus(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpu_list(text) == cpus


def test_lists_are_written_as_the_kernel_writes_them() -> None:
    """Linux, Documentation/admin-guide/kernel-parameters.rst, "cpu lists"; by hand."""
    assert format_cpu_list([6, 3, 1, 0]) == "0-1,3,6"
    assert format_cpu_list([0, 2, 3, 4, 7, 8]) == "0,2-4,7-8"
    assert format_cpu_list([]) == ""
    assert format_cpu_list([4]) == "4"


@pytest.mark.skipif(not OWN_STATUS.exists(), reason="needs Linux")
def test_masks_and_lists_of_the_running_kernel_agree() -> None:
    """The kernel prints the CPUs of a process in both forms."""
    lines = OWN_STATUS.read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    mask, text = (status[name].strip() for name in ("Cpus_allowed", "Cpus_allowed_list"))
    assert decode_rps_mask(mask) == parse_cpu_list(text)
    assert format_cpu_list(decode_rps_mask(mask)) == text
    assert encode_rps_mask(parse_cpu_list(text), bit_count=4 * len(mask.replace(",", ""))) == mask


def test_cpus_that_a_system_lacks_are_reported() -> None:
    """N. Hoppmann (2021), slide 37: only the bits of CPUs that are there can be set."""
    assert cpus_out_of_range([0, 1, 3, 6], 8) == ()
    assert cpus_out_of_range([0, 7, 8, 11], 8) == (8, 11)
    assert cpus_out_of_range([], 1) == ()


@pytest.mark.parametrize("cpu_count", [0, -1, 1.5, 8193])
def test_a_system_has_a_whole_number_of_cpus(cpu_count: float) -> None:
    with pytest.raises(DomainError, match="cpu_count must be"):
        cpus_out_of_range([0], cpu_count)  # type: ignore[arg-type]


def test_texts_of_any_length_are_refused_at_once() -> None:
    with pytest.raises(DomainError, match="is beyond 8191") as caught:
        parse_cpu_list("9" * 5000)
    assert len(str(caught.value)) < 300
    with pytest.raises(DomainError, match="a mask of 257 groups is longer than that of any kern"):
        decode_rps_mask(",".join([ZEROS] * 257))
