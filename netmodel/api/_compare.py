"""One case against others: what documents print, what models compute, what both allow."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from netmodel.api._arguments import (
    File,
    Whole,
    WrongValueError,
    given_workload,
    optional_whole,
    whole,
)

if TYPE_CHECKING:
    from netmodel.judging._compared import Compared
    from netmodel.judging._compared_facts import Value
    from netmodel.records import Workload

CaseGiven: TypeAlias = "str | Mapping[str, object]"
"""A case as text, such as ``"layer=2 mtu=9000"``, or as conditions by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuestion:
    """Cases to compare: the arguments of `compare` and of the command."""

    baseline: CaseGiven
    variant: "CaseGiven | Sequence[CaseGiven]"
    workload: "Workload | File | None" = None
    mtu_bytes: Whole | None = None
    connections: Whole | Sequence[int] | None = None

    def compared(self) -> "tuple[Compared, ...]":
        """A comparison for each variant and number of connections."""
        from netmodel.judging._compared import compared, require_known_subject
        from netmodel.judging._compared_cases import completed
        from netmodel.judging._compared_facts import COUNT

        several = [self.variant] if isinstance(self.variant, str | Mapping) else [*self.variant]
        if not several:
            raise WrongValueError("give at least one {variant}")
        baseline = _case("baseline", self.baseline)
        variants = [_case("variant", each) for each in several]
        results = []
        for variant in variants:
            for count in self._counts():
                common: dict[str, Value] = dict(self._common())
                if count is not None:
                    common[COUNT] = count
                result = compared(*completed(baseline, variant, common))
                require_known_subject(result)
                results.append(result)
        return tuple(results)

    def _counts(self) -> tuple[int | None, ...]:
        given = self.connections
        if given is None:
            return (None,)
        if isinstance(given, Iterable) and not isinstance(given, str):
            return tuple(whole("connections", each) for each in given)
        return (whole("connections", given),)

    def _common(self) -> "dict[str, Value]":
        from netmodel.records import catalog

        common: dict[str, Value] = {}
        if self.workload is not None:
            name = given_workload(self.workload).id
            if name not in catalog()["workloads"]:
                raise WrongValueError(
                    "{workload}: documents name workloads by id; {name!r} is none of the catalogue",
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


def compare(
    *,
    baseline: CaseGiven,
    variant: "CaseGiven | Sequence[CaseGiven]",
    workload: "Workload | File | None" = None,
    mtu_bytes: Whole | None = None,
    connections: Whole | Sequence[int] | None = None,
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

    Returns
    -------
    comparisons : tuple of Compared
        One for each variant and number of connections. Each has rows by quantity: what documents
        print, with place and grade, what models compute, and what both allow together. Where no
        document compares the two cases, `nearest` has those that are nearest, and what differs.

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
    ).compared()
