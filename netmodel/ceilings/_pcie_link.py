"""Rates of a PCIe link, and the bytes that each transaction moves on it."""

import math
from typing import Any, Final, NamedTuple

from netmodel.errors import DomainError
from netmodel.numeric import (
    FloatOrArray,
    Number,
    Q,
    ceil,
    maximum,
    require_above,
    require_flags,
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
"""Those to which the first row of factors applies."""
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
"""What the tables add to the payload: header, digest, sequence number, check and framing."""
_DLLP_BYTES = 8
"""Type, content and check 6, framing 2."""
_SKIP_BYTES, _SKIP_INTERVAL_BYTES = 4, 1538
"""A skip ordered set in every 1538 symbol times (section 4.2.7)."""


class Headers(NamedTuple):
    """Bytes of a packet besides its data: of a memory write, a memory read and a completion."""

    write: int
    read: int
    completion: int


_FRAMED = Headers(write=24, read=24, completion=20)
"""Framing, sequence number and check 8; header of 4 words with a 64-bit address, or of 3."""
_IN_FLITS = Headers(write=16, read=16, completion=12)
"""The header base alone: sequence number and check belong to the flit."""

LARGEST_READ_REQUEST_BYTES = 4096
"""Largest Max_Read_Request_Size (section 7.5.3.4)."""


class Traffic(NamedTuple):
    """Bytes that transactions move from the device and to it."""

    upstream: FloatOrArray
    downstream: FloatOrArray


def pcie_raw_rate_bps(generation: int, lanes: int) -> float:
    r"""
    Rate of a PCIe link after its line coding.

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
    _require_one_of("generation", generation, tuple(_TRANSFERS_PER_S), _LATER_GENERATIONS)
    _require_one_of("lanes", lanes, tuple(_ACK_FACTOR_SMALL))
    return _TRANSFERS_PER_S[generation] * _CODING_RATIO[generation] * lanes


def pcie_tlp_ceiling_bps(generation: int, lanes: int) -> float:
    r"""
    Upper bound of the rate that a PCIe link leaves to transaction layer packets.

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
    Rate that a PCIe link leaves to packets with as much in the other direction.

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
    _require_one_of("max_payload_bytes", max_payload_bytes, PAYLOADS_BYTES)
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


def pcie_write_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Data rate of memory writes that follow each other without a gap.

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
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    traffic = memory_write(data_bytes, max_payload_bytes, headers_of(flit_mode))
    return data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def pcie_read_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Data rate of memory reads with as many outstanding requests as it takes.

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
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    traffic = memory_read(
        data_bytes, max_payload_bytes, LARGEST_READ_REQUEST_BYTES, headers_of(flit_mode)
    )
    return data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def pcie_read_latency_rate_bps(
    tag_count: Q | Number, max_read_request_bytes: Q | Number, latency_s: Q | Number
) -> Q:
    r"""
    Data rate of memory reads that wait for each other's tags.

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
    tag_count = require_above("tag_count", tag_count, 0, "")
    max_read_request_bytes = require_above(
        "max_read_request_bytes", max_read_request_bytes, 0, "byte"
    )
    latency_s = require_above("latency_s", latency_s, 0, "s")
    return BITS_PER_BYTE * tag_count * max_read_request_bytes / latency_s


def headers_of(flit_mode: bool) -> Headers:
    """What a link puts around the data of a packet; DomainError unless it is yes or no."""
    require_flags(flit_mode=flit_mode)
    return _IN_FLITS if flit_mode else _FRAMED


def memory_write(
    data_bytes: FloatOrArray, max_payload_bytes: FloatOrArray, headers: Headers
) -> Traffic:
    """The device writes to the memory of its host."""
    return Traffic(data_bytes + headers.write * ceil(data_bytes / max_payload_bytes), 0)


def memory_read(
    data_bytes: FloatOrArray,
    max_payload_bytes: FloatOrArray,
    max_read_request_bytes: FloatOrArray,
    headers: Headers,
) -> Traffic:
    """The device reads the memory of its host."""
    return Traffic(
        headers.read * ceil(data_bytes / max_read_request_bytes),
        data_bytes + headers.completion * ceil(data_bytes / max_payload_bytes),
    )


def host_write(data_bytes: int, headers: Headers) -> Traffic:
    """The host writes to a register of the device."""
    return Traffic(0, data_bytes + headers.write)


def host_read(data_bytes: int, headers: Headers) -> Traffic:
    """The host reads a register of the device."""
    return Traffic(data_bytes + headers.completion, headers.read)


def data_rate_bps(tlp_rate_bps: Q | Number, data_bytes: Q | float, traffic: Traffic) -> Q:
    """Data rate of transactions that repeat, from the busier direction of the link."""
    tlp_rate_bps = require_above("tlp_rate_bps", tlp_rate_bps, 0, "bit/s")
    busier_bytes: Any = maximum(traffic.upstream, traffic.downstream)
    rate_bps: Q = tlp_rate_bps * (data_bytes / busier_bytes)
    return rate_bps


def checked_sizes(data_bytes: Q | Number, max_payload_bytes: Q | Number) -> tuple[Q, Q]:
    """Both as float, array or symbol; DomainError names the one that is not above zero."""
    return (
        require_above("data_bytes", data_bytes, 0, "byte"),
        require_above("max_payload_bytes", max_payload_bytes, 0, "byte"),
    )


def _require_one_of(name: str, value: int, known: tuple[int, ...], why: str = "") -> None:
    if require_whole(name, value) not in known:
        allowed = ", ".join(map(str, known))
        raise DomainError(f"{name} must be one of {allowed}; got {value!r}{why}")
