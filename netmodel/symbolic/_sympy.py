"""SymPy, loaded when an expression is made: loading it takes longer than most commands."""

from typing import TYPE_CHECKING, Any


class _WhenUsed:
    """The module; each name is looked up in it once."""

    def __getattr__(self, name: str) -> Any:
        import sympy

        value = getattr(sympy, name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import sympy as module

    sympy = module
else:
    sympy = _WhenUsed()
