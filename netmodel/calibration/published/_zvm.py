"""Network paths of z/VM guests: costs and limits of their clients, from the published tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from netmodel._text import listed
from netmodel.calibration._observed import Observed
from netmodel.calibration._recorded import known_payload_text
from netmodel.calibration.published._documents import Document, decimal_of, points, time_text
from netmodel.calibration.published._zvm_costs import Load, PartCosts, part_costs
from netmodel.calibration.published._zvm_tables import (
    COUNT,
    PARTS,
    STREAM,
    TOTAL,
    FrameLimit,
    Series,
    series,
)
from netmodel.consumption import ConsumptionUnit, from_us_per_gbit
from netmodel.errors import UnknownRecordError
from netmodel.records import Grade, host, host_ids

__all__ = ["zvm_documents"]

_UNKNOWN = (
    "what limits requests, and a single stream: no limit of this path is reached",
    "CPU times of what the client sends, but for the requests of the tables",
)
_UNKNOWN_OF_ATTACHMENT = {
    "zvm-vswitch": (
        "whether z/VM takes part in path MTU determination",
        "adapter generation of the 1 GbE card",
        "division of CP time between virtual switch and adapter driver",
        "costs of the server side",
    ),
    "zvm-direct-osa": (
        "whether z/VM takes part in path MTU determination",
        "what CP does per packet",
        "costs of the server side",
    ),
}
_KINDS = {"guest": "protocol-cpu", "hypervisor": "hypervisor-cpu"}
_ATTACHMENTS = {"zvm-vswitch": "virtual switch", "zvm-direct-osa": "direct attachment"}


def zvm_documents() -> dict[tuple[str, str], Document]:
    """
    Paths of a z/VM guest to its line, each with the CPU times of the client.

    Returns
    -------
    documents : dict of (str, str) to dict
        By kind, ``"paths"``, and id: what `netmodel.records.record_text` takes.
        Through a virtual switch and directly attached, in layers 2 and 3.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Notes
    -----
    The client receives streams, of which the tables tell the CPU time of the guest
    (emulation) and of the hypervisor (CP) at one MTU or two. For each number of
    clients two MTUs give the time of a frame and of a byte; one MTU gives their sum,
    so that all of it may be of frames or of bytes. What is stored are these times
    for each number of clients: of figures as printed, and with their rounding. A request
    takes what its CPU time exceeds that of the frame and bytes of its response by; that is
    all that is told of what the client sends.

    References
    ----------
    IBM, "Layer 3 and Layer 2 Comparisons", z/VM performance report, tables 1 and 5 to 12.

    Examples
    --------
    >>> document = zvm_documents()["paths", "zvm-vswitch-layer3-1gbe"]
    >>> ten = document["stages"][0]["in"]["at"][1]
    >>> ten["connections"], ten["vertices"][0]
    (10, {'per_frame': '2.651879883 µs', 'per_byte': '1.381835937 ns'})
    """
    return {("paths", _id(one)): _document(one) for one in series()}


def _id(one: Series) -> str:
    return f"{one.path}-layer{one.layer}-{one.line_rate_gbps:g}gbe"


def _document(one: Series) -> Document:
    costs = {name: part_costs(one, part) for name, part in PARTS.items()}
    frame_limit = one.frame_limit()
    notes = {name: "; ".join(_notes(name, one, found)) for name, found in costs.items()}
    description = " ".join(f"{name}: {text}." for name, text in notes.items() if text)
    return {
        "title": f"z/VM guest over {one.line_rate_gbps:g} GbE, "
        f"{_ATTACHMENTS[one.path]}, layer {one.layer}: costs of the client",
        **({"description": description} if description else {}),
        "unknown": [
            *_UNKNOWN_OF_ATTACHMENT[one.path],
            *_UNKNOWN,
            *_unknown(costs, frame_limit),
        ],
        "defaults": _defaults(one),
        "client": {"adapter": one.adapter, "host": _host_id(one.adapter)},
        "stages": [
            *(_cpu_stage(name, one, found) for name, found in costs.items()),
            *([_switch_stage(frame_limit)] if frame_limit else []),
        ],
    }


def _host_id(adapter: str) -> str:
    """The z/VM machine with this adapter."""
    for name in host_ids():
        machine = host(name)
        if machine.kind == "z/vm" and adapter in machine.adapters:
            return name
    raise UnknownRecordError(f"no host of z/VM has the adapter {adapter}")


def _defaults(one: Series) -> dict[str, str]:
    return {
        "source": one.source.source,
        "locator": _tables(one),
        "grade": Grade.FITTED.value,
        "note": f"dataset {one.source.id}: times that have the printed costs, with as many clients "
        "as connections",
    }


def _tables(one: Series) -> str:
    return f"tables {listed(one.tables)}"


def _unknown(costs: Mapping[str, PartCosts], frame_limit: FrameLimit | None) -> Iterator[str]:
    guest = costs["guest"]
    if not guest.requests:
        yield "CPU time of requests: the printed figures would keep more CPUs busy than there are"
    if len({one.at["mtu_bytes"] for one in guest.streams}) == 1:
        yield "how CPU time divides into frames and bytes: one MTU was measured"
    for name, found in costs.items():
        if any(load.apart for load in found.loads):
            yield (
                f"how time of the {name} divides into frames and bytes: its figures at two MTUs "
                "contradict any such times"
            )
    if frame_limit:
        yield (
            "how many frames the virtual switch takes from the client, acknowledgements among "
            "them: taken as those to it"
        )


def _cpu_stage(name: str, one: Series, costs: PartCosts) -> dict[str, Any]:
    stage: dict[str, Any] = {
        "name": name,
        "kind": _KINDS[name],
        "side": "client",
        "in": {
            "known_payload": known_payload_text(costs.payloads_bytes),
            "at": [_at(load, points(load.times), load.printed_count) for load in costs.loads],
        },
    }
    if costs.requests:
        stage["out"] = {
            "known_payload": known_payload_text([costs.request_payload_bytes]),
            "at": [
                _at(load, [{"per_message": time_text(time_s)} for time_s in load.per_request_s], 1)
                for load in costs.loads
                if load.per_request_s
            ],
        }
    if name == "guest":
        stage |= _virtual_cpus(one)
    return {**stage, "incomplete": ["out"]}


def _at(load: Load, vertices: list[Document], printed_count: int) -> Document:
    printed = {} if printed_count == len(vertices) else {"printed_count": printed_count}
    return {"connections": load.connection_count, "vertices": vertices, **printed}


def _virtual_cpus(one: Series) -> dict[str, Any]:
    """How many the guest has; whether a stream keeps to one of them, where it was seen not to."""
    count = one.cpu_count("virtual_cpu_count")
    servers = {
        "value": count,
        "unit": "1",
        "source": one.source.source,
        "locator": f"{_tables(one)}, lines below",
        "grade": Grade.PUBLISHED.value,
        "note": "virtual CPUs of the guest",
    }
    keeps_to_one = {} if one.most_busy_guest_cpus_of_one() <= 1 else {"serial": False}
    return {"servers": servers, **keeps_to_one}


def _switch_stage(limit: FrameLimit) -> dict[str, Any]:
    counts = listed(one.at[COUNT] for one in limit.observed)
    (mtu_bytes,) = {one.at["mtu_bytes"] for one in limit.observed}
    return {
        "name": "virtual-switch",
        "kind": "virtual-switch",
        "side": "client",
        "frame_rate_cap": {
            "relation": "range",
            "low": decimal_of(limit.low_fps),
            "high": decimal_of(limit.high_fps),
            "unit": "1/s",
            "grade": Grade.FITTED.value,
            "note": f"streams of {counts} clients at MTU {mtu_bytes}, which use "
            f"{limit.line_use_ratio:.0%} of the line and {limit.cpu_use_ratio:.0%} of the CPUs "
            "at most",
        },
    }


def _notes(name: str, one: Series, costs: PartCosts) -> Iterator[str]:
    yield from _misfit(costs)
    if name == "guest":
        yield from _virtual_cpus_note(one)
    else:
        yield from _total_note(one)


def _misfit(costs: PartCosts) -> Iterator[str]:
    """How far costs are from any times of frames and bytes, and what is stored in place of them."""
    apart = {load.connection_count: load.apart for load in costs.loads if load.apart}
    for count, one in apart.items():
        yield (
            f"with {_clients(count)} a frame would have to take {one.per_frame_s * 1e6:.4g} µs: "
            f"{one.conflict}"
        )
    if apart:
        yield "stored are the least squares, and what each figure alone allows without that time"


def _virtual_cpus_note(one: Series) -> Iterator[str]:
    busy_count = one.most_busy_guest_cpus_of_one()
    if busy_count > 1:
        yield f"a single stream keeps {busy_count:.3g} virtual CPUs busy: not bound to one of them"


def _total_note(one: Series) -> Iterator[str]:
    """Where the two parts do not add up to the total that is printed."""
    parts = [one.costs(part, STREAM) for part in PARTS.values()]
    for total, *several in zip(one.costs(TOTAL, STREAM), *parts, strict=True):
        if not _add_up(total, several):
            added = sum(part.figure or 0.0 for part in several)
            yield (
                f"{_clients(total.at[COUNT])} at MTU {total.at['mtu_bytes']}: guest and hypervisor "
                f"add up to {_ms_per_mib(added)} ms/MiB, printed are {_ms_per_mib(total.figure)}"
            )


def _clients(count: object) -> str:
    return f"{count} client{'s' * (count != 1)}"


def _add_up(total: Observed, parts: list[Observed]) -> bool:
    return sum(part.low for part in parts) <= total.high and total.low <= sum(
        part.high for part in parts
    )


def _ms_per_mib(us_per_gbit: float | None) -> str:
    assert us_per_gbit is not None
    return f"{from_us_per_gbit(us_per_gbit, ConsumptionUnit.MS_PER_MIB):.4g}"
