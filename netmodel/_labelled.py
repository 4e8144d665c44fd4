"""Quantities with labels: a Series of pandas or a DataArray of xarray gives one of its kind."""

import math
import re
import sys
from types import FrameType
from typing import Any

from netmodel._numpy import np
from netmodel._quantities import unit_of, unit_problem
from netmodel.errors import DomainError

_FORMULAS = re.compile(
    r"netmodel\.(framing|ceilings|consumption|transport|tuning|concurrency|planning\.sizing)\b"
)
"""Modules of formulas, which compute with operators alone and so keep labels."""
_NUMERIC = ("netmodel._labelled", "netmodel._numeric")
_WITHOUT_LABELS = frozenset({float, int, bool})
_NUMBERS = "iuf"
"""Kinds of numpy's types that are real numbers."""


def is_labelled(value: object) -> bool:
    """Whether the value is a Series or a DataArray; neither library is imported to find out."""
    if type(value) in _WITHOUT_LABELS or type(value) is np.ndarray:
        return False
    known = (("pandas", "Series"), ("xarray", "DataArray"))
    kinds = (getattr(sys.modules.get(module), name, None) for module, name in known)
    return any(kind is not None and isinstance(value, kind) for kind in kinds)


def labelled(name: str, value: Any) -> Any:
    """
    The value in float64, named after the public formula that it was given to.

    Where no user called a formula with it, but another part of the library, an array: that part
    computes with arrays. A missing entry becomes NaN.

    Raises
    ------
    DomainError
        If it holds anything but numbers, or labels of two arguments differ: unmatched entries
        would be lost or become NaN without a word.
    """
    if getattr(value.dtype, "kind", "O") not in _NUMBERS:
        raise DomainError(
            f"{name} must be a number or an array of numbers; got {value.dtype} values"
        )
    is_series = hasattr(value, "to_list")
    if is_series:
        numbers = value.to_numpy(dtype=np.float64, na_value=math.nan)
    else:
        own, unit = value.attrs.get("units"), unit_of(name)
        if own is not None and unit not in (None, own):
            raise DomainError(unit_problem(name, unit, own))
        numbers = value.to_numpy().astype(np.float64, copy=False)
    formula = _called_formula()
    if formula is None:
        return numbers
    for other_name, other in formula.f_locals.items():
        if is_labelled(other) and not _have_same_labels(value, other):
            raise DomainError(
                f"{name} and {other_name} have different labels; bring them to the same first"
            )
    if is_series:
        return type(value)(numbers, index=value.index, name=formula.f_code.co_name)
    return value.copy(data=numbers).drop_attrs().rename(formula.f_code.co_name)


def _called_formula() -> FrameType | None:
    """The frame of the formula that a user called; None where the library called it."""
    # a wrapper around each formula would know too, but a call with numbers took half as long again
    frame: FrameType | None = sys._getframe(2)
    formula: FrameType | None = None
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("netmodel."):
            return formula
        if _FORMULAS.match(module):
            formula = frame if frame.f_code.co_name.isidentifier() else formula
        elif module not in _NUMERIC:
            return None
        frame = frame.f_back
    return formula


def _have_same_labels(value: Any, other: Any) -> bool:
    if type(value) is not type(other):
        return False
    if hasattr(value, "to_list"):
        return bool(value.index.equals(other.index))
    shared = set(value.indexes) & set(other.indexes)
    return all(value.indexes[name].equals(other.indexes[name]) for name in shared) and all(
        value.sizes[name] == other.sizes[name] for name in set(value.dims) & set(other.dims)
    )


def where_labelled(condition: Any, if_true: Any, if_false: Any) -> Any:
    """First choice where a labelled condition holds, else the second."""
    # 0 times the condition lends its labels to a choice that is one number
    return (if_true + 0.0 * condition).where(condition, if_false)


def label_of(mask: Any, index: tuple[int, ...]) -> str:
    """The label of a place in labelled quantities."""
    if hasattr(mask, "to_list"):
        return repr(mask.index[index[0]])
    return ", ".join(
        f"{name} {mask.indexes[name][place] if name in mask.indexes else place}"
        for name, place in zip(mask.dims, index, strict=True)
    )
