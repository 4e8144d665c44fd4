"""Plans and scenarios as one HTML page to hand over (extra ``report``)."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel._estimates import Bound
from netmodel._text import (
    RESULT_DIGITS,
    fixed_percent,
    percent_text,
    range_text,
    signed_percent,
)
from netmodel.errors import DomainError, UnknownRecordError
from netmodel.planning import Plan
from netmodel.planning._answer import answer_text, plain_number, resource_text
from netmodel.planning._resources import planned
from netmodel.planning._scenario import CandidatePlan, ScenarioPlan
from netmodel.planning._scenario_text import money_text
from netmodel.planning._what_if import headroom_of
from netmodel.report._drawing import ROOM_RATIO
from netmodel.report._page import rendered
from netmodel.report._text import NOTE_COUNT
from netmodel.units import format_rate, format_size

if TYPE_CHECKING:
    from netmodel.records.values import Sourced

Plain: TypeAlias = dict[str, Any]
"""Of a `to_dict`."""

_DETAILED_COUNT = 10
"""Candidates whose stages are shown: of more, the table of candidates has what decides."""
_QUANTILE_DIGITS = 6
"""Of a quantile in percent: as many as set one case in a million apart."""
_SIGNS = {each.value: each.sign.replace(">=", "≥").replace("<=", "≤") for each in Bound}
"""In front of a figure, by the name of its bound."""


def plan_page(
    result: ScenarioPlan | Plan | Sequence[Plan],
    *,
    title: str = "",
    command: str = "",
    version: str = "",
    made_on: date | None = None,
) -> str:
    """
    Plans of a scenario, or of a demand, as one HTML page without scripts and outside addresses.

    Parameters
    ----------
    result : ScenarioPlan, Plan or sequence of Plan
        A planned scenario; or plans of one demand, the best first, as of `compare_plans`.
    title : str
        Heading; that of the scenario when left out.
    command : str
        What makes the page again, for those who check it.
    version : str
        Of netmodel.
    made_on : datetime.date, optional
        Date that the page bears; it has none when left out.

    Returns
    -------
    text : str
        The page, to be written in UTF-8: the answer, the candidates, limits against demand,
        what changed inputs need, assumptions and inputs, as far as they are known. The same
        arguments give the same text.

    Raises
    ------
    DomainError
        If there is no plan.
    MissingExtraError
        If jinja2 is not installed.

    Examples
    --------
    >>> from netmodel import plan
    >>> plans = plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe", mtu_bytes=1500)
    >>> "<h1>Our line</h1>" in plan_page(plans, title="Our line")
    True
    """
    noted: ScenarioPlan | Plan
    own: Plain = {}
    if isinstance(result, ScenarioPlan):
        candidates, noted, answer = result.candidates, result, result.answer
        data: Any = result.to_dict()
        plain, flows = data["candidates"], data["flows"]
        source, policy = result.scenario, result.policy
        own = {
            "scenario": data,
            "scenario_file": (source.source_name, source.source_text),
            "meanings": {
                name: field.description or "" for name, field in type(policy).model_fields.items()
            },
        }
    else:
        plans = (result,) if isinstance(result, Plan) else tuple(result)
        if not plans:
            raise DomainError("there is no plan to report on")
        candidates, noted = tuple(map(_candidate, plans)), plans[0]
        answer = answer_text(plans)
        plain, data = [each.to_dict() for each in candidates], [each.to_dict() for each in plans]
        flows = data[0]["flows"]
    best = candidates[0]
    made_by = f"netmodel {version}".rstrip()
    return rendered(
        "plan_page.html.jinja",
        title=title or (own["scenario"]["title"] if own else "Capacity plan"),
        origin=f"{made_by}, {made_on.isoformat()}" if made_on else made_by,
        answer=answer,
        command=command,
        candidates=plain,
        best=plain[0],
        plan=plain[0]["plan"],
        flows=flows,
        where=best.plan.where if best.plan else "",
        notes=noted.notes,
        first_notes=NOTE_COUNT,
        limits=list(_limits(candidates)),
        cpus=_cpus(best.plan),
        json_text=json.dumps(data, indent=1, allow_nan=False),
        **({"scenario": None} | own),
        **_assumptions([each.plan for each in candidates if each.plan is not None]),
        **_texts(candidates, noted.policy.currency if isinstance(noted, ScenarioPlan) else ""),
    )


def _candidate(plan: Plan) -> CandidatePlan:
    """A plan of a demand like one of a scenario, with its headroom."""
    over = "" if plan.distance is None else f", {plan.distance}"
    reasons = plan.shortfalls
    if plan.chosen_count is None and not reasons:
        reasons = (f"no number of adapters is enough: {plan.binding} is the bottleneck",)
    result = CandidatePlan(
        name=f"{plan.equipment}, MTU {plan.mtu_bytes:g}{over}",
        mtu_bytes=plan.mtu_bytes,
        plan=plan,
        reasons=reasons,
    )
    if plan.demand is None or not plan.holds:
        return result
    ratio, binding = headroom_of(plan)
    return replace(result, headroom_ratio=ratio, headroom_binding=binding)


# What a page has beside the result


def _limits(candidates: Sequence[CandidatePlan]) -> Iterator[tuple[str, Plain, list[Plain], float]]:
    """Name and plan of the first candidates, what is used of each limit, and the end of an axis."""
    for each in candidates[:_DETAILED_COUNT]:
        plan = each.plan
        if plan is None or plan.chosen_count is None:
            continue
        other = "" if plan.asked_side is None else f"{plan.asked_side.other.value}_"
        stages = [
            stage
            for stage in plan.stages
            if stage.use_ratio and stage.use_ratio.high > 0
            if not other or not stage.name.startswith(other)
        ]
        uses = [planned(use) for stage in stages for use in stage.uses if use is not None]
        rows = [stage.to_dict() for stage in stages]
        if rows:
            end = ROOM_RATIO * max(1.0, *filter(math.isfinite, uses))
            yield each.name, plan.to_dict(), rows, end


def _cpus(plan: Plan | None) -> list[Plain]:
    """CPUs of each side, as far as they are planned."""
    return [
        {
            **pool.to_dict(),
            "of_side": pool.of_side,
            "unit": pool.unit,
            "label": f"{pool.of_side} {pool.unit}s",
        }
        for pool in (() if plan is None else plan.pools)
        if pool.is_cpu and pool.side is not None
    ]


def _assumptions(plans: Sequence[Plan]) -> Plain:
    """Records with their values, printed bounds, and the documents that they and settings cite."""
    from netmodel.records import document

    used = (record for plan in plans if plan.demand for record in plan.demand.records)
    records: list[Plain] = [
        {
            "id": record.id,
            "title": record.title,
            "description": record.description,
            "grades": ", ".join(grade.value for grade in record.grades),
            "parts": record.parts,
            "rows": list(_values(record.parts)),
            "unknown": [f"not known: {text}" for text in record.unknown],
        }
        for record in {(type(each), each.id): each for each in used}.values()
        if record.parts
    ]
    used_names = {stage.name for plan in plans for stage in plan.stages}
    bounds = {
        each.published
        for plan in plans
        if plan.demand
        for each in plan.demand.published
        if each.published and each.name in used_names
    }
    claims = sorted(bounds)
    settings = plans[0].settings if plans else ()
    values = (part for record in records for part in record["parts"].values())
    cited: list[str] = [part.source for part in values]
    cited += [each.source for each in settings]
    sources = {}
    for name in dict.fromkeys(cited):
        try:
            sources[name] = str(document(name))
        except UnknownRecordError:
            sources[name] = "as the record names it"
    return {"records": records, "claims": claims, "sources": sources}


def _values(
    parts: "Mapping[str, Sourced]",
) -> Iterator[tuple[tuple[str, str, str, str], str]]:
    """Values that follow each other with one grade, source, locator and note, as one text."""

    def origin(item: "tuple[str, Sourced]") -> tuple[str, str, str, str]:
        part = item[1]
        return part.grade.value, part.source, part.locator, part.note or ""

    for key, group in groupby(parts.items(), key=origin):
        words = [(name.replace("_", " ").replace(".", " / "), part) for name, part in group]
        yield key, "; ".join(f"{name} {part}" for name, part in words)


# How it is written


def _texts(candidates: Sequence[CandidatePlan], currency: str) -> Plain:
    """Functions of the template: numbers as text with their unit, None where there is no end."""
    growths = [each.growth for each in candidates if each.growth is not None]
    return {
        "at": _percent_of_axis,
        "quantity": _quantity,
        "used_heads": _used_heads,
        "anchor": _anchor,
        "resource": resource_text,
        "horizon_on": str(growths[0].horizon_on) if growths else "",
        "money": _or_no_end(partial(money_text, currency=currency)),
        "number": plain_number,
        "count_of_units": _or_no_end(plain_number, "none is enough"),
        "share": _or_no_end(lambda ratio: fixed_percent(ratio, 1)),
        "percent": lambda ratio: fixed_percent(ratio, 0),
        "signed": lambda ratio: signed_percent(ratio, 1),
        "quantile": lambda ratio: percent_text(ratio, _QUANTILE_DIGITS),
        "times": lambda ratio: "" if ratio is None else f"{ratio:.3g} times",
        "rate": _or_no_end(lambda rate_tps: f"{rate_tps:,.0f} /s"),
        "bit_rate": lambda rate_bps: format_rate(rate_bps, RESULT_DIGITS),
        "size": lambda size_bytes: format_size(float(size_bytes)),
    }


def _or_no_end(
    text_of: Callable[[float], str], no_end: str = "no end"
) -> Callable[[float | None], str]:
    return lambda value: no_end if value is None else text_of(value)


def _quantity(
    quantity: Plain | None, text_of: Callable[[float | None], str], end: str = "high"
) -> tuple[str, str]:
    """An end of a quantity with the sign of its bound, and its range; empty where not known."""
    if quantity is None:
        return "", ""
    low, high, value = (text_of(quantity[name]) for name in ("low", "high", end))
    sign = "" if quantity[end] is None else _SIGNS[quantity["bound"]]
    return f"{sign}{value}", "" if low == high else range_text(low, high)


def _percent_of_axis(value: float | None, low: float, high: float) -> float:
    """Place on an axis; its end where the value lies outside or has no end."""
    inside = high if value is None else min(max(value, low), high)
    return round(100 * (inside - low) / ((high - low) or 1), 2)


def _used_heads(rows: Sequence[Plain]) -> list[str]:
    """Heads of columns that are not empty; the first stays."""
    first, *others = rows[0]
    return [first, *(head for head in others if any(row.get(head) for row in rows))]


def _anchor(source: str) -> str:
    """Id of the row of a source: letters and digits only, which any id may have."""
    return "source-" + "".join(each if each.isalnum() else "-" for each in source)
