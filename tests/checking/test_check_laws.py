"""What holds for the verdict on every run."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import run

from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, check
from netmodel.readers import Measurement

GATE = Gate(0.95)
ORDER = [Outcome.BELOW, Outcome.AT_CEILING, Outcome.IMPOSSIBLE]

rates_bps = st.floats(1e6, 1e12)
lines = st.builds(
    SpecifiedLine, rates_bps, mtu_bytes=st.integers(1280, 65535), vlan_tags=st.integers(0, 2)
)
lines_of_tcp = st.builds(
    dataclasses.replace, lines, timestamps=st.sampled_from([None, True, False])
)
tcp_runs = st.builds(
    run,
    rates_bps,
    ip_version=st.sampled_from([4, 6]),
    segment_bytes=st.none() | st.integers(1, 65000),
    requested_mss_bytes=st.none() | st.integers(13, 65000),
    duration_s=st.none() | st.floats(0.1, 100),
)
udp_runs = st.builds(run, rates_bps, protocol=st.just("udp"), datagram_bytes=st.integers(1, 65000))
cases = st.tuples(tcp_runs, lines_of_tcp) | st.tuples(udp_runs, lines)

Case = tuple[Measurement, SpecifiedLine]


@given(cases, st.integers(-20, 19))  # 2^20 times 1e12 bit/s is more than check accepts
def test_only_the_ratio_counts(case: Case, power: int) -> None:
    (measured, line), factor = case, 2.0**power
    measured = dataclasses.replace(measured, duration_s=None)  # bytes in flight have a share of it
    verdict = check(measured, line, GATE)
    scaled = check(
        dataclasses.replace(measured, goodput_bps=measured.goodput_bps * factor),
        dataclasses.replace(line, line_rate_bps=line.line_rate_bps * factor),
        GATE,
    )
    assert (scaled.outcome, scaled.ratio) == (verdict.outcome, verdict.ratio)


@given(cases, st.floats(1, 1000))
def test_more_goodput_never_lowers_the_outcome(case: Case, factor: float) -> None:
    measured, line = case
    more = dataclasses.replace(measured, goodput_bps=measured.goodput_bps * factor)
    before, after = check(measured, line), check(more, line)
    assert rank(after) >= rank(before)


def rank(verdict: Verdict) -> float:
    """Place of an outcome; a run that does not decide lies beside those at the ceiling."""
    if verdict.outcome is Outcome.LIMITED:
        return float(verdict.ratio >= verdict.tolerance.min_ratio)
    if verdict.outcome in (Outcome.NOT_JUDGEABLE, Outcome.BORDERLINE):
        return ORDER.index(Outcome.AT_CEILING) + (0.5 if verdict.ratio > 1 else -0.5)
    return ORDER.index(verdict.outcome)


@given(cases, st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_wider_gate_never_hurts(case: Case, min_ratio: float, share: float) -> None:
    verdict = check(*case, Gate(min_ratio))
    wider = check(*case, Gate(min_ratio * share)).outcome
    explained = {Outcome.LIMITED, Outcome.NOT_JUDGEABLE, Outcome.BORDERLINE}
    assert wider in {verdict.outcome, Outcome.AT_CEILING} | explained
    assert wider is Outcome.AT_CEILING or not verdict.passes


@given(cases)
def test_the_binding_limit_is_the_smallest_and_the_wire_is_always_one(case: Case) -> None:
    result = check(*case).to_dict()
    assert result["limits"][0]["name"] == "wire"
    specified = [limit for limit in result["limits"] if limit["specified"]]
    assert result["ceiling_bps"] == min(limit["value_bps"] for limit in specified)
    assert result["ceiling_bps"] < case[1].line_rate_bps
    smallest_margin = min(limit["margin_ratio"] for limit in specified)
    assert smallest_margin == pytest.approx(1 - result["ratio"], rel=1e-9)
