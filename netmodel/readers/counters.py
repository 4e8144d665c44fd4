"""Counters of a host's kernel, as ip, nstat, tc and /proc show them, and their growth."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from netmodel.errors import ContradictionError, ParseError
from netmodel.kept import ReadOnly
from netmodel.numeric import require_above
from netmodel.readers._document import Node, RawText, Source, load_json_document, read_text, shown
from netmodel.results import Result, fields_repr

_MOST_DIGITS = 20
"""Digits of 2^64."""
_WIDTHS = (_NARROW_BITS, _WIDE_BITS) = (32, 64)
"""Widths of counters in Linux and its drivers. [bit]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """
    Snapshot of counters.

    Parameters
    ----------
    source : str
        File that they were read from.
    raw_text : str
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
    tool : str
        Tool that printed them.
    counts : mapping of str to mapping of str to int
        Counters by name for each interface, CPU or queue. Those of
        ``ip`` and ``/proc/net/dev`` are named alike: ``rx_bytes``, ``tx_packets``.
    width_bits : int
        Width of the counters, which wrap around at 2 to this power. [bit]
    notes : tuple of str
        What limits the use of these numbers.

    Examples
    --------
    >>> counts = {"eth0": {"rx_bytes": 1_514_000, "rx_packets": 1000}}
    >>> counters = Counters(source="", sha256="", tool="ip", counts=counts, width_bits=64)
    >>> counters.counts["eth0"]["rx_packets"]
    1000
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    tool: str
    counts: Mapping[str, Mapping[str, int]]
    width_bits: int = _WIDE_BITS
    notes: tuple[str, ...] = ()

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        frozen = {name: ReadOnly(of) for name, of in self.counts.items()}
        object.__setattr__(self, "counts", ReadOnly(frozen))


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterChange(Result):
    """
    Growth of counters between two snapshots.

    Parameters
    ----------
    duration_s : float
        Time between them. [s]
    counts : mapping of str to mapping of str to int
        Growth of each counter.
    wrapped : tuple of (str, str)
        Interface and name of counters that wrapped around in between.
    notes : tuple of str
        What limits the use of these numbers.
    """

    duration_s: float
    counts: Mapping[str, Mapping[str, int]]
    wrapped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def counter_change(
    before: Counters, after: Counters, duration_s: float, *, width_bits: int | None = None
) -> CounterChange:
    """
    Growth of counters between two snapshots.

    Parameters
    ----------
    before : Counters
        The first snapshot.
    after : Counters
        The second snapshot, printed by the same tool.
    duration_s : float
        Time between them. [s]
    width_bits : int, optional
        Width of the counters, 32 or 64; that of the format when left out. Some
        drivers count in 32 bits. [bit]

    Returns
    -------
    change : CounterChange
        Growth of each counter that both snapshots have.

    Raises
    ------
    ContradictionError
        If the snapshots are of different tools or have no counter in common, the
        width is neither 32 nor 64, or a counter fell by more than a wrap
        explains: it was reset.
    DomainError
        If the duration is not above zero, or infinite.

    Notes
    -----
    A counter of :math:`w` bits that fell wrapped around at :math:`2^w`, and grew by

    .. math:: \\Delta = (n_2 - n_1) \\bmod 2^w

    if that is less than half of :math:`2^w`; otherwise it was reset, as by a
    reload of the driver. A 64-bit counter below :math:`2^{32}` that fell is taken
    as one of 32 bits, with a note. A second wrap goes unnoticed: 32 bits count
    the bytes of 25 Gbit/s for 1.4 s.

    Examples
    --------
    A counter of 32 bits that wrapped around:

    >>> counts = ({"eth0": {"rx_bytes": 2**32 - 1000}}, {"eth0": {"rx_bytes": 500}})
    >>> before, after = (
    ...     Counters(source="", raw_text="", sha256="", tool="ip", counts=each, width_bits=32)
    ...     for each in counts
    ... )
    >>> counter_change(before, after, 1.0).counts["eth0"]["rx_bytes"]
    1500
    """
    require_above("duration_s", duration_s, 0, "s")
    if before.tool != after.tool:
        raise ContradictionError(f"cannot subtract counters of {before.tool} and {after.tool}")
    if width_bits not in {None, *_WIDTHS}:
        raise ContradictionError(f"counters have 32 or 64 bits, not {width_bits}")
    counts: dict[str, dict[str, int]] = {}
    wrapped: list[tuple[str, str]] = []
    notes = [*before.notes, *(text for text in after.notes if text not in before.notes)]
    for interface in sorted(before.counts.keys() & after.counts.keys()):
        earlier, later = before.counts[interface], after.counts[interface]
        counts[interface] = {}
        for name in sorted(earlier.keys() & later.keys()):
            change = later[name] - earlier[name]
            if change < 0:
                counter, width = f"{name} of {interface}", width_bits or after.width_bits
                if width_bits is None and width == _WIDE_BITS and earlier[name] < 2**_NARROW_BITS:
                    width = _NARROW_BITS
                    notes.append(f"{counter} fell: taken as a wrap at 2^32")
                if earlier[name] >= 2**width:
                    problem = f"was {earlier[name]}, more than {width} bits hold"
                    raise ContradictionError(f"{counter} {problem}")
                if change + 2**width >= 2 ** (width - 1):
                    problem = "it was reset, or the later snapshot comes first"
                    raise ContradictionError(f"{counter} fell by {-change}: {problem}")
                change += 2**width
                wrapped.append((interface, name))
            counts[interface][name] = change
    if not any(counts.values()):
        raise ContradictionError(f"{after.source}: no counter in common with {before.source}")
    lost = sorted(before.counts.keys() ^ after.counts.keys())
    if lost:
        notes.append(f"in one snapshot only: {', '.join(lost)}")
    return CounterChange(
        duration_s=duration_s,
        counts=ReadOnly({name: ReadOnly(of) for name, of in counts.items()}),
        wrapped=tuple(sorted(wrapped)),
        notes=tuple(notes),
    )


_COLUMNS = {"errs": "errors", "drop": "dropped"}
"""Columns of /proc/net/dev that ip names otherwise."""


def read_ip_link_counters(source: Source) -> Counters:
    """
    Counters of interfaces from ``ip -j -s link`` or ``ip -j -s -s link``: ``rx_bytes`` and others.

    Counters have 64 bits (``stats64``). Bytes are those of the device: on Ethernet without frame
    check sequence, preamble and gap, 24 byte of each frame; some drivers count otherwise.

    References: iproute2 6.1: ``ip/ipaddress.c`` (print_stats64); Linux
    ``Documentation/networking/statistics.rst``.
    """
    raw = read_text(source)
    counts: dict[str, dict[str, int]] = {}
    for item in load_json_document(raw, "outputs").items():
        if item.value == {}:
            continue
        name = item.text("ifname")
        if name in counts:
            raise item.child("ifname").fault(f"is a second {shown(name)}")
        if not item.has("stats64"):
            raise item.fault("has no key stats64: write the file with ip -j -s link")
        stats = item.child("stats64")
        counts[name] = {
            f"{prefix}_{key}": whole_count(stats.child(prefix), key)
            for prefix in ("rx", "tx")
            for key in stats.child(prefix).members()
        }
    if not counts:
        raise ParseError(raw.source, "the document shows no interface")
    return _counters(raw, "ip -s link", counts)


def read_nstat(source: Source) -> Counters:
    """
    Counters of protocols from ``nstat -asz --json``, all under the name ``kernel``.

    Without ``-a`` nstat prints the counts since its last run, which the file does not show.

    References: iproute2 6.1: ``misc/nstat.c``.
    """
    raw = read_text(source)
    document = load_json_document(raw, "outputs")
    kernel = document.child("kernel")
    counts = {key: whole_count(kernel, key) for key in kernel.members()}
    if not counts:
        raise kernel.fault("has no counter")
    return _counters(raw, "nstat", {"kernel": counts})


def read_net_dev(source: Source) -> Counters:
    """
    Counters of interfaces in a copy of ``/proc/net/dev``, named as ip names them.

    References: Linux: ``net/core/net-procfs.c`` (dev_seq_printf_stats).
    """
    raw = read_text(source)
    lines = list(enumerate(raw.text.splitlines(), 1))
    header = next((line.split("|") for _, line in lines if "bytes" in line), [])
    if len(header) != 3:  # interface, received and sent
        raise ParseError(raw.source, "not of /proc/net/dev: no line names the columns")
    columns = [
        f"{prefix}_{_COLUMNS.get(name, name)}"
        for prefix, names in zip(("rx", "tx"), header[1:], strict=True)
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
        interface = name.strip()
        if interface in counts:
            raise ParseError(raw.source, f"line {number} is a second {shown(interface)}")
        counts[interface] = {
            column: _line_count(raw, number, text)
            for column, text in zip(columns, texts, strict=True)
        }
    if not counts:
        raise ParseError(raw.source, "shows no interface")
    return _counters(raw, "/proc/net/dev", counts)


_NO_COUNTERS = frozenset(
    {"IpForwarding", "IpDefaultTTL", "TcpRtoAlgorithm", "TcpRtoMin", "TcpRtoMax", "TcpMaxConn"}
    | {"TcpCurrEstab"}
)
"""Settings and states among the counters of the kernel, which nstat leaves out too."""


def read_net_snmp(source: Source) -> Counters:
    """
    Counters of protocols in a copy of ``/proc/net/snmp`` or ``/proc/net/netstat``, or of both.

    They are named as nstat names them: ``TcpRetransSegs``, ``TcpExtTCPTimeouts``.

    References: Linux: ``net/ipv4/proc.c``; iproute2 6.1: ``misc/nstat.c`` (load_ugly_table).
    """
    raw = read_text(source)
    lines = [(n, line) for n, line in enumerate(raw.text.splitlines(), 1) if line.strip()]
    counts: dict[str, int] = {}
    for place in range(0, len(lines), 2):
        number, head = lines[place]
        group, colon, names = head.partition(":")
        number, row = lines[place + 1] if place + 1 < len(lines) else (number + 1, "")
        again, _, texts = row.partition(":")
        if not colon or again != group or len(names.split()) != len(texts.split()):
            problem = f"line {number} must have a value for each name of {shown(group)}"
            raise ParseError(raw.source, problem)
        for name, text in zip(names.split(), texts.split(), strict=True):
            key = f"{group.strip()}{name}"
            if key in counts:
                raise ParseError(raw.source, f"line {number} is a second {shown(key)}")
            if key not in _NO_COUNTERS:
                counts[key] = _line_count(raw, number, text)
    if not counts:
        raise ParseError(raw.source, "shows no counter")
    return _counters(raw, "/proc/net/snmp", {"kernel": counts})


def whole_count(node: Node, key: str) -> int:
    """A counter: a whole number that 64 bits hold."""
    child = node.child(key)
    value = child.value
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**_WIDE_BITS:
        raise child.fault(f"must be a whole number of 64 bits; got {shown(value)}")
    return value


def _line_count(raw: RawText, number: int, text: str) -> int:
    if not is_64_bit_count(text):
        problem = f"line {number} must hold whole numbers of 64 bits; got {shown(text)}"
        raise ParseError(raw.source, problem)
    return int(text)


def is_64_bit_count(text: str) -> bool:
    """Whether a text is a whole number below 2^64, which has at most 20 digits."""
    is_short = len(text) <= _MOST_DIGITS  # int() refuses thousands of digits
    return text.isascii() and text.isdigit() and is_short and int(text) < 2**_WIDE_BITS


def _counters(
    raw: RawText, tool: str, counts: dict[str, dict[str, int]], width_bits: int = _WIDE_BITS
) -> Counters:
    return Counters(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=tool,
        counts=counts,
        width_bits=width_bits,
    )
