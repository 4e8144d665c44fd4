"""A planning scenario, from its file to ranked plans."""

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from netmodel.api import arguments
from netmodel.api._questions import plan
from netmodel.errors import DomainError, NetmodelError, ParseError
from netmodel.planning import Flow, Plan, ScenarioPlan, candidates
from netmodel.planning.volumes import PlannedVolume, planned_flow
from netmodel.published.rows import words_of
from netmodel.records import scenarios
from netmodel.records.scenarios import Candidate, Scenario
from netmodel.text import names_of_arguments
from netmodel.units import format_time

_ARGUMENTS = {
    (kind.option or arguments.without_unit(name)).split()[0]: name
    for name, kind in arguments.kinds_of(plan).items()
}
"""Arguments of `netmodel.plan` by their options, which keys of a candidate and a policy are."""
_AVAILABLE = ("adapters_available", "client_cpus", "server_cpus", "adapter_cost", "core_cost")
"""Keys of a candidate, else of the policy: what there is, and what it costs."""


def plan_scenario(scenario: Scenario | arguments.File, **policy: object) -> ScenarioPlan:
    """
    Plan what a scenario needs, and rank its candidates.

    Parameters
    ----------
    scenario : Scenario, str or path
        A TOML file, or what `netmodel.records.scenario` reads from one.
    **policy
        Keys of ``[policy]`` in place of those of the file, such as ``spares=2`` or
        ``max_utilisation="50 %"``.

    Returns
    -------
    plan : ScenarioPlan
        Each candidate with adapters, cores and cost, the best first; infeasible ones with reasons.

    Raises
    ------
    ParseError
        If the file or one that it names is not valid; names file, table and key.
    UnknownRecordError
        If the catalog has no such record; near matches are named.
    DomainError
        If what replaces the policy cannot be, or does not fit the rest.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> file = data_path("examples", "scenarios", "order-system.toml")
    >>> netmodel.plan_scenario(file).holds
    True
    """
    as_read = scenario if isinstance(scenario, Scenario) else scenarios.scenario(scenario)
    asked = as_read.with_policy(policy) if policy else as_read
    old, new = as_read.policy, asked.policy
    replaced = "; ".join(f"{key} {getattr(new, key)} for {getattr(old, key)}" for key in policy)
    notes = [f"replaced in the scenario: {replaced}"] if policy else []
    today = datetime.date.today()
    start = asked.start or today
    if (years := today.year - start.year) > 0:
        notes.append(f"start {start} is of {years} years ago: growth counts from it")
    asked = asked.model_copy(update={"start": start})
    loads = list[tuple[Flow, PlannedVolume]]()
    for place, traffic in enumerate(asked.traffic, start=1):
        with _refusing(asked, f'traffic {place} "{traffic.name}"'):
            loads.append(planned_flow(traffic, asked.policy.quantile))
    flows, volumes = zip(*loads, strict=True)
    places = enumerate(asked.candidate, start=1)
    cases = [case for place, each in places for case in _cases(asked, place, each, flows, volumes)]
    objective = candidates.objective_of(asked)
    ranked = sorted(cases, key=lambda each: candidates.rank_key(each, objective))
    known: dict[str, Any] = {"scenario": asked, "objective": objective, "volumes": volumes}
    return ScenarioPlan(flows=flows, candidates=tuple(ranked), first_notes=tuple(notes), **known)


@contextmanager
def _refusing(asked: Scenario, where: str) -> Iterator[None]:
    """
    Errors say which table they are of, by the file and the names of its keys.

    Nothing of a file is repeated that the scenario names outside its folder, links resolved: who
    writes a scenario may have another person or a build plan it, and see what it prints.
    """
    before = names_of_arguments.set({argument: key for key, argument in _ARGUMENTS.items()})
    try:
        yield
    except NetmodelError as error:
        text, name = str(error), asked.source_name
        source, folder = Path(getattr(error, "source", name)), Path(name).parent
        if not source.resolve().is_relative_to(folder.resolve()):
            text = f"{source}: not shown, as it lies outside the folder of the scenario"
        text = f"{where}: {text}"
        raise (ParseError(name, text) if name else DomainError(text)) from None
    finally:
        names_of_arguments.reset(before)


def _cases(
    asked: Scenario, place: int, candidate: Candidate, flows: Sequence[Flow], volumes: Any
) -> Iterator[Plan]:
    """Yield a candidate for each value of the lists of a table."""
    known = {**dict(asked.policy), **{key: x for key, x in candidate if x is not None}}
    available = {key: known[key] for key in _AVAILABLE}
    values = {_ARGUMENTS[key]: value for key, value in known.items() if key in _ARGUMENTS}
    varying = {key for key, value in known.items() if isinstance(value, tuple)} - {"capacity"}
    lists = {key: name for key, name in _ARGUMENTS.items() if key in varying}
    for given in arguments.cases_of(values, lists.values()):
        with _refusing(asked, f'candidate {place} "{candidate.name}"'):
            (made,) = plan(flows, **given)
        varied = {key: given[name] for key, name in lists.items() if len(known[key]) > 1}
        if "rtt" in varied:
            varied["rtt"] = format_time(varied["rtt"])
        name = ", ".join(filter(None, (candidate.name, words_of(varied))))
        yield replace(made, name=name, available=available, scenario=asked, volumes=volumes)
