"""What documents state of what was there: facts of a set-up, settings and counters."""

from collections.abc import Callable

from netmodel.judging._evidence._book import drained_ms
from netmodel.records import StatedQuantity, Statement, adapter
from netmodel.transport import propagation_round_trip_s, required_window_bytes
from netmodel.tuning import buffer_drain_time_s
from netmodel.units import format_rate, parse_rate_bps

__all__ = ["fact"]

Q = StatedQuantity
_MS = 1e3
_DEFAULT_QUEUE = 1000
_FACTS = {
    Q.LINE_RATE: "the line rate of what the text is about, from which ceilings are computed: "
    "given, not a result",
    Q.MTU: "an MTU that is set or usual, from which frames are computed: given, not a result",
    Q.MESSAGE_SIZE: "a message size of the workload, from which frames are computed: given, "
    "not a result",
    Q.PAYLOAD_SIZE: "the size of what the tests sent: given, not a result",
    Q.CONNECTION_COUNT: "the number of connections of a run: given, not a result",
    Q.VERSION: "the version of what was used: given, not a result",
    Q.DURATION: "how long a measurement took: given, not a result",
    Q.PROCESSOR_COUNT: "processors of the set-up: given, not a result",
    Q.CORE_COUNT: "cores of the set-up: given, not a result",
    Q.THREAD_COUNT: "threads of the set-up or of a tool: given, not a result",
    Q.CLOCK_RATE: "the clock of the set-up: given, not a result",
    Q.MEMORY_SIZE: "memory of the set-up: given, not a result",
    Q.ERROR_COUNT: "one counter of one host: what ran on it is not told",
    Q.DROP_COUNT: "one counter of one host: what ran on it is not told",
    Q.PACKET_COUNT: "one counter of one host: what ran on it is not told",
    Q.BYTE_COUNT: "one counter of one host: what ran on it is not told",
    Q.PAYLOAD_RATE: "names no MTU, without which it is not told what the line carries",
    Q.THROUGHPUT: "the trunks allow it, at about 13 Gbit/s each; that they do is no evidence, and "
    "the CPU cost that may bind first is not printed",
}


def fact(told: Statement) -> str | None:
    """Why nothing predicts an absolute figure; None where this is not known."""
    if told.quantity is Q.LINE_RATE and "txqueuelen" in (told.subject.setting or ""):
        return _rule_of_thumb(told)
    if told.quantity is Q.PROCESSOR_COUNT and told.value == 0:
        return "says that no hardware takes work off the processors: a property, not a result"
    made = _MADE.get(told.quantity)
    return made(told) if made else _FACTS.get(told.quantity)


def _rule_of_thumb(told: Statement) -> str:
    time_ms = drained_ms(_DEFAULT_QUEUE, parse_rate_bps(f"{told.value} Gbit/s"))
    return (
        f"a rule of thumb: {_DEFAULT_QUEUE} full frames leave in {time_ms:.3g} ms at that rate, "
        "and how long a burst the queue has to hold is not printed"
    )


def _item(told: Statement) -> str:
    item = told.subject.item or ""
    if told.subject.setting == "rps_cpus":
        return "how a mask is written, from which masks are computed: given, not a result"
    if item == "Metric":
        return "a preference of routes that a command shows: given, not a result"
    if "without the gain" in item:
        return "a count of results that the document does not show"
    return f"a count of what was set up or is listed ({told.subject.item}): given, not a result"


def _distance(told: Statement) -> str:
    if told.value is None or told.unit != "km":
        return "a reach that the vendor supports: given, not a result"
    trip_s = float(propagation_round_trip_s(1e3 * float(told.value)))
    window_mb = float(required_window_bytes(10e9, trip_s)) / 1e6
    return (
        f"a length of fibre: given, not a result; a round trip over it takes {_MS * trip_s:.3f} ms "
        f"at least, and 10 Gbit/s then need {window_mb:.3g} MB under way, a window that is not "
        "printed"
    )


def _buffer_count(told: Statement) -> str:
    if told.source == "powervm":
        return (
            "a setting that was chosen; the sizes of these classes of buffers are not printed, so "
            "that no memory follows, and the bursts that they have to hold are not either"
        )
    count = float(told.value or 0)
    time_ms = _MS * float(buffer_drain_time_s(count, 25e9))
    buffers = adapter("osa-express6s-10gbe").buffers
    allowed = ""
    if buffers and buffers.count_minimum and buffers.count_maximum:
        allowed = f" from {buffers.count_minimum.value} to {buffers.count_maximum.value}"
    return (
        f"a setting that was chosen{allowed}: nothing predicts the choice; {count:g} buffers of "
        f"64 KiB hold what comes in {time_ms:.2g} ms at 25 Gbit/s"
    )


def _queue_count(told: Statement) -> str:
    if told.subject.adapter is None:
        return "a count of the queues that the text names, not a result"
    return (
        "a property of the adapter, which its record takes from here and predictions spread flows "
        "over: nothing predicts it"
    )


def _queue_length(told: Statement) -> str:
    count = float(told.value or 0)
    times = " and ".join(
        f"{drained_ms(count, rate_bps):.3g} ms at {format_rate(rate_bps)}"
        for rate_bps in (1e9, 10e9)
    )
    return f"a setting as a command shows it, which leaves in {times}: nothing predicts it"


def _buffer_size(_: Statement) -> str:
    return "a setting that was chosen: nothing predicts it"


_MADE: dict[StatedQuantity, Callable[[Statement], str]] = {
    Q.ITEM_COUNT: _item,
    Q.DISTANCE: _distance,
    Q.BUFFER_COUNT: _buffer_count,
    Q.BUFFER_SIZE: _buffer_size,
    Q.QUEUE_COUNT: _queue_count,
    Q.QUEUE_LENGTH: _queue_length,
}
