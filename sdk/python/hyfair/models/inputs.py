"""The columns of a frame, and how they feed a model.

A reader of an estimator begins with the frame's columns, each feeding one input by its
value, and takes them through the estimator's steps. What is left is, for each input of the
model proper, one column and a function of its value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, List, Literal, Optional, Sequence, Union


MOST_VALUES = 10_000
"""The most values of a column that are listed one by one."""


@dataclass(frozen=True)
class Column:
    """A column of the frame and its domain.

    ``values`` are the cells that the domain has, in its order, as the frame holds them: the
    categories, or the integers from ``low`` to ``high``; empty for a ``real`` column, which
    has every number from ``low`` to ``high``. ``missing``: a cell may also be missing, which
    the frame holds as ``absent``, NaN or None.
    """

    name: str
    kind: Literal["integer", "real", "category"]
    values: Sequence[Any] = ()
    low: float = 0.0
    high: float = 0.0
    missing: bool = False
    absent: Any = math.nan


@dataclass(frozen=True)
class Scale:
    """An input that is ``scale`` times the column's value plus ``offset``.

    ``fill`` is the value that a missing cell of a real column counts as. All inputs of the
    column have the same.
    """

    column: str
    scale: float = 1.0
    offset: float = 0.0
    fill: Optional[float] = None


@dataclass(frozen=True)
class Table:
    """An input that has one number for each of the column's ``values``, in their order.

    If the column may be missing, a last entry is for that; NaN is a missing input of trees.
    """

    column: str
    entries: Sequence[float]


Input = Union[Scale, Table]


def plain(value: Any) -> Any:
    """A numpy number as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def as_list(values: Any) -> List[Any]:
    """The values of a series, an array or a sequence, numbers as Python's."""
    to_list = getattr(values, "to_pylist", None) or getattr(values, "to_list", None) or getattr(values, "tolist", None)
    return list(to_list()) if to_list else [plain(v) for v in values]


def listed(names: Sequence[Any]) -> str:
    """The first twenty names, and how many more there are."""
    return ", ".join(map(str, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
