"""What a document prints of the very case comes first: `predict` and `plan`, by slide."""

import pytest
from invocation import printed, words

OSA7S, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
LARGE = ("predict", "--adapter", OSA7S, "--workload", "rr1c-200x30k")


def sentence(*options: str) -> str:
    return words(printed(*options)).partition(" request ")[0]


@pytest.mark.parametrize(
    ("connections", "answer"),
    [
        # 23.49 Gbit/s of the line over 2.75, the far end of "2.8 times" (slide 20)
        ("1", "at most 8.54 Gbit/s: RoCE is 2.8 times as fast (adapter document, slide 20)"),
        ("10", "at most 53,443 /s (13.13 Gbit/s); the bottleneck is client_adapter_in"),
        ("50", "about 13 Gbit/s (adapter document, slide 19)"),
        ("250", "about 13 Gbit/s (adapter document, slide 19)"),
    ],
)
def test_large_responses_on_osa_express7s(connections: str, answer: str) -> None:
    assert answer in sentence(*LARGE, "--mtu", "1500", "--connections", connections)


def test_a_printed_bound_is_no_bottleneck_of_a_table() -> None:
    table = printed(*LARGE, "--mtu", "1500").splitlines()
    row = next(line for line in table if line.split()[:3] == ["1", "<=", "34,751"])
    assert row.split("34,751")[1].strip() == "RoCE is 2.8 times as"


def test_few_transactions_a_second_have_digits_and_all_limits_a_list() -> None:
    """0.064 Gbit/s of IP packets: 8,948 of 9,000 byte are payload, 4 MiB of it a write."""
    large = ("predict", "--adapter", "aws:t3.micro", "--workload", "ceph-write-client-4m")
    shown = words(printed(*large, "--mtu", "9000", "--connections", "10,20"))
    assert "(4.971 Gbit/s) with a burst, 63.63 Mbit/s after it; the bottleneck is" in shown
    four = ("predict", "--adapter", "aws:c6in.8xlarge", "--workload", "smc-rr-1k", "--mtu", "8992")
    assert "50Gbit/s ip out, client adapter capacity 50Gbit/s ip in, server adapter" in words(
        printed(*four, "--connections", "10")
    )


def test_a_copy_may_be_faster_in_a_burst_of_unknown_length() -> None:
    copy = ("predict", "--adapter", "aws:m5.large", "--mtu", "9001", "--volume", "100GB")
    assert "takes at least 80.46 s, without a burst at least 1,073 s." in words(printed(*copy))


def test_line_speed_is_the_answer_where_it_is_printed() -> None:
    stream = ("predict", "--adapter", ROCE, "--workload", "str-writex30k", "--mtu", "9000")
    assert "line speed, 24.75 Gbit/s (adapter document, slide 29)" in sentence(
        *stream, "--connections", "50"
    )
