"""Line speed, and bounds of printed ratios, through predictions and plans."""

from pathlib import Path
from typing import Any

import pytest

import netmodel
from netmodel.published import answer
from netmodel.records import data_path

OSA6, OSA7 = "osa-express6s-10gbe", "osa-express7s-25gbe"
LARGE = "rr1c-200x30k"


@pytest.mark.parametrize(
    ("mtu_bytes", "frame_count", "right_gbps"), [(1500, 22, 9.3945), (9000, 4, 9.8844)]
)
def test_line_speed_is_what_the_line_carries(
    mtu_bytes: int, frame_count: int, right_gbps: float
) -> None:
    """
    Slides 19 and 26: capped by line speed at 50 and 250 connections.

    By hand: the frames of 30,720 byte have 90 byte around their payload, and requests go against
    them. Calibrated times of the adapter, which are assumed, leave less at MTU 1500.
    """
    by_hand = 10 * 30720 / (30720 + 90 * frame_count)
    assert by_hand == pytest.approx(right_gbps, rel=1e-3)
    case = {"adapter": OSA6, "workload": LARGE}
    for count in (50, 250):
        found = answer({**case, "mtu": mtu_bytes, "connections": count}, "throughput")
        assert found.relation == "line"
        assert found.value == pytest.approx(by_hand, rel=1e-4)
        known = netmodel.predict(**case, mtu_bytes=mtu_bytes, connections=count)
        assert known.throughput_bps.value == pytest.approx(by_hand * 1e9, rel=1e-4)
        assert known.binding == "wire_to_client"
    assert answer({**case, "mtu": "smaller"}, "throughput").status == "not_published"


def test_arrays_have_line_speed_where_it_is_printed() -> None:
    case: dict[str, Any] = {
        "adapter": OSA6,
        "workload": LARGE,
        "mtu_bytes": 1500,
        "connections": 50,
    }
    for key, values in {"connections": [1, 10, 50], "mtu_bytes": [1500, 9000]}.items():
        every = netmodel.predict(**{**case, key: values})
        alone = [netmodel.predict(**{**case, key: x}) for x in values]
        each = [one.throughput_bps.value for one in alone]
        assert [*every.throughput_bps.value] == pytest.approx(each, rel=1e-12)
        assert each[-2] < each[-1]


def test_no_printed_row_stands_beside_arrays() -> None:
    case = {"adapter": OSA6, "workload": LARGE}
    far = {"adapter": "roce-express-10gbe", "workload": "smc-rr-1k", "protocol": "smc-r"}
    one = {"mtu_bytes": 1500, "connections": 10}
    for other in ({**case, "connections": [1, 10]}, {**case, "mtu_bytes": [1500, 9000]}):
        assert netmodel.predict(**{**one, **other}).published == ()  # type: ignore[arg-type]
    assert netmodel.predict(**far, **one, km=[10, 100]).published == ()  # type: ignore[arg-type]


def test_a_plan_counts_with_the_far_end_of_printed_digits() -> None:
    """Slide 20: RoCE is 2.8 (at least 2.75) times as fast, and its line carries 23.49."""
    far_bps = 23.486e9 / 2.75

    def plan(rate_bps: float) -> netmodel.planning.Plan:
        found, *_ = netmodel.plan(
            f"{rate_bps / 1e9:.4f} Gbit/s {LARGE}",
            adapters=OSA7,
            mtu_bytes=1500,
            connections=1,
            spares=0,
            max_utilisation=1,
        )
        return found

    assert plan(far_bps * 0.999).chosen_count == 1
    assert plan(far_bps * 1.001).chosen_count is None


def test_nothing_is_printed_of_own_records_with_an_id_of_the_catalog(tmp_path: Path) -> None:
    """Messages of 300 byte, an adapter of 24 Gbit/s at one end, and another line."""
    changes = {("workloads", LARGE): ("= 200", "= 300"), ("adapters", OSA7): ("= 25\n", "= 24\n")}
    for (kind, name), change in changes.items():
        text = data_path("catalog", kind, f"{name}.toml").read_text("utf-8")
        (tmp_path / f"{name}.toml").write_text(text.replace(*change))
    load, card = (str(tmp_path / f"{name}.toml") for name in (LARGE, OSA7))

    def bounded_by(**given: Any) -> str | None:
        case = {"sender": OSA7, "receiver": OSA7, "workload": LARGE, **given}
        return netmodel.predict(**case, mtu_bytes=1500, connections=1).bounded_by

    assert (bounded_by() or "").startswith("RoCE is 2.8 times as fast")
    assert bounded_by(line_rate_bps=25e9) == bounded_by()
    own = ({"workload": load}, {"sender": card}, {"receiver": card}, {"line_rate_bps": 10e9})
    assert [bounded_by(**given) for given in own] == [None] * 4


def test_a_figure_that_a_limit_was_fitted_to_does_not_bind_in_its_place() -> None:
    """20.5 Gbit/s leave the adapter, and the fit returns them to a billionth."""
    ends = {"sender": "osa-express7s-25gbe", "receiver": "roce-express2.1-25gbe"}
    found = netmodel.predict(**ends, mtu_bytes=1500, workload="str-writex30k", connections=10)
    assert found.binding == "client_adapter_out"
