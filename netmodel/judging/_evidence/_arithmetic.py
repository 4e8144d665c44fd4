"""Worked examples, masks, buffers and counters, by arithmetic on what is printed beside them."""

from collections.abc import Iterable
from typing import Any

from netmodel.consumption import consumption_ratio
from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._computed import Computed, change_in_words, exactly, size_in_words
from netmodel.records import Change, StatedQuantity, Statement, adapter

__all__ = [
    "buffers",
    "consumption_examples",
    "default_buffers",
    "doubled_buffer",
    "masks",
    "named_processors",
    "processors_of_cores",
    "short_counters",
    "threads",
]

Q = StatedQuantity
_BUFFER_BYTES = 64 * 1024
_KIB = 1024
_STEERED, _STEERED_HOST = "rps_cpus", "z15-lpar-4core-smt2"
_REFERENCE_ADAPTER = "osa-express5s-10gbe"


def consumption_examples(told: Statement, book: Book) -> Computed | None:
    """What the worked examples on consumption come to."""
    if told.quantity is not Q.CPU_CONSUMPTION:
        return None
    parts = {
        name: [one for one in book.others(told, **about) if set(one.given) == {name}]
        for name, about in _example_parts(told)
    }
    given = {
        name: value
        for one in (told, *book.others(told, subject=told.subject))
        for name, value in one.given.items()
    }
    if not set(parts) <= set(given):
        return None
    ratio = float(consumption_ratio(*(float(str(given[name])) for name in parts)))
    how = f"consumption_ratio of {given['cpu_time_ratio']} and {given['data_ratio']}"
    used = [one for found in parts.values() for one in found]
    return change_in_words(told, ratio, ratio, how, _ids(used))


def masks(told: Statement, _: Book) -> Computed | None:
    """The mask of processors that the text names."""
    cpus = told.given.get("cpus")
    if told.quantity is not Q.CPU_MASK or not isinstance(cpus, tuple):
        return None
    mask = sum(1 << int(str(cpu)) for cpu in cpus)
    return exactly(mask, told, f"one bit for each of the processors named, {mask:#x} and {mask:#b}")


def named_processors(told: Statement, _: Book) -> Computed | None:
    """How many processors, or bits of a mask, there are of those that are named or counted."""
    cpus, count = told.given.get("cpus"), told.given.get("processors")
    if told.quantity is Q.CORE_COUNT and isinstance(cpus, tuple) and cpus:
        how = f"processors named, {cpus[0]} to {cpus[-1]}; threads where cores have two of them"
        return exactly(len(cpus), told, how)
    if told.quantity is Q.ITEM_COUNT and count is not None:
        return exactly(float(str(count)), told, "one bit for each processor")
    return None


def processors_of_cores(told: Statement, book: Book) -> Computed | None:
    """Processors of an LPAR from its cores and their threads, which the set-up tells."""
    if told.quantity is not Q.PROCESSOR_COUNT or told.subject.setting != _STEERED:
        return None
    lpar = {"host": _STEERED_HOST}
    cores = book.figure(told, quantity=Q.CORE_COUNT, item="one LPAR", **lpar)
    each = book.figure(told, quantity=Q.THREAD_COUNT, item="one core", **lpar)
    if cores is None or each is None:
        return None
    how = f"{cores[1]:g} cores ({cores[0]}) of {each[1]:g} threads ({each[0]})"
    return exactly(cores[1] * each[1], told, how, [cores[0], each[0]])


def threads(told: Statement, _: Book) -> Computed | None:
    """Hardware threads of so many cores."""
    factors = [told.given.get(name) for name in ("cores", "threads_per_core")]
    if told.quantity is not Q.THREAD_COUNT or None in factors:
        return None
    cores, threads_per_core = (float(str(value)) for value in factors)
    return exactly(cores * threads_per_core, told, "cores times threads of a core")


def buffers(told: Statement, _: Book) -> Computed | None:
    """Memory of so many buffers of 64 KiB."""
    count = told.given.get("buffer_count")
    if told.quantity is not Q.BUFFER_MEMORY or count is None:
        return None
    total_bytes = int(str(count)) * _BUFFER_BYTES
    readings = [total_bytes, total_bytes * 1e6 / 2**20] if told.unit == "MB" else [total_bytes]
    return size_in_words(told, readings, f"{count} buffers of 64 KiB")


def doubled_buffer(told: Statement, book: Book) -> Computed | None:
    """A buffer size against twice the default that is printed elsewhere."""
    is_size = told.quantity is Q.BUFFER_SIZE and told.unit == "byte"
    default = [
        other
        for other in book.statements
        if other.source == told.source and other.quantity is Q.BUFFER_SIZE and other.unit == "Kb"
    ]
    if not is_size or not default or default[0].value is None:
        return None
    doubling = book.others(told, quantity=Q.BUFFER_SIZE, change=Change.FACTOR)
    used = (*default, *doubling)
    doubled = 2 * float(default[0].value) * _KIB
    how = f"twice the default of {default[0].value} KiB"
    return size_in_words(told, [doubled], how, _ids(used))


def short_counters(told: Statement, book: Book) -> Computed | None:
    """A counter in GB against the same counter in bytes."""
    if told.quantity is not Q.BYTE_COUNT or told.unit != "GB":
        return None
    for other in book.statements:
        same = (other.source, other.subject) == (told.source, told.subject)
        if same and other.quantity is Q.BYTE_COUNT and other.unit == "bytes" and other.value:
            how = f"{other.value} byte, printed beside it"
            return size_in_words(told, [float(other.value)], how, [other.id])
    return None


def default_buffers(told: Statement, _: Book) -> Computed | None:
    """Default number of inbound buffers, as the reference of the vendor has it."""
    if told.quantity is not Q.BUFFER_COUNT or "default" not in (told.subject.setting or ""):
        return None
    buffers = adapter(_REFERENCE_ADAPTER).buffers
    stated = buffers and buffers.count_default
    if not stated or stated.value is None:
        return None
    how = f"the vendor's reference ({stated.source}) for OSA devices under the present driver"
    return exactly(float(stated.value), told, how)


def _example_parts(told: Statement) -> tuple[tuple[str, dict[str, Any]], ...]:
    """What a worked example starts from: the name of each ratio, and what claims it."""
    about = {"subject": told.subject}
    return (
        ("cpu_time_ratio", {**about, "quantity": Q.CPU_TIME}),
        ("data_ratio", {**about, "quantity": Q.BYTE_COUNT}),
    )


def _ids(used: Iterable[Statement]) -> list[str]:
    return [one.id for one in used]
