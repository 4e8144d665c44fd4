"""Observations from results of measurement tools."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from netmodel.calibration._observed import Conditions, Observed, allowed_by
from netmodel.calibration._sources._selection import Selection
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import tcp_stack
from netmodel.readers import Direction, Measurement
from netmodel.records import Grade, Relation
from netmodel.units import format_rate

__all__ = ["observed_from_measurements", "observed_of_adapter"]


def observed_from_measurements(
    runs: Iterable[Measurement], **conditions: float | str | bool
) -> Selection:
    """
    Observations from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Each run is seen for itself, also where it repeats another one; a
        result that is there twice counts once.
    **conditions : float, str or bool
        What holds for all of them and they do not tell, such as
        ``mtu_bytes=9000`` or ``adapter="my-card"``.

    Returns
    -------
    selection : Selection
        Of each run what is known of goodput, transaction rate, transaction
        time, and CPU time per data of each side. Goodput is within the
        rounding of the tool; what has no known rounding is exact but for
        noise. Conditions of a run: ``connection_count``, ``mtu_bytes`` where
        the tool saw the path's, ``write_bytes``, ``request_bytes``,
        ``response_bytes``, ``protocol``; ``side`` and ``cpu_scope`` for
        CPU time. A run with an error is left out, and one that contradicts
        a condition; a goodput that is not known too.

    Raises
    ------
    DomainError
        If a figure of a run is negative or no number.

    Examples
    --------
    >>> run = Measurement(source="run.json", sha256="", tool="iperf3", goodput_bps=9.4e9)
    >>> found = observed_from_measurements([run], mtu_bytes=1500)
    >>> found.observed[0].value, dict(found.observed[0].at)
    (9400000000.0, {'mtu_bytes': 1500})
    """
    several, notes = _distinct(runs)
    return sum((_of_run(run, conditions) for run in several), Selection((), tuple(notes)))


def observed_of_adapter(
    runs: Iterable[Measurement],
    adapter_of: Side | None = None,
    stated: Conditions | None = None,
    stated_of: Mapping[str, Conditions] | None = None,
) -> Selection:
    """
    Observations of what an adapter carries, from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Over TCP. Each is seen for itself, also where it repeats another one.
    adapter_of : Side, optional
        Whose adapter it is; the ``direction`` of each run, as seen from there,
        then follows from which way its payload went.
    stated : mapping, optional
        Conditions that hold for all runs, such as ``{"mtu_bytes": 9000}``.
    stated_of : mapping of str to mapping, optional
        Conditions of the runs of one source.

    Returns
    -------
    selection : Selection
        As `observed_from_measurements` has it. Where nothing tells the MTU, the
        segments of the run are taken as ``payload_bytes`` of full frames. Left
        out with a note are runs that failed, over loopback or UDP, or whose
        sender was held at a rate, and a result that is there twice.

    Raises
    ------
    ContradictionError
        If a run tells another value of what is stated.
    DomainError
        If nothing tells the MTU or the segments of a run, runs go both ways
        and it is not told whose adapter it is, or a source has no run.

    Examples
    --------
    >>> run = Measurement(
    ...     source="run.json", sha256="", tool="iperf3", goodput_bps=9.4e9, protocol="tcp",
    ...     path_mtu_bytes=1500, direction=Direction.CLIENT_TO_SERVER,
    ... )
    >>> found = observed_of_adapter([run], Side.SERVER)
    >>> dict(found.observed[0].at)
    {'mtu_bytes': 1500, 'protocol': 'tcp', 'direction': 'in'}
    """
    several, notes = _distinct(runs)
    of_source = stated_of or {}
    for name in of_source.keys() - {run.source for run in several}:
        raise DomainError(f"{name}: conditions are stated of it, but no run was read from it")
    kept = []
    for run in several:
        why = _why_no_adapter(run, adapter_of)
        notes += [f"{_place(run)}: left out: {why}"] if why else []
        kept += [] if why else [run]
    if adapter_of is None:
        _require_one_way([run for run in kept if "direction" not in of_source.get(run.source, {})])
    found = Selection((), tuple(notes))
    for run in kept:
        found += _past_adapter(run, {**(stated or {}), **of_source.get(run.source, {})}, adapter_of)
    return found


def _distinct(runs: Iterable[Measurement]) -> tuple[list[Measurement], list[str]]:
    """Each result once, and a note on every one that is there again."""
    first: dict[object, Measurement] = {}
    notes = []
    for number, run in enumerate(runs):
        same = first.setdefault(
            (run.sha256, run.part, run.direction) if run.sha256 else number, run
        )
        if same is not run:
            notes.append(f"{_place(run)}: left out: the same result as {_place(same)}")
    return [*first.values()], notes


def _why_no_adapter(run: Measurement, adapter_of: Side | None) -> str | None:
    """Why a run tells nothing of an adapter; None where it does."""
    if run.error is not None:
        return run.error
    if run.protocol == "udp":
        return "over UDP, whose frames carry other headers than those of the model"
    if run.is_loopback:
        return "over loopback: no frame crossed a line"
    if run.offered_rate_bps is not None:
        return f"its sender was held at {format_rate(run.offered_rate_bps)}"
    if adapter_of is not None and run.direction is None:
        return "it does not tell which way its payload went"
    return None


def _require_one_way(runs: Sequence[Measurement]) -> None:
    ways = {run.direction: run for run in runs if run.direction is not None}
    if len(ways) > 1:
        told = ", ".join(f"{_place(run)} {way.value}" for way, run in ways.items())
        raise DomainError(f"runs go both ways: {told}: say whose adapter it is")


def _past_adapter(run: Measurement, stated: Conditions, adapter_of: Side | None) -> Selection:
    """What one run tells of the adapter, with the size of its frames and its direction."""
    told = {**_told(run), **_direction(run, adapter_of)}
    for name in told.keys() & stated.keys():
        if told[name] != stated[name]:
            raise ContradictionError(
                f"{_place(run)}: {name} is {told[name]}, stated as {stated[name]}"
            )
    at = {**told, **stated}
    if "mtu_bytes" in at or "payload_bytes" in at:
        return _of_run(run, at) + Selection((), tuple(_odd_segments(run, at)))
    if run.segment_bytes is None:
        raise DomainError(f"{_place(run)}: tells neither MTU nor segment size: state its MTU")
    note = f"{_place(run)}: no MTU is told: frames are taken as full with its {run.segment_bytes} B"
    return _of_run(run, {**at, "payload_bytes": run.segment_bytes}) + Selection((), (note,))


def _direction(run: Measurement, adapter_of: Side | None) -> Conditions:
    if adapter_of is None:
        return {}
    to_server = run.direction is Direction.CLIENT_TO_SERVER
    return {"direction": "in" if to_server is (adapter_of is Side.SERVER) else "out"}


def _odd_segments(run: Measurement, at: Conditions) -> Iterator[str]:
    """A remark where the segments of a run are not those that the MTU has in the model."""
    mtu_bytes = at.get("mtu_bytes")
    if run.segment_bytes is None or not isinstance(mtu_bytes, int):
        return
    taken_bytes = tcp_stack().payload_bytes(mtu_bytes)
    if run.segment_bytes != taken_bytes:
        yield (
            f"{_place(run)}: its segments have {run.segment_bytes} B; at MTU {mtu_bytes} they are "
            f"taken as {taken_bytes} B"
        )


def _place(run: Measurement) -> str:
    return run.source if run.part is None else f"{run.source}, {run.part}"


def _told(run: Measurement) -> dict[str, float | str | bool]:
    """Conditions that a run tells."""
    return {
        name: value
        for name, value in (
            ("connection_count", run.stream_count),
            ("mtu_bytes", run.path_mtu_bytes),
            ("write_bytes", run.write_bytes),
            ("request_bytes", run.request_bytes),
            ("response_bytes", run.response_bytes),
            ("protocol", run.protocol),
        )
        if value is not None
    }


def _of_run(run: Measurement, stated: Conditions) -> Selection:
    place = _place(run)
    if run.error is not None:
        return Selection((), (f"{place}: left out: {run.error}",))
    told = _told(run)
    for name in told.keys() & stated.keys():
        if told[name] != stated[name]:
            note = f"{place}: left out: {name} is {told[name]}, stated as {stated[name]}"
            return Selection((), (note,))
    observed = tuple(_seen(run, {**told, **stated}, place))
    return Selection(observed, tuple(_remarks(run, place, bool(observed))))


def _remarks(run: Measurement, place: str, has_figures: bool) -> Iterator[str]:
    if run.goodput_bps is None:
        yield f"{place}: no goodput: {run.why_no_goodput or 'the tool does not tell it'}"
    if has_figures and run.is_loopback:
        yield f"{place}: over loopback: no frame crossed a line"
    if has_figures and run.is_bidirectional:
        yield f"{place}: payload went the other way at the same time"


def _seen(run: Measurement, at: Conditions, place: str) -> Iterator[Observed]:
    figures: list[tuple[str, float | None, float, Conditions]] = [
        ("throughput_bps", run.goodput_bps, run.goodput_half_width_bps or 0.0, {}),
        ("transaction_rate_tps", run.transaction_rate_tps, 0.0, {}),
        ("transaction_time_s", run.transaction_time_s, 0.0, {}),
    ]
    for use in run.cpu:
        whose: Conditions = {"side": use.side.value, "cpu_scope": use.scope.value}
        if use.consumption is not None:
            figures.append(("cpu_us_per_gbit", use.consumption.us_per_gbit, 0.0, whose))
    for quantity, value, half_width, of_side in figures:
        if value is not None:
            low, high = allowed_by(Relation.EQUAL, value, half_width)
            yield Observed(
                quantity=quantity,
                at={**at, **of_side},
                low=low,
                high=high,
                value=value,
                place=f"{place}, {of_side['side']}" if of_side else place,
                grade=Grade.MEASURED,
            )
