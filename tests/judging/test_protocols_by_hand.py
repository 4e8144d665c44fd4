"""Comparisons of protocols over distance that a test makes, each verdict with its margin."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest
from made_statements import statement_with

from netmodel.judging import _protocol_verdicts
from netmodel.judging._evidence import _repeated
from netmodel.judging._protocol_verdicts import (
    ProtocolEvidence,
    ProtocolVerdict,
    protocol_verdicts,
    stream_windows,
)
from netmodel.records import Grade, Relation, Statement
from netmodel.records._subjects import Change, Configuration, QuantityKind

EXPLAINED, NOT_EXPLAINED, CONTRADICTS = ProtocolVerdict
ROUND_TRIP_S = 2 * 1.4682 / 299_792.458
"""Of a kilometre of fibre."""
LINE_BPS = 10e9 * 1024 / 1118
"""RoCEv1 frames of 1024 byte on 10 Gbit/s."""


def made(name: str = "mine", **fields: Any) -> Statement:
    """A latency that is 20 % lower with SMC-R, of streams that no record was made from."""
    usual = {
        "id": name,
        "quantity": QuantityKind.LATENCY,
        "subject": Configuration(transport="smcr", workload="smc-str-20m", distance_km=30),
        "baseline": Configuration(transport="tcp"),
        "change": Change.LESS,
        "value": Decimal(20),
        "unit": "%",
        "source": "own",
        "grade": Grade.MEASURED,
    }
    return statement_with(usual, **fields)


@contextmanager
def printed(*known: Statement) -> Iterator[None]:
    with (
        patch.object(_protocol_verdicts, "statements", lambda *_: known),
        patch.object(_repeated, "statements", lambda *_: known),
    ):
        yield


def verdicts(*known: Statement) -> dict[str, ProtocolEvidence]:
    with printed(*known):
        return {each.statement.id: each for each in protocol_verdicts("own")}


def throughput(name: str, percent: str, km: int = 30, **fields: Any) -> Statement:
    subject = Configuration(transport="smcr", workload="smc-str-20m", distance_km=km)
    figures = {"change": Change.MORE, "value": Decimal(percent), "subject": subject}
    return made(name, quantity=QuantityKind.THROUGHPUT, **figures | fields)


def test_two_figures_of_one_case_that_do_not_meet_contradict() -> None:
    """25 % less time, 0.745 or more, and 40 % more data, 1 / 1.395 = 0.7168 or less."""
    known = (made("time", value=Decimal(25)), throughput("data", "40"))
    rows = verdicts(*known)
    apart = 0.745 * 1.395 - 1
    for name, other in (("time", "data"), ("data", "time")):
        row = rows[name]
        assert row.verdict is CONTRADICTS
        assert row.computed == (
            "time ratio at least 0.745 by one figure, at most 0.7168 by the other"
        )
        assert row.margin == "3.9 % apart"
        assert row.reason == f"reached in the same runs, it excludes {other}"
        assert row.margin_percent == pytest.approx(-100 * apart)
    near = verdicts(known[0], throughput("data", "34"))
    assert {row.verdict for row in near.values()} == {NOT_EXPLAINED}


@pytest.mark.parametrize(
    ("other", "contradicts"),
    [
        ({"distance_km": 40}, False),
        ({"workload": "smc-rr-1k"}, False),
        ({"transport": "tcp"}, False),
        ({}, True),
    ],
    ids=str,
)
def test_only_figures_of_the_same_case_contradict(other: dict[str, Any], contradicts: bool) -> None:
    subject = Configuration(transport="smcr", workload="smc-str-20m", distance_km=30)
    data = throughput("data", "60", subject=subject.model_copy(update=other))
    assert (verdicts(made(), data)["mine"].verdict is CONTRADICTS) is contradicts


@pytest.mark.parametrize("quantity", [QuantityKind.CPU_CONSUMPTION, QuantityKind.CPU_EFFICIENCY])
def test_cpu_cost_does_not_depend_on_distance(quantity: QuantityKind) -> None:
    near = {"quantity": quantity, "baseline": Configuration(distance_km=0)}
    compared = made("pair", quantity=quantity, change=Change.SAME, **SIGN)
    same = made("same", change=Change.SAME, **near, **SIGN)
    less = made("less", **near)
    rows = verdicts(compared, same, less)
    assert (rows["same"].verdict, rows["less"].verdict) == (EXPLAINED, NOT_EXPLAINED)
    assert (rows["same"].margin, rows["less"].margin) == ("5 points", "")
    assert (rows["same"].margin_percent, rows["less"].margin_percent) == (5, None)
    for name in ("same", "less"):
        row = rows[name]
        assert (row.computed, row.low, row.high) == ("0 %", 0, 0)
        assert row.reason.startswith("messages, frames and bytes, which take CPU time, are the")


SIGN: dict[str, Any] = {"relation": Relation.SIGN, "value": None, "unit": None}


def ratio(low: str, high: str) -> dict[str, Any]:
    return {"rule": "range", "low": Decimal(low), "high": Decimal(high)}


@pytest.mark.parametrize(
    ("fields", "computed", "verdict", "margin", "percent"),
    [
        # 20 % less against 15 to 27 % less
        ({}, ratio("0.73", "0.85"), EXPLAINED, "5 points inside", 5),
        ({"value": Decimal(25)}, ratio("0.73", "0.85"), EXPLAINED, "2 points inside", 2),
        ({"value": Decimal(12)}, ratio("0.73", "0.85"), NOT_EXPLAINED, "3 points outside", -3),
        ({"value": Decimal(30)}, ratio("0.73", "0.85"), NOT_EXPLAINED, "3 points outside", -3),
        (
            {},
            ratio("0.73", "0.797"),
            *(EXPLAINED, "0.3 points outside, within its rounding", -0.3),
        ),
        # words: the end nearer to no change
        (SIGN, ratio("0.73", "0.85"), EXPLAINED, "15 points", 15),
        (SIGN, ratio("0.73", "1.05"), NOT_EXPLAINED, "-5 points", -5),
        (SIGN, ratio("0.73", "1"), EXPLAINED, "reaches no change", 0),
        ({"change": Change.MORE} | SIGN, ratio("1.1", "1.2"), EXPLAINED, "10 points", 10),
        ({"change": Change.MORE} | SIGN, ratio("0.95", "1.2"), NOT_EXPLAINED, "-5 points", -5),
    ],
)
def test_a_figure_or_a_word_stands_to_what_is_computed(
    fields: dict[str, Any],
    computed: dict[str, Any],
    verdict: ProtocolVerdict,
    margin: str,
    percent: float,
) -> None:
    requests = Configuration(transport="smcr", workload="smc-rr-1k")
    about = made(**{"subject": requests, "computed": computed} | fields)
    row = verdicts(about)["mine"]
    assert (row.verdict, row.margin) == (verdict, margin)
    assert row.margin_percent == pytest.approx(percent)
    low, high = (100 * (float(computed[end]) - 1) for end in ("low", "high"))
    ends = (low, high) if "relation" in fields else (-high, -low)
    assert (row.low, row.high) == pytest.approx(ends)
    assert row.computed == f"{row.low:.4g} to {row.high:.4g} %"


def test_what_nothing_computes_says_why() -> None:
    requests = Configuration(transport="smcr", workload="smc-rr-1k")
    row = verdicts(made(subject=requests, not_modelled="needs: a model"))["mine"]
    assert (row.verdict, row.reason) == (NOT_EXPLAINED, "needs: a model")
    assert (row.computed, row.margin, row.low, row.margin_percent) == ("", "", None, None)


# Windows of streams


NEAR_AND_FAR = (throughput("near", "100", 10), throughput("far", "300.2", 100))


def test_a_gain_that_grows_with_distance_has_windows() -> None:
    """Twice at 10 km, 1.995 to 2.005, and 4.002 times at 100 km, 4.0015 to 4.0025."""
    with printed(*NEAR_AND_FAR):
        found = stream_windows("smc-str-20m")
    assert found is not None
    assert (found.baseline, found.compared) == ("tcp", "smc-r")
    window = LINE_BPS / 4.0015 * 100 * ROUND_TRIP_S / 8
    assert found.high_window_bytes == pytest.approx(window, rel=1e-4)
    assert (found.low_ratio, found.high_ratio) == pytest.approx((4.0015, 4.0025))
    assert found.near_low_ratio == pytest.approx(4.0015 / 2.005)
    assert found.near_high_bps == pytest.approx(LINE_BPS / 1.995, rel=1e-4)
    assert found.endpoint_ratio == pytest.approx(1 / 2.005)
    assert found.misfit_ratio == pytest.approx(4.0015 / 2.005)
    assert found.text == (
        f"tcp window of at most {window / 1e3:.3g} kB, smc-r 4 times as much in flight"
    )
    row = verdicts(*NEAR_AND_FAR)["near"]
    assert (row.verdict, row.computed, row.windows) == (EXPLAINED, found.text, found)
    assert row.margin == "endpoint times miss by a factor of 2"
    shown = row.to_dict()["windows"]
    assert shown == found.to_dict()
    assert shown["low_ratio"] == found.low_ratio


def test_windows_rest_on_the_nearest_and_the_farthest_case() -> None:
    """And on its throughput, where a bound of its time is printed too."""
    between = throughput("between", "200", 50)
    loose = made(
        "loose",
        subject=Configuration(transport="smcr", workload="smc-str-20m", distance_km=100),
        value=Decimal(70),
        relation=Relation.AT_LEAST,
    )
    with printed(*NEAR_AND_FAR):
        plain = stream_windows("smc-str-20m")
    with printed(between, loose, *NEAR_AND_FAR[::-1]):
        assert stream_windows("smc-str-20m") == plain


@pytest.mark.parametrize(
    "known",
    [
        (throughput("near", "100", 10), throughput("far", "100", 100)),
        (throughput("near", "300", 10), throughput("far", "100", 100)),
        (throughput("near", "100", 10),),
    ],
    ids=["the same", "fades", "one distance"],
)
def test_a_gain_that_does_not_grow_has_none(known: tuple[Statement, ...]) -> None:
    with printed(*known):
        assert stream_windows("smc-str-20m") is None
    row = verdicts(*known)["near"]
    assert row.verdict is NOT_EXPLAINED
    assert row.reason == "needs figures at two distances to separate windows from endpoint times"
