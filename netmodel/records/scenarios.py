"""Scenarios: traffic, candidates and policy of a plan, as a planner writes them in a TOML file."""

import datetime
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from netmodel._display import short_repr
from netmodel._html import definition_table
from netmodel._printable import cut
from netmodel._reading import read_text
from netmodel._text import listed, near_name
from netmodel.concurrency._spreading import MAX_FLOW_COUNT
from netmodel.consumption._cost import CPU_TIME_BASES
from netmodel.errors import ParseError, UnitError
from netmodel.framing import parse_stack
from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.records._scenario_values import (
    CORNERS,
    MOST_HORIZON_YEARS,
    NO_VOLUME,
    OBJECTIVES,
    SPREADINGS,
    Count,
    CountFromOne,
    Flag,
    Money,
    RecordName,
    Share,
    Text,
    Time,
    Volume,
    above_zero,
    beside,
    checked_by,
    choice,
    files_or_ids,
    listed_or,
    listed_values,
    parse_connections,
    parse_gain,
    parse_growth,
    parse_mtu,
    parse_quantile,
    parse_variation,
    parse_volume,
    parse_years,
    read,
    read_all,
    read_date,
    read_volume,
    shown,
)
from netmodel.records.files import read_toml, validated
from netmodel.records.values import FROZEN, MAX_MTU_BYTES
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_rate_bps,
    parse_size_bytes,
    parse_time_s,
)
from netmodel.units._parse import parse_km, parse_share


class SeriesSource(BaseModel):
    """Where a load over time is: a column of a CSV file."""

    model_config = FROZEN

    file: Annotated[Text, Field(description="CSV file, relative to the scenario")]
    column: Annotated[Text, Field(description="column of the load")]
    unit: Annotated[Text, Field(description='unit of the column: "Gbit/s", "/s"')]
    time: Annotated[Text, Field(description="column of the times")] = "time"

    @model_validator(mode="after")
    def _is_a_rate(self) -> Self:
        try:
            parse_volume(f"1 {self.unit}")
        except UnitError as error:
            raise ValueError(
                f"unit: must be one of a rate, such as Gbit/s or /s: {error}"
            ) from None
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _file_is_beside(cls, data: Any, handler: Any, info: ValidationInfo) -> Self:
        if isinstance(data, Mapping) and isinstance(data.get("file"), str):
            data = {**data, "file": beside(data["file"], info)}
        result: Self = handler(data)
        return result


class TrafficClass(BaseModel):
    """
    What is exchanged, and how much of it.

    One of ``mean``, ``peak`` and ``series`` says how much.
    """

    model_config = FROZEN

    name: Annotated[Text, Field(description="what to call it")]
    workload: Annotated[
        RecordName | None,
        Field(description="workload of the catalog or your own; left out: full frames"),
    ] = None
    sender: Annotated[
        str | None,
        choice("client", "server"),
        Field(description="side that sends more; left out: that of the workload"),
    ] = None
    connections: Annotated[
        int | None,
        read(parse_connections, f"a whole number from 1 to {MAX_FLOW_COUNT:,}"),
        Field(description="connections, on all adapters together"),
    ] = None
    segments_per_ack: Annotated[
        CountFromOne | None, Field(description="frames of a stream for each acknowledgement")
    ] = None
    mean: Annotated[
        Volume | None, BeforeValidator(read_volume), Field(description="mean rate of a busy period")
    ] = None
    variation: Annotated[
        float | None,
        read(parse_variation, 'a coefficient of variation from 0 up, such as "50 %"'),
        Field(description="standard deviation of the load over its mean"),
    ] = None
    peak: Annotated[
        Volume | None,
        BeforeValidator(read_volume),
        Field(description="percentile that was measured"),
    ] = None
    peak_quantile: Annotated[
        float | None,
        read(parse_quantile, 'a share above 0 and below 1, such as "99 %"'),
        Field(description="which percentile the peak is"),
    ] = None
    series: Annotated[
        SeriesSource | None, Field(description="load over time: file, column, unit, time")
    ] = None
    growth_per_year: Annotated[
        float,
        read(parse_growth, 'a growth above -100 %, such as "20 %"'),
        Field(description="growth of the load in a year, compounded"),
    ] = 0.0
    max_transaction_time: Annotated[
        Time | None, Field(description="target of this class, in place of that of the policy")
    ] = None

    @model_validator(mode="after")
    def _has_one_volume(self) -> Self:
        given = [name for name in ("mean", "peak", "series") if getattr(self, name) is not None]
        if len(given) != 1:
            got = f"has {listed(given)}" if given else "has none"
            raise ValueError(f"give one of mean, peak and series: it {got}")
        for name, needed in (
            ("variation", ("mean", "peak")),
            ("peak_quantile", ("peak",)),
        ):
            if getattr(self, name) is not None and all(
                getattr(self, each) is None for each in needed
            ):
                raise ValueError(f"{name}: is for {listed_or(needed)}, which is not given")
        if self.workload is None and (self.mean or self.peak or NO_VOLUME).tps is not None:
            raise ValueError("workload: is missing; a rate in 1/s needs the sizes of its messages")
        return self


class _Costs(BaseModel):
    """What a candidate may have of its own, and the policy has for all."""

    model_config = FROZEN

    adapters_available: Annotated[
        CountFromOne | None, Field(description="adapters that each side can have")
    ] = None
    client_cpus: Annotated[
        CountFromOne | None, Field(description="CPUs (cores) that the client has for this")
    ] = None
    server_cpus: Annotated[
        CountFromOne | None, Field(description="CPUs (cores) that the server has for this")
    ] = None
    adapter_cost: Annotated[Money | None, Field(description="cost of one adapter")] = None
    core_cost: Annotated[Money | None, Field(description="cost of one core")] = None


class Candidate(_Costs):
    """
    Equipment to compare: options of ``netmodel plan``.

    A list of ``adapter``, ``mtu``, ``km``, ``rtt``, ``window``, ``loss`` or ``protocol`` is one
    candidate for each value.
    """

    name: Annotated[Text, Field(description="what to call it")]
    adapter: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(files_or_ids),
        Field(description="adapter at both ends, of the catalog or your own file; or a list"),
    ] = None
    sender: Annotated[
        RecordName | None, Field(description="adapter of the side that sends more")
    ] = None
    receiver: Annotated[RecordName | None, Field(description="adapter of the other side")] = None
    path: Annotated[
        RecordName | None, Field(description="what lies between, of the catalog or your own")
    ] = None
    mtu: Annotated[
        tuple[int, ...] | None,
        read_all(parse_mtu, f"a size from {MIN_IPV4_MTU_BYTES} to {MAX_MTU_BYTES} byte"),
        Field(description="IP MTU of the innermost interface; or a list"),
    ] = None
    line_rate: Annotated[
        float | None,
        read(above_zero(parse_rate_bps), 'a rate such as "25 Gbit/s"'),
        Field(description="MAC rate; left out: that of the slower adapter"),
    ] = None
    client_host: Annotated[RecordName | None, Field(description="host record of the client")] = None
    server_host: Annotated[RecordName | None, Field(description="host record of the server")] = None
    client_cost: Annotated[
        Text | None,
        Field(description='CPU cost of the client: "30..40 µs/transaction"'),
    ] = None
    server_cost: Annotated[
        Text | None, Field(description='CPU cost of the server: "0.16 cores/(Gbit/s)"')
    ] = None
    cpu_frequency: Annotated[
        float | None,
        read(above_zero(parse_frequency_hz), 'a frequency such as "5.2 GHz"'),
        Field(description="clock of the CPUs, for costs in cycles/byte"),
    ] = None
    cpu_time_basis: Annotated[
        str | None,
        choice(*CPU_TIME_BASES),
        Field(description="what a CPU cost is time of: core or thread"),
    ] = None
    smt_gain: Annotated[
        float | None,
        read(parse_gain, "a number from 1 to 2"),
        Field(description="work of a core with two busy threads over that with one"),
    ] = None
    cost_measured_with: Annotated[
        Text | None,
        Field(description='conditions of the CPU costs: "mtu=1500 rps=on"'),
    ] = None
    km: Annotated[
        tuple[float, ...] | None,
        read_all(parse_km, 'a distance such as 35 or "800 m"'),
        Field(description="distance between the sites in km of fibre; or a list"),
    ] = None
    rtt: Annotated[
        tuple[float, ...] | None,
        read_all(parse_time_s, 'a time such as "1 ms"'),
        Field(description="round trip between the sites, in place of km; or a list"),
    ] = None
    equipment: Annotated[
        float | None,
        read(parse_time_s, 'a time such as "20 µs"'),
        Field(description="what equipment adds to the round trip of km"),
    ] = None
    window: Annotated[
        tuple[int, ...] | None,
        read_all(parse_size_bytes, 'a size such as "256 KiB"'),
        Field(description="payload that each connection may have in flight; or a list"),
    ] = None
    loss: Annotated[
        tuple[float, ...] | None,
        read_all(parse_share, 'a share such as 1e-4 or "0.01 %"'),
        Field(description="share of packets that are lost; or a list"),
    ] = None
    protocol: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(listed_values(choice("tcp", "smc-r").func)),
        Field(description="tcp or smc-r; or a list"),
    ] = None
    stack: Annotated[
        Text | None,
        BeforeValidator(checked_by(parse_stack)),
        Field(description="all headers, outermost first"),
    ] = None
    ip: Annotated[int | None, read(parse_count, "4 or 6"), Field(description="IP version")] = None
    transport: Annotated[
        str | None, choice("tcp", "udp"), Field(description="transport protocol")
    ] = None
    timestamps: Annotated[
        Flag | None, Field(description="TCP timestamps option in every segment")
    ] = None
    vlan_tags: Annotated[Count | None, Field(description="802.1Q tags in every frame")] = None

    @model_validator(mode="after")
    def _is_equipment(self) -> Self:
        if self.adapter is not None and (self.sender, self.receiver) != (None, None):
            raise ValueError("give adapter, or sender and receiver, not both")
        if self.path is None and self.adapter is None and None in (self.sender, self.receiver):
            raise ValueError("give adapter, or sender and receiver, or path")
        if self.km is not None and self.rtt is not None:
            raise ValueError("give km or rtt, not both: a distance makes a round trip")
        if self.ip not in (None, 4, 6):
            raise ValueError(f"ip: must be 4 or 6; got {self.ip}")
        return self

    @property
    def varied(self) -> dict[str, tuple[object, ...]]:
        """Values of each key that is a list: one candidate for each."""
        names = ("adapter", "mtu", "km", "rtt", "window", "loss", "protocol")
        return {name: given for name in names if len(given := getattr(self, name) or ()) > 1}


class Policy(_Costs):
    """What may be used, what may fail, what is there, what it costs, and what is best."""

    quantile: Annotated[
        float,
        read(parse_quantile, 'a share above 0 and below 1, such as "95 %"'),
        Field(description="quantile of the load that is planned for"),
    ] = 0.95
    max_utilisation: Annotated[
        Share, Field(description="highest planned utilisation of each stage")
    ] = 0.7
    max_utilisation_after_failure: Annotated[
        Share | None,
        Field(description="the same while spares have failed; left out: as max_utilisation"),
    ] = None
    spares: Annotated[
        Count, Field(description="adapters of a side that may fail at the same time")
    ] = 1
    spare_cores: Annotated[
        Count, Field(description="cores of a side that may be lost at the same time")
    ] = 0
    max_transaction_time: Annotated[
        Time | None, Field(description="target of every request-response class")
    ] = None
    currency: Annotated[Text, Field(description="unit of the costs in texts")] = ""
    objective: Annotated[
        str | None,
        choice(*OBJECTIVES),
        Field(
            description="cost, adapters, cores or growth; left out: cost where costs are given, "
            "else adapters"
        ),
    ] = None
    spreading: Annotated[
        str, choice(*SPREADINGS), Field(description="how flows spread over adapters")
    ] = "even"
    plan_on: Annotated[
        str, choice(*CORNERS), Field(description="case of the parameter uncertainty")
    ] = "worst"
    physics_only: Annotated[
        Flag, Field(description="leave out the bounds that documents print")
    ] = False

    @model_validator(mode="before")
    @classmethod
    def _has_no_headroom(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "headroom" in data:
            raise ValueError(
                f"headroom: is not a key; give max_utilisation, the share that may be used: "
                f'headroom "30 %" is max_utilisation "70 %"; got {shown(data["headroom"])}'
            )
        return data


class Scenario(BaseModel):
    """
    A planning scenario: how much is exchanged, over what it may run, and what is allowed.

    Parameters
    ----------
    title : str
        What is planned.
    start : datetime.date, optional
        Day on which the volumes hold; growth counts from it. The day of planning when left out.
    horizon_years : float
        How far growth is followed.
    traffic : tuple of TrafficClass
        Everything that is exchanged at the same time.
    candidate : tuple of Candidate
        Equipment to compare.
    policy : Policy
        What may be used, fail and be spent.
    """

    model_config = FROZEN

    title: Annotated[Text, Field(description="what is planned")] = "Scenario"
    start: Annotated[
        datetime.date | None,
        BeforeValidator(read_date),
        Field(description="day on which the volumes hold; left out: today"),
    ] = None
    horizon_years: Annotated[
        float,
        read(parse_years, f"a number of years above 0 and at most {MOST_HORIZON_YEARS}"),
        Field(description="how far growth is followed, in years"),
    ] = 5.0
    traffic: Annotated[tuple[TrafficClass, ...], Field(description="one table for each class")]
    candidate: Annotated[tuple[Candidate, ...], Field(description="one table for each candidate")]
    policy: Annotated[Policy, Field(description="one table for all")] = Policy()

    _source: tuple[str, str] = PrivateAttr(default=("", ""))

    @property
    def source_name(self) -> str:
        """File that it was read from; empty where it was made in Python."""
        return self._source[0]

    @property
    def source_text(self) -> str:
        """The TOML text as read."""
        return self._source[1]

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        kinds: dict[str, Sequence[TrafficClass | Candidate]]
        kinds = {"traffic": self.traffic, "candidate": self.candidate}
        for kind, members in kinds.items():
            if not members:
                raise ValueError(f"{kind}: give at least one [[{kind}]]")
            names: dict[str, int] = {}
            for place, member in enumerate(members, start=1):
                if member.name in names:
                    raise ValueError(
                        f'{kind} {place}, name: "{cut(member.name)}" is the name of {kind} '
                        f"{names[member.name]} too"
                    )
                names[member.name] = place
        policy = self.policy
        if self.start is not None and self.start.year + self.horizon_years > datetime.MAXYEAR:
            raise ValueError(
                f"start: is too late for {self.horizon_years:g} years; got {self.start}"
            )
        for place, traffic in enumerate(self.traffic, start=1):
            where = f'traffic {place} "{cut(traffic.name)}"'
            if policy.spreading == "hashed" and traffic.connections is None:
                raise ValueError(
                    f'{where}, connections: is missing, which spreading "hashed" needs'
                )
        for place, candidate in enumerate(self.candidate, start=1):
            most = candidate.adapters_available or policy.adapters_available
            if most is not None and policy.spares >= most:
                raise ValueError(
                    f'candidate {place} "{cut(candidate.name)}": spares is {policy.spares}, and '
                    f"adapters_available {most}: none is left to work"
                )
        costs = [
            each
            for table in (policy, *self.candidate)
            for each in (table.adapter_cost, table.core_cost)
            if each is not None
        ]
        if policy.objective == "cost" and not costs:
            raise ValueError('policy, objective: "cost" needs adapter_cost or core_cost')
        return self

    def __repr__(self) -> str:
        classes = f"{len(self.traffic)} traffic classes"
        return short_repr(self, self.title, classes, f"{len(self.candidate)} candidates")

    def _repr_html_(self) -> str:
        rows = [("traffic", each.name) for each in self.traffic]
        rows += [("candidate", each.name) for each in self.candidate]
        return definition_table(self.title, rows)


def scenario(file: str | os.PathLike[str]) -> Scenario:
    """
    Read a planning scenario from a TOML file.

    Parameters
    ----------
    file : str or path-like
        With ``[[traffic]]``, ``[[candidate]]`` and ``[policy]``. Files in it are relative to it.

    Returns
    -------
    scenario : Scenario
        Its values in base units.

    Raises
    ------
    ParseError
        If it cannot be read, is not TOML, or something in it cannot be; names file, table and key,
        what was given, and what is allowed.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> plan = scenario(data_path("examples", "scenarios", "order-system.toml"))
    >>> [each.name for each in plan.candidate]
    ['OSA-Express7S', 'RoCE Express2.1']
    """
    source = os.fspath(file)
    document = read_toml(source)
    context = {"directory": str(Path(source).parent)}
    problems: list[str] = []

    def table(where: str, model: type[BaseModel], data: object) -> BaseModel | None:
        try:
            return validated(source, model, data, context=context)
        except ParseError as error:
            problems.append(f"{where}: {error.problem}")
        return None

    # (1) each table alone, so that its place is named as a reader of the file counts it
    parts: dict[str, Any] = {}
    is_complete = True
    for kind, model in (("traffic", TrafficClass), ("candidate", Candidate)):
        members = document.get(kind)
        if members is None:
            unknown = [key for key in document if key not in Scenario.model_fields]
            if near_name(kind, unknown) is None:  # else that is named below
                problems.append(f"{kind}: give at least one [[{kind}]]")
            is_complete = False
            continue
        if not isinstance(members, list):
            problems.append(f"{kind}: write its tables as [[{kind}]], with two brackets")
            continue
        read = []
        for place, member in enumerate(members, start=1):
            name = member.get("name") if isinstance(member, Mapping) else None
            named = f' "{cut(name)}"' if isinstance(name, str) else ""
            read.append(table(f"{kind} {place}{named}", model, member))
        parts[kind] = tuple(read)
    policy = table("policy", Policy, document.get("policy", {}))
    # (2) what stands above all tables, and whether the parts fit together
    if problems or not is_complete:
        own = {key: value for key, value in document.items() if key not in parts}
        known = {*Scenario.model_fields}
        for key in own.keys() - known:
            near = near_name(key, known)
            hint = f"did you mean {near}?" if near else f"known are {', '.join(sorted(known))}"
            problems.append(f"{cut(key)}: is not a known key; {hint}")
        raise ParseError(source, "; ".join(problems))
    result = validated(source, Scenario, {**document, **parts, "policy": policy}, context=context)
    result._source = source, read_text(source)
    return result
