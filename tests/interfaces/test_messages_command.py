"""Messages, frames and acknowledgements on the command line of ``ceiling``."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal

from netmodel.framing import LAYER_FORMS

LINE = ("ceiling", "--line-rate", "25G")
LINE_1500 = (*LINE, "--mtu", "1500")
REQUESTS = ("--request", "200", "--response", "30KiB")


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


def test_requests_take_both_directions() -> None:
    """200 + 90 bytes forth, 32700 back: 25e9 / (8 x 32700) = 95566 a second."""
    result = printed_json(*LINE_1500, *REQUESTS)
    assert (result["request_bytes"], result["response_bytes"]) == (200, 30720)
    assert (result["forward_wire_bytes"], result["reverse_wire_bytes"]) == (290, 32700)
    assert int(result["transaction_rate_tps"]) == 95565
    assert result["half_duplex_transaction_rate_tps"] == pytest.approx(25e9 / (8 * 32990))
    assert result["segments_per_ack"] is None
    assert "at most 95,566 transactions/s" in printed(*LINE_1500, *REQUESTS)


def test_pure_acknowledgements_take_frames_of_their_own() -> None:
    """11 x 90 bytes answer the 22 segments of a response, 90 its request."""
    options = (*REQUESTS, "--segments-per-ack", "2")
    result = printed_json(*LINE_1500, *options)
    assert result["forward_wire_bytes"] == 290 + 11 * 90
    assert result["reverse_wire_bytes"] == 32700 + 90
    both = 25e9 * 1448 / (1538 + 45)
    assert result["acknowledged_payload_rate_bps"] == pytest.approx(both, rel=1e-12)


@pytest.mark.parametrize(
    ("line", "sizes", "rates"),
    [
        # RFC 2544 and IEEE 802.3: 20 byte of preamble and gap beside each frame
        ("10Gbit/s", ("--frame", "64"), [14_880_952.38]),
        ("25Gbit/s", ("--frame", "64,1518"), [37_202_380.95, 2_031_859.56]),
        ("1Gbit/s", ("--packets",), [1_488_095.24, 844_594.59, 452_898.55, 234_962.41]),
    ],
)
def test_frames_a_second_of_a_size(line: str, sizes: Sequence[str], rates: list[float]) -> None:
    rows = printed_json("ceiling", "--line-rate", line, *sizes)
    assert [row["frame_rate_fps"] for row in rows][: len(rates)] == pytest.approx(rates)
    shown = printed("ceiling", "--line-rate", line, *sizes)
    assert shown.startswith(f"A {line.replace('G', ' G')} line carries at most {rates[0]:,.0f} fr")


def test_the_layers_are_a_list_in_json_too() -> None:
    layers = printed_json("ceiling", "--list")
    assert [layer["name"] for layer in layers] == list(LAYER_FORMS)
    by_name = {layer["name"]: layer for layer in layers}
    assert by_name["tls"]["record_bytes"] == 16384
    assert by_name["quic"]["estimate"]
    assert by_name["ethernet"]["inside"][0] == "the line"
    suites = "+suite=aes-gcm | chacha20-poly1305 | aes-cbc-sha1 | aes-cbc-sha256"
    assert suites in by_name["esp"]["options"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mtu", "1500", "--frame", "64"), "leave out --mtu"),
        (("--frame", "63"), "--frame must be at least 64"),
        (("--mtu", "1500", "--request", "1"), "give --request and --response together"),
        (
            ("--mtu", "1500", "--request", "1", "--response", "1", "--payload", "1"),
            "--request or --payload, not both",
        ),
        (("--mtu", "1500", "--request", "0", "--response", "1"), "--request must be at least 1"),
        (("--mtu", "1500", "--segments-per-ack", "0"), "--segments-per-ack must be at least 1"),
        (
            ("--mtu", "1500", "--transport", "udp", "--segments-per-ack", "2"),
            "no acknowledgements of a known size",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options: Sequence[str], words: str) -> None:
    assert words in refusal(*LINE, *options)


@pytest.mark.parametrize(
    ("stack", "payload", "wire"),
    [
        ("ethernet/ipv4/udp", 64, 64 + 8 + 20 + 18 + 20),
        ("ethernet/ipv4/udp", 8972, 6 * 1538 + 92 + 66),
        ("ethernet/rocev1", 64, 160),
    ],
)
def test_the_rate_of_datagrams_is_the_headline(stack: str, payload: int, wire: int) -> None:
    asked = (*LINE_1500, "--stack", stack, "--payload", str(payload))
    result = printed_json(*asked)
    rate_bps = result["message_payload_rate_bps"]
    headline = " ".join(printed(*asked).partition("\n\n")[0].split())
    assert f"at most {rate_bps / 1e9:.11g} Gbit/s of payload in messages of {payload} B" in headline
    if stack != "ethernet/rocev1":
        assert rate_bps == pytest.approx(25e9 * payload / result["message_wire_bytes"], rel=1e-12)
        assert result["message_wire_bytes"] == wire
