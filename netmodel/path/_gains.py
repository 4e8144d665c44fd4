"""Published gains of another MTU: ratios to the reference that no time of a stage explains."""

from collections.abc import Iterator, Sequence

from netmodel._estimates import Estimate
from netmodel._numeric import Quantity
from netmodel._numpy import np
from netmodel._text import listed
from netmodel.path._by_connections import neighbours, share_between
from netmodel.path._path import Gain


def gain_at(gains: Sequence[Gain], reference_bytes: int, mtu_bytes: Quantity) -> Estimate:
    """
    What gains of one part, or of the whole, say of an MTU, for arrays element by element.

    Exact at a published MTU and 1 at that of the reference; in between an interval that holds
    those of both neighbours, with a value on the line between them over the logarithm of the
    MTU; beyond the published MTUs that of the nearest. NaN beyond the reference.
    """
    known = {reference_bytes: Estimate(1.0, 1.0, 1.0)}
    known |= {one.mtu_bytes: one.estimate for one in gains}
    sizes = sorted(known)
    rows = [known[size] for size in sizes]
    lower, upper = neighbours(sizes, mtu_bytes)
    share = share_between(sizes, mtu_bytes, lower, upper)
    values, lows, highs = (np.array(end) for end in zip(*rows, strict=True))
    between = (1 - share) * values[lower] + share * values[upper]
    covered = _covered(sizes, reference_bytes, mtu_bytes)
    found = (
        np.where(lower == upper, values[lower], between),
        np.minimum(lows[lower], lows[upper]),
        np.maximum(highs[lower], highs[upper]),
    )
    return Estimate(*(np.where(covered, end, np.nan)[()] for end in found))


def _covered(sizes: Sequence[int], reference_bytes: int, mtu_bytes: Quantity) -> Quantity:
    """Whether an MTU is not beyond that of the reference, where it is the last of all."""
    too_small = np.less(mtu_bytes, sizes[0]) & (sizes[0] == reference_bytes)
    too_large = np.greater(mtu_bytes, sizes[-1]) & (sizes[-1] == reference_bytes)
    return ~(too_small | too_large)


def gain_notes(
    gains: Sequence[Gain], reference_bytes: int, mtu_bytes: Quantity, unexplained: Sequence[str]
) -> Iterator[str]:
    """
    What a reader should know of gains that take the place of what frames and bytes make.

    Parameters
    ----------
    gains : sequence of Gain
        Of the whole path and its parts; at least one.
    reference_bytes : int
        MTU of the reference. [byte]
    mtu_bytes : float or array_like
        That of the prediction. [byte]
    unexplained : sequence of str
        Names of the parts whose frames and bytes make another ratio.
    """
    asked = np.asarray(mtu_bytes)
    known: dict[tuple[int, str], list[str]] = {}
    sizes_of: dict[str | None, list[int]] = {}
    for one in gains:
        known.setdefault((one.mtu_bytes, one.note), []).append(one.of or "the whole path")
        sizes_of.setdefault(one.of, [reference_bytes]).append(one.mtu_bytes)
    several = [sorted(sizes) for sizes in sizes_of.values()]
    covered = [_covered(sizes, reference_bytes, asked) for sizes in several]
    if np.any([one & (asked != reference_bytes) for one in covered]):
        for (size, note), names in known.items():
            yield f"as published for MTU {size}: {', '.join(names)}{note and f' ({note})'}"
    if unexplained:
        yield f"frames and bytes do not explain the published ratio of {', '.join(unexplained)}"
    outside = [(asked < sizes[0]) | (asked > sizes[-1]) for sizes in several]
    if any(
        np.any(~out & ~np.isin(asked, sizes)) for out, sizes in zip(outside, several, strict=True)
    ):
        yield "between these MTUs and that of the reference a range holds what both neighbours have"
    if not np.all(covered):
        yield f"no gain is published beyond MTU {reference_bytes}: ratios are those of the frames"
    if any(np.any(out & one) for out, one in zip(outside, covered, strict=True)):
        published = sorted({one.mtu_bytes for one in gains})
        yield (
            f"extrapolation: gains are published for MTU {listed(published)} only; "
            "those of the nearest are taken"
        )
