"""Times of protocols at both ends, calibrated from ratios over distance."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from netmodel.calibration._calibrated_records import document_of
from netmodel.calibration._declarations import Declaration, declarations
from netmodel.calibration._models import Point
from netmodel.calibration._observed import Observed
from netmodel.calibration._sets import feasible_set
from netmodel.calibration._transports import QUANTITY, TransportModel, reached_time_ratio
from netmodel.errors import ContradictionError, DomainError, ParseError
from netmodel.records import register_data, statement, unregister_data
from netmodel.records._transports import transport_record

RECORD = transport_record()
CASES = {(each.workload, int(each.distance_km)): each for each in RECORD.cases}


@pytest.fixture(scope="module")
def bundled() -> Declaration:
    return declarations()["transports", "smcr-distance"]


@pytest.mark.parametrize(
    ("case", "latency_percent", "throughput_percent"),
    [
        (("smc-rr-1k", 10), 47, 88),
        (("smc-rr-1k", 100), 9, 9),
        (("smc-rr-32k", 10), 60, 150),
        (("smc-rr-32k", 100), 25, 35),
    ],
)
def test_a_case_allows_what_either_figure_allows(
    case: tuple[str, int], latency_percent: float, throughput_percent: float
) -> None:
    """Time ratios of 1 - latency, and of 1 / (1 + throughput), each within half a per cent."""
    ends = [
        (1 - (latency_percent + 0.5) / 100, 1 - (latency_percent - 0.5) / 100),
        (1 / (1 + (throughput_percent + 0.5) / 100), 1 / (1 + (throughput_percent - 0.5) / 100)),
    ]
    low, high = min(each[0] for each in ends), max(each[1] for each in ends)
    assert float(CASES[case].low) == pytest.approx(low, rel=1e-5)
    assert float(CASES[case].high) == pytest.approx(high, rel=1e-5)


def test_one_pair_cannot_both_hold() -> None:
    """25 % less time is at least 0.745, 35 % more throughput at most 1 / 1.345 = 0.74349."""
    apart = {case: each.apart_ratio for case, each in CASES.items() if each.apart_ratio}
    assert list(apart) == [("smc-rr-32k", 100)]
    assert float(apart["smc-rr-32k", 100]) == pytest.approx(0.745 * 1.345 - 1, rel=1e-3)


def test_every_corner_is_within_every_case() -> None:
    model = TransportModel(RECORD.protocols)
    corners = np.array(RECORD.corners, dtype=float).T
    sizes = {"smc-rr-1k": 1024, "smc-rr-32k": 32768}
    for (name, km), case in CASES.items():
        at = {
            "request_bytes": sizes[name],
            "response_bytes": sizes[name],
            "round_trip_s": 2 * km * 1.4682 / 299_792.458,
        }
        own, baseline = (
            model.loads(Point(QUANTITY, {"protocol": each, **at})).values(corners)
            for each in ("smc-r", "tcp")
        )
        ratios = own / baseline
        assert ratios.min() == pytest.approx(float(case.low), rel=1e-4)
        # at 100 km the smallest gain of 1 KiB would take less than no time at the ends
        largest = 0.91696 if (name, km) == ("smc-rr-1k", 100) else float(case.high)
        assert ratios.max() == pytest.approx(largest, rel=1e-4)


def test_left_out_statements_are_within_what_the_others_leave() -> None:
    """Also without the figure that is linked with it: but then the range is wide."""
    for each in RECORD.left_out:
        low, high = reached_time_ratio(statement(each.statement))
        assert float(each.case_low) < high
        assert low < float(each.case_high)
        assert float(each.case_low) <= float(each.low) <= float(each.high)
    widths = {each.statement: float(each.case_high - each.case_low) for each in RECORD.left_out}
    assert min(widths.values()) > 0.05


def test_each_round_trip_adds_to_a_transaction() -> None:
    model = TransportModel(RECORD.protocols)
    at = {"protocol": "tcp", "request_bytes": 32768, "response_bytes": 32768, "round_trip_s": 1e-3}
    times = [
        model.loads(Point(QUANTITY, {**at, "round_trip_count": count})).constants[0]
        for count in (1, 2, 3)
    ]
    assert [later - earlier for earlier, later in pairwise(times)] == pytest.approx([1e3, 1e3])


@pytest.mark.parametrize(
    ("tcp_count", "smcr_count", "is_possible"),
    [(1, 1, True), (1.1, 1, True), (1.3, 1, False), (2, 1, False), (2, 2, True)],
)
def test_figures_limit_the_round_trips_of_tcp(
    tcp_count: float, smcr_count: float, is_possible: bool
) -> None:
    """
    Far away the ratio of 32 KiB is that of the round trips: 0.5 with two of TCP, printed 0.75.
    """
    observed = []
    for (_, km), case in CASES.items():
        if case.workload == "smc-rr-1k":
            continue
        at = {
            "request_bytes": 32768.0,
            "response_bytes": 32768.0,
            "round_trip_s": 2 * km * 1.4682 / 299_792.458,
        }
        observed.append(
            Observed(
                quantity=QUANTITY,
                at={"protocol": "smc-r", "round_trip_count": smcr_count, **at},
                low=float(case.low),
                high=float(case.high),
                baseline={"protocol": "tcp", "round_trip_count": tcp_count, **at},
            )
        )
    model = TransportModel(RECORD.protocols)
    if is_possible:
        assert feasible_set(observed, model).parameters
        return
    with pytest.raises(ContradictionError):
        feasible_set(observed, model)


def test_wrong_declarations_name_what_is_wrong(bundled: Declaration) -> None:
    def changed(**changes: object) -> Declaration:
        return bundled._replace(document={**bundled.document, **changes})

    for declaration, words in (
        (changed(statements=["smcr-str1-request"]), "does not compare latency or throughput"),
        (changed(statements=["smcr-rr-1k-10km-latency-words"]), "does not compare latency"),
        (changed(statements=["smcr-summary-10km-str-latency"]), "no requests with responses"),
        (changed(statements=["nothing"]), "nothing"),
        (changed(baseline="udp"), "one of them the baseline"),
        (changed(surplus=1), "surplus"),
        (changed(equipment_us={"50": 10}), "equipment_us: must be of distances"),
        (changed(equipment_us={"100": -1}), "equipment_us"),
    ):
        with pytest.raises(ParseError, match=words):
            document_of(declaration)


@pytest.mark.thorough
def test_equipment_on_the_fibre_raises_endpoint_times(bundled: Declaration) -> None:
    """TCP's by 50 us times e2 / (e1 - e2), with the gains 0.465 at 10 and 0.095 at 100 km."""
    plain, longer = (
        np.array(
            document_of(bundled._replace(document={**bundled.document, **more}))["corners"],
            dtype=float,
        )
        for more in ({}, {"equipment_us": {"100": 50}})
    )
    rise_us = longer[:, 0].max() - plain[:, 0].max()  # of TCP, for each transaction
    assert rise_us == pytest.approx(50 * 0.095 / (0.465 - 0.095), abs=1)
    assert longer[:, 3].max() > plain[:, 3].max()


def test_quantities_and_protocols_that_the_model_does_not_know_are_refused() -> None:
    model = TransportModel(RECORD.protocols)
    with pytest.raises(DomainError, match="knows transaction_time_s"):
        model.loads(Point("throughput_bps", {}))
    with pytest.raises(DomainError, match="needs protocol"):
        model.loads(Point(QUANTITY, {}))
    at = {"protocol": "udp", "request_bytes": 1, "response_bytes": 1, "round_trip_s": 1}
    with pytest.raises(DomainError, match="none of tcp, smc-r"):
        model.loads(Point(QUANTITY, at))


OWN = """
[[statements]]
id = "own-{size}-{km}"
locator = "page 1"
wording = "less latency over the faster adapter"
quantity = "latency"
subject = {{ transport = "smcr", workload = "smc-rr-{size}k", distance_km = {km} }}
baseline = {{ transport = "tcp" }}
change = "less"
value = {percent:.1f}
unit = "%"
not_modelled = "measured"
"""


@pytest.mark.thorough
def test_own_figures_hold_the_times_that_made_them(bundled: Declaration, tmp_path: Path) -> None:
    """Figures of known times, printed with a decimal, at three distances."""
    known_us = np.array([100, 8, 0.002, 20, 1, 0.001])
    model = TransportModel(RECORD.protocols)
    blocks, names = [], []
    for size in (1, 32):
        for km in (5, 20, 200):
            at = {
                "request_bytes": size * 1024,
                "response_bytes": size * 1024,
                "round_trip_s": 2 * km * 1.4682 / 299_792.458,
            }
            own, baseline = (
                float(model.loads(Point(QUANTITY, {"protocol": each, **at})).values(known_us))
                for each in ("smc-r", "tcp")
            )
            names.append(f"own-{size}-{km}")
            blocks.append(OWN.format(size=size, km=km, percent=100 * (1 - own / baseline)))
    (tmp_path / "statements").mkdir()
    (tmp_path / "documents.toml").write_text('[own]\ntitle = "Own"\nauthor = "me"\nyear = 2026\n')
    head = '[defaults]\nsource = "own"\ngrade = "measured"\n[reasons]\nmeasured = "own runs"\n'
    (tmp_path / "statements" / "own.toml").write_text(head + "".join(blocks))
    register_data(tmp_path)
    try:
        declared = bundled._replace(document={**bundled.document, "statements": names})
        document = document_of(declared)
    finally:
        unregister_data(tmp_path)
    corners = np.array(document["corners"], dtype=float)
    assert (corners.min(axis=0) <= known_us * (1 + 1e-3)).all()
    assert (corners.max(axis=0) >= known_us * (1 - 1e-3)).all()
    assert len(document["cases"]) == 6
    assert all(each["case_low"] <= each["case_high"] for each in document["left_out"])
    widths = corners.max(axis=0) - corners.min(axis=0)
    # three digits of six ratios: the time of a transaction within a tenth
    assert widths[0] < 0.1 * known_us[0]
