"""Observations from results of measurement tools."""

from collections.abc import Iterable, Iterator

from netmodel.calibration._observed import Conditions, Observed, allowed_by
from netmodel.calibration._selection import Selection
from netmodel.readers import Measurement
from netmodel.records import Grade, Relation

__all__ = ["observed_from_measurements"]


def observed_from_measurements(
    runs: Iterable[Measurement], **conditions: float | str | bool
) -> Selection:
    """
    Observations from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Each run is seen for itself, also where it repeats another one.
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
    return sum((_of_run(run, conditions) for run in runs), Selection(()))


def _of_run(run: Measurement, stated: Conditions) -> Selection:
    place = run.source if run.part is None else f"{run.source}, {run.part}"
    if run.error is not None:
        return Selection((), (f"{place}: left out: {run.error}",))
    told = {
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
