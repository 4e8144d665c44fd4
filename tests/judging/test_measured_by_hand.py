"""Which made figures stand beside a prediction, in which order, and how they differ."""

from decimal import Decimal
from typing import Any

import pytest
from made_statements import made_statement, of_statements

from netmodel.judging import measured_beside
from netmodel.judging._measured import MeasuredFigure
from netmodel.path import SpecifiedPath
from netmodel.records import Relation, Statement, adapter, path_record, workload
from netmodel.records._subjects import Change, Configuration, QuantityKind

SLOW, FAST, OTHER = "ethernet-10gbe", "ethernet-25gbe", "ethernet-40gbe"
LARGE = "rr1c-200x30k"
ENDS: dict[str, Any] = {"adapter": None, "sender_adapter": FAST}


def rate(name: str = "rate", count: int = 10, **subject: Any) -> Statement:
    """2.0 Gbit/s of responses."""
    made = made_statement(name, (FAST, count), relation=Relation.EQUAL, value=Decimal("2.0"))
    return made.model_copy(update={"subject": made.subject.model_copy(update=subject)})


def beside(
    *known: Statement,
    cards: tuple[str, str] = (FAST, FAST),
    count: int | None = 10,
    mtu: int = 1500,
) -> tuple[MeasuredFigure, ...]:
    path = SpecifiedPath(*map(adapter, cards))
    with of_statements(list(known)):
        return measured_beside(path, workload(LARGE), mtu, count)


def test_a_figure_of_the_case_is_whole() -> None:
    (found,) = beside(rate())
    assert found.to_dict() == {
        "quantity": "throughput_bps",
        "side": None,
        "value": 2e9,
        "low": pytest.approx(1.95e9),
        "high": pytest.approx(2.05e9),
        "relation": "equal",
        "printed": "2.0 Gbit/s",
        "baseline": None,
        "mtu_bytes": 1500,
        "connection_count": 10,
        "is_exact_case": True,
        "difference": None,
        "record": "rate",
        "source": "made",
        "reference": "made, page 1",
        "grade": "published",
        "remark": None,
        "ratio": None,
        "ratio_to_expected": None,
    }
    assert (
        repr(found) == "<MeasuredFigure throughput_bps, 2.0 Gbit/s, MTU 1500, 10 connections, made>"
    )


@pytest.mark.parametrize(
    ("cards", "subject", "is_there"),
    [
        # both adapters, and one for each end
        ((FAST, FAST), {}, True),
        ((FAST, OTHER), {**ENDS, "receiver_adapter": OTHER}, True),
        ((OTHER, FAST), {**ENDS, "receiver_adapter": OTHER}, False),
        # one of both, where the other end is no slower
        ((FAST, OTHER), {}, True),
        ((OTHER, FAST), {}, True),
        ((FAST, SLOW), {}, False),
        ((OTHER, OTHER), {}, False),
        # a direction of one, at its end
        ((FAST, OTHER), {"direction": "out"}, True),
        ((OTHER, FAST), {"direction": "out"}, False),
        ((OTHER, FAST), {"direction": "in"}, True),
        ((FAST, OTHER), {"direction": "in"}, False),
        ((FAST, SLOW), {"direction": "out"}, False),
        # one end that is named, of which the other is not
        ((FAST, OTHER), ENDS, False),
    ],
)
def test_figures_of_adapters_are_of_their_ends(
    cards: tuple[str, str], subject: dict[str, Any], is_there: bool
) -> None:
    assert bool(beside(rate(**subject), cards=cards)) is is_there


@pytest.mark.parametrize(
    ("subject", "is_there"),
    [
        ({"workload": "str-writex30k"}, False),
        ({"workload": None}, False),
        ({"mtu_bytes": None}, False),
        ({"connection_counts": ()}, True),
        ({"transport": "smcr"}, False),
        ({"transport": "tcp"}, True),
        ({"message_bytes": 30720}, True),
        ({"message_bytes": 200}, True),
        ({"message_bytes": 1000}, False),
        ({"setting": "tuned"}, False),
        ({"path": "elsewhere"}, False),
    ],
    ids=str,
)
def test_figures_of_other_conditions_are_of_another_case(
    subject: dict[str, Any], is_there: bool
) -> None:
    """Of statements on adapters; over a path of the catalog words go with it."""
    assert bool(beside(rate(**subject))) is is_there


def test_neighbours_on_both_sides_come_by_their_distance() -> None:
    """8 connections are nearer to 10 than 20 are: 1.25 times, and twice."""
    known = [rate(f"at-{count}", count) for count in (1, 8, 20, 50)]
    found = beside(*known)
    assert [(each.record, each.difference) for each in found] == [
        ("at-8", "at 8 connections"),
        ("at-20", "at 20 connections"),
    ]
    mtus = [rate(f"mtu-{mtu}", mtu_bytes=mtu) for mtu in (1400, 9000)]
    found = beside(*known[:1], *mtus)
    assert [(each.record, each.difference) for each in found] == [
        ("mtu-1400", "at MTU 1400"),
        ("mtu-9000", "at MTU 9000"),
        ("at-1", "at 1 connection"),
    ]
    assert beside(rate("both", 50, mtu_bytes=9000)) == ()
    (exact,) = beside(*known, rate("here"))
    assert exact.record == "here"


def test_the_most_exact_and_best_reported_of_several_come_first() -> None:
    def of(name: str, value: str, **more: Any) -> Statement:
        return rate(name, **more).model_copy(update={"value": Decimal(value)})

    known = [
        of("wide", "2.1"),
        of("exact", "2.1000000"),
        of("unreported", "2.30", connection_counts=()),
        of("reported", "2.40"),
        of("fourth", "2.2"),
    ]
    found = beside(*known)
    assert [each.record for each in found] == ["exact", "reported", "unreported"]


def test_figures_come_before_ratios_to_a_baseline() -> None:
    ratio = made_statement("ratio", (FAST, 10), OTHER, relation=Relation.EQUAL, value=Decimal(2))
    jumbo = ratio.model_copy(
        update={"id": "jumbo", "baseline": Configuration(mtu_bytes=9000), "change": Change.FACTOR}
    )
    found = beside(ratio, rate(), jumbo)
    assert [(each.record, each.baseline, each.baseline_mtu_bytes) for each in found] == [
        ("rate", None, None),
        ("ratio", f"adapter {OTHER}", None),
        ("jumbo", "MTU 9000", 9000),
    ]
    # compared with the MTU of the case itself, the case is the baseline
    of_case = jumbo.model_copy(
        update={
            "subject": jumbo.subject.model_copy(update={"mtu_bytes": 9000}),
            "baseline": Configuration(mtu_bytes=1500),
        }
    )
    assert beside(of_case) == ()


@pytest.mark.parametrize(
    ("side", "found"),
    [("sender", "server"), ("receiver", "client"), ("client", "client"), (None, None)],
)
def test_sides_are_those_of_the_workload(side: str | None, found: str | None) -> None:
    """The server sends the larger responses."""
    cost = rate(side=side).model_copy(
        update={"quantity": QuantityKind.CPU_CONSUMPTION, "unit": "µs/Gbit"}
    )
    (figure,) = beside(cost)
    assert figure.quantity == "cpu_us_per_gbit"
    assert figure.to_dict()["side"] == found


def test_line_speed_with_connections_that_are_not_reported_says_so() -> None:
    speed = rate(connection_counts=()).model_copy(update={"relation": Relation.CENSORED_ABOVE})
    (found,) = beside(speed)
    assert found.difference == "with connections not reported"
    assert not found.is_exact_case
    (plain,) = beside(rate(connection_counts=()))
    assert plain.difference == ""
    several = rate(connection_counts=(10, 50)).model_copy(update={"relation": Relation.UP_TO})
    assert {each.remark for each in beside(several)} == {"the highest of several cases"}


def test_words_without_a_figure_stand_beside_nothing_but_the_same() -> None:
    words = made_statement("words", (FAST, 10), OTHER, relation=Relation.EQUAL, value=Decimal(2))
    sign = {"relation": Relation.SIGN, "value": None, "unit": None}
    for change, found in ((Change.MORE, []), (Change.SAME, ["about the same"])):
        about = words.model_copy(update={"change": change, **sign})
        assert [each.printed for each in beside(about)] == found


PATH_ID = "zvm-vswitch-layer3-1gbe"


def of_path(name: str, value: int, **subject: Any) -> Statement:
    """A ratio to a baseline of its own, of a statement that is linked to a path of the catalog."""
    ratio = made_statement(name, (FAST, 10), OTHER, relation=Relation.EQUAL, value=Decimal(value))
    whole = {"path": "switch", "adapter": None, "mtu_bytes": 1492} | subject
    return ratio.model_copy(
        update={
            "subject": ratio.subject.model_copy(update=whole),
            "baseline": Configuration(path="elsewhere"),
            "paths": (PATH_ID,),
        }
    )


def test_of_several_ratios_on_a_path_those_that_report_their_case_come_first() -> None:
    """All as exact: they differ by which of MTU, connections and workload they report."""
    known = [
        of_path("nothing", 2, workload=None, mtu_bytes=None, connection_counts=()),
        of_path("neither", 3, mtu_bytes=None, connection_counts=()),
        of_path("anything", 4, workload=None),
        of_path("whole", 5),
    ]
    path = SpecifiedPath(record=path_record(PATH_ID))
    with of_statements(known):
        found = measured_beside(path, workload(LARGE), 1492, 10)
    assert [each.record for each in found] == ["whole", "anything", "neither"]
    assert {each.baseline for each in found} == {"path elsewhere"}
    # a figure without its workload or MTU is of any case
    with of_statements([each.model_copy(update={"baseline": None}) for each in known]):
        figures = measured_beside(path, workload(LARGE), 1492, 10)
    assert [each.record for each in figures] == ["whole"]


def test_figures_of_a_path_are_not_those_of_its_adapters_alone() -> None:
    elsewhere = rate().model_copy(update={"paths": (PATH_ID,)})
    assert beside(elsewhere) == ()
    assert len(beside(rate())) == 1
