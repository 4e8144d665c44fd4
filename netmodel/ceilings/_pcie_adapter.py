"""Ceilings that the PCIe link of an adapter sets, from the transactions of each frame."""

from enum import Enum
from math import lcm
from typing import NamedTuple

from netmodel.ceilings._pcie_link import (
    LARGEST_READ_REQUEST_BYTES,
    USUAL_PAYLOAD_BYTES,
    USUAL_READ_REQUEST_BYTES,
    Headers,
    Traffic,
    checked_sizes,
    data_rate_bps,
    headers_of,
    host_read,
    host_write,
    memory_read,
    memory_write,
)
from netmodel.numeric import FloatOrArray, Number, Q, require_above, require_member

# Neugebauer et al., SIGCOMM 2018, section 3, and the code published with it
_POINTER_BYTES = 4
_DESCRIPTOR_BYTES = 16
_INTERRUPT_BYTES = 4
_NEVER = 0
"""In place of a number of frames: no frame causes the transaction."""


class PcieAdapter(Enum):
    """An adapter with its driver, as a published model has it; the value is a name to print."""

    SIMPLE = "simple NIC"
    KERNEL_DRIVER = "modern NIC, kernel driver"
    POLL_MODE_DRIVER = "modern NIC, DPDK driver"


class _Batches(NamedTuple):
    """How many frames share each transaction that is not one per frame for all adapters."""

    transmit_tail_write: int
    transmit_descriptor_read: int
    transmit_write_back: int
    transmit_interrupt: int
    transmit_head_read: int
    receive_tail_write: int
    receive_interrupt: int
    receive_head_read: int

    @property
    def round_frames(self) -> int:
        """Frames after which all batches are complete: counts in a round are whole numbers."""
        return lcm(*(frames for frames in self if frames != _NEVER))


# 40 descriptors, thresholds of 32 and write-backs of 8: as the published code sets an Intel 82599
_BATCHES = {
    PcieAdapter.SIMPLE: _Batches(
        transmit_tail_write=1,
        transmit_descriptor_read=1,
        transmit_write_back=_NEVER,
        transmit_interrupt=1,
        transmit_head_read=1,
        receive_tail_write=1,
        receive_interrupt=1,
        receive_head_read=1,
    ),
    PcieAdapter.KERNEL_DRIVER: _Batches(
        transmit_tail_write=1,
        transmit_descriptor_read=40,
        transmit_write_back=8,
        transmit_interrupt=32,
        transmit_head_read=1,
        receive_tail_write=32,
        receive_interrupt=32,
        receive_head_read=8,
    ),
    PcieAdapter.POLL_MODE_DRIVER: _Batches(
        transmit_tail_write=32,
        transmit_descriptor_read=40,
        transmit_write_back=8,
        transmit_interrupt=_NEVER,
        transmit_head_read=_NEVER,
        receive_tail_write=32,
        receive_interrupt=_NEVER,
        receive_head_read=_NEVER,
    ),
}


def pcie_nic_transmit_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Data rate at which an adapter fetches frames from its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets: an upper bound of it
        gives one of the result. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    adapter : PcieAdapter
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
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    batches = _batches_of(adapter)
    sizes = (max_payload_bytes, LARGEST_READ_REQUEST_BYTES)
    traffic = _transmit(data_bytes, *sizes, batches, headers_of(flit_mode))
    return data_rate_bps(tlp_rate_bps, data_bytes * batches.round_frames, traffic)


def pcie_nic_receive_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Data rate at which an adapter hands frames to its host.

    Parameters
    ----------
    tlp_rate_bps : float or array_like
        What the link leaves to transaction layer packets: an upper bound of it
        gives one of the result. [bit/s]
    data_bytes : float or array_like
        Frame without its check sequence. [byte]
    max_payload_bytes : float or array_like
        Maximum payload size that is configured. [byte]
    adapter : PcieAdapter
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
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    batches = _batches_of(adapter)
    traffic = _receive(data_bytes, max_payload_bytes, batches, headers_of(flit_mode))
    return data_rate_bps(tlp_rate_bps, data_bytes * batches.round_frames, traffic)


def pcie_nic_duplex_rate_bps(
    tlp_rate_bps: Q | Number,
    data_bytes: Q | Number,
    max_payload_bytes: Q | Number = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: Q | Number = USUAL_READ_REQUEST_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Q:
    r"""
    Data rate of each direction when an adapter sends and receives alike.

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
    adapter : PcieAdapter
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
    >>> kernel_bps = pcie_nic_duplex_rate_bps(link_bps, 60, adapter=PcieAdapter.KERNEL_DRIVER)
    >>> round(kernel_bps / (8 * 60) / 1e6, 1)
    35.6
    """
    data_bytes, max_payload_bytes = checked_sizes(data_bytes, max_payload_bytes)
    max_read_request_bytes = require_above(
        "max_read_request_bytes", max_read_request_bytes, 0, "byte"
    )
    batches = _batches_of(adapter)
    headers = headers_of(flit_mode)
    sent = _transmit(data_bytes, max_payload_bytes, max_read_request_bytes, batches, headers)
    received = _receive(data_bytes, max_payload_bytes, batches, headers)
    traffic = Traffic(sent.upstream + received.upstream, sent.downstream + received.downstream)
    return data_rate_bps(tlp_rate_bps, data_bytes * batches.round_frames, traffic)


def _transmit(
    data_bytes: FloatOrArray,
    max_payload_bytes: FloatOrArray,
    max_read_request_bytes: FloatOrArray,
    batches: _Batches,
    headers: Headers,
) -> Traffic:
    """One round of frames from host to device."""
    fetched_bytes = _DESCRIPTOR_BYTES * batches.transmit_descriptor_read
    returned_bytes = _DESCRIPTOR_BYTES * batches.transmit_write_back
    return _in_a_round(
        batches,
        (batches.transmit_tail_write, host_write(_POINTER_BYTES, headers)),
        (
            batches.transmit_descriptor_read,
            memory_read(fetched_bytes, max_payload_bytes, max_read_request_bytes, headers),
        ),
        (1, memory_read(data_bytes, max_payload_bytes, max_read_request_bytes, headers)),
        (batches.transmit_write_back, memory_write(returned_bytes, max_payload_bytes, headers)),
        (batches.transmit_interrupt, memory_write(_INTERRUPT_BYTES, max_payload_bytes, headers)),
        (batches.transmit_head_read, host_read(_POINTER_BYTES, headers)),
    )


def _receive(
    data_bytes: FloatOrArray, max_payload_bytes: FloatOrArray, batches: _Batches, headers: Headers
) -> Traffic:
    """One round of frames from device to host."""
    return _in_a_round(
        batches,
        (batches.receive_tail_write, host_write(_POINTER_BYTES, headers)),
        (1, memory_read(_DESCRIPTOR_BYTES, max_payload_bytes, _DESCRIPTOR_BYTES, headers)),
        (1, memory_write(data_bytes, max_payload_bytes, headers)),
        (1, memory_write(_DESCRIPTOR_BYTES, max_payload_bytes, headers)),
        (batches.receive_interrupt, memory_write(_INTERRUPT_BYTES, max_payload_bytes, headers)),
        (batches.receive_head_read, host_read(_POINTER_BYTES, headers)),
    )


def _in_a_round(batches: _Batches, *transactions: tuple[int, Traffic]) -> Traffic:
    """Sum of transactions, each with the number of frames that share it."""
    counted = [
        (batches.round_frames // frames, traffic)
        for frames, traffic in transactions
        if frames != _NEVER
    ]
    return Traffic(
        sum(count * traffic.upstream for count, traffic in counted),
        sum(count * traffic.downstream for count, traffic in counted),
    )


def _batches_of(adapter: PcieAdapter) -> _Batches:
    require_member("adapter", adapter, PcieAdapter)
    return _BATCHES[adapter]
