"""Ranges that published statements leave: by hand, laws, and a user's own document."""

import csv
import json
from decimal import Decimal
from io import StringIO
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invocation import printed
from judging.made_statements import made_statement, of_statements

import netmodel
from netmodel.concurrency import exact_closed_network
from netmodel.judging import (
    measured_beside,
)
from netmodel.path import DataBand, Prediction, SpecifiedPath
from netmodel.records import (
    Grade,
    Relation,
    Statement,
    adapter,
    catalog,
    data_path,
    path_record,
    register_data,
    unregister_data,
    workload,
)

pytestmark = pytest.mark.thorough

OSA7, OSA6, ROCE = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
LARGE, SMALL, STREAM = "rr1c-200x30k", "rr1c-200x1000", "str-writex30k"
LINE = 25 * 30720 / 31080
"""Payload of 4 frames for 30720 byte at MTU 9000: 30720 + 4 x (52 + 18 + 20) byte. [Gbit/s]"""
REACHED = 0.95 * LINE
"""What "line speed" is read as at least: within 5 %. [Gbit/s]"""
BITS = 8 * 30720


def predicted(
    name: str, load: str = LARGE, mtu_bytes: int = 9000, connections: object = 10, **others: object
) -> Prediction:
    result = netmodel.predict(
        sender=name,
        receiver=name,
        workload=load,
        mtu_bytes=mtu_bytes,
        connections=connections,  # type: ignore[arg-type]
        **others,  # type: ignore[arg-type]
    )
    assert isinstance(result, Prediction)
    return result


def band(name: str, load: str = LARGE, mtu_bytes: int = 9000, connections: object = 10) -> DataBand:
    result = predicted(name, load, mtu_bytes, connections).data_band
    assert result is not None
    return result


def gbps(bounds: tuple[float, float] | None) -> tuple[float, float]:
    assert bounds is not None
    return bounds[0] / 1e9, bounds[1] / 1e9


# By hand


def test_line_speed_with_many_connections_is_a_lower_end_for_few() -> None:
    """Slide 26: line speed with 50, so that each of 10 connections has at least a fiftieth."""
    low, high = gbps(band(OSA7).throughput_bps)
    assert low == pytest.approx(REACHED * 10 / 50)
    assert high == pytest.approx(LINE / 1.335), "slide 27: RoCE has 34 % more"


def test_ratios_carry_lower_ends_to_other_adapters() -> None:
    """Slides 26 and 27: RoCE has 34 % more than 7S, which is twice as fast as 6S."""
    assert gbps(band(ROCE).throughput_bps)[0] == pytest.approx(REACHED / 5 * 1.335)
    assert gbps(band(OSA6).throughput_bps)[0] == pytest.approx(REACHED / 5 / 2.05)
    assert gbps(band(ROCE, connections=1).throughput_bps)[0] == pytest.approx(REACHED / 50 * 1.95)


def test_the_time_follows_from_the_rate() -> None:
    known = band(OSA7)
    low_s, high_s = known.transaction_time_s or (0, 0)
    assert low_s == pytest.approx(10 * BITS * 1.335 / LINE / 1e9)
    assert high_s == pytest.approx(50 * BITS / REACHED / 1e9)
    assert known.zero_load_time_s == band(OSA7, connections=1).transaction_time_s


def test_constant_service_times_lengthen_a_transaction_by_the_bottleneck_at_most() -> None:
    """10 / X(10) <= 1 / X(1) + 9 / C, with X(10) <= 18.51 Gbit/s and C >= 0.95 of the line."""
    expected = band(OSA7, connections=1).expected_bps
    assert gbps(expected)[1] == pytest.approx(1 / (10 * 1.335 / LINE - 9 / REACHED))
    known = band(OSA7, connections=10).expected_bps
    at_1 = gbps(expected)[0]
    assert gbps(known)[0] >= 10 / (1 / at_1 + 9 / REACHED) * (1 - 1e-9)


def test_constant_service_times_bound_what_any_number_of_connections_reaches() -> None:
    """250 / X(250) <= 50 / X(50) + 200 / C, solved for C: with 400 connections no more."""
    low_at_50 = gbps(band(OSA7, LARGE, 1500, 50).expected_bps)[0]
    high_at_250 = gbps(band(OSA7, LARGE, 1500, 250).expected_bps)[1]
    known = band(OSA7, LARGE, 1500, 400)
    assert gbps(known.expected_bps)[1] == pytest.approx(200 / (250 / high_at_250 - 50 / low_at_50))
    assert gbps(known.throughput_bps)[1] == pytest.approx(13.1342, rel=1e-5), "of the adapter"


def test_an_absolute_figure_is_a_range_of_its_own() -> None:
    """Slide 21: about 13.4 Gbit/s, so 5 % less at least; the record of the adapter has 13.4."""
    known = band(OSA7, STREAM, 1500, 1)
    assert gbps(known.throughput_bps) == pytest.approx((13.4 * 0.95, 13.4))
    assert (known.transaction_time_s, known.zero_load_time_s) == (None, None)
    assert known.expected_bps is None, "a stream has no transactions that queue"


def test_ratios_of_times_have_no_lower_end_of_a_rate() -> None:
    """Slides 17 and 18 have no absolute figure: 30 to 37 % less time, and 40 % less."""
    known = band(OSA7, SMALL, 1500, 50)
    assert known.throughput_bps.low == 0
    assert known.expected_bps is None
    assert any("no lower end" in note for note in known.notes)
    assert known.ratios[OSA6] == pytest.approx((1 / 0.705, 1 / 0.625))
    assert known.ratios[ROCE] == pytest.approx((0.595, 0.605))
    both = band(ROCE, SMALL, 1500, 50).ratios[OSA6]
    assert both == pytest.approx((1 / 0.705 / 0.605, 1 / 0.625 / 0.595)), "by way of 7S"


def test_each_end_says_what_it_follows_from() -> None:
    known = band(OSA7)
    assert known.low_from == (
        "with 10 connections each is as fast as with 50, or faster",
        f"{OSA7}: payload rate at line speed at 50 connections, read as at least 23.475 Gbit/s",
    )
    assert len(known.high_from) == 2
    assert known.grade is Grade.ASSUMED, "line speed is read as within 5 %: a convention"


def test_a_contradiction_within_the_tolerance_leaves_a_range() -> None:
    """6S is at line speed on slide 19; its record allows 9.21 of 9.39 Gbit/s."""
    known = band(OSA6, LARGE, 1500, 50)
    assert gbps(known.throughput_bps) == pytest.approx((0.95 * 9.39451, 9.2143), rel=1e-5)
    assert not known.notes


# Where there is none


def test_hosts_of_your_own_have_no_range_and_a_note_says_why() -> None:
    result = predicted(OSA7, client_host="z990-2084-b16-8cpu", server_host="z990-2084-b16-8cpu")
    assert result.data_band is None
    assert any("hosts of their document" in note for note in result.notes)


@pytest.mark.parametrize(
    "result",
    [
        predicted("ethernet-25gbe"),
        predicted(OSA7, connections=None),
        predicted(OSA7, connections=[1, 10]),
        predicted(OSA7, mtu_bytes=4000),
        predicted(OSA7, without_statements=True),
    ],
    ids=["no statement", "any number", "arrays", "another MTU", "without statements"],
)
def test_no_other_case_has_a_range(result: Prediction) -> None:
    assert result.data_band is None
    assert not any("range from statements" in note for note in result.notes)


# All documents

PATHS = {
    **{name: SpecifiedPath(adapter(name), adapter(name)) for name in catalog()["adapters"]},
    **{name: SpecifiedPath(record=path_record(name)) for name in catalog()["paths"]},
}
COUNTS = (1, 2, 5, 10, 50, 100, 250, 500)


@pytest.mark.parametrize("name", PATHS)
def test_no_published_figure_is_outside_the_range_of_its_case(name: str) -> None:
    path = PATHS[name]
    for load, mtu_bytes in product(catalog()["workloads"], (1492, 1500, 8192, 8992, 9000)):
        message = workload(load)
        sizes = (message.request_bytes_bounds, message.response_bytes_bounds)
        if any(low != high for low, high in sizes) or path.path(message.sender).factors:
            continue
        case = {
            "path": path.record,
            "sender": path.sender,
            "receiver": path.receiver,
            "workload": message,
            "mtu_bytes": mtu_bytes,
        }
        first = netmodel.predict(connections=1, **case)  # type: ignore[arg-type]
        assert isinstance(first, Prediction)
        if not any(first.bands(COUNTS).bands):
            continue
        known = []
        for count in COUNTS:
            result = netmodel.predict(connections=count, **case)  # type: ignore[arg-type]
            assert isinstance(result, Prediction)
            if result.data_band is None:
                continue
            low, high = result.data_band.throughput_bps
            known.append((count, low, high))
            assert low <= high <= float(result.throughput_bps.value) * (1 + 1e-9)
            if result.data_band.expected_bps is not None:
                fewer, more = result.data_band.expected_bps
                assert low * (1 - 1e-6) <= fewer <= more * (1 + 1e-6) <= high * (1 + 2e-6)
            for figure in measured_beside(path, message, mtu_bytes, count):
                is_rate = figure.quantity == "throughput_bps" and figure.baseline is None
                if is_rate and figure.is_exact_case and figure.connection_count == count:
                    # line speed is read as within 5 %
                    assert figure.high >= low * (1 - 1e-9), figure
                    assert figure.low * 0.95 <= high * (1 + 1e-9), figure
        # throughput does not fall with connections, nor rise faster than they do
        for (fewer, low, high), (more, other_low, other_high) in pairwise(known):
            assert low <= other_low * (1 + 1e-9)
            assert high <= other_high * (1 + 1e-9)
            assert other_low <= low * more / fewer * (1 + 1e-9)


# Laws, of statements that are true of drawn networks

NAMES = ("ethernet-10gbe", "ethernet-25gbe", "ethernet-40gbe", "ethernet-100gbe")
LEVELS = (1, 10, 50)
CASES = tuple(product(NAMES, LEVELS))


@st.composite
def true_statements(draw: st.DrawFn) -> tuple[dict[tuple[str, int], float], list[Statement]]:
    """Rates of closed networks below the lines, and statements that hold of them."""
    rates = {}
    for name in NAMES:
        line_bps = predicted(name, LARGE, 1500, None, without_statements=True).throughput_bps.value
        shares = draw(st.lists(st.floats(0.001, 1), min_size=1, max_size=4))
        think = draw(st.floats(0.05, 30))  # the request takes some time too
        # the slowest stage is the line, or slower
        scale = BITS / float(line_bps) * draw(st.floats(1, 5)) / max(shares)
        demands_s = [share * scale for share in shares]
        for level in LEVELS:
            network = exact_closed_network(demands_s, level, think * scale)
            rates[name, level] = float(network.transaction_rate_tps) * BITS
    made = []
    for number in range(draw(st.integers(1, 8))):
        case, other = draw(st.sampled_from(CASES)), draw(st.sampled_from(NAMES))
        slack = 1 + draw(st.floats(0.001, 0.5))
        of = None if other == case[0] else other
        ratio = rates[case] / (1e9 if of is None else rates[of, case[1]])
        ends = {
            "low": Decimal(f"{ratio / slack:.6f}"),
            "high": Decimal(f"{ratio * slack:.6f}") + Decimal("0.000001"),
        }
        made.append(made_statement(f"drawn-{number}", case, of, relation=Relation.RANGE, **ends))
    return rates, made


Ranges = dict[tuple[str, int], tuple[float, float]]


def ranges_with(known: list[Statement]) -> tuple[Ranges, Ranges]:
    with of_statements(known):
        found, expected = {}, {}
        for name, level in CASES:
            result = predicted(name, LARGE, 1500, level)
            here = result.data_band
            unknown = (0.0, float(result.throughput_bps.value))
            found[name, level] = unknown if here is None else here.throughput_bps
            is_known = here is not None and here.expected_bps is not None
            expected[name, level] = here.expected_bps if is_known else found[name, level]
            assert here is None or not any("contradict" in note for note in here.notes)
    return found, expected


FEW_EXAMPLES = 10
"""Each takes three looks at nine cases, up to a second; nightly tests take hypothesis' hundred."""


@settings(max_examples=FEW_EXAMPLES)
@given(true_statements(), st.randoms(use_true_random=False))
def test_ranges_hold_and_narrow_with_statements_in_any_order(
    drawn: tuple[dict[tuple[str, int], float], list[Statement]], random: st.DataObject
) -> None:
    assert_ranges_hold_and_narrow(*drawn, random)


@pytest.mark.nightly
@given(true_statements(), st.randoms(use_true_random=False))
def test_ranges_of_many_statements_hold_and_narrow(
    drawn: tuple[dict[tuple[str, int], float], list[Statement]], random: st.DataObject
) -> None:
    assert_ranges_hold_and_narrow(*drawn, random)


def assert_ranges_hold_and_narrow(
    rates: dict[tuple[str, int], float], known: list[Statement], random: st.DataObject
) -> None:
    found, expected = ranges_with(known)
    for case, rate_bps in rates.items():
        for low, high in (found[case], expected[case]):
            assert low * (1 - 1e-6) <= rate_bps <= high * (1 + 1e-6)
        assert found[case][0] <= expected[case][0] * (1 + 1e-6)
        assert expected[case][1] <= found[case][1] * (1 + 1e-6)
    shuffled = list(known)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for ranges, others in zip((found, expected), ranges_with(shuffled), strict=True):
        for case, ends in ranges.items():
            assert ends == pytest.approx(others[case], rel=1e-5)
    for ranges, wider in zip((found, expected), ranges_with(known[:-1]), strict=True):
        for case, (low, high) in ranges.items():
            assert wider[case][0] <= low * (1 + 1e-5)
            assert high <= wider[case][1] * (1 + 1e-5)


def test_numbers_between_those_of_statements_follow_from_their_neighbours() -> None:
    known = [band(OSA7, connections=count) for count in range(1, 261, 7)]
    for before, after in pairwise(known):
        for name in ("throughput_bps", "expected_bps"):
            (low, high), (other_low, other_high) = getattr(before, name), getattr(after, name)
            assert low <= other_low * (1 + 1e-9)
            assert high <= other_high * (1 + 1e-9)


# What is printed


def test_the_command_prints_both_ranges() -> None:
    options = ("--sender", OSA7, "--receiver", OSA7, "--workload", LARGE, "--mtu", "9000")
    rows = json.loads(printed("predict", *options, "--connections", "1,10", "--json"))
    assert rows[1]["data_band"]["throughput_bps"]["low"] == pytest.approx(REACHED / 5 * 1e9)
    assert rows[1]["data_band"]["expected"]["assumption"].startswith("service times are random")
    assert rows[1]["data_band"]["ratios"][ROCE]["high"] == pytest.approx(1 / 1.335)
    cells = list(
        csv.DictReader(StringIO(printed("predict", *options, "--connections", "1,10", "--csv")))
    )
    assert float(cells[1]["data_band_throughput_bps_low"]) == pytest.approx(REACHED / 5 * 1e9)
    low_s = rows[0]["data_band"]["expected"]["zero_load_time_s"]["low"]
    assert float(cells[0]["data_band_expected_zero_load_time_s_low"]) == pytest.approx(low_s)
    text = printed("predict", *options, "--connections", "1,10")
    (head,) = [each for each in text.splitlines() if "data band, " in each]
    assert head.split("  ")[1].strip() == "data band, Gbit/s"
    assert [each for each in text.splitlines() if each.startswith("         10  4.695 to 18.51  ")]
    (line,) = [
        each for each in text.splitlines() if each.startswith("data band") and "4.695" in each
    ]
    assert "between 4.695 Gbit/s and 18.51 Gbit/s by published statements" in line
    ended = json.loads(
        printed("predict", *options[:4], "--workload", SMALL, "--mtu", "1500", "--json")
    )
    assert all(row["data_band"]["throughput_bps"]["low"] is None for row in ended)


# A document of a user

STATEMENTS = """
[defaults]
source = "my lab"
locator = "notebook 3"
grade = "measured"

[[statements]]
id = "lab-many"
wording = "what mine reaches with 40 connections"
quantity = "throughput"
relation = "at_least"
value = 8.0
unit = "Gbit/s"
[statements.subject]
adapter = "mine"
workload = "rr1c-200x30k"
mtu_bytes = 1500
connection_counts = [40]

[[statements]]
id = "lab-few"
wording = "the other is half as fast with 4"
quantity = "throughput"
baseline = { adapter = "mine" }
change = "factor"
relation = "at_most"
value = 0.5
unit = "x"
[statements.subject]
adapter = "ethernet-10gbe"
workload = "rr1c-200x30k"
mtu_bytes = 1500
connection_counts = [4]
"""


def test_a_document_of_a_user_leaves_ranges(tmp_path: Path) -> None:
    (tmp_path / "catalog/adapters").mkdir(parents=True)
    (tmp_path / "statements").mkdir()
    (tmp_path / "statements/lab.toml").write_text(STATEMENTS, encoding="utf-8")
    text = data_path("catalog", "adapters", "ethernet-10gbe.toml").read_text(encoding="utf-8")
    (tmp_path / "catalog/adapters/mine.toml").write_text(
        text.replace("ethernet-10gbe", "mine"), encoding="utf-8"
    )
    register_data(tmp_path)
    try:
        low, high = gbps(band("mine", LARGE, 1500, 4).throughput_bps)
        assert low == pytest.approx(0.8)
        other = band("ethernet-10gbe", LARGE, 1500, 4)
        assert gbps(other.throughput_bps)[1] == pytest.approx(high / 2)
        assert other.throughput_bps.low == 0
        assert other.ratios["mine"] == pytest.approx((0, 0.5))
    finally:
        unregister_data(tmp_path)
