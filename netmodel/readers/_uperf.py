"""
Results of uperf: ``-R``, plain text, and both with the details of ``-a``.

Goodput is that of the transaction with most payload, from its second to its last but one line of
progress: the first and the last interval are partly idle, and the figures of ``Total`` and
``master`` divide by a time that includes connecting and disconnecting, about one second each. Those
are kept as reported_rate_bps. With fewer than four lines of progress, as without an interval, there
is only the figure of ``master``, a lower bound of the goodput.

The master of uperf counts written and read payload together. The flowops of ``-a`` show the
direction; where they write and read, there is no goodput, but the rate and the mean time of
transactions. Without them it is that in which busy interfaces moved more than acknowledgements; if
that were both, the figure is an upper bound of each. Where payload was only written, it is counted
at the sender. Sizes have binary prefixes, rates decimal ones.

References: uperf source, version 1.0.8: ``print.c``, ``numbers.c``.
"""

from collections import Counter, defaultdict
from typing import TypeAlias

from netmodel.consumption import Side
from netmodel.readers._printed import NUMBER, SECONDS, Figure, Hit, Run, prefixed
from netmodel.readers._table import Found, table_format
from netmodel.text import RESULT_DIGITS
from netmodel.units import format_rate
from netmodel.units.prefixes import KIBI

_BYTES = prefixed("B", KIBI) | {name: size for name, size in prefixed("", KIBI).items() if name}
"""The width of its field cuts the B off."""
_BITS = prefixed("b/s")
_ACK_BITS = 8 * 70
"""Most of a packet without payload, as Linux counts: 14 byte of Ethernet, 20 of IPv4, 32 of TCP,
and rounding. Those of IPv6, and with more options, may be requests."""
_FEW_FPS = 100
"""Packets a second of an interface that a shell or a name server used, and no test."""
_SENDING = frozenset({"write", "send", "sendto", "sendfile", "sendfilev"})
_RECEIVING = frozenset({"read", "recv", "recvfrom"})
_SUMMED = "lower bound: its time includes connecting; run uperf with -R -a -i 1 for the goodput"


_Tick: TypeAlias = tuple[Hit, Figure, Figure, float]
"""Progress of a transaction: its line, time, payload up to then, and operations."""


def _read(run: Run, found: Found) -> None:
    master = found.needed("master", "master")
    flowops = Counter[str]()
    for hit in found["flowop"] if found["flowops"] else ():
        flowops[hit.text("name")] += hit.count("count")
    is_sending, is_receiving = (bool(ops & flowops.keys()) for ops in (_SENDING, _RECEIVING))
    if found["nic"] and not flowops:
        nics = [x for x in found["nic"] if x.count("opkts") > _FEW_FPS]
        is_sending = any(x.figure("out", _BITS).value > _ACK_BITS * x.count("opkts") for x in nics)
        is_receiving = any(x.figure("in", _BITS).value > _ACK_BITS * x.count("ipkts") for x in nics)
    if is_sending != is_receiving and ("connect" in flowops) != ("accept" in flowops):
        run.set_direction(is_up=is_sending == ("connect" in flowops))
    # connections are known where each process or thread opened one
    opened, start = flowops["connect"] + flowops["accept"], found.first("start")
    if start and opened == start.count("count"):
        run["stream_count"] = opened
    phases = _phases(found)
    size, rate = _figure(master, "size"), _figure(master, "rate")
    if size is None or rate is None:
        raise master.fault("the unit of the size or of the rate is cut off")
    run.note(*(hit.text("error").strip() for hit in found["complaint"]))
    if not master.text("errors").endswith("nan") and master.figure("errors").value:
        run.note(f"{master.text('errors')} % of the operations failed")
    run.name_hosts([slave.text("host") for slave in found["slave"]])
    moved = {name: ticks[-1][2].value for name, ticks in phases.items()}
    main = max(moved, key=lambda name: moved[name], default="")
    if others := [name for name in moved if name != main and moved[name]]:
        run.note(f"{', '.join(others)} moved payload too; only {main} is read")
    steady = phases.get(main, [])[1:-1]  # the first and the last interval are partly idle
    if flowops and is_sending and is_receiving:
        run["why_no_goodput"] = "uperf adds written and read payload: no goodput of one direction"
        _take_transactions(run, found, flowops, main, steady)
        return
    run["is_at_sender"] = is_sending and not is_receiving
    run["is_upper_bound"] = is_sending == is_receiving
    _take_payload(run, master, size, rate, main, steady)
    if run["is_upper_bound"]:
        run.note("direction not reported: read payload is counted with written payload; use -a")


def _figure(hit: Hit, name: str) -> Figure | None:
    """Return a size or rate; None where the width of its field cut the unit off."""
    if hit.text(f"{name}_unit"):
        return hit.figure(name, _BYTES if name == "size" else _BITS)
    return None if hit.figure(name).value else Figure(0.0)


def _phases(found: Found) -> dict[str, list[_Tick]]:
    """Return the progress of each transaction."""
    phases: dict[str, list[_Tick]] = {}
    for hit in found["raw"] + found["tick"]:
        time_s, is_raw = hit.figure("time"), hit.form == "raw"
        payload_bytes = Figure(hit.count("nr_bytes")) if is_raw else _figure(hit, "size")
        if payload_bytes is None:
            continue
        # text prints operations per second
        op_rate = hit.maybe("ops") or Figure(0.0)
        op_count = hit.count("nr_ops") if is_raw else op_rate.value * time_s.value
        ticks = phases.setdefault(hit.text("name"), [])
        _, last_s, last_bytes, _ = ticks[-1] if ticks else (hit, time_s, payload_bytes, 0.0)
        if time_s.value < last_s.value or payload_bytes.value < last_bytes.value:
            raise hit.fault(f"{hit.text('name')} goes back in time or payload")
        ticks.append((hit, time_s, payload_bytes, op_count))
    return phases


def _take_payload(
    run: Run, master: Hit, size: Figure, rate: Figure, phase: str, steady: list[_Tick]
) -> None:
    """Set the payload of the steady part, or of the whole time without one."""
    is_steady = len(steady) > 1
    if not (steady[-1][2].value if is_steady else size.value and rate.value):
        run["why_no_goodput"] = "uperf moved no payload"
        return
    if is_steady:
        (_, begin_s, first_bytes, _), *_, (hit, end_s, last_bytes, _) = steady
        duration_s = end_s - begin_s
        run.arrive(hit, last_bytes - first_bytes, duration_s)
        where = f"goodput of {phase} in {duration_s.value:.4g} s"
        run.note(f"{where}; uperf's {format_rate(rate.value, RESULT_DIGITS)} includes connecting")
    else:
        run.arrive(master, size, master.figure("time"), rate)
        run.note(_SUMMED)
    run.update(is_lower_bound=not is_steady, leaves_out_start=is_steady)


def _take_transactions(
    run: Run, found: Found, flowops: Counter[str], phase: str, steady: list[_Tick]
) -> None:
    """Set time and rate of the transactions of the steady part; their payload went both ways."""
    counts, totals_s = Counter[str](), defaultdict[str, float](float)
    for hit in found["transaction"]:
        counts[hit.text("name")] += hit.count("count")
        totals_s[hit.text("name")] += hit.count("count") * hit.figure("time").value
    # tables of -a count transactions from 0, lines of progress from 1
    longest = max(totals_s, key=lambda name: totals_s[name], default="")
    name = f"Txn{int(phase.removeprefix('Txn')) - 1}" if phase else longest
    data_ops = sum(flowops[name] for name in _SENDING | _RECEIVING)
    if not counts[name] or not data_ops:
        return
    run["transaction_time_s"] = totals_s[name] / counts[name]
    if len(steady) < 2:
        return
    (_, begin_s, _, first_count), *_, (hit, end_s, _, last_count) = steady
    duration_s = end_s.value - begin_s.value
    if duration_s <= 0 or last_count < first_count:
        raise hit.fault("goes back in time or operations")
    tps = (last_count - first_count) / duration_s * counts[name] / data_ops
    run.update(duration_s=duration_s, leaves_out_start=True, transaction_rate_tps=tps)


_SIZE = rf"(?P<size>{NUMBER})(?P<size_unit>[KMGTPEZ]?B?)"
_RATE = rf"(?P<rate>{NUMBER})(?P<rate_unit>(?:[KMGTPEZ]?b/s)?)"
_TIME = rf"(?P<time>{NUMBER})(?P<time_unit>ns|us|ms|s)"
_STATISTICS = rf"{_TIME} +{_SIZE} +{_RATE} +\d+ +(?P<errors>{NUMBER}|-?nan)"
UPERF = table_format(
    "uperf",
    marks=r"Starting [0-9]+ (?:processes|threads).*running profile:|timestamp_ms:[0-9.]+ name:Txn"
    r"|Hostname +Time +Data +Throughput +Operations"
    rf"|Error connecting to [^\n]*\n\s*\*\* [A-Z]|Txn\d{{1,6}} +{NUMBER}\S* +/ +{NUMBER}\(s\) = ",
    forms={
        "raw": rf"timestamp_(?P<time_unit>ms):(?P<time>{NUMBER}) name:(?P<name>Txn\d{{1,6}})"
        r" nr_bytes:(?P<nr_bytes>\d+) nr_ops:(?P<nr_ops>\d+)",
        "tick": rf"(?P<name>Txn\d{{1,6}}) +{_SIZE} +/ +(?P<time>{NUMBER})\((?P<time_unit>s)\) ="
        rf" +{_RATE}(?: +(?P<ops>{NUMBER})op/s)?",
        "master": rf"master +(?:{_STATISTICS}|.*)",
        "slave": rf"(?P<host>\S+) +{_STATISTICS}",
        "nic": rf"\S+ +(?P<opkts>\d+) +(?P<ipkts>\d+) +(?P<out>{NUMBER})(?P<out_unit>[KMGT]?b/s)"
        rf" +(?P<in>{NUMBER})(?P<in_unit>[KMGT]?b/s)",
        "start": r"Starting (?P<count>\d+) (?:processes|threads).*",
        "transaction": rf"(?P<name>Txn\d{{1,6}}) +(?P<count>\d+) +{_TIME} .*",
        "flowops": r"Flowop +Count .*",
        "flowop": rf"(?P<name>[a-z]\S*) +(?P<count>\d+) +{_TIME} .*",
        "complaint": r"(?:\*\* |(?=Error ))(?P<error>.*)",
    },
    read=_read,
    begins={"start": "start"},
    units={"time": SECONDS},
    fails={"complaint": "master"},
    side=Side.CLIENT,
)
