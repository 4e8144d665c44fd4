"""What ``netmodel predict`` prints of measurements and statements beside its predictions."""

import pytest
from invocation import printed, printed_json

from netmodel.records import dataset

RUNS = dataset("zvm-layer2-layer3").tables["measurements"]
SWITCH = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--mtu", "1492", "--workload", "awm-rr")


def test_measured_rates_of_1_10_and_50_clients_are_printed_beside_predictions() -> None:
    """z/VM, table 5, layer 3: rate and CPU time of each number of clients, in text and in JSON."""
    table = RUNS.where(table=5, layer=3)
    text = printed(*SWITCH)
    head, *rows = text.split("\n\n")[1].splitlines()
    assert head.split()[-1] == "measured"
    rates = table.numbers("transaction_rate_tps")
    assert [row.rpartition("  ")[2] for row in rows] == [f"{rate:,.2f} /s" for rate in rates]
    shown = " ".join(printed(*SWITCH, "--verbose").split())
    for count, rate in zip(table.text("connection_count"), rates, strict=True):
        s = "" if count == "1" else "s"
        assert f"{count} connection{s}: measured transaction rate {rate:,.2f} /s" in shown
    result = [row["measured"] for row in printed_json(*SWITCH)]
    for (rate, cost), *cells in zip(
        result,
        table.text("transaction_rate_tps"),
        table.text("total_cpu_ms_per_transaction"),
        strict=True,
    ):
        assert [rate["printed"].split()[0], cost["printed"].split()[0]] == cells
        assert rate["is_exact_case"]
        assert rate["reference"].startswith("Layer 3 and Layer 2 Comparisons, table 5, layer ")
        assert 0 < rate["ratio"]["low"] <= rate["ratio"]["value"] <= rate["ratio"]["high"]
        assert (rate["side"], cost["side"]) == (None, "client")


def test_one_prediction_has_its_figures_under_the_drawing() -> None:
    lines = printed(*SWITCH, "--connections", "10").splitlines()
    blank = len(lines) - lines[::-1].index("") - 1
    assert lines[blank + 1].startswith("measured transaction rate 13,823.21 /s (")
    assert "measured" not in lines[0]


def test_published_ratios_are_printed_beside_predicted_ratios() -> None:
    """KVM, text on figure 2: 5 to 20 % more data and less time with MTU 8192."""
    guests = ("predict", "--path", "kvm-two-hosts", "--workload", "rr1c-200x30k")
    text = " ".join(printed(*guests, "--mtu", "8192").split())
    assert "published throughput 5 to 20 % higher, against MTU 1500" in text
    assert text.count("published throughput") == 1
    (row,) = printed_json(*guests, "--mtu", "8192", "--connections", "10")
    rate, time, efficiency = row["measured"]
    assert (rate["low"], rate["high"]) == pytest.approx((1.045, 1.205))
    assert (time["low"], time["high"]) == pytest.approx((0.795, 0.955))
    assert rate["baseline"] == "MTU 1500"
    assert rate["ratio"]["value"] is None
    assert efficiency["ratio"] is None
    (row,) = printed_json(*guests, "--mtu", "1500", "--connections", "10")
    assert row["measured"] == []


def test_an_open_end_is_null() -> None:
    card = "roce-express2.1-25gbe"
    ends = ("--sender", card, "--receiver", card, "--mtu", "9000", "--connections", "50")
    (row,) = printed_json("predict", *ends, "--workload", "str-writex30k")
    first = row["measured"][0]
    assert (first["relation"], first["high"], first["ratio"]["high"]) == (
        "censored_above",
        None,
        None,
    )


def test_nothing_is_printed_where_nothing_was_measured() -> None:
    card = ("--sender", "ethernet-100gbe", "--receiver", "ethernet-100gbe", "--mtu", "1500")
    text = printed("predict", *card, "--workload", "str-writex30k")
    assert "measured" not in text
    assert "published" not in text
    for row in printed_json("predict", *card, "--workload", "str-writex30k"):
        assert row["measured"] == []
