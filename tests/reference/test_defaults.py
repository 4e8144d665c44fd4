"""What arguments of formulas are where nobody gives them, each from its document."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from formulas import public_functions

from netmodel import ceilings, concurrency, consumption, framing, transport, tuning
from netmodel.framing import lengths

PACKAGES = (framing, ceilings, consumption, transport, tuning, concurrency)

DOCUMENTED = {
    "link_header_bytes": 6 + 6 + 2,  # IEEE 802.3: two addresses and a type
    "header_bytes": 20 + 20 + 12,  # RFC 791, RFC 9293, RFC 7323 with its padding
    "ip_header_bytes": 20,  # RFC 791
    "record_bytes": 2**14,  # RFC 8446, section 5.1
    "max_aggregate_bytes": 2**16,  # Linux: GSO_LEGACY_MAX_SIZE
    "connection_id_bytes": 8,  # RFC 9000 allows 20; servers on the Internet mostly use 8
    "max_payload_bytes": 256,  # usual Max_Payload_Size of servers
    "max_read_request_bytes": 512,  # PCI Express: 010b after a reset
    "initial_window_segment_count": 10,  # RFC 6928
    "window_segment_count": 65535 * 2**14,  # RFC 7323, section 2.3, of 1 byte each
    "window_bytes": 65535 * 2**14,
    "congestion_window_bytes": 65535 * 2**14,
    "send_buffer_bytes": 65535 * 2**14,
    "rmbe_bytes": 65535 * 2**14,
    "decrease_ratio": 0.5,  # RFC 5681
    "group_index": 1.4682,  # Corning SMF-28 at 1550 nm
    "rdma_mtu_bytes": 1024,  # usual path MTU of RoCE on a line of MTU 1500
    "page_bytes": 4096,  # x86 and most others
    "buffer_bytes": 64 * 1024,  # of OSA-Express
    "data_bytes": 4096,  # NVMe over TCP: least MAXH2CDATA
    "ip_version": 4,
    "timestamps": True,  # as Linux and z/OS ask for
}
OF_FUNCTIONS = {
    ("iscsi", "segment_bytes"): 8192,  # RFC 7143, section 13.12: MaxRecvDataSegmentLength
    ("short_transfer_time_s", "segment_bytes"): 1500 - 52,
    ("tcp_throughput", "segment_bytes"): 1500 - 52,
}
ONE = ("_count", "_counts", "segments_per_ack", "segments_per_packet", "messages_per_wakeup")
ONE_EACH = {
    *("frames_per_interrupt", "max_utilisation_ratio", "window_share_ratio", "route_factor"),
    "service_variation_ratios",
}
"""Nothing is shared, held back or longer than its way: one of each, or all of it."""


def expected(function: str, argument: str) -> float:
    known = DOCUMENTED.get(argument, OF_FUNCTIONS.get((function, argument)))
    if known is not None:
        return known
    # anything else adds nothing: no options, no loss, no time to think
    return 1 if argument in ONE_EACH or argument.endswith(ONE) else 0


@pytest.mark.parametrize(
    "function", list(public_functions(*PACKAGES)), ids=lambda each: each.__name__
)
def test_defaults_are_those_of_documents_or_add_nothing(function: Callable[..., Any]) -> None:
    for argument in inspect.signature(function).parameters.values():
        default = argument.default
        if default is not argument.empty and isinstance(default, int | float):
            assert default == expected(function.__name__, argument.name), argument.name


def test_the_largest_jumbo_frame_is_that_of_switches() -> None:
    """Cisco Nexus 9000, interfaces configuration guide: ``system jumbomtu 9216``."""
    assert lengths.LARGEST_MTU_BYTES == 9216
