"""``netmodel rps``."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal

ZEROS = ",".join(["00000000"] * 11)


@pytest.mark.parametrize(
    ("cpus", "mask"),
    [("0,1,3,6", "4b"), ("0-7", "ff"), ("6,3,0-1", "4b"), ("32", "1,00000000")],
)
def test_encode_prints_the_mask_alone(cpus: str, mask: str) -> None:
    """N. Hoppmann (2021), slide 38, for the first two: what is written to rps_cpus."""
    assert printed("rps", "encode", "--cpus", cpus) == f"{mask}\n"


def test_the_json_of_encode() -> None:
    command = ("rps", "encode", "--cpus", "6,3,0-1")
    expected = {"mask": "4b", "cpus": [0, 1, 3, 6], "cpu_count": None}
    assert printed_json(*command) == expected
    assert printed_json(*command, "--cpu-count", "8") == expected | {"cpu_count": 8}


@pytest.mark.parametrize(
    ("mask", "shown"),
    [
        ("4b", "0-1,3,6  (4 CPUs)\n"),
        ("4B", "0-1,3,6  (4 CPUs)\n"),
        (f"{ZEROS},0000004b", "0-1,3,6  (4 CPUs)\n"),
        ("ff", "0-7  (8 CPUs)\n"),
        ("1,0", "32  (1 CPU)\n"),
        (f"{ZEROS},00000000", "no CPU: steering is off\n"),
    ],
)
def test_decode_prints_the_cpus(mask: str, shown: str) -> None:
    assert printed("rps", "decode", mask) == shown


def test_the_json_of_decode() -> None:
    result = printed_json("rps", "decode", f"{ZEROS},0000004b")
    assert result == {
        "mask": "4b",
        "cpus": [0, 1, 3, 6],
        "cpu_list": "0-1,3,6",
        "cpu_count": None,
        "out_of_range_cpus": None,
    }
    result = printed_json("rps", "decode", "4b", "--cpu-count", "8")
    assert (result["cpu_count"], result["out_of_range_cpus"]) == (8, [])


def test_cpus_that_the_system_lacks_are_named() -> None:
    """Refused where a mask is made; noted where one is read."""
    command = ("rps", "encode", "--cpus", "0,8,9", "--cpu-count")
    words = "CPUs 8-9 out of range: the system has 0 to 7, and the kernel keeps other bits at 0"
    assert words in refusal(*command, "8")
    assert printed(*command, "10") == "301\n"
    assert "CPUs 8-9 out of range: the system has only CPU 0" in refusal(*command, "1")
    shown = printed("rps", "decode", "301", "--cpu-count", "8")
    assert shown == f"0,8-9  (3 CPUs)\nnote: {words}\n"
    result = printed_json("rps", "decode", "301", "--cpu-count", "9")
    assert result["out_of_range_cpus"] == [9]
    assert "CPU 9 out of range" in printed("rps", "decode", "301", "--cpu-count", "9")


@pytest.mark.parametrize("cpus", ["0,1,3,6", "0-7", "5", "0,31-33,8191"])
def test_what_is_encoded_is_decoded(cpus: str) -> None:
    mask = printed("rps", "encode", "--cpus", cpus).strip()
    first = printed_json("rps", "encode", "--cpus", cpus)["cpus"]
    result = printed_json("rps", "decode", mask)
    assert (result["mask"], result["cpus"]) == (mask, first)
    assert printed("rps", "encode", "--cpus", result["cpu_list"]).strip() == mask


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("encode",), ("Missing option '--cpus'",)),
        (("encode", "--cpus", ""), ("the list of CPUs is empty", "0,1,3,6 or 0-7")),
        (("encode", "--cpus", "0,1,1"), ("CPU 1 is named twice",)),
        (("encode", "--cpus", "-1"), ("'-1' is negative",)),
        (("encode", "--cpus", "7-0"), ("runs downwards", "0-7")),
        (("encode", "--cpus", "0-99999999999"), ("beyond 8191",)),
        (("encode", "--cpus", "4b"), ("no CPU or range",)),
        (("encode", "--cpus", "0", "--cpu-count", "0"), ("cpu_count must be at least 1",)),
        (("encode", "--cpus", "0", "--cpu-count", "-8"), ("must not be negative",)),
        (("encode", "--cpus", "0", "--cpu-count", "8.5"), ("whole number",)),
        (("encode", "--cpus", "0", "--cpu-count", "1e9"), ("at most 8192",)),
        (("decode",), ("Missing argument",)),
        (("decode", ""), ("a group is empty",)),
        (("decode", "0x4b"), ("no 0x in front",)),
        (("decode", "123456789"), ("more than 8 digits",)),
        (("decode", "4g"), ("other characters", "4b or 1,00000000")),
        (("decode", "1,,5"), ("a group is empty",)),
        (("decode", "4b", "ff"), ("unexpected extra argument",)),
        (("decode", "4b", "--cpu-count", "0"), ("cpu_count must be at least 1",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_arguments_are_refused(arguments: Sequence[str], words: Sequence[str]) -> None:
    answer = refusal("rps", *arguments)
    assert all(word in answer for word in words), answer


ADVISE = (
    *("rps", "advise", "--path", "worked-closed-network", "--workload", "rr1c-200x1000"),
    *("--mtu", "1500", "--cpus", "0-7"),
)


def test_advice_without_costs_is_an_upper_bound_and_lists_measurements() -> None:
    """By hand: both queues of 6 µs limit 166,667/s; 8 CPUs of 12 µs each allow 4 times as much."""
    shown = printed(*ADVISE, "--connections", "250")
    assert shown.startswith("receive packet steering: cannot be decided\nmask: ff (CPUs 0-7)\n")
    assert "the rate rises by a factor of 4 at most" in shown
    assert "measure: poll_time_s, hash_time_s" in shown
    assert shown.rstrip().splitlines()[-1].startswith("note: ")


def test_advice_in_json_has_both_predictions() -> None:
    result = printed_json(*ADVISE, "--connections", "1")
    assert result["recommended"] is False
    assert result["queue_stages"] == ["client-queue", "server-queue"]
    assert result["mask"] == "ff"
    assert result["rate_ratio"]["value"] == pytest.approx(1)
    assert {result[name]["connection_count"] for name in ("without", "steered")} == {1}


def test_one_queue_may_be_named_and_costs_given() -> None:
    costs = ("--hash-time", "0.2us", "--ipi-time", "0ns", "--enqueue-time", "500ns")
    result = printed_json(*ADVISE, "--connections", "250", "--queue-stage", "server-queue", *costs)
    assert result["queue_stages"] == ["server-queue"]
    assert result["missing"] == ["poll_time_s"]
    assert result["recommended"] is False  # the queue of the client is as full


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--connections", "1,2"), "give one number of --connections"),
        ((), "give one number of --connections: rr1c-200x1000 has 1, "),
        (
            ("--connections", "5", "--queue-stage", "nic"),
            "the path has no stage 'nic'; it has client-cpu",
        ),
        (("--connections", "5", "--poll-time", "1us"), "service time is per message or per byte"),
        (("--poll-time", "1"), "the unit is missing"),
        (("--cpus", "0,0"), "CPU 0 is named twice"),
    ],
)
def test_advice_that_cannot_be_given_is_refused(arguments: tuple[str, ...], problem: str) -> None:
    assert problem in refusal(*ADVISE, *arguments)


def test_a_path_without_receive_queues_is_refused() -> None:
    path = ("--sender", "osa-express7s-25gbe", "--receiver", "osa-express7s-25gbe", "--mtu", "1500")
    path += ("--connections", "1")
    problem = refusal("rps", "advise", *path, "--workload", "str-writex30k", "--cpus", "0-7")
    assert "no stage of this path is a receive queue: name one with --queue-stage" in problem


OVER_CONNECTIONS = (
    *("rps", "advise", "--sender", "osa-express7s-25gbe", "--receiver", "osa-express7s-25gbe"),
    *("--workload", "rr1c-200x1000", "--mtu", "1500", "--cpus", "0-7"),
)


def test_advice_over_connections_says_from_how_many_steering_pays() -> None:
    """N. Hoppmann (2021), slide 41: no clear benefit up to 50 connections, a huge one with 250."""
    text = printed(*OVER_CONNECTIONS)
    assert text.startswith("RPS pays from about ")
    changes, measured = (
        {line.split()[0]: line for line in table.splitlines()[1:]}
        for table in text.split("\n\n")[1:3]
    )
    assert list(changes) == ["1", "10", "50", "250"]
    assert "slower, cheaper" in changes["50"]
    assert "time about +13 %; CPU cost about -18 %" in measured["50"]
    assert "faster, cheaper" in changes["250"]


def test_the_json_of_advice_over_connections() -> None:
    result = printed_json(*OVER_CONNECTIONS, "--connections", "1,250,500")
    assert (result["mask"], result["queue_count"], result["cpu_count"]) == ("ff", 1, 8)
    first, second, third = result["changes"]
    assert first["transaction_time_ratio"]["low"] >= 1
    run = second["transaction_time_ratio"]
    assert run["new_run_low"] < run["low"] <= run["value"] <= run["high"] < run["new_run_high"] < 1
    assert third["measured"] == []
    assert 50 < result["faster_from_connections"]["low"]
    assert result["faster_from_connections"]["high"] < 250
    assert "extrapolation: measured with 1 to 250 connections" in result["notes"]


def test_steering_to_fewer_cpus_is_noted_as_extrapolation() -> None:
    result = printed_json(*OVER_CONNECTIONS[:-1], "0-3", "--connections", "50")
    assert result["steered_cpu_count"] == 4
    assert "extrapolation: measured with RPS to all of 8 CPUs" in result["notes"]


def test_steering_to_more_cpus_than_the_hosts_have_is_refused() -> None:
    assert "steered to (--cpus) must be 1 to 8" in refusal(*OVER_CONNECTIONS[:-1], "0-15")


def test_adapters_without_such_runs_need_a_queue_stage() -> None:
    command = [
        each.replace("osa-express7s-25gbe", "osa-express6s-10gbe") for each in OVER_CONNECTIONS
    ]
    words = "no stage of this path is a receive queue"
    assert words in refusal(*command, "--connections", "50")
