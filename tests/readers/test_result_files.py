"""Results that need more than a row in a table of test_results: several files, or single lines."""

import csv
import gzip
import re
from pathlib import Path

import pytest
from changes import with_changes
from invocation import printed_json
from runs import reported

from netmodel.checking import SpecifiedLine, check
from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.framing import parse_stack
from netmodel.readers import Measurement, read_result
from netmodel.readers._netperf import key_of_column

SAMPLES = Path(__file__).parent / "samples"
NETPERF = SAMPLES / "netperf"
KEYS = NETPERF / "netperf_2.7.0_omni_k_all.txt"
PERFTEST = SAMPLES / "perftest"


def only(source: Path | bytes, format_name: str | None = None) -> Measurement:
    (run,) = read_result(source, format_name)
    return run


@pytest.mark.parametrize(
    ("name", "line_count"), [("TCP_STREAM_plain", 1), ("UDP_STREAM_plain", 2), ("TCP_RR_plain", 2)]
)
def test_results_of_netperf_without_banners_of_their_own(name: str, line_count: int) -> None:
    """As ``netperf -P 0`` prints them after a first run with its headings."""
    text = (NETPERF / f"netperf_2.7.0_{name}.txt").read_bytes().rstrip() + b"\n"
    rows = b"\n".join(text.splitlines()[-line_count:])
    first, second = read_result(text + rows + b"\n", "netperf")
    assert first.goodput_bps == second.goodput_bps


def test_one_of_several_with_an_impossible_value_says_why() -> None:
    whole = (NETPERF / "netperf_2.7.0_TCP_STREAM.txt").read_bytes()
    first, second = read_result(whole + whole[:-18], "netperf")
    assert first.goodput_bps == 19714.96e6
    assert second.goodput_bps is None
    assert "line 14: must have 9 figures; got 7" in (second.counted.why_no_goodput or "")


def test_columns_of_netperf_are_the_keys_of_the_same_output() -> None:
    """
    The tool prints all that it knows in one order, by keys with -k and in columns with -o; a tag
    that nobody gave has a column only.
    """
    lines = KEYS.read_text(encoding="utf-8").splitlines()
    keys = [line.split("=")[0] for line in lines if "=" in line]
    table = (NETPERF / "netperf_2.7.0_omni_o_all.csv").read_text(encoding="utf-8")
    widest = max(csv.reader(table.splitlines()), key=len)
    names = [name for name in widest if name != "Result Tag"]
    columns = dict(zip(names, keys, strict=True))
    read = {"THROUGHPUT", "PROTOCOL", "DIRECTION", "SD_UNITS", "CONFIDENCE_INTERVAL"}
    read |= {"TRANSPORT_MSS", "RT_LATENCY", "MEAN_LATENCY", "TRANSACTION_RATE", "REQUEST_SIZE"}
    assert read <= {key for name, key in columns.items() if key_of_column(name) == key}


@pytest.mark.parametrize("key", ["LOCAL_CPU_COUNT", "LOCAL_CPU_UTIL", "LOCAL_SEND_SIZE"])
def test_a_key_of_netperf_without_a_value_was_not_measured(key: str) -> None:
    whole = KEYS.read_text(encoding="utf-8")
    empty, minus_one = (
        reported(only(re.sub(rf"\n{key}=.*", f"\n{key}={value}", whole).encode(), "netperf"))
        for value in ("", "-1")
    )
    assert empty == minus_one != reported(only(whole.encode(), "netperf"))


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_too_few_lines_of_progress_of_uperf_leave_no_steady_part(kept: int) -> None:
    path = SAMPLES / "uperf" / "uperf_1.0.8_str-writex30k_a_i1_R.txt"
    lines = path.read_bytes().splitlines(keepends=True)
    progress = [line for line in lines if b"name:Txn2" in line]
    left = progress[:1] + progress[len(progress) - kept + 1 :] if kept > 1 else progress[-1:]
    run = only(b"".join(line for line in lines if line in left or line not in progress))
    assert run.counted.is_lower_bound
    assert run.goodput_bps == 8e9


def test_requests_of_uperf_without_progress_keep_their_mean_time() -> None:
    path = SAMPLES / "uperf" / "uperf_1.0.8_rr1c-200x1000_a.txt"
    lines = path.read_bytes().splitlines(keepends=True)
    run = only(b"".join(line for line in lines if b"op/s" not in line))
    assert run.transaction_time_s == pytest.approx(75.89e-6)
    assert (run.goodput_bps, run.transaction_rate_tps) == (None, None)


def test_the_receiver_of_sends_times_one_message_less_than_it_counts() -> None:
    """perftest starts its clock at the first completion: N messages in N - 1 intervals."""
    path = PERFTEST / "made_send_bw_mib_cpu.txt"
    sent = only(path)
    # the receiving end has no depth of a send queue
    run = only(re.sub(rb"TX depth( *: ?)", rb"RX depth\1", path.read_bytes()))
    assert (sent.file.recorded_by, run.file.recorded_by) == (Side.CLIENT, Side.SERVER)
    assert (sent.traffic.rdma_operation, run.traffic.rdma_operation) == ("send", "send")
    count = (run.counted.received_bytes or 0) // (run.traffic.write_bytes or 1)
    assert count > 1
    assert run.goodput_bps == pytest.approx((sent.goodput_bps or 0) * (count - 1) / count)
    assert f"times {count} messages from the first to the last" in " ".join(run.notes)
    line = SpecifiedLine(400e9, stack=parse_stack("ethernet/ipv4/udp/rocev2"))
    parts = {each.name: each for each in check(run, line).tolerance.parts}
    assert parts["timing"].above_ratio == pytest.approx(1 / (count - 1))
    assert "timing" not in {each.name for each in check(sent, line).tolerance.parts}


def test_each_size_of_perftest_is_a_run() -> None:
    runs = read_result(PERFTEST / "made_write_bw_a.txt")
    assert [run.traffic.write_bytes for run in runs] == [2**power for power in range(1, 24)]
    assert [run.file.part for run in runs[:2]] == ["2 byte", "4 byte"]
    # seven million messages per second, until the line is full
    assert runs[9].goodput_bps == pytest.approx(1024 * 8 * 7e6, abs=0.005e9)
    assert {run.goodput_bps for run in runs[11:]} == {94.37e9}
    assert not any(run.notes for run in runs)


def test_a_link_of_perftest_without_addresses_is_infiniband() -> None:
    lines = (PERFTEST / "made_write_bw_force_link.txt").read_bytes().splitlines(keepends=True)
    run = only(b"".join(line for line in lines if b" address: " not in line))
    assert (run.protocol, run.notes) == ("infiniband", ())


def test_output_of_the_server_within_text_of_iperf3_is_passed_over() -> None:
    server = (SAMPLES / "iperf3" / "iperf3_3.12_server_tcp.txt").read_text(encoding="utf-8")
    end = ("\niperf Done.", f"\nServer output:\n{server}\niperf Done.")
    raw = with_changes(SAMPLES / "iperf3" / "iperf3_3.12_tcp.txt", end)
    assert only(raw, "iperf3-text").goodput_bps == 17.6e9


def test_an_attempt_of_iperf3_that_failed_is_a_run_of_its_own() -> None:
    good = (SAMPLES / "iperf3" / "iperf3_3.12_tcp.txt").read_bytes()
    failed = (SAMPLES / "iperf3" / "iperf3_3.12_error.txt").read_bytes()
    runs = read_result(good + failed + good, "iperf3-text")
    assert [run.error is None for run in runs] == [True, False, True]
    assert [run.goodput_bps for run in runs] == [17.6e9, None, 17.6e9]


IPERF2 = "iperf2/iperf2_2.1.8_line_"
IDS = {
    *((f"{IPERF2}{name}.txt", 1) for name in ("plain_fdP2", "plain_d", "plain_uP2", "e_fd", "tt")),
    (f"{IPERF2}plain_fd.txt", 1),
    *((f"iperf3/iperf3_3.12_line_{name}.txt", 1) for name in ("6", "V6", "bidirP2")),
    ("iperf3/iperf3_3.12_line_log.txt", 3),
}


@pytest.mark.parametrize(("name", "count"), sorted(IDS))
def test_both_ends_of_a_run_have_one_id(name: str, count: int) -> None:
    path = SAMPLES / name
    other = path.with_stem(f"{path.stem}_server")
    ids = {run.file.run_id for each in (path, other) if each.is_file() for run in read_result(each)}
    assert len(ids) == count
    assert None not in ids


# the payload of full frames at MTU 1500 and 9000, over IPv4 and IPv6, with TCP or UDP, with
# timestamps or without; round sizes; the defaults of iperf3 (1460), iperf 2 (1470), nuttcp
USUAL = (1000, 1024, 1400, 1428, 1448, 1452, 1460, 1470, 1472, 8192, 8928, 8948, 8952, 8972)


@pytest.mark.parametrize("size", USUAL)
def test_a_usual_size_of_datagrams_is_taken_where_it_is_possible(size: int) -> None:
    """Half a byte more on average; one datagram more would make it three quarters less."""
    count = round(size / 0.75)
    total = (size + 0.55) * count
    ends = "20261121120000,192.0.2.1,40001,192.0.2.2,5001,1,0.0-1.0"
    run = only(f"{ends},{total:.0f},{8 * total:.0f},0.002,0,{count},0.000,0\n".encode(), "iperf2")
    assert run.traffic.datagram_bytes == size
    low, high = (total / (count + off) for off in (1, -1))
    (note,) = (note for note in run.notes if "derived" in note)
    assert note == (
        f"datagram size {size} byte derived: bytes over datagrams give {low:.1f} to {high:.1f}"
    )


def test_no_other_run_of_flent_measures_latency() -> None:
    paths = [path for path in SAMPLES.glob("flent/*.flent*") if "ping" not in path.name]
    runs = [run for path in paths for run in read_result(path)]
    assert len(runs) > 12
    for run in runs:
        assert not run.counted.measures_latency
        assert run.transaction_time_s is None
        assert "Ping" not in (run.file.part or "")


def test_json_below_other_lines_is_read() -> None:
    raw = b'first\nsecond\n{"start": {"version": "iperf 3.9"},\n"end": {"sum_received": {}}}\n'
    with pytest.raises(ParseError, match=r"start\.test_start is missing"):
        read_result(raw)


def test_a_misspelt_column_alone_is_no_table() -> None:
    """Beside another one above a row of as many cells it is, so that its author gets a hint."""
    with pytest.raises(ParseError, match="not a result of a known tool"):
        read_result(b"throughput_bp\n941000000\n")
    with pytest.raises(ParseError, match=r"throughput_bp.*throughput_bps"):
        read_result(b"throughput_bp,mtu_bytes\n941000000,1500\n")


PATHS = [*SAMPLES.glob("sockperf/*.txt"), *SAMPLES.glob("flent/*.flent.gz")]


@pytest.mark.parametrize("path", sorted(PATHS), ids=lambda path: path.name)
def test_colours_and_packing_change_nothing(path: Path) -> None:
    if "server" in path.name:
        return
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    plain = raw.replace(b"\x1b[2;35m", b"").replace(b"\x1b[0m", b"")
    for run, other in zip(read_result(plain), read_result(path), strict=True):
        assert reported(run) | {"notes": ()} == reported(other) | {"notes": ()}


@pytest.mark.parametrize(("connections", "binding"), [("1", "client_process"), ("64", "wire")])
def test_a_busy_process_explains_a_run_on_a_host_with_idle_cpus(
    tmp_path: Path, connections: str, binding: str
) -> None:
    """0.987 of a CPU by one connection is all of its thread, and not by 64 of them."""
    path = tmp_path / "sender.txt"
    of_process = ("(all)\t:43.20%", "(all)\t:98.70%")
    tested = ("64 connections tested", f"{connections} connections tested")
    path.write_bytes(with_changes(SAMPLES / "ntttcp/made_sender_1.4.0_W.txt", of_process, tested))
    (row,) = printed_json("check", str(path), "--line-rate", "40G", "--mtu", "1500", exit_code=1)
    assert row["binding"] == binding
