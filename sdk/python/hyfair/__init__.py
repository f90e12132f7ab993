"""hyfair finds and proves discrimination in models.

This package is for auditors of models: it will hold ``Study``, which takes a
fitted estimator and a data frame, and the results of ``audit``, ``certify``,
``quantify``, ``search``, ``explain``, ``mitigate`` and ``report``. Until then use
the command line.

``hyfair.plugin`` is for authors of solvers and strategies. Up to 1.0 it was this
package: its old names still work here, with a ``DeprecationWarning``, and will be
removed in 1.2.
"""

import sys

if sys.version_info < (3, 9):  # so this file must not use newer syntax
    raise ImportError("hyfair needs Python 3.9 or newer; %s is Python %d.%d" % (
        (sys.executable,) + sys.version_info[:2]))

from typing import Any, List

from . import _old

__version__ = "1.1.0"

__all__ = ["__version__"]

_old.install()


def __getattr__(name: str) -> Any:
    return _old.attribute(name)


def __dir__() -> List[str]:
    return sorted([*__all__, "plugin"])
