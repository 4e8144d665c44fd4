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


ADVISE = ("rps", "advise", "--workload", "rr1c-200x1000")
OSA7S = ("--adapter", "osa-express7s-25gbe")


def test_advice_is_what_the_document_prints() -> None:
    """N. Hoppmann (2021), slide 41: 37 % less time and 35 % less CPU with 250 connections."""
    text = printed(*ADVISE, *OSA7S, "--connections", "250", "--cpus", "0,1,3,6")
    assert text.startswith(
        "rr1c-200x1000 between two osa-express7s-25gbe: transaction time about 37 % lower at 250 "
    )
    rows = [" ".join(line.split()) for line in text.splitlines() if line.split()[:1] == ["250"]]
    assert [" about 35 % lower " in row for row in rows] == [False, True, True]
    assert "mask of CPUs 0-1,3,6: 4b" in text
    assert "one connection, or a stream at line speed, gains nothing" in " ".join(text.split())


def test_advice_between_printed_counts_names_both_neighbours() -> None:
    text = " ".join(printed(*ADVISE, *OSA7S, "--connections", "25").split())
    assert "not published at 25 connections: transaction time the same or higher at 10" in text
    assert "about 13 % higher at 50 connections" in text


def test_a_stream_at_line_speed_gains_nothing() -> None:
    """Slides 36 and 45."""
    command = ("rps", "advise", "--adapter", "roce-express2.1-25gbe", "--workload", "str-writex30k")
    effects = {each["quantity"]: each for each in printed_json(*command)["effects"]}
    assert effects["transaction_time"]["relation"] == "same"
    assert effects["cpu_consumption"]["relation"] == "more"


def test_advice_in_json_has_each_printed_count() -> None:
    """Slide 44: +7, +17, -12 and -34 % of the time with 1, 10, 50 and 250 connections."""
    result = printed_json(*ADVISE, "--adapter", "roce-express2.1-25gbe", "--cpus", "0-7")
    assert result["mask"] == "ff"
    times = {
        each["connections"]: each["value"]
        for each in result["effects"]
        if each["quantity"] == "transaction_time"
    }
    assert times == pytest.approx({1: 1.07, 10: 1.17, 50: 0.88, 250: 0.66})


def test_an_adapter_without_such_runs_is_said_to_have_none() -> None:
    text = printed(*ADVISE, "--adapter", "osa-express6s-10gbe")
    assert "no document prints what steering changes" in text
