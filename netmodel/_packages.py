"""Names of a package, whose modules are loaded when they are used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_when_used(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """
    The ``__getattr__`` of a package, from the names that each of its modules has.

    ``dir`` lists them too, so that a notebook completes names that are not yet loaded.
    """
    namespace = vars(sys.modules[package])
    namespace["__dir__"] = lambda: sorted(
        {*namespace["__all__"], *(name for name in namespace if name.startswith("_"))}
    )
    module_of = {name: module for module, names in modules.items() for name in names}

    def attribute(name: str) -> Any:
        if name in module_of:
            value = getattr(import_module(f"{package}.{module_of[name]}"), name)
            namespace[name] = value
            return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute
