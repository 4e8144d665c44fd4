"""Frames a second and layers on the command line of ``ceiling``."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal

LINE = ("ceiling", "--line-rate", "25G")


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mtu", "1500", "--frame", "64"), "leave out --mtu"),
        (("--frame", "63"), "--frame must be at least 64"),
    ],
)
def test_what_makes_no_sense_is_refused(options: Sequence[str], words: str) -> None:
    assert words in refusal(*LINE, *options)


def test_what_a_conversion_of_a_capacity_leaves_out_is_noted() -> None:
    note = "note: of one direction and one flow, at the first rate of a burst"
    for text, is_noted in (("5Gbit/s ip per flow", True), ("5Gbit/s ip out", False)):
        shown = printed("ceiling", "--capacity", text, "--mtu", "1500")
        assert (note in shown) is is_noted
