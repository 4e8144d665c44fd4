"""Stages between two sides, and the pools that they share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain

from netmodel._grades import Grade
from netmodel._numeric import Quantity, minimum, require_at_least
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.path._by_connections import JointByConnections, connection_notes
from netmodel.path._reference import Reference
from netmodel.path._stage import Pool, Stage, require_unique
from netmodel.path._uncertain import Interval, Parameter, is_uncertain, require_parameter

__all__ = ["Path"]


@dataclass(frozen=True, kw_only=True)
class Path:
    """
    Stages between a client and a server, and the pools that they share.

    Parameters
    ----------
    stages : tuple of Stage
        From the client to the server; the order is for reading only.
    pools : tuple of Pool
        Those that the stages name.
    window_bytes : float, array_like, Interval or Joint, optional
        Payload that each connection may have under way; None where it does not limit. [byte]
    window_grade : Grade, optional
        How good the evidence for it is.
    unknown : tuple of str
        Parts whose times are not known. Where there are any, limits are ceilings,
        and no transaction time is told.
    notes : tuple of str
        What a reader of a prediction should know.
    reference : Reference, optional
        What ratios compare with, where times are known up to a factor.
    scatter_ratio : float, optional
        Standard deviation from run to run of what its times come from, as a ratio, the
        largest of its records; None where no record has one.

    Raises
    ------
    DomainError
        If there is no stage, two stages or pools have the same name, a stage
        names a pool that is not there, or stages of a pool have several factors.

    Examples
    --------
    >>> from netmodel.path import Stage, Times
    >>> path = Path(stages=(Stage(name="cpu", to_server=Times(per_message_s=6e-6)),))
    >>> path.reversed.stages[0].to_client.per_message_s
    6e-06
    """

    stages: tuple[Stage, ...]
    pools: tuple[Pool, ...] = ()
    window_bytes: Parameter | None = None
    window_grade: Grade | None = None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reference: Reference | None = None
    scatter_ratio: float | None = None

    def __post_init__(self) -> None:
        for name in ("stages", "pools", "unknown", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.stages:
            raise DomainError("a path needs at least one stage")
        names = [*(stage.name for stage in self.stages), *(pool.name for pool in self.pools)]
        require_unique("stages or pools", [*names, "window", "connections"])
        pools = {pool.name for pool in self.pools}
        for stage in self.stages:
            if stage.pool is not None and stage.pool not in pools:
                raise DomainError(f"stage {stage.name!r} names a pool {stage.pool!r}, not known")
        for name in pools:
            if len({one.factor for one in self.stages if one.pool == name}) > 1:
                raise DomainError(
                    f"stages of pool {name!r} must be known up to one and the same factor, "
                    "or all without one"
                )
        if self.window_bytes is not None:
            window = require_parameter("window_bytes", self.window_bytes, 1, "byte")
            object.__setattr__(self, "window_bytes", window)

    @property
    def factors(self) -> tuple[str, ...]:
        """Names of the factors up to which times of stages are known, in their order."""
        return tuple(dict.fromkeys(one.factor for one in self.stages if one.factor is not None))

    @property
    def without_factors(self) -> "Path | None":
        """What of it is known as it is; None where that is nothing."""
        stages = tuple(one for one in self.stages if one.factor is None)
        if not self.factors or not stages:
            return self if stages else None
        named = {one.pool for one in self.stages if one.factor is not None}
        return replace(
            self,
            stages=stages,
            pools=tuple(pool for pool in self.pools if pool.name not in named),
            unknown=(*self.unknown, f"but for a factor, times of {', '.join(self.factors)}"),
            reference=None,
        )

    @property
    def reversed(self) -> "Path":
        """The same with client and server exchanged."""
        return replace(
            self,
            stages=tuple(stage.reversed for stage in reversed(self.stages)),
            pools=tuple(pool.reversed for pool in self.pools),
        )

    def at(self, connection_count: Quantity | None) -> "Path":
        """
        The path with the times for so many connections.

        Parameters
        ----------
        connection_count : float or array_like, optional
            Connections at the same time; None where it is not known.

        Returns
        -------
        path : Path
            The same where no time differs with the number. Else with the times of this
            number, of the next fewer and the next more, of the nearest, or of all
            numbers where none is given; its notes say which.
        """
        places: dict[tuple[int, ...], list[str]] = {}
        for stage in self.stages:
            known = {
                one.connection_counts
                for one in stage.parameters()
                if isinstance(one, JointByConnections)
            }
            for counts in known:
                places.setdefault(counts, []).append(stage.name)
        if not places:
            return self

        def change(parameter: Parameter, slows: bool) -> Parameter:
            if isinstance(parameter, JointByConnections):
                return parameter.at(connection_count)
            return parameter

        notes = connection_notes(places, connection_count)
        return replace(self.changed(change), notes=(*self.notes, *notes))

    def changed(self, change: Callable[[Parameter, bool], Parameter]) -> "Path":
        """The path with every parameter as the function has it; told whether more of it slows."""
        window = self.window_bytes
        return replace(
            self,
            stages=tuple(stage.changed(change) for stage in self.stages),
            pools=tuple(pool.changed(change) for pool in self.pools),
            window_bytes=None if window is None else change(window, False),
        )

    @cached_property
    def is_uncertain(self) -> bool:
        """Whether a parameter is an interval or goes together with others."""
        return any(is_uncertain(one) for one in self.parameters())

    @property
    def has_intervals(self) -> bool:
        """Whether a parameter is an interval."""
        return self.is_uncertain and any(isinstance(one, Interval) for one in self.parameters())

    def parameters(self) -> Iterator[Parameter]:
        """Everything that may be uncertain."""
        yield from chain.from_iterable(stage.parameters() for stage in self.stages)
        counts = (pool.parallel_count for pool in self.pools)
        yield from (one for one in (*counts, self.window_bytes) if one is not None)

    def cpu_stages(self, side: Side) -> tuple[Stage, ...]:
        """Stages that take CPU time of a side: that of their pool, else their own."""
        pools = {pool.name: pool for pool in self.pools if pool.is_cpu}
        return tuple(
            stage
            for stage in self.stages
            if stage.pool in pools and (pools[stage.pool].side or stage.side) is side
        )

    def mtu_bytes(self, stack: Stack, mtu_bytes: Quantity | None = None) -> Quantity:
        """
        Largest innermost packet: the smallest that is stated, or that a stage lets pass. [byte]

        Raises
        ------
        DomainError
            If neither the argument nor a stage tells one.
        """
        hops = [
            (stage.stack or stack).mtu_bytes(stage.mtu_bytes)
            for stage in self.stages
            if stage.mtu_bytes is not None
        ]
        if mtu_bytes is not None:
            hops.append(require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte"))
        if not hops:
            raise DomainError("state mtu_bytes: no stage of the path tells its MTU")
        return reduce(minimum, hops)
