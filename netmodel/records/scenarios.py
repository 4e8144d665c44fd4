"""Scenarios: traffic, candidates and policy of a plan, as a planner writes them in a TOML file."""

import datetime
import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictBool,
    ValidationInfo,
    model_validator,
)

from netmodel.concurrency.spreading import MAX_FLOW_COUNT
from netmodel.errors import DomainError, ParseError
from netmodel.framing import parse_stack
from netmodel.framing.lengths import MIN_IPV4_MTU_BYTES
from netmodel.printable import cut
from netmodel.reading import read_text
from netmodel.records.files import read_toml, shown, validated
from netmodel.records.values import FROZEN, MAX_MTU_BYTES, Text
from netmodel.results import short_repr
from netmodel.units.parsing import (
    Volume,
    bare_number,
    parse_count,
    parse_growth,
    parse_km,
    parse_rate_bps,
    parse_ratio,
    parse_ratio_or_percent,
    parse_share,
    parse_size_bytes,
    parse_time_s,
    parse_volume,
)

Member = TypeVar("Member")

_MOST_YEARS = 100
"""No load grows at one rate for as long; dates stay within what calendars hold."""
_MOST_RATIO = 10
"""No load varies or grows as much: above are per cents without their sign."""


# Values, read as on the command line: text with a unit, or a number


def _reads(parse: Callable[[str], Any]) -> BeforeValidator:
    """Return the reader of text or a number by a parser."""

    def read(given: object) -> Any:
        if isinstance(given, bool) or not isinstance(given, str | int | float | Decimal):
            raise ValueError(f"must be text with a unit, or a number; got {shown(given)}")
        return parse(str(given))

    return BeforeValidator(read, json_schema_input_type=str | float)


def _file_or_id(name: str, info: ValidationInfo) -> str:
    """Return an id, or the path of a file that is named relative to the scenario."""
    is_file = name.endswith(".toml")
    return str(Path((info.context or {}).get("directory", ""), name)) if is_file else name


def _several(given: object) -> object:
    """Return one value as an array."""
    if given in ([], ()):
        raise ValueError("must not be an empty list: leave the key out")
    return given if isinstance(given, list | tuple) else [given]


Several: TypeAlias = Annotated[
    tuple[Member, ...], BeforeValidator(_several, json_schema_input_type=Any)
]
Name: TypeAlias = Annotated[Text, AfterValidator(_file_or_id)]
"""Id of a record, or a file relative to the scenario."""
Headers: TypeAlias = Annotated[Text, AfterValidator(lambda text: (parse_stack(text), text)[1])]
Day: TypeAlias = Annotated[datetime.date, Field(strict=True)]
Load: TypeAlias = Annotated[Volume, _reads(parse_volume)]
Rate: TypeAlias = Annotated[float, _reads(parse_rate_bps), Field(gt=0)]
Mtu: TypeAlias = Annotated[
    int, _reads(parse_size_bytes), Field(ge=MIN_IPV4_MTU_BYTES, le=MAX_MTU_BYTES)
]
Size: TypeAlias = Annotated[int, _reads(parse_size_bytes)]
Km: TypeAlias = Annotated[float, _reads(parse_km)]
Time: TypeAlias = Annotated[float, _reads(parse_time_s)]
Loss: TypeAlias = Annotated[float, _reads(parse_share)]
Share: TypeAlias = Annotated[float, _reads(parse_share), Field(gt=0, le=1)]
Quantile: TypeAlias = Annotated[float, _reads(parse_share), Field(gt=0, lt=1)]
Variation: TypeAlias = Annotated[float, _reads(parse_ratio_or_percent), Field(le=_MOST_RATIO)]
Growth: TypeAlias = Annotated[float, _reads(parse_growth), Field(gt=-1, le=_MOST_RATIO)]
Years: TypeAlias = Annotated[float, _reads(parse_ratio), Field(gt=0, le=_MOST_YEARS)]
Money: TypeAlias = Annotated[float, _reads(partial(bare_number, "cost"))]
Count: TypeAlias = Annotated[int, _reads(parse_count)]
CountFromOne: TypeAlias = Annotated[Count, Field(ge=1)]
Connections: TypeAlias = Annotated[Count, Field(ge=1, le=MAX_FLOW_COUNT)]


def _key(description: str, default: Any = None) -> Any:
    """Return a key that may be left out, with its meaning."""
    return Field(default, description=description)


class TrafficClass(BaseModel):
    """
    Messages that are exchanged, and their load.

    ``mean`` or ``peak`` says how much.
    """

    model_config = FROZEN

    name: Text = Field(description="what to call it")
    workload: Name | None = _key("workload of the catalog or your own; left out: full frames")
    sender: Literal["client", "server"] | None = _key("side that sends more, if not the usual one")
    connections: Connections | None = _key("connections, on all adapters together")
    mean: Load | None = _key("mean rate of a busy period")
    variation: Variation | None = _key("standard deviation of the load over its mean")
    peak: Load | None = _key("percentile that was measured")
    peak_quantile: Quantile | None = _key("which percentile the peak is")
    growth_per_year: Growth = _key("growth of the load in a year, compounded", 0.0)

    @model_validator(mode="after")
    def _has_one_volume(self) -> Self:
        if (self.mean is None) is (self.peak is None):
            raise ValueError(f"give mean or peak: it has {'none' if self.mean is None else 'both'}")
        if self.peak_quantile is not None and self.peak is None:
            raise ValueError("peak_quantile: is for peak, which is not given")
        if self.workload is None and (self.mean or self.peak or Volume()).tps is not None:
            raise ValueError("workload: is missing; a rate in 1/s needs the sizes of its messages")
        return self


class _Costs(BaseModel):
    """Equipment on hand and costs: of a candidate, or of the policy for all."""

    model_config = FROZEN

    adapters_available: CountFromOne | None = _key("adapters that each side can have")
    client_cpus: CountFromOne | None = _key("CPUs (cores) that the client has for this")
    server_cpus: CountFromOne | None = _key("CPUs (cores) that the server has for this")
    adapter_cost: Money | None = _key("cost of one adapter")
    core_cost: Money | None = _key("cost of one core")


class Candidate(_Costs):
    """
    Equipment to compare: options of ``netmodel plan``.

    A list of ``adapter``, ``mtu``, ``link_mtu``, ``km``, ``rtt``, ``window``, ``loss`` or
    ``protocol`` is one candidate for each value; of capacities all hold.
    """

    name: Text = Field(description="what to call it")
    adapter: Several[Name] | None = _key("adapter at both ends, an id or a file; or a list")
    sender: Name | None = _key("adapter of the side that sends more")
    receiver: Name | None = _key("adapter of the other side")
    path: Name | None = _key("what lies between, of the catalog or your own")
    mtu: Several[Mtu] | None = _key("IP MTU of the innermost interface; or a list")
    link_mtu: Several[Mtu] | None = _key("IP MTU of the outermost, in place of mtu; or a list")
    line_rate: Rate | None = _key("MAC rate; left out: that of the slower adapter")
    capacity: Several[Text] | None = _key('what a cloud or a contract allows: "5 Gbit/s ip"')
    client_host: Name | None = _key("host record of the client")
    server_host: Name | None = _key("host record of the server")
    client_cost: Text | None = _key('CPU cost of the client: "30..40 µs/transaction"')
    server_cost: Text | None = _key('CPU cost of the server: "0.16 cores/(Gbit/s)"')
    cost_measured_with: Text | None = _key('conditions of the CPU costs: "mtu=1500 rps=on"')
    km: Several[Km] | None = _key("distance between the sites in km of fibre; or a list")
    rtt: Several[Time] | None = _key("round trip between the sites, in place of km; or a list")
    window: Several[Size] | None = _key("payload in flight of each connection; or a list")
    loss: Several[Loss] | None = _key("share of packets that are lost; or a list")
    protocol: Several[Literal["tcp", "smc-r"]] | None = _key("tcp or smc-r; or a list")
    stack: Headers | None = _key("all headers, outermost first, or a preset")
    ip: Literal[4, 6] | None = _key("IP version; 4 by default")
    transport: Literal["tcp", "udp"] | None = _key("transport protocol; tcp by default")
    timestamps: StrictBool | None = _key("whether TCP segments carry timestamps; true by default")
    vlan_tags: Count | None = _key("802.1Q tags in each frame; 0 by default")


class Policy(_Costs):
    """Highest utilisation, spares, equipment on hand, costs, and the objective."""

    quantile: Quantile = _key("quantile of the load that is planned for", 0.95)
    max_utilisation: Share = _key("highest planned utilisation of each stage", 0.7)
    max_utilisation_after_failure: Share | None = _key("the same while spares have failed")
    spares: Count = _key("adapters of a side that may fail at the same time", 1)
    currency: Text = _key("unit of the costs in texts", "")
    objective: Literal["cost", "adapters", "cores"] | None = _key("what ranks the candidates")
    physics_only: StrictBool = _key("leave out the bounds that documents print", False)


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

    title: Text = _key("what is planned", "Scenario")
    start: Day | None = _key("day on which the volumes hold; left out: today")
    horizon_years: Years = _key("how far growth is followed, in years", 5.0)
    traffic: tuple[TrafficClass, ...] = Field(description="one table for each class")
    candidate: tuple[Candidate, ...] = Field(description="one table for each candidate")
    policy: Policy = _key("one table for all", Policy())

    _source: tuple[str, str] = PrivateAttr(default=("", ""))

    @property
    def source_name(self) -> str:
        """File that it was read from; empty where it was made in Python."""
        return self._source[0]

    @property
    def source_text(self) -> str:
        """The TOML text as read."""
        return self._source[1]

    def with_policy(self, policy: Mapping[str, object]) -> Self:
        """Return the scenario with these values in its policy; DomainError where they cannot be."""
        own = self.policy.model_dump(exclude_unset=True)
        parts = {key: getattr(self, key) for key in self.model_fields_set}
        parts["policy"] = {**own, **policy}
        try:
            result = validated(self.source_name, type(self), parts)
        except ParseError as error:
            raise DomainError(error.problem) from None
        result._source = self._source
        return result

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        policy = self.policy
        for kind in ("traffic", "candidate"):
            names = [each.name for each in getattr(self, kind)]
            if not names:
                raise ValueError(f"{kind}: give at least one [[{kind}]]")
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f'{kind}: "{cut(name)}" is the name of several')
        if self.start is not None and self.start.year + self.horizon_years > datetime.MAXYEAR:
            years = f"{self.horizon_years:g} years"
            raise ValueError(f"start: is too late for {years}; got {self.start}")
        for place, candidate in zip(count(1), self.candidate):
            most = candidate.adapters_available or policy.adapters_available
            if most is not None and policy.spares >= most:
                raise ValueError(
                    f'candidate {place} "{cut(candidate.name)}": spares is {policy.spares}, and '
                    f"adapters_available {most}: none is left to work"
                )
        costs = [(each.adapter_cost, each.core_cost) for each in (policy, *self.candidate)]
        if policy.objective == "cost" and {*costs} == {(None, None)}:
            raise ValueError('policy.objective: "cost" needs adapter_cost or core_cost')
        return self

    def __repr__(self) -> str:
        classes = f"{len(self.traffic)} traffic classes"
        return short_repr(self, self.title, classes, f"{len(self.candidate)} candidates")


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
    context = {"directory": str(Path(source).parent)}
    result = validated(source, Scenario, read_toml(source), context=context)
    result._source = source, read_text(source)
    return result
