"""Wrong objects are refused with what was expected, and how to make it."""

from collections.abc import Callable

import pytest

from netmodel.checking import SpecifiedLine
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Path, SpecifiedPath, Stage, Times, Traffic, predict_path, workload_traffic
from netmodel.path.from_records import adapter_stages, host_pool, host_stages
from netmodel.records import adapter, host, workload

CARD = adapter("osa-express7s-25gbe")
STAGE = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
PATH = Path(stages=(STAGE,))
LOAD = Traffic(1000)
HOST = host("z15-lpar-4core-smt2")


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda: predict_path(CARD, LOAD, 1500), "path must be a Path; got Adapter: SpecifiedPath"),
        (lambda: predict_path("card", LOAD, 1500), "path must be a Path; got 'card'"),
        (lambda: predict_path(None, LOAD, 1500), "path must be a Path; got NoneType"),
        (lambda: predict_path(PATH, workload("awm-rr"), 1500), "traffic must be a Traffic; got"),
        (lambda: predict_path(PATH, LOAD, "1500"), "mtu_bytes must be a number .*; got '1500'"),
        (
            lambda: SpecifiedPath("x", CARD).path(),
            "sender must be an Adapter; got 'x': netmodel.records",
        ),
        (lambda: SpecifiedPath(CARD, HOST).path(), "receiver must be an Adapter; got Host"),
        (
            lambda: SpecifiedPath(CARD, CARD, client_host=CARD).path(),
            "host must be a Host; got Adapter",
        ),
        (
            lambda: Stage(name="q", pool="cpus", parallel_count=None, hashes_flows=True),
            "stage 'q' hashes flows to servers: give parallel_count",
        ),
        (lambda: adapter_stages(None, Side.CLIENT), "adapter must be an Adapter; got NoneType"),
        (lambda: host_stages(CARD, Side.CLIENT), "host must be a Host; got Adapter"),
        (lambda: host_pool("z15", Side.CLIENT), "host must be a Host; got 'z15'"),
        (
            lambda: SpecifiedPath(record="x").path(),
            "record must be a PathRecord; got 'x'.*path_record",
        ),
        (lambda: workload_traffic("awm-rr"), "workload must be a Workload; got 'awm-rr'"),
        (lambda: Path(stages=STAGE), "stages of a path must be a tuple; got Stage"),
        (lambda: Path(stages="cpu"), "stages of a path must be a tuple; got 'cpu'"),
        (lambda: Path(stages=(STAGE, CARD)), r"stages\[1\] of a path must be a Stage; got Adapter"),
        (lambda: Path(stages=(STAGE,), pools=(STAGE,)), r"pools\[0\] of a path must be a Pool"),
        (lambda: SpecifiedLine("200M"), "line_rate_bps must be one number; got '200M'"),
        (lambda: SpecifiedLine(None), "line_rate_bps must be one number; got None"),
        (lambda: SpecifiedLine(200e6, mtu_bytes="1500"), "mtu_bytes must be one number; got"),
        (lambda: Stage(name="cpu", to_server=6e-6), "to_server of stage cpu must be a Times; got"),
    ],
)
def test_a_wrong_object_is_refused(ask: Callable[[], object], complaint: str) -> None:
    with pytest.raises(DomainError, match=complaint):
        ask()
