"""Counters of a host's kernel, as ip, nstat, tc and /proc show them, and their growth."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from netmodel._numeric import require_above
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown

_WIDTHS = (32, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """
    Counters at one time.

    Parameters
    ----------
    source : str
        File that they were read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    tool : str
        What printed them.
    counts : mapping of str to mapping of str to int
        For each interface, or what else counts, each counter by name. Those of
        ``ip`` and ``/proc/net/dev`` are named alike: ``rx_bytes``, ``tx_packets``.
    width_bits : int
        Width of the counters: at 2 to this power they begin again. [bit]
    notes : tuple of str
        What a reader of these numbers should know.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    tool: str
    counts: Mapping[str, Mapping[str, int]]
    width_bits: int = 64
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(of)) for name, of in self.counts.items()}
        object.__setattr__(self, "counts", MappingProxyType(frozen))


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterChange:
    """
    What counters did between two looks.

    Parameters
    ----------
    duration_s : float
        Time between them. [s]
    counts : mapping of str to mapping of str to int
        By how much each grew.
    wrapped : tuple of (str, str)
        Counters that began again at 0 in between, once.
    notes : tuple of str
        What a reader of these numbers should know.
    """

    duration_s: float
    counts: Mapping[str, Mapping[str, int]]
    wrapped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def rate_per_s(self, interface: str, name: str) -> float:
        """
        Mean rate of a counter.

        Parameters
        ----------
        interface, name : str
            Which.

        Returns
        -------
        rate_per_s : float
            By how much it grew in a second. [1/s]

        Raises
        ------
        ContradictionError
            If there is no such counter in both looks.
        """
        return _counter(self.counts, interface, name) / self.duration_s


def _counter(counts: Mapping[str, Mapping[str, int]], interface: str, name: str) -> int:
    """One count; ContradictionError where it is not told."""
    if name not in counts.get(interface, {}):
        raise ContradictionError(f"no counter {name} of {interface or 'this host'}")
    return counts[interface][name]


def counter_change(
    before: Counters, after: Counters, duration_s: float, *, width_bits: int | None = None
) -> CounterChange:
    """
    Subtract counters from the same counters at a later time.

    Parameters
    ----------
    before : Counters
        The first look.
    after : Counters
        The second look, printed by the same tool.
    duration_s : float
        Time between them. [s]
    width_bits : int, optional
        Width of the counters, 32 or 64, where it is not that of the reader:
        drivers count in 32 bits too. [bit]

    Returns
    -------
    change : CounterChange
        By how much each counter grew that both looks have.

    Raises
    ------
    ContradictionError
        If the looks are of different tools or have no counter in common, the
        width is neither 32 nor 64, or a counter fell by more than a wrap
        explains: it was set back.
    DomainError
        If the duration is not above zero, or infinite.

    Notes
    -----
    A counter of :math:`w` bits that fell began again at :math:`2^w`, and grew by

    .. math:: \\Delta = (n_2 - n_1) \\bmod 2^w

    if that is less than half of :math:`2^w`; otherwise it was set back, as a
    reload of a driver does. A fall of a counter of 64 bits that was below
    :math:`2^{32}` is taken as one of 32 bits, with a warning. A counter that
    began again more than once cannot be seen: one of 32 bits counts the bytes
    of 25 Gbit/s for 1.4 s.
    """
    require_above("duration_s", duration_s, 0, "s")
    if before.tool != after.tool:
        raise ContradictionError(f"cannot subtract counters of {before.tool} and {after.tool}")
    if width_bits not in {None, *_WIDTHS}:
        raise ContradictionError(f"counters have 32 or 64 bits, not {width_bits}")
    counts: dict[str, dict[str, int]] = {}
    wrapped: list[tuple[str, str]] = []
    notes = [*before.notes, *(text for text in after.notes if text not in before.notes)]
    width = width_bits or after.width_bits
    for interface in sorted(before.counts.keys() & after.counts.keys()):
        earlier, later = before.counts[interface], after.counts[interface]
        counts[interface] = {}
        for name in sorted(earlier.keys() & later.keys()):
            change = later[name] - earlier[name]
            if change < 0:
                change, note = _beyond_the_end(
                    f"{name} of {interface}", change, earlier[name], width, width_bits
                )
                wrapped.append((interface, name))
                notes += note
            counts[interface][name] = change
    if not any(counts.values()):
        raise ContradictionError(f"{after.source}: no counter in common with {before.source}")
    return CounterChange(
        duration_s=duration_s,
        counts=MappingProxyType({name: MappingProxyType(of) for name, of in counts.items()}),
        wrapped=tuple(sorted(wrapped)),
        notes=tuple(notes + _only_once(before, after)),
    )


def _beyond_the_end(
    name: str, change: int, earlier: int, width: int, stated: int | None
) -> tuple[int, list[str]]:
    """Growth of a counter that began again."""
    notes = []
    if width == 64 and stated is None and earlier < 2**32:
        width = 32
        notes = [f"{name} fell, and was taken to have begun again at 2^32"]
    if earlier >= 2**width:
        raise ContradictionError(f"{name} was {earlier}, more than {width} bits hold")
    grown = change + 2**width
    if grown >= 2 ** (width - 1):
        raise ContradictionError(
            f"{name} fell by {-change}: it was set back, or the later look is named first"
        )
    return grown, notes


def _only_once(before: Counters, after: Counters) -> list[str]:
    lost = sorted(before.counts.keys() ^ after.counts.keys())
    return [f"only one look tells of {', '.join(lost)}"] if lost else []


_COLUMNS = {"errs": "errors", "drop": "dropped"}
_QDISC_COUNTERS = ("bytes", "packets", "drops", "overlimits", "requeues")


def read_ip_link_counters(source: Source) -> Counters:
    """
    Read the counters of interfaces that ``ip`` printed.

    Parameters
    ----------
    source : path or bytes
        File with the output of ``ip -j -s link`` or ``ip -j -s -s link``, with
        or without ``-d``, or its content.

    Returns
    -------
    counters : Counters
        For each interface ``rx_bytes``, ``rx_packets``, ``rx_errors``,
        ``rx_dropped``, the same with ``tx_``, and what else is printed.

    Raises
    ------
    ParseError
        If the file is not that output, was written without ``-s``, or holds a
        value that cannot be; the message names the file and the key.

    Notes
    -----
    Counters have 64 bits (``stats64``). Bytes are those of the device: on
    Ethernet without frame check sequence, preamble and gap, 24 bytes of each
    frame; drivers of some adapters count otherwise.

    References
    ----------
    iproute2 6.1: ``ip/ipaddress.c`` (print_stats64); Linux
    ``Documentation/networking/statistics.rst``.
    """
    raw = read_text(source)
    counts: dict[str, dict[str, int]] = {}
    for item in _one_value(raw).items():
        if item.value == {}:
            continue
        name = item.text("ifname")
        if name in counts:
            raise item.child("ifname").fault(f"is {shown(name)} for the second time")
        if not item.has("stats64"):
            raise item.fault("has no key stats64: write the file with ip -j -s link")
        stats = item.child("stats64")
        counts[name] = {
            f"{way}_{key}": whole_count(stats.child(way), key)
            for way in ("rx", "tx")
            for key in _keys(stats.child(way))
        }
    if not counts:
        raise ParseError(raw.source, "the document shows no interface")
    return _counters(raw, "ip -s link", counts)


def read_nstat(source: Source) -> Counters:
    """
    Read the counters of the protocols that nstat printed.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of ``nstat -asz --json``, or its content. Without
        ``-a`` nstat prints what was counted since its last run, and nothing
        in the file tells.

    Returns
    -------
    counters : Counters
        All under the name ``kernel``: ``TcpRetransSegs`` and others.

    Raises
    ------
    ParseError
        If the file is not that output or holds a value that cannot be; the
        message names the file and the key.

    References
    ----------
    iproute2 6.1: ``misc/nstat.c``.
    """
    raw = read_text(source)
    document = _one_value(raw)
    kernel = document.child("kernel")
    counts = {key: whole_count(kernel, key) for key in _keys(kernel)}
    if not counts:
        raise kernel.fault("has no counter")
    return _counters(raw, "nstat", {"kernel": counts})


def read_tc_qdisc(source: Source, *, interface: str | None = None) -> Counters:
    """
    Read the counters of transmit queues that tc printed.

    Parameters
    ----------
    source : path or bytes
        File with the output of ``tc -s -j qdisc``, or its content.
    interface : str, optional
        Whose queues they are, where the file does not tell because tc was asked
        for one interface only.

    Returns
    -------
    counters : Counters
        For each interface those of each queue: kind, handle, parent, and then
        bytes, packets, drops, overlimits or requeues, as in ``tbf 1: root drops``.

    Raises
    ------
    ParseError
        If the file is not that output, does not tell the interface, or holds a
        value that cannot be; the message names the file and the key.

    Notes
    -----
    What waits in a queue now (backlog, qlen) is no counter and left out.

    References
    ----------
    iproute2 6.1: ``tc/tc_qdisc.c``, ``tc/tc_util.c`` (print_tcstats2_attr).
    """
    raw = read_text(source)
    counts: dict[str, dict[str, int]] = {}
    for item in _one_value(raw).items():
        if item.value == {}:
            continue
        device = item.text("dev") if item.has("dev") else interface
        if device is None:
            raise item.fault("has no key dev: state the interface")
        parent = item.text("parent") if item.has("parent") else "root"
        queue = f"{item.text('kind')} {item.text('handle')} {parent}"
        told = {
            f"{queue} {key}": whole_count(item, key) for key in _QDISC_COUNTERS if item.has(key)
        }
        if not told:
            raise item.fault("has no counters: write the file with tc -s -j qdisc")
        known = counts.setdefault(device, {})
        if known.keys() & told.keys():
            raise item.fault(f"is {shown(queue)} of {shown(device)} for the second time")
        known.update(told)
    if not counts:
        raise ParseError(raw.source, "the document shows no queue")
    return _counters(raw, "tc -s qdisc", counts)


def read_net_dev(source: Source) -> Counters:
    """
    Read the counters of interfaces in a copy of ``/proc/net/dev``.

    Parameters
    ----------
    source : path or bytes
        The copy, or its content.

    Returns
    -------
    counters : Counters
        For each interface, named as `read_ip_link_counters` names them.

    Raises
    ------
    ParseError
        If the file is no such copy or holds a value that cannot be; the
        message names the file and the line.

    References
    ----------
    Linux: ``net/core/net-procfs.c`` (dev_seq_printf_stats).
    """
    raw = read_text(source)
    lines = list(enumerate(raw.text.splitlines(), 1))
    header = next((line.split("|") for _, line in lines if "bytes" in line), [])
    if len(header) != 3:
        raise ParseError(raw.source, "not of /proc/net/dev: no line names the columns")
    columns = [
        f"{way}_{_COLUMNS.get(name, name)}"
        for way, names in zip(("rx", "tx"), header[1:], strict=True)
        for name in names.split()
    ]
    counts: dict[str, dict[str, int]] = {}
    for number, line in lines:
        name, colon, rest = line.rpartition(":")
        if not colon:
            continue
        texts = rest.split()
        if len(texts) != len(columns):
            raise ParseError(
                raw.source, f"line {number} has {len(texts)} counters under {len(columns)} columns"
            )
        _add(raw, number, counts, name.strip(), dict(zip(columns, texts, strict=True)))
    if not counts:
        raise ParseError(raw.source, "shows no interface")
    return _counters(raw, "/proc/net/dev", counts)


def read_softirqs(source: Source) -> Counters:
    """
    Read the softirqs of each CPU in a copy of ``/proc/softirqs``.

    Parameters
    ----------
    source : path or bytes
        The copy, or its content.

    Returns
    -------
    counters : Counters
        For each CPU, as ``CPU0``, the softirqs by name: ``NET_RX`` and others.

    Raises
    ------
    ParseError
        If the file is no such copy or holds a value that cannot be; the
        message names the file and the line.

    Notes
    -----
    These counters have 32 bits.

    References
    ----------
    Linux: ``fs/proc/softirqs.c``, ``include/linux/kernel_stat.h``.
    """
    raw = read_text(source)
    (_, first), *lines = [
        (number, line) for number, line in enumerate(raw.text.splitlines(), 1) if line.strip()
    ]
    cpus = first.split()
    if not all(name.startswith("CPU") for name in cpus) or len(set(cpus)) < len(cpus):
        raise ParseError(raw.source, "not of /proc/softirqs: the first line names no CPUs")
    counts: dict[str, dict[str, int]] = {cpu: {} for cpu in cpus}
    for number, line in lines:
        name, colon, rest = line.partition(":")
        texts = rest.split()
        if not colon or len(texts) != len(cpus):
            raise ParseError(
                raw.source, f"line {number} has {len(texts)} counters for {len(cpus)} CPUs"
            )
        for cpu, text in zip(cpus, texts, strict=True):
            if name.strip() in counts[cpu]:
                raise ParseError(raw.source, f"line {number} is {shown(name.strip())} once more")
            counts[cpu][name.strip()] = _count_of(raw, number, text)
    if not lines:
        raise ParseError(raw.source, "shows no softirq")
    return _counters(raw, "/proc/softirqs", counts, 32)


def _one_value(raw: RawText) -> Node:
    values = load_json_values(raw)
    if len(values) > 1:
        raise ParseError(raw.source, f"holds {len(values)} outputs; keep one in a file")
    return Node(raw.source, "", values[0])


def _keys(node: Node) -> list[str]:
    if not isinstance(node.value, dict):
        raise node.fault("must be an object")
    return list(node.value)


def whole_count(node: Node, key: str) -> int:
    """A counter: a whole number that 64 bits hold."""
    child = node.child(key)
    return _checked(child.value, child.fault)


def _checked(value: object, fault: Callable[[str], ParseError]) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
        raise fault(f"must be a whole number of 64 bits; got {shown(value)}")
    return value


def _count_of(raw: RawText, number: int, text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= 20
    if not is_number or int(text) >= 2**64:
        raise ParseError(
            raw.source, f"line {number} must hold whole numbers of 64 bits; got {shown(text)}"
        )
    return int(text)


def _add(
    raw: RawText, number: int, counts: dict[str, dict[str, int]], name: str, texts: dict[str, str]
) -> None:
    if name in counts:
        raise ParseError(raw.source, f"line {number} is {shown(name)} for the second time")
    counts[name] = {key: _count_of(raw, number, text) for key, text in texts.items()}


def _counters(
    raw: RawText, tool: str, counts: dict[str, dict[str, int]], width_bits: int = 64
) -> Counters:
    return Counters(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=tool,
        counts=counts,
        width_bits=width_bits,
    )
