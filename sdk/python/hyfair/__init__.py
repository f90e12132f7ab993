"""hyfair finds and proves discrimination in models.

    study = hyfair.Study(model, X, y=y, protected=["sex"], threshold=0.3)
    study.audit()       # each person beside their own counterfactuals
    study.certify()     # fair, unfair or undecided

``Study`` takes a fitted estimator and a data frame; ``load`` opens a saved study.

``hyfair.plugin`` is for authors of solvers, strategies and models. Up to 1.0 it was this
package: its old names still work here, with a ``DeprecationWarning``, and will be
removed in 1.2.
"""

import sys

if sys.version_info < (3, 9):  # so this file must not use newer syntax
    raise ImportError("hyfair needs Python 3.9 or newer; %s is Python %d.%d" % (
        (sys.executable,) + sys.version_info[:2]))

from typing import TYPE_CHECKING, Any, List

from . import _old

if TYPE_CHECKING:
    from .exceptions import (
        CheckFailed, CommandFailed, Contradiction, DisagreesWithModel, Error, ModelNotReadable, ProgramNotFound, StudyError,
        Undecided,
    )
    from .study import Study, load

__version__ = "1.1.0"

__all__ = [
    "CheckFailed", "CommandFailed", "Contradiction", "DisagreesWithModel", "Error", "ModelNotReadable", "ProgramNotFound",
    "Study", "StudyError", "Undecided", "__version__", "load",
]

_old.install()


def __getattr__(name: str) -> Any:
    if name not in __all__:
        return _old.attribute(name)
    from importlib import import_module

    value = getattr(import_module("hyfair.study" if name in ("Study", "load") else "hyfair.exceptions"), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted([*__all__, "plugin"])
