"""Right and wrong uses of formulas: test_types.py runs mypy on them, and nothing runs them.

A comment ``# wrong: CODE`` names the error that mypy must report on its line. Every other line must
pass.
"""

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, assert_type

import numpy as np
import numpy.typing as npt
import sympy

from netmodel.api import ceiling, check, predict
from netmodel.api import plan as plan_of
from netmodel.ceilings import (
    FrameTimeSegment,
    LineCeiling,
    frame_time_segment,
    line_ceiling,
    payload_rate_bps,
    pcie_nic_duplex_rate_bps,
    required_mtu_bytes,
)
from netmodel.concurrency import asymptotic_rate_bounds_tps, knee_connection_count
from netmodel.estimates import Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.path import (
    Path as StagesPath,
)
from netmodel.path import SpecifiedPath, Stage, Times, Traffic, predict_path
from netmodel.planning import Plan, parse_flow, plan
from netmodel.records import Adapter, adapter
from netmodel.transport import window_payload_rate_bps
from netmodel.units import format_rate, parse_rate_bps

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.number]


class OfAnotherLibrary:
    """A quantity, as of pint, astropy or unyt."""

    def to(self, unit: str) -> "OfAnotherLibrary":
        raise NotImplementedError(unit)


def right(
    array: Floats,
    whole: npt.NDArray[np.int64],
) -> None:
    """What passes, with the type that it gives."""
    # numbers give a float
    assert_type(payload_rate_bps(25e9, 1500), float)
    assert_type(payload_rate_bps(25e9, mtu_bytes=1500, header_bytes=40), float)
    assert_type(payload_rate_bps(np.float64(25e9), np.int64(1500)), float)
    assert_type(payload_rate_bps(parse_rate_bps("25G"), line_ceiling(25e9, 1500).mtu_bytes), float)
    assert_type(pcie_nic_duplex_rate_bps(5e10, 1500, flit_mode=True), float)
    assert_type(format_rate(payload_rate_bps(25e9, 1500)), str)
    assert_type(adapter("osa-express7s-25gbe"), Adapter)
    assert_type(plan([parse_flow("1G str-writex30k")], SpecifiedPath(), 1500), Plan)

    # an array among the arguments gives an array
    assert_type(payload_rate_bps(25e9, array), Floats)
    assert_type(payload_rate_bps(25e9, mtu_bytes=whole), Numbers)
    rates_bps: Floats = payload_rate_bps(25e9, np.array([1500, 9000]))
    assert_type(window_payload_rate_bps(2**16, array, 4), Floats)

    # so do methods, and results of several quantities
    assert_type(tcp_stack().payload_bytes(1500), float)
    assert_type(tcp_stack().payload_bytes(array), Floats)
    assert_type(line_ceiling(25e9, 1500).payload_rate_bps, float)
    assert_type(frame_time_segment(1448, 1e-6, 8948, 3e-6), FrameTimeSegment[float])
    assert_type(frame_time_segment(1448, array, 8948, 3e-6), FrameTimeSegment[Floats])

    # a number for each stage gives a float, an array for one of them an array
    assert_type(knee_connection_count([12e-6, 6e-6], 0, [8, 1]), float)
    assert_type(asymptotic_rate_bounds_tps([1e-6, 2e-6], 10).low, float)
    assert_type(asymptotic_rate_bounds_tps([1e-6, 2e-6], array).high, Floats)

    # a prediction may have arrays; numbers() gives plain floats, and so does all of a plan
    stages = StagesPath(stages=(Stage(name="cpu", to_server=Times(per_frame_s=array)),))
    prediction = predict_path(stages, Traffic(30720, connection_count=whole), [1500, 9000])
    assert_type(prediction.throughput_bps, Predicted[float | Numbers])
    assert_type(prediction.throughput_bps.value, float | Numbers)
    assert_type(prediction.throughput_bps.numbers(), Predicted[float])
    assert_type(plan([parse_flow("1G str-writex30k")], SpecifiedPath()).adapter_count.low, float)
    assert_type(adapter("x").line_rate_bps, float)

    # symbols pass without weakening the rest: SymPy has no types
    line, mtu = sympy.symbols("line mtu", positive=True)
    payload_rate_bps(line, mtu).diff(mtu)


def right_questions(quantity: OfAnotherLibrary) -> None:
    """What a question takes as a number."""
    assert_type(ceiling(quantity, mtu_bytes=quantity), LineCeiling)
    assert_type(ceiling("25 Gbit/s", 1500), LineCeiling)
    predict(workload="str-writex30k", km=quantity, rtt_s=timedelta(milliseconds=1))
    check([9.4e9, quantity, "run.json"], line_rate_bps=quantity)
    plan_of(quantity, adapters="osa-express7s-25gbe")


def wrong(
    array: Floats,
    masks: npt.NDArray[np.bool_],
    column: "pd.Series[float]",
) -> None:
    """What mypy reports."""
    # what becomes an array at run time: type checkers know arrays alone
    payload_rate_bps(25e9, [1500, 9000])  # wrong: type-var
    payload_rate_bps(25e9, column)  # wrong: type-var
    knee_connection_count(array)  # wrong: arg-type

    # no quantities
    payload_rate_bps("25G", 1500)  # wrong: type-var
    payload_rate_bps(25e9, "1500")  # wrong: type-var
    payload_rate_bps(25e9, None)  # wrong: type-var
    payload_rate_bps(25e9, ["1500", "9000"])  # wrong: type-var
    payload_rate_bps(25e9, 1500 + 2j)  # wrong: type-var
    payload_rate_bps(25e9, Decimal(1500))  # wrong: type-var
    payload_rate_bps(25e9, masks)  # wrong: type-var
    tcp_stack().payload_bytes("1500")  # wrong: type-var
    knee_connection_count("12")  # wrong: type-var

    # wrong calls
    payload_rate_bps(25e9)  # wrong: call-arg
    payload_rate_bps(25e9, mtu=1500)  # wrong: call-arg
    pcie_nic_duplex_rate_bps(5e10, 1500, flit_mode="yes")  # wrong: arg-type
    Stack("ethernet/ipv4/tcp")  # wrong: arg-type
    line_ceiling("25G", 1500)  # wrong: arg-type
    line_ceiling(25e9, 1500, "ethernet/ipv4/tcp")  # wrong: arg-type
    format_rate("25G")  # wrong: arg-type
    parse_rate_bps(25e9)  # wrong: arg-type
    plan("25 Gbit/s str-writex30k", SpecifiedPath(), 1500)  # wrong: arg-type
    plan([parse_flow("25 Gbit/s str-writex30k")], "osa-express7s-25gbe")  # wrong: arg-type
    predict_path("osa-express7s-25gbe", Traffic(30720), 1500)  # wrong: arg-type
    predict_path(StagesPath(stages=()), Traffic(30720), "1500")  # wrong: arg-type
    Traffic(30720, connection_count="50")  # wrong: arg-type
    Stage(name="cpu", parallel_count="all")  # wrong: arg-type
    adapter(7)  # wrong: arg-type
    by_id: str = adapter("osa-express7s-25gbe")  # wrong: assignment

    ceiling([25e9], 1500)  # wrong: arg-type
    predict(workload="str-writex30k", server_cost=0.16)  # wrong: arg-type

    # results taken for what they are not
    text: str = payload_rate_bps(25e9, 1500)  # wrong: assignment
    number: float = payload_rate_bps(25e9, array)  # wrong: assignment
    nothing: None = required_mtu_bytes(1e9, 25e9)  # wrong: assignment
    low: float = asymptotic_rate_bounds_tps([1e-6], array).low  # wrong: assignment
    prediction = predict_path(StagesPath(stages=()), Traffic(30720), 1500)
    one_rate: float = prediction.throughput_bps.value  # wrong: assignment
    busy: dict[str, float] = prediction.cpu_busy  # wrong: assignment
    _ = prediction.transaction_time_s.value  # wrong: union-attr
    _ = payload_rate_bps(25e9, 1500).shape  # wrong: attr-defined
    "rate: " + payload_rate_bps(25e9, 1500)  # wrong: operator
