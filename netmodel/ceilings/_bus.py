"""Ceilings that the PCIe bus of an adapter sets, from the bytes of each transaction."""

import math
from typing import NamedTuple

from netmodel._numeric import Quantity, ceil, maximum, require_above
from netmodel.errors import DomainError

__all__ = [
    "pcie_nic_duplex_rate_bps",
    "pcie_nic_receive_rate_bps",
    "pcie_nic_transmit_rate_bps",
    "pcie_raw_rate_bps",
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

_LARGEST_READ_REQUEST_BYTES = 4096
_POINTER_BYTES = 4
_DESCRIPTOR_BYTES = 16
_INTERRUPT_BYTES = 4


class _Traffic(NamedTuple):
    """Bytes that a transaction moves from the device and to it."""

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
    data_bytes, max_payload_bytes = _checked(data_bytes, max_payload_bytes)
    return _data_rate_bps(tlp_rate_bps, data_bytes, _write(data_bytes, max_payload_bytes))


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
    data_bytes, max_payload_bytes = _checked(data_bytes, max_payload_bytes)
    traffic = _read(data_bytes, max_payload_bytes, _LARGEST_READ_REQUEST_BYTES)
    return _data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def pcie_nic_transmit_rate_bps(
    tlp_rate_bps: Quantity,
    data_bytes: Quantity,
    max_payload_bytes: Quantity = 256,
) -> Quantity:
    r"""
    Data rate at which a simple adapter fetches frames from its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]

    Returns
    -------
    transmit_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence, of the broadcast shape of the
        inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    Each frame takes a write of the tail pointer by the host, a read of a
    descriptor of 16 bytes, a read of the frame, an interrupt, and a read of
    the head pointer by the host. Real adapters fetch descriptors in groups and
    moderate interrupts, and do better.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3, the simple NIC.

    Examples
    --------
    >>> round(pcie_nic_transmit_rate_bps(pcie_tlp_rate_bps(3, 8), 64) / 1e9, 3)
    21.539
    """
    data_bytes, max_payload_bytes = _checked(data_bytes, max_payload_bytes)
    traffic = _transmit(data_bytes, max_payload_bytes, _LARGEST_READ_REQUEST_BYTES)
    return _data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def pcie_nic_receive_rate_bps(
    tlp_rate_bps: Quantity, data_bytes: Quantity, max_payload_bytes: Quantity = 256
) -> Quantity:
    r"""
    Data rate at which a simple adapter hands frames to its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]

    Returns
    -------
    receive_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence, of the broadcast shape of the
        inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    Each frame takes a write of the tail pointer by the host, a read of a
    descriptor of 16 bytes, a write of the frame, a write back of the
    descriptor, an interrupt, and a read of the head pointer by the host. The
    published code leaves out the request of the descriptor read by mistake,
    and so shows 20.581 where 18.160 Gbit/s is right, for 64 bytes on eight
    lanes of generation 3.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3, the simple NIC.

    Examples
    --------
    >>> round(pcie_nic_receive_rate_bps(pcie_tlp_rate_bps(3, 8), 64) / 1e9, 3)
    18.16
    """
    data_bytes, max_payload_bytes = _checked(data_bytes, max_payload_bytes)
    return _data_rate_bps(tlp_rate_bps, data_bytes, _receive(data_bytes, max_payload_bytes))


def pcie_nic_duplex_rate_bps(
    tlp_rate_bps: Quantity,
    data_bytes: Quantity,
    max_payload_bytes: Quantity = 256,
    max_read_request_bytes: Quantity = 512,
) -> Quantity:
    r"""
    Data rate of each direction when a simple adapter sends and receives alike.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    max_read_request_bytes : float or array_like
        Maximum read request size that is configured. [byte]

    Returns
    -------
    duplex_rate_bps : float or numpy.ndarray
        Rate of frames without check sequence in each direction, of the
        broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If an argument is not above zero, or infinite.

    Notes
    -----
    The transactions of :func:`pcie_nic_transmit_rate_bps` and
    :func:`pcie_nic_receive_rate_bps`, one of each for every frame.

    References
    ----------
    R. Neugebauer et al., SIGCOMM 2018, section 3, the simple NIC.

    Examples
    --------
    >>> round(pcie_nic_duplex_rate_bps(pcie_tlp_rate_bps(3, 8), 64) / 1e9, 3)
    12.186
    """
    data_bytes, max_payload_bytes = _checked(data_bytes, max_payload_bytes)
    max_read_request_bytes = require_above(
        "max_read_request_bytes", max_read_request_bytes, 0, "byte"
    )
    traffic = _sum(
        _transmit(data_bytes, max_payload_bytes, max_read_request_bytes),
        _receive(data_bytes, max_payload_bytes),
    )
    return _data_rate_bps(tlp_rate_bps, data_bytes, traffic)


def _transmit(
    data_bytes: Quantity, max_payload_bytes: Quantity, max_read_request_bytes: Quantity
) -> _Traffic:
    """One frame from host to device."""
    return _sum(
        _host_write(_POINTER_BYTES),
        _read(_DESCRIPTOR_BYTES, max_payload_bytes, max_read_request_bytes),
        _read(data_bytes, max_payload_bytes, max_read_request_bytes),
        _write(_INTERRUPT_BYTES, max_payload_bytes),
        _host_read(_POINTER_BYTES),
    )


def _receive(data_bytes: Quantity, max_payload_bytes: Quantity) -> _Traffic:
    """One frame from device to host."""
    return _sum(
        _host_write(_POINTER_BYTES),
        _read(_DESCRIPTOR_BYTES, max_payload_bytes, _DESCRIPTOR_BYTES),
        _write(data_bytes, max_payload_bytes),
        _write(_DESCRIPTOR_BYTES, max_payload_bytes),
        _write(_INTERRUPT_BYTES, max_payload_bytes),
        _host_read(_POINTER_BYTES),
    )


def _write(data_bytes: Quantity, max_payload_bytes: Quantity) -> _Traffic:
    return _Traffic(data_bytes + _WRITE_BYTES * ceil(data_bytes / max_payload_bytes), 0)


def _read(
    data_bytes: Quantity, max_payload_bytes: Quantity, max_read_request_bytes: Quantity
) -> _Traffic:
    return _Traffic(
        _READ_BYTES * ceil(data_bytes / max_read_request_bytes),
        data_bytes + _COMPLETION_BYTES * ceil(data_bytes / max_payload_bytes),
    )


def _host_write(data_bytes: int) -> _Traffic:
    return _Traffic(0, data_bytes + _WRITE_BYTES)


def _host_read(data_bytes: int) -> _Traffic:
    return _Traffic(data_bytes + _COMPLETION_BYTES, _READ_BYTES)


def _sum(*transactions: _Traffic) -> _Traffic:
    return _Traffic(
        sum(traffic.upstream for traffic in transactions),
        sum(traffic.downstream for traffic in transactions),
    )


def _data_rate_bps(tlp_rate_bps: Quantity, data_bytes: Quantity, traffic: _Traffic) -> Quantity:
    """Data rate of transactions that repeat, from the busier direction of the link."""
    tlp_rate_bps = require_above("tlp_rate_bps", tlp_rate_bps, 0, "bit/s")
    return tlp_rate_bps * (data_bytes / maximum(traffic.upstream, traffic.downstream))


def _checked(data_bytes: Quantity, max_payload_bytes: Quantity) -> tuple[Quantity, Quantity]:
    return (
        require_above("data_bytes", data_bytes, 0, "byte"),
        require_above("max_payload_bytes", max_payload_bytes, 0, "byte"),
    )


def _require_one_of(name: str, value: int, known: tuple[int, ...]) -> None:
    if value not in known:
        allowed = ", ".join(map(str, known))
        raise DomainError(f"{name} must be one of {allowed}; got {value!r}")
