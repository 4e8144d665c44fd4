"""What passes: only a run that reaches a limit which the user specified, of any tool."""

from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from runs import having, run

from netmodel.ceilings import payload_rate_bps
from netmodel.checking import Gate, Outcome, SpecifiedLine, check
from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Direction, Measurement, read_result

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
SURE_RATIO = 0.95
"""No derived tolerance passes what is further below its limit."""
TIMESTAMPS = {"timestamps": True, "ip_version": 4}

line_rates_bps = st.sampled_from([100e6, 1e9, 10e9, 25e9, 100e9]) | st.floats(1e7, 1e12)
mtus_bytes = st.sampled_from([576, 1280, 1500, 4000, 9000, 9216]) | st.integers(576, 9216)
cpu_uses = st.builds(
    CpuUse,
    st.floats(0.01, 64),
    st.floats(1e6, 1e11),
    st.sampled_from(["process", "system"]),
    st.sampled_from(Side),
    st.none() | st.integers(1, 64),
)
reported = st.fixed_dictionaries(
    {},
    optional={
        "offered_rate_bps": st.floats(1e5, 1e12),
        "peer_window_bytes": st.integers(1, 10**9),
        "congestion_window_bytes": st.integers(1, 10**9),
        "socket_buffer_bytes": st.integers(1, 10**9),
        "round_trip_s": st.floats(1e-6, 1),
        "least_round_trip_s": st.floats(1e-6, 1),
        "segment_bytes": st.integers(100, 9164),
        "requested_mss_bytes": st.integers(100, 9164),
        "path_mtu_bytes": st.integers(576, 9216),
        "retransmit_count": st.integers(0, 10**6),
        "duration_s": st.floats(0.1, 1e4),
        "stream_count": st.integers(1, 64),
        "is_at_sender": st.booleans(),
        "is_bidirectional": st.booleans(),
        "leaves_out_start": st.booleans(),
        "is_lower_bound": st.booleans(),
        "cpu": st.lists(cpu_uses, max_size=2).map(tuple),
        "direction": st.sampled_from(Direction),
        "tool_version": st.sampled_from(["3.1", "3.12", "3.16", "x"]),
    },
)


@cache
def sample_runs() -> list[Measurement]:
    """Every run that a sample of any reader holds and whose goodput is known."""
    result = []
    for path in sorted(SAMPLES.glob("*/*.*")):
        try:
            result += [each for each in read_result(path) if each.goodput_bps]
        except ParseError:
            continue
    return [having(each, raw_text="") for each in result]


@given(line_rates_bps, mtus_bytes, st.floats(1e-3, SURE_RATIO - 1e-9), reported)
def test_nothing_that_a_run_reports_of_itself_makes_it_pass(
    line_rate_bps: float, mtu_bytes: int, share: float, reported_values: dict[str, Any]
) -> None:
    goodput_bps = share * payload_rate_bps(line_rate_bps, mtu_bytes)
    specified = SpecifiedLine(line_rate_bps, mtu_bytes, **TIMESTAMPS)
    verdict = check(run(goodput_bps, **reported_values), specified)
    assert not verdict.passes
    possible = {Outcome.BELOW, Outcome.LIMITED, Outcome.BORDERLINE, Outcome.NOT_JUDGEABLE}
    uses = reported_values.get("cpu", ())
    if any(use.busy_cpu_count > (use.installed_cpu_count or inf) for use in uses):
        possible.add(Outcome.IMPOSSIBLE)
    assert verdict.outcome in possible


@given(st.data(), line_rates_bps, st.floats(1e-3, SURE_RATIO - 1e-9))
def test_no_run_of_any_tool_passes_at_a_part_of_its_line(
    data: st.DataObject, line_rate_bps: float, share: float
) -> None:
    """At most a fraction of what the smallest packets leave, whatever the MTU is taken to be."""
    sample = data.draw(st.sampled_from(sample_runs()))
    specified = SpecifiedLine(line_rate_bps, 1500, message_bytes=sample.traffic.datagram_bytes)
    limits = check(sample, specified).limits
    assume(limits is not None)
    smallest_bps = limits.bounds_bps[0]
    slower = having(sample, goodput_bps=share * smallest_bps, received_bytes=None)
    assert not check(slower, specified).passes


@given(line_rates_bps, mtus_bytes, st.floats(0.2, 5), st.floats(1, 1e4), st.booleans())
def test_a_run_at_its_true_ceiling_passes_on_no_other_line(
    line_rate_bps: float, mtu_bytes: int, factor: float, duration_s: float, has_mtu: bool
) -> None:
    """Whether the MTU is specified, or the segment size that the run reports sets the ceiling."""
    sizes = {"segment_bytes": mtu_bytes - 52, "duration_s": duration_s, "retransmit_count": 0}
    full = run(float(payload_rate_bps(line_rate_bps, mtu_bytes)), **sizes)
    given_mtu = mtu_bytes if has_mtu else None
    right = check(full, SpecifiedLine(line_rate_bps, given_mtu, **TIMESTAMPS))
    assert right.outcome is Outcome.AT_CEILING
    wrong = check(full, SpecifiedLine(factor * line_rate_bps, given_mtu, **TIMESTAMPS))
    allowed = wrong.tolerance
    assert allowed is not None
    if not allowed.min_ratio <= 1 / factor <= allowed.max_ratio:
        assert not wrong.passes


@given(line_rates_bps, mtus_bytes, mtus_bytes, st.floats(1, 1e4), st.booleans())
def test_a_wrong_mtu_passes_only_where_it_hardly_matters_and_least_with_a_segment_size(
    line_rate_bps: float, true_bytes: int, wrong_bytes: int, duration_s: float, has_size: bool
) -> None:
    assume(true_bytes != wrong_bytes)
    sizes = {"segment_bytes": true_bytes - 52} if has_size else {}
    message = {"duration_s": duration_s, "retransmit_count": 0, **sizes}
    full_bps, wrong_bps = (
        float(payload_rate_bps(line_rate_bps, mtu)) for mtu in (true_bytes, wrong_bytes)
    )
    verdict = check(
        run(full_bps, **message), SpecifiedLine(line_rate_bps, wrong_bytes, **TIMESTAMPS)
    )
    if verdict.passes:
        allowed = verdict.tolerance
        assert allowed is not None
        least_ratio = allowed.floor_ratio if has_size else allowed.min_ratio
        assert least_ratio <= full_bps / wrong_bps <= allowed.max_ratio


@given(line_rates_bps, mtus_bytes, st.floats(0.01, 0.9), reported)
def test_what_is_accepted_passes_by_its_name_alone(
    line_rate_bps: float, mtu_bytes: int, share: float, reported_values: dict[str, Any]
) -> None:
    goodput_bps = share * payload_rate_bps(line_rate_bps, mtu_bytes)
    specified = SpecifiedLine(line_rate_bps, mtu_bytes, **TIMESTAMPS)
    verdict = check(run(goodput_bps, **reported_values), specified)
    names = frozenset({"window", "offered_rate"})
    accepted = check(run(goodput_bps, **reported_values), specified, Gate(accepted=names))
    assert accepted.outcome is verdict.outcome
    assert accepted.passes == (verdict.outcome is Outcome.LIMITED and verdict.binding.name in names)
