"""Commands that compute by formulas, and that look up: ``ceiling``, ``catalog``, ``published``."""

from collections.abc import Sequence
from functools import partial
from inspect import signature
from pkgutil import resolve_name
from typing import Annotated, Any, TypeAlias

import click

import netmodel.api as api
import netmodel.ceilings as formulas
import netmodel.consumption as costs
import netmodel.framing as framing
import netmodel.published as documents
import netmodel.symbolic as symbolic
import netmodel.tuning as tuning
from netmodel.api import arguments
from netmodel.api.arguments import ArgumentsError, Kind
from netmodel.ceilings.pcie import FIRST_WITH_FLITS, USUAL_PAYLOAD_BYTES
from netmodel.cli._derived import Question, Stated, print_json
from netmodel.errors import AmbiguousValueError, UnitError
from netmodel.framing.grammar import known_layers, usual_mtu_notes
from netmodel.framing.lengths import FCS_BYTES
from netmodel.framing.presets import LINK_MTU_BYTES, known_presets
from netmodel.records import lookup
from netmodel.records.files import KINDS
from netmodel.report.text import published_blocks
from netmodel.text import RATE_DIGITS, RESULT_DIGITS, number_text, percent_text
from netmodel.units import BITS_PER_BYTE, format_rate, parse_size_bytes

_RFC_2544_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""
_BUS_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_WAYS = ("duplex", "transmit", "receive")
"""Directions of frames through an adapter."""
_CALIBRATED = "calibration.Fit calibration.FeasibleSet calibration.calibrations.ChosenModel"
_RESULTS = {"calibrate": _CALIBRATED, "compare": "published.Answer", "path-mtu": "framing.PathMtu"}
_RESULTS |= {"calibrate-host": "calibration.records.HostCalibration", "published": "published.Row"}
_RESULTS |= {"ceiling": "ceilings.LineCeiling", "plan": "planning.Plan planning.ScenarioPlan"}
_RESULTS |= {"explain": "symbolic.Explanation", "measure": "measuring.measured.MeasuredRun"}
_RESULTS |= {"check": "checking.Verdict readers.Measurement", "predict": "path.Prediction"}
"""Classes of the objects that a command prints."""
_STATED = ("line_rate_bps", "mtu_bytes", "stack", "payload_rate_bps", "bound")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_Bytes: TypeAlias = Annotated[int, Kind("size")]
_Clock: TypeAlias = Annotated[float, Kind("frequency")]
_Cost: TypeAlias = Annotated[str, Kind("cost")]
_Cpus: TypeAlias = Annotated[Sequence[int], Kind("list", "cpus", made=tuning.parse_cpu_list)]
_Formula: TypeAlias = Annotated[str, Kind("formula")]
_Frames: TypeAlias = arguments.Windows | None
_Hops: TypeAlias = Annotated[Sequence[str], Kind("hop", repeats=True)]
_Ids: TypeAlias = Annotated[Sequence[str], Kind("id", repeats=True)]
_Kind: TypeAlias = Annotated[str, Kind("choice", choices=(*KINDS, "instances", "measurements"))]
_Name: TypeAlias = Annotated[str | None, Kind("name")]
_Number: TypeAlias = Annotated[int, Kind("count")]
_OfCeiling: TypeAlias = "Annotated[Any, api.ceiling]"
_Place: TypeAlias = Annotated[str | None, Kind("id|file")]
_Rate: TypeAlias = Annotated[float, Kind("rate")]
_Share: TypeAlias = Annotated[float, Kind("share")]
_Times: TypeAlias = Annotated[float, Kind("ratio")]
_Values: TypeAlias = Annotated[Sequence[str], Kind("name=value", repeats=True)]


@partial(Question, first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"))
def ceiling(
    *, frame_bytes: _Frames = None, packets: bool = False, list_: bool = False, **line: _OfCeiling
) -> Stated:
    """
    Print the payload rate of an Ethernet line, byte by byte.

    Every byte of a frame that is not payload is listed. Give --line-rate, and --mtu or --link-mtu.
    --capacity in its place is the rate that a shaper or a contract allows, in each layer. --frame
    and --packets print frames a second, as routers and DPDK count them.

    \b
    Example: netmodel ceiling --line-rate 25Gbit/s --mtu 9000

    Parameters
    ----------
    frame_bytes : str, optional
        Frames a second of this size, from destination address to FCS, such as 64. [byte]
    packets : bool
        Frames a second of each size of RFC 2544.
    list_ : bool
        List what is known; the layers of --stack with their bytes, and presets.
    """
    if list_:
        return Stated("Known to --stack:", {"layers": known_layers(), "presets": known_presets()})
    if line.keys().isdisjoint({"line_rate_bps", "capacity"}):
        raise ArgumentsError("give {line_rate_bps} or {capacity}")
    rate_bps, capacity = line.get("line_rate_bps"), " and ".join(map(str, line.get("capacity", ())))
    whose = f"{format_rate(rate_bps)} line" if rate_bps else f"capacity of {capacity}"
    carries = f"A {whose} carries at most"
    if frame_bytes is not None or packets:
        others = {name: line[name] for name in sorted(line) if name != "line_rate_bps"}
        arguments.refuse("{frame_bytes} and {packets} are of frames: leave out {name}", **others)
        sizes = _RFC_2544_BYTES if packets else [*map(int, arguments.listed_values(frame_bytes))]
        rates = {size: formulas.frame_rate_fps(rate_bps, size) for size in sizes}
        rows = [{"bound": "upper", "frame_bytes": n, "frame_rate_fps": rates[n]} for n in rates]
        most = f"{rates[min(rates)]:,.0f} frames of {min(rates)} B a second"
        return Stated(f"{carries} {most}.", rows, _STATED)
    found = api.ceiling(**line)
    outer = found.outer_packet_bytes
    carried = f"{format_rate(found.payload_rate_bps, RATE_DIGITS)} of payload"
    if found.stack.transport_notes:
        carried += f" of {found.stack.protocols[-1]} (no transport header)"
    around = f" (at least {outer} outside the tunnel)" if found.stack.tunnel_layers else ""
    sentence = f"{carries} {carried} at MTU {found.mtu_bytes}{around} with {found.stack}."
    notes = [*found.stack.estimates, *usual_mtu_notes(found.stack, found.mtu_bytes)]
    link = framing.Hop("link", LINK_MTU_BYTES, found.stack)  # PPPoE and MPLS count in its MTU
    notes += [link.note.partition(";")[0]] if link.outer_mtu_bytes < outer <= LINK_MTU_BYTES else []
    if any(word in capacity.lower() for word in (" both", " per flow", " for ")):
        notes.insert(0, "of one direction and one flow, at the first rate of a burst")
    data = found.to_dict() | ({"notes": notes} if notes else {})
    return Stated(sentence, data, _STATED, RATE_DIGITS)


@partial(Question, exit_code=lambda answer: int(answer.data["fate"] == "stalls"))
def path_mtu(hops: _Hops, *, sender_mtu_bytes: _Bytes | None = None) -> Stated:
    """
    Find the path MTU, and the fate of larger packets.

    Each HOP is NAME=MTU[,silent][,STACK], in the order from sender to receiver. MTU is the Ethernet
    MTU of the hop; PPPoE and MPLS in front of IP take their bytes from it. "silent" marks a hop
    that drops larger packets without an answer, as a bridge or a MacVTap interface does. STACK is
    the headers of a tunnel or session, such as ipv4/udp/vxlan/ethernet/ipv4/tcp or pppoe/ipv4/tcp;
    ethernet/ in front may be left out. Or a preset, such as calico-vxlan: netmodel ceiling --list.

    Exit code 1: full packets of the sender stall.

    \b
    Example: netmodel path-mtu --sender-mtu 9000 lan=9000 bridge=1500,silent

    Parameters
    ----------
    sender_mtu_bytes : int or str, optional
        MTU of the sending interface; that of the first hop by default. [byte]
    """
    sender = [] if sender_mtu_bytes is None else [framing.Hop("sender", sender_mtu_bytes)]
    path = framing.PathMtu([*sender, *map(_hop, hops)])
    names = " and ".join(hop.name for hop in path.smallest_hops)
    fate = path.outcome(path.hops[0].mtu_bytes).to_dict()
    sentence = f"path MTU {path.mtu_bytes}, set by {names}; {fate['fate']}: {fate['reason']}"
    stated = ("mtu_bytes", "smallest_hops", "fate", "packet_bytes", "reason")
    usual = (hop.stack for hop in path.hops if hop.link_mtu_bytes == LINK_MTU_BYTES)
    notes = [note for stack in usual for note in usual_mtu_notes(stack)]
    return Stated(sentence, path.to_dict() | fate | ({"notes": notes} if notes else {}), stated)


def _hop(text: str) -> "framing.Hop":
    """Return a hop from ``overlay=1500,silent,ipv4/udp/vxlan/ethernet/ipv4/tcp``."""
    name, _, rest = text.partition("=")
    mtu, *options = (part.strip() for part in rest.split(","))
    stacks = [option for option in options if option != "silent"]
    if not (name and mtu and all(options)) or len(stacks) > 1:
        raise ArgumentsError(f"{text!r} is not a hop; write NAME=MTU[,silent][,STACK]")
    stack = framing.parse_stack(stacks[0]) if stacks else framing.tcp_stack()
    return framing.Hop(name, parse_size_bytes(mtu), stack, sends_too_big="silent" not in options)


@Question
def pcie(
    *,
    generation: _Number,
    lanes: _Number,
    max_payload_bytes: _Bytes = USUAL_PAYLOAD_BYTES,
    line_rate_bps: _Rate | None = None,
) -> Stated:
    """
    Print the rates of an adapter over PCIe, by frame size.

    Frames count from destination address to FCS; their Gbit/s leave out the FCS, which does not
    cross the link. The model is of a generic adapter with a kernel driver, not of a product, with
    64-bit addresses and read requests of 512 byte. --line-rate also shows the frame sizes for which
    PCIe cannot keep up.

    Parameters
    ----------
    generation : int or str
        PCIe generation, 1 to 6.
    lanes : int or str
        Number of lanes.
    max_payload_bytes : int or str
        Configured maximum payload size (MPS); 256 by default. [byte]
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``"25 Gbit/s"``. [bit/s]
    """
    bus_rate_bps = formulas.pcie_tlp_ceiling_bps(generation, lanes)
    flits, common = generation >= FIRST_WITH_FLITS, {"max_payload_bytes": max_payload_bytes}
    settings: Any = {"adapter": "modern NIC, kernel driver", "flit_mode": flits, **common}
    ways = {way: getattr(formulas, f"pcie_nic_{way}_rate_bps") for way in _WAYS}
    frames = list[dict[str, Any]]()
    for size in _BUS_FRAMES_BYTES:
        row: dict[str, Any] = {"frame_bytes": size, "bound": "upper"}
        rates = {way: f(bus_rate_bps, size - FCS_BYTES, **settings) for way, f in ways.items()}
        bits = BITS_PER_BYTE * (size - FCS_BYTES)
        if line_rate_bps is not None:
            row["line_frame_rate_fps"] = formulas.frame_rate_fps(line_rate_bps, size)
            row["keeps_up"] = rates["duplex"] / bits >= row["line_frame_rate_fps"]
        row |= {f"{way}_frame_rate_fps": each / bits for way, each in rates.items()}
        frames.append(row | {f"{way}_rate_bps": each for way, each in rates.items()})
    data: dict[str, Any] = {"generation": generation, "lanes": lanes, **common}
    data["raw_rate_bps"] = formulas.pcie_raw_rate_bps(generation, lanes)
    data["tlp_rate_bps"] = formulas.pcie_tlp_rate_bps(generation, lanes, max_payload_bytes)
    data |= {"bound": "upper", "frames": frames}
    most = f"{frames[0]['duplex_frame_rate_fps']:,.0f} frames of {_BUS_FRAMES_BYTES[0]} B a second"
    moves = f"PCIe generation {generation} with {lanes} lanes moves at most {most}"
    return Stated(f"{moves} in both directions at once.", data, ("generation", "lanes", "bound"))


@Question
def convert(
    cost: _Cost, *, payload_bytes: _Bytes | None = None, cpu_frequency_hz: _Clock | None = None
) -> Stated:
    """
    Print a CPU cost in all units.

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message; of a transaction, request and response together. [byte]
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    """
    known: Any = {"transaction_bytes": payload_bytes, "cpu_frequency_hz": cpu_frequency_hz}
    value = costs.parse_consumption_us_per_gbit(cost, **known)
    data = costs.consumption_by_unit(value, payload_bytes, cpu_frequency_hz)
    return Stated(f"{cost} is {number_text(value)} µs/Gbit.", data)


_Units: TypeAlias = Annotated[Any, convert.question]


@Question
def cpus(cost: _Cost, *, rate_bps: _Rate, max_utilisation: _Share = 1, **more: _Units) -> Stated:
    """
    Print how many CPUs a payload rate needs.

    Parameters
    ----------
    rate_bps : float or str
        Payload rate, such as ``"20 Gbit/s"``. [bit/s]
    max_utilisation : float or str
        Share of each stage that may be used; 1 by default.
    """
    us_per_gbit = convert.question(cost, **more).data["us_per_gbit"]
    count = costs.required_cpu_count(us_per_gbit, rate_bps, max_utilisation)
    busy = costs.busy_cpu_count(us_per_gbit, rate_bps)
    data = {"us_per_gbit": us_per_gbit, "busy_cpus": busy, "required_cpus": count}
    data |= {"payload_rate_bps": rate_bps, "max_utilisation_ratio": max_utilisation}
    needs = f"{format_rate(rate_bps, RESULT_DIGITS)} needs {count:,} CPU{'s' * (count != 1)}"
    use = f"{percent_text(max_utilisation, 3)} use; {number_text(busy)} busy"
    return Stated(f"{needs} at {use}.", data)


@Question
def compare(*, cpu_time_ratio: _Times, data_ratio: _Times) -> Stated:
    """
    Compare the CPU cost of two scenarios.

    Parameters
    ----------
    cpu_time_ratio : str
        CPU time of the second scenario over that of the first, such as 1.1.
    data_ratio : str
        Data of the second scenario over those of the first, such as 1.1.
    """
    ratio = float(costs.consumption_ratio(cpu_time_ratio, data_ratio))
    change = "equal" if ratio == 1 else "higher" if ratio > 1 else "lower"
    data, text = {"consumption_ratio": ratio, "change": change}, number_text(ratio)
    times = f"{text} times the CPU time per data: {change} (c2 = {text} c1)"
    return Stated(f"The second takes {times}.", data, stated=(*data,))


@Question
def encode(*, cpu_list: _Cpus) -> Stated:
    """
    Print the mask that steers packets to some CPUs.

    Parameters
    ----------
    cpu_list : str
        CPUs, such as ``"0,1,3,6"`` or ``"0-7"``.
    """
    mask = tuning.encode_rps_mask(cpu_list)
    return Stated(mask, {"mask": mask, "cpus": [*cpu_list]}, stated=("mask", "cpus"))


@click.group(commands=[convert, cpus, compare])
def consumption() -> None:
    """CPU cost per data: convert, compare, CPUs needed.

    A COST is CPUs at a rate, "30 % of 8 CPUs at 9.4 Gbit/s", or has a unit: "100000 us/Gbit",
    "6.95 ms/MiB", "0.739 us/KiB" (what netperf calls us/KB), "0.0244 ms/transaction",
    "4.16 cycles/byte", "0.1 cores/(Gbit/s)", "10 (Gbit/s)/core".
    """


@click.group(commands=[encode])
def rps() -> None:
    """Encode a mask of CPUs for packet steering.

    Receive packet steering (RPS) spreads the packets of a receive queue over CPUs. A mask, as in
    rps_cpus of a queue, is hexadecimal, CPU 0 the lowest bit, with a comma between groups of 32
    bits. What steering gains is a question to netmodel compare: rps=off against rps=on.
    """


@Question
def list_(kind: _Kind | None = None, *, where: _Values = ()) -> Stated:
    """
    Print id, title, weakest grade and sources of each record.

    KIND is adapters, hosts, links, paths, workloads, instances of clouds, or measurements of
    others, such as packet rates of network cards. Default: all but the last two.

    \b
    Example: netmodel catalog list adapters --where line_rate=25Gbit/s

    Parameters
    ----------
    where : sequence of str
        Only those with this value, such as line_rate=25Gbit/s; a figure in any unit, or part of a
        text.
    """
    with arguments.refusing("where", UnitError):
        wanted = {name: str(value) for name, value in arguments.named_values(where).items()}
    keys = ("id", "kind", "grade", "source", "title")
    named = [one.named | {"kind": of} for of, one in lookup.catalog_records(kind, wanted)]
    return Stated(f"Records: {len(named)}", [{key: each[key] for key in keys} for each in named])


@partial(Question, text=lambda answer, _: [str(answer["record"])])
def show(name: Annotated[str, Kind("name|file")], *, kind: _Kind | None = None) -> Any:
    """
    Print a record, each value with its source.

    NAME is an id that catalog list prints, FILE your own record in a .toml file.

    Parameters
    ----------
    kind : str, optional
        Kind of the record, such as adapters; required for a file.
    """
    with arguments.refusing("kind", AmbiguousValueError):
        return {"record": lookup.record(name, kind), "kind": kind or lookup.kind_of(name)}


@Question
def explain(formula: _Formula = "", values: _Values = (), *, list_: bool = False) -> Stated:
    """
    Print a calculation: formula, numbers, result and source.

    FORMULA is the name of a public formula, such as payload_rate_bps; values have a unit, or are in
    the base unit that their name ends in:

    \b
    netmodel explain payload_rate_bps line_rate_bps=25Gbit/s mtu_bytes=1500

    Parameters
    ----------
    list_ : bool
        List what is known; with words in place of FORMULA, the formulas that have all of them.
    """
    if list_:
        return _formulas(formula, *values)
    if not formula:
        raise ArgumentsError("name a formula, or list all with {list_}")
    found = symbolic.explain(formula, **arguments.named_values(values))
    return Stated(str(found), data := found.to_dict(), [*data])


def _formulas(*words: str) -> Stated:
    """Return the formulas whose name, summary and arguments have all words."""
    from netmodel.symbolic.docstrings import documentation
    from netmodel.symbolic.formulas import formulas_by_name

    rows = []
    for name, function in formulas_by_name().items():
        known, names = documentation(function), list(signature(function).parameters)
        summary = known.summary.removeprefix("Return ")
        row = {"formula": name, "arguments": names, "summary": summary[:1].upper() + summary[1:]}
        is_number = known.result_type.startswith(("float", "int")) and "text" not in names
        if is_number and all(word.lower() in f"{row}".lower() for word in words):
            rows.append(row)
    return Stated(f"Formulas: {len(rows)}" if rows else "No formula has these words.", rows)


@partial(Question, text=published_blocks)
def published(ids: _Ids = (), *, workload: _Place = None, quantity: _Name = None) -> Any:
    """
    List published figures of adapters, paths and workloads.

    Each row is one printed figure, or one ratio of a case to another, with every condition that its
    document fixes, and the place in the document. With several ids, rows that name all of them.

    \b
    Example: netmodel published osa-express7s-25gbe roce-express2.1-25gbe
                 --quantity throughput

    Parameters
    ----------
    workload : str, optional
        Messages to exchange: a workload of the catalog, or your own in a ``.toml`` file; any by
        default.
    quantity : str, optional
        Quantity wanted; such as throughput or transaction_time.
    """
    if found := documents.listing(ids, workload, quantity):
        return found
    raise ArgumentsError("no document has a row about all of these: leave one out")


@click.command("schema")
@click.argument("name", type=click.Choice((*sorted(_RESULTS), *KINDS, "scenarios")), metavar="NAME")
def schema(name: str) -> None:
    """Print the JSON Schema of an answer or of a file.

    NAME is a command, such as check: the schema holds for the object that it prints with --json,
    or for each in its list; not for what --list, --frame and --packets print. Or NAME is a kind of
    file, for an editor: adapters, hosts, links, paths, workloads or scenarios.
    """
    from netmodel.schemas import schema_of

    if name not in _RESULTS:
        return print_json(lookup.schema_of(name))
    kinds = [resolve_name(f"netmodel.{place}") for place in _RESULTS[name].split()]
    return print_json({"$schema": _DIALECT, "anyOf": [*map(schema_of, kinds)]})


@click.group(commands=[list_, show])
def catalog() -> None:
    """Records of adapters, hosts, links, paths, workloads.

    They come with netmodel, each value with its source. Your own file prints the same way.
    """
