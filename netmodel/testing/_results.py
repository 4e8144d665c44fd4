"""Strategies of what was measured: runs of benchmarks and series of figures, and what is none."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from netmodel._numeric import require_one, require_whole
from netmodel.calibration import Observed
from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack, udp_stack
from netmodel.readers import Direction, Measurement
from netmodel.readers._document import LARGEST
from netmodel.records._figures import half_step
from netmodel.testing._frames import PLAIN_LINE_RATE_BPS, PLAIN_MTU_BYTES
from netmodel.units import BITS_PER_BYTE

_SHORTEST_S, _LONGEST_S = 10, 300
"""Of runs: long enough that ticks, buffers and the start weigh less than 5 %. [s]"""
_LEAST_EXCESS_RATIO, _MOST_EXCESS_RATIO = 1.1, 16.0
"""Over the ceiling, beyond every tolerance; bytes taken for bits, in both ends, are 8 times."""
_IP_HEADERS = {4: 28, 6: 48}
"""With UDP, by the version of IP. [byte]"""


# Runs


@st.composite
def _runs(
    draw: st.DrawFn,
    line_rate_bps: float,
    mtu_bytes: int,
    ratios: st.SearchStrategy[float],
    is_possible: bool,
) -> Measurement:
    protocol = draw(st.sampled_from(["tcp", "udp"]))
    ip_version = draw(st.sampled_from([4, 6]))
    duration_s = draw(st.integers(_SHORTEST_S, _LONGEST_S))
    if protocol == "tcp":
        # below what timestamps leave, or above what there is without them
        stack = tcp_stack(ip_version=ip_version, timestamps=is_possible)
        retransmit_count = draw(st.just(0) | st.integers(0, 1000))
        own: dict[str, Any] = {"retransmit_count": retransmit_count}
    else:
        stack = udp_stack(ip_version=ip_version)
        own = {"datagram_bytes": mtu_bytes - _IP_HEADERS[ip_version]}
    ceiling_bps = line_ceiling(line_rate_bps, mtu_bytes, stack).payload_rate_bps
    received_bytes = int(draw(ratios) * ceiling_bps * duration_s / BITS_PER_BYTE)
    if not is_possible:
        received_bytes += 1
    return Measurement(
        source="drawn.json",
        sha256="",
        tool="iperf3",
        direction=draw(st.sampled_from(Direction)),
        protocol=protocol,
        ip_version=ip_version,
        stream_count=draw(st.integers(1, 16)),
        duration_s=float(duration_s),
        received_bytes=received_bytes,
        goodput_bps=received_bytes * BITS_PER_BYTE / duration_s,
        **own,
    )


def measurements(
    line_rate_bps: float = PLAIN_LINE_RATE_BPS,
    mtu_bytes: int = PLAIN_MTU_BYTES,
    *,
    min_ratio: float = 0.01,
    max_ratio: float = 1.0,
) -> st.SearchStrategy[Measurement]:
    """
    Plausible runs over a line: goodputs that its headers leave room for.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet. [byte]
    min_ratio, max_ratio : float
        Smallest and largest goodput over the ceiling of the line, above 0 and at most 1.

    Returns
    -------
    measurements : hypothesis.strategies.SearchStrategy of Measurement
        Runs of TCP or UDP over IPv4 or IPv6 of 10 to 300 s. `netmodel.check` finds none of them
        impossible for this line. Shrinks to one TCP stream over IPv4 at the largest ratio.

    Raises
    ------
    DomainError
        If the ratios are not in order or not above 0 and at most 1, or there is no such line.

    See Also
    --------
    impossible_measurements : Runs that the line cannot have carried.

    Examples
    --------
    >>> import netmodel
    >>> from hypothesis import given, settings
    >>> @given(measurements(25e9, min_ratio=0.995))
    ... @settings(max_examples=10, deadline=None)
    ... def test_a_full_line_passes(run):
    ...     verdict, = netmodel.check(run, line_rate_bps=25e9, mtu_bytes=1500)
    ...     assert verdict.passes
    >>> test_a_full_line_passes()
    """
    min_ratio, max_ratio = require_one("min_ratio", min_ratio), require_one("max_ratio", max_ratio)
    if not 0 < min_ratio <= max_ratio <= 1:
        raise DomainError(
            f"ratios must be 0 < min_ratio <= max_ratio <= 1; got {min_ratio!r} and {max_ratio!r}"
        )
    _require_line(line_rate_bps, mtu_bytes)
    ratios = st.just(max_ratio) | st.floats(min_ratio, max_ratio)
    return _runs(line_rate_bps, mtu_bytes, ratios, True)


def impossible_measurements(
    line_rate_bps: float = PLAIN_LINE_RATE_BPS, mtu_bytes: int = PLAIN_MTU_BYTES
) -> st.SearchStrategy[Measurement]:
    """
    Runs that a line cannot have carried: goodputs of 1.1 to 16 times its ceiling.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet. [byte]

    Returns
    -------
    impossible_measurements : hypothesis.strategies.SearchStrategy of Measurement
        Otherwise as `measurements`. `netmodel.check` finds each impossible for this line. Shrinks
        to 1.1 times the ceiling.

    Raises
    ------
    DomainError
        If there is no such line.

    Examples
    --------
    >>> import netmodel
    >>> from hypothesis import given, settings
    >>> @given(impossible_measurements())
    ... @settings(max_examples=10, deadline=None)
    ... def test_no_line_carries_more_than_its_ceiling(run):
    ...     verdict, = netmodel.check(run, line_rate_bps=10e9, mtu_bytes=1500)
    ...     assert verdict.outcome.value == "impossible"
    >>> test_no_line_carries_more_than_its_ceiling()
    """
    _require_line(line_rate_bps, mtu_bytes)
    ratios = st.just(_LEAST_EXCESS_RATIO) | st.floats(_LEAST_EXCESS_RATIO, _MOST_EXCESS_RATIO)
    return _runs(line_rate_bps, mtu_bytes, ratios, False)


def _require_line(line_rate_bps: float, mtu_bytes: int) -> None:
    """Raise DomainError now, and not when something is drawn."""
    line_ceiling(line_rate_bps, mtu_bytes, tcp_stack(ip_version=6))


# Series

COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Powers of two, as most series over connections have them."""


@st.composite
def _series(
    draw: st.DrawFn,
    formula: Callable[[float], float],
    quantity: str,
    over: str,
    at: tuple[float, ...],
    noise_ratio: float,
    significant_digits: int | None,
    gap_count: int,
) -> tuple[Observed, ...]:
    gaps = draw(st.sets(st.sampled_from(range(len(at))), max_size=gap_count))
    series = []
    for place, value in enumerate(at):
        if place in gaps:
            continue
        # shrinks to no noise, whole per mille of it at first
        share = draw(st.just(0.0) | st.floats(-1, 1)) if noise_ratio else 0.0
        true = float(formula(value))
        figure = true * (1 + noise_ratio * share)
        seen = Observed(quantity=quantity, at={over: value}, low=figure, high=figure, value=figure)
        if significant_digits is not None:
            printed = Decimal(f"{figure:.{significant_digits - 1}e}")
            half = half_step(printed)
            low, high = float(printed - half), float(printed + half)
            seen = replace(seen, low=low, high=high, value=float(printed))
        series.append(seen)
    return tuple(series)


def series(
    formula: Callable[[float], float],
    *,
    quantity: str = "transaction_rate_tps",
    over: str = "connection_count",
    at: Iterable[float] = COUNTS,
    noise_ratio: float = 0.0,
    significant_digits: int | None = None,
    gap_count: int = 0,
) -> st.SearchStrategy[tuple[Observed, ...]]:
    """
    Series of figures as a model and its measurement make them: with noise, rounding and gaps.

    Parameters
    ----------
    formula : callable
        The model: from a number of what the series is over to the quantity, in base units.
    quantity : str
        The quantity, with its unit, as calibration has it.
    over : str
        The condition that changes along the series.
    at : iterable of float
        Its values.
    noise_ratio : float
        Largest deviation of a figure from the model, relative to it; 0 for none. Each figure has
        its own.
    significant_digits : int, optional
        Digits that figures are rounded to: :class:`~netmodel.calibration.Observed` then has the
        interval of the rounding. Exact when left out.
    gap_count : int
        Most figures that may be missing; at least two stay.

    Returns
    -------
    series : hypothesis.strategies.SearchStrategy of tuple of Observed
        For `netmodel.calibrate`. Shrinks to all figures without noise.

    Raises
    ------
    DomainError
        If less than two figures would stay, the noise is not from 0 to below 1, or no digit is
        wanted.

    Examples
    --------
    >>> import netmodel
    >>> from hypothesis import given, settings
    >>> from netmodel.concurrency import scalability_rate_tps
    >>> @given(series(lambda n: scalability_rate_tps(n, 1000, 0.05, 0), gap_count=2))
    ... @settings(max_examples=2, deadline=None)
    ... def test_gaps_do_not_change_the_fit(figures):
    ...     fit = netmodel.calibrate(figures, model="scalability")
    ...     assert abs(fit.values["alone_s"] - 1e-3) < 1e-9
    >>> test_gaps_do_not_change_the_fit()
    """
    values = tuple(at)
    noise_ratio, gap_count = (
        require_one("noise_ratio", noise_ratio),
        require_whole("gap_count", gap_count),
    )
    if significant_digits is not None:
        significant_digits = require_whole("significant_digits", significant_digits)
    if gap_count < 0 or len(values) - gap_count < 2:
        raise DomainError(
            f"a series needs two figures at least; got {len(values)} with up to {gap_count} gaps"
        )
    if not 0 <= noise_ratio < 1:
        raise DomainError(f"noise_ratio must be at least 0 and below 1; got {noise_ratio!r}")
    if significant_digits is not None and significant_digits < 1:
        raise DomainError(f"significant_digits must be at least 1; got {significant_digits!r}")
    return _series(formula, quantity, over, values, noise_ratio, significant_digits, gap_count)


# What is none


def invalid_measurements() -> st.SearchStrategy[Measurement]:
    """
    Runs with one figure that no run can have: negative, infinite, no number, beyond 1e18.

    Returns
    -------
    invalid_measurements : hypothesis.strategies.SearchStrategy of Measurement
        `netmodel.judging.check` refuses each with `DomainError`. Among files, such a run counts
        as unreadable.

    Examples
    --------
    >>> from netmodel.judging import SpecifiedLine, check
    >>> from netmodel.testing import assert_refuses
    >>> line = SpecifiedLine(10e9, mtu_bytes=1500)
    >>> assert_refuses(check, measurement=invalid_measurements(), line=line)
    """
    names = st.sampled_from(
        ["goodput_bps", "duration_s", "received_bytes", "round_trip_s", "offered_rate_bps"]
    )
    wrong = st.one_of(
        st.sampled_from([-1.0, math.inf, math.nan, 2 * LARGEST]),
        st.floats(max_value=0, exclude_max=True, allow_nan=False),
        st.floats(min_value=LARGEST, exclude_min=True),
    )
    return st.builds(
        lambda run, name, figure: replace(run, **{name: figure}), _usual_runs, names, wrong
    )


_usual_runs = measurements()


def invalid_series() -> st.SearchStrategy[dict[str, Any]]:
    """
    Arguments that make no figure of a series: ends below 0 or in the wrong order, no weight.

    Returns
    -------
    invalid_series : hypothesis.strategies.SearchStrategy of dict
        Keyword arguments, of which one is wrong: :class:`~netmodel.calibration.Observed` refuses
        each set with `DomainError`.

    Examples
    --------
    >>> from netmodel.calibration import Observed
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(lambda arguments: Observed(**arguments), arguments=invalid_series())
    """
    valid = {"quantity": "transaction_rate_tps", "at": {"connection_count": 1}}
    negative = st.floats(max_value=0, exclude_max=True)
    return st.one_of(
        negative.map(lambda low: {"low": low, "high": 1.0}),
        st.floats(1, 1e12).map(lambda low: {"low": 2 * low, "high": low}),
        st.sampled_from([{"low": math.inf, "high": math.inf}, {"low": math.nan, "high": 1.0}]),
        st.sampled_from([0.0, -1.0, math.inf, math.nan]).map(
            lambda weight: {"low": 1.0, "high": 1.0, "weight": weight}
        ),
    ).map(lambda wrong: valid | wrong)
