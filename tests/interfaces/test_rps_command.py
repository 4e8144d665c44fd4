"""``netmodel rps``."""

from collections.abc import Sequence

import pytest
from invocation import printed, refusal


@pytest.mark.parametrize(
    ("cpus", "mask"),
    [("0,1,3,6", "4b"), ("0-7", "ff"), ("6,3,0-1", "4b"), ("32", "1,00000000")],
)
def test_encode_prints_the_mask_alone(cpus: str, mask: str) -> None:
    """N. Hoppmann (2021), slide 38, for the first two: what is written to rps_cpus."""
    assert printed("rps", "encode", "--cpus", cpus) == f"{mask}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("encode",), ("Missing option '--cpus'",)),
        (("encode", "--cpus", ""), ("it is empty",)),
        (("encode", "--cpus", "0,1,1"), ("CPU 1 is named twice",)),
        (("encode", "--cpus", "0-99999999999"), ("beyond 8191",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_arguments_are_refused(arguments: Sequence[str], words: Sequence[str]) -> None:
    answer = refusal("rps", *arguments)
    assert all(word in answer for word in words), answer
