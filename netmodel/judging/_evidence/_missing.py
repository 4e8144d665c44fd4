"""What is missing to compute how two things compare that a document compares."""

from netmodel.consumption import cpu_time_ratio, data_ratio_at_fixed_concurrency
from netmodel.judging._evidence._book import Book
from netmodel.records import Change, StatedQuantity, Statement

__all__ = ["missing_for_comparison"]

Q = StatedQuantity
_CPU = {
    Q.CPU_CONSUMPTION,
    Q.CPU_EFFICIENCY,
    Q.CPU_UTILISATION,
    Q.CPU_TIME,
    Q.CPU_TIME_PER_TRANSACTION,
}
_NO_QUANTITY = "names no quantity that is better, or by how much"
_SHARED_ADAPTER = (
    "takes the CPU cost and the time of a Shared Ethernet Adapter, which are not printed"
)
_SAYS_AGAIN = (
    "that CPUs bind is what the records of these paths are made from (powervm-cpu-linear): a path "
    "that says it again is no evidence"
)
_NO_DIRECT_OSA = "no table compares two levels of z/VM on a direct OSA"
_CPU_OF_PACKETS = "takes the CPU cost of frames and of bytes, which is not printed"
_QUEUE_BURSTS = "takes the bursts that fill the queue, which are not printed"
_BUFFER_BURSTS = "takes the bursts that fill the buffers, which are not printed"
_PART_WORDS = (
    ("bottleneck", "says what a bottleneck is, and no figure that could be missed"),
    ("enough data", "says that a sender has to send, and no figure that could be missed"),
    ("losses", "takes a rate of losses, which is not printed"),
    ("full queue", _QUEUE_BURSTS),
    ("queue size", _QUEUE_BURSTS),
    ("txqueuelen, increased", _QUEUE_BURSTS),
    ("txqueuelen, too large", "takes the CPU cost of a packet that waits, which is not printed"),
    ("buffer_count", _BUFFER_BURSTS),
    ("buffers increased", _BUFFER_BURSTS),
    ("very high load", _BUFFER_BURSTS),
    ("checksumming", "takes the CPU time of a checksum, which is not printed"),
    (
        "tcp_recvspace",
        "takes the round trip and the CPU cost of a virtual switch, which are not "
        "printed; the size of the buffer alone tells neither",
    ),
    ("dcbflush", "takes the CPU cost of a cache flush, which is not printed"),
    (
        "tuned attributes",
        "four attributes together, by measurement: what each does to the CPU cost is not printed",
    ),
    ("mtu_bypass", "takes the CPU cost of large sends, whose figures are in a picture"),
    ("host MTU smaller", "says that a connection hangs, which is no rate"),
    ("packet in the host", "says what a host does with a packet; no quantity follows"),
    ("round trips", "takes the windows that a transfer waits for, which are not printed"),
    ("disassembly", "says what a larger packet spares; no quantity is counted"),
    ("context switch", "takes the CPU time of a switch of context, which is not printed"),
    ("hardware-direct", _SHARED_ADAPTER),
    ("dedicated physical", _SHARED_ADAPTER),
    ("enough CPU", _SAYS_AGAIN),
    ("more CPU allocated", _SAYS_AGAIN),
    ("PCI Express Gen2", "names no results that could be compared"),
    (
        "line speed of 10Gbit",
        "a trunk of about 13 Gbit/s does not keep it from the line: the CPU "
        "cost that does is not printed",
    ),
    (
        "short distance",
        "takes the CPU cost of both transports, and neither cost nor distance is printed",
    ),
    ("initial benchmarks", "names no distance that could be compared"),
    (
        "guests on one KVM host",
        "no line is between guests on one host: what larger packets gain is the CPU cost of frames "
        "that they spare, which is not printed, and one figure is printed for several quantities",
    ),
    ("guests on separate KVM hosts", _CPU_OF_PACKETS),
    ("larger packet size", _CPU_OF_PACKETS),
    (
        "smaller MTU",
        "not tested by the document, which does not name the MTU compared with either; "
        "a virtual switch has no line that framing could be computed for",
    ),
    ("direct OSA", _NO_DIRECT_OSA),
    ("guest LAN", "no table is about a guest LAN"),
)
"""Parts of words for what is compared, and what it would take to compute it."""


def missing_for_comparison(told: Statement, book: Book) -> str | None:
    """What is missing to compute how the subject stands to the baseline; None where not known."""
    subject, baseline = told.subject, told.baseline
    if subject.receive_packet_steering is not None:
        return _of_steering(told, book)
    if told.source == "zvm" and subject.hypervisor_level and "direct-osa" in (subject.path or ""):
        return _NO_DIRECT_OSA
    if subject.load is not None and told.source == "zvm":
        return "which numbers of clients it speaks of is not said, and they differ in sign or size"
    if told.quantity is Q.MTU:
        return "a rule for how MTUs are to be set or found, not a result"
    if "parallel" in (subject.setting or ""):
        return "takes the number of CPUs that several processes may keep busy, which is not printed"
    if subject.tool or (baseline and baseline.version and told.source == "powervm"):
        return "compares tools or systems by name, whose CPU cost is not printed"
    if subject.adapters and told.source == "adapter":
        return _of_adapters(told, book)
    words = " ".join(
        str(part)
        for config in (subject, baseline)
        if config is not None
        for part in (config.setting, config.item, config.version)
        if part
    )
    for part, why in _PART_WORDS:
        if part in words:
            return (
                why if told.quantity is not Q.GAIN or told.has_figure else f"{_NO_QUANTITY}; {why}"
            )
    if "smcr" in (subject.transport, baseline and baseline.transport):
        return _of_smcr(told)
    return _of_words(told)


def _of_words(told: Statement) -> str | None:
    if told.quantity is Q.GAIN:
        return _NO_QUANTITY
    if told.quantity is Q.DISTANCE:
        return "names no distance that could be compared"
    if told.subject.item and "scenario" in told.subject.item:
        return "a rule of definition, consumption being CPU time over data: true without figures"
    return None


def _of_adapters(told: Statement, book: Book) -> str:
    subject = told.subject
    if told.quantity is Q.GAIN:
        return _NO_QUANTITY
    if told.quantity in _CPU:
        return (
            "takes the CPU cost of the driver of each adapter, of which the document prints "
            "ratios only, this one among them"
        )
    named = subject.all_workloads
    if not named or subject.mtu_bytes is None:
        return "names no workload or no MTU, so that no case of it can be predicted"
    limited = {count for name in named for count in book.limited_counts(name)}
    few = [count for count in subject.connection_counts if count not in limited]
    if few or not limited:
        counts = " and ".join(map(str, few))
        at = f"with connections as few as {counts}" if limited else "with small messages"
        return (
            f"{at} the hosts may bind, whose times are not printed: adapters and line bound what "
            "it compares from above only, which allows it"
        )
    return (
        "names no numbers of connections: where adapters or lines bind both are at line speed, "
        "and with fewer connections the hosts may bind, whose times are not printed"
    )


def _of_smcr(told: Statement) -> str:
    if told.quantity in _CPU:
        return "takes the CPU cost of both transports, which is not printed"
    return (
        "takes the time that each transport spends at the ends, and its windows, which are not "
        "printed; the round trip of the fibre alone does not tell how they compare"
    )


def _of_steering(told: Statement, book: Book) -> str:
    """Steering spreads frames over processors, for more work in all."""
    if told.quantity is Q.GAIN:
        return (
            f"{_NO_QUANTITY}; the price of steering, and the load of the one processor that it "
            "relieves, are not printed"
        )
    identity = _cpu_time(told, book)
    why = (
        "steering adds work for each frame and changes how many frames one wake-up serves: which "
        "of the two is more takes times that are not printed"
    )
    return f"{why}; {identity}" if identity else why


def _cpu_time(told: Statement, book: Book) -> str | None:
    """CPU time that the printed changes of transaction time and consumption come to together."""
    counts = told.subject.connection_counts
    pairs = {
        other.quantity: other
        for other in (told, *book.others(told, connection_counts=counts))
        if other.value is not None
        and other.subject.adapter == told.subject.adapter
        and other.subject.receive_packet_steering
        and other.subject.side in (None, told.subject.side or other.subject.side)
    }
    time, cost = pairs.get(Q.TRANSACTION_TIME), pairs.get(Q.CPU_CONSUMPTION)
    if time is None or cost is None or told.value is None:
        return None
    data = float(data_ratio_at_fixed_concurrency(_ratio(time)))
    used = float(cpu_time_ratio(_ratio(cost), data))
    return (
        f"by the identity of both, {time.claim} is {data:.3f} times the data, and with "
        f"{cost.claim} {used:.3f} times the CPU time, which is not printed"
    )


def _ratio(told: Statement) -> float:
    part = float(told.value or 0) / 100
    return 1 + part if told.change is Change.MORE else 1 - part
