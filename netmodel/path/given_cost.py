"""A CPU cost that is given as one figure, as a stage on the CPUs of its side."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from netmodel.consumption import Side, smt_capacity_core_count
from netmodel.consumption.cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.estimates import Estimate
from netmodel.numeric import require_one
from netmodel.path.ensemble import Interval, Parameter
from netmodel.path.from_records import (
    HOSTS_AND_NETWORK,
    NETWORK,
    cpu_notes,
    has_threads,
    host_pool,
    host_unknown,
    parameter_of,
)
from netmodel.path.stages import Path, Pool, Stage, Times, host_pool_name
from netmodel.path.traffic import Traffic

if TYPE_CHECKING:
    from netmodel.records import Host

_THREADS_OF_SMT = 2
"""Threads of a core where thread time is given without a host: SMT-2, as of most servers."""


def with_given_costs(
    path: Path,
    traffic: Traffic,
    costs: Mapping[Side, CpuCost | None],
    hosts: "Mapping[Side, Host | None]",
) -> Path:
    """
    The path with a CPU cost of each side that is given as one figure.

    Parameters
    ----------
    path : Path
        Without CPU times of these sides.
    traffic : Traffic
        What is exchanged, which converts a cost per transaction.
    costs : mapping of Side to CpuCost or None
        None where a side has none.
    hosts : mapping of Side to Host or None
        Whose CPUs are counted; None where their number is not known.

    Returns
    -------
    path : Path
        With a stage such as ``"client_cost"`` on the pool ``"client_cpus"``: it takes CPU time,
        and bounds the rate where the number of CPUs is known. Where in a transaction that time
        falls is not known, so it adds no latency.

    Raises
    ------
    ContradictionError
        If the path has CPU times of the side, or the cost and the host count different CPU time.
    """
    given = {side: cost for side, cost in costs.items() if cost is not None}
    if not given:
        return path
    unknown: list[str] = []
    for part in path.unknown:
        of_both = [*chain.from_iterable(host_unknown(None, side) for side in Side), NETWORK]
        unknown += of_both if part == HOSTS_AND_NETWORK else [part]
    stages, notes = list(path.stages), list(path.notes)
    pools = {pool.name: pool for pool in path.pools}
    for side, cost in given.items():
        host = hosts[side]
        if path.cpu_stages(side):
            whose = host.id if host is not None and host.has_cpu_times else "the path"
            raise ContradictionError(
                f"the CPU cost of the {side.value} is given, and {whose} has CPU times of the "
                f"{side.value}: leave one of them out"
            )
        pool = _pool_of_cost(cost, side, host)
        pools[pool.name] = pool
        middle_s = cost.per_byte_s(traffic.exchanged_bytes)
        per_byte_s: Parameter = middle_s
        if cost.has_range:
            # sizes of a path with a range are numbers, as those of `SpecifiedPath` are
            ends = cost.range_of(require_one("exchanged_bytes", middle_s))
            is_one_figure = cost.spread_ratio == 0  # of a printed ratio, its value as printed
            per_byte_s = Interval(*ends, has_figure=is_one_figure)
        stage = Stage(
            name=f"{side.value}_cost",
            to_server=Times(per_byte_s=per_byte_s),
            to_client=Times(per_byte_s=per_byte_s),
            parallel_count=None,
            pool=pool.name,
            side=side,
            delays=False,
        )
        stages.insert(0 if side is Side.CLIENT else len(stages), stage)
        lacking = {*host_unknown(None, side), *host_unknown(host, side)}
        unknown = [part for part in unknown if part not in lacking]
        is_counted = pool.parallel_count is not None
        count = "" if is_counted else "and number of CPUs "
        unknown.append(f"CPU latency {count}of the {side.value}")
        if host is not None and is_counted and cost.smt_gain_ratio == 1:
            notes += cpu_notes(side.value, host)
    carried = {side: cost for side, cost in given.items() if cost.carried_ratios is not None}
    # the same cores at every MTU, or not: what a plan or a comparison rests on
    of_case = [
        f"CPU cost of the {side.value}: {cost.carried_text}" for side, cost in carried.items()
    ]
    whose = " and ".join(side.value for side in given if side not in carried)
    if whose:
        of_case.append(
            f"CPU cost of the {whose} as given: no change with MTU, message or connections"
        )
    # neither a stream nor requests say what the other costs
    mismatched: dict[str, list[str]] = {}
    for side, cost in given.items():
        if side in carried:
            continue
        if not traffic.waits and cost.s_per_transaction is not None:
            text = "per transaction on a stream: each write counts as one transaction"
            mismatched.setdefault(text, []).append(side.value)
        elif traffic.waits and cost.s_per_transaction is None:
            text = "per data on requests: wrong if measured with a stream"
            mismatched.setdefault(text, []).append(side.value)
    mixed = [f"cost of the {' and '.join(who)} {text}" for text, who in mismatched.items()]
    return replace(
        path,
        stages=tuple(stages),
        pools=tuple(sorted(pools.values(), key=lambda pool: pool.side is Side.SERVER)),
        unknown=tuple(unknown),
        notes=tuple(notes),
        mixed_notes=(*path.mixed_notes, *mixed, *of_case),
    )


def _pool_of_cost(cost: CpuCost, side: Side, host: "Host | None") -> Pool:
    """The CPUs that a given cost is time of: those of the host, where their number is known."""
    name, gain = host_pool_name(side), cost.smt_gain_ratio
    if host is None:
        basis = cost.time_basis or "core"
        threads = _THREADS_OF_SMT if basis == "thread" else 1
        return Pool(
            name, None, side, time_basis=basis, smt_gain=gain, threads_per_core=threads, cost=cost
        )
    of_host = host.cpu_time_basis and host.cpu_time_basis.value
    if of_host and cost.time_basis and of_host != cost.time_basis:
        raise ContradictionError(
            f"the CPU cost of the {side.value} is {cost.time_basis} time, and {host.id} counts "
            f"{of_host} time: convert one of them"
        )
    if gain > 1 and host.smt_gain is not None:
        raise ContradictionError(f"{host.id} has an SMT gain: leave out the one that is given")
    if gain > 1 and (of_host == "thread" or not has_threads(host)):
        problem = "counts thread time" if of_host == "thread" else "has no second thread"
        raise ContradictionError(f"{host.id} {problem}: leave out the SMT gain")
    if cost.time_basis is not None:
        from netmodel.records.equipment import CpuTimeBasis

        host = host.model_copy(update={"cpu_time_basis": CpuTimeBasis(cost.time_basis)})
    pool = replace(host_pool(host, side), cost=cost)
    cores = host.core_count or host.processor_count
    if gain > 1 and cores is not None:
        count = [smt_capacity_core_count(core, gain) for core in cores.number_estimate]
        pool = replace(pool, parallel_count=parameter_of(Estimate(*count)), smt_gain=gain)
    return pool
