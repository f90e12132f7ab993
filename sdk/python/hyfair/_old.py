"""The names of 1.0, when ``hyfair`` was what ``hyfair.plugin`` is now.

``from hyfair import Solver`` and ``import hyfair.serve`` give the same objects as
``hyfair.plugin``, and warn. To be removed in 1.2.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import warnings
from types import ModuleType
from typing import Any, Optional, Sequence

MODULES = frozenset((
    "cancel", "describe", "draw", "errors", "evaluate", "milp", "network", "option", "problem", "serve", "smt",
    "solver", "space", "strategy", "testing"))
"""The public modules of 1.0."""


def _warn(old: str, new: str, depth: int) -> None:
    warnings.warn(f"{old} has moved to {new}; the old name goes in hyfair 1.2", DeprecationWarning, stacklevel=depth)


def attribute(name: str) -> Any:
    """The value of ``hyfair.NAME`` if 1.0 had it. Raises AttributeError for other names."""
    if name.startswith("__"):
        raise AttributeError(f"module 'hyfair' has no attribute {name!r}")
    plugin = importlib.import_module("hyfair.plugin")
    if name in MODULES:
        value: Any = importlib.import_module(f"hyfair.plugin.{name}")
    elif name in plugin.__all__:
        value = getattr(plugin, name)
    else:
        raise AttributeError(f"module 'hyfair' has no attribute {name!r}")
    _warn(f"hyfair.{name}", f"hyfair.plugin.{name}", 4)
    return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports ``hyfair.MODULE`` as the module ``hyfair.plugin.MODULE`` itself."""

    def find_spec(self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
                  ) -> Optional[importlib.machinery.ModuleSpec]:
        parts = fullname.split(".")
        if parts[0] != "hyfair" or len(parts) < 2 or parts[1] not in MODULES:
            return None
        if importlib.util.find_spec(_new(fullname)) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(_new(spec.name))
        spec.loader_state = module.__spec__  # the machinery sets the alias's
        return module

    def exec_module(self, module: ModuleType) -> None:
        alias = module.__spec__
        assert alias is not None
        module.__spec__ = alias.loader_state
        _warn(alias.name, _new(alias.name), 3)


def _new(name: str) -> str:
    return "hyfair.plugin" + name[len("hyfair"):]


def install() -> None:
    """Makes the old modules importable, once per process."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
