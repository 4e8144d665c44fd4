"""Rates of a PCIe link, and ceilings that it sets to an adapter by the transactions of a frame."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

import math
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from netmodel.errors import DomainError
from netmodel.numeric import (
    FloatOrArray,
    Number,
    Q,
    ceil,
    domain,
    maximum,
    require_flags,
    require_member,
    require_whole,
)
from netmodel.units import BITS_PER_BYTE

# By generation, from the PCI Express Base Specification 5.0 and 6.0
_TRANSFERS_PER_S = {1: 2.5e9, 2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9, 6: 64e9}
"""Of each lane (chapter 8)."""
_CODING_RATIO = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130, 6: 1.0}
"""8b/10b, then 128b/130b (chapter 4); error correction of generation 6 is part of its flits."""
FIRST_WITH_FLITS = 6
"""Generation that packs packets into flits."""
_FLIT_BYTES, _FLIT_PACKET_BYTES = 256, 236
"""Besides packets a flit holds data link payload 6, check 8 and error correction 6."""
# Tables 2-46 to 2-48 and 3-7 to 3-9: by generation, and by lanes for small and large payloads
_INTERNAL_DELAY_SYMBOLS = {1: 19, 2: 70, 3: 115, 4: 115, 5: 115}
_ACK_FACTOR_SMALL = {1: 1.4, 2: 1.4, 4: 1.4, 8: 2.5, 16: 3.0, 32: 3.0}
_ACK_FACTOR_LARGE = {1: 1.0, 2: 1.0, 4: 1.0, 8: 1.0, 16: 2.0, 32: 2.0}
_SMALL_PAYLOADS_BYTES = (128, 256)
"""Payloads of the first row of factors."""
PAYLOADS_BYTES = (128, 256, 512, 1024, 2048, 4096)
"""Values of Max_Payload_Size and of Max_Read_Request_Size (section 7.5.3.4)."""
USUAL_PAYLOAD_BYTES = 256
"""Typical of servers, as in Neugebauer et al., SIGCOMM 2018 (the code published with it).
Devices start with 128 (section 7.5.3.4), firmware raises it: ``lspci -vv`` shows yours."""
USUAL_READ_REQUEST_BYTES: Final = 512
"""Default of the specification (section 7.5.3.4), and in the same code."""

_LATER_GENERATIONS = (
    ": later generations are not modelled: no source says how they pack packets, and no transfers "
    "are published"
)
_TLP_OVERHEAD_BYTES = 28
"""Sum that the tables add to the payload: header, digest, sequence number, check and framing."""
_DLLP_BYTES = 8
"""Type, content and check 6, framing 2."""
_SKIP_BYTES, _SKIP_INTERVAL_BYTES = 4, 1538
"""A skip ordered set in every 1538 symbol times (section 4.2.7)."""
LARGEST_READ_REQUEST_BYTES = 4096
"""Largest Max_Read_Request_Size (section 7.5.3.4)."""


class _Sizes(NamedTuple):
    """Bytes around the data of a write, of a read and of a completion; the most that one holds."""

    write: int
    read: int
    completion: int
    max_payload_bytes: Any
    max_read_request_bytes: Any


_FRAMED_BYTES = (24, 24, 20)
"""Framing, sequence number and check 8; header of 4 words with a 64-bit address, or of 3."""
_IN_FLITS_BYTES = (16, 16, 12)
"""Header base alone: sequence number and check belong to the flit."""

_Traffic: TypeAlias = tuple[FloatOrArray, FloatOrArray]
"""Bytes that a transaction moves from the device and to it."""


def _device_writes(data_bytes: FloatOrArray, sizes: _Sizes) -> _Traffic:
    return data_bytes + sizes.write * ceil(data_bytes / sizes.max_payload_bytes), 0


def _device_reads(data_bytes: FloatOrArray, sizes: _Sizes) -> _Traffic:
    return (
        sizes.read * ceil(data_bytes / sizes.max_read_request_bytes),
        data_bytes + sizes.completion * ceil(data_bytes / sizes.max_payload_bytes),
    )


def _host_writes(data_bytes: FloatOrArray, sizes: _Sizes) -> _Traffic:
    return 0, data_bytes + sizes.write


def _host_reads(data_bytes: FloatOrArray, sizes: _Sizes) -> _Traffic:
    return data_bytes + sizes.completion, sizes.read


Nic: TypeAlias = Literal["simple NIC", "modern NIC, kernel driver", "modern NIC, DPDK driver"]
"""An adapter with its driver, as a published model has it."""


class _Row(NamedTuple):
    """A transaction, its bytes, and how many frames share it by adapter: 0 if none has it."""

    moves: Callable[..., _Traffic]
    own_bytes: int
    frame_bytes: int
    shared_by: tuple[int, int, int]


_POINTER_BYTES, _DESCRIPTOR_BYTES, _INTERRUPT_BYTES = 4, 16, 4
"""As in that code too."""
_TRANSMIT = (
    _Row(_host_writes, _POINTER_BYTES, 0, (1, 1, 32)),
    _Row(_device_reads, 0, _DESCRIPTOR_BYTES, (1, 40, 40)),
    _Row(_device_writes, 0, _DESCRIPTOR_BYTES, (0, 8, 8)),
    _Row(_device_writes, _INTERRUPT_BYTES, 0, (1, 32, 0)),
    _Row(_host_reads, _POINTER_BYTES, 0, (1, 1, 0)),
)
"""As the code published with Neugebauer et al., SIGCOMM 2018, section 3, sets an Intel 82599: 40
descriptors, thresholds of 32 and write-backs of 8."""
_RECEIVE = (
    _Row(_host_writes, _POINTER_BYTES, 0, (1, 32, 32)),
    _Row(_device_reads, 0, _DESCRIPTOR_BYTES, (1, 1, 1)),
    _Row(_device_writes, 0, _DESCRIPTOR_BYTES, (1, 1, 1)),
    _Row(_device_writes, _INTERRUPT_BYTES, 0, (1, 32, 0)),
    _Row(_host_reads, _POINTER_BYTES, 0, (1, 8, 0)),
)
"""From the same code, which reads one descriptor for each frame."""


def pcie_raw_rate_bps(generation: int, lanes: int) -> float:
    r"""
    Return the rate of a PCIe link after its line coding.

    Parameters
    ----------
    generation : int
        1 to 6.
    lanes : int
        1, 2, 4, 8, 16 or 32.

    Returns
    -------
    raw_rate_bps : float
        In each direction. [bit/s]

    Raises
    ------
    DomainError
        If there is no such link; later generations are not modelled.

    Notes
    -----
    8b/10b coding in generations 1 and 2, 128b/130b from 3 to 5, none in 6: what
    its error correction takes is part of each flit.

    References
    ----------
    PCI Express Base Specification 5.0 and 6.0, chapter 4; R. Neugebauer et al.,
    "Understanding PCIe performance for end host networking", SIGCOMM 2018.

    Examples
    --------
    >>> round(pcie_raw_rate_bps(3, 8) / 1e9, 4)
    63.0154
    """
    known = tuple(_TRANSFERS_PER_S)
    generation = _require_one_of("generation", generation, known, _LATER_GENERATIONS)
    lanes = _require_one_of("lanes", lanes, tuple(_ACK_FACTOR_SMALL))
    return _TRANSFERS_PER_S[generation] * _CODING_RATIO[generation] * lanes


def pcie_tlp_ceiling_bps(generation: int, lanes: int) -> float:
    r"""
    Return the upper bound of the rate that a PCIe link leaves to transaction layer packets.

    Parameters
    ----------
    generation : int
        1 to 6.
    lanes : int
        1, 2, 4, 8, 16 or 32.

    Returns
    -------
    tlp_ceiling_bps : float
        In each direction. [bit/s]

    Raises
    ------
    DomainError
        If there is no such link; later generations are not modelled.

    Notes
    -----
    .. math:: C = R \left(1 - \frac{4}{1538}\right) \quad\text{or}\quad
        C = R\,\frac{236}{256}

    after skip ordered sets, or in generation 6 after what a flit of 256 bytes
    holds besides packets. Acknowledgements and flow control updates are left
    out: only packets in the other direction cause them, and of the updates the
    specification recommends how many there are. :func:`pcie_tlp_rate_bps`
    counts both. Skip ordered sets are as rare as generations 1 and 2 allow,
    where 3 to 5 allow one block in 375; in generation 6 they are left out.

    References
    ----------
    PCI Express Base Specification 5.0, section 4.2.7 for skip ordered sets, and
    6.0, chapter 4, for flits.

    Examples
    --------
    >>> round(pcie_tlp_ceiling_bps(3, 8) / 1e9, 4), pcie_tlp_ceiling_bps(6, 16) / 1e9
    (62.8515, 944.0)
    """
    raw_rate_bps = pcie_raw_rate_bps(generation, lanes)
    if generation >= FIRST_WITH_FLITS:
        return raw_rate_bps * _FLIT_PACKET_BYTES / _FLIT_BYTES
    return raw_rate_bps * (1 - _SKIP_BYTES / _SKIP_INTERVAL_BYTES)


def pcie_tlp_rate_bps(
    generation: int, lanes: int, max_payload_bytes: int = USUAL_PAYLOAD_BYTES
) -> float:
    r"""
    Return the rate that a PCIe link leaves to packets with as much in the other direction.

    Parameters
    ----------
    generation : int
        1 to 6.
    lanes : int
        1, 2, 4, 8, 16 or 32.
    max_payload_bytes : int
        Maximum payload size that is configured: 128 to 4096. [byte]

    Returns
    -------
    tlp_rate_bps : float
        In each direction, approximately. [bit/s]

    Raises
    ------
    DomainError
        If there is no such link or payload size.

    Notes
    -----
    .. math:: B = C - R\,\frac{8 + 8}{n L},
       \qquad L = \left\lfloor \frac{(M + 28)\, a}{n} + d \right\rfloor

    with :math:`C` of :func:`pcie_tlp_ceiling_bps`, and an acknowledgement and a
    flow control update of 8 bytes in every :math:`L` symbol times; a symbol
    time moves one byte on each of :math:`n` lanes. :math:`M` is the maximum
    payload, :math:`a` the factor of the specification for lanes and payload,
    and :math:`d` its internal delay: 19, 70 or 115 symbols. In generation 6
    both are part of each flit, and :math:`B = C`.

    An approximation: the specification limits how late an acknowledgement is,
    and recommends :math:`L` for flow control updates, so that a link may move
    more, up to :math:`C`. The model of 2018 takes :math:`L` as bytes of the
    whole link: equal on one lane, and on 16 lanes 9.5 % where it is 0.6 %.

    References
    ----------
    PCI Express Base Specification 5.0, tables 2-46 to 2-48 and 3-7 to 3-9; R.
    Neugebauer et al., SIGCOMM 2018, and the code published with it.

    Examples
    --------
    >>> round(pcie_tlp_rate_bps(3, 8) / 1e9, 4)
    62.2307
    """
    ceiling_bps = pcie_tlp_ceiling_bps(generation, lanes)
    max_payload_bytes = _require_one_of("max_payload_bytes", max_payload_bytes, PAYLOADS_BYTES)
    generation, lanes = int(generation), int(lanes)  # small integers of numpy overflow
    if generation >= FIRST_WITH_FLITS:
        return ceiling_bps
    is_small = max_payload_bytes in _SMALL_PAYLOADS_BYTES
    factor = (_ACK_FACTOR_SMALL if is_small else _ACK_FACTOR_LARGE)[lanes]
    limit_symbols = math.floor(
        (max_payload_bytes + _TLP_OVERHEAD_BYTES) * factor / lanes
        + _INTERNAL_DELAY_SYMBOLS[generation]
    )
    # An acknowledgement and a flow control update in every L symbol times of each lane
    taken_ratio = 2 * _DLLP_BYTES / (lanes * limit_symbols)
    return ceiling_bps - pcie_raw_rate_bps(generation, lanes) * taken_ratio


@domain()
def pcie_write_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Return the data rate of memory writes that follow each other without a gap.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Data of one write. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    flit_mode : bool
        Whether the link packs packets into flits, as generation 6 does.

    Returns
    -------
    write_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    .. math:: X = B\,\frac{n}{n + w \lceil n / M \rceil}

    with :math:`w = 24` bytes around the data, or 16 in flits: 64-bit addresses
    and no end-to-end check. Below 4 GiB, as behind many an IOMMU, it is 4 bytes
    less. A sawtooth in :math:`n`.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3; PCI Express Base
    Specification 6.0, table 2-5, for headers in flits.

    Examples
    --------
    >>> round(pcie_write_rate_bps(pcie_tlp_ceiling_bps(3, 8), 257) / 1e9, 3)
    52.96
    """
    traffic = _device_writes(data_bytes, _sizes(flit_mode, max_payload_bytes))
    return tlp_rate_bps * (data_bytes / traffic[0])


@domain()
def pcie_read_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Return the data rate of memory reads with as many outstanding requests as it takes.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Data of one read. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    flit_mode : bool
        Whether the link packs packets into flits, as generation 6 does.

    Returns
    -------
    read_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    .. math:: X = B\,\frac{n}{\max(r,\; n + c \lceil n / M \rceil)}

    with a request of :math:`r = 24` and :math:`c = 20` bytes around the data of
    a completion, or 16 and 12 in flits. The requests go in the other direction; more of
    them, when they are limited in size, never limit before the completions do.
    Completions of a full payload; older chipsets answer in pieces of a read
    completion boundary.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3; PCI Express Base
    Specification 6.0, table 2-5, for headers in flits.

    Examples
    --------
    >>> round(pcie_read_rate_bps(pcie_tlp_ceiling_bps(3, 8), 64) / 1e9, 3)
    47.887
    """
    traffic = _device_reads(data_bytes, _sizes(flit_mode, max_payload_bytes))
    return tlp_rate_bps * (data_bytes / maximum(*traffic))


@domain("tag_count > 0", "latency_s > 0")
def pcie_read_latency_rate_bps(
    tag_count: Q | Number, max_read_request_bytes: Q | Number, latency_s: Q | Number
) -> Q:
    r"""
    Return the data rate of memory reads that wait for each other's tags.

    Parameters
    ----------
    tag_count : float or array_like
        Requests that the device keeps outstanding.
    max_read_request_bytes : float or array_like
        Maximum read request size that is configured, or the data of one read
        where that is less. [byte]
    latency_s : float or array_like
        From a request to the last byte of its completions. [s]

    Returns
    -------
    read_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    .. math:: X = \frac{8\,T\,r}{t}

    with :math:`T` tags, requests of :math:`r` bytes and latency :math:`t`. A
    ceiling beside that of :func:`pcie_read_rate_bps`: the lower one holds. The
    latency is that of the load in question, longer than on an idle link.

    References
    ----------
    J. D. C. Little, "A proof for the queuing formula L = λW", Operations
    Research 9 (1961).

    Examples
    --------
    >>> round(pcie_read_latency_rate_bps(32, 64, 1e-6) / 1e9, 3)
    16.384
    """
    return BITS_PER_BYTE * tag_count * max_read_request_bytes / latency_s


@domain()
def pcie_nic_transmit_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    adapter: Nic = "simple NIC",
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Return the data rate at which an adapter fetches frames from its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets: an upper bound of it
        gives one of the result. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    adapter : {"simple NIC", "modern NIC, kernel driver", "modern NIC, DPDK driver"}
        How frames share transactions.
    flit_mode : bool
        Whether the link packs packets into flits, as generation 6 does.

    Returns
    -------
    transmit_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence, of the broadcast shape of the
        inputs. [bit/s]

    Raises
    ------
    DomainError
        If a quantity is not above zero, or infinite, or the adapter is none.

    Notes
    -----
    Each transaction, and how many frames share it:

    ==================================== ====== ====== =========
    transaction                          simple kernel poll mode
    ==================================== ====== ====== =========
    host writes the tail pointer         1      1      32
    device reads descriptors of 16 bytes 1      40     40
    device reads the frame               1      1      1
    device writes descriptors back       never  8      8
    device interrupts                    1      32     never
    host reads the head pointer          1      1      never
    ==================================== ====== ====== =========

    The modern adapter is an Intel 82599, its drivers ixgbe of Linux and that of
    DPDK. One ring; the size of read requests is no limit for any frame of
    Ethernet. As frames per second see :func:`pcie_nic_duplex_rate_bps`.

    References
    ----------
    R. Neugebauer et al., "Understanding PCIe performance for end host
    networking", SIGCOMM 2018, section 3, and the code published with it.

    Examples
    --------
    >>> from netmodel.ceilings import pcie_tlp_ceiling_bps
    >>> round(pcie_nic_transmit_rate_bps(pcie_tlp_ceiling_bps(3, 8), 64) / 1e9, 3)
    23.387
    """
    sizes = _sizes(flit_mode, max_payload_bytes)
    traffic = _traffic(_device_reads(data_bytes, sizes), _TRANSMIT, adapter, sizes)
    return tlp_rate_bps * (data_bytes / maximum(*traffic))


@domain()
def pcie_nic_receive_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    adapter: Nic = "simple NIC",
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Return the data rate at which an adapter hands frames to its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets: an upper bound of it
        gives one of the result. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    adapter : {"simple NIC", "modern NIC, kernel driver", "modern NIC, DPDK driver"}
        How frames share transactions.
    flit_mode : bool
        Whether the link packs packets into flits, as generation 6 does.

    Returns
    -------
    receive_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence, of the broadcast shape of the
        inputs. [bit/s]

    Raises
    ------
    DomainError
        If a quantity is not above zero, or infinite, or the adapter is none.

    Notes
    -----
    Each transaction, and how many frames share it:

    ==================================== ====== ====== =========
    transaction                          simple kernel poll mode
    ==================================== ====== ====== =========
    host writes the tail pointer         1      32     32
    device reads a descriptor, 16 bytes  1      1      1
    device writes the frame              1      1      1
    device writes the descriptor back    1      1      1
    device interrupts                    1      32     never
    host reads the head pointer          1      8      never
    ==================================== ====== ====== =========

    The published code leaves out the request of the descriptor read by mistake:
    for 64 bytes and the simple adapter on a link that leaves 57.885 Gbit/s to
    packets it shows 20.581 where 18.160 Gbit/s is right. One ring; as frames per
    second see :func:`pcie_nic_duplex_rate_bps`.

    References
    ----------
    R. Neugebauer et al., "Understanding PCIe performance for end host
    networking", SIGCOMM 2018, section 3, and the code published with it.

    Examples
    --------
    >>> from netmodel.ceilings import pcie_tlp_ceiling_bps
    >>> round(pcie_nic_receive_rate_bps(pcie_tlp_ceiling_bps(3, 8), 64) / 1e9, 3)
    19.718
    """
    sizes = _sizes(flit_mode, max_payload_bytes)
    traffic = _traffic(_device_writes(data_bytes, sizes), _RECEIVE, adapter, sizes)
    return tlp_rate_bps * (data_bytes / maximum(*traffic))


@domain()
def pcie_nic_duplex_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: Q | Number = USUAL_READ_REQUEST_BYTES,
    adapter: Nic = "simple NIC",
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Return the data rate of each direction when an adapter sends and receives alike.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets: an upper bound of it
        gives one of the result. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    max_read_request_bytes : float or array_like
        Maximum read request size that is configured. [byte]
    adapter : {"simple NIC", "modern NIC, kernel driver", "modern NIC, DPDK driver"}
        How frames share transactions.
    flit_mode : bool
        Whether the link packs packets into flits, as generation 6 does.

    Returns
    -------
    duplex_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence in each direction, of the
        broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If a quantity is not above zero, or infinite, or the adapter is none.

    Notes
    -----
    The transactions of :func:`pcie_nic_transmit_rate_bps` and
    :func:`pcie_nic_receive_rate_bps`, one frame in each direction; the direction from
    device to host is the bottleneck. A frame of :math:`F` bytes with check sequence,
    :math:`n = F - 4` on the bus, is carried at the rate of its line if

    .. math:: \frac{X(n)}{8\,n} \ge f(F)

    with :math:`f` of :func:`frame_rate_fps`: compare frames per second, since
    bus and line count different bytes of a frame. A sawtooth in :math:`n`.

    References
    ----------
    R. Neugebauer et al., "Understanding PCIe performance for end host
    networking", SIGCOMM 2018, section 3 and figure 1.

    Examples
    --------
    >>> from netmodel.ceilings import pcie_tlp_ceiling_bps
    >>> link_bps = pcie_tlp_ceiling_bps(3, 8)
    >>> round(pcie_nic_duplex_rate_bps(link_bps, 64) / 1e9, 3)
    13.232
    >>> kernel_bps = pcie_nic_duplex_rate_bps(link_bps, 60, adapter="modern NIC, kernel driver")
    >>> round(kernel_bps / (8 * 60) / 1e6, 1)
    35.6
    """
    sizes = _sizes(flit_mode, max_payload_bytes)
    limited = sizes._replace(max_read_request_bytes=max_read_request_bytes)
    sent = _traffic(_device_reads(data_bytes, limited), _TRANSMIT, adapter, limited)
    received = _traffic(_device_writes(data_bytes, sizes), _RECEIVE, adapter, sizes)
    busier_bytes: Any = maximum(sent[0] + received[0], sent[1] + received[1])
    return tlp_rate_bps * (data_bytes / busier_bytes)


def _sizes(flit_mode: bool, max_payload_bytes: FloatOrArray) -> _Sizes:
    require_flags(flit_mode=flit_mode)
    around_bytes = _IN_FLITS_BYTES if flit_mode else _FRAMED_BYTES
    return _Sizes(*around_bytes, max_payload_bytes, LARGEST_READ_REQUEST_BYTES)


def _traffic(frame: _Traffic, rows: tuple[_Row, ...], adapter: Nic, sizes: _Sizes) -> _Traffic:
    """Return what a frame and its share of other transactions move from the device and to it."""
    require_member("adapter", adapter, get_args(Nic))
    place = get_args(Nic).index(adapter)
    shared = [
        (count, row.moves(row.own_bytes + count * row.frame_bytes, sizes))
        for row in rows
        if (count := row.shared_by[place])
    ]
    upstream, downstream = (sum(each[way] / count for count, each in shared) for way in (0, 1))
    return frame[0] + upstream, frame[1] + downstream


def _require_one_of(name: str, value: int, known: tuple[int, ...], why: str = "") -> int:
    if (one := require_whole(name, value)) not in known:
        allowed = ", ".join(map(str, known))
        raise DomainError(f"{name} must be one of {allowed}; got {value!r}{why}")
    return one
