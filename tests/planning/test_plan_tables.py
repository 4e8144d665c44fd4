"""Tables, rows and plain values of plans that are put together by hand."""

from dataclasses import replace
from typing import Any

import pytest
from planning.made import (
    ORDERS,
    STREAM,
    cores,
    in_digits,
    limiting,
    made,
    need,
    plain_values,
)

from netmodel.consumption import Side
from netmodel.consumption._cost import parse_cpu_cost
from netmodel.path import Bound
from netmodel.path._settings import Setting
from netmodel.planning import Corner, Headroom, Plan
from netmodel.planning._plan import DirectionNeed, StageUse
from netmodel.records import Grade

SENT = StageUse(
    name="client_adapter_out",
    is_of_adapters=True,
    adapter_count=need(4),
    use_ratio=need(0.3, 0.25, 0.35),
    after_failure_ratio=need(0.4, 0.3, 0.45),
)
RECEIVED = StageUse(
    name="published",
    is_of_adapters=True,
    adapter_count=need(6, 5, 1200),
    use_ratio=need(0.5, 0.45, 0.55),
    after_failure_ratio=None,
)
TRUNK = StageUse(
    name="trunk",
    is_of_adapters=False,
    adapter_count=None,
    use_ratio=need(0.2),
    after_failure_ratio=need(0.2),
)


def directed(stage: StageUse, side: Side, direction: str) -> DirectionNeed:
    count = need(1) if stage.adapter_count is None else stage.adapter_count
    return DirectionNeed(side=side, direction=direction, binding=stage, adapter_count=count)


BOTH = (directed(SENT, Side.CLIENT, "out"), directed(RECEIVED, Side.SERVER, "in"))


def full(**parts: Any) -> Plan:
    given = {"stages": (SENT, RECEIVED, TRUNK), "directions": BOTH, "count": 1200}
    return made(**{**given, **parts})


def cells(row: str) -> list[str]:
    """Of a line of a table, at two blanks or more."""
    return [cell.strip() for cell in row.split("  ") if cell.strip()]


@pytest.mark.parametrize(
    ("corner", "sent", "received"),
    [
        (Corner.WORST, (">= 4", ">= 35.0 %", ">= 45.0 %"), (">= 1,200", ">= 55.0 %")),
        (Corner.VALUE, (">= 4", ">= 30.0 %", ">= 40.0 %"), (">= 6", ">= 50.0 %")),
        (Corner.BEST, (">= 4", ">= 25.0 %", ">= 30.0 %"), (">= 5", ">= 45.0 %")),
    ],
)
def test_each_direction_has_a_row_at_the_corner(
    corner: Corner, sent: tuple[str, ...], received: tuple[str, ...]
) -> None:
    plan = full(corner=corner)
    heads, first, second, *_ = plan.details().splitlines()
    assert cells(heads) == [
        *("side", "direction", "bottleneck", "adapters", "range", "in use", "after failure"),
    ]
    assert cells(first) == ["client", "out", "client_adapter_out", *sent]
    count, use = received
    assert cells(second) == ["server", "in", "published", count, "5 to 1,200", use]
    assert plan.binding == "published"
    assert plan.binding_row == ("server", "in", "published", count, "5 to 1,200", use, "")
    # numbers stand at the right of their columns
    assert first.index(sent[0]) + len(sent[0]) == second.index(count) + len(count)


def test_of_directions_that_need_as_many_the_fuller_one_is_the_bottleneck() -> None:
    fuller = replace(RECEIVED, adapter_count=need(4), use_ratio=need(0.36))
    plan = full(directions=(BOTH[0], directed(fuller, Side.SERVER, "in")))
    assert plan.binding == "published"
    emptier = replace(fuller, use_ratio=need(0.34))
    plan = full(directions=(BOTH[0], directed(emptier, Side.SERVER, "in")))
    assert plan.binding == "client_adapter_out"
    unknown = replace(fuller, use_ratio=None)
    plan = full(directions=(directed(unknown, Side.SERVER, "in"), BOTH[0]))
    assert plan.binding == "client_adapter_out"


def test_columns_without_a_cell_are_left_out() -> None:
    """No range of counts, and nothing that fails."""
    plain = replace(SENT, after_failure_ratio=None)
    plan = made(stages=(plain,), directions=(directed(plain, Side.CLIENT, "out"),))
    heads, row, *_ = plan.details().splitlines()
    assert cells(heads) == ["side", "direction", "bottleneck", "adapters", "in use"]
    assert cells(row) == ["client", "out", "client_adapter_out", ">= 4", ">= 35.0 %"]
    none = replace(plain, adapter_count=need(float("inf")))
    without = made(stages=(none,), directions=(directed(none, Side.CLIENT, "out"),))
    assert cells(without.details().splitlines()[1])[3] == "none"


def test_cpus_have_a_table_of_their_own() -> None:
    pools = (
        cores(12, 7.654, 11, 13, smt_gain=need(1.3), present_count=16, time_basis="thread"),
        cores(4, 2, name="client_cpus", side=Side.CLIENT, core_count=need(4)),
        cores(name="disks", is_cpu=False),
    )
    plan = full(pools=pools, headroom=Headroom(0.7, 1, spare_core_count=1200))
    heads, server, client, empty, *_ = plan.details().splitlines()
    assert cells(heads) == [
        *("CPUs of", "needed", "range", "busy", "time of", "use", "spare", "SMT gain", "present"),
    ]
    assert cells(server) == [
        *("server", "13", "11 to 13", "7.65", "threads", "70 %", "1,200", "1.3", "16"),
    ]
    assert cells(client) == ["client", ">= 4", "2", "cores", "70 %", "1,200"]
    assert empty == ""
    ranged = cores(12, busy_count=need(8, 7, 9), smt_gain=need(1.3, 1.1, 1.4))
    heads, row, *_ = full(pools=(ranged,)).details().splitlines()
    assert cells(heads) == [
        *("CPUs of", "needed", "busy", "busy range", "time of", "use", "spare", "SMT gain"),
    ]
    assert cells(row) == ["server", "12", "8", "7 to 9", "cores", "70 %", "0", "1.1 to 1.4"]


def rows(plan: Plan, is_verbose: bool = True) -> list[str]:
    """The lines below the tables."""
    return plan.details(is_verbose).rsplit("\n\n", maxsplit=1)[-1].splitlines()


def test_lines_below_the_tables_say_what_it_rests_on() -> None:
    cost = parse_cpu_cost("0.16 cores/(Gbit/s)")
    setting = Setting("card", "tso", "on", "lab", "run 3", "")
    plan = full(
        pools=(
            cores(1, 1, name="disks", is_cpu=False, side=None, present_count=8),
            cores(2, 2, name="buses", is_cpu=False, side=None),
            cores(3, 2.5, name="vios", side=None, time_basis="thread"),
            cores(12, 8, cost=cost),
        ),
        grade=Grade.FITTED,
        settings=(setting,),
        shortfalls=("trunk is full", "disks are slow"),
    )
    evidence = ["evidence: fitted, the weakest of all parameters", "measured with: card: tso on"]
    head = [
        "flow: str-writex30k from client: 40 Gbit/s, 162,760 /s",
        "sized for: worst case within the parameter uncertainty",
        "disks: 1 server needed, 1 busy, 8 present",
        "buses: 2 servers needed, 2 busy",
        "vios: 3 CPUs (thread time) needed, 2.5 busy",
    ]
    lacking = ["not enough: trunk is full", "not enough: disks are slow"]
    # 0.16 µs for each kbit, 30,720 byte of them in a write
    given = (
        "server cost: 0.16 cores/(Gbit/s) = 160,000 µs/Gbit of payload in both directions = "
        "39.3216 µs/transaction, of str-writex30k"
    )
    assert rows(plan) == [*head, given, *evidence, *lacking]
    assert rows(plan, is_verbose=False) == [*head, *lacking]
    assert str(replace(plan, notes=("one", "two"))).endswith("\nnote: one\nnote: two")
    assert str(plan).startswith(f"{plan.answer}\n\nCPUs of")
    several = replace(plan, flows=made(STREAM, ORDERS).flows)
    (text,) = (row for row in rows(several) if row.startswith("server cost"))
    # 1200 byte at 160 µs for each Mbit
    assert text.endswith("of str-writex30k; 0.16 cores/(Gbit/s) = 160,000 µs/Gbit of payload in "
                         "both directions = 1.536 µs/transaction, of rr1c-200x1000")  # fmt: skip


@pytest.mark.parametrize(
    ("corner", "text"),
    [
        (Corner.WORST, "worst case within the parameter uncertainty"),
        (Corner.VALUE, "published figures as printed, where they leave most to carry"),
        (Corner.BEST, "best case within the parameter uncertainty"),
    ],
)
def test_the_corner_is_named(corner: Corner, text: str) -> None:
    assert f"sized for: {text}" in rows(full(corner=corner))


@pytest.mark.parametrize(
    ("client", "server", "path", "text"),
    [
        ("a", "a", None, "a"),
        ("a", "b", None, "a to b"),
        (None, "b", "lan", "b over lan"),
        (None, None, "lan", "lan"),
        ("a", "b", "lan", "a to b over lan"),
    ],
)
def test_the_equipment_is_named_once(
    client: str | None, server: str | None, path: str | None, text: str
) -> None:
    assert full(client_adapter=client, server_adapter=server, path=path).equipment == text


def test_plain_values_of_each_part() -> None:
    plan = full(
        pools=(cores(12, 8, smt_gain=need(1.3), present_count=16), cores(name="d", is_cpu=False)),
        headroom=Headroom(0.6, 2, 0.9, spare_core_count=3),
        adapters_available=8,
        shortfalls=("trunk is full",),
        notes=("one",),
        grade=Grade.FITTED,
        path="lan",
    )
    (flow,), one = plan.to_dict()["flows"], plan.to_dict()["one_adapter"]
    assert (flow["payload_rate_bps"], one["value"]) == pytest.approx((40e9, 13.4e9))
    left_out = {"answer": plan.answer, "side_counts": plan.to_dict()["side_counts"]}
    assert in_digits(plan.to_dict()) == in_digits(plain_values("plan") | left_out)


def test_a_plan_holds_with_a_count_and_without_shortfalls() -> None:
    assert full().holds
    assert not full(shortfalls=("trunk is full",)).holds
    none = full(count=float("inf"))
    assert (none.chosen_count, none.holds, none.is_short_of_adapters) == (None, False, False)
    assert full(count=6, adapters_available=5).is_short_of_adapters
    assert not full(count=6, adapters_available=6).is_short_of_adapters
    assert not full(count=6).is_short_of_adapters


def test_a_frame_has_a_row_for_each_stage() -> None:
    pytest.importorskip("pandas")
    sent, received, trunk = full().to_frame().reset_index().to_dict("records")
    assert (sent["stage"], sent["is_of_adapters"], sent["adapter_count"]) == (SENT.name, True, 4)
    ends = ("use_ratio", "use_ratio_low", "use_ratio_high")
    assert [sent[name] for name in ends] == [0.3, 0.25, 0.35]
    after = ("after_failure_ratio", "after_failure_ratio_low", "after_failure_ratio_high")
    assert [sent[name] for name in after] == [0.4, 0.3, 0.45]
    assert [received[f"adapter_count_{end}"] for end in ("low", "high")] == [5, 1200]
    assert received["after_failure_ratio"] != received["after_failure_ratio"]  # NaN
    assert (trunk["is_of_adapters"], trunk["use_ratio"]) == (False, 0.2)


def test_a_notebook_has_each_table() -> None:
    html = full(pools=(cores(),), notes=("a note",))._repr_html_()
    places = [html.index(text) for text in ("bottleneck", "Stages", "trunk", "CPUs of", "a note")]
    assert places == sorted(places)
    assert "CPUs of" not in full()._repr_html_()
    limits = made(**limiting())
    assert limits.to_dict()["stages"][0]["use_ratio"]["bound"] == Bound.LOWER.value
