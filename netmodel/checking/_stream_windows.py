"""Windows that explain how the published gain of a stream grows with distance."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from netmodel._display import fields_repr
from netmodel._html import plain_html
from netmodel.calibration._transports import reached_time_ratio
from netmodel.framing import parse_stack
from netmodel.records import Statement, adapter, statements, workload
from netmodel.records._subjects import QuantityKind
from netmodel.records._transports import TransportRecord, transport_records
from netmodel.transport import propagation_round_trip_s
from netmodel.units import format_size
from netmodel.units._prefixes import BITS_PER_BYTE, KILO

_DIGITS = 3
"""Of a margin: figures have two or three."""


@dataclass(frozen=True, slots=True)
class StreamWindows:
    """
    Windows that explain how the gain of a stream grows with distance.

    Parameters
    ----------
    baseline, compared : str
        Both protocols.
    high_window_bytes : float
        Largest window of the baseline: with a larger one the other protocol would exceed its line.
    low_ratio, high_ratio : float
        What the other protocol has in flight, over that window, at the greater distance.
    near_low_ratio : float
        Smallest rate of the baseline at the smaller distance, over that at the greater one.
    near_high_bps : float
        Its largest rate there: the other protocol then fills its line.
    endpoint_ratio : float
        Smallest time ratio that constant endpoint times allow at the greater distance.
    misfit_ratio : float
        That over the printed ratio.

    Examples
    --------
    >>> from netmodel.checking import stream_windows
    >>> round(stream_windows("smc-str-20m").low_ratio, 3)
    4.935
    """

    baseline: str
    compared: str
    high_window_bytes: float
    low_ratio: float
    high_ratio: float
    near_low_ratio: float
    near_high_bps: float
    endpoint_ratio: float
    misfit_ratio: float

    __repr__ = fields_repr

    def _repr_html_(self) -> str:
        return plain_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return asdict(self)

    @property
    def text(self) -> str:
        """The windows, in a line."""
        return (
            f"{self.baseline} window of at most {format_size(self.high_window_bytes, _DIGITS)}, "
            f"{self.compared} {self.low_ratio:.{_DIGITS}g} times as much in flight"
        )


class _Case(NamedTuple):
    """Figures of one workload over one distance."""

    distance_km: Decimal
    figures: tuple[Statement, ...]

    @property
    def ratios(self) -> list[tuple[float, float]]:
        """Transaction time over that of the baseline, as each figure allows."""
        return [reached_time_ratio(each) for each in self.figures]

    @property
    def round_trip_s(self) -> float:
        return float(propagation_round_trip_s(float(self.distance_km) * KILO))


def stream_windows(workload: str) -> StreamWindows | None:
    r"""
    Windows that explain published gains of a stream at two distances.

    Parameters
    ----------
    workload : str
        Id of the workload.

    Returns
    -------
    windows : StreamWindows or None
        None where figures are of one distance, or the gain does not grow.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Notes
    -----
    With rates :math:`X_T = \min(C_T, W_T / r)` and :math:`X_S = q X_T`, a gain that grows from
    :math:`q_1` to :math:`q_2` with the round trip means that the baseline is limited by its
    window at :math:`r_2`: else :math:`X_T` stayed, and :math:`X_S` would rise with distance. Then
    :math:`W_T \le R r_2 / q_2` with the payload rate :math:`R` of the other protocol's line. At
    :math:`r_1` the other protocol is no slower than at :math:`r_2`, so
    :math:`q_2 / q_1 \le X_{T,1} / X_{T,2}`, and :math:`X_{T,1} \le R / q_1`.

    Examples
    --------
    >>> from netmodel.checking import stream_windows
    >>> print(stream_windows("smc-str-20m").text)
    tcp window of at most 227 kB, smc-r 4.94 times as much in flight
    """
    return _windows(workload, transport_records())


def _windows(name: str, records: Sequence[TransportRecord]) -> StreamWindows | None:
    for record in records:
        compared = record.protocols[record.compared]
        cases = sorted(_cases(name, compared.transport))
        if len(cases) < 2:
            continue
        near, far = cases[0], cases[-1]
        (near_low, near_high), (far_low, far_high) = (_printed(each) for each in (near, far))
        if far_high >= near_low:
            continue
        load = workload(name)
        size_bytes = max(load.request_bytes_bounds[0], load.response_bytes_bounds[0])
        wire_bytes = parse_stack(compared.stack).message_wire_bytes(size_bytes, compared.mtu_bytes)
        line_bps = adapter(compared.adapter).line_rate_bps * size_bytes / float(wire_bytes)
        return StreamWindows(
            record.baseline,
            record.compared,
            line_bps * far_high * far.round_trip_s / BITS_PER_BYTE,
            1 / far_high,
            1 / far_low,
            near_low / far_high,
            line_bps * near_high,
            near_low,
            near_low / far_high,
        )
    return None


def _printed(case: _Case) -> tuple[float, float]:
    """Time ratio of a stream: that of its figures, not of bounds, where there are both."""
    figures = [
        ratio
        for about, ratio in zip(case.figures, case.ratios, strict=True)
        if about.quantity is QuantityKind.THROUGHPUT
    ] or case.ratios
    return min(low for low, _ in figures), max(high for _, high in figures)


def _case_of(about: Statement) -> _Case | None:
    """The figures of the same workload, protocols and distance; None where it prints none."""
    if not _is_figure(about):
        return None
    own = [each for each in statements(about.source) if _is_figure(each) and _same(each, about)]
    return _Case(about.subject.distance_km or Decimal(0), tuple(own))


def _cases(name: str, transport: str) -> Iterator[_Case]:
    """Cases of a workload, by distance."""
    seen = set()
    for about in statements():
        subject = about.subject
        if _is_figure(about) and (subject.workload, subject.transport) == (name, transport):
            case = _case_of(about)
            if case is not None and case.distance_km not in seen:
                seen.add(case.distance_km)
                yield case


def _is_figure(about: Statement) -> bool:
    """Whether it prints a gain of time or throughput over another protocol at a distance."""
    return (
        about.quantity in (QuantityKind.LATENCY, QuantityKind.THROUGHPUT)
        and about.value is not None
        and about.unit == "%"
        and about.subject.distance_km is not None
        and about.subject.workload is not None
        and about.baseline is not None
        and about.baseline.transport is not None
    )


def _same(one: Statement, other: Statement) -> bool:
    return (one.subject, one.baseline) == (other.subject, other.baseline)
