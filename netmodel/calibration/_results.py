"""Observations from results of measurement tools."""

from collections.abc import Iterable
from typing import Any

from netmodel.calibration.observations import Conditions, Observed, Selection, allowed_by
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import tcp_stack
from netmodel.readers import Direction, Measurement
from netmodel.records import Relation
from netmodel.units import format_rate


def observed_from_measurements(
    runs: Iterable[Measurement], **conditions: float | str | bool
) -> Selection:
    """
    Observations from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Each run is an observation of its own, also where it repeats another one; the same
        result given twice counts once.
    **conditions : float, str or bool
        Conditions of all runs that results do not report, such as
        ``mtu_bytes=9000`` or ``adapter="my-card"``.

    Returns
    -------
    selection : Selection
        Of each run its goodput, transaction rate, transaction
        time, and CPU time per data of each side, as far as reported. Goodput is within the
        rounding of the tool; figures of unknown rounding are exact but for
        noise. Conditions of a run: ``connection_count``, ``mtu_bytes`` where
        the tool reports that of the path, ``write_bytes``, ``request_bytes``,
        ``response_bytes``, ``protocol``; ``side`` and ``cpu_scope`` for
        CPU time. A run with an error is left out, and one that contradicts
        a condition; so is a goodput that is not reported.

    Raises
    ------
    DomainError
        If a figure of a run is negative or no number.

    Examples
    --------
    >>> run = Measurement(source="run.json", sha256="", tool="iperf3", goodput_bps=9.4e9)
    >>> result = observed_from_measurements([run], mtu_bytes=1500)
    >>> result.observed[0].value, dict(result.observed[0].at)
    (9400000000.0, {'mtu_bytes': 1500})
    """
    seen, notes = list[Observed](), list[str]()
    for run in _distinct(runs, notes):
        at, other = _conditions(run, conditions)
        if run.error is not None or other is not None:
            notes.append(f"{_place(run)}: left out: {run.error or other}")
        else:
            _add(run, at, seen, notes)
    return Selection(tuple(seen), tuple(notes))


def observed_of_adapter(
    runs: Iterable[Measurement],
    adapter_of: Side | None = None,
    conditions: Conditions | None = None,
) -> Selection:
    """
    Observations of the throughput of an adapter, from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Over TCP. Each is an observation of its own, also where it repeats another one.
    adapter_of : Side, optional
        Whose adapter it is; the ``direction`` of each run, as seen from there,
        then follows from the direction of its payload.
    conditions : mapping, optional
        Conditions of all runs, such as ``{"mtu_bytes": 9000}``.

    Returns
    -------
    selection : Selection
        As `observed_from_measurements` has it. Without an MTU the segments of the run are taken
        as ``payload_bytes`` of full frames. Left out with a note are runs that failed, over
        loopback or UDP, or whose sender was held at a rate, and the same result given twice.

    Raises
    ------
    ContradictionError
        If a run reports another value of a condition.
    DomainError
        If neither MTU nor segment size of a run is known, or runs go in both directions
        without `adapter_of`.

    Examples
    --------
    >>> run = Measurement(
    ...     source="run.json", sha256="", tool="iperf3", goodput_bps=9.4e9, protocol="tcp",
    ...     path_mtu_bytes=1500, direction=Direction.CLIENT_TO_SERVER,
    ... )
    >>> result = observed_of_adapter([run], Side.SERVER)
    >>> dict(result.observed[0].at)
    {'mtu_bytes': 1500, 'protocol': 'tcp', 'direction': 'in'}
    """
    seen, notes = list[Observed](), list[str]()
    whys = [(run, _why_no_adapter(run, adapter_of)) for run in _distinct(runs, notes)]
    notes += [f"{_place(run)}: left out: {why}" for run, why in whys if why is not None]
    kept = [run for run, why in whys if why is None]
    directions = {run.direction: run for run in kept if run.direction is not None}
    if adapter_of is None and len(directions) > 1:
        each = ", ".join(f"{_place(run)} {way.value}" for way, run in directions.items())
        raise DomainError(f"runs go in both directions: {each}: specify whose adapter it is")
    for run in kept:
        at, other = _conditions(run, conditions or {}, adapter_of)
        if other is not None:
            raise ContradictionError(f"{_place(run)}: {other}")
        segment, mtu, note = run.segment_bytes, at.get("mtu_bytes"), ""
        if mtu is None and "payload_bytes" not in at:
            if segment is None:
                raise DomainError(
                    f"{_place(run)}: neither MTU nor segment size is reported: specify its MTU"
                )
            at["payload_bytes"] = segment
            note = f"MTU not reported: frames are taken as full, with its {segment} B"
        elif segment is not None and isinstance(mtu, int):
            # segments other than those of the model: options, or a smaller MTU on the path
            taken = tcp_stack().payload_bytes(mtu)
            if segment != taken:
                as_taken = f"at MTU {mtu} they are taken as {taken} B"
                note = f"its segments have {segment} B; {as_taken}"
        _add(run, at, seen, notes)
        notes += [f"{_place(run)}: {note}"] if note else []
    return Selection(tuple(seen), tuple(notes))


def _distinct(runs: Iterable[Measurement], notes: list[str]) -> list[Measurement]:
    """Each result once; a note on every other copy of it is added."""
    first: dict[object, Measurement] = {}
    for number, run in enumerate(runs):
        key = (run.sha256, run.part, run.direction) if run.sha256 else number
        same = first.setdefault(key, run)
        if same is not run:
            notes.append(f"{_place(run)}: left out: the same result as {_place(same)}")
    return [*first.values()]


def _why_no_adapter(run: Measurement, adapter_of: Side | None) -> str | None:
    """Why a run is no observation of an adapter; None if it is."""
    if run.error is not None:
        return run.error
    if run.protocol == "udp":
        return "over UDP, whose frames carry other headers than those of the model"
    if run.is_loopback:
        return "over loopback: no frame crossed a line"
    if run.offered_rate_bps is not None:
        return f"its sender was held at {format_rate(run.offered_rate_bps)}"
    if adapter_of is not None and run.direction is None:
        return "the direction of its payload is not reported"
    return None


def _place(run: Measurement) -> str:
    return run.source if run.part is None else f"{run.source}, {run.part}"


def _conditions(
    run: Measurement, given: Conditions, adapter_of: Side | None = None
) -> tuple[dict[str, float | str | bool], str | None]:
    """Return conditions reported and given, and the first that is reported otherwise."""
    reported: dict[str, float | str | bool | None] = {
        "connection_count": run.stream_count,
        "mtu_bytes": run.path_mtu_bytes,
        "write_bytes": run.write_bytes,
        "request_bytes": run.request_bytes,
        "response_bytes": run.response_bytes,
        "protocol": run.protocol,
    }
    at = {name: value for name, value in reported.items() if value is not None}
    if adapter_of is not None:
        to_server = run.direction is Direction.CLIENT_TO_SERVER
        at["direction"] = "in" if to_server is (adapter_of is Side.SERVER) else "out"
    for name in at.keys() & given.keys():
        if at[name] != given[name]:
            return at, f"{name} is {at[name]}, specified as {given[name]}"
    return {**at, **given}, None


def _add(run: Measurement, at: Conditions, observed: list[Observed], notes: list[str]) -> None:
    """Add the observations of one run, and notes on it."""
    place, figures = _place(run), list[tuple[str, float | None, float, Conditions]]()
    # quantities, with half a step of the digits that the tool prints; 0 where that is unknown
    figures += [
        ("throughput_bps", run.goodput_bps, run.goodput_half_width_bps or 0.0, {}),
        ("transaction_rate_tps", run.transaction_rate_tps, 0.0, {}),
        ("transaction_time_s", run.transaction_time_s, 0.0, {}),
    ]
    for use in run.cpu:
        if use.consumption is not None:
            of_side = {"side": use.side.value, "cpu_scope": use.scope.value}
            figures.append(("cpu_us_per_gbit", use.consumption.us_per_gbit, 0.0, of_side))
    known = [each for each in figures if each[1] is not None]
    for quantity, value, half_width, more in known:
        low, high = allowed_by(Relation.EQUAL, value or 0.0, half_width)
        where = f"{place}, {more['side']}" if more else place
        about: dict[str, Any] = {"value": value, "place": where}
        observed.append(Observed(quantity=quantity, at={**at, **more}, low=low, high=high, **about))
    if run.goodput_bps is None:
        notes.append(f"{place}: no goodput: {run.why_no_goodput or 'not reported by the tool'}")
    if known and run.is_loopback:
        notes.append(f"{place}: over loopback: no frame crossed a line")
    if known and run.is_bidirectional:
        notes.append(f"{place}: payload also went in the other direction")
