"""NumPy, loaded when an array is met: loading it takes a third of the start of a command."""

from typing import TYPE_CHECKING, Any


class _WhenUsed:
    """The module; each name is looked up in it once."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        value = getattr(numpy, name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import numpy

    np = numpy
else:
    np = _WhenUsed()
