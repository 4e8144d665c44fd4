"""A goodput as people write it or paste it."""

import pytest

from netmodel.errors import ParseError
from netmodel.readers import read_result


@pytest.mark.parametrize(
    ("text", "rate_bps", "half_width_bps"),
    [
        ("9.2Gbit/s", 9.2e9, 0.05e9),
        ("939 Mbits/sec", 939e6, 0.5e6),
        ("9,400.5 Mbits/sec", 9400.5e6, 0.05e6),
        ("| 9.41 Gbit/s |\n", 9.41e9, 0.005e9),
        ("117 MBytes/sec", 117 * 2**20 * 8, 0.5 * 2**20 * 8),
        ("0 bit/s", 0.0, 0.0),
        ("[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec", 941e6, 0.5e6),
        ("[  3]  0.0-1.0 sec  113 MBytes  947 Mbits/sec  0.012 ms 813/81378 (1%)", 947e6, 0.5e6),
    ],
)
def test_a_rate_has_the_rounding_of_its_digits(
    text: str, rate_bps: float, half_width_bps: float
) -> None:
    (run,) = read_result(text.encode())
    assert run.tool == "rate"
    assert run.goodput_bps == pytest.approx(rate_bps)
    assert run.counted.half_width_bps == pytest.approx(half_width_bps)
    assert run.duration_s is None
    assert run.protocol == ("udp" if "(1%)" in text else None)


@pytest.mark.parametrize(
    "text",
    [
        *("939", "939 Mbits", "9.2 apples/s", "-1 Gbit/s", "1e3 bit/s/s"),
        "9.2 Gbits/sec\nof 10 bought",
        "9,4 Gbits/sec",
        f"941 Mbits/sec {'x' * 200}",
    ],
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_result(text.encode())
    with pytest.raises(ParseError, match=r"not a rate such as 9\.2Gbit/s"):
        read_result(text.encode(), "rate")


def test_a_message_repeats_sixty_characters_of_what_it_refuses() -> None:
    """With its quotes: what is longer ends in an ellipsis."""
    for length, quoted in ((58, '"' + "x" * 58 + '"'), (59, '"' + "x" * 59 + "…")):
        with pytest.raises(ParseError) as caught:
            read_result(b"x" * length, "rate")
        assert caught.value.problem == f"not a rate such as 9.2Gbit/s: {quoted}"
