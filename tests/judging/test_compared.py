"""Rows of a comparison: conditions left open, and laws of what is computed of two cases."""

import math
from decimal import Decimal
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from judging.made_statements import made_statement, of_statements

import netmodel
from netmodel.consumption import Side
from netmodel.judging import _compared
from netmodel.judging._compared import _open_conditions, compared
from netmodel.judging._compared_cases import completed, interval_text, parse_case, word, words_of
from netmodel.judging._compared_facts import Fact, Figure, Published, published
from netmodel.judging._compared_models import Modelled, _predicted_of, bounded, modelled
from netmodel.judging._compared_transports import endpoint_times
from netmodel.records import Grade, Relation

OSA6, OSA7, ROCE = "osa-express6s-10gbe", "osa-express7s-25gbe", "roce-express2.1-25gbe"
SMALL, LARGE, STREAM = "rr1c-200x1000", "rr1c-200x30k", "str-writex30k"
RATE, TIME = "throughput", "transaction_time"
MTUS = (1500, 8192, 9000)


def case(workload: str, **conditions: object) -> dict[str, object]:
    usual = {"adapter": OSA7, "workload": workload, "mtu_bytes": 1500, "connection_counts": 250}
    return usual | conditions


@pytest.mark.parametrize(
    ("subjects", "fixed", "left"),
    [
        ([{"layer": 2}, {"layer": 3}], {}, {"layer"}),
        ([{"layer": 2}, {"layer": 2}], {}, set()),
        ([{"layer": 2}, {"layer": 3}], {"layer": 2}, set()),
        ([{"path": "a"}, {"path": "b"}], {}, set()),
        ([{"layer": 2, "mtu_bytes": 1500}, {"layer": 2, "mtu_bytes": 8992}], {}, {"mtu_bytes"}),
    ],
)
def test_conditions_in_which_facts_differ_are_open(
    subjects: list[dict[str, object]], fixed: dict[str, object], left: set[str]
) -> None:
    facts = [SimpleNamespace(subject=subject) for subject in subjects]
    assert _open_conditions(facts, fixed, {}) == left  # type: ignore[arg-type]
    assert _open_conditions(facts, {}, fixed) == left  # type: ignore[arg-type]


def test_what_is_printed_of_any_number_of_connections_has_no_second_row() -> None:
    """Slide 25 says that times and costs stay as they are with MTU 9000, and nothing of rates."""
    small = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x1000", "mtu_bytes": 1500}
    rows = compared(small, {**small, "mtu_bytes": 9000}).rows
    printed = {row.quantity: row.printed for row in rows}
    assert len(rows) == len(printed) == 3
    assert printed["transaction_time"]
    assert printed["cpu_consumption"]
    assert not printed["throughput"]


def test_to_exchange_the_cases_of_a_published_ratio_is_to_invert_it() -> None:
    ratios = [fact for fact in published().facts if fact.has_ratio and fact.low and fact.high]
    assert len(ratios) > 100
    for fact in ratios:
        back = fact.reversed()
        assert (back.subject, back.baseline) == (fact.baseline, fact.subject)
        assert back.low * fact.high == pytest.approx(1) or fact.high == math.inf
        assert back.high * fact.low == pytest.approx(1)


def test_bounds_of_a_rate_bound_the_time_of_as_many_connections() -> None:
    """X = N / R where each connection waits for its response: a stream has no response to wait."""
    old, new = case(LARGE, adapter=OSA6), case(LARGE, adapter=ROCE)
    rate, time = bounded(old, new, RATE), bounded(old, new, TIME)
    assert rate is not None
    assert time == pytest.approx((1 / rate[1], 1 / rate[0]))
    assert bounded(old, case(LARGE, adapter=ROCE, connection_counts=50), TIME) is None
    assert bounded(case(STREAM, adapter=OSA6), case(STREAM, adapter=ROCE), TIME) is None
    assert bounded(old, new, "cpu_consumption") is None
    assert bounded(old, {**new, "setting": "tuned"}, RATE) is None, "predictions know no settings"


def test_the_ratio_of_two_bounds_is_that_of_their_predictions() -> None:
    old, new = case(LARGE, adapter=OSA6), case(LARGE, adapter=ROCE)
    found = modelled(old, new, RATE, None, frozenset())
    bounds_bps = [
        netmodel.predict(
            sender=card, receiver=card, workload=LARGE, mtu_bytes=1500, connections=250
        )
        .throughput_bps.numbers()
        .value
        for card in (OSA6, ROCE)
    ]
    assert found is not None
    assert found.is_bound_ratio
    assert found.value == pytest.approx(bounds_bps[1] / bounds_bps[0])
    assert found.low <= found.value <= found.high


def test_the_cost_of_a_transaction_of_another_size_is_no_question_of_data() -> None:
    """Per data it is one: the same frames and messages carry more or fewer bytes."""
    of_data, of_transactions = (
        modelled(case(SMALL), case(LARGE), quantity, "client", frozenset())
        for quantity in ("cpu_consumption", "cpu_time_per_transaction")
    )
    assert of_data is not None
    assert of_transactions is None


def over(path: str, workload: str = SMALL) -> dict[str, object]:
    whole = {**case(workload, connection_counts=10), "path": path}
    del whole["adapter"]
    return whole


def test_a_path_that_is_known_by_ratios_alone_has_no_ratio_to_one_in_seconds() -> None:
    alone, timed = over("powervm-lpar-to-lpar"), over("worked-closed-network")
    assert modelled(alone, timed, RATE, None, frozenset()) is None
    assert modelled(timed, alone, RATE, None, frozenset()) is None


def test_the_ratio_of_two_costs_is_that_of_their_predictions() -> None:
    paths = ("zvm-vswitch-layer3-1gbe", "zvm-direct-osa-layer3-1gbe")
    found = modelled(over(paths[0]), over(paths[1]), "cpu_consumption", "client", frozenset())
    costs = [
        netmodel.predict(path=path, workload=SMALL, mtu_bytes=1500, connections=10)
        .cpu_us_per_gbit[Side.CLIENT]
        .numbers()
        for path in paths
    ]
    assert found is not None
    assert found.value == pytest.approx(costs[1].value / costs[0].value)
    assert found.low == pytest.approx(min(costs[1].low / costs[0].high, found.value))
    assert found.high == pytest.approx(max(costs[1].high / costs[0].low, found.value))


@pytest.mark.parametrize("km", [None, 10.0])
def test_transports_are_compared_at_a_distance_that_is_given(km: float | None) -> None:
    own = {"workload": "smc-rr-1k"} | ({} if km is None else {"distance_km": km})
    found = modelled(
        {**own, "transport": "tcp"}, {**own, "transport": "smcr"}, TIME, None, frozenset()
    )
    assert (found is None) is (km is None)


def test_where_nothing_varies_both_conditions_those_that_vary_one_are_shown() -> None:
    result = compared({"adapter": OSA6, "mtu_bytes": 1500}, {"adapter": OSA7, "mtu_bytes": 9000})
    assert not any(row.printed for row in result.rows)
    assert result.nearest
    missing = {"does not vary adapter", "does not vary mtu"}
    assert {each.differs for each in result.nearest} <= missing


# How a case is written


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("mtu=1500", {"mtu_bytes": 1500}),
        ("connections=10", {"connection_counts": 10}),
        ("rps=on", {"receive_packet_steering": True}),
        (f"sender={OSA7}", {"sender_adapter": OSA7}),
        (f"receiver={OSA7}", {"receiver_adapter": OSA7}),
        ("level=5.2.0", {"hypervisor_level": "5.2.0"}),
        ("trunks=2", {"trunk_count": 2}),
        ("distance=10km", {"distance_km": 10}),
        ("km=10km", {"distance_km": 10}),
        ("window=1MiB", {"window_bytes": 2**20}),
        ("loss=1e-4", {"loss_ratio": 1e-4}),
        ("protocol=tcp", {"transport": "tcp"}),
        ("message=1KiB", {"message_bytes": 1024}),
        *((f"{name}=on", {"large_send": True}) for name in ("large-send", "largesend", "tso")),
    ],
)
def test_conditions_have_the_names_of_the_command_line(text: str, case: dict[str, object]) -> None:
    assert parse_case(text) == case


# How two cases are matched with what documents print


def made_fact(quantity: str, printed: str, **figures: object) -> Fact:
    given = {"low": 1.09, "high": 1.11, "subject": {"layer": 2}, "baseline": {"layer": 3}}
    return Fact(
        **{"id": f"change of {quantity}", "quantity": quantity, "printed": printed}
        | {"source": "made", "locator": "page 1", "grade": Grade.PUBLISHED}
        | given
        | figures
    )  # type: ignore[arg-type]


def made_figure(quantity: str, layer: int, value: float) -> Figure:
    place = (f"{value:g}", "made", "page 2", Grade.PUBLISHED)
    return Figure(
        f"{quantity} {layer}", quantity, {"layer": layer}, value - 0.5, value + 0.5, *place
    )


def rows_of(known: Published) -> dict[str, list[str]]:
    """What is printed of each quantity, where documents print no more than this."""
    with patch.object(_compared, "published", lambda: known):
        rows = compared({"layer": 3}, {"layer": 2}).rows
    return {row.quantity: [fact.printed for fact in row.printed] for row in rows}


def test_figures_of_both_cases_are_shown_where_no_change_of_them_is_printed() -> None:
    figures = [
        made_figure(quantity, *case)
        for quantity, cases in ((RATE, ((2, 110), (3, 100))), ("cpu_time", ((2, 90), (3, 80))))
        for case in cases
    ]
    rows = rows_of(Published((made_fact(RATE, "+10 %"),), tuple(figures)))
    assert rows == {RATE: ["+10 %"], "cpu_time": ["90 against 80"]}


def test_the_ratio_of_two_figures_is_as_wide_as_their_rounding_leaves() -> None:
    fact = made_figure(RATE, 2, 110).over(made_figure(RATE, 3, 100))
    assert (fact.low, fact.high) == pytest.approx((109.5 / 100.5, 110.5 / 99.5))


def test_measured_figures_are_as_wide_as_their_digits() -> None:
    """118.0 of table 7 is from 117.95 to 118.05."""
    printed = {"118.0": (117.95, 118.05), "92.4": (92.35, 92.45)}
    found = [each for each in published().figures if each.printed in printed]
    assert {each.printed for each in found} == set(printed)
    for each in found:
        low, high = printed[each.printed]
        assert each.high / each.low == pytest.approx(high / low, rel=1e-9)


def test_the_nearest_cases_differ_in_at_most_two_conditions() -> None:
    asked = {"mtu_bytes": 1500, "workload": SMALL, "connection_counts": 10}
    for count, is_near in ((2, True), (3, False)):
        others = {"mtu_bytes": 9000, "workload": LARGE, "connection_counts": 50}
        there = {**asked, **dict([*others.items()][:count])}
        fact = made_fact(
            RATE, "+10 %", subject={"layer": 2, **there}, baseline={"layer": 3, **there}
        )
        with patch.object(_compared, "published", lambda fact=fact: Published((fact,), ())):
            result = compared({"layer": 3, **asked}, {"layer": 2, **asked})
        assert [each.fact for each in result.nearest] == [fact] * is_near
        assert any("no document compares" in note for note in result.notes)


def test_what_goes_with_a_path_may_be_left_open_where_a_path_is_named() -> None:
    """A layer of one case alone, without a path, is no question that layers 2 and 3 answer."""
    path = {"path": frozenset({"zvm-vswitch"})}
    fact = made_fact(RATE, "+10 %", subject={"layer": 2, **path}, baseline={"layer": 3, **path})
    with patch.object(_compared, "published", lambda: Published((fact,), ())):
        of_path = compared({"layer": 3}, {"layer": 2, **path})
        of_none = compared({"layer": 3, "mtu_bytes": 1500}, {"layer": 3, "mtu_bytes": 9000})
        of_one = compared({}, {"layer": 2})
        of_nothing = compared({"mtu_bytes": 1500}, {"mtu_bytes": 1500, **path})
    assert [row.printed for row in of_path.rows] == [(fact,)]
    assert not of_none.rows
    assert not of_one.rows
    assert not of_nothing.rows, "nothing that differs is what was asked"


def test_of_other_values_those_that_are_nearest_come_first() -> None:
    """8000 byte are nearer to 9000 than 4000 and 16000 are."""
    card = {"adapter": OSA7}
    facts = {
        mtu_bytes: made_fact(
            RATE,
            "+10 %",
            subject={**card, "mtu_bytes": mtu_bytes},
            baseline={**card, "mtu_bytes": 1500},
        )
        for mtu_bytes in (4000, 16_000, 8000)
    }
    with patch.object(_compared, "published", lambda: Published(tuple(facts.values()), ())):
        result = compared({**card, "mtu_bytes": 1500}, {**card, "mtu_bytes": 9000})
    assert [each.fact for each in result.nearest] == [facts[size] for size in (8000, 16_000, 4000)]
    assert result.nearest[0].differs == "mtu 8000 instead of 9000"


@pytest.mark.parametrize(
    ("changed", "is_of_a_path"), [(("layer", 3, 2), True), (("mtu_bytes", 1500, 9000), False)]
)
def test_a_layer_may_change_with_its_path_and_an_mtu_may_not(
    changed: tuple[str, int, int], is_of_a_path: bool
) -> None:
    key, *values = changed
    old, new = ({key: value} for value in values)
    paths = [{"path": frozenset({name})} for name in ("zvm-vswitch", "zvm-direct-osa")]
    fact = made_fact(RATE, "+10 %", subject={**new, **paths[0]}, baseline={**old, **paths[1]})
    with patch.object(_compared, "published", lambda: Published((fact,), ())):
        rows = compared(old, new).rows
    assert [row.printed for row in rows] == [(fact,)] * is_of_a_path


def test_what_is_printed_of_the_cases_is_not_said_to_be_missing() -> None:
    with patch.object(_compared, "published", lambda: Published((made_fact(RATE, "+10 %"),), ())):
        result = compared({"layer": 3}, {"layer": 2})
    assert not any("no document compares" in note for note in result.notes)
    assert result.answer == "layer 2 against layer 3: throughput +10 %."
    (row,) = result.to_dict()["rows"]
    assert row["printed"] == [
        {
            "id": "change of throughput",
            "text": "+10 %",
            "low": 1.09,
            "high": 1.11,
            "document": "made",
            "locator": "page 1",
            "grade": "published",
        }
    ]


def test_a_frame_has_the_ends_of_what_is_printed_and_known() -> None:
    pytest.importorskip("pandas")
    with patch.object(_compared, "published", lambda: Published((made_fact(RATE, "+10 %"),), ())):
        frame = compared({"layer": 3}, {"layer": 2}).to_frame()
    (row,) = frame.reset_index().to_dict("records")
    assert row == {
        "quantity": RATE,
        "connection_count": None,
        "printed": "+10 %",
        "printed_ratio_low": 1.09,
        "printed_ratio_high": 1.11,
        "known_ratio_low": 1.09,
        "known_ratio_high": 1.11,
        "grade": "published",
    }


def test_a_quantity_is_named_in_the_words_of_a_sentence() -> None:
    with patch.object(
        _compared, "published", lambda: Published((made_fact("cpu_time", "+10 %"),), ())
    ):
        result = compared({"layer": 3}, {"layer": 2})
    assert result.answer == "layer 2 against layer 3: CPU time +10 %."


def test_words_of_a_document_that_the_title_has_are_not_said_again() -> None:
    """Without anything of its own, a case goes by what both have in common."""
    tool, setting = {"tool": "netperf"}, {"setting": "large buffers"}
    answers = [
        compared({**tool, **setting}, variant).answer
        for variant in (tool, {**tool, "setting": "small buffers"})
    ]
    assert answers[0].startswith("netperf against large buffers: ")
    assert answers[1].startswith("small buffers against large buffers (netperf): ")


def test_times_are_chained_with_each_other_and_give_rates_but_no_costs() -> None:
    """Half the time of the second, which has half the latency of the first: a quarter."""
    cards = ("ethernet-10gbe", "ethernet-25gbe", "ethernet-40gbe")
    cases = [
        {"adapter": card, "workload": SMALL, "mtu_bytes": 1500, "connection_counts": 10}
        for card in cards
    ]
    facts = tuple(
        made_fact(quantity, "half", low=0.5, high=0.5, subject=cases[place], baseline=before)
        for place, (quantity, before) in enumerate(zip(("latency", TIME), cases, strict=False), 1)
    )
    with patch.object(_compared, "published", lambda: Published(facts, ())):
        rows = {row.quantity: row for row in compared(cases[0], cases[2]).rows}
    assert (rows[TIME].low, rows[TIME].high) == pytest.approx((0.25, 0.25))
    assert (rows[RATE].low, rows[RATE].high) == pytest.approx((4, 4))
    assert all(not row.because for name, row in rows.items() if name not in (TIME, RATE))


# Ranges that bounds leave


@pytest.mark.parametrize(("most_gbps", "known"), [("2", (0.5, 5)), ("2.1", None)])
def test_a_range_of_bounds_is_shown_up_to_ten_times_as_wide_as_its_low_end(
    most_gbps: str, known: tuple[float, float] | None
) -> None:
    """From 1 to 5 over 1 to 2 Gbit/s: from 0.5 to 5 times; over up to 2.1 less is known."""
    old, new = "ethernet-10gbe", "ethernet-25gbe"
    statements = [
        made_statement(f"{name}-{value}", (name, 10), relation=relation, value=Decimal(value))
        for name, ends in ((old, ("1", most_gbps)), (new, ("1", "5")))
        for relation, value in zip((Relation.AT_LEAST, Relation.AT_MOST), ends, strict=True)
    ]
    asked = {"workload": LARGE, "mtu_bytes": 1500, "connection_counts": 10}
    _predicted_of.cache_clear()
    with of_statements(statements):
        row = compared({"adapter": old, **asked}, {"adapter": new, **asked}).row(RATE)
    _predicted_of.cache_clear()
    together = row.to_dict()["together"]
    assert together == (known and pytest.approx({"low": known[0], "high": known[1]}))


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (math.nan, math.nan, ""),
        (0, math.inf, ""),
        (0.5, math.inf, ">= 0.5"),
        (1, math.inf, ">= 1"),
        (0, 2, "<= 2"),
        (1.5, 2, "1.5 to 2"),
    ],
)
def test_a_range_with_an_open_end_names_the_other(low: float, high: float, text: str) -> None:
    assert interval_text(low, high) == text


@pytest.mark.parametrize(("low", "high"), [(1.5, math.inf), (0, 0.5)])
def test_a_printed_ratio_with_an_open_end_is_known_at_the_other(low: float, high: float) -> None:
    fact = made_fact(RATE, "half", low=low, high=high)
    with patch.object(_compared, "published", lambda: Published((fact,), ())):
        row = compared({"layer": 3}, {"layer": 2}).row(RATE)
    assert (row.low, row.high) == (low, high)


def test_a_distance_is_said_in_four_digits() -> None:
    """100 m of 100 km."""
    assert words_of({"distance_km": 100.13, "mtu_bytes": 1500}) == "100.1 km, mtu 1500"


def test_the_shortest_name_of_a_path_stands_for_it() -> None:
    assert word(frozenset({"zvm-vswitch-layer2-1gbe", "zvm-vswitch", "zvm-vswitch-layer2"})) == (
        "zvm-vswitch"
    )


# What models compute


def test_a_computed_ratio_is_said_with_its_range_where_it_has_one() -> None:
    assert Modelled(1.5, 1.2, 1.9, "expected").text == "computed 1.5 times (1.2 to 1.9)"
    assert Modelled(1.5, 1.5, 1.5, "expected").text == "computed 1.5 times"
    bounds = Modelled(2.5, 2.5, 2.5, "upper bounds (wire)", is_bound_ratio=True)
    assert bounds.text == "2.5 times by upper bounds alone"


def test_a_ratio_that_is_computed_is_said_before_one_of_bounds() -> None:
    """Neither is printed of these two; lines of 10 and 25 Gbit/s are bounds."""
    (result,) = netmodel.compare(
        baseline="ethernet-10gbe", variant="ethernet-25gbe", workload=STREAM, mtu_bytes=1500
    )
    assert result.answer.endswith("not measured; throughput 2.5 times by upper bounds alone.")
    (result,) = netmodel.compare(
        baseline=f"{OSA7} rps=off", variant=f"{ROCE} rps=on", workload=SMALL, connections=10
    )
    assert "CPU per data (client) computed " in result.answer
    assert "alone" not in result.answer


@pytest.mark.parametrize("transport", ["tcp", "smcr"])
def test_to_exchange_two_distances_is_to_invert_their_ratio(transport: str) -> None:
    near, far = (
        {"workload": "smc-rr-1k", "transport": transport, "distance_km": km} for km in (10.0, 100.0)
    )
    there, back = modelled(near, far, TIME, None), modelled(far, near, TIME, None)
    assert there is not None
    assert back is not None
    assert 1 < there.low < there.value < there.high
    ends = (1 / there.value, 1 / there.high, 1 / there.low)
    assert (back.value, back.low, back.high) == pytest.approx(ends)


def test_to_exchange_two_cases_is_to_invert_the_ratio_of_expected_values() -> None:
    few = {**over("zvm-vswitch-layer3-1gbe"), "mtu_bytes": 1492}
    many = {**few, "connection_counts": 50}
    there, back = modelled(few, many, RATE, None), modelled(many, few, RATE, None)
    assert there is not None
    assert back is not None
    assert there.basis == "expected values"
    assert there.low < there.value < there.high
    ends = (1 / there.value, 1 / there.high, 1 / there.low)
    assert (back.value, back.low, back.high) == pytest.approx(ends)


def test_a_transport_over_another_distance_is_a_change_of_both() -> None:
    """TCP near to SMC-R far: first the transport, then the distance."""
    asked = {"workload": "smc-rr-1k"}
    tcp, smcr, far = (
        {**asked, "transport": name, "distance_km": km}
        for name, km in (("tcp", 10.0), ("smcr", 10.0), ("smcr", 100.0))
    )
    steps = [modelled(*pair, TIME, None) for pair in ((tcp, smcr), (smcr, far), (tcp, far))]
    values = [step.value for step in steps if step is not None]
    assert values[2] == pytest.approx(values[0] * values[1], rel=1e-3)


@pytest.mark.parametrize(
    ("cards", "has_times"),
    [
        (("osa-express5s-10gbe", "roce-express-10gbe"), True),
        (("osa-express5s-10gbe", OSA7), False),
        ((OSA7, "roce-express-10gbe"), False),
    ],
)
def test_times_of_transports_are_those_of_the_adapters_they_were_measured_with(
    cards: tuple[str, str], has_times: bool
) -> None:
    old, new = (
        {"workload": "smc-rr-1k", "distance_km": 10.0, "transport": name, "adapter": card}
        for name, card in zip(("tcp", "smcr"), cards, strict=True)
    )
    assert (endpoint_times(old, new) is not None) is has_times


@pytest.mark.parametrize(("level", "is_of_the_runs"), [("5.2.0", True), ("5.1.0", False)])
def test_a_path_is_predicted_at_the_level_that_it_was_measured_with(
    level: str, is_of_the_runs: bool
) -> None:
    asked = {**over("zvm-vswitch-layer3-1gbe"), "hypervisor_level": level, "mtu_bytes": 1492}
    found = modelled(asked, {**asked, "mtu_bytes": 576}, RATE, None)
    assert (found is not None) is is_of_the_runs


def test_a_published_ratio_of_a_path_compares_two_mtus_with_its_reference() -> None:
    """5 to 20 % more at MTU 8192 than at 1500, and no less at 9000: slides on KVM."""
    at_1500, at_8192, at_9000 = (
        {**over("kvm-two-hosts", STREAM), "mtu_bytes": mtu} for mtu in MTUS
    )
    gain, further = modelled(at_1500, at_8192, RATE, None), modelled(at_8192, at_9000, RATE, None)
    assert gain is not None
    assert (gain.low, gain.high) == pytest.approx((1.05, 1.2))
    assert further is not None
    ends = (1, 1.05 / 1.2, 1.2 / 1.05)
    assert (further.value, further.low, further.high) == pytest.approx(ends)


def test_a_ratio_of_two_ratios_to_a_reference_is_that_of_their_values() -> None:
    """A frame costs as much as 2855 bytes: 2.2 times at MTU 8192, and 2.2528 times at 9000."""
    one, other = ({**over("kvm-one-host", STREAM), "mtu_bytes": mtu} for mtu in MTUS[1:])
    found = modelled(one, other, RATE, None)
    ratios = [
        netmodel.predict(path="kvm-one-host", workload=STREAM, mtu_bytes=mtu, connections=10)
        .ratio_to_reference.numbers()
        .value
        for mtu in MTUS[1:]
    ]
    assert found is not None
    assert found.value == pytest.approx(ratios[1] / ratios[0])


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("kvm-two-hosts", {"connection_counts": 50}),
        ("kvm-two-hosts", {"workload": LARGE}),
        ("powervm-lpar-to-lpar", {"mtu_bytes": 9000}),
    ],
    ids=["connections", "messages", "an MTU that the reference does not name"],
)
def test_ratios_to_a_reference_say_nothing_of_what_it_has_in_common_with_them(
    path: str, changed: dict[str, object]
) -> None:
    """What a reference does not name is the same in both cases, such as the connections."""
    asked = over(path, STREAM)
    assert modelled(asked, {**asked, **changed}, RATE, None) is None


def test_what_goes_with_a_path_stays_with_the_case_that_names_it() -> None:
    """Of another path a layer says nothing, an MTU and connections do."""
    old, asked = {"layer": 3, "mtu_bytes": 1492, "connection_counts": 10}, {"mtu_bytes": 8992}
    path = {"path": "zvm-direct-osa"}
    assert completed(old, {**asked, **path}, {}) == (
        old,
        {"mtu_bytes": 8992, "connection_counts": 10, **path},
    )
    # with a layer of each, both are of the path
    assert completed({"layer": 3}, {"layer": 2, **path}, {}) == (
        {"layer": 3, **path},
        {"layer": 2, **path},
    )


@pytest.mark.parametrize("name", ["window_bytes", "loss_ratio"])
def test_a_window_of_all_cases_is_that_of_the_baseline_too(name: str) -> None:
    """One of a variant alone is not: the baseline is compared without it."""
    of_all = completed({"adapter": OSA6}, {"adapter": OSA7}, {name: 1})
    assert [case.get(name) for case in of_all] == [1, 1]
    of_variant = completed({"adapter": OSA6}, {"adapter": OSA7, name: 1}, {})
    assert [case.get(name) for case in of_variant] == [None, 1]


def test_every_printed_change_of_a_table_is_reached() -> None:
    """A cell is in the answer to the question that its own conditions ask."""
    cells = [fact for fact in published().facts if fact.statement is None]
    assert len(cells) == 228
    for fact in cells[::9]:
        named = [
            {key: each for key, each in case.items() if key not in ("side", "part")}
            for case in (fact.baseline, fact.subject)
        ]
        for each in named:
            each["path"] = min(each["path"], key=len)  # type: ignore[arg-type,type-var]
        rows = compared(*named).rows
        assert any(fact.id == each.id for row in rows for each in row.printed), fact.id
