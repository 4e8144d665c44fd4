"""Rates of a PCIe link, and the bytes that each transaction moves on it."""

import math
from typing import NamedTuple

from netmodel._numeric import Quantity, ceil, maximum, require_above
from netmodel.errors import DomainError
from netmodel.units import BITS_PER_BYTE

__all__ = [
    "LARGEST_READ_REQUEST_BYTES",
    "Traffic",
    "checked_sizes",
    "data_rate_bps",
    "host_read",
    "host_write",
    "memory_read",
    "memory_write",
    "pcie_raw_rate_bps",
    "pcie_read_latency_rate_bps",
    "pcie_read_rate_bps",
    "pcie_tlp_rate_bps",
    "pcie_write_rate_bps",
]

_TRANSFERS_PER_S = {1: 2.5e9, 2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9}
_CODING_RATIO = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130}
_INTERNAL_DELAY_SYMBOLS = {1: 19, 2: 70, 3: 115, 4: 115, 5: 115}
_ACK_FACTOR_SMALL = {1: 1.4, 2: 1.4, 4: 1.4, 8: 2.5, 16: 3.0, 32: 3.0}
_ACK_FACTOR_LARGE = {1: 1.0, 2: 1.0, 4: 1.0, 8: 1.0, 16: 2.0, 32: 2.0}
_SMALL_PAYLOADS_BYTES = (128, 256)
_PAYLOADS_BYTES = (128, 256, 512, 1024, 2048, 4096)

_TLP_OVERHEAD_BYTES = 28
_DLLP_BYTES = 8
_SKIP_BYTES, _SKIP_INTERVAL_BYTES = 4, 1538

_WRITE_BYTES = 24
"""Header of a memory write: framing and sequence 8, generic 4, requester and 64-bit address 12."""
_READ_BYTES = 24
_COMPLETION_BYTES = 20

LARGEST_READ_REQUEST_BYTES = 4096


class Traffic(NamedTuple):
    """Bytes that transactions move from the device and to it."""

    upstream: Quantity
    downstream: Quantity


def pcie_raw_rate_bps(generation: int, lanes: int) -> float:
    r"""
    Rate of a PCIe link after its line coding.

    Parameters
    ----------
    generation : int
        1 to 5.
    lanes : int
        1, 2, 4, 8, 16 or 32.

    Returns
    -------
    raw_rate_bps : float
        In each direction. [bit/s]

    Raises
    ------
    DomainError
        If there is no such link; generation 6 packs transactions in another
        way, which is not modelled.

    Notes
    -----
    8b/10b coding in generations 1 and 2, 128b/130b from 3 on.

    References
    ----------
    PCI Express Base Specification 5.0, chapter 4; R. Neugebauer et al.,
    "Understanding PCIe performance for end host networking", SIGCOMM 2018.

    Examples
    --------
    >>> round(pcie_raw_rate_bps(3, 8) / 1e9, 4)
    63.0154
    """
    _require_one_of("generation", generation, tuple(_TRANSFERS_PER_S))
    _require_one_of("lanes", lanes, tuple(_ACK_FACTOR_SMALL))
    return _TRANSFERS_PER_S[generation] * _CODING_RATIO[generation] * lanes


def pcie_tlp_rate_bps(generation: int, lanes: int, max_payload_bytes: int = 256) -> float:
    r"""
    Rate that a PCIe link leaves to transaction layer packets.

    Parameters
    ----------
    generation : int
        1 to 5.
    lanes : int
        1, 2, 4, 8, 16 or 32.
    max_payload_bytes : int
        Maximum payload size that is configured: 128 to 4096. [byte]

    Returns
    -------
    tlp_rate_bps : float
        In each direction. [bit/s]

    Raises
    ------
    DomainError
        If there is no such link or payload size.

    Notes
    -----
    .. math:: B = R \left(1 - \frac{8}{L} - \frac{8}{L} - \frac{4}{1538}\right),
       \qquad L = \left\lfloor \frac{(M + 28)\, a}{n} + d \right\rfloor

    for acknowledgements, flow control updates and skip ordered sets, with
    :math:`M` the maximum payload, :math:`n` the lanes, :math:`a` the factor of
    the specification for lanes and payload, and :math:`d` its internal delay:
    19, 70 or 115 symbols. The limits are symbol times of each lane, counted
    here as bytes of the link, as in the published model.

    References
    ----------
    PCI Express Base Specification 5.0, tables 2-46 to 2-48 and 3-7 to 3-9; R.
    Neugebauer et al., SIGCOMM 2018, and the code published with it.

    Examples
    --------
    >>> round(pcie_tlp_rate_bps(3, 8) / 1e9, 4)
    57.8848
    """
    raw_rate_bps = pcie_raw_rate_bps(generation, lanes)
    _require_one_of("max_payload_bytes", max_payload_bytes, _PAYLOADS_BYTES)
    is_small = max_payload_bytes in _SMALL_PAYLOADS_BYTES
    factor = (_ACK_FACTOR_SMALL if is_small else _ACK_FACTOR_LARGE)[lanes]
    limit = math.floor(
        (max_payload_bytes + _TLP_OVERHEAD_BYTES) * factor / lanes
        + _INTERNAL_DELAY_SYMBOLS[generation]
    )
    taken_ratio = 2 * _DLLP_BYTES / limit + _SKIP_BYTES / _SKIP_INTERVAL_BYTES
    return raw_rate_bps * (1 - taken_ratio)


def pcie_write_rate_bps(
    tlp_rate_bps: Quantity, data_bytes: Quantity, max_payload_bytes: Quantity = 256
) -> Quantity:
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
    .. math:: X = B\,\frac{n}{n + 24 \lceil n / M \rceil}

    with 64-bit addresses and no end-to-end check. A sawtooth in :math:`n`.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3.

    Examples
    --------
    >>> round(pcie_write_rate_bps(pcie_tlp_rate_bps(3, 8), 257) / 1e9, 3)
    48.775
    """
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    return data_rate_bps(tlp_rate_bps, data_bytes, memory_write(data_bytes, max_payload_bytes))


def pcie_read_rate_bps(
    tlp_rate_bps: Quantity,
    data_bytes: Quantity,
    max_payload_bytes: Quantity = 256,
) -> Quantity:
    r"""
    Data rate of memory reads with as many requests under way as it takes.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Data of one read. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]

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
    .. math:: X = B\,\frac{n}{\max(24,\; n + 20 \lceil n / M \rceil)}

    The requests go the other way; more of them, when they are limited in size,
    never bind before the completions. Completions of a full payload; older
    chipsets answer in pieces of a read completion boundary.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3.

    Examples
    --------
    >>> round(pcie_read_rate_bps(pcie_tlp_rate_bps(3, 8), 64) / 1e9, 3)
    44.103
    """
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    traffic = memory_read(data_bytes, max_payload_bytes, LARGEST_READ_REQUEST_BYTES)
    return data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def pcie_read_latency_rate_bps(
    tag_count: Quantity, max_read_request_bytes: Quantity, latency_s: Quantity
) -> Quantity:
    r"""
    Data rate of memory reads that wait for each other's tags.

    Parameters
    ----------
    tag_count : float or array_like
        Requests that the device keeps under way at once.
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


def memory_write(data_bytes: Quantity, max_payload_bytes: Quantity) -> Traffic:
    """The device writes to the memory of its host."""
    return Traffic(data_bytes + _WRITE_BYTES * ceil(data_bytes / max_payload_bytes), 0)


def memory_read(
    data_bytes: Quantity, max_payload_bytes: Quantity, max_read_request_bytes: Quantity
) -> Traffic:
    """The device reads the memory of its host."""
    return Traffic(
        _READ_BYTES * ceil(data_bytes / max_read_request_bytes),
        data_bytes + _COMPLETION_BYTES * ceil(data_bytes / max_payload_bytes),
    )


def host_write(data_bytes: int) -> Traffic:
    """The host writes to a register of the device."""
    return Traffic(0, data_bytes + _WRITE_BYTES)


def host_read(data_bytes: int) -> Traffic:
    """The host reads a register of the device."""
    return Traffic(data_bytes + _COMPLETION_BYTES, _READ_BYTES)


def data_rate_bps(tlp_rate_bps: Quantity, data_bytes: Quantity, traffic: Traffic) -> Quantity:
    """Data rate of transactions that repeat, from the busier direction of the link."""
    tlp_rate_bps = require_above("tlp_rate_bps", tlp_rate_bps, 0, "bit/s")
    return tlp_rate_bps * (data_bytes / maximum(traffic.upstream, traffic.downstream))


def checked_sizes(data_bytes: Quantity, max_payload_bytes: Quantity) -> tuple[Quantity, Quantity]:
    """Both as float, array or symbol; DomainError names the one that is not above zero."""
    return (
        require_above("data_bytes", data_bytes, 0, "byte"),
        require_above("max_payload_bytes", max_payload_bytes, 0, "byte"),
    )


def _require_one_of(name: str, value: int, known: tuple[int, ...]) -> None:
    if value not in known:
        allowed = ", ".join(map(str, known))
        raise DomainError(f"{name} must be one of {allowed}; got {value!r}")
