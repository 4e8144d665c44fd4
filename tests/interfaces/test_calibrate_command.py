"""``netmodel calibrate``: numbers of the sources, records that predict reads, and refusals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invocation import printed, printed_json, refusal, run_netmodel, words

ADAPTER = ("--where", "workload=str-writex30k", "--line-rate", "25G", "--noise", "1e-9")
LIMITS = (
    "workload,direction,mtu_bytes,throughput_gbps,relation\nstr-writex30k,in,1500,13.4,\n"
    "str-writex30k,in,9000,24.7510512,censored_above\nother,in,1500,9,\n"
)
TABLES = "zvm-layer2-layer3"
HOST = (
    *(TABLES, "--model", "host", "--figures", "total_cpu_ms_per_mb"),
    *("--where", "layer=3,path=zvm-vswitch,connection_count=10"),
    *("--given", "response_bytes=20971520,request_bytes=20", "--fix", "per_message_s=0"),
)
SLOW_FRAME_S, FAST_FRAME_S = 1448 * 8 / 13.35e9, 1448 * 8 / 13.45e9
"""Of a full frame at MTU 1500, as 13.4 Gbit/s may have been rounded."""
LINE_FRAME_S = 9038 * 8 / 25e9
"""No more at MTU 9000, where the line was full."""
SEEN = "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n9000,24.2,in\n"
SCATTER = (
    "mtu_bytes,throughput_gbps,direction\n1500,13.4,in\n2000,15.51,in\n3000,18.05,in\n"
    "4000,19.92,in\n6000,21.57,in\n"
)

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


def file_fault(*arguments: str) -> str:
    result = run_netmodel("calibrate", *arguments)
    assert result.exit_code == 3, result.output
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


def test_conditions_that_are_misspelt_are_suggested(table: Table) -> None:
    for name in ("mtu_byte", "MTU_bytes"):
        assert "mtu_bytes may be meant" in (
            refusal("calibrate", table(SCATTER), "--where", f"{name}=1500")
        )
    unread = refusal("calibrate", table(SCATTER), "--given", "worklaod=str-writex30k")
    assert "'worklaod' changes nothing" in unread
    assert "workload may be meant" in unread


# Refusals


def test_contradictions_and_missing_conditions_fail_the_gate(table: Table) -> None:
    apart = "mtu_bytes,throughput_gbps,relation\n1500,13.4,\n1500,20,at_least\n"
    answer = gate(table(apart), "--noise", "0.01")
    assert "line 2, throughput_gbps; " in answer
    assert "line 3, throughput_gbps: cannot be true together" in answer
    assert "a noise of 1 % does not explain it" in answer
    repeats = calibrated(table("mtu_bytes,throughput_gbps\n1500,13.4\n1500,14.4\n"))
    assert repeats["noise_sd"] == pytest.approx(0.0509, rel=0.01)
    costs = table("transaction_rate_tps,cpu_us_per_transaction\n1000,55.9\n9000,34.9\n")
    curve = gate(costs, "--model", "coalescing")
    assert "2 observations with two ends are too few for 3 parameters" in curve


@pytest.mark.parametrize(
    ("content", "options", "problem"),
    [
        ("", (), "is empty"),
        ("mtu_bytes,throughput_gbps\n", (), "has no row"),
        (
            "mtu_bytes,throughput_gbps\n1500,fast\n",
            (),
            "line 2, column throughput_gbps: must be a number from 0",
        ),
        ("mtu_bytes,throughput_gbps\n1500,-3\n", (), "from 0 to 1e+18; got"),
        ("mtu_bytes,throughput_gbps\n1500\n", (), "line 2: has 1 cells; the header has 2"),
        ("mtu_bytes,speed\n1500,13.4\n", (), "line 1: no column is one of throughput_bps"),
        (SEEN, ("--model", "coalescing"), "no column is transaction_rate_tps"),
    ],
)
def test_files_that_cannot_be_read_are_refused(
    table: Table, content: str, options: tuple[str, ...], problem: str
) -> None:
    assert problem in file_fault(table(content), *options)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--noise", "0"), "--noise must be above 0"),
        (("--mtu", "1500"), "mtu_bytes is 9000, given is 1500"),
        (("--given", "response_byte=5"), "'response_byte' changes nothing"),
        (("--model", "linear"), "no model 'linear': choose one of adapter, host, "),
        (("--fix", "per_frame_s=0"), "no parameter 'per_frame_s'; there are in.per_frame_s"),
        (("--fix", "in.per_frame_s=-1"), "must be from 0 to inf; got -1"),
        (("--fix", "in.per_frame_s=0,in.per_byte_s=0"), "at least one parameter must be free"),
        (("--where", "mtu_bytes=1"), "no observation is left: mtu_bytes is 1500, 9000"),
        (("--figures", "throughput_gbps"), "--figures is for datasets"),
        (("-o", "card.toml"), "the record of an adapter needs --line-rate"),
        (("-o", "card.txt", "--line-rate", "25G"), "ends in .toml"),
        (
            ("-o", "no/such/card.toml", "--line-rate", "25G", "--noise", "0.02"),
            "cannot be written",
        ),
        (("-o", ".", "--line-rate", "25G"), "is a directory"),
    ],
)
def test_wrong_options_are_refused(table: Table, options: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", table(SEEN), *options)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((TABLES,), "choose --figures of one table among its columns connection_count, "),
        ((TABLES, "--figures", "speed"), "choose --figures of one table among its columns"),
        ((*HOST[:5], "--where", "layer=9"), "no row is left of layer is 3, 2"),
        (HOST[:5], "give request_bytes and response_bytes in place of the workload"),
        (
            ("osa-express9",),
            "'osa-express9' is not a file or directory, nor one of zvm-layer2-layer3",
        ),
    ],
)
def test_sources_that_do_not_fit_are_refused(arguments: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", *arguments)


def test_a_record_of_an_adapter_needs_a_direction(table: Table, tmp_path: Path) -> None:
    source = table(SCATTER.replace(",direction", "").replace(",in", ""))
    options = (source, "--line-rate", "25G", "-o", str(tmp_path / "card.toml"))
    assert (
        "direction: in (it receives) or out (it sends), as a column, or --given direction=in"
        in (words(refusal("calibrate", *options)))
    )
    printed("calibrate", *options, "--given", "direction=in")
    assert "[in]" in (tmp_path / "card.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            "1500,13.4,rx",
            "line 2, throughput_gbps: direction must be in (the adapter receives) or out",
        ),
        ("1500,13.4,in\n9000,24.2,", "line 3, throughput_gbps: no direction, which others have"),
    ],
)
def test_a_wrong_direction_names_its_row(table: Table, content: str, problem: str) -> None:
    source = table(f"mtu_bytes,throughput_gbps,direction\n{content}\n")
    assert problem in words(refusal("calibrate", source))


def test_no_record_is_written_of_open_intervals(table: Table, tmp_path: Path) -> None:
    """At most so much bounds no time from above: such a record would predict anything."""
    card = tmp_path / "card.toml"
    source = table("mtu_bytes,throughput_gbps,relation,direction\n1500,13.4,at_most,in\n")
    with_noise = ("--line-rate", "25G", "--noise", "0.02", "-o", str(card))
    assert "no upper bound" in gate(source, *with_noise)
    assert "open at one end" in gate(source, *with_noise[:2], "-o", str(card))
    assert not card.exists()


LAYER_2 = (*(TABLES, "--figures", "transaction_rate_tps"), "--where", "table=11,layer=2")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--model", "auto", "--fix", "fixed_s=0"), "are for one model; auto is none"),
        (("--model", "auto", "-o", "a.toml"), "a record is of --model adapter or host"),
    ],
)
def test_what_a_choice_refuses(options: tuple[str, ...], problem: str) -> None:
    assert problem in refusal("calibrate", *LAYER_2, *options)
