"""Results of flent: rates of TCP and round trips of ping from its data files."""

from collections.abc import Iterator
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import rate_disagreement

__all__ = ["FLENT", "read_flent"]

_TOOL = "flent"
_VERSIONS = (3, 4)
_RATES_BPS = {"Mbits/s": 1e6, "Mbit/s": 1e6}
_TIMES_S = {"ms": 1e-3}
_TCP = {
    "TCP download": Direction.SERVER_TO_CLIENT,
    "TCP upload": Direction.CLIENT_TO_SERVER,
}
_SUM, _MEAN = " sum", " avg"
_TOTALS = "TCP totals"
_PING = "Ping"


def read_flent(source: Source) -> tuple[Measurement, ...]:
    """
    Read a result of flent.

    Parameters
    ----------
    source : path, bytes or mapping
        A ``.flent.gz`` or ``.flent`` file, or its content, as bytes or as
        parsed JSON.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction of TCP, then one for each series of ping; `part`
        names the series.

    Raises
    ------
    ParseError
        If the file is not a result of flent, unpacks to more than 64 MiB, holds
        neither TCP nor ping, does not tell the unit of a series, or holds a
        value that cannot be; the message names the file and the key.

    Notes
    -----
    A rate is the mean of the samples of a series, those left out that are null;
    flent makes them at equal steps from what netperf prints, whose Mbit are
    10**6 bit. Where a direction has several flows it is their sum, as flent
    computed it. Downloads are counted where they arrive, uploads where they are
    sent. The mean that netperf told for the whole run, and the TCP totals of
    both directions, are compared; totals alone are a rate without a direction.

    Round trips of ping are times of transactions of their own, apart from TCP;
    the mean over several pings is left out where each of them is there, and so
    are UDP flows, other series, what flent saw of the host, and raw values.

    References
    ----------
    flent documentation, data files, versions 3 and 4. Files made from the
    documentation, none captured.
    """
    return _read(read_text(source))


def _read(raw: RawText) -> tuple[Measurement, ...]:
    values = load_json_values(raw)
    if len(values) > 1:
        raise ParseError(raw.source, f"holds {len(values)} results; keep one in a file")
    document = Node(raw.source, "", values[0])
    if not (document.has("x_values") and document.has("results") and document.has("metadata")):
        missing = "it has no x_values, results and metadata"
        raise ParseError(raw.source, f"not a result of flent: {missing}")
    version = document.number("version")
    if version not in _VERSIONS:
        raise document.child("version").fault(f"must be 3 or 4; got {shown(version)}")
    run = _started(raw, document)
    measured = (*_with_totals(document, run, list(_tcp(document, run))), *_pings(document, run))
    if not measured:
        raise document.child("results").fault("holds no series of TCP or ping")
    return measured


def _started(raw: RawText, document: Node) -> Measurement:
    """The run with what holds for all series."""
    metadata = document.child("metadata")
    version = metadata.text("FLENT_VERSION") if _is_told(metadata, "FLENT_VERSION") else None
    ip_version = metadata.count("IP_VERSION") if _is_told(metadata, "IP_VERSION") else None
    if ip_version not in {None, 4, 6}:
        raise metadata.child("IP_VERSION").fault(f"must be 4 or 6; got {ip_version}")
    return Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        tool_version=version,
        recorded_by=Side.CLIENT,
        ip_version=ip_version,
    )


def _is_told(node: Node, key: str) -> bool:
    return node.has(key) and node.child(key).value is not None


def _tcp(document: Node, run: Measurement) -> Iterator[Measurement]:
    """The run, once for each direction of TCP."""
    names = _names(document)
    flows = {start: _flows(document, start) for start in _TCP}
    present = [start for start in _TCP if flows[start]]
    for start in present:
        name = start + _SUM if start + _SUM in names else flows[start][0]
        if name != start + _SUM and len(flows[start]) > 1:
            raise document.child("results").fault(
                f"has {len(flows[start])} series of {start} without {start + _SUM!r}"
            )
        yield _with_rate(
            replace(
                run,
                part=name,
                protocol="tcp",
                direction=_TCP[start],
                is_bidirectional=len(present) > 1,
                stream_count=len(flows[start]),
            ),
            document,
            name,
            flows[start],
        )


def _with_totals(
    document: Node, run: Measurement, measured: list[Measurement]
) -> list[Measurement]:
    """The directions, held against their total; the total alone where there are none."""
    if _TOTALS not in _names(document):
        return measured
    if not measured:
        run = replace(run, part=_TOTALS, protocol="tcp")
        return [_with_rate(run, document, _TOTALS, [_TOTALS])]
    samples = _samples(document, _TOTALS)
    rates_bps = [one.goodput_bps for one in measured if one.goodput_bps is not None]
    if not samples or len(rates_bps) < len(measured):
        return measured
    unit_bps = _unit_bps(document, _flows(document, str(measured[0].part))[0])
    totals_bps = sum(samples) / len(samples) * unit_bps
    warnings = rate_disagreement(f"{_TOOL} as {_TOTALS}", totals_bps, sum(rates_bps), 0.0)
    return [replace(one, warnings=one.warnings + warnings) for one in measured]


def _flows(document: Node, start: str) -> list[str]:
    """The series of flows whose names begin so, or with what a sum is the sum of."""
    start = start.removesuffix(_SUM)
    return [n for n in _names(document) if n.startswith(start) and not _is_computed(n)]


def _is_computed(name: str) -> bool:
    """Whether flent computed the series from others."""
    return name.endswith((_SUM, _MEAN)) or "::" in name


def _with_rate(run: Measurement, document: Node, name: str, flows: list[str]) -> Measurement:
    """The run with the mean of its samples."""
    samples = _samples(document, name)
    if not samples:
        return replace(run, why_no_goodput=f"{name} has no samples")
    units = {_unit_bps(document, flow) for flow in flows}
    if len(units) > 1:
        raise document.child("metadata").fault(f"names several units for {shown(flows)}")
    unit_bps = units.pop()
    goodput_bps = sum(samples) / len(samples) * unit_bps
    told_bps = _told_mean_bps(document, flows, unit_bps)
    warnings: tuple[str, ...] = ()
    if told_bps is not None:
        warnings = rate_disagreement(_TOOL, told_bps, goodput_bps, 0.0)
    is_upload = run.direction is Direction.CLIENT_TO_SERVER
    if is_upload:
        warnings += ("counted at the sender: what lay in socket buffers is included",)
    step_s = document.child("metadata").number("STEP_SIZE")
    return replace(
        run,
        goodput_bps=goodput_bps,
        is_counted_at_sender=is_upload,
        reported_rate_bps=told_bps,
        duration_s=len(samples) * step_s or None,
        warnings=warnings,
    )


def _told_mean_bps(document: Node, flows: list[str], unit_bps: float) -> float | None:
    """The means that netperf told of the whole run, all flows together."""
    told = [_series_metadata(document, flow) for flow in flows]
    if not all(one is not None and _is_told(one, "MEAN_VALUE") for one in told):
        return None
    return sum(one.number("MEAN_VALUE") for one in told if one is not None) * unit_bps


def _pings(document: Node, run: Measurement) -> Iterator[Measurement]:
    """The run, once for each series of ping."""
    names = [name for name in _names(document) if name.startswith(_PING)]
    single = [name for name in names if not _is_computed(name)]
    for name in single or names:
        unit_s = _unit(document, name, _TIMES_S)
        samples = _samples(document, name)
        yield replace(
            run,
            part=name,
            why_no_goodput="a series of ping",
            transaction_time_s=sum(samples) / len(samples) * unit_s if samples else None,
            warnings=() if samples else (f"{name} has no samples",),
        )


def _names(document: Node) -> list[str]:
    results = document.child("results")
    if not isinstance(results.value, dict):
        raise results.fault("must be an object")
    return sorted(results.value)


def _samples(document: Node, name: str) -> list[float]:
    """The samples of a series that are there; each belongs to one time."""
    series = document.child("results").child(name)
    places, times = series.items(), document.child("x_values").items()
    if len(places) != len(times):
        raise series.fault(f"must have the length of x_values, {len(times)}; got {len(places)}")
    holder = Node(series.source, series.path, {str(at): one.value for at, one in enumerate(places)})
    return [holder.number(str(at)) for at, one in enumerate(places) if one.value is not None]


def _unit_bps(document: Node, flow: str) -> float:
    return _unit(document, flow, _RATES_BPS)


def _unit(document: Node, name: str, units: dict[str, float]) -> float:
    """The unit of a series, which must be told."""
    described = _series_metadata(document, name)
    if described is None:
        raise document.child("metadata").fault(
            f"has no SERIES_META of {shown(name)}: no unit is told"
        )
    unit = described.text("UNITS")
    if unit not in units:
        known = " or ".join(units)
        raise described.child("UNITS").fault(f"must be {known}; got {shown(unit)}")
    return units[unit]


def _series_metadata(document: Node, name: str) -> Node | None:
    metadata = document.child("metadata")
    if not (_is_told(metadata, "SERIES_META") and metadata.child("SERIES_META").has(name)):
        return None
    return metadata.child("SERIES_META").child(name)


def _is_flent(text: str) -> bool:
    """Whether it is JSON with what only flent writes."""
    marks = ('"x_values"', '"metadata"', '"results"')
    return text.lstrip()[:1] == "{" and all(mark in text for mark in marks)


FLENT = Format("flent", _is_flent, _read)
