"""Counters of a host's kernel, and what they did between two looks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from netmodel._numeric import require_above
from netmodel.errors import ContradictionError

__all__ = ["CounterChange", "Counters", "counter_change", "counters_of"]

_WIDTHS = (32, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """
    Counters at one time.

    Parameters
    ----------
    source : str
        File that they were read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    tool : str
        What printed them.
    counts : mapping of str to mapping of str to int
        For each interface, or what else counts, each counter by name. Those of
        ``ip`` and ``/proc/net/dev`` are named alike: ``rx_bytes``, ``tx_packets``.
    width_bits : int
        Width of the counters: at 2 to this power they begin again. [bit]
    warnings : tuple of str
        What a reader of these numbers should know.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    tool: str
    counts: Mapping[str, Mapping[str, int]]
    width_bits: int = 64
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(of)) for name, of in self.counts.items()}
        object.__setattr__(self, "counts", MappingProxyType(frozen))


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterChange:
    """
    What counters did between two looks.

    Parameters
    ----------
    duration_s : float
        Time between them. [s]
    counts : mapping of str to mapping of str to int
        By how much each grew.
    wrapped : tuple of (str, str)
        Counters that began again at 0 in between, once.
    warnings : tuple of str
        What a reader of these numbers should know.
    """

    duration_s: float
    counts: Mapping[str, Mapping[str, int]]
    wrapped: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def rate_per_s(self, interface: str, name: str) -> float:
        """
        Mean rate of a counter.

        Parameters
        ----------
        interface, name : str
            Which.

        Returns
        -------
        rate_per_s : float
            By how much it grew in a second. [1/s]

        Raises
        ------
        ContradictionError
            If there is no such counter in both looks.
        """
        return counters_of(self.counts, interface, name) / self.duration_s


def counters_of(counts: Mapping[str, Mapping[str, int]], interface: str, name: str) -> int:
    """One count; ContradictionError where it is not told."""
    if name not in counts.get(interface, {}):
        raise ContradictionError(f"no counter {name} of {interface or 'this host'}")
    return counts[interface][name]


def counter_change(
    before: Counters, after: Counters, duration_s: float, *, width_bits: int | None = None
) -> CounterChange:
    """
    Subtract counters from the same counters at a later time.

    Parameters
    ----------
    before : Counters
        The first look.
    after : Counters
        The second look, printed by the same tool.
    duration_s : float
        Time between them. [s]
    width_bits : int, optional
        Width of the counters, 32 or 64, where it is not that of the reader:
        drivers count in 32 bits too. [bit]

    Returns
    -------
    change : CounterChange
        By how much each counter grew that both looks have.

    Raises
    ------
    ContradictionError
        If the looks are of different tools or have no counter in common, the
        width is neither 32 nor 64, or a counter fell by more than a wrap
        explains: it was set back.
    DomainError
        If the duration is not above zero, or infinite.

    Notes
    -----
    A counter of :math:`w` bits that fell began again at :math:`2^w`, and grew by

    .. math:: \\Delta = (n_2 - n_1) \\bmod 2^w

    if that is less than half of :math:`2^w`; otherwise it was set back, as a
    reload of a driver does. A fall of a counter of 64 bits that was below
    :math:`2^{32}` is taken as one of 32 bits, with a warning. A counter that
    began again more than once cannot be seen: one of 32 bits counts the bytes
    of 25 Gbit/s for 1.4 s.
    """
    require_above("duration_s", duration_s, 0, "s")
    if before.tool != after.tool:
        raise ContradictionError(f"cannot subtract counters of {before.tool} and {after.tool}")
    if width_bits not in {None, *_WIDTHS}:
        raise ContradictionError(f"counters have 32 or 64 bits, not {width_bits}")
    counts: dict[str, dict[str, int]] = {}
    wrapped: list[tuple[str, str]] = []
    warnings = [*before.warnings, *(text for text in after.warnings if text not in before.warnings)]
    width = width_bits or after.width_bits
    for interface in sorted(before.counts.keys() & after.counts.keys()):
        earlier, later = before.counts[interface], after.counts[interface]
        counts[interface] = {}
        for name in sorted(earlier.keys() & later.keys()):
            change = later[name] - earlier[name]
            if change < 0:
                change, note = _beyond_the_end(
                    f"{name} of {interface}", change, earlier[name], width, width_bits
                )
                wrapped.append((interface, name))
                warnings += note
            counts[interface][name] = change
    if not any(counts.values()):
        raise ContradictionError(f"{after.source}: no counter in common with {before.source}")
    return CounterChange(
        duration_s=duration_s,
        counts=MappingProxyType({name: MappingProxyType(of) for name, of in counts.items()}),
        wrapped=tuple(sorted(wrapped)),
        warnings=tuple(warnings + _only_once(before, after)),
    )


def _beyond_the_end(
    name: str, change: int, earlier: int, width: int, stated: int | None
) -> tuple[int, list[str]]:
    """Growth of a counter that began again."""
    notes = []
    if width == 64 and stated is None and earlier < 2**32:
        width = 32
        notes = [f"{name} fell, and was taken to have begun again at 2^32"]
    if earlier >= 2**width:
        raise ContradictionError(f"{name} was {earlier}, more than {width} bits hold")
    grown = change + 2**width
    if grown >= 2 ** (width - 1):
        raise ContradictionError(
            f"{name} fell by {-change}: it was set back, or the later look is named first"
        )
    return grown, notes


def _only_once(before: Counters, after: Counters) -> list[str]:
    lost = sorted(before.counts.keys() ^ after.counts.keys())
    return [f"only one look tells of {', '.join(lost)}"] if lost else []
