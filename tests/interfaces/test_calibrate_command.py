"""``netmodel calibrate``: numbers of the sources, records that predict reads, and refusals."""

import math
from collections.abc import Callable
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

ADAPTER = ("--where", "workload=str-writex30k", "--line-rate", "25G", "--noise", "1e-9")
LIMITS = (
    "workload,direction,mtu_bytes,throughput_gbps,relation\nstr-writex30k,in,1500,13.4,\n"
    "str-writex30k,in,9000,24.7510512,censored_above\nother,in,1500,9,\n"
)
SLOW_FRAME_S, FAST_FRAME_S = 1448 * 8 / 13.35e9, 1448 * 8 / 13.45e9
"""Of a full frame at MTU 1500, as 13.4 Gbit/s may have been rounded."""
LINE_FRAME_S = 9038 * 8 / 25e9
"""No more at MTU 9000, where the line was full."""
SEEN = "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24.2,in\n"

Table = Callable[[str], str]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A file of this content."""

    def written(content: str) -> str:
        path = tmp_path / "my.csv"
        path.write_text(content, encoding="utf-8")
        return str(path)

    return written


def calibrated(*arguments: str) -> Any:
    return printed_json("calibrate", *arguments)


def ends(answer: Any) -> tuple[float, float]:
    return answer["low"], answer["high"]


def gate(*arguments: str) -> str:
    """What observations are problem with that tell no parameters."""
    result = run_netmodel("calibrate", *arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    return result.stderr


# What the sources say


def test_a_rounded_and_a_hidden_figure_leave_the_intervals_of_the_handbook(
    table: Table,
) -> None:
    """Both ends by hand: the slowest and fastest frame of the rounding, and that of the line."""
    answer = calibrated(table(LIMITS), *ADAPTER, "--where", "direction=in")
    byte_s = (LINE_FRAME_S - FAST_FRAME_S) / 7500
    result = answer["parameters"]
    assert ends(result["in.per_byte_s"]) == pytest.approx((0, byte_s), rel=1e-6, abs=1e-20)
    assert ends(result["in.per_frame_s"]) == pytest.approx(
        (FAST_FRAME_S - 1448 * byte_s, SLOW_FRAME_S), rel=1e-6
    )
    assert answer["method"] == "feasible_set"
    for each in result.values():
        assert (each["value"], each["unit"], each["estimable"]) == (None, "s", False)


def test_a_record_of_an_adapter_predicts_as_the_handbook_does(table: Table, tmp_path: Path) -> None:
    card = str(tmp_path / "card.toml")
    printed("calibrate", table(LIMITS), *ADAPTER, "-o", card)

    def rates_gbps(mtu: str) -> tuple[float, ...]:
        (row,) = printed_json(
            *("predict", "--sender", "roce-express2.1-25gbe", "--receiver", card, "--mtu", mtu),
            *("--workload", "str-writex30k", "--connections", "50"),
        )
        assert row["grade"] == "fitted"
        return tuple(row["throughput_bps"][end] / 1e9 for end in ("low", "high"))

    assert rates_gbps("1500") == pytest.approx((13.35, 13.45), rel=1e-8)
    assert rates_gbps("4000") == pytest.approx((20.4754, 24.4428), abs=1e-4)


# Tables of your own


def test_conditions_missing_from_the_source_are_given(table: Table) -> None:
    source = table("throughput_gbps\n13.4\n")
    assert "needs mtu_bytes, which is not given" in refusal("calibrate", source)
    answer = calibrated(source, "--mtu", "1500", "--noise", "1e-9")
    assert answer["parameters"]["per_frame_s"]["high"] == pytest.approx(SLOW_FRAME_S, rel=1e-6)
    same = calibrated(source, "--given", "mtu_bytes=1500", "--noise", "1e-9")
    assert same == answer


def test_scatter_about_the_model_is_the_same_in_text_and_json(table: Table) -> None:
    """Three rates for each connection: their standard deviation, as two degrees are left."""
    source = table("connections,transaction_rate_tps\n1,1000.00\n2,2060.00\n4,3900.00\n")
    fixed = ("--model", "saturation", "--fix", "bottleneck_s=0")
    answer = calibrated(source, *fixed)
    by_hand = stdev([0, math.log(1.03), math.log(0.975)])
    assert answer["noise_sd"] == pytest.approx(by_hand, rel=1e-4)
    assert answer["noise_kind"] == "scatter about the model"
    text = " ".join(printed("calibrate", source, *fixed).split())
    assert f"scatter about the model {100 * by_hand:.3g} % included" in text
    given = " ".join(printed("calibrate", source, *fixed, "--noise", "0.02").split())
    assert "run-to-run noise 2 % included" in given


def test_a_law_predicts_rates_at_the_ends_and_between(table: Table) -> None:
    """1000/s for each connection up to 20,000/s, by hand."""
    source = table("connections,transaction_rate_tps\n1,1000\n8,8010\n40,20020\n80,20000\n")
    answer = calibrated(source, "--model", "saturation")
    rates = {x["connection_count"]: x["transaction_rate_tps"] for x in answer["predictions"]}
    assert [*rates] == [1, 4.3, 19, 80]
    values = [each["value"] for each in rates.values()]
    assert values == pytest.approx([1000, 4300, 19000, 20000], rel=0.002)
    assert all(each["low"] < each["value"] < each["high"] for each in rates.values())
    lines = printed("calibrate", source, "--model", "saturation").splitlines()
    assert any(each.split()[:2] == ["connections", "transaction"] for each in lines)
    assert "predictions" not in calibrated(table(SEEN), "--noise", "0.02")
    few = table("connections,transaction_rate_tps\n1,1000\n8,6900\n")
    lines = printed("calibrate", few, "--model", "scalability", "--noise", "0.02").splitlines()
    (two,) = (each.split() for each in lines if each.split()[:1] == ["2"])
    assert two[2] == "to"  # a range, as no value is known


# Refusals


def test_a_table_over_connections_names_the_model_for_it(table: Table) -> None:
    rates = table("connections,goodput_gbps\n1,1.02\n2,1.98\n4,3.4\n8,5.1\n")
    assert "for rates over connections choose --model auto" in refusal("calibrate", rates)
    refused = calibrated(rates, "--model", "auto")["refused"]["adapter"]
    assert refused.endswith("throughput_bps needs mtu_bytes, which is not given")
    cost = table("connections,cpu_us_per_gbit,side\n1,90,client\n2,80,client\n")
    assert "choose --model auto" not in refusal("calibrate", cost)
    assert "all but throughput: throughput_gbps" in refusal("calibrate", "wireguard-devices")
    assert "all but throughput: no column fits" in refusal("calibrate", "dpdk-single-core")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--noise", "0"), "--noise must be above 0"),
        (("--mtu", "1500"), "mtu_bytes is 9000, given is 1500"),
        (("--mtu", "1500", "--given", "mtu_bytes=9000"), "mtu_bytes is given as --mtu too"),
        (("--fix", "per_frame_s=0"), "no parameter 'per_frame_s'; there are in.per_frame_s"),
        (("-o", "card.toml"), "a record needs --model adapter and --line-rate"),
        (("-o", "no/such/card.toml", "--line-rate", "25G", "--noise", "0.02"), "cannot be written"),
    ],
)
def test_wrong_options_are_refused(table: Table, options: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", table(SEEN), *options)


def test_no_record_is_written_of_open_intervals(table: Table, tmp_path: Path) -> None:
    """At most so much bounds no time from above: such a record would predict anything."""
    card = tmp_path / "card.toml"
    source = table("mtu_bytes,throughput_gbps,relation,direction\n1500,13.4,at_most,in\n")
    with_noise = ("--line-rate", "25G", "--noise", "0.02", "-o", str(card))
    assert "no upper bound" in gate(source, *with_noise)
    assert "no record: " in gate(source, *with_noise[:2], "-o", str(card))
    assert not card.exists()


def runs(path: Path, frame_s: float) -> str:
    """Rates at two MTUs that scatter by 1 % about those of two service times."""
    rows = [
        f"in,{mtu},{(mtu - 52) * 0.008e-6 / (frame_s + 0.2e-9 * (mtu - 52)) * scatter:.5f}"
        for mtu in (1500, 4500)
        for scatter in (0.99, 1.01, 1.0)
    ]
    path.write_text("\n".join(["direction,mtu_bytes,throughput_gbps", *rows]), encoding="utf-8")
    return str(path)


def test_a_change_since_earlier_figures_has_an_interval_and_a_chance(tmp_path: Path) -> None:
    new, old = runs(tmp_path / "new.csv", 0.8e-6), runs(tmp_path / "old.csv", 0.5e-6)
    answer = calibrated(new, "--against", old)
    changes = answer["changes"]
    assert changes["in.per_frame_s"]["value"] == pytest.approx(0.3e-6, rel=0.05)
    assert changes["in.per_frame_s"]["p"] < 0.01 < 0.5 < changes["in.per_byte_s"]["p"]
    low, high = ends(changes["in.per_byte_s"])
    assert low < 0 < high
    first, same = (
        " ".join(printed("calibrate", each, "--against", old).split()) for each in (new, old)
    )
    assert first.startswith(f"{new} against {old}: in.per_frame_s is 60")
    assert "no parameter changed beyond chance" in same
    few = tmp_path / "few.csv"
    few.write_text(SEEN, encoding="utf-8")
    assert "no interval of a change: the run-to-run noise" in gate(new, "--against", str(few))
    bent = "in,1500,17.6\nin,1500,17.7\nin,3000,29.0\nin,3000,29.9\nin,6000,25.1\nin,6000,25.0"
    few.write_text(f"direction,mtu_bytes,throughput_gbps\n{bent}", encoding="utf-8")
    odd = " ".join(printed("calibrate", new, "--against", str(few)).split())
    assert f"of {few} the model does not hold (p = " in odd
    few.write_text(SEEN.rpartition("9000")[0], encoding="utf-8")
    known = ("--against", str(few), "--noise", "0.01")
    assert "--against compares fits of a model" in refusal("calibrate", new, *known)


def test_a_table_at_line_speed_but_for_one_row_is_refused_without_a_warning(table: Table) -> None:
    rows = "mtu_bytes,throughput_gbps\n1500,23.5\n3000,24.2\n4000,18.1\n9000,24.7\n"
    refused = gate(table(rows), "--line-rate", "25G")
    assert refused.startswith("Error: 1 figure that is no bound is too few for 2 parameters")
