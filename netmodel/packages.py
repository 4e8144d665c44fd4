"""Names of a package, whose modules are loaded when they are used."""

import builtins
import sys
from _thread import RLock  # threading itself takes longer to load
from importlib import import_module
from types import SimpleNamespace
from typing import Any


class LoadedWhenUsed:
    """
    Around the imports of a package: each name is imported when it is used for the first time.

    Type checkers and editors read the imports as they stand. At run time they are only noted, and
    the package gets its ``__all__``, ``__getattr__`` and ``__dir__`` from them.
    """

    one_at_a_time = RLock()

    def __init__(self, package: str) -> None:
        self.package, self.namespace = package, vars(sys.modules[package])
        self.module_of: dict[str, str] = {}

    def __enter__(self) -> "LoadedWhenUsed":
        self.one_at_a_time.acquire()
        self.imported = builtins.__import__
        builtins.__import__ = self.noted  # type: ignore[assignment]
        return self

    def noted(self, name: str, into: Any = None, *others: Any, **named: Any) -> Any:
        """In place of an import of the package; those of others take place."""
        if into is not self.namespace:
            return self.imported(name, into, *others, **named)
        _, names, level = others
        module = f"{self.package}.{name}".rstrip(".") if level else name
        self.module_of |= dict.fromkeys(names, module)
        return SimpleNamespace(**dict.fromkeys(names))

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self.imported
        self.one_at_a_time.release()
        for name in self.module_of:
            self.namespace.pop(name, None)
        listed = sorted({*self.module_of, *(x for x in self.namespace if x.startswith("_"))})
        self.namespace |= {
            "__all__": sorted(self.module_of),
            "__getattr__": self.attribute,
            "__dir__": lambda: listed,
        }

    def attribute(self, name: str) -> Any:
        """Return a name of the package, loaded now."""
        module = self.module_of.get(name)
        if module is None:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        if module == self.package:
            return import_module(f"{module}.{name}")
        value = getattr(import_module(module), name)
        self.namespace[name] = value
        return value
