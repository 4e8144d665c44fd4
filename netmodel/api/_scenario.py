"""A planning scenario, from its file to ranked plans."""

import datetime
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netmodel._reading import read_text
from netmodel.api._arguments import (
    ArgumentsError,
    WrongValueError,
    choice,
    distance_of,
    in_base_units,
    ip_mtu,
    listed_values,
    optional_number,
    optional_whole,
    path_between,
    require_own_mtu,
    require_path,
    require_suiting,
    stack_of,
    with_costs,
)
from netmodel.api._kinds import File, Number, Whole
from netmodel.consumption import Side
from netmodel.errors import (
    ContradictionError,
    DomainError,
    NetmodelError,
    ParseError,
    UnitError,
    UnknownRecordError,
)
from netmodel.units import format_time
from netmodel.units._format import window_text

if TYPE_CHECKING:
    from netmodel.planning import Flow
    from netmodel.planning._scenario import CandidateCase, ScenarioPlan
    from netmodel.planning._volumes import PlannedVolume
    from netmodel.records import Adapter
    from netmodel.records.scenarios import Candidate, Scenario, TrafficClass

_CASE_TEXTS: Mapping[str, str] = {
    "adapter": "{}",
    "mtu": "MTU {}",
    "km": "{:g} km",
    "rtt": "{} round trip",
    "window": "window {}",
    "loss": "loss {:g}",
    "protocol": "{}",
}
"""What the name of a candidate says of each key that is a list."""


@in_base_units
def plan_scenario(
    scenario: "Scenario | File",
    *,
    adapters: "Adapter | File | Sequence[Adapter | File]" = (),
    mtu_bytes: Whole | Sequence[Whole] = (),
    max_utilisation: Number | None = None,
    max_utilisation_after_failure: Number | None = None,
    spares: Whole | None = None,
    spare_cores: Whole | None = None,
    spreading: str | None = None,
    plan_on: str | None = None,
    physics_only: bool | None = None,
    adapters_available: Whole | None = None,
) -> "ScenarioPlan":
    """
    Plan what a scenario needs, and rank its candidates.

    Parameters
    ----------
    scenario : Scenario, str or path
        A TOML file, or what `netmodel.records.scenario` reads from one.
    adapters : Adapter, str, path or sequence of them, optional
        Adapter at both ends of every candidate, in place of its own.
    mtu_bytes : int, str or sequence of them, optional
        IP MTU of every candidate, in place of its own. [byte]
    max_utilisation, max_utilisation_after_failure : float or str, optional
        Shares that may be used, in place of those of the policy.
    spares, spare_cores : int or str, optional
        What may fail at the same time, in place of the policy.
    spreading : {"even", "hashed"}, optional
        How connections come to use several adapters, in place of the policy.
    plan_on : {"worst", "value", "best"}, optional
        Case of the parameter uncertainty, in place of the policy.
    physics_only : bool, optional
        Whether to leave out published bounds, in place of the policy.
    adapters_available : int or str, optional
        Adapters that each side can have, in place of the policy and of each candidate.

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
    ContradictionError
        If what replaces a part of the scenario does not fit the rest.
    DomainError
        If it cannot be.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.records import data_path
    >>> file = data_path("examples", "scenarios", "order-system.toml")
    >>> netmodel.plan_scenario(file).holds
    True
    """
    from netmodel.planning import Corner, Spreading, _scenario
    from netmodel.records.scenarios import Scenario
    from netmodel.records.scenarios import scenario as read_scenario

    as_read = scenario if isinstance(scenario, Scenario) else read_scenario(scenario)
    given = {
        "max_utilisation": optional_number("max_utilisation", max_utilisation),
        "max_utilisation_after_failure": optional_number(
            "max_utilisation_after_failure", max_utilisation_after_failure
        ),
        "spares": optional_whole("spares", spares),
        "spare_cores": optional_whole("spare_cores", spare_cores),
        "spreading": None if spreading is None else choice("spreading", spreading, Spreading).value,
        "plan_on": None if plan_on is None else choice("plan_on", plan_on, Corner).value,
        "physics_only": physics_only,
        "adapters_available": optional_whole("adapters_available", adapters_available),
        "adapter": tuple(
            os.fspath(each) if isinstance(each, os.PathLike) else each
            for each in listed_values(adapters)
        ),
        "mtu": tuple(ip_mtu(each) for each in listed_values(mtu_bytes)),
    }
    replaced = {key: value for key, value in given.items() if value not in (None, ())}
    asked = _with(as_read, replaced) if replaced else as_read
    today = datetime.date.today()
    notes = [_replaced_note(as_read, replaced)] if replaced else []
    notes += _past_notes(asked, today)
    start = asked.start or today
    loads = [_load(asked, place, traffic) for place, traffic in enumerate(asked.traffic, start=1)]
    flows, volumes = map(list, zip(*loads, strict=True))
    own = [
        os.fspath(each) for each in listed_values(adapters) if isinstance(each, str | os.PathLike)
    ]
    cases = [
        case
        for place, candidate in enumerate(asked.candidate, start=1)
        for case in _cases(asked, place, candidate, flows, own)
    ]
    return _scenario.plan_scenario(asked, flows, volumes, cases, start, notes)


def _with(scenario: "Scenario", replaced: Mapping[str, object]) -> "Scenario":
    """The scenario with other values for keys of its policy, and for all of its candidates."""
    from pydantic import ValidationError

    of_policy = {key: value for key, value in replaced.items() if key not in _OF_CANDIDATES}
    of_candidates = {key: value for key, value in replaced.items() if key in _OF_CANDIDATES}
    if "adapters_available" in of_policy:  # also where a candidate has a number of its own
        of_candidates["adapters_available"] = None
    if "adapter" in of_candidates:
        of_candidates |= {"sender": None, "receiver": None}
    from netmodel.planning import _scenario

    policy = scenario.policy.model_copy(update=of_policy)
    _scenario.headroom_of(policy)  # refuses what cannot be
    candidates: list[Candidate] = []
    for each in scenario.candidate:
        candidate = each.model_copy(update=of_candidates)
        ends = candidate.adapter or ()
        if len(ends) == 1 and "adapter" in of_candidates:
            only = _name(ends[0])
            candidate = candidate.model_copy(update={"name": f"{each.name} with {only}"})
        same = (candidate.model_copy(update={"name": other.name}) == other for other in candidates)
        if not any(same):
            candidates.append(candidate)
    try:
        result = type(scenario)(
            **{
                name: value
                for name in ("title", "start", "horizon_years")
                if (value := getattr(scenario, name)) is not None
            },
            traffic=scenario.traffic,
            candidate=tuple(candidates),
            policy=policy,
        )
    except ValidationError as error:
        raise ContradictionError(str(error.errors()[0]["ctx"]["error"])) from None
    result._source = scenario._source
    return result


def _replaced_note(scenario: "Scenario", replaced: Mapping[str, object]) -> str:
    """What is not as in the scenario."""
    texts = []
    for key, value in replaced.items():
        if key in _OF_CANDIDATES:
            assert isinstance(value, tuple)
            texts.append(f"{key} {', '.join(map(_name, value))}")
        else:
            texts.append(f"{key} {value} for {getattr(scenario.policy, key)}")
    return f"replaced in the scenario: {'; '.join(texts)}"


def _past_notes(scenario: "Scenario", today: datetime.date) -> list[str]:
    """That the volumes are of a day long ago."""
    start = scenario.start
    years = 0 if start is None else today.year - start.year
    if start is None or years < 1:
        return []
    ended = f", and the horizon of {scenario.horizon_years:g} years is over"
    over = ended if years > scenario.horizon_years else ""
    return [f"start {start} is of {years} year{'s' * (years > 1)} ago: growth counts from it{over}"]


def _name(value: object) -> str:
    """A value of a key, of a record its id."""
    return str(getattr(value, "id", value))


_OF_CANDIDATES = ("adapter", "mtu")
"""Keys of candidates that may be replaced in all of them."""


def _refusal(
    asked: "Scenario", where: str, error: NetmodelError, own: Collection[str] = ()
) -> NetmodelError:
    """
    What is wrong in a table, by the file and the table.

    Nothing of a file is repeated that the scenario names outside its folder, links resolved: who
    writes a scenario may have another person or a build plan it, and see what it prints.
    """
    text = error.naming(_KEYS) if isinstance(error, ArgumentsError) else str(error)
    if isinstance(error, ParseError) and _is_outside(asked, error.source, own):
        text = f"{error.source}: {_problem_of_outside(error.source)}"
    if asked.source_name:
        return ParseError(asked.source_name, f"{where}: {text}")
    return DomainError(f"{where}: {text}")


def _is_outside(asked: "Scenario", name: str, own: Collection[str]) -> bool:
    """Whether a file is neither of the folder of the scenario, nor of data, nor given besides."""
    from netmodel.records.files import data_roots

    if not asked.source_name or name in {asked.source_name, *own}:
        return False
    folders = [Path(asked.source_name).parent.resolve(), *(each.resolve() for each in data_roots())]
    return not any(Path(name).resolve().is_relative_to(each) for each in folders)


def _problem_of_outside(name: str) -> str:
    """Why a file cannot be used, without what is in it."""
    try:
        read_text(name)
    except ParseError as error:
        return error.problem
    return (
        "is not what the scenario needs; it lies outside the folder of the scenario, so nothing of "
        "it is shown: copy it there"
    )


_KEYS = {
    "mtu_bytes": "mtu",
    "line_rate_bps": "line_rate",
    "cpu_frequency_hz": "cpu_frequency",
    "rtt_s": "rtt",
    "equipment_s": "equipment",
    "window_bytes": "window",
    "loss_ratio": "loss",
}
"""Keys of a candidate by the arguments that they are."""


def _load(asked: "Scenario", place: int, traffic: "TrafficClass") -> "tuple[Flow, PlannedVolume]":
    """A traffic class as a flow at its planned rate, and where that comes from."""
    from netmodel.planning import workload_flow
    from netmodel.planning._flows import full_frame_flow
    from netmodel.planning._volumes import planned_volume
    from netmodel.records import workload
    from netmodel.records.scenarios import load_series

    sender = None if traffic.sender is None else Side(traffic.sender)
    try:
        series = None if traffic.series is None else load_series(traffic.series)
        record = None if traffic.workload is None else workload(traffic.workload)
        if record is None:
            volume = planned_volume(traffic, asked.policy.quantile, series=series)
            flow = full_frame_flow(
                volume.planned_bps,
                sender=sender,
                connection_count=traffic.connections,
                segments_per_ack=traffic.segments_per_ack,
            )
            return replace(flow, name=traffic.name), volume
        of_workload = partial(
            workload_flow,
            record,
            sender=sender,
            connection_count=traffic.connections,
            segments_per_ack=traffic.segments_per_ack,
        )
        one = of_workload(transaction_rate_tps=1)
        volume = planned_volume(
            traffic, asked.policy.quantile, payload_bits=one.payload_rate_bps, series=series
        )
        given = traffic.mean or traffic.peak
        if given is None or given.tps is None:
            flow = of_workload(payload_rate_bps=volume.planned_bps)
        else:
            flow = of_workload(transaction_rate_tps=volume.planned_tps)
    except NetmodelError as error:
        raise _refusal(asked, f'traffic {place} "{traffic.name}"', error) from None
    return replace(flow, name=traffic.name), volume


def _cases(
    asked: "Scenario",
    place: int,
    candidate: "Candidate",
    flows: "list[Flow]",
    own: Collection[str],
) -> "Iterator[CandidateCase]":
    """One case for each value of the lists of a candidate; own files are named besides it."""
    from netmodel.planning._scenario import CandidateCase

    varied = candidate.varied
    for values in product(*varied.values()):
        chosen = dict(zip(varied, values, strict=True))
        one = candidate.model_copy(update={name: (value,) for name, value in chosen.items()})
        texts = (_case_text(name, value) for name, value in chosen.items())
        case = CandidateCase(name=", ".join([candidate.name, *texts]), record=one)
        try:
            yield _specified(case, flows)
        except (ParseError, UnitError, UnknownRecordError, WrongValueError) as error:
            raise _refusal(asked, f'candidate {place} "{candidate.name}"', error, own) from None
        except NetmodelError as error:
            text = error.naming(_KEYS) if isinstance(error, ArgumentsError) else str(error)
            yield replace(case, mtu_bytes=(one.mtu or (None,))[0], reason=text)


def _case_text(name: str, value: Any) -> str:
    """What the name of a candidate says of a value of a list."""
    shown = _name(value)
    if name == "rtt":
        shown = format_time(value)
    elif name == "window":
        shown = window_text(value)
    return _CASE_TEXTS[name].format(value if name in ("km", "loss") else shown)


def _specified(case: "CandidateCase", flows: "list[Flow]") -> "CandidateCase":
    """A case with its equipment, from the options that ``netmodel plan`` has."""
    one = case.record

    def single(name: str) -> Any:
        return (getattr(one, name) or (None,))[0]

    frame = stack_of(
        one.stack, one.ip, one.transport, one.timestamps, one.vlan_tags, single("protocol")
    )
    distance = distance_of(
        single("km"),
        single("rtt"),
        one.equipment,
        single("window"),
        single("loss"),
        single("protocol"),
    )
    between = path_between(
        single("adapter"),
        one.sender,
        one.receiver,
        one.path,
        one.line_rate,
        one.client_host,
        one.server_host,
    )
    costed = with_costs(
        require_path(between),
        one.client_cost,
        one.server_cost,
        one.cpu_frequency,
        one.cpu_time_basis,
        one.smt_gain,
        one.cost_measured_with,
    )
    path = replace(costed, distance=distance)
    require_suiting(distance, path.path_of(flows[0].traffic))
    mtu_bytes = single("mtu")
    if mtu_bytes is None:
        require_own_mtu(path.path(Side.CLIENT), "{mtu_bytes}")
    return replace(case, path=path, mtu_bytes=mtu_bytes, stack=frame)
