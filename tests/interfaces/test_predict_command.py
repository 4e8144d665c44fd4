"""``netmodel predict``, and ``netmodel check`` with the adapters at both ends."""

from pathlib import Path
from typing import Any

import pytest
from invocation import printed, printed_json, refusal, run_netmodel
from runs import changed

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
OSA6, PLAIN = "osa-express6s-10gbe", "ethernet-25gbe"
STREAM = ("--mtu", "1500", "--workload", "str-writex30k", "--connections", "50")


def between(sender: str, receiver: str, *options: str) -> Any:
    (row,) = printed_json("predict", "--sender", sender, "--receiver", receiver, *options)
    return row


@pytest.mark.parametrize(
    ("sender", "receiver", "gbit", "binding"),
    [
        (OSA, OSA, 13.4, "server_adapter_in"),
        (ROCE, OSA, 13.4, "server_adapter_in"),
        (OSA, ROCE, 20.5, "client_adapter_out"),
        (ROCE, ROCE, 25 * 1448 / 1538, "wire_to_server"),
        (PLAIN, PLAIN, 25 * 1448 / 1538, "wire_to_server"),
        (OSA, OSA6, 13.4 / 1.45, "server_adapter_in"),
        (OSA6, PLAIN, 10 * 1448 / 1538, "wire_to_server"),
    ],
)
def test_each_direction_has_its_own_limit(
    sender: str, receiver: str, gbit: float, binding: str
) -> None:
    """Slide 21: OSA-Express7S streams more than 45 % faster than OSA-Express6S."""
    row = between(sender, receiver, *STREAM)
    assert row["throughput_bps"]["value"] == pytest.approx(gbit * 1e9, rel=1e-9)
    assert row["binding"] == binding


def test_a_printed_limit_has_the_range_of_its_digits() -> None:
    rates = between(OSA, OSA, *STREAM)["throughput_bps"]
    assert rates["low"] == pytest.approx(13.35e9)
    assert rates["high"] == pytest.approx(13.45e9)


def test_large_responses_need_more_frames_than_a_stream() -> None:
    """
    22 frames of 30 KiB, which nothing was fitted to; printed as about 13.

    At most 30720 * 8 bit / (22 * 473.000 ns + 30720 * 0.270358 ns) = 13.134 Gbit/s, and with
    864.478 ns for each frame alone 12.922; with the rounding of what was printed 12.874.
    """
    options = ("--mtu", "1500", "--workload", "rr1c-200x30k", "--connections", "50")
    row = between(OSA, OSA, *options, "--physics-only")
    assert row["throughput_bps"]["value"] == pytest.approx(13.134e9, abs=5e5)
    assert row["throughput_bps"]["low"] == pytest.approx(12.874e9, abs=5e5)
    assert row["throughput_bps"]["high"] < 13.2e9
    assert row["binding"] == "client_adapter_in"
    assert row["sender"] == {"side": "server", "adapter": OSA}
    assert any("1448 to 8948 B of payload" in warning for warning in row["notes"])


def test_a_limit_at_another_mtu_is_a_range() -> None:
    row = between(OSA, OSA, "--mtu", "4000", "--workload", "str-writex30k", "--connections", "1")
    rates = row["throughput_bps"]
    assert rates["value"] == rates["high"] == pytest.approx(24.443e9, abs=5e5)
    assert rates["low"] == pytest.approx(20.475e9, abs=5e5)


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


def test_acknowledgements_take_frames_of_the_other_direction() -> None:
    row = between(OSA, OSA, *STREAM, "--segments-per-ack", "1")
    names = {limit["name"] for limit in row["limits"]}
    assert {"server_adapter_out", "client_adapter_in"} <= names


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
        (("--sender", "osa-express7s", "--receiver", OSA, *STREAM), "did you mean"),
        (
            ("--sender", OSA, "--receiver", OSA, "--workload", "str-writex30k"),
            "give --mtu: no stage",
        ),
        (("--sender", OSA, "--receiver", OSA), "give --workload, or --mtu"),
        (("--sender", OSA, "--receiver", OSA, "--payload", "2KiB"), "give --workload, or leave"),
        (("--sender", OSA, "--receiver", OSA, *STREAM[:-1], "0"), "at least 1"),
        (("--sender", OSA, "--receiver", OSA, *STREAM[:-1], "1,x"), "x"),
        (("--sender", OSA, "--receiver", OSA6, *STREAM, "--line-rate", "25G"), "10 Gbit/s"),
        (
            ("--sender", OSA, "--receiver", OSA, *STREAM, "--mtu", "20"),
            "--mtu must be at least 68 byte; got 20",
        ),
    ],
)
def test_what_cannot_be_predicted_is_refused(options: tuple[str, ...], answer: str) -> None:
    assert any(each in refusal("predict", *options) for each in answer.split("|"))


# check with the adapters at both ends


def judged(gbit: float, directory: Path, *options: str, exit_code: int = 0) -> Any:
    """A run of iperf3 at MTU 1500 that moved so much, over 25 GbE; its window is not reported."""
    path = directory / "run.json"
    received_bytes = round(gbit * 1e9 / 8 * 8.00679)
    changes = {"end.sum_received.bytes": received_bytes, "end.streams": []}
    path.write_bytes(changed("line_200m_mtu1500_ts1_v4.json", changes))
    arguments = ("check", str(path), "--mtu", "1500", *options)
    (row,) = printed_json(*arguments, exit_code=exit_code)
    return row


def test_check_uses_the_limits_of_predict(tmp_path: Path) -> None:
    ends = ("--sender", ROCE, "--receiver", OSA)
    row = judged(13.3, tmp_path, *ends)
    predicted = between(ROCE, OSA, *STREAM)
    assert (row["verdict"], row["binding"]) == ("at_ceiling", "server_adapter_in")
    assert row["ceiling_bps"] == pytest.approx(13.4e9, rel=1e-9)
    limits = {limit["name"]: limit["value_bps"] for limit in row["limits"]}
    assert limits["wire"] == pytest.approx(25e9 * 1448 / 1538)
    (result,) = (each for each in predicted["limits"] if each["name"] == "server_adapter_in")
    assert limits["server_adapter_in"] == pytest.approx(result["value_bps"], rel=1e-12)


@pytest.mark.parametrize(
    ("gbit", "verdict"),
    [(12.6, "below"), (12.69, "at_ceiling"), (13.45, "at_ceiling"), (13.53, "impossible")],
)
def test_the_range_of_a_limit_counts(gbit: float, verdict: str, tmp_path: Path) -> None:
    """0.95 * 13.35 = 12.68, and 13.45 is 13.4 as it may have been rounded."""
    ends = ("--sender", ROCE, "--receiver", OSA, "--min-ratio", "0.95")
    row = judged(gbit, tmp_path, *ends, exit_code=int(verdict != "at_ceiling"))
    assert row["verdict"] == verdict
    assert row["reason"]


# a path of your own

MINE = """title = "two lab servers"
[defaults]
source = "lab notebook"
locator = "page 12"
grade = "measured"
[client]
adapter = "lab-nic"
host = "lab-box"
[server]
adapter = "osa-express7s-25gbe"
[adapters.lab-nic]
line_rate = "25 Gbit/s"
observations = [
  { quantity = "payload_rate", direction = "out", mtu_bytes = 1500, value = 18.0, unit = "Gbit/s" },
]
[hosts.lab-box]
core_count = "8"
[[stages]]
name = "client stack"
kind = "protocol-cpu"
side = "client"
out = { per_message = "2.1 µs", per_frame = "0.21 µs", per_byte = "0.052 ns" }
[[stages]]
name = "policer"
kind = "shaper"
rate_cap = "12 Gbit/s"
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    assert len(MINE.splitlines()) < 40
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    return str(path)


def test_a_path_of_ones_own_is_predicted(mine: str) -> None:
    (row,) = printed_json("predict", "--path", mine, *STREAM)
    assert row["binding"] == "policer_to_server"
    assert row["throughput_bps"]["value"] == pytest.approx(12e9 * 1448 / 1518)
    limits = {limit["name"]: limit["value_bps"] for limit in row["limits"]}
    assert limits["client_adapter_out"] == pytest.approx(18e9)
    assert limits["server_adapter_in"] == pytest.approx(13.4e9)
    time_us = 2.1 + 0.21 * 30720 / 1448 + 0.052e-3 * 30720
    assert limits["client_cpus"] == pytest.approx(8 * 8 * 30720 / (time_us * 1e-6))
    cost = row["cpu_us_per_gbit"]
    assert cost["client"]["value"] == pytest.approx(time_us / (8 * 30720) * 1e9)
    assert cost["server"] is None
    assert row["client_adapter"] == "lab-nic"


def test_a_path_of_ones_own_judges_runs(mine: str, tmp_path: Path) -> None:
    row = judged(11.4, tmp_path, "--path", mine)
    assert (row["verdict"], row["binding"]) == ("at_ceiling", "policer_to_server")
    names = {limit["name"] for limit in row["limits"]}
    assert {"wire", "client_cpus", "server_adapter_in", "client_adapter_out"} <= names
    assert not names & {"wire_to_server", "wire_to_client"}
    assert not any("write size not known" in warning for warning in row["notes"])
    (limit,) = (each for each in row["limits"] if each["name"] == "client_adapter_out")
    assert limit["low_bps"] == pytest.approx(17.95e9)
    faster = judged(12.4, tmp_path, "--path", mine, exit_code=1)
    assert faster["verdict"] == "impossible"
    assert "policer_to_server" in faster["reason"]


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        ('kind = "shaper"', 'kind = "shape"', 'stages 2 "policer".kind'),
        ('"2.1 µs"', '"2.1"', 'stages 1 "client stack".out.per_message'),
        ("osa-express7s-25gbe", "osa-express7-25gbe", "server.adapter"),
        ('host = "lab-box"', 'host = "lab-bo"', "client.host"),
        ("value = 18.0", 'value = "x"', "adapters.lab-nic.observations.0.value"),
        ("[client]", "[client", "line 6"),
    ],
)
def test_errors_name_file_table_and_key(before: str, after: str, answer: str, mine: str) -> None:
    Path(mine).write_text(MINE.replace(before, after, 1), encoding="utf-8")
    for command in (("predict", *STREAM), ("check", "run.json", "--mtu", "1500")):
        result = run_netmodel(*command, "--path", mine)
        assert result.exit_code == 3
        assert mine in result.stderr
        assert answer in result.stderr


def test_a_path_of_the_catalog_has_a_name() -> None:
    options = ("--mtu", "1500", "--workload", "rr1c-200x1000", "--connections", "250")
    (row,) = printed_json("predict", "--path", "worked-closed-network", *options)
    assert row["transaction_rate_tps"]["value"] == pytest.approx(166_667, abs=0.5)
    assert row["zero_load_time_s"]["value"] == pytest.approx(79.3007e-6, abs=5e-11)
    assert "did you mean" in refusal("predict", "--path", "worked-closed", *options)


def test_the_expected_value_stands_beside_the_bounds() -> None:
    """The value of ten connections is that of theory handbook section 5.6."""
    options = ("--mtu", "1500", "--workload", "rr1c-200x1000", "--connections", "10")
    command = ("predict", "--path", "worked-closed-network", *options)
    shown = " ".join(printed(*command).split())
    assert "expected 106,937 /s, 855.5 Mbit/s; 93.51 µs for a transaction; if service" in shown
    (row,) = printed_json(*command)
    expected = row["expected"]
    assert expected["transaction_rate_tps"]["value"] == pytest.approx(106_936.92, abs=0.005)
    assert expected["transaction_rate_tps"]["bound"] == "value"
    assert expected["is_exact"]
    assert sum(expected["stage_transaction_counts"].values()) == pytest.approx(10)
    head, cells = printed(*command, "--csv").splitlines()
    table = dict(zip(head.split(","), cells.split(","), strict=True))
    assert float(table["expected_transaction_time_s"]) == pytest.approx(93.5131e-6, abs=5e-11)
