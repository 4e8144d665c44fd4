"""Measured figures as text: digits as printed, the source, and the ratio in words."""

import pytest

from netmodel.judging import measured_beside
from netmodel.path import (
    Prediction,
    RatioPrediction,
    SpecifiedPath,
    predict_path,
    predict_ratio,
    workload_traffic,
)
from netmodel.records import (
    adapter,
    document,
    path_record,
    workload,
)
from netmodel.report import measured_text
from netmodel.report._path_text import measured_cell

TABLES = "Layer 3 and Layer 2 Comparisons"
KVM = document("kvm").title


def shown(
    path: SpecifiedPath, name: str, mtu_bytes: int, count: int
) -> tuple[list[str], str, Prediction | RatioPrediction]:
    """Lines of a case, its cell of a table, and what is predicted."""
    message = workload(name)
    size = 20 * 2**20 if name == "awm-str" else None
    traffic = workload_traffic(message, count, payload_bytes=size)
    composed = path.path(message.sender)
    prediction = (predict_ratio if composed.factors else predict_path)(composed, traffic, mtu_bytes)
    result = measured_beside(path, message, mtu_bytes, count)
    lines = [measured_text(each, prediction) for each in result]
    return lines, measured_cell(result, prediction), prediction


def of_network(
    network: str, name: str, mtu_bytes: int, count: int
) -> tuple[list[str], str, Prediction | RatioPrediction]:
    return shown(SpecifiedPath(record=path_record(network)), name, mtu_bytes, count)


def test_a_rate_has_its_digits_its_source_and_its_share_of_the_bound() -> None:
    """z/VM report, table 5, layer 3, 10 clients."""
    lines, cell, prediction = of_network("zvm-vswitch-layer3-1gbe", "awm-rr", 1492, 10)
    assert isinstance(prediction, Prediction)
    share = 13823.21 / prediction.transaction_rate_tps.value
    assert lines[0] == (
        f"measured transaction rate 13,823.21 /s ({TABLES}, table 5, layer 3, trans/sec, "
        f"10 clients); 1.00 times the fitted value, {share:.3f} times the upper bound"
    )
    assert cell == "13,823.21 /s"
    assert lines[1].startswith("measured CPU time per transaction of the client 43 µs (printed as")
    assert lines[1].endswith("times the estimate")


def test_an_ambiguous_unit_is_printed_with_what_it_is_taken_as() -> None:
    """Table 7, layer 3, 10 clients: 118.0 MB/s, which fills the line where MB is 2^20 byte."""
    lines, cell, _ = of_network("zvm-vswitch-layer3-1gbe", "awm-str", 8992, 10)
    assert lines[0].startswith("measured throughput 989.9 Mbit/s (printed as 118.0 MB/s, taken as ")
    assert cell == "989.9 Mbit/s"


def test_a_neighbour_says_how_it_differs_and_is_in_no_table() -> None:
    lines, cell, _ = of_network("zvm-vswitch-layer3-1gbe", "awm-rr", 1492, 20)
    assert lines[0].startswith("measured transaction rate 13,823.21 /s at 10 connections (")
    assert cell == ""


def test_a_doubtful_figure_says_why() -> None:
    """Table 11: the CPU time of 50 clients would need more CPUs than the machine has."""
    lines, _, _ = of_network("zvm-direct-osa-layer2-10gbe", "awm-rr", 1492, 50)
    assert "in doubt: 9.54 to 9.9 CPUs would be busy, where 8 are installed" in lines[1]


def test_a_published_ratio_stands_beside_the_predicted_one() -> None:
    """KVM, text on figure 2: 5 to 20 % more."""
    lines, cell, prediction = of_network("kvm-two-hosts", "rr1c-200x30k", 8192, 10)
    assert isinstance(prediction, RatioPrediction)
    _, low, high = prediction.ratio_to_reference
    assert lines[0] == (
        f"published throughput 5 to 20 % higher, against MTU 1500 ({KVM}, Maximum Transmission "
        f"Unit, text on Figure 2); {1.045 / high:#.3g} to {1.205 / low:#.3g} times the "
        "predicted ratio"
    )
    assert cell == "1.045 to 1.205"
    assert lines[2].startswith("published CPU efficiency 25 to 75 % higher, against MTU 1500")
    assert "times" not in lines[2].rpartition(")")[2]


@pytest.mark.parametrize(
    ("ends", "mtu_bytes", "start", "end"),
    [
        (
            ("osa-express7s-25gbe", "roce-express2.1-25gbe"),
            1500,
            "published throughput 20.5 Gbit/s (",
            "slide 35); 1.00 times the upper bound",
        ),
        (
            ("roce-express2.1-25gbe", "roce-express2.1-25gbe"),
            9000,
            "published throughput at line speed (",
            "slide 29); at least 1.00 times the upper bound",
        ),
    ],
)
def test_relations_reach_the_words(
    ends: tuple[str, str], mtu_bytes: int, start: str, end: str
) -> None:
    lines, _, _ = shown(SpecifiedPath(*map(adapter, ends)), "str-writex30k", mtu_bytes, 50)
    assert lines[0].startswith(start)
    assert lines[0].endswith(end)
