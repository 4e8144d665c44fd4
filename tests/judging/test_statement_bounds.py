"""Upper bounds that published statements set: those of the documents, laws, and a user's own."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invocation import printed
from judging.made_statements import made_statement, of_statements

import netmodel
from netmodel.framing import udp_stack
from netmodel.judging import measured_beside, with_statements
from netmodel.judging._statement_bounds import _bounds
from netmodel.path import (
    Prediction,
    SpecifiedPath,
    adapter_path,
    predict_path,
    workload_traffic,
)
from netmodel.records import (
    Grade,
    Relation,
    Statement,
    adapter,
    catalog,
    data_path,
    host,
    path_record,
    register_data,
    statement,
    unregister_data,
    workload,
)

OSA7, OSA6, ROCE = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
LARGE, STREAM = "rr1c-200x30k", "str-writex30k"
COUNTS = (1, 2, 5, 10, 50, 100, 250, 500)
LINE_9000_BPS = 25e9 * 30720 / 31080
"""Payload of 4 frames for 30720 byte: 30720 + 4 x (52 + 18 + 20) byte."""
LINE_1500_BPS = 25e9 * 30720 / (30720 + 22 * 90)


def over(name: str) -> SpecifiedPath:
    return SpecifiedPath(adapter(name), adapter(name))


def alone(path: SpecifiedPath, load: str, mtu_bytes: object, count: object | None) -> Prediction:
    message = workload(load)
    traffic = workload_traffic(message, count)  # type: ignore[arg-type]
    return predict_path(path.path(message.sender), traffic, mtu_bytes)  # type: ignore[arg-type]


def bound_gbps(name: str, mtu_bytes: int, count: int | None, load: str = LARGE) -> float:
    path = over(name)
    known = with_statements(alone(path, load, mtu_bytes, count), path)
    return float(known.throughput_bps.value) / 1e9


# The cells of the documents


def test_a_ratio_bounds_the_slower_adapter_by_the_line_of_the_faster() -> None:
    """Slide 27: RoCE has 34 % more throughput with 10 connections, rounded from 33.5 %."""
    assert bound_gbps(OSA7, 9000, 10) == pytest.approx(LINE_9000_BPS / 1.335 / 1e9, rel=1e-9)
    assert bound_gbps(OSA7, 9000, 10) == pytest.approx(18.51, abs=5e-3)


def test_a_chain_of_ratios_bounds_the_slowest() -> None:
    """Slides 26 and 27: 6S is half of 7S (1.95), which RoCE exceeds by 34 %."""
    assert bound_gbps(OSA6, 9000, 10) == pytest.approx(LINE_9000_BPS / 1.335 / 1.95 / 1e9)


def test_more_connections_bound_fewer() -> None:
    """Slide 20: RoCE is 1.8 times 7S at 50, 1.65 times at 10 and 2.8 times at 1 connection."""
    at_50 = LINE_1500_BPS / 1.795
    assert bound_gbps(OSA7, 1500, 10) == pytest.approx(at_50 / 1e9)
    assert bound_gbps(ROCE, 1500, 10) == pytest.approx(1.655 * at_50 / 1e9)
    assert bound_gbps(OSA7, 1500, 1) == pytest.approx(1.655 * at_50 / 2.75 / 1e9)


@pytest.mark.parametrize(
    ("name", "mtu_bytes", "count", "most_gbps"),
    [
        (OSA7, 1500, 1, 8.54),
        (OSA7, 9000, 1, 12.67),
        (OSA7, 9000, 10, 18.51),
        (OSA6, 1500, 1, 5.69),
        (OSA6, 1500, 10, 7.76),
        (OSA6, 9000, 1, 8.45),
        (OSA6, 9000, 10, 9.49),
    ],
)
def test_no_bound_is_above_the_ratios_of_the_documents(
    name: str, mtu_bytes: int, count: int, most_gbps: float
) -> None:
    """Line of the faster adapter over the ratios that the slides print for so many connections."""
    assert round(bound_gbps(name, mtu_bytes, count), 2) <= most_gbps
    assert bound_gbps(name, mtu_bytes, count) > 0.9 * most_gbps


def test_times_of_transactions_bound_rates() -> None:
    """Slide 17: transactions over 7S take 30 to 37 % less time, so 6S has at most 0.705 of it."""
    own = alone(over(OSA7), "rr1c-200x1000", 1500, 1).throughput_bps.value
    bound = bound_gbps(OSA6, 1500, 1, "rr1c-200x1000")
    assert bound == pytest.approx(0.705 * float(own) / 1e9)


def test_a_number_in_a_word_is_about_that_number() -> None:
    for name in ("osa7s-against-osa6s-rr30k-mtu-9000-10", "roce-against-osa7s-rr30k-mtu-9000-1"):
        assert statement(name).interval == (Decimal("1.95"), Decimal("2.05"))


# What the prediction becomes


def known_of(count: object | None = 10, mtu_bytes: object = 9000) -> Prediction:
    return with_statements(alone(over(OSA7), LARGE, mtu_bytes, count), over(OSA7))


def test_the_statement_is_the_bottleneck_with_its_source_and_derivation() -> None:
    known = known_of()
    assert known.binding == "statement roce-against-osa7s-rr30k-mtu-9000-10"
    (limit,) = [each for each in known.to_dict()["limits"] if each["name"] == known.binding]
    assert limit["statement"] == "roce-against-osa7s-rr30k-mtu-9000-10"
    assert limit["source"] == "adapter, slide 27"
    assert limit["grade"] == "published"
    assert len(limit["derivation"]) == 2
    assert "34 % higher throughput" in limit["derivation"][0]
    assert "24.71 Gbit/s" in limit["derivation"][1]
    assert all(len(note) <= 100 for note in known.notes)
    assert known.throughput_bps.high == known.throughput_bps.value
    assert known.throughput_bps.low == pytest.approx(LINE_9000_BPS / 1.345)
    assert known.elasticities["client_adapter_in.parallel_count"] == (0.0, 0.0)


def test_the_grade_is_the_weakest_of_what_binds() -> None:
    assert known_of(1).grade is Grade.ASSUMED  # "twice" allows what about allows: a convention
    assert known_of(50).grade is alone(over(OSA7), LARGE, 9000, 50).grade


def test_a_path_without_statements_stays_as_it_is() -> None:
    path = SpecifiedPath(record=path_record("worked-closed-network"))
    before = alone(path, "rr1c-200x1000", 1500, 10)
    assert with_statements(before, path) is before


@pytest.mark.parametrize(
    "path",
    [
        SpecifiedPath(adapter(OSA7), adapter(ROCE)),
        replace(over(OSA7), client_host=host("z15-lpar-4core-smt2")),
        SpecifiedPath(*[adapter(OSA7).model_copy(update={"title": "mine"})] * 2),
    ],
    ids=["other ends", "hosts of a user", "an adapter of a user"],
)
def test_statements_on_another_case_bound_nothing(path: SpecifiedPath) -> None:
    before = alone(path, LARGE, 9000, 10)
    assert with_statements(before, path) is before


def test_other_transports_messages_and_mtus_are_other_cases() -> None:
    path = over(OSA7)
    udp = predict_path(
        adapter_path(adapter(OSA7), adapter(OSA7)),
        workload_traffic(workload(LARGE), 10),
        9000,
        udp_stack(),
    )
    assert with_statements(udp, path) is udp
    assert with_statements(other := alone(path, LARGE, 8992, 10), path) is other
    thinking = replace(alone(path, LARGE, 9000, 10).traffic, think_time_s=1e-3)
    slow = predict_path(path.path(workload(LARGE).sender), thinking, 9000)
    assert with_statements(slow, path) is slow


def test_any_number_of_connections_is_bounded_by_limits_only() -> None:
    before = alone(over(OSA7), LARGE, 9000, None)
    assert with_statements(before, over(OSA7)) is before


def test_arrays_have_the_bound_of_each_element() -> None:
    counts, mtus = np.array([1, 5, 10, 11, 50, 500]), np.array([[1500], [9000], [4000]])
    known = known_of(counts, mtus)
    wanted = [
        [float(known_of(int(count), int(mtu)).throughput_bps.value) for count in counts]
        for mtu in mtus[:, 0]
    ]
    assert known.throughput_bps.value == pytest.approx(np.array(wanted))
    assert known.throughput_bps.value.shape == (3, 6)


def test_a_sweep_of_mtus_looks_up_those_that_statements_name() -> None:
    _bounds.cache_clear()
    mtus = np.arange(576, 9217)
    known = known_of(10, mtus)
    assert _bounds.cache_info().misses <= 2
    is_bounded = (
        known.throughput_bps.value < alone(over(OSA7), LARGE, mtus, 10).throughput_bps.value
    )
    assert mtus[is_bounded].tolist() == [1500, 9000]


def test_a_published_figure_above_the_bound_of_the_path_is_noted() -> None:
    """6S is at line speed on slide 19, and more than 45 % below 7S on slide 21."""
    known = with_statements(alone(over(OSA6), LARGE, 1500, 50), over(OSA6))
    assert any("9.3945 Gbit/s is reached, above this bound" in note for note in known.notes)
    few = with_statements(alone(over(OSA6), LARGE, 1500, 10), over(OSA6))
    assert not any("is reached" in note for note in few.notes)


# All documents


PATHS = {
    **{name: over(name) for name in catalog()["adapters"]},
    **{name: SpecifiedPath(record=path_record(name)) for name in catalog()["paths"]},
}
MTUS = (576, 1492, 1500, 8192, 8992, 9000)
REACHED = {(OSA6, LARGE, 1500)}
"""Where the document contradicts itself: `test_a_published_figure_above_the_bound...`."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", PATHS)
def test_no_bound_is_below_a_figure_of_the_same_case(name: str) -> None:
    path, counts = PATHS[name], np.array(COUNTS)
    for load, mtu_bytes in product(catalog()["workloads"], MTUS):
        message = workload(load)
        sizes = (message.request_bytes_bounds, message.response_bytes_bounds)
        if any(low != high for low, high in sizes) or path.path(message.sender).factors:
            continue
        before = alone(path, load, mtu_bytes, counts)
        known = with_statements(before, path)
        if known is before:
            continue
        rates = np.broadcast_to(known.throughput_bps.value, counts.shape)
        assert np.all(np.diff(rates) >= -1e-9 * rates[1:]), "more connections, and less"
        assert np.all(rates <= before.throughput_bps.value)
        for count, rate_bps in zip(COUNTS, rates, strict=True):
            for figure in measured_beside(path, message, mtu_bytes, count):
                is_rate = figure.quantity == "throughput_bps" and figure.baseline is None
                if is_rate and figure.is_exact_case and figure.connection_count == count:
                    is_below = rate_bps < figure.low * (1 - 1e-9)
                    assert not is_below or (name, load, mtu_bytes) in REACHED, figure


def test_calibration_predicts_without_statements() -> None:
    """A statement that bounds a prediction is no observation of it."""
    package = Path(netmodel.__file__).parent
    for module in package.glob("calibration/*.py"):
        assert "_statement_bounds" not in (text := module.read_text(encoding="utf-8")), module
        assert "with_statements" not in text, module


# Laws, of statements that are true of drawn rates


NAMES = ("ethernet-10gbe", "ethernet-25gbe", "ethernet-40gbe", "ethernet-100gbe")
LEVELS = (1, 10, 50)
SPEED = 1e9
CASES = tuple(product(NAMES, LEVELS))


def decimal(number: float) -> Decimal:
    return Decimal(f"{number:.4f}")


@st.composite
def true_statements(draw: st.DrawFn) -> tuple[dict[tuple[str, int], float], list[Statement]]:
    """Rates that rise with the connections, below the lines, and statements that hold of them."""
    rates = {}
    for name in NAMES:
        shares = sorted(draw(st.floats(0.01, 0.9)) for _ in LEVELS)
        line_bps = float(alone(over(name), STREAM, 1500, None).throughput_bps.value)
        rates |= {
            (name, level): share * line_bps for level, share in zip(LEVELS, shares, strict=True)
        }
    made = []
    for number in range(draw(st.integers(0, 8))):
        (name, level), other = draw(st.sampled_from(CASES)), draw(st.sampled_from(NAMES))
        slack = 1 + draw(st.floats(0.001, 0.5))
        is_ratio = name != other
        ratio = rates[name, level] / (rates[other, level] if is_ratio else SPEED)
        ends = {"low": decimal(ratio / slack), "high": decimal(ratio * slack)}
        baseline = other if is_ratio else None
        made.append(
            made_statement(
                f"drawn-{number}", (name, level), baseline, STREAM, relation=Relation.RANGE, **ends
            )
        )
    return rates, made


def bounds_with(known: list[Statement]) -> dict[tuple[str, int], float]:
    with of_statements(known):
        result = {}
        for name, level in CASES:
            before = alone(over(name), STREAM, 1500, level)
            rate = with_statements(before, over(name)).throughput_bps
            assert rate.low <= rate.value <= rate.high
            result[name, level] = float(rate.value)
    return result


@given(true_statements(), st.randoms(use_true_random=False))
def test_bounds_hold_fall_with_statements_and_rise_with_connections(
    drawn: tuple[dict[tuple[str, int], float], list[Statement]], random: st.DataObject
) -> None:
    rates, known = drawn
    bounds = bounds_with(known)
    for case, rate_bps in rates.items():
        assert bounds[case] >= rate_bps * (1 - 1e-9)
    for name in NAMES:
        of_name = [bounds[name, level] for level in LEVELS]
        assert of_name == sorted(of_name) or np.all(np.diff(of_name) >= -1e-9 * of_name[-1])
    shuffled = list(known)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert bounds_with(shuffled) == pytest.approx(bounds)
    fewer = bounds_with(known[:-1])
    for case, bound in bounds.items():
        assert bound <= fewer[case] * (1 + 1e-9)


def test_a_circle_that_cannot_be_is_left_out_and_noted() -> None:
    def faster(name: str, subject: str, baseline: str) -> Statement:
        twice = {"relation": Relation.AT_LEAST, "value": Decimal(2)}
        return made_statement(name, (subject, 10), baseline, STREAM, **twice)

    first, second = faster("one", NAMES[0], NAMES[1]), faster("other", NAMES[1], NAMES[0])
    before = alone(over(NAMES[1]), STREAM, 1500, 10)
    with of_statements([first, second]):
        known = with_statements(before, over(NAMES[1]))
    assert known.throughput_bps == before.throughput_bps
    assert "not used, as they contradict each other: one, other" in known.notes


# A document of a user


STATEMENTS = """
[defaults]
source = "my lab"
locator = "notebook 3"
grade = "measured"

[[statements]]
id = "lab-second-path"
wording = "the second path is at most half as fast"
quantity = "throughput"
baseline = { path = "first" }
change = "factor"
relation = "at_most"
value = 0.5
unit = "x"
[statements.subject]
path = "second"
workload = "rr1c-200x1000"
mtu_bytes = 1500
connection_counts = [50]

[[statements]]
id = "lab-first-path"
wording = "what the first path reaches at most"
quantity = "throughput"
subject = { path = "first", workload = "rr1c-200x1000", mtu_bytes = 1500 }
relation = "up_to"
value = 0.3
unit = "Gbit/s"
"""


@pytest.fixture
def own_data(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "catalog/paths").mkdir(parents=True)
    (tmp_path / "statements").mkdir()
    (tmp_path / "statements/lab.toml").write_text(STATEMENTS, encoding="utf-8")
    for name in ("first", "second"):
        record = data_path("catalog", "paths", "worked-closed-network.toml")
        shutil.copy(record, tmp_path / f"catalog/paths/{name}.toml")
    register_data(tmp_path)
    yield tmp_path
    unregister_data(tmp_path)


def known_gbps(path: SpecifiedPath, count: int) -> float:
    known = with_statements(alone(path, "rr1c-200x1000", 1500, count), path)
    return float(known.throughput_bps.value) / 1e9


def test_statements_of_a_user_bound_paths_of_a_user(own_data: Path) -> None:
    options = ("--workload", "rr1c-200x1000", "--mtu", "1500", "--connections", "20", "--json")
    for name, bound_bps in (("first", 0.3e9), ("second", 0.15e9)):
        asked = ("--own-data", str(own_data), "predict", "--path", name, *options)
        (row,) = json.loads(printed(*asked))
        assert row["throughput_bps"]["value"] == pytest.approx(bound_bps)
        assert row["binding"] == f"statement lab-{name}-path"
        assert row["transaction_time_s"]["value"] == pytest.approx(20 * 1000 * 8 / bound_bps)
        (row,) = json.loads(printed(*asked, "--without-statements"))
        assert row["throughput_bps"]["value"] > bound_bps
    register_data(own_data)  # the command left it out again
    # the first has a limit for any number, the second follows it up to 50 connections
    first, second = (SpecifiedPath(record=path_record(name)) for name in ("first", "second"))
    any_number = netmodel.predict(path=first.record, workload="rr1c-200x1000", mtu_bytes=1500)
    assert isinstance(any_number, Prediction)
    assert any_number.throughput_bps.value == pytest.approx(0.3e9)
    # an edited record counts at once: half of what the first then allows
    assert known_gbps(second, 20) == pytest.approx(0.15)
    edited = own_data / "statements/lab.toml"
    text = edited.read_text(encoding="utf-8")
    edited.write_text(text.replace("value = 0.3", "value = 0.25"), encoding="utf-8")
    assert known_gbps(second, 20) == pytest.approx(0.125)
    more = with_statements(alone(second, "rr1c-200x1000", 1500, 51), second)
    assert more.binding != "statement lab-second-path"
