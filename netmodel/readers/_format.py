"""What a reader of results tells of its format."""

from collections.abc import Callable
from dataclasses import dataclass

from netmodel.readers._document import RawText
from netmodel.readers._measurement import Measurement

__all__ = ["Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """
    A format of results.

    Parameters
    ----------
    name : str
        What users call it.
    recognises : callable
        From a text to whether it is of this format; it looks at the text, never parses it whole,
        and never raises.
    read : callable
        From a text to its measurements; ParseError where it is not of this format.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Callable[[RawText], tuple[Measurement, ...]]
