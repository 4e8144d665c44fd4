"""Between which of several known numbers others are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from netmodel._numeric import Floats, Quantity
from netmodel._numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    Places: TypeAlias = npt.NDArray[np.intp]

__all__ = ["neighbours", "share_between"]


def neighbours(known: Sequence[int], asked: Quantity) -> "tuple[Places, Places]":
    """
    Places of the known numbers at or around others, for arrays element by element.

    Parameters
    ----------
    known : sequence of int
        Rising.
    asked : float or array_like
        Any numbers.

    Returns
    -------
    lower, upper : numpy.ndarray
        The same twice where it is one of them, or beyond the first or the last.

    Examples
    --------
    >>> [place.tolist() for place in neighbours([1, 10, 50], [1, 20, 100])]
    [[0, 1, 2], [0, 2, 2]]
    """
    last, numbers = len(known) - 1, np.asarray(asked)
    lower: Places = np.searchsorted(known, numbers, side="right") - 1
    upper: Places = np.searchsorted(known, numbers, side="left")
    return np.clip(lower, 0, last), np.clip(upper, 0, last)


def share_between(
    known: Sequence[int], asked: Quantity, lower: "Places", upper: "Places"
) -> Floats:
    """
    How far numbers are from their lower neighbour to the upper one, by their logarithms.

    Parameters
    ----------
    known : sequence of int
        Rising, above 0.
    asked : float or array_like
        Numbers above 0.
    lower, upper : numpy.ndarray
        What `neighbours` returns.

    Returns
    -------
    share : numpy.ndarray
        From 0 to 1; 0 where both are the same.

    Examples
    --------
    >>> float(share_between([1, 100], 10, *neighbours([1, 100], 10)))
    0.5
    """
    logarithms, is_known = np.log(known), lower == upper
    gap = np.where(is_known, 1.0, logarithms[upper] - logarithms[lower])
    return np.asarray(np.where(is_known, 0.0, (np.log(asked) - logarithms[lower]) / gap))
