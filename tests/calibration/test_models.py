"""What can be calibrated: the same quantities as predictions have, linear in what is free."""

import numpy as np
import pytest

from netmodel.calibration import Observed, Point, adapter_model, feasible_set, fit, host_cost_model
from netmodel.calibration.models import FreeParameter, LinearModel, demand_model, with_fixed
from netmodel.calibration.named_models import LAWS, MODELS, about_model, named_model
from netmodel.calibration.observations import Selection
from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, DomainError
from netmodel.path import Path, Pool, Stage, Times, Traffic, predict_path

PER_FRAME_S = np.array([0.864478e-6, 0.473e-6])
PER_BYTE_S = np.array([0.0, 0.270358e-9])


def test_the_line_caps_the_throughput_of_an_adapter() -> None:
    """The two ends of the segment of OSA-Express7S inbound, at the MTUs of the handbook."""
    model = adapter_model(25e9)
    mtus = (1500, 2000, 3000, 4000, 6000)
    values = model.function([Point("throughput_bps", {"mtu_bytes": mtu}) for mtu in mtus])
    gbps = values(np.array([PER_FRAME_S, PER_BYTE_S])) / 1e9
    assert gbps[:, 0] == pytest.approx([13.4, 18.027, 24.259, 24.443, 24.627], abs=6e-4)
    assert gbps[:, 1] == pytest.approx([13.4, 15.589, 18.570, 20.504, 22.865], abs=6e-4)


def test_uncapped_is_without_the_line() -> None:
    point = Point("throughput_bps", {"mtu_bytes": 9000}, is_uncapped=True)
    capped = point._replace(is_uncapped=False)
    rates = adapter_model(25e9).function([point, capped])(np.array([0.864478e-6, 0.0]))
    assert rates / 1e9 == pytest.approx([8 * 8948 / 864.478, 24.751], abs=1e-3)


def test_an_adapter_sees_the_larger_message_of_a_workload() -> None:
    at = {"mtu_bytes": 1500, "workload": "rr1c-200x30k", "connection_count": 50}
    rate = adapter_model(25e9).function([Point("throughput_bps", at)])(PER_FRAME_S[[0, 0]] * [1, 0])
    assert rate / 1e9 == pytest.approx([12.922], abs=1e-3)


def test_host_cost_is_a_sum_of_message_frames_and_bytes() -> None:
    """Theory 4.3: 22 frames of 0.5 µs, 30720 byte of 0.2 ns, and 1 µs."""
    point = Point("cpu_us_per_gbit", {"mtu_bytes": 1500, "request_bytes": 30720, "side": "client"})
    cost = host_cost_model().function([point])(np.array([1e-6, 0.5e-6, 0.2e-9]))
    assert cost == pytest.approx([73_828.125])


@pytest.mark.parametrize(
    ("quantity", "at", "problem"),
    [
        ("throughput_bps", {}, "needs mtu_bytes"),
        ("frames", {"mtu_bytes": 1500}, "quantity must be one of"),
        ("transaction_rate_tps", {"mtu_bytes": 1500}, "needs one of workload"),
        ("cpu_us_per_gbit", {"mtu_bytes": 1500}, "quantity must be one of throughput_bps, transac"),
    ],
)
def test_refusals_of_the_model_of_an_adapter(
    quantity: str, at: dict[str, float | str], problem: str
) -> None:
    with pytest.raises(DomainError, match=problem):
        adapter_model(25e9).loads(Point(quantity, at))


@pytest.mark.parametrize(
    ("at", "problem"),
    [
        ({"mtu_bytes": 1500, "write_bytes": 9000}, "needs side"),
        (
            {"mtu_bytes": 1500, "write_bytes": 9000, "side": "both"},
            "side must be one of client, server; got 'both'",
        ),
        ({"mtu_bytes": 1500, "side": "client"}, "needs one of workload"),
    ],
)
def test_refusals_of_the_model_of_a_host(at: dict[str, float | str], problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        host_cost_model().loads(Point("cpu_us_per_gbit", at))


def test_models_of_times_agree_with_the_prediction_of_their_path() -> None:
    """A path with an adapter of the same times, and hosts of the same costs."""
    line = Stage(name="wire", to_server=Times(per_byte_s=8 / 25e9), byte_layer=ByteLayer.WIRE)
    card = Stage(name="card", to_server=Times(per_frame_s=5e-7, per_byte_s=3e-10))
    cpu = Stage(name="cpu", side=Side.CLIENT, pool="cpus", to_server=Times(2e-6, 1e-6, 1e-10))
    path = Path(stages=(cpu, card, line), pools=(Pool("cpus", 64, Side.CLIENT),))
    predicted = predict_path(path, Traffic(30720), 4000)
    at = {"mtu_bytes": 4000, "request_bytes": 30720, "side": "client"}
    rate = adapter_model(25e9).function([Point("throughput_bps", at)])(np.array([5e-7, 3e-10]))
    assert rate == pytest.approx([predicted.throughput_bps.value], rel=1e-12)
    cost = host_cost_model().function([Point("cpu_us_per_gbit", at)])
    wanted = predicted.cpu_us_per_gbit[Side.CLIENT]
    assert cost(np.array([2e-6, 1e-6, 1e-10])) == pytest.approx([wanted.value], rel=1e-12)


def test_shared_parts_are_separated_by_the_batch_size() -> None:
    """By hand: 10 frames in 2 packets, 5 interrupts, 5 acknowledgements, a quarter of a wake-up."""
    names = ("message", "wakeup", "interrupt", "frame", "ack", "byte")
    model = host_cost_model([f"per_{name}_s" for name in names])
    at = {
        "mtu_bytes": 1500,
        "request_bytes": 14480,
        "side": "server",
        "messages_per_wakeup": 4,
        "frames_per_interrupt": 2,
        "segments_per_packet": 5,
        "segments_per_ack": 2,
    }
    loads = model.loads(Point("cpu_s_per_transaction", at))
    assert loads.coefficients == pytest.approx(np.array([[1, 0.25, 5, 2, 5, 14480]]))
    assert [each.separated_by for each in model.parameters] == [
        "another MTU or message size",
        "another messages_per_wakeup",
        "another frames_per_interrupt",
        "another MTU or message size",
        "another segments_per_ack",
        "another MTU or message size",
    ]


@pytest.mark.parametrize(
    ("side", "size", "counts"),
    [
        (Side.CLIENT, "request_bytes", [1, 0]),
        (Side.CLIENT, "response_bytes", [0, 1]),
        (Side.SERVER, "request_bytes", [0, 1]),
        (Side.SERVER, "response_bytes", [1, 0]),
    ],
)
def test_sent_and_received_are_as_seen_from_the_side(
    side: Side, size: str, counts: list[int]
) -> None:
    model = host_cost_model(["sent.per_message_s", "received.per_message_s"])
    at = {"mtu_bytes": 1500, size: 1000, "side": side.value}
    result = model.loads(Point("cpu_s_per_transaction", at)).coefficients
    assert result == pytest.approx(np.array([counts]))


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ((), "at least one part must be free"),
        (("per_packet_s",), "'per_packet_s' is not a part of the cost of a host: it has per"),
        (("both.per_byte_s",), "each alone or with sent. or received. before it"),
        (("per_byte_s", "sent.per_byte_s"), "per_byte_s and sent.per_byte_s stand for the same"),
    ],
)
def test_parts_of_a_host_are_times_of_sent_or_received_data(
    parts: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(DomainError, match=problem):
        host_cost_model(parts)


def test_a_cost_without_a_free_part_is_refused() -> None:
    at = {"mtu_bytes": 1500, "response_bytes": 1000, "side": "client"}
    model = host_cost_model(["sent.per_byte_s"])
    with pytest.raises(DomainError, match="no known or free part of the cost is spent"):
        model.loads(Point("cpu_us_per_gbit", at))


def test_the_condition_that_separates_a_part_is_named() -> None:
    """Each wake-up served two messages in all runs: its time is a part of that of a message."""

    def seen(size: int, cost_us: float, spread: float) -> Observed:
        at = {"mtu_bytes": 1500, "request_bytes": size, "messages_per_wakeup": 2, "side": "client"}
        low_s, high_s = (1e-6 * cost_us * (1 + sign * spread) for sign in (-1, 1))
        return Observed(quantity="cpu_s_per_transaction", at=at, low=low_s, high=high_s)

    model = host_cost_model([f"per_{each}_s" for each in ("message", "wakeup", "byte")])
    notes = feasible_set([seen(1000, 5, 0.01), seen(10000, 8, 0.01)], model).notes
    not_estimable = "cannot be estimated: measure at another MTU or message size"
    assert f"per_message_s {not_estimable}" in notes
    assert ("per_wakeup_s cannot be estimated: measure at another messages_per_wakeup") in notes
    figures = ((1000, 5), (1000, 5.1), (9000, 8), (9000, 8.2))
    scattered = [seen(size, cost, 0) for size, cost in figures]
    with pytest.raises(CalibrationError, match="another messages_per_wakeup"):
        fit(scattered, model)


def test_several_things_have_parameters_of_their_own() -> None:
    both = adapter_model({"a": 25e9, "b": 10e9}, by="adapter")
    assert [each.name for each in both.parameters] == [
        *("a.per_frame_s", "a.per_byte_s", "b.per_frame_s", "b.per_byte_s")
    ]
    points = [Point("throughput_bps", {"mtu_bytes": 1500, "adapter": each}) for each in "ab"]
    rates = both.function(points)(np.array([0.864478e-6, 0, 0.864478e-6, 0]))
    assert rates / 1e9 == pytest.approx([13.4, 9.4148], abs=1e-4)
    with pytest.raises(DomainError, match="adapter must be one of a, b; got 'c'"):
        both.loads(Point("throughput_bps", {"mtu_bytes": 1500, "adapter": "c"}))


RATE_OF = {"connection_count": 8}
NAMED: list[tuple[str, str, dict[str, float | str], list[str]]] = [
    ("adapter", "throughput_bps", {"mtu_bytes": 1500}, ["per_frame_s", "per_byte_s"]),
    (
        *("adapter", "throughput_bps", {"mtu_bytes": 1500, "direction": "in"}),
        ["in.per_frame_s", "in.per_byte_s"],
    ),
    (*("scalability", "transaction_rate_tps", RATE_OF), ["alone_s", "contention_s", "coherency_s"]),
    ("saturation", "throughput_bps", RATE_OF, ["zero_load_s", "bottleneck_s"]),
    ("batching", "transaction_rate_tps", RATE_OF, ["delay_s", "least_s", "shared_s"]),
    ("power", "transaction_rate_tps", RATE_OF, ["fixed_s", "growing_s"]),
    (
        *("amortised", "transaction_rate_tps", RATE_OF),
        ["delay_s", "least_s", "shared_s", "batching_count"],
    ),
]


@pytest.mark.parametrize(("name", "quantity", "at", "parameters"), NAMED)
def test_a_model_by_its_name(
    name: str, quantity: str, at: dict[str, float | str], parameters: list[str]
) -> None:
    seen = [Observed(quantity=quantity, at=at, low=1, high=2)]
    model = named_model(name, seen)
    assert [each.name for each in model.parameters] == parameters
    assert model.function([Point(quantity, at)])(np.ones(len(parameters))).shape == (1,)
    first, *others = parameters
    fixed = with_fixed(model, {first: 1.0})
    assert [each.name for each in fixed.parameters] == others


def test_every_named_model_is_tried() -> None:
    assert list(MODELS) == list(dict.fromkeys(name for name, *_ in NAMED))
    assert set(LAWS) < set(MODELS)


def test_wrong_names_are_refused() -> None:
    seen = [Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=1, high=2)]
    with pytest.raises(DomainError, match="no model 'linear': choose auto, adapter, scalability, "):
        named_model("linear", seen)


def test_a_model_is_about_one_quantity() -> None:
    def seen(*quantities: str) -> Selection:
        at = {"connection_count": 1}
        return Selection(
            tuple(Observed(quantity=each, at=at, low=1, high=1) for each in quantities)
        )

    def kept(name: str, *quantities: str) -> tuple[list[str], tuple[str, ...]]:
        about = about_model(name, seen(*quantities))
        return [each.quantity for each in about.observed], about.notes

    rates = ("transaction_rate_tps", "throughput_bps")
    left_out = "transaction_rate_tps is left out: the model predicts throughput_bps"
    assert kept("saturation", *rates) == (["throughput_bps"], (left_out,))
    assert kept("auto", *rates) == (["throughput_bps"], (left_out,))
    assert kept("adapter", "throughput_bps") == (["throughput_bps"], ())


def test_a_line_limits_the_payload_of_curves_and_no_rate_of_transactions() -> None:
    at = {"connection_count": 8, "mtu_bytes": 1500}
    for quantity, most in (("throughput_bps", 1e9 * 1448 / 1538), ("transaction_rate_tps", np.inf)):
        seen = [Observed(quantity=quantity, at=at, low=1, high=1)]
        model = named_model("scalability", seen, line_rate_bps=1e9)
        assert isinstance(model, LinearModel)
        assert model.loads(Point(quantity, at)).most == pytest.approx(most)


def test_a_sum_of_two_times_has_the_ends_of_both() -> None:
    """Twice 2 to 3 s, and half of 1 to 2 s."""
    free = tuple(FreeParameter(name, "s") for name in ("a_s", "b_s"))
    model = demand_model("y_s", free, lambda at: (float(at["a"]), float(at["b"])), is_rate=False)

    def bounded(a: float, b: float, low: float, high: float) -> Observed:
        return Observed(quantity="y_s", at={"a": a, "b": b}, low=low, high=high)

    allowed = feasible_set([bounded(1, 0, 2, 3), bounded(0, 1, 1, 2)], model)
    estimate = allowed.predict(Point("y_s", {"a": 2.0, "b": 0.5}))
    assert (estimate.low, estimate.high) == pytest.approx((4.5, 7))
