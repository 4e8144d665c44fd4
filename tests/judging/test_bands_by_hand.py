"""Ranges that a few statements leave, each end by hand."""

from decimal import Decimal
from math import inf
from unittest.mock import patch

import pytest
from made_statements import made_statement, of_statements

import netmodel
from netmodel.judging import (
    _bands_left_out,
    _statement_claims,
    leave_one_out_of_bands,
    measured_beside,
)
from netmodel.judging._evidence._amounts import Agreement
from netmodel.judging._statement_bands import statement_bands
from netmodel.path import DataBand, Prediction, SpecifiedPath
from netmodel.records import Relation, Statement, adapter, workload
from netmodel.records._subjects import Configuration, QuantityKind

OSA7, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
FAST, OTHER = "ethernet-25gbe", "ethernet-40gbe"
LARGE = "rr1c-200x30k"


def predicted(name: str, connections: int) -> Prediction:
    result = netmodel.predict(
        sender=name, receiver=name, workload=LARGE, mtu_bytes=1500, connections=connections
    )
    assert isinstance(result, Prediction)
    return result


def band(name: str, connections: int) -> DataBand:
    result = predicted(name, connections).data_band
    assert result is not None
    return result


def gbps(bounds: tuple[float, float] | None) -> tuple[float, float]:
    assert bounds is not None
    return bounds[0] / 1e9, bounds[1] / 1e9


def of_fast(name: str, count: int, relation: Relation, value: str) -> Statement:
    return made_statement(name, (FAST, count), relation=relation, value=Decimal(value))


# Laws that link numbers of connections


def test_what_more_connections_reach_is_carried_to_other_adapters() -> None:
    """At least 8 Gbit/s with 10 connections are as many with 50, and half of it 4."""
    half = made_statement(
        "half", (OTHER, 50), FAST, relation=Relation.AT_LEAST, value=Decimal("0.5")
    )
    with of_statements([of_fast("many", 10, Relation.AT_LEAST, "8"), half]):
        assert gbps(band(OTHER, 50).throughput_bps)[0] == pytest.approx(4)


def test_what_fewer_connections_cannot_pass_is_carried_to_other_adapters() -> None:
    """At most 2 Gbit/s with 50 connections are as many with 10, and half of it 1."""
    half = made_statement(
        "half", (OTHER, 10), FAST, relation=Relation.AT_MOST, value=Decimal("0.5")
    )
    with of_statements([of_fast("most", 50, Relation.AT_MOST, "2"), half]):
        assert gbps(band(OTHER, 10).throughput_bps)[1] == pytest.approx(1)


def test_between_two_numbers_of_connections_the_bottleneck_lengthens_a_transaction() -> None:
    """R(10) <= R(1) + 9 / C: 10 connections have 10 / (1 / 7.95 + 9 / 19.95) or more."""
    known = [of_fast("one", 1, Relation.EQUAL, "8.0"), of_fast("many", 50, Relation.EQUAL, "20.0")]
    with of_statements(known):
        here = band(FAST, 10)
    assert gbps(here.expected_bps) == pytest.approx((10 / (1 / 7.95 + 9 / 19.95), 20.05))
    assert gbps(here.throughput_bps) == pytest.approx((7.95, 20.05))


@pytest.mark.parametrize("counts", [(10, 50), (5, 10, 50)], ids=["between", "of a statement"])
def test_a_bottleneck_that_takes_all_of_the_time_leaves_the_fewer_any_rate(
    counts: tuple[int, ...],
) -> None:
    """R(10) >= 10 / 8 is just 5 / C with C >= 4, so that R(5) may be as short as it likes."""
    figures = {
        5: (Relation.AT_MOST, "9"),
        10: (Relation.AT_MOST, "8"),
        50: (Relation.AT_LEAST, "4"),
    }
    with of_statements([of_fast(f"with-{count}", count, *figures[count]) for count in counts]):
        assert gbps(band(FAST, 5).expected_bps)[1] == pytest.approx(8)


# Which cases a statement is of


@pytest.mark.parametrize(
    ("conditions", "is_usual"),
    [
        ({"distance_km": Decimal(0)}, True),
        ({"distance_km": Decimal(1)}, False),
        ({"receive_packet_steering": False}, True),
        ({"receive_packet_steering": True}, False),
        ({"transport": "tcp"}, True),
        ({"transport": "smcr"}, False),
    ],
)
def test_a_statement_that_names_what_is_usual_is_of_the_usual_case(
    conditions: dict[str, object], is_usual: bool
) -> None:
    """Hosts beside each other, TCP, no packet steering: what a path has that names nothing."""
    known = of_fast("named", 10, Relation.AT_LEAST, "8")
    known = known.model_copy(update={"subject": known.subject.model_copy(update=conditions)})
    path = SpecifiedPath(adapter(FAST), adapter(FAST))
    with of_statements([known]):
        here = predicted(FAST, 10).data_band
        figures = measured_beside(path, workload(LARGE), 1500, 10)
    assert (here is not None and gbps(here.throughput_bps)[0] == pytest.approx(8)) is is_usual
    assert [each.is_exact_case for each in figures] == [True] * is_usual


@pytest.mark.parametrize("left_out", ["mtu_bytes", "connection_counts"])
def test_a_rate_without_its_mtu_or_connections_is_of_no_case(left_out: str) -> None:
    known, vague = (of_fast(name, 10, Relation.AT_LEAST, "8") for name in ("known", "vague"))
    default = Configuration.model_fields[left_out].default
    vague = vague.model_copy(
        update={"subject": vague.subject.model_copy(update={left_out: default})}
    )
    with of_statements([known]):
        alone = band(FAST, 10)
    with of_statements([known, vague]):
        assert band(FAST, 10) == alone


def test_no_statement_is_on_an_adapter_of_a_users_own() -> None:
    """It may only have the id of one of the catalog."""
    mine = adapter(FAST).model_copy(update={"title": "mine"})
    path = SpecifiedPath(mine, mine)
    with of_statements([of_fast("known", 10, Relation.AT_LEAST, "8")]):
        assert statement_bands(predicted(FAST, 10), path, [10]).bands == (None,)


def test_a_rate_of_transactions_is_one_of_their_larger_message() -> None:
    """At least 10 000 responses of 30720 byte each second are at least 2.4576 Gbit/s."""
    known = made_statement(
        "rate", (OSA7, 10), relation=Relation.AT_LEAST, value=Decimal(10_000)
    ).model_copy(update={"quantity": QuantityKind.TRANSACTION_RATE, "unit": "transaction/s"})
    with of_statements([known]):
        low, _ = gbps(band(OSA7, 10).throughput_bps)
    assert low == pytest.approx(2.4576)


@pytest.mark.parametrize(("direction", "bounded_end"), [("in", "receiver"), ("out", "sender")])
def test_a_limit_of_one_direction_bounds_the_paths_that_use_it(
    direction: str, bounded_end: str
) -> None:
    """Whatever is at the other end."""
    known = made_statement("limit", (OSA7, 10), relation=Relation.AT_MOST, value=Decimal(2))
    of_one = known.subject.model_copy(update={"direction": direction})
    with of_statements([known.model_copy(update={"subject": of_one})]):
        rates_gbps = {
            end: netmodel.predict(
                **{"sender": ROCE, "receiver": ROCE, end: OSA7},
                workload=LARGE,
                mtu_bytes=1500,
                connections=10,
            ).throughput_bps.value
            / 1e9
            for end in ("sender", "receiver")
        }
    assert rates_gbps.pop(bounded_end) == pytest.approx(2)
    (other,) = rates_gbps.values()
    assert other > 10


@pytest.mark.parametrize("direction", ["in", "out"])
def test_a_range_ends_at_the_limit_of_a_direction(direction: str) -> None:
    """At least 1 Gbit/s is reached between two adapters of which either passes 2 at most."""
    limit = of_fast("limit", 10, Relation.AT_MOST, "2")
    of_one = limit.subject.model_copy(update={"direction": direction})
    known = [
        limit.model_copy(update={"subject": of_one}),
        of_fast("reached", 10, Relation.AT_LEAST, "1"),
    ]
    path = SpecifiedPath(adapter(FAST), adapter(FAST))
    with of_statements(known):
        (here,) = statement_bands(predicted(FAST, 10), path, [10]).bands
    assert here is not None
    assert gbps(here.throughput_bps) == pytest.approx((1, 2))


def test_the_limit_of_a_direction_is_not_that_of_the_other() -> None:
    """13.4 Gbit/s in and 20.5 out are the limits of OSA-Express7S at MTU 1500."""
    message = {"workload": "str-writex30k", "mtu_bytes": 1500, "connection_counts": (10,)}
    known = [
        of_fast(name, 10, relation, value).model_copy(update={"subject": Configuration(**subject)})
        for name, relation, value, subject in (
            ("out", Relation.AT_MOST, "24", {"adapter": OSA7, "direction": "out", **message}),
            (
                *("reached", Relation.AT_LEAST, "1"),
                {"sender_adapter": OSA7, "receiver_adapter": ROCE, **message},
            ),
        )
    ]
    result = netmodel.predict(
        sender=OSA7, receiver=ROCE, workload="str-writex30k", mtu_bytes=1500, connections=10
    )
    assert isinstance(result, Prediction)
    path = SpecifiedPath(adapter(OSA7), adapter(ROCE))
    with of_statements(known):
        (here,) = statement_bands(result, path, [10]).bands
    assert here is not None
    assert gbps(here.throughput_bps) == pytest.approx((1, 20.5), rel=1e-3)


@pytest.mark.parametrize(
    ("ends", "alone"),
    [({"low": "0.5", "high": "0.8"}, (4 / 0.85, 6 / 0.45)), ({"high": "0.5"}, (8, inf))],
    ids=["a range", "at most"],
)
def test_a_ratio_is_one_of_its_baseline_the_other_way_round(
    ends: dict[str, str], alone: tuple[float, float]
) -> None:
    """The other has 4 to 6 Gbit/s, which is a share of what this one has."""
    figures = {name: Decimal(value) for name, value in ends.items()}
    relation = Relation.RANGE if len(ends) > 1 else Relation.AT_MOST
    if relation is Relation.AT_MOST:
        figures = {"value": figures["high"]}
    known = [
        made_statement("share", (OTHER, 10), FAST, relation=relation, **figures),
        made_statement("least", (OTHER, 10), relation=Relation.AT_LEAST, value=Decimal(4)),
        made_statement("most", (OTHER, 10), relation=Relation.AT_MOST, value=Decimal(6)),
    ]
    with of_statements(known):
        here = band(FAST, 10)
    assert gbps(here.statements["share"]) == pytest.approx(alone)


def test_a_limit_of_a_path_holds_on_its_own_line_and_on_a_slower_one() -> None:
    path = "zvm-vswitch-layer3-1gbe"
    known = made_statement("path", (OSA7, 10), relation=Relation.AT_MOST, value=Decimal("0.05"))
    of_path = Configuration(path=path, workload=LARGE, mtu_bytes=1492, connection_counts=(10,))
    with of_statements([known.model_copy(update={"subject": of_path})]):
        rates_bps = [
            netmodel.predict(
                path=path, workload=LARGE, mtu_bytes=1492, connections=10, line_rate_bps=line_rate
            ).throughput_bps.value
            for line_rate in (None, "500 Mbit/s")
        ]
    assert rates_bps == [pytest.approx(5e7)] * 2


# Contradictions


def test_statements_that_contradict_the_laws_are_left_out_and_noted() -> None:
    """8 Gbit/s with 1 connection and 2 Gbit/s with 10."""
    fast, slow, other = (
        made_statement(name, (FAST, level), relation=Relation.EQUAL, value=Decimal(value))
        for name, level, value in (("fast", 1, "8.0"), ("slow", 10, "2.0"), ("other", 50, "19.5"))
    )
    path = SpecifiedPath(adapter(FAST), adapter(FAST))
    with of_statements([fast, slow, other]):
        (here,), _ = statement_bands(predicted(FAST, 10), path, [10])
        known = predicted(FAST, 10)
        assert known.data_band is None, "slow bounds the prediction"
        assert "no range from statements: they contradict the upper bound" in known.notes[-1]
    assert here is not None
    assert here.notes == ("not used, as they contradict each other: fast, slow",)
    assert gbps(here.throughput_bps)[0] == pytest.approx(19.45 / 5)


def test_a_statement_that_contradicts_constant_times_is_left_out_of_that_range() -> None:
    """1 connection has 8 Gbit/s and 10 have 8.5: then nothing serves the 20 of 50 connections."""
    known = [
        made_statement(name, (FAST, level), relation=Relation.EQUAL, value=Decimal(value))
        for name, level, value in (("one", 1, "8.0"), ("ten", 10, "8.5"), ("fifty", 50, "20.0"))
    ]
    with of_statements(known):
        here = band(FAST, 10)
    assert gbps(here.throughput_bps) == pytest.approx((8.45, 8.55))
    assert here.notes == (
        "one of these is not true if times are independent of load: 3 statements",
    )
    assert gbps(here.expected_bps) == pytest.approx((8.45, 8.55))


# Leave one out


def test_a_wrong_figure_is_missed() -> None:
    """Line speed of one and half of it for the other, printed as 3 times."""
    about = (FAST, 50)
    known = [
        made_statement("one", about, relation=Relation.EQUAL, value=Decimal("20.0")),
        made_statement("other", (OTHER, 50), relation=Relation.EQUAL, value=Decimal("10.0")),
        made_statement("wrong", about, OTHER, relation=Relation.EQUAL, value=Decimal("3.0")),
    ]
    with (
        patch.object(_statement_claims, "statements", lambda: known),
        patch.object(_bands_left_out, "statements", lambda: known),
    ):
        rows = {row.statement.id: row for row in leave_one_out_of_bands()}
    wrong = rows["wrong"]
    assert wrong.outcome is Agreement.MISSED
    # from 19.95 to 20.05 over from 9.95 to 10.05 Gbit/s, and as printed 2.95 to 3.05
    assert wrong.to_dict() == pytest.approx(
        {
            "id": "wrong",
            "document": "made",
            "workload": LARGE,
            "subject": f"{FAST}, MTU 1500, 50 connections",
            "baseline": f"{OTHER}, MTU 1500, 50 connections",
            "printed_low": 2.95,
            "printed_high": 3.05,
            "others_low": 19.95 / 10.05,
            "others_high": 20.05 / 9.95,
            "is_input": False,
            "outcome": "missed",
        }
    )
