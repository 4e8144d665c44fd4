"""``netmodel compare``: printed, computed and both together, and the grammar of cases."""

import csv
import io
import json
import math

import pytest
from invocation import printed, printed_json, refusal

import netmodel
from netmodel.errors import ContradictionError, DomainError, UnknownRecordError
from netmodel.judging._compared_cases import parse_case

OSA6, OSA7, ROCE = "osa-express6s-10gbe", "osa-express7s-25gbe", "roce-express2.1-25gbe"
RR, STREAM = "rr1c-200x1000", "str-writex30k"


def rows_of(*options: str) -> list[dict]:
    (answer,) = printed_json("compare", *options)
    return answer["rows"]


def row(rows: list[dict], quantity: str, **conditions: object) -> dict:
    (found,) = [
        each
        for each in rows
        if each["quantity"] == quantity
        and all(each["conditions"].get(key) == value for key, value in conditions.items())
        and "part" not in each["conditions"]
    ]
    return found


def test_the_answer_comes_first_with_places_and_grade() -> None:
    shown = printed(
        *("compare", "--workload", RR, "--mtu", "1500", "--connections", "50"),
        *("--baseline", OSA7, "--variant", ROCE),
    )
    first = " ".join(shown.partition("\n\n")[0].split())
    assert first == (
        f"{ROCE} against {OSA7} ({RR}, mtu 1500, connections 50): transaction time 40 % lower, "
        "CPU per data about 17 % higher, throughput 1.65 to 1.68 times by other figures."
    )
    assert "printed in adapter, published: " in shown
    assert "slide 18" in shown
    assert shown.count("note: ") <= 3


def test_a_printed_time_gives_the_throughput_of_as_many_connections() -> None:
    rows = rows_of(
        *("--workload", RR, "--mtu", "1500", "--connections", "50"),
        *("--baseline", OSA7, "--variant", ROCE),
    )
    time, rate = row(rows, "transaction_time"), row(rows, "throughput")
    # slide 18 prints 40 % less: from 39.5 to 40.5 %
    assert time["together"] == pytest.approx({"low": 0.595, "high": 0.605})
    assert rate["together"] == pytest.approx({"low": 1 / 0.605, "high": 1 / 0.595})
    assert rate["because"] == ["roce-against-osa7s-rr1k-time-50"]


def test_the_variant_and_the_baseline_can_be_exchanged() -> None:
    case = ("--workload", RR, "--mtu", "1500", "--connections", "50")
    there = row(rows_of(*case, "--baseline", OSA7, "--variant", ROCE), "transaction_time")
    back = row(rows_of(*case, "--baseline", ROCE, "--variant", OSA7), "transaction_time")
    assert back["together"]["low"] == pytest.approx(1 / there["together"]["high"])
    assert back["together"]["high"] == pytest.approx(1 / there["together"]["low"])


def test_ratios_of_three_adapters_are_chained_and_bounded_by_their_lines() -> None:
    (answer,) = printed_json(
        *("compare", "--workload", STREAM, "--mtu", "9000", "--connections", "10"),
        *("--baseline", OSA6, "--variant", ROCE),
    )
    rate = row(answer["rows"], "throughput")
    assert rate["printed"] == []
    # 2.45 to 2.55 times 0.95 to 1.05; no more than 25 Gbit/s over 95 % of 10 Gbit/s
    assert 2.32 < rate["together"]["low"] < 2.5 < rate["together"]["high"] <= 2.5 / 0.95 + 1e-9
    assert rate["model"]["is_ratio_of_bounds"]
    assert rate["model"]["value"] == pytest.approx(2.5)
    assert answer["nearest"]
    assert "not measured" in answer["answer"]


def test_packet_steering_is_modelled_where_it_was_not_measured() -> None:
    (result,) = netmodel.compare(
        baseline=f"{OSA7} rps=off", variant="rps=on", workload=RR, connections=100
    )
    (time,) = [each for each in result.rows if each.quantity == "transaction_time"]
    assert time.printed == ()
    assert time.model is not None
    # between 13 % more at 50 and 37 % less at 250 connections
    assert 0.63 < time.model.value < 1.13
    assert time.model.low <= time.model.value <= time.model.high


def test_measured_figures_of_both_cases_give_a_ratio() -> None:
    rows = rows_of(
        *("--workload", "awm-rr", "--connections", "10"),
        *("--baseline", "zvm-vswitch layer=3", "--variant", "zvm-direct-osa"),
    )
    rate = row(rows, "transaction_rate")
    # tables 5 and 8
    assert rate["printed"][0]["text"] == "14340.35 against 13823.21"
    assert rate["together"]["low"] == pytest.approx(14340.35 / 13823.21, rel=1e-6)


def test_levels_of_the_hypervisor_are_those_of_the_printed_changes() -> None:
    rows = rows_of(
        *("--workload", "awm-rr", "--connections", "1"),
        *("--baseline", "level=5.1.0", "--variant", "zvm-vswitch layer=2 level=5.2.0"),
    )
    # table 2: 54.8 %
    assert row(rows, "transaction_rate")["printed_ratio"] == pytest.approx(
        {"low": 1.5475, "high": 1.5485}
    )


def test_an_mtu_that_changes_no_frame_changes_nothing() -> None:
    rows = rows_of("--workload", RR, "--baseline", f"{OSA7} mtu=1500", "--variant", "mtu=9000")
    assert row(rows, "cpu_consumption")["model"]["value"] == 1
    assert row(rows, "cpu_consumption")["printed_ratio"] == {"low": 0.95, "high": 1.05}


def test_several_variants_and_counts_have_an_answer_each() -> None:
    results = netmodel.compare(
        baseline=OSA6, variant=[OSA7, ROCE], workload=STREAM, mtu_bytes=1500, connections=[1, 50]
    )
    assert [each.variant["connection_counts"] for each in results] == [1, 50, 1, 50]
    assert [each.variant["adapter"] for each in results] == [OSA7, OSA7, ROCE, ROCE]


def test_a_csv_has_a_line_for_each_row() -> None:
    arguments = ("compare", "--baseline", OSA7, "--variant", ROCE, "--workload", RR, "--mtu")
    lines = list(csv.DictReader(io.StringIO(printed(*arguments, "1500", "--csv"))))
    (answer,) = printed_json(*arguments, "1500")
    assert len(lines) == len(answer["rows"])
    times = [each for each in lines if each["quantity"] == "transaction_time"]
    assert "0.595" in {each["printed_low"] for each in times}
    assert {each["grade"] for each in lines if each["printed"]} == {"published"}


@pytest.mark.parametrize(
    ("baseline", "variant", "problem"),
    [
        ("osa-express7s-25gb", ROCE, f"did you mean '{OSA7}'?"),
        (f"adaptr={OSA7}", ROCE, "did you mean 'adapter'?"),
        (OSA7, f"{ROCE} rps=maybe", "rps is on or off; got 'maybe'"),
        (OSA7, "roce", f"did you mean roce-express-10gbe, {ROCE}, "),
        ("checksum=off", "checksum=on", "did you mean checksumming="),
        ("sea", ROCE, "did you mean powervm-sea, "),
        (OSA7, OSA7, "the variant does not differ from the baseline"),
        ("mtu=1500 mtu=9000", OSA7, "mtu is given twice"),
        (OSA7, "'setting=no end", "no closing quotation"),
        ("path=zvm-vswich", "layer=2", "did you mean 'zvm-vswitch'?"),
    ],
)
def test_a_wrong_case_is_refused_with_a_suggestion(
    baseline: str, variant: str, problem: str
) -> None:
    message = refusal("compare", "--baseline", baseline, "--variant", variant)
    assert problem in message, message


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("baseline", "variant", "read_as"),
    [
        ("osa-express7s", "roce-express2.1", {"adapter": ROCE}),
        ("level=5.1", "level=5.2", {"hypervisor_level": "5.2.0"}),
        ("dcbflush=off", "dcbflush=on", {"setting": "dcbflush_local=yes"}),
        ("largesend=off", "largesend=yes", {"large_send": True}),
        ("powervm-sea", "dedicated", {"setting": "dedicated physical adapter"}),
    ],
)
def test_words_that_only_one_value_has_stand_for_it(
    baseline: str, variant: str, read_as: dict
) -> None:
    (answer,) = printed_json("compare", "--baseline", baseline, "--variant", variant)
    assert answer["variant"] == read_as
    assert answer["rows"]


@pytest.mark.thorough
def test_the_answer_gives_both_ends_where_cases_differ() -> None:
    (result,) = netmodel.compare(baseline=f"{OSA7} rps=off", variant="rps=on", workload=RR)
    assert (
        "transaction time about 37 % lower at 250 connections to about 13 % higher at 50 "
        "connections, CPU per data (client and server) about 35 % lower at 250 connections to "
        "about 18 % lower at 50 connections"
    ) in result.answer
    (result,) = netmodel.compare(baseline=OSA7, variant=ROCE)
    assert "2.8 x at 1 connection (mtu 1500, rr1c-200x30k)" in result.answer


def test_figures_of_adapters_are_none_of_a_virtual_path() -> None:
    (result,) = netmodel.compare(baseline="kvm-two-hosts mtu=1500", variant="mtu=9000")
    assert not any(row.printed for row in result.rows)
    assert result.nearest[0].fact.source == "kvm"
    assert result.nearest[0].differs == "mtu 8192 instead of 9000"


def test_levels_are_compared_on_one_machine_only() -> None:
    """Tables of the older level come from another processor with another line."""
    (result,) = netmodel.compare(baseline="level=5.1.0", variant="level=5.2.0", workload="awm-rr")
    assert not any(" against " in fact.printed for row in result.rows for fact in row.printed)


def test_a_size_of_messages_is_that_of_both_messages_of_an_exchange() -> None:
    def time_ratio(message: str) -> float:
        (result,) = netmodel.compare(
            baseline=f"tcp message={message}", variant="smc-r", workload="smc-rr-1k", km=35
        )
        model = next(row.model for row in result.rows if row.quantity == "latency")
        assert model is not None
        return model.value

    (large,) = netmodel.compare(protocol="smc-r", workload="smc-rr-32k", km=35)
    of_32k = next(row.model for row in large.rows if row.quantity == "latency")
    assert of_32k is not None
    assert time_ratio("32KiB") == pytest.approx(of_32k.value)
    assert time_ratio("1KiB") > time_ratio("16KiB") > time_ratio("32KiB")


def test_figures_of_a_workload_are_none_of_messages_of_another_size() -> None:
    (result,) = netmodel.compare(
        baseline="tcp message=16KiB", variant="smc-r", workload="smc-rr-1k", km=10
    )
    assert not any(row.has_figure for row in result.rows)


def test_a_model_without_its_inputs_says_which_are_missing() -> None:
    message = refusal(
        *("compare", "--baseline", "ethernet-10gbe", "--variant", "ethernet-25gbe"),
        *("--workload", STREAM),
    )
    assert "to compare what models compute, also give --mtu" in message
    message = refusal(
        *("compare", "--baseline", "loss=1e-4", "--variant", "loss=1e-3", "--km", "35"),
        *("--workload", STREAM),
    )
    assert "also give --mtu and an adapter or path" in message


def test_demands_that_know_no_connections_say_nothing_of_their_number() -> None:
    (result,) = netmodel.compare(
        baseline=f"{OSA7} mtu=1500 connections=1", variant="connections=50", workload=STREAM
    )
    costs = [row for row in result.rows if row.quantity == "cpu_consumption"]
    assert not any(row.model is not None and row.model.value == 1 for row in costs)
    assert "CPU cost is left open; measure it with 1 and 50 connections" in result.notes


def test_ratios_from_other_figures_are_one_range_in_the_answer() -> None:
    (result,) = netmodel.compare(protocol="smc-r", workload="smc-str-20m", km=35)
    assert "throughput 1.73 to 8.75 times by other figures at 1 connection, " in result.answer


def test_what_nothing_compares_says_what_can_be_varied() -> None:
    message = refusal("compare", "--baseline", "tool=ftp", "--variant", OSA7)
    assert "documents vary for it" in message


def test_cases_are_text_or_mappings_with_long_and_short_names() -> None:
    text = netmodel.compare(baseline=f"{OSA7} mtu=1500", variant="mtu=9000", workload=RR)
    mapped = netmodel.compare(
        baseline={"adapter": OSA7, "mtu_bytes": 1500}, variant={"mtu": 9000}, workload=RR
    )
    assert [each.to_dict() for each in text] == [each.to_dict() for each in mapped]
    assert json.dumps(text[0].to_dict(), allow_nan=False)
    assert "transaction time" in text[0]._repr_html_()


def test_a_condition_of_a_case_is_not_given_for_all_too() -> None:
    with pytest.raises(ContradictionError):
        netmodel.compare(baseline=f"{OSA7} mtu=1500", variant=ROCE, mtu_bytes=9000)
    with pytest.raises(DomainError):
        netmodel.compare(baseline="", variant=ROCE)
    with pytest.raises(UnknownRecordError):
        parse_case("nothing-of-the-kind")


@pytest.mark.thorough
@pytest.mark.parametrize("workload", [RR, "rr1c-200x30k", STREAM])
@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_what_remains_is_within_what_is_printed(workload: str, mtu_bytes: int) -> None:
    for result in netmodel.compare(
        baseline=OSA6, variant=[OSA7, ROCE], workload=workload, mtu_bytes=mtu_bytes
    ):
        for each in result.rows:
            if not math.isnan(each.printed_low) and not each.is_contradicted:
                assert each.low >= each.printed_low * (1 - 1e-9)
                assert each.high <= each.printed_high * (1 + 1e-9)


def test_a_stream_whose_writes_have_no_known_size_is_compared_all_the_same() -> None:
    rows = rows_of(
        *("--workload", "awm-str", "--connections", "10"),
        *("--baseline", "zvm-vswitch layer=3 mtu=1492", "--variant", "mtu=8992"),
    )
    # tables 6 and 7
    assert row(rows, "throughput")["printed"][0]["text"] == "118.0 against 92.4"


def test_packet_steering_says_nothing_of_another_workload() -> None:
    """Small responses cost several times as much per byte, whatever the connections are."""
    (result,) = netmodel.compare(
        baseline="osa-express7s-25gbe mtu=1500 workload=rr1c-200x30k connections=50",
        variant="workload=rr1c-200x1000 connections=200",
    )
    costs = [row.model for row in result.rows if row.quantity == "cpu_consumption"]
    assert len(costs) == 2
    assert all(model is not None and model.low > 4 for model in costs)
    basis = {row.model.basis for row in result.rows if row.model is not None}
    assert not any("rps" in each for each in basis)


def test_a_row_is_asked_by_quantity_and_conditions() -> None:
    (result,) = netmodel.compare(
        baseline=f"{OSA7} mtu=1500", variant="mtu=9000", workload=STREAM, connections=50
    )
    rate = result.row("throughput")
    assert rate.known_range == (rate.low, rate.high)
    cost = result.row("cpu_consumption", side="server")
    assert math.isnan(cost.low)
    assert cost.model is not None
    assert cost.known_range == (cost.model.low, cost.model.high)
    with pytest.raises(UnknownRecordError, match=r"several rows of cpu_consumption; .*side=client"):
        result.row("cpu_consumption")
    with pytest.raises(UnknownRecordError, match=r"no row of latency; there are: .*throughput"):
        result.row("latency")


def test_packet_steering_covers_an_mtu_that_changes_no_frame() -> None:
    case = "osa-express7s-25gbe workload=rr1c-200x1000 connections=50"
    (at_one,) = netmodel.compare(baseline=f"{case} mtu=1500", variant="connections=100 rps=on")
    (at_two,) = netmodel.compare(
        baseline=f"{case} mtu=1500", variant="connections=100 rps=on mtu=9000"
    )
    times = [
        next(row.model for row in each.rows if row.quantity == "transaction_time")
        for each in (at_one, at_two)
    ]
    assert times[0] is not None
    assert times[0] == times[1]
