"""Messages, workloads, sweeps and acknowledgements on the command line of ``ceiling``."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

from netmodel.framing import LAYER_FORMS

LINE = ("ceiling", "--line-rate", "25G")
LINE_1500 = (*LINE, "--mtu", "1500")
TLS = "ethernet/ipv4/tcp+timestamps/tls"


def test_a_write_runs_between_a_tail_for_itself_and_none() -> None:
    """30720 of 32700 bytes with a tail, 1448 of 1538 without."""
    result = printed_json(*LINE_1500, "--payload", "30KiB")
    assert result["message_segment_count"] == result["message_frame_count"] == 22
    assert result["message_padding_bytes"] == 0
    assert result["message_payload_rate_bps"] == pytest.approx(25e9 * 30720 / 32700, rel=1e-12)
    assert result["message_merged_payload_rate_bps"] == result["payload_rate_bps"]


@pytest.mark.parametrize("stack", ["ethernet/ipv4/udp", "ethernet/ipv4/udp/rocev2/smcr"])
def test_what_is_a_unit_of_its_own_does_not_merge(stack: str) -> None:
    result = printed_json(*LINE_1500, "--payload", "30KiB", "--stack", stack)
    assert result["message_merged_payload_rate_bps"] is None


def test_a_workload_of_requests_takes_both_directions() -> None:
    """200 + 90 bytes forth, 32700 back: 25e9 / (8 x 32700) = 95566 a second."""
    result = printed_json(*LINE_1500, "--workload", "rr1c-200x30k")
    assert result["workload"] == "rr1c-200x30k"
    assert (result["request_bytes"], result["response_bytes"]) == (200, 30720)
    assert (result["forward_wire_bytes"], result["reverse_wire_bytes"]) == (290, 32700)
    assert int(result["transaction_rate_tps"]) == 95565
    assert result["half_duplex_transaction_rate_tps"] == pytest.approx(25e9 / (8 * 32990))
    assert result["segments_per_ack"] is None
    assert "32700 B on the wire" in printed(*LINE_1500, "--workload", "rr1c-200x30k")


def test_sizes_of_request_and_response_need_no_workload() -> None:
    sized = printed_json(*LINE_1500, "--request", "200", "--response", "30KiB")
    named = printed_json(*LINE_1500, "--workload", "rr1c-200x30k")
    assert named.pop("workload") == "rr1c-200x30k"
    assert {**named, "notes": None} == {**sized, "notes": None}


def test_pure_acknowledgements_take_frames_of_their_own() -> None:
    """11 x 90 bytes answer the 22 segments of a response, 90 its request."""
    options = ("--workload", "rr1c-200x30k", "--segments-per-ack", "2")
    result = printed_json(*LINE_1500, *options)
    assert result["forward_wire_bytes"] == 290 + 11 * 90
    assert result["reverse_wire_bytes"] == 32700 + 90
    both = 25e9 * 1448 / (1538 + 45)
    assert result["acknowledged_payload_rate_bps"] == pytest.approx(both, rel=1e-12)
    assert "a pure acknowledgement for 2 segments" in printed(*LINE_1500, *options)


def test_a_streaming_workload_is_its_writes() -> None:
    streamed = printed_json(*LINE_1500, "--workload", "str-writex30k")
    written = printed_json(*LINE_1500, "--payload", "30720")
    assert streamed.pop("workload") == "str-writex30k"
    assert streamed == written


def test_records_make_the_payload_a_mean() -> None:
    """16384 of 16406 bytes of each record are payload."""
    result = printed_json(*LINE_1500, "--stack", TLS)
    assert result["payload_bytes"] == pytest.approx(1448 * 16384 / 16406, rel=1e-12)
    assert sum(part["bytes"] for part in result["parts"]) == pytest.approx(1538, rel=1e-12)
    assert "1446.058 B in each frame, on average" in printed(*LINE_1500, "--stack", TLS)


def test_an_estimate_is_marked() -> None:
    quic = ("--stack", "ethernet/ipv4/udp/quic")
    (warning,) = printed_json(*LINE_1500, *quic)["notes"]
    assert warning.startswith("quic is an estimate: ")
    assert f"note: {warning}" in printed(*LINE_1500, *quic)
    assert "notes" not in printed_json(*LINE_1500)


@pytest.mark.parametrize("name", ["mtu", "link-mtu"])
def test_a_sweep_equals_single_ceilings(name: str) -> None:
    stack = ("--stack", "ethernet/ipv4/esp+suite=aes-cbc-sha256/ipv4/tcp+timestamps")
    rows = printed_json(*LINE, "--sweep", f"{name}=1480..1500:4", *stack)
    assert len(rows) == 6
    for row, size in zip(rows, range(1480, 1501, 4), strict=True):
        alone = printed_json(*LINE, f"--{name}", str(size), *stack)
        assert row[name.replace("-", "_") + "_bytes"] == size
        shared = row.keys() & alone.keys()
        assert {"mtu_bytes", "payload_bytes", "payload_rate_bps", "frame_rate_fps"} <= shared
        assert {key: row[key] for key in shared} == pytest.approx(
            {key: alone[key] for key in shared}, rel=1e-12
        )


def test_a_sweep_over_messages_equals_single_ceilings() -> None:
    rows = printed_json(*LINE_1500, "--sweep", "payload=1446..1450")
    for row in rows:
        alone = printed_json(*LINE_1500, "--payload", str(row["message_bytes"]))
        assert row["message_wire_bytes"] == alone["message_wire_bytes"]
        assert row["message_frame_count"] == alone["message_frame_count"]
    assert [row["message_wire_bytes"] for row in rows] == [1536, 1537, 1538, 1629, 1630]


def test_a_sweep_may_list_its_sizes() -> None:
    rows = printed_json(*LINE, "--sweep", "mtu=9000, 1500,9000")
    assert [row["mtu_bytes"] for row in rows] == [9000, 1500]


def test_csv_has_the_columns_of_json() -> None:
    sweep = (*LINE, "--sweep", "mtu=576..9000")
    table = list(csv.DictReader(io.StringIO(printed(*sweep, "--csv"))))
    rows = printed_json(*sweep)
    assert len(table) == len(rows) == 8425
    rates = ("line_rate_bps", "payload_rate_bps", "frame_rate_fps")
    for cells, row in zip(table, rows, strict=True):
        assert {cells.pop(f"{name}_bound") for name in rates} == {"upper"}
        assert {name: float(cell) for name, cell in cells.items()} == row
    assert table[0]["mtu_bytes"] == "576"


def test_a_table_has_a_row_for_each_value() -> None:
    lines = printed(*LINE, "--sweep", "link-mtu=1500..9000:7500").splitlines()
    assert lines[0].split()[:2] == ["link", "MTU"]
    assert lines[1].split() == [
        *("1500", "1500", "1448", "90"),
        *("0.941482", "23.537061", "2031859.6"),
    ]
    assert len(lines) == 3


def test_the_layers_are_a_list_in_json_too() -> None:
    layers = printed_json("ceiling", "--list-layers")
    assert [layer["name"] for layer in layers] == list(LAYER_FORMS)
    by_name = {layer["name"]: layer for layer in layers}
    assert by_name["tls"]["record_bytes"] == 16384
    assert by_name["quic"]["estimate"]
    assert by_name["ethernet"]["inside"][0] == "the line"
    suites = "+suite=aes-gcm|chacha20-poly1305|aes-cbc-sha1|aes-cbc-sha256"
    assert suites in by_name["esp"]["options"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sweep", "mtu=576"), "needs two ends"),
        (("--sweep", "mss=1..2"), "sweeps none of mtu, link-mtu, payload"),
        (("--sweep", "mtu=9000..576"), "must run upwards"),
        (("--sweep", "mtu=576..9000:0"), "must run upwards"),
        (("--sweep", "payload=1..1GB", "--mtu", "1500"), "has over 1,000,000 values"),
        (("--sweep", "mtu=1..x"), "x"),
        (("--sweep", "mtu=576..9000", "--mtu", "1500"), "leave out --mtu and --link-mtu"),
        (("--sweep", "mtu=576..9000", "--link-mtu", "1500"), "leave out --mtu and --link-mtu"),
        (("--sweep", "payload=1..9", "--mtu", "1500", "--payload", "1"), "leave out --payload"),
        (("--sweep", "payload=1..9"), "give --mtu or --link-mtu"),
        (("--sweep", "payload=0..9", "--mtu", "1500"), "at least 1 byte; got 0 at index (0,)"),
        (("--sweep", "mtu=20..90"), "mtu_bytes must be at least 68"),
        (("--sweep", "mtu=1500..70000"), "at most 65535"),
        (("--sweep", "mtu=576..9000", "--workload", "awm-rr"), "does not go with --workload"),
        (("--mtu", "1500", "--csv"), "--csv is for a sweep"),
        (("--mtu", "1500", "--request", "1"), "give --request and --response together"),
        (
            ("--mtu", "1500", "--request", "1", "--response", "1", "--payload", "1"),
            "--request and --response or --payload, not both",
        ),
        (
            ("--mtu", "1500", "--request", "1", "--response", "1", "--workload", "awm-rr"),
            "--request and --response or --workload, not both",
        ),
        (
            ("--sweep", "mtu=576..9000", "--request", "1", "--response", "1"),
            "--sweep does not go with --request",
        ),
        (("--mtu", "1500", "--request", "0", "--response", "1"), "--request must be at least 1"),
        (("--mtu", "1500", "--payload", "1", "--workload", "awm-rr"), "not both"),
        (("--mtu", "1500", "--workload", "rr1c-200x100"), "did you mean rr1c-200x1000"),
        (("--mtu", "1500", "--segments-per-ack", "0"), "--segments-per-ack must be at least 1"),
        (
            ("--mtu", "1500", "--transport", "udp", "--segments-per-ack", "2"),
            "no acknowledgements of a known size",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options: Sequence[str], words: str) -> None:
    assert words in refusal(*LINE, *options)


def test_the_line_rate_is_needed_but_for_the_list() -> None:
    assert "Missing option '--line-rate'" in refusal("ceiling", "--mtu", "1500")


def test_a_workload_of_ones_own_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "orders.toml"
    file.write_text(
        'title = "orders"\nkind = "request_response"\n'
        '[defaults]\nsource = "own capture"\nlocator = "17"\ngrade = "measured"\n'
        '[request]\nvalue = 350\nunit = "B"\n[response]\nvalue = 2.5\nunit = "kB"\n'
    )
    result = printed_json(*LINE_1500, "--workload", str(file))
    assert (result["request_bytes"], result["response_bytes"]) == (350, 2500)


def test_what_is_assumed_of_a_workload_is_a_warning() -> None:
    warnings = printed_json(*LINE_1500, "--workload", "smc-rr-1k")["notes"]
    assert [warning.split(" of ")[0] for warning in warnings] == [
        "smc-rr-1k: request",
        "smc-rr-1k: response",
    ]


def test_a_size_that_is_not_known_exactly_is_refused() -> None:
    assert "20000000 to 20971520 byte" in refusal(*LINE_1500, "--workload", "awm-str")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = 3", "kind: is missing"),
        ('title = "a"\nkind = 7x', "line 2"),
        (None, "cannot be read"),
    ],
)
def test_a_workload_file_with_faults_is_exit_code_3(
    tmp_path: Path, text: str | None, words: str
) -> None:
    file = tmp_path / "mine.toml"
    if text is not None:
        file.write_text(text)
    result = run_netmodel(*LINE_1500, "--workload", str(file))
    assert result.exit_code == 3
    assert str(file) in result.stderr
    assert words in result.stderr


@pytest.mark.parametrize(
    ("stack", "payload", "wire", "name"),
    [
        ("ethernet/ipv4/udp", 64, 130, "datagrams"),
        ("ethernet/ipv4/udp", 8972, 6 * 1538 + 92 + 66, "datagrams"),
        ("ethernet/rocev1", 64, 160, "messages"),
    ],
)
def test_the_rate_of_datagrams_is_the_headline(
    stack: str, payload: int, wire: int, name: str
) -> None:
    """A datagram of 64 byte takes 64 + 8 + 20 + 18 + 20 on the wire."""
    asked = (*LINE_1500, "--stack", stack, "--payload", str(payload))
    result = printed_json(*asked)
    first_rate = next(key for key in result if key.endswith("rate_bps"))
    assert first_rate == "message_payload_rate_bps"
    headline = printed(*asked).splitlines()[0]
    rate_bps = result[first_rate]
    assert f"of payload in {name} of {payload} B" in headline
    assert headline.startswith(f"{rate_bps / 1e9:.10f}"[:9])
    if stack != "ethernet/rocev1":
        assert rate_bps == pytest.approx(25e9 * payload / result["message_wire_bytes"], rel=1e-12)
    if payload == 64 and name == "datagrams":
        assert result["message_wire_bytes"] == wire
