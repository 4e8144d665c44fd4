"""Workloads of storage and file services: each is predicted, two by hand."""

import pytest

import netmodel
from netmodel.grades import Grade
from netmodel.records import workload

STORAGE = (
    *("backup-stream", "ceph-write-client-4m", "ceph-write-cluster-4m", "object-get-8m"),
    *("iscsi-read-64k", "iscsi-write-64k", "nfs-read-1m", "nfs-write-1m", "nvme-tcp-read-4k"),
    *("nvme-tcp-read-128k", "nvme-tcp-write-4k", "nvme-tcp-write-128k"),
)
LINE_BPS = 25e9
FRAME_BYTES = 90
"""Preamble, Ethernet, IPv4, TCP with timestamps, check sequence and gap."""
BY_HAND = {
    # a data unit of 24 + 4096 and a response of 24 byte in one frame of MTU 9000
    "nvme-tcp-read-4k": 24 + 4096 + 24 + FRAME_BYTES,
    # a command and seven more units of 48 + 8192 byte in eight segments of 8948 byte at most
    "iscsi-write-64k": 8 * (48 + 8192) + 8 * FRAME_BYTES,
}
"""Bytes on the wire of the larger message."""


@pytest.mark.parametrize("name", STORAGE)
def test_a_storage_workload_is_predicted(name: str) -> None:
    """At most the payload of the line at MTU 9000, and 97 % of it with one frame of 4 KiB."""
    found = netmodel.predict(workload=name, adapter="ethernet-25gbe", mtu_bytes=9000)
    most = LINE_BPS * 8948 / 9038
    assert 0.97 * most < found.throughput_bps.value <= most * (1 + 1e-12)
    if name in BY_HAND:
        rate = LINE_BPS / 8 / BY_HAND[name]
        assert found.transaction_rate_tps.value == pytest.approx(rate, rel=1e-12)


def test_sizes_that_no_standard_fixes_are_assumed() -> None:
    assumed = {name for name in STORAGE if _grade(name) is Grade.ASSUMED}
    assert assumed == {name for name in STORAGE if name.startswith(("nfs", "ceph", "object"))}


def _grade(name: str) -> Grade | None:
    load = workload(name)
    part = load.write or load.request
    assert part is not None
    return part.grade
