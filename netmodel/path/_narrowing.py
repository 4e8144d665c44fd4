"""Which part of the CPU time of a pool spreads most, and which run would narrow its range."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._estimates import ABOUT_RATIO
from netmodel._numeric import FloatOrArray, Floats, require_one
from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.path._path import Pool, Stage
from netmodel.path._traffic import Load, Traffic
from netmodel.path._uncertain import Cases, Interval, cases_of, ends_of, quoted_of

if TYPE_CHECKING:
    from netmodel.path._prediction import Prediction

_SMALL_BYTES = 200
"""A request of one frame at any MTU, as the workloads of the catalog have it."""
_LARGE_BYTES = 30_000
"""21 frames at MTU 1500 and four at 9000: the large responses of the catalog have 30 KiB."""
WRITE_BYTES = 131_072
"""Writes of iperf3."""
_USUAL_MTUS_BYTES = (1500, 9000)
"""The MTU of Ethernet, and of its usual jumbo frames."""
_ROUNDING_SPREAD_RATIO = 1e-9
"""Spread that the rounding of floats may leave of what does not spread."""
_DIRECTIONS = {"host_send": "sent", "host_receive": "received"}
_BATCHES = {"per wake-up": "messages_per_wakeup", "per interrupt": "frames_per_interrupt"}
"""Parts whose number depends on what shares them, which each load has for itself."""
_NO_DIRECTION = frozenset({"per_message_s", "per_wakeup_s"})
"""Times that calibrated hosts have alike for what they send and receive."""
OF_SMT, OF_COST = "SMT gain", "cost as given"
"""What may spread more than service times, or in their place."""


class UsualRun(NamedTuple):
    """
    A run that is easy to measure.

    Parameters
    ----------
    text : str
        In words.
    short : str
        The same for a note.
    at : mapping
        Its conditions, as in observations: sizes and MTU. [byte]
    is_cost_per_data : bool
        Whether its CPU cost is per data, as of a stream.
    """

    text: str
    short: str
    at: Mapping[str, float]
    is_cost_per_data: bool


class Narrowing(NamedTuple):
    """
    What of the range of CPUs is most, and what would narrow it.

    Parameters
    ----------
    part : str
        Of the CPU time, such as ``"per byte sent"``; or the SMT gain, or the cost as given.
    share_ratio : float
        Of the variance over what the parameters may be.
    run : str
        Measurement that would narrow the range most.
    shrinkage_ratio : float, optional
        By how much one such run narrows the range; None where that is not known.
    """

    part: str
    share_ratio: float
    run: str
    shrinkage_ratio: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self._asdict()

    def note(self, whose: str) -> str:
        """In a line."""
        if self.part == OF_COST:
            return f"{whose}: the range is that of the cost given; measure {self.run}"
        return f"{whose}: widest part {self.part}; measure {self.run}"


def usual_runs(mtus_bytes: Iterable[int]) -> list[UsualRun]:
    """Runs that are easy to measure, the plainest first: at these MTUs, then at usual ones."""
    known = list(dict.fromkeys(mtus_bytes))
    runs = []
    for mtu in [*known, *(each for each in _USUAL_MTUS_BYTES if each not in known)]:
        for response_bytes in (_SMALL_BYTES, _LARGE_BYTES):
            sizes = {"request_bytes": _SMALL_BYTES, "response_bytes": response_bytes}
            text = f"requests of {_SMALL_BYTES} B with responses of {response_bytes} B"
            short = f"{_SMALL_BYTES} B for {response_bytes} B, MTU {mtu}"
            runs.append(UsualRun(f"{text} at MTU {mtu}", short, {"mtu_bytes": mtu, **sizes}, False))
        to_server = {"write_bytes": WRITE_BYTES}
        to_client = {"request_bytes": 0, "response_bytes": WRITE_BYTES}
        for to, written in (("server", to_server), ("client", to_client)):
            text = f"a stream to the {to}"
            at = {"mtu_bytes": mtu, **written}
            runs.append(UsualRun(f"{text} at MTU {mtu}", f"{text}, MTU {mtu}", at, True))
    return runs


def narrowing(pairs: Sequence[tuple[FloatOrArray, "Prediction"]], pool: Pool) -> Narrowing | None:
    r"""
    Which part of the busy servers of a pool spreads most, and which run would narrow them most.

    Parameters
    ----------
    pairs : sequence of (float, Prediction)
        Rate of each flow and its prediction, all on one path. [1/s]
    pool : Pool
        Of that path.

    Returns
    -------
    narrowing : Narrowing or None
        None where nothing spreads.

    Notes
    -----
    A part :math:`p` has the share :math:`\mathrm{cov}(p, T) / \mathrm{var}(T)` of the spread of
    the sum :math:`T`, over all that the parameters may be. A run whose cost is :math:`y`, with
    the scatter :math:`s` of the runs of the record, leaves of the variance of :math:`T`

    .. math:: 1 - \frac{\mathrm{cov}(y, T)^2}
        {\mathrm{var}(T)\,(\mathrm{var}(y) + s^2 \bar y^2)}
    """
    first = pairs[0][1]
    stages = tuple(stage for stage in first.path.stages if stage.pool == pool.name)
    parameters = [parameter for stage in stages for parameter in stage.parameters]
    cases = cases_of(parameters, first.load.points)
    gain_low, gain_high = (require_one("smt_gain", end) for end in ends_of(pool.smt_gain))
    # (1) busy servers by part, over all cases
    parts: dict[str, Floats] = {}
    for rate_tps, prediction in pairs:
        for name, time_s in _terms(prediction.load, stages, cases):
            parts[name] = parts.get(name, 0.0) + np.asarray(rate_tps * time_s, dtype=np.float64)
    total = np.atleast_1d(np.asarray(sum(parts.values()), dtype=np.float64))
    if not np.all(np.isfinite(total)) or not np.any(total):
        return None
    own = first.traffic.name or "the planned traffic"
    of_plan = f"{own}, MTU {require_one('mtu_bytes', first.mtu_bytes):g}"
    busy_ratio = float(total.max() / total.min()) if total.min() > 0 else np.inf
    if gain_high / gain_low > max(busy_ratio, 1 + _ROUNDING_SPREAD_RATIO):
        return Narrowing(OF_SMT, 1.0, "with one, then both threads of cores busy", None)
    if cases is None or busy_ratio < 1 + _ROUNDING_SPREAD_RATIO:
        return None
    if pool.cost is not None:
        return Narrowing(OF_COST, 1.0, f"{of_plan} with CPU data", None)
    # (2) the part with the largest share of the spread
    shares = {
        name: _covariance(part, total) / _covariance(total, total) for name, part in parts.items()
    }
    widest = max(shares, key=lambda name: shares[name])
    # (3) the run that leaves least of it: of the planned traffic, or a usual one
    known = first.path.scatter_ratio
    scatter_ratio = float(ABOUT_RATIO) if known is None else known
    shrinkages = {}
    runs = list(_candidates(pairs, of_plan))
    batches = [count for part, count in _BATCHES.items() if widest.startswith(part)]
    if any(isinstance(getattr(stage, name), Interval) for stage in stages for name in batches):
        del runs[1:]  # runs of other loads say nothing of the batches of this one
    for text, load in runs:
        cost = np.asarray(sum(time for _, time in _terms(load, stages, cases)), dtype=np.float64)
        if not np.any(cost):
            continue  # it takes no time of the pool
        noise = (scatter_ratio * cost.mean()) ** 2
        explained = _covariance(cost, total) ** 2
        explained /= _covariance(total, total) * (_covariance(cost, cost) + noise)
        shrinkages[text] = 1 - float(np.sqrt(max(1 - explained, 0.0)))
    run = max(shrinkages, key=lambda text: shrinkages[text])
    return Narrowing(widest, shares[widest], run, shrinkages[run])


def narrowing_of_sides(prediction: "Prediction") -> dict[str, Narrowing]:
    """What most of the range of the CPUs of each side is, where they have one."""
    known = {
        pool.side.value: narrowing([(1.0, prediction)], pool)
        for pool in prediction.path.pools
        if pool.is_cpu and pool.side is not None and prediction.cpu_busy[pool.side] is not None
    }
    return {name: each for name, each in known.items() if each is not None}


def range_notes(narrowings: Mapping[str, Narrowing], noun: str = "CPUs") -> Iterator[str]:
    """A note on the CPUs of the sides, which are named together where it is the same."""
    whose: dict[str, list[str]] = {}
    for name, each in narrowings.items():
        whose.setdefault(each.note(f"{{}} {noun}"), []).append(name)
    for text, names in whose.items():
        yield text.format(" and ".join(names))


def _candidates(
    pairs: Sequence[tuple[FloatOrArray, "Prediction"]], of_plan: str
) -> Iterator[tuple[str, Load]]:
    """Runs that may be measured: of the planned traffic, and usual ones at MTUs that pass."""
    first = pairs[0][1]
    mtu_bytes = int(require_one("mtu_bytes", first.mtu_bytes))
    yield of_plan, first.load
    for run in usual_runs([mtu_bytes]):
        at = run.at
        if at["mtu_bytes"] > mtu_bytes:
            continue  # the path does not pass it
        if "write_bytes" in at:
            traffic = Traffic(at["write_bytes"], waits=False, shares_segments=True)
        else:
            is_stream = not at["request_bytes"]
            sizes = at["request_bytes"], at["response_bytes"]
            traffic = Traffic(*sizes, waits=not is_stream, shares_segments=is_stream)
        try:
            load = Load(traffic, at["mtu_bytes"], first.stack, first.load.points)
            load.counts()
        except DomainError:
            continue  # headers without room for it
        yield run.short, load


def _terms(
    load: Load, stages: Sequence[Stage], cases: Cases | None
) -> Iterator[tuple[str, FloatOrArray]]:
    """CPU time of a transaction by part, in all cases. [s]"""
    for stage in stages:
        for term, time_s in load.demand(stage, quoted_of if cases is None else cases.values_of):
            yield _part_name(stage, term.rpartition(".")[2]), time_s


def _part_name(stage: Stage, time: str) -> str:
    """A part of CPU time in words, such as "per byte sent"."""
    side = "" if stage.side is None else f"{stage.side.value}_"
    direction = _DIRECTIONS.get(stage.name.removeprefix(side))
    words = time.removesuffix("_s").replace("_", " ").replace("wakeup", "wake-up")
    if direction is None:
        return f"{stage.name} {words}"
    return words if time in _NO_DIRECTION else f"{words} {direction}"


def _covariance(first: Floats, second: Floats) -> float:
    return float(np.mean((first - np.mean(first)) * (second - np.mean(second))))
