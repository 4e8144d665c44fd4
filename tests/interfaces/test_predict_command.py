"""``netmodel predict``, and ``netmodel check`` with the adapters at both ends."""

from typing import Any

import pytest
from invocation import printed, printed_json, refusal

OSA = "osa-express7s-25gbe"
ON_OSA = ("--adapter", OSA)
STREAM = ("--mtu", "1500", "--workload", "str-writex30k", "--connections", "50")


def between(sender: str, receiver: str, *options: str) -> Any:
    (row,) = printed_json("predict", "--sender", sender, "--receiver", receiver, *options)
    return row


def test_there_is_one_prediction_for_each_number_of_connections() -> None:
    ends = ("--sender", OSA, "--receiver", OSA, "--mtu", "1500")
    rows = printed_json("predict", *ends, "--workload", "rr1c-200x1000")
    assert [row["connection_count"] for row in rows] == [1, 10, 50, 250]
    rows = printed_json("predict", *ends, "--workload", "rr1c-200x1000", "--connections", "2, 3")
    assert [row["connection_count"] for row in rows] == [2, 3]


def test_what_is_not_known_is_null_with_a_reason() -> None:
    row = between(OSA, OSA, *STREAM)
    assert row["transaction_time_s"] is None
    assert row["cpu_us_per_gbit"] == row["cpu_busy"] == {"client": None, "server": None}
    reasons = " ".join(row["notes"])
    assert "upper bound: host CPUs" in reasons
    assert "CPU cost of the client and server not predicted: no CPU model" in reasons


def test_the_text_names_the_bottleneck() -> None:
    shown = printed("predict", "--sender", OSA, "--receiver", OSA, *STREAM)
    shown_text = " ".join(shown.split())
    assert shown_text.startswith(
        f"str-writex30k from client {OSA} to server {OSA}: about 13.4 Gbit/s (adapter document, "
        "slide 21); at most 13.4 Gbit/s by the path; the bottleneck is server_adapter_in."
    )
    assert len(shown.splitlines()) <= 20
    drawn = printed("predict", "--sender", OSA, "--receiver", OSA, *STREAM, "--draw")
    assert drawn.count("50 connections") == drawn.count("MTU 1500 byte") == 1


def test_without_a_workload_the_client_sends_full_frames() -> None:
    """The receiver takes 13.4 Gbit/s (slide 21), the sender gives up to 20.5 (slide 47)."""
    shown = printed("predict", "--adapter", OSA, "--mtu", "1500")
    assert shown.startswith(f"full frames from client {OSA} to server {OSA}: at most 13.4 Gbit/s")
    assert "client_adapter_out at <= 20.5 Gbit/s" in shown


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        (("--request", "200", "--response", "30KiB"), "requests of 200 B, responses of 30,720 B"),
        (("--response", "30KiB"), "writes of 30,720 B from server"),
        (("--request", "30KiB"), "writes of 30,720 B from client"),
    ],
)
def test_messages_stand_in_place_of_a_workload(messages: tuple[str, ...], text: str) -> None:
    case = ("predict", "--adapter", OSA, "--mtu", "1500")
    assert printed(*case, *messages).startswith(text)
    both = refusal(*case, *messages, "--workload", "rr1c-200x1000")
    assert f"give --workload or {messages[0]}, not both" in both


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (("--sender", OSA, *STREAM), "--receiver"),
        (STREAM, "--sender"),
        (("--km", "120"), "give --adapter, or --sender and --receiver, or --path"),
        ((*ON_OSA, "--workload", "str-writex30k"), "give --mtu: the path has none"),
        (ON_OSA, "give --workload, or --mtu"),
        ((*ON_OSA, "--payload", "2KiB"), "--payload needs --workload"),
        ((*ON_OSA, *STREAM[:-1], "0"), "at least 1"),
        ((*ON_OSA, *STREAM[2:], "--mtu", "20"), "--mtu must be at least 68 byte; got 20"),
    ],
)
def test_what_cannot_be_predicted_is_refused(options: tuple[str, ...], answer: str) -> None:
    assert any(each in refusal("predict", *options) for each in answer.split("|"))
