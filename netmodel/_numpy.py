"""NumPy, loaded when an array is met: loading it takes a third of the start of a command."""

from typing import TYPE_CHECKING, Any

__all__ = ["np"]


class _WhenUsed:
    """The module; each name is looked up in it once."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        found = getattr(numpy, name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import numpy as np
else:
    np = _WhenUsed()
