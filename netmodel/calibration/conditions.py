"""Before a calibration: conditions that a model reads, and figures that only show a full line."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from netmodel.calibration.models import Model, Point
from netmodel.calibration.observations import (
    CENSORED,
    Cap,
    Conditions,
    Observed,
    Selection,
    comparable,
    needed,
)
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.path import Path, Traffic, predict_path, wire_stages, workload_traffic
from netmodel.records import Relation, workload
from netmodel.text import argument
from netmodel.units.prefixes import GIGA

_LISTED_COUNT = 4
"""Values of a condition that a note lists: it stays one line."""
_STREAM_WRITE_BYTES = 1 << 20
"""Of a stream whose writes are not given: 1 MiB, so large that time per write hardly counts."""
_LINE_TOLERANCE_RATIO = 0.005
"""A rate this near to the line counts as line speed: tools round to three digits, clocks differ."""


def read_conditions(model: Model, observed: Iterable[Observed]) -> frozenset[str]:
    """
    Conditions that a model looks up, given or not, for any of several observations.

    Parameters
    ----------
    model : Model
        It decides which conditions it reads.
    observed : iterable of Observed
        Observations, or possible ones.

    Returns
    -------
    names : frozenset of str
        Optional conditions included.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing; names
        the observation.

    Examples
    --------
    >>> from netmodel.calibration import curve_model
    >>> seen = Observed(
    ...     quantity="transaction_rate_tps", at={"connection_count": 8, "layer": 2}, low=1, high=2
    ... )
    >>> sorted(read_conditions(curve_model("scalability"), [seen]))
    ['connection_count']
    """
    read: set[str] = set()
    for each in {(each.quantity, comparable(each.at)): each for each in observed}.values():
        try:
            model.function([Point(each.quantity, _Noted(each.at, read))])
        except DomainError as error:
            raise DomainError(f"{each.name}: {error}") from error
    return frozenset(read)


def differing_beside(
    read: Collection[str], observed: Sequence[Observed]
) -> dict[str, tuple[str, ...]]:
    """Conditions beside those that are read and that differ, each with its values."""
    texts: dict[str, dict[str, None]] = {}
    for each in observed:
        for name, value in each.at.items():
            texts.setdefault(name, {})[str(value)] = None
    return {
        name: tuple(values)
        for name, values in texts.items()
        if name not in read and len(values) > 1
    }


def only_read(read: Collection[str], observed: Sequence[Observed]) -> Selection:
    """
    Observations without the conditions that differ and that a model does not look up.

    Parameters
    ----------
    read : collection of str
        Conditions that the model reads, as `read_conditions` has them.
    observed : sequence of Observed
        Observations under them.

    Returns
    -------
    selection : Selection
        In the same order; runs without a difference that matters are then repeats. The notes
        list what differs between them.

    Examples
    --------
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500, "run": run}, low=1, high=2
    ...     )
    ...     for run in ("a", "b")
    ... ]
    >>> dict(only_read({"mtu_bytes"}, seen).observed[0].at)
    {'mtu_bytes': 1500}
    """
    unread = differing_beside(read, observed)
    notes = []
    for name, values in unread.items():
        count = len(values) - _LISTED_COUNT
        more = f" and {count} more" if count > 0 else ""
        notes.append(
            f"the model ignores {name} ({', '.join(values[:_LISTED_COUNT])}{more}): choose "
            f"one with {argument('where', '--where')}"
        )

    def kept(at: Conditions) -> dict[str, float | str | bool]:
        return {name: value for name, value in at.items() if name not in unread}

    return Selection(
        tuple(
            replace(
                each,
                at=kept(each.at),
                baseline=None if each.baseline is None else kept(each.baseline),
                place=each.name,
            )
            for each in observed
        ),
        tuple(notes),
    )


class _Noted(Mapping[str, float | str | bool]):
    """Conditions that note which of them are looked up."""

    def __init__(self, at: Conditions, read: set[str]) -> None:
        self._at, self._read = at, read

    def __getitem__(self, name: str) -> float | str | bool:
        self._read.add(name)
        return self._at[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)


def traffic_under(at: Conditions, one_way: bool = False) -> Traffic:
    """
    What conditions say is exchanged; a stream to the server where they say nothing.

    Parameters
    ----------
    at : mapping
        ``workload``, or ``request_bytes`` and ``response_bytes``, or ``write_bytes``;
        ``connection_count``; ``segments_per_ack``.
    one_way : bool
        Whether only the larger message counts.

    Returns
    -------
    traffic : Traffic
        With the messages of each transaction.

    Raises
    ------
    UnknownRecordError
        If there is no such workload.
    DomainError
        If a size or count cannot be.

    Examples
    --------
    >>> traffic_under({"request_bytes": 200, "response_bytes": 1000}).exchanged_bytes
    1200
    """
    count: Any = at.get("connection_count")
    request: Any = at.get("request_bytes", 0)
    response: Any = at.get("response_bytes", 0)
    if "workload" in at:
        record = workload(str(at["workload"]))
        for low, high in (record.request_bytes_bounds, record.response_bytes_bounds):
            if low != high:
                raise DomainError(
                    f"a message of {record.id} is only known to have {low} to {high} byte: give "
                    "request_bytes and response_bytes in place of the workload"
                )
        traffic = workload_traffic(record, count)
    elif request or response:
        traffic = Traffic(request, response, connection_count=count)
    else:
        write: Any = at.get("write_bytes", _STREAM_WRITE_BYTES)
        traffic = Traffic(write, connection_count=count, waits=False, shares_segments=True)

    if one_way:
        larger_bytes = traffic.payload_bytes
        return replace(traffic, request_bytes=larger_bytes, response_bytes=0, connection_count=None)
    per_ack: Any = at.get("segments_per_ack")
    return traffic if per_ack is None else replace(traffic, segments_per_ack=per_ack)


def mtu_under(at: Conditions, stack: Stack, by: str) -> Any:
    """The MTU given, else that of the payload of a full frame; an error names its user."""
    if "payload_bytes" in at and "mtu_bytes" not in at:
        payload_bytes: Any = at["payload_bytes"]
        return stack.packet_bytes(payload_bytes)
    return needed(at, "mtu_bytes", by)


def line_cap(line_rate_bps: float, stack: Stack | None = None) -> Cap:
    """
    The payload rate that a line carries, as models of paths have it.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    cap : callable
        From conditions (``mtu_bytes`` and the messages, as `TimesModel` has them)
        to the payload rate of the larger message. [bit/s]

    Raises
    ------
    DomainError
        If the rate is not above zero; from the function that is returned, if the MTU is missing.

    Examples
    --------
    Requests of 200 byte and responses of 30 KiB:

    >>> cap = line_cap(25e9)
    >>> round(cap({"mtu_bytes": 1500, "workload": "rr1c-200x30k"}) / 1e9, 3)
    23.486
    """
    line = Path(stages=wire_stages(line_rate_bps))
    headers = stack or tcp_stack()

    def cap(at: Conditions) -> float:
        mtu_bytes = mtu_under(at, headers, "what a line carries")
        return float(predict_path(line, traffic_under(at), mtu_bytes, headers).throughput_bps.value)

    return cap


def line_speed_as_censored(
    observed: Iterable[Observed],
    cap: Cap,
    tolerance_ratio: float = _LINE_TOLERANCE_RATIO,
) -> Selection:
    """
    Observations, with those at line speed as lower bounds: the line hides what else limits them.

    Parameters
    ----------
    observed : iterable of Observed
        Of any quantity.
    cap : callable
        From conditions to the rate that the line carries, such as `line_cap` makes. [bit/s]
    tolerance_ratio : float
        Largest distance from it, as a ratio, of a figure that counts as line speed.

    Returns
    -------
    selection : Selection
        A throughput within the tolerance becomes ``CENSORED_ABOVE`` its lower end, or what the
        line carries if that is less. Figures below it under the same conditions are then, like
        it, of the path without the line. One that is above by more than the tolerance is left
        out: it is not of this line.

    Raises
    ------
    DomainError
        If the tolerance is negative, or the cap is not known under some conditions.

    Examples
    --------
    >>> full = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=23.5e9, high=23.6e9)
    >>> result = line_speed_as_censored([full], line_cap(25e9))
    >>> result.observed[0].relation.value, result.observed[0].high
    ('censored_above', inf)
    """
    if not tolerance_ratio >= 0:
        raise DomainError(f"tolerance_ratio must be at least 0; got {tolerance_ratio!r}")
    seen: list[Observed] = []
    notes: list[str] = []
    full: dict[str, list[str]] = {}
    for each in observed:
        is_rate = each.quantity == "throughput_bps" and each.figure is not None
        cap_bps = cap(each.at) if is_rate else float("inf")
        if each.high < cap_bps * (1 - tolerance_ratio) or not is_rate:
            seen.append(each)
        elif each.low > cap_bps * (1 + tolerance_ratio):
            notes.append(
                f"{each.name}: refused: {each.low / GIGA:.4g} Gbit/s or more, and the line carries "
                f"{cap_bps / GIGA:.4g} Gbit/s"
            )
        else:
            low = min(each.low, cap_bps)
            seen.append(replace(each, low=low, high=float("inf"), relation=Relation.CENSORED_ABOVE))
            full.setdefault(f"{cap_bps / GIGA:.4g} Gbit/s", []).append(each.name)
    for carried, names in full.items():
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        notes.append(
            f"{names[0]}{others}: at line speed: censored above, since the line carries {carried}"
        )
    # where some runs of a condition are censored, the others would have been too
    censored = {comparable(each.at) for each in seen if each.relation in CENSORED}
    return Selection(
        tuple(
            replace(each, is_beside_censored=True)
            if each.figure is not None and comparable(each.at) in censored
            else each
            for each in seen
        ),
        tuple(dict.fromkeys(notes)),
    )
