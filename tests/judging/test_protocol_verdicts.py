"""Published comparisons of protocols over distance: verdicts, computed again by hand."""

from collections import Counter
from pathlib import Path

import pytest

from netmodel.judging._protocol_verdicts import (
    ProtocolVerdict,
    protocol_verdicts,
    stream_windows,
)
from netmodel.records import register_data, statements, unregister_data

ROWS = {row.statement.id: row for row in protocol_verdicts("smcr-distance")}
FAR_S = 2 * 100 * 1.4682 / 299_792.458
EXPLAINED, NOT_EXPLAINED, CONTRADICTS = ProtocolVerdict


def test_every_comparison_of_the_document_has_a_verdict() -> None:
    compared = [each.id for each in statements("smcr-distance") if each.baseline is not None]
    assert list(ROWS) == compared
    assert len(ROWS) == 36
    assert Counter(row.verdict for row in ROWS.values()) == {
        EXPLAINED: 26,
        NOT_EXPLAINED: 6,
        CONTRADICTS: 4,
    }
    assert all(row.reason for row in ROWS.values())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        # 25 % less: 0.745 or more; 35 % more: 1 / 1.345 or less
        ("smcr-summary-100km-rr-32k-latency", "0.2 % apart"),
        ("smcr-summary-100km-rr-32k-throughput", "0.2 % apart"),
        # over 80 % less: 0.2 or less; 394 % more: 1 / 4.945 or more
        ("smcr-summary-100km-str-latency", "1.1 % apart"),
        ("smcr-summary-100km-str-throughput", "1.1 % apart"),
    ],
)
def test_pairs_that_cannot_both_hold_contradict(name: str, words: str) -> None:
    assert (ROWS[name].verdict, ROWS[name].margin) == (CONTRADICTS, words)
    assert [100 * (0.745 * 1.345 - 1), 100 * (1 / 4.945 / 0.2 - 1)] == pytest.approx(
        [0.2025, 1.1122], abs=1e-3
    )


def test_gains_are_predicted_without_their_own_case() -> None:
    """
    1 KiB at 100 km: 46.5 % less at 10 km with no more than the wire at the ends of SMC-R.

    TCP then takes (2.04 + 97.95) / 0.535 = 186.9 us at 10 km, 86.9 us more than SMC-R, of
    1168 us with 100 us of equipment: 7.4 %; what 32 KiB leave is a little narrower.
    """
    row = ROWS["smcr-summary-100km-rr-1k-latency"]
    assert (row.verdict, row.computed) == (EXPLAINED, "7.65 to 15.8 %")
    assert row.margin == "1.3 points inside"  # 9 is 1.35 above 7.65
    assert row.low > 100 * 86.9 / 1168


def test_the_margin_is_the_distance_from_the_nearer_end() -> None:
    judged = [row for row in ROWS.values() if " points " in row.margin and row.statement.value]
    assert len(judged) > 5
    for row in judged:
        figure = float(row.statement.value)
        assert row.margin_percent == pytest.approx(min(figure - row.low, row.high - figure))


def test_the_ends_of_a_computed_range_are_those_that_are_shown() -> None:
    shown = [row for row in ROWS.values() if row.computed.endswith(" %") and " to " in row.computed]
    assert len(shown) > 5
    for row in shown:
        low, _, high = row.computed.removesuffix(" %").partition(" to ")
        assert (row.low, row.high) == pytest.approx((float(low), float(high)), rel=0.01, abs=0.01)


def test_what_is_left_of_a_gain_is_a_ratio_of_times_with_tcp() -> None:
    """1 KiB takes TCP 96 to 154 us at the ends, and the fibre 98 and 979 us."""
    row = ROWS["smcr-rr-1k-100km-latency-words"]
    left = [(end + FAR_S / 10 * 1e6) / (end + FAR_S * 1e6) for end in (95.8, 154.1)]
    assert [row.low, row.high] == pytest.approx([100 * (each - 1) for each in left], abs=0.02)
    assert row.verdict is EXPLAINED
    # "lower" in words: the margin is that of the end nearer to no change, 100 % less 22.23
    assert row.margin == "77.8 points"


def test_json_has_the_place_and_the_range_of_a_comparison() -> None:
    row = ROWS["smcr-summary-100km-rr-1k-latency"]
    assert row.to_dict() == {
        "id": "smcr-summary-100km-rr-1k-latency",
        "document": "smcr-distance",
        "locator": row.statement.locator,
        "printed": "latency up to 9 % lower",
        "verdict": "explained",
        "computed": "7.65 to 15.8 %",
        "margin": "1.3 points inside",
        "reason": row.reason,
        "low_percent": row.low,
        "high_percent": row.high,
        "margin_percent": row.margin_percent,
        "windows": None,
    }


def test_what_no_model_covers_is_not_explained() -> None:
    names = {name for name, row in ROWS.items() if row.verdict is NOT_EXPLAINED}
    assert names == {
        "smcr-distance-cascaded",
        "smcr-distance-initial-tests",
        *(f"smcr-{each}-cpu-benefit-better" for each in ("rr-32k", "str1", "str3")),
        "smcr-summary2-use-cpu",
    }


def test_windows_explain_a_gain_that_grows_with_distance() -> None:
    """SMC-R on 10 Gbit/s of RoCEv1 frames of 1024 byte, 1118 on the wire, at 4.935 times TCP."""
    windows = stream_windows("smc-str-20m")
    assert windows is not None
    line_bps = 10e9 * 1024 / 1118
    assert windows.high_window_bytes == pytest.approx(line_bps / 4.935 * FAR_S / 8, rel=1e-4)
    assert (windows.low_ratio, windows.high_ratio) == pytest.approx((4.935, 4.945))
    assert windows.near_low_ratio == pytest.approx(4.935 / 2.505)
    assert windows.near_high_bps == pytest.approx(line_bps / 2.495, rel=1e-4)
    assert windows.misfit_ratio == pytest.approx((1 / 2.505) / (1 / 4.935))


def test_gains_that_fade_or_are_of_one_distance_need_no_window() -> None:
    assert stream_windows("smc-rr-1k") is None
    assert stream_windows("str-writex30k") is None


@pytest.mark.parametrize(("percent", "verdict"), [(16, EXPLAINED), (40, NOT_EXPLAINED)])
def test_own_statements_are_judged_the_same(
    tmp_path: Path, percent: int, verdict: ProtocolVerdict
) -> None:
    """A third distance that fits, and one that does not."""
    (tmp_path / "statements").mkdir()
    (tmp_path / "documents.toml").write_text('[own]\ntitle = "Own"\nauthor = "me"\nyear = 2026\n')
    block = f"""
[[statements]]
id = "own-{percent}"
locator = "page 1"
wording = "less latency at 50 km"
quantity = "latency"
subject = {{ transport = "smcr", workload = "smc-rr-1k", distance_km = 50 }}
baseline = {{ transport = "tcp" }}
change = "less"
value = {percent}
unit = "%"
computed = {{ rule = "transports" }}
"""
    text = '[defaults]\nsource = "own"\ngrade = "measured"\n' + block
    (tmp_path / "statements" / "own.toml").write_text(text)
    register_data(tmp_path)
    try:
        (row,) = protocol_verdicts("own")
    finally:
        unregister_data(tmp_path)
    assert row.verdict is verdict
    assert row.margin.endswith("inside" if verdict is EXPLAINED else "outside")
