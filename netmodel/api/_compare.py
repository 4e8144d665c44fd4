"""One case against others: what documents print, what models compute, what both allow."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from netmodel.api._arguments import (
    DistanceArguments,
    File,
    Number,
    Whole,
    WrongValueError,
    given_workload,
    in_base_units,
    optional_number,
    optional_whole,
    whole,
)
from netmodel.units._prefixes import KILO

if TYPE_CHECKING:
    from netmodel.judging._compared import Compared
    from netmodel.judging._compared_facts import Value
    from netmodel.records import Workload

CaseGiven: TypeAlias = "str | Mapping[str, object]"
"""A case as text, such as ``"layer=2 mtu=9000"``, or as conditions by their names."""
_TRANSPORTS = {"tcp": "tcp", "smc-r": "smcr"}
"""Protocols, as statements name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuestion:
    """Cases to compare: the arguments of `compare` and of the command."""

    baseline: "CaseGiven | None" = None
    variant: "CaseGiven | Sequence[CaseGiven]" = ()
    workload: "Workload | File | None" = None
    mtu_bytes: Whole | None = None
    connections: Whole | Sequence[int] | None = None
    distance: DistanceArguments = field(default_factory=DistanceArguments)
    min_gain_ratio: Number | None = None

    def compared(self) -> "tuple[Compared, ...]":
        """A comparison for each variant and number of connections."""
        from netmodel.judging._compared import compared, require_known_subject
        from netmodel.judging._compared_cases import completed
        from netmodel.judging._compared_facts import COUNT

        several = [self.variant] if isinstance(self.variant, str | Mapping) else [*self.variant]
        protocol: dict[str, Value] = {}
        if not several and self.baseline is None and self.distance.is_smcr:
            # what a change of the protocol gains
            baseline: dict[str, Value] = {"transport": "tcp"}
            variants: list[dict[str, Value]] = [{"transport": _TRANSPORTS["smc-r"]}]
        else:
            if self.baseline is None or not several:
                raise WrongValueError("give {baseline} and {variant}, or {protocol} smc-r")
            baseline = _case("baseline", self.baseline)
            variants = [_case("variant", each) for each in several]
            if self.distance.protocol is not None:
                protocol["transport"] = _TRANSPORTS[self.distance.protocol]
        share = optional_number("min_gain_ratio", self.min_gain_ratio)
        if share is not None and not 0 < share < 1:
            raise WrongValueError(
                "{min_gain_ratio} is a share above 0 and below 1, such as 0.1; got {given:g}",
                given=share,
            )
        results = []
        for variant, between, count in product(variants, self._distances(), self._counts()):
            common: dict[str, Value] = {**self._common(), **between, **protocol}
            if count is not None:
                common[COUNT] = count
            result = compared(*completed(baseline, variant, common), min_gain_ratio=share)
            require_known_subject(result)
            results.append(result)
        return tuple(results)

    def _distances(self) -> "Iterator[dict[str, Value]]":
        """Conditions of each distance: the length of fibre that has its round trip."""
        from netmodel.judging._compared_cases import RoundTripKm
        from netmodel.transport import propagation_delay_s

        for case in self.distance.cases():
            between = case.distance()
            found: dict[str, Value] = {}
            if between is not None and between.round_trip_s is not None:
                trip_s = float(between.round_trip_s)
                metres = trip_s / (2 * float(propagation_delay_s(1.0)))
                is_fibre = case.equipment_s is None
                if is_fibre and between.distance_m is not None:
                    metres = float(between.distance_m)  # as it is given, without rounding
                km = metres / KILO
                found["distance_km"] = km if case.rtt_s is None else RoundTripKm(km, trip_s)
            for name in ("window_bytes", "loss_ratio"):
                given = None if between is None else getattr(between, name)
                if given is not None:
                    found[name] = float(given)
            yield found

    def _counts(self) -> tuple[int | None, ...]:
        given = self.connections
        if given is None:
            return (None,)
        if isinstance(given, Iterable) and not isinstance(given, str):
            return tuple(whole("connections", each) for each in given)
        return (whole("connections", given),)

    def _common(self) -> "dict[str, Value]":
        from netmodel.records import catalog
        from netmodel.records._catalog import is_file

        common: dict[str, Value] = {}
        if self.workload is not None:
            name = given_workload(self.workload).id
            if isinstance(self.workload, str | os.PathLike) and is_file(self.workload):
                name = os.fspath(self.workload)
            elif name not in catalog()["workloads"]:
                raise WrongValueError(
                    "{workload}: give an id of the catalog or a .toml file; {name!r} is neither",
                    name=name,
                )
            common["workload"] = name
        mtu_bytes = optional_whole("mtu_bytes", self.mtu_bytes)
        if mtu_bytes is not None:
            common["mtu_bytes"] = mtu_bytes
        return common


def _case(name: str, given: CaseGiven) -> "dict[str, Value]":
    from netmodel.judging._compared_cases import given_case

    if not (given.strip() if isinstance(given, str) else given):
        raise WrongValueError(f"{{{name}}} names no condition: give an id, or one such as mtu=9000")
    return given_case(given)


@in_base_units
def compare(
    *,
    baseline: "CaseGiven | None" = None,
    variant: "CaseGiven | Sequence[CaseGiven]" = (),
    workload: "Workload | File | None" = None,
    mtu_bytes: Whole | None = None,
    connections: Whole | Sequence[int] | None = None,
    km: Number | Sequence[float] | None = None,
    rtt_s: Number | Sequence[float] | None = None,
    equipment_s: Number | None = None,
    window_bytes: Number | Sequence[float] | None = None,
    loss_ratio: Number | Sequence[float] | None = None,
    protocol: str | None = None,
    min_gain_ratio: Number | None = None,
) -> "tuple[Compared, ...]":
    """
    What a change gains: ratios of throughput, transaction time and CPU cost.

    Parameters
    ----------
    baseline : str or mapping
        The case to start from: conditions such as ``"adapter=osa-express6s-10gbe mtu=1500"``,
        or values alone where they are ids (``"osa-express6s-10gbe"``). Names are those of
        subjects of statements, and short ones: `mtu`, `connections`, `rps`, `layer`, `path`,
        `level`, `sender`, `receiver`.
    variant : str, mapping or sequence of them
        What changes; what one side does not name is that of the other.
    workload : Workload, str or path, optional
        What is exchanged, in all cases; any workload when left out.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, in all cases. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time, in all cases; each published number when left out.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; several give a comparison each. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues, in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of all cases; ``"smc-r"`` without cases compares it with TCP.
    min_gain_ratio : float or str, optional
        Share of the time that must be saved: `crossover` then says up to which distance it is.

    Returns
    -------
    comparisons : tuple of Compared
        One for each variant, distance and number of connections. Each has rows by quantity: what
        documents print, with place and grade, what models compute, and what both allow together.
        Where no document compares the two cases, `nearest` has those that are nearest, and what
        differs.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known, or nothing compares the cases; names near ones, and what
        documents vary for this subject.
    ContradictionError
        If a condition is given twice.
    DomainError
        If the cases do not differ, or a value cannot be.
    UnitError
        If a number is none.

    Examples
    --------
    >>> import netmodel
    >>> result, = netmodel.compare(
    ...     baseline="osa-express7s-25gbe", variant="roce-express2.1-25gbe",
    ...     workload="rr1c-200x1000", mtu_bytes=1500, connections=50)
    >>> [(row.name, row.printed_text) for row in result.rows if row.has_figure]
    [('transaction time', '40 % lower; lower'), ('CPU per data', 'about 17 % higher; higher')]
    """
    return CompareQuestion(
        baseline=baseline,
        variant=variant,
        workload=workload,
        mtu_bytes=mtu_bytes,
        connections=connections,
        distance=DistanceArguments(
            km=km,
            rtt_s=rtt_s,
            equipment_s=equipment_s,
            window_bytes=window_bytes,
            loss_ratio=loss_ratio,
            protocol=protocol,
        ),
        min_gain_ratio=min_gain_ratio,
    ).compared()
