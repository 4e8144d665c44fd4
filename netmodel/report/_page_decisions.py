"""What decides a scenario, as parts of a page: volumes, sensitivities, prices, probability."""

from collections.abc import Callable, Sequence

from netmodel._text import RESULT_DIGITS, percent_text, signed_percent
from netmodel.planning._answer import plain_number, resource_text
from netmodel.planning._prices import PART_UNIT, ShadowPrice
from netmodel.planning._probability import HoldingProbability
from netmodel.planning._scenario import ScenarioPlan
from netmodel.planning._sensitivity import Sensitivity
from netmodel.planning._volumes import PlannedVolume
from netmodel.report._charts import Axis, Tick
from netmodel.report._figure import ROOM_RATIO
from netmodel.report._page_parts import (
    Bar,
    Block,
    Cell,
    Column,
    Strip,
    Table,
    Texts,
    table_of,
)
from netmodel.report._page_texts import NOTHING, html_signs, rate_text, share_text
from netmodel.units import format_rate

_QUANTILE_DIGITS = 6
"""Of a quantile in percent: as many as set one case in a million apart."""


def volume_table(volumes: Sequence[PlannedVolume]) -> Table:
    """A row for each class: what was given, and what is planned for."""

    def rates(of: Callable[[PlannedVolume], float | None]) -> list[Cell]:
        values = map(of, volumes)
        return [
            NOTHING if value is None else Cell(format_rate(value, RESULT_DIGITS))
            for value in values
        ]

    planned = [
        Cell(
            format_rate(each.planned_bps, RESULT_DIGITS),
            "" if each.planned_tps is None else rate_text(each.planned_tps),
        )
        for each in volumes
    ]
    shares = [each.quantile_ratio for each in volumes]
    return table_of(
        "Planned volumes: payload of the side that sends more.",
        (
            Column("Class", [Cell(each.name) for each in volumes]),
            Column("Mean", rates(lambda each: each.mean_bps), is_number=True),
            Column("Planned", planned, is_number=True),
            Column(
                "Quantile",
                [
                    NOTHING if each is None else Cell(percent_text(each, _QUANTILE_DIGITS))
                    for each in shares
                ],
                is_number=True,
            ),
            Column(
                "Growth per year",
                [Cell(signed_percent(each.growth_per_year_ratio, 1)) for each in volumes],
                is_number=True,
            ),
            Column("Basis", [Cell(each.basis) for each in volumes]),
        ),
    )


def policy_table(scenario: ScenarioPlan) -> Table:
    """Each key of the policy that has a value, with its meaning."""
    policy = scenario.policy
    described = {name: field.description or "" for name, field in type(policy).model_fields.items()}
    values = {
        name: value
        for name, value in policy.model_dump(mode="json").items()
        if value not in (None, "")
    }
    return Table(
        "Policy, as resolved: with what options replace in the file.",
        (
            Column("Key", [Cell(name) for name in values]),
            Column("Value", [Cell(_value_text(value)) for value in values.values()]),
            Column("Meaning", [Cell(described[name]) for name in values]),
        ),
    )


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,.10g}" if isinstance(value, int | float) else str(value)


def sensitivity_blocks(name: str, inputs: Sequence[Sensitivity]) -> tuple[Block, ...]:
    """What each input moves of the answer, as a tornado: the largest swing first."""
    answers = dict.fromkeys(each.answer for each in inputs)
    return tuple(
        _tornado(name, answer, [each for each in inputs if each.answer == answer])
        for answer in answers
    )


def _tornado(name: str, answer: str, inputs: Sequence[Sensitivity]) -> Table:
    """A row for each input, with the answers at both ends of its range."""
    planned = inputs[0].planned
    ends = [end for each in inputs for end in (each.answer_low, each.answer_high)]
    least, most = min(planned, *ends), max(planned, *ends)
    room = (most - least or planned) * (ROOM_RATIO - 1)
    axis = Axis(least - room, most + room, is_log=False)
    mark = Tick(axis.percent(planned), f"planned: {plain_number(planned)}")
    runs = [each.run for each in inputs]
    return table_of(
        f"{name}: {answer} over the range of one input at a time, before they are rounded up to "
        "whole adapters and cores; all else as planned.",
        (
            Column("Input", [Cell(each.input) for each in inputs]),
            Column("Range", [Cell(f"{each.low_text} to {each.high_text}") for each in inputs]),
            Column(
                f"{answer} from".capitalize(),
                [Cell(plain_number(each.answer_low)) for each in inputs],
                is_number=True,
            ),
            Column(
                f"{answer} to".capitalize(),
                [Cell(plain_number(each.answer_high)) for each in inputs],
                is_number=True,
            ),
            Column(
                f"{answer} around that of the plan".capitalize(),
                [Cell("", strip=_swing(each, axis, mark)) for each in inputs],
            ),
            Column("Run that would narrow it", [Cell(run) for run in runs]),
        ),
        ticks=[Tick(axis.percent(end), plain_number(end)) for end in sorted({least, planned, most})]
        if most > least
        else (),
        legend=(
            ("down", "with the first value of the range"),
            ("up", "with the last value"),
            ("mark1", mark.text),
        ),
    )


def _swing(one: Sensitivity, axis: Axis, mark: Tick) -> Strip:
    """Two bars from the answer of the plan to those at the ends; the longer lies below."""
    ends = (("down", one.answer_low), ("up", one.answer_high))
    ordered = sorted(ends, key=lambda end: abs(end[1] - one.planned), reverse=True)
    bars = []
    for kind, end in ordered:
        low, high = sorted((axis.percent(end), mark.percent))
        bars.append(Bar(kind, high, high, high, low))
    return Strip(one.text, tuple(bars), (mark,), shares_row=True)


def price_blocks(name: str, prices: Sequence[ShadowPrice]) -> tuple[Block, ...]:
    """What one more unit of each resource adds to the volumes, and what it is worth."""
    if not prices:
        return ()
    units = ["one percent" if each.unit == PART_UNIT else each.unit for each in prices]
    values = [each.whole_unit_value for each in prices]
    marginal = [each.price_value_per_unit for each in prices]
    table = table_of(
        f"{name}: by how much all volumes may grow with one unit more, computed anew; the shadow "
        "price is that of a little more, in proportion to a unit.",
        (
            Column("Resource", [Cell(resource_text(each.resource)) for each in prices]),
            Column("One more", [Cell(unit) for unit in units]),
            Column(
                "Adds to all volumes",
                [Cell(signed_percent(each.whole_unit_ratio, 1)) for each in prices],
                is_number=True,
            ),
            Column(
                "Shadow price",
                [Cell(signed_percent(each.price_ratio_per_unit, 1)) for each in prices],
                is_number=True,
            ),
            Column(
                "Worth",
                [
                    NOTHING
                    if value is None
                    else Cell(
                        f"{value:,.4g}", "" if price is None else f"shadow price {price:,.4g}"
                    )
                    for value, price in zip(values, marginal, strict=True)
                ],
                is_number=True,
            ),
            Column(
                "Limits",
                [
                    Cell("yes", f"with {', '.join(each.tied_with)}" if each.tied_with else "")
                    if each.is_binding
                    else Cell("no")
                    for each in prices
                ],
            ),
            Column("Left", [Cell(share_text(each.slack_ratio)) for each in prices], is_number=True),
        ),
        marked=0 if prices[0].is_binding else None,
    )
    return (table,)


def probability_blocks(probability: HoldingProbability) -> tuple[Block, ...]:
    """How much of the time a candidate holds, and what that rests on."""
    sentence = html_signs(probability.text)
    blocks: list[Block] = [Texts((f"{sentence}.",))]
    if probability.notes:
        blocks.append(Texts(probability.notes, is_list=True))
    return tuple(blocks)
