"""Published comparisons of two protocols over distance, against endpoint times and windows."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

from netmodel._display import fields_repr
from netmodel._html import plain_html
from netmodel._text import listed, percent_text
from netmodel.calibration._transports import reached_time_ratio
from netmodel.framing import parse_stack
from netmodel.judging._evidence._amounts import (
    NUMBER,
    SAME_PERCENT,
    Agreement,
    Amount,
    Computed,
    agreement,
    in_words_of,
)
from netmodel.judging._evidence._ledger import result_of
from netmodel.judging._evidence._predictions import Sources
from netmodel.path._transport_times import TransportTimes
from netmodel.records import Statement, adapter, statements, workload
from netmodel.records._subjects import Change, QuantityKind
from netmodel.records._transports import TransportRecord, transport_records
from netmodel.transport import propagation_round_trip_s
from netmodel.units import format_size
from netmodel.units._prefixes import BITS_PER_BYTE, KILO, WHOLE_PERCENT

_CPU = frozenset({QuantityKind.CPU_CONSUMPTION, QuantityKind.CPU_EFFICIENCY})
_DIGITS = 3
"""Of a margin: figures have two or three."""
_PAIR_DIGITS = 4
"""Of ratios that figures of three digits set apart."""
_SMALLEST_POINTS = 0.01
"""A change in per cent that no document would print."""


class ProtocolVerdict(Enum):
    """How a published comparison of protocols stands to the model."""

    EXPLAINED = "explained"
    NOT_EXPLAINED = "not explained"
    CONTRADICTS = "contradicts"
    """Another figure of the same case: both cannot hold."""


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
    >>> from netmodel.judging import stream_windows
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


@dataclass(frozen=True, slots=True)
class ProtocolEvidence:
    """
    A published comparison over distance, and what is computed for it.

    Parameters
    ----------
    statement : Statement
        What is printed.
    verdict : ProtocolVerdict
        How it stands to what is computed.
    computed : str
        What is computed, without the figures of the same case where it is a gain.
    margin : str
        How far the figure is from where the verdict would change.
    reason : str
        From what it is computed, or why nothing is.
    low, high : float, optional
        Ends of a computed change, as the statement would print it. [%]
    margin_percent : float, optional
        The margin, negative outside; of a contradiction how far the figures are apart. [%]
    windows : StreamWindows, optional
        What explains a stream.
    """

    statement: Statement
    verdict: ProtocolVerdict
    computed: str
    margin: str
    reason: str
    low: float | None = None
    high: float | None = None
    margin_percent: float | None = None
    windows: StreamWindows | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel evidence --protocols``."""
        about = self.statement
        return {
            "id": about.id,
            "document": about.source,
            "locator": about.locator,
            "printed": about.claim,
            "verdict": self.verdict.value,
            "computed": self.computed,
            "margin": self.margin,
            "reason": self.reason,
            "low_percent": self.low,
            "high_percent": self.high,
            "margin_percent": self.margin_percent,
            "windows": None if self.windows is None else self.windows.to_dict(),
        }


class _Case(NamedTuple):
    """Figures of one workload over one distance."""

    distance_km: Decimal
    figures: tuple[Statement, ...]

    @property
    def ratios(self) -> list[tuple[float, float]]:
        """Transaction time over that of the baseline, as each figure allows."""
        return [reached_time_ratio(each) for each in self.figures]

    @property
    def apart_ratio(self) -> float:
        """How far figures are from each other; 0 or less where all can hold."""
        return max(low for low, _ in self.ratios) / min(high for _, high in self.ratios) - 1

    @property
    def round_trip_s(self) -> float:
        return float(propagation_round_trip_s(float(self.distance_km) * KILO))


def protocol_verdicts(document: str | None = None) -> tuple[ProtocolEvidence, ...]:
    """
    Hold each published comparison of documents on protocols against what is computed.

    Parameters
    ----------
    document : str, optional
        Id of a document; when left out, all that compare protocols of a record.

    Returns
    -------
    verdicts : tuple of ProtocolEvidence
        One for each statement that compares two cases, in the order of the document; none where
        it compares no protocols.

    Raises
    ------
    UnknownRecordError
        If no statement cites that document.

    Notes
    -----
    A gain of requests and responses is computed from the figures of the other cases: those of
    the same case would repeat it. Latency and throughput of one case are one ratio, as
    connections without think time always wait for an answer; where the intervals of both do
    not meet, they contradict each other. Streams whose gain grows with distance have windows.
    """
    records = transport_records()
    known = {each.transport for record in records for each in record.protocols.values()}
    names = dict.fromkeys(
        about.source
        for about in statements(document)
        if about.baseline is not None
        and {about.subject.transport, about.baseline.transport} <= known
    )
    sources = Sources()
    return tuple(
        _verdict(about, records, sources)
        for name in names
        for about in statements(name)
        if about.change is not None
    )


def _verdict(
    about: Statement, records: Sequence[TransportRecord], sources: Sources
) -> ProtocolEvidence:
    case = _case_of(about)
    if case is not None and case.apart_ratio > 0:
        others = listed([each.id for each in case.figures if each.id != about.id])
        low, high = max(low for low, _ in case.ratios), min(high for _, high in case.ratios)
        return ProtocolEvidence(
            about,
            ProtocolVerdict.CONTRADICTS,
            f"time ratio at least {low:.{_PAIR_DIGITS}g} by one figure, at most "
            f"{high:.{_PAIR_DIGITS}g} by the other",
            f"{percent_text(case.apart_ratio, 2)} apart",
            f"reached in the same runs, it excludes {others}",
            margin_percent=-WHOLE_PERCENT * case.apart_ratio,
        )
    for record in records:
        left_out = {each.statement: each for each in record.left_out}
        if about.id in left_out:
            each = left_out[about.id]
            return _of_figure(about, float(each.case_low), float(each.case_high))
    if case is not None and workload(str(about.subject.workload)).is_stream:
        return _of_stream(about, records)
    if about.quantity in _CPU and about.baseline is not None and about.baseline.transport is None:
        is_same = about.change is Change.SAME
        return ProtocolEvidence(
            about,
            ProtocolVerdict.EXPLAINED if is_same else ProtocolVerdict.NOT_EXPLAINED,
            "0 %",
            f"{SAME_PERCENT:g} points" if is_same else "",
            "messages, frames and bytes, which take CPU time, are the same at any distance",
            0.0,
            0.0,
            SAME_PERCENT if is_same else None,
        )
    result = _faded_gain(about, records) or result_of(about, sources)
    if isinstance(result, str):
        return ProtocolEvidence(about, ProtocolVerdict.NOT_EXPLAINED, "", "", result)
    return _of_words(about, result)


def _faded_gain(about: Statement, records: Sequence[TransportRecord]) -> Computed | None:
    """What is left at one distance of a gain at another; None where it is not about that."""
    subject, baseline = about.subject, about.baseline
    if about.quantity is not QuantityKind.GAIN or baseline is None or subject.workload is None:
        return None
    load = workload(subject.workload)
    if load.is_stream or subject.distance_km is None or baseline.distance_km is None:
        return None
    for record in records:
        if record.protocols[record.compared].transport != subject.transport:
            continue
        sizes = load.request_bytes, load.response_bytes
        times = TransportTimes(record).endpoint_time_s(record.baseline, *sizes)
        near_s, far_s = (
            float(propagation_round_trip_s(float(km) * KILO))
            for km in (baseline.distance_km, subject.distance_km)
        )
        # (L_T - L_S) / (L_T + r) at both distances: what SMC-R saves at the ends cancels
        low, high = sorted(
            (float(end) + near_s) / (float(end) + far_s) for end in (times.low, times.high)
        )
        how = (
            f"gain of {record.compared} at {subject.distance_km} km over {baseline.distance_km} km"
        )
        return in_words_of(about, Amount(low, high, NUMBER, how))
    return None


def _of_figure(about: Statement, low_ratio: float, high_ratio: float) -> ProtocolEvidence:
    """A gain against the range that the other cases leave."""
    low, high = reached_time_ratio(about)
    if about.quantity is QuantityKind.THROUGHPUT:
        low_ratio, high_ratio = 1 / high_ratio, 1 / low_ratio
        low, high = 1 / high, 1 / low
    sign = -1 if about.change is Change.LESS else 1
    ends = sorted(sign * (end - 1) * WHOLE_PERCENT for end in (low_ratio, high_ratio))
    figure = float(about.value or 0)
    inside = min(figure - ends[0], ends[1] - figure)
    is_met = low <= high_ratio and low_ratio <= high
    return ProtocolEvidence(
        about,
        ProtocolVerdict.EXPLAINED if is_met else ProtocolVerdict.NOT_EXPLAINED,
        f"{ends[0]:.{_DIGITS}g} to {ends[1]:.{_DIGITS}g} %",
        f"{abs(inside):.2g} points {_place(inside, is_met)}",
        "endpoint times and one round trip, from the figures of the other cases",
        low=ends[0],
        high=ends[1],
        margin_percent=inside,
    )


def _place(inside: float, is_met: bool) -> str:
    """Where a figure is, by its distance from the nearer end of a range."""
    return "inside" if inside >= 0 else "outside, within its rounding" if is_met else "outside"


def _of_stream(about: Statement, records: Sequence[TransportRecord]) -> ProtocolEvidence:
    windows = _windows(str(about.subject.workload), records)
    if windows is None:
        reason = "needs figures at two distances to separate windows from endpoint times"
        return ProtocolEvidence(about, ProtocolVerdict.NOT_EXPLAINED, "", "", reason)
    return ProtocolEvidence(
        about,
        ProtocolVerdict.EXPLAINED,
        windows.text,
        f"endpoint times miss by a factor of {windows.misfit_ratio:.2g}",
        "windows: the gain grows with distance, which no endpoint time explains",
        windows=windows,
    )


def _of_words(about: Statement, result: Computed) -> ProtocolEvidence:
    """A claim, or a figure that no record rests on, against a computed change in per cent."""
    low, high = result.low, result.high
    if about.value is not None:
        inside = min(float(about.value) - low, high - float(about.value))
        is_met = agreement(about, result) is not Agreement.MISSED
        return ProtocolEvidence(
            about,
            ProtocolVerdict.EXPLAINED if is_met else ProtocolVerdict.NOT_EXPLAINED,
            str(result),
            f"{abs(inside):.2g} points {_place(inside, is_met)}",
            result.how,
            low,
            high,
            inside,
        )
    is_less = about.change is Change.LESS
    least = -high if is_less else low
    return ProtocolEvidence(
        about,
        ProtocolVerdict.EXPLAINED if least >= 0 else ProtocolVerdict.NOT_EXPLAINED,
        str(result),
        f"{least:.{_DIGITS}g} points" if abs(least) >= _SMALLEST_POINTS else "reaches no change",
        result.how,
        low,
        high,
        least,
    )


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
    >>> from netmodel.judging import stream_windows
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
