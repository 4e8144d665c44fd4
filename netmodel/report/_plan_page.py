"""Plans and scenarios as one HTML page to hand over (extra ``report``)."""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, TypeAlias

from netmodel.errors import DomainError
from netmodel.lazy import extra
from netmodel.planning import Plan, Plans, ScenarioPlan
from netmodel.planning.candidates import candidate_columns
from netmodel.planning.demand import planned
from netmodel.planning.notes import plain_number, resource_text
from netmodel.planning.plans import money_text
from netmodel.records import document
from netmodel.records.lookup import document_ids
from netmodel.records.values import Sourced
from netmodel.terminal import Column
from netmodel.text import NOTE_COUNT, fixed_percent, printable

Block: TypeAlias = dict[str, Any]
"""A table, a list of texts or a text as it is, with a caption."""

_NO_FIGURES = ("candidate", "MTU", "holds")
"""Columns of candidates that stand in the answer, or say what it says."""
_BROKEN_FROM = 24
"""Characters from which on a word may be broken: names of stages and adapters are shorter."""


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
    MissingPartError
        If jinja2 is not installed.

    Examples
    --------
    >>> from netmodel import plan
    >>> plans = plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe", mtu_bytes=1500)
    >>> "<h1>Our line</h1>" in plan_page(plans, title="Our line")
    True
    """
    data: Any
    if isinstance(result, ScenarioPlan):
        data, title = result.to_dict(), title or result.scenario.title
    else:
        result = Plans((result,) if isinstance(result, Plan) else result)
        if not result:
            raise DomainError("there is no plan to report on")
        data = [each.to_dict() for each in result]
    candidates, notes = result.candidates, result.notes
    shown = candidate_columns(candidates)
    made_by = f"netmodel {version}".rstrip()
    sections = {
        "Candidates": _candidates(shown, result),
        "Limits": [_uses(plan) for plan in candidates[:1] if plan.chosen_count is not None],
        "What if": [_changes(candidates[0], result.names[0])],
        "Assumptions and sources": _assumptions(candidates),
        "Inputs": _inputs(result, candidates),
        "How to reproduce": [
            _verbatim("Command that makes this page", command),
            _verbatim("Result as JSON, in base units", json.dumps(data, indent=1, allow_nan=False)),
        ],
    }
    return _rendered(
        title=title or "Capacity plan",
        origin=f"{made_by}, {made_on.isoformat()}" if made_on else made_by,
        answer=result.answer,
        holds=result.holds,
        figures=[
            (column.head, _signed(column.cells[0]))
            for column in shown
            if result.holds and column.cells[0] and column.head not in _NO_FIGURES
        ],
        notes=(notes[:NOTE_COUNT], notes[NOTE_COUNT:]),
        sections={heading: [*filter(None, blocks)] for heading, blocks in sections.items()},
        is_long=lambda text: max(map(len, text.split()), default=0) >= _BROKEN_FROM,
    )


def _rendered(**values: object) -> str:
    with extra("report"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("netmodel", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # what a macro returns is markup, and its texts have been here before
        finalize=lambda value: (
            printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
        ),
    )
    return environment.get_template("plan_page.html.jinja").render(values)


# Sections


def _candidates(shown: Sequence[Column], result: ScenarioPlan | Plans) -> Iterator[Block]:
    why = "adapters carry at most what is published"
    yield _table(f"The best first. ≥ marks lower bounds: {why}.", shown)
    yield _rows("What does not hold, and why.", ("candidate", "reason"), result.grounds())


def _uses(plan: Plan) -> Block:
    """Return the share of each stage in use, as texts and as a bar."""
    known = [
        (stage.name, planned(stage.use_ratio), planned(stage.after_failure_ratio))
        for stage in plan.stages
        if stage.use_ratio and stage.after_failure_ratio
    ]
    names, *uses = zip(*known, strict=True)
    heads = ("in use", "after failure")[: 1 + bool(plan.headroom.spare_count)]
    scale = 100 / max(1.0, *itertools.chain(*uses))
    limits = {plan.headroom.max_utilisation_ratio, plan.headroom.after_failure_ratio}
    columns = [
        Column("limit", [resource_text(name) for name in names]),
        *(
            Column(head, [f"≥ {fixed_percent(ratio, 1)}" for ratio in ratios], is_number=True)
            for head, ratios in zip(heads, uses, strict=False)
        ),
    ]
    key = "Filled: all work; outlined: after a failure; upright lines: what may be used."
    caption = f"Share in use with {plan.chosen_count} {plan.noun}s {plan.where}. {key}"
    bars = [[scale * ratio for ratio in ratios] for ratios in zip(*uses, strict=True)]
    return _table(caption, columns) | {"bars": bars, "limits": [scale * each for each in limits]}


def _changes(best: Plan, name: str) -> Block:
    """Adapters, cores and cost with one input changed."""
    rows = best.sensitivities
    columns = [Column("with", [row["change"] for row in rows])]
    for head, key in (("adapters", "adapter_count"), ("cores", "core_count"), ("cost", "cost")):
        text_of = money_text if key == "cost" else plain_number
        cells = ["" if row[key] is None else text_of(row[key]) for row in rows]
        columns.append(Column(head, cells, is_number=True))
    return _table(f"{name} with one input changed, bounds as above.", columns)


def _assumptions(plans: Sequence[Plan]) -> Iterator[Block]:
    """Values of each record, and the documents that they cite."""
    records = {(type(each), each.id): each for plan in plans for each in plan.demand.records}
    cited = {part.source for record in records.values() for part in record.parts.values()}
    for record in records.values():
        rows: list[tuple[str, ...]] = [
            *_values(record.parts),
            *((f"not known: {each}", "", "", "") for each in record.unknown),
        ]
        caption = ": ".join(filter(None, (f"{record.title} ({record.id})", record.description)))
        if rows:
            yield _rows(caption, ("values", "grade", "source", "note"), rows) | {"is_folded": True}
    sources = [
        (name, str(document(name)) if name in document_ids() else "as the record names it")
        for name in sorted(cited)
    ]
    yield _rows("Sources that records cite.", ("source", "document"), sources)


def _values(parts: Mapping[str, Sourced]) -> Iterator[tuple[str, ...]]:
    """Values that follow each other with one origin, in one row with it."""

    def origin(item: tuple[str, Sourced]) -> tuple[str, str, str]:
        part = item[1]
        return part.grade.value, f"{part.source}, {part.locator}", part.note or ""

    for key, group in itertools.groupby(parts.items(), key=origin):
        words = (f"{name.replace('_', ' ').replace('.', ' / ')} {part}" for name, part in group)
        yield "; ".join(words), *key


def _inputs(result: object, plans: Sequence[Plan]) -> Iterator[Block]:
    """Flows and what they rest on, the policy, and the scenario as it was read."""
    yield {"texts": [*map(": ".join, plans[0].grounds())]}
    if isinstance(result, ScenarioPlan):
        yield _policy(result.scenario.policy.model_dump())
        source = result.scenario
        yield _verbatim(f"Scenario as read: {source.source_name}", source.source_text)
    else:
        yield _policy(asdict(plans[0].headroom))


def _policy(values: Mapping[str, Any]) -> Block:
    """Return the policy: allowed use, failures and costs, as far as given."""
    given = ((name.replace("_", " "), str(value)) for name, value in values.items())
    rows = [(name, value) for name, value in given if value not in ("", "None")]
    return _rows("Policy.", ("rule", "value"), rows)


# Blocks


def _table(caption: str, columns: Iterable[Column]) -> Block:
    """Return a table without empty columns; empty without any."""
    shown = [column for column in columns if any(column.cells)]
    if not shown:
        return {}
    return {
        "caption": caption,
        "heads": [(column.head, "number" if column.is_number else "") for column in shown],
        "rows": [*zip(*(map(_signed, column.cells) for column in shown), strict=True)],
    }


def _rows(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Block:
    return _table(caption, map(Column, heads, zip(*rows, strict=True)))


def _verbatim(caption: str, text: str) -> Block:
    return {"caption": caption, "verbatim": text, "is_folded": True} if text else {}


def _signed(text: str) -> str:
    """Return the signs of bounds as they are printed."""
    return text.replace(">= ", "≥ ").replace("<= ", "≤ ")
