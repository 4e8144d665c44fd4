"""Paths of one's own: adapters, hosts and stages between two ends, in one file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    model_validator,
)

from netmodel.consumption import Side
from netmodel.records._equipment import Adapter, CpuTimeBasis, Host, Link
from netmodel.records._kinds import ADAPTERS, HOSTS, LINKS, Kind
from netmodel.records._load import unknown_record
from netmodel.records._mapping import FrozenMapping
from netmodel.records._quantities import CpuNumberValue, SizeValue, SmtGainValue, WholeValue
from netmodel.records._record import Record
from netmodel.records._references import PathReference
from netmodel.records._stages import PathStage
from netmodel.records._values import FROZEN, Text

__all__ = ["PATHS", "PathEnd", "PathPool", "PathRecord"]

Equipment = TypeVar("Equipment", Adapter, Host, Link)
Member = TypeVar("Member")

_KIND_OF_OWN = "own"
_NAMES_OF_LIMITS = frozenset({"window", "connections"})
"""Limits that a prediction has besides stages and pools."""


class PathEnd(BaseModel):
    """
    What stands at one end of a path.

    Parameters
    ----------
    adapter : str, optional
        Id of its adapter.
    host : str, optional
        Id of its machine.
    """

    model_config = FROZEN

    adapter: Text | None = None
    host: Text | None = None

    def __str__(self) -> str:
        told = self.model_dump(exclude_none=True)
        return ", ".join(f"{name} {value}" for name, value in told.items())


class PathPool(BaseModel):
    """
    CPUs that several stages draw on together.

    Parameters
    ----------
    side : Side, optional
        The end that they belong to; absent for a machine that lies between.
    core_count : Value
        How many cores; a part of one where a partition is entitled to a part.
    threads_per_core : Value, optional
        How many.
    smt_gain : Value, optional
        Work of a core with both threads busy over that with one, from 1 to 2.
    cpu_time_basis : CpuTimeBasis, optional
        What the times of its stages count.
    """

    model_config = FROZEN

    side: Side | None = None
    core_count: CpuNumberValue
    threads_per_core: WholeValue | None = None
    smt_gain: SmtGainValue | None = None
    cpu_time_basis: CpuTimeBasis | None = None


def _with_ids(tables: Any) -> Any:
    """Tables by id as records of the catalog; their title and kind need not be told."""
    if not isinstance(tables, Mapping):
        return tables
    return {name: _with_id(name, table) for name, table in tables.items()}


def _with_id(name: str, table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    if table.get("id", name) != name:
        raise ValueError(f"{name}.id: is the key of its table, and no other")
    return {"id": name, "title": name, "kind": _KIND_OF_OWN, **table}


ById = Annotated[
    Mapping[str, Member],
    AfterValidator(FrozenMapping),
    PlainSerializer(dict),
    Field(default_factory=dict, validate_default=True),
]


class PathRecord(Record):
    """
    A path between a client and a server: what stands at its ends, and stages between.

    Parameters
    ----------
    id : str
        Name of its file without the ending.
    title : str
        A line that says what it is.
    description : str, optional
        More about it.
    unknown : tuple of str
        What one would like to know and no source tells.
    client, server : PathEnd
        What stands at the ends.
    link : str, optional
        Id of the link that connects the adapters.
    window : Value, optional
        Payload that a connection may have under way.
    stages : tuple of PathStage
        In order from the client to the server. At least one, unless both ends
        have adapters.
    pools : mapping of str to PathPool
        CPUs that stages draw on, by name.
    reference : PathReference, optional
        The case that results are told against; there is one where stages are relative.
    adapters, hosts, links : mapping
        Records of one's own by id, which go before those of the catalog. Their
        title and kind need not be told.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `load_path_record` raises
        `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import path_record
    >>> path = path_record("worked-closed-network")
    >>> [stage.name for stage in path.stages][:3]
    ['client-cpu', 'client-queue', 'client-osa']
    >>> path.stages[1].times_to_client.quoted.per_message.time_s
    6e-06
    """

    client: PathEnd = PathEnd()
    server: PathEnd = PathEnd()
    link: Text | None = None
    window: SizeValue | None = None
    stages: tuple[PathStage, ...] = ()
    pools: ById[PathPool]
    reference: PathReference | None = None
    adapters: Annotated[ById[Adapter], BeforeValidator(_with_ids)]
    hosts: Annotated[ById[Host], BeforeValidator(_with_ids)]
    links: Annotated[ById[Link], BeforeValidator(_with_ids)]

    @model_validator(mode="after")
    def _stages_belong_together(self) -> Self:
        ends = (self.client, self.server)
        if not self.stages and not all(end.adapter for end in ends):
            raise ValueError("stages: at least one is needed unless both ends have adapters")
        names = [stage.name for stage in self.stages]
        for number, stage in enumerate(self.stages):
            place = f"stages.{number}"
            if stage.name in names[:number]:
                raise ValueError(f"{place}.name: {stage.name!r} is the name of another stage")
            if stage.name in self.pools:
                raise ValueError(f"{place}.name: {stage.name!r} is the name of a pool")
            if stage.name in _NAMES_OF_LIMITS:
                raise ValueError(f"{place}.name: {stage.name!r} is the name of another limit")
            if stage.pool is not None:
                self._require_pool(place, stage, stage.pool)
        for name in self.pools:
            if name in _NAMES_OF_LIMITS:
                raise ValueError(f"pools.{name}: is the name of another limit")
        return self

    def _require_pool(self, place: str, stage: PathStage, name: str) -> None:
        if name not in self.pools:
            raise ValueError(f"{place}.pool: {unknown_record('pool', name, self.pools)}")
        side = self.pools[name].side
        if None not in (side, stage.side) and side is not stage.side:
            raise ValueError(f"{place}.pool: {name!r} belongs to the other side")

    @model_validator(mode="after")
    def _relative_stages_have_a_reference(self) -> Self:
        factors = [one.factor_name for one in self.stages if one.factor_name is not None]
        if self.reference is None:
            if factors:
                raise ValueError("reference: is needed, as stages are relative")
            return self
        if not factors:
            raise ValueError("reference: no stage is relative")
        for name in self.reference.pools:
            if name not in self.pools:
                raise ValueError(f"reference.pools: {unknown_record('pool', name, self.pools)}")
        named = [("times", name) for name in self.reference.times]
        named += [("gains", gain.of) for gain in self.reference.gains if gain.of is not None]
        for key, name in named:
            if name not in factors:
                raise ValueError(
                    f"reference.{key}: {unknown_record('relative stage or pool', name, factors)}"
                )
        return self

    @property
    def client_adapter(self) -> Adapter | None:
        """
        The adapter of the client.

        Raises
        ------
        UnknownRecordError
            If neither the file nor the catalog has it.
        """
        return _resolved(self.client.adapter, self.adapters, ADAPTERS)

    @property
    def server_adapter(self) -> Adapter | None:
        """
        The adapter of the server.

        Raises
        ------
        UnknownRecordError
            If neither the file nor the catalog has it.
        """
        return _resolved(self.server.adapter, self.adapters, ADAPTERS)

    @property
    def client_host(self) -> Host | None:
        """
        The machine of the client.

        Raises
        ------
        UnknownRecordError
            If neither the file nor the catalog has it.
        """
        return _resolved(self.client.host, self.hosts, HOSTS)

    @property
    def server_host(self) -> Host | None:
        """
        The machine of the server.

        Raises
        ------
        UnknownRecordError
            If neither the file nor the catalog has it.
        """
        return _resolved(self.server.host, self.hosts, HOSTS)

    @property
    def link_record(self) -> Link | None:
        """
        The link that connects the adapters.

        Raises
        ------
        UnknownRecordError
            If neither the file nor the catalog has it.
        """
        return _resolved(self.link, self.links, LINKS)

    @model_validator(mode="after")
    def _references_lead_somewhere(self) -> Self:
        faults = []
        for place, kind, name in self._references():
            known = {*getattr(self, kind.folder), *kind.ids()}
            if name is not None and name not in known:
                faults.append(f"{place}: {unknown_record(kind.word, name, known)}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _references(self) -> Iterator[tuple[str, Kind[Any], str | None]]:
        """Table and key, kind and id of each record that it names."""
        for place, end in (("client", self.client), ("server", self.server)):
            yield f"{place}.adapter", ADAPTERS, end.adapter
            yield f"{place}.host", HOSTS, end.host
        yield "link", LINKS, self.link
        for name, machine in self.hosts.items():
            for number, card in enumerate(machine.adapters):
                yield f"hosts.{name}.adapters.{number}", ADAPTERS, card

    @property
    def headline(self) -> dict[str, Any]:
        """Names of its stages."""
        return {"stages": [stage.name for stage in self.stages]}

    def _rows(self) -> Iterator[tuple[str, str]]:
        ends = {"client": str(self.client), "server": str(self.server), "link": self.link}
        yield from ((name, text) for name, text in ends.items() if text)
        if self.reference is not None:
            yield "reference", str(self.reference)
        if self.stages:
            yield "stages", ", ".join(str(stage) for stage in self.stages)
        yield from super()._rows()


PATHS = Kind("paths", "path", PathRecord)


def _resolved(
    name: str | None, own: Mapping[str, Equipment], kind: Kind[Equipment]
) -> Equipment | None:
    """The record of that id: one's own, or that of the catalog."""
    if name is None:
        return None
    return own[name] if name in own else kind.found(name)
