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
    assert printed_json(*command) == {"mask": "4b", "cpus": [0, 1, 3, 6]}


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
    assert result == {"mask": "4b", "cpus": [0, 1, 3, 6], "cpu_list": "0-1,3,6"}


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
        (("decode",), ("Missing argument",)),
        (("decode", ""), ("a group is empty",)),
        (("decode", "0x4b"), ("no 0x in front",)),
        (("decode", "123456789"), ("more than 8 digits",)),
        (("decode", "4g"), ("other characters", "4b or 1,00000000")),
        (("decode", "1,,5"), ("a group is empty",)),
        (("decode", "4b", "ff"), ("unexpected extra argument",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_arguments_are_refused(arguments: Sequence[str], words: Sequence[str]) -> None:
    answer = refusal("rps", *arguments)
    assert all(word in answer for word in words), answer


def test_advice_is_the_printed_effect_and_the_rule() -> None:
    """Slide 41: 37 % less time and 35 % less CPU at 250 connections; slides 36 and 45: streams."""
    case = ("rps", "advise", "--adapter", "osa-express7s-25gbe", "--workload")
    shown = " ".join(printed(*case, "rr1c-200x1000", "--connections", "250").split())
    assert "transaction time about 37 % lower; CPU per data about 35 % lower" in shown
    assert "rule: steering helps requests over many connections" in shown
    shown = " ".join(printed(*case, "str-writex30k").split())
    assert "throughput about the same; CPU per data may be higher" in shown
    assert "did you mean" in refusal(*case, "rr1c-200x100")
