"""Names of a package whose modules are loaded when they are used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_when_used(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, from the names that each of its modules has."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def attribute(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(f"{package}.{module_of[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute
